/* Traces of collectives: bandwidths, size bins, the ring, lines, and the files
 * for trace viewers, also after the writer is killed. */
#include <config.h>

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/json/json.h"
#include "common/result/result.h"
#include "tests/tap.h"
#include "trainer/sync/collective_trace.h"

static const double mib = 1 << 20;
static int taking_part; /* ranks of a collective; 0: all */

static struct trace_event
make(double bytes, double seconds)
{
	return (struct trace_event){ .op = "allreduce",
		.bucket = 3,
		.n_tensors = 2,
		.ranks = taking_part,
		.bytes = bytes,
		.ready = 10.001,
		.start = 10.002,
		.end = 10.002 + seconds };
}

/* The largest responses of VGG-16 in ../shared/seeds (001): 392 MiB in 493.28
 * ms over 4 ranks, given as 9537.35 Mibit/s: 8 * 392 * 1.5 / 0.49328. */
static void
test_bandwidth(void)
{
	struct trace_event x = make(392 * mib, 0.49328);

	CHECK_NEAR(8 / mib * trace_bus_bandwidth(&x, 4), 9536.2, 0.1);
	CHECK_NEAR(8 / mib * trace_algorithm_bandwidth(&x), 9536.2 / 1.5, 0.1);
	CHECK_NEAR(
	    trace_bus_bandwidth(&x, 2), trace_algorithm_bandwidth(&x), 1e-3);
	CHECK_NEAR(trace_bus_bandwidth(&x, 1), 0, 0);
	x.op = "reduce_scatter";
	CHECK_NEAR(8 / mib * trace_bus_bandwidth(&x, 4), 9536.2 / 2, 0.1);
	x.op = "broadcast";
	CHECK_NEAR(
	    trace_bus_bandwidth(&x, 4), trace_algorithm_bandwidth(&x), 1e-3);
	x.end = x.start; /* a clock that is too coarse */
	CHECK(isfinite(trace_bus_bandwidth(&x, 4)));
}

static void
add(struct trace *t, double bytes, double seconds)
{
	const struct trace_event x = make(bytes, seconds);

	trace_add(t, &x);
}

/* A bound belongs to the bin below it. */
static void
test_bins(void)
{
	static const struct {
		double bytes_mib, to_mib;
	} rows[] = {
		{ 0, 1.0 / 1024 },
		{ 1.0 / 1024, 1.0 / 1024 },
		{ 1.001 / 1024, 1 },
		{ 1, 1 },
		{ 1.01, 10 },
		{ 10, 10 },
		{ 10.01, 20 },
		{ 62.9, 70 },
		{ 64, 70 },
		{ 100, 100 },
		{ 100.01, 150 },
		{ 392, 400 },
		{ 1000, 1000 },
		{ 1001, INFINITY },
		{ 50000, INFINITY },
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct trace *t = trace_new(2);
		const double to = rows[i].to_mib * mib;
		int n = 0;

		add(t, rows[i].bytes_mib * mib, 0.5);
		for (int k = 0; k < SIZE_BINS; k++)
			if (t->bins[k].n > 0) {
				CHECK_NEAR(t->bins[k].seconds, 0.5, 1e-9);
				CHECK_INT(size_bin(to), k);
				CHECK_INT(size_bin(nextafter(to, INFINITY)),
				    isinf(to) ? k : k + 1);
				n++;
			}
		CHECK_INT(n, 1);
		trace_free(t);
	}
}

/* Bandwidths of a subset of the ranks, and the factors of the operations. */
static void
test_some_ranks(void)
{
	struct trace_event x = {
		.op = "reduce_scatter", .bytes = 1e9, .end = 1
	};

	CHECK_NEAR(trace_bus_bandwidth(&x, 4), 0.75e9, 1);
	x.ranks = 2;
	CHECK_NEAR(trace_bus_bandwidth(&x, 4), 0.5e9, 1);
	x.op = "allgather";
	CHECK_NEAR(trace_bus_bandwidth(&x, 4), 0.5e9, 1);
	x.op = "allreduce";
	CHECK_NEAR(trace_bus_bandwidth(&x, 4), 1e9, 1);
	x.op = "broadcast";
	CHECK_NEAR(trace_bus_bandwidth(&x, 4), 1e9, 1);
}

/* The table of 001 for two sizes: the mean of rates is not bytes over time. */
static void
test_histogram(void)
{
	struct trace *t = trace_new(4);
	struct strbuf sb;

	strbuf_init(&sb, 1 << 16);
	for (int i = 0; i < 400; i++)
		add(t, 392 * mib, 0.49328);
	add(t, 2 * mib, 0.01);
	add(t, 2 * mib, 0.03);
	trace_show_histogram(t, &sb);
	CHECK_STR(sb.buf,
	    "dlscale: collectives_by_size size=(1MB,10MB] n=2 mean_mib=2 "
	    "mean_rate_mibit_per_s=1600 rate_mibit_per_s=1200 total_s=0.04 "
	    "mean_ms=20 share=0.0002\n"
	    "dlscale: collectives_by_size size=(350MB,400MB] n=400 "
	    "mean_mib=392 mean_rate_mibit_per_s=9536.17 "
	    "rate_mibit_per_s=9536.17 total_s=197.31 mean_ms=493.28 "
	    "share=0.9998\n");
	strbuf_release(&sb);
	trace_free(t);
	trace_free(NULL);
}

static void
test_step(void)
{
	struct trace *t = trace_new(2);
	struct strbuf sb;

	strbuf_init(&sb, 1 << 16);
	trace_begin_step(t, 6, 1);
	add(t, 1, 1);
	trace_begin_step(t, 11, 10);
	add(t, 1e6, 0.004);
	add(t, 2e6, 0.002);
	trace_end_step(t, 0.0015, 10.1);
	CHECK_INT(t->step.n, 2);
	trace_show_step(t, "mpi", 1, &sb);
	CHECK_STR(sb.buf,
	    "dlscale: collective step=12 rank=1 bucket=3 op=allreduce "
	    "backend=mpi tensors=2 bytes=1000000 ready_us=1000.0 "
	    "start_us=2000.0 duration_us=4000.0 algorithm_gb_per_s=0.25 "
	    "bus_gb_per_s=0.25\n"
	    "dlscale: collective step=12 rank=1 bucket=3 op=allreduce "
	    "backend=mpi tensors=2 bytes=2000000 ready_us=1000.0 "
	    "start_us=2000.0 duration_us=2000.0 algorithm_gb_per_s=1 "
	    "bus_gb_per_s=1\n"
	    "dlscale: collectives step=12 rank=1 n=2 bytes=3000000 "
	    "busy_us=6000.0 exposed_us=1500.0 overlap=0.7500\n");
	strbuf_release(&sb);
	trace_free(t);
	trace_add(NULL, NULL); /* no trace is kept */
}

static char path[] = "test_collective_trace.XXXXXX";

static char *
slurp(void)
{
	static char text[1 << 24];
	FILE *f = fopen(path, "r");
	size_t n = f != NULL ? fread(text, 1, sizeof text - 1, f) : 0;

	if (f != NULL)
		fclose(f);
	text[n] = '\0';
	return text;
}

static int
is_json(const char *text)
{
	struct json_doc j;
	struct error e = ERROR_INIT;
	int rc = json_doc_parse("timeline", text, strlen(text), &j, &e);

	if (rc != 0)
		printf("# %s\n", e.message);
	else
		json_doc_release(&j);
	return rc == 0;
}

static const char *backend = "mpi";

static void
write_steps(const char *form, int n)
{
	const struct timeline_writer_config c = { .form = form,
		.backend = backend,
		.dtype = "float32",
		.element = 4,
		.ranks = 2 };
	struct trace *t = trace_new(2);
	struct timeline_writer *l;

	CHECK_INT(timeline_writer_open(path, &c, &l, NULL), 0);
	CHECK(is_json(slurp()));
	for (int i = 0; i < n; i++) {
		trace_begin_step(t, i, 10);
		add(t, 4000, 0.004);
		trace_end_step(t, 0.0015, 10.1);
		CHECK_INT(timeline_writer_step(l, t, NULL), 0);
		if (i < 3)
			CHECK(is_json(slurp()));
	}
	timeline_writer_close(l);
	trace_free(t);
}

static void
test_timeline(void)
{
	const char *text;

	write_steps("horovod", 2);
	text = slurp();
	CHECK(strstr(text,
		  "{\"ph\": \"B\", \"name\": \"ALLREDUCE\", \"ts\": 1000, "
		  "\"pid\": 4},\n"
		  "{\"ph\": \"B\", \"name\": \"QUEUE\", \"ts\": 1000, "
		  "\"pid\": 4},\n"
		  "{\"ph\": \"E\", \"ts\": 2000, \"pid\": 4},\n"
		  "{\"ph\": \"B\", \"name\": \"MPI_ALLREDUCE\", "
		  "\"ts\": 2000, \"pid\": 4},\n"
		  "{\"ph\": \"E\", \"ts\": 6000, \"pid\": 4},\n"
		  "{\"ph\": \"E\", \"ts\": 6000, \"pid\": 4, \"args\": "
		  "{\"dtype\": \"float32\", \"shape\": \"[1000]\"}}") != NULL);
	/* A bucket's number is one less than that of its "process". */
	for (int i = 0; i < 4; i++) {
		char name[256];

		snprintf(name, sizeof name,
		    "\"pid\": %d, \"args\": {\"name\": \"bucket.%d\"}},\n"
		    "{\"name\": \"process_sort_index\", \"ph\": \"M\", "
		    "\"pid\": %d, \"args\": {\"sort_index\": %d}}",
		    i + 1, i, i + 1, i + 1);
		CHECK(strstr(text, name) != NULL);
	}
	write_steps("chrome", 2);
	text = slurp();
	CHECK(strstr(text,
		  "{\"name\": \"allreduce\", \"cat\": \"collective\", "
		  "\"ph\": \"X\", \"ts\": 2000.000, \"dur\": 4000.000, "
		  "\"pid\": 0, \"tid\": 2, \"args\": {\"step\": 2, "
		  "\"bucket\": 3, ") != NULL);
	CHECK(strstr(text,
		  "\"args\": {\"step\": 2, \"bytes\": 4000, "
		  "\"busy_us\": 4000.000, \"exposed_us\": 1500.000}}") != NULL);
	/* An event without a number of ranks has that of the run. */
	CHECK(strstr(text, "\"ranks\": 0") == NULL);
	/* One of two ranks took part. */
	taking_part = 1;
	write_steps("chrome", 1);
	taking_part = 0;
	CHECK(strstr(slurp(), "\"ranks\": 1, \"algorithm_gb_per_s\"") != NULL);
}

/* Names are in capitals, without underscores, and cut at 31 characters. */
static void
test_long_name(void)
{
	backend = "a_very_long_name_of_a_back_end_of_somebody_else";
	write_steps("horovod", 1);
	CHECK(strstr(slurp(),
		  "\"name\": \"AVERYLONGNAMEOFABACKENDOFSOMEBO_ALLREDUCE\"") !=
	    NULL);
	backend = "mpi";
}

/* True if the text is a whole array after its last, cut event is replaced by
 * the end of the array; changes the text. */
static int
is_cut_json(char *text)
{
	char *last = NULL;

	for (char *p = strstr(text, ",\n"); p != NULL; p = strstr(p + 1, ",\n"))
		last = p;
	if (last == NULL)
		return 0;
	memcpy(last, "\n]", 3);
	return is_json(text);
}

/* A writer that is killed between two steps leaves a closed array. */
static void
test_killed(void)
{
	for (size_t i = 0; timeline_forms[i] != NULL; i++) {
		const pid_t child = fork();
		int status;

		if (child == 0) {
			write_steps(timeline_forms[i], 1000);
			kill(getpid(), SIGKILL);
		}
		waitpid(child, &status, 0);
		CHECK(WIFSIGNALED(status));
		CHECK(is_json(slurp()));
	}
}

/* A kill at any moment may interrupt a write of two pages, of which the kernel
 * may have done the first: only the last event is cut. */
static void
test_killed_at_any_moment(void)
{
	for (size_t i = 0; timeline_forms[i] != NULL; i++) {
		pid_t child;
		int status;

		unlink(path);
		child = fork();
		if (child == 0) {
			write_steps(timeline_forms[i], 1 << 30);
			_exit(1);
		}
		/* A busy machine may take long to start the child. */
		for (int k = 0; k < 5000 && slurp()[0] == '\0'; k++)
			usleep(1000);
		usleep(20000);
		kill(child, SIGKILL);
		waitpid(child, &status, 0);
		CHECK(WIFSIGNALED(status));
		CHECK(is_json(slurp()) || is_cut_json(slurp()));
	}
}

static void
test_unwritable(void)
{
	const struct timeline_writer_config c = { .form = "chrome",
		.backend = "mpi",
		.dtype = "float32",
		.element = 4,
		.ranks = 2 };
	struct error e = ERROR_INIT;
	struct timeline_writer *l;

	CHECK_INT(timeline_writer_open("no/such/folder/x", &c, &l, &e), -1);
	CHECK_STR(e.message,
	    "cannot write timeline 'no/such/folder/x': No such "
	    "file or directory");
	if (access("/dev/full", W_OK) != 0)
		SKIP("no /dev/full");
	CHECK_INT(timeline_writer_open("/dev/full", &c, &l, &e), -1);
}

static const struct tap_test tests[] = { TEST(test_bandwidth), TEST(test_bins),
	TEST(test_some_ranks), TEST(test_histogram), TEST(test_step),
	TEST(test_timeline), TEST(test_long_name), TEST(test_killed),
	TEST(test_killed_at_any_moment), TEST(test_unwritable) };

int
main(void)
{
	const int fd = mkstemp(path);
	int rc;

	if (fd < 0)
		return 1;
	close(fd);
	rc = tap_main(tests, N_TESTS(tests));
	unlink(path);
	return rc;
}
