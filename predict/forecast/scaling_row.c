/* Rows, the column and targets.  refusal.c judges a row, doubling.c predicts
 * from it. */
#include <config.h>

#include "predict/forecast/scaling_row.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"

enum { MAX_COUNT = 1000000, MAX_COUNT_DIGITS = 7 };

/* The count at *p, from 1 on, and the letter after it; 0: none. */
static long
read_count(const char **p, const char *end, char letter)
{
	long count = 0;
	int digits = 0;

	for (; *p < end && **p >= '0' && **p <= '9'; ++*p) {
		if (++digits > MAX_COUNT_DIGITS)
			return 0;
		count = count * 10 + (**p - '0');
	}
	if (*p == end || **p != letter || count > MAX_COUNT)
		return 0;
	++*p;
	return count;
}

int
scaling_target_parse(
    const char *text, size_t len, struct scaling_target *target)
{
	const char *p = text, *end = text + len;
	long nodes, gpus;

	nodes = read_count(&p, end, 'n');
	if (nodes == 0)
		p = text;
	gpus = read_count(&p, end, 'g');
	if (gpus == 0 || p != end)
		return -1;
	scaling_target_set(target, nodes > 0 ? nodes : RESULT_UNKNOWN, gpus);
	return 0;
}

void
scaling_target_set(
    struct scaling_target *target, long nodes, long gpus_per_node)
{
	target->nodes = nodes;
	target->gpus = gpus_per_node;
	target->gpus_per_node = gpus_per_node;
	if (nodes == RESULT_UNKNOWN) {
		target->gpus_per_node = RESULT_UNKNOWN;
		snprintf(
		    target->name, sizeof target->name, "%ldg", gpus_per_node);
		return;
	}
	target->gpus *= nodes;
	snprintf(target->name, sizeof target->name, "%ldn%ldg", nodes,
	    gpus_per_node);
}

/* --- rows ----------------------------------------------------------------- */

static int
is_on_axis(const struct scaling_row *row, const struct scaling_series *s,
    const struct scaling_case *c)
{
	if (s->flat)
		return row->axis == DOUBLING_COLUMN;
	if (row->axis == DOUBLING_COLUMN)
		return c->nodes == 1;
	return c->gpus_per_node == row->gpus_per_node;
}

/* By m; one count twice stays in the order of the series. */
static void
insert_point(struct scaling_row *row, const struct scaling_case *c, double m)
{
	size_t i = row->n++;

	for (; i > 0 && row->points[i - 1].m > m; i--) {
		row->points[i] = row->points[i - 1];
		row->cases[i] = row->cases[i - 1];
	}
	row->points[i] =
	    (struct scaling_point){ m, (double)c->gpus, c->t, c->s };
	row->cases[i] = c;
}

void
scaling_row_init(struct scaling_row *row, const struct scaling_series *s,
    enum doubling_axis axis, long gpus_per_node,
    const struct scaling_case *without)
{
	*row = (struct scaling_row){ axis, gpus_per_node, s->flat,
		xcalloc(s->n, sizeof *row->points),
		xcalloc(s->n, sizeof *row->cases), 0 };
	for (size_t i = 0; i < s->n; i++) {
		const struct scaling_case *c = &s->cases[i];

		if (c == without || !is_on_axis(row, s, c))
			continue;
		insert_point(row, c,
		    (double)(axis == DOUBLING_ROW ? c->nodes : c->gpus));
	}
}

void
scaling_row_for(struct scaling_row *row, const struct scaling_series *s,
    const struct scaling_target *target)
{
	const int is_column = s->flat || target->nodes == 1;

	scaling_row_init(row, s, is_column ? DOUBLING_COLUMN : DOUBLING_ROW,
	    target->gpus_per_node, NULL);
	if (!is_column || s->flat || row->n >= 2)
		return;
	for (size_t i = 0; i < s->n; i++)
		if (s->cases[i].gpus_per_node == target->gpus_per_node) {
			scaling_row_release(row);
			scaling_row_init(
			    row, s, DOUBLING_ROW, target->gpus_per_node, NULL);
			return;
		}
}

double
scaling_row_count(
    const struct scaling_row *row, const struct scaling_target *target)
{
	return (
	    double)(row->axis == DOUBLING_ROW ? target->nodes : target->gpus);
}

void
scaling_row_release(struct scaling_row *row)
{
	free(row->points);
	free(row->cases);
	*row = (struct scaling_row){ 0 };
}
