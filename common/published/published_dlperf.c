/* The JSON that DLPerf's scripts write, and extract_logs with --compat=dlperf:
 * models, in each its cases, in each numbers.  A model becomes a table. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json/json_read.h"
#include "common/published/published_parts.h"

/* What is read, and where its text is searched for the lines of numbers. */
struct dlperf_json {
	struct published *p;
	const char *name, *text, *end;
	const char *at; /* what was read ends here */
	/* Its line, and where that starts. */
	const char *line_start;
	long line;
	struct grid g;
};

/* What of a case is a column; its average_speed is none, for nothing follows
 * from it. */
static const char *const members[] = { "batch_size_per_device", "median_speed",
	"speedup" };
enum { N_MEMBERS = sizeof members / sizeof members[0] };

enum { NEAR = 1 << 16 }; /* bytes in which a key is searched */

/* Where "key" stands from at on; at itself if it is not near. */
static const char *
find_key(const struct dlperf_json *d, const char *at, const char *key)
{
	const size_t len = strlen(key);
	const char *end = d->end - at > NEAR ? at + NEAR : d->end;

	for (const char *from = at; from < end;) {
		const char *s = memmem(from, (size_t)(end - from), key, len);

		if (s == NULL || len == 0)
			break;
		if (s > d->text && s[-1] == '"' && s + len < end &&
		    s[len] == '"')
			return s;
		from = s + len;
	}
	return at;
}

/* Go on to that place, not before d->at. */
static void
move_to(struct dlperf_json *d, const char *at)
{
	for (; d->at < at; d->at++)
		if (*d->at == '\n') {
			d->line++;
			d->line_start = d->at + 1;
		}
}

/* The line and column of a place at or after d->at. */
static void
json_place(const struct dlperf_json *d, const char *at, long *line, long *col)
{
	struct dlperf_json there = *d;

	move_to(&there, at);
	*line = there.line;
	*col = (long)(at - there.line_start) + 1;
}

/* The number with the fewest digits that reads back the same: what was
 * printed, but for zeros at its end. */
static const char *
shortest_number(struct arena *a, double x)
{
	char text[40];

	if (isnan(x))
		return "";
	for (int digits = 1; digits <= 17; digits++) {
		snprintf(text, sizeof text, "%.*g", digits, x);
		if (strtod(text, NULL) == x)
			break;
	}
	/* No exponent below 1e15: 1e+02 has no digits after the point. */
	if (strchr(text, 'e') != NULL && x < 1e15 && x >= 1)
		snprintf(text, sizeof text, "%.0f", x);
	return arena_strdup(a, text);
}

static int
read_case(const struct json_value *model, const char *key, void *user,
    struct error *e)
{
	struct dlperf_json *d = user;
	struct json_value c;
	long line, col;

	if (json_read_object(model, key, &c, e) != 0)
		return -1;
	move_to(d, find_key(d, d->at, key));
	json_place(d, d->at, &line, &col);
	grid_add_row(&d->g, line);
	if (grid_add_cell(&d->g, arena_strdup(&d->p->arena, key), line, col) !=
	    0)
		return error_at(
		    e, ERROR_LIMIT, d->name, line, 0, "too many cases");
	for (size_t i = 0; i < N_MEMBERS; i++) {
		double x;

		if (json_read_double(&c, members[i], -1e300, 1e300, &x, e) != 0)
			return -1;
		if (!isnan(x))
			json_place(
			    d, find_key(d, d->at, members[i]), &line, &col);
		if (grid_add_cell(&d->g, shortest_number(&d->p->arena, x), line,
			col) != 0)
			return error_at(
			    e, ERROR_LIMIT, d->name, line, 0, "too many cases");
	}
	return 0;
}

static int
read_model(
    const struct json_value *top, const char *key, void *user, struct error *e)
{
	struct dlperf_json *d = user;
	const char *heading = arena_strdup(&d->p->arena, key);
	struct json_value model;
	long line, col;
	int rc;

	if (json_read_object(top, key, &model, e) != 0)
		return -1;
	move_to(d, find_key(d, d->at, key));
	json_place(d, d->at, &line, &col);
	d->g = (struct grid){ 0 };
	grid_add_row(&d->g, line);
	rc = grid_add_cell(&d->g, "case", line, col);
	for (size_t i = 0; i < N_MEMBERS; i++)
		rc |= grid_add_cell(&d->g, members[i], line, col);
	if (rc == 0)
		rc = json_read_each(&model, read_case, d, e);
	if (rc == 0)
		rc = published_add(d->p, d->name, &d->g, &heading, 1, e);
	grid_release(&d->g);
	return rc;
}

int
published_dlperf(struct published *p, const char *name, const char *text,
    size_t len, struct error *e)
{
	struct dlperf_json d = { p, name, text, text + len, text, text, 1,
		{ 0 } };
	struct json_doc doc;
	int rc;

	if (json_doc_parse(name, text, len, &doc, e) != 0)
		return -1;
	rc = json_read_is_object(&doc.top, e);
	if (rc == 0)
		rc = json_read_each(&doc.top, read_model, &d, e);
	json_doc_release(&doc);
	return rc;
}

int
published_is_dlperf(const char *text, size_t len)
{
	return memmem(text, len, "\"schema\"", 8) == NULL &&
	    memmem(text, len, "\"median_speed\"", 14) != NULL;
}
