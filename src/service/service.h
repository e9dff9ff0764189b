/*
 * The service: everything that lives longer than one run, and the one way in for all front ends. It
 * owns the connection to the engine, the reaper, the pool of warm instances, and the workers with
 * their queue. A front end translates: options or JSON in, service_submit() or service_run(), a
 * result out. The service does not know how a caller speaks.
 *
 * Thread-safe after service_open(), except for service_close().
 */
#ifndef SERVICE_SERVICE_H
#define SERVICE_SERVICE_H

#include <stdbool.h>

#include "base/error.h"
#include "base/notifier.h"
#include "config/config.h"
#include "docker/docker.h"
#include "docker/engine_memory.h"
#include "request/plan.h"
#include "service/pool.h"
#include "service/reaper.h"
#include "service/run_handle.h"
#include "service/sessions.h"
#include "service/workers.h"
#include "tools/tool_set.h"

struct service_options {
    enum pool_policy pool;
    /* If max_active is 0, it is maxConcurrent of the configuration, or the number of cores. */
    struct workers_limits limits;
    docker_trace *trace; /* gets the steps of docker commands; NULL: no trace */
    bool has_tools;      /* plans may name servers of tools */
    /*
     * Called before each run starts, with a lock of the service; if it returns false, the run waits
     * for service_wake(). NULL: each run may start.
     */
    bool (*may_start)(void *context);
    void *context; /* the argument of may_start() */
    /* Raised when a run ends and when it is cleaned up; may be NULL. */
    const struct notifier *changed;
};

struct service {
    struct docker docker; /* callers may use it too; borrows from the configuration */
    /* The rest is the service's own. */
    struct engine_memory memory;
    size_t interrupted; /* creations of containers; after service_close() */
    struct reaper reaper;
    struct notifier pool_ended, sessions_ended;
    struct pool *pool; /* NULL: none */
    struct sessions *sessions;
    struct visits *visits;
    struct tool_set *tools; /* NULL: none */
    struct audit audit;
    pthread_mutex_t proving; /* the lock of enforcement_ensure() */
    struct workers workers;
};

/*
 * Opens the service. Call it before the first thread of the process, since it forks the reaper
 * and what ends the servers of tools.
 * Borrows the configuration and what the options point to until service_close(). Under POOL_AHEAD
 * the pool starts with service_start_pool(). ERROR_SYSTEM if the host refuses something,
 * ERROR_CONFIG if the audit file of the configuration cannot be written.
 */
int service_open(struct service *service, const struct config *config,
                 const struct service_options *options, struct error *error);

/*
 * Queues a run. On success the plan is taken over (it is empty then), the callbacks will be called,
 * and *handle (which may be NULL) is valid until done() has returned. ERROR_ENGINE if too many runs
 * wait or they are too large, ERROR_SYSTEM if the host refuses a thread, ERROR_CANCELLED if the
 * service is being closed, ERROR_INPUT if its session is not open, or if it opens one and
 * sessions.max of the configuration are open.
 */
int service_submit(struct service *service, struct plan *plan,
                   const struct run_callbacks *callbacks, struct run_handle **handle,
                   struct error *error);

/*
 * Completes what a request says of its session, before plan_resolve(): a session that it opens
 * (session.open) gets an id, and the request gets the terms of one that is open. The session is
 * opened when the plan is submitted, with the terms that the plan has, and not if that fails; its
 * first request makes the container. ERROR_INPUT if there is no such session; the text is the same
 * for one that was closed and one that never was.
 */
int service_find_session(struct service *service, struct request *request, struct error *error);

/*
 * Ends a session: cancels its requests, and its container is removed soon after. ERROR_INPUT as
 * above.
 */
int service_close_session(struct service *service, const char *id, struct error *error);

/* Ends a run. Its callbacks are called as always, but not before this returns. */
void service_cancel(struct service *service, struct run_handle *handle);

/* Whether the queue has room for a run, apart from limits.max_bytes. */
bool service_has_room(struct service *service);

/* Whether all runs have ended and their containers are removed. */
bool service_is_idle(struct service *service);

/* Calls options.may_start() again for the runs that wait. */
void service_wake(struct service *service);

/*
 * Runs the plan and waits until its container is removed. The plan is taken over if the run could
 * be submitted; release it in any case. Fills in the result, which is empty (RESULT_INIT), whatever
 * happens; it has a warning if the container may still exist. `cancel`, which may be NULL, ends the
 * run.
 */
void service_run(struct service *service, struct plan *plan, const struct run_observer *observer,
                 const struct notifier *cancel, struct result *result);

/* The same for several plans at the same time, as far as limits.max_active allows it. */
void service_run_together(struct service *service, struct plan *plans, size_t count,
                          const struct notifier *cancel, struct result *results);

/*
 * Has the pool make an instance for the plan and waits until it is ready. False if it is not ready
 * within BUDGET_WARM_WAIT, or if `cancel` was raised before.
 */
bool service_prewarm(struct service *service, const struct plan *plan,
                     const struct notifier *cancel);

/* Starts a POOL_AHEAD pool. */
void service_start_pool(struct service *service);

/* Stops the pool permanently, when no more requests come: it makes no more instances. */
void service_stop_pool(struct service *service);

/* Cancels all runs, and begins to remove all containers. service_close() waits for that. */
void service_end(struct service *service);

/*
 * Cancels all runs, removes all containers and frees everything. Returns -1 if the deadline
 * (clock_now_ms(); 0: none) passes first. Then threads are still at work, nothing was freed, and
 * the process has to end; the reaper does the rest.
 */
int service_close(struct service *service, long long deadline);

#endif
