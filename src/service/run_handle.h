/*
 * A run that was submitted to the service, and the callbacks that report its progress and result.
 */
#ifndef SERVICE_RUN_HANDLE_H
#define SERVICE_RUN_HANDLE_H

#include "run/result.h"
#include "run/run_stats.h"

struct run_handle;

/*
 * The functions that the service calls for a run, without a lock: on a thread of its own, or in
 * service_close() if the run still waits then. done() and then cleaned_up() are called once for
 * every run that was submitted, also if it was cancelled before it started.
 */
struct run_callbacks {
    struct run_observer observer;
    /* The run leaves the queue and starts; may be NULL. Not called if it never starts. */
    void (*started)(void *context);
    /*
     * The result is complete; the container may still be there. The result may be moved out or
     * changed, and is freed after the call. The handle is valid until this returns.
     */
    void (*done)(void *context, struct result *result);
    /* The run is cleaned up; `problem` is NULL, or says which container may still exist. */
    void (*cleaned_up)(void *context, const char *problem);
    void *context;
};

#endif
