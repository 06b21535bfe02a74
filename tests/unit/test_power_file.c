/* Dates in log lines, and the mean of a power log between two of them. */
#include <config.h>

#include "extract/job/extraction.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "extract/log/log.h"
#include "tests/tap.h"

/* The date that line_date() finds in this line, the second of a file. */
static double
date_in(const char *line)
{
	char path[] = "test_power_file-XXXXXX";
	FILE *f = fdopen(mkstemp(path), "w");
	double at;

	CHECK(f != NULL);
	fprintf(f, "1999-01-01 00:00:00\n%s\n1999-01-01 00:00:00\n", line);
	fclose(f);
	at = line_date(path, 2);
	unlink(path);
	return at;
}

static void
test_dates(void)
{
	static const struct {
		const char *line;
		double at; /* NAN: none */
	} cases[] = {
		{ "1970-01-02 00:00:01", 86401 },
		{ "[1970-01-02 00:00:01,250] step 1", 86401.25 },
		{ "x 1970/01/02 00:00:01.5 y", 86401.5 },
		{ "1970-01-02T01:00:01+01:00 z", 86401 },
		{ "1970-01-01T23:00:01-01:00", 86401 },
		{ "1970-01-02T00:00:01Z", 86401 },
		{ "11970-01-02 00:00:01", NAN },
		{ "1970-01-02 00:00", NAN },
		{ "1970-01-02 00:00:0", NAN },
		{ "1970-01-02 24:61:01", NAN },
		{ "12:00:01 step 1", NAN },
		{ "", NAN },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const char *line = cases[i].line;
		const double at = date_in(line);

		printf("# %s\n", line);
		if (isnan(cases[i].at))
			CHECK(isnan(at));
		else
			CHECK_NEAR(at, cases[i].at, 1e-6);
	}
}

static void
test_far_in_a_line(void)
{
	char line[300];

	memset(line, 'x', sizeof line);
	line[sizeof line - 1] = '\0';
	memcpy(line + 237, "1970-01-02 00:00:01", 19);
	CHECK_NEAR(date_in(line), 86401, 0);
	memset(line, 'x', sizeof line - 1);
	memcpy(line + 238, "1970-01-02 00:00:01", 19);
	CHECK(isnan(date_in(line)));
	CHECK(isnan(line_date("/nonexistent", 1)));
}

static void
test_mean(void)
{
	struct power_row rows[] = { { 10, 60, 2, 0 }, { 20, 300, 3, 0 },
		{ 30, 320, 4, 0 }, { 40, 60, 5, 0 } };
	const struct power_log p = { .rows = rows, .n = 4 };
	struct power_mean m;

	CHECK_INT(power_log_mean(&p, 20, 30, &m), 0);
	CHECK_NEAR(m.watts, 310, 0);
	CHECK_INT(m.first_line, 3);
	CHECK_INT(m.last_line, 4);
	CHECK_NEAR(m.covered, 1, 0);
	/* 30 of 40 s */
	CHECK_INT(power_log_mean(&p, 0, 40, &m), 0);
	CHECK_NEAR(m.covered, 0.75, 1e-12);
	CHECK_NEAR(m.watts, 185, 0);
	CHECK_INT(power_log_mean(&p, 50, 60, &m), -1);
	CHECK_INT(power_log_mean(&p, NAN, NAN, &m), 0);
	CHECK_NEAR(m.watts, 185, 0);
	/* one moment */
	CHECK_INT(power_log_mean(&p, 20, 20, &m), 0);
	CHECK_NEAR(m.watts, 300, 0);
	CHECK_NEAR(m.covered, 1, 0);
}

/* The column of the device may have any of these names. */
static void
test_devices(void)
{
	static const char *const names[] = { "uuid", "gpu_uuid", "index",
		"pci.bus_id", "gpu_bus_id" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char path[] = "test_power_file-XXXXXX";
		FILE *f = fdopen(mkstemp(path), "w");
		struct power_log p;
		struct error e;

		CHECK(f != NULL);
		fprintf(f, "timestamp, %s, power.draw [W]\n", names[i]);
		for (int k = 0; k < 6; k++)
			fprintf(f, "2020/01/01 10:00:%02d.000, %d, 100 W\n",
			    k / 2, k % 2);
		fclose(f);
		printf("# %s\n", names[i]);
		CHECK_INT(power_file_read(path, &p, &e), 0);
		CHECK_INT(p.devices, 2);
		power_log_release(&p);
		unlink(path);
	}
}

static const struct tap_test tests[] = {
	TEST(test_devices),
	TEST(test_dates),
	TEST(test_far_in_a_line),
	TEST(test_mean),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
