/* Parsing of cells: a number with its unit and printed digits, a word, or
 * neither. Parsers return the bytes that they read at s, 0 for other text. */
#include <config.h>

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/published/published_parts.h"
#include "common/units/units.h"

/* --- units ---------------------------------------------------------------- */

#define UNIT(name, measure, scale) \
	{ \
		name, PUBLISHED_##measure, scale, NULL \
	}
#define RATE(name, rate) \
	{ \
		name, PUBLISHED_PER_SECOND, 1, rate \
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
	RATE("steps/s", "iterations/s"), UNIT("s", SECONDS, 1),
	UNIT("sec", SECONDS, 1), UNIT("secs", SECONDS, 1),
	UNIT("seconds", SECONDS, 1), UNIT("秒", SECONDS, 1),
	UNIT("ms", SECONDS, 1e-3), UNIT("毫秒", SECONDS, 1e-3),
	UNIT("us", SECONDS, 1e-6), UNIT("µs", SECONDS, 1e-6),
	UNIT("ns", SECONDS, 1e-9), UNIT("min", SECONDS, 60),
	UNIT("minutes", SECONDS, 60), UNIT("分钟", SECONDS, 60),
	UNIT("h", SECONDS, 3600), UNIT("hours", SECONDS, 3600),
	UNIT("小时", SECONDS, 3600), UNIT("s/step", SECONDS, 1),
	UNIT("s/it", SECONDS, 1), UNIT("s/iter", SECONDS, 1),
	UNIT("s/batch", SECONDS, 1), UNIT("sec/step", SECONDS, 1),
	UNIT("sec/batch", SECONDS, 1), UNIT("ms/step", SECONDS, 1e-3),
	UNIT("ms/it", SECONDS, 1e-3), UNIT("ms/iter", SECONDS, 1e-3),
	UNIT("ms/batch", SECONDS, 1e-3), UNIT("%", PER_CENT, 0.01),
	UNIT("％", PER_CENT, 0.01), UNIT("x", TIMES, 1), UNIT("X", TIMES, 1),
	UNIT("×", TIMES, 1), UNIT("倍", TIMES, 1),
	UNIT("b/s", BITS_PER_SECOND, 1), UNIT("bit/s", BITS_PER_SECOND, 1),
	UNIT("bps", BITS_PER_SECOND, 1), UNIT("Kbit/s", BITS_PER_SECOND, 1e3),
	UNIT("Kb/s", BITS_PER_SECOND, 1e3), UNIT("kb/s", BITS_PER_SECOND, 1e3),
	UNIT("Kbps", BITS_PER_SECOND, 1e3), UNIT("Mb/s", BITS_PER_SECOND, 1e6),
	UNIT("Mbps", BITS_PER_SECOND, 1e6),
	UNIT("Mbit/s", BITS_PER_SECOND, 1e6),
	UNIT("Gb/s", BITS_PER_SECOND, 1e9), UNIT("Gbps", BITS_PER_SECOND, 1e9),
	UNIT("Gbit/s", BITS_PER_SECOND, 1e9),
	UNIT("MB/s", BITS_PER_SECOND, 8e6), UNIT("GB/s", BITS_PER_SECOND, 8e9),
	UNIT("B", BYTES, 1), UNIT("KB", BYTES, 1e3), UNIT("MB", BYTES, 1e6),
	UNIT("mB", BYTES, 1e6), UNIT("GB", BYTES, 1e9),
	UNIT("KiB", BYTES, 1024), UNIT("MiB", BYTES, 1048576),
	UNIT("GiB", BYTES, 1073741824) };

const struct published_unit *
published_unit_find(const char *s, size_t len)
{
	/* Rates ignore case, "Img/s"; others do not: "MB" is not "Mb". */
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (strlen(units[i].name) == len &&
		    (units[i].measure == PUBLISHED_PER_SECOND
			    ? strncasecmp
			    : strncmp)(s, units[i].name, len) == 0)
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

/* A digit group separator before three digits. */
static size_t
scan_group_mark(const char *s, char point)
{
	static const char *const marks[] = { "'", "\u2019", "\u2009", "\u202f",
		NULL };
	const size_t n =
	    *s == (point == '.' ? ',' : '.') ? 1 : published_word_at(s, marks);

	return n > 0 && strspn(s + n, "0123456789") == 3 ? n : 0;
}

/* A number: digits with a point, also grouped in threes, an exponent, or "k" or
 * "M" for thousands and millions.
 *
 * point  decimal mark, '.' or ',' */
static size_t
scan_number(const char *s, char point, struct published_number *n)
{
	char plain[64];
	size_t i = s[0] == '+', k = 0, mark, exponent;
	int has_point = 0, groups = 0, power;

	n->decimals = 0;
	for (; k < sizeof plain - 8; i++) {
		mark = k > 0 && !has_point && (groups > 0 || k <= 3)
		    ? scan_group_mark(s + i, point)
		    : 0;
		if (mark > 0) {
			groups++;
			i += mark - 1;
		} else if (is_digit(s[i])) {
			plain[k++] = s[i];
			n->decimals += has_point;
		} else if (s[i] == point && !has_point) {
			plain[k++] = '.';
			has_point = 1;
		} else {
			break;
		}
	}
	/* "e5", "e+05" */
	snprintf(plain + k, 6, "%.5s", strchr("eE", s[i]) != NULL ? s + i : "");
	exponent = number_scan(plain, strlen(plain), &n->value);
	if (k == 0 || exponent < k)
		return 0;
	exponent -= k;
	i += exponent;
	power = exponent > 0 ? (int)strtol(plain + k + 1, NULL, 10) : 0;
	n->half = 0.5 * pow(10, power - n->decimals);
	if (s[i] != '\0' && strchr("kKM", s[i]) != NULL &&
	    (s[i + 1] == '\0' || s[i + 1] == ' '))
		scale_number(n, s[i++] == 'M' ? 1e6 : 1e3);
	return i;
}

/* "1:02:03.5", "2m53.341s", "1 小时 5 分". */
static size_t
scan_duration(const char *s, struct published_number *n)
{
	double digit;
	const size_t len = duration_scan(s, &n->value, &digit);

	if (len > 0) {
		n->half = 0.5 * digit;
		n->decimals = digit < 1 ? (int)lround(-log10(digit)) : 0;
	}
	return len;
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
		len = scan_duration(s, i == 0 ? real : &n);
		if (len == 0)
			return 0;
		s = skip_blanks(s + len);
	}
	return *s == '\0';
}

/* --- text after a number -------------------------------------------------- */

size_t
published_note_at(const char *s)
{
	static const char *const marks[] = { "*", "†", "‡", "§", "¶", "¹", "²",
		"³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹", "ᵃ", "ᵇ", "ᶜ", NULL };
	const size_t named = s[0] == '[' && s[1] == '^';
	size_t n = published_word_at(s, marks);

	if (n > 0)
		return n;
	if (*s == '[') {
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
	n = published_note_at(s + 1);
	if (n > 0)
		return 1 + n;
	return isalnum((unsigned char)s[1]) && !isalnum((unsigned char)s[2])
	    ? 2
	    : 0;
}

/* "(99%)", "（345%）": sets the share. Other parentheses, "(max)", are
 * skipped. */
static size_t
scan_parenthesis(const char *s, char point, struct published_cell *cell)
{
	const char *from = skip_blanks(s + published_word_at(s, opens)), *to;
	struct published_number n;
	size_t len, percent;

	if (published_word_at(s, opens) == 0)
		return 0;
	len = scan_number(from, point, &n);
	to = skip_blanks(from + len);
	percent = published_word_at(to, percents);
	if (len > 0 && percent > 0) {
		if (published_word_at(skip_blanks(to + percent), closes) == 0)
			return 0;
		cell->share = n;
		scale_number(&cell->share, 0.01);
	}
	for (to = from; *to != '\0'; to++)
		if (published_word_at(to, closes) > 0)
			return (size_t)(to - s) + published_word_at(to, closes);
	return 0;
}

/* "± 2.3", "+/- 1%": the measured spread, which is unrelated to the digits of
 * the number. */
static size_t
scan_spread(const char *s, char point)
{
	static const char *const signs[] = { "±", "+/-", "+-", NULL };
	const size_t sign = published_word_at(s, signs);
	const char *at = skip_blanks(s + sign);
	struct published_number n;
	const size_t len = sign > 0 ? scan_number(at, point, &n) : 0;

	return len > 0 ? (size_t)(at + len - s) + (at[len] == '%') : 0;
}

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

/* The unit after a number, also in parentheses, "464.12 (ms)", or before a
 * footnote mark, "img/s*". */
static size_t
scan_unit(const char *s, struct published_cell *cell)
{
	const char *close = *s == '(' ? strchr(s, ')') : NULL;
	const struct published_unit *unit = close != NULL
	    ? published_unit_find(s + 1, (size_t)(close - s - 1))
	    : NULL;
	size_t len = word_len(s);

	if (unit != NULL) {
		cell->unit = unit;
		return (size_t)(close - s) + 1;
	}
	while (len > 0 && cell->unit == NULL) {
		cell->unit = published_unit_find(s, len);
		if (cell->unit != NULL)
			return len;
		do
			len--;
		while (len > 0 && published_note_at(s + len) == 0);
	}
	return 0;
}

/* "bsz=96": sets the batch. */
static size_t
scan_batch(const char *s, struct published_cell *cell)
{
	const size_t len = word_len(s);

	return strncasecmp(s, "bsz=", 4) == 0 &&
		whole_parse(s + 4, len - 4, 1, 1000000000, &cell->batch) ==
		    UNITS_OK
	    ? len
	    : 0;
}

/* Read the text after the number: spread, unit, parentheses, batch and footnote
 * marks. Returns why the cell is bad, or REMARK_NONE.
 *
 * opened  1: a '(' precedes the number */
static enum remark_code
read_tail(const char *s, char point, int opened,
    const struct published_unit *head, struct published_cell *cell)
{
	size_t n;

	/* "10^3" is not 10 with a footnote. */
	if (*s == '^' && strncmp(cell->text, "10^", 3) == 0)
		return REMARK_CELL_MORE;
	do {
		s = skip_blanks(s);
		n = scan_spread(s, point);
		if (n == 0 && opened && *s == ')') {
			opened = 0;
			n = 1;
		}
		n = n > 0 ? n : published_note_at(s);
		n = n > 0 ? n : scan_unit(s, cell);
		n = n > 0 ? n : scan_parenthesis(s, point, cell);
		n = n > 0 ? n : scan_batch(s, cell);
		s += n;
	} while (n > 0);
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

/* The prefix of a number: "x" or "×", or the '(' of "(7.5 ± 0.1)". */
static size_t
scan_prefix(const char *s, char point, int *opened, struct published_cell *cell)
{
	static const char *const times[] = { "×", "x", NULL };
	const size_t n = published_word_at(s, times);
	const char *digits = skip_blanks(s + (n > 0 ? n : *s == '('));

	*opened =
	    n == 0 && *s == '(' && scan_spread(s + strcspn(s, "±+"), point) > 0;
	if (!is_digit(*digits) || (n == 0 && !*opened))
		return 0;
	if (n > 0)
		cell->unit = published_unit_find("x", 1);
	return (size_t)(digits - s);
}

/* Read a number or duration, and the text after it. */
static void
read_number(const char *s, char point, int opened,
    const struct published_unit *head, struct published_cell *cell)
{
	const struct published_unit *unit;
	size_t len = scan_duration(s, &cell->number);

	if (len > 0)
		cell->unit = published_unit_find("s", 1);
	else
		len = scan_number(s, point, &cell->number);
	cell->problem = REMARK_CELL_NO_WORD;
	if (len > 0) {
		cell->number_len = s == cell->text ? len : 0;
		cell->problem = read_tail(s + len, point, opened, head, cell);
	}
	unit = cell->unit != NULL ? cell->unit : head;
	/* Durations in parts are already in seconds. */
	if (unit != NULL)
		scale_number(&cell->number, unit->scale);
	cell->kind = cell->problem == REMARK_NONE    ? PUBLISHED_NUMBER
	    : cell->problem == REMARK_CELL_NO_NUMBER ? PUBLISHED_MALFORMED
						     : PUBLISHED_BAD;
	if (cell->kind != PUBLISHED_NUMBER || !isfinite(cell->number.value))
		cell->number = no_number;
}

void
published_quantity_read(const char *text, char point,
    const struct published_unit *unit, struct published_cell *cell)
{
	static const char *const none[] = { "-", "--", "—", "–", "/" };
	int opened;
	const char *s;

	cell->text = text;
	cell->number = cell->share = no_number;
	cell->unit = NULL;
	cell->batch = PUBLISHED_UNKNOWN;
	cell->number_len = 0;
	cell->problem = REMARK_NONE;
	cell->kind = text[0] == '\0' ? PUBLISHED_EMPTY : PUBLISHED_WORD;
	for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
		if (strcmp(text, none[i]) == 0)
			cell->kind = PUBLISHED_EMPTY;
	if (cell->kind == PUBLISHED_EMPTY)
		return;
	if (read_times(text, &cell->number)) {
		cell->unit = published_unit_find("s", 1);
		cell->kind = PUBLISHED_NUMBER;
		return;
	}
	cell->number = no_number;
	s = text + scan_prefix(text, point, &opened, cell);
	if (!isalpha((unsigned char)*s) && (*s & 0x80) == 0 && *s != '(' &&
	    *s != '[')
		read_number(s, point, opened, unit, cell);
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
