/* Findings of a check as a table or as JSON. */
#include <config.h>

#include "common/json/json_write.h"
#include "common/result/record_fields.h"
#include "report/check/check.h"

/* A verdict's word in JSON and CSV, and its message. */
static const struct {
	const char *word;
	enum message message;
	enum table_emphasis emphasis;
} verdicts[CHECK_N_VERDICTS] = {
	[CHECK_FOLLOWS] = { "follows", MESSAGE_FOLLOWS, TABLE_GOOD },
	[CHECK_CUT] = { "cut", MESSAGE_FOLLOWS_CUT, TABLE_PLAIN },
	[CHECK_DIFFERS] = { "differs", MESSAGE_DIFFERS, TABLE_BAD },
	[CHECK_MALFORMED] = { "malformed", MESSAGE_MALFORMED, TABLE_BAD },
	[CHECK_UNREAD] = { "unread", MESSAGE_UNREAD, TABLE_FAINT },
	[CHECK_NO_CASE] = { "no-case", MESSAGE_NO_CASE, TABLE_FAINT },
	[CHECK_SEVERAL] = { "several-cases", MESSAGE_SEVERAL_CASES,
	    TABLE_FAINT },
	[CHECK_NO_BASELINE] = { "unchecked", MESSAGE_UNCHECKED, TABLE_FAINT },
};

/* True for findings that are shown without --every-cell. */
static int
is_shown(const struct check_finding *f, int every)
{
	return every ||
	    (f->verdict != CHECK_FOLLOWS && f->verdict != CHECK_NO_BASELINE &&
		f->verdict != CHECK_NO_CASE);
}

/* In JSON and CSV, sentences and verdicts are English. */
static void
add_row(struct table *t, const struct check_report *r,
    const struct check_finding *f, enum language lang, int flat)
{
	table_row(t);
	if (flat) {
		table_cell(t, r->file);
		table_cellf(t, "%ld", f->line);
		table_cellf(t, "%ld", f->col);
	} else if (f->col > 0) {
		table_cellf(t, "%s:%ld:%ld", r->file, f->line, f->col);
	} else {
		table_cellf(t, "%s:%ld", r->file, f->line);
	}
	table_cell(t, f->row);
	table_cell(t, f->column);
	table_cell(t, f->printed);
	table_cell(t, f->expected);
	table_cell(t,
	    flat ? verdicts[f->verdict].word
		 : message(verdicts[f->verdict].message, lang));
	table_emphasise(t, verdicts[f->verdict].emphasis);
	table_cell(
	    t, remark_text(&f->why, flat ? LANGUAGE_EN : lang, &t->arena));
}

static void
add_columns(struct table *t, enum language lang, int flat)
{
	if (flat) {
		table_column(t, "file", NULL, TABLE_LEFT);
		table_column(t, "line", NULL, TABLE_RIGHT);
		table_column(t, "column", NULL, TABLE_RIGHT);
	} else {
		table_column(t, message(MESSAGE_PLACE, lang), NULL, TABLE_LEFT);
	}
	table_column(t, message(MESSAGE_CASE, lang), NULL, TABLE_LEFT);
	table_column(
	    t, flat ? "head" : message(MESSAGE_COLUMN, lang), NULL, TABLE_LEFT);
	table_column(t, message(MESSAGE_PRINTED, lang), NULL, TABLE_RIGHT);
	table_column(t, message(MESSAGE_SHOULD_BE, lang), NULL, TABLE_RIGHT);
	table_column(t, message(MESSAGE_VERDICT, lang), NULL, TABLE_LEFT);
	table_column(t, message(MESSAGE_WHY, lang), NULL, TABLE_LEFT);
}

static void
write_table(const struct check_report *r, const struct check_how *how, FILE *f)
{
	const enum language lang = how->lang;
	struct table t;

	table_init(&t);
	table_title(&t, "%s", r->file);
	add_columns(&t, lang, how->flat);
	for (size_t i = 0; i < r->n; i++)
		if (is_shown(&r->findings[i], how->every || how->flat))
			add_row(&t, r, &r->findings[i], lang, how->flat);
	table_note(&t, "%s: %zu", message(MESSAGE_TABLES, lang), r->n_tables);
	for (int v = 0; v < CHECK_N_VERDICTS; v++)
		if (r->counts[v] > 0)
			table_note(&t, "%s: %zu",
			    message(verdicts[v].message, lang), r->counts[v]);
	for (size_t i = 0; i < r->n_remarks; i++)
		table_note(&t, "%s:%ld: %s", r->file, r->remarks[i].line,
		    remark_text(&r->remarks[i].remark,
			how->flat ? LANGUAGE_EN : lang, &t.arena));
	if (t.n_rows > 0) {
		table_write(&t, how->format, how->colour, f);
	} else {
		/* Only the counts, no empty table. */
		for (size_t i = 0; i < t.n_notes; i++)
			fprintf(f, "%s\n", t.notes[i]);
	}
	table_release(&t);
}

static void
write_json(const struct check_report *r, FILE *f)
{
	struct json_writer j;

	json_write_to_file(&j, f, JSON_WRITE_PRETTY);
	json_write_begin_object(&j, NULL);
	json_write_string(&j, "schema", "dlscale-check/2");
	json_write_string(&j, "file", r->file);
	json_write_long(&j, "tables", (long)r->n_tables);
	json_write_begin_object(&j, "counts");
	for (int v = 0; v < CHECK_N_VERDICTS; v++)
		json_write_long(&j, verdicts[v].word, (long)r->counts[v]);
	json_write_end(&j);
	json_write_begin_array(&j, "findings");
	for (size_t i = 0; i < r->n; i++) {
		const struct check_finding *x = &r->findings[i];

		json_write_begin_object(&j, NULL);
		json_write_long(&j, "line", x->line);
		json_write_long(&j, "column", x->col);
		json_write_string(&j, "case", x->row);
		json_write_string(&j, "head", x->column);
		json_write_string(&j, "printed", x->printed);
		json_write_string(&j, "expected", x->expected);
		json_write_string(&j, "verdict", verdicts[x->verdict].word);
		remark_json_write(&j, "why", &x->why);
		json_write_end(&j);
	}
	json_write_end(&j);
	json_write_begin_array(&j, "remarks");
	for (size_t i = 0; i < r->n_remarks; i++) {
		json_write_begin_object(&j, NULL);
		json_write_long(&j, "line", r->remarks[i].line);
		remark_json_write(&j, "remark", &r->remarks[i].remark);
		json_write_end(&j);
	}
	json_write_end(&j);
	json_write_end(&j);
	json_write_finish(&j);
}

void
check_write(const struct check_report *r, const struct check_how *how, FILE *f)
{
	if (how->json)
		write_json(r, f);
	else
		write_table(r, how, f);
}
