#include <config.h>

#include "report/tables/report.h"

#include <ctype.h>
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/files/files.h"
#include "common/result/case_text.h"
#include "common/result/work_rate.h"
#include "common/text.h"
#include "common/units/units.h"
#include "report/parts/panel.h"

enum { MAX_STATED = 256 };

#define WITHIN 0.02      /* relative; published figures have no interval */
#define SAME_NUMBER 0.01 /* relative; numbers may be stated in fewer digits */
#define SAME_MODEL 1.5   /* ratio of the numbers of parameters */

/* What one side states. */
struct side {
	struct arena *arena;
	struct result_pair items[MAX_STATED];
	size_t n;
	const char *figure, *unit;
	double value, low, high;
};

static const char *
side_find(const struct side *s, const char *key)
{
	return result_pair_value(s->items, s->n, key);
}

/* Add a setting under its usual name. Unknown and repeated ones are ignored. */
static void
side_add(struct side *s, const char *key, const char *value)
{
	const struct speed_setting *known = speed_setting_find(key);

	key = known != NULL ? known->key : key;
	if (value != NULL && s->n < MAX_STATED && side_find(s, key) == NULL)
		s->items[s->n++] = (struct result_pair){ key, value };
}

static void
side_add_count(struct side *s, const char *key, long count)
{
	if (count != RESULT_UNKNOWN)
		side_add(s, key, arena_printf(s->arena, "%ld", count));
}

/* A number, with or without a suffix of thousands: "7b", "124M".
 *
 * rest  set to the text after number and suffix; unchanged if there is none
 *
 * Returns NAN if the text does not begin with a number. */
static double
number_of(const char *text, const char **rest)
{
	static const char suffixes[] = "kmbt";
	const size_t len = text != NULL ? strspn(text, "0123456789.") : 0;
	const char *suffix = NULL, *end;
	char digits[32];
	double x;

	if (len == 0 || len >= sizeof digits)
		return NAN;
	snprintf(digits, sizeof digits, "%.*s", (int)len, text);
	if (parse_double(digits, 0, 1e30, &x) != 0)
		return NAN;
	end = text + len;
	if (*end != '\0' && !isalnum((unsigned char)end[1]))
		suffix = strchr(suffixes, tolower((unsigned char)*end));
	*rest = suffix != NULL ? end + 1 : end;
	return suffix != NULL ? x * pow(1000, (double)(suffix - suffixes + 1))
			      : x;
}

/* As number_of, but NAN if anything follows the number. */
static double
whole_number(const char *text)
{
	const char *rest = "";
	const double x = number_of(text, &rest);

	return *rest == '\0' ? x : NAN;
}

/* Number of parameters: as stated, else from layers and width (12 d^2 a layer,
 * without embeddings), else the size in the model's name, as in "mpt-7b". */
static double
side_parameters(const struct side *s)
{
	const double width = whole_number(side_find(s, "hidden_size"));
	const double layers = whole_number(side_find(s, "layers"));
	const char *name = side_find(s, "model"), *rest;
	double n = whole_number(side_find(s, "parameters"));

	if (isnan(n))
		n = 12 * layers * width * width;
	for (const char *at = name; isnan(n) && at != NULL && *at; at++)
		if ((at == name || !isalnum((unsigned char)at[-1])) &&
		    number_of(at, &rest) >= 1e6)
			n = number_of(at, &rest);
	return n;
}

static struct side *
side_of_case(struct arena *a, const struct result_case *c)
{
	const struct result_run *run = c->n_runs > 0 ? &c->runs[0] : NULL;
	struct side *s = arena_calloc(a, 1, sizeof *s);

	s->arena = a;
	side_add(s, "model", c->model);
	side_add(s, "precision", c->precision);
	side_add(s, "framework", c->framework);
	side_add_count(s, "batch_size_per_device", c->batch_size_per_device);
	side_add_count(s, "nodes", c->nodes);
	side_add_count(s, "gpus", c->gpus);
	side_add(s, "device", result_case_device(c));
	for (size_t i = 0; i < c->n_labels; i++)
		side_add(s, c->labels[i].key, c->labels[i].value);
	for (size_t i = 0; run != NULL && i < run->n_settings; i++)
		side_add(s, run->settings[i].key, run->settings[i].value);
	if (run != NULL)
		side_add(s, "framework_version", run->framework_version);
	s->value = c->median_speed;
	s->low = c->median_low;
	s->high = c->median_high;
	if (isfinite(case_within_run(c))) {
		s->low = s->value * (1 - case_within_run(c));
		s->high = s->value * (1 + case_within_run(c));
	}
	s->unit = c->unit;
	return s;
}

/* --- a figure on the command line ----------------------------------------- */

static const char *const precisions[] = { "fp32", "tf32", "fp16", "bf16", "fp8",
	"fp4", "amp", "int8", "mxfp8", "nvfp4", NULL };
static const char *const units[] = { "samples/s", "images/s", "sequences/s",
	"examples/s", "items/s", "tokens/s", "iterations/s", "s", "min", "%",
	"MFU", NULL };

static int
is_one_of(const char *word, const char *const *words)
{
	while (*words != NULL && strcasecmp(word, *words) != 0)
		words++;
	return *words != NULL;
}

/* Add a word of a figure: "b256", "8xH100", "fp16", "KEY=VALUE", the
 * value, its unit, or else the model. Returns 0 or -1. */
static int
read_word(struct side *s, char *word)
{
	char *equals = strchr(word, '=');
	const char *rest;
	long a = 0;
	int len = 0;
	double x;

	if (equals != NULL) {
		*equals = '\0';
		side_add(s, word, equals + 1);
	} else if (sscanf(word, "b%9ld%n", &a, &len) == 1 && !word[len]) {
		side_add(s, "batch_size_per_device", word + 1);
	} else if (sscanf(word, "%9ldx%n", &a, &len) == 1 && len > 0 &&
	    isalpha((unsigned char)word[len])) {
		side_add_count(s, "gpus", a);
		side_add(s, "device", word + len);
	} else if (is_one_of(word, precisions)) {
		side_add(s, "precision", word);
	} else if (!isnan(x = number_of(word, &rest)) &&
	    (*rest == '\0' || strcmp(rest, "%") == 0)) {
		if (s->figure != NULL || !(x > 0))
			return -1;
		s->figure = word;
		s->value = x;
		s->unit = *rest != '\0' ? "%" : s->unit;
	} else if (is_one_of(word, units)) {
		s->unit = strcasecmp(word, "MFU") == 0 ? "%" : word;
	} else if (side_find(s, "model") == NULL) {
		side_add(s, "model", word);
	} else {
		return -1;
	}
	return 0;
}

static int
side_of_text(struct side *s, const char *text, struct error *e)
{
	char *rest = arena_strdup(s->arena, text), *word;

	while ((word = strsep(&rest, " \t")) != NULL)
		if (*word != '\0' && read_word(s, word) != 0)
			return error_set(e, ERROR_USAGE,
			    "--published: cannot read '%s'; give model, "
			    "precision, b256, 8xH100, KEY=VALUE, one figure "
			    "and its unit",
			    word);
	return s->figure != NULL ? 0
				 : error_set(e, ERROR_USAGE,
				       "--published: '%s' has no figure", text);
}

/* --- comparison ----------------------------------------------------------- */

/* Copy the letters and digits of a name in lower case, with "r" for a leading
 * "resnet": DLPerf calls ResNet-50 r50. */
static const char *
plain(struct arena *a, const char *text)
{
	char *out = arena_strdup(a, text), *to = out;

	for (; *text != '\0'; text++)
		if (isalnum((unsigned char)*text))
			*to++ = (char)tolower((unsigned char)*text);
	*to = '\0';
	return strncmp(out, "resnet", 6) == 0 ? arena_printf(a, "r%s", out + 6)
					      : out;
}

/* True if two values may be the same: equal numbers, or names of which one
 * contains the other, as "H100" and "NVIDIA H100 80GB HBM3". */
static int
is_alike(struct arena *a, const char *x, const char *y)
{
	const double m = whole_number(x), n = whole_number(y);

	if (!isnan(m) && !isnan(n))
		return fabs(m - n) <= SAME_NUMBER * fabs(n);
	x = plain(a, x);
	y = plain(a, y);
	return strlen(x) > strlen(y) ? strstr(x, y) != NULL
				     : strstr(y, x) != NULL;
}

/* Add rows for the settings that differ, then for those that one side does not
 * state, and the important ones that neither does: those of speed_settings in
 * their order, then others of x, then of y. */
static void
add_rows(struct table *t, const struct side *x, const struct side *y,
    enum language lang)
{
	const char *keys[3 * MAX_STATED];
	size_t n = 0;

	for (; speed_settings[n].key != NULL; n++)
		keys[n] = speed_settings[n].key;
	for (size_t i = 0; i < x->n + y->n; i++) {
		const char *key =
		    i < x->n ? x->items[i].key : y->items[i - x->n].key;

		if (speed_setting_find(key) == NULL &&
		    (i < x->n || side_find(x, key) == NULL))
			keys[n++] = key;
	}
	for (size_t i = 0; i < 2 * n; i++) {
		const char *key = keys[i % n];
		const char *a = side_find(x, key), *b = side_find(y, key);
		const struct speed_setting *s = speed_setting_find(key);
		const int both = a != NULL && b != NULL;

		if (both != (i < n) || (both && is_alike(x->arena, a, b)) ||
		    (a == NULL && b == NULL && (s == NULL || !s->always)))
			continue;
		table_row(t);
		table_cell(t, key);
		table_cell(t, a != NULL ? a : message(MESSAGE_UNKNOWN, lang));
		table_cell(t, b != NULL ? b : message(MESSAGE_UNKNOWN, lang));
	}
}

static const char *
parameters_text(struct arena *a, double n)
{
	return n >= 1e9 ? arena_printf(a, "%.3gB", n / 1e9)
			: arena_printf(a, "%.3gM", n / 1e6);
}

/* Add the rows and notes for a published side x and an own side y. */
static void
add_answer(struct table *t, const struct side *x, const struct side *y,
    enum language lang)
{
	const int time = work_kind_is_time(work_kind_of(y->unit));
	const double ratio = time ? x->value / y->value : y->value / x->value;
	const double a = time ? x->value / y->high : y->low / x->value;
	const double b = time ? x->value / y->low : y->high / x->value;
	const double low = isnan(a) ? ratio : a, high = isnan(b) ? ratio : b;
	const double n = side_parameters(x), m = side_parameters(y);
	const char *range = "";
	char text[UNITS_TEXT_SIZE];

	add_rows(t, x, y, lang);
	percent_format(text, ratio, 1);
	if (!isnan(a) && !isnan(b))
		range = arena_printf(
		    x->arena, " [%.3g %%, %.3g %%]", 100 * low, 100 * high);
	note_message(t, lang,
	    high < 1 - WITHIN      ? MESSAGE_REPRODUCED_SLOWER
		: low > 1 + WITHIN ? MESSAGE_REPRODUCED_FASTER
				   : MESSAGE_REPRODUCED,
	    text, range);
	if (m / n > SAME_MODEL || n / m > SAME_MODEL)
		note_message(t, lang, MESSAGE_OTHER_MODEL,
		    parameters_text(x->arena, m), parameters_text(x->arena, n));
}

/* A published figure and an own one. */
struct pair {
	const struct side *published, *own;
	long agreement;
	const char *path; /* file of the published figure, or NULL */
	long line;        /* in the file; 0: unknown */
};

/* Compare a published side with all own cases in its unit. Keep the pair with
 * the best agreement.
 *
 * same_model  1: only with cases of the same model */
static void
compare_side(const struct side *x, const struct result_set *own, int same_model,
    const char *path, long line, struct pair *best)
{
	for (size_t k = 0; k < own->n; k++) {
		const struct result *r = &own->items[k].result;

		for (size_t j = 0; j < r->n_cases; j++) {
			struct side *y = side_of_case(x->arena, &r->cases[j]);
			const char *model = side_find(x, "model");
			const char *other = side_find(y, "model");
			/* Settings that agree, minus those that do not. */
			long score = 0;

			for (size_t i = 0; i < x->n; i++) {
				const char *value =
				    side_find(y, x->items[i].key);

				if (value != NULL)
					score += is_alike(x->arena,
						     x->items[i].value, value)
					    ? 1
					    : -1;
			}
			if ((x->unit != NULL &&
				!unit_is_alike(x->unit, y->unit)) ||
			    (same_model &&
				(model == NULL || other == NULL ||
				    !is_alike(x->arena, model, other))) ||
			    (best->own != NULL && score <= best->agreement))
				continue;
			*best = (struct pair){ x, y, score, path, line };
		}
	}
}

int
reproduce_compare(const char *text, size_t n_published, struct result_set *set,
    enum language lang, struct table *t, struct error *e)
{
	struct result_set own = { set->items + n_published,
		set->n - n_published, 0 };
	static const enum message heads[] = { MESSAGE_SETTING,
		MESSAGE_PUBLISHED, MESSAGE_OWN_SIDE };
	struct arena *a = &t->arena;
	struct side *x = arena_calloc(a, 1, sizeof *x);
	struct pair best = { .own = NULL };
	struct error ignored = ERROR_INIT;

	x->arena = a;
	if (text != NULL) {
		if (side_of_text(x, text, e) != 0)
			return -1;
		/* Use the printed MFU, else the computed one. */
		if (text_same(x->unit, "%") &&
		    result_set_choose_metric(&own, "mfu_printed", &ignored) !=
			0 &&
		    result_set_choose_metric(&own, "mfu", e) != 0)
			return -1;
		compare_side(x, &own, 0, NULL, 0, &best);
	}
	for (size_t i = 0; i < n_published; i++) {
		const struct result_file *f = &set->items[i];

		for (size_t k = 0; k < f->result.n_cases; k++) {
			x = side_of_case(a, &f->result.cases[k]);
			compare_side(x, &own, n_published > 1, f->path,
			    f->values != NULL ? f->values[k].line : 0, &best);
		}
	}
	if (best.own == NULL && n_published > 1)
		return error_set(e, ERROR_EMPTY,
		    "--reproduce: no figure of the model and unit of the runs "
		    "is known; name a published table before them, or give "
		    "--published=FIGURE");
	if (best.own == NULL)
		return error_set(e, ERROR_EMPTY,
		    "--reproduce: no case of the runs is in %s, as the "
		    "published figure is",
		    x->unit != NULL ? x->unit : "its unit");
	table_title(t, "%s %.6g %s, %s %.6g %s",
	    message(MESSAGE_PUBLISHED, lang), best.published->value,
	    best.own->unit, message(MESSAGE_OWN_SIDE, lang), best.own->value,
	    best.own->unit);
	for (size_t i = 0; i < 3; i++)
		table_column(t, message(heads[i], lang), NULL, TABLE_LEFT);
	add_answer(t, best.published, best.own, lang);
	if (best.path != NULL)
		table_note(t, "%s: %s:%ld", message(MESSAGE_PUBLISHED, lang),
		    best.path, best.line);
	return 0;
}

/* --- known figures -------------------------------------------------------- */

char **
reproduce_known_files(struct arena *a, size_t *n, struct error *e)
{
	char *folders[] = { install_path_find("published", NULL, e),
		user_folder("published") };
	glob_t found = { .gl_pathc = 0 };
	char **paths;

	for (int i = 0; i < 2; i++) {
		if (folders[i] != NULL)
			(void)glob(arena_printf(a, "%s/*.figures", folders[i]),
			    GLOB_APPEND, NULL, &found);
		free(folders[i]);
	}
	*n = found.gl_pathc;
	paths = arena_calloc(a, *n + 1, sizeof *paths);
	for (size_t i = 0; i < *n; i++)
		paths[i] = arena_strdup(a, found.gl_pathv[i]);
	globfree(&found);
	return e->code == ERROR_NONE ? paths : NULL;
}
