#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/alloc.h"
#include "common/program/options.h"
#include "trainer/device/device.h"
#include "trainer/base/rng.h"

/* Time of a training step on one device, phase by phase: synthetic images, no
 * loader, no communication.  Prints one line; the minimum and the median over
 * the steps. */
static const char *model, *device, *precision;
static long batch, image, classes, steps, threads;
static int verbose, cpu_time, on_request;

static const struct opt opts[] = {
	{ OPT_STR, 'a', "arch", "NAME", .help = "model", .def = "resnet50",
	    .to = &model },
	{ OPT_STR, 'd', "device", "NAME", .help = "device", .def = "cpu",
	    .to = &device },
	{ OPT_STR, 0, "precision", "NAME", .help = "fp32, bf16, ...",
	    .def = "fp32", .to = &precision },
	{ OPT_INT, 'b', "batch-size", "N", .unit = "images",
	    .help = "images in a step", .def = "16", .min = 1, .max = 1e6,
	    .to = &batch },
	{ OPT_INT, 0, "image-size", "N", .unit = "pixels",
	    .help = "side of an image; 0: the model's", .def = "0", .min = 0,
	    .max = 1e4, .to = &image },
	{ OPT_INT, 0, "classes", "N", .help = "classes", .def = "1000",
	    .min = 1, .max = 1e6, .to = &classes },
	{ OPT_INT, 'n', "steps", "N", .help = "steps to time", .def = "10",
	    .min = 1, .max = 1e6, .to = &steps },
	{ OPT_INT, 't', "threads", "N", .help = "threads; 0: all", .def = "0",
	    .min = 0, .max = 1e4, .to = &threads },
	{ OPT_FLAG, 0, "cpu-time",
	    .help = "count CPU time of all threads, not time",
	    .to = &cpu_time },
	{ OPT_FLAG, 0, "on-request",
	    .help = "say ready, then do a step for every line of standard "
		    "input and print its seconds: time, CPU time",
	    .to = &on_request },
	{ OPT_FLAG, 'v', "verbose", .help = "print the device's plan and times",
	    .to = &verbose },
	{ .kind = OPT_END },
};

static const struct program program = {
	.name = "bench_train",
	.synopsis = "[OPTION]...",
	.summary = "time training steps",
	.text = "Times the phases of training steps on synthetic images.",
	.opts = opts,
};

enum { PHASES = 5 };
static const char *const phases[PHASES] = { "load", "forward", "loss",
	"backward", "update" };

static double
seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double
now_s(void)
{
	return seconds(cpu_time ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC);
}

static int
step(struct network *n, const struct images *im, const int32_t *labels,
    long number, double *times, struct loss_result *r, struct error *e)
{
	const struct sgd sgd = { 0.01, 0.9, 1e-4, 1 };
	struct device *d = n->device;
	double start = now_s();

	for (int i = 0; i < PHASES; i++) {
		int rc = i == 0 ? device_load(d, im, labels, e)
		    : i == 1    ? device_forward(d, MODE_TRAIN, number, e)
		    : i == 2    ? device_loss(d, e)
		    : i == 3    ? device_backward(d, NULL, NULL, e)
				: device_update(d, &sgd, e);
		double end;

		if (rc != 0 || device_sync(d, e) != 0)
			return -1;
		end = now_s();
		times[i] = end - start;
		start = end;
	}
	return device_result(d, r, e);
}

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void
report(const struct network *n, double *totals, double (*times)[PHASES],
    const struct loss_result *r)
{
	const double flops = graph_training_flops(&n->graph);
	double best, middle;

	qsort(totals, (size_t)steps, sizeof *totals, by_value);
	best = totals[0];
	middle = totals[steps / 2];
	printf("ours %s %s %s b%ld: %.2f img/s (median %.2f), %.3f TFLOP/s, "
	       "loss %.4f;",
	    device, model, precision, batch, (double)batch / best,
	    (double)batch / middle, flops * (double)batch / best / 1e12,
	    r->loss);
	for (int i = 0; i < PHASES; i++) {
		double least = times[0][i];

		for (long k = 1; k < steps; k++)
			if (times[k][i] < least)
				least = times[k][i];
		printf(" %s %.1f", phases[i], 1e3 * least);
	}
	printf(" ms\n");
}

/* Do one step for every line of standard input until "end". Returns -1 if a
 * step fails. */
static int
serve(struct network *n, const struct images *im, const int32_t *labels,
    struct error *e)
{
	struct strbuf plan;
	struct loss_result r;
	double times[PHASES];
	char line[16];

	strbuf_init(&plan, 1 << 20);
	device_describe(n->device, &plan);
	printf("ready %.*s\n", (int)strcspn(plan.buf, "\n"), plan.buf);
	strbuf_release(&plan);
	fflush(stdout);
	for (long i = 2; fgets(line, sizeof line, stdin) != NULL &&
	     strcmp(line, "end\n") != 0;
	     i++) {
		const double start = seconds(CLOCK_MONOTONIC);
		const double start_cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);

		if (step(n, im, labels, i, times, &r, e) != 0)
			return -1;
		printf("step %.6f %.6f\n", seconds(CLOCK_MONOTONIC) - start,
		    seconds(CLOCK_PROCESS_CPUTIME_ID) - start_cpu);
		fflush(stdout);
	}
	return 0;
}

static int
run(struct network *n, struct error *e)
{
	const size_t pixels =
	    3 * (size_t)batch * (size_t)n->graph.image * (size_t)n->graph.image;
	float *x = xcalloc(pixels, sizeof *x);
	int32_t *labels = xcalloc((size_t)batch, sizeof *labels);
	double *totals = xcalloc((size_t)steps, sizeof *totals);
	double(*times)[PHASES] = xcalloc((size_t)steps, sizeof *times);
	const struct rng key = { 1, RNG_STREAM_DATA, 0 };
	const struct images im = { .type = DTYPE_FP32,
		.order = IMAGES_NCHW,
		.data = x,
		.n = (int)batch };
	struct loss_result r;
	int rc = 0;

	rng_fill_normal(&key, 1, pixels, x);
	for (long i = 0; i < batch; i++)
		labels[i] = (int32_t)(i * 7 % classes);
	for (long i = -2; rc == 0 && i < (on_request ? 0 : steps); i++) {
		const long k = i < 0 ? 0 : i;

		rc = step(n, &im, labels, i + 2, times[k], &r, e);
		totals[k] = 0;
		for (int p = 0; p < PHASES; p++)
			totals[k] += times[k][p];
	}
	if (rc == 0 && on_request)
		rc = serve(n, &im, labels, e);
	else if (rc == 0)
		report(n, totals, times, &r);
	free(x);
	free(labels);
	free(totals);
	free(times);
	return rc;
}

int
main(int argc, char **argv)
{
	struct error e = ERROR_INIT;
	struct network_config c = { 0 };
	struct network n;
	int operands;

	switch (options_parse(&program, argc, argv, &operands, &e)) {
	case OPTIONS_FAILED:
		return error_report(program.name, &e);
	case OPTIONS_DONE:
		return 0;
	case OPTIONS_RUN:
		break;
	}
	if (dtype_find(precision, &c.device.precision) != 0) {
		error_set(&e, ERROR_USAGE, "no precision '%s'", precision);
		return error_report(program.name, &e);
	}
	c.model = model;
	c.classes = (int)classes;
	c.image = (int)image;
	c.device.device = device;
	c.device.batch = (int)batch;
	c.device.threads = (int)threads;
	if (network_open(&c, &n, &e) != 0)
		return error_report(program.name, &e);
	if (run(&n, &e) != 0)
		return error_report(program.name, &e);
	if (verbose) {
		struct strbuf plan;

		strbuf_init(&plan, 1 << 20);
		device_describe(n.device, &plan);
		fputs(plan.buf, stdout);
		strbuf_release(&plan);
	}
	network_close(&n);
	return 0;
}
