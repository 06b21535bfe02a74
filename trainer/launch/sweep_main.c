/* run_sweep */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "common/files/files.h"
#include "common/program/options.h"
#include "trainer/launch/plan.h"
#include "trainer/launch/job.h"
#include "trainer/launch/sweep.h"

static const char *log_dir, *only;
static struct opt_list sets;
static int dry_run, keep_going, show, interleave;
static long retries;

static const struct opt opts[] = {
	{ OPT_GROUP, .help = "What" },
	{ OPT_LIST, 's', "set", "SETTING",
	    .brief = "another value of a setting", .to = &sets,
	    .help =
		"replace a setting of all groups, \"KEY VALUE...\" or "
		"\"KEY=VALUE...\"; without a value as if it was not there" },
	{ OPT_STR, 0, "only", "PATTERN", .brief = "only groups that match",
	    .to = &only,
	    .help =
		"make only the runs whose log (NAME/1n2g/FILE.log), or one "
		"part of its path, matches PATTERN, which is written as the "
		"shell's for file names" },
	{ OPT_GROUP, .help = "How" },
	{ OPT_STR, 0, "log-dir", "DIR", .brief = "where the logs go",
	    .def = "logs", .to = &log_dir,
	    .help = "create the folders NAME with the logs below DIR" },
	{ OPT_FLAG, 0, "interleave", .brief = "take turns between groups",
	    .to = &interleave,
	    .help = "let the groups take turns: of each combination the first "
		    "run of every group, one after the other, and so on; what "
		    "report_results --compare --paired takes as pairs" },
	{ OPT_FLAG, 'n', "dry-run", .brief = "print the commands",
	    .to = &dry_run,
	    .help = "run nothing, print the commands; # marks those whose logs "
		    "exist" },
	{ OPT_FLAG, 'k', "keep-going", .brief = "go on after a failed run",
	    .to = &keep_going,
	    .help = "continue with the next run after a failure" },
	{ OPT_INT, 0, "retries", "N", .brief = "start a failed run again",
	    .def = "0", .max = 1000, .to = &retries,
	    .help = "repeat a failed run up to N times; a run that saves its "
		    "state in {checkpoint} resumes from it" },
	{ OPT_FLAG, 0, "show", .to = &show,
	    .help = "copy the output of the runs to stdout" },
	{ .kind = OPT_END },
};

static const char *const examples[] = {
	"run_sweep experiments/dlscale-cpu.sweep",
	"Make all missing runs.",
	"run_sweep -n --set 'topology 1n1g 1n2g' --set runs=1 FILE.sweep",
	"Show the commands of one run on one device and on two.",
	"run_sweep --set hostfile=hosts --only '*n8g' FILE.sweep",
	"Make only those with eight devices a node, on the nodes in hosts.",
	"run_sweep --interleave ab.sweep",
	"Take turns at its groups A and B, so that their runs are pairs.",
	NULL,
};

static struct program program = {
	.name = "run_sweep",
	.synopsis = "[OPTION]... FILE",
	.summary = "run train_imagenet in all combinations of settings",
	.opts = opts,
	.examples = examples,
	.see_also = "train_imagenet(1), extract_logs(1), run_experiment(1), "
		    "run_on_nodes(1)",
};

static const char intro[] =
    "Read FILE (- is stdin) and make each run that it describes and whose log "
    "is not there: models x batch sizes x precisions x nodes and devices x "
    "runs. The first run of every combination is made before the second of "
    "any, one run at a time. The log of a run is "
    "NAME/<nodes>n<devices>g/<model>_b<batch>_<precision>_<run>.log; while "
    "it grows, and if it fails, it has another name, which ends in ~. So the "
    "same command, given again, goes on where it was interrupted, and a "
    "finished log is never written again. Its last lines are the wall-clock, "
    "user and system time, as time -p prints them "
    "(what other nodes or tasks of Slurm use is not in them). "
    "NAME/machine.txt describes the machine.\n\n"
    "FILE has one setting a line: a key and its values, separated by spaces; "
    "quotes keep spaces in a value. A line that begins with a space continues "
    "the one above, # begins a comment line. Settings above the first "
    "name hold for all groups of runs, those below a name for its group.\n\n";

static char *command; /* command line of this program, quoted for a shell */

static int
run_sweep_file(char **operands, size_t n, struct error *e)
{
	struct runner r = { .log_dir = log_dir,
		.command = command,
		.keep_going = keep_going,
		.retries = retries,
		.show = show,
		.program = program.name,
		.names_logs = !show };
	struct sweep s;
	struct site site;
	struct plan plan;
	long left;
	int rc;

	if (options_check_operands(operands, n, 1, "the sweep file", e) != 0)
		return -1;
	job_signals_init();
	site_init(&site, dry_run);
	site.log_dir = log_dir;
	rc = sweep_read(
	    operands[0], sets.items, sets.n, site_conditions(&site), &s, e);
	if (rc == 0) {
		rc = plan_make(&s, &site, only, interleave, &plan, e);
		if (rc == 0) {
			r.plan = &plan;
			r.mpirun = site.mpirun;
			if (dry_run)
				runner_show(&plan, log_dir);
			else
				rc = runner_run(&r, &left, e);
			plan_release(&plan);
		}
		sweep_release(&s);
	}
	site_release(&site);
	/* A failed run has already been reported. */
	return rc != 0 && e->code == ERROR_NONE ? EXIT_STATUS_INPUT : rc;
}

int
main(int argc, char **argv)
{
	struct strbuf text = STRBUF_INIT(1 << 16);
	int status;

	command = command_line_text(program.name, argc, argv);
	strbuf_addstr(&text, intro);
	sweep_key_help(&text);
	program.text = text.buf;
	status = program_main(&program, argc, argv, run_sweep_file);
	strbuf_release(&text);
	free(command);
	return status;
}
