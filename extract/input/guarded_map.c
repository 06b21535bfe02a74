/* Mappings that survive a file which shrinks while it is read: the missing
 * pages read as zeros.  Called by byte_source.c; one mapping a thread. */
#include <config.h>

#include "extract/input/guarded_map.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The mapping of this thread.  A fault in it is raised in the thread that
 * reads it, so that the handler sees the right one. */
static _Thread_local struct {
	char *base;
	size_t len;
	volatile sig_atomic_t gone;
} guarded;

static long page_size;
static struct sigaction before;

/* Put an empty page where the missing one should be. */
static void
on_sigbus(int sig, siginfo_t *info, void *context)
{
	char *at = info->si_addr;
	uintptr_t page = (uintptr_t)at & ~((uintptr_t)page_size - 1);

	(void)context;
	if (guarded.base == NULL || at < guarded.base ||
	    at >= guarded.base + guarded.len ||
	    mmap((void *)page, (size_t)page_size, PROT_READ,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) {
		sigaction(sig, &before, NULL); /* the fault comes again */
		return;
	}
	guarded.gone = 1;
}

static void
guarded_map_install(void)
{
	struct sigaction sa;

	page_size = sysconf(_SC_PAGESIZE);
	memset(&sa, 0, sizeof sa);
	sa.sa_sigaction = on_sigbus;
	sa.sa_flags = SA_SIGINFO;
	sigemptyset(&sa.sa_mask);
	sigaction(SIGBUS, &sa, &before);
}

char *
guarded_map_open(int fd, int64_t offset, size_t len)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	void *map;

	assert(guarded.base == NULL);
	pthread_once(&once, guarded_map_install);
	map =
	    mmap(NULL, len, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, offset);
	if (map == MAP_FAILED)
		return NULL;
	guarded.len = len;
	guarded.gone = 0;
	guarded.base = map;
	return map;
}

int
guarded_map_close(char *map, size_t len)
{
	assert(map == guarded.base && len == guarded.len);
	guarded.base = NULL;
	munmap(map, len);
	return guarded.gone;
}
