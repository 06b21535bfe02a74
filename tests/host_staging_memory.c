#include <config.h>

#include "tests/host_staging_memory.h"

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"

int host_staging_fails;
struct host_staging_calls host_staging_calls;

/* A piece that is being copied. */
struct way {
	size_t at, bytes;
	int out, in; /* queued, not done */
};

struct late {
	struct host_staging base;
	char *arena;
	struct way *ways; /* [n] */
	int n;
};

static int
fails(struct error *e)
{
	const struct host_staging_calls *c = &host_staging_calls;

	if (host_staging_fails != c->out + c->wait + c->in)
		return 0;
	return error_set(e, ERROR_SYSTEM, "the copy failed");
}

static int
late_open(struct device *d, int n, struct host_staging **out, struct error *e)
{
	const struct device_arena arena = device_arena(d, TENSOR_GRAD);
	struct late *s = xcalloc(1, sizeof *s);
	const size_t bytes = arena.n * dtype_size(arena.type);

	(void)e;
	s->base.host = xmalloc(bytes + 1);
	memset(s->base.host, 0xff, bytes + 1);
	s->arena = arena.data;
	s->ways = xcalloc((size_t)n + 1, sizeof *s->ways);
	s->n = n;
	memset(&host_staging_calls, 0, sizeof host_staging_calls);
	*out = &s->base;
	return 0;
}

static int
late_out(struct host_staging *base, int piece, size_t at, size_t bytes,
    struct error *e)
{
	struct way *w = &((struct late *)base)->ways[piece];

	host_staging_calls.out++;
	*w = (struct way){ at, bytes, 1, 0 };
	return fails(e);
}

static int
late_wait(struct host_staging *base, int piece, struct error *e)
{
	struct late *s = (struct late *)base;
	struct way *w = &s->ways[piece];

	host_staging_calls.wait++;
	if (w->out)
		memcpy(base->host + w->at, s->arena + w->at, w->bytes);
	/* The arena is invalid until the sum is copied in. */
	memset(s->arena + w->at, 0xff, w->bytes);
	w->out = 0;
	return fails(e);
}

static int
late_in(struct host_staging *base, int piece, size_t at, size_t bytes,
    struct error *e)
{
	struct way *w = &((struct late *)base)->ways[piece];

	host_staging_calls.in++;
	*w = (struct way){ at, bytes, 0, 1 };
	return fails(e);
}

static int
late_join(struct host_staging *base, struct error *e)
{
	struct late *s = (struct late *)base;

	(void)e;
	host_staging_calls.join++;
	for (int i = 0; i < s->n; i++) {
		struct way *w = &s->ways[i];

		if (w->in)
			memcpy(s->arena + w->at, base->host + w->at, w->bytes);
		memset(base->host + w->at, 0xff, w->bytes);
		w->in = 0;
	}
	return 0;
}

static void
late_close(struct host_staging *base)
{
	struct late *s = (struct late *)base;

	free(base->host);
	free(s->ways);
	free(s);
}

const struct host_staging_ops host_staging_memory = {
	.open = late_open,
	.out = late_out,
	.wait = late_wait,
	.in = late_in,
	.join = late_join,
	.close = late_close,
};
