#include <config.h>

#include "tests/tap.h"

jmp_buf tap_stop;
char tap_reason[200];

int
tap_main(const struct tap_test *tests, int n)
{
	static int i; /* static: kept across longjmp */

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("1..%d\n", n);
	for (i = 0; i < n; i++) {
		int how = setjmp(tap_stop);

		if (how == 0)
			tests[i].run();
		printf("%sok %d - %s%s%s\n", how == TAP_FAILED ? "not " : "",
		    i + 1, tests[i].name, how == TAP_SKIPPED ? " # SKIP " : "",
		    how == TAP_SKIPPED ? tap_reason : "");
	}
	return 0; /* what failed is reported by TAP */
}

uint64_t random_state = 88172645463325252u;

double
random_uniform(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return ((double)(random_state >> 11) + 0.5) / 9007199254740992.0;
}

double
random_normal(void)
{
	return sqrt(-2 * log(random_uniform())) *
	    cos(6.28318530717958647692 * random_uniform());
}
