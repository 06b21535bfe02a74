#include <config.h>

#include "extract/measure/metadata.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/alloc.h"
#include "common/text.h"
#include "common/units/units.h"

enum key {
	KEY_FRAMEWORK,
	KEY_MODEL,
	KEY_PRECISION,
	KEY_RUN,
	KEY_VERSION,
	KEY_DEVICE,
	KEY_BATCH_DEVICE,
	KEY_NODES,
	KEY_PER_NODE,
	KEY_GPUS,
	KEY_BATCH,
	KEY_SEQUENCE,
	KEY_TOKENS,
	KEY_MICRO,
	KEY_ACCUMULATION,
	KEY_REPLICAS,
	KEY_SHARES,
	KEY_TASKS,
	N_KEYS,
	KEY_FIRST_COUNT = KEY_BATCH_DEVICE
};

/* All but KEY_BATCH are reported in result_run.sources; KEY_BATCH only if the
 * batch per device is unknown. */
static const char *const key_names[N_KEYS] = {
	[KEY_FRAMEWORK] = "framework",
	[KEY_MODEL] = "model",
	[KEY_PRECISION] = "precision",
	[KEY_RUN] = "run",
	[KEY_VERSION] = "framework_version",
	[KEY_DEVICE] = "device",
	[KEY_BATCH_DEVICE] = "batch_size_per_device",
	[KEY_NODES] = "nodes",
	[KEY_PER_NODE] = "gpus_per_node",
	[KEY_GPUS] = "gpus",
	[KEY_BATCH] = "batch_size",
	[KEY_SEQUENCE] = "sequence_length",
	[KEY_TOKENS] = "tokens_per_step",
	[KEY_MICRO] = "micro_batch_size",
	[KEY_ACCUMULATION] = "accumulation",
	[KEY_REPLICAS] = "data_parallel",
	[KEY_SHARES] = "model_parallel",
	[KEY_TASKS] = "tasks",
};

/* Resolved value of a key. */
struct pick {
	const char *value; /* NULL: unknown */
	long count;        /* the value, for counts */
	enum metadata_origin origin;
	const struct metadata_entry
	    *item; /* its statement, or its weaker input's */
};

struct resolver {
	struct arena *arena;
	struct metadata *f;
	const struct metadata_entry *stated[N_KEYS][N_METADATA_ORIGINS];
	/* The first contradicting statement of the same origin, or NULL. */
	const struct metadata_entry *otherwise[N_KEYS][N_METADATA_ORIGINS];
	struct pick picks[N_KEYS];
};

const char *
metadata_log_text(const struct log *log, const char *key)
{
	for (size_t i = 0; i < log->n_metadata; i++)
		if (strcmp(log->metadata[i].key, key) == 0)
			return log->metadata[i].value;
	return NULL;
}

double
metadata_log_number(const struct log *log, const char *key)
{
	for (size_t i = 0; i < log->n_metadata; i++) {
		const struct log_metadata *x = &log->metadata[i];
		double number;

		if (strcmp(x->key, key) == 0 &&
		    number_parse(x->value, strlen(x->value), &number) ==
			UNITS_OK)
			return number;
	}
	return NAN;
}

const char *
metadata_origin_name(enum metadata_origin origin)
{
	static const char *const names[N_METADATA_ORIGINS] = {
		[METADATA_PATH] = "path",
		[METADATA_TEMPLATE] = "path",
		[METADATA_OPTION] = "option",
		[METADATA_MAP] = "map",
	};

	return names[origin] != NULL ? names[origin] : "log";
}

enum metadata_origin
metadata_origin_of(enum log_voice voice)
{
	static const enum metadata_origin origins[N_LOG_VOICES] = {
		[LOG_PROGRAM] = METADATA_LOG,
		[LOG_LAUNCHER] = METADATA_LAUNCHER,
		[LOG_JOB] = METADATA_JOB,
		[LOG_MACHINE] = METADATA_MACHINE,
		[LOG_GUESS] = METADATA_GUESS,
	};

	return origins[voice];
}

int
metadata_by_log(enum metadata_origin origin)
{
	return origin <= METADATA_LOG && origin != METADATA_PATH;
}

void
metadata_state(struct metadata_stated *stated, enum metadata_origin origin,
    const char *key, const char *value, int64_t line)
{
	if (origin == METADATA_LOG && line == 0)
		origin = METADATA_FORMAT;
	stated->items = vec_grow(
	    stated->items, stated->n, &stated->alloc, sizeof *stated->items);
	stated->items[stated->n++] =
	    (struct metadata_entry){ origin, 0, key, value, line, NULL };
}

void
metadata_label(struct metadata_stated *stated, enum metadata_origin origin,
    const char *key, const char *value)
{
	metadata_state(stated, origin, key, value, 0);
	stated->items[stated->n - 1].origin = origin;
	stated->items[stated->n - 1].is_label = 1;
}

void
metadata_forget(struct metadata_stated *stated)
{
	free(stated->items);
	*stated = (struct metadata_stated)METADATA_STATED_INIT;
}

static int
same_statement(enum key k, const char *a, const char *b)
{
	long x, y;

	if (k < KEY_FIRST_COUNT)
		return strcasecmp(a, b) == 0;
	return parse_long(a, 1, LONG_MAX, &x) == 0 &&
	    parse_long(b, 1, LONG_MAX, &y) == 0 && x == y;
}

/* "map line 3", "option", "path", "log line 7", "log line 7 of rank1.log",
 * "format". */
static const char *
origin_text(struct arena *a, const struct metadata_entry *item)
{
	if (item->origin == METADATA_MAP)
		return arena_printf(a, "map line %lld", (long long)item->line);
	if (!metadata_by_log(item->origin))
		return metadata_origin_name(item->origin);
	if (item->origin == METADATA_FORMAT)
		return "format";
	if (item->file != NULL)
		return arena_printf(a, "log line %lld of %s",
		    (long long)item->line, item->file);
	return arena_printf(a, "log line %lld", (long long)item->line);
}

/* True for a statement of the log that is not a guess. */
static int
is_said(enum metadata_origin origin)
{
	return metadata_by_log(origin) && origin > METADATA_GUESS;
}

static int
is_path(enum metadata_origin origin)
{
	return origin == METADATA_PATH || origin == METADATA_TEMPLATE;
}

/* Add a conflict. It is flagged for counts on which results depend and that
 * cannot differ between phases of a run.
 *
 * taken  the statement used, or the weakest one from which it is derived */
static void
add_conflict(struct resolver *r, enum key k, const struct pick *taken,
    const char *taken_value, const struct metadata_entry *other)
{
	struct metadata *f = r->f;
	const int both =
	    metadata_by_log(taken->origin) && metadata_by_log(other->origin);
	struct metadata_conflict *all;

	/* Guesses and defaults of formats do not contradict. */
	if (other->origin == METADATA_GUESS ||
	    (both && other->origin == METADATA_FORMAT))
		return;
	all = arena_longer(r->arena, f->conflicts, f->n_conflicts, sizeof *all);
	all[f->n_conflicts++] = (struct metadata_conflict){
		.key = key_names[k],
		.taken = taken->origin,
		.other = other->origin,
		.quiet = both && taken->origin != other->origin,
		.flagged = k >= KEY_BATCH_DEVICE && k <= KEY_BATCH &&
		    ((both && taken->origin == other->origin) ||
			(is_path(other->origin) && is_said(taken->origin)) ||
			(is_path(taken->origin) && is_said(other->origin))),
		.taken_value = taken_value,
		.other_value = arena_strdup(r->arena, other->value),
		.line = metadata_by_log(other->origin) ? other->line : 0,
		.file = other->file != NULL
		    ? arena_strdup(r->arena, other->file)
		    : NULL,
		.taken_place = origin_text(r->arena, taken->item),
		.other_place = origin_text(r->arena, other),
	};
	f->conflicts = all;
}

/* Pick the statement of k with the highest precedence and record
 * contradictions. */
static void
pick_strongest(struct resolver *r, enum key k)
{
	static const enum metadata_origin of_texts[N_METADATA_ORIGINS] = {
		METADATA_MAP, METADATA_OPTION, METADATA_TEMPLATE, METADATA_PATH,
		METADATA_LOG, METADATA_LAUNCHER, METADATA_JOB, METADATA_MACHINE,
		METADATA_GUESS, METADATA_FORMAT
	};
	struct pick *p = &r->picks[k];

	for (int i = 0; i < N_METADATA_ORIGINS; i++) {
		const int o = k < KEY_FIRST_COUNT ? (int)of_texts[i]
						  : N_METADATA_ORIGINS - 1 - i;
		const struct metadata_entry *item = r->stated[k][o];

		if (item == NULL)
			continue;
		if (p->value == NULL) {
			p->value = arena_strdup(r->arena, item->value);
			p->origin = item->origin;
			p->item = item;
			if (k >= KEY_FIRST_COUNT)
				parse_long(item->value, 1, LONG_MAX, &p->count);
		} else if (!same_statement(k, p->value, item->value))
			add_conflict(r, k, p, p->value, item);
	}
	if (p->item != NULL && metadata_by_log(p->origin) &&
	    r->otherwise[k][p->origin] != NULL)
		add_conflict(r, k, p, p->value, r->otherwise[k][p->origin]);
}

/* --- Arithmetic of counts --------------------------------------------------*/

/* Set k to a derived value; from is the weakest of its inputs. */
static void
derive_count(
    struct resolver *r, enum key k, long count, const struct pick *from)
{
	const struct pick p = *from;

	r->picks[k] = (struct pick){ arena_printf(r->arena, "%ld", count),
		count, p.origin, p.item };
}

static const struct pick *
weaker_pick(const struct pick *a, const struct pick *b)
{
	return b->origin < a->origin ? b : a;
}

/* The product of two counts; 0 if one is unknown, and on overflow. */
static long
product_of(long a, long b)
{
	return a > 0 && b > 0 && a <= LONG_MAX / b ? a * b : 0;
}

/* Derive k, if unknown, as the quotient of two counts without remainder. */
static void
divide_counts(struct resolver *r, enum key k, enum key all, enum key part)
{
	const struct pick *x = &r->picks[all], *y = &r->picks[part];

	if (r->picks[k].count == 0 && x->count > 0 && y->count > 0 &&
	    x->count % y->count == 0)
		derive_count(r, k, x->count / y->count, weaker_pick(x, y));
}

/* Discard a value as if it were not stated. */
static void
drop_pick(struct pick *p)
{
	*p = (struct pick){ NULL, 0, METADATA_FORMAT, NULL };
}

/* Discard nodes or GPUs per node that contradict the total, and record the
 * conflict, if the total takes precedence. Within one origin the total takes it
 * only in logs, where "nodes" has several meanings. */
static void
give_way(struct resolver *r)
{
	struct pick *nodes = &r->picks[KEY_NODES];
	struct pick *each = &r->picks[KEY_PER_NODE], *one;
	const struct pick *gpus = &r->picks[KEY_GPUS];
	struct metadata_entry other;
	const char *text;

	if (nodes->count > 0 && each->count > 0) {
		one = nodes->origin <= each->origin ? nodes : each;
		text = arena_printf(
		    r->arena, "%ld nodes of %ld", nodes->count, each->count);
		if (gpus->count == product_of(nodes->count, each->count))
			return;
	} else {
		one = nodes->count > 0 ? nodes : each;
		text = arena_printf(r->arena, "%ld %s", one->count,
		    one == nodes ? "nodes" : "each");
		if (one->count == 0 || gpus->count % one->count == 0)
			return;
	}
	if (gpus->count == 0 || gpus->origin < one->origin ||
	    (gpus->origin == one->origin && !metadata_by_log(one->origin)))
		return;
	other = *one->item;
	other.value = text;
	add_conflict(r, KEY_GPUS, gpus, gpus->value, &other);
	drop_pick(one);
	/* The other count alone may contradict, too. */
	if (nodes->count > 0 || each->count > 0)
		give_way(r);
}

/* Samples per device and iteration from the log, or 0. A micro batch is used
 * only if the number of micro batches per iteration is stated. */
static long
device_batch_by_log(const struct resolver *r, const struct pick **from)
{
	const struct pick *p = r->picks;

	*from = p[KEY_BATCH_DEVICE].count > 0 ? &p[KEY_BATCH_DEVICE]
					      : &p[KEY_MICRO];
	if ((*from)->count == 0 || !is_said((*from)->origin))
		return 0;
	return *from == &p[KEY_MICRO]
	    ? product_of(p[KEY_MICRO].count, p[KEY_ACCUMULATION].count)
	    : p[KEY_BATCH_DEVICE].count;
}

/* Derive unstated GPUs: global batch over batch per device, unless several
 * devices share a batch; else the tasks of the job, if there is more than one
 * per node. */
static void
find_gpus(struct resolver *r)
{
	const struct pick *p = r->picks, *all = &p[KEY_BATCH], *from;
	const struct pick *tasks = &p[KEY_TASKS];
	const long each = device_batch_by_log(r, &from);

	if (p[KEY_GPUS].count > 0 ||
	    (p[KEY_NODES].count > 0 && p[KEY_PER_NODE].count > 0))
		return;
	if (each > 0 && all->count > 0 && is_said(all->origin) &&
	    all->count % each == 0 && p[KEY_SHARES].count <= 1 &&
	    p[KEY_REPLICAS].count == 0)
		derive_count(
		    r, KEY_GPUS, all->count / each, weaker_pick(all, from));
	else if (tasks->count > 1 && p[KEY_PER_NODE].count == 0 &&
	    tasks->count > p[KEY_NODES].count)
		derive_count(r, KEY_GPUS, tasks->count, tasks);
}

/* Drop a total of GPUs that the nodes, or the GPUs per node, do not divide; its
 * precedence is lower. */
static void
drop_indivisible(struct resolver *r)
{
	const struct pick *per_node = &r->picks[KEY_PER_NODE];
	const int is_each = per_node->count > 0;
	const struct pick *one = is_each ? per_node : &r->picks[KEY_NODES];
	struct pick *gpus = &r->picks[KEY_GPUS];
	struct metadata_entry other;

	if (gpus->count <= 0 || one->count <= 0 ||
	    gpus->count % one->count == 0)
		return;
	other = *gpus->item;
	other.value = gpus->value;
	add_conflict(r, KEY_GPUS, one,
	    arena_printf(
		r->arena, "%ld %s", one->count, is_each ? "each" : "nodes"),
	    &other);
	drop_pick(gpus);
}

/* Derive the third of nodes, GPUs per node and total GPUs from the other
 * two. */
static void
complete_gpus(struct resolver *r)
{
	const struct pick *nodes = &r->picks[KEY_NODES];
	const struct pick *per_node = &r->picks[KEY_PER_NODE];
	struct pick *gpus = &r->picks[KEY_GPUS];
	const struct metadata_entry *stated;
	long all;

	/* The total counts tasks, not GPUs, if its source states another number
	 * per node than a source that takes precedence. */
	stated = r->stated[KEY_PER_NODE][gpus->origin];
	if (gpus->count > 0 && per_node->count > 0 &&
	    per_node->origin > gpus->origin && stated != NULL &&
	    !same_statement(KEY_PER_NODE, stated->value, per_node->value))
		drop_pick(gpus);
	find_gpus(r);
	give_way(r);
	drop_indivisible(r);
	/* An option that states only the GPUs of a node implies one node. */
	if (per_node->count > 0 && per_node->origin >= METADATA_OPTION &&
	    nodes->count == 0 && gpus->count == 0)
		derive_count(r, KEY_NODES, 1, per_node);
	all = product_of(nodes->count, per_node->count);
	/* The product takes precedence over a stated total here. */
	if (all > 0) {
		stated = gpus->count > 0 && gpus->count != all
		    ? r->stated[KEY_GPUS][gpus->origin]
		    : NULL;
		derive_count(r, KEY_GPUS, all, weaker_pick(nodes, per_node));
		if (stated != NULL)
			add_conflict(r, KEY_GPUS, gpus, gpus->value, stated);
	}
	if (gpus->count == 1 && nodes->count == 0)
		derive_count(r, KEY_NODES, 1, gpus);
	divide_counts(r, KEY_PER_NODE, KEY_GPUS, KEY_NODES);
	divide_counts(r, KEY_NODES, KEY_GPUS, KEY_PER_NODE);
}

/* Use the batch size guessed from a command only if no other is known. */
static void
weigh_guessed_batch(struct resolver *r)
{
	struct pick *all = &r->picks[KEY_BATCH];
	struct pick *device = &r->picks[KEY_BATCH_DEVICE];
	const int has_micro = r->picks[KEY_MICRO].count > 0;

	if (device->origin == METADATA_GUESS &&
	    (has_micro || (all->count > 0 && all->origin > METADATA_GUESS)))
		drop_pick(device);
	if (all->origin == METADATA_GUESS && (has_micro || device->count > 0))
		drop_pick(all);
	if (all->origin == METADATA_GUESS)
		r->f->batch_guessed = all->count;
	else if (device->origin == METADATA_GUESS)
		r->f->batch_guessed = device->count;
}

/* Report if the log's batches imply another number of GPUs than stated, if each
 * device is known to have its own data. */
static void
check_gpus(struct resolver *r)
{
	const struct pick *p = r->picks, *all = &p[KEY_BATCH], *from;
	const struct pick *gpus = &p[KEY_GPUS];
	const long each = device_batch_by_log(r, &from);
	struct metadata_entry other;

	if (each == 0 || from != &p[KEY_MICRO] || all->count == 0 ||
	    gpus->count == 0 || !metadata_by_log(all->origin) ||
	    !metadata_by_log(gpus->origin) || p[KEY_SHARES].count > 0 ||
	    p[KEY_REPLICAS].count > 0 ||
	    all->count == product_of(each, gpus->count))
		return;
	other = *all->item;
	other.origin = gpus->origin;
	other.value =
	    arena_printf(r->arena, "a batch of %ld / %ld", all->count, each);
	add_conflict(r, KEY_GPUS, gpus, gpus->value, &other);
}

/* Compute the global batch from micro batches if no batch size is stated. Else
 * derive the batch per device from it, or check the two if both are stated. */
static void
complete_batch(struct resolver *r)
{
	const struct pick *p = r->picks, *micro = &p[KEY_MICRO];
	const struct pick *replicas =
	    &p[p[KEY_REPLICAS].count > 0 ? KEY_REPLICAS : KEY_GPUS];
	const long gpus = p[KEY_GPUS].count, steps = p[KEY_ACCUMULATION].count;
	const long own = product_of(micro->count, steps > 0 ? steps : 1);
	const struct pick *all = &p[KEY_BATCH];
	struct pick *device = &r->picks[KEY_BATCH_DEVICE], stated;

	if (all->count == 0 && device->count == 0 && own > 0) {
		const long sum = product_of(own, replicas->count);

		if (sum > 0)
			derive_count(
			    r, KEY_BATCH, sum, weaker_pick(micro, replicas));
		else if (replicas->count == 0 && steps > 0 &&
		    p[KEY_SHARES].count <= 1)
			derive_count(r, KEY_BATCH_DEVICE, own, micro);
	}
	stated = *device;
	divide_counts(r, KEY_BATCH_DEVICE, KEY_BATCH, KEY_GPUS);
	/* Some programs print the batch of one process as the batch. */
	if (all->count == 0 || stated.count == 0 || gpus == 0 ||
	    all->count == stated.count ||
	    all->count == product_of(stated.count, gpus))
		return;
	if (all->origin > stated.origin && metadata_by_log(all->origin)) {
		drop_pick(device);
		divide_counts(r, KEY_BATCH_DEVICE, KEY_BATCH, KEY_GPUS);
		add_conflict(r, KEY_BATCH_DEVICE, all,
		    arena_printf(r->arena, "%ld on %ld", all->count, gpus),
		    stated.item);
	} else
		add_conflict(r, KEY_BATCH, device,
		    arena_printf(
			r->arena, "%ld each on %ld", device->count, gpus),
		    r->stated[KEY_BATCH][all->origin]);
}

/* --- The result ------------------------------------------------------------*/

/* Add the labels of one origin to pairs; the first of each name is used. */
static void
add_labels(const struct metadata_stated *stated, enum metadata_origin origin,
    struct arena *a, struct result_pair *pairs, size_t *n)
{
	for (size_t i = 0; i < stated->n; i++) {
		const struct metadata_entry *s = &stated->items[i];
		size_t k = 0;

		if (!s->is_label || s->origin != origin)
			continue;
		while (k < *n && strcmp(pairs[k].key, s->key) != 0)
			k++;
		if (k == *n)
			pairs[(*n)++] =
			    (struct result_pair){ arena_strdup(a, s->key),
				    arena_strdup(a, s->value) };
	}
}

/* Collect the usable statements of each key. */
static void
collect_statements(struct resolver *r, const struct metadata_stated *stated)
{
	for (size_t i = 0; i < stated->n; i++) {
		const struct metadata_entry *s = &stated->items[i];
		const struct metadata_entry **first, **other;
		const char *name =
		    strcmp(s->key, "world_size") == 0 ? "gpus" : s->key;
		int key = 0;
		long n;

		while (key < N_KEYS && strcmp(name, key_names[key]) != 0)
			key++;

		if (s->is_label || key == N_KEYS || s->value[0] == '\0' ||
		    (key >= KEY_FIRST_COUNT &&
			parse_long(s->value, 1, LONG_MAX, &n) != 0))
			continue;
		first = &r->stated[key][s->origin];
		other = &r->otherwise[key][s->origin];
		/* Later lines may be of another phase. */
		if (*first == NULL)
			*first = s;
		else if (is_said(s->origin) && *other == NULL &&
		    !same_statement((enum key)key, (*first)->value, s->value))
			*other = s;
	}
}

void
metadata_resolve(
    const struct metadata_stated *stated, struct arena *a, struct metadata *f)
{
	struct resolver r = { .arena = a, .f = f };
	const struct pick *p = r.picks;
	long counts[N_KEYS], all;

	*f = (struct metadata){ .framework = NULL };
	collect_statements(&r, stated);
	for (int k = 0; k < N_KEYS; k++)
		pick_strongest(&r, (enum key)k);
	weigh_guessed_batch(&r);
	complete_gpus(&r);
	check_gpus(&r);
	complete_batch(&r);
	f->sources = arena_calloc(a, N_KEYS, sizeof *f->sources);
	for (int k = 0; k < N_KEYS; k++) {
		struct result_pair *pair = &f->sources[f->n_sources];

		if (p[k].value == NULL ||
		    (k == KEY_BATCH && p[KEY_BATCH_DEVICE].value != NULL))
			continue;
		f->n_sources++;
		pair->key = key_names[k];
		pair->value = origin_text(a, p[k].item);
		for (size_t i = 0; i < f->n_conflicts; i++)
			if (strcmp(f->conflicts[i].key, pair->key) == 0)
				pair->value = arena_printf(a, "%s; %s says %s",
				    pair->value, f->conflicts[i].other_place,
				    f->conflicts[i].other_value);
	}
	/* Labels of operands take precedence over those of the path; those of
	 * logs are separate. */
	f->labels = arena_calloc(a, stated->n + 1, sizeof *f->labels);
	f->varied = arena_calloc(a, stated->n + 1, sizeof *f->varied);
	add_labels(stated, METADATA_MAP, a, f->labels, &f->n_labels);
	add_labels(stated, METADATA_OPTION, a, f->labels, &f->n_labels);
	add_labels(stated, METADATA_PATH, a, f->labels, &f->n_labels);
	add_labels(stated, METADATA_LOG, a, f->varied, &f->n_varied);
	/* A pair begins with its key. */
	qsort(f->labels, f->n_labels, sizeof *f->labels, text_order_at);
	for (int k = 0; k < N_KEYS; k++)
		counts[k] = p[k].count > 0 ? p[k].count : RESULT_UNKNOWN;
	f->framework = p[KEY_FRAMEWORK].value;
	f->model = p[KEY_MODEL].value;
	f->precision = p[KEY_PRECISION].value;
	f->run = p[KEY_RUN].value;
	f->framework_version = p[KEY_VERSION].value;
	f->device = p[KEY_DEVICE].value;
	f->batch_size_per_device = counts[KEY_BATCH_DEVICE];
	/* Some programs call the batch per device the batch. */
	all = product_of(p[KEY_BATCH_DEVICE].count, p[KEY_GPUS].count);
	f->batch_size = all > 0 ? all : counts[KEY_BATCH];
	/* A batch that only the log states may change within it. */
	f->batch_by_log =
	    p[KEY_BATCH].value != NULL && metadata_by_log(p[KEY_BATCH].origin);
	for (int o = 0; o < N_METADATA_ORIGINS; o++)
		if (r.stated[KEY_BATCH_DEVICE][o] != NULL &&
		    !metadata_by_log((enum metadata_origin)o))
			f->batch_by_log = 0;
	f->sequence_length = counts[KEY_SEQUENCE];
	f->tokens_per_step = counts[KEY_TOKENS];
	f->nodes = counts[KEY_NODES];
	f->gpus_per_node = counts[KEY_PER_NODE];
	f->gpus = counts[KEY_GPUS];
}
