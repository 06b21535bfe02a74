#include <config.h>

#include "extract/measure/progress.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "extract/measure/steps/audit.h"
#include "extract/measure/steps/steps.h"
#include "extract/measure/steps/window.h"

/* Rate, or time per iteration, over the last steps that have a value. */
static double
last_value(const struct steps *s)
{
	double works[PROGRESS_STEPS],
	    times[PROGRESS_STEPS]; /* step i at i % n */
	double work = 0, time = 0;
	struct step step;
	size_t n = 0;

	for (size_t e = 0; e < s->n_epochs; e++) {
		struct step_walk walk = steps_walk(s, e);

		while (steps_next(&walk, &step)) {
			const double w = (double)(step.done - step.from);

			if (!steps_value_ok(step.value, s->is_rate) || w <= 0)
				continue;
			works[n % PROGRESS_STEPS] = w;
			times[n++ % PROGRESS_STEPS] =
			    s->is_rate ? w / step.value : w * step.value;
		}
	}
	if (n == 0)
		return NAN;
	for (size_t i = n; i-- > 0 && n - i <= PROGRESS_STEPS;) {
		work += works[i % PROGRESS_STEPS];
		time += times[i % PROGRESS_STEPS];
	}
	return s->is_rate ? work / time : time / work;
}

static long
settled_at(const struct steps *s, const struct rule *rule)
{
	struct rule all = *rule;
	struct exclusion x = EXCLUSION_INIT;
	struct result_audit audit;
	struct window w;

	all.from_iteration = 0;
	all.epoch_choice = EPOCH_ALL;
	audit_init(&audit);
	if (window_select(s, &all, RULE_ALL, &w, &x) == 0)
		audit_run(s, &w, 1, LONG_MAX, &audit, NULL);
	window_release(&w);
	return audit.settled_at;
}

void
progress_look(const struct log *const *logs, size_t n_logs,
    const struct metadata *metadata, const struct rule *rule,
    struct progress *out)
{
	const struct steps_source from = { logs, n_logs, metadata->gpus,
		metadata->nodes, rule->rate_scope };
	struct exclusion x = EXCLUSION_INIT;
	struct steps s;
	double value;

	*out = (struct progress){
		.speed = NAN, .step_s = NAN, .settled_at = RESULT_UNKNOWN
	};
	if (steps_make(&from, &s, &x) == 0 && s.n > 0) {
		const struct steps_epoch *epoch = &s.epochs[s.n_epochs - 1];
		const double batch =
		    metadata->batch_size_per_device > 0 && metadata->gpus > 0
		    ? (double)metadata->batch_size_per_device *
			(double)metadata->gpus
		    : NAN;

		value = last_value(&s);
		out->known = 1;
		out->unit = s.is_rate ? logs[0]->meaning->unit : "samples/s";
		out->speed = s.is_rate ? value : batch / value;
		out->step_s = s.is_rate ? batch / value : value;
		out->done = s.last_done;
		out->total =
		    epoch->length > out->done ? epoch->length : out->done;
		out->settled_at = settled_at(&s, rule);
	}
	steps_release(&s);
}
