/* The kinds of operations, a row each: the only file that knows all of them.
 * cpu.c and cpu_plan.c run operations through these rows. */
#include <config.h>

#include "trainer/device/cpu/cpu.h"

#ifdef HAVE_AMX_FLAGS
#include "trainer/device/cpu/amx_conv.h"
#endif

const struct cpu_op_kind_ops *const cpu_ops[N_OP_KINDS] = {
	[OP_CONV] = &cpu_conv_ops,
#ifdef HAVE_AMX_FLAGS
	[OP_AMX_CONV] = &cpu_amx_conv_ops,
#endif
	[OP_NORM] = &cpu_norm_ops,
	[OP_SUM] = &cpu_sum_ops,
	[OP_MAXPOOL] = &cpu_maxpool_ops,
	[OP_AVGPOOL] = &cpu_avgpool_ops,
	[OP_FLATTEN] = &cpu_flatten_ops,
	[OP_DROPOUT] = &cpu_dropout_ops,
	[OP_LINEAR] = &cpu_linear_ops,
#ifdef HAVE_AMX_FLAGS
	[OP_OWN_LINEAR] = &cpu_own_linear_ops,
#endif
};
