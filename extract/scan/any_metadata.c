/* Metadata independent of the log's format: lines matched by metadata files,
 * and the commands that started the run. */
#include <config.h>

#include <stdlib.h>

#include <ctype.h>
#include <string.h>
#include <sys/stat.h>

#include "common/alloc.h"
#include "common/files/files.h"
#include "extract/log/words.h"
#include "extract/scan/scanner_state.h"

enum {
	MAX_BYTES = 16 << 20, /* size of a file beside the log */
	MAX_PARTS = 64,       /* parts of it searched for a log */
	MAX_METADATA = 8192,  /* maximum per log */
	MAX_VALUES = 3        /* maximum different values of a count */
};

int
scanner_is_placeholder(const char *text, size_t len)
{
	static const char word[] = "PLACEHOLDER";

	return (text[0] == '%' && len <= 6) || text[0] == '{' ||
	    text[0] == '$' || (text[0] == '<' && text[len - 1] == '>') ||
	    memmem(text, len, word, sizeof word - 1) != NULL;
}

size_t
scanner_metadata_place(
    struct log *log, size_t n, const struct log_metadata *item)
{
	for (size_t i = 0; i < n && i < log->n_metadata; i++) {
		struct log_metadata *x = &log->metadata[i];

		if (strcmp(x->key, item->key) != 0)
			continue;
		if (x->line == 0 && item->line > 0)
			*x = *item;
		if (strcmp(x->value, item->value) == 0)
			return i;
	}
	return HASH_INDEX_NONE;
}

int
scanner_append_metadata(struct log *log, const struct log_metadata *item)
{
	if (log->n_metadata == MAX_METADATA)
		return 0;
	log->metadata = vec_grow(log->metadata, log->n_metadata,
	    &log->alloc_metadata, sizeof *log->metadata);
	log->metadata[log->n_metadata++] = *item;
	return 1;
}

/* Counts, for which all statements are compared. */
static const char counts[] =
    "nodes|gpus_per_node|gpus|world_size|batch_size|batch_size_per_device";

/* Keep the first item of each key and voice; for counts also other values, as
 * contradictions; for job_ keys the last item. */
static void
keep_any_metadata(struct scanner *s, const char *key, char *value)
{
	const struct log_metadata item = { key, value, s->now.line,
		s->now.any_voice };
	const int last = strncmp(key, "job_", 4) == 0;
	size_t n = 0;

	for (size_t i = 0; i < s->now.n_any; i++) {
		struct log_metadata *x = &s->now.any[i];

		if (strcmp(x->key, key) != 0)
			continue;
		if (last) {
			x->value = value;
			x->line = item.line;
			return;
		}
		if (x->voice != item.voice)
			continue;
		if (strcmp(x->value, value) == 0)
			return;
		n++;
	}
	if (s->now.n_any < SCANNER_MAX_ANY_METADATA &&
	    n < (words_fit(counts, WORDS_ALL, key) ? MAX_VALUES : 1))
		s->now.any[s->now.n_any++] = item;
}

static void
emit_any_metadata(void *arg, const struct match *match)
{
	struct scanner *s = arg;
	const struct pattern *p = match->pattern;
	const struct log *log = s->now.log;
	int applies = p->only == NULL; /* to the framework of the log */

	s->now.metadata_met = 1;
	for (size_t i = 0; i < log->n_metadata && !applies; i++)
		applies = strcmp(log->metadata[i].key, "framework") == 0 &&
		    words_fit(p->only, WORDS_ALL, log->metadata[i].value);
	if (!applies)
		return;
	for (size_t i = 0; i < p->n_captures; i++) {
		const struct capture *c = &p->captures[i];
		size_t len;
		const char *text = match_text(match, c, &len);

		if (text != NULL && len > 0 &&
		    !scanner_is_placeholder(text, len))
			keep_any_metadata(s, c->name,
			    arena_strndup(&s->now.log->arena, text, len));
	}
	for (size_t i = 0; i < p->n_gives; i++)
		keep_any_metadata(s, p->gives[i].key,
		    arena_strdup(&s->now.log->arena, p->gives[i].value));
}

/* --- Commands --------------------------------------------------------------*/

/* Likelihood that a command starts the training, by its name, then by whether
 * it states several GPUs. */
static int
launch_likelihood(const struct launch_command *c)
{
	return 2 * (int)c->task +
	    (c->numbers[LAUNCH_GPUS] > 1 ||
		c->numbers[LAUNCH_GPUS_PER_NODE] > 1);
}

/* Keep the most likely command of each kind. If several are equally likely,
 * keep the last before the first step. */
static void
keep_launch(struct scanner *s, const struct launch_command *c)
{
	struct launches *l = &s->now.launches[c->kind];
	const struct launch x = { *c, s->now.line };
	const int more = launch_likelihood(c) -
	    (l->best.line > 0 ? launch_likelihood(&l->best.command) : -1);
	const int later = s->now.log->samples.n > 0;
	const long *own = c->numbers, *best = l->best.command.numbers;
	int stated = 0, contradicts = 0;

	for (size_t i = 0; i < N_LAUNCH_NUMBERS; i++) {
		stated |= own[i] > 0;
		contradicts |= i <= LAUNCH_GPUS_PER_NODE && own[i] > 0 &&
		    best[i] > 0 && own[i] != best[i];
	}
	if (c->task == LAUNCH_HELPER ||
	    (!stated && (c->task != LAUNCH_TRAINING || c->kind != LAUNCH_JOB)))
		return;
	if (more > 0) {
		l->best = x;
		l->other.line = 0;
	} else if (more == 0 && memcmp(own, best, sizeof c->numbers) != 0) {
		if (contradicts && l->other.line == 0)
			l->other = later ? x : l->best;
		if (!later)
			l->best = x;
	}
}

/* Metadata files that may match a line. */
struct metadata_look {
	unsigned char asked[FORMAT_MAX_FORMATS]; /* 1: by index in the set */
	int digits; /* 1: a candidate pattern distinguishes digits */
};

static void
note_metadata(void *arg, size_t format, const struct pattern *p)
{
	struct metadata_look *look = arg;

	look->asked[format] = 1;
	look->digits |= !p->digit_insensitive;
}

int
scanner_look_for_metadata(struct scanner *s, const char *text, size_t len)
{
	struct launch_command launches[LAUNCH_COMMAND_NESTED];
	struct metadata_look look;
	size_t n;

	memset(look.asked, 0, s->set->metadata.n);
	look.digits = 0;
	literal_index_find(
	    s->metadata_literals, text, len, note_metadata, &look);
	s->now.metadata_met = 0;
	matcher_share_work(
	    s->matcher, &s->now.metadata_work, SCAN_METADATA_LINE_WORK);
	for (size_t i = 0; i < s->set->metadata.n; i++) {
		const struct format *f = s->set->metadata.items[i];

		if (!look.asked[i] ||
		    s->now.beside != (f->beside != NULL ? f : NULL))
			continue;
		s->now.any_voice = f->voice;
		matcher_line(s->matcher, f, FIELD_NAME_IN(ROLE_METADATA), text,
		    len, emit_any_metadata, s);
	}
	matcher_share_work(s->matcher, NULL, FORMAT_LINE_WORK);
	n = launch_command_read(text, len, launches);
	for (size_t i = 0; i < n; i++)
		keep_launch(s, &launches[i]);
	if (n > 0 || s->now.metadata_met)
		return 1;
	return look.digits ? 0 : -1;
}

/* --- Files beside the log -------------------------------------------------*/

/* Replace {...} of a text by parts of a path. NULL if the path has none. */
static const char *
fill_in(struct arena *a, const char *text, const char *path)
{
	const char *open = strchr(text, '{'), *from, *to, *rest, *best;
	char *end;
	long n;

	if (open == NULL)
		return text;
	/* The n-th component from the end of the path. */
	n = strtol(open + 1, &end, 10);
	from = path + strlen(path) + 1;
	for (to = from; n > 0 && from > path; n--)
		for (to = from - 1, from = to; from > path && from[-1] != '/';)
			from--;
	if (n != 0 || from == to)
		return NULL;
	best = from;
	/* "{N#}": the longest number in that component. */
	if (*end == '#') {
		size_t most = 0;

		for (const char *at = from; at < to; at++) {
			const char *digits = at;

			while (at < to && isdigit((unsigned char)*at))
				at++;
			if ((size_t)(at - digits) > most) {
				most = (size_t)(at - digits);
				best = digits;
			}
		}
		for (; most > 1 && *best == '0'; best++)
			most--;
		from = best;
		to = best + most;
	}
	rest = strchr(end, '}');
	rest = rest != NULL ? fill_in(a, rest + 1, path) : NULL;
	return rest == NULL ? NULL
			    : arena_printf(a, "%.*s%.*s%s", (int)(open - text),
				  text, (int)(to - from), from, rest);
}

/* Search the records of a text. */
static void
look_at_records(struct scanner *s, const struct format *f, char *text)
{
	const char *mark = f->record != NULL ? f->record : "\n";
	char *end;

	for (; text != NULL && *text != '\0';
	     text = end != NULL ? end + strlen(mark) : NULL) {
		end = strstr(text, mark);
		if (end != NULL)
			*end = '\0';
		for (char *at = text; *at != '\0'; at++)
			*at = *at == '\n' ? ' ' : *at;
		scanner_look_for_metadata(s, text, strlen(text));
	}
}

/* Search the part of a text that begins with `filled`, up to the start of the
 * next part; then the parts that it names as its parents.
 *
 * left  number of parts that may still be searched */
static void
look_at_part(struct scanner *s, const struct format *f, const char *text,
    const char *filled, int *left)
{
	struct arena *a = &s->now.log->arena;
	const char *start = arena_strndup(a, f->part, strcspn(f->part, "{"));
	const char *rest = strchr(f->part, '}'), *end;
	const char *from = filled != NULL ? strstr(text, filled) : NULL;
	char *part, *parents, *name;

	if (from == NULL || (*left)-- == 0)
		return;
	end = strstr(from + strlen(filled), start);
	part = end != NULL ? arena_strndup(a, from, (size_t)(end - from))
			   : arena_strdup(a, from);
	parents = f->parents != NULL ? strstr(part, f->parents) : NULL;
	parents = parents != NULL
	    ? arena_strdup(a, parents + strlen(f->parents))
	    : NULL;
	look_at_records(s, f, part);
	if (parents != NULL)
		parents[strcspn(parents, "<")] = '\0';
	while ((name = strsep(&parents, ", ")) != NULL)
		if (*name != '\0')
			look_at_part(s, f, text,
			    arena_printf(a, "%s%s%s", start, name,
				rest != NULL ? rest + 1 : ""),
			    left);
}

void
scanner_look_beside(struct scanner *s)
{
	struct log *log = s->now.log;
	const char *slash = strrchr(log->path, '/');
	const int64_t line = s->now.line;

	s->now.line = 0; /* the log itself does not state it */
	for (size_t i = 0; i < s->set->metadata.n; i++) {
		const struct format *f = s->set->metadata.items[i];
		struct arena *a = &log->arena;
		const char *name =
		    f->beside != NULL ? fill_in(a, f->beside, log->path) : NULL;
		struct error e;
		struct stat st;
		int left = MAX_PARTS;
		char *text;
		size_t len;

		if (name == NULL)
			continue;
		name = arena_printf(a, "%.*s%s",
		    slash != NULL ? (int)(slash - log->path) + 1 : 0, log->path,
		    name);
		if (stat(name, &st) != 0 || !S_ISREG(st.st_mode) ||
		    st.st_size > MAX_BYTES ||
		    (text = read_whole_file(name, &len, &e)) == NULL)
			continue;
		s->now.beside = f;
		if (f->part != NULL)
			look_at_part(
			    s, f, text, fill_in(a, f->part, log->path), &left);
		else
			look_at_records(s, f, text);
		free(text);
	}
	s->now.beside = NULL;
	s->now.line = line;
}

/* --- At the end ------------------------------------------------------------*/

static void
add_number(struct scanner *s, const char *key, long n, int64_t line,
    enum log_voice voice)
{
	if (n > 0)
		scanner_append_metadata(s->now.log,
		    &(struct log_metadata){ key,
			arena_printf(&s->now.log->arena, "%ld", n), line,
			voice });
}

/* Add the first n counts of a launch: nodes, GPUs, GPUs per node. */
static void
add_counts(
    struct scanner *s, const struct launches *l, int n, enum log_voice voice)
{
	static const char *const keys[] = { "nodes", "gpus", "gpus_per_node" };
	const long *best = l->best.command.numbers;

	for (int i = 0; l->best.line > 0 && i < n; i++)
		add_number(s, keys[i], best[i], l->best.line, voice);
	for (int i = 0; l->other.line > 0 && i < n; i++)
		if (best[i] > 0)
			add_number(s, keys[i], l->other.command.numbers[i],
			    l->other.line, voice);
}

/* A launcher of one process per device states the number of devices. The job
 * launcher that starts it on each node then states only the nodes. */
static void
add_launches(struct scanner *s, int launched)
{
	static const char *const keys[N_LAUNCH_NUMBERS] = {
		[LAUNCH_GLOBAL_BATCH] = "batch_size",
		[LAUNCH_DEVICE_BATCH] = "batch_size_per_device",
		[LAUNCH_MICRO_BATCH] = "micro_batch_size",
		[LAUNCH_ACCUMULATION] = "accumulation",
		[LAUNCH_MODEL_PARALLEL] = "model_parallel",
	};
	const struct launches *l = s->now.launches;
	const struct launches *devices = &l[LAUNCH_DEVICES];
	const struct launches *program = &l[LAUNCH_PROGRAM];
	const int two = devices->best.line > 0;
	struct launches alone = *program;

	alone.other.line = 0;
	add_counts(s, devices, 3, LOG_LAUNCHER);
	add_counts(
	    s, &l[LAUNCH_JOB], two ? 1 : 3, two ? LOG_JOB : LOG_LAUNCHER);
	add_counts(s, &alone, 3, LOG_JOB);
	if (devices->best.command.alone)
		add_number(s, "nodes", 1, devices->best.line, LOG_GUESS);
	else if (program->best.command.alone && !launched)
		add_number(s, "nodes", 1, program->best.line, LOG_GUESS);
	for (int k = N_LAUNCH_KINDS; k-- > 0;) {
		const struct launch *x = &l[k].best;
		const long *numbers = x->command.numbers;

		for (size_t i = LAUNCH_GLOBAL_BATCH; i < N_LAUNCH_NUMBERS; i++)
			add_number(
			    s, keys[i], numbers[i], x->line, LOG_LAUNCHER);
		add_number(s, launched ? "batch_size_per_device" : "batch_size",
		    numbers[LAUNCH_BATCH], x->line, LOG_GUESS);
	}
}

static int
has_world(const struct log_metadata *all, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(all[i].key, "world_size") == 0 &&
		    strtol(all[i].value, NULL, 10) > 1)
			return 1;
	return 0;
}

void
scanner_add_any_metadata(struct scanner *s)
{
	struct log *log = s->now.log;
	/* The training has several processes, each of which usually has its own
	 * batch. */
	const int launched = s->now.launches[LAUNCH_JOB].best.line > 0 ||
	    s->now.launches[LAUNCH_DEVICES].best.line > 0 ||
	    has_world(s->now.any, s->now.n_any) ||
	    has_world(log->metadata, log->n_metadata);

	for (size_t i = 0; i < s->now.n_any; i++) {
		struct log_metadata item = s->now.any[i];
		int stated = 0; /* 1: the log itself states the key */

		if (launched && item.voice == LOG_GUESS &&
		    strcmp(item.key, "batch_size") == 0)
			item.key = "batch_size_per_device";
		for (size_t k = 0; k < log->n_metadata; k++)
			stated |= log->metadata[k].line > 0 &&
			    log->metadata[k].voice == LOG_PROGRAM &&
			    strcmp(log->metadata[k].key, item.key) == 0;
		if (stated && !words_fit(counts, WORDS_ALL, item.key))
			continue;
		/* Avoid duplicates: the log may be a view of one that still
		 * grows. */
		if (scanner_metadata_place(log, SIZE_MAX, &item) ==
		    HASH_INDEX_NONE)
			scanner_append_metadata(log, &item);
	}
	add_launches(s, launched);
}
