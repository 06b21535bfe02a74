/* Converts nested trace events to collectives. */
#include <config.h>

#include "extract/scan/horovod_timeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/units/units.h"
#include "extract/input/encoding/records.h"
#include "extract/log/log.h"
#include "extract/scan/timeline_steps.h"

enum {
	MAX_LANES = 1 << 16, /* tensors */
	MAX_DEPTH = 16,      /* of nested events */
	NAME_SIZE = 32       /* of an event; longer names are cut */
};

/* Tensors transferred together. */
struct timeline_response {
	int n_open;        /* tensors in an unfinished operation */
	int closed;        /* 1: a transfer has ended; do not join */
	int sized;         /* 0: the size of a tensor is unknown */
	double ready;      /* time at which the last became ready, us */
	double start, end; /* of the transfer, us */
	double bytes;
	int64_t line; /* first line */
};

/* A tensor. */
struct timeline_tensor {
	char names[MAX_DEPTH][NAME_SIZE]; /* of the open events */
	int depth;                        /* may exceed MAX_DEPTH */
	struct timeline_response *group;  /* or NULL */
	double ready;                     /* time at which it was ready, us */
};

struct horovod_timeline {
	struct timeline_tensor **lanes; /* [n_lanes]; NULL: nothing open */
	size_t n_lanes, alloc_lanes;
	struct timeline_response
	    *last;  /* open to more tensors, or NULL if none */
	long ranks; /* largest number of ranks seen in negotiations or stated */
	struct timeline_steps steps;
};

struct horovod_timeline *
horovod_timeline_new(void)
{
	return xcalloc(1, sizeof(struct horovod_timeline));
}

/* --- Parts of an event ---------------------------------------------------- */

/* Read a text member of a (flat) event. Returns 0 or -1. */
static int
member_text(const char *text, size_t len, const char *key, char out[NAME_SIZE])
{
	struct json_member m;

	if (json_find_member(text, len, key, &m) != 0 || !m.is_string)
		return -1;
	json_member_text(&m, out, NAME_SIZE);
	return 0;
}

/* Read a number member; NAN if there is none. */
static double
member_number(const char *text, size_t len, const char *key)
{
	struct json_member m;

	if (json_find_member(text, len, key, &m) != 0 || m.is_string)
		return NAN;
	return json_member_number(&m);
}

/* Number of elements of a shape: "[4096, 1001]"; 1 for "[]"; NAN if it is
 * malformed. */
static double
shape_elements(const char *p, const char *end)
{
	double n = 1, dim = 0;
	int digits = 0;

	if (p == end || *p++ != '[')
		return NAN;
	for (; p < end && *p != ']'; p++) {
		if (*p >= '0' && *p <= '9') {
			dim = 10 * dim + (*p - '0');
			digits = 1;
		} else if (*p == ',' && digits) {
			n *= dim;
			dim = 0;
			digits = 0;
		} else if (*p != ' ') {
			return NAN;
		}
	}
	if (p == end)
		return NAN;
	return digits ? n * dim : n;
}

/* Size of a tensor as stated at the end of an operation, bytes; NAN:
 * unknown. */
static double
tensor_bytes(const char *text, size_t len)
{
	char dtype[NAME_SIZE];
	struct json_member shape;

	if (member_text(text, len, "dtype", dtype) != 0 ||
	    json_find_member(text, len, "shape", &shape) != 0)
		return NAN;
	return element_size(dtype) *
	    shape_elements(shape.value, shape.value + shape.len);
}

/* True for activities that transfer data between ranks. */
static int
is_transfer(const char *name)
{
	static const char *const carriers[] = { "NCCL_", "MPI_", "GLOO_",
		"CCL_", "DDL_" };

	for (size_t i = 0; i < sizeof carriers / sizeof carriers[0]; i++)
		if (strncmp(name, carriers[i], strlen(carriers[i])) == 0)
			return 1;
	return 0;
}

/* --- Events --------------------------------------------------------------- */

static struct timeline_tensor *
get_lane(struct horovod_timeline *t, double pid)
{
	size_t i;

	if (!(pid >= 0 && pid < MAX_LANES))
		return NULL;
	i = (size_t)pid;
	while (t->n_lanes <= i) {
		t->lanes = vec_grow(
		    t->lanes, t->n_lanes, &t->alloc_lanes, sizeof *t->lanes);
		t->lanes[t->n_lanes++] = NULL;
	}
	if (t->lanes[i] == NULL)
		t->lanes[i] = xcalloc(1, sizeof *t->lanes[i]);
	return t->lanes[i];
}

/* Remove a tensor from its group; the last one frees the group. */
static void
response_leave(struct horovod_timeline *t, struct timeline_tensor *l)
{
	if (l->group != NULL && --l->group->n_open == 0) {
		if (t->last == l->group)
			t->last = NULL;
		free(l->group);
	}
	l->group = NULL;
}

/* Begin the transfer of a tensor, alone or joined with others. */
static void
response_join(struct horovod_timeline *t, struct timeline_tensor *l, double at,
    int64_t line)
{
	struct timeline_response *g = t->last;

	if (g == NULL || g->closed) {
		g = xcalloc(1, sizeof *g);
		g->sized = 1;
		g->start = g->end = at;
		g->ready = l->ready;
		g->line = line;
		t->last = g;
	}
	g->n_open++;
	if (l->ready > g->ready)
		g->ready = l->ready;
	l->group = g;
}

static void
begin_event(struct horovod_timeline *t, struct timeline_tensor *l,
    const char *name, double at, int64_t line)
{
	/* An operation begins twice without an end: the file has a gap. */
	if (l->depth == 1 && strcmp(l->names[0], name) == 0) {
		response_leave(t, l);
		l->depth = 0;
	}
	if (l->depth == 0)
		l->ready = at;
	if (l->depth < MAX_DEPTH)
		memcpy(l->names[l->depth], name, NAME_SIZE);
	l->depth++;
	if (is_transfer(name) && l->group == NULL)
		response_join(t, l, at, line);
}

/* The usual name of an operation, a constant, or NULL. */
static const char *
operation_name(const char *name)
{
	static const struct {
		const char *name, *small;
	} known[] = { { "ALLREDUCE", "allreduce" },
		{ "ALLGATHER", "allgather" }, { "BROADCAST", "broadcast" },
		{ "ALLTOALL", "alltoall" },
		{ "REDUCESCATTER", "reduce_scatter" }, { "ADASUM", "adasum" } };

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (strcmp(known[i].name, name) == 0)
			return known[i].small;
	return NULL;
}

/* End the operation of a tensor; the last tensor ends the response.
 */
static void
end_operation(struct horovod_timeline *t, struct log *log,
    struct timeline_tensor *l, size_t lane, double bytes)
{
	struct timeline_response *g = l->group;

	if (g == NULL)
		return;
	g->sized &= !isnan(bytes);
	g->bytes += bytes;
	if (strcmp(l->names[0], "ALLREDUCE") == 0) {
		const struct timeline_carried x = { g->ready, g->start, g->end,
			g->bytes, 0 };

		timeline_steps_tensor(&t->steps, lane);
		if (g->n_open == 1)
			timeline_steps_response(&t->steps, &x);
	}
	if (g->n_open == 1 && g->sized && g->end > g->start) {
		const struct log_collective x = { operation_name(l->names[0]),
			"response", g->bytes, (g->end - g->start) / 1e6, NAN,
			NAN, 1, g->line };

		if (log_collectives_add(log, &x, 1) != 0)
			log->n_bad_values++;
	}
	response_leave(t, l);
}

static void
end_event(struct horovod_timeline *t, struct log *log,
    struct timeline_tensor *l, size_t lane, double at, const char *text,
    size_t len)
{
	if (l->depth == 0)
		return;
	l->depth--;
	if (l->depth >= MAX_DEPTH)
		return;
	if (l->group != NULL && is_transfer(l->names[l->depth])) {
		l->group->closed = 1;
		if (at > l->group->end)
			l->group->end = at;
	}
	if (l->depth == 0)
		end_operation(t, log, l, lane, tensor_bytes(text, len));
}

/* Raise the number of ranks to n. */
static void
see_ranks(struct horovod_timeline *t, double n)
{
	if (n > (double)t->ranks && n <= 1e6)
		t->ranks = (long)n;
}

void
horovod_timeline_line(struct horovod_timeline *t, struct log *log,
    const char *text, size_t len, int64_t line)
{
	char kind[NAME_SIZE], name[NAME_SIZE] = "";
	double at, tick, pid;
	struct timeline_tensor *l;

	if (member_text(text, len, "ph", kind) != 0 || strlen(kind) != 1 ||
	    strchr("BEXM", kind[0]) == NULL)
		return;
	member_text(text, len, "name", name);
	if (kind[0] == 'M') { /* dlscale's trainer states the number of ranks */
		see_ranks(t, member_number(text, len, "ranks"));
		return;
	}
	if (kind[0] == 'X') { /* rank N is ready */
		if (number_parse(name, strlen(name), &tick) == UNITS_OK)
			see_ranks(t, tick + 1);
		return;
	}
	at = member_number(text, len, "ts");
	pid = member_number(text, len, "pid");
	l = get_lane(t, pid);
	if (l == NULL || isnan(at))
		return;
	if (kind[0] == 'B')
		begin_event(t, l, name, at, line);
	else
		end_event(t, log, l, (size_t)pid, at, text, len);
}

/* --- The end -------------------------------------------------------------- */

static void
horovod_timeline_forget(struct horovod_timeline *t)
{
	for (size_t i = 0; i < t->n_lanes; i++) {
		if (t->lanes[i] != NULL)
			response_leave(t, t->lanes[i]);
		free(t->lanes[i]);
	}
	timeline_steps_release(&t->steps);
	t->n_lanes = 0;
	t->last = NULL;
	t->ranks = 0;
}

void
horovod_timeline_end(struct horovod_timeline *t, struct log *log)
{
	/* bus bandwidth as in doc/PERFORMANCE.md of nccl-tests */
	const double n = (double)t->ranks, factor = 2 * (n - 1) / n;

	for (size_t i = 0; n >= 2 && i < log->n_collectives; i++) {
		struct log_collective *x = &log->collectives[i];

		if (x->collective != NULL &&
		    strcmp(x->collective, "allreduce") == 0)
			x->bus = x->algorithm * factor;
	}
	timeline_steps_end(&t->steps, log);
	horovod_timeline_forget(t);
}

void
horovod_timeline_free(struct horovod_timeline *t)
{
	if (t == NULL)
		return;
	horovod_timeline_forget(t);
	free(t->lanes);
	free(t);
}
