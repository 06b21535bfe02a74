/* What the decoders of all formats check alike.  Called by decode_NAME.c. */
#include <config.h>

#include "trainer/data/decode_format.h"

int
decode_check_size(unsigned long w, unsigned long h, struct error *e)
{
	if (w < 1 || h < 1)
		return error_set(e, ERROR_INPUT, "has no pixels");
	if (w > DECODE_MAX_PIXELS / h)
		return error_set(e, ERROR_INPUT,
		    "%lu x %lu pixels are more than %d million", w, h,
		    DECODE_MAX_PIXELS / 1000000);
	return 0;
}
