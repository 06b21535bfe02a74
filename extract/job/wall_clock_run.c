/* The wall-clock time of a run whose own format prints none, from a format of
 * another program in the same log, such as time(1). */
#include <config.h>

#include "extract/job/wall_clock_run.h"

#include <string.h>

#include "extract/format/format.h"

/* 0 done; -1 not; x is set where it failed. */
static int
measure_by(const struct format *format, struct scanner *scanner,
    const struct log *own, const struct metadata *metadata,
    const struct rule *rule, struct arena *a, struct measured *m,
    struct exclusion *x)
{
	struct log log;
	const struct log *logs[] = { &log };
	const struct run_source source = { logs, 1, metadata, NULL };
	struct exclusion other = EXCLUSION_INIT;
	int outcome = -1;

	if (format == own->format || strcmp(own->path, "-") == 0)
		return -1;
	scanner_force(scanner, format);
	if (scanner_scan(scanner, own->path, own->shown, &log) == 0)
		outcome = measure_run(&source, rule, a, m, &other);
	scanner_force(scanner, NULL);
	/* Its texts are those of the log. */
	if (outcome != 0 && exclusion_is(&other, EXCLUDED_FAILED))
		*x = (struct exclusion){ remark_copy(&other.why, a),
			remark_copy(&other.hint, a) };
	log_release(&log);
	return outcome;
}

/* The next of the formats that are asked: after `before`, NULL at first. */
static const struct format *
next_format(const struct format_set *set, const struct format *before)
{
	const struct format *best = NULL;
	int passed = before == NULL;

	for (size_t i = 0; i < set->n_formats; i++) {
		const struct format *f = set->formats[i];

		if (f == before) {
			passed = 1;
			continue;
		}
		if (!f->whole_run ||
		    (before != NULL && f->priority > before->priority) ||
		    (before != NULL && f->priority == before->priority &&
			!passed))
			continue;
		if (best == NULL || f->priority > best->priority)
			best = f;
	}
	return best;
}

const struct format *
wall_clock_run_measure(struct scanner *scanner, const struct log *const *logs,
    size_t n, const struct metadata *metadata, const struct rule *rule,
    struct arena *a, struct measured *m, struct exclusion *x)
{
	const struct format_set *set = scanner_formats(scanner);
	const struct format *f = NULL;

	while ((f = next_format(set, f)) != NULL)
		for (size_t i = 0; i < n; i++) {
			if (measure_by(f, scanner, logs[i], metadata, rule, a,
				m, x) == 0)
				return f;
			if (exclusion_is(x, EXCLUDED_FAILED))
				return NULL;
		}
	return NULL;
}
