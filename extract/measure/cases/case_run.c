#include <config.h>

#include "extract/measure/cases/case_run.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/result/work_rate.h"
#include "extract/log/natural.h"

void
case_note(struct case_notes *notes, struct arena *a, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = arena_vprintf(a, fmt, ap);
	va_end(ap);
	notes->items = vec_grow(
	    notes->items, notes->n, &notes->alloc, sizeof *notes->items);
	text_sanitise(text, "\t"); /* a line each */
	notes->items[notes->n++] = text;
}

void
case_notes_release(struct case_notes *notes)
{
	free(notes->items);
	*notes = (struct case_notes){ NULL, 0, 0 };
}

static int
compare_longs(long a, long b)
{
	return (a > b) - (a < b);
}

static int
compare_labels(const struct metadata *a, const struct metadata *b)
{
	size_t i;
	int d = 0;

	for (i = 0; i < a->n_labels && i < b->n_labels && d == 0; i++) {
		d = natural_compare(a->labels[i].key, b->labels[i].key);
		if (d == 0)
			d = natural_compare(
			    a->labels[i].value, b->labels[i].value);
	}
	return d != 0 ? d : compare_longs((long)a->n_labels, (long)b->n_labels);
}

int
case_compare_configurations(
    const struct case_run *a, const struct case_run *b, int strong)
{
	const struct metadata *f = &a->metadata, *g = &b->metadata;
	int d = natural_compare(f->framework, g->framework);

	if (d == 0)
		d = natural_compare(f->model, g->model);
	if (d == 0)
		d = natural_compare(f->precision, g->precision);
	if (d == 0 && !strong)
		d = compare_longs(
		    f->batch_size_per_device, g->batch_size_per_device);
	return d != 0 ? d : compare_labels(f, g);
}

const char *
case_work_unit(const struct measured *m)
{
	const char *unit = m->work_unit;

	return unit != NULL && strcmp(unit, "tokens") == 0 &&
		work_kind_is_per_step(work_kind_of(m->unit))
	    ? unit
	    : NULL;
}

int
case_compare_groups(
    const struct case_run *a, const struct case_run *b, int strong)
{
	int d = case_compare_configurations(a, b, strong);

	if (d == 0)
		d = (int)a->measured.kind - (int)b->measured.kind;
	if (d == 0)
		d = strcmp(unit_alike_name(a->measured.unit),
		    unit_alike_name(b->measured.unit));
	return d != 0 ? d
		      : (case_work_unit(&a->measured) != NULL) -
		(case_work_unit(&b->measured) != NULL);
}

int
case_compare_shapes(const struct case_run *a, const struct case_run *b)
{
	const struct metadata *f = &a->metadata, *g = &b->metadata;
	int d = compare_longs(f->gpus, g->gpus);

	if (d == 0)
		d = compare_longs(f->nodes, g->nodes);
	if (d == 0)
		d = compare_longs(f->gpus_per_node, g->gpus_per_node);
	if (d == 0)
		d = compare_longs(
		    f->batch_size_per_device, g->batch_size_per_device);
	return d;
}
