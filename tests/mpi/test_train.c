/* State that the ranks of a training run share. */
#include <config.h>

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/alloc.h"
#include "tests/host_staging_memory.h"
#include "tests/mpi/mpi_tap.h"
#include "trainer/run/train.h"

/* Open a run on small images, without a log. */
static void
open_run(struct train *t, const char *model)
{
	const char *const words[] = { "train_imagenet", "--dummy",
		"--device=reference", "--threads=1", "--image-size=32", "-b2",
		"--epochs=1", "--batches-per-epoch=2", "--val-batches=1",
		"--classes=10", "-a", model };
	enum { N = N_TESTS(words) };
	struct error e = ERROR_INIT;
	char *argv[N + 1] = { NULL };
	int first, out, null, rc;

	for (int i = 0; i < N; i++)
		argv[i] = xstrdup(words[i]);
	ALL(options_parse(train_program(), N, argv, &first, &e) == OPTIONS_RUN);
	fflush(stdout);
	out = dup(STDOUT_FILENO); /* for TAP; the first lines are discarded */
	null = open("/dev/null", O_WRONLY);
	dup2(null, STDOUT_FILENO);
	rc = train_open(t, train_options(argv + first, &e), world, &e);
	dup2(out, STDOUT_FILENO);
	close(null);
	close(out);
	t->log.fd = t->tags.fd = -1;
	ALL(rc == 0);
	for (int i = 0; i < N; i++)
		free(argv[i]);
}

/* True if a buffer, the running mean of the first normalisation, is equal on
 * all ranks. */
static int
same_buffer(struct train *t)
{
	const size_t n =
	    device_tensor_size(t->network.device, TENSOR_BUFFER, 0);
	float *own = xcalloc(n, sizeof *own), *first;
	int same;

	device_read(t->network.device, TENSOR_BUFFER, 0, DTYPE_FP32, own, NULL);
	first = xcalloc(n, sizeof *first);
	memcpy(first, own, n * sizeof *own);
	comm_broadcast(world, first, n * sizeof *first, 0, NULL);
	same = memcmp(first, own, n * sizeof *own) == 0;
	free(first);
	free(own);
	return all_ranks(same);
}

/* Each rank has its own running statistics until a validation copies those of
 * rank 0 to all. */
static void
test_buffers(void)
{
	struct error e = ERROR_INIT;
	struct train t;

	open_run(&t, "resnet18");
	ALL(same_buffer(&t));
	ALL(train_epoch(&t, 0, &e) == 0);
	CHECK(same_buffer(&t) == (world->size == 1));
	ALL(train_validate(&t, &e) == 0);
	ALL(same_buffer(&t));
	train_close(&t);
}

static int
same_weights(struct train *t)
{
	struct error e = ERROR_INIT;
	uint64_t sum;
	double norm;

	train_checksum(t, &sum, &norm, &e);
	return comm_check_same(world, "weights", sum, &e) == 0;
}

/* Weights that differ are replaced by those of rank 0. */
static void
test_weights(void)
{
	struct error e = ERROR_INIT;
	float bias[10];
	struct train t;
	int last;

	open_run(&t, "resnet18");
	last = t.network.graph.n_params - 1; /* fc.bias */
	CHECK(same_weights(&t));
	for (int i = 0; i < 10; i++)
		bias[i] = (float)(i + world->rank);
	ALL(device_write(t.network.device, TENSOR_PARAM, last, DTYPE_FP32, bias,
		&e) == 0);
	CHECK(same_weights(&t) == (world->size == 1));
	ALL(train_share_weights(&t, &e) == 0);
	CHECK(same_weights(&t));
	ALL(device_read(t.network.device, TENSOR_PARAM, last, DTYPE_FP32, bias,
		&e) == 0);
	ALL(bias[0] == 0 && bias[9] == 9);
	train_close(&t);
}

static const struct train *closing;
static int detached;

static void
note_detach(struct comm *c)
{
	(void)c;
	detached += closing->network.device != NULL && closing->plan.n > 0;
}

/* A backend with threads on the device detaches before the device closes. */
static void
test_detached(void)
{
	const struct comm_ops *own = world->ops;
	struct comm_ops ops = *own;
	struct train t;

	open_run(&t, "resnet18");
	closing = &t;
	ops.detach = note_detach;
	world->ops = &ops;
	train_close(&t);
	world->ops = own;
	ALL(detached == 1);
}

/* Pretend that the device's gradients are not in host memory, so that they are
 * summed through staging memory, in pieces. */
static void
make_staged(struct train *t, struct device_ops *ops, size_t piece)
{
	struct device *d = t->network.device;
	struct error e = ERROR_INIT;

	*ops = *d->ops;
	ops->on_host = 0;
	ops->staging = &host_staging_memory;
	d->ops = ops;
	ALL(host_staging_open(d, &t->plan, piece, &t->staging, &e) == 0);
	t->reduction.staging = t->staging;
	reducer_configure(t->reducer, &t->reduction);
}

/* Staging in small pieces gives the same weights as no staging. */
static void
test_staged(void)
{
	struct error e = ERROR_INIT;
	struct device_ops ops;
	struct train t;
	uint64_t plain, staged;
	double norm;

	if (world->size == 1)
		SKIP("one rank only");
	open_run(&t, "resnet18");
	ALL(train_epoch(&t, 0, &e) == 0);
	train_checksum(&t, &plain, &norm, &e);
	train_close(&t);
	open_run(&t, "resnet18");
	make_staged(&t, &ops, 1 << 20);
	ALL(train_epoch(&t, 0, &e) == 0);
	train_checksum(&t, &staged, &norm, &e);
	CHECK(same_weights(&t));
	ALL(staged == plain);
	ALL(host_staging_calls.join == 2); /* steps */
	ALL(host_staging_calls.in == host_staging_calls.out);
	ALL(host_staging_calls.out > 2 * t.plan.n);
	train_close(&t);
}

/* A failed copy ends the step with its error, without a hang. */
static void
test_staged_failure(void)
{
	struct error e = ERROR_INIT;
	struct device_ops ops;
	struct train t;

	if (world->size == 1)
		SKIP("one rank only");
	open_run(&t, "resnet18");
	make_staged(&t, &ops, 1 << 20);
	host_staging_fails = 1; /* the first copy, before anything is sent */
	ALL(train_epoch(&t, 0, &e) != 0);
	host_staging_fails = 0;
	ALL(strcmp(e.message, "the copy failed") == 0);
	train_close(&t);
}

static const struct tap_test tests[] = {
	TEST(test_buffers),
	TEST(test_weights),
	TEST(test_detached),
	TEST(test_staged),
	TEST(test_staged_failure),
};

int
main(void)
{
	return mpi_tap_main(tests, N_TESTS(tests));
}
