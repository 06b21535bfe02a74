/* Predictions in the HTML page: what predict_scaling --format=json wrote
 * (doc/prediction-schema.json), given as operands next to results.
 *
 *	struct predictions p = PREDICTIONS_INIT;
 *	if (predictions_read(&p, "p.json", &e) != 0) ...
 *	predictions_put(&p, f);
 *	predictions_release(&p);
 */
#ifndef REPORT_PREDICTIONS_H
#define REPORT_PREDICTIONS_H

#include <stddef.h>
#include <stdio.h>

#include "common/arena.h"
#include "common/error.h"

/* A case, measured or predicted; NAN is unknown. */
struct prediction_case {
	const char *name, *how;
	long gpus;
	double speed, speedup, efficiency;
	double level, low, high; /* of the first interval */
	const char *warnings;    /* words, with semicolons; "" */
	int measured, forced;
};

struct prediction_series {
	const char *path;
	const char *title, *unit;      /* NULL: unknown */
	const char *const *notes;      /* [n_notes] */
	struct prediction_case *cases; /* [n_cases] */
	size_t n_notes, n_cases;
};

struct predictions {
	struct arena arena;
	struct prediction_series *items;
	size_t n, alloc;
};

#define PREDICTIONS_INIT \
	{ \
		{ 0 }, NULL, 0, 0 \
	}

/* Is the file a prediction?  Reads its beginning only. */
int predictions_is(const char *path);

/* Add the series of a file.
 *
 * Returns 0; -1 as json_doc_read, or ERROR_INPUT with file and path for a
 * member of the wrong kind or another version. */
int predictions_read(struct predictions *p, const char *path, struct error *e);

/* A section of the page; nothing without series. */
void predictions_put(const struct predictions *p, FILE *f);

/* Free all; it is empty. */
void predictions_release(struct predictions *p);

#endif
