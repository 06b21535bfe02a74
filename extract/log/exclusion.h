/* Why a run does not count: one word for programs and a sentence for people,
 * which states what would include it where an option can.
 */
#ifndef EXTRACT_LOG_EXCLUSION_H
#define EXTRACT_LOG_EXCLUSION_H

#include "common/error.h"

/* The words, as in result.excluded[].reason. */
#define EXCLUDED_BAD_VALUE "bad-value"       /* a time or rate that is none */
#define EXCLUDED_COPY "copy"                 /* another log holds the same */
#define EXCLUDED_DOUBLE_RUN "double-run"     /* another has its case and run */
#define EXCLUDED_EMPTY "empty"               /* nothing in the file */
#define EXCLUDED_NO_BATCH "no-batch-size"    /* needed and unknown */
#define EXCLUDED_NO_EPOCH "no-epoch"         /* --epoch=N: not in the log */
#define EXCLUDED_NO_FORMAT "no-format"       /* no format knows the log */
#define EXCLUDED_NO_GPUS "no-gpus"           /* needed and unknown */
#define EXCLUDED_NO_METRIC "no-metric"       /* --metric=mfu: not stated */
#define EXCLUDED_NO_STEPS "no-steps"         /* no iteration in it counts */
#define EXCLUDED_NO_SUMMARY "no-summary"     /* --rule=summary: none printed */
#define EXCLUDED_NOT_TRAINING "not-training" /* a log of inference */
#define EXCLUDED_FAILED "failed"             /* the log states so */
/* the log shows why it ends early */
#define EXCLUDED_OUT_OF_MEMORY "out-of-memory"
#define EXCLUDED_CRASHED "crashed"
#define EXCLUDED_RESTART "restart"       /* the log holds two runs */
#define EXCLUDED_SHORT "short"           /* ends before the window does */
#define EXCLUDED_UNREADABLE "unreadable" /* the system would not let us */

struct exclusion {
	const char *reason; /* one of the words above; NULL: not excluded */
	struct error error; /* the sentence */
};

#define EXCLUSION_INIT \
	{ \
		NULL, ERROR_INIT \
	}

/* Fill x.  Returns -1, so that "return exclude(...)" relays. */
int exclude(struct exclusion *x, const char *reason, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

/* The place that a message begins with: "a.log:12: what" of the path "a.log" is
 * the place "a.log:12" and "what"; of any other message the place is the path.
 *
 * len   set to the bytes of the place
 * rest  set to what follows it, without ": "
 *
 * Returns the start of the place. */
const char *exclusion_place(
    const char *path, const char *message, int *len, const char **rest);

#endif
