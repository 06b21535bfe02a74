#include <config.h>

#include "tests/tap.h"
#include "trainer/base/shared_library.h"

static struct error e;

/* The mathematics library, by its name in the GNU C library. */
static void
test_load(void)
{
	double (*cosine)(double) = NULL, (*sine)(double) = NULL;
	const struct shared_library_call calls[] = { { "cos", &cosine },
		{ "sin", &sine } };

	for (int i = 0; i < 2; i++)
		CHECK_INT(shared_library_open("libm.so.6", calls, 2, &e), 0);
	CHECK(cosine != NULL && sine != NULL);
	CHECK_NEAR(cosine(0), 1, 0);
	CHECK_NEAR(sine(0), 0, 0);
}

static void
test_missing_library(void)
{
	double (*cosine)(double) = NULL;
	const struct shared_library_call calls[] = { { "cos", &cosine } };

	CHECK_INT(shared_library_open("libnowhere.so.7", calls, 1, &e), -1);
	CHECK_INT(e.code, ERROR_SYSTEM);
	CHECK_STR(e.message,
	    "libnowhere.so.7: cannot be loaded: cannot open shared object "
	    "file: No such file or directory");
	CHECK(cosine == NULL);
}

/* If a function is missing, no pointer is set. */
static void
test_missing_function(void)
{
	double (*cosine)(double) = NULL, (*other)(double) = NULL;
	const struct shared_library_call calls[] = { { "cos", &cosine },
		{ "no_function", &other } };

	CHECK_INT(shared_library_open("libm.so.6", calls, 2, &e), -1);
	CHECK_INT(e.code, ERROR_SYSTEM);
	CHECK_STR(e.message, "libm.so.6: has no 'no_function': wrong version");
	CHECK(cosine == NULL && other == NULL);
}

static const struct tap_test tests[] = {
	TEST(test_load),
	TEST(test_missing_library),
	TEST(test_missing_function),
};

int
main(void)
{
	return tap_main(tests, sizeof tests / sizeof tests[0]);
}
