#include <config.h>

#include "extract/scan/scan_file.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/alloc.h"

/* One file of one operand. */
struct followed_file {
	char *path;
	size_t operand;
	int used;       /* 1: scanned since the last sweep */
	int read;       /* 1: log was read from the file with status st */
	struct stat st; /* before reading */
	struct log log;
};

struct file_follow {
	pthread_mutex_t lock; /* of the list and of bytes */
	struct followed_file **items;
	size_t n, alloc;
	int end; /* 1: last scan of each file */
	int64_t bytes;
};

struct file_follow *
file_follow_new(void)
{
	struct file_follow *all = xcalloc(1, sizeof *all);

	pthread_mutex_init(&all->lock, NULL);
	return all;
}

void
file_follow_sweep(struct file_follow *all)
{
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++) {
		struct followed_file *t = all->items[i];

		if (t->used) {
			t->used = 0;
			all->items[n++] = t;
			continue;
		}
		log_release(&t->log);
		free(t->path);
		free(t);
	}
	all->n = n;
}

void
file_follow_free(struct file_follow *all)
{
	if (all == NULL)
		return;
	for (size_t i = 0; i < all->n; i++)
		all->items[i]->used = 0;
	file_follow_sweep(all);
	free(all->items);
	pthread_mutex_destroy(&all->lock);
	free(all);
}

void
file_follow_end(struct file_follow *all)
{
	all->end = 1;
}

int64_t
file_follow_bytes(const struct file_follow *all)
{
	return all->bytes;
}

static struct followed_file *
get_file(struct file_follow *all, const char *path, size_t operand)
{
	struct followed_file *t = NULL;

	pthread_mutex_lock(&all->lock);
	for (size_t i = 0; t == NULL && i < all->n; i++)
		if (all->items[i]->operand == operand &&
		    strcmp(all->items[i]->path, path) == 0)
			t = all->items[i];
	if (t == NULL) {
		t = xcalloc(1, sizeof *t);
		t->path = xstrdup(path);
		t->operand = operand;
		all->items = vec_grow(
		    all->items, all->n, &all->alloc, sizeof *all->items);
		all->items[all->n++] = t;
	}
	t->used = 1;
	pthread_mutex_unlock(&all->lock);
	return t;
}

static int
is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino &&
	    a->st_size == b->st_size &&
	    a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	    a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

int
file_follow_scan(struct file_follow *all, struct scanner *s, const char *path,
    size_t operand, const char *shown, struct log *log)
{
	struct followed_file *t = get_file(all, path, operand);
	const struct stat before = t->st;
	int rc = 0;

	if (stat(path, &t->st) != 0 || !S_ISREG(t->st.st_mode) || all->end ||
	    !t->read || !is_same(&before, &t->st)) {
		log_release(&t->log);
		scanner_skip_incomplete(s, !all->end);
		rc = scanner_scan(s, path, shown, &t->log);
		t->read = rc == 0 && S_ISREG(t->st.st_mode);
		pthread_mutex_lock(&all->lock);
		all->bytes += t->log.bytes;
		pthread_mutex_unlock(&all->lock);
	}
	*log = t->log;
	log->borrowed = 1;
	return rc;
}
