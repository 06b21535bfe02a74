/* The file of measured engines, and the choice among candidates. */
#include <config.h>

#include "trainer/device/cuda/engines/engine_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/files.h"
#include "tests/tap.h"

static struct error e;
static char dir[] = "/tmp/engine_cacheXXXXXX";
static char path[sizeof dir + 20];

static const struct engine_machine h200 = { 91900, 9, 0, 132, "NVIDIA H200" };
static const struct engine_choice first = { 256, DTYPE_FP16, 0, 87.5, "conv:a",
	"eng12_k2=3" };
static const struct engine_choice second = { 256, DTYPE_FP16, 1, 99, "conv:a",
	"eng0" };

static const char two[] = "dlscale-engines 1\n"
			  "cudnn 91900\n"
			  "gpu 9.0 132 NVIDIA H200\n"
			  "engine 256 fp16 0 87.500 conv:a eng12_k2=3\n"
			  "engine 256 fp16 1 99.000 conv:a eng0\n"
			  "end 2\n";

static void
test_round_trip(void)
{
	struct engine_cache c;
	char text[1000] = "";
	const struct engine_choice *x;
	struct engine_choice key;
	FILE *f;

	engine_cache_init(&c, &h200);
	CHECK_INT(engine_cache_read(&c, "/no/such/file", &e), 0);
	CHECK_INT(c.n, 0);
	engine_cache_put(&c, &first);
	engine_cache_put(&c, &second);
	engine_cache_put(&c, &first); /* the same again */
	CHECK_INT(c.n, 2);
	CHECK_INT(c.changed, 1);
	CHECK_INT(engine_cache_write(&c, path, &e), 0);
	CHECK_INT(c.changed, 0);
	engine_cache_release(&c);
	f = fopen(path, "r");
	CHECK(f != NULL);
	CHECK(fread(text, 1, sizeof text - 1, f) > 0);
	fclose(f);
	CHECK_STR(text, two);
	engine_cache_init(&c, &h200);
	CHECK_INT(engine_cache_read(&c, path, &e), 0);
	CHECK_INT(c.n, 2);
	CHECK_INT(c.changed, 0);
	key = second;
	x = engine_cache_find(&c, &key);
	CHECK(x != NULL);
	CHECK_STR(x->engine, "eng0");
	CHECK_NEAR(x->us, 99, 0);
	/* Every part of the key counts. */
	key.deterministic = 0;
	CHECK_STR(engine_cache_find(&c, &key)->engine, "eng12_k2=3");
	key.batch = 255;
	CHECK(engine_cache_find(&c, &key) == NULL);
	key = second;
	key.precision = DTYPE_BF16;
	CHECK(engine_cache_find(&c, &key) == NULL);
	key = second;
	key.signature[5] = 'b';
	CHECK(engine_cache_find(&c, &key) == NULL);
	engine_cache_release(&c);
}

/* A damaged file, or one of another GPU, is ignored with a message. */
static void
check_ignored(
    const struct engine_machine *m, const char *text, const char *words)
{
	struct engine_cache c;

	file_put(path, text);
	engine_cache_init(&c, m);
	e.message[0] = '\0';
	CHECK_INT(engine_cache_read(&c, path, &e), 1);
	if (strstr(e.message, words) == NULL)
		printf("# %s\n", e.message);
	CHECK(strstr(e.message, words) != NULL);
	CHECK(strncmp(e.message, path, strlen(path)) == 0);
	CHECK(strstr(e.message, "measured again") != NULL);
	CHECK_INT(c.n, 0);
	engine_cache_release(&c);
}

static void
test_foreign(void)
{
	struct engine_machine m = h200;

	m.cudnn = 92000;
	check_ignored(
	    &m, two, ":2: measured with cuDNN '91900', but this is '92000'; ");
	m = h200;
	m.multiprocessors = 114;
	check_ignored(&m, two,
	    ":3: measured on GPU '9.0 132 NVIDIA H200', but this is "
	    "'9.0 114 NVIDIA H200'; ");
	m = h200;
	m.major = 10;
	check_ignored(&m, two, "this is '10.0 132 NVIDIA H200'");
	m = h200;
	snprintf(m.name, sizeof m.name, "NVIDIA H100");
	check_ignored(&m, two, "this is '9.0 132 NVIDIA H100'");
}

#define HEAD "dlscale-engines 1\ncudnn 91900\ngpu 9.0 132 NVIDIA H200\n"

static void
test_damaged(void)
{
	char cut[sizeof two];
	struct engine_cache c;

	/* A file truncated at any byte is damaged. */
	for (size_t n = 0; n < sizeof two - 1; n++) {
		memcpy(cut, two, n);
		cut[n] = '\0';
		check_ignored(&h200, cut, ": ");
	}
	check_ignored(&h200, "", ":1: the file ends too early");
	check_ignored(&h200, "{}\n", ":1: not a file of measured engines");
	check_ignored(&h200, "dlscale-engines 1\nx\n", ":2: no version");
	check_ignored(
	    &h200, "dlscale-engines 1\ncudnn 91900\nx\n", ":3: no GPU");
	check_ignored(
	    &h200, HEAD "engine 1 fp16 0 1 a\nend 1\n", ":4: not an engine");
	check_ignored(&h200, HEAD "engine 1 fp16 0 1 a b c\nend 1\n",
	    ":4: not an engine");
	check_ignored(
	    &h200, HEAD "engine 0 fp16 0 1 a b\nend 1\n", ":4: not an engine");
	check_ignored(
	    &h200, HEAD "engine 1 fp17 0 1 a b\nend 1\n", ":4: not an engine");
	check_ignored(
	    &h200, HEAD "engine 1 fp16 2 1 a b\nend 1\n", ":4: not an engine");
	check_ignored(&h200, HEAD "engine 1 fp16 0 nan a b\nend 1\n",
	    ":4: not an engine");
	check_ignored(
	    &h200, HEAD "engine 1 fp16 0 -1 a b\nend 1\n", ":4: not an engine");
	check_ignored(&h200, HEAD "engine 1 fp16 0 1 a b\nend 2\n",
	    ":5: not as many engines as it states");
	check_ignored(&h200, HEAD "end 0\nmore\n", ":4: text after the end");
	engine_cache_init(&c, &h200);
	CHECK_INT(engine_cache_read(&c, dir, &e), 1); /* a folder */
	engine_cache_release(&c);
}

static void
test_no_room(void)
{
	struct engine_cache c;

	engine_cache_init(&c, &h200);
	engine_cache_put(&c, &first);
	CHECK_INT(engine_cache_write(&c, "/proc/no/engines", &e), -1);
	CHECK_INT(e.code, ERROR_SYSTEM);
	CHECK_INT(c.changed, 1);
	engine_cache_release(&c);
}

static void
test_path(void)
{
	struct strbuf sb;

	strbuf_init(&sb, 1000);
	setenv("HOME", "/home/x", 1);
	setenv("XDG_CACHE_HOME", "/big", 1);
	engine_cache_path(&h200, &sb);
	CHECK_STR(sb.buf, "/big/dlscale/engines-91900-nvidia-h200-132");
	strbuf_reset(&sb);
	setenv("XDG_CACHE_HOME", "", 1);
	engine_cache_path(&h200, &sb);
	CHECK_STR(
	    sb.buf, "/home/x/.cache/dlscale/engines-91900-nvidia-h200-132");
	strbuf_reset(&sb);
	unsetenv("XDG_CACHE_HOME");
	unsetenv("HOME");
	engine_cache_path(&h200, &sb);
	CHECK_STR(sb.buf, "");
	strbuf_release(&sb);
}

/* Everything that changes the graph changes the signature. */
static void
test_signature(void)
{
	struct call c = { .kind = CALL_CONV,
		.conv = { 64, 56, 56, 256, 56, 56, 1, 1, 0 },
		.in = { 3, MEMORY_PLAN_NONE, MEMORY_PLAN_NONE, MEMORY_PLAN_NONE,
		    MEMORY_PLAN_NONE },
		.norm = { -1, -1 } };
	char text[ENGINE_WORD], other[ENGINE_WORD];
	int *const shape = &c.conv.c;

	engine_signature(&c, text);
	CHECK_STR(text, "conv:c64,h56,w56,k256,p56,q56,f1,s1,d0");
	for (int i = 0; i < 9; i++) {
		shape[i]++;
		engine_signature(&c, other);
		CHECK(strcmp(text, other) != 0);
		shape[i]--;
	}
	c.norm[0] = 7;
	engine_signature(&c, other);
	CHECK_STR(other, "conv:c64,h56,w56,k256,p56,q56,f1,s1,d0:sums");
	c.kind = CALL_CONV_DATA;
	engine_signature(&c, other);
	CHECK_STR(other, "data:c64,h56,w56,k256,p56,q56,f1,s1,d0:norm");
	c.in[1] = 5;
	engine_signature(&c, other);
	CHECK_STR(other, "data:c64,h56,w56,k256,p56,q56,f1,s1,d0:norm:added");
	c.in[3] = 6;
	engine_signature(&c, other);
	CHECK_STR(other, "data:c64,h56,w56,k256,p56,q56,f1,s1,d0:block:added");
	c.in[1] = c.in[3] = MEMORY_PLAN_NONE;
	c.norm[0] = -1;
	c.kind = CALL_CONV_WEIGHT;
	engine_signature(&c, other);
	CHECK(strcmp(text, other) != 0);
	c.kind = CALL_CONV;
	c.in[0] = 9; /* the buffer does not matter */
	engine_signature(&c, other);
	CHECK_STR(text, other);
}

/* --- the choice ----------------------------------------------------------- */

/* Candidates with prescribed times of each round; the last time is repeated.
 * Negative: fails. */
struct script {
	double rounds[TUNE_MAX][4];
	int unprepared[TUNE_MAX];
	int round[TUNE_MAX];
	int64_t engine[TUNE_MAX];
	int n_timed;
	double seconds; /* of the best */
	int left;       /* timings until the time is up; 0: no limit */
	double noise;   /* added to one run of each round */
};

static int
script_prepare(void *ctx, int i, struct error *error)
{
	const struct script *s = ctx;

	return s->unprepared[i]
	    ? error_set(error, ERROR_SYSTEM, "no plan %d", i)
	    : 0;
}

static int
script_time(void *ctx, int i, int n, double *seconds, struct error *error)
{
	struct script *s = ctx;
	const int round = s->round[i] < 3 ? s->round[i]++ : 3;
	const double x = s->rounds[i][round];

	s->n_timed++;
	if (x < 0)
		return error_set(error, ERROR_SYSTEM, "engine %d fails", i);
	for (int k = 0; k < n; k++)
		seconds[k] = x + (k == round % n ? s->noise : 0);
	return 0;
}

static int
script_is_over(void *ctx)
{
	const struct script *s = ctx;

	return s->left > 0 && s->n_timed >= s->left;
}

/* Choose from the first n candidates, beginning with round 0. */
static int
choose(struct script *s, int n)
{
	const struct tune_task t = { .n = n,
		.prepare = script_prepare,
		.engine = s->engine,
		.time = script_time,
		.is_over = script_is_over,
		.ctx = s };

	memset(s->round, 0, sizeof s->round);
	s->n_timed = 0;
	return tune(&t, &s->seconds, &e);
}

static void
fill(struct script *s, int i, double a, double b, double c, double d)
{
	const double x[4] = { a, b, c, d };

	memcpy(s->rounds[i], x, sizeof x);
}

static void
test_choice(void)
{
	struct script s = { .noise = 100 };

	/* One slow run in a round has no effect; the fastest round counts. */
	fill(&s, 0, 5, 5, 5, 5);
	fill(&s, 1, 5, 6, 3, 6);
	fill(&s, 2, 4, 4, 4, 4);
	CHECK_INT(choose(&s, 3), 1);
	CHECK_NEAR(s.seconds, 3, 0);
	CHECK_INT(s.n_timed, 3 + 3 * TUNE_ROUNDS);
	/* A single candidate is timed as often. */
	CHECK_INT(choose(&s, 1), 0);
	CHECK_INT(s.n_timed, 1 + TUNE_ROUNDS);
}

/* Only candidates near the best are timed again, at most TUNE_BEST: 6, and 3 in
 * the second trial, would be fast only in later rounds. */
static void
test_few_again(void)
{
	struct script s = { .noise = 0 };

	for (int i = 0; i < 7; i++)
		fill(&s, i, 10 + 0.1 * i, 11, 11 - 0.1 * i, 11);
	fill(&s, 6, 10.7, 1, 1, 1);
	CHECK_INT(choose(&s, 7), 3);
	CHECK_INT(s.n_timed, 7 + TUNE_BEST * TUNE_ROUNDS);
	fill(&s, 3, 13.1, 1, 1, 1);
	CHECK_INT(choose(&s, 4), 2);
	CHECK_INT(s.n_timed, 4 + 3 * TUNE_ROUNDS);
}

/* The trial stops after several candidates in a row that are no better, but
 * after the first few it tries each engine once. When the time is up, nothing
 * else is tried or timed again. */
static void
test_enough(void)
{
	struct script s = { .noise = 0 };

	for (int i = 0; i < 40; i++)
		fill(&s, i, 10 + i, 10 + i, 10 + i, 10 + i);
	fill(&s, 8, 5, 5, 5, 5);
	fill(&s, 20, 1, 1, 1, 1);
	fill(&s, 30, 2, 2, 2, 2);
	s.engine[30] = 1;
	CHECK_INT(choose(&s, 40), 30);
	CHECK_INT(s.n_timed, TUNE_FIRST + 1 + TUNE_VAIN + TUNE_ROUNDS);
	s.engine[30] = 0;
	CHECK_INT(choose(&s, 40), 8);
	CHECK_INT(s.n_timed, 9 + TUNE_VAIN + TUNE_ROUNDS);
	fill(&s, 1, 9, 9, 9, 9);
	for (s.left = 1; s.left < 4; s.left += 2) {
		CHECK_INT(choose(&s, 40), s.left > 1);
		CHECK_INT(s.n_timed, s.left);
	}
}

static void
test_ties(void)
{
	struct script s = { .noise = 0 };

	for (int i = 0; i < 6; i++)
		fill(&s, i, 2, 2, 2, 2);
	CHECK_INT(choose(&s, 6), 0);
	/* Equal in the end: the first wins, though the other led. */
	fill(&s, 5, 1, 1, 1, 1);
	fill(&s, 2, 1.2, 1, 1, 1);
	CHECK_INT(choose(&s, 6), 2);
}

static void
test_unusable(void)
{
	struct script s = { .noise = 0 };

	fill(&s, 0, 1, 1, 1, 1);
	s.unprepared[0] = 1;
	fill(&s, 1, -1, -1, -1, -1);
	fill(&s, 2, 9, 9, 9, 9);
	CHECK_INT(choose(&s, 3), 2);
	CHECK_INT(choose(&s, 2), -1);
	CHECK_STR(e.message, "engine 1 fails");
	CHECK_INT(choose(&s, 1), -1);
	CHECK_STR(e.message, "no plan 0");
	CHECK_INT(choose(&s, 0), -1);
	CHECK_INT(e.code, ERROR_EMPTY);
	/* A candidate that fails later is a failure of the machine. */
	memset(&s, 0, sizeof s);
	fill(&s, 0, 1, 1, -1, 1);
	fill(&s, 1, 1, 1, 1, 1);
	CHECK_INT(choose(&s, 2), -1);
}

static const struct tap_test tests[] = {
	TEST(test_round_trip),
	TEST(test_foreign),
	TEST(test_damaged),
	TEST(test_no_room),
	TEST(test_path),
	TEST(test_signature),
	TEST(test_choice),
	TEST(test_few_again),
	TEST(test_enough),
	TEST(test_ties),
	TEST(test_unusable),
};

int
main(void)
{
	int status;

	if (mkdtemp(dir) == NULL)
		return 1;
	snprintf(path, sizeof path, "%s/engines", dir);
	status = tap_main(tests, sizeof tests / sizeof tests[0]);
	unlink(path);
	rmdir(dir);
	return status;
}
