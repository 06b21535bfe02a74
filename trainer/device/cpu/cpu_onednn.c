/* Wrapper of oneDNN's C interface for the cpu device. */
#include <config.h>

#include "trainer/device/cpu/cpu_onednn.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "trainer/device/memory_plan.h"

int
onednn_check(dnnl_status_t status, const char *what, struct error *e)
{
	static const char *const names[] = { "success", "out of memory",
		"invalid arguments", "unimplemented", "iterator ends",
		"runtime error", "not required" };
	size_t i = (size_t)status;

	if (status == dnnl_success)
		return 0;
	return error_set(e, ERROR_SYSTEM, "oneDNN: %s: %s", what,
	    i < sizeof names / sizeof names[0] ? names[i] : "unknown status");
}

int
onednn_open(struct onednn *o, struct error *e)
{
	memset(o, 0, sizeof *o);
	if (onednn_check(
		dnnl_engine_create(&o->engine, dnnl_cpu, 0), "engine", e) != 0)
		return -1;
	if (onednn_check(dnnl_stream_create(
			     &o->stream, o->engine, dnnl_stream_default_flags),
		"stream", e) != 0 ||
	    onednn_check(
		dnnl_primitive_attr_create(&o->attr), "attributes", e) != 0 ||
	    onednn_check(dnnl_primitive_attr_set_scratchpad_mode(
			     o->attr, dnnl_scratchpad_mode_user),
		"scratch mode", e) != 0) {
		onednn_close(o);
		return -1;
	}
	return 0;
}

void
onednn_close(struct onednn *o)
{
	struct onednn_owned *w = &o->owned;

	for (size_t i = 0; i < w->n_primitives; i++)
		dnnl_primitive_destroy(w->primitives[i]);
	for (size_t i = 0; i < w->n_memories; i++)
		dnnl_memory_destroy(w->memories[i]);
	free(w->primitives);
	free(w->memories);
	free(w->scratches);
	memory_plan_unmap(o->scratch, o->scratch_bytes);
	if (o->attr != NULL)
		dnnl_primitive_attr_destroy(o->attr);
	if (o->stream != NULL)
		dnnl_stream_destroy(o->stream);
	if (o->engine != NULL)
		dnnl_engine_destroy(o->engine);
	memset(o, 0, sizeof *o);
}

dnnl_data_type_t
onednn_type(enum dtype t)
{
	assert(t == DTYPE_FP32 || t == DTYPE_BF16);
	return t == DTYPE_BF16 ? dnnl_bf16 : dnnl_f32;
}

int
onednn_arg(struct onednn *o, struct onednn_call *call, int what,
    const dnnl_memory_desc_t *md, void *place, struct error *e)
{
	struct onednn_owned *w = &o->owned;
	dnnl_memory_t memory;

	assert(call->n_args < ONEDNN_MAX_ARGS);
	if (onednn_check(dnnl_memory_create(&memory, md, o->engine, place),
		"memory", e) != 0)
		return -1;
	w->memories = vec_grow(w->memories, w->n_memories, &w->alloc_memories,
	    sizeof(*w->memories));
	w->memories[w->n_memories++] = memory;
	call->args[call->n_args].arg = what;
	call->args[call->n_args++].memory = memory;
	return 0;
}

/* Add the scratchpad argument; onednn_scratch sets its address. */
static int
add_scratch(struct onednn *o, const_dnnl_primitive_desc_t pd,
    struct onednn_call *call, struct error *e)
{
	struct onednn_owned *w = &o->owned;
	const dnnl_memory_desc_t *md =
	    dnnl_primitive_desc_query_md(pd, dnnl_query_scratchpad_md, 0);
	const size_t bytes = dnnl_memory_desc_get_size(md);

	if (bytes == 0)
		return 0;
	if (bytes > o->scratch_bytes)
		o->scratch_bytes = bytes;
	w->scratches = vec_grow(w->scratches, w->n_scratches,
	    &w->alloc_scratches, sizeof(*w->scratches));
	w->scratches[w->n_scratches++] = w->n_memories;
	return onednn_arg(
	    o, call, DNNL_ARG_SCRATCHPAD, md, DNNL_MEMORY_NONE, e);
}

int
onednn_make(struct onednn *o, dnnl_primitive_desc_t pd,
    struct onednn_call *call, struct error *e)
{
	struct onednn_owned *w = &o->owned;
	int rc = -1;

	assert(o->scratch == NULL);
	memset(call, 0, sizeof *call);
	if (onednn_check(dnnl_primitive_create(&call->primitive, pd),
		"primitive", e) != 0)
		goto destroy_pd;
	w->primitives = vec_grow(w->primitives, w->n_primitives,
	    &w->alloc_primitives, sizeof(*w->primitives));
	w->primitives[w->n_primitives++] = call->primitive;
	/* valid as long as the primitive */
	if (dnnl_primitive_desc_query(
		pd, dnnl_query_impl_info_str, 0, &call->impl) != dnnl_success)
		call->impl = "?";
	rc = add_scratch(o, pd, call, e);
destroy_pd:
	dnnl_primitive_desc_destroy(pd);
	return rc;
}

int
onednn_reorder(struct onednn *o, const dnnl_memory_desc_t *from,
    void *from_place, const dnnl_memory_desc_t *to, void *to_place,
    struct onednn_call *call, struct error *e)
{
	dnnl_primitive_desc_t pd;

	if (onednn_check(dnnl_reorder_primitive_desc_create(
			     &pd, from, o->engine, to, o->engine, o->attr),
		"reorder", e) != 0 ||
	    onednn_make(o, pd, call, e) != 0 ||
	    onednn_arg(o, call, DNNL_ARG_FROM, from, from_place, e) != 0)
		return -1;
	return onednn_arg(o, call, DNNL_ARG_TO, to, to_place, e);
}

int
onednn_scratch(struct onednn *o, struct error *e)
{
	struct onednn_owned *w = &o->owned;

	o->scratch = memory_plan_map(o->scratch_bytes);
	for (size_t i = 0; i < w->n_scratches; i++)
		if (onednn_check(dnnl_memory_set_data_handle(
				     w->memories[w->scratches[i]], o->scratch),
			"scratch", e) != 0)
			return -1;
	return 0;
}

int
onednn_run(struct onednn *o, const struct onednn_call *call, struct error *e)
{
	if (call->primitive == NULL)
		return 0;
	if (onednn_check(dnnl_primitive_execute(call->primitive, o->stream,
			     call->n_args, call->args),
		call->impl, e) != 0)
		return -1;
	return onednn_check(dnnl_stream_wait(o->stream), "wait", e);
}
