/* Trends of a history: which rows make a point, which points a level. */
#include <config.h>

#include "report/history/trend.h"

#include "tests/tap.h"

static struct history h;
static struct trend_set set;
static char dates[64][24];

/* A row of day n. */
static struct history_row *
add(int day, double value)
{
	struct history_row *row = history_add_row(&h);

	snprintf(dates[day], sizeof dates[day], "2026-%02d-%02dT00:00:00Z",
	    1 + day / 28, 1 + day % 28);
	row->facts.date = dates[day];
	row->c.name = "1n8g";
	row->c.nodes = 1;
	row->c.gpus = 8;
	row->c.unit = "samples/s";
	row->rule.rule = "window";
	row->run.value = value;
	row->run.path = "a.log";
	row->result = day;
	return row;
}

static void
collect(void)
{
	const struct trend_how how = { NULL, 0.95 };
	struct error e = ERROR_INIT;

	trend_release(&set);
	CHECK_INT(trend_collect(&h, &how, &set, &e), 0);
}

static void
stop(void)
{
	trend_release(&set);
	history_release(&h);
}

/* Levels of 10 and 8 days with three runs each. */
static const double levels[] = { 1003, 1000, 1004, 1001, 999, 1002, 998, 1005,
	1000.5, 1001.5, 972, 970, 974, 971, 969, 973, 968, 970.5 };

static void
add_levels(const char *unit)
{
	stop();
	for (int day = 0; day < 18; day++)
		for (int k = -1; k <= 1; k++) {
			const double speed = levels[day] + k;

			add(day, strcmp(unit, "s") == 0 ? 1 / speed : speed)
			    ->c.unit = unit;
		}
	collect();
}

/* R 4.2.2: w <- wilcox.test(log(new), log(old), conf.int = TRUE, exact = TRUE);
 * exp(w$conf.int); exp of the median of outer(log(new), log(old), "-");
 * 1 - 2 * pwilcox(17, 8, 10). */
static void
test_change(void)
{
	const struct trend *t;
	const struct trend_change *c;

	add_levels("samples/s");
	CHECK_INT(set.n, 1);
	t = &set.items[0];
	CHECK_INT(t->n_points, 18);
	CHECK_INT(t->points[0].n, 3);
	CHECK_NEAR(t->points[0].median, 1003, 0);
	CHECK_NEAR(t->points[0].low, 1002, 0);
	CHECK_NEAR(t->points[0].high, 1004, 0);
	CHECK_NEAR(t->points[0].level, 0.75, 1e-15);
	CHECK_INT(t->n_changes, 1);
	c = &t->changes[0];
	CHECK_INT(c->at, 10);
	CHECK_INT(c->before, 0);
	CHECK_INT(c->end, 18);
	/* Pettitt: K = 10 * 8, n = 18. */
	CHECK_NEAR(c->p, 2 * exp(-6.0 * 80 * 80 / (18 * 18 * 19)), 1e-15);
	CHECK_NEAR(c->p_holm, c->p, 0);
	CHECK_NEAR(c->ratio, 0.96953807547429, 1e-13);
	CHECK_NEAR(c->low, 0.96716417910448, 1e-13);
	CHECK_NEAR(c->high, 0.97197197197197, 1e-13);
	CHECK_NEAR(c->level, 0.95657936834407, 1e-13);
	CHECK_INT(c->proven, 1);
	stop();
}

/* Seconds: what takes longer is slower, by the same ratio. */
static void
test_times(void)
{
	double ratio, p;

	add_levels("samples/s");
	ratio = set.items[0].changes[0].ratio;
	p = set.items[0].changes[0].p;
	add_levels("s");
	CHECK_INT(set.items[0].is_time, 1);
	CHECK_INT(set.items[0].n_changes, 1);
	CHECK_NEAR(set.items[0].changes[0].ratio, ratio, 1e-12);
	CHECK_NEAR(set.items[0].changes[0].p, p, 1e-15);
	stop();
}

/* 3 against 3 points: found, but no proof at 95 %. */
static void
test_too_few_to_prove(void)
{
	stop();
	for (int day = 0; day < 6; day++)
		add(day, (day < 3 ? 1000 : 500) + day);
	collect();
	CHECK_INT(set.items[0].n_changes, 1);
	CHECK_INT(set.items[0].changes[0].at, 3);
	CHECK_NEAR(set.items[0].changes[0].level, 0.9, 1e-12);
	CHECK_INT(set.items[0].changes[0].proven, 0);
	stop();
}

/* Runs of one moment are one point whatever files they came in; another commit
 * or host of the same date is another. */
static void
test_points(void)
{
	stop();
	add(0, 100)->facts.commit = "a";
	add(0, 104)->facts.commit = "a";
	add(0, 103)->facts.commit = "b";
	h.rows[1].result = 5;
	add(1, 101)->facts.host = "x";
	add(1, 101)->facts.host = "y";
	collect();
	CHECK_INT(set.n, 1);
	CHECK_INT(set.items[0].n_points, 4);
	CHECK_NEAR(set.items[0].points[0].median, 102, 0);
	CHECK_INT(set.items[0].points[0].n, 2);
	stop();
}

/* Other rule, batch, label, shape: another trend; so is another device, but one
 * that is not known is that of the others where there is one only. */
static void
test_cases(void)
{
	static struct result_pair label = { "link", "10G" };

	stop();
	add(0, 1);
	add(1, 1)->rule.skip_iterations = 5;
	add(2, 1)->c.batch_size_per_device = 64;
	add(3, 1)->c.labels = &label;
	h.rows[3].c.n_labels = 1;
	add(4, 1)->c.gpus = 16;
	add(5, 1)->run.device = "V100";
	collect();
	CHECK_INT(set.n, 5);
	add(6, 1)->run.device = "H200";
	collect();
	CHECK_INT(set.n, 7);
	stop();
}

/* Points of all trends have sources in the order of their dates. */
static void
test_series(void)
{
	struct series_set s;
	const struct result_file *first;

	stop();
	add(0, 100)->facts.commit = "0123456789abcdef";
	add(1, 101);
	add(1, 50)->c.gpus = 4;
	add(2, 51)->c.gpus = 4;
	collect();
	trend_as_series(&set, &s);
	CHECK_INT(s.n, 2);
	CHECK_INT(s.items[0].n_points, 2);
	first = s.items[1].points[0].c->gpus == 8 ? s.items[1].points[0].source
						  : s.items[0].points[0].source;
	for (size_t i = 0; i < 2; i++) {
		const int four = s.items[i].points[0].c->gpus == 4;

		CHECK_INT(s.items[i].points[0].source - first, four);
		CHECK_INT(s.items[i].points[1].source - first, 1 + four);
	}
	CHECK_STR(first->name, "0123456789ab");
	CHECK_STR(first[1].name, "2026-01-02");
	series_release(&s);
	stop();
}

static const struct tap_test tests[] = {
	TEST(test_change),
	TEST(test_times),
	TEST(test_too_few_to_prove),
	TEST(test_points),
	TEST(test_cases),
	TEST(test_series),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
