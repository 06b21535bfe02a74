/* Roofs and tables of calls, from made-up times. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "trainer/device/call_table.h"

/* 100 GFLOP/s, 10 GB/s; 1 MB at 100 GB/s, 10 MB at 20 GB/s. */
static const struct roof plain = { .flop_per_s = 1e11, .bytes_per_s = 1e10 };
static const struct roof cached = { .flop_per_s = 1e11,
	.bytes_per_s = 1e10,
	.caches = { { 1e6, 1e11 }, { 1e7, 2e10 } },
	.n_caches = 2 };

/* Minimum seconds of one call. */
static double
roof_of(const struct roof *r, const struct call_row *c)
{
	struct call_table t = { .roof = r };
	double s;

	call_table_add(&t, c);
	s = call_table_sum(&t).roof_s;
	call_table_release(&t);
	return s;
}

static void
test_roof(void)
{
	struct call_row c = { .flop = 2e9, .bytes = 1e8 };

	CHECK_NEAR(roof_memory_s(&plain, 1e8), 0.01, 1e-15);
	CHECK_NEAR(roof_of(&plain, &c), 0.02, 1e-15);
	c.bytes = 4e8;
	CHECK_NEAR(roof_of(&plain, &c), 0.04, 1e-15);
	/* Winograd does a quarter of the operations. */
	c = (struct call_row){ .flop = 8e9, .bytes = 1e8, .saving = 4 };
	CHECK_NEAR(roof_of(&plain, &c), 0.02, 1e-15);
	c.saving = 100;
	CHECK_NEAR(roof_of(&plain, &c), 0.01, 1e-15);
}

/* Data that fits into a cache has its speed, the rest that of memory. */
static void
test_caches(void)
{
	CHECK_NEAR(roof_memory_s(&cached, 0), 0, 0);
	CHECK_NEAR(roof_memory_s(&cached, 5e5), 5e-6, 1e-18);
	CHECK_NEAR(roof_memory_s(&cached, 3e6), 1e-5 + 1e-4, 1e-18);
	CHECK_NEAR(roof_memory_s(&cached, 3e7), 1e-5 + 4.5e-4 + 2e-3, 1e-15);
}

static void
add(struct call_table *t, int kind, const char *name, const char *node,
    double flop, double bytes, double seconds)
{
	call_table_add(t,
	    &(struct call_row){ .index = (int)t->n,
		.kind = kind,
		.kind_name = name,
		.node = node,
		.flop = flop,
		.bytes = bytes,
		.seconds = seconds });
}

static int
position(const struct strbuf *sb, const char *what)
{
	const char *at = strstr(sb->buf, what);

	return at == NULL ? -1 : (int)(at - sb->buf);
}

/* Two equal products, together 10 ms above their roofs; a norm, 15 ms above;
 * and a product at its roof. */
static void
test_measured(void)
{
	struct call_table t = { .roof = &plain };
	struct strbuf sb;

	strbuf_init(&sb, 1 << 20);
	add(&t, 2, "conv", "a", 2e9, 1e8, 0.024);
	add(&t, 2, "conv", "b", 2e9, 1e8, 0.026);
	add(&t, 5, "norm", "c", 0, 1e8, 0.025);
	add(&t, 2, "conv", "d", 4e9, 1e8, 0.040);
	CHECK_NEAR(call_table_sum(&t).seconds, 0.115, 1e-15);
	CHECK_NEAR(call_table_sum(&t).flop, 8e9, 1e-3);
	CHECK_INT(call_table_sum(&t).calls, 4);
	CHECK_NEAR(call_table_sum(&t).roof_s, 0.09, 1e-15);
	call_table_show_measured(&t, "| ", &sb);
	CHECK(strncmp(sb.buf, "| calls  kind ", 14) == 0);
	CHECK(position(&sb,
		  "|     1  norm               c                           "
		  "    25.000      0.000     100.00      0.0     4.0  0.400 "
		  "   15.000  memory\n|     2  conv               a         "
		  "                      50.000      4.000     200.00     80.0"
		  "     4.0  0.800    10.000  compute\n|     1  conv          "
		  "     d ") > 0);
	CHECK(position(&sb, "| b ") < 0);
	/* Sums: kinds in their order, then all. */
	CHECK(position(&sb,
		  "|     3  conv                                           "
		  "    90.000      8.000     300.00     88.9     3.3  0.889 "
		  "   10.000  78.3 %\n|     1  norm") > 0);
	CHECK(position(&sb,
		  "|     4  all                                            "
		  "   115.000      8.000     400.00     69.6     3.5  0.783 "
		  "   25.000  100.0 %\n") > 0);
	strbuf_release(&sb);
	call_table_release(&t);
}

static void
test_lines(void)
{
	struct call_row c = { .index = 3,
		.kind_name = "conv data",
		.node = "layer1.0",
		.fused = 1,
		.flop = 2e9,
		.bytes = 1e8,
		.seconds = 0.04 };
	struct strbuf sb;

	strbuf_init(&sb, 1000);
	call_row_show(&c, &sb);
	CHECK_STR(sb.buf,
	    "call index=3 kind=conv-data node=layer1.0 fused=1 us=40000.000 "
	    "flop=2e+09 bytes=1e+08\n");
	strbuf_reset(&sb);
	c.roof_s = 0.02;
	call_row_show(&c, &sb);
	CHECK_STR(sb.buf,
	    "call index=3 kind=conv-data node=layer1.0 fused=1 us=40000.000 "
	    "flop=2e+09 bytes=1e+08 roof_us=20000.000 share=0.5000\n");
	strbuf_release(&sb);
}

static const struct tap_test tests[] = {
	TEST(test_roof),
	TEST(test_caches),
	TEST(test_measured),
	TEST(test_lines),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
