/* Staging of gradients between device and host memory, where the ranks
 * allreduce them. Gradients are copied out in pieces as soon as they are final,
 * so that a piece is summed while the next one is copied, and then copied back.
 *
 * The device copies (struct host_staging_ops); this module schedules. It serves
 * two threads: the computing thread calls host_staging_out and
 * host_staging_join; the reducing thread, host_staging_take and _give.
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

/* Common part; the first member of each device's own struct. */
struct host_staging {
	const struct host_staging_ops *ops;
	char *host; /* size of the arena; made by open, freed by close */
	struct device_arena arena;
	const struct fusion_plan *plan;
	size_t piece;       /* elements */
	int *first;         /* [plan->n + 1] index of a bucket's first piece */
	struct error error; /* set by _out, reported by host_staging_take */
};

/* Copy functions of a device. Offsets and lengths are bytes of the arena;
 * pieces are numbered 0 .. n - 1 over all buckets. */
struct host_staging_ops {
	/* Allocate s->host and the device's own data; s has its arena. */
	int (*open)(
	    struct device *d, int n, struct host_staging **s, struct error *e);
	/* Queue a copy of a piece to the host after the work queued so far. */
	int (*out)(struct host_staging *s, int piece, size_t at, size_t bytes,
	    struct error *e);
	/* Wait until a piece has been copied out. */
	int (*wait)(struct host_staging *s, int piece, struct error *e);
	/* Queue a copy of a piece to the device. */
	int (*in)(struct host_staging *s, int piece, size_t at, size_t bytes,
	    struct error *e);
	/* Let work queued on the device later wait for all copies in. */
	int (*join)(struct host_staging *s, struct error *e);
	void (*close)(struct host_staging *s);
};

/* A piece in host memory. */
struct host_staging_piece {
	void *data;
	size_t n; /* elements */
};

/* Allocate staging buffers for the gradients of a device with ops->staging.
 *
 * plan   borrowed until host_staging_close
 * piece  maximum bytes of a piece; a piece has at least one element
 *
 * ERROR_SYSTEM: no host memory that the device can access. */
int host_staging_open(struct device *d, const struct fusion_plan *plan,
    size_t piece, struct host_staging **out, struct error *e);

/* Free s, which may be NULL. No copies may be pending. */
void host_staging_close(struct host_staging *s);

/* Number of pieces of a bucket; 0 if it is empty. */
int host_staging_pieces(const struct host_staging *s, int bucket);

/* Start copying out a bucket whose gradients are all queued. Errors are
 * reported by host_staging_take. */
void host_staging_out(struct host_staging *s, int bucket);

/* Wait for piece i of a bucket. */
int host_staging_take(struct host_staging *s, int bucket, int i,
    struct host_staging_piece *p, struct error *e);

/* Start copying in piece i, which has been summed. */
int host_staging_give(
    struct host_staging *s, int bucket, int i, struct error *e);

/* Make the device wait for the copies of all pieces given. */
int host_staging_join(struct host_staging *s, struct error *e);

#endif
