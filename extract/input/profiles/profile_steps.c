#include <config.h>

#include "extract/input/profiles/profile_steps.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/alloc.h"

/* A time span, us. */
struct profile_span {
	double start, end;
};

struct profile_step {
	struct profile_span span;
	long number;
};

/* A profile in order of time. */
struct profile_timeline {
	struct profile_step *steps; /* [n_steps] in order, without overlap */
	size_t n_steps;
	const char *clock; /* clock of their times */
	/* Kernels of the device, then its messages, both sorted by start. */
	const struct profile_event *kernels, *messages;
	size_t n_kernels, n_messages;
	/* Means over the steps; bytes NAN: unknown. */
	double step_ms, busy_ms, exposed_ms, bytes;
};

void
profile_steps_release(struct profile_steps *p)
{
	for (int i = 0; i < PROFILE_LISTS; i++)
		free(p->lists[i].events);
}

int
profile_steps_add(struct profile_steps *p, const struct profile_event *e)
{
	static const size_t most[PROFILE_OTHER] = { [PROFILE_STEP] =
							PROFILE_MAX_STEPS,
		[PROFILE_STEP_DEVICE] = PROFILE_MAX_STEPS,
		[PROFILE_KERNEL] = PROFILE_MAX_KERNELS,
		[PROFILE_COLLECTIVE] = PROFILE_MAX_COLLECTIVES };
	struct profile_list *l;

	if (e->kind == PROFILE_OTHER)
		return 0;
	if (p->n_of[e->kind]++ == most[e->kind])
		return -1;
	l = &p->lists[e->kind == PROFILE_COLLECTIVE ? PROFILE_KERNEL : e->kind];
	l->events = vec_grow(l->events, l->n, &l->alloc, sizeof *l->events);
	l->events[l->n++] = *e;
	return 0;
}

void
profile_event_kernel(
    struct profile_event *e, const char *name, const char *collective)
{
	/* Only letters are compared: "_allgather_base",
	 * "ncclDevKernel_AllReduce_Sum_f32_RING_LL(...)". */
	static const struct {
		const char *letters, *name;
	} known[] = { { "allreduce", "allreduce" },
		{ "allgather", "allgather" },
		{ "reducescatter", "reduce_scatter" },
		{ "alltoall", "alltoall" }, { "broadcast", "broadcast" },
		{ "sendrecv", "sendrecv" }, { "send", "sendrecv" },
		{ "recv", "sendrecv" }, { "reduce", "reduce" },
		{ "barrier", "barrier" } };
	const char *stated = collective[0] != '\0' ? collective : name;
	char letters[80];
	size_t n = 0;

	e->kind = PROFILE_KERNEL;
	if (stated == name && strncasecmp(name, "nccl", 4) != 0)
		return;
	e->kind = PROFILE_COLLECTIVE;
	for (; *stated != '\0' && n + 1 < sizeof letters; stated++)
		if (isalpha((unsigned char)*stated))
			letters[n++] = (char)tolower((unsigned char)*stated);
	letters[n] = '\0';
	e->collective = "other";
	for (size_t i = sizeof known / sizeof known[0]; i-- > 0;)
		if (strstr(letters, known[i].letters) != NULL)
			e->collective = known[i].name;
}

void
profile_steps_device(struct profile_steps *p, const char *name)
{
	size_t n = 0;

	p->device_name[0] = '\0';
	if (strpbrk(name, "\\\"") != NULL)
		return;
	for (; name[n] != '\0' && n + 1 < sizeof p->device_name; n++)
		p->device_name[n] =
		    (unsigned char)name[n] < ' ' ? ' ' : name[n];
	p->device_name[n] = '\0';
}

/* --- order ---------------------------------------------------------------- */

/* Order by step or device, then by kind and time. */
static int
by_number(const void *pa, const void *pb)
{
	const struct profile_event *a = pa, *b = pb;

	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	if (a->kind != b->kind)
		return (int)a->kind - (int)b->kind;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->end > b->end) - (a->end < b->end);
}

/* Sort marks of steps and keep the first of each step. */
static void
keep_first(struct profile_list *l)
{
	size_t n = 0;

	if (l->n > 1)
		qsort(l->events, l->n, sizeof *l->events, by_number);
	for (size_t i = 0; i < l->n; i++)
		if (n == 0 || l->events[i].number != l->events[n - 1].number)
			l->events[n++] = l->events[i];
	l->n = n;
}

/* Set the complete steps, on the device's clock if it marks two or more
 * steps. */
static void
set_steps(struct profile_timeline *t, struct profile_steps *p)
{
	const struct profile_list *l = &p->lists[PROFILE_STEP_DEVICE];
	int on_device;
	double done = -INFINITY;

	keep_first(&p->lists[PROFILE_STEP]);
	keep_first(&p->lists[PROFILE_STEP_DEVICE]);
	on_device = l->n >= 2;
	t->clock = on_device ? "device" : "cpu";
	if (!on_device)
		l = &p->lists[PROFILE_STEP];
	t->steps = xcalloc(l->n + 1, sizeof *t->steps);
	for (size_t i = 0; i < l->n; i++) {
		const struct profile_event *e = &l->events[i];
		struct profile_span s = { fmax(e->start, done), e->end };

		if (on_device) {
			if (i + 1 == l->n || e[1].number != e->number + 1)
				continue;
			s.end = e[1].start;
		}
		if (!(s.end > s.start))
			continue;
		done = s.end;
		t->steps[t->n_steps++] = (struct profile_step){ s, e->number };
	}
}

/* Set the kernels of the device with most kernels, the first one in case of a
 * tie. Kernels without a device count only if no kernel has one. */
static void
set_kernels(struct profile_timeline *t, struct profile_steps *p)
{
	struct profile_list *l = &p->lists[PROFILE_KERNEL];

	if (l->n > 1)
		qsort(l->events, l->n, sizeof *l->events, by_number);
	for (size_t i = 0, end; i < l->n; i = end) {
		const struct profile_event *first = &l->events[i];
		size_t n = 0;

		for (end = i;
		     end < l->n && l->events[end].number == first->number;
		     end++)
			n += l->events[end].kind == PROFILE_KERNEL;
		if (t->kernels != NULL && t->kernels->number >= 0 &&
		    end - i <= t->n_kernels + t->n_messages)
			continue;
		t->kernels = first;
		t->n_kernels = n;
		t->messages = first + n;
		t->n_messages = end - i - n;
	}
}

/* --- sums ----------------------------------------------------------------- */

static int
by_start(const void *pa, const void *pb)
{
	const struct profile_span *a = pa, *b = pb;

	return (a->start > b->start) - (a->start < b->start);
}

/* Mean time per step in which one of n kernels runs, ms. */
static double
mean_covered(const struct profile_timeline *t,
    const struct profile_event *kernels, size_t n)
{
	struct profile_span *s = xcalloc(n + 1, sizeof *s);
	double sum = 0;
	size_t joined = 0;

	for (size_t i = 0; i < n; i++)
		s[i] =
		    (struct profile_span){ kernels[i].start, kernels[i].end };
	qsort(s, n, sizeof *s, by_start);
	for (size_t i = 0; i < n; i++)
		if (joined > 0 && s[i].start <= s[joined - 1].end)
			s[joined - 1].end = fmax(s[joined - 1].end, s[i].end);
		else
			s[joined++] = s[i];
	for (size_t k = 0, i = 0; k < t->n_steps; k++) {
		const struct profile_span step = t->steps[k].span;

		while (i < joined && s[i].end <= step.start)
			i++;
		for (size_t j = i; j < joined && s[j].start < step.end; j++)
			sum += fmin(s[j].end, step.end) -
			    fmax(s[j].start, step.start);
	}
	free(s);
	return sum / (double)t->n_steps / 1e3;
}

/* True if it carries gradients. Gathers carry weights. */
static int
is_reduction(const struct profile_event *m)
{
	return strstr(m->collective, "reduce") != NULL;
}

static void
set_means(struct profile_timeline *t)
{
	const double n = (double)t->n_steps;
	double all, work;
	size_t k = 0;

	for (size_t i = 0; i < t->n_steps; i++) {
		const struct profile_span s = t->steps[i].span;

		t->step_ms += s.end - s.start;
		for (; k < t->n_messages && t->messages[k].start < s.end; k++)
			if (t->messages[k].start >= s.start &&
			    is_reduction(&t->messages[k]))
				t->bytes += t->messages[k].bytes;
	}
	t->step_ms /= n * 1e3;
	t->bytes /= n;
	t->busy_ms = mean_covered(t, t->messages, t->n_messages);
	/* Kernels and messages of a device are adjacent. */
	all = mean_covered(t, t->kernels, t->n_kernels + t->n_messages);
	work = mean_covered(t, t->kernels, t->n_kernels);
	t->exposed_ms = fmin(fmax(all - work, 0), t->busy_ms);
}

/* --- lines ---------------------------------------------------------------- */

/* Write a collective. Without a size no format matches the line, but --explain
 * shows it. */
static void
write_message(const struct profile_event *m, const struct profile_step *s,
    int bucket, struct strbuf *out)
{
	const double us = m->end - m->start;
	const double n = m->ranks;
	/* Ratio of bus bytes to message bytes (nccl-tests,
	 * doc/PERFORMANCE.md); NAN: unknown. */
	const double bus = !(n >= 2)                  ? NAN
	    : strcmp(m->collective, "allreduce") == 0 ? 2 * (n - 1) / n
	    : strcmp(m->collective, "allgather") == 0 ||
		strcmp(m->collective, "reduce_scatter") == 0 ||
		strcmp(m->collective, "alltoall") == 0
	    ? (n - 1) / n
	    : 1;

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
		    m->start - s->span.start);
	if (!isnan(bus) && !isnan(m->bytes))
		strbuf_printf(
		    out, ",\"bus_gb_per_s\":%.9g", bus * m->bytes / us / 1e3);
	strbuf_addstr(out, "}\n");
}

int
profile_steps_write(
    struct profile_steps *p, const char *source, struct strbuf *out)
{
	struct profile_timeline t = { .n_steps = 0 };
	size_t at = 0;
	int on_device;

	set_steps(&t, p);
	if (t.n_steps == 0) {
		free(t.steps);
		return -1;
	}
	set_kernels(&t, p);
	set_means(&t);
	on_device = t.kernels != NULL && t.kernels->number >= 0;
	strbuf_printf(out,
	    "{\"profile\":\"%s\",\"clock\":\"%s\",\"steps\":%zu,"
	    "\"step_ms\":%.6f",
	    source != NULL ? source : "steps", t.clock, t.n_steps, t.step_ms);
	/* Zero communication on a single device is a measurement, too. */
	if (on_device)
		strbuf_printf(out, ",\"busy_ms\":%.6f,\"exposed_ms\":%.6f",
		    t.busy_ms, t.exposed_ms);
	if (on_device && !isnan(t.bytes))
		strbuf_printf(out, ",\"bytes\":%.0f", t.bytes);
	if (p->ranks > 0)
		strbuf_printf(out, ",\"ranks\":%ld", p->ranks);
	if (p->device_name[0] != '\0')
		strbuf_printf(out, ",\"device\":\"%s\"", p->device_name);
	strbuf_addstr(out, "}\n");
	for (size_t i = 0; i < t.n_steps; i++) {
		const struct profile_step *s = &t.steps[i];
		int bucket = 0;

		strbuf_printf(out, "{\"step\":%ld", s->number);
		if (source != NULL)
			strbuf_printf(out, ",\"from\":\"%s\"", source);
		if (p->rank >= 0)
			strbuf_printf(out, ",\"rank\":%ld", p->rank);
		strbuf_printf(
		    out, ",\"step_us\":%.3f}\n", s->span.end - s->span.start);
		for (; at < t.n_messages && t.messages[at].start < s->span.end;
		     at++) {
			const struct profile_event *m = &t.messages[at];

			if (m->start < s->span.start)
				continue;
			write_message(
			    m, s, is_reduction(m) ? bucket++ : -1, out);
		}
	}
	free(t.steps);
	return 0;
}
