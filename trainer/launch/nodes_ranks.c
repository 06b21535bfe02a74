/* One process a rank, in its node's namespace, with the variables that
 * launchers set.  Only nodes.c calls this, as the first process of the
 * namespaces, so that "all processes" are the ranks and what they started. */
#include <config.h>

#include "trainer/launch/nodes_ranks.h"

#ifdef __linux__

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/process.h"

struct node_ranks {
	const struct nodes_how *how;
	const struct core_share *share;
	pid_t *pids; /* [n]; 0: has ended */
	long n, left;
	int status;     /* of the rank that failed first; 0: none has */
	bool asked;     /* to end: what ranks end with is ours from then on */
	double term_at; /* when all are asked to end; -1: not */
	double kill_at; /* when they are ended; -1: not */
};

/* --- Starting ------------------------------------------------------------- */

static int
set_number(const char *name, long x)
{
	char text[32];

	snprintf(text, sizeof text, "%ld", x);
	return setenv(name, text, 1);
}

/* As torchrun sets them, its name of the job included: what started us alone
 * (srun, mpirun) has set a rank and a size, too, and these must count. */
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

/* Enter the node: its network, a host name, and a /sys that shows it. */
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
	/* As "ip netns exec" does it; what was mounted below /sys stays out of
	 * sight. */
	umount2("/sys", MNT_DETACH);
	return mount("sysfs", "/sys", "sysfs", MS_RDONLY, NULL);
}

/* In a rank: never returns. */
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

/* Report what the ranks run on, for their log. */
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

/* --- Ending --------------------------------------------------------------- */

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

/* A child has ended; a rank's failure starts the end of all. */
static void
note_end(struct node_ranks *r, pid_t pid, int status)
{
	long rank = 0;
	bool first;

	while (rank < r->n && r->pids[rank] != pid)
		rank++;
	if (rank == r->n)
		return; /* what a rank had started, inherited by us */
	r->pids[rank] = 0;
	r->left--;
	if (status == 0)
		return;
	first = r->status == 0;
	/* Others give up because one was killed, and may be seen first. */
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

int
nodes_ranks_run(const struct nodes_how *how, const struct core_share *share,
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

#endif
