/* Remarks about a number, a run or a table: a code and its arguments. Flags of
 * runs, reasons for exclusion, hints at options and notes are remarks. Programs
 * compare codes; sentences are only made for display. remark_template.h has,
 * for each code, its name in JSON, its arguments and its sentences.
 *
 *	struct remark r = REMARK(REMARK_EPOCHS, remark_number(0),
 *	    remark_number(2));
 *	remark_text(&r, LANGUAGE_EN, &arena)  -> "epochs 0–2"
 */
#ifndef COMMON_TEXTS_REMARK_H
#define COMMON_TEXTS_REMARK_H

#include <stdarg.h>
#include <stddef.h>

#include "common/alloc.h"

/* Messages of tables and charts in all languages. A message is a row, a
 * language a column.
 *
 *	enum language lang = language_find("zh");
 *	puts(message(MESSAGE_SPEEDUP, lang));  -> 加速比
 */
enum language { LANGUAGE_EN, LANGUAGE_ZH, N_LANGUAGES };

/* Code of a message; the rows of message_template.h are in this order. */
enum message {
#define ROW(code, en, zh) code,
#include "common/texts/message_template.h"
#undef ROW
	N_MESSAGES
};

/* Names for OPT_CHOICE: "en", "zh", NULL. */
extern const char *const language_names[];

/* Find a language by name, LANGUAGE_EN if unknown; without a name that of
 * --lang ($DLSCALE_LANG), or of the locale: the first of $LC_ALL, $LC_MESSAGES
 * and $LANG that is set. */
enum language language_find(const char *name);

/* Display name of a label: "back end" for "backend"; else the key itself. */
const char *message_label(const char *key, enum language lang);

/* The text in a language, for texts of one program; they may be formats. */
const char *in_language(enum language lang, const char *en, const char *zh)
    __attribute__((format_arg(2), format_arg(3)));

/* A text in the arena with each '@' replaced by the next argument, a text. */
const char *text_fill(struct arena *a, const char *text, ...);
const char *text_fill_list(struct arena *a, const char *text, va_list list);

/* Text of a message, never NULL, static. */
const char *message(enum message w, enum language lang);

/* --- remarks -------------------------------------------------------------- */

/* Code of a remark; REMARK_NONE is 0. The rows of remark_template.h are in this
 * order. */
enum remark_code {
#define ROW(code, name, reason, parameters, en, zh) code,
#include "common/texts/remark_template.h"
#undef ROW
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
/* A doubt about the precision only, because of few lines or iterations. The
 * imprecision also makes the runs differ, so the flag does not stop a gate. */
#define FLAG_COARSE "coarse"
/* In the place of a reason: the flag states how the number is derived from the
 * log's by the design of the format. It is in the result and in lists of runs,
 * not in tables of cases. */
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
	REMARK_PLACE,  /* file and line */
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

extern const struct remark_row remark_rows[N_REMARKS];

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

/* Find a code by name; REMARK_NONE if unknown. */
enum remark_code remark_find(const char *name);

/* Translate a word; the word itself if it has no translation. */
const char *remark_word(const char *word, enum language lang);

/* Text in a that is the same for alike remarks only: they differ at most in
 * numbers, and changes have the same sign. */
const char *remark_key(const struct remark *r, struct arena *a);

/* Append the sentence of a range of alike remarks: "drifts by -6 to -8 %".
 *
 * to  has the largest numbers; NULL: r alone */
void remark_add(struct strbuf *sb, const struct remark *r,
    const struct remark *to, enum language lang);

/* True if r has all arguments of its sentence that are not optional; remarks of
 * an older version may lack some. */
int remark_is_whole(const struct remark *r);

/* Sentence of a remark, allocated in a. REMARK_NONE gives "". */
const char *remark_text(
    const struct remark *r, enum language lang, struct arena *a);

/* Remove the place before the sentence, "a.log:12", and return it; NULL if
 * there is none. */
const char *remark_take_place(struct remark *r, struct arena *a);

/* Deep copy, allocated in a. */
struct remark remark_copy(const struct remark *r, struct arena *a);

#endif
