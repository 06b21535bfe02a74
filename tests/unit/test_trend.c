/* Trends of a history: which rows make a point, which points a level. */
#include <config.h>

#include "report/history/history.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/stats/change_points.h"
#include "common/stats/rank_test.h"

#include "tests/tap.h"

static struct history h;
static struct trend_set set;
static char dates[64][24];

/* Add a row dated `day` days after 2026-01-01. */
static struct history_row *
add(int day, double value)
{
	struct history_row *row = history_add_row(&h);

	snprintf(dates[day], sizeof dates[day], "2026-%02d-%02dT00:00:00Z",
	    1 + day / 28, 1 + day % 28);
	row->metadata.date = dates[day];
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

static int
compare_dates(const void *a, const void *b)
{
	const struct history_row *x = a, *y = b;

	return strcmp(x->metadata.date, y->metadata.date);
}

static void
collect(void)
{
	struct error e = ERROR_INIT;

	trend_release(&set);
	CHECK_INT(trend_collect(&h, NULL, 0.95, &set, &e), 0);
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
	CHECK_INT(t->points[0].c.n, 3);
	CHECK_NEAR(t->points[0].c.median_speed, 1003, 0);
	CHECK_NEAR(t->points[0].c.median_low, 1002, 0);
	CHECK_NEAR(t->points[0].c.median_high, 1004, 0);
	CHECK_NEAR(t->points[0].c.median_level, 0.75, 1e-15);
	CHECK_INT(t->n_changes, 1);
	c = &t->changes[0];
	CHECK_INT(c->at, 10);
	CHECK_INT(c->before, 0);
	CHECK_INT(c->end, 18);
	/* The change is so clear that the p of a permutation test decides. */
	CHECK_NEAR(t->correlation, 0, 0);
	CHECK_NEAR(c->p, 2 * 18 / 43758.0, 1e-15); /* choose(18, 8) */
	CHECK_NEAR(c->p_holm, c->p, 0);
	CHECK_NEAR(c->ratio, 0.96953807547429, 1e-13);
	CHECK_NEAR(c->low, 0.96716417910448, 1e-13);
	CHECK_NEAR(c->high, 0.97197197197197, 1e-13);
	CHECK_NEAR(c->level, 0.95657936834407, 1e-13);
	CHECK_INT(c->proven, 1);
	stop();
}

/* The reverse order is faster by the inverse ratio, and equally proven. */
static void
test_faster(void)
{
	const struct trend_change *c;

	stop();
	for (int day = 0; day < 18; day++)
		add(day, levels[17 - day]);
	collect();
	CHECK_INT(set.items[0].n_changes, 1);
	c = &set.items[0].changes[0];
	CHECK_INT(c->at, 8);
	CHECK_NEAR(c->ratio, 1 / 0.96953807547429, 1e-13);
	CHECK_NEAR(c->low, 1 / 0.97197197197197, 1e-13);
	CHECK_NEAR(c->high, 1 / 0.96716417910448, 1e-13);
	CHECK_INT(c->proven, 1);
	stop();
}

/* A level that is just reached is proof. */
static void
test_level_just_reached(void)
{
	double level;
	struct error e = ERROR_INIT;

	add_levels("samples/s");
	level = set.items[0].changes[0].level;
	trend_release(&set);
	CHECK_INT(trend_collect(&h, NULL, level, &set, &e), 0);
	CHECK_INT(set.items[0].n_changes, 1);
	CHECK_NEAR(set.items[0].changes[0].level, level, 0);
	CHECK_INT(set.items[0].changes[0].proven, 1);
	stop();
}

/* Each of several changes compares the two levels next to it. */
static void
test_several_changes(void)
{
	stop();
	for (int day = 0; day < 36; day++)
		add(day, 1000 - 100 * (day / 12) + day % 3);
	collect();
	CHECK_INT(set.items[0].n_changes, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct trend_change *c = &set.items[0].changes[i];

		CHECK_INT(c->before, 12 * i);
		CHECK_INT(c->at, 12 * (i + 1));
		CHECK_INT(c->end, 12 * (i + 2));
		CHECK_NEAR(
		    c->ratio, i == 0 ? 901 / 1001.0 : 801 / 901.0, 0.002);
	}
	stop();
}

/* A history without rows is an error. */
static void
test_no_rows(void)
{
	struct error e = ERROR_INIT;

	stop();
	CHECK_INT(trend_collect(&h, NULL, 0.95, &set, &e), -1);
	CHECK_INT(e.code, ERROR_EMPTY);
}

/* Values in seconds: a longer time is slower, by the same ratio. */
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

/* 3 against 13 points: the interval has its level, 1 - 2 / choose(16, 3), but
 * the p of a permutation test is above 5 %. */
static void
test_interval_alone(void)
{
	const struct trend_change *c;

	stop();
	for (int day = 0; day < 16; day++)
		add(day, (day < 13 ? 1000 : 500) + day % 3);
	collect();
	CHECK_INT(set.items[0].n_changes, 1);
	c = &set.items[0].changes[0];
	CHECK_INT(c->at, 13);
	CHECK(c->level >= 0.95);
	CHECK(c->high < 1);
	CHECK_NEAR(c->p_holm, 2 * 16 / 560.0, 1e-15);
	CHECK_INT(c->proven, 0);
	stop();
}

/* The changes of all trends form one family. Holm doubles the smaller p and
 * raises the other to at least that. R: p.adjust(p, "holm"). */
static void
test_holm(void)
{
	double p[2];

	stop();
	for (int gpus = 4; gpus <= 8; gpus += 4)
		for (int day = 0; day < 2 * gpus + 4; day++) {
			const int high = day < gpus + 2;

			add(day, (high ? 1000 : 500) + day % 3)->c.gpus = gpus;
		}
	/* Sort the rows as history_file_read does. */
	qsort(h.rows, h.n, sizeof *h.rows, compare_dates);
	collect();
	CHECK_INT(set.n, 2);
	for (size_t i = 0; i < 2; i++) {
		CHECK_INT(set.items[i].n_changes, 1);
		p[i] = set.items[i].changes[0].p;
	}
	for (size_t i = 0; i < 2; i++) {
		const double other = p[1 - i];
		const double holm =
		    p[i] < other ? 2 * p[i] : fmax(p[i], 2 * other);

		CHECK_NEAR(set.items[i].changes[0].p_holm, holm, 1e-15);
	}
	CHECK(p[0] != p[1]);
	stop();
}

/* Pseudo-random values from 0 to 9.99. */
static double
noise(int i)
{
	uint32_t x = (uint32_t)i * 2654435761u;

	x ^= x >> 15;
	x *= 2246822519u;
	x ^= x >> 13;
	return (double)(x % 1000) / 100;
}

/* If there are too many points, the last are searched; indexes count all. */
static void
test_skipped(void)
{
	enum { POINTS = CHANGE_POINTS_MAX + 2, LAST = 2000 };
	static char commits[POINTS][8];
	const struct trend *t;

	if (getenv("DLSCALE_QUICK") != NULL)
		SKIP("4000 points take long with sanitizers");
	stop();
	for (int i = 0; i < POINTS; i++) {
		snprintf(commits[i], sizeof commits[i], "c%d", i);
		add(1, (i < POINTS - LAST ? 1000 : 900) + noise(i + 7))
		    ->metadata.commit = commits[i];
	}
	/* The skipped points would be a change, too. */
	h.rows[0].run.value = h.rows[1].run.value = 1;
	collect();
	t = &set.items[0];
	CHECK_INT(t->n_points, POINTS);
	CHECK_INT(t->skipped, 2);
	CHECK_INT(t->n_changes, 1);
	CHECK_INT(t->changes[0].before, 2);
	CHECK_INT(t->changes[0].at, POINTS - LAST);
	CHECK_INT(t->changes[0].end, POINTS);
	CHECK_NEAR(t->changes[0].ratio, 0.9, 0.001);
	stop();
}

/* Correlated speeds: each deviation is 0.9 times the previous one plus noise.
 * The changes found are not proven, and their intervals are widened for the
 * correlation. */
static void
test_wandering(void)
{
	double x = 0;

	stop();
	for (int day = 0; day < 60; day++) {
		x = 0.9 * x + noise(day) - 5;
		add(day, 1000 + x);
	}
	collect();
	CHECK(set.items[0].n_changes > 0);
	CHECK(set.items[0].correlation > 0.6);
	for (size_t i = 0; i < set.items[0].n_changes; i++) {
		const struct trend_change *c = &set.items[0].changes[i];
		struct interval in;
		double speeds[60];

		for (size_t k = c->before; k < c->end; k++)
			speeds[k] = set.items[0].points[k].c.median_speed;
		CHECK_INT(c->proven, 0);
		CHECK_INT(rank_test_ratio(speeds + c->at, c->end - c->at,
			      speeds + c->before, c->at - c->before, 0.95, &in),
		    0);
		CHECK(c->low <= in.low && c->high >= in.high);
		CHECK(c->high - c->low > 1.2 * (in.high - in.low) ||
		    c->level < 0.9);
	}
	stop();
}

/* 3 against 3 points: a change is found, but not proven at 95 %. */
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

/* Runs of one date form one point, whatever files they are from; another commit
 * or host of the same date is another point. */
static void
test_points(void)
{
	stop();
	add(0, 100)->metadata.commit = "a";
	add(0, 104)->metadata.commit = "a";
	add(0, 103)->metadata.commit = "b";
	h.rows[1].result = 5;
	add(1, 101)->metadata.host = "x";
	add(1, 101)->metadata.host = "y";
	collect();
	CHECK_INT(set.n, 1);
	CHECK_INT(set.items[0].n_points, 4);
	CHECK_NEAR(set.items[0].points[0].c.median_speed, 102, 0);
	CHECK_INT(set.items[0].points[0].c.n, 2);
	stop();
}

/* Rows of one date may alternate between hosts: x, y, x make two points, in the
 * order of their first rows, the same for all trends. */
static void
test_interleaved(void)
{
	static const char *const hosts[] = { "y", "x", "y", "x", "y" };

	stop();
	for (int i = 0; i < 5; i++) {
		add(3, 100 + i)->metadata.host = hosts[i];
		h.rows[i].result = i;
		h.rows[i].c.gpus = i == 1 ? 4 : 8;
	}
	add(4, 50)->metadata.host = "x";
	h.rows[5].c.gpus = 4;
	collect();
	CHECK_INT(set.n, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct trend *t = &set.items[i];

		CHECK_INT(t->n_points, 2);
		if (t->c->gpus == 4)
			continue;
		CHECK_STR(t->points[0].row->metadata.host, "y");
		CHECK_INT(t->points[0].c.n, 3);
		CHECK_NEAR(t->points[0].c.median_speed, 102, 0);
		CHECK_STR(t->points[1].row->metadata.host, "x");
		CHECK_INT(t->points[1].c.n, 1);
	}
	/* Three dates and hosts: y and x of one day, x of the next. */
	for (size_t i = 0; i < 2; i++) {
		const struct series_point *at = set.points.items[i].points;

		CHECK_INT(at[1].source - at[0].source, 1);
		CHECK_STR(at[0].source->name, "2026-01-04");
	}
	stop();
}

/* Another rule, batch size, label, shape or device makes another trend. An
 * unknown device counts as the known one if there is only one. */
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
	add(6, 1)->run.device = "H200";
	collect();
	CHECK_INT(set.n, 7);
	for (size_t i = 0; i < set.n; i++) {
		const struct trend *t = &set.items[i];
		const int day = (int)t->points[0].row->result;

		CHECK_INT(t->c->n_labels, day == 3 || day >= 5);
		if (day >= 5)
			CHECK_STR(t->c->labels[0].value,
			    t->points[0].row->run.device);
	}
	stop();
}

/* Rows of two devices are two trends, whichever comes first. */
static void
test_devices_of_cases(void)
{
	static const char *const devices[] = { "A", "B" };

	for (int first = 0; first < 2; first++) {
		stop();
		add(0, 1)->run.device = devices[first];
		add(1, 1)->run.device = devices[1 - first];
		collect();
		CHECK_INT(set.n, 2);
	}
	stop();
}

/* The sentence of the first trend. */
static const char *
sentence(void)
{
	static char text[2000];
	const struct report_how how = { .lang = LANGUAGE_EN };
	FILE *f = fmemopen(text, sizeof text, "w");

	history_write(&set, 1, &how, f);
	fclose(f);
	return text;
}

/* Control characters in names of commits and hosts are not printed. */
static void
test_hostile_names(void)
{
	stop();
	for (int day = 0; day < 20; day++) {
		struct history_row *row =
		    add(day, (day < 10 ? 1000 : 900) + day % 3);

		row->metadata.commit = day < 10 ? "a\033[2J"
						: "b\n\xc2\x9b"
						  "2J";
		row->metadata.host = day < 10 ? "x\r" : "y\x7f";
	}
	collect();
	for (const char *s = sentence(); *s != '\0'; s++) {
		CHECK(((unsigned char)*s >= 0x20 && *s != 0x7f) ||
		    (*s == '\n' && s[1] == '\0'));
		CHECK(strncmp(s, "\xc2\x9b", 2) != 0);
	}
	stop();
}

/* The points of all trends have sources in order of date. */
static void
test_series(void)
{
	const struct result_file *first;

	stop();
	add(0, 100)->metadata.commit = "0123456789abcdef";
	add(1, 101);
	add(1, 50)->c.gpus = 4;
	add(2, 51)->c.gpus = 4;
	collect();
	CHECK_INT(set.points.n, 2);
	CHECK_INT(set.points.items[0].n_points, 2);
	first = set.points.items[1].points[0].c->gpus == 8
	    ? set.points.items[1].points[0].source
	    : set.points.items[0].points[0].source;
	for (size_t i = 0; i < 2; i++) {
		const int four = set.points.items[i].points[0].c->gpus == 4;

		CHECK_INT(set.points.items[i].points[0].source - first, four);
		CHECK_INT(
		    set.points.items[i].points[1].source - first, 1 + four);
	}
	CHECK_STR(first->name, "0123456789ab");
	CHECK_STR(first[1].name, "2026-01-02");
	stop();
}

static const struct tap_test tests[] = {
	TEST(test_change),
	TEST(test_faster),
	TEST(test_level_just_reached),
	TEST(test_times),
	TEST(test_too_few_to_prove),
	TEST(test_interval_alone),
	TEST(test_wandering),
	TEST(test_holm),
	TEST(test_skipped),
	TEST(test_hostile_names),
	TEST(test_points),
	TEST(test_interleaved),
	TEST(test_cases),
	TEST(test_devices_of_cases),
	TEST(test_several_changes),
	TEST(test_no_rows),
	TEST(test_series),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
