/* Any bytes as a file of published figures: rejected with a message, or read
 * into cases whose members are as result.h promises, and grouped into
 * series. */
#include <config.h>

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/series/result_set.h"
#include "common/series/series.h"
#include "tests/fuzz/mutators.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void
check_case(const struct result_file *s, size_t i)
{
	const struct result_case *c = &s->result.cases[i];

	assert(c->name != NULL && c->unit != NULL);
	assert(s->values[i].text != NULL && s->values[i].line > 0);
	assert(c->gpus > 0);
	assert(c->nodes == RESULT_UNKNOWN ||
	    c->nodes * c->gpus_per_node == c->gpus);
	assert(isnan(c->median_speed) || c->median_speed > 0);
	assert(isnan(c->speedup) || (c->speedup > 0 && c->baseline != NULL));
	assert(isnan(c->speedup) == isnan(c->efficiency));
}

/* Group the cases as charts and tables do. */
static void
group(struct result_set *l)
{
	const struct series_how how = { .allow_mixed = 1, .need_gpus = 1 };
	struct error e = ERROR_INIT;
	struct series_set set;
	size_t n = 0;

	if (series_collect(l, &how, &set, &e) != 0) {
		assert(e.message[0] != '\0');
		return;
	}
	for (size_t i = 0; i < set.n; i++) {
		n += set.items[i].n_points;
		assert(series_text(&set, &set.items[i], UINT64_MAX,
			   LANGUAGE_ZH) != NULL);
	}
	assert(n == l->items[0].result.n_cases);
	series_release(&set);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	/* A copy of exactly len bytes, to detect reads past the end. */
	char *text = xmalloc(len);
	struct error e = ERROR_INIT;
	struct result_file s;
	struct result_set l = { &s, 1, 1 };

	memset(&s, 0, sizeof s);
	if (len > 0)
		memcpy(text, data, len);
	if (reference_values_parse("fuzz", text, len, 0, &s, &e) == 0) {
		fuzz_accepted++;
		assert(s.result.n_cases > 0);
		s.path = s.name = "fuzz";
		for (size_t i = 0; i < s.result.n_cases; i++)
			check_case(&s, i);
		group(&l);
		result_release(&s.result);
	} else {
		assert(e.code != ERROR_NONE && e.message[0] != '\0');
	}
	free(text);
	return 0;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t room, unsigned seed)
{
	static const char *const words[] = { "model:", "batch:", "unit:",
		"precision:", "source:", "|", "-", "nodes", "GPUs", NULL };

	return mutators_lines(data, len, room, seed, words);
}
