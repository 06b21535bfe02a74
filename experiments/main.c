/* run_experiment: repeats an experiment of a published report, from its runs to
 * its table, chart and page. */
#include <config.h>

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/arena.h"
#include "common/files/infile.h"
#include "common/files/outfile.h"
#include "common/process.h"
#include "common/program/options.h"
#include "common/result/collective_groups.h"
#include "common/result/result.h"
#include "common/series/result_set.h"
#include "common/table/table.h"
#include "common/text.h"
#include "common/texts/messages.h"
#include "common/units/units.h"
#include "trainer/launch/job.h"
#include "trainer/launch/plan.h"
#include "trainer/launch/sweep.h"

struct experiment {
	struct arena arena;  /* of its texts */
	const char *path;    /* of its file */
	const char *name;    /* first part of the files' names */
	const char *log_dir; /* its own */
	const char *data;    /* for {data} */
	char *result;        /* the path of OUTPUT_DIR/NAME_result.json */
	struct sweep sweep;
	struct site site; /* own_dir is searched first for the other programs */
	struct plan plan;
};

static struct opt_list sets;
static int list, quick, dry_run, keep_going, show, report_only;
static long retries;
static char *command; /* this one, for machine.txt */
static const char *only, *log_dir, *output_dir, *hostfile, *hosts_link, *data,
    *device;

static const char *const devices[] = { "auto", "cpu", "gpu", NULL };

static const struct opt opts[] = {
	{ OPT_GROUP, .help = "What" },
	{ OPT_FLAG, 0, "list", .brief = "the experiments that there are",
	    .help = "list the experiments and exit", .to = &list },
	{ OPT_FLAG, 0, "quick", .brief = "small and short, to try it",
	    .help = "small networks and images, few steps, one run per case: "
		    "the numbers mean little",
	    .to = &quick },
	{ OPT_LIST, 's', "set", "SETTING",
	    .brief = "another value of a setting",
	    .help = "replace a setting of all groups, as run_sweep does",
	    .to = &sets },
	{ OPT_STR, 0, "only", "PATTERN", .brief = "only groups that match",
	    .help = "make only the runs whose log path, or one part of it, "
		    "matches PATTERN",
	    .to = &only },
	{ OPT_GROUP, .help = "On what" },
	{ OPT_CHOICE, 0, "device", "DEVICE", .brief = "cpu or cuda",
	    .help = "auto: GPUs if this machine has some, else CPU cores; GPUs "
		    "of --hostfile or of a job of Slurm only with gpu",
	    .def = "auto", .choices = devices, .to = &device },
	{ OPT_STR, 0, "hostfile", "FILE",
	    .help = "file of hosts for mpirun, one per line; without it, and "
		    "outside of Slurm, nodes are emulated on this machine",
	    .to = &hostfile },
	{ OPT_STR, 0, "hosts-link", "RATE",
	    .help = "rate to which the links of these hosts are set, such as "
		    "2.5G; runs over other links are skipped",
	    .to = &hosts_link },
	{ OPT_STR, 0, "data", "DIR",
	    .help = "image folder for experiments that read images; default: "
		    "toy images, made next to the logs",
	    .to = &data },
	{ OPT_GROUP, .help = "How" },
	{ OPT_STR, 0, "log-dir", "DIR", .brief = "where the logs go",
	    .help = "keep the logs in DIR/NAME", .def = "logs",
	    .to = &log_dir },
	{ OPT_STR, 0, "output-dir", "DIR",
	    .brief = "where results and charts go",
	    .help = "write result, tables, charts and page to DIR",
	    .def = "result", .to = &output_dir },
	{ OPT_FLAG, 'n', "dry-run", .brief = "print the commands",
	    .help = "run nothing, print the commands; # marks those whose logs "
		    "exist",
	    .to = &dry_run },
	{ OPT_FLAG, 0, "report-only",
	    .brief = "tables and charts of logs that are there",
	    .help = "make no runs; write tables, charts and page of those "
		    "there",
	    .to = &report_only },
	{ OPT_FLAG, 'k', "keep-going", .brief = "go on after a failed run",
	    .help = "continue with the next run after a failure",
	    .to = &keep_going },
	{ OPT_INT, 0, "retries", "N", .def = "0", .max = 1000, .to = &retries,
	    .help = "repeat a failed run up to N times; a run that saves its "
		    "state in {checkpoint} resumes from it" },
	{ OPT_FLAG, 0, "show", .help = "copy the output of the runs to stdout",
	    .to = &show },
	{ .kind = OPT_END },
};

static const char *const examples[] = {
	"run_experiment --list",
	"list the experiments",
	"run_experiment --quick bandwidth",
	"four emulated nodes over links of 2.5 and 5 Gbit/s, in a minute",
	"run_experiment --hostfile=hosts --device=gpu --hosts-link=2.5G "
	"bandwidth",
	"the runs of that link, on hosts whose link was set to it",
	"run_experiment -n scaling",
	"the commands of an experiment",
	NULL,
};

static const struct program program = {
	.name = "run_experiment",
	.synopsis = "[OPTION]... NAME|FILE.sweep",
	.summary = "repeat an experiment of a published report",
	.text =
	    "Makes the runs of an experiment that are not there yet, the "
	    "first ones of all cases before the second ones, so that slow "
	    "changes of the machine affect all cases alike. They use the GPUs "
	    "of this machine, the hosts of --hostfile or of a Slurm job, else "
	    "CPU cores, on emulated nodes with shaped links (run_on_nodes). "
	    "Then it writes the report's own table, its charts and an HTML "
	    "page, and a table that has each published cell next to the one "
	    "measured here, with what differs and why.\n\n"
	    "The same command, given again, goes on where it was interrupted. "
	    "Cases that cannot be run here are listed and excluded.\n\n"
	    "An experiment is a file of run_sweep, whose --help explains its "
	    "keys; doc/experiments.md lists the experiments.",
	.opts = opts,
	.examples = examples,
	.see_also = "run_sweep(1), run_on_nodes(1), report_results(1), "
		    "plot_results(1)",
};

/* --- Which experiment ----------------------------------------------------- */

static const char ending[] = ".sweep";

/* Length of a file's name without its suffix; 0: another suffix. */
static size_t
stem_length(const char *file)
{
	const size_t n = strlen(file), m = sizeof ending - 1;

	return n > m && strcmp(file + n - m, ending) == 0 ? n - m : 0;
}

/* Print the experiments with the first lines of their files, the
 * descriptions. */
static int
print_experiments(struct arena *a, struct error *e)
{
	char *folder = install_path_find("experiments", NULL, e);
	struct dirent **files = NULL;
	int n;

	if (folder == NULL)
		return -1;
	n = scandir(folder, &files, NULL, alphasort);
	if (n < 0)
		error_errno(e, errno, "cannot list the experiments");
	for (int i = 0; i < n; i++) {
		const char *file = files[i]->d_name;
		const size_t stem = stem_length(file);
		FILE *f = stem > 0
		    ? fopen(arena_printf(a, "%s/%s", folder, file), "re")
		    : NULL;
		char line[256] = "";

		if (f != NULL && fgets(line, sizeof line, f) != NULL)
			line[strcspn(line, "\n")] = '\0';
		if (f != NULL)
			fclose(f);
		if (stem > 0)
			printf("%-14.*s %s\n", (int)stem, file,
			    line[0] == '#' ? line + 2 : "");
		free(files[i]);
	}
	free(files);
	free(folder);
	return n < 0 ? -1 : EXIT_STATUS_OK;
}

/* --- Commands ------------------------------------------------------------- */

/* Words of a command, in x's arena; the list ends with NULL. */
struct words {
	char **items;
	size_t n, alloc;
};

__attribute__((format(printf, 3, 4))) static void
add_word(struct experiment *x, struct words *w, const char *format, ...)
{
	va_list args;

	w->items = vec_grow(w->items, w->n + 1, &w->alloc, sizeof *w->items);
	va_start(args, format);
	w->items[w->n++] = arena_vprintf(&x->arena, format, args);
	va_end(args);
	w->items[w->n] = NULL;
}

/* The first word of a command. The program is one of our own: in our own
 * folder, else in $PATH. */
static struct words
command_of(struct experiment *x, const char *name)
{
	const char *own = x->site.own_dir != NULL
	    ? arena_printf(&x->arena, "%s/%s", x->site.own_dir, name)
	    : "";
	struct words w = { NULL };

	add_word(x, &w, "%s", access(own, X_OK) == 0 ? own : name);
	return w;
}

/* Add the words of a key from one on, with {data} filled in. */
static void
add_setting(
    struct experiment *x, struct words *w, enum sweep_key key, size_t from)
{
	static const char field[] = "{data}";
	const struct setting *s = &x->sweep.groups[0].set[key];

	for (size_t i = from; i < s->n; i++) {
		const char *text = s->words[i].text, *at = strstr(text, field);

		if (at == NULL || x->data == NULL)
			add_word(x, w, "%s", text);
		else
			add_word(x, w, "%.*s%s%s", (int)(at - text), text,
			    x->data, at + sizeof field - 1);
	}
}

/* Add the values of a key as "--option=a,b", if any. */
static void
add_list(struct experiment *x, struct words *w, enum sweep_key key,
    const char *option)
{
	const struct setting *s = &x->sweep.groups[0].set[key];
	const char *text = "";

	for (size_t i = 0; i < s->n; i++)
		text = arena_join(&x->arena, text, ",", s->words[i].text);
	if (s->n > 0)
		add_word(x, w, "%s=%s", option, text);
}

/* Run a command and free its list. Its stderr is shown.
 *
 * out  output: its stdout; NULL: discarded */
static int
run_words(struct words *w, FILE *out, struct error *e)
{
	FILE *nothing = fopen("/dev/null", "r+e");
	int absent, status = -1;

	fflush(stdout);
	if (nothing != NULL) {
		status = process_run(w->items, nothing,
		    out != NULL ? out : nothing, stderr, &absent, e);
		fclose(nothing);
	} else {
		error_errno(e, errno, "cannot open /dev/null");
	}
	if (status > 0)
		error_set(e,
		    status == EXIT_STATUS_EMPTY ? ERROR_EMPTY : ERROR_INPUT,
		    "'%s' ended with status %d", w->items[0], status);
	free(w->items);
	return status == 0 ? 0 : -1;
}

/* --- Evaluation ----------------------------------------------------------- */

/* Draw the charts; without gnuplot only their scripts. */
static int
plot(struct experiment *x, struct error *e)
{
	const char *name = getenv("GNUPLOT");
	struct words gnuplot = { NULL }, w = command_of(x, "plot_results");
	struct error ignored = ERROR_INIT;

	add_word(x, &gnuplot, "%s",
	    name != NULL && *name != '\0' ? name : "gnuplot");
	add_word(x, &gnuplot, "--version");
	add_list(x, &w, SWEEP_CHART, "--chart");
	add_setting(x, &w, SWEEP_PLOT_OPTIONS, 0);
	add_word(x, &w, "--output-dir=%s", output_dir);
	add_word(x, &w, "--name=%s", x->name);
	if (run_words(&gnuplot, NULL, &ignored) != 0)
		add_word(x, &w, "--format=gp");
	add_word(x, &w, "%s", x->result);
	return run_words(&w, stdout, e);
}

/* Extract the logs into x->result, write the tables to stdout and to NAME.md,
 * NAME_CHART.svg or, without gnuplot, the scripts alone, and NAME.html. Names
 * of charts and page go to stdout. */
static int
evaluate(struct experiment *x, struct error *e)
{
	static const char *const suffixes[] = { NULL, "md", "html" };
	struct words w;

	if (make_folders(output_dir, e) != 0)
		return -1;
	w = command_of(x, "extract_logs");
	add_word(x, &w, "--output=%s", x->result);
	add_setting(x, &w, SWEEP_EXTRACT_OPTIONS, 0);
	add_word(x, &w, "%s", x->log_dir);
	if (run_words(&w, NULL, e) != 0)
		return -1;
	for (int i = 0; i < 3; i++) {
		const int is_page = i == 2;
		const char *file = suffixes[i] == NULL
		    ? NULL
		    : arena_printf(&x->arena, "%s/%s.%s", output_dir, x->name,
			  suffixes[i]);

		if (is_page && x->sweep.groups[0].set[SWEEP_CHART].n > 0 &&
		    plot(x, e) != 0)
			return -1;
		w = command_of(x, "report_results");
		if (is_page) {
			add_word(x, &w, "--html");
		} else {
			add_list(x, &w, SWEEP_TABLE, "--table");
			add_setting(x, &w, SWEEP_REPORT_OPTIONS, 0);
		}
		if (file != NULL)
			add_word(x, &w, "--output=%s", file);
		add_word(x, &w, "%s", x->result);
		if (run_words(&w, file == NULL ? stdout : NULL, e) != 0)
			return -1;
		if (file != NULL)
			printf("%s\n", file);
	}
	return 0;
}

/* Make the images of {data} by the experiment's "prepare", if it has one and
 * they are not complete. An empty file marks them as complete; it is missing
 * after an interruption. */
static int
prepare(struct experiment *x, struct error *e)
{
	const struct setting *s = &x->sweep.groups[0].set[SWEEP_PREPARE];
	const char *done = arena_printf(&x->arena, "%s/complete", x->data);
	struct outfile o;
	struct words w;

	if (s->n == 0 || access(done, F_OK) == 0)
		return 0;
	w = command_of(x, s->words[0].text);
	add_setting(x, &w, SWEEP_PREPARE, 1);
	if (run_words(&w, NULL, e) != 0 || outfile_open(&o, done, e) != 0)
		return -1;
	return outfile_commit(&o, e);
}

/* --- Reference values ---------------------------------------------------- */

/* The experiment's file maps published cases: models and batch sizes by their
 * position in the list, topologies by name, groups by the labels of
 * "reference-case". */

/* A published case and its repetition here. */
struct counterpart {
	const struct result_case *published, *here; /* here NULL: not run */
	const struct group *group;
};

struct counterparts {
	struct counterpart *items;
	size_t n;
};

/* Number and total time of the allreduces of a mean step: the log's own means,
 * else from a table by size that states its steps. */
static double
per_step(const struct result_case *c, int seconds)
{
	struct collective_bin bins[SIZE_BINS];
	const double steps = quantity_of_case(c, QUANTITY_REAL) /
	    quantity_of_case(c, QUANTITY_STEP);
	double sum = 0;
	size_t n_runs, n = collective_groups_by_size(c, bins, &n_runs);

	if (n_runs > 0 && c->n_runs > 0 &&
	    isfinite(c->runs[0].phases.allreduces))
		return seconds ? quantity_of_case(c, QUANTITY_BUSY)
			       : c->runs[0].phases.allreduces;
	for (size_t i = 0; i < n; i++)
		sum += seconds ? bins[i].seconds : bins[i].count;
	return n > 0 ? sum / steps : NAN;
}

/* Quantities of "compare": those of runs, and these. */
enum {
	COMPARED_SPEED = N_QUANTITIES,
	COMPARED_SPEEDUP,
	COMPARED_COST, /* T of n devices over n times T of one, of steps */
	COMPARED_ALLREDUCES,
	COMPARED_BUSY,
	N_COMPARED
};

/* The number of a quantity, or N_COMPARED. */
static int
compared_find(const char *name)
{
	static const char *const names[] = { "speed", "speedup", "cost",
		"allreduces", "busy" };
	const enum quantity q = quantity_find(name, strlen(name));

	for (int i = 0; i < N_COMPARED - N_QUANTITIES; i++)
		if (strcmp(names[i], name) == 0)
			return N_QUANTITIES + i;
	return q < N_QUANTITIES ? (int)q : N_COMPARED;
}

/* NAN: unknown.
 *
 * one  the case on one device, or NULL */
static double
value_of_case(
    int quantity, const struct result_case *c, const struct result_case *one)
{
	const int is_alone = one == NULL || one == c;

	switch (quantity) {
	case COMPARED_SPEED:
		return c->median_speed;
	case COMPARED_SPEEDUP:
		return is_alone ? NAN : c->median_speed / one->median_speed;
	case COMPARED_COST:
		return is_alone ? NAN
				: quantity_of_case(c, QUANTITY_STEP) /
			(double)c->gpus * (double)one->gpus /
			quantity_of_case(one, QUANTITY_STEP);
	case COMPARED_ALLREDUCES:
	case COMPARED_BUSY:
		return per_step(c, quantity == COMPARED_BUSY);
	default:
		return quantity_of_case(c, (enum quantity)quantity);
	}
}

/* Compare names by letters and digits up to the shorter one: "ResNet50 V1.5"
 * equals "resnet50". */
static int
same_model(const char *a, const char *b)
{
	for (;; a++, b++) {
		while (*a != '\0' && !isalnum((unsigned char)*a))
			a++;
		while (*b != '\0' && !isalnum((unsigned char)*b))
			b++;
		if (*a == '\0' || *b == '\0')
			return 1;
		if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
			return 0;
	}
}

/* Position of a published model, else count, in the experiment's list; n of the
 * list: not there; 0 for an unknown value. */
static size_t
place_of(const struct setting *v, const char *model, long count)
{
	size_t i = 0;
	long x;

	if (model == NULL && count == RESULT_UNKNOWN)
		return 0;
	while (i < v->n &&
	    !(model != NULL ? same_model(v->words[i].text, model)
			    : parse_long(v->words[i].text, 1, SWEEP_MAX_COUNT,
				  &x) == 0 &&
			x == count))
		i++;
	return i;
}

/* True if the published case has exactly the labels "KEY=VALUE" of the group,
 * of which a framework counts as one, and one of its topologies. */
static int
is_of_group(const struct result_case *c, const struct group *g)
{
	const struct setting *v = &g->set[SWEEP_REFERENCE_CASE];
	const struct setting *shapes = &g->plain[SWEEP_TOPOLOGY];
	const struct setting *counts = &g->plain[SWEEP_DEVICES];
	size_t n_labels = 0;
	long nodes, each;

	for (size_t i = 0; i < v->n; i++) {
		const char *label = v->words[i].text, *value = NULL;
		const size_t n = strcspn(label, "=");

		if (n == 9 && strncmp(label, "framework", n) == 0)
			value = c->framework;
		else
			n_labels++;
		for (size_t k = 0; k < c->n_labels; k++)
			if (strlen(c->labels[k].key) == n &&
			    strncmp(c->labels[k].key, label, n) == 0)
				value = c->labels[k].value;
		if (value == NULL || strcasecmp(value, label + n + 1) != 0)
			return 0;
	}
	if (n_labels != c->n_labels)
		return 0;
	for (size_t i = 0; i < shapes->n; i++)
		if (topology_parse(shapes->words[i].text, &nodes, &each) == 0 &&
		    nodes == c->nodes && nodes * each == c->gpus)
			return 1;
	return c->nodes == 1 && counts->n > 0 && c->gpus != RESULT_UNKNOWN &&
	    place_of(counts, NULL, c->gpus) < counts->n;
}

/* Our case of a group with these settings, whose logs are in the group's
 * folder. */
static const struct result_case *
find_here(const struct result *r, const struct group *g,
    const struct word *model, const struct word *batch,
    const struct result_case *like)
{
	const char *name = g->set[SWEEP_NAME].words[0].text;
	const struct setting size = { batch, 1 };
	const size_t n = strlen(name);

	for (size_t i = 0; i < r->n_cases; i++) {
		const struct result_case *c = &r->cases[i];
		const char *path = c->n_runs > 0 ? c->runs[0].path : NULL;

		if (path != NULL && strncmp(path, name, n) == 0 &&
		    path[n] == '/' && c->nodes == like->nodes &&
		    c->gpus == like->gpus && text_same(c->model, model->text) &&
		    c->batch_size_per_device != RESULT_UNKNOWN &&
		    place_of(&size, NULL, c->batch_size_per_device) == 0)
			return c;
	}
	return NULL;
}

/* Find the group that repeats the published case, and its case here. */
static void
find_counterpart(
    const struct sweep *s, const struct result *r, struct counterpart *p)
{
	const struct result_case *like = p->published;

	for (size_t i = 0; i < s->n_groups && p->here == NULL; i++) {
		const struct group *g = &s->groups[i];
		const struct setting *models = &g->set[SWEEP_MODEL];
		const struct setting *batches = &g->set[SWEEP_BATCH];
		const size_t model = place_of(
		    &g->plain[SWEEP_MODEL], like->model, RESULT_UNKNOWN);
		const size_t batch = place_of(
		    &g->plain[SWEEP_BATCH], NULL, like->batch_size_per_device);

		if ((like->model != NULL && model == g->plain[SWEEP_MODEL].n) ||
		    (like->batch_size_per_device != RESULT_UNKNOWN &&
			batch == g->plain[SWEEP_BATCH].n) ||
		    !is_of_group(like, g))
			continue;
		p->group = g;
		if (model < models->n && batch < batches->n)
			p->here = find_here(r, g, &models->words[model],
			    &batches->words[batch], like);
	}
}

static const char *
case_text(struct arena *a, const struct result_case *c)
{
	const char *text = c->model;

	if (c->batch_size_per_device != RESULT_UNKNOWN)
		text = arena_join(a, text, ", ",
		    arena_printf(a, "batch %ld", c->batch_size_per_device));
	text = arena_join(a, text, ", ", c->name);
	for (size_t i = 0; i < c->n_labels; i++)
		text = arena_join(a, text, ", ", c->labels[i].value);
	return text;
}

/* Find the cases run here of the network and batch of p: the first one, on
 * which ratios stand, and the one on one device, of the same labels if there is
 * one; NULL: there is none. */
static void
find_bases(const struct counterparts *all, const struct counterpart *p,
    const struct counterpart **first, const struct counterpart **single)
{
	*first = *single = NULL;
	for (size_t i = 0; i < all->n; i++) {
		const struct counterpart *q = &all->items[i];

		if (q->here == NULL ||
		    !text_same(q->published->model, p->published->model) ||
		    q->published->batch_size_per_device !=
			p->published->batch_size_per_device)
			continue;
		if (*first == NULL)
			*first = q;
		if (q->published->gpus == 1 &&
		    (*single == NULL ||
			(q->group == p->group && (*single)->group != p->group)))
			*single = q;
	}
}

/* A row: published and measured values, both also relative to their first. */
static void
add_row(struct table *t, const struct counterparts *all,
    const struct counterpart *p, const char *name)
{
	const struct counterpart *first, *single;
	const int quantity = compared_find(name);
	const int is_rate =
	    quantity < N_QUANTITIES && quantity_rows[quantity].is_rate;
	double values[2], ratios[3];
	char buf[QUANTITY_TEXT_SIZE], number[UNITS_TEXT_SIZE];

	find_bases(all, p, &first, &single);
	values[0] = value_of_case(
	    quantity, p->published, single != NULL ? single->published : NULL);
	values[1] = value_of_case(
	    quantity, p->here, single != NULL ? single->here : NULL);
	if (!isfinite(values[0]) || !isfinite(values[1]))
		return;
	table_row(t);
	table_cell(t, case_text(&t->arena, p->published));
	table_cell(t, case_text(&t->arena, p->here));
	table_cell(t, name);
	for (int i = 0; i < 2; i++) {
		const char *unit = (i == 0 ? p->published : p->here)->unit;

		if (quantity == COMPARED_SPEED)
			table_cellf(t, "%s %s",
			    number_format(number, values[i], 4),
			    unit != NULL ? unit : "");
		else
			table_cell(t,
			    quantity == COMPARED_SPEEDUP ||
				    quantity == COMPARED_ALLREDUCES
				? number_format(number, values[i], 4)
				: quantity == COMPARED_COST
				? percent_format(number, values[i], 0)
				: is_rate ? quantity_bit_rate(buf, values[i])
					  : seconds_format(number, values[i]));
	}
	ratios[0] = values[1] / values[0];
	ratios[1] = values[0] / value_of_case(quantity, first->published, NULL);
	ratios[2] = values[1] / value_of_case(quantity, first->here, NULL);
	/* One device has no communication. */
	for (int i = 0; i < (is_rate ? 1 : 3); i++)
		table_cell(t,
		    isfinite(ratios[i]) ? number_format(number, ratios[i], 3)
					: "");
}

static void
add_rows(
    const struct experiment *x, const struct counterparts *all, struct table *t)
{
	static const char *const columns[] = { "published case", "case here",
		"quantity", "published", "here", "here / published",
		"published / its first", "here / its first" };
	const struct setting *names = &x->sweep.groups[0].set[SWEEP_COMPARE];

	table_title(t, "next to the published values");
	for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
		table_column(t, columns[i], NULL,
		    i < 3       ? TABLE_LEFT
			: i < 5 ? TABLE_RIGHT
				: TABLE_DECIMAL);
	for (size_t i = 0; i < all->n; i++) {
		if (all->items[i].here == NULL)
			continue;
		table_group(t, NULL);
		for (size_t k = 0; k < names->n; k++)
			add_row(t, all, &all->items[i], names->words[k].text);
	}
}

static const char *
words_text(struct arena *a, const struct setting *v)
{
	const char *text = v->n > 0 ? NULL : "(nothing)";

	for (size_t i = 0; i < v->n; i++)
		text = arena_join(a, text, " ", v->words[i].text);
	return text;
}

/* Note the settings of groups that differ from the plain ones, each note
 * once. */
static void
note_settings(const struct sweep *s, struct table *t)
{
	/* Settings that change the presentation, not the measurement. */
	const uint64_t not_measured = 1ull << SWEEP_EXTRACT_OPTIONS |
	    1ull << SWEEP_TABLE | 1ull << SWEEP_REPORT_OPTIONS |
	    1ull << SWEEP_CHART | 1ull << SWEEP_PLOT_OPTIONS |
	    1ull << SWEEP_REFERENCE | 1ull << SWEEP_REFERENCE_CASE |
	    1ull << SWEEP_COMPARE | 1ull << SWEEP_WHY | 1ull << SWEEP_TIMEOUT |
	    1ull << SWEEP_PREPARE;

	for (size_t i = 0; i < s->n_groups; i++)
		for (int key = 0; key < SWEEP_KEYS; key++) {
			const struct group *g = &s->groups[i];
			const char *own = words_text(&t->arena, &g->set[key]);
			const char *plain =
			    words_text(&t->arena, &g->plain[key]);
			const char *note = arena_printf(&t->arena,
			    "differs, %s: %s instead of %s",
			    sweep_rows[key].name, own, plain);
			int skipped = strcmp(own, plain) == 0 ||
			    (not_measured >> key & 1) != 0;

			for (size_t k = 0; k < t->n_notes; k++)
				skipped |= strcmp(t->notes[k], note) == 0;
			if (!skipped)
				table_note(t, "%s", note);
		}
}

static void
note_differences(const struct experiment *x, const struct counterparts *all,
    const struct result *r, struct table *t)
{
	const struct setting *why = &x->sweep.groups[0].set[SWEEP_WHY];
	const char *of_logs = NULL;

	for (size_t i = 0; i < all->n; i++)
		if (all->items[i].here == NULL)
			table_note(t, "not run: %s",
			    case_text(&t->arena, all->items[i].published));
	for (size_t i = 0; i < x->plan.n_left_out; i++)
		table_note(t, "excluded: %s %ldn%ldg: %s",
		    x->plan.left_out[i].run.name, x->plan.left_out[i].run.nodes,
		    x->plan.left_out[i].run.devices, x->plan.left_out[i].why);
	for (size_t i = 0; i < r->n_cases && of_logs == NULL; i++)
		of_logs = result_case_device(&r->cases[i]);
	if (of_logs != NULL)
		table_note(t, "device here: %s", of_logs);
	note_settings(&x->sweep, t);
	for (size_t i = 0; i < why->n; i++)
		table_note(t, "why: %s", why->words[i].text);
}

/* Without rows, only the notes are written. */
static void
write_table(const struct table *t, const struct table_format *format, FILE *f)
{
	for (size_t i = 0; i < t->n_notes && t->n_rows == 0; i++)
		fprintf(f, "%s%s\n", format == &table_markdown ? "- " : "",
		    t->notes[i]);
	if (t->n_rows > 0)
		table_write(t, 1, format, TABLE_COLOUR_OFF, f);
}

/* Compare each cell of the reference values with its counterpart here, by
 * ratio, since the hardware differs. The table goes to NAME_published.md and as
 * text to stdout. Without reference values it is noted that there are none,
 * with what differs from the experiment's own plain settings. */
static int
write_comparison(struct experiment *x, struct error *e)
{
	const struct setting *s = &x->sweep.groups[0].set[SWEEP_REFERENCE];
	char *reference =
	    s->n > 0 ? arena_strdup(&x->arena, s->words[0].text) : NULL;
	const char *path =
	    arena_printf(&x->arena, "%s/%s_published.md", output_dir, x->name);
	const char *slash = strrchr(x->path, '/');
	char *operands[2];
	struct result_set set = RESULT_SET_INIT;
	struct counterparts all = { NULL, 0 };
	struct table t = TABLE_INIT;
	struct outfile o;
	int rc;

	/* The reference stands next to the experiment's file. */
	if (reference != NULL && slash != NULL && reference[0] != '/')
		reference = arena_printf(&x->arena, "%.*s/%s",
		    (int)(slash - x->path), x->path, reference);
	operands[0] = x->result;
	operands[1] = reference;
	rc = result_set_read(&set, operands, 1 + (reference != NULL), e);
	if (rc == 0) {
		const struct result *here = &set.items[0].result;
		const struct result *published =
		    reference != NULL ? &set.items[1].result : NULL;
		const size_t n = published != NULL ? published->n_cases : 0;

		all.items = arena_calloc(&x->arena, n + 1, sizeof *all.items);
		for (size_t i = 0; i < n; i++) {
			struct counterpart *p = &all.items[all.n];

			p->published = &published->cases[i];
			find_counterpart(&x->sweep, here, p);
			/* Skip cases that no group repeats. */
			all.n += p->group != NULL;
		}
		add_rows(x, &all, &t);
		if (reference == NULL)
			table_note(&t, "no report has published values for it");
		note_differences(x, &all, here, &t);
		putchar('\n');
		write_table(&t, &table_text, stdout);
		rc = outfile_open(&o, path, e);
	}
	if (rc == 0) {
		write_table(&t, &table_markdown, o.f);
		rc = outfile_commit(&o, e);
	}
	if (rc == 0)
		printf("%s\n", path);
	table_release(&t);
	result_set_release(&set);
	return rc;
}

/* --- The whole ------------------------------------------------------------ */

static int
run_plan(struct experiment *x, struct error *e)
{
	const struct setting *compared = &x->sweep.groups[0].set[SWEEP_COMPARE];
	const struct runner r = { .plan = &x->plan,
		.log_dir = x->log_dir,
		.mpirun = x->site.mpirun,
		.command = command,
		.keep_going = keep_going,
		.retries = retries,
		.show = show,
		.program = program.name };
	long left;
	int rc;

	/* A line per group and reason. */
	for (size_t i = 0; i < x->plan.n_left_out; i++) {
		const struct left_out *l = &x->plan.left_out[i];

		if (i == 0 || l[-1].run.group != l->run.group ||
		    strcmp(l[-1].why, l->why) != 0)
			fprintf(stderr, "%s: %s: %s %ldn%ldg: %s\n",
			    program.name,
			    message(MESSAGE_EXCLUDED, language_find(NULL)),
			    l->run.name, l->run.nodes, l->run.devices, l->why);
	}
	if (dry_run) {
		runner_show(&x->plan, x->log_dir);
		return 0;
	}
	for (size_t i = 0; i < compared->n; i++)
		if (compared_find(compared->words[i].text) == N_COMPARED)
			return sweep_error(&x->sweep, &compared->words[i], e,
			    "compare: '%s' is neither a quantity of reference "
			    "values nor speed, speedup, cost or allreduces",
			    compared->words[i].text);
	if (!report_only) {
		if (data == NULL && prepare(x, e) != 0)
			return -1;
		rc = runner_run(&r, &left, e);
		/* With --keep-going, finished runs are shown in spite of
		 * failures. */
		if (rc != 0 && e->code == ERROR_NONE &&
		    !(keep_going && left == 0))
			error_set(e, ERROR_SYSTEM, "a run failed");
		if (e->code != ERROR_NONE)
			return -1;
	}
	return evaluate(x, e) != 0 ? -1 : write_comparison(x, e);
}

static int
run_file(struct experiment *x, struct error *e)
{
	struct words all = { NULL };
	const int on_cpu = strcmp(device, "cpu") == 0;
	unsigned conditions = quick ? SWEEP_QUICK : 0;
	int rc;

	job_signals_init();
	site_init(&x->site, dry_run || report_only);
	x->site.leaves_out = 1;
	if (on_cpu)
		x->site.gpus = 0;
	if (strcmp(device, "auto") == 0)
		conditions |= site_conditions(&x->site);
	else if (on_cpu)
		conditions |= SWEEP_ON_CPU;
	x->site.data = x->data;
	x->site.log_dir = x->log_dir;
	for (size_t i = 0; i < sets.n; i++)
		add_word(x, &all, "%s", sets.items[i]);
	/* Settings of own options, after those of --set. */
	if (hostfile != NULL)
		add_word(x, &all, "hostfile '%s'", hostfile);
	if (hosts_link != NULL)
		add_word(x, &all, "hosts-link %s", hosts_link);
	rc = sweep_read(x->path, (const char *const *)all.items, all.n,
	    conditions, &x->sweep, e);
	if (rc == 0) {
		rc = plan_make(&x->sweep, &x->site, only, 0, &x->plan, e);
		if (rc == 0)
			rc = run_plan(x, e);
		plan_release(&x->plan);
		sweep_release(&x->sweep);
	}
	site_release(&x->site);
	free(all.items);
	return rc;
}

static int
run_experiment(char **operands, size_t n, struct error *e)
{
	struct experiment x = { .path = NULL };
	struct arena *a = &x.arena;
	char *found = NULL;
	int rc = -1;

	if (!list && n == 0)
		return options_missing_operand("the experiment", e);
	if (!list && n > 1)
		return options_extra_operand(operands[1], e);
	if (list) {
		rc = print_experiments(a, e);
	} else if (strchr(operands[0], '/') != NULL ||
	    stem_length(operands[0]) > 0) {
		x.path = operands[0];
	} else {
		found = install_path_find("experiments",
		    arena_printf(a, "%s%s", operands[0], ending), e);
		x.path = found;
		if (found == NULL)
			error_set(e, ERROR_USAGE,
			    "unknown experiment '%s'; --list lists all",
			    operands[0]);
	}
	if (x.path != NULL) {
		const char *slash = strrchr(x.path, '/');
		const char *base = slash != NULL ? slash + 1 : x.path;
		const size_t stem = stem_length(base);

		x.name = arena_printf(a, "%.*s%s",
		    (int)(stem > 0 ? stem : strlen(base)), base,
		    quick ? "-quick" : "");
		x.log_dir = arena_printf(a, "%s/%s", log_dir, x.name);
		x.result =
		    arena_printf(a, "%s/%s_result.json", output_dir, x.name);
		x.data = data != NULL ? data
				      : arena_printf(a, "%s.images", x.log_dir);
		rc = run_file(&x, e);
	}
	free(found);
	arena_release(a);
	return rc;
}

int
main(int argc, char **argv)
{
	int status;

	command = command_line_text(program.name, argc, argv);
	status = program_main(&program, argc, argv, run_experiment);
	free(command);
	return status;
}
