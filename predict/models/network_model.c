/* Cost of the network per step: rates, benchmarks, buckets. */
#include <config.h>

#include "predict/models/network_model.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/series/result_set.h"
#include "common/units/units.h"
#include "predict/models/doubling.h"

double
step_overlap(const struct step_parts *p, double communication_s)
{
	if (!(p->exposed_s > 0))
		return NAN;
	return fmin(
	    1, fmax(0, (communication_s - p->exposed_s) / p->compute_s));
}

/* Step time with its range over an unknown overlap. */
static struct step_range
range_make(double gamma_0, double gamma_1)
{
	const double low = fmin(gamma_0, gamma_1),
		     high = fmax(gamma_0, gamma_1);

	return (struct step_range){ (low + high) / 2, low, high };
}

struct step_range
step_changed(const struct step_parts *p, const struct step_change *c)
{
	const double exposed = fmax(0, p->exposed_s);
	const double compute = p->compute_s / c->speed;
	double ends[2];

	for (int i = 0; i < 2; i++) {
		const double gamma = isnan(p->gamma) ? i : p->gamma;

		ends[i] = compute +
		    fmax(0,
			c->cost * (exposed + gamma * p->compute_s) +
			    c->extra_s - gamma * compute);
	}
	return range_make(ends[0], ends[1]);
}

struct step_range
step_from_link(double compute_s, double communication_s, double gamma)
{
	const double least = isnan(gamma) ? 1 : gamma;
	const double most = isnan(gamma) ? 0 : gamma;

	return range_make(
	    compute_s + fmax(0, communication_s - least * compute_s),
	    compute_s + fmax(0, communication_s - most * compute_s));
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
bucket_step_time(
    const struct bucket_step *step, const struct step_bucket *buckets, size_t n)
{
	const double stretch =
	    1 + step->sigma_s * expected_largest(step->ranks) / step->compute_s;
	double end = 0;

	for (size_t i = 0; i < n; i++)
		end = fmax(buckets[i].ready_s * stretch, end) +
		    buckets[i].seconds;
	return fmax(step->compute_s * stretch, end) + step->optimiser_s;
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

const char *const allreduce_algorithm_names[] = { "ring", "tree",
	"hierarchical", NULL };

/* Members of the ring with the slowest link. */
static double
ring_members(const struct allreduce_layout *l)
{
	if (l->algorithm != ALLREDUCE_HIERARCHICAL)
		return (double)l->nodes * (double)l->gpus_per_node;
	return (double)(l->nodes > 1 ? l->nodes : l->gpus_per_node);
}

double
allreduce_share(const struct allreduce_layout *l)
{
	const double n = ring_members(l);

	if (l->algorithm == ALLREDUCE_TREE)
		return n > 1 ? 2 : 0;
	return 2 * (n - 1) / n;
}

double
allreduce_steps(const struct allreduce_layout *l)
{
	const double n = ring_members(l);

	double depth = 0;

	if (l->algorithm != ALLREDUCE_TREE)
		return 2 * (n - 1);
	for (double reach = 1; reach < n; reach *= 2)
		depth++;
	return 2 * depth;
}

double
curve_time(const struct curve_point *points, size_t n, double bytes)
{
	const struct curve_point *p = points, *last = &points[n - 1];
	double share;

	assert(n > 0);
	if (bytes <= p->bytes)
		return p->seconds;
	if (bytes >= last->bytes)
		return last->seconds * (bytes / last->bytes);
	while (p[1].bytes < bytes)
		p++;
	share = log(bytes / p->bytes) / log(p[1].bytes / p->bytes);
	return exp(log(p->seconds) + share * log(p[1].seconds / p->seconds));
}

/* Seconds a byte, from the large sizes: between the largest one and the
 * largest of at most a quarter of it. */
static double
curve_slope(const struct curve_point *points, size_t n)
{
	const struct curve_point *last = &points[n - 1];
	const double most = last->seconds / last->bytes;

	for (size_t i = n - 1; i-- > 0;)
		if (points[i].bytes <= last->bytes / K_CURVE_TAIL)
			return fmin(most,
			    fmax(0,
				(last->seconds - points[i].seconds) /
				    (last->bytes - points[i].bytes)));
	return most;
}

double
curve_rescaled(const struct curve_point *points, size_t n,
    const struct allreduce_layout *from, const struct allreduce_layout *to,
    double rate, double bytes)
{
	const double moved = curve_slope(points, n) * bytes;
	const double latency = fmax(0, curve_time(points, n, bytes) - moved);

	if (allreduce_steps(from) == 0)
		return NAN;
	return latency * (allreduce_steps(to) / allreduce_steps(from)) +
	    moved * (allreduce_share(to) / allreduce_share(from)) / rate;
}

double
link_communication(
    const struct allreduce_layout *l, double bytes, double bit_per_s)
{
	return K_HEADER_FACTOR * 8 * allreduce_share(l) * bytes / bit_per_s;
}

/* --- what is known of the network ----------------------------------------- */

void
network_model_release(struct network_model *n)
{
	free(n->curve);
	*n = (struct network_model)NETWORK_MODEL_INIT;
}

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

/* Add the measurements of a case's runs. Returns 1 if there are any. */
static int
add_case(struct network_model *n, const struct result_case *c, size_t *alloc)
{
	const size_t before = n->n_curve;
	char name[64];

	for (size_t i = 0; i < c->n_runs; i++)
		for (size_t j = 0; j < c->runs[i].n_collectives; j++) {
			const struct result_collective *x =
			    &c->runs[i].collectives[j];

			/* "all_reduce_perf", "AllReduce", "allreduce". */
			if (strstr(plain_name(name, sizeof name, x->collective),
				"allreduce") == NULL ||
			    !(x->bytes > 0) || !(x->time_s > 0))
				continue;
			n->curve = vec_grow(
			    n->curve, n->n_curve, alloc, sizeof *n->curve);
			n->curve[n->n_curve++] =
			    (struct curve_point){ x->bytes, x->time_s };
		}
	return n->n_curve > before;
}

/* The case with an allreduce and the most nodes, which includes the network. */
static int
read_curve(
    struct network_model *n, const struct result_file *file, struct error *e)
{
	const struct result_case *best = NULL;
	size_t alloc = 0, merged = 0;

	for (size_t i = 0; i < file->result.n_cases; i++) {
		const struct result_case *c = &file->result.cases[i];

		n->n_curve = 0;
		if (add_case(n, c, &alloc) &&
		    (best == NULL || c->nodes > best->nodes))
			best = c;
	}
	if (best == NULL)
		return error_set(e, ERROR_INPUT,
		    "%s: cases: no run has an allreduce in its collectives",
		    file->path);
	if (best->nodes == RESULT_UNKNOWN ||
	    best->gpus_per_node == RESULT_UNKNOWN)
		return error_set(e, ERROR_INPUT,
		    "%s: case %s: how many nodes the benchmark ran on is "
		    "unknown; give it with extract_logs --nodes=N "
		    "--gpus-per-node=N",
		    file->path, best->name);
	if (best->nodes * best->gpus_per_node < 2)
		return error_set(e, ERROR_INPUT,
		    "%s: case %s: an allreduce of one GPU shows nothing about "
		    "a network",
		    file->path, best->name);
	n->n_curve = 0;
	add_case(n, best, &alloc);
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
network_model_read(struct network_model *n, const char *text, struct error *e)
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
	path = xstrdup(text);
	rc = result_set_read(&files, &path, 1, e);
	free(path);
	if (rc != 0)
		return -1;
	rc = read_curve(n, &files.items[0], e);
	result_set_release(&files);
	return rc;
}

/* --- seconds -------------------------------------------------------------- */

double
network_model_seconds(const struct network_model *n,
    const struct allreduce_layout *to, double bytes)
{
	return curve_rescaled(
	    n->curve, n->n_curve, &n->curve_layout, to, 1, bytes);
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
	return whole * network_model_seconds(n, to, K_BUCKET_BYTES) +
	    (rest > 0 ? network_model_seconds(n, to, rest) : 0);
}

double
network_model_latency(
    const struct network_model *n, const struct allreduce_layout *to)
{
	if (!isnan(n->latency_s) || n->curve == NULL)
		return n->latency_s;
	return network_model_seconds(n, to, n->curve[0].bytes);
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
