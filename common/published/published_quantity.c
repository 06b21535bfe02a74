/* Parsing of cells: a number with its unit and printed digits, a word, or
 * neither. */
#include <config.h>

#include <ctype.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/published/published_parts.h"
#include "common/units/units.h"

/* --- units ---------------------------------------------------------------- */

enum { MAX_NAMES = 16, MAX_UNITS = 160 };

/* Synonyms of units. */
static const struct {
	const char *names[MAX_NAMES];
	enum published_measure measure;
	double scale;
	const char *rate;
} unit_rows[] = {
	{ { "samples/s", "samples/sec", "sample/s", "sample/sec",
	      "samples/second", "samples per second", "samples per sec",
	      "样本/秒" },
	    PUBLISHED_PER_SECOND, 1, "samples/s" },
	{ { "images/s", "images/sec", "images/second", "imgs/s", "imgs/sec",
	      "img/s", "img/sec", "img/second", "image/s", "image/sec",
	      "images per second", "images per sec", "fps", "frames/s",
	      "图片/秒", "张/秒" },
	    PUBLISHED_PER_SECOND, 1, "images/s" },
	{ { "sequences/s", "sequences/sec", "sequences per second", "seq/s",
	      "seqs/s", "seq/sec", "sentences/sec", "sentences/s" },
	    PUBLISHED_PER_SECOND, 1, "sequences/s" },
	{ { "examples/s", "examples/sec" }, PUBLISHED_PER_SECOND, 1,
	    "examples/s" },
	{ { "tokens/s", "tokens/sec", "tokens/second", "tokens per second",
	      "token/s" },
	    PUBLISHED_PER_SECOND, 1, "tokens/s" },
	{ { "ktokens/s", "K tokens/s" }, PUBLISHED_PER_SECOND, 1e3,
	    "tokens/s" },
	{ { "items/s" }, PUBLISHED_PER_SECOND, 1, "items/s" },
	{ { "iterations/s", "iter/s", "iters/s", "iter/sec", "batches/s",
	      "steps/sec", "it/s", "steps/s" },
	    PUBLISHED_PER_SECOND, 1, "iterations/s" },
	{ { "s", "sec", "secs", "seconds", "秒" }, PUBLISHED_SECONDS, 1, NULL },
	{ { "ms", "毫秒" }, PUBLISHED_SECONDS, 1e-3, NULL },
	{ { "us", "µs" }, PUBLISHED_SECONDS, 1e-6, NULL },
	{ { "min", "minutes", "分钟" }, PUBLISHED_SECONDS, 60, NULL },
	{ { "h", "hours", "小时" }, PUBLISHED_SECONDS, 3600, NULL },
	{ { "s/step", "s/it", "s/iter", "s/batch", "sec/step", "sec/batch" },
	    PUBLISHED_SECONDS, 1, NULL },
	{ { "ms/step", "ms/it", "ms/iter", "ms/batch" }, PUBLISHED_SECONDS,
	    1e-3, NULL },
	{ { "%", "％" }, PUBLISHED_PER_CENT, 0.01, NULL },
	{ { "x", "X", "×", "倍" }, PUBLISHED_TIMES, 1, NULL },
	{ { "b/s", "bit/s", "bps" }, PUBLISHED_BITS_PER_SECOND, 1, NULL },
	{ { "Kbit/s", "Kb/s", "kb/s", "Kbps" }, PUBLISHED_BITS_PER_SECOND, 1e3,
	    NULL },
	{ { "Mb/s", "Mbps", "Mbit/s" }, PUBLISHED_BITS_PER_SECOND, 1e6, NULL },
	{ { "Gb/s", "Gbps", "Gbit/s" }, PUBLISHED_BITS_PER_SECOND, 1e9, NULL },
	{ { "MB/s" }, PUBLISHED_BITS_PER_SECOND, 8e6, NULL },
	{ { "GB/s" }, PUBLISHED_BITS_PER_SECOND, 8e9, NULL },
	{ { "B" }, PUBLISHED_BYTES, 1, NULL },
	{ { "KB" }, PUBLISHED_BYTES, 1e3, NULL },
	{ { "MB", "mB" }, PUBLISHED_BYTES, 1e6, NULL },
	{ { "GB" }, PUBLISHED_BYTES, 1e9, NULL },
	{ { "KiB" }, PUBLISHED_BYTES, 1024, NULL },
	{ { "MiB" }, PUBLISHED_BYTES, 1048576, NULL },
	{ { "GiB" }, PUBLISHED_BYTES, 1073741824, NULL },
};

static struct published_unit units[MAX_UNITS];
static size_t n_units;

static void
list_units(void)
{
	for (size_t i = 0; i < sizeof unit_rows / sizeof unit_rows[0]; i++)
		for (size_t k = 0;
		     k < MAX_NAMES && unit_rows[i].names[k] != NULL; k++)
			units[n_units++] =
			    (struct published_unit){ unit_rows[i].names[k],
				    unit_rows[i].measure, unit_rows[i].scale,
				    unit_rows[i].rate };
}

const struct published_unit *
published_unit_find(const char *s, size_t len)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, list_units);
	for (size_t i = 0; i < n_units; i++)
		if (strlen(units[i].name) == len &&
		    memcmp(units[i].name, s, len) == 0)
			return &units[i];
	/* Rates ignore case, "Img/s"; others do not: "MB" is not "Mb". */
	for (size_t i = 0; i < n_units; i++)
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
