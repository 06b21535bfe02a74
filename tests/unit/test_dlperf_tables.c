#include <config.h>

#include <math.h>

#include "extract/dlperf/dlperf.h"
#include "tests/tap.h"

/* What Python 3.11 prints for repr(x). */
static void
test_repr(void)
{
	static const struct {
		double x;
		const char *text;
	} cases[] = {
		{ 0.0, "0.0" },
		{ 1.0, "1.0" },
		{ 100.0, "100.0" },
		{ 0.1, "0.1" },
		{ 354.44, "354.44" },
		{ 8816.7, "8816.7" },
		{ 24.88, "24.88" },
		{ 1 / 3.0, "0.3333333333333333" },
		{ 0.1 + 0.2, "0.30000000000000004" },
		{ 1e-4, "0.0001" },
		{ 1e-5, "1e-05" },
		{ 1.5e-7, "1.5e-07" },
		{ 1e16, "1e+16" },
		{ 123456789012345678.0, "1.2345678901234568e+17" },
		{ -2.5, "-2.5" },
		{ 1.7976931348623157e308, "1.7976931348623157e+308" },
		{ NAN, "nan" },
		{ -INFINITY, "-inf" },
	};
	struct strbuf sb;
	size_t i;

	strbuf_init(&sb, 1000);
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		strbuf_reset(&sb);
		py_add_double(&sb, cases[i].x, '\'');
		CHECK_STR(sb.buf, cases[i].text);
	}
	strbuf_release(&sb);
}

/* round(x, 2) of Python 3.11 rounds the binary value to two decimals. */
static void
test_round(void)
{
	CHECK_NEAR(py_round(2.675, 2), 2.67, 0); /* 2.67499999... */
	CHECK_NEAR(py_round(0.125, 2), 0.12, 0); /* a tie: to even */
	CHECK_NEAR(py_round(0.375, 2), 0.38, 0);
	CHECK_NEAR(py_round(8940.2995, 2), 8940.3, 0);
	CHECK_NEAR(py_round(1e300, 2), 1e300, 0);
	CHECK_NEAR(py_round(441.745, 4), 441.745, 0);
	CHECK_NEAR(py_round(217.515, 2), 217.51, 0);
	/* numpy 2.4.6: round(np.float64(x), 2). The first, third and fourth are
	 * medians that DLPerf published rounded this way. */
	CHECK_NEAR(np_round(5099.425, 2), 5099.42, 0);
	CHECK_NEAR(np_round(217.515, 2), 217.52, 0);
	CHECK_NEAR(np_round(441.745, 2), 441.74, 0);
	CHECK_NEAR(np_round(1358.635, 2), 1358.64, 0);
	CHECK_NEAR(np_round(2.675, 2), 2.68, 0);
}

/* Quotes and control characters in repr() and in JSON. */
static void
test_string(void)
{
	struct strbuf sb;

	strbuf_init(&sb, 1000);
	py_add_string(&sb, "r'50", '\'');
	py_add_string(&sb, "r'\"\\", '\'');
	py_add_string(&sb, "r'\"\n", '"');
	CHECK_STR(sb.buf, "\"r'50\"'r\\'\"\\\\'\"r'\\\"\\u000a\"");
	strbuf_release(&sb);
}

static const struct tap_test tests[] = {
	TEST(test_repr),
	TEST(test_round),
	TEST(test_string),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
