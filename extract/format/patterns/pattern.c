/* A regular expression with its groups: compilation, to machine code if
 * possible, properties for the scanner, and the count of its work. */
#include <config.h>

#include "extract/format/patterns/pattern.h"

#include "common/strbuf.h"
#include "common/alloc.h"
#include "extract/format/patterns/regex_text.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* label_fusion is the free label "fusion" of layouts and metadata. */
static const char label_prefix[] = "label_";

long
source_line(const struct format_source *src, const char *at)
{
	long line = 1;

	for (const char *s = src->text; s < at; s++)
		line += *s == '\n';
	return line;
}

int
source_error(struct error *e, const struct format_source *src, const char *at,
    const char *fmt, ...)
{
	char text[ERROR_MESSAGE_SIZE / 2];
	const char *line = at;
	long col;
	va_list ap;

	if (e == NULL)
		return -1;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	while (line > src->text && line[-1] != '\n')
		line--;
	col = (long)(at - line) + 1;
	error_at(
	    e, ERROR_INPUT, src->path, source_line(src, at), col, "%s", text);
	return error_caret(e, line, strcspn(line, "\r\n"), col);
}

const char *
pattern_place(const struct pattern *p, size_t offset)
{
	size_t i = p->n_pieces - 1;

	assert(p->n_pieces > 0);
	while (i > 0 && p->pieces[i].offset > offset)
		i--;
	return p->pieces[i].at + (offset - p->pieces[i].offset);
}

const struct capture *
pattern_capture(const struct pattern *p, const char *name)
{
	for (size_t i = 0; i < p->n_captures; i++) {
		if (strcmp(p->captures[i].name, name) == 0)
			return &p->captures[i];
	}
	return NULL;
}

/* True if a comma soon follows the group whose contents begin at p: one after
 * the captured text is then not part of the number. */
static int
has_own_comma(const char *p)
{
	enum { SOON = 8 };
	int depth = 1;

	while (*p != '\0' && (depth -= *p == ')') > 0) {
		const char *end = regex_after_unit(p);

		depth += *p == '(' && end[-1] != ')';
		p = end;
	}
	return *p == ')' && memchr(p + 1, ',', strnlen(p + 1, SOON)) != NULL;
}

int
pattern_add_capture(struct pattern *p, struct arena *a,
    const struct format_source *src, const char *name, size_t offset,
    uint32_t group, struct error *e)
{
	struct capture *c = &p->captures[p->n_captures];
	const struct field_name *word = field_name_find(name, strlen(name));
	const char *at = pattern_place(p, offset);
	size_t skip = sizeof label_prefix - 1;

	c->group = group;
	c->group_name = name;
	if (word == NULL &&
	    (p->role == ROLE_LAYOUT || p->role == ROLE_METADATA) &&
	    strncmp(name, label_prefix, skip) == 0 && name[skip] != '\0') {
		c->word = &field_label;
		/* In metadata the prefix distinguishes a label from a key. */
		c->name = arena_strdup(
		    a, p->role == ROLE_METADATA ? name : name + skip);
	} else if (word == NULL) {
		return source_error(e, src, at,
		    "group '%s' is not a known name (see doc/formats.md)",
		    name);
	} else if (!(word->roles & FIELD_NAME_IN(p->role))) {
		return source_error(e, src, at,
		    "group '%s' may not stand in a %s pattern", name,
		    role_name(p->role));
	} else {
		c->word = word;
		c->name = word->name;
	}
	c->field = c->word->field;
	/* Values of objects and tables are already delimited. */
	c->comma = 1;
	p->n_captures++;
	return 0;
}

/* Find the named groups, in the order of their numbers. */
static int
find_captures(struct pattern *p, struct arena *a,
    const struct format_source *src, uint32_t n_groups, struct error *e)
{
	uint32_t n = 0, size = 0;
	const char *at = p->text;
	PCRE2_SPTR table = NULL;

	pcre2_pattern_info(p->code->code, PCRE2_INFO_NAMECOUNT, &n);
	pcre2_pattern_info(p->code->code, PCRE2_INFO_NAMEENTRYSIZE, &size);
	pcre2_pattern_info(p->code->code, PCRE2_INFO_NAMETABLE, &table);
	if (n > FORMAT_MAX_GROUPS)
		return source_error(e, src, p->at,
		    "pattern '%s' has %u named groups (at most %d)", p->name,
		    (unsigned)n, FORMAT_MAX_GROUPS);
	p->captures = arena_calloc(a, n, sizeof *p->captures);
	for (uint32_t group = 1; group <= n_groups; group++)
		for (uint32_t i = 0; i < n; i++) {
			PCRE2_SPTR row = table + i * size;
			const char *name = (const char *)row + 2;

			if ((uint32_t)(row[0] << 8 | row[1]) != group)
				continue;
			/* Its place in the text, for messages. */
			while ((at = strstr(at, name)) != NULL &&
			    !((at[-1] == '<' || at[-1] == '\'') &&
				(at[-2] == '?' || at[-2] == 'P') &&
				strchr(">'", at[strlen(name)]) != NULL))
				at++;
			if (pattern_add_capture(p, a, src,
				arena_strdup(a, name), (size_t)(at - p->text),
				group, e) != 0)
				return -1;
			at += strlen(name) + 1;
			p->captures[p->n_captures - 1].comma =
			    has_own_comma(at);
		}
	return 0;
}

/* True if "(?i)" or "(?i:" ignores case.  PCRE2 then reports the first byte in
 * one case only. */
static int
has_caseless(const char *text)
{
	while ((text = strstr(text, "(?")) != NULL) {
		size_t n;

		text += 2;
		n = strspn(text, "imnsxJU-^");
		if (memchr(text, 'i', n) != NULL &&
		    (text[n] == ')' || text[n] == ':'))
			return 1;
	}
	return 0;
}

int
pattern_compile(struct pattern *p, struct arena *a,
    const struct format_source *src, struct error *e)
{
	struct pattern_code *c = arena_calloc(a, 1, sizeof *c);
	uint32_t x = 0, n_groups = 0;
	int code;
	PCRE2_SIZE offset;
	PCRE2_UCHAR text[256];

	p->code = c;
	c->code = pcre2_compile((PCRE2_SPTR)p->text, strlen(p->text),
	    PCRE2_NEVER_BACKSLASH_C, &code, &offset, NULL);
	if (c->code == NULL) {
		pcre2_get_error_message(code, text, sizeof text);
		return source_error(e, src, pattern_place(p, offset),
		    "pattern '%s': %s", p->name, (const char *)text);
	}
	pcre2_pattern_info(c->code, PCRE2_INFO_CAPTURECOUNT, &n_groups);
	if (n_groups > FORMAT_MAX_ALL_GROUPS)
		return source_error(e, src, p->at,
		    "pattern '%s' has %u groups (at most %d)", p->name,
		    (unsigned)n_groups, FORMAT_MAX_ALL_GROUPS);
	pcre2_pattern_info(c->code, PCRE2_INFO_MATCHEMPTY, &x);
	if (x)
		return source_error(e, src, pattern_place(p, 0),
		    "pattern '%s' also matches an empty text", p->name);
	pcre2_pattern_info(c->code, PCRE2_INFO_ALLOPTIONS, &x);
	p->anchored = (x & PCRE2_ANCHORED) != 0;
	pcre2_pattern_info(c->code, PCRE2_INFO_MINLENGTH, &x);
	c->min_len = x;
	pcre2_pattern_info(c->code, PCRE2_INFO_FIRSTCODETYPE, &x);
	c->first = -1;
	if (x == 1 && !has_caseless(p->text)) {
		pcre2_pattern_info(c->code, PCRE2_INFO_FIRSTCODEUNIT, &x);
		c->first = (int)x;
	}
	p->moves_start = strstr(p->text, "\\K") != NULL;
	p->digit_insensitive = regex_is_digit_insensitive(p->text);
	p->n_literal = regex_find_literal(
	    p->text, p->literal, sizeof p->literal, &p->need);
	return find_captures(p, a, src, n_groups, e);
}

void
pattern_make_ready(const struct pattern *p)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct pattern_code *c = p->code;

	pthread_mutex_lock(&lock);
	if (!atomic_load_explicit(&c->ready, memory_order_relaxed)) {
		pcre2_jit_compile(c->code, PCRE2_JIT_COMPLETE);
		if (p->role != ROLE_PREFIX)
			c->metered = metered_code_new(p->text);
		atomic_store_explicit(&c->ready, 1, memory_order_release);
	}
	pthread_mutex_unlock(&lock);
}

void
pattern_release(struct pattern *p)
{
	if (p->code == NULL)
		return;
	pcre2_code_free(p->code->code);
	pcre2_code_free(p->code->metered);
	pcre2_code_free(p->code->traced);
	p->code = NULL;
}

/* --- Work ------------------------------------------------------------------*/

/* True if the quantifier in [q, end) is unlimited, or {n,m} with m of at least
 * MANY_TIMES. */
static int
is_open(const char *q, const char *end)
{
	enum { MANY_TIMES = 32 };
	const char *comma = memchr(q, ',', (size_t)(end - q));

	return *q == '*' || *q == '+' ||
	    (comma != NULL &&
		(comma[1] == '}' ||
		    strtoul(comma + 1, NULL, 10) >= MANY_TIMES));
}

void *
metered_code_new(const char *s)
{
	struct strbuf sb;
	void *metered = NULL;
	size_t n = 0;
	int code, least;
	PCRE2_SIZE at;

	if (strstr(s, "\\Q") != NULL || strstr(s, "(?#") != NULL ||
	    strstr(s, "(?x") != NULL)
		return NULL;
	strbuf_init(&sb, 8 * strlen(s) + 4096);
	while (*s != '\0') {
		const char *end = regex_after_unit(s);
		/* The opening of a group has no quantifier. */
		const char *after = *s == '(' && end[-1] != ')'
		    ? end
		    : regex_after_quantifier(end, &least);

		strbuf_add(&sb, s, (size_t)(after - s));
		if (after > end && is_open(end, after)) {
			strbuf_addstr(&sb, "(?C1)");
			n++;
		}
		s = after;
	}
	if (n > 0)
		metered =
		    pcre2_compile((PCRE2_SPTR)sb.buf, PCRE2_ZERO_TERMINATED,
			PCRE2_NEVER_BACKSLASH_C, &code, &at, NULL);
	strbuf_release(&sb);
	if (metered != NULL)
		pcre2_jit_compile(metered, PCRE2_JIT_COMPLETE);
	return metered;
}

int
work_meter_count(void *block, void *arg)
{
	const pcre2_callout_block *b = block;
	struct work_meter *w = arg;

	/* A callout of the pattern itself. */
	if (!w->counts)
		return 0;
	if (b->start_match != w->start)
		w->start = w->last = b->start_match;
	/* Moving back is free. */
	if (b->current_position > w->last)
		w->left -= (int64_t)(b->current_position - w->last);
	w->last = b->current_position;
	w->left -= METER_CALL;
	return w->left < 0 ? PCRE2_ERROR_CALLOUT : 0;
}
