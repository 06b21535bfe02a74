/* The thread that watches collectives. */
#include <config.h>

#include "trainer/comm/watchdog.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/process.h"
#include "common/strbuf.h"
#include "trainer/comm/comm.h"
#include "trainer/comm/heartbeat.h"

enum { NAMED = 8 }; /* peers that a message names */

/* Time limit of comm_abort(), after which the process exits by itself. */
static const double abort_s = 2;

/* After a failure: time to wait for surviving ranks, and maximum delay of a
 * datagram from a rank that has ended. */
static const double listen_s = 3, late_s = 0.1;

struct watchdog {
	struct comm *comm;
	int rank, size;
	struct watchdog_config config;
	struct heartbeat *heartbeat;
	double tick_s;
	pthread_t thread;

	pthread_mutex_t lock; /* protects all below */
	pthread_cond_t quits;
	int quit;
	int armed;
	int leaving;        /* a collective has failed */
	uint64_t n_entered; /* collectives */
	const char *op;
	double bytes;
	int64_t step;
	int bucket;
};

/* --- The message --------------------------------------------------------- */

static void
add_peer(struct watchdog *w, int rank, double now, struct strbuf *sb)
{
	const struct heartbeat_peer *p = heartbeat_peer(w->heartbeat, rank);

	strbuf_printf(sb, "rank %d (%s, process %ld) ", rank, p->host, p->pid);
	if (p->heard < 0) {
		strbuf_addstr(sb, "never");
		return;
	}
	strbuf_printf(sb, "%.1f s ago", now - p->heard);
	if (p->n_entered < w->n_entered)
		strbuf_addstr(sb, ", when it had not come here");
	else if (p->n_entered == w->n_entered && p->inside)
		strbuf_addstr(sb, ", when it waited here too");
	else
		strbuf_addstr(sb, ", when it was past this");
}

/* The unnamed peer that has been silent longest, the lowest of equal ones; -1
 * if all are named. */
static int
next_silent(const struct watchdog *w, const char *named)
{
	int best = -1;

	for (int i = 0; i < w->size; i++)
		if (i != w->rank && !named[i] &&
		    (best < 0 ||
			heartbeat_peer(w->heartbeat, i)->heard <
			    heartbeat_peer(w->heartbeat, best)->heard))
			best = i;
	return best;
}

/* Name peers, longest silence first.
 *
 * named  [size] in: 1 to skip a peer; modified */
static void
add_peers(struct watchdog *w, double now, char *named, struct strbuf *sb)
{
	int n = 0, more = 0;

	for (int i; n < NAMED && (i = next_silent(w, named)) >= 0; n++) {
		strbuf_addstr(sb, n > 0 ? "; " : "");
		add_peer(w, i, now, sb);
		named[i] = 1;
	}
	for (int i = 0; i < w->size; i++)
		more += i != w->rank && !named[i];
	if (more > 0)
		strbuf_printf(sb, "; %d more since then", more);
}

/* "allreduce of bucket 1 (26494976 bytes) in step 5" */
static void
add_collective(const struct watchdog *w, struct strbuf *sb)
{
	strbuf_addstr(sb, w->op);
	if (w->bucket >= 0)
		strbuf_printf(sb, " of bucket %d", w->bucket);
	if (w->bytes > 0)
		strbuf_printf(sb, " (%.0f bytes)", w->bytes);
	if (w->step >= 0)
		strbuf_printf(sb, " in step %lld", (long long)w->step + 1);
}

/* Send this rank's state to all others. */
static void
send_state(struct watchdog *w)
{
	heartbeat_send(w->heartbeat, w->n_entered,
	    w->leaving     ? HEARTBEAT_LEAVING
		: w->armed ? HEARTBEAT_INSIDE
			   : HEARTBEAT_OUTSIDE);
}

/* Tell the others that this rank ends because of another one, so that they do
 * not report it as failed. */
static void
report_leaving(struct watchdog *w)
{
	w->leaving = 1;
	send_state(w);
}

/* Print the message with one write(2). The lock is held so that the reported
 * state does not change. */
static void
report_timeout(struct watchdog *w, double now)
{
	char *named = xcalloc((size_t)w->size, 1);
	struct strbuf sb;

	strbuf_init(&sb, 1 << 16);
	strbuf_printf(&sb, "%s: rank %d: ", w->config.program, w->rank);
	add_collective(w, &sb);
	strbuf_printf(&sb, " has not ended within %g s; last heard from ",
	    w->config.timeout_s);
	add_peers(w, now, named, &sb);
	strbuf_addch(&sb, '\n');
	(void)!write(STDERR_FILENO, sb.buf, sb.len);
	strbuf_release(&sb);
	free(named);
	report_leaving(w);
}

/* --- Surviving ranks ----------------------------------------------------- */

/* Mark the peers that are alive: heard from after `since`, or ending because of
 * another rank.  Returns their number. */
static int
mark_living(const struct watchdog *w, double since, char *living)
{
	int n = 0;

	for (int i = 0; i < w->size; i++) {
		const struct heartbeat_peer *p =
		    heartbeat_peer(w->heartbeat, i);

		living[i] = i != w->rank && (p->leaving || p->heard > since);
		n += living[i];
	}
	return n;
}

/* Find the peer that made a collective fail: listen for two ticks, in which
 * every living rank sends a datagram. With two ranks it can only be the other
 * one. The lock is held on entry and return.
 *
 * living  [size] out: 1 for a peer that is alive; all 0 if none is silent */
static void
listen_for_living(struct watchdog *w, char *living)
{
	const struct timespec pause = { .tv_nsec = 20000000 };
	const double begin = seconds_now();
	const double end = begin + fmin(listen_s, 2 * w->tick_s);

	heartbeat_receive(w->heartbeat, begin);
	report_leaving(w);
	while (w->size > 2 && seconds_now() < end &&
	    mark_living(w, begin + late_s, living) < w->size - 1) {
		pthread_mutex_unlock(&w->lock);
		nanosleep(&pause, NULL);
		pthread_mutex_lock(&w->lock);
		heartbeat_receive(w->heartbeat, seconds_now());
	}
	if (mark_living(w, begin + late_s, living) == w->size - 1)
		memset(living, 0, (size_t)w->size);
}

/* --- The thread ---------------------------------------------------------- */

static void *
run_end(void *arg)
{
	struct watchdog *w = arg;

	w->config.end(w->comm, EXIT_STATUS_INPUT);
	return NULL;
}

/* The back end itself may hang, so its abort runs in a thread with a time
 * limit. */
static void
end_all(struct watchdog *w)
{
	const struct timespec t = { .tv_sec = (time_t)abort_s };
	pthread_t thread;

	if (pthread_create(&thread, NULL, run_end, w) == 0)
		nanosleep(&t, NULL);
	_exit(EXIT_STATUS_INPUT);
}

/* Sleep for a tick, or until watchdog_close.  The lock is held. */
static void
sleep_tick(struct watchdog *w)
{
	struct timespec t;
	long ns;

	clock_gettime(CLOCK_MONOTONIC, &t);
	ns = t.tv_nsec + (long)(w->tick_s * 1e9);
	t.tv_sec += ns / 1000000000;
	t.tv_nsec = ns % 1000000000;
	while (!w->quit &&
	    pthread_cond_timedwait(&w->quits, &w->lock, &t) != ETIMEDOUT)
		;
}

static void *
watchdog_thread(void *arg)
{
	struct watchdog *w = arg;
	double last, waited = 0;
	uint64_t seen = 0; /* number of the watched collective */

	last = seconds_now();
	pthread_mutex_lock(&w->lock);
	while (!w->quit) {
		const double now = seconds_now(), since = now - last;

		heartbeat_receive(w->heartbeat, now);
		send_state(w);
		if (!w->armed || w->n_entered != seen)
			waited = 0;
		else /* a longer tick means that this process was stopped */
			waited += since < 2 * w->tick_s ? since : w->tick_s;
		seen = w->n_entered;
		last = now;
		if (w->armed && waited >= w->config.timeout_s) {
			report_timeout(w, now);
			end_all(w);
		}
		sleep_tick(w);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

/* --- From outside -------------------------------------------------------- */

int
watchdog_open(struct comm *c, const struct watchdog_config *config,
    struct watchdog **out, struct error *e)
{
	struct watchdog *w = xcalloc(1, sizeof *w);
	pthread_condattr_t attributes;
	int rc;

	w->comm = c;
	w->rank = c->rank;
	w->size = c->size;
	w->step = -1;
	w->config = *config;
	if (w->config.end == NULL)
		w->config.end = comm_abort;
	w->bucket = -1;
	/* Large runs send less often, because each rank sends to all others. */
	w->tick_s = fmin(config->timeout_s / 20, fmax(0.5, c->size / 128.0));
	pthread_mutex_init(&w->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&w->quits, &attributes);
	pthread_condattr_destroy(&attributes);
	rc = heartbeat_open(c, &w->heartbeat, e);
	if (rc == 0 &&
	    (rc = pthread_create(&w->thread, NULL, watchdog_thread, w)) != 0)
		error_errno(e, rc, "cannot start a thread");
	if (rc != 0) {
		heartbeat_close(w->heartbeat);
		free(w);
		return -1;
	}
	*out = w;
	return 0;
}

void
watchdog_arm(struct watchdog *w, const char *op, double bytes)
{
	if (w == NULL)
		return;
	pthread_mutex_lock(&w->lock);
	w->armed = 1;
	w->n_entered++;
	w->op = op;
	w->bytes = bytes;
	pthread_mutex_unlock(&w->lock);
}

void
watchdog_explain(struct watchdog *w, struct error *e)
{
	struct strbuf sb;
	char *named;

	if (w == NULL)
		return;
	named = xcalloc((size_t)w->size, 1);
	strbuf_init(&sb, ERROR_MESSAGE_SIZE);
	pthread_mutex_lock(&w->lock);
	listen_for_living(w, named);
	add_collective(w, &sb);
	strbuf_printf(&sb, ": %.500s; last heard from ", e->message);
	add_peers(w, seconds_now(), named, &sb);
	pthread_mutex_unlock(&w->lock);
	error_set(e, e->code, "%s", sb.buf);
	strbuf_release(&sb);
	free(named);
}

void
watchdog_disarm(struct watchdog *w)
{
	if (w == NULL)
		return;
	pthread_mutex_lock(&w->lock);
	w->armed = 0;
	pthread_mutex_unlock(&w->lock);
}

void
watchdog_set_context(struct watchdog *w, int64_t step, int bucket)
{
	if (w == NULL)
		return;
	pthread_mutex_lock(&w->lock);
	w->step = step;
	w->bucket = bucket;
	pthread_mutex_unlock(&w->lock);
}

void
watchdog_close(struct watchdog *w)
{
	if (w == NULL)
		return;
	pthread_mutex_lock(&w->lock);
	w->quit = 1;
	pthread_cond_signal(&w->quits);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	pthread_mutex_destroy(&w->lock);
	pthread_cond_destroy(&w->quits);
	heartbeat_close(w->heartbeat);
	free(w);
}
