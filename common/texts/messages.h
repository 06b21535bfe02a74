/* Messages of tables and charts in all languages. A message is a row, a
 * language a column.
 *
 *	enum language lang = language_find("zh");
 *	puts(message(MESSAGE_SPEEDUP, lang));  -> 加速比
 */
#ifndef COMMON_TEXTS_MESSAGES_H
#define COMMON_TEXTS_MESSAGES_H

enum language { LANGUAGE_EN, LANGUAGE_ZH, N_LANGUAGES };

enum message {
	MESSAGE_NODES,
	MESSAGE_GPUS,
	MESSAGE_CPU_PROCESSES, /* instead of GPUs */
	MESSAGE_TPU_CHIPS,
	MESSAGE_NPUS,
	MESSAGE_DEVICES, /* mixed kinds */
	MESSAGE_CASE,    /* "2n8g" */
	MESSAGE_FRAMEWORK,
	MESSAGE_MODEL,
	MESSAGE_PRECISION,
	MESSAGE_BATCH,           /* samples on each device in a step */
	MESSAGE_GLOBAL_BATCH,    /* samples on all devices in a step */
	MESSAGE_SOURCE,          /* the file */
	MESSAGE_RULE,            /* rule; one of the next follows */
	MESSAGE_ITERATIONS,      /* @: first, last */
	MESSAGE_ITERATIONS_FROM, /* @: first */
	MESSAGE_OF_FIRST_EPOCH,  /* @: iterations */
	MESSAGE_OF_ALL_EPOCHS,   /* @: iterations */
	MESSAGE_OF_EPOCH,        /* @: iterations, epoch */
	MESSAGE_BY_TIME, /* @: iterations of an epoch; also the next two */
	MESSAGE_BY_MEAN,
	MESSAGE_BY_MEDIAN,
	MESSAGE_BY_SUMMARY,
	MESSAGE_RULE_NAMED, /* @: its name, if all that is known */
	MESSAGE_UNIT,
	MESSAGE_KIND, /* measured or published */
	MESSAGE_THROUGHPUT,
	MESSAGE_STEP_TIME,
	MESSAGE_TIME_TO_TRAIN,
	/* metrics other than the throughput (metric_choice_title) */
	MESSAGE_MFU,
	MESSAGE_MFU_PRINTED,
	MESSAGE_HFU_PRINTED,
	MESSAGE_TFLOPS_PER_DEVICE,
	MESSAGE_TFLOPS_PER_DEVICE_PRINTED,
	MESSAGE_PEAK_MEMORY,
	MESSAGE_POWER_PER_DEVICE,
	MESSAGE_ENERGY_PER_SAMPLE,
	MESSAGE_DATA_SHARE,
	MESSAGE_FINAL_LOSS,
	MESSAGE_FINAL_TOP1,
	MESSAGE_FINAL_VAL_LOSS,
	MESSAGE_FINAL_VAL_TOP1,
	MESSAGE_MEDIAN,
	MESSAGE_MEDIAN_INTERVAL,
	MESSAGE_SPEEDUP,
	MESSAGE_EFFICIENCY,
	MESSAGE_PER_GPU,
	MESSAGE_RUNS,
	MESSAGE_FLAGS,
	MESSAGE_BASELINE,
	MESSAGE_BASELINE_OF_EACH, /* each series has its own baseline value */
	MESSAGE_IDEAL,
	MESSAGE_MEASURED,
	MESSAGE_PUBLISHED,
	MESSAGE_UNKNOWN,
	MESSAGE_ERROR_BARS,        /* of a chart */
	MESSAGE_CI_OF_MEDIAN,      /* @: levels */
	MESSAGE_CI_OF_RATIO,       /* @: levels */
	MESSAGE_CI_OF_SPEEDUP,     /* @: levels */
	MESSAGE_LEVEL_RUNS,        /* @: level, runs */
	MESSAGE_LEVEL_TWO_RUNS,    /* @: level, runs of case and baseline */
	MESSAGE_LEVEL_PAIRS,       /* @: level, pairs */
	MESSAGE_LEVEL_TAKES_PAIRS, /* @: level, pairs */
	MESSAGE_LEVEL_TAKES,       /* @: level, runs */
	MESSAGE_LEVEL_TAKES_TWO,   /* @: level, runs of each */
	MESSAGE_WITHIN,            /* half the interval of a run's mean */
	MESSAGE_WITHIN_MEANS,      /* explains MESSAGE_WITHIN */
	MESSAGE_OF_MEDIAN,         /* interval of the median, in running text */
	MESSAGE_OF_SPEEDUP,        /* interval of the speedup, likewise */
	MESSAGE_NO_1N1G,           /* why another case is the baseline */
	MESSAGE_OOM,               /* cell of a case that ran out of memory */
	MESSAGE_FAILED,            /* ... whose runs failed for other reasons */
	MESSAGE_NO_FIGURE,         /* case with unknown number */
	MESSAGE_GPUS_UNKNOWN,      /* why a case is not in a chart */
	MESSAGE_NOT_DRAWN,
	MESSAGE_MIXED_UNITS,
	MESSAGE_EXCLUDED,
	MESSAGE_PUBLISHED_AT,
	MESSAGE_RULE_UNKNOWN,
	MESSAGE_COLLECTIVES,
	MESSAGE_MESSAGE_SIZE,
	MESSAGE_SIZE_UP_TO,    /* head of a column of message sizes */
	MESSAGE_BUS_BANDWIDTH, /* bandwidth per link */
	MESSAGE_TOTAL_TIME,
	MESSAGE_TIME_SHARE,
	/* Charts of cases. */
	MESSAGE_BATCH_OF_DEVICE,
	MESSAGE_STEP,
	MESSAGE_RUN,
	MESSAGE_LOSS,
	MESSAGE_ACCURACY,
	MESSAGE_TIME,
	MESSAGE_NOTE_LEVELS,
	MESSAGE_NOTE_STEPS, /* meaning of marks in charts */
	MESSAGE_NOTE_SPREAD,
	MESSAGE_NOTE_RUNNING_MEDIAN,
	MESSAGE_NOTE_PHASES,
	MESSAGE_NOTE_COUNTS,
	MESSAGE_NOTE_ABOVE_LINK, /* @ of @ lines */
	MESSAGE_LINK,
	MESSAGE_NOTE_PREDICTED,       /* @: levels of the bands */
	MESSAGE_NOTE_PREDICTED_RANGE, /* the same without levels */
	MESSAGE_DATA_WAIT,            /* parts of a step */
	MESSAGE_COMPUTE,
	MESSAGE_OVERLAPPED,
	MESSAGE_EXPOSED,
	MESSAGE_MEDIANS_OVER_RUNS,
	MESSAGE_WHOLE_RUNS,   /* for collectives */
	MESSAGE_NO_INTERVAL,  /* instead of a level, with the number of runs */
	MESSAGE_MEAN_OF_RUNS, /* numbers per run, mean over runs */
	/* Times of the program and of a mean step; see series/quantity.h. */
	MESSAGE_REAL,
	MESSAGE_USER,
	MESSAGE_SYS,
	MESSAGE_TOTAL_TRAINING, /* wall-clock time of a run */
	MESSAGE_MEAN_STEP,
	MESSAGE_PHASE_DATA,
	MESSAGE_PHASE_TO_DEVICE,
	MESSAGE_PHASE_FORWARD,
	MESSAGE_PHASE_LOSS,
	MESSAGE_PHASE_BACKWARD,
	MESSAGE_PHASE_UPDATE,
	MESSAGE_PHASE_ALLREDUCE,
	MESSAGE_PHASE_EXPOSED,
	MESSAGE_RECEIVING,
	MESSAGE_SENDING,
	MESSAGE_LAW, /* scaling law, then its parameters */
	MESSAGE_SPEED_OF_ONE,
	MESSAGE_SERIAL,
	MESSAGE_COHERENCE,
	MESSAGE_STANDARD_ERROR,
	MESSAGE_AIC,
	MESSAGE_PEAK,
	MESSAGE_UP_TO, /* follows an efficiency */
	MESSAGE_KARP_FLATT,
	MESSAGE_LAW_FIT,
	MESSAGE_RELATIVE_COST, /* explains parentheses; @: baseline */
	MESSAGE_DOUBT,         /* @: case, quantity, written, from, gives */
	MESSAGE_GPUS_PER_NODE,
	MESSAGE_BACKEND,
	MESSAGE_DEVICE,
	MESSAGE_FUSION,
	MESSAGE_COMPRESSION,
	MESSAGE_COMMA,     /* between parts of a list in running text */
	MESSAGE_SEMICOLON, /* between sentences */
	MESSAGE_COLON,     /* follows a place */
	/* Comparisons. */
	MESSAGE_RATIO,
	MESSAGE_RATIO_OF, /* @: new, old */
	MESSAGE_VERDICT,
	MESSAGE_FASTER,
	MESSAGE_SLOWER,
	MESSAGE_EQUIVALENT,
	MESSAGE_FASTER_WITHIN, /* faster, and equivalent */
	MESSAGE_SLOWER_WITHIN,
	MESSAGE_NO_EVIDENCE,
	MESSAGE_TOO_FEW_RUNS,
	MESSAGE_EQUIVALENT_MEANS, /* @: delta */
	MESSAGE_OVER_FIRST_LEVEL, /* in a history */
	MESSAGE_GEOMETRIC_MEAN,
	MESSAGE_NOTE_SHADED,  /* @: a share */
	MESSAGE_NOTE_DIAMOND, /* @: a level */
	MESSAGE_ONLY_IN,      /* @: a result */
	MESSAGE_OF_RATIO,     /* interval of the ratio */
	MESSAGE_SPREADS,      /* @: case, factor, level */
	MESSAGE_DETECTABLE,   /* smallest detectable change */
	MESSAGE_RUNS_TO_SHOW, /* @: change */
	MESSAGE_OR_MORE,      /* @: runs */
	MESSAGE_PAIRS,
	MESSAGE_CHANCE, /* @: cases */
	MESSAGE_GATE,
	MESSAGE_VALUE,
	MESSAGE_GATE_PASSED,
	MESSAGE_GATE_NOT_PROVEN,
	MESSAGE_GATE_MISSING,
	MESSAGE_GATE_FAILED,
	/* Sentences about the gate of a case. */
	MESSAGE_GATE_PROVEN_IS,
	MESSAGE_GATE_REFUTED_IS,
	MESSAGE_GATE_NOT_PROVEN_IS,
	MESSAGE_GATE_TOO_FEW_IS,
	MESSAGE_GATE_MISSING_IS,
	MESSAGE_GATE_PROOF,
	MESSAGE_GATE_CANNOT,
	MESSAGE_GATE_CANNOT_PAIRS,
	MESSAGE_GATE_NOTHING,
	MESSAGE_STATUS,
	/* Checks of published tables. */
	MESSAGE_PLACE,  /* file:line:column of a cell */
	MESSAGE_COLUMN, /* of a table */
	MESSAGE_PRINTED,
	MESSAGE_SHOULD_BE,
	MESSAGE_WHY,
	MESSAGE_TABLES,
	MESSAGE_FOLLOWS,
	MESSAGE_FOLLOWS_CUT,
	MESSAGE_DIFFERS,
	MESSAGE_MALFORMED,
	MESSAGE_UNREAD,
	MESSAGE_NO_CASE,
	MESSAGE_SEVERAL_CASES,
	MESSAGE_UNCHECKED,
	/* Histories. */
	MESSAGE_DATE,
	MESSAGE_COMMIT,
	MESSAGE_COMMIT_OR_DATE,
	MESSAGE_HOST,
	MESSAGE_FRAMEWORK_VERSION,
	MESSAGE_CHANGE,
	MESSAGE_CHANGE_MEANS,   /* @: requested level */
	MESSAGE_SLOWER_SINCE,   /* @: case, share, interval ends, level, first
				   point, last one before */
	MESSAGE_FASTER_SINCE,   /* like the last */
	MESSAGE_POINTS_AGAINST, /* @: points before, after, p */
	MESSAGE_CHANGE_UNPROVEN,
	MESSAGE_ALSO_CHANGED, /* @: property, from, to */
	MESSAGE_NO_CHANGE,    /* @: case, points, since */
	MESSAGE_FEW_POINTS,   /* @: case, points, minimum */
	/* Environment. */
	MESSAGE_ENVIRONMENT,
	MESSAGE_ITEM,
	MESSAGE_THIS_MACHINE,
	MESSAGE_HARDWARE,
	MESSAGE_SOFTWARE,
	MESSAGE_MADE, /* when and how the runs were made */
	MESSAGE_OTHER,
	MESSAGE_CPU,
	MESSAGE_CORES,
	MESSAGE_VECTORS, /* vector instructions */
	MESSAGE_MEMORY,
	MESSAGE_NIC,
	MESSAGE_GPU,
	MESSAGE_GPU_LINK,
	MESSAGE_SERVERS,
	MESSAGE_GPU_MEMORY,
	MESSAGE_BANDWIDTH,
	MESSAGE_PACKET_RATE,
	MESSAGE_LARGEST_CASE, /* of a result */
	MESSAGE_SYSTEM,
	MESSAGE_KERNEL,
	MESSAGE_GPU_DRIVER,
	MESSAGE_COMMAND,
	N_MESSAGES
};

/* Names for OPT_CHOICE: "en", "zh", NULL. */
extern const char *const language_names[];

/* Find a language by name; LANGUAGE_EN if unknown. */
enum language language_find(const char *name);

/* Display name of a label: "back end" for "backend"; else the key itself. */
const char *message_label(const char *key, enum language lang);

struct strbuf;

/* Add the message with each '@' replaced by the next text of list.
 *
 * list  NULL-terminated, one text per '@' */
void message_fill(struct strbuf *sb, enum message w, enum language lang,
    const char *const *list);

/* Text of a message, never NULL, static. */
const char *message(enum message w, enum language lang);

#endif
