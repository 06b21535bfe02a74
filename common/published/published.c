#include <config.h>

#include "common/published/published.h"

#include <string.h>

#include "common/published/published_parts.h"
#include "common/utf8.h"

void
published_release(struct published *p)
{
	arena_release(&p->arena);
	*p = (struct published){ .arena = ARENA_INIT };
}

void
published_remark(struct published *p, struct published_table *t,
    enum remark_code code, const char *text)
{
	if (t->n_remarks == t->alloc_remarks) {
		struct remark *more = arena_calloc(
		    &p->arena, t->alloc_remarks * 2 + 4, sizeof *more);

		if (t->n_remarks > 0)
			memcpy(more, t->remarks, t->n_remarks * sizeof *more);
		t->remarks = more;
		t->alloc_remarks = t->alloc_remarks * 2 + 4;
	}
	t->remarks[t->n_remarks++] =
	    (struct remark){ .code = code, .args = { { .text = text } } };
}

int
published_has(const struct published_table *t, enum published_role role)
{
	for (size_t i = 0; i < t->n_columns; i++)
		if (t->columns[i].role == role)
			return 1;
	return 0;
}

int
published_has_cases(const struct published_table *t)
{
	return published_has(t, PUBLISHED_CASE) ||
	    published_has(t, PUBLISHED_GPUS) ||
	    published_has(t, PUBLISHED_GPU_COUNT) ||
	    (published_has(t, PUBLISHED_NODES) &&
		published_has(t, PUBLISHED_NODE_GPUS));
}

int
published_is_speed(enum published_role role)
{
	return role == PUBLISHED_RATE || role == PUBLISHED_STEP_TIME ||
	    role == PUBLISHED_DURATION;
}

/* --- the form of a text --------------------------------------------------- */

static int
text_has(const char *text, size_t len, const char *word)
{
	return memmem(text, len, word, strlen(word)) != NULL;
}

static int
ends_in(const char *name, const char *ending)
{
	const size_t n = strlen(name), m = strlen(ending);

	return n >= m && strcmp(name + n - m, ending) == 0;
}

/* True if the first line holds a separator of CSV. */
static int
is_separated(const char *s, size_t len)
{
	for (size_t i = 0; i < len && s[i] != '\n'; i++)
		if (strchr(",;\t", s[i]) != NULL && s[i] != '\0')
			return 1;
	return 0;
}

static int
read_form(struct published *p, const char *name, const char *text, size_t len,
    struct error *e)
{
	size_t i = 0;

	while (i < len && strchr(" \t\r\n", text[i]) != NULL)
		i++;
	if (i < len && text[i] == '{')
		return published_dlperf(p, name, text, len, e);
	if (text_has(text, len, "\\begin{"))
		return published_latex(p, name, text, len, e);
	if (memchr(text, '|', len) != NULL || ends_in(name, ".md") ||
	    ends_in(name, ".markdown") || ends_in(name, ".html") ||
	    text_has(text, len, "<table") || published_is_ruled(text, len) ||
	    (!ends_in(name, ".csv") && !ends_in(name, ".tsv") &&
		!is_separated(text + i, len - i)))
		return published_markdown(p, name, text, len, e);
	return published_csv(p, name, text, len, e);
}

int
published_read(const char *name, const char *text, size_t len,
    struct published *p, struct error *e)
{
	*p = (struct published){ .arena = ARENA_INIT };
	if (len > PUBLISHED_MAX_BYTES)
		return error_at(e, ERROR_LIMIT, name, 0, 0,
		    "larger than %d MiB", PUBLISHED_MAX_BYTES >> 20);
	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
		text += 3;
		len -= 3;
	}
	if (!utf8_valid(text, len) || memchr(text, '\0', len) != NULL)
		return error_at(
		    e, ERROR_INPUT, name, 0, 0, "not a text in UTF-8");
	if (len == 0 || read_form(p, name, text, len, e) == 0)
		return 0;
	published_release(p);
	return -1;
}
