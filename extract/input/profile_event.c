/* Members of one trace event.  Called by profile_steps.c with whole objects; it
 * knows neither files nor what becomes of the events. */
#include <config.h>

#include "extract/input/profile_event.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { VALUE_SIZE = 80, KEY_SIZE = 32, NUMBER_SIZE = 40 };

/* --- JSON ----------------------------------------------------------------- */

/* What is left of an object. */
struct profile_cursor {
	const char *at, *end;
};

static void
skip_spaces(struct profile_cursor *c)
{
	while (c->at < c->end && isspace((unsigned char)*c->at))
		c->at++;
}

/* A string: what stands between its quotes.  Returns 0 or -1. */
static int
read_string(struct profile_cursor *c, const char **text, size_t *len)
{
	if (c->at == c->end || *c->at != '"')
		return -1;
	*text = ++c->at;
	while (c->at < c->end && *c->at != '"')
		c->at += *c->at == '\\' && c->at + 1 < c->end ? 2 : 1;
	if (c->at >= c->end)
		return -1;
	*len = (size_t)(c->at++ - *text);
	return 0;
}

/* Pass over an object or array.  Returns 0 or -1. */
static int
skip_nested(struct profile_cursor *c)
{
	int depth = 0;

	while (c->at < c->end) {
		const char *text;
		size_t len;

		switch (*c->at) {
		case '"':
			if (read_string(c, &text, &len) != 0)
				return -1;
			continue;
		case '{':
		case '[':
			depth++;
			break;
		case '}':
		case ']':
			depth--;
			break;
		default:
			break;
		}
		c->at++;
		if (depth == 0)
			return 0;
	}
	return -1;
}

/* A member's value, of which a string is given without its quotes. */
static int
read_value(struct profile_cursor *c, const char **text, size_t *len)
{
	skip_spaces(c);
	*text = c->at;
	if (c->at == c->end)
		return -1;
	if (*c->at == '"')
		return read_string(c, text, len);
	if (*c->at == '{' || *c->at == '[') {
		if (skip_nested(c) != 0)
			return -1;
	} else {
		while (c->at < c->end && strchr(",}] \t\r\n", *c->at) == NULL)
			c->at++;
	}
	*len = (size_t)(c->at - *text);
	return *len > 0 ? 0 : -1;
}

/* The next member of the object.  Returns 1, 0 at its end, -1 if it is none. */
static int
next_member(struct profile_cursor *c, const char **key, size_t *key_len,
    const char **value, size_t *value_len)
{
	skip_spaces(c);
	if (c->at < c->end && (*c->at == '{' || *c->at == ','))
		c->at++;
	skip_spaces(c);
	if (c->at < c->end && *c->at == '}')
		return 0;
	if (read_string(c, key, key_len) != 0)
		return -1;
	skip_spaces(c);
	if (c->at == c->end || *c->at++ != ':')
		return -1;
	return read_value(c, value, value_len) == 0 ? 1 : -1;
}

static double
to_number(const char *text, size_t len)
{
	char buf[NUMBER_SIZE], *end;
	double x;

	if (len == 0 || len >= sizeof buf ||
	    strspn(text, "+-.0123456789eE") < len)
		return NAN;
	memcpy(buf, text, len);
	buf[len] = '\0';
	x = strtod(buf, &end);
	return *end == '\0' && isfinite(x) ? x : NAN;
}

int
profile_member(
    const char *text, size_t len, const char *key, char *out, size_t size)
{
	const size_t n = strlen(key);
	struct profile_cursor c = { text, text + len };

	while (c.at < c.end) {
		const char *name, *value;
		size_t name_len, value_len;

		if (*c.at != '"') {
			c.at++;
			continue;
		}
		if (read_string(&c, &name, &name_len) != 0)
			return -1;
		skip_spaces(&c);
		if (c.at == c.end || *c.at != ':' || name_len != n ||
		    memcmp(name, key, n) != 0)
			continue;
		c.at++;
		if (read_value(&c, &value, &value_len) != 0)
			return -1;
		if (value_len >= size)
			value_len = size - 1;
		memcpy(out, value, value_len);
		out[value_len] = '\0';
		return 0;
	}
	return -1;
}

/* --- what the members say ------------------------------------------------- */

/* Members of an event that count, as text. */
struct event_members {
	char phase[4], category[KEY_SIZE], name[VALUE_SIZE];
	char collective[VALUE_SIZE], dtype[KEY_SIZE];
	double ts, dur, pid, device, in, out, ranks;
};

static void
keep(char *to, size_t size, const char *value, size_t len)
{
	if (len >= size)
		len = size - 1;
	memcpy(to, value, len);
	to[len] = '\0';
}

static int
is_key(const char *key, size_t len, const char *name)
{
	return strlen(name) == len && memcmp(key, name, len) == 0;
}

static void
keep_argument(struct event_members *m, const char *key, size_t key_len,
    const char *value, size_t len)
{
	if (is_key(key, key_len, "Collective name"))
		keep(m->collective, sizeof m->collective, value, len);
	else if (is_key(key, key_len, "dtype"))
		keep(m->dtype, sizeof m->dtype, value, len);
	else if (is_key(key, key_len, "In msg nelems"))
		m->in = to_number(value, len);
	else if (is_key(key, key_len, "Out msg nelems"))
		m->out = to_number(value, len);
	else if (is_key(key, key_len, "Group size"))
		m->ranks = to_number(value, len);
	else if (is_key(key, key_len, "device"))
		m->device = to_number(value, len);
}

static int
keep_arguments(struct event_members *m, const char *text, size_t len)
{
	struct profile_cursor c = { text, text + len };
	const char *key, *value;
	size_t key_len, value_len;
	int rc;

	if (len == 0 || *text != '{')
		return 0;
	while ((rc = next_member(&c, &key, &key_len, &value, &value_len)) > 0)
		keep_argument(m, key, key_len, value, value_len);
	return rc;
}

static int
read_members(const char *text, size_t len, struct event_members *m)
{
	struct profile_cursor c = { text, text + len };
	const char *key, *value;
	size_t key_len, n;
	int rc;

	*m = (struct event_members){ .ts = NAN,
		.dur = NAN,
		.pid = NAN,
		.device = NAN,
		.in = NAN,
		.out = NAN,
		.ranks = NAN };
	while ((rc = next_member(&c, &key, &key_len, &value, &n)) > 0) {
		if (is_key(key, key_len, "ph"))
			keep(m->phase, sizeof m->phase, value, n);
		else if (is_key(key, key_len, "cat"))
			keep(m->category, sizeof m->category, value, n);
		else if (is_key(key, key_len, "name"))
			keep(m->name, sizeof m->name, value, n);
		else if (is_key(key, key_len, "ts"))
			m->ts = to_number(value, n);
		else if (is_key(key, key_len, "dur"))
			m->dur = to_number(value, n);
		else if (is_key(key, key_len, "pid"))
			m->pid = to_number(value, n);
		else if (is_key(key, key_len, "args") &&
		    keep_arguments(m, value, n) != 0)
			return -1;
	}
	return rc;
}

/* Bytes of an element, as PyTorch calls its types. */
static double
element_bytes(const char *dtype)
{
	static const struct {
		const char *name;
		double bytes;
	} types[] = { { "Float", 4 }, { "Half", 2 }, { "BFloat16", 2 },
		{ "Double", 8 }, { "Long", 8 }, { "Int", 4 }, { "Short", 2 },
		{ "Char", 1 }, { "Byte", 1 }, { "Bool", 1 },
		{ "Float8_e4m3fn", 1 }, { "Float8_e5m2", 1 },
		{ "Float8_e4m3fnuz", 1 }, { "Float8_e5m2fnuz", 1 },
		{ "ComplexFloat", 8 }, { "ComplexDouble", 16 } };

	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
		if (strcasecmp(types[i].name, dtype) == 0)
			return types[i].bytes;
	return NAN;
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

static void
set_device_event(struct profile_event *e, const struct event_members *m)
{
	const double device = isnan(m->device) ? m->pid : m->device;
	const double n = fmax(isnan(m->in) ? 0 : m->in, m->out);
	const int is_nccl = strncasecmp(m->name, "nccl", 4) == 0;

	e->kind = PROFILE_KERNEL;
	e->device = device >= 0 && device < 1e6 ? (long)device : -1;
	if (!is_nccl && m->collective[0] == '\0')
		return;
	e->kind = PROFILE_COLLECTIVE;
	e->collective =
	    collective_of(m->collective[0] != '\0' ? m->collective : m->name);
	if (e->collective == NULL)
		e->collective = "other";
	e->bytes = n > 0 ? n * element_bytes(m->dtype) : NAN;
	e->ranks = m->ranks;
}

/* N of "ProfilerStep#N"; -1: it is none. */
static long
step_number(const char *name)
{
	static const char start[] = "ProfilerStep#";
	double n;

	if (strncmp(name, start, sizeof start - 1) != 0)
		return -1;
	name += sizeof start - 1;
	n = to_number(name, strlen(name));
	return n >= 0 && n < 1e9 ? (long)n : -1;
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
