#include <config.h>

#include "extract/job/extraction.h"

#include <assert.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/hash_index.h"
#include "common/program/options.h"
#include "common/text.h"
#include "common/texts/remark.h"
#include "common/units/units.h"
#include "extract/input/file_list.h"
#include "extract/log/stated_settings.h"
#include "extract/log/words.h"

enum {
	MAX_RANKS = 1 << 16, /* that are counted */
	MAX_PRIORITY = 100   /* of a format */
};

/* State of a running job. */
struct work {
	struct run_job *job;
	const struct run_job_context *context;
	struct arena *arena;
	struct log *logs;        /* [n_files] */
	const struct log **used; /* [n_used] measurable logs */
	size_t n_used;
};

/* Exclude a file, or the whole run under the path of its first file. */
static struct result_excluded *
exclude_file(struct work *w, const char *path, struct remark why)
{
	struct run_job *job = w->job;

	why = remark_copy(&why, w->arena);
	assert(job->n_excluded <= job->n_files);
	job->excluded[job->n_excluded] =
	    excluded_run(arena_strdup(w->arena, path), &why);
	return &job->excluded[job->n_excluded++];
}

/* Add a message about a file: a warning, or a detail for --verbose. */
static void PRINTF_LIKE(4, 5)
    note(struct work *w, int detail, const char *path, const char *fmt, ...)
{
	struct run_job *job = w->job;
	va_list ap;

	job->notes =
	    arena_grow(w->arena, job->notes, job->n_notes, sizeof *job->notes);
	va_start(ap, fmt);
	job->notes[job->n_notes++] =
	    (struct run_job_note){ arena_strdup(w->arena, path),
		    arena_vprintf(w->arena, fmt, ap), detail };
	va_end(ap);
}

/* The reason why a log that was read cannot be measured, or REMARK_NONE. */
static struct remark
why_unusable(const struct work *w, const struct log *log)
{
	const char *slash = strrchr(log->shown, '/');

	if (log->lines == 0)
		return remark_plain(REMARK_EMPTY_FILE);
	if (log->format == NULL)
		return remark_plain(
		    power_name_is(slash != NULL ? slash + 1 : log->shown)
			? REMARK_NO_FORMAT_POWER
			: log->detection_cut ? REMARK_NO_FORMAT_PART
					     : REMARK_NO_FORMAT);
	if (w->n_used > 0 && log->format != w->used[0]->format)
		return REMARK(REMARK_FORMATS_DIFFER,
		    remark_name(log->format->name),
		    remark_name(w->used[0]->shown),
		    remark_name(w->used[0]->format->name));
	return remark_plain(REMARK_NONE);
}

/* Scan one file and add it to `used` if it can be measured. */
static void
scan_file(struct work *w, size_t i, struct scanner *scanner)
{
	const struct log_file *file = w->job->files[i];
	struct log *log = &w->logs[i];
	struct file_follow *tails = w->context->tails;
	const size_t len = strlen(file->shown);
	const char *message = log->problem.message;
	const int outcome = tails != NULL
	    ? file_follow_scan(
		  tails, scanner, file->path, file->operand, file->shown, log)
	    : scanner_scan(scanner, file->path, file->shown, log);
	struct result_input *in = &w->job->inputs[i];
	struct remark why;

	in->path = arena_strdup(w->arena, file->shown);
	in->bytes = (long)log->bytes;
	in->hash =
	    log->hash[0] != '\0' ? arena_strdup(w->arena, log->hash) : NULL;
	if (log->format != NULL) {
		const struct format *second = log->runner_up;

		in->format = log->format->name;
		if (w->job->format == NULL)
			w->job->format = log->format;
		note(w, 1, file->shown, "%s%s%s%s, %zu samples, %lld lines",
		    in->format, second != NULL ? " (runner-up " : "",
		    second != NULL ? second->name : "",
		    second != NULL ? ")" : "", log->samples.n,
		    (long long)log->lines);
	}
	if (outcome != 0 && log->problem.code == ERROR_SCARCE) {
		struct error *scarce =
		    arena_calloc(w->arena, 1, sizeof *scarce);

		*scarce = log->problem;
		w->job->scarce = scarce;
	}
	if (outcome == 0 && log->truncated)
		note(w, 0, log->shown,
		    "its data are truncated or damaged; what can be read was "
		    "used");
	if (outcome == 0 && log->n_match_limit > 0)
		note(w, 0, log->shown,
		    "a pattern took too long on %lld line%s (first: "
		    "line %lld) and was given up there",
		    (long long)log->n_match_limit,
		    log->n_match_limit == 1 ? "" : "s",
		    (long long)log->match_limit_line);
	/* The path before the message is named anyway. */
	if (strncmp(message, file->shown, len) == 0 &&
	    strncmp(message + len, ": ", 2) == 0)
		message += len + 2;
	why = outcome == 0 ? why_unusable(w, log)
	    : log->problem.code == ERROR_EMPTY
	    ? remark_plain(REMARK_EMPTY_FILE)
	    : REMARK(REMARK_UNREADABLE, remark_name(message));
	if (why.code == REMARK_NONE)
		w->used[w->n_used++] = log;
	else
		exclude_file(w, file->shown, why);
}

/* Warn of contradictory values at the place of the one that is not used; name
 * both places if both values are from logs. */
static void
warn_conflicts(struct work *w, const struct metadata *f)
{
	for (size_t i = 0; i < f->n_conflicts; i++) {
		const struct metadata_conflict *c = &f->conflicts[i];
		const char *file =
		    c->file != NULL ? c->file : w->used[0]->shown;

		if (c->quiet)
			continue;
		if (c->line > 0)
			file = arena_printf(
			    w->arena, "%s:%lld", file, (long long)c->line);
		if (metadata_by_log(c->taken) && metadata_by_log(c->other))
			note(w, 0, file,
			    "%s: '%s' differs from '%s' on %s, which is used",
			    c->key, c->other_value, c->taken_value,
			    c->taken_place);
		else
			note(w, 0, file,
			    "%s: '%s' from the %s differs from '%s' from the "
			    "%s, which is used",
			    c->key, c->other_value,
			    metadata_origin_name(c->other), c->taken_value,
			    metadata_origin_name(c->taken));
	}
}

/* Check that every rank from 0 or 1 to the highest has a file. Returns a remark
 * if not, or if several ranks have files and the number of GPUs is unknown;
 * else REMARK_NONE. */
static struct remark
missing_ranks(struct work *w)
{
	const struct run_job *job = w->job;
	char *seen = xcalloc(job->n_files + 2, 1);
	size_t n = 0, next, len;
	long rank, last = -1;

	for (size_t i = 0; i < job->n_files; i++) {
		const char *text = path_layout_rank(
		    w->context->formats, job->files[i]->where, &len);

		if (text == NULL ||
		    whole_parse(text, len, 0, LONG_MAX, &rank) != UNITS_OK)
			continue;
		n++;
		last = rank > last ? rank : last;
		if (rank <= (long)job->n_files)
			seen[rank] = 1;
	}
	next = !seen[0] && seen[1];
	while (seen[next])
		next++;
	free(seen);
	if (last > (long)next)
		return REMARK(REMARK_RANK_MISSING, remark_number((double)n),
		    remark_number((double)next));
	return n > 1 && job->run->metadata.gpus == RESULT_UNKNOWN
	    ? REMARK(REMARK_RANKS_OPEN, remark_number((double)n))
	    : remark_plain(REMARK_NONE);
}

static void
add_flag(struct work *w, struct remark flag)
{
	result_run_flag(&w->job->run->measured.run, &flag, w->arena);
}

/* Flag contradictory counts, with both places, and a batch size that may be per
 * device or global. */
static void
flag_conflicts(struct work *w, const struct metadata *f)
{
	const struct meaning *m = w->used[0]->meaning;
	const char *chosen = w->context->settings->rule.unit;
	const char *unit = chosen != NULL ? chosen : m->throughput;
	/* The throughput is computed from the batch size. */
	const int needed = m->kind != VALUE_RATE && !m->epochs &&
	    (unit == NULL || strcmp(unit, "iterations/s") != 0);

	for (size_t i = 0; i < f->n_conflicts; i++) {
		const struct metadata_conflict *c = &f->conflicts[i];

		if (c->flagged)
			add_flag(w,
			    REMARK(REMARK_VALUES_CONTRADICT,
				remark_name(c->key),
				remark_name(c->taken_value),
				remark_name(c->taken_place),
				remark_name(c->other_value),
				remark_name(c->other_place)));
	}
	if (f->batch_guessed > 0 && f->gpus != 1 && needed)
		add_flag(w,
		    REMARK(REMARK_BATCH_OF_DEVICE,
			remark_number((double)f->batch_guessed),
			remark_name(f->batch_guessed == f->batch_size_per_device
				? "a device"
				: "all")));
}

/* --- Runs that failed ------------------------------------------------------*/

/* If a log shows why the run ended, make that the reason for the exclusion,
 * followed by the former reason. If its lines are those of an inference
 * program, make that the reason. */
static void
explain_exclusion(struct work *w, struct result_excluded *x,
    const struct log *log, const struct metadata *m)
{
	/* Reasons that a failed run may have. */
	static const char reasons[] =
	    EXCLUDED_NO_FORMAT "|" EXCLUDED_NO_STEPS "|" EXCLUDED_NO_SUMMARY
			       "|" EXCLUDED_RESTART "|" EXCLUDED_SHORT;
	const struct log_sign *f = &log->signs.program;
	struct result_failed *failed;
	struct remark why;

	/* A job that is still running may recover. */
	if (!words_fit(reasons, WORDS_ALL, x->reason) ||
	    w->context->tails != NULL)
		return;
	if (f->code != REMARK_NONE) {
		x->reason = EXCLUDED_NOT_TRAINING;
		why = REMARK(f->code, remark_at(log->shown, f->line),
		    remark_name(f->program), remark_name(f->text));
		x->why = remark_copy(&why, w->arena);
		return;
	}
	f = log_failure(&log->signs);
	if (f == NULL)
		return;
	x->path = arena_strdup(w->arena, log->shown);
	why = REMARK(f->code, remark_at(x->path, f->line), remark_name(f->text),
	    remark_name(x->reason), remark_inner(&x->why),
	    remark_inner(x->hint.code != REMARK_NONE ? &x->hint : NULL));
	x->why = remark_copy(&why, w->arena);
	x->hint = remark_plain(REMARK_NONE);
	x->reason = remark_rows[f->code].reason;
	/* The case that the run would belong to, with all stated labels, even
	 * those that would not be needed. */
	failed = &x->failed;
	*failed = (struct result_failed){ .line = (long)f->line,
		.name = case_name(m, w->arena),
		.framework = m->framework,
		.model = m->model,
		.precision = m->precision,
		.batch_size_per_device = m->batch_size_per_device,
		.nodes = m->nodes,
		.gpus_per_node = m->gpus_per_node,
		.gpus = m->gpus,
		.labels = arena_calloc(w->arena, m->n_labels + m->n_varied + 1,
		    sizeof *failed->labels) };
	for (size_t i = 0; i < m->n_labels; i++)
		failed->labels[failed->n_labels++] = m->labels[i];
	for (size_t i = 0; i < m->n_varied; i++)
		if (result_pair_value(failed->labels, failed->n_labels,
			m->varied[i].key) == NULL)
			failed->labels[failed->n_labels++] = m->varied[i];
}

/* --- time to train -------------------------------------------------------- */

/* If a run's format does not give the time of the whole run, take it from lines
 * of another program in the same logs, such as time(1). Tries all formats of
 * whole runs by descending priority. Returns 0, or -1; changes x if the run
 * turns out to have failed. */
static int
measure_otherwise(struct work *w, struct scanner *scanner, struct exclusion *x)
{
	const struct settings *s = w->context->settings;
	const struct format_set *set = w->context->formats;
	const size_t n = set->formats.n * w->n_used;
	struct log log;
	const struct log *logs[] = { &log };
	const struct run_source source = { logs, 1, &w->job->run->metadata,
		NULL };

	if (s->rule.metric != METRIC_TIME_TO_TRAIN || s->log_format != NULL ||
	    w->context->tails != NULL || !exclusion_is(x, EXCLUDED_NO_SUMMARY))
		return -1;
	for (size_t k = 0; k < (MAX_PRIORITY + 1) * n; k++) {
		const struct format *f = set->formats.items[k % n / w->n_used];
		const struct log *own = w->used[k % w->n_used];
		struct exclusion other = EXCLUSION_INIT;
		int outcome = -1;

		if (!f->whole_run ||
		    f->priority != MAX_PRIORITY - (int)(k / n) ||
		    f == own->format || strcmp(own->path, "-") == 0)
			continue;
		scanner_force(scanner, f);
		if (scanner_scan(scanner, own->path, own->shown, &log) == 0)
			outcome = measure_run(&source, &s->rule, w->arena,
			    &w->job->run->measured, &other);
		scanner_force(scanner, NULL);
		/* Copy the texts, since the log owns them. */
		if (outcome != 0 && exclusion_is(&other, EXCLUDED_FAILED))
			*x = (struct exclusion){ remark_copy(
						     &other.why, w->arena),
				remark_copy(&other.hint, w->arena) };
		log_release(&log);
		if (outcome == 0)
			add_flag(
			    w, REMARK(REMARK_TIME_OF, remark_name(f->name)));
		if (outcome == 0 || exclusion_is(x, EXCLUDED_FAILED))
			return outcome;
	}
	return -1;
}

/* True if the log is short because the run failed. Sets x to the reason why the
 * window is incomplete. */
static int
failed_short(struct work *w, struct exclusion *x)
{
	if (w->context->tails != NULL ||
	    !measure_was_shortened(&w->job->run->measured.run, w->arena, x))
		return 0;
	for (size_t i = 0; i < w->job->n_files; i++)
		if (w->logs[i].format == w->used[0]->format &&
		    log_failure(&w->logs[i].signs) != NULL)
			return 1;
	return 0;
}

/* If the number of GPUs is not stated, set it to the number of ranks: most
 * programs use one GPU per rank. In a single log they are those that print
 * steps, if their labels are 0 to n - 1.
 *
 * files_are_all  1: every rank has its file */
static void
take_ranks_seen(struct work *w, int files_are_all)
{
	struct metadata *f = &w->job->run->metadata;
	const struct log *log = w->used[0];
	const int one = w->job->n_files == 1;
	long n = one || !files_are_all ? 0 : (long)w->n_used, highest = 0;
	char *seen = xcalloc(MAX_RANKS, 1);

	for (size_t k = 0; one && k < log->samples.n; k++) {
		const int32_t rank = log->samples.items[k].rank;

		if (rank < 0 || rank >= MAX_RANKS) {
			n = 0;
			break;
		}
		highest = rank > highest ? rank : highest;
		n += !seen[rank];
		seen[rank] = 1;
	}
	free(seen);
	if (n < 2 || (one && (log->named_ranks || n != highest + 1)))
		return;
	f->gpus = n;
	if (f->nodes == RESULT_UNKNOWN && f->gpus_per_node != RESULT_UNKNOWN &&
	    n % f->gpus_per_node == 0)
		f->nodes = n / f->gpus_per_node;
	else if (f->gpus_per_node == RESULT_UNKNOWN &&
	    f->nodes != RESULT_UNKNOWN && n % f->nodes == 0)
		f->gpus_per_node = n / f->nodes;
	f->sources = arena_longer(
	    w->arena, f->sources, f->n_sources, sizeof *f->sources);
	f->sources[f->n_sources++] =
	    (struct result_pair){ "gpus", "ranks seen" };
}

/* Call measure_run with the power record of the run's first log, if any. */
static int
measure_with_power(struct work *w, struct exclusion *x)
{
	const struct log_file *file = w->job->files[0];
	struct run_source source = { w->used, w->n_used, &w->job->run->metadata,
		NULL };
	struct power_log power = { .problem = NULL };
	struct error e = ERROR_INIT;
	int own, rc;
	const char *path = file->power != FILE_POWER_NONE
	    ? power_file_find(file->path, &own, w->arena)
	    : NULL;

	if (path != NULL && power_file_read(path, &power, &e) == 0) {
		power.whole = own || w->job->alone;
		power.log_time = line_date;
		power.log = file->path;
		source.power = &power;
	} else if (path != NULL) {
		note(w, 0, path, "%s", e.message);
	}
	rc = measure_run(&source, &w->context->settings->rule, w->arena,
	    &w->job->run->measured, x);
	if (power.problem != NULL)
		note(w, 0, w->used[0]->shown, "%s", power.problem);
	power_log_release(&power);
	return rc;
}

/* Add a setting to the run, unless it already has one with this key. */
static void
add_setting(struct work *w, const char *key, const char *value)
{
	struct result_run *run = &w->job->run->measured.run;

	if (result_pair_value(run->settings, run->n_settings, key) != NULL)
		return;
	run->settings = arena_longer(
	    w->arena, run->settings, run->n_settings, sizeof *run->settings);
	run->settings[run->n_settings++] = (struct result_pair){ key, value };
}

/* Keep those of the log's metadata and settings on which the speed depends. */
static void
keep_settings(struct work *w, const struct log *log)
{
	static const char *const numbers[] = { "parameters", "hidden_size",
		"layers", "sequence_length" };
	const char *line = w->job->run->settings, *tab, *end;

	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
		if (metadata_log_number(log, numbers[i]) > 0)
			add_setting(w, numbers[i],
			    arena_printf(w->arena, "%.15g",
				metadata_log_number(log, numbers[i])));
	for (; line != NULL && *line != '\0'; line = end + 1) {
		const struct speed_setting *s;

		tab = strchr(line, '\t');
		end = strchr(line, '\n');
		s = speed_setting_find(
		    arena_strndup(w->arena, line, (size_t)(tab - line)));
		if (s != NULL && !s->always)
			add_setting(w, s->key,
			    arena_strndup(
				w->arena, tab + 3, (size_t)(end - tab - 3)));
	}
}

/* Collect the metadata of a run from --map, options, paths and its logs [n]; a
 * owns the strings of f. */
static void
collect_metadata(const struct run_job *job,
    const struct run_job_context *context, const struct log *const *logs,
    size_t n, struct arena *a, struct metadata *f)
{
	const struct settings *s = context->settings;
	const struct log_file *file = job->files[0];
	const struct {
		const char *key, *text;
		long n;
	} options[] = {
		{ "framework", s->framework, RESULT_UNKNOWN },
		{ "model", s->model, RESULT_UNKNOWN },
		{ "precision", s->precision, RESULT_UNKNOWN },
		{ "run", s->run, RESULT_UNKNOWN },
		{ "nodes", NULL, s->nodes },
		{ "gpus_per_node", NULL, s->gpus_per_node },
		{ "gpus", NULL, s->gpus },
		{ "batch_size_per_device", NULL, s->batch_size_per_device },
		{ "batch_size", NULL, s->batch_size },
		{ "sequence_length", NULL, s->sequence_length },
	};
	struct metadata_stated stated = METADATA_STATED_INIT;
	struct path_layout_match m;
	size_t i, j;

	metadata_map_state(context->map, file->where, &stated);
	for (i = 0; i < sizeof options / sizeof options[0]; i++) {
		const char *text = options[i].n == RESULT_UNKNOWN
		    ? options[i].text
		    : arena_printf(a, "%ld", options[i].n);

		if (text != NULL)
			metadata_state(
			    &stated, METADATA_OPTION, options[i].key, text, 0);
	}
	if (file->label != NULL)
		metadata_label(&stated, METADATA_OPTION, "label", file->label);
	path_layout_match(context->formats, file->where, &m);
	for (i = 0; i < m.n_metadata; i++) {
		if (m.metadata[i].is_label)
			metadata_label(&stated, METADATA_PATH,
			    m.metadata[i].key, m.metadata[i].value);
		else
			metadata_state(&stated,
			    m.metadata[i].user ? METADATA_TEMPLATE
					       : METADATA_PATH,
			    m.metadata[i].key, m.metadata[i].value, 0);
	}
	for (i = 0; i < n; i++)
		for (j = 0; j < logs[i]->n_metadata; j++) {
			const struct log_metadata *item = &logs[i]->metadata[j];

			if (strncmp(item->key, "label_", 6) == 0)
				metadata_label(&stated, METADATA_LOG,
				    item->key + 6, item->value);
			else
				metadata_state(&stated,
				    metadata_origin_of(item->voice), item->key,
				    item->value, item->line);
			if (i > 0)
				stated.items[stated.n - 1].file =
				    logs[i]->shown;
		}
	metadata_resolve(&stated, a, f);
	metadata_forget(&stated);
	path_layout_match_release(&m);
}

static void
measure_log(struct work *w, struct scanner *scanner)
{
	struct run_job *job = w->job;
	const struct settings *conf = w->context->settings;
	struct metadata *m = &job->run->metadata;
	const struct log *first = w->used[0];
	struct exclusion x = EXCLUSION_INIT;
	struct remark missing;
	int known;

	collect_metadata(job, w->context, w->used, w->n_used, w->arena, m);
	warn_conflicts(w, m);
	missing = missing_ranks(w);
	if (missing.code != REMARK_NONE)
		note(w, 0, first->shown, "%s",
		    remark_text(&missing, LANGUAGE_EN, w->arena));
	known = m->gpus != RESULT_UNKNOWN;
	if (!known)
		take_ranks_seen(w, missing.code != REMARK_RANK_MISSING);
	if (conf->follow)
		progress_look(w->used, w->n_used, m, &conf->rule, &job->live);
	if ((measure_with_power(w, &x) != 0 &&
		measure_otherwise(w, scanner, &x) != 0) ||
	    failed_short(w, &x)) {
		struct result_excluded *out =
		    exclude_file(w, first->shown, x.why);

		out->hint = remark_copy(&x.hint, w->arena);
		for (size_t i = 0; i < job->n_files; i++)
			if (w->logs[i].format == first->format)
				explain_exclusion(w, out, &w->logs[i], m);
		return;
	}
	job->counts = 1;
	job->run->where = job->below;
	job->run->source = log_file_operand(job->files[0], w->arena);
	if (first->settings != NULL)
		job->run->settings = stated_settings_text(
		    first->settings, log_first_step(first), w->arena);
	keep_settings(w, first);
	flag_conflicts(w, m);
	if (missing.code != REMARK_NONE)
		add_flag(w, missing);
	if (!known && m->gpus != RESULT_UNKNOWN)
		add_flag(w,
		    REMARK(
			REMARK_GPUS_ASSUMED, remark_number((double)m->gpus)));
	for (size_t i = 0; i < job->n_files; i++)
		job->inputs[i].used =
		    w->logs[i].format == first->format && w->logs[i].lines > 0;
}

/* Describe how the run ended according to a log. The first failure after the
 * last step counts. If all precede that step, the run may have recovered. */
static void
note_failure(struct work *w, const struct log *log)
{
	const struct log_signs *signs = &log->signs;
	const int64_t step = log_last_step(log);
	const enum language lang = language_find(NULL);
	struct log_sign sign = {
		.code = signs->last, .line = signs->last_line, .text = ""
	};

	if (signs->failure.line > step || signs->failure.line == sign.line)
		sign = signs->failure;
	if (signs->stopped > step &&
	    (sign.line <= step || sign.code != REMARK_OUT_OF_MEMORY))
		sign = (struct log_sign){ .line = signs->stopped, .text = "" };
	if (sign.line == 0 || w->job->ended ||
	    (w->job->failure != NULL && sign.line < step))
		return;
	w->job->ended = sign.line > step;
	w->job->failure = arena_printf(w->arena,
	    sign.code == REMARK_NONE
		? in_language(lang, "stopped by its user at line %lld%s%s",
		      "第 %lld 行被用户停止%s%s")
		: sign.code == REMARK_OUT_OF_MEMORY
		? in_language(lang, "out of memory at line %lld%s%s",
		      "第 %lld 行内存不足%s%s")
		: in_language(lang, "crashed at line %lld%s%s",
		      "第 %lld 行异常中止%s%s"),
	    (long long)sign.line, sign.text[0] != '\0' ? ": " : "", sign.text);
}

void
run_job_do(struct run_job *job, const struct run_job_context *context,
    struct scanner *scanner, FILE *(*turn)(void *arg), void *arg,
    struct arena *a)
{
	struct work w = { .job = job, .context = context, .arena = a };
	struct metadata m = { .framework = NULL };
	const size_t n = job->n_files;
	size_t out = 0;

	job->inputs = arena_calloc(a, n, sizeof *job->inputs);
	job->excluded = arena_calloc(a, n + 1, sizeof *job->excluded);
	job->run = arena_calloc(a, 1, sizeof *job->run);
	w.logs = xcalloc(n, sizeof *w.logs);
	w.used = xcalloc(n, sizeof *w.used);
	for (size_t i = 0; i < n; i++)
		scan_file(&w, i, scanner);
	if (w.n_used > 0)
		measure_log(&w, scanner);
	else if (job->n_excluded > 0)
		collect_metadata(job, context, NULL, 0, a, &m);
	/* Both lists are in file order. */
	for (size_t i = 0; w.n_used == 0 && i < n && out < job->n_excluded; i++)
		if (strcmp(job->files[i]->shown, job->excluded[out].path) == 0)
			explain_exclusion(
			    &w, &job->excluded[out++], &w.logs[i], &m);
	for (size_t i = 0; context->tails != NULL && i < n; i++)
		note_failure(&w, &w.logs[i]);
	if (context->settings->records != NULL && w.n_used > 0)
		records_write(w.used, w.n_used,
		    measure_step_values(w.used, w.n_used, &job->run->metadata,
			&context->settings->rule, a),
		    turn(arg));
	for (size_t i = 0; i < n; i++)
		log_release(&w.logs[i]);
	free(w.logs);
	free(w.used);
}

/* --- The list of runs ------------------------------------------------------*/

void
run_job_list_make(struct run_job_list *jobs, const struct file_list *files,
    const struct format_set *formats)
{
	struct arena a = ARENA_INIT;
	const char **keys = arena_calloc(&a, files->n_files, sizeof *keys);
	size_t *times = arena_calloc(&a, files->n_files, sizeof *times);
	struct hash_index by_key = HASH_INDEX_INIT, by_folder = HASH_INDEX_INIT;
	struct run_job *job;

	*jobs = (struct run_job_list){ .arena = ARENA_INIT };
	jobs->items = xcalloc(files->n_files, sizeof *jobs->items);
	for (size_t i = 0; i < files->n_files; i++) {
		const struct log_file *file = &files->files[i];
		size_t len;
		const char *rank = path_layout_rank(formats, file->where, &len);

		/* The path without the rank, which all files of a run share. */
		keys[jobs->n] = rank == NULL
		    ? arena_printf(&a, "%zu", i)
		    : arena_printf(&a, "%zu\n%.*s*%s", file->operand,
			  (int)(rank - file->where), file->where, rank + len);
		job = &jobs->items[hash_index_first(&by_key, keys, jobs->n)];
		if (job->n_files == 0) {
			jobs->n++;
			job->below =
			    files->n_operands == 1 && file->label == NULL
			    ? file->shown
			    : file->below;
		}
		job->files = arena_grow(
		    &jobs->arena, job->files, job->n_files, sizeof *job->files);
		job->files[job->n_files++] = file;
	}
	/* Mark jobs that are alone in a folder with a power record. */
	for (size_t i = 0; i < jobs->n; i++) {
		const char *path = jobs->items[i].files[0]->path;
		const char *slash = strrchr(path, '/');

		keys[i] = NULL;
		if (jobs->items[i].files[0]->power != FILE_POWER_FOLDER)
			continue;
		keys[i] = arena_strndup(
		    &a, path, slash != NULL ? (size_t)(slash - path) : 0);
		times[hash_index_first(&by_folder, keys, i)]++;
	}
	for (size_t i = 0; i < jobs->n; i++)
		jobs->items[i].alone = keys[i] != NULL &&
		    times[hash_index_first(&by_folder, keys, i)] == 1;
	hash_index_release(&by_key);
	hash_index_release(&by_folder);
	arena_release(&a);
}

void
run_job_list_release(struct run_job_list *jobs)
{
	free(jobs->items);
	arena_release(&jobs->arena);
	*jobs = (struct run_job_list){ .arena = ARENA_INIT };
}

const char *
run_job_title(const struct run_job *job, size_t n_operands, struct arena *a)
{
	const struct log_file *file = job->files[0];

	if (n_operands < 2)
		return file->shown;
	if (file->label == NULL)
		return file->path;
	return arena_printf(a, "%s=%s", file->label, file->path);
}

/* --- selection ------------------------------------------------------------ */

/* True if the run has this value of the key, of len bytes. */
static int
states_value(
    const struct metadata *f, const char *key, size_t len, const char *value)
{
	const struct {
		const char *key, *text;
		long count;
	} known[] = {
		{ "framework", f->framework, RESULT_UNKNOWN },
		{ "model", f->model, RESULT_UNKNOWN },
		{ "precision", f->precision, RESULT_UNKNOWN },
		{ "run", f->run, RESULT_UNKNOWN },
		{ "batch", NULL, f->batch_size_per_device },
		{ "nodes", NULL, f->nodes },
		{ "gpus", NULL, f->gpus },
		{ "gpus_per_node", NULL, f->gpus_per_node },
	};
	char number[32];

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
		snprintf(number, sizeof number, "%ld", known[i].count);
		if (strncmp(known[i].key, key, len) == 0 &&
		    known[i].key[len] == '\0')
			return known[i].count != RESULT_UNKNOWN
			    ? strcmp(number, value) == 0
			    : text_same(known[i].text, value);
	}
	for (size_t i = 0; i < f->n_labels; i++)
		if (strncmp(f->labels[i].key, key, len) == 0 &&
		    f->labels[i].key[len] == '\0')
			return strcmp(f->labels[i].value, value) == 0;
	return 0;
}

int
run_job_is_selected(struct run_job *job, const struct run_job_context *context)
{
	const struct opt_list *select = &context->settings->selection;
	struct arena arena = ARENA_INIT;
	struct metadata f = { .framework = NULL };
	int is = 1;

	if (select->n == 0)
		return 1;
	collect_metadata(job, context, NULL, 0, &arena, &f);
	for (size_t i = 0; i < select->n; i++) {
		const char *key = select->items[i];
		const size_t len = strcspn(key, "=");
		int any = 0; /* 1: the run has one of the key's values */

		for (size_t k = 0; k < select->n; k++)
			any |= strncmp(select->items[k], key, len + 1) == 0 &&
			    states_value(
				&f, key, len, select->items[k] + len + 1);
		is &= any;
	}
	arena_release(&arena);
	return is;
}
