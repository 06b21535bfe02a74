/* Profiles: busy and exposed communication against a count per microsecond, for
 * input in pieces of any size; refused input and its messages. */
#include <config.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "tests/store_pieces.h"
#include "tests/tap.h"

enum { MAX_TEXT = 1 << 24, STEP_US = 400, N_STEPS = 5 };

static uint32_t state = 7;

static uint32_t
random_below(uint32_t n)
{
	state = state * 1664525U + 1013904223U;
	return (state >> 8) % n;
}

/* Read data in pieces into out. Returns the error message, or NULL. */
static const char *
read_profile(const char *data, size_t len, size_t piece, struct strbuf *out)
{
	static struct error e;
	int cut;

	strbuf_reset(out);
	return store_pieces_read(
		   profile_file_read, data, len, piece, out, &cut, &e) == 0
	    ? NULL
	    : e.message;
}

static const char *
read_text(const char *text, struct strbuf *out)
{
	return read_profile(text, strlen(text), 1 << 20, out);
}

/* --- random profiles ------------------------------------------------------ */

static void
put_event(struct strbuf *sb, const char *cat, const char *name, int start,
    int dur, const char *args)
{
	strbuf_printf(sb,
	    "%s{\"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", \"pid\": 0, "
	    "\"tid\": 7, \"ts\": %d.0, \"dur\": %d, \"args\": {%s}}",
	    sb->buf[sb->len - 1] == '[' ? "" : ",\n", cat, name, start, dur,
	    args);
}

/* Add random kernels; kinds gets 1 for messages, 2 for others, per us. */
static void
put_random(struct strbuf *sb, unsigned char kinds[N_STEPS * STEP_US])
{
	strbuf_addstr(sb, "{\"traceEvents\": [");
	memset(kinds, 0, N_STEPS * STEP_US);
	for (int i = 0; i < N_STEPS; i++) {
		char name[32];

		snprintf(name, sizeof name, "ProfilerStep#%d", i);
		put_event(
		    sb, "user_annotation", name, i * STEP_US, STEP_US, "");
	}
	for (int i = 0; i < 60; i++) {
		const int is_message = random_below(3) == 0;
		const int start = (int)random_below(N_STEPS * STEP_US);
		const int dur = 1 + (int)random_below(30);

		put_event(sb, "kernel", is_message ? "ncclKernel" : "gemm",
		    start, dur,
		    is_message ? "\"Collective name\": \"allreduce\", "
				 "\"dtype\": \"Half\", \"In msg nelems\": 50, "
				 "\"Out msg nelems\": 50"
			       : "\"device\": 0");
		for (int k = start; k < start + dur; k++)
			if (k < N_STEPS * STEP_US)
				kinds[k] |= is_message ? 1 : 2;
	}
	strbuf_addstr(sb, "], \"after\": {\"traceEvents\": []}}\n");
}

static double
number_after(const char *text, const char *key)
{
	const char *p = strstr(text, key);

	CHECK(p != NULL);
	return p != NULL ? strtod(p + strlen(key), NULL) : -1;
}

static void
test_random(void)
{
	static unsigned char kinds[N_STEPS * STEP_US];
	struct strbuf in, out, pieces;

	strbuf_init(&in, MAX_TEXT);
	strbuf_init(&out, MAX_TEXT);
	strbuf_init(&pieces, MAX_TEXT);
	for (int i = 0; i < 50; i++) {
		int busy = 0, exposed = 0;

		strbuf_reset(&in);
		put_random(&in, kinds);
		for (int k = 0; k < N_STEPS * STEP_US; k++) {
			busy += kinds[k] & 1;
			exposed += kinds[k] == 1;
		}
		CHECK(read_text(in.buf, &out) == NULL);
		CHECK_NEAR(number_after(out.buf, "\"busy_ms\":"),
		    busy / 1e3 / N_STEPS, 1e-6);
		CHECK_NEAR(number_after(out.buf, "\"exposed_ms\":"),
		    exposed / 1e3 / N_STEPS, 1e-6);
		CHECK(read_profile(in.buf, in.len, 1 + random_below(20),
			  &pieces) == NULL);
		CHECK_STR(pieces.buf, out.buf);
		/* A truncated profile is refused without output. */
		CHECK(read_profile(in.buf, random_below((uint32_t)in.len - 2),
			  64, &pieces) != NULL);
		CHECK(pieces.len == 0);
	}
	strbuf_release(&in);
	strbuf_release(&out);
	strbuf_release(&pieces);
}

/* --- what is refused, and what is read ------------------------------------ */

static void
test_is(void)
{
	static const char *const yes[] = { "{\"traceEvents\":[",
		" {\n \"a\": {\"traceEvents\": []}, \"traceEvents\" : [{",
		"{\"a\": \"}\", \"traceEvents\": [" };
	static const char *const no[] = { "", "[{\"ph\": \"X\"}]",
		"{\"step\": 1, \"loss\": 2}\n{\"traceEvents\": [",
		"{\"a\": \"traceEvents\", \"b\": [", "{\"traceEvents\": {",
		"{\"a\": {\"traceEvents\": [" };

	for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++)
		CHECK(profile_file_is(yes[i], strlen(yes[i])));
	for (size_t i = 0; i < sizeof no / sizeof no[0]; i++)
		CHECK(!profile_file_is(no[i], strlen(no[i])));
}

static void
test_refused(void)
{
	static const struct {
		const char *text, *problem;
	} cases[] = {
		{ "{\"traceEvents\":[]}", "a trace without profiler steps" },
		{ "{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"gemm\",\"cat\":"
		  "\"kernel\",\"ts\":1,\"dur\":2}]}",
		    "a trace without profiler steps" },
		{ "{\"traceEvents\":[{\"ph\":}]}", "an event of the profile" },
		{ "{\"traceEvents\":[}]}", "the profile is no JSON" },
		{ "{\"traceEvents\":[{\"ph\":\"X\"", "the profile is trunc" },
		{ "{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"ProfilerStep#1\","
		  "\"ts\":1,\"dur\":2}]} x",
		    "trailing data after" },
		/* A step without a time and one of length 0. */
		{ "{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"ProfilerStep#1\","
		  "\"ts\":\"nan\",\"dur\":2}, {\"ph\":\"X\",\"name\":"
		  "\"ProfilerStep#2\",\"ts\":1,\"dur\":0}]}",
		    "a trace without profiler steps" },
	};
	struct strbuf out;

	strbuf_init(&out, MAX_TEXT);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const char *problem = read_text(cases[i].text, &out);

		CHECK(problem != NULL &&
		    strncmp(problem, cases[i].problem,
			strlen(cases[i].problem)) == 0);
	}
	strbuf_release(&out);
}

static void
test_event(void)
{
	static const char gather[] =
	    "{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"ProfilerStep#1\","
	    "\"ts\":10,\"dur\":5},{\"ph\":\"X\",\"cat\":\"Kernel\","
	    "\"name\":\"ncclKernel_AllGather\","
	    "\"pid\":3,\"ts\":10.5,\"dur\":2,\"args\":{\"dtype\":\"BFloat16\","
	    "\"Collective name\":\"_allgather_base\",\"In msg nelems\":%d,"
	    "\"Out msg nelems\":%d,\"Group size\":8}}]}";
	char text[sizeof gather + 20];
	struct strbuf out;

	snprintf(text, sizeof text, gather, 100, 800);
	strbuf_init(&out, MAX_TEXT);
	CHECK(read_text(text, &out) == NULL);
	CHECK(strstr(out.buf,
		  "{\"collective\":\"allgather\",\"of_step\":1,"
		  "\"bytes\":1600,\"us\":2.000,\"bus_gb_per_s\":0.7}") != NULL);
	strbuf_release(&out);
	/* With 0 elements the size is unknown. */
	snprintf(text, sizeof text, gather, 0, 0);
	strbuf_init(&out, MAX_TEXT);
	CHECK(read_text(text, &out) == NULL);
	CHECK(strstr(out.buf,
		  "{\"kernel\":\"allgather\",\"of_step\":1,"
		  "\"us\":2.000}") != NULL);
	strbuf_release(&out);
}

/* Two devices in one trace, where communication of one would fill gaps of the
 * other: the one with most kernels is measured, whatever its number. */
static void
check_devices(int most, int other)
{
	char one[32], two[32];
	struct strbuf in, out;

	snprintf(one, sizeof one, "\"device\": %d", most);
	snprintf(two, sizeof two, "\"device\": %d", other);
	strbuf_init(&in, MAX_TEXT);
	strbuf_init(&out, MAX_TEXT);
	strbuf_addstr(&in, "{\"traceEvents\": [");
	put_event(&in, "user_annotation", "ProfilerStep#1", 0, 1000, "");
	put_event(&in, "kernel", "a", 0, 100, one);
	put_event(&in, "kernel", "b", 200, 100, one);
	put_event(&in, "kernel", "ncclKernel_AllReduce", 50, 100, one);
	put_event(&in, "kernel", "c", 0, 1000, two);
	put_event(&in, "kernel", "ncclKernel_AllReduce", 0, 900, two);
	strbuf_addstr(&in, "]}");
	CHECK(read_text(in.buf, &out) == NULL);
	CHECK_NEAR(number_after(out.buf, "\"busy_ms\":"), 0.1, 1e-9);
	CHECK_NEAR(number_after(out.buf, "\"exposed_ms\":"), 0.05, 1e-9);
	/* Kernels without a stated size have a time, but no bytes. */
	CHECK(strstr(out.buf, "\"bytes\"") == NULL);
	strbuf_release(&in);
	strbuf_release(&out);
}

/* The device runs 100 us behind the CPU. The first of three steps has no mark
 * of the device, so only the second has both ends. */
static void
test_step_without_a_mark(void)
{
	struct strbuf sb, out;

	strbuf_init(&sb, MAX_TEXT);
	strbuf_init(&out, MAX_TEXT);
	strbuf_addstr(&sb, "{\"traceEvents\": [");
	for (int i = 0; i < 3; i++) {
		char name[32];

		snprintf(name, sizeof name, "ProfilerStep#%d", i);
		put_event(
		    &sb, "user_annotation", name, i * STEP_US, STEP_US, "");
		if (i > 0)
			put_event(&sb, "gpu_user_annotation", name,
			    i * STEP_US + 100, STEP_US, "\"device\": 0");
		put_event(&sb, "kernel", "gemm", i * STEP_US + 100, 50,
		    "\"device\": 0");
	}
	strbuf_addstr(&sb, "]}\n");
	CHECK(read_text(sb.buf, &out) == NULL);
	CHECK(strstr(out.buf, "\"clock\":\"device\",\"steps\":1,") != NULL);
	CHECK(strstr(out.buf, "\"step_us\":400.000") != NULL);
	CHECK(strstr(out.buf, "inf") == NULL && strstr(out.buf, "nan") == NULL);
	strbuf_release(&sb);
	strbuf_release(&out);
}

static void
test_devices(void)
{
	check_devices(1, 0);
	check_devices(0, 1);
	check_devices(63, 64);
	check_devices(64, 63);
	check_devices(100, 0);
	check_devices(999999, 128);
}

static const struct tap_test tests[] = {
	TEST(test_step_without_a_mark),
	TEST(test_random),
	TEST(test_is),
	TEST(test_refused),
	TEST(test_event),
	TEST(test_devices),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
