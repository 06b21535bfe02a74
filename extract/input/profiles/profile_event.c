#include <config.h>

#include "extract/input/profiles/profile_event.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "extract/input/encoding/json_cursor.h"
#include "extract/input/encoding/records.h"

enum { VALUE_SIZE = 80, KEY_SIZE = 32 };

/* Members of an event that count, as text. */
struct event_members {
	char phase[4], category[KEY_SIZE], name[VALUE_SIZE];
	char collective[VALUE_SIZE], dtype[KEY_SIZE];
	double ts, dur, pid, device, in, out, ranks;
};

static void
keep_argument(struct event_members *to, const struct json_member *m)
{
	if (json_member_is(m, "Collective name"))
		json_member_text(m, to->collective, sizeof to->collective);
	else if (json_member_is(m, "dtype"))
		json_member_text(m, to->dtype, sizeof to->dtype);
	else if (json_member_is(m, "In msg nelems"))
		to->in = json_member_number(m);
	else if (json_member_is(m, "Out msg nelems"))
		to->out = json_member_number(m);
	else if (json_member_is(m, "Group size"))
		to->ranks = json_member_number(m);
	else if (json_member_is(m, "device"))
		to->device = json_member_number(m);
}

static int
keep_arguments(struct event_members *to, const struct json_member *args)
{
	struct json_cursor c = { args->value, args->value + args->len };
	struct json_member m;
	int rc;

	if (args->is_string || *args->value != '{')
		return 0;
	while ((rc = json_cursor_next(&c, &m)) > 0)
		keep_argument(to, &m);
	return rc;
}

static int
read_members(const char *text, size_t len, struct event_members *to)
{
	struct json_cursor c = { text, text + len };
	struct json_member m;
	int rc;

	*to = (struct event_members){ .ts = NAN,
		.dur = NAN,
		.pid = NAN,
		.device = NAN,
		.in = NAN,
		.out = NAN,
		.ranks = NAN };
	while ((rc = json_cursor_next(&c, &m)) > 0) {
		if (json_member_is(&m, "ph"))
			json_member_text(&m, to->phase, sizeof to->phase);
		else if (json_member_is(&m, "cat"))
			json_member_text(&m, to->category, sizeof to->category);
		else if (json_member_is(&m, "name"))
			json_member_text(&m, to->name, sizeof to->name);
		else if (json_member_is(&m, "ts"))
			to->ts = json_member_number(&m);
		else if (json_member_is(&m, "dur"))
			to->dur = json_member_number(&m);
		else if (json_member_is(&m, "pid"))
			to->pid = json_member_number(&m);
		else if (json_member_is(&m, "args") &&
		    keep_arguments(to, &m) != 0)
			return -1;
	}
	return rc;
}

/* "_allgather_base", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(...)": letters
 * alone decide.  NULL: no collective that is known. */
static const char *
collective_of(const char *name)
{
	static const struct {
		const char *letters, *name;
	} known[] = { { "allreduce", "allreduce" },
		{ "allgather", "allgather" },
		{ "reducescatter", "reduce_scatter" },
		{ "alltoall", "alltoall" }, { "broadcast", "broadcast" },
		{ "sendrecv", "sendrecv" }, { "send", "sendrecv" },
		{ "recv", "sendrecv" }, { "reduce", "reduce" },
		{ "barrier", "barrier" } };
	char letters[VALUE_SIZE];
	size_t n = 0;

	for (; *name != '\0'; name++)
		if (isalpha((unsigned char)*name))
			letters[n++] = (char)tolower((unsigned char)*name);
	letters[n] = '\0';
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (strstr(letters, known[i].letters) != NULL)
			return known[i].name;
	return NULL;
}

void
profile_event_kernel(struct profile_event *e, const char *name)
{
	*e = (struct profile_event){ .kind = PROFILE_KERNEL,
		.step = -1,
		.device = -1,
		.bytes = NAN,
		.ranks = NAN };
	if (strncasecmp(name, "nccl", 4) != 0)
		return;
	e->kind = PROFILE_COLLECTIVE;
	e->collective = collective_of(name);
	if (e->collective == NULL)
		e->collective = "other";
}

static void
set_device_event(struct profile_event *e, const struct event_members *m)
{
	const double device = isnan(m->device) ? m->pid : m->device;
	const double n = fmax(isnan(m->in) ? 0 : m->in, m->out);
	const double start = e->start_us, end = e->end_us;

	profile_event_kernel(e, m->name);
	e->start_us = start;
	e->end_us = end;
	e->device = device >= 0 && device < 1e6 ? (long)device : -1;
	if (m->collective[0] != '\0') {
		e->kind = PROFILE_COLLECTIVE;
		e->collective = collective_of(m->collective);
		if (e->collective == NULL)
			e->collective = "other";
	}
	if (e->kind != PROFILE_COLLECTIVE)
		return;
	e->bytes = n > 0 ? n * element_size(m->dtype) : NAN;
	e->ranks = m->ranks;
}

/* N of "ProfilerStep#N"; -1: it is none. */
static long
step_number(const char *name)
{
	static const char start[] = "ProfilerStep#";
	const char *digits = name + sizeof start - 1;
	size_t n;

	if (strncmp(name, start, sizeof start - 1) != 0)
		return -1;
	n = strspn(digits, "0123456789");
	return n > 0 && n < 10 && digits[n] == '\0' ? strtol(digits, NULL, 10)
						    : -1;
}

int
profile_event_read(const char *text, size_t len, struct profile_event *e)
{
	struct event_members m;

	*e = (struct profile_event){ .kind = PROFILE_OTHER,
		.step = -1,
		.device = -1,
		.bytes = NAN,
		.ranks = NAN };
	if (read_members(text, len, &m) != 0)
		return -1;
	if (strcmp(m.phase, "X") != 0 || isnan(m.ts) || !(m.dur >= 0))
		return 0;
	e->start_us = m.ts;
	e->end_us = m.ts + m.dur;
	e->step = step_number(m.name);
	/* Older profilers: "Operator" and "Kernel". */
	if (e->step >= 0)
		e->kind = strcmp(m.category, "gpu_user_annotation") == 0
		    ? PROFILE_STEP_DEVICE
		    : PROFILE_STEP;
	else if (strcasecmp(m.category, "kernel") == 0)
		set_device_event(e, &m);
	return 0;
}
