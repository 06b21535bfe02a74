#include <config.h>

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/result/case_text.h"
#include "common/series/result_set.h"
#include "common/series/series.h"
#include "tests/tap.h"

static struct result_set list;
static struct series_set set;
static struct series_how how;
static struct opt_list selection;
static const char *selected[8];
static struct error e;

/* Add a source to the list, from figures in memory. */
static void
add(const char *name, const char *label, const char *text)
{
	struct result_file *s;

	list.items =
	    vec_grow(list.items, list.n, &list.alloc, sizeof *list.items);
	s = &list.items[list.n++];
	memset(s, 0, sizeof *s);
	CHECK_INT(
	    reference_values_parse(name, text, strlen(text), 0, s, &e), 0);
	s->path = s->name = name;
	s->label = label;
	if (label != NULL)
		s->name = label;
}

/* Add a source whose cases are measured by a rule. */
static void
add_rule(const char *name, const char *rule, const char *text)
{
	struct result *r;

	add(name, NULL, text);
	r = &list.items[list.n - 1].result;
	for (size_t i = 0; i < r->n_cases; i++)
		r->cases[i].rule = rule;
}

static void
start(void)
{
	result_set_release(&list);
	series_release(&set);
	how = (struct series_how){ .select = &selection };
	selection = (struct opt_list){ selected, 0, 8 };
}

static void
choose(const char *text)
{
	selected[selection.n++] = text;
}

static int
collect(void)
{
	return series_collect(&list, &how, &set, &e);
}

/* The text of the series' keys that differ. */
static const char *
legend(size_t i)
{
	return series_text(&set, &set.items[i], set.differing, LANGUAGE_EN);
}

#define HEAD "| nodes | GPUs | A | B |\n|---|---|---|---|\n"
#define TWO HEAD "| 2 | 16 | 3 | 4 |\n| 1 | 1 | 1 | 2 |\n"

static void
test_grouping(void)
{
	uint64_t alike;

	start();
	add("a", NULL, "model: m\nbatch: 8\n" TWO);
	CHECK_INT(collect(), 0);
	CHECK_INT(set.n, 2);
	CHECK_INT(set.items[0].n_points, 2);
	CHECK_STR(legend(0), "A");
	CHECK_STR(legend(1), "B");
	/* Sorted by GPUs. */
	CHECK_INT(set.items[0].points[0].c->gpus, 1);
	CHECK_STR(set.items[0].points[1].text, "3");
	alike = ~(set.differing | SERIES_BIT(SERIES_UNIT));
	CHECK_STR(series_text(&set, &set.items[0], alike, LANGUAGE_EN),
	    "m, batch 8 per device, published");
	CHECK_STR(series_text(&set, &set.items[0],
		      SERIES_BIT(SERIES_BATCH) | SERIES_BIT(SERIES_MODEL),
		      LANGUAGE_ZH),
	    "m，每卡批大小8");
}

/* The legend names what differs; it states that a value is unknown only if
 * nothing else distinguishes the series. */
static void
test_legend(void)
{
	start();
	add("a", NULL,
	    "model: m\nprecision: fp16\nlabel: fusion=on\n"
	    "| nodes | GPUs | A |\n| 1 | 1 | 1 |\n"
	    "precision:\nlabel:\n"
	    "| nodes | GPUs | A |\n| 1 | 1 | 1 |\n");
	CHECK_INT(collect(), 0);
	CHECK_INT(set.n, 2);
	CHECK_STR(legend(0), "fp16, fusion=on");
	CHECK_STR(legend(1), "precision unknown, fusion unknown");
	/* As part of a name, it may be empty. */
	CHECK_STR(
	    series_name_part(&set, &set.items[1], set.differing, LANGUAGE_EN),
	    "");
	CHECK_STR(
	    series_name_part(&set, &set.items[0], set.differing, LANGUAGE_EN),
	    "fp16, fusion=on");
}

/* Nodes order cases with equal GPU counts; unknown node counts come last. */
static void
test_order(void)
{
	const struct series *s;

	start();
	add("a", NULL,
	    "| nodes | GPUs | A |\n| 8 | 8 | 1 |\n| - | 8 | 2 |\n"
	    "| 1 | 8 | 3 |\n| 1 | 2 | 4 |\n");
	CHECK_INT(collect(), 0);
	s = &set.items[0];
	CHECK_STR(s->points[0].text, "4");
	CHECK_STR(s->points[1].text, "3");
	CHECK_STR(s->points[2].text, "1");
	CHECK_STR(s->points[3].text, "2");
}

static void
test_same_case_in_two_files(void)
{
	start();
	add("old", NULL, TWO);
	add("new", NULL, TWO);
	CHECK_INT(collect(), 0);
	CHECK_INT(set.n, 4);
	CHECK_STR(legend(0), "A, old");
	CHECK_STR(legend(3), "B, new");
	start();
	add("x.figures", "before", TWO);
	add("x.figures", "after", TWO);
	CHECK_INT(collect(), 0);
	CHECK_STR(legend(2), "A, after");
	/* If one has a label, the other is named after its file. */
	start();
	add("x.figures", "before", TWO);
	add("y", NULL, "| nodes | GPUs | A |\n| 4 | 64 | 9 |\n");
	CHECK_INT(collect(), 0);
	CHECK_STR(legend(2), "A, y");
	/* Files with the same name cannot be distinguished. */
	start();
	add("x", NULL, TWO);
	add("x", NULL, TWO);
	CHECK_INT(collect(), -1);
	CHECK_STR(e.message,
	    "x:4 (1n1g): the same case as x:4 (1n1g); give their files "
	    "different labels (label=path) or leave one out");
}

static void
test_same_case_in_one_file(void)
{
	start();
	add("x", NULL, HEAD "| 1 | 1 | 1 | 2 |\n| 1 | 1 | 3 | 4 |\n");
	CHECK_INT(collect(), -1);
	CHECK_INT(e.code, ERROR_INPUT);
	CHECK_STR(e.message,
	    "x:4 (1n1g): the same case as x:3 (1n1g); give their files "
	    "different labels (label=path) or leave one out");
	/* Files with different cases may be joined. */
	start();
	add("x", NULL, HEAD "| 1 | 1 | 1 | 2 |\n");
	add("y", NULL, HEAD "| 1 | 2 | 1 | 2 |\n");
	CHECK_INT(collect(), 0);
	CHECK_INT(set.n, 2);
	CHECK_INT(set.items[0].n_points, 2);
}

/* Make the GPU counts of all cases unknown; name the cases by the letters of
 * `names`. */
static void
forget_gpus(const char *names)
{
	static char text[][2] = { "a", "b", "c" };

	for (size_t i = 0; i < list.n; i++)
		for (size_t k = 0; k < list.items[i].result.n_cases; k++) {
			struct result_case *c = &list.items[i].result.cases[k];

			c->nodes = c->gpus = RESULT_UNKNOWN;
			c->name = text[*names++ - 'a'];
		}
}

/* Cases with the same name are the same, even with other cases between them. */
static void
test_same_case_of_unknown_gpus(void)
{
	static const char three[] = "| nodes | GPUs | A |\n|---|---|---|\n"
				    "| 1 | 1 | 1 |\n| 1 | 2 | 2 |\n"
				    "| 1 | 4 | 3 |\n";

	start();
	add("x", NULL, three);
	forget_gpus("abc");
	CHECK_INT(collect(), 0);
	CHECK_INT(set.items[0].n_points, 3);
	start();
	add("x", NULL, three);
	forget_gpus("aba");
	CHECK_INT(collect(), -1);
	CHECK_STR(e.message,
	    "x:5 (a): the same case as x:3 (a); give their files different "
	    "labels (label=path) or leave one out");
	/* With two files, the file is part of the configuration. */
	start();
	add("old", NULL, three);
	add("new", NULL, three);
	forget_gpus("abcabc");
	CHECK_INT(collect(), 0);
	CHECK_INT(set.n, 2);
	CHECK_STR(legend(0), "old");
	CHECK_STR(legend(1), "new");
}

static void
test_selection(void)
{
	start();
	add("a", NULL, "batch: 8\n" TWO "batch: 16\nlabel: k=v\n" TWO);
	choose("framework=A");
	CHECK_INT(collect(), 0);
	CHECK_INT(set.n, 2);
	CHECK_STR(legend(0), "batch 8 per device");
	series_release(&set);
	choose("framework=B");
	choose("batch=16");
	CHECK_INT(collect(), 0);
	CHECK_INT(set.n, 2);
	CHECK_STR(legend(0), "A");
	series_release(&set);
	choose("k=v");
	CHECK_INT(collect(), 0);
	CHECK_INT(set.n, 2);
}

/* A document may have one configuration per row; each is found again. */
static void
test_many_configurations(void)
{
	enum { ROWS = 40000 };
	struct strbuf sb;

	start();
	strbuf_init(&sb, 1 << 24);
	strbuf_addstr(&sb, "| GPUs | kind | A |\n|--|--|--|\n");
	for (int i = 0; i < 2 * ROWS; i++)
		strbuf_printf(
		    &sb, "| %d | w%d | 5 |\n", 1 + i / ROWS, i % ROWS);
	add("a", NULL, sb.buf);
	CHECK_INT(collect(), 0);
	CHECK_INT(set.n, ROWS);
	for (size_t i = 0; i < ROWS; i += 997)
		CHECK_INT(set.items[i].n_points, 2);
	for (size_t i = 0; i < ROWS; i++)
		CHECK(legend(i)[0] != '\0');
	strbuf_release(&sb);
}

/* The speedup of A's case with this name, NAN if it is not in the set. */
static double
speedup_of(const char *name)
{
	for (size_t i = 0; i < set.n; i++)
		for (size_t k = 0; k < set.items[i].n_points; k++) {
			const struct series_point *p = &set.items[i].points[k];

			if (strcmp(set.items[i].values[SERIES_FRAMEWORK],
				"A") == 0 &&
			    strcmp(p->c->name, name) == 0)
				return p->c->speedup;
		}
	return NAN;
}

/* Selection by size decides what is shown; it does not change any speedup. */
static void
test_selection_of_sizes(void)
{
	static const struct {
		const char *select;
		int is[3]; /* shown: 1n1g, 1n8g, 2n8g */
	} rows[] = {
		{ "framework=A", { 1, 1, 1 } },
		{ "gpus=1", { 1, 0, 0 } },
		{ "gpus=8", { 0, 1, 0 } },
		{ "gpus=16", { 0, 0, 1 } },
		{ "nodes=1", { 1, 1, 0 } },
		{ "nodes=2", { 0, 0, 1 } },
		{ "gpus_per_node=8", { 0, 1, 1 } },
		{ "case=2n8g", { 0, 0, 1 } },
	};
	static const char *const names[] = { "1n1g", "1n8g", "2n8g" };
	static const double speedups[] = { 1, 7, 14 };

	/* A series of three files, and of one. */
	for (int files = 1; files <= 3; files += 2)
		for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
			start();
			if (files == 1) {
				add("a", NULL,
				    HEAD "|1|1|10|5|\n|1|8|70|30|\n"
					 "|2|16|140|60|\n");
			} else {
				add("a", NULL, HEAD "|1|1|10|5|\n");
				add("b", NULL, HEAD "|1|8|70|30|\n");
				add("c", NULL, HEAD "|2|16|140|60|\n");
			}
			choose(rows[i].select);
			CHECK_INT(collect(), 0);
			CHECK_INT(set.n, i == 0 ? 1 : 2);
			for (size_t k = 0; k < 3; k++) {
				if (rows[i].is[k])
					CHECK_NEAR(speedup_of(names[k]),
					    speedups[k], 1e-12);
				else
					CHECK(isnan(speedup_of(names[k])));
			}
		}
	/* No case has the selected size. */
	start();
	add("a", NULL, HEAD "|1|1|10|-|\n|1|8|70|30|\n");
	choose("gpus=4");
	CHECK_INT(collect(), -1);
	CHECK(strstr(e.message, "no case is selected by 'gpus=4'") != NULL);
}

/* A label named like a size is a label, wherever it first appears. */
static void
test_selection_of_a_label(void)
{
	start();
	add("a", NULL, TWO "label: nodes=2\nmodel: m\n" TWO);
	choose("nodes=2");
	CHECK_INT(collect(), 0);
	CHECK_INT(set.n, 2);
	CHECK_STR(set.items[0].values[SERIES_MODEL], "m");
	CHECK_INT(set.items[0].n_points, 2);
}

static void
test_selection_mistakes(void)
{
	start();
	add("a", NULL, "batch: 8\n" TWO);
	choose("framework=C");
	CHECK_INT(collect(), -1);
	CHECK_INT(e.code, ERROR_EMPTY);
	CHECK_STR(e.message,
	    "no case is selected by 'framework=C'; its keys are: framework, "
	    "model, precision, batch, global-batch, unit, work, rule, kind, "
	    "source, nodes, gpus, gpus_per_node, case");
	start();
	add("a", NULL, TWO);
	choose("batch");
	CHECK_INT(collect(), -1);
	CHECK_INT(e.code, ERROR_USAGE);
	CHECK_STR(e.message, "--select: 'batch' is not key=value");
}

static void
test_unlike(void)
{
	start();
	add_rule("a", "window", TWO);
	add_rule("b", "summary", "model: m\n" TWO);
	CHECK_INT(collect(), -1);
	CHECK_INT(e.code, ERROR_INPUT);
	CHECK_STR(e.message,
	    "different rules: a:4 (1n1g) has 'window', b:5 (1n1g) has "
	    "'summary'; choose by --select, or show them together by "
	    "--allow-mixed");
	/* If GPU counts are needed, the option is not offered. */
	how.need_gpus = 1;
	CHECK_INT(collect(), -1);
	CHECK_STR(e.message,
	    "different rules: a:4 (1n1g) has 'window', b:5 (1n1g) has "
	    "'summary'; choose by --select");
	how.allow_mixed = 1;
	CHECK_INT(collect(), 0);
	CHECK_STR(legend(0), "A, rule window");
	/* Published figures with an unknown rule go with any rule. */
	start();
	add_rule("a", "window", TWO);
	add("b", NULL, "model: m\n" TWO);
	CHECK_INT(collect(), 0);
	CHECK_STR(legend(1), "B");
	/* Units. */
	start();
	add("a", NULL, TWO);
	add("b", NULL, "unit: tokens/s\n" TWO);
	CHECK_INT(collect(), -1);
	CHECK_STR(e.message,
	    "different units: a:4 (1n1g) has 'samples/s', b:5 (1n1g) has "
	    "'tokens/s'; choose by --select, or show them together by "
	    "--allow-mixed");
}

/* Options of a rule are part of the rule, except those that the rule does not
 * use. */
static void
test_rule_options(void)
{
	start();
	add_rule("a", "window", TWO);
	add_rule("b", "window", "model: m\n" TWO);
	list.items[0].result.rule.warmup_batches = 20;
	list.items[1].result.rule.warmup_batches = 20;
	list.items[1].result.rule.from_iteration = 7;
	CHECK_INT(collect(), 0);
	series_release(&set);
	list.items[1].result.rule.warmup_batches = 10;
	CHECK_INT(collect(), -1);
	CHECK_STR(e.message,
	    "different rules: a:4 (1n1g) has 'window warm-up 20', b:5 (1n1g) "
	    "has 'window warm-up 10'; choose by --select, or show them "
	    "together by --allow-mixed");
}

/* Published figures state only the name of the rule, not its options. */
static void
test_published_rule(void)
{
	start();
	add_rule("a", "window", TWO);
	add_rule("b", "window", "model: m\n" TWO);
	list.items[0].result.rule.warmup_batches = 20;
	CHECK_INT(collect(), 0);
	series_release(&set);
	add_rule("c", "windows", "model: n\n" TWO);
	CHECK_INT(collect(), -1);
}

/* The name of a rule suffices, unless two rules have the same name. */
static void
test_rule_names(void)
{
	start();
	how.allow_mixed = 1;
	add_rule("a", "window", "model: m\n" TWO);
	add_rule("b", "all", "model: n\n" TWO);
	list.items[0].result.rule.warmup_batches = 20;
	CHECK_INT(collect(), 0);
	CHECK_STR(legend(0), "m, A, rule window");
	CHECK_STR(legend(3), "n, B, rule all");
	series_release(&set);
	add_rule("c", "window", "model: o\n" TWO);
	CHECK_INT(collect(), 0);
	CHECK_STR(legend(0), "m, A, rule window warm-up 20");
	CHECK_STR(legend(4), "o, A, rule window");
}

/* The text under a table: positions W0 = S + W to W1 - 1 = S + T - 1
 * (doc/measurement.md, "Window"). */
static void
test_measured_text(void)
{
	struct result_rule rule = { .rule = "window",
		.skip_iterations = 5,
		.warmup_batches = 20,
		.train_batches = 120,
		.from_iteration = RESULT_UNKNOWN,
		.epoch = "auto",
		.aggregate = "time" };
	struct arena a = { 0 };

#define EN(name) measured_text(&a, &rule, name, LANGUAGE_EN)
	CHECK_STR(EN(NULL), "iterations 25–124 of the first epoch, by time");
	CHECK_STR(measured_text(&a, &rule, NULL, LANGUAGE_ZH),
	    "第 25–124 次迭代（首个 epoch），按时间");
	CHECK_STR(EN("all"), "all iterations from 0 on, by time");
	CHECK_STR(
	    EN("summary"), "the figure that the program printed at its end");
	CHECK_STR(EN("median"), "by rule median");
	rule.from_iteration = 100;
	rule.epoch = "3";
	rule.aggregate = "mean";
	CHECK_STR(EN("window"), "iterations 25–124 of epoch 3, by mean");
	CHECK_STR(EN("all"), "all iterations from 100 on of epoch 3, by mean");
	rule.train_batches = RESULT_UNKNOWN;
	rule.epoch = "all";
	rule.aggregate = "median";
	CHECK_STR(
	    EN("window"), "all iterations from 25 on of all epochs, by median");
	/* A result of another tool may state any number. */
	rule.train_batches = LONG_MAX;
	rule.warmup_batches = LONG_MAX;
	rule.epoch = NULL;
	rule.aggregate = NULL;
	CHECK(strstr(EN("window"), "-") == NULL);
	rule.skip_iterations = RESULT_UNKNOWN;
	CHECK_STR(EN("window"), "by rule window");
	rule.rule = NULL;
	CHECK(EN(NULL) == NULL);
#undef EN
	arena_release(&a);
}

/* Two windows in one set are named by the iterations that they measure. */
static void
test_rule_windows(void)
{
	start();
	how.allow_mixed = 1;
	add_rule("a", "window", "model: m\n" TWO);
	add_rule("b", "window", "model: n\n" TWO);
	for (size_t i = 0; i < 2; i++) {
		struct result_rule *rule = &list.items[i].result.rule;

		rule->skip_iterations = 5;
		rule->warmup_batches = 20;
		rule->train_batches = i == 0 ? 120 : 60;
	}
	CHECK_INT(collect(), 0);
	CHECK_STR(legend(0), "m, A, rule window: iterations 25–124");
	CHECK_STR(legend(3), "n, B, rule window: iterations 25–64");
}

/* Published and measured figures of the same case are two series. */
static void
test_kinds(void)
{
	start();
	add("a", NULL, TWO);
	add("b", NULL, TWO);
	list.items[1].values = NULL;
	CHECK_INT(collect(), 0);
	CHECK_INT(set.n, 4);
	CHECK_STR(legend(0), "A, published");
	CHECK_STR(legend(2), "A, measured");
	CHECK_STR(series_text(&set, &set.items[2], SERIES_BIT(SERIES_KIND),
		      LANGUAGE_ZH),
	    "实测");
}

/* Strong scaling: the batch per GPU shrinks, the global batch stays. */
static void
test_strong_scaling(void)
{
	start();
	add("a", NULL,
	    "batch: 8\n| nodes | GPUs | A |\n| 1 | 1 | 1 |\n"
	    "batch: 4\n| nodes | GPUs | A |\n| 1 | 2 | 2 |\n");
	list.items[0].result.rule.scaling = "strong";
	CHECK_INT(collect(), 0);
	CHECK_INT(set.n, 1);
	CHECK_STR(series_text(&set, &set.items[0],
		      SERIES_BIT(SERIES_GLOBAL_BATCH), LANGUAGE_EN),
	    "global batch 8");
}

static void
test_unknown_gpus(void)
{
	start();
	how.need_gpus = 1;
	add("a", NULL, TWO);
	list.items[0].result.cases[0].gpus = RESULT_UNKNOWN;
	CHECK_INT(collect(), -1);
	CHECK_STR(e.message,
	    "a:3 (2n8g): unknown number of GPUs; set it with extract_logs "
	    "--nodes=N --gpus-per-node=N");
	how.need_gpus = 0;
	CHECK_INT(collect(), 0);
	CHECK_STR(set.items[0].points[1].c->name, "2n8g");
}

static void
test_case_names(void)
{
	struct arena a = ARENA_INIT;
	struct result_case c;

	result_case_init(&c);
	c.name = "2n8g";
	c.nodes = 2;
	c.gpus = 16;
	CHECK_STR(series_case_name(&a, &c, LANGUAGE_EN), "2n8g");
	CHECK_STR(series_case_name(&a, &c, LANGUAGE_ZH), "2机16卡");
	c.nodes = RESULT_UNKNOWN;
	CHECK_STR(series_case_name(&a, &c, LANGUAGE_ZH), "2n8g");
	arena_release(&a);
}

static void
test_source_names(void)
{
	static const char *const names[][2] = {
		{ "result/resnet50_result.json", "resnet50" },
		{ "a.json", "a" },
		{ "x/b.figures", "b" },
		{ "_result.json", "_result" },
		{ "c.txt", "c.txt" },
		{ "-", "stdin" },
	};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		char *name = result_file_name(names[i][0]);

		CHECK_STR(name, names[i][1]);
		free(name);
	}
}

static const struct tap_test tests[] = {
	TEST(test_grouping),
	TEST(test_legend),
	TEST(test_order),
	TEST(test_same_case_in_two_files),
	TEST(test_same_case_in_one_file),
	TEST(test_same_case_of_unknown_gpus),
	TEST(test_selection),
	TEST(test_many_configurations),
	TEST(test_selection_of_sizes),
	TEST(test_selection_of_a_label),
	TEST(test_selection_mistakes),
	TEST(test_unlike),
	TEST(test_rule_options),
	TEST(test_published_rule),
	TEST(test_rule_names),
	TEST(test_measured_text),
	TEST(test_rule_windows),
	TEST(test_kinds),
	TEST(test_strong_scaling),
	TEST(test_unknown_gpus),
	TEST(test_case_names),
	TEST(test_source_names),
};

int
main(void)
{
	int rc = tap_main(tests, N_TESTS(tests));

	start();
	return rc;
}
