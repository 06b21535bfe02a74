/* oneDNN 2.x, wrapped: primitives that are made once with all their arguments
 * and then only run.  What they need for scratch is one piece of memory for
 * all of them (they never run at the same time).
 */
#ifndef TRAINER_DEVICE_CPU_CPU_ONEDNN_H
#define TRAINER_DEVICE_CPU_CPU_ONEDNN_H

#include <oneapi/dnnl/dnnl.h>
#include <stddef.h>

#include "common/error.h"
#include "trainer/base/tensor.h"

enum { ONEDNN_MAX_ARGS = 10 };

/* A primitive with its arguments. */
struct onednn_call {
	dnnl_primitive_t primitive; /* NULL: nothing to do */
	dnnl_exec_arg_t args[ONEDNN_MAX_ARGS];
	int n_args;
	const char *impl; /* the library's name of the implementation */
};

struct onednn {
	dnnl_engine_t engine;
	dnnl_stream_t stream;
	dnnl_primitive_attr_t attr; /* scratch is ours */
	struct onednn_owned {
		dnnl_primitive_t *primitives;
		size_t n_primitives, alloc_primitives;
		dnnl_memory_t *memories;
		size_t n_memories, alloc_memories;
		size_t *scratches; /* indexes of memories that are scratch */
		size_t n_scratches, alloc_scratches;
	} owned;
	size_t scratch_bytes;
	void *scratch;
};

/* Connect to the library. */
int onednn_open(struct onednn *o, struct error *e);

/* Free everything that was made through o. */
void onednn_close(struct onednn *o);

/* The library's type for ours: fp32 or bf16. */
dnnl_data_type_t onednn_type(enum dtype t);

/* Turn a status into an error that names the call. */
int onednn_check(dnnl_status_t status, const char *what, struct error *e);

/* Make a primitive of a descriptor; pd is taken over (destroyed).  Its scratch
 * argument is set, the others follow with onednn_arg. */
int onednn_make(struct onednn *o, dnnl_primitive_desc_t pd,
    struct onednn_call *call, struct error *e);

/* Give a call one argument: what (DNNL_ARG_SRC ...), its layout, its place. */
int onednn_arg(struct onednn *o, struct onednn_call *call, int what,
    const dnnl_memory_desc_t *md, void *place, struct error *e);

/* Make a copy from one layout or type to another. */
int onednn_reorder(struct onednn *o, const dnnl_memory_desc_t *from,
    void *from_place, const dnnl_memory_desc_t *to, void *to_place,
    struct onednn_call *call, struct error *e);

/* Allocate the scratch, once all calls are made. */
int onednn_scratch(struct onednn *o, struct error *e);

/* Run a call and wait for it; one that was never made does nothing. */
int onednn_run(
    struct onednn *o, const struct onednn_call *call, struct error *e);

#endif
