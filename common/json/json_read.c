#include <config.h>

#include "common/json/json_read.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <json.h>

#include "common/alloc.h"
#include "common/files/infile.h"
#include "common/json/json_write.h"
#include "common/strbuf.h"

enum { SHOWN_SIZE = 80, PATH_MAX_LEN = 400 };

/* Line and column, from 1, of the byte at `at`. */
static void
find_place(const char *text, size_t at, long *line, long *col)
{
	size_t start = 0, i;

	*line = 1;
	for (i = 0; i < at; i++) {
		if (text[i] == '\n') {
			++*line;
			start = i + 1;
		}
	}
	*col = (long)(at - start) + 1;
}

/* Set the error "name:line:col: what" for the byte at `at`. */
static int
syntax_error(const char *name, const char *text, size_t at,
    enum json_tokener_error code, struct error *e)
{
	long line, col;

	find_place(text, at, &line, &col);
	if (code == json_tokener_error_depth)
		return error_at(e, ERROR_LIMIT, name, line, col,
		    "nested deeper than %d levels", JSON_READ_MAX_DEPTH);
	return error_at(e, ERROR_INPUT, name, line, col, "%s",
	    code == json_tokener_continue ||
		    code == json_tokener_error_parse_eof
		? "the text ends early"
		: json_tokener_error_desc(code));
}

/* Length of the white space at the start of text. */
static size_t
blank_len(const char *text, size_t len)
{
	size_t i = 0;

	while (i < len && memchr(" \t\r\n", text[i], 4) != NULL)
		i++;
	return i;
}

/* Key of an object: the bytes between its quotes. */
struct key {
	const char *s;
	size_t len;
};

/* For qsort: equal keys in the order of the text. */
static int
compare_keys(const void *a, const void *b)
{
	const struct key *x = a, *y = b;
	const int order = x->len != y->len
	    ? (x->len > y->len) - (x->len < y->len)
	    : memcmp(x->s, y->s, x->len);

	return order != 0 ? order : (x->s > y->s) - (x->s < y->s);
}

/* The first key that repeats another of its object, or one of length 0 and s
 * NULL.
 *
 * keys  [n], n > 1; sorted here */
static struct key
find_repeated(struct key *keys, size_t n)
{
	struct key repeated = { NULL, 0 };

	qsort(keys, n, sizeof *keys, compare_keys);
	for (size_t i = 1; i < n; i++)
		if (keys[i].len == keys[i - 1].len &&
		    memcmp(keys[i].s, keys[i - 1].s, keys[i].len) == 0 &&
		    (repeated.s == NULL || keys[i].s < repeated.s))
			repeated = keys[i];
	return repeated;
}

/* Reject repeated keys, which are ambiguous. json-c keeps the last value. The
 * text was parsed, so that its brackets match. */
static int
check_keys(const char *name, const char *text, size_t len, struct error *e)
{
	size_t first[JSON_READ_MAX_DEPTH + 2]; /* key of each open object */
	struct key *keys = NULL, repeated = { NULL, 0 };
	size_t depth = 0, n = 0, alloc = 0;
	long line, col;

	for (size_t i = 0; i < len && repeated.s == NULL; i++) {
		if ((text[i] == '{' || text[i] == '[') &&
		    depth < JSON_READ_MAX_DEPTH + 2) {
			first[depth++] = n;
		} else if ((text[i] == '}' || text[i] == ']') && depth > 0) {
			const size_t from = first[--depth];

			if (n > from + 1)
				repeated = find_repeated(keys + from, n - from);
			n = from;
		} else if (text[i] == '"') {
			const struct key key = { text + i + 1, 0 };
			size_t next;

			for (i++; i < len && text[i] != '"';)
				i += text[i] == '\\' ? 2 : 1;
			if (i >= len)
				break;
			next = i + 1 + blank_len(text + i + 1, len - i - 1);
			if (next >= len || text[next] != ':')
				continue;
			keys = vec_grow(keys, n, &alloc, sizeof *keys);
			keys[n] = key;
			keys[n++].len = (size_t)(text + i - key.s);
		}
	}
	free(keys);
	if (repeated.s == NULL)
		return 0;
	find_place(text, (size_t)(repeated.s - text) - 1, &line, &col);
	return error_at(e, ERROR_INPUT, name, line, col,
	    "the key '%.*s' comes twice in an object",
	    repeated.len < SHOWN_SIZE ? (int)repeated.len : SHOWN_SIZE,
	    repeated.s);
}

/* Parse text from `at`. Returns the json-c code and sets end to the offset of
 * the rest. */
static enum json_tokener_error
parse_part(struct json_tokener *tok, const char *text, size_t at, size_t len,
    struct json_object **top, size_t *end)
{
	enum json_tokener_error code;

	json_tokener_set_flags(tok,
	    JSON_TOKENER_STRICT | JSON_TOKENER_ALLOW_TRAILING_CHARS |
		JSON_TOKENER_VALIDATE_UTF8);
	*top = json_tokener_parse_ex(tok, text + at, (int)(len - at));
	code = json_tokener_get_error(tok);
	*end = at + json_tokener_get_parse_end(tok);
	if (code == json_tokener_continue) {
		/* A number at the end of the text is only complete with the
		 * NUL. */
		*top = json_tokener_parse_ex(tok, "", 1);
		if (json_tokener_get_error(tok) == json_tokener_success)
			code = json_tokener_success;
		*end = len;
	}
	if (code == json_tokener_success) {
		*end += blank_len(text + *end, len - *end);
		if (*end < len)
			code = json_tokener_error_parse_unexpected;
	}
	return code;
}

int
json_doc_parse(const char *name, const char *text, size_t len,
    struct json_doc *d, struct error *e)
{
	struct json_tokener *tok;
	struct json_object *top;
	enum json_tokener_error code;
	size_t at = 0, end;

	if (len > JSON_READ_MAX_BYTES)
		return error_set(e, ERROR_LIMIT, "%s: larger than %d bytes",
		    name, JSON_READ_MAX_BYTES);
	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		at = 3; /* byte order mark */
	if (at + blank_len(text + at, len - at) == len)
		return error_set(e, ERROR_INPUT, "%s: empty", name);
	/* json-c counts the value itself as one more level. */
	tok = json_tokener_new_ex(JSON_READ_MAX_DEPTH + 1);
	if (tok == NULL)
		return error_set(e, ERROR_SYSTEM, "%s: out of memory", name);
	code = parse_part(tok, text, at, len, &top, &end);
	json_tokener_free(tok);
	if (code != json_tokener_success) {
		json_object_put(top);
		return syntax_error(name, text, end, code, e);
	}
	if (check_keys(name, text, len, e) != 0) {
		json_object_put(top);
		return -1;
	}
	d->name = xstrdup(name);
	d->top = (struct json_value){ .doc = d, .json = top };
	return 0;
}

int
json_doc_read(const char *path, struct json_doc *d, struct error *e)
{
	struct strbuf sb;
	int rc;

	strbuf_init(&sb, JSON_READ_MAX_BYTES);
	rc = text_file_read(path, &sb, e);
	if (rc == 0)
		rc = json_doc_parse(strcmp(path, "-") == 0 ? "stdin" : path,
		    sb.buf, sb.len, d, e);
	strbuf_release(&sb);
	return rc;
}

/* True if f continues with text, ignoring spaces. */
static int
goes_on_with(FILE *f, const char *text)
{
	int c;

	while (*text != '\0' && (c = getc(f)) != EOF) {
		if (c != '\0' && strchr(" \t\r\n", c) != NULL)
			continue;
		if (c != *text)
			return 0;
		text++;
	}
	return *text == '\0';
}

/* True if a regular file begins with both texts, ignoring spaces. Opening a
 * FIFO would block. */
static int
file_begins_with(const char *path, const char *first, const char *second)
{
	struct stat st;
	FILE *f;
	int begins;

	if (strcmp(path, "-") == 0 || stat(path, &st) != 0 ||
	    !S_ISREG(st.st_mode))
		return 0;
	f = fopen(path, "r");
	if (f == NULL)
		return 0;
	begins = goes_on_with(f, first) && goes_on_with(f, second);
	fclose(f);
	return begins;
}

int
json_file_has_schema(const char *path, const char *schema)
{
	return file_begins_with(path, "{\"schema\":\"", schema);
}

int
json_file_is_object(const char *path)
{
	return file_begins_with(path, "{", "");
}

void
json_doc_release(struct json_doc *d)
{
	json_object_put(d->top.json);
	free(d->name);
	memset(d, 0, sizeof *d);
}

/* Add ".key", or "[\"odd key\"]" if the key is not a plain word. */
static void
path_add_key(struct strbuf *path, const char *key)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-";
	struct json_writer j;

	if (key[0] != '\0' && key[strspn(key, plain)] == '\0') {
		if (path->len > 0)
			strbuf_addch(path, '.');
		strbuf_addstr(path, key);
		return;
	}
	strbuf_addch(path, '[');
	json_write_to_strbuf(&j, path, JSON_WRITE_LINES);
	json_write_string(&j, NULL, key);
	strbuf_addch(path, ']');
}

/* The parser's depth limit bounds this recursion. */
static void
path_add(struct strbuf *path, const struct json_value *v)
{
	if (v->parent == NULL)
		return;
	path_add(path, v->parent);
	if (v->key != NULL)
		path_add_key(path, v->key);
	else
		strbuf_printf(path, "[%zu]", v->index);
}

int
json_read_error(const struct json_value *v, const char *key, struct error *e,
    const char *fmt, ...)
{
	char text[ERROR_MESSAGE_SIZE / 2];
	struct strbuf path;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	strbuf_init(&path, PATH_MAX_LEN);
	path_add(&path, v);
	if (key != NULL)
		path_add_key(&path, key);
	if (path.len > 0)
		error_set(
		    e, ERROR_INPUT, "%s: %s: %s", v->doc->name, path.buf, text);
	else
		error_set(e, ERROR_INPUT, "%s: %s", v->doc->name, text);
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
	for (size_t i = 0; buf[i] != '\0'; i++)
		if ((unsigned char)buf[i] < 0x20 || buf[i] == 0x7f)
			buf[i] = '?';
	return buf;
}

/* Member of that key, NULL if absent or null. */
static struct json_object *
find_member(const struct json_value *obj, const char *key)
{
	struct json_object *json;

	if (!json_object_is_type(obj->json, json_type_object) ||
	    !json_object_object_get_ex(obj->json, key, &json))
		return NULL;
	return json;
}

static int
wrong_member(const struct json_value *obj, const char *key,
    struct json_object *json, const char *what, struct error *e)
{
	char buf[SHOWN_SIZE];

	return json_read_error(
	    obj, key, e, "%s is %s", shown_value(json, buf), what);
}

int
json_read_require(
    const struct json_value *obj, const char *key, struct error *e)
{
	if (find_member(obj, key) != NULL)
		return 0;
	return json_read_error(obj, key, e, "missing");
}

/* v and key (may be NULL) give the path in messages. */
static int
string_copy(const struct json_value *v, const char *key,
    struct json_object *json, struct arena *a, const char **out,
    struct error *e)
{
	const char *s;
	size_t len;

	if (!json_object_is_type(json, json_type_string))
		return wrong_member(v, key, json, "not a string", e);
	s = json_object_get_string(json);
	len = (size_t)json_object_get_string_len(json);
	if (memchr(s, '\0', len) != NULL)
		return json_read_error(v, key, e, "a string with a NUL in it");
	*out = arena_strndup(a, s, len);
	return 0;
}

int
json_read_string(const struct json_value *obj, const char *key, struct arena *a,
    const char **out, struct error *e)
{
	struct json_object *json = find_member(obj, key);

	if (json == NULL) {
		*out = NULL;
		return 0;
	}
	return string_copy(obj, key, json, a, out, e);
}

int
json_read_double(const struct json_value *obj, const char *key, double min,
    double max, double *out, struct error *e)
{
	struct json_object *json = find_member(obj, key);
	char buf[SHOWN_SIZE];
	double x;

	assert(min <= max);
	if (json == NULL) {
		*out = NAN;
		return 0;
	}
	if (!json_object_is_type(json, json_type_double) &&
	    !json_object_is_type(json, json_type_int))
		return wrong_member(obj, key, json, "not a number", e);
	x = json_object_get_double(json);
	if (!isfinite(x))
		return wrong_member(obj, key, json, "not a finite number", e);
	if (x < min)
		return json_read_error(
		    obj, key, e, "%s is below %g", shown_value(json, buf), min);
	if (x > max)
		return json_read_error(
		    obj, key, e, "%s is above %g", shown_value(json, buf), max);
	*out = x;
	return 0;
}

/* Convert an integer to a long. Rejects the limits: json-c clamps larger
 * integers to them, and LONG_MIN means unknown. Returns 0 or -1. */
static int
whole_of_json(struct json_object *json, long *out)
{
	double x;

	if (json_object_is_type(json, json_type_int)) {
		const int64_t i = json_object_get_int64(json);

		if (i <= LONG_MIN || i >= LONG_MAX)
			return -1;
		*out = (long)i;
		return 0;
	}
	if (!json_object_is_type(json, json_type_double))
		return -1;
	x = json_object_get_double(json);
	/* Above 2^53 a double does not represent all integers. */
	if (!(fabs(x) <= 9007199254740992.0) || x < floor(x) || x > floor(x))
		return -1;
	*out = (long)x;
	return 0;
}

int
json_read_count(
    const struct json_value *obj, const char *key, long *out, struct error *e)
{
	struct json_object *json = find_member(obj, key);
	long x;

	if (json == NULL) {
		*out = LONG_MIN;
		return 0;
	}
	if (whole_of_json(json, &x) != 0 || x < 0)
		return wrong_member(obj, key, json, "not a count", e);
	*out = x;
	return 0;
}

int
json_read_bool(
    const struct json_value *obj, const char *key, int *out, struct error *e)
{
	struct json_object *json = find_member(obj, key);

	if (json != NULL && !json_object_is_type(json, json_type_boolean))
		return wrong_member(
		    obj, key, json, "neither true nor false", e);
	*out = json != NULL && json_object_get_boolean(json);
	return 0;
}

/* Read the member as a value of this type. */
static int
member_of_type(const struct json_value *obj, const char *key,
    enum json_type type, const char *wrong_message, struct json_value *out,
    struct error *e)
{
	struct json_object *json = find_member(obj, key);

	if (json != NULL && !json_object_is_type(json, type))
		return wrong_member(obj, key, json, wrong_message, e);
	*out = (struct json_value){ obj->doc, json, obj, key, 0 };
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
	if (json_object_is_type(v->json, json_type_object))
		return 0;
	return wrong_member(v, NULL, v->json, "not an object", e);
}

int
json_read_item_string(const struct json_value *array, size_t i, struct arena *a,
    const char **out, struct error *e)
{
	struct json_value item;

	json_read_item(array, i, &item);
	return string_copy(&item, NULL, item.json, a, out, e);
}

size_t
json_read_n_members(const struct json_value *obj)
{
	if (!json_object_is_type(obj->json, json_type_object))
		return 0;
	return (size_t)json_object_object_length(obj->json);
}

int
json_read_each(const struct json_value *obj,
    int (*f)(const struct json_value *obj, const char *key, void *user,
	struct error *e),
    void *user, struct error *e)
{
	struct lh_entry *entry;
	int rc = 0;

	if (!json_object_is_type(obj->json, json_type_object))
		return 0;
	lh_foreach(json_object_get_object(obj->json), entry)
	{
		rc = f(obj, lh_entry_k(entry), user, e);
		if (rc != 0)
			break;
	}
	return rc;
}
