/* The unit printed after a value in matches of steps and summaries.  A pattern
 * need not end with the unit, so another program's line with the same words
 * before its number would otherwise be read in the wrong unit. */
#include <config.h>

#include "extract/format/printed_unit.h"

#include <string.h>
#include <strings.h>

#include "extract/format/format.h"
#include "extract/format/patterns/regex_text.h"

enum { MAX_WORD = 16 };

struct unit_word {
	char word[MAX_WORD]; /* "": the end */
	enum printed_unit unit;
};

static const struct unit_word times[] = { { "s", UNIT_SECONDS },
	{ "sec", UNIT_SECONDS }, { "secs", UNIT_SECONDS },
	{ "second", UNIT_SECONDS }, { "seconds", UNIT_SECONDS },
	{ "ms", UNIT_MILLISECONDS }, { "msec", UNIT_MILLISECONDS },
	{ "msecs", UNIT_MILLISECONDS }, { "millisecond", UNIT_MILLISECONDS },
	{ "milliseconds", UNIT_MILLISECONDS }, { "us", UNIT_MICROSECONDS },
	{ "usec", UNIT_MICROSECONDS }, { "usecs", UNIT_MICROSECONDS },
	{ "microseconds", UNIT_MICROSECONDS }, { "", UNIT_OTHER } };

/* Counted quantities; a unit of seconds must follow. */
static const struct unit_word counted[] = { { "sample", UNIT_SAMPLES },
	{ "samples", UNIT_SAMPLES }, { "image", UNIT_SAMPLES },
	{ "images", UNIT_SAMPLES }, { "img", UNIT_SAMPLES },
	{ "imgs", UNIT_SAMPLES }, { "example", UNIT_SAMPLES },
	{ "examples", UNIT_SAMPLES }, { "sequence", UNIT_SAMPLES },
	{ "sequences", UNIT_SAMPLES }, { "seq", UNIT_SAMPLES },
	{ "seqs", UNIT_SAMPLES }, { "token", UNIT_TOKENS },
	{ "tokens", UNIT_TOKENS }, { "tok", UNIT_TOKENS },
	{ "toks", UNIT_TOKENS }, { "it", UNIT_ITERATIONS },
	{ "its", UNIT_ITERATIONS }, { "iter", UNIT_ITERATIONS },
	{ "iters", UNIT_ITERATIONS }, { "iteration", UNIT_ITERATIONS },
	{ "iterations", UNIT_ITERATIONS }, { "step", UNIT_ITERATIONS },
	{ "steps", UNIT_ITERATIONS }, { "batch", UNIT_ITERATIONS },
	{ "batches", UNIT_ITERATIONS }, { "request", UNIT_REQUESTS },
	{ "requests", UNIT_REQUESTS }, { "req", UNIT_REQUESTS },
	{ "reqs", UNIT_REQUESTS }, { "query", UNIT_REQUESTS },
	{ "queries", UNIT_REQUESTS }, { "infer", UNIT_REQUESTS },
	{ "inferences", UNIT_REQUESTS }, { "", UNIT_OTHER } };

static int
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Length of the word at the start of a text; 0: none, or too long. */
static size_t
word_length(const char *text, size_t len)
{
	size_t n = 0;

	while (n < len && n <= MAX_WORD && is_letter(text[n]))
		n++;
	return n <= MAX_WORD ? n : 0;
}

static enum printed_unit
find_word(const struct unit_word *words, const char *text, size_t len)
{
	const char first = (char)(len > 0 ? text[0] | 32 : 0);

	for (; words->word[0] != '\0'; words++)
		if (words->word[0] == first && len < MAX_WORD &&
		    words->word[len] == '\0' &&
		    strncasecmp(words->word, text, len) == 0)
			return words->unit;
	return UNIT_OTHER;
}

/* True for "/s", " / sec", " per second", "_per_sec"; not for milliseconds. */
static int
is_per_second(const char *text, size_t len)
{
	size_t at = 0;

	while (at < len && (text[at] == ' ' || text[at] == '_'))
		at++;
	if (at < len && text[at] == '/')
		at++;
	else if (len - at > 3 && strncasecmp(text + at, "per", 3) == 0)
		at += 3;
	else
		return 0;
	while (at < len && (text[at] == ' ' || text[at] == '_'))
		at++;
	return find_word(times, text + at, word_length(text + at, len - at)) ==
	    UNIT_SECONDS;
}

enum printed_unit
printed_unit_read(const char *text, size_t len)
{
	enum printed_unit unit;
	size_t at = 0, n;

	while (at < len && text[at] == ' ')
		at++;
	if (at < len && (text[at] == '(' || text[at] == '['))
		at++;
	n = word_length(text + at, len - at);
	if (n == 0)
		return UNIT_OTHER;
	if (n == 3 && strncasecmp(text + at, "qps", 3) == 0)
		return UNIT_REQUESTS;
	/* "12 s" and "12 s/it"; "12 it" states no time. */
	unit = find_word(times, text + at, n);
	if (unit != UNIT_OTHER)
		return unit;
	unit = find_word(counted, text + at, n);
	return is_per_second(text + at + n, len - at - n) ? unit : UNIT_OTHER;
}

/* Unit that the pattern expects. */
static enum printed_unit
expected_unit(const struct field_name *word)
{
	if ((word->value == FIELD_NAME_STEP_TIME ||
		word->value == FIELD_NAME_ELAPSED) &&
	    strcmp(word->name, "bar_time") != 0)
		return word->divisor < 10 ? UNIT_SECONDS
		    : word->divisor < 1e5 ? UNIT_MILLISECONDS
					  : UNIT_MICROSECONDS;
	if (word->value != FIELD_NAME_RATE || word->unit == NULL)
		return UNIT_OTHER;
	if (strcmp(word->unit, "tokens/s") == 0)
		return UNIT_TOKENS;
	if (strcmp(word->unit, "iterations/s") == 0)
		return UNIT_ITERATIONS;
	if (strcmp(word->unit, "samples/s") == 0 ||
	    strcmp(word->unit, "items/s") == 0 ||
	    strcmp(word->unit, "images/s") == 0 ||
	    strcmp(word->unit, "sequences/s") == 0)
		return UNIT_SAMPLES;
	return UNIT_OTHER;
}

/* Position in the text of a pattern (PCRE2), with the nesting of its groups. */
struct pattern_walk {
	const char *at;
	int depth;         /* open groups */
	int refused_depth; /* outermost open "(?!" or "(?<!"; 0: none */
};

/* Skip to the next literal letter: skip escapes, classes, openings and ends of
 * groups, other characters. */
static void
walk_to_letter(struct pattern_walk *w)
{
	while (*w->at != '\0' && !is_letter(*w->at)) {
		const char *p = w->at;

		if (*p == '\\' || *p == '[') {
			w->at = regex_after_unit(p);
		} else if (*p == '(') {
			w->depth++;
			if (w->refused_depth == 0 &&
			    (strncmp(p, "(?!", 3) == 0 ||
				strncmp(p, "(?<!", 4) == 0))
				w->refused_depth = w->depth;
			w->at++;
			/* The name of a group is not text. */
			if (strncmp(p, "(?<", 3) == 0 && is_letter(p[3]))
				w->at += strcspn(w->at, ">");
		} else {
			if (*p == ')' && w->depth-- == w->refused_depth)
				w->refused_depth = 0;
			w->at++;
		}
	}
}

/* Find the group of that name in a pattern, or NULL. */
static const char *
find_group(const char *pattern, const char *name)
{
	const size_t n = strlen(name);

	for (; (pattern = strstr(pattern, "(?<")) != NULL; pattern++)
		if (strncmp(pattern + 3, name, n) == 0 && pattern[3 + n] == '>')
			return pattern;
	return NULL;
}

/* True if the pattern has the unit's first word after the value: it was then
 * written for this unit, whatever the program means by it.  Negative
 * look-arounds do not count. */
static int
is_named(const struct pattern *p, const struct capture *c, const char *text,
    size_t len)
{
	struct pattern_walk w = { find_group(p->text, c->name), 0, 0 };
	size_t at = 0, n;

	while (at < len && !is_letter(text[at]))
		at++;
	n = word_length(text + at, len - at);
	if (w.at == NULL || n < 2)
		return 0;
	for (walk_to_letter(&w); *w.at != '\0'; walk_to_letter(&w)) {
		const char *word = w.at;

		while (is_letter(*w.at))
			w.at++;
		if ((size_t)(w.at - word) == n && w.refused_depth == 0 &&
		    strncmp(word, text + at, n) == 0)
			return 1;
	}
	return 0;
}

int
printed_unit_contradicts(const struct match *match)
{
	const struct pattern *p = match->pattern;

	if (p->role != ROLE_STEP && p->role != ROLE_SUMMARY)
		return 0;
	for (size_t i = 0; i < p->n_captures; i++) {
		const struct capture *c = &p->captures[i];
		const enum printed_unit want = expected_unit(c->word);
		enum printed_unit is;
		const char *text;
		size_t len, end;

		if (want == UNIT_OTHER ||
		    (text = match_text(match, c, &len)) == NULL)
			continue;
		end = (size_t)(text + len - match->text);
		is = printed_unit_read(match->text + end, match->len - end);
		if (is != UNIT_OTHER && is != want &&
		    !is_named(p, c, match->text + end, match->len - end))
			return 1;
	}
	return 0;
}
