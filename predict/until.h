/* How many nodes until the efficiency falls below a target.
 */
#ifndef PREDICT_UNTIL_H
#define PREDICT_UNTIL_H

#include "predict/forecast/forecast_set.h"

struct until_answer {
	double target;         /* efficiency, a share */
	long gpus_per_node;    /* RESULT_UNKNOWN: counts are GPUs, not nodes */
	long count;            /* the first below, by the median; 0: none */
	long earliest, latest; /* by the interval's ends; 0: none */
	long limit;            /* counts up to here were looked at */
};

/* Walk the counts of the main row from 1 to 8 times the largest one; measured
 * ones are taken as they are.
 *
 * level  of the interval
 *
 * Returns 0; -1 where no row can be predicted from. */
int until_find(const struct forecast *f, double target, double level,
    struct until_answer *out);

#endif
