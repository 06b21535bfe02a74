/* The thread that watches collectives, and the datagrams by which it knows
 * which ranks live. */
#include <config.h>

#include "trainer/comm/watchdog.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <math.h>
#include <net/if.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/process.h"
#include "trainer/comm/comm.h"

enum {
	ABORT_S = 2,      /* time limit of comm_abort() */
	NAMED = 8,        /* peers that a message names */
	MAX_ADDRESSES = 4 /* of one rank */
};

/* After a failure: time to wait for surviving ranks, and maximum delay of a
 * datagram from a rank that has ended. */
static const double listen_s = 3, late_s = 0.1;

/* Data that each rank sends to the others at the start. */
struct card {
	char host[48]; /* host name, truncated if longer */
	int64_t pid;
	uint64_t machine;
	uint32_t addresses[MAX_ADDRESSES]; /* IPv4, network order; 0: none */
	uint64_t port;                     /* network order; 0: no socket */
};

/* State that a rank reports. */
enum beat_state {
	BEAT_OUTSIDE, /* in no collective */
	BEAT_INSIDE,
	BEAT_LEAVING /* ending: its collective failed */
};

/* A small UDP datagram from each rank to all others. Killed or stopped
 * processes send none, and links that are down carry none. In host byte order,
 * which is equal on all ranks (gradients require it, too). */
struct beat {
	uint64_t token; /* identifies the run */
	uint64_t n_entered;
	int32_t rank;
	int32_t state; /* enum beat_state */
};

/* Last report of a rank. This rank itself is never heard from. */
struct peer {
	struct card card;
	double heard;       /* monotonic seconds; < 0: never */
	uint64_t n_entered; /* collectives begun by then */
	int inside;         /* 1: in the last of them */
	int leaving;        /* 1: ending because of another rank */
};

struct watchdog {
	struct comm *comm;
	int rank, size;
	struct watchdog_config config;
	double tick_s;
	pthread_t thread;
	int fd; /* of datagrams; -1: none, and all peers stay silent */
	uint64_t token;

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
	struct peer *peers; /* [size] */
};

/* --- Datagrams ------------------------------------------------------------ */

/* Exchange the cards of all ranks. */
static int
share_cards(struct watchdog *w, struct error *e)
{
	struct card *own = &w->peers[w->rank].card;
	struct sockaddr_in a = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_ANY) };
	socklen_t len = sizeof a;
	struct ifaddrs *all = NULL;
	int rc, n = 0;

	/* A socket on all addresses, on a port chosen by the kernel. */
	w->fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (w->fd >= 0 &&
	    (bind(w->fd, (struct sockaddr *)&a, sizeof a) != 0 ||
		getsockname(w->fd, (struct sockaddr *)&a, &len) != 0)) {
		close(w->fd);
		w->fd = -1;
	}
	if (w->fd >= 0)
		own->port = a.sin_port;
	gethostname(own->host, sizeof own->host - 1);
	own->pid = getpid();
	own->machine = w->comm->machine;
	if (getifaddrs(&all) != 0)
		all = NULL;
	for (const struct ifaddrs *i = all; i != NULL; i = i->ifa_next) {
		if (i->ifa_addr == NULL || i->ifa_addr->sa_family != AF_INET ||
		    !(i->ifa_flags & IFF_UP) || (i->ifa_flags & IFF_LOOPBACK) ||
		    n == MAX_ADDRESSES)
			continue;
		memcpy(&a, i->ifa_addr, sizeof a);
		own->addresses[n++] = a.sin_addr.s_addr;
	}
	if (all != NULL)
		freeifaddrs(all);
	if (getrandom(&w->token, sizeof w->token, GRND_NONBLOCK) !=
	    (ssize_t)sizeof w->token)
		w->token = (uint64_t)getpid();
	rc = comm_broadcast(w->comm, &w->token, sizeof w->token, 0, e);
	for (int i = 0; i < w->size && rc == 0; i++) {
		struct card *card = &w->peers[i].card;

		rc = comm_broadcast(w->comm, card, sizeof *card, i, e);
		card->host[sizeof card->host - 1] = '\0';
		w->peers[i].heard = -1;
	}
	return rc;
}

static void
send_to(const struct watchdog *w, uint32_t address, uint64_t port,
    const struct beat *b)
{
	const struct sockaddr_in a = { .sin_family = AF_INET,
		.sin_addr.s_addr = address,
		.sin_port = (in_port_t)port };

	/* A lost datagram is not an error. */
	(void)!sendto(w->fd, b, sizeof *b, MSG_DONTWAIT | MSG_NOSIGNAL,
	    (const struct sockaddr *)&a, sizeof a);
}

/* Send this rank's state to all others. */
static void
send_state(const struct watchdog *w)
{
	const struct beat b = { w->token, w->n_entered, w->rank,
		w->leaving     ? BEAT_LEAVING
		    : w->armed ? BEAT_INSIDE
			       : BEAT_OUTSIDE };

	for (int i = 0; w->fd >= 0 && i < w->size; i++) {
		const struct card *c = &w->peers[i].card;

		if (i == w->rank || c->port == 0)
			continue;
		if (c->machine == w->peers[w->rank].card.machine)
			send_to(w, htonl(INADDR_LOOPBACK), c->port, &b);
		for (int k = 0; k < MAX_ADDRESSES; k++)
			if (c->addresses[k] != 0)
				send_to(w, c->addresses[k], c->port, &b);
	}
}

/* Receive pending datagrams. */
static void
receive_states(struct watchdog *w)
{
	struct beat b;
	ssize_t n;

	if (w->fd < 0)
		return;
	while ((n = recv(w->fd, &b, sizeof b, MSG_DONTWAIT)) >= 0) {
		struct peer *p;

		if (n != (ssize_t)sizeof b || b.token != w->token ||
		    b.rank < 0 || b.rank >= w->size)
			continue;
		p = &w->peers[b.rank];
		p->heard = seconds_now();
		p->leaving |= b.state == BEAT_LEAVING;
		if (b.n_entered < p->n_entered) /* overtaken */
			continue;
		p->n_entered = b.n_entered;
		p->inside = b.state != BEAT_OUTSIDE;
	}
}

/* --- The message --------------------------------------------------------- */

/* Name peers, the longest silent first, among equal ones the lower rank.
 *
 * named  [size] in: 1 to skip a peer; modified */
static void
add_peers(const struct watchdog *w, char *named, struct strbuf *sb)
{
	int left = 0;

	named[w->rank] = 1;
	for (int i = 0; i < w->size; i++)
		left += !named[i];
	for (int n = 0; n < NAMED && left > 0; n++, left--) {
		const struct peer *p;
		int best = -1;

		for (int i = 0; i < w->size; i++)
			if (!named[i] &&
			    (best < 0 ||
				w->peers[i].heard < w->peers[best].heard))
				best = i;
		strbuf_addstr(sb, n > 0 ? "; " : "");
		p = &w->peers[best];
		strbuf_printf(sb, "rank %d (%s, process %lld) ", best,
		    p->card.host, (long long)p->card.pid);
		if (p->heard < 0)
			strbuf_addstr(sb, "never");
		else
			strbuf_printf(sb, "%.1f s ago, when it %s",
			    seconds_now() - p->heard,
			    p->n_entered < w->n_entered ? "had not come here"
				: p->n_entered == w->n_entered && p->inside
				? "waited here too"
				: "was past this");
		named[best] = 1;
	}
	if (left > 0)
		strbuf_printf(sb, "; %d more since then", left);
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

/* Tell the others that this rank ends because of another one, so that they do
 * not report it as failed. */
static void
report_leaving(struct watchdog *w)
{
	w->leaving = 1;
	send_state(w);
}

/* Find the peers that are alive: heard from after `since`, or ending because of
 * another rank. Returns 1 if all are. */
static int
mark_living(const struct watchdog *w, double since, char *living)
{
	int n = 0;

	for (int i = 0; i < w->size; i++) {
		const struct peer *p = &w->peers[i];

		living[i] = i != w->rank && (p->leaving || p->heard > since);
		n += living[i];
	}
	return n == w->size - 1;
}

/* --- The thread ---------------------------------------------------------- */

static void *
run_end(void *arg)
{
	struct watchdog *w = arg;

	w->config.end(w->comm, EXIT_STATUS_INPUT);
	return NULL;
}

static void *
watchdog_thread(void *arg)
{
	const struct timespec limit = { .tv_sec = ABORT_S };
	struct watchdog *w = arg;
	double last = seconds_now(), waited = 0;
	pthread_t thread;
	uint64_t seen = 0; /* number of the watched collective */
	struct timespec t;
	struct strbuf sb = STRBUF_INIT(1 << 16);
	char *named;
	long ns;

	pthread_mutex_lock(&w->lock);
	while (!w->quit) {
		const double now = seconds_now(), since = now - last;

		receive_states(w);
		send_state(w);
		if (!w->armed || w->n_entered != seen)
			waited = 0;
		else /* a longer tick means that this process was stopped */
			waited += since < 2 * w->tick_s ? since : w->tick_s;
		seen = w->n_entered;
		last = now;
		if (w->armed && waited >= w->config.timeout_s) {
			/* Print with one write(2). The lock is held so that the
			 * reported state does not change. */
			named = xcalloc((size_t)w->size, 1);
			strbuf_printf(
			    &sb, "%s: rank %d: ", w->config.program, w->rank);
			add_collective(w, &sb);
			strbuf_printf(&sb,
			    " has not ended within %g s; last heard from ",
			    w->config.timeout_s);
			add_peers(w, named, &sb);
			strbuf_addch(&sb, '\n');
			(void)!write(STDERR_FILENO, sb.buf, sb.len);
			report_leaving(w);
			/* The back end itself may hang, so its abort runs in a
			 * thread with a time limit. */
			if (pthread_create(&thread, NULL, run_end, w) == 0)
				nanosleep(&limit, NULL);
			_exit(EXIT_STATUS_INPUT);
		}
		/* Sleep for a tick, or until watchdog_close. */
		clock_gettime(CLOCK_MONOTONIC, &t);
		ns = t.tv_nsec + (long)(w->tick_s * 1e9);
		t.tv_sec += ns / 1000000000;
		t.tv_nsec = ns % 1000000000;
		while (!w->quit &&
		    pthread_cond_timedwait(&w->quits, &w->lock, &t) !=
			ETIMEDOUT)
			;
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

/* --- From outside -------------------------------------------------------- */

static void
free_watchdog(struct watchdog *w)
{
	pthread_mutex_destroy(&w->lock);
	pthread_cond_destroy(&w->quits);
	if (w->fd >= 0)
		close(w->fd);
	free(w->peers);
	free(w);
}

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
	w->peers = xcalloc((size_t)c->size, sizeof *w->peers);
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
	rc = share_cards(w, e);
	if (rc == 0 &&
	    (rc = pthread_create(&w->thread, NULL, watchdog_thread, w)) != 0)
		error_errno(e, rc, "cannot start a thread");
	if (rc != 0) {
		free_watchdog(w);
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
	const struct timespec pause = { .tv_nsec = 20000000 };
	struct strbuf sb = STRBUF_INIT(ERROR_MESSAGE_SIZE);
	double begin, end;
	char *living;

	if (w == NULL)
		return;
	living = xcalloc((size_t)w->size, 1);
	pthread_mutex_lock(&w->lock);
	begin = seconds_now();
	end = begin + fmin(listen_s, 2 * w->tick_s);
	receive_states(w);
	report_leaving(w);
	/* Find the peer that made the collective fail: listen for two ticks, in
	 * which every living rank sends a datagram. With two ranks it can only
	 * be the other one. */
	while (w->size > 2 && seconds_now() < end &&
	    !mark_living(w, begin + late_s, living)) {
		pthread_mutex_unlock(&w->lock);
		nanosleep(&pause, NULL);
		pthread_mutex_lock(&w->lock);
		receive_states(w);
	}
	if (mark_living(w, begin + late_s, living))
		memset(living, 0, (size_t)w->size);
	add_collective(w, &sb);
	strbuf_printf(&sb, ": %.500s; last heard from ", e->message);
	add_peers(w, living, &sb);
	pthread_mutex_unlock(&w->lock);
	error_set(e, e->code, "%s", sb.buf);
	strbuf_release(&sb);
	free(living);
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
	free_watchdog(w);
}
