/* The keys of a sweep file, one row each, and the parser of the file. */
#include <config.h>

#include "trainer/launch/sweep.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/program/options.h"
#include "common/text.h"
#include "trainer/graph/graph.h"
#include "trainer/launch/nodes.h"

/* --- Keys ----------------------------------------------------------------- */

int
topology_parse(const char *text, long *nodes, long *devices)
{
	char n[32], g[32];
	int end = 0;
	long a, b;

	if (sscanf(text, "%31[0-9]n%31[0-9]g%n", n, g, &end) != 2 || end == 0 ||
	    text[end] != '\0' || parse_long(n, 1, SWEEP_MAX_COUNT, &a) != 0 ||
	    parse_long(g, 1, SWEEP_MAX_COUNT, &b) != 0)
		return -1;
	*nodes = a;
	*devices = b;
	return 0;
}

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"

/* Check a value. Returns 0, or -1 with a message without a position. */
static int
check_kind(enum sweep_kind kind, const char *text, struct error *e)
{
	const size_t n = strspn(text, LETTERS);
	const char *what = "text";
	int is_good = 1;
	struct link l;
	long i, k;
	double x;

	_Static_assert(SWEEP_MAX_COUNT == 1048576, "KIND_COUNT");
	switch (kind) {
	case KIND_TEXT:
		break;
	case KIND_COUNT:
		what = "a whole number from 1 to 1048576";
		is_good = parse_long(text, 1, SWEEP_MAX_COUNT, &i) == 0;
		break;
	case KIND_NAME: /* part of a path: safe to create, easy to type */
		what = "a name: letters, digits and - _ . +, not - or . first";
		is_good = text[strspn(text, LETTERS DIGITS "-_.+")] == '\0' &&
		    text[0] != '.' && text[0] != '-';
		break;
	case KIND_PRECISION: /* part of the log's name */
		what = "a precision such as fp32, tf32, bf16, amp";
		is_good = n > 0 && text[n + strspn(text + n, DIGITS)] == '\0';
		break;
	case KIND_TOPOLOGY:
		what = "a topology such as 2n8g (nodes and devices per node)";
		is_good = topology_parse(text, &i, &k) == 0;
		break;
	case KIND_ENV:
	case KIND_LABEL:
		what = kind == KIND_ENV ? "NAME=VALUE" : "KEY=VALUE";
		is_good = text[0] != '=' && strchr(text, '=') != NULL;
		break;
	case KIND_SHARE:
		what = "auto, none or a part of a core, 1 at most";
		is_good = strcmp(text, "auto") == 0 ||
		    strcmp(text, "none") == 0 ||
		    (parse_double(text, 0, 1, &x) == 0 && x > 0);
		break;
	case KIND_NEEDS:
		what = "gpu";
		is_good = strcmp(text, what) == 0;
		break;
	case KIND_TIMEOUT:
		what = "a number of seconds, 0 or more";
		is_good = parse_double(text, 0, 1e9, &x) == 0;
		break;
	case KIND_RATE:
	case KIND_BURST:
	case KIND_DELAY:
		return link_parse(kind == KIND_RATE ? text : "none",
		    kind == KIND_BURST ? text : NULL,
		    kind == KIND_DELAY ? text : NULL, &l, e);
	}
	if (is_good)
		return 0;
	return error_set(e, ERROR_INPUT, "'%s' is not %s", text, what);
}

const struct sweep_row sweep_rows[SWEEP_KEYS] = {
	[SWEEP_NAME] = { "name", VALUES_ONE, KIND_NAME, NULL,
	    "begins a group of runs; its logs are in the folder of this "
	    "name" },
	[SWEEP_MODEL] = { "model", VALUES_MANY, KIND_NAME, NULL,
	    "models to train" },
	[SWEEP_BATCH] = { "batch", VALUES_MANY, KIND_COUNT, NULL,
	    "per-device batch sizes" },
	[SWEEP_PRECISION] = { "precision", VALUES_MANY, KIND_PRECISION, "fp32",
	    "precisions to compute in" },
	[SWEEP_TOPOLOGY] = { "topology", VALUES_MANY, KIND_TOPOLOGY, NULL,
	    "nodes and devices of each, such as 1n1g 1n8g 2n8g",
	    .alias = "shape" },
	[SWEEP_NODES] = { "nodes", VALUES_MANY, KIND_COUNT, "1",
	    "numbers of nodes, where no topology is given" },
	[SWEEP_DEVICES] = { "devices", VALUES_MANY, KIND_COUNT, "1",
	    "numbers of devices of each node, where no topology is given" },
	[SWEEP_RUNS] = { "runs", VALUES_ONE, KIND_COUNT, "5",
	    "number of runs of each combination" },
	[SWEEP_OPTIONS] = { "options", VALUES_TEMPLATE, KIND_TEXT, NULL,
	    "further options of the command" },
	[SWEEP_MORE_OPTIONS] = { "more-options", VALUES_TEMPLATE, KIND_TEXT,
	    NULL,
	    "options after those, so that a group can add to what holds "
	    "for all" },
	[SWEEP_ENV] = { "env", VALUES_TEMPLATE, KIND_ENV, NULL,
	    "NAME=VALUE, set in the environment" },
	[SWEEP_PROGRAM] = { "program", VALUES_ONE, KIND_TEXT, NULL,
	    "the train_imagenet to run; default: $TRAIN_IMAGENET, "
	    "train_imagenet in $PATH, or the one next to run_sweep" },
	[SWEEP_COMMAND] = { "command", VALUES_TEMPLATE, KIND_TEXT, NULL,
	    "command to run instead of PROGRAM -a {model} -b {batch} "
	    "--precision={precision}" },
	[SWEEP_COMPLETION_MARKER] = { "completion-marker", VALUES_ONE,
	    KIND_TEXT, NULL,
	    "how a line of each finished log begins; default: \"dlscale: "
	    "summary\", with a command of your own none",
	    .alias = "end-mark" },
	[SWEEP_TIMEOUT] = { "timeout", VALUES_ONE, KIND_TIMEOUT, "0",
	    "seconds after which a run is stopped as failed; 0: no limit",
	    .alias = "limit" },
	[SWEEP_LAUNCHER] = { "launcher", VALUES_TEMPLATE, KIND_TEXT, "auto",
	    "none, mpirun (Open MPI's or MPICH's), srun, the words of a "
	    "launcher of your own, or auto: none where the command is one "
	    "(mpirun, horovodrun; torchrun on one node), srun in a job of "
	    "Slurm, none for one device without hostfile, else mpirun; it "
	    "starts torchrun once on each node" },
	[SWEEP_LAUNCHER_OPTIONS] = { "launcher-options", VALUES_TEMPLATE,
	    KIND_TEXT, NULL, "further options of mpirun or srun" },
	[SWEEP_HOSTFILE] = { "hostfile", VALUES_ONE, KIND_TEXT, NULL,
	    "file of nodes for mpirun, needed for more than one where they "
	    "are not emulated" },
	[SWEEP_LINK] = { "link", VALUES_ONE, KIND_RATE, NULL,
	    "rate at which a node can send, such as 2.5G or 100mbit; "
	    "without hostfile and outside of Slurm the nodes are emulated "
	    "on this machine by run_on_nodes, with links of this rate "
	    "(none: unshaped)" },
	[SWEEP_LINK_BURST] = { "link-burst", VALUES_ONE, KIND_BURST, NULL,
	    "burst that an emulated node can send after a pause, such "
	    "as 64mb on cloud networks; default: 256kb" },
	[SWEEP_LINK_DELAY] = { "link-delay", VALUES_ONE, KIND_DELAY, NULL,
	    "delay of packets of an emulated node, such as 0.5ms" },
	[SWEEP_HOSTS_LINK] = { "hosts-link", VALUES_ONE, KIND_RATE, NULL,
	    "the rate to which the link of a hostfile's or Slurm's hosts "
	    "is set: only runs over that link, or without one, are made "
	    "on them" },
	[SWEEP_CORE_SHARE] = { "core-share", VALUES_ONE, KIND_SHARE, "none",
	    "part of a core that each rank of this machine gets: a "
	    "number, none (no limit), or auto, the number of cores over "
	    "the largest number of ranks of any run; such ranks are "
	    "started by run_on_nodes" },
	[SWEEP_IMAGES] = { "images", VALUES_ONE, KIND_COUNT, NULL,
	    "images of a run, of which {steps} follows" },
	[SWEEP_NEEDS] = { "needs", VALUES_MANY, KIND_NEEDS, NULL,
	    "gpu: run_experiment excludes the group where there is no "
	    "GPU" },
	[SWEEP_PREPARE] = { "prepare", VALUES_TEMPLATE, KIND_TEXT, NULL,
	    "command that makes {data}; run_experiment runs it once if "
	    "that is missing",
	    1 },
	[SWEEP_EXTRACT_OPTIONS] = { "extract-options", VALUES_TEMPLATE,
	    KIND_TEXT, NULL, "further options of extract_logs", 1 },
	[SWEEP_TABLE] = { "table", VALUES_MANY, KIND_NAME, NULL,
	    "tables of report_results to write at the end", 1 },
	[SWEEP_REPORT_OPTIONS] = { "report-options", VALUES_TEMPLATE, KIND_TEXT,
	    NULL, "further options of report_results", 1 },
	[SWEEP_CHART] = { "chart", VALUES_MANY, KIND_NAME, NULL,
	    "charts of plot_results", 1 },
	[SWEEP_PLOT_OPTIONS] = { "plot-options", VALUES_TEMPLATE, KIND_TEXT,
	    NULL, "further options of plot_results", 1 },
	[SWEEP_REFERENCE] = { "reference", VALUES_ONE, KIND_TEXT, NULL,
	    "file of the published values that the experiment repeats, "
	    "next to this file",
	    1 },
	[SWEEP_REFERENCE_CASE] = { "reference-case", VALUES_MANY, KIND_LABEL,
	    NULL, "labels KEY=VALUE that the group's cases have there" },
	[SWEEP_COMPARE] = { "compare", VALUES_MANY, KIND_NAME, NULL,
	    "quantities that are compared with them: speed, speedup, cost, "
	    "allreduces, or a column of reference values such as step",
	    1 },
	[SWEEP_WHY] = { "why", VALUES_MANY, KIND_TEXT, NULL,
	    "sentences in quotes: reasons why numbers differ from the "
	    "published ones",
	    1 },
};

static const struct {
	const char *name;
	enum sweep_condition condition;
	const char *help;
} condition_rows[] = {
	{ "cpu:", SWEEP_ON_CPU, "where there are no GPUs" },
	{ "quick:", SWEEP_QUICK, "with run_experiment --quick" },
};
enum { N_CONDITIONS = sizeof condition_rows / sizeof condition_rows[0] };

static const struct {
	const char *name, *help;
} fields[SWEEP_FIELDS] = {
	[FIELD_MODEL] = { "model", NULL },
	[FIELD_BATCH] = { "batch", "of a device" },
	[FIELD_PRECISION] = { "precision", NULL },
	[FIELD_NODES] = { "nodes", NULL },
	[FIELD_DEVICES] = { "devices", "of a node" },
	[FIELD_RANKS] = { "ranks", "all devices" },
	[FIELD_TOTAL_BATCH] = { "total_batch", "of all devices" },
	[FIELD_LR] = { "lr", "total batch / 1000" },
	[FIELD_RUN] = { "run", "from 1" },
	[FIELD_STEPS] = { "steps", "images / total batch, rounded up" },
	[FIELD_DATA] = { "data", "run_experiment's folder of images" },
	[FIELD_CHECKPOINT] = { "checkpoint",
	    "a file next to the log; with --checkpoint={checkpoint} among its "
	    "options a run that did not finish goes on from there" },
};

int
sweep_field_find(const char *text, size_t *len)
{
	const char *end = strchr(text, '}');

	*len = end != NULL ? (size_t)(end - text) + 1 : 0;
	for (int i = 0; i < SWEEP_FIELDS && end != NULL; i++) {
		if (strlen(fields[i].name) == *len - 2 &&
		    strncmp(fields[i].name, text + 1, *len - 2) == 0)
			return i;
	}
	return -1;
}

static int
is_called(const char *name, const char *text, size_t len)
{
	return name != NULL && strlen(name) == len &&
	    memcmp(name, text, len) == 0;
}

/* The key called text[0..len), or -1. */
static int
find_key(const char *text, size_t len)
{
	for (int i = 0; i < SWEEP_KEYS; i++) {
		if (is_called(sweep_rows[i].name, text, len) ||
		    is_called(sweep_rows[i].alias, text, len))
			return i;
	}
	return -1;
}

void
sweep_key_help(struct strbuf *sb)
{
	for (int i = 0; i < SWEEP_KEYS; i++) {
		const struct sweep_row *r = &sweep_rows[i];

		strbuf_printf(sb, "%s: %s", r->name, r->help);
		if (r->def != NULL)
			strbuf_printf(sb, "; default %s", r->def);
		strbuf_addstr(sb, ".\n\n");
	}
	for (int i = 0; i < N_CONDITIONS; i++)
		strbuf_printf(sb, "%s%s before a key: this value counts %s",
		    i > 0 ? "; " : "", condition_rows[i].name,
		    condition_rows[i].help);
	strbuf_addstr(sb, ".\n\n");
	strbuf_addstr(sb,
	    "Words of options, more-options, env, command, launcher and "
	    "launcher-options may hold");
	for (int i = 0; i < SWEEP_FIELDS; i++) {
		strbuf_printf(sb, "%s {%s}", i > 0 ? "," : "", fields[i].name);
		if (fields[i].help != NULL)
			strbuf_printf(sb, " (%s)", fields[i].help);
	}
	strbuf_addch(sb, '.');
}

/* --- Parser --------------------------------------------------------------- */

struct sweep_parser {
	struct sweep *s;
	struct error *e;
	struct group head;   /* settings of all groups */
	struct group *group; /* the group being read; NULL: the head */
	size_t alloc_groups;
	/* For each key since the last 'name': its line under each condition (0:
	 * not given), and the condition of the value in effect. */
	long lines[SWEEP_QUICK + 1][SWEEP_KEYS];
	unsigned level[SWEEP_KEYS];
	unsigned conditions; /* that hold */
	int key;             /* being read; -1: none yet */
	unsigned condition;  /* of the key; 0: none */
	struct word *words;  /* values so far */
	size_t n_words, alloc_words;
	struct word key_word; /* position of the key */
};

static int
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

int
sweep_error(const struct sweep *s, const struct word *at, struct error *e,
    const char *fmt, ...)
{
	const char *line = s->text;
	char message[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(message, sizeof message, fmt, ap);
	va_end(ap);
	if (at->line == 0)
		return error_set(e, ERROR_USAGE, "--set: %s", message);
	error_at(e, ERROR_INPUT, s->path, at->line, at->col, "%s", message);
	for (long i = 1; i < at->line && line != NULL; i++) {
		line = strchr(line, '\n');
		line = line != NULL ? line + 1 : NULL;
	}
	return line != NULL ? error_caret(e, line, strcspn(line, "\n"), at->col)
			    : -1;
}

/* --- Values --------------------------------------------------------------- */

/* Check value number i of a key. */
static int
check_value(const struct sweep *s, const struct sweep_row *row,
    const struct setting *v, size_t i, struct error *e)
{
	const struct word *w = &v->words[i];
	const size_t len = strlen(w->text);
	struct error why = ERROR_INIT;
	size_t n = 0;

	/* "batch 32, 64" */
	if (row->values == VALUES_MANY && len > 0 && w->text[len - 1] == ',')
		return sweep_error(s, w, e,
		    "'%s': values are separated by spaces, without ','",
		    w->text);
	/* "model : x" */
	if (i == 0 && (strcmp(w->text, ":") == 0 || strcmp(w->text, "=") == 0))
		return sweep_error(s, w, e,
		    "a key and its values are separated by spaces, without "
		    "'%s'",
		    w->text);
	if (row->values == VALUES_ONE && i > 0)
		return sweep_error(
		    s, w, e, "'%s' has one value only", row->name);
	if (check_kind(row->kind, w->text, &why) != 0)
		return sweep_error(s, w, e, "%s: %s", row->name, why.message);
	/* Every {...} of a template is a field. */
	for (const char *p = w->text;
	     row->values == VALUES_TEMPLATE && (p = strchr(p, '{')) != NULL;
	     p += n)
		if (sweep_field_find(p, &n) < 0)
			return sweep_error(s, w, e,
			    "'%.*s' is not one of {model}, {batch}, ... (see "
			    "--help)",
			    n > 0 ? (int)n : 1, p);
	if (row->values == VALUES_TEMPLATE)
		return 0;
	if (len == 0)
		return sweep_error(s, w, e, "%s: a value is empty", row->name);
	for (size_t k = 0; k < i; k++)
		if (strcmp(v->words[k].text, w->text) == 0)
			return sweep_error(s, w, e, "%s: '%s' is there twice",
			    row->name, w->text);
	return 0;
}

/* Cut text[0..len) into words and add them to p->words.
 *
 * line, col  position of text; line 0: not in the file */
static int
read_words(
    struct sweep_parser *p, const char *text, size_t len, long line, long col)
{
	/* Large enough: each word's NUL replaces the blank after it. */
	char *buf = arena_calloc(&p->s->arena, 1, len + 1);
	size_t i = 0;

	while (i < len) {
		struct word w = { buf, line, line > 0 ? col + (long)i : 0 };
		char quote = '\0';

		if (is_blank(text[i])) {
			i++;
			continue;
		}
		for (; i < len && (quote != '\0' || !is_blank(text[i])); i++) {
			if (quote == '\0' &&
			    (text[i] == '\'' || text[i] == '"'))
				quote = text[i];
			else if (text[i] == quote)
				quote = '\0';
			else
				*buf++ = text[i];
		}
		*buf++ = '\0';
		p->words = vec_grow(
		    p->words, p->n_words, &p->alloc_words, sizeof *p->words);
		p->words[p->n_words++] = w;
		if (quote != '\0')
			return sweep_error(
			    p->s, &w, p->e, "no %c ends this quote", quote);
	}
	return 0;
}

/* Move the words read so far into the sweep's arena, and check them as values
 * of a key. */
static int
take_values(
    struct sweep_parser *p, int key, const struct word *at, struct setting *v)
{
	struct word *copy =
	    arena_calloc(&p->s->arena, p->n_words + 1, sizeof *copy);

	if (p->n_words > 0)
		memcpy(copy, p->words, p->n_words * sizeof *copy);
	*v = (struct setting){ copy, p->n_words };
	p->n_words = 0;
	if (v->n == 0)
		return sweep_error(
		    p->s, at, p->e, "'%s' has no value", sweep_rows[key].name);
	for (size_t i = 0; i < v->n; i++)
		if (check_value(p->s, &sweep_rows[key], v, i, p->e) != 0)
			return -1;
	return 0;
}

/* --- Settings ------------------------------------------------------------- */

/* True if one key gives the topology and the other its nodes or devices.
 *
 * other  SWEEP_TOPOLOGY .. SWEEP_DEVICES */
static int
excludes(int key, int other)
{
	return key >= SWEEP_TOPOLOGY && key <= SWEEP_DEVICES &&
	    (key == SWEEP_TOPOLOGY) != (other == SWEEP_TOPOLOGY);
}

static void
replace_setting(struct setting *set, int key, struct setting v)
{
	set[key] = v;
	for (int other = SWEEP_TOPOLOGY; other <= SWEEP_DEVICES; other++)
		if (excludes(key, other))
			set[other] = (struct setting){ NULL, 0 };
}

/* Reject keys given twice, misplaced keys, and a topology given in two ways. */
static int
check_said(struct sweep_parser *p, int key)
{
	long *lines = p->lines[p->condition];

	if (lines[key] != 0)
		return sweep_error(p->s, &p->key_word, p->e,
		    "'%s' is given twice, first in line %ld",
		    sweep_rows[key].name, lines[key]);
	if (sweep_rows[key].is_whole && p->group != NULL)
		return sweep_error(p->s, &p->key_word, p->e,
		    "'%s' applies to all groups: put it before the first "
		    "'name'",
		    sweep_rows[key].name);
	for (int rival = SWEEP_TOPOLOGY; rival <= SWEEP_DEVICES; rival++)
		if (excludes(key, rival) && lines[rival] != 0)
			return sweep_error(p->s, &p->key_word, p->e,
			    "'%s' cannot be used with '%s' (line %ld)",
			    sweep_rows[key].name, sweep_rows[rival].name,
			    lines[rival]);
	lines[key] = p->key_word.line;
	return 0;
}

/* End a setting after its last line: apply it if it has no condition, or if its
 * condition holds and no setting with a higher condition was applied. */
static int
end_setting(struct sweep_parser *p)
{
	const int key = p->key;
	struct sweep *s = p->s;
	struct setting v;
	struct group *g;

	if (key < 0)
		return 0;
	if (take_values(p, key, &p->key_word, &v) != 0)
		return -1;
	if (key == SWEEP_NAME && p->condition != 0)
		return sweep_error(s, &p->key_word, p->e,
		    "'name' cannot depend on a condition");
	if (key == SWEEP_NAME) {
		s->groups = vec_grow(s->groups, s->n_groups, &p->alloc_groups,
		    sizeof *s->groups);
		p->group = &s->groups[s->n_groups++];
		*p->group = p->head;
		memset(p->lines, 0, sizeof p->lines);
		memset(p->level, 0, sizeof p->level);
	}
	if (check_said(p, key) != 0)
		return -1;
	g = p->group != NULL ? p->group : &p->head;
	if (p->condition == 0)
		replace_setting(g->plain, key, v);
	if ((p->condition & ~p->conditions) == 0 &&
	    p->condition >= p->level[key]) {
		replace_setting(g->set, key, v);
		p->level[key] = p->condition;
	}
	return 0;
}

/* Report text[0..len), which is not a key. Suggest the key with the longest
 * common prefix, if that is over half of the text and at least three bytes. */
static int
refuse_key(const struct sweep_parser *p, const struct word *at,
    const char *text, size_t len)
{
	const char *near = NULL;
	size_t n = 0, most = len < 6 ? 2 : len / 2;

	while (n < len && text[n] != ':' && text[n] != '=')
		n++;
	if (n < len && find_key(text, n) >= 0)
		return sweep_error(p->s, at, p->e,
		    "'%.*s': a key and its values are separated by spaces: "
		    "write '%.*s %s', without '%c'",
		    (int)n + 1, text, (int)n, text,
		    len > n + 1 && len < 80 ? "..." : "VALUE", text[n]);
	for (int i = 0; i < SWEEP_KEYS; i++) {
		const char *name = sweep_rows[i].name;
		size_t same = 0;

		while (same < len && name[same] == text[same] &&
		    text[same] != '\0')
			same++;
		if (same > most) {
			most = same;
			near = name;
		}
	}
	return sweep_error(p->s, at, p->e,
	    "'%.*s' is no key (see --help)%s%s%s", len < 80 ? (int)len : 80,
	    text, near != NULL ? "; did you mean '" : "",
	    near != NULL ? near : "", near != NULL ? "'?" : "");
}

static int
read_line(struct sweep_parser *p, const char *text, size_t len, long line)
{
	const char *key;
	size_t n = 0;

	while (n < len && is_blank(text[n]))
		n++;
	if (n == len || text[n] == '#')
		return 0;
	if (n > 0 && p->key < 0) {
		p->key_word = (struct word){ "", line, (long)n + 1 };
		return sweep_error(p->s, &p->key_word, p->e,
		    "a line that begins with a space continues a setting, but "
		    "none comes before it");
	}
	if (n > 0)
		return read_words(p, text + n, len - n, line, (long)n + 1);
	if (end_setting(p) != 0)
		return -1;
	while (n < len && !is_blank(text[n]))
		n++;
	p->key_word = (struct word){ "", line, 1 };
	p->condition = 0;
	key = text;
	for (int i = 0; i < N_CONDITIONS && p->condition == 0; i++) {
		const size_t prefix = strlen(condition_rows[i].name);

		/* "quick:" alone is a key followed by a colon. */
		if (n > prefix &&
		    strncmp(condition_rows[i].name, text, prefix) == 0) {
			p->condition = condition_rows[i].condition;
			key = text + prefix;
		}
	}
	p->key = find_key(key, (size_t)(text + n - key));
	if (p->key < 0)
		return refuse_key(
		    p, &p->key_word, key, (size_t)(text + n - key));
	return read_words(p, text + n, len - n, line, (long)n + 1);
}

/* Apply one --set to all groups. */
static int
apply_set(struct sweep_parser *p, const char *text)
{
	const size_t n = strcspn(text, "= \t");
	const struct word at = { text, 0, 0 };
	const char *values = text + n + (text[n] == '=');
	const int key = find_key(text, n);
	struct setting v = { NULL, 0 };
	struct sweep *s = p->s;

	if (key < 0)
		return refuse_key(p, &at, text, n);
	if (read_words(p, values, strlen(values), 0, 0) != 0 ||
	    (p->n_words > 0 && take_values(p, key, &at, &v) != 0))
		return -1;
	for (size_t i = 0; i < s->n_groups; i++)
		replace_setting(s->groups[i].set, key, v);
	return 0;
}

/* --- The whole ------------------------------------------------------------ */

static void
set_defaults(struct sweep *s, struct setting *set)
{
	for (int key = 0; key < SWEEP_KEYS; key++) {
		struct word *w;

		if (set[key].words != NULL || sweep_rows[key].def == NULL)
			continue;
		w = arena_calloc(&s->arena, 1, sizeof *w);
		*w = (struct word){ sweep_rows[key].def, 0, 0 };
		set[key] = (struct setting){ w, 1 };
	}
}

/* Check that a group has the required settings and known models. */
static int
check_group(const struct sweep *s, const struct group *g, struct error *e)
{
	static const int needed[] = { SWEEP_NAME, SWEEP_MODEL, SWEEP_BATCH };
	const struct setting *models = &g->set[SWEEP_MODEL];
	struct error why = ERROR_INIT;

	for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
		if (g->set[needed[i]].words == NULL)
			return sweep_error(s, &g->set[SWEEP_NAME].words[0], e,
			    "no '%s' is given for these runs",
			    sweep_rows[needed[i]].name);
	}
	for (size_t i = 0; i < models->n && g->set[SWEEP_COMMAND].words == NULL;
	     i++) {
		if (model_find(models->words[i].text, &why) == NULL)
			return sweep_error(
			    s, &models->words[i], e, "%s", why.message);
	}
	return 0;
}

int
sweep_parse(const char *path, const char *text, size_t len,
    const char *const *sets, size_t n_sets, unsigned conditions,
    struct sweep *s, struct error *e)
{
	struct sweep_parser p = {
		.s = s, .e = e, .key = -1, .conditions = conditions
	};
	long line = 1;
	int rc = 0;

	*s = (struct sweep){ .arena = ARENA_INIT };
	s->path = arena_strdup(&s->arena, path);
	s->text = arena_strndup(&s->arena, text, len);
	if (memchr(text, '\0', len) != NULL)
		rc = error_set(e, ERROR_INPUT, "%s: not a text file", path);
	for (const char *at = s->text; rc == 0 && *at != '\0'; line++) {
		const size_t n = strcspn(at, "\n");

		rc = read_line(&p, at, n, line);
		at += n + (at[n] == '\n');
	}
	if (rc == 0)
		rc = end_setting(&p);
	if (rc == 0 && s->n_groups == 0)
		rc = error_at(e, ERROR_INPUT, path, line, 0,
		    "no 'name': the runs have no folder");
	for (size_t i = 0; i < n_sets && rc == 0; i++)
		rc = apply_set(&p, sets[i]);
	for (size_t i = 0; i < s->n_groups && rc == 0; i++)
		rc = check_group(s, &s->groups[i], e);
	free(p.words);
	for (size_t i = 0; i < s->n_groups && rc == 0; i++) {
		set_defaults(s, s->groups[i].set);
		set_defaults(s, s->groups[i].plain);
	}
	if (rc != 0)
		sweep_release(s);
	return rc;
}

int
sweep_read(const char *path, const char *const *sets, size_t n_sets,
    unsigned conditions, struct sweep *s, struct error *e)
{
	const int is_stdin = strcmp(path, "-") == 0;
	FILE *f = is_stdin ? stdin : fopen(path, "r");
	char *text;
	size_t n;
	int rc;

	if (f == NULL)
		return error_errno(e, errno, "cannot open '%s'", path);
	text = xmalloc(SWEEP_MAX_BYTES + 1);
	n = fread(text, 1, SWEEP_MAX_BYTES + 1, f);
	if (is_stdin)
		path = "stdin";
	if (ferror(f))
		rc = error_errno(e, errno, "cannot read '%s'", path);
	else if (n > SWEEP_MAX_BYTES)
		rc = error_set(e, ERROR_LIMIT, "%s: longer than %d bytes", path,
		    SWEEP_MAX_BYTES);
	else
		rc = sweep_parse(path, text, n, sets, n_sets, conditions, s, e);
	if (!is_stdin)
		fclose(f);
	free(text);
	return rc;
}

void
sweep_release(struct sweep *s)
{
	free(s->groups);
	arena_release(&s->arena);
	*s = (struct sweep){ .arena = ARENA_INIT };
}
