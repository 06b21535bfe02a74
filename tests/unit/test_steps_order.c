/* Lines in order and the same lines out of order give results that are
 * identical to the last bit. */
#include <config.h>

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "extract/measure/steps/window.h"
#include "tests/tap.h"
#include "tests/unit/logs.h"
#include "tests/unit/said.h"

enum { BLOCK = 64 /* lines; some lengths are multiples of it */ };

static uint64_t state = 88172645463325252u;

static uint64_t
next_random(void)
{
	state ^= state << 13; /* Marsaglia's xorshift */
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* Results of measuring a log. */
struct measured {
	struct window w;
	struct exclusion x;
	struct result_audit a;
	struct audit_flags flags;
	long spacing, first_done, last_done, lengths;
	size_t n, n_epochs;
	int selected;
};

static void
measure(
    struct log *log, const struct rule *rule, long world, struct measured *m)
{
	const struct log *logs = log_pack(log);
	struct steps s;

	memset(m, 0, sizeof *m);
	m->x = (struct exclusion)EXCLUSION_INIT;
	CHECK_INT(steps_make(&logs, 1, world, 1, -1, &s, &m->x), 0);
	m->spacing = s.spacing;
	m->first_done = s.epochs[0].first_done;
	m->last_done = s.last_done;
	m->n = s.n;
	m->n_epochs = s.n_epochs;
	for (size_t e = 0; e < s.n_epochs; e++)
		m->lengths =
		    m->lengths * 31 + s.epochs[e].length + (long)s.epochs[e].n;
	m->selected = window_select(&s, rule, rule->kind, &m->w, &m->x);
	if (m->selected == 0)
		audit_run(&s, &m->w, 64, LONG_MAX, &m->a, &m->flags);
	steps_release(&s);
}

static void
release(struct measured *m)
{
	window_release(&m->w);
}

/* True if equal to the last bit; all NANs are equal. */
static int
same(double a, double b)
{
	return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

static void
compare_audits(const struct measured *a, const struct measured *b)
{
	CHECK(same(a->a.drift, b->a.drift) && same(a->a.cv, b->a.cv) &&
	    same(a->a.p5, b->a.p5) && same(a->a.p50, b->a.p50) &&
	    same(a->a.p95, b->a.p95) && same(a->a.max, b->a.max) &&
	    same(a->a.imbalance, b->a.imbalance));
	CHECK_INT(a->a.settled_at, b->a.settled_at);
	CHECK(same(a->a.window_off, b->a.window_off));
	CHECK_INT(a->flags.n, b->flags.n);
}

static void
compare(const struct measured *a, const struct measured *b)
{
	CHECK_INT(a->spacing, b->spacing);
	CHECK_INT(a->first_done, b->first_done);
	CHECK_INT(a->last_done, b->last_done);
	CHECK_INT(a->n, b->n);
	CHECK_INT(a->n_epochs, b->n_epochs);
	CHECK_INT(a->lengths, b->lengths);
	CHECK_INT(a->selected, b->selected);
	if (a->selected != 0) {
		CHECK_STR(reason_of(&a->x), reason_of(&b->x));
		return;
	}
	CHECK_INT(a->w.n, b->w.n);
	CHECK_INT(a->w.n_parts, b->w.n_parts);
	CHECK_INT(a->w.lost, b->w.lost);
	CHECK_INT(a->w.iterations, b->w.iterations);
	CHECK_INT(a->w.ranks, b->w.ranks);
	CHECK_INT(a->w.first.done, b->w.first.done);
	CHECK_INT(a->w.last.done, b->w.last.done);
	CHECK_INT(a->w.bad.bad, b->w.bad.bad);
	CHECK_INT(a->w.bad.done, b->w.bad.done);
	CHECK(same(a->w.value, b->w.value));
	CHECK(same(a->w.last.value, b->w.last.value));
	CHECK(same(a->w.line_work, b->w.line_work));
	compare_audits(a, b);
}

/* A log with random epochs, lost lines, and sometimes invalid values. */
static struct log *
random_log(const struct meaning *meaning)
{
	struct log *log = log_new(meaning);
	const int epochs = 1 + (int)(next_random() % 4);
	const int spacing = 1 + (int)(next_random() % 3 == 0) * 9;
	const int base = (int)(next_random() % 2);
	/* One in this many lines begins a loss, of one line or of up to 89. */
	static const unsigned losses[] = { 0, 0, 50, 700, 700 };
	const unsigned lossy = losses[next_random() % 5];
	const int long_loss = next_random() % 3 == 0;
	const unsigned most = next_random() % 2 ? 400 : 1500;
	/* After some line every other line is missing, or another number of
	 * iterations is stated. */
	const int widens = next_random() % 4 == 0;
	const int restates = next_random() % 4 == 0;
	/* Iteration numbers continue across epochs. */
	const int runs_on = next_random() % 4 == 0;
	int first = base;
	const int bad = next_random() % 4 == 0;

	for (int e = 0; e < epochs; e++) {
		const int n = runs_on ? BLOCK * (1 + (int)(next_random() % 6))
				      : 1 + (int)(next_random() % most);
		const int restated =
		    restates ? BLOCK * (int)(next_random() % 6) : INT_MAX;
		const int from = widens ? (int)(next_random() % most) : INT_MAX;
		int lost = 0;

		for (int i = first; i < first + n * spacing; i += spacing) {
			const int place = (i - first) / spacing;
			const int wide = place > from;
			double v = 0.4 + (double)(next_random() % 1000) / 3e3;

			if (lossy > 0 && next_random() % lossy == 0)
				lost =
				    long_loss ? (int)(next_random() % 90) : 1;
			if (lost-- > 0 || (wide && place % 2 == 0))
				continue;
			if (bad && next_random() % 300 == 0)
				v = next_random() % 2 ? INFINITY : 0;
			log_add(log, e, i, v)->iters =
			    n * spacing + (place >= restated);
		}
		first += runs_on ? n * spacing : 0;
	}
	return log;
}

/* The same samples with some adjacent lines swapped. Returns NULL if no lines
 * can be swapped. */
static struct log *
shuffled(struct log *log, const struct meaning *meaning)
{
	struct log *out = log_new(meaning);
	const size_t n = (size_t)log->lines;
	size_t swaps = 0;

	for (size_t i = 0; i < n; i++) {
		const struct sample *x = log_item(log, i);

		log_add(out, x->epoch, x->iter, x->value)->iters = x->iters;
	}
	for (size_t i = 0; i + 1 < n; i++) {
		struct sample *x = log_item(out, i), *y = log_item(out, i + 1);
		const struct sample z = *x;

		if (x->epoch != y->epoch || (i > 0 && next_random() % 3 > 0))
			continue;
		*x = *y;
		*y = z;
		x->line = (int64_t)i + 1;
		y->line = (int64_t)i + 2;
		swaps++;
		i++;
	}
	if (swaps > 0)
		return out;
	log_drop(out);
	return NULL;
}

static long
random_below(unsigned n)
{
	return (long)(next_random() % n);
}

static struct rule
random_rule(void)
{
	struct rule rule = RULE_DEFAULT;

	rule.kind = random_below(3) == 0 ? RULE_ALL : RULE_WINDOW;
	rule.epoch_choice = (enum epoch_choice)random_below(3);
	rule.epoch = random_below(3);
	rule.aggregate = (enum aggregate)random_below(3);
	rule.from_iteration = random_below(40);
	if (random_below(2))
		rule.from_iteration *= 50;
	rule.skip = random_below(2) ? random_below(400) : 0;
	rule.warmup = random_below(2) ? random_below(400) : 0;
	switch (random_below(4)) {
	case 0:
		rule.train = RESULT_UNKNOWN;
		break;
	case 1:
		rule.train = 30 + random_below(300);
		break;
	case 2:
		rule.train = 30 + random_below(3000);
		break;
	default:
		rule.skip = random_below(2) * 10;
		rule.warmup = random_below(2) * 10;
		rule.train =
		    BLOCK * (1 + random_below(8)) - 4 + random_below(8);
		break;
	}
	return rule;
}

static void
check_many(const struct meaning *meaning)
{
	int selected = 0, refused = 0;

	for (int i = 0; i < 1200; i++) {
		struct log *log = random_log(meaning), *other;
		const struct rule rule = random_rule();
		struct measured a, b;

		other = log->lines > 0 ? shuffled(log, meaning) : NULL;
		if (other != NULL) {
			measure(log, &rule, 1, &a);
			measure(other, &rule, 1, &b);
			compare(&a, &b);
			selected += a.selected == 0;
			refused += a.selected != 0;
			release(&a);
			release(&b);
			log_drop(other);
		}
		log_drop(log);
	}
	CHECK(selected > 300 && refused > 60);
}

static void
test_times(void)
{
	check_many(&imagenet);
}

static void
test_rates(void)
{
	check_many(&dllogger);
}

/* Iterations that several ranks printed.
 *
 * swap  1: at the ends of some iterations two lines are swapped, so that the
 *       lines of an iteration are not adjacent, but keep their order */
static struct log *
log_of_ranks(const struct meaning *meaning, const double *values, int ranks,
    int iterations, int labelled, int swap)
{
	struct log *log = log_new(meaning);
	const int n = ranks * iterations;

	for (int i = 0; i < n; i++) {
		struct sample *x = log_add(log, 0, i / ranks, values[i % 4096]);

		if (labelled)
			x->rank = i % ranks;
	}
	for (int i = ranks; swap && i < n; i += ranks) {
		struct sample *x = log_item(log, (size_t)i - 1);
		struct sample *y = log_item(log, (size_t)i);
		const struct sample z = *x;

		if (i > ranks && values[i % 4096] > 0.5)
			continue;
		*x = *y;
		*y = z;
		x->line = i;
		y->line = i + 1;
	}
	return log;
}

/* Compare adjacent lines of an iteration with lines that are not adjacent. */
static void
check_ranks(const struct meaning *meaning)
{
	static double values[4096];

	for (int k = 0; k < 60; k++) {
		const int ranks = 2 + k % 16, labelled = k % 3 == 0;
		struct rule rule = random_rule();
		struct measured a, b;
		struct log *log, *other;

		for (size_t i = 0; i < 4096; i++)
			values[i] = 0.4 + (double)(next_random() % 1000) / 3e3;
		if (k % 5 == 4)
			values[k] = INFINITY;
		rule.epoch_choice = EPOCH_AUTO;
		log = log_of_ranks(meaning, values, ranks, 200, labelled, 0);
		other = log_of_ranks(meaning, values, ranks, 200, labelled, 1);
		measure(log, &rule, ranks, &a);
		measure(other, &rule, ranks, &b);
		compare(&a, &b);
		if (a.selected == 0)
			CHECK_INT(a.w.ranks, ranks);
		release(&a);
		release(&b);
		log_drop(log);
		log_drop(other);
	}
}

static void
test_ranks(void)
{
	check_ranks(&imagenet);
	check_ranks(&dllogger);
}

static const struct tap_test tests[] = {
	TEST(test_times),
	TEST(test_rates),
	TEST(test_ranks),
};

int
main(void)
{
	return tap_main(tests, sizeof tests / sizeof tests[0]);
}
