#include <config.h>

#include "common/result/result.h"
#include "extract/measure/steps/steps.h"
#include "tests/tap.h"
#include "tests/unit/logs.h"
#include "tests/unit/said.h"

/* The steps of all epochs. */
static struct step items[10000];

static int
make_from(const struct log *const *logs, size_t n_logs, long world, long nodes,
    int scope, struct steps *s, struct exclusion *x)
{
	const int rc = steps_make(logs, n_logs, world, nodes, scope, s, x);
	size_t n = 0;

	for (size_t e = 0; rc == 0 && e < s->n_epochs; e++) {
		struct step_walk w = steps_walk(s, e);

		while (n < N_TESTS(items) && steps_next(&w, &items[n]))
			n++;
	}
	return rc;
}

/* Make the steps of one log of `world` ranks. */
static int
make(struct log *log, long world, struct steps *s, struct exclusion *x)
{
	const struct log *packed = log_pack(log);

	return make_from(&packed, 1, world, 1, -1, s, x);
}

static void
test_base_auto(void)
{
	struct log *log = log_new(&imagenet);
	struct exclusion x = EXCLUSION_INIT;
	struct steps s;

	log_add_range(log, 0, 0, 9, 0.5);
	log_add_range(log, 1, 1, 10, 0.5); /* line 0 was lost */
	CHECK_INT(make(log, 1, &s, &x), 0);
	CHECK_INT(s.n_epochs, 2);
	CHECK_INT(items[0].from, 0);
	CHECK_INT(items[9].done, 10);
	CHECK_INT(items[10].from, 1);
	CHECK_INT(steps_first(&s, &items[10]), 1);
	CHECK_INT(items[19].done, 11);
	CHECK_INT(s.epochs[1].length, 11);
	CHECK_INT(s.spacing, 1);
	steps_release(&s);
	log_drop(log);
}

/* A window mean after lost lines covers the usual number of iterations; one at
 * an irregular distance covers all iterations since the previous line. */
static void
test_lost_means(void)
{
	static const int printed[] = { 9, 19, 29, 39, 59, 69, 99, 109, 124, 149,
		159, 169 };
	static const int from[] = { 0, 10, 20, 30, 50, 60, 90, 100, 110, 125,
		150, 160 };
	struct meaning m = imagenet;
	struct log *log;
	struct exclusion x = EXCLUSION_INIT;
	struct steps s;

	m.statistic = STATISTIC_WINDOW_MEAN;
	m.base = 0;
	log = log_new(&m);
	for (size_t i = 0; i < sizeof printed / sizeof *printed; i++)
		log_add(log, 0, printed[i], 0.5);
	CHECK_INT(make(log, 1, &s, &x), 0);
	CHECK_INT(s.spacing, 10);
	for (size_t i = 0; i < sizeof printed / sizeof *printed; i++) {
		CHECK_INT(items[i].done, printed[i] + 1);
		CHECK_INT(items[i].from, from[i]);
	}
	steps_release(&s);
	log_drop(log);
}

static void
test_base_fixed(void)
{
	struct meaning m = imagenet;
	struct log *log = log_new(&m);
	struct exclusion x = EXCLUSION_INIT;
	struct steps s;

	/* A format that counts from 0 prints 10, 20, ... */
	m.base = 0;
	log_add(log, 0, 10, 0.5);
	log_add(log, 0, 20, 0.5)->iters = 500;
	CHECK_INT(make(log, 1, &s, &x), 0);
	CHECK_INT(items[0].from, 10);
	CHECK_INT(items[0].done, 11);
	CHECK_INT(s.spacing, 10);
	CHECK_INT(s.epochs[0].length, 500);
	steps_release(&s);
	m.base = BASE_AUTO; /* no 0 printed: counts from 1 */
	CHECK_INT(make(log, 1, &s, &x), 0);
	CHECK_INT(items[0].from, 9);
	steps_release(&s);
	log_drop(log);
}

static void
test_ranks_are_averaged(void)
{
	struct log *log = log_new(&imagenet);
	struct exclusion x = EXCLUSION_INIT;
	struct steps s;

	log_add(log, 0, 0, 0.1);
	log_add(log, 0, 0, 0.3);
	log_add(log, 0, 1, 0.2);
	log_add(log, 0, 2, 0.5); /* the second rank is late */
	log_add(log, 0, 1, 0.4);
	log_add(log, 0, 2, 0.7);
	CHECK_INT(make(log, 2, &s, &x), 0);
	CHECK_INT(s.n, 3);
	CHECK_INT(s.ranks, 2);
	CHECK_NEAR(items[0].value, 0.2, 1e-15);
	CHECK_NEAR(items[1].value, 0.3, 1e-15);
	CHECK_NEAR(items[2].value, 0.6, 1e-15);
	/* (max - mean) / mean: (0.3 - 0.2) / 0.2 */
	CHECK_NEAR(steps_lines(&s, &items[0]).imbalance, 0.5, 1e-14);
	CHECK_INT(items[1].line, 3);
	CHECK_INT(steps_lines(&s, &items[1]).last_line, 5);
	CHECK_INT(s.n_flags, 0);
	steps_release(&s);
	log_drop(log);
}

static void
test_restart(void)
{
	struct log *log = log_new(&imagenet);
	struct exclusion x = EXCLUSION_INIT;
	struct steps s;

	log_add_range(log, 0, 0, 40, 0.5);
	log_add_range(log, 0, 0, 129, 0.5);
	for (long world = 1; world <= 2; world++) {
		CHECK_INT(make(log, world, &s, &x), 0);
		CHECK_INT(s.attempts, 2);
		CHECK_INT(s.n, 130);
		CHECK_INT(items[0].line, 42);
		steps_release(&s);
	}
	log_drop(log);
	/* One rank prints each line twice. */
	log = log_new(&imagenet);
	for (int i = 0; i < 200; i++)
		log_add(log, 0, i / 2, 0.5);
	CHECK_INT(make(log, 1, &s, &x), -1);
	CHECK_STR(reason_of(&x), EXCLUDED_RESTART);
	CHECK_STR(why_said(&x),
	    "a.log:2: iteration 0 is printed again, and there is 1 rank: the "
	    "log holds more than one run; keep one of them");
	steps_release(&s);
	log_drop(log);
}

/* The number of ranks is not given. */
static void
test_world_unknown(void)
{
	struct log *log = log_new(&imagenet);
	struct exclusion x = EXCLUSION_INIT;
	struct steps s;
	int i;

	for (i = 0; i < 100; i++) {
		log_add(log, 0, i, 0.5);
		log_add(log, 0, i, 0.5);
	}
	CHECK_INT(make(log, RESULT_UNKNOWN, &s, &x), 0);
	CHECK_INT(s.ranks, 2);
	CHECK_INT(s.n_flags, 1);
	CHECK(strstr(said(&s.flags[0]), "world size unknown") != NULL);
	steps_release(&s);
	log_drop(log);

	/* Logs of two ranks, one after the other: the ranks keep pace. */
	log = log_new(&imagenet);
	for (i = 0; i < 200; i++)
		log_add(log, 0, i % 100, (i + i / 100) % 2 ? 0.5 : 0.7);
	CHECK_INT(make(log, RESULT_UNKNOWN, &s, &x), 0);
	CHECK_INT(s.attempts, 1);
	CHECK_NEAR(items[50].value, 0.6, 1e-15);
	steps_release(&s);
	log_drop(log);

	/* Ranks cannot drift this far apart, but two runs can. */
	log = log_new(&imagenet);
	log_add_range(log, 0, 0, 99, 0.5);
	log_add_range(log, 0, 0, 99, 0.7);
	CHECK_INT(make(log, RESULT_UNKNOWN, &s, &x), 0);
	CHECK_INT(s.attempts, 2);
	CHECK_NEAR(items[50].value, 0.7, 1e-15);
	steps_release(&s);
	/* Nor can one rank print all of its lines before the other. */
	for (i = 0; i < 200; i++) {
		log_item(log, (size_t)i)->value = 0.5;
		log_item(log, (size_t)i)->stamp = 1e9 + i;
	}
	CHECK_INT(make(log, RESULT_UNKNOWN, &s, &x), 0);
	CHECK_INT(s.attempts, 2);
	steps_release(&s);
	log_drop(log);

	/* A run that failed late, and its second attempt. */
	log = log_new(&imagenet);
	log_add_range(log, 0, 0, 96, 0.5);
	log_add_range(log, 0, 0, 99, 0.5);
	CHECK_INT(make(log, RESULT_UNKNOWN, &s, &x), 0);
	CHECK_INT(s.attempts, 2);
	CHECK_INT(s.n, 100);
	steps_release(&s);
	log_drop(log);

	/* A run that was resumed from a checkpoint. */
	log = log_new(&imagenet);
	log_add_range(log, 0, 0, 60, 0.5);
	log_add_range(log, 0, 50, 99, 0.5);
	CHECK_INT(make(log, RESULT_UNKNOWN, &s, &x), 0);
	CHECK_INT(s.attempts, 2);
	CHECK_INT(s.n, 50);
	steps_release(&s);
	log_drop(log);
}

/* A repeated earlier epoch is a restart too. */
static void
test_restart_of_epochs(void)
{
	struct log *log = log_new(&imagenet);
	struct exclusion x = EXCLUSION_INIT;
	struct steps s;

	log_add_range(log, 0, 0, 49, 0.5);
	log_add_range(log, 1, 0, 47, 0.5);
	log_add_range(log, 0, 0, 49, 0.5);
	log_add_range(log, 1, 0, 49, 0.5);
	CHECK_INT(make(log, RESULT_UNKNOWN, &s, &x), 0);
	CHECK_INT(s.attempts, 2);
	CHECK_INT(s.n, 100);
	steps_release(&s);
	log_drop(log);
}

static void
test_labels(void)
{
	struct log *log = log_new(&imagenet);
	struct exclusion x = EXCLUSION_INIT;
	struct steps s;
	int i;

	for (i = 0; i < 100; i++) {
		log_add(log, 0, i, 0.5)->rank = 0;
		log_add(log, 0, i, 0.7)->rank = 1;
	}
	CHECK_INT(make(log, RESULT_UNKNOWN, &s, &x), 0);
	CHECK_INT(s.n_flags, 0);
	CHECK_NEAR(items[7].value, 0.6, 1e-15);
	steps_release(&s);
	/* Rank 0 alone, twice, of 8 ranks: a restart, not two ranks. */
	log_drop(log);
	log = log_new(&imagenet);
	for (i = 0; i < 30; i++)
		log_add(log, 0, i, 0.5)->rank = 0;
	for (i = 0; i < 100; i++)
		log_add(log, 0, i, 0.5)->rank = 0;
	CHECK_INT(make(log, 8, &s, &x), 0);
	CHECK_INT(s.attempts, 2);
	CHECK_INT(s.n, 100);
	steps_release(&s);
	log_drop(log);
	/* Lines that rank 0 prints twice are not two ranks. */
	log = log_new(&imagenet);
	for (i = 0; i < 100; i++)
		for (int k = 0; k < (i < 40 ? 2 : 1); k++)
			log_add(log, 0, i, 0.5)->rank = 0;
	CHECK_INT(make(log, RESULT_UNKNOWN, &s, &x), 0);
	CHECK(strstr(said(&s.flags[0]), "did not advance") != NULL);
	steps_release(&s);
	log_drop(log);
}

/* A loss scaler that skips steps leaves the counter where it is. */
static void
test_counter_stands_still(void)
{
	struct log *log = log_new(&imagenet);
	struct exclusion x = EXCLUSION_INIT;
	struct steps s;

	log_add_range(log, 0, 1, 1, 0.5);
	log_add_range(log, 0, 1, 1, 0.5);
	log_add_range(log, 0, 1, 100, 0.5);
	CHECK_INT(make(log, 1, &s, &x), 0);
	CHECK_INT(s.n, 100);
	CHECK_INT(s.n_flags, 1);
	CHECK(strstr(said(&s.flags[0]), "did not advance") != NULL);
	steps_release(&s);
	log_drop(log);
}

/* Make steps of n iterations, the first `twice` of which are printed twice. */
static int
make_repeated(
    int n, int twice, long world, struct steps *s, struct exclusion *x)
{
	struct log *log = log_new(&imagenet);
	int rc;

	for (int i = 0; i < n; i++)
		for (int k = 0; k < (i < twice ? 2 : 1); k++)
			log_add(log, 0, i, 0.5);
	rc = make(log, world, s, x);
	log_drop(log);
	return rc;
}

/* Limits of repeated numbers: with one process, up to 9 in 10 iterations or a
 * single one; with an unknown number of ranks, at least 19 in 20 appear
 * twice. */
static void
test_limits_of_repeats(void)
{
	static const struct {
		int n, twice;
		long world;
		const char *flag; /* NULL: a restart */
	} cases[] = {
		{ 10, 9, 1, "did not advance" },
		{ 11, 10, 1, NULL },
		{ 1, 1, 1, "did not advance" },
		{ 2, 2, 1, NULL },
		{ 40, 38, RESULT_UNKNOWN, "world size unknown" },
		{ 40, 37, RESULT_UNKNOWN, NULL },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct exclusion x = EXCLUSION_INIT;
		struct steps s;
		const int rc = make_repeated(
		    cases[i].n, cases[i].twice, cases[i].world, &s, &x);

		CHECK_INT(rc, cases[i].flag != NULL ? 0 : -1);
		if (rc != 0) {
			CHECK_STR(reason_of(&x), EXCLUDED_RESTART);
		} else {
			CHECK_INT(s.n, cases[i].n);
			CHECK_INT(s.n_flags, 1);
			CHECK(strstr(said(&s.flags[0]), cases[i].flag) != NULL);
		}
		steps_release(&s);
	}
}

/* The usual distance of lines thousands of iterations apart is the most
 * frequent one, or the smallest of several equally frequent ones. */
static void
test_large_distances(void)
{
	static const int cases[][6] = { { 0, 5000, 11000, 16000, 22000, 5000 },
		{ 0, 6000, 11000, 17000, 22000, 5000 },
		{ 0, 5000, 11000, 17000, 24000, 6000 } };

	for (size_t i = 0; i < 3; i++) {
		struct log *log = log_new(&imagenet);
		struct exclusion x = EXCLUSION_INIT;
		struct steps s;

		for (int k = 0; k < 5; k++)
			log_add(log, 0, cases[i][k], 0.5);
		CHECK_INT(make(log, 1, &s, &x), 0);
		CHECK_INT(s.spacing, cases[i][5]);
		steps_release(&s);
		log_drop(log);
	}
}

/* Only the first two lines are swapped. */
static void
test_first_lines_swapped(void)
{
	struct log *log = log_new(&imagenet);
	struct exclusion x = EXCLUSION_INIT;
	struct steps s;

	log_add(log, 0, 1, 0.5);
	log_add(log, 0, 0, 0.7);
	log_add_range(log, 0, 2, 9, 0.5);
	CHECK_INT(make(log, 1, &s, &x), 0);
	CHECK_INT(s.n, 10);
	CHECK_INT(steps_printed(&s, &items[0]), 0);
	CHECK_INT(items[0].line, 2);
	CHECK_INT(items[1].line, 1);
	steps_release(&s);
	log_drop(log);
}

/* Reordering keeps epochs apart, whatever numbers they have. */
static void
test_swapped_in_epochs(void)
{
	struct log *log = log_new(&imagenet);
	struct exclusion x = EXCLUSION_INIT;
	struct steps s;

	log_add(log, 0, 101, 0.5);
	log_add(log, 0, 100, 0.5);
	log_add_range(log, 0, 102, 109, 0.5);
	log_add_range(log, 1, 0, 9, 0.7);
	CHECK_INT(make(log, 1, &s, &x), 0);
	CHECK_INT(s.n, 20);
	CHECK_INT(s.n_epochs, 2);
	CHECK_INT(s.epochs[0].number, 0);
	CHECK_INT(steps_printed(&s, &items[0]), 100);
	CHECK_INT(steps_printed(&s, &items[10]), 0);
	CHECK_NEAR(items[10].value, 0.7, 1e-15);
	steps_release(&s);
	log_drop(log);
}

/* If at least half of the iterations have stamps of both ranks, iterations with
 * one rank are skipped; otherwise they count. */
static void
test_half_of_the_ranks(void)
{
	struct meaning m = imagenet;

	m.kind = VALUE_STAMP;
	for (int both = 3; both <= 4; both++) {
		struct log *log = log_new(&m);
		struct exclusion x = EXCLUSION_INIT;
		struct steps s;
		int empty = 0;

		for (int i = 0; i < 8; i++)
			for (int r = 0; r < (i < both ? 2 : 1); r++)
				log_add(log, 0, i, NAN)->stamp = 1.7e9 + i;
		CHECK_INT(make(log, 2, &s, &x), 0);
		for (size_t i = 0; i < s.n; i++)
			empty += items[i].empty;
		CHECK_INT(empty, both == 4 ? 5 : 1); /* including the first */
		steps_release(&s);
		log_drop(log);
	}
}

static void
test_scopes(void)
{
	struct meaning m = dllogger;
	struct log *log = log_new(&m);
	const struct log *logs = log;
	struct exclusion x = EXCLUSION_INIT;
	struct steps s;

	log_add(log, 0, 1, 100);
	log_add(log, 0, 1, 110);
	log_pack(log);
	/* Each value is the global rate: take the mean. */
	CHECK_INT(make_from(&logs, 1, 4, 2, -1, &s, &x), 0);
	CHECK_NEAR(items[0].value, 105, 1e-12);
	steps_release(&s);
	/* Two of four devices: twice their sum. */
	m.scope = SCOPE_DEVICE;
	CHECK_INT(make_from(&logs, 1, 4, 2, -1, &s, &x), 0);
	CHECK_NEAR(items[0].value, 420, 1e-12);
	CHECK_INT(s.n_flags, 1);
	CHECK_STR(said(&s.flags[0]),
	    "only 2 of 4 ranks print rates: their sum is scaled up");
	steps_release(&s);
	/* Both nodes: their sum. */
	m.scope = SCOPE_NODE;
	CHECK_INT(make_from(&logs, 1, 4, 2, -1, &s, &x), 0);
	CHECK_NEAR(items[0].value, 210, 1e-12);
	CHECK_INT(s.n_flags, 0);
	steps_release(&s);
	/* --rate-scope overrides the format. */
	CHECK_INT(make_from(&logs, 1, 4, 2, SCOPE_GLOBAL, &s, &x), 0);
	CHECK_NEAR(items[0].value, 105, 1e-12);
	steps_release(&s);
	CHECK_INT(make_from(&logs, 1, 4, RESULT_UNKNOWN, -1, &s, &x), 0);
	CHECK_NEAR(items[0].value, 210, 1e-12);
	CHECK_STR(said(&s.flags[0]),
	    "number of nodes unknown: sum over the 2 that printed");
	steps_release(&s);
	log_drop(log);
}

static void
test_windows(void)
{
	struct meaning m = speedometer;
	struct log *log = log_new(&m);
	struct exclusion x = EXCLUSION_INIT;
	struct steps s;

	log_add(log, 0, 20, 100)->iter_from = 0;
	log_add(log, 0, 40, 120)->iter_from = 20;
	CHECK_INT(make(log, 1, &s, &x), 0);
	CHECK_INT(items[1].from, 20);
	CHECK_INT(items[1].done, 40);
	CHECK_INT(steps_printed(&s, &items[1]), 20);
	steps_release(&s);
	/* Empty bounds: the window starts where it ends. */
	log_item(log, 1)->iter_from = 40;
	CHECK_INT(make(log, 1, &s, &x), 0);
	CHECK_INT(steps_lines(&s, &items[1]).bad_line, 2);
	CHECK_INT(items[1].done - items[1].from, 1);
	steps_release(&s);
	log_drop(log);

	/* "iteration 10/1000" every ten, counted from 1. */
	m.base = 1;
	log = log_new(&m);
	log_add(log, SAMPLE_NONE, 10, 100);
	log_add(log, SAMPLE_NONE, 20, 120);
	log_add(log, SAMPLE_NONE, 30, 120);
	CHECK_INT(make(log, 1, &s, &x), 0);
	CHECK_INT(items[0].from, 0);
	CHECK_INT(items[0].done, 10);
	CHECK_INT(items[1].from, 10);
	CHECK_INT(steps_first(&s, &items[1]), 11);
	CHECK_INT(steps_printed(&s, &items[1]), 20);
	steps_release(&s);
	log_drop(log);

	/* The same after a restart from a checkpoint at 5000. */
	log = log_new(&m);
	log_add(log, SAMPLE_NONE, 5010, 100);
	log_add(log, SAMPLE_NONE, 5020, 120);
	log_add(log, SAMPLE_NONE, 5030, 120);
	CHECK_INT(make(log, 1, &s, &x), 0);
	CHECK_INT(items[0].from, 5000);
	steps_release(&s);
	/* A format that states how many iterations each line covers. */
	m.window = 5;
	CHECK_INT(make(log, 1, &s, &x), 0);
	CHECK_INT(items[1].from, 5015);
	steps_release(&s);
	log_drop(log);
}

/* Return the start of the first of `lines` windows, 10 iterations apart. */
static long
first_from(int first, int lines)
{
	struct meaning m = speedometer;
	struct log *log;
	struct exclusion x = EXCLUSION_INIT;
	struct steps s;
	long from;

	m.base = 1;
	log = log_new(&m);
	for (int i = 0; i < lines; i++)
		log_add(log, SAMPLE_NONE, first + 10 * i, 100);
	CHECK_INT(make(log, 1, &s, &x), 0);
	CHECK_INT(s.spacing, 10);
	from = items[0].from;
	CHECK_INT(items[0].done, first);
	CHECK_INT(steps_first(&s, &items[0]), from + 1);
	steps_release(&s);
	log_drop(log);
	return from;
}

/* A first line at up to twice the spacing covers the start of the run. */
static void
test_first_window(void)
{
	for (int lines = 2; lines <= 4; lines++) {
		CHECK_INT(first_from(10, lines), 0);
		CHECK_INT(first_from(20, lines), 0);
		CHECK_INT(first_from(21, lines), 11);
		CHECK_INT(first_from(30, lines), 20);
	}
}

static void
test_running_means(void)
{
	struct meaning m = imagenet;
	struct log *log = log_new(&m);
	struct exclusion x = EXCLUSION_INIT;
	struct steps s;

	/* Sums 1, 1.8, 3 seconds over 1, 2, 4 iterations. */
	m.statistic = STATISTIC_CUMULATIVE_MEAN;
	log_add(log, 0, 0, 1.0);
	log_add(log, 0, 1, 0.9);
	log_add(log, 0, 3, 0.75);
	CHECK_INT(make(log, 1, &s, &x), 0);
	CHECK_NEAR(items[0].value, 1.0, 1e-15);
	CHECK_NEAR(items[1].value, 0.8, 1e-15);
	CHECK_NEAR(items[2].value, 0.6, 1e-15);
	CHECK_INT(items[2].from, 2);
	CHECK_INT(items[2].done, 4);
	steps_release(&s);
	/* As rates: 1, 2/1.8, 4/3 a second. */
	m.kind = VALUE_RATE;
	log_item(log, 1)->value = 2 / 1.8;
	log_item(log, 2)->value = 4 / 3.0;
	CHECK_INT(make(log, 1, &s, &x), 0);
	CHECK_NEAR(items[1].value, 1 / 0.8, 1e-14);
	CHECK_NEAR(items[2].value, 2 / 1.2, 1e-14);
	steps_release(&s);
	log_drop(log);

	/* The first mean of a resumed run includes the start: it is no step. */
	m.kind = VALUE_STEP_TIME;
	log = log_new(&m);
	for (int i = 25; i < 70; i += 10)
		log_add(log, 0, i, 0.5);
	CHECK_INT(make(log, 1, &s, &x), 0);
	CHECK(items[0].empty);
	CHECK_NEAR(items[1].value, 0.5, 1e-15);
	steps_release(&s);
	log_drop(log);
}

static void
test_stamps_over_midnight(void)
{
	struct meaning m = imagenet;
	struct log *log = log_new(&m);
	struct exclusion x = EXCLUSION_INIT;
	struct steps s;

	m.kind = VALUE_STAMP;
	log_add(log, 0, 0, NAN)->stamp = 86399.0;
	log_add(log, 0, 0, NAN)->stamp = 86399.2;
	log_add(log, 0, 1, NAN)->stamp = 0.5; /* this rank is ahead */
	log_add(log, 0, 1, NAN)->stamp = 86399.7;
	log_add(log, 0, 4, NAN)->stamp = 3.0;
	log_add(log, 0, 4, NAN)->stamp = 3.2;
	CHECK_INT(make(log, 2, &s, &x), 0);
	CHECK(s.points);
	/* Means of the stamps: 86399.1, 86400.1, 86403.1. */
	CHECK_NEAR(items[1].value, 1.0, 1e-9);
	CHECK_NEAR(items[2].value, 1.0, 1e-9);
	CHECK_INT(items[2].from, 2);
	CHECK_INT(items[2].done, 5);
	CHECK_INT(steps_lines(&s, &items[2]).bad_line, 0);
	steps_release(&s);
	log_drop(log);
}

/* A jump of an hour, as of daylight saving, is corrected; a pause of half an
 * hour is kept. */
static void
test_stamps_over_daylight_saving(void)
{
	struct meaning m = imagenet;
	struct exclusion x = EXCLUSION_INIT;
	struct steps s;

	m.kind = VALUE_STAMP;
	for (int jump = -3600; jump <= 3600; jump += 1800) {
		const int put_right = jump == -3600 || jump == 3600;
		struct log *log;

		if (jump == -1800)
			continue; /* backwards: not a step time */
		log = log_new(&m);
		for (int i = 0; i < 300; i++)
			log_add(log, 0, i, NAN)->stamp =
			    1.7e9 + 0.5 * i + (i >= 70 ? jump : 0);
		CHECK_INT(make(log, 1, &s, &x), 0);
		CHECK_NEAR(items[70].value, 0.5 + (put_right ? 0 : jump), 1e-6);
		CHECK_NEAR(items[299].value, 0.5, 1e-6);
		CHECK_INT(s.n_flags, put_right);
		steps_release(&s);
		log_drop(log);
	}
}

/* A corrected jump differs from an hour by less than two seconds. */
static void
test_hour_and_two_seconds(void)
{
	struct meaning m = imagenet;

	m.kind = VALUE_STAMP;
	for (int near = 0; near < 2; near++) {
		struct log *log = log_new(&m);
		struct exclusion x = EXCLUSION_INIT;
		struct steps s;

		for (int i = 0; i < 300; i++)
			log_add(log, 0, i, NAN)->stamp = 1.7e9 + 0.25 * i +
			    (i >= 70 ? 3601.75 - 0.25 * near : 0);
		CHECK_INT(make(log, 1, &s, &x), 0);
		CHECK_INT(s.n_flags, near);
		steps_release(&s);
		log_drop(log);
	}
}

/* Two ranks with clocks an hour apart, and one lost line. */
static void
test_stamps_of_unlike_clocks(void)
{
	struct meaning m = imagenet;
	struct log *log = log_new(&m);
	struct exclusion x = EXCLUSION_INIT;
	struct steps s;
	int empty = 0;

	m.kind = VALUE_STAMP;
	for (int i = 0; i < 200; i++)
		for (int r = 0; r < 2; r++)
			if (i != 60 || r == 0)
				log_add(log, 0, i, NAN)->stamp =
				    1.7e9 + 0.5 * i + 3600 * r;
	CHECK_INT(make(log, 2, &s, &x), 0);
	for (size_t i = 0; i < s.n; i++) {
		empty += items[i].empty;
		if (!items[i].empty)
			CHECK_NEAR(items[i].value, 0.5, 1e-6);
	}
	CHECK_INT(empty, 2); /* the first, and the one with a rank missing */
	CHECK_INT(s.n_flags, 0);
	steps_release(&s);
	log_drop(log);
}

static void
test_stamps_with_date(void)
{
	struct meaning m = imagenet;
	struct log *log = log_new(&m);
	struct exclusion x = EXCLUSION_INIT;
	struct steps s;

	m.kind = VALUE_STAMP;
	log_add(log, 0, 0, NAN)->stamp = 1.6e9 + 10;
	log_add(log, 0, 1, NAN)->stamp = 1.6e9; /* the clock was set back */
	log_add(log, 0, 2, NAN)->stamp = 1.6e9 + 1;
	CHECK_INT(make(log, 1, &s, &x), 0);
	CHECK_INT(steps_lines(&s, &items[1]).bad_line, 2);
	CHECK_NEAR(items[2].value, 1.0, 1e-6);
	steps_release(&s);
	log_drop(log);
	/* Without a year, over New Year. */
	log = log_new(&m);
	log_add(log, 0, 0, NAN)->stamp = 94694399.0 - 86400 * 0;
	log_add(log, 0, 1, NAN)->stamp = 63072001.0;
	CHECK_INT(make(log, 1, &s, &x), 0);
	CHECK_NEAR(items[1].value, 2.0, 1e-6);
	steps_release(&s);
	log_drop(log);
}

static void
test_elapsed(void)
{
	struct meaning m = imagenet;
	struct log *log = log_new(&m);
	struct exclusion x = EXCLUSION_INIT;
	struct steps s;

	m.kind = VALUE_ELAPSED;
	log_add(log, 0, 10, 100);
	log_add(log, 0, 20, 105);
	CHECK_INT(make(log, 1, &s, &x), 0);
	CHECK_NEAR(items[1].value, 0.5, 1e-15);
	steps_release(&s);
	log_drop(log);
}

/* One file per rank. */
static void
test_files_of_ranks(void)
{
	struct log *a = log_new(&imagenet), *b = log_new(&imagenet);
	const struct log *logs[] = { a, b };
	struct exclusion x = EXCLUSION_INIT;
	struct steps s;

	b->shown = "b.log";
	log_add_range(a, 0, 0, 9, 0.4);
	log_add_range(b, 0, 0, 9, 0.6);
	log_pack(a);
	log_pack(b);
	CHECK_INT(make_from(logs, 2, 2, 1, -1, &s, &x), 0);
	CHECK_INT(s.n, 10);
	CHECK_NEAR(items[3].value, 0.5, 1e-15);
	CHECK_INT(s.n_flags, 0);
	steps_release(&s);
	/* A restart inside one of the files. */
	log_add_range(b, 0, 0, 5, 0.6);
	log_pack(b);
	CHECK_INT(make_from(logs, 2, 2, 1, -1, &s, &x), 0);
	CHECK_INT(s.attempts, 2);
	CHECK_INT(items[5].ranks, 2);
	steps_release(&s);
	log_drop(a);
	log_drop(b);
}

static void
test_run_on_numbers(void)
{
	struct meaning m = imagenet;
	struct log *log = log_new(&m);
	struct exclusion x = EXCLUSION_INIT;
	struct steps s;

	m.iter_global = 1;
	log_add_range(log, 0, 0, 49, 0.5);
	log_add_range(log, 1, 50, 99, 0.5);
	CHECK_INT(make(log, 1, &s, &x), 0);
	CHECK_INT(s.n_epochs, 2);
	CHECK_INT(s.epochs[0].length, 50);
	CHECK_INT(s.epochs[1].length, 50);
	CHECK_INT(items[50].from, 0);
	CHECK_INT(steps_first(&s, &items[50]), 50);
	steps_release(&s);
	log_drop(log);
}

/* The format states that numbers run on, but those of the log start again: each
 * step has at least one iteration and starts within its epoch. */
static void
test_run_on_numbers_begin_again(void)
{
	static const struct meaning *const kinds[] = { &imagenet, &dllogger,
		&speedometer };
	static const int begins[] = { 20, 49, 50 };

	for (int k = 0; k < 2 * N_TESTS(kinds) * N_TESTS(begins); k++) {
		const int base = k % 2, begin = begins[k / 2 % 3];
		struct meaning m = *kinds[k / 6];
		struct log *log = log_new(&m);
		struct exclusion x = EXCLUSION_INIT;
		struct steps s;

		m.iter_global = 1;
		log_add_range(log, 0, base, base + 49, 0.5);
		log_add_range(log, 1, begin, begin + 49, 0.5);
		log_add_range(log, 2, base, base + 49, 0.5);
		CHECK_INT(make(log, 1, &s, &x), 0);
		CHECK_INT(s.n_epochs, 3);
		for (size_t i = 0; i < s.n; i++) {
			const struct step step = items[i];

			CHECK(step.from >= 0);
			CHECK(step.done > step.from);
		}
		steps_release(&s);
		log_drop(log);
	}
}

static void
test_unnumbered(void)
{
	struct log *log = log_new(&dllogger);
	struct exclusion x = EXCLUSION_INIT;
	struct steps s;

	log_add(log, SAMPLE_NONE, SAMPLE_NONE, 100);
	log_add(log, SAMPLE_NONE, SAMPLE_NONE, 110);
	CHECK_INT(make(log, 1, &s, &x), 0);
	CHECK_INT(s.n, 2);
	CHECK(!s.numbered);
	CHECK_NEAR(items[1].value, 110, 0);
	steps_release(&s);
	log_drop(log);
	log = log_new(&dllogger);
	CHECK_INT(make(log, 1, &s, &x), -1);
	CHECK_STR(reason_of(&x), EXCLUDED_NO_STEPS);
	steps_release(&s);
	log_drop(log);
}

static void
test_bad_values(void)
{
	struct log *log = log_new(&imagenet);
	struct exclusion x = EXCLUSION_INIT;
	struct steps s;

	log_add(log, 0, 0, NAN);
	log_add(log, 0, 1, 0);
	log_add(log, 0, 2, -0.1);
	log_add(log, 0, 3, INFINITY);
	log_add(log, 0, 4, 1e7);
	log_add(log, 0, 5, 0.5);
	CHECK_INT(make(log, 1, &s, &x), 0);
	for (int i = 0; i < 5; i++)
		CHECK_INT(steps_lines(&s, &items[i]).bad_line, i + 1);
	CHECK_INT(steps_lines(&s, &items[5]).bad_line, 0);
	steps_release(&s);
	log_drop(log);
}

/* One of two ranks is 50 of 130 iterations late and misses a line: going back
 * by less than half of all iterations is not a restart. */
static void
test_late_rank(void)
{
	struct log *log = log_new(&imagenet);
	struct exclusion x = EXCLUSION_INIT;
	struct steps s;

	for (int i = 0; i < 180; i++) {
		if (i < 130)
			log_add(log, 0, i, 0.5);
		if (i >= 50 && i != 149)
			log_add(log, 0, i - 50, 0.7);
	}
	CHECK_INT(make(log, 2, &s, &x), 0);
	CHECK_INT(s.attempts, 1);
	CHECK_INT(s.n, 130);
	CHECK_INT(s.n_flags, 0);
	CHECK_NEAR(items[98].value, 0.6, 1e-15);
	CHECK_NEAR(items[99].value, 0.5, 1e-15);
	steps_release(&s);
	log_drop(log);
}

/* Lines that two ranks printed before a restart are not taken for a fall-back
 * in the second attempt. */
static void
test_restart_of_ranks(void)
{
	struct log *log = log_new(&imagenet);
	struct exclusion x = EXCLUSION_INIT;
	struct steps s;

	for (int i = 0; i < 2 * 81; i++)
		log_add(log, 0, i / 2, 0.5);
	for (int i = 0; i < 2 * 130; i++)
		if (i != 51)
			log_add(log, 0, i / 2, 0.5);
	CHECK_INT(make(log, 2, &s, &x), 0);
	CHECK_INT(s.attempts, 2);
	CHECK_INT(s.n, 130);
	for (size_t i = 0; i < s.n_flags; i++)
		CHECK(strstr(said(&s.flags[i]), "unequal") == NULL);
	CHECK_INT(items[0].line, 163);
	steps_release(&s);
	log_drop(log);
}

static const struct tap_test tests[] = {
	TEST(test_late_rank),
	TEST(test_restart_of_ranks),
	TEST(test_base_auto),
	TEST(test_lost_means),
	TEST(test_base_fixed),
	TEST(test_ranks_are_averaged),
	TEST(test_restart),
	TEST(test_world_unknown),
	TEST(test_restart_of_epochs),
	TEST(test_labels),
	TEST(test_counter_stands_still),
	TEST(test_limits_of_repeats),
	TEST(test_large_distances),
	TEST(test_first_lines_swapped),
	TEST(test_swapped_in_epochs),
	TEST(test_half_of_the_ranks),
	TEST(test_scopes),
	TEST(test_windows),
	TEST(test_first_window),
	TEST(test_running_means),
	TEST(test_stamps_over_midnight),
	TEST(test_stamps_with_date),
	TEST(test_stamps_over_daylight_saving),
	TEST(test_hour_and_two_seconds),
	TEST(test_stamps_of_unlike_clocks),
	TEST(test_elapsed),
	TEST(test_files_of_ranks),
	TEST(test_run_on_numbers),
	TEST(test_run_on_numbers_begin_again),
	TEST(test_unnumbered),
	TEST(test_bad_values),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
