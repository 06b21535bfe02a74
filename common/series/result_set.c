#include <config.h>

#include "common/series/result_set.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/files/infile.h"
#include "common/files/outfile.h"
#include "common/program/options.h"
#include "common/published/published.h"
#include "common/result/work_rate.h"
#include "common/series/log_operands.h"
#include "common/series/runs_table.h"
#include "common/strbuf.h"

enum { MAX_UNITS = 8 }; /* that count samples */

char *
result_file_name(const char *path)
{
	static const char *const endings[] = { "_result.json", ".json",
		".figures", ".md", ".csv", ".tex", ".log" };
	char *name;
	size_t len;

	if (strcmp(path, "-") == 0)
		return xstrdup("stdin");
	name = path_last_part(path);
	len = strlen(name);
	for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
		const size_t n = strlen(endings[i]);

		if (len > n && strcmp(name + len - n, endings[i]) == 0) {
			name[len - n] = '\0';
			break;
		}
	}
	return name;
}

static int
result_file_parse(struct result_file *s, const char *shown,
    const struct strbuf *sb, struct error *e)
{
	const size_t mark =
	    sb->len >= 3 && memcmp(sb->buf, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
	const char *text = sb->buf + mark;
	const size_t len = sb->len - mark;
	const int is_json = operand_text_is_json(text);
	const int has_schema =
	    is_json && memmem(text, len, "\"schema\"", 8) != NULL;
	int is_known;

	if (is_json && published_is_dlperf(text, len))
		return reference_values_parse_document(shown, text, len, s, e);
	if (!has_schema && runs_table_is(text, len, 0))
		return runs_table_parse(shown, text, len, &s->result, e);
	if (operand_is_document(shown))
		return reference_values_parse_document(shown, text, len, s, e);
	if ((is_json ? result_parse(shown, text, len, &s->result, e)
		     : reference_values_parse(shown, text, len, s, e)) == 0)
		return 0;
	/* Logs of JSON lines have no schema. */
	is_known = is_json ? has_schema : reference_values_are(text, len);
	if (is_known || e == NULL || e->code != ERROR_INPUT)
		return -1;
	return error_prefix(e,
	    "%s: neither a result nor reference values nor a log that "
	    "extract_logs can read\nas reference values",
	    shown);
}

static int
result_file_read(struct result_file *s, const char *operand, struct error *e)
{
	struct strbuf sb = STRBUF_INIT(RESULT_FILE_MAX_BYTES);
	size_t label_len;
	const char *path = operand_path(operand, &label_len);
	const char *shown = strcmp(path, "-") == 0 ? "stdin" : path;
	const struct strbuf *of_logs = log_operand_result(path);
	char *name;
	int rc;

	*s = (struct result_file){ 0 };
	rc = of_logs != NULL ? 0 : text_file_read(path, &sb, e);
	if (rc == 0)
		rc = result_file_parse(
		    s, shown, of_logs != NULL ? of_logs : &sb, e);
	strbuf_release(&sb);
	if (rc != 0)
		return -1;
	s->path = arena_strdup(&s->result.arena, shown);
	if (label_len > 0)
		s->label = arena_strndup(&s->result.arena, operand, label_len);
	name = result_file_name(path);
	s->name =
	    s->label != NULL ? s->label : arena_strdup(&s->result.arena, name);
	free(name);
	return 0;
}

/* Use "samples/s" if results name samples differently: images, sequences,
 * examples. */
static void
unite_units(struct result_set *l)
{
	const char *names[MAX_UNITS], *all = "";
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++)
		for (size_t k = 0; k < l->items[i].result.n_cases; k++) {
			const char *unit = l->items[i].result.cases[k].unit;
			size_t at = 0;

			while (at < n && strcmp(names[at], unit) != 0)
				at++;
			if (at < n || at == MAX_UNITS ||
			    !unit_counts_samples(unit))
				continue;
			names[n++] = unit;
			all = arena_join(
			    &l->items[0].result.arena, all, ", ", unit);
		}
	if (n < 2)
		return;
	for (size_t i = 0; i < l->n; i++) {
		struct result *r = &l->items[i].result;

		l->items[i].united = all;
		for (size_t k = 0; k < r->n_cases; k++)
			if (unit_counts_samples(r->cases[k].unit))
				r->cases[k].unit =
				    unit_alike_name(r->cases[k].unit);
	}
	result_file_remark(&l->items[0],
	    arena_printf(&l->items[0].result.arena,
		"%s are counted as one: samples/s", all));
}

int
result_set_read(
    struct result_set *l, char *const *operands, size_t n, struct error *e)
{
	if (n == 0)
		return options_missing_operand(
		    "logs, results of extract_logs, or files of reference "
		    "values",
		    e);
	for (size_t i = 0; i < n; i++) {
		l->items =
		    vec_grow(l->items, l->n, &l->alloc, sizeof *l->items);
		if (result_file_read(&l->items[l->n], operands[i], e) != 0) {
			result_set_release(l);
			return -1;
		}
		l->n++;
	}
	unite_units(l);
	return 0;
}

void
result_file_remark(struct result_file *s, const char *text)
{
	s->remarks = arena_grow(
	    &s->result.arena, s->remarks, s->n_remarks, sizeof *s->remarks);
	s->remarks[s->n_remarks++] = text;
}

void
result_set_print_remarks(const struct result_set *l, const char *program)
{
	for (size_t i = 0; i < l->n; i++)
		for (size_t k = 0; k < l->items[i].n_remarks; k++) {
			char *text = xstrdup(l->items[i].remarks[k]);

			text_sanitise(text, "");
			fprintf(stderr, "%s: %s\n", program, text);
			free(text);
		}
}

int
result_set_spare(
    const struct result_set *l, const char *output, struct error *e)
{
	for (size_t i = 0; i < l->n; i++)
		if (outfile_spare(output, &l->items[i].path, 1, e) != 0)
			return -1;
	return 0;
}

void
result_set_release(struct result_set *l)
{
	for (size_t i = 0; i < l->n; i++)
		result_release(&l->items[i].result);
	free(l->items);
	*l = RESULT_SET_INIT;
}

const char *
result_file_written(const struct result_file *s, size_t i, const char *key)
{
	return s->written == NULL
	    ? NULL
	    : result_pair_value(s->written[i].items, s->written[i].n, key);
}

/* --- another metric ------------------------------------------------------- */

/* True if a run of the result has the metric and it is above least. */
static int
has_metric(const struct result *r, const char *name, double least)
{
	for (size_t i = 0; i < r->n_cases; i++)
		for (size_t k = 0; k < r->cases[i].n_runs; k++) {
			const struct result_metric *m =
			    run_metric_of(&r->cases[i].runs[k], name);

			if (m != NULL && m->value > least)
				return 1;
		}
	return 0;
}

static int
choose_of_file(
    struct result_file *s, const struct run_metric *metric, struct error *e)
{
	struct result *r = &s->result;
	size_t dropped = 0, kept = 0;
	struct strbuf sb;

	if (s->texts != NULL)
		return error_set(e, ERROR_INPUT,
		    "%s: --metric=%s: published values have no runs", s->path,
		    metric->name);
	if (!has_metric(r, metric->name, 0)) {
		strbuf_init(&sb, 1024);
		for (const struct run_metric *m = run_metrics; m->name != NULL;
		     m++)
			if (has_metric(r, m->name, -INFINITY))
				strbuf_printf(&sb, "%s%s",
				    sb.len > 0 ? ", " : "there are ", m->name);
		error_set(e, ERROR_EMPTY,
		    "%s: --metric=%s: not stated by any run; %s", s->path,
		    metric->name, sb.len > 0 ? sb.buf : "nor any other");
		strbuf_release(&sb);
		return -1;
	}
	for (size_t i = 0; i < r->n_cases; i++) {
		struct result_case *c = &r->cases[i];
		const size_t all = c->n_runs;

		/* Keep the runs that have the metric. */
		c->n_runs = 0;
		c->unit = metric->unit;
		for (size_t k = 0; k < all; k++) {
			struct result_run run = c->runs[k];
			const struct result_metric *m =
			    run_metric_of(&run, metric->name);

			if (m == NULL || !(m->value > 0))
				continue;
			run.value = m->value;
			run.samples_per_s = NAN;
			run.rounding = (struct result_rounding){ NAN, NAN };
			/* From the steps, that of the old value. */
			run.audit.half_width = NAN;
			c->runs[c->n_runs++] = run;
		}
		dropped += all - c->n_runs;
		if (c->n_runs == 0)
			continue;
		case_summarise(c, r->rule.confidence);
		result_case_clear_speedup(c);
		r->cases[kept++] = *c;
	}
	r->n_cases = kept;
	r->rule.metric = metric->name;
	if (dropped > 0)
		result_file_remark(s,
		    arena_printf(&r->arena,
			"%s: %zu run%s without %s %s left out", s->path,
			dropped, dropped == 1 ? "" : "s", metric->name,
			dropped == 1 ? "is" : "are"));
	return 0;
}

int
result_set_choose_metric(
    struct result_set *l, const char *name, struct error *e)
{
	const struct run_metric *metric = run_metric_find(name);

	for (size_t i = 0; name != NULL && i < l->n; i++) {
		struct result_file *s = &l->items[i];
		const char *measured = s->result.rule.metric;
		int is_speed;

		if (measured == NULL)
			measured = "throughput";
		is_speed = strcmp(measured, "throughput") == 0;
		if (strcmp(measured, name) == 0)
			continue;
		if (metric == NULL || (!is_speed && s->texts == NULL))
			return error_set(e, ERROR_INPUT,
			    "%s: holds the metric %s, not %s; measure the logs "
			    "again with extract_logs --metric=%s",
			    s->path, measured, name, name);
		if (choose_of_file(s, metric, e) != 0)
			return -1;
	}
	return 0;
}
