/* Gradients that lie in a device's own memory, on their way through memory of
 * the host, where the ranks sum them: out as soon as they are final, in pieces,
 * so that a piece is summed while the next one is on its way, and back in.
 *
 * The device does the copying (struct stage_ops); this says what is copied
 * when.  Two threads use a stage: the one that computes calls stage_out and
 * stage_join, the one that sums calls stage_take and stage_give.
 *
 *	stage_open(d, &plan, STAGE_PIECE, &s, &e);
 *	...
 *	stage_out(s, bucket);                       behind the last gradient
 *	for (int i = 0; i < stage_pieces(s, bucket); i++) {
 *		stage_take(s, bucket, i, &piece, &e);   waits
 *		... sum piece.data[0 .. piece.n) ...
 *		stage_give(s, bucket, i, &e);
 *	}
 *	stage_join(s, &e);                          before the update
 */
#ifndef TRAINER_STAGE_H
#define TRAINER_STAGE_H

#include <stddef.h>

#include "common/error.h"
#include "trainer/bucket.h"
#include "trainer/device.h"

enum { STAGE_PIECE = 4 << 20 }; /* bytes */

/* The part that all devices share; each one's own struct starts with it. */
struct stage {
	const struct stage_ops *ops;
	char *host; /* as long as the arena; made by open, freed by close */
	struct device_arena arena;
	const struct bucket_plan *plan;
	size_t piece;       /* elements */
	int *first;         /* [plan->n + 1] number of a bucket's first piece */
	struct error error; /* of stage_out, told by stage_take */
};

/* What copies.  Places and lengths are bytes of the arena; pieces are numbered
 * 0 .. n - 1 over all buckets. */
struct stage_ops {
	/* s  has its arena; host and all that is the device's own is made */
	int (*open)(struct device *d, int n, struct stage **s, struct error *e);
	/* Behind what the device was asked for so far, copy a piece out; does
	 * not wait. */
	int (*out)(struct stage *s, int piece, size_t at, size_t bytes,
	    struct error *e);
	/* Wait until a piece is out. */
	int (*wait)(struct stage *s, int piece, struct error *e);
	/* Copy it in; does not wait. */
	int (*in)(struct stage *s, int piece, size_t at, size_t bytes,
	    struct error *e);
	/* What the device is asked for next comes behind all that goes in. */
	int (*join)(struct stage *s, struct error *e);
	void (*close)(struct stage *s);
};

/* A piece on the host. */
struct stage_piece {
	void *data;
	size_t n; /* elements */
};

/* Make a stage for the gradients of a device that has ops->stage.
 *
 * plan   borrowed until stage_close
 * piece  bytes of a piece, at most; at least one element
 *
 * ERROR_SYSTEM: no memory on the host that the device can reach. */
int stage_open(struct device *d, const struct bucket_plan *plan, size_t piece,
    struct stage **out, struct error *e);

/* Free it; s may be NULL.  Nothing may be on its way. */
void stage_close(struct stage *s);

/* Pieces of a bucket, 0 if it is empty. */
int stage_pieces(const struct stage *s, int bucket);

/* All gradients of a bucket are asked for: begin to copy them out.  What goes
 * wrong is told by stage_take. */
void stage_out(struct stage *s, int bucket);

/* Wait for piece i of a bucket. */
int stage_take(
    struct stage *s, int bucket, int i, struct stage_piece *p, struct error *e);

/* It is summed: begin to copy it in. */
int stage_give(struct stage *s, int bucket, int i, struct error *e);

/* Let the device wait for all that was given. */
int stage_join(struct stage *s, struct error *e);

#endif
