/* Hints: each is tried, and its result judged as any other is.  Called where a
 * run is refused. */
#include <config.h>

#include "extract/measure/steps/advice.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/arena.h"
#include "extract/measure/steps/audit.h"

/* Start-up that takes a larger share of the time than this makes the result
 * one of another quantity; too few records for the audit may hold it. */
#define START_MAX_SHARE 0.05

/* All steps are taken as they are printed, which may be one of many. */
#define MEANS_MAX_OFF 0.05

enum { MAX_DOUBT = 120 };

/* The share of the window's time by which its first record exceeds the mean of
 * the others. */
static double
start_share(const struct steps *s, const struct window *w)
{
	struct window_walk walk = window_walk_begin(s, w);
	const struct step *step;
	double first = NAN, own = 0, rest = 0, iterations = 0;

	while ((step = window_walk_next(&walk)) != NULL) {
		const double n = (double)(step->done - step->from);
		const double t = s->is_rate ? 1 / step->value : step->value;

		if (isnan(first)) {
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

/* What becomes of the run by that rule.
 *
 * doubt  [size] what the audit says against it; "" if nothing
 *
 * Returns 1 if it is included, else 0. */
static int
try_rule(const struct steps *s, const struct rule *rule, enum rule_kind kind,
    char *doubt, size_t size)
{
	struct exclusion ignored = EXCLUSION_INIT;
	struct arena arena = ARENA_INIT;
	struct result_audit audit;
	struct audit_flags flags;
	struct audit_rest rest;
	const char *why = "";
	struct window w;
	int included = 0;

	if (window_select(s, rule, kind, &w, &ignored) == 0) {
		audit_init(&audit);
		audit_make(s, &w, 1, &audit, &rest);
		audit_judge(s, &w, 1, &rest,
		    kind == RULE_WINDOW ? rule_end(rule) : LONG_MAX, &arena,
		    &audit, &flags);
		audit_rest_release(&rest);
		included = 1;
		if (flags.n > 0)
			why = flags.items[0];
		else if (w.iterations < 2)
			why = "it is one iteration";
		else if (w.n == 1 && w.first.from <= 0)
			why = "it is one record, with the start";
		else if (start_share(s, &w) > START_MAX_SHARE)
			why = "its start is slower";
		else if (kind == RULE_ALL && s->spacing > 1 &&
		    steps_print_means(s) &&
		    fabs(w.last.also_s / w.value - 1) > MEANS_MAX_OFF)
			why = "its running means differ";
		snprintf(doubt, size, "%s", why);
	}
	window_release(&w);
	arena_release(&arena);
	return included;
}

int
advice_is_good(
    const struct steps *s, const struct rule *rule, enum rule_kind kind)
{
	char doubt[MAX_DOUBT];

	return try_rule(s, rule, kind, doubt, sizeof doubt) && doubt[0] == '\0';
}

/* The number of the first line after the first one; LONG_MAX: none. */
static long
second_printed(const struct steps *s)
{
	struct steps_cursor c = steps_begin(s, 0);
	const struct step *step;
	long first = LONG_MIN, found = LONG_MAX;

	while (found == LONG_MAX && (step = steps_next(&c)) != NULL) {
		if (step->empty)
			continue;
		if (first == LONG_MIN)
			first = step->printed;
		else if (step->printed > first)
			found = step->printed;
	}
	return found;
}

/* A choice of iterations; LONG_MAX: not that. */
struct choice {
	long train, from;
	int auto_epoch, all;
};

/* Make it: rule is changed, option is what the user would pass.  Returns 0
 * where there is nothing to choose. */
static int
make_choice(
    const struct choice *c, struct rule *rule, char *option, size_t size)
{
	if (c->train < LONG_MAX) {
		rule->train = c->train;
		snprintf(option, size, "--train-batches=%ld", c->train);
		return rule->train == RESULT_UNKNOWN ||
		    rule->train > rule->warmup;
	}
	if (c->from < LONG_MAX) {
		rule->from_iteration = c->from;
		snprintf(
		    option, size, "--rule=all --from-iteration=%ld", c->from);
		return 1;
	}
	if (c->auto_epoch) {
		rule->epoch_choice = EPOCH_AUTO;
		snprintf(option, size, "--epoch=auto");
		return rule->train == RESULT_UNKNOWN ||
		    rule->train > rule->warmup;
	}
	snprintf(option, size, "--rule=all");
	return c->all;
}

void
advice_add(const struct steps *s, const struct rule *rule,
    const struct window *w, struct exclusion *x)
{
	const struct window_view *v = &w->view;
	const long last = s->first_printed + rule_start(rule);
	const long again = second_printed(s);
	/* In the order in which they are offered. */
	const struct choice choices[] = {
		{ v->total < rule_end(rule) ? v->total - rule->skip : LONG_MAX,
		    LONG_MAX, 0, 0 },
		/* It went on from a checkpoint. */
		{ LONG_MAX, v->lowest >= rule_end(rule) ? last : LONG_MAX, 0,
		    0 },
		/* It prints one of many. */
		{ v->next_done < LONG_MAX && v->total >= rule_end(rule)
			? v->next_done - rule->skip
			: LONG_MAX,
		    LONG_MAX, 0, 0 },
		{ LONG_MAX, LONG_MAX, rule->epoch_choice == EPOCH_ONE, 0 },
		{ LONG_MAX, LONG_MAX, 0, 1 },
		{ LONG_MAX, again, 0, 0 },
	};
	const size_t len = strlen(x->error.message);
	char doubt[MAX_DOUBT], first_doubt[MAX_DOUBT] = "";

	if (s->numbered && strcmp(x->reason, EXCLUDED_SHORT) != 0)
		return;
	for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
		const int all = choices[i].all || choices[i].from < LONG_MAX;
		struct rule other = *rule;
		char option[80];

		if (!make_choice(&choices[i], &other, option, sizeof option))
			continue;
		if (!try_rule(s, &other, all ? RULE_ALL : RULE_WINDOW, doubt,
			sizeof doubt))
			continue;
		if (doubt[0] != '\0') {
			if (first_doubt[0] == '\0')
				memcpy(first_doubt, doubt, sizeof doubt);
			continue;
		}
		snprintf(x->error.message + len, sizeof x->error.message - len,
		    "; pass %s to include it", option);
		return;
	}
	if (first_doubt[0] != '\0')
		snprintf(x->error.message + len, sizeof x->error.message - len,
		    "; no other choice of iterations passes the audit: %s",
		    first_doubt);
}
