/* What this processor can run, asked by the tables of kernels that are compiled
 * for more than one set of instructions.
 */
#ifndef TRAINER_ISA_H
#define TRAINER_ISA_H

#ifdef HAVE_X86_FLAGS
static inline int
isa_runs_avx2(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static inline int
isa_runs_avx512(void)
{
	return __builtin_cpu_supports("avx512f") &&
	    __builtin_cpu_supports("avx512bw") &&
	    __builtin_cpu_supports("avx512dq") &&
	    __builtin_cpu_supports("avx512vl");
}
#endif

static inline int
isa_runs_plain(void)
{
	return 1;
}

#endif
