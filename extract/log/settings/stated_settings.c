/* Reads settings from the head of a log. Each line is tried as a command, a
 * printed object, and a line of a dump. */
#include <config.h>

#include "extract/log/settings/stated_settings.h"

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "extract/log/settings/settings_reader.h"

enum {
	MAX_COMMAND = 64 << 10, /* bytes, with continuation lines */
	MAX_VALUES = 6 /* maximum values of a key; keys with more are left
			  out */
};

static void
take_line(struct settings_reader *r, const char *line, size_t len)
{
	if (settings_in_code(r, line, len) ||
	    settings_read_command(r, line, len))
		return;
	if ((memchr(line, '{', len) == NULL &&
		memchr(line, '(', len) == NULL) ||
	    !settings_read_object(r, line, len))
		settings_read_dump(r, line, len);
}

/* Join lines that end in a backslash with the next line. */
static void
join_line(struct settings_reader *r, const char *line, size_t len)
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

struct stated_settings *
stated_settings_read(const char *text, size_t len, int64_t end, struct arena *a)
{
	struct stated_settings *all = arena_alloc(a, sizeof *all);
	struct settings_reader r = { .a = a, .line = 1 };

	strbuf_init(&r.joined, 2 * MAX_COMMAND + len);
	for (size_t at = 0, n; at < len; at += n + 1, r.line++) {
		const char *nl = memchr(text + at, '\n', len - at);

		n = nl != NULL ? (size_t)(nl - text) - at : len - at;
		if (n > 0 && (r.line < end || settings_is_store(text + at, n)))
			join_line(&r, text + at, n);
	}
	settings_reader_end_block(&r);
	strbuf_release(&r.joined);
	all->n = r.n;
	all->items = arena_calloc(a, r.n + 1, sizeof *r.items);
	if (r.n > 0)
		memcpy(all->items, r.items, r.n * sizeof *r.items);
	free(r.items);
	return all;
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

/* Add the line of one key with its distinct values. */
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
