/* The keys of a sweep file, one row each. */
#include <config.h>

#include "trainer/launch/sweep.h"

#include <stdio.h>
#include <string.h>

#include "common/text.h"
#include "trainer/graph/model.h"
#include "trainer/launch/nodes.h"

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

static int
check_count(const char *text, struct error *e)
{
	long x;

	if (parse_long(text, 1, SWEEP_MAX_COUNT, &x) == 0)
		return 0;
	return error_set(e, ERROR_INPUT,
	    "'%s' is not a whole number from 1 to %d", text, SWEEP_MAX_COUNT);
}

/* Check a part of a path: safe to create and easy to type. */
static int
check_name(const char *text, struct error *e)
{
	const size_t n = strspn(text,
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	    "0123456789-_.+");

	if (text[n] == '\0' && text[0] != '.' && text[0] != '-')
		return 0;
	return error_set(e, ERROR_INPUT,
	    "'%s' is no name: letters, digits and - _ . +, not - or . first",
	    text);
}

/* Check a precision, which is a part of the log's name. */
static int
check_precision(const char *text, struct error *e)
{
	const size_t letters = strspn(
	    text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
	const size_t digits = strspn(text + letters, "0123456789");

	if (letters > 0 && text[letters + digits] == '\0')
		return 0;
	return error_set(e, ERROR_INPUT,
	    "'%s' is no precision such as fp32, tf32, bf16, amp", text);
}

static int
check_topology(const char *text, struct error *e)
{
	long nodes, devices;

	if (topology_parse(text, &nodes, &devices) == 0)
		return 0;
	return error_set(e, ERROR_INPUT,
	    "'%s' is no topology such as 2n8g: nodes and devices of each",
	    text);
}

/* Check the form "A=B"; the message quotes `form`. */
static int
check_pair(const char *text, const char *form, struct error *e)
{
	const char *equals = strchr(text, '=');

	if (equals != NULL && equals > text)
		return 0;
	return error_set(e, ERROR_INPUT, "'%s' is not %s", text, form);
}

static int
check_env(const char *text, struct error *e)
{
	return check_pair(text, "NAME=VALUE", e);
}

static int
check_label(const char *text, struct error *e)
{
	return check_pair(text, "KEY=VALUE", e);
}

static int
check_rate(const char *text, struct error *e)
{
	struct link l;

	return link_parse(text, NULL, NULL, &l, e);
}

static int
check_burst(const char *text, struct error *e)
{
	struct link l;

	return link_parse("none", text, NULL, &l, e);
}

static int
check_delay(const char *text, struct error *e)
{
	struct link l;

	return link_parse("none", NULL, text, &l, e);
}

static int
check_share(const char *text, struct error *e)
{
	double x;

	if (strcmp(text, "auto") == 0 || strcmp(text, "none") == 0 ||
	    (parse_double(text, 0, 1, &x) == 0 && x > 0))
		return 0;
	return error_set(e, ERROR_INPUT,
	    "'%s' is not auto, none or a part of a core, 1 at most", text);
}

static int
check_needs(const char *text, struct error *e)
{
	if (strcmp(text, "gpu") == 0)
		return 0;
	return error_set(e, ERROR_INPUT, "'%s' is not gpu", text);
}

static int
check_timeout(const char *text, struct error *e)
{
	double x;

	if (parse_double(text, 0, 1e9, &x) == 0)
		return 0;
	return error_set(
	    e, ERROR_INPUT, "'%s' is not a number of seconds, 0 or more", text);
}

const struct sweep_row sweep_rows[SWEEP_KEYS] = {
	[SWEEP_NAME] = { "name", VALUES_ONE, check_name, NULL,
	    .help =
		"begins a group of runs; its logs are in the folder of this "
		"name" },
	[SWEEP_MODEL] = { "model", VALUES_MANY, check_name, NULL,
	    .help = "models to train" },
	[SWEEP_BATCH] = { "batch", VALUES_MANY, check_count, NULL,
	    .help = "per-device batch sizes" },
	[SWEEP_PRECISION] = { "precision", VALUES_MANY, check_precision, "fp32",
	    .help = "precisions to compute in" },
	[SWEEP_TOPOLOGY] = { "topology", VALUES_MANY, check_topology, NULL,
	    .help = "nodes and devices of each, such as 1n1g 1n8g 2n8g",
	    .alias = "shape" },
	[SWEEP_NODES] = { "nodes", VALUES_MANY, check_count, "1",
	    .help = "numbers of nodes, where no topology is given" },
	[SWEEP_DEVICES] = { "devices", VALUES_MANY, check_count, "1",
	    .help =
		"numbers of devices of each node, where no topology is given" },
	[SWEEP_RUNS] = { "runs", VALUES_ONE, check_count, "5",
	    .help = "how often each combination is run" },
	[SWEEP_OPTIONS] = { "options", VALUES_TEMPLATE, NULL, NULL,
	    .help = "further options of the command" },
	[SWEEP_MORE_OPTIONS] = { "more-options", VALUES_TEMPLATE, NULL, NULL,
	    .help =
		"options after those, so that a group can add to what holds "
		"for all" },
	[SWEEP_ENV] = { "env", VALUES_TEMPLATE, check_env, NULL,
	    .help = "NAME=VALUE, set in the environment" },
	[SWEEP_PROGRAM] = { "program", VALUES_ONE, NULL, NULL,
	    .help = "the train_imagenet to run; default: $TRAIN_IMAGENET, "
		    "train_imagenet in $PATH, or the one next to run_sweep" },
	[SWEEP_COMMAND] = { "command", VALUES_TEMPLATE, NULL, NULL,
	    .help = "another command than PROGRAM -a {model} -b {batch} "
		    "--precision={precision}" },
	[SWEEP_COMPLETION_MARKER] = { "completion-marker", VALUES_ONE, NULL,
	    NULL,
	    .help =
		"how a line of each finished log begins; default: \"dlscale: "
		"summary\", with a command of your own none",
	    .alias = "end-mark" },
	[SWEEP_TIMEOUT] = { "timeout", VALUES_ONE, check_timeout, "0",
	    .help =
		"seconds after which a run is ended and has failed; 0 is never",
	    .alias = "limit" },
	[SWEEP_LAUNCHER] = { "launcher", VALUES_TEMPLATE, NULL, "auto",
	    .help =
		"none, mpirun (Open MPI's or MPICH's), srun, the words of a "
		"launcher of your own, or auto: none where the command is one "
		"(mpirun, horovodrun; torchrun on one node), srun in a job of "
		"Slurm, none for one device without hostfile, else mpirun; it "
		"starts torchrun once on each node" },
	[SWEEP_LAUNCHER_OPTIONS] = { "launcher-options", VALUES_TEMPLATE, NULL,
	    NULL, .help = "further options of mpirun or srun" },
	[SWEEP_HOSTFILE] = { "hostfile", VALUES_ONE, NULL, NULL,
	    .help =
		"file of nodes for mpirun, needed for more than one where they "
		"are not emulated" },
	[SWEEP_LINK] = { "link", VALUES_ONE, check_rate, NULL,
	    .help =
		"what a node may send, as 2.5G or 100mbit; without hostfile "
		"and "
		"outside of Slurm the nodes are emulated on this machine by "
		"run_on_nodes, over links of this rate (none: unshaped)" },
	[SWEEP_LINK_BURST] = { "link-burst", VALUES_ONE, check_burst, NULL,
	    .help = "what an emulated node may send at once after a pause, as "
		    "64mb on the links of clouds; default: 256kb" },
	[SWEEP_LINK_DELAY] = { "link-delay", VALUES_ONE, check_delay, NULL,
	    .help = "delay of what an emulated node sends, as 0.5ms" },
	[SWEEP_HOSTS_LINK] = { "hosts-link", VALUES_ONE, check_rate, NULL,
	    .help =
		"the rate to which the link of a hostfile's or Slurm's hosts "
		"is set: only runs over that link, or without one, are made "
		"on them" },
	[SWEEP_CORE_SHARE] = { "core-share", VALUES_ONE, check_share, "none",
	    .help =
		"part of a core that each rank of this machine gets: a "
		"number, none (no limit), or auto, the number of cores over "
		"the largest number of ranks of any run; such ranks are "
		"started by run_on_nodes" },
	[SWEEP_IMAGES] = { "images", VALUES_ONE, check_count, NULL,
	    .help = "images of a run, of which {steps} follows" },
	[SWEEP_NEEDS] = { "needs", VALUES_MANY, check_needs, NULL,
	    .help = "gpu: run_experiment excludes the group where there is no "
		    "GPU" },
	[SWEEP_PREPARE] = { "prepare", VALUES_TEMPLATE, NULL, NULL,
	    .help = "command that makes {data}; run_experiment runs it once if "
		    "that is missing",
	    1 },
	[SWEEP_EXTRACT_OPTIONS] = { "extract-options", VALUES_TEMPLATE, NULL,
	    NULL, .help = "further options of extract_logs", 1 },
	[SWEEP_TABLE] = { "table", VALUES_MANY, check_name, NULL,
	    .help = "tables of report_results to write at the end", 1 },
	[SWEEP_REPORT_OPTIONS] = { "report-options", VALUES_TEMPLATE, NULL,
	    NULL, .help = "further options of report_results", 1 },
	[SWEEP_CHART] = { "chart", VALUES_MANY, check_name, NULL,
	    .help = "charts of plot_results", 1 },
	[SWEEP_PLOT_OPTIONS] = { "plot-options", VALUES_TEMPLATE, NULL, NULL,
	    .help = "further options of plot_results", 1 },
	[SWEEP_REFERENCE] = { "reference", VALUES_ONE, NULL, NULL,
	    .help = "file of the published values, next to this file, that the "
		    "experiment repeats",
	    1 },
	[SWEEP_REFERENCE_CASE] = { "reference-case", VALUES_MANY, check_label,
	    NULL,
	    .help = "labels KEY=VALUE that the group's cases have there" },
	[SWEEP_COMPARE] = { "compare", VALUES_MANY, check_name, NULL,
	    .help =
		"quantities that are compared with them: speed, speedup, cost, "
		"allreduces, or a column of reference values such as step",
	    1 },
	[SWEEP_WHY] = { "why", VALUES_MANY, NULL, NULL,
	    .help =
		"sentences in quotes: why numbers differ from the published "
		"ones",
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

int
sweep_key_find(const char *text, size_t len)
{
	for (int i = 0; i < SWEEP_KEYS; i++) {
		if (is_called(sweep_rows[i].name, text, len) ||
		    is_called(sweep_rows[i].alias, text, len))
			return i;
	}
	return -1;
}

size_t
sweep_condition_find(const char *text, size_t len, unsigned *condition)
{
	*condition = 0;
	for (int i = 0; i < N_CONDITIONS; i++) {
		const size_t n = strlen(condition_rows[i].name);

		/* "quick:" alone is a key followed by a colon. */
		if (len > n && strncmp(condition_rows[i].name, text, n) == 0) {
			*condition = condition_rows[i].condition;
			return n;
		}
	}
	return 0;
}

void
sweep_key_explain(const char *text, size_t len, struct strbuf *sb)
{
	const char *names[SWEEP_KEYS + 1], *near;
	char word[64];
	size_t n = 0;

	while (n < len && text[n] != ':' && text[n] != '=')
		n++;
	if (n < len && sweep_key_find(text, n) >= 0) {
		strbuf_printf(sb,
		    "'%.*s': a key and its values are separated by spaces: "
		    "write '%.*s %s', without '%c'",
		    (int)n + 1, text, (int)n, text,
		    len > n + 1 && len < 80 ? "..." : "VALUE", text[n]);
		return;
	}
	for (int i = 0; i < SWEEP_KEYS; i++)
		names[i] = sweep_rows[i].name;
	names[SWEEP_KEYS] = NULL;
	snprintf(word, sizeof word, "%.*s", len < 60 ? (int)len : 60, text);
	near = spell_nearest(word, names);
	strbuf_printf(sb, "'%.*s' is no key (see --help)",
	    len < 80 ? (int)len : 80, text);
	if (near != NULL)
		strbuf_printf(sb, "; did you mean '%s'?", near);
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
