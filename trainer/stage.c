#include <config.h>

#include "trainer/stage.h"

#include <assert.h>
#include <stdlib.h>

#include "common/alloc.h"

static int
count_pieces(const struct bucket_plan *plan, size_t piece, int *first)
{
	int n = 0;

	for (int i = 0; i < plan->n; i++) {
		first[i] = n;
		n += (int)((plan->buckets[i].n + piece - 1) / piece);
	}
	first[plan->n] = n;
	return n;
}

int
stage_open(struct device *d, const struct bucket_plan *plan, size_t piece,
    struct stage **out, struct error *e)
{
	const struct device_arena arena = device_arena(d, TENSOR_GRAD);
	const size_t size = dtype_size(arena.type);
	const size_t elements = piece > size ? piece / size : 1;
	int *first = xcalloc((size_t)plan->n + 1, sizeof *first);
	const int n = count_pieces(plan, elements, first);
	struct stage *s;

	assert(d->ops->stage != NULL);
	if (d->ops->stage->open(d, n, &s, e) != 0) {
		free(first);
		return -1;
	}
	s->ops = d->ops->stage;
	s->arena = arena;
	s->plan = plan;
	s->piece = elements;
	s->first = first;
	s->error.code = ERROR_NONE;
	*out = s;
	return 0;
}

void
stage_close(struct stage *s)
{
	if (s == NULL)
		return;
	free(s->first);
	s->ops->close(s);
}

int
stage_pieces(const struct stage *s, int bucket)
{
	assert(bucket >= 0 && bucket < s->plan->n);
	return s->first[bucket + 1] - s->first[bucket];
}

/* Where piece i of a bucket lies in the arena, in bytes. */
static size_t
place(const struct stage *s, int bucket, int i, size_t *bytes)
{
	const struct bucket *b = &s->plan->buckets[bucket];
	const size_t at = (size_t)i * s->piece, left = b->n - at;
	const size_t size = dtype_size(s->arena.type);

	assert(i >= 0 && i < stage_pieces(s, bucket));
	*bytes = (left < s->piece ? left : s->piece) * size;
	return (b->offset + at) * size;
}

void
stage_out(struct stage *s, int bucket)
{
	const int n = stage_pieces(s, bucket);

	for (int i = 0; i < n && s->error.code == ERROR_NONE; i++) {
		size_t bytes;
		const size_t at = place(s, bucket, i, &bytes);

		s->ops->out(s, s->first[bucket] + i, at, bytes, &s->error);
	}
}

int
stage_take(
    struct stage *s, int bucket, int i, struct stage_piece *p, struct error *e)
{
	size_t bytes;
	const size_t at = place(s, bucket, i, &bytes);

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
stage_give(struct stage *s, int bucket, int i, struct error *e)
{
	size_t bytes;
	const size_t at = place(s, bucket, i, &bytes);

	return s->ops->in(s, s->first[bucket] + i, at, bytes, e);
}

int
stage_join(struct stage *s, struct error *e)
{
	return s->ops->join(s, e);
}
