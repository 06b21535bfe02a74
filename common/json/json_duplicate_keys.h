/* Keys that come twice in one JSON object.  Readers take the first or the last
 * of them, and which was meant is unknown.  Internal to common/. */
#ifndef COMMON_JSON_JSON_DUPLICATE_KEYS_H
#define COMMON_JSON_JSON_DUPLICATE_KEYS_H

#include <stddef.h>

/* Find the first key that its object had already, as it is written.
 *
 * text  [len] valid JSON
 *
 * Returns the offset of its opening quote and sets *key_len to the bytes
 * between its quotes; len: there is none. */
size_t json_duplicate_key(const char *text, size_t len, size_t *key_len);

#endif
