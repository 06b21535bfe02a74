#include <config.h>

#include "plots/style/axis.h"
#include "tests/tap.h"

static struct axis a;

/* The labels of all major ticks in one text, "." for a tick without one. */
static const char *
labels(void)
{
	static char text[4096];
	size_t len = 0;

	text[0] = '\0';
	for (size_t i = 0; i < a.n; i++)
		if (!a.ticks[i].is_minor)
			len += (size_t)snprintf(text + len, sizeof text - len,
			    "%s%s", len > 0 ? " " : "",
			    a.ticks[i].label[0] != '\0' ? a.ticks[i].label
							: ".");
	return text;
}

static int
n_labels(void)
{
	int n = 0;

	for (size_t i = 0; i < a.n; i++)
		n += !a.ticks[i].is_minor;
	return n;
}

/* Check that ticks ascend inside the range, and that labels do not overlap. */
static void
check_sane(int room)
{
	double end = -1e9;

	CHECK(a.low < a.high);
	for (size_t i = 0; i < a.n; i++) {
		const struct axis_tick *t = &a.ticks[i];
		double where, half = (double)strlen(t->label) / 2;

		CHECK(t->at >= a.low && t->at <= a.high);
		CHECK(i == 0 || t->at > a.ticks[i - 1].at);
		if (t->label[0] == '\0')
			continue;
		where = log(t->at / a.low) / log(a.high / a.low) * room;
		CHECK(where - half >= end + 1 - 1e-9);
		end = where + half;
	}
}

static void
test_powers_of_two(void)
{
	static const long few[] = { 1, 2, 4, 8, 16, 32 };
	static const long many[] = { 1, 2, 4, 8, 16, 32, 64, 128, 256, 512,
		1024, 2048, 4096 };

	axis_counts(few, 6, 90, 0, &a);
	CHECK_STR(labels(), "1 2 4 8 16 32");
	CHECK_INT(a.base, 2);
	check_sane(90);
	axis_counts(many, 13, 90, 0, &a);
	CHECK_STR(labels(), "1 2 4 8 16 32 64 128 256 512 1024 2048 4096");
	axis_counts(many, 13, 40, 0, &a);
	check_sane(40);
	CHECK_STR(labels(), "1 2 4 8 16 32 64 . 256 . 1024 . 4096");
}

/* Labels may have another unit than the numbers. */
static void
test_times(void)
{
	axis_amount(0.02, 0.9, 14, &a);
	axis_set_times(&a, 1000);
	CHECK_NEAR(a.ticks[0].at, 0.02, 1e-12);
	CHECK_STR(a.ticks[0].label, "20");
	axis_limit(&a, 0.19, 0.41, 4);
	CHECK_STR(labels(), "200 300 400");
}

/* A part of an axis keeps its ticks if three are left, else gets new ones. */
static void
test_limit(void)
{
	axis_amount(1, 1000, 14, &a);
	axis_limit(&a, 4, 60, 14);
	CHECK_STR(labels(), "5 10 20 50");
	check_sane(90);
	axis_amount(1, 1000, 14, &a);
	axis_limit(&a, 4, 15, 4);
	CHECK_STR(labels(), "5 10 15");
	check_sane(90);
}

/* If labels would touch, those of powers of two are kept first. */
static void
test_crowded_counts(void)
{
	long counts[64];

	for (int i = 0; i < 64; i++)
		counts[i] = i + 1;
	axis_counts(counts, 64, 60, 0, &a);
	check_sane(60);
	CHECK_INT(a.n, 64);
	for (int i = 1; i <= 64; i *= 2)
		CHECK(a.ticks[i - 1].label[0] != '\0');
	CHECK_STR(a.ticks[62].label, "");
}

static void
test_single_count(void)
{
	static const long one[] = { 48 };

	axis_counts(one, 1, 90, 0, &a);
	CHECK_STR(labels(), "48");
	CHECK_NEAR(log2(a.high / 48), log2(48 / a.low), 1e-12);
	CHECK(a.high > 50);
}

static void
test_ratio(void)
{
	axis_ratio(1, 32, 12, &a);
	CHECK_STR(labels(), "1 2 4 8 16 32");
	CHECK(a.low < 1 && a.high > 32);
	axis_ratio(0.3, 30, 12, &a);
	CHECK_STR(labels(), "0.25 0.5 1 2 4 8 16 32");
	/* A ratio a little below 1 does not add an octave. */
	axis_ratio(0.99, 32, 12, &a);
	CHECK_STR(labels(), "1 2 4 8 16 32");
	CHECK(a.low > 0.8);
	/* Ratios near 1 are not squeezed. */
	axis_ratio(0.97, 1.06, 8, &a);
	CHECK_STR(labels(), "1 1.05");
	CHECK(a.low > 0.94 && a.high < 1.09);
	axis_ratio(1, 4096, 7, &a);
	CHECK_STR(labels(), "1 4 16 64 256 1024 4096");
	axis_ratio(1, 1, 10, &a);
	CHECK(a.low < 1 && a.high > 1 && a.n >= 2);
	axis_ratio(1, 2, 10, &a);
	CHECK_STR(labels(), "1 1.2 1.4 1.6 1.8 2");
}

/* On a vertical axis each name has its label. */
static void
test_rows(void)
{
	static const char *const names[] = { "1n1g", "a long name of a case",
		"1n2g" };

	axis_rows(names, 3, 10, &a);
	CHECK_INT(a.n, 3);
	CHECK_STR(a.ticks[1].label, "a long\nname of a\ncase");
	CHECK_INT(a.label_lines, 3);
	CHECK_NEAR(a.ticks[2].at, 3, 0);
	CHECK_NEAR(a.low, 0.5, 0);
	CHECK_NEAR(a.high, 3.5, 0);
	CHECK_INT(a.base, 0);
}

static void
test_amount(void)
{
	axis_amount(347, 11548, 14, &a);
	CHECK_STR(labels(), "500 1000 2000 5000 10000");
	CHECK_INT(a.base, 10);
	axis_amount(0.002, 700000, 10, &a);
	CHECK_STR(labels(), "0.001 0.01 0.1 1 10 100 1000 10000 100000 1 M");
	axis_amount(1e-9, 1e9, 7, &a);
	CHECK(n_labels() >= 2 && n_labels() <= 7);
	axis_amount(100, 112, 8, &a);
	CHECK_STR(labels(), "100 110 120");
	axis_amount(5, 5, 8, &a);
	CHECK(n_labels() >= 2);
	/* No overflow, no endless loop. */
	axis_amount(1e-308, 1e308, 8, &a);
	CHECK(isfinite(a.low) && isfinite(a.high) && a.low > 0);
}

/* The positions of the minor ticks in one text. */
static const char *
minors(void)
{
	static char text[4096];
	size_t len = 0;

	text[0] = '\0';
	for (size_t i = 0; i < a.n; i++)
		if (a.ticks[i].is_minor)
			len += (size_t)snprintf(text + len, sizeof text - len,
			    "%s%g", len > 0 ? " " : "", a.ticks[i].at);
	return text;
}

static void
test_minor_ticks(void)
{
	axis_linear(10, 6, &a);
	CHECK_STR(labels(), "0 2 4 6 8 10");
	CHECK_STR(minors(), "1 3 5 7 9");
	axis_linear(20, 5, &a);
	CHECK_STR(labels(), "0 5 10 15 20");
	CHECK_STR(minors(), "1 2 3 4 6 7 8 9 11 12 13 14 16 17 18 19 21");
	axis_amount(100, 3000, 8, &a);
	CHECK_STR(labels(), "100 200 500 1000 2000");
	CHECK_STR(minors(), "90 300 400 600 700 800 900 3000");
	axis_amount(1, 1e12, 5, &a);
	CHECK_STR(minors(), "10 100 10000 100000 1e+07 1e+08 1e+10 1e+11");
	/* A range across 0 has labels on both sides of it. */
	axis_span(-3, 2, 8, &a);
	CHECK_STR(labels(), "-3 -2 -1 0 1 2");
	CHECK(a.low < -3 && a.high > 2);
	axis_linear(0, 5, &a);
	CHECK_NEAR(a.high, 1, 0);
	/* Ticks ascend strictly for all ranges. */
	for (double high = 1e-3; high < 1e9; high *= 1.37)
		for (int most = 2; most < 16; most++)
			for (int kind = 0; kind < 3; kind++) {
				if (kind == 0)
					axis_linear(high, most, &a);
				else if (kind == 1)
					axis_amount(high / 50, high, most, &a);
				else
					axis_span(-high / 7, high, most, &a);
				for (size_t i = 1; i < a.n; i++)
					CHECK(
					    a.ticks[i].at > a.ticks[i - 1].at);
			}
}

/* Large numbers have a unit, and narrow axes have at least two labels. */
static void
test_units(void)
{
	axis_linear(1600000, 5, &a);
	CHECK_STR(labels(), "0 0.5 M 1 M 1.5 M");
	axis_linear(2.1e9, 3, &a);
	CHECK_STR(labels(), "0 1 G 2 G");
	axis_amount(0.24, 0.3, 2, &a);
	CHECK_STR(labels(), "0.25 0.3");
}

static void
test_percent(void)
{
	axis_linear(100, 14, &a);
	CHECK_STR(labels(), "0 10 20 30 40 50 60 70 80 90 100");
	CHECK_NEAR(a.low, 0, 0);
	CHECK_NEAR(a.high, 105, 1e-12);
	CHECK_INT(a.base, 0);
	axis_linear(230, 6, &a);
	CHECK_STR(labels(), "0 50 100 150 200");
}

static void
test_sizes(void)
{
	axis_sizes(1024, 1 << 26, 90, &a);
	CHECK_INT(a.base, 2);
	check_sane(90);
	CHECK_STR(labels(), "1K 4K 16K 64K 256K 1M 4M 16M 64M");
	axis_sizes(1, 9e15, 60, &a);
	check_sane(60);
	CHECK(a.low < 1 && a.high > 9e15);
	axis_sizes(3000, 3000, 60, &a);
	CHECK(a.low < 3000 && a.high > 3000);
	CHECK(a.n >= 1);
}

static void
test_names(void)
{
	static const char *const names[] = { "1KB", "1MB", "10MB", "20MB" };

	axis_names(names, 4, 40, &a);
	CHECK_STR(labels(), "1KB 1MB 10MB 20MB");
	CHECK_INT(a.base, 0);
	CHECK_NEAR(a.ticks[3].at, 4, 0);
	CHECK(a.low < 1 && a.high > 4);
	axis_names(names, 4, 14, &a);
	CHECK_STR(labels(), "1KB . 10MB .");
	axis_names(names, 4, 1, &a);
	CHECK_STR(labels(), "1KB . . .");
	CHECK_INT(a.label_lines, 1);
}

/* Labels are spread over the whole axis, however many names there are. */
static void
test_many_names(void)
{
	static char texts[300][8];
	const char *names[300];

	for (int i = 0; i < 300; i++) {
		snprintf(texts[i], sizeof texts[i], "c%03d", i);
		names[i] = texts[i];
	}
	axis_names(names, 300, 60, &a);
	CHECK(a.n >= 10 && a.n <= 12);
	CHECK_STR(a.ticks[0].label, "c000");
	CHECK(a.ticks[a.n - 1].at > 250);
	for (size_t i = 0; i < a.n; i++)
		CHECK(a.ticks[i].label[0] != '\0');
}

/* Names are wrapped between words before a label is left out. */
static void
test_long_names(void)
{
	static const char *const names[] = { "pytorch 1n1g", "pytorch 1n8g",
		"mxnet 2n8g" };
	char text[3 * AXIS_LABEL_SIZE], zh[3 * AXIS_LABEL_SIZE] = "";
	const char *one[] = { text, zh };

	axis_names(names, 3, 60, &a);
	CHECK_STR(labels(), "pytorch 1n1g pytorch 1n8g mxnet 2n8g");
	CHECK_INT(a.label_lines, 1);
	axis_names(names, 3, 30, &a);
	CHECK_STR(labels(), "pytorch 1n1g . mxnet 2n8g");
	/* A name of 110 characters is complete. */
	memset(text, 'x', 110);
	text[110] = '\0';
	for (int i = 0; i < 110; i++)
		memcpy(zh + 3 * (size_t)i, "飞", 4);
	axis_names(one, 2, 140, &a);
	CHECK_INT(strlen(a.ticks[0].label), 110 + 1);
	CHECK_INT(strlen(a.ticks[1].label), 330 + 3);
	CHECK_INT(a.label_lines, 4);
}

/* If multiples of 1, 2 and 5 give fewer than three ticks, steps are even. */
static void
test_few_decade_ticks(void)
{
	axis_amount(0.26, 1.1, 8, &a);
	CHECK_STR(labels(), "0.4 0.6 0.8 1 1.2");
	axis_amount(0.3, 3, 8, &a);
	CHECK_STR(labels(), "0.5 1 2");
}

static void
test_linear(void)
{
	const long counts[] = { 1, 2, 4, 8, 16, 32 };

	axis_counts(counts, 6, 60, 1, &a);
	CHECK_INT(a.base, 0);
	CHECK_NEAR(a.low, 0, 0);
	CHECK_NEAR(a.high, 33.6, 1e-12);
	/* 1 and 2 are 1.8 characters apart. */
	CHECK_STR(labels(), "1 . 4 8 16 32");
	axis_linear(16, 12, &a);
	CHECK_INT(a.base, 0);
	CHECK_NEAR(a.low, 0, 0);
	CHECK_STR(labels(), "0 2 4 6 8 10 12 14 16");
	axis_linear(0.3, 3, &a);
	CHECK_STR(labels(), "0 0.2");
}

static const struct tap_test tests[] = {
	TEST(test_times),
	TEST(test_few_decade_ticks),
	TEST(test_linear),
	TEST(test_sizes),
	TEST(test_names),
	TEST(test_many_names),
	TEST(test_long_names),
	TEST(test_powers_of_two),
	TEST(test_crowded_counts),
	TEST(test_limit),
	TEST(test_single_count),
	TEST(test_ratio),
	TEST(test_rows),
	TEST(test_amount),
	TEST(test_minor_ticks),
	TEST(test_units),
	TEST(test_percent),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
