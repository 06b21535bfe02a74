/* What a cell follows from: step times of an even number of runs, whose speedup
 * is the mean of two rates. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/check/check.h"
#include "tests/tap.h"

/* The verdict on the speedup of the second row. */
static enum check_verdict
speedup_verdict(const char *text)
{
	enum check_verdict verdict = CHECK_N_VERDICTS;
	struct error e = ERROR_INIT;
	struct check_report r;

	CHECK_INT(check_text(NAN, text[0] == '|' ? "a.md" : "a.csv", text,
		      strlen(text), NULL, &r, &e),
	    0);
	for (size_t i = 0; i < r.n; i++)
		if (strcmp(r.findings[i].column, "speedup") == 0)
			verdict = r.findings[i].verdict;
	check_release(&r);
	return verdict;
}

/* The median of the first row is 1 s, of runs between 0.8 s and 1.2 s: times of
 * 0.799 s and 1.201 s have a mean rate of 1 / 0.959 s, so that 4 devices in 1 s
 * are 3.83 to 4.00 times as fast. */
static void
test_even_runs(void)
{
	static const struct {
		const char *runs, *interval, *speedup;
		int follows;
	} cases[] = {
		{ "4", "[0.800, 1.200]", "4.00", 1 },
		{ "4", "[0.800, 1.200]", "3.83", 1 },
		{ "4", "[0.800, 1.200]", "3.82", 0 },
		{ "4", "[0.800, 1.200]", "4.02", 0 },
		{ "2", "[0.800, 1.200]", "3.84", 1 },
		{ "4", "[ 0.800 , 1.200 ]", "3.84", 1 },
		{ "4", "[8e-1, 1.2e+0]", "3.84", 1 },
		/* Of an odd number one is the median. */
		{ "3", "[0.800, 1.200]", "3.84", 0 },
		{ "3", "[0.800, 1.200]", "4.00", 1 },
		{ "1", "[0.800, 1.200]", "3.84", 0 },
		{ "0", "[0.800, 1.200]", "3.84", 0 },
		{ "", "[0.800, 1.200]", "3.84", 0 },
		/* Both are as far from the median. */
		{ "4", "[0.800, 1.010]", "3.84", 0 },
		{ "4", "[0.990, 1.200]", "3.84", 0 },
		{ "4", "[0.990, 1.010]", "4.00", 1 },
		/* It is no interval. */
		{ "4", "", "3.84", 0 },
		{ "4", "0.800, 1.200]", "3.84", 0 },
		{ "4", "[0.800; 1.200]", "3.84", 0 },
		{ "4", "[0.800, 1.200", "3.84", 0 },
		{ "4", "[0.800, 1.200] s", "3.84", 0 },
		{ "4", "[0.800, x]", "3.84", 0 },
		{ "4", "[x, 1.200]", "3.84", 0 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char text[500];

		snprintf(text, sizeof text,
		    "|GPUs|runs|step time (s)|interval (s)|speedup|\n"
		    "|-|-|-|-|-|\n|1|%s|1.000|%s|1|\n|4|3|1.000||%s|\n",
		    cases[i].runs, cases[i].interval, cases[i].speedup);
		printf("# %s", text);
		CHECK_INT(speedup_verdict(text),
		    cases[i].follows ? CHECK_FOLLOWS : CHECK_DIFFERS);
	}
}

/* The columns may stand in any order, and be called as in any of our tables. */
static void
test_columns_of_runs(void)
{
	static const struct {
		const char *text;
		int follows;
	} cases[] = {
		{ "|runs|GPUs|step time (s)|interval|speedup|\n|-|-|-|-|-|\n"
		  "|4|1|1.000|[0.8, 1.2]|1|\n|3|4|1.000||3.84|\n",
		    1 },
		{ "|GPUs|次数|step time (s)|interval|speedup|\n|-|-|-|-|-|\n"
		  "|1|4|1.000|[0.8, 1.2]|1|\n|4|3|1.000||3.84|\n",
		    1 },
		{ "|GPUs|tries|step time (s)|interval|speedup|\n|-|-|-|-|-|\n"
		  "|1|4|1.000|[0.8, 1.2]|1|\n|4|3|1.000||3.84|\n",
		    0 },
		{ "|GPUs|speedup|step time (s)|interval|n|\n|-|-|-|-|-|\n"
		  "|1|1|1.000|[0.8, 1.2]|4|\n|4|3.84|1.000||3|\n",
		    1 },
		{ "|GPUs|speedup|n|step time (s)|interval|\n|-|-|-|-|-|\n"
		  "|1|1|4|1.000|[0.8, 1.2]|\n|4|3.84|3|1.000||\n",
		    1 },
		{ "|GPUs|speedup|n|step time (s)|\n|-|-|-|-|\n"
		  "|1|1|4|1.000|\n|4|3.84|3|1.000|\n",
		    0 },
		/* As in CSV. */
		{ "GPUs,n,step time (s),median_low,median_high,speedup\n"
		  "1,4,1.000,0.8,1.2,1\n4,3,1.000,,,3.84\n",
		    1 },
		{ "GPUs,n,speedup,step time (s),median_low,median_high\n"
		  "1,4,1,1.000,0.8,1.2\n4,3,3.84,1.000,,\n",
		    1 },
		{ "GPUs,n,step time (s),median_low,median_high,speedup\n"
		  "1,4,1.000,0.8,,1\n4,3,1.000,,,3.84\n",
		    0 },
		{ "GPUs,n,speedup,step time (s),median_low\n"
		  "1,4,1,1.000,0.8\n4,3,3.84,1.000,\n",
		    0 },
		/* In milliseconds; and of a rate the mean is the mean. */
		{ "|GPUs|runs|latency(ms)|interval|speedup|\n|-|-|-|-|-|\n"
		  "|1|4|1000|[800, 1200]|1|\n|4|3|1000||3.84|\n",
		    1 },
		{ "|GPUs|runs|latency(ms)|interval|speedup|\n|-|-|-|-|-|\n"
		  "|1|4|1000|[800, 1200]|1|\n|4|3|1000||3.80|\n",
		    0 },
		{ "|GPUs|runs|samples/s|interval|speedup|\n|-|-|-|-|-|\n"
		  "|1|4|100.0|[80, 120]|1|\n|4|3|400.0||3.84|\n",
		    0 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		printf("# %s", cases[i].text);
		CHECK_INT(speedup_verdict(cases[i].text),
		    cases[i].follows ? CHECK_FOLLOWS : CHECK_DIFFERS);
	}
}

static const struct tap_test tests[] = {
	TEST(test_even_runs),
	TEST(test_columns_of_runs),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
