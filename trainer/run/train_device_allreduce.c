/* How gradients in a device's own memory come to be summed. */
#include <config.h>

#include <string.h>

#include "trainer/run/options/gpu_choice.h"
#include "trainer/run/train.h"

int
train_choose_gpu(struct train *t, int *gpu, struct error *e)
{
	const struct comm *c = t->comm;
	const int is_gpu = strcmp(t->o->device, "cuda") == 0;

	*gpu = 0;
	if (t->o->gpus != NULL && !is_gpu)
		return error_set(e, ERROR_USAGE,
		    "--gpus: device '%s' is no GPU; --device=cuda computes on "
		    "one",
		    t->o->device);
	if (!is_gpu)
		return 0;
	return gpu_choice_choose(t->o->gpus, c->local_rank, c->local_size,
	    c->ops->attach != NULL, c->ops->name, gpu, e);
}

int
train_open_device_allreduce(struct train *t, struct error *e)
{
	struct device *d = t->network.device;

	if (t->comm->ops->attach != NULL) {
		reducer_set_on_device(t->reducer);
		return 0;
	}
	if (d->ops->on_host || t->comm->size == 1)
		return 0;
	if (d->ops->staging == NULL)
		return error_set(e, ERROR_USAGE,
		    "back end '%s' cannot reach the memory of device '%s'",
		    t->comm->ops->name, d->ops->name);
	if (host_staging_open(
		d, &t->plan, HOST_STAGING_PIECE, &t->staging, e) != 0)
		return -1;
	reducer_set_staging(t->reducer, t->staging);
	return 0;
}

int
train_join_device_allreduce(struct train *t, struct error *e)
{
	struct comm_attachment a;
	int rc;

	if (t->comm->ops->attach == NULL)
		return 0;
	a = gradient_codec_attachment(t->codec);
	a.plan = &t->plan;
	rc = comm_attach(t->comm, t->network.device, &a, e);
	t->agreed = rc == -1;
	return rc != 0 ? -1 : 0;
}
