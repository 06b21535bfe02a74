#include <config.h>

#include "common/series/table_columns.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/alloc.h"
#include "common/hash_index.h"
#include "common/result/result.h"
#include "common/series/runs_table.h"
#include "common/text.h"
#include "common/units/units.h"

#define FIELD(head, kind, of, type, member) \
	{ \
		head, kind, of, offsetof(struct type, member) \
	}
#define OF_CASE(head, kind, member) \
	FIELD(head, kind, FIELD_OF_CASE, result_case, member)
#define OF_RUN(head, kind, member) \
	FIELD(head, kind, FIELD_OF_RUN, result_run, member)
#define OF_COLLECTIVE(head, kind, member) \
	FIELD(head, kind, FIELD_OF_COLLECTIVE, result_collective, member)
#define OF_RULE(kind, member) \
	FIELD("rule_" #member, kind, FIELD_OF_RULE, result_rule, member)
#define OF_ROW(head, kind, member) \
	FIELD(head, kind, FIELD_OF_ROW, row_content, member)

static const struct table_field fields[] = {
	OF_CASE("framework", CELL_WORD, framework),
	OF_CASE("model", CELL_WORD, model),
	OF_CASE("precision", CELL_WORD, precision),
	OF_CASE("batch_size_per_device", CELL_COUNT, batch_size_per_device),
	OF_CASE("nodes", CELL_COUNT, nodes),
	OF_CASE("gpus_per_node", CELL_COUNT, gpus_per_node),
	OF_CASE("gpus", CELL_COUNT, gpus),
	OF_CASE("case", CELL_WORD, name),
	OF_CASE("unit", CELL_WORD, unit),
	OF_CASE("rule", CELL_WORD, rule),
	OF_CASE("baseline", CELL_WORD, baseline),
	OF_RUN("run", CELL_WORD, run),
	OF_RUN("value", CELL_NUMBER, value),
	OF_RUN("value_low", CELL_NUMBER, rounding.low),
	OF_RUN("value_high", CELL_NUMBER, rounding.high),
	OF_RUN("samples_per_s", CELL_NUMBER, samples_per_s),
	OF_RUN("step_s", CELL_NUMBER, step_s),
	OF_RUN("iterations", CELL_COUNT, iterations),
	OF_RUN("first_iteration", CELL_COUNT, first_iteration),
	OF_RUN("last_iteration", CELL_COUNT, last_iteration),
	OF_RUN("log", CELL_WORD, path),
	OF_RUN("first_line", CELL_COUNT, first_line),
	OF_RUN("last_line", CELL_COUNT, last_line),
	OF_RUN("device", CELL_WORD, device),
	OF_RUN("framework_version", CELL_WORD, framework_version),
	OF_RUN("half_width", CELL_NUMBER, audit.half_width),
	OF_CASE("score", CELL_WORD, score),
	OF_RULE(CELL_COUNT, skip_iterations),
	OF_RULE(CELL_COUNT, warmup_batches),
	OF_RULE(CELL_COUNT, train_batches),
	OF_RULE(CELL_COUNT, from_iteration),
	OF_RULE(CELL_WORD, epoch),
	OF_RULE(CELL_WORD, aggregate),
	OF_RULE(CELL_WORD, metric),
	OF_RULE(CELL_WORD, protocol),
	OF_RULE(CELL_WORD, baseline),
	OF_RULE(CELL_NUMBER, confidence),
	{ "flags", CELL_FLAG, FIELD_OF_RUN, 0 },
	{ "flag_codes", CELL_FLAG_CODES, FIELD_OF_RUN, 0 },
	{ "measured", CELL_IGNORED, FIELD_OF_CASE, 0 },
	{ "table", CELL_IGNORED, FIELD_OF_CASE, 0 }, /* of JSON lines */
	{ "ignored", CELL_IGNORED, FIELD_OF_CASE, 0 },
	{ "label", CELL_LABEL, FIELD_OF_CASE, 0 },
	OF_ROW("gpu_count", CELL_COUNT, gpu_count),
	OF_ROW("gpu_factor", CELL_FACTOR, gpu_count),
	OF_ROW("batch_size", CELL_COUNT, global_batch),
	OF_COLLECTIVE("collective", CELL_WORD, collective),
	OF_COLLECTIVE("collective_kind", CELL_WORD, kind),
	OF_COLLECTIVE("message_bytes", CELL_NUMBER, bytes),
	OF_COLLECTIVE("message_us", CELL_MICROSECONDS, time_s),
	OF_COLLECTIVE("algorithm_gb_per_s", CELL_NUMBER, algorithm_gb_per_s),
	OF_COLLECTIVE("bus_gb_per_s", CELL_NUMBER, bus_gb_per_s),
	OF_COLLECTIVE("fastest_us", CELL_MICROSECONDS, iterations.fastest_s),
	OF_COLLECTIVE("p99_us", CELL_MICROSECONDS, iterations.p99_s),
	OF_COLLECTIVE("slowest_us", CELL_MICROSECONDS, iterations.slowest_s),
	OF_COLLECTIVE(
	    "slowest_process", CELL_COUNT, iterations.slowest_process),
	OF_COLLECTIVE("slowest_ratio", CELL_NUMBER, iterations.slowest_ratio),
};

/* Fields of the roles of published heads. */
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

/* Roles of values; the first that a table has is its value. A duration may be
 * that of anything, so --value must name it. */
static const enum published_role value_roles[] = { PUBLISHED_RATE,
	PUBLISHED_MEDIAN, PUBLISHED_BANDWIDTH, PUBLISHED_STEP_TIME };

static const char *const words_of[] = {
	[HEAD_IDENTITY] =
	    " job jobid jobname jobuuid slurmjobid id uuid runid runuuid "
	    "batchid jubewpid jubebenchmarkid host hostname machinename node "
	    "nodelist jobnodelist path file filename url hash hashcode commit "
	    "gitcommit sha user ",
	[HEAD_TIME] = " date datetime time timestamp started ended start end "
		      "starttime endtime ",
	[HEAD_RUN] = " run runnumber runindex repeat repetition rep replica "
		     "replicate trial attempt jubewpiteration ",
	[HEAD_STEP] = " step steps iter iteration iterations globalstep epoch "
		      "batchidx trainerglobalstep ",
	[HEAD_METRIC] = " metric name measure variable ",
	[HEAD_PARALLEL] =
	    " tp pp dp cp ep etp sp vp vpp fsdp fsdp2 hsdp ddp zero zerostage "
	    "tpsize ppsize dpsize cpsize epsize tensorparallel "
	    "pipelineparallel dataparallel contextparallel expertparallel "
	    "tensorparallelsize pipelineparallelsize dataparallelsize "
	    "contextparallelsize expertparallelsize tensormodelparallelsize "
	    "pipelinemodelparallelsize dataparallelshard "
	    "dataparallelreplicate ",
};

/* Parts of heads of measured quantities that are no speeds. */
static const char *const measured_parts[] = { "flop", "mfu", "loss", "accuracy",
	"power", "temperature", "util", "memory", "energy", NULL };

const struct table_field *
table_field_find(const char *name)
{
	for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
		if (strcmp(fields[i].head, name) == 0)
			return &fields[i];
	return NULL;
}

int
head_is(const char *head, enum head_words words)
{
	char word[PUBLISHED_WORD_SIZE];

	return strstr(words_of[words],
		   published_word(head, strlen(head), word)) != NULL;
}

int
name_is_listed(const char *list, const char *name)
{
	const size_t len = strlen(name);

	for (const char *at = list; at != NULL && *at != '\0';) {
		const size_t n = strcspn(at, ",");

		if (n == len && strncmp(at, name, n) == 0)
			return 1;
		at += n + (at[n] == ',');
	}
	return 0;
}

/* --- units ---------------------------------------------------------------- */

/* Cut an ending off, ignoring case. Returns 1 if the text has it. */
static int
cut_ending(char *text, const char *ending)
{
	const size_t len = strlen(text), n = strlen(ending);

	if (len <= n || strcasecmp(text + len - n, ending) != 0)
		return 0;
	text[len - n] = '\0';
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
	char *text = arena_strdup(a, head), *open = strpbrk(text, "(["), *unit;

	if (open != NULL && open > text) {
		unit = arena_strndup(a, open + 1, strcspn(open + 1, ")]"));
		*open = '\0';
		cut_ending(text, " ");
	} else {
		unit = text;
	}
	*per_gpu = 0;
	for (size_t i = 0; i < sizeof gpus / sizeof gpus[0]; i++)
		*per_gpu |= strpbrk(unit, "/_ ") != NULL &&
		    (strstr(unit, "/s") != NULL ||
			strcasestr(unit, "per") != NULL) &&
		    strcasestr(unit, "batch") == NULL &&
		    cut_ending(unit, gpus[i]);
	cut_ending(text, "_avg");
	if (unit != text)
		return arena_printf(a, "%s (%s)", text, unit);
	unit = strrchr(text, '_');
	if (unit != NULL && published_unit_find(unit + 1, strlen(unit + 1)))
		return arena_printf(
		    a, "%.*s (%s)", (int)(unit - text), text, unit + 1);
	unit = arena_strdup(a, text);
	for (char *at = unit; *at != '\0'; at++)
		*at = *at == '_' ? ' ' : *at;
	return published_unit_find(unit, strlen(unit)) != NULL ? unit : text;
}

struct value_unit
value_unit_of(struct arena *a, const char *text, enum published_role role)
{
	struct value_unit u = { NULL, 1, 0 };
	struct published_column c;
	char *plain = published_head(a, text, &u.per_gpu);
	const struct published_unit *unit;
	int whole;

	cut_ending(plain, "/op");
	unit = published_unit_find(plain, strlen(plain));
	if (unit == NULL) {
		published_head_read(a, plain, &c);
		unit = c.unit;
		role = role == PUBLISHED_OTHER ? c.role : role;
	}
	if (unit == NULL) {
		u.name = role == PUBLISHED_RATE ? "samples/s" : NULL;
		return u;
	}
	switch (unit->measure) {
	case PUBLISHED_PER_SECOND:
		return (
		    struct value_unit){ unit->rate, unit->scale, u.per_gpu };
	case PUBLISHED_BITS_PER_SECOND:
		return (
		    struct value_unit){ "GB/s", unit->scale / 8e9, u.per_gpu };
	case PUBLISHED_SECONDS:
		/* The time of a whole training is in minutes. */
		whole = role == PUBLISHED_DURATION || unit->scale >= 60;
		return (struct value_unit){ whole ? "min" : "s",
			whole ? unit->scale / 60 : unit->scale, 0 };
	default:
		return (struct value_unit){ unit->name, 1, u.per_gpu };
	}
}

/* --- meanings ------------------------------------------------------------- */

/* True if each row has its own text, which looks like an id, a date, a path, a
 * hash or a measured number: not like a parameter. */
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

/* Set the meaning of the first head that a declaration's line names. */
static void
name_column(struct table_columns *c, const struct run_rows *t,
    const struct result_pair *how)
{
	const int is_label = strncmp(how->key, "label:", 6) == 0;
	char *names = arena_strdup(t->arena, how->value), *name;

	while ((name = strsep(&names, "|")) != NULL) {
		const size_t k = run_rows_head(t, name);

		if (k == t->n_heads || c->items[k].field != NULL)
			continue;
		c->items[k].field =
		    table_field_find(is_label ? "label" : how->key);
		c->items[k].name = how->key + (is_label ? 6 : 0);
		return;
	}
}

/* Name of the field of a head by its words, or NULL: none so far. A table that
 * states how it was measured is that of extract_logs: other heads are
 * labels. */
static const char *
known_field(const struct run_rows *t, const char *head)
{
	const struct runs_table_options *o = &runs_table_options;

	if (text_same(head, o->value))
		return "value";
	if (text_same(head, o->run))
		return "run";
	if (name_is_listed(o->ignore, head))
		return "ignored";
	if (strncmp(head, "label_", 6) == 0)
		return "label";
	if (head[0] == '*')
		return "ignored";
	if (table_field_find(head) != NULL)
		return head;
	if (run_rows_head(t, "measured") < t->n_heads)
		return "label";
	if (head_is(head, HEAD_RUN))
		return "run";
	return head_is(head, HEAD_IDENTITY) || head_is(head, HEAD_TIME)
	    ? "ignored"
	    : NULL;
}

/* Set the meaning of a head that no declaration names.
 *
 * role  set to that of a published table */
static void
read_head(struct table_columns *c, const struct run_rows *t, size_t k,
    const char *head, enum published_role *role)
{
	const char *field = known_field(t, head);
	struct published_column h;
	int per_gpu;

	c->items[k].name = strncmp(head, "label_", 6) == 0 ? head + 6 : head;
	for (size_t i = 0; field == NULL && measured_parts[i] != NULL; i++)
		if (strcasestr(head, measured_parts[i]) != NULL)
			field = "ignored";
	if (field == NULL && head[0] != '\0') {
		published_head_read(
		    t->arena, published_head(t->arena, head, &per_gpu), &h);
		*role = h.known && !head_is(head, HEAD_PARALLEL)
		    ? h.role
		    : PUBLISHED_LABEL;
		field = role_fields[*role];
		if (*role == PUBLISHED_LABEL || *role == PUBLISHED_OTHER)
			field = is_unique(t, k) ? "ignored" : "label";
	}
	if (field != NULL)
		c->items[k].field = table_field_find(field);
}

int
table_columns_have(
    const struct table_columns *c, const struct run_rows *t, const char *field)
{
	const struct table_field *wanted = table_field_find(field);

	for (size_t k = 0; k < t->n_heads; k++)
		if (c->items[k].field == wanted)
			return 1;
	return 0;
}

/* Choose the column of the value, and its unit. */
static void
choose_value(struct table_columns *c, const struct run_rows *t,
    const enum published_role *roles)
{
	for (size_t i = 0; i < sizeof value_roles / sizeof value_roles[0]; i++)
		for (size_t k = 0; k < t->n_heads; k++)
			if (roles[k] == value_roles[i] &&
			    !table_columns_have(c, t, "value"))
				c->items[k].field = table_field_find("value");
	for (size_t k = 0; k < t->n_heads; k++) {
		const char *dot = strrchr(t->heads[k], '.');

		if (c->items[k].field != table_field_find("value"))
			continue;
		c->unit = value_unit_of(t->arena, t->heads[k], roles[k]);
		if (c->unit.name == NULL && dot != NULL)
			c->unit = value_unit_of(t->arena, dot + 1, roles[k]);
	}
}

void
table_columns_read(struct table_columns *c, const struct run_rows *t,
    const struct table_form *form)
{
	static const char *const own[] = { "case", "run", "value", "unit" };
	const struct form_list *keys = form->keys;
	size_t nodes = t->n_heads, gpus = t->n_heads;
	enum published_role *roles = xcalloc(t->n_heads + 1, sizeof *roles);

	*c = (struct table_columns){ .unit = { NULL, 1, 0 },
		.is_own = form->name == NULL };
	c->items = arena_calloc(t->arena, t->n_heads + 1, sizeof *c->items);
	for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
		c->is_own &= run_rows_head(t, own[i]) < t->n_heads;
	for (size_t i = 0; i < keys[FORM_FIELD].n; i++)
		name_column(c, t, &keys[FORM_FIELD].items[i]);
	for (size_t k = 0; k < t->n_heads; k++) {
		const char *rest = NULL;

		/* Without a prefix that the declaration strips. */
		for (size_t i = keys[FORM_STRIP].n; i-- > 0;) {
			const char *prefix = keys[FORM_STRIP].items[i].value;

			if (strncmp(t->heads[k], prefix, strlen(prefix)) == 0)
				rest = t->heads[k] + strlen(prefix);
		}
		if (c->items[k].field == NULL &&
		    (rest != NULL || keys[FORM_OTHERS].n > 0))
			read_head(c, t, k, rest != NULL ? rest : t->heads[k],
			    &roles[k]);
	}
	if (keys[FORM_OTHERS].n > 0)
		choose_value(c, t, roles);
	free(roles);
	for (size_t k = 0; k < t->n_heads; k++) {
		if (c->items[k].field == table_field_find("nodes"))
			nodes = k;
		if (c->items[k].field == table_field_find("gpu_count"))
			gpus = k;
	}
	/* A count of GPUs is that of each node if it does not grow with the
	 * nodes. */
	for (size_t i = 1; nodes < t->n_heads && i < t->n; i++)
		c->gpus_of_node |= strcmp(run_row_cell(&t->rows[i], nodes),
				       run_row_cell(&t->rows[0], nodes)) != 0 &&
		    strcmp(run_row_cell(&t->rows[i], gpus),
			run_row_cell(&t->rows[0], gpus)) == 0;
}
