/* SHA-256 against FIPS 180-4's own examples, at the seams of its blocks. */
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

/* RFC 4231, cases 1, 2, 6 and 7: a short key, a text, keys above a block. */
static void
test_hmac(void)
{
	static const char above[] =
	    "This is a test using a larger than block-size key and a larger "
	    "than block-size data. The key needs to be hashed before being "
	    "used by the HMAC algorithm.";
	static const struct {
		int key;  /* byte of the key, or 0: "Jefe" */
		size_t n; /* of them */
		const char *data, *want;
	} cases[] = {
		{ 0x0b, 20, "Hi There",
		    "b0344c61d8db38535ca8afceaf0bf12b"
		    "881dc200c9833da726e9376c2e32cff7" },
		{ 0, 4, "what do ya want for nothing?",
		    "5bdcc146bf60754e6a042426089575c7"
		    "5a003f089d2739839dec58b964ec3843" },
		{ 0xaa, 131,
		    "Test Using Larger Than Block-Size Key - Hash Key First",
		    "60e431591ee0b67f0d8a26aacbf5b77f"
		    "8e0bc6213728c5140546040f0ee37f54" },
		{ 0xaa, 131, above,
		    "9b09ffa71b942fcb27635fbcd5b0e944"
		    "bfdc63644f0713938a7f51535c3a35e2" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		unsigned char out[SHA256_SIZE];
		char key[131] = "Jefe", text[2 * SHA256_SIZE + 1];

		if (cases[i].key != 0)
			memset(key, cases[i].key, cases[i].n);
		sha256_hmac(
		    key, cases[i].n, cases[i].data, strlen(cases[i].data), out);
		for (int k = 0; k < SHA256_SIZE; k++)
			snprintf(text + 2 * k, 3, "%02x", out[k]);
		CHECK_STR(text, cases[i].want);
	}
}

static const struct tap_test tests[] = {
	TEST(test_known),
	TEST(test_seams),
	TEST(test_hmac),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
