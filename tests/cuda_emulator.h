/* The cuda device on the CPU: tests/cuda_emulator.cc is CUDA's runtime
 * and the kernels, tests/cuda_emulated_dnn.c the part of cuDNN under
 * cudnn_graph.h, in plain loops.
 */
#ifndef TESTS_CUDA_EMULATOR_H
#define TESTS_CUDA_EMULATOR_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Does the emulated cuDNN claim the fused calls? */
extern int emulated_fused;

/* Work for a stream: f(a copy of arg), now, or whenever the graph that is being
 * captured runs.
 *
 * n  bytes of arg */
void emulator_ask(void (*f)(void *arg), const void *arg, size_t n);

#ifdef __cplusplus
}
#endif

#endif
