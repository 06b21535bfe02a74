/* Sets the number of threads of OpenMP loops. */
#include <config.h>

#include "trainer/base/parallel.h"

#ifdef _OPENMP
#include <omp.h>

/* Read once: omp_set_num_threads would change the value. */
int
parallel_processors(void)
{
	static int n;

	if (n == 0)
		n = omp_get_max_threads();
	return n;
}

int
parallel_thread(void)
{
	return omp_get_thread_num();
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

int
parallel_thread(void)
{
	return 0;
}

void
parallel_set_threads(int n)
{
	(void)n;
}
#endif
