/* CRCs in plain C, eight bytes a step ("slicing by 8": Kounavis and Berry
 * 2008, IEEE Transactions on Computers 57(11)).  Called by event_file.c and
 * wandb_file.c; knows nothing of files. */
#include <config.h>

#include "extract/input/encoding/crc32.h"

void
crc32_init(struct crc32_table *t, uint32_t polynomial)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t x = i;

		for (int bit = 0; bit < 8; bit++)
			x = x >> 1 ^ ((x & 1) != 0 ? polynomial : 0);
		t->of[0][i] = x;
	}
	for (int i = 0; i < 256; i++)
		for (int k = 1; k < 8; k++)
			t->of[k][i] = t->of[k - 1][i] >> 8 ^
			    t->of[0][t->of[k - 1][i] & 0xff];
}

uint32_t
crc32_add(const struct crc32_table *t, uint32_t x, const void *data, size_t len)
{
	const unsigned char *p = data;

	x = ~x;
	for (; len >= 8; len -= 8, p += 8) {
		x ^= (uint32_t)p[0] | (uint32_t)p[1] << 8 |
		    (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
		x = t->of[7][x & 0xff] ^ t->of[6][x >> 8 & 0xff] ^
		    t->of[5][x >> 16 & 0xff] ^ t->of[4][x >> 24] ^
		    t->of[3][p[4]] ^ t->of[2][p[5]] ^ t->of[1][p[6]] ^
		    t->of[0][p[7]];
	}
	for (; len > 0; len--, p++)
		x = x >> 8 ^ t->of[0][(x ^ *p) & 0xff];
	return ~x;
}

uint32_t
crc32_masked(uint32_t x)
{
	return (x >> 15 | x << 17) + 0xa282ead8u;
}
