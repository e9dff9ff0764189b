/*
 * Threads that have the same stack with each C library: glibc gives 8 MiB, musl 128 KiB, and what a
 * thread needs must not depend on that. The deepest work of a thread is jansson's, which reads and
 * writes values that are 2048 deep (JSON_PARSER_MAX_DEPTH) with a call for each.
 */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>

#include "base/cleanup.h"

enum { THREAD_STACK_BYTES = 1024 * 1024 };

/* Holds the mutex until the end of the block. What was declared before is cleaned up after that. */
#define THREAD_LOCK(mutex)                                                                         \
    CLEANUP(thread_unlock)                                                                         \
    pthread_mutex_t *thread_locked __attribute__((unused)) = thread_lock(mutex)

static inline pthread_mutex_t *thread_lock(pthread_mutex_t *mutex)
{
    pthread_mutex_lock(mutex);
    return mutex;
}

static inline void thread_unlock(pthread_mutex_t **mutex)
{
    pthread_mutex_unlock(*mutex);
}

/* Starts a thread, which the caller joins. Returns 0, or -1 with errno. */
int thread_start(pthread_t *thread, void *(*work)(void *), void *argument);

#endif
