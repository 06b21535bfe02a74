/* The host of a rank from Slurm's lists. Expected values are those of "scontrol
 * show hostnames" of Slurm 22.05, except for text after a bracket, which only
 * Slurm on other machines writes. */
#include <config.h>

#include "trainer/comm/launcher_env.h"

#include "tests/tap.h"

/* All hosts of a list, separated by spaces. */
static const char *
expand(const char *list)
{
	static char text[512];
	char host[64];
	size_t len = 0;

	text[0] = '\0';
	for (long k = 0; host_list_nth(list, k, host, sizeof host) == 0; k++)
		len += (size_t)snprintf(text + len, sizeof text - len, "%s%s",
		    k > 0 ? " " : "", host);
	return text;
}

static void
test_lists(void)
{
	CHECK_STR(expand("a"), "a");
	CHECK_STR(expand("a,b"), "a b");
	CHECK_STR(expand("gpu[01-03,7],login"), "gpu01 gpu02 gpu03 gpu7 login");
	CHECK_STR(expand("n[9-11]"), "n9 n10 n11");
	CHECK_STR(expand("n[09-10]-ib"), "n09-ib n10-ib");
	CHECK_STR(expand("r[1-2]n[08-10]x"),
	    "r1n08x r1n09x r1n10x r2n08x r2n09x r2n10x");
	CHECK_STR(expand("n[1-2,010]"), "n1 n2 n010");
}

/* An invalid item ends the list; nothing is read beyond its end. */
static void
test_no_lists(void)
{
	static const char *const bad[] = { "", ",", "n[", "n[]", "n[1", "n[1-]",
		"n[-1]", "n[2-1]", "n[a]", "n[1-99999999999999999999]",
		"n[1-9999999]m[1-9999999]", "[", "n]", "n[1]2]", "]" };

	for (size_t i = 0; i < N_TESTS(bad); i++)
		CHECK_STR(expand(bad[i]), "");
	CHECK_STR(expand("a,n["), "a");
	CHECK_STR(expand("a,,b"), "a");
}

/* A name that does not fit is cut. */
static void
test_long_names(void)
{
	char host[6];

	CHECK_INT(host_list_nth("abcdefgh", 0, host, sizeof host), 0);
	CHECK_STR(host, "abcde");
	CHECK_INT(host_list_nth("abc[100-200]d", 7, host, sizeof host), 0);
	CHECK_STR(host, "abc10");
}

static const char *
host_of(struct launcher *l, long rank)
{
	static char host[64];

	return launcher_host_of_rank(l, rank, host, sizeof host) == 0 ? host
								      : "";
}

static void
test_ranks(void)
{
	struct launcher l = { .nodes = "n[1-4]",
		.tasks_per_node = "2(x2),1,3" };

	CHECK_STR(host_of(&l, 0), "n1");
	CHECK_STR(host_of(&l, 1), "n1");
	CHECK_STR(host_of(&l, 2), "n2");
	CHECK_STR(host_of(&l, 3), "n2");
	CHECK_STR(host_of(&l, 4), "n3");
	CHECK_STR(host_of(&l, 5), "n4");
	CHECK_STR(host_of(&l, 7), "n4");
	CHECK_STR(host_of(&l, 8), "");
	l.distribution = "block:cyclic";
	CHECK_STR(host_of(&l, 1), "n1");
	l.distribution = "cyclic";
	CHECK_STR(host_of(&l, 1), "");
	l.distribution = NULL;
	l.tasks_per_node = "2(x9)";
	CHECK_STR(host_of(&l, 7), "n4");
	CHECK_STR(host_of(&l, 8), "");
	l.tasks_per_node = "0";
	CHECK_STR(host_of(&l, 0), "");
	l.tasks_per_node = "99999999999999999999";
	CHECK_STR(host_of(&l, 0), "");
	l.tasks_per_node = NULL;
	CHECK_STR(host_of(&l, 0), "");
}

static const struct tap_test tests[] = {
	TEST(test_lists),
	TEST(test_no_lists),
	TEST(test_long_names),
	TEST(test_ranks),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
