/* Emitting text that was made faster than it was asked for.  Called by the
 * decompressors that make text of their own. */
#include <config.h>

#include "extract/input/encoding/decompressor.h"

#include <string.h>

int
decompressor_emit(struct strbuf *text, size_t *at, char **out, size_t *out_len)
{
	size_t n = text->len - *at;

	if (n > *out_len)
		n = *out_len;
	memcpy(*out, text->buf + *at, n);
	*out += n;
	*out_len -= n;
	*at += n;
	if (*at < text->len)
		return 0;
	strbuf_reset(text);
	*at = 0;
	return 1;
}
