/* Namespaces for emulated nodes. There are three kinds of process: the caller,
 * which waits and forwards interrupts; the first process of the new namespaces,
 * which makes nodes and links with ip and tc and starts the ranks; the
 * ranks. */
#include <config.h>

#include "trainer/launch/nodes.h"

#include <errno.h>
#include <sys/stat.h>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/process.h"
#include "common/text.h"

/* --- Links ---------------------------------------------------------------- */

struct link_unit {
	const char *name;
	double factor;
};

static const struct link_unit rate_units[] = { { "g", 1e9 }, { "gbit", 1e9 },
	{ "gbit/s", 1e9 }, { "gb/s", 1e9 }, { "m", 1e6 }, { "mbit", 1e6 },
	{ "mbit/s", 1e6 }, { "k", 1e3 }, { "kbit", 1e3 }, { "kbit/s", 1e3 },
	{ NULL, 0 } };
static const struct link_unit size_units[] = { { "kb", 1024 }, { "kib", 1024 },
	{ "mb", 1 << 20 }, { "mib", 1 << 20 }, { "gb", 1 << 30 },
	{ "gib", 1 << 30 }, { NULL, 0 } };
static const struct link_unit delay_units[] = { { "us", 1e-6 }, { "ms", 1e-3 },
	{ "s", 1 }, { NULL, 0 } };

/* Parse a number, in min..max, directly followed by one of the units. */
static int
parse_quantity(const char *text, const struct link_unit *units, double min,
    double max, double *out)
{
	char number[32];
	const size_t n = strspn(text, "0123456789.");
	double x;

	if (n == 0 || n >= sizeof number)
		return -1;
	memcpy(number, text, n);
	number[n] = '\0';
	if (parse_double(number, 0, 1e15, &x) != 0)
		return -1;
	for (; units->name != NULL; units++) {
		if (strcasecmp(units->name, text + n) != 0)
			continue;
		x *= units->factor;
		if (x < min || x > max)
			return -1;
		*out = x;
		return 0;
	}
	return -1;
}

int
link_parse(const char *rate, const char *burst, const char *delay,
    struct link *l, struct error *e)
{
	struct link new = { .bits_per_s = 0, .burst_bytes = 256 << 10 };

	/* tc counts a rate in 64 bits, a bucket in 32. */
	if (strcmp(rate, "none") != 0 &&
	    parse_quantity(rate, rate_units, 1e3, 1e13, &new.bits_per_s) != 0)
		return error_set(e, ERROR_INPUT,
		    "'%s' is no rate such as 2.5G or 100mbit, or none", rate);
	if (burst != NULL &&
	    parse_quantity(
		burst, size_units, 2048, 4294967295.0, &new.burst_bytes) != 0)
		return error_set(e, ERROR_INPUT,
		    "'%s' is no size such as 256kb or 64mb, from 2kb to 4gb",
		    burst);
	if (delay != NULL &&
	    parse_quantity(delay, delay_units, 0, 10, &new.delay_s) != 0)
		return error_set(e, ERROR_INPUT,
		    "'%s' is no delay such as 0.5ms, 10s at most", delay);
	*l = new;
	return 0;
}

#ifdef __linux__
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>

/* --- Shares of cores ------------------------------------------------------ */

/* Control groups that give each rank a fixed share of a core, independent of
 * the number of ranks. Without them four ranks on two cores compute more slowly
 * than two, and the speedup shows the machine, not the network. */
struct core_share {
	char *folder; /* of the group; NULL: none */
	long n;       /* ranks */
};

/* Short, so that a throttled rank serves its network again soon. */
enum { PERIOD_US = 10000 };

static const char prefix[] = "dlscale-nodes-";

/* Write formatted text to folder/name. */
static int write_text(const char *folder, const char *name, const char *fmt,
    ...) PRINTF_LIKE(3, 4);

static int
write_text(const char *folder, const char *name, const char *fmt, ...)
{
	char *path = xasprintf("%s/%s", folder, name);
	const int fd = open(path, O_WRONLY | O_CLOEXEC);
	char text[64];
	va_list ap;
	int n, rc = -1;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (fd >= 0 && write(fd, text, (size_t)n) == n)
		rc = 0;
	if (fd >= 0)
		close(fd);
	free(path);
	return rc;
}

/* Remove a group and its ranks' groups; groups with processes stay. */
static void
remove_group(const char *folder)
{
	DIR *d = opendir(folder);
	const struct dirent *entry;

	while (d != NULL && (entry = readdir(d)) != NULL) {
		char *path;

		if (strncmp(entry->d_name, "rank", 4) != 0)
			continue;
		path = xasprintf("%s/%s", folder, entry->d_name);
		rmdir(path);
		free(path);
	}
	if (d != NULL)
		closedir(d);
	rmdir(folder);
}

/* Remove groups of ended processes: a group's name contains the process ID. */
static void
remove_stale(const char *root)
{
	DIR *d = opendir(root);
	const struct dirent *entry;

	while (d != NULL && (entry = readdir(d)) != NULL) {
		const size_t n = sizeof prefix - 1;
		char *path;
		long pid;

		if (strncmp(entry->d_name, prefix, n) != 0 ||
		    parse_long(entry->d_name + n, 1, 1L << 30, &pid) != 0 ||
		    kill((pid_t)pid, 0) == 0 || errno != ESRCH)
			continue;
		path = xasprintf("%s/%s", root, entry->d_name);
		remove_group(path);
		free(path);
	}
	if (d != NULL)
		closedir(d);
}

static int
limit_group(const char *folder, double share)
{
	const long quota = (long)(share * PERIOD_US + 0.5);

	if (write_text(folder, "cpu.max", "%ld %d", quota, PERIOD_US) == 0)
		return 0;
	if (write_text(folder, "cpu.cfs_period_us", "%d", PERIOD_US) != 0)
		return -1;
	return write_text(folder, "cpu.cfs_quota_us", "%ld", quota);
}

static int
make_groups(const struct core_share *c, const char *root, double share)
{
	char *control = xasprintf("%s/cgroup.subtree_control", root);
	const int is_v2 = access(control, F_OK) == 0;
	int rc = 0;

	free(control);
	if (mkdir(c->folder, 0755) != 0)
		return -1;
	if (is_v2 &&
	    (write_text(root, "cgroup.subtree_control", "+cpu") != 0 ||
		write_text(c->folder, "cgroup.subtree_control", "+cpu") != 0))
		return -1;
	for (long i = 0; i < c->n && rc == 0; i++) {
		char *path = xasprintf("%s/rank%ld", c->folder, i);

		rc = mkdir(path, 0755) == 0 ? limit_group(path, share) : -1;
		free(path);
	}
	return rc;
}

/* Remove the groups, whose processes must have ended. */
static void
core_share_close(struct core_share *c)
{
	if (c->folder != NULL)
		remove_group(c->folder);
	free(c->folder);
	c->folder = NULL;
}

/* Make a group for each of n ranks, and remove the groups of killed programs.
 *
 * share  of one core, 0 < share <= 1
 *
 * Returns 0; -1 with ERROR_SYSTEM if groups cannot be made; c is then empty. */
static int
core_share_open(struct core_share *c, long n, double share, struct error *e)
{
	static const char v1[] = "/sys/fs/cgroup/cpu";
	const char *root = access(v1, F_OK) == 0 ? v1 : "/sys/fs/cgroup";
	int why;

	remove_stale(root);
	c->n = n;
	c->folder = xasprintf("%s/%s%ld", root, prefix, (long)getpid());
	if (make_groups(c, root, share) == 0)
		return 0;
	why = errno;
	core_share_close(c);
	return error_errno(
	    e, why, "cannot make control groups that limit time in '%s'", root);
}

/* Put this process and its children into the rank's group.  Returns 0 or
 * -1. */
static int
core_share_join(const struct core_share *c, long rank)
{
	char *path;
	int rc;

	if (c->folder == NULL)
		return 0;
	path = xasprintf("%s/rank%ld", c->folder, rank);
	rc = write_text(path, "cgroup.procs", "0");
	free(path);
	return rc;
}

/* --- Commands ------------------------------------------------------------- */

/* Run a command given as words separated by spaces.
 *
 * Returns 0, or -1 with the last line it printed. */
static int nodes_command(struct error *e, const char *fmt, ...)
    PRINTF_LIKE(2, 3);

static int
nodes_command(struct error *e, const char *fmt, ...)
{
	FILE *in = fopen("/dev/null", "re"), *err = tmpfile();
	char text[512], shown[512], line[256] = "", *argv[64], *rest = text;
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
		/* The last printed line is the reason. */
		rewind(err);
		while (fgets(line, sizeof line, err) != NULL)
			line[strcspn(line, "\n")] = '\0';
		error_set(e, ERROR_SYSTEM, "'%s' failed: %s", shown, line);
	}
	if (in != NULL)
		fclose(in);
	if (err != NULL)
		fclose(err);
	return status == 0 ? 0 : -1;
}

/* --- Nodes and links ------------------------------------------------------ */

/* Shape the node's outgoing traffic. That suffices for a ring, in which each
 * receiver has one sender. tbf's "latency" limits the time in the queue; it
 * adds no delay. */
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

/* Mount a private /run, where ip keeps its names, and a /proc of this PID
 * namespace; make the switch and the nodes. */
static int
make_nodes(const struct nodes_how *how, struct error *e)
{
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("tmpfs", "/run", "tmpfs", 0, NULL) != 0 ||
	    mount("proc", "/proc", "proc", 0, NULL) != 0)
		return error_errno(
		    e, errno, "cannot mount /run and /proc for the nodes");
	if (nodes_command(e, "ip netns add switch") != 0 ||
	    nodes_command(e, "ip -n switch link add br0 type bridge") != 0 ||
	    nodes_command(e, "ip -n switch link set br0 up") != 0)
		return -1;
	for (long node = 1; node <= how->nodes; node++)
		if (make_node(&how->link, node, e) != 0)
			return -1;
	return 0;
}

/* --- Ranks ---------------------------------------------------------------- */

/* Seconds from a rank's failure or an interrupt until all ranks are killed. */
enum { NODES_PATIENCE_S = 8 };

/* One process for each rank, in its node's namespace. */
struct node_ranks {
	const struct nodes_how *how;
	const struct core_share *share;
	pid_t *pids; /* [n]; 0: has ended */
	long n, left;
	int status;     /* of the first failed rank; 0: none */
	bool asked;     /* 1: SIGTERM was sent to all and explains later
			   statuses */
	double term_at; /* when to send SIGTERM to all, or -1 */
	double kill_at; /* when to send SIGKILL to all, or -1 */
};

static int
set_number(const char *name, long x)
{
	char text[32];

	snprintf(text, sizeof text, "%ld", x);
	return setenv(name, text, 1);
}

/* Set torchrun's variables, including TORCHELASTIC_RUN_ID so that they override
 * those of an srun or mpirun that started this program. */
static int
set_variables(const struct nodes_how *how, long rank)
{
	if (set_number("RANK", rank) != 0 ||
	    set_number("WORLD_SIZE", how->nodes * how->devices) != 0 ||
	    set_number("LOCAL_RANK", rank % how->devices) != 0 ||
	    set_number("LOCAL_WORLD_SIZE", how->devices) != 0 ||
	    setenv("TORCHELASTIC_RUN_ID", "run_on_nodes", 1) != 0 ||
	    setenv("MASTER_ADDR", "10.77.0.1", 1) != 0)
		return -1;
	return set_number("MASTER_PORT", 29500);
}

/* Enter the node: its network namespace, a host name, and a matching /sys. */
static int
enter_node(long node)
{
	char path[64], name[32];
	int fd, rc;

	snprintf(path, sizeof path, "/run/netns/node%ld", node);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	rc = setns(fd, CLONE_NEWNET);
	close(fd);
	if (rc != 0 || unshare(CLONE_NEWUTS | CLONE_NEWNS) != 0)
		return -1;
	snprintf(name, sizeof name, "node%ld", node);
	if (sethostname(name, strlen(name)) != 0)
		return -1;
	/* Like "ip netns exec"; mounts below /sys stay hidden. */
	umount2("/sys", MNT_DETACH);
	return mount("sysfs", "/sys", "sysfs", MS_RDONLY, NULL);
}

/* Become a rank. Does not return. */
static void
become_rank(const struct node_ranks *r, long rank)
{
	const char *program = r->how->program;
	const long node = rank / r->how->devices + 1;
	sigset_t none;

	if (core_share_join(r->share, rank) != 0)
		fprintf(stderr, "%s: rank %ld: cannot join its control group\n",
		    program, rank);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (enter_node(node) != 0 || set_variables(r->how, rank) != 0) {
		fprintf(stderr, "%s: rank %ld: cannot enter node%ld: %s\n",
		    program, rank, node, strerror(errno));
		_exit(EXIT_STATUS_INPUT);
	}
	execvp(r->how->argv[0], r->how->argv);
	fprintf(stderr, "%s: rank %ld: cannot run '%s': %s\n", program, rank,
	    r->how->argv[0], strerror(errno));
	_exit(EXIT_STATUS_INPUT);
}

/* Print a line about the nodes for the log. */
static void
print_nodes(const struct nodes_how *how, const struct core_share *share)
{
	printf("dlscale: nodes emulated=%ld devices_per_node=%ld "
	       "link_mbit_per_s=%.10g burst_bytes=%.10g delay_ms=%.10g "
	       "core_share=",
	    how->nodes, how->devices, 1e-6 * how->link.bits_per_s,
	    how->link.burst_bytes, 1e3 * how->link.delay_s);
	if (share->folder != NULL)
		printf("%.3g\n", how->core_share);
	else
		printf("none\n");
	fflush(stdout);
}

static void
say_failure(const struct node_ranks *r, long rank, int status)
{
	const long node = rank / r->how->devices + 1;

	if (WIFSIGNALED(status))
		fprintf(stderr,
		    "%s: rank %ld (node%ld) was ended by signal "
		    "%d (%s)\n",
		    r->how->program, rank, node, WTERMSIG(status),
		    strsignal(WTERMSIG(status)));
	else
		fprintf(stderr, "%s: rank %ld (node%ld) ended with status %d\n",
		    r->how->program, rank, node, WEXITSTATUS(status));
}

/* Record the end of a child. The first failure of a rank ends all. */
static void
note_end(struct node_ranks *r, pid_t pid, int status)
{
	long rank = 0;
	bool first;

	while (rank < r->n && r->pids[rank] != pid)
		rank++;
	if (rank == r->n)
		return; /* an orphan of a rank */
	r->pids[rank] = 0;
	r->left--;
	if (status == 0)
		return;
	first = r->status == 0;
	/* The effects of a killed rank on others may be seen before its own
	 * end. */
	if (!first && (r->asked || r->status > 128 || !WIFSIGNALED(status)))
		return;
	r->status =
	    WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	if (r->asked)
		return;
	say_failure(r, rank, status);
	if (first) {
		r->term_at = seconds_now() + 0.5 * NODES_PATIENCE_S;
		r->kill_at = seconds_now() + NODES_PATIENCE_S;
	}
}

static void
wait_ranks(struct node_ranks *r)
{
	const struct timespec pause = { 0, 50 * 1000 * 1000 };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGTERM);
	while (r->left > 0) {
		int status;
		pid_t pid;

		if (sigtimedwait(&set, NULL, &pause) == SIGTERM &&
		    r->kill_at < 0) {
			r->asked = true;
			r->term_at = seconds_now();
			r->kill_at = r->term_at + NODES_PATIENCE_S;
		}
		while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
			note_end(r, pid, status);
		if (r->term_at >= 0 && seconds_now() >= r->term_at) {
			r->term_at = -1;
			r->asked = true;
			kill(-1, SIGTERM);
		}
		if (r->kill_at >= 0 && seconds_now() >= r->kill_at)
			kill(-1, SIGKILL);
	}
}

/* Start all ranks and wait for them. Runs in the first process of the
 * namespaces, so kill(-1, ...) reaches the ranks and their children. SIGTERM is
 * blocked; it makes all ranks end. Returns as nodes_run(). */
static int
run_ranks(const struct nodes_how *how, const struct core_share *share,
    struct error *e)
{
	struct node_ranks r = { .how = how,
		.share = share,
		.n = how->nodes * how->devices,
		.term_at = -1,
		.kill_at = -1 };
	int rc = 0;

	print_nodes(how, share);
	r.pids = xcalloc((size_t)r.n, sizeof *r.pids);
	for (long rank = 0; rank < r.n && rc == 0; rank++) {
		const pid_t pid = fork();

		if (pid == 0)
			become_rank(&r, rank);
		if (pid < 0) {
			rc = error_errno(
			    e, errno, "cannot start rank %ld", rank);
			break;
		}
		r.pids[rank] = pid;
		r.left++;
	}
	if (rc != 0)
		kill(-1, SIGKILL);
	wait_ranks(&r);
	free(r.pids);
	return rc != 0 ? -1 : r.status;
}

/* --- The first process ---------------------------------------------------- */

/* The first process of the namespaces. Does not return. */
static void
nodes_first(
    const struct nodes_how *how, const struct core_share *share, int pipe_end)
{
	struct pollfd parent = { .fd = pipe_end };
	struct error e = ERROR_INIT;
	int status;

	/* A separate session, so that a signal to the parent's process group
	 * arrives only once, from the parent. */
	setsid();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* End if the parent, which holds the other end of the pipe, has
	 * ended. */
	if (poll(&parent, 1, 0) > 0 && (parent.revents & POLLHUP) != 0)
		_exit(EXIT_STATUS_INPUT);
	close(pipe_end);
	signal(SIGCHLD, SIG_DFL);
	status = make_nodes(how, &e);
	if (status == 0)
		status = run_ranks(how, share, &e);
	if (status < 0)
		status = error_report(how->program, &e);
	fflush(NULL);
	_exit(status);
}

/* --- The caller ----------------------------------------------------------- */

/* Leave the machine's namespaces. A normal user becomes root inside the new
 * ones. */
static int
leave_namespaces(struct error *e)
{
	const long uid = (long)geteuid(), gid = (long)getegid();
	int flags = CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWPID;

	if (uid != 0)
		flags |= CLONE_NEWUSER;
	if (unshare(flags) != 0)
		return error_errno(e, errno,
		    "cannot make network namespaces; that needs root, or a "
		    "kernel that lets users make them "
		    "(user.max_user_namespaces above 0, "
		    "kernel.unprivileged_userns_clone 1); hosts of a hostfile "
		    "need neither");
	if (uid != 0 &&
	    (write_text("/proc/self", "setgroups", "deny") != 0 ||
		write_text("/proc/self", "uid_map", "0 %ld 1", uid) != 0 ||
		write_text("/proc/self", "gid_map", "0 %ld 1", gid) != 0))
		return error_errno(
		    e, errno, "cannot become root of the nodes' namespaces");
	return 0;
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

/* Wait for the first process. The first interrupt is forwarded to it, and ends
 * it after a while. Returns its exit status. */
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
	/* The first process checks the pipe only once, before it starts ranks,
	 * because ranks hold the pipe open. */
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
