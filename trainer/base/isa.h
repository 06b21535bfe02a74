/* Instruction sets of this CPU, for kernels compiled for several sets.
 */
#ifndef TRAINER_BASE_ISA_H
#define TRAINER_BASE_ISA_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Each set includes the previous ones. */
enum isa { ISA_PLAIN, ISA_AVX2, ISA_AVX512, ISA_AVX512_BF16, ISA_AMX, N_ISAS };

/* Names in DLSCALE_MAX_ISA. */
static const char *const isa_names[N_ISAS] = { "plain", "avx2", "avx512",
	"avx512_bf16", "amx" };

/* The highest set that DLSCALE_MAX_ISA allows, or N_ISAS. */
static inline enum isa
isa_limit(void)
{
	const char *name = getenv("DLSCALE_MAX_ISA");
	int i = 0;

	if (name == NULL)
		return ISA_AMX;
	while (i < N_ISAS && strcmp(name, isa_names[i]) != 0)
		i++;
	return (enum isa)i;
}

#ifdef HAVE_X86_FLAGS
#include <cpuid.h>

static inline int
isa_runs_avx2(void)
{
	return isa_limit() >= ISA_AVX2 && __builtin_cpu_supports("avx2") &&
	    __builtin_cpu_supports("fma");
}

static inline int
isa_runs_avx512(void)
{
	return isa_limit() >= ISA_AVX512 && __builtin_cpu_supports("avx512f") &&
	    __builtin_cpu_supports("avx512bw") &&
	    __builtin_cpu_supports("avx512dq") &&
	    __builtin_cpu_supports("avx512vl");
}

/* True if the CPU converts between fp16 and fp32 (F16C); clang 14's
 * __builtin_cpu_supports does not know it. */
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
