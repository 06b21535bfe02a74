/* The trial before a program is planned: the calls of all forms that it can
 * have are timed, fused and single ones, unless the file of engines has their
 * times; then what is fused is chosen by them.  It is made in another process
 * where one can be had, because an engine may fault.  cuda_open_on() begins it;
 * gpu_tune.c times the convolutions. */
#include <config.h>

#include <math.h>
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

/* Does the convolution sum up channels as well?  Engines that do add them in any
 * order, without cuDNN's note of that: of 14,095 engines that test_cuda_repeat
 * ran five times on an H200 (cuDNN 9.14), 276 differed, all of them of these. */
static int
sums_alongside(const struct call *c)
{
	return (c->kind == CALL_CONV && c->norm[2] >= 0) ||
	    (c->kind == CALL_CONV_DATA && c->norm[0] >= 0);
}

/* cuDNN is asked once for each kind of call: that takes milliseconds. */
static int
cudnn_can(
    struct gpu_context *k, const struct gpu_program *p, const struct call *c)
{
	struct gpu_answer asked;

	if (k->deterministic && sums_alongside(c))
		return 0;
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

/* Is the call's time wanted, and not known?  Then signature is set: the name
 * under which it is kept. */
static int
is_unknown(const struct gpu_context *k, const struct gpu_program *p,
    const struct device_config *c, const struct call *call, char *signature)
{
	if (call_is_conv(call))
		engine_signature(call, signature);
	else if (!fusion_own_signature(p, call, signature))
		return 0;
	return engine_cache_find(&k->engines, c->batch, c->precision,
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

/* Microseconds of one of our own calls: the least median of as many rounds as
 * the best engines get; one run before warms up. */
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

/* Time those of the executor's own calls that are wanted. */
static int
time_own_calls(struct gpu *g, struct error *e)
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
		if (time_own(g, &p->calls[i], &own.us, e) != 0)
			return -1;
		engine_cache_put(&g->context->engines, &own);
		gpu_note_measured(g->context, c);
	}
	return 0;
}

/* Opening an executor times its convolutions, or checks them. */
static int
time_form(const struct executor_kind *kind, struct gpu_context *k,
    const struct gpu_program *p, const struct device_config *c, struct error *e)
{
	struct executor *m = NULL;
	int rc = 0;

	if (kind->open(k, p, c, &m, e) != 0)
		return -1;
	if (k->measures) {
		gpu_open_flush(gpu(m));
		rc = time_own_calls(gpu(m), e);
		gpu_close_flush(gpu(m));
		gpu_write_engines(k, c);
	}
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

void
gpu_trial(const struct executor_kind *kind, void *ctx, const struct graph *g,
    const struct program_config *plan, const struct device_config *c)
{
	struct gpu_context *k = ctx;
	char *words;

	if (!k->measures)
		return;
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
