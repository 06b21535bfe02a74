/* The device "reference", which opens the one of its precision. */
#include <config.h>

#include "trainer/device/reference/reference.h"

#include "trainer/device/device_list.h"

/* From here on the device's own ops are those of its precision. */
static int
reference_open(const struct graph *g, const struct device_config *c,
    struct device **out, struct error *e)
{
	const struct device_ops *ops = c->precision == DTYPE_FP64
	    ? &reference_ops_fp64
	    : &reference_ops_fp32;

	return ops->open(g, c, out, e);
}

const struct device_ops device_reference = {
	.name = "reference",
	.summary = "plain C, exact and slow; what the others are tested with",
	.precisions = 1u << DTYPE_FP32 | 1u << DTYPE_FP64,
	.on_host = 1,
	.open = reference_open,
};
