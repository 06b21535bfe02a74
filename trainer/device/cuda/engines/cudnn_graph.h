/* Convolution calls as cuDNN operation graphs, through the backend interface.
 *
 * The target of a graph is a GPU, by its handle, or the description of a GPU,
 * for planning and checks without one.
 *
 *	struct cudnn_graph g;
 *	if (cudnn_graph_build(&t, &program, &call, &g, &e) != 0)
 *		return -1;
 *	for (int i = 0; i < g.n_engines; i++)
 *		if (cudnn_plan_build(&t, &g, i, &plan, &e) == 0) ...
 *	cudnn_graph_release(&g);
 *
 * Errors are ERROR_SYSTEM with cuDNN's own words.
 */
#ifndef TRAINER_DEVICE_CUDA_ENGINES_CUDNN_GRAPH_H
#define TRAINER_DEVICE_CUDA_ENGINES_CUDNN_GRAPH_H

#include <cudnn.h>

#include "common/error.h"
#include "trainer/device/cuda/planning/program.h"

/* What a tensor of a graph is; its unique id is the role + 1. */
enum graph_role {
	ROLE_X,    /* the convolution's input, normalised or not yet */
	ROLE_Z,    /* added to it at a block's end */
	ROLE_MADE, /* the block's output, which the call makes and writes */
	ROLE_W,
	ROLE_Y,     /* the output, or its gradient */
	ROLE_SCALE, /* of X, as half precision; then of Z */
	ROLE_SHIFT,
	ROLE_SCALE_2,
	ROLE_SHIFT_2,
	ROLE_SUM,
	ROLE_SQUARES,
	ROLE_DX,    /* gradient of the input */
	ROLE_ADDED, /* another gradient, added to it */
	ROLE_RAW,   /* input of the normalisation */
	ROLE_RAW_2, /* second operand of a block's end, normalised or not */
	ROLE_MEAN,  /* to BETA: fp32, of RAW; then of RAW_2 */
	ROLE_INVSTD,
	ROLE_GAMMA,
	ROLE_BETA,
	ROLE_GAMMA_GRAD,
	ROLE_BETA_GRAD,
	ROLE_UNUSED, /* three vectors that cuDNN writes; never read */
	ROLE_UNUSED_B,
	ROLE_UNUSED_C,
	ROLE_MEAN_2,
	ROLE_INVSTD_2,
	ROLE_GAMMA_2,
	ROLE_BETA_2,
	ROLE_GAMMA_GRAD_2,
	ROLE_BETA_GRAD_2,
	ROLE_UNUSED_2,
	ROLE_UNUSED_2B,
	ROLE_UNUSED_2C,
	ROLE_DW,
	ROLE_BIAS, /* of the output's channels, fp32 */
	N_ROLES
};

enum {
	GRAPH_MAX_ENGINES = 64,
	GRAPH_MAX_OPS = 24,
	GRAPH_MAX_PARTS = 128,
	GRAPH_SETTINGS = 32, /* of a configuration */
	GRAPH_TAG = 192      /* bytes */
};

struct cudnn_target {
	cudnnHandle_t handle;               /* of a GPU; NULL: use */
	cudnnBackendDescriptor_t described; /* by tests, which need no GPU */
};

struct cudnn_graph {
	cudnnBackendDescriptor_t graph;
	cudnnBackendDescriptor_t parts[GRAPH_MAX_PARTS]; /* to be freed */
	int n_parts;
	cudnnBackendDescriptor_t engines[GRAPH_MAX_ENGINES];
	int n_engines;      /* configurations, the best guess first */
	char used[N_ROLES]; /* roles that need an address */
};

struct cudnn_plan {
	cudnnBackendDescriptor_t plan;
	int64_t workspace; /* bytes */
};

/* Make the graph of a CALL_CONV, CALL_CONV_DATA or CALL_CONV_WEIGHT of program
 * p and ask heuristic A for engines, or else the fallback.  Having no engine
 * is an error. */
int cudnn_graph_build(const struct cudnn_target *t, const struct gpu_program *p,
    const struct call *c, struct cudnn_graph *out, struct error *e);

/* Free all. */
void cudnn_graph_release(struct cudnn_graph *g);

/* A program_supports_fn; ctx is a struct cudnn_target.  True if cuDNN has an
 * engine for the call.  Engines that are compiled at run time count only for a
 * bias: without a driver they cannot be checked, and a described GPU must get
 * the same program as a real one. */
int cudnn_supports(
    void *ctx, const struct gpu_program *p, const struct call *c);

/* True if configuration i is compiled when its plan is made; that takes seconds
 * and needs a driver. */
int cudnn_graph_compiles(const struct cudnn_graph *g, int i);

/* True unless configuration i is noted as nondeterministic. */
int cudnn_graph_deterministic(const struct cudnn_graph *g, int i);

/* True if configuration i rounds fp32 operands to TF32, as tensor cores do. */
int cudnn_graph_rounds(const struct cudnn_graph *g, int i);

/* The engine's number of configuration i. */
int64_t cudnn_graph_engine(const struct cudnn_graph *g, int i);

/* Append what heuristics B and fallback propose, without duplicates. */
void cudnn_graph_more(const struct cudnn_target *t, struct cudnn_graph *g);

/* Name of configuration i, "eng12_k2=3_k4=0": engine and knobs.  Stable for one
 * version of cuDNN on one GPU.
 *
 * out  [GRAPH_TAG] */
void cudnn_graph_tag(const struct cudnn_graph *g, int i, char *out);

/* Finish a plan of configuration i. */
int cudnn_plan_build(const struct cudnn_target *t, const struct cudnn_graph *g,
    int i, struct cudnn_plan *out, struct error *e);

/* Free it; p->plan may be NULL. */
void cudnn_plan_release(struct cudnn_plan *p);

#endif
