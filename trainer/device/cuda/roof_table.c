/* What each call of a training step on a GPU would take at least: the longer of
 * its operations at the peak rate of the tensor cores and its bytes at the peak
 * rate of the memory (Williams, Waterman and Patterson, "Roofline", CACM 52,
 * 2009).  --plan prints it; nothing is computed, so no GPU is needed. */
#include <config.h>

#include <string.h>

#include "trainer/device/call_table.h"
#include "trainer/device/cuda/call_times.h"
#include "trainer/device/cuda/planning/program.h"
#include "trainer/device/device_list.h"
#include "trainer/graph/model.h"

/* Peak rates as the data sheets have them, without sparsity. */
struct data_sheet {
	const char *name;        /* "h200" */
	const char *title;       /* as the data sheet calls it */
	double half, tf32, fp32; /* 1e12 operations/s; 0: it has none */
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

static const struct data_sheet *
find_data_sheet(const char *name, struct error *e)
{
	const size_t n = sizeof data_sheets / sizeof data_sheets[0];
	struct strbuf names;

	for (size_t i = 0; i < n; i++)
		if (strcmp(data_sheets[i].name, name) == 0)
			return &data_sheets[i];
	strbuf_init(&names, 1000);
	for (size_t i = 0; i < n; i++)
		strbuf_printf(
		    &names, "%s%s", i > 0 ? ", " : "", data_sheets[i].name);
	error_set(e, ERROR_USAGE, "--plan: '%.100s' is not one of %s", name,
	    names.buf);
	strbuf_release(&names);
	return NULL;
}

/* Operations a second in a type; 0: it has none. */
static double
sheet_rate(const struct data_sheet *r, enum dtype type)
{
	switch (type) {
	case DTYPE_FP16:
		return 1e12 * r->half;
	case DTYPE_BF16:
		return r->has_bf16 ? 1e12 * r->half : 0;
	case DTYPE_TF32:
		return 1e12 * r->tf32;
	case DTYPE_FP32:
		return 1e12 * r->fp32;
	default:
		return 0;
	}
}

/* A program_supports_fn: every fusion that there may be in a type. */
static int
supports_all(void *ctx, const struct gpu_program *p, const struct call *c)
{
	(void)ctx;
	return program_may_fuse(p, c);
}

/* What is no call: its sums are after those of the calls. */
static void
add_part(struct call_table *t, int part, const char *name, double bytes)
{
	call_table_add(t,
	    &(struct call_row){ .kind = N_CALL_KINDS + part,
		.kind_name = name,
		.node = "-",
		.bytes = bytes });
}

static void
add_step(struct call_table *t, const struct gpu_program *p)
{
	add_part(t, 0, "take", call_take_bytes(p, 1));
	for (int i = 0; i < p->n_calls; i++) {
		const struct call_row row = call_row_of(p, i);

		call_table_add(t, &row);
		if (i == p->n_forward - 1)
			add_part(t, 1, "loss", call_loss_bytes(p));
	}
	add_part(t, 2, "update", call_update_bytes(p));
}

int
cuda_roofs(const struct graph *g, int batch, enum dtype type, const char *model,
    struct strbuf *out, struct error *e)
{
	const struct data_sheet *sheet = find_data_sheet(model, e);
	const struct program_config c = { .batch = batch,
		.type = type == DTYPE_TF32 ? DTYPE_FP32 : type,
		.pad_input = 4,
		.supports = supports_all };
	struct roof roof = { 0 };
	struct call_table t = { .roof = &roof };
	struct gpu_program p;
	double step_s;

	if (sheet == NULL)
		return -1;
	roof.flop_per_s = sheet_rate(sheet, type);
	roof.bytes_per_s = 1e12 * sheet->memory;
	if (roof.flop_per_s <= 0)
		return error_set(e, ERROR_USAGE, "--plan: %s has no %s",
		    sheet->title, dtype_name(type));
	program_build(g, &c, &p);
	add_step(&t, &p);
	strbuf_printf(out,
	    "%s, batch %d, %s on %s: %.4g TFLOP/s, %.4g TB/s by its data "
	    "sheet\n\n",
	    g->model != NULL ? g->model->name : "network", batch,
	    dtype_name(type), sheet->title, roof.flop_per_s / 1e12,
	    sheet->memory);
	call_table_show_planned(&t, out);
	step_s = call_table_roof_s(&t);
	strbuf_printf(out,
	    "\nat least %.2f ms a step, at most %.0f images/s; no kernel "
	    "reaches its roof\n",
	    1e3 * step_s, batch / step_s);
	call_table_release(&t);
	program_release(&p);
	return 0;
}
