/* The cuda device on the CPU: tests/cuda_emulator.cc is CUDA's runtime
 * and the kernels, tests/cuda_emulated_dnn.c the part of cuDNN under
 * cudnn_graph.h, in plain loops.  For whole programs there is the environment:
 *
 *	CUDA_TRACE=1		each copy is a line on standard error
 *	EMULATED_FAST=1		convolutions give zeros
 *	EMULATED_FUSED=MS	fused calls are there, and take so much longer
 */
#ifndef TESTS_CUDA_EMULATOR_H
#define TESTS_CUDA_EMULATOR_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Does the emulated cuDNN claim the fused calls? */
extern int emulated_fused;

/* Does it round what it multiplies in fp32 to TF32? */
extern int emulated_tf32;

/* Does it fail to make a plan of a fused call, though it claims it? */
extern int emulated_no_fused;

/* Does it give other bytes each time, without a note of that?  Bits: engine 2,
 * all engines of calls that sum up channels as well. */
extern int emulated_varies;

/* Milliseconds that a fused call takes more than any other. */
extern long emulated_fused_ms;

/* Not 0: streams do their work late, in a random order of those allowed. */
extern unsigned emulated_seed;

/* Work for a stream: f(a copy of arg), now, late, or whenever the graph that is
 * being captured runs.
 *
 * n  bytes of arg */
void emulator_ask(
    void *stream, void (*f)(void *arg), const void *arg, size_t n);

/* Let so many milliseconds pass, as events have them. */
void emulator_spend(long ms);

#ifdef __cplusplus
}
#endif

#endif
