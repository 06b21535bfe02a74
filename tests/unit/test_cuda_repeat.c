/* Equal inputs give equal bytes: each call of a step on a GPU runs several
 * times from the same memory, and each convolution with every engine that cuDNN
 * reports as deterministic. A difference is printed with its engine. Compiled
 * twice, as test_cuda_calls.c is. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "tests/cuda_steps.h"
#include "tests/tap.h"
#include "trainer/device/cuda/gpu/gpu_internal.h"

#ifdef EMULATED
#include "tests/cuda_emulator.h"
#else
static int emulated_fused, emulated_varies;
#endif

#ifdef EMULATED
enum { RUNS = 2 };
#else
enum { RUNS = 5 };
#endif
enum { MOST_PIECES = 24 };

/* Memory that a call may write. */
struct piece {
	void *at;
	size_t bytes;
	char *before, *first;
};

static struct executor_ops repeated;
static int n_calls, n_engines, calls_unlike, engines_unlike;
static struct error e;

static int
add_piece(struct piece *p, int n, void *at, size_t bytes)
{
	CHECK(n < MOST_PIECES);
	p[n] =
	    (struct piece){ at, bytes, xcalloc(bytes, 1), xcalloc(bytes, 1) };
	return n + 1;
}

static int
add_grad(const struct gpu *g, struct piece *p, int n, int param)
{
	return param == GRAPH_NONE
	    ? n
	    : add_piece(p, n, gpu_param(g, AREA_GRADS, param),
		  g->base.program->graph->params[param].n * sizeof(float));
}

/* Everything that call c may write. */
static int
find_pieces(const struct gpu *g, const struct call *c, struct piece *p)
{
	const struct gpu_program *program = g->base.program;
	const struct graph *graph = program->graph;
	size_t buffers = 0;
	int n = 0;

	for (int k = 0; k < CALL_OUT; k++)
		if (c->out[k] != MEMORY_PLAN_NONE) {
			const struct tensor *t = &program->tensors[c->out[k]];

			n = add_piece(p, n, gpu_at(g, c->out[k]),
			    t->n * dtype_size(t->type));
		}
	for (int k = 0; k < CALL_NORMS; k++)
		if (c->norm[k] >= 0) {
			const struct norm *v = &program->norms[c->norm[k]];

			n = add_piece(p, n, g->vectors + v->offset,
			    N_NORM_VECTORS * v->stride * sizeof(float));
			n = add_grad(g, p, n, v->node->weight);
			n = add_grad(g, p, n, v->node->bias);
		}
	if (c->kind == CALL_CONV_WEIGHT) {
		const struct program_weight *w =
		    &program->weights[c->node->weight];

		n = add_piece(p, n, gpu_weight(g, c, 1),
		    (size_t)w->k * (size_t)w->taps * (size_t)w->c *
			dtype_size(program->config.type));
	}
	if (c->kind == CALL_BIAS_GRAD)
		n = add_grad(g, p, n, c->node->bias);
	if (c->before != NULL)
		n = add_grad(g, p, n, c->before->bias);
	for (int i = 0; i < graph->n_buffers; i++)
		buffers += graph->buffers[i].n;
	return add_piece(p, n, g->areas[AREA_BUFFERS], buffers * sizeof(float));
}

static void
read_pieces(struct gpu *g, const struct piece *p, int n, int before)
{
	for (int i = 0; i < n; i++)
		CHECK_INT(
		    gpu_copy_host(g, p[i].at, before ? p[i].before : p[i].first,
			p[i].bytes, 0, &e),
		    0);
}

static void
write_pieces(struct gpu *g, const struct piece *p, int n)
{
	for (int i = 0; i < n; i++)
		CHECK_INT(
		    gpu_copy_host(g, p[i].at, p[i].before, p[i].bytes, 1, &e),
		    0);
}

/* Return the number of bytes that differ from the first run's. */
static size_t
count_unlike(struct gpu *g, const struct piece *p, int n)
{
	size_t unlike = 0;

	for (int i = 0; i < n; i++) {
		char *now = xcalloc(p[i].bytes, 1);

		CHECK_INT(gpu_copy_host(g, p[i].at, now, p[i].bytes, 0, &e), 0);
		if (memcmp(now, p[i].first, p[i].bytes) != 0)
			for (size_t k = 0; k < p[i].bytes; k++)
				unlike += now[k] != p[i].first[k];
		free(now);
	}
	return unlike;
}

/* Run a call RUNS times and count it if its bytes differ.
 *
 * prepared  plan of a convolution; NULL: the call's own */
static int
repeat(struct gpu *g, const struct call *c, enum device_mode mode,
    const struct prepared *prepared, const struct piece *pieces, int n)
{
	const struct prepared *used = prepared != NULL
	    ? prepared
	    : &g->prepared[c - g->base.program->calls];
	size_t unlike = 0;

	for (int i = 0; i < RUNS; i++) {
		char tag[GRAPH_TAG] = "-";

		write_pieces(g, pieces, n);
		if ((prepared != NULL
			    ? gpu_execute(g, c, prepared, &e)
			    : gpu_ops.run(&g->base, c, mode, &e)) != 0)
			return -1;
		if (i == 0) {
			read_pieces(g, pieces, n, 0);
			continue;
		}
		unlike = count_unlike(g, pieces, n);
		if (unlike == 0)
			continue;
		if (call_is_conv(c))
			cudnn_graph_tag(&used->graph, used->engine, tag);
		printf("# %s %s, engine %s, fused %d: %zu bytes differ\n",
		    call_kind_name(c->kind),
		    c->node != NULL ? c->node->name : "-", tag,
		    call_is_fused(c), unlike);
		*(prepared != NULL ? &engines_unlike : &calls_unlike) += 1;
		return 0;
	}
	return 0;
}

/* Run every deterministic engine of a convolution that needs no compilation. */
static void
repeat_engines(struct gpu *g, const struct call *c, enum device_mode mode,
    const struct piece *pieces, int n)
{
	struct prepared p = g->prepared[c - g->base.program->calls];

	for (int i = 0; i < p.graph.n_engines; i++) {
		if (cudnn_graph_compiles(&p.graph, i) ||
		    !cudnn_graph_deterministic(&p.graph, i) ||
		    cudnn_plan_build(g->target, &p.graph, i, &p.plan, &e) != 0)
			continue;
		p.engine = i;
		p.addresses = NULL;
		if ((size_t)p.plan.workspace <= g->workspace_bytes &&
		    gpu_bind(g, c, &p, &e) == 0) {
			n_engines += repeat(g, c, mode, &p, pieces, n) == 0;
			cudnn.destroy_descriptor(p.addresses);
		}
		cudnn_plan_release(&p.plan);
	}
}

static int
run_repeated(struct executor *m, const struct call *c, enum device_mode mode,
    struct error *error)
{
	struct gpu *g = (struct gpu *)m;
	struct piece pieces[MOST_PIECES];
	const int n = find_pieces(g, c, pieces);
	int rc;

	read_pieces(g, pieces, n, 1);
	if (call_is_conv(c))
		repeat_engines(g, c, mode, pieces, n);
	CHECK_INT(repeat(g, c, mode, NULL, pieces, n), 0);
	write_pieces(g, pieces, n);
	rc = gpu_ops.run(m, c, mode, error);
	for (int i = 0; i < n; i++) {
		free(pieces[i].before);
		free(pieces[i].first);
	}
	n_calls++;
	return rc;
}

static int
open_executor(void *ctx, const struct gpu_program *p,
    const struct device_config *c, struct executor **out, struct error *error)
{
	if (gpu_kind.open(ctx, p, c, out, error) != 0)
		return -1;
	repeated = gpu_ops;
	repeated.run = run_repeated;
	(*out)->ops = &repeated;
	return 0;
}

static int
open_repeated(const struct graph *g, const struct device_config *c,
    struct device **out, struct error *error)
{
	static struct executor_kind kind;
	static struct device_ops ops;
	struct device_config own = *c;

	kind = gpu_kind;
	kind.open = open_executor;
	ops = cuda_device_functions;
	ops.name = "cuda";
	ops.precisions = 1u << DTYPE_FP32 | 1u << DTYPE_FP16 | 1u << DTYPE_BF16;
	own.device = "cuda";
	own.engine_guess = 1; /* all engines are run here */
	return cuda_open_on(&kind, &ops, g, &own, out, error);
}

/* Run a step of a model for which equal bytes are requested. Returns the number
 * of its calls that differed. */
static int
repeat_step(const char *model, enum dtype t)
{
	struct run r;

	n_calls = n_engines = calls_unlike = engines_unlike = 0;
	steps_open(&r, model, 0, t, open_repeated);
	steps_train(&r, 0.01, 0);
	steps_close(&r);
	printf("# %s %s: %d of %d calls differ, %d of %d engines\n", model,
	    dtype_name(t), calls_unlike, n_calls, engines_unlike, n_engines);
	CHECK(n_calls > 20 && n_engines > 10);
	return calls_unlike;
}

static void
test_repeated(void)
{
	static const enum dtype types[] = { DTYPE_FP32, DTYPE_FP16,
		DTYPE_BF16 };

	if (!pair_have_gpu(&e))
		SKIP(e.message);
	emulated_fused = 1;
	for (int i = 0; i < 3; i++) {
		CHECK_INT(repeat_step("small", types[i]), 0);
		CHECK_INT(repeat_step("wide", types[i]), 0);
		CHECK_INT(repeat_step("biased", types[i]), 0);
	}
	emulated_fused = 0;
}

#ifdef EMULATED
/* An engine whose bytes vary is found. */
static void
test_unsteady(void)
{
	emulated_varies = 1;
	CHECK(repeat_step("biased", DTYPE_FP32) > 0);
	CHECK(engines_unlike > 0);
	emulated_varies = 0;
}
#else
/* The shapes of a large network. */
static void
test_large(void)
{
	if (!pair_have_gpu(&e))
		SKIP(e.message);
	CHECK_INT(repeat_step("resnet50@224", DTYPE_FP16), 0);
	CHECK_INT(repeat_step("vgg16", DTYPE_FP16), 0);
}
#endif

static const struct tap_test tests[] = {
	TEST(test_repeated),
#ifdef EMULATED
	TEST(test_unsteady),
#else
	TEST(test_large),
#endif
};

int
main(void)
{
	const size_t n = sizeof tests / sizeof tests[0];

	(void)emulated_fused;
	(void)emulated_varies;
	return tap_main(tests, n);
}
