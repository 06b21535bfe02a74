/* A GPU as an executor, inside; only gpu*.c include it.
 *
 *	gpu_memory.c    where things are, errors
 *	gpu_tune.c      convolutions through cuDNN, and which engine runs each
 *	gpu_calls.c     the calls of a program
 *	gpu_executor.c  all else that an executor does
 *	gpu_trial.c     times for all forms of a program
 *	gpu_open.c      finding a GPU, allocating
 *	gpu_staging.c   gradients to the host and back
 */
#ifndef TRAINER_DEVICE_CUDA_GPU_GPU_INTERNAL_H
#define TRAINER_DEVICE_CUDA_GPU_GPU_INTERNAL_H

#include <cuda_runtime_api.h>

#include "trainer/device/cuda/engines/cudnn_graph.h"
#include "trainer/device/cuda/engines/cudnn_library.h"
#include "trainer/device/cuda/engines/engine_cache.h"
#include "trainer/device/cuda/kernels.h"
#include "trainer/device/cuda/executor.h"

/* A convolution call, ready to run. */
struct prepared {
	struct cudnn_graph graph;
	struct cudnn_plan plan;
	cudnnBackendDescriptor_t addresses;
	int engine; /* of the graph's configurations */
};

/* One of the places where images wait.  What is in pinned memory belongs to the
 * host again when done has come. */
struct gpu_slot {
	void *pinned;                     /* images, then labels */
	char *images;                     /* on the GPU, as they came */
	int32_t *labels;                  /* on the GPU */
	uint8_t *mirror;                  /* on the GPU */
	struct executor_numbers *numbers; /* pinned */
	int numbers_read;                 /* perhaps not yet copied */
	cudaEvent_t loaded;               /* images and labels are on the GPU */
	cudaEvent_t done;                 /* no step reads them any more */
	cudaGraphExec_t graph;            /* the captured step; NULL */
	cudaEvent_t marks[N_MARKS];       /* only with time_phases */
	cudaEvent_t copy[2];
	int marked; /* all marks of a step were recorded */
};

/* What a trial of engines may take; each call that has not had its turn by then
 * takes the first engine that cuDNN proposes. */
enum { TRIAL_SECONDS = 20 };

/* A GPU before a program is planned for it: the ctx of its executor_kind. */
struct gpu_context {
	struct cudnn_target target;
	int deterministic;
	struct engine_cache engines;
	char *engine_file; /* NULL: none */
	int measures;      /* engines that are not known */
	double started;    /* seconds_now() */
	double noted;      /* when a note last stated how far it is */
	int n_wanted;      /* calls to be measured */
	int n_measured;
	int n_first;                 /* after the trial's time was over */
	struct engine_cache answers; /* us 1: cuDNN can do this fused call */
};

struct gpu {
	struct executor base;
	struct gpu_context *context; /* borrowed */
	struct cudnn_target *target; /* the context's */
	cudaStream_t stream;
	cudaStream_t copies; /* of images, alongside the work */
	struct gpu_slot slots[EXECUTOR_SLOTS];
	float *areas[N_AREAS];
	float *vectors;
	char *half_vectors; /* scale and shift of each norm, fp16 */
	char *work, *work_grad;
	char *block;                      /* tensors */
	char *workspace;                  /* of cuDNN */
	float *scratch;                   /* of our reductions */
	struct executor_numbers *numbers; /* that the step reads */
	struct loss_scale *scale;
	struct weight_piece *pieces; /* the program's */
	struct kernel_loss *losses;  /* of each image */
	struct kernel_losses *found;
	struct prepared *prepared; /* [n_calls] */
	struct device_times times;
	cudaEvent_t ticks[DEVICE_RESULTS + 1]; /* number i at i modulo that */
	long n_ticks;
	int capturing;
	size_t pinned_bytes; /* of a slot */
	size_t workspace_bytes;
	int filled;
	void *flush; /* while engines are measured: twice the GPU's cache */
	size_t flush_bytes;
	int workspace_limit_mib;
};

/* Turn a status into an error that names what failed. */
int gpu_check(cudaError_t s, const char *what, struct error *e);
int gpu_check_cudnn(cudnnStatus_t s, const char *what, struct error *e);

static inline struct gpu *
gpu(struct executor *m)
{
	return (struct gpu *)m;
}

/* Addresses on the GPU: of a tensor (NULL for MEMORY_PLAN_NONE), of a parameter
 * in an arena, of a convolution's working weights or their gradient, of a
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

/* Read which engines are known on this GPU. */
int gpu_read_engines(
    struct gpu_context *k, const struct device_config *c, struct error *e);

/* Write them, if there are new ones.  A file that cannot be written costs time,
 * no result: a note. */
void gpu_write_engines(struct gpu_context *k, const struct device_config *c);

/* Run a call n times, TUNE_TIMES at most, by itself: seconds of each.
 *
 * p  what runs it; NULL: the executor */
int gpu_time_runs(struct gpu *g, const struct call *c, const struct prepared *p,
    int n, double *seconds, struct error *e);

/* Memory twice as large as the GPU's cache, if there is so much left: to be
 * written between two runs that are timed. */
void gpu_open_flush(struct gpu *g);
void gpu_close_flush(struct gpu *g);

/* A note for the user; one call more was measured: at times and at the end a
 * note of how many were. */
void gpu_note(const struct device_config *c, const char *fmt, ...)
    PRINTF_LIKE(2, 3);
void gpu_note_measured(struct gpu_context *k, const struct device_config *c);

/* The trial of executor_kind, and what its supports answers afterwards. */
void gpu_trial(const struct executor_kind *kind, void *ctx,
    const struct graph *g, const struct program_config *plan,
    const struct device_config *c);
int gpu_supports(void *ctx, const struct gpu_program *p, const struct call *c);

/* Hand the addresses of a call to p->addresses; run p. */
int gpu_bind(
    struct gpu *g, const struct call *c, struct prepared *p, struct error *e);
int gpu_execute(struct gpu *g, const struct call *c, const struct prepared *p,
    struct error *e);

/* Run a call. */
int gpu_run(struct executor *m, const struct call *c,
    const struct executor_step *s, struct error *e);

/* Where images come: streams, events, pinned memory. */
int gpu_open_slots(struct gpu *g, struct error *e);

/* Bytes from the GPU; waits. */
int gpu_copy_back(
    struct gpu *g, void *to, const void *from, size_t bytes, struct error *e);

/* Free all; also what is only half open. */
void gpu_close(struct executor *m);

extern const struct executor_ops gpu_ops;
extern const struct executor_kind gpu_kind;
extern const struct host_staging_ops staging_cuda; /* gpu_staging.c */

#endif
