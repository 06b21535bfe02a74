/* CRC-32C, Castagnoli's polynomial, as TFRecord files use it.  Internal to
 * extract/.
 *
 *	crc32c_init(&t);
 *	x = crc32c_add(&t, 0, data, len);
 */
#ifndef EXTRACT_INPUT_CRC32C_H
#define EXTRACT_INPUT_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Remainders of a byte at each of eight places. */
struct crc32c_table {
	uint32_t of[8][256];
};

/* Fill the table; 2,048 steps. */
void crc32c_init(struct crc32c_table *t);

/* The CRC of what x is the CRC of (0: of nothing) and len further bytes.
 * "123456789" gives 0xe3069283 (RFC 3720, appendix B.4, has more). */
uint32_t crc32c_add(
    const struct crc32c_table *t, uint32_t x, const void *data, size_t len);

/* The form in which TFRecord stores it: a CRC of data that holds CRCs would be
 * weak, so it is rotated by 15 bits and a constant is added.  Source: the
 * comment on masks in TensorFlow's core/lib/hash/crc32c.h. */
uint32_t crc32c_masked(uint32_t x);

#endif
