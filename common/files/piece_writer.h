/* A file that grows by hundreds of megabytes: a thread writes one piece while
 * the caller fills the next.  Where the system allows it, pieces go from the
 * caller's memory straight to the disk, past the kernel's copy of the file,
 * which would cost as much time as making the text.
 *
 *	struct piece_writer *w = piece_writer_new(f, slack);
 *	size_t used;
 *	char *room = piece_writer_room(w, &used);
 *	for (...) {
 *		if (used >= PIECE_BYTES)
 *			room = piece_writer_put(w, &used);
 *		used += ... bytes at room + used, slack of them at most ...
 *	}
 *	piece_writer_finish(w, used);
 *
 * What fits into one piece is written as any other file, without a thread. */
#ifndef COMMON_FILES_PIECE_WRITER_H
#define COMMON_FILES_PIECE_WRITER_H

#include <stddef.h>
#include <stdio.h>

enum { PIECE_BYTES = 1 << 20 };

struct piece_writer;

/* Go on writing to f where it ends.
 *
 * f      open for writing, not for reading; until piece_writer_finish only the
 *        writer uses it
 * slack  bytes that the caller may add when used is below PIECE_BYTES */
struct piece_writer *piece_writer_new(FILE *f, size_t slack);

/* Where the text goes.  used is set to the bytes there that are not the
 * caller's: the next goes to room + used. */
char *piece_writer_room(struct piece_writer *w, size_t *used);

/* Change slack between two additions, used being below PIECE_BYTES.  Returns
 * the room, which may lie elsewhere now. */
char *piece_writer_slack(struct piece_writer *w, size_t slack, size_t used);

/* Let the first PIECE_BYTES of the room be written, used being at least that.
 * Returns the next room, which begins with what stood after them; used is set
 * to the length of that. */
char *piece_writer_put(struct piece_writer *w, size_t *used);

/* Write the rest, wait until all of it is written, and free w.  What failed is
 * ferror(f)'s to report. */
void piece_writer_finish(struct piece_writer *w, size_t used);

#endif
