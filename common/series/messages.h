/* The words that tables and charts show, in each language: one row a word, so
 * that a new language is one column.
 *
 *	enum language lang = language_find("zh");
 *	puts(message(MESSAGE_SPEEDUP, lang));  -> 加速比
 */
#ifndef COMMON_SERIES_MESSAGES_H
#define COMMON_SERIES_MESSAGES_H

enum language { LANGUAGE_EN, LANGUAGE_ZH, N_LANGUAGES };

enum message {
	MESSAGE_NODES,
	MESSAGE_GPUS,
	MESSAGE_NODE_GPU,
	MESSAGE_FRAMEWORK,
	MESSAGE_MODEL,
	MESSAGE_PRECISION,
	MESSAGE_BATCH,        /* samples on each device in a step */
	MESSAGE_GLOBAL_BATCH, /* samples on all devices in a step */
	MESSAGE_SOURCE,       /* the file */
	MESSAGE_RULE,
	MESSAGE_UNIT,
	MESSAGE_KIND, /* measured or published */
	MESSAGE_THROUGHPUT,
	MESSAGE_STEP_TIME,
	MESSAGE_TIME_TO_TRAIN,
	MESSAGE_MEDIAN,
	MESSAGE_MEDIAN_INTERVAL,
	MESSAGE_MEDIAN_LOW,
	MESSAGE_MEDIAN_HIGH,
	MESSAGE_OLYMPIC,      /* mean without the best and the worst */
	MESSAGE_MEDIAN_LEVEL, /* share of such intervals that hold the truth */
	MESSAGE_SPEEDUP,
	MESSAGE_SPEEDUP_INTERVAL,
	MESSAGE_SPEEDUP_LOW,
	MESSAGE_SPEEDUP_HIGH,
	MESSAGE_SPEEDUP_LEVEL,
	MESSAGE_EFFICIENCY,
	MESSAGE_RUNS,
	MESSAGE_FLAGS,
	MESSAGE_BASELINE,
	MESSAGE_BASELINE_OF_EACH, /* each series has its own baseline value */
	MESSAGE_IDEAL,
	MESSAGE_MEASURED,
	MESSAGE_PUBLISHED,
	MESSAGE_UNKNOWN,
	MESSAGE_BARS,       /* of a chart */
	MESSAGE_OF_MEDIAN,  /* interval of the median, in running text */
	MESSAGE_OF_SPEEDUP, /* of the speedup */
	MESSAGE_FEW_RUNS,
	MESSAGE_NO_1N1G,   /* why another case is the baseline */
	MESSAGE_NO_FIGURE, /* a case whose figure is not known */
	MESSAGE_NOT_DRAWN,
	MESSAGE_MIXED_UNITS,
	MESSAGE_EXCLUDED,
	MESSAGE_PUBLISHED_AT,
	MESSAGE_RULE_UNKNOWN,
	MESSAGE_COLLECTIVES,
	MESSAGE_MESSAGE_SIZE,
	MESSAGE_SIZE_UP_TO, /* message sizes below it */
	MESSAGE_COUNT,      /* of operations */
	MESSAGE_MEAN_SIZE,
	MESSAGE_BUS_BANDWIDTH, /* what each link carries */
	MESSAGE_TOTAL_TIME,
	MESSAGE_MEAN_TIME,
	MESSAGE_TIME_SHARE,
	MESSAGE_MEAN_OF_RUNS, /* figures of a run, mean of so many */
	MESSAGE_COMMA,        /* between parts of a list in running text */
	N_MESSAGES
};

/* Names for OPT_CHOICE: "en", "zh", NULL. */
extern const char *const language_names[];

/* The language of that name; LANGUAGE_EN for one that is not there. */
enum language language_find(const char *name);

/* The word, never NULL, static. */
const char *message(enum message w, enum language lang);

#endif
