/* The limits of a benchmark's tests and their bandwidths, from rows made by
 * hand with a tie at each limit. */
#include <config.h>

#include <math.h>
#include <stdio.h>

#include "extract/log/log.h"
#include "tests/tap.h"
#include "tests/unit/logs.h"

enum { MAX_ROWS = 64 };
static struct log_collective rows[MAX_ROWS];
static struct log *made;

/* Start a log whose rows are in the array above. */
static void
begin(void)
{
	made = log_new(&imagenet);
	made->collectives = rows;
}

static void
finish(void)
{
	log_drop(made);
}

/* Add a row on the next line. */
static struct log_collective *
add_row(const char *collective, const char *kind, double bytes)
{
	struct log_collective *x = &rows[made->n_collectives++];

	CHECK(made->n_collectives <= MAX_ROWS);
	*x = (struct log_collective){ .collective = collective,
		.kind = kind,
		.bytes = bytes,
		.time_s = NAN,
		.algorithm = NAN,
		.bus = NAN,
		.count = 1,
		.line = ++made->lines };
	return x;
}

/* A test continues while the sizes of each kind of row increase. */
static void
test_ends(void)
{
	static const struct {
		const char *collective, *kind;
		double bytes;
		int begins; /* 1: a test begins */
	} all[] = {
		{ "allreduce", "row", 8, 1 },
		{ "allreduce", "row", 16, 0 },
		{ "allreduce", "row", 8, 1 },  /* smaller */
		{ "allreduce", "row", 8, 1 },  /* equal */
		{ "allreduce", "row", 9, 0 },  /* larger by one */
		{ "broadcast", "row", 32, 1 }, /* another name, and larger */
		/* Alternating rows of two kinds belong to one test. */
		{ "broadcast", "inplace", 32, 0 },
		{ "broadcast", "row", 64, 0 },
		{ "broadcast", "inplace", 64, 0 },
		{ "broadcast", "inplace", 64, 1 }, /* equal in its kind */
		/* The first row of its kind, whatever the sizes in the previous
		 * test and of the other kind. */
		{ "broadcast", "row", 1, 0 },
		{ "broadcast", "row", 2, 0 },
		{ "broadcast", "inplace", 65, 0 },
		{ NULL, "row", 66, 1 },
		{ NULL, "row", 67, 0 },
		{ "allgather", "row", 68, 1 },
	};
	size_t at = 0;

	begin();
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		add_row(all[i].collective, all[i].kind, all[i].bytes);
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
		printf("# row %zu\n", i);
		CHECK_INT(at == i, all[i].begins);
		if (at == i)
			at = benchmark_test_end(made, i);
	}
	CHECK_INT(at, made->n_collectives);
	finish();
}

/* A log with rows is a benchmark, one with steps is a training. */
static void
test_is_benchmark(void)
{
	begin();
	CHECK_INT(benchmark_log(log_pack(made)), 0);
	add_row("allreduce", "row", 8);
	CHECK_INT(benchmark_log(log_pack(made)), 1);
	add_row("allreduce", "row", 16);
	CHECK_INT(benchmark_log(log_pack(made)), 1);
	log_add(made, 0, 0, 0.5);
	CHECK_INT(benchmark_log(log_pack(made)), 0);
	finish();
}

/* A test without a summary has the bandwidth of its largest message. */
static void
test_largest(void)
{
	static const struct {
		double bytes, algorithm, bus;
		double want; /* of all rows so far; NAN: none */
		int line;
	} all[] = {
		{ 0, NAN, NAN, NAN, 0 }, /* time is unknown */
		{ 0, 0, 0, NAN, 0 },     /* no value above 0 */
		{ 0, 0.25, NAN, 0.25, 3 },
		{ 0, 0.75, NAN, 0.25, 3 }, /* equal size: the first */
		{ 8, 0.5, 0, 0.5, 5 },     /* bus bandwidth is unknown */
		{ 9, 0.25, 0.125, 0.125, 6 },
		{ 8, 40, 50, 0.125, 6 },
		{ 9, 40, 50, 0.125, 6 },
		{ 16, 0, 0, 0.125, 6 },
		{ 10, 4, 5, 5, 10 },
	};
	struct log_summary room;

	begin();
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
		struct log_collective *x =
		    add_row("allreduce", "row", all[i].bytes);

		x->algorithm = all[i].algorithm;
		x->bus = all[i].bus;
	}
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
		const struct log_summary *s =
		    benchmark_figure(made, 0, i + 1, &room);

		printf("# rows up to %zu\n", i);
		CHECK_INT(s == NULL, isnan(all[i].want));
		if (s == NULL)
			continue;
		CHECK_NEAR(s->value, all[i].want, 0);
		CHECK_STR(s->unit, "GB/s");
		CHECK_INT(s->line, all[i].line);
	}
	/* Starting at another row excludes the rows before it. */
	CHECK_NEAR(benchmark_figure(made, 7, 8, &room)->value, 50, 0);
	CHECK_NEAR(benchmark_figure(made, 6, 7, &room)->value, 50, 0);
	CHECK(benchmark_figure(made, 8, 9, &room) == NULL);
	finish();
}

/* A summary between the first row of a test and the next test belongs to the
 * test; of several, the last in GB/s is used. */
static void
test_figures(void)
{
	enum { TESTS = 9 };
	struct log_summary room;

	for (int n = 1; n <= TESTS; n++) {
		begin();
		for (int i = 0; i < n; i++) {
			add_row("allreduce", "row", 8)->bus = 1000 + i;
			/* The third prints none, the fourth in another unit. */
			if (i == 2)
				continue;
			log_add_summary(made, 10 + i, i == 3 ? "s" : "GB/s");
			log_add_summary(made, 20 + i, i == 3 ? "s" : "GB/s");
			log_add_summary(made, 30 + i, "s");
		}
		for (int i = 0; i < n; i++) {
			const size_t at = (size_t)i;
			const int own = i != 2 && i != 3;
			const struct log_summary *s =
			    benchmark_figure(made, at, at + 1, &room);

			CHECK(s != NULL);
			CHECK_NEAR(s->value, own ? 20 + i : 1000 + i, 0);
			CHECK_INT(s->line, rows[i].line + (own ? 2 : 0));
		}
		finish();
	}
}

/* A log with all flags, in their order. */
static void
test_flags(void)
{
	static const enum remark_code want[LOG_FLAGS_MAX] = {
		REMARK_RECORDS_CUT, REMARK_TRAILING, REMARK_MATCH_LIMIT,
		REMARK_OTHER_STEPS, REMARK_DETECTION_CUT, REMARK_LONG_LINES,
		REMARK_NAN_LOSS
	};
	struct remark flags[LOG_FLAGS_MAX];
	const struct log *log;

	begin();
	log = made;
	CHECK_INT((long)log_flags_find(&log, 1, flags), 0);
	made->truncated = made->trailing = made->detection_cut = 1;
	made->n_match_limit = made->n_long_lines = made->nan_loss_line = 1;
	made->other_name = "other";
	CHECK_INT((long)log_flags_find(&log, 1, flags), LOG_FLAGS_MAX);
	for (int i = 0; i < LOG_FLAGS_MAX; i++)
		CHECK_INT(flags[i].code, want[i]);
	finish();
}

/* A summary on the line of a row belongs to the test before the row. */
static void
test_figure_at_row(void)
{
	struct log_summary room;

	begin();
	add_row("allreduce", "row", 8)->bus = 1;
	log_add_summary(made, 10, "GB/s");
	add_row("broadcast", "row", 8)->bus = 2;
	log_add_summary(made, 20, "GB/s");
	CHECK_NEAR(benchmark_figure(made, 0, 1, &room)->value, 10, 0);
	CHECK_NEAR(benchmark_figure(made, 1, 2, &room)->value, 20, 0);
	made->summaries[0].line = rows[0].line; /* on the test's own row */
	CHECK_NEAR(benchmark_figure(made, 0, 1, &room)->value, 1, 0);
	made->summaries[0].line = rows[1].line;
	CHECK_NEAR(benchmark_figure(made, 0, 1, &room)->value, 1, 0);
	made->summaries[0].line = rows[1].line - 1;
	CHECK_NEAR(benchmark_figure(made, 0, 1, &room)->value, 10, 0);
	/* The last test has no end. */
	made->summaries[1].line = 1000000;
	CHECK_NEAR(benchmark_figure(made, 1, 2, &room)->value, 20, 0);
	finish();
}

static const struct tap_test tests[] = {
	TEST(test_ends),
	TEST(test_is_benchmark),
	TEST(test_largest),
	TEST(test_figures),
	TEST(test_figure_at_row),
	TEST(test_flags),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
