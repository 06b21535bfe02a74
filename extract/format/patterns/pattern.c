/* A regular expression with its groups: compilation, to machine code if
 * possible, and properties for the scanner. */
#include <config.h>

#include "extract/format/patterns/pattern.h"

#include "common/strbuf.h"
#include "common/alloc.h"
#include "extract/format/patterns/regex_text.h"
#include "extract/format/patterns/work_meter.h"

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

/* Line number `line` of src; empty after the end. */
static const char *
source_line(const struct format_source *src, long line, size_t *len)
{
	const char *p = src->text, *end = src->text + src->len, *nl;

	for (;;) {
		nl = memchr(p, '\n', (size_t)(end - p));
		if (line-- == 1 || nl == NULL)
			break;
		p = nl + 1;
	}
	*len = (size_t)((nl != NULL ? nl : end) - p);
	if (*len > 0 && p[*len - 1] == '\r')
		--*len;
	/* A NUL would end the message. */
	if (memchr(p, '\0', *len) != NULL)
		*len = strlen(p);
	return p;
}

int
source_error(struct error *e, const struct format_source *src, long line,
    long col, const char *fmt, ...)
{
	char text[ERROR_MESSAGE_SIZE / 2];
	const char *at;
	size_t len;
	va_list ap;

	if (e == NULL)
		return -1;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	error_at(e, ERROR_INPUT, src->path, line, col, "%s", text);
	at = source_line(src, line, &len);
	return error_caret(e, at, len, col);
}

void
pattern_place(const struct pattern *p, size_t offset, long *line, long *col)
{
	size_t i = p->n_pieces - 1;

	assert(p->n_pieces > 0);
	while (i > 0 && p->pieces[i].offset > offset)
		i--;
	*line = p->pieces[i].line;
	*col = p->pieces[i].col + (long)(offset - p->pieces[i].offset);
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

	while (*p != '\0' && *p != ')')
		p = regex_skip_piece(p);
	return *p == ')' && memchr(p + 1, ',', strnlen(p + 1, SOON)) != NULL;
}

static int
group_error(const struct pattern *p, const char *name, size_t offset,
    const struct format_source *src, struct error *e, const char *what)
{
	long line, col;

	pattern_place(p, offset, &line, &col);
	return source_error(e, src, line, col, "group '%s' %s", name, what);
}

int
pattern_add_capture(struct pattern *p, struct arena *a,
    const struct format_source *src, const char *name, size_t offset,
    uint32_t group, struct error *e)
{
	struct capture *c = &p->captures[p->n_captures];
	const struct field_name *word = field_name_find(name, strlen(name));
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
		return group_error(p, name, offset, src, e,
		    "is not in the vocabulary (see doc/formats.md)");
	} else if (!(word->roles & FIELD_NAME_IN(p->role))) {
		char what[64];

		snprintf(what, sizeof what, "may not stand in a %s pattern",
		    role_name(p->role));
		return group_error(p, name, offset, src, e, what);
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

/* Find the named groups in the text, in order. */
static int
find_captures(struct pattern *p, struct arena *a,
    const struct format_source *src, struct error *e)
{
	const char *at = p->text, *name;
	size_t len, n = 0;

	while (regex_next_name(&at, &len) != NULL)
		n++;
	if (n > FORMAT_MAX_GROUPS)
		return source_error(e, src, p->line, 1,
		    "pattern '%s' has %zu named groups; %d are the most",
		    p->name, n, FORMAT_MAX_GROUPS);
	p->captures = arena_calloc(a, n, sizeof *p->captures);
	at = p->text;
	while ((name = regex_next_name(&at, &len)) != NULL) {
		if (pattern_add_capture(p, a, src, arena_strndup(a, name, len),
			(size_t)(name - p->text), 0, e) != 0)
			return -1;
		p->captures[p->n_captures - 1].comma = has_own_comma(at);
	}
	return 0;
}

/* Set the group numbers of the captures: the k-th group of a name has its k-th
 * number. */
static void
number_captures(const struct pattern *p)
{
	uint32_t n = 0, size = 0;
	PCRE2_SPTR table = NULL;

	pcre2_pattern_info(p->code->code, PCRE2_INFO_NAMECOUNT, &n);
	pcre2_pattern_info(p->code->code, PCRE2_INFO_NAMEENTRYSIZE, &size);
	pcre2_pattern_info(p->code->code, PCRE2_INFO_NAMETABLE, &table);
	for (size_t i = 0; i < p->n_captures; i++) {
		struct capture *c = &p->captures[i];
		size_t k = 0;

		for (size_t j = 0; j < i; j++)
			k += strcmp(p->captures[j].group_name, c->group_name) ==
			    0;
		/* "(?|" has one number for several groups: read one. */
		c->group = UINT32_MAX;
		for (uint32_t j = 0; j < n; j++) {
			PCRE2_SPTR row = table + j * size;

			if (strcmp((const char *)row + 2, c->group_name) == 0 &&
			    k-- == 0)
				c->group = (uint32_t)(row[0] << 8 | row[1]);
		}
	}
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

/* Set the properties of the compiled code that the matcher uses. */
static void
find_properties(const struct pattern *p)
{
	struct pattern_code *c = p->code;
	uint32_t x = 0, unit = 0;

	pcre2_pattern_info(c->code, PCRE2_INFO_MINLENGTH, &x);
	c->min_len = x;
	c->first = -1;
	if (!has_caseless(p->text) &&
	    pcre2_pattern_info(c->code, PCRE2_INFO_FIRSTCODETYPE, &x) == 0 &&
	    x == 1 &&
	    pcre2_pattern_info(c->code, PCRE2_INFO_FIRSTCODEUNIT, &unit) == 0)
		c->first = (int)unit;
}

static int
compile(const struct pattern *p, struct error *e)
{
	struct pattern_code *c = p->code;
	uint32_t empty = 0, n_groups = 0;
	int code;
	PCRE2_SIZE offset;
	PCRE2_UCHAR text[256];
	long line, col;

	c->code = pcre2_compile((PCRE2_SPTR)p->text, strlen(p->text),
	    PCRE2_NEVER_BACKSLASH_C, &code, &offset, NULL);
	if (c->code == NULL) {
		pcre2_get_error_message(code, text, sizeof text);
		pattern_place(p, offset, &line, &col);
		return source_error(e, &c->src, line, col, "pattern '%s': %s",
		    p->name, (const char *)text);
	}
	pcre2_pattern_info(c->code, PCRE2_INFO_CAPTURECOUNT, &n_groups);
	if (n_groups > FORMAT_MAX_ALL_GROUPS)
		return source_error(e, &c->src, p->line, 1,
		    "pattern '%s' has %u groups; %d are the most", p->name,
		    (unsigned)n_groups, FORMAT_MAX_ALL_GROUPS);
	pcre2_pattern_info(c->code, PCRE2_INFO_MATCHEMPTY, &empty);
	if (empty) {
		pattern_place(p, 0, &line, &col);
		return source_error(e, &c->src, line, col,
		    "pattern '%s' also matches an empty text", p->name);
	}
	find_properties(p);
	number_captures(p);
	c->is_fast = pcre2_jit_compile(c->code, PCRE2_JIT_COMPLETE) == 0;
	return 0;
}

static pthread_mutex_t pattern_lock = PTHREAD_MUTEX_INITIALIZER;

struct pattern_code *
pattern_make(const struct pattern *p)
{
	struct pattern_code *c = p->code;
	int state;

	pthread_mutex_lock(&pattern_lock);
	state = atomic_load_explicit(&c->state, memory_order_relaxed);
	if (state == 0) {
		struct error e = ERROR_INIT;

		state = compile(p, &e) == 0 ? 1 : 2;
		if (state == 2) {
			c->problem = xmalloc(sizeof e);
			*c->problem = e;
		}
		atomic_store_explicit(&c->state, state, memory_order_release);
	}
	pthread_mutex_unlock(&pattern_lock);
	return state == 1 ? c : NULL;
}

const struct error *
pattern_problem(const struct pattern *p)
{
	return p->code != NULL ? p->code->problem : NULL;
}

int
pattern_captures_nothing(
    const struct pattern *p, const struct format_source *src, struct error *e)
{
	/* A group without its ')' captures nothing: report that mistake
	 * instead. */
	if (p->code != NULL && pattern_code(p) == NULL) {
		if (e != NULL)
			*e = *pattern_problem(p);
		return -1;
	}
	return source_error(
	    e, src, p->line, 1, "pattern '%s' captures nothing", p->name);
}

const struct metered_pattern *
pattern_metered(const struct pattern *p)
{
	struct pattern_code *c = p->code;

	if (atomic_load_explicit(&c->is_metered, memory_order_acquire))
		return c->metered;
	pthread_mutex_lock(&pattern_lock);
	if (!atomic_load_explicit(&c->is_metered, memory_order_relaxed)) {
		c->metered = metered_pattern_new(p->text);
		atomic_store_explicit(&c->is_metered, 1, memory_order_release);
	}
	pthread_mutex_unlock(&pattern_lock);
	return c->metered;
}

int
pattern_read(struct pattern *p, struct arena *a,
    const struct format_source *src, struct error *e)
{
	if (p->code == NULL) {
		p->code = arena_calloc(a, 1, sizeof *p->code);
		p->code->src = *src;
	}
	p->anchored = regex_is_anchored(p->text);
	p->moves_start = strstr(p->text, "\\K") != NULL;
	p->digit_insensitive = regex_is_digit_insensitive(p->text);
	p->n_literal = regex_find_literal(
	    p->text, p->literal, sizeof p->literal, &p->need);
	return find_captures(p, a, src, e);
}

int
pattern_compile(struct pattern *p, struct arena *a,
    const struct format_source *src, struct error *e)
{
	if (pattern_read(p, a, src, e) != 0)
		return -1;
	if (pattern_code(p) != NULL)
		return 0;
	if (e != NULL)
		*e = *pattern_problem(p);
	return -1;
}

void
pattern_release(struct pattern *p)
{
	if (p->code == NULL)
		return;
	pcre2_code_free(p->code->code);
	metered_pattern_free(p->code->metered);
	free(p->code->problem);
	p->code = NULL;
}
