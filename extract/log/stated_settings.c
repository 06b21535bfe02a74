/* Settings out of the head of a log.  Each line is looked at once, for what it
 * may be: a command, a printed object, a variable, or one of several "key:
 * value" lines that follow each other. */
#include <config.h>

#include "extract/log/stated_settings.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/alloc.h"
#include "common/strbuf.h"
#include "extract/log/command_line.h"

enum {
	MAX_SETTINGS = 4096,
	MAX_KEY = 120,   /* bytes; longer keys are none, */
	MAX_VALUE = 200, /* longer values are cut */
	MAX_DEPTH = 12,
	MAX_COMMAND = 64 << 10, /* with the lines that continue it */
	MAX_KEY_LINE = 512,
	MAX_VALUES = 6 /* of one key in one log; with more it is no setting */
};

/* A line "key:" under which lines are indented more. */
struct parent {
	size_t indent;
	const char *key;
};

struct reader {
	struct arena *a;
	struct stated_setting *items;
	size_t n, alloc;
	int64_t line;
	struct parent parents[MAX_DEPTH];
	size_t n_parents;
	size_t block;      /* items from here on are of the current block */
	size_t in_block;   /* lines of it */
	int64_t last_key;  /* line of its last one */
	char key[MAX_KEY]; /* [key_len] that one's */
	size_t key_len;
	int in_code;          /* 1: lines of a printed program */
	struct strbuf joined; /* lines of a command that goes on */
};

/* --- Keys and values -------------------------------------------------------*/

static int
is_key_byte(char c)
{
	return isalnum((unsigned char)c) ||
	    (c != '\0' && strchr("_-./@", c) != NULL);
}

/* Bytes of the key at s[0..len); 0: there is none. */
static size_t
key_length(const char *s, size_t len)
{
	size_t n = 0;

	if (len == 0 || (!isalpha((unsigned char)s[0]) && s[0] != '_'))
		return 0;
	while (n < len && is_key_byte(s[n]))
		n++;
	/* "....." may fill the space before the value. */
	while (n > 0 && s[n - 1] == '.')
		n--;
	return n <= MAX_KEY ? n : 0;
}

static int
ends_with(const char *text, const char *end)
{
	const size_t n = strlen(text), m = strlen(end);

	return n >= m && strcmp(text + n - m, end) == 0;
}

/* One spelling for what is the same: a configuration file's name without its
 * folder, a device without its number. */
static const char *
value_text(struct reader *r, const char *s, size_t len)
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
		if (ends_with(text, suffixes[i]))
			return slash + 1;
	for (size_t i = 0; i < 4; i++)
		if (strncmp(text, devices[i], strlen(devices[i])) == 0)
			text[strlen(devices[i]) - 1] = '\0';
	return text;
}

static void
add_setting(struct reader *r, enum setting_place place, const char *prefix,
    const char *key, size_t key_len, const char *value, size_t len)
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

/* The lines before this one are no part of what comes. */
static void
end_block(struct reader *r)
{
	if (r->in_block < 2)
		r->n = r->block; /* a single line may say anything */
	r->block = r->n;
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

static void read_members(struct reader *r, struct object *o, const char *prefix,
    char close, int depth);

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
read_value(struct reader *r, struct object *o, const char *prefix,
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
	add_setting(r, o->place, prefix, key, key_len, value, len);
}

/* The members of an object up to its closing bracket. */
static void
read_members(struct reader *r, struct object *o, const char *prefix, char close,
    int depth)
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
			len = key_length(key, o->len - o->at);
			o->at += len;
		}
		skip_blanks(o);
		if (len > 0 && len <= MAX_KEY && depth < MAX_DEPTH &&
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
name_by_member(struct reader *r, size_t first, const char *by)
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
read_object(struct reader *r, const char *line, size_t len)
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
		end_block(r);
		first = r->n;
		read_members(r, &o, "", name > 0 ? ')' : '}', 0);
		if (memmem(line, len, "\"value\":", 8) != NULL)
			name_by_member(r, first, is_store ? "config" : "key");
		r->block = r->n;
		return 1;
	}
	return 0;
}

/* --- Commands --------------------------------------------------------------*/

static const char *
base_name(const char *word)
{
	const char *slash = strrchr(word, '/');

	return slash != NULL ? slash + 1 : word;
}

/* Is the word a program that runs a training program? */
static int
is_launcher(const char *word)
{
	static const char *const names[] = { "torchrun", "accelerate",
		"deepspeed", "horovodrun", "mpirun", "mpirun.real", "mpiexec",
		"mpiexec.hydra", "srun", "jsrun", "aprun", "colossalai",
		"composer", "bindpcie", "orterun", "prterun", "lightning",
		"fairseq-train", "fairseq-hydra-train", "tune", "axolotl",
		"llamafactory-cli", "swift", NULL };
	const char *name = base_name(word);

	/* "<stdout>:python" */
	if (strrchr(name, ':') != NULL)
		name = strrchr(name, ':') + 1;
	if (strncmp(name, "python", 6) == 0 &&
	    strspn(name + 6, "0123456789.") == strlen(name + 6))
		return 1;
	for (size_t i = 0; names[i] != NULL; i++)
		if (strcmp(names[i], name) == 0)
			return 1;
	return 0;
}

static int
is_script(const char *word)
{
	return ends_with(word, ".py") && word[0] != '-';
}

/* A line that shows how it could be done, or was, is no command. */
static int
is_example(const char *word)
{
	static const char *const words[] = { "usage", "usage:", "example",
		"examples", "example:", "e.g", "e.g.", "previous", "instead",
		"compare", "hint", "hint:", NULL };

	for (size_t i = 0; words[i] != NULL; i++)
		if (strcasecmp(words[i], word) == 0)
			return 1;
	return 0;
}

/* An option of a command; "-x NAME=VALUE" is a variable of MPI's. */
static void
add_option(struct reader *r, const struct command_option *o)
{
	const char *value = o->value != NULL ? o->value : "true";
	const char *key = o->key;
	size_t len = strlen(key);

	if (strcmp(key, "u") == 0)
		return; /* of Python: output without a buffer */
	if (strcmp(key, "m") == 0) {
		key = "program";
		len = strlen(key);
	} else if (strcmp(key, "x") == 0 && strchr(value, '=') != NULL) {
		key = value;
		len = strcspn(value, "=");
		value += len + 1;
	} else if (o->separate && strchr("/.~$", value[0]) != NULL &&
	    setting_counts(key, "x")) {
		value = "true"; /* the next argument, after a flag */
	}
	add_setting(r, SETTING_COMMAND, "", key, len, value, strlen(value));
}

static int read_command(struct reader *r, const char *line, size_t len);

/* The first word that runs a training program; end: there is none. */
static size_t
find_launcher(const struct command_line *c, size_t from, size_t end)
{
	for (size_t i = from; i < end; i++) {
		const char *word = c->words[i].text;

		if (is_example(word))
			return end;
		if (is_launcher(word) ||
		    (is_script(word) && i <= from + 1 && i + 1 < end &&
			c->words[i + 1].text[0] == '-'))
			return i;
	}
	return end;
}

/* The words [from, end) of one command.  Returns 1 if it runs a program. */
static int
read_command_words(
    struct reader *r, const struct command_line *c, size_t from, size_t end)
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

		if (strcmp(word, "-c") == 0 && i > from && i + 1 < end &&
		    !is_script(c->words[i - 1].text)) {
			const char *shell = base_name(c->words[i - 1].text);
			const char *code = c->words[i + 1].text;

			o.n = 2;
			if (ends_with(shell, "sh")) {
				read_command(r, code, strlen(code));
				continue;
			}
			if (is_launcher(shell)) {
				r->n = first; /* a helper's code */
				return 1;
			}
		}
		if (command_line_option(c, i, r->a, &o)) {
			if (o.separate && is_script(o.value)) {
				o.value = NULL; /* of a flag before it */
				o.n = 1;
			}
			add_option(r, &o);
		} else if (is_script(word) && i >= launcher && !named) {
			named = 1;
			add_setting(r, SETTING_COMMAND, "", "program", 7,
			    base_name(word), strlen(base_name(word)));
		}
	}
	r->block = r->n;
	return 1;
}

static int
read_command(struct reader *r, const char *line, size_t len)
{
	struct command_line c;
	size_t from = 0;
	int found = 0;

	command_line_split(&c, line, len, r->a);
	for (size_t i = 0; i <= c.n; i++)
		if (i == c.n || c.words[i].is_operator) {
			found |= read_command_words(r, &c, from, i);
			/* The file after ">" begins no command. */
			from = i + 1;
		}
	return found;
}

/* May the line hold a command? */
static int
may_be_command(const char *line, size_t len)
{
	static const char *const clues[] = { ".py", "python", "run ", "mpiexec",
		"accelerate", "deepspeed", "colossalai", "composer", "train ",
		"run\t" };

	for (size_t i = 0; i < sizeof clues / sizeof clues[0]; i++)
		if (memmem(line, len, clues[i], strlen(clues[i])) != NULL)
			return 1;
	return 0;
}

/* --- Lines of a dump -------------------------------------------------------*/

/* The place after the sign between key and value at s; 0: there is none. */
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
	if (s[n] == '=' && (n + 1 == len || s[n + 1] != '='))
		return n + 1;
	if (s[n] == '|' && n > 0)
		return n + 1;
	for (dots = n; dots < len && s[dots] == '.'; dots++)
		;
	return dots - n >= 2 ? dots : 0;
}

/* The value without blanks, comma, comment and quotes; 0: it is no value. */
static int
trim_value(const char **value, size_t *len)
{
	const char *s = *value, *end = s + *len, *comment;
	int quoted;

	comment = memmem(s, (size_t)(end - s), " #", 2);
	if (comment != NULL)
		end = comment;
	while (s < end && isspace((unsigned char)*s))
		s++;
	while (end > s && strchr(" \t\r,|", end[-1]) != NULL)
		end--;
	/* The last member of an object that is printed over lines. */
	while (end > s && strchr("})", end[-1]) != NULL &&
	    memchr(s, end[-1] == ')' ? '(' : '{', (size_t)(end - s)) == NULL)
		end--;
	quoted = end - s >= 2 && (*s == '"' || *s == '\'') && end[-1] == *s;
	if (quoted) {
		s++;
		end--;
	}
	*value = s;
	*len = (size_t)(end - s);
	return quoted || *len == 0 || strchr("[({", *s) != NULL ||
	    (memchr(s, ' ', *len) == NULL && memchr(s, '\t', *len) == NULL &&
		memchr(s, '(', *len) == NULL);
}

/* The keys above a line of that indentation, with dots between. */
static const char *
prefix_of(struct reader *r, size_t indent)
{
	const char *prefix = "";

	while (
	    r->n_parents > 0 && r->parents[r->n_parents - 1].indent >= indent)
		r->n_parents--;
	for (size_t i = 0; i < r->n_parents; i++)
		prefix = i == 0
		    ? r->parents[i].key
		    : arena_printf(r->a, "%s.%s", prefix, r->parents[i].key);
	return prefix;
}

/* A variable: its name is in capitals. */
static int
is_variable(const char *key, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isupper((unsigned char)key[i]) &&
		    !isdigit((unsigned char)key[i]) && key[i] != '_')
			return 0;
	return len > 2;
}

/* Does a log write such a text before a message: times, levels, ranks? */
static int
is_prefix(const char *line, size_t len)
{
	static const char *const levels[] = { "INFO", "DEBUG", "WARNING",
		"NOTICE", "export", "declare -x", "setenv" };

	while (len > 0 && strchr(" \t'\"", line[len - 1]) != NULL)
		len--;
	if (len == 0 || strchr("]>-|:{", line[len - 1]) != NULL)
		return 1;
	for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
		const size_t n = strlen(levels[i]);

		if (len >= n && memcmp(line + len - n, levels[i], n) == 0)
			return 1;
	}
	return 0;
}

/* A line of a dump taken apart. */
struct key_line {
	size_t at, n; /* where its key is */
	size_t indent;
	char sign; /* between key and value */
	const char *value;
	size_t len;
};

/* Is there a key at that place of the line, with its value? */
static int
read_key_at(struct key_line *k, const char *line, size_t len, size_t at)
{
	const int quoted = line[at] == '"' || line[at] == '\'';
	size_t sign;

	k->at = at + (size_t)quoted;
	if (!quoted)
		k->at += strspn(line + at, "-") == 2 ? 2 : 0;
	k->n = key_length(line + k->at, len - k->at);
	at = k->at + k->n + (size_t)quoted;
	if (k->n == 0 || at > len ||
	    (quoted && line[at - 1] != line[k->at - 1]))
		return 0;
	sign = sign_length(line + at, len - at);
	k->sign = at < len ? line[at] : ' ';
	k->value = line + at + sign;
	k->len = len - at - sign;
	return sign > 0 && trim_value(&k->value, &k->len);
}

static int
find_key(struct key_line *k, const char *line, size_t len)
{
	for (size_t at = 0; at < len; at++) {
		size_t indent = 0;

		if (at > 0 && strchr(" \t]>|:{", line[at - 1]) == NULL)
			continue;
		if (!read_key_at(k, line, len, at))
			continue;
		while (indent < at && strchr(" -{", line[at - indent - 1]))
			indent++;
		k->indent = indent;
		return is_prefix(line, at);
	}
	return 0;
}

/* Is the line part of a printed program?  One ends at a ruled line. */
static int
is_code(struct reader *r, const char *line, size_t len)
{
	static const char *const words[] = { "import ", "from ", "def ",
		"class ", "return ", "@", "#include" };
	size_t at = 0;

	while (at < len && line[at] == ' ')
		at++;
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		const size_t n = strlen(words[i]);

		if (len - at > n && memcmp(line + at, words[i], n) == 0)
			r->in_code = 1;
	}
	if (len > 4 && strchr("=-*#", line[0]) && line[1] == line[0] &&
	    line[2] == line[0] && line[3] == line[0])
		r->in_code = 0;
	return r->in_code;
}

/* "key: value" */
static void
read_key_line(struct reader *r, const char *line, size_t len)
{
	struct key_line k;

	if (len > MAX_KEY_LINE || is_code(r, line, len) ||
	    !find_key(&k, line, len))
		return;
	if (k.sign == '=' && is_variable(line + k.at, k.n)) {
		end_block(r);
		add_setting(r, SETTING_ENVIRONMENT, "", line + k.at, k.n,
		    k.value, k.len);
		r->block = r->n;
		return;
	}
	if (r->line > r->last_key + 2)
		end_block(r);
	r->last_key = r->line;
	/* Of several processes the same line is no block. */
	r->in_block +=
	    r->key_len != k.n || memcmp(r->key, line + k.at, k.n) != 0;
	r->key_len = k.n;
	memcpy(r->key, line + k.at, k.n);
	if (k.len == 0 || (k.len == 1 && strchr("{[(", *k.value) != NULL)) {
		prefix_of(r, k.indent);
		if (r->n_parents < MAX_DEPTH)
			r->parents[r->n_parents++] = (struct parent){ k.indent,
				arena_strndup(r->a, line + k.at, k.n) };
		return;
	}
	add_setting(r, SETTING_DUMP, prefix_of(r, k.indent), line + k.at, k.n,
	    k.value, k.len);
}

/* --- Lines -----------------------------------------------------------------*/

static void
take_line(struct reader *r, const char *line, size_t len)
{
	if (may_be_command(line, len) && read_command(r, line, len))
		return;
	if ((memchr(line, '{', len) != NULL ||
		memchr(line, '(', len) != NULL) &&
	    read_object(r, line, len))
		return;
	if (memchr(line, ':', len) != NULL || memchr(line, '=', len) != NULL ||
	    memmem(line, len, "..", 2) != NULL ||
	    memchr(line, '|', len) != NULL)
		read_key_line(r, line, len);
}

/* A command goes on where its line ends in a backslash. */
static void
join_line(struct reader *r, const char *line, size_t len)
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
	struct reader r = { .a = a, .line = 1 };

	strbuf_init(&r.joined, 2 * MAX_COMMAND + len);
	for (size_t at = 0, n; at < len && r.line < end;
	     at += n + 1, r.line++) {
		const char *nl = memchr(text + at, '\n', len - at);

		n = nl != NULL ? (size_t)(nl - text) - at : len - at;
		if (n > 0)
			join_line(&r, text + at, n);
	}
	end_block(&r);
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
