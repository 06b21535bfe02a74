/* Rank 0 listens; the others connect and identify themselves. Rank 0 sends a
 * challenge with its proof of the job's key and gets the rank's proof. It
 * answers each rank at once, answers again when all have connected, and then
 * distributes their data.
 *
 * A connection may come from a port scanner or a rank of another job, or stay
 * silent. So rank 0 polls all connections, drops those that send a wrong byte
 * or exceed a timeout, and admits only those with the right proof. */
#include <config.h>

#include "trainer/comm/rendezvous.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>
#include <xxhash.h>

#include "common/alloc.h"
#include "common/process.h"

enum {
	HOST_TEXT_MAX = 64,
	NONCE = 16,        /* bytes of a random number */
	VISITORS_MAX = 64, /* connections that have not yet identified
				  themselves */
	SILENT_S = 10,     /* time limit of a visitor's hello */
	RETRY_MS = 50,     /* between attempts to reach rank 0 */
	CONNECT_MS = 5000, /* limit for one address */
	ANSWER_S = 5,      /* limit for an answer; without one the peer is
				  not rank 0 */
	LATE_S = 5,        /* allowed delay of rank 0's verdict */
	NAMED_MAX = 8      /* missing ranks in a message */
};

/* The first message of a rank. In host byte order, which is equal on all ranks
 * (gradients require it, too). */
struct hello {
	char magic[8];
	unsigned char nonce[NONCE];
	int32_t rank, size;
	int32_t local_rank, local_size; /* -1: not known */
	char host[HOST_TEXT_MAX];
};

/* Rank 0's reply to a hello; the rank then sends its own proof. */
struct challenge {
	char magic[8];
	unsigned char nonce[NONCE];
	unsigned char proof[SHA256_SIZE];
};

enum answer_kind {
	ANSWER_WELCOME,
	ANSWER_OTHER_SIZE,
	ANSWER_RANK_TWICE,
	ANSWER_FAILED /* after the welcome: rank 0 gave up */
};

/* Rank 0's answer, sent at once and again when all ranks have connected. */
struct rendezvous_answer {
	char magic[8];
	int32_t kind;  /* enum answer_kind */
	int32_t size;  /* rank 0's */
	double left_s; /* until rank 0 gives up */
	char host[HOST_TEXT_MAX];
	char address[ADDRESS_TEXT_MAX]; /* rank 0's, when all are present */
	char message[256];              /* with ANSWER_FAILED */
};

/* Kinds of addresses of rank 0, best first. */
enum address_kind {
	ADDRESS_IPV4,
	ADDRESS_IPV6,
	ADDRESS_LOOPBACK_IPV4,
	ADDRESS_LOOPBACK_IPV6,
	N_ADDRESS_KINDS
};

static const char magic[8] = "dlscale3";

/* Rank 0's record of a rank. */
struct member {
	int fd; /* -1: not connected */
	int local_rank, local_size;
	char host[HOST_TEXT_MAX]; /* "": never connected */
};

/* A connection that has not proved yet that it is a rank. */
struct visitor {
	int fd;
	double since;
	unsigned char nonce[NONCE]; /* of the challenge */
	size_t have;                /* bytes of `says` received */
	struct {
		struct hello hello;
		unsigned char proof[SHA256_SIZE];
	} says;
};

struct rendezvous {
	const struct launcher *l;
	double timeout_s, deadline;
	struct meeting_place place;
	struct strbuf key;              /* of the job */
	char host[HOST_TEXT_MAX];       /* this rank's */
	char address[ADDRESS_TEXT_MAX]; /* this rank's */
	/* On rank 0: the address of each kind at which other ranks reached it;
	 * "": none. */
	char reached[N_ADDRESS_KINDS][ADDRESS_TEXT_MAX];
	int met_other;                  /* 1: a peer without the key answered */
	int fd;                         /* connection to rank 0, or -1 */
	char first_host[HOST_TEXT_MAX]; /* rank 0's */
	struct member *members;         /* rank 0: [size], [0] unused */
	struct visitor visitors[VISITORS_MAX]; /* rank 0 */
	int n_visitors;
};

/* --- Places and sockets --------------------------------------------------- */

/* Ports if MASTER_PORT is not set: PyTorch's default, or for a Slurm step one
 * of STEP_PORTS from STEP_PORT, below those that Linux assigns to clients. */
enum { USUAL_PORT = 29500, STEP_PORT = 20000, STEP_PORTS = 9000 };

int
meeting_place_find(
    const struct launcher *l, struct meeting_place *p, struct error *e)
{
	const size_t dot = strcspn(l->job, ".");
	unsigned long step = 0;

	memset(p, 0, sizeof *p);
	p->port = USUAL_PORT;
	if (l->port != NULL) {
		p->port = (unsigned)strtoul(l->port, NULL, 10);
	} else if (l->host == NULL && l->job[0] != '\0') {
		/* "JOB.STEP": steps of a job have consecutive ports. */
		if (l->job[dot] != '\0')
			step = strtoul(l->job + dot + 1, NULL, 10);
		p->port = STEP_PORT +
		    (unsigned)((XXH3_64bits(l->job, dot) + step) % STEP_PORTS);
	}
	if (l->host == NULL && l->job[0] != '\0' && l->local_size == l->size) {
		/* An abstract name (unix(7)), which vanishes with its
		 * socket. */
		const int most = sizeof p->local.sun_path - 1;
		const int len = snprintf(p->local.sun_path + 1, (size_t)most,
		    "dlscale-%ld-%s", (long)geteuid(), l->job);

		p->is_local = 1;
		p->local.sun_family = AF_UNIX;
		p->local_len =
		    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1) +
		    (socklen_t)(len < most ? len : most - 1);
		snprintf(
		    p->text, sizeof p->text, "job %s of this machine", l->job);
		return 0;
	}
	/* In Slurm the first host of the step, unless the distribution is
	 * arbitrary. */
	if (l->host != NULL)
		snprintf(p->host, sizeof p->host, "%s", l->host);
	else if (l->nodes == NULL ||
	    (l->distribution != NULL &&
		strncmp(l->distribution, "arbitrary", 9) == 0) ||
	    host_list_nth(l->nodes, 0, p->host, sizeof p->host) != 0)
		return error_set(e, ERROR_USAGE,
		    "ranks cannot connect: MASTER_ADDR (and MASTER_PORT) must "
		    "name the address of rank 0 in the environment of all "
		    "ranks");
	snprintf(p->text, sizeof p->text, "%.200s port %u", p->host, p->port);
	return 0;
}

static int
open_socket(int family)
{
	const int fd =
	    socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	const int on = 1, off = 0;

	if (fd < 0 || family == AF_UNIX)
		return fd;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
	return fd;
}

static int
listen_at(const void *address, socklen_t len)
{
	const struct sockaddr *a = address;
	const int fd = open_socket(a->sa_family);
	int saved;

	if (fd < 0 || (bind(fd, a, len) == 0 && listen(fd, SOMAXCONN) == 0))
		return fd;
	saved = errno;
	close(fd);
	errno = saved;
	return -1;
}

/* Listen on all interfaces at the place's port, over IPv6 and IPv4 if
 * available, or at the local socket. It does not bind to MASTER_ADDR, because
 * that often resolves to 127.0.1.1 on rank 0's machine.
 *
 * Returns a non-blocking socket, or -1 with ERROR_SYSTEM. */
static int
socket_address_listen(const struct meeting_place *p, struct error *e)
{
	const struct sockaddr_in6 six = { .sin6_family = AF_INET6,
		.sin6_port = htons((uint16_t)p->port),
		.sin6_addr = in6addr_any };
	const struct sockaddr_in four = { .sin_family = AF_INET,
		.sin_port = htons((uint16_t)p->port),
		.sin_addr.s_addr = htonl(INADDR_ANY) };
	int fd = p->is_local ? listen_at(&p->local, p->local_len)
			     : listen_at(&six, sizeof six);

	/* The machine may have no IPv6. */
	if (fd < 0 && !p->is_local && errno != EADDRINUSE && errno != EACCES)
		fd = listen_at(&four, sizeof four);
	if (fd >= 0)
		return fd;
	if (p->is_local)
		return error_errno(e, errno, "cannot listen at %s", p->text);
	return error_errno(
	    e, errno, "cannot listen on port %u (MASTER_PORT)", p->port);
}

/* True if TCP connected the socket to itself: nothing listens on the port, and
 * the kernel chose the same port for this end. */
static int
is_own_end(int fd)
{
	struct sockaddr_storage own, other;
	socklen_t own_len = sizeof own, other_len = sizeof other;

	memset(&own, 0, sizeof own);
	memset(&other, 0, sizeof other);
	return getsockname(fd, (struct sockaddr *)&own, &own_len) == 0 &&
	    getpeername(fd, (struct sockaddr *)&other, &other_len) == 0 &&
	    own.ss_family != AF_UNIX && own_len == other_len &&
	    memcmp(&own, &other, own_len) == 0;
}

/* Connect within timeout_ms. Returns a non-blocking socket, or -1 with
 * errno. */
static int
socket_address_connect(
    const struct sockaddr *to, socklen_t to_len, int timeout_ms)
{
	const int fd = open_socket(to->sa_family);
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	const struct linger at_once = { .l_onoff = 1 };
	socklen_t len = sizeof(int);
	int failed = 0;

	if (fd < 0)
		return -1;
	if (connect(fd, to, to_len) == 0)
		failed = 0;
	else if (errno != EINPROGRESS)
		failed = errno;
	else if (poll(&p, 1, timeout_ms) != 1)
		failed = ETIMEDOUT;
	else if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &failed, &len) != 0)
		failed = errno;
	if (failed == 0 && is_own_end(fd)) {
		/* Reset the connection to free the port for rank 0. */
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
		failed = ECONNREFUSED;
	}
	if (failed == 0)
		return fd;
	close(fd);
	errno = failed;
	return -1;
}

/* The local address of a connected socket as text; 127.0.0.1 for a local
 * socket, IPv4 for an IPv4-mapped address. Returns 1 if only this machine can
 * use it, else 0. */
static int
socket_address_text(int fd, char text[ADDRESS_TEXT_MAX])
{
	static const char mapped[] = "::ffff:";
	struct sockaddr_storage a = { .ss_family = AF_UNSPEC };
	socklen_t len = sizeof a;
	const int rc = getsockname(fd, (struct sockaddr *)&a, &len);

	snprintf(text, ADDRESS_TEXT_MAX, "127.0.0.1");
	if (rc != 0 || (a.ss_family != AF_INET && a.ss_family != AF_INET6) ||
	    getnameinfo((struct sockaddr *)&a, len, text, ADDRESS_TEXT_MAX,
		NULL, 0, NI_NUMERICHOST) != 0)
		return 1;
	if (strncmp(text, mapped, sizeof mapped - 1) == 0 &&
	    strchr(text, '.') != NULL)
		memmove(text, text + sizeof mapped - 1,
		    strlen(text + sizeof mapped - 1) + 1);
	/* 127.0.0.0/8, also IPv4-mapped, and ::1. */
	return strncmp(text, "127.", 4) == 0 || strcmp(text, "::1") == 0;
}

/* The source address of packets from this machine to another one.
 *
 * address  numeric, IPv4 or IPv6
 *
 * Returns 0, or -1 with errno if there is no route. */
static int
socket_address_toward(const char *address, char text[ADDRESS_TEXT_MAX])
{
	/* Connecting a UDP socket sends nothing. */
	const unsigned short any_port = htons(9);
	struct sockaddr_in four = { .sin_family = AF_INET,
		.sin_port = any_port };
	struct sockaddr_in6 six = { .sin6_family = AF_INET6,
		.sin6_port = any_port };
	const int is_four = inet_pton(AF_INET, address, &four.sin_addr) == 1;
	int fd, rc, saved;

	if (!is_four && inet_pton(AF_INET6, address, &six.sin6_addr) != 1) {
		errno = EAFNOSUPPORT;
		return -1;
	}
	fd = socket(is_four ? AF_INET : AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	rc = is_four ? connect(fd, (const struct sockaddr *)&four, sizeof four)
		     : connect(fd, (const struct sockaddr *)&six, sizeof six);
	saved = errno;
	if (rc == 0)
		socket_address_text(fd, text);
	close(fd);
	errno = saved;
	return rc;
}

/* --- Messages ------------------------------------------------------------- */

static double
rendezvous_left(struct rendezvous *x)
{
	return x->deadline - seconds_now();
}

/* Convert to a timeout for poll(), at most an hour so that the number fits; the
 * caller polls again. */
static int
to_ms(double s)
{
	if (!(s > 0))
		return 0;
	return s < 3600 ? (int)(s * 1e3) + 1 : 3600 * 1000;
}

/* Read or write exactly n bytes before the deadline. */
static int
move_all(double deadline, int fd, int out, void *data, size_t n)
{
	struct pollfd p = { .fd = fd, .events = out ? POLLOUT : POLLIN };
	char *at = data;

	while (n > 0) {
		const double left = deadline - seconds_now();
		const int rc = poll(&p, 1, to_ms(left));
		ssize_t k;

		if ((rc == 0 && left < 3600) || (rc < 0 && errno != EINTR))
			return -1;
		if (rc <= 0)
			continue;
		k = out ? send(fd, at, n, MSG_NOSIGNAL | MSG_DONTWAIT)
			: recv(fd, at, n, MSG_DONTWAIT);
		if (k < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (k <= 0)
			return -1;
		at += k;
		n -= (size_t)k;
	}
	return 0;
}

void
hmac_sha256(const void *key, size_t key_len, const void *data, size_t len,
    unsigned char out[SHA256_SIZE])
{
	unsigned char block[SHA256_BLOCK] = { 0 },
		      outer[SHA256_BLOCK + SHA256_SIZE];
	unsigned char *inner = xmalloc(SHA256_BLOCK + len);

	if (key_len > SHA256_BLOCK)
		sha256_of(key, key_len, block);
	else
		memcpy(block, key, key_len);
	for (int i = 0; i < SHA256_BLOCK; i++) {
		inner[i] = block[i] ^ 0x36;
		outer[i] = block[i] ^ 0x5c;
	}
	memcpy(inner + SHA256_BLOCK, data, len);
	sha256_of(inner, SHA256_BLOCK + len, outer + SHA256_BLOCK);
	sha256_of(outer, sizeof outer, out);
	free(inner);
}

/* Make the proof of rank 0 or of another rank that it has the job's key. */
static void
make_proof(const struct rendezvous *x, int is_root, const struct hello *hello,
    const unsigned char nonce[NONCE], unsigned char proof[SHA256_SIZE])
{
	unsigned char data[1 + NONCE + sizeof *hello] = { (
	    unsigned char)is_root };

	memcpy(data + 1, nonce, NONCE);
	memcpy(data + 1 + NONCE, hello, sizeof *hello);
	hmac_sha256(x->key.buf, x->key.len, data, sizeof data, proof);
}

/* --- Rank 0 --------------------------------------------------------------- */

/* Send a short answer. If it does not fit into the socket's buffer, the
 * connection is lost anyway. */
static void
send_answer(
    struct rendezvous *x, int fd, enum answer_kind kind, const char *message)
{
	struct rendezvous_answer a = { .kind = kind,
		.size = (int32_t)x->l->size };

	memcpy(a.magic, magic, sizeof magic);
	a.left_s = rendezvous_left(x);
	memcpy(a.host, x->host, sizeof a.host);
	memcpy(a.address, x->address, sizeof a.address);
	snprintf(a.message, sizeof a.message, "%s", message);
	(void)!send(fd, &a, sizeof a, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* True if the other end of a connection is closed. */
static int
has_left(int fd)
{
	char byte;
	const ssize_t k = recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);

	return k == 0 || (k < 0 && errno != EAGAIN && errno != EINTR);
}

static int
is_ipv6(const char *address)
{
	return strchr(address, ':') != NULL;
}

/* Send the challenge to a visitor whose hello is complete. */
static int
challenge_visitor(const struct rendezvous *x, struct visitor *v)
{
	struct challenge c;

	if (getrandom(v->nonce, NONCE, 0) != NONCE)
		return -1;
	memcpy(c.magic, magic, sizeof magic);
	memcpy(c.nonce, v->nonce, NONCE);
	make_proof(x, 1, &v->says.hello, c.nonce, c.proof);
	return send(v->fd, &c, sizeof c, MSG_NOSIGNAL | MSG_DONTWAIT) ==
		(ssize_t)sizeof c
	    ? 0
	    : -1;
}

/* Admit or refuse a visitor that has sent its proof. Returns 1 if admitted, 0
 * if refused, -1 with e if the ranks do not agree. */
static int
admit_visitor(struct rendezvous *x, struct visitor *v, struct error *e)
{
	struct hello *h = &v->says.hello;
	unsigned char proof[SHA256_SIZE];
	char text[ADDRESS_TEXT_MAX];
	struct member *m;
	int kind;

	/* Each nonce is used once, so the time of memcmp() tells nothing. */
	make_proof(x, 0, h, v->nonce, proof);
	if (memcmp(proof, v->says.proof, sizeof proof) != 0)
		return 0;
	h->host[HOST_TEXT_MAX - 1] = '\0';
	text_sanitise(h->host, "");
	if (h->size != x->l->size || h->rank <= 0 || h->rank >= h->size) {
		send_answer(x, v->fd, ANSWER_OTHER_SIZE, "");
		return error_set(e, ERROR_INPUT,
		    "the ranks do not agree: one is rank %d of %d (%.60s), "
		    "and this is rank 0 of %ld",
		    h->rank, h->size, h->host, x->l->size);
	}
	m = &x->members[h->rank];
	if (m->fd >= 0 && !has_left(m->fd)) {
		send_answer(x, v->fd, ANSWER_RANK_TWICE, "");
		return error_set(e, ERROR_INPUT,
		    "the ranks do not agree: two are rank %d, on %.60s and on "
		    "%.60s",
		    h->rank, m->host, h->host);
	}
	if (m->fd >= 0)
		close(m->fd);
	m->fd = v->fd;
	m->local_rank = h->local_rank;
	m->local_size = h->local_size;
	memcpy(m->host, h->host, sizeof m->host);
	/* Record the address by which it has reached this machine. */
	kind = socket_address_text(m->fd, text) ? ADDRESS_LOOPBACK_IPV4
						: ADDRESS_IPV4;
	kind += is_ipv6(text);
	if (x->reached[kind][0] == '\0')
		memcpy(x->reached[kind], text, sizeof text);
	send_answer(x, m->fd, ANSWER_WELCOME, "");
	return 1;
}

static void
drop_visitor(struct rendezvous *x, int i)
{
	close(x->visitors[i].fd);
	x->visitors[i] = x->visitors[--x->n_visitors];
}

/* Read data from a visitor, and admit, keep or drop it. Returns 0, or -1 with e
 * if the ranks do not agree. */
static int
hear_visitor(struct rendezvous *x, int i, struct error *e)
{
	struct visitor *v = &x->visitors[i];
	const int is_known = v->have >= sizeof v->says.hello;
	const size_t end = is_known ? sizeof v->says : sizeof v->says.hello;
	const ssize_t k = recv(
	    v->fd, (char *)&v->says + v->have, end - v->have, MSG_DONTWAIT);
	int rc = 0;

	if (k < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	v->have += k > 0 ? (size_t)k : 0;
	if (k > 0 &&
	    memcmp(v->says.hello.magic, magic,
		v->have < sizeof magic ? v->have : sizeof magic) == 0) {
		if (v->have < end ||
		    (!is_known && challenge_visitor(x, v) == 0))
			return 0;
		rc = is_known ? admit_visitor(x, v, e) : 0;
	}
	if (rc == 1)
		x->visitors[i] = x->visitors[--x->n_visitors];
	else
		drop_visitor(x, i);
	return rc < 0 ? -1 : 0;
}

/* Accept a connection; if there are too many, drop the oldest visitor. Returns
 * -1 with e if the process has no descriptor left; it needs one for each
 * rank. */
static int
accept_visitor(struct rendezvous *x, int listener, struct error *e)
{
	const int fd =
	    accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	const int is_full = fd < 0 && (errno == EMFILE || errno == ENFILE);
	int oldest = 0;

	if (is_full && x->n_visitors == 0)
		return error_errno(e, errno,
		    "cannot take in all %ld ranks at %s", x->l->size,
		    x->place.text);
	for (int i = 1; i < x->n_visitors; i++)
		if (x->visitors[i].since < x->visitors[oldest].since)
			oldest = i;
	if (is_full || (fd >= 0 && x->n_visitors == VISITORS_MAX))
		drop_visitor(x, oldest);
	if (fd >= 0)
		x->visitors[x->n_visitors++] =
		    (struct visitor){ .fd = fd, .since = seconds_now() };
	return 0;
}

/* The host of a missing rank, as known from its earlier connection, from a rank
 * of the same machine (assuming consecutive ranks on each machine) or from the
 * launcher; else a text which says that it is not known.
 *
 * stated  buffer for the launcher's answer */
static const char *
find_host(const struct rendezvous *x, int rank, char stated[HOST_TEXT_MAX])
{
	const struct launcher *l = x->l;

	if (x->members[rank].host[0] != '\0')
		return x->members[rank].host;
	if (l->local_rank == 0 && rank < l->local_size)
		return x->host;
	for (int i = 1; i < l->size; i++) {
		const struct member *m = &x->members[i];
		const int first = i - m->local_rank;

		if (m->host[0] != '\0' && m->local_rank >= 0 &&
		    m->local_size > 0 && rank >= first &&
		    rank < first + m->local_size)
			return m->host;
	}
	return launcher_host_of_rank(l, rank, stated, HOST_TEXT_MAX) == 0
	    ? stated
	    : "no rank of its host came";
}

/* Report missing ranks and their hosts. */
static int
name_missing(struct rendezvous *x, int n, struct error *e)
{
	struct strbuf sb = STRBUF_INIT(ERROR_MESSAGE_SIZE);
	int named = 0;

	for (int i = 1; i < x->l->size && named < NAMED_MAX; i++) {
		const struct member *m = &x->members[i];
		char stated[HOST_TEXT_MAX];
		const char *host = find_host(x, i, stated);

		if (m->fd >= 0)
			continue;
		strbuf_printf(&sb, "%s rank %d (%s%s)", named++ > 0 ? "," : "",
		    i, host, m->host[0] != '\0' ? ", came and left again" : "");
	}
	error_set(e, ERROR_SYSTEM,
	    "only %d of %ld ranks connected to %s within %g s; missing:%s%s", n,
	    x->l->size, x->place.text, x->timeout_s, sb.buf,
	    x->l->size - n > NAMED_MAX ? ", ..." : "");
	strbuf_release(&sb);
	return -1;
}

/* Admit visitors until all ranks are present. */
static int
gather_members(struct rendezvous *x, int listener, struct error *e)
{
	for (;;) {
		struct pollfd p[VISITORS_MAX + 1] = { { listener, POLLIN, 0 } };
		const double left = rendezvous_left(x), now = seconds_now();
		int present = 1, n, rc;

		/* Drop silent visitors, and members that have left. */
		for (int i = x->n_visitors - 1; i >= 0; i--)
			if (now - x->visitors[i].since > SILENT_S)
				drop_visitor(x, i);
		for (int i = 1; i < x->l->size; i++) {
			struct member *m = &x->members[i];

			if (m->fd >= 0 && has_left(m->fd)) {
				close(m->fd);
				m->fd = -1;
			}
			present += m->fd >= 0;
		}

		if (present == x->l->size)
			return 0;
		if (left <= 0)
			return name_missing(x, present, e);
		n = x->n_visitors;
		for (int i = 0; i < n; i++)
			p[i + 1] =
			    (struct pollfd){ x->visitors[i].fd, POLLIN, 0 };
		rc = poll(p, (nfds_t)n + 1, to_ms(left < 1 ? left : 1));
		/* Backwards: the last visitor replaces a dropped one. */
		for (int i = n - 1; rc > 0 && i >= 0; i--)
			if (p[i + 1].revents != 0 && hear_visitor(x, i, e) != 0)
				return -1;
		if (rc > 0 && p[0].revents != 0 &&
		    accept_visitor(x, listener, e) != 0)
			return -1;
	}
}

static int
be_first(struct rendezvous *x, struct error *e)
{
	const int fd = socket_address_listen(&x->place, e);
	struct error own = ERROR_INIT;
	int rc, kind = 0;

	if (fd < 0)
		return -1;
	rc = gather_members(x, fd, &own);
	close(fd);
	/* Rank 0 chooses the address family for all ranks. */
	while (kind < N_ADDRESS_KINDS && x->reached[kind][0] == '\0')
		kind++;
	if (kind < N_ADDRESS_KINDS)
		memcpy(x->address, x->reached[kind], sizeof x->address);
	for (int i = 1; i < x->l->size; i++)
		if (x->members[i].fd >= 0)
			send_answer(x, x->members[i].fd,
			    rc == 0 ? ANSWER_WELCOME : ANSWER_FAILED,
			    own.message);
	while (x->n_visitors > 0)
		drop_visitor(x, x->n_visitors - 1);
	if (rc != 0)
		*e = own;
	return rc;
}

/* --- The other ranks ------------------------------------------------------ */

/* Interpret an answer. Returns 0 for a welcome, else -1 with e. */
static int
read_answer(
    struct rendezvous *x, const struct rendezvous_answer *a, struct error *e)
{
	const struct launcher *l = x->l;

	switch (a->kind) {
	case ANSWER_WELCOME:
		return 0;
	case ANSWER_OTHER_SIZE:
		return error_set(e, ERROR_INPUT,
		    "the ranks do not agree: this is rank %ld of %ld, and rank "
		    "0 (%.60s) is of %d",
		    l->rank, l->size, a->host, a->size);
	case ANSWER_RANK_TWICE:
		return error_set(e, ERROR_INPUT,
		    "the ranks do not agree: another one is rank %ld of %ld, "
		    "too",
		    l->rank, l->size);
	default:
		return error_set(e, ERROR_SYSTEM, "rank 0 (%.60s) gave up: %s",
		    a->host, a->message);
	}
}

/* Identify this rank, and prove that it has the key if rank 0 does so first. */
static int
introduce(struct rendezvous *x, double deadline, int fd)
{
	struct hello h = { .rank = (int32_t)x->l->rank,
		.size = (int32_t)x->l->size,
		.local_rank = (int32_t)x->l->local_rank,
		.local_size = (int32_t)x->l->local_size };
	unsigned char proof[SHA256_SIZE];
	struct challenge c;

	memcpy(h.magic, magic, sizeof magic);
	memcpy(h.host, x->host, sizeof h.host);
	if (getrandom(h.nonce, NONCE, 0) != NONCE ||
	    move_all(deadline, fd, 1, &h, sizeof h) != 0 ||
	    move_all(deadline, fd, 0, &c, sizeof c) != 0 ||
	    memcmp(c.magic, magic, sizeof magic) != 0)
		return -1;
	make_proof(x, 1, &h, c.nonce, proof);
	if (memcmp(proof, c.proof, sizeof proof) != 0) {
		x->met_other = 1;
		return -1;
	}
	make_proof(x, 0, &h, c.nonce, proof);
	return move_all(deadline, fd, 1, proof, sizeof proof);
}

static int
receive_answer(double deadline, int fd, struct rendezvous_answer *a)
{
	if (move_all(deadline, fd, 0, a, sizeof *a) != 0 ||
	    memcmp(a->magic, magic, sizeof magic) != 0)
		return -1;
	a->host[HOST_TEXT_MAX - 1] = '\0';
	a->address[ADDRESS_TEXT_MAX - 1] = '\0';
	a->message[sizeof a->message - 1] = '\0';
	text_sanitise(a->host, "");
	text_sanitise(a->message, "");
	return 0;
}

/* Ask for admission at one address. Returns 0 if admitted, -1 with e if
 * refused, 1 with errno if rank 0 does not answer at that address (yet). */
static int
knock_at_root(struct rendezvous *x, const struct sockaddr *to, socklen_t len,
    struct error *e)
{
	const int ms = to_ms(rendezvous_left(x));
	const int fd =
	    socket_address_connect(to, len, ms < CONNECT_MS ? ms : CONNECT_MS);
	double deadline = seconds_now() + ANSWER_S;
	struct rendezvous_answer a;
	int rc = 1;

	if (fd < 0)
		return 1;
	deadline = deadline < x->deadline ? deadline : x->deadline;
	if (introduce(x, deadline, fd) == 0 &&
	    receive_answer(deadline, fd, &a) == 0)
		rc = read_answer(x, &a, e);
	if (rc != 0) {
		close(fd);
		errno = EPROTO;
		return rc;
	}
	x->fd = fd;
	memcpy(x->first_host, a.host, sizeof x->first_host);
	/* Rank 0 decides how long to wait for missing ranks, up to this rank's
	 * own limit. */
	if (!(a.left_s >= 0 && a.left_s <= x->timeout_s))
		a.left_s = x->timeout_s;
	x->deadline = seconds_now() + a.left_s + LATE_S;
	return 0;
}

/* Ask for admission at each address of rank 0's host. Returns as
 * knock_at_root(), with e also if rank 0 does not answer. */
static int
knock_everywhere(struct rendezvous *x, struct error *e)
{
	const struct addrinfo hints = { .ai_family = AF_UNSPEC,
		.ai_socktype = SOCK_STREAM };
	const struct meeting_place *p = &x->place;
	struct addrinfo *found = NULL;
	char port[16];
	int rc = 1, failed;

	snprintf(port, sizeof port, "%u", p->port);
	if (p->is_local)
		rc = knock_at_root(
		    x, (const struct sockaddr *)&p->local, p->local_len, e);
	else if ((failed = getaddrinfo(p->host, port, &hints, &found)) != 0) {
		error_set(e, ERROR_INPUT,
		    "MASTER_ADDR '%.200s', MASTER_PORT '%.10s': %s", p->host,
		    port, gai_strerror(failed));
		return failed == EAI_AGAIN ? 1 : -1;
	}
	for (const struct addrinfo *i = found; i != NULL && rc == 1;
	     i = i->ai_next)
		rc = knock_at_root(x, i->ai_addr, i->ai_addrlen, e);
	if (rc == 1 && x->met_other)
		error_set(e, ERROR_INPUT,
		    "what answers at %s belongs to another job, or has another "
		    "DLSCALE_JOB_TOKEN; use a free MASTER_PORT",
		    p->text);
	else if (rc == 1)
		error_errno(e, errno,
		    "rank %ld (%s) cannot connect to rank 0 "
		    "at %s",
		    x->l->rank, x->host, p->text);
	if (found != NULL)
		freeaddrinfo(found);
	return rc;
}

/* Join rank 0, which may not listen yet, and wait for all ranks. */
static int
join_first_rank(struct rendezvous *x, struct error *e)
{
	struct error own = ERROR_INIT;
	struct rendezvous_answer a;
	int rc;

	while ((rc = knock_everywhere(x, &own)) == 1 && rendezvous_left(x) > 0)
		usleep(RETRY_MS * 1000);
	if (rc != 0) {
		*e = own;
		return -1;
	}
	if (receive_answer(x->deadline, x->fd, &a) != 0)
		return error_set(e, ERROR_SYSTEM,
		    "rank 0 (%s) disconnected during start-up", x->first_host);
	if (read_answer(x, &a, e) != 0)
		return -1;
	/* This rank's address: that of its connection if the family matches,
	 * else the source address of its route to rank 0. A rank connected
	 * through loopback is on rank 0's machine. */
	if (socket_address_text(x->fd, x->address))
		memcpy(x->address, a.address, sizeof x->address);
	else if (is_ipv6(x->address) != is_ipv6(a.address) &&
	    socket_address_toward(a.address, x->address) != 0)
		return error_errno(e, errno,
		    "rank %ld (%s) came over %s, another rank not, and this "
		    "one cannot reach %s",
		    x->l->rank, x->host, is_ipv6(a.address) ? "IPv4" : "IPv6",
		    a.address);
	return 0;
}

/* --- Both ----------------------------------------------------------------- */

int
rendezvous_open(const struct launcher *l, double timeout_s,
    struct rendezvous **out, struct error *e)
{
	struct rendezvous *x = xcalloc(1, sizeof *x);
	int rc = 0;

	x->l = l;
	x->timeout_s = timeout_s;
	x->fd = -1;
	strbuf_init(&x->key, 1 << 20);
	strbuf_printf(
	    &x->key, "%s\n%s", l->job, l->secret != NULL ? l->secret : "");
	x->deadline = seconds_now() + timeout_s;
	if (l->rank == 0)
		x->members = xcalloc((size_t)l->size, sizeof *x->members);
	for (int i = 0; x->members != NULL && i < l->size; i++)
		x->members[i].fd = -1;
	if (gethostname(x->host, sizeof x->host - 1) != 0)
		snprintf(x->host, sizeof x->host, "unknown host");
	snprintf(x->address, sizeof x->address, "127.0.0.1");
	if (l->size > 1)
		rc = meeting_place_find(l, &x->place, e);
	if (rc == 0 && l->size > 1)
		rc = l->rank == 0 ? be_first(x, e) : join_first_rank(x, e);
	if (rc != 0) {
		rendezvous_close(x);
		return -1;
	}
	x->deadline = seconds_now() + timeout_s;
	*out = x;
	return 0;
}

const char *
rendezvous_address(const struct rendezvous *x)
{
	return x->address;
}

int
rendezvous_all(
    void *rendezvous, const void *own, size_t n, void *all, struct error *e)
{
	struct rendezvous *x = rendezvous;
	const size_t size = (size_t)x->l->size;
	char *mine = (char *)all + (size_t)x->l->rank * n;

	if (n > 0)
		memcpy(mine, own, n);
	/* Rank 0 receives from all, then sends to all. */
	for (int out = 0; x->l->rank == 0 && out < 2; out++)
		for (size_t i = 1; i < size; i++)
			if (move_all(x->deadline, x->members[i].fd, out,
				out ? all : (char *)all + i * n,
				out ? n * size : n) != 0)
				return error_set(e, ERROR_SYSTEM,
				    "rank %zu (%s) disconnected during "
				    "start-up",
				    i, x->members[i].host);
	if (x->l->rank == 0)
		return 0;
	if (move_all(x->deadline, x->fd, 1, mine, n) == 0 &&
	    move_all(x->deadline, x->fd, 0, all, n * size) == 0)
		return 0;
	return error_set(e, ERROR_SYSTEM,
	    "rank 0 (%s) disconnected during start-up", x->first_host);
}

void
rendezvous_close(struct rendezvous *x)
{
	if (x == NULL)
		return;
	for (int i = 1; x->members != NULL && i < x->l->size; i++)
		if (x->members[i].fd >= 0)
			close(x->members[i].fd);
	if (x->fd >= 0)
		close(x->fd);
	strbuf_release(&x->key);
	free(x->members);
	free(x);
}
