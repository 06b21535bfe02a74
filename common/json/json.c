#include <config.h>

#include "common/json/json.h"

#include <assert.h>
#include <json.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/alloc.h"
#include "common/files/files.h"
#include "common/text.h"

enum { SHOWN_SIZE = 80, PATH_MAX_LEN = 400 };

int
json_doc_parse(const char *name, const char *text, size_t len,
    struct json_doc *d, struct error *e)
{
	struct json_tokener *tok;
	const size_t mark =
	    len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
	struct json_object *top;
	enum json_tokener_error code;
	long line = 1, col = 1;
	size_t end;

	if (len > JSON_READ_MAX_BYTES)
		return error_set(e, ERROR_LIMIT, "%s: larger than %d bytes",
		    name, JSON_READ_MAX_BYTES);
	/* json-c counts the value itself as one more level. */
	tok = json_tokener_new_ex(JSON_READ_MAX_DEPTH + 1);
	assert(tok != NULL);
	json_tokener_set_flags(
	    tok, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	top = json_tokener_parse_ex(tok, text + mark, (int)(len - mark));
	end = mark + json_tokener_get_parse_end(tok);
	/* The NUL ends a number, or shows that the text ends early. */
	if (json_tokener_get_error(tok) == json_tokener_continue) {
		top = json_tokener_parse_ex(tok, "", 1);
		end = len;
	}
	code = json_tokener_get_error(tok);
	json_tokener_free(tok);
	*d = (struct json_doc){ .top = { .doc = d, .json = top } };
	if (code == json_tokener_success) {
		d->name = xstrdup(name);
		return 0;
	}
	for (size_t i = 0; i < end; i++) {
		col = text[i] == '\n' ? 1 : col + 1;
		line += text[i] == '\n';
	}
	if (code == json_tokener_error_depth)
		return error_at(e, ERROR_LIMIT, name, line, col,
		    "nested deeper than %d levels", JSON_READ_MAX_DEPTH);
	return error_at(e, ERROR_INPUT, name, line, col, "%s",
	    code == json_tokener_error_parse_eof
		? "the text ends early"
		: json_tokener_error_desc(code));
}

int
json_doc_read(const char *path, struct json_doc *d, struct error *e)
{
	struct strbuf sb = STRBUF_INIT(JSON_READ_MAX_BYTES);
	int rc = text_file_read(path, &sb, e);

	if (rc == 0)
		rc = json_doc_parse(strcmp(path, "-") == 0 ? "stdin" : path,
		    sb.buf, sb.len, d, e);
	strbuf_release(&sb);
	return rc;
}

int
json_file_begins(const char *path, const char *text)
{
	struct stat st;
	FILE *f = NULL;
	int c;

	/* Opening a FIFO would block. */
	if (strcmp(path, "-") != 0 && stat(path, &st) == 0 &&
	    S_ISREG(st.st_mode))
		f = fopen(path, "r");
	if (f == NULL)
		return 0;
	while (*text != '\0' && (c = getc(f)) != EOF) {
		if (c != '\0' && strchr(" \t\r\n", c) != NULL)
			continue;
		if (c != *text)
			break;
		text++;
	}
	fclose(f);
	return *text == '\0';
}

void
json_doc_release(struct json_doc *d)
{
	json_object_put(d->top.json);
	free(d->name);
	memset(d, 0, sizeof *d);
}

/* The parser's depth limit bounds this recursion. */
static void
path_add(struct strbuf *path, const struct json_value *v)
{
	if (v->parent == NULL)
		return;
	path_add(path, v->parent);
	if (v->key != NULL)
		strbuf_printf(path, "%s%s", path->len > 0 ? "." : "", v->key);
	else
		strbuf_printf(path, "[%zu]", v->index);
}

int
json_read_error(const struct json_value *v, const char *key, struct error *e,
    const char *fmt, ...)
{
	char text[ERROR_MESSAGE_SIZE / 2];
	struct strbuf path = STRBUF_INIT(PATH_MAX_LEN);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	path_add(&path, v);
	if (key != NULL)
		strbuf_printf(&path, "%s%s", path.len > 0 ? "." : "", key);
	error_set(e, ERROR_INPUT, "%s: %s%s%s", v->doc->name, path.buf,
	    path.len > 0 ? ": " : "", text);
	strbuf_release(&path);
	return -1;
}

/* Format a value for a message: numbers unchanged, strings in single quotes and
 * truncated, control characters as '?'. */
static const char *
shown_value(struct json_object *json, char buf[SHOWN_SIZE])
{
	size_t len;

	switch (json_object_get_type(json)) {
	case json_type_object:
		return "an object";
	case json_type_array:
		return "an array";
	case json_type_null:
		return "null";
	case json_type_string:
		len = (size_t)json_object_get_string_len(json);
		snprintf(buf, SHOWN_SIZE, "'%.60s%s'",
		    json_object_get_string(json), len > 60 ? "..." : "");
		break;
	default:
		snprintf(
		    buf, SHOWN_SIZE, "%s", json_object_to_json_string(json));
	}
	text_sanitise(buf, "");
	return buf;
}

static int
wrong_value(const struct json_value *v, const char *what, struct error *e)
{
	char buf[SHOWN_SIZE];

	return json_read_error(
	    v, NULL, e, "%s is %s", shown_value(v->json, buf), what);
}

void
json_read_member(
    const struct json_value *obj, const char *key, struct json_value *out)
{
	struct json_object *json = NULL;

	json_object_object_get_ex(obj->json, key, &json);
	*out = (struct json_value){ obj->doc, json, obj, key, 0 };
}

/* Get a member, which must be null or of this type. */
static int
member_of_type(const struct json_value *obj, const char *key,
    enum json_type type, const char *wrong, struct json_value *out,
    struct error *e)
{
	json_read_member(obj, key, out);
	return out->json == NULL || json_object_is_type(out->json, type)
	    ? 0
	    : wrong_value(out, wrong, e);
}

int
json_read_require(
    const struct json_value *obj, const char *key, struct error *e)
{
	struct json_value v;

	json_read_member(obj, key, &v);
	return v.json != NULL ? 0 : json_read_error(&v, NULL, e, "missing");
}

int
json_read_item_string(const struct json_value *v, struct arena *a,
    const char **out, struct error *e)
{
	const char *s = json_object_get_string(v->json);
	size_t len;

	if (!json_object_is_type(v->json, json_type_string))
		return wrong_value(v, "not a string", e);
	len = (size_t)json_object_get_string_len(v->json);
	if (memchr(s, '\0', len) != NULL)
		return json_read_error(v, NULL, e, "a string with a NUL in it");
	*out = arena_strndup(a, s, len);
	return 0;
}

int
json_read_string(const struct json_value *obj, const char *key, struct arena *a,
    const char **out, struct error *e)
{
	struct json_value v;

	*out = NULL;
	json_read_member(obj, key, &v);
	return v.json != NULL ? json_read_item_string(&v, a, out, e) : 0;
}

int
json_read_double(const struct json_value *obj, const char *key, double min,
    double max, double *out, struct error *e)
{
	struct json_value v;
	char buf[SHOWN_SIZE];
	double x;

	*out = NAN;
	json_read_member(obj, key, &v);
	if (v.json == NULL)
		return 0;
	x = json_object_get_double(v.json);
	if (!json_object_is_type(v.json, json_type_double) &&
	    !json_object_is_type(v.json, json_type_int))
		return wrong_value(&v, "not a number", e);
	if (!isfinite(x))
		return wrong_value(&v, "not a finite number", e);
	if (x < min || x > max)
		return json_read_error(&v, NULL, e, "%s is %s %g",
		    shown_value(v.json, buf), x < min ? "below" : "above",
		    x < min ? min : max);
	*out = x;
	return 0;
}

int
json_read_count(
    const struct json_value *obj, const char *key, long *out, struct error *e)
{
	struct json_value v;
	double x;

	*out = LONG_MIN;
	json_read_member(obj, key, &v);
	if (v.json == NULL)
		return 0;
	/* Above 2^53 a double does not represent all integers; json-c clamps
	 * larger integers to LONG_MAX. */
	x = json_object_get_double(v.json);
	if (json_object_is_type(v.json, json_type_int) ||
	    (json_object_is_type(v.json, json_type_double) &&
		fabs(x) <= 9007199254740992.0 &&
		!(x < floor(x) || x > floor(x))))
		*out = (long)json_object_get_int64(v.json);
	return *out >= 0 && *out < LONG_MAX ? 0
					    : wrong_value(&v, "not a count", e);
}

int
json_read_bool(
    const struct json_value *obj, const char *key, int *out, struct error *e)
{
	struct json_value v;

	if (member_of_type(obj, key, json_type_boolean,
		"neither true nor false", &v, e) != 0)
		return -1;
	*out = json_object_get_boolean(v.json);
	return 0;
}

int
json_read_object(const struct json_value *obj, const char *key,
    struct json_value *out, struct error *e)
{
	return member_of_type(
	    obj, key, json_type_object, "not an object", out, e);
}

int
json_read_array(const struct json_value *obj, const char *key,
    struct json_value *out, size_t *n, struct error *e)
{
	if (member_of_type(obj, key, json_type_array, "not an array", out, e) !=
	    0)
		return -1;
	*n = out->json != NULL ? json_object_array_length(out->json) : 0;
	return 0;
}

void
json_read_item(const struct json_value *array, size_t i, struct json_value *out)
{
	assert(i < json_object_array_length(array->json));
	*out = (struct json_value){ array->doc,
		json_object_array_get_idx(array->json, i), array, NULL, i };
}

int
json_read_is_object(const struct json_value *v, struct error *e)
{
	return json_object_is_type(v->json, json_type_object)
	    ? 0
	    : wrong_value(v, "not an object", e);
}

size_t
json_read_n_members(const struct json_value *obj)
{
	return json_object_is_type(obj->json, json_type_object)
	    ? (size_t)json_object_object_length(obj->json)
	    : 0;
}

const char *
json_read_text(const struct json_value *v, struct arena *a)
{
	const enum json_type type = json_object_get_type(v->json);

	return type == json_type_null || type == json_type_object ||
		type == json_type_array
	    ? NULL
	    : arena_strdup(a, json_object_get_string(v->json));
}

int
json_read_next(const struct json_value *v, struct json_cursor *c,
    const char **key, struct json_value *out)
{
	const struct lh_entry *entry = c->next;

	*key = NULL;
	if (json_object_is_type(v->json, json_type_array)) {
		if (c->n == json_object_array_length(v->json))
			return 0;
		json_read_item(v, c->n++, out);
		return 1;
	}
	if (json_read_n_members(v) == c->n)
		return 0;
	if (c->n++ == 0)
		entry = json_object_get_object(v->json)->head;
	*key = lh_entry_k(entry);
	*out = (struct json_value){ v->doc, lh_entry_v(entry), v, *key, 0 };
	c->next = entry->next;
	return 1;
}

/* --- writing -------------------------------------------------------------- */

static void
out_bytes(struct json_writer *j, const char *s, size_t len)
{
	j->bytes += len;
	if (j->f == NULL)
		strbuf_add(j->sb, s, len);
	else if (len > 0)
		fwrite_unlocked(s, 1, len, j->f);
}

static void
out_str(struct json_writer *j, const char *s)
{
	out_bytes(j, s, strlen(s));
}

static void
out_line(struct json_writer *j)
{
	char text[1 + 2 * JSON_WRITE_MAX_DEPTH];

	memset(text, ' ', sizeof text);
	text[0] = '\n';
	if (j->style == JSON_WRITE_PRETTY)
		out_bytes(j, text, 1 + 2 * (size_t)j->depth);
}

static void
out_quoted(struct json_writer *j, const char *s)
{
	static const char special[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
	const char *plain = s, *at;
	char escape[8];
	uint32_t cp;

	out_str(j, "\"");
	while (*s != '\0') {
		size_t n;

		if (*s >= ' ' && *s < 0x7f && *s != '"' && *s != '\\') {
			s++;
			continue;
		}
		n = utf8_decode(s, strnlen(s, 4), &cp);
		if (cp != '"' && cp != '\\' && !utf8_is_control(cp)) {
			s += n;
			continue;
		}
		out_bytes(j, plain, (size_t)(s - plain));
		at = cp < 0x80 ? strchr(special, (int)cp) : NULL;
		if (cp == UTF8_INVALID)
			snprintf(escape, sizeof escape, "\xef\xbf\xbd");
		else if (at != NULL)
			snprintf(escape, sizeof escape, "\\%c",
			    letters[at - special]);
		else
			snprintf(escape, sizeof escape, "\\u%04x", cp);
		out_str(j, escape);
		plain = s += n;
	}
	out_bytes(j, plain, (size_t)(s - plain));
	out_str(j, "\"");
}

/* Write the comma, line end and key before a value, and the value. */
static void
out_value(struct json_writer *j, const char *key, const char *value)
{
	const int object = j->depth > 0 && j->close[j->depth - 1] == '}';

	assert(object == (key != NULL));
	if (j->n[j->depth]++ > 0)
		out_str(j,
		    j->depth == 0                      ? "\n"
			: j->style == JSON_WRITE_LINES ? ", "
						       : ",");
	if (j->depth > 0)
		out_line(j);
	if (key != NULL) {
		out_quoted(j, key);
		out_str(j, ": ");
	}
	out_str(j, value);
}

static void
out_begin(struct json_writer *j, const char *key, const char *open, char close)
{
	assert(j->depth < JSON_WRITE_MAX_DEPTH);
	out_value(j, key, open);
	j->close[j->depth++] = close;
	j->n[j->depth] = 0;
}

void
json_write_begin_object(struct json_writer *j, const char *key)
{
	out_begin(j, key, "{", '}');
}

void
json_write_begin_array(struct json_writer *j, const char *key)
{
	out_begin(j, key, "[", ']');
}

void
json_write_end(struct json_writer *j)
{
	assert(j->depth > 0);
	j->depth--;
	if (j->n[j->depth + 1] > 0)
		out_line(j);
	out_bytes(j, &j->close[j->depth], 1);
}

void
json_write_string(struct json_writer *j, const char *key, const char *s)
{
	out_value(j, key, s == NULL ? "null" : "");
	if (s != NULL)
		out_quoted(j, s);
}

void
json_write_long(struct json_writer *j, const char *key, long x)
{
	char text[24];

	snprintf(text, sizeof text, "%ld", x);
	out_value(j, key, x == LONG_MIN ? "null" : text);
}

char *
json_double(char buf[JSON_DOUBLE_SIZE], double x)
{
	double back = NAN;

	assert(isfinite(x));
	for (int digits = 15; digits <= 17 && !(back >= x && back <= x);
	     digits++) {
		snprintf(buf, JSON_DOUBLE_SIZE, "%.*g", digits, x);
		back = strtod(buf, NULL);
	}
	/* "-0" would be read as an integer and lose its sign. */
	if (strcmp(buf, "-0") == 0)
		snprintf(buf, JSON_DOUBLE_SIZE, "-0.0");
	return buf;
}

void
json_write_double(struct json_writer *j, const char *key, double x)
{
	char text[JSON_DOUBLE_SIZE];

	out_value(j, key, isfinite(x) ? json_double(text, x) : "null");
}

void
json_write_bool(struct json_writer *j, const char *key, int x)
{
	out_value(j, key, x ? "true" : "false");
}

void
json_write_finish(struct json_writer *j)
{
	assert(j->depth == 0);
	if (j->n[0] > 0)
		out_str(j, "\n");
}
