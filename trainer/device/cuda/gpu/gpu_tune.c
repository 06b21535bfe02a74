/* Convolutions through cuDNN: their addresses and engines. An engine comes from
 * the file of measured engines, from measuring now, or is the heuristic's first
 * proposal. A fused data gradient is also timed against the single calls that
 * it replaces. */
#include <config.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/process.h"
#include "trainer/device/cuda/engines/engine_cache.h"
#include "trainer/device/cuda/gpu/gpu_internal.h"

enum { NOTE_EVERY = 3 /* seconds between notes on progress */ };

/* A convolution whose candidates are timed. */
struct tuning {
	struct gpu *g;
	const struct call *call, *after; /* after: timed with call, or NULL */
	struct prepared *p;
	int n, index[TUNE_MAX]; /* index: configurations of the graph */
	int64_t engine[TUNE_MAX];
	struct cudnn_plan plans[TUNE_MAX];
};

/* --- a convolution with its addresses ------------------------------------- */

static void
all_addresses(const struct gpu *g, const struct call *c, void **at_role)
{
	at_role[ROLE_W] = gpu_weight(g, c, 0);
	if (c->kind == CALL_CONV_DATA) {
		at_role[ROLE_Y] = gpu_at(g, c->in[0]);
		at_role[ROLE_DX] = gpu_at(g, c->out[0]);
	} else {
		at_role[ROLE_X] = gpu_at(g, c->in[0]);
		at_role[ROLE_DW] = gpu_weight(g, c, 1);
		at_role[ROLE_Y] =
		    gpu_at(g, c->kind == CALL_CONV ? c->out[0] : c->in[1]);
	}
	if (call_is_fused(c)) {
		const int norm = c->norm[0];
		const struct node *n = g->base.program->norms[norm].node;
		const struct norm_vectors v = gpu_vectors(g, norm);

		at_role[ROLE_SUM] = v.sum;
		at_role[ROLE_SQUARES] = v.squares;
		at_role[ROLE_ADDED] = gpu_at(g, c->in[1]);
		at_role[ROLE_RAW] = gpu_at(g, c->in[2]);
		at_role[ROLE_SECOND] = gpu_at(g, c->in[3]);
		at_role[ROLE_MEAN] = v.mean;
		at_role[ROLE_INVSTD] = v.invstd;
		at_role[ROLE_GAMMA] = gpu_param(g, AREA_PARAMS, n->weight);
		at_role[ROLE_BETA] = gpu_param(g, AREA_PARAMS, n->bias);
		at_role[ROLE_GAMMA_GRAD] = gpu_param(g, AREA_GRADS, n->weight);
		at_role[ROLE_BETA_GRAD] = gpu_param(g, AREA_GRADS, n->bias);
		/* Vectors that the backward pass does not use. */
		at_role[ROLE_UNUSED] = v.sum;
		at_role[ROLE_UNUSED_B] = v.squares;
		at_role[ROLE_UNUSED_C] = v.shift;
	}
}

/* Addresses never change, so they are bound once. */
int
gpu_bind(
    struct gpu *g, const struct call *c, struct prepared *p, struct error *e)
{
	void *at_role[N_ROLES] = { NULL }, *pointers[N_ROLES];
	int64_t ids[N_ROLES];
	int64_t n = 0;
	cudnnStatus_t s;

	all_addresses(g, c, at_role);
	for (int r = 0; r < N_ROLES; r++)
		if (p->graph.used[r]) {
			ids[n] = r + 1;
			pointers[n++] = at_role[r];
		}
	s = cudnn.create_descriptor(
	    CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, &p->addresses);
	if (s == CUDNN_STATUS_SUCCESS)
		s = cudnn.set_attribute(p->addresses,
		    CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, n,
		    ids);
	if (s == CUDNN_STATUS_SUCCESS)
		s = cudnn.set_attribute(p->addresses,
		    CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR,
		    n, pointers);
	if (s == CUDNN_STATUS_SUCCESS)
		s = cudnn.set_attribute(p->addresses,
		    CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1,
		    &g->workspace);
	if (s == CUDNN_STATUS_SUCCESS)
		s = cudnn.finalize(p->addresses);
	return gpu_check_cudnn(s, "addresses", e);
}

int
gpu_execute(struct gpu *g, const struct call *c, const struct prepared *p,
    struct error *e)
{
	return gpu_check_cudnn(
	    cudnn.execute(g->target->handle, p->plan.plan, p->addresses),
	    c->node->name, e);
}

void
gpu_note(const struct device_config *c, const char *fmt, ...)
{
	char message[4096];
	va_list args;

	if (c->note == NULL)
		return;
	va_start(args, fmt);
	vsnprintf(message, sizeof message, fmt, args);
	va_end(args);
	c->note(c->note_ctx, message);
}

/* Note progress, unless the last note is less than `after` seconds old. */
static void
note_measured(
    struct gpu_context *k, const struct device_config *c, double after)
{
	const double now = seconds_now();

	if (k->started <= 0 || now - k->noted < after)
		return;
	k->noted = now;
	gpu_note(c,
	    "cuDNN's engines: %d convolutions measured in %.0f of up to %d s",
	    k->n_measured, now - k->started, (int)TRIAL_SECONDS);
}

/* --- candidates ----------------------------------------------------------- */

/* Exclude tensor cores in fp32, since they round operands to TF32, and
 * nondeterministic engines if equal runs must give equal bytes. */
static int
is_allowed(const struct gpu *g, const struct cudnn_graph *graph, int i)
{
	const struct device_config *c = g->base.config;

	return !(c->precision == DTYPE_FP32 && cudnn_graph_rounds(graph, i)) &&
	    (!c->deterministic || cudnn_graph_deterministic(graph, i));
}

/* Find the configurations that may be used. Engines compiled at run time, which
 * takes a second each, are candidates only if there are no others. */
static void
find_candidates(struct tuning *t)
{
	const struct cudnn_graph *graph = &t->p->graph;

	t->n = 0;
	for (int compiled = 0; compiled < 2 && t->n == 0; compiled++)
		for (int i = 0; i < graph->n_engines && t->n < TUNE_MAX; i++)
			if (cudnn_graph_compiles(graph, i) == compiled &&
			    is_allowed(t->g, graph, i)) {
				t->engine[t->n] = cudnn_graph_engine(graph, i);
				t->index[t->n++] = i;
			}
}

/* Build the plan of configuration i. */
static int
build_plan(const struct gpu *g, const struct prepared *p, int i,
    struct cudnn_plan *plan, struct error *e)
{
	if (cudnn_plan_build(g->target, &p->graph, i, plan, e) != 0)
		return -1;
	if (plan->workspace <= (int64_t)g->workspace_limit_mib << 20)
		return 0;
	error_set(e, ERROR_LIMIT, "it needs %lld bytes of workspace",
	    (long long)plan->workspace);
	cudnn_plan_release(plan);
	return -1;
}

/* --- timing --------------------------------------------------------------- */

static int
tuning_prepare(void *ctx, int k, struct error *e)
{
	struct tuning *t = ctx;

	return build_plan(t->g, t->p, t->index[k], &t->plans[k], e);
}

/* Ensure a workspace of at least `bytes` bytes. */
static int
grow_workspace(struct gpu *g, size_t bytes, struct error *e)
{
	void *p = NULL;

	if (bytes <= g->workspace_bytes && g->workspace != NULL)
		return 0;
	if (gpu_check(cudaStreamSynchronize(g->stream), "workspace", e) != 0)
		return -1;
	(void)cudaFree(g->workspace);
	g->workspace = NULL;
	g->workspace_bytes = 0;
	if (cudaMalloc(&p, bytes > 0 ? bytes : 1) != cudaSuccess) {
		(void)cudaGetLastError();
		return error_set(e, ERROR_LIMIT,
		    "no memory for %zu bytes of workspace", bytes);
	}
	g->workspace = p;
	g->workspace_bytes = bytes;
	return 0;
}

/* Run a convolution, prepared as p, and the call after it n <= TUNE_TIMES times
 * and set seconds[n]. Queue all runs before waiting, so that launches on the
 * host overlap with work on the GPU. */
static int
time_runs(const struct tuning *t, const struct prepared *p, int n,
    double *seconds, struct error *e)
{
	struct gpu *g = t->g;
	cudaEvent_t at[TUNE_TIMES][2] = { { NULL, NULL } };
	int rc = 0;

	/* Overwrite the GPU's cache before each run: in a step operands come
	 * from memory, and an engine that is fast only from the cache must not
	 * win. */
	for (int i = 0; i < n && rc == 0; i++) {
		for (int k = 0; k < 2 && rc == 0; k++)
			rc = gpu_check(cudaEventCreate(&at[i][k]), "event", e);
		if (rc != 0)
			break;
		kernel_fill_random(g->stream, g->flush, g->flush_bytes);
		rc =
		    gpu_check(cudaEventRecord(at[i][0], g->stream), "event", e);
		if (rc == 0)
			rc = gpu_execute(g, t->call, p, e);
		if (rc == 0 && t->after != NULL)
			rc = gpu_run(&g->base, t->after, MODE_TRAIN, e);
		if (rc == 0)
			rc = gpu_check(
			    cudaEventRecord(at[i][1], g->stream), "event", e);
	}
	if (rc == 0)
		rc = gpu_check(cudaStreamSynchronize(g->stream), "call", e);
	for (int i = 0; i < n; i++) {
		float ms = 0;

		if (rc == 0)
			rc = gpu_check(
			    cudaEventElapsedTime(&ms, at[i][0], at[i][1]),
			    "event", e);
		seconds[i] = 1e-3 * (double)ms;
		for (int k = 0; k < 2; k++)
			if (at[i][k] != NULL)
				(void)cudaEventDestroy(at[i][k]);
	}
	return rc;
}

static int
tuning_time(void *ctx, int k, int n, double *seconds, struct error *e)
{
	struct tuning *t = ctx;
	struct prepared p = *t->p; /* with the candidate's plan */
	int rc;

	p.plan = t->plans[k];
	p.addresses = NULL;
	rc = grow_workspace(t->g, (size_t)p.plan.workspace, e);
	if (rc == 0)
		rc = gpu_bind(t->g, t->call, &p, e);
	if (rc == 0)
		rc = time_runs(t, &p, n, seconds, e);
	if (p.addresses != NULL)
		cudnn.destroy_descriptor(p.addresses);
	return rc;
}

static int
trial_is_over(const struct gpu_context *k)
{
	return k->started > 0 && seconds_now() - k->started > TRIAL_SECONDS;
}

static int
tuning_is_over(void *ctx)
{
	const struct tuning *t = ctx;

	return trial_is_over(t->g->context);
}

/* Fill all memory that a convolution may read or write with realistic numbers,
 * since zeros would let the GPU run faster; or clear it again. */
static int
fill_memory(struct gpu *g, int zeros, struct error *e)
{
	const struct gpu_program *p = g->base.program;
	const size_t arena = p->graph->arena_size * sizeof(float);
	const size_t work = p->n_work * dtype_size(p->config.type);
	const struct {
		void *at;
		size_t bytes;
	} regions[] = {
		{ g->areas[AREA_PARAMS], arena },
		{ g->areas[AREA_GRADS], arena },
		{ g->work, work },
		{ g->work_grad, work },
		{ g->vectors, p->n_vectors * sizeof(float) },
		{ g->block, p->memory.bytes },
	};

	for (size_t i = 0; i < sizeof regions / sizeof regions[0]; i++)
		if (!zeros)
			kernel_fill_random(
			    g->stream, regions[i].at, regions[i].bytes);
		else if (gpu_check(cudaMemsetAsync(regions[i].at, 0,
				       regions[i].bytes, g->stream),
			     "clear", e) != 0)
			return -1;
	g->filled = !zeros;
	return 0;
}

/* Before the first measurement: fill all memory and, if possible, allocate a
 * buffer of twice the GPU's cache, which is overwritten between timed runs. */
static void
start_trial(struct gpu *g)
{
	struct gpu_context *k = g->context;
	struct error ignored = ERROR_INIT;
	struct cudaDeviceProp p;
	int device = 0;

	if (k->started <= 0) {
		gpu_note(g->base.config,
		    "measuring cuDNN's engines; this takes up to %d s",
		    (int)TRIAL_SECONDS);
		k->started = k->noted = seconds_now();
	}
	if (g->filled)
		return;
	(void)fill_memory(g, 0, &ignored);
	if (cudaGetDevice(&device) != cudaSuccess ||
	    cudaGetDeviceProperties(&p, device) != cudaSuccess ||
	    p.l2CacheSize <= 0)
		return;
	g->flush_bytes = 2 * (size_t)p.l2CacheSize;
	if (cudaMalloc(&g->flush, g->flush_bytes) == cudaSuccess)
		return;
	(void)cudaGetLastError();
	g->flush = NULL;
	g->flush_bytes = 0;
}

/* Time the n candidates, take the best and set *us. */
static int
measure_candidates(struct tuning *t, double *us, struct error *e)
{
	const struct tune_task task = { .n = t->n,
		.engine = t->engine,
		.prepare = tuning_prepare,
		.time = tuning_time,
		.is_over = tuning_is_over,
		.ctx = t };
	double seconds;
	int best;

	start_trial(t->g);
	best = tune(&task, &seconds, e);
	if (best >= 0) {
		cudnn_plan_release(&t->p->plan);
		t->p->engine = t->index[best];
		t->p->plan = t->plans[best];
		t->plans[best].plan = NULL;
		*us = 1e6 * seconds;
	}
	for (int i = 0; i < t->n; i++)
		cudnn_plan_release(&t->plans[i]);
	return best >= 0 ? 0 : -1;
}

/* --- the choice ----------------------------------------------------------- */

/* Take the configuration named in the file. */
static int
take_known(struct gpu *g, struct prepared *p, const struct engine_choice *known)
{
	struct error ignored = ERROR_INIT;
	char tag[GRAPH_TAG];

	for (int more = 0; more < 2; more++) {
		for (int i = 0; i < p->graph.n_engines; i++) {
			cudnn_graph_tag(&p->graph, i, tag);
			if (strcmp(tag, known->engine) != 0)
				continue;
			p->engine = i;
			return is_allowed(g, &p->graph, i)
			    ? build_plan(g, p, i, &p->plan, &ignored)
			    : -1;
		}
		if (more == 0)
			cudnn_graph_more(g->target, &p->graph);
	}
	return -1;
}

/* Take the first candidate that works. */
static int
take_first(struct tuning *t, struct error *e)
{
	struct error why = ERROR_INIT;

	find_candidates(t);
	if (t->n == 0) {
		cudnn_graph_more(t->g->target, &t->p->graph);
		find_candidates(t);
	}
	error_set(&why, ERROR_SYSTEM, "cuDNN has no engine that is allowed");
	for (int k = 0; k < t->n; k++) {
		t->p->engine = t->index[k];
		if (build_plan(t->g, t->p, t->index[k], &t->p->plan, &why) == 0)
			return 0;
	}
	*e = why;
	return -1;
}

static int
choose_plan(
    struct gpu *g, const struct call *c, struct prepared *p, struct error *e)
{
	const struct device_config *config = g->base.config;
	struct gpu_context *k = g->context;
	struct tuning t = { .g = g, .call = c, .p = p };
	const struct engine_choice *known;
	struct engine_choice made = { .batch = config->batch,
		.precision = config->precision,
		.deterministic = config->deterministic,
		.engine = ENGINE_NONE };
	int rc, none;

	engine_signature(c, made.signature);
	known = engine_cache_find(&k->engines, &made);
	if (known != NULL && take_known(g, p, known) == 0)
		return 0;
	if (k->measures) {
		k->n_first += trial_is_over(k);
		cudnn_graph_more(g->target, &p->graph);
		find_candidates(&t);
		rc = measure_candidates(&t, &made.us, e);
		p->us = made.us;
		if (rc == 0)
			cudnn_graph_tag(&p->graph, p->engine, made.engine);
		k->n_measured++;
		note_measured(k, config, NOTE_EVERY);
	} else {
		rc = take_first(&t, e);
	}
	/* A fused call without a usable engine is recorded: the program is
	 * planned again with single calls. Lack of memory is not: it may be
	 * temporary. */
	none = rc != 0 && call_is_fused(c) && e->code != ERROR_LIMIT;
	k->plan_again |= none;
	if (none || (rc == 0 && k->measures))
		engine_cache_put(&k->engines, &made);
	return rc == 0 ? 0
		       : error_prefix(e, "no plan for %s '%s'",
			     call_kind_name(c->kind), c->node->name);
}

/* Time the single calls that fused data gradient i replaces, if the trial's
 * time allows: the convolution with its best engine, then our reduction. If
 * they are faster, record that and have the program planned again. */
static void
compare_single_calls(struct gpu *g, int i)
{
	const struct call *c = &g->base.program->calls[i];
	struct call plain = *c, reduce = *c;
	struct engine_choice none = { .batch = g->base.config->batch,
		.precision = g->base.config->precision,
		.engine = ENGINE_NONE };
	struct prepared p = { .engine = 0 };
	struct tuning t = { g, .call = &plain, .after = &reduce, .p = &p };
	struct error ignored = ERROR_INIT;

	if (c->kind != CALL_CONV_DATA || !call_is_fused(c) ||
	    g->prepared[i].us <= 0 || trial_is_over(g->context))
		return;
	for (int k = 1; k < CALL_IN; k++)
		plain.in[k] = MEMORY_PLAN_NONE;
	plain.norm[0] = -1;
	/* A block's end is masked by its output, which has in[3]'s shape. */
	reduce.kind = CALL_NORM_REDUCE;
	reduce.in[0] = c->out[0];
	reduce.relu = 1;
	if (cudnn_graph_build(
		g->target, g->base.program, &plain, &p.graph, &ignored) == 0 &&
	    choose_plan(g, &plain, &p, &ignored) == 0) {
		t.index[t.n++] = p.engine;
		if (measure_candidates(&t, &none.us, &ignored) == 0 &&
		    none.us < g->prepared[i].us) {
			engine_signature(c, none.signature);
			engine_cache_put(&g->context->engines, &none);
			g->context->plan_again = 1;
		}
	}
	cudnn_plan_release(&p.plan);
	cudnn_graph_release(&p.graph);
}

/* Fused engines exist only in fp16. They sum up channels, which is not
 * deterministic although cuDNN does not say so: of 14,095 engines that
 * test_cuda_repeat ran five times on an H200 (cuDNN 9.14), 276 gave differing
 * results, all of this kind. A query takes milliseconds: answers are cached. */
int
gpu_supports(void *ctx, const struct gpu_program *p, const struct call *c)
{
	struct gpu_context *k = ctx;
	struct engine_choice key = { .batch = p->config.batch,
		.precision = p->config.type };
	const struct engine_choice *known;

	if (p->config.type != DTYPE_FP16 || k->deterministic)
		return 0;
	engine_signature(c, key.signature);
	known = engine_cache_find(&k->engines, &key);
	if (known != NULL)
		return strcmp(known->engine, ENGINE_NONE) != 0;
	known = engine_cache_find(&k->answers, &key);
	if (known != NULL)
		return known->us > 0;
	key.us = cudnn_supports(&k->target, p, c);
	engine_cache_put(&k->answers, &key);
	return key.us > 0;
}

int
gpu_read_engines(
    struct gpu_context *k, const struct device_config *c, struct error *e)
{
	struct engine_machine m;
	struct error why = ERROR_INIT;
	struct strbuf path = STRBUF_INIT(4096);
	struct cudaDeviceProp p;
	int device = 0;

	if (gpu_check(cudaGetDevice(&device), "device", e) != 0 ||
	    gpu_check(cudaGetDeviceProperties(&p, device), "device", e) != 0)
		return -1;
	/* Choices are valid for this machine. */
	memset(&m, 0, sizeof m);
	m.cudnn = (long)cudnn.version();
	m.major = p.major;
	m.minor = p.minor;
	m.multiprocessors = p.multiProcessorCount;
	snprintf(m.name, sizeof m.name, "%.255s", p.name);
	engine_cache_init(&k->engines, &m);
	if (c->engine_cache != NULL && c->engine_cache[0] != '\0')
		strbuf_addstr(&path, c->engine_cache);
	else if (c->engine_cache != NULL)
		engine_cache_path(&m, &path);
	if (path.len > 0)
		k->engine_file = xstrdup(path.buf);
	strbuf_release(&path);
	k->deterministic = c->deterministic;
	/* Without a file two runs could choose different engines. */
	k->measures =
	    !c->engine_guess && (!c->deterministic || k->engine_file != NULL);
	if (k->engine_file != NULL &&
	    engine_cache_read(&k->engines, k->engine_file, &why) != 0)
		gpu_note(c, "%s", why.message);
	if (!k->measures) {
		free(k->engine_file);
		k->engine_file = NULL;
	}
	return 0;
}

void
gpu_write_engines(struct gpu_context *k, const struct device_config *c)
{
	struct error why = ERROR_INIT;

	if (k->engine_file == NULL || !k->engines.changed ||
	    engine_cache_write(&k->engines, k->engine_file, &why) == 0)
		return;
	gpu_note(c, "%s", why.message);
	free(k->engine_file); /* noted once */
	k->engine_file = NULL;
}

/* --- all convolutions of a program ---------------------------------------- */

int
gpu_prepare_convs(struct gpu *g, struct error *e)
{
	const struct gpu_program *p = g->base.program;
	const struct device_config *c = g->base.config;
	struct gpu_context *k = g->context;
	int rc = 0;

	g->prepared = xcalloc((size_t)p->n_calls + 1, sizeof *g->prepared);
	for (int i = 0; i < p->n_calls && rc == 0; i++) {
		struct prepared *one = &g->prepared[i];

		if (!call_is_conv(&p->calls[i]))
			continue;
		rc = cudnn_graph_build(
		    g->target, p, &p->calls[i], &one->graph, e);
		if (rc == 0)
			rc = choose_plan(g, &p->calls[i], one, e);
	}
	for (int i = 0; i < p->n_calls && rc == 0; i++)
		compare_single_calls(g, i);
	if (rc != 0 || k->plan_again) {
		gpu_write_engines(k, c);
		return -1;
	}
	note_measured(k, c, 0);
	if (k->n_first > 0)
		gpu_note(c,
		    "the trial of engines took its %d s: %d of them have "
		    "cuDNN's first proposal",
		    (int)TRIAL_SECONDS, k->n_first);
	gpu_write_engines(k, c);
	if ((g->filled && fill_memory(g, 1, e) != 0) ||
	    gpu_check(cudaStreamSynchronize(g->stream), "clear", e) != 0)
		return -1;
	(void)cudaFree(g->workspace);
	g->workspace = NULL;
	g->workspace_bytes = 0;
	for (int i = 0; i < p->n_calls; i++) {
		const size_t bytes = (size_t)g->prepared[i].plan.workspace;

		if (bytes > g->workspace_bytes)
			g->workspace_bytes = bytes;
	}
	return 0;
}

int
gpu_bind_convs(struct gpu *g, struct error *e)
{
	const struct gpu_program *p = g->base.program;

	for (int i = 0; i < p->n_calls; i++)
		if (call_is_conv(&p->calls[i]) &&
		    gpu_bind(g, &p->calls[i], &g->prepared[i], e) != 0)
			return -1;
	return 0;
}

void
gpu_release_convs(struct gpu *g)
{
	for (int i = 0; g->prepared != NULL && i < g->base.program->n_calls;
	     i++) {
		struct prepared *p = &g->prepared[i];

		if (p->addresses != NULL)
			cudnn.destroy_descriptor(p->addresses);
		cudnn_plan_release(&p->plan);
		cudnn_graph_release(&p->graph);
	}
	free(g->prepared);
}
