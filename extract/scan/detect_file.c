/* Chooses the pieces of a file in which detection looks for a format. */
#include <config.h>

#include "extract/scan/detect_file.h"

#include "extract/scan/scan_file.h"

static void
look_at_piece(
    struct detector *d, const char *data, size_t len, struct detection *out)
{
	detector_run(
	    d, data, len < SCAN_HEAD_BYTES ? len : SCAN_HEAD_BYTES, out);
}

/* Examine a later piece; best is the piece with the most evidence. Returns 1 if
 * no other piece is needed. */
static int
look_further(struct detector *d, const char *data, struct detection *best)
{
	struct detection x;

	look_at_piece(d, data, SCAN_HEAD_BYTES, &x);
	if (!detection_is_vague(&x) || detection_is_better(&x, best))
		*best = x;
	return !detection_is_vague(&x);
}

static int
is_blank(const struct detection *x)
{
	return x->best.format == NULL;
}

/* Offset of the next piece: all pieces if nothing was found, else a few. */
static int64_t
next_piece(const struct detection *best, int64_t at)
{
	int64_t next = SCAN_AGAIN_BYTES;

	if (is_blank(best) && at < SCAN_SEARCH_BYTES)
		return at + SCAN_HEAD_BYTES;
	while (next <= at)
		next *= 4;
	return next;
}

/* Examine later pieces and the end, after a head with little evidence. Returns
 * 0 or -1. */
static int
search_on(struct detector *d, struct byte_source *r, struct detection *best,
    struct error *e)
{
	/* Offsets in the uncompressed text. */
	int64_t at = 0;
	int64_t next = is_blank(best) ? SCAN_HEAD_BYTES : SCAN_AGAIN_BYTES;

	for (;;) {
		int64_t end = at + (int64_t)r->len, keep;

		for (; next + SCAN_HEAD_BYTES <= end;
		     next = next_piece(best, next))
			if (detector_may_look(d, next) &&
			    look_further(d, r->data + (next - at), best))
				return 0;
		if (r->last)
			break;
		keep = end > SCAN_HEAD_BYTES ? end - SCAN_HEAD_BYTES : 0;
		if (keep > next)
			keep = next;
		if (keep < at)
			keep = at;
		if (byte_source_next(r, (size_t)(keep - at), e) < 0)
			return -1;
		at = keep;
	}
	if (at + (int64_t)r->len > SCAN_HEAD_BYTES)
		look_further(d, r->data + r->len - SCAN_HEAD_BYTES, best);
	return 0;
}

int
detect_file(struct detector *d, struct byte_source *r, struct detection *head,
    struct detection *best, struct error *e)
{
	detector_new_file(d);
	look_at_piece(d, r->data, r->len, head);
	*best = *head;
	if (!detection_is_vague(best) || (r->last && r->len <= SCAN_HEAD_BYTES))
		return 0;
	return search_on(d, r, best, e) != 0 ? -1 : byte_source_rewind(r, e);
}
