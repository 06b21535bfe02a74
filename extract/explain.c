#include <config.h>

#include "extract/modes.h"

#include "common/alloc.h"
#include "common/files/files.h"
#include "common/table/table.h"
#include "extract/scan/detect/detect.h"
#include "extract/format/matcher.h"
#include "extract/input/byte_source.h"
#include "extract/scan/scan_file.h"
#include "report/parts/columns.h"

#include <stdlib.h>
#include <string.h>

enum {
	ALL_ROLES = FIELD_NAME_IN(N_ROLES) - 1,
	SHOWN = 100,       /* maximum bytes shown of a line */
	BEFORE = 60,       /* maximum bytes shown before the caret */
	MAX_NEAREST = 1000 /* lines compared in a log of unknown format */
};

/* One file being explained. */
struct explanation {
	const struct format_set *set;
	const struct format *format; /* NULL: unknown */
	struct matcher *m;
	FILE *out;
	int64_t n_silent; /* consecutive lines not shown */
	int64_t n_compared;
	/* The current line. */
	const char *text; /* [len] */
	size_t len;
	int64_t number;
	int shown; /* 1: it is printed */
};

/* --- A line ----------------------------------------------------------------*/

/* Print text in one line; stdout replaces other control characters. */
static void
put_text(FILE *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		putc(strchr("\t\n\r", text[i]) != NULL ? ' ' : text[i], out);
}

static void
flush_silent(struct explanation *x)
{
	if (x->n_silent > 0)
		fprintf(x->out, "      ... %lld line%s without a match\n",
		    (long long)x->n_silent, x->n_silent == 1 ? "" : "s");
	x->n_silent = 0;
}

/* Print " 12: text" from byte `from` on. Returns the width before the text. */
static int
put_line(struct explanation *x, size_t from)
{
	const size_t n = x->len - from < SHOWN ? x->len - from : SHOWN;
	int width;

	flush_silent(x);
	width = fprintf(
	    x->out, "%6lld: %s", (long long)x->number, from > 0 ? "..." : "");
	put_text(x->out, x->text + from, n);
	fputs(from + n < x->len ? "...\n" : "\n", x->out);
	x->shown = 1;
	return width;
}

/* Print the captures of a match: "epoch=0 iter=1 step_s=0.566". */
static void
show_hit(void *arg, const struct match *match)
{
	struct explanation *x = arg;
	const struct pattern *p = match->pattern;

	if (!x->shown)
		put_line(x, 0);
	fprintf(x->out, "        %s %s:", role_name(p->role), p->name);
	for (size_t i = 0; i < p->n_captures; i++) {
		size_t len;
		const char *text = match_text(match, &p->captures[i], &len);

		if (text == NULL)
			continue;
		fprintf(x->out, " %s=", p->captures[i].name);
		put_text(x->out, text, len < SHOWN ? len : SHOWN);
	}
	for (size_t i = 0; i < p->n_gives; i++)
		fprintf(x->out, " %s=%s", p->gives[i].key, p->gives[i].value);
	if (match->rank != SAMPLE_NONE)
		fprintf(x->out, " rank=%d", (int)match->rank);
	if (match->worker != NULL) {
		fputs(" worker=", x->out);
		put_text(x->out, match->worker, match->worker_len);
	}
	if (match->rank != SAMPLE_NONE || match->worker != NULL)
		fprintf(x->out, " (prefix %s)", matcher_prefix_name(x->m));
	putc('\n', x->out);
}

/* Explain a piece of a line by the format, or by the metadata files if it does
 * not match, or by how far the nearest pattern matches. */
static void
explain_text(void *arg, const char *text, size_t len)
{
	const unsigned roles =
	    FIELD_NAME_IN(ROLE_STEP) | FIELD_NAME_IN(ROLE_SUMMARY);
	struct explanation *x = arg;
	const struct format *f = x->format;
	struct nearest_pattern n;
	size_t from;
	int width, found = 0;

	x->text = text;
	x->len = len;
	x->shown = 0;
	if (f != NULL)
		matcher_line(x->m, f, ALL_ROLES, text, len, show_hit, x);
	for (size_t i = 0; f != NULL && !x->shown && i < x->set->metadata.n;
	     i++)
		matcher_line(x->m, x->set->metadata.items[i], ALL_ROLES, text,
		    len, show_hit, x);
	if (x->shown)
		return;
	if (f != NULL)
		found = nearest_pattern_find(&x->format, 1,
		    roles | FIELD_NAME_IN(ROLE_METADATA), text, len, &n);
	else if (x->n_compared++ < MAX_NEAREST)
		found = nearest_pattern_find(
		    (const struct format *const *)x->set->formats.items,
		    x->set->formats.n, roles, text, len, &n);
	if (!found) {
		x->n_silent++;
		return;
	}
	from = n.end > BEFORE ? n.end - BEFORE : 0;
	width = put_line(x, from);
	fprintf(x->out,
	    "%*s^ %s%s%s matches up to column %zu, then needs '%.40s'\n",
	    width + (int)(n.end - from), "", f != NULL ? "" : n.format->name,
	    f != NULL ? "" : "/", n.pattern->name, n.end, n.rest);
}

/* Implements line_consumer. */
static void
explain_line(
    void *arg, const char *text, size_t len, unsigned flags, int64_t number)
{
	struct explanation *x = arg;
	char *room = xmalloc(len + 1);

	x->number = number;
	line_each_piece(text, len, flags, room, explain_text, x);
	free(room);
}

/* --- A file ----------------------------------------------------------------*/

static void
put_candidate(FILE *out, const struct candidate *c)
{
	fprintf(out, "%s (%lld step%s, %lld summar%s)", c->format->name,
	    (long long)c->n_steps, c->n_steps == 1 ? "" : "s",
	    (long long)c->n_summaries, c->n_summaries == 1 ? "y" : "ies");
}

int
explain_file(const struct format_set *set, const char *path,
    const struct format *forced, FILE *out, struct error *e)
{
	struct explanation x = { .set = set, .out = out };
	struct scan_options options = { .forced = forced, .no_hash = 1 };
	struct scanner *s = scanner_new(set, &options);
	struct detection head;
	struct detector *d;
	struct line_walker w;
	struct byte_source r;
	struct log log;
	size_t used;
	int rc;

	if (strcmp(path, "-") == 0) {
		scanner_free(s);
		return error_set(e, ERROR_USAGE,
		    "--explain reads its file "
		    "twice and needs a name, not '-'");
	}
	rc = scanner_scan(s, path, path, &log);
	scanner_free(s);
	if (rc != 0) {
		if (e != NULL)
			*e = log.problem;
		log_release(&log);
		return -1;
	}
	x.format = log.format;
	x.m = matcher_new(set);
	byte_source_init(&r);
	rc = byte_source_open(&r, path, 0, e);
	if (rc == 0) {
		d = detector_new(set, x.m);
		detector_run(d, r.data,
		    r.len < SCAN_HEAD_BYTES ? r.len : SCAN_HEAD_BYTES, &head);
		detector_free(d);
		fprintf(out, "%s: ", path);
		if (forced != NULL) {
			fprintf(out, "read as %s, as --log-format requests\n",
			    forced->name);
		} else if (log.format == NULL) {
			fputs("no format matches any of its lines\n", out);
		} else if (head.best.format != log.format) {
			fprintf(out,
			    "format %s, found after the first %zu lines\n",
			    log.format->name, head.n_lines);
		} else {
			fputs("format ", out);
			put_candidate(out, &head.best);
			fputs("; runner-up: ", out);
			if (head.runner_up.format != NULL)
				put_candidate(out, &head.runner_up);
			else
				fputs("none", out);
			fprintf(
			    out, "; in the first %zu lines\n", head.n_lines);
		}
		if (log.format != NULL)
			fprintf(out,
			    "in all: %lld lines, %zu steps, %zu summaries, "
			    "%zu metadata fields\n",
			    (long long)log.lines, log.samples.n,
			    log.n_summaries, log.n_metadata);
		line_walker_init(&w, SCAN_MAX_LINE);
		do
			used = line_walker_consume(
			    &w, r.data, r.len, r.last, explain_line, &x);
		while (!r.last && (rc = byte_source_next(&r, used, e)) >= 0);
		flush_silent(&x);
	}
	byte_source_release(&r);
	matcher_free(x.m);
	log_release(&log);
	return rc < 0 ? -1 : 0;
}

/* --- All formats -----------------------------------------------------------*/

/* The framework that the format implies, or NULL. */
static const char *
framework_of(const struct format *f)
{
	for (size_t i = 0; i < f->n_gives; i++)
		if (strcmp(f->gives[i].key, "framework") == 0)
			return f->gives[i].value;
	return NULL;
}

/* Sort by framework (formats without one last), then by name. */
static int
by_framework(const void *a, const void *b)
{
	const struct format *x = *(const struct format *const *)a;
	const struct format *y = *(const struct format *const *)b;
	const char *own = framework_of(x), *other = framework_of(y);
	int d = (own == NULL) - (other == NULL);

	if (d == 0 && own != NULL)
		d = strcmp(own, other);
	return d != 0 ? d : strcmp(x->name, y->name);
}

int
explain_list(const struct format_set *set, const char *word,
    const struct table_format *as, FILE *out, struct error *e)
{
	static const char *const heads[] = { "format", "value", "unit", "of",
		"rule", "description", NULL };
	static const char *const kinds[] = { "step time", "rate", "time stamp",
		"elapsed" };
	static const char *const statistics[] = { "instant", "window mean",
		"cumulative mean" };
	static const char *const scopes[] = { "global", "node", "device",
		"ranks", "unknown" };
	const struct meaning *m;
	const struct format **all = xcalloc(set->formats.n + 1, sizeof *all);
	const char *group = NULL, *own;
	struct table t = TABLE_INIT;
	size_t n = 0;

	for (size_t i = 0; i < set->formats.n; i++) {
		const struct format *f = set->formats.items[i];
		const char *texts[] = { f->name, f->description, f->url,
			framework_of(f) };
		int holds = 0;

		for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++)
			holds |= texts[k] != NULL &&
			    strcasestr(texts[k], word) != NULL;
		if (holds)
			all[n++] = f;
	}
	if (n > 1)
		qsort(all, n, sizeof *all, by_framework);
	flat_columns(&t, heads);
	for (size_t i = 0; i < n; i++) {
		own = framework_of(all[i]);
		if (own == NULL)
			own = "any framework";
		if (group == NULL || strcmp(group, own) != 0)
			table_group(&t, own);
		group = own;
		m = &all[i]->meaning;
		table_row(&t);
		table_cell(&t, all[i]->name);
		table_cellf(&t, "%s, %s", kinds[m->kind],
		    all[i]->n_step_patterns > 0 ? statistics[m->statistic]
						: "of the run");
		table_cell(&t, m->unit);
		table_cell(&t, scopes[m->scope]);
		table_cell(&t, m->rule);
		table_cell(&t, all[i]->description);
	}
	if (n > 0)
		table_write(&t, 1, as, TABLE_COLOUR_OFF, out);
	table_release(&t);
	free(all);
	return n > 0 ? 0
		     : error_set(e, ERROR_EMPTY,
			   "--list-formats: no format has '%s' in its name, "
			   "description or URL",
			   word);
}

void
explain_fields(const struct table_format *as, FILE *out)
{
	static const char *const heads[] = { "field", "value", "kept in",
		"patterns", "description", NULL };
	static const char *const types[] = { "text", "count", "number",
		"duration" };
	const struct field_name *f = field_name_at(0);
	struct table t = TABLE_INIT;

	flat_columns(&t, heads);
	for (size_t n = 1; f != NULL; n++) {
		const char *roles = NULL;

		for (int i = 0; i < N_ROLES; i++)
			if ((f->roles & FIELD_NAME_IN(i)) != 0)
				roles = arena_printf(&t.arena, "%s%s%s",
				    roles != NULL ? roles : "",
				    roles != NULL ? ", " : "",
				    role_name((enum role)i));
		table_row(&t);
		table_cell(&t, f->name);
		table_cell(&t, types[f->type]);
		table_cell(&t, f->unit);
		table_cell(&t, roles);
		table_cell(&t, f->help);
		if (f == &field_label)
			break;
		f = field_name_at(n);
		if (f == NULL)
			f = &field_label;
	}
	table_write(&t, 1, as, TABLE_COLOUR_OFF, out);
	table_release(&t);
}

int
explain_show(
    const struct format_set *set, const char *name, FILE *out, struct error *e)
{
	for (int k = 0; k < N_FORMAT_FILES; k++)
		for (size_t i = 0; i < set->kinds[k].n; i++) {
			const struct format *f = set->kinds[k].items[i];

			if (strcmp(f->name, name) != 0)
				continue;
			fprintf(out, "# %s\n", f->src.path);
			fwrite(f->src.text, 1, f->src.len, out);
			if (f->src.len > 0 &&
			    f->src.text[f->src.len - 1] != '\n')
				putc('\n', out);
			return 0;
		}
	format_get(set, name, e);
	return -1;
}

int
explain_check(const struct format_set *set, FILE *out, FILE *err)
{
	size_t n_samples = 0;
	int n_bad = 0;

	for (int k = 0; k < N_FORMAT_FILES; k++)
		for (size_t i = 0; i < set->kinds[k].n; i++) {
			const struct format *f = set->kinds[k].items[i];
			struct error e = ERROR_INIT;

			n_samples += f->n_samples;
			if (format_self_test(set, f, &e) != 0) {
				fprintf(err, "%s\n", e.message);
				n_bad++;
			}
		}
	fprintf(out,
	    "%zu formats, %zu prefix files, %zu metadata files, %zu layouts, "
	    "%zu samples: ",
	    set->formats.n, set->prefixes.n, set->metadata.n, set->layouts.n,
	    n_samples);
	if (n_bad == 0)
		fputs("ok\n", out);
	else
		fprintf(out, "%d with mistakes\n", n_bad);
	return n_bad;
}

/* --- Paths -----------------------------------------------------------------*/

enum { MAX_NAMED_KEYS = 64 };

/* State of --explain-paths: the keys of all files in order of appearance. */
struct paths_preview {
	struct arena arena;
	const char *keys[MAX_NAMED_KEYS];
	size_t n_keys;
};

/* Set a value's cell unless a source of higher precedence has set it. */
static void
note_metadata(struct paths_preview *p, const char *cells[MAX_NAMED_KEYS],
    const char *key, int is_label, const char *value)
{
	size_t i = 0;

	if (is_label)
		key = arena_printf(&p->arena, "label %s", key);
	while (i < p->n_keys && strcmp(p->keys[i], key) != 0)
		i++;
	if (i == MAX_NAMED_KEYS)
		return;
	if (i == p->n_keys)
		p->keys[p->n_keys++] = arena_strdup(&p->arena, key);
	if (cells[i] == NULL)
		cells[i] = arena_strdup(&p->arena, value);
}

int
explain_paths(struct extraction *x, const char *const *operands, size_t n,
    struct error *e)
{
	const struct metadata_map *map = &x->map;
	struct paths_preview p = { .arena = ARENA_INIT };
	/* Files whose names state nothing, or do not fit --path. */
	size_t n_mute = 0, n_unfit = 0;
	const char *(*cells)[MAX_NAMED_KEYS];
	const char **by;
	struct table t = TABLE_INIT;

	if (extraction_find(x, operands, n, e) != 0)
		return -1;
	n = x->files.n_files;
	cells = arena_calloc(&p.arena, n, sizeof *cells);
	by = arena_calloc(&p.arena, n, sizeof *by);
	for (size_t i = 0; i < n; i++) {
		const char *where = x->files.files[i].where;
		struct path_layout_match m;
		struct strbuf sb; /* sources of its metadata */

		strbuf_init(&sb, 4096);
		for (size_t k = metadata_map_next(map, where, 0);
		     k < map->n_rows;
		     k = metadata_map_next(map, where, k + 1)) {
			const struct metadata_map_row *row = &map->rows[k];

			for (size_t j = 0; j < map->n_columns; j++)
				if (row->values[j][0] != '\0')
					note_metadata(&p, cells[i],
					    map->columns[j].key,
					    map->columns[j].is_label,
					    row->values[j]);
			strbuf_printf(&sb, "%smap line %ld",
			    sb.len > 0 ? ", " : "", row->line);
		}
		path_layout_match(&x->formats, where, &m);
		for (size_t k = 0; k < m.n_metadata; k++) {
			note_metadata(&p, cells[i], m.metadata[k].key,
			    m.metadata[k].is_label, m.metadata[k].value);
			if (strstr(sb.buf, m.metadata[k].layout) == NULL)
				strbuf_printf(&sb, "%s%s",
				    sb.len > 0 ? ", " : "",
				    m.metadata[k].layout);
		}
		n_mute += sb.len == 0;
		n_unfit += !path_template_fits(&m);
		path_layout_match_release(&m);
		by[i] = arena_strdup(&p.arena, sb.buf);
		strbuf_release(&sb);
	}
	table_column(&t, "log", NULL, TABLE_LEFT);
	for (size_t k = 0; k < p.n_keys; k++)
		table_column(&t, p.keys[k], NULL, TABLE_LEFT);
	table_column(&t, "stated by", NULL, TABLE_LEFT);
	for (size_t i = 0; i < n; i++) {
		table_row(&t);
		table_cell(&t, x->files.files[i].shown);
		for (size_t k = 0; k < p.n_keys; k++)
			table_cell(&t, cells[i][k] != NULL ? cells[i][k] : "");
		table_cell(&t, by[i]);
	}
	if (x->settings->paths.n > 0 && n_unfit > 0)
		table_note(
		    &t, "%zu of %zu names do not fit --path.", n_unfit, n);
	if (n_mute > 0)
		table_note(&t,
		    "%zu of %zu names state nothing; --path='...{nodes}...' "
		    "reads missing values from the names, --map=FILE gives "
		    "them for each log.",
		    n_mute, n);
	table_write(&t, 1, table_format_find(x->settings->format),
	    TABLE_COLOUR_OFF, stdout);
	table_release(&t);
	arena_release(&p.arena);
	return stdout_finish(e);
}
