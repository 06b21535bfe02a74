/* Events of a trace, cut out of its JSON byte by byte. */
#include <config.h>

#include "extract/input/profiles/profile_file.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/strbuf.h"
#include "extract/input/profiles/profile_steps.h"

enum {
	MAX_DEPTH = 60,
	KEY_SIZE = 24, /* of a member of the file; longer keys are cut */
	MAX_TEXT = 256 << 20
};

/* What the bytes that are kept belong to. */
enum piece { PIECE_NONE, PIECE_EVENT, PIECE_DEVICES, PIECE_RANKS };

/* Where in the JSON a byte is. */
struct json_place {
	int depth, in_string, escaped;
	char open[MAX_DEPTH]; /* [depth] brackets */
	char key[KEY_SIZE];   /* of the outermost object's current member */
	size_t n_key;
	int in_value; /* of that member */
};

struct profile_file {
	struct json_place at;
	int in_events; /* within the array of events */
	int had_events;
	int done; /* the object is complete */
	enum piece piece;
	struct strbuf kept; /* of the piece so far */
	struct profile_steps *steps;
	const char *problem; /* of a trace that is refused, or NULL */
	struct strbuf text;
	size_t text_at; /* bytes of text that were given out */
};

/* --- places --------------------------------------------------------------- */

/* Within a string: note the byte.  Keys of the outermost object are kept. */
static void
place_string(struct json_place *p, char c)
{
	if (p->escaped)
		p->escaped = 0;
	else if (c == '\\')
		p->escaped = 1;
	else if (c == '"')
		p->in_string = 0;
	else if (p->depth == 1 && !p->in_value && p->n_key + 1 < KEY_SIZE)
		p->key[p->n_key++] = c;
}

/* Move on by a byte.  Returns 0; -1 where the brackets do not fit. */
static int
place_next(struct json_place *p, char c)
{
	if (p->in_string) {
		place_string(p, c);
		return 0;
	}
	switch (c) {
	case '"':
		p->in_string = 1;
		if (p->depth == 1 && !p->in_value) {
			memset(p->key, 0, sizeof p->key);
			p->n_key = 0;
		}
		return 0;
	case ':':
		p->in_value |= p->depth == 1;
		return 0;
	case ',':
		p->in_value &= p->depth != 1;
		return 0;
	case '{':
	case '[':
		if (p->depth == MAX_DEPTH)
			return -1;
		p->open[p->depth++] = c;
		return 0;
	case '}':
	case ']':
		if (p->depth == 0 ||
		    p->open[--p->depth] != (c == '}' ? '{' : '['))
			return -1;
		return 0;
	default:
		return 0;
	}
}

/* True if the array of events has just begun. */
static int
begins_events(const struct json_place *p)
{
	return p->depth == 2 && !p->in_string && p->open[0] == '{' &&
	    p->open[1] == '[' && p->in_value &&
	    strcmp(p->key, "traceEvents") == 0;
}

int
profile_file_is(const char *data, size_t len)
{
	struct json_place p = { 0 };
	size_t i = 0;

	while (i < len && isspace((unsigned char)data[i]))
		i++;
	if (i == len || data[i] != '{')
		return 0;
	do {
		if (place_next(&p, data[i]) != 0)
			return 0;
		if (data[i] == '[' && begins_events(&p))
			return 1;
	} while (p.depth > 0 && ++i < len);
	return 0;
}

/* --- pieces --------------------------------------------------------------- */

void *
profile_file_open(void)
{
	struct profile_file *f = xcalloc(1, sizeof *f);

	strbuf_init(&f->kept, PROFILE_MAX_EVENT);
	strbuf_init(&f->text, MAX_TEXT);
	f->steps = profile_steps_new();
	return f;
}

void
profile_file_close(void *state)
{
	struct profile_file *f = state;

	strbuf_release(&f->kept);
	strbuf_release(&f->text);
	profile_steps_free(f->steps);
	free(f);
}

/* True if the bracket that opened begins a piece. */
static void
begin_piece(struct profile_file *f)
{
	const struct json_place *p = &f->at;

	if (begins_events(p)) {
		f->in_events = f->had_events = 1;
		return;
	}
	if (f->in_events && p->depth == 3)
		f->piece = PIECE_EVENT;
	else if (p->depth == 2 && strcmp(p->key, "deviceProperties") == 0)
		f->piece = PIECE_DEVICES;
	else if (p->depth == 2 && strcmp(p->key, "distributedInfo") == 0)
		f->piece = PIECE_RANKS;
	strbuf_reset(&f->kept);
}

/* The piece is complete. */
static int
end_piece(struct profile_file *f)
{
	const char *text = f->kept.buf;
	const size_t len = f->kept.len;
	const enum piece piece = f->piece;
	struct profile_event e;

	f->piece = PIECE_NONE;
	if (f->kept.full)
		return 0;
	if (piece == PIECE_DEVICES)
		profile_steps_devices(f->steps, text, len);
	else if (piece == PIECE_RANKS)
		profile_steps_ranks(f->steps, text, len);
	else if (profile_event_read(text, len, &e) != 0)
		f->problem = "an event of the profile is no JSON";
	else if (profile_steps_add(f->steps, &e) != 0)
		f->problem = "the profile has more than 4 million kernels, a "
			     "million collectives or 65536 steps; profile "
			     "fewer steps";
	return f->problem != NULL ? -1 : 0;
}

static int
end_file(struct profile_file *f)
{
	f->done = 1;
	if (!f->had_events ||
	    profile_steps_write(f->steps, NULL, &f->text) != 0)
		f->problem = "a trace without the steps of a profiler "
			     "(ProfilerStep#): nothing states how long a step "
			     "takes";
	else if (f->text.full)
		f->problem = "the profile's steps are too many";
	return f->problem != NULL ? -1 : 0;
}

/* A bracket has closed. */
static int
after_closing(struct profile_file *f)
{
	const int depth = f->at.depth;

	if (f->piece != PIECE_NONE &&
	    depth == (f->piece == PIECE_EVENT ? 2 : 1) && end_piece(f) != 0)
		return -1;
	if (depth <= 1)
		f->in_events = 0;
	return depth == 0 ? end_file(f) : 0;
}

/* Where the next byte stands that may change the place: most do not. */
static const char *
skip_plain(const struct json_place *at, const char *p, const char *end)
{
	if (at->in_string && (at->depth > 1 || at->in_value)) {
		if (at->escaped)
			return p;
		while (p < end && *p != '"' && *p != '\\')
			p++;
	} else if (!at->in_string && at->depth > 1) {
		/* Only quotes and brackets count here; '{' is '[' but for a
		 * bit, '}' is ']'. */
		while (p < end && *p != '"' && (*p & 0xdf) != '[' &&
		    (*p & 0xdf) != ']')
			p++;
	}
	return p;
}

/* A bracket outside of strings was passed; p stands after it.
 *
 * from  the first byte of the piece that is not kept yet */
static int
note_bracket(struct profile_file *f, const char *p, const char **from)
{
	if (p[-1] == '{' || p[-1] == '[') {
		if (f->piece == PIECE_NONE) {
			begin_piece(f);
			*from = p - 1;
		}
		return 0;
	}
	if (f->piece != PIECE_NONE)
		strbuf_add(&f->kept, *from, (size_t)(p - *from));
	*from = p;
	return after_closing(f);
}

/* Up to the end of the input, or of the object. */
static int
take_bytes(struct profile_file *f, const char **in, size_t *in_len)
{
	const char *from = *in, *end = *in + *in_len;
	const char *p = skip_plain(&f->at, *in, end);
	int rc = 0;

	while (p < end && rc == 0 && !f->done) {
		const char c = *p++;
		const int outside = !f->at.in_string;

		if (place_next(&f->at, c) != 0) {
			f->problem = "the profile is no JSON";
			rc = -1;
		} else if (outside && strchr("{[}]", c) != NULL && c != '\0') {
			rc = note_bracket(f, p, &from);
		}
		if (rc == 0 && !f->done)
			p = skip_plain(&f->at, p, end);
	}
	if (f->piece != PIECE_NONE)
		strbuf_add(&f->kept, from, (size_t)(p - from));
	*in_len -= (size_t)(p - *in);
	*in = p;
	return rc;
}

/* --- the stream ----------------------------------------------------------- */

/* Pass over the spaces after the object.  Returns -1 if there is more. */
static int
skip_end(struct profile_file *f, const char **in, size_t *in_len)
{
	for (; *in_len > 0; ++*in, --*in_len)
		if (!isspace((unsigned char)**in)) {
			f->problem = "there is more after the profile's end";
			return -1;
		}
	return 0;
}

enum decompress_outcome
profile_file_run(
    void *state, const char **in, size_t *in_len, char **out, size_t *out_len)
{
	struct profile_file *f = state;

	if (f->problem != NULL)
		return DECOMPRESS_DAMAGED;
	if (!f->done && take_bytes(f, in, in_len) != 0)
		return DECOMPRESS_DAMAGED;
	if (!f->done)
		return DECOMPRESS_MORE;
	if (skip_end(f, in, in_len) != 0)
		return DECOMPRESS_DAMAGED;
	return decompressor_emit(&f->text, &f->text_at, out, out_len)
	    ? DECOMPRESS_END
	    : DECOMPRESS_MORE;
}

const char *
profile_file_problem(void *state, int cut_short)
{
	const struct profile_file *f = state;

	if (f->problem == NULL && cut_short)
		return "the profile is cut short: its kernels come last, so "
		       "no step of it is known";
	return f->problem;
}
