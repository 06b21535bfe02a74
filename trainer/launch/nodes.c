/* Namespaces for emulated nodes.  Three kinds of process: the caller, who waits
 * and passes interrupts on; the first process of the new namespaces, which
 * makes nodes and links with ip and tc and starts the ranks; the ranks, which
 * nodes_ranks.c keeps.  run_on_nodes calls this; it knows no trainer. */
#include <config.h>

#include "trainer/launch/nodes.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/process.h"
#include "trainer/launch/core_share.h"
#include "trainer/launch/nodes_ranks.h"

#ifdef __linux__
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>

/* --- Commands ------------------------------------------------------------- */

/* the last line of what a command printed. */
static void
last_line(FILE *f, char *line, size_t size)
{
	rewind(f);
	line[0] = '\0';
	while (fgets(line, (int)size, f) != NULL)
		line[strcspn(line, "\n")] = '\0';
}

/* Run a command that is given as words with spaces between them.
 *
 * Returns 0, or -1 with what it printed last. */
static int nodes_command(struct error *e, const char *fmt, ...)
    PRINTF_LIKE(2, 3);

static int
nodes_command(struct error *e, const char *fmt, ...)
{
	FILE *in = fopen("/dev/null", "re"), *err = tmpfile();
	char text[512], shown[512], line[256], *argv[64], *rest = text;
	int n = 0, absent = 0, status = -1;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	snprintf(shown, sizeof shown, "%s", text);
	while (n < 63 && (argv[n] = strsep(&rest, " ")) != NULL)
		n++;
	argv[n] = NULL;
	if (in != NULL && err != NULL)
		status = process_run(argv, in, err, err, &absent, e);
	else
		error_errno(e, errno, "cannot run '%s'", argv[0]);
	if (status < 0 && absent)
		error_set(e, ERROR_SYSTEM,
		    "cannot run '%s', which makes links between nodes; it is "
		    "in the package iproute2",
		    argv[0]);
	if (status > 0) {
		last_line(err, line, sizeof line);
		error_set(e, ERROR_SYSTEM, "'%s' failed: %s", shown, line);
	}
	if (in != NULL)
		fclose(in);
	if (err != NULL)
		fclose(err);
	return status == 0 ? 0 : -1;
}

/* --- Nodes and links ------------------------------------------------------ */

static int
make_switch(struct error *e)
{
	if (nodes_command(e, "ip netns add switch") != 0)
		return -1;
	if (nodes_command(e, "ip -n switch link add br0 type bridge") != 0)
		return -1;
	return nodes_command(e, "ip -n switch link set br0 up");
}

/* Shape what the node sends: a ring has one sender a receiver, so that is
 * enough.  Latency, how long a packet may queue, is no delay. */
static int
shape_link(const struct link *l, long node, struct error *e)
{
	const char *parent = "root";
	struct error why = ERROR_INIT;

	if (l->bits_per_s > 0) {
		if (nodes_command(e,
			"tc -n node%ld qdisc add dev eth0 root handle 1: tbf "
			"rate %.0fbit burst %.0f latency 50ms",
			node, l->bits_per_s, l->burst_bytes) != 0)
			return -1;
		parent = "parent 1:1";
	}
	if (l->delay_s <= 0 ||
	    nodes_command(&why,
		"tc -n node%ld qdisc add dev eth0 %s netem delay %.0fus", node,
		parent, 1e6 * l->delay_s) == 0)
		return 0;
	return error_set(e, ERROR_SYSTEM,
	    "this kernel cannot delay packets (module sch_netem); leave the "
	    "delay out: %s",
	    why.message);
}

static int
make_node(const struct link *l, long node, struct error *e)
{
	if (nodes_command(e, "ip netns add node%ld", node) != 0 ||
	    nodes_command(e, "ip -n node%ld link set lo up", node) != 0 ||
	    nodes_command(e,
		"ip -n node%ld link add eth0 type veth peer name p%ld netns "
		"switch",
		node, node) != 0 ||
	    nodes_command(e, "ip -n node%ld addr add 10.77.0.%ld/24 dev eth0",
		node, node) != 0 ||
	    nodes_command(e, "ip -n node%ld link set eth0 up", node) != 0 ||
	    nodes_command(e, "ip -n switch link set p%ld master br0", node) !=
		0 ||
	    nodes_command(e, "ip -n switch link set p%ld up", node) != 0)
		return -1;
	return shape_link(l, node, e);
}

/* Our own /run, in which ip keeps its names, and a /proc of our processes. */
static int
make_mounts(struct error *e)
{
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("tmpfs", "/run", "tmpfs", 0, NULL) != 0 ||
	    mount("proc", "/proc", "proc", 0, NULL) != 0)
		return error_errno(
		    e, errno, "cannot mount /run and /proc for the nodes");
	return 0;
}

static int
make_nodes(const struct nodes_how *how, struct error *e)
{
	if (make_mounts(e) != 0 || make_switch(e) != 0)
		return -1;
	for (long node = 1; node <= how->nodes; node++)
		if (make_node(&how->link, node, e) != 0)
			return -1;
	return 0;
}

/* --- The first process ---------------------------------------------------- */

/* Our parent's end of the pipe is closed when it is gone. */
static int
is_orphan(int pipe_end)
{
	struct pollfd p = { .fd = pipe_end };

	return poll(&p, 1, 0) > 0 && (p.revents & POLLHUP) != 0;
}

/* The first process of the namespaces: never returns. */
static void
nodes_first(
    const struct nodes_how *how, const struct core_share *share, int pipe_end)
{
	struct error e = ERROR_INIT;
	int status;

	/* A session of its own: who ends our parent's process group leaves it
	 * to that one to pass the signal on, once. */
	setsid();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (is_orphan(pipe_end))
		_exit(EXIT_STATUS_INPUT);
	close(pipe_end);
	signal(SIGCHLD, SIG_DFL);
	status = make_nodes(how, &e);
	if (status == 0)
		status = nodes_ranks_run(how, share, &e);
	if (status < 0)
		status = error_report(how->program, &e);
	fflush(NULL);
	_exit(status);
}

/* --- The caller ----------------------------------------------------------- */

static int
write_map(const char *path, const char *text)
{
	const int fd = open(path, O_WRONLY | O_CLOEXEC);
	const size_t len = strlen(text);
	const int ok = fd >= 0 && write(fd, text, len) == (ssize_t)len;

	if (fd >= 0)
		close(fd);
	return ok ? 0 : -1;
}

/* Leave the machine's namespaces; who is not root becomes it inside. */
static int
leave_namespaces(struct error *e)
{
	const long uid = (long)geteuid(), gid = (long)getegid();
	int flags = CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWPID;
	char *users = xasprintf("0 %ld 1", uid);
	char *groups = xasprintf("0 %ld 1", gid);
	int rc = 0;

	if (uid != 0)
		flags |= CLONE_NEWUSER;
	if (unshare(flags) != 0)
		rc = error_errno(e, errno,
		    "cannot make network namespaces; that needs root, or a "
		    "kernel that lets users make them "
		    "(user.max_user_namespaces above 0, "
		    "kernel.unprivileged_userns_clone 1); hosts of a hostfile "
		    "need neither");
	else if (uid != 0 &&
	    (write_map("/proc/self/setgroups", "deny") != 0 ||
		write_map("/proc/self/uid_map", users) != 0 ||
		write_map("/proc/self/gid_map", groups) != 0))
		rc = error_errno(
		    e, errno, "cannot become root of the nodes' namespaces");
	free(users);
	free(groups);
	return rc;
}

static void
interrupt_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGCHLD);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
}

/* Until the first process has ended; an interrupt is passed on to it once, and
 * ends it after a while.  Returns its exit status. */
static int
wait_first(pid_t first)
{
	const struct timespec pause = { 0, 100 * 1000 * 1000 };
	double kill_at = -1;
	sigset_t set;
	int status;

	interrupt_signals(&set);
	while (waitpid(first, &status, WNOHANG) != first) {
		const int sig = sigtimedwait(&set, NULL, &pause);

		if (sig > 0 && sig != SIGCHLD && kill_at < 0) {
			kill(first, SIGTERM);
			kill_at = seconds_now() + NODES_PATIENCE_S + 2;
		}
		if (kill_at >= 0 && seconds_now() > kill_at)
			kill(first, SIGKILL);
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status)
				   : WEXITSTATUS(status);
}

static int
run_first(const struct nodes_how *how, const struct core_share *share,
    struct error *e)
{
	int ends[2];
	pid_t first;

	if (pipe(ends) != 0)
		return error_errno(e, errno, "cannot make a pipe");
	fflush(NULL);
	first = fork();
	if (first == 0) {
		close(ends[1]);
		nodes_first(how, share, ends[0]);
	}
	close(ends[0]);
	if (first < 0) {
		close(ends[1]);
		return error_errno(e, errno, "cannot start the nodes");
	}
	/* The first process would never see the end of a pipe that a rank
	 * holds open, so it looks once, before there are ranks. */
	const int status = wait_first(first);

	close(ends[1]);
	return status;
}

int
nodes_run(const struct nodes_how *how, struct error *e)
{
	struct core_share share = { NULL, 0 };
	struct error why = ERROR_INIT;
	sigset_t set, old;
	int status = -1;

	if (how->core_share > 0 &&
	    core_share_open(
		&share, how->nodes * how->devices, how->core_share, &why) != 0)
		fprintf(stderr, "%s: %s; ranks share the cores as they can\n",
		    how->program, why.message);
	interrupt_signals(&set);
	sigprocmask(SIG_BLOCK, &set, &old);
	if (leave_namespaces(e) == 0)
		status = run_first(how, &share, e);
	core_share_close(&share);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return status;
}

#else

int
nodes_run(const struct nodes_how *how, struct error *e)
{
	(void)how;
	return error_set(
	    e, ERROR_SYSTEM, "emulated nodes need the namespaces of Linux");
}

#endif
