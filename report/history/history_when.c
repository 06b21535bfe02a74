/* Since when is it slower?  Sentences and JSON about the changes of a history.
 * history_command.c asks for them. */
#include <config.h>

#include "report/history/history_text.h"

#include <math.h>
#include <string.h>

#include "common/error.h"
#include "common/json/json_write.h"
#include "common/stats/change_points.h"
#include "common/strbuf.h"
#include "common/text.h"
#include "common/units/units.h"

enum { MAX_SENTENCE = 1 << 16 };

#define WHEN_SCHEMA "dlscale-when/1"

/* --- sentences ------------------------------------------------------------ */

/* "3f2a1b0 (2026-11-13)", or the date alone. */
static const char *
moment_text(struct arena *a, const struct history_row *row)
{
	const int day = (int)strcspn(row->metadata.date, "T");

	if (row->metadata.commit == NULL)
		return trend_point_name(a, row);
	return arena_printf(
	    a, "%s (%.*s)", trend_point_name(a, row), day, row->metadata.date);
}

/* A share as per cent with the digits that its interval supports. */
static const char *
share_text(struct arena *a, double share, const struct trend_change *c)
{
	return arena_printf(
	    a, "%.*f %%", history_change_decimals(c), 100 * share);
}

/* What besides the commit may have changed. */
enum other_metadata { METADATA_HOST, METADATA_VERSION, N_METADATA };

static const char *
metadata_of(const struct trend_point *p, enum other_metadata item)
{
	return item == METADATA_HOST ? p->row->metadata.host
				     : p->row->run.framework_version;
}

/* Is it stated of a point in [from, to)? */
static int
is_of_points(const struct trend *t, size_t from, size_t to,
    enum other_metadata item, const char *value)
{
	for (size_t i = from; i < to; i++)
		if (text_same(metadata_of(&t->points[i], item), value))
			return 1;
	return 0;
}

/* What else is another from this point on.  Hosts that take turns all the time
 * did not change with the speed. */
static void
add_other_changes(struct strbuf *sb, const struct trend *t,
    const struct trend_change *c, enum language lang)
{
	static const enum message names[N_METADATA] = { MESSAGE_HOST,
		MESSAGE_FRAMEWORK_VERSION };

	for (enum other_metadata item = 0; item < N_METADATA; item++) {
		const char *before = metadata_of(&t->points[c->at - 1], item);
		const char *after = metadata_of(&t->points[c->at], item);
		const char *texts[] = { message(names[item], lang), before,
			after, NULL };

		if (before == NULL || after == NULL ||
		    strcmp(before, after) == 0 ||
		    (is_of_points(t, c->at, c->end, item, before) &&
			is_of_points(t, c->before, c->at, item, after)))
			continue;
		message_fill(sb, MESSAGE_ALSO_CHANGED, lang, texts);
	}
}

static void
add_change(struct strbuf *sb, struct trend_set *set, const struct trend *t,
    const struct trend_change *c, enum language lang)
{
	struct arena *a = &set->arena;
	const int slower = c->ratio < 1;
	const struct history_row *first = t->points[c->at].row;
	const struct history_row *last = t->points[c->at - 1].row;
	char level[UNITS_TEXT_SIZE], p[UNITS_TEXT_SIZE];
	const char *texts[] = { history_trend_name(set, t, lang),
		share_text(a, fabs(c->ratio - 1), c),
		share_text(a, slower ? 1 - c->high : c->low - 1, c),
		share_text(a, slower ? 1 - c->low : c->high - 1, c), level,
		moment_text(a, first), moment_text(a, last), NULL };
	const char *counts[] = { arena_printf(a, "%zu", c->at - c->before),
		arena_printf(a, "%zu", c->end - c->at),
		short_format_apart(p, c->p_holm, 1 - set->confidence, 2),
		NULL };

	percent_format(level, c->level, 1);
	message_fill(sb, slower ? MESSAGE_SLOWER_SINCE : MESSAGE_FASTER_SINCE,
	    lang, texts);
	message_fill(sb, MESSAGE_POINTS_AGAINST, lang, counts);
	if (!c->proven)
		strbuf_addstr(sb, message(MESSAGE_CHANGE_UNPROVEN, lang));
	add_other_changes(sb, t, c, lang);
}

static void
add_no_change(struct strbuf *sb, struct trend_set *set, const struct trend *t,
    enum language lang)
{
	struct arena *a = &set->arena;
	const size_t least = 2 * CHANGE_POINTS_LEAST;
	const int few = t->n_points < least;
	const char *texts[] = { history_trend_name(set, t, lang),
		arena_printf(a, "%zu", t->n_points),
		few ? arena_printf(a, "%zu", least)
		    : moment_text(a, t->points[t->skipped].row),
		NULL };

	message_fill(
	    sb, few ? MESSAGE_FEW_POINTS : MESSAGE_NO_CHANGE, lang, texts);
}

/* --- JSON ----------------------------------------------------------------- */

static void
write_moment(
    struct json_writer *j, const char *key, const struct history_row *row)
{
	json_write_begin_object(j, key);
	json_write_string(j, "date", row->metadata.date);
	json_write_string(j, "commit", row->metadata.commit);
	json_write_string(j, "host", row->metadata.host);
	json_write_string(j, "framework_version", row->run.framework_version);
	json_write_end(j);
}

static void
write_change(struct json_writer *j, struct trend_set *set,
    const struct trend *t, const struct trend_change *c)
{
	struct strbuf sb;

	strbuf_init(&sb, MAX_SENTENCE);
	add_change(&sb, set, t, c, LANGUAGE_EN);
	json_write_begin_object(j, NULL);
	json_write_string(j, "what", c->ratio < 1 ? "slower" : "faster");
	write_moment(j, "since", t->points[c->at].row);
	write_moment(j, "last_before", t->points[c->at - 1].row);
	json_write_double(j, "ratio", c->ratio);
	json_write_double(j, "ratio_low", c->low);
	json_write_double(j, "ratio_high", c->high);
	json_write_double(j, "ratio_level", c->level);
	json_write_double(j, "p", c->p);
	json_write_double(j, "p_holm", c->p_holm);
	json_write_bool(j, "proven", c->proven);
	json_write_long(j, "points_before", (long)(c->at - c->before));
	json_write_long(j, "points_after", (long)(c->end - c->at));
	json_write_string(j, "sentence", sb.buf);
	json_write_end(j);
	strbuf_release(&sb);
}

static void
write_trend(struct json_writer *j, struct trend_set *set, const struct trend *t)
{
	const struct result_case *c = t->c;

	json_write_begin_object(j, NULL);
	json_write_string(j, "case", c->name);
	json_write_string(j, "framework", c->framework);
	json_write_string(j, "model", c->model);
	json_write_string(j, "precision", c->precision);
	json_write_long(j, "batch_size_per_device", c->batch_size_per_device);
	json_write_long(j, "nodes", c->nodes);
	json_write_long(j, "gpus_per_node", c->gpus_per_node);
	json_write_long(j, "gpus", c->gpus);
	json_write_begin_object(j, "labels");
	for (size_t i = 0; i < c->n_labels; i++)
		json_write_string(j, c->labels[i].key, c->labels[i].value);
	json_write_end(j);
	json_write_string(j, "unit", c->unit);
	json_write_string(j, "rule", t->s->values[SERIES_RULE]);
	json_write_long(j, "points", (long)t->n_points);
	write_moment(j, "first", t->points[0].row);
	write_moment(j, "last", t->points[t->n_points - 1].row);
	json_write_begin_array(j, "changes");
	for (size_t i = 0; i < t->n_changes; i++)
		write_change(j, set, t, &t->changes[i]);
	json_write_end(j);
	json_write_end(j);
}

static void
write_json(struct trend_set *set, const char *path, FILE *f)
{
	struct json_writer j;

	json_write_to_file(&j, f, JSON_WRITE_PRETTY);
	json_write_begin_object(&j, NULL);
	json_write_string(&j, "schema", WHEN_SCHEMA);
	json_write_string(&j, "history", path);
	json_write_double(&j, "confidence", set->confidence);
	json_write_begin_array(&j, "trends");
	for (size_t i = 0; i < set->n; i++)
		write_trend(&j, set, &set->items[i]);
	json_write_end(&j);
	json_write_end(&j);
	json_write_finish(&j);
}

/* Names of commits and hosts are anyone's: none may command the terminal. */
static void
write_sentence(const struct strbuf *sb, FILE *f)
{
	text_sanitise(sb->buf, "");
	fprintf(f, "%s\n", sb->buf);
}

void
history_when_write(struct trend_set *set, const char *path, enum language lang,
    int json, FILE *f)
{
	struct strbuf sb;

	if (json) {
		write_json(set, path, f);
		return;
	}
	strbuf_init(&sb, MAX_SENTENCE);
	for (size_t i = 0; i < set->n; i++) {
		const struct trend *t = &set->items[i];

		for (size_t k = 0; k < t->n_changes; k++) {
			strbuf_reset(&sb);
			add_change(&sb, set, t, &t->changes[k], lang);
			write_sentence(&sb, f);
		}
		if (t->n_changes > 0)
			continue;
		strbuf_reset(&sb);
		add_no_change(&sb, set, t, lang);
		write_sentence(&sb, f);
	}
	strbuf_release(&sb);
}
