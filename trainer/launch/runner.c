/* Makes the missing runs of a plan. */
#include <config.h>

#include "trainer/launch/plan.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/arena.h"
#include "common/files/files.h"
#include "common/machine_info.h"
#include "common/process.h"
#include "common/text.h"
#include "common/texts/remark.h"
#include "common/units/units.h"
#include "trainer/launch/job.h"
#include "trainer/launch/runlog.h"

/* The state of one run. */
struct item {
	const struct run *run;
	const char *path;       /* of its log */
	const char *command;    /* as shown */
	const char *checkpoint; /* file that its command names; NULL: none */
	enum runlog_state state;
	struct runlog_metadata metadata;
};

struct runner_pass {
	const struct runner *r;
	long made, there, failed, left; /* runs */
	double real_s;                  /* wall-clock time of the runs made */
	struct item *items;             /* [plan->n] */
	int *locks; /* [n_locks] file descriptors of folders */
	size_t n_locks, alloc_locks;
	struct arena texts; /* of items and messages */
};

/* --- Existing logs -------------------------------------------------------- */

/* The beginning of a line that a finished log must contain; NULL: none. */
static const char *
end_mark(const struct group *g)
{
	if (g->set[SWEEP_COMPLETION_MARKER].n > 0)
		return g->set[SWEEP_COMPLETION_MARKER].words[0].text;
	return g->set[SWEEP_COMMAND].n > 0 ? NULL : "dlscale: summary ";
}

static struct item *
read_items(struct arena *a, const struct plan *plan, const char *log_dir)
{
	struct item *items = arena_calloc(a, plan->n + 1, sizeof *items);

	for (size_t i = 0; i < plan->n; i++) {
		struct item *it = &items[i];
		struct strbuf sb = STRBUF_INIT(SWEEP_MAX_BYTES);
		const char *checkpoint;

		it->run = &plan->runs[i];
		command_show(it->run, &sb);
		it->command = arena_strdup(a, sb.buf);
		strbuf_release(&sb);
		it->path = arena_printf(a, "%s/%s", log_dir, it->run->log);
		checkpoint = arena_printf(a, "%s%s", it->path, RUN_CHECKPOINT);
		for (size_t k = 0; it->run->argv[k] != NULL; k++)
			if (strstr(it->run->argv[k], checkpoint) != NULL)
				it->checkpoint = checkpoint;
		it->metadata.real_s = -1;
		it->state = runlog_look(it->path, it->command, &it->metadata);
	}
	return items;
}

void
runner_show(const struct plan *plan, const char *log_dir)
{
	static const char *const marks[] = { [RUNLOG_ABSENT] = "",
		[RUNLOG_FINISHED] = "# finished: ",
		[RUNLOG_OTHER] = "# in the way: " };
	struct arena a = ARENA_INIT;
	const struct item *items = read_items(&a, plan, log_dir);

	for (size_t i = 0; i < plan->n; i++)
		printf("%s%s >%s 2>&1\n", marks[items[i].state],
		    items[i].command, items[i].path);
	arena_release(&a);
}

/* --- Progress ------------------------------------------------------------- */

/* Estimate the seconds that the runs from `first` on will take, from finished
 * runs of the same combination or else of all. NAN if there are none. */
static double
time_left(const struct runner_pass *p, size_t first)
{
	const struct plan *plan = p->r->plan;
	double left = 0, all = 0, n_all = 0;
	/* Seconds and runs of each combination. */
	double(*sums)[2] = xcalloc(plan->n_combinations, sizeof *sums);

	for (size_t i = 0; i < plan->n; i++) {
		const struct item *it = &p->items[i];
		double *sum = sums[it->run->combination];

		if (it->state != RUNLOG_FINISHED || it->metadata.real_s < 0)
			continue;
		sum[0] += it->metadata.real_s;
		sum[1]++;
		all += it->metadata.real_s;
		n_all++;
	}
	for (size_t i = first; i < plan->n; i++) {
		const double *sum = sums[p->items[i].run->combination];

		if (p->items[i].state == RUNLOG_ABSENT)
			left += sum[1] > 0 ? sum[0] / sum[1] : all / n_all;
	}
	free(sums);
	return left;
}

static const char *
number_text(struct runner_pass *p, long n)
{
	return arena_printf(&p->texts, "%ld", n);
}

/* --- Folders -------------------------------------------------------------- */

/* Make and lock a folder, so that only one sweep at a time measures into it. A
 * file system without locks is no error. */
static int
lock_folder(struct runner_pass *p, const char *folder, struct error *e)
{
	int fd;

	if (make_folders(folder, e) != 0)
		return -1;
	fd = open(folder, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return error_errno(e, errno, "cannot open '%s'", folder);
	if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
		close(fd);
		return error_set(e, ERROR_SYSTEM,
		    "%s: another run_sweep is writing here", folder);
	}
	p->locks =
	    vec_grow(p->locks, p->n_locks, &p->alloc_locks, sizeof *p->locks);
	p->locks[p->n_locks++] = fd;
	return 0;
}

enum { MAX_MACHINES = 99 };

/* Write the folder's machine.txt if there is none. If it describes another
 * machine, write machine.2.txt (or .3.txt, ...) and report that. State and
 * command are written but not compared. */
static int
describe_machine(struct runner_pass *p, const char *folder, const char *machine,
    const char *state, struct error *e)
{
	const char *path = arena_printf(&p->texts, "%s/machine.txt", folder);
	char *text, now[UTC_TEXT_SIZE];
	struct outfile o;
	size_t len;
	int i = 1, rc = 0;

	while ((text = read_whole_file(path, &len, NULL)) != NULL &&
	    strncmp(text, machine, strlen(machine)) != 0 && i < MAX_MACHINES) {
		free(text);
		path =
		    arena_printf(&p->texts, "%s/machine.%d.txt", folder, ++i);
	}
	if (text == NULL && (rc = outfile_open(&o, path, e)) == 0) {
		fprintf(o.f, "%s%sstarted: %s\ncommand: %s\n", machine, state,
		    utc_text(time(NULL), now), p->r->command);
		rc = outfile_commit(&o, e);
	}
	if (rc == 0 && i > 1)
		message_report(
		    p->r->program, MESSAGE_OTHER_MACHINE, folder, folder, path);
	free(text);
	return rc;
}

/* Prepare the folders of all missing runs. */
static int
open_folders(struct runner_pass *p, struct error *e)
{
	const struct plan *plan = p->r->plan;
	struct strbuf machine = STRBUF_INIT(MACHINE_INFO_SIZE),
		      state = STRBUF_INIT(MACHINE_INFO_SIZE);
	int rc = 0;

	machine_info_describe(p->r->mpirun, &machine);
	machine_info_commit(&state);
	for (size_t i = 0; i < plan->n && rc == 0; i++) {
		const char *folder;
		size_t k = 0;

		if (p->items[i].state != RUNLOG_ABSENT)
			continue;
		while (k < i &&
		    (p->items[k].state != RUNLOG_ABSENT ||
			strcmp(plan->runs[k].name, plan->runs[i].name) != 0))
			k++;
		if (k < i)
			continue;
		folder = arena_printf(
		    &p->texts, "%s/%s", p->r->log_dir, plan->runs[i].name);
		rc = lock_folder(p, folder, e);
		if (rc == 0)
			rc = describe_machine(
			    p, folder, machine.buf, state.buf, e);
	}
	strbuf_release(&machine);
	strbuf_release(&state);
	return rc;
}

/* --- Runs ----------------------------------------------------------------- */

/* Remove the checkpoint of a finished run and the temporary files of
 * interrupted writes. */
static void
remove_checkpoint(const struct item *it)
{
	char *pattern;
	glob_t found;

	if (it->checkpoint == NULL)
		return;
	unlink(it->checkpoint);
	pattern = xasprintf("%s.tmp.*", it->checkpoint);
	if (glob(pattern, GLOB_NOSORT, NULL, &found) == 0) {
		for (size_t i = 0; i < found.gl_pathc; i++)
			unlink(found.gl_pathv[i]);
		globfree(&found);
	}
	free(pattern);
}

/* Make one run. Returns 0 if it finished, else -1. */
static int
make_run(struct runner_pass *p, struct item *it, double *rate, int *interrupted,
    struct error *e)
{
	const struct group *g = it->run->group;
	const int resumes =
	    it->checkpoint != NULL && access(it->checkpoint, R_OK) == 0;
	const char *const *argv = it->run->argv;
	const char **words = NULL;
	struct job job = { .argv = argv, .env = it->run->env };
	size_t n = 0;
	struct job_result result = { .status = 127 };
	struct error own = ERROR_INIT;
	int rc;

	/* A failed attempt has left its checkpoint. */
	if (resumes) {
		while (argv[n] != NULL)
			n++;
		words = arena_calloc(&p->texts, n + 3, sizeof *words);
		memcpy(words, argv, n * sizeof *words);
		words[n] = "--resume";
		words[n + 1] = it->checkpoint;
		job.argv = words;
	}
	if (parse_double(
		g->set[SWEEP_TIMEOUT].words[0].text, 0, 1e9, &job.limit_s) != 0)
		job.limit_s = 0;
	if (p->r->show)
		job.show = arena_printf(&p->texts, "%s~", it->path);
	job.fd = runlog_begin(it->path, it->run, it->command, e);
	if (job.fd < 0)
		return -1;
	rc = job_run(&job, &result, &own);
	/* The checkpoint has nothing left to train, is damaged, or is of
	 * another run: start again. */
	if (resumes && rc == 0 && result.signal == 0 &&
	    (result.status == EXIT_STATUS_USAGE ||
		(result.status != 0 &&
		    runlog_refuses_state(it->path, it->checkpoint))))
		unlink(it->checkpoint);
	*interrupted = result.signal;
	if (runlog_end(job.fd, it->path, &result, end_mark(g), rate, e) != 0 &&
	    rc == 0)
		return -1;
	if (rc != 0) {
		*e = own;
		return -1;
	}
	remove_checkpoint(it);
	it->metadata.real_s = result.real_s;
	it->metadata.same_command = 1;
	it->state = RUNLOG_FINISHED;
	return 0;
}

/* Make one run, and retry it if it fails, reporting each failure. */
static int
try_run(struct runner_pass *p, struct item *it, double *rate, int *interrupted)
{
	for (long left = p->r->retries;; left--) {
		struct error e = ERROR_INIT;

		if (make_run(p, it, rate, interrupted, &e) == 0)
			return 0;
		error_report(p->r->program, &e);
		if (*interrupted == 0 && left > 0)
			*interrupted = job_interrupt();
		if (*interrupted != 0 || left == 0)
			return -1;
		message_report(p->r->program, MESSAGE_TRYING_AGAIN, it->path,
		    number_text(p, left - 1));
	}
}

/* Make all missing runs. Returns as runner_run(). */
static int
make_runs(struct runner_pass *p, struct error *e)
{
	char time[UNITS_TEXT_SIZE], speed[UNITS_TEXT_SIZE];
	const size_t n = p->r->plan->n;
	const char *of;
	double rate, left_s;

	for (size_t i = 0; i < n; i++) {
		struct item *it = &p->items[i];
		int interrupted = job_interrupt(), rc = -1;

		if (it->state != RUNLOG_ABSENT)
			continue;
		left_s = time_left(p, i);
		of = arena_printf(&p->texts, "%zu/%zu", i + 1, n);
		if (interrupted == 0 && isnan(left_s))
			message_report(
			    p->r->program, MESSAGE_RUN_BEGINS, of, it->path);
		else if (interrupted == 0)
			message_report(p->r->program, MESSAGE_RUN_BEGINS_LEFT,
			    of, it->path, seconds_format(time, left_s));
		if (interrupted == 0)
			rc = try_run(p, it, &rate, &interrupted);
		if (interrupted != 0)
			return error_set(e, ERROR_SYSTEM,
			    "interrupted; run the same command again to "
			    "continue");
		p->left--;
		if (rc != 0) {
			p->failed++;
			if (!p->r->keep_going)
				return -1;
			continue;
		}
		p->made++;
		p->real_s += it->metadata.real_s;
		seconds_format(time, it->metadata.real_s);
		if (isnan(rate))
			message_report(
			    p->r->program, MESSAGE_RUN_DONE, of, time);
		else
			message_report(p->r->program, MESSAGE_RUN_DONE_AT, of,
			    time, number_format(speed, rate, 4));
		if (p->r->names_logs)
			printf("%s\n", it->path);
		fflush(stdout);
	}
	return p->failed > 0 ? -1 : 0;
}

int
runner_run(const struct runner *r, long *left, struct error *e)
{
	struct runner_pass p = { .r = r, .texts = ARENA_INIT };
	char time[UNITS_TEXT_SIZE];
	int rc;

	p.items = read_items(&p.texts, r->plan, r->log_dir);
	rc = open_folders(&p, e);
	for (size_t i = 0; i < r->plan->n; i++) {
		struct item *it = &p.items[i];

		/* With the folders locked, look for runs that another sweep
		 * has finished meanwhile, or was killed before it named their
		 * logs. */
		if (rc == 0 && it->state == RUNLOG_ABSENT) {
			if (runlog_adopt(it->path, end_mark(it->run->group)))
				message_report(
				    r->program, MESSAGE_LOG_RENAMED, it->path);
			it->state =
			    runlog_look(it->path, it->command, &it->metadata);
		}
		if (rc == 0 && it->state == RUNLOG_FINISHED)
			remove_checkpoint(it);
	}
	/* Report logs of unfinished runs and of other commands. */
	for (size_t i = 0; i < r->plan->n; i++) {
		const struct item *it = &p.items[i];

		p.left += it->state == RUNLOG_ABSENT;
		p.failed += it->state == RUNLOG_OTHER;
		p.there += it->state == RUNLOG_FINISHED;
		if (it->state == RUNLOG_OTHER)
			message_report(
			    r->program, MESSAGE_LOG_UNFINISHED, it->path);
		else if (it->state == RUNLOG_FINISHED &&
		    !it->metadata.same_command)
			message_report(
			    r->program, MESSAGE_LOG_OF_OTHER, it->path);
	}
	if (rc == 0)
		rc = make_runs(&p, e);
	message_report(r->program, MESSAGE_RUNS_MADE, number_text(&p, p.made),
	    seconds_format(time, p.real_s), number_text(&p, p.there),
	    number_text(&p, p.failed), number_text(&p, p.left));
	*left = p.left;
	for (size_t i = 0; i < p.n_locks; i++)
		close(p.locks[i]);
	free(p.locks);
	arena_release(&p.texts);
	return rc;
}
