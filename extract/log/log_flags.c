#include <config.h>

#include "extract/log/log_flags.h"

#include <math.h>
#include <string.h>

/* True if the losses at the end of the log are not finite. */
static int
ends_with_nan(const struct log *log)
{
	for (size_t i = 0; i < log->n_tail; i++)
		if (strcmp(log->tail[i].key, "loss") == 0)
			return log->nan_loss_line > log->tail[i].last_line;
	return log->nan_loss_line > 0;
}

/* Flag k of a log, or REMARK_NONE.
 *
 * file  name of the log if the run has several
 * more  number of other logs with the flag */
static struct remark
make_flag(const struct log *log, size_t k, struct remark_arg file,
    struct remark_arg more)
{
	if (k == 0 && log->records_cut)
		return REMARK(REMARK_RECORDS_CUT, file, more);
	if (k == 0 && log->truncated)
		return REMARK(REMARK_DATA_CUT, file, more);
	if (k == 1 && log->trailing)
		return REMARK(REMARK_TRAILING, file, more);
	if (k == 2 && log->n_match_limit > 0)
		return REMARK(REMARK_MATCH_LIMIT,
		    remark_number((double)log->n_match_limit),
		    remark_number((double)log->match_limit_line), file, more);
	if (k == 3 && log->other_name != NULL)
		return REMARK(REMARK_OTHER_STEPS,
		    remark_number((double)log->other_steps),
		    remark_name(log->other_more ? "at least" : NULL),
		    remark_name(log->other_name),
		    remark_number((double)log->other_line), file, more);
	if (k == 4 && log->detection_cut)
		return REMARK(REMARK_DETECTION_CUT, file, more);
	if (k == 5 && log->n_long_lines > 0)
		return REMARK(REMARK_LONG_LINES,
		    remark_number((double)log->n_long_lines), file, more);
	if (k == 6 && ends_with_nan(log))
		return REMARK(REMARK_NAN_LOSS,
		    remark_number((double)log->nan_loss_line), file, more);
	return remark_plain(REMARK_NONE);
}

size_t
log_flags_find(const struct log *const *logs, size_t n, struct remark *flags)
{
	const struct remark_arg none = { .number = NAN };
	size_t n_flags = 0;

	for (size_t k = 0; k < LOG_FLAGS_MAX; k++) {
		const struct log *first = NULL;
		size_t has = 0;

		for (size_t i = 0; i < n; i++)
			if (make_flag(logs[i], k, none, none).code !=
				REMARK_NONE &&
			    has++ == 0)
				first = logs[i];
		if (first != NULL)
			flags[n_flags++] = make_flag(first, k,
			    remark_name(n > 1 ? first->shown : NULL),
			    has > 1 ? remark_number((double)has - 1) : none);
	}
	return n_flags;
}

int
log_flag_is_loss(enum remark_code code)
{
	return code == REMARK_RECORDS_CUT || code == REMARK_DATA_CUT ||
	    code == REMARK_TRAILING || code == REMARK_MATCH_LIMIT;
}
