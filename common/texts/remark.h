/* Remarks about a number, a run or a table: a code and its arguments. Flags of
 * runs, reasons for exclusion, hints at options and notes are remarks. Programs
 * compare codes; sentences are only made for display. messages.texts
 * has, for each code, its name in JSON, its arguments and its sentences.
 *
 *	struct remark r = REMARK(REMARK_EPOCHS, remark_number(0),
 *	    remark_number(2));
 *	remark_text(&r, LANGUAGE_EN, &arena)  -> "epochs 0–2"
 */
#ifndef COMMON_TEXTS_REMARK_H
#define COMMON_TEXTS_REMARK_H

#include <stddef.h>

#include "common/arena.h"
#include "common/strbuf.h"
#include "common/texts/messages.h"

/* Code of a remark; REMARK_NONE is 0. */
enum remark_code {
	REMARK_NONE,
	REMARK_OTHER,
	REMARK_ATTEMPT,
	REMARK_JOINED,
	REMARK_EPOCHS,
	REMARK_LATE_START,
	REMARK_UNPRINTED,
	REMARK_SAMPLED,
	REMARK_SAMPLED_CONFIRMED,
	REMARK_SAMPLED_MEANS,
	REMARK_SAMPLED_PLAIN_MEANS,
	REMARK_AGGREGATE,
	REMARK_UNNUMBERED,
	REMARK_MEAN_DIFFERENCES,
	REMARK_RECORD_TIMES,
	REMARK_BETWEEN_EPOCHS,
	REMARK_TUNED,
	REMARK_TUNED_OPEN,
	REMARK_WINDOW_MOVED,
	REMARK_SHORT_LOG,
	REMARK_INSTANTS_DIFFER,
	REMARK_MEANS_DIFFER,
	REMARK_SUMMARY_DIFFERS,
	REMARK_RATES_CONTRADICT,
	REMARK_EVENTS_CONTRADICT,
	REMARK_CLOCK_CONTRADICTS,
	REMARK_TOTAL_CONTRADICTS,
	REMARK_VALUES_CONTRADICT,
	REMARK_CLOCK_SET,
	REMARK_ROUNDED,
	REMARK_WARM_UP,
	REMARK_SETTLES_LATE,
	REMARK_WINDOW_OFF,
	REMARK_REST_OFF,
	REMARK_SINGLE_RECORD,
	REMARK_STALLS,
	REMARK_LONE_STEP,
	REMARK_DRIFT,
	REMARK_RANKS_APART,
	REMARK_RANKS_UNBALANCED,
	REMARK_STOOD_STILL,
	REMARK_FROM_START_AGAIN,
	REMARK_RANKS_ASSUMED,
	REMARK_RANKS_UNEQUAL,
	REMARK_RANKS_OPEN,
	REMARK_RANK_MISSING,
	REMARK_GPUS_ASSUMED,
	REMARK_SCALED_UP,
	REMARK_SCALED_FROM_ONE,
	REMARK_COUNT_UNKNOWN,
	REMARK_BATCH_OF_DEVICE,
	REMARK_BATCH_OF_ALL,
	REMARK_TOKENS_UNKNOWN,
	REMARK_BENCHMARKS,
	REMARK_BEST_TRIAL,
	REMARK_STRAGGLER,
	REMARK_TIME_OF,
	REMARK_SCORE_FACTOR,
	REMARK_RESUMED_RATE,
	REMARK_RESUMED_TIMES,
	REMARK_NAN_LOSS,
	REMARK_RECORDS_CUT,
	REMARK_DATA_CUT,
	REMARK_TRAILING,
	REMARK_MATCH_LIMIT,
	REMARK_OTHER_STEPS,
	REMARK_DETECTION_CUT,
	REMARK_LONG_LINES,
	REMARK_OUTLIER,
	REMARK_RUNS_IN_BLOCKS,
	REMARK_DIFFERENT_HOSTS,
	REMARK_SETTINGS_DIFFER,
	REMARK_TWO_GROUPS,
	REMARK_FAILED_NEARBY,
	REMARK_FAILED_ONE,
	REMARK_FAILED_RUNS,
	REMARK_BASELINE_DOUBT,
	REMARK_EFFICIENCY_HIGH,
	REMARK_UTILIZATION_HIGH,
	REMARK_UNREADABLE,
	REMARK_EMPTY,
	REMARK_EMPTY_FILE,
	REMARK_NO_FORMAT,
	REMARK_NO_FORMAT_POWER,
	REMARK_NO_FORMAT_START,
	REMARK_NO_FORMAT_PART,
	REMARK_FORMATS_DIFFER,
	REMARK_NOT_TRAINING,
	REMARK_ATTEMPTS,
	REMARK_REPEATED,
	REMARK_REPEATED_UNKNOWN,
	REMARK_OUT_OF_MEMORY,
	REMARK_CRASHED,
	REMARK_FAILED,
	REMARK_TOO_FEW,
	REMARK_NOT_WINDOW,
	REMARK_STARTS_AFTER,
	REMARK_STARTS_INSIDE,
	REMARK_LINES_LACKING,
	REMARK_TOO_SPARSE,
	REMARK_NONE_FROM,
	REMARK_TOO_COARSE,
	REMARK_BAD_STEP,
	REMARK_BAD_SUMMARY,
	REMARK_BAD_METRIC,
	REMARK_NO_EPOCHS,
	REMARK_NO_EPOCH,
	REMARK_NO_STEPS,
	REMARK_NO_TIMES,
	REMARK_NO_NUMBERS,
	REMARK_NO_STEP_TIME,
	REMARK_NO_SUMMARY,
	REMARK_NO_RUN_TIME,
	REMARK_NO_METRIC,
	REMARK_NO_SEQUENCE_LENGTH,
	REMARK_NO_TOKENS,
	REMARK_NO_BATCH_SIZE,
	REMARK_NO_BATCH_OR_GPUS,
	REMARK_NO_GPUS,
	REMARK_RATE_OF_PART,
	REMARK_RATE_SCOPE,
	REMARK_SAME_BYTES,
	REMARK_SAME_FIGURES,
	REMARK_SAME_RUN,
	REMARK_PASS,
	REMARK_PASS_FOR_ALL,
	REMARK_PASS_OR_GLOBAL,
	REMARK_NO_CHOICE,
	REMARK_ONE_ITERATION,
	REMARK_ONE_RECORD,
	REMARK_SLOWER_START,
	REMARK_OTHER_MEANS,
	REMARK_OF_RUNS,
	REMARK_GPUS_OF_EACH,
	REMARK_GPUS_OF_EITHER,
	REMARK_BATCH_MAY_GROW,
	REMARK_READ_AS_PRODUCT,
	REMARK_READ_AS_ABOVE,
	REMARK_READ_AS_SPEEDS,
	REMARK_DECIMAL_COMMA,
	REMARK_NOTHING_FOLLOWS,
	REMARK_NO_BORDERS,
	REMARK_CELL_CONTRADICTS,
	REMARK_CELL_CONTRADICTS_CASE,
	REMARK_CELL_NO_COUNT,
	REMARK_CELL_NO_PRODUCT,
	REMARK_CELL_UNEVEN,
	REMARK_CELL_MORE,
	REMARK_CELL_OTHER_UNIT,
	REMARK_CELL_NO_NUMBER,
	REMARK_CELL_SEVERAL,
	REMARK_CELL_NO_WORD,
	REMARK_CELL_TOO_MANY,
	REMARK_QUOTIENT,
	REMARK_QUOTIENT_SCALED,
	REMARK_PRODUCT,
	REMARK_PART_OF,
	REMARK_SAMPLES_OVER,
	REMARK_WORK_OVER,
	REMARK_IMPLIED,
	REMARK_EXPLAINS,
	REMARK_NO_QUOTIENT,
	REMARK_NO_BASELINE,
	REMARK_NO_SPEED,
	REMARK_NO_TIME,
	REMARK_NO_OPERANDS,
	REMARK_NO_TOTAL,
	REMARK_OVER_ONES,
	REMARK_OVER_ONES_OF_SIZE,
	REMARK_NOT_STATED,
	REMARK_OTHER_BASELINE,
	REMARK_NO_CASE,
	REMARK_SEVERAL_CASES,
	REMARK_FIGURE_OF,
	REMARK_LAW_SIZES,
	REMARK_LAW_UNFIT,
	REMARK_IS_MEASURED,
	REMARK_NO_TIME_TO_TRAIN,
	REMARK_SPEEDS_ONLY,
	REMARK_NO_MINUTES,
	REMARK_NO_BANDWIDTH,
	REMARK_NODES_UNSTATED,
	REMARK_NO_SUCH_ROW,
	REMARK_NO_WIDER_ROW,
	REMARK_NODE_NOT_MEASURED,
	REMARK_TOO_FEW_COUNTS,
	REMARK_ONE_NODE_COUNT,
	REMARK_GRADIENTS_UNKNOWN,
	REMARK_SAME_COUNT,
	REMARK_EFFICIENCY_RISES,
	REMARK_TARGET_FAR,
	REMARK_TARGET_BELOW,
	REMARK_NO_OTHER_BATCH,
	REMARK_BATCHES_DIFFER,
	N_REMARKS
};

/* Values of result_excluded.reason. */
#define EXCLUDED_BAD_VALUE "bad-value"       /* invalid time or rate */
#define EXCLUDED_COPY "copy"                 /* content of another log */
#define EXCLUDED_DOUBLE_RUN "double-run"     /* case and run of another log */
#define EXCLUDED_EMPTY "empty"               /* empty file */
#define EXCLUDED_NO_BATCH "no-batch-size"    /* required but unknown */
#define EXCLUDED_NO_EPOCH "no-epoch"         /* --epoch=N: not in the log */
#define EXCLUDED_NO_FORMAT "no-format"       /* unknown log format */
#define EXCLUDED_NO_GPUS "no-gpus"           /* required but unknown */
#define EXCLUDED_NO_METRIC "no-metric"       /* --metric=mfu: not in the log */
#define EXCLUDED_NO_STEPS "no-steps"         /* no iteration that counts */
#define EXCLUDED_NO_SUMMARY "no-summary"     /* --rule=summary: none printed */
#define EXCLUDED_NOT_TRAINING "not-training" /* log of inference */
#define EXCLUDED_FAILED "failed"             /* reported by the log */
/* the log reports why it ended early */
#define EXCLUDED_OUT_OF_MEMORY "out-of-memory"
#define EXCLUDED_CRASHED "crashed"
#define EXCLUDED_RESTART "restart"       /* two runs in the log */
#define EXCLUDED_SHORT "short"           /* ends before the window */
#define EXCLUDED_UNREADABLE "unreadable" /* system error */

/* In the place of a reason: the flag puts the number in doubt. Flags without it
 * say how the number was measured. A sentence of schema 1, or of a later
 * version, may mean anything and is a doubt. */
#define FLAG_DOUBT "doubt"
/* A doubt about the precision only, by few lines or iterations: what it leaves
 * open also makes the runs differ, so that it decides no gate. */
#define FLAG_COARSE "coarse"
/* In the place of a reason: the flag says how the number follows from the log's
 * by the format's design. It is in the result and in lists of runs, not in
 * tables of cases. */
#define FLAG_DETAIL "detail"

enum remark_type {
	REMARK_END,    /* follows the last argument */
	REMARK_COUNT,  /* integer, or a line number */
	REMARK_NUMBER, /* significant digits, at least the integer ones */
	REMARK_FIXED,  /* with at least this many decimals, more to distinguish
			  it from the argument "limit" */
	REMARK_CHANGE, /* like FIXED, with sign */
	REMARK_NAME,   /* untranslated text */
	REMARK_WORD,   /* translated word */
	REMARK_PLACE,  /* file and line; printed before the sentence */
	REMARK_INNER,  /* another remark */
	REMARK_CASE    /* name of a case: "4n8g", in Chinese "4机32卡" */
};

enum { REMARK_MAX_ARGS = 6 };

struct remark_arg {
	double number;              /* number, or line of a place; or NAN */
	const char *text;           /* name, word, file of a place; or NULL */
	const struct remark *inner; /* or NULL */
};

/* Texts and inner remarks are borrowed. */
struct remark {
	enum remark_code code;
	struct remark_arg args[REMARK_MAX_ARGS]; /* in the row's order */
};

/* Remark with arguments. */
#define REMARK(code_, ...) \
	((struct remark){ .code = (code_), .args = { __VA_ARGS__ } })

/* Remark without arguments. */
static inline struct remark
remark_plain(enum remark_code code)
{
	return (struct remark){ .code = code };
}

static inline struct remark_arg
remark_number(double x)
{
	return (struct remark_arg){ .number = x };
}

/* Argument from an integer of any type. */
#define remark_count(n) remark_number((double)(n))

static inline struct remark_arg
remark_name(const char *text)
{
	return (struct remark_arg){ .text = text };
}

static inline struct remark_arg
remark_at(const char *file, long long line)
{
	return (struct remark_arg){ .number = (double)line, .text = file };
}

static inline struct remark_arg
remark_inner(const struct remark *r)
{
	return (struct remark_arg){ .inner = r };
}

/* Parameter of a code. */
struct remark_parameter {
	char name[16]; /* name in sentences (in braces) and in JSON */
	enum remark_type type;
	int digits; /* for REMARK_NUMBER, REMARK_FIXED, REMARK_CHANGE */
};

/* Properties of a code.  In sentences "{steps}" is replaced by the argument and
 * "{steps?step|steps}" by one of two words, the first if the argument is 1.  A
 * part in "[...]" is omitted if one of its arguments is unknown; "[...|...]"
 * has an alternative for that case. */
struct remark_row {
	const char *name;   /* "warm-up-in-window" */
	const char *reason; /* EXCLUDED_... for exclusions, FLAG_DOUBT,
			       FLAG_COARSE, FLAG_DETAIL, a code of refused
			       predictions, or NULL */
	/* Parameters, separated by spaces: "steps" is a count; "x%6g" a number
	 * of 6 digits, "x%1f" a fixed one of 1 decimal, "x%0c" a change; "x%s"
	 * a name, "x%w" a word, "x%p" a place, "x%r" a remark, "x%k" a
	 * case. */
	const char *parameters;
	const char *texts[N_LANGUAGES];
};

/* Filled before main(). */
extern struct remark_row remark_rows[N_REMARKS];

/* Parameter i of a code; the type is REMARK_END after the last one. */
struct remark_parameter remark_parameter(enum remark_code code, size_t i);

/* True for counts, numbers, fixed numbers and changes. */
int remark_is_number(enum remark_type type);

/* True if argument i is known. */
int remark_has(const struct remark *r, size_t i);

/* True for a flag that puts its number in doubt. */
int remark_is_doubt(const struct remark *r);

/* True for a doubt of more than precision. */
int remark_stops_gate(const struct remark *r);

/* True for a flag that tables of cases omit. */
int remark_is_detail(const struct remark *r);

/* Find a code by name; REMARK_NONE if unknown. */
enum remark_code remark_find(const char *name);

/* Translate a word; the word itself if it has no translation. */
const char *remark_word(const char *word, enum language lang);

/* Text in a that is the same for alike remarks only: they differ at most in
 * numbers, and changes have the same sign.
 *
 * exact  1: the numbers are the same, too, as printed */
const char *remark_key(const struct remark *r, int exact, struct arena *a);

/* Widen the range of alike remarks by another one. Numbers are compared without
 * their signs. */
void remark_widen(
    struct remark *from, struct remark *to, const struct remark *r);

/* Append the sentence of a range of alike remarks: "drifts by -6 to -8 %".
 *
 * to  has the largest numbers; NULL: r alone */
void remark_add(struct strbuf *sb, const struct remark *r,
    const struct remark *to, enum language lang);

/* Sentence of a remark, allocated in a. REMARK_NONE gives "". */
const char *remark_text(
    const struct remark *r, enum language lang, struct arena *a);

/* Place before the sentence, "a.log:12"; NULL if there is none. */
const char *remark_place(const struct remark *r, struct arena *a);

/* Sentence without its place. */
const char *remark_rest(
    const struct remark *r, enum language lang, struct arena *a);

/* Deep copy, allocated in a. */
struct remark remark_copy(const struct remark *r, struct arena *a);

#endif
