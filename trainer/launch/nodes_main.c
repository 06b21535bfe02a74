/* run_on_nodes: runs a command on emulated nodes, which are network namespaces
 * of this machine, each with a shaped link to a common switch. run_sweep
 * prepends it to the commands of runs with a link.
 *
 * There are three kinds of process: the caller, which waits and forwards
 * interrupts; the first process of the new namespaces, which makes nodes and
 * links with ip and tc and starts the ranks; the ranks. The first process ends
 * with the caller, and its PID namespace with it, so no namespace, interface or
 * rank remains even after kill -9. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/process.h"
#include "common/program/options.h"
#include "common/text.h"
#include "trainer/launch/job.h"
#include "trainer/launch/nodes.h"

enum {
	NODES_MAX = 200,        /* with addresses in 10.77.0.0/24 */
	NODES_MAX_RANKS = 4096, /* ranks on all nodes */
	/* Seconds from a rank's failure or an interrupt until all ranks are
	 * killed. */
	NODES_PATIENCE_S = 8
};

static long n_nodes, n_devices;
static const char *rate, *burst, *delay;
static double core_share;

static const struct opt opts[] = {
	{ OPT_INT, 'N', "nodes", "N", .brief = "nodes to emulate",
	    .help = "emulate N nodes", .def = "2", .min = 1, .max = NODES_MAX,
	    .to = &n_nodes },
	{ OPT_INT, 'g', "devices", "N", .brief = "ranks of each node",
	    .help = "start the command N times on each node", .def = "1",
	    .min = 1, .max = NODES_MAX_RANKS, .to = &n_devices },
	{ OPT_STR, 0, "link", "RATE",
	    .brief = "2.5G, 100mbit: what a node can send",
	    .help = "limit each node to sending at RATE, such as 2.5G or "
		    "100mbit (10^9, 10^6 bit/s); none: no limit",
	    .def = "none", .to = &rate },
	{ OPT_STR, 0, "burst", "SIZE",
	    .brief = "what it can send at once after a pause",
	    .help = "let it send a burst of SIZE after a pause, as cloud "
		    "networks do (64mb); default: 256kb, which has hardly any "
		    "effect",
	    .to = &burst },
	{ OPT_STR, 0, "delay", "TIME", .brief = "of its packets, such as 0.5ms",
	    .help = "delay its packets by TIME, such as 0.5ms, if the kernel "
		    "can (netem)",
	    .to = &delay },
	{ OPT_REAL, 0, "core-share", "X",
	    .brief = "how much of a core each rank gets", .unit = "cores",
	    .help = "give each rank X of one core, by control groups, so that "
		    "a rank computes as fast in runs of few ranks as in runs "
		    "of many; 0: no limit",
	    .def = "0", .max = 1, .to = &core_share },
	{ .kind = OPT_END },
};

static const char *const examples[] = {
	"run_on_nodes -N 4 --link=2.5G -- train_imagenet --dummy "
	"--backend=gloo",
	"four ranks, each on a link of 2.5 Gbit/s",
	"run_on_nodes --link=5G --burst=64mb -- ip addr",
	"what a node looks like",
	"run_on_nodes -N 2 -g 4 -- ./train.sh",
	"two nodes with four ranks each",
	NULL,
};

static const struct program program = {
	.name = "run_on_nodes",
	.synopsis = "[OPTION]... -- COMMAND [WORD]...",
	.summary = "run a command on emulated nodes of this machine",
	.text =
	    "Makes network namespaces with an address, a host name and a "
	    "shaped link each, and a switch between them, and runs COMMAND in "
	    "each of them, as launchers do: RANK, WORLD_SIZE, LOCAL_RANK, "
	    "LOCAL_WORLD_SIZE, MASTER_ADDR and MASTER_PORT are set. The first "
	    "line of output states what was made. All of it is removed when "
	    "the ranks have ended, also when run_on_nodes is killed.\n\n"
	    "The rank that fails first is named, and the first one that a "
	    "signal ends; all others end within ten seconds, and the exit "
	    "status is that of the rank named last (128 plus the number of "
	    "its signal).\n\n"
	    "It needs ip and tc (iproute2), and root or a kernel that lets "
	    "users make namespaces; --core-share needs control groups, and "
	    "without them is ignored with a warning.",
	.opts = opts,
	.examples = examples,
	.see_also = "run_sweep(1), run_experiment(1), train_imagenet(1)",
};

/* --- Shares of cores ------------------------------------------------------ */

/* Control groups that give each rank a fixed share of a core, independent of
 * the number of ranks. Without them four ranks on two cores compute more slowly
 * than two, and the speedup shows the machine, not the network. */
static char *groups; /* folder of the ranks' groups; NULL: none */

/* Short, so that a throttled rank serves its network again soon. */
enum { PERIOD_US = 10000 };

static const char prefix[] = "dlscale-nodes-";

/* Write text to the file with the formatted path. */
static int write_file(const char *text, const char *path, ...)
    PRINTF_LIKE(2, 3);

static int
write_file(const char *text, const char *path, ...)
{
	const size_t len = strlen(text);
	char name[512];
	va_list ap;
	int fd, rc;

	va_start(ap, path);
	vsnprintf(name, sizeof name, path, ap);
	va_end(ap);
	fd = open(name, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	rc = write(fd, text, len) == (ssize_t)len ? 0 : -1;
	close(fd);
	return rc;
}

/* Remove a group and its ranks' groups; groups with processes stay. */
static void
remove_group(const char *folder)
{
	char *pattern = xasprintf("%s/rank*", folder);
	glob_t found;

	if (glob(pattern, GLOB_NOSORT, NULL, &found) == 0) {
		for (size_t i = 0; i < found.gl_pathc; i++)
			rmdir(found.gl_pathv[i]);
		globfree(&found);
	}
	rmdir(folder);
	free(pattern);
}

/* Make a control group of version 2 or 1 for each rank. */
static int
make_groups(const char *root)
{
	const long quota = (long)(core_share * PERIOD_US + 0.5);
	char *control = xasprintf("%s/cgroup.subtree_control", root);
	const int is_v2 = access(control, F_OK) == 0;
	char text[64], folder[512];
	int rc = mkdir(groups, 0755);

	if (rc == 0 && is_v2)
		rc = write_file("+cpu", "%s", control) == 0
		    ? write_file("+cpu", "%s/cgroup.subtree_control", groups)
		    : -1;
	for (long i = 0; i < n_nodes * n_devices && rc == 0; i++) {
		snprintf(folder, sizeof folder, "%s/rank%ld", groups, i);
		rc = mkdir(folder, 0755);
		snprintf(text, sizeof text, "%ld %d", quota, PERIOD_US);
		if (rc != 0 || write_file(text, "%s/cpu.max", folder) == 0)
			continue;
		rc = write_file(text + strcspn(text, " ") + 1,
		    "%s/cpu.cfs_period_us", folder);
		text[strcspn(text, " ")] = '\0';
		if (rc == 0)
			rc = write_file(text, "%s/cpu.cfs_quota_us", folder);
	}
	free(control);
	return rc;
}

/* Remove the groups, whose processes must have ended. */
static void
close_groups(void)
{
	if (groups != NULL)
		remove_group(groups);
	free(groups);
	groups = NULL;
}

/* Make a group for each rank, and remove the groups of killed programs. Without
 * control groups, warn. */
static void
open_groups(void)
{
	static const char v1[] = "/sys/fs/cgroup/cpu";
	const char *root = access(v1, F_OK) == 0 ? v1 : "/sys/fs/cgroup";
	char *pattern = xasprintf("%s/%s*", root, prefix);
	const size_t at = strlen(pattern) - 1;
	glob_t found;
	long pid;

	/* A group's name contains the process ID. */
	if (glob(pattern, GLOB_NOSORT, NULL, &found) == 0) {
		for (size_t i = 0; i < found.gl_pathc; i++)
			if (parse_long(found.gl_pathv[i] + at, 1, 1L << 30,
				&pid) == 0 &&
			    kill((pid_t)pid, 0) != 0 && errno == ESRCH)
				remove_group(found.gl_pathv[i]);
		globfree(&found);
	}
	free(pattern);
	groups = xasprintf("%s/%s%ld", root, prefix, (long)getpid());
	if (make_groups(root) == 0)
		return;
	job_report(program.name,
	    "cannot make control groups that limit time in '%s': %s; ranks "
	    "share the cores as they can",
	    "无法在“%s”建立限时的控制组：%s；各 rank 自行共享核心", root,
	    strerror(errno));
	close_groups();
}

/* --- Nodes and links ------------------------------------------------------ */

/* Run a command given as words separated by spaces.
 *
 * Returns 0, or -1 with the last line it printed. */
static int run_tool(struct error *e, const char *fmt, ...) PRINTF_LIKE(2, 3);

static int
run_tool(struct error *e, const char *fmt, ...)
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

/* Make a node with its link. Only outgoing traffic is shaped, which suffices
 * for a ring, in which each receiver has one sender. tbf's "latency" limits the
 * time in the queue; it adds no delay. */
static int
make_node(const struct link *l, long node, struct error *e)
{
	struct error why = ERROR_INIT;

	if (run_tool(e, "ip netns add node%ld", node) != 0 ||
	    run_tool(e, "ip -n node%ld link set lo up", node) != 0 ||
	    run_tool(e,
		"ip -n node%ld link add eth0 type veth peer name p%ld netns "
		"switch",
		node, node) != 0 ||
	    run_tool(e, "ip -n node%ld addr add 10.77.0.%ld/24 dev eth0", node,
		node) != 0 ||
	    run_tool(e, "ip -n node%ld link set eth0 up", node) != 0 ||
	    run_tool(e, "ip -n switch link set p%ld master br0", node) != 0 ||
	    run_tool(e, "ip -n switch link set p%ld up", node) != 0 ||
	    (l->bits_per_s > 0 &&
		run_tool(e,
		    "tc -n node%ld qdisc add dev eth0 root handle 1: tbf rate "
		    "%.0fbit burst %.0f latency 50ms",
		    node, l->bits_per_s, l->burst_bytes) != 0))
		return -1;
	if (l->delay_s <= 0 ||
	    run_tool(&why,
		"tc -n node%ld qdisc add dev eth0 %s netem delay %.0fus", node,
		l->bits_per_s > 0 ? "parent 1:1" : "root",
		1e6 * l->delay_s) == 0)
		return 0;
	return error_set(e, ERROR_SYSTEM,
	    "this kernel cannot delay packets (module sch_netem); leave the "
	    "delay out: %s",
	    why.message);
}

/* Mount a private /run, where ip keeps its names, and a /proc of this PID
 * namespace; make the switch and the nodes. */
static int
make_nodes(const struct link *l, struct error *e)
{
	int rc;

	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("tmpfs", "/run", "tmpfs", 0, NULL) != 0 ||
	    mount("proc", "/proc", "proc", 0, NULL) != 0)
		return error_errno(
		    e, errno, "cannot mount /run and /proc for the nodes");
	rc = run_tool(e, "ip netns add switch");
	if (rc == 0)
		rc = run_tool(e, "ip -n switch link add br0 type bridge");
	if (rc == 0)
		rc = run_tool(e, "ip -n switch link set br0 up");
	for (long node = 1; node <= n_nodes && rc == 0; node++)
		rc = make_node(l, node, e);
	return rc;
}

/* --- Ranks ---------------------------------------------------------------- */

static struct {
	pid_t *pids; /* [n_nodes * n_devices] one for each rank; 0: ended */
	long left;
	int status; /* of the first failed rank; 0: none */
	bool asked; /* SIGTERM was sent to all and explains later statuses */
	double term_at; /* when to send SIGTERM to all, or -1 */
	double kill_at; /* when to send SIGKILL to all, or -1 */
} ranks = { .term_at = -1, .kill_at = -1 };

static long
node_of(long rank)
{
	return rank / n_devices + 1;
}

/* Enter the rank's node: its network namespace, a host name, and a matching
 * /sys. Set torchrun's variables, including TORCHELASTIC_RUN_ID so that they
 * override those of an srun or mpirun that started this program. */
static int
enter_node(long rank)
{
	const struct {
		const char *name;
		long value;
	} numbers[] = { { "RANK", rank }, { "WORLD_SIZE", n_nodes * n_devices },
		{ "LOCAL_RANK", rank % n_devices },
		{ "LOCAL_WORLD_SIZE", n_devices }, { "MASTER_PORT", 29500 } };
	char text[64];
	const int len =
	    snprintf(text, sizeof text, "/run/netns/node%ld", node_of(rank));
	const char *name = strrchr(text, '/') + 1;
	const int fd = open(text, O_RDONLY | O_CLOEXEC);
	int rc;

	if (fd < 0 || setns(fd, CLONE_NEWNET) != 0 ||
	    unshare(CLONE_NEWUTS | CLONE_NEWNS) != 0 ||
	    sethostname(name, (size_t)(text + len - name)) != 0)
		return -1;
	close(fd);
	/* Like "ip netns exec"; mounts below /sys stay hidden. */
	umount2("/sys", MNT_DETACH);
	rc = mount("sysfs", "/sys", "sysfs", MS_RDONLY, NULL);
	if (rc == 0)
		rc = setenv("TORCHELASTIC_RUN_ID", "run_on_nodes", 1);
	if (rc == 0)
		rc = setenv("MASTER_ADDR", "10.77.0.1", 1);
	for (size_t i = 0; rc == 0 && i < sizeof numbers / sizeof *numbers;
	     i++) {
		snprintf(text, sizeof text, "%ld", numbers[i].value);
		rc = setenv(numbers[i].name, text, 1);
	}
	return rc;
}

/* Become a rank. Does not return. */
static void
become_rank(long rank, char *const *command)
{
	sigset_t none;

	if (groups != NULL &&
	    write_file("0", "%s/rank%ld/cgroup.procs", groups, rank) != 0)
		fprintf(stderr, "%s: rank %ld: cannot join its control group\n",
		    program.name, rank);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (enter_node(rank) != 0) {
		fprintf(stderr, "%s: rank %ld: cannot enter node%ld: %s\n",
		    program.name, rank, node_of(rank), strerror(errno));
	} else {
		execvp(command[0], command);
		fprintf(stderr, "%s: rank %ld: cannot run '%s': %s\n",
		    program.name, rank, command[0], strerror(errno));
	}
	_exit(EXIT_STATUS_INPUT);
}

/* Record the end of a child. The first failure of a rank ends all. */
static void
note_end(pid_t pid, int status)
{
	const bool first = ranks.status == 0;
	long rank = 0;

	while (rank < n_nodes * n_devices && ranks.pids[rank] != pid)
		rank++;
	if (rank == n_nodes * n_devices)
		return; /* an orphan of a rank */
	ranks.pids[rank] = 0;
	ranks.left--;
	/* The effects of a killed rank on others may be seen before its own
	 * end. */
	if (status == 0 ||
	    (!first &&
		(ranks.asked || ranks.status > 128 || !WIFSIGNALED(status))))
		return;
	ranks.status =
	    WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	if (ranks.asked)
		return;
	if (WIFSIGNALED(status))
		job_report(program.name,
		    "rank %ld (node%ld) was ended by signal %d (%s)",
		    "rank %ld（node%ld）被信号 %d（%s）终止", rank,
		    node_of(rank), WTERMSIG(status),
		    strsignal(WTERMSIG(status)));
	else
		job_report(program.name,
		    "rank %ld (node%ld) ended with status %d",
		    "rank %ld（node%ld）结束，状态为 %d", rank, node_of(rank),
		    WEXITSTATUS(status));
	if (first) {
		ranks.term_at = seconds_now() + 0.5 * NODES_PATIENCE_S;
		ranks.kill_at = seconds_now() + NODES_PATIENCE_S;
	}
}

/* Start all ranks and wait for them. SIGTERM, which is blocked, makes them end.
 * Runs in the first process of the namespaces, so kill(-1, ...) reaches the
 * ranks and their children. Returns as run_on_nodes(). */
static int
run_ranks(const struct link *l, char *const *command, struct error *e)
{
	const struct timespec pause = { 0, 50 * 1000 * 1000 };
	const long n = n_nodes * n_devices;
	int rc = 0, status;
	sigset_t set;
	pid_t pid;

	printf("dlscale: nodes emulated=%ld devices_per_node=%ld "
	       "link_mbit_per_s=%.10g burst_bytes=%.10g delay_ms=%.10g "
	       "core_share=",
	    n_nodes, n_devices, 1e-6 * l->bits_per_s, l->burst_bytes,
	    1e3 * l->delay_s);
	if (groups != NULL)
		printf("%.3g\n", core_share);
	else
		printf("none\n");
	fflush(stdout);
	ranks.pids = xcalloc((size_t)n, sizeof *ranks.pids);
	if (job_token_set() != 0)
		rc = error_errno(e, errno, "cannot make the job's token");
	while (rc == 0 && ranks.left < n) {
		pid = fork();
		if (pid == 0)
			become_rank(ranks.left, command);
		else if (pid > 0)
			ranks.pids[ranks.left++] = pid;
		else
			rc = error_errno(
			    e, errno, "cannot start rank %ld", ranks.left);
	}
	if (rc != 0)
		kill(-1, SIGKILL);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGTERM);
	while (ranks.left > 0) {
		if (sigtimedwait(&set, NULL, &pause) == SIGTERM &&
		    ranks.kill_at < 0) {
			ranks.term_at = seconds_now();
			ranks.kill_at = ranks.term_at + NODES_PATIENCE_S;
			ranks.asked = true;
		}
		while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
			note_end(pid, status);
		if (ranks.term_at >= 0 && seconds_now() >= ranks.term_at) {
			ranks.term_at = -1;
			ranks.asked = true;
			kill(-1, SIGTERM);
		}
		if (ranks.kill_at >= 0 && seconds_now() >= ranks.kill_at)
			kill(-1, SIGKILL);
	}
	free(ranks.pids);
	return rc != 0 ? -1 : ranks.status;
}

/* --- The first process and the caller ------------------------------------- */

/* The first process of the namespaces. Does not return. */
static void
be_first(const struct link *l, char *const *command, int pipe_end)
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
	status = make_nodes(l, &e);
	if (status == 0)
		status = run_ranks(l, command, &e);
	if (status < 0)
		status = error_report(program.name, &e);
	fflush(NULL);
	_exit(status);
}

/* Leave the machine's namespaces. A normal user becomes root inside the new
 * ones. */
static int
leave_namespaces(struct error *e)
{
	const long uid = (long)geteuid(), gid = (long)getegid();
	int flags = CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWPID;
	char user[64], group[64];

	if (uid != 0)
		flags |= CLONE_NEWUSER;
	if (unshare(flags) != 0)
		return error_errno(e, errno,
		    "cannot make network namespaces; that needs root, or a "
		    "kernel that lets users make them "
		    "(user.max_user_namespaces above 0, "
		    "kernel.unprivileged_userns_clone 1); hosts of a hostfile "
		    "need neither");
	snprintf(user, sizeof user, "0 %ld 1", uid);
	snprintf(group, sizeof group, "0 %ld 1", gid);
	if (uid != 0 &&
	    (write_file("deny", "/proc/self/setgroups") != 0 ||
		write_file(user, "/proc/self/uid_map") != 0 ||
		write_file(group, "/proc/self/gid_map") != 0))
		return error_errno(
		    e, errno, "cannot become root of the nodes' namespaces");
	return 0;
}

static int
run_first(const struct link *l, char *const *command, struct error *e)
{
	const struct timespec pause = { 0, 100 * 1000 * 1000 };
	double kill_at = -1;
	sigset_t interrupts;
	int ends[2], status = 0;
	pid_t first;

	sigemptyset(&interrupts);
	sigaddset(&interrupts, SIGCHLD);
	sigaddset(&interrupts, SIGINT);
	sigaddset(&interrupts, SIGTERM);
	sigaddset(&interrupts, SIGHUP);
	sigprocmask(SIG_BLOCK, &interrupts, NULL);
	if (leave_namespaces(e) != 0)
		return -1;
	if (pipe(ends) != 0)
		return error_errno(e, errno, "cannot make a pipe");
	fflush(NULL);
	first = fork();
	if (first == 0) {
		close(ends[1]);
		be_first(l, command, ends[0]);
	}
	close(ends[0]);
	/* The first process checks the pipe only once, before it starts ranks,
	 * because ranks hold the pipe open. */
	if (first < 0)
		error_errno(e, errno, "cannot start the nodes");
	/* Forward the first interrupt, and kill the first process if it still
	 * runs NODES_PATIENCE_S + 2 seconds later. */
	while (first > 0 && waitpid(first, &status, WNOHANG) != first) {
		const int sig = sigtimedwait(&interrupts, NULL, &pause);

		if (sig > 0 && sig != SIGCHLD && kill_at < 0) {
			kill(first, SIGTERM);
			kill_at = seconds_now() + NODES_PATIENCE_S + 2;
		}
		if (kill_at >= 0 && seconds_now() > kill_at)
			kill(first, SIGKILL);
	}
	close(ends[1]);
	if (first < 0)
		return -1;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status)
				   : WEXITSTATUS(status);
}

/* Run the command on all nodes. The rank that fails first is named on stderr,
 * and so is the first rank killed by a signal, whose effect on others may be
 * seen earlier. The other ranks are killed if they run for longer than
 * NODES_PATIENCE_S after that.
 *
 * Returns the exit status of the rank named last (128 + its signal), or 0. */
static int
run_on_nodes(char **operands, size_t n, struct error *e)
{
	struct link l;
	int status;

	if (options_check_operands(operands, n, SIZE_MAX, "the command", e) !=
	    0)
		return -1;
	if (n_nodes * n_devices > NODES_MAX_RANKS)
		return error_set(
		    e, ERROR_USAGE, "more than %d ranks", NODES_MAX_RANKS);
	if (link_parse(rate, burst, delay, &l, e) != 0) {
		e->code = ERROR_USAGE;
		return -1;
	}
	if (core_share > 0)
		open_groups();
	status = run_first(&l, operands, e);
	close_groups();
	return status;
}

int
main(int argc, char **argv)
{
	return program_main(&program, argc, argv, run_on_nodes);
}
