#include <config.h>

#include "extract/input/profiles/profile_file.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "extract/input/encoding/json_cursor.h"

enum {
	TEXT_SIZE = 80, /* maximum text of an event; the rest is cut */
	KEY_SIZE = 24   /* maximum key in the file; the rest is cut */
};

/* --- one event ------------------------------------------------------------ */

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

/* N of "ProfilerStep#N"; -1 for other names. */
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

/* Set the members of kernels. */
static void
read_kernel(
    const char *text, size_t len, const char *name, struct profile_event *e)
{
	char collective[TEXT_SIZE], type[TEXT_SIZE];
	const double in = number_of(text, len, "In msg nelems");
	const double out = number_of(text, len, "Out msg nelems");
	const double n = fmax(isnan(in) ? 0 : in, out);
	double device = number_of(text, len, "device");

	if (isnan(device))
		device = number_of(text, len, "pid");
	e->number = device >= 0 && device < 1e6 ? (long)device : -1;
	text_of(text, len, "Collective name", collective);
	profile_event_kernel(e, name, collective);
	if (e->kind != PROFILE_COLLECTIVE)
		return;
	text_of(text, len, "dtype", type);
	e->bytes = n > 0 ? n * element_size(type) : NAN;
	e->ranks = number_of(text, len, "Group size");
}

int
profile_event_read(const char *text, size_t len, struct profile_event *e)
{
	char phase[TEXT_SIZE], category[TEXT_SIZE], name[TEXT_SIZE];

	*e = (struct profile_event){
		.kind = PROFILE_OTHER, .bytes = NAN, .ranks = NAN
	};
	if (len == 0 || *text != '{' || !json_is_value(text, len) ||
	    text_of(text, len, "ph", phase) != 0 ||
	    text_of(text, len, "cat", category) != 0 ||
	    text_of(text, len, "name", name) != 0)
		return -1;
	e->start = number_of(text, len, "ts");
	e->end = e->start + number_of(text, len, "dur");
	if (strcmp(phase, "X") != 0 || !(e->end >= e->start))
		return 0;
	e->number = step_number(name);
	/* "Operator" and "Kernel": older profilers. */
	if (e->number >= 0)
		e->kind = strcmp(category, "gpu_user_annotation") == 0
		    ? PROFILE_STEP_DEVICE
		    : PROFILE_STEP;
	else if (strcasecmp(category, "kernel") == 0)
		read_kernel(text, len, name, e);
	return 0;
}

/* --- JSON of any size ----------------------------------------------------- */

/* Ends of input, in addition to bytes. */
enum { JSON_CUT = 256, JSON_DAMAGED };

static int
next_byte(struct store_input *in)
{
	if (in->at == in->end && !in->more(in))
		return JSON_CUT;
	return (unsigned char)*in->at++;
}

/* Skip a string after its opening quote.
 *
 * key  [KEY_SIZE] receives its text; may be NULL
 *
 * Returns 0 or JSON_CUT. */
static int
skip_string(struct store_input *in, char *key)
{
	size_t n = 0;
	int c;

	if (key != NULL)
		memset(key, 0, KEY_SIZE);
	while ((c = next_byte(in)) != '"') {
		if (c == '\\')
			c = next_byte(in);
		else if (key != NULL && n + 1 < KEY_SIZE)
			key[n++] = (char)c;
		if (c == JSON_CUT)
			return JSON_CUT;
	}
	return 0;
}

/* Skip an object or array after its opening bracket.
 *
 * kept  receives its text; may be NULL
 *
 * Returns 0 or JSON_CUT. */
static int
skip_nested(struct store_input *in, int bracket, struct strbuf *kept)
{
	int depth = 1, in_string = 0, escaped = 0;

	if (kept != NULL) {
		strbuf_reset(kept);
		strbuf_addch(kept, (char)bracket);
	}
	while (depth > 0) {
		const char *p;

		if (in->at == in->end && !in->more(in))
			return JSON_CUT;
		for (p = in->at; p < in->end && depth > 0; p++)
			if (in_string) {
				in_string = escaped || *p != '"';
				escaped = !escaped && *p == '\\';
			} else {
				in_string = *p == '"';
				depth += *p == '{' || *p == '[';
				depth -= *p == '}' || *p == ']';
			}
		if (kept != NULL)
			strbuf_add(kept, in->at, (size_t)(p - in->at));
		in->at = p;
	}
	return 0;
}

/* Skip spaces. Returns the next byte or JSON_CUT. */
static int
skip_spaces(struct store_input *in)
{
	int c;

	do
		c = next_byte(in);
	while (c < JSON_CUT && isspace(c));
	return c;
}

/* Skip members of the outermost object up to the next object or array.
 *
 * key  set to the key of that member
 *
 * Returns its bracket, '}' at the end of the outermost object, JSON_CUT or
 * JSON_DAMAGED. */
static int
next_nested(struct store_input *in, char key[KEY_SIZE])
{
	int in_value = 0, c;

	memset(key, 0, KEY_SIZE);
	for (;;) {
		c = next_byte(in);
		if (c == ':' || c == ',')
			in_value = c == ':';
		else if (c == ']')
			return JSON_DAMAGED;
		else if (c == '{' || c == '[' || c == '}' || c == JSON_CUT)
			return c;
		else if (c == '"' &&
		    skip_string(in, in_value ? NULL : key) != 0)
			return JSON_CUT;
	}
}

static int
begins_events(int bracket, const char *key)
{
	return bracket == '[' && strcmp(key, "traceEvents") == 0;
}

static int
no_more(struct store_input *in)
{
	(void)in;
	return 0;
}

int
profile_file_is(const char *data, size_t len)
{
	struct store_input in = { data, data + len, no_more, NULL, 0 };
	char key[KEY_SIZE];
	int c;

	if (skip_spaces(&in) != '{')
		return 0;
	while ((c = next_nested(&in, key)) == '{' || c == '[')
		if (begins_events(c, key))
			return 1;
		else if (skip_nested(&in, c, NULL) != 0)
			return 0;
	return 0;
}

/* --- the trace ------------------------------------------------------------ */

static int
refuse(int outcome, struct error *e)
{
	return error_set(e, ERROR_INPUT, "%s",
	    outcome == JSON_CUT
		? "the profile is cut short: its kernels come last, so no step "
		  "of it is known"
		: "the profile is no JSON");
}

static int
take_event(
    const struct strbuf *text, struct profile_steps *steps, struct error *e)
{
	struct profile_event event;

	if (text->full)
		return 0;
	if (profile_event_read(text->buf, text->len, &event) != 0)
		return error_set(
		    e, ERROR_INPUT, "an event of the profile is no JSON");
	if (profile_steps_add(steps, &event) != 0)
		return error_set(e, ERROR_INPUT,
		    "the profile has more than 4 million kernels, a million "
		    "collectives or 65536 steps; profile fewer steps");
	return 0;
}

/* Read all events, after the opening bracket of their array. */
static int
read_events(struct store_input *in, struct strbuf *text,
    struct profile_steps *steps, struct error *e)
{
	int c, rc = 0;

	while (rc == 0 && (c = next_byte(in)) != ']') {
		if (c == JSON_CUT || c == '}')
			return refuse(c, e);
		if (c == '"' && skip_string(in, NULL) != 0)
			return refuse(JSON_CUT, e);
		if (c != '{' && c != '[')
			continue;
		if (skip_nested(in, c, text) != 0)
			return refuse(JSON_CUT, e);
		rc = take_event(text, steps, e);
	}
	return rc;
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
	int c = skip_spaces(in);

	if (c != '{')
		return refuse(c, e);
	while ((c = next_nested(in, key)) == '{' || c == '[') {
		if (begins_events(c, key)) {
			if (read_events(in, text, steps, e) != 0)
				return -1;
			continue;
		}
		if (skip_nested(in, c, text) != 0)
			return refuse(JSON_CUT, e);
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
	return skip_spaces(in) == JSON_CUT
	    ? 0
	    : error_set(
		  e, ERROR_INPUT, "there is more after the profile's end");
}

int
profile_file_next(
    void *state, struct store_input *in, struct strbuf *lines, struct error *e)
{
	struct profile_steps steps = PROFILE_STEPS_INIT;
	struct strbuf text;
	int rc;

	(void)state;
	strbuf_init(&text, PROFILE_MAX_EVENT);
	rc = read_trace(in, &text, &steps, e);
	if (rc == 0 && profile_steps_write(&steps, NULL, lines) != 0)
		rc = error_set(e, ERROR_INPUT,
		    "a trace without the steps of a profiler (ProfilerStep#): "
		    "nothing states how long a step takes");
	if (rc == 0 && lines->full)
		rc = error_set(
		    e, ERROR_INPUT, "the profile's steps are too many");
	strbuf_release(&text);
	profile_steps_release(&steps);
	return rc;
}
