/* Wrapper of oneDNN 2.x: primitives that are created once with all arguments
 * and then run. They share the library's scratchpad, as they never run at the
 * same time.
 */
#ifndef TRAINER_DEVICE_CPU_CPU_ONEDNN_H
#define TRAINER_DEVICE_CPU_CPU_ONEDNN_H

#include <oneapi/dnnl/dnnl.h>
#include <stddef.h>

#include "common/error.h"
#include "trainer/base/tensor.h"

enum { ONEDNN_MAX_ARGS = 4 };

/* An argument: index (DNNL_ARG_SRC ...), layout, address. */
struct onednn_arg {
	int what;
	const dnnl_memory_desc_t *md;
	void *place;
};

/* A primitive and its arguments. */
struct onednn_call {
	dnnl_primitive_t primitive; /* NULL: no operation */
	dnnl_exec_arg_t args[ONEDNN_MAX_ARGS];
	int n_args;
	const char *impl; /* oneDNN's name of the implementation */
};

struct onednn {
	dnnl_engine_t engine;
	dnnl_stream_t stream;
	size_t scratch_bytes; /* of the library's scratchpad */
	struct error failed;  /* the first error of a run */
};

/* Create engine and stream. */
int onednn_open(struct onednn *o, struct error *e);

/* Free engine and stream, after all calls. */
void onednn_close(struct onednn *o);

/* oneDNN's data type for fp32 or bf16. */
dnnl_data_type_t onednn_type(enum dtype t);

/* Turn a status into an error that names the call. */
int onednn_check(dnnl_status_t status, const char *what, struct error *e);

/* Create a primitive from a descriptor.
 *
 * args  [n] n <= ONEDNN_MAX_ARGS
 * call  released with onednn_release, also after an error */
int onednn_make(struct onednn *o, const_dnnl_primitive_desc_t pd,
    const struct onednn_arg *args, int n, struct onednn_call *call,
    struct error *e);

/* Create a reorder between layouts or types. */
int onednn_reorder(struct onednn *o, const dnnl_memory_desc_t *from,
    void *from_place, const dnnl_memory_desc_t *to, void *to_place,
    struct onednn_call *call, struct error *e);

/* Run a call and wait for it; does nothing if it was not created, or after an
 * error, which o->failed keeps. */
void onednn_run(struct onednn *o, const struct onednn_call *call);

/* Pass on the error of a run. Returns 0 if there was none. */
int onednn_failed(const struct onednn *o, struct error *e);

/* Free a call, which may be all zero. */
void onednn_release(struct onednn_call *call);

#endif
