/* Reads keys and values and groups lines into blocks. */
#include <config.h>

#include "extract/log/settings/settings_reader.h"

#include <ctype.h>
#include <string.h>

#include "common/alloc.h"

enum {
	MAX_SETTINGS = 4096,
	MAX_VALUE = 200 /* bytes; longer values are cut */
};

static int
is_key_byte(char c)
{
	return isalnum((unsigned char)c) ||
	    (c != '\0' && strchr("_-./@", c) != NULL);
}

size_t
settings_key_length(const char *s, size_t len)
{
	size_t n = 0;

	if (len == 0 || (!isalpha((unsigned char)s[0]) && s[0] != '_'))
		return 0;
	while (n < len && is_key_byte(s[n]))
		n++;
	/* Skip dots ("....") before the value. */
	while (n > 0 && s[n - 1] == '.')
		n--;
	return n <= SETTINGS_KEY ? n : 0;
}

int
settings_ends_with(const char *text, const char *end)
{
	const size_t n = strlen(text), m = strlen(end);

	return n >= m && strcmp(text + n - m, end) == 0;
}

/* Normalise a value: drop the folder of a configuration file and the number of
 * a device. */
static const char *
value_text(struct settings_reader *r, const char *s, size_t len)
{
	static const char *const suffixes[] = { ".yaml", ".yml", ".json",
		".toml", ".py", ".cfg", ".conf", ".ini" };
	static const char *const devices[] = {
		"cuda:", "gpu:", "xpu:", "npu:"
	};
	char *text = arena_strndup(r->a, s, len < MAX_VALUE ? len : MAX_VALUE);
	char *slash = strrchr(text, '/');

	text_sanitise(text, "");
	if (strcmp(text, "True") == 0 || strcmp(text, "TRUE") == 0)
		return "true";
	if (strcmp(text, "False") == 0 || strcmp(text, "FALSE") == 0)
		return "false";
	for (size_t i = 0; slash != NULL && slash[1] != '\0' && i < 8; i++)
		if (settings_ends_with(text, suffixes[i]))
			return slash + 1;
	for (size_t i = 0; i < 4; i++)
		if (strncmp(text, devices[i], strlen(devices[i])) == 0)
			text[strlen(devices[i]) - 1] = '\0';
	return text;
}

void
settings_reader_add(struct settings_reader *r, enum setting_place place,
    const char *prefix, const char *key, size_t key_len, const char *value,
    size_t len)
{
	const char *text = value_text(r, value, len);
	char *name;

	while (key_len > 0 && (*key == '-' || *key == '+'))
		key++, key_len--;
	if (key_len == 0 || len == 0 || r->n == MAX_SETTINGS)
		return;
	name = arena_printf(r->a, "%s%s%.*s", prefix,
	    prefix[0] != '\0' ? "." : "", (int)key_len, key);
	text_sanitise(name, "");
	for (char *p = name; *p != '\0'; p++)
		if (*p == '-')
			*p = '_';
	if (!setting_counts(name, text))
		return;
	r->items = vec_grow(r->items, r->n, &r->alloc, sizeof *r->items);
	r->items[r->n++] =
	    (struct stated_setting){ name, text, place, r->line };
}

/* True if a line outside of a block is a setting: a boolean, or an unindented
 * key of several words whose value has no fraction. */
static int
stands_alone(const struct settings_reader *r, const struct stated_setting *s)
{
	return strcmp(s->value, "true") == 0 ||
	    strcmp(s->value, "false") == 0 ||
	    (r->at_margin && strchr(s->key, '_') != NULL &&
		strchr(s->value, '.') == NULL);
}

void
settings_reader_end_block(struct settings_reader *r)
{
	if (r->in_block < 2 && r->n > r->block &&
	    !stands_alone(r, &r->items[r->block]))
		r->n = r->block;
	r->block = r->n;
	r->section = NULL;
	r->in_block = 0;
	r->key_len = 0;
	r->n_parents = 0;
}
