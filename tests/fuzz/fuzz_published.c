/* Any bytes as a published table: they are rejected with a message, or read
 * into tables that keep the promises of published.h, converted to cases, and
 * checked with findings whose counts add up. */
#include <config.h>

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/series/result_set.h"
#include "report/check/check.h"
#include "tests/fuzz/mutators.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void
look_at_row(const struct published_table *t, const struct published_row *r)
{
	assert(r->gpus == PUBLISHED_UNKNOWN || r->gpus > 0);
	assert((r->problem == REMARK_NONE) == (r->problem_cell == NULL));
	if (r->problem == REMARK_NONE && r->nodes > 0 && r->node_gpus > 0)
		assert(r->nodes * r->node_gpus == r->gpus);
	for (size_t i = 0; i < t->n_columns; i++) {
		const struct published_cell *c = &r->cells[i];

		assert(c->text != NULL && c->line > 0 && c->col >= 0);
		assert(
		    (c->kind == PUBLISHED_NUMBER) >= isfinite(c->number.value));
		assert(
		    (c->problem != REMARK_NONE) == (c->kind >= PUBLISHED_BAD));
	}
}

static void
look_at_tables(const char *name, const char *text, size_t len)
{
	struct error e = ERROR_INIT;
	struct published p;

	if (published_read(name, text, len, 0, &p, &e) != 0) {
		assert(e.message[0] != '\0');
		return;
	}
	fuzz_accepted += p.n > 0;
	for (size_t i = 0; i < p.n; i++) {
		assert(p.tables[i].n_columns > 0 && p.tables[i].line > 0);
		for (size_t k = 0; k < p.tables[i].n_rows; k++)
			look_at_row(&p.tables[i], &p.tables[i].rows[k]);
	}
	published_release(&p);
}

static void
look_at_cases(const char *name, const char *text, size_t len)
{
	struct error e = ERROR_INIT;
	struct result_file s;

	memset(&s, 0, sizeof s);
	if (reference_values_parse(name, text, len, 1, &s, &e) != 0) {
		assert(e.message[0] != '\0');
		return;
	}
	assert(s.result.n_cases > 0);
	for (size_t i = 0; i < s.result.n_cases; i++) {
		const struct result_case *c = &s.result.cases[i];

		assert(c->name != NULL && c->unit != NULL && c->gpus > 0);
		assert(s.values[i].text != NULL && s.values[i].line > 0);
		assert(isnan(c->median_speed) || c->median_speed > 0);
	}
	result_release(&s.result);
}

static void
look_at_check(const char *name, const char *text, size_t len)
{
	struct error e = ERROR_INIT;
	struct check_report r;
	size_t n = 0;

	if (check_text(60000, name, text, len, NULL, &r, &e) != 0) {
		assert(e.message[0] != '\0');
		return;
	}
	for (int v = 0; v < CHECK_N_VERDICTS; v++)
		n += r.counts[v];
	assert(n == r.n);
	for (size_t i = 0; i < r.n; i++)
		assert(
		    r.findings[i].printed != NULL && r.findings[i].row != NULL);
	check_release(&r);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const char *const names[] = { "a.md", "a.csv" };
	char *text = xmalloc(len);

	if (len > 0)
		memcpy(text, data, len);
	for (size_t i = 0; i < 2; i++) {
		look_at_tables(names[i], text, len);
		look_at_cases(names[i], text, len);
		look_at_check(names[i], text, len);
	}
	free(text);
	return 0;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t room, unsigned seed)
{
	return mutators_lines(data, len, room, seed, NULL);
}
