/* Horovod's autotuner (version 0.20.3): which threshold of fusion, cycle time
 * and switches make the most bytes of gradients reduced a microsecond.
 *
 * A score is the median of five rates, each over some steps.  Threshold and
 * cycle time are sampled together: four points that are fixed, then where a
 * Gaussian process expects the largest improvement.  This is repeated for each
 * combination of three switches, of which the first changes fastest: a switch
 * takes the value under which the best score of all was seen.  A setting that
 * the user fixes is not sampled.
 *
 * Switched on or off are the hierarchical allreduce, the hierarchical allgather
 * (of which training makes no use, but it is sampled, as Horovod does), and the
 * cache by which ranks agree on tensors by number.
 *
 *	struct horovod_tuner *t = horovod_tuner_new(&config);
 *	... after each step of training with t->now:
 *	if (horovod_tuner_step(t, seconds, bytes))
 *		... another setting, or t->done ...
 *	horovod_tuner_free(t);
 */
#ifndef TRAINER_TUNE_HOROVOD_TUNER_H
#define TRAINER_TUNE_HOROVOD_TUNER_H

#include <stdint.h>

#include "common/strbuf.h"
#include "trainer/tune/gaussian_process.h"

enum horovod_switch {
	HOROVOD_HIERARCHICAL_ALLREDUCE,
	HOROVOD_HIERARCHICAL_ALLGATHER,
	HOROVOD_CACHE_ENABLED,
	HOROVOD_SWITCHES
};

enum horovod_variable { HOROVOD_THRESHOLD_MIB, HOROVOD_CYCLE_MS };

/* How gradients are allreduced. */
struct horovod_setting {
	int on[HOROVOD_SWITCHES]; /* 0 or 1 */
	double at[2];             /* by enum horovod_variable */
};

struct horovod_tuner_config {
	int warmup;    /* scores that are ignored, >= 0; Horovod: 3 */
	int steps;     /* of a rate, >= 1; 10 */
	int most;      /* samples after the first of each search, >= 0; 20 */
	double noise;  /* deviation of a standardised score, > 0; 0.8 */
	uint64_t seed; /* of the search */
	struct horovod_setting fixed; /* values of what is fixed */
	int switch_fixed[HOROVOD_SWITCHES], variable_fixed[2];
};

enum { HOROVOD_TUNER_RATES = 5 }; /* of a score */

/* What the search has found; for reading. */
struct horovod_tuner {
	struct horovod_setting now;  /* to train with; the best once done */
	struct horovod_setting last; /* of the last score that counted */
	double last_score;
	double best_score; /* so far; 0 without any */
	int done;          /* the best setting is known */

	/* Private to the search. */
	struct horovod_tuner_config c;
	int free[2]; /* variables that are sampled, n_free of them */
	int n_free;
	int samples; /* since the switches changed */
	struct gaussian_process values;
	uint64_t asked; /* seeds used */
	double best_at[2];
	double switch_score[HOROVOD_SWITCHES]; /* best with best_on */
	int best_on[HOROVOD_SWITCHES];
	int ignored; /* scores */
	double rates[HOROVOD_TUNER_RATES];
	int n_rates, steps;
	double start, bytes;
};

/* How many scores there will be, those ignored not counted. */
long horovod_tuner_samples(const struct horovod_tuner_config *c);

/* And how many steps all of it takes. */
long horovod_tuner_steps(const struct horovod_tuner_config *c);

/* Begin; c is copied. */
struct horovod_tuner *horovod_tuner_new(const struct horovod_tuner_config *c);

/* Free it; t may be NULL. */
void horovod_tuner_free(struct horovod_tuner *t);

/* Time begins now, or again: with the first step, and once a new setting is
 * in use.
 *
 * now  seconds of any clock that does not go back */
void horovod_tuner_start(struct horovod_tuner *t, double now);

/* A step of training is over.
 *
 * now    as above; time counts in whole microseconds
 * bytes  that each rank gave to be summed in it
 *
 * Returns 1 when it completed a score that counts: the setting is another
 * one, or tuning is done. */
int horovod_tuner_step(struct horovod_tuner *t, double now, double bytes);

/* The same for a score as it is, bytes a microsecond. */
void horovod_tuner_score(struct horovod_tuner *t, double score);

/* Add the head of Horovod's log to sb, and a row of it: numbers as C++ streams
 * print them, six digits. */
void horovod_tuner_head(struct strbuf *sb);
void horovod_tuner_row(
    const struct horovod_setting *s, double score, struct strbuf *sb);

#endif
