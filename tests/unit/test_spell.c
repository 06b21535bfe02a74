#include <config.h>

#include "extract/format/format.h"

#include <stddef.h>
#include <string.h>

#include "tests/tap.h"

static const char *const models[] = { "resnet18", "resnet34", "resnet50",
	"vgg16", "vgg16_bn", "alexnet", NULL };

static const char *
nearest(const char *word)
{
	const char *found = spell_nearest(word, models);

	return found != NULL ? found : "(none)";
}

static void
test_nearest(void)
{
	CHECK_STR(nearest("resnet50"), "resnet50");
	CHECK_STR(nearest("resnet5"), "resnet50");   /* one missing */
	CHECK_STR(nearest("ressnet50"), "resnet50"); /* one extra */
	CHECK_STR(nearest("rasnet34"), "resnet34");  /* one replaced */
	CHECK_STR(nearest("resent18"), "resnet18");  /* two swapped */
	CHECK_STR(nearest("vgg16bn"), "vgg16_bn");
	CHECK_STR(nearest("alex"), "(none)"); /* distance 3 of 4 */
	CHECK_STR(nearest("alexn"), "(none)");
	CHECK_STR(nearest("alexne"), "alexnet");
	CHECK_STR(nearest("resnet99"), "resnet18"); /* the first of many */
	CHECK_STR(nearest("lenet"), "(none)");
	CHECK_STR(nearest("vg16"), "vgg16");
	CHECK_STR(nearest("vg1"), "(none)");
	CHECK_STR(nearest(""), "(none)");
}

/* Words of any length, on both sides. */
static void
test_long(void)
{
	static const char *const long_words[] = {
		"a234567890b234567890c234567890d234567890e234567890f23456789012"
		"3",
		"a234567890b234567890c234567890d234567890e234567890f2345678901"
		"234",
		NULL
	};

	CHECK_STR(spell_nearest(long_words[0], long_words), long_words[0]);
	CHECK_STR(spell_nearest(long_words[1], long_words), long_words[1]);
}

/* Distance of two words in both directions, also of long ones. */
static void
test_distance(void)
{
	static const struct {
		const char *a, *b;
		int distance;
	} cases[] = { { "", "", 0 }, { "", "abc", 3 }, { "abc", "abc", 0 },
		{ "ab", "ba", 2 }, { "kitten", "sitting", 3 },
		{ "ca", "abc", 3 } };
	char longer[200] = { 0 };

	for (size_t i = 0; i < N_TESTS(cases); i++) {
		CHECK_INT(
		    spell_distance(cases[i].a, cases[i].b), cases[i].distance);
		CHECK_INT(
		    spell_distance(cases[i].b, cases[i].a), cases[i].distance);
	}
	memset(longer, 'x', sizeof longer - 1);
	CHECK_INT(spell_distance(longer, "x"), 198);
	CHECK_STR(nearest("vgg16"), "vgg16");
}

static const struct tap_test tests[] = {
	TEST(test_nearest),
	TEST(test_long),
	TEST(test_distance),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
