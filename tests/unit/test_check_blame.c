/* How much of a table is looked at for the cell that alone is wrong. */
#include <config.h>

#include <math.h>

#include "common/strbuf.h"
#include "report/check/check.h"
#include "tests/tap.h"
#include "tests/unit/check_findings.h"

/* The last of n rows has a wrong speed, so that neither its speedup nor its
 * efficiency follows.  Returns how many cells are named. */
static size_t
cells_named(int n)
{
	struct error e = ERROR_INIT;
	struct check_report r;
	struct strbuf sb;
	size_t named;

	strbuf_init(&sb, 1 << 16);
	strbuf_addstr(&sb, "|GPUs|img/s|speedup|efficiency|\n|-|-|-|-|\n");
	for (int i = 1; i <= n; i++)
		strbuf_printf(
		    &sb, "|%d|%d|%d|1.00|\n", i, i == n ? 110 * i : 100 * i, i);
	CHECK_INT(check_text(NAN, "a.md", sb.buf, sb.len, NULL, &r, &e), 0);
	strbuf_release(&sb);
	named = r.counts[CHECK_DIFFERS];
	check_release(&r);
	return named;
}

/* Of 64 trials each speed takes two: the 32nd is tried, the one after it is
 * not, and then all that does not follow is named. */
static void
test_trials(void)
{
	CHECK_INT(cells_named(10), 1);
	CHECK_INT(cells_named(31), 1);
	CHECK_INT(cells_named(32), 1);
	CHECK_INT(cells_named(33), 2);
	CHECK_INT(cells_named(100), 2);
}

static const struct tap_test tests[] = {
	TEST(test_trials),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
