#include <config.h>

#include "extract/input/inotify_watch.h"

#include <dirent.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/alloc.h"

#ifdef __linux__
#include <sys/inotify.h>
#define HAVE_WATCH 1
#else
#define HAVE_WATCH 0
#endif

enum { MAX_DEPTH = 32, LONGEST_S = 3600 };

void
inotify_watch_init(struct inotify_watch *w)
{
	w->fd = -1;
#if HAVE_WATCH
	w->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
#endif
}

void
inotify_watch_release(struct inotify_watch *w)
{
	if (w->fd >= 0)
		close(w->fd);
	w->fd = -1;
}

#if HAVE_WATCH

static void
inotify_watch_path(struct inotify_watch *w, const char *path, int depth)
{
	const struct dirent *entry;
	struct stat st;
	DIR *d;

	/* Where this fails, the clock is left. */
	if (lstat(path, &st) != 0 || (depth > 0 && !S_ISDIR(st.st_mode)) ||
	    inotify_add_watch(w->fd, path,
		IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_FROM |
		    IN_MOVED_TO | IN_CLOSE_WRITE) < 0 ||
	    depth == MAX_DEPTH)
		return;
	d = opendir(path);
	while (d != NULL && (entry = readdir(d)) != NULL) {
		char *below;

		if (entry->d_name[0] == '.' ||
		    (entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN))
			continue;
		below = xasprintf("%s/%s", path, entry->d_name);
		inotify_watch_path(w, below, depth + 1);
		free(below);
	}
	if (d != NULL)
		closedir(d);
}

#endif

void
inotify_watch_below(struct inotify_watch *w, const char *path)
{
#if HAVE_WATCH
	if (w->fd >= 0)
		inotify_watch_path(w, path, 0);
#else
	(void)w, (void)path;
#endif
}

/* A signal ends it early. */
static void
pause_for(double seconds)
{
	struct timespec t = { (time_t)seconds,
		(long)((seconds - floor(seconds)) * 1e9) };

	nanosleep(&t, NULL);
}

void
inotify_watch_wait(struct inotify_watch *w, double least_s, double most_s)
{
	struct pollfd p = { .fd = w->fd, .events = POLLIN };
	char events[4096];
	int n;

	if (most_s > LONGEST_S)
		most_s = LONGEST_S;
	if (w->fd < 0 || most_s < least_s) {
		pause_for(least_s < most_s ? least_s : most_s);
		return;
	}
	/* First the wait for a change, then for those that follow it. */
	n = poll(&p, 1, (int)((most_s - least_s) * 1000));
	if (n < 0)
		return;
	pause_for(least_s);
	while (read(w->fd, events, sizeof events) > 0)
		;
}
