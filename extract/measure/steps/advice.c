/* Hints for runs that the rule excludes: try another choice and judge its
 * result like any other. */
#include <config.h>

#include "extract/measure/steps/window.h"

#include <limits.h>
#include <math.h>

#include "common/arena.h"

/* Maximum share of start-up in the window's time; above it the result measures
 * something else. With few records the audit may miss it. */
#define START_MAX_SHARE 0.05

/* Maximum deviation from the printed running mean with --rule=all, which uses
 * printed steps only: these may not represent the others. */
#define MEANS_MAX_OFF 0.05

/* Minimum of settled iterations to measure. */
enum { SHORT_LEAST = 10 };

/* Share of the window's time by which its first record exceeds the mean of the
 * others. */
static double
start_share(const struct steps *s, const struct window *w)
{
	double first = NAN, own = 0, rest = 0, iterations = 0;

	for (size_t i = 0; i < w->n; i++) {
		const struct step *step = &w->steps[i];
		const double n = (double)(step->done - step->from);
		const double t = s->is_rate ? 1 / step->value : step->value;

		if (i == 0) {
			first = t;
			own = n;
		} else {
			rest += n * t;
			iterations += n;
		}
	}
	return iterations > 0
	    ? own * (first - rest / iterations) / (own * first + rest)
	    : 0;
}

/* Apply a rule to the run.
 *
 * doubt  first finding of the audit; REMARK_NONE if none
 *
 * Returns 1 if the run is included, else 0. */
static int
try_rule(const struct steps *s, const struct rule *rule, enum rule_kind kind,
    struct remark *doubt)
{
	struct exclusion ignored = EXCLUSION_INIT;
	struct result_audit audit;
	struct audit_flags flags;
	struct window w;
	int included = 0;

	if (window_select(s, rule, kind, &w, &ignored) == 0) {
		audit_run(s, &w, 1,
		    kind == RULE_WINDOW ? rule_end(rule) : LONG_MAX, &audit,
		    &flags);
		included = 1;
		*doubt = remark_plain(REMARK_NONE);
		if (flags.n > 0)
			*doubt = flags.items[0];
		else if (w.iterations < 2)
			*doubt = remark_plain(REMARK_ONE_ITERATION);
		else if (w.n == 1 && w.first.from <= 0)
			*doubt = remark_plain(REMARK_ONE_RECORD);
		else if (start_share(s, &w) > START_MAX_SHARE)
			*doubt = remark_plain(REMARK_SLOWER_START);
		else if (kind == RULE_ALL && s->spacing > 1 &&
		    steps_print_means(s) &&
		    fabs(steps_lines(s, &w.last).second / w.value - 1) >
			MEANS_MAX_OFF)
			*doubt = remark_plain(REMARK_OTHER_MEANS);
	}
	window_release(&w);
	return included;
}

int
advice_is_good(
    const struct steps *s, const struct rule *rule, enum rule_kind kind)
{
	struct remark doubt;

	return try_rule(s, rule, kind, &doubt) && doubt.code == REMARK_NONE;
}

int
advice_shorten(const struct steps *s, const struct rule *rule,
    const struct window *w, struct rule *out)
{
	const long total = w->view.total, half = total / 2;
	long start = rule_start(rule) < half ? rule_start(rule) : half;
	struct result_audit audit;

	if (!s->numbered || s->n == 0 || total >= rule_end(rule))
		return -1;
	audit_run(s, w, 1, LONG_MAX, &audit, NULL);
	if (audit.settled_at > start)
		start = audit.settled_at;
	*out = *rule;
	out->warmup = start - rule->skip;
	out->train = total - rule->skip;
	out->shortened = 1;
	return audit.settled_at != RESULT_UNKNOWN &&
		total - start >= SHORT_LEAST &&
		advice_is_good(s, out, RULE_WINDOW)
	    ? 0
	    : -1;
}

/* First printed number above that of the first line; LONG_MAX: none. */
static long
second_printed(const struct steps *s)
{
	long first = LONG_MIN;

	for (size_t e = 0; e < s->n_epochs; e++) {
		struct step_walk walk = steps_walk(s, e);
		struct step step;

		while (steps_next(&walk, &step)) {
			const long printed = steps_printed(s, &step);

			if (!step.empty && first == LONG_MIN)
				first = printed;
			else if (!step.empty && printed > first)
				return printed;
		}
	}
	return LONG_MAX;
}

/* Suggest an option if its rule includes the run and the audit has no finding.
 *
 * doubt  set to the audit's first finding, if not set yet
 *
 * Returns 1 if x has the option. */
static int
offer(const struct steps *s, const struct rule *rule, enum rule_kind kind,
    const char *option, struct remark *doubt, struct exclusion *x)
{
	struct remark own;

	if ((kind == RULE_WINDOW && rule->train != RESULT_UNKNOWN &&
		rule->train <= rule->warmup) ||
	    !try_rule(s, rule, kind, &own))
		return 0;
	if (own.code == REMARK_NONE)
		x->hint = REMARK(REMARK_PASS, remark_name(option));
	else if (doubt->code == REMARK_NONE)
		*doubt = own;
	return own.code == REMARK_NONE;
}

static int
offer_train(const struct steps *s, const struct rule *rule, long train,
    struct arena *a, struct remark *doubt, struct exclusion *x)
{
	struct rule other = *rule;

	other.train = train;
	return offer(s, &other, RULE_WINDOW,
	    arena_printf(a, "--train-batches=%ld", train), doubt, x);
}

static int
offer_from(const struct steps *s, const struct rule *rule, long from,
    struct arena *a, struct remark *doubt, struct exclusion *x)
{
	struct rule other = *rule;

	other.from_iteration = from;
	return offer(s, &other, RULE_ALL,
	    arena_printf(a, "--rule=all --from-iteration=%ld", from), doubt, x);
}

void
advice_add(const struct steps *s, const struct rule *rule,
    const struct window *w, struct arena *a, struct exclusion *x)
{
	const struct window_view *v = &w->view;
	const long end = rule_end(rule), second = second_printed(s);
	struct remark *doubt = arena_alloc(a, sizeof *doubt);
	struct rule any_epoch = *rule;
	struct step_walk walk = steps_walk(s, 0);
	struct step first;

	steps_next(&walk, &first);
	*doubt = remark_plain(REMARK_NONE);
	any_epoch.epoch_choice = EPOCH_AUTO;
	if (s->numbered && !exclusion_is(x, EXCLUDED_SHORT))
		return;
	if ((v->total < end &&
		offer_train(s, rule, v->total - rule->skip, a, doubt, x)) ||
	    /* The run resumed from a checkpoint. */
	    (v->lowest >= end &&
		offer_from(s, rule, steps_printed(s, &first) + rule_start(rule),
		    a, doubt, x)) ||
	    /* Only every n-th iteration is printed. */
	    (v->next_done < LONG_MAX && v->total >= end &&
		offer_train(s, rule, v->next_done - rule->skip, a, doubt, x)) ||
	    (rule->epoch_choice == EPOCH_ONE &&
		offer(s, &any_epoch, RULE_WINDOW, "--epoch=auto", doubt, x)) ||
	    offer(s, rule, RULE_ALL, "--rule=all", doubt, x) ||
	    (second < LONG_MAX && offer_from(s, rule, second, a, doubt, x)))
		return;
	if (doubt->code != REMARK_NONE)
		x->hint = REMARK(REMARK_NO_CHOICE, remark_inner(doubt));
}
