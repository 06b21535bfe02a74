/* Trial before a program is planned: time the calls of all forms that the
 * program can have, fused and single, unless the file of engines has them. The
 * planner decides on fusion by these times. The trial runs in another process
 * if possible, because an engine may crash. */
#include <config.h>

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/stats/stats.h"
#include "trainer/device/cuda/engines/engine_tuner.h"
#include "trainer/device/cuda/gpu/gpu_internal.h"

enum { TRIALS_MOST = 8 /* processes; each one but the last crashes */ };

/* Parameters of a trial. */
struct program_trial {
	struct gpu_context *context;
	const struct graph *graph;
	const struct program_config *plan;
	const struct device_config *config;
};

/* --- fused calls ---------------------------------------------------------- */

/* True if the convolution also sums up channels. Such engines are
 * nondeterministic without a note by cuDNN: of 14,095 engines that
 * test_cuda_repeat ran five times on an H200 (cuDNN 9.14), results of 276
 * differed, all of this kind. */
static int
sums_alongside(const struct call *c)
{
	return (c->kind == CALL_CONV && c->norm[2] >= 0) ||
	    (c->kind == CALL_CONV_DATA && c->norm[0] >= 0);
}

/* True if cuDNN supports a fused call. A query takes milliseconds, so answers
 * are cached. */
static int
cudnn_can(
    struct gpu_context *k, const struct gpu_program *p, const struct call *c)
{
	struct engine_choice answer = { .engine = "" };
	const struct engine_choice *known;

	if (k->deterministic && sums_alongside(c))
		return 0;
	engine_signature(c, answer.signature);
	known = engine_cache_find(&k->answers, &answer);
	if (known != NULL)
		return known->us > 0;
	answer.us = cudnn_supports(&k->target, p, c);
	engine_cache_put(&k->answers, &answer);
	return answer.us > 0;
}

int
gpu_supports(void *ctx, const struct gpu_program *p, const struct call *c)
{
	struct gpu_context *k = ctx;

	return program_may_fuse(p, c) &&
	    fusion_pays(&k->engines, p, c, k->deterministic) &&
	    cudnn_can(k, p, c);
}

/* Forms of the program, by what may be fused. They contain all calls that
 * fusion_pays() compares. */
static const struct trial_form {
	int inputs; /* normalisations and blocks' ends into inputs */
	int sums;   /* sums of a convolution's output */
	int back;   /* data gradients with the calls that follow */
	int bias;   /* bias into convolutions */
} forms[] = {
	{ 1, 1, 1, 0 },
	{ 0, 1, 0, 0 },
	{ 0, 0, 0, 0 },
	{ 0, 0, 0, 1 },
};
enum { N_FORMS = sizeof forms / sizeof forms[0] };

/* ctx of form_supports(). */
struct form_context {
	struct gpu_context *context;
	const struct trial_form *form;
};

static int
form_supports(void *ctx, const struct gpu_program *p, const struct call *c)
{
	const struct form_context *x = ctx;
	const struct trial_form *f = x->form;
	struct gpu_context *k = x->context;
	int wanted = f->inputs;

	if (c->kind == CALL_CONV_DATA)
		wanted = f->back;
	else if (c->biased)
		wanted = f->bias;
	else if (c->kind == CALL_CONV)
		wanted = (f->inputs || c->input == INPUT_PLAIN) &&
		    (f->sums || c->norm[2] < 0);
	return wanted && program_may_fuse(p, c) &&
	    !fusion_failed(&k->engines, p, c, k->deterministic) &&
	    cudnn_can(k, p, c);
}

/* Build the program in form i. */
static void
build_form(const struct program_trial *t, int i, struct gpu_program *out)
{
	struct form_context ctx = { t->context, &forms[i] };
	struct program_config own = *t->plan;

	own.supports = form_supports;
	own.ctx = &ctx;
	program_build(t->graph, &own, out);
	out->config = *t->plan; /* without ctx, which ends here */
}

/* --- what is known -------------------------------------------------------- */

/* Set x to the call's key. True if the call must be timed. */
static int
is_unknown(const struct program_trial *t, const struct gpu_program *p,
    const struct call *call, struct engine_choice *x)
{
	const struct device_config *c = t->config;

	if (call_is_conv(call))
		engine_signature(call, x->signature);
	else if (!fusion_own_signature(p, call, x->signature))
		return 0;
	x->batch = c->batch;
	x->precision = c->precision;
	x->deterministic = c->deterministic;
	return engine_cache_find(&t->context->engines, x) == NULL;
}

/* Add the calls of a form that must be timed, each key once. */
static void
add_unknown(const struct program_trial *t, const struct gpu_program *p,
    struct engine_cache *to)
{
	struct engine_choice x = { .engine = "" };

	for (int i = 0; i < p->n_calls; i++)
		if (is_unknown(t, p, &p->calls[i], &x))
			engine_cache_put(to, &x);
}

static int
count_unknown(const struct program_trial *t)
{
	struct engine_cache unknown = { .n = 0 };
	int n;

	for (int i = 0; i < N_FORMS; i++) {
		struct gpu_program p;

		build_form(t, i, &p);
		add_unknown(t, &p, &unknown);
		program_release(&p);
	}
	n = (int)unknown.n;
	engine_cache_release(&unknown);
	return n;
}

/* --- in this process ------------------------------------------------------ */

/* Time a call of our own kernels: the lowest median of TUNE_ROUNDS rounds,
 * after a warm-up run. */
static int
time_own(struct gpu *g, const struct call *c, double *us, struct error *e)
{
	double seconds[TUNE_TIMES];

	*us = INFINITY;
	if (gpu_time_runs(g, c, NULL, 1, seconds, e) != 0)
		return -1;
	for (int round = 0; round < TUNE_ROUNDS; round++) {
		if (gpu_time_runs(g, c, NULL, TUNE_TIMES, seconds, e) != 0)
			return -1;
		*us = fmin(*us, 1e6 * stats_median(seconds, TUNE_TIMES));
	}
	return 0;
}

static int
time_own_calls(const struct program_trial *t, struct gpu *g, struct error *e)
{
	const struct gpu_program *p = g->base.program;
	struct engine_choice own = { .engine = ENGINE_OWN };

	for (int i = 0; i < p->n_calls; i++) {
		if (call_is_conv(&p->calls[i]) ||
		    !is_unknown(t, p, &p->calls[i], &own))
			continue;
		if (time_own(g, &p->calls[i], &own.us, e) != 0)
			return -1;
		engine_cache_put(&t->context->engines, &own);
		gpu_note_measured(t->context, t->config);
	}
	return 0;
}

/* Open an executor, which times its convolutions, and time its own calls. */
static int
time_program(
    const struct program_trial *t, const struct gpu_program *p, struct error *e)
{
	struct executor *m = NULL;
	int rc;

	if (gpu_kind.open(t->context, p, t->config, &m, e) != 0)
		return -1;
	rc = time_own_calls(t, gpu(m), e);
	gpu_write_engines(t->context, t->config);
	m->ops->close(m);
	return rc;
}

/* Time form i; repeat without a fused call that failed. */
static int
trial_form(const struct program_trial *t, int i, struct error *e)
{
	size_t before;
	int rc;

	do {
		struct engine_cache unknown = { .n = 0 };
		struct gpu_program p;

		before = t->context->engines.n;
		build_form(t, i, &p);
		add_unknown(t, &p, &unknown);
		rc = unknown.n == 0 ? 0 : time_program(t, &p, e);
		engine_cache_release(&unknown);
		program_release(&p);
	} while (rc != 0 && t->context->engines.n > before);
	return rc;
}

/* Time all forms in this process. A form that cannot be timed, for example for
 * lack of memory, is not chosen. */
static void
trial_here(const struct program_trial *t)
{
	const struct gpu_context *k = t->context;

	for (int i = 0; i < N_FORMS; i++) {
		struct error why = ERROR_INIT;

		if (trial_form(t, i, &why) != 0)
			gpu_note(t->config,
			    "a form of the step was not timed: %s",
			    why.message);
	}
	if (k->n_first > 0)
		gpu_note(t->config,
		    "the trial of engines took its %d s: %d of %d calls have "
		    "cuDNN's first proposal",
		    (int)TRIAL_SECONDS, k->n_first, k->n_wanted);
}

/* --- in another process --------------------------------------------------- */

/* True if the process crashed: not if it exited, with or without an error (such
 * as lack of memory), or was killed by someone. */
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
	if (status != 0)
		gpu_note(c,
		    "cuDNN's engines for %s ended the process that timed them "
		    "(status %d); the first proposal is taken",
		    x->signature, status);
	else
		gpu_note(c,
		    "cuDNN's engines for %s could not be timed; the next run "
		    "tries again",
		    x->signature);
}

/* Read what the other process added to the file. Returns the number of
 * convolutions that crashed it: 0 or 1. */
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

		if (engine_cache_find(&k->engines, x) != NULL)
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

/* Let other processes time engines into the file, a new one after each crash.
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
	if (status != 0)
		gpu_note(c,
		    "not all of cuDNN's engines were measured, its first "
		    "proposals are taken: %s",
		    why.message);
	k->measures = 0;
	k->engines.changed = 1; /* relative to the run's own file */
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

void
gpu_trial(void *ctx, const struct graph *g, const struct program_config *plan,
    const struct device_config *c)
{
	struct gpu_context *k = ctx;
	const struct program_trial t = { k, g, plan, c };

	if (!k->measures)
		return;
	k->n_wanted = count_unknown(&t);
	if (k->n_wanted == 0)
		return;
	if (!c->engine_marks) /* else printed by the parent process */
		gpu_note(c, "measuring cuDNN's engines; this takes up to %d s",
		    (int)TRIAL_SECONDS);
	if (c->engine_trial == NULL || trial_outside(k, c) != 0)
		trial_here(&t);
}
