/* Reads settings from the head of a log. Each line is tried as a command, a
 * printed object, and a line of a dump: a section "[optim]", several settings,
 * or one, "key: value". Lines of one setting count in blocks of two or more. */
#include <config.h>

#include "extract/log/stated_settings.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/text.h"
#include "extract/log/command_line.h"
#include "extract/log/words.h"

enum {
	MAX_SETTINGS = 4096,
	MAX_KEY = 120,          /* bytes */
	MAX_VALUE = 200,        /* bytes; longer values are cut */
	MAX_DEPTH = 12,         /* nesting of keys */
	MAX_COMMAND = 64 << 10, /* bytes, with continuation lines */
	MAX_LINE = 512,         /* bytes of a line of a dump */
	MIN_PAIRS = 3,          /* on a line of several settings */
	MAX_VALUES = 6 /* of a key; keys with more are left out of the text */
};

struct slice {
	const char *s;
	size_t len;
};

/* A line "key:" followed by lines with larger indentation. */
struct parent {
	size_t indent;
	const char *keys; /* its own after those of its parents */
};

struct settings_reader {
	struct arena *a;
	struct stated_setting *items;
	size_t n, alloc;
	int64_t line;
	struct parent parents[MAX_DEPTH];
	size_t n_parents;
	const char *section; /* "[optim]" of an INI file, or "" */
	size_t block;        /* first item of the current block */
	size_t in_block;     /* number of its lines */
	int at_margin;       /* 1: its line is an unindented "key: value" */
	int64_t last_key;    /* line number of the last key line */
	const char *key;     /* the last key, or "" */
	int in_code;         /* 1: inside a printed program */
};

/* Length of the key at s [len] without the dots that lead to a value, or 0. */
static size_t
key_length(const char *s, size_t len)
{
	size_t n = 0;

	if (len == 0 || (!isalpha((unsigned char)s[0]) && s[0] != '_'))
		return 0;
	while (n < len &&
	    (isalnum((unsigned char)s[n]) ||
		(s[n] != '\0' && strchr("_-./@", s[n]) != NULL)))
		n++;
	while (n > 0 && s[n - 1] == '.')
		n--;
	return n <= MAX_KEY ? n : 0;
}

static const char *
join_keys(struct arena *a, const char *prefix, struct slice key)
{
	return arena_printf(a, "%s%s%.*s", prefix, prefix[0] != '\0' ? "." : "",
	    (int)key.len, key.s);
}

/* Add a setting if it distinguishes cases.
 *
 * prefix  its parent keys, or "" */
static void
add(struct settings_reader *r, enum setting_place place, const char *prefix,
    struct slice key, struct slice value)
{
	struct stated_setting x = { .place = place, .line = r->line };
	char *name, *text, *slash;

	while (key.len > 0 && (*key.s == '-' || *key.s == '+')) {
		key.s++;
		key.len--;
	}
	if (key.len == 0 || value.len == 0 || r->n == MAX_SETTINGS)
		return;
	x.key = name = arena_strdup(r->a, join_keys(r->a, prefix, key));
	text_sanitise(name, "");
	for (char *p = name; *p != '\0'; p++)
		if (*p == '-')
			*p = '_';
	x.value = text = arena_strndup(
	    r->a, value.s, value.len < MAX_VALUE ? value.len : MAX_VALUE);
	text_sanitise(text, "");
	slash = strrchr(text, '/');
	/* Drop the folder of a configuration file and the number of a
	 * device. */
	if (strcmp(text, "True") == 0 || strcmp(text, "TRUE") == 0)
		x.value = "true";
	else if (strcmp(text, "False") == 0 || strcmp(text, "FALSE") == 0)
		x.value = "false";
	else if (slash != NULL && slash[1] != '\0' &&
	    words_fit(
		".yaml|.yml|.json|.toml|.py|.cfg|.conf|.ini", WORDS_END, text))
		x.value = slash + 1;
	else if (words_fit("cuda:|gpu:|xpu:|npu:", WORDS_START, text))
		text[strcspn(text, ":")] = '\0';
	if (!setting_counts(x.key, x.value))
		return;
	r->items = vec_grow(r->items, r->n, &r->alloc, sizeof *r->items);
	r->items[r->n++] = x;
}

/* End the current block. Drop a single line, unless it has a boolean value, or
 * an unindented key of several words and a value without a fraction. */
static void
end_block(struct settings_reader *r)
{
	if (r->in_block < 2 && r->n > r->block) {
		const struct stated_setting *x = &r->items[r->block];

		if (!words_fit("true|false", WORDS_ALL, x->value) &&
		    !(r->at_margin && strchr(x->key, '_') != NULL &&
			strchr(x->value, '.') == NULL))
			r->n = r->block;
	}
	r->block = r->n;
	r->section = r->key = "";
	r->in_block = r->n_parents = 0;
}

/* --- Commands --------------------------------------------------------------*/

/* True for programs that run a training program. */
static int
is_launcher(const char *word)
{
	const char *name = command_base_name(word);

	/* Strip the prefix of "<stdout>:python". */
	if (strrchr(name, ':') != NULL)
		name = strrchr(name, ':') + 1;
	return command_is_python(name) ||
	    words_fit("torchrun|accelerate|deepspeed|horovodrun|mpirun|"
		      "mpirun.real|mpiexec|mpiexec.hydra|srun|jsrun|aprun|"
		      "colossalai|composer|bindpcie|orterun|prterun|lightning|"
		      "fairseq-train|fairseq-hydra-train|tune|axolotl|"
		      "llamafactory-cli|swift",
		WORDS_ALL, name);
}

static int
is_script(const char *word)
{
	return words_fit(".py", WORDS_END, word) && word[0] != '-';
}

static void
add_option(
    struct settings_reader *r, const char *key, size_t len, const char *value)
{
	add(r, SETTING_COMMAND, "", (struct slice){ key, len },
	    (struct slice){ value, strlen(value) });
}

/* Read an option; mpirun's "-x NAME=VALUE" sets a variable. */
static void
read_option(struct settings_reader *r, const struct command_option *o)
{
	const char *value = o->value != NULL ? o->value : "true";
	const size_t name = strcspn(value, "=");

	if (strcmp(o->key, "u") == 0)
		return; /* Python's unbuffered output */
	if (o->separate && strchr("/.~$", value[0]) != NULL &&
	    strcmp(o->key, "m") != 0 && setting_counts(o->key, "x"))
		value = "true"; /* a flag before another argument */
	if (strcmp(o->key, "m") == 0)
		add_option(r, "program", 7, value);
	else if (strcmp(o->key, "x") == 0 && value[name] == '=')
		add_option(r, value, name, value + name + 1);
	else
		add_option(r, o->key, strlen(o->key), value);
}

/* The first word that runs a training program, or end. */
static size_t
find_launcher(const struct command_line *c, size_t from, size_t end)
{
	for (size_t i = from; i < end; i++) {
		const char *word = c->words[i].text;

		if (command_is_example(word))
			return end;
		if (is_launcher(word) ||
		    (is_script(word) && i <= from + 1 && i + 1 < end &&
			c->words[i + 1].text[0] == '-'))
			return i;
	}
	return end;
}

static int read_commands(struct settings_reader *r, struct slice line);

/* Read one command, words [from, end). Returns 1 if it runs a program. */
static int
read_command(struct settings_reader *r, const struct command_line *c,
    size_t from, size_t end)
{
	const size_t launcher = find_launcher(c, from, end);
	struct command_option o;
	int named = 0;
	size_t first;

	if (end - launcher < 2)
		return 0;
	end_block(r);
	first = r->n;
	for (size_t i = from; i < end; i += o.n) {
		const char *word = c->words[i].text;
		const char *before = i > from ? c->words[i - 1].text : ".py";
		const char *code = i + 1 < end ? c->words[i + 1].text : NULL;

		if (strcmp(word, "-c") == 0 && code != NULL &&
		    !is_script(before)) {
			o.n = 2;
			if (words_fit("sh", WORDS_END, before)) {
				read_commands(
				    r, (struct slice){ code, strlen(code) });
				continue;
			}
			if (is_launcher(before)) {
				r->n = first; /* code of a helper */
				return 1;
			}
		}
		if (command_line_option(c, i, r->a, &o)) {
			if (o.separate && is_script(o.value)) {
				o.value = NULL; /* the option is a flag */
				o.n = 1;
			}
			read_option(r, &o);
		} else if (is_script(word) && i >= launcher && !named) {
			named = 1;
			add_option(r, "program", 7, command_base_name(word));
		}
	}
	r->block = r->n;
	return 1;
}

/* Read the commands of a line. Returns 1 if one runs a program. */
static int
read_commands(struct settings_reader *r, struct slice line)
{
	struct command_line c;
	size_t from = 0;
	int found = 0;

	/* Most lines state no setting. */
	if (!words_match(".py|python|run |mpiexec|accelerate|deepspeed|"
			 "colossalai|composer|train |run\t",
		WORDS_WITHIN, line.s, line.len))
		return 0;
	command_line_split(&c, line.s, line.len, r->a);
	for (size_t i = 0; i <= c.n; i++)
		if (i == c.n || c.words[i].is_operator) {
			found |= read_command(r, &c, from, i);
			/* Words after ">" do not run a program. */
			from = i + 1;
		}
	return found;
}

/* --- Objects: Namespace(a=1), {'a': 1, 'b': {'c': 2}} ----------------------*/

/* The rest of a text. */
struct object_rest {
	const char *at, *end;
};

static char
peek(const struct object_rest *c)
{
	return c->at < c->end ? *c->at : '\0';
}

/* Skip bytes of a set. */
static void
skip_any(struct object_rest *c, const char *set)
{
	while (c->at < c->end && strchr(set, *c->at) != NULL)
		c->at++;
}

static const char blanks[] = " \t\r\v\f";

/* Take a quoted text. Returns it without the quotes. */
static struct slice
take_quoted(struct object_rest *c)
{
	const char quote = *c->at++, *s = c->at;
	size_t len;

	while (c->at < c->end && *c->at != quote)
		c->at += 1 + (*c->at == '\\' && c->at + 1 < c->end);
	len = (size_t)(c->at - s);
	c->at += c->at < c->end;
	return (struct slice){ s, len };
}

/* Take an unquoted value up to the comma or bracket after it. */
static struct slice
take_plain(struct object_rest *c)
{
	struct slice value = { c->at, 0 };
	int depth = 0;

	while (c->at < c->end) {
		const int closes = strchr(")]}", *c->at) != NULL;

		if (depth == 0 && (*c->at == ',' || closes))
			break;
		depth += (strchr("([{", *c->at) != NULL) - closes;
		if (*c->at == '"' || *c->at == '\'')
			take_quoted(c);
		else
			c->at++;
	}
	value.len = (size_t)(c->at - value.s);
	while (value.len > 0 && isspace((unsigned char)value.s[value.len - 1]))
		value.len--;
	return value;
}

/* Length of "{", or of the name and bracket of a printed configuration,
 * "TrainingArguments("; 0 if there is none. */
static size_t
opening_length(const struct object_rest *c)
{
	const char *s = c->at;

	while (s < c->end && (isalnum((unsigned char)*s) || *s == '_'))
		s++;
	if (s == c->end || s == c->at || *s != '(')
		return peek(c) == '{';
	return words_match("namespace|arguments|args|config|configuration|"
			   "options|opts|params|hparams|settings|cfg",
		   WORDS_END | WORDS_FOLD, c->at, (size_t)(s - c->at))
	    ? (size_t)(s + 1 - c->at)
	    : 0;
}

/* Read the members of an object up to its closing bracket. The opening one is
 * before c->at. */
static void
read_members(struct settings_reader *r, struct object_rest *c,
    enum setting_place place, const char *prefix, int depth)
{
	const char close = c->at[-1] == '{' ? '}' : ')';

	while (c->at < c->end) {
		struct slice key;
		const char *before;
		size_t opening;

		skip_any(c, blanks);
		before = c->at;
		if (peek(c) == close) {
			c->at++;
			return;
		}
		if (peek(c) == '"' || peek(c) == '\'') {
			key = take_quoted(c);
		} else {
			key.s = c->at;
			key.len = key_length(c->at, (size_t)(c->end - c->at));
			c->at += key.len;
		}
		skip_any(c, blanks);
		if (key.len > 0 && key.len <= MAX_KEY && depth < MAX_DEPTH &&
		    (peek(c) == ':' || peek(c) == '=')) {
			c->at++;
			skip_any(c, blanks);
			opening = opening_length(c);
			c->at += opening;
			if (opening > 0)
				read_members(r, c, place,
				    join_keys(r->a, prefix, key), depth + 1);
			else
				add(r, place, prefix, key,
				    peek(c) == '"' || peek(c) == '\''
					? take_quoted(c)
					: take_plain(c));
		}
		if (peek(c) != close)
			take_plain(c);
		/* Skip a comma or an unmatched bracket. */
		if (peek(c) != close || c->at == before)
			c->at++;
	}
}

/* Rename a setting whose object contains its name: {"key": "lr", "value": 0.1}
 * is lr.
 *
 * first  index of the object's first item
 * by     name of the member that contains the name */
static void
name_by_member(struct settings_reader *r, size_t first, const char *by)
{
	const char *name = NULL;
	size_t n = first;

	for (size_t i = r->n; i-- > first;)
		if (strcmp(r->items[i].key, by) == 0)
			name = r->items[i].value;
	for (size_t i = first; i < r->n && name != NULL; i++) {
		struct stated_setting x = r->items[i];

		if (strncmp(x.key, "value", 5) != 0)
			continue;
		x.key = arena_printf(r->a, "%s%s", name, x.key + 5);
		if (x.place == SETTING_DUMP)
			x.place = SETTING_EVENT;
		if (setting_counts(x.key, x.value))
			r->items[n++] = x;
	}
	r->n = n;
}

/* True for a line with the configuration of a run store. */
static int
is_store(struct slice line)
{
	return words_match("{\"config\":", WORDS_START, line.s, line.len);
}

/* Read the printed object on a line. Returns 1 if there is one. */
static int
read_object(struct settings_reader *r, struct slice line)
{
	const int store = is_store(line);
	struct object_rest c = { line.s, line.s + line.len };
	size_t first, opening = 0;
	const char *end;
	int depth = 1;

	for (; c.at < c.end && opening == 0; c.at += opening + (opening == 0)) {
		struct object_rest next = { c.at + 1, c.end };

		if (*c.at != '{' && c.at > line.s &&
		    isalnum((unsigned char)c.at[-1]))
			continue;
		opening = opening_length(&c);
		skip_any(&next, blanks);
		if (opening == 1 && peek(&next) != '"' && peek(&next) != '\'')
			opening = 0;
	}
	for (end = c.at; end < c.end && depth > 0; end++) {
		depth += memchr("([{", *end, 3) != NULL;
		depth -= memchr(")]}", *end, 3) != NULL;
	}
	if (opening == 0 || depth > 0)
		return 0; /* none, or not closed */
	end_block(r);
	first = r->n;
	read_members(r, &c, store ? SETTING_STORE : SETTING_DUMP, "", 0);
	if (memmem(line.s, line.len, "\"value\":", 8) != NULL)
		name_by_member(r, first, store ? "config" : "key");
	r->block = r->n;
	return 1;
}

/* --- Dumps -----------------------------------------------------------------*/

/* Length of the separator at s, with the blanks before it: ':', '=', '|', two
 * dots or more, or the gap between columns; 0 if there is none. */
static size_t
sign_length(const char *s, size_t len)
{
	size_t n = 0, dots;

	while (n < len && (s[n] == ' ' || s[n] == '\t'))
		n++;
	if (n == len)
		return 0;
	if (s[n] == ':' &&
	    (n + 1 == len || strchr(" \t\"'[{", s[n + 1]) != NULL))
		return n + 1;
	if ((s[n] == '=' && (n + 1 == len || s[n + 1] != '=')) ||
	    (s[n] == '|' && n > 0))
		return n + 1;
	for (dots = n; dots < len && s[dots] == '.'; dots++)
		;
	if (dots - n >= 2)
		return dots;
	return n >= 3 || (n > 0 && s[n - 1] == '\t') ? n : 0;
}

/* Strip blanks, comma, comment and quotes. Returns 0 if it is not a value. */
static int
trim_value(struct slice *value)
{
	const char *s = value->s, *end = s + value->len;
	const char *comment = memmem(s, value->len, " #", 2);
	int quoted;

	if (comment != NULL)
		end = comment;
	while (s < end && isspace((unsigned char)*s))
		s++;
	while (end > s && strchr(" \t\r,|", end[-1]) != NULL)
		end--;
	/* End of an object that is printed over several lines. */
	while (end > s && strchr("})", end[-1]) != NULL &&
	    memchr(s, end[-1] == ')' ? '(' : '{', (size_t)(end - s)) == NULL)
		end--;
	quoted = end - s >= 2 && (*s == '"' || *s == '\'') && end[-1] == *s;
	value->s = s + quoted;
	value->len = (size_t)(end - s) - 2 * (size_t)quoted;
	return quoted || s == end || strchr("[({", *s) != NULL ||
	    !words_match(" |\t|(", WORDS_WITHIN, s, (size_t)(end - s));
}

/* True for the name of an environment variable, in capitals. */
static int
is_variable(struct slice key)
{
	for (size_t i = 0; i < key.len; i++)
		if (!isupper((unsigned char)key.s[i]) &&
		    !isdigit((unsigned char)key.s[i]) && key.s[i] != '_')
			return 0;
	return key.len > 2;
}

/* True if the first len bytes of a line may precede settings: times, levels,
 * ranks. */
static int
is_prefix(const char *line, size_t len)
{
	while (len > 0 && strchr(" \t'\"", line[len - 1]) != NULL)
		len--;
	return len == 0 || strchr("]>-|:{", line[len - 1]) != NULL ||
	    words_match("INFO|DEBUG|WARNING|NOTICE|export|declare -x|setenv|"
			"PARAMETER|config|args|arguments|settings|"
			"hyperparameters",
		WORDS_END | WORDS_FOLD, line, len);
}

/* Read a key and its value at an offset. Returns the sign between them; 0 if
 * there is none. */
static char
read_key_at(
    struct slice line, size_t at, struct slice *key, struct slice *value)
{
	const char *s = line.s + at, *end = line.s + line.len, *sign;
	const int quoted = *s == '"' || *s == '\'';
	size_t n;

	key->s = s + quoted;
	if (end - s > 2 && s[0] == '-' && s[1] == '-')
		key->s += 2;
	key->len = key_length(key->s, (size_t)(end - key->s));
	sign = key->s + key->len + quoted;
	if (key->len == 0 || sign > end || (quoted && sign[-1] != *s))
		return 0;
	n = sign_length(sign, (size_t)(end - sign));
	*value = (struct slice){ sign + n, (size_t)(end - sign) - n };
	return n > 0 && trim_value(value) ? *sign : '\0';
}

/* Read a line "key: value" or "KEY=value". */
static void
read_key_line(struct settings_reader *r, struct slice line)
{
	struct slice key, value;
	size_t at = 0, indent = 0;
	const char *before, *prefix;
	char sign = '\0';

	for (; at < line.len && sign == '\0'; at++)
		if (at == 0 || strchr(" \t]>|:{", line.s[at - 1]) != NULL)
			sign = read_key_at(line, at, &key, &value);
	if (sign == '\0' || !is_prefix(line.s, --at))
		return;
	if (sign == '=' && is_variable(key)) {
		end_block(r);
		add(r, SETTING_ENVIRONMENT, "", key, value);
		r->block = r->n;
		return;
	}
	while (indent < at && strchr(" -{", line.s[at - indent - 1]) != NULL)
		indent++;
	if (r->line > r->last_key + 2)
		end_block(r);
	r->last_key = r->line;
	r->at_margin = sign == ':' && indent == 0;
	before = r->key;
	r->key = arena_strndup(r->a, key.s, key.len);
	/* Equal lines of several processes are not a block. */
	r->in_block += strcmp(r->key, before) != 0;
	/* The parent keys of a line with this indentation. */
	while (
	    r->n_parents > 0 && r->parents[r->n_parents - 1].indent >= indent)
		r->n_parents--;
	prefix =
	    r->n_parents > 0 ? r->parents[r->n_parents - 1].keys : r->section;
	if (value.len > 0 && (value.len > 1 || strchr("{[(", *value.s) == NULL))
		add(r, SETTING_DUMP, prefix, key, value);
	else if (r->n_parents < MAX_DEPTH)
		r->parents[r->n_parents++] =
		    (struct parent){ indent, join_keys(r->a, prefix, key) };
}

/* Read "amp=True, lr=0.1" or "amp: True lr: 0.1" up to the end of the line.
 *
 * pairs  [MAX_LINE] filled: keys and values
 *
 * Returns the number of pairs; 0: the line has another form, or is a step. */
static size_t
read_pairs(struct object_rest c, struct slice (*pairs)[2])
{
	size_t n = 0;

	for (; c.at < c.end; skip_any(&c, " \t,;")) {
		struct slice *key = &pairs[n][0], *value = &pairs[n][1];

		key->s = c.at;
		key->len = key_length(c.at, (size_t)(c.end - c.at));
		c.at += key->len;
		skip_any(&c, " ");
		if (key->len == 0 || (peek(&c) != '=' && peek(&c) != ':') ||
		    words_match("loss|step|iter|epoch|iteration|time|elapsed",
			WORDS_ALL | WORDS_FOLD, key->s, key->len))
			return 0;
		c.at++;
		skip_any(&c, " ");
		value->s = c.at;
		if (c.end - c.at > 1 && (*c.at == '"' || *c.at == '\'')) {
			const char *quote =
			    memchr(c.at + 1, *c.at, (size_t)(c.end - c.at) - 1);

			c.at = quote != NULL ? quote + 1 : c.end;
		} else
			while (c.at < c.end && strchr(" \t,;", *c.at) == NULL)
				c.at++;
		value->len = (size_t)(c.at - value->s);
		n += value->len > 0;
	}
	return n;
}

/* Read a line of several settings after an optional prefix. Returns 0 or 1. */
static int
read_pair_line(struct settings_reader *r, struct slice line)
{
	struct slice pairs[MAX_LINE][2];

	for (size_t at = 0; at < line.len; at++) {
		const struct object_rest c = { line.s + at, line.s + line.len };
		size_t n;

		if (at > 0 && strchr(" \t]>:", line.s[at - 1]) == NULL)
			continue;
		n = read_pairs(c, pairs);
		if (n < MIN_PAIRS)
			continue;
		if (!is_prefix(line.s, at))
			return 0;
		end_block(r);
		for (size_t i = 0; i < n; i++)
			add(r, SETTING_DUMP, "", pairs[i][0], pairs[i][1]);
		r->block = r->n;
		return 1;
	}
	return 0;
}

/* --- Lines -----------------------------------------------------------------*/

static void
read_line(struct settings_reader *r, struct slice line)
{
	const char *s = line.s;
	const size_t len = line.len;
	size_t at = 0;

	/* A printed program ends at a ruled line. */
	while (at < len && s[at] == ' ')
		at++;
	if (words_match("import |from |def |class |return |@|#include",
		WORDS_START, s + at, len - at))
		r->in_code = 1;
	if (words_match("====|----|****|####", WORDS_START, s, len))
		r->in_code = 0;
	if (r->in_code || read_commands(r, line) ||
	    (words_match("{|(", WORDS_WITHIN, s, len) &&
		read_object(r, line)) ||
	    len > MAX_LINE)
		return;
	if (len >= 3 && s[0] == '[' && s[len - 1] == ']' &&
	    key_length(s + 1, len - 1) == len - 2) {
		end_block(r);
		r->section = arena_strndup(r->a, s + 1, len - 2);
		r->last_key = r->line;
	} else if (!read_pair_line(r, line)) {
		read_key_line(r, line);
	}
}

struct stated_settings *
stated_settings_read(const char *text, size_t len, int64_t end, struct arena *a)
{
	struct stated_settings *all = arena_calloc(a, 1, sizeof *all);
	struct settings_reader r = {
		.a = a, .line = 1, .section = "", .key = ""
	};
	struct strbuf joined; /* command with its continuation lines */
	const int has_objects = memchr(text, '{', len) != NULL;

	strbuf_init(&joined, 2 * MAX_COMMAND + len);
	for (size_t at = 0, n; at < len && (has_objects || r.line < end);
	     at += n + 1, r.line++) {
		const char *nl = memchr(text + at, '\n', len - at);
		struct slice line = { text + at, 0 };

		n = nl != NULL ? (size_t)(nl - text) - at : len - at;
		line.len = n;
		if (n == 0 || (r.line >= end && !is_store(line)))
			continue;
		while (
		    line.len > 0 && strchr("\r ", line.s[line.len - 1]) != NULL)
			line.len--;
		if (line.len > 0 && line.s[line.len - 1] == '\\' &&
		    joined.len < MAX_COMMAND) {
			strbuf_add(&joined, line.s, line.len - 1);
			strbuf_addch(&joined, ' ');
			continue;
		}
		if (joined.len > 0) {
			strbuf_add(&joined, line.s, line.len);
			line = (struct slice){ joined.buf, joined.len };
		}
		read_line(&r, line);
		strbuf_reset(&joined);
	}
	end_block(&r);
	strbuf_release(&joined);
	all->n = r.n;
	all->items = arena_longer(a, r.items, r.n, sizeof *r.items);
	free(r.items);
	return all;
}

/* --- As one text -----------------------------------------------------------*/

/* Settings are sorted as lines "KEY\tPLACE\tVALUE". No byte of a key sorts
 * before the tab. */
const char *
stated_settings_text(
    const struct stated_settings *all, int64_t end, struct arena *a)
{
	const char **lines = xcalloc(all->n + 1, sizeof *lines), *text;
	struct arena own = ARENA_INIT;
	struct strbuf sb = STRBUF_INIT(1 << 24);
	size_t n = 0, to;

	for (size_t i = 0; i < all->n; i++) {
		const struct stated_setting *x = &all->items[i];

		if (x->line < end || x->place == SETTING_STORE)
			lines[n++] = arena_printf(&own, "%s\t%c\t%s", x->key,
			    (char)x->place, x->value);
	}
	if (n > 1)
		qsort(lines, n, sizeof *lines, text_order_at);
	for (size_t i = 0; i < n; i = to) {
		const size_t from = sb.len;
		const size_t name = strcspn(lines[i], "\t") + 3;
		int values = 0;

		for (to = i; to < n; to++) {
			if (strncmp(lines[i], lines[to], name) != 0)
				break;
			if (to == i)
				strbuf_addstr(&sb, lines[i]);
			else if (strcmp(lines[to - 1], lines[to]) != 0)
				strbuf_printf(&sb, ",%s", lines[to] + name);
			else
				continue;
			values++;
		}
		strbuf_addch(&sb, '\n');
		if (values > MAX_VALUES)
			sb.buf[sb.len = from] = '\0';
	}
	text = arena_strdup(a, sb.buf);
	strbuf_release(&sb);
	arena_release(&own);
	free(lines);
	return text;
}
