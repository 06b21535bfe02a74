/* SHA-256 (FIPS 180-4), for texts of a few kB. */
#include <config.h>

#include "common/sha256.h"

#include <stdint.h>
#include <string.h>

enum { BLOCK = SHA256_BLOCK, ROUNDS = 64, DIGEST = SHA256_SIZE };

/* FIPS 180-4, section 4.2.2: from the cube roots of the first 64 primes. */
static const uint32_t constants[ROUNDS] = { 0x428a2f98, 0x71374491, 0xb5c0fbcf,
	0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
	0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7,
	0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
	0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
	0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e,
	0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
	0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c,
	0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee,
	0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2 };

static uint32_t
rotate_right(uint32_t x, int n)
{
	return x >> n | x << (32 - n);
}

static void
sha256_block(uint32_t h[8], const unsigned char *p)
{
	uint32_t w[ROUNDS], v[8];

	for (int i = 0; i < 16; i++)
		w[i] = (uint32_t)p[4 * i] << 24 | (uint32_t)p[4 * i + 1] << 16 |
		    (uint32_t)p[4 * i + 2] << 8 | p[4 * i + 3];
	for (int i = 16; i < ROUNDS; i++) {
		const uint32_t a = w[i - 15], b = w[i - 2];

		w[i] = w[i - 16] +
		    (rotate_right(a, 7) ^ rotate_right(a, 18) ^ a >> 3) +
		    w[i - 7] +
		    (rotate_right(b, 17) ^ rotate_right(b, 19) ^ b >> 10);
	}
	memcpy(v, h, sizeof v);
	for (int i = 0; i < ROUNDS; i++) {
		const uint32_t a = v[0], e = v[4];
		const uint32_t one = v[7] +
		    (rotate_right(e, 6) ^ rotate_right(e, 11) ^
			rotate_right(e, 25)) +
		    ((e & v[5]) ^ (~e & v[6])) + constants[i] + w[i];
		const uint32_t two = (rotate_right(a, 2) ^ rotate_right(a, 13) ^
					 rotate_right(a, 22)) +
		    ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));

		memmove(v + 1, v, 7 * sizeof *v);
		v[4] += one;
		v[0] = one + two;
	}
	for (int i = 0; i < 8; i++)
		h[i] += v[i];
}

void
sha256_of(const unsigned char *data, size_t len, unsigned char out[SHA256_SIZE])
{
	/* Section 5.3.3: from the square roots of the first 8 primes. */
	uint32_t h[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
		0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
	/* The message, 0x80, zeros, and its length in bits in 8 bytes. */
	const size_t total = (len + 8) / BLOCK * BLOCK + BLOCK;
	unsigned char block[BLOCK];

	for (size_t i = 0; i < total; i++) {
		block[i % BLOCK] = i < len ? data[i]
		    : i == len             ? 0x80
		    : i < total - 8
		    ? 0
		    : (unsigned char)((uint64_t)len * 8 >> 8 * (total - 1 - i));
		if (i % BLOCK == BLOCK - 1)
			sha256_block(h, block);
	}
	for (int i = 0; i < DIGEST; i++)
		out[i] = (unsigned char)(h[i / 4] >> (24 - 8 * (i % 4)));
}

void
sha256_base64(const void *data, size_t len, char out[SHA256_BASE64_SIZE])
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";
	unsigned char digest[DIGEST + 1] = { 0 };
	char *to = out;

	sha256_of(data, len, digest);
	for (int i = 0; i < DIGEST; i += 3) {
		const uint32_t x = (uint32_t)digest[i] << 16 |
		    (uint32_t)digest[i + 1] << 8 | digest[i + 2];

		for (int shift = 18; shift >= 0; shift -= 6)
			*to++ = digits[x >> shift & 63];
	}
	to[-1] = '='; /* 32 bytes are 43 digits */
	*to = '\0';
}
