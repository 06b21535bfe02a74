/* Settings that differ between runs.  Settings are sorted lines
 * "KEY\tPLACE\tVALUE".  Two texts are compared line by line, so that only
 * differences are processed. */
#include <config.h>

#include "extract/measure/cases/case_settings.h"

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"

enum {
	MAX_DIFFERING = 64,
	MAX_NAMED = 3,
	CHANCE = 5 /* one run in this many may agree by chance */
};

/* A line of settings. */
struct settings_line {
	const char *at; /* NULL: end of text */
	size_t name;    /* length of "KEY\tPLACE\t" */
	size_t len;     /* length without the newline */
};

/* A setting that differs. */
struct differing {
	const char *line; /* begins with "KEY\tPLACE\t" */
	size_t name;      /* length of that */
	const char *label;
	size_t values; /* number of values, "not stated" included */
	size_t *value; /* [n] value of each row: 0: not stated, 1: unknown */
};

enum { NOT_STATED, NOT_KNOWN, FIRST_VALUE };

struct differences {
	struct differing items[MAX_DIFFERING];
	size_t n;
};

static struct settings_line
read_line(const char *text)
{
	struct settings_line l = { NULL, 0, 0 };
	const char *tab = strchr(text, '\t');

	l.len = strcspn(text, "\n");
	if (tab != NULL && tab + 2 < text + l.len && tab[2] == '\t') {
		l.at = text;
		l.name = (size_t)(tab + 3 - text);
	}
	return l;
}

static struct settings_line
next_line(const struct settings_line *l)
{
	return l->at[l->len] == '\0' ? read_line("")
				     : read_line(l->at + l->len + 1);
}

/* --- Differences -----------------------------------------------------------*/

static void
add_differing(struct differences *all, const struct settings_line *l)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->items[i].name == l->name &&
		    memcmp(all->items[i].line, l->at, l->name) == 0)
			return;
	if (all->n < MAX_DIFFERING)
		all->items[all->n++] =
		    (struct differing){ .line = l->at, .name = l->name };
}

static int
compare_names(const struct settings_line *x, const struct settings_line *y)
{
	const size_t n = x->name < y->name ? x->name : y->name;
	const int d = memcmp(x->at, y->at, n);

	return d != 0 ? d : (x->name > y->name) - (x->name < y->name);
}

static void
add_unlike_lines(struct differences *all, const char *a, const char *b)
{
	struct settings_line x = read_line(a), y = read_line(b);

	while (x.at != NULL || y.at != NULL) {
		const int d = x.at == NULL ? 1
		    : y.at == NULL         ? -1
					   : compare_names(&x, &y);

		if (d != 0 || x.len != y.len || memcmp(x.at, y.at, x.len) != 0)
			add_differing(all, d <= 0 ? &x : &y);
		if (d <= 0)
			x = next_line(&x);
		if (d >= 0)
			y = next_line(&y);
	}
}

/* Find the line of a setting in a text, or NULL. */
static const char *
find_setting(const char *text, const struct differing *d)
{
	for (struct settings_line l = read_line(text); l.at != NULL;
	     l = next_line(&l))
		if (l.name == d->name && memcmp(l.at, d->line, d->name) == 0)
			return l.at;
	return NULL;
}

/* True if the text would state this setting if the run had it.  Variables are
 * stated individually.  Events are too, but those of several ranks are often
 * corrupted. */
static int
states_place(const char *text, const struct differing *d)
{
	const char place[] = { '\t', d->line[d->name - 2], '\t', '\0' };

	if (place[1] == 'e' || place[1] == 'm')
		return place[1] == 'e';
	return strstr(text, place) != NULL;
}

/* A line with a setting of a row. */
struct row_line {
	const char *line;
	size_t row;
};

static int
by_line(const void *a, const void *b)
{
	const struct row_line *x = a, *y = b;
	const size_t n = strcspn(x->line, "\n"), m = strcspn(y->line, "\n");
	const int d = memcmp(x->line, y->line, n < m ? n : m);

	return d != 0 ? d : (n > m) - (n < m);
}

static void
number_values(struct differing *d, const struct settings_row *rows, size_t n)
{
	struct row_line *lines = xcalloc(n, sizeof *lines);
	size_t n_lines = 0;
	int not_stated = 0;

	d->value = xcalloc(n, sizeof *d->value);
	for (size_t i = 0; i < n; i++) {
		const char *text = rows[i].text;
		const char *line = text != NULL ? find_setting(text, d) : NULL;

		d->value[i] = text != NULL && states_place(text, d) ? NOT_STATED
								    : NOT_KNOWN;
		if (line != NULL)
			lines[n_lines++] = (struct row_line){ line, i };
		else
			not_stated |= d->value[i] == NOT_STATED;
	}
	if (n_lines > 1)
		qsort(lines, n_lines, sizeof *lines, by_line);
	for (size_t i = 0; i < n_lines; i++) {
		d->values += i == 0 || by_line(&lines[i - 1], &lines[i]) != 0;
		d->value[lines[i].row] = FIRST_VALUE + d->values - 1;
	}
	d->values += (size_t)not_stated;
	free(lines);
}

/* Convert the setting's value of a row to a label value. */
static const char *
value_of(const struct differing *d, const struct settings_row *row,
    size_t value, struct arena *a)
{
	const char *line;

	if (value == NOT_STATED)
		return NULL;
	if (value == NOT_KNOWN)
		return "unknown";
	line = find_setting(row->text, d) + d->name;
	return arena_strndup(a, line, strcspn(line, "\n"));
}

/* --- Names -----------------------------------------------------------------*/

/* The last n parts of a key. */
static const char *
key_tail(const char *key, size_t len, int n)
{
	const char *p = key + len;

	while (p > key && (p[-1] != '.' || --n > 0))
		p--;
	return p;
}

/* True if another key of the text has the same tail. */
static int
is_ambiguous(
    const char *text, const struct differing *d, const char *tail, size_t len)
{
	for (struct settings_line l = read_line(text); l.at != NULL;
	     l = next_line(&l)) {
		const size_t key = l.name - 3;

		if (key == d->name - 3 && memcmp(l.at, d->line, key) == 0)
			continue;
		if (key >= len && memcmp(l.at + key - len, tail, len) == 0 &&
		    (key == len || l.at[key - len - 1] == '.'))
			return 1;
	}
	return 0;
}

/* True for words that need the key above them. */
static int
is_general(const char *tail, size_t len)
{
	static const char *const words[] = { "name", "type", "enabled", "value",
		"size", "_target_", "mode", "kind", "class", "enable" };

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (strlen(words[i]) == len && memcmp(words[i], tail, len) == 0)
			return 1;
	return 0;
}

static const char *
label_name(const struct differing *d, const struct settings_row *rows, size_t n,
    struct arena *a)
{
	const size_t len = d->name - 3;
	const char *tail = d->line;

	for (int parts = 1; parts < 9; parts++) {
		size_t i = 0, rest;

		tail = key_tail(d->line, len, parts);
		rest = (size_t)(d->line + len - tail);
		while (i < n &&
		    (rows[i].text == NULL ||
			!is_ambiguous(rows[i].text, d, tail, rest)))
			i++;
		if (tail == d->line || (i == n && !is_general(tail, rest)))
			break;
	}
	return arena_strndup(a, tail, (size_t)(d->line + len - tail));
}

static int
by_simplicity(const void *a, const void *b)
{
	const struct differing *x = a, *y = b;
	const size_t n = strlen(x->label), m = strlen(y->label);

	if (x->values != y->values)
		return x->values < y->values ? -1 : 1;
	if (n != m)
		return n < m ? -1 : 1;
	return strcmp(x->line, y->line);
}

static void
differences_find(struct differences *all, const struct settings_row *rows,
    size_t n, struct arena *a)
{
	const char *first = NULL;

	all->n = 0;
	for (size_t i = 0; i < n; i++) {
		if (rows[i].text == NULL)
			continue;
		if (first == NULL)
			first = rows[i].text;
		else if (strcmp(first, rows[i].text) != 0)
			add_unlike_lines(all, first, rows[i].text);
	}
	for (size_t k = 0; k < all->n; k++) {
		number_values(&all->items[k], rows, n);
		all->items[k].label = label_name(&all->items[k], rows, n, a);
	}
	if (all->n > 1)
		qsort(all->items, all->n, sizeof *all->items, by_simplicity);
}

static void
differences_release(struct differences *all)
{
	for (size_t k = 0; k < all->n; k++)
		free(all->items[k].value);
}

/* --- Splits ----------------------------------------------------------------*/

/* The set of a row and its value. */
struct row_place {
	size_t set, value;
};

static int
by_place(const void *a, const void *b)
{
	const struct row_place *x = a, *y = b;

	if (x->set != y->set)
		return x->set < y->set ? -1 : 1;
	return (x->value > y->value) - (x->value < y->value);
}

/* Effect of splitting sets by a setting. */
struct split {
	size_t runs;  /* runs in sets that it divides; 0: divides none */
	size_t alone; /* those that would be alone */
};

/* Compute the effect of a split.  An unknown value does not divide a set whose
 * other values agree. */
static struct split
split_of(const struct differing *d, const struct settings_row *rows, size_t n)
{
	struct row_place *p = xcalloc(n, sizeof *p);
	struct split s = { 0, 0 };

	for (size_t i = 0; i < n; i++)
		p[i] = (struct row_place){ rows[i].set, d->value[i] };
	qsort(p, n, sizeof *p, by_place);
	for (size_t i = 0, end; i < n; i = end) {
		size_t known = 0, alone = 0;

		for (end = i; end < n && p[end].set == p[i].set; end++) {
			const int first =
			    end == i || by_place(&p[end - 1], &p[end]) != 0;
			const int last =
			    end + 1 == n || by_place(&p[end], &p[end + 1]) != 0;

			known += first && p[end].value != NOT_KNOWN;
			alone += first && last;
		}
		s.runs += known < 2 ? 0 : end - i;
		s.alone += known < 2 ? 0 : alone;
	}
	free(p);
	return s;
}

const char *
case_settings_split(struct settings_row *rows, size_t n, struct arena *a)
{
	struct differences all;
	const char *label = NULL;

	differences_find(&all, rows, n, a);
	for (size_t k = 0; k < all.n && label == NULL; k++) {
		const struct differing *d = &all.items[k];
		const struct split s = split_of(d, rows, n);

		/* Almost every run would be alone: a sweep. */
		if (s.runs == 0 || CHANCE * (s.runs - s.alone) < s.runs)
			continue;
		label = d->label;
		for (size_t i = 0; i < n; i++)
			rows[i].value = value_of(d, &rows[i], d->value[i], a);
	}
	differences_release(&all);
	return label;
}

/* True if both settings divide the rows in the same way. */
static int
same_parts(const struct differing *x, const struct differing *y, size_t n)
{
	/* For each value of x, the value of y plus 1; 0: not seen. */
	size_t *other = xcalloc(n + FIRST_VALUE, sizeof *other);
	int same = x->values == y->values;

	for (size_t i = 0; i < n && same; i++) {
		size_t *own = &other[x->value[i]];

		same = *own == 0 || *own == y->value[i] + 1;
		*own = y->value[i] + 1;
	}
	free(other);
	return same;
}

const char *
case_settings_differences(struct settings_row *rows, size_t n, struct arena *a)
{
	struct differences all;
	const char *text = NULL;
	size_t named = 0, more = 0;

	differences_find(&all, rows, n, a);
	for (size_t k = 0; k < all.n; k++) {
		const struct differing *d = &all.items[k];
		size_t same = 0;

		if (split_of(d, rows, n).runs == 0)
			continue;
		while (same < k && !same_parts(&all.items[same], d, n))
			same++;
		if (same < k)
			continue;
		if (named++ >= MAX_NAMED)
			more++;
		else
			text = arena_printf(a, "%s%s%s (%zu values)",
			    text != NULL ? text : "", text != NULL ? ", " : "",
			    d->label, d->values);
	}
	if (more > 0)
		text = arena_printf(a, "%s and %zu more", text, more);
	differences_release(&all);
	return text;
}
