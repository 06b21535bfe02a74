/* The meeting place of ranks for the variables of launchers. */
#include <config.h>

#include "trainer/comm/rendezvous.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/tap.h"

static struct launcher
plain_launcher(void)
{
	return (
	    struct launcher){ .size = 4, .local_rank = -1, .local_size = -1 };
}

/* Started by srun: the first host of the step, and a port that depends on the
 * step. */
static void
test_slurm(void)
{
	struct launcher l = plain_launcher();
	struct meeting_place a, b;

	l.nodes = "gpu[03-04],login";
	snprintf(l.job, sizeof l.job, "7.0");
	CHECK_INT(meeting_place_find(&l, &a, NULL), 0);
	CHECK_STR(a.host, "gpu03");
	CHECK(!a.is_local && a.port >= 20000 && a.port < 29000);
	/* Other ranks find the same place, other steps other ports. */
	l.rank = 3;
	CHECK_INT(meeting_place_find(&l, &b, NULL), 0);
	CHECK_INT(b.port, a.port);
	for (unsigned step = 1; step < 40; step++) {
		snprintf(l.job, sizeof l.job, "7.%u", step);
		CHECK_INT(meeting_place_find(&l, &b, NULL), 0);
		CHECK_INT((b.port + 9000 - a.port) % 9000, step);
		CHECK(b.port >= 20000 && b.port < 29000);
	}
	snprintf(l.job, sizeof l.job, "8.0");
	CHECK_INT(meeting_place_find(&l, &b, NULL), 0);
	CHECK(b.port != a.port);
	/* Settings of the user take precedence. */
	l.port = "4711";
	CHECK_INT(meeting_place_find(&l, &b, NULL), 0);
	CHECK_STR(b.text, "gpu03 port 4711");
	l.host = "login";
	CHECK_INT(meeting_place_find(&l, &b, NULL), 0);
	CHECK_STR(b.text, "login port 4711");
	l.port = NULL;
	CHECK_INT(meeting_place_find(&l, &b, NULL), 0);
	CHECK_STR(b.text, "login port 29500");
}

static void
test_slurm_orders(void)
{
	static const struct {
		const char *distribution;
		int rc;
	} cases[] = { { "block", 0 }, { "cyclic", 0 }, { "plane", 0 },
		{ "arbitrary", -1 } };

	for (int i = 0; i < N_TESTS(cases); i++) {
		struct launcher l = plain_launcher();
		struct meeting_place a;

		l.nodes = "n[1-2]";
		l.distribution = cases[i].distribution;
		CHECK_INT(meeting_place_find(&l, &a, NULL), cases[i].rc);
	}
}

/* All ranks are on this machine: no port is needed. */
static void
test_one_machine(void)
{
	struct launcher l = plain_launcher();
	struct meeting_place a;
	char name[64];

	l.local_size = 4;
	l.nodes = "n1";
	snprintf(l.job, sizeof l.job, "7.0");
	CHECK_INT(meeting_place_find(&l, &a, NULL), 0);
	CHECK(a.is_local);
	CHECK_STR(a.text, "job 7.0 of this machine");
	/* The length ends an abstract name; a long name is truncated. */
	snprintf(name, sizeof name, "dlscale-%ld-7.0", (long)geteuid());
	CHECK_INT(a.local_len,
	    offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
	CHECK_INT(a.local.sun_path[0], 0);
	CHECK(memcmp(a.local.sun_path + 1, name, strlen(name)) == 0);
	memset(l.job, 'j', sizeof l.job - 1);
	CHECK_INT(meeting_place_find(&l, &a, NULL), 0);
	CHECK_INT(a.local_len, sizeof a.local - 1);
	l.host = "n1";
	CHECK_INT(meeting_place_find(&l, &a, NULL), 0);
	CHECK(!a.is_local);
}

/* No host is known with mpirun on several machines or manual variables. */
static void
test_nowhere(void)
{
	struct launcher l = plain_launcher();
	struct error e = ERROR_INIT;
	struct meeting_place a;

	snprintf(l.job, sizeof l.job, "7");
	l.local_size = 2;
	CHECK_INT(meeting_place_find(&l, &a, &e), -1);
	CHECK_INT(e.code, ERROR_USAGE);
}

static const struct tap_test tests[] = {
	TEST(test_slurm),
	TEST(test_slurm_orders),
	TEST(test_one_machine),
	TEST(test_nowhere),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
