/* Cost of the network per step: messages, bytes and seconds of an allreduce,
 * and the part that is hidden by computation, by buckets where these are
 * known. */
#include <config.h>

#include "predict/models/models.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/series/result_set.h"
#include "common/units/units.h"

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
	/* Seconds a byte, from the large sizes: between the largest one and
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
