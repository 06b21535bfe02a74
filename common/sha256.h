/* SHA-256 (FIPS 180-4), for the Content-Security-Policy of pages and the hash
 * of a chart's picture, and for the proofs of the ranks of a job. */
#ifndef COMMON_SHA256_H
#define COMMON_SHA256_H

#include <stddef.h>

enum {
	SHA256_SIZE = 32,       /* bytes of a hash */
	SHA256_BLOCK = 64,      /* bytes that are hashed at once */
	SHA256_BASE64_SIZE = 45 /* bytes, with the NUL */
};

/* Hash len bytes. */
void sha256_of(
    const unsigned char *data, size_t len, unsigned char out[SHA256_SIZE]);

/* The same in base64 (RFC 4648, with padding). */
void sha256_base64(const void *data, size_t len, char out[SHA256_BASE64_SIZE]);

#endif
