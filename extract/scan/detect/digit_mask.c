/* Copies of lines with free digits replaced by '0'. */
#include <config.h>

#include "extract/scan/detect/digit_mask.h"

#include "extract/format/patterns/regex_text.h"

void
digit_mask_places(const char *line, size_t len, char *out, unsigned char *most)
{
	int held = 0; /* 1: the next digits are part of a name */

	for (size_t i = 0; i < len; i++) {
		const char c = line[i];
		const int is_digit = text_is_digit(c);

		if (!is_digit)
			held = text_holds_digits(c);
		out[i] = is_digit && !held ? '0' : c;
		most[i] = is_digit && !held ? 9 : 0;
	}
}
