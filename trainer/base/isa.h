/* What this CPU can run, for the tables of kernels that are compiled
 * for more than one set of instructions.
 */
#ifndef TRAINER_BASE_ISA_H
#define TRAINER_BASE_ISA_H

#ifdef HAVE_X86_FLAGS
#include <cpuid.h>

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

/* Converts between fp16 and fp32; clang 14 has no name for it. */
static inline int
isa_runs_f16c(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C) != 0;
}
#endif

static inline int
isa_runs_plain(void)
{
	return 1;
}

#endif
