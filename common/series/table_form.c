#include <config.h>

#include "common/series/table_form.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "common/files/infile.h"
#include "common/series/table_columns.h"
#include "common/text.h"

enum { MAX_HEAD = 8192 };

static const char suffix[] = ".table";
static const char *const kinds[] = { "csv", "json", "lines", NULL };
static const char *const key_names[] = { [FORM_HAS] = "has",
	[FORM_ROWS] = "rows",
	[FORM_CONTEXT] = "context",
	[FORM_ROW] = "row",
	[FORM_SPLIT] = "split",
	[FORM_PAIRS] = "pairs",
	[FORM_EACH] = "each",
	[FORM_STRIP] = "strip",
	[FORM_FIELD] = "field",
	[FORM_SET] = "set",
	[FORM_WORD] = "word",
	[FORM_ONLY] = "only",
	[FORM_SKIP] = "skip",
	[FORM_OTHERS] = "others",
	[N_FORM_KEYS] = NULL };

/* Keys of one template or path, without a word before it, as bits. */
static const unsigned one_text = 1u << FORM_ROWS | 1u << FORM_CONTEXT |
    1u << FORM_ROW | 1u << FORM_EACH | 1u << FORM_STRIP | 1u << FORM_HAS;

const struct table_form table_form_any = { .keys = {
					       [FORM_OTHERS] = { NULL, 1 } } };

static int
find_word(const char *const *words, const char *word)
{
	for (int i = 0; words[i] != NULL; i++)
		if (strcmp(words[i], word) == 0)
			return i;
	return -1;
}

/* The first word of *text, which is cut off with the blanks after it. */
static char *
take_word(char **text)
{
	char *word = *text;

	*text += strcspn(*text, " \t");
	if (**text != '\0')
		*(*text)++ = '\0';
	*text += strspn(*text, " \t");
	return word;
}

static int
read_line(struct table_form *f, char *line, const char *path, long number,
    struct arena *a, struct error *e)
{
	char *text = line, *word;
	const char *name = take_word(&text);
	const int key = find_word(key_names, name);
	struct form_list *list;

	if (name[0] == '\0' || name[0] == '#' || strcmp(name, "url") == 0 ||
	    strcmp(name, "description") == 0)
		return 0;
	if (text[0] == '\0')
		return error_at(
		    e, ERROR_INPUT, path, number, 0, "'%s' has no value", name);
	if (strcmp(name, "name") == 0) {
		f->name = text;
		return 0;
	}
	if (strcmp(name, "form") == 0) {
		const int kind = find_word(kinds, text);

		f->kind = kind >= 0 ? (enum table_kind)kind : TABLE_CSV;
		return kind >= 0
		    ? 0
		    : error_at(e, ERROR_INPUT, path, number, 0,
			  "'%s' is none of: csv, json, lines", text);
	}
	if (key < 0)
		return error_at(
		    e, ERROR_INPUT, path, number, 0, "unknown key '%s'", name);
	list = &f->keys[key];
	word = (one_text >> key & 1) != 0 ? text : take_word(&text);
	if ((key == FORM_FIELD || key == FORM_SET) &&
	    strncmp(word, "label:", 6) != 0 && table_field_find(word) == NULL)
		return error_at(e, ERROR_INPUT, path, number, 0,
		    "unknown member '%s'", word);
	list->items =
	    arena_longer(a, list->items, list->n, sizeof *list->items);
	list->items[list->n++] = (struct result_pair){ word, text };
	return 0;
}

static int
is_form_file(const struct dirent *entry)
{
	const size_t len = strlen(entry->d_name);

	return len > sizeof suffix - 1 &&
	    strcmp(entry->d_name + len - (sizeof suffix - 1), suffix) == 0;
}

const struct table_form *
table_forms(size_t *n, struct error *e)
{
	/* A call with many operands asks for them at each. */
	static struct arena arena = ARENA_INIT;
	static struct table_form *forms;
	static size_t n_forms;
	char *folder = NULL;
	struct dirent **entries = NULL;
	int found = 0, rc = 0;

	if (forms == NULL) {
		folder = install_path_find("tables", NULL, e);
		found = folder != NULL
		    ? scandir(folder, &entries, is_form_file, alphasort)
		    : -1;
		rc = found < 0 ? -1 : 0;
		forms = arena_calloc(&arena, (size_t)found + 2, sizeof *forms);
	}
	for (int i = 0; i < found; i++) {
		const char *path =
		    arena_printf(&arena, "%s/%s", folder, entries[i]->d_name);
		struct table_form *f = &forms[n_forms++];
		size_t len;
		char *whole = rc == 0 ? read_whole_file(path, &len, e) : NULL;
		char *text = arena_strdup(&arena, whole), *line;

		free(entries[i]);
		if (rc == 0 && whole == NULL)
			rc = error_prefix(e, "%s", path);
		free(whole);
		for (long number = 1;
		     rc == 0 && (line = strsep(&text, "\n")) != NULL; number++)
			rc = read_line(f, line, path, number, &arena, e);
		if (rc == 0 &&
		    (f->name == NULL ||
			(f->kind == TABLE_LINES && f->keys[FORM_ROW].n == 0) ||
			(f->kind == TABLE_JSON && f->keys[FORM_ROWS].n == 0)))
			rc = error_at(e, ERROR_INPUT, path, 1, 0,
			    "the line 'name', 'row' or 'rows' is missing");
	}
	free(entries);
	free(folder);
	if (rc != 0) {
		forms = NULL;
		n_forms = 0;
	}
	*n = n_forms;
	return forms;
}

int
table_form_may_fit(const struct table_form *form, const char *text, size_t len)
{
	const struct form_list *has = &form->keys[FORM_HAS];
	const char *first = form->keys[FORM_CONTEXT].n > 0
	    ? form->keys[FORM_CONTEXT].items[0].value
	    : NULL;

	if (form->kind == TABLE_LINES) {
		if (first == NULL || first[0] == '{')
			first = form->keys[FORM_ROW].items[0].value;
		return memmem(text, len, first, strcspn(first, "{")) != NULL;
	}
	/* The head of CSV is in the first lines. */
	if (form->kind == TABLE_CSV && len > MAX_HEAD)
		len = MAX_HEAD;
	for (size_t i = 0; i < has->n; i++) {
		const char *dot = strrchr(has->items[i].value, '.');
		const char *name = dot != NULL ? dot + 1 : has->items[i].value;

		if (strchr("[*#", name[0]) == NULL &&
		    memmem(text, len, name, strlen(name)) == NULL)
			return 0;
	}
	return 1;
}

/* --- templates ------------------------------------------------------------ */

int
template_matches(struct arena *a, const char *template, const char *text,
    struct template_match *m)
{
	m->n = 0;
	while (*template != '\0') {
		const char *open = strchr(template, '{'), *close, *next;
		const size_t before =
		    open != NULL ? (size_t)(open - template) : strlen(template);
		const char *end;
		char *literal;

		if (strncmp(template, text, before) != 0)
			return 0;
		text += before;
		if (open == NULL)
			return *text == '\0';
		close = strchr(open, '}');
		if (close == NULL || m->n == TEMPLATE_MAX_CELLS)
			return 0;
		template = close + 1;
		next = template + strcspn(template, "{");
		literal = arena_strndup(a, template, (size_t)(next - template));
		if (*text == '\0')
			return 0;
		end = *literal == '\0' ? text + strlen(text)
				       : strstr(text + 1, literal);
		/* At the end of the template its last text ends the text. */
		while (end != NULL && *next == '\0' && *literal != '\0' &&
		    end[strlen(literal)] != '\0')
			end = strstr(end + 1, literal);
		if (end == NULL)
			return 0;
		if (close[-1] == '#' &&
		    strspn(text, "0123456789") < (size_t)(end - text))
			return 0;
		m->cells[m->n].key = arena_strndup(a, open + 1,
		    (size_t)(close - open) - 1 - (close[-1] == '#'));
		m->cells[m->n++].value =
		    arena_strndup(a, text, (size_t)(end - text));
		text = end;
	}
	return *text == '\0';
}

const char *
template_fill(
    struct arena *a, const char *template, const struct template_match *m)
{
	const char *open = strchr(template, '{'), *close, *value = "";
	size_t len;

	if (open == NULL || (close = strchr(open, '}')) == NULL)
		return template;
	len = (size_t)(close - open) - 1;
	for (size_t i = 0; i < m->n; i++)
		if (strncmp(m->cells[i].key, open + 1, len) == 0 &&
		    m->cells[i].key[len] == '\0')
			value = m->cells[i].value;
	return arena_printf(a, "%.*s%s%s", (int)(open - template), template,
	    value, template_fill(a, close + 1, m));
}
