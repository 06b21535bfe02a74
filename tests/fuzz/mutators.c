/* Mutations that keep the form of an input. They do not depend on its
 * meaning. */
#include <config.h>

#include "tests/fuzz/mutators.h"

#include <ctype.h>
#include <string.h>

long fuzz_accepted;

/* A part of the input. */
struct span {
	size_t at, len;
};

uint64_t
mutators_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static uint64_t
seeded(unsigned seed)
{
	uint64_t state = 88172645463325252u + seed * 0x9e3779b97f4a7c15u;

	state = state != 0 ? state : 1;
	mutators_random(&state);
	return state;
}

static size_t
pick(uint64_t *state, size_t n)
{
	return (size_t)(mutators_random(state) % n);
}

/* Replace a span with text. Returns the new length, or the old one if there is
 * no room. */
static size_t
replace(uint8_t *data, size_t len, size_t room, struct span s, const void *text,
    size_t text_len)
{
	uint8_t copy[4096];

	if (text_len > sizeof copy || len - s.len + text_len > room)
		return len;
	/* The text may be part of the input itself. */
	memcpy(copy, text, text_len);
	memmove(
	    data + s.at + text_len, data + s.at + s.len, len - s.at - s.len);
	memcpy(data + s.at, copy, text_len);
	return len - s.len + text_len;
}

/* --- Lines ---------------------------------------------------------------- */

/* The line at a position, with its newline. */
static struct span
line_around(const uint8_t *data, size_t len, size_t at)
{
	size_t first = at, end = at;

	while (first > 0 && data[first - 1] != '\n')
		first--;
	while (end < len && data[end] != '\n')
		end++;
	return (struct span){ first, end + (end < len) - first };
}

/* The word at a position, between blanks, punctuation and quotes. */
static struct span
word_around(const uint8_t *data, size_t len, size_t at)
{
	static const char ends[] = " \t\n=:,|()[]\"";
	size_t first = at, end = at;

	while (first > 0 && strchr(ends, data[first - 1]) == NULL)
		first--;
	while (end < len && strchr(ends, data[end]) == NULL)
		end++;
	return (struct span){ first, end - first };
}

static const char *const numbers[] = { "0", "-1", "1", "0.5", "1e308", "1e-320",
	"99999999999999999999", "2147483648", "nan", "inf", "-0", "1e999",
	"00012", "1,5", "9007199254740993" };

enum { N_NUMBERS = sizeof numbers / sizeof numbers[0] };

/* Replace the next number at or after a position. */
static size_t
other_number(uint8_t *data, size_t len, size_t room, size_t at, uint64_t *state)
{
	const char *with = numbers[pick(state, N_NUMBERS)];
	struct span s = { at, 0 };

	while (s.at < len && !isdigit(data[s.at]))
		s.at++;
	while (s.at + s.len < len && isdigit(data[s.at + s.len]))
		s.len++;
	return s.len == 0 ? len
			  : replace(data, len, room, s, with, strlen(with));
}

size_t
mutators_lines(uint8_t *data, size_t len, size_t room, unsigned seed,
    const char *const *words)
{
	uint64_t state = seeded(seed);
	struct span from, to;
	size_t n = 0, at;

	if (len == 0 || pick(&state, 3) == 0)
		return LLVMFuzzerMutate(data, len, room);
	while (words != NULL && words[n] != NULL)
		n++;
	at = pick(&state, len);
	from = line_around(data, len, pick(&state, len));
	to = line_around(data, len, at);
	switch (pick(&state, n > 0 ? 6 : 5)) {
	case 0: /* duplicate a line */
		to.len = 0;
		return replace(data, len, room, to, data + from.at, from.len);
	case 1:
		return replace(data, len, room, to, "", 0);
	case 2: /* replace another line */
		return replace(data, len, room, to, data + from.at, from.len);
	case 3:
		from = word_around(data, len, pick(&state, len));
		to = word_around(data, len, at);
		return replace(data, len, room, to, data + from.at, from.len);
	case 4:
		return other_number(data, len, room, at, &state);
	default:
		n = pick(&state, n);
		to = word_around(data, len, to.at);
		return replace(data, len, room, to, words[n], strlen(words[n]));
	}
}

/* --- JSON ----------------------------------------------------------------- */

static size_t
string_end(const uint8_t *data, size_t len, size_t at)
{
	for (at++; at < len && data[at] != '"'; at++)
		if (data[at] == '\\')
			at++;
	return at < len ? at + 1 : len;
}

/* The position after the value that begins at `at`. */
static size_t
value_end(const uint8_t *data, size_t len, size_t at)
{
	size_t depth = 0;

	if (data[at] != '{' && data[at] != '[' && data[at] != '"') {
		while (at < len && strchr(",]} \t\r\n", data[at]) == NULL)
			at++;
		return at;
	}
	while (at < len) {
		if (data[at] == '"') {
			at = string_end(data, len, at);
		} else {
			depth += data[at] == '{' || data[at] == '[';
			depth -= data[at] == '}' || data[at] == ']';
			at++;
		}
		if (depth == 0)
			return at;
	}
	return len;
}

/* The first value at or after a position; a span of length 0 if none is found.
 * member is the same with its key, if it has one. */
static struct span
value_after(const uint8_t *data, size_t len, size_t place, struct span *member)
{
	size_t at = 0, key = 0;

	*member = (struct span){ len, 0 };
	while (at < len) {
		size_t end;

		if (isspace(data[at]) || strchr(",:]}", data[at]) != NULL) {
			at++;
			continue;
		}
		end = data[at] == '"' ? string_end(data, len, at) : at;
		if (end > at && end < len && data[end] == ':') {
			key = at + 1; /* 0: none */
			at = end;
			continue;
		}
		end = value_end(data, len, at);
		if (at >= place && end > at) {
			member->at = key > 0 ? key - 1 : at;
			member->len = end - member->at;
			return (struct span){ at, end - at };
		}
		/* Enter objects and arrays; skip other values. */
		at = data[at] == '{' || data[at] == '[' || end <= at ? at + 1
								     : end;
		key = 0;
	}
	return *member;
}

/* Extend a span by the comma after it, or by the one before it. */
static struct span
with_comma(const uint8_t *data, size_t len, struct span s)
{
	size_t end = s.at + s.len, before = s.at;

	while (end < len && isspace(data[end]))
		end++;
	if (end < len && data[end] == ',') {
		s.len = end + 1 - s.at;
		return s;
	}
	while (before > 0 && isspace(data[before - 1]))
		before--;
	if (before > 0 && data[before - 1] == ',') {
		s.len += s.at - before + 1;
		s.at = before - 1;
	}
	return s;
}

static const char *const nasty[] = { "0", "-1", "1", "1e308", "1e-320", "-0.0",
	"9007199254740993", "1e999", "null", "true", "[]", "{}", "\"\"",
	"\"nan\"", "\"=1+1\"", "\"\\u0000\"", "\"\\ud800\"", "\"a\\nb\"",
	"\"1n8g\"", "\"samples/s\"", "NaN", "[[[]]]" };

enum { N_NASTY = sizeof nasty / sizeof nasty[0] };

static size_t
double_member(uint8_t *data, size_t len, size_t room, struct span s)
{
	const struct span after = { s.at + s.len, 0 };
	const size_t longer =
	    replace(data, len, room - (room > 0), after, data + s.at, s.len);

	if (longer == len)
		return len;
	return replace(data, longer, room, after, ",", 1);
}

size_t
mutators_json(uint8_t *data, size_t len, size_t room, unsigned seed)
{
	uint64_t state = seeded(seed);
	struct span member, other, s, from;
	const char *text;

	if (len == 0 || pick(&state, 5) == 0)
		return LLVMFuzzerMutate(data, len, room);
	s = value_after(data, len, pick(&state, len), &member);
	from = value_after(data, len, pick(&state, len), &other);
	if (s.len == 0)
		return LLVMFuzzerMutate(data, len, room);
	switch (pick(&state, 4)) {
	case 0:
		text = nasty[pick(&state, N_NASTY)];
		return replace(data, len, room, s, text, strlen(text));
	case 1:
		return replace(data, len, room, s, data + from.at, from.len);
	case 2:
		return replace(
		    data, len, room, with_comma(data, len, member), "", 0);
	default:
		return double_member(data, len, room, member);
	}
}
