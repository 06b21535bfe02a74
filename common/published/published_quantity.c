/* Parsing of cells: a number with its unit and printed digits, a word, or
 * neither. */
#include <config.h>

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/published/published_parts.h"
#include "common/units/units.h"

/* --- units ---------------------------------------------------------------- */

#define RATE(name, rate) \
	{ \
		name, PUBLISHED_PER_SECOND, 1, rate \
	}
#define TIME(name, s) \
	{ \
		name, PUBLISHED_SECONDS, s, NULL \
	}
#define BITS(name, bits) \
	{ \
		name, PUBLISHED_BITS_PER_SECOND, bits, NULL \
	}
#define BYTES(name, bytes) \
	{ \
		name, PUBLISHED_BYTES, bytes, NULL \
	}

static const struct published_unit units[] = { RATE("samples/s", "samples/s"),
	RATE("samples/sec", "samples/s"), RATE("sample/s", "samples/s"),
	RATE("sample/sec", "samples/s"), RATE("samples/second", "samples/s"),
	RATE("samples per second", "samples/s"),
	RATE("samples per sec", "samples/s"), RATE("样本/秒", "samples/s"),
	RATE("images/s", "images/s"), RATE("images/sec", "images/s"),
	RATE("images/second", "images/s"), RATE("imgs/s", "images/s"),
	RATE("imgs/sec", "images/s"), RATE("img/s", "images/s"),
	RATE("img/sec", "images/s"), RATE("img/second", "images/s"),
	RATE("image/s", "images/s"), RATE("image/sec", "images/s"),
	RATE("images per second", "images/s"),
	RATE("images per sec", "images/s"), RATE("fps", "images/s"),
	RATE("frames/s", "images/s"), RATE("图片/秒", "images/s"),
	RATE("张/秒", "images/s"), RATE("sequences/s", "sequences/s"),
	RATE("sequences/sec", "sequences/s"),
	RATE("sequences per second", "sequences/s"),
	RATE("seq/s", "sequences/s"), RATE("seqs/s", "sequences/s"),
	RATE("seq/sec", "sequences/s"), RATE("sentences/sec", "sequences/s"),
	RATE("sentences/s", "sequences/s"), RATE("examples/s", "examples/s"),
	RATE("examples/sec", "examples/s"), RATE("tokens/s", "tokens/s"),
	RATE("tokens/sec", "tokens/s"), RATE("tokens/second", "tokens/s"),
	RATE("tokens per second", "tokens/s"), RATE("token/s", "tokens/s"),
	{ "ktokens/s", PUBLISHED_PER_SECOND, 1e3, "tokens/s" },
	{ "K tokens/s", PUBLISHED_PER_SECOND, 1e3, "tokens/s" },
	RATE("items/s", "items/s"), RATE("iterations/s", "iterations/s"),
	RATE("iter/s", "iterations/s"), RATE("iters/s", "iterations/s"),
	RATE("iter/sec", "iterations/s"), RATE("batches/s", "iterations/s"),
	RATE("steps/sec", "iterations/s"), RATE("it/s", "iterations/s"),
	RATE("steps/s", "iterations/s"), TIME("s", 1), TIME("sec", 1),
	TIME("secs", 1), TIME("seconds", 1), TIME("秒", 1), TIME("ms", 1e-3),
	TIME("毫秒", 1e-3), TIME("us", 1e-6), TIME("µs", 1e-6), TIME("min", 60),
	TIME("minutes", 60), TIME("分钟", 60), TIME("h", 3600),
	TIME("hours", 3600), TIME("小时", 3600), TIME("s/step", 1),
	TIME("s/it", 1), TIME("s/iter", 1), TIME("s/batch", 1),
	TIME("sec/step", 1), TIME("sec/batch", 1), TIME("ms/step", 1e-3),
	TIME("ms/it", 1e-3), TIME("ms/iter", 1e-3), TIME("ms/batch", 1e-3),
	{ "%", PUBLISHED_PER_CENT, 0.01, NULL },
	{ "％", PUBLISHED_PER_CENT, 0.01, NULL },
	{ "x", PUBLISHED_TIMES, 1, NULL }, { "X", PUBLISHED_TIMES, 1, NULL },
	{ "×", PUBLISHED_TIMES, 1, NULL }, { "倍", PUBLISHED_TIMES, 1, NULL },
	BITS("b/s", 1), BITS("bit/s", 1), BITS("bps", 1), BITS("Kbit/s", 1e3),
	BITS("Kb/s", 1e3), BITS("kb/s", 1e3), BITS("Kbps", 1e3),
	BITS("Mb/s", 1e6), BITS("Mbps", 1e6), BITS("Mbit/s", 1e6),
	BITS("Gb/s", 1e9), BITS("Gbps", 1e9), BITS("Gbit/s", 1e9),
	BITS("MB/s", 8e6), BITS("GB/s", 8e9), BYTES("B", 1), BYTES("KB", 1e3),
	BYTES("MB", 1e6), BYTES("mB", 1e6), BYTES("GB", 1e9),
	BYTES("KiB", 1024), BYTES("MiB", 1048576), BYTES("GiB", 1073741824) };

const struct published_unit *
published_unit_find(const char *s, size_t len)
{
	const size_t n = sizeof units / sizeof units[0];

	for (size_t i = 0; i < n; i++)
		if (strlen(units[i].name) == len &&
		    memcmp(units[i].name, s, len) == 0)
			return &units[i];
	/* Rates ignore case, "Img/s"; others do not: "MB" is not "Mb". */
	for (size_t i = 0; i < n; i++)
		if (units[i].measure == PUBLISHED_PER_SECOND &&
		    strlen(units[i].name) == len &&
		    strncasecmp(units[i].name, s, len) == 0)
			return &units[i];
	return NULL;
}

/* --- numbers -------------------------------------------------------------- */

static const char *const opens[] = { "(", "（", NULL };
static const char *const closes[] = { ")", "）", NULL };
static const char *const percents[] = { "%", "％", NULL };
static const struct published_number no_number = { NAN, NAN, 0 };

static const char *
skip_blanks(const char *s)
{
	return s + strspn(s, " ");
}

static int
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static void
scale_number(struct published_number *n, double scale)
{
	n->value *= scale;
	n->half *= scale;
}

/* Length of a digit group separator that three digits follow, or 0. */
static size_t
group_mark(const char *s, char point)
{
	static const char *const marks[] = { "'", "\u2019", "\u2009", "\u202f",
		NULL };
	const size_t n =
	    *s == (point == '.' ? ',' : '.') ? 1 : published_word_at(s, marks);

	return n > 0 && strspn(s + n, "0123456789") == 3 ? n : 0;
}

/* "e5", "e+05" after digits: sets the power. Returns the length, or 0. */
static size_t
scan_exponent(const char *s, int *power)
{
	const size_t sign = s[0] != '\0' && (s[1] == '+' || s[1] == '-');
	size_t digits;

	if (*s != 'e' && *s != 'E')
		return 0;
	digits = strspn(s + 1 + sign, "0123456789");
	if (digits == 0 || digits > 3)
		return 0;
	*power = (int)strtol(s + 1, NULL, 10);
	return 1 + sign + digits;
}

/* A number at the start of s: digits with a point, also grouped in threes, an
 * exponent, or "k" or "M" for thousands and millions.
 *
 * point  decimal mark, '.' or ','
 *
 * Returns the length, or 0. */
static size_t
scan_number(const char *s, char point, struct published_number *n)
{
	char plain[64];
	size_t i = s[0] == '+', k = 0, decimals = 0, mark, exponent;
	int has_point = 0, groups = 0, power = 0;

	for (; k < sizeof plain - 8; i++) {
		mark = k > 0 && !has_point && (groups > 0 || k <= 3)
		    ? group_mark(s + i, point)
		    : 0;
		if (mark > 0) {
			groups++;
			i += mark - 1;
		} else if (is_digit(s[i])) {
			plain[k++] = s[i];
			decimals += (size_t)has_point;
		} else if (s[i] == point && !has_point) {
			plain[k++] = '.';
			has_point = 1;
		} else {
			break;
		}
	}
	exponent = k > 0 ? scan_exponent(s + i, &power) : 0;
	memcpy(plain + k, s + i, exponent);
	k += exponent;
	i += exponent;
	if (k == 0 || number_scan(plain, k, &n->value) != k)
		return 0;
	n->decimals = (int)decimals;
	n->half = 0.5 * pow(10, power - n->decimals);
	if (strchr("kKM", s[i]) != NULL && s[i] != '\0' &&
	    (s[i + 1] == '\0' || s[i + 1] == ' '))
		scale_number(n, s[i++] == 'M' ? 1e6 : 1e3);
	return i;
}

/* --- durations ------------------------------------------------------------ */

/* "1:02:03.5". Returns the length, or 0. */
static size_t
scan_clock(const char *s, struct published_number *n)
{
	const size_t len = strspn(s, "0123456789.:");
	const char *point = memchr(s, '.', len);

	if (memchr(s, ':', len) == NULL ||
	    duration_parse(s, len, &n->value) != UNITS_OK)
		return 0;
	n->decimals = point != NULL ? (int)strspn(point + 1, "0123456789") : 0;
	n->half = 0.5 * pow(10, -n->decimals);
	return len;
}

/* The unit of a part of a duration at s, in seconds, or 0.
 *
 * len  set to its length */
static double
part_seconds(const char *s, size_t *len)
{
	static const struct {
		const char *names[7];
		double seconds;
	} parts[] = {
		{ { "days", "day", "d", "天" }, 86400 },
		{ { "hours", "hour", "hrs", "hr", "h", "小时" }, 3600 },
		{ { "minutes", "mins", "min", "m", "分钟", "分" }, 60 },
		{ { "seconds", "secs", "sec", "s", "秒" }, 1 },
	};

	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		*len = published_word_at(s, parts[i].names);
		if (*len > 0 && !isalpha((unsigned char)s[*len]))
			return parts[i].seconds;
	}
	return 0;
}

/* "2m53.341s", "10h 20m", "1 小时 5 分": two or more parts in descending order.
 * Returns the length, or 0. */
static size_t
scan_parts(const char *text, struct published_number *n)
{
	const char *s = text, *at = text;
	double before = INFINITY, seconds;
	struct published_number part;
	size_t len, parts = 0;

	*n = (struct published_number){ 0, 0, 0 };
	while (*at != '+' && (len = scan_number(at, '.', &part)) > 0) {
		at = skip_blanks(at + len);
		seconds = part_seconds(at, &len);
		if (seconds == 0 || seconds >= before)
			break;
		n->value += part.value * seconds;
		n->half = part.half * seconds;
		n->decimals = seconds == 1 ? part.decimals : 0;
		before = seconds;
		s = at + len;
		at = skip_blanks(s);
		parts++;
	}
	return parts > 1 ? (size_t)(s - text) : 0;
}

static size_t
scan_duration(const char *s, struct published_number *n)
{
	const size_t len = scan_clock(s, n);

	return len > 0 ? len : scan_parts(s, n);
}

/* "real 2m53.341s user 2m50.806s sys 0m3.649s", as printed by the shell's time;
 * sets real. Returns 1, or 0 for other text. */
static int
read_times(const char *s, struct published_number *real)
{
	static const char *const names[] = { "real ", "user ", "sys " };
	struct published_number n;

	for (size_t i = 0; i < 3 && (*s != '\0' || i == 0); i++) {
		size_t len = strlen(names[i]);

		if (strncasecmp(s, names[i], len) != 0)
			return 0;
		s = skip_blanks(s + len);
		len = scan_duration(s, &n);
		if (len == 0)
			return 0;
		s = skip_blanks(s + len);
		if (i == 0)
			*real = n;
	}
	return *s == '\0';
}

/* --- text after a number -------------------------------------------------- */

/* Length of the text before "(", "（", a blank or the end. */
static size_t
word_len(const char *s)
{
	size_t n = 0;

	while (
	    s[n] != '\0' && s[n] != ' ' && published_word_at(s + n, opens) == 0)
		n++;
	return n;
}

/* Read the share of "(99%)" or "（345%）" and skip "(max)". Returns the rest,
 * or s for other text. */
static const char *
read_parenthesis(const char *s, char point, struct published_cell *cell)
{
	const char *from = skip_blanks(s + published_word_at(s, opens)), *to;
	struct published_number n;
	size_t len, percent;

	if (published_word_at(s, opens) == 0)
		return s;
	len = scan_number(from, point, &n);
	to = skip_blanks(from + len);
	percent = published_word_at(to, percents);
	if (len > 0 && percent > 0) {
		if (published_word_at(skip_blanks(to + percent), closes) == 0)
			return s;
		cell->share = n;
		scale_number(&cell->share, 0.01);
	}
	for (to = from; *to != '\0'; to++)
		if (published_word_at(to, closes) > 0)
			return to + published_word_at(to, closes);
	return s;
}

/* "± 2.3", "+/- 1%": skip the measured spread, which is unrelated to the digits
 * of the number. Returns the rest, or s. */
static const char *
skip_spread(const char *s, char point)
{
	static const char *const signs[] = { "±", "+/-", "+-", NULL };
	const char *at = skip_blanks(s);
	const size_t sign = published_word_at(at, signs);
	struct published_number n;
	size_t len;

	at = skip_blanks(at + sign);
	len = sign > 0 ? scan_number(at, point, &n) : 0;
	return len > 0 ? at + len + (at[len] == '%') : s;
}

/* Length of a footnote mark here, or 0: "*", "†", "²", "[1]", "[^a]", "^1". */
static size_t
note_mark(const char *s)
{
	static const char *const marks[] = { "*", "†", "‡", "§", "¶", "¹", "²",
		"³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹", "ᵃ", "ᵇ", "ᶜ", NULL };
	size_t n = published_word_at(s, marks);

	if (n > 0)
		return n;
	if (*s == '[') {
		const size_t named = s[1] == '^';

		n = 1 + named;
		n += strspn(s + n, "0123456789");
		if (n == 1 + named && (named || s[2] == ']') &&
		    isalpha((unsigned char)s[n]))
			while (isalnum((unsigned char)s[n]))
				n++;
		return n > 1 && s[n] == ']' ? n + 1 : 0;
	}
	if (*s != '^')
		return 0;
	n = note_mark(s + 1);
	if (n > 0)
		return 1 + n;
	return isalnum((unsigned char)s[1]) && !isalnum((unsigned char)s[2])
	    ? 2
	    : 0;
}

/* Skip footnote marks and blanks between them. */
static const char *
skip_notes(const char *s)
{
	for (size_t n; (n = note_mark(skip_blanks(s))) > 0;)
		s = skip_blanks(s) + n;
	return s;
}

/* Read the unit after a number, also in parentheses: "464.12 (ms)". */
static const char *
read_unit(const char *s, struct published_cell *cell)
{
	const char *close = *s == '(' ? strchr(s, ')') : NULL;
	const struct published_unit *unit = close != NULL
	    ? published_unit_find(s + 1, (size_t)(close - s - 1))
	    : NULL;
	size_t len = word_len(s);

	if (unit != NULL) {
		cell->unit = unit;
		return skip_blanks(close + 1);
	}
	if (cell->unit != NULL)
		return s;
	/* "img/s*" */
	while (len > 0) {
		cell->unit = published_unit_find(s, len);
		if (cell->unit != NULL)
			return skip_blanks(s + len);
		do
			len--;
		while (len > 0 && note_mark(s + len) == 0);
	}
	return s;
}

/* Read the text after the number: spread, unit, parentheses, "bsz=96", footnote
 * marks. Returns why the cell is bad, or REMARK_NONE.
 *
 * opened  1: a '(' precedes the number */
static enum remark_code
read_tail(const char *s, char point, int opened,
    const struct published_unit *head, struct published_cell *cell)
{
	const char *next;

	/* "10^3" is not 10 with a footnote. */
	if (*s == '^' && strncmp(cell->text, "10^", 3) == 0)
		return REMARK_CELL_MORE;
	s = skip_spread(s, point);
	if (opened && *skip_blanks(s) == ')') {
		s = skip_blanks(s) + 1;
		opened = 0;
	}
	s = read_unit(skip_blanks(skip_notes(s)), cell);
	s = skip_blanks(skip_notes(skip_spread(s, point)));
	while ((next = read_parenthesis(s, point, cell)) != s)
		s = skip_blanks(next);
	if (strncasecmp(s, "bsz=", 4) == 0 &&
	    whole_parse(s + 4, word_len(s + 4), 1, 1000000000, &cell->batch) ==
		UNITS_OK)
		s = skip_blanks(s + 4 + word_len(s + 4));
	s = skip_notes(s);
	if (*s == '\0' && !opened)
		return cell->unit != NULL && head != NULL &&
			cell->unit->measure != head->measure
		    ? REMARK_CELL_OTHER_UNIT
		    : REMARK_NONE;
	return *s == '.' || *s == ',' ? REMARK_CELL_NO_NUMBER
	    : is_digit(*s)            ? REMARK_CELL_SEVERAL
				      : REMARK_CELL_MORE;
}

/* --- cells ---------------------------------------------------------------- */

static int
is_empty(const char *s)
{
	static const char *const none[] = { "", "-", "--", "—", "–", "/" };

	for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
		if (strcmp(s, none[i]) == 0)
			return 1;
	return 0;
}

/* Skip the prefix of a number: "x" or "×", or the '(' of "(7.5 ± 0.1)". */
static const char *
read_prefix(const char *s, char point, int *opened, struct published_cell *cell)
{
	static const char *const times[] = { "×", "x", "X", NULL };
	const size_t n = published_word_at(s, times);
	const char *digits = skip_blanks(s + (n > 0 ? n : *s == '('));
	const char *spread = s + strcspn(s, "±+");

	if (!is_digit(*digits))
		return s;
	if (n > 0)
		cell->unit = published_unit_find("x", 1);
	else if (*s == '(' && skip_spread(spread, point) != spread)
		*opened = 1;
	return n > 0 || *opened ? digits : s;
}

void
published_quantity_read(const char *text, char point,
    const struct published_unit *unit, struct published_cell *cell)
{
	const struct published_unit *own;
	const char *s;
	size_t len;
	int opened = 0;

	cell->text = text;
	cell->number = cell->share = no_number;
	cell->unit = NULL;
	cell->batch = PUBLISHED_UNKNOWN;
	cell->number_len = 0;
	cell->problem = REMARK_NONE;
	cell->kind = is_empty(text) ? PUBLISHED_EMPTY : PUBLISHED_WORD;
	if (cell->kind == PUBLISHED_EMPTY)
		return;
	if (read_times(text, &cell->number)) {
		cell->unit = published_unit_find("s", 1);
		cell->kind = PUBLISHED_NUMBER;
		return;
	}
	cell->number = no_number;
	s = read_prefix(text, point, &opened, cell);
	if (isalpha((unsigned char)*s) || (*s & 0x80) != 0 || *s == '(' ||
	    *s == '[')
		return;
	len = scan_duration(s, &cell->number);
	if (len > 0)
		cell->unit = published_unit_find("s", 1);
	else
		len = scan_number(s, point, &cell->number);
	cell->problem = REMARK_CELL_NO_WORD;
	if (len > 0) {
		cell->number_len = s == text ? len : 0;
		cell->problem = read_tail(s + len, point, opened, unit, cell);
	}
	own = cell->unit != NULL ? cell->unit : unit;
	/* Durations in parts are already in seconds. */
	if (own != NULL)
		scale_number(&cell->number, own->scale);
	cell->kind = cell->problem == REMARK_NONE    ? PUBLISHED_NUMBER
	    : cell->problem == REMARK_CELL_NO_NUMBER ? PUBLISHED_MALFORMED
						     : PUBLISHED_BAD;
	if (cell->kind != PUBLISHED_NUMBER || !isfinite(cell->number.value))
		cell->number = no_number;
}

/* --- digits --------------------------------------------------------------- */

/* True if [a, b] and [c, d] overlap. The slack covers rounding: 0.5 * 0.01 is
 * not exact. */
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
	/* One unit in the last digit of the column. */
	const double unit =
	    2 * half * pow(10, fmin(0, printed->decimals - decimals));

	if (ranges_meet(x - half, x + half, low, high))
		return PUBLISHED_ROUNDS;
	return ranges_meet(x, x + unit, low, high) && low < x + unit
	    ? PUBLISHED_CUT
	    : PUBLISHED_DIFFERS;
}
