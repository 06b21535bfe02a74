/* Of which model or framework a table is, by the headings above it: a README of
 * several has a heading each, and its tables do not repeat it.  Called by
 * check.c and check_against.c; it knows no cells. */
#include <config.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "report/check/check_parts.h"

/* Does it stand for nothing, such as a blank or a dash? */
static int
is_filler(char c)
{
	return c != '\0' && (c & 0x80) == 0 && !isalnum((unsigned char)c);
}

int
check_names_match(const char *a, const char *b)
{
	for (;;) {
		while (is_filler(*a))
			a++;
		while (is_filler(*b))
			b++;
		if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
			return 0;
		if (*a == '\0')
			return 1;
		a++;
		b++;
	}
}

/* Do a and b stand in one word: both letters, or both digits? */
static int
in_one_word(char a, char b)
{
	return (isalpha((unsigned char)a) && isalpha((unsigned char)b)) ||
	    (isdigit((unsigned char)a) && isdigit((unsigned char)b));
}

/* Does the text begin with the name, and a word end with it? */
static int
begins_with(const char *text, const char *name)
{
	char last = '\0';

	for (;;) {
		while (is_filler(*name))
			name++;
		if (*name == '\0')
			return last != '\0' && !in_one_word(last, *text);
		while (last != '\0' && is_filler(*text))
			text++;
		if (tolower((unsigned char)*text) !=
		    tolower((unsigned char)*name))
			return 0;
		last = *text++;
		name++;
	}
}

/* "ResNet-50 V1.5" names "resnet50", "BERTbase" does not name "bert". */
static int
heading_names(const char *heading, const char *name)
{
	for (const char *s = heading; *s != '\0'; s++)
		if ((s == heading || !in_one_word(s[-1], *s)) &&
		    begins_with(s, name))
			return 1;
	return 0;
}

static int
table_names(const struct published_table *t, const char *name)
{
	for (size_t i = 0; i < t->n_headings; i++)
		if (heading_names(t->headings[i], name))
			return 1;
	return 0;
}

static struct check_name *
find_name(const struct check_names *names, const char *value)
{
	for (size_t i = 0; i < names->n; i++)
		if (strcmp(names->items[i].value, value) == 0)
			return &names->items[i];
	return NULL;
}

void
check_names_init(struct check_names *names, const struct series_set *set,
    enum series_key key, const struct published *p)
{
	*names = (struct check_names){ NULL, 0, 0, 0 };
	for (size_t i = 0; set != NULL && i < set->n; i++) {
		const char *value = set->items[i].values[key];
		struct check_name *name;

		if (value == NULL || find_name(names, value) != NULL)
			continue;
		names->items = vec_grow(names->items, names->n, &names->alloc,
		    sizeof *names->items);
		name = &names->items[names->n++];
		*name = (struct check_name){ value, 0, 0 };
		for (size_t k = 0; k < p->n && !name->anywhere; k++)
			name->anywhere = table_names(&p->tables[k], value);
	}
}

void
check_names_release(struct check_names *names)
{
	free(names->items);
	*names = (struct check_names){ NULL, 0, 0, 0 };
}

void
check_names_at(struct check_names *names, const struct published_table *t)
{
	names->any_here = 0;
	for (size_t i = 0; i < names->n; i++) {
		struct check_name *name = &names->items[i];

		name->here = name->anywhere && table_names(t, name->value);
		names->any_here |= name->here;
	}
}

int
check_names_allow(
    const struct check_names *names, const char *value, int *stated)
{
	const struct check_name *name =
	    value != NULL ? find_name(names, value) : NULL;

	*stated = name != NULL && name->here;
	if (name == NULL)
		return 1;
	return names->any_here ? name->here : !name->anywhere;
}
