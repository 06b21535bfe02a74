/* Build graphs of cuDNN's backend API from calls of a program. Planning works
 * without a GPU, from its description. */
#include <config.h>

#include "trainer/device/cuda/engines/cudnn_graph.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "trainer/base/shared_library.h"

typedef cudnnBackendDescriptor_t part;

/* A graph under construction.  After the first failure all functions return
 * without effect. */
struct graph_maker {
	struct cudnn_graph *g;
	const struct gpu_program *p;
	const struct call *c;
	part ops[GRAPH_MAX_OPS];
	int n_ops;
	cudnnDataType_t type; /* type of activations and weights */
	int64_t next_id;      /* ID of the next virtual tensor */
	struct error *e;
	int failed;
};

static int
check_status(cudnnStatus_t s, const char *what, struct error *e)
{
	char words[512] = "";

	if (s == CUDNN_STATUS_SUCCESS)
		return 0;
	cudnn.last_error_string(words, sizeof words);
	return error_set(e, ERROR_SYSTEM, "cuDNN: %s: %s%s%s", what,
	    cudnn.error_string(s), words[0] != '\0' ? ": " : "", words);
}

static void
set_attribute(struct graph_maker *m, part d, cudnnBackendAttributeName_t name,
    cudnnBackendAttributeType_t type, int64_t n, const void *value)
{
	if (!m->failed)
		m->failed =
		    check_status(cudnn.set_attribute(d, name, type, n, value),
			"attribute", m->e) != 0;
}

static void
set_part(
    struct graph_maker *m, part d, cudnnBackendAttributeName_t name, part value)
{
	set_attribute(m, d, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &value);
}

static void
set_type(struct graph_maker *m, part d, cudnnBackendAttributeName_t name,
    cudnnDataType_t value)
{
	set_attribute(m, d, name, CUDNN_TYPE_DATA_TYPE, 1, &value);
}

static part
create_descriptor(struct graph_maker *m, cudnnBackendDescriptorType_t type)
{
	part d = NULL;

	if (m->failed)
		return NULL;
	if (m->g->n_parts == GRAPH_MAX_PARTS) {
		error_set(m->e, ERROR_SYSTEM, "cuDNN: a graph too large");
		m->failed = 1;
		return NULL;
	}
	m->failed = check_status(cudnn.create_descriptor(type, &d),
			"descriptor", m->e) != 0;
	if (!m->failed)
		m->g->parts[m->g->n_parts++] = d;
	return d;
}

static part
finish_descriptor(struct graph_maker *m, part d, const char *what)
{
	if (!m->failed)
		m->failed = check_status(cudnn.finalize(d), what, m->e) != 0;
	return d;
}

static void
add_op(struct graph_maker *m, part op, const char *what)
{
	finish_descriptor(m, op, what);
	if (!m->failed)
		m->ops[m->n_ops++] = op;
}

/* --- tensors ------------------------------------------------------------- */

/* Create a tensor (n, c, h, w), channels last.
 *
 * role  N_ROLES: virtual, never in memory */
static part
tensor_descriptor(struct graph_maker *m, enum graph_role role,
    cudnnDataType_t type, int64_t n, int64_t c, int64_t h, int64_t w)
{
	const int64_t dims[] = { n, c, h, w };
	const int64_t strides[] = { h * w * c, 1, w * c, c };
	const int64_t align = 16;
	const int64_t id = role == N_ROLES ? m->next_id++ : (int64_t)role + 1;
	const bool passes = true;
	part d = create_descriptor(m, CUDNN_BACKEND_TENSOR_DESCRIPTOR);

	if (m->failed)
		return NULL;
	set_type(m, d, CUDNN_ATTR_TENSOR_DATA_TYPE, type);
	set_attribute(
	    m, d, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 4, dims);
	set_attribute(
	    m, d, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, 4, strides);
	set_attribute(
	    m, d, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, &id);
	set_attribute(m, d, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64,
	    1, &align);
	if (role == N_ROLES)
		set_attribute(m, d, CUDNN_ATTR_TENSOR_IS_VIRTUAL,
		    CUDNN_TYPE_BOOLEAN, 1, &passes);
	else
		m->g->used[role] = 1;
	return finish_descriptor(m, d, "tensor");
}

/* Tensors with the shape of the convolution's input and weights, and a vector
 * of its input channels. */
static part
like_input(struct graph_maker *m, enum graph_role role, cudnnDataType_t type)
{
	const struct conv_shape *s = &m->c->conv;

	return tensor_descriptor(
	    m, role, type, m->p->config.batch, s->c, s->h, s->w);
}

static part
weights_tensor(struct graph_maker *m, enum graph_role role)
{
	const struct conv_shape *s = &m->c->conv;

	return tensor_descriptor(
	    m, role, m->type, s->k, s->c, s->kernel, s->kernel);
}

static part
channels_tensor(struct graph_maker *m, enum graph_role role)
{
	return tensor_descriptor(
	    m, role, CUDNN_DATA_FLOAT, 1, m->c->conv.c, 1, 1);
}

/* --- operations ---------------------------------------------------------- */

static part
convolution_descriptor(struct graph_maker *m)
{
	const int64_t n = 2, pad[] = { m->c->conv.pad, m->c->conv.pad };
	const int64_t stride[] = { m->c->conv.stride, m->c->conv.stride };
	const int64_t dilation[] = { 1, 1 };
	const cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;
	part d = create_descriptor(m, CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);

	set_type(m, d, CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_DATA_FLOAT);
	set_attribute(m, d, CUDNN_ATTR_CONVOLUTION_CONV_MODE,
	    CUDNN_TYPE_CONVOLUTION_MODE, 1, &mode);
	set_attribute(
	    m, d, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, 1, &n);
	set_attribute(m, d, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS,
	    CUDNN_TYPE_INT64, 2, pad);
	set_attribute(m, d, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS,
	    CUDNN_TYPE_INT64, 2, pad);
	set_attribute(m, d, CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64,
	    2, dilation);
	set_attribute(m, d, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES,
	    CUDNN_TYPE_INT64, 2, stride);
	return finish_descriptor(m, d, "convolution");
}

/* cuDNN's names of the parts of each direction. */
/* clang-format off */
static const struct direction {
	cudnnBackendDescriptorType_t op;
	cudnnBackendAttributeName_t x, w, y, conv, alpha, beta;
} directions[] = {
#define OP(which) CUDNN_BACKEND_OPERATION_CONVOLUTION_##which##_DESCRIPTOR
#define PART(name) CUDNN_ATTR_OPERATION_CONVOLUTION_##name
	[CALL_CONV] = { OP(FORWARD), PART(FORWARD_X), PART(FORWARD_W),
	    PART(FORWARD_Y), PART(FORWARD_CONV_DESC), PART(FORWARD_ALPHA),
	    PART(FORWARD_BETA) },
	[CALL_CONV_DATA] = { OP(BACKWARD_DATA), PART(BWD_DATA_DX),
	    PART(BWD_DATA_W), PART(BWD_DATA_DY), PART(BWD_DATA_CONV_DESC),
	    PART(BWD_DATA_ALPHA), PART(BWD_DATA_BETA) },
	[CALL_CONV_WEIGHT] = { OP(BACKWARD_FILTER), PART(BWD_FILTER_X),
	    PART(BWD_FILTER_DW), PART(BWD_FILTER_DY),
	    PART(BWD_FILTER_CONV_DESC), PART(BWD_FILTER_ALPHA),
	    PART(BWD_FILTER_BETA) },
#undef OP
#undef PART
};
/* clang-format on */

static void
add_convolution(struct graph_maker *m, part x, part w, part y)
{
	const struct direction *d = &directions[m->c->kind];
	const float alpha = 1, beta = 0;
	part conv = convolution_descriptor(m), op = create_descriptor(m, d->op);

	set_part(m, op, d->x, x);
	set_part(m, op, d->w, w);
	set_part(m, op, d->y, y);
	set_part(m, op, d->conv, conv);
	set_attribute(m, op, d->alpha, CUDNN_TYPE_FLOAT, 1, &alpha);
	set_attribute(m, op, d->beta, CUDNN_TYPE_FLOAT, 1, &beta);
	add_op(m, op, "convolution");
}

/* y = x op (by * b); for RELU_BWD y = b where x > 0, else 0. */
static part
add_pointwise(struct graph_maker *m, cudnnPointwiseMode_t mode, part x, part b,
    part y, float by)
{
	part how = create_descriptor(m, CUDNN_BACKEND_POINTWISE_DESCRIPTOR), op;
	const int back = mode == CUDNN_POINTWISE_RELU_BWD;

	set_attribute(m, how, CUDNN_ATTR_POINTWISE_MODE,
	    CUDNN_TYPE_POINTWISE_MODE, 1, &mode);
	set_type(m, how, CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_DATA_FLOAT);
	finish_descriptor(m, how, "pointwise");
	op = create_descriptor(m, CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
	set_part(m, op, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, how);
	set_part(m, op, CUDNN_ATTR_OPERATION_POINTWISE_XDESC, x);
	set_part(m, op,
	    back ? CUDNN_ATTR_OPERATION_POINTWISE_DYDESC
		 : CUDNN_ATTR_OPERATION_POINTWISE_BDESC,
	    b);
	set_part(m, op,
	    back ? CUDNN_ATTR_OPERATION_POINTWISE_DXDESC
		 : CUDNN_ATTR_OPERATION_POINTWISE_YDESC,
	    y);
	if (by != 1)
		set_attribute(m, op, CUDNN_ATTR_OPERATION_POINTWISE_ALPHA2,
		    CUDNN_TYPE_FLOAT, 1, &by);
	add_op(m, op, "pointwise");
	return y;
}

/* The same into an fp32 tensor like the input that is never in memory. */
static part
pass_pointwise(
    struct graph_maker *m, cudnnPointwiseMode_t mode, part x, part b, float by)
{
	return add_pointwise(
	    m, mode, x, b, like_input(m, N_ROLES, CUDNN_DATA_FLOAT), by);
}

static void
sum_up(struct graph_maker *m, part y)
{
	const cudnnGenStatsMode_t mode = CUDNN_GENSTATS_SUM_SQSUM;
	const int64_t k = m->c->conv.k;
	part op =
	    create_descriptor(m, CUDNN_BACKEND_OPERATION_GEN_STATS_DESCRIPTOR);

	set_attribute(m, op, CUDNN_ATTR_OPERATION_GENSTATS_MODE,
	    CUDNN_TYPE_GENSTATS_MODE, 1, &mode);
	set_type(
	    m, op, CUDNN_ATTR_OPERATION_GENSTATS_MATH_PREC, CUDNN_DATA_FLOAT);
	set_part(m, op, CUDNN_ATTR_OPERATION_GENSTATS_XDESC, y);
	set_part(m, op, CUDNN_ATTR_OPERATION_GENSTATS_SUMDESC,
	    tensor_descriptor(m, ROLE_SUM, CUDNN_DATA_FLOAT, 1, k, 1, 1));
	set_part(m, op, CUDNN_ATTR_OPERATION_GENSTATS_SQSUMDESC,
	    tensor_descriptor(m, ROLE_SQUARES, CUDNN_DATA_FLOAT, 1, k, 1, 1));
	add_op(m, op, "statistics");
}

/* Compute a normalisation's weight gradients from the masked gradient. */
static void
reduce_to_weights(
    struct graph_maker *m, part raw, const part *vectors, part masked)
{
#define BN(name) CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_##name
	static const cudnnBackendAttributeName_t outs[] = { BN(DBN_SCALE_DESC),
		BN(DBN_BIAS_DESC), BN(EQ_DY_SCALE_DESC), BN(EQ_X_SCALE_DESC),
		BN(EQ_BIAS) };
	part op = create_descriptor(
	    m, CUDNN_BACKEND_OPERATION_BN_BWD_WEIGHTS_DESCRIPTOR);

	set_type(m, op, BN(MATH_PREC), CUDNN_DATA_FLOAT);
	set_part(m, op, BN(MEAN_DESC), vectors[0]);
	set_part(m, op, BN(INVSTD_DESC), vectors[1]);
	set_part(m, op, BN(BN_SCALE_DESC), vectors[2]);
	set_part(m, op, BN(X_DESC), raw);
	set_part(m, op, BN(DY_DESC), masked);
	for (int i = 0; i < 5; i++)
		set_part(m, op, outs[i],
		    channels_tensor(m, (enum graph_role)(ROLE_GAMMA_GRAD + i)));
	add_op(m, op, "normalisation's weight gradients");
#undef BN
}

/* Continue after a data gradient: add another gradient, mask by the ReLU,
 * reduce to the weight gradients of the normalisation. */
static void
through_norm(struct graph_maker *m, part dx)
{
	part raw, vectors[4], y, masked;

	if (m->c->in[1] != MEMORY_PLAN_NONE)
		dx = pass_pointwise(m, CUDNN_POINTWISE_ADD, dx,
		    like_input(m, ROLE_ADDED, m->type), 1);
	raw = like_input(m, ROLE_RAW, m->type);
	for (int i = 0; i < 4; i++)
		vectors[i] =
		    channels_tensor(m, (enum graph_role)(ROLE_MEAN + i));
	/* norm(raw) in fp32; vectors: mean, invstd, gamma, beta. */
	y = pass_pointwise(m, CUDNN_POINTWISE_ADD, raw, vectors[0], -1);
	y = pass_pointwise(m, CUDNN_POINTWISE_MUL, y, vectors[1], 1);
	y = pass_pointwise(m, CUDNN_POINTWISE_MUL, y, vectors[2], 1);
	y = pass_pointwise(m, CUDNN_POINTWISE_ADD, y, vectors[3], 1);
	if (m->c->in[3] != MEMORY_PLAN_NONE)
		y = pass_pointwise(m, CUDNN_POINTWISE_ADD, y,
		    like_input(m, ROLE_SECOND, m->type), 1);
	masked = add_pointwise(m, CUDNN_POINTWISE_RELU_BWD, y, dx,
	    like_input(m, ROLE_DX, m->type), 1);
	reduce_to_weights(m, raw, vectors, masked);
}

static void
make_ops(struct graph_maker *m)
{
	const int fused = call_is_fused(m->c);
	const struct conv_shape *s = &m->c->conv;
	part x,
	    y = tensor_descriptor(
		m, ROLE_Y, m->type, m->p->config.batch, s->k, s->p, s->q);

	switch (m->c->kind) {
	case CALL_CONV:
		x = like_input(m, ROLE_X, m->type);
		add_convolution(m, x, weights_tensor(m, ROLE_W), y);
		if (fused)
			sum_up(m, y);
		break;
	case CALL_CONV_WEIGHT:
		x = like_input(m, ROLE_X, m->type);
		add_convolution(m, x, weights_tensor(m, ROLE_DW), y);
		break;
	default:
		x = fused ? like_input(m, N_ROLES, CUDNN_DATA_FLOAT)
			  : like_input(m, ROLE_DX, m->type);
		add_convolution(m, x, weights_tensor(m, ROLE_W), y);
		if (fused)
			through_norm(m, x);
	}
}

/* --- engines and plans --------------------------------------------------- */

/* Append the configurations proposed by one heuristic. */
static int
ask_heuristic(const struct cudnn_target *t, struct cudnn_graph *g,
    cudnnBackendHeurMode_t mode, struct error *e)
{
	struct graph_maker m = { .g = g, .e = e };
	part heuristic =
	    create_descriptor(&m, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
	const int room = GRAPH_MAX_ENGINES - g->n_engines;
	part *const engines = g->engines + g->n_engines;
	int64_t n = 0;
	int made = 0;

	set_part(
	    &m, heuristic, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, g->graph);
	set_attribute(&m, heuristic, CUDNN_ATTR_ENGINEHEUR_MODE,
	    CUDNN_TYPE_HEUR_MODE, 1, &mode);
	if (t->handle == NULL)
		set_part(&m, heuristic, CUDNN_ATTR_ENGINEHEUR_DEVICEPROP,
		    t->described);
	finish_descriptor(&m, heuristic, "heuristic");
	while (!m.failed && made < room) {
		m.failed = check_status(cudnn.create_descriptor(
					    CUDNN_BACKEND_ENGINECFG_DESCRIPTOR,
					    &engines[made]),
			       "descriptor", e) != 0;
		made += !m.failed;
	}
	if (!m.failed && room > 0)
		m.failed = check_status(cudnn.get_attribute(heuristic,
					    CUDNN_ATTR_ENGINEHEUR_RESULTS,
					    CUDNN_TYPE_BACKEND_DESCRIPTOR, room,
					    &n, engines),
			       "engines", e) != 0;
	if (m.failed)
		n = 0;
	n = n < made ? n : made;
	for (int i = (int)n; i < made; i++)
		cudnn.destroy_descriptor(engines[i]);
	g->n_engines += (int)n;
	return m.failed ? -1 : 0;
}

/* Drop duplicates at or after first. */
static void
drop_duplicates(struct cudnn_graph *g, int first)
{
	char own[GRAPH_TAG], other[GRAPH_TAG];
	int n = first;

	for (int i = first; i < g->n_engines; i++) {
		int k = 0;

		cudnn_graph_tag(g, i, own);
		for (; k < n; k++) {
			cudnn_graph_tag(g, k, other);
			if (strcmp(own, other) == 0)
				break;
		}
		if (k < n)
			cudnn.destroy_descriptor(g->engines[i]);
		else
			g->engines[n++] = g->engines[i];
	}
	g->n_engines = n;
}

void
cudnn_graph_more(const struct cudnn_target *t, struct cudnn_graph *g)
{
	static const cudnnBackendHeurMode_t modes[] = { CUDNN_HEUR_MODE_B,
		CUDNN_HEUR_MODE_FALLBACK };
	struct error ignored = ERROR_INIT;

	for (int i = 0; i < 2; i++) {
		const int first = g->n_engines;

		(void)ask_heuristic(t, g, modes[i], &ignored);
		drop_duplicates(g, first);
	}
}

int
cudnn_graph_build(const struct cudnn_target *t, const struct gpu_program *p,
    const struct call *c, struct cudnn_graph *out, struct error *e)
{
	struct graph_maker m = { .g = out,
		.p = p,
		.c = c,
		.type = p->config.type == DTYPE_FP16 ? CUDNN_DATA_HALF
		    : p->config.type == DTYPE_BF16   ? CUDNN_DATA_BFLOAT16
						     : CUDNN_DATA_FLOAT,
		.next_id = N_ROLES + 1,
		.e = e };
	struct error first = ERROR_INIT;

	memset(out, 0, sizeof *out);
	make_ops(&m);
	out->graph =
	    create_descriptor(&m, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
	set_attribute(&m, out->graph, CUDNN_ATTR_OPERATIONGRAPH_OPS,
	    CUDNN_TYPE_BACKEND_DESCRIPTOR, m.n_ops, m.ops);
	if (t->handle != NULL)
		set_attribute(&m, out->graph, CUDNN_ATTR_OPERATIONGRAPH_HANDLE,
		    CUDNN_TYPE_HANDLE, 1, &t->handle);
	finish_descriptor(&m, out->graph, "graph");
	/* Heuristic A may have no engine for a graph; the fallback has slow
	 * ones for every supported graph. */
	if (!m.failed &&
	    ((ask_heuristic(t, out, CUDNN_HEUR_MODE_A, &first) == 0 &&
		 out->n_engines > 0) ||
		(ask_heuristic(t, out, CUDNN_HEUR_MODE_FALLBACK, e) == 0 &&
		    out->n_engines > 0)))
		return 0;
	if (!m.failed && e->code == ERROR_NONE)
		error_set(e, ERROR_SYSTEM, "cuDNN has no engine for %s '%s'",
		    call_kind_name(c->kind), c->node->name);
	cudnn_graph_release(out);
	return -1;
}

int
cudnn_supports(void *ctx, const struct gpu_program *p, const struct call *c)
{
	const struct cudnn_target *t = ctx;
	struct error ignored = ERROR_INIT;
	struct cudnn_graph g;
	int ok = 0;

	if (cudnn_graph_build(t, p, c, &g, &ignored) != 0)
		return 0;
	for (int i = 0; i < g.n_engines; i++)
		ok |= !cudnn_graph_compiles(&g, i);
	cudnn_graph_release(&g);
	return ok;
}

void
cudnn_graph_release(struct cudnn_graph *g)
{
	for (int i = 0; i < g->n_engines; i++)
		cudnn.destroy_descriptor(g->engines[i]);
	while (g->n_parts > 0) /* destroy containers before their contents */
		cudnn.destroy_descriptor(g->parts[--g->n_parts]);
	memset(g, 0, sizeof *g);
}

/* Engine of a configuration, to be freed by the caller; NULL on failure.
 */
static part
engine_of(const struct cudnn_graph *g, int i)
{
	part engine = NULL;
	int64_t n = 0;

	if (cudnn.create_descriptor(CUDNN_BACKEND_ENGINE_DESCRIPTOR, &engine) !=
	    CUDNN_STATUS_SUCCESS)
		return NULL;
	if (cudnn.get_attribute(g->engines[i], CUDNN_ATTR_ENGINECFG_ENGINE,
		CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &n,
		&engine) == CUDNN_STATUS_SUCCESS)
		return engine;
	cudnn.destroy_descriptor(engine);
	return NULL;
}

int64_t
cudnn_graph_engine(const struct cudnn_graph *g, int i)
{
	part engine = engine_of(g, i);
	int64_t n = 0, number = -1;

	if (engine == NULL)
		return -1;
	(void)cudnn.get_attribute(engine, CUDNN_ATTR_ENGINE_GLOBAL_INDEX,
	    CUDNN_TYPE_INT64, 1, &n, &number);
	cudnn.destroy_descriptor(engine);
	return number;
}

/* Append "_kTYPE=VALUE" for each setting of configuration i. */
static void
add_settings(const struct cudnn_graph *g, int i, char *out, size_t size)
{
	part settings[GRAPH_SETTINGS];
	int64_t n = 0, value = 0, got = 0;
	cudnnBackendKnobType_t type;
	size_t len = strlen(out);
	int made = 0;

	while (made < GRAPH_SETTINGS &&
	    cudnn.create_descriptor(CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR,
		&settings[made]) == CUDNN_STATUS_SUCCESS)
		made++;
	if (cudnn.get_attribute(g->engines[i],
		CUDNN_ATTR_ENGINECFG_KNOB_CHOICES,
		CUDNN_TYPE_BACKEND_DESCRIPTOR, made, &n,
		settings) != CUDNN_STATUS_SUCCESS)
		n = 0;
	for (int k = 0; k < n && k < made; k++) {
		if (cudnn.get_attribute(settings[k],
			CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_TYPE_KNOB_TYPE,
			1, &got, &type) != CUDNN_STATUS_SUCCESS ||
		    cudnn.get_attribute(settings[k],
			CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, CUDNN_TYPE_INT64, 1,
			&got, &value) != CUDNN_STATUS_SUCCESS)
			continue;
		snprintf(out + len, size - len, "_k%d=%lld", (int)type,
		    (long long)value);
		len = strlen(out);
	}
	while (made > 0)
		cudnn.destroy_descriptor(settings[--made]);
}

void
cudnn_graph_tag(const struct cudnn_graph *g, int i, char *out)
{
	snprintf(
	    out, GRAPH_TAG, "eng%lld", (long long)cudnn_graph_engine(g, i));
	add_settings(g, i, out, GRAPH_TAG);
}

/* True if configuration i's engine has a numerical or behaviour note. */
static int
has_note(const struct cudnn_graph *g, int i, cudnnBackendAttributeName_t name,
    cudnnBackendAttributeType_t type, int note)
{
	int notes[32];
	part engine = engine_of(g, i);
	int64_t n = 0;
	int found = 0;

	_Static_assert(sizeof(cudnnBackendNumericalNote_t) == sizeof *notes &&
		sizeof(cudnnBackendBehaviorNote_t) == sizeof *notes,
	    "notes");
	if (engine == NULL)
		return 0;
	(void)cudnn.get_attribute(engine, name, type, 32, &n, notes);
	for (int k = 0; k < n && k < 32; k++)
		found |= notes[k] == note;
	cudnn.destroy_descriptor(engine);
	return found;
}

static int
has_numerical_note(const struct cudnn_graph *g, int i, int note)
{
	return has_note(g, i, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE,
	    CUDNN_TYPE_NUMERICAL_NOTE, note);
}

int
cudnn_graph_compiles(const struct cudnn_graph *g, int i)
{
	return has_note(g, i, CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE,
	    CUDNN_TYPE_BEHAVIOR_NOTE, CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION);
}

int
cudnn_graph_deterministic(const struct cudnn_graph *g, int i)
{
	return !has_numerical_note(g, i, CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC);
}

int
cudnn_graph_rounds(const struct cudnn_graph *g, int i)
{
	return has_numerical_note(g, i, CUDNN_NUMERICAL_NOTE_TENSOR_CORE) ||
	    has_numerical_note(g, i, CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS);
}

int
cudnn_plan_build(const struct cudnn_target *t, const struct cudnn_graph *g,
    int i, struct cudnn_plan *out, struct error *e)
{
	struct cudnn_graph own = {
		0
	}; /* makes create_descriptor() store it here */
	struct graph_maker m = { .g = &own, .e = e };
	int64_t n = 0;

	out->workspace = 0;
	out->plan =
	    create_descriptor(&m, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
	set_part(&m, out->plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG,
	    g->engines[i]);
	if (t->handle != NULL)
		set_attribute(&m, out->plan, CUDNN_ATTR_EXECUTION_PLAN_HANDLE,
		    CUDNN_TYPE_HANDLE, 1, &t->handle);
	else
		set_part(&m, out->plan, CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP,
		    t->described);
	finish_descriptor(&m, out->plan, "plan");
	if (!m.failed)
		m.failed =
		    check_status(cudnn.get_attribute(out->plan,
				     CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE,
				     CUDNN_TYPE_INT64, 1, &n, &out->workspace),
			"workspace", e) != 0;
	if (m.failed) {
		cudnn_plan_release(out);
		return -1;
	}
	return 0;
}

void
cudnn_plan_release(struct cudnn_plan *p)
{
	if (p->plan != NULL)
		cudnn.destroy_descriptor(p->plan);
	p->plan = NULL;
}

/* --- The library ---------------------------------------------------------- */

enum { CUDNN_MIN = 90800 /* first with described GPUs and fused gradients */ };

struct cudnn_calls cudnn;

static const struct shared_library_call calls[] = {
	{ "cudnnGetVersion", &cudnn.version },
	{ "cudnnGetCudartVersion", &cudnn.cudart_version },
	{ "cudnnGetErrorString", &cudnn.error_string },
	{ "cudnnGetLastErrorString", &cudnn.last_error_string },
	{ "cudnnCreate", &cudnn.create },
	{ "cudnnDestroy", &cudnn.destroy },
	{ "cudnnSetStream", &cudnn.set_stream },
	{ "cudnnBackendCreateDescriptor", &cudnn.create_descriptor },
	{ "cudnnBackendDestroyDescriptor", &cudnn.destroy_descriptor },
	{ "cudnnBackendSetAttribute", &cudnn.set_attribute },
	{ "cudnnBackendGetAttribute", &cudnn.get_attribute },
	{ "cudnnBackendFinalize", &cudnn.finalize },
	{ "cudnnBackendExecute", &cudnn.execute },
};

int
cudnn_library_open(struct error *e)
{
	char name[40];
	size_t version;

	snprintf(name, sizeof name, "libcudnn.so.%d", CUDNN_MAJOR);
	if (shared_library_open(
		name, calls, sizeof calls / sizeof calls[0], e) != 0)
		return -1;
	version = cudnn.version();
	if (version < CUDNN_MIN)
		return error_set(e, ERROR_SYSTEM, "cuDNN %zu is older than %d",
		    version, (int)CUDNN_MIN);
	if (version / 10000 != CUDNN_VERSION / 10000)
		return error_set(e, ERROR_SYSTEM,
		    "cuDNN %zu differs in major version from %d, with which "
		    "this program was compiled",
		    version, CUDNN_VERSION);
	/* cuDNN loads cuBLASLt on first use and aborts the process if it is
	 * missing. */
	snprintf(name, sizeof name, "libcublasLt.so.%zu",
	    cudnn.cudart_version() / 1000);
	if (shared_library_open(name, NULL, 0, e) != 0)
		return error_prefix(e, "cuDNN needs cuBLASLt");
	return 0;
}
