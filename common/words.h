/* The words that tables and charts show, in each language: one row a word, so
 * that a new language is one column.
 *
 *	enum language lang = language_find("zh");
 *	puts(word(WORD_SPEEDUP, lang));  -> 加速比
 */
#ifndef COMMON_WORDS_H
#define COMMON_WORDS_H

enum language { LANGUAGE_EN, LANGUAGE_ZH, N_LANGUAGES };

enum word {
	WORD_NODES,
	WORD_GPUS,
	WORD_NODE_GPU,
	WORD_FRAMEWORK,
	WORD_MODEL,
	WORD_PRECISION,
	WORD_BATCH,        /* samples on each device in a step */
	WORD_GLOBAL_BATCH, /* samples on all devices in a step */
	WORD_SOURCE,       /* the file */
	WORD_RULE,
	WORD_UNIT,
	WORD_KIND, /* measured or published */
	WORD_THROUGHPUT,
	WORD_STEP_TIME,
	WORD_TIME_TO_TRAIN,
	WORD_MEDIAN,
	WORD_MEDIAN_INTERVAL,
	WORD_MEDIAN_LOW,
	WORD_MEDIAN_HIGH,
	WORD_OLYMPIC,      /* mean without the best and the worst */
	WORD_MEDIAN_LEVEL, /* share of such intervals that hold the truth */
	WORD_SPEEDUP,
	WORD_SPEEDUP_INTERVAL,
	WORD_SPEEDUP_LOW,
	WORD_SPEEDUP_HIGH,
	WORD_SPEEDUP_LEVEL,
	WORD_EFFICIENCY,
	WORD_RUNS,
	WORD_FLAGS,
	WORD_BASELINE,
	WORD_BASELINE_OF_EACH, /* each series has its own baseline value */
	WORD_IDEAL,
	WORD_MEASURED,
	WORD_PUBLISHED,
	WORD_UNKNOWN,
	WORD_BARS,       /* of a chart */
	WORD_OF_MEDIAN,  /* interval of the median, in running text */
	WORD_OF_SPEEDUP, /* of the speedup */
	WORD_FEW_RUNS,
	WORD_NO_1N1G,   /* why another case is the baseline */
	WORD_NO_FIGURE, /* a case whose figure is not known */
	WORD_NOT_DRAWN,
	WORD_MIXED_UNITS,
	WORD_EXCLUDED,
	WORD_PUBLISHED_AT,
	WORD_RULE_UNKNOWN,
	WORD_COLLECTIVES,
	WORD_MESSAGE_SIZE,
	WORD_SIZE_UP_TO, /* message sizes below it */
	WORD_COUNT,      /* of operations */
	WORD_MEAN_SIZE,
	WORD_BUS_BANDWIDTH, /* what each link carries */
	WORD_TOTAL_TIME,
	WORD_MEAN_TIME,
	WORD_TIME_SHARE,
	WORD_MEAN_OF_RUNS, /* figures of a run, mean of so many */
	WORD_COMMA,        /* between parts of a list in running text */
	N_WORDS
};

/* Names for OPT_CHOICE: "en", "zh", NULL. */
extern const char *const language_names[];

/* The language of that name; LANGUAGE_EN for one that is not there. */
enum language language_find(const char *name);

/* The word, never NULL, static. */
const char *word(enum word w, enum language lang);

#endif
