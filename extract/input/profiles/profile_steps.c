/* Compute the time, communication and collectives of each step from a profile's
 * step and kernel events, and write them as JSON lines for the format
 * torch-profile:
 *
 *	{"profile":"steps","clock":"device","steps":3,"ranks":16,"step_ms":...}
 *	{"step":5,"rank":0,"step_us":250000.000}
 *	{"collective":"allreduce","of_step":5,"bucket":0,"bytes":26214400, ...}
 *
 * A step lasts from the start of its first kernel on the device to that of the
 * next step, if the trace shows both for two steps or more: the device runs
 * after the CPU, so the CPU's marks would cut kernels off. Otherwise the CPU's
 * ProfilerStep# ranges are used. Busy is the time in which a communication
 * kernel runs; exposed is the part in which no other kernel runs. Only the
 * device with most kernels is used.
 */
#include <config.h>

#include "extract/input/encoding/records.h"

#include <ctype.h>
#include <math.h>
#ifdef HAVE_SQLITE
#include <sqlite3.h>
#endif
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/alloc.h"
#include "common/text.h"

enum profile_kind {
	PROFILE_STEP,        /* "ProfilerStep#5", on the CPU */
	PROFILE_STEP_DEVICE, /* the same range on the device */
	PROFILE_KERNEL,      /* computation on a device */
	PROFILE_COLLECTIVE,  /* a communication kernel on a device */
	PROFILE_OTHER
};

struct profile_event {
	enum profile_kind kind;
	double start, end;      /* us */
	long number;            /* step, or the kernel's device; -1: unknown */
	const char *collective; /* "allreduce"; static */
	double bytes;           /* of the collective's message; NAN: unknown */
	double ranks;           /* of the collective; NAN: unknown */
};

struct profile_steps {
	struct profile_list {
		struct profile_event *events;
		size_t n, alloc;
	} lists[PROFILE_KERNEL + 1]; /* marks of steps, by kind; all kernels */
	size_t n_of[PROFILE_OTHER];  /* by kind */
	char device_name[128];
	long rank, ranks; /* -1: unknown */
};

/* A time span, us. */
struct profile_span {
	double start, end;
};

/* A profile in order of time. */
struct profile_timeline {
	struct profile_event *steps; /* [n_steps] in order, without overlap */
	size_t n_steps;
	const char *clock; /* clock of their times */
	/* Kernels of the device, then its messages, both sorted by start. */
	const struct profile_event *kernels, *messages;
	size_t n_kernels, n_messages;
	/* Means over the steps; bytes NAN: unknown. */
	double step_ms, busy_ms, exposed_ms, bytes;
};

static void
release_steps(struct profile_steps *p)
{
	for (int i = 0; i <= PROFILE_KERNEL; i++)
		free(p->lists[i].events);
}

/* Add an event; PROFILE_OTHER is ignored. Returns 0; -1 beyond the limits. */
static int
add_to_steps(struct profile_steps *p, const struct profile_event *e)
{
	static const size_t most[PROFILE_OTHER] = { [PROFILE_STEP] = 1 << 16,
		[PROFILE_STEP_DEVICE] = 1 << 16,
		[PROFILE_KERNEL] = 1 << 22, /* 56 bytes each */
		[PROFILE_COLLECTIVE] = 1 << 20 };
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

/* Set the kind and the collective of a kernel by its name; names of NCCL and
 * RCCL begin with "nccl".
 *
 * collective  named by the trace, overrides the name; or "" */
static void
set_kernel_kind(
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

/* Set the name of the device; ignored if JSON would have to escape it. */
static void
set_device_name(struct profile_steps *p, const char *name)
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
	struct profile_list *l = &p->lists[PROFILE_STEP_DEVICE];
	int on_device;
	double done = -INFINITY;

	keep_first(&p->lists[PROFILE_STEP]);
	keep_first(l);
	on_device = l->n >= 2;
	t->clock = on_device ? "device" : "cpu";
	if (!on_device)
		l = &p->lists[PROFILE_STEP];
	t->steps = l->events;
	for (size_t i = 0; i < l->n; i++) {
		struct profile_event x = l->events[i];
		const struct profile_event *next = &l->events[i + 1];

		x.start = fmax(x.start, done);
		if (on_device) {
			if (i + 1 == l->n || next->number != x.number + 1)
				continue;
			x.end = next->start;
		}
		if (!(x.end > x.start))
			continue;
		done = x.end;
		t->steps[t->n_steps++] = x;
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
		const struct profile_event step = t->steps[k];

		while (i < joined && s[i].end <= step.start)
			i++;
		for (size_t j = i; j < joined && s[j].start < step.end; j++)
			sum += fmin(s[j].end, step.end) -
			    fmax(s[j].start, step.start);
	}
	free(s);
	return sum / (double)t->n_steps / 1e3;
}

/* True if the message carries gradients. Gathers carry weights. */
static int
is_reduction(const struct profile_event *m)
{
	return strstr(m->collective, "reduce") != NULL;
}

/* Set the kernels of the device with most kernels, the first one in case of a
 * tie, and the means over the steps. Kernels without a device count only if no
 * kernel has one. */
static void
set_kernels(struct profile_timeline *t, struct profile_steps *p)
{
	struct profile_list *l = &p->lists[PROFILE_KERNEL];
	const double steps = (double)t->n_steps;
	double all, work;
	size_t k = 0;

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
	for (size_t i = 0; i < t->n_steps; i++) {
		const struct profile_event s = t->steps[i];

		t->step_ms += s.end - s.start;
		for (; k < t->n_messages && t->messages[k].start < s.end; k++)
			if (t->messages[k].start >= s.start &&
			    is_reduction(&t->messages[k]))
				t->bytes += t->messages[k].bytes;
	}
	t->step_ms /= steps * 1e3;
	t->bytes /= steps;
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
write_message(const struct profile_event *m, const struct profile_event *s,
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
		    m->start - s->start);
	if (!isnan(bus) && !isnan(m->bytes))
		strbuf_printf(
		    out, ",\"bus_gb_per_s\":%.9g", bus * m->bytes / us / 1e3);
	strbuf_addstr(out, "}\n");
}

/* Append the lines of all events.
 *
 * source  "nsight", written to the lines; NULL: a profiler's trace
 *
 * Returns 0; -1 if there is no step. */
static int
write_steps(struct profile_steps *p, const char *source, struct strbuf *out)
{
	struct profile_timeline t = { .n_steps = 0 };
	size_t at = 0;
	int on_device;

	set_steps(&t, p);
	if (t.n_steps == 0)
		return -1;
	set_kernels(&t, p);
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
		const struct profile_event *s = &t.steps[i];
		int bucket = 0;

		strbuf_printf(out, "{\"step\":%ld", s->number);
		if (source != NULL)
			strbuf_printf(out, ",\"from\":\"%s\"", source);
		if (p->rank >= 0)
			strbuf_printf(out, ",\"rank\":%ld", p->rank);
		strbuf_printf(out, ",\"step_us\":%.3f}\n", s->end - s->start);
		for (; at < t.n_messages && t.messages[at].start < s->end;
		     at++) {
			const struct profile_event *m = &t.messages[at];

			if (m->start < s->start)
				continue;
			write_message(
			    m, s, is_reduction(m) ? bucket++ : -1, out);
		}
	}
	return 0;
}

/* --- traces of PyTorch's profiler ----------------------------------------- */

enum {
	TEXT_SIZE = 80, /* maximum text of an event; the rest is cut */
	KEY_SIZE = 24   /* maximum key in the file; the rest is cut */
};

/* Copy a string member, "" if missing. Returns 0; -1 if damaged. */
static int
text_of(const char *text, size_t len, const char *key, char out[TEXT_SIZE])
{
	struct json_member m = { "", 0, 0 };
	const int rc = json_find_member(text, len, key, &m);

	if (rc != 0)
		m.len = 0;
	json_member_text(&m, out, TEXT_SIZE);
	return rc < 0 ? -1 : 0;
}

/* A numeric member, or NAN. */
static double
number_of(const char *text, size_t len, const char *key)
{
	struct json_member m;

	return json_find_member(text, len, key, &m) == 0
	    ? json_member_number(&m)
	    : NAN;
}

/* Add an event, an object. Returns 0, or -1 with a message. */
static int
add_event(
    struct profile_steps *steps, const char *text, size_t len, struct error *e)
{
	char phase[TEXT_SIZE], category[TEXT_SIZE], name[TEXT_SIZE];
	char collective[TEXT_SIZE], type[TEXT_SIZE];
	double n = 0;
	long number;
	struct profile_event x = {
		.kind = PROFILE_OTHER, .bytes = NAN, .ranks = NAN
	};

	if (*text != '{' || !json_is_value(text, len) ||
	    text_of(text, len, "ph", phase) != 0 ||
	    text_of(text, len, "cat", category) != 0 ||
	    text_of(text, len, "name", name) != 0)
		return error_set(
		    e, ERROR_INPUT, "an event of the profile is not JSON");
	x.start = number_of(text, len, "ts");
	x.end = x.start + number_of(text, len, "dur");
	x.number = strncmp(name, "ProfilerStep#", 13) == 0 &&
		parse_long(name + 13, 0, 999999999, &number) == 0
	    ? number
	    : -1;
	if (strcmp(phase, "X") != 0 || !(x.end >= x.start))
		return 0;
	/* Older profilers use the categories "Operator" and "Kernel". */
	if (x.number >= 0)
		x.kind = strcmp(category, "gpu_user_annotation") == 0
		    ? PROFILE_STEP_DEVICE
		    : PROFILE_STEP;
	else if (strcasecmp(category, "kernel") == 0) {
		const double in = number_of(text, len, "In msg nelems");
		const double out = number_of(text, len, "Out msg nelems");
		double device = number_of(text, len, "device");

		n = fmax(isnan(in) ? 0 : in, out);
		if (isnan(device))
			device = number_of(text, len, "pid");
		x.number = device >= 0 && device < 1e6 ? (long)device : -1;
		text_of(text, len, "Collective name", collective);
		set_kernel_kind(&x, name, collective);
	}
	if (x.kind == PROFILE_COLLECTIVE) {
		text_of(text, len, "dtype", type);
		x.bytes = n > 0 ? n * element_size(type) : NAN;
		x.ranks = number_of(text, len, "Group size");
	}
	if (add_to_steps(steps, &x) != 0)
		return error_set(e, ERROR_INPUT,
		    "the profile has more than 4 million kernels, a million "
		    "collectives or 65536 steps; profile fewer steps");
	return 0;
}

/* --- the trace ------------------------------------------------------------ */

/* Skip members of the outermost object up to the next object or array.
 *
 * key  set to the key of that member
 *
 * Returns its bracket, '}' at the end of the outermost object, JSON_END, or
 * ']', which is malformed. */
static int
next_nested(struct store_input *in, char key[KEY_SIZE])
{
	int in_value = 0, c;

	key[0] = '\0';
	while ((c = json_next(in)) != JSON_END && strchr("{}[]", c) == NULL) {
		if (c == ':' || c == ',')
			in_value = c == ':';
		if (c == '"' &&
		    json_skip_string(in, key, in_value ? 0 : KEY_SIZE) != 0)
			return JSON_END;
	}
	return c;
}

int
profile_file_is(const char *data, size_t len)
{
	struct store_input in = { .at = data, .end = data + len };
	char key[KEY_SIZE];
	int c;

	if (json_next_solid(&in) != '{')
		return 0;
	while ((c = next_nested(&in, key)) == '{' || c == '[')
		if (c == '[' && strcmp(key, "traceEvents") == 0)
			return 1;
		else if (json_skip_nested(&in, c, NULL) != 0)
			return 0;
	return 0;
}

/* The error for an unexpected byte or end. Returns -1. */
static int
refuse(int c, struct error *e)
{
	return error_set(e, ERROR_INPUT, "%s",
	    c == JSON_END
		? "the profile is truncated: kernels come last, so no step is "
		  "complete"
		: "the profile is no JSON");
}

/* Read all events, after the opening bracket of their array. */
static int
read_events(struct store_input *in, struct strbuf *text,
    struct profile_steps *steps, struct error *e)
{
	int c;

	while ((c = json_next(in)) != ']') {
		if (c == JSON_END || c == '}')
			return refuse(c, e);
		if ((c == '"' && json_skip_string(in, NULL, 0) != 0) ||
		    ((c == '{' || c == '[') &&
			json_skip_nested(in, c, text) != 0))
			return refuse(JSON_END, e);
		if ((c == '{' || c == '[') && !text->full &&
		    add_event(steps, text->buf, text->len, e) != 0)
			return -1;
	}
	return 0;
}

/* A count in the profile's metadata, or -1. */
static long
count_of(const struct strbuf *text, const char *key)
{
	const double n = number_of(text->buf, text->len, key);

	return n >= 0 && n < 1e8 && floor(n) == n ? (long)n : -1;
}

/* Read the outermost object. */
static int
read_trace(struct store_input *in, struct strbuf *text,
    struct profile_steps *steps, struct error *e)
{
	char key[KEY_SIZE], name[sizeof steps->device_name];
	struct json_member m;
	int c = json_next_solid(in);

	if (c != '{')
		return refuse(c, e);
	while ((c = next_nested(in, key)) == '{' || c == '[') {
		if (c == '[' && strcmp(key, "traceEvents") == 0) {
			if (read_events(in, text, steps, e) != 0)
				return -1;
			continue;
		}
		if (json_skip_nested(in, c, text) != 0)
			return refuse(JSON_END, e);
		if (text->full)
			continue;
		if (strcmp(key, "deviceProperties") == 0 &&
		    json_find_member(text->buf, text->len, "name", &m) == 0) {
			json_member_text(&m, name, sizeof name);
			set_device_name(steps, name);
		}
		if (strcmp(key, "distributedInfo") == 0) {
			steps->rank = count_of(text, "rank");
			steps->ranks = count_of(text, "world_size");
		}
	}
	if (c != '}')
		return refuse(c, e);
	return json_next_solid(in) == JSON_END
	    ? 0
	    : error_set(e, ERROR_INPUT, "trailing data after the profile");
}

int
profile_file_read(struct store_input *in, struct strbuf *lines, struct error *e)
{
	struct profile_steps steps = { .rank = -1, .ranks = -1 };
	struct strbuf text = STRBUF_INIT(PROFILE_MAX_EVENT);
	int rc;

	rc = read_trace(in, &text, &steps, e);
	if (rc == 0 && write_steps(&steps, NULL, lines) != 0)
		rc = error_set(e, ERROR_INPUT,
		    "a trace without profiler steps (ProfilerStep#): the step "
		    "time is unknown");
	strbuf_release(&text);
	release_steps(&steps);
	return rc;
}

/* --- exports of Nsight Systems -------------------------------------------- */

/* SQLite needs a path, since it reads the file in random order. The file is
 * untrusted: query only real tables, never views, which could contain endless
 * queries. */

int
nsight_file_is(const char *data, size_t len)
{
	return len >= 16 && memcmp(data, "SQLite format 3", 16) == 0;
}

int
nsight_step_name(const char *name, long *number)
{
	/* Names used by programs and libraries, best first. */
	static const char *const words[] = { "profilerstep", "trainstep",
		"trainingstep", "globalstep", "step", "trainiteration",
		"trainingiteration", "iteration", "iter", "trainbatch",
		"trainingbatch", "plprofileruntrainingbatch", "batch" };
	const char *end = name + strlen(name), *digits;
	char letters[32];
	size_t n = 0;

	for (digits = end; digits > name && isdigit((unsigned char)digits[-1]);)
		digits--;
	*number =
	    end > digits && end - digits < 10 ? strtol(digits, NULL, 10) : -1;
	for (const char *p = name; p < digits; p++) {
		if (isdigit((unsigned char)*p) || n + 1 == sizeof letters)
			return 0;
		if (isalpha((unsigned char)*p))
			letters[n++] = (char)tolower((unsigned char)*p);
	}
	letters[n] = '\0';
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (strcmp(words[i], letters) == 0)
			return (int)i + 1;
	return 0;
}

#ifdef HAVE_SQLITE
enum {
	MAX_RANGES = 1 << 20, /* ranges with words for steps */
	MAX_CELL = 1 << 20    /* bytes of a value and of a query */
};

/* An NVTX range whose name has a word for a step. Times in ns. */
struct nsight_range {
	int64_t start, end, thread;
	int word;
	long number;
	double device_start; /* start of its first kernel, ns; INFINITY: none */
};

struct nsight_file {
	sqlite3 *db;
	struct error *e;
	struct nsight_range *ranges;
	size_t n_ranges, alloc_ranges;
	struct profile_steps steps;
};

static int
say_damaged(struct nsight_file *f)
{
	return error_set(f->e, ERROR_INPUT, "cannot read the SQLite file: %s",
	    sqlite3_errmsg(f->db));
}

/* StringIds, each id once: a damaged or hostile export repeats ids, and a join
 * would multiply its rows. Names of steps and kernels are short. */
#define STRINGS \
	"(SELECT id, min(substr(value, 1, 500)) AS value FROM StringIds " \
	"GROUP BY id)"

/* --- queries -------------------------------------------------------------- */

/* Call row for each row of a query.
 *
 * process  parameter of the query, if it has one */
static int
each_row(struct nsight_file *f, const char *sql, int64_t process,
    int (*row)(struct nsight_file *f, sqlite3_stmt *s))
{
	sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(f->db, sql, -1, &s, NULL), outcome = 0;

	if (sqlite3_bind_parameter_count(s) > 0)
		sqlite3_bind_int64(s, 1, process);
	while (
	    s != NULL && outcome == 0 && (rc = sqlite3_step(s)) == SQLITE_ROW)
		outcome = row(f, s);
	if (outcome == 0 && rc != SQLITE_DONE)
		outcome = say_damaged(f);
	sqlite3_finalize(s);
	return outcome;
}

/* True if the table exists and has the column, which may be NULL. False for
 * views. */
static int
has_column(const struct nsight_file *f, const char *table, const char *column)
{
	return sqlite3_table_column_metadata(f->db, NULL, table, column, NULL,
		   NULL, NULL, NULL, NULL) == SQLITE_OK;
}

/* --- steps ---------------------------------------------------------------- */

static int
by_thread(const void *pa, const void *pb)
{
	const struct nsight_range *a = pa, *b = pb;

	if (a->word != b->word)
		return a->word - b->word;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->end < b->end) - (a->end > b->end);
}

static int
add_range(struct nsight_file *f, sqlite3_stmt *s)
{
	struct nsight_range x = { sqlite3_column_int64(s, 0),
		sqlite3_column_int64(s, 1), sqlite3_column_int64(s, 2), 0, -1,
		INFINITY };
	const char *name = (const char *)sqlite3_column_text(s, 3);

	if (name == NULL || x.end <= x.start)
		return 0;
	x.word = nsight_step_name(name, &x.number);
	if (x.word == 0)
		return 0;
	if (f->n_ranges == MAX_RANGES)
		return error_set(f->e, ERROR_LIMIT,
		    "the export has more than a million steps");
	f->ranges = vec_grow(
	    f->ranges, f->n_ranges, &f->alloc_ranges, sizeof *f->ranges);
	f->ranges[f->n_ranges++] = x;
	return 0;
}

static int
read_ranges(struct nsight_file *f)
{
	/* Repeated texts are in StringIds; older exports have no textId. */
	const char *sql = has_column(f, "NVTX_EVENTS", "textId")
	    ? "SELECT n.start, n.end, n.globalTid, coalesce(n.text, s.value) "
	      "FROM NVTX_EVENTS AS n "
	      "LEFT JOIN " STRINGS " AS s ON s.id = n.textId "
	      "WHERE n.end IS NOT NULL"
	    : "SELECT start, end, globalTid, text FROM NVTX_EVENTS";

	size_t best = 0, n_best = 0, kept = 0;
	struct nsight_range *r;
	int rise;

	if (each_row(f, sql, 0, add_range) != 0)
		return -1;
	/* Keep the ranges of one word and thread: the best word with two or
	 * more ranges, the thread with most of them. Drop ranges inside
	 * another one. */
	r = f->ranges;
	if (f->n_ranges > 1)
		qsort(r, f->n_ranges, sizeof *r, by_thread);
	for (size_t i = 0, end; i < f->n_ranges; i = end) {
		for (end = i; end < f->n_ranges; end++)
			if (r[end].word != r[i].word ||
			    r[end].thread != r[i].thread)
				break;
		if (end - i > n_best &&
		    (n_best < 2 || r[best].word == r[i].word)) {
			best = i;
			n_best = end - i;
		}
	}
	for (size_t i = best; i < best + n_best; i++)
		if (kept == 0 || r[i].start >= r[kept - 1].end)
			r[kept++] = r[i];
	f->n_ranges = kept;
	/* Keep the ranges' own numbers if they rise; otherwise count. */
	rise = f->n_ranges > 0 && r[0].number >= 0;
	for (size_t i = 1; i < f->n_ranges; i++)
		rise &= r[i].number > r[i - 1].number;
	for (size_t i = 0; i < f->n_ranges && !rise; i++)
		r[i].number = (long)i + 1;
	return 0;
}

/* --- kernels -------------------------------------------------------------- */

/* Columns: start, end, device, name, launch time. */
static int
add_kernel(struct nsight_file *f, sqlite3_stmt *s)
{
	const double start = (double)sqlite3_column_int64(s, 0);
	const double end = (double)sqlite3_column_int64(s, 1);
	const int64_t device = sqlite3_column_int64(s, 2);
	const int64_t at = sqlite3_column_int64(s, 4);
	size_t from = 0, to = f->n_ranges;
	const char *name = (const char *)sqlite3_column_text(s, 3);
	struct nsight_range *r;
	struct profile_event x = { .start = start / 1e3,
		.end = end / 1e3,
		.number = (long)device,
		.bytes = NAN,
		.ranks = NAN };

	if (!(end >= start) || device < 0 || device > 1000000)
		return 0;
	set_kernel_kind(&x, name != NULL ? name : "", "");
	/* The step that contains the launch. */
	while (from < to) {
		const size_t half = from + (to - from) / 2;

		if (f->ranges[half].end <= at)
			from = half + 1;
		else
			to = half;
	}
	r = &f->ranges[from];
	if (sqlite3_column_type(s, 4) != SQLITE_NULL && from < f->n_ranges &&
	    r->start <= at && start < r->device_start)
		r->device_start = start;
	if (add_to_steps(&f->steps, &x) != 0)
		return error_set(f->e, ERROR_LIMIT,
		    "the export has more than 4 million kernels or a million "
		    "collectives; profile fewer steps");
	return 0;
}

/* Kernels of the process with the steps, joined with their launches by
 * correlation id. (globalTid and globalPid hold the process in bits 24 to 47:
 * "Serialized process and thread identifiers" of the reference.) */
static int
read_kernels(struct nsight_file *f)
{
	const int64_t process =
	    f->n_ranges > 0 ? f->ranges[0].thread >> 24 & 0xffffff : 0;
	const int pids =
	    has_column(f, "CUPTI_ACTIVITY_KIND_KERNEL", "globalPid");
	const int calls = has_column(f, "CUPTI_ACTIVITY_KIND_RUNTIME", NULL);
	char *sql;
	int rc;

	sql = xasprintf("SELECT k.start, k.end, k.deviceId, s.value, %s "
			"FROM CUPTI_ACTIVITY_KIND_KERNEL AS k "
			"LEFT JOIN " STRINGS " AS s ON s.id = k.shortName %s "
			"WHERE %s",
	    calls ? "c.start" : "NULL",
	    calls ? "LEFT JOIN (SELECT correlationId AS id, "
		    "min(start) AS start FROM CUPTI_ACTIVITY_KIND_RUNTIME "
		    "WHERE (globalTid >> 24 & 16777215) = ?1 "
		    "GROUP BY correlationId) AS c ON c.id = k.correlationId"
		  : "",
	    pids ? "(k.globalPid >> 24 & 16777215) = ?1" : "1");
	rc = each_row(f, sql, process, add_kernel);
	free(sql);
	return rc;
}

/* --- all of it ------------------------------------------------------------ */

/* Name of the first GPU. */
static int
add_device_name(struct nsight_file *f, sqlite3_stmt *s)
{
	const unsigned char *name = sqlite3_column_text(s, 0);

	if (name != NULL)
		set_device_name(&f->steps, (const char *)name);
	return 0;
}

static int
read_tables(struct nsight_file *f, struct strbuf *out)
{
	/* In a damaged file, has_column() would find no tables. */
	if (sqlite3_exec(f->db, "SELECT 1 FROM sqlite_master", NULL, NULL,
		NULL) != SQLITE_OK)
		return say_damaged(f);
	if (!has_column(f, "NVTX_EVENTS", NULL) ||
	    !has_column(f, "StringIds", NULL))
		return error_set(f->e, ERROR_INPUT,
		    "a SQLite file without the tables NVTX_EVENTS and "
		    "StringIds: not an export of Nsight Systems with NVTX "
		    "ranges");
	if (read_ranges(f) != 0 ||
	    (has_column(f, "CUPTI_ACTIVITY_KIND_KERNEL", NULL) &&
		read_kernels(f) != 0) ||
	    (has_column(f, "TARGET_INFO_GPU", "name") &&
		each_row(f,
		    "SELECT name FROM TARGET_INFO_GPU ORDER BY id LIMIT 1", 0,
		    add_device_name) != 0))
		return -1;
	for (size_t i = 0; i < f->n_ranges; i++) {
		const struct nsight_range *r = &f->ranges[i];
		struct profile_event x = { .kind = PROFILE_STEP,
			.start = (double)r->start / 1e3,
			.end = (double)r->end / 1e3,
			.number = r->number };
		int rc = add_to_steps(&f->steps, &x);

		x.kind = PROFILE_STEP_DEVICE;
		x.start = r->device_start / 1e3;
		if (isfinite(x.start))
			rc |= add_to_steps(&f->steps, &x);
		if (rc != 0)
			return error_set(f->e, ERROR_LIMIT,
			    "the export has more than 65536 steps");
	}
	if (write_steps(&f->steps, "nsight", out) != 0)
		return error_set(f->e, ERROR_INPUT,
		    "no NVTX range of the export is named after a step (\"step "
		    "5\", \"iteration 5\", \"train_step\"), so the step time "
		    "is unknown");
	return 0;
}

int
nsight_file_read(const char *path, struct strbuf *out, struct error *e)
{
	struct nsight_file f = { .e = e, .steps = { .rank = -1, .ranks = -1 } };
	int rc = sqlite3_open_v2(path, &f.db, SQLITE_OPEN_READONLY, NULL);

	if (rc != SQLITE_OK) {
		rc = say_damaged(&f);
	} else {
		sqlite3_limit(f.db, SQLITE_LIMIT_LENGTH, MAX_CELL);
		sqlite3_limit(f.db, SQLITE_LIMIT_ATTACHED, 0);
		/* The file is untrusted, and nothing may be written. */
		sqlite3_exec(f.db,
		    "PRAGMA trusted_schema=OFF; PRAGMA query_only=ON; "
		    "PRAGMA temp_store=MEMORY",
		    NULL, NULL, NULL);
		rc = read_tables(&f, out);
	}
	sqlite3_close(f.db);
	release_steps(&f.steps);
	free(f.ranges);
	return rc;
}
#else
int
nsight_file_read(const char *path, struct strbuf *out, struct error *e)
{
	(void)path;
	(void)out;
	return error_set(e, ERROR_INPUT,
	    "a SQLite file, which this build cannot read (configured without "
	    "SQLite)");
}
#endif
