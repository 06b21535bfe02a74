/* Makes the missing runs of a plan, and writes and reads their logs. */
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
#include <sys/stat.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/files/files.h"
#include "common/process.h"
#include "common/text.h"
#include "common/units/units.h"
#include "trainer/base/machine_info.h"
#include "trainer/launch/job.h"

enum { MAX_ASIDE = 9999, MAX_MACHINES = 99 };

static const char command_line[] = "dlscale: command ";
static const char end_line[] = "dlscale: run ended=";

/* --- Reading -------------------------------------------------------------- */

/* Read a log as a string, with NULs replaced by '?'. Returns NULL if it cannot
 * be read; the caller frees it. */
static char *
read_log(const char *path)
{
	size_t len = 0;
	char *text = read_whole_file(path, &len, NULL);

	for (char *p = text; p != NULL && (p += strlen(p)) < text + len;)
		*p = '?';
	return text;
}

static char *
read_temp(const char *path)
{
	char *temp = xasprintf("%s~", path), *text = read_log(temp);

	free(temp);
	return text;
}

/* The text after start in the first line that begins with it, or NULL. */
static char *
find_line(char *text, const char *start)
{
	const size_t len = strlen(start);

	while (text != NULL && strncmp(text, start, len) != 0) {
		text = strchr(text, '\n');
		text = text != NULL ? text + 1 : NULL;
	}
	return text != NULL ? text + len : NULL;
}

/* The last "run ended" line of a log if its run succeeded, else NULL. */
static char *
find_fine_end(char *text)
{
	char *end = NULL;
	const char *status;

	while ((text = find_line(text, end_line)) != NULL)
		end = text;
	status = end != NULL ? strstr(end, " status=0\n") : NULL;
	return status != NULL && status < strchr(end, '\n') ? end : NULL;
}

enum runlog_state
runlog_look(
    const char *path, const char *command, struct runlog_metadata *metadata)
{
	const size_t len = strlen(command);
	char *text = read_log(path), *end = find_fine_end(text), *made_by;
	const char *real = find_line(end, "real ");
	struct stat st;

	if (text == NULL)
		return lstat(path, &st) == 0 ? RUNLOG_OTHER : RUNLOG_ABSENT;
	if (real == NULL ||
	    number_scan(real, strcspn(real, "\n"), &metadata->real_s) == 0 ||
	    !(metadata->real_s >= 0))
		metadata->real_s = -1;
	made_by = find_line(text, command_line);
	metadata->same_command = made_by != NULL &&
	    strcspn(made_by, "\n") == len && memcmp(made_by, command, len) == 0;
	free(text);
	return end != NULL ? RUNLOG_FINISHED : RUNLOG_OTHER;
}

/* True if the log PATH~ contains an error that names the file state, and no
 * "resume" line: the program could not resume from it. */
static int
refuses_state(const char *path, const char *state)
{
	char *text = read_temp(path), *rest = text, *line;
	int refuses = 0;

	if (find_line(text, "dlscale: resume ") == NULL)
		while ((line = strsep(&rest, "\n")) != NULL) {
			const char *error = strstr(line, "train_imagenet: ");

			refuses |=
			    error != NULL && strstr(error, state) != NULL;
		}
	free(text);
	return refuses;
}

/* --- Writing -------------------------------------------------------------- */

/* Rename PATH~ to the first free PATH.1~, PATH.2~, ... Returns that name, which
 * the caller frees, or NULL if there is no PATH~ or it cannot be renamed. */
static char *
move_aside(const char *path)
{
	char *from = xasprintf("%s~", path), *to = NULL;
	struct stat st;
	int i = 0;

	do {
		free(to);
		to = xasprintf("%s.%d~", path, ++i);
	} while (lstat(to, &st) == 0 && i < MAX_ASIDE);
	if (lstat(to, &st) == 0 || rename(from, to) != 0) {
		free(to);
		to = NULL;
	}
	free(from);
	return to;
}

int
runlog_begin(
    const char *path, const struct run *r, const char *command, struct error *e)
{
	const struct setting *link = &r->group->set[SWEEP_LINK];
	const char *slash = strrchr(path, '/');
	char *temp, now[UTC_TEXT_SIZE];
	int fd, rc = 0;

	if (slash != NULL) {
		char *folder = xstrndup(path, (size_t)(slash - path));

		rc = make_folders(folder, e);
		free(folder);
	}
	if (rc != 0)
		return -1;
	free(move_aside(path));
	temp = xasprintf("%s~", path);
	fd = open(temp, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
	if (fd < 0)
		error_errno(e, errno, "cannot create '%s'", temp);
	free(temp);
	if (fd < 0 ||
	    dprintf(fd,
		"dlscale: run name=%s model=%s batch_per_device=%ld "
		"precision=%s nodes=%ld devices_per_node=%ld run=%ld "
		"started=%s%s%s\n%s%s\n",
		r->name, r->model, r->batch, r->precision, r->nodes, r->devices,
		r->run, utc_text(time(NULL), now), link->n > 0 ? " link=" : "",
		link->n > 0 ? link->words[0].text : "", command_line,
		command) >= 0)
		return fd;
	error_errno(e, errno, "cannot write to '%s~'", path);
	close(fd);
	free(move_aside(path));
	return -1;
}

/* The reason why a run failed, which the caller frees, or NULL.
 *
 * text  of the log; NULL: cannot be read */
static char *
find_fault(
    char *text, const struct job_result *r, const char *mark, double *rate)
{
	static const char key[] = " images_per_s=";
	const char *line, *at;

	*rate = NAN;
	if (r->signal != 0)
		return xasprintf("interrupted by signal %d", r->signal);
	if (r->timed_out)
		return xasprintf(
		    "not done after %.6g s, which is its limit", r->real_s);
	if (r->status > 128)
		return xasprintf("ended by signal %d", r->status - 128);
	if (r->status != 0)
		return xasprintf("exit status %d", r->status);
	if (mark == NULL)
		return NULL;
	line = find_line(text, mark);
	if (line == NULL)
		return xasprintf("no line begins with '%s'", mark);
	/* The mark may end with the space before the key. */
	at = strstr(line - 1, key);
	if (at != NULL && at < line + strcspn(line, "\n")) {
		at += strlen(key);
		number_scan(at, strcspn(at, "\n"), rate);
	}
	return NULL;
}

/* Move the log of a failed run aside, and set e to its fault and the last
 * non-blank line of the program's own output. */
static int
report_fault(const char *path, const char *fault, char *text, struct error *e)
{
	char *aside = move_aside(path), *end, *line = NULL;

	if (text != NULL && aside != NULL) {
		end = text + strlen(text);
		while (end > text && (end[-1] == '\n' || end[-1] == ' '))
			*--end = '\0';
		line = strrchr(text, '\n');
		line = line != NULL ? line + 1 : text;
		if (*line == '\0' ||
		    strncmp(line, command_line, strlen(command_line)) == 0)
			line = NULL;
	}
	error_set(e, ERROR_SYSTEM, "%s: %s%s%.400s",
	    aside != NULL ? aside : path, fault, line != NULL ? ": " : "",
	    line != NULL ? line : "");
	free(aside);
	return -1;
}

/* Rename PATH~ to PATH unless PATH exists. */
static int
give_name(const char *path, struct error *e)
{
	char *temp = xasprintf("%s~", path);
	int rc = access(path, F_OK);

	if (rc == 0)
		rc = error_set(e, ERROR_SYSTEM,
		    "%s: another process made it meanwhile; ours is left in %s",
		    path, temp);
	else if ((rc = rename(temp, path)) != 0)
		error_errno(e, errno, "cannot rename '%s'", temp);
	free(temp);
	return rc;
}

/* Rename PATH~ to PATH if it is the log of a finished run whose run_sweep was
 * killed before it renamed the log. Returns 1 if so, else 0.
 *
 * mark  see runlog_end() */
static int
adopt_log(const char *path, const char *mark)
{
	char *text = read_temp(path);
	const char *end = find_fine_end(text);
	const int adopted = end != NULL && strstr(end, "\nsys ") != NULL &&
	    end[strlen(end) - 1] == '\n' &&
	    (mark == NULL || find_line(text, mark) != NULL) &&
	    give_name(path, NULL) == 0;

	free(text);
	return adopted;
}

int
runlog_end(int fd, const char *path, const struct job_result *r,
    const char *mark, double *rate, struct error *e)
{
	char *text = read_temp(path), *fault, now[UTC_TEXT_SIZE];
	const off_t end = lseek(fd, 0, SEEK_END);
	int failed, rc;
	char last;

	fault = find_fault(text, r, mark, rate);
	/* "not-finished" tells readers of the temporary file that the run did
	 * not finish. */
	failed =
	    dprintf(fd, "%s%s%s status=%d%s\nreal %.2f\nuser %.2f\nsys %.2f\n",
		end > 0 && pread(fd, &last, 1, end - 1) == 1 && last != '\n'
		    ? "\n"
		    : "",
		end_line, utc_text(time(NULL), now), r->status,
		fault != NULL && r->status == 0 ? " not-finished" : "",
		r->real_s, r->user_s, r->sys_s) < 0 ||
	    (fsync(fd) != 0 && errno != EINVAL);
	rc = failed ? error_errno(e, errno, "cannot write to '%s~'", path) : 0;
	if (close(fd) != 0 && rc == 0)
		rc = error_errno(e, errno, "cannot write to '%s~'", path);
	if (rc == 0)
		rc = fault != NULL ? report_fault(path, fault, text, e)
				   : give_name(path, e);
	free(fault);
	free(text);
	return rc;
}

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

/* --- Folders -------------------------------------------------------------- */

/* Make and lock a folder, so that only one sweep at a time measures into it. A
 * file system without locks is not an error. */
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
		job_report(p->r->program,
		    "%s: not the machine of %s/machine.txt, but that of %s",
		    "%s：并非 %s/machine.txt 中的机器，而是 %s 中的", folder,
		    folder, path);
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

	/* A failed attempt left a checkpoint: resume from it. */
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
	 * another run: delete it, so that the next attempt starts anew. */
	if (resumes && rc == 0 && result.signal == 0 &&
	    (result.status == EXIT_STATUS_USAGE ||
		(result.status != 0 &&
		    refuses_state(it->path, it->checkpoint))))
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
		job_report(p->r->program, "%s: trying again, %ld more attempts",
		    "%s：重试，还可尝试 %ld 次", it->path, left - 1);
	}
}

/* Make all missing runs. Returns like runner_run(). */
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
			job_report(
			    p->r->program, "%s %s", "%s %s", of, it->path);
		else if (interrupted == 0)
			job_report(p->r->program, "%s %s, %s left",
			    "%s %s，剩余 %s", of, it->path,
			    seconds_format(time, left_s));
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
			job_report(p->r->program, "%s done in %s",
			    "%s 完成，用时 %s", of, time);
		else
			job_report(p->r->program, "%s done in %s, %s images/s",
			    "%s 完成，用时 %s，%s images/s", of, time,
			    number_format(speed, rate, 4));
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
			if (adopt_log(it->path, end_mark(it->run->group)))
				job_report(r->program,
				    "%s: had finished; renamed",
				    "%s：已完成；已改名", it->path);
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
			job_report(r->program,
			    "%s: exists, but is not the log of a finished run; "
			    "left alone",
			    "%s：已存在，但不是已完成运行的日志；未改动",
			    it->path);
		else if (it->state == RUNLOG_FINISHED &&
		    !it->metadata.same_command)
			job_report(r->program,
			    "%s: exists, but was made by another command; left "
			    "alone",
			    "%s：已存在，但由另一条命令生成；未改动", it->path);
	}
	if (rc == 0)
		rc = make_runs(&p, e);
	job_report(r->program,
	    "%ld made in %s, %ld were there, %ld failed, %ld left",
	    "完成 %ld 次，用时 %s；已有 %ld 次，失败 %ld 次，剩余 %ld 次",
	    p.made, seconds_format(time, p.real_s), p.there, p.failed, p.left);
	*left = p.left;
	for (size_t i = 0; i < p.n_locks; i++)
		close(p.locks[i]);
	free(p.locks);
	arena_release(&p.texts);
	return rc;
}
