#include <config.h>

#include "trainer/launch/plan.h"

#include <string.h>
#include <unistd.h>

#include "tests/files.h"
#include "tests/tap.h"

static const char path[] = "test_hostfile.tmp";

#define LONG \
	"--------------------------------------------------------------------" \
	"--------------------------------------------------------------------" \
	"------------------------------------------------------------------ "

/* Hostfiles of Open MPI (slots=N) and of MPICH (:N). */
static void
test_first(void)
{
	static const struct {
		const char *text, *host; /* NULL: no host */
	} cases[] = {
		{ "gpu1\n", "gpu1" },
		{ "gpu1", "gpu1" },
		{ "gpu1 slots=8\ngpu2 slots=8\n", "gpu1" },
		{ "# four nodes\n\n \t10.11.0.2 slots=8\n10.11.0.3\n",
		    "10.11.0.2" },
		{ "gpu1:8\ngpu2:8\n", "gpu1" },
		{ "gpu1:8 ifhn=gpu1-ib\n", "gpu1" },
		{ "gpu1# the first\r\n", "gpu1" },
		{ "gpu1\r\n", "gpu1" },
		{ "fd00::2 slots=2\n", "fd00::2" },
		{ "alice@gpu1 slots=8\n", "gpu1" },
		{ "gpu1 # ask bob@example\n", "gpu1" },
		/* A comment longer than one read contains no host. */
		{ "#" LONG LONG LONG " not a host\ngpu1\n", "gpu1" },
		{ "", NULL },
		{ "# none\n\n", NULL },
	};

	for (int i = 0; i < N_TESTS(cases); i++) {
		char host[64] = "unset";
		int rc;

		file_put(path, cases[i].text);
		rc = hostfile_first(path, host, sizeof host);
		CHECK_INT(rc, cases[i].host != NULL ? 0 : -1);
		CHECK_STR(
		    host, cases[i].host != NULL ? cases[i].host : "unset");
	}
	unlink(path);
}

/* Loopback names are replaced by the name of this machine. */
static void
test_loopback(void)
{
	static const char *const names[] = { "localhost slots=2\n",
		"127.0.0.1\n", "::1\n" };
	char own[256] = "";

	CHECK_INT(gethostname(own, sizeof own), 0);
	for (int i = 0; i < N_TESTS(names); i++) {
		char host[256];

		file_put(path, names[i]);
		CHECK_INT(hostfile_first(path, host, sizeof host), 0);
		CHECK_STR(host, own);
	}
	unlink(path);
}

static void
test_no_host(void)
{
	char host[4] = "is";

	unlink(path);
	CHECK_INT(hostfile_first(path, host, sizeof host), -1);
	file_put(path, "gpu1\n");
	CHECK_INT(hostfile_first(path, host, sizeof host), -1);
	CHECK_STR(host, "is");
	unlink(path);
}

static const struct tap_test tests[] = {
	TEST(test_first),
	TEST(test_loopback),
	TEST(test_no_host),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
