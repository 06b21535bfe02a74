/* Converts nested trace events to collectives and steps. */
#include <config.h>

#include "extract/scan/scanner_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/units/units.h"
#include "extract/input/encoding/records.h"
#include "extract/log/log.h"
#include "extract/log/words.h"

enum {
	MAX_TENSORS = 1 << 16,
	MAX_DEPTH = 16,         /* of nested events */
	NAME_SIZE = 32,         /* of an event; longer names are cut */
	MAX_STEPS = 512,        /* the first steps are used */
	MAX_RESPONSES = 1 << 16 /* in all steps */
};

/* Tensors transferred together; times in us. */
struct response {
	int n_open;        /* tensors in an unfinished operation */
	int closed;        /* 1: a transfer has ended; do not join */
	double ready;      /* last tensor ready on all ranks */
	double start, end; /* of the transfer */
	double bytes;      /* NAN: the size of a tensor is unknown */
	int64_t line;      /* first line */
	size_t step;       /* of a complete one, from 0 */
};

struct traced_tensor {
	char name[NAME_SIZE];  /* of the open operation */
	unsigned transfers;    /* bit d: the open event at depth d is one */
	int depth;             /* open events; may exceed MAX_DEPTH */
	struct response *open; /* or NULL */
	double ready;          /* time at which it was ready, us */
	size_t step;           /* 1 + its last step; 0: none */
};

struct horovod_timeline {
	struct traced_tensor *tensors; /* [n_tensors] by pid */
	size_t n_tensors, alloc_tensors;
	struct response *last; /* open to more tensors, or NULL */
	long ranks; /* largest number seen in negotiations or stated */
	/* Complete allreduces, in order of completion. */
	struct response *done; /* [n_done] */
	size_t n_done, alloc_done;
	size_t step; /* current step, from 0 */
	int again;   /* 1: a tensor recurs: the next response starts a step */
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

	return json_find_member(text, len, key, &m) != 0 || m.is_string
	    ? NAN
	    : json_member_number(&m);
}

/* Size of a tensor as stated at the end of an operation, such as shape
 * "[4096, 1001]", in bytes; NAN: unknown. */
static double
tensor_bytes(const char *text, size_t len)
{
	char dtype[NAME_SIZE];
	struct json_member shape;
	double n = 1, dim = 1;
	const char *p, *end;

	if (member_text(text, len, "dtype", dtype) != 0 ||
	    json_find_member(text, len, "shape", &shape) != 0 ||
	    shape.len < 2 || shape.value[0] != '[' ||
	    memchr(shape.value, ']', shape.len) == NULL)
		return NAN;
	for (p = shape.value; *p != ']'; p = end) {
		p += 1 + strspn(p + 1, " ");
		for (end = p, dim = 0; *end >= '0' && *end <= '9'; end++)
			dim = 10 * dim + (*end - '0');
		if (end == p)
			dim = 1; /* "[]", "[10,]" */
		end += strspn(end, " ");
		if ((*end != ',' && *end != ']') || (*end == ',' && end == p))
			return NAN;
		n *= dim;
	}
	return element_size(dtype) * n;
}

/* --- Events --------------------------------------------------------------- */

/* Remove a tensor from its response; the last one frees the response. */
static void
leave_response(struct horovod_timeline *t, struct traced_tensor *l)
{
	if (l->open != NULL && --l->open->n_open == 0) {
		if (t->last == l->open)
			t->last = NULL;
		free(l->open);
	}
	l->open = NULL;
}

static void
begin_event(struct horovod_timeline *t, struct traced_tensor *l,
    const char *name, double at, int64_t line)
{
	/* Activities that transfer data between ranks. */
	const int transfer =
	    words_fit("NCCL_|MPI_|GLOO_|CCL_|DDL_", WORDS_START, name);

	/* An operation begins twice without an end: the file has a gap. */
	if (l->depth == 1 && strcmp(l->name, name) == 0) {
		leave_response(t, l);
		l->depth = 0;
	}
	if (l->depth == 0) {
		l->ready = at;
		memcpy(l->name, name, NAME_SIZE);
	}
	if (l->depth < MAX_DEPTH) {
		l->transfers &= ~(1U << l->depth);
		l->transfers |= (unsigned)transfer << l->depth;
	}
	l->depth++;
	if (!transfer || l->open != NULL)
		return;
	/* Begin the transfer of the tensor, alone or joined with others. */
	if (t->last == NULL || t->last->closed) {
		t->last = xcalloc(1, sizeof *t->last);
		*t->last = (struct response){
			.ready = l->ready, .start = at, .end = at, .line = line
		};
	}
	l->open = t->last;
	l->open->n_open++;
	l->open->ready = fmax(l->open->ready, l->ready);
}

/* End the operation of a tensor; the last tensor ends the response. */
static void
end_operation(struct horovod_timeline *t, struct log *log,
    struct traced_tensor *l, double bytes)
{
	static const char *const names[][2] = { { "ALLREDUCE", "allreduce" },
		{ "ALLGATHER", "allgather" }, { "BROADCAST", "broadcast" },
		{ "ALLTOALL", "alltoall" },
		{ "REDUCESCATTER", "reduce_scatter" }, { "ADASUM", "adasum" } };
	struct response *r = l->open;
	const int allreduce = strcmp(l->name, "ALLREDUCE") == 0;

	if (r == NULL)
		return;
	r->bytes += bytes;
	if (allreduce) {
		if (l->step == t->step + 1)
			t->again = 1;
		l->step = t->step + 1 + (size_t)t->again;
	}
	/* Note the step of a complete allreduce. Its tensors before the one
	 * that was reduced again are marked with the old step. That is
	 * harmless: the other tensors reveal the next step. */
	if (allreduce && r->n_open == 1) {
		t->step += (size_t)t->again;
		t->again = 0;
		r->step = t->step;
		if (t->step <= MAX_STEPS + 1 && t->n_done < MAX_RESPONSES) {
			t->done = vec_grow(t->done, t->n_done, &t->alloc_done,
			    sizeof *t->done);
			t->done[t->n_done++] = *r;
		}
	}
	if (r->n_open == 1 && !isnan(r->bytes) && r->end > r->start) {
		struct log_collective x = { NULL, "response", r->bytes,
			(r->end - r->start) / 1e6, NAN, NAN, 1, r->line };

		for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
			if (strcmp(names[i][0], l->name) == 0)
				x.collective = names[i][1];
		log_collectives_add(log, &x, 1);
	}
	leave_response(t, l);
}

void
horovod_timeline_line(struct horovod_timeline *t, struct log *log,
    const char *text, size_t len, int64_t line)
{
	char kind[NAME_SIZE], name[NAME_SIZE] = "";
	struct traced_tensor *l;
	double at, pid, ranks = NAN;

	if (member_text(text, len, "ph", kind) != 0 || strlen(kind) != 1)
		return;
	member_text(text, len, "name", name);
	if (kind[0] == 'M') /* dlscale's trainer states the number of ranks */
		ranks = member_number(text, len, "ranks");
	else if (kind[0] == 'X' && /* rank N is ready */
	    number_parse(name, strlen(name), &ranks) == UNITS_OK)
		ranks++;
	if (ranks > (double)t->ranks && ranks <= 1e6)
		t->ranks = (long)ranks;
	if (kind[0] != 'B' && kind[0] != 'E')
		return;
	at = member_number(text, len, "ts");
	pid = member_number(text, len, "pid");
	if (!(pid >= 0 && pid < MAX_TENSORS) || isnan(at))
		return;
	while (t->n_tensors <= (size_t)pid) {
		t->tensors = vec_grow(t->tensors, t->n_tensors,
		    &t->alloc_tensors, sizeof *t->tensors);
		t->tensors[t->n_tensors++] =
		    (struct traced_tensor){ .depth = 0 };
	}
	l = &t->tensors[(size_t)pid];
	if (kind[0] == 'B') {
		begin_event(t, l, name, at, line);
		return;
	}
	if (l->depth == 0 || --l->depth >= MAX_DEPTH)
		return;
	if (l->open != NULL && (l->transfers >> l->depth & 1)) {
		l->open->closed = 1;
		l->open->end = fmax(l->open->end, at);
	}
	if (l->depth == 0)
		end_operation(t, log, l, tensor_bytes(text, len));
}

/* --- The end -------------------------------------------------------------- */

/* Allreduces of a step, [from, to) of done, and its times. */
struct step_span {
	size_t from, to;
	double start, end;
};

static void
add_metadata(struct log *log, const char *key, double value)
{
	if (isfinite(value))
		scanner_append_metadata(log,
		    &(struct log_metadata){ key,
			arena_printf(&log->arena, "%.9g", value), 0,
			LOG_PROGRAM });
}

/* Add the metadata of a step, and its buckets if requested. */
static void
add_step(const struct horovod_timeline *t, const struct step_span *x,
    int buckets, struct log *log)
{
	double busy = 0, bytes = 0, from = INFINITY;

	/* Sum up the times during which a transfer ran. They are sorted by end,
	 * not by start: go backwards, clipping at `from`. */
	for (size_t i = x->to; i-- > x->from;) {
		const double end = fmin(t->done[i].end, from);

		bytes += t->done[i].bytes;
		if (t->done[i].start < end) {
			busy += end - t->done[i].start;
			from = t->done[i].start;
		}
	}
	add_metadata(log, "phase_step_ms", (x->end - x->start) / 1e3);
	add_metadata(log, "phase_busy_ms", busy / 1e3);
	add_metadata(log, "phase_bytes", bytes);
	for (size_t i = x->from; buckets && i < x->to; i++) {
		const struct response *r = &t->done[i];
		const struct log_bucket b = { (long)(i - x->from), r->bytes,
			(r->ready - x->start) / 1e6,
			(r->start - x->start) / 1e6,
			(r->end - r->start) / 1e6 };

		if (isfinite(b.bytes))
			log_buckets_add(log, &b, "allreduce");
	}
}

void
horovod_timeline_end(const struct horovod_timeline *t, struct log *log)
{
	/* bus bandwidth as in doc/PERFORMANCE.md of nccl-tests */
	const double ranks = (double)t->ranks;
	struct step_span *steps = xcalloc(MAX_STEPS, sizeof *steps);
	struct step_span x = { 0, 0, NAN, NAN };
	/* usual: most frequent number of allreduces in a step, on a tie the
	 * larger one; most: number of steps with it. */
	size_t n = 0, usual = 0, most = 0;

	for (size_t i = 0; ranks >= 2 && i < log->n_collectives; i++) {
		struct log_collective *c = &log->collectives[i];

		if (c->collective != NULL &&
		    strcmp(c->collective, "allreduce") == 0)
			c->bus = c->algorithm * (2 * (ranks - 1) / ranks);
	}
	/* Collect complete steps. */
	for (; x.from < t->n_done; x.from = x.to) {
		const size_t step = t->done[x.from].step;

		x.start = x.end;
		for (x.end = -INFINITY;
		     x.to < t->n_done && t->done[x.to].step == step; x.to++)
			x.end = fmax(x.end, t->done[x.to].end);
		if (x.to < t->n_done && x.end > x.start && n < MAX_STEPS)
			steps[n++] = x;
	}
	for (size_t i = 0; i < n; i++) {
		const size_t count = steps[i].to - steps[i].from;
		size_t same = 0;

		for (size_t k = 0; k < n; k++)
			same += steps[k].to - steps[k].from == count;
		if (same > most || (same == most && count > usual)) {
			most = same;
			usual = count;
		}
	}
	for (size_t i = 0; i < n; i++)
		add_step(
		    t, &steps[i], steps[i].to - steps[i].from == usual, log);
	free(steps);
}

void
horovod_timeline_free(struct horovod_timeline *t)
{
	if (t == NULL)
		return;
	for (size_t i = 0; i < t->n_tensors; i++)
		leave_response(t, &t->tensors[i]);
	free(t->tensors);
	free(t->done);
	free(t);
}
