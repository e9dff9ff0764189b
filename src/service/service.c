#include "service/service.h"

#include <limits.h>
#include <poll.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/linux.h"
#include "base/memory.h"
#include "base/thread.h"
#include "docker/budget.h"

/* How often service_prewarm() checks. */
enum { PREWARM_POLL_MS = 10 };

/* ---- runs whose caller waits for them */

struct waiting_caller {
    pthread_mutex_t lock;
    struct notifier finished; /* raised when all runs are cleaned up */
    size_t left;              /* runs that are not cleaned up yet; with the lock */
};

struct awaited_run {
    struct waiting_caller *caller;
    struct result *result;
    struct run_handle *handle; /* NULL once the result is complete; with the lock */
};

static void take_result(void *context, struct result *result)
{
    struct awaited_run *run = context;

    THREAD_LOCK(&run->caller->lock);
    run->handle = NULL;
    *run->result = *result;
    *result = (struct result)RESULT_INIT;
}

static void take_problem(void *context, const char *problem)
{
    struct awaited_run *run = context;
    struct waiting_caller *caller = run->caller;

    if (problem)
        strvec_push(&run->result->warnings, problem);
    THREAD_LOCK(&caller->lock);
    if (--caller->left == 0)
        notifier_raise(&caller->finished);
}

/* If it cannot be submitted, its result says why. */
static void submit_awaited(struct service *service, struct plan *plan,
                           const struct run_observer *observer, struct awaited_run *run)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    const struct run_callbacks callbacks = {
        .observer = *observer, .done = take_result, .cleaned_up = take_problem, .context = run};

    THREAD_LOCK(&run->caller->lock); /* the callbacks wait until the handle is there */
    if (service_submit(service, plan, &callbacks, &run->handle, &error) == 0)
        run->caller->left++;
    else
        result_fail(run->result, &error);
}

static void cancel_runs(struct service *service, struct awaited_run *runs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        THREAD_LOCK(&runs[i].caller->lock);
        if (runs[i].handle)
            service_cancel(service, runs[i].handle);
    }
}

static bool is_any_left(struct waiting_caller *caller)
{
    THREAD_LOCK(&caller->lock);
    return caller->left > 0;
}

static void wait_for_runs(struct service *service, struct waiting_caller *caller,
                          struct awaited_run *runs, size_t count, const struct notifier *cancel)
{
    struct pollfd polled[] = {
        {notifier_fd(&caller->finished), POLLIN, 0},
        {notifier_fd(cancel), POLLIN, 0},
    };

    while (is_any_left(caller)) {
        if (io_poll(polled, 2, -1) < 0)
            continue;
        if (polled[1].revents != 0) {
            cancel_runs(service, runs, count);
            polled[1] = (struct pollfd){-1, 0, 0};
        }
    }
}

static void run_and_wait(struct service *service, struct plan *plans,
                         const struct run_observer *observer, const struct notifier *cancel,
                         struct result *results, size_t count)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct waiting_caller caller = {.finished = NOTIFIER_INIT};
    CLEANUP_FREE struct awaited_run *runs = memory_allocate(count * sizeof *runs);
    const bool ready = notifier_open(&caller.finished, &error) == 0;

    pthread_mutex_init(&caller.lock, NULL);
    for (size_t i = 0; i < count; i++) {
        runs[i] = (struct awaited_run){.caller = &caller, .result = &results[i]};
        if (ready)
            submit_awaited(service, &plans[i], observer, &runs[i]);
        else
            result_fail(&results[i], &error);
    }
    wait_for_runs(service, &caller, runs, count, cancel);
    pthread_mutex_destroy(&caller.lock);
    notifier_release(&caller.finished);
}

void service_run(struct service *service, struct plan *plan, const struct run_observer *observer,
                 const struct notifier *cancel, struct result *result)
{
    run_and_wait(service, plan, observer, cancel, result, 1);
}

void service_run_together(struct service *service, struct plan *plans, size_t count,
                          const struct notifier *cancel, struct result *results)
{
    const struct run_observer no_observer = RUN_OBSERVER_INIT;

    run_and_wait(service, plans, &no_observer, cancel, results, count);
}

/* ---- the service */

static int open_parts(struct service *service, const struct config *config,
                      const struct service_options *options, struct error *error)
{
    struct workers_limits limits = options->limits;

    if (limits.max_active == 0)
        limits.max_active = config->max_concurrent > 0 ? config->max_concurrent : linux_cores();
    if (notifier_open(&service->pool_ended, error) != 0 ||
        notifier_open(&service->sessions_ended, error) != 0)
        return -1;
    service->sessions = sessions_new(&config->sessions, &service->sessions_ended, error);
    if (!service->sessions)
        return -1;
    service->visits = visits_new();
    if (options->pool != POOL_NONE) {
        service->pool = pool_open(&service->docker, config, options->pool, &service->proving,
                                  &service->pool_ended, error);
        if (!service->pool)
            return -1;
    }
    if (workers_open(&service->workers, &service->docker, service->pool, service->sessions, &limits,
                     error) != 0)
        return -1;
    service->workers.visits = service->visits;
    service->workers.audit = &service->audit;
    service->workers.tools = service->tools;
    service->workers.proving = &service->proving;
    service->workers.pauses_pool = options->pool == POOL_AHEAD;
    service->workers.may_start = options->may_start;
    service->workers.context = options->context;
    service->workers.changed = options->changed;
    return 0;
}

/* Releases everything but the workers; what is there has ended. */
static void release_parts(struct service *service)
{
    pool_close(service->pool);
    sessions_free(service->sessions);
    visits_free(service->visits);
    notifier_release(&service->pool_ended);
    notifier_release(&service->sessions_ended);
    tool_set_free(service->tools);
    reaper_dismiss(&service->reaper, &service->docker);
    audit_close(&service->audit);
    pthread_mutex_destroy(&service->proving);
    service->interrupted = service->memory.interrupted;
    engine_memory_release(&service->memory);
}

int service_open(struct service *service, const struct config *config,
                 const struct service_options *options, struct error *error)
{
    *service = (struct service){.docker = config_docker(config),
                                .pool_ended = NOTIFIER_INIT,
                                .sessions_ended = NOTIFIER_INIT};
    if (audit_open(&service->audit, config->audit_file, error) != 0)
        return -1;
    service->docker.trace = options->trace;
    docker_set_up_environment();
    linux_share_heap();
    engine_memory_init(&service->memory);
    pthread_mutex_init(&service->proving, NULL);
    service->docker.memory = &service->memory;
    reaper_start(&service->reaper, &service->docker);
    if (options->has_tools && config->tool_count > 0)
        service->tools = tool_set_new(config, error);
    linux_raise_descriptors(); /* each run needs some */
    if ((service->tools || !options->has_tools || config->tool_count == 0) &&
        open_parts(service, config, options, error) == 0) {
        if (options->pool != POOL_AHEAD)
            pool_start(service->pool);
        return 0;
    }
    pool_end(service->pool);
    release_parts(service);
    return -1;
}

int service_submit(struct service *service, struct plan *plan,
                   const struct run_callbacks *callbacks, struct run_handle **handle,
                   struct error *error)
{
    return workers_submit(&service->workers, plan, callbacks, handle, error);
}

int service_find_session(struct service *service, struct request *request, struct error *error)
{
    return sessions_find(service->sessions, request, error);
}

int service_close_session(struct service *service, const char *id, struct error *error)
{
    if (sessions_close(service->sessions, id, error) != 0)
        return -1;
    workers_cancel_session(&service->workers, id);
    return 0;
}

void service_cancel(struct service *service, struct run_handle *handle)
{
    workers_cancel(&service->workers, handle);
}

bool service_has_room(struct service *service)
{
    return workers_have_room(&service->workers);
}

bool service_is_idle(struct service *service)
{
    return workers_are_done(&service->workers);
}

void service_wake(struct service *service)
{
    workers_wake(&service->workers);
}

bool service_prewarm(struct service *service, const struct plan *plan,
                     const struct notifier *cancel)
{
    static const struct timespec pause = {0, PREWARM_POLL_MS * 1000000L};
    const long long end = budget_deadline(&service->docker, BUDGET_WARM_WAIT);
    bool ready;

    if (!service->pool)
        return false;
    while (!(ready = pool_request(service->pool, plan)) && clock_now_ms() < end &&
           !notifier_raised(cancel))
        nanosleep(&pause, NULL);
    return ready;
}

void service_start_pool(struct service *service)
{
    pool_start(service->pool);
}

void service_stop_pool(struct service *service)
{
    pool_stop(service->pool);
}

static bool has_ended(struct service *service)
{
    return workers_are_done(&service->workers) && pool_has_ended(service->pool) &&
           sessions_have_ended(service->sessions);
}

/* Milliseconds until the deadline, for poll(); -1: there is none. */
static int time_left(long long deadline)
{
    const long long left = deadline - clock_now_ms();

    return deadline == 0 ? -1 : left < 0 ? 0 : left > INT_MAX ? INT_MAX : (int)left;
}

static bool wait_for_end(struct service *service, long long deadline)
{
    struct pollfd polled[] = {
        {notifier_fd(&service->workers.idle), POLLIN, 0},
        {notifier_fd(&service->pool_ended), POLLIN, 0},
        {notifier_fd(&service->sessions_ended), POLLIN, 0},
    };

    while (!has_ended(service)) {
        if (deadline != 0 && clock_now_ms() >= deadline)
            return false;
        io_poll(polled, 3, time_left(deadline));
        notifier_clear(&service->workers.idle);
        notifier_clear(&service->pool_ended);
        notifier_clear(&service->sessions_ended);
    }
    return true;
}

void service_end(struct service *service)
{
    workers_end(&service->workers);
    pool_end(service->pool);
    sessions_end(service->sessions);
    tool_set_end(service->tools);
}

int service_close(struct service *service, long long deadline)
{
    service_end(service);
    if (!wait_for_end(service, deadline))
        return -1;
    workers_close(&service->workers);
    if (!tool_set_wait(service->tools, deadline))
        return -1;
    release_parts(service);
    return 0;
}
