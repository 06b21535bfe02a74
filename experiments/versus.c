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
#include "common/result/result.h"
#include "common/series/result_set.h"
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

/* Quantities of "compare": those of runs, and these. */
enum {
	COMPARED_SPEED = N_QUANTITIES,
	COMPARED_SPEEDUP,
	COMPARED_COST, /* T of n devices over n times T of one, of steps */
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
	const enum quantity q = quantity_find(name, strlen(name));

	for (int i = 0; i < N_COMPARED - N_QUANTITIES; i++)
		if (strcmp(names[i], name) == 0)
			return N_QUANTITIES + i;
	return q < N_QUANTITIES ? (int)q : N_COMPARED;
}

/* NAN: unknown.
 *
 * one  the case on one device, or NULL */
static double
value_of_case(
    int quantity, const struct result_case *c, const struct result_case *one)
{
	const int is_alone = one == NULL || one == c;

	switch (quantity) {
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
	default:
		return quantity_of_case(c, (enum quantity)quantity);
	}
}

static int
is_rate(int quantity)
{
	return quantity < N_QUANTITIES && quantity_rows[quantity].is_rate;
}

static void
put_value(struct table *t, int quantity, const struct result_case *c, double x)
{
	char buf[QUANTITY_TEXT_SIZE], number[UNITS_TEXT_SIZE];

	if (quantity == COMPARED_SPEED)
		table_cellf(t, "%s %s", number_format(number, x, 4),
		    c->unit != NULL ? c->unit : "");
	else if (quantity == COMPARED_SPEEDUP ||
	    quantity == COMPARED_ALLREDUCES)
		table_cell(t, number_format(number, x, 4));
	else if (quantity == COMPARED_COST)
		table_cell(t, percent_format(number, x, 0));
	else
		table_cell(t,
		    is_rate(quantity) ? quantity_bit_rate(buf, x)
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

static int
is_count(const struct word *w, long count)
{
	long x;

	return parse_long(w->text, 1, SWEEP_MAX_COUNT, &x) == 0 && x == count;
}

/* Position of a published model, else count, in the experiment's list; n of the
 * list: not there; 0 for an unknown value. */
static size_t
place_of(const struct setting *v, const char *model, long count)
{
	size_t i = 0;

	if (model == NULL && count == RESULT_UNKNOWN)
		return 0;
	while (i < v->n &&
	    !(model != NULL ? same_model(v->words[i].text, model)
			    : is_count(&v->words[i], count)))
		i++;
	return i;
}

/* True if the published case has exactly the labels "KEY=VALUE" of the group; a
 * framework counts as one. */
static int
has_labels_of(const struct result_case *c, const struct group *g)
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

/* True if the topology of a case is one of the group's. */
static int
has_topology(const struct setting *set, const struct result_case *c)
{
	long nodes, devices;

	for (size_t i = 0; i < set[SWEEP_TOPOLOGY].n; i++)
		if (topology_parse(set[SWEEP_TOPOLOGY].words[i].text, &nodes,
			&devices) == 0 &&
		    nodes == c->nodes && nodes * devices == c->gpus)
			return 1;
	for (size_t i = 0; i < set[SWEEP_DEVICES].n && c->nodes == 1; i++)
		if (is_count(&set[SWEEP_DEVICES].words[i], c->gpus))
			return 1;
	return 0;
}

/* Our case of a group with these settings, whose logs are in the group's
 * folder. */
static const struct result_case *
find_here(const struct result *r, const struct group *g,
    const struct word *model, const struct word *batch,
    const struct result_case *like)
{
	const char *name = g->set[SWEEP_NAME].words[0].text;
	const size_t n = strlen(name);

	for (size_t i = 0; i < r->n_cases; i++) {
		const struct result_case *c = &r->cases[i];
		const char *path = c->n_runs > 0 ? c->runs[0].path : NULL;

		if (path != NULL && strncmp(path, name, n) == 0 &&
		    path[n] == '/' && c->nodes == like->nodes &&
		    c->gpus == like->gpus && c->model != NULL &&
		    strcmp(c->model, model->text) == 0 &&
		    is_count(batch, c->batch_size_per_device))
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
		const struct setting *models = &g->set[SWEEP_MODEL];
		const struct setting *batches = &g->set[SWEEP_BATCH];
		const size_t model =
		    place_of(&g->plain[SWEEP_MODEL], c->model, RESULT_UNKNOWN);
		const size_t batch = place_of(
		    &g->plain[SWEEP_BATCH], NULL, c->batch_size_per_device);

		if ((c->model != NULL && model == g->plain[SWEEP_MODEL].n) ||
		    (c->batch_size_per_device != RESULT_UNKNOWN &&
			batch == g->plain[SWEEP_BATCH].n) ||
		    !has_labels_of(c, g) || !has_topology(g->plain, c))
			continue;
		p->group = g;
		if (model < models->n && batch < batches->n)
			p->here = find_here(r, g, &models->words[model],
			    &batches->words[batch], c);
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
	const char *text = c->model;

	if (c->batch_size_per_device != RESULT_UNKNOWN)
		text = arena_join(a, text, ", ",
		    arena_printf(a, "batch %ld", c->batch_size_per_device));
	text = arena_join(a, text, ", ", c->name);
	for (size_t i = 0; i < c->n_labels; i++)
		text = arena_join(a, text, ", ", c->labels[i].value);
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
	const int quantity = compared_find(name);
	double published, here;

	find_bases(all, p, &first, &single);
	published = value_of_case(
	    quantity, p->published, single != NULL ? single->published : NULL);
	here = value_of_case(
	    quantity, p->here, single != NULL ? single->here : NULL);
	if (!isfinite(published) || !isfinite(here))
		return;
	table_row(t);
	table_cell(t, case_text(&t->arena, p->published));
	table_cell(t, case_text(&t->arena, p->here));
	table_cell(t, name);
	put_value(t, quantity, p->published, published);
	put_value(t, quantity, p->here, here);
	put_ratio(t, here / published);
	if (is_rate(quantity))
		return; /* one device has no communication */
	put_ratio(
	    t, published / value_of_case(quantity, first->published, NULL));
	put_ratio(t, here / value_of_case(quantity, first->here, NULL));
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

static const char *
words_text(struct arena *a, const struct setting *v)
{
	const char *text = v->n > 0 ? NULL : "(nothing)";

	for (size_t i = 0; i < v->n; i++)
		text = arena_join(a, text, " ", v->words[i].text);
	return text;
}

/* Settings that change the presentation, not the measurement. */
static const enum sweep_key not_measured[] = { SWEEP_EXTRACT_OPTIONS,
	SWEEP_TABLE, SWEEP_REPORT_OPTIONS, SWEEP_CHART, SWEEP_PLOT_OPTIONS,
	SWEEP_REFERENCE, SWEEP_REFERENCE_CASE, SWEEP_COMPARE, SWEEP_WHY,
	SWEEP_TIMEOUT, SWEEP_PREPARE };

/* Note the settings of groups that differ from the plain ones, each note
 * once. */
static void
note_settings(const struct sweep *s, struct table *t)
{
	for (size_t i = 0; i < s->n_groups; i++)
		for (int key = 0; key < SWEEP_KEYS; key++) {
			const struct group *g = &s->groups[i];
			const char *own = words_text(&t->arena, &g->set[key]);
			const char *plain =
			    words_text(&t->arena, &g->plain[key]);
			const char *note = arena_printf(&t->arena,
			    "differs, %s: %s instead of %s",
			    sweep_rows[key].name, own, plain);
			int skipped = strcmp(own, plain) == 0;

			for (size_t k = 0;
			     k < sizeof not_measured / sizeof not_measured[0];
			     k++)
				skipped |= key == (int)not_measured[k];
			for (size_t k = 0; k < t->n_notes; k++)
				skipped |= strcmp(t->notes[k], note) == 0;
			if (!skipped)
				table_note(t, "%s", note);
		}
}

static void
note_differences(const struct experiment *x, const struct counterparts *all,
    const struct result *r, struct table *t)
{
	const struct setting *why = &x->sweep.groups[0].set[SWEEP_WHY];
	const char *device = NULL;

	for (size_t i = 0; i < all->n; i++)
		if (all->items[i].here == NULL)
			table_note(t, "not run: %s",
			    case_text(&t->arena, all->items[i].published));
	for (size_t i = 0; i < x->plan.n_left_out; i++)
		table_note(t, "excluded: %s %ldn%ldg: %s",
		    x->plan.left_out[i].run.name, x->plan.left_out[i].run.nodes,
		    x->plan.left_out[i].run.devices, x->plan.left_out[i].why);
	for (size_t i = 0; i < r->n_cases && device == NULL; i++)
		device = result_case_device(&r->cases[i]);
	if (device != NULL)
		table_note(t, "device here: %s", device);
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
		table_write(t, 1, format, TABLE_COLOUR_OFF, f);
}

int
versus_check(const struct sweep *s, struct error *e)
{
	const struct setting *names = &s->groups[0].set[SWEEP_COMPARE];

	for (size_t i = 0; i < names->n; i++)
		if (compared_find(names->words[i].text) == N_COMPARED)
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
	char *operands[2] = { x->result,
		reference != NULL ? xstrdup(reference) : NULL };
	struct result_set set = RESULT_SET_INIT;
	struct counterparts all = { NULL, 0 };
	struct arena a = ARENA_INIT;
	struct outfile o;
	struct table t = TABLE_INIT;
	int rc;

	rc = result_set_read(&set, operands, reference != NULL ? 2 : 1, e);
	if (rc == 0) {
		const struct result *here = &set.items[0].result;
		const struct result *published =
		    reference != NULL ? &set.items[1].result : NULL;
		const size_t n = published != NULL ? published->n_cases : 0;

		all.items = arena_calloc(&a, n + 1, sizeof *all.items);
		for (size_t i = 0; i < n; i++) {
			struct counterpart *p = &all.items[all.n];

			p->published = &published->cases[i];
			find_counterpart(&x->sweep, here, p);
			/* Skip cases that no group repeats. */
			all.n += p->group != NULL;
		}
		add_rows(x, &all, &t);
		if (reference == NULL)
			table_note(&t, "no report has published values for it");
		note_differences(x, &all, here, &t);
		putchar('\n');
		write_table(&t, &table_text, stdout);
		rc = outfile_open(&o, path, e);
	}
	if (rc == 0) {
		write_table(&t, &table_markdown, o.f);
		rc = outfile_commit(&o, e);
	}
	if (rc == 0)
		printf("%s\n", path);
	table_release(&t);
	result_set_release(&set);
	arena_release(&a);
	free(operands[1]);
	return rc;
}
