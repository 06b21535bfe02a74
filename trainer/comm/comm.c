/* Chooses the back end, finds the machine of each rank, and wraps the
 * collectives of all back ends: checks arguments, counts calls, reports them to
 * the watchdog, and calls the back end unless the rank is alone. */
#include <config.h>

#include "trainer/comm/comm.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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
#include "common/text.h"
#include "trainer/base/host_state.h"
#include "trainer/comm/launcher_env.h"
#include "trainer/comm/watchdog.h"
#include "trainer/device/device.h"

/* --- Memory of a machine -------------------------------------------------- */

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

/* Barrier of the ranks of the machine, which orders their memory accesses.
 * ERROR_SYSTEM: a rank has ended. */
static int
join_memory(struct machine_memory *m, struct error *e)
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

/* Sum data over the ranks of the machine, in rank order, in place; each rank
 * sums a part, and all get the sum. find_place() must find it. ERROR_SYSTEM: a
 * rank has ended. */
static int
sum_memory(struct machine_memory *m, float *data, size_t n, struct error *e)
{
	const size_t place = find_place(m, data, n * sizeof *data);
	const size_t ranks = (size_t)m->n_peers, self = (size_t)m->self;
	const size_t part = (n / ranks + LINE) / LINE * LINE;
	const size_t first = self * part < n ? self * part : n;
	const size_t end = n - first < part ? n : first + part;

	size_t i;

	assert(place != 0);
	if (join_memory(m, e) != 0)
		return -1;
	/* The constant length lets the compiler vectorise the sums. */
	for (i = first; i + LINE <= end; i += LINE)
		add_line(m, place + i * sizeof *data, LINE);
	if (i < end)
		add_line(m, place + i * sizeof *data, end - i);
	return join_memory(m, e);
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

/* Exchange the cards of all ranks, and map the files of this machine's ranks.
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
		rc = join_memory(m, e);
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

/* --- One process alone ---------------------------------------------------- */

static int
self_open(struct comm **out, struct error *e)
{
	struct comm *c = xcalloc(1, sizeof *c);

	(void)e;
	c->ops = &comm_self;
	c->size = 1;
	*out = c;
	return 0;
}

static void
self_close(struct comm *c)
{
	free(c);
}

const struct comm_ops comm_self = {
	.name = "self",
	.summary = "one process alone",
	.open = self_open,
	.close = self_close,
};

/* --- Choosing ------------------------------------------------------------ */

static const struct comm_ops *const backends[] = { &comm_self, &comm_mpi,
	&comm_gloo, &comm_nccl };

const struct comm_ops *const *
comm_list(size_t *n)
{
	*n = sizeof backends / sizeof backends[0];
	return backends;
}

long
comm_launched(void)
{
	/* In order: Open MPI; MPICH's Hydra and Slurm's pmi2; Slurm's pmix. */
	static const char *const names[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
		"SLURM_STEP_NUM_TASKS" };
	const int pmix = getenv("PMIX_RANK") != NULL;

	if (launcher_env_is_torchrun())
		return 1;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		const char *text = getenv(names[i]);
		long n;

		/* Without PMIx a Slurm step starts no MPI processes. */
		if (i == 2 && !pmix)
			continue;
		if (text != NULL && parse_long(text, 1, LONG_MAX, &n) == 0)
			return n;
	}
	return 1;
}

/* Compare c->machine of all ranks: sets local_rank, local_size, node and
 * n_nodes, and resets the traffic. Collective. */
static int
find_machine(struct comm *c, struct error *e)
{
	int64_t *all = xcalloc((size_t)c->size, sizeof *all);

	memcpy(&all[c->rank], &c->machine, sizeof c->machine);
	if (comm_allreduce(c, all, (size_t)c->size, COMM_I64, COMM_SUM, e) !=
	    0) {
		free(all);
		return -1;
	}
	c->local_rank = c->local_size = c->n_nodes = 0;
	for (int i = 0; i < c->size; i++) {
		int first = 0;

		while (all[first] != all[i])
			first++;
		if (i == first && all[i] == all[c->rank])
			c->node = c->n_nodes;
		c->n_nodes += i == first;
		if (all[i] == all[c->rank]) {
			c->local_rank += i < c->rank;
			c->local_size++;
		}
	}
	memset(&c->count, 0, sizeof c->count);
	free(all);
	return 0;
}

static int
join_run(const struct comm_ops *ops, struct comm **out, struct error *e)
{
	const char *forced = getenv("DLSCALE_RANKS_PER_NODE");
	const long n = comm_launched();
	char name[HOST_NAME_MAX + 1] = "";
	struct strbuf sb = STRBUF_INIT(1 << 20);
	struct comm *c;
	long per_node;

	if (ops->open == NULL)
		return error_set(e, ERROR_USAGE, "back end '%s': %s", ops->name,
		    ops->summary);
	if (ops->open(&c, e) != 0)
		return -1;
	/* The machine's boot ID and name identify it. For tests,
	 * DLSCALE_RANKS_PER_NODE=N makes N consecutive ranks a machine. */
	boot_id_add(&sb);
	gethostname(name, sizeof name - 1);
	strbuf_addstr(&sb, name);
	c->machine = XXH3_64bits(sb.buf, sb.len);
	strbuf_release(&sb);
	if (forced != NULL && parse_long(forced, 1, INT_MAX, &per_node) == 0)
		c->machine = (uint64_t)(c->rank / per_node);
	if (c->size < n && ops != &comm_self)
		error_set(e, ERROR_SYSTEM,
		    "back end '%s' has %d process%s but the launcher started "
		    "%ld: it does not belong to this MPI library",
		    ops->name, c->size, c->size == 1 ? "" : "es", n);
	else if (find_machine(c, e) == 0) {
		*out = c;
		return 0;
	}
	comm_close(c);
	return -1;
}

int
comm_open_host(struct comm **out, struct error *e)
{
	const long for_mpi = comm_launched();
	struct launcher l;

	if (launcher_env_read(&l, e) != 0)
		return -1;
	if (for_mpi > 1 && comm_mpi.open != NULL)
		return join_run(&comm_mpi, out, e);
	if (for_mpi > 1 || l.size > 1)
		return join_run(&comm_gloo, out, e);
	return join_run(&comm_self, out, e);
}

int
comm_open(const char *backend, struct comm **out, struct error *e)
{
	struct launcher l;

	if (strcmp(backend, "auto") == 0)
		return comm_open_host(out, e);
	if (launcher_env_read(&l, e) != 0)
		return -1;
	for (size_t i = 0; i < sizeof backends / sizeof backends[0]; i++)
		if (strcmp(backends[i]->name, backend) == 0)
			return join_run(backends[i], out, e);
	return error_set(e, ERROR_USAGE, "no back end '%s'", backend);
}

/* --- Collectives ---------------------------------------------------------- */

void
comm_close(struct comm *c)
{
	if (c != NULL)
		c->ops->close(c);
}

size_t
comm_type_size(enum comm_type t)
{
	static const size_t sizes[N_COMM_TYPES] = { [COMM_FP32] = 4,
		[COMM_FP64] = 8,
		[COMM_I64] = 8,
		[COMM_FP16] = 2,
		[COMM_BF16] = 2 };

	assert(t < N_COMM_TYPES);
	return sizes[t];
}

static void
count_traffic(struct comm *c, size_t n, enum comm_type t)
{
	c->count.calls++;
	c->count.bytes += n * comm_type_size(t);
}

/* End a collective. Returns rc. */
static int
leave_call(const struct comm *c, int rc, struct error *e)
{
	watchdog_disarm(c->watchdog);
	if (rc != 0)
		watchdog_explain(c->watchdog, e);
	return rc;
}

/* The communicator whose back end runs the collectives. */
static struct comm *
carrier(struct comm *c)
{
	return c->host != NULL ? c->host : c;
}

static int
comm_cannot(const struct comm *c, const char *what, struct error *e)
{
	return error_set(
	    e, ERROR_USAGE, "back end '%s' has no %s", c->ops->name, what);
}

int
comm_allreduce(struct comm *c, void *data, size_t n, enum comm_type t,
    enum comm_op op, struct error *e)
{
	struct comm *x = carrier(c);

	assert(op == COMM_SUM || (t != COMM_FP16 && t != COMM_BF16));
	count_traffic(c, n, t);
	watchdog_arm(c->watchdog, "allreduce", (double)(n * comm_type_size(t)));
	if (c->memory_sums && t == COMM_FP32 && op == COMM_SUM && n > 0 &&
	    find_place(c->memory, data, n * sizeof(float)) != 0)
		return leave_call(c, sum_memory(c->memory, data, n, e), e);
	return leave_call(c,
	    x->size == 1 || n == 0 ? 0
				   : x->ops->allreduce(x, data, n, t, op, e),
	    e);
}

/* Run a collective of blocks, which the back end may lack. */
static int
run_blocks(struct comm *c, const char *op,
    int (*run)(struct comm *c, void *data, size_t n, enum comm_type t,
	struct error *e),
    void *data, size_t n, enum comm_type t, struct error *e)
{
	struct comm *x = carrier(c);
	const size_t all = n * (size_t)c->size;

	assert(n <= COMM_BLOCK_MAX);
	if (run == NULL && x->size > 1)
		return comm_cannot(x, op, e);
	count_traffic(c, all, t);
	watchdog_arm(c->watchdog, op, (double)(all * comm_type_size(t)));
	return leave_call(
	    c, x->size == 1 || n == 0 ? 0 : run(x, data, n, t, e), e);
}

int
comm_reduce_scatter(
    struct comm *c, void *data, size_t n, enum comm_type t, struct error *e)
{
	return run_blocks(c, "reduce_scatter", carrier(c)->ops->reduce_scatter,
	    data, n, t, e);
}

int
comm_allgather(
    struct comm *c, void *data, size_t n, enum comm_type t, struct error *e)
{
	return run_blocks(
	    c, "allgather", carrier(c)->ops->allgather, data, n, t, e);
}

int
comm_split(
    struct comm *c, int color, int key, struct comm **out, struct error *e)
{
	struct comm *x = carrier(c);
	struct comm *part;

	assert(color >= 0);
	if (x->ops->split == NULL && x->size > 1)
		return comm_cannot(x, "split", e);
	watchdog_arm(c->watchdog, "split", 0);
	if (leave_call(c,
		x->size == 1 ? self_open(&part, e)
			     : x->ops->split(x, color, key, &part, e),
		e) != 0)
		return -1;
	part->watchdog = c->watchdog;
	part->machine = c->machine;
	if (find_machine(part, e) != 0) {
		comm_close(part);
		return -1;
	}
	*out = part;
	return 0;
}

int
comm_broadcast(
    struct comm *c, void *data, size_t bytes, int root, struct error *e)
{
	struct comm *x = carrier(c);

	assert(root >= 0 && root < c->size);
	watchdog_arm(c->watchdog, "broadcast", (double)bytes);
	return leave_call(c,
	    x->size == 1 || bytes == 0
		? 0
		: x->ops->broadcast(x, data, bytes, root, e),
	    e);
}

int
comm_barrier(struct comm *c, struct error *e)
{
	int64_t nothing = 0;

	return comm_allreduce(c, &nothing, 1, COMM_I64, COMM_SUM, e);
}

int
comm_join_machine(struct comm *c, struct error *e)
{
	watchdog_arm(c->watchdog, "join", 0);
	return leave_call(
	    c, c->memory == NULL ? 0 : join_memory(c->memory, e), e);
}

int
comm_agree(struct comm *c, struct error *e)
{
	struct error own = *e;
	const int failed = own.code != ERROR_NONE;
	int64_t n = failed, lowest = failed ? c->rank : c->size;

	if (comm_allreduce(c, &n, 1, COMM_I64, COMM_SUM, e) != 0 ||
	    comm_allreduce(c, &lowest, 1, COMM_I64, COMM_MIN, e) != 0)
		return -2;
	if (n == 0)
		return 0;
	if (comm_broadcast(c, &own, sizeof own, (int)lowest, e) != 0)
		return -2;
	*e = own;
	if (n < c->size)
		error_prefix(e, "rank %d", (int)lowest);
	return -1;
}

int
comm_check_same(struct comm *c, const char *what, uint64_t x, struct error *e)
{
	/* The minimum of x and of -x, in 32-bit halves so that -x cannot
	 * overflow. */
	const int64_t half[2] = { (int64_t)(x >> 32), (int64_t)(uint32_t)x };
	int64_t v[4] = { half[0], -half[0], half[1], -half[1] };

	if (comm_allreduce(c, v, 4, COMM_I64, COMM_MIN, e) != 0)
		return -1;
	if (v[0] == -v[1] && v[2] == -v[3])
		return 0;
	return error_set(e, ERROR_INPUT, "the ranks differ in %s", what);
}

int
comm_count_same(struct comm *c, uint64_t x, int on_machine, struct error *e)
{
	int64_t *all = xcalloc((size_t)c->size * 2, sizeof *all);
	int64_t *own = &all[2 * c->rank];
	int n = 0;

	/* Only one rank adds to each slot. */
	own[0] = on_machine ? c->node : 0;
	memcpy(&own[1], &x, sizeof x);
	if (comm_allreduce(
		c, all, (size_t)c->size * 2, COMM_I64, COMM_SUM, e) != 0)
		n = -1;
	for (int i = 0; i < c->size && n >= 0; i++)
		n += memcmp(&all[2 * i], own, 2 * sizeof *own) == 0;
	free(all);
	return n;
}

int
comm_attach(struct comm *c, struct device *d, const struct comm_attachment *a,
    struct error *e)
{
	return c->ops->attach(c, d, a, e);
}

int
comm_alive(struct comm *c, int working, struct error *e)
{
	return c->ops->alive != NULL ? c->ops->alive(c, working, e) : 0;
}

void
comm_detach(struct comm *c)
{
	if (c->ops->detach != NULL)
		c->ops->detach(c);
}

void
comm_abort(struct comm *c, int status)
{
	struct comm *x = carrier(c);

	if (x->ops->abort != NULL)
		x->ops->abort(x, status);
	_exit(status);
}
