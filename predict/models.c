/* The doubling model: weights of its two parameters on a grid, mixtures, and
 * ceilings; least-squares fits of five laws; and the cost of the network per
 * step. */
#include <config.h>

#include "predict/models.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/series/result_set.h"
#include "common/stats/stats.h"
#include "common/units/units.h"

/* --- the grid and its weights --------------------------------------------- */

double
growth_phi(double rho, double m)
{
	return (1 - pow(m, log2(rho))) / (1 - rho);
}

double
expected_largest(double n)
{
	return n > 1 ? normal_quantile((n - 0.375) / (n + 0.25)) : 0;
}

/* Values of rho and a on the grid, both ascending in i. */
static double
growth_rho(int i)
{
	return K_RHO_STEP * (i + 1) - K_RHO_FIRST;
}

static double
growth_cost(int i)
{
	static const double gains[COST_GAINS] = K_GAINS;
	const int last = COST_LOSSES - 1;

	if (i < COST_GAINS)
		return gains[i];
	return K_LOSS_FIRST *
	    pow(K_LOSS_FACTOR, (double)(i - COST_GAINS) / last);
}

/* Scale x so that its sum is total. */
static void
normalise_sum(double *x, size_t n, double total)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += x[i];
	assert(sum > 0);
	for (size_t i = 0; i < n; i++)
		x[i] *= total / sum;
}

static double
straggler_of(enum doubling_axis axis)
{
	return axis == DOUBLING_ROW ? K_STRAGGLER_ROW : K_STRAGGLER_COLUMN;
}

/* Set w to prior times likelihood of the increments: Student's t with 2 degrees
 * of freedom, which is robust to an outlier.
 *
 * prior  of rho; NULL: none
 *
 * Lange, Little, Taylor 1989, JASA 84, for t instead of normal errors. */
static void
weigh(enum doubling_axis axis, const struct scaling_point *p, size_t n,
    const double *prior, double w[GROWTH_RHOS][COSTS])
{
	double costs[COSTS], cost_prior[COSTS], largest = -INFINITY;

	for (int j = 0; j < COSTS; j++) {
		double z;

		costs[j] = growth_cost(j);
		z = (log(costs[j]) - log(K_LOSS_MIDDLE)) / K_LOSS_WIDTH;
		cost_prior[j] = j < COST_GAINS
		    ? exp(-fabs(costs[j]) / K_GAIN_SCALE)
		    : exp(-z * z / 2);
	}
	normalise_sum(cost_prior, COST_GAINS, K_GAIN_WEIGHT);
	normalise_sum(cost_prior + COST_GAINS, COST_LOSSES, K_LOSS_WEIGHT);
	memset(w, 0, sizeof(double[GROWTH_RHOS][COSTS]));
	for (; n > 1; n--, p++) {
		const double noise = K_DOUBLING_NOISE * log2(p[1].m / p[0].m);
		const double ln_t = log(p[1].t / p[0].t) -
		    straggler_of(axis) *
			(expected_largest(p[1].gpus) -
			    expected_largest(p[0].gpus));
		const double variance = K_INCREMENT_NOISE * K_INCREMENT_NOISE +
		    noise * noise + p[0].s * p[0].s + p[1].s * p[1].s;

		for (int i = 0; i < GROWTH_RHOS; i++) {
			const double phi0 = growth_phi(growth_rho(i), p[0].m);
			const double phi1 = growth_phi(growth_rho(i), p[1].m);

			for (int j = 0; j < COSTS; j++) {
				const double g0 = 1 + costs[j] * phi0;
				const double g1 = 1 + costs[j] * phi1;
				const double z = ln_t - log(g1 / g0);

				w[i][j] -=
				    g0 <= K_LEAST_STEP || g1 <= K_LEAST_STEP
				    ? INFINITY
				    : 1.5 * log1p(z * z / (2 * variance));
			}
		}
	}
	for (int i = 0; i < GROWTH_RHOS; i++)
		for (int j = 0; j < COSTS; j++)
			largest = fmax(largest, w[i][j]);
	for (int i = 0; i < GROWTH_RHOS; i++)
		for (int j = 0; j < COSTS; j++)
			w[i][j] = exp(w[i][j] - largest) *
			    ((prior != NULL ? prior[i] : 1) * cost_prior[j]);
	normalise_sum(&w[0][0], (size_t)GROWTH_RHOS * COSTS, 1);
}

/* --- siblings ------------------------------------------------------------- */

/* near[f][i]: weight of rho i for the common growth f; sums over i are 1. */
static void
habit_kernel(double near[GROWTH_RHOS][GROWTH_RHOS])
{
	for (int f = 0; f < GROWTH_RHOS; f++) {
		for (int i = 0; i < GROWTH_RHOS; i++) {
			double z =
			    (growth_rho(i) - growth_rho(f)) / K_POOL_WIDTH;

			near[f][i] = exp(-z * z / 2);
		}
		normalise_sum(near[f], GROWTH_RHOS, 1);
	}
}

void
growth_evidence(
    const struct scaling_point *points, size_t n, double evidence[GROWTH_RHOS])
{
	double w[GROWTH_RHOS][COSTS], near[GROWTH_RHOS][GROWTH_RHOS];

	weigh(DOUBLING_ROW, points, n, NULL, w);
	habit_kernel(near);
	memset(evidence, 0, GROWTH_RHOS * sizeof *evidence);
	for (int i = 0; i < GROWTH_RHOS; i++) {
		double of_rho = 0;

		for (int j = 0; j < COSTS; j++)
			of_rho += w[i][j];
		for (int f = 0; f < GROWTH_RHOS; f++)
			evidence[f] += near[f][i] * of_rho;
	}
}

void
growth_pool(const double *const *evidence, size_t n, double prior[GROWTH_RHOS])
{
	double near[GROWTH_RHOS][GROWTH_RHOS], habit[GROWTH_RHOS];

	for (int i = 0; i < GROWTH_RHOS; i++)
		prior[i] = pow(growth_rho(i), K_RHO_POWER) *
		    exp(-growth_rho(i) / K_RHO_SCALE);
	normalise_sum(prior, GROWTH_RHOS, 1);
	if (n == 0)
		return;
	memcpy(habit, prior, sizeof habit);
	for (size_t j = 0; j < n; j++) {
		for (int f = 0; f < GROWTH_RHOS; f++)
			habit[f] *= evidence[j][f];
		normalise_sum(habit, GROWTH_RHOS, 1);
	}
	habit_kernel(near);
	for (int i = 0; i < GROWTH_RHOS; i++) {
		double sum = 0;

		for (int f = 0; f < GROWTH_RHOS; f++)
			sum += habit[f] * near[f][i];
		prior[i] = K_POOL_WEIGHT * sum + (1 - K_POOL_WEIGHT) * prior[i];
	}
	normalise_sum(prior, GROWTH_RHOS, 1);
}

/* --- mixtures ------------------------------------------------------------- */

enum { QUANTILE_STEPS = 100, QUANTILE_SCALES = 60 };

/* Relative to the scale: a Newton step this small squares the error. */
#define QUANTILE_NEAR 1e-9

static void
mixture_add(struct mixture *x, double place, double weight)
{
	assert(x->n < MIXTURE_MAX);
	x->place[x->n] = place;
	x->weight[x->n++] = weight;
}

/* Weighted mean of the component middles. */
static double
mixture_mean(const struct mixture *x)
{
	double sum = 0;

	for (size_t i = 0; i < x->n; i++)
		sum += x->weight[i] * x->place[i];
	return sum;
}

/* Newton's method, with a bisection where a step would leave the bracket. */
static double
mixture_quantile(const struct mixture *x, double p)
{
	double low = INFINITY, high = -INFINITY, at = mixture_mean(x);

	assert(x->n > 0 && p > 0 && p < 1);
	for (size_t i = 0; i < x->n; i++) {
		low = fmin(low, x->place[i]);
		high = fmax(high, x->place[i]);
	}
	low -= QUANTILE_SCALES * x->scale;
	high += QUANTILE_SCALES * x->scale;
	for (int i = 0; i < QUANTILE_STEPS; i++) {
		double below = 0, slope = 0, step, next;

		for (size_t k = 0; k < x->n; k++) {
			const double z = (at - x->place[k]) / x->scale;
			const double r = 1 / sqrt(2 + z * z);

			below += x->weight[k] * r * z;
			slope += x->weight[k] * r * r * r;
		}
		below = 0.5 + below / 2 - p;
		if (below < 0)
			low = at;
		else
			high = at;
		step = below / (slope / x->scale);
		next = at - step;
		if (fabs(step) <= QUANTILE_NEAR * x->scale)
			return next;
		if (!(next > low && next < high))
			next = low + (high - low) / 2;
		at = next;
	}
	return at;
}

double
prediction_quantile(const struct prediction *x, double p)
{
	const double middle = mixture_quantile(&x->median, 0.5);

	if (p == 0.5)
		return middle;
	return p < 0.5 ? fmin(mixture_quantile(&x->interval, p), middle)
		       : fmax(mixture_quantile(&x->interval, p), middle);
}

void
transfer_predict(
    double step, double doublings, double error, struct prediction *x)
{
	const double noise = K_TRANSFER_DOUBLING_NOISE * doublings;

	x->median.n = 0;
	x->median.scale = sqrt(K_TRANSFER_NOISE * K_TRANSFER_NOISE +
	    noise * noise + error * error);
	mixture_add(&x->median, log(step), 1);
	x->interval = x->median;
}

/* --- prediction ----------------------------------------------------------- */

/* Cost of a doubling between two points, in ln t. */
static double
doubling_cost(const struct scaling_point *p)
{
	return log(p[1].t / p[0].t) / log2(p[1].m / p[0].m);
}

void
doubling_init(struct doubling *d, enum doubling_axis axis,
    const struct scaling_point *points, size_t n,
    const double prior[GROWTH_RHOS])
{
	const struct scaling_point *last = &points[n - 1];
	double below = 0;

	assert(n > 0);
	d->axis = axis;
	d->points = points;
	d->n = n;
	weigh(axis, points, n, prior, d->weight);
	for (int i = 0; below < 0.5; i++) {
		for (int j = 0; j < COSTS; j++)
			below += d->weight[i][j];
		d->growth = growth_rho(i);
	}
	d->saturated = n > 1 &&
	    log((last->gpus / last->t) / (last[-1].gpus / last[-1].t)) /
		    log2(last->m / last[-1].m) <
		log(K_SATURATED_GROWTH);
	d->rising = n > 2 &&
	    doubling_cost(last - 1) > doubling_cost(last - 2) + K_RISING;
}

/* Move a share of the weights to ceilings, at 1 / parts, 2 / parts, ... of the
 * way from the mean to `stays`, the ln t that keeps the anchor's speed. */
static void
add_ceilings(double share, int parts, double stays, struct mixture *x)
{
	const double middle = mixture_mean(x);

	for (size_t i = 0; i < x->n; i++)
		x->weight[i] *= 1 - share;
	for (int i = 1; i <= parts; i++)
		mixture_add(x,
		    middle + (double)i / parts * fmax(0, stays - middle),
		    share / parts);
}

void
doubling_predict(
    const struct doubling *d, double m, double gpus, struct prediction *x)
{
	const struct scaling_point *a = d->points;
	const int is_row = d->axis == DOUBLING_ROW;
	const int saturated = !is_row && d->saturated;
	const int parts = saturated ? 1 : CEILINGS;
	const double ceiling = saturated ? K_CEILING_SATURATED
	    : is_row                     ? K_CEILING_ROW
					 : K_CEILING_COLUMN;
	const double bend = saturated ? K_CEILING_SATURATED
	    : d->rising               ? K_BEND_RISING
	    : !is_row                 ? K_BEND_COLUMN
	    : d->n < 3                ? K_BEND_TWO
				      : K_BEND_CALM;
	double doublings, noise, level, stays;

	/* The anchor is the nearest count on a log scale, the larger of two
	 * equally near. Products are exact, unlike logarithms. */
	for (size_t i = 1; i < d->n; i++)
		if (d->points[i].m <= m || d->points[i].m * a->m <= m * m)
			a = &d->points[i];
	doublings = fabs(log2(m / a->m));
	noise = hypot(K_ANCHOR_NOISE, K_DOUBLING_NOISE * doublings);
	level = log(a->t) +
	    straggler_of(d->axis) *
		(expected_largest(gpus) - expected_largest(a->gpus));
	x->median.n = 0;
	x->median.scale = hypot(noise, a->s);
	for (int i = 0; i < GROWTH_RHOS; i++) {
		const double phi = growth_phi(growth_rho(i), m);
		const double phi_a = growth_phi(growth_rho(i), a->m);

		for (int j = 0; j < COSTS; j++) {
			const double g = 1 + growth_cost(j) * phi;
			const double g_a = 1 + growth_cost(j) * phi_a;

			if (d->weight[i][j] > 0)
				mixture_add(&x->median,
				    level +
					log(fmax(g, K_LEAST_STEP) /
					    fmax(g_a, K_LEAST_STEP)),
				    d->weight[i][j]);
		}
	}
	x->interval = x->median;
	if (m <= d->points[d->n - 1].m)
		return;
	x->interval.scale = hypot(K_INTERVAL_NOISE * noise, a->s);
	stays = log(a->t) + log(gpus / a->gpus);
	/* The share of ceilings grows with the distance for the median, but
	 * not for the interval. */
	add_ceilings(1 - pow(1 - ceiling, doublings), parts, stays, &x->median);
	add_ceilings(bend, parts, stays, &x->interval);
}

/* --- classic laws --------------------------------------------------------- */

/* How a law is fitted: s in equal steps from 0 to last, then by golden sections
 * around the best; k is 0 or 1e-6 * 10^(i / 8). */
static const struct {
	int steps, sections, crosstalks;
	double last;
} searches[N_SCALING_LAWS] = {
	[LAW_AMDAHL] = { 200, 60, 1, 1 },
	[LAW_GUSTAFSON] = { 200, 60, 1, 0.999 }, /* s = 1 has no speedup */
	[LAW_USL] = { 60, 40, 34, 1 },
};

const char *const scaling_law_names[N_SCALING_LAWS] = { "linear", "amdahl",
	"gustafson", "usl", "power" };
const char *const scaling_law_titles[N_SCALING_LAWS] = { "linear", "Amdahl",
	"Gustafson", "USL", "power" };

/* A law, its points and parameters. */
struct law_fit {
	enum scaling_law law;
	const double *gpus, *speed;
	size_t n;
	double crosstalk; /* k */
	double level;     /* ln l of the last sum of squares */
};

/* ln(X / l) at n GPUs, where X is the speed and l the level. */
static double
law_form(const struct law_fit *f, double n, double s)
{
	return f->law == LAW_GUSTAFSON
	    ? log(n - s * (n - 1))
	    : log(n / (1 + s * (n - 1) + f->crosstalk * n * (n - 1)));
}

/* The sum of squared residuals. Sets f->level so that their mean is 0. */
static double
law_squares(struct law_fit *f, double s)
{
	double sum = 0;

	f->level = 0;
	for (size_t i = 0; i < f->n; i++)
		f->level += log(f->speed[i]) - law_form(f, f->gpus[i], s);
	f->level /= (double)f->n;
	for (size_t i = 0; i < f->n; i++) {
		double r =
		    log(f->speed[i]) - law_form(f, f->gpus[i], s) - f->level;

		sum += r * r;
	}
	return sum;
}

/* The s with the least sum of squares. Sets *squares to it, and f->level. */
static double
law_share(struct law_fit *f, double *squares)
{
	const double golden = (sqrt(5) - 1) / 2;
	const double last = searches[f->law].last;
	const int steps = searches[f->law].steps;
	double best = 0, low, high, at[2], of[2];

	*squares = INFINITY;
	for (int i = 0; i <= steps; i++) {
		const double s = last * i / steps, own = law_squares(f, s);

		if (own < *squares) {
			*squares = own;
			best = s;
		}
	}
	low = fmax(0, best - last / steps);
	high = fmin(last, best + last / steps);
	at[0] = high - golden * (high - low);
	at[1] = low + golden * (high - low);
	of[0] = law_squares(f, at[0]);
	of[1] = law_squares(f, at[1]);
	for (int i = 0; i < searches[f->law].sections; i++) {
		const int up = of[0] > of[1];

		*(up ? &low : &high) = at[!up];
		at[!up] = at[up];
		of[!up] = of[up];
		at[up] = up ? low + golden * (high - low)
			    : high - golden * (high - low);
		of[up] = law_squares(f, at[up]);
	}
	if (law_squares(f, (low + high) / 2) < *squares)
		best = (low + high) / 2;
	*squares = law_squares(f, best);
	return best;
}

double
law_predict(enum scaling_law law, const double *gpus, const double *speed,
    size_t n, double target)
{
	struct law_fit f = { law, gpus, speed, n, 0, 0 };
	double least = INFINITY, value = NAN, mx = 0, my = 0, xx = 0, xy = 0;

	assert(n > 0);
	if (law == LAW_LINEAR)
		return speed[n - 1] * target / gpus[n - 1];
	if (gpus[0] >= gpus[n - 1])
		return NAN;
	if (law == LAW_POWER) { /* fit a line to ln X over ln N */
		for (size_t i = 0; i < n; i++) {
			mx += log(gpus[i]) / (double)n;
			my += log(speed[i]) / (double)n;
		}
		for (size_t i = 0; i < n; i++) {
			const double x = log(gpus[i]) - mx;

			xx += x * x;
			xy += x * (log(speed[i]) - my);
		}
		return exp(my + xy / xx * (log(target) - mx));
	}
	for (int i = 0; i < searches[law].crosstalks; i++) {
		double squares, s;

		f.crosstalk = i == 0 ? 0 : 1e-6 * pow(10, (i - 1) / 8.0);
		s = law_share(&f, &squares);
		if (squares < least) {
			least = squares;
			value = exp(f.level + law_form(&f, target, s));
		}
	}
	return value;
}

/* --- steps ---------------------------------------------------------------- */

double
step_overlap(const struct step_parts *p, double communication_s)
{
	if (!(p->exposed_s > 0))
		return NAN;
	return fmin(
	    1, fmax(0, (communication_s - p->exposed_s) / p->compute_s));
}

struct step_range
step_changed(
    const struct step_parts *p, double cost, double extra_s, double speed)
{
	const double exposed = fmax(0, p->exposed_s);
	const double compute = p->compute_s / speed;
	double ends[2], low, high;

	for (int i = 0; i < 2; i++) {
		const double gamma = isnan(p->gamma) ? i : p->gamma;

		ends[i] = compute +
		    fmax(0,
			cost * (exposed + gamma * p->compute_s) + extra_s -
			    gamma * compute);
	}
	low = fmin(ends[0], ends[1]);
	high = fmax(ends[0], ends[1]);
	return (struct step_range){ (low + high) / 2, low, high };
}

double
step_bandwidth_for(const struct step_parts *p, double bit_per_s,
    double baseline_s, double target)
{
	const double hidden = p->gamma * p->compute_s;
	const double allowed = baseline_s / target - p->compute_s;

	if (allowed < 0 || !(allowed + hidden > 0))
		return NAN;
	return bit_per_s * (fmax(0, p->exposed_s) + hidden) /
	    (allowed + hidden);
}

double
bucket_step_time(double compute_s, double sigma_s, double ranks,
    const struct step_bucket *buckets, size_t n)
{
	const double stretch =
	    1 + sigma_s * expected_largest(ranks) / compute_s;
	double end = 0;

	for (size_t i = 0; i < n; i++)
		end = fmax(buckets[i].ready_s * stretch, end) +
		    buckets[i].seconds;
	return fmax(compute_s * stretch, end);
}

struct step_bucket *
buckets_assume(double bytes, double compute_s, size_t *n, struct arena *a)
{
	struct step_bucket *buckets;
	const double first = compute_s * K_BUCKET_FROM;

	*n = (size_t)fmin(1e6, fmax(1, ceil(bytes / K_BUCKET_BYTES)));
	buckets = arena_calloc(a, *n, sizeof *buckets);
	for (size_t i = 0; i < *n; i++) {
		buckets[i].bytes =
		    fmin(K_BUCKET_BYTES, bytes - (double)i * K_BUCKET_BYTES);
		buckets[i].ready_s =
		    first + (compute_s - first) * (double)(i + 1) / (double)*n;
	}
	return buckets;
}

/* --- an allreduce --------------------------------------------------------- */

const char *const allreduce_algorithm_names[] = { "ring", "tree",
	"hierarchical", NULL };

struct allreduce_cost
allreduce_cost(const struct allreduce_layout *l)
{
	/* Members of the ring with the slowest link. */
	const double n = l->algorithm != ALLREDUCE_HIERARCHICAL
	    ? (double)l->nodes * (double)l->gpus_per_node
	    : (double)(l->nodes > 1 ? l->nodes : l->gpus_per_node);
	struct allreduce_cost c = { 2 * (n - 1), 2 * (n - 1) / n };

	if (l->algorithm == ALLREDUCE_TREE) {
		c.share = n > 1 ? 2 : 0;
		c.steps = 0;
		for (double reach = 1; reach < n; reach *= 2)
			c.steps += 2;
	}
	return c;
}

double
link_communication(
    const struct allreduce_layout *l, double bytes, double bit_per_s)
{
	return K_HEADER_FACTOR * 8 * allreduce_cost(l).share * bytes /
	    bit_per_s;
}

double
network_model_measured(const struct network_model *n, double bytes)
{
	const struct curve_point *p = n->curve, *last = p + n->n_curve - 1;
	double share;

	if (bytes <= p->bytes)
		return p->seconds;
	if (bytes >= last->bytes)
		return last->seconds * (bytes / last->bytes);
	while (p[1].bytes < bytes)
		p++;
	share = log(bytes / p->bytes) / log(p[1].bytes / p->bytes);
	return exp(log(p->seconds) + share * log(p[1].seconds / p->seconds));
}

double
network_model_seconds(const struct network_model *n,
    const struct allreduce_layout *to, double rate, double bytes)
{
	const struct allreduce_cost now = allreduce_cost(to);
	const struct allreduce_cost then = allreduce_cost(&n->curve_layout);
	const struct curve_point *last = &n->curve[n->n_curve - 1], *p = last;
	/* Seconds per byte of large sizes: between the largest one and
	 * the largest of at most a quarter of it. */
	double slope = last->seconds / last->bytes, latency;

	while (p > n->curve && p->bytes > last->bytes / K_CURVE_TAIL)
		p--;
	if (p->bytes <= last->bytes / K_CURVE_TAIL)
		slope = fmin(slope,
		    fmax(0,
			(last->seconds - p->seconds) /
			    (last->bytes - p->bytes)));
	latency = fmax(0, network_model_measured(n, bytes) - slope * bytes);
	if (then.steps == 0)
		return NAN;
	return latency * (now.steps / then.steps) +
	    slope * bytes * (now.share / then.share) / rate;
}

double
network_model_communication(
    const struct network_model *n, const struct allreduce_layout *to)
{
	/* Whole buckets of the usual size, and the rest. */
	const double whole = floor(n->gradient_bytes / K_BUCKET_BYTES);
	const double rest = n->gradient_bytes - whole * K_BUCKET_BYTES;

	if (isnan(n->gradient_bytes))
		return NAN;
	if (n->curve == NULL)
		return link_communication(to, n->gradient_bytes, n->bit_per_s);
	return whole * network_model_seconds(n, to, 1, K_BUCKET_BYTES) +
	    (rest > 0 ? network_model_seconds(n, to, 1, rest) : 0);
}

/* --- reading -------------------------------------------------------------- */

/* Copy the letters and digits of a name in lower case, NULL as "". */
static char *
plain_name(char *out, size_t size, const char *name)
{
	size_t n = 0;

	for (; name != NULL && *name != '\0' && n + 1 < size; name++)
		if (isalnum((unsigned char)*name))
			out[n++] = (char)tolower((unsigned char)*name);
	out[n] = '\0';
	return out;
}

static int
compare_points(const void *pa, const void *pb)
{
	const struct curve_point *a = pa, *b = pb;

	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? -1 : 1;
	return (a->seconds > b->seconds) - (a->seconds < b->seconds);
}

/* The curve of the case with an allreduce and the most nodes, which includes
 * the network. */
static int
read_curve(struct network_model *n, const struct result_file *file,
    struct arena *a, struct error *e)
{
	const struct result_case *best = NULL;
	size_t merged = 0;

	for (size_t i = 0; i < file->result.n_cases; i++) {
		const struct result_case *c = &file->result.cases[i];
		struct curve_point *curve = NULL;
		size_t found = 0;
		char name[64];

		if (best != NULL && c->nodes <= best->nodes)
			continue;
		for (size_t r = 0; r < c->n_runs; r++)
			for (size_t j = 0; j < c->runs[r].n_collectives; j++) {
				const struct result_collective *x =
				    &c->runs[r].collectives[j];

				/* "all_reduce_perf", "AllReduce". */
				plain_name(name, sizeof name, x->collective);
				if (strstr(name, "allreduce") == NULL ||
				    !(x->bytes > 0) || !(x->time_s > 0))
					continue;
				curve =
				    arena_grow(a, curve, found, sizeof *curve);
				curve[found++] =
				    (struct curve_point){ x->bytes, x->time_s };
			}
		if (found == 0)
			continue;
		best = c;
		n->curve = curve;
		n->n_curve = found;
	}
	if (best == NULL)
		return error_set(e, ERROR_INPUT,
		    "%s: cases: no run has an allreduce in its collectives",
		    file->path);
	if (best->nodes == RESULT_UNKNOWN ||
	    best->gpus_per_node == RESULT_UNKNOWN ||
	    best->nodes * best->gpus_per_node < 2)
		return error_set(e, ERROR_INPUT,
		    "%s: case %s: the benchmark must state two GPUs or more; "
		    "give its counts with extract_logs --nodes=N "
		    "--gpus-per-node=N",
		    file->path, best->name);
	qsort(n->curve, n->n_curve, sizeof *n->curve, compare_points);
	/* Each size gets the median of its times. */
	for (size_t i = 0, end; i < n->n_curve; i = end) {
		end = i + 1;
		while (end < n->n_curve &&
		    n->curve[end].bytes == n->curve[i].bytes)
			end++;
		n->curve[merged++] = (struct curve_point){ n->curve[i].bytes,
			(n->curve[(i + end - 1) / 2].seconds +
			    n->curve[(i + end) / 2].seconds) /
			    2 };
	}
	n->n_curve = merged;
	n->curve_layout = (struct allreduce_layout){ n->algorithm, best->nodes,
		best->gpus_per_node };
	return 0;
}

int
network_model_read(
    struct network_model *n, const char *text, struct arena *a, struct error *e)
{
	struct result_set files = RESULT_SET_INIT;
	char *path;
	int rc;

	if (link_rate_parse(text, &n->bit_per_s) == 0)
		return 0;
	n->bit_per_s = NAN;
	if (access(text, F_OK) != 0)
		return error_set(e, ERROR_USAGE,
		    "--network: '%s' is neither a rate with its unit "
		    "(25Gbit/s) nor a file",
		    text);
	path = arena_strdup(a, text);
	if (result_set_read(&files, &path, 1, e) != 0)
		return -1;
	rc = read_curve(n, &files.items[0], a, e);
	result_set_release(&files);
	return rc;
}

double
network_model_gradients(const char *model)
{
	/* Published parameters, as torchvision and model cards count them. */
	static const struct {
		const char *name;
		double parameters;
	} known[] = {
		{ "resnet18", 11689512 },
		{ "resnet34", 21797672 },
		{ "resnet50", 25557032 },
		{ "resnet101", 44549160 },
		{ "resnet152", 60192808 },
		{ "vgg11", 132863336 },
		{ "vgg13", 133047848 },
		{ "vgg16", 138357544 },
		{ "vgg19", 143667240 },
		{ "alexnet", 61100840 },
		{ "mobilenetv2", 3504872 },
		{ "densenet121", 7978856 },
		{ "bertbase", 109482240 },
		{ "bertlarge", 335141888 },
		{ "gpt2", 124439808 },
	};
	char name[32];

	plain_name(name, sizeof name, model);
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
		const size_t len = strlen(known[i].name);

		/* "v15" after the name is its version. */
		if (strncmp(name, known[i].name, len) == 0 &&
		    (name[len] == '\0' ||
			(name[len] == 'v' &&
			    isdigit((unsigned char)name[len + 1]))))
			return 4 * known[i].parameters;
	}
	return NAN;
}
