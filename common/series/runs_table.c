#include <config.h>

#include "common/series/runs_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/alloc.h"
#include "common/defaults.h"
#include "common/files/files.h"
#include "common/hash_index.h"
#include "common/result/record_fields.h"
#include "common/result/work_rate.h"
#include "common/series/result_set.h"
#include "common/text.h"
#include "common/units/units.h"

enum {
	MAX_FILE = 16 << 20,
	MAX_LOOKED_AT = 1000 /* rows that show whether it is a table of runs */
};
static const double max_count = 1e12;

/* Least ratio of a straggler's operation times to those of the others. */
#define LEAST_STRAGGLER 1.1

#define N_OF(a) (sizeof(a) / sizeof(a)[0])

struct runs_table_options runs_table_options;

/* Content of a row: what it states about its case, run and collective. */
struct row_content {
	struct result_case c;
	struct result_run run;
	struct result_collective collective;
	long gpu_count;    /* in total, or per node (gpus_of_node) */
	long global_batch; /* of all GPUs */
};

/* Unit of a value. */
struct value_unit {
	const char *name; /* NULL: unknown */
	double scale;     /* from the value to that unit */
	int per_gpu;      /* 1: "tokens/s/GPU" */
};

struct table_reader {
	const char *name;
	struct run_rows rows;
	const struct run_field **fields; /* [rows.n_heads]; NULL: ignored */
	struct value_unit unit;          /* stated by the value's head */
	int is_own;                      /* 1: the table of extract_logs */
	int is_measured;                 /* 1: has the column "measured";
					    unknown columns are then labels */
	int gpus_of_node;                /* 1: gpu_count is that of a node */
	struct hash_index cases;         /* of r */
	struct result *r;
	struct error *e;
};

/* --- fields --------------------------------------------------------------- */

#define CASE(member) PART_CASE, offsetof(struct result_case, member)
#define RUN(member) PART_RUN, offsetof(struct result_run, member)
#define RULE(member) PART_RULE, offsetof(struct result_rule, member)
#define OF_ROW(member) PART_ROW, offsetof(struct row_content, member)

const struct run_field run_fields[] = {
	{ "nodes", RUN_COUNT, CASE(nodes) },
	{ "gpus_per_node", RUN_COUNT, CASE(gpus_per_node) },
	{ "gpus", RUN_COUNT, CASE(gpus) },
	{ "case", RUN_WORD, CASE(name) },
	{ "run", RUN_WORD, RUN(run) },
	{ "unit", RUN_WORD, CASE(unit) },
	{ "value", RUN_NUMBER, RUN(value) },
	{ "value_low", RUN_NUMBER, RUN(rounding.low) },
	{ "value_high", RUN_NUMBER, RUN(rounding.high) },
	{ "samples_per_s", RUN_NUMBER, RUN(samples_per_s) },
	{ "step_s", RUN_NUMBER, RUN(step_s) },
	{ "iterations", RUN_COUNT, RUN(iterations) },
	{ "first_iteration", RUN_COUNT, RUN(first_iteration) },
	{ "last_iteration", RUN_COUNT, RUN(last_iteration) },
	{ "log", RUN_WORD, RUN(path) },
	{ "first_line", RUN_COUNT, RUN(first_line) },
	{ "last_line", RUN_COUNT, RUN(last_line) },
	{ "device", RUN_WORD, RUN(device) },
	{ "framework_version", RUN_WORD, RUN(framework_version) },
	{ "rule", RUN_WORD, CASE(rule) },
	{ "baseline", RUN_WORD, CASE(baseline) },
	{ "flags", RUN_FLAGS, PART_RUN, 0 },
	{ "flag_codes", RUN_FLAG_CODES, PART_RUN, 0 },
	{ "half_width", RUN_NUMBER, RUN(audit.half_width) },
	{ "score", RUN_WORD, CASE(score) },
	/* These restore the rule of the result. */
	{ "rule_skip_iterations", RUN_COUNT, RULE(skip_iterations) },
	{ "rule_warmup_batches", RUN_COUNT, RULE(warmup_batches) },
	{ "rule_train_batches", RUN_COUNT, RULE(train_batches) },
	{ "rule_from_iteration", RUN_COUNT, RULE(from_iteration) },
	{ "rule_epoch", RUN_WORD, RULE(epoch) },
	{ "rule_aggregate", RUN_WORD, RULE(aggregate) },
	{ "rule_metric", RUN_WORD, RULE(metric) },
	{ "rule_protocol", RUN_WORD, RULE(protocol) },
	{ "rule_baseline", RUN_WORD, RULE(baseline) },
	{ "rule_confidence", RUN_NUMBER, RULE(confidence) },
	{ "measured", RUN_IGNORED, PART_RUN, 0 },
	/* Fields of other tables, whose heads vary. */
	{ "framework", RUN_WORD, CASE(framework) },
	{ "model", RUN_WORD, CASE(model) },
	{ "precision", RUN_WORD, CASE(precision) },
	{ "batch_size_per_device", RUN_COUNT, CASE(batch_size_per_device) },
	{ "table", RUN_IGNORED, PART_RUN, 0 }, /* of JSON lines */
	{ "ignored", RUN_IGNORED, PART_RUN, 0 },
	{ "label", RUN_LABEL, PART_CASE, 0 },
	{ "gpu_count", RUN_COUNT, OF_ROW(gpu_count) },
	{ "gpu_factor", RUN_FACTOR, OF_ROW(gpu_count) },
	{ "batch_size", RUN_COUNT, OF_ROW(global_batch) },
	{ "collective", RUN_WORD, OF_ROW(collective.collective) },
	{ "collective_kind", RUN_WORD, OF_ROW(collective.kind) },
	{ "message_bytes", RUN_NUMBER, OF_ROW(collective.bytes) },
	{ "message_us", RUN_US, OF_ROW(collective.time_s) },
	{ "algorithm_gb_per_s", RUN_NUMBER,
	    OF_ROW(collective.algorithm_gb_per_s) },
	{ "bus_gb_per_s", RUN_NUMBER, OF_ROW(collective.bus_gb_per_s) },
	{ "fastest_us", RUN_US, OF_ROW(collective.iterations.fastest_s) },
	{ "p99_us", RUN_US, OF_ROW(collective.iterations.p99_s) },
	{ "slowest_us", RUN_US, OF_ROW(collective.iterations.slowest_s) },
	{ "slowest_process", RUN_COUNT,
	    OF_ROW(collective.iterations.slowest_process) },
	{ "slowest_ratio", RUN_NUMBER,
	    OF_ROW(collective.iterations.slowest_ratio) },
	{ NULL, RUN_IGNORED, PART_RUN, 0 },
};

const struct run_field *
run_field_find(const char *head)
{
	for (const struct run_field *f = run_fields; f->head != NULL; f++)
		if (strcmp(f->head, head) == 0)
			return f;
	return NULL;
}

/* --- heads ---------------------------------------------------------------- */

/* Words of heads. */
enum head_words {
	HEAD_IDENTITY, /* tells runs apart: job, host, hash */
	HEAD_TIME,
	HEAD_RUN,    /* number of a run */
	HEAD_STEP,   /* number of a step: the rows are not runs */
	HEAD_METRIC, /* name of the value of a row */
	HEAD_PARALLEL
};

/* True if a head is one of the words, ignoring case, '_', '-', '.' and
 * blanks. */
static int
head_is(const char *head, enum head_words words)
{
	static const char *const words_of[] = {
		[HEAD_IDENTITY] =
		    " job jobid jobname jobuuid slurmjobid id uuid runid "
		    "runuuid batchid jubewpid jubebenchmarkid host hostname "
		    "machinename node nodelist jobnodelist path file filename "
		    "url hash hashcode commit gitcommit sha user ",
		[HEAD_TIME] = " date datetime time timestamp started ended "
			      "start end starttime endtime ",
		[HEAD_RUN] = " run runnumber runindex repeat repetition rep "
			     "replica replicate trial attempt jubewpiteration ",
		[HEAD_STEP] = " step steps iter iteration iterations "
			      "globalstep epoch batchidx trainerglobalstep ",
		[HEAD_METRIC] = " metric name measure variable ",
		[HEAD_PARALLEL] =
		    " tp pp dp cp ep etp sp vp vpp fsdp fsdp2 hsdp ddp zero "
		    "zerostage tpsize ppsize dpsize cpsize epsize "
		    "tensorparallel pipelineparallel dataparallel "
		    "contextparallel expertparallel tensorparallelsize "
		    "pipelineparallelsize dataparallelsize "
		    "contextparallelsize expertparallelsize "
		    "tensormodelparallelsize pipelinemodelparallelsize "
		    "dataparallelshard dataparallelreplicate ",
	};
	char word[PUBLISHED_WORD_SIZE];

	return strstr(words_of[words],
		   published_word(head, strlen(head), word)) != NULL;
}

/* Remove a word from a text, but not from its start, if a blank, a bracket or
 * the end of the text follows it, ignoring case. Returns 1 if removed. */
static int
cut_ending(char *text, const char *word)
{
	const size_t len = strlen(word);
	char *at = strcasestr(text, word);

	if (at == NULL || at == text || strchr(" ([)]", at[len]) == NULL)
		return 0;
	memmove(at, at + len, strlen(at + len) + 1);
	return 1;
}

/* A head as published tables write it: "step_time_ms" as "step_time (ms)",
 * "tokens_per_second" as "tokens per second", without JUBE's "_avg".
 *
 * per_gpu  set to 1 for "tokens/s/GPU" */
static char *
published_head(struct arena *a, const char *head, int *per_gpu)
{
	static const char *const gpus[] = { "/gpu", "_per_gpu", " per gpu",
		"/device", "/chip" };
	char *text = arena_strdup(a, head), *unit, *at;

	*per_gpu = 0;
	if ((strstr(text, "/s") != NULL || strcasestr(text, "per") != NULL) &&
	    strcasestr(text, "batch") == NULL)
		for (size_t i = 0; i < N_OF(gpus); i++)
			*per_gpu |= cut_ending(text, gpus[i]);
	cut_ending(text, "_avg");
	at = strrchr(text, '_');
	if (strpbrk(text, "([") != NULL)
		return text;
	if (at != NULL && published_unit_find(at + 1, strlen(at + 1)) != NULL)
		return arena_printf(
		    a, "%.*s (%s)", (int)(at - text), text, at + 1);
	unit = arena_strdup(a, text);
	while ((at = strchr(unit, '_')) != NULL)
		*at = ' ';
	return published_unit_find(unit, strlen(unit)) != NULL ? unit : text;
}

/* Find the role of a column in a published table from its head, such as
 * "step_time_ms", or from a unit, such as "img/s" or "ns/op".
 *
 * unit  set to the unit of its values */
static enum published_role
role_of_head(struct arena *a, const char *head, struct value_unit *unit)
{
	struct published_column c;
	char *plain = published_head(a, head, &unit->per_gpu);
	const struct published_unit *u;

	cut_ending(plain, "/op");
	published_head_read(a, plain, &c);
	if (!c.known || head_is(head, HEAD_PARALLEL))
		c.role = PUBLISHED_LABEL;
	u = published_unit_find(plain, strlen(plain));
	u = u != NULL ? u : c.unit;
	unit->scale = u != NULL ? u->scale : 1;
	if (u == NULL) {
		unit->name = c.role == PUBLISHED_RATE ? "samples/s" : NULL;
	} else if (u->measure == PUBLISHED_BITS_PER_SECOND) {
		unit->name = "GB/s";
		unit->scale /= 8e9;
	} else if (u->measure != PUBLISHED_SECONDS) {
		unit->name = u->rate != NULL ? u->rate : u->name;
		unit->scale = u->rate != NULL ? u->scale : 1;
	} else if (c.role == PUBLISHED_DURATION || u->scale >= 60) {
		/* The time of a whole training is in minutes. */
		unit->name = "min";
		unit->scale /= 60;
	} else {
		unit->name = "s";
	}
	return c.role;
}

/* True if each row has its own text and all look like an id, a date, a path, a
 * hash or a measured number, not like a parameter. */
static int
is_unique(const struct run_rows *t, size_t head)
{
	struct hash_index known = HASH_INDEX_INIT;
	const char **texts = xcalloc(t->n + 1, sizeof *texts);
	size_t i = 0;

	for (; t->n > 1 && i < t->n; i++) {
		const char *text = run_row_cell(&t->rows[i], head);
		const size_t len = strlen(text);
		double stamp;

		texts[i] = text;
		if (hash_index_first(&known, texts, i) != i ||
		    (len < 5 && strchr(text, '.') == NULL) ||
		    (strpbrk(text, "/.") == NULL &&
			strspn(text, "0123456789abcdefABCDEF-_") != len &&
			stamp_parse(text, len, &stamp) != STAMP_DATE))
			break;
	}
	hash_index_release(&known);
	free(texts);
	return t->n > 1 && i == t->n;
}

/* A head without "label_" at its start. */
static const char *
label_name(const char *head)
{
	return head + (strncmp(head, "label_", 6) == 0 ? 6 : 0);
}

/* True if the option --ignore lists the name. */
static int
is_ignored(struct arena *a, const char *name)
{
	const char *list = runs_table_options.ignore;

	return list != NULL &&
	    strstr(arena_printf(a, ",%s,", list),
		arena_printf(a, ",%s,", name)) != NULL;
}

/* --- columns -------------------------------------------------------------- */

/* Index of the last column of a field; rows.n_heads if there is none. */
static size_t
column_of(const struct table_reader *x, const char *field)
{
	size_t k = x->rows.n_heads;

	while (k-- > 0)
		if (x->fields[k] != NULL &&
		    strcmp(x->fields[k]->head, field) == 0)
			return k;
	return x->rows.n_heads;
}

static int
has_value(const struct table_reader *x)
{
	return column_of(x, "value") < x->rows.n_heads;
}

/* Name of the field of column k, "" if there is none.
 *
 * role  set if the column is recognised as one of a published table */
static const char *
field_of_column(struct table_reader *x, size_t k, enum published_role *role)
{
	static const char *const role_fields[PUBLISHED_N_ROLES] = {
		[PUBLISHED_NODES] = "nodes",
		[PUBLISHED_GPUS] = "gpus",
		[PUBLISHED_NODE_GPUS] = "gpus_per_node",
		[PUBLISHED_GPU_COUNT] = "gpu_count",
		[PUBLISHED_CASE] = "case",
		[PUBLISHED_BATCH] = "batch_size_per_device",
		[PUBLISHED_GLOBAL_BATCH] = "batch_size",
		[PUBLISHED_PRECISION] = "precision",
		[PUBLISHED_FRAMEWORK] = "framework",
		[PUBLISHED_MODEL] = "model",
	};
	/* Words in the heads of measured quantities other than speeds. */
	static const char *const measured[] = { "flop", "mfu", "loss",
		"accuracy", "power", "temperature", "util", "memory",
		"energy" };
	const struct runs_table_options *o = &runs_table_options;
	struct arena *a = x->rows.arena;
	const char *head = x->rows.heads[k], *name = label_name(head), *field;
	struct value_unit unit;

	if (text_same(name, o->value))
		return "value";
	if (text_same(name, o->run))
		return "run";
	if (is_ignored(a, name) || head[0] == '*')
		return "ignored";
	if (name != head)
		return "label";
	if (head[0] == '\0' || run_field_find(head) != NULL)
		return head;
	if (x->is_measured)
		return "label";
	if (head_is(head, HEAD_RUN))
		return "run";
	if (head_is(head, HEAD_IDENTITY) || head_is(head, HEAD_TIME))
		return "ignored";
	for (size_t i = 0; i < N_OF(measured); i++)
		if (strcasestr(head, measured[i]) != NULL)
			return "ignored";
	*role = role_of_head(a, head, &unit);
	if (*role == PUBLISHED_LABEL || *role == PUBLISHED_OTHER)
		return is_unique(&x->rows, k) ? "ignored" : "label";
	field = role_fields[*role];
	return field != NULL ? field : "";
}

/* Find the meanings of all heads, and the unit of the value. */
static void
read_columns(struct table_reader *x)
{
	/* Roles of values in order of preference. A duration may be the time of
	 * anything, so --value must name it. */
	static const enum published_role value_roles[] = { PUBLISHED_RATE,
		PUBLISHED_MEDIAN, PUBLISHED_BANDWIDTH, PUBLISHED_STEP_TIME };
	const struct run_row *rows = x->rows.rows;
	const size_t n = x->rows.n_heads;
	enum published_role *roles =
	    arena_calloc(x->rows.arena, n + 1, sizeof *roles);
	size_t value, nodes, gpus;

	x->fields = arena_calloc(x->rows.arena, n + 1, sizeof *x->fields);
	x->is_measured = run_rows_head(&x->rows, "measured") < n;
	for (size_t k = 0; k < n; k++)
		x->fields[k] = run_field_find(field_of_column(x, k, &roles[k]));
	for (size_t i = 0; i < N_OF(value_roles); i++)
		for (size_t k = 0; k < n; k++)
			if (roles[k] == value_roles[i] && !has_value(x))
				x->fields[k] = run_field_find("value");
	value = column_of(x, "value");
	if (value < n) {
		const char *dot = strrchr(x->rows.heads[value], '.');

		role_of_head(x->rows.arena,
		    dot != NULL ? dot + 1 : x->rows.heads[value], &x->unit);
	}
	/* A count of GPUs that stays equal while the number of nodes changes is
	 * the count per node. */
	nodes = column_of(x, "nodes");
	gpus = column_of(x, "gpu_count");
	for (size_t i = 1; i < x->rows.n; i++)
		x->gpus_of_node |= strcmp(run_row_cell(&rows[i], nodes),
				       run_row_cell(rows, nodes)) != 0 &&
		    strcmp(run_row_cell(&rows[i], gpus),
			run_row_cell(rows, gpus)) == 0;
}

/* --- cells ---------------------------------------------------------------- */

static void
add_label(
    struct arena *a, struct result_case *c, const char *key, const char *value)
{
	c->labels = arena_longer(a, c->labels, c->n_labels, sizeof *c->labels);
	c->labels[c->n_labels++] = (struct result_pair){ key, value };
}

/* Set the member that cell k states. A count may be written as "8.0". Cells of
 * declared tables that are not numbers are ignored. */
static int
set_member(const struct table_reader *x, const struct run_row *row, size_t k,
    struct row_content *w)
{
	const struct run_field *f = x->fields[k];
	const int is_count = f->cell == RUN_COUNT || f->cell == RUN_FACTOR;
	const char *text = run_row_cell(row, k);
	char *const parts[] = { [PART_CASE] = (char *)&w->c,
		[PART_RUN] = (char *)&w->run,
		[PART_RULE] = (char *)&x->r->rule,
		[PART_ROW] = (char *)w };
	void *member = parts[f->part] + f->at;
	double number;

	if (f->cell == RUN_WORD)
		*(const char **)member = text;
	else if (f->cell == RUN_LABEL)
		add_label(
		    &x->r->arena, &w->c, label_name(x->rows.heads[k]), text);
	else if (f->cell == RUN_FLAG_CODES)
		return run_flags_parse(
		    &w->run, x->name, text, &x->r->arena, x->e);
	else if (f->cell == RUN_FLAGS || f->cell == RUN_IGNORED)
		return 0;
	else if (parse_double(text, 0, is_count ? max_count : RESULT_NUMBER_MAX,
		     &number) != 0 ||
	    (is_count && floor(number) < number) ||
	    (number <= 0 && strcmp(f->head, "value") == 0))
		return x->rows.is_declared
		    ? 0
		    : error_set(x->e, ERROR_INPUT,
			  "%s:%ld: %s: '%.40s' is not %s", x->name, row->line,
			  x->rows.heads[k], text,
			  is_count ? "a count" : "a number above 0");
	else if (!is_count)
		*(double *)member = number * (f->cell == RUN_US ? 1e-6 : 1);
	else if (f->cell == RUN_FACTOR && *(long *)member != RESULT_UNKNOWN)
		*(long *)member *= (long)number;
	else
		*(long *)member = (long)number;
	return 0;
}

/* --- cases ---------------------------------------------------------------- */

/* Complete the counts and the batch of a case. */
static void
complete_counts(const struct table_reader *x, struct row_content *w)
{
	struct result_case *c = &w->c;
	struct arena *a = &x->r->arena;
	long nodes, gpus;
	const char *rest;

	if (w->gpu_count != RESULT_UNKNOWN)
		*(x->gpus_of_node ? &c->gpus_per_node : &c->gpus) =
		    w->gpu_count;
	if (c->name != NULL && c->gpus == RESULT_UNKNOWN &&
	    published_case_read(c->name, &nodes, &gpus, &rest) &&
	    rest[0] == '\0') {
		c->nodes = nodes;
		c->gpus = gpus;
	}
	if (c->gpus == RESULT_UNKNOWN && c->gpus_per_node > 0 && c->nodes > 0)
		c->gpus = c->gpus_per_node * c->nodes;
	if (c->gpus_per_node == RESULT_UNKNOWN && c->nodes > 0 && c->gpus > 0 &&
	    c->gpus % c->nodes == 0)
		c->gpus_per_node = c->gpus / c->nodes;
	if (w->global_batch > 0 && c->gpus > 0 &&
	    w->global_batch % c->gpus == 0)
		c->batch_size_per_device = w->global_batch / c->gpus;
	else if (w->global_batch > 0)
		add_label(a, c, "global_batch_size",
		    arena_printf(a, "%ld", w->global_batch));
}

/* Name a case by its size, else by its parallelism, "tp=2,pp=4", and drop those
 * labels; "unknown" if it states neither. */
static const char *
case_name(struct arena *a, struct result_case *c)
{
	const char *name = NULL;
	size_t kept = 0;

	if (c->gpus > 0 && c->gpus_per_node > 0)
		return arena_printf(a, "%ldn%ldg", c->nodes, c->gpus_per_node);
	if (c->gpus > 0)
		return arena_printf(a, "%ldg", c->gpus);
	if (c->nodes > 0)
		return arena_printf(a, "%ldn", c->nodes);
	for (size_t i = 0; i < c->n_labels; i++)
		if (head_is(c->labels[i].key, HEAD_PARALLEL))
			name = arena_join(a, name, ",",
			    arena_printf(a, "%s=%s", c->labels[i].key,
				c->labels[i].value));
		else
			c->labels[kept++] = c->labels[i];
	c->n_labels = kept;
	return name != NULL ? name : "unknown";
}

/* Convert the value to a unit of results; our own table already has one. */
static void
complete_value(const struct table_reader *x, struct row_content *w)
{
	struct arena *a = &x->r->arena;
	struct result_case *c = &w->c;
	struct value_unit u = x->unit;

	if (x->is_own)
		return;
	if (c->unit != NULL) {
		role_of_head(a, c->unit, &u);
		u.name = u.name != NULL ? u.name : c->unit;
	}
	w->run.value *= u.scale;
	if (u.per_gpu && c->gpus > 0)
		w->run.value *= (double)c->gpus;
	else if (u.per_gpu && u.name != NULL)
		u.name = arena_printf(a, "%s/GPU", u.name);
	c->unit = u.name != NULL ? u.name : "";
	if (unit_counts_samples(c->unit))
		w->run.samples_per_s = w->run.value;
}

/* Add the run of a row to its case. Rows of a case that each state a collective
 * are one run. */
static void
add_run(struct table_reader *x, struct row_content *w)
{
	static struct result_pair source = { "run", "table" };
	struct result *r = x->r;
	struct arena *a = &r->arena;
	const int has_collective = !isnan(w->collective.bytes);
	uint32_t hash = hash_text(hash_text(0, w->c.name), w->c.model);
	struct result_case *own;
	struct result_run *last;
	size_t place;

	for (size_t i = 0; i < w->c.n_labels; i++)
		hash = hash_text(hash, w->c.labels[i].value);
	place = hash_index_find(&x->cases, hash, case_is_same, r->cases, &w->c);
	if (place == HASH_INDEX_NONE) {
		place = r->n_cases++;
		hash_index_add(&x->cases, hash, place);
		r->cases = arena_grow(a, r->cases, place, sizeof *r->cases);
		r->cases[place] = w->c;
	}
	own = &r->cases[place];
	last = own->n_runs > 0 ? &own->runs[own->n_runs - 1] : NULL;
	if (!has_collective || last == NULL || last->n_collectives == 0) {
		w->run.sources = &source;
		w->run.n_sources = w->run.run != NULL;
		if (w->run.run == NULL)
			w->run.run = arena_printf(a, "%zu", own->n_runs + 1);
		if (w->run.path == NULL)
			w->run.path = x->name;
		own->runs =
		    arena_grow(a, own->runs, own->n_runs, sizeof *own->runs);
		last = &own->runs[own->n_runs++];
		*last = w->run;
	}
	if (has_collective) {
		last->collectives = arena_grow(a, last->collectives,
		    last->n_collectives, sizeof *last->collectives);
		last->collectives[last->n_collectives++] = w->collective;
	}
}

/* --- rows ----------------------------------------------------------------- */

/* True if the option --value names a metric, not a column, and the row has
 * another metric. */
static int
is_other_metric(const struct table_reader *x, const struct result_case *c)
{
	const char *wanted = runs_table_options.value;

	if (wanted == NULL ||
	    run_rows_head(&x->rows, wanted) < x->rows.n_heads ||
	    text_same(c->unit, wanted))
		return 0;
	for (size_t i = 0; i < c->n_labels; i++)
		if (head_is(c->labels[i].key, HEAD_METRIC) &&
		    strcmp(c->labels[i].value, wanted) == 0)
			return 0;
	return 1;
}

static int
add_row(struct table_reader *x, const struct run_row *row)
{
	struct row_content w = { .gpu_count = RESULT_UNKNOWN,
		.global_batch = RESULT_UNKNOWN };

	result_case_init(&w.c);
	result_run_init(&w.run);
	fields_init(result_collective_fields, &w.collective);
	w.collective.line = row->line;
	if (x->rows.is_lines)
		w.run.first_line = w.run.last_line = row->line;
	for (size_t k = 0; k < x->rows.n_heads; k++)
		if (x->fields[k] != NULL && run_row_cell(row, k)[0] != '\0' &&
		    set_member(x, row, k, &w) != 0)
			return -1;
	if ((isnan(w.run.value) && x->rows.is_declared) ||
	    is_other_metric(x, &w.c))
		return 0;
	if (isnan(w.run.value) ||
	    (x->is_own &&
		(w.c.name == NULL || w.c.unit == NULL || w.run.run == NULL)))
		return error_set(x->e, ERROR_INPUT,
		    "%s:%ld: case, run, value or unit is empty", x->name,
		    row->line);
	complete_counts(x, &w);
	if (w.c.rule == NULL)
		w.c.rule = x->is_own ? "all" : "summary";
	if (w.c.name == NULL)
		w.c.name = case_name(&x->r->arena, &w.c);
	complete_value(x, &w);
	add_run(x, &w);
	return 0;
}

/* --- which tables --------------------------------------------------------- */

/* Decide from its heads whether a table that no declaration fits has runs as
 * rows: 1 if it is our own, or has a value, no steps, and a column that tells
 * runs apart; 0 if only rows that agree in all but the value can show it; -1 if
 * they are not runs. */
static int
looks_like_runs(const struct table_reader *x)
{
	const struct runs_table_options *o = &runs_table_options;
	int is = 0, steps = 0;

	for (size_t k = 0; k < x->rows.n_heads; k++) {
		const char *head = x->rows.heads[k];

		if (text_same(head, o->value) || text_same(head, o->run) ||
		    is_ignored(x->rows.arena, head))
			is = 2;
		else if (is == 0)
			is = head_is(head, HEAD_IDENTITY) ||
			    head_is(head, HEAD_RUN);
		steps |= head_is(head, HEAD_STEP);
	}
	if (x->rows.n_heads < 2 || !has_value(x))
		return -1;
	return x->is_own || is > steps ? 1 : -steps;
}

/* --- the result ----------------------------------------------------------- */

/* Flag a run whose collectives wait for a slow process; name the slowest. */
static void
flag_straggler(struct result_run *run, struct arena *a)
{
	const struct result_collective *worst = NULL;
	double most = LEAST_STRAGGLER;

	for (size_t i = 0; i < run->n_collectives; i++)
		if (run->collectives[i].iterations.slowest_ratio > most) {
			worst = &run->collectives[i];
			most = worst->iterations.slowest_ratio;
		}
	if (worst != NULL)
		result_run_flag(run,
		    &REMARK(REMARK_STRAGGLER,
			remark_number(
			    (double)worst->iterations.slowest_process),
			remark_number(most), remark_number(worst->bytes),
			remark_name(worst->kind)),
		    a);
}

/* Keep only the cases with the best kind of unit: work per second, else
 * iterations or bytes per second, else times. */
static void
keep_best_unit(struct result *r)
{
	int *kinds = arena_calloc(&r->arena, r->n_cases, sizeof *kinds);
	int best = WORK_NONE;
	size_t kept = 0;

	for (size_t i = 0; i < r->n_cases; i++) {
		const char *unit = r->cases[i].unit;

		kinds[i] = strcmp(unit, "GB/s") == 0 ? WORK_STEP_RATE
						     : (int)work_kind_of(unit);
		/* work_kind_of() takes any unknown name for a rate. */
		if (kinds[i] == WORK_RATE && strstr(unit, "/s") == NULL)
			kinds[i] = WORK_NONE;
		best = kinds[i] < best ? kinds[i] : best;
	}
	for (size_t i = 0; i < r->n_cases; i++)
		if (kinds[i] == best)
			r->cases[kept++] = r->cases[i];
	r->n_cases = kept;
}

/* Compute medians. Scaling is strong if all sizes of a configuration have the
 * same global batch. series_collect computes the speedups, except those of our
 * own table over the baselines that it names. */
static void
summarise(struct result *r, int is_own)
{
	const struct result_case **cases =
	    arena_calloc(&r->arena, r->n_cases, sizeof *cases);

	for (size_t i = 0; i < r->n_cases; i++) {
		cases[i] = &r->cases[i];
		for (size_t k = 0; k < r->cases[i].n_runs; k++)
			flag_straggler(&r->cases[i].runs[k], &r->arena);
		case_summarise(&r->cases[i], r->rule.confidence);
	}
	r->rule.scaling =
	    result_cases_look_strong(cases, r->n_cases) ? "strong" : "weak";
	r->without_baselines = !is_own;
}

/* Like runs_table_parse, but read at most `most` rows. */
static int
table_parse(const char *name, const char *text, size_t len, size_t most,
    struct result *r, struct error *e)
{
	static const char *const own[] = { "case", "run", "value", "unit" };
	struct table_reader x = { .rows = { .arena = &r->arena },
		.unit = { NULL, 1, 0 },
		.r = r,
		.e = e };
	int rc, sure = 1, runs_agree = 0;

	result_init(r);
	if (len > MAX_FILE)
		return 1;
	r->file = x.name = arena_strdup(&r->arena, name);
	r->rule.confidence = DEFAULT_CONFIDENCE;
	rc = run_rows_read(&x.rows, x.name, text, len, most, e);
	x.is_own = !x.rows.is_declared;
	for (size_t i = 0; i < N_OF(own); i++)
		x.is_own &= run_rows_head(&x.rows, own[i]) < x.rows.n_heads;
	read_columns(&x);
	if (!x.rows.is_declared)
		sure = looks_like_runs(&x);
	if (rc == 0 && !has_value(&x))
		rc = error_set(e, ERROR_INPUT,
		    "%s: no column is known as the value; --value=COLUMN names "
		    "it",
		    name);
	for (size_t i = 0; rc == 0 && sure >= 0 && i < x.rows.n; i++)
		rc = add_row(&x, &x.rows.rows[i]);
	if (rc == 0 && r->n_cases == 0)
		rc = error_set(e, ERROR_EMPTY, "%s: holds no run", name);
	for (size_t i = 0; i < r->n_cases; i++)
		runs_agree |= r->cases[i].n_runs > 1;
	if (sure + runs_agree <= 0) {
		rc = 1;
	} else if (rc == 0) {
		if (!x.is_own)
			keep_best_unit(r);
		r->rule.rule = r->cases[0].rule;
		summarise(r, x.is_own);
		rc = result_check(r, e);
	}
	if (rc == 0)
		result_speedups(r, r->rule.confidence);
	hash_index_release(&x.cases);
	if (rc != 0)
		result_release(r);
	return rc;
}

int
runs_table_parse(const char *name, const char *text, size_t len,
    struct result *r, struct error *e)
{
	const int rc = table_parse(name, text, len, MAX_LOOKED_AT, r, NULL);

	if (rc == 0)
		result_release(r);
	return rc == 1 ? 1 : table_parse(name, text, len, SIZE_MAX, r, e);
}

int
runs_table_is_file(const char *path)
{
	struct strbuf sb = STRBUF_INIT(MAX_FILE);
	struct result r;
	struct stat st;
	int rc = 1;

	if (stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_size <= MAX_FILE && text_file_read(path, &sb, NULL) == 0)
		rc = table_parse("", sb.buf, sb.len, MAX_LOOKED_AT, &r, NULL);
	if (rc == 0)
		result_release(&r);
	strbuf_release(&sb);
	return rc != 1;
}

int
runs_table_or_result_read(const char *path, struct result *r, struct error *e)
{
	const char *name = strcmp(path, "-") == 0 ? "stdin" : path;
	const struct strbuf *text = log_operand_result(path);
	struct strbuf sb = STRBUF_INIT(JSON_READ_MAX_BYTES);
	int rc = 1;

	result_init(r);
	if (text == NULL) {
		text = &sb;
		if (text_file_read(path, &sb, e) == 0)
			rc = runs_table_parse(name, sb.buf, sb.len, r, e);
		else
			rc = -1;
	}
	if (rc == 1)
		rc = result_parse(name, text->buf, text->len, r, e);
	strbuf_release(&sb);
	return rc;
}
