#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "tests/tap.h"
#include "trainer/tune/horovod_tuner.h"

/* Horovod's own defaults. */
static const struct horovod_tuner_config usual = {
	.warmup = 3, .steps = 10, .most = 20, .noise = 0.8
};

/* A search takes 21 samples for one variable or more; each switch doubles them.
 * 168 samples and 3 to warm up, of 50 steps each, are 8550 steps. */
static void
test_samples(void)
{
	struct horovod_tuner_config c = usual;

	CHECK_INT(horovod_tuner_samples(&c), 168);
	CHECK_INT(horovod_tuner_steps(&c), 8550);
	c.switch_fixed[0] = 1;
	CHECK_INT(horovod_tuner_samples(&c), 84);
	c.switch_fixed[1] = 1;
	CHECK_INT(horovod_tuner_samples(&c), 42);
	c.switch_fixed[2] = 1;
	CHECK_INT(horovod_tuner_samples(&c), 21);
	CHECK_INT(horovod_tuner_steps(&c), 1200);
	c.variable_fixed[0] = 1;
	CHECK_INT(horovod_tuner_samples(&c), 21);
	c.variable_fixed[1] = 1;
	CHECK_INT(horovod_tuner_samples(&c), 1);
	c.switch_fixed[1] = 0;
	CHECK_INT(horovod_tuner_samples(&c), 2);
	c = usual;
	c.most = 4;
	c.warmup = 0;
	c.steps = 2;
	CHECK_INT(horovod_tuner_samples(&c), 40);
	CHECK_INT(horovod_tuner_steps(&c), 400);
}

static long
count_scores(struct horovod_tuner *t)
{
	long n = 0;

	while (!t->done && n < 1000) {
		horovod_tuner_score(t, 100 + (double)(n * 37 % 101));
		n++;
	}
	return n;
}

/* The search ends after the promised number of scores, whatever is fixed. */
static void
test_ends(void)
{
	for (int fixed = 0; fixed < 32; fixed++) {
		struct horovod_tuner_config c = usual;
		struct horovod_tuner *t;

		c.most = 4;
		for (int i = 0; i < HOROVOD_SWITCHES; i++)
			c.switch_fixed[i] = fixed >> i & 1;
		c.variable_fixed[0] = fixed >> 3 & 1;
		c.variable_fixed[1] = fixed >> 4 & 1;
		c.fixed = (struct horovod_setting){ { 1, 1, 1 }, { 7, 3 } };
		t = horovod_tuner_new(&c);
		CHECK_INT(count_scores(t), horovod_tuner_samples(&c));
		for (int i = 0; i < HOROVOD_SWITCHES; i++)
			if (c.switch_fixed[i])
				CHECK_INT(t->now.on[i], 1);
		if (c.variable_fixed[0])
			CHECK_NEAR(t->now.at[0], 7, 0);
		if (c.variable_fixed[1])
			CHECK_NEAR(t->now.at[1], 3, 0);
		/* A score after the end changes nothing. */
		horovod_tuner_score(t, 1e9);
		CHECK(t->best_score < 1e9);
		horovod_tuner_free(t);
	}
}

/* Four fixed points and the search, repeated for each setting of switches. */
static void
test_order(void)
{
	static const double points[4][2] = { { 4, 5 }, { 32, 50 }, { 16, 25 },
		{ 8, 10 } };
	static const int on[8][HOROVOD_SWITCHES] = { { 0, 0, 0 }, { 1, 0, 0 },
		{ 0, 1, 0 }, { 1, 1, 0 }, { 0, 0, 1 }, { 1, 0, 1 }, { 0, 1, 1 },
		{ 1, 1, 1 } };
	struct horovod_tuner *t = horovod_tuner_new(&usual);

	for (int n = 0; n < 168; n++) {
		const struct horovod_setting *s = &t->now;

		CHECK(!t->done);
		CHECK(memcmp(s->on, on[n / 21], sizeof s->on) == 0);
		if (n % 21 < 4) {
			CHECK_NEAR(s->at[0], points[n % 21][0], 0);
			CHECK_NEAR(s->at[1], points[n % 21][1], 0);
		}
		CHECK(s->at[0] >= 0 && s->at[0] <= 64);
		CHECK(s->at[1] >= 1 && s->at[1] <= 100);
		horovod_tuner_score(t, 400 + (double)(n * 53 % 97));
	}
	CHECK(t->done);
	horovod_tuner_free(t);
}

/* The best of all scores wins, together with its switches. */
static void
test_best(void)
{
	struct horovod_tuner_config c = usual;

	c.most = 4;
	for (int winner = 0; winner < 40; winner += 3) {
		struct horovod_tuner *t = horovod_tuner_new(&c);
		struct horovod_setting best = { { 0 }, { 0 } };

		for (int n = 0; n < 40; n++) {
			if (n == winner)
				best = t->now;
			horovod_tuner_score(t, n == winner ? 900 : 500);
		}
		CHECK(memcmp(&t->now, &best, sizeof best) == 0);
		CHECK_NEAR(t->best_score, 900, 0);
		horovod_tuner_free(t);
	}
}

/* Scores are bytes per microsecond: the 439.25 printed in report 000 for
 * ResNet-50's 102,228,128 bytes is 0.232733 s a step. */
static void
test_score(void)
{
	static const double step_s[5] = { 0.30, 0.20, 0.232733, 0.10, 0.40 };
	struct horovod_tuner_config c = usual;
	struct horovod_tuner *t;
	double now = 5;

	c.warmup = 1;
	t = horovod_tuner_new(&c);
	horovod_tuner_start(t, now);
	for (int i = 0; i < 50; i++) {
		now += 0.001;
		CHECK_INT(horovod_tuner_step(t, now, 1e9), 0);
	}
	for (int i = 0; i < 50; i++) {
		now += step_s[i / 10];
		CHECK_INT(horovod_tuner_step(t, now, 102228128), i == 49);
	}
	/* The median of the rates is that of the median time. */
	CHECK_NEAR(t->last_score, 439.25, 0.005);
	CHECK_NEAR(t->last.at[HOROVOD_THRESHOLD_MIB], 4, 0);
	CHECK_NEAR(t->last.at[HOROVOD_CYCLE_MS], 5, 0);
	CHECK_NEAR(t->now.at[0], 32, 0);
	/* After a restart, a rate does not include anything before it. */
	horovod_tuner_step(t, now + 1, 1e12);
	horovod_tuner_start(t, now + 50);
	for (int i = 1; i <= 50; i++)
		CHECK_INT(horovod_tuner_step(t, now + 50 + i, 5e6), i == 50);
	CHECK_NEAR(t->last_score, 5, 1e-9);
	horovod_tuner_free(t);
}

/* For a smooth function with its maximum at 40 MiB and 12 ms and noise of 1 %,
 * the search finds a setting within 2 % of the best value. */
static void
test_finds(void)
{
	struct horovod_tuner_config c = usual;
	const struct horovod_setting *s;
	struct horovod_tuner *t;
	int noise = 7;

	for (int i = 0; i < HOROVOD_SWITCHES; i++)
		c.switch_fixed[i] = 1;
	t = horovod_tuner_new(&c);
	s = &t->now;
	while (!t->done) {
		const double a = (s->at[0] - 40) / 40, b = (s->at[1] - 12) / 60;

		noise = (noise * 75 + 74) % 65537;
		horovod_tuner_score(t,
		    600 * (1 - 0.3 * a * a - 0.4 * b * b) *
			(0.995 + 0.01 * noise / 65537));
	}
	CHECK_NEAR(0.3 * (s->at[0] - 40) * (s->at[0] - 40) / 1600 +
		0.4 * (s->at[1] - 12) * (s->at[1] - 12) / 3600,
	    0, 0.02);
	horovod_tuner_free(t);
}

/* The two logs of report 000, byte by byte. */
static void
test_rows(void)
{
	static const struct horovod_setting rows[] = {
		{ { 0, 0, 1 }, { 4, 5 } }, { { 0, 1, 0 }, { 4, 5 } },
		{ { 1, 0, 0 }, { 19.66574321, 17.5141 } }
	};
	struct strbuf sb;

	strbuf_init(&sb, 4096);
	horovod_tuner_head(&sb);
	horovod_tuner_row(&rows[0], 439.25, &sb);
	horovod_tuner_row(&rows[1], 409.135, &sb);
	horovod_tuner_row(&rows[2], 1234567.89, &sb);
	CHECK_STR(sb.buf,
	    "hierarchical_allreduce,hierarchical_allgather,cache_enabled,"
	    "cycle_time_ms,tensor_fusion_threshold,score\n"
	    "0,0,1,5,4,439.25\n"
	    "0,1,0,5,4,409.135\n"
	    "1,0,0,17.5141,19.6657,1.23457e+06\n");
	strbuf_release(&sb);
}

static const struct tap_test tests[] = {
	TEST(test_samples),
	TEST(test_ends),
	TEST(test_order),
	TEST(test_best),
	TEST(test_score),
	TEST(test_finds),
	TEST(test_rows),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
