/* Saves checkpoints of a run, and checks whether a run can resume from one. */
#include <config.h>

#include "trainer/run/train.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

#include "common/alloc.h"
#include "common/process.h"
#include "trainer/run/signals.h"

_Static_assert(sizeof(struct meters) == CHECKPOINT_METERS * sizeof(double),
    "a checkpoint holds struct meters as it is");

void
resume_describe(struct train *t)
{
	const struct train_options *o = t->o;
	const struct dataset *d = t->datasets[IMAGE_SOURCE_TRAIN];
	XXH3_state_t *hash = XXH3_createState();
	struct checkpoint *c = &t->self;

	memset(c, 0, sizeof *c);
	snprintf(c->model, sizeof c->model, "%s", t->model->name);
	snprintf(c->device, sizeof c->device, "%s", o->device);
	snprintf(c->precision, sizeof c->precision, "%s", o->precision);
	c->classes = t->classes;
	c->image = t->network.graph.image;
	c->lr = t->lr;
	c->lr_step = o->lr_step;
	c->momentum = o->momentum;
	c->weight_decay = o->weight_decay;
	c->seed = o->seed;
	c->devices = t->comm->size;
	c->batch_per_device = o->batch;
	c->batches_per_epoch = t->n_batches[IMAGE_SOURCE_TRAIN];
	c->train_images = t->n_images[IMAGE_SOURCE_TRAIN];
	/* Checksum of the images' names in order; 0 for synthetic data. */
	XXH3_64bits_reset(hash);
	for (size_t i = 0; d != NULL && i < d->n_images; i++) {
		const struct image *p = &d->images[i];
		const char *class = d->classes[p->label];

		XXH3_64bits_update(hash, class, strlen(class) + 1);
		XXH3_64bits_update(hash, p->name, strlen(p->name) + 1);
	}
	c->image_list = d != NULL ? XXH3_64bits_digest(hash) : 0;
	XXH3_freeState(hash);
	c->epoch = o->start_epoch;
	c->best_top1 = -1;
	t->begin = *c;
	t->best_top1 = -1;
}

/* --- Going on ------------------------------------------------------------- */

int
resume_read(struct train *t, struct error *e)
{
	struct checkpoint *c = &t->begin;
	struct strbuf sb = STRBUF_INIT(ERROR_MESSAGE_SIZE);
	struct checkpoint_file *f;
	unsigned rules = CHECKPOINT_NETWORK;
	int rc = -1;

	if (checkpoint_open(t->o->resume, c, &f, e) != 0)
		return -1;
	/* Check that this run can resume from the state. */
	if (!t->o->evaluate && c->batch > 0)
		rules |= CHECKPOINT_ORDER;
	if (checkpoint_differ(c, &t->self, rules, CHECKPOINT_VALUES, &sb) > 0) {
		error_set(e, ERROR_INPUT, "%s: of another run%s: %s",
		    t->o->resume,
		    rules & CHECKPOINT_ORDER ? ", in the middle of an epoch"
					     : "",
		    sb.buf);
	} else if (!t->o->evaluate && c->epoch >= t->o->epochs) {
		error_set(e, ERROR_USAGE,
		    "--epochs: '%s' has been trained for %ld epochs already",
		    t->o->resume, c->epoch);
	} else {
		t->begin_meters =
		    xcalloc((size_t)c->devices * CHECKPOINT_METERS,
			sizeof *t->begin_meters);
		rc = checkpoint_read(f, t->begin_meters, t->network.device, e);
	}
	checkpoint_close(f);
	strbuf_release(&sb);
	return rc;
}

int
resume_share(struct train *t, struct error *e)
{
	const unsigned rules =
	    t->o->evaluate ? 0 : CHECKPOINT_COURSE | CHECKPOINT_ORDER;
	struct strbuf *tag = &t->tags.line;
	struct strbuf sb = STRBUF_INIT(ERROR_MESSAGE_SIZE);
	struct checkpoint *b = &t->begin;
	struct comm *c = t->comm;
	size_t n;

	if (comm_broadcast(c, b, sizeof *b, 0, e) != 0)
		return -1;
	n = (size_t)b->devices * CHECKPOINT_METERS;
	if (t->begin_meters == NULL)
		t->begin_meters = xcalloc(n, sizeof *t->begin_meters);
	if (comm_broadcast(
		c, t->begin_meters, n * sizeof *t->begin_meters, 0, e) != 0 ||
	    train_share(t, TENSOR_BUFFER, e) != 0)
		return -1;
	device_set_scaling(t->network.device,
	    (struct loss_scaling){ b->loss_scale, b->loss_scale_good }, e);
	if (train_agree(t, e) != 0)
		return -1;
	t->step = b->step;
	t->best_top1 = b->best_top1;
	/* Print the place from which the run resumes, and the options that
	 * differ. */
	if (logger_printf(&t->log, e,
		"=> loaded checkpoint '%.3000s' (epoch %ld)\n", t->o->resume,
		b->epoch) != 0)
		return train_agree(t, e);
	strbuf_printf(tag,
	    "dlscale: resume epoch=%ld batch=%ld step=%ld best_top1=%.6g "
	    "differs=",
	    b->epoch, b->batch, b->step, b->best_top1);
	if (checkpoint_differ(b, &t->self, rules, CHECKPOINT_NAMES, tag) == 0)
		strbuf_addstr(tag, "none");
	if (logger_end(&t->tags, e) == 0 && c->rank == 0 &&
	    checkpoint_differ(b, &t->self, rules, CHECKPOINT_VALUES, &sb) > 0)
		logger_printf(&t->warn, NULL,
		    "%s: %.1000s: another run than the one that saved it: "
		    "%.2000s\n",
		    train_program()->name, t->o->resume, sb.buf);
	strbuf_release(&sb);
	return train_agree(t, e);
}

/* --- Saving --------------------------------------------------------------- */

int
resume_save(struct train *t, int epoch, long batch, const struct meters *m,
    struct error *e)
{
	const size_t n = (size_t)t->comm->size * CHECKPOINT_METERS;
	struct checkpoint c = t->self;
	double *all = xcalloc(n, sizeof *all);
	struct error own = ERROR_INIT;
	struct loss_scaling scaling;
	struct stat st;
	double start;
	int rc;

	c.epoch = epoch;
	c.batch = batch;
	/* The end of an epoch without validation is the beginning of the
	 * next. */
	if (batch == c.batches_per_epoch && t->o->val_batches == 0) {
		c.epoch++;
		c.batch = 0;
	}
	c.step = t->step;
	c.best_top1 = t->best_top1;
	/* Only one rank adds to each slot. */
	memcpy(all + t->comm->rank * CHECKPOINT_METERS, m, sizeof *m);
	rc = comm_allreduce(t->comm, all, n, COMM_FP64, COMM_SUM, e);
	start = seconds_now();
	if (rc == 0 && t->comm->rank == 0 &&
	    device_scaling(t->network.device, &scaling, &own) == 0) {
		c.loss_scale = scaling.scale;
		c.loss_scale_good = scaling.good;
		checkpoint_write(
		    t->o->checkpoint, &c, all, t->network.device, &own);
	}
	if (rc == 0 && t->comm->rank == 0 && own.code == ERROR_NONE) {
		strbuf_printf(&t->tags.line,
		    "dlscale: checkpoint epoch=%ld batch=%ld step=%ld "
		    "best_top1=%.6g",
		    c.epoch, c.batch, c.step, c.best_top1);
		if (!t->clock.fake && stat(t->o->checkpoint, &st) == 0)
			strbuf_printf(&t->tags.line, " bytes=%lld seconds=%.3f",
			    (long long)st.st_size, seconds_now() - start);
		logger_end(&t->tags, &own);
	}
	free(all);
	if (rc != 0)
		return -1;
	*e = own;
	return train_agree(t, e);
}

int
resume_stop(struct train *t, int epoch, long batch, struct error *e)
{
	t->agreed = 1;
	return error_set(e, ERROR_SYSTEM,
	    "stopped by %s after step %ld (epoch %d, batch %ld of %ld); "
	    "--resume '%s' continues",
	    signals_name(t->stopped), t->step, epoch, batch,
	    t->n_batches[IMAGE_SOURCE_TRAIN], t->o->checkpoint);
}
