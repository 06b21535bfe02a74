/* Send any bytes to a rank that waits for the others, or to one that asks rank
 * 0 for admission: they are rejected, or named in a message, and the others
 * still meet. The first byte selects where the rest goes: bit 0 to which of the
 * two, bit 1 whether the sender has the job's key and proves it. */
#include <config.h>

#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/fuzz/mutators.h"
#include "trainer/comm/rendezvous.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* The messages of rendezvous.c: a hello begins with magic and nonce, a
 * challenge is magic, nonce and proof. */
enum { MAGIC = 8, NONCE = 16, HELLO = 104, PROOF = SHA256_SIZE };
enum { CHALLENGE = MAGIC + NONCE + PROOF };

static const double soon_s = 0.02, enough_s = 20;

/* A rank that opens a rendezvous and closes it. */
struct life {
	struct launcher launcher;
	double timeout_s;
	int rc;
	atomic_int is_over;
	struct error e;
};

static void *
live(void *context)
{
	struct life *l = context;
	struct rendezvous *x = NULL;

	l->rc = rendezvous_open(&l->launcher, l->timeout_s, &x, &l->e);
	assert(l->rc == 0 || l->e.message[0] != '\0');
	if (l->rc == 0)
		rendezvous_close(x);
	l->is_over = 1;
	return NULL;
}

static struct life
new_life(int rank, const char *port, double timeout_s)
{
	return (struct life){ .launcher = { .rank = rank,
				  .size = 2,
				  .local_rank = -1,
				  .local_size = -1,
				  .host = "127.0.0.1",
				  .port = port,
				  .job = "fuzz" },
		.timeout_s = timeout_s };
}

/* Open a local socket; return its port as text. While it is open, the system
 * assigns the port only to those who ask for it. */
static int
open_port(char *port, size_t size)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof a;
	const int one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert(fd >= 0);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	if (bind(fd, (struct sockaddr *)&a, sizeof a) != 0 ||
	    getsockname(fd, (struct sockaddr *)&a, &len) != 0)
		abort();
	snprintf(port, size, "%d", ntohs(a.sin_port));
	return fd;
}

/* Connect to a rank as soon as it listens; -1 if its time is over. */
static int
call_rank(const struct life *l, const char *port)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
		.sin_port = htons((uint16_t)strtol(port, NULL, 10)),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };

	while (!l->is_over) {
		const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

		assert(fd >= 0);
		if (connect(fd, (struct sockaddr *)&a, sizeof a) == 0)
			return fd;
		close(fd);
		usleep(100);
	}
	return -1;
}

/* Prove that the sender, rank 0 or another, has the job's key. */
static void
prove(int is_root, const uint8_t *nonce, const uint8_t *hello, uint8_t *proof)
{
	uint8_t data[1 + NONCE + HELLO] = { (uint8_t)is_root };

	memcpy(data + 1, nonce, NONCE);
	memcpy(data + 1 + NONCE, hello, HELLO);
	hmac_sha256("fuzz\n", 5, data, sizeof data, proof);
}

/* As a rank with the key: send a hello and answer the challenge. */
static void
introduce(int fd, const uint8_t *hello)
{
	uint8_t challenge[CHALLENGE], proof[PROOF];

	if (send(fd, hello, HELLO, MSG_NOSIGNAL) == HELLO &&
	    recv(fd, challenge, CHALLENGE, MSG_WAITALL) == CHALLENGE) {
		prove(0, challenge + MAGIC, hello, proof);
		(void)!send(fd, proof, PROOF, MSG_NOSIGNAL);
	}
}

/* As rank 0 with the key: challenge the caller. */
static void
challenge(int fd)
{
	uint8_t hello[HELLO], data[CHALLENGE] = "dlscale3", proof[PROOF];

	if (recv(fd, hello, HELLO, MSG_WAITALL) == HELLO) {
		prove(1, data + MAGIC, hello, data + MAGIC + NONCE);
		(void)!send(fd, data, CHALLENGE, MSG_NOSIGNAL);
		(void)!recv(fd, proof, PROOF, MSG_WAITALL);
	}
}

/* Visit rank 0; then call as rank 1, unless the visitor passes for one. */
static void
visit(const uint8_t *data, size_t len, int is_signed)
{
	struct life first, other;
	const int is_rank = is_signed && len >= HELLO;
	char port[16];
	pthread_t thread;
	const int held = open_port(port, sizeof port);
	int fd;

	first = new_life(0, port, is_rank ? soon_s : enough_s);
	other = new_life(1, port, enough_s);
	if (pthread_create(&thread, NULL, live, &first) != 0)
		abort();
	fd = call_rank(&first, port);
	if (fd >= 0 && is_rank)
		introduce(fd, data);
	else if (fd >= 0)
		(void)!send(fd, data, len, MSG_NOSIGNAL);
	if (!is_rank) {
		live(&other);
		assert(other.rc == 0);
	}
	pthread_join(thread, NULL);
	assert(is_rank || first.rc == 0);
	fuzz_accepted += is_rank && first.rc == 0;
	if (fd >= 0)
		close(fd);
	close(held);
}

struct server {
	int fd, is_signed;
	const uint8_t *data;
	size_t len;
};

/* Answer every connection until the socket is shut down. */
static void *
serve(void *context)
{
	const struct server *s = context;

	for (;;) {
		const int fd = accept(s->fd, NULL, NULL);

		if (fd < 0)
			return NULL;
		if (s->is_signed)
			challenge(fd);
		(void)!send(fd, s->data, s->len, MSG_NOSIGNAL);
		close(fd);
	}
}

/* A server in the place of rank 0 that sends any bytes. */
static void
answer(const uint8_t *data, size_t len, int is_signed)
{
	struct server s = { .is_signed = is_signed, .data = data, .len = len };
	struct life other;
	char port[16];
	pthread_t thread;

	s.fd = open_port(port, sizeof port);
	if (listen(s.fd, 8) != 0 ||
	    pthread_create(&thread, NULL, serve, &s) != 0)
		abort();
	other = new_life(1, port, soon_s);
	live(&other);
	assert(is_signed || other.rc != 0);
	fuzz_accepted += other.rc == 0;
	shutdown(s.fd, SHUT_RDWR);
	pthread_join(thread, NULL);
	close(s.fd);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	uint8_t copy[4096];
	int how;

	if (len < 1 || len > sizeof copy)
		return 0;
	how = data[0];
	memcpy(copy, data + 1, --len);
	if (how & 2 && len >= MAGIC)
		memcpy(copy, "dlscale3", MAGIC);
	if (how & 1)
		answer(copy, len, (how & 2) != 0);
	else
		visit(copy, len, (how & 2) != 0);
	return 0;
}
