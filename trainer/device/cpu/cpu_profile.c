/* What each call of the cpu device computes and moves at least, and the table
 * of that with the times of cpu_times.c and the roofs of cpu_roof.c. cpu.c has
 * it in its struct device_ops; nothing here is called within a step. */
#include <config.h>

#include "trainer/device/call_table.h"
#include "trainer/device/cpu/cpu.h"
#include "trainer/device/cpu/kernels/cpu_roof.h"

static int
is_product(const struct cpu_op *op)
{
	return op->kind == OP_CONV || op->kind == OP_LINEAR;
}

/* Elements of a value of the whole batch, padding excluded. */
static double
value_elements(const struct cpu *d, int value)
{
	return (double)d->base.config.batch *
	    (double)shape_size(d->values[value].shape);
}

/* Bytes of a value, and of its gradient. */
static double
value_bytes(const struct cpu *d, int value)
{
	if (value == GRAPH_NONE)
		return 0;
	return value_elements(d, value) *
	    (double)dtype_size(d->values[value].type);
}

static double
grad_bytes(const struct cpu *d, int value)
{
	return value_elements(d, value) *
	    (double)dtype_size(d->base.config.precision);
}

static double
weight_elements(const struct cpu *d, const struct cpu_op *op)
{
	return (double)d->base.graph->params[op->node->weight].n;
}

/* Two for each multiply-add; each pass of a product has the same. */
static double
product_flop(const struct cpu *d, const struct cpu_op *op)
{
	const struct shape out = op->node->out;
	const double pixels = op->kind == OP_LINEAR ? 1 : (double)out.h * out.w;

	return 2.0 * d->base.config.batch * pixels * weight_elements(d, op);
}

/* How a window of weights meets a row of `in` pixels at `out` places: which
 * share of the weights is within the row, over all places, and which share is
 * at any place. */
static void
window_shares(const struct node *n, int in, int out, double *met, double *used)
{
	int all = 0, some = 0;

	for (int r = 0; r < n->kernel; r++) {
		int here = 0;

		for (int i = 0; i < out; i++) {
			const int at = i * n->stride + r - n->pad;

			here += at >= 0 && at < in;
		}
		all += here;
		some += here > 0;
	}
	*met *= (double)all / n->kernel / out;
	*used *= (double)some / n->kernel;
}

/* Share of a product's operations, and of its weights, that meet no padding
 * (for a kernel of 3 on a plane of 1 pixel a ninth): at least these are
 * done. */
static void
product_shares(
    const struct cpu *d, const struct cpu_op *op, double *met, double *used)
{
	const struct shape in = d->values[op->in[0]].shape;

	*met = *used = 1;
	if (op->kind == OP_LINEAR)
		return;
	window_shares(op->node, in.h, op->node->out.h, met, used);
	window_shares(op->node, in.w, op->node->out.w, met, used);
}

/* One byte an element, the places of a maximum, the mask of a dropout; or one
 * bit, of a block's ReLU. */
static double
own_bytes(const struct cpu *d, const struct cpu_op *op)
{
	if (op->own_buffer == MEMORY_PLAN_NONE)
		return 0;
	return value_elements(d, op->out) / (op->kind == OP_NORM ? 8 : 1);
}

static double
forward_bytes(const struct cpu *d, const struct cpu_op *op)
{
	return value_bytes(d, op->in[0]) + value_bytes(d, op->in[1]) +
	    value_bytes(d, op->out) + own_bytes(d, op);
}

/* Of what is no product.  A block's end writes the gradient that it has masked,
 * for the shortcut. */
static double
back_bytes(const struct cpu *d, const struct cpu_op *op)
{
	const double dy = grad_bytes(d, op->out);
	double sum = dy + own_bytes(d, op);

	if (op->kind == OP_NORM) {
		const int end = op->in[1] != GRAPH_NONE;

		if (end)
			sum += dy + (op->dy2 != MEMORY_PLAN_NONE ? dy : 0);
		for (int i = 0; i < 2 && op->norms[i] != NULL; i++)
			sum += value_bytes(d, op->in[i]) +
			    (op->dx[i] != MEMORY_PLAN_NONE ? dy : 0);
		return sum;
	}
	if (op->kind == OP_SUM)
		return (op->relu ? 2 * dy + value_bytes(d, op->out) : 0) +
		    (op->dx[1] != MEMORY_PLAN_NONE ? 2 * dy : 0);
	return sum + grad_bytes(d, op->in[0]);
}

static int
count_joins(const struct cpu_op *op)
{
	return op->n_merges +
	    (op->dy2 != MEMORY_PLAN_NONE && !op->takes_two ? 1 : 0);
}

/* What a call of a product computes and moves; it moves the weights that it
 * uses, but all of their gradients. */
static void
product_work(const struct cpu *d, const struct cpu_op *op, enum cpu_call call,
    struct call_row *row)
{
	const double type = (double)dtype_size(d->base.config.precision);
	const double n = weight_elements(d, op);
	double met, used;

	product_shares(d, op, &met, &used);
	switch (call) {
	case CPU_CALL_FORWARD:
		row->flop = product_flop(d, op);
		row->bytes = forward_bytes(d, op) + type * used * n;
		break;
	case CPU_CALL_RELU_BACK:
		row->bytes = op->relu
		    ? value_bytes(d, op->out) + 2 * grad_bytes(d, op->out)
		    : 0;
		break;
	case CPU_CALL_WEIGHT:
		row->flop = product_flop(d, op);
		row->bytes = value_bytes(d, op->in[0]) +
		    grad_bytes(d, op->out) + sizeof(float) * n;
		break;
	case CPU_CALL_WEIGHT_OUT:
		row->bytes = 2 * sizeof(float) * n;
		break;
	case CPU_CALL_DATA:
		if (op->dx[0] == MEMORY_PLAN_NONE)
			break;
		row->flop = product_flop(d, op);
		row->bytes = grad_bytes(d, op->in[0]) + grad_bytes(d, op->out) +
		    type * used * n;
		break;
	case CPU_CALL_WEIGHT_COPY:
		row->bytes = sizeof(float) * n;
		break;
	default:
		break;
	}
	if (row->flop > 0)
		row->saving = 1 / met;
}

/* The row of one call but for its time; bytes are 0 if there is no such one. */
static struct call_row
op_row(const struct cpu *d, const struct cpu_op *op, enum cpu_call call)
{
	struct call_row row = { .node = op->node->name };

	if (call == CPU_CALL_FORWARD)
		row.fused = op->relu || op->norms[1] != NULL;
	if (call == CPU_CALL_JOIN) {
		row.bytes = count_joins(op) * 3 * grad_bytes(d, op->out);
	} else if (is_product(op)) {
		product_work(d, op, call, &row);
	} else if (call == CPU_CALL_FORWARD) {
		row.bytes = forward_bytes(d, op);
	} else if (call == CPU_CALL_BACK) {
		row.bytes = back_bytes(d, op);
	}
	if (op->ops->work != NULL)
		op->ops->work(d, op, call, &row);
	return row;
}

/* The name of a call of a kind of operation. */
static const char *
call_name(const struct cpu_op *op, enum cpu_call call)
{
	static const char *const backs[N_OP_KINDS] = {
		[OP_NORM] = "norm back",
		[OP_SUM] = "sum back",
		[OP_MAXPOOL] = "maxpool back",
		[OP_AVGPOOL] = "avgpool back",
		[OP_FLATTEN] = "flatten back",
		[OP_DROPOUT] = "dropout back",
	};
	const int linear = op->kind == OP_LINEAR;

	switch (call) {
	case CPU_CALL_JOIN:
		return "join";
	case CPU_CALL_RELU_BACK:
		return "relu back";
	case CPU_CALL_BACK:
		return backs[op->kind];
	case CPU_CALL_WEIGHT:
		return linear ? "linear weight" : "conv weight";
	case CPU_CALL_WEIGHT_OUT:
		return "weight out";
	case CPU_CALL_DATA:
		return linear ? "linear data" : "conv data";
	case CPU_CALL_WEIGHT_COPY:
		return "weight copy";
	default:
		return op->ops->name;
	}
}

/* Sums are by the names of calls, in the order of a step. */
static int
call_kind(enum op_kind kind, enum cpu_call call)
{
	const int common = call == CPU_CALL_JOIN ||
	    call == CPU_CALL_RELU_BACK || call == CPU_CALL_WEIGHT_OUT ||
	    call == CPU_CALL_WEIGHT_COPY;

	return 1 + (int)call * (N_OP_KINDS + 1) +
	    (common ? N_OP_KINDS : (int)kind);
}

static void
add_op(struct call_table *t, const struct cpu *d, int i, enum cpu_call call)
{
	const struct cpu_op *op = &d->ops[i];
	struct call_row row = op_row(d, op, call);

	if (row.bytes <= 0 || (call == CPU_CALL_WEIGHT_COPY && op->is_copied) ||
	    (call != CPU_CALL_FORWARD && op->dy == MEMORY_PLAN_NONE))
		return;
	row.index = (int)t->n - 1; /* after the input */
	row.kind = call_kind(op->kind, call);
	row.kind_name = call_name(op, call);
	row.seconds = cpu_times_median(d->times, i, call);
	call_table_add(t, &row);
}

static void
add_part(struct call_table *t, const struct cpu *d, int index,
    enum cpu_call call, double bytes)
{
	static const char *const names[] = { "take", "loss", "update" };

	call_table_add(t,
	    &(struct call_row){ .index = index,
		.kind = call == CPU_CALL_TAKE ? 0 : 1000 + (int)call,
		.kind_name = names[call - CPU_CALL_TAKE],
		.node = "-",
		.bytes = bytes,
		.seconds = cpu_times_median(d->times, 0, call) });
}

/* All calls of a step. */
static void
add_step(struct call_table *t, const struct cpu *d)
{
	const int last = d->output;
	const int parts = d->base.sharing.parts > 1 ? d->base.sharing.parts : 1;

	add_part(
	    t, d, -3, CPU_CALL_TAKE, value_elements(d, 0) + value_bytes(d, 0));
	for (int i = 0; i < d->n_ops; i++)
		add_op(t, d, i, CPU_CALL_FORWARD);
	for (int i = d->n_ops - 1; i >= 0; i--)
		for (int c = CPU_CALL_FORWARD + 1; c < CPU_CALL_WEIGHT_COPY;
		     c++)
			add_op(t, d, i, (enum cpu_call)c);
	for (int i = 0; i < d->n_ops; i++)
		add_op(t, d, i, CPU_CALL_WEIGHT_COPY);
	add_part(t, d, -2, CPU_CALL_LOSS,
	    value_bytes(d, last) + grad_bytes(d, last));
	add_part(t, d, -1, CPU_CALL_UPDATE,
	    5.0 * sizeof(float) * (double)d->base.graph->n_weights / parts);
}

static void
show_roof(const struct cpu *d, struct strbuf *out)
{
	const struct roof *r = &d->roof->roof;

	strbuf_printf(out,
	    "profile %s, batch %d, %d threads; measured: %.1f GFLOP/s (%s)",
	    dtype_name(d->base.config.precision), d->base.config.batch,
	    d->base.config.threads, r->flop_per_s / 1e9, d->roof->isa);
	for (int i = 0; i < r->n_caches; i++)
		strbuf_printf(out, ", %.1f GB/s in %.4g MiB of cache",
		    r->caches[i].bytes_per_s / 1e9,
		    r->caches[i].size / 1048576);
	strbuf_printf(out, ", %.1f GB/s from memory\n", r->bytes_per_s / 1e9);
}

int
cpu_profile_show(
    struct device *base, int repeats, struct strbuf *out, struct error *e)
{
	const struct cpu *d = cpu(base);
	struct call_table t = { .roof = NULL };
	double step_s;
	struct call_row all;

	(void)repeats;
	if (d->times == NULL || d->times->steps == 0)
		return error_set(
		    e, ERROR_USAGE, "no training step was profiled");
	t.roof = &d->roof->roof;
	add_step(&t, d);
	all = call_table_sum(&t);
	step_s = cpu_times_step(d->times);
	show_roof(d, out);
	call_table_show_measured(&t, "profile ", out);
	strbuf_printf(out,
	    "profile medians of %d steps: calls %.3f ms, step %.3f ms, all "
	    "calls at their roofs %.3f ms\n",
	    cpu_times_count(d->times), 1e3 * all.seconds, 1e3 * step_s,
	    1e3 * call_table_roof_s(&t));
	for (size_t i = 0; i < t.n; i++)
		call_row_show(&t.rows[i], t.roof, out);
	strbuf_printf(out,
	    "calls steps=%d n=%d us=%.3f step_us=%.3f roof_us=%.3f flop=%.0f "
	    "bytes=%.0f flop_per_s=%.6g memory_bytes_per_s=%.6g\n",
	    cpu_times_count(d->times), all.calls, 1e6 * all.seconds,
	    1e6 * step_s, 1e6 * call_table_roof_s(&t), all.flop, all.bytes,
	    t.roof->flop_per_s, t.roof->bytes_per_s);
	call_table_release(&t);
	return 0;
}
