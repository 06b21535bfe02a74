/* run_experiment: repeats an experiment of a published report, from its runs to
 * its table, chart and page. */
#include <config.h>

#include <ctype.h>
#include <errno.h>
#include <glob.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/files/files.h"
#include "common/process.h"
#include "common/program/options.h"
#include "common/result/result.h"
#include "common/series/result_set.h"
#include "common/table/table.h"
#include "common/text.h"
#include "common/texts/remark.h"
#include "common/units/units.h"
#include "trainer/launch/job.h"
#include "trainer/launch/plan.h"
#include "trainer/launch/sweep.h"

struct experiment {
	struct arena arena;  /* of its texts */
	const char *path;    /* of its file */
	const char *name;    /* first part of the files' names */
	const char *log_dir; /* its own */
	const char *data;    /* for {data} */
	char *result;        /* the path of OUTPUT_DIR/NAME_result.json */
	struct sweep sweep;
	struct site site; /* own_dir is searched first for the other programs */
	struct plan plan;
};

static struct opt_list sets;
static int list, quick, dry_run, report_only;
static char *command; /* command line of this run, for machine.txt */
static const char *only, *log_dir, *output_dir, *data, *device;

static const char *const devices[] = { "auto", "cpu", "gpu", NULL };

static const struct opt opts[] = {
	{ OPT_GROUP, .help = "What" },
	{ OPT_FLAG, 0, "list", .brief = "the experiments that there are",
	    .help = "list the experiments and exit", .to = &list },
	{ OPT_FLAG, 0, "quick", .brief = "small and short, to try it",
	    .help = "small networks and images, few steps, one run per case: "
		    "the numbers mean little",
	    .to = &quick },
	{ OPT_LIST, 's', "set", "SETTING",
	    .brief = "another value of a setting",
	    .help = "replace a setting of all groups, as run_sweep does",
	    .to = &sets },
	{ OPT_STR, 0, "only", "PATTERN", .brief = "only groups that match",
	    .help = "make only the runs whose log path, or one part of it, "
		    "matches PATTERN",
	    .to = &only },
	{ OPT_GROUP, .help = "On what" },
	{ OPT_CHOICE, 0, "device", "DEVICE", .brief = "cpu or cuda",
	    .help = "auto: GPUs if this machine has some, else CPU cores; GPUs "
		    "of a hostfile or of a job of Slurm only with gpu",
	    .def = "auto", .choices = devices, .to = &device },
	{ OPT_STR, 0, "data", "DIR",
	    .help = "image folder for experiments that read images; default: "
		    "toy images, made next to the logs",
	    .to = &data },
	{ OPT_GROUP, .help = "How" },
	{ OPT_STR, 0, "log-dir", "DIR", .brief = "where the logs go",
	    .help = "keep the logs in DIR/NAME", .def = "logs",
	    .to = &log_dir },
	{ OPT_STR, 0, "output-dir", "DIR",
	    .brief = "where results and charts go",
	    .help = "write result, tables, charts and page to DIR",
	    .def = "result", .to = &output_dir },
	{ OPT_FLAG, 'n', "dry-run", .brief = "print the commands",
	    .help = "run nothing, print the commands; # marks those whose logs "
		    "exist",
	    .to = &dry_run },
	{ OPT_FLAG, 0, "report-only",
	    .brief = "tables and charts of logs that are there",
	    .help = "make no runs; write tables, charts and page of those "
		    "there",
	    .to = &report_only },
	{ .kind = OPT_END },
};

static const char *const examples[] = {
	"run_experiment --list",
	"list the experiments",
	"run_experiment --quick bandwidth",
	"four emulated nodes over links of 2.5 and 5 Gbit/s, in a minute",
	"run_experiment -s hostfile=hosts -s hosts-link=2.5G --device=gpu "
	"bandwidth",
	"the runs of that link, on hosts whose link was set to it",
	"run_experiment -n scaling",
	"the commands of an experiment",
	NULL,
};

static const struct program program = {
	.name = "run_experiment",
	.synopsis = "[OPTION]... NAME|FILE.sweep",
	.summary = "repeat an experiment of a published report",
	.text =
	    "Makes the runs of an experiment that are not there yet, the "
	    "first ones of all cases before the second ones, so that slow "
	    "changes of the machine affect all cases alike. They use the GPUs "
	    "of this machine, the hosts of a hostfile or of a Slurm job, else "
	    "CPU cores, on emulated nodes with shaped links (run_on_nodes). "
	    "Then it writes the report's own table, its charts and an HTML "
	    "page, and a table that has each published cell next to the one "
	    "measured here, with what differs and why.\n\n"
	    "The same command, given again, goes on where it was interrupted. "
	    "Cases that cannot be run here are listed and excluded.\n\n"
	    "An experiment is a file of run_sweep, whose --help explains its "
	    "keys; doc/experiments.md lists the experiments.",
	.opts = opts,
	.examples = examples,
	.see_also = "run_sweep(1), run_on_nodes(1), report_results(1), "
		    "plot_results(1)",
};

/* --- Which experiment ----------------------------------------------------- */

static const char ending[] = ".sweep";

/* Length of a file's name without its suffix; 0: another suffix. */
static size_t
stem_length(const char *file)
{
	const size_t n = strlen(file), m = sizeof ending - 1;

	return n > m && strcmp(file + n - m, ending) == 0 ? n - m : 0;
}

/* Print the experiments with the first lines of their files, the
 * descriptions. */
static int
print_experiments(struct arena *a, struct error *e)
{
	char *folder = install_path_find("experiments", NULL, e);
	glob_t files = { .gl_pathc = 0 };

	if (folder == NULL)
		return -1;
	(void)glob(arena_printf(a, "%s/*%s", folder, ending), 0, NULL, &files);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		const char *file = strrchr(files.gl_pathv[i], '/') + 1;
		FILE *f = fopen(files.gl_pathv[i], "re");
		char line[256] = "";

		if (f != NULL && fgets(line, sizeof line, f) != NULL)
			line[strcspn(line, "\n")] = '\0';
		if (f != NULL)
			fclose(f);
		printf("%-14.*s %s\n", (int)stem_length(file), file,
		    line[0] == '#' ? line + 2 : "");
	}
	globfree(&files);
	free(folder);
	return EXIT_STATUS_OK;
}

/* --- Commands ------------------------------------------------------------- */

/* Words of a command, in x's arena; the list ends with NULL. */
struct words {
	char **items;
	size_t n, alloc;
};

__attribute__((format(printf, 3, 4))) static void
add_word(struct experiment *x, struct words *w, const char *format, ...)
{
	va_list args;

	w->items = vec_grow(w->items, w->n + 1, &w->alloc, sizeof *w->items);
	va_start(args, format);
	w->items[w->n++] = arena_vprintf(&x->arena, format, args);
	va_end(args);
	w->items[w->n] = NULL;
}

/* Begin a command that runs another program of dlscale, from our own folder or
 * else from $PATH. */
static struct words
command_of(struct experiment *x, const char *name)
{
	const char *own = x->site.own_dir != NULL
	    ? arena_printf(&x->arena, "%s/%s", x->site.own_dir, name)
	    : "";
	struct words w = { NULL };

	add_word(x, &w, "%s", access(own, X_OK) == 0 ? own : name);
	return w;
}

/* Append the words of a key from index `from` on, with {data} filled in. */
static void
add_setting(
    struct experiment *x, struct words *w, enum sweep_key key, size_t from)
{
	static const char field[] = "{data}";
	const struct setting *s = &x->sweep.groups[0].set[key];

	for (size_t i = from; i < s->n; i++) {
		const char *text = s->words[i].text, *at = strstr(text, field);

		if (at == NULL || x->data == NULL)
			add_word(x, w, "%s", text);
		else
			add_word(x, w, "%.*s%s%s", (int)(at - text), text,
			    x->data, at + sizeof field - 1);
	}
}

/* Add the values of a key as "--option=a,b", if any. */
static void
add_list(struct experiment *x, struct words *w, enum sweep_key key,
    const char *option)
{
	const struct setting *s = &x->sweep.groups[0].set[key];
	const char *text = "";

	for (size_t i = 0; i < s->n; i++)
		text = arena_join(&x->arena, text, ",", s->words[i].text);
	if (s->n > 0)
		add_word(x, w, "%s=%s", option, text);
}

/* Run a command and free its list. Its stderr is shown.
 *
 * out  output: its stdout; NULL: discarded */
static int
run_words(struct words *w, FILE *out, struct error *e)
{
	FILE *nothing = fopen("/dev/null", "r+e");
	int absent, status = -1;

	fflush(stdout);
	if (nothing != NULL) {
		status = process_run(w->items, nothing,
		    out != NULL ? out : nothing, stderr, &absent, e);
		fclose(nothing);
	} else {
		error_errno(e, errno, "cannot open /dev/null");
	}
	if (status > 0)
		error_set(e,
		    status == EXIT_STATUS_EMPTY ? ERROR_EMPTY : ERROR_INPUT,
		    "'%s' ended with status %d", w->items[0], status);
	free(w->items);
	return status == 0 ? 0 : -1;
}

/* --- Evaluation ----------------------------------------------------------- */

/* Extract the logs into x->result. Write the tables to stdout and to NAME.md,
 * the charts to NAME_CHART.svg (without gnuplot, only their scripts), and the
 * page NAME.html. Print the names of these files. */
static int
evaluate(struct experiment *x, struct error *e)
{
	static const char *const suffixes[] = { NULL, "md", "html" };
	const char *name = getenv("GNUPLOT");
	struct words w, gnuplot = { NULL };
	struct error ignored = ERROR_INIT;

	if (make_folders(output_dir, e) != 0)
		return -1;
	w = command_of(x, "extract_logs");
	add_word(x, &w, "--output=%s", x->result);
	add_setting(x, &w, SWEEP_EXTRACT_OPTIONS, 0);
	add_word(x, &w, "%s", x->log_dir);
	if (run_words(&w, NULL, e) != 0)
		return -1;
	if (x->sweep.groups[0].set[SWEEP_CHART].n > 0) {
		add_word(x, &gnuplot, "%s",
		    name != NULL && *name != '\0' ? name : "gnuplot");
		add_word(x, &gnuplot, "--version");
		w = command_of(x, "plot_results");
		add_list(x, &w, SWEEP_CHART, "--chart");
		add_setting(x, &w, SWEEP_PLOT_OPTIONS, 0);
		add_word(x, &w, "--output-dir=%s", output_dir);
		add_word(x, &w, "--name=%s", x->name);
		if (run_words(&gnuplot, NULL, &ignored) != 0)
			add_word(x, &w, "--format=gp");
		add_word(x, &w, "%s", x->result);
		if (run_words(&w, stdout, e) != 0)
			return -1;
	}
	for (int i = 0; i < 3; i++) {
		const char *file = suffixes[i] == NULL
		    ? NULL
		    : arena_printf(&x->arena, "%s/%s.%s", output_dir, x->name,
			  suffixes[i]);

		w = command_of(x, "report_results");
		if (i == 2) {
			add_word(x, &w, "--html");
		} else {
			add_list(x, &w, SWEEP_TABLE, "--table");
			add_setting(x, &w, SWEEP_REPORT_OPTIONS, 0);
		}
		if (file != NULL)
			add_word(x, &w, "--output=%s", file);
		add_word(x, &w, "%s", x->result);
		if (run_words(&w, file == NULL ? stdout : NULL, e) != 0)
			return -1;
		if (file != NULL)
			printf("%s\n", file);
	}
	return 0;
}

/* Create the images of {data} with the experiment's "prepare" command, if it
 * has one and they are not complete. An empty file marks them as complete; it
 * is missing after an interruption. */
static int
prepare(struct experiment *x, struct error *e)
{
	const struct setting *s = &x->sweep.groups[0].set[SWEEP_PREPARE];
	const char *done = arena_printf(&x->arena, "%s/complete", x->data);
	struct outfile o;
	struct words w;

	if (s->n == 0 || access(done, F_OK) == 0)
		return 0;
	w = command_of(x, s->words[0].text);
	add_setting(x, &w, SWEEP_PREPARE, 1);
	if (run_words(&w, NULL, e) != 0 || outfile_open(&o, done, e) != 0)
		return -1;
	return outfile_commit(&o, e);
}

/* --- Published values ----------------------------------------------------- */

/* Quantities of "compare" besides those of enum quantity. */
enum {
	COMPARED_SPEED = N_QUANTITIES,
	COMPARED_SPEEDUP,
	COMPARED_COST, /* step time on n devices / (n * that on one) */
	COMPARED_ALLREDUCES,
	COMPARED_BUSY,
	N_COMPARED
};

/* The number of a quantity, or N_COMPARED. */
static int
compared_find(const char *name)
{
	static const char *const names[] = { "speed", "speedup", "cost",
		"allreduces", "busy" };
	const enum quantity q = quantity_find(name);

	for (int i = 0; i < N_COMPARED - N_QUANTITIES; i++)
		if (strcmp(names[i], name) == 0)
			return N_QUANTITIES + i;
	return q < N_QUANTITIES ? (int)q : N_COMPARED;
}

/* True if c has the same labels as another. */
static int
same_labels(const struct result_case *c, const struct result_case *of)
{
	size_t i = 0;

	while (i < of->n_labels &&
	    text_same(of->labels[i].value,
		result_pair_value(c->labels, c->n_labels, of->labels[i].key)))
		i++;
	return i == of->n_labels && c->n_labels == of->n_labels;
}

/* The one-device case with c's framework, model and batch, preferably with its
 * precision and labels too; NULL: there is none, or c has one device. */
static const struct result_case *
find_single(const struct result *r, const struct result_case *c)
{
	const struct result_case *single = NULL;

	for (size_t i = 0; i < r->n_cases && c->gpus != 1; i++) {
		const struct result_case *one = &r->cases[i];

		if (one->gpus == 1 && text_same(one->model, c->model) &&
		    text_same(one->framework, c->framework) &&
		    one->batch_size_per_device == c->batch_size_per_device &&
		    (single == NULL ||
			(text_same(one->precision, c->precision) &&
			    same_labels(one, c))))
			single = one;
	}
	return single;
}

/* Value of a quantity, or NAN. Number and time of the allreduces of a mean step
 * are the log's own means, else sums by size times step time / total time. */
static double
value_of_case(int quantity, const struct result *r, const struct result_case *c)
{
	const struct result_case *one = find_single(r, c);
	const int is_busy = quantity == COMPARED_BUSY;
	struct collective_bin bins[SIZE_BINS];
	double sum = 0;
	size_t n_runs, n;

	switch (quantity) {
	case COMPARED_SPEED:
		return c->median_speed;
	case COMPARED_SPEEDUP:
		return one != NULL ? c->median_speed / one->median_speed : NAN;
	case COMPARED_COST:
		return one != NULL ? quantity_of_case(c, QUANTITY_STEP) /
			(double)c->gpus / quantity_of_case(one, QUANTITY_STEP)
				   : NAN;
	case COMPARED_ALLREDUCES:
	case COMPARED_BUSY:
		n = collective_groups_by_size(c, bins, &n_runs);
		if (n_runs > 0 && isfinite(c->runs[0].phases.allreduces))
			return is_busy ? quantity_of_case(c, QUANTITY_BUSY)
				       : c->runs[0].phases.allreduces;
		for (size_t i = 0; i < n; i++)
			sum += is_busy ? bins[i].seconds : bins[i].count;
		return n > 0 ? sum / quantity_of_case(c, QUANTITY_REAL) *
			quantity_of_case(c, QUANTITY_STEP)
			     : NAN;
	default:
		return quantity_of_case(c, (enum quantity)quantity);
	}
}

/* Compare names by letters and digits up to the shorter one: "ResNet50 V1.5"
 * equals "resnet50". */
static int
same_model(const char *a, const char *b)
{
	for (;; a++, b++) {
		while (*a != '\0' && !isalnum((unsigned char)*a))
			a++;
		while (*b != '\0' && !isalnum((unsigned char)*b))
			b++;
		if (*a == '\0' || *b == '\0')
			return 1;
		if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
			return 0;
	}
}

/* True if the case here has the model and batch size that the group uses in
 * place of the published ones, i.e. at the same positions in its lists. */
static int
stands_for(const struct group *g, const struct result_case *published,
    const struct result_case *here)
{
	const struct setting *models = &g->plain[SWEEP_MODEL];
	const struct setting *batches = &g->plain[SWEEP_BATCH];
	const struct setting *own = &g->set[SWEEP_MODEL];
	const struct setting *sizes = &g->set[SWEEP_BATCH];
	char batch[32], size[32];
	size_t i = 0, k = 0;

	snprintf(batch, sizeof batch, "%ld", published->batch_size_per_device);
	snprintf(size, sizeof size, "%ld", here->batch_size_per_device);
	while (published->model != NULL && i < models->n &&
	    !same_model(models->words[i].text, published->model))
		i++;
	while (published->batch_size_per_device != RESULT_UNKNOWN &&
	    k < batches->n && strcmp(batches->words[k].text, batch) != 0)
		k++;
	return i < models->n && i < own->n && k < batches->n && k < sizes->n &&
	    text_same(here->model, own->words[i].text) &&
	    strcmp(sizes->words[k].text, size) == 0;
}

/* True if the published case has exactly the labels "KEY=VALUE" that the group
 * states, and its framework if it states "framework=VALUE". */
static int
is_of_group(const struct result_case *c, const struct group *g)
{
	const struct setting *v = &g->set[SWEEP_REFERENCE_CASE];
	size_t n_labels = 0;

	for (size_t i = 0; i < v->n; i++) {
		const char *label = v->words[i].text, *value = NULL;
		const size_t n = strcspn(label, "=");

		if (n == 9 && strncmp(label, "framework", n) == 0)
			value = c->framework;
		else
			n_labels++;
		for (size_t k = 0; k < c->n_labels; k++)
			if (strlen(c->labels[k].key) == n &&
			    strncmp(c->labels[k].key, label, n) == 0)
				value = c->labels[k].value;
		if (value == NULL || strcasecmp(value, label + n + 1) != 0)
			return 0;
	}
	return n_labels == c->n_labels;
}

/* Find the case here, with logs in a group's folder, that repeats a published
 * one. Returns NULL if there is none. */
static const struct result_case *
find_here(const struct sweep *s, const struct result *r,
    const struct result_case *published)
{
	for (size_t i = 0; i < s->n_groups; i++) {
		const struct group *g = &s->groups[i];
		const char *name = g->set[SWEEP_NAME].words[0].text;
		const size_t n = strlen(name);

		for (size_t k = 0; k < r->n_cases; k++) {
			const struct result_case *c = &r->cases[k];
			const char *path =
			    c->n_runs > 0 ? c->runs[0].path : NULL;

			if (path != NULL && strncmp(path, name, n) == 0 &&
			    path[n] == '/' && c->nodes == published->nodes &&
			    c->gpus == published->gpus &&
			    is_of_group(published, g) &&
			    stands_for(g, published, c))
				return c;
		}
	}
	return NULL;
}

static const char *
case_text(struct arena *a, const struct result_case *c)
{
	const char *text = c->model;

	if (c->batch_size_per_device != RESULT_UNKNOWN)
		text = arena_join(a, text, ", ",
		    arena_printf(a, "batch %ld", c->batch_size_per_device));
	text = arena_join(a, text, ", ", c->name);
	for (size_t i = 0; i < c->n_labels; i++)
		text = arena_join(a, text, ", ", c->labels[i].value);
	return text;
}

/* Add a row for each quantity that both cases have.
 *
 * r, c  [2] published, and here */
static void
add_rows(const struct experiment *x, const struct result *const *r,
    const struct result_case *const *c, struct table *t)
{
	const struct setting *names = &x->sweep.groups[0].set[SWEEP_COMPARE];

	table_group(t, NULL);
	for (size_t k = 0; k < names->n; k++) {
		const int quantity = compared_find(names->words[k].text);
		const int is_rate =
		    quantity < N_QUANTITIES && quantity_rows[quantity].is_rate;
		char buf[QUANTITY_TEXT_SIZE], number[UNITS_TEXT_SIZE];
		double values[2];

		for (int i = 0; i < 2; i++)
			values[i] = value_of_case(quantity, r[i], c[i]);
		if (!isfinite(values[0]) || !isfinite(values[1]))
			continue;
		table_row(t);
		table_cell(t, case_text(&t->arena, c[0]));
		table_cell(t, case_text(&t->arena, c[1]));
		table_cell(t, names->words[k].text);
		for (int i = 0; i < 2; i++)
			if (quantity == COMPARED_SPEED)
				table_cellf(t, "%s %s",
				    number_format(number, values[i], 4),
				    c[i]->unit != NULL ? c[i]->unit : "");
			else
				table_cell(t,
				    quantity == COMPARED_SPEEDUP ||
					    quantity == COMPARED_ALLREDUCES
					? number_format(number, values[i], 4)
					: quantity == COMPARED_COST
					? percent_format(number, values[i], 0)
					: is_rate
					? quantity_bit_rate(buf, values[i])
					: seconds_format(number, values[i]));
		/* One device has no communication. */
		table_cell(t,
		    values[0] != 0
			? number_format(number, values[1] / values[0], 3)
			: "");
	}
}

static const char *
words_text(struct arena *a, const struct setting *v)
{
	const char *text = v->n > 0 ? NULL : "(nothing)";

	for (size_t i = 0; i < v->n; i++)
		text = arena_join(a, text, " ", v->words[i].text);
	return text;
}

/* Add notes: what was not run and why, the device, the groups' settings that
 * differ from the plain ones (each note once), and the reasons in "why". */
static void
note_differences(
    const struct experiment *x, const struct result *r, struct table *t)
{
	/* Settings that change the presentation, not the measurement. */
	const uint64_t not_measured = 1ull << SWEEP_EXTRACT_OPTIONS |
	    1ull << SWEEP_TABLE | 1ull << SWEEP_REPORT_OPTIONS |
	    1ull << SWEEP_CHART | 1ull << SWEEP_PLOT_OPTIONS |
	    1ull << SWEEP_REFERENCE | 1ull << SWEEP_REFERENCE_CASE |
	    1ull << SWEEP_COMPARE | 1ull << SWEEP_WHY | 1ull << SWEEP_TIMEOUT |
	    1ull << SWEEP_PREPARE;
	const struct sweep *s = &x->sweep;
	const struct setting *why = &s->groups[0].set[SWEEP_WHY];
	const char *of_logs = NULL;

	for (size_t i = 0; i < x->plan.n_left_out; i++)
		table_note(t, "excluded: %s %ldn%ldg: %s",
		    x->plan.left_out[i].run.name, x->plan.left_out[i].run.nodes,
		    x->plan.left_out[i].run.devices, x->plan.left_out[i].why);
	for (size_t i = 0; i < r->n_cases && of_logs == NULL; i++)
		of_logs = result_case_device(&r->cases[i]);
	if (of_logs != NULL)
		table_note(t, "device here: %s", of_logs);
	for (size_t i = 0; i < s->n_groups; i++)
		for (int key = 0; key < SWEEP_KEYS; key++) {
			const struct group *g = &s->groups[i];
			const char *own = words_text(&t->arena, &g->set[key]);
			const char *plain =
			    words_text(&t->arena, &g->plain[key]);
			const char *note = arena_printf(&t->arena,
			    "differs, %s: %s instead of %s",
			    sweep_rows[key].name, own, plain);
			int skipped = strcmp(own, plain) == 0 ||
			    (not_measured >> key & 1) != 0;

			for (size_t k = 0; k < t->n_notes; k++)
				skipped |= strcmp(t->notes[k], note) == 0;
			if (!skipped)
				table_note(t, "%s", note);
		}
	for (size_t i = 0; i < why->n; i++)
		table_note(t, "why: %s", why->words[i].text);
}

/* Compare each cell of the reference values with its counterpart here, by
 * ratio, since the hardware differs. The table goes to NAME_published.md and as
 * text to stdout. Without reference values, a note says so; the differences
 * from the experiment's own plain settings are noted in any case. */
static int
write_comparison(struct experiment *x, struct error *e)
{
	static const char *const columns[] = { "published case", "case here",
		"quantity", "published", "here", "here / published" };
	const struct setting *s = &x->sweep.groups[0].set[SWEEP_REFERENCE];
	const char *path =
	    arena_printf(&x->arena, "%s/%s_published.md", output_dir, x->name);
	const char *slash = strrchr(x->path, '/');
	char *operands[] = { x->result, NULL };
	struct result_set set = RESULT_SET_INIT;
	struct table t = TABLE_INIT;
	struct outfile o;
	int rc;

	/* A relative path is relative to the experiment file's folder. */
	if (s->n > 0)
		operands[1] = slash == NULL || s->words[0].text[0] == '/'
		    ? arena_strdup(&x->arena, s->words[0].text)
		    : arena_printf(&x->arena, "%.*s/%s", (int)(slash - x->path),
			  x->path, s->words[0].text);
	rc = result_set_read(&set, operands, 1 + (s->n > 0), e);
	if (rc == 0) {
		for (size_t i = 0; i < 6; i++)
			table_column(&t, columns[i], NULL,
			    i < 3       ? TABLE_LEFT
				: i < 5 ? TABLE_RIGHT
					: TABLE_DECIMAL);
		for (size_t i = 0; s->n > 0 && i < set.items[1].result.n_cases;
		     i++) {
			const struct result *const r[] = { &set.items[1].result,
				&set.items[0].result };
			const struct result_case *const c[] = { &r[0]->cases[i],
				find_here(&x->sweep, r[1], &r[0]->cases[i]) };

			if (c[1] != NULL)
				add_rows(x, r, c, &t);
		}
		if (s->n == 0)
			table_note(&t, "no report has published values for it");
		note_differences(x, &set.items[0].result, &t);
		putchar('\n');
		table_write(&t, 1, &table_text, TABLE_COLOUR_OFF, stdout);
		rc = outfile_open(&o, path, e);
	}
	if (rc == 0) {
		table_write(&t, 1, &table_markdown, TABLE_COLOUR_OFF, o.f);
		rc = outfile_commit(&o, e);
	}
	if (rc == 0)
		printf("%s\n", path);
	table_release(&t);
	result_set_release(&set);
	return rc;
}

/* --- The whole ------------------------------------------------------------ */

static int
run_plan(struct experiment *x, struct error *e)
{
	const struct setting *compared = &x->sweep.groups[0].set[SWEEP_COMPARE];
	const struct runner r = { .plan = &x->plan,
		.log_dir = x->log_dir,
		.mpirun = x->site.mpirun,
		.command = command,
		.program = program.name };
	long left;

	/* Print one line per group and reason. */
	for (size_t i = 0; i < x->plan.n_left_out; i++) {
		const struct left_out *l = &x->plan.left_out[i];

		if (i == 0 || l[-1].run.group != l->run.group ||
		    strcmp(l[-1].why, l->why) != 0)
			fprintf(stderr, "%s: %s: %s %ldn%ldg: %s\n",
			    program.name,
			    message(MESSAGE_EXCLUDED, language_find(NULL)),
			    l->run.name, l->run.nodes, l->run.devices, l->why);
	}
	if (dry_run) {
		runner_show(&x->plan, x->log_dir);
		return 0;
	}
	for (size_t i = 0; i < compared->n; i++)
		if (compared_find(compared->words[i].text) == N_COMPARED)
			return sweep_error(&x->sweep, &compared->words[i], e,
			    "compare: '%s' is neither a quantity of reference "
			    "values nor speed, speedup, cost or allreduces",
			    compared->words[i].text);
	if (!report_only) {
		if (data == NULL && prepare(x, e) != 0)
			return -1;
		if (runner_run(&r, &left, e) != 0 && e->code == ERROR_NONE)
			error_set(e, ERROR_SYSTEM, "a run failed");
		if (e->code != ERROR_NONE)
			return -1;
	}
	return evaluate(x, e) != 0 ? -1 : write_comparison(x, e);
}

static int
run_file(struct experiment *x, struct error *e)
{
	const int on_cpu = strcmp(device, "cpu") == 0;
	unsigned conditions = quick ? SWEEP_QUICK : 0;
	int rc;

	job_signals_init();
	site_init(&x->site, dry_run || report_only);
	x->site.leaves_out = 1;
	if (on_cpu)
		x->site.gpus = 0;
	if (strcmp(device, "auto") == 0)
		conditions |= site_conditions(&x->site);
	else if (on_cpu)
		conditions |= SWEEP_ON_CPU;
	x->site.data = x->data;
	x->site.log_dir = x->log_dir;
	rc = sweep_read(x->path, (const char *const *)sets.items, sets.n,
	    conditions, &x->sweep, e);
	if (rc == 0) {
		rc = plan_make(&x->sweep, &x->site, only, 0, &x->plan, e);
		if (rc == 0)
			rc = run_plan(x, e);
		plan_release(&x->plan);
		sweep_release(&x->sweep);
	}
	site_release(&x->site);
	return rc;
}

static int
run_experiment(char **operands, size_t n, struct error *e)
{
	struct experiment x = { .path = NULL };
	struct arena *a = &x.arena;
	char *found = NULL;
	int rc = -1;

	if (!list &&
	    options_check_operands(operands, n, 1, "the experiment", e) != 0)
		return -1;
	if (list) {
		rc = print_experiments(a, e);
	} else if (strchr(operands[0], '/') != NULL ||
	    stem_length(operands[0]) > 0) {
		x.path = operands[0];
	} else {
		found = install_path_find("experiments",
		    arena_printf(a, "%s%s", operands[0], ending), e);
		x.path = found;
		if (found == NULL)
			error_set(e, ERROR_USAGE,
			    "unknown experiment '%s'; --list lists all",
			    operands[0]);
	}
	if (x.path != NULL) {
		const char *slash = strrchr(x.path, '/');
		const char *base = slash != NULL ? slash + 1 : x.path;
		const size_t stem = stem_length(base);

		x.name = arena_printf(a, "%.*s%s",
		    (int)(stem > 0 ? stem : strlen(base)), base,
		    quick ? "-quick" : "");
		x.log_dir = arena_printf(a, "%s/%s", log_dir, x.name);
		x.result =
		    arena_printf(a, "%s/%s_result.json", output_dir, x.name);
		x.data = data != NULL ? data
				      : arena_printf(a, "%s.images", x.log_dir);
		rc = run_file(&x, e);
	}
	free(found);
	arena_release(a);
	return rc;
}

int
main(int argc, char **argv)
{
	int status;

	command = command_line_text(program.name, argc, argv);
	status = program_main(&program, argc, argv, run_experiment);
	free(command);
	return status;
}
