/* What the text of a cell states: a number with its unit and the digits that
 * were printed, a word, or neither. */
#include <config.h>

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "common/published/published_parts.h"
#include "common/units/units.h"

static const struct published_unit units[] = {
	{ "samples/s", PUBLISHED_PER_SECOND, 1, "samples/s" },
	{ "samples/sec", PUBLISHED_PER_SECOND, 1, "samples/s" },
	{ "sample/s", PUBLISHED_PER_SECOND, 1, "samples/s" },
	{ "sample/sec", PUBLISHED_PER_SECOND, 1, "samples/s" },
	{ "samples/second", PUBLISHED_PER_SECOND, 1, "samples/s" },
	{ "samples per second", PUBLISHED_PER_SECOND, 1, "samples/s" },
	{ "samples per sec", PUBLISHED_PER_SECOND, 1, "samples/s" },
	{ "样本/秒", PUBLISHED_PER_SECOND, 1, "samples/s" },
	{ "images/s", PUBLISHED_PER_SECOND, 1, "images/s" },
	{ "images/sec", PUBLISHED_PER_SECOND, 1, "images/s" },
	{ "images/second", PUBLISHED_PER_SECOND, 1, "images/s" },
	{ "imgs/s", PUBLISHED_PER_SECOND, 1, "images/s" },
	{ "imgs/sec", PUBLISHED_PER_SECOND, 1, "images/s" },
	{ "img/s", PUBLISHED_PER_SECOND, 1, "images/s" },
	{ "img/sec", PUBLISHED_PER_SECOND, 1, "images/s" },
	{ "img/second", PUBLISHED_PER_SECOND, 1, "images/s" },
	{ "image/s", PUBLISHED_PER_SECOND, 1, "images/s" },
	{ "image/sec", PUBLISHED_PER_SECOND, 1, "images/s" },
	{ "images per second", PUBLISHED_PER_SECOND, 1, "images/s" },
	{ "images per sec", PUBLISHED_PER_SECOND, 1, "images/s" },
	{ "fps", PUBLISHED_PER_SECOND, 1, "images/s" },
	{ "frames/s", PUBLISHED_PER_SECOND, 1, "images/s" },
	{ "图片/秒", PUBLISHED_PER_SECOND, 1, "images/s" },
	{ "张/秒", PUBLISHED_PER_SECOND, 1, "images/s" },
	{ "sequences/s", PUBLISHED_PER_SECOND, 1, "sequences/s" },
	{ "sequences/sec", PUBLISHED_PER_SECOND, 1, "sequences/s" },
	{ "sequences per second", PUBLISHED_PER_SECOND, 1, "sequences/s" },
	{ "seq/s", PUBLISHED_PER_SECOND, 1, "sequences/s" },
	{ "seqs/s", PUBLISHED_PER_SECOND, 1, "sequences/s" },
	{ "seq/sec", PUBLISHED_PER_SECOND, 1, "sequences/s" },
	{ "sentences/sec", PUBLISHED_PER_SECOND, 1, "sequences/s" },
	{ "sentences/s", PUBLISHED_PER_SECOND, 1, "sequences/s" },
	{ "examples/s", PUBLISHED_PER_SECOND, 1, "examples/s" },
	{ "examples/sec", PUBLISHED_PER_SECOND, 1, "examples/s" },
	{ "tokens/s", PUBLISHED_PER_SECOND, 1, "tokens/s" },
	{ "tokens/sec", PUBLISHED_PER_SECOND, 1, "tokens/s" },
	{ "tokens/second", PUBLISHED_PER_SECOND, 1, "tokens/s" },
	{ "tokens per second", PUBLISHED_PER_SECOND, 1, "tokens/s" },
	{ "token/s", PUBLISHED_PER_SECOND, 1, "tokens/s" },
	{ "ktokens/s", PUBLISHED_PER_SECOND, 1e3, "tokens/s" },
	{ "K tokens/s", PUBLISHED_PER_SECOND, 1e3, "tokens/s" },
	{ "items/s", PUBLISHED_PER_SECOND, 1, "items/s" },
	{ "iterations/s", PUBLISHED_PER_SECOND, 1, "iterations/s" },
	{ "iter/s", PUBLISHED_PER_SECOND, 1, "iterations/s" },
	{ "iters/s", PUBLISHED_PER_SECOND, 1, "iterations/s" },
	{ "iter/sec", PUBLISHED_PER_SECOND, 1, "iterations/s" },
	{ "batches/s", PUBLISHED_PER_SECOND, 1, "iterations/s" },
	{ "steps/sec", PUBLISHED_PER_SECOND, 1, "iterations/s" },
	{ "it/s", PUBLISHED_PER_SECOND, 1, "iterations/s" },
	{ "steps/s", PUBLISHED_PER_SECOND, 1, "iterations/s" },
	{ "s", PUBLISHED_SECONDS, 1, NULL },
	{ "sec", PUBLISHED_SECONDS, 1, NULL },
	{ "secs", PUBLISHED_SECONDS, 1, NULL },
	{ "seconds", PUBLISHED_SECONDS, 1, NULL },
	{ "秒", PUBLISHED_SECONDS, 1, NULL },
	{ "ms", PUBLISHED_SECONDS, 1e-3, NULL },
	{ "毫秒", PUBLISHED_SECONDS, 1e-3, NULL },
	{ "us", PUBLISHED_SECONDS, 1e-6, NULL },
	{ "µs", PUBLISHED_SECONDS, 1e-6, NULL },
	{ "min", PUBLISHED_SECONDS, 60, NULL },
	{ "minutes", PUBLISHED_SECONDS, 60, NULL },
	{ "分钟", PUBLISHED_SECONDS, 60, NULL },
	{ "h", PUBLISHED_SECONDS, 3600, NULL },
	{ "hours", PUBLISHED_SECONDS, 3600, NULL },
	{ "小时", PUBLISHED_SECONDS, 3600, NULL },
	{ "s/step", PUBLISHED_SECONDS, 1, NULL },
	{ "s/it", PUBLISHED_SECONDS, 1, NULL },
	{ "s/iter", PUBLISHED_SECONDS, 1, NULL },
	{ "s/batch", PUBLISHED_SECONDS, 1, NULL },
	{ "sec/step", PUBLISHED_SECONDS, 1, NULL },
	{ "sec/batch", PUBLISHED_SECONDS, 1, NULL },
	{ "ms/step", PUBLISHED_SECONDS, 1e-3, NULL },
	{ "ms/it", PUBLISHED_SECONDS, 1e-3, NULL },
	{ "ms/iter", PUBLISHED_SECONDS, 1e-3, NULL },
	{ "ms/batch", PUBLISHED_SECONDS, 1e-3, NULL },
	{ "%", PUBLISHED_PER_CENT, 0.01, NULL },
	{ "％", PUBLISHED_PER_CENT, 0.01, NULL },
	{ "x", PUBLISHED_TIMES, 1, NULL },
	{ "X", PUBLISHED_TIMES, 1, NULL },
	{ "×", PUBLISHED_TIMES, 1, NULL },
	{ "倍", PUBLISHED_TIMES, 1, NULL },
	{ "b/s", PUBLISHED_BITS_PER_SECOND, 1, NULL },
	{ "bit/s", PUBLISHED_BITS_PER_SECOND, 1, NULL },
	{ "bps", PUBLISHED_BITS_PER_SECOND, 1, NULL },
	{ "Kbit/s", PUBLISHED_BITS_PER_SECOND, 1e3, NULL },
	{ "Kb/s", PUBLISHED_BITS_PER_SECOND, 1e3, NULL },
	{ "kb/s", PUBLISHED_BITS_PER_SECOND, 1e3, NULL },
	{ "Mb/s", PUBLISHED_BITS_PER_SECOND, 1e6, NULL },
	{ "Gb/s", PUBLISHED_BITS_PER_SECOND, 1e9, NULL },
	{ "Kbps", PUBLISHED_BITS_PER_SECOND, 1e3, NULL },
	{ "Mbps", PUBLISHED_BITS_PER_SECOND, 1e6, NULL },
	{ "Gbps", PUBLISHED_BITS_PER_SECOND, 1e9, NULL },
	{ "Gbit/s", PUBLISHED_BITS_PER_SECOND, 1e9, NULL },
	{ "Mbit/s", PUBLISHED_BITS_PER_SECOND, 1e6, NULL },
	{ "MB/s", PUBLISHED_BITS_PER_SECOND, 8e6, NULL },
	{ "GB/s", PUBLISHED_BITS_PER_SECOND, 8e9, NULL },
	{ "B", PUBLISHED_BYTES, 1, NULL },
	{ "KB", PUBLISHED_BYTES, 1e3, NULL },
	{ "MB", PUBLISHED_BYTES, 1e6, NULL },
	{ "mB", PUBLISHED_BYTES, 1e6, NULL },
	{ "GB", PUBLISHED_BYTES, 1e9, NULL },
	{ "KiB", PUBLISHED_BYTES, 1024, NULL },
	{ "MiB", PUBLISHED_BYTES, 1048576, NULL },
	{ "GiB", PUBLISHED_BYTES, 1073741824, NULL },
};

const struct published_unit *
published_unit_find(const char *s, size_t len)
{
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (strlen(units[i].name) == len &&
		    memcmp(units[i].name, s, len) == 0)
			return &units[i];
	/* "Img/s" is no other unit, as "MB" and "Mb" are. */
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (units[i].measure == PUBLISHED_PER_SECOND &&
		    strlen(units[i].name) == len &&
		    strncasecmp(units[i].name, s, len) == 0)
			return &units[i];
	return NULL;
}

enum { MAX_PLAIN = 64 }; /* bytes of a number without its commas */

/* "e5" after a number's digits, added to plain.  Returns its bytes. */
static size_t
scan_exponent(const char *s, char plain[MAX_PLAIN], size_t *k, double *half)
{
	size_t n = s[0] != '\0' && (s[1] == '+' || s[1] == '-') ? 2 : 1;
	const size_t first = n;
	double power;

	if (s[0] != 'e' && s[0] != 'E')
		return 0;
	while (isdigit((unsigned char)s[n]) && n < first + 3)
		n++;
	if (n == first || *k + n >= MAX_PLAIN ||
	    number_scan(s + (s[1] == '+' ? 2 : 1), n - (s[1] == '+' ? 2 : 1),
		&power) == 0)
		return 0;
	memcpy(plain + *k, s, n);
	*k += n;
	plain[*k] = '\0';
	*half *= pow(10, power);
	return n;
}

static void
scale_number(struct published_number *n, double scale)
{
	n->value *= scale;
	n->half *= scale;
}

/* Bytes of a mark here that groups digits in threes, or 0. */
static size_t
group_mark(const char *s, char point)
{
	static const char *const marks[] = { "'", "\u2019", "\u2009",
		"\u202f" };

	if (*s == (point == '.' ? ',' : '.'))
		return 1;
	for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
		if (strncmp(s, marks[i], strlen(marks[i])) == 0)
			return strlen(marks[i]);
	return 0;
}

static int
has_three_digits(const char *s)
{
	return isdigit((unsigned char)s[0]) && isdigit((unsigned char)s[1]) &&
	    isdigit((unsigned char)s[2]) && !isdigit((unsigned char)s[3]);
}

/* "k" and "M" after a number: its thousands and millions.  Returns its bytes;
 * n is scaled. */
static size_t
scan_multiple(const char *s, struct published_number *n)
{
	const double scale = *s == 'k' || *s == 'K' ? 1e3 : *s == 'M' ? 1e6 : 0;

	if (scale == 0 || (s[1] != '\0' && s[1] != ' '))
		return 0;
	scale_number(n, scale);
	return 1;
}

/* A number at the start of s: digits with a point, also grouped in threes.
 * point is what parts its decimals, '.' or ','.  Returns its bytes, 0 for
 * none. */
static size_t
scan_number(const char *s, char point, struct published_number *n)
{
	char plain[MAX_PLAIN];
	size_t i = 0, k = 0, at, mark;
	int groups = 0;

	if (s[i] == '+')
		i++;
	while (k < sizeof plain - 1) {
		mark = group_mark(s + i, point);
		if (mark > 0 && k > 0 && has_three_digits(s + i + mark) &&
		    (groups > 0 || k <= 3) && memchr(plain, '.', k) == NULL) {
			groups++;
			i += mark;
			continue;
		}
		if (!isdigit((unsigned char)s[i]) &&
		    !(s[i] == point && memchr(plain, '.', k) == NULL))
			break;
		plain[k++] = s[i] == point ? '.' : s[i];
		i++;
	}
	plain[k] = '\0';
	at = strcspn(plain, ".");
	n->decimals = at < k ? (int)(k - at - 1) : 0;
	n->half = 0.5 * pow(10, -n->decimals);
	if (k > 0)
		i += scan_exponent(s + i, plain, &k, &n->half);
	if (k == 0 || number_scan(plain, k, &n->value) != k)
		return 0;
	return i + scan_multiple(s + i, n);
}

/* "2m53.341s", "1:02:03.5": a duration of several parts at the start of s.
 * Returns its bytes, 0 for none. */
static size_t
scan_duration(const char *s, struct published_number *n)
{
	size_t len = 0, point;

	while (isdigit((unsigned char)s[len]) || s[len] == '.' ||
	    s[len] == ':' || s[len] == 'h' || s[len] == 's' ||
	    (s[len] == 'm' && isdigit((unsigned char)s[len + 1])))
		len++;
	if (memchr(s, ':', len) == NULL &&
	    (memchr(s, 'm', len) == NULL || s[len - 1] != 's') &&
	    (memchr(s, 'h', len) == NULL || s[len - 1] != 's'))
		return 0;
	if (duration_parse(s, len, &n->value) != UNITS_OK)
		return 0;
	for (point = 0; point < len && s[point] != '.';)
		point++;
	n->decimals = 0;
	for (size_t i = point + 1; i < len && isdigit((unsigned char)s[i]); i++)
		n->decimals++;
	n->half = 0.5 * pow(10, -n->decimals);
	return len;
}

/* A unit of a part of a duration at the start of s: its seconds, and in len
 * its bytes; 0 for none. */
static double
part_seconds(const char *s, size_t *len)
{
	static const struct {
		const char *names[6];
		double seconds;
	} parts[] = {
		{ { "days", "day", "d", "天" }, 86400 },
		{ { "hours", "hour", "hrs", "hr", "h", "小时" }, 3600 },
		{ { "minutes", "mins", "min", "m", "分钟", "分" }, 60 },
		{ { "seconds", "secs", "sec", "s", "秒" }, 1 },
	};

	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
		for (size_t k = 0; k < 6 && parts[i].names[k] != NULL; k++) {
			*len = strlen(parts[i].names[k]);
			if (strncmp(s, parts[i].names[k], *len) == 0 &&
			    !isalpha((unsigned char)s[*len]))
				return parts[i].seconds;
		}
	return 0;
}

static const char *
skip_blanks(const char *s)
{
	while (*s == ' ')
		s++;
	return s;
}

/* "10h 20m", "1 小时 5 分": a duration of two or more parts, the longest
 * first.  Returns its bytes, 0 for none. */
static size_t
scan_parts(const char *text, struct published_number *n)
{
	const char *s = text;
	double before = INFINITY, seconds = 0;
	size_t len, parts = 0;
	struct published_number part;

	*n = (struct published_number){ 0, 0, 0 };
	for (const char *at = s;; at = skip_blanks(s)) {
		len = scan_number(at, '.', &part);
		if (len == 0 || *at == '+')
			break;
		at = skip_blanks(at + len);
		seconds = part_seconds(at, &len);
		if (seconds == 0 || seconds >= before)
			break;
		n->value += part.value * seconds;
		n->half = part.half * seconds;
		n->decimals = seconds == 1 ? part.decimals : 0;
		before = seconds;
		s = at + len;
		parts++;
	}
	return parts > 1 ? (size_t)(s - text) : 0;
}

/* What stands before "(", "（", a blank or the end. */
static size_t
word_len(const char *s)
{
	size_t n = 0;

	while (s[n] != '\0' && s[n] != ' ' && s[n] != '(' &&
	    strncmp(s + n, "（", 3) != 0)
		n++;
	return n;
}

/* Of "(99%)" or "（345%）" the share, of "(max)" nothing.  Returns what
 * follows, s itself if it is neither. */
static const char *
read_parenthesis(const char *s, char point, struct published_cell *cell)
{
	const int wide = strncmp(s, "（", 3) == 0;
	const char *from = s + (wide ? 3 : 1), *to;
	struct published_number n;
	size_t len;

	if (!wide && *s != '(')
		return s;
	from = skip_blanks(from);
	len = scan_number(from, point, &n);
	to = skip_blanks(from + len);
	if (len > 0 && (*to == '%' || strncmp(to, "％", 3) == 0)) {
		to = skip_blanks(to + (*to == '%' ? 1 : 3));
		if (*to != ')' && strncmp(to, "）", 3) != 0)
			return s;
		cell->share = n;
		scale_number(&cell->share, 0.01);
	}
	to = strstr(from, ")");
	if (to == NULL ||
	    (strstr(from, "）") != NULL && strstr(from, "）") < to))
		to = strstr(from, "）");
	if (to == NULL)
		return s;
	return to + (*to == ')' ? 1 : 3);
}

static void
refuse_cell(struct published_cell *cell, enum published_kind kind,
    enum remark_code problem)
{
	cell->kind = kind;
	cell->problem = problem;
}

/* "± 2.3", "+/- 1%": the spread of what was measured, which states nothing
 * about the digits of the number.  Returns what follows, s itself for none. */
static const char *
skip_spread(const char *s, char point)
{
	static const char *const signs[] = { "±", "+/-", "+-" };
	struct published_number n;

	for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
		const char *at = skip_blanks(s);
		size_t len;

		if (strncmp(at, signs[i], strlen(signs[i])) != 0)
			continue;
		at = skip_blanks(at + strlen(signs[i]));
		len = scan_number(at, point, &n);
		if (len > 0)
			return at + len + (at[len] == '%');
	}
	return s;
}

/* Bytes of a mark here that leads to a footnote, or 0: "*", "†", "²", "[1]",
 * "[^a]", "^1". */
static size_t
note_mark(const char *s)
{
	static const char *const marks[] = { "*", "†", "‡", "§", "¶", "¹", "²",
		"³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹", "ᵃ", "ᵇ", "ᶜ" };
	size_t n;

	for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
		if (strncmp(s, marks[i], strlen(marks[i])) == 0)
			return strlen(marks[i]);
	if (*s == '[') {
		n = 1 + (s[1] == '^');
		n += strspn(s + n, "0123456789");
		if (n == 1 + (size_t)(s[1] == '^') &&
		    (s[1] == '^' || s[2] == ']') &&
		    isalpha((unsigned char)s[n]))
			while (isalnum((unsigned char)s[n]))
				n++;
		return n > 1 && s[n] == ']' ? n + 1 : 0;
	}
	if (*s == '^' && note_mark(s + 1) > 0)
		return 1 + note_mark(s + 1);
	if (*s == '^' && isalnum((unsigned char)s[1]) &&
	    !isalnum((unsigned char)s[2]))
		return 2;
	return 0;
}

/* The marks of footnotes, with blanks between. */
static const char *
skip_notes(const char *s)
{
	for (size_t n; (n = note_mark(skip_blanks(s))) > 0;)
		s = skip_blanks(s) + n;
	return s;
}

/* The unit after a number, also in parentheses, "464.12 (ms)". */
static const char *
read_unit(const char *s, struct published_cell *cell)
{
	const char *close = strchr(s, ')');
	size_t len = word_len(s);

	if (*s == '(' && close != NULL) {
		const struct published_unit *unit =
		    published_unit_find(s + 1, (size_t)(close - s - 1));

		if (unit != NULL) {
			cell->unit = unit;
			return skip_blanks(close + 1);
		}
	}
	if (cell->unit != NULL)
		return s;
	/* "img/s*" */
	while (len > 0 && cell->unit == NULL) {
		cell->unit = published_unit_find(s, len);
		if (cell->unit != NULL)
			return skip_blanks(s + len);
		do
			len--;
		while (len > 0 && note_mark(s + len) == 0);
	}
	return s;
}

/* What follows the number: a spread, a unit, parentheses, "bsz=96", marks of
 * footnotes.  opened: a '(' stood before it. */
static void
read_tail(const char *s, char point, int opened,
    const struct published_unit *head, struct published_cell *cell)
{
	const char *next;

	/* "10^3" is no 10 with a note. */
	if (*s == '^' && strncmp(cell->text, "10^", 3) == 0) {
		refuse_cell(cell, PUBLISHED_BAD, REMARK_CELL_MORE);
		return;
	}
	s = skip_spread(s, point);
	if (opened && *skip_blanks(s) == ')') {
		s = skip_blanks(s) + 1;
		opened = 0;
	}
	s = skip_blanks(skip_notes(s));
	s = read_unit(s, cell);
	s = skip_blanks(skip_notes(skip_spread(s, point)));
	while ((next = read_parenthesis(s, point, cell)) != s)
		s = skip_blanks(next);
	if (strncasecmp(s, "bsz=", 4) == 0 &&
	    whole_parse(s + 4, word_len(s + 4), 1, 1000000000, &cell->batch) ==
		UNITS_OK)
		s = skip_blanks(s + 4 + word_len(s + 4));
	s = skip_notes(s);
	if (*s == '\0' && !opened) {
		cell->kind = PUBLISHED_NUMBER;
		if (cell->unit != NULL && head != NULL &&
		    cell->unit->measure != head->measure)
			refuse_cell(
			    cell, PUBLISHED_BAD, REMARK_CELL_OTHER_UNIT);
	} else if (*s == '.' || *s == ',') {
		refuse_cell(cell, PUBLISHED_MALFORMED, REMARK_CELL_NO_NUMBER);
	} else if (isdigit((unsigned char)*s)) {
		refuse_cell(cell, PUBLISHED_BAD, REMARK_CELL_SEVERAL);
	} else {
		refuse_cell(cell, PUBLISHED_BAD, REMARK_CELL_MORE);
	}
}

/* "real 2m53.341s user 2m50.806s sys 0m3.649s", as the shell's time prints;
 * real is what counts.  Returns 1, or 0 if it is no such text. */
static int
read_times(const char *s, struct published_cell *cell)
{
	static const char *const names[] = { "real", "user", "sys" };
	struct published_number n;

	for (size_t i = 0; i < 3; i++) {
		const size_t len = strlen(names[i]);
		size_t taken;

		s = skip_blanks(s);
		if (*s == '\0' && i > 0)
			return 1;
		if (strncasecmp(s, names[i], len) != 0 || s[len] != ' ')
			return 0;
		s = skip_blanks(s + len);
		taken = scan_duration(s, &n);
		if (taken == 0)
			return 0;
		s += taken;
		if (i == 0)
			cell->number = n;
	}
	return *skip_blanks(s) == '\0';
}

static int
is_empty(const char *s)
{
	static const char *const none[] = { "", "-", "--", "—", "–", "/" };

	for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
		if (strcmp(s, none[i]) == 0)
			return 1;
	return 0;
}

/* "x7.6" and "×7.6".  Returns its bytes, 0 for none. */
static size_t
scan_times_before(const char *s)
{
	const size_t n = strncmp(s, "×", 2) == 0 ? 2
	    : *s == 'x' || *s == 'X'             ? 1
						 : 0;

	return n > 0 && isdigit((unsigned char)*skip_blanks(s + n))
	    ? (size_t)(skip_blanks(s + n) - s)
	    : 0;
}

void
published_quantity_read(const char *text, char point,
    const struct published_unit *unit, struct published_cell *cell)
{
	const struct published_unit *own;
	const char *s = text;
	size_t len;
	int opened = 0;

	cell->text = text;
	cell->number = (struct published_number){ NAN, NAN, 0 };
	cell->share = cell->number;
	cell->unit = NULL;
	cell->batch = PUBLISHED_UNKNOWN;
	cell->number_len = 0;
	cell->problem = REMARK_NONE;
	cell->kind = PUBLISHED_WORD;
	if (is_empty(s)) {
		cell->kind = PUBLISHED_EMPTY;
		return;
	}
	if (read_times(s, cell)) {
		cell->unit = published_unit_find("s", 1);
		cell->kind = PUBLISHED_NUMBER;
		return;
	}
	cell->number = (struct published_number){ NAN, NAN, 0 };
	if (scan_times_before(s) > 0) {
		s += scan_times_before(s);
		cell->unit = published_unit_find("x", 1);
	} else if (*s == '(' && isdigit((unsigned char)*skip_blanks(s + 1)) &&
	    skip_spread(s + strcspn(s, "±+"), point) != s + strcspn(s, "±+")) {
		s = skip_blanks(s + 1);
		opened = 1;
	}
	if (isalpha((unsigned char)*s) || (*s & 0x80) != 0 || *s == '(' ||
	    *s == '[')
		return;
	len = scan_duration(s, &cell->number);
	if (len == 0)
		len = scan_parts(s, &cell->number);
	if (len > 0)
		cell->unit = published_unit_find("s", 1);
	else
		len = scan_number(s, point, &cell->number);
	if (len == 0) {
		cell->number = (struct published_number){ NAN, NAN, 0 };
		refuse_cell(cell, PUBLISHED_BAD, REMARK_CELL_NO_WORD);
		cell->number = (struct published_number){ NAN, NAN, 0 };
		return;
	}
	cell->number_len = s == text ? len : 0;
	read_tail(s + len, point, opened, unit, cell);
	own = cell->unit != NULL ? cell->unit : unit;
	/* The parts of a duration are seconds already. */
	if (own != NULL)
		scale_number(&cell->number, own->scale);
	if (cell->kind != PUBLISHED_NUMBER || !isfinite(cell->number.value))
		cell->number = (struct published_number){ NAN, NAN, 0 };
}

/* --- digits --------------------------------------------------------------- */

/* True if [a, b] and [c, d] share a value.  The slack covers rounding: 0.5 *
 * 0.01 is not exact. */
static int
ranges_meet(double a, double b, double c, double d)
{
	const double slack = 1e-9 * fmax(fabs(b), fabs(d));

	return a <= d + slack && c <= b + slack;
}

enum published_fit
published_fits(const struct published_number *printed, int decimals, double low,
    double high)
{
	const double x = printed->value, half = printed->half;
	/* A unit of the last digit that the column prints. */
	const double unit =
	    2 * half * pow(10, fmin(0, printed->decimals - decimals));

	if (ranges_meet(x - half, x + half, low, high))
		return PUBLISHED_ROUNDS;
	return ranges_meet(x, x + unit, low, high) && low < x + unit
	    ? PUBLISHED_CUT
	    : PUBLISHED_DIFFERS;
}
