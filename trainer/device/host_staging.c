/* Copies gradients between a device and pinned host memory in pieces. The
 * computing thread queues the copies, which the device makes; the reducing
 * thread takes the pieces. */
#include <config.h>

#include "trainer/device/host_staging.h"

#include <assert.h>
#include <stdlib.h>

#include "common/alloc.h"

int
host_staging_open(struct device *d, const struct fusion_plan *plan,
    size_t piece, struct host_staging **out, struct error *e)
{
	const struct device_arena arena = device_arena(d, TENSOR_GRAD);
	const size_t size = dtype_size(arena.type);
	const size_t elements = piece > size ? piece / size : 1;
	int *first = xcalloc((size_t)plan->n + 1, sizeof *first);
	struct host_staging *s;

	assert(d->ops->staging != NULL);
	for (int i = 0; i < plan->n; i++)
		first[i + 1] = first[i] +
		    (int)((plan->buckets[i].n + elements - 1) / elements);
	if (d->ops->staging->open(d, first[plan->n], &s, e) != 0) {
		free(first);
		return -1;
	}
	s->ops = d->ops->staging;
	s->arena = arena;
	s->plan = plan;
	s->piece = elements;
	s->first = first;
	s->error.code = ERROR_NONE;
	*out = s;
	return 0;
}

void
host_staging_close(struct host_staging *s)
{
	if (s == NULL)
		return;
	free(s->first);
	s->ops->close(s);
}

int
host_staging_pieces(const struct host_staging *s, int bucket)
{
	assert(bucket >= 0 && bucket < s->plan->n);
	return s->first[bucket + 1] - s->first[bucket];
}

/* Range of piece i of a bucket in the arena, in bytes. */
static size_t
piece_offset(const struct host_staging *s, int bucket, int i, size_t *bytes)
{
	const struct bucket *b = &s->plan->buckets[bucket];
	const size_t at = (size_t)i * s->piece, left = b->n - at;
	const size_t size = dtype_size(s->arena.type);

	assert(i >= 0 && i < host_staging_pieces(s, bucket));
	*bytes = (left < s->piece ? left : s->piece) * size;
	return (b->offset + at) * size;
}

void
host_staging_out(struct host_staging *s, int bucket)
{
	const int n = host_staging_pieces(s, bucket);

	for (int i = 0; i < n && s->error.code == ERROR_NONE; i++) {
		size_t bytes;
		const size_t at = piece_offset(s, bucket, i, &bytes);

		s->ops->out(s, s->first[bucket] + i, at, bytes, &s->error);
	}
}

int
host_staging_take(struct host_staging *s, int bucket, int i,
    struct host_staging_piece *p, struct error *e)
{
	size_t bytes;
	const size_t at = piece_offset(s, bucket, i, &bytes);

	if (s->error.code != ERROR_NONE) {
		if (e != NULL)
			*e = s->error;
		return -1;
	}
	if (s->ops->wait(s, s->first[bucket] + i, e) != 0)
		return -1;
	p->data = s->host + at;
	p->n = bytes / dtype_size(s->arena.type);
	return 0;
}

int
host_staging_give(struct host_staging *s, int bucket, int i, struct error *e)
{
	size_t bytes;
	const size_t at = piece_offset(s, bucket, i, &bytes);

	return s->ops->in(s, s->first[bucket] + i, at, bytes, e);
}

int
host_staging_join(struct host_staging *s, struct error *e)
{
	return s->ops->join(s, e);
}
