/* Average meters and the lines made of them, byte for byte as PyTorch's
 * ImageNet example prints them: the last value, and in parentheses the mean
 * over the epoch weighted by images.
 *
 *	Epoch: [0][  1/130]\tTime  0.544 ( 0.544)\tData ...
 *	Test: [1/2]\tTime  0.145 ( 0.151)\tLoss 6.7645e+00 (6.7578e+00)\t...
 *	 *   Acc@1 0.000 Acc@5 18.750
 */
#ifndef TRAINER_RUN_METERS_METER_H
#define TRAINER_RUN_METERS_METER_H

#include "common/strbuf.h"

struct meter {
	double val;   /* last value */
	double sum;   /* sum of values times weights */
	double count; /* sum of weights */
};

/* Values shown in the lines; all zero at the start of an epoch. */
struct meters {
	struct meter time; /* seconds of a step, weight 1 */
	struct meter data; /* seconds of waiting for images, weight 1 */
	struct meter loss; /* mean cross entropy, weight: images */
	struct meter top1; /* per cent, weight: images */
	struct meter top5;
};

/* Add a value.
 *
 * n  its weight, > 0 */
void meter_update(struct meter *m, double val, double n);

/* The weighted mean; 0 before the first value. */
double meter_mean(const struct meter *m);

/* Add a training line, with its end, to sb.
 *
 * batch  from 1
 * n      batches of the epoch */
void meters_train_line(
    const struct meters *m, int epoch, long batch, long n, struct strbuf *sb);

/* Add a validation line; batch from 1. */
void meters_test_line(
    const struct meters *m, long batch, long n, struct strbuf *sb);

/* Add the line that ends a validation; both in per cent. */
void meters_accuracy_line(double top1, double top5, struct strbuf *sb);

#endif
