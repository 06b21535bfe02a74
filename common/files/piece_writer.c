/* Pieces of a large file, written by a thread of their own.  The records of
 * --records go through it; what is in them it does not know. */
#include <config.h>

#include "common/files/piece_writer.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/files/outfile.h"
#include "common/thread_start.h"

enum {
	N_PIECES = 4,
	ALIGNED = 4096,      /* places in memory and file that a disk takes */
	SENT_BYTES = 8 << 20 /* that are sent to the disk at once */
};

/* Memory of PIECE_BYTES and slack. */
struct written_piece {
	char *memory; /* as it was allocated */
	char *text;   /* in it, at a multiple of ALIGNED */
	size_t slack;
	size_t from, end; /* what is to be written of it */
};

struct piece_writer {
	FILE *f;
	size_t slack;
	struct written_piece pieces[N_PIECES]; /* in turns */
	size_t now;                            /* the caller's */

	/* Of whoever writes: the thread, or the caller before it is there and
	 * after it has ended. */
	int may_be_direct; /* 1: until the system refuses */
	int direct;        /* 1: O_DIRECT is set */
	int was_direct;    /* 1: it was once */
	size_t unsent;     /* bytes since outfile_send */

	int tried;    /* 1: to start the thread */
	int threaded; /* 1: there is one */
	pthread_t thread;
	pthread_mutex_t lock; /* guards what follows */
	pthread_cond_t changed;
	size_t n_full; /* pieces that wait to be written, up to now */
	int ends;      /* 1: none comes after these */
};

/* --- Writing ---------------------------------------------------------------*/

#ifdef O_DIRECT
/* Returns 0 where the system cannot. */
static int
set_direct(struct piece_writer *w, int on)
{
	const int fd = fileno(w->f), flags = fcntl(fd, F_GETFL);

	if (w->direct == on)
		return 1;
	if (flags == -1 ||
	    fcntl(fd, F_SETFL, on ? flags | O_DIRECT : flags & ~O_DIRECT) ==
		-1) {
		w->may_be_direct = 0;
		return 0;
	}
	w->direct = on;
	w->was_direct |= on;
	return 1;
}

/* Write as much as goes straight to the disk.  Returns how much that is. */
static size_t
write_direct(struct piece_writer *w, const char *text, size_t n)
{
	size_t done = 0;

	if (!w->may_be_direct || (uintptr_t)text % ALIGNED != 0 ||
	    n < ALIGNED || !set_direct(w, 1))
		return 0;
	n -= n % ALIGNED;
	while (done < n && done % ALIGNED == 0) {
		const ssize_t k = write(fileno(w->f), text + done, n - done);

		if (k < 0 && errno == EINTR)
			continue;
		/* What is wrong with it the usual way will find. */
		if (k <= 0)
			break;
		done += (size_t)k;
	}
	if (done < n)
		w->may_be_direct = 0;
	return done;
}
#else
static int
set_direct(struct piece_writer *w, int on)
{
	(void)w, (void)on;
	return 1;
}

static size_t
write_direct(struct piece_writer *w, const char *text, size_t n)
{
	(void)w, (void)text, (void)n;
	return 0;
}
#endif

static void
write_usual(struct piece_writer *w, const char *text, size_t n)
{
	if (n == 0)
		return;
	set_direct(w, 0);
	fwrite(text, 1, n, w->f);
	fflush(w->f);
	w->unsent += n;
	if (w->unsent >= SENT_BYTES) {
		outfile_send(w->f);
		w->unsent = 0;
	}
}

static void
piece_write(struct piece_writer *w, const struct written_piece *p)
{
	const char *text = p->text + p->from, *end = p->text + p->end;
	size_t before = (ALIGNED - p->from % ALIGNED) % ALIGNED;

	if (ferror(w->f))
		return; /* what follows a gap is of no use */
	if (before > p->end - p->from)
		before = p->end - p->from;
	write_usual(w, text, before);
	text += before;
	text += write_direct(w, text, (size_t)(end - text));
	write_usual(w, text, (size_t)(end - text));
}

/* Of the first pieces that are full, in their order. */
static void *
write_pieces(void *arg)
{
	struct piece_writer *w = arg;
	size_t at = 0;

	pthread_mutex_lock(&w->lock);
	for (;; at = (at + 1) % N_PIECES) {
		while (w->n_full == 0 && !w->ends)
			pthread_cond_wait(&w->changed, &w->lock);
		if (w->n_full == 0)
			break;
		pthread_mutex_unlock(&w->lock);
		piece_write(w, &w->pieces[at]);
		pthread_mutex_lock(&w->lock);
		w->n_full--;
		pthread_cond_signal(&w->changed);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

/* --- The caller's ----------------------------------------------------------*/

/* Let the piece have room for slack, and keep its first used bytes. */
static void
piece_fit(struct written_piece *p, size_t slack, size_t used)
{
	char *memory, *text;

	if (p->memory != NULL && p->slack >= slack)
		return;
	memory = xmalloc(PIECE_BYTES + slack + ALIGNED);
	text = memory + (ALIGNED - (uintptr_t)memory % ALIGNED) % ALIGNED;
	if (used > 0)
		memcpy(text, p->text, used);
	free(p->memory);
	*p = (struct written_piece){ memory, text, slack, p->from, p->end };
}

struct piece_writer *
piece_writer_new(FILE *f, size_t slack)
{
	struct piece_writer *w = xcalloc(1, sizeof *w);
	struct stat st;
	off_t at = -1;

	w->f = f;
	w->slack = slack;
	fflush(f);
	if (f != stdout && fstat(fileno(f), &st) == 0 && S_ISREG(st.st_mode))
		at = lseek(fileno(f), 0, SEEK_CUR);
	w->may_be_direct = at >= 0;
	piece_fit(&w->pieces[0], slack, 0);
	w->pieces[0].from = at >= 0 ? (size_t)(at % ALIGNED) : 0;
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->changed, NULL);
	return w;
}

char *
piece_writer_room(struct piece_writer *w, size_t *used)
{
	*used = w->pieces[w->now].from;
	return w->pieces[w->now].text;
}

char *
piece_writer_slack(struct piece_writer *w, size_t slack, size_t used)
{
	if (slack > w->slack)
		w->slack = slack;
	piece_fit(&w->pieces[w->now], w->slack, used);
	return w->pieces[w->now].text;
}

/* Hand a piece to the thread, and wait for another that is free. */
static void
hand_over(struct piece_writer *w)
{
	pthread_mutex_lock(&w->lock);
	w->n_full++;
	pthread_cond_signal(&w->changed);
	while (w->n_full == N_PIECES)
		pthread_cond_wait(&w->changed, &w->lock);
	pthread_mutex_unlock(&w->lock);
}

char *
piece_writer_put(struct piece_writer *w, size_t *used)
{
	struct written_piece *full = &w->pieces[w->now], *next;
	const size_t rest = *used - PIECE_BYTES;

	assert(*used >= PIECE_BYTES);
	full->end = PIECE_BYTES;
	if (!w->tried)
		w->threaded = thread_start(&w->thread, 0, write_pieces, w) == 0;
	w->tried = 1;
	if (w->threaded) {
		hand_over(w);
		w->now = (w->now + 1) % N_PIECES;
	} else {
		piece_write(w, full);
	}
	next = &w->pieces[w->now];
	if (next != full)
		piece_fit(next, w->slack, 0);
	next->from = 0;
	memmove(next->text, full->text + PIECE_BYTES, rest);
	*used = rest;
	return next->text;
}

void
piece_writer_finish(struct piece_writer *w, size_t used)
{
	struct written_piece *last = &w->pieces[w->now];

	if (w->threaded) {
		pthread_mutex_lock(&w->lock);
		w->ends = 1;
		pthread_cond_signal(&w->changed);
		pthread_mutex_unlock(&w->lock);
		pthread_join(w->thread, NULL);
	} else {
		w->may_be_direct = 0;
	}
	last->end = used;
	piece_write(w, last);
	set_direct(w, 0);
	/* The stream does not know how far it is. */
	if (w->was_direct && !ferror(w->f))
		fseeko(w->f, lseek(fileno(w->f), 0, SEEK_CUR), SEEK_SET);
	pthread_cond_destroy(&w->changed);
	pthread_mutex_destroy(&w->lock);
	for (size_t i = 0; i < N_PIECES; i++)
		free(w->pieces[i].memory);
	free(w);
}
