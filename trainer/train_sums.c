/* How gradients in a device's own memory come to be summed. */
#include <config.h>

#include "trainer/train.h"

int
train_open_sums(struct train *t, struct error *e)
{
	struct device *d = t->network.device;

	if (d->ops->on_host || t->comm->size == 1)
		return 0;
	if (d->ops->stage == NULL)
		return error_set(e, ERROR_USAGE,
		    "back end '%s' cannot reach the memory of device '%s'",
		    t->comm->ops->name, d->ops->name);
	if (stage_open(d, &t->plan, STAGE_PIECE, &t->stage, e) != 0)
		return -1;
	reducer_stage(t->reducer, t->stage);
	return 0;
}
