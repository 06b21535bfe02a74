#include <config.h>

#include <stdlib.h>

#include "common/alloc.h"
#include "tests/tap.h"
#include "trainer/device/device.h"
#include "trainer/graph/graph.h"
#include "trainer/base/rng.h"

/* Compare whole networks with PyTorch: same weights, images and steps,
 * generated from numbered streams on both sides as tests/e2e/parity.py
 * describes. That script also wrote PyTorch's results: tests/data/parity.txt,
 * or the file that DLSCALE_PARITY names.
 *
 * fp64 must agree up to rounding. In fp32 and bf16 no fixed tolerance holds,
 * because a network amplifies rounding errors. So the error against fp64 may be
 * at most twice the error that PyTorch has against its own fp64 in the same
 * precision.
 *
 * In fp32 a single ReLU that changes sides makes the error of the gradients a
 * thousand times larger. Whether one does is chance, also in PyTorch. So no
 * case may exceed twice PyTorch's largest error in any case, and two of three
 * cases may not exceed twice PyTorch's error in the same case. */
enum { MAX_CASES = 16, MAX_TENSORS = 512, MAX_STEPS = 16, WORD = 64 };
enum { EARLY = 5, SEED = 2026 };

/* Rounding errors of fp64, amplified by the network. */
static const double exact = 1e-9, exact_floor = 1e-13;
/* Relative to the whole gradient: smaller tensors are rounding errors. */
static const double small = 1e-6;
/* The error of a loss is about a tenth of the error of the logits. */
static const double loss_of_logits = 0.1;
/* A single loss is one random number, so its error may be as large a share of
 * the logits' as PyTorch's in fp32 in the first case (1.5e-6 of 4.0e-6). */
static const double loss_at_most = 0.375;

enum torch { TORCH_FP32, TORCH_FP32_NHWC, TORCH_BF16, N_TORCH };

static const char *const torch_names[N_TORCH] = { "fp32", "fp32-nhwc", "bf16" };

struct sums {
	char name[WORD];
	double norm, sum;
};

struct errors {
	double logits, loss, gradients, worst;
};

struct expected {
	char name[WORD], model[WORD], mode[WORD];
	int image, batch, classes, head, n_steps;
	double gamma, lr;
	struct sums logits, gradients[MAX_TENSORS], buffers[MAX_TENSORS];
	int n_gradients, n_buffers;
	struct errors torch[N_TORCH];
	double losses[MAX_STEPS];
	double torch_losses[MAX_STEPS][N_TORCH];
	int n_read; /* of losses */
};

static struct expected *cases;
static int n_cases;

/* Cases to run. With a sanitizer, which makes arithmetic many times slower,
 * only the small ones, which have every kind of layer. */
static const struct expected *tried[MAX_CASES];
static int n_tried;

/* --- The file ------------------------------------------------------------- */

static void
read_case(struct expected *c, char *words)
{
	char text[WORD];
	double x;

	c->gamma = 1;
	sscanf(words, "case %63s", c->name);
	for (char *w = strchr(words + 5, ' '); w != NULL;
	     w = strchr(w + 1, ' ')) {
		sscanf(w, " model=%63s", c->model);
		sscanf(w, " mode=%63s", c->mode);
		if (sscanf(w, " %63[a-z]=%lf", text, &x) != 2)
			continue;
		if (strcmp(text, "gamma") == 0)
			c->gamma = x;
		else if (strcmp(text, "lr") == 0)
			c->lr = x;
		else
			*(strcmp(text, "image") == 0         ? &c->image
				: strcmp(text, "batch") == 0 ? &c->batch
				: strcmp(text, "head") == 0  ? &c->head
				: strcmp(text, "steps") == 0 ? &c->n_steps
							     : &c->classes) =
			    (int)x;
	}
}

static void
read_torch(struct expected *c, const char *line)
{
	struct errors e;
	char name[WORD];

	if (sscanf(line, "torch %63s %lf %lf %lf %lf", name, &e.logits, &e.loss,
		&e.gradients, &e.worst) != 5)
		return;
	for (int i = 0; i < N_TORCH; i++)
		if (strcmp(name, torch_names[i]) == 0)
			c->torch[i] = e;
}

/* Parse a line of case c. Returns 1, or 0 if it is malformed. */
static int
read_line(struct expected *c, const char *line)
{
	struct sums *s;
	double *t = c->torch_losses[c->n_read];

	if (strncmp(line, "logits ", 7) == 0)
		return sscanf(line, "logits %lf %lf", &c->logits.norm,
			   &c->logits.sum) == 2;
	if (strncmp(line, "gradient ", 9) == 0 ||
	    strncmp(line, "buffer ", 7) == 0) {
		s = line[0] == 'g' ? &c->gradients[c->n_gradients++]
				   : &c->buffers[c->n_buffers++];
		return c->n_gradients < MAX_TENSORS &&
		    sscanf(line, "%*s %63s %lf %lf", s->name, &s->norm,
			&s->sum) == 3;
	}
	if (strncmp(line, "torch ", 6) == 0) {
		read_torch(c, line);
		return 1;
	}
	return c->n_read < MAX_STEPS - 1 &&
	    sscanf(line, "step %lf %lf %lf %lf", &c->losses[c->n_read++],
		&t[TORCH_FP32], &t[TORCH_FP32_NHWC], &t[TORCH_BF16]) == 4;
}

static void
read_cases(const char *path)
{
	FILE *f = fopen(path, "r");
	char line[1024];

	if (f == NULL) {
		printf("Bail out! cannot read %s\n", path);
		exit(1);
	}
	cases = xcalloc(MAX_CASES, sizeof *cases);
	while (fgets(line, sizeof line, f) != NULL) {
		int ok = 1;

		line[strcspn(line, "\n")] = '\0';
		if (line[0] == '#')
			continue;
		if (strncmp(line, "case ", 5) == 0 && n_cases < MAX_CASES)
			read_case(&cases[n_cases++], line);
		else
			ok =
			    n_cases > 0 && read_line(&cases[n_cases - 1], line);
		if (!ok) {
			printf("Bail out! %s: %s\n", path, line);
			exit(1);
		}
	}
	fclose(f);
}

static void
choose_cases(void)
{
	for (int i = 0; i < n_cases; i++) {
#ifdef __SANITIZE_ADDRESS__
		/* VGG only has layers that ResNet and AlexNet have. */
		if (cases[i].n_steps > 1 || cases[i].image > 63 ||
		    strncmp(cases[i].model, "vgg", 3) == 0)
			continue;
#endif
		tried[n_tried++] = &cases[i];
	}
}

/* --- Our side ------------------------------------------------------------- */

struct outcome {
	double *logits, *gradients[MAX_TENSORS], *buffers[MAX_TENSORS];
	double losses[MAX_STEPS];
	int done;
};

struct network_under_test {
	struct graph graph;
	struct device *device;
};

/* Numbers k = 0 .. n - 1 of a stream, in [-bound, bound). */
static float *
numbers(uint32_t stream, uint32_t step, double bound, size_t n)
{
	const struct rng r = { SEED, stream, step };
	float *x = xcalloc(n, sizeof *x);

	rng_fill_uniform(&r, floor(bound * 0x1p24 + 0.5) * 0x1p-24, n, x);
	return x;
}

/* Build the model, with narrower linear layers if the case states a head, and
 * with dropout of probability 0. */
static void
build(const struct expected *c, struct graph *g)
{
	struct error e = ERROR_INIT;
	const struct model *found = model_find(c->model, &e);
	struct layer layers[64];
	struct model m;
	int n = 0;

	CHECK(found != NULL);
	m = *found;
	do {
		CHECK(n < N_TESTS(layers));
		layers[n] = m.layers[n];
		if (layers[n].kind == LAYER_LINEAR && c->head > 0)
			layers[n].out = c->head;
	} while (layers[n++].kind != LAYER_END);
	m.layers = layers;
	CHECK_INT(graph_build(&m, c->classes, c->image, g, &e), 0);
	g->model = found;
	for (int i = 0; i < g->n_nodes; i++)
		g->nodes[i].p = 0;
}

/* True if param is the weight of a residual branch's last normalisation. */
static int
is_last_norm(const struct graph *g, int param)
{
	for (int i = 0; i < g->n_nodes; i++)
		for (int k = 0; g->nodes[i].kind == NODE_ADD && k < 2; k++) {
			const struct node *n = &g->nodes[g->nodes[i].in[k]];

			if (n->kind == NODE_BATCHNORM && n->weight == param &&
			    strstr(n->name, "downsample") == NULL)
				return 1;
		}
	return 0;
}

static void
write_params(const struct expected *c, struct network_under_test *n)
{
	struct error e = ERROR_INIT;

	for (int i = 0; i < n->graph.n_params; i++) {
		const struct param *p = &n->graph.params[i];
		const int added = p->init == PARAM_CONSTANT;
		double shift = added ? p->scale : 0;
		float *x = numbers((uint32_t)i, 0,
		    added                         ? 0.05
			: p->init == PARAM_NORMAL ? sqrt(3) * p->scale
						  : p->scale,
		    p->n);

		if (added && is_last_norm(&n->graph, i))
			shift = c->gamma;
		for (size_t k = 0; added && k < p->n; k++)
			x[k] = (float)((double)x[k] + shift);
		CHECK_INT(
		    device_write(n->device, TENSOR_PARAM, i, DTYPE_FP32, x, &e),
		    0);
		memset(x, 0, p->n * sizeof *x);
		CHECK_INT(device_write(
			      n->device, TENSOR_MOMENTUM, i, DTYPE_FP32, x, &e),
		    0);
		free(x);
	}
}

/* Running statistics: initial values, or numbers of a stream if frozen. */
static void
write_buffers(const struct expected *c, struct network_under_test *n)
{
	const int frozen = strcmp(c->mode, "frozen") == 0;
	struct error e = ERROR_INIT;

	for (int i = 0; i < n->graph.n_buffers; i++) {
		const struct buffer *b = &n->graph.buffers[i];
		const int var = strstr(b->name, "var") != NULL;
		const double bound = !frozen ? 0 : var ? 0.5 : 0.1;
		float *x = numbers((7u << 16) + (uint32_t)i, 0, bound, b->n);

		for (size_t k = 0; k < b->n; k++)
			x[k] = (float)((double)x[k] +
			    (frozen && var   ? 1.5
				    : frozen ? 0
					     : b->start));
		CHECK_INT(device_write(
			      n->device, TENSOR_BUFFER, i, DTYPE_FP32, x, &e),
		    0);
		free(x);
	}
}

static double *
read_all(struct device *d, enum tensor_kind k, int i)
{
	struct error e = ERROR_INIT;
	double *x = xcalloc(device_tensor_size(d, k, i), sizeof *x);

	CHECK_INT(device_read(d, k, i, DTYPE_FP64, x, &e), 0);
	return x;
}

static void
take_first(struct network_under_test *n, struct outcome *out)
{
	out->logits = read_all(n->device, TENSOR_OUTPUT, 0);
	for (int i = 0; i < n->graph.n_params; i++)
		out->gradients[i] = read_all(n->device, TENSOR_GRAD, i);
	for (int i = 0; i < n->graph.n_buffers; i++)
		out->buffers[i] = read_all(n->device, TENSOR_BUFFER, i);
}

static void
train_step(const struct expected *c, struct network_under_test *n, int step,
    struct outcome *out)
{
	const enum device_mode mode =
	    strcmp(c->mode, "frozen") == 0 ? MODE_FROZEN : MODE_TRAIN;
	const struct sgd sgd = { c->lr, 0.9, 1e-4, 1 };
	const size_t n_x = (size_t)c->batch * shape_size(n->graph.nodes[0].out);
	struct error e = ERROR_INIT;
	float *x = numbers(2u << 16, (uint32_t)step % 2, 1.75, n_x);
	const struct images im = { .type = DTYPE_FP32,
		.order = IMAGES_NCHW,
		.data = x,
		.n = c->batch };
	int32_t *labels = xcalloc((size_t)c->batch, sizeof *labels);
	struct device *d = n->device;
	struct loss_result r;

	for (int k = 0; k < c->batch; k++)
		labels[k] = (7 * k + 3 * (step % 2)) % c->classes;
	CHECK_INT(device_load(d, &im, labels, &e), 0);
	CHECK_INT(device_forward(d, mode, step, &e), 0);
	CHECK_INT(device_loss(d, &e), 0);
	CHECK_INT(device_backward(d, NULL, NULL, &e), 0);
	CHECK_INT(device_result(d, &r, &e), 0);
	out->losses[step] = r.loss;
	if (step == 0)
		take_first(n, out);
	CHECK_INT(device_update(d, &sgd, &e), 0);
	free(x);
	free(labels);
}

static void
run(const struct expected *c, const char *device, enum dtype precision,
    struct outcome *out)
{
	/* One thread: see test_device.c. */
	const struct device_config config = { .device = device,
		.precision = precision,
		.batch = c->batch,
		.threads = 1 };
	struct error e = ERROR_INIT;
	struct network_under_test n;

	build(c, &n.graph);
	if (device_open(&n.graph, &config, &n.device, &e) != 0) {
		printf("# %s\n", e.message);
		graph_release(&n.graph);
		CHECK_INT(e.code, ERROR_USAGE);
		SKIP("this build or this machine cannot");
	}
	CHECK_INT(n.graph.n_params, c->n_gradients);
	write_params(c, &n);
	write_buffers(c, &n);
	for (int i = 0; i < c->n_steps; i++)
		train_step(c, &n, i, out);
	device_close(n.device);
	graph_release(&n.graph);
	out->done = 1;
}

static void
release(struct outcome *out)
{
	free(out->logits);
	for (int i = 0; i < MAX_TENSORS; i++) {
		free(out->gradients[i]);
		free(out->buffers[i]);
	}
	memset(out, 0, sizeof *out);
}

/* --- Comparison ----------------------------------------------------------- */

static double
norm(const double *x, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += x[i] * x[i];
	return sqrt(sum);
}

static double
distance(const double *a, const double *b, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (a[i] - b[i]) * (a[i] - b[i]);
	return sqrt(sum);
}

/* The norm and the weighted sum of a tensor equal PyTorch's. */
static void
check_sums(const char *name, const struct sums *want, uint32_t stream,
    const double *x, size_t n)
{
	const double allowed = exact * want->norm + exact_floor;
	float *weights = numbers(stream, 0, 1, n);
	double sum = 0, got = norm(x, n);

	for (size_t i = 0; i < n; i++)
		sum += (double)weights[i] * x[i];
	free(weights);
	if (!(fabs(got - want->norm) <= allowed &&
		fabs(sum - want->sum) <= allowed))
		printf("# %s: norm %.17g, sum %.17g\n", name, got, sum);
	CHECK_NEAR(got, want->norm, allowed);
	CHECK_NEAR(sum, want->sum, allowed);
}

static void
check_exact(const struct expected *c, const struct outcome *got)
{
	struct graph g;

	build(c, &g);
	check_sums("logits", &c->logits, 6u << 16, got->logits,
	    (size_t)c->batch * (size_t)c->classes);
	for (int i = 0; i < g.n_params; i++) {
		CHECK_STR(g.params[i].name, c->gradients[i].name);
		check_sums(g.params[i].name, &c->gradients[i],
		    (4u << 16) + (uint32_t)i, got->gradients[i], g.params[i].n);
	}
	for (int i = 0; i < c->n_buffers; i++) {
		CHECK_STR(g.buffers[i].name, c->buffers[i].name);
		check_sums(g.buffers[i].name, &c->buffers[i],
		    (5u << 16) + (uint32_t)i, got->buffers[i], g.buffers[i].n);
	}
	for (int i = 0; i < c->n_steps; i++)
		CHECK_NEAR(got->losses[i], c->losses[i],
		    i < EARLY ? exact : 1e3 * exact);
	graph_release(&g);
}

static struct errors
find_errors(const struct expected *c, const struct outcome *got,
    const struct outcome *want)
{
	const size_t n_logits = (size_t)c->batch * (size_t)c->classes;
	double total = 0, off = 0;
	struct errors e;
	struct graph g;

	build(c, &g);
	e.logits = distance(got->logits, want->logits, n_logits) /
	    norm(want->logits, n_logits);
	e.loss = fabs(got->losses[0] - want->losses[0]);
	e.worst = 0;
	for (int i = 0; i < g.n_params; i++)
		total = hypot(total, norm(want->gradients[i], g.params[i].n));
	for (int i = 0; i < g.n_params; i++) {
		const double size = norm(want->gradients[i], g.params[i].n);
		const double d = distance(
		    got->gradients[i], want->gradients[i], g.params[i].n);

		off = hypot(off, d);
		if (size > small * total && d / size > e.worst)
			e.worst = d / size;
	}
	e.gradients = off / total;
	graph_release(&g);
	return e;
}

/* PyTorch's errors in a precision: the larger of both memory layouts. */
static struct errors
torch_errors(const struct expected *c, enum dtype precision)
{
	struct errors a = c->torch[TORCH_FP32], b = c->torch[TORCH_FP32_NHWC];

	if (precision == DTYPE_BF16)
		a = b = c->torch[TORCH_BF16];
	a.logits = fmax(a.logits, b.logits);
	a.loss = fmax(fmax(a.loss, b.loss), loss_of_logits * a.logits);
	a.gradients = fmax(a.gradients, b.gradients);
	a.worst = fmax(a.worst, b.worst);
	return a;
}

static double
torch_loss_error(const struct expected *c, enum dtype precision, int step)
{
	const double *x = c->torch_losses[step], want = c->losses[step];

	if (precision == DTYPE_BF16)
		return fabs(x[TORCH_BF16] - want);
	return fmax(
	    fabs(x[TORCH_FP32] - want), fabs(x[TORCH_FP32_NHWC] - want));
}

/* The losses of all steps: the limit is PyTorch's largest error so far, times 2
 * in the first EARLY steps and times 10 later. Errors grow from step to step,
 * but not at the same rate. */
static void
check_curve(const struct expected *c, enum dtype precision, double floor,
    const struct outcome *got)
{
	double torch = floor;

	for (int i = 0; i < c->n_steps; i++) {
		const double off = fabs(got->losses[i] - c->losses[i]);

		torch = fmax(torch, torch_loss_error(c, precision, i));
		if (c->n_steps > 1)
			printf("# step %d: loss %.6f, off by %.2g; PyTorch by "
			       "up to %.2g\n",
			    i, got->losses[i], off, torch);
		CHECK(off <= (i < EARLY ? 2 : 10) * torch);
	}
}

/* Number of cases compared in fp32, and of those with an error of gradients
 * above twice PyTorch's. */
static int n_compared, n_exceeding;

/* PyTorch's largest errors of gradients in any case. */
static struct errors
most_errors(const struct expected *c, enum dtype precision)
{
	struct errors most = torch_errors(c, precision);

	for (int i = 0; precision == DTYPE_FP32 && i < n_cases; i++) {
		const struct errors t = torch_errors(&cases[i], precision);

		most.gradients = fmax(most.gradients, t.gradients);
		most.worst = fmax(most.worst, t.worst);
	}
	return most;
}

static void
check_rounding(const struct expected *c, enum dtype precision,
    const struct outcome *got, const struct outcome *want)
{
	const struct errors e = find_errors(c, got, want);
	const struct errors t = torch_errors(c, precision);
	const struct errors most = most_errors(c, precision);
	const double loss = fmax(t.loss, loss_at_most * t.logits);

	printf("# errors, PyTorch's in brackets: logits %.2g (%.2g), loss %.2g "
	       "(%.2g), gradients %.2g (%.2g), worst %.2g (%.2g)\n",
	    e.logits, t.logits, e.loss, t.loss, e.gradients, t.gradients,
	    e.worst, t.worst);
	CHECK(e.logits <= 2 * t.logits);
	CHECK(e.loss <= 2 * loss);
	CHECK(e.gradients <= 2 * most.gradients);
	CHECK(e.worst <= 2 * most.worst);
	if (precision == DTYPE_FP32) {
		n_compared++;
		n_exceeding +=
		    e.gradients > 2 * t.gradients || e.worst > 2 * t.worst;
	}
	check_curve(c, precision, c->n_steps > 1 ? t.loss : loss, got);
}

/* --- The tests: each case on each device, fp64 first ---------------------- */

static const struct way {
	const char *name, *device;
	enum dtype precision;
} ways[] = {
	{ "fp64 is PyTorch's", "reference", DTYPE_FP64 },
	{ "reference in fp32", "reference", DTYPE_FP32 },
	{ "cpu in fp32", "cpu", DTYPE_FP32 },
	{ "cpu in bf16", "cpu", DTYPE_BF16 },
};

static void
run_next(void)
{
	static struct outcome want, got;
	static int next;
	const struct expected *c = tried[next / N_TESTS(ways)];
	const struct way *w = &ways[next++ % N_TESTS(ways)];

	if (w->precision == DTYPE_FP64) {
		release(&want);
		run(c, w->device, w->precision, &want);
		check_exact(c, &want);
		return;
	}
	CHECK(want.done);
	release(&got);
	run(c, w->device, w->precision, &got);
	check_rounding(c, w->precision, &got, &want);
}

static void
two_of_three(void)
{
	printf("# %d of %d\n", n_compared - n_exceeding, n_compared);
	CHECK(n_compared > 0 && 3 * n_exceeding <= n_compared);
}

int
main(void)
{
	const char *top = getenv("top_srcdir"),
		   *path = getenv("DLSCALE_PARITY");
	struct tap_test *tests;
	char(*names)[2 * WORD], own[4096];
	int n;

	snprintf(own, sizeof own, "%s/tests/data/parity.txt",
	    top != NULL ? top : ".");
	read_cases(path != NULL ? path : own);
	choose_cases();
	n = n_tried * N_TESTS(ways);
	tests = xcalloc((size_t)n + 1, sizeof *tests);
	names = xcalloc((size_t)n, sizeof *names);
	for (int i = 0; i < n; i++) {
		snprintf(names[i], sizeof names[i], "%s: %s",
		    tried[i / N_TESTS(ways)]->name,
		    ways[i % N_TESTS(ways)].name);
		tests[i] = (struct tap_test){ names[i], run_next };
	}
	tests[n] =
	    (struct tap_test){ "gradients in fp32 are as good as PyTorch's",
		    two_of_three };
	n = tap_main(tests, n + 1);
	free(tests);
	free(names);
	free(cases);
	return n;
}
