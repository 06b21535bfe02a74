/* Records of steps, read back for charts. */
#include <config.h>

#include <stdlib.h>
#include <unistd.h>

#include "plots/charts/chart.h"
#include "tests/files.h"
#include "tests/tap.h"

static struct step_records records;
static struct error e;
static char path[] = "/tmp/test_step_records.XXXXXX";

static int
read_text(const char *text)
{
	arena_release(&records.arena);
	file_put(path, text);
	return step_records_read(path, &records, &e);
}

#define RECORD(p, line, epoch, iter, rank, value) \
	"{\"path\": \"" p "\", \"line\": " #line ", \"epoch\": " #epoch \
	", \"iteration\": " #iter ", \"rank\": " #rank ", \"value\": " #value \
	", \"unit\": \"s\", \"loss\": 2.5, \"top1\": null}\n"

/* Positions continue across epochs; iterations of an epoch may begin at 1. */
static void
test_positions(void)
{
	const struct step_run *run;

	CHECK_INT(read_text(RECORD("a", 7, 0, 1, null, 0.5) RECORD("a", 8, 0,
		      11, null, 0.25) "\n" RECORD("a", 9, 1, 1, null, 0.25)
			  RECORD("b", 3, 0, 0, null, 2)),
	    0);
	CHECK_INT(records.n, 2);
	run = step_records_find(&records, "a");
	CHECK(run != NULL && run->n == 3);
	CHECK_INT(run->samples[0].position, 0);
	CHECK_INT(run->samples[1].position, 10);
	CHECK_INT(run->samples[2].position, 11);
	CHECK_INT(run->samples[1].epoch_start, 0);
	CHECK_INT(run->samples[2].epoch_start, 11);
	CHECK_INT(run->samples[2].line, 9);
	/* The second line covers ten steps, of which it measures the last. */
	CHECK_INT(run->samples[1].from, 1);
	CHECK_NEAR(run->samples[2].seconds, 0.5 + 10 * 0.25 + 0.25, 1e-12);
	CHECK_NEAR(run->samples[2].loss, 2.5, 0);
	CHECK(isnan(run->samples[2].top1));
	CHECK(step_records_find(&records, "c") == NULL);
	CHECK(step_records_find(&records, NULL) == NULL);
}

/* An epoch of one step begins where it ends. */
static void
test_short_epochs(void)
{
	const struct step_run *run;

	CHECK_INT(read_text(RECORD("a", 1, 0, 1, null, 0.5)
			  RECORD("a", 2, 1, 1, null, 0.5)),
	    0);
	run = &records.runs[0];
	CHECK_INT(run->samples[1].epoch_start, 1);
	CHECK_INT(run->samples[1].position, 1);
}

/* Sums that overflow are unknown, not infinite: no chart shows them. */
static void
test_huge_values(void)
{
	const struct step_run *run;

	CHECK_INT(read_text(RECORD("a", 1, 0, 0, null, 1.7e308)
			  RECORD("a", 2, 0, 1, null, 1.7e308)),
	    0);
	run = &records.runs[0];
	CHECK_NEAR(run->samples[0].seconds, 1.7e308, 1e300);
	CHECK(isnan(run->samples[1].seconds));
}

#define WINDOW(line, epoch, from, iter, value) \
	"{\"path\": \"a\", \"line\": " #line ", \"epoch\": " #epoch \
	", \"iteration\": " #iter ", \"iteration_from\": " #from \
	", \"value\": " #value ", \"unit\": \"s\"}\n"

/* Lines of windows state how many steps they cover; other lines, the first one
 * too, cover the distance between them. */
static void
test_steps_of_a_line(void)
{
	const struct step_run *run;

	CHECK_INT(read_text(WINDOW(1, 0, 0, 20, 0.5) WINDOW(2, 0, 20, 40, 0.25)
			  WINDOW(3, 1, 0, 20, 0.5)),
	    0);
	run = &records.runs[0];
	CHECK_INT(run->samples[0].from, 0);
	CHECK_INT(run->samples[0].position, 19);
	CHECK_NEAR(run->samples[0].seconds, 10, 1e-12);
	CHECK_INT(run->samples[1].position, 39);
	CHECK_NEAR(run->samples[1].seconds, 15, 1e-12);
	CHECK_INT(run->samples[2].from, 40);
	CHECK_INT(run->samples[2].epoch_start, 40);
	CHECK_NEAR(run->samples[2].seconds, 25, 1e-12);
	/* Iterations 10, 20 and, of the next epoch, 10. */
	CHECK_INT(read_text(RECORD("a", 1, 0, 10, null, 0.5) RECORD("a", 2, 0,
		      20, null, 0.25) RECORD("a", 3, 1, 10, null, 1)),
	    0);
	run = &records.runs[0];
	CHECK_INT(run->samples[0].from, 0);
	CHECK_INT(run->samples[0].position, 9);
	CHECK_NEAR(run->samples[0].seconds, 5, 1e-12);
	CHECK_INT(run->samples[1].from, 10);
	CHECK_NEAR(run->samples[1].seconds, 7.5, 1e-12);
	CHECK_INT(run->samples[2].from, 20);
	CHECK_INT(run->samples[2].position, 29);
	CHECK_NEAR(run->samples[2].seconds, 17.5, 1e-12);
	/* The second line's window applies to that line only. */
	CHECK_INT(read_text(RECORD("a", 1, 0, 20, null, 0.5)
			  WINDOW(2, 0, 35, 40, 0.25)),
	    0);
	run = &records.runs[0];
	CHECK_INT(run->n, 2);
	CHECK_INT(run->samples[0].from, run->samples[0].position);
	/* Times do not decrease in a log that goes back, as after a restart. */
	CHECK_INT(read_text(RECORD("a", 1, 0, 5, null, 1) RECORD(
		      "a", 2, 0, 6, null, 1) RECORD("a", 3, 0, 3, null, 1)),
	    0);
	CHECK_NEAR(records.runs[0].samples[2].seconds, 3, 1e-12);
}

/* A running mean is not a step's value, nor is a time stamp a duration. */
static void
test_no_values(void)
{
	static const char mean[] =
	    "{\"path\": \"a\", \"line\": 2, \"epoch\": 0, \"iteration\": 1, "
	    "\"value\": 2, \"unit\": \"s\", \"statistic\": "
	    "\"cumulative-mean\"}\n";
	static const char stamp[] =
	    "{\"path\": \"b\", \"line\": 2, \"iteration\": 1, \"value\": null, "
	    "\"stamp\": 5, \"unit\": \"s\", \"loss\": 3}\n";
	static const char step[] =
	    "{\"path\": \"a\", \"line\": 3, \"epoch\": 0, \"iteration\": 2, "
	    "\"value\": 2, \"unit\": \"s\", \"statistic\": "
	    "\"cumulative-mean\", \"step\": 3}\n";
	char text[1000];

	snprintf(text, sizeof text, "%s%s%s%s", RECORD("a", 1, 0, 0, null, 2),
	    mean, step, stamp);
	CHECK_INT(read_text(text), 0);
	CHECK_NEAR(records.runs[0].samples[2].value, 3, 0);
	CHECK_NEAR(records.runs[0].samples[2].seconds, 5, 0);
	CHECK_NEAR(records.runs[0].samples[0].seconds, 2, 0);
	CHECK(isnan(records.runs[0].samples[1].value));
	CHECK(isnan(records.runs[0].samples[1].seconds));
	CHECK(isnan(records.runs[1].samples[0].value));
	CHECK_NEAR(records.runs[1].samples[0].loss, 3, 0);
}

/* The first of several ranks represents the run. */
static void
test_ranks(void)
{
	CHECK_INT(read_text(RECORD("a", 1, 0, 0, 3, 1) RECORD("a", 2, 0, 0, 1,
		      9) RECORD("a", 3, 0, 1, 1, 9) RECORD("a", 4, 0, 1, 3, 2)),
	    0);
	CHECK_INT(records.runs[0].n, 2);
	CHECK_NEAR(records.runs[0].samples[1].value, 2, 0);
}

static void
test_mistakes(void)
{
	char want[200];

	CHECK_INT(
	    read_text(RECORD("a", 1, 0, 0, null, 1) "{\"path\": \"a\"}\n"), -1);
	snprintf(want, sizeof want, "%s:2: line: missing", path);
	CHECK_STR(e.message, want);
	CHECK_INT(read_text("step 1\n"), -1);
	CHECK_INT(e.code, ERROR_INPUT);
	CHECK_INT(read_text(""), -1);
	CHECK_INT(e.code, ERROR_EMPTY);
	/* A step with a negative time is dropped. */
	CHECK_INT(read_text(RECORD("a", 1, 0, 0, null, -1)), -1);
	CHECK_INT(e.code, ERROR_EMPTY);
	CHECK_INT(step_records_read("/no/such", &records, &e), -1);
	CHECK_INT(e.code, ERROR_SYSTEM);
}

static const struct tap_test tests[] = { TEST(test_positions),
	TEST(test_short_epochs), TEST(test_huge_values),
	TEST(test_steps_of_a_line), TEST(test_no_values), TEST(test_ranks),
	TEST(test_mistakes) };

int
main(void)
{
	const int fd = mkstemp(path);
	int rc;

	if (fd < 0)
		return 1;
	close(fd);
	rc = tap_main(tests, N_TESTS(tests));
	arena_release(&records.arena);
	unlink(path);
	return rc;
}
