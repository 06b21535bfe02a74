/* Internals of the CPU machine, for cuda_host*.c only. */
#ifndef TESTS_CUDA_HOST_CALLS_H
#define TESTS_CUDA_HOST_CALLS_H

#include "trainer/device/cuda/loss_scale.h"
#include "trainer/device/cuda/executor.h"

/* A task queued while a step is captured. */
struct host_task {
	enum host_job { TASK_TAKE, TASK_RUN, TASK_LOSS, TASK_UPDATE } job;
	int slot, n, back;
	const struct call *call;
	enum device_mode mode;
};

struct host_graph {
	struct host_task *tasks;
	size_t n, alloc;
};

struct host {
	struct executor base;
	float *areas[N_AREAS];
	float *work, *work_grad;
	float *vectors, *vector_grads; /* of gamma and beta: by norm vectors */
	float *block;                  /* tensors; one float per two bytes */
	struct {
		float *images; /* as the input tensor wants them */
		int32_t *labels;
		struct executor_numbers numbers;
		struct host_graph graph;
	} slots[EXECUTOR_SLOTS];
	struct executor_numbers numbers; /* that the step reads */
	struct loss_scale scale;
	struct loss_result results[DEVICE_RESULTS];
	long n_results;
	struct host_graph kept; /* while recording */
	int recording;
	long n_marks, n_replays;
	int captures_left; /* before one fails */
};

/* Data of a tensor; its description. */
float *host_at(const struct host *h, int tensor);
const struct tensor *host_tensor_of(const struct host *h, int tensor);

/* Store x, rounded to the program's type. */
void host_put(const struct host *h, float *to, double x);

/* Copy the gradient of weight i to the arena if out, else its value from it. */
void host_copy_weight(const struct host *h, int i, int out);

/* Functions that run each kind of call. */
extern void (*const host_runners[N_CALL_KINDS])(
    struct host *, const struct call *, enum device_mode);

#endif
