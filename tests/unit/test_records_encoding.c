/* Size of each element type, by all its names; texts of JSON members. */
#include <config.h>

#include "extract/input/encoding/records.h"

#include <math.h>
#include <string.h>

#include "tests/tap.h"

static void
test_names(void)
{
	static const struct {
		double bytes;
		const char *names[6];
	} types[] = { { 1, { "Byte", "Char", "uint8", "int8", "bool" } },
		{ 1,
		    { "Float8_e5m2", "Float8_e4m3fn", "Float8_e5m2fnuz",
			"Float8_e4m3fnuz" } },
		{ 2, { "UInt16" } }, { 4, { "UInt32", "ComplexHalf" } },
		{ 8, { "UInt64", "complex64", "fp64" } },
		{ 2, { "Half", "float16", "fp16", "BFloat16", "bf16" } },
		{ 2, { "Short", "int16", "uint16" } },
		{ 4, { "Float", "float32", "fp32", "Int", "int32" } },
		{ 8, { "Double", "float64", "Long", "int64", "ComplexFloat" } },
		{ 16, { "ComplexDouble", "complex128" } } };

	for (int i = 0; i < N_TESTS(types); i++)
		for (int k = 0; k < 6 && types[i].names[k] != NULL; k++)
			CHECK_NEAR(
			    element_size(types[i].names[k]), types[i].bytes, 0);
}

static void
test_unknown(void)
{
	CHECK(isnan(element_size("")));
	CHECK(isnan(element_size("floa")));
	CHECK(isnan(element_size("float3")));
	CHECK(isnan(element_size("QInt8")));
}

/* A text that is too long is cut before the end of the buffer. */
static void
test_member_text(void)
{
	for (size_t len = 0; len < 8; len++) {
		const struct json_member m = { "abcdefgh", len, 1 };
		char out[6] = "-----";

		json_member_text(&m, out, 4);
		CHECK_INT(strlen(out), len < 3 ? len : 3);
		CHECK_INT(strncmp(out, "abc", strlen(out)), 0);
		CHECK_STR(out + 4, "-");
	}
}

static const struct tap_test tests[] = {
	TEST(test_member_text),
	TEST(test_names),
	TEST(test_unknown),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
