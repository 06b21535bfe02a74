#include <config.h>

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "extract/input/encoding/records.h"
#include "common/text.h"
#include "extract/input/profiles/profile_steps.h"

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
	/* "Operator" and "Kernel": older profilers. */
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
		profile_event_kernel(&x, name, collective);
	}
	if (x.kind == PROFILE_COLLECTIVE) {
		text_of(text, len, "dtype", type);
		x.bytes = n > 0 ? n * element_size(type) : NAN;
		x.ranks = number_of(text, len, "Group size");
	}
	if (profile_steps_add(steps, &x) != 0)
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

static int
begins_events(int bracket, const char *key)
{
	return bracket == '[' && strcmp(key, "traceEvents") == 0;
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
		if (begins_events(c, key))
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
		if (begins_events(c, key)) {
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
			profile_steps_device(steps, name);
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
	struct profile_steps steps = PROFILE_STEPS_INIT;
	struct strbuf text = STRBUF_INIT(PROFILE_MAX_EVENT);
	int rc;

	rc = read_trace(in, &text, &steps, e);
	if (rc == 0 && profile_steps_write(&steps, NULL, lines) != 0)
		rc = error_set(e, ERROR_INPUT,
		    "a trace without profiler steps (ProfilerStep#): the step "
		    "time is unknown");
	strbuf_release(&text);
	profile_steps_release(&steps);
	return rc;
}
