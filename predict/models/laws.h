/* Classic scaling laws for --compare. They are shown next to the prediction and
 * never used for it.
 *
 *	linear     X = X_last N / N_last
 *	Amdahl     X = l N / (1 + s (N - 1))
 *	Gustafson  X = l (N - s (N - 1))
 *	USL        X = l N / (1 + s (N - 1) + k N (N - 1))
 *	power      X = l N^q
 *
 * All but the first by least squares of ln X, l from the mean residual.
 * Amdahl 1967, AFIPS 30; Gustafson 1988, CACM 31(5); Gunther 2007, Guerrilla
 * Capacity Planning.
 */
#ifndef PREDICT_MODELS_LAWS_H
#define PREDICT_MODELS_LAWS_H

#include <stddef.h>

enum scaling_law {
	LAW_LINEAR,
	LAW_AMDAHL,
	LAW_GUSTAFSON,
	LAW_USL,
	LAW_POWER,
	N_SCALING_LAWS
};

/* Names in JSON: "linear", "amdahl", "gustafson", "usl", "power". */
extern const char *const scaling_law_names[N_SCALING_LAWS];

/* Names in tables: "linear", "Amdahl", "Gustafson", "USL", "power". */
extern const char *const scaling_law_titles[N_SCALING_LAWS];

/* Speed by a law at a number of GPUs.
 *
 * gpus, speed  [n] measured, by GPUs, all above 0, n >= 1
 *
 * Returns NAN if fewer than two different counts are known, except for the
 * linear law. */
double law_predict(enum scaling_law law, const double *gpus,
    const double *speed, size_t n, double target);

#endif
