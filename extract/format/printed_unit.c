/* The unit printed after a value in matches of steps and summaries.  A pattern
 * need not end with the unit, so another program's line with the same words
 * before its number would otherwise be read in the wrong unit. */
#include <config.h>

#include "extract/format/matcher.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "extract/format/format.h"
#include "extract/format/patterns/pattern.h"
#include "extract/log/words.h"

/* Units of printed values; UNIT_OTHER: none, or unknown. */
enum printed_unit {
	UNIT_OTHER,
	UNIT_SECONDS, /* also per iteration, per sample */
	UNIT_MILLISECONDS,
	UNIT_MICROSECONDS,
	UNIT_SAMPLES, /* per second: images, sequences, ... */
	UNIT_TOKENS,
	UNIT_ITERATIONS,
	UNIT_REQUESTS
};

enum { MAX_WORD = 16 };

struct unit_words {
	const char *words; /* separated by '|' */
	enum printed_unit unit;
};

static const struct unit_words times[] = {
	{ "s|sec|secs|second|seconds", UNIT_SECONDS },
	{ "ms|msec|msecs|millisecond|milliseconds", UNIT_MILLISECONDS },
	{ "us|usec|usecs|microseconds", UNIT_MICROSECONDS },
	{ NULL, UNIT_OTHER },
};

/* Counted quantities; a unit of seconds must follow. */
static const struct unit_words counted[] = {
	{ "sample|samples|image|images|img|imgs|example|examples|sequence|"
	  "sequences|seq|seqs",
	    UNIT_SAMPLES },
	{ "token|tokens|tok|toks", UNIT_TOKENS },
	{ "it|its|iter|iters|iteration|iterations|step|steps|batch|batches",
	    UNIT_ITERATIONS },
	{ "request|requests|req|reqs|query|queries|infer|inferences",
	    UNIT_REQUESTS },
	{ NULL, UNIT_OTHER },
};

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
find_word(const struct unit_words *units, const char *text, size_t len)
{
	for (; len > 0 && units->words != NULL; units++)
		if (words_match(
			units->words, WORDS_ALL | WORDS_FOLD, text, len))
			return units->unit;
	return UNIT_OTHER;
}

/* Offset after these characters from `at` on. */
static size_t
skip_any(const char *text, size_t len, size_t at, const char *chars)
{
	while (at < len && text[at] != '\0' && strchr(chars, text[at]) != NULL)
		at++;
	return at;
}

/* Read the unit at the start of a text, after spaces and one bracket.
 *
 * text  [len] text after a number */
static enum printed_unit
printed_unit_read(const char *text, size_t len)
{
	enum printed_unit unit;
	size_t at = skip_any(text, len, 0, " "), n;

	if (at < len && (text[at] == '(' || text[at] == '['))
		at++;
	n = word_length(text + at, len - at);
	if (n == 3 && strncasecmp(text + at, "qps", 3) == 0)
		return UNIT_REQUESTS;
	/* "12 s" and "12 s/it"; "12 it" states no time. */
	unit = find_word(times, text + at, n);
	if (unit != UNIT_OTHER)
		return unit;
	unit = find_word(counted, text + at, n);
	/* "/s", " / sec", " per second", "_per_sec"; not for milliseconds. */
	at = skip_any(text, len, at + n, " _");
	if (at < len && text[at] == '/')
		at++;
	else if (len - at > 3 && strncasecmp(text + at, "per", 3) == 0)
		at += 3;
	else
		return UNIT_OTHER;
	at = skip_any(text, len, at, " _");
	return find_word(times, text + at, word_length(text + at, len - at)) ==
		UNIT_SECONDS
	    ? unit
	    : UNIT_OTHER;
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
	if (word->value != FIELD_NAME_RATE || word->unit == NULL ||
	    strcmp(word->unit, "GB/s") == 0)
		return UNIT_OTHER;
	return strcmp(word->unit, "tokens/s") == 0    ? UNIT_TOKENS
	    : strcmp(word->unit, "iterations/s") == 0 ? UNIT_ITERATIONS
						      : UNIT_SAMPLES;
}

/* True if the pattern has the unit's first word after the value: it was then
 * written for this unit, whatever the program means by it.  Negative
 * look-arounds do not count. */
static int
is_named(const struct pattern *p, const struct capture *c, const char *text,
    size_t len)
{
	const char *s = p->text, *end;
	size_t at = 0, n;
	int depth = 0;         /* open groups */
	int refused_depth = 0; /* outermost open "(?!" or "(?<!"; 0: none */
	int after = 0;         /* 1: the group of the value has begun */

	while (at < len && !is_letter(text[at]))
		at++;
	n = word_length(text + at, len - at);
	for (; n >= 2 && *s != '\0'; s = end) {
		for (end = s; is_letter(*end);)
			end++;
		if (end > s) {
			if (after && (size_t)(end - s) == n &&
			    refused_depth == 0 && strncmp(s, text + at, n) == 0)
				return 1;
			continue;
		}
		end = regex_after_unit(s);
		if (*s == '(' && end[-1] != ')') {
			depth++;
			if (refused_depth == 0 && end[-1] == '!')
				refused_depth = depth;
			after |= strncmp(s, "(?<", 3) == 0 &&
			    strncmp(s + 3, c->name, strlen(c->name)) == 0 &&
			    s[3 + strlen(c->name)] == '>';
		} else if (*s == ')' && depth-- == refused_depth) {
			refused_depth = 0;
		}
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
