/* Sentences for what went wrong while logs were read.  The scanner counts in
 * struct log, the measuring code puts these words into a run's flags, --strict
 * asks which of them speak of a loss. */
#include <config.h>

#include "extract/log/log_flags.h"

#include <string.h>

/* Does the log end with losses that are no numbers? */
static int
ends_with_nan(const struct log *log)
{
	for (size_t i = 0; i < log->n_tail; i++)
		if (strcmp(log->tail[i].key, "loss") == 0)
			return log->nan_loss_line > log->tail[i].last_line;
	return log->nan_loss_line > 0;
}

/* Of one log; NULL: it does not have the flag. */
static const char *
flag_of_log(enum log_flag flag, const struct log *log, struct arena *a)
{
	switch (flag) {
	case LOG_FLAG_TRUNCATED:
		return log->records_cut ? LOG_INCOMPLETE
		    "its records end early, or some are damaged"
		    : log->truncated ? LOG_INCOMPLETE
		    "its compressed data end early"
				     : NULL;
	case LOG_FLAG_TRAILING:
		return log->trailing ? LOG_INCOMPLETE
		    "what follows its compressed data was not read"
				     : NULL;
	case LOG_FLAG_MATCH_LIMIT:
		return log->n_match_limit > 0
		    ? arena_printf(a,
			  LOG_INCOMPLETE "a pattern gave up on %lld line%s, "
					 "the first is line %lld",
			  (long long)log->n_match_limit,
			  log->n_match_limit == 1 ? "" : "s",
			  (long long)log->match_limit_line)
		    : NULL;
	case LOG_FLAG_OTHER:
		return log->other_name != NULL
		    ? arena_printf(a,
			  "it also holds %s%lld steps of format %s from line "
			  "%lld on, which are not counted",
			  log->other_more ? "at least " : "",
			  (long long)log->other_steps, log->other_name,
			  (long long)log->other_line)
		    : NULL;
	case LOG_FLAG_DETECTION:
		return log->detection_cut
		    ? "its format was chosen by a part of it: more would have "
		      "taken too long"
		    : NULL;
	case LOG_FLAG_LONG_LINES:
		return log->n_long_lines > 0
		    ? arena_printf(a,
			  "%lld line%s longer than 16 MiB, read in pieces",
			  (long long)log->n_long_lines,
			  log->n_long_lines == 1 ? "" : "s")
		    : NULL;
	case LOG_FLAG_NAN_LOSS:
		return ends_with_nan(log)
		    ? arena_printf(a,
			  "its loss is not a number from line %lld on",
			  (long long)log->nan_loss_line)
		    : NULL;
	default:
		return NULL;
	}
}

const char *
log_flag_text(enum log_flag flag, const struct log *const *logs, size_t n,
    struct arena *a)
{
	const char *first = NULL, *name = NULL;
	size_t more = 0;

	for (size_t i = 0; i < n; i++) {
		const char *text = flag_of_log(flag, logs[i], a);

		if (text == NULL)
			continue;
		more += first != NULL;
		if (first == NULL) {
			first = text;
			name = logs[i]->shown;
		}
	}
	if (first == NULL || n == 1)
		return first;
	if (more == 0)
		return arena_printf(a, "%s (%s)", first, name);
	return arena_printf(a, "%s (%s and %zu more)", first, name, more);
}

int
log_flag_is_loss(const char *text)
{
	return strncmp(text, LOG_INCOMPLETE, strlen(LOG_INCOMPLETE)) == 0;
}
