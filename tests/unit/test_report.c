#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/series/result_set.h"
#include "report/parts/columns.h"
#include "report/parts/panel.h"
#include "tests/tap.h"

static struct result_set list;
static struct series_set set;
static struct error e;

static void
stop(void)
{
	series_release(&set);
	result_set_release(&list);
}

static void
start(const char *text)
{
	const struct series_how all = { .allow_mixed = 1 };
	struct result_file *s;

	stop();
	list.items = vec_grow(NULL, 0, &list.alloc, sizeof *list.items);
	s = &list.items[0];
	memset(s, 0, sizeof *s);
	CHECK_INT(reference_values_parse("a", text, strlen(text), 0, s, &e), 0);
	s->path = s->name = "a";
	list.n = 1;
	CHECK_INT(series_collect(&list, &all, &set, &e), 0);
	/* Use the cases of the list, which tests change. */
	for (size_t i = 0; i < set.n; i++)
		for (size_t k = 0; k < set.items[i].n_points; k++) {
			struct series_point *p = &set.items[i].points[k];

			s->result.cases[p->index] = *p->c;
			p->c = &s->result.cases[p->index];
		}
}

/* The text that a function puts into the only cell of a table. */
static const char *
put(void (*cell)(struct table *, const struct report_how *,
	const struct series_point *, double),
    const struct report_how *how, double x)
{
	static char text[400];
	struct result_case *c = &list.items[0].result.cases[1];
	struct table t;

	/* The digits depend on the case's own median and speedup. */
	c->median_speed = c->speedup = x;

	t = TABLE_INIT;
	table_column(&t, "head", NULL, TABLE_LEFT);
	table_row(&t);
	cell(&t, how, &set.items[0].points[1], x);
	snprintf(text, sizeof text, "%s", t.rows[0].cells[0].text);
	table_release(&t);
	return text;
}

static void
put_percent(struct table *t, const struct report_how *how,
    const struct series_point *p, double x)
{
	(void)p;
	cell_percent(t, how, x);
}

#define TWO "| nodes | GPUs | A |\n| 1 | 1 | 5 |\n| 1 | 2 | 9 |\n"

static const struct {
	double x;
	const char *text;
} speeds[] = {
	{ 347.12, "347.12" },
	{ 2384.3, "2384.30" },
	{ 11548.451, "11548.45" },
	{ 33.81, "33.810" },
	{ 5.32137, "5.3214" },
	{ 0.5, "0.50000" },
	{ 123456.789, "123456.79" },
	{ NAN, "n/a" },
};

static void
test_speed_digits(void)
{
	struct report_how how = { .ratio_decimals = -1 };

	start(TWO);
	for (size_t i = 0; i < sizeof speeds / sizeof speeds[0]; i++)
		CHECK_STR(put(cell_number, &how, speeds[i].x), speeds[i].text);
	how.flat = 1;
	CHECK_STR(put(cell_number, &how, 347.12), "347.12");
	CHECK_STR(put(cell_number, &how, NAN), "");
}

/* Half the width of an interval sets the decimals: 24.8 none, 1.05 one. */
static void
test_interval_digits(void)
{
	const struct report_how how = { .ratio_decimals = -1 };
	struct result_case *c;

	start(TWO);
	c = &list.items[0].result.cases[1];
	c->median_low = 1371.2;
	c->median_high = 1420.9;
	CHECK_STR(put(cell_number, &how, 1404.5), "1404");
	c->median_low = 345.9;
	c->median_high = 348.0;
	CHECK_STR(put(cell_number, &how, 347.12), "347.1");
	c->median_low = c->median_high = 347.12;
	CHECK_STR(put(cell_number, &how, 347.12), "347.12");
	c->speedup_low = 3.0;
	c->speedup_high = 5.0;
	CHECK_STR(put(cell_speedup, &how, 4.046), "4.0");
}

static void
test_time_digits(void)
{
	const struct report_how how = { .ratio_decimals = -1 };

	start("unit: s\n" TWO);
	CHECK_STR(put(cell_number, &how, 0.0123456), "0.012346");
	CHECK_STR(put(cell_number, &how, 12.3), "12.300");
}

static void
test_speedup_digits(void)
{
	struct report_how how = { .ratio_decimals = -1 };

	start(TWO);
	/* Figures of the seed: 5552.77 / 347.12 and others. */
	CHECK_STR(put(cell_speedup, &how, 5552.77 / 347.12), "16.0");
	CHECK_STR(put(cell_speedup, &how, 1404.55 / 347.12), "4.05");
	CHECK_STR(put(cell_speedup, &how, 1), "1.00");
	CHECK_STR(put(cell_speedup, &how, 1234.5), "1234");
	CHECK_STR(put(cell_speedup, &how, 0.05), "0.0500");
	CHECK_STR(put(cell_speedup, &how, NAN), "n/a");
	how.ratio_decimals = 2;
	CHECK_STR(put(cell_speedup, &how, 16), "16.00");
	CHECK_STR(put(put_percent, &how, 0.87021), "87.0");
}

static void
test_panels(void)
{
	struct panel_list l;

	start("model: m\nbatch: 8\n"
	      "| nodes | GPUs | A | B |\n"
	      "| 2 | 16 | 1 | 2 |\n| 1 | 1 | 3 | OOM |\n"
	      "batch: 16\nlabel: k=v\n"
	      "| nodes | GPUs | A |\n| 1 | 1 | 4 |\n");
	l = panel_split(&set, PANEL_KEYS);
	CHECK_INT(l.n, 2);
	CHECK_INT(l.items[0].n, 2);
	CHECK_STR(panel_title(&set, &l.items[0], 0, LANGUAGE_EN),
	    "m, batch 8 per device");
	CHECK_STR(panel_title(&set, &l.items[1], SERIES_BIT(SERIES_FRAMEWORK),
		      LANGUAGE_EN),
	    "m, batch 16 per device, k=v");
	CHECK_STR(panel_series_name(&set, &l.items[0], 1, LANGUAGE_EN), "B");
	CHECK_STR(panel_series_name(&set, &l.items[1], 0, LANGUAGE_EN), "A");
}

/* Many series, two in each panel. */
static void
test_many(void)
{
	enum { N = 30000 };
	static char batches[N][8];
	struct series_set many = { .n = N };
	struct panel_list l;
	size_t wrong = 0;

	many.items = xcalloc(N, sizeof *many.items);
	for (size_t i = 0; i < N; i++) {
		snprintf(batches[i], sizeof batches[i], "%zu", i / 2);
		many.items[i].values[SERIES_BATCH] = batches[i];
	}
	l = panel_split(&many, PANEL_KEYS);
	CHECK_INT(l.n, N / 2);
	for (size_t i = 0; i < l.n; i++)
		wrong += l.items[i].n != 2 ||
		    l.items[i].s[1] != &many.items[2 * i + 1];
	CHECK_INT(wrong, 0);
	arena_release(&many.arena);
	free(many.items);
}

/* Values, failures, n/a and missing cases are distinct. */
static void
test_missing(void)
{
	const struct report_how how = { .ratio_decimals = -1 };
	struct result_case *c;
	struct table t;

	start("| nodes | GPUs | A |\n| 1 | 1 | 347.1 |\n| 1 | 2 | OOM |\n");
	t = TABLE_INIT;
	table_column(&t, "head", NULL, TABLE_LEFT);
	for (int i = 0; i < 4; i++) {
		struct series_point p = set.items[0].points[i == 1];

		c = &list.items[0].result.cases[0];
		if (i >= 2)
			p.text = NULL;
		if (i == 3)
			c->median_speed = NAN;
		table_row(&t);
		cell_value(&t, &how, &p, "");
	}
	table_row(&t);
	cell_value(&t, &how, NULL, "");
	CHECK_STR(t.rows[0].cells[0].text, "347.1");
	CHECK_STR(t.rows[1].cells[0].text, "OOM");
	CHECK_STR(t.rows[2].cells[0].text, "347.10");
	CHECK_STR(t.rows[3].cells[0].text, "n/a");
	CHECK_STR(t.rows[4].cells[0].text, "-");
	table_release(&t);
}

static const struct tap_test tests[] = {
	TEST(test_speed_digits),
	TEST(test_interval_digits),
	TEST(test_time_digits),
	TEST(test_speedup_digits),
	TEST(test_panels),
	TEST(test_many),
	TEST(test_missing),
};

int
main(void)
{
	int rc = tap_main(tests, N_TESTS(tests));

	stop();
	return rc;
}
