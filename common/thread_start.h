/* Threads that begin on a CPU of their own.  A new thread often begins on its
 * maker's CPU, and the kernel notices after some 20 ms that others are free:
 * a third of what a log of 100 MB takes.
 */
#ifndef COMMON_THREAD_START_H
#define COMMON_THREAD_START_H

#include <pthread.h>

/* As pthread_create; the thread begins on the (k + 1)-th CPU after the caller's
 * among those that the caller may use, and may use all of these.
 *
 * k  how many were started before it to work at the same time, >= 0
 *
 * Returns 0, or a number as errno. */
int thread_start(
    pthread_t *thread, size_t k, void *(*work)(void *arg), void *arg);

/* The place after the now-th of n by k + 1, from the first again after the
 * last: where thread_start puts a thread.  n >= 1. */
size_t thread_place(size_t now, size_t n, size_t k);

#endif
