/* Tables written by programs: values separated by commas, tabs or semicolons,
 * quoted as in RFC 4180, with a blank line after each table; and JSON of
 * DLPerf's scripts and of extract_logs --compat=dlperf, which contains models,
 * their cases, and numbers of each: one table per model. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "common/json/json_read.h"
#include "common/json/json_write.h"
#include "common/published/published_parts.h"
#include "common/strbuf.h"

/* --- separated values ----------------------------------------------------- */

/* The most frequent separator of the line. */
static char
find_separator(struct text_span l)
{
	static const char separators[] = ",\t;";
	size_t n[3] = { 0 };
	int most = 0;

	for (; l.s < l.end; l.s++)
		for (int i = 0; i < 3; i++)
			n[i] += *l.s == separators[i];
	for (int i = 1; i < 3; i++)
		most = n[i] > n[most] ? i : most;
	return separators[most];
}

/* Read a cell, which may be quoted, with inner quotes doubled. Moves r->at to
 * the separator or newline after it. */
static int
read_cell(struct published_reader *r, char separator)
{
	const char *from = r->at, *s = r->at, *text;
	int quoted = s < r->end && *s == '"';
	struct strbuf sb;

	strbuf_init(&sb, PUBLISHED_MAX_BYTES);
	for (s += quoted; s < r->end; s++) {
		if (quoted && *s == '"') {
			quoted = s + 1 < r->end && s[1] == '"';
			s += quoted;
			if (!quoted)
				continue;
		} else if (!quoted && (*s == separator || *s == '\n')) {
			break;
		}
		strbuf_addch(&sb, *s);
	}
	r->at = s;
	text = published_plain(&r->p->arena, sb.buf, sb.buf + sb.len);
	strbuf_release(&sb);
	return reader_add(r, text, from) != NULL ? 0 : -1;
}

int
published_csv(struct published_reader *r)
{
	while (r->at < r->end) {
		char separator;

		while (r->at < r->end && (*r->at == '\n' || *r->at == '\r'))
			r->at++;
		separator = find_separator(line_at(r->at, r->end));
		while (r->at < r->end && line_at(r->at, r->end).end > r->at) {
			reader_row(r, r->at);
			do
				if (read_cell(r, separator) != 0)
					return -1;
			while (r->at < r->end && *r->at++ != '\n');
		}
		if (reader_finish(r) != 0)
			return -1;
	}
	return 0;
}

/* --- DLPerf's JSON -------------------------------------------------------- */

/* Columns of a case. average_speed is omitted, since no other number depends on
 * it. */
static const char *const members[] = { "batch_size_per_device", "median_speed",
	"speedup" };
enum { N_MEMBERS = sizeof members / sizeof members[0] };

enum { NEAR = 1 << 16 }; /* bytes searched for a key */

/* Find "key" at or after r->at. Returns r->at if it is not within NEAR
 * bytes. */
static const char *
find_key(const struct published_reader *r, const char *key)
{
	const char *quoted = arena_printf(&r->p->arena, "\"%s\"", key), *s;
	const size_t left = (size_t)(r->end - r->at);

	s = memmem(r->at, left < NEAR ? left : NEAR, quoted, strlen(quoted));
	return s != NULL ? s + 1 : r->at;
}

/* Move to the key and start a row with its text. */
static int
start_row(struct published_reader *r, const char *key, const char *text)
{
	r->at = find_key(r, key);
	reader_row(r, r->at);
	return reader_add(r, text, r->at) != NULL ? 0 : -1;
}

static int
read_case(const struct json_value *model, const char *key, void *user,
    struct error *e)
{
	struct published_reader *r = user;
	struct arena *a = &r->p->arena;
	struct json_value c;

	if (json_read_object(model, key, &c, e) != 0 ||
	    start_row(r, key, arena_strdup(a, key)) != 0)
		return -1;
	/* Members are in any order, so r->at stays at the case. */
	for (size_t i = 0; i < N_MEMBERS; i++) {
		char text[JSON_DOUBLE_SIZE] = "";
		const char *at = r->at;
		double x;

		if (json_read_double(&c, members[i], -1e300, 1e300, &x, e) != 0)
			return -1;
		if (!isnan(x)) {
			at = find_key(r, members[i]);
			json_double(text, x);
		}
		if (reader_add(r, arena_strdup(a, text), at) == NULL)
			return -1;
	}
	return 0;
}

static int
read_model(
    const struct json_value *top, const char *key, void *user, struct error *e)
{
	struct published_reader *r = user;
	struct json_value model;

	if (json_read_object(top, key, &model, e) != 0 ||
	    start_row(r, key, "case") != 0)
		return -1;
	r->headings[0] = arena_strdup(&r->p->arena, key);
	r->n_headings = 1;
	for (size_t i = 0; i < N_MEMBERS; i++)
		if (reader_add(r, members[i], r->at) == NULL)
			return -1;
	if (json_read_each(&model, read_case, r, e) != 0)
		return -1;
	return reader_finish(r);
}

int
published_dlperf(struct published_reader *r)
{
	struct json_doc doc;
	int rc;

	if (json_doc_parse(
		r->name, r->at, (size_t)(r->end - r->at), &doc, r->e) != 0)
		return -1;
	rc = json_read_is_object(&doc.top, r->e);
	if (rc == 0)
		rc = json_read_each(&doc.top, read_model, r, r->e);
	json_doc_release(&doc);
	return rc;
}

int
published_is_dlperf(const char *text, size_t len)
{
	return memmem(text, len, "\"schema\"", 8) == NULL &&
	    memmem(text, len, "\"median_speed\"", 14) != NULL;
}
