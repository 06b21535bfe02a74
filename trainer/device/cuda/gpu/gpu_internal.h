/* Internals of the GPU executor; included by gpu*.c only.
 *
 *	gpu_memory.c    addresses, copies, errors
 *	gpu_tune.c      convolutions through cuDNN and their engines
 *	gpu_calls.c     the calls of a program
 *	gpu_executor.c  the rest of the executor
 *	gpu_open.c      finding a GPU, allocating
 *	gpu_staging.c   gradients to the host and back
 */
#ifndef TRAINER_DEVICE_CUDA_GPU_GPU_INTERNAL_H
#define TRAINER_DEVICE_CUDA_GPU_GPU_INTERNAL_H

#include <cuda_runtime_api.h>

#include "trainer/device/cuda/engines/cudnn_graph.h"
#include "trainer/device/cuda/engines/engine_cache.h"
#include "trainer/device/cuda/kernels.h"
#include "trainer/device/cuda/executor.h"

/* Convolution call that is ready to run. */
struct prepared {
	struct cudnn_graph graph;
	struct cudnn_plan plan;
	cudnnBackendDescriptor_t addresses;
	int engine; /* index of the graph's configuration */
	double us;  /* measured in this run; 0: not measured */
};

/* Slot for images. The host may overwrite pinned memory after `done`. */
struct gpu_slot {
	void *pinned;                     /* images, then labels */
	char *images;                     /* on the GPU, unconverted */
	int32_t *labels;                  /* on the GPU */
	uint8_t *mirror;                  /* on the GPU */
	struct executor_numbers *numbers; /* pinned */
	int numbers_read;                 /* 1: a copy may be pending */
	cudaEvent_t loaded;               /* images and labels were copied */
	cudaEvent_t done;                 /* no step reads the slot */
	cudaGraphExec_t graph;            /* captured step, or NULL */
	cudaEvent_t marks[N_MARKS];       /* only with time_phases */
	cudaEvent_t copy[2];
	int marked; /* 1: all marks of a step were recorded */
};

/* Time limit for the trial of engines. Convolutions not measured by then use
 * cuDNN's first proposal. */
enum { TRIAL_SECONDS = 20 };

/* GPU before a program is planned for it: ctx of its executor_kind. */
struct gpu_context {
	struct cudnn_target target;
	int deterministic;
	struct engine_cache engines;
	char *engine_file;       /* NULL: none */
	int measures;            /* 1: measure unknown engines */
	double started;          /* seconds_now() of the trial; 0: no trial */
	double noted;            /* time of the last note on progress */
	int n_measured, n_first; /* convolutions; those after the limit */
	int plan_again;          /* 1: a fused call is unusable or slow */
	struct engine_cache answers; /* us 1: cuDNN supports this fused call */
};

struct gpu {
	struct executor base;
	struct gpu_context *context; /* borrowed */
	struct cudnn_target *target; /* target of the context */
	cudaStream_t stream;
	cudaStream_t copies; /* copies of images, concurrent with stream */
	struct gpu_slot slots[EXECUTOR_SLOTS];
	float *areas[N_AREAS];
	float *vectors;
	char *work, *work_grad;
	char *block;                      /* tensors */
	char *workspace;                  /* of cuDNN */
	float *scratch;                   /* of our own reductions */
	struct executor_numbers *numbers; /* read by the step */
	struct loss_scale *scale;
	struct weight_piece *pieces; /* copy of the program's */
	struct kernel_loss *losses;  /* of each image */
	struct kernel_losses *found;
	struct prepared *prepared; /* [n_calls] */
	struct device_times times;
	cudaEvent_t ticks[DEVICE_RESULTS + 1]; /* tick i is at i modulo size */
	long n_ticks;
	int capturing;
	size_t pinned_bytes; /* of a slot */
	size_t workspace_bytes;
	int filled;
	void *flush; /* for measuring engines: twice the GPU's cache */
	size_t flush_bytes;
	int workspace_limit_mib;
};

/* Convert a status to an error that names the failed operation. */
int gpu_check(cudaError_t s, const char *what, struct error *e);
int gpu_check_cudnn(cudnnStatus_t s, const char *what, struct error *e);

static inline struct gpu *
gpu(struct executor *m)
{
	return (struct gpu *)m;
}

/* Addresses on the GPU of a tensor (NULL for MEMORY_PLAN_NONE), a parameter in
 * an arena, a convolution's working weights or their gradient, and a
 * normalisation's vectors. */
void *gpu_at(const struct gpu *g, int tensor);
float *gpu_param(const struct gpu *g, enum area a, int i);
void *gpu_weight(const struct gpu *g, const struct call *c, int grad);
struct norm_vectors gpu_vectors(const struct gpu *g, int norm);

/* Copy bytes between the host and the GPU's memory; waits.
 *
 * write  1: to the GPU; 0: from it */
int gpu_copy_host(struct gpu *g, void *at, void *host, size_t bytes, int write,
    struct error *e);

/* Choose plans for all convolutions, measuring unknown engines, and set
 * workspace_bytes. After the workspace is allocated, bind addresses to the
 * plans. */
int gpu_prepare_convs(struct gpu *g, struct error *e);
int gpu_bind_convs(struct gpu *g, struct error *e);
void gpu_release_convs(struct gpu *g);

/* Read the known engines of this GPU from the file. */
int gpu_read_engines(
    struct gpu_context *k, const struct device_config *c, struct error *e);

/* Write the engines if there are new ones. A failure only prints a note, since
 * it merely costs time in later runs. */
void gpu_write_engines(struct gpu_context *k, const struct device_config *c);

/* Print a note for the user. */
void gpu_note(const struct device_config *c, const char *fmt, ...)
    PRINTF_LIKE(2, 3);

/* supports of executor_kind. */
int gpu_supports(void *ctx, const struct gpu_program *p, const struct call *c);

/* Bind the addresses of a call to p->addresses; run p. */
int gpu_bind(
    struct gpu *g, const struct call *c, struct prepared *p, struct error *e);
int gpu_execute(struct gpu *g, const struct call *c, const struct prepared *p,
    struct error *e);

/* Run a call. */
int gpu_run(struct executor *m, const struct call *c, enum device_mode mode,
    struct error *e);

/* Create the slots' streams, events and pinned memory. */
int gpu_open_slots(struct gpu *g, struct error *e);

/* Free all memory, also of a partly opened executor. */
void gpu_close(struct executor *m);

extern const struct executor_ops gpu_ops;
extern const struct executor_kind gpu_kind;
extern const struct host_staging_ops staging_cuda; /* gpu_staging.c */

#endif
