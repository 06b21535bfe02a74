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

/* The most frequent separator of the first line. */
static char
find_separator(const char *s, const char *end)
{
	size_t n[3] = { 0 };
	static const char separators[] = ",\t;";

	for (; s < end && *s != '\n'; s++)
		for (int i = 0; i < 3; i++)
			n[i] += *s == separators[i];
	if (n[1] > n[0] && n[1] >= n[2])
		return '\t';
	return n[2] > n[0] ? ';' : ',';
}

/* Read a cell, which may be quoted, with inner quotes doubled. */
static int
read_cell(struct published_reader *r, char separator)
{
	const char *from = r->at;
	struct strbuf sb;
	int rc, quoted = r->at < r->end && *r->at == '"';

	strbuf_init(&sb, PUBLISHED_MAX_BYTES);
	r->at += quoted;
	for (; r->at < r->end; r->at++) {
		if (quoted && *r->at == '"') {
			if (r->at + 1 < r->end && r->at[1] == '"') {
				r->at++;
			} else {
				quoted = 0;
				continue;
			}
		} else if (!quoted && (*r->at == separator || *r->at == '\n')) {
			break;
		}
		strbuf_addch(&sb, *r->at);
	}
	rc =
	    reader_cell(r, published_plain(&r->p->arena, sb.buf, sb.len), from);
	strbuf_release(&sb);
	return rc;
}

/* Read a line of cells and move r after it. */
static int
read_line(struct published_reader *r, char separator)
{
	reader_row_at(r, r->at);
	for (;;) {
		if (read_cell(r, separator) != 0)
			return -1;
		if (r->at >= r->end)
			return 0;
		if (*r->at++ == '\n')
			return 0;
	}
}

static int
at_blank_line(const struct published_reader *r)
{
	return *r->at == '\n' ||
	    (*r->at == '\r' && r->at + 1 < r->end && r->at[1] == '\n');
}

int
published_csv(struct published_reader *r)
{
	while (r->at < r->end) {
		char separator;

		while (r->at < r->end && (*r->at == '\n' || *r->at == '\r'))
			r->at++;
		separator = find_separator(r->at, r->end);
		while (r->at < r->end && !at_blank_line(r))
			if (read_line(r, separator) != 0)
				return -1;
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

/* Find "key" at or after at. Returns at if it is not within NEAR bytes. */
static const char *
find_key(const struct published_reader *r, const char *at, const char *key)
{
	const size_t len = strlen(key);
	const char *end = r->end - at > NEAR ? at + NEAR : r->end;

	for (const char *from = at; from < end;) {
		const char *s = memmem(from, (size_t)(end - from), key, len);

		if (s == NULL || len == 0)
			break;
		if (s > r->line_start && s[-1] == '"' && s + len < end &&
		    s[len] == '"')
			return s;
		from = s + len;
	}
	return at;
}

/* Add a cell of a case at the position of its key, if found. Members are in any
 * order, so r is not moved. */
static int
add_member(struct published_reader *r, const char *key, double x)
{
	const char *at = isnan(x) ? r->at : find_key(r, r->at, key);
	struct published_reader there = *r;
	char text[JSON_DOUBLE_SIZE] = "";

	reader_move(&there, at);
	if (!isnan(x))
		json_double(text, x);
	return reader_add(r, arena_strdup(&r->p->arena, text), there.line,
	    (long)(at - there.line_start) + 1);
}

static int
read_case(const struct json_value *model, const char *key, void *user,
    struct error *e)
{
	struct published_reader *r = user;
	struct json_value c;

	if (json_read_object(model, key, &c, e) != 0)
		return -1;
	r->at = find_key(r, r->at, key);
	reader_row_at(r, r->at);
	if (reader_cell(r, arena_strdup(&r->p->arena, key), r->at) != 0)
		return -1;
	for (size_t i = 0; i < N_MEMBERS; i++) {
		double x;

		if (json_read_double(&c, members[i], -1e300, 1e300, &x, e) !=
			0 ||
		    add_member(r, members[i], x) != 0)
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

	if (json_read_object(top, key, &model, e) != 0)
		return -1;
	r->headings[0] = arena_strdup(&r->p->arena, key);
	r->n_headings = 1;
	r->at = find_key(r, r->at, key);
	reader_row_at(r, r->at);
	if (reader_cell(r, "case", r->at) != 0)
		return -1;
	for (size_t i = 0; i < N_MEMBERS; i++)
		if (reader_cell(r, members[i], r->at) != 0)
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
