/* Convolution calls as operation graphs of cuDNN's backend API.
 *
 * The target of a graph is a GPU's handle, or the description of a GPU for
 * planning and tests without one.
 *
 *	struct cudnn_graph g;
 *	if (cudnn_graph_build(&t, &program, &call, &g, &e) != 0)
 *		return -1;
 *	for (int i = 0; i < g.n_engines; i++)
 *		if (cudnn_plan_build(&t, &g, i, &plan, &e) == 0) ...
 *	cudnn_graph_release(&g);
 *
 * Errors are ERROR_SYSTEM with cuDNN's message.
 */
#ifndef TRAINER_DEVICE_CUDA_ENGINES_CUDNN_GRAPH_H
#define TRAINER_DEVICE_CUDA_ENGINES_CUDNN_GRAPH_H

#include <cudnn.h>

#include "common/error.h"
#include "trainer/device/cuda/planning/program.h"

/* Role of a tensor in a graph; its unique id is the role + 1. */
enum graph_role {
	ROLE_X, /* input */
	ROLE_W,
	ROLE_Y, /* output or its gradient */
	ROLE_SUM,
	ROLE_SQUARES,
	ROLE_DX,     /* gradient of the input */
	ROLE_ADDED,  /* another gradient that is added to it */
	ROLE_RAW,    /* input of the normalisation */
	ROLE_SECOND, /* second operand of a block's end */
	ROLE_MEAN,   /* MEAN to BETA: fp32 */
	ROLE_INVSTD,
	ROLE_GAMMA,
	ROLE_BETA,
	ROLE_GAMMA_GRAD,
	ROLE_BETA_GRAD,
	ROLE_UNUSED, /* three vectors written by cuDNN and never read */
	ROLE_UNUSED_B,
	ROLE_UNUSED_C,
	ROLE_DW,
	N_ROLES
};

enum {
	GRAPH_MAX_ENGINES = 64,
	GRAPH_MAX_OPS = 24,
	GRAPH_MAX_PARTS = 128,
	GRAPH_SETTINGS = 32, /* settings per configuration */
	GRAPH_TAG = 192      /* bytes */
};

struct cudnn_target {
	cudnnHandle_t handle;               /* of a GPU; NULL: use described */
	cudnnBackendDescriptor_t described; /* for tests without GPU */
};

struct cudnn_graph {
	cudnnBackendDescriptor_t graph;
	cudnnBackendDescriptor_t parts[GRAPH_MAX_PARTS]; /* to be freed */
	int n_parts;
	cudnnBackendDescriptor_t engines[GRAPH_MAX_ENGINES];
	int n_engines;      /* configurations, cuDNN's best guess first */
	char used[N_ROLES]; /* roles that need an address */
};

struct cudnn_plan {
	cudnnBackendDescriptor_t plan;
	int64_t workspace; /* bytes */
};

/* Build the graph of a CALL_CONV, CALL_CONV_DATA or CALL_CONV_WEIGHT of program
 * p and query engines from heuristic A, else from the fallback. Fails if there
 * is no engine. */
int cudnn_graph_build(const struct cudnn_target *t, const struct gpu_program *p,
    const struct call *c, struct cudnn_graph *out, struct error *e);

/* Free all. */
void cudnn_graph_release(struct cudnn_graph *g);

/* A program_supports_fn: true if cuDNN has an engine for the call that need not
 * be compiled at run time. ctx is a struct cudnn_target. */
int cudnn_supports(
    void *ctx, const struct gpu_program *p, const struct call *c);

/* True if building a plan of configuration i compiles it, which takes seconds
 * and needs a driver. */
int cudnn_graph_compiles(const struct cudnn_graph *g, int i);

/* True unless cuDNN marks configuration i as nondeterministic. */
int cudnn_graph_deterministic(const struct cudnn_graph *g, int i);

/* True if configuration i rounds fp32 operands to TF32, as tensor cores do. */
int cudnn_graph_rounds(const struct cudnn_graph *g, int i);

/* Engine number of configuration i. */
int64_t cudnn_graph_engine(const struct cudnn_graph *g, int i);

/* Append the proposals of heuristic B and the fallback, without duplicates. */
void cudnn_graph_more(const struct cudnn_target *t, struct cudnn_graph *g);

/* Name of configuration i, "eng12_k2=3_k4=0": engine and knobs. Stable for one
 * cuDNN version and GPU.
 *
 * out  [GRAPH_TAG] */
void cudnn_graph_tag(const struct cudnn_graph *g, int i, char *out);

/* Build a plan of configuration i. */
int cudnn_plan_build(const struct cudnn_target *t, const struct cudnn_graph *g,
    int i, struct cudnn_plan *out, struct error *e);

/* Free it; p->plan may be NULL. */
void cudnn_plan_release(struct cudnn_plan *p);

/* --- The library ---------------------------------------------------------- */

/* cuDNN, loaded at run time before the first graph, so that the program starts
 * without it.
 */

/* cuDNN's functions, set by cudnn_library_open(). */
extern struct cudnn_calls {
	__typeof__(cudnnGetVersion) *version;
	__typeof__(cudnnGetCudartVersion) *cudart_version;
	__typeof__(cudnnGetErrorString) *error_string;
	__typeof__(cudnnGetLastErrorString) *last_error_string;
	__typeof__(cudnnCreate) *create;
	__typeof__(cudnnDestroy) *destroy;
	__typeof__(cudnnSetStream) *set_stream;
	__typeof__(cudnnBackendCreateDescriptor) *create_descriptor;
	__typeof__(cudnnBackendDestroyDescriptor) *destroy_descriptor;
	__typeof__(cudnnBackendSetAttribute) *set_attribute;
	__typeof__(cudnnBackendGetAttribute) *get_attribute;
	__typeof__(cudnnBackendFinalize) *finalize;
	__typeof__(cudnnBackendExecute) *execute;
} cudnn;

/* Load the library.
 *
 * ERROR_SYSTEM: it cannot be loaded or is incompatible. */
int cudnn_library_open(struct error *e);

#endif
