/* Trial before a program is planned: measure the engines of its convolutions
 * unless the file has them. A fused call without a working engine is then
 * planned as single calls. The trial runs in another process if possible,
 * because an engine may crash. */
#include <config.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/alloc.h"
#include "trainer/device/cuda/engines/engine_tuner.h"
#include "trainer/device/cuda/gpu/gpu_internal.h"

enum { TRIALS_MOST = 8 /* processes; each one but the last crashes */ };

/* --- fused calls ---------------------------------------------------------- */

/* Fused engines exist in fp16. They sum up channels, which is nondeterministic
 * without a note by cuDNN: of 14,095 engines that test_cuda_repeat ran five
 * times on an H200 (cuDNN 9.14), results of 276 differed, all of this kind.
 * A query of cuDNN takes milliseconds, so answers are cached. */
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
		return !engine_is_missing(known);
	known = engine_cache_find(&k->answers, &key);
	if (known == NULL) {
		key.us = cudnn_supports(&k->target, p, c);
		engine_cache_put(&k->answers, &key);
	}
	return known == NULL ? key.us > 0 : known->us > 0;
}

/* --- in this process ------------------------------------------------------ */

/* Build a program. Returns the number of its convolutions whose engines are not
 * known, each key once. */
static int
build_unknown(struct gpu_context *k, const struct graph *g,
    const struct program_config *plan, const struct device_config *c,
    struct gpu_program *p)
{
	struct engine_cache unknown = { .n = 0 };
	struct engine_choice x = { .batch = c->batch,
		.precision = c->precision,
		.deterministic = c->deterministic };
	int n;

	program_build(g, plan, p);
	for (int i = 0; i < p->n_calls; i++) {
		if (!call_is_conv(&p->calls[i]))
			continue;
		engine_signature(&p->calls[i], x.signature);
		if (engine_cache_find(&k->engines, &x) == NULL)
			engine_cache_put(&unknown, &x);
	}
	n = (int)unknown.n;
	engine_cache_release(&unknown);
	return n;
}

/* Open an executor, which measures its engines, and repeat without a fused call
 * that failed. */
static void
trial_here(struct gpu_context *k, const struct graph *g,
    const struct program_config *plan, const struct device_config *c)
{
	struct error why = ERROR_INIT;
	size_t before;
	int rc;

	do {
		struct executor *m = NULL;
		struct gpu_program p;

		rc = 0;
		before = k->engines.n;
		if (build_unknown(k, g, plan, c, &p) > 0) {
			rc = gpu_kind.open(k, &p, c, &m, &why);
			gpu_write_engines(k, c);
		}
		if (m != NULL)
			m->ops->close(m);
		program_release(&p);
	} while (rc != 0 && k->engines.n > before);
	if (rc != 0)
		gpu_note(c, "not all of cuDNN's engines were measured: %s",
		    why.message);
	if (k->n_first > 0)
		gpu_note(c,
		    "the trial of engines took its %d s: %d of %d convolutions "
		    "have cuDNN's first proposal",
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
	struct gpu_program p;

	if (!k->measures)
		return;
	k->n_wanted = build_unknown(k, g, plan, c, &p);
	program_release(&p);
	if (k->n_wanted == 0)
		return;
	if (!c->engine_marks) /* else printed by the parent process */
		gpu_note(c, "measuring cuDNN's engines; this takes up to %d s",
		    (int)TRIAL_SECONDS);
	if (c->engine_trial == NULL || trial_outside(k, c) != 0)
		trial_here(k, g, plan, c);
}
