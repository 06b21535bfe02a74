/* SHA-256 (FIPS 180-4), for the Content-Security-Policy of pages, which allows
 * a style and a script by their hashes. */
#ifndef COMMON_SHA256_H
#define COMMON_SHA256_H

#include <stddef.h>

enum { SHA256_BASE64_SIZE = 45 }; /* bytes, with the NUL */

/* Hash len bytes. The result is base64 (RFC 4648, with padding). */
void sha256_base64(const void *data, size_t len, char out[SHA256_BASE64_SIZE]);

#endif
