/* When the calls of a step are made: at once, or put off until the step is
 * whole and can be captured. cuda_device.c asks for phases; what a call
 * computes is the executor's. */
#include <config.h>

#include "trainer/device/cuda/step_queue.h"

#include <assert.h>
#include <string.h>

void
step_queue_init(struct step_queue *s, struct executor *m,
    const struct device_allreduce *allreduce, int capture)
{
	memset(s, 0, sizeof *s);
	s->executor = m;
	s->allreduce = allreduce;
	s->capture = capture && m->ops->capture != NULL;
	s->slot = EXECUTOR_SLOTS - 1;
}

static int
queue_mark(struct step_queue *s, enum executor_mark k, struct error *e)
{
	const struct executor_ops *ops = s->executor->ops;

	if (s->now.mode != MODE_TRAIN || ops->mark == NULL)
		return 0;
	return ops->mark(s->executor, s->slot, k, e);
}

/* --- the phases, as they are done ----------------------------------------- */

static int
do_forward(struct step_queue *s, struct error *e)
{
	const struct gpu_program *p = s->executor->program;
	const struct executor_ops *ops = s->executor->ops;

	if (queue_mark(s, MARK_BEGIN, e) != 0 ||
	    ops->take(s->executor, s->slot, &s->input, e) != 0 ||
	    queue_mark(s, MARK_TAKEN, e) != 0)
		return -1;
	for (int i = 0; i < p->n_forward; i++)
		if (ops->run(s->executor, &p->calls[i], &s->now, e) != 0)
			return -1;
	return queue_mark(s, MARK_FORWARD, e);
}

static int
do_loss(struct step_queue *s, struct error *e)
{
	if (s->executor->ops->loss(s->executor, s->slot, s->input.n,
		s->now.mode != MODE_EVAL, e) != 0)
		return -1;
	return queue_mark(s, MARK_LOSS, e);
}

/* Gradients up to offset end are final. */
static int
report_ready(struct step_queue *s, device_ready_fn ready, void *ctx,
    size_t *done, size_t end, struct error *e)
{
	const size_t n = end - *done;

	if (end <= *done)
		return 0;
	if (s->allreduce->ready != NULL &&
	    s->allreduce->ready(s->allreduce->ctx, *done, n, e) != 0)
		return -1;
	if (ready != NULL)
		ready(ctx, *done, n);
	*done = end;
	return 0;
}

static int
do_backward(
    struct step_queue *s, device_ready_fn ready, void *ctx, struct error *e)
{
	const struct gpu_program *p = s->executor->program;
	size_t done = 0;

	for (int i = p->n_forward; i < p->n_calls; i++)
		if (s->executor->ops->run(
			s->executor, &p->calls[i], &s->now, e) != 0 ||
		    report_ready(s, ready, ctx, &done, p->calls[i].done, e) !=
			0)
			return -1;
	assert(done == p->graph->arena_size);
	return queue_mark(s, MARK_BACKWARD, e);
}

static int
do_update(struct step_queue *s, struct error *e)
{
	if (s->allreduce->join != NULL &&
	    s->allreduce->join(s->allreduce->ctx, e) != 0)
		return -1;
	if (queue_mark(s, MARK_SUMMED, e) != 0 ||
	    s->executor->ops->update(s->executor, s->slot, e) != 0)
		return -1;
	return queue_mark(s, MARK_END, e);
}

/* --- a step as a whole ---------------------------------------------------- */

static int
do_all(struct step_queue *s, struct error *e)
{
	return do_forward(s, e) != 0 || do_loss(s, e) != 0 ||
		do_backward(s, NULL, NULL, e) != 0 || do_update(s, e) != 0
	    ? -1
	    : 0;
}

static int
step_fits_graph(const struct step_queue *s)
{
	const struct executor_input *a = &s->graphs[s->slot].input,
				    *b = &s->input;

	return s->graphs[s->slot].there && a->type == b->type &&
	    a->order == b->order && a->n == b->n && a->mirror == b->mirror;
}

/* Capture the step of this slot.  A failure is kept, and is none of the
 * step's: it can still run plainly. */
static void
capture_step(struct step_queue *s)
{
	const struct executor_ops *ops = s->executor->ops;
	struct error ignored = ERROR_INIT;
	int rc;

	s->graphs[s->slot].there = 0;
	if (ops->capture(s->executor, &s->failed) != 0) {
		s->capture = 0;
		return;
	}
	rc = do_all(s, &s->failed);
	if (ops->captured(
		s->executor, s->slot, rc == 0 ? &s->failed : &ignored) != 0 ||
	    rc != 0) {
		s->capture = 0;
		return;
	}
	s->graphs[s->slot].there = 1;
	s->graphs[s->slot].input = s->input;
	s->n_captured++;
}

/* Run the whole step, which is pending. */
static int
run_step(struct step_queue *s, struct error *e)
{
	if (s->n_plain > 0 && s->capture && !step_fits_graph(s))
		capture_step(s);
	if (s->n_plain == 0 || !s->capture) {
		s->n_plain++;
		return do_all(s, e);
	}
	s->n_replayed++;
	return s->executor->ops->replay(s->executor, s->slot, e);
}

/* --- pending work --------------------------------------------------------- */

static void
set_numbers(struct step_queue *s)
{
	s->executor->ops->set(s->executor, s->slot, &s->numbers);
}

int
step_queue_flush(struct step_queue *s, struct error *e)
{
	const enum step_pending pending = s->pending;

	s->pending = PENDING_NOTHING;
	if ((pending >= PENDING_FORWARD && do_forward(s, e) != 0) ||
	    (pending >= PENDING_LOSS && do_loss(s, e) != 0) ||
	    (pending >= PENDING_BACKWARD && do_backward(s, NULL, NULL, e) != 0))
		return -1;
	return 0;
}

int
step_queue_load(struct step_queue *s, const struct images *im,
    const int32_t *labels, struct error *e)
{
	if (step_queue_flush(s, e) != 0)
		return -1;
	s->slot = (s->slot + 1) % EXECUTOR_SLOTS;
	s->input = (struct executor_input){ im->type, im->order, im->n,
		im->mirror != NULL };
	return s->executor->ops->load(s->executor, s->slot, im, labels, e);
}

int
step_queue_forward(
    struct step_queue *s, enum device_mode mode, long step, struct error *e)
{
	assert(mode == MODE_EVAL ||
	    s->input.n == s->executor->program->config.batch);
	if (step_queue_flush(s, e) != 0)
		return -1;
	s->now.mode = mode;
	s->numbers.step = (uint32_t)step;
	set_numbers(s);
	if (!s->capture || mode != MODE_TRAIN)
		return do_forward(s, e);
	s->pending = PENDING_FORWARD;
	return 0;
}

int
step_queue_loss(struct step_queue *s, struct error *e)
{
	if (s->pending == PENDING_FORWARD) {
		s->pending = PENDING_LOSS;
		return 0;
	}
	return step_queue_flush(s, e) != 0 ? -1 : do_loss(s, e);
}

int
step_queue_backward(
    struct step_queue *s, device_ready_fn ready, void *ctx, struct error *e)
{
	assert(s->now.mode != MODE_EVAL &&
	    s->input.n == s->executor->program->config.batch);
	if (s->pending == PENDING_LOSS && ready == NULL) {
		s->pending = PENDING_BACKWARD;
		return 0;
	}
	return step_queue_flush(s, e) != 0 ? -1 : do_backward(s, ready, ctx, e);
}

int
step_queue_update(struct step_queue *s, const struct sgd *sgd, struct error *e)
{
	const struct executor_ops *ops = s->executor->ops;
	const int whole = s->pending == PENDING_BACKWARD;

	s->numbers.lr = (float)sgd->lr;
	s->numbers.momentum = (float)sgd->momentum;
	s->numbers.weight_decay = (float)sgd->weight_decay;
	s->numbers.grad_scale = (float)sgd->grad_scale;
	set_numbers(s);
	if (whole) {
		s->pending = PENDING_NOTHING;
		if (run_step(s, e) != 0)
			return -1;
	} else if (step_queue_flush(s, e) != 0 || do_update(s, e) != 0) {
		return -1;
	}
	return ops->tick != NULL ? ops->tick(s->executor, e) : 0;
}

void
step_queue_forget(struct step_queue *s)
{
	for (int i = 0; i < EXECUTOR_SLOTS; i++)
		s->graphs[i].there = 0;
	if (s->executor->ops->forget != NULL)
		s->executor->ops->forget(s->executor);
}

void
step_queue_describe(const struct step_queue *s, struct strbuf *out)
{
	if (s->failed.code != ERROR_NONE)
		strbuf_printf(
		    out, "step not captured: %s\n", s->failed.message);
	else
		strbuf_printf(out, "step %s\n",
		    s->capture ? "captured as a graph" : "call by call");
}
