/* What each call of a training step on a GPU would take at least: the longer of
 * its operations at the peak rate of the tensor cores and its bytes at the peak
 * rate of the memory (Williams, Waterman and Patterson, "Roofline", CACM 52,
 * 2009).  --plan prints it; nothing is computed, so no GPU is needed. */
#include <config.h>

#include <string.h>

#include "trainer/device/cuda/call_times.h"
#include "trainer/device/cuda/planning/program.h"
#include "trainer/device/device_list.h"
#include "trainer/graph/model.h"

/* Peak rates as the data sheets have them, without sparsity. */
struct roof {
	const char *name;        /* "h200" */
	const char *title;       /* as the data sheet calls it */
	double half, tf32, fp32; /* 1e12 operations/s; 0: it has none */
	double memory;           /* 1e12 bytes/s */
	int has_bf16;
};

/* NVIDIA's data sheets: "H200 Tensor Core GPU" (2024), "H100 Tensor Core GPU"
 * (2023, SXM), "A100 Tensor Core GPU" (2021, 80 GB SXM; 2020, 40 GB), "V100
 * Tensor Core GPU" (2018, SXM2), "L40S" (2023), "T4" (2019). */
static const struct roof roofs[] = {
	{ "h200", "H200 SXM", 989.5, 494.7, 67, 4.8, 1 },
	{ "h100", "H100 SXM", 989.5, 494.7, 67, 3.35, 1 },
	{ "a100", "A100 SXM 80 GB", 312, 156, 19.5, 2.039, 1 },
	{ "a100-40g", "A100 SXM 40 GB", 312, 156, 19.5, 1.555, 1 },
	{ "v100", "V100 SXM2", 125, 0, 15.7, 0.9, 0 },
	{ "l40s", "L40S", 362, 183, 91.6, 0.864, 1 },
	{ "t4", "T4", 65, 0, 8.1, 0.32, 0 },
};

static const struct roof *
find_roof(const char *name, struct error *e)
{
	const size_t n = sizeof roofs / sizeof roofs[0];
	struct strbuf names;

	for (size_t i = 0; i < n; i++)
		if (strcmp(roofs[i].name, name) == 0)
			return &roofs[i];
	strbuf_init(&names, 1000);
	for (size_t i = 0; i < n; i++)
		strbuf_printf(&names, "%s%s", i > 0 ? ", " : "", roofs[i].name);
	error_set(e, ERROR_USAGE, "--plan: '%.100s' is not one of %s", name,
	    names.buf);
	strbuf_release(&names);
	return NULL;
}

/* Operations a second in a type; 0: it has none. */
static double
roof_rate(const struct roof *r, enum dtype type)
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

struct roof_sum {
	int calls;
	double flop, bytes, seconds;
};

enum { PARTS = 3 };

struct roof_table {
	const struct gpu_program *program;
	const struct roof *roof;
	double rate;
	struct roof_sum kinds[N_CALL_KINDS + PARTS], all;
	struct strbuf *out;
};

static void
add_row(struct roof_table *t, int kind, const char *name, const char *node,
    int fused, double flop, double bytes)
{
	struct roof_sum *const sums[2] = { &t->kinds[kind], &t->all };
	const double memory_s = bytes / (1e12 * t->roof->memory);
	const double compute_s = flop / t->rate;
	const double s = memory_s > compute_s ? memory_s : compute_s;

	strbuf_printf(t->out, "%5d  %-18s %-28s %-5s %10.3f %10.3f %9.2f  %s\n",
	    t->all.calls, name, node, fused ? "yes" : "", flop / 1e9,
	    bytes / 1e6, 1e6 * s, memory_s >= compute_s ? "memory" : "compute");
	for (int i = 0; i < 2; i++) {
		sums[i]->calls++;
		sums[i]->flop += flop;
		sums[i]->bytes += bytes;
		sums[i]->seconds += s;
	}
}

static void
add_calls(struct roof_table *t)
{
	const struct gpu_program *p = t->program;

	for (int i = 0; i < p->n_calls; i++) {
		const struct call *c = &p->calls[i];

		add_row(t, (int)c->kind, call_kind_name(c->kind),
		    c->node != NULL ? c->node->name : "-",
		    call_is_conv(c) &&
			(c->input != INPUT_PLAIN || c->norm[0] >= 0 ||
			    c->biased),
		    call_flop(p, c), call_bytes(p, c));
		if (i == p->n_forward - 1)
			add_row(t, N_CALL_KINDS + 1, "loss", "-", 0, 0,
			    call_loss_bytes(p));
	}
}

static void
add_sum(struct roof_table *t, const char *name, const struct roof_sum *s)
{
	if (s->calls == 0)
		return;
	strbuf_printf(t->out,
	    "%5d  %-18s %-28s %-5s %10.3f %10.3f %9.2f  %5.1f %%\n", s->calls,
	    name, "", "", s->flop / 1e9, s->bytes / 1e6, 1e6 * s->seconds,
	    100 * s->seconds / t->all.seconds);
}

static void
add_sums(struct roof_table *t)
{
	static const char *const parts[PARTS] = { "take", "loss", "update" };

	strbuf_printf(t->out, "\n%5s  %-18s %-28s %-5s %10s %10s %9s  %s\n",
	    "calls", "kind", "", "", "GFLOP", "MB", "roof us", "share");
	for (int i = 0; i < N_CALL_KINDS; i++)
		add_sum(t, call_kind_name((enum call_kind)i), &t->kinds[i]);
	for (int i = 0; i < PARTS; i++)
		add_sum(t, parts[i], &t->kinds[N_CALL_KINDS + i]);
	add_sum(t, "all", &t->all);
}

int
cuda_roofs(const struct graph *g, int batch, enum dtype type, const char *model,
    struct strbuf *out, struct error *e)
{
	const struct roof *r = find_roof(model, e);
	const struct program_config c = { .batch = batch,
		.type = type == DTYPE_TF32 ? DTYPE_FP32 : type,
		.pad_input = 4,
		.supports = supports_all };
	struct roof_table t = { .roof = r };
	struct gpu_program p;

	if (r == NULL)
		return -1;
	t.rate = roof_rate(r, type);
	if (t.rate <= 0)
		return error_set(e, ERROR_USAGE, "--plan: %s has no %s",
		    r->title, dtype_name(type));
	program_build(g, &c, &p);
	t.program = &p;
	t.out = out;
	strbuf_printf(out,
	    "%s, batch %d, %s on %s: %.4g TFLOP/s, %.4g TB/s by its data "
	    "sheet\n\n%5s  %-18s %-28s %-5s %10s %10s %9s  %s\n",
	    g->model != NULL ? g->model->name : "network", batch,
	    dtype_name(type), r->title, t.rate / 1e12, r->memory, "index",
	    "kind", "node", "fused", "GFLOP", "MB", "roof us", "bound by");
	add_row(&t, N_CALL_KINDS, "take", "-", 0, 0, call_take_bytes(&p, 1));
	add_calls(&t);
	add_row(
	    &t, N_CALL_KINDS + 2, "update", "-", 0, 0, call_update_bytes(&p));
	add_sums(&t);
	strbuf_printf(out,
	    "\nat least %.2f ms a step, at most %.0f images/s; no kernel "
	    "reaches its roof\n",
	    1e3 * t.all.seconds, batch / t.all.seconds);
	program_release(&p);
	return 0;
}
