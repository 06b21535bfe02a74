/* The minimum of a smooth function of a few variables in a box. */
#ifndef TRAINER_TUNE_MINIMIZE_H
#define TRAINER_TUNE_MINIMIZE_H

enum { MINIMIZE_MOST = 4 }; /* variables */

typedef double minimize_fn(void *ctx, const double *x);

/* Go downhill from x: BFGS with forward differences and backtracking; steps
 * that leave the box end at its wall (Nocedal and Wright, "Numerical
 * Optimization", 2006, sections 6.1 and 16.7).
 *
 * f          finite, or INFINITY where it is not defined
 * low, high  [n] the box, low < high
 * n          variables, 1 .. MINIMIZE_MOST
 * x          [n] in: inside of the box; out: where f is least of all that was
 *            tried
 *
 * Returns f(x). */
double minimize(minimize_fn *f, void *ctx, const double *low,
    const double *high, int n, double *x);

#endif
