/* Gradients that lie in a device's own memory, on their way through memory of
 * the host, where the ranks allreduce them: out as soon as they are final, in
 * pieces, so that a piece is summed while the next one is on its way, and back
 * in.
 *
 * The device does the copying (struct host_staging_ops); this plans what is
 * copied when.  Two threads use it: the one that computes calls
 * host_staging_out and host_staging_join, the one that reduces calls
 * host_staging_take and host_staging_give.
 *
 *	host_staging_open(d, &plan, HOST_STAGING_PIECE, &s, &e);
 *	...
 *	host_staging_out(s, bucket);              after the last gradient
 *	for (int i = 0; i < host_staging_pieces(s, bucket); i++) {
 *		host_staging_take(s, bucket, i, &piece, &e);   waits
 *		... allreduce piece.data[0 .. piece.n) ...
 *		host_staging_give(s, bucket, i, &e);
 *	}
 *	host_staging_join(s, &e);                 before the update
 */
#ifndef TRAINER_DEVICE_HOST_STAGING_H
#define TRAINER_DEVICE_HOST_STAGING_H

#include <stddef.h>

#include "common/error.h"
#include "trainer/graph/fusion_plan.h"
#include "trainer/device/device.h"

enum { HOST_STAGING_PIECE = 4 << 20 }; /* bytes */

/* The part that all devices share; each one's own struct starts with it. */
struct host_staging {
	const struct host_staging_ops *ops;
	char *host; /* as long as the arena; made by open, freed by close */
	struct device_arena arena;
	const struct fusion_plan *plan;
	size_t piece; /* elements */
	int *first;   /* [plan->n + 1] number of a bucket's first piece */
	struct error
	    error; /* of host_staging_out, reported by host_staging_take */
};

/* What copies.  Places and lengths are bytes of the arena; pieces are numbered
 * 0 .. n - 1 over all buckets. */
struct host_staging_ops {
	/* s  has its arena; host and all that is the device's own is made */
	int (*open)(
	    struct device *d, int n, struct host_staging **s, struct error *e);
	/* After the work queued on the device so far, copy a piece out; does
	 * not wait. */
	int (*out)(struct host_staging *s, int piece, size_t at, size_t bytes,
	    struct error *e);
	/* Wait until a piece is out. */
	int (*wait)(struct host_staging *s, int piece, struct error *e);
	/* Copy it in; does not wait. */
	int (*in)(struct host_staging *s, int piece, size_t at, size_t bytes,
	    struct error *e);
	/* What is queued on the device next comes after all that goes in. */
	int (*join)(struct host_staging *s, struct error *e);
	void (*close)(struct host_staging *s);
};

/* A piece on the host. */
struct host_staging_piece {
	void *data;
	size_t n; /* elements */
};

/* Make staging buffers for the gradients of a device that has ops->staging.
 *
 * plan   borrowed until host_staging_close
 * piece  bytes of a piece, at most; at least one element
 *
 * ERROR_SYSTEM: no memory on the host that the device can reach. */
int host_staging_open(struct device *d, const struct fusion_plan *plan,
    size_t piece, struct host_staging **out, struct error *e);

/* Free it; s may be NULL.  Nothing may be on its way. */
void host_staging_close(struct host_staging *s);

/* Pieces of a bucket, 0 if it is empty. */
int host_staging_pieces(const struct host_staging *s, int bucket);

/* All gradients of a bucket are queued: begin to copy them out.  What goes
 * wrong is reported by host_staging_take. */
void host_staging_out(struct host_staging *s, int bucket);

/* Wait for piece i of a bucket. */
int host_staging_take(struct host_staging *s, int bucket, int i,
    struct host_staging_piece *p, struct error *e);

/* It is summed: begin to copy it in. */
int host_staging_give(
    struct host_staging *s, int bucket, int i, struct error *e);

/* Let the device wait for all that was given. */
int host_staging_join(struct host_staging *s, struct error *e);

#endif
