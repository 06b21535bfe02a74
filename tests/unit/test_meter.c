/* Log lines equal those of PyTorch, byte for byte. */
#include <config.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/tap.h"
#include "trainer/run/meters/meter.h"

/* A meter that shows these two numbers. */
static struct meter
shows(double val, double mean)
{
	const struct meter m = { val, mean, 1 };

	return m;
}

/* Lines of logs/pytorch-cpu, by PyTorch 1.13 and its ImageNet example. */
static void
test_bytes(void)
{
	struct meters m = { .time = shows(0.544, 0.544),
		.data = shows(0.017, 0.017),
		.loss = shows(6.7541, 6.7541) };
	struct strbuf sb;

	strbuf_init(&sb, 1000);
	meters_train_line(&m, 0, 1, 130, &sb);
	CHECK_STR(sb.buf,
	    "Epoch: [0][  1/130]\tTime  0.544 ( 0.544)\tData  0.017 ( 0.017)\t"
	    "Loss 6.7541e+00 (6.7541e+00)\tAcc@1   0.00 (  0.00)\t"
	    "Acc@5   0.00 (  0.00)\n");
	m.top5 = shows(25, 100.0 / 44);
	m.loss = shows(10.550, 14.453);
	strbuf_reset(&sb);
	meters_train_line(&m, 12, 11, 5005, &sb);
	CHECK(strstr(sb.buf, "Epoch: [12][  11/5005]\t") == sb.buf);
	CHECK(strstr(sb.buf, "\tAcc@5  25.00 (  2.27)\n") != NULL);
	CHECK(strstr(sb.buf, "Loss 1.0550e+01 (1.4453e+01)\t") != NULL);
	m.time = shows(0.145, 0.151);
	m.loss = shows(6.7645, 6.7578);
	m.top1 = m.top5 = shows(0, 0);
	strbuf_reset(&sb);
	meters_test_line(&m, 1, 2, &sb);
	CHECK_STR(sb.buf,
	    "Test: [1/2]\tTime  0.145 ( 0.151)\tLoss 6.7645e+00 (6.7578e+00)\t"
	    "Acc@1   0.00 (  0.00)\tAcc@5   0.00 (  0.00)\n");
	strbuf_reset(&sb);
	meters_accuracy_line(0, 18.75, &sb);
	CHECK_STR(sb.buf, " *   Acc@1 0.000 Acc@5 18.750\n");
	strbuf_release(&sb);
}

/* Parse a PyTorch line and print its numbers again; 0 if it is not one. */
static int
print_again(const char *line, struct strbuf *sb)
{
	double t[2], d[2], l[2], a[2], b[2];
	struct meters m;
	int epoch, batch, n;

	if (sscanf(line,
		"Epoch: [%d][%d/%d] Time %lf (%lf) Data %lf (%lf) "
		"Loss %lf (%lf) Acc@1 %lf (%lf) Acc@5 %lf (%lf)",
		&epoch, &batch, &n, &t[0], &t[1], &d[0], &d[1], &l[0], &l[1],
		&a[0], &a[1], &b[0], &b[1]) == 13) {
		m = (struct meters){ shows(t[0], t[1]), shows(d[0], d[1]),
			shows(l[0], l[1]), shows(a[0], a[1]),
			shows(b[0], b[1]) };
		meters_train_line(&m, epoch, batch, n, sb);
		return 1;
	}
	if (sscanf(line,
		"Test: [%d/%d] Time %lf (%lf) Loss %lf (%lf) "
		"Acc@1 %lf (%lf) Acc@5 %lf (%lf)",
		&batch, &n, &t[0], &t[1], &l[0], &l[1], &a[0], &a[1], &b[0],
		&b[1]) == 10) {
		m = (struct meters){ .time = shows(t[0], t[1]),
			.loss = shows(l[0], l[1]),
			.top1 = shows(a[0], a[1]),
			.top5 = shows(b[0], b[1]) };
		meters_test_line(&m, batch, n, sb);
		return 1;
	}
	if (sscanf(line, " * Acc@1 %lf Acc@5 %lf", &a[0], &b[0]) == 2) {
		meters_accuracy_line(a[0], b[0], sb);
		return 1;
	}
	return 0;
}

/* Every line of a real log can be printed again from its numbers. */
static void
test_real_log(void)
{
	const char *top = getenv("top_srcdir");
	char path[4096], line[1024];
	struct strbuf sb;
	int n = 0;
	FILE *f;

	snprintf(path, sizeof path,
	    "%s/logs/pytorch-cpu/1n1g/resnet18_b4_fp32_1.log",
	    top != NULL ? top : ".");
	f = fopen(path, "r");
	if (f == NULL)
		SKIP("no logs/pytorch-cpu");
	strbuf_init(&sb, 4096);
	while (fgets(line, sizeof line, f) != NULL) {
		strbuf_reset(&sb);
		if (!print_again(line, &sb))
			continue;
		CHECK_STR(sb.buf, line);
		n++;
	}
	fclose(f);
	CHECK_INT(n, 130 + 4 + 1);
	strbuf_release(&sb);
}

/* Weighted by images: 10 for 4 and 40 for 1 give (40 + 40) / 5. */
static void
test_mean(void)
{
	struct meter m = { 0, 0, 0 };

	CHECK_NEAR(meter_mean(&m), 0, 0);
	meter_update(&m, 10, 4);
	meter_update(&m, 40, 1);
	CHECK_NEAR(m.val, 40, 0);
	CHECK_NEAR(meter_mean(&m), 16, 0);
}

/* One line is one write: a pipe in packet mode keeps writes apart. */
static void
test_logger(void)
{
	struct error e = ERROR_INIT;
	struct logger l;
	char got[100];
	int fd[2];

	CHECK_INT(pipe2(fd, O_DIRECT), 0); /* keeps writes apart */
	logger_init(&l, fd[1]);
	CHECK_INT(logger_printf(&l, &e, "=> %s\n", "one"), 0);
	strbuf_addstr(&l.line, "two ");
	strbuf_addstr(&l.line, "parts\n");
	CHECK_INT(logger_flush(&l, &e), 0);
	CHECK_INT(read(fd[0], got, sizeof got), 7);
	CHECK(memcmp(got, "=> one\n", 7) == 0);
	CHECK_INT(read(fd[0], got, sizeof got), 10);
	CHECK(memcmp(got, "two parts\n", 10) == 0);
	close(fd[0]);
	close(fd[1]);
	l.fd = -1;
	CHECK_INT(logger_printf(&l, &e, "dropped\n"), 0);
	l.fd = open("/dev/full", O_WRONLY);
	if (l.fd >= 0) {
		CHECK_INT(logger_printf(&l, &e, "full\n"), -1);
		CHECK_STR(
		    e.message, "cannot write the log: No space left on device");
		CHECK_INT(l.line.len, 0);
		close(l.fd);
	}
	logger_release(&l);
}

/* The traffic of two epochs. */
static void
test_traffic(void)
{
	const struct net_counters at[] = { { 10, 1, 5, "eth0" },
		{ 14, 4, 10, "eth0" }, { 24, 9, 17, "eth0,eth1" } };
	struct net_counters sum = { 0, 0, 0, "" };

	net_counters_add(&sum, &at[0], &at[1]);
	net_counters_add(&sum, &at[1], &at[2]);
	CHECK_NEAR(sum.received, 14, 0);
	CHECK_NEAR(sum.sent, 8, 0);
	CHECK_NEAR(sum.loopback, 12, 0);
	CHECK_STR(sum.names, "eth0,eth1");
}

static const struct tap_test tests[] = {
	TEST(test_bytes),
	TEST(test_traffic),
	TEST(test_real_log),
	TEST(test_mean),
	TEST(test_logger),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
