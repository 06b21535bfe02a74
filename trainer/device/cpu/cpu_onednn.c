/* Wrapper of oneDNN's C interface for the cpu device. */
#include <config.h>

#include "trainer/device/cpu/cpu_onednn.h"

#include <assert.h>
#include <string.h>

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
	return onednn_check(dnnl_stream_create(&o->stream, o->engine,
				dnnl_stream_default_flags),
	    "stream", e);
}

void
onednn_close(struct onednn *o)
{
	if (o->stream != NULL)
		dnnl_stream_destroy(o->stream);
	if (o->engine != NULL)
		dnnl_engine_destroy(o->engine);
}

dnnl_data_type_t
onednn_type(enum dtype t)
{
	assert(t == DTYPE_FP32 || t == DTYPE_BF16);
	return t == DTYPE_BF16 ? dnnl_bf16 : dnnl_f32;
}

int
onednn_make(struct onednn *o, const_dnnl_primitive_desc_t pd,
    const struct onednn_arg *args, int n, struct onednn_call *call,
    struct error *e)
{
	int64_t scratch = 0;
	int rc;

	assert(n <= ONEDNN_MAX_ARGS);
	memset(call, 0, sizeof *call);
	rc = onednn_check(
	    dnnl_primitive_create(&call->primitive, pd), "primitive", e);
	/* valid as long as the primitive */
	if (dnnl_primitive_desc_query(
		pd, dnnl_query_impl_info_str, 0, &call->impl) != dnnl_success)
		call->impl = "?";
	if (dnnl_primitive_desc_query(pd, dnnl_query_memory_consumption_s64, 0,
		&scratch) == dnnl_success &&
	    (size_t)scratch > o->scratch_bytes)
		o->scratch_bytes = (size_t)scratch;
	for (int i = 0; i < n && rc == 0; i++) {
		call->args[i].arg = args[i].what;
		rc = onednn_check(dnnl_memory_create(&call->args[i].memory,
				      args[i].md, o->engine, args[i].place),
		    "memory", e);
		call->n_args += rc == 0;
	}
	return rc;
}

int
onednn_reorder(struct onednn *o, const dnnl_memory_desc_t *from,
    void *from_place, const dnnl_memory_desc_t *to, void *to_place,
    struct onednn_call *call, struct error *e)
{
	const struct onednn_arg args[] = {
		{ DNNL_ARG_FROM, from, from_place },
		{ DNNL_ARG_TO, to, to_place },
	};
	dnnl_primitive_desc_t pd;
	int rc;

	if (onednn_check(dnnl_reorder_primitive_desc_create(
			     &pd, from, o->engine, to, o->engine, NULL),
		"reorder", e) != 0)
		return -1;
	rc = onednn_make(o, pd, args, 2, call, e);
	dnnl_primitive_desc_destroy(pd);
	return rc;
}

void
onednn_run(struct onednn *o, const struct onednn_call *call)
{
	if (call->primitive == NULL || o->failed.code != ERROR_NONE)
		return;
	if (onednn_check(dnnl_primitive_execute(call->primitive, o->stream,
			     call->n_args, call->args),
		call->impl, &o->failed) == 0)
		(void)onednn_check(
		    dnnl_stream_wait(o->stream), "wait", &o->failed);
}

int
onednn_failed(const struct onednn *o, struct error *e)
{
	return o->failed.code == ERROR_NONE
	    ? 0
	    : error_set(e, o->failed.code, "%s", o->failed.message);
}

void
onednn_release(struct onednn_call *call)
{
	for (int i = 0; i < call->n_args; i++)
		dnnl_memory_destroy(call->args[i].memory);
	if (call->primitive != NULL)
		dnnl_primitive_destroy(call->primitive);
	memset(call, 0, sizeof *call);
}
