#include <config.h>

#include "extract/job/shard.h"

#include <stdlib.h>
#include <string.h>

#include "common/text.h"

/* Variables in which launchers pass a process its rank. */
static const struct shard_launcher {
	const char *rank, *size; /* names of environment variables */
	const char *base;        /* rank of the first process; NULL: 0 */
	long least;              /* minimum size to use them */
} launchers[] = {
	{ "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", NULL, 1 },
	{ "PMI_RANK", "PMI_SIZE", NULL, 1 },
	{ "SLURM_PROCID", "SLURM_NTASKS", NULL, 2 },
	{ "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT",
	    "SLURM_ARRAY_TASK_MIN", 1 },
};

static int
number_of(const char *name, long *out)
{
	const char *text = name != NULL ? getenv(name) : NULL;

	return text != NULL ? parse_long(text, 0, 1000000000, out) : -1;
}

static int
find_place(struct shard *out, struct error *e)
{
	size_t i;

	for (i = 0; i < sizeof launchers / sizeof *launchers; i++) {
		const struct shard_launcher *l = &launchers[i];
		long rank, size, base = 0;

		if (number_of(l->rank, &rank) != 0 ||
		    number_of(l->size, &size) != 0 || size < l->least)
			continue;
		if (l->base != NULL && number_of(l->base, &base) != 0)
			continue;
		if (size > SHARD_MAX || rank < base || rank - base >= size)
			return error_set(e, ERROR_USAGE,
			    "--shard=auto: %s is %ld and %s is %ld: no place "
			    "among them",
			    l->rank, rank, l->size, size);
		*out = (struct shard){ rank - base + 1, size };
		return 0;
	}
	return error_set(e, ERROR_USAGE,
	    "--shard=auto: neither mpirun, srun nor an array of Slurm gave "
	    "this process a place; pass --shard=I/N");
}

int
shard_parse(const char *text, struct shard *out, struct error *e)
{
	const char *slash = strchr(text, '/');
	char index[16];

	if (strcmp(text, "auto") == 0)
		return find_place(out, e);
	if (slash != NULL && (size_t)(slash - text) < sizeof index) {
		memcpy(index, text, (size_t)(slash - text));
		index[slash - text] = '\0';
		if (parse_long(slash + 1, 1, SHARD_MAX, &out->of) == 0 &&
		    parse_long(index, 1, out->of, &out->index) == 0)
			return 0;
	}
	return error_set(e, ERROR_USAGE,
	    "--shard: '%s' is not auto or I/N with 1 <= I <= N", text);
}

void
shard_range(const struct shard *shard, const double *weights, size_t n,
    size_t *first, size_t *end)
{
	double all = 0, before = 0;
	size_t i;

	for (i = 0; i < n; i++)
		all += weights[i];
	*first = *end = 0;
	for (i = 0; i < n; i++) {
		const double w = weights[i];
		/* The part that contains the middle of the run's weight. */
		const long part =
		    (long)((before + w / 2) / all * (double)shard->of);

		before += w;
		if (part < shard->index - 1)
			*first = i + 1;
		if (part <= shard->index - 1)
			*end = i + 1;
	}
}
