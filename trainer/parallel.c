#include <config.h>

#include "trainer/parallel.h"

#ifdef _OPENMP
#include <omp.h>

int
parallel_processors(void)
{
	return omp_get_num_procs();
}

void
parallel_set_threads(int n)
{
	omp_set_num_threads(n);
}

#else

int
parallel_processors(void)
{
	return 1;
}

void
parallel_set_threads(int n)
{
	(void)n;
}
#endif
