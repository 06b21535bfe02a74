/* Reads a sweep file. */
#include <config.h>

#include "trainer/launch/sweep.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/program/options.h"
#include "trainer/graph/model.h"

struct sweep_parser {
	struct sweep *s;
	struct error *e;
	struct group head;   /* settings of all groups */
	struct group *group; /* the group being read; NULL: the head */
	size_t alloc_groups;
	/* For each key since the last name: its line for each condition, and
	 * the condition in effect. */
	long lines[SWEEP_QUICK + 1][SWEEP_KEYS];
	unsigned level[SWEEP_KEYS];
	unsigned conditions; /* that hold */
	int key;             /* being read; -1: none yet */
	unsigned condition;  /* of the key; 0: none */
	struct word *words;  /* values so far */
	size_t n_words, alloc_words;
	struct word key_word; /* position of the key */
};

static int
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Read a line of the file, without its end. */
static const char *
find_line(const char *text, long line, size_t *len)
{
	while (--line > 0 && (text = strchr(text, '\n')) != NULL)
		text++;
	*len = text != NULL ? strcspn(text, "\n") : 0;
	return text;
}

int
sweep_error(const struct sweep *s, const struct word *at, struct error *e,
    const char *fmt, ...)
{
	char message[512];
	const char *line;
	va_list ap;
	size_t len;

	va_start(ap, fmt);
	vsnprintf(message, sizeof message, fmt, ap);
	va_end(ap);
	if (at->line == 0)
		return error_set(e, ERROR_USAGE, "--set: %s", message);
	error_at(e, ERROR_INPUT, s->path, at->line, at->col, "%s", message);
	line = find_line(s->text, at->line, &len);
	return line != NULL ? error_caret(e, line, len, at->col) : -1;
}

/* --- Values --------------------------------------------------------------- */

/* Check that every {...} of a template is a field. */
static int
check_fields(const struct sweep *s, const struct word *w, struct error *e)
{
	for (const char *p = w->text; (p = strchr(p, '{')) != NULL;) {
		size_t len;

		if (sweep_field_find(p, &len) < 0)
			return sweep_error(s, w, e,
			    "'%.*s' is not one of {model}, {batch}, ... (see "
			    "--help)",
			    len > 0 ? (int)len : 1, p);
		p += len;
	}
	return 0;
}

static int
check_values(const struct sweep *s, int key, const struct word *at,
    const struct setting *v, struct error *e)
{
	const struct sweep_row *row = &sweep_rows[key];
	struct error why = ERROR_INIT;

	if (v->n == 0)
		return sweep_error(s, at, e, "'%s' has no value", row->name);
	if (row->values == VALUES_ONE && v->n > 1)
		return sweep_error(
		    s, &v->words[1], e, "'%s' has one value only", row->name);
	for (size_t i = 0; i < v->n; i++) {
		const struct word *w = &v->words[i];

		if (row->check != NULL && row->check(w->text, &why) != 0)
			return sweep_error(
			    s, w, e, "%s: %s", row->name, why.message);
		if (row->values == VALUES_TEMPLATE) {
			if (check_fields(s, w, e) != 0)
				return -1;
			continue;
		}
		if (w->text[0] == '\0')
			return sweep_error(
			    s, w, e, "%s: a value is empty", row->name);
		for (size_t k = 0; k < i; k++) {
			if (strcmp(v->words[k].text, w->text) == 0)
				return sweep_error(s, w, e,
				    "%s: '%s' is there twice", row->name,
				    w->text);
		}
	}
	return 0;
}

/* Cut text[0..len) into words and add them to p->words.
 *
 * line, col  position of text; line 0: not in the file */
static int
read_words(
    struct sweep_parser *p, const char *text, size_t len, long line, long col)
{
	/* Large enough: each word's NUL replaces the blank after it. */
	char *buf = arena_alloc(&p->s->arena, len + 1);
	size_t i = 0;

	while (i < len) {
		struct word w = { buf, line, line > 0 ? col + (long)i : 0 };
		char quote = '\0';

		if (is_blank(text[i])) {
			i++;
			continue;
		}
		for (; i < len && (quote != '\0' || !is_blank(text[i])); i++) {
			if (quote == '\0' &&
			    (text[i] == '\'' || text[i] == '"'))
				quote = text[i];
			else if (text[i] == quote)
				quote = '\0';
			else
				*buf++ = text[i];
		}
		*buf++ = '\0';
		p->words = vec_grow(
		    p->words, p->n_words, &p->alloc_words, sizeof *p->words);
		p->words[p->n_words++] = w;
		if (quote != '\0')
			return sweep_error(
			    p->s, &w, p->e, "no %c ends this quote", quote);
	}
	return 0;
}

/* Move the words read so far into the sweep's arena. */
static struct setting
take_words(struct sweep_parser *p)
{
	struct setting v = { NULL, p->n_words };
	struct word *copy =
	    arena_calloc(&p->s->arena, p->n_words + 1, sizeof *copy);

	if (p->n_words > 0)
		memcpy(copy, p->words, p->n_words * sizeof *copy);
	v.words = copy;
	p->n_words = 0;
	return v;
}

/* --- Settings ------------------------------------------------------------- */

/* True if one key gives the topology and the other its nodes or devices. */
static int
excludes(int key, int other)
{
	const int counts[] = { SWEEP_NODES, SWEEP_DEVICES };

	for (int i = 0; i < 2; i++)
		if ((key == SWEEP_TOPOLOGY && other == counts[i]) ||
		    (key == counts[i] && other == SWEEP_TOPOLOGY))
			return 1;
	return 0;
}

static void
replace_setting(struct setting *set, int key, struct setting v)
{
	set[key] = v;
	for (int other = SWEEP_TOPOLOGY; other <= SWEEP_DEVICES; other++)
		if (excludes(key, other))
			set[other] = (struct setting){ NULL, 0 };
}

/* Apply a setting if it has no condition, or if its condition holds and no
 * setting with a higher condition was applied. */
static void
apply_setting(struct sweep_parser *p, struct setting v)
{
	struct group *g = p->group != NULL ? p->group : &p->head;
	const int key = p->key;

	if (p->condition == 0)
		replace_setting(g->plain, key, v);
	if ((p->condition & ~p->conditions) != 0 ||
	    p->condition < p->level[key])
		return;
	replace_setting(g->set, key, v);
	p->level[key] = p->condition;
}

/* Reject keys that are given twice, and two ways to give the topology. */
static int
check_said(struct sweep_parser *p, int key)
{
	long *lines = p->lines[p->condition];

	if (lines[key] != 0)
		return sweep_error(p->s, &p->key_word, p->e,
		    "'%s' is given twice, first in line %ld",
		    sweep_rows[key].name, lines[key]);
	if (sweep_rows[key].is_whole && p->group != NULL)
		return sweep_error(p->s, &p->key_word, p->e,
		    "'%s' is of all groups: it comes before the first 'name'",
		    sweep_rows[key].name);
	for (int rival = SWEEP_TOPOLOGY; rival <= SWEEP_DEVICES; rival++)
		if (excludes(key, rival) && lines[rival] != 0)
			return sweep_error(p->s, &p->key_word, p->e,
			    "'%s' and '%s' (line %ld) exclude each other",
			    sweep_rows[key].name, sweep_rows[rival].name,
			    lines[rival]);
	lines[key] = p->key_word.line;
	return 0;
}

/* Reject a colon as the first value ("model : x") and commas after values
 * ("batch 32, 64"). */
static int
check_separator(struct sweep_parser *p, const struct setting *v)
{
	const char *first = v->n > 0 ? v->words[0].text : "";

	for (size_t i = 0; i < v->n; i++) {
		const char *text = v->words[i].text;
		const size_t n = strlen(text);

		if (sweep_rows[p->key].values == VALUES_MANY && n > 0 &&
		    text[n - 1] == ',')
			return sweep_error(p->s, &v->words[i], p->e,
			    "'%s': values are separated by spaces, without ','",
			    text);
	}
	if (strcmp(first, ":") != 0 && strcmp(first, "=") != 0)
		return 0;
	return sweep_error(p->s, &v->words[0], p->e,
	    "a key and its values are separated by spaces, without '%s'",
	    first);
}

/* End a setting after its last line. */
static int
end_setting(struct sweep_parser *p)
{
	struct sweep *s = p->s;
	struct setting v;
	const int key = p->key;

	if (key < 0)
		return 0;
	v = take_words(p);
	if (check_separator(p, &v) != 0 ||
	    check_values(s, key, &p->key_word, &v, p->e) != 0)
		return -1;
	if (key == SWEEP_NAME && p->condition != 0)
		return sweep_error(p->s, &p->key_word, p->e,
		    "'name' cannot depend on a condition");
	if (key == SWEEP_NAME) {
		s->groups = vec_grow(s->groups, s->n_groups, &p->alloc_groups,
		    sizeof *s->groups);
		p->group = &s->groups[s->n_groups++];
		*p->group = p->head;
		memset(p->lines, 0, sizeof p->lines);
		memset(p->level, 0, sizeof p->level);
	}
	if (check_said(p, key) != 0)
		return -1;
	apply_setting(p, v);
	return 0;
}

/* Report text[0..n), which is not a key, and suggest a similar key. */
static int
refuse_key(const struct sweep_parser *p, const struct word *at,
    const char *text, size_t n)
{
	struct strbuf sb;

	strbuf_init(&sb, ERROR_MESSAGE_SIZE);
	sweep_key_explain(text, n, &sb);
	sweep_error(p->s, at, p->e, "%s", sb.buf);
	strbuf_release(&sb);
	return -1;
}

static int
read_line(struct sweep_parser *p, const char *text, size_t len, long line)
{
	size_t n = 0, prefix;

	while (n < len && is_blank(text[n]))
		n++;
	if (n == len || text[n] == '#')
		return 0;
	if (n > 0 && p->key < 0) {
		p->key_word = (struct word){ "", line, (long)n + 1 };
		return sweep_error(p->s, &p->key_word, p->e,
		    "a line that begins with a space continues a setting, "
		    "but there is none before it");
	}
	if (n > 0)
		return read_words(p, text + n, len - n, line, (long)n + 1);
	if (end_setting(p) != 0)
		return -1;
	while (n < len && !is_blank(text[n]))
		n++;
	p->key_word = (struct word){ "", line, 1 };
	prefix = sweep_condition_find(text, n, &p->condition);
	p->key = sweep_key_find(text + prefix, n - prefix);
	if (p->key < 0)
		return refuse_key(p, &p->key_word, text + prefix, n - prefix);
	return read_words(p, text + n, len - n, line, (long)n + 1);
}

static int
read_lines(struct sweep_parser *p)
{
	long line = 1;

	for (const char *text = p->s->text; *text != '\0'; line++) {
		const size_t len = strcspn(text, "\n");

		if (read_line(p, text, len, line) != 0)
			return -1;
		text += len + (text[len] == '\n');
	}
	if (end_setting(p) != 0)
		return -1;
	if (p->s->n_groups == 0)
		return error_at(p->e, ERROR_INPUT, p->s->path, line, 0,
		    "no 'name': the runs have no folder");
	return 0;
}

/* Apply one --set to all groups. */
static int
apply_set(struct sweep_parser *p, const char *text)
{
	const size_t n = strcspn(text, "= \t");
	const struct word at = { text, 0, 0 };
	const int key = sweep_key_find(text, n);
	struct sweep *s = p->s;
	struct setting v;

	if (key < 0)
		return refuse_key(p, &at, text, n);
	if (read_words(p, text + n + (text[n] == '='),
		strlen(text + n + (text[n] == '=')), 0, 0) != 0)
		return -1;
	v = take_words(p);
	if (v.n == 0)
		v.words = NULL;
	else if (check_values(s, key, &at, &v, p->e) != 0)
		return -1;
	for (size_t i = 0; i < s->n_groups; i++)
		replace_setting(s->groups[i].set, key, v);
	return 0;
}

/* --- The whole ------------------------------------------------------------ */

static void
set_defaults(struct sweep *s, struct setting *set)
{
	for (int key = 0; key < SWEEP_KEYS; key++) {
		struct word *w;

		if (set[key].words != NULL || sweep_rows[key].def == NULL)
			continue;
		w = arena_alloc(&s->arena, sizeof *w);
		*w = (struct word){ sweep_rows[key].def, 0, 0 };
		set[key] = (struct setting){ w, 1 };
	}
}

/* Check that a group has the required settings and known models. */
static int
check_group(const struct sweep *s, const struct group *g, struct error *e)
{
	static const int needed[] = { SWEEP_NAME, SWEEP_MODEL, SWEEP_BATCH };
	const struct setting *models = &g->set[SWEEP_MODEL];
	struct error why = ERROR_INIT;

	for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
		if (g->set[needed[i]].words == NULL)
			return sweep_error(s, &g->set[SWEEP_NAME].words[0], e,
			    "no '%s' is given for these runs",
			    sweep_rows[needed[i]].name);
	}
	for (size_t i = 0; i < models->n && g->set[SWEEP_COMMAND].words == NULL;
	     i++) {
		if (model_find(models->words[i].text, &why) == NULL)
			return sweep_error(
			    s, &models->words[i], e, "%s", why.message);
	}
	return 0;
}

int
sweep_parse(const char *path, const char *text, size_t len,
    const char *const *sets, size_t n_sets, unsigned conditions,
    struct sweep *s, struct error *e)
{
	struct sweep_parser p = {
		.s = s, .e = e, .key = -1, .conditions = conditions
	};
	int rc = 0;

	*s = (struct sweep){ .arena = ARENA_INIT };
	s->path = arena_strdup(&s->arena, path);
	s->text = arena_strndup(&s->arena, text, len);
	if (memchr(text, '\0', len) != NULL)
		rc = error_set(e, ERROR_INPUT, "%s: not a text file", path);
	else
		rc = read_lines(&p);
	for (size_t i = 0; i < n_sets && rc == 0; i++)
		rc = apply_set(&p, sets[i]);
	for (size_t i = 0; i < s->n_groups && rc == 0; i++)
		rc = check_group(s, &s->groups[i], e);
	free(p.words);
	for (size_t i = 0; i < s->n_groups && rc == 0; i++) {
		set_defaults(s, s->groups[i].set);
		set_defaults(s, s->groups[i].plain);
	}
	if (rc != 0)
		sweep_release(s);
	return rc;
}

int
sweep_read(const char *path, const char *const *sets, size_t n_sets,
    unsigned conditions, struct sweep *s, struct error *e)
{
	const int is_stdin = strcmp(path, "-") == 0;
	FILE *f = is_stdin ? stdin : fopen(path, "r");
	char *text;
	size_t n;
	int rc;

	if (f == NULL)
		return error_errno(e, errno, "cannot open '%s'", path);
	text = xmalloc(SWEEP_MAX_BYTES + 1);
	n = fread(text, 1, SWEEP_MAX_BYTES + 1, f);
	if (is_stdin)
		path = "stdin";
	if (ferror(f))
		rc = error_errno(e, errno, "cannot read '%s'", path);
	else if (n > SWEEP_MAX_BYTES)
		rc = error_set(e, ERROR_LIMIT, "%s: longer than %d bytes", path,
		    SWEEP_MAX_BYTES);
	else
		rc = sweep_parse(path, text, n, sets, n_sets, conditions, s, e);
	if (!is_stdin)
		fclose(f);
	free(text);
	return rc;
}

void
sweep_release(struct sweep *s)
{
	free(s->groups);
	arena_release(&s->arena);
	*s = (struct sweep){ .arena = ARENA_INIT };
}
