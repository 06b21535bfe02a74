/* What the text of a cell states: a number with its unit and the digits that
 * were printed, a word, or neither.  Called where a table is made of its grid;
 * it knows a column only by its unit. */
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
	{ "images/s", PUBLISHED_PER_SECOND, 1, "images/s" },
	{ "images/sec", PUBLISHED_PER_SECOND, 1, "images/s" },
	{ "images/second", PUBLISHED_PER_SECOND, 1, "images/s" },
	{ "imgs/s", PUBLISHED_PER_SECOND, 1, "images/s" },
	{ "imgs/sec", PUBLISHED_PER_SECOND, 1, "images/s" },
	{ "img/s", PUBLISHED_PER_SECOND, 1, "images/s" },
	{ "img/sec", PUBLISHED_PER_SECOND, 1, "images/s" },
	{ "张/秒", PUBLISHED_PER_SECOND, 1, "images/s" },
	{ "sequences/s", PUBLISHED_PER_SECOND, 1, "sequences/s" },
	{ "sequences/sec", PUBLISHED_PER_SECOND, 1, "sequences/s" },
	{ "seq/s", PUBLISHED_PER_SECOND, 1, "sequences/s" },
	{ "seq/sec", PUBLISHED_PER_SECOND, 1, "sequences/s" },
	{ "sentences/sec", PUBLISHED_PER_SECOND, 1, "sequences/s" },
	{ "sentences/s", PUBLISHED_PER_SECOND, 1, "sequences/s" },
	{ "examples/s", PUBLISHED_PER_SECOND, 1, "examples/s" },
	{ "examples/sec", PUBLISHED_PER_SECOND, 1, "examples/s" },
	{ "tokens/s", PUBLISHED_PER_SECOND, 1, "tokens/s" },
	{ "tokens/sec", PUBLISHED_PER_SECOND, 1, "tokens/s" },
	{ "items/s", PUBLISHED_PER_SECOND, 1, "items/s" },
	{ "iterations/s", PUBLISHED_PER_SECOND, 1, "iterations/s" },
	{ "iter/s", PUBLISHED_PER_SECOND, 1, "iterations/s" },
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

/* A number at the start of s: digits with a point, also grouped by commas in
 * threes.  Returns its bytes, 0 for none. */
static size_t
scan_number(const char *s, struct published_number *n)
{
	char plain[MAX_PLAIN];
	size_t i = 0, k = 0, point;
	int groups = 0;

	if (s[i] == '+')
		i++;
	for (; k < sizeof plain - 1; i++) {
		if (s[i] == ',' && k > 0 && isdigit((unsigned char)s[i + 1]) &&
		    isdigit((unsigned char)s[i + 2]) &&
		    isdigit((unsigned char)s[i + 3]) &&
		    !isdigit((unsigned char)s[i + 4]) &&
		    (groups > 0 || k <= 3) && memchr(plain, '.', k) == NULL) {
			groups++;
			continue;
		}
		if (!isdigit((unsigned char)s[i]) &&
		    !(s[i] == '.' && memchr(plain, '.', k) == NULL))
			break;
		plain[k++] = s[i];
	}
	plain[k] = '\0';
	point = strcspn(plain, ".");
	n->decimals = point < k ? (int)(k - point - 1) : 0;
	n->half = 0.5 * pow(10, -n->decimals);
	if (k > 0)
		i += scan_exponent(s + i, plain, &k, &n->half);
	if (k == 0 || number_scan(plain, k, &n->value) != k)
		return 0;
	return i;
}

static void
scale_number(struct published_number *n, double scale)
{
	n->value *= scale;
	n->half *= scale;
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

static const char *
skip_blanks(const char *s)
{
	while (*s == ' ')
		s++;
	return s;
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
read_parenthesis(const char *s, struct published_cell *cell)
{
	const int wide = strncmp(s, "（", 3) == 0;
	const char *from = s + (wide ? 3 : 1), *to;
	struct published_number n;
	size_t len;

	if (!wide && *s != '(')
		return s;
	from = skip_blanks(from);
	len = scan_number(from, &n);
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
refuse_cell(
    struct published_cell *cell, enum published_kind kind, const char *problem)
{
	cell->kind = kind;
	cell->problem = problem;
}

/* What follows the number: a unit, parentheses, "bsz=96". */
static void
read_tail(const char *s, const struct published_unit *head,
    struct published_cell *cell)
{
	const char *next;
	size_t len;

	s = skip_blanks(s);
	/* "464.12 (ms)": the unit in parentheses. */
	if (*s == '(' && (next = strchr(s, ')')) != NULL &&
	    published_unit_find(s + 1, (size_t)(next - s - 1)) != NULL) {
		cell->unit = published_unit_find(s + 1, (size_t)(next - s - 1));
		s = skip_blanks(next + 1);
	}
	len = word_len(s);
	if (len > 0 && cell->unit == NULL) {
		cell->unit = published_unit_find(s, len);
		if (cell->unit != NULL)
			s = skip_blanks(s + len);
	}
	while ((next = read_parenthesis(s, cell)) != s)
		s = skip_blanks(next);
	if (strncasecmp(s, "bsz=", 4) == 0 &&
	    whole_parse(s + 4, word_len(s + 4), 1, 1000000000, &cell->batch) ==
		UNITS_OK)
		s = skip_blanks(s + 4 + word_len(s + 4));
	/* A star leads to a note. */
	s += strspn(s, "*");
	if (*s == '\0') {
		cell->kind = PUBLISHED_NUMBER;
		if (cell->unit != NULL && head != NULL &&
		    cell->unit->measure != head->measure)
			refuse_cell(cell, PUBLISHED_BAD,
			    "its unit is none of its column's");
	} else if (*s == '.' || *s == ',') {
		refuse_cell(cell, PUBLISHED_MALFORMED, "is no number");
	} else if (isdigit((unsigned char)*s)) {
		refuse_cell(cell, PUBLISHED_BAD, "holds several numbers");
	} else {
		refuse_cell(
		    cell, PUBLISHED_BAD, "is followed by more than a unit");
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

void
published_quantity_read(struct arena *a, const char *text,
    const struct published_unit *unit, struct published_cell *cell)
{
	const struct published_unit *own;
	const char *s = text;
	size_t len;

	(void)a;
	cell->text = text;
	cell->number = (struct published_number){ NAN, NAN, 0 };
	cell->share = cell->number;
	cell->unit = NULL;
	cell->batch = PUBLISHED_UNKNOWN;
	cell->number_len = 0;
	cell->problem = NULL;
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
	if (isalpha((unsigned char)*s) || (*s & 0x80) != 0 || *s == '(' ||
	    *s == '[')
		return;
	len = scan_duration(s, &cell->number);
	if (len > 0)
		cell->unit = published_unit_find("s", 1);
	else
		len = scan_number(s, &cell->number);
	if (len == 0) {
		refuse_cell(
		    cell, PUBLISHED_BAD, "is neither a number nor a word");
		return;
	}
	cell->number_len = len;
	read_tail(s + len, unit, cell);
	own = cell->unit != NULL ? cell->unit : unit;
	/* The parts of a duration are seconds already. */
	if (own != NULL)
		scale_number(&cell->number, own->scale);
	if (cell->kind != PUBLISHED_NUMBER || !isfinite(cell->number.value))
		cell->number = (struct published_number){ NAN, NAN, 0 };
}

/* --- digits --------------------------------------------------------------- */

/* Have [a, b] and [c, d] a value in common?  A billionth is the computer's own
 * rounding, for 0.5 * 0.01 is not exact. */
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

/* --- cases ---------------------------------------------------------------- */

/* A count and the word after it: "4机", "单机" for 1.  Returns bytes. */
static size_t
scan_counted(const char *s, const char *const *words, long *count)
{
	size_t n = 0;

	*count = 0;
	if (strncmp(s, "单", 3) == 0) {
		*count = 1;
		n = 3;
	}
	while (*count < 1000000 && n < 8 && isdigit((unsigned char)s[n]) &&
	    strncmp(s, "单", 3) != 0)
		*count = *count * 10 + (s[n++] - '0');
	if (n == 0 || *count == 0)
		return 0;
	n += strspn(s + n, " ");
	for (; *words != NULL; words++)
		if (strncasecmp(s + n, *words, strlen(*words)) == 0)
			return n + strlen(*words);
	return 0;
}

int
published_case_read(
    const char *text, long *nodes, long *gpus, const char **rest)
{
	static const char *const chinese_nodes[] = { "机", "节点", NULL };
	static const char *const chinese_gpus[] = { "卡", "GPU", NULL };
	static const char *const n[] = { "n_", "n", NULL };
	static const char *const g[] = { "g", "c", NULL };
	const char *s = skip_blanks(text);
	size_t len = scan_counted(s, chinese_nodes, nodes), more;

	if (len > 0) {
		more = scan_counted(skip_blanks(s + len), chinese_gpus, gpus);
		if (more == 0 || *gpus % *nodes != 0)
			return 0;
		*rest = skip_blanks(skip_blanks(s + len) + more);
		return 1;
	}
	len = scan_counted(s, n, nodes);
	more = len > 0 ? scan_counted(s + len, g, gpus) : 0;
	if (more == 0 && tolower((unsigned char)*s) == 'n') {
		/* "n1g8" */
		*nodes = *gpus = 0;
		for (len = 1; len < 8 && isdigit((unsigned char)s[len]); len++)
			*nodes = *nodes * 10 + (s[len] - '0');
		if (tolower((unsigned char)s[len]) != 'g')
			return 0;
		for (more = 1;
		     more < 8 && isdigit((unsigned char)s[len + more]); more++)
			*gpus = *gpus * 10 + (s[len + more] - '0');
	}
	if (more == 0 || *nodes == 0 || *gpus == 0 ||
	    isalnum((unsigned char)s[len + more]))
		return 0;
	*gpus *= *nodes;
	*rest = skip_blanks(s + len + more);
	*rest += strspn(*rest, "_");
	return 1;
}
