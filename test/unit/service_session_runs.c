#include "test.h"

#include <poll.h>
#include <signal.h>

#include "base/clock.h"
#include "base/linux.h"
#include "config/config_load.h"
#include "config/config_read.h"
#include "fake_supervisor.h"
#include "service/pool_state.h"
#include "service/service.h"
#include "service/sessions_state.h"

/*
 * Runs of sessions, in a service whose docker command is a script. Its containers take one request
 * after the other, and each program ends at once with status 0. If the file "endless" exists, the
 * program removes it, creates the file "running" and runs until it is stopped. The file "failures"
 * has a line for each creation that is to fail. The file "log" gets a word for each creation, each
 * program that begins and each container that ends, and the file "pid" the process of the last one.
 */
static const char docker_script[] =
    "cd \"${0%/*}\"\n" FAKE_SUPERVISOR_FUNCTIONS "case $1 in\n"
    "run)\n"
    "  echo create >>log\n"
    "  if [ -s failures ]; then\n"
    "    sed -i 1d failures; echo broken >&2; exit 125\n"
    "  fi\n"
    "  echo $$ >pid\n"
    "  greet\n"
    "  while take_request; do\n"
    "    echo begun >>log\n"
    "    cat begun\n"
    "    if [ -e endless ]; then\n"
    "      rm endless; >running; take_frame\n"
    "    fi\n"
    "    cat end\n"
    "  done\n"
    "  echo end >>log;;\n"
    "rm) ;;\n"
    "context) echo tcp://box:1;;\n"
    "rename) echo \"$2 ${3%-*} ${4%-*}\" >>renames; [ ! -e refuse ];;\n"
    "*) exit 1;;\n"
    "esac\n";

enum { PATIENCE_MS = 60000 };

struct fixture {
    char *directory, *command;
    struct config config;
    struct service service;
    struct strvec unopened; /* ids of sessions that have had no request */
};

static void set_up_with(struct fixture *fixture, enum pool_policy pool, int max_active,
                        int max_retries)
{
    static const char more[] = "{\"engineTimeoutSeconds\": 600, \"sessions\": {\"max\": 8}, "
                               "\"warmMemoryMB\": 0, \"warm\": {\"bash\": 1, \"python\": 0, "
                               "\"go\": 0, \"javascript\": 0}}";
    const struct service_options options = {
        .pool = pool,
        .limits = {.max_active = max_active, .max_queued = 9, .max_retries = max_retries}};
    const struct frame_end end = {.wall_us = 1000, .cpu_us = 1000, .peak_bytes = 4096};
    struct error error = ERROR_INIT;

    *fixture = (struct fixture){.directory = temp_create()};
    fixture->command = script_in(fixture->directory, "docker", docker_script);
    write_fake_supervisor(fixture->directory, &end);
    write_in(fixture->directory, "log", "");
    config_init(&fixture->config);
    assert_int_equal(config_load(&fixture->config, "isolator_config.json", NULL, &error), 0);
    assert_int_equal(config_overlay(&fixture->config, more, strlen(more), "test", &error), 0);
    free(fixture->config.container_command);
    fixture->config.container_command = string_copy(fixture->command);
    assert_int_equal(service_open(&fixture->service, &fixture->config, &options, &error), 0);
    assert_no_error(&error);
}

static void set_up(struct fixture *fixture, int max_active, int max_retries)
{
    set_up_with(fixture, POOL_NONE, max_active, max_retries);
}

static void tear_down(struct fixture *fixture)
{
    assert_int_equal(service_close(&fixture->service, 0), 0);
    strvec_release(&fixture->unopened);
    config_release(&fixture->config);
    free(fixture->command);
    temp_remove(fixture->directory);
}

/* ---- what the script says */

static int count_words(const struct fixture *fixture, const char *word)
{
    CLEANUP_FREE char *text = read_in(fixture->directory, "log");
    int count = 0;

    for (const char *at = text; (at = strstr(at, word)); at++)
        count++;
    return count;
}

static void wait_for_words(const struct fixture *fixture, const char *word, int count)
{
    const long long end = clock_now_ms() + PATIENCE_MS;

    while (count_words(fixture, word) < count) {
        if (clock_now_ms() > end)
            fail_msg("'%s' is not in the log %d times", word, count);
        poll(NULL, 0, 10);
    }
}

static void touch(const struct fixture *fixture, const char *name)
{
    write_in(fixture->directory, name, "");
}

static void wait_for_file(const struct fixture *fixture, const char *name)
{
    CLEANUP_FREE char *path = path_in(fixture->directory, name);
    const long long end = clock_now_ms() + PATIENCE_MS;

    while (access(path, F_OK) != 0) {
        if (clock_now_ms() > end)
            fail_msg("there is no '%s'", path);
        poll(NULL, 0, 10);
    }
}

/* ---- requests */

/* The first request of an id opens its session. */
static struct plan make_plan(struct fixture *fixture, const char *id)
{
    CLEANUP(request_release) struct request request;
    CLEANUP(error_release) struct error unknown = ERROR_INIT;
    struct error error = ERROR_INIT;
    struct plan plan = PLAN_INIT;

    request_init(&request);
    request.language = string_copy("bash");
    request.input.code = string_copy("true");
    snprintf(request.session.id, sizeof request.session.id, "%s", id);
    service_find_session(&fixture->service, &request, &unknown);
    request.session.open = *id && strvec_remove(&fixture->unopened, id);
    assert_int_equal(plan_resolve(&plan, &fixture->config, &request, &error), 0);
    return plan;
}

static void open_session(struct fixture *fixture, char *id)
{
    linux_random_digits(id, SESSION_ID_SIZE);
    strvec_push(&fixture->unopened, id);
}

/* A request that was submitted. */
struct submitted {
    pthread_mutex_t lock;
    struct result result;
    bool done, cleaned_up;
};

static void take_result(void *context, struct result *result)
{
    struct submitted *submitted = context;

    pthread_mutex_lock(&submitted->lock);
    submitted->result = *result;
    *result = (struct result)RESULT_INIT;
    submitted->done = true;
    pthread_mutex_unlock(&submitted->lock);
}

static void take_cleanup(void *context, const char *problem)
{
    struct submitted *submitted = context;

    assert_null(problem);
    pthread_mutex_lock(&submitted->lock);
    submitted->cleaned_up = true;
    pthread_mutex_unlock(&submitted->lock);
}

/* Takes the plan. */
static struct run_handle *submit_plan(struct fixture *fixture, struct plan *plan,
                                      struct submitted *submitted)
{
    const struct run_callbacks callbacks = {.observer = RUN_OBSERVER_INIT,
                                            .done = take_result,
                                            .cleaned_up = take_cleanup,
                                            .context = submitted};
    struct error error = ERROR_INIT;
    struct run_handle *handle = NULL;

    *submitted = (struct submitted){.lock = PTHREAD_MUTEX_INITIALIZER};
    assert_int_equal(service_submit(&fixture->service, plan, &callbacks, &handle, &error), 0);
    assert_no_error(&error);
    return handle;
}

static struct run_handle *submit(struct fixture *fixture, const char *id,
                                 struct submitted *submitted)
{
    CLEANUP(plan_release) struct plan plan = make_plan(fixture, id);

    return submit_plan(fixture, &plan, submitted);
}

static bool is_done(struct submitted *submitted)
{
    bool done;

    pthread_mutex_lock(&submitted->lock);
    done = submitted->done && submitted->cleaned_up;
    pthread_mutex_unlock(&submitted->lock);
    return done;
}

static void wait_until_done(struct submitted *submitted)
{
    const long long end = clock_now_ms() + PATIENCE_MS;

    while (!is_done(submitted)) {
        assert_true(clock_now_ms() < end);
        poll(NULL, 0, 10);
    }
}

/* Waits for the result, checks and frees it; `error` may be NULL. */
static void await(struct submitted *submitted, enum reason reason, const char *error)
{
    wait_until_done(submitted);
    assert_text_or_null(submitted->result.error, error);
    assert_int_equal(submitted->result.reason, reason);
    result_release(&submitted->result);
}

/* The script says that the program runs before the service hears that it has begun. */
static void await_cancelled(struct submitted *submitted)
{
    wait_until_done(submitted);
    assert_int_equal(submitted->result.reason, REASON_CANCELLED);
    result_release(&submitted->result);
}

static void run(struct fixture *fixture, const char *id)
{
    struct submitted submitted;

    submit(fixture, id, &submitted);
    await(&submitted, REASON_EXIT, NULL);
}

static void check_refused(struct fixture *fixture, const char *id, const char *message)
{
    CLEANUP(plan_release) struct plan plan = make_plan(fixture, id);
    const struct run_callbacks callbacks = {.observer = RUN_OBSERVER_INIT};
    struct error error = ERROR_INIT;

    assert_int_equal(service_submit(&fixture->service, &plan, &callbacks, NULL, &error), -1);
    assert_error(&error, ERROR_INPUT, message);
    assert_non_null(plan.image); /* it is the caller's again */
}

#define UNKNOWN "there is no such session: it was closed or never opened"

/* ---- cases */

/* What each docker rename was given, without the digits of the names; waits for the first. */
static void check_renames(const struct fixture *fixture, const char *expected)
{
    const long long end = clock_now_ms() + PATIENCE_MS;
    char *renames = read_in(fixture->directory, "renames");

    while (*expected == '-' && !strchr(renames, '\n') && clock_now_ms() < end) {
        poll(NULL, 0, 10);
        free(renames);
        renames = read_in(fixture->directory, "renames");
    }
    assert_string_equal(renames, expected);
    free(renames);
}

/* Runs a request; returns the digits of its container's name, which must be that of a session. */
static char *run_for_name(struct fixture *fixture, const char *id)
{
    struct submitted submitted;
    char *digits;

    submit(fixture, id, &submitted);
    wait_until_done(&submitted);
    assert_int_equal(submitted.result.reason, REASON_EXIT);
    assert_int_equal(strncmp(submitted.result.container, "isolator-session-", 17), 0);
    assert_int_equal(owned_container_purpose(submitted.result.container), PURPOSE_SESSION);
    digits = string_copy(submitted.result.container + 17);
    result_release(&submitted.result);
    return digits;
}

/* A warm container is renamed, once. One that is made for the session has its name at once. */
CASE(session_runs__the_name_of_the_container)
{
    char id[SESSION_ID_SIZE];
    struct fixture fixture;

    for (int warm = 0; warm < 2; warm++) {
        CLEANUP_FREE char *first = NULL;
        CLEANUP_FREE char *second = NULL;
        struct plan plan;

        set_up_with(&fixture, POOL_ONE_SHOT, 2, 0);
        plan = make_plan(&fixture, "");
        if (warm)
            assert_true(service_prewarm(&fixture.service, &plan, NULL));
        plan_release(&plan);
        open_session(&fixture, id);
        first = run_for_name(&fixture, id);
        second = run_for_name(&fixture, id);
        assert_string_equal(first, second);
        check_renames(&fixture, warm ? "-- isolator isolator-session\n" : "(none)");
        assert_int_equal(count_words(&fixture, "create"), 1);
        tear_down(&fixture);
    }
}

/* A warm container may be used for an hour. A session that may last longer gets one of its own. */
CASE(session_runs__longer_than_a_warm_container)
{
    for (int longer = 0; longer < 2; longer++) {
        char id[SESSION_ID_SIZE];
        struct fixture fixture;
        struct plan plan;

        set_up_with(&fixture, POOL_ONE_SHOT, 2, 0);
        fixture.config.sessions.lifetime_seconds = longer ? 7200 : 3600;
        plan = make_plan(&fixture, "");
        assert_true(service_prewarm(&fixture.service, &plan, NULL));
        plan_release(&plan);
        open_session(&fixture, id);
        run(&fixture, id);
        assert_int_equal(count_words(&fixture, "create"), 1 + longer);
        tear_down(&fixture);
    }
}

static bool pool_is_paused(struct fixture *fixture)
{
    struct pool *pool = fixture->service.pool;
    bool paused;

    pthread_mutex_lock(&pool->lock);
    paused = pool->paused;
    pthread_mutex_unlock(&pool->lock);
    return paused;
}

/* The pool pauses for a run that waits for a worker, and not for one that waits for its session. */
CASE(session_runs__do_not_pause_the_pool)
{
    struct submitted active, waiting, other, last;
    char id[SESSION_ID_SIZE];
    struct fixture fixture;

    set_up_with(&fixture, POOL_AHEAD, 2, 0);
    fixture.service.workers.cores = 8;
    open_session(&fixture, id);
    touch(&fixture, "endless");
    submit(&fixture, id, &active);
    wait_for_file(&fixture, "running");
    submit(&fixture, id, &waiting);
    assert_false(pool_is_paused(&fixture));
    touch(&fixture, "endless");
    submit(&fixture, "", &other);
    submit(&fixture, "", &last);
    assert_true(pool_is_paused(&fixture));
    tear_down(&fixture);
    await_cancelled(&active);
    await_cancelled(&waiting);
    await_cancelled(&other);
    await_cancelled(&last);
}

/* Then it keeps its name, and the session goes on. */
CASE_WITH(session_runs__a_container_that_is_not_renamed, set_up_with(fixture, POOL_ONE_SHOT, 2, 0))
{
    char id[SESSION_ID_SIZE];
    struct plan plan;

    touch(fixture, "refuse");
    plan = make_plan(fixture, "");
    assert_true(service_prewarm(&fixture->service, &plan, NULL));
    plan_release(&plan);
    open_session(fixture, id);
    run(fixture, id);
    run(fixture, id);
    run(fixture, id);
    check_renames(fixture, "-- isolator isolator-session\n");
}

CASE_WITH(session_runs__one_container, set_up(fixture, 2, 0))
{
    char id[SESSION_ID_SIZE], other[SESSION_ID_SIZE];
    struct error error = ERROR_INIT;

    open_session(fixture, id);
    open_session(fixture, other);
    assert_int_equal(count_words(fixture, "create"), 0); /* only a request needs one */
    run(fixture, id);
    run(fixture, id);
    assert_int_equal(count_words(fixture, "create"), 1);
    assert_int_equal(count_words(fixture, "begun"), 2);
    assert_int_equal(count_words(fixture, "end"), 0);
    run(fixture, other);
    run(fixture, "");
    assert_int_equal(count_words(fixture, "create"), 3);
    wait_for_words(fixture, "end", 1); /* that of the run without a session */
    assert_int_equal(service_close_session(&fixture->service, id, &error), 0);
    wait_for_words(fixture, "end", 2);
    check_refused(fixture, id, UNKNOWN);
    run(fixture, other);
    assert_int_equal(count_words(fixture, "create"), 3);
}

CASE_WITH(session_runs__closed_by_a_request, set_up(fixture, 2, 0))
{
    char id[SESSION_ID_SIZE];
    struct submitted last;
    struct plan plan;

    open_session(fixture, id);
    run(fixture, id);
    plan = make_plan(fixture, id);
    plan.session.close = true;
    submit_plan(fixture, &plan, &last);
    await(&last, REASON_EXIT, NULL);
    check_refused(fixture, id, UNKNOWN);
    wait_for_words(fixture, "end", 1);
    assert_int_equal(count_words(fixture, "create"), 1);
}

/* A request that waits for its session keeps no other from running, also not from a retry. */
CASE_WITH(session_runs__one_at_a_time, set_up(fixture, 2, 1))
{
    struct submitted first, second, third, other;
    char id[SESSION_ID_SIZE];
    struct run_handle *handle;

    open_session(fixture, id);
    touch(fixture, "endless");
    handle = submit(fixture, id, &first);
    wait_for_file(fixture, "running");
    submit(fixture, id, &second);
    submit(fixture, id, &third);
    write_in(fixture->directory, "failures", "1\n");
    submit(fixture, "", &other);
    await(&other, REASON_EXIT, NULL);
    assert_int_equal(count_words(fixture, "begun"), 2); /* the first and the other */
    assert_false(is_done(&second));
    service_cancel(&fixture->service, handle);
    await_cancelled(&first);
    await(&second, REASON_EXIT, NULL);
    await(&third, REASON_EXIT, NULL);
    assert_int_equal(count_words(fixture, "begun"), 4);
    assert_int_equal(count_words(fixture, "create"), 3); /* one of them failed */
}

/* Of several that wait, the last ends when all others have. */
CASE_WITH(session_runs__in_their_order, set_up(fixture, 4, 0))
{
    struct submitted submitted[8];
    struct run_handle *handle;
    char id[SESSION_ID_SIZE];

    open_session(fixture, id);
    touch(fixture, "endless");
    handle = submit(fixture, id, &submitted[0]);
    for (size_t i = 1; i < COUNT(submitted); i++)
        submit(fixture, id, &submitted[i]);
    wait_for_file(fixture, "running");
    service_cancel(&fixture->service, handle);
    await(&submitted[COUNT(submitted) - 1], REASON_EXIT, NULL);
    for (size_t i = 1; i < COUNT(submitted) - 1; i++) {
        assert_true(submitted[i].done);
        await(&submitted[i], REASON_EXIT, NULL);
    }
    await_cancelled(&submitted[0]);
    /* a second one if the cancellation came before the service heard that the program had begun */
    assert_in_range(count_words(fixture, "create"), 1, 2);
}

CASE_WITH(session_runs__close_cancels_them, set_up(fixture, 2, 0))
{
    struct submitted active, waiting;
    struct error error = ERROR_INIT;
    char id[SESSION_ID_SIZE];

    open_session(fixture, id);
    touch(fixture, "endless");
    submit(fixture, id, &active);
    wait_for_file(fixture, "running");
    submit(fixture, id, &waiting);
    assert_int_equal(service_close_session(&fixture->service, id, &error), 0);
    await_cancelled(&active);
    await(&waiting, REASON_INPUT, UNKNOWN);
    wait_for_words(fixture, "end", 1);
}

/* Nothing runs in it then, and the next request learns why. */
CASE_WITH(session_runs__a_container_that_ends, set_up(fixture, 2, 0))
{
    char id[SESSION_ID_SIZE];
    const long long end = clock_now_ms() + PATIENCE_MS;
    CLEANUP_FREE char *pid = NULL;

    open_session(fixture, id);
    run(fixture, id);
    pid = read_in(fixture->directory, "pid");
    assert_int_equal(kill((pid_t)atol(pid), SIGKILL), 0);
    while (sessions_count(fixture->service.sessions) > 0) {
        assert_true(clock_now_ms() < end);
        poll(NULL, 0, 10);
    }
    check_refused(fixture, id, "session ended: its container ended");
}

/* It would be out of its order. The next request may try again. */
CASE(session_runs__are_not_retried)
{
    struct submitted failed;
    char id[SESSION_ID_SIZE];
    struct fixture fixture;

    unsetenv("DOCKER_HOST");
    set_up(&fixture, 2, 5);
    write_in(fixture.directory, "failures", "1\n");
    open_session(&fixture, id);
    submit(&fixture, id, &failed);
    await(&failed, REASON_ENGINE,
          "cannot start the container: the container engine does not answer at tcp://box:1; see "
          "docker context ls and choose another context than tcp://box:1: broken");
    assert_int_equal(count_words(&fixture, "create"), 1);
    run(&fixture, id);
    assert_int_equal(count_words(&fixture, "create"), 2);
    tear_down(&fixture);
}

/* The first request settles the limits of those after it. */
CASE_WITH(session_runs__other_limits, set_up(fixture, 2, 0))
{
    CLEANUP(plan_release) struct plan plan = PLAN_INIT;
    struct error error = ERROR_INIT;
    char id[SESSION_ID_SIZE];
    struct request request;

    open_session(fixture, id);
    run(fixture, id);
    request_init(&request);
    memcpy(request.session.id, id, sizeof id);
    request.policy.limits.number[LIMIT_MEMORY] = 300;
    assert_int_equal(service_find_session(&fixture->service, &request, &error), 0);
    assert_int_equal(plan_resolve(&plan, &fixture->config, &request, &error), -1);
    assert_error(&error, ERROR_USAGE,
                 "memoryMB is 256 MB in this session, and can be set only when a session is "
                 "opened");
    request_release(&request);
    run(fixture, id);
}

/* A request that finds no room does not keep its session from ending. */
CASE(session_runs__no_room)
{
    struct error error = ERROR_INIT;
    char id[SESSION_ID_SIZE];
    struct submitted active;
    struct fixture fixture;
    struct plan plan;

    set_up(&fixture, 1, 0);
    fixture.service.workers.limits.max_queued = 0;
    open_session(&fixture, id);
    run(&fixture, id);
    touch(&fixture, "endless");
    submit(&fixture, "", &active);
    wait_for_file(&fixture, "running");
    plan = make_plan(&fixture, id);
    assert_int_equal(service_submit(&fixture.service, &plan, &(struct run_callbacks){.done = NULL},
                                    NULL, &error),
                     -1);
    assert_error(&error, ERROR_ENGINE,
                 "too busy: 1 programs are running and 0 are waiting, and no more are allowed; try "
                 "again when some have ended");
    plan_release(&plan);
    assert_int_equal(fixture.service.sessions->list->requests, 0);
    tear_down(&fixture);
    await_cancelled(&active);
}

/* Idle ones, one whose request runs, and one that never had one. */
CASE(session_runs__the_end_of_the_service)
{
    char ids[5][SESSION_ID_SIZE];
    struct submitted active;
    struct fixture fixture;

    set_up(&fixture, 2, 0);
    for (size_t i = 0; i < COUNT(ids); i++)
        open_session(&fixture, ids[i]);
    for (size_t i = 0; i < 3; i++)
        run(&fixture, ids[i]);
    touch(&fixture, "endless");
    submit(&fixture, ids[3], &active);
    wait_for_file(&fixture, "running");
    assert_int_equal(count_words(&fixture, "create"), 4);
    assert_int_equal(service_close(&fixture.service, 0), 0);
    await_cancelled(&active);
    assert_int_equal(count_words(&fixture, "end"), 4);
    strvec_release(&fixture.unopened);
    config_release(&fixture.config);
    free(fixture.command);
    temp_remove(fixture.directory);
}

static int set_up_group(void **state)
{
    (void)state;
    signal(SIGPIPE, SIG_IGN);
    return 0;
}
