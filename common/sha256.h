/* SHA-256 (FIPS 180-4), for the Content-Security-Policy of pages and the hash
 * of a chart's picture, and HMAC-SHA-256 (RFC 2104), with which the ranks of a
 * job authenticate each other. */
#ifndef COMMON_SHA256_H
#define COMMON_SHA256_H

#include <stddef.h>

enum {
	SHA256_SIZE = 32,       /* bytes of a hash */
	SHA256_BASE64_SIZE = 45 /* bytes, with the NUL */
};

/* Hash len bytes. The result is base64 (RFC 4648, with padding). */
void sha256_base64(const void *data, size_t len, char out[SHA256_BASE64_SIZE]);

/* Hash len bytes with a secret key: HMAC-SHA-256. */
void sha256_hmac(const void *key, size_t key_len, const void *data, size_t len,
    unsigned char out[SHA256_SIZE]);

#endif
