/* Settings out of the head of a log.  Each line is looked at once, for what it
 * may be: a command, a printed object, or a line of a dump. */
#include <config.h>

#include "extract/log/settings_reader.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/alloc.h"

enum {
	MAX_SETTINGS = 4096,
	MAX_VALUE = 200,        /* bytes; longer values are cut */
	MAX_COMMAND = 64 << 10, /* with the lines that continue it */
	MAX_VALUES = 6 /* of one key in one log; with more it is no setting */
};

/* --- Keys and values -------------------------------------------------------*/

static int
is_key_byte(char c)
{
	return isalnum((unsigned char)c) ||
	    (c != '\0' && strchr("_-./@", c) != NULL);
}

size_t
settings_key_length(const char *s, size_t len)
{
	size_t n = 0;

	if (len == 0 || (!isalpha((unsigned char)s[0]) && s[0] != '_'))
		return 0;
	while (n < len && is_key_byte(s[n]))
		n++;
	/* "....." may fill the space before the value. */
	while (n > 0 && s[n - 1] == '.')
		n--;
	return n <= SETTINGS_KEY ? n : 0;
}

int
settings_ends_with(const char *text, const char *end)
{
	const size_t n = strlen(text), m = strlen(end);

	return n >= m && strcmp(text + n - m, end) == 0;
}

/* One spelling for what is the same: a configuration file's name without its
 * folder, a device without its number. */
static const char *
value_text(struct settings_reader *r, const char *s, size_t len)
{
	static const char *const suffixes[] = { ".yaml", ".yml", ".json",
		".toml", ".py", ".cfg", ".conf", ".ini" };
	static const char *const devices[] = {
		"cuda:", "gpu:", "xpu:", "npu:"
	};
	char *text = arena_strndup(r->a, s, len < MAX_VALUE ? len : MAX_VALUE);
	char *slash = strrchr(text, '/');

	text_sanitise(text, "");
	if (strcmp(text, "True") == 0 || strcmp(text, "TRUE") == 0)
		return "true";
	if (strcmp(text, "False") == 0 || strcmp(text, "FALSE") == 0)
		return "false";
	for (size_t i = 0; slash != NULL && slash[1] != '\0' && i < 8; i++)
		if (settings_ends_with(text, suffixes[i]))
			return slash + 1;
	for (size_t i = 0; i < 4; i++)
		if (strncmp(text, devices[i], strlen(devices[i])) == 0)
			text[strlen(devices[i]) - 1] = '\0';
	return text;
}

void
settings_reader_add(struct settings_reader *r, enum setting_place place,
    const char *prefix, const char *key, size_t key_len, const char *value,
    size_t len)
{
	const char *text = value_text(r, value, len);
	char *name;

	while (key_len > 0 && (*key == '-' || *key == '+'))
		key++, key_len--;
	if (key_len == 0 || len == 0 || r->n == MAX_SETTINGS)
		return;
	name = arena_printf(r->a, "%s%s%.*s", prefix,
	    prefix[0] != '\0' ? "." : "", (int)key_len, key);
	text_sanitise(name, "");
	for (char *p = name; *p != '\0'; p++)
		if (*p == '-')
			*p = '_';
	if (!setting_counts(name, text))
		return;
	r->items = vec_grow(r->items, r->n, &r->alloc, sizeof *r->items);
	r->items[r->n++] =
	    (struct stated_setting){ name, text, place, r->line };
}

/* Is a line a setting without others around it?  A single line may say
 * anything: only a switch, or at the margin a name of several words with no
 * fraction. */
static int
stands_alone(const struct settings_reader *r, const struct stated_setting *s)
{
	return strcmp(s->value, "true") == 0 ||
	    strcmp(s->value, "false") == 0 ||
	    (r->at_margin && strchr(s->key, '_') != NULL &&
		strchr(s->value, '.') == NULL);
}

void
settings_reader_end_block(struct settings_reader *r)
{
	if (r->in_block < 2 && r->n > r->block &&
	    !stands_alone(r, &r->items[r->block]))
		r->n = r->block;
	r->block = r->n;
	r->section = NULL;
	r->in_block = 0;
	r->key_len = 0;
	r->n_parents = 0;
}

/* --- Printed objects -------------------------------------------------------*/

/* An object while it is read: "{'a': 1, 'b': {'c': 2}}", "Namespace(a=1)". */
struct object {
	const char *text;
	size_t len, at;
	enum setting_place place;
};

static void read_members(struct settings_reader *r, struct object *o,
    const char *prefix, char close, int depth);

static char
object_byte(const struct object *o)
{
	return o->at < o->len ? o->text[o->at] : '\0';
}

static void
skip_blanks(struct object *o)
{
	while (o->at < o->len && isspace((unsigned char)o->text[o->at]))
		o->at++;
}

/* The text in quotes at o->at, without them. */
static const char *
read_quoted(struct object *o, size_t *len)
{
	const char quote = o->text[o->at++];
	const char *s = o->text + o->at;

	while (o->at < o->len && o->text[o->at] != quote)
		o->at += 1 + (o->text[o->at] == '\\');
	if (o->at > o->len)
		o->at = o->len;
	*len = (size_t)(o->text + o->at - s);
	o->at += o->at < o->len;
	return s;
}

/* Pass over a value up to the comma or bracket after it. */
static const char *
read_plain(struct object *o, size_t *len)
{
	const char *s = o->text + o->at;
	int depth = 0;

	for (; o->at < o->len; o->at++) {
		const char c = o->text[o->at];

		if (depth == 0 && (c == ',' || strchr(")]}", c) != NULL))
			break;
		depth += strchr("([{", c) != NULL;
		depth -= strchr(")]}", c) != NULL;
		if (c == '"' || c == '\'') {
			size_t n;

			read_quoted(o, &n);
			o->at--;
		}
	}
	*len = (size_t)(o->text + o->at - s);
	while (*len > 0 && isspace((unsigned char)s[*len - 1]))
		--*len;
	return s;
}

/* Bytes of the name of a printed configuration at s, "TrainingArguments(" with
 * the bracket; 0: it is none. */
static size_t
object_name(const char *s, size_t len)
{
	static const char *const ends[] = { "namespace", "arguments", "args",
		"config", "configuration", "options", "opts", "params",
		"hparams", "settings", "cfg" };
	size_t n = 0;

	while (n < len && (isalnum((unsigned char)s[n]) || s[n] == '_'))
		n++;
	if (n == 0 || n >= len || s[n] != '(')
		return 0;
	for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
		const size_t m = strlen(ends[i]);

		if (n >= m && strncasecmp(s + n - m, ends[i], m) == 0)
			return n + 1;
	}
	return 0;
}

static void
read_value(struct settings_reader *r, struct object *o, const char *prefix,
    const char *key, size_t key_len, int depth)
{
	const char *value, *below;
	const size_t name = object_name(o->text + o->at, o->len - o->at);
	const char c = object_byte(o);
	size_t len;

	if (c == '{' || name > 0) {
		o->at += name > 0 ? name : 1;
		below = arena_printf(r->a, "%s%s%.*s", prefix,
		    prefix[0] != '\0' ? "." : "", (int)key_len, key);
		read_members(r, o, below, c == '{' ? '}' : ')', depth + 1);
		return;
	}
	if (c == '"' || c == '\'')
		value = read_quoted(o, &len);
	else
		value = read_plain(o, &len);
	settings_reader_add(r, o->place, prefix, key, key_len, value, len);
}

/* The members of an object up to its closing bracket. */
static void
read_members(struct settings_reader *r, struct object *o, const char *prefix,
    char close, int depth)
{
	while (o->at < o->len) {
		const char *key;
		size_t len, before;

		skip_blanks(o);
		before = o->at;
		if (object_byte(o) == close) {
			o->at++;
			return;
		}
		if (object_byte(o) == '"' || object_byte(o) == '\'') {
			key = read_quoted(o, &len);
		} else {
			key = o->text + o->at;
			len = settings_key_length(key, o->len - o->at);
			o->at += len;
		}
		skip_blanks(o);
		if (len > 0 && len <= SETTINGS_KEY && depth < SETTINGS_DEPTH &&
		    (object_byte(o) == ':' || object_byte(o) == '=')) {
			o->at++;
			skip_blanks(o);
			read_value(r, o, prefix, key, len, depth);
		}
		if (object_byte(o) != close) {
			size_t rest;

			read_plain(o, &rest);
		}
		/* A comma, or a bracket that nothing opened. */
		if (object_byte(o) != close || o->at == before)
			o->at++;
	}
}

/* An object that names a setting: {"key": "lr", "value": 0.1} is one of lr.
 *
 * first  the object's first item
 * by     the member that holds the name */
static void
name_by_member(struct settings_reader *r, size_t first, const char *by)
{
	const char *name = NULL;
	size_t n = first;

	for (size_t i = first; i < r->n && name == NULL; i++)
		if (strcmp(r->items[i].key, by) == 0)
			name = r->items[i].value;
	for (size_t i = first; i < r->n && name != NULL; i++) {
		struct stated_setting s = r->items[i];

		if (strncmp(s.key, "value", 5) != 0)
			continue;
		s.key = arena_printf(r->a, "%s%s", name, s.key + 5);
		if (s.place == SETTING_DUMP)
			s.place = SETTING_EVENT;
		if (setting_counts(s.key, s.value))
			r->items[n++] = s;
	}
	r->n = n;
}

/* Does the bracket at text[0] close in the line? */
static int
closes(const char *text, size_t len)
{
	int depth = 0;

	for (size_t i = 0; i < len; i++) {
		depth += strchr("([{", text[i]) != NULL && text[i] != '\0';
		depth -= strchr(")]}", text[i]) != NULL && text[i] != '\0';
		if (depth == 0)
			return 1;
	}
	return 0;
}

/* Returns 1 if the line has an object. */
static int
read_object(struct settings_reader *r, const char *line, size_t len)
{
	const int is_store = len > 10 && memcmp(line, "{\"config\":", 10) == 0;
	struct object o = { line, len, 0,
		is_store ? SETTING_STORE : SETTING_DUMP };
	size_t first;

	for (size_t i = 0; i + 1 < len; i++) {
		size_t name = 0;

		if (line[i] == '{') {
			size_t next = i + 1;

			while (next < len && line[next] == ' ')
				next++;
			if (next == len ||
			    (line[next] != '"' && line[next] != '\''))
				continue;
		} else if (isalpha((unsigned char)line[i]) &&
		    (i == 0 || !is_key_byte(line[i - 1]))) {
			name = object_name(line + i, len - i);
			if (name == 0)
				continue;
		} else {
			continue;
		}
		o.at = i + (name > 0 ? name : 1);
		if (!closes(line + o.at - 1, len - o.at + 1))
			return 0;
		settings_reader_end_block(r);
		first = r->n;
		read_members(r, &o, "", name > 0 ? ')' : '}', 0);
		if (memmem(line, len, "\"value\":", 8) != NULL)
			name_by_member(r, first, is_store ? "config" : "key");
		r->block = r->n;
		return 1;
	}
	return 0;
}

/* --- Lines -----------------------------------------------------------------*/

static void
take_line(struct settings_reader *r, const char *line, size_t len)
{
	if (settings_in_code(r, line, len) ||
	    settings_read_command(r, line, len))
		return;
	if ((memchr(line, '{', len) == NULL &&
		memchr(line, '(', len) == NULL) ||
	    !read_object(r, line, len))
		settings_read_dump(r, line, len);
}

/* A command goes on where its line ends in a backslash. */
static void
join_line(struct settings_reader *r, const char *line, size_t len)
{
	while (len > 0 && (line[len - 1] == '\r' || line[len - 1] == ' '))
		len--;
	if (len > 0 && line[len - 1] == '\\' && r->joined.len < MAX_COMMAND) {
		strbuf_add(&r->joined, line, len - 1);
		strbuf_addch(&r->joined, ' ');
		return;
	}
	if (r->joined.len == 0) {
		take_line(r, line, len);
		return;
	}
	strbuf_add(&r->joined, line, len);
	take_line(r, r->joined.buf, r->joined.len);
	strbuf_reset(&r->joined);
}

void
stated_settings_read(struct stated_settings *all, const char *text, size_t len,
    int64_t end, struct arena *a)
{
	struct settings_reader r = { .a = a, .line = 1 };

	strbuf_init(&r.joined, 2 * MAX_COMMAND + len);
	for (size_t at = 0, n; at < len && r.line < end;
	     at += n + 1, r.line++) {
		const char *nl = memchr(text + at, '\n', len - at);

		n = nl != NULL ? (size_t)(nl - text) - at : len - at;
		if (n > 0)
			join_line(&r, text + at, n);
	}
	settings_reader_end_block(&r);
	strbuf_release(&r.joined);
	all->n = r.n;
	all->items = arena_calloc(a, r.n + 1, sizeof *r.items);
	if (r.n > 0)
		memcpy(all->items, r.items, r.n * sizeof *r.items);
	free(r.items);
}

/* --- As one text -----------------------------------------------------------*/

static int
by_key(const void *a, const void *b)
{
	const struct stated_setting *x =
	    *(const struct stated_setting *const *)a;
	const struct stated_setting *y =
	    *(const struct stated_setting *const *)b;
	int d = strcmp(x->key, y->key);

	if (d == 0)
		d = (int)x->place - (int)y->place;
	if (d == 0)
		d = strcmp(x->value, y->value);
	return d != 0 ? d : (x > y) - (x < y);
}

/* The values of one key [n], each once. */
static void
add_values(
    struct strbuf *sb, const struct stated_setting *const *same, size_t n)
{
	const size_t from = sb->len;
	size_t values = 0;

	for (size_t i = 0; i < n; i++) {
		if (i > 0 && strcmp(same[i - 1]->value, same[i]->value) == 0)
			continue;
		if (values++ == 0)
			strbuf_printf(
			    sb, "%s\t%c\t", same[i]->key, same[i]->place);
		else
			strbuf_addch(sb, ',');
		strbuf_addstr(sb, same[i]->value);
	}
	strbuf_addch(sb, '\n');
	if (values > MAX_VALUES) {
		sb->len = from;
		sb->buf[from] = '\0';
	}
}

const char *
stated_settings_text(
    const struct stated_settings *all, int64_t end, struct arena *a)
{
	const struct stated_setting **s = xcalloc(all->n + 1, sizeof *s);
	struct strbuf sb;
	const char *text;
	size_t n = 0, to;

	for (size_t i = 0; i < all->n; i++)
		if (all->items[i].line < end ||
		    all->items[i].place == SETTING_STORE)
			s[n++] = &all->items[i];
	if (n > 1)
		qsort(s, n, sizeof *s, by_key);
	strbuf_init(&sb, 1 << 24);
	for (size_t i = 0; i < n; i = to) {
		for (to = i + 1; to < n; to++)
			if (strcmp(s[i]->key, s[to]->key) != 0 ||
			    s[i]->place != s[to]->place)
				break;
		add_values(&sb, s + i, to - i);
	}
	text = arena_strdup(a, sb.buf);
	strbuf_release(&sb);
	free(s);
	return text;
}
