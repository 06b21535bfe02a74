/* Which instructions the cpu device uses, ours and oneDNN's alike, and what
 * follows for layouts and arithmetic. cpu.c asks once, when the device is
 * opened. */
#include <config.h>

#include "trainer/device/cpu/cpu.h"

#ifdef HAVE_AMX_FLAGS
#include "trainer/device/cpu/kernels/amx.h"
#endif

/* oneDNN's name for the same; its first call counts for the whole process. */
static dnnl_cpu_isa_t
onednn_isa(enum isa isa)
{
	static const dnnl_cpu_isa_t isas[N_ISAS] = { dnnl_cpu_isa_sse41,
		dnnl_cpu_isa_avx2, dnnl_cpu_isa_avx512_core,
		dnnl_cpu_isa_avx512_core_bf16, dnnl_cpu_isa_avx512_core_amx };

	return isas[isa];
}

static int
onednn_runs(enum isa isa)
{
	return (dnnl_get_effective_cpu_isa() & onednn_isa(isa)) ==
	    onednn_isa(isa);
}

static int
runs_amx(void)
{
#ifdef HAVE_AMX_FLAGS
	return isa_limit() >= ISA_AMX && amx_available();
#else
	return 0;
#endif
}

/* The most that limit, CPU and library have in common. */
static enum isa
choose_isa(void)
{
#ifdef HAVE_X86_FLAGS
	if (!isa_runs_avx2() || !onednn_runs(ISA_AVX2))
		return ISA_PLAIN;
	if (!isa_runs_avx512() || !onednn_runs(ISA_AVX512))
		return ISA_AVX2;
	if (isa_limit() < ISA_AVX512_BF16 || !onednn_runs(ISA_AVX512_BF16))
		return ISA_AVX512;
	return runs_amx() ? ISA_AMX : ISA_AVX512_BF16;
#else
	return ISA_PLAIN;
#endif
}

/* Intel's CPUs multiply bf16 outside the tiles no faster than fp32, and there
 * are no Winograd convolutions in bf16 (doc/performance.md, "Without AMX"). */
static int
vectors_gain(void)
{
#ifdef HAVE_X86_FLAGS
	return !__builtin_cpu_is("intel");
#else
	return 0;
#endif
}

int
cpu_isa_choose(struct cpu *d, struct error *e)
{
	const enum dtype t = d->base.config.precision;

	if (isa_limit() == N_ISAS)
		return error_set(e, ERROR_USAGE,
		    "DLSCALE_MAX_ISA: '%s' is none of plain, avx2, avx512, "
		    "avx512_bf16, amx",
		    getenv("DLSCALE_MAX_ISA"));
	/* Refused once the library has chosen: a process has one limit. */
	if (isa_limit() < ISA_AMX)
		(void)dnnl_set_max_cpu_isa(onednn_isa(isa_limit()));
	d->isa = choose_isa();
	d->kernels = cpu_kernels_find(t, d->isa);
	d->amx = t == DTYPE_BF16 && d->isa == ISA_AMX;
	d->block = d->amx ? 2 * CPU_LANES : d->kernels->lanes;
	d->arithmetic = t;
	if (t == DTYPE_BF16 && !d->amx &&
	    (d->isa < ISA_AVX512_BF16 || !vectors_gain()))
		d->arithmetic = DTYPE_FP32;
	return 0;
}
