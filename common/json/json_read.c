#include <config.h>

#include "common/json/json_read.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <json.h>

#include "common/alloc.h"
#include "common/files/infile.h"
#include "common/hash_index.h"
#include "common/strbuf.h"

enum { SHOWN_SIZE = 80, PATH_MAX_LEN = 400 };

/* Skip the white space at `at`. Returns the offset after it. */
static size_t
skip_blanks(const char *text, size_t at, size_t len)
{
	while (at < len && memchr(" \t\r\n", text[at], 4) != NULL)
		at++;
	return at;
}

/* Key of an object: the bytes between its quotes. */
struct key {
	const char *s;
	size_t len;
	size_t object; /* number of the object in the text */
};

static int
is_key(const void *list, size_t place, const void *wanted)
{
	const struct key *x = (const struct key *)list + place, *y = wanted;

	return x->object == y->object && x->len == y->len &&
	    memcmp(x->s, y->s, x->len) == 0;
}

/* Find a repeated key, which is ambiguous: json-c keeps the last value. The
 * text was parsed, so that its brackets match.
 *
 * Returns 1 and sets again, or 0. */
static int
find_repeated_key(const char *text, size_t len, struct key *again)
{
	size_t objects[JSON_READ_MAX_DEPTH + 2] = { 0 }; /* open ones */
	size_t depth = 0, n_objects = 0, n = 0, alloc = 0;
	struct hash_index index = HASH_INDEX_INIT;
	struct key *keys = NULL;
	int found = 0;

	for (size_t i = 0; i < len && !found; i++) {
		struct key key = { text + i + 1, 0, 0 };
		uint32_t hash;
		size_t next;

		if (text[i] == '{' || text[i] == '[')
			objects[++depth] = ++n_objects;
		else if (text[i] == '}' || text[i] == ']')
			depth--;
		if (text[i] != '"')
			continue;
		for (i++; text[i] != '"';)
			i += text[i] == '\\' ? 2 : 1;
		next = skip_blanks(text, i + 1, len);
		if (next == len || text[next] != ':')
			continue;
		key.len = (size_t)(text + i - key.s);
		key.object = objects[depth];
		hash = hash_bytes((uint32_t)key.object, key.s, key.len);
		found = hash_index_find(&index, hash, is_key, keys, &key) !=
		    HASH_INDEX_NONE;
		*again = key;
		keys = vec_grow(keys, n, &alloc, sizeof *keys);
		keys[n] = key;
		hash_index_add(&index, hash, n++);
	}
	hash_index_release(&index);
	free(keys);
	return found;
}

int
json_doc_parse(const char *name, const char *text, size_t len,
    struct json_doc *d, struct error *e)
{
	struct json_tokener *tok;
	struct json_object *top;
	enum json_tokener_error code;
	char what[2 * SHOWN_SIZE];
	long line = 1, col = 1;
	struct key again;
	size_t at, end;

	if (len > JSON_READ_MAX_BYTES)
		return error_set(e, ERROR_LIMIT, "%s: larger than %d bytes",
		    name, JSON_READ_MAX_BYTES);
	/* byte order mark */
	at = len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
	if (skip_blanks(text, at, len) == len)
		return error_set(e, ERROR_INPUT, "%s: empty", name);
	/* json-c counts the value itself as one more level. */
	tok = json_tokener_new_ex(JSON_READ_MAX_DEPTH + 1);
	if (tok == NULL)
		return error_set(e, ERROR_SYSTEM, "%s: out of memory", name);
	json_tokener_set_flags(tok,
	    JSON_TOKENER_STRICT | JSON_TOKENER_ALLOW_TRAILING_CHARS |
		JSON_TOKENER_VALIDATE_UTF8);
	top = json_tokener_parse_ex(tok, text + at, (int)(len - at));
	code = json_tokener_get_error(tok);
	end = at + json_tokener_get_parse_end(tok);
	if (code == json_tokener_continue) {
		/* A number at the end of the text is only complete with the
		 * NUL. */
		top = json_tokener_parse_ex(tok, "", 1);
		if (json_tokener_get_error(tok) == json_tokener_success)
			code = json_tokener_success;
		end = len;
	}
	json_tokener_free(tok);
	if (code == json_tokener_success) {
		end = skip_blanks(text, end, len);
		if (end < len)
			code = json_tokener_error_parse_unexpected;
	}
	*d = (struct json_doc){ .top = { .doc = d, .json = top } };
	if (code == json_tokener_success &&
	    !find_repeated_key(text, len, &again)) {
		d->name = xstrdup(name);
		return 0;
	}
	if (code == json_tokener_success) {
		end = (size_t)(again.s - text) - 1;
		snprintf(what, sizeof what,
		    "the key '%.*s' comes twice in an object",
		    again.len < SHOWN_SIZE ? (int)again.len : SHOWN_SIZE,
		    again.s);
	} else if (code == json_tokener_error_depth) {
		snprintf(what, sizeof what, "nested deeper than %d levels",
		    JSON_READ_MAX_DEPTH);
	} else {
		snprintf(what, sizeof what, "%s",
		    code == json_tokener_continue ||
			    code == json_tokener_error_parse_eof
			? "the text ends early"
			: json_tokener_error_desc(code));
	}
	for (size_t i = 0; i < end; i++) {
		col = text[i] == '\n' ? 1 : col + 1;
		line += text[i] == '\n';
	}
	json_doc_release(d);
	return error_at(e,
	    code == json_tokener_error_depth ? ERROR_LIMIT : ERROR_INPUT, name,
	    line, col, "%s", what);
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

/* True if a regular file begins with text, ignoring spaces. Opening a FIFO
 * would block. */
static int
file_begins_with(const char *path, const char *text)
{
	struct stat st;
	FILE *f = NULL;
	int c;

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

int
json_file_has_schema(const char *path, const char *schema)
{
	char *text = xasprintf("{\"schema\":\"%s", schema);
	const int has = file_begins_with(path, text);

	free(text);
	return has;
}

int
json_file_is_object(const char *path)
{
	return file_begins_with(path, "{");
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
	struct json_object *quoted = json_object_new_string(key);

	if (key[0] != '\0' && key[strspn(key, plain)] == '\0')
		strbuf_printf(path, "%s%s", path->len > 0 ? "." : "", key);
	else
		strbuf_printf(path, "[%s]", json_object_to_json_string(quoted));
	json_object_put(quoted);
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
	struct strbuf path = STRBUF_INIT(PATH_MAX_LEN);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	path_add(&path, v);
	if (key != NULL)
		path_add_key(&path, key);
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

/* Get a member that is null or of this type. */
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

static int
string_copy(const struct json_value *v, struct arena *a, const char **out,
    struct error *e)
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
	return v.json != NULL ? string_copy(&v, a, out, e) : 0;
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

int
json_read_item_string(const struct json_value *array, size_t i, struct arena *a,
    const char **out, struct error *e)
{
	struct json_value item;

	json_read_item(array, i, &item);
	return string_copy(&item, a, out, e);
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
	switch (json_object_get_type(v->json)) {
	case json_type_null:
	case json_type_object:
	case json_type_array:
		return NULL;
	case json_type_string:
		return arena_strdup(a, json_object_get_string(v->json));
	default:
		return arena_strdup(a, json_object_to_json_string(v->json));
	}
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
