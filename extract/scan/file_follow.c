/* Growing files: keeps the state and reads appended data. */
#include <config.h>

#include "extract/scan/file_follow.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "common/alloc.h"

enum {
	CHUNK = 256 << 10, /* bytes per read */
	MARK = 64          /* last bytes read, which must not change */
};

/* One file of one operand. */
struct followed_file {
	char *path;
	size_t operand;
	int used;    /* 1: scanned since the last sweep */
	int begun;   /* 1: the members below are set */
	int settled; /* 1: the format is final */
	dev_t device;
	ino_t inode;
	int64_t at;              /* bytes read */
	struct timespec changed; /* modification time at the last scan */
	int64_t looked;          /* file size when the format was detected */
	char mark[MARK];         /* [n_mark] bytes before `at` */
	size_t n_mark;
	struct line_walker walker;
	char *rest; /* [n_rest] incomplete last line */
	size_t n_rest, alloc_rest;
	XXH3_state_t *hash;
	struct log log;
	void *memory; /* state of the scanner */
};

struct file_follow {
	pthread_mutex_t lock; /* of the list */
	struct followed_file **items;
	size_t n, alloc;
	int end; /* 1: last scan of each file */
	atomic_llong bytes;
};

struct file_follow *
file_follow_new(void)
{
	struct file_follow *all = xcalloc(1, sizeof *all);

	pthread_mutex_init(&all->lock, NULL);
	atomic_init(&all->bytes, 0);
	return all;
}

static void
followed_file_reset(struct followed_file *t)
{
	log_release(&t->log);
	scanner_forget(t->memory);
	memset(t->memory, 0, scanner_memory_size());
	XXH3_128bits_reset(t->hash);
	line_walker_init(&t->walker, SCAN_MAX_LINE);
	t->begun = t->settled = 0;
	t->at = t->looked = 0;
	t->n_rest = t->n_mark = 0;
}

static struct followed_file *
followed_file_new(const char *path, size_t operand)
{
	struct followed_file *t = xcalloc(1, sizeof *t);

	t->path = xstrdup(path);
	t->operand = operand;
	t->memory = xcalloc(1, scanner_memory_size());
	t->hash = XXH3_createState();
	if (t->hash == NULL)
		xmalloc(SIZE_MAX); /* prints "out of memory" and exits */
	log_init(&t->log);
	followed_file_reset(t);
	return t;
}

static void
followed_file_free(struct followed_file *t)
{
	followed_file_reset(t);
	XXH3_freeState(t->hash);
	free(t->memory);
	free(t->rest);
	free(t->path);
	free(t);
}

void
file_follow_free(struct file_follow *all)
{
	if (all == NULL)
		return;
	for (size_t i = 0; i < all->n; i++)
		followed_file_free(all->items[i]);
	free(all->items);
	pthread_mutex_destroy(&all->lock);
	free(all);
}

void
file_follow_sweep(struct file_follow *all)
{
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++) {
		if (all->items[i]->used) {
			all->items[i]->used = 0;
			all->items[n++] = all->items[i];
		} else {
			followed_file_free(all->items[i]);
		}
	}
	all->n = n;
}

void
file_follow_end(struct file_follow *all)
{
	all->end = 1;
}

int64_t
file_follow_bytes(const struct file_follow *all)
{
	return (int64_t)atomic_load(&all->bytes);
}

static struct followed_file *
followed_file_of(struct file_follow *all, const char *path, size_t operand)
{
	struct followed_file *t = NULL;

	pthread_mutex_lock(&all->lock);
	for (size_t i = 0; t == NULL && i < all->n; i++)
		if (all->items[i]->operand == operand &&
		    strcmp(all->items[i]->path, path) == 0)
			t = all->items[i];
	if (t == NULL) {
		t = followed_file_new(path, operand);
		all->items = vec_grow(
		    all->items, all->n, &all->alloc, sizeof *all->items);
		all->items[all->n++] = t;
	}
	t->used = 1;
	pthread_mutex_unlock(&all->lock);
	return t;
}

/* --- One scan --------------------------------------------------------------*/

/* True if the file must be read from its start.
 *
 * fd  open, st its status */
static int
must_begin(struct file_follow *all, const struct followed_file *t, int fd,
    const struct stat *st)
{
	const int64_t size = st->st_size;
	char mark[MARK];

	if (!t->begun || st->st_dev != t->device || st->st_ino != t->inode ||
	    size < t->at)
		return 1;
	/* Same size but modified: possibly by another run. */
	if (size == t->at &&
	    (st->st_mtim.tv_sec != t->changed.tv_sec ||
		st->st_mtim.tv_nsec != t->changed.tv_nsec))
		return 1;
	atomic_fetch_add(&all->bytes, (long long)t->n_mark);
	if (pread(fd, mark, t->n_mark, (off_t)(t->at - (int64_t)t->n_mark)) !=
		(ssize_t)t->n_mark ||
	    memcmp(mark, t->mark, t->n_mark) != 0)
		return 1;
	if (t->settled || size == t->looked)
		return 0;
	/* The head has become complete. */
	if (size >= SCAN_HEAD_BYTES && t->looked < SCAN_HEAD_BYTES)
		return 1;
	return all->end || t->log.format == NULL || size >= 2 * t->looked;
}

static void
set_mark(struct followed_file *t, const char *data, size_t len)
{
	const size_t n = len < MARK ? len : MARK;
	const size_t keep = t->n_mark + n <= MARK ? t->n_mark : MARK - n;

	memmove(t->mark, t->mark + (t->n_mark - keep), keep);
	memcpy(t->mark + keep, data + (len - n), n);
	t->n_mark = keep + n;
}

/* Read from t->at up to size and pass the lines to s. Returns 0, or -1 if
 * reading fails. */
static int
read_on(struct file_follow *all, struct followed_file *t, struct scanner *s,
    int fd, int64_t size, struct error *e)
{
	while (t->at < size) {
		size_t want = CHUNK, used;
		ssize_t n;

		if (size - t->at < CHUNK)
			want = (size_t)(size - t->at);
		if (t->alloc_rest - t->n_rest < want) {
			t->alloc_rest = t->n_rest + t->n_rest / 2 + want;
			t->rest = xreallocarray(t->rest, t->alloc_rest, 1);
		}
		n = pread(fd, t->rest + t->n_rest, want, (off_t)t->at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_errno(e, errno, "cannot read");
		if (n == 0)
			break; /* the file has shrunk */
		XXH3_128bits_update(t->hash, t->rest + t->n_rest, (size_t)n);
		set_mark(t, t->rest + t->n_rest, (size_t)n);
		atomic_fetch_add(&all->bytes, (long long)n);
		t->at += n;
		t->n_rest += (size_t)n;
		used = scanner_feed(s, &t->walker, t->rest, t->n_rest, 0);
		t->n_rest -= used;
		memmove(t->rest, t->rest + used, t->n_rest);
	}
	if (t->alloc_rest > CHUNK && t->n_rest < CHUNK / 2) {
		t->alloc_rest = CHUNK / 2;
		t->rest = xreallocarray(t->rest, t->alloc_rest, 1);
	}
	return 0;
}

static void
make_view(struct file_follow *all, struct followed_file *t, struct scanner *s,
    int no_hash, struct log *log)
{
	XXH128_canonical_t hash;

	if (all->end)
		scanner_feed(s, &t->walker, t->rest, t->n_rest, 1);
	scanner_view(s, &t->walker, log);
	log->bytes = t->at;
	if (no_hash)
		return;
	XXH128_canonicalFromHash(&hash, XXH3_128bits_digest(t->hash));
	for (size_t i = 0; i < sizeof hash.digest; i++)
		snprintf(log->hash + 2 * i, 3, "%02x", hash.digest[i]);
}

/* Continue reading the open file. Returns 0; -1 with the problem in log; 1 if
 * it must be read as a whole. */
static int
scan_open(struct file_follow *all, struct followed_file *t, struct scanner *s,
    int fd, const char *shown, int no_hash, struct log *log)
{
	enum scan_begun begun = SCAN_OPEN;
	struct stat st;
	int rc = 0;

	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		return 1;
	if (must_begin(all, t, fd, &st))
		followed_file_reset(t);
	t->changed = st.st_mtim;
	scanner_swap(s, t->memory);
	if (!t->begun) {
		begun = scanner_begin(s, t->path, shown, &t->log);
		atomic_fetch_add(&all->bytes, (long long)t->log.bytes);
		t->begun = 1;
		t->settled = begun == SCAN_SETTLED;
		t->device = st.st_dev;
		t->inode = st.st_ino;
		t->looked = st.st_size;
	}
	if (begun == SCAN_FAILED)
		rc = -1;
	else if (begun == SCAN_WHOLE)
		rc = 1;
	else if (read_on(all, t, s, fd, st.st_size, &t->log.problem) != 0)
		rc = error_prefix(&t->log.problem, "%s", shown);
	if (rc == 0)
		make_view(all, t, s, no_hash, log);
	scanner_swap(s, t->memory);
	if (rc < 0)
		log->problem = t->log.problem;
	if (rc != 0 || all->end)
		t->begun = 0;
	return rc;
}

int
file_follow_scan(struct file_follow *all, struct scanner *s, const char *path,
    size_t operand, const char *shown, int no_hash, struct log *log)
{
	struct followed_file *t;
	int rc = 1, fd;

	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	log_init(log);
	if (fd >= 0) {
		t = followed_file_of(all, path, operand);
		rc = scan_open(all, t, s, fd, shown, no_hash, log);
		close(fd);
	}
	if (rc <= 0)
		return rc;
	rc = scanner_scan(s, path, shown, log);
	atomic_fetch_add(&all->bytes, (long long)log->bytes);
	return rc;
}
