/* Predictions written by predict_scaling --format=json
 * (doc/prediction-schema.json), given as operands next to results.
 *
 *	struct predictions p = PREDICTIONS_INIT;
 *	if (predictions_read(&p, "p.json", &e) != 0) ...
 *	for (size_t i = 0; i < p.n; i++)
 *		puts(p.items[i].title);
 *	predictions_release(&p);
 */
#ifndef COMMON_RESULT_PREDICTIONS_H
#define COMMON_RESULT_PREDICTIONS_H

#include <stddef.h>

#include "common/arena.h"
#include "common/error.h"
#include "common/result/result.h"

struct prediction_interval {
	double level, low, high; /* NAN: unknown */
};

/* Measured or predicted case; NAN is unknown. */
struct prediction_case {
	const char *name, *how;
	long gpus;
	double speed, speedup, efficiency;
	int measured, forced;
	struct prediction_interval *intervals; /* [n_intervals] */
	struct prediction_interval first;      /* of intervals, or unknown */
	const char **words;                    /* [n_words] warnings */
	const char *warnings; /* all warnings, separated by semicolons; or "" */
	size_t n_intervals, n_words;
};

struct prediction_series {
	const char *path;
	const char *title, *unit;          /* NULL: unknown */
	struct result_pair *configuration; /* [n_configuration] */
	size_t n_configuration;
	const char **notes;            /* [n_notes] */
	struct prediction_case *cases; /* [n_cases] */
	size_t n_notes, n_cases;
};

struct predictions {
	struct arena arena;
	struct prediction_series *items;
	size_t n;
};

#define PREDICTIONS_INIT ((struct predictions){ { 0 }, NULL, 0 })

/* True if the file is a prediction. Reads only its beginning. */
int predictions_is(const char *path);

/* Add the series of a file.
 *
 * Returns 0; -1 like json_doc_read, or ERROR_INPUT with file and path for a
 * member of the wrong type or an unknown version. */
int predictions_read(struct predictions *p, const char *path, struct error *e);

/* Free all. p is empty afterwards. */
void predictions_release(struct predictions *p);

#endif
