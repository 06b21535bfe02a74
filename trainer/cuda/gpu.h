/* A GPU as a machine, inside; only gpu*.c include it.
 *
 *	gpu_memory.c  where things are, errors
 *	gpu_conv.c    convolutions through cuDNN
 *	gpu.c         the calls, steps
 *	gpu_open.c    finding a GPU, allocating
 *	stage.c       gradients to the host and back
 */
#ifndef TRAINER_CUDA_GPU_H
#define TRAINER_CUDA_GPU_H

#include <cuda_runtime_api.h>

#include "trainer/cuda/cudnn_graph.h"
#include "trainer/cuda/kernels.h"
#include "trainer/cuda/machine.h"

/* A convolution call, ready to run. */
struct prepared {
	struct cudnn_graph graph;
	struct cudnn_plan plan;
	cudnnBackendDescriptor_t addresses;
	int engine; /* of the graph's configurations */
};

struct gpu {
	struct machine base;
	struct cudnn_target *target;
	cudaStream_t stream;
	float *areas[N_AREAS];
	float *vectors;
	char *half_vectors; /* scale and shift of each norm, fp16 */
	char *work, *work_grad;
	char *block;     /* tensors */
	char *workspace; /* of cuDNN */
	float *scratch;  /* of our reductions */
	void *staging;   /* pinned: images, then labels */
	char *images;    /* as they came */
	int32_t *labels;
	float *hyper;
	uint32_t *step;
	struct loss_scale *scale;
	struct kernel_loss *losses, *loss;
	struct prepared *prepared; /* [n_calls] */
	size_t staging_bytes;
	size_t workspace_bytes;
	int workspace_limit_mib;
};

/* Turn a status into an error that names what failed. */
int gpu_check(cudaError_t s, const char *what, struct error *e);
int gpu_check_cudnn(cudnnStatus_t s, const char *what, struct error *e);

static inline struct gpu *
gpu(struct machine *m)
{
	return (struct gpu *)m;
}

/* Addresses on the GPU: of a tensor (NULL for MEMORY_NONE), of a parameter in
 * an arena, of a convolution's working weights or their gradient, of a
 * normalisation's vectors. */
void *gpu_at(const struct gpu *g, int tensor);
float *gpu_param(const struct gpu *g, enum area a, int i);
void *gpu_weight(const struct gpu *g, const struct call *c, int grad);
struct norm_vectors gpu_vectors(const struct gpu *g, int norm);

/* Bytes to the GPU; waits. */
int gpu_copy_in(
    struct gpu *g, void *to, const void *from, size_t bytes, struct error *e);

/* Choose plans for all convolutions; workspace_bytes is then known.  When the
 * workspace is there, hand the addresses over. */
int gpu_prepare_convs(struct gpu *g, struct error *e);
int gpu_bind_convs(struct gpu *g, struct error *e);
void gpu_release_convs(struct gpu *g);

/* Run a convolution call. */
int gpu_run_conv(struct gpu *g, const struct call *c,
    const struct machine_step *s, struct error *e);

/* Free all; also what is only half open. */
void gpu_close(struct machine *m);

extern const struct machine_ops gpu_ops;
extern const struct stage_ops stage_cuda; /* stage.c */

#endif
