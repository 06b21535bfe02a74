/* Parsing of cells: a number with its unit and printed digits, a word, or
 * neither. */
#include <config.h>

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/published/published_parts.h"
#include "common/units/units.h"

enum { MAX_CELL = 1024 }; /* bytes; longer cells are words */

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

/* A number, digits in groups of three, exponent and "k" or "M"; NUMBER is for
 * places where the mark of decimals does not matter. */
#define DIGITS(mark, point) \
	"\\A\\+?(?<digits>(?:\\d{1,3}(?:(?:" mark \
	"|'|\u2019|\u2009|\u202f)\\d{3}(?!\\d))+|\\d*)(?:" point "\\d*)?)" \
	"(?<exponent>[eE][+-]?\\d{1,4})?(?<thousands>[kKM](?= |\\z))?"
#define NUMBER "\\+?\\d+(?:[.,']\\d+)*(?:[eE][+-]?\\d+)?[kKM]?"
#define OPEN "(?:\\(|（)"
#define CLOSE "(?:\\)|）)"
#define PER_CENT "(?:%|％)"
/* The measured spread is unrelated to the digits of the number. */
#define SPREAD "(?:±|\\+/-|\\+-) *" NUMBER "%?"

static const struct published_number no_number = { NAN, NAN, 0 };

static void
scale_number(struct published_number *n, double scale)
{
	n->value *= scale;
	n->half *= scale;
}

/* Read a number. Returns its bytes, or 0.
 *
 * point  decimal mark, '.' or ',' */
static size_t
scan_number(const char *s, char point, struct published_number *n)
{
	static const char of_point[] = DIGITS(",", "\\.");
	static const char of_comma[] = DIGITS("\\.", ",");
	struct text_span part[4];
	char plain[80], *dot;
	size_t k = 0, len;
	int power;

	if (!published_match(
		point == '.' ? of_point : of_comma, s, NULL, part, 4) ||
	    part[0].end - part[0].s > 70)
		return 0;
	for (const char *at = part[1].s; at < part[1].end; at++)
		if (isdigit((unsigned char)*at) || *at == point)
			plain[k++] = *at == point ? '.' : *at;
	dot = memchr(plain, '.', k);
	n->decimals = dot != NULL ? (int)(plain + k - dot) - 1 : 0;
	len = k + (size_t)(part[2].end - part[2].s);
	snprintf(plain + k, sizeof plain - k, "%.*s", (int)(len - k),
	    part[2].s != NULL ? part[2].s : "");
	if (k == 0 || number_scan(plain, len, &n->value) != len)
		return 0;
	power = len > k ? (int)strtol(plain + k + 1, NULL, 10) : 0;
	n->half = 0.5 * pow(10, power - n->decimals);
	if (part[3].s != NULL)
		scale_number(n, *part[3].s == 'M' ? 1e6 : 1e3);
	return (size_t)(part[0].end - s);
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

/* --- text after a number -------------------------------------------------- */

/* The unit after a number, also in parentheses, "464.12 (ms)", or before a
 * footnote mark, "img/s*". */
static size_t
scan_unit(const char *s, struct published_cell *cell)
{
	static const char word[] =
	    "\\A(?:\\((?<inner>[^)]*)\\)|(?:(?! |\\(|（).)+)";
	static const char note[] = "\\A" PUBLISHED_NOTE;
	struct text_span part[2];
	size_t len;

	if (!published_match(word, s, NULL, part, 2))
		return 0;
	len = (size_t)(part[0].end - s);
	if (part[1].s != NULL) {
		cell->unit = published_unit_find(s + 1, len - 2);
		return cell->unit != NULL ? len : 0;
	}
	while (len > 0 && (cell->unit = published_unit_find(s, len)) == NULL)
		do
			len--;
		while (
		    len > 0 && !published_match(note, s + len, NULL, NULL, 0));
	return len;
}

/* A share, "(99%)", or the batch, "bsz=96"; other parentheses, "(max)", are
 * skipped. */
static size_t
scan_parenthesis(const char *s, char point, struct published_cell *cell)
{
	static const char pattern[] =
	    "\\A" OPEN " *(?:(?<share>" NUMBER ") *" PER_CENT " *|(?!" NUMBER
	    " *" PER_CENT ").*?)" CLOSE
	    "|\\A(?i)bsz=(?<batch>\\d{1,9})(?= |\\z|" OPEN ")";
	struct text_span part[3];

	if (!published_match(pattern, s, NULL, part, 3))
		return 0;
	if (part[1].s != NULL &&
	    scan_number(part[1].s, point, &cell->share) > 0)
		scale_number(&cell->share, 0.01);
	if (part[2].s != NULL)
		cell->batch = strtol(part[2].s, NULL, 10);
	return (size_t)(part[0].end - s);
}

/* Read the text after the number: spread, unit, parentheses, batch and footnote
 * marks. Returns why the cell is bad, or REMARK_NONE.
 *
 * opened  1: a '(' precedes the number
 * head    unit of the head, or NULL */
static enum remark_code
read_tail(const char *s, char point, int opened,
    const struct published_unit *head, struct published_cell *cell)
{
	static const char aside[] = "\\A(?:" SPREAD "|" PUBLISHED_NOTE ")";
	struct text_span all;
	size_t n;

	/* "10^3" is not 10 with a footnote. */
	if (*s == '^' && strncmp(cell->text, "10^", 3) == 0)
		return REMARK_CELL_MORE;
	do {
		s += strspn(s, " ");
		n = 0;
		if (published_match(aside, s, NULL, &all, 1)) {
			n = (size_t)(all.end - s);
		} else if (opened && *s == ')') {
			opened = 0;
			n = 1;
		}
		n = n > 0 || cell->unit != NULL ? n : scan_unit(s, cell);
		n = n > 0 ? n : scan_parenthesis(s, point, cell);
		s += n;
	} while (n > 0);
	if (*s == '\0' && !opened)
		return cell->unit != NULL && head != NULL &&
			cell->unit->measure != head->measure
		    ? REMARK_CELL_OTHER_UNIT
		    : REMARK_NONE;
	return *s == '.' || *s == ','    ? REMARK_CELL_NO_NUMBER
	    : isdigit((unsigned char)*s) ? REMARK_CELL_SEVERAL
					 : REMARK_CELL_MORE;
}

/* --- cells ---------------------------------------------------------------- */

void
published_quantity_read(const char *text, char point,
    const struct published_unit *unit, struct published_cell *cell)
{
	/* The shell's time prints "real 2m53.341s user 2m50.806s sys
	 * 0m3.649s". Before a number may be "x", or the '(' of "(7.5 ± 0.1)".
	 */
	static const char empty[] = "\\A(?:|--?|—|–|/)\\z";
	static const char times[] =
	    "(?i)\\Areal +(?<real>[\\dhms.:]+)(?: user +[\\dhms.:]+"
	    "(?: sys +[\\dhms.:]+)?)?\\z";
	static const char prefix[] =
	    "(?i)\\A(?:(?:(?<times>x|×)|(?<open>\\()(?= *\\d"
	    "[^±+]*" SPREAD ")) *(?=\\d))?(?<number>[^\\[(a-z\\x80-\\xff])";
	const struct published_unit *own;
	struct text_span part[4];
	const char *s;
	size_t len;

	*cell = (struct published_cell){ .text = text,
		.number = no_number,
		.share = no_number,
		.batch = PUBLISHED_UNKNOWN };
	if (published_match(empty, text, NULL, part, 1))
		return;
	cell->kind = PUBLISHED_WORD;
	if (strlen(text) > MAX_CELL)
		return;
	if (published_match(times, text, NULL, part, 2) &&
	    scan_duration(part[1].s, &cell->number) > 0) {
		cell->unit = published_unit_find("s", 1);
		cell->kind = PUBLISHED_NUMBER;
		return;
	}
	cell->number = no_number;
	if (!published_match(prefix, text, NULL, part, 4))
		return;
	if (part[1].s != NULL)
		cell->unit = published_unit_find("x", 1);
	/* A number or duration, and the text after it. */
	s = part[3].s;
	len = scan_duration(s, &cell->number);
	if (len > 0)
		cell->unit = published_unit_find("s", 1);
	else
		len = scan_number(s, point, &cell->number);
	cell->problem = REMARK_CELL_NO_WORD;
	if (len > 0) {
		cell->number_len = s == cell->text ? len : 0;
		cell->problem =
		    read_tail(s + len, point, part[2].s != NULL, unit, cell);
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
