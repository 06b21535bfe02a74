/* Changes of a history as sentences and as JSON. */
#include <config.h>

#include "report/history/history_text.h"

#include <math.h>
#include <string.h>

#include "common/error.h"
#include "common/json/json_write.h"
#include "common/stats/change_points.h"
#include "common/text.h"
#include "common/units/units.h"
#include "report/parts/notes.h"

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

/* Format a share in per cent with the digits that its interval supports. */
static const char *
share_text(struct arena *a, double share, const struct trend_change *c)
{
	return arena_printf(
	    a, "%.*f %%", history_change_decimals(c), 100 * share);
}

static const char *
metadata_of(const struct trend_point *p, enum message what)
{
	return what == MESSAGE_HOST ? p->row->metadata.host
				    : p->row->run.framework_version;
}

/* True if a point in [from, to) has that value. */
static int
is_of_points(const struct trend *t, size_t from, size_t to, enum message what,
    const char *value)
{
	for (size_t i = from; i < to; i++)
		if (text_same(metadata_of(&t->points[i], what), value))
			return 1;
	return 0;
}

/* ", and host from a to b", or "" if the hosts alternate and so did not change
 * with the speed. */
static const char *
other_change(struct arena *a, const struct trend *t,
    const struct trend_change *c, enum message what, enum language lang)
{
	const char *before = metadata_of(&t->points[c->at - 1], what);
	const char *after = metadata_of(&t->points[c->at], what);

	if (before == NULL || after == NULL || strcmp(before, after) == 0 ||
	    (is_of_points(t, c->at, c->end, what, before) &&
		is_of_points(t, c->before, c->at, what, after)))
		return "";
	return text_fill(a, message(MESSAGE_ALSO_CHANGED, lang),
	    message(what, lang), before, after);
}

static const char *
change_text(struct trend_set *set, const struct trend *t,
    const struct trend_change *c, enum language lang)
{
	struct arena *a = &set->arena;
	const int slower = c->ratio < 1;
	char level[UNITS_TEXT_SIZE], p[UNITS_TEXT_SIZE];

	percent_format(level, c->level, 1);
	short_format_apart(p, c->p_holm, 1 - set->confidence, 2);
	return arena_printf(a, "%s%s%s%s%s",
	    text_fill(a,
		message(
		    slower ? MESSAGE_SLOWER_SINCE : MESSAGE_FASTER_SINCE, lang),
		history_trend_name(set, t, lang),
		share_text(a, fabs(c->ratio - 1), c),
		share_text(a, slower ? 1 - c->high : c->low - 1, c),
		share_text(a, slower ? 1 - c->low : c->high - 1, c), level,
		moment_text(a, t->points[c->at].row),
		moment_text(a, t->points[c->at - 1].row)),
	    text_fill(a, message(MESSAGE_POINTS_AGAINST, lang),
		arena_printf(a, "%zu", c->at - c->before),
		arena_printf(a, "%zu", c->end - c->at), p),
	    c->proven ? "" : message(MESSAGE_CHANGE_UNPROVEN, lang),
	    other_change(a, t, c, MESSAGE_HOST, lang),
	    other_change(a, t, c, MESSAGE_FRAMEWORK_VERSION, lang));
}

static const char *
no_change_text(struct trend_set *set, const struct trend *t, enum language lang)
{
	struct arena *a = &set->arena;
	const size_t least = 2 * CHANGE_POINTS_LEAST;
	const int few = t->n_points < least;

	return text_fill(a,
	    message(few ? MESSAGE_FEW_POINTS : MESSAGE_NO_CHANGE, lang),
	    history_trend_name(set, t, lang),
	    arena_printf(a, "%zu", t->n_points),
	    few ? arena_printf(a, "%zu", least)
		: moment_text(a, t->points[t->skipped].row));
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
	json_write_string(j, "sentence", change_text(set, t, c, LANGUAGE_EN));
	json_write_end(j);
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

/* Names of commits and hosts may contain terminal escape sequences. */
static void
write_sentence(struct arena *a, const char *text, FILE *f)
{
	char *clean = arena_strdup(a, text);

	text_sanitise(clean, "");
	fprintf(f, "%s\n", clean);
}

void
history_when_write(struct trend_set *set, const char *path, enum language lang,
    int json, FILE *f)
{
	if (json) {
		write_json(set, path, f);
		return;
	}
	for (size_t i = 0; i < set->n; i++) {
		const struct trend *t = &set->items[i];

		for (size_t k = 0; k < t->n_changes; k++)
			write_sentence(&set->arena,
			    change_text(set, t, &t->changes[k], lang), f);
		if (t->n_changes == 0)
			write_sentence(
			    &set->arena, no_change_text(set, t, lang), f);
	}
}
