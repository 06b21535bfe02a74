/* A TAP test program: an array of struct tap_test, run in order. Each test
 * stops at its first failed check. The exit status is 0 if the end is reached;
 * any other status means a crash.
 *
 *	static const struct tap_test tests[] = { TEST(test_speedup) };
 *	int main(void) { return tap_main(tests, 1); }
 */
#ifndef TESTS_TAP_H
#define TESTS_TAP_H

#include <math.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

extern jmp_buf tap_stop;
extern char tap_reason[200]; /* why the current test is skipped */
enum { TAP_FAILED = 1, TAP_SKIPPED = 2 };

#define CHECK(cond) \
	do { \
		if (!(cond)) { \
			printf("# %s:%d: %s\n", __FILE__, __LINE__, #cond); \
			longjmp(tap_stop, TAP_FAILED); \
		} \
	} while (0)

#define CHECK_INT(got, want) \
	do { \
		long long g_ = (long long)(got), w_ = (long long)(want); \
		if (g_ != w_) { \
			printf("# %s:%d: %s is %lld, not %lld\n", __FILE__, \
			    __LINE__, #got, g_, w_); \
			longjmp(tap_stop, TAP_FAILED); \
		} \
	} while (0)

#define CHECK_NEAR(got, want, tol) \
	do { \
		double g_ = (got), w_ = (want); \
		if (!(fabs(g_ - w_) <= (tol))) { \
			printf("# %s:%d: %s is %.17g, not %.17g within %g\n", \
			    __FILE__, __LINE__, #got, g_, w_, (double)(tol)); \
			longjmp(tap_stop, TAP_FAILED); \
		} \
	} while (0)

#define CHECK_STR(got, want) \
	do { \
		const char *g_ = (got), *w_ = (want); \
		if (g_ == NULL || strcmp(g_, w_) != 0) { \
			printf("# %s:%d: %s is \"%s\", not \"%s\"\n", \
			    __FILE__, __LINE__, #got, \
			    g_ != NULL ? g_ : "(null)", w_); \
			longjmp(tap_stop, TAP_FAILED); \
		} \
	} while (0)

#define SKIP(why) \
	do { \
		snprintf(tap_reason, sizeof(tap_reason), "%s", why); \
		longjmp(tap_stop, TAP_SKIPPED); \
	} while (0)

struct tap_test {
	const char *name;
	void (*run)(void);
};

/* Run n tests and print their TAP.  Returns 0. */
int tap_main(const struct tap_test *tests, int n);

#define TEST(f) \
	{ \
#f, f \
	}
#define N_TESTS(a) ((int)(sizeof(a) / sizeof(a)[0]))

/* Pseudo-random numbers, the same in every run: Marsaglia 2003, "Xorshift
 * RNGs". Set random_state to a nonzero value to restart them. */
extern uint64_t random_state;

/* Uniform in (0, 1). */
double random_uniform(void);

/* Normal with mean 0 and standard deviation 1: Box and Muller 1958. */
double random_normal(void);

#endif
