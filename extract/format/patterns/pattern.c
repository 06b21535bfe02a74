/* A regular expression with its groups: compilation, to machine code if
 * possible, properties for the scanner, and the count of its work. */
#include <config.h>

#include "extract/format/patterns/pattern.h"

#include <assert.h>
#include <ctype.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

int
text_has_digit(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (text_is_digit(s[i]))
			return 1;
	return 0;
}

int
text_has_free_digit(const char *text, size_t len)
{
	int held = 0;

	for (size_t i = 0; i < len; i++) {
		if (text_is_digit(text[i]) && !held)
			return 1;
		if (!text_is_digit(text[i]))
			held = text_holds_digits(text[i]);
	}
	return 0;
}

/* --- Units -----------------------------------------------------------------*/

/* Position after the first c at or after p, or the end of the text. */
static const char *
after_byte(const char *p, char c)
{
	const char *at = strchr(p, c);

	return at != NULL ? at + 1 : p + strlen(p);
}

static const char *
after_escape(const char *p)
{
	size_t n;

	if (p[1] == '\0')
		return p + 1;
	if (p[2] == '{' && strchr("xpPogNk", p[1]) != NULL)
		return after_byte(p, '}');
	/* A group by name: \k<name>, \g'name'. */
	if ((p[1] == 'k' || p[1] == 'g') && (p[2] == '<' || p[2] == '\''))
		return after_byte(p + 3, p[2] == '<' ? '>' : '\'');
	n = strspn(p + 2, "0123456789abcdefABCDEF");
	if (p[1] == 'x')
		return p + 2 + (n < 2 ? n : 2);
	if (p[1] == 'g' || text_is_digit(p[1]))
		return p + 2 + strspn(p + 2, "0123456789");
	return p + 2;
}

static const char *
after_class(const char *p)
{
	p += p[1] == '^' ? 2 : 1;
	if (*p == ']')
		p++;
	while (*p != '\0' && *p != ']') {
		if (*p == '[' && p[1] == ':' && strstr(p, ":]") != NULL)
			p = strstr(p, ":]") + 2;
		else
			p = *p == '\\' ? after_escape(p) : p + 1;
	}
	return *p == ']' ? p + 1 : p;
}

/* Position after "(", "(?:", "(?<name>", "(?i)", "(*VERB)" or another opening;
 * after "(?" if it is none of these. */
static const char *
after_opening(const char *p)
{
	const char *name, *end;

	if (p[1] == '*')
		return after_byte(p, ')');
	if (p[1] != '?')
		return p + 1;
	if (p[2] != '\0' && strchr(":=!>|", p[2]) != NULL)
		return p + 3;
	if (p[2] == '<' && (p[3] == '=' || p[3] == '!'))
		return p + 4;
	name = p + 2 + (p[2] == 'P');
	if (*name == '<' || *name == '\'')
		return after_byte(name + 1, *name == '<' ? '>' : '\'');
	end = p + 2 + strspn(p + 2, "imnsxJU-^");
	return end > p + 2 && (*end == ')' || *end == ':') ? end + 1 : p + 2;
}

const char *
regex_after_unit(const char *p)
{
	return *p == '\\' ? after_escape(p)
	    : *p == '['   ? after_class(p)
	    : *p == '('   ? after_opening(p)
			  : p + 1;
}

/* True if the unit in [p, end) opens a group; options and verbs end with the
 * unit. */
static int
opens_group(const char *p, const char *end)
{
	return *p == '(' && end[-1] != ')';
}

/* Position after the unit at p, or after the group that it opens. */
static const char *
after_item(const char *p)
{
	const char *end = regex_after_unit(p);
	size_t depth = opens_group(p, end);

	while (depth > 0 && *end != '\0') {
		p = end;
		end = regex_after_unit(p);
		depth += (size_t)opens_group(p, end) - (*p == ')');
	}
	return end;
}

/* Position after the quantifier at p, or p if there is none.
 *
 * least  out: least number of repetitions: 0 or 1; 2: 1 with more possible */
static const char *
regex_after_quantifier(const char *p, int *least)
{
	const char *end;

	*least = 1;
	if (*p == '?' || *p == '*') {
		*least = 0;
	} else if (*p == '+') {
		*least = 2;
	} else if (*p == '{') {
		end = p + 1 + strspn(p + 1, "0123456789,");
		if (*end != '}' || end == p + 1)
			return p; /* a brace */
		*least = p[1] == '0' || p[1] == ',' ? 0 : 2;
		p = end;
	} else {
		return p;
	}
	p++;
	return *p == '?' || *p == '+' ? p + 1 : p;
}

/* --- Digits ----------------------------------------------------------------*/

static int
is_known_escape(const char *p)
{
	const char c = p[1];

	if (c == '\0' || ((unsigned char)c & 0x80) != 0 || text_is_digit(c))
		return 0;
	return !text_holds_digits(c) || c == '_' || c == '@' ||
	    strchr("dDsSwWbBhHvVtrnAzZK", c) != NULL;
}

/* True if the character class in [p, end) has all digits or none. */
static int
is_even_class(const char *p, const char *end)
{
	for (p++; p < end - 1; p++) {
		if (strncmp(p, "0-9", 3) == 0)
			p += 2;
		else if (text_is_digit(*p) ||
		    (*p == '[' && strchr(":.=", p[1]) != NULL) ||
		    (*p == '\\' && !is_known_escape(p)))
			return 0;
		else if (*p == '\\')
			p++;
	}
	return *p == ']';
}

/* True if the opening in [p, end) treats digits alike. */
static int
is_known_opening(const char *p, const char *end)
{
	if (p[1] == '*')
		return strncmp(p, "(*MARK:", 7) == 0;
	return p[1] != '?' || p[2] == '<' ||
	    (end == p + 3 && strchr(":=!>|", p[2]) != NULL) ||
	    (end == p + 4 && (p[2] == 'i' || p[2] == 'J'));
}

int
regex_is_digit_insensitive(const char *p)
{
	const char *end;
	int held = 0; /* 1: the character before p holds digits */

	for (; *p != '\0'; p = end) {
		const size_t n = strspn(p + 1, "0123456789,");

		end = regex_after_unit(p);
		if (text_is_digit(*p) && !held)
			return 0;
		if (text_is_digit(*p))
			continue;
		held = text_holds_digits(*p);
		if ((*p == '\\' && !is_known_escape(p)) ||
		    (*p == '[' && !is_even_class(p, end)) ||
		    (*p == '(' && !is_known_opening(p, end)))
			return 0;
		if (*p == '{' && p[1 + n] == '}')
			end = p + n + 2;
	}
	return 1;
}

/* --- Literals --------------------------------------------------------------*/

void
text_set_add_text(struct text_set *set, const char *s, size_t len)
{
	unsigned before = 0;

	for (size_t i = 0; i < len; i++) {
		const unsigned c = text_digits_as_one(s[i]);

		text_set_add(set, before, c);
		before = c;
	}
}

void
text_set_keep(struct text_set *set, const struct text_set *other)
{
	for (int i = 0; i < TEXT_SET_WORDS; i++)
		set->bits[i] &= other->bits[i];
}

void
text_set_add_set(struct text_set *set, const struct text_set *other)
{
	for (int i = 0; i < TEXT_SET_WORDS; i++)
		set->bits[i] |= other->bits[i];
}

/* State of a walk through an expression: current and longest run of bytes. */
struct literal_walk {
	char *best; /* [n_best] */
	size_t n_best, max;
	char run[64]; /* [n] */
	size_t n;
	struct text_set *need;
	unsigned before; /* preceding byte; 0: any */
	int lost;        /* 1: the expression is not understood */
};

/* End the text.
 *
 * before  preceding byte of the next text */
static void
end_run(struct literal_walk *w, unsigned before)
{
	if (w->n > w->n_best) {
		memcpy(w->best, w->run, w->n);
		w->n_best = w->n;
	}
	w->n = 0;
	w->before = before;
}

static void
add_need(struct literal_walk *w, char byte)
{
	const unsigned c = text_digits_as_one(byte);

	text_set_add(w->need, w->before, c);
	w->before = c;
}

/* The single byte of an escape; 0: none, or a class. */
static char
escaped_byte(const char *p)
{
	static const char letters[] = "tnrfae", bytes[] = "\t\n\r\f\a\033";
	const char *at = p[1] != '\0' ? strchr(letters, p[1]) : NULL;

	if (at != NULL)
		return bytes[at - letters];
	return isalnum((unsigned char)p[1]) ? (char)0 : p[1];
}

/* True if the class or escape in [p, end) matches digits only. */
static int
is_digit_class(const char *p, const char *end)
{
	size_t n;

	if (p[0] != '[')
		return end == p + 2 && memcmp(p, "\\d", 2) == 0;
	n = (size_t)(end - p) - 2;
	return n > 0 && end[-1] == ']' && p[1] != '-' && p[n] != '-' &&
	    strspn(p + 1, "0123456789-") == n;
}

static void walk(struct literal_walk *w, const char *p, const char *end);

/* Walk the group in [p, end). */
static void
walk_group(struct literal_walk *w, const char *p, const char *end, int least)
{
	const char *inside = regex_after_unit(p);

	if (p[1] == '*' || inside[-1] == '=' || inside[-1] == '!')
		return; /* verbs and look-arounds consume no text */
	if (strncmp(p, "(?i:", 4) == 0) {
		end_run(w, 0); /* bytes in either case: not known */
		return;
	}
	/* Options, conditions, atomic groups. */
	if (p[1] == '?' && p[2] != ':' && p[2] != '<') {
		w->lost = 1;
		return;
	}
	if (least > 0)
		walk(w, inside, end - 1);
	if (least != 1)
		end_run(w, 0);
}

/* Walk a literal byte or a class in [p, end). */
static void
walk_item(struct literal_walk *w, const char *p, const char *end, int least)
{
	char byte = *p == '.' ? 0 : *p;

	if (*p == '\\') {
		byte = escaped_byte(p);
		w->lost |= p[1] != '\0' && p[2] != '{' &&
		    strchr("QEcopP", p[1]) != NULL;
	} else if (*p == '[') {
		byte = end == p + 3 && p[1] != '^' && p[1] != '\\' ? p[1] : 0;
	}
	if (is_digit_class(p, end) && least > 0) {
		end_run(w, w->before);
		add_need(w, '0');
	} else if (byte == 0 || least == 0) {
		end_run(w, 0);
	} else {
		if (w->n == w->max)
			end_run(w, w->before);
		w->run[w->n++] = byte;
		add_need(w, byte);
		if (least == 2)
			end_run(w, w->before);
	}
}

/* End of the alternative that begins at p: its '|', or end. */
static const char *
alternative_end(const char *p, const char *end)
{
	while (p < end && *p != '|')
		p = after_item(p);
	return p < end ? p : end;
}

static void
walk(struct literal_walk *w, const char *p, const char *end)
{
	const char *to = alternative_end(p, end);
	struct text_set common;

	/* Only bytes in all alternatives are required. */
	if (to < end) {
		memset(&common, 0xff, sizeof common);
		end_run(w, 0);
		for (;; p = to + 1) {
			struct text_set one = { { 0 } };
			char best[sizeof w->run];
			struct literal_walk x = {
				.best = best, .max = sizeof best, .need = &one
			};

			to = alternative_end(p, end);
			walk(&x, p, to);
			w->lost |= x.lost;
			text_set_keep(&common, &one);
			if (to == end)
				break;
		}
		text_set_add_set(w->need, &common);
		return;
	}
	while (p < end && !w->lost) {
		const char *after;
		int least;

		to = after_item(p);
		after = regex_after_quantifier(to, &least);
		if (*p == '(')
			walk_group(w, p, to, least);
		else if (*p != '^' && *p != '$' &&
		    (*p != '\\' || p[1] == '\0' ||
			strchr("bBAzZGK", p[1]) == NULL))
			walk_item(w, p, to, least);
		p = after;
	}
}

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
		    "group '%s' is not allowed in a %s pattern", name,
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
	enum { SOON = 8 };
	uint32_t n = 0, size = 0;
	const char *at = p->text, *inside;
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
			/* A comma that soon follows the group is not part of
			 * the number. */
			inside = at += strlen(name) + 1;
			while (*inside != '\0' && *inside != ')')
				inside = after_item(inside);
			p->captures[p->n_captures - 1].comma = *inside == ')' &&
			    memchr(inside + 1, ',', strnlen(inside + 1, SOON));
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
	struct literal_walk w = {
		.best = p->literal, .max = sizeof p->literal, .need = &p->need
	};
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
	/* The longest text and the bytes that every match contains; none if the
	 * expression is not understood. */
	walk(&w, p->text, p->text + strlen(p->text));
	end_run(&w, 0);
	p->n_literal = w.lost ? 0 : w.n_best;
	if (w.lost)
		memset(&p->need, 0, sizeof p->need);
	return find_captures(p, a, src, n_groups, e);
}

/* Slow path of pattern_code. */
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

void *
metered_code_new(const char *s)
{
	enum { MANY_TIMES = 32 };
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
		const char *after = opens_group(s, end)
		    ? end
		    : regex_after_quantifier(end, &least);
		const char *comma = memchr(end, ',', (size_t)(after - end));

		strbuf_add(&sb, s, (size_t)(after - s));
		/* The quantifier is unlimited, or {n,m} with a large m. */
		if (after > end &&
		    (*end == '*' || *end == '+' ||
			(comma != NULL &&
			    (comma[1] == '}' ||
				strtoul(comma + 1, NULL, 10) >= MANY_TIMES)))) {
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
	w->left--; /* the callout itself */
	return w->left < 0 ? PCRE2_ERROR_CALLOUT : 0;
}
