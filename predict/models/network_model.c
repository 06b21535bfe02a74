/* Rates and benchmarks of the network.  forecast.c and what_if.c ask for
 * seconds; reading files of other results goes through common/series. */
#include <config.h>

#include "predict/models/network_model.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/series/result_set.h"
#include "common/stats/stats.h"
#include "common/units/units.h"
#include "predict/models/constants.h"

void
network_model_init(struct network_model *n)
{
	*n = (struct network_model){ .bit_per_s = NAN,
		.gradient_bytes = NAN,
		.gamma = NAN,
		.latency_s = NAN };
}

void
network_model_release(struct network_model *n)
{
	free(n->curve);
	network_model_init(n);
}

/* --- curves --------------------------------------------------------------- */

/* "all_reduce_perf", "AllReduce", "allreduce". */
static int
is_allreduce(const char *name)
{
	static const char wanted[] = "allreduce";
	size_t at = 0;

	for (; name != NULL && *name != '\0'; name++) {
		if (*name == '_' || *name == '-' || *name == ' ')
			continue;
		if (tolower((unsigned char)*name) == wanted[at])
			at++;
		else
			at = *name == 'a' || *name == 'A';
		if (wanted[at] == '\0')
			return 1;
	}
	return 0;
}

static int
compare_points(const void *pa, const void *pb)
{
	const struct curve_point *a = pa, *b = pb;

	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? -1 : 1;
	return (a->seconds > b->seconds) - (a->seconds < b->seconds);
}

/* One point a size: the median of its times. */
static void
merge_sizes(struct network_model *n)
{
	double *times = xcalloc(n->n_curve, sizeof *times);
	size_t out = 0;

	for (size_t i = 0, j; i < n->n_curve; i = j) {
		for (j = i;
		     j < n->n_curve && n->curve[j].bytes == n->curve[i].bytes;
		     j++)
			times[j - i] = n->curve[j].seconds;
		n->curve[out].bytes = n->curve[i].bytes;
		n->curve[out++].seconds = stats_median(times, j - i);
	}
	n->n_curve = out;
	free(times);
}

/* Add what the runs of a case measured; 1 if there was any. */
static int
add_case(struct network_model *n, const struct result_case *c, size_t *alloc)
{
	const size_t before = n->n_curve;

	for (size_t i = 0; i < c->n_runs; i++)
		for (size_t j = 0; j < c->runs[i].n_collectives; j++) {
			const struct result_collective *x =
			    &c->runs[i].collectives[j];

			if (!is_allreduce(x->collective) || !(x->bytes > 0) ||
			    !(x->time_s > 0))
				continue;
			n->curve = vec_grow(
			    n->curve, n->n_curve, alloc, sizeof *n->curve);
			n->curve[n->n_curve++] =
			    (struct curve_point){ x->bytes, x->time_s };
		}
	return n->n_curve > before;
}

/* The case with most nodes that has an allreduce: the network is in it. */
static int
read_curve(
    struct network_model *n, const struct result_file *file, struct error *e)
{
	const struct result_case *best = NULL;
	size_t alloc = 0;

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
	merge_sizes(n);
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

/* All bytes of a step in buckets of the usual size. */
static double
curve_communication(
    const struct network_model *n, const struct allreduce_layout *to)
{
	const double piece = prediction_constants.bucket_bytes;
	const double whole = floor(n->gradient_bytes / piece);
	const double rest = n->gradient_bytes - whole * piece;
	double seconds = whole *
	    curve_rescaled(
		n->curve, n->n_curve, &n->curve_layout, to, 1, piece);

	if (rest > 0)
		seconds += curve_rescaled(
		    n->curve, n->n_curve, &n->curve_layout, to, 1, rest);
	return seconds;
}

double
network_model_communication(
    const struct network_model *n, long nodes, long gpus_per_node)
{
	const struct allreduce_layout to = { n->algorithm, nodes,
		gpus_per_node };

	if (isnan(n->gradient_bytes))
		return NAN;
	if (n->curve != NULL)
		return curve_communication(n, &to);
	return link_communication(&to, n->gradient_bytes, n->bit_per_s);
}

double
network_model_latency(
    const struct network_model *n, long nodes, long gpus_per_node)
{
	const struct allreduce_layout to = { n->algorithm, nodes,
		gpus_per_node };

	if (!isnan(n->latency_s) || n->curve == NULL)
		return n->latency_s;
	return curve_rescaled(
	    n->curve, n->n_curve, &n->curve_layout, &to, 1, n->curve[0].bytes);
}
