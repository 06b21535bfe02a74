/* Waiting for files below some folders to change: told by the kernel where
 * there is inotify, else by the clock.  Internal to extract/.
 *
 *	struct watch w;
 *	watch_init(&w);
 *	watch_below(&w, "logs");
 *	watch_wait(&w, 1.0, 5.0);
 *	watch_release(&w);
 */
#ifndef EXTRACT_WATCH_H
#define EXTRACT_WATCH_H

struct watch {
	int fd; /* of inotify, or -1 */
};

/* Watch nothing yet. */
void watch_init(struct watch *w);
void watch_release(struct watch *w);

/* Watch a file, or a folder and the folders below it.  To be called again for
 * folders that were made since; costs little where nothing is new. */
void watch_below(struct watch *w, const char *path);

/* Wait until something changes, but least_s seconds, so that many changes are
 * one, and at most most_s (a network's file system may tell nothing).  Without
 * inotify, and at a signal, least_s at most.  At most 3600 s. */
void watch_wait(struct watch *w, double least_s, double most_s);

#endif
