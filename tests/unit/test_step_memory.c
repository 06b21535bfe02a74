#include <config.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/alloc.h"
#include "tests/tap.h"
#include "trainer/device/device.h"
#include "trainer/run/train.h"

/* A training step allocates nothing: all calls of malloc and related functions
 * in this process, by any thread and library, pass through here and are counted
 * by calling library.
 *
 * Two libraries may allocate, as it cannot be avoided: oneDNN, whose
 * dnnl_primitive_execute() builds a table of its arguments at each call by
 * C++'s new (our code has no C++); and the OpenMP library, which allocates a
 * team for each loop if the team is one thread. */
#if defined __GLIBC__ && !defined __SANITIZE_ADDRESS__ && \
    !defined __SANITIZE_THREAD__
#define CAN_COUNT 1
#endif
#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#undef CAN_COUNT
#endif
#endif

enum { MAX_CALLS = 1 << 18 };

static atomic_int counting;
static atomic_int n_calls;
static void *callers[MAX_CALLS];

#ifdef CAN_COUNT
/* glibc's functions, by their internal names. */
void *libc_malloc(size_t n) __asm__("__libc_malloc");
void *libc_calloc(size_t n, size_t size) __asm__("__libc_calloc");
void *libc_realloc(void *p, size_t n) __asm__("__libc_realloc");
void *libc_memalign(size_t align, size_t n) __asm__("__libc_memalign");

/* The replacements, which all other code calls. */
void *counted_malloc(size_t n) __asm__("malloc");
void *counted_calloc(size_t n, size_t size) __asm__("calloc");
void *counted_realloc(void *p, size_t n) __asm__("realloc");
void *counted_aligned(size_t align, size_t n) __asm__("aligned_alloc");
void *counted_memalign(size_t align, size_t n) __asm__("memalign");
int counted_posix(void **p, size_t align, size_t n) __asm__("posix_memalign");

static void
count(void *caller)
{
	if (!atomic_load(&counting))
		return;
	const int i = atomic_fetch_add(&n_calls, 1);

	if (i < MAX_CALLS)
		callers[i] = caller;
}

void *
counted_malloc(size_t n)
{
	count(__builtin_return_address(0));
	return libc_malloc(n);
}

void *
counted_calloc(size_t n, size_t size)
{
	count(__builtin_return_address(0));
	return libc_calloc(n, size);
}

void *
counted_realloc(void *p, size_t n)
{
	count(__builtin_return_address(0));
	return libc_realloc(p, n);
}

void *
counted_aligned(size_t align, size_t n)
{
	count(__builtin_return_address(0));
	return libc_memalign(align, n);
}

void *
counted_memalign(size_t align, size_t n)
{
	count(__builtin_return_address(0));
	return libc_memalign(align, n);
}

int
counted_posix(void **p, size_t align, size_t n)
{
	count(__builtin_return_address(0));
	*p = libc_memalign(align, n);
	return *p == NULL;
}
#endif

static void
start_counting(void)
{
	atomic_store(&n_calls, 0);
	atomic_store(&counting, 1);
}

/* Count the calls since, except those of the two libraries. */
static int
stop_counting(void)
{
	int allowed = 0, others = 0, n;

	atomic_store(&counting, 0);
	n = atomic_load(&n_calls);
	CHECK(n <= MAX_CALLS);
	for (int i = 0; i < n; i++) {
		Dl_info info;
		const char *name =
		    dladdr(callers[i], &info) != 0 ? info.dli_fname : "unknown";

		if (strstr(name, "libstdc++") != NULL ||
		    strstr(name, "libdnnl") != NULL ||
		    strstr(name, "omp.so") != NULL) {
			allowed++;
			continue;
		}
		if (others++ < 10)
			printf("# allocated by %s at %p\n", name, callers[i]);
	}
	printf(
	    "# %d allocations, and %d of oneDNN and OpenMP\n", others, allowed);
	return others;
}

static void
skip_if_blind(void)
{
#ifndef CAN_COUNT
	SKIP("allocations cannot be counted in this build");
#endif
}

/* Allocations of this program and of the C library are counted. */
static void
test_counting(void)
{
	char *volatile p;

	skip_if_blind();
	start_counting();
	p = xcalloc(10, 10);
	CHECK_INT(stop_counting(), 1);
	free(p);
	start_counting();
	p = realpath("/", NULL);
	CHECK(stop_counting() > 0);
	free(p);
}

static void
device_step(struct network *n, const struct images *im, const int32_t *labels,
    long number)
{
	const struct sgd sgd = { 0.01, 0.9, 1e-4, 1 };
	struct error e = ERROR_INIT;
	struct device *d = n->device;
	struct loss_result r;

	CHECK_INT(device_load(d, im, labels, &e), 0);
	CHECK_INT(device_forward(d, MODE_TRAIN, number, &e), 0);
	CHECK_INT(device_loss(d, &e), 0);
	CHECK_INT(device_result(d, &r, &e), 0);
	CHECK_INT(device_backward(d, NULL, NULL, &e), 0);
	CHECK_INT(device_update(d, &sgd, &e), 0);
}

/* Train on a device; the first step may start threads. */
static void
check_device(const char *model, const char *device, enum dtype precision)
{
	enum { BATCH = 2, SIDE = 63 };
	const struct network_config c = { .model = model,
		.classes = 10,
		.image = SIDE,
		.device = { .device = device,
		    .precision = precision,
		    .batch = BATCH,
		    .threads = 1 } };
	static const float x[BATCH * 3 * SIDE * SIDE];
	static const int32_t labels[BATCH] = { 1, 2 };
	const struct images im = {
		.type = DTYPE_FP32, .order = IMAGES_NCHW, .data = x, .n = BATCH
	};
	struct error e = ERROR_INIT;
	struct network n;

	skip_if_blind();
	if (network_open(&c, &n, &e) != 0) {
		printf("# %s\n", e.message);
		CHECK_INT(e.code, ERROR_USAGE);
		SKIP("this build or this machine cannot");
	}
	device_step(&n, &im, labels, 0);
	start_counting();
	for (int i = 1; i < 3; i++)
		device_step(&n, &im, labels, i);
	CHECK_INT(stop_counting(), 0);
	network_close(&n);
}

static void
test_cpu_fp32(void)
{
	check_device("resnet18", "cpu", DTYPE_FP32);
}

static void
test_cpu_bf16(void)
{
	check_device("resnet18", "cpu", DTYPE_BF16);
}

static void
test_cpu_alexnet(void)
{
	check_device("alexnet", "cpu", DTYPE_FP32);
}

static void
test_reference(void)
{
	check_device("resnet18", "reference", DTYPE_FP32);
}

/* Open a run without a log. batches is the option for the steps of an epoch. */
static void
open_run(struct train *t, struct comm *comm, const char *batches)
{
	const char *const words[] = { "train_imagenet", "--dummy",
		"--threads=1", "--image-size=32", "-b2", "--epochs=3",
		"--val-batches=0", "--classes=10", "-aresnet18", batches };
	enum { N = N_TESTS(words) };
	char *argv[N + 1] = { NULL };
	struct error e = ERROR_INIT;
	int first, out, null, rc;

	for (int i = 0; i < N; i++)
		argv[i] = xstrdup(words[i]);
	CHECK_INT(
	    options_parse(train_program(), N, argv, &first, &e), OPTIONS_RUN);
	fflush(stdout);
	out = dup(STDOUT_FILENO); /* TAP; restored below */
	null = open("/dev/null", O_WRONLY);
	dup2(null, STDOUT_FILENO);
	rc = train_open(t, train_options(argv + first, &e), comm, &e);
	dup2(out, STDOUT_FILENO);
	close(null);
	close(out);
	t->log.fd = t->tags.fd = -1;
	for (int i = 0; i < N; i++)
		free(argv[i]);
	CHECK_INT(rc, 0);
}

/* Number of allocations in the second epoch. */
static int
epoch_allocations(struct comm *comm, const char *batches)
{
	struct error e = ERROR_INIT;
	struct train t;
	int n;

	open_run(&t, comm, batches);
	CHECK_INT(train_epoch(&t, 0, &e), 0);
	start_counting();
	CHECK_INT(train_epoch(&t, 1, &e), 0);
	n = stop_counting();
	train_close(&t);
	return n;
}

/* The whole training step, with the threads that make images: a longer epoch
 * allocates as much as a shorter one. */
static void
test_trainer(void)
{
	struct error e = ERROR_INIT;
	struct comm *comm;
	int a, b;

	skip_if_blind();
	CHECK_INT(comm_open("self", &comm, &e), 0);
	a = epoch_allocations(comm, "--batches-per-epoch=2");
	b = epoch_allocations(comm, "--batches-per-epoch=9");
	CHECK_INT(b, a);
	comm_close(comm);
}

static const struct tap_test tests[] = {
	TEST(test_counting),
	TEST(test_cpu_fp32),
	TEST(test_cpu_bf16),
	TEST(test_cpu_alexnet),
	TEST(test_reference),
	TEST(test_trainer),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
