/* Lines of reference value files. */
#include <config.h>

#include "common/series/reference_header.h"

#include <math.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "common/published/published.h"
#include "common/series/result_set.h"
#include "common/units/units.h"

const char *
reference_unit(const char *name)
{
	const struct published_unit *unit =
	    published_unit_find(name, strlen(name));

	if (strcmp(name, "s") != 0 && strcmp(name, "min") != 0 &&
	    (unit == NULL || unit->rate == NULL ||
		strcmp(name, unit->rate) != 0))
		return NULL;
	return unit->name;
}

#define AT(member) offsetof(struct reference_header, member)

/* A header key and its value, "" by default. */
static const struct header {
	const char *key;
	enum {
		IS_TEXT,
		IS_COUNT,
		IS_TIME,
		IS_UNIT,
		IS_WORD,  /* index of one of the words, an int */
		IS_LABEL, /* "key=value" sets a label, "" clears all */
		IS_SOURCE,
		IS_CASE /* of tables whose rows are sizes */
	} type;
	size_t offset; /* in struct reference_header */
	const char *wanted;
} headers[] = {
	{ "model", IS_TEXT, AT(model), NULL },
	{ "batch", IS_COUNT, AT(batch), "a batch size (samples on each GPU)" },
	{ "scaling", IS_WORD, AT(strong), "weak strong" },
	{ "precision", IS_TEXT, AT(precision), NULL },
	{ "unit", IS_UNIT, AT(unit),
	    "a unit: samples/s, images/s, sequences/s, examples/s, tokens/s, "
	    "items/s, iterations/s, s or min" },
	{ "label", IS_LABEL, 0, "key=value (32 labels at most)" },
	{ "source", IS_SOURCE, 0, "a source" },
	{ "rows", IS_WORD, AT(rows), "topologies cases sizes" },
	{ "steps", IS_COUNT, AT(steps), "a count" },
	{ "case", IS_CASE, 0, "a case such as 4n8g" },
	{ "real", IS_TIME, AT(real_s), "a time such as 119.8s" },
};
enum { N_HEADERS = sizeof headers / sizeof headers[0] };

/* The header whose key is before the colon of a line, or NULL. */
static const struct header *
find_header(struct text_span line)
{
	const char *colon = memchr(line.s, ':', (size_t)(line.end - line.s));
	struct text_span l;

	if (colon == NULL)
		return NULL;
	l = span_trim((struct text_span){ line.s, colon });
	for (int i = 0; i < N_HEADERS; i++)
		if (strlen(headers[i].key) == (size_t)(l.end - l.s) &&
		    strncasecmp(l.s, headers[i].key, (size_t)(l.end - l.s)) ==
			0)
			return &headers[i];
	return NULL;
}

/* The text [s, end) without blanks at its ends, in the arena. */
static char *
trim(struct arena *a, const char *s, const char *end)
{
	const struct text_span l = span_trim((struct text_span){ s, end });

	return arena_strndup(a, l.s, (size_t)(l.end - l.s));
}

/* Set what a header states. Returns 0 if the value is invalid. */
static int
set_header(struct reference_header *r, const struct header *h, struct arena *a,
    char *value)
{
	void *at = (char *)r + h->offset;
	const size_t len = strlen(value);
	const int is_empty = len == 0;
	const char *rest, *word, *eq, *key;
	char *words;
	size_t i = 0;

	switch (h->type) {
	case IS_TEXT:
		*(const char **)at = is_empty ? NULL : value;
		return 1;
	case IS_COUNT:
		*(long *)at = RESULT_UNKNOWN;
		return is_empty ||
		    whole_parse(value, len, 1, 1000000000000, at) == UNITS_OK;
	case IS_TIME:
		*(double *)at = NAN;
		return is_empty || duration_parse(value, len, at) == UNITS_OK;
	case IS_UNIT:
		r->unit = reference_unit(is_empty ? REFERENCE_UNIT : value);
		return r->unit != NULL;
	case IS_WORD:
		words = arena_strdup(a, h->wanted);
		*(int *)at = 0;
		while ((word = strsep(&words, " ")) != NULL && !is_empty &&
		    strcasecmp(word, value) != 0)
			++*(int *)at;
		return word != NULL;
	case IS_LABEL:
		r->n_labels = is_empty ? 0 : r->n_labels;
		eq = strchr(value, '=');
		if (is_empty || eq == NULL || eq == value)
			return is_empty;
		key = trim(a, value, eq);
		while (
		    i < r->n_labels && strcasecmp(key, r->labels[i].key) != 0)
			i++;
		if (i == REFERENCE_MAX_LABELS)
			return 0;
		/* Copy the array: earlier cases refer to the old one. */
		r->labels =
		    arena_longer(a, r->labels, r->n_labels, sizeof *r->labels);
		if (i == r->n_labels)
			r->labels[r->n_labels++].key = key;
		r->labels[i].value = trim(a, eq + 1, eq + strlen(eq));
		return 1;
	case IS_SOURCE:
		r->origins =
		    arena_grow(a, r->origins, r->n_origins, sizeof *r->origins);
		r->origins[r->n_origins++] = value;
		return !is_empty;
	case IS_CASE:
		r->case_nodes = r->case_gpus = RESULT_UNKNOWN;
		return is_empty ||
		    (published_case_read(
			 value, &r->case_nodes, &r->case_gpus, &rest) &&
			*rest == '\0');
	}
	return 0;
}

const char *
reference_header_read(struct reference_header *r, struct arena *a,
    struct text_span line, const char **wrong)
{
	const char *colon = memchr(line.s, ':', (size_t)(line.end - line.s));
	const struct header *h = find_header(line);
	char *value;

	*wrong = span_trim(line).s;
	if (h == NULL)
		return colon == NULL
		    ? "expected 'key: value', a row '| ... |' or a comment '#'"
		    : "no key; keys are model, batch, scaling, precision, "
		      "unit, label, source, rows, steps, case and real";
	*wrong = span_trim((struct text_span){ colon + 1, line.end }).s;
	value = trim(a, colon + 1, line.end);
	return set_header(r, h, a, value)
	    ? NULL
	    : arena_printf(a, "'%.80s' is not %s%s", value,
		  h->type == IS_WORD ? "one of: " : "", h->wanted);
}

int
reference_values_are(const char *text, size_t len)
{
	const char *end = text + len;
	int is_first = 1;

	for (struct text_span line = text_line(text, end); line.s < end;
	     line = text_line_after(line, end)) {
		const struct text_span l = span_trim(line);

		if (l.s == l.end || *l.s == '#')
			continue;
		if (*l.s == '|' || (is_first && find_header(l) != NULL))
			return 1;
		is_first = 0;
	}
	return 0;
}
