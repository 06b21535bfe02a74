/* Parallel loops with OpenMP, whose thread pool oneDNN shares. Without OpenMP
 * everything runs on one thread.
 *
 *	PARALLEL_FOR
 *	for (int i = 0; i < n; i++)
 *		work(i);
 */
#ifndef TRAINER_BASE_PARALLEL_H
#define TRAINER_BASE_PARALLEL_H

#ifdef _OPENMP
#define PARALLEL_FOR _Pragma("omp parallel for schedule(static)")
#define PARALLEL_FOR_2 _Pragma("omp parallel for schedule(static) collapse(2)")
#else
#define PARALLEL_FOR
#define PARALLEL_FOR_2
#endif

/* A loop with independent iterations. Not for clang, which vectorises without
 * the pragma, and warns about it if it does not optimise. */
#if defined _OPENMP && !defined __clang__
#define SIMD_FOR _Pragma("omp simd")
#else
#define SIMD_FOR
#endif

/* Default number of threads: OMP_NUM_THREADS, or the CPUs in the affinity mask;
 * 1 without OpenMP. Call it before parallel_set_threads. */
int parallel_processors(void);

/* Index of the calling thread in the current loop, from 0. */
int parallel_thread(void);

/* Let the following loops of the calling thread use n threads. */
void parallel_set_threads(int n);

#endif
