/* SHA-256 of the examples in FIPS 180-4 and of lengths at block boundaries. */
#include <config.h>

#include "common/sha256.h"

#include <stdio.h>
#include <string.h>

#include "tests/tap.h"

/* Expected values: printf %s TEXT | openssl dgst -sha256 -binary | base64 */
static void
test_known(void)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "", "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=" },
		{ "abc", "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=" },
		{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		    "JI1qYdIGOLjlwCaTDD5gOaM85Flk/yFn9uzt1BnbBsE=" },
	};
	char out[SHA256_BASE64_SIZE];

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		sha256_base64(cases[i].text, strlen(cases[i].text), out);
		CHECK_STR(out, cases[i].want);
	}
}

/* 55, 56, 63, 64, 65 bytes: the length fits into the last block or not. */
static void
test_seams(void)
{
	static const struct {
		size_t n;
		const char *want;
	} cases[] = {
		{ 55, "n0OQ+NMMLdkuyfCVtl4rmumwqSWlJY4kHJ8ekQ9zQxg=" },
		{ 56, "s1Q5pKxvCUi21vnjxq8PX1kM4g8b3nCQ73lwaG7Gc4o=" },
		{ 63, "fT50oF19sVvOStnsBljqmOPwbu7PFrTG//LaRX3cLzQ=" },
		{ 64, "/+BU/nrgy23GXDr5th1SCfQ5hR20PQulmXM33xVGaOs=" },
		{ 65, "Y1NhxIu56rFBmOduqKt/GkFoXWrWKqkUbTAdTxfrCuA=" },
		{ 119, "MeulHDE6XAgiat8Y1KNZz9/Y0ugWsT9K+VL36mWE3Ps=" },
		{ 120, "Lz0zVDLHC1gK8Ojhs2dKfAINaDql9zqq7f3FWvkEwhw=" },
	};
	char text[128], out[SHA256_BASE64_SIZE];

	memset(text, 'a', sizeof text);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		sha256_base64(text, cases[i].n, out);
		CHECK_STR(out, cases[i].want);
	}
}

static const struct tap_test tests[] = {
	TEST(test_known),
	TEST(test_seams),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
