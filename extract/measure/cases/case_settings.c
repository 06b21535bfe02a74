/* Settings that differ between runs. Settings are lines "KEY\tPLACE\tVALUE".
 * The lines of all runs are sorted together, so that those of one setting, and
 * among them those of one value, are adjacent. */
#include <config.h>

#include "extract/measure/cases/case.h"

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "extract/log/words.h"

enum {
	MAX_DIFFERING = 64,
	MAX_NAMED = 3,
	CHANCE = 5 /* one run in this many may agree by chance */
};

struct settings_line {
	const char *at; /* "KEY\tPLACE\tVALUE" */
	size_t len, key;
	size_t row; /* that states it */
};

/* A setting that differs. */
struct differing {
	const struct settings_line *lines; /* [<= n rows], by value */
	const char *label;
	size_t values; /* number of values, "not stated" included */
	size_t *value; /* [n] of each row: NOT_STATED, NOT_KNOWN, or
	                  FIRST_VALUE + index of the first line with it */
};

enum { NOT_STATED, NOT_KNOWN, FIRST_VALUE };

struct differences {
	struct arena arena;
	struct settings_line *lines; /* [n_lines] of all rows */
	size_t n_lines;
	struct differing items[MAX_DIFFERING];
	size_t n;
};

/* --- Differences -----------------------------------------------------------*/

static int
by_line(const void *a, const void *b)
{
	const struct settings_line *x = a, *y = b;
	const int d = memcmp(x->at, y->at, x->len < y->len ? x->len : y->len);

	return d != 0 ? d : (x->len > y->len) - (x->len < y->len);
}

/* Number the values of a setting with these lines [n_lines]. Returns 0 if all
 * rows that state settings state the same value. */
static int
number_values(struct differing *d, const struct settings_line *lines,
    size_t n_lines, const struct settings_row *rows, size_t n, struct arena *a)
{
	const char place[] = { '\t', lines->at[lines->key + 1], '\t', '\0' };
	size_t known = 0, stated = n_lines;

	*d = (struct differing){ .lines = lines };
	for (size_t i = 0; i < n; i++)
		known += rows[i].text != NULL;
	if (n_lines == known && by_line(lines, lines + n_lines - 1) == 0)
		return 0;
	d->value = arena_calloc(a, n, sizeof *d->value);
	/* A row that states settings of this kind would state this one, too.
	 * Variables are stated individually.  So are events, but those of
	 * several ranks are often corrupted: a missing one is unknown. */
	for (size_t i = 0; i < n; i++)
		d->value[i] = rows[i].text != NULL &&
			(place[1] == 'e' ||
			    (place[1] != 'm' &&
				strstr(rows[i].text, place) != NULL))
		    ? NOT_STATED
		    : NOT_KNOWN;
	for (size_t i = 0, first = 0; i < n_lines; i++) {
		if (i == 0 || by_line(&lines[first], &lines[i]) != 0) {
			first = i;
			d->values++;
		}
		d->value[lines[i].row] = FIRST_VALUE + first;
	}
	for (size_t i = 0; i < n && stated == n_lines; i++)
		stated += d->value[i] == NOT_STATED;
	d->values += stated - n_lines;
	return 1;
}

/* --- Names -----------------------------------------------------------------*/

/* True if another key of a row has the same tail. */
static int
is_ambiguous(const struct differences *all, const struct settings_line *own,
    const char *tail, size_t len)
{
	for (size_t i = 0; i < all->n_lines; i++) {
		const struct settings_line *l = &all->lines[i];

		if (l->key >= len &&
		    memcmp(l->at + l->key - len, tail, len) == 0 &&
		    (l->key == len || l->at[l->key - len - 1] == '.') &&
		    !(l->key == own->key &&
			memcmp(l->at, own->at, l->key) == 0))
			return 1;
	}
	return 0;
}

/* The shortest tail of the key that is unique, and not too general. */
static const char *
label_name(const struct differences *all, const struct settings_line *own,
    struct arena *a)
{
	const char *tail = own->at + own->key;
	size_t len;

	do {
		while (--tail > own->at && tail[-1] != '.')
			;
		len = (size_t)(own->at + own->key - tail);
	} while (tail > own->at &&
	    (words_match("name|type|enabled|value|size|_target_|mode|kind|"
			 "class|enable",
		 WORDS_ALL, tail, len) ||
		is_ambiguous(all, own, tail, len)));
	return arena_strndup(a, tail, len);
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
	return strcmp(x->lines->at, y->lines->at);
}

static void
differences_find(struct differences *all, const struct settings_row *rows,
    size_t n, struct arena *a)
{
	const char *first = NULL;
	int differ = 0;

	*all = (struct differences){ .arena = ARENA_INIT };
	for (size_t i = 0; i < n && !differ; i++) {
		if (first == NULL)
			first = rows[i].text;
		differ =
		    rows[i].text != NULL && strcmp(first, rows[i].text) != 0;
	}
	if (!differ)
		return;
	for (size_t i = 0; i < n; i++) {
		const char *at = rows[i].text, *end;

		for (; at != NULL && *at != '\0'; at = end + (*end != '\0')) {
			end = at + strcspn(at, "\n");
			all->lines = arena_grow(&all->arena, all->lines,
			    all->n_lines, sizeof *all->lines);
			all->lines[all->n_lines++] = (struct settings_line){ at,
				(size_t)(end - at), strcspn(at, "\t"), i };
		}
	}
	if (all->n_lines > 1)
		qsort(all->lines, all->n_lines, sizeof *all->lines, by_line);
	for (size_t i = 0, end; i < all->n_lines && all->n < MAX_DIFFERING;
	     i = end) {
		const struct settings_line *l = &all->lines[i];

		/* Find the end of the lines with this key and kind of place. */
		for (end = i + 1; end < all->n_lines; end++)
			if (all->lines[end].key != l->key ||
			    memcmp(all->lines[end].at, l->at, l->key + 2) != 0)
				break;
		if (number_values(
			&all->items[all->n], l, end - i, rows, n, &all->arena))
			all->items[all->n++].label = label_name(all, l, a);
	}
	qsort(all->items, all->n, sizeof *all->items, by_simplicity);
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

/* Number of runs in sets that a setting divides.  An unknown value does not
 * divide a set whose other values agree.
 *
 * alone  set to the number of runs that would be alone with their value */
static size_t
runs_split(const struct differing *d, const struct settings_row *rows, size_t n,
    size_t *alone)
{
	struct row_place *p = xcalloc(n, sizeof *p);
	size_t runs = 0;

	*alone = 0;
	for (size_t i = 0; i < n; i++)
		p[i] = (struct row_place){ rows[i].set, d->value[i] };
	qsort(p, n, sizeof *p, by_place);
	for (size_t i = 0, end; i < n; i = end) {
		size_t known = 0, single = 0;

		for (end = i; end < n && p[end].set == p[i].set; end++) {
			const int first =
			    end == i || by_place(&p[end - 1], &p[end]) != 0;
			const int last =
			    end + 1 == n || by_place(&p[end], &p[end + 1]) != 0;

			known += first && p[end].value != NOT_KNOWN;
			single += first && last;
		}
		if (known < 2)
			continue;
		runs += end - i;
		*alone += single;
	}
	free(p);
	return runs;
}

const char *
case_settings_split(struct settings_row *rows, size_t n, struct arena *a)
{
	struct differences all;
	const char *label = NULL;

	differences_find(&all, rows, n, a);
	for (size_t k = 0; k < all.n && label == NULL; k++) {
		const struct differing *d = &all.items[k];
		size_t alone;
		const size_t runs = runs_split(d, rows, n, &alone);

		/* Almost every run would be alone: a sweep. */
		if (runs == 0 || CHANCE * (runs - alone) < runs)
			continue;
		label = d->label;
		for (size_t i = 0; i < n; i++) {
			const size_t value = d->value[i];
			const struct settings_line *l = d->lines;

			if (value >= FIRST_VALUE)
				l += value - FIRST_VALUE;
			rows[i].value = value == NOT_KNOWN ? "unknown"
			    : value == NOT_STATED
			    ? NULL
			    : arena_strndup(
				  a, l->at + l->key + 3, l->len - l->key - 3);
		}
	}
	arena_release(&all.arena);
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
	size_t named = 0;

	differences_find(&all, rows, n, a);
	for (size_t k = 0; k < all.n; k++) {
		const struct differing *d = &all.items[k];
		size_t same = 0, alone;

		if (runs_split(d, rows, n, &alone) == 0)
			continue;
		while (same < k && !same_parts(&all.items[same], d, n))
			same++;
		if (same == k && named++ < MAX_NAMED)
			text = arena_printf(a, "%s%s%s (%zu values)",
			    text != NULL ? text : "", text != NULL ? ", " : "",
			    d->label, d->values);
	}
	if (named > MAX_NAMED)
		text =
		    arena_printf(a, "%s and %zu more", text, named - MAX_NAMED);
	arena_release(&all.arena);
	return text;
}
