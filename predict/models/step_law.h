/* Steps without a trace: compute time, exposed time and how much of the
 * communication the compute time hides; and what changes when one of them
 * does.
 *
 *	T = C + max(0, comm - gamma C)
 *
 * C is a step without network, T(1, g); E = T(n, g) - C is exposed.  Where
 * gamma is unknown both ends are computed: seeds of both kinds occur.
 */
#ifndef PREDICT_MODELS_STEP_LAW_H
#define PREDICT_MODELS_STEP_LAW_H

/* A step, and what is known of its overlap. */
struct step_parts {
	double compute_s; /* C > 0 */
	double exposed_s; /* E; below 0 counts as 0 */
	double gamma; /* share of C that hides communication; NAN: unknown */
};

/* What a change does to a step. */
struct step_change {
	double cost;    /* q: communication takes so many times as long */
	double extra_s; /* x: and so much more */
	double speed;   /* devices are so many times as fast */
};

#define STEP_CHANGE_NONE \
	{ \
		1, 0, 1 \
	}

/* A time with its ends; all the same where gamma is known. */
struct step_range {
	double step_s, low_s, high_s;
};

/* The share of C that hides communication.
 *
 * communication_s  of the whole step; E above 0, else the parts say nothing
 *
 * Returns 0 to 1; NAN where E is not above 0. */
double step_overlap(const struct step_parts *p, double communication_s);

/* The step after a change. */
struct step_range step_changed(
    const struct step_parts *p, const struct step_change *c);

/* A step over a network that only its cost is known of. */
struct step_range step_from_link(
    double compute_s, double communication_s, double gamma);

/* The rate of the link that brings the efficiency to a target.
 *
 * bit_per_s   of the link now
 * baseline_s  T of the baseline
 * target      0 < target <= 1
 *
 * Returns NAN where no rate does: the loss is within the node. */
double step_bandwidth_for(const struct step_parts *p, double bit_per_s,
    double baseline_s, double target);

#endif
