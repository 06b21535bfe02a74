/* Waiting for files below some folders to change: reported by the kernel where
 * there is inotify, else by the clock.
 *
 *	struct inotify_watch w;
 *	inotify_watch_init(&w);
 *	inotify_watch_below(&w, "logs");
 *	inotify_watch_wait(&w, 1.0, 5.0);
 *	inotify_watch_release(&w);
 */
#ifndef EXTRACT_INPUT_INOTIFY_WATCH_H
#define EXTRACT_INPUT_INOTIFY_WATCH_H

struct inotify_watch {
	int fd; /* of inotify, or -1 */
};

/* Watch nothing yet. */
void inotify_watch_init(struct inotify_watch *w);
void inotify_watch_release(struct inotify_watch *w);

/* Watch a file, or a folder and the folders below it.  To be called again for
 * folders that were made since; costs little where nothing is new. */
void inotify_watch_below(struct inotify_watch *w, const char *path);

/* Wait until something changes, but least_s seconds, so that many changes are
 * one, and at most most_s (a network's file system may report nothing).
 * Without inotify, and at a signal, least_s at most.  At most 3600 s. */
void inotify_watch_wait(struct inotify_watch *w, double least_s, double most_s);

#endif
