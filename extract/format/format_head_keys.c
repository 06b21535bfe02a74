/* The keys of a format file that stand once, most of them in its head: what it
 * is called, and what the values of its lines mean.  format_parse.c calls the
 * rows; patterns and samples have format_pattern_keys.c. */
#include <config.h>

#include "extract/format/format_parser.h"

#include <string.h>

#include "common/alloc.h"
#include "common/text.h"

static int
read_format_name(struct format_parser *p, struct file_span v)
{
	struct file_span at = v;
	const char *name = parser_name(p, &v, "the file");

	if (name == NULL)
		return -1;
	if (v.len > 0)
		return SPAN_ERROR(p, v, "nothing may follow the name");
	if (strcmp(name, p->want_name) != 0)
		return SPAN_ERROR(p, at,
		    "the file calls itself '%s', but its "
		    "file name is '%s'",
		    name, p->want_name);
	p->f->name = name;
	return 0;
}

static int
read_description(struct format_parser *p, struct file_span v)
{
	p->f->description = parser_dup(p, v);
	return 0;
}

static int
read_url(struct format_parser *p, struct file_span v)
{
	p->f->url = parser_dup(p, v);
	return 0;
}

static int
read_whole(
    struct format_parser *p, struct file_span v, long min, long max, long *out)
{
	if (parse_long(parser_dup(p, v), min, max, out) != 0)
		return SPAN_ERROR(p, v,
		    "'%.*s' is not a whole number from %ld "
		    "to %ld",
		    (int)v.len, v.s, min, max);
	return 0;
}

static int
read_priority(struct format_parser *p, struct file_span v)
{
	long x;

	if (read_whole(p, v, 0, 100, &x) != 0)
		return -1;
	p->f->priority = (int)x;
	return 0;
}

static int
read_generic(struct format_parser *p, struct file_span v)
{
	return parser_yes(p, v, &p->f->generic);
}

static int
read_voice(struct format_parser *p, struct file_span v)
{
	/* In the order of enum log_voice. */
	static const char *const choices[] = { "program", "launcher", "job",
		"machine", "guess", NULL };
	const int i = parser_choice(p, v, choices);

	if (i < 0)
		return -1;
	p->f->voice = (enum log_voice)i;
	return 0;
}

static int
read_whole_run(struct format_parser *p, struct file_span v)
{
	return parser_yes(p, v, &p->f->whole_run);
}

static int
read_timeline(struct format_parser *p, struct file_span v)
{
	int yes;

	if (parser_yes(p, v, &yes) != 0)
		return -1;
	p->f->events = yes ? EVENTS_HOROVOD : EVENTS_NONE;
	return 0;
}

static int
read_trials(struct format_parser *p, struct file_span v)
{
	return parser_yes(p, v, &p->f->meaning.trials);
}

static int
read_echo(struct format_parser *p, struct file_span v)
{
	/* In the order of enum echo. */
	static const char *const choices[] = { "no", "yes", "bar", NULL };

	const int i = parser_choice(p, v, choices);

	if (i < 0)
		return -1;
	p->f->echo = (enum echo)i;
	return 0;
}

/* "files GLOB GLOB": names of files to look into. */
static int
read_files(struct format_parser *p, struct file_span v)
{
	struct format *f = p->f;

	/* At most every other byte begins a word. */
	f->files = arena_calloc(p->arena, v.len / 2 + 1, sizeof *f->files);
	while (v.len > 0) {
		struct file_span w = file_span_word(&v);

		if (w.s[0] == '*' && w.len < 8)
			return SPAN_ERROR(p, w,
			    "'%.*s' would take in too many files", (int)w.len,
			    w.s);
		f->files[f->n_files++] = parser_dup(p, w);
		file_span_skip_blanks(&v);
	}
	return 0;
}

static int
read_kind(struct format_parser *p, struct file_span v)
{
	/* In the order of enum value_kind. */
	static const char *const choices[] = { "step-time", "rate", "stamp",
		"elapsed", NULL };
	int i = parser_choice(p, v, choices);

	if (i < 0)
		return -1;
	p->f->meaning.kind = (enum value_kind)i;
	return 0;
}

static int
read_statistic(struct format_parser *p, struct file_span v)
{
	/* In the order of enum value_statistic. */
	static const char *const choices[] = { "instant", "window-mean",
		"cumulative-mean", NULL };
	int i = parser_choice(p, v, choices);

	if (i < 0)
		return -1;
	p->f->meaning.statistic = (enum value_statistic)i;
	return 0;
}

static int
read_scope(struct format_parser *p, struct file_span v)
{
	/* In the order of enum value_scope. */
	static const char *const choices[] = { "global", "node", "device",
		"ranks", "unknown", NULL };
	int i = parser_choice(p, v, choices);

	if (i < 0)
		return -1;
	p->f->meaning.scope = (enum value_scope)i;
	return 0;
}

static const char *const units[] = { "s", "samples/s", "images/s",
	"sequences/s", "examples/s", "tokens/s", "items/s", "iterations/s",
	"GB/s", NULL };

static int
read_unit(struct format_parser *p, struct file_span v)
{
	int i = parser_choice(p, v, units);

	if (i < 0)
		return -1;
	p->f->meaning.unit = units[i];
	return 0;
}

static int
read_throughput(struct format_parser *p, struct file_span v)
{
	int i = parser_choice(p, v, units + 1);

	if (i < 0)
		return -1;
	p->f->meaning.throughput = units[i + 1];
	return 0;
}

static int
read_base(struct format_parser *p, struct file_span v)
{
	static const char *const choices[] = { "0", "1", "auto", NULL };
	int i = parser_choice(p, v, choices);

	if (i < 0)
		return -1;
	p->f->meaning.base = i == 2 ? BASE_AUTO : i;
	return 0;
}

static int
read_window(struct format_parser *p, struct file_span v)
{
	if (file_span_is(v, "distance")) {
		p->f->meaning.window = 0;
		return 0;
	}
	return read_whole(p, v, 1, 1000000, &p->f->meaning.window);
}

static int
read_mean_start(struct format_parser *p, struct file_span v)
{
	return read_whole(p, v, 1, 1000000, &p->f->meaning.mean_start);
}

static int
read_rule(struct format_parser *p, struct file_span v)
{
	static const char *const choices[] = { "window", "all", "summary",
		NULL };
	int i = parser_choice(p, v, choices);

	if (i < 0)
		return -1;
	p->f->meaning.rule = choices[i];
	return 0;
}

static int
read_iterations(struct format_parser *p, struct file_span v)
{
	static const char *const choices[] = { "per-epoch", "run-on", NULL };

	return parser_choose(p, v, choices, &p->f->meaning.iter_global);
}

static int
read_set(struct format_parser *p, struct file_span v)
{
	struct given g;

	if (parser_given(p, v, ROLE_METADATA, &g) != 0)
		return -1;
	p->gives = vec_grow(p->gives, p->n_gives, &p->alloc_gives, sizeof g);
	p->gives[p->n_gives++] = g;
	return 0;
}

const struct format_key format_head_keys[] = {
	{ "name", KEY_IN_ALL, read_format_name, 1, N_ROLES, 0 },
	{ "description", KEY_IN_ALL, read_description, 1, N_ROLES, 0 },
	{ "url", KEY_IN_ALL, read_url, 1, N_ROLES, 0 },
	{ "priority", KEY_IN_FORMAT | KEY_IN_LAYOUT, read_priority, 1, N_ROLES,
	    0 },
	{ "generic", KEY_IN_FORMAT, read_generic, 1, N_ROLES, 0 },
	{ "voice", KEY_IN_METADATA, read_voice, 1, N_ROLES, 0 },
	{ "whole-run", KEY_IN_FORMAT, read_whole_run, 1, N_ROLES, 0 },
	{ "timeline", KEY_IN_FORMAT, read_timeline, 1, N_ROLES, 0 },
	{ "trials", KEY_IN_FORMAT, read_trials, 1, N_ROLES, 0 },
	{ "echo", KEY_IN_FORMAT, read_echo, 1, N_ROLES, 0 },
	{ "files", KEY_IN_FORMAT, read_files, 1, N_ROLES, 0 },
	{ "kind", KEY_IN_FORMAT, read_kind, 1, N_ROLES, 0 },
	{ "statistic", KEY_IN_FORMAT, read_statistic, 1, N_ROLES, 0 },
	{ "scope", KEY_IN_FORMAT, read_scope, 1, N_ROLES, 0 },
	{ "unit", KEY_IN_FORMAT, read_unit, 1, N_ROLES, 0 },
	{ "throughput", KEY_IN_FORMAT, read_throughput, 1, N_ROLES, 0 },
	{ "base", KEY_IN_FORMAT, read_base, 1, N_ROLES, 0 },
	{ "window", KEY_IN_FORMAT, read_window, 1, N_ROLES, 0 },
	{ "mean-start", KEY_IN_FORMAT, read_mean_start, 1, N_ROLES, 0 },
	{ "rule", KEY_IN_FORMAT, read_rule, 1, N_ROLES, 0 },
	{ "iterations", KEY_IN_FORMAT, read_iterations, 1, N_ROLES, 0 },
	{ "set", KEY_IN_FORMAT, read_set, 0, N_ROLES, 0 },
};
const size_t n_format_head_keys =
    sizeof format_head_keys / sizeof format_head_keys[0];
