/* --autotune: Horovod's search, fed with steps and put to use; autotune_model.c
 * is the other kind. train.c opens it, epoch.c calls it after each step. */
#include <config.h>

#include "trainer/run/autotune.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/process.h"
#include "trainer/run/autotune_model.h"
#include "trainer/run/options/fusion_options.h"
#include "trainer/run/run_report.h"
#include "trainer/tune/horovod_tuner.h"

struct autotune {
	struct train *t;              /* borrowed */
	struct autotune_model *model; /* NULL: horovod */
	struct horovod_tuner_config config;
	struct horovod_tuner *tuner;   /* of rank 0, else NULL */
	struct gradient_codec *levels; /* the other one; NULL: none */
	struct gradient_codec *flat;
	struct logger log;   /* Horovod's, of rank 0 */
	int log_is_old;      /* its file still holds an earlier search */
	long steps, samples; /* so far */
	double bytes;        /* that a rank gives in a step */
	int done;
};

/* What rank 0 sends to all after a score. */
struct autotune_news {
	struct horovod_setting setting;
	int done;
};

/* What the user set is not tuned, as with Horovod. */
static void
fix_settings(const struct train_options *o, struct horovod_tuner_config *c)
{
	c->variable_fixed[HOROVOD_THRESHOLD_MIB] =
	    fusion_options_is_fixed("fusion-threshold");
	c->variable_fixed[HOROVOD_CYCLE_MS] =
	    fusion_options_is_fixed("cycle-time");
	c->switch_fixed[HOROVOD_CACHE_ENABLED] =
	    fusion_options_is_fixed("cache-capacity");
	c->switch_fixed[HOROVOD_HIERARCHICAL_ALLREDUCE] =
	    fusion_options_is_fixed("hierarchical");
	c->switch_fixed[HOROVOD_HIERARCHICAL_ALLGATHER] =
	    fusion_options_is_fixed("hierarchical-allgather");
	c->fixed.at[HOROVOD_THRESHOLD_MIB] = o->threshold_mib;
	c->fixed.at[HOROVOD_CYCLE_MS] = o->cycle_ms;
	c->fixed.on[HOROVOD_CACHE_ENABLED] = o->cache_capacity > 0;
	c->fixed.on[HOROVOD_HIERARCHICAL_ALLREDUCE] = o->hierarchical;
	/* Training has no allgather of its own: the value does not matter. */
	c->fixed.on[HOROVOD_HIERARCHICAL_ALLGATHER] = 0;
}

static void
configure_tuner(const struct train *t, struct horovod_tuner_config *c)
{
	const struct train_options *o = t->o;

	memset(c, 0, sizeof *c);
	c->warmup = (int)o->autotune_warmup;
	c->steps = (int)o->autotune_steps;
	c->most = (int)o->autotune_samples;
	c->noise = o->autotune_noise;
	c->seed = (uint64_t)o->seed;
	fix_settings(o, c);
}

/* Open Horovod's log, and write its head.  A file that is there stays as it is
 * until there is a score to replace it with: a run that ends before loses
 * nothing. */
static int
open_log(struct autotune *a, struct error *e)
{
	const char *path = a->t->o->autotune_log;
	struct stat st;

	if (path == NULL)
		return 0;
	a->log.fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (a->log.fd < 0)
		return error_errno(
		    e, errno, "cannot write --autotune-log '%s'", path);
	a->log_is_old =
	    fstat(a->log.fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
	horovod_tuner_head(&a->log.line);
	return a->log_is_old ? 0 : logger_flush(&a->log, e);
}

/* Write what was added to the log. */
static int
flush_log(struct autotune *a, struct error *e)
{
	if (a->log_is_old && ftruncate(a->log.fd, 0) != 0)
		return error_errno(e, errno, "cannot write --autotune-log '%s'",
		    a->t->o->autotune_log);
	a->log_is_old = 0;
	return logger_flush(&a->log, e);
}

/* The other way to allreduce, where there are levels. */
static int
open_levels(struct autotune *a, struct error *e)
{
	struct train *t = a->t;
	struct gradient_codec_config c = {
		.wire = device_arena(t->network.device, TENSOR_GRAD).type,
		.hierarchical = 1
	};

	a->flat = t->codec;
	if (a->config.switch_fixed[HOROVOD_HIERARCHICAL_ALLREDUCE] ||
	    !train_has_levels(t))
		return 0;
	dtype_find(t->o->compression, &c.wire);
	return train_open_codec(t, &c, &a->levels, e);
}

static void
apply_setting(struct autotune *a, const struct horovod_setting *s)
{
	const long capacity = a->t->o->cache_capacity;

	train_use_cycles(a->t, s->at[HOROVOD_THRESHOLD_MIB],
	    s->at[HOROVOD_CYCLE_MS] * 1e-3,
	    s->on[HOROVOD_CACHE_ENABLED] ? capacity : 0);
	if (a->levels != NULL)
		train_use_codec(a->t,
		    s->on[HOROVOD_HIERARCHICAL_ALLREDUCE] ? a->levels
							  : a->flat);
}

static int
open_horovod(struct autotune *a, struct error *e)
{
	struct train *t = a->t;
	struct error own = ERROR_INIT;

	configure_tuner(t, &a->config);
	if (open_levels(a, e) != 0)
		return -1;
	for (int i = 0; i < t->each.n; i++)
		a->bytes += (double)t->each.buckets[i].bytes *
		    (double)gradient_codec_element(t->codec) /
		    (double)dtype_size(
			device_arena(t->network.device, TENSOR_GRAD).type);
	a->tuner = horovod_tuner_new(&a->config);
	apply_setting(a, horovod_tuner_setting(a->tuner));
	if (t->comm->rank == 0) {
		open_log(a, &own);
	} else {
		horovod_tuner_free(a->tuner);
		a->tuner = NULL;
	}
	*e = own;
	return train_agree(t, e);
}

int
autotune_open(struct train *t, struct error *e)
{
	struct autotune *a;

	if (t->o->autotune == NULL || t->comm->size == 1)
		return 0;
	if (t->comm->ops->attach != NULL) {
		t->agreed = 1;
		return error_set(e, ERROR_USAGE,
		    "--autotune: not with back end '%s', which needs its plan "
		    "before the first step",
		    t->comm->ops->name);
	}
	t->autotune = a = xcalloc(1, sizeof *a);
	a->t = t;
	logger_init(&a->log, -1);
	return strcmp(t->o->autotune, "model") == 0
	    ? autotune_model_open(t, &a->model, e)
	    : open_horovod(a, e);
}

/* Steps that this run will make. */
static long
steps_ahead(const struct train *t)
{
	const long epochs = t->o->epochs -
	    (t->begin.epoch > t->o->start_epoch ? t->begin.epoch
						: t->o->start_epoch);

	return epochs * t->n_batches[IMAGE_SOURCE_TRAIN] - t->begin.batch;
}

void
autotune_announce(struct train *t)
{
	const struct autotune *a = t->autotune;
	const long ahead = steps_ahead(t);
	long steps;

	if (t->o->autotune != NULL && a == NULL)
		logger_printf(&t->warn, NULL,
		    "%s: --autotune: one process has nothing to tune\n",
		    train_program()->name);
	if (a == NULL)
		return;
	if (a->model != NULL) {
		logger_printf(&t->tags, NULL,
		    "dlscale: autotune policy=model routes=%d\n",
		    autotune_model_routes(a->model));
		return;
	}
	steps = horovod_tuner_steps(&a->config);
	logger_printf(&t->tags, NULL,
	    "dlscale: autotune policy=horovod samples=%ld steps=%ld\n",
	    horovod_tuner_samples(&a->config), steps);
	if (ahead >= steps || t->comm->rank != 0)
		return;
	logger_printf(&t->warn, NULL,
	    "%s: --autotune=horovod: the search takes %ld steps, this run has "
	    "%ld: all of it will train with settings that are on trial; "
	    "--autotune-steps-per-sample, --autotune-bayes-opt-max-samples and "
	    "fixed settings shorten it, --autotune=model takes 10 steps\n",
	    train_program()->name, steps, ahead);
}

static void
describe_setting(const struct horovod_setting *s, struct strbuf *sb)
{
	strbuf_printf(sb,
	    " hierarchical_allreduce=%d hierarchical_allgather=%d "
	    "cache_enabled=%d cycle_ms=%g threshold_mib=%g",
	    s->on[HOROVOD_HIERARCHICAL_ALLREDUCE],
	    s->on[HOROVOD_HIERARCHICAL_ALLGATHER], s->on[HOROVOD_CACHE_ENABLED],
	    s->at[HOROVOD_CYCLE_MS], s->at[HOROVOD_THRESHOLD_MIB]);
}

/* Rank 0 has one more score: log it. */
static int
log_score(struct autotune *a, struct error *e)
{
	struct train *t = a->t;
	struct horovod_setting s;
	const double score = horovod_tuner_last(a->tuner, &s);

	strbuf_printf(&t->tags.line,
	    "dlscale: autotune_score step=%ld sample=%ld", t->step,
	    ++a->samples);
	describe_setting(&s, &t->tags.line);
	logger_printf(&t->tags, NULL, " score=%g\n", score);
	horovod_tuner_row(&s, score, &a->log.line);
	if (horovod_tuner_is_done(a->tuner)) {
		s = *horovod_tuner_setting(a->tuner);
		strbuf_printf(
		    &t->tags.line, "dlscale: autotune_done step=%ld", t->step);
		describe_setting(&s, &t->tags.line);
		logger_printf(&t->tags, NULL, " score=%g\n",
		    horovod_tuner_best(a->tuner));
		horovod_tuner_row(
		    &s, horovod_tuner_best(a->tuner), &a->log.line);
	}
	return flush_log(a, e);
}

/* Rank 0 sends what is to be tried next, and all put it to use. */
static int
share_setting(struct autotune *a, struct autotune_news *news, struct error *e)
{
	if (comm_broadcast(a->t->comm, news, sizeof *news, 0, e) != 0)
		return -1;
	apply_setting(a, &news->setting);
	a->done = news->done;
	if (a->tuner != NULL)
		horovod_tuner_start(a->tuner, seconds_now());
	return 0;
}

int
autotune_step(struct train *t, struct error *e)
{
	struct autotune *a = t->autotune;
	struct autotune_news news = { .done = 0 };
	struct error own = ERROR_INIT;

	if (a == NULL || a->done)
		return 0;
	if (a->model != NULL)
		return autotune_model_step(a->model, e);
	/* The first step begins before anything is measured. */
	if (a->tuner != NULL && a->steps == 0)
		horovod_tuner_start(a->tuner,
		    seconds_now() - t->step_s[t->step - t->begin.step - 1]);
	a->steps++;
	if (a->tuner != NULL) {
		if (horovod_tuner_step(a->tuner, seconds_now(), a->bytes))
			log_score(a, &own);
		news.setting = *horovod_tuner_setting(a->tuner);
		news.done = horovod_tuner_is_done(a->tuner);
	}
	if (a->steps % (HOROVOD_TUNER_RATES * a->config.steps) != 0)
		return 0;
	if (share_setting(a, &news, e) != 0)
		return -1;
	*e = own;
	return train_agree(t, e);
}

void
autotune_close(struct autotune *a)
{
	if (a == NULL)
		return;
	autotune_model_close(a->model);
	horovod_tuner_free(a->tuner);
	if (a->log.fd >= 0)
		close(a->log.fd);
	logger_release(&a->log);
	free(a);
}
