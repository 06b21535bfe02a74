/* The cuda device on the CPU: tests/cuda_emulator.cc emulates CUDA's runtime
 * and the kernels, tests/cuda_emulated_dnn.c the part of cuDNN below
 * cudnn_graph.h, in plain loops. For programs, the environment sets:
 *
 *	CUDA_TRACE=1		each copy is a line on standard error
 *	EMULATED_FAST=1		convolutions give zeros
 *	EMULATED_FUSED=MS	fused calls are claimed, and take MS ms more
 */
#ifndef TESTS_CUDA_EMULATOR_H
#define TESTS_CUDA_EMULATOR_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* True if the emulated cuDNN claims the fused calls. */
extern int emulated_fused;

/* True if it rounds the operands of fp32 products to TF32. */
extern int emulated_tf32;

/* True if it cannot make a plan of a fused call, though it claims the call. */
extern int emulated_no_fused;

/* Bits of the engines that give other bytes each time, though declared
 * deterministic: 1 engine 2, 2 all engines of fused calls. */
extern int emulated_varies;

/* Extra milliseconds of each fused call. */
extern long emulated_fused_ms;

/* Not 0: streams run their work late, in a random valid order. */
extern unsigned emulated_seed;

/* Queue f(a copy of arg) on a stream. It runs at once, late, or whenever the
 * graph being captured runs.
 *
 * n  size of arg in bytes */
void emulator_ask(
    void *stream, void (*f)(void *arg), const void *arg, size_t n);

/* Advance the time that events report by ms milliseconds. */
void emulator_spend(long ms);

#ifdef __cplusplus
}
#endif

#endif
