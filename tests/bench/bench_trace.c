/* Measure the time to record a collective, alone and with the two reads of the
 * clock that it needs. Prints the results and never fails.
 *
 *	bench_trace [RECORDS]    (2000000) */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>

#include "common/process.h"
#include "common/text.h"
#include "trainer/sync/collective_trace.h"

/* Seconds for n records; looks: 1 to include the reads of the clock. */
static double
measure(struct trace *t, long n, int looks)
{
	struct trace_event x = { .op = "allreduce", .n_tensors = 1 };
	double begin;

	begin = seconds_now();
	for (long i = 0; i < n; i++) {
		if (i % 1000 == 0)
			trace_begin_step(t, i / 1000, begin);
		x.bytes = (double)(i % 1000) * (1 << 20);
		x.start = looks ? seconds_now() : 0;
		x.end = looks ? seconds_now() : 0.01;
		trace_add(t, &x);
	}
	return seconds_now() - begin;
}

int
main(int argc, char **argv)
{
	struct trace *t = trace_new(2);
	long n = 2000000;

	if (argc > 1 && parse_long(argv[1], 1, 1000000000, &n) != 0)
		return 2;
	for (int looks = 0; looks < 2; looks++)
		printf("a collective is recorded in %.1f ns%s\n",
		    1e9 * measure(t, n, looks) / (double)n,
		    looks ? ", both looks at the clock included" : "");
	trace_free(t);
	return 0;
}
