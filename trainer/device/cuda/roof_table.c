/* Roofline table of --plan: the minimum time of each call of a training step on
 * a GPU, which is the longer of its operations at the peak rate of the tensor
 * cores and its bytes at the peak rate of the memory (Williams, Waterman and
 * Patterson, "Roofline", CACM 52, 2009). No GPU is needed. Peak rates come from
 * a data sheet, or from a result of tests/gpu/check_and_bench, whose measured
 * times are then printed as well. */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include "common/alloc.h"
#include "common/json/json.h"
#include "trainer/device/cuda/executor.h"

/* --- the work of a call --------------------------------------------------- */

static double
conv_weights(const struct conv_shape *s)
{
	return (double)s->k * s->c * s->kernel * s->kernel;
}

static double
tensor_bytes(const struct gpu_program *p, int tensor)
{
	if (tensor == MEMORY_PLAN_NONE)
		return 0;
	return (double)p->tensors[tensor].n *
	    (double)dtype_size(p->tensors[tensor].type);
}

/* Bytes are those of the tensors and weights that a call reads and writes, each
 * counted once. STEP_TAKE reads a batch of images (element: bytes per element)
 * and writes the input; STEP_LOSS reads logits and writes their gradients;
 * STEP_UPDATE reads and writes weights and momenta, reads gradients and writes
 * working weights. */
struct call_row
call_row_of(const struct gpu_program *p, int part, size_t element)
{
	static const char *const names[] = { "take", "loss", "update" };
	const double own = (double)dtype_size(p->config.type);
	struct call_row row = { .index = part, .node = "-" };
	const struct call *c;

	if (part < 0) {
		row.kind = N_CALL_KINDS + part - STEP_TAKE;
		row.kind_name = names[part - STEP_TAKE];
		row.bytes = part == STEP_TAKE ? tensor_bytes(p, p->input) +
			(double)p->config.batch *
			    (double)shape_size(p->graph->nodes[0].out) *
			    (double)element
		    : part == STEP_LOSS
		    ? tensor_bytes(p, p->output) +
			tensor_bytes(p, p->output_grad)
		    : 5.0 * sizeof(float) * (double)p->graph->arena_size +
			(double)p->n_work * own;
		return row;
	}
	c = &p->calls[part];
	row.kind = (int)c->kind;
	row.kind_name = call_kind_name(c->kind);
	if (c->node != NULL)
		row.node = c->node->name;
	row.fused = call_is_fused(c);
	for (int i = 0; i < CALL_IN; i++)
		row.bytes += tensor_bytes(p, c->in[i]);
	for (int i = 0; i < CALL_OUT; i++)
		row.bytes += tensor_bytes(p, c->out[i]);
	if (call_is_conv(c)) {
		row.flop = 2.0 * p->config.batch * c->conv.p * c->conv.q *
		    conv_weights(&c->conv);
		row.bytes += own * conv_weights(&c->conv);
	}
	for (int i = 0; i < c->n_pieces; i++)
		row.bytes +=
		    (own + sizeof(float)) * (double)p->pieces[c->first + i].n;
	return row;
}

/* --- machines ------------------------------------------------------------- */

/* Peak rates from data sheets, without sparsity. */
struct data_sheet {
	const char *name;        /* "h200" */
	const char *title;       /* name in the data sheet */
	double half, tf32, fp32; /* 1e12 operations/s; 0: unsupported */
	double memory;           /* 1e12 bytes/s */
	int has_bf16;
};

/* NVIDIA's data sheets: "H200 Tensor Core GPU" (2024), "H100 Tensor Core GPU"
 * (2023, SXM), "A100 Tensor Core GPU" (2021, 80 GB SXM; 2020, 40 GB), "V100
 * Tensor Core GPU" (2018, SXM2), "L40S" (2023), "T4" (2019). */
static const struct data_sheet data_sheets[] = {
	{ "h200", "H200 SXM", 989.5, 494.7, 67, 4.8, 1 },
	{ "h100", "H100 SXM", 989.5, 494.7, 67, 3.35, 1 },
	{ "a100", "A100 SXM 80 GB", 312, 156, 19.5, 2.039, 1 },
	{ "a100-40g", "A100 SXM 40 GB", 312, 156, 19.5, 1.555, 1 },
	{ "v100", "V100 SXM2", 125, 0, 15.7, 0.9, 0 },
	{ "l40s", "L40S", 362, 183, 91.6, 0.864, 1 },
	{ "t4", "T4", 65, 0, 8.1, 0.32, 0 },
};

/* GPU that a step is planned for. */
struct target {
	const char *title;  /* name of the GPU */
	const char *source; /* "by its data sheet" */
	struct roof roof;
	struct call_table measured; /* n is 0: no times of this step */
	/* Result of check_and_bench; its texts are in the arena. */
	struct arena texts;
	struct json_doc doc;
};

static int
read_sheet(const char *name, enum dtype type, struct target *t, struct error *e)
{
	const size_t n = sizeof data_sheets / sizeof data_sheets[0];
	const struct data_sheet *s = data_sheets;
	struct strbuf names = STRBUF_INIT(1000);

	while (s < data_sheets + n && strcmp(s->name, name) != 0)
		s++;
	if (s == data_sheets + n) {
		for (size_t i = 0; i < n; i++)
			strbuf_printf(&names, "%s%s", i > 0 ? ", " : "",
			    data_sheets[i].name);
		error_set(e, ERROR_USAGE,
		    "--plan: '%.100s' is not one of %s, nor a result of "
		    "check_and_bench",
		    name, names.buf);
		strbuf_release(&names);
		return -1;
	}
	t->title = s->title;
	t->source = "by its data sheet";
	t->roof.flop_per_s = 1e12 *
	    (type == DTYPE_FP16 || (type == DTYPE_BF16 && s->has_bf16) ? s->half
		    : type == DTYPE_TF32                               ? s->tf32
		    : type == DTYPE_FP32                               ? s->fp32
								       : 0);
	t->roof.bytes_per_s = 1e12 * s->memory;
	if (t->roof.flop_per_s <= 0)
		return error_set(e, ERROR_USAGE, "--plan: %s has no %s",
		    s->title, dtype_name(type));
	return 0;
}

/* --- a result of check_and_bench ------------------------------------------ */

/* Read a required number. */
static int
read_number(const struct json_value *v, const char *key, double min, double max,
    double *out, struct error *e)
{
	return json_read_require(v, key, e) != 0
	    ? -1
	    : json_read_double(v, key, min, max, out, e);
}

static int
read_text(const struct json_value *v, const char *key, struct arena *a,
    const char **out, struct error *e)
{
	return json_read_require(v, key, e) != 0
	    ? -1
	    : json_read_string(v, key, a, out, e);
}

static int
read_call(
    const struct json_value *calls, size_t i, struct target *t, struct error *e)
{
	const struct call_table *m = &t->measured;
	struct call_row row = { .kind = (int)i };
	struct json_value v;
	double us;

	json_read_item(calls, i, &v);
	if (json_read_is_object(&v, e) != 0 ||
	    read_text(&v, "kind", &t->texts, &row.kind_name, e) != 0 ||
	    read_text(&v, "node", &t->texts, &row.node, e) != 0 ||
	    read_number(&v, "us", 0, 1e9, &us, e) != 0 ||
	    read_number(&v, "flop", 0, 1e18, &row.flop, e) != 0 ||
	    read_number(&v, "bytes", 0, 1e15, &row.bytes, e) != 0)
		return -1;
	row.seconds = us / 1e6;
	/* Number the kinds by first appearance: the order of sums by kind. */
	for (size_t k = 0; k < m->n && row.kind == (int)i; k++)
		if (strcmp(m->rows[k].kind_name, row.kind_name) == 0)
			row.kind = m->rows[k].kind;
	call_table_add(&t->measured, &row);
	return 0;
}

/* Read the times of the calls if model, precision and batch match. */
static int
read_calls(const struct graph *g, int batch, enum dtype type, struct target *t,
    struct error *e)
{
	struct json_value profile, calls;
	const char *model, *precision;
	double measured_batch;
	size_t n;

	if (json_read_object(&t->doc.top, "profile", &profile, e) != 0)
		return -1;
	if (json_read_n_members(&profile) == 0)
		return 0;
	if (read_text(&profile, "model", &t->texts, &model, e) != 0 ||
	    read_text(&profile, "precision", &t->texts, &precision, e) != 0 ||
	    read_number(&profile, "batch", 1, 1e6, &measured_batch, e) != 0 ||
	    json_read_array(&profile, "calls", &calls, &n, e) != 0)
		return -1;
	if (g->model == NULL || strcmp(model, g->model->name) != 0 ||
	    strcmp(precision, dtype_name(type)) != 0 || measured_batch != batch)
		return 0;
	for (size_t i = 0; i < n; i++)
		if (read_call(&calls, i, t, e) != 0)
			return -1;
	return 0;
}

static int
read_measured(const char *path, const struct graph *g, int batch,
    enum dtype type, struct target *t, struct error *e)
{
	struct json_value machine, gpus, gpu, roofs;
	char key[32];
	double tflops, gb_per_s;
	size_t n;

	if (json_doc_read(path, &t->doc, e) != 0 ||
	    json_read_object(&t->doc.top, "machine", &machine, e) != 0 ||
	    json_read_array(&machine, "gpus", &gpus, &n, e) != 0)
		return -1;
	if (n == 0)
		return json_read_error(&machine, "gpus", e, "missing");
	json_read_item(&gpus, 0, &gpu);
	snprintf(key, sizeof key, "%s_tflops", dtype_name(type));
	if (json_read_is_object(&gpu, e) != 0 ||
	    read_text(&gpu, "name", &t->texts, &t->title, e) != 0 ||
	    json_read_object(&t->doc.top, "roofs", &roofs, e) != 0 ||
	    read_number(&roofs, key, 1e-3, 1e6, &tflops, e) != 0 ||
	    read_number(&roofs, "copy_gb_per_s", 1e-3, 1e6, &gb_per_s, e) != 0)
		return -1;
	t->source = "as measured";
	t->roof.flop_per_s = 1e12 * tflops;
	t->roof.bytes_per_s = 1e9 * gb_per_s;
	return read_calls(g, batch, type, t, e);
}

/* --- the table ------------------------------------------------------------ */

/* A program_supports_fn: in fp16 cuDNN has the fused calls. */
static int
supports_all(void *ctx, const struct gpu_program *p, const struct call *c)
{
	(void)ctx;
	(void)c;
	return p->config.type == DTYPE_FP16;
}

static void
add_row(struct call_table *t, const struct gpu_program *p, int part)
{
	const struct call_row row = call_row_of(p, part, 1);

	call_table_add(t, &row);
}

static void
show_target(const struct target *target, const struct graph *g,
    const struct program_config *c, enum dtype type, struct strbuf *out)
{
	const struct call_table *m = &target->measured;
	struct call_table t = { .roof = &target->roof };
	struct gpu_program p;
	double step_s;

	program_build(g, c, &p);
	add_row(&t, &p, STEP_TAKE);
	for (int i = 0; i < p.n_calls; i++) {
		add_row(&t, &p, i);
		if (i == p.n_forward - 1)
			add_row(&t, &p, STEP_LOSS);
	}
	add_row(&t, &p, STEP_UPDATE);
	strbuf_printf(out,
	    "%s, batch %d, %s on %s: %.4g TFLOP/s, %.4g TB/s %s\n\n",
	    g->model != NULL ? g->model->name : "network", c->batch,
	    dtype_name(type), target->title, target->roof.flop_per_s / 1e12,
	    target->roof.bytes_per_s / 1e12, target->source);
	call_table_show_planned(&t, out);
	step_s = call_table_sum(&t).roof_s;
	strbuf_printf(out,
	    "\nat least %.2f ms a step, at most %.0f images/s; no kernel "
	    "reaches its roof\n",
	    1e3 * step_s, c->batch / step_s);
	if (m->n > 0) {
		strbuf_addstr(out, "\nmeasured, each call by itself:\n\n");
		call_table_show_measured(m, "", out);
		strbuf_printf(out,
		    "\nmeasured %.2f ms, at least %.2f ms for these calls, "
		    "%.2f ms as planned\n",
		    1e3 * call_table_sum(m).seconds,
		    1e3 * call_table_sum(m).roof_s, 1e3 * step_s);
	}
	call_table_release(&t);
	program_release(&p);
}

int
cuda_roofs(const struct graph *g, int batch, enum dtype type, const char *model,
    struct strbuf *out, struct error *e)
{
	const struct program_config c = { .batch = batch,
		.type = type == DTYPE_TF32 ? DTYPE_FP32 : type,
		.supports = supports_all };
	struct target t = { .measured = { .roof = &t.roof } };
	int rc;

	if (json_file_begins(model, "{"))
		rc = read_measured(model, g, batch, type, &t, e);
	else
		rc = read_sheet(model, type, &t, e);
	if (rc == 0)
		show_target(&t, g, &c, type, out);
	call_table_release(&t.measured);
	json_doc_release(&t.doc);
	arena_release(&t.texts);
	return rc;
}
