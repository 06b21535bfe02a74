/* Times of collectives: the current step and a histogram. */
#include <config.h>

#include "trainer/sync/collective_trace.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/alloc.h"

static const double mib = 1 << 20;

struct trace *
trace_new(int ranks)
{
	struct trace *t = xcalloc(1, sizeof *t);

	assert(ranks >= 1);
	t->ranks = ranks;
	return t;
}

void
trace_free(struct trace *t)
{
	if (t == NULL)
		return;
	free(t->events);
	free(t);
}

void
trace_begin_step(struct trace *t, int64_t number, double now)
{
	t->step = (struct trace_step){ .number = number, .start = now };
}

/* Bytes that each link carries, as a fraction of the data. Source:
 * doc/PERFORMANCE.md of nccl-tests. */
static double
bus_factor(const struct trace_event *event, int ranks)
{
	const int n = event->ranks > 0 ? event->ranks : ranks;
	const double share = (double)(n - 1) / n;

	if (strcmp(event->op, "allreduce") == 0)
		return 2 * share;
	if (strcmp(event->op, "reduce_scatter") == 0 ||
	    strcmp(event->op, "allgather") == 0)
		return share;
	return 1;
}

double
trace_algorithm_bandwidth(const struct trace_event *event)
{
	const double s = event->end - event->start;

	return event->bytes / (s > 1e-9 ? s : 1e-9);
}

double
trace_bus_bandwidth(const struct trace_event *event, int ranks)
{
	return trace_algorithm_bandwidth(event) * bus_factor(event, ranks);
}

void
trace_add(struct trace *t, const struct trace_event *event)
{
	struct trace_bin *b;

	if (t == NULL)
		return;
	t->events = vec_grow(
	    t->events, (size_t)t->step.n, &t->alloc, sizeof *t->events);
	t->events[t->step.n++] = *event;
	t->step.bytes += event->bytes;
	t->step.busy += event->end - event->start;
	b = &t->bins[size_bin(event->bytes)];
	b->n++;
	b->bytes += event->bytes;
	b->bus_bytes += event->bytes * bus_factor(event, t->ranks);
	b->seconds += event->end - event->start;
	b->bus += trace_bus_bandwidth(event, t->ranks);
}

void
trace_end_step(struct trace *t, double exposed, double now)
{
	t->step.end = now;
	t->step.exposed = exposed;
}

void
trace_show_step(
    const struct trace *t, const char *backend, int rank, struct strbuf *sb)
{
	const struct trace_step *s = &t->step;

	for (long i = 0; i < s->n; i++) {
		const struct trace_event *x = &t->events[i];

		strbuf_printf(sb,
		    "dlscale: collective step=%lld rank=%d bucket=%d op=%s "
		    "backend=%s tensors=%d bytes=%.0f ready_us=%.1f "
		    "start_us=%.1f duration_us=%.1f algorithm_gb_per_s=%.5g "
		    "bus_gb_per_s=%.5g",
		    (long long)s->number + 1, rank, x->bucket, x->op, backend,
		    x->n_tensors, x->bytes, 1e6 * (x->ready - s->start),
		    1e6 * (x->start - s->start), 1e6 * (x->end - x->start),
		    1e-9 * trace_algorithm_bandwidth(x),
		    1e-9 * trace_bus_bandwidth(x, t->ranks));
		if (x->ranks > 0)
			strbuf_printf(sb, " ranks=%d", x->ranks);
		strbuf_addch(sb, '\n');
	}
	strbuf_printf(sb,
	    "dlscale: collectives step=%lld rank=%d n=%ld bytes=%.0f "
	    "busy_us=%.1f exposed_us=%.1f overlap=%.4f\n",
	    (long long)s->number + 1, rank, s->n, s->bytes, 1e6 * s->busy,
	    1e6 * s->exposed,
	    s->busy > s->exposed ? 1 - s->exposed / s->busy : 0.0);
}

void
trace_show_histogram(const struct trace *t, struct strbuf *sb)
{
	const double mibit = 8 / mib; /* Mibit per byte */
	char label[SIZE_LABEL_SIZE];
	double all_s = 0;

	for (int i = 0; i < SIZE_BINS; i++)
		all_s += t->bins[i].seconds;
	for (int i = 0; i < SIZE_BINS; i++) {
		const struct trace_bin *b = &t->bins[i];
		const double n = (double)b->n;

		if (b->n == 0)
			continue;
		size_bin_label(i, ",", label);
		strbuf_printf(sb,
		    "dlscale: collectives_by_size size=%s n=%ld mean_mib=%.5g "
		    "mean_rate_mibit_per_s=%.6g rate_mibit_per_s=%.6g "
		    "total_s=%.5g mean_ms=%.5g share=%.4f\n",
		    label, b->n, b->bytes / n / mib, mibit * b->bus / n,
		    b->seconds > 0 ? mibit * b->bus_bytes / b->seconds : 0.0,
		    b->seconds, 1e3 * b->seconds / n,
		    all_s > 0 ? b->seconds / all_s : 0.0);
	}
}

/* --- Timeline ------------------------------------------------------------- */

enum {
	PIECE_MAX = 1 << 26, /* maximum bytes of a step's events */
	UPPER_SIZE = 32
};

struct timeline_writer {
	char *path;
	struct timeline_writer_config config;
	int is_chrome; /* 1: Chrome's format; 0: Horovod's */
	int fd;
	int is_old;       /* 1: the file still holds an earlier run */
	off_t end;        /* offset of the final "\n]\n" in the file */
	double start;     /* seconds of the monotonic clock; 0: no event yet */
	int n_named;      /* number of buckets already named (horovod) */
	struct strbuf sb; /* events not yet written */
};

/* --- Parts --------------------------------------------------------------- */

/* Begin an event, with a comma before all but the first. */
static void
next_event(struct timeline_writer *l)
{
	strbuf_addstr(&l->sb, l->end > 1 || l->sb.len > 1 ? ",\n" : "\n");
}

/* Convert a time of the monotonic clock to microseconds since the first
 * step. */
static double
us_since_start(const struct timeline_writer *l, double s)
{
	return 1e6 * (s - l->start);
}

/* A name in capitals: "MPI", "REDUCESCATTER". */
static const char *
upper(const char *s, char buf[UPPER_SIZE])
{
	int n = 0;

	for (; *s != '\0' && n + 1 < UPPER_SIZE; s++)
		if (*s != '_')
			buf[n++] = (char)toupper((unsigned char)*s);
	buf[n] = '\0';
	return buf;
}

/* --- Horovod's form ------------------------------------------------------ */

static void
horovod_event(struct timeline_writer *l, const struct trace_event *x)
{
	const double ready = us_since_start(l, x->ready);
	const double start = us_since_start(l, x->start);
	const double end = us_since_start(l, x->end);
	const int pid = x->bucket + 1;
	char op[UPPER_SIZE], backend[UPPER_SIZE];

	/* Name the bucket's "process"; numbers start at 1. */
	for (; l->n_named < pid; l->n_named++) {
		next_event(l);
		strbuf_printf(&l->sb,
		    "{\"name\": \"process_name\", \"ph\": \"M\", \"pid\": %d, "
		    "\"args\": {\"name\": \"bucket.%d\"}},\n"
		    "{\"name\": \"process_sort_index\", \"ph\": \"M\", "
		    "\"pid\": %d, \"args\": {\"sort_index\": %d}}",
		    l->n_named + 1, l->n_named, l->n_named + 1, l->n_named + 1);
	}
	next_event(l);
	upper(x->op, op);
	strbuf_printf(&l->sb,
	    "{\"ph\": \"B\", \"name\": \"%s\", \"ts\": %.0f, \"pid\": %d},\n"
	    "{\"ph\": \"B\", \"name\": \"QUEUE\", \"ts\": %.0f, \"pid\": %d},\n"
	    "{\"ph\": \"E\", \"ts\": %.0f, \"pid\": %d},\n"
	    "{\"ph\": \"B\", \"name\": \"%s_%s\", \"ts\": %.0f, \"pid\": "
	    "%d},\n"
	    "{\"ph\": \"E\", \"ts\": %.0f, \"pid\": %d},\n"
	    "{\"ph\": \"E\", \"ts\": %.0f, \"pid\": %d, \"args\": "
	    "{\"dtype\": \"%s\", \"shape\": \"[%.0f]\"}}",
	    op, ready, pid, ready, pid, start, pid,
	    upper(l->config.backend, backend), op, start, pid, end, pid, end,
	    pid, l->config.dtype, x->bytes / l->config.element);
}

/* --- Chrome's ------------------------------------------------------------ */

enum { TID_STEP, TID_WAIT, TID_COLLECTIVE, N_TIDS };

/* Write the head of a complete event, up to its arguments. */
static void
chrome_complete(struct timeline_writer *l, int tid, double from, double to)
{
	strbuf_printf(&l->sb,
	    "\"ph\": \"X\", \"ts\": %.3f, \"dur\": %.3f, \"pid\": %d, "
	    "\"tid\": %d",
	    us_since_start(l, from), 1e6 * (to - from), l->config.rank, tid);
}

static void
chrome_event(
    struct timeline_writer *l, const struct trace_event *x, int64_t step)
{
	struct strbuf *sb = &l->sb;

	if (x->start > x->ready) {
		next_event(l);
		strbuf_printf(sb,
		    "{\"name\": \"bucket %d\", \"cat\": \"wait\", ", x->bucket);
		chrome_complete(l, TID_WAIT, x->ready, x->start);
		strbuf_addch(sb, '}');
	}
	next_event(l);
	strbuf_printf(
	    sb, "{\"name\": \"%s\", \"cat\": \"collective\", ", x->op);
	chrome_complete(l, TID_COLLECTIVE, x->start, x->end);
	strbuf_printf(sb,
	    ", \"args\": {\"step\": %lld, \"bucket\": %d, \"backend\": \"%s\", "
	    "\"tensors\": %d, \"dtype\": \"%s\", \"bytes\": %.0f, "
	    "\"ranks\": %d, \"algorithm_gb_per_s\": %.5g, "
	    "\"bus_gb_per_s\": %.5g}}",
	    (long long)step + 1, x->bucket, l->config.backend, x->n_tensors,
	    l->config.dtype, x->bytes,
	    x->ranks > 0 ? x->ranks : l->config.ranks,
	    1e-9 * trace_algorithm_bandwidth(x),
	    1e-9 * trace_bus_bandwidth(x, l->config.ranks));
}

/* --- The file ------------------------------------------------------------ */

const char *const timeline_forms[] = { "horovod", "chrome", NULL };

/* Overwrite the end of the array with the events and a new end. */
static int
flush_timeline(struct timeline_writer *l, struct error *e)
{
	static const char end[] = "\n]\n";
	const size_t len = l->sb.len;
	size_t at = 0;

	if (l->is_old && ftruncate(l->fd, 0) != 0)
		return error_errno(
		    e, errno, "cannot write timeline '%s'", l->path);
	l->is_old = 0;
	strbuf_addstr(&l->sb, end);
	while (at < l->sb.len) {
		const ssize_t n = pwrite(
		    l->fd, l->sb.buf + at, l->sb.len - at, l->end + (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			strbuf_reset(&l->sb);
			return error_errno(
			    e, errno, "cannot write timeline '%s'", l->path);
		}
		at += (size_t)n;
	}
	l->end += (off_t)len;
	strbuf_reset(&l->sb);
	return 0;
}

int
timeline_writer_open(const char *path, const struct timeline_writer_config *c,
    struct timeline_writer **out, struct error *e)
{
	static const char *const names[N_TIDS] = { "steps", "buckets that wait",
		"collectives" };
	const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	struct timeline_writer *l;
	struct timespec now;
	struct stat st;

	if (fd < 0)
		return error_errno(
		    e, errno, "cannot write timeline '%s'", path);
	l = xcalloc(1, sizeof *l);
	l->path = xstrdup(path);
	l->config = *c;
	l->is_chrome = strcmp(c->form, "chrome") == 0;
	l->fd = fd;
	strbuf_init(&l->sb, PIECE_MAX);
	strbuf_addch(&l->sb, '[');
	next_event(l);
	if (l->is_chrome) {
		strbuf_printf(&l->sb,
		    "{\"name\": \"process_name\", \"ph\": \"M\", \"pid\": %d, "
		    "\"args\": {\"name\": \"rank %d\", \"ranks\": %d, "
		    "\"version\": \"%s\"}}",
		    c->rank, c->rank, c->ranks, PACKAGE_VERSION);
		for (int i = 0; i < N_TIDS; i++) {
			next_event(l);
			strbuf_printf(&l->sb,
			    "{\"name\": \"thread_name\", \"ph\": \"M\", "
			    "\"pid\": %d, \"tid\": %d, "
			    "\"args\": {\"name\": \"%s\"}}",
			    c->rank, i, names[i]);
		}
	} else {
		clock_gettime(CLOCK_REALTIME, &now);
		strbuf_printf(&l->sb,
		    "{\"name\": \"process_name\", \"ph\": \"M\", \"pid\": 0, "
		    "\"args\": {\"start_time_since_epoch_in_micros\":%lld, "
		    "\"framework\": \"dlscale\", \"version\": \"%s\", "
		    "\"ranks\": %d}}",
		    (long long)now.tv_sec * 1000000 + now.tv_nsec / 1000,
		    PACKAGE_VERSION, l->config.ranks);
	}
	l->is_old =
	    fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
	if (!l->is_old && flush_timeline(l, e) != 0) {
		timeline_writer_close(l);
		return -1;
	}
	*out = l;
	return 0;
}

int
timeline_writer_step(
    struct timeline_writer *l, const struct trace *t, struct error *e)
{
	const struct trace_step *s = &t->step;

	if (!(l->start > 0))
		l->start = s->start;
	if (!l->is_chrome) {
		next_event(l);
		strbuf_printf(&l->sb,
		    "{\"ph\": \"i\", \"name\": \"CYCLE_START\", \"ts\": "
		    "%.0f, \"s\": \"g\"}",
		    us_since_start(l, s->start));
	}
	for (long i = 0; i < s->n; i++)
		if (l->is_chrome)
			chrome_event(l, &t->events[i], s->number);
		else
			horovod_event(l, &t->events[i]);
	if (!l->is_chrome)
		return flush_timeline(l, e);
	next_event(l);
	strbuf_printf(&l->sb, "{\"name\": \"step %lld\", \"cat\": \"step\", ",
	    (long long)s->number + 1);
	chrome_complete(l, TID_STEP, s->start, s->end);
	strbuf_printf(&l->sb,
	    ", \"args\": {\"step\": %lld, \"bytes\": %.0f, "
	    "\"busy_us\": %.3f, \"exposed_us\": %.3f}}",
	    (long long)s->number + 1, s->bytes, 1e6 * s->busy,
	    1e6 * s->exposed);
	return flush_timeline(l, e);
}

void
timeline_writer_close(struct timeline_writer *l)
{
	if (l == NULL)
		return;
	close(l->fd);
	strbuf_release(&l->sb);
	free(l->path);
	free(l);
}
