/* Events of a trace, cut out of its JSON while it is read. */
#include <config.h>

#include "extract/input/profiles/profile_file.h"

#include <ctype.h>
#include <string.h>

#include "extract/input/profiles/profile_steps.h"

enum {
	MAX_DEPTH = 60,
	KEY_SIZE = 24 /* of a member of the file; longer keys are cut */
};

/* --- JSON ----------------------------------------------------------------- */

/* What ends reading, besides bytes. */
enum { JSON_CUT = 256, JSON_DAMAGED };

static int
next_byte(struct store_input *in)
{
	if (in->at == in->end && !in->more(in))
		return JSON_CUT;
	return (unsigned char)*in->at++;
}

/* Pass over a string after its first quote.
 *
 * key  [KEY_SIZE] gets its text; may be NULL
 *
 * Returns 0 or JSON_CUT. */
static int
pass_string(struct store_input *in, char *key)
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

/* A place within nested objects and arrays. */
struct json_place {
	int depth, in_string, escaped;
	char open[MAX_DEPTH]; /* [depth] brackets */
};

/* Move on by a byte.  Returns 0; -1 where the brackets do not fit. */
static int
place_next(struct json_place *p, char c)
{
	if (p->in_string) {
		p->in_string = p->escaped || c != '"';
		p->escaped = !p->escaped && c == '\\';
	} else if (c == '"') {
		p->in_string = 1;
	} else if (c == '{' || c == '[') {
		if (p->depth == MAX_DEPTH)
			return -1;
		p->open[p->depth++] = c;
	} else if (c == '}' || c == ']') {
		if (p->open[--p->depth] != (c == '}' ? '{' : '['))
			return -1;
	}
	return 0;
}

/* Pass over an object or array after its first bracket.
 *
 * kept  gets its text; may be NULL
 *
 * Returns 0, JSON_CUT or JSON_DAMAGED. */
static int
pass_nested(struct store_input *in, int bracket, struct strbuf *kept)
{
	struct json_place place = { .depth = 1, .open = { (char)bracket } };

	if (kept != NULL) {
		strbuf_reset(kept);
		strbuf_addch(kept, (char)bracket);
	}
	while (place.depth > 0) {
		const char *p = in->at;

		if (p == in->end && !in->more(in))
			return JSON_CUT;
		for (p = in->at; p < in->end && place.depth > 0; p++)
			if (place_next(&place, *p) != 0)
				return JSON_DAMAGED;
		if (kept != NULL)
			strbuf_add(kept, in->at, (size_t)(p - in->at));
		in->at = p;
	}
	return 0;
}

/* Pass over spaces.  Returns the byte after them, or JSON_CUT. */
static int
pass_spaces(struct store_input *in)
{
	int c;

	do
		c = next_byte(in);
	while (c < JSON_CUT && isspace(c));
	return c;
}

/* Pass over members of the outermost object until an object or array begins.
 *
 * key  set to that of its member
 *
 * Returns its bracket, '}' at the end of the outermost object, JSON_CUT or
 * JSON_DAMAGED. */
static int
next_nested(struct store_input *in, char key[KEY_SIZE])
{
	int in_value = 0;

	memset(key, 0, KEY_SIZE);
	for (;;) {
		const int c = next_byte(in);

		switch (c) {
		case ']':
			return JSON_DAMAGED;
		case '{':
		case '[':
		case '}':
		case JSON_CUT:
			return c;
		case ':':
			in_value = 1;
			break;
		case ',':
			in_value = 0;
			break;
		case '"':
			if (pass_string(in, in_value ? NULL : key) != 0)
				return JSON_CUT;
			break;
		}
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

	if (pass_spaces(&in) != '{')
		return 0;
	while ((c = next_nested(&in, key)) == '{' || c == '[')
		if (begins_events(c, key))
			return 1;
		else if (pass_nested(&in, c, NULL) != 0)
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

/* All events, after the bracket of their array. */
static int
read_events(struct store_input *in, struct strbuf *text,
    struct profile_steps *steps, struct error *e)
{
	int c, rc = 0;

	while (rc == 0 && (c = next_byte(in)) != ']') {
		if (c == JSON_CUT || c == '}')
			return refuse(c == '}' ? JSON_DAMAGED : c, e);
		if (c == '"' && pass_string(in, NULL) != 0)
			return refuse(JSON_CUT, e);
		if (c != '{' && c != '[')
			continue;
		rc = pass_nested(in, c, text);
		if (rc != 0)
			return refuse(rc, e);
		rc = take_event(text, steps, e);
	}
	return rc;
}

/* The outermost object. */
static int
read_trace(struct store_input *in, struct strbuf *text,
    struct profile_steps *steps, struct error *e)
{
	char key[KEY_SIZE];
	int c = pass_spaces(in), rc;

	if (c != '{')
		return refuse(c == JSON_CUT ? c : JSON_DAMAGED, e);
	while ((c = next_nested(in, key)) == '{' || c == '[') {
		if (begins_events(c, key)) {
			if (read_events(in, text, steps, e) != 0)
				return -1;
			continue;
		}
		rc = pass_nested(in, c, text);
		if (rc != 0)
			return refuse(rc, e);
		if (!text->full && strcmp(key, "deviceProperties") == 0)
			profile_steps_devices(steps, text->buf, text->len);
		if (!text->full && strcmp(key, "distributedInfo") == 0)
			profile_steps_ranks(steps, text->buf, text->len);
	}
	if (c != '}')
		return refuse(c, e);
	return pass_spaces(in) == JSON_CUT
	    ? 0
	    : error_set(
		  e, ERROR_INPUT, "there is more after the profile's end");
}

int
profile_file_next(
    void *state, struct store_input *in, struct strbuf *lines, struct error *e)
{
	struct profile_steps *steps = profile_steps_new();
	struct strbuf text;
	int rc;

	(void)state;
	strbuf_init(&text, PROFILE_MAX_EVENT);
	rc = read_trace(in, &text, steps, e);
	if (rc == 0 && profile_steps_write(steps, NULL, lines) != 0)
		rc = error_set(e, ERROR_INPUT,
		    "a trace without the steps of a profiler (ProfilerStep#): "
		    "nothing states how long a step takes");
	if (rc == 0 && lines->full)
		rc = error_set(
		    e, ERROR_INPUT, "the profile's steps are too many");
	strbuf_release(&text);
	profile_steps_free(steps);
	return rc;
}
