/* Makes the missing runs of a plan. */
#include <config.h>

#include "trainer/launch/runner.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/files/outfile.h"
#include "common/machine_info.h"
#include "common/text.h"
#include "common/units/units.h"
#include "trainer/launch/job.h"
#include "trainer/launch/runlog.h"

/* The state of one run. */
struct item {
	const struct run *run;
	char *path;    /* of its log */
	char *command; /* as shown */
	enum runlog_state state;
	struct runlog_metadata metadata;
};

struct runner_pass {
	const struct runner *r;
	struct runner_counts *counts;
	struct item *items; /* [plan->n] */
	int *locks;         /* [n_locks] file descriptors */
	size_t n_locks, alloc_locks;
};

/* --- What is there -------------------------------------------------------- */

static struct item *
read_items(const struct plan *plan, const char *log_dir)
{
	struct item *items = xcalloc(plan->n + 1, sizeof *items);
	struct strbuf sb;

	strbuf_init(&sb, SWEEP_MAX_BYTES);
	for (size_t i = 0; i < plan->n; i++) {
		struct item *it = &items[i];

		it->run = &plan->runs[i];
		strbuf_reset(&sb);
		command_show(it->run, &sb);
		it->command = xstrdup(sb.buf);
		it->path = xasprintf("%s/%s", log_dir, it->run->log);
		it->metadata.real_s = -1;
		it->state = runlog_look(it->path, it->command, &it->metadata);
	}
	strbuf_release(&sb);
	return items;
}

static void
free_items(struct item *items, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(items[i].path);
		free(items[i].command);
	}
	free(items);
}

void
runner_show(const struct plan *plan, const char *log_dir)
{
	struct item *items = read_items(plan, log_dir);

	for (size_t i = 0; i < plan->n; i++) {
		static const char *const marks[] = { [RUNLOG_ABSENT] = "",
			[RUNLOG_FINISHED] = "# finished: ",
			[RUNLOG_OTHER] = "# in the way: " };

		printf("%s%s >%s 2>&1\n", marks[items[i].state],
		    items[i].command, items[i].path);
	}
	free_items(items, plan->n);
}

/* --- Progress ------------------------------------------------------------- */

/* Estimate the seconds that the runs from `first` on will take, from finished
 * runs of the same combination or else of all. NAN if there are none. */
static double
time_left(const struct runner_pass *p, size_t first)
{
	const size_t n = p->r->plan->n;
	double *sum, left = 0, all = 0, n_all = 0;
	size_t n_sums = 1;

	for (size_t i = 0; i < n; i++)
		if (p->items[i].run->combination >= n_sums)
			n_sums = p->items[i].run->combination + 1;
	sum = xcalloc(2 * n_sums, sizeof *sum); /* pairs: seconds, runs */
	for (size_t i = 0; i < n; i++) {
		const struct item *it = &p->items[i];

		if (it->state != RUNLOG_FINISHED || it->metadata.real_s < 0)
			continue;
		sum[2 * it->run->combination] += it->metadata.real_s;
		sum[2 * it->run->combination + 1]++;
		all += it->metadata.real_s;
		n_all++;
	}
	for (size_t i = first; i < n; i++) {
		const double *s = &sum[2 * p->items[i].run->combination];

		if (p->items[i].state == RUNLOG_ABSENT)
			left += s[1] > 0 ? s[0] / s[1] : all / n_all;
	}
	free(sum);
	return left;
}

/* Print a line of progress. */
static void say(const struct runner_pass *p, const char *fmt, ...)
    PRINTF_LIKE(2, 3);

static void
say(const struct runner_pass *p, const char *fmt, ...)
{
	char text[1200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	p->r->print(text, NULL);
}

static void
print_start(const struct runner_pass *p, size_t i)
{
	const double left = time_left(p, i);
	char time[UNITS_TEXT_SIZE];

	say(p, "%zu/%zu %s%s%s%s", i + 1, p->r->plan->n, p->items[i].path,
	    isnan(left) ? "" : ", ",
	    isnan(left) ? "" : seconds_format(time, left),
	    isnan(left) ? "" : " left");
}

static void
print_end(const struct runner_pass *p, size_t i, double rate)
{
	char time[UNITS_TEXT_SIZE], speed[UNITS_TEXT_SIZE];

	say(p, "%zu/%zu done in %s%s%s%s", i + 1, p->r->plan->n,
	    seconds_format(time, p->items[i].metadata.real_s),
	    isnan(rate) ? "" : ", ",
	    isnan(rate) ? "" : number_format(speed, rate, 4),
	    isnan(rate) ? "" : " images/s");
}

/* Report logs of unfinished runs and of other commands. */
static void
print_oddities(const struct runner_pass *p)
{
	struct error e = ERROR_INIT;

	for (size_t i = 0; i < p->r->plan->n; i++) {
		const struct item *it = &p->items[i];

		if (it->state == RUNLOG_OTHER)
			error_set(&e, ERROR_INPUT,
			    "%s: there, but not the log of a finished run; "
			    "left alone",
			    it->path);
		else if (it->state == RUNLOG_FINISHED &&
		    !it->metadata.same_command)
			error_set(&e, ERROR_INPUT,
			    "%s: there, but made by another command than now; "
			    "left alone",
			    it->path);
		else
			continue;
		p->r->print(NULL, &e);
	}
}

/* --- Folders -------------------------------------------------------------- */

/* Lock a folder so that only one sweep at a time measures into it. A file
 * system without locks is no error. */
static int
lock_folder(struct runner_pass *p, const char *folder, struct error *e)
{
	const int fd = open(folder, O_RDONLY | O_CLOEXEC);

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

/* Returns 1 if the file begins with text, 0 if not, -1 if it does not exist. */
static int
file_begins(const char *path, const char *text)
{
	const size_t len = strlen(text);
	FILE *f = fopen(path, "r");
	char *buf;
	size_t n;

	if (f == NULL)
		return -1;
	buf = xmalloc(len + 1);
	n = fread(buf, 1, len, f);
	fclose(f);
	n = n == len && memcmp(buf, text, len) == 0;
	free(buf);
	return (int)n;
}

/* Make and lock a folder, and write its machine.txt if there is none. If it
 * describes another machine, write machine.2.txt (or .3.txt, ...) and report
 * that. State and command are written but not compared. */
static int
open_folder(struct runner_pass *p, const char *name, const char *machine,
    const char *state, struct error *e)
{
	char *folder = xasprintf("%s/%s", p->r->log_dir, name), *path;
	const time_t now = time(NULL);
	struct error odd = ERROR_INIT;
	char stamp[32] = "";
	struct outfile o;
	struct tm tm;
	int i = 1, same, rc = make_folders(folder, e);

	if (rc == 0)
		rc = lock_folder(p, folder, e);
	if (rc != 0) {
		free(folder);
		return -1;
	}
	path = xasprintf("%s/machine.txt", folder);
	while ((same = file_begins(path, machine)) == 0 && i < MAX_MACHINES) {
		free(path);
		path = xasprintf("%s/machine.%d.txt", folder, ++i);
	}
	if (gmtime_r(&now, &tm) != NULL)
		strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ", &tm);
	if (same < 0 && (rc = outfile_open(&o, path, e)) == 0) {
		fprintf(o.f, "%s%sstarted: %s\ncommand: %s\n", machine, state,
		    stamp, p->r->command);
		rc = outfile_commit(&o, e);
	}
	if (rc == 0 && i > 1) {
		error_set(&odd, ERROR_INPUT,
		    "%s: not the machine of %s/machine.txt, but that of %s",
		    folder, folder, path);
		p->r->print(NULL, &odd);
	}
	free(path);
	free(folder);
	return rc;
}

/* Prepare the folders of all missing runs. */
static int
open_folders(struct runner_pass *p, struct error *e)
{
	const struct plan *plan = p->r->plan;
	const char **seen = xcalloc(plan->n + 1, sizeof *seen);
	size_t n_seen = 0;
	struct strbuf machine, state;
	int rc = 0;

	strbuf_init(&machine, MACHINE_INFO_SIZE);
	strbuf_init(&state, MACHINE_INFO_SIZE);
	machine_info_describe(p->r->mpirun, job_capture, &machine);
	machine_info_commit(job_capture, &state);
	for (size_t i = 0; i < plan->n && rc == 0; i++) {
		const char *name = plan->runs[i].name;
		size_t k = 0;

		while (k < n_seen && strcmp(seen[k], name) != 0)
			k++;
		if (k < n_seen || p->items[i].state != RUNLOG_ABSENT)
			continue;
		seen[n_seen++] = name;
		rc = open_folder(
		    p, name, machine.buf, state.len > 0 ? state.buf : "", e);
	}
	strbuf_release(&machine);
	strbuf_release(&state);
	free(seen);
	return rc;
}

/* --- What a sweep that was killed has left -------------------------------- */

/* The beginning of a line that a finished log must contain; NULL: none. */
static const char *
end_mark(const struct group *g)
{
	if (g->set[SWEEP_COMPLETION_MARKER].n > 0)
		return g->set[SWEEP_COMPLETION_MARKER].words[0].text;
	return g->set[SWEEP_COMMAND].n > 0 ? NULL : "dlscale: summary ";
}

/* True if the run's command contains the checkpoint's name. */
static int
keeps_state(const struct run *r, const char *file)
{
	int keeps = 0;

	for (size_t i = 0; r->argv[i] != NULL; i++)
		keeps |= strstr(r->argv[i], file) != NULL;
	return keeps;
}

/* Remove the checkpoint of a finished run and the temporary files of
 * interrupted writes. */
static void
forget_state(const struct run *r, const char *file)
{
	const char *name = strrchr(file, '/') + 1;
	char *folder = xstrndup(file, (size_t)(name - file));
	char *begin = xasprintf("%s.tmp.", name);
	DIR *dir = keeps_state(r, file) ? opendir(folder) : NULL;
	const struct dirent *d;

	while (dir != NULL && (d = readdir(dir)) != NULL)
		if (strcmp(d->d_name, name) == 0 ||
		    strncmp(d->d_name, begin, strlen(begin)) == 0)
			unlinkat(dirfd(dir), d->d_name, 0);
	if (dir != NULL)
		closedir(dir);
	free(begin);
	free(folder);
}

/* With the folders locked, look for runs that another sweep has finished
 * meanwhile. */
static void
look_again(struct runner_pass *p)
{
	const struct plan *plan = p->r->plan;

	for (size_t i = 0; i < plan->n; i++) {
		struct item *it = &p->items[i];
		char *state;

		if (it->state == RUNLOG_ABSENT &&
		    runlog_adopt(it->path, end_mark(it->run->group))) {
			say(p, "%s: had finished, and has its name now",
			    it->path);
		}
		if (it->state == RUNLOG_ABSENT)
			it->state =
			    runlog_look(it->path, it->command, &it->metadata);
		if (it->state != RUNLOG_FINISHED)
			continue;
		state = xasprintf("%s%s", it->path, RUN_CHECKPOINT);
		forget_state(it->run, state);
		free(state);
	}
}

static void
count_items(const struct runner_pass *p)
{
	for (size_t i = 0; i < p->r->plan->n; i++) {
		if (p->items[i].state == RUNLOG_ABSENT)
			p->counts->left++;
		else if (p->items[i].state == RUNLOG_FINISHED)
			p->counts->there++;
		else
			p->counts->failed++;
	}
}

/* --- Runs ----------------------------------------------------------------- */

/* The command with "--resume FILE" if a failed attempt has left the run's
 * {checkpoint}; else NULL. The caller frees the list; file is its last word. */
static const char **
add_resume(const struct run *r, const char *file)
{
	const char **words;
	size_t n = 0;

	while (r->argv[n] != NULL)
		n++;
	if (!keeps_state(r, file) || access(file, R_OK) != 0)
		return NULL;
	words = xcalloc(n + 3, sizeof *words);
	memcpy(words, r->argv, n * sizeof *words);
	words[n] = "--resume";
	words[n + 1] = file;
	return words;
}

/* Make one run. Returns 0 if it finished, else -1. */
static int
make_run(struct runner_pass *p, struct item *it, double *rate, int *interrupted,
    struct error *e)
{
	const struct group *g = it->run->group;
	struct job job = { .env = it->run->env };
	char *state = xasprintf("%s%s", it->path, RUN_CHECKPOINT);
	const char **resuming = add_resume(it->run, state);
	struct job_result result = { .status = 127 };
	struct error own = ERROR_INIT;
	char *temp;
	int rc;

	job.argv = resuming != NULL ? resuming : it->run->argv;
	job.fd = runlog_begin(it->path, it->run, it->command, e);
	if (job.fd < 0) {
		free(resuming);
		free(state);
		return -1;
	}
	if (parse_double(
		g->set[SWEEP_TIMEOUT].words[0].text, 0, 1e9, &job.limit_s) != 0)
		job.limit_s = 0;
	temp = xasprintf("%s~", it->path);
	job.show = p->r->show ? temp : NULL;
	rc = job_run(&job, &result, &own);
	free(temp);
	/* The checkpoint has nothing left to train, is damaged, or is of
	 * another run: start again. */
	if (resuming != NULL && rc == 0 && result.signal == 0 &&
	    (result.status == EXIT_STATUS_USAGE ||
		(result.status != 0 && runlog_refuses_state(it->path, state))))
		unlink(state);
	free(resuming);
	*interrupted = result.signal;
	if (runlog_end(job.fd, it->path, &result, end_mark(g), rate, e) != 0 &&
	    rc == 0)
		rc = -1;
	else if (rc != 0)
		*e = own;
	else
		forget_state(it->run, state);
	free(state);
	if (rc != 0)
		return -1;
	it->metadata.real_s = result.real_s;
	it->metadata.same_command = 1;
	it->state = RUNLOG_FINISHED;
	return 0;
}

/* Make one run, and retry it if it fails. Returns as make_run(). */
static int
try_run(struct runner_pass *p, struct item *it, double *rate, int *interrupted,
    struct error *e)
{
	for (long left = p->r->retries;; left--) {
		const int rc = make_run(p, it, rate, interrupted, e);

		if (rc != 0 && *interrupted == 0 && left > 0)
			*interrupted = job_interrupt();
		if (rc == 0 || *interrupted != 0 || left == 0)
			return rc;
		p->r->print(NULL, e);
		say(p, "%s: trying again, %ld more after that", it->path,
		    left - 1);
	}
}

/* Make all missing runs. Returns as runner_run(). */
static int
make_runs(struct runner_pass *p, struct error *e)
{
	const size_t n = p->r->plan->n;

	for (size_t i = 0; i < n; i++) {
		struct item *it = &p->items[i];
		struct error own = ERROR_INIT;
		int interrupted = job_interrupt();
		double rate;

		if (it->state != RUNLOG_ABSENT)
			continue;
		if (interrupted == 0) {
			print_start(p, i);
			if (try_run(p, it, &rate, &interrupted, &own) == 0) {
				p->counts->made++;
				p->counts->left--;
				p->counts->real_s += it->metadata.real_s;
				print_end(p, i, rate);
				p->r->made(it->path);
				continue;
			}
			p->r->print(NULL, &own);
		}
		if (interrupted != 0)
			return error_set(e, ERROR_SYSTEM,
			    "interrupted; the same command goes on with it");
		p->counts->failed++;
		p->counts->left--;
		if (!p->r->keep_going)
			return -1;
	}
	return p->counts->failed > 0 ? -1 : 0;
}

int
runner_run(
    const struct runner *r, struct runner_counts *counts, struct error *e)
{
	struct runner_pass p = { .r = r, .counts = counts };
	int rc;

	*counts = (struct runner_counts){ 0 };
	p.items = read_items(r->plan, r->log_dir);
	rc = open_folders(&p, e);
	if (rc == 0)
		look_again(&p);
	count_items(&p);
	print_oddities(&p);
	if (rc == 0)
		rc = make_runs(&p, e);
	for (size_t i = 0; i < p.n_locks; i++)
		close(p.locks[i]);
	free(p.locks);
	free_items(p.items, r->plan->n);
	return rc;
}
