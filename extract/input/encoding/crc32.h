/* CRCs of 32 bits, bits mirrored, begun and ended inverted: Castagnoli's
 * polynomial (CRC-32C), as TFRecord files use it, and that of zip and Ethernet,
 * as W&B's logs do.  Internal to extract/.
 *
 *	crc32_init(&t, CRC32_CASTAGNOLI);
 *	x = crc32_add(&t, 0, data, len);
 */
#ifndef EXTRACT_INPUT_ENCODING_CRC32_H
#define EXTRACT_INPUT_ENCODING_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* The polynomials, bits mirrored. */
#define CRC32_CASTAGNOLI UINT32_C(0x82f63b78)
#define CRC32_ZIP UINT32_C(0xedb88320)

/* Remainders of a byte at each of eight places. */
struct crc32_table {
	uint32_t of[8][256];
};

/* Fill the table; 2,048 steps. */
void crc32_init(struct crc32_table *t, uint32_t polynomial);

/* The CRC of what x is the CRC of (0: of nothing) and len further bytes.
 * "123456789" gives 0xe3069283 of Castagnoli's polynomial (RFC 3720, appendix
 * B.4, has more) and 0xcbf43926 of the other. */
uint32_t crc32_add(
    const struct crc32_table *t, uint32_t x, const void *data, size_t len);

/* The form in which TFRecord stores it: a CRC of data that holds CRCs would be
 * weak, so it is rotated by 15 bits and a constant is added.  Source: the
 * comment on masks in TensorFlow's core/lib/hash/crc32c.h. */
uint32_t crc32_masked(uint32_t x);

#endif
