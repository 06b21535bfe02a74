/* The trial before a program is planned: the calls of all forms that it can
 * have are timed, fused and single ones, unless the file of engines has their
 * times; then what is fused is chosen by them.  It is made in another process
 * where one can be had, because an engine may fault.  cuda_open_on() begins it;
 * gpu_tune.c times the convolutions. */
#include <config.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/stats/stats.h"
#include "trainer/device/cuda/engines/engine_tuner.h"
#include "trainer/device/cuda/engines/fusion_choice.h"
#include "trainer/device/cuda/gpu/gpu_internal.h"

/* Processes at most; all but the last end by a fault. */
enum { TRIALS_MOST = 8 };

/* Can cuDNN do a fused call? */
struct gpu_answer {
	char signature[ENGINE_WORD];
	int can;
};

/* --- what can be fused, and what is --------------------------------------- */

/* cuDNN is asked once for each kind of call: that takes milliseconds. */
static int
cudnn_can(
    struct gpu_context *k, const struct gpu_program *p, const struct call *c)
{
	struct gpu_answer asked;

	engine_signature(c, asked.signature);
	for (size_t i = 0; i < k->n_answers; i++)
		if (strcmp(k->answers[i].signature, asked.signature) == 0)
			return k->answers[i].can;
	asked.can = cudnn_supports(&k->target, p, c);
	k->answers = vec_grow(
	    k->answers, k->n_answers, &k->alloc_answers, sizeof *k->answers);
	k->answers[k->n_answers++] = asked;
	return asked.can;
}

int
gpu_supports(void *ctx, const struct gpu_program *p, const struct call *c)
{
	struct gpu_context *k = ctx;

	return program_may_fuse(p, c) &&
	    fusion_pays(&k->engines, p, c, k->deterministic) &&
	    cudnn_can(k, p, c);
}

/* A form of the program: what may be fused in it. */
struct trial_form {
	struct gpu_context *context;
	int inputs; /* normalisations and blocks' ends into convolutions */
	int sums;   /* of a convolution's output */
	int back;   /* data gradients with what follows */
	int bias;   /* into convolutions */
};

/* All calls that fusion_pays() compares are in one of these. */
static const struct trial_form forms[] = {
	{ NULL, 1, 1, 1, 0 },
	{ NULL, 0, 1, 0, 0 },
	{ NULL, 0, 0, 0, 0 },
	{ NULL, 0, 0, 0, 1 },
};
enum { N_FORMS = sizeof forms / sizeof forms[0] };

static int
form_supports(void *ctx, const struct gpu_program *p, const struct call *c)
{
	const struct trial_form *f = ctx;
	int wanted = f->inputs;

	if (c->kind == CALL_CONV_DATA)
		wanted = f->back;
	else if (c->biased)
		wanted = f->bias;
	else if (c->kind == CALL_CONV)
		wanted = (f->inputs || c->input == INPUT_PLAIN) &&
		    (f->sums || c->norm[2] < 0);
	return wanted && program_may_fuse(p, c) &&
	    !fusion_failed(
		&f->context->engines, p, c, f->context->deterministic) &&
	    cudnn_can(f->context, p, c);
}

/* The program in form i. */
static void
build_form(struct gpu_context *k, int i, const struct graph *g,
    const struct program_config *plan, struct gpu_program *out)
{
	struct trial_form form = forms[i];
	struct program_config own = *plan;

	form.context = k;
	own.supports = form_supports;
	own.ctx = &form;
	program_build(g, &own, out);
	out->config = *plan; /* form ends here */
}

/* --- what is known -------------------------------------------------------- */

/* The name under which a call's time is kept; 0: it is not wanted. */
static int
wanted_signature(const struct gpu_program *p, const struct call *c, char *out)
{
	if (call_is_conv(c)) {
		engine_signature(c, out);
		return 1;
	}
	return fusion_own_signature(p, c, out);
}

/* Is the call's time wanted, and not known?  Then signature is set. */
static int
is_unknown(const struct gpu_context *k, const struct gpu_program *p,
    const struct device_config *c, const struct call *call, char *signature)
{
	return wanted_signature(p, call, signature) &&
	    engine_cache_find(&k->engines, c->batch, c->precision,
		c->deterministic, signature) == NULL;
}

static int
form_is_known(const struct gpu_context *k, const struct gpu_program *p,
    const struct device_config *c)
{
	char signature[ENGINE_WORD];

	for (int i = 0; i < p->n_calls; i++)
		if (is_unknown(k, p, c, &p->calls[i], signature))
			return 0;
	return 1;
}

/* How many calls have to be timed. */
static int
count_unknown(struct gpu_context *k, const struct graph *g,
    const struct program_config *plan, const struct device_config *c)
{
	struct engine_choice x = { .batch = c->batch,
		.precision = c->precision,
		.deterministic = c->deterministic };
	struct engine_cache unknown; /* each once */
	int n;

	engine_cache_init(&unknown, &k->engines.machine);
	for (int i = 0; i < N_FORMS; i++) {
		struct gpu_program p;

		build_form(k, i, g, plan, &p);
		for (int m = 0; m < p.n_calls; m++)
			if (is_unknown(k, &p, c, &p.calls[m], x.signature))
				engine_cache_put(&unknown, &x);
		program_release(&p);
	}
	n = (int)unknown.n;
	engine_cache_release(&unknown);
	return n;
}

/* --- in this process ------------------------------------------------------ */

/* The milliseconds of one run, the GPU's cache written over before. */
static int
run_own(struct gpu *g, const struct call *c, cudaEvent_t *at, double *ms,
    struct error *e)
{
	const struct executor_step train = { .mode = MODE_TRAIN };
	float x = 0;

	kernel_fill_random(g->stream, g->flush, g->flush_bytes);
	if (gpu_check(cudaEventRecord(at[0], g->stream), "event", e) != 0 ||
	    g->base.ops->run(&g->base, c, &train, e) != 0 ||
	    gpu_check(cudaEventRecord(at[1], g->stream), "event", e) != 0 ||
	    gpu_check(cudaEventSynchronize(at[1]), "event", e) != 0 ||
	    gpu_check(cudaEventElapsedTime(&x, at[0], at[1]), "event", e) != 0)
		return -1;
	*ms = (double)x;
	return 0;
}

/* Microseconds of one of our own calls: the least median of as many rounds as
 * the best engines get; one run before warms up. */
static int
time_own(struct gpu *g, const struct call *c, cudaEvent_t *at, double *us,
    struct error *e)
{
	double ms[TUNE_TIMES];

	if (run_own(g, c, at, &ms[0], e) != 0)
		return -1;
	for (int round = 0; round <= TUNE_ROUNDS; round++) {
		double median;

		for (int i = 0; i < TUNE_TIMES; i++)
			if (run_own(g, c, at, &ms[i], e) != 0)
				return -1;
		median = 1e3 * stats_median(ms, TUNE_TIMES);
		if (round == 0 || median < *us)
			*us = median;
	}
	return 0;
}

/* Time those of the executor's own calls that are wanted. */
static int
time_own_calls(struct gpu *g, cudaEvent_t *at, struct error *e)
{
	const struct gpu_program *p = g->base.program;
	const struct device_config *c = g->base.config;
	struct engine_choice own = { .batch = c->batch,
		.precision = c->precision,
		.deterministic = c->deterministic,
		.engine = ENGINE_OWN };

	for (int i = 0; i < p->n_calls; i++) {
		if (call_is_conv(&p->calls[i]) ||
		    !is_unknown(g->context, p, c, &p->calls[i], own.signature))
			continue;
		if (time_own(g, &p->calls[i], at, &own.us, e) != 0)
			return -1;
		engine_cache_put(&g->context->engines, &own);
		gpu_note_measured(g->context, c);
	}
	return 0;
}

static int
time_own_kernels(struct executor *m, struct error *e)
{
	struct gpu *g = gpu(m);
	cudaEvent_t at[2] = { NULL, NULL };
	int rc = 0;

	gpu_open_flush(g);
	for (int i = 0; i < 2 && rc == 0; i++)
		rc = gpu_check(cudaEventCreate(&at[i]), "event", e);
	if (rc == 0)
		rc = time_own_calls(g, at, e);
	for (int i = 0; i < 2; i++)
		if (at[i] != NULL)
			(void)cudaEventDestroy(at[i]);
	gpu_close_flush(g);
	gpu_write_engines(g->context, g->base.config);
	return rc;
}

/* Opening an executor times its convolutions. */
static int
time_form(const struct executor_kind *kind, struct gpu_context *k,
    const struct gpu_program *p, const struct device_config *c, struct error *e)
{
	struct executor *m = NULL;
	int rc;

	if (kind->open(k, p, c, &m, e) != 0)
		return -1;
	rc = time_own_kernels(m, e);
	m->ops->close(m);
	return rc;
}

/* Time form i, again without a fused call that failed. */
static int
trial_form(const struct executor_kind *kind, struct gpu_context *k, int i,
    const struct graph *g, const struct program_config *plan,
    const struct device_config *c, struct error *e)
{
	size_t before;
	int rc;

	do {
		struct gpu_program p;

		before = k->engines.n;
		build_form(k, i, g, plan, &p);
		rc = form_is_known(k, &p, c) ? 0 : time_form(kind, k, &p, c, e);
		program_release(&p);
	} while (rc != 0 && k->engines.n > before);
	return rc;
}

/* A form that cannot be timed, for want of memory say, is none to choose. */
static void
trial_here(const struct executor_kind *kind, struct gpu_context *k,
    const struct graph *g, const struct program_config *plan,
    const struct device_config *c)
{
	for (int i = 0; i < N_FORMS; i++) {
		struct error why = ERROR_INIT;

		if (trial_form(kind, k, i, g, plan, c, &why) == 0)
			continue;
		error_prefix(&why, "a form of the step was not timed");
		gpu_note(c, why.message);
	}
	if (k->n_first > 0) {
		char *words = xasprintf("the trial of engines took its %d s: "
					"%d of %d calls have cuDNN's first "
					"proposal",
		    (int)TRIAL_SECONDS, k->n_first, k->n_wanted);

		gpu_note(c, words);
		free(words);
	}
}

/* --- in another process --------------------------------------------------- */

/* Is a mark that a process left a fault of engines?  Only if a fault ended the
 * process: not if it ended by itself, well or with an error, because they could
 * not be timed for want of memory say, nor if someone ended it. */
static int
is_fault(int status)
{
	static const int faults[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT,
		SIGSYS, SIGTRAP };

	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
		if (status == 128 + faults[i])
			return 1;
	return 0;
}

static void
note_mark(
    const struct device_config *c, const struct engine_choice *x, int status)
{
	char *words = status != 0
	    ? xasprintf("cuDNN's engines for %s ended the process that timed "
			"them (status %d); the first proposal is taken",
		  x->signature, status)
	    : xasprintf("cuDNN's engines for %s could not be timed; the next "
			"run tries again",
		  x->signature);

	gpu_note(c, words);
	free(words);
}

/* What the other process added to the file.  Returns how many convolutions it
 * ended at by a fault: 0 or 1. */
static int
take_file(struct gpu_context *k, const struct device_config *c,
    const char *path, int status)
{
	struct engine_cache found;
	struct error ignored = ERROR_INIT;
	int n = 0;

	engine_cache_init(&found, &k->engines.machine);
	(void)engine_cache_read(&found, path, &ignored);
	for (size_t i = 0; i < found.n; i++) {
		const struct engine_choice *x = &found.choices[i];
		const int marked = strcmp(x->engine, ENGINE_FAULTED) == 0;

		if (engine_cache_find(&k->engines, x->batch, x->precision,
			x->deterministic, x->signature) != NULL)
			continue;
		if (marked && (status == 0 || is_fault(status)))
			note_mark(c, x, status);
		if (marked && !is_fault(status))
			continue;
		n += marked;
		engine_cache_put(&k->engines, x);
	}
	engine_cache_release(&found);
	return n;
}

/* Have engines timed into the file; after a fault, the rest by a new process.
 * Returns -1 if none could be started. */
static int
trial_to_file(
    struct gpu_context *k, const struct device_config *c, const char *path)
{
	struct error why = ERROR_INIT;
	int status = 0, again = 1;

	for (int i = 0; again && i < TRIALS_MOST; i++) {
		if (engine_cache_write(&k->engines, path, &why) != 0)
			return -1;
		status = c->engine_trial(c->engine_trial_ctx, path, &why);
		if (status < 0)
			return -1;
		again = take_file(k, c, path, status) > 0;
	}
	if (status != 0) {
		error_prefix(&why,
		    "not all of cuDNN's engines were measured, its first "
		    "proposals are taken");
		gpu_note(c, why.message);
	}
	k->measures = 0;
	k->engines.changed = 1; /* since the run's own file was read */
	return 0;
}

static int
trial_outside(struct gpu_context *k, const struct device_config *c)
{
	const char *tmp = getenv("TMPDIR");
	char *path = xasprintf("%s/dlscale-engines-XXXXXX",
	    tmp != NULL && tmp[0] == '/' ? tmp : "/tmp");
	const int fd = mkstemp(path);
	int rc = -1;

	if (fd >= 0) {
		close(fd);
		rc = trial_to_file(k, c, path);
		(void)unlink(path);
	}
	free(path);
	return rc;
}

/* Without times all is fused that can be: but what gives equal bytes, if they
 * are wanted, is found out when it runs. */
static void
check_fused(const struct executor_kind *kind, struct gpu_context *k,
    const struct graph *g, const struct program_config *plan,
    const struct device_config *c)
{
	struct error why = ERROR_INIT;
	size_t before;
	int rc;

	do {
		struct gpu_program p;
		struct executor *m = NULL;

		before = k->engines.n;
		build_form(k, 0, g, plan, &p);
		rc = kind->open(k, &p, c, &m, &why);
		if (rc == 0)
			m->ops->close(m);
		program_release(&p);
	} while (rc != 0 && k->engines.n > before);
}

void
gpu_trial(const struct executor_kind *kind, void *ctx, const struct graph *g,
    const struct program_config *plan, const struct device_config *c)
{
	struct gpu_context *k = ctx;
	char *words;

	if (!k->measures) {
		if (c->deterministic)
			check_fused(kind, k, g, plan, c);
		return;
	}
	k->n_wanted = count_unknown(k, g, plan, c);
	if (k->n_wanted == 0)
		return;
	if (!c->engine_marks) { /* else the process that started this one did */
		words = xasprintf(
		    "measuring cuDNN's engines; this takes up to %d s",
		    (int)TRIAL_SECONDS);
		gpu_note(c, words);
		free(words);
	}
	if (c->engine_trial == NULL || trial_outside(k, c) != 0)
		trial_here(kind, k, g, plan, c);
}
