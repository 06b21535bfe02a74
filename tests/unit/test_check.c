#include <config.h>

#include <math.h>
#include <string.h>

#include "common/alloc.h"
#include "common/series/result_set.h"
#include "report/check/check.h"
#include "tests/tap.h"
#include "tests/unit/check_findings.h"

static struct check_report r;
static struct error e;

/* Check a text; returns the exit status. */
static int
check(const char *text, double samples)
{
	CHECK_INT(
	    check_text(samples, "a.md", text, strlen(text), NULL, &r, &e), 0);
	return check_exit_status(&r);
}

#define HEAD "|nodes|GPUs|samples/s|speedup|\n|-|-|-|-|\n"

static void
test_speedups(void)
{
	CHECK_INT(check(HEAD "|1|1|100.0|1|\n|1|8|755.9|7.56|\n", NAN), 0);
	CHECK_INT(r.counts[CHECK_FOLLOWS], 2);
	check_release(&r);
	CHECK_INT(check(HEAD "|1|1|100.0|1|\n|1|8|755.9|7.58|\n", NAN), 1);
	found(&r, CHECK_DIFFERS, "4:12 7.58 7.56;");
	check_release(&r);
	/* Truncated speedups pass; one with fewer digits fails. */
	CHECK_INT(check(HEAD "|1|1|100.0|1|\n|1|8|755.9|7.55|\n", NAN), 0);
	found(&r, CHECK_CUT, "");
	check_release(&r);
	CHECK_INT(check(HEAD "|1|1|100.00|1|\n|1|8|755.90|7.55|\n", NAN), 0);
	found(&r, CHECK_CUT, "4:13 7.55 7.56;");
	check_release(&r);
	CHECK_INT(check(HEAD "|1|1|100.00|1|\n|1|8|750.00|7.50|\n"
			     "|2|16|1027.70|10.2|\n",
		      NAN),
	    1);
	found(&r, CHECK_DIFFERS, "5:15 10.2 10.28;");
	check_release(&r);
	/* A half in the last digit may be rounded either way. */
	CHECK_INT(
	    check(HEAD "|1|1|100000000|1|\n|1|8|755500000|7.55|\n", NAN), 0);
	found(&r, CHECK_FOLLOWS, "3:16 1 1.00;4:16 7.55 7.55;");
	check_release(&r);
}

static void
test_baselines(void)
{
	/* One baseline for each batch size. */
	CHECK_INT(check("|nodes|GPUs|batch_size_per_device|samples/s|speedup|\n"
			"|-|-|-|-|-|\n"
			"|1|1|64|100|1|\n|1|8|64|700|7|\n"
			"|1|1|96|200|1|\n|1|8|96|1500|7.5|\n",
		      NAN),
	    0);
	CHECK_INT(r.counts[CHECK_FOLLOWS], 4);
	check_release(&r);
	/* The row with the fewest GPUs, if its speedup is printed as 1. */
	CHECK_INT(check(HEAD "|1|8|100|1|\n|2|16|190|1.9|\n", NAN), 0);
	check_release(&r);
	/* Otherwise the table has no baseline. */
	CHECK_INT(check(HEAD "|1|8|100|7.5|\n|2|16|190|14.2|\n", NAN), 4);
	CHECK_INT(r.counts[CHECK_NO_BASELINE], 2);
	check_release(&r);
	CHECK_INT(check(HEAD "|1|1|OOM|-|\n|2|16|190|14.2|\n", NAN), 4);
	check_release(&r);
}

/* Rows of several batch sizes alternate. Each uses the baseline of its own
 * batch size, and rows of one batch size keep the order of the table. */
static void
test_mixed_baselines(void)
{
	CHECK_INT(check("|nodes|GPUs|batch_size_per_device|samples/s|speedup|\n"
			"|-|-|-|-|-|\n"
			"|1|1|96|200|1|\n|1|1|64|100|1|\n|1|8|96|1500|7.5|\n"
			"|1|8|64|700|7|\n|2|16|96|2800|14|\n"
			"|2|16|64|1300|14|\n",
		      NAN),
	    1);
	CHECK_INT(r.counts[CHECK_FOLLOWS], 5);
	found(&r, CHECK_DIFFERS, "8:15 14 13.0;");
	check_release(&r);
	/* A row of two GPUs and speedup 2 is not a baseline. A row of one GPU
	 * always is, so its speedup must be 1. */
	CHECK_INT(check(HEAD "|1|2|100|2|\n|1|4|190|3.8|\n", NAN), 4);
	CHECK_INT(r.counts[CHECK_NO_BASELINE], 2);
	check_release(&r);
	CHECK_INT(check(HEAD "|1|1|100|2|\n|1|4|380|3.8|\n", NAN), 1);
	found(&r, CHECK_DIFFERS, "3:10 2 1.0;");
	check_release(&r);
}

/* The efficiency too is relative to the baseline of its own batch size. A speed
 * of 0 counts as missing, and is not a baseline. */
static void
test_efficiency_of_mixed(void)
{
	CHECK_INT(check("|GPUs|batch_size_per_device|samples/s|efficiency|\n"
			"|-|-|-|-|\n"
			"|1|96|200|100%|\n|1|64|100|100%|\n"
			"|8|96|1200|75%|\n|8|64|700|87.5%|\n",
		      NAN),
	    0);
	CHECK_INT(r.counts[CHECK_FOLLOWS], 4);
	check_release(&r);
	CHECK_INT(check(HEAD "|1|1|0|1|\n|1|8|700|7|\n", NAN), 4);
	CHECK_INT(r.counts[CHECK_NO_BASELINE], 2);
	check_release(&r);
	CHECK_INT(check(HEAD "|1|1|100|1|\n|1|8|0|7|\n", NAN), 0);
	CHECK_INT(r.counts[CHECK_FOLLOWS], 1);
	CHECK_INT(r.counts[CHECK_NO_BASELINE], 1);
	check_release(&r);
}

/* The operand may be to the right of the cell and need not be adjacent. The
 * nearest is used; of two equally near, the left one. */
static void
test_places_of_operands(void)
{
	static const struct {
		const char *text, *wrong;
	} cases[] = {
		{ "|GPUs|speedup|samples/s|\n|-|-|-|\n|1|1|100|\n|8|7.1|700|\n",
		    "4:4 7.1 7.0;" },
		{ "|GPUs|speedup|loss|samples/s|\n|-|-|-|-|\n"
		  "|1|1|2.5|100|\n|8|7.1|2.5|700|\n",
		    "4:4 7.1 7.0;" },
		{ "|GPUs|speedup|loss|top|samples/s|\n|-|-|-|-|-|\n"
		  "|1|1|2.5|70|100|\n|8|7.1|2.5|70|700|\n",
		    "4:4 7.1 7.0;" },
		{ "|GPUs|samples/s|loss|speedup|\n|-|-|-|-|\n"
		  "|1|100|2.5|1|\n|8|700|2.5|7.1|\n",
		    "4:12 7.1 7.0;" },
		{ "|GPUs|samples/s|speedup|samples/s|\n|-|-|-|-|\n"
		  "|1|100|1|100|\n|8|700|7.5|750|\n",
		    "4:8 7.5 7.0;" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		CHECK_INT(check(cases[i].text, NAN), 1);
		found(&r, CHECK_DIFFERS, cases[i].wrong);
		check_release(&r);
	}
}

static void
test_times(void)
{
	/* Time of the whole training, whose work is constant. */
	CHECK_INT(check("|nodes|GPUs|time|speedup|\n|-|-|-|-|\n"
			"|1|1|100.0s|1|\n|1|4|40.0s|2.50|\n",
		      NAN),
	    0);
	check_release(&r);
	/* Time of a step: the work grows with the GPUs, or is constant. */
	CHECK_INT(check("|nodes|GPUs|latency(ms)|speedup|\n|-|-|-|-|\n"
			"|1|1|100.0|1|\n|1|4|110.0|3.64|\n|1|2|50.0|2.00|\n",
		      NAN),
	    0);
	CHECK_INT(r.counts[CHECK_FOLLOWS], 3);
	check_release(&r);
	CHECK_INT(check("|case|time|relative cost|\n|-|-|-|\n"
			"|1n1g|100s|100%|\n|4n1g|500s|125%|\n|1n4g|390s|99%|\n",
		      NAN),
	    1);
	found(&r, CHECK_DIFFERS, "5:12 99% 98%;");
	check_release(&r);
}

/* The work of a step grows with the GPUs or is constant. */
static void
test_speedups_of_steps(void)
{
	static const char *const heads[] = { "latency(ms)", "iterations/s" };
	static const double of_four[] = { 110.0, 9.1 };

	for (size_t i = 0; i < 2; i++)
		for (int k = 0; k < 4; k++) {
			static const char *const speedups[] = { "3.64", "0.91",
				"1.82", "14.55" };
			char text[500];

			snprintf(text, sizeof text,
			    "|GPUs|%s|speedup|\n|-|-|-|\n|1|%s|1|\n"
			    "|4|%.1f|%s|\n",
			    heads[i], i == 0 ? "100.0" : "10.0", of_four[i],
			    speedups[k]);
			CHECK_INT(check(text, NAN), k >= 2);
			CHECK_INT(r.counts[CHECK_DIFFERS], k >= 2);
			check_release(&r);
		}
}

/* Speedups of step times are computed from the runs' rates. With an even number
 * of runs the mean of two rates is not the inverse of the mean of two times. */
static void
test_even_runs(void)
{
	static const char *const texts[] = {
		"|GPUs|runs|step time (s)|speedup|\n|-|-|-|-|\n"
		"|1|4|1.000|1|\n|4|3|1.000|3.84|\n",
		"|GPUs|speedup|step time (s)|次数|\n|-|-|-|-|\n"
		"|1|1|1.000|3|\n|4|3.84|1.000|4|\n",
	};

	for (size_t i = 0; i < 2; i++) {
		CHECK_INT(check(texts[i], NAN), 0);
		CHECK_INT(r.counts[CHECK_NO_BASELINE], 1);
		check_release(&r);
	}
	CHECK_INT(check("|GPUs|n|step time (s)|speedup|\n|-|-|-|-|\n"
			"|1|5|1.000|1|\n|4|3|1.000|3.84|\n",
		      NAN),
	    1);
	check_release(&r);
	CHECK_INT(check("|GPUs|n|samples/s|speedup|\n|-|-|-|-|\n"
			"|1|4|100|1|\n|4|4|400|3.84|\n",
		      NAN),
	    1);
	check_release(&r);
}

/* The operand of a speedup has the same framework, precision and batch size, if
 * both column headings name one. */
static void
test_operands(void)
{
	CHECK_INT(check("|GPUs|samples/s(Aa)|samples/s(Bb)|speedup of Aa|"
			"speedup of Bb|\n|-|-|-|-|-|\n"
			"|1|100|10|1|1|\n|8|700|60|7.0|6.0|\n",
		      NAN),
	    0);
	CHECK_INT(r.counts[CHECK_FOLLOWS], 4);
	check_release(&r);
	CHECK_INT(check("|GPUs|FP32 samples/s|AMP samples/s|FP32 speedup|"
			"AMP speedup|\n|-|-|-|-|-|\n"
			"|1|100|10|1|1|\n|8|700|60|7.0|6.0|\n",
		      NAN),
	    0);
	CHECK_INT(r.counts[CHECK_FOLLOWS], 4);
	check_release(&r);
	CHECK_INT(check("|GPUs|samples/s bsz=32|samples/s bsz=64|"
			"speedup bsz=32|speedup bsz=64|\n|-|-|-|-|-|\n"
			"|1|100|10|1|1|\n|8|700|60|7.0|6.0|\n",
		      NAN),
	    0);
	CHECK_INT(r.counts[CHECK_FOLLOWS], 4);
	check_release(&r);
	/* A heading that names none uses the nearest operand. */
	CHECK_INT(check("|GPUs|FP32 samples/s|speedup|AMP samples/s|speedup|\n"
			"|-|-|-|-|-|\n"
			"|1|100|1|10|1|\n|8|700|7.0|60|6.0|\n",
		      NAN),
	    0);
	CHECK_INT(r.counts[CHECK_FOLLOWS], 4);
	check_release(&r);
}

/* Efficiency follows from speeds or, without any, from the speedup. */
static void
test_efficiency(void)
{
	CHECK_INT(check("|nodes|GPUs|samples/s|speedup|efficiency|\n"
			"|-|-|-|-|-|\n|1|1|100.0|1|100%|\n"
			"|1|8|700.0|7.00|87.5%|\n|2|16|1360.0|13.60|84%|\n",
		      NAN),
	    1);
	found(&r, CHECK_DIFFERS, "5:20 84% 85.0%;");
	check_release(&r);
	CHECK_INT(check("|GPUs|speedup|efficiency|\n|-|-|-|\n"
			"|1|1|1|\n|8|7.0|0.88|\n|16|13.6|0.90|\n",
		      NAN),
	    1);
	found(&r, CHECK_DIFFERS, "5:10 0.90 0.85;");
	check_release(&r);
}

/* 60 000 samples over the real time, and over the time cut to whole seconds. */
static void
test_samples(void)
{
	static const char text[] =
	    "|nodes|GPUs|time|throughput|\n|-|-|-|-|\n"
	    "|1|1|real 1m40.500s user 2m0.000s sys 0m1.000s|600.00 img/s|\n"
	    "|1|2|real 0m50.250s user 2m0.000s sys 0m1.000s|1194.03 img/s|\n"
	    "|1|4|real 0m31.000s user 2m0.000s sys 0m1.000s|2,000.00 img/s|\n";

	CHECK_INT(check(text, 60000), 1);
	found(&r, CHECK_CUT, "3:48 600.00 img/s 597.01 img/s;");
	found(&r, CHECK_FOLLOWS, "4:48 1194.03 img/s 1194.03 img/s;");
	found(&r, CHECK_DIFFERS, "5:48 2,000.00 img/s 1935.48 img/s;");
	check_release(&r);
	CHECK_INT(check(text, NAN), 4);
	check_release(&r);
	/* A step does not process all samples. */
	CHECK_INT(check("|GPUs|step time|samples/s|\n|-|-|-|\n"
			"|1|320 ms|100|\n|2|330 ms|190|\n",
		      60000),
	    4);
	CHECK_INT(r.n, 0);
	check_release(&r);
	/* Times below 1 s: cut to one digit, and cut to 0. */
	CHECK_INT(check("|GPUs|time|samples/s|\n|-|-|-|\n"
			"|1|0.97s|111.11|\n|2|0.47s|999.99|\n",
		      100),
	    1);
	found(&r, CHECK_CUT, "3:10 111.11 103.09;");
	found(&r, CHECK_DIFFERS, "4:10 999.99 212.77;");
	check_release(&r);
	/* Times cut to one decimal and to seconds; an unexplained rate. */
	CHECK_INT(check("|GPUs|time|samples/s|\n|-|-|-|\n"
			"|1|12.37s|81.30|\n|2|12.97s|83.33|\n"
			"|4|4.97s|204.08|\n|8|9.37s|999.99|\n",
		      1000),
	    1);
	found(&r, CHECK_CUT,
	    "3:11 81.30 80.84;4:11 83.33 77.10;5:10 204.08 201.21;");
	found(&r, CHECK_DIFFERS, "6:10 999.99 106.72;");
	check_release(&r);
}

/* Table layouts as in papers. Only the wrong cells are reported. */
static const struct {
	const char *text;
	const char *wrong; /* place, text and expected text */
} layouts[] = {
	/* The column headings are cases. */
	{ "| |1 GPU|8 GPUs|2 nodes, 16 GPUs|\n|-|-|-|-|\n"
	  "|A img/s|100|760|1500|\n|A speedup|1|7.6|15.5|\n",
	    "4:18 15.5 15.0;" },
	/* Units in a row below the headings. */
	{ "|GPUs|Throughput|Speedup|\n|-|-|-|\n| |(img/s)| |\n"
	  "|1|390|1|\n|8|2970|7.7|\n",
	    "5:9 7.7 7.6;" },
	{ "\\begin{tabular}{lccc}\nF & GPUs & img/s & speedup \\\\\n"
	  "A & 1 & $100$ & 1 \\\\\nA & 8 & 700 & $7.1\\times$ \\\\\n"
	  "B & 1 & 90 & 1 \\\\\nB & 8 & 700 & 7.8 \\\\\n"
	  "\\end{tabular}\n",
	    "4:15 7.1x 7.0x;" },
	/* The whole table in one line. */
	{ "node_num gpu_num samples/s(B) speedup 1 1 100.0 1.00 "
	  "1 8 760.0 7.90 and so on\n",
	    "1:64 7.90 7.60;" },
	{ "|GPUs|baseline|img/s|speedup|\n|-|-|-|-|\n|1|old|100|1|\n"
	  "|8|old|760|7.7|\n",
	    "4:12 7.7 7.6;" },
	/* The speedup is over the preceding column, the baseline. */
	{ "|GPUs|old (img/s)|new (img/s)|speedup|\n|-|-|-|-|\n"
	  "|1|390|585|1.50x|\n|8|3000|4600|1.63x|\n",
	    "4:14 1.63x 1.53x;" },
	/* A wrong speed is reported, not the cells computed from it. */
	{ "|GPUs|img/s|speedup|\n|-|-|-|\n|1|110|1|\n|8|760|7.6|\n"
	  "|16|1500|15.0|\n",
	    "3:4 110 100;" },
	{ "|GPUs|img/s|speedup|efficiency|\n|-|-|-|-|\n|1|100|1|1.00|\n"
	  "|8|860|7.6|0.95|\n|16|1600|15.0|0.94|\n|32|2900|29.0|0.91|\n",
	    "4:4 860 760;5:5 1600 1501;" },
	/* Empty headings above the headings. */
	{ "| | | |\n|-|-|-|\n|GPUs|img/s|speedup|\n"
	  "|1|390.1|1.00|\n|8|2,970.3|7.71|\n",
	    "5:12 7.71 7.61;" },
};

static void
test_layouts(void)
{
	for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
		CHECK_INT(check(layouts[i].text, NAN), 1);
		found(&r, CHECK_DIFFERS, layouts[i].wrong);
		found(&r, CHECK_UNREAD, "");
		found(&r, CHECK_NO_BASELINE, "");
		check_release(&r);
	}
}

/* The fewest GPUs are determined within each group. */
static void
test_fewest_of_groups(void)
{
	static const int batches[][2] = { { 64, 96 }, { 96, 64 } };

	for (size_t i = 0; i < 2; i++) {
		const int a = batches[i][0], b = batches[i][1];
		char text[500];

		snprintf(text, sizeof text,
		    "|GPUs|batch_size_per_device|samples/s|speedup|\n"
		    "|-|-|-|-|\n|8|%d|100|1|\n|16|%d|190|1.9|\n"
		    "|1|%d|50|1|\n|4|%d|150|3|\n",
		    a, a, b, b);
		CHECK_INT(check(text, NAN), 0);
		CHECK_INT(r.counts[CHECK_FOLLOWS], 4);
		check_release(&r);
		/* Without a speedup of 1, the only row of one GPU is used. */
		snprintf(text, sizeof text,
		    "|GPUs|batch_size_per_device|samples/s|speedup|\n"
		    "|-|-|-|-|\n|8|%d|350|7|\n|16|%d|700|14|\n"
		    "|1|%d|50|1|\n|4|%d|150|3|\n",
		    a, a, b, b);
		CHECK_INT(check(text, NAN), 0);
		CHECK_INT(r.counts[CHECK_FOLLOWS], 4);
		check_release(&r);
	}
}

/* The first cell may be the wrong one. */
static void
test_first_cell(void)
{
	CHECK_INT(check("|img/s|GPUs|speedup|\n|-|-|-|\n|110|1|1.00|\n"
			"|200|2|2.00|\n|400|4|4.00|\n|800|8|8.00|\n",
		      NAN),
	    1);
	found(&r, CHECK_DIFFERS, "3:2 110 100;");
	check_release(&r);
	/* Also if it is not in the row of the baseline. */
	CHECK_INT(check("|img/s|GPUs|speedup|efficiency|\n|-|-|-|-|\n"
			"|860|8|7.6|0.95|\n|100|1|1|1.00|\n"
			"|1500|16|15.0|0.94|\n|2900|32|29.0|0.91|\n",
		      NAN),
	    1);
	found(&r, CHECK_DIFFERS, "3:2 860 760;");
	check_release(&r);
}

/* Two wrong cells that explain the same number of failures, but different ones,
 * are both reported. */
static void
test_two_wrong_cells(void)
{
	CHECK_INT(check("|GPUs|img/s|speedup|efficiency|\n|-|-|-|-|\n"
			"|1|100|1|1.00|\n|8|860|7.6|0.95|\n"
			"|16|1697|15.0|0.94|\n|32|2900|29.0|0.91|\n"
			"|64|5600|56.0|0.88|\n",
		      NAN),
	    1);
	found(&r, CHECK_DIFFERS, "4:4 860 760;5:5 1697 1501;");
	check_release(&r);
}

/* Speedups of 1 only have no baseline. If two cells explain the same failures,
 * neither is blamed. Efficiencies of which only one fits have no baseline. */
static void
test_nothing_to_conclude(void)
{
	CHECK_INT(check("|model|img/s|speedup|\n|-|-|-|\n|m|100|1.0|\n"
			"|k|200|1.0|\n",
		      NAN),
	    4);
	CHECK_INT(r.counts[CHECK_NO_BASELINE], 2);
	CHECK_INT(r.n_remarks, 1);
	check_release(&r);
	CHECK_INT(check("|GPUs|img/s|speedup|efficiency|\n|-|-|-|-|\n"
			"|1|100|1|1.00|\n|8|860|7.6|0.95|\n",
		      NAN),
	    1);
	found(&r, CHECK_DIFFERS, "4:8 7.6 8.6;4:12 0.95 1.07;");
	check_release(&r);
	CHECK_INT(check("|GPUs|speedup|efficiency|\n|-|-|-|\n|8|7.6|95%|\n"
			"|16|15.0|80%|\n|32|29.0|70%|\n",
		      NAN),
	    4);
	CHECK_INT(r.counts[CHECK_NO_BASELINE], 6);
	check_release(&r);
	/* A batch size does not turn the time of a training into a rate. */
	CHECK_INT(check("|GPUs|bsz|time|samples/s|\n|-|-|-|-|\n"
			"|1|32|100.0s|320.0|\n|8|32|110.0s|2327.3|\n",
		      NAN),
	    4);
	CHECK_INT(r.n, 0);
	check_release(&r);
	CHECK_INT(check("|bsz|latency(ms)|samples/s|\n|-|-|-|\n"
			"|32|100.0|320.0|\n|64|110.0|600|\n",
		      NAN),
	    4);
	CHECK_INT(r.n, 0);
	check_release(&r);
}

/* The expected value is computed from the digits as printed: 1000 / 0.37, not
 * midway between 1000 / 0.375 and 1000 / 0.365, which is 2703.20. */
static void
test_should_be(void)
{
	CHECK_INT(check("|GPUs|time (s)|samples/s|\n|-|-|-|\n"
			"|1|0.37|2500.00|\n",
		      1000),
	    1);
	CHECK_STR(r.findings[0].expected, "2702.70");
	check_release(&r);
	CHECK_INT(check("|GPUs|time (s)|samples/s|\n|-|-|-|\n"
			"|1|0.37|2703.20|\n|2|0.37|2739.70|\n",
		      1000),
	    0);
	CHECK_STR(r.findings[0].expected, "2702.70");
	check_release(&r);
	CHECK_INT(
	    check("|GPUs|img/s|speedup|\n|-|-|-|\n|1|3|1|\n|8|20|5.0|\n", NAN),
	    1);
	CHECK_STR(r.findings[1].expected, "6.7");
	check_release(&r);
}

/* Rows below a title use the baseline of their group. Columns about the
 * measurement, such as its interval, are not operands. */
static void
test_groups(void)
{
#define GROUPS \
	"|case|runs|median (s)|interval (s)|speedup|interval|eff. (%)|" \
	"flags|\n|-|-|-|-|-|-|-|-|\n|**paddle**||||||||\n" \
	"|1n8g|1|0.15345||1||100.0||\n|**pytorch**||||||||\n"
	CHECK_INT(check(GROUPS "|1n1g|5|0.12506|[0.125, 0.126]|1||100.0|a|\n"
			       "|1n8g|3|0.12506|within ±0.2 %|8.00|"
			       "[7.9, 8.1]|100.0|b|\n",
		      NAN),
	    0);
	CHECK_INT(r.counts[CHECK_FOLLOWS], 6);
	CHECK_INT(r.n_remarks, 0);
	CHECK_STR(r.findings[0].row, "paddle, 1n8g");
	check_release(&r);
	CHECK_INT(check(GROUPS "|1n1g|5|0.12506||1||100.0|a|\n"
			       "|1n8g|3|0.12506||7.50||93.8|b|\n",
		      NAN),
	    1);
	found(&r, CHECK_DIFFERS, "7:18 7.50 8.00;7:24 93.8 100.0;");
	check_release(&r);
#undef GROUPS
	/* A row with a case but without numbers is not a title. */
	CHECK_INT(check("|case|img/s|speedup|\n|-|-|-|\n|1n1g|100|1|\n"
			"|1n4g| | |\n|1n8g|700|7.0|\n",
		      NAN),
	    0);
	CHECK_INT(r.counts[CHECK_FOLLOWS], 2);
	check_release(&r);
}

/* A column "unit" sets the quantity, unless its rows have several units. */
static void
test_unit_of_rows(void)
{
	CHECK_INT(
	    check("|case|unit|n|median|median_low|speedup|\n|-|-|-|-|-|-|\n"
		  "|1n1g|s|5|0.2|0.1|1|\n|1n8g|s|7|0.1|0.05|2|\n",
		NAN),
	    0);
	CHECK_INT(r.counts[CHECK_FOLLOWS], 2);
	check_release(&r);
	CHECK_INT(
	    check("|case|unit|n|median|median_low|speedup|\n|-|-|-|-|-|-|\n"
		  "|1n1g|s|5|0.2|0.1|1|\n|1n8g|samples/s|6|0.1|0.05|2|\n",
		NAN),
	    4);
	check_release(&r);
}

static void
test_sums(void)
{
	CHECK_INT(check("| |count|mean time/ms|total time/s|time share|\n"
			"|-|-|-|-|-|\n|a|100|5.00|0.50|10.00%|\n"
			"|b|300|15.00|4.50|90.00%|\n",
		      NAN),
	    0);
	CHECK_INT(r.counts[CHECK_FOLLOWS], 4);
	check_release(&r);
	/* The times are in the first column; then one is missing. */
	CHECK_INT(check("|total time/s|time share|\n|-|-|\n|0.50|10.00%|\n"
			"|4.50|91.00%|\n",
		      NAN),
	    1);
	found(&r, CHECK_DIFFERS, "4:7 91.00% 90.00%;");
	check_release(&r);
	CHECK_INT(check("|total time/s|time share|\n|-|-|\n|0.50|10.00%|\n"
			"|OOM|90.00%|\n",
		      NAN),
	    4);
	CHECK_INT(r.counts[CHECK_NO_BASELINE], 2);
	check_release(&r);
	CHECK_INT(
	    check("|a Mem/MB|b Mem/MB|ratio|\n|-|-|-|\n|1|2|3|\n", NAN), 4);
	check_release(&r);
	CHECK_INT(check("|a memory/MB|b memory/MB|ratio|\n|-|-|-|\n"
			"|1,000|4000|25%|\n|1000|4000|4.0|\n|1000|4000|30%|\n",
		      NAN),
	    1);
	found(&r, CHECK_DIFFERS, "5:12 30% 25.0%;");
	check_release(&r);
}

/* A global batch size grows with the GPUs or is constant. In both cases rows
 * that belong together share one baseline. */
static void
test_global_batches(void)
{
	static const char head[] =
	    "|GPUs|global_batch_size|samples/s|speedup|\n|-|-|-|-|\n";
	char text[1000];

	snprintf(text, sizeof text,
	    "%s|1|32|100|1|\n|8|256|700|7.0|\n"
	    "|1|64|200|1|\n|8|512|1500|7.0|\n",
	    head);
	CHECK_INT(check(text, NAN), 1);
	found(&r, CHECK_DIFFERS, "6:13 7.0 7.5;");
	CHECK_INT(r.counts[CHECK_FOLLOWS], 3);
	check_release(&r);
	snprintf(text, sizeof text,
	    "%s|1|256|100|1|\n|8|256|700|7.0|\n"
	    "|1|512|200|1|\n|8|512|1500|7.0|\n",
	    head);
	CHECK_INT(check(text, NAN), 1);
	found(&r, CHECK_DIFFERS, "6:13 7.0 7.5;");
	CHECK_INT(r.counts[CHECK_FOLLOWS], 3);
	check_release(&r);
}

/* A percentage after memory or a bandwidth is not an efficiency. */
static void
test_shares_after(void)
{
	CHECK_INT(check("|GPUs|samples/s|speedup|memory|receiving|\n"
			"|-|-|-|-|-|\n"
			"|1|100|1|4000 MiB (50%)|5 Gb/s (50%)|\n"
			"|8|700|7.0|8000 MiB (50%)|5 Gb/s (50%)|\n",
		      NAN),
	    0);
	CHECK_INT(r.n, 2);
	check_release(&r);
	CHECK_INT(
	    check("|GPUs|time|\n|-|-|\n|1|100s|\n|8|14s (90%)|\n", NAN), 1);
	found(&r, CHECK_DIFFERS, "4:4 14s (90%) (2%);");
	check_release(&r);
}

/* A percentage is not checked if the baseline is not a number, nor in the row
 * of the baseline itself. */
static void
test_shares_of_nothing(void)
{
	CHECK_INT(
	    check("|GPUs|time|\n|-|-|\n|1|OOM|\n|8|14s (90%)|\n", NAN), 4);
	CHECK_INT(r.n, 0);
	check_release(&r);
	CHECK_INT(
	    check("|GPUs|time|\n|-|-|\n|1|9s (7%)|\n|8|OOM (90%)|\n", NAN), 4);
	CHECK_INT(r.n, 0);
	check_release(&r);
	CHECK_INT(check("|GPUs|time|relative cost|\n|-|-|-|\n|1|OOM|1|\n"
			"|8|14s|90%|\n",
		      NAN),
	    4);
	CHECK_INT(r.counts[CHECK_NO_BASELINE], 2);
	check_release(&r);
	/* A percentage after a speed is the efficiency. */
	CHECK_INT(check("|GPUs|samples/s|\n|-|-|\n|1|100|\n|8|600 (75%)|\n"
			"|16|600 (75%)|\n",
		      NAN),
	    1);
	found(&r, CHECK_DIFFERS, "5:5 600 (75%) (38%);");
	check_release(&r);
}

/* The case and the GPU count of a row must agree; otherwise nothing in the row
 * is checked. */
static void
test_case_and_count(void)
{
	CHECK_INT(check("|case|GPUs|samples/s|speedup|\n|-|-|-|-|\n"
			"|1n1g|1|10|1|\n|2n8g|15|50|5|\n|2n8g|16|50|5|\n",
		      NAN),
	    0);
	found(&r, CHECK_UNREAD, "4:7 15 ?;");
	found(&r, CHECK_NO_BASELINE, "4:13 5 ?;");
	CHECK_INT(r.counts[CHECK_FOLLOWS], 2);
	check_release(&r);
}

static void
test_what_cannot_be_read(void)
{
	CHECK_INT(check(HEAD "|1|1|100|1|\n|1|8|70.0.0|7|\n", NAN), 1);
	found(&r, CHECK_MALFORMED, "4:6 70.0.0 ?;");
	found(&r, CHECK_NO_BASELINE, "4:13 7 ?;");
	check_release(&r);
	CHECK_INT(check(HEAD "|1|1|100|1|\n|1|8|700 710|7|\n", NAN), 0);
	found(&r, CHECK_UNREAD, "4:6 700 710 ?;");
	check_release(&r);
	CHECK_INT(check(HEAD "|1|1|100|1|\n|x|8|OOM|TODO|\n", NAN), 0);
	found(&r, CHECK_UNREAD, "4:2 x ?;");
	check_release(&r);
}

/* --- against results ------------------------------------------------------ */

static void
test_no_table(void)
{
	CHECK_INT(check_text(NAN, "a.md", "no table\n", 9, NULL, &r, &e), -1);
	CHECK_INT(e.code, ERROR_EMPTY);
	CHECK_STR(
	    e.message, "a.md: it has no table of speeds, times or speedups");
}

static const struct tap_test tests[] = {
	TEST(test_speedups),
	TEST(test_baselines),
	TEST(test_mixed_baselines),
	TEST(test_efficiency_of_mixed),
	TEST(test_places_of_operands),
	TEST(test_times),
	TEST(test_speedups_of_steps),
	TEST(test_even_runs),
	TEST(test_operands),
	TEST(test_efficiency),
	TEST(test_samples),
	TEST(test_layouts),
	TEST(test_fewest_of_groups),
	TEST(test_first_cell),
	TEST(test_two_wrong_cells),
	TEST(test_nothing_to_conclude),
	TEST(test_should_be),
	TEST(test_groups),
	TEST(test_unit_of_rows),
	TEST(test_sums),
	TEST(test_global_batches),
	TEST(test_shares_after),
	TEST(test_shares_of_nothing),
	TEST(test_case_and_count),
	TEST(test_what_cannot_be_read),
	TEST(test_no_table),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
