/* The keys of a format file that stand once, most of them in its head: what it
 * is called, and what the values of its lines mean. */
#include <config.h>

#include "extract/format/format_parser.h"

#include <stddef.h>
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

static const char *const units[] = { "s", "samples/s", "images/s",
	"sequences/s", "examples/s", "tokens/s", "items/s", "iterations/s",
	"GB/s", NULL };

static int
read_unit(struct format_parser *p, struct file_span v)
{
	const int i = parser_choice(p, v, units);

	p->f->meaning.unit = i >= 0 ? units[i] : NULL;
	return i >= 0 ? 0 : -1;
}

static int
read_throughput(struct format_parser *p, struct file_span v)
{
	const int i = parser_choice(p, v, units + 1);

	p->f->meaning.throughput = i >= 0 ? units[i + 1] : NULL;
	return i >= 0 ? 0 : -1;
}

static int
read_base(struct format_parser *p, struct file_span v)
{
	static const char *const choices[] = { "0", "1", "auto", NULL };
	const int i = parser_choice(p, v, choices);

	p->f->meaning.base = i == 2 ? BASE_AUTO : i;
	return i >= 0 ? 0 : -1;
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
read_set(struct format_parser *p, struct file_span v)
{
	struct given g;

	if (parser_given(p, v, ROLE_METADATA, &g) != 0)
		return -1;
	p->gives = vec_grow(p->gives, p->n_gives, &p->alloc_gives, sizeof g);
	p->gives[p->n_gives++] = g;
	return 0;
}

/* Words in the order of the enum that they stand for; the first is 0. */
static const char *const yes_no[] = { "no", "yes", NULL };
static const char *const voices[] = { "program", "launcher", "job", "machine",
	"guess", NULL };
static const char *const echoes[] = { "no", "yes", "bar", NULL };
static const char *const kinds[] = { "step-time", "rate", "stamp", "elapsed",
	NULL };
static const char *const statistics[] = { "instant", "window-mean",
	"cumulative-mean", NULL };
static const char *const scopes[] = { "global", "node", "device", "ranks",
	"unknown", NULL };
static const char *const numberings[] = { "per-epoch", "run-on", NULL };

#define CHOICE(name, files, words, member) \
	{ \
		name, files, NULL, 1, N_ROLES, 0, words, \
		    offsetof(struct format, member) \
	}
#define KEY(name, files, read) \
	{ \
		name, files, read, 1, N_ROLES, 0, NULL, 0 \
	}

const struct format_key format_head_keys[] = {
	KEY("name", KEY_IN_ALL, read_format_name),
	KEY("description", KEY_IN_ALL, read_description),
	KEY("url", KEY_IN_ALL, read_url),
	KEY("priority", KEY_IN_FORMAT | KEY_IN_LAYOUT, read_priority),
	CHOICE("generic", KEY_IN_FORMAT, yes_no, generic),
	CHOICE("voice", KEY_IN_METADATA, voices, voice),
	CHOICE("whole-run", KEY_IN_FORMAT, yes_no, whole_run),
	CHOICE("timeline", KEY_IN_FORMAT, yes_no, events),
	CHOICE("trials", KEY_IN_FORMAT, yes_no, meaning.trials),
	CHOICE("echo", KEY_IN_FORMAT, echoes, echo),
	KEY("files", KEY_IN_FORMAT, read_files),
	CHOICE("kind", KEY_IN_FORMAT, kinds, meaning.kind),
	CHOICE("statistic", KEY_IN_FORMAT, statistics, meaning.statistic),
	CHOICE("scope", KEY_IN_FORMAT, scopes, meaning.scope),
	KEY("unit", KEY_IN_FORMAT, read_unit),
	KEY("throughput", KEY_IN_FORMAT, read_throughput),
	KEY("base", KEY_IN_FORMAT, read_base),
	KEY("window", KEY_IN_FORMAT, read_window),
	KEY("mean-start", KEY_IN_FORMAT, read_mean_start),
	KEY("rule", KEY_IN_FORMAT, read_rule),
	CHOICE("iterations", KEY_IN_FORMAT, numberings, meaning.iter_global),
	{ "set", KEY_IN_FORMAT, read_set, 0, N_ROLES, 0, NULL, 0 },
};
const size_t n_format_head_keys =
    sizeof format_head_keys / sizeof format_head_keys[0];
