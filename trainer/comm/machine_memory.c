/* Memory shared by the processes of one machine, with sums and a barrier. */
#include <config.h>

#include "trainer/comm/machine_memory.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "common/alloc.h"

enum {
	PAGE = 4096, /* minimum; a power of 2 */
	LINE = 16,   /* floats of a cache line; one rank writes each */
	ALIVE_S = 1  /* time between checks that the other ranks run */
};

/* The start of a rank's file. */
struct memory_head {
	uint64_t token;          /* identifies rank and run */
	_Atomic uint32_t joined; /* number of joins that this rank reached */
};

/* Data for opening the file of another rank; exchanged by allreduce. */
struct memory_card {
	int64_t node, pid, fd, token, sizes;
};

/* A rank on this machine. */
struct memory_peer {
	int rank;   /* of all */
	int life;   /* pidfd; -1: none, or this rank */
	char *base; /* its file, mapped */
	size_t bytes;
};

struct machine_memory {
	struct device_region *regions; /* [n] as in the call */
	size_t *places;                /* [n] offset of each in a file */
	size_t n;
	size_t own_bytes, all_bytes; /* file size, and that of peer 0 */
	struct memory_peer *peers;   /* [n_peers] by rank */
	int n_peers, self;
	int fd;
	uint32_t joins;
};

static size_t
whole_pages(size_t bytes)
{
	return (bytes + PAGE - 1) / PAGE * PAGE;
}

static struct memory_head *
peer_head(const struct memory_peer *p)
{
	return (struct memory_head *)p->base;
}

/* --- Waiting -------------------------------------------------------------- */

int
machine_memory_join(struct machine_memory *m, struct error *e)
{
	_Atomic uint32_t *joined = &peer_head(&m->peers[m->self])->joined;
	const struct timespec limit = { ALIVE_S, 0 };
	const uint32_t times = ++m->joins;

	atomic_store_explicit(joined, times, memory_order_release);
	syscall(SYS_futex, joined, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
	for (int i = 0; i < m->n_peers;) {
		const struct memory_peer *p = &m->peers[i];
		struct pollfd life = { .fd = p->life, .events = POLLIN };
		/* Keep this order: the peer may join and then end. */
		const int over = p->life >= 0 && poll(&life, 1, 0) > 0;
		uint32_t seen;

		joined = &peer_head(p)->joined;
		seen = atomic_load_explicit(joined, memory_order_acquire);
		if ((int32_t)(seen - times) >= 0)
			i++;
		else if (over)
			return error_set(e, ERROR_SYSTEM,
			    "rank %d, on this machine, has exited", p->rank);
		else
			syscall(SYS_futex, joined, FUTEX_WAIT, seen, &limit,
			    NULL, 0);
	}
	return 0;
}

/* --- Sums ----------------------------------------------------------------- */

/* Offset of data in this rank's file; 0 if it lies outside. */
static size_t
find_place(const struct machine_memory *m, const void *data, size_t bytes)
{
	const uintptr_t at = (uintptr_t)data;

	for (size_t i = 0; i < m->n; i++) {
		const struct device_region *r = &m->regions[i];
		const uintptr_t first = (uintptr_t)r->at;

		if (!r->common && at >= first && at - first <= r->bytes &&
		    bytes <= r->bytes - (at - first))
			return m->places[i] + (at - first);
	}
	return 0;
}

int
machine_memory_holds(
    const struct machine_memory *m, const void *data, size_t bytes)
{
	return find_place(m, data, bytes) != 0;
}

static float *
peer_floats(const struct memory_peer *p, size_t place)
{
	return (float *)(void *)(p->base + place);
}

/* Add n floats of all ranks in rank order, LINE at most, and store the sum in
 * all files. */
static inline void
add_line(const struct machine_memory *m, size_t place, size_t n)
{
	float sum[LINE];

	memcpy(sum, peer_floats(&m->peers[0], place), n * sizeof *sum);
	for (int k = 1; k < m->n_peers; k++) {
		const float *x = peer_floats(&m->peers[k], place);

		for (size_t i = 0; i < n; i++)
			sum[i] += x[i];
	}
	for (int k = 0; k < m->n_peers; k++)
		memcpy(peer_floats(&m->peers[k], place), sum, n * sizeof *sum);
}

/* Each rank sums a part. */
int
machine_memory_sum(
    struct machine_memory *m, float *data, size_t n, struct error *e)
{
	const size_t place = find_place(m, data, n * sizeof *data);
	const size_t ranks = (size_t)m->n_peers, self = (size_t)m->self;
	const size_t part = (n / ranks + LINE) / LINE * LINE;
	const size_t first = self * part < n ? self * part : n;
	const size_t end = n - first < part ? n : first + part;

	size_t i;

	assert(place != 0);
	if (machine_memory_join(m, e) != 0)
		return -1;
	/* A constant length, so that the sums are vectors. */
	for (i = first; i + LINE <= end; i += LINE)
		add_line(m, place + i * sizeof *data, LINE);
	if (i < end)
		add_line(m, place + i * sizeof *data, end - i);
	return machine_memory_join(m, e);
}

/* --- Opening -------------------------------------------------------------- */

static int
map_file(struct memory_peer *p, int fd)
{
	struct stat st;
	void *base;

	if (fstat(fd, &st) != 0 || (size_t)st.st_size != p->bytes)
		return -1;
	base = mmap(NULL, p->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (base == MAP_FAILED)
		return -1;
	p->base = base;
	return 0;
}

/* Map the files of the ranks on this machine. Returns -1 on failure. */
static int
open_peers(struct machine_memory *m, const struct comm *c,
    const struct memory_card *cards)
{
	static const char name[] = "/memfd:dlscale";
	char path[64], what[sizeof name - 1];
	int fd, rc;

	m->peers = xcalloc((size_t)c->local_size, sizeof *m->peers);
	for (int i = 0; i < c->size; i++) {
		struct memory_peer *p = &m->peers[m->n_peers];

		if (cards[i].node != c->node)
			continue;
		p->rank = i;
		p->life = -1;
		p->bytes = m->n_peers == 0 ? m->all_bytes : m->own_bytes;
		m->n_peers++;
		if (i == c->rank)
			m->self = m->n_peers - 1;
		if (cards[i].fd < 0 || cards[i].sizes != cards[c->rank].sizes)
			return -1;
		if (i == c->rank) {
			if (map_file(p, m->fd) != 0)
				return -1;
			peer_head(p)->token = (uint64_t)cards[i].token;
			continue;
		}
		p->life = (int)syscall(SYS_pidfd_open, (pid_t)cards[i].pid, 0);
		if (p->life < 0)
			return -1;
		snprintf(path, sizeof path, "/proc/%lld/fd/%lld",
		    (long long)cards[i].pid, (long long)cards[i].fd);
		/* In another container the path may be another file. */
		if (readlink(path, what, sizeof what) != (ssize_t)sizeof what ||
		    memcmp(what, name, sizeof what) != 0)
			return -1;
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			return -1;
		rc = map_file(p, fd);
		close(fd);
		if (rc != 0)
			return -1;
	}
	return 0;
}

/* Fill this rank's own regions, and its part of the common ones: pages are
 * placed in the NUMA node of the first writer. */
static void
fill_regions(struct machine_memory *m)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct device_region *r = &m->regions[i];
		const size_t ranks = (size_t)m->n_peers;
		const size_t part =
		    r->common ? whole_pages(r->bytes / ranks + 1) : r->bytes;
		const size_t at = r->common ? part * (size_t)m->self : 0;
		const struct memory_peer *p =
		    &m->peers[r->common ? 0 : m->self];

		if (at < r->bytes)
			memcpy(p->base + m->places[i] + at,
			    (const char *)r->at + at,
			    r->bytes - at < part ? r->bytes - at : part);
	}
}

/* Set *can to 0 on all ranks if it is 0 on one. */
static int
agree_on(struct comm *c, int *can, struct error *e)
{
	int64_t least = *can;

	if (comm_allreduce(c, &least, 1, COMM_I64, COMM_MIN, e) != 0)
		return -1;
	*can = least != 0;
	return 0;
}

/* Exchange the cards of all ranks, and map the files of this machine's.
 *
 * can  out: 0 if memory cannot be shared */
static int
open_files(struct machine_memory *m, struct comm *c, int *can, struct error *e)
{
	const char *wanted = getenv("DLSCALE_MACHINE_MEMORY");
	const size_t bytes = c->local_rank == 0 ? m->all_bytes : m->own_bytes;
	struct memory_card *cards = xcalloc((size_t)c->size, sizeof *cards);
	struct memory_card *own = &cards[c->rank];
	int rc;

	/* Each rank fills its own slot. */
	m->fd = memfd_create("dlscale", MFD_CLOEXEC);
	*own = (struct memory_card){ c->node, getpid(), m->fd, 0, 0 };
	if (m->fd < 0 || ftruncate(m->fd, (off_t)bytes) != 0 ||
	    getrandom(&own->token, sizeof own->token, 0) !=
		(ssize_t)sizeof own->token ||
	    (wanted != NULL && strcmp(wanted, "0") == 0))
		own->fd = -1;
	for (size_t i = 0; i < m->n; i++)
		own->sizes = (int64_t)(XXH3_64bits_withSeed(
		    &m->regions[i].bytes, sizeof m->regions[i].bytes,
		    (uint64_t)own->sizes + (uint64_t)m->regions[i].common));
	rc = comm_allreduce(c, cards,
	    (size_t)c->size * (sizeof *cards / sizeof(int64_t)), COMM_I64,
	    COMM_SUM, e);
	if (rc == 0) {
		*can = open_peers(m, c, cards) == 0;
		rc = agree_on(c, can, e);
	}
	if (rc == 0 && *can) {
		/* Each file must belong to the expected rank: process IDs
		 * differ between containers. */
		for (int i = 0; i < m->n_peers; i++)
			*can &= peer_head(&m->peers[i])->token ==
			    (uint64_t)cards[m->peers[i].rank].token;
		rc = agree_on(c, can, e);
	}
	free(cards);
	return rc;
}

/* Map the files over the regions. */
static int
replace_regions(struct machine_memory *m, struct error *e)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct device_region *r = &m->regions[i];
		const struct memory_peer *p =
		    &m->peers[r->common ? 0 : m->self];

		/* mremap() from size 0 creates another mapping of the pages. */
		if (mremap(p->base + m->places[i], 0, whole_pages(r->bytes),
			MREMAP_MAYMOVE | MREMAP_FIXED, r->at) == MAP_FAILED)
			return error_errno(
			    e, errno, "cannot map memory of this machine");
	}
	return 0;
}

int
machine_memory_open(struct comm *c, const struct device_region *regions,
    size_t n, struct machine_memory **out, struct error *e)
{
	struct machine_memory *m = xcalloc(1, sizeof *m);
	const int alone = c->local_size == 1; /* the other ranks still vote */
	int rc, can = 0;

	*out = NULL;
	m->fd = -1;
	m->n = n;
	m->regions = xcalloc(n + 1, sizeof *m->regions);
	m->places = xcalloc(n + 1, sizeof *m->places);
	if (n > 0)
		memcpy(m->regions, regions, n * sizeof *regions);
	/* Each rank's own regions, then the common ones, which only the first
	 * rank's file has. */
	m->all_bytes = PAGE;
	for (int common = 0; common < 2; common++) {
		for (size_t i = 0; i < n; i++)
			if (regions[i].common == common) {
				m->places[i] = m->all_bytes;
				m->all_bytes += whole_pages(regions[i].bytes);
			}
		if (!common)
			m->own_bytes = m->all_bytes;
	}
	rc = open_files(m, c, &can, e);
	if (rc == 0 && can && !alone) {
		fill_regions(m);
		rc = machine_memory_join(m, e);
		/* Common regions must be equal. */
		for (size_t i = 0; rc == 0 && i < n; i++)
			can &= !regions[i].common ||
			    memcmp(regions[i].at,
				m->peers[0].base + m->places[i],
				regions[i].bytes) == 0;
	}
	if (rc == 0)
		rc = agree_on(c, &can, e);
	if (rc == 0 && can && !alone)
		rc = replace_regions(m, e);
	if (rc == 0 && can && !alone)
		*out = m;
	else
		machine_memory_close(m);
	return rc;
}

void
machine_memory_close(struct machine_memory *m)
{
	if (m == NULL)
		return;
	for (int i = 0; i < m->n_peers; i++) {
		if (m->peers[i].base != NULL)
			munmap(m->peers[i].base, m->peers[i].bytes);
		if (m->peers[i].life >= 0)
			close(m->peers[i].life);
	}
	if (m->fd >= 0)
		close(m->fd);
	free(m->peers);
	free(m->places);
	free(m->regions);
	free(m);
}
