/* The speed of the scanner, compared with a memchr walk over the newlines of
 * the same mapped file. Times are CPU times of this process, the best of
 * several alternating passes, so that other processes have little effect.
 *
 *	bench_scan [MEGABYTES]            make a log, measure, a table (200)
 *	bench_scan make KIND BYTES FILE   make a log; KIND: plain, json, bars,
 *	                                  scalars, metrics
 *	bench_scan scan FILE...           the table for these logs
 */
#include <config.h>

#include "extract/scan/scan_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PASSES = 5 };

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

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- Logs ------------------------------------------------------------------*/

/* Lines of PyTorch's ProgressMeter, 3 % of them noise. */
static long
plain_line(FILE *f, int epoch, int i, const char *end)
{
	const double step = 0.3 + (double)(next() % 50) / 1000;
	long used = 0;

	if (next() % 33 == 0)
		used += fprintf(f,
		    "[rank%d] INFO loader: worker %d waits, queue depth %d%s",
		    (int)(next() % 8), (int)(next() % 4), (int)(next() % 9),
		    end);
	return used +
	    fprintf(f,
		"Epoch: [%d][%4d/5005]\tTime %6.3f (%6.3f)\t"
		"Data %6.3f (%6.3f)\tLoss %.4e (%.4e)\t"
		"Acc@1 %6.2f (%6.2f)\tAcc@5 %6.2f (%6.2f)%s",
		epoch, i, step, 0.325, 0.001, 0.012, 6.9 + step, 6.95, 0.78,
		0.12, 1.56, 0.61, end);
}

/* Lines of DLLogger's JSON file, as NVIDIA's programs write. */
static long
json_line(FILE *f, int epoch, int i)
{
	return fprintf(f,
	    "DLLL {\"timestamp\": \"%d.%06d\", \"datetime\": \"2024-01-02 "
	    "03:%02d:%02d.%06d\", \"elapsedtime\": \"%d.%06d\", \"type\": "
	    "\"LOG\", \"step\": [%d, %d], \"data\": {\"train.loss\": %.6f, "
	    "\"train.compute_ips\": %.4f, \"train.total_ips\": %.4f}}\n",
	    1704164581 + i, (int)(next() % 1000000), i / 60 % 60, i % 60,
	    (int)(next() % 1000000), i, (int)(next() % 1000000), epoch, i,
	    6.9 + (double)(next() % 1000) / 1e4,
	    2500 + (double)(next() % 10000) / 100,
	    2400 + (double)(next() % 10000) / 100);
}

static double
share(void)
{
	return (double)(next() >> 11) / 9007199254740992.0;
}

/* Objects as MMEngine writes them, with numbers of up to 17 digits. */
static long
scalars_line(FILE *f, int epoch, int i)
{
	return fprintf(f,
	    "{\"lr\": %.17g, \"data_time\": %.17g, \"loss\": %.17g, "
	    "\"loss_cls\": %.17g, \"loss_bbox\": %.17g, \"acc\": %.17g, "
	    "\"time\": %.17g, \"epoch\": %d, \"iter\": %d, \"memory\": "
	    "5443, \"step\": %d}\n",
	    0.01 * share(), 0.01 * share(), 5 * share(), share(), share(),
	    100 * share(), 0.3 + 0.02 * share(), epoch + 1, i + 1,
	    epoch * 5005 + i + 1);
}

/* Objects as Detectron2 writes them: most keys are ignored. */
static long
metrics_line(FILE *f, int epoch, int i)
{
	static const char *const cold[] = { "fast_rcnn/cls_accuracy",
		"fast_rcnn/false_negative", "fast_rcnn/fg_cls_accuracy",
		"loss_box_reg", "loss_cls", "loss_mask", "loss_rpn_cls",
		"loss_rpn_loc", "mask_rcnn/accuracy",
		"mask_rcnn/false_negative", "roi_head/num_bg_samples",
		"rpn/num_neg_anchors" };
	long used = fprintf(f, "{\"data_time\": %.17g, \"iteration\": %d",
	    0.01 * share(), (epoch * 5005 + i) * 20 + 19);

	for (size_t k = 0; k < sizeof cold / sizeof cold[0]; k++)
		used += fprintf(f, ", \"%s\": %.17g", cold[k], share());
	return used +
	    fprintf(f,
		", \"lr\": %.17g, \"time\": %.17g, "
		"\"total_loss\": %.17g}\n",
		0.01 * share(), 0.3 + 0.02 * share(), 2 * share());
}

static int
make_log(const char *kind, long bytes, const char *path)
{
	FILE *f = fopen(path, "w");
	long used = 0;

	if (f == NULL) {
		perror(path);
		return 3;
	}
	for (int epoch = 0; used < bytes; epoch++)
		for (int i = 0; i < 5005 && used < bytes; i++)
			used += strcmp(kind, "json") == 0
			    ? json_line(f, epoch, i)
			    : strcmp(kind, "scalars") == 0
			    ? scalars_line(f, epoch, i)
			    : strcmp(kind, "metrics") == 0
			    ? metrics_line(f, epoch, i)
			    : plain_line(f, epoch, i,
				  strcmp(kind, "bars") == 0 ? "\r" : "\n");
	if (fclose(f) == 0)
		return 0;
	perror(path);
	return 3;
}

/* --- One log ---------------------------------------------------------------*/

/* Return the seconds that a walk over the newlines of text takes. */
static double
walk_newlines(const char *text, size_t len)
{
	const char *end = text + len;
	static volatile long lines; /* prevents removal of the walk */
	double t = now_s();

	for (const char *p = text; p < end; lines++) {
		p = memchr(p, '\n', (size_t)(end - p));
		p = p != NULL ? p + 1 : end;
	}
	return now_s() - t;
}

struct measure {
	const char *what;
	struct scan_options options;
	double best; /* s */
	size_t n_samples;
};

static const struct measure measures[] = {
	{ "step pattern, no hash", { NULL, 1, 0, 0 }, 1e9, 0 },
	{ "step pattern, hash", { NULL, 0, 0, 0 }, 1e9, 0 },
	{ "all fields, no hash", { NULL, 1, 1, 0 }, 1e9, 0 },
	{ "step, each line matched anew", { NULL, 1, 0, 1 }, 1e9, 0 },
	{ "all, each line matched anew", { NULL, 1, 1, 1 }, 1e9, 0 },
};

enum { N_MEASURES = sizeof measures / sizeof measures[0] };

static double
scan_file(const struct format_set *set, const struct scan_options *options,
    const char *path, size_t *n_samples)
{
	struct scanner *s = scanner_new(set, options);
	struct log log;
	double t = now_s();

	if (scanner_scan(s, path, path, &log) != 0)
		printf("# %s\n", log.problem.message);
	t = now_s() - t;
	*n_samples = log.samples.n;
	log_release(&log);
	scanner_free(s);
	return t;
}

static int
bench_log(const struct format_set *set, const char *path)
{
	struct measure m[N_MEASURES];
	double walk = 1e9;
	int fd = open(path, O_RDONLY);
	struct stat st;
	char *map;
	size_t len;

	if (fd < 0 || fstat(fd, &st) != 0) {
		perror(path);
		return 3;
	}
	len = (size_t)st.st_size;
	map = mmap(NULL, len, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	close(fd);
	if (map == MAP_FAILED)
		return 3;
	memcpy(m, measures, sizeof m);
	for (int pass = 0; pass < PASSES; pass++) {
		double t = walk_newlines(map, len);

		walk = t < walk ? t : walk;
		for (int i = 0; i < N_MEASURES; i++) {
			t = scan_file(
			    set, &m[i].options, path, &m[i].n_samples);
			m[i].best = t < m[i].best ? t : m[i].best;
		}
	}
	munmap(map, len);
	printf("%-34s %8.0f MB/s  1.00\n", "memchr newline walk, mapped",
	    (double)len / walk / 1e6);
	for (int i = 0; i < N_MEASURES; i++)
		printf("%-34s %8.0f MB/s  %.2f  (%zu samples)\n", m[i].what,
		    (double)len / m[i].best / 1e6, walk / m[i].best,
		    m[i].n_samples);
	return 0;
}

static int
bench_own(const struct format_set *set, long megabytes)
{
	char path[] = "/tmp/dlscale-bench-XXXXXX";
	int fd = mkstemp(path), rc;

	if (fd < 0) {
		perror("bench_scan");
		return 3;
	}
	close(fd);
	rc = make_log("plain", megabytes * 1000000, path);
	if (rc == 0)
		rc = bench_log(set, path);
	unlink(path);
	return rc;
}

int
main(int argc, char **argv)
{
	struct search_path dirs;
	struct format_set set;
	struct error e = ERROR_INIT;
	int rc = 0;

	if (argc == 5 && strcmp(argv[1], "make") == 0)
		return make_log(argv[2], strtol(argv[3], NULL, 10), argv[4]);
	search_path_init(&dirs, NULL, 0);
	if (format_set_load(&set, &dirs, &e) != 0)
		return error_report("bench_scan", &e);
	if (argc >= 3 && strcmp(argv[1], "scan") == 0)
		for (int i = 2; rc == 0 && i < argc; i++)
			rc = bench_log(&set, argv[i]);
	else
		rc =
		    bench_own(&set, argc > 1 ? strtol(argv[1], NULL, 10) : 200);
	format_set_release(&set);
	search_path_release(&dirs);
	return rc;
}
