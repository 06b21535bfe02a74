#include <config.h>

#include "common/series/reference_reader.h"

#include <string.h>
#include <strings.h>

static const struct {
	const char *name;
	const char *metric;
} units[] = {
	{ REFERENCE_VALUES_UNIT, "throughput" },
	{ "images/s", "throughput" },
	{ "sequences/s", "throughput" },
	{ "examples/s", "throughput" },
	{ "tokens/s", "throughput" },
	{ "items/s", "throughput" },
	{ "iterations/s", "throughput" },
	{ "s", "step-time" },
	{ "min", "time-to-train" },
};
enum { N_UNITS = sizeof units / sizeof units[0] };

int
reference_values_fail(struct reference_reader *r, enum error_code code,
    const char *at, const char *what, struct span value)
{
	long col = at == NULL ? 0 : (long)(at - r->line) + 1;
	int len = value.len > REFERENCE_VALUES_ECHO ? REFERENCE_VALUES_ECHO
						    : (int)value.len;

	if (value.s == NULL)
		error_at(r->e, code, r->name, r->line_number, col, "%s", what);
	else
		error_at(r->e, code, r->name, r->line_number, col, "'%.*s' %s",
		    len, value.s, what);
	if (at != NULL)
		error_caret(r->e, r->line, r->line_len, col);
	return -1;
}

struct span
span_trim(const char *s, size_t len)
{
	while (len > 0 && (s[0] == ' ' || s[0] == '\t')) {
		s++;
		len--;
	}
	while (len > 0 && (s[len - 1] == ' ' || s[len - 1] == '\t'))
		len--;
	return (struct span){ s, len };
}

int
span_is(struct span a, const char *word)
{
	return a.len == strlen(word) && strncasecmp(a.s, word, a.len) == 0;
}

const char *
reference_values_unit(struct span a)
{
	for (int i = 0; i < N_UNITS; i++)
		if (a.len == strlen(units[i].name) &&
		    memcmp(a.s, units[i].name, a.len) == 0)
			return units[i].name;
	return NULL;
}

const char *
reference_values_metric(const char *unit)
{
	for (int i = 0; i < N_UNITS; i++)
		if (strcmp(unit, units[i].name) == 0)
			return units[i].metric;
	return units[0].metric;
}
