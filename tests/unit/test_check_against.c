/* Check published tables against results: which case a cell belongs to, and
 * which cells belong to none. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "common/alloc.h"
#include "common/series/result_set.h"
#include "common/series/series.h"
#include "report/check/check.h"
#include "tests/tap.h"
#include "tests/unit/check_findings.h"

static struct check_report r;
static struct error e;

/* Check a table against results; r receives the findings. */
static void
against(const char *results, const char *table)
{
	struct opt_list selection = { NULL, 0, 0 };
	const struct series_how how = { .select = &selection, .need_gpus = 1 };
	struct result_set list = { .n = 0 };
	struct series_set set = { .n = 0 };

	list.items = xcalloc(1, sizeof *list.items);
	list.n = 1;
	CHECK_INT(reference_values_parse("results", results, strlen(results), 0,
		      &list.items[0], &e),
	    0);
	list.items[0].path = list.items[0].name = "results";
	CHECK_INT(series_collect(&list, &how, &set, &e), 0);
	CHECK_INT(
	    check_text(NAN, "a.md", table, strlen(table), &set, &r, &e), 0);
	series_release(&set);
	result_set_release(&list);
}

#define RESULTS \
	"model: a\n| nodes | GPUs | F |\n|---|---|---|\n| 1 | 1 | 100 |\n" \
	"| 1 | 8 | 700 |\nmodel: b\n| nodes | GPUs | F |\n|---|---|---|\n" \
	"| 1 | 1 | 50 |\n| 1 | 8 | 360 |\n"

/* A row states the model, even if the name is a single letter. */
static void
test_model_of_rows(void)
{
	against(RESULTS,
	    "|model|GPUs|samples/s|\n|-|-|-|\n|a|1|100|\n|b|1|50|\n"
	    "|a|8|700|\n|b|8|361|\n|c|8|360|\n");
	found(&r, CHECK_FOLLOWS, "3:6 100 100;4:6 50 50;5:6 700 700;");
	found(&r, CHECK_DIFFERS, "6:6 361 360;");
	found(&r, CHECK_NO_CASE, "7:6 360 ?;");
	CHECK_INT(r.n, 5);
	check_release(&r);
}

/* A heading states the model of the tables below it. Tables below another
 * heading have the model that no heading names. */
static void
test_model_of_headings(void)
{
	static const char speeds[] =
	    "|GPUs|samples/s|\n|-|-|\n|1|100|\n|8|700|\n";
	char text[500];

	snprintf(text, sizeof text, "# a\n\n%s\n# b\n\n%s\n# Others\n\n%s",
	    speeds, speeds, speeds);
	against(RESULTS, text);
	found(&r, CHECK_FOLLOWS, "5:4 100 100;6:4 700 700;");
	found(&r, CHECK_DIFFERS, "12:4 100 50;13:4 700 360;");
	found(&r, CHECK_NO_CASE, "19:4 100 ?;20:4 700 ?;");
	check_release(&r);
	snprintf(
	    text, sizeof text, "# a\n\n%s\n# Others\n\n%s", speeds, speeds);
	against(RESULTS, text);
	found(&r, CHECK_FOLLOWS, "5:4 100 100;6:4 700 700;");
	found(&r, CHECK_DIFFERS, "12:4 100 50;13:4 700 360;");
	check_release(&r);
	/* Nothing shows which model it is. */
	against(RESULTS, speeds);
	found(&r, CHECK_SEVERAL, "3:4 100 ?;4:4 700 ?;");
	check_release(&r);
}

/* Only columns that the results have are checked. */
static void
test_other_columns(void)
{
	against(RESULTS,
	    "|model|GPUs|samples/s|loss|hours|\n|-|-|-|-|-|\n"
	    "|a|1|100|2.5|30|\n");
	found(&r, CHECK_FOLLOWS, "3:6 100 100;");
	found(&r, CHECK_NO_CASE, "");
	check_release(&r);
}

/* Speedups over eight GPUs are checked against the same; those over one GPU are
 * not, and the reason is stated. */
static void
test_baselines(void)
{
	static const char results[] =
	    "model: a\n| nodes | GPUs | F |\n|---|---|---|\n"
	    "| 1 | 8 | 700 |\n| 2 | 16 | 1330 |\n";
	size_t said = 0;

	against(results,
	    "|GPUs|samples/s|speedup|\n|-|-|-|\n|8|700|1|\n"
	    "|16|1330|1.9|\n");
	/* Speedups are checked twice: in the table and against the results. */
	CHECK_INT(r.counts[CHECK_FOLLOWS], 6);
	CHECK_INT(r.n, 6);
	check_release(&r);
	against(results,
	    "|GPUs|samples/s|speedup|\n|-|-|-|\n|8|700|7|\n"
	    "|16|1330|13.3|\n");
	CHECK_INT(r.counts[CHECK_FOLLOWS], 2);
	CHECK_INT(r.counts[CHECK_NO_BASELINE], 4);
	for (size_t i = 0; i < r.n; i++)
		said += strcmp(sentence(&r, &r.findings[i].why),
			    "over 1 GPU here, over 8 in the results") == 0;
	CHECK_INT(said, 2);
	check_release(&r);
}

/* Names are compared without case and separators; a heading names the model
 * that is one of its words. */
static void
test_names(void)
{
	static const char results[] =
	    "model: resnet50\n| nodes | GPUs | ngc-mxnet |\n|---|---|---|\n"
	    "| 1 | 1 | 100 |\nmodel: bert\n| nodes | GPUs | ngc-mxnet |\n"
	    "|---|---|---|\n| 1 | 1 | 50 |\n";
	static const struct {
		const char *table, *follows, *no_case;
	} cases[] = {
		{ "|model|framework|GPUs|samples/s|\n|-|-|-|-|\n"
		  "|ResNet-50|NGC MXNet|1|100|\n|resnet 50|ngc_mxnet|1|100|\n"
		  "|ResNet50 |NGC-MXNet.|1|100|\n|ResNet-5|NGC MXNet|1|100|\n"
		  "|ResNet-50|NGC MXNet2|1|100|\n|ResNet五|NGC MXNet|1|100|\n",
		    "3:24 100 100;4:24 100 100;5:25 100 100;",
		    "6:23 100 ?;7:25 100 ?;8:24 100 ?;" },
		{ "# ResNet-50 V1.5\n\n|GPUs|samples/s|\n|-|-|\n|1|100|\n",
		    "5:4 100 100;", "" },
		{ "# V2 BERT4\n\n|GPUs|samples/s|\n|-|-|\n|1|50|\n",
		    "5:4 50 50;", "" },
		{ "# About (BERT)\n\n|GPUs|samples/s|\n|-|-|\n|1|50|\n",
		    "5:4 50 50;", "" },
		{ "# resnet50\n\n|GPUs|samples/s|\n|-|-|\n|1|100|\n\n"
		  "# BERTbase\n\n|GPUs|samples/s|\n|-|-|\n|1|50|\n\n"
		  "# ResNet500\n\n|GPUs|samples/s|\n|-|-|\n|1|50|\n",
		    "5:4 100 100;11:4 50 50;17:4 50 50;", "" },
		{ "# ResNet-50 and BERT\n\n|GPUs|samples/s|\n|-|-|\n|1|50|\n",
		    "", "" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		printf("# case %zu\n", i);
		against(results, cases[i].table);
		found(&r, CHECK_FOLLOWS, cases[i].follows);
		found(&r, CHECK_NO_CASE, cases[i].no_case);
		CHECK_INT(r.counts[CHECK_SEVERAL], i == 5);
		check_release(&r);
	}
}

/* If only one case fits a cell, all its properties that the table does not
 * state are listed. */
static void
test_unsaid(void)
{
	static const char results[] = "model: a\nprecision: fp16\nbatch: 64\n"
				      "| nodes | GPUs | F |\n|---|---|---|\n"
				      "| 1 | 1 | 100 |\n| 1 | 8 | 700 |\n";
	static const struct {
		const char *table, *said;
	} cases[] = {
		{ "|GPUs|samples/s|\n|-|-|\n|1|100|\n",
		    "framework, model, precision, batch" },
		{ "|model|GPUs|samples/s|\n|-|-|-|\n|a|1|100|\n",
		    "framework, precision, batch" },
		{ "|model|GPUs|batch_size_per_device|samples/s(F)|\n"
		  "|-|-|-|-|\n|a|1|64|100|\n",
		    "precision" },
		{ "# fp16\n\n|model|framework|precision|GPUs|"
		  "batch_size_per_device|samples/s|\n|-|-|-|-|-|-|\n"
		  "|a|F|fp16|1|64|100|\n",
		    NULL },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char want[300];

		against(results, cases[i].table);
		CHECK_INT(r.counts[CHECK_FOLLOWS], 1);
		CHECK_INT(r.n_remarks, cases[i].said != NULL);
		snprintf(want, sizeof want,
		    "not stated, and taken to be as in the results: %s; "
		    "--select chooses among these",
		    cases[i].said != NULL ? cases[i].said : "");
		if (cases[i].said != NULL)
			CHECK_STR(sentence(&r, &r.remarks[0].remark), want);
		check_release(&r);
	}
}

static const struct tap_test tests[] = {
	TEST(test_model_of_rows),
	TEST(test_model_of_headings),
	TEST(test_other_columns),
	TEST(test_baselines),
	TEST(test_names),
	TEST(test_unsaid),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
