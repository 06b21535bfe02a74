/* run_experiment: repeats an experiment of a published report, from its runs to
 * its table, chart and page. */
#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/arena.h"
#include "common/files/infile.h"
#include "common/files/outfile.h"
#include "common/process.h"
#include "common/program/options.h"
#include "common/program/program_main.h"
#include "common/texts/messages.h"
#include "experiments/experiment.h"
#include "trainer/launch/job.h"

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
	    .help = "a quick test: small networks and images, few steps, one "
		    "run per case; the numbers mean little",
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
	    .help =
		"auto: GPUs if this machine has some, else ranks on CPU cores; "
		"with --hostfile or in a job of Slurm the hosts' GPUs are "
		"used only with gpu",
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
	    .help = "make no runs; write tables, charts and page of the "
		    "existing ones",
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

/* --- The whole ------------------------------------------------------------ */

static int
run_plan(struct experiment *x, struct error *e)
{
	const struct setting *s = &x->sweep.groups[0].set[SWEEP_REFERENCE];
	const char *reference = s->n > 0 ? s->words[0].text : NULL;
	const char *slash = strrchr(x->path, '/');
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
	if (versus_check(&x->sweep, e) != 0)
		return -1;
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
	/* The reference stands next to the experiment's file. */
	if (reference != NULL && slash != NULL && reference[0] != '/')
		reference = arena_printf(&x->arena, "%.*s/%s",
		    (int)(slash - x->path), x->path, reference);
	return evaluate(x, e) != 0
	    ? -1
	    : versus_write(x, reference,
		  arena_printf(
		      &x->arena, "%s/%s_published.md", output_dir, x->name),
		  e);
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
