/* Comparison with reference values. The experiment's file maps cases: models
 * and batch sizes by their position in the list, topologies by name, groups by
 * the labels of "reference-case". */
#include <config.h>

#include "experiments/experiment.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/alloc.h"
#include "common/arena.h"
#include "common/files/outfile.h"
#include "common/result/collective_groups.h"
#include "common/series/quantity.h"
#include "common/series/result_set.h"
#include "common/strbuf.h"
#include "common/table/table.h"
#include "common/text.h"
#include "common/units/units.h"
#include "trainer/launch/sweep.h"

/* A published case and its repetition here. */
struct counterpart {
	const struct result_case *published, *here; /* here NULL: not run */
	const struct group *group;                  /* NULL: not repeated */
};

struct counterparts {
	struct counterpart *items;
	size_t n;
};

/* --- Quantities ----------------------------------------------------------- */

/* Number and total time of the allreduces of a mean step: the log's own means,
 * else from a table by size that states its steps. */
static double
per_step(const struct result_case *c, int seconds)
{
	struct collective_bin bins[SIZE_BINS];
	const double steps = quantity_of_case(c, QUANTITY_REAL) /
	    quantity_of_case(c, QUANTITY_STEP);
	double sum = 0;
	size_t n_runs, n = collective_groups_by_size(c, bins, &n_runs);

	if (n_runs > 0 && c->n_runs > 0 &&
	    isfinite(c->runs[0].phases.allreduces))
		return seconds ? quantity_of_case(c, QUANTITY_BUSY)
			       : c->runs[0].phases.allreduces;
	for (size_t i = 0; i < n; i++)
		sum += seconds ? bins[i].seconds : bins[i].count;
	return n > 0 ? sum / steps : NAN;
}

/* Quantities of "compare" that are not members of a case. */
enum compared {
	COMPARED_SPEED,
	COMPARED_SPEEDUP,
	COMPARED_COST, /* T of n devices over n times T of one, of steps */
	COMPARED_ALLREDUCES,
	COMPARED_BUSY,
	N_COMPARED
};

static const char *const compared[N_COMPARED] = { "speed", "speedup", "cost",
	"allreduces", "busy" };

/* Its number, or N_COMPARED. */
static enum compared
compared_find(const char *name)
{
	int i = 0;

	while (i < N_COMPARED && strcmp(compared[i], name) != 0)
		i++;
	return (enum compared)i;
}

/* NAN: unknown.
 *
 * one  the case on one device, or NULL */
static double
value_of_case(const char *name, const struct result_case *c,
    const struct result_case *one)
{
	const enum quantity q = quantity_find(name, strlen(name));
	const int is_alone = one == NULL || one == c;

	switch (compared_find(name)) {
	case COMPARED_SPEED:
		return c->median_speed;
	case COMPARED_SPEEDUP:
		return is_alone ? NAN : c->median_speed / one->median_speed;
	case COMPARED_COST:
		return is_alone ? NAN
				: quantity_of_case(c, QUANTITY_STEP) /
			(double)c->gpus * (double)one->gpus /
			quantity_of_case(one, QUANTITY_STEP);
	case COMPARED_ALLREDUCES:
		return per_step(c, 0);
	case COMPARED_BUSY:
		return per_step(c, 1);
	case N_COMPARED:
		break;
	}
	return q < N_QUANTITIES ? quantity_of_case(c, q) : NAN;
}

static int
is_rate(const char *name)
{
	const enum quantity q = quantity_find(name, strlen(name));

	return q < N_QUANTITIES && quantity_rows[q].is_rate;
}

static const char *
value_text(
    struct arena *a, const char *name, const struct result_case *c, double x)
{
	char buf[QUANTITY_TEXT_SIZE], number[UNITS_TEXT_SIZE];

	switch (compared_find(name)) {
	case COMPARED_SPEED:
		return arena_printf(a, "%s %s", number_format(number, x, 4),
		    c->unit != NULL ? c->unit : "");
	case COMPARED_SPEEDUP:
	case COMPARED_ALLREDUCES:
		return arena_strdup(a, number_format(number, x, 4));
	case COMPARED_COST:
		return arena_strdup(a, percent_format(number, x, 0));
	case COMPARED_BUSY:
	case N_COMPARED:
		break;
	}
	return arena_strdup(a,
	    is_rate(name) ? quantity_bit_rate(buf, x)
			  : seconds_format(number, x));
}

/* --- Which case is which -------------------------------------------------- */

/* Compare names by letters and digits up to the shorter one: "ResNet50 V1.5"
 * equals "resnet50". */
static int
same_model(const char *a, const char *b)
{
	for (;;) {
		while (*a != '\0' && !isalnum((unsigned char)*a))
			a++;
		while (*b != '\0' && !isalnum((unsigned char)*b))
			b++;
		if (*a == '\0' || *b == '\0')
			return 1;
		if (tolower((unsigned char)*a++) !=
		    tolower((unsigned char)*b++))
			return 0;
	}
}

/* Position of a published value in the experiment's list, or -1; 0 for an
 * unknown value. */
static long
place_of_model(const struct group *g, const char *model)
{
	const struct setting *v = &g->plain[SWEEP_MODEL];

	if (model == NULL)
		return 0;
	for (size_t i = 0; i < v->n; i++)
		if (same_model(v->words[i].text, model))
			return (long)i;
	return -1;
}

static long
place_of_batch(const struct group *g, long batch)
{
	const struct setting *v = &g->plain[SWEEP_BATCH];
	long x;

	if (batch == RESULT_UNKNOWN)
		return 0;
	for (size_t i = 0; i < v->n; i++)
		if (parse_long(v->words[i].text, 1, SWEEP_MAX_COUNT, &x) == 0 &&
		    x == batch)
			return (long)i;
	return -1;
}

/* True if the case has the label "KEY=VALUE"; a framework counts as one. */
static int
has_label(const struct result_case *c, const char *label)
{
	const size_t n = strcspn(label, "=");
	const char *value = label + n + 1;

	if (n == 9 && strncmp(label, "framework", n) == 0)
		return c->framework != NULL &&
		    strcasecmp(c->framework, value) == 0;
	for (size_t i = 0; i < c->n_labels; i++)
		if (strlen(c->labels[i].key) == n &&
		    strncmp(c->labels[i].key, label, n) == 0)
			return strcasecmp(c->labels[i].value, value) == 0;
	return 0;
}

/* True if the published case has exactly the labels of the group. */
static int
has_labels_of(const struct result_case *c, const struct group *g)
{
	const struct setting *v = &g->set[SWEEP_REFERENCE_CASE];
	size_t n_labels = 0;

	for (size_t i = 0; i < v->n; i++) {
		if (!has_label(c, v->words[i].text))
			return 0;
		n_labels += strncmp(v->words[i].text, "framework=", 10) != 0;
	}
	return n_labels == c->n_labels;
}

/* True if the topology of a case is one of the group's. */
static int
has_topology(const struct setting *set, const struct result_case *c)
{
	long nodes, devices, x;

	for (size_t i = 0; i < set[SWEEP_TOPOLOGY].n; i++)
		if (topology_parse(set[SWEEP_TOPOLOGY].words[i].text, &nodes,
			&devices) == 0 &&
		    nodes == c->nodes && nodes * devices == c->gpus)
			return 1;
	for (size_t i = 0; i < set[SWEEP_DEVICES].n; i++)
		if (parse_long(set[SWEEP_DEVICES].words[i].text, 1,
			SWEEP_MAX_COUNT, &x) == 0 &&
		    c->nodes == 1 && x == c->gpus)
			return 1;
	return 0;
}

/* Our case of a group with these settings, whose logs are in the group's
 * folder. */
static const struct result_case *
find_here(const struct result *r, const struct group *g, const char *model,
    long batch, const struct result_case *like)
{
	const char *name = g->set[SWEEP_NAME].words[0].text;
	const size_t n = strlen(name);

	for (size_t i = 0; i < r->n_cases; i++) {
		const struct result_case *c = &r->cases[i];
		const char *path = c->n_runs > 0 ? c->runs[0].path : NULL;

		if (path != NULL && strncmp(path, name, n) == 0 &&
		    path[n] == '/' && c->nodes == like->nodes &&
		    c->gpus == like->gpus && c->model != NULL &&
		    strcmp(c->model, model) == 0 &&
		    c->batch_size_per_device == batch)
			return c;
	}
	return NULL;
}

static void
find_counterpart(
    const struct sweep *s, const struct result *r, struct counterpart *p)
{
	const struct result_case *c = p->published;

	for (size_t i = 0; i < s->n_groups && p->here == NULL; i++) {
		const struct group *g = &s->groups[i];
		const long model = place_of_model(g, c->model);
		const long batch = place_of_batch(g, c->batch_size_per_device);
		long size;

		if (model < 0 || batch < 0 || !has_labels_of(c, g) ||
		    !has_topology(g->plain, c))
			continue;
		p->group = g;
		if ((size_t)model < g->set[SWEEP_MODEL].n &&
		    (size_t)batch < g->set[SWEEP_BATCH].n &&
		    parse_long(g->set[SWEEP_BATCH].words[batch].text, 1,
			SWEEP_MAX_COUNT, &size) == 0)
			p->here = find_here(r, g,
			    g->set[SWEEP_MODEL].words[model].text, size, c);
	}
}

/* Find the cases run here of the network and batch of p: the first one, on
 * which ratios stand, and the one on one device, of the same labels if there is
 * one; NULL: there is none. */
static void
find_bases(const struct counterparts *all, const struct counterpart *p,
    const struct counterpart **first, const struct counterpart **single)
{
	*first = *single = NULL;
	for (size_t i = 0; i < all->n; i++) {
		const struct counterpart *q = &all->items[i];

		if (q->here == NULL ||
		    !text_same(q->published->model, p->published->model) ||
		    q->published->batch_size_per_device !=
			p->published->batch_size_per_device)
			continue;
		if (*first == NULL)
			*first = q;
		if (q->published->gpus == 1 &&
		    (*single == NULL ||
			(q->group == p->group && (*single)->group != p->group)))
			*single = q;
	}
}

/* --- The table ------------------------------------------------------------ */

static const char *
case_text(struct arena *a, const struct result_case *c)
{
	struct strbuf sb;
	const char *text;

	strbuf_init(&sb, 1 << 16);
	if (c->model != NULL)
		strbuf_printf(&sb, "%s, ", c->model);
	if (c->batch_size_per_device != RESULT_UNKNOWN)
		strbuf_printf(&sb, "batch %ld, ", c->batch_size_per_device);
	strbuf_addstr(&sb, c->name);
	for (size_t i = 0; i < c->n_labels; i++)
		strbuf_printf(&sb, ", %s", c->labels[i].value);
	text = arena_strdup(a, sb.buf);
	strbuf_release(&sb);
	return text;
}

static void
put_ratio(struct table *t, double x)
{
	char buf[UNITS_TEXT_SIZE];

	table_cell(t, isfinite(x) ? number_format(buf, x, 3) : "");
}

/* A row: published and measured values, both also relative to their first. */
static void
add_row(struct table *t, const struct counterparts *all,
    const struct counterpart *p, const char *name)
{
	const struct counterpart *first, *single;
	double published, here;

	find_bases(all, p, &first, &single);
	published = value_of_case(
	    name, p->published, single != NULL ? single->published : NULL);
	here =
	    value_of_case(name, p->here, single != NULL ? single->here : NULL);
	if (!isfinite(published) || !isfinite(here))
		return;
	table_row(t);
	table_cell(t, case_text(&t->arena, p->published));
	table_cell(t, case_text(&t->arena, p->here));
	table_cell(t, name);
	table_cell(t, value_text(&t->arena, name, p->published, published));
	table_cell(t, value_text(&t->arena, name, p->here, here));
	put_ratio(t, here / published);
	if (is_rate(name))
		return; /* one device has no communication */
	put_ratio(t, published / value_of_case(name, first->published, NULL));
	put_ratio(t, here / value_of_case(name, first->here, NULL));
}

static void
add_rows(
    const struct experiment *x, const struct counterparts *all, struct table *t)
{
	static const char *const columns[] = { "published case", "case here",
		"quantity", "published", "here", "here / published",
		"published / its first", "here / its first" };
	const struct setting *names = &x->sweep.groups[0].set[SWEEP_COMPARE];

	table_title(t, "next to the published values");
	for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
		table_column(t, columns[i], NULL,
		    i < 3       ? TABLE_LEFT
			: i < 5 ? TABLE_RIGHT
				: TABLE_DECIMAL);
	for (size_t i = 0; i < all->n; i++) {
		if (all->items[i].here == NULL)
			continue;
		table_group(t, NULL);
		for (size_t k = 0; k < names->n; k++)
			add_row(t, all, &all->items[i], names->words[k].text);
	}
}

/* --- What differs --------------------------------------------------------- */

static void
put_words(struct strbuf *sb, const struct setting *v)
{
	for (size_t i = 0; i < v->n; i++)
		strbuf_printf(sb, "%s%s", i > 0 ? " " : "", v->words[i].text);
	if (v->n == 0)
		strbuf_addstr(sb, "(nothing)");
}

static int
same_setting(const struct setting *a, const struct setting *b)
{
	if (a->n != b->n)
		return 0;
	for (size_t i = 0; i < a->n; i++)
		if (strcmp(a->words[i].text, b->words[i].text) != 0)
			return 0;
	return 1;
}

/* Settings that change the measurement, not its presentation. */
static int
is_measured(enum sweep_key key)
{
	switch (key) {
	case SWEEP_EXTRACT_OPTIONS:
	case SWEEP_TABLE:
	case SWEEP_REPORT_OPTIONS:
	case SWEEP_CHART:
	case SWEEP_PLOT_OPTIONS:
	case SWEEP_REFERENCE:
	case SWEEP_REFERENCE_CASE:
	case SWEEP_COMPARE:
	case SWEEP_WHY:
	case SWEEP_TIMEOUT:
	case SWEEP_PREPARE:
		return 0;
	default:
		return 1;
	}
}

/* True if an earlier group has the same note. */
static int
said_before(const struct sweep *s, size_t group, int key)
{
	const struct group *g = &s->groups[group];

	for (size_t i = 0; i < group; i++)
		if (same_setting(&s->groups[i].set[key], &g->set[key]) &&
		    same_setting(&s->groups[i].plain[key], &g->plain[key]))
			return 1;
	return 0;
}

static void
note_settings(const struct sweep *s, struct table *t)
{
	struct strbuf sb;

	strbuf_init(&sb, 1 << 20);
	for (size_t i = 0; i < s->n_groups; i++)
		for (int key = 0; key < SWEEP_KEYS; key++) {
			const struct group *g = &s->groups[i];

			if (!is_measured((enum sweep_key)key) ||
			    same_setting(&g->set[key], &g->plain[key]) ||
			    said_before(s, i, key))
				continue;
			strbuf_reset(&sb);
			put_words(&sb, &g->set[key]);
			strbuf_addstr(&sb, " instead of ");
			put_words(&sb, &g->plain[key]);
			table_note(
			    t, "differs, %s: %s", sweep_rows[key].name, sb.buf);
		}
	strbuf_release(&sb);
}

static void
note_differences(const struct experiment *x, const struct counterparts *all,
    const struct result *r, struct table *t)
{
	const struct setting *why = &x->sweep.groups[0].set[SWEEP_WHY];

	for (size_t i = 0; i < all->n; i++)
		if (all->items[i].here == NULL)
			table_note(t, "not run: %s",
			    case_text(&t->arena, all->items[i].published));
	for (size_t i = 0; i < x->plan.n_left_out; i++)
		table_note(t, "excluded: %s %ldn%ldg: %s",
		    x->plan.left_out[i].run.name, x->plan.left_out[i].run.nodes,
		    x->plan.left_out[i].run.devices, x->plan.left_out[i].why);
	for (size_t i = 0; i < r->n_cases; i++) {
		const char *device = result_case_device(&r->cases[i]);

		if (device == NULL)
			continue;
		table_note(t, "device here: %s", device);
		break;
	}
	note_settings(&x->sweep, t);
	for (size_t i = 0; i < why->n; i++)
		table_note(t, "why: %s", why->words[i].text);
}

/* --- The whole ------------------------------------------------------------ */

/* Without rows, only the notes are written. */
static void
write_table(const struct table *t, const struct table_format *format, FILE *f)
{
	for (size_t i = 0; i < t->n_notes && t->n_rows == 0; i++)
		fprintf(f, "%s%s\n", format == &table_markdown ? "- " : "",
		    t->notes[i]);
	if (t->n_rows > 0)
		table_write(t, format, TABLE_COLOUR_OFF, f);
}

static int
write_markdown(FILE *f, void *context, struct error *e)
{
	(void)e;
	write_table(context, &table_markdown, f);
	return 0;
}

static void
collect_rows(const struct experiment *x, const struct result_set *set,
    struct arena *a, struct counterparts *all)
{
	const struct result *published =
	    set->n > 1 ? &set->items[1].result : NULL;

	*all = (struct counterparts){ NULL, 0 };
	if (published == NULL)
		return;
	all->items =
	    arena_calloc(a, published->n_cases + 1, sizeof *all->items);
	for (size_t i = 0; i < published->n_cases; i++) {
		struct counterpart *p = &all->items[all->n];

		p->published = &published->cases[i];
		find_counterpart(&x->sweep, &set->items[0].result, p);
		/* Skip cases that no group repeats. */
		all->n += p->group != NULL;
	}
}

int
versus_check(const struct sweep *s, struct error *e)
{
	const struct setting *names = &s->groups[0].set[SWEEP_COMPARE];

	for (size_t i = 0; i < names->n; i++)
		if (compared_find(names->words[i].text) == N_COMPARED &&
		    quantity_find(names->words[i].text,
			strlen(names->words[i].text)) >= N_QUANTITIES)
			return sweep_error(s, &names->words[i], e,
			    "compare: '%s' is neither a quantity of reference "
			    "values nor speed, speedup, cost or allreduces",
			    names->words[i].text);
	return 0;
}

int
versus_write(const struct experiment *x, const char *reference,
    const char *path, struct error *e)
{
	char *operands[2] = { x->result, NULL };
	struct result_set set = RESULT_SET_INIT;
	struct counterparts all;
	struct arena a = ARENA_INIT;
	struct table t;
	int rc;

	if (reference != NULL)
		operands[1] = xstrdup(reference);
	rc = result_set_read(&set, operands, reference != NULL ? 2 : 1, e);
	if (rc == 0) {
		table_init(&t);
		collect_rows(x, &set, &a, &all);
		add_rows(x, &all, &t);
		if (reference == NULL)
			table_note(&t, "no report has published values for it");
		note_differences(x, &all, &set.items[0].result, &t);
		putchar('\n');
		write_table(&t, &table_text, stdout);
		rc = outfile_write(path, write_markdown, &t, e);
		table_release(&t);
	}
	if (rc == 0)
		printf("%s\n", path);
	result_set_release(&set);
	arena_release(&a);
	free(operands[1]);
	return rc;
}
