#include <config.h>

#include "tests/cuda_steps.h"

#include <stdlib.h>

#include "common/alloc.h"
#include "tests/tap.h"
#include "trainer/base/rng.h"

static struct error e;

int
steps_open_cuda(const struct graph *g, const struct device_config *c,
    struct device **out, struct error *error)
{
	struct device_config own = *c;

	own.device = "cuda";
	return device_open(g, &own, out, error);
}

static size_t
images_size(const struct run *r)
{
	return BATCH * shape_size(r->n.graph.nodes[0].out);
}

static void
print_note(void *ctx, const char *message)
{
	(void)ctx;
	printf("# %s\n", message);
}

void
steps_open(struct run *r, const char *model, int step_graph,
    enum dtype precision, pair_open_fn open)
{
	const struct device_config c = { .device = "cuda",
		.precision = precision,
		.batch = BATCH,
		.threads = 1,
		.seed = 3,
		.deterministic = 1,
		.step_graph = step_graph,
		.time_phases = 1,
		.note = print_note };

	memset(r, 0, sizeof *r);
	pair_graph(model, &r->n.graph);
	if (open(&r->n.graph, &c, &r->n.device, &e) != 0)
		printf("# %s\n", e.message);
	CHECK(r->n.device != NULL);
	CHECK_INT(network_init(&r->n, &(unsigned long long){ 5 }, &e), 0);
	r->images = xcalloc(images_size(r), sizeof *r->images);
}

void
steps_close(struct run *r)
{
	free(r->images);
	network_close(&r->n);
}

static struct images
batch_of(struct run *r, enum image_order order)
{
	const struct rng key = { 11, RNG_STREAM_DATA, (uint32_t)r->steps };
	const struct images im = { .type = DTYPE_FP32,
		.order = order,
		.data = r->images,
		.n = BATCH };

	rng_fill_normal(&key, 1, images_size(r), r->images);
	for (int i = 0; i < BATCH; i++)
		r->labels[i] = (int)(r->steps + 3 * i) % CLASSES;
	return im;
}

static void
no_range(void *ctx, size_t offset, size_t n)
{
	(void)offset;
	*(size_t *)ctx += n;
}

void
steps_train(struct run *r, double lr, int how)
{
	struct device *d = r->n.device;
	const struct sgd s = { lr, 0.9, 1e-3, 1 };
	const struct images im =
	    batch_of(r, how & OTHER_ORDER ? IMAGES_NHWC : IMAGES_NCHW);
	struct loss_result found;
	size_t seen = 0;

	CHECK_INT(device_load(d, &im, r->labels, &e), 0);
	CHECK_INT(device_forward(d, MODE_TRAIN, r->steps, &e), 0);
	CHECK_INT(device_loss(d, &e), 0);
	if (how & HOST_READS)
		CHECK_INT(device_result(d, &found, &e), 0);
	CHECK_INT(device_backward(
		      d, how & HOST_LOOKS_ON ? no_range : NULL, &seen, &e),
	    0);
	if (how & HOST_LOOKS_ON)
		CHECK_INT(seen, r->n.graph.arena_size);
	CHECK_INT(device_update(d, &s, &e), 0);
	r->steps++;
}

double
steps_evaluate(struct run *r, int n)
{
	struct images im = batch_of(r, IMAGES_NCHW);
	struct loss_result found;

	im.n = n;
	CHECK_INT(device_load(r->n.device, &im, r->labels, &e), 0);
	CHECK_INT(device_forward(r->n.device, MODE_EVAL, 0, &e), 0);
	CHECK_INT(device_loss(r->n.device, &e), 0);
	CHECK_INT(device_result(r->n.device, &found, &e), 0);
	CHECK_INT(found.n, n);
	return found.loss;
}

void
steps_same(struct run *a, struct run *b)
{
	for (int i = 0; i < a->n.graph.n_params; i++)
		for (int k = TENSOR_PARAM; k <= TENSOR_MOMENTUM; k++) {
			const size_t n = a->n.graph.params[i].n;
			float *x = xcalloc(2 * n, sizeof *x);

			CHECK_INT(device_read(a->n.device, (enum tensor_kind)k,
				      i, DTYPE_FP32, x, &e),
			    0);
			CHECK_INT(device_read(b->n.device, (enum tensor_kind)k,
				      i, DTYPE_FP32, x + n, &e),
			    0);
			CHECK(memcmp(x, x + n, n * sizeof *x) == 0);
			free(x);
		}
}

void
steps_same_losses(struct run *a, struct run *b, int n)
{
	struct loss_result x[64], y[64];

	CHECK_INT(device_results(a->n.device, x, n, &e), 0);
	CHECK_INT(device_results(b->n.device, y, n, &e), 0);
	for (int i = 0; i < n; i++) {
		CHECK_NEAR(x[i].loss, y[i].loss, 0);
		CHECK_INT(x[i].top1, y[i].top1);
		CHECK(i == 0 || x[i].loss != x[i - 1].loss);
	}
}

int
steps_says(struct run *r, const char *words)
{
	struct strbuf sb;
	int found;

	strbuf_init(&sb, 1 << 20);
	device_describe(r->n.device, &sb);
	found = strstr(sb.buf, words) != NULL;
	strbuf_release(&sb);
	return found;
}

void
steps_compare(const int *how, enum dtype precision, pair_open_fn open)
{
	struct run plain, graph;
	double a, b;

	steps_open(&plain, "small", 0, precision, open);
	steps_open(&graph, "small", 1, precision, open);
	for (int i = 0; i < STEPS_COMPARED; i++) {
		steps_train(&plain, 0.01 / (1 + i), 0);
		steps_train(&graph, 0.01 / (1 + i), how[i]);
		if (i == 2) { /* validate in between */
			a = steps_evaluate(&plain, 3);
			b = steps_evaluate(&graph, 3);
			CHECK_NEAR(a, b, 0);
		}
	}
	steps_same_losses(&plain, &graph, STEPS_COMPARED - 3);
	steps_same(&plain, &graph);
	CHECK(steps_says(&graph, "step captured as a graph\n"));
	steps_close(&graph);
	steps_close(&plain);
}

void
steps_forget(pair_open_fn open)
{
	struct run plain, graph;

	steps_open(&plain, "small", 0, DTYPE_FP32, open);
	steps_open(&graph, "small", 1, DTYPE_FP32, open);
	for (int i = 0; i < 8; i++) {
		if (i == 1 || i == 4 || i == 5)
			device_forget_steps(graph.n.device);
		steps_train(&plain, 0.01, 0);
		steps_train(&graph, 0.01, 0);
	}
	steps_same(&plain, &graph);
	CHECK(steps_says(&graph, "step captured as a graph\n"));
	steps_close(&graph);
	steps_close(&plain);
}

static float *
all_params(struct run *r)
{
	const struct graph *g = &r->n.graph;
	float *x = xcalloc(g->arena_size, sizeof *x);

	for (int i = 0; i < g->n_params; i++)
		CHECK_INT(device_read(r->n.device, TENSOR_PARAM, i, DTYPE_FP32,
			      x + g->params[i].offset, &e),
		    0);
	return x;
}

void
steps_overflow(pair_open_fn open)
{
	struct run r;
	float *before, *after;
	size_t n;

	steps_open(&r, "small", 1, DTYPE_FP16, open);
	for (int i = 0; i < 4; i++)
		steps_train(&r, 0.01, 0);
	before = all_params(&r);
	after = before + r.n.graph.params[r.n.graph.n_params - 2].offset;
	n = r.n.graph.params[r.n.graph.n_params - 2].n;
	for (size_t i = 0; i < n; i++)
		after[i] *= 1e4f;
	CHECK_INT(device_write(r.n.device, TENSOR_PARAM, r.n.graph.n_params - 2,
		      DTYPE_FP32, after, &e),
	    0);
	steps_train(&r, 0.01, 0);
	after = all_params(&r);
	CHECK(memcmp(before, after, r.n.graph.arena_size * sizeof *after) == 0);
	free(before);
	free(after);
	steps_close(&r);
}

/* Copy everything that a checkpoint holds to another run. */
static void
copy_state(struct run *from, struct run *to)
{
	const int counts[] = { [TENSOR_PARAM] = from->n.graph.n_params,
		[TENSOR_MOMENTUM] = from->n.graph.n_params,
		[TENSOR_BUFFER] = from->n.graph.n_buffers };
	const enum tensor_kind kinds[] = { TENSOR_PARAM, TENSOR_MOMENTUM,
		TENSOR_BUFFER };
	struct loss_scaling s;

	for (int k = 0; k < 3; k++)
		for (int i = 0; i < counts[kinds[k]]; i++) {
			float *x = xcalloc(
			    device_tensor_size(from->n.device, kinds[k], i),
			    sizeof *x);

			CHECK_INT(device_read(from->n.device, kinds[k], i,
				      DTYPE_FP32, x, &e),
			    0);
			CHECK_INT(device_write(to->n.device, kinds[k], i,
				      DTYPE_FP32, x, &e),
			    0);
			free(x);
		}
	CHECK_INT(device_scaling(from->n.device, &s, &e), 0);
	CHECK_INT(device_set_scaling(to->n.device, s, &e), 0);
	to->steps = from->steps;
}

void
steps_go_on(pair_open_fn open)
{
	struct loss_scaling start, s, other;
	struct run a, b;

	steps_open(&a, "small", 1, DTYPE_FP16, open);
	steps_open(&b, "small", 1, DTYPE_FP16, open);
	CHECK_INT(device_scaling(a.n.device, &s, &e), 0);
	CHECK_NEAR(s.scale, 65536, 0);
	CHECK_INT(s.good, 0);
	for (int i = 0; i < 6; i++)
		steps_train(&a, 0.01, 0);
	CHECK_INT(device_scaling(a.n.device, &s, &e), 0);
	CHECK(s.scale >= 1024 && s.scale <= 65536 && s.good > 0);
	/* Far from an overflow; the next step doubles the scale. */
	start = (struct loss_scaling){ s.scale / 8, 1999 };
	CHECK_INT(device_set_scaling(a.n.device, start, &e), 0);
	copy_state(&a, &b);
	for (int i = 0; i < 3; i++) {
		steps_train(&a, 0.01, 0);
		steps_train(&b, 0.01, 0);
	}
	CHECK_INT(device_scaling(a.n.device, &s, &e), 0);
	CHECK_INT(device_scaling(b.n.device, &other, &e), 0);
	CHECK_NEAR(s.scale, 2 * start.scale, 0);
	CHECK_INT(s.good, 2);
	CHECK_NEAR(other.scale, s.scale, 0);
	CHECK_INT(other.good, s.good);
	steps_same(&a, &b);
	steps_close(&b);
	steps_close(&a);
	steps_open(&a, "small", 1, DTYPE_FP32, open);
	CHECK_INT(device_set_scaling(a.n.device, start, &e), 0);
	CHECK_INT(device_scaling(a.n.device, &s, &e), 0);
	CHECK_NEAR(s.scale, 0, 0);
	steps_close(&a);
}
