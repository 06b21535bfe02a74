/* Sets of time on a device, and what is left of one without another. */
#include <config.h>

#include "extract/input/profiles/profile_steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "extract/input/encoding/json_cursor.h"

enum { DEVICE_NAME_SIZE = 128 };

/* A step, by the CPU and by the device. */
struct profile_step {
	long number;
	double start, end;   /* of the CPU's mark, us; NAN: none */
	double device_start; /* NAN: none */
};

/* A time of a device, us. */
struct profile_span {
	double start, end;
	long device;
};

struct profile_message {
	struct profile_span span;
	const char *collective;
	double bytes, ranks;
};

struct profile_steps {
	struct profile_step *steps;
	size_t n_steps, alloc_steps;
	struct profile_message *kernels; /* collective NULL: computation */
	size_t n_kernels, alloc_kernels;
	size_t n_collectives; /* of them */
	/* After settle_kernels: computation, joined; collectives. */
	struct profile_span *work;
	size_t n_work;
	struct profile_message *messages;
	size_t n_messages;
	char device_name[DEVICE_NAME_SIZE];
	long rank, ranks;   /* -1: not stated */
	const char *source; /* NULL: a profiler's trace */
};

struct profile_steps *
profile_steps_new(void)
{
	struct profile_steps *p = xcalloc(1, sizeof *p);

	p->rank = p->ranks = -1;
	return p;
}

void
profile_steps_free(struct profile_steps *p)
{
	if (p == NULL)
		return;
	free(p->steps);
	free(p->kernels);
	free(p->work);
	free(p);
}

/* --- events --------------------------------------------------------------- */

static int
add_step(struct profile_steps *p, const struct profile_event *e)
{
	const int on_device = e->kind == PROFILE_STEP_DEVICE;

	if (p->n_steps == PROFILE_MAX_STEPS)
		return -1;
	p->steps =
	    vec_grow(p->steps, p->n_steps, &p->alloc_steps, sizeof *p->steps);
	p->steps[p->n_steps++] = (struct profile_step){ e->step,
		on_device ? NAN : e->start_us, on_device ? NAN : e->end_us,
		on_device ? e->start_us : NAN };
	return 0;
}

int
profile_steps_add(struct profile_steps *p, const struct profile_event *e)
{
	const int is_message = e->kind == PROFILE_COLLECTIVE;

	if (e->kind == PROFILE_OTHER)
		return 0;
	if (e->kind == PROFILE_STEP || e->kind == PROFILE_STEP_DEVICE)
		return add_step(p, e);
	if (is_message ? p->n_collectives == PROFILE_MAX_COLLECTIVES
		       : p->n_kernels - p->n_collectives == PROFILE_MAX_KERNELS)
		return -1;
	p->kernels = vec_grow(
	    p->kernels, p->n_kernels, &p->alloc_kernels, sizeof *p->kernels);
	p->kernels[p->n_kernels++] =
	    (struct profile_message){ { e->start_us, e->end_us, e->device },
		    is_message ? e->collective : NULL, e->bytes, e->ranks };
	p->n_collectives += (size_t)is_message;
	return 0;
}

/* A count of the text, or -1. */
static long
count_of(const char *text, size_t len, const char *key)
{
	struct json_member m;
	double n;

	if (json_find_member(text, len, key, &m) != 0)
		return -1;
	n = json_member_number(&m);
	return n >= 0 && n < 1e8 && floor(n) == n ? (long)n : -1;
}

void
profile_steps_devices(struct profile_steps *p, const char *text, size_t len)
{
	struct json_member m;

	p->device_name[0] = '\0';
	if (json_find_member(text, len, "name", &m) != 0 ||
	    memchr(m.value, '\\', m.len) != NULL)
		return;
	json_member_text(&m, p->device_name, sizeof p->device_name);
	for (char *c = p->device_name; *c != '\0'; c++)
		if ((unsigned char)*c < ' ')
			*c = ' ';
}

void
profile_steps_ranks(struct profile_steps *p, const char *text, size_t len)
{
	p->rank = count_of(text, len, "rank");
	p->ranks = count_of(text, len, "world_size");
}

/* --- sets of time --------------------------------------------------------- */

static int
compare_spans(const void *pa, const void *pb)
{
	const struct profile_span *a = pa, *b = pb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->end > b->end) - (a->end < b->end);
}

static int
compare_messages(const void *pa, const void *pb)
{
	const struct profile_message *a = pa, *b = pb;

	return compare_spans(&a->span, &b->span);
}

static int
compare_steps(const void *pa, const void *pb)
{
	const struct profile_step *a = pa, *b = pb;

	return (a->number > b->number) - (a->number < b->number);
}

/* Sort and join spans that touch.  Returns how many are left. */
static size_t
join_spans(struct profile_span *s, size_t n)
{
	size_t out = 0;

	if (n > 1)
		qsort(s, n, sizeof *s, compare_spans);
	for (size_t i = 0; i < n; i++)
		if (out > 0 && s[i].start <= s[out - 1].end)
			s[out - 1].end = fmax(s[out - 1].end, s[i].end);
		else
			s[out++] = s[i];
	return out;
}

/* The time of joined spans within a step.
 *
 * at  in and out: the first span that ends after the step's start; steps come
 *     in order and do not overlap */
static double
time_within(const struct profile_span *s, size_t n,
    const struct profile_step *step, size_t *at)
{
	double sum = 0;

	while (*at < n && s[*at].end <= step->start)
		++*at;
	for (size_t i = *at; i < n && s[i].start < step->end; i++)
		sum +=
		    fmin(s[i].end, step->end) - fmax(s[i].start, step->start);
	return sum;
}

/* What is left of joined a without joined b, at most n_a + n_b spans; to be
 * freed. */
static struct profile_span *
subtract_spans(const struct profile_span *a, size_t n_a,
    const struct profile_span *b, size_t n_b, size_t *n)
{
	struct profile_span *out = xcalloc(n_a + n_b + 1, sizeof *out);
	size_t j = 0;

	*n = 0;
	for (size_t i = 0; i < n_a; i++) {
		double from = a[i].start;

		while (j < n_b && b[j].end <= from)
			j++;
		for (size_t k = j; k < n_b && b[k].start < a[i].end; k++) {
			if (b[k].start > from)
				out[(*n)++] = (struct profile_span){ from,
					b[k].start, a[i].device };
			from = fmax(from, b[k].end);
			j = b[k].end <= a[i].end ? k + 1 : k;
		}
		if (from < a[i].end)
			out[(*n)++] = (struct profile_span){ from, a[i].end,
				a[i].device };
	}
	return out;
}

/* --- steps ---------------------------------------------------------------- */

static int
compare_devices(const void *pa, const void *pb)
{
	const long *a = pa, *b = pb;

	return (*a > *b) - (*a < *b);
}

/* The device that most kernels ran on, the first of those with as many; -1: no
 * kernel states one. */
static long
main_device(const struct profile_steps *p)
{
	long *all = xcalloc(p->n_kernels + 1, sizeof *all);
	size_t n = 0, most = 0, first = 0;
	long best = -1;

	for (size_t i = 0; i < p->n_kernels; i++)
		if (p->kernels[i].span.device >= 0)
			all[n++] = p->kernels[i].span.device;
	if (n > 1)
		qsort(all, n, sizeof *all, compare_devices);
	for (size_t i = 0; i < n; i++) {
		if (all[i] != all[first])
			first = i;
		if (i - first + 1 > most) {
			most = i - first + 1;
			best = all[i];
		}
	}
	free(all);
	return best;
}

/* Set computation and collectives of a device apart, both in order. */
static void
settle_kernels(struct profile_steps *p, long device)
{
	p->work = xcalloc(p->n_kernels + 1, sizeof *p->work);
	p->messages = p->kernels;
	for (size_t i = 0; i < p->n_kernels; i++) {
		const struct profile_message *k = &p->kernels[i];

		if (k->span.device != device)
			continue;
		if (k->collective == NULL)
			p->work[p->n_work++] = k->span;
		else
			p->messages[p->n_messages++] = *k;
	}
	p->n_work = join_spans(p->work, p->n_work);
	if (p->n_messages > 1)
		qsort(p->messages, p->n_messages, sizeof *p->messages,
		    compare_messages);
}

/* One entry a step, in the order of their numbers: the first mark of the CPU,
 * the earliest of the device.  Returns how many have the latter. */
static size_t
merge_steps(struct profile_steps *p)
{
	size_t n = 0, on_device = 0;

	if (p->n_steps > 1)
		qsort(p->steps, p->n_steps, sizeof *p->steps, compare_steps);
	for (size_t i = 0; i < p->n_steps; i++) {
		const struct profile_step *s = &p->steps[i];
		struct profile_step *last = n > 0 ? &p->steps[n - 1] : NULL;

		if (last == NULL || last->number != s->number) {
			p->steps[n++] = *s;
			continue;
		}
		if (isnan(last->start) || s->start < last->start) {
			last->start = s->start;
			last->end = s->end;
		}
		last->device_start = fmin(last->device_start, s->device_start);
	}
	p->n_steps = n;
	for (size_t i = 0; i < n; i++)
		on_device += !isnan(p->steps[i].device_start);
	return on_device;
}

/* Make [start, end) of each step that is whole; the device's where it shows
 * them of two steps or more.  They do not overlap.  Returns the name of the
 * clock. */
static const char *
set_windows(struct profile_steps *p)
{
	const int on_device = merge_steps(p) >= 2;
	double done = -INFINITY;
	size_t n = 0;

	for (size_t i = 0; i < p->n_steps; i++) {
		struct profile_step s = p->steps[i];

		if (on_device) {
			const struct profile_step *next =
			    i + 1 < p->n_steps ? &p->steps[i + 1] : NULL;

			/* The device marks what it ran of; a step may lack
			 * its own. */
			if (next == NULL || next->number != s.number + 1 ||
			    isnan(s.device_start) || isnan(next->device_start))
				continue;
			s.start = s.device_start;
			s.end = next->device_start;
		}
		s.start = fmax(s.start, done);
		if (!(s.end > s.start))
			continue;
		done = s.end;
		p->steps[n++] = s;
	}
	p->n_steps = n;
	return on_device ? "device" : "cpu";
}

/* True if it carries gradients.  Gathers carry weights. */
static int
is_reduction(const struct profile_message *m)
{
	return strstr(m->collective, "reduce") != NULL;
}

/* The sums over all steps. */
struct profile_sums {
	double step, busy, exposed, bytes;
};

static struct profile_sums
sum_steps(struct profile_steps *p)
{
	struct profile_span *busy = xcalloc(p->n_messages + 1, sizeof *busy);
	struct profile_span *exposed;
	struct profile_sums sum = { 0, 0, 0, 0 };
	size_t n = p->n_messages, n_exposed, i_busy = 0, i_exposed = 0, k = 0;

	for (size_t i = 0; i < n; i++)
		busy[i] = p->messages[i].span;
	n = join_spans(busy, n);
	exposed = subtract_spans(busy, n, p->work, p->n_work, &n_exposed);
	for (size_t i = 0; i < p->n_steps; i++) {
		const struct profile_step *s = &p->steps[i];

		sum.step += s->end - s->start;
		sum.busy += time_within(busy, n, s, &i_busy);
		sum.exposed += time_within(exposed, n_exposed, s, &i_exposed);
		for (; k < p->n_messages && p->messages[k].span.start < s->end;
		     k++)
			if (p->messages[k].span.start >= s->start &&
			    is_reduction(&p->messages[k]))
				sum.bytes += p->messages[k].bytes;
	}
	free(exposed);
	free(busy);
	return sum;
}

/* --- lines ---------------------------------------------------------------- */

static void
write_metadata(const struct profile_steps *p, const char *clock,
    const struct profile_sums *sum, int on_device, struct strbuf *out)
{
	const double n = (double)p->n_steps;

	strbuf_printf(out, "{\"profile\":\"%s\",\"clock\":\"%s\"",
	    p->source != NULL ? p->source : "steps", clock);
	strbuf_printf(out, ",\"steps\":%zu,\"step_ms\":%.6f", p->n_steps,
	    sum->step / n / 1e3);
	/* On one device nothing was sent: that is a measurement, too. */
	if (on_device)
		strbuf_printf(out, ",\"busy_ms\":%.6f,\"exposed_ms\":%.6f",
		    sum->busy / n / 1e3, sum->exposed / n / 1e3);
	if (on_device && !isnan(sum->bytes))
		strbuf_printf(out, ",\"bytes\":%.0f", sum->bytes / n);
	if (p->ranks > 0)
		strbuf_printf(out, ",\"ranks\":%ld", p->ranks);
	if (p->device_name[0] != '\0')
		strbuf_printf(out, ",\"device\":\"%s\"", p->device_name);
	strbuf_addstr(out, "}\n");
}

/* Bytes on the bus over bytes of the message (nccl-tests,
 * doc/PERFORMANCE.md); NAN: not known. */
static double
bus_factor(const struct profile_message *m)
{
	const double n = m->ranks;

	if (!(n >= 2))
		return NAN;
	if (strcmp(m->collective, "allreduce") == 0)
		return 2 * (n - 1) / n;
	if (strcmp(m->collective, "allgather") == 0 ||
	    strcmp(m->collective, "reduce_scatter") == 0 ||
	    strcmp(m->collective, "alltoall") == 0)
		return (n - 1) / n;
	return 1;
}

/* A collective; without a size it is no line that a format knows, but --explain
 * shows which kernel took how long in which step. */
static void
write_message(const struct profile_message *m, const struct profile_step *s,
    int bucket, struct strbuf *out)
{
	const double us = m->span.end - m->span.start;
	const double bus = bus_factor(m);

	if (!(us > 0))
		return;
	strbuf_printf(out, "{\"%s\":\"%s\",\"of_step\":%ld",
	    isnan(m->bytes) ? "kernel" : "collective", m->collective,
	    s->number);
	if (!isnan(m->bytes))
		strbuf_printf(out, ",\"bytes\":%.0f", m->bytes);
	strbuf_printf(out, ",\"us\":%.3f", us);
	if (bucket >= 0)
		strbuf_printf(out, ",\"bucket\":%d,\"start_us\":%.3f", bucket,
		    m->span.start - s->start);
	if (!isnan(bus) && !isnan(m->bytes))
		strbuf_printf(
		    out, ",\"bus_gb_per_s\":%.9g", bus * m->bytes / us / 1e3);
	strbuf_addstr(out, "}\n");
}

static void
write_step(const struct profile_steps *p, const struct profile_step *s,
    size_t *at, struct strbuf *out)
{
	int bucket = 0;

	strbuf_printf(out, "{\"step\":%ld", s->number);
	if (p->source != NULL)
		strbuf_printf(out, ",\"from\":\"%s\"", p->source);
	if (p->rank >= 0)
		strbuf_printf(out, ",\"rank\":%ld", p->rank);
	strbuf_printf(out, ",\"step_us\":%.3f}\n", s->end - s->start);
	for (; *at < p->n_messages && p->messages[*at].span.start < s->end;
	     ++*at) {
		const struct profile_message *m = &p->messages[*at];

		if (m->span.start >= s->start)
			write_message(
			    m, s, is_reduction(m) ? bucket++ : -1, out);
	}
}

int
profile_steps_write(
    struct profile_steps *p, const char *source, struct strbuf *out)
{
	const long device = main_device(p);
	const char *clock = set_windows(p);
	struct profile_sums sum;
	size_t at = 0;

	p->source = source;
	if (p->n_steps == 0)
		return -1;
	settle_kernels(p, device);
	sum = sum_steps(p);
	write_metadata(p, clock, &sum, device >= 0, out);
	for (size_t i = 0; i < p->n_steps; i++)
		write_step(p, &p->steps[i], &at, out);
	return 0;
}
