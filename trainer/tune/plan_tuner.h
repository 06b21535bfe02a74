/* Choice of the fastest of a few plans of gradient allreduces by a few training
 * steps with each, and supervision of it afterwards.
 *
 *	steps 1, 2   warm-up with the plan in use, then PLAN_TUNER_PROBE: the
 *	             caller proposes candidates
 *	steps 3 ...  one step each of the first plan and up to three candidates
 *	4 steps      the first plan, the fastest candidate twice, and the first
 *	             plan again, so that a drift of the machine affects both:
 *	             10 steps in all
 *	             PLAN_TUNER_DECIDED: the candidate, if the median of its
 *	             three steps is below the first plan's by more than 1 %
 *	             and by more than the standard deviation of a step, else
 *	             the first plan
 *	10 steps     if their median exceeds the first plan's by more than 3 %
 *	             and by more than that deviation, PLAN_TUNER_DECIDED again:
 *	             the first plan
 *	every 20     if their median has increased by more than a fifth,
 *	             PLAN_TUNER_AGAIN: restart with the plan in use as the
 *	             first plan
 *
 * All ranks must pass the same times.
 *
 *	struct plan_tuner p;
 *	plan_tuner_start(&p);
 *	... after each step:
 *	switch (plan_tuner_step(&p, seconds)) ...
 */
#ifndef TRAINER_TUNE_PLAN_TUNER_H
#define TRAINER_TUNE_PLAN_TUNER_H

enum {
	PLAN_TUNER_CANDIDATES = 3,
	PLAN_TUNER_WARM = 2,   /* warm-up steps */
	PLAN_TUNER_FINAL = 4,  /* steps of the second round */
	PLAN_TUNER_TIMES = 3,  /* most measured steps of a plan */
	PLAN_TUNER_WATCH = 20, /* steps of a median after the decision */
};

enum plan_tuner_event {
	PLAN_TUNER_NOTHING,
	PLAN_TUNER_PROBE,   /* call plan_tuner_propose() */
	PLAN_TUNER_USE,     /* use the plan for the next step */
	PLAN_TUNER_DECIDED, /* the plan is kept */
	PLAN_TUNER_AGAIN    /* the plan kept becomes the first plan */
};

/* Measured steps of a plan. */
struct plan_times {
	double s[PLAN_TUNER_TIMES];
	int n;
};

struct plan_tuner {
	long step;  /* since the start */
	int n;      /* candidates; -1: not yet proposed */
	int plan;   /* 0: the first plan; 1 ..: a candidate */
	int trials; /* steps measured before the decision */
	int best;   /* candidate of the second round */
	int kept;   /* decided */
	struct plan_times times[1 + PLAN_TUNER_CANDIDATES];
	double first_s; /* median step of the first plan; 0: unknown */
	double noise_s; /* standard deviation of a step of the two plans
	                   compared; 0 before the decision */
	double seconds[PLAN_TUNER_WATCH];
	int n_seconds;
	double usual; /* median after the decision; 0: unknown */
};

/* Begin. */
void plan_tuner_start(struct plan_tuner *p);

/* Start the trial of n candidates, 0 .. PLAN_TUNER_CANDIDATES.
 *
 * Returns PLAN_TUNER_USE with the first plan, or PLAN_TUNER_DECIDED if n ==
 * 0. */
enum plan_tuner_event plan_tuner_propose(struct plan_tuner *p, int n);

/* Record the time of a step, equal on all ranks. After PLAN_TUNER_AGAIN the
 * step count starts again. */
enum plan_tuner_event plan_tuner_step(struct plan_tuner *p, double seconds);

/* Median time of a step with a plan in seconds; 0: not tried. */
double plan_tuner_time(const struct plan_tuner *p, int plan);

#endif
