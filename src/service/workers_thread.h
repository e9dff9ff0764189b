/*
 * What each thread of the workers does: takes a run out of the queue, runs it, delivers its result
 * and cleans up. For service/workers.c.
 */
#ifndef SERVICE_WORKERS_THREAD_H
#define SERVICE_WORKERS_THREAD_H

#include "service/workers.h"

/* A thread, given struct workers: works until workers->ending. */
void *workers_work(void *workers);

/*
 * Pauses the pool while runs wait, except for another one of their session, or need all cores. Has
 * the lock.
 */
void workers_balance(struct workers *workers);

/* Takes out the first run that was cancelled before it started; there is one. Has the lock. */
struct run_handle *workers_take_cancelled(struct workers *workers);

/* Delivers the result of a run that was cancelled before it started. Does not have the lock. */
void workers_drop(struct workers *workers, struct run_handle *handle);

#endif
