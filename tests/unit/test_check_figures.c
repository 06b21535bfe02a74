/* Tables that are checked against results. */
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

/* Check a text against figures. Returns the exit status; r has the report. */
static int
check_against_figures(const char *text, const char *figures)
{
	const struct series_how how = { .allow_mixed = 1 };
	struct result_set list = RESULT_SET_INIT;
	struct series_set set;
	struct result_file *s;

	list.items =
	    vec_grow(list.items, list.n, &list.alloc, sizeof *list.items);
	s = &list.items[list.n++];
	memset(s, 0, sizeof *s);
	CHECK_INT(
	    reference_values_parse("f", figures, strlen(figures), 0, s, &e), 0);
	s->path = s->name = "f";
	CHECK_INT(series_collect(&list, &how, &set, &e), 0);
	CHECK_INT(check_text(NAN, "a.md", text, strlen(text), &set, &r, &e), 0);
	series_release(&set);
	result_set_release(&list);
	return check_exit_status(&r);
}

#define SPEEDS "|GPUs|samples/s|\n|-|-|\n"
#define SPEEDS_OF_A "|nodes|GPUs|A|\n|1|1|100|\n"
#define FIGURES(model, speed) \
	"model: " model "\n|nodes|GPUs|own|\n|1|1|" speed "|\n"

/* A README of two models is checked against the result of one: the other
 * model's table has no case. */
static void
test_headings(void)
{
	static const char two[] = "# ResNet-50 V1.5, FP32\n" SPEEDS "|1|100|\n"
				  "# BERT base\n" SPEEDS "|1|50|\n";

	CHECK_INT(check_against_figures(two, FIGURES("resnet50", "100")), 0);
	CHECK_INT(r.counts[CHECK_FOLLOWS], 1);
	CHECK_INT(r.counts[CHECK_NO_CASE], 1);
	check_release(&r);
	CHECK_INT(check_against_figures(two, FIGURES("bert-base", "51")), 1);
	found(&r, CHECK_DIFFERS, "8:4 50 51;");
	CHECK_INT(r.counts[CHECK_NO_CASE], 1);
	check_release(&r);
	/* Each of two models in the results is compared with its table. */
	CHECK_INT(check_against_figures(
		      two, FIGURES("resnet50", "100") FIGURES("bert", "50")),
	    0);
	CHECK_INT(r.counts[CHECK_FOLLOWS], 2);
	check_release(&r);
	/* If no heading names the model, a remark states the assumption. */
	CHECK_INT(check_against_figures(two, FIGURES("resnet5", "100")), 1);
	CHECK_INT(r.counts[CHECK_FOLLOWS], 1);
	found(&r, CHECK_DIFFERS, "8:4 50 100;");
	CHECK_INT(r.n_remarks, 2);
	CHECK_INT(r.remarks[1].line, 6);
	CHECK_STR(sentence(&r, &r.remarks[1].remark),
	    "not stated, and taken to be as in the results: framework, "
	    "model; --select chooses among these");
	check_release(&r);
	/* "bert" is not found in "Albert", but it is in "A BERT". */
	CHECK_INT(check_against_figures("# Albert\n" SPEEDS "|1|50|\n"
					"# A BERT\n" SPEEDS "|1|60|\n",
		      FIGURES("bert", "60")),
	    0);
	CHECK_INT(r.counts[CHECK_NO_CASE], 1);
	CHECK_INT(r.n_remarks, 1);
	CHECK(strstr(sentence(&r, &r.remarks[0].remark),
		  "results: framework;") != NULL);
	check_release(&r);
}

/* A name may be a single letter. */
static void
test_short_names(void)
{
	static const char figures[] =
	    "model: vgg16\n|nodes|GPUs|A|B|\n|1|1|100|50|\n";

	CHECK_INT(check_against_figures("|framework|GPUs|samples/s|\n|-|-|-|\n"
					"|A|1|100|\n|B|1|51|\n|C|1|50|\n",
		      figures),
	    1);
	CHECK_INT(r.counts[CHECK_FOLLOWS], 1);
	found(&r, CHECK_DIFFERS, "4:6 51 50;");
	found(&r, CHECK_NO_CASE, "5:6 50 ?;");
	check_release(&r);
}

/* Columns of a row state its framework, precision and model. */
static void
test_rows_of_cases(void)
{
	static const char figures[] =
	    "model: vgg16\nprecision: fp32\n"
	    "|nodes|GPUs|Net9|Net8|\n|1|1|100|50|\n"
	    "precision: amp\n|nodes|GPUs|Net9|Net8|\n|1|1|200|60|\n"
	    "model: bert\n|nodes|GPUs|Net9|\n|1|1|300|\n";

	CHECK_INT(check_against_figures(
		      "|framework|model|precision|GPUs|samples/s|\n"
		      "|-|-|-|-|-|\n"
		      "|Net-9|VGG-16|fp32|1|100|\n|net8|vgg16|fp32|1|50|\n"
		      "|Net9|vgg16|amp|1|200|\n|Net9|bert|amp|1|301|\n"
		      "|Net8|bert|amp|1|300|\n|Net9|vgg16||1|100|\n",
		      figures),
	    1);
	CHECK_INT(r.counts[CHECK_FOLLOWS], 3);
	found(&r, CHECK_DIFFERS, "6:18 301 300;");
	found(&r, CHECK_NO_CASE, "7:18 300 ?;");
	found(&r, CHECK_SEVERAL, "8:16 100 ?;");
	CHECK_INT(r.n_remarks, 0);
	check_release(&r);
}

/* A speedup belongs to the same case as its speed, even if its own head does
 * not state it. */
static void
test_speedups_of_cases(void)
{
	static const char text[] =
	    "|GPUs|FP32 samples/s(Net9) bsz=32|speedup|\n|-|-|-|\n"
	    "|1|100|1|\n|8|700|7.0|\n";
	static const char table[] = "|nodes|GPUs|Net9|Net8|\n"
				    "|1|1|100|100|\n|1|8|700|600|\n";
	char figures[500];

	snprintf(figures, sizeof figures,
	    "precision: fp32\nbatch: 32\n%sbatch: 64\n%s"
	    "precision: amp\nbatch: 32\n%s",
	    table, table, table);
	CHECK_INT(check_against_figures(text, figures), 0);
	CHECK_INT(r.counts[CHECK_SEVERAL], 0);
	/* Two speedups within the table, and four cells against the case. */
	CHECK_INT(r.counts[CHECK_FOLLOWS], 6);
	CHECK_INT(r.n_remarks, 0);
	check_release(&r);
	CHECK_INT(
	    check_against_figures("|GPUs|samples/s(Net7)|speedup|\n|-|-|-|\n"
				  "|1|100|1|\n|8|700|7.0|\n",
		figures),
	    0);
	CHECK_INT(r.counts[CHECK_NO_CASE], 4);
	check_release(&r);
}

/* Speedups over different baselines are not compared; those over the same one
 * are, even if the table has no row for it. */
static void
test_baselines_of_cases(void)
{
	static const char without[] =
	    "|nodes|GPUs|A|\n|1|8|700|\n|2|16|1300|\n";
	static const char with[] =
	    "|nodes|GPUs|A|\n|1|1|100|\n|1|8|700|\n|2|16|1300|\n";
	static const char from_one[] =
	    "|GPUs|speedup|\n|-|-|\n|1|1|\n|8|7.0|\n|16|13.1|\n";
	static const char from_eight[] =
	    "|GPUs|speedup|\n|-|-|\n|8|1|\n|16|1.86|\n";
	static const char lacks[] =
	    "|GPUs|efficiency|\n|-|-|\n|8|87.5%|\n|16|82%|\n";

	CHECK_INT(check_against_figures(from_one, without), 4);
	CHECK_INT(r.counts[CHECK_DIFFERS], 0);
	check_release(&r);
	CHECK_INT(check_against_figures(from_one, with), 1);
	found(&r, CHECK_DIFFERS, "5:5 13.1 13.0;");
	check_release(&r);
	CHECK_INT(check_against_figures(from_eight, without), 0);
	CHECK_INT(r.counts[CHECK_FOLLOWS], 2);
	check_release(&r);
	CHECK_INT(check_against_figures(from_eight, with), 4);
	check_release(&r);
	CHECK_INT(check_against_figures(lacks, with), 1);
	found(&r, CHECK_DIFFERS, "4:5 82% 81.2%;");
	check_release(&r);
	CHECK_INT(check_against_figures(lacks, without), 4);
	check_release(&r);
}

/* A column's unit and a case's must count the same quantity. */
static void
test_units_of_cases(void)
{
	static const char figures[] = "unit: tokens/s\n" SPEEDS_OF_A;

	CHECK_INT(check_against_figures(SPEEDS "|1|100|\n", figures), 4);
	CHECK_INT(r.counts[CHECK_NO_CASE], 1);
	check_release(&r);
	CHECK_INT(
	    check_against_figures("|GPUs|tokens/s|\n|-|-|\n|1|100|\n", figures),
	    0);
	check_release(&r);
	CHECK_INT(check_against_figures(
		      "|GPUs|throughput|\n|-|-|\n|1|100|\n", figures),
	    0);
	check_release(&r);
	CHECK_INT(check_against_figures(
		      SPEEDS "|1|100|\n", "unit: images/s\n" SPEEDS_OF_A),
	    0);
	check_release(&r);
	/* A head without a unit matches any rate, but no time. */
	CHECK_INT(check_against_figures("|GPUs|throughput|\n|-|-|\n|1|100|\n",
		      "unit: iterations/s\n" SPEEDS_OF_A),
	    0);
	check_release(&r);
	CHECK_INT(check_against_figures("|GPUs|throughput|\n|-|-|\n|1|100|\n",
		      "unit: s\n" SPEEDS_OF_A),
	    4);
	CHECK_INT(r.counts[CHECK_NO_CASE], 1);
	check_release(&r);
}

static const struct tap_test tests[] = {
	TEST(test_headings),
	TEST(test_short_names),
	TEST(test_rows_of_cases),
	TEST(test_speedups_of_cases),
	TEST(test_baselines_of_cases),
	TEST(test_units_of_cases),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
