/* Products in fp32 of values that are kept in bf16, for CPUs that multiply bf16
 * no faster. Operands are converted for a few images at a time, so that
 * what oneDNN reads and writes stays in the caches. cpu_conv.c calls it. */
#include <config.h>

#include "trainer/device/cpu/cpu_wide.h"

#include "trainer/base/parallel.h"

enum {
	CHUNK = 1 << 13,  /* elements a thread converts at a time */
	CACHED = 1 << 21, /* elements of an operand that is converted */
	WIDE_SIDE = 28,
	WIDE_CHANNELS = 256
};

static size_t
image_size(const struct cpu *d, int value)
{
	const struct cpu_value *v = &d->values[value];
	const size_t pixels = (size_t)v->shape.h * (size_t)v->shape.w;

	if (v->layout != LAYOUT_BLOCKED)
		return shape_size(v->shape);
	return (size_t)(v->blocks * d->block) * pixels;
}

/* Winograd's algorithm in fp32 takes a quarter of the operations, whose units
 * do half as many a second, and copies of the operands: it gains for many
 * channels, of which fewer bytes are copied than are multiplied, on planes that
 * its tiles fill (measured: doc/performance.md, "Without AMX"). */
static int
winograd_gains(const struct cpu *d, const struct cpu_op *op)
{
	const struct node *n = op->node;
	const struct shape in = d->values[op->in[0]].shape;
	const struct shape out = d->values[op->out].shape;

	return !d->amx && op->kind == OP_CONV && n->kernel == 3 &&
	    n->stride == 1 && out.h >= WIDE_SIDE && out.w >= WIDE_SIDE &&
	    in.c >= WIDE_CHANNELS / 2 && out.c >= WIDE_CHANNELS;
}

void
cpu_wide_choose(const struct cpu *d, struct cpu_op *op)
{
	op->wide = d->base.config.precision == DTYPE_BF16 &&
	    (d->arithmetic == DTYPE_FP32 || winograd_gains(d, op));
}

int
cpu_wide_images(const struct cpu *d, const struct cpu_op *op)
{
	const int batch = d->base.config.batch;
	const size_t in = image_size(d, op->in[0]);
	const size_t out = image_size(d, op->out);
	const size_t larger = in > out ? in : out;
	int n = batch;

	if (!op->wide || op->kind == OP_LINEAR)
		return batch;
	while (n > 1 && (batch % n != 0 || (size_t)n * larger > CACHED))
		n--;
	return n;
}

void
cpu_wide_plan(struct cpu *d, const struct cpu_op *op)
{
	const size_t images = (size_t)cpu_wide_images(d, op);
	const int values[2] = { op->in[0], op->out };

	if (!op->wide)
		return;
	for (int i = 0; i < 2; i++)
		if (images * image_size(d, values[i]) > d->n_wide[i])
			d->n_wide[i] = images * image_size(d, values[i]);
}

void *
cpu_wide_place(
    const struct cpu *d, const struct cpu_op *op, int side, void *place)
{
	return op->wide ? d->wide[side] : place;
}

/* Elements of the images at once, and where those from image first on lie. */
static size_t
find_images(const struct cpu *d, const struct cpu_op *op, int side, int first,
    char **place)
{
	const size_t one = image_size(d, side == 0 ? op->in[0] : op->out);

	*place += (size_t)first * one * dtype_size(d->base.config.precision);
	return one * (size_t)cpu_wide_images(d, op);
}

void
cpu_wide_take(
    struct cpu *d, const struct cpu_op *op, int side, int first, void *from)
{
	const size_t size = dtype_size(d->base.config.precision);
	char *place = from;
	size_t n;

	if (!op->wide)
		return;
	n = find_images(d, op, side, first, &place);
	PARALLEL_FOR
	for (size_t i = 0; i < n; i += CHUNK)
		d->kernels->to_float(n - i < CHUNK ? n - i : CHUNK,
		    place + i * size, d->wide[side] + i);
}

void
cpu_wide_give(
    struct cpu *d, const struct cpu_op *op, int side, int first, void *to)
{
	const size_t size = dtype_size(d->base.config.precision);
	char *place = to;
	size_t n;

	if (!op->wide)
		return;
	n = find_images(d, op, side, first, &place);
	PARALLEL_FOR
	for (size_t i = 0; i < n; i += CHUNK)
		d->kernels->from_float(n - i < CHUNK ? n - i : CHUNK,
		    d->wide[side] + i, place + i * size);
}

void
cpu_wide_copy(size_t n, const float *from, float *to)
{
	PARALLEL_FOR
	for (size_t i = 0; i < n; i++)
		to[i] = from[i];
}

void
cpu_wide_add(size_t n, const float *b, float *a)
{
	PARALLEL_FOR
	for (size_t i = 0; i < n; i++)
		a[i] += b[i];
}
