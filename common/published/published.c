/* Choose the reader of a text by its contents and name. */
#include <config.h>

#include "common/published/published.h"

#include <string.h>

#include "common/published/published_parts.h"
#include "common/utf8.h"

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
