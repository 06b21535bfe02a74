/* Starts, watches and ends a process group that writes to a log. */
#include <config.h>

#include "trainer/launch/job.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/process.h"
#include "common/texts/remark.h"

static const int interrupts[] = { SIGINT, SIGTERM, SIGHUP };
enum { N_INTERRUPTS = sizeof interrupts / sizeof *interrupts };

/* The signals to wait for: SIGCHLD and interrupts, except those ignored at the
 * start ("nohup"), which would arrive once they are blocked. */
static void
waited_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGCHLD);
	for (int i = 0; i < N_INTERRUPTS; i++) {
		struct sigaction old;

		if (sigaction(interrupts[i], NULL, &old) == 0 &&
		    old.sa_handler != SIG_IGN)
			sigaddset(set, interrupts[i]);
	}
}

void
job_signals_init(void)
{
	sigset_t set;

	/* wait4() fails if SIGCHLD is ignored. */
	signal(SIGCHLD, SIG_DFL);
	waited_signals(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

/* --- Starting ------------------------------------------------------------- */

void
job_report(const char *program, const char *en, const char *zh, ...)
{
	struct arena a = ARENA_INIT;
	va_list ap;

	va_start(ap, zh);
	fprintf(stderr, "%s: %s\n", program,
	    arena_vprintf(&a, in_language(language_find(NULL), en, zh), ap));
	va_end(ap);
	arena_release(&a);
}

int
job_token_set(void)
{
	unsigned long long random[2];
	char text[2 * sizeof random + 1];

	if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
		return -1;
	snprintf(text, sizeof text, "%016llx%016llx", random[0], random[1]);
	return setenv("DLSCALE_JOB_TOKEN", text, 0);
}

/* In the child: start a process group that ends with run_sweep, and redirect
 * output to the log. */
static int
prepare_child(const struct job *job, pid_t parent)
{
	const int null = open("/dev/null", O_RDONLY);
	char name[256];
	sigset_t none;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(127);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (null < 0 || dup2(null, 0) < 0 || dup2(job->fd, 1) < 0 ||
	    dup2(job->fd, 2) < 0)
		return -1;
	for (const char *const *env = job->env; *env != NULL; env++) {
		const size_t len = strcspn(*env, "=");

		snprintf(name, sizeof name, "%.*s", (int)len, *env);
		errno = E2BIG;
		if (len >= sizeof name || setenv(name, *env + len + 1, 1) != 0)
			return -1;
	}
	if (job_token_set() != 0)
		return -1;
	if (null > 2)
		close(null);
	return 0;
}

/* Start the job. Returns its process ID once it runs; -1 with ERROR_SYSTEM. */
static pid_t
start_child(const struct job *job, struct error *e)
{
	const pid_t parent = getpid();
	int report[2], why = 0; /* the child sends the errno of a failure */
	ssize_t got;
	pid_t pid;

	if (pipe2(report, O_CLOEXEC) != 0)
		return error_errno(e, errno, "cannot run '%s'", job->argv[0]);
	pid = fork();
	if (pid == 0) {
		/* POSIX guarantees that the strings are not modified. */
		if (prepare_child(job, parent) == 0)
			execvp(
			    job->argv[0], (char *const *)(uintptr_t)job->argv);
		why = errno;
		_exit(write(report[1], &why, sizeof why) < 0 ? 126 : 127);
	}
	if (pid < 0)
		why = errno;
	close(report[1]);
	do
		got = pid >= 0 ? read(report[0], &why, sizeof why) : 0;
	while (got < 0 && errno == EINTR);
	close(report[0]);
	if (why == 0)
		return pid;
	if (pid >= 0)
		waitpid(pid, NULL, 0);
	return error_errno(e, why, "cannot run '%s'", job->argv[0]);
}

/* --- Waiting -------------------------------------------------------------- */

/* Copy new text of the log to stdout. */
static void
show_more(int fd)
{
	char buf[1 << 14];
	ssize_t n;

	while (fd >= 0 && (n = read(fd, buf, sizeof buf)) > 0)
		fwrite(buf, 1, (size_t)n, stdout);
	if (fd >= 0)
		fflush(stdout);
}

/* Wait for an interrupt, the end of a child, or a timeout. Returns the
 * interrupt, or 0. */
static int
await_signal(long nanoseconds)
{
	const struct timespec time = { 0, nanoseconds };
	sigset_t set;
	int sig;

	waited_signals(&set);
	sig = sigtimedwait(&set, NULL, &time);
	return sig > 0 && sig != SIGCHLD ? sig : 0;
}

int
job_interrupt(void)
{
	const int sig = await_signal(0);

	/* The first signal may be the SIGCHLD of the last job. */
	return sig != 0 ? sig : await_signal(0);
}

int
job_run(const struct job *job, struct job_result *r, struct error *e)
{
	const double begin = seconds_now();
	const int show =
	    job->show != NULL ? open(job->show, O_RDONLY | O_CLOEXEC) : -1;
	double kill_at = -1;
	struct rusage usage = { .ru_maxrss = 0 };
	int status;
	pid_t pid;

	fflush(stdout);
	pid = start_child(job, e);
	if (pid >= 0)
		setpgid(pid, pid);
	memset(r, 0, sizeof *r);
	while (pid >= 0 && wait4(pid, &status, WNOHANG, &usage) != pid) {
		const int sig = await_signal(100 * 1000 * 1000);
		const double now = seconds_now();

		if (sig != 0)
			r->signal = sig;
		if (job->limit_s > 0 && now > begin + job->limit_s)
			r->timed_out = 1;
		if ((r->signal != 0 || r->timed_out) && kill_at < 0) {
			kill(-pid, SIGTERM);
			kill_at = now + JOB_GRACE_S;
		}
		if (kill_at >= 0 && now > kill_at)
			kill(-pid, SIGKILL);
		show_more(show);
	}
	if (pid >= 0) {
		r->real_s = seconds_now() - begin;
		r->user_s = (double)usage.ru_utime.tv_sec +
		    1e-6 * (double)usage.ru_utime.tv_usec;
		r->sys_s = (double)usage.ru_stime.tv_sec +
		    1e-6 * (double)usage.ru_stime.tv_usec;
		r->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status)
						: WEXITSTATUS(status);
		/* End the job's other processes; they would disturb the next
		 * run. */
		kill(-pid, SIGKILL);
		show_more(show);
	}
	if (show >= 0)
		close(show);
	return pid >= 0 ? 0 : -1;
}
