/* One regular expression with its groups: compiled, to machine code when
 * that pays, and with what the scanner wants to know of it. */
#include <config.h>

#include "extract/format/patterns/pattern.h"

#include "common/strbuf.h"
#include "extract/format/patterns/digit_insensitive.h"
#include "extract/format/patterns/work_meter.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Free labels of layouts and metadata: label_fusion gives the label "fusion".
 */
static const char label_prefix[] = "label_";

/* The line-th line of src, or an empty one after its end. */
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

/* Offset in p->text of the definition of the group called name; 0 if it is
 * written in a way that we do not know. */
static size_t
group_offset(const struct pattern *p, const char *name)
{
	size_t len = strlen(name);
	const char *at = p->text;

	while ((at = strstr(at, name)) != NULL) {
		if (at > p->text && (at[-1] == '<' || at[-1] == '\'') &&
		    (at[len] == '>' || at[len] == '\''))
			return (size_t)(at - p->text);
		at++;
	}
	return 0;
}

/* After the group whose inside begins at p; the end of the text if it does
 * not end. */
static const char *
group_end(const char *p)
{
	int depth = 1, class = 0;

	for (; *p != '\0' && depth > 0; p++) {
		if (*p == '\\' && p[1] != '\0')
			p++;
		else if (class)
			class = *p != ']';
		else if (*p == '[')
			class = 1;
		else
			depth += (*p == '(') - (*p == ')');
	}
	return p;
}

/* Is there a comma soon after some group called name, so that one after what
 * it catches is none of the number's? */
static int
has_own_comma(const struct pattern *p, const char *name)
{
	enum { SOON = 8 };
	const size_t len = strlen(name);
	const char *at = p->text;

	while ((at = strstr(at, name)) != NULL) {
		const char *end = at += len;

		if (*at != '>' && *at != '\'')
			continue;
		end = group_end(at);
		if (memchr(end, ',', strnlen(end, SOON)) != NULL)
			return 1;
	}
	return 0;
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
pattern_captures_nothing(
    const struct pattern *p, const struct format_source *src, struct error *e)
{
	return source_error(
	    e, src, p->line, 1, "pattern '%s' captures nothing", p->name);
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
	if (word == NULL &&
	    (p->role == ROLE_LAYOUT || p->role == ROLE_METADATA) &&
	    strncmp(name, label_prefix, skip) == 0 && name[skip] != '\0') {
		c->word = &field_label;
		/* Among metadata the prefix distinguishes a label from a key.
		 */
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
	/* Of an object or a table the values are divided already. */
	c->comma = p->code == NULL || has_own_comma(p, name);
	p->n_captures++;
	return 0;
}

static int
compare_captures(const void *a, const void *b)
{
	const struct capture *x = a, *y = b;

	return x->group < y->group ? -1 : x->group > y->group;
}

static int
find_captures(struct pattern *p, struct arena *a,
    const struct format_source *src, struct error *e)
{
	uint32_t n = 0, size = 0;
	PCRE2_SPTR table = NULL;

	pcre2_pattern_info(p->code, PCRE2_INFO_NAMECOUNT, &n);
	pcre2_pattern_info(p->code, PCRE2_INFO_NAMEENTRYSIZE, &size);
	pcre2_pattern_info(p->code, PCRE2_INFO_NAMETABLE, &table);
	if (n > FORMAT_MAX_GROUPS)
		return source_error(e, src, p->line, 1,
		    "pattern '%s' has %u named groups; %d are the most",
		    p->name, (unsigned)n, FORMAT_MAX_GROUPS);
	p->captures = arena_calloc(a, n, sizeof *p->captures);
	for (uint32_t i = 0; i < n; i++) {
		PCRE2_SPTR row = table + i * size;
		const char *name = (const char *)row + 2;

		if (pattern_add_capture(p, a, src, name, group_offset(p, name),
			(uint32_t)(row[0] << 8 | row[1]), e) != 0)
			return -1;
	}
	/* PCRE2 sorts them by name; we want the order of the pattern. */
	if (n > 0)
		qsort(p->captures, p->n_captures, sizeof *p->captures,
		    compare_captures);
	return 0;
}

/* Does some "(?i)" or "(?i:" switch the case off?  PCRE2 then reports the first
 * byte in one case only. */
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

/* What the scanner wants to know of a text. */
static void
find_text_properties(struct pattern *p)
{
	p->moves_start = strstr(p->text, "\\K") != NULL;
	p->digit_insensitive = digit_insensitive(p->text);
}

/* What the scanner wants to know of compiled code. */
static void
find_properties(struct pattern *p)
{
	uint32_t x = 0, unit = 0;

	pcre2_pattern_info(p->code, PCRE2_INFO_CAPTURECOUNT, &p->n_groups);
	pcre2_pattern_info(p->code, PCRE2_INFO_ALLOPTIONS, &x);
	p->anchored = (x & PCRE2_ANCHORED) != 0;
	pcre2_pattern_info(p->code, PCRE2_INFO_MINLENGTH, &x);
	p->min_len = x;
	p->first = -1;
	if (!has_caseless(p->text) &&
	    pcre2_pattern_info(p->code, PCRE2_INFO_FIRSTCODETYPE, &x) == 0 &&
	    x == 1 &&
	    pcre2_pattern_info(p->code, PCRE2_INFO_FIRSTCODEUNIT, &unit) == 0)
		p->first = (int)unit;
	find_text_properties(p);
}

static pthread_mutex_t pattern_lock = PTHREAD_MUTEX_INITIALIZER;

int
pattern_speed(const struct pattern *p)
{
	struct pattern_speed *s = p->speed;

	/* A copy, because threads may be matching with the code itself. */
	pthread_mutex_lock(&pattern_lock);
	if (atomic_load_explicit(&s->made, memory_order_relaxed) == 0) {
		s->code = pcre2_code_copy(p->code);
		atomic_store_explicit(&s->made,
		    s->code != NULL &&
			    pcre2_jit_compile(s->code, PCRE2_JIT_COMPLETE) == 0
			? 1
			: 2,
		    memory_order_release);
	}
	pthread_mutex_unlock(&pattern_lock);
	return atomic_load_explicit(&s->made, memory_order_relaxed) == 1;
}

const struct metered_pattern *
pattern_metered(const struct pattern *p)
{
	struct pattern_speed *s = p->speed;

	if (atomic_load_explicit(&s->is_metered, memory_order_acquire))
		return s->metered;
	pthread_mutex_lock(&pattern_lock);
	if (!atomic_load_explicit(&s->is_metered, memory_order_relaxed)) {
		s->metered = metered_pattern_new(p->text, 1);
		atomic_store_explicit(&s->is_metered, 1, memory_order_release);
	}
	pthread_mutex_unlock(&pattern_lock);
	return s->metered;
}

int
pattern_compile(struct pattern *p, struct arena *a,
    const struct format_source *src, struct error *e)
{
	int code;
	uint32_t empty = 0;
	PCRE2_SIZE offset;
	PCRE2_UCHAR text[256];
	long line, col;

	p->code = pcre2_compile((PCRE2_SPTR)p->text, strlen(p->text),
	    PCRE2_NEVER_BACKSLASH_C, &code, &offset, NULL);
	if (p->code == NULL) {
		pcre2_get_error_message(code, text, sizeof text);
		pattern_place(p, offset, &line, &col);
		return source_error(e, src, line, col, "pattern '%s': %s",
		    p->name, (const char *)text);
	}
	p->speed = arena_alloc(a, sizeof *p->speed);
	atomic_init(&p->speed->made, 0);
	atomic_init(&p->speed->asks, 0);
	atomic_init(&p->speed->is_metered, 0);
	p->speed->metered = NULL;
	find_properties(p);
	if (p->n_groups > FORMAT_MAX_ALL_GROUPS)
		return source_error(e, src, p->line, 1,
		    "pattern '%s' has %u groups; %d are the most", p->name,
		    (unsigned)p->n_groups, FORMAT_MAX_ALL_GROUPS);
	pcre2_pattern_info(p->code, PCRE2_INFO_MATCHEMPTY, &empty);
	if (empty) {
		pattern_place(p, 0, &line, &col);
		return source_error(e, src, line, col,
		    "pattern '%s' also matches an empty text", p->name);
	}
	return find_captures(p, a, src, e);
}

/* A pattern that waits until it is asked. */
struct pattern_later {
	struct format_source src;
	atomic_int done;     /* 1: made is; 2: there is a problem */
	struct arena arena;  /* of made */
	struct pattern made; /* compiled */
	struct error problem;
};

int
pattern_compile_later(struct pattern *p, struct arena *a,
    const struct format_source *src, struct error *e)
{
	(void)e;
	p->later = arena_alloc(a, sizeof *p->later);
	p->later->src = *src;
	atomic_init(&p->later->done, 0);
	p->first = -1;
	find_text_properties(p);
	return 0;
}

/* Compile a pattern that may be asked.  Returns 0 or -1. */
static int
make_now(const struct pattern *p)
{
	struct pattern_later *l = p->later;
	struct error e = ERROR_INIT;

	l->made = *p;
	l->made.later = NULL;
	if (pattern_compile(&l->made, &l->arena, &l->src, &e) == 0 &&
	    p->n_gives + l->made.n_captures == 0)
		pattern_captures_nothing(p, &l->src, &e);
	l->problem = e;
	return e.code == ERROR_NONE ? 0 : -1;
}

const struct pattern *
pattern_make(const struct pattern *p)
{
	struct pattern_later *l = p->later;
	int done = atomic_load_explicit(&l->done, memory_order_acquire);

	if (done == 0) {
		pthread_mutex_lock(&pattern_lock);
		done = atomic_load_explicit(&l->done, memory_order_relaxed);
		if (done == 0) {
			done = make_now(p) == 0 ? 1 : 2;
			atomic_store_explicit(
			    &l->done, done, memory_order_release);
		}
		pthread_mutex_unlock(&pattern_lock);
	}
	return done == 1 ? &l->made : NULL;
}

const struct error *
pattern_problem(const struct pattern *p)
{
	return p->later != NULL &&
		atomic_load_explicit(&p->later->done, memory_order_acquire) == 2
	    ? &p->later->problem
	    : NULL;
}

void
pattern_release(struct pattern *p)
{
	if (p->later != NULL) {
		pattern_release(&p->later->made);
		arena_release(&p->later->arena);
		p->later = NULL;
	}
	pcre2_code_free(p->code);
	if (p->speed != NULL) {
		pcre2_code_free(p->speed->code);
		metered_pattern_free(p->speed->metered);
	}
	p->code = NULL;
	p->speed = NULL;
}
