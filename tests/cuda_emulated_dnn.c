/* The part of cuDNN that the cuda device uses, in plain loops: runs a
 * convolution call on the addresses of its roles. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "tests/cuda_emulator.h"
#include "trainer/device/cuda/engines/cudnn_graph.h"

int emulated_fused;
long emulated_fused_ms;
int emulated_no_fused, emulated_tf32, emulated_varies;

/* An emulated graph holds the call. */
struct made {
	const struct gpu_program *p;
	struct call call;
};

/* A plan of such a graph. */
struct emulated_plan {
	struct made made;
	int engine;
};

/* Addresses by role. */
struct pack {
	int64_t ids[N_ROLES];
	void *at[N_ROLES];
};

struct task {
	struct made made;
	int engine;
	void *at[N_ROLES];
};

static float
get(enum dtype t, const void *x, size_t i)
{
	if (t == DTYPE_FP32)
		return ((const float *)x)[i];
	return t == DTYPE_BF16 ? bf16_to_float(((const uint16_t *)x)[i])
			       : fp16_to_float(((const uint16_t *)x)[i]);
}

static void
put(enum dtype t, void *x, size_t i, double value)
{
	const float f = (float)value;

	if (t == DTYPE_FP32)
		((float *)x)[i] = f;
	else
		((uint16_t *)x)[i] =
		    t == DTYPE_BF16 ? bf16_from_float(f) : fp16_from_float(f);
}

/* --- a convolution ------------------------------------------------------- */

/* Call f for each product of the convolution: indices of x, w and y. */
static void
each_product(const struct made *m, void *ctx,
    void (*f)(void *ctx, size_t x, size_t w, size_t y))
{
	const struct conv_shape s = m->call.conv;
	const int n = m->p->config.batch * s.p * s.q * s.k;

	if (getenv("EMULATED_FAST") != NULL)
		return;
	for (int y = 0; y < n; y++) {
		const int k = y % s.k, q = y / s.k % s.q;
		const int p = y / s.k / s.q % s.p, i = y / s.k / s.q / s.p;

		for (int t = 0; t < s.kernel * s.kernel; t++) {
			const int row = p * s.stride - s.pad + t / s.kernel;
			const int column = q * s.stride - s.pad + t % s.kernel;

			if (row < 0 || row >= s.h || column < 0 ||
			    column >= s.w)
				continue;
			for (int c = 0; c < s.c; c++)
				f(ctx,
				    (size_t)(((i * s.h + row) * s.w + column) *
					    s.c +
					c),
				    (size_t)((k * s.kernel * s.kernel + t) *
					    s.c +
					c),
				    (size_t)y);
		}
	}
}

struct sums {
	const double *a, *b;
	double *out;
};

static void
forward(void *ctx, size_t x, size_t w, size_t y)
{
	const struct sums *s = ctx;

	s->out[y] += s->a[x] * s->b[w];
}

static void
backward_data(void *ctx, size_t x, size_t w, size_t y)
{
	const struct sums *s = ctx;

	s->out[x] += s->a[y] * s->b[w];
}

static void
backward_weight(void *ctx, size_t x, size_t w, size_t y)
{
	const struct sums *s = ctx;

	s->out[w] += s->a[x] * s->b[y];
}

/* --- operands ------------------------------------------------------------ */

static size_t
input_size(const struct made *m)
{
	const struct conv_shape s = m->call.conv;

	return (size_t)m->p->config.batch * (size_t)(s.h * s.w * s.c);
}

static size_t
output_size(const struct made *m)
{
	const struct conv_shape s = m->call.conv;

	return (size_t)m->p->config.batch * (size_t)(s.p * s.q * s.k);
}

static size_t
weight_size(const struct made *m)
{
	const struct conv_shape s = m->call.conv;

	return (size_t)(s.k * s.kernel * s.kernel * s.c);
}

/* Round to the nearest value of 11 bits, as tensor cores do. */
static double
tf32(float x)
{
	uint32_t bits;

	memcpy(&bits, &x, sizeof bits);
	bits = (bits + 0x1000) & ~0x1fffu;
	memcpy(&x, &bits, sizeof x);
	return (double)x;
}

/* Load operands as they are multiplied, in TF32 if emulated_tf32 is set. */
static double *
load(const struct made *m, const void *x, size_t n)
{
	const enum dtype type = m->p->config.type;
	double *out = xcalloc(n, sizeof *out);

	for (size_t i = 0; i < n; i++)
		out[i] = emulated_tf32 && type == DTYPE_FP32
		    ? tf32(get(type, x, i))
		    : get(type, x, i);
	return out;
}

static float *
vector(const struct task *t, enum graph_role role)
{
	return t->at[role];
}

static double
centred(const struct task *t, double x, int c)
{
	return (x - vector(t, ROLE_MEAN)[c]) * vector(t, ROLE_INVSTD)[c];
}

/* --- calls --------------------------------------------------------------- */

static void
run_forward(const struct task *t)
{
	const struct made *m = &t->made;
	const enum dtype type = m->p->config.type;
	const size_t n = output_size(m);
	double *x = load(m, t->at[ROLE_X], input_size(m));
	double *w = load(m, t->at[ROLE_W], weight_size(m));
	double *y = xcalloc(n, sizeof *y);
	struct sums s = { x, w, y };
	const int k = m->call.conv.k, sums = call_is_fused(&m->call);
	float *sum = t->at[ROLE_SUM], *squares = t->at[ROLE_SQUARES];

	each_product(m, &s, forward);
	for (int c = 0; c < k && sums; c++)
		sum[c] = squares[c] = 0;
	for (size_t i = 0; i < n; i++) {
		put(type, t->at[ROLE_Y], i, y[i]);
		if (!sums)
			continue;
		y[i] = get(type, t->at[ROLE_Y], i);
		sum[i % (size_t)k] += (float)y[i];
		squares[i % (size_t)k] += (float)(y[i] * y[i]);
	}
	free(x);
	free(w);
	free(y);
}

/* Backpropagate d through the ReLU and sum up gradients of gamma and beta. */
static double
masked(const struct task *t, size_t i, double d)
{
	const struct call *call = &t->made.call;
	const enum dtype type = t->made.p->config.type;
	const int c = (int)(i % (size_t)call->conv.c);
	const double raw = get(type, t->at[ROLE_RAW], i);
	double y = centred(t, raw, c) * vector(t, ROLE_GAMMA)[c] +
	    vector(t, ROLE_BETA)[c];

	if (call->in[1] != MEMORY_PLAN_NONE)
		d += get(type, t->at[ROLE_ADDED], i);
	if (call->in[3] != MEMORY_PLAN_NONE)
		y += get(type, t->at[ROLE_SECOND], i);
	d = y > 0 ? d : 0;
	vector(t, ROLE_GAMMA_GRAD)[c] += (float)(d * centred(t, raw, c));
	vector(t, ROLE_BETA_GRAD)[c] += (float)d;
	return d;
}

static void
run_data(const struct task *t)
{
	const struct made *m = &t->made;
	const size_t n = input_size(m);
	double *dy = load(m, t->at[ROLE_Y], output_size(m));
	double *w = load(m, t->at[ROLE_W], weight_size(m));
	double *dx = xcalloc(n, sizeof *dx);
	struct sums s = { dy, w, dx };

	each_product(m, &s, backward_data);
	if (call_is_fused(&m->call)) {
		const size_t bytes = (size_t)m->call.conv.c * sizeof(float);

		memset(t->at[ROLE_GAMMA_GRAD], 0, bytes);
		memset(t->at[ROLE_BETA_GRAD], 0, bytes);
		/* cuDNN writes these three. */
		for (int i = 0; i < 3; i++)
			memset(t->at[ROLE_UNUSED + i], 0xff, bytes);
	}
	for (size_t i = 0; i < n; i++)
		put(m->p->config.type, t->at[ROLE_DX], i,
		    call_is_fused(&m->call) ? masked(t, i, dx[i]) : dx[i]);
	free(dy);
	free(w);
	free(dx);
}

static void
run_weight(const struct task *t)
{
	const struct made *m = &t->made;
	double *x = load(m, t->at[ROLE_X], input_size(m));
	double *dy = load(m, t->at[ROLE_Y], output_size(m));
	double *dw = xcalloc(weight_size(m), sizeof *dw);
	struct sums s = { x, dy, dw };

	each_product(m, &s, backward_weight);
	for (size_t i = 0; i < weight_size(m); i++)
		put(m->p->config.type, t->at[ROLE_DW], i, dw[i]);
	free(x);
	free(dy);
	free(dw);
}

/* Change the output in each run, if emulated_varies asks for it. */
static void
vary(const struct task *t)
{
	static const enum graph_role written[] = {
		[CALL_CONV] = ROLE_Y,
		[CALL_CONV_DATA] = ROLE_DX,
		[CALL_CONV_WEIGHT] = ROLE_DW,
	};
	static unsigned char runs;
	unsigned char *x = t->at[written[t->made.call.kind]];

	if ((emulated_varies & 1 && t->engine == 2) ||
	    (emulated_varies & 2 && call_is_fused(&t->made.call)))
		x[0] ^= ++runs & 0x3f;
}

static void
run_task(void *arg)
{
	const struct task *t = arg;
	const struct call *c = &t->made.call;

	if (call_is_fused(c))
		emulator_spend(emulated_fused_ms);
	if (c->kind == CALL_CONV)
		run_forward(t);
	else if (c->kind == CALL_CONV_DATA)
		run_data(t);
	else
		run_weight(t);
	vary(t);
}

/* --- cudnn_graph.h ------------------------------------------------------- */

int
cudnn_graph_build(const struct cudnn_target *t, const struct gpu_program *p,
    const struct call *c, struct cudnn_graph *out, struct error *e)
{
	struct made *m = xcalloc(1, sizeof *m);

	(void)t;
	(void)e;
	memset(out, 0, sizeof *out);
	m->p = p;
	m->call = *c;
	out->graph = m;
	out->n_engines = 4;
	memset(out->used, 1, sizeof out->used);
	return 0;
}

void
cudnn_graph_release(struct cudnn_graph *g)
{
	free(g->graph);
	memset(g, 0, sizeof *g);
}

int
cudnn_supports(void *ctx, const struct gpu_program *p, const struct call *c)
{
	(void)ctx;
	(void)p;
	(void)c;
	return emulated_fused;
}

int
cudnn_graph_compiles(const struct cudnn_graph *g, int i)
{
	(void)g;
	return i == 1;
}

int
cudnn_graph_deterministic(const struct cudnn_graph *g, int i)
{
	(void)g;
	return i != 0;
}

int
cudnn_graph_rounds(const struct cudnn_graph *g, int i)
{
	(void)g;
	(void)i;
	return 0;
}

int64_t
cudnn_graph_engine(const struct cudnn_graph *g, int i)
{
	(void)g;
	return i;
}

void
cudnn_graph_more(const struct cudnn_target *t, struct cudnn_graph *g)
{
	(void)t;
	(void)g;
}

void
cudnn_graph_tag(const struct cudnn_graph *g, int i, char *out)
{
	(void)g;
	snprintf(out, GRAPH_TAG, "eng%d", i);
}

int
cudnn_plan_build(const struct cudnn_target *t, const struct cudnn_graph *g,
    int i, struct cudnn_plan *out, struct error *e)
{
	struct emulated_plan *x;

	(void)t;
	if (emulated_no_fused &&
	    call_is_fused(&((const struct made *)g->graph)->call))
		return error_set(e, ERROR_SYSTEM, "it does not work");
	x = xcalloc(1, sizeof *x);
	*x = (struct emulated_plan){ *(const struct made *)g->graph, i };
	out->plan = x;
	out->workspace = 1000 * i;
	return 0;
}

void
cudnn_plan_release(struct cudnn_plan *p)
{
	free(p->plan);
	p->plan = NULL;
}

/* --- cuDNN --------------------------------------------------------------- */

struct emulated_handle {
	cudaStream_t stream;
};

static cudnnStatus_t
emulated_create_descriptor(
    cudnnBackendDescriptorType_t type, cudnnBackendDescriptor_t *out)
{
	(void)type;
	*out = xcalloc(1, sizeof(struct pack));
	return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t
emulated_destroy_descriptor(cudnnBackendDescriptor_t d)
{
	free(d);
	return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t
emulated_set_attribute(cudnnBackendDescriptor_t d,
    cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
    int64_t n, const void *x)
{
	struct pack *p = d;

	(void)type;
	if (n > N_ROLES)
		return CUDNN_STATUS_BAD_PARAM;
	if (name == CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS)
		memcpy(p->ids, x, (size_t)n * sizeof p->ids[0]);
	if (name == CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS)
		memcpy(p->at, x, (size_t)n * sizeof p->at[0]);
	return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t
emulated_finalize(cudnnBackendDescriptor_t d)
{
	(void)d;
	return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t
emulated_execute(cudnnHandle_t h, cudnnBackendDescriptor_t plan,
    cudnnBackendDescriptor_t addresses)
{
	const struct emulated_plan *x = plan;
	const struct pack *p = addresses;
	struct task t = { .made = x->made, .engine = x->engine };

	for (int i = 0; i < N_ROLES; i++)
		if (p->ids[i] > 0)
			t.at[p->ids[i] - 1] = p->at[i];
	emulator_ask(((const struct emulated_handle *)(void *)h)->stream,
	    run_task, &t, sizeof t);
	return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t
emulated_create(cudnnHandle_t *h)
{
	*h = xcalloc(1, sizeof(struct emulated_handle));
	return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t
emulated_destroy(cudnnHandle_t h)
{
	free(h);
	return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t
emulated_set_stream(cudnnHandle_t h, cudaStream_t s)
{
	((struct emulated_handle *)(void *)h)->stream = s;
	return CUDNN_STATUS_SUCCESS;
}

static size_t
emulated_version(void)
{
	return CUDNN_VERSION;
}

static const char *
emulated_error_string(cudnnStatus_t s)
{
	(void)s;
	return "an emulated error";
}

static void
emulated_last_error_string(char *out, size_t n)
{
	snprintf(out, n, "none");
}

int
cudnn_library_open(struct error *e)
{
	const char *ms = getenv("EMULATED_FUSED");

	(void)e;
	if (ms != NULL) {
		emulated_fused = 1;
		emulated_fused_ms = strtol(ms, NULL, 10);
	}
	cudnn = (struct cudnn_calls){
		.version = emulated_version,
		.error_string = emulated_error_string,
		.last_error_string = emulated_last_error_string,
		.create = emulated_create,
		.destroy = emulated_destroy,
		.set_stream = emulated_set_stream,
		.create_descriptor = emulated_create_descriptor,
		.destroy_descriptor = emulated_destroy_descriptor,
		.set_attribute = emulated_set_attribute,
		.finalize = emulated_finalize,
		.execute = emulated_execute,
	};
	return 0;
}
