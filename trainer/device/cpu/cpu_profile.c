/* Minimum operations and bytes of each call of the cpu device, with its time
 * and the machine's rooflines. */
#include <config.h>

#include "trainer/device/call_table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/process.h"
#include "common/stats/stats.h"
#include "trainer/device/cpu/cpu.h"
#include "trainer/device/cpu/kernels/cpu_kernels.h"

/* Elements of a value for the whole batch, without padding. */
static double
value_elements(const struct cpu *d, int value)
{
	return (double)d->base.config.batch *
	    (double)shape_size(d->values[value].shape);
}

/* Bytes of a value; 0 for GRAPH_NONE. */
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

/* For a window at `out` positions of a row of `in` pixels: multiply met by the
 * share of its pixels that lie inside, used by that of columns ever inside. */
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

/* Bytes of the positions of maxima or of a dropout mask: one per element. */
static double
own_bytes(const struct cpu *d, const struct cpu_op *op)
{
	return op->own_buffer == MEMORY_PLAN_NONE ? 0
						  : value_elements(d, op->out);
}

/* Bytes of backward calls other than products. The end of a block also writes
 * the masked gradient, for the shortcut. */
static double
back_bytes(const struct cpu *d, const struct cpu_op *op)
{
	const double dy = grad_bytes(d, op->out);
	double sum = dy + own_bytes(d, op);

	if (op->kind == OP_NORM) {
		if (op->in[1] != GRAPH_NONE)
			sum += dy + (op->dy2 != MEMORY_PLAN_NONE ? dy : 0) +
			    (op->relu ? value_bytes(d, op->out) : 0);
		return sum + value_bytes(d, op->in[0]) +
		    (op->dx[0] != MEMORY_PLAN_NONE ? dy : 0);
	}
	if (op->kind == OP_SUM)
		return (op->relu ? 2 * dy + value_bytes(d, op->out) : 0) +
		    (op->dx[1] != MEMORY_PLAN_NONE ? 2 * dy : 0);
	return sum + grad_bytes(d, op->in[0]);
}

/* Set the work of a call of a product: two operations per multiply-add, where
 * saving excludes those in the padding (all but a ninth for a 3x3 kernel on a
 * plane of 1 pixel). Weights used are read, all their gradients are written. */
static void
product_work(const struct cpu *d, const struct cpu_op *op, enum cpu_call call,
    struct call_row *row)
{
	const struct node *n = op->node;
	const struct shape in = d->values[op->in[0]].shape;
	const double weights = (double)d->base.graph->params[n->weight].n;
	const double x = value_bytes(d, op->in[0]), dy = grad_bytes(d, op->out);
	double met = 1, used = 1, read;

	if (op->kind == OP_CONV) {
		window_shares(n, in.h, n->out.h, &met, &used);
		window_shares(n, in.w, n->out.w, &met, &used);
	}
	read = (double)dtype_size(d->base.config.precision) * used * weights;
	if (call == CPU_CALL_FORWARD)
		row->bytes = x + value_bytes(d, op->out) + read;
	else if (call == CPU_CALL_RELU_BACK && op->relu)
		row->bytes = value_bytes(d, op->out) + 2 * dy;
	else if (call == CPU_CALL_WEIGHT)
		row->bytes = x + dy + sizeof(float) * weights;
	else if (call == CPU_CALL_DATA && op->dx[0] != MEMORY_PLAN_NONE)
		row->bytes = grad_bytes(d, op->in[0]) + dy + read;
	else if (call == CPU_CALL_WEIGHT_OUT)
		row->bytes = 2 * sizeof(float) * weights;
	else if (call == CPU_CALL_WEIGHT_COPY)
		row->bytes = sizeof(float) * weights;
	if (row->bytes > 0 &&
	    (call == CPU_CALL_FORWARD || call == CPU_CALL_WEIGHT ||
		call == CPU_CALL_DATA)) {
		row->saving = 1 / met;
		row->flop = 2.0 * d->base.config.batch * weights *
		    (op->kind == OP_CONV ? (double)n->out.h * n->out.w : 1);
	}
}

/* Name of a call of a kind of operation. */
static const char *
call_name(const struct cpu_op *op, enum cpu_call call)
{
	static const char *const common[N_CPU_OP_CALLS] = {
		[CPU_CALL_JOIN] = "join",
		[CPU_CALL_RELU_BACK] = "relu back",
		[CPU_CALL_WEIGHT_OUT] = "weight out",
		[CPU_CALL_WEIGHT_COPY] = "weight copy",
	};
	static const char *const backs[N_OP_KINDS] = {
		[OP_NORM] = "norm back",
		[OP_SUM] = "sum back",
		[OP_MAXPOOL] = "maxpool back",
		[OP_AVGPOOL] = "avgpool back",
		[OP_FLATTEN] = "flatten back",
		[OP_DROPOUT] = "dropout back",
	};
	const int linear = op->kind == OP_LINEAR;

	if (call == CPU_CALL_BACK)
		return backs[op->kind];
	if (call == CPU_CALL_WEIGHT)
		return linear ? "linear weight" : "conv weight";
	if (call == CPU_CALL_DATA)
		return linear ? "linear data" : "conv data";
	return common[call] != NULL ? common[call] : cpu_op_names[op->kind];
}

/* Add a call of operation i, if it exists. */
static void
add_op(struct call_table *t, const struct cpu *d, int i, enum cpu_call call)
{
	const struct cpu_op *op = &d->ops[i];
	const int joins = op->n_merges +
	    (op->dy2 != MEMORY_PLAN_NONE && !op->takes_two ? 1 : 0);
	/* Rows are in step order; a common call is one kind for all. */
	const int common = call == CPU_CALL_JOIN ||
	    call == CPU_CALL_RELU_BACK || call == CPU_CALL_WEIGHT_OUT ||
	    call == CPU_CALL_WEIGHT_COPY;
	struct call_row row = { .index = (int)t->n - 1, /* the input is -1 */
		.node = op->node->name };

	if ((call == CPU_CALL_WEIGHT_COPY && op->is_copied) ||
	    (call != CPU_CALL_FORWARD && op->dy == MEMORY_PLAN_NONE))
		return;
	if (call == CPU_CALL_FORWARD)
		row.fused = op->relu;
	if (call == CPU_CALL_JOIN)
		row.bytes = joins * 3 * grad_bytes(d, op->out);
	else if (op->kind == OP_CONV || op->kind == OP_LINEAR)
		product_work(d, op, call, &row);
	else if (call == CPU_CALL_FORWARD)
		row.bytes = value_bytes(d, op->in[0]) +
		    value_bytes(d, op->in[1]) + value_bytes(d, op->out) +
		    own_bytes(d, op);
	else if (call == CPU_CALL_BACK)
		row.bytes = back_bytes(d, op);
	if (op->ops->work != NULL)
		op->ops->work(d, op, call, &row);
	if (row.bytes <= 0)
		return;
	row.kind = 1 + (int)call * (N_OP_KINDS + 1) +
	    (common ? N_OP_KINDS : (int)op->kind);
	row.kind_name = call_name(op, call);
	row.seconds = cpu_times_median(d->times, i, call);
	call_table_add(t, &row);
}

static void
add_part(struct call_table *t, const struct cpu *d, int index, const char *name,
    enum cpu_call call, double bytes)
{
	call_table_add(t,
	    &(struct call_row){ .index = index,
		.kind = call == CPU_CALL_TAKE ? 0 : 1000 + (int)call,
		.kind_name = name,
		.node = "-",
		.bytes = bytes,
		.seconds = cpu_times_median(d->times, 0, call) });
}

int
cpu_profile_show(
    struct device *base, int repeats, struct strbuf *out, struct error *e)
{
	const struct cpu *d = cpu(base);
	struct call_table t = { .roof = NULL };
	const int parts = d->base.sharing.parts > 1 ? d->base.sharing.parts : 1;
	struct call_row all;
	double step_s;

	(void)repeats;
	if (d->times == NULL || d->times->steps == 0)
		return error_set(
		    e, ERROR_USAGE, "no training step was profiled");
	t.roof = &d->roof->roof;
	add_part(&t, d, -3, "take", CPU_CALL_TAKE,
	    value_elements(d, 0) + value_bytes(d, 0));
	for (int i = 0; i < d->n_ops; i++)
		add_op(&t, d, i, CPU_CALL_FORWARD);
	for (int i = d->n_ops - 1; i >= 0; i--)
		for (int c = CPU_CALL_FORWARD + 1; c < CPU_CALL_WEIGHT_COPY;
		     c++)
			add_op(&t, d, i, (enum cpu_call)c);
	for (int i = 0; i < d->n_ops; i++)
		add_op(&t, d, i, CPU_CALL_WEIGHT_COPY);
	add_part(&t, d, -2, "loss", CPU_CALL_LOSS,
	    value_bytes(d, d->output) + grad_bytes(d, d->output));
	add_part(&t, d, -1, "update", CPU_CALL_UPDATE,
	    5.0 * sizeof(float) * (double)d->base.graph->n_weights / parts);
	all = call_table_sum(&t);
	step_s = cpu_times_median(d->times, 0, CPU_CALL_STEP);
	strbuf_printf(out,
	    "profile %s, batch %d, %d threads; measured: %.1f GFLOP/s (%s)",
	    dtype_name(d->base.config.precision), d->base.config.batch,
	    d->base.config.threads, t.roof->flop_per_s / 1e9, d->roof->isa);
	for (int i = 0; i < t.roof->n_caches; i++)
		strbuf_printf(out, ", %.1f GB/s in %.4g MiB of cache",
		    t.roof->caches[i].bytes_per_s / 1e9,
		    t.roof->caches[i].size / 1048576);
	strbuf_printf(
	    out, ", %.1f GB/s from memory\n", t.roof->bytes_per_s / 1e9);
	call_table_show_measured(&t, "profile ", out);
	strbuf_printf(out,
	    "profile medians of %d steps: calls %.3f ms, step %.3f ms, all "
	    "calls at their roofs %.3f ms\n",
	    cpu_times_count(d->times), 1e3 * all.seconds, 1e3 * step_s,
	    1e3 * all.roof_s);
	for (size_t i = 0; i < t.n; i++)
		call_row_show(&t.rows[i], out);
	strbuf_printf(out,
	    "calls steps=%d n=%d us=%.3f step_us=%.3f roof_us=%.3f flop=%.0f "
	    "bytes=%.0f flop_per_s=%.6g memory_bytes_per_s=%.6g\n",
	    cpu_times_count(d->times), all.calls, 1e6 * all.seconds,
	    1e6 * step_s, 1e6 * all.roof_s, all.flop, all.bytes,
	    t.roof->flop_per_s, t.roof->bytes_per_s);
	call_table_release(&t);
	return 0;
}

/* --- Times of calls ------------------------------------------------------- */

struct cpu_times *
cpu_times_new(int n_ops, int slots)
{
	struct cpu_times *l = xcalloc(1, sizeof *l);

	assert(slots >= 1);
	l->n_ops = n_ops;
	l->slots = slots;
	l->n = (size_t)n_ops * N_CPU_OP_CALLS + N_CPU_CALLS - N_CPU_OP_CALLS;
	l->seconds = xcalloc((size_t)slots * l->n, sizeof *l->seconds);
	return l;
}

void
cpu_times_free(struct cpu_times *l)
{
	if (l == NULL)
		return;
	free(l->seconds);
	free(l);
}

/* Time of a call in a recorded step. */
static double *
time_of(const struct cpu_times *l, long step, int op, enum cpu_call call)
{
	const int first = call < N_CPU_OP_CALLS ? op : l->n_ops - 1;

	return l->seconds + (size_t)(step % l->slots) * l->n +
	    (size_t)first * N_CPU_OP_CALLS + call;
}

void
cpu_times_begin(struct cpu_times *l)
{
	if (l == NULL)
		return;
	memset(time_of(l, l->steps, 0, 0), 0, l->n * sizeof *l->seconds);
	l->active = 1;
	l->begin = l->last = seconds_now();
}

void
cpu_times_leave(struct cpu_times *l)
{
	if (l != NULL)
		l->active = 0;
}

void
cpu_times_start(struct cpu_times *l)
{
	if (l != NULL && l->active)
		l->last = seconds_now();
}

void
cpu_times_add(struct cpu_times *l, int op, enum cpu_call call)
{
	double now;

	if (l == NULL || !l->active)
		return;
	now = seconds_now();
	*time_of(l, l->steps, op, call) += now - l->last;
	l->last = now;
}

void
cpu_times_end(struct cpu_times *l)
{
	if (l == NULL || !l->active)
		return;
	l->active = 0;
	*time_of(l, l->steps++, 0, CPU_CALL_STEP) = seconds_now() - l->begin;
}

int
cpu_times_count(const struct cpu_times *l)
{
	if (l->steps > l->slots)
		return l->slots;
	return l->steps > 1 ? (int)l->steps - 1 : (int)l->steps;
}

double
cpu_times_median(const struct cpu_times *l, int op, enum cpu_call call)
{
	const int n = cpu_times_count(l);
	double *x = xcalloc((size_t)n, sizeof *x);
	double m;

	for (int i = 0; i < n; i++)
		x[i] = *time_of(l, l->steps - n + i, op, call);
	m = stats_median_reorder(x, (size_t)n);
	free(x);
	return m;
}
