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

static struct remark
truncated_flag(
    const struct log *log, struct remark_arg file, struct remark_arg more)
{
	if (log->records_cut)
		return REMARK(REMARK_RECORDS_CUT, file, more);
	return log->truncated ? REMARK(REMARK_DATA_CUT, file, more)
			      : remark_plain(REMARK_NONE);
}

static struct remark
trailing_flag(
    const struct log *log, struct remark_arg file, struct remark_arg more)
{
	return log->trailing ? REMARK(REMARK_TRAILING, file, more)
			     : remark_plain(REMARK_NONE);
}

static struct remark
match_limit_flag(
    const struct log *log, struct remark_arg file, struct remark_arg more)
{
	return log->n_match_limit > 0
	    ? REMARK(REMARK_MATCH_LIMIT,
		  remark_number((double)log->n_match_limit),
		  remark_number((double)log->match_limit_line), file, more)
	    : remark_plain(REMARK_NONE);
}

static struct remark
other_steps_flag(
    const struct log *log, struct remark_arg file, struct remark_arg more)
{
	return log->other_name != NULL
	    ? REMARK(REMARK_OTHER_STEPS,
		  remark_number((double)log->other_steps),
		  remark_name(log->other_more ? "at least" : NULL),
		  remark_name(log->other_name),
		  remark_number((double)log->other_line), file, more)
	    : remark_plain(REMARK_NONE);
}

static struct remark
detection_flag(
    const struct log *log, struct remark_arg file, struct remark_arg more)
{
	return log->detection_cut ? REMARK(REMARK_DETECTION_CUT, file, more)
				  : remark_plain(REMARK_NONE);
}

static struct remark
long_lines_flag(
    const struct log *log, struct remark_arg file, struct remark_arg more)
{
	return log->n_long_lines > 0
	    ? REMARK(REMARK_LONG_LINES,
		  remark_number((double)log->n_long_lines), file, more)
	    : remark_plain(REMARK_NONE);
}

static struct remark
nan_loss_flag(
    const struct log *log, struct remark_arg file, struct remark_arg more)
{
	return ends_with_nan(log)
	    ? REMARK(REMARK_NAN_LOSS, remark_number((double)log->nan_loss_line),
		  file, more)
	    : remark_plain(REMARK_NONE);
}

size_t
log_flags_find(const struct log *const *logs, size_t n, struct remark *flags)
{
	static struct remark (*const makers[LOG_FLAGS_MAX])(const struct log *,
	    struct remark_arg, struct remark_arg) = { truncated_flag,
		trailing_flag, match_limit_flag, other_steps_flag,
		detection_flag, long_lines_flag, nan_loss_flag };
	const struct remark_arg none = { .number = NAN };
	size_t n_flags = 0;

	for (size_t k = 0; k < LOG_FLAGS_MAX; k++) {
		const struct log *first = NULL;
		size_t has = 0;

		for (size_t i = 0; i < n; i++) {
			if (makers[k](logs[i], none, none).code == REMARK_NONE)
				continue;
			first = has++ == 0 ? logs[i] : first;
		}
		if (first != NULL)
			flags[n_flags++] = makers[k](first,
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
