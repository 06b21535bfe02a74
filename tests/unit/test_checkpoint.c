/* Checkpoints of a small network are read back; other files are refused.
 */
#include <config.h>

#include "trainer/run/checkpoint.h"

#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

#include "common/alloc.h"
#include "tests/tap.h"
#include "trainer/base/rng.h"

enum { SIDE = 4, RANKS = 2 };

static struct error e;
static struct graph graph;
static const char path[] = "state";

static struct device *
open_device(enum dtype precision)
{
	const struct device_config c = { .device = "reference",
		.precision = precision,
		.batch = 2,
		.threads = 1 };
	struct device *d;

	CHECK_INT(device_open(&graph, &c, &d, &e), 0);
	return d;
}

static const enum tensor_kind kinds[] = { TENSOR_PARAM, TENSOR_MOMENTUM,
	TENSOR_BUFFER };

static int
count(enum tensor_kind k)
{
	return k == TENSOR_BUFFER ? graph.n_buffers : graph.n_params;
}

/* Fill all tensors with different numbers, most of them not exact in fp32. */
static void
fill(struct device *d, double more)
{
	for (int k = 0; k < 3; k++)
		for (int i = 0; i < count(kinds[k]); i++) {
			const size_t n = device_tensor_size(d, kinds[k], i);
			double *x = xcalloc(n, sizeof *x);

			for (size_t j = 0; j < n; j++)
				x[j] = more + k + 0.1 * i + 0.001 * (double)j;
			CHECK_INT(
			    device_write(d, kinds[k], i, DTYPE_FP64, x, &e), 0);
			free(x);
		}
}

/* Largest absolute difference between the tensors of two devices. */
static double
distance(struct device *a, struct device *b)
{
	double most = 0;

	for (int k = 0; k < 3; k++)
		for (int i = 0; i < count(kinds[k]); i++) {
			const size_t n = device_tensor_size(a, kinds[k], i);
			double *x = xcalloc(n, sizeof *x);
			double *y = xcalloc(n, sizeof *y);

			device_read(a, kinds[k], i, DTYPE_FP64, x, &e);
			device_read(b, kinds[k], i, DTYPE_FP64, y, &e);
			for (size_t j = 0; j < n; j++)
				most = fmax(most, fabs(x[j] - y[j]));
			free(x);
			free(y);
		}
	return most;
}

static const struct checkpoint state = { .model = "small",
	.classes = 3,
	.image = SIDE,
	.device = "reference",
	.precision = "fp64",
	.lr = 0.1,
	.momentum = 0.9,
	.weight_decay = 1e-4,
	.lr_step = 30,
	.seed = 5,
	.devices = RANKS,
	.batch_per_device = 2,
	.batches_per_epoch = 10,
	.train_images = 37,
	.image_list = 0xfedcba9876543210,
	.epoch = 3,
	.batch = 4,
	.step = 34,
	.best_top1 = 100.0 / 3,
	.loss_scale = 32768,
	.loss_scale_good = 17 };

static double meters[RANKS * CHECKPOINT_METERS];

static void
write_state(enum dtype precision, double more)
{
	struct device *d = open_device(precision);

	fill(d, more);
	for (int i = 0; i < RANKS * CHECKPOINT_METERS; i++)
		meters[i] = i / 7.0;
	CHECK_INT(checkpoint_write(path, &state, meters, d, &e), 0);
	device_close(d);
}

/* Open and read. Returns 0, or -1 with e set. */
static int
read_state(struct device *d, struct checkpoint *c, double *m)
{
	struct checkpoint_file *f;
	int rc;

	if (checkpoint_open(path, c, &f, &e) != 0)
		return -1;
	rc = checkpoint_read(f, m, d, &e);
	checkpoint_close(f);
	return rc;
}

static void
round_trip(enum dtype from, enum dtype to, double tolerance)
{
	struct device *a = open_device(from), *b = open_device(to);
	double got[RANKS * CHECKPOINT_METERS];
	struct checkpoint c;

	write_state(from, 1);
	fill(a, 1);
	CHECK(distance(a, b) > 1);
	CHECK_INT(read_state(b, &c, got), 0);
	CHECK(distance(a, b) <= tolerance);
	CHECK_INT(memcmp(got, meters, sizeof got), 0);
	CHECK_STR(c.model, "small");
	CHECK_STR(c.precision, "fp64");
	CHECK_INT(c.train_images, 37);
	CHECK(c.image_list == state.image_list);
	CHECK(c.lr == 0.1 && c.best_top1 == state.best_top1);
	CHECK_INT(c.epoch, 3);
	CHECK_INT(c.batch, 4);
	CHECK_INT(c.step, 34);
	CHECK_NEAR(c.loss_scale, 32768, 0);
	CHECK_INT(c.loss_scale_good, 17);
	device_close(a);
	device_close(b);
}

static void
test_round_trip(void)
{
	round_trip(DTYPE_FP64, DTYPE_FP64, 0);
	round_trip(DTYPE_FP32, DTYPE_FP32, 0);
	/* A conversion is as exact as the other type allows. */
	round_trip(DTYPE_FP32, DTYPE_FP64, 0);
	round_trip(DTYPE_FP64, DTYPE_FP32, 1e-6);
}

static unsigned char *
load(size_t *n)
{
	FILE *f = fopen(path, "rb");
	unsigned char *x = xmalloc(1 << 16);

	CHECK(f != NULL);
	*n = fread(x, 1, 1 << 16, f);
	CHECK(*n < 1 << 16);
	fclose(f);
	return x;
}

static void
store(const unsigned char *x, size_t n)
{
	FILE *f = fopen(path, "wb");

	CHECK(f != NULL);
	CHECK_INT(fwrite(x, 1, n, f), n);
	fclose(f);
}

/* Write the checksum that matches the modified contents. */
static void
seal(unsigned char *x, size_t n)
{
	uint64_t sum = XXH3_64bits(x, n - 8);

	for (int i = 0; i < 8; i++, sum >>= 8)
		x[n - 8 + (size_t)i] = (unsigned char)sum;
}

static const char *
message(void)
{
	struct checkpoint_file *f;
	struct checkpoint c;

	e.message[0] = '\0';
	if (checkpoint_open(path, &c, &f, &e) == 0) {
		checkpoint_close(f);
		return "fine";
	}
	CHECK(e.code == ERROR_INPUT);
	return e.message;
}

/* A file cut at any length or one byte too long is refused. */
static void
test_cut(void)
{
	unsigned char *x;
	size_t n;

	write_state(DTYPE_FP32, 1);
	x = load(&n);
	for (size_t i = 0; i < n; i++) {
		store(x, i);
		if (i < 16)
			CHECK_STR(message(),
			    "state: not a checkpoint of train_imagenet");
		else
			CHECK(strncmp(message(), "state: truncated: it has",
				  24) == 0);
	}
	x[n] = 0;
	store(x, n + 1);
	CHECK_STR(message(), "state: damaged: its checksum does not match");
	store(x, n);
	CHECK_STR(message(), "fine");
	free(x);
}

/* A flipped bit is detected in every byte. */
static void
test_flip(void)
{
	unsigned char *x;
	size_t n;

	write_state(DTYPE_FP32, 1);
	x = load(&n);
	for (size_t i = 0; i < n; i++) {
		x[i] ^= (unsigned char)(1 << i % 8);
		store(x, n);
		CHECK(strcmp(message(), "fine") != 0);
		if (i > 31)
			CHECK_STR(message(),
			    "state: damaged: its checksum does not match");
		x[i] ^= (unsigned char)(1 << i % 8);
	}
	free(x);
}

static void
test_random_flips(void)
{
	/* DLSCALE_CHECKPOINT_FLIPS sets the number of flips. */
	const char *wanted = getenv("DLSCALE_CHECKPOINT_FLIPS");
	const long n_flips = wanted != NULL ? strtol(wanted, NULL, 10) : 300;
	struct rng r = { 20, RNG_STREAM_DATA, 0 };
	uint32_t four[4];
	unsigned char *x;
	size_t n;

	write_state(DTYPE_FP64, 3);
	x = load(&n);
	CHECK(n_flips > 0);
	for (long i = 0; i < n_flips; i++) {
		size_t at;
		unsigned char with;

		rng_block(&r, (uint64_t)i, four);
		at = four[0] % n;
		with = (unsigned char)(1 + four[1] % 255);
		x[at] ^= with;
		store(x, n);
		CHECK(strcmp(message(), "fine") != 0);
		x[at] ^= with;
	}
	store(x, n);
	CHECK_STR(message(), "fine");
	free(x);
}

static void
test_newer(void)
{
	unsigned char *x;
	size_t n;

	write_state(DTYPE_FP32, 1);
	x = load(&n);
	CHECK_INT(x[16], CHECKPOINT_VERSION);
	x[16] = CHECKPOINT_VERSION + 1;
	seal(x, n);
	store(x, n);
	CHECK_STR(message(),
	    "state: a checkpoint of version 3; this program reads version 2");
	free(x);
}

/* Files with a valid checksum but an invalid header. */
static void
test_header(void)
{
	static const struct {
		const char *from, *to, *message;
	} cases[] = {
		{ "model", "nodel", "state: no 'model' in the header" },
		{ "classes=3", "classes=x", "state: 'x' is no 'classes'" },
		{ "devices=2", "devices=0", "state: '0' is no 'devices'" },
		{ "batch=4\n", "batch=44", "state: '44step=34' is no 'batch'" },
		{ "step=34\n", "step=34+",
		    "state: '34+best_top1=33.333333333333336' is no 'step'" },
		{ "batch=4\nstep=34", "batch=44\nstep=3",
		    "state: batch 44 of an epoch of 10" },
		{ "momentum=0.9", "momentum=1.1",
		    "state: '1.1' is no 'momentum'" },
		{ "=fedcba98", "=fedcba9-",
		    "state: 'fedcba9-76543210' is no 'image_list'" },
	};

	for (int i = 0; i < N_TESTS(cases); i++) {
		unsigned char *x, *at;
		size_t n;

		write_state(DTYPE_FP32, 1);
		x = load(&n);
		at = memmem(x, n, cases[i].from, strlen(cases[i].from));
		CHECK(at != NULL);
		memcpy(at, cases[i].to, strlen(cases[i].to));
		seal(x, n);
		store(x, n);
		CHECK_STR(message(), cases[i].message);
		free(x);
	}
}

/* Tensors of another network under the same name. */
static void
test_tensors(void)
{
	struct device *d = open_device(DTYPE_FP32);
	double got[RANKS * CHECKPOINT_METERS];
	unsigned char *x, *at;
	struct checkpoint c;
	size_t n;

	write_state(DTYPE_FP32, 1);
	x = load(&n);
	at = memmem(x, n, "conv.weight", 11);
	CHECK(at != NULL);
	at[0] = 'k';
	seal(x, n);
	store(x, n);
	CHECK_INT(read_state(d, &c, got), -1);
	CHECK_STR(
	    e.message, "state: 'konv.weight' where 'conv.weight' is expected");
	at[0] = 'c';
	at[-8]++; /* its number of elements */
	seal(x, n);
	store(x, n);
	CHECK_INT(read_state(d, &c, got), -1);
	CHECK_INT(e.code, ERROR_INPUT);
	free(x);
	device_close(d);
}

/* checkpoint_read() returns what checkpoint_open() checked, even if the file is
 * overwritten and truncated in between. */
static void
test_changes_meanwhile(void)
{
	struct device *a = open_device(DTYPE_FP32),
		      *b = open_device(DTYPE_FP32);
	double got[RANKS * CHECKPOINT_METERS];
	struct checkpoint_file *f;
	struct checkpoint c;
	unsigned char *x;
	size_t n;

	write_state(DTYPE_FP32, 1);
	fill(a, 1);
	CHECK_INT(checkpoint_open(path, &c, &f, &e), 0);
	x = load(&n);
	memset(x, 0x11, n);
	store(x, n / 2);
	CHECK_INT(checkpoint_read(f, got, b, &e), 0);
	CHECK_INT(memcmp(got, meters, sizeof got), 0);
	CHECK(distance(a, b) <= 0);
	checkpoint_close(f);
	free(x);
	device_close(a);
	device_close(b);
}

static int
count_entries(void)
{
	DIR *d = opendir(".");
	int n = 0;

	CHECK(d != NULL);
	while (readdir(d) != NULL)
		n++;
	closedir(d);
	return n - 2; /* "." and ".." */
}

/* A failed write keeps the old file and leaves no other file behind. */
static void
test_old_is_kept(void)
{
	struct device *d = open_device(DTYPE_FP32);
	struct rlimit old, small;
	unsigned char *before, *after;
	double nan[64] = { 0 };
	size_t n, m;

	write_state(DTYPE_FP32, 1);
	before = load(&n);
	fill(d, 2);
	CHECK_INT(getrlimit(RLIMIT_FSIZE, &old), 0);
	small = old;
	small.rlim_cur = 600;
	signal(SIGXFSZ, SIG_IGN);
	CHECK_INT(setrlimit(RLIMIT_FSIZE, &small), 0);
	CHECK_INT(checkpoint_write(path, &state, meters, d, &e), -1);
	CHECK_INT(setrlimit(RLIMIT_FSIZE, &old), 0);
	CHECK_INT(e.code, ERROR_SYSTEM);
	CHECK_STR(e.message, "cannot write 'state': File too large");
	CHECK(device_tensor_size(d, TENSOR_MOMENTUM, 0) <= N_TESTS(nan));
	nan[5] = NAN;
	CHECK_INT(device_write(d, TENSOR_MOMENTUM, 0, DTYPE_FP64, nan, &e), 0);
	CHECK_INT(checkpoint_write(path, &state, meters, d, &e), -1);
	CHECK_INT(e.code, ERROR_DOMAIN);
	CHECK_STR(e.message,
	    "'conv.weight' has values that are not finite: nothing was written "
	    "to 'state'");
	after = load(&m);
	CHECK_INT(n, m);
	CHECK_INT(memcmp(before, after, n), 0);
	CHECK_INT(unlink(path), 0);
	CHECK_INT(count_entries(), 0);
	free(before);
	free(after);
	device_close(d);
}

/* Write two states in alternation until a signal ends the process. */
static void
write_for_ever(struct device *a, struct device *b)
{
	struct checkpoint other = state;

	other.step++;
	for (;;)
		if (checkpoint_write(path, &state, meters, a, &e) != 0 ||
		    checkpoint_write(path, &other, meters, b, &e) != 0)
			_exit(9);
}

/* Check that the file equals one of the two, byte for byte. */
static void
check_is_either(unsigned char *const *files, const size_t *sizes)
{
	size_t n;
	unsigned char *x = load(&n);
	int is_either = 0;

	for (int i = 0; i < 2; i++)
		is_either |= n == sizes[i] && memcmp(x, files[i], n) == 0;
	CHECK(is_either);
	free(x);
}

static void
remove_others(void)
{
	DIR *d = opendir(".");
	const struct dirent *entry;

	CHECK(d != NULL);
	while ((entry = readdir(d)) != NULL)
		if (strncmp(entry->d_name, "state.", 6) == 0)
			CHECK_INT(unlink(entry->d_name), 0);
	closedir(d);
}

/* A signal at any moment of a write leaves either the old or the new state. */
static void
test_killed(void)
{
	static const int signals[] = { SIGTERM, SIGKILL };
	const char *wanted = getenv("DLSCALE_CHECKPOINT_KILLS");
	const long n_kills = wanted != NULL ? strtol(wanted, NULL, 10) : 10;
	struct rng r = { 21, RNG_STREAM_DATA, 0 };
	struct device *a = open_device(DTYPE_FP64);
	struct device *b = open_device(DTYPE_FP64);
	struct checkpoint other = state;
	unsigned char *files[2];
	size_t sizes[2];

	CHECK(n_kills > 0);
	other.step++;
	fill(a, 1);
	fill(b, 2);
	CHECK_INT(checkpoint_write(path, &other, meters, b, &e), 0);
	files[1] = load(&sizes[1]);
	CHECK_INT(checkpoint_write(path, &state, meters, a, &e), 0);
	files[0] = load(&sizes[0]);
	for (long i = 0; i < 2 * n_kills; i++) {
		const double at = rng_uniform(&r, (uint64_t)i);
		const pid_t pid = fork();
		int status;

		CHECK(pid >= 0);
		if (pid == 0) {
			signal(SIGTERM, SIG_DFL);
			write_for_ever(a, b);
		}
		usleep((useconds_t)(20000 * at));
		CHECK_INT(kill(pid, signals[i % 2]), 0);
		CHECK(waitpid(pid, &status, 0) == pid);
		CHECK(WIFSIGNALED(status));
		check_is_either(files, sizes);
		/* A forked child does not remove its temporary file. */
		remove_others();
		CHECK_INT(count_entries(), 1);
	}
	for (int i = 0; i < 2; i++)
		free(files[i]);
	device_close(a);
	device_close(b);
}

static void
test_unreadable(void)
{
	struct checkpoint_file *f;
	struct checkpoint c;

	CHECK_INT(checkpoint_open("none", &c, &f, &e), -1);
	CHECK_INT(e.code, ERROR_SYSTEM);
	CHECK_STR(e.message,
	    "cannot read checkpoint 'none': No such file or directory");
	CHECK_INT(checkpoint_open(".", &c, &f, &e), -1);
	CHECK_STR(e.message, ".: not a file");
	CHECK_INT(mkfifo("fifo", 0600), 0);
	alarm(60);
	CHECK_INT(checkpoint_open("fifo", &c, &f, &e), -1);
	alarm(0);
	CHECK_STR(e.message, "fifo: not a file");
	CHECK_INT(unlink("fifo"), 0);
	checkpoint_close(NULL);
}

static void
test_differ(void)
{
	struct checkpoint other = state;
	struct strbuf sb;

	strbuf_init(&sb, 1000);
	CHECK_INT(
	    checkpoint_differ(&state, &other, ~0u, CHECKPOINT_NAMES, &sb), 0);
	other.classes = 10;
	other.lr = 0.30000000000000004;
	other.step = 7;
	snprintf(other.device, sizeof other.device, "cpu");
	CHECK_INT(
	    checkpoint_differ(&state, &other,
		CHECKPOINT_NETWORK | CHECKPOINT_COURSE, CHECKPOINT_NAMES, &sb),
	    3);
	CHECK_STR(sb.buf, "classes,device,lr");
	strbuf_reset(&sb);
	checkpoint_differ(
	    &state, &other, CHECKPOINT_COURSE, CHECKPOINT_VALUES, &sb);
	CHECK_STR(sb.buf,
	    "device is reference, not cpu; lr is 0.1, not "
	    "0.30000000000000004");
	strbuf_release(&sb);
}

static const struct tap_test tests[] = {
	TEST(test_round_trip),
	TEST(test_cut),
	TEST(test_flip),
	TEST(test_random_flips),
	TEST(test_newer),
	TEST(test_header),
	TEST(test_tensors),
	TEST(test_changes_meanwhile),
	TEST(test_old_is_kept),
	TEST(test_killed),
	TEST(test_unreadable),
	TEST(test_differ),
};

int
main(void)
{
	const struct shape input = { 3, SIDE, SIDE };
	const char *tmp = getenv("TMPDIR");
	char *scratch =
	    xasprintf("%s/checkpoint.XXXXXX", tmp != NULL ? tmp : "/tmp");
	int node;

	if (mkdtemp(scratch) == NULL || chdir(scratch) != 0) {
		printf("1..0 # SKIP cannot make '%s'\n", scratch);
		return 0;
	}
	graph_start(&graph, input);
	node = graph_conv(&graph, "conv", 0, 2, 3, 1, 1, 0);
	node = graph_relu(&graph, graph_batchnorm(&graph, "bn", node));
	node = graph_avgpool(&graph, node, 1);
	graph_linear(&graph, "fc", node, 3);
	graph_finish(&graph);
	tap_main(tests, N_TESTS(tests));
	graph_release(&graph);
	unlink(path);
	if (chdir("/") != 0 || rmdir(scratch) != 0)
		printf("# something is left in %s\n", scratch);
	free(scratch);
	return 0;
}
