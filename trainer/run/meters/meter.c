/* Meters, phases, network counters and means, and the lines made of them. */
#include <config.h>

#include "trainer/run/meters/meter.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/process.h"

/* --- Lines of PyTorch's example ------------------------------------------- */

void
meter_update(struct meter *m, double val, double n)
{
	m->val = val;
	m->sum += val * n;
	m->count += n;
}

double
meter_mean(const struct meter *m)
{
	return m->count > 0 ? m->sum / m->count : 0;
}

static int
count_digits(long n)
{
	return snprintf(NULL, 0, "%ld", n);
}

static void
show_seconds(const char *name, const struct meter *m, struct strbuf *sb)
{
	strbuf_printf(sb, "\t%s %6.3f (%6.3f)", name, m->val, meter_mean(m));
}

/* Add loss, accuracies and the line's end, for both types of line. */
static void
show_results(const struct meters *m, struct strbuf *sb)
{
	strbuf_printf(sb,
	    "\tLoss %.4e (%.4e)\tAcc@1 %6.2f (%6.2f)\tAcc@5 %6.2f (%6.2f)\n",
	    m->loss.val, meter_mean(&m->loss), m->top1.val,
	    meter_mean(&m->top1), m->top5.val, meter_mean(&m->top5));
}

void
meters_train_line(
    const struct meters *m, int epoch, long batch, long n, struct strbuf *sb)
{
	strbuf_printf(
	    sb, "Epoch: [%d][%*ld/%ld]", epoch, count_digits(n), batch, n);
	show_seconds("Time", &m->time, sb);
	show_seconds("Data", &m->data, sb);
	show_results(m, sb);
}

void
meters_test_line(const struct meters *m, long batch, long n, struct strbuf *sb)
{
	strbuf_printf(sb, "Test: [%*ld/%ld]", count_digits(n), batch, n);
	show_seconds("Time", &m->time, sb);
	show_results(m, sb);
}

void
meters_accuracy_line(double top1, double top5, struct strbuf *sb)
{
	strbuf_printf(sb, " *   Acc@1 %.3f Acc@5 %.3f\n", top1, top5);
}

/* --- Phases --------------------------------------------------------------- */

void
clock_init(struct clock *c, int fake)
{
	c->fake = fake;
	c->looks = 0;
}

double
clock_now(struct clock *c)
{
	return c->fake ? (double)c->looks++ * 1e-3 : seconds_now();
}

void
phases_start(struct phases *p, struct clock *clock)
{
	memset(p, 0, sizeof *p);
	p->clock = clock;
	p->last = clock_now(clock);
}

double
phases_end(struct phases *p, enum phase k)
{
	const double now = clock_now(p->clock);
	const double seconds = now - p->last;

	p->seconds[k] += seconds;
	p->last = now;
	return seconds;
}

double
phases_total(const struct phases *p)
{
	double sum = 0;

	for (int i = 0; i < N_PHASES; i++)
		sum += p->seconds[i];
	return sum;
}

void
phases_show(const struct phases *p, long n, struct strbuf *sb)
{
	const double *s = p->seconds;
	const struct {
		const char *name;
		double seconds;
	} rows[] = { { "step", phases_total(p) }, { "data", s[PHASE_DATA] },
		{ "to_device", s[PHASE_TO_DEVICE] },
		{ "forward", s[PHASE_FORWARD] }, { "loss", s[PHASE_LOSS] },
		{ "backward", s[PHASE_BACKWARD] },
		{ "update", s[PHASE_ALLREDUCE] + s[PHASE_STEP] },
		{ "other", s[PHASE_OTHER] },
		{ "update_allreduce", s[PHASE_ALLREDUCE] },
		{ "update_step", s[PHASE_STEP] } };

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		strbuf_printf(sb, " %s_ms=%.3f", rows[i].name,
		    1e3 * rows[i].seconds / (double)n);
}

/* --- Network traffic ------------------------------------------------------ */

/* True if the interface belongs to a bridge or bond, according to /sys. */
static int
has_master(const char *name)
{
	char path[64 + NET_COUNTERS_NAME_MAX];

	snprintf(path, sizeof path, "/sys/class/net/%s/master", name);
	return access(path, F_OK) == 0;
}

void
net_counters_parse(
    const char *text, int (*is_part)(const char *name), struct net_counters *t)
{
	memset(t, 0, sizeof *t);
	/* Format: " eth0: received_bytes 7 more sent_bytes ...", see
	 * proc(5). */
	for (; *text != '\0';
	     text += strcspn(text, "\n"), text += *text == '\n') {
		const size_t len = strlen(t->names);
		char name[NET_COUNTERS_NAME_MAX];
		double received, sent;

		if (sscanf(text,
			" %31[^: \t\n]: %lf %*s %*s %*s %*s %*s %*s %*s %lf",
			name, &received, &sent) != 3)
			continue;
		if (strcmp(name, "lo") == 0) {
			t->loopback = received;
			continue;
		}
		if (is_part != NULL && is_part(name))
			continue;
		t->received += received;
		t->sent += sent;
		if ((received > 0 || sent > 0) &&
		    len + 1 + strlen(name) < sizeof t->names)
			snprintf(t->names + len, sizeof t->names - len, "%s%s",
			    len > 0 ? "," : "", name);
	}
}

void
net_counters_read(struct net_counters *t)
{
	FILE *f = fopen("/proc/net/dev", "re");
	char text[1 << 16] = "";

	if (f != NULL) {
		text[fread(text, 1, sizeof text - 1, f)] = '\0';
		fclose(f);
	}
	net_counters_parse(text, has_master, t);
}

void
net_counters_add(struct net_counters *sum, const struct net_counters *from,
    const struct net_counters *to)
{
	sum->received += to->received - from->received;
	sum->sent += to->sent - from->sent;
	sum->loopback += to->loopback - from->loopback;
	memcpy(sum->names, to->names, sizeof sum->names);
}

void
net_counters_show(const struct net_counters *from,
    const struct net_counters *to, double seconds, struct strbuf *sb)
{
	const double scale = seconds > 0 ? 8e-6 / seconds : 0;

	strbuf_printf(sb,
	    " receive_mbit_per_s=%.3f send_mbit_per_s=%.3f"
	    " loopback_mbit_per_s=%.3f interfaces=%s",
	    scale * (to->received - from->received),
	    scale * (to->sent - from->sent),
	    scale * (to->loopback - from->loopback),
	    to->names[0] != '\0' ? to->names : "none");
}

/* --- Means ---------------------------------------------------------------- */

static void
add_step(struct run_means_part *p, const struct step_times *x,
    const struct trace *trace)
{
	const long n_events = trace != NULL ? trace->step.n : 0;
	size_t n = 0;

	p->steps++;
	p->sum.step_s += x->step_s;
	p->sum.data_s += x->data_s;
	p->sum.busy_s += x->busy_s;
	p->sum.exposed_s += x->exposed_s;
	p->sum.bytes += x->bytes;
	p->sum.n += x->n;
	/* Consecutive collectives of one bucket (reduce-scatter, allreduce,
	 * allgather) together are the bucket's allreduce. */
	for (long i = 0, first = 0; i < n_events; i++) {
		const struct trace_event *event = &trace->events[first];
		struct bucket_times *b;

		if (i + 1 < n_events &&
		    trace->events[i + 1].bucket == event->bucket)
			continue;
		if (n == p->n_buckets) {
			p->buckets = vec_grow(
			    p->buckets, n, &p->alloc, sizeof *p->buckets);
			memset(&p->buckets[p->n_buckets++], 0, sizeof *b);
		}
		b = &p->buckets[n++];
		b->steps++;
		b->bytes += event->bytes;
		b->tensors += event->n_tensors;
		b->ready_s += event->ready - trace->step.start;
		b->start_s += event->start - trace->step.start;
		b->duration_s += trace->events[i].end - event->start;
		first = i + 1;
	}
}

void
run_means_add(struct run_means *m, const struct step_times *step,
    const struct trace *trace)
{
	if (m->all.steps >= RUN_MEANS_SKIP)
		add_step(&m->late, step, trace);
	add_step(&m->all, step, trace);
}

long
run_means_skipped(const struct run_means *m)
{
	return m->all.steps > 2 * RUN_MEANS_SKIP ? RUN_MEANS_SKIP : 0;
}

static const struct run_means_part *
counted_part(const struct run_means *m)
{
	return run_means_skipped(m) > 0 ? &m->late : &m->all;
}

double
run_means_wait_share(const struct run_means *m)
{
	const struct step_times *sum = &counted_part(m)->sum;

	return sum->step_s > 0 ? sum->data_s / sum->step_s : 0;
}

void
run_means_show(const struct run_means *m, struct strbuf *sb)
{
	const struct run_means_part *p = counted_part(m);
	const double n = (double)p->steps;

	if (p->steps == 0)
		return;
	strbuf_printf(sb,
	    "dlscale: run_phases steps=%ld skipped=%ld step_s=%.6g data_s=%.6g",
	    p->steps, run_means_skipped(m), p->sum.step_s / n,
	    p->sum.data_s / n);
	if (p->sum.n > 0)
		strbuf_printf(sb,
		    " busy_s=%.6g exposed_s=%.6g bytes_per_step=%.0f "
		    "per_step=%.6g",
		    p->sum.busy_s / n, p->sum.exposed_s / n, p->sum.bytes / n,
		    p->sum.n / n);
	strbuf_addch(sb, '\n');
	for (size_t i = 0; i < p->n_buckets; i++) {
		const struct bucket_times *b = &p->buckets[i];
		const double k = (double)b->steps;

		strbuf_printf(sb,
		    "dlscale: run_bucket bucket=%zu steps=%ld tensors=%.6g "
		    "bytes=%.0f ready_s=%.6g start_s=%.6g duration_s=%.6g\n",
		    i, b->steps, b->tensors / k, b->bytes / k, b->ready_s / k,
		    b->start_s / k, b->duration_s / k);
	}
}

void
run_means_release(struct run_means *m)
{
	free(m->all.buckets);
	free(m->late.buckets);
	memset(m, 0, sizeof *m);
}

/* --- Log ------------------------------------------------------------------ */

void
logger_init(struct logger *l, int fd)
{
	l->fd = fd;
	strbuf_init(&l->line, LOGGER_LINE_MAX);
}

void
logger_release(struct logger *l)
{
	strbuf_release(&l->line);
}

int
logger_flush(struct logger *l, struct error *e)
{
	const char *p = l->line.buf;
	size_t left = l->line.len;
	struct pollfd ready = { .fd = l->fd, .events = POLLOUT };

	assert(left > 0 && p[left - 1] == '\n');
	while (l->fd >= 0 && left > 0) {
		const ssize_t n = write(l->fd, p, left);

		/* If another process that shares the descriptor, such as the
		 * launcher, made it non-blocking, wait until it is
		 * writable. */
		if (n < 0 && errno == EAGAIN)
			(void)poll(&ready, 1, -1);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n < 0) {
			strbuf_reset(&l->line);
			return error_errno(e, errno, "cannot write the log");
		}
		p += n;
		left -= (size_t)n;
	}
	strbuf_reset(&l->line);
	return 0;
}

int
logger_end(struct logger *l, struct error *e)
{
	strbuf_addch(&l->line, '\n');
	return logger_flush(l, e);
}

int
logger_printf(struct logger *l, struct error *e, const char *fmt, ...)
{
	char text[4096];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	assert(n > 0 && (size_t)n < sizeof text);
	strbuf_addstr(&l->line, text);
	return logger_flush(l, e);
}
