/* How fast the scanner is, as a ratio to a walk over the newlines of the same
 * mapped file with memchr, in one process.
 *
 *	bench_scan [MEGABYTES]    (200)
 *
 * The log is made up: lines of PyTorch's ProgressMeter, 3 % of them noise,
 * from a fixed seed.  Each figure is the best of some passes.
 */
#include <config.h>

#include "extract/scan.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PASSES = 7 };

static uint64_t state = 88172645463325252u;

/* Marsaglia 2003, "Xorshift RNGs", the triple 13, 7, 17. */
static uint64_t
next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static double
now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void
make_log(FILE *f, long bytes)
{
	long used = 0;

	for (int epoch = 0; used < bytes; epoch++) {
		for (int i = 0; i < 5005; i++) {
			double step = 0.3 + (double)(next() % 50) / 1000;

			if (next() % 33 == 0)
				used += fprintf(f,
				    "[rank%d] INFO loader: "
				    "worker %d waits, queue depth %d\n",
				    (int)(next() % 8), (int)(next() % 4),
				    (int)(next() % 9));
			used += fprintf(f,
			    "Epoch: [%d][%4d/5005]\tTime %6.3f "
			    "(%6.3f)\tData %6.3f (%6.3f)\tLoss %.4e (%.4e)\t"
			    "Acc@1 %6.2f (%6.2f)\tAcc@5 %6.2f (%6.2f)\n",
			    epoch, i, step, 0.325, 0.001, 0.012, 6.9 + step,
			    6.95, 0.78, 0.12, 1.56, 0.61);
		}
		used += fprintf(f, " *   Acc@1 12.345 Acc@5 34.567\n");
	}
}

/* Seconds of a walk over the newlines of text. */
static double
walk_newlines(const char *text, size_t len)
{
	const char *end = text + len;
	static volatile long lines; /* keeps the walk from being left out */
	double t = now_s();

	for (const char *p = text; p < end; lines++) {
		p = memchr(p, '\n', (size_t)(end - p));
		p = p != NULL ? p + 1 : end;
	}
	return now_s() - t;
}

static struct measure {
	const char *what;
	struct scan_options options;
	double best; /* s */
	size_t n_samples;
} measures[] = {
	{ "hot pattern, no hash", { NULL, 1, 0, 0 }, 1e9, 0 },
	{ "hot pattern, hash", { NULL, 0, 0, 0 }, 1e9, 0 },
	{ "hot and detail patterns, no hash", { NULL, 1, 1, 0 }, 1e9, 0 },
};

enum { N_MEASURES = sizeof measures / sizeof measures[0] };

static void
scan_file(const struct format_set *set, struct measure *m, const char *path)
{
	struct scanner *s = scanner_new(set, &m->options);
	struct log log;
	double t = now_s();

	if (scanner_scan(s, path, path, NULL, &log) != 0)
		printf("# %s\n", log.problem.message);
	t = now_s() - t;
	m->best = t < m->best ? t : m->best;
	m->n_samples = log.samples.n;
	log_release(&log);
	scanner_free(s);
}

/* All in turn, so that a noisy neighbour is in the way of all. */
static int
bench(const char *path, size_t len)
{
	struct search_path dirs;
	struct format_set set;
	struct error e = ERROR_INIT;
	double walk = 1e9;
	int fd = open(path, O_RDONLY);
	char *map =
	    mmap(NULL, len, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);

	if (map == MAP_FAILED)
		return 3;
	search_path_init(&dirs, NULL, 0);
	if (format_set_load(&set, &dirs, &e) != 0)
		return error_report("bench_scan", &e);
	for (int pass = 0; pass < PASSES; pass++) {
		double t = walk_newlines(map, len);

		walk = t < walk ? t : walk;
		for (int i = 0; i < N_MEASURES; i++)
			scan_file(&set, &measures[i], path);
	}
	printf("%-34s %8.0f MB/s  1.00\n", "memchr newline walk, mapped",
	    (double)len / walk / 1e6);
	for (int i = 0; i < N_MEASURES; i++)
		printf("%-34s %8.0f MB/s  %.2f  (%zu samples)\n",
		    measures[i].what, (double)len / measures[i].best / 1e6,
		    walk / measures[i].best, measures[i].n_samples);
	format_set_release(&set);
	search_path_release(&dirs);
	munmap(map, len);
	close(fd);
	return 0;
}

int
main(int argc, char **argv)
{
	long megabytes = argc > 1 ? strtol(argv[1], NULL, 10) : 200;
	char path[] = "/tmp/dlscale-bench-XXXXXX";
	int fd = mkstemp(path), rc;
	FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
	struct stat st;

	if (f == NULL) {
		perror("bench_scan");
		return 3;
	}
	make_log(f, megabytes * 1000000);
	rc = fclose(f) == 0 && stat(path, &st) == 0
	    ? bench(path, (size_t)st.st_size)
	    : 3;
	unlink(path);
	return rc;
}
