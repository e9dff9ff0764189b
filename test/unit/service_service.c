#include "test.h"

#include <poll.h>
#include <signal.h>

#include "base/clock.h"
#include "config/config_load.h"
#include "config/config_read.h"
#include "fake_supervisor.h"
#include "service/service.h"

/*
 * A service whose docker command is a script. Its containers report at once that they are ready,
 * read a request, and report that the program ended with status 0 after half a second of CPU time.
 * A container NAME is a file, and NAME.ready exists when it waits. If the file "endless" exists,
 * the program creates the file "running" and runs until it is stopped. A file "failed" is a frame
 * that comes instead of its begin. A change of limits is noted
 * in the file "updates", and the limits are then those of the file "limits"; if "refuse" exists, it
 * fails. If "stuck" exists, the container takes nothing; if "slow" does, ten frames a second.
 * The file "failures" has a line for each creation that is to fail, and the file "log" gets
 * a line for each creation and each program that begins.
 */
static const char docker_script[] = "cd \"${0%/*}\"\n" FAKE_SUPERVISOR_FUNCTIONS "case $1 in\n"
                                    "run)\n"
                                    "  echo create >>log\n"
                                    "  if [ -s failures ]; then\n"
                                    "    sed -i 1d failures; echo broken >&2; exit 125\n"
                                    "  fi\n"
                                    "  until [ \"$1\" = --name ]; do shift; done\n"
                                    "  >\"$2\"\n"
                                    "  greet\n"
                                    "  >\"$2.ready\"\n"
                                    "  [ ! -e stuck ] || exec sleep 4\n"
                                    "  take_request || exit 0\n"
                                    "  echo begun >>log\n"
                                    "  [ ! -e failed ] || { cat failed; cat >/dev/null; exit 0; }\n"
                                    "  cat begun\n"
                                    "  [ ! -e endless ] || { >running; take_frame; }\n"
                                    "  cat end\n"
                                    "  cat >/dev/null;;\n"
                                    "update)\n"
                                    "  shift; echo \"${*% *}\" >>updates\n"
                                    "  [ ! -e refuse ];;\n"
                                    "inspect) cat limits;;\n"
                                    "rm) ;;\n"
                                    "*) exit 1;;\n"
                                    "esac\n";

enum { PATIENCE_MS = 60000 };

struct fixture {
    char *directory, *command;
    struct config config;
    struct service service;
};

static void set_up_with(struct fixture *fixture, enum pool_policy pool,
                        const struct workers_limits *limits)
{
    const char more[] =
        "{\"warm\": {\"python\": 1, \"go\": 0, \"javascript\": 0}, \"warmMemoryMB\": 0,"
        " \"engineTimeoutSeconds\": 600}";
    const struct service_options options = {.pool = pool, .limits = *limits};
    const struct frame_end end = {.wall_us = 700000, .cpu_us = 500000, .peak_bytes = 4096};
    struct error error = ERROR_INIT;

    *fixture = (struct fixture){.directory = temp_create()};
    fixture->command = script_in(fixture->directory, "docker", docker_script);
    write_fake_supervisor(fixture->directory, &end);
    config_init(&fixture->config);
    assert_int_equal(config_load(&fixture->config, "isolator_config.json", NULL, &error), 0);
    assert_int_equal(config_overlay(&fixture->config, more, strlen(more), "test", &error), 0);
    free(fixture->config.container_command);
    fixture->config.container_command = string_copy(fixture->command);
    assert_int_equal(service_open(&fixture->service, &fixture->config, &options, &error), 0);
    assert_no_error(&error);
}

static void set_up(struct fixture *fixture, enum pool_policy pool, int max_active)
{
    const struct workers_limits limits = {.max_active = max_active};

    set_up_with(fixture, pool, &limits);
}

static void tear_down(struct fixture *fixture)
{
    assert_int_equal(service_close(&fixture->service, 0), 0);
    assert_null(fixture->service.docker.not_removed);
    config_release(&fixture->config);
    free(fixture->command);
    temp_remove(fixture->directory);
}

static struct plan make_plan_of(const struct fixture *fixture, const char *code)
{
    CLEANUP(request_release) struct request request;
    struct error error = ERROR_INIT;
    struct plan plan = PLAN_INIT;

    request_init(&request);
    request.language = string_copy("python");
    request.input.code = string_copy(code);
    request.input.code_length = strlen(code);
    assert_int_equal(plan_resolve(&plan, &fixture->config, &request, &error), 0);
    return plan;
}

static struct plan make_plan(const struct fixture *fixture)
{
    return make_plan_of(fixture, "print()");
}

/* Creates an empty file of this name, or waits until there is one. */
static void touch(const struct fixture *fixture, const char *name)
{
    CLEANUP_FREE char *path = path_in(fixture->directory, name);

    write_bytes(path, "", 0, 0644);
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

static void run(struct fixture *fixture, struct plan *plan, struct result *result)
{
    const struct run_observer none = RUN_OBSERVER_INIT;

    service_run(&fixture->service, plan, &none, NULL, result);
    plan_release(plan);
}

/* Times are those that the supervisor measures. */
CASE_WITH(service__figures_of_a_run, set_up(fixture, POOL_NONE, 1))
{
    CLEANUP(result_release) struct result result = RESULT_INIT;
    struct plan plan;

    plan = make_plan(fixture);
    run(fixture, &plan, &result);
    assert_int_equal(result.reason, REASON_EXIT);
    assert_int_equal(result.exit_code, 0);
    assert_int_equal(result.cpu_us, 500000);
    assert_int_equal(result.duration_ms, 700);
    assert_int_equal(result.peak_bytes, 4096);
    assert_false(result.warm);
}

/* A file that cannot be sent is found before a warm container is taken. */
CASE_WITH(service__bad_input_costs_no_warm_container, set_up(fixture, POOL_ONE_SHOT, 1))
{
    CLEANUP(result_release) struct result bad = RESULT_INIT;
    CLEANUP(result_release) struct result good = RESULT_INIT;
    struct plan plan;

    plan = make_plan(fixture);
    assert_true(service_prewarm(&fixture->service, &plan, NULL));
    free(plan.input.code);
    plan.input.code = NULL;
    plan.input.dir = string_copy("/nonexistent");
    run(fixture, &plan, &bad);
    assert_int_equal(bad.reason, REASON_INPUT);
    assert_null(bad.container);
    plan = make_plan(fixture);
    run(fixture, &plan, &good);
    assert_int_equal(good.reason, REASON_EXIT);
    assert_true(good.warm);
}

/*
 * Runs a program with 300 MB where a container with 256 MB waits, and checks whether it ran there
 * and how the limits were changed; `limits` as the engine has them then.
 */
static void check_resized(const char *limits, bool refuse, bool warm, const char *updates)
{
    CLEANUP(result_release) struct result result = RESULT_INIT;
    CLEANUP_FREE char *seen = NULL;
    struct fixture fixture;
    struct plan plan;

    set_up(&fixture, POOL_ONE_SHOT, 1);
    write_in(fixture.directory, "limits", limits);
    write_in(fixture.directory, "updates", "");
    if (refuse)
        touch(&fixture, "refuse");
    plan = make_plan(&fixture);
    assert_true(service_prewarm(&fixture.service, &plan, NULL));
    plan.policy.limits.number[LIMIT_MEMORY] = 300;
    plan.policy.limits.number[LIMIT_CPUS] = 2;
    run(&fixture, &plan, &result);
    if (result.error)
        fail_msg("%s", result.error);
    assert_int_equal(result.reason, REASON_EXIT);
    assert_int_equal(result.warm, warm);
    assert_int_equal(result.warnings.count, 0);
    seen = read_in(fixture.directory, "updates");
    assert_string_equal(seen, updates);
    tear_down(&fixture);
}

#define RESIZED "--memory=300m --memory-swap=300m --cpus=2.000 --pids-limit=64\n"

CASE(service__a_warm_container_of_another_size)
{
    check_resized("314572800/314572800/64/2000000000\n", false, true, RESIZED);
}

/* Then the program runs in a container that is made for it, never under other limits. */
CASE(service__a_warm_container_that_is_not_resized)
{
    check_resized("314572800/314572800/64/2000000000\n", true, false, RESIZED);
    check_resized("268435456/268435456/64/500000000\n", false, false, RESIZED);
    check_resized("314572800/-1/64/2000000000\n", false, false, RESIZED);
    check_resized("", false, false, RESIZED);
}

CASE_WITH(service__a_warm_container_of_the_right_size, set_up(fixture, POOL_ONE_SHOT, 1))
{
    CLEANUP(result_release) struct result result = RESULT_INIT;
    CLEANUP_FREE char *updates = NULL;
    struct plan plan;

    plan = make_plan(fixture);
    assert_true(service_prewarm(&fixture->service, &plan, NULL));
    plan.policy.limits.number[LIMIT_CPU_TIME] = 5; /* comes with the request */
    run(fixture, &plan, &result);
    assert_true(result.warm);
    updates = path_in(fixture->directory, "updates");
    assert_int_equal(access(updates, F_OK), -1); /* no docker command is needed */
}

/* The name of the limit stays the subject of the error, also in a warm container. */
CASE(service__cpu_time_that_the_container_does_not_see)
{
    const struct frame_failed failed = {FRAME_STEP_CPU, 95};

    for (int warm = 0; warm < 2; warm++) {
        CLEANUP(result_release) struct result result = RESULT_INIT;
        struct fixture fixture;
        struct plan plan;

        set_up(&fixture, warm ? POOL_ONE_SHOT : POOL_NONE, 1);
        write_frame(fixture.directory, "failed", FRAME_FAILED, &failed, sizeof failed);
        plan = make_plan(&fixture);
        assert_int_equal(service_prewarm(&fixture.service, &plan, NULL), warm);
        run(&fixture, &plan, &result);
        assert_int_equal(result.reason, REASON_ENGINE);
        assert_int_equal(result.warm, warm);
        assert_string_equal(result.error, "cpuSeconds cannot be enforced: the container does not "
                                          "see how much CPU time it uses");
        assert_non_null(result.error_subject);
        assert_string_equal(result.error_subject, "cpuSeconds");
        tear_down(&fixture);
    }
}

CASE_WITH(service__runs_together, set_up(fixture, POOL_NONE, 3))
{
    struct plan plans[3];
    struct result results[3];

    for (size_t i = 0; i < COUNT(plans); i++) {
        plans[i] = make_plan(fixture);
        results[i] = (struct result)RESULT_INIT;
    }
    service_run_together(&fixture->service, plans, COUNT(plans), NULL, results);
    for (size_t i = 0; i < COUNT(plans); i++) {
        assert_int_equal(results[i].reason, REASON_EXIT);
        plan_release(&plans[i]);
        result_release(&results[i]);
    }
}

CASE_WITH(service__too_many_at_once, set_up(fixture, POOL_NONE, 1))
{
    struct plan plans[2];
    struct result results[2] = {RESULT_INIT, RESULT_INIT};

    plans[0] = make_plan(fixture);
    plans[1] = make_plan(fixture);
    service_run_together(&fixture->service, plans, 2, NULL, results);
    assert_int_equal(results[0].reason, REASON_EXIT);
    assert_int_equal(results[1].reason, REASON_ENGINE);
    assert_string_equal(results[1].error,
                        "too busy: 1 programs are running and 0 are waiting, and no more are "
                        "allowed; try again when some have ended");
    for (size_t i = 0; i < 2; i++) {
        plan_release(&plans[i]);
        result_release(&results[i]);
    }
}

static void *raise_when_begun(void *context)
{
    const struct fixture *fixture = ((void **)context)[0];

    wait_for_file(fixture, "running");
    notifier_raise(((void **)context)[1]);
    return NULL;
}

CASE(service__a_run_that_is_cancelled)
{
    CLEANUP(result_release) struct result result = RESULT_INIT;
    const struct run_observer none = RUN_OBSERVER_INIT;
    struct error error = ERROR_INIT;
    struct notifier cancel = NOTIFIER_INIT;
    struct fixture fixture;
    void *context[] = {&fixture, &cancel};
    pthread_t thread;
    struct plan plan;

    set_up(&fixture, POOL_NONE, 1);
    touch(&fixture, "endless");
    assert_int_equal(notifier_open(&cancel, &error), 0);
    assert_int_equal(pthread_create(&thread, NULL, raise_when_begun, context), 0);
    plan = make_plan(&fixture);
    service_run(&fixture.service, &plan, &none, &cancel, &result);
    plan_release(&plan);
    pthread_join(thread, NULL);
    assert_int_equal(result.reason, REASON_CANCELLED);
    notifier_release(&cancel);
    tear_down(&fixture);
}

/* ---- callbacks */

struct seen {
    pthread_mutex_t lock;
    char order[16]; /* 's' started, 'd' done, 'c' cleaned up */
    enum reason reason;
};

static void note(struct seen *seen, char what)
{
    pthread_mutex_lock(&seen->lock);
    seen->order[strlen(seen->order)] = what;
    pthread_mutex_unlock(&seen->lock);
}

static void note_started(void *context)
{
    note(context, 's');
}

static void note_done(void *context, struct result *result)
{
    ((struct seen *)context)->reason = result->reason;
    note(context, 'd');
}

static void note_cleaned_up(void *context, const char *problem)
{
    assert_null(problem);
    note(context, 'c');
}

static struct run_handle *submit(struct fixture *fixture, struct seen *seen)
{
    const struct run_callbacks callbacks = {.observer = RUN_OBSERVER_INIT,
                                            .started = note_started,
                                            .done = note_done,
                                            .cleaned_up = note_cleaned_up,
                                            .context = seen};
    CLEANUP(plan_release) struct plan plan = make_plan(fixture);
    struct error error = ERROR_INIT;
    struct run_handle *handle = NULL;

    *seen = (struct seen){.lock = PTHREAD_MUTEX_INITIALIZER};
    assert_int_equal(service_submit(&fixture->service, &plan, &callbacks, &handle, &error), 0);
    assert_null(plan.image); /* it was taken over */
    return handle;
}

CASE(service__close_cancels_what_runs_and_what_waits)
{
    struct seen active, waiting;
    struct fixture fixture;

    set_up(&fixture, POOL_NONE, 1);
    fixture.service.workers.limits.max_queued = 1;
    touch(&fixture, "endless");
    submit(&fixture, &active);
    wait_for_file(&fixture, "running");
    submit(&fixture, &waiting);
    assert_false(service_has_room(&fixture.service));
    tear_down(&fixture);
    assert_string_equal(active.order, "sdc");
    assert_int_equal(active.reason, REASON_CANCELLED);
    assert_string_equal(waiting.order, "dc");
    assert_int_equal(waiting.reason, REASON_CANCELLED);
}

CASE(service__a_run_that_waits_is_cancelled)
{
    struct seen active, waiting;
    struct run_handle *handle;
    struct fixture fixture;

    set_up(&fixture, POOL_NONE, 1);
    fixture.service.workers.limits.max_queued = 1;
    touch(&fixture, "endless");
    submit(&fixture, &active);
    wait_for_file(&fixture, "running");
    handle = submit(&fixture, &waiting);
    service_cancel(&fixture.service, handle);
    assert_true(service_has_room(&fixture.service)); /* at once */
    tear_down(&fixture);
    assert_string_equal(waiting.order, "dc");
    assert_int_equal(waiting.reason, REASON_CANCELLED);
}

/* ---- retries, and how many at a time */

/* How often a word is in a file. */
static int count_words(const struct fixture *fixture, const char *name, const char *word)
{
    CLEANUP_FREE char *path = path_in(fixture->directory, name);
    CLEANUP_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct strbuf text = read_all(fd);
    int count = 0;

    for (const char *at = strbuf_string(&text); (at = strstr(at, word)); at++)
        count++;
    strbuf_release(&text);
    return count;
}

static void check_retries(const char *failures, int max_retries, enum reason reason, int retries,
                          int creations)
{
    const struct workers_limits limits = {.max_active = 1, .max_retries = max_retries};
    CLEANUP(result_release) struct result result = RESULT_INIT;
    struct fixture fixture;
    struct plan plan;

    set_up_with(&fixture, POOL_NONE, &limits);
    write_in(fixture.directory, "failures", failures);
    plan = make_plan(&fixture);
    run(&fixture, &plan, &result);
    assert_int_equal(result.reason, reason);
    assert_int_equal(result.retries, retries);
    assert_int_equal(count_words(&fixture, "log", "create"), creations);
    tear_down(&fixture);
}

CASE(service__a_failure_of_the_engine_is_retried)
{
    check_retries("1\n", 0, REASON_ENGINE, 0, 1);
    check_retries("1\n", 1, REASON_EXIT, 1, 2);
    check_retries("1\n2\n3\n", 2, REASON_ENGINE, 2, 3);
    check_retries("", 2, REASON_EXIT, 0, 1);
}

/* ---- files that take their time */

/* A plan with so many bytes of code, and a timeout. */
static struct plan make_large_plan(const struct fixture *fixture, int megabytes, double timeout)
{
    const int length = megabytes * 1000000;
    CLEANUP_FREE char *code = string_format("#%*s", length, "x");
    struct plan plan = make_plan_of(fixture, code);

    plan.policy.limits.number[LIMIT_TIMEOUT] = timeout;
    return plan;
}

/* The container takes the files as `file` says, and not all of them in time. */
static void check_late_files(const char *file, enum reason reason, const char *message)
{
    const struct workers_limits limits = {.max_active = 1, .max_retries = 0};
    CLEANUP(result_release) struct result result = RESULT_INIT;
    struct fixture fixture;
    struct plan plan;

    set_up_with(&fixture, POOL_NONE, &limits);
    fixture.service.docker.engine_timeout = 3;
    touch(&fixture, file);
    plan = make_large_plan(&fixture, 9, 1);
    run(&fixture, &plan, &result);
    assert_int_equal(result.reason, reason);
    assert_string_equal(result.error, message);
    tear_down(&fixture);
}

/* A container that does not take them is the engine's fault; too many files are the request's. */
CASE(service__files_that_are_late)
{
    check_late_files("stuck", REASON_ENGINE, "the container did not take the files in time");
    check_late_files("slow", REASON_INPUT,
                     "cannot unpack the files in the container in time; send fewer files, or raise "
                     "cpus");
}

/* A warm container has as much time for them as one that is made for the run. */
CASE_WITH(service__a_warm_container_takes_files_slowly, set_up(fixture, POOL_ONE_SHOT, 1))
{
    CLEANUP(result_release) struct result result = RESULT_INIT;
    struct plan plan;

    plan = make_plan(fixture);
    assert_true(service_prewarm(&fixture->service, &plan, NULL));
    plan_release(&plan);
    touch(fixture, "slow");
    fixture->service.docker.engine_timeout = 3; /* 30 % of that are less than the files take */
    plan = make_large_plan(fixture, 1, 60);
    run(fixture, &plan, &result);
    assert_int_equal(result.reason, REASON_EXIT);
    assert_true(result.warm);
}

/* A program that fails is run once. */
CASE(service__a_failure_of_the_program_is_not_retried)
{
    const struct workers_limits limits = {.max_active = 1, .max_retries = 2};
    const struct frame_end end = {.status = 3};
    CLEANUP(result_release) struct result result = RESULT_INIT;
    struct fixture fixture;
    struct plan plan;

    set_up_with(&fixture, POOL_NONE, &limits);
    write_fake_supervisor(fixture.directory, &end);
    plan = make_plan(&fixture);
    run(&fixture, &plan, &result);
    assert_int_equal(result.reason, REASON_EXIT);
    assert_int_equal(result.exit_code, 3);
    assert_int_equal(count_words(&fixture, "log", "create"), 1);
    tear_down(&fixture);
}

static void wait_for_creations(const struct fixture *fixture, int count)
{
    const long long end = clock_now_ms() + PATIENCE_MS;

    wait_for_file(fixture, "log");
    while (count_words(fixture, "log", "create") < count) {
        if (clock_now_ms() > end)
            fail_msg("there are no %d creations", count);
        poll(NULL, 0, 10);
    }
}

static bool is_queued(struct workers *workers)
{
    bool queued;

    pthread_mutex_lock(&workers->lock);
    queued = workers->queue != NULL;
    pthread_mutex_unlock(&workers->lock);
    return queued;
}

CASE(service__close_ends_a_run_that_waits_for_its_retry)
{
    const struct workers_limits limits = {.max_active = 1, .max_retries = 1000};
    struct seen seen;
    struct fixture fixture;

    set_up_with(&fixture, POOL_NONE, &limits);
    write_in(fixture.directory, "failures", "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
    submit(&fixture, &seen);
    wait_for_creations(&fixture, 2);
    while (!is_queued(&fixture.service.workers))
        poll(NULL, 0, 10);
    tear_down(&fixture);
    assert_string_equal(seen.order, "sdc");
    assert_int_equal(seen.reason, REASON_CANCELLED);
}

/* At each time there are at most two programs that have not begun. */
static void check_log(const struct fixture *fixture)
{
    CLEANUP_FREE char *path = path_in(fixture->directory, "log");
    CLEANUP_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct strbuf text = read_all(fd);
    int waiting = 0;

    for (const char *at = strbuf_string(&text); *at; at = strchr(at, '\n') + 1) {
        waiting += *at == 'c' ? 1 : -1;
        assert_in_range(waiting, 0, CONCURRENCY_RAMP_START);
    }
    strbuf_release(&text);
}

/* How many active runs know that their program has begun. */
static size_t count_begun(struct workers *workers)
{
    size_t count = 0;

    pthread_mutex_lock(&workers->lock);
    for (struct run_handle *handle = workers->active; handle; handle = handle->next)
        count += handle->begun;
    pthread_mutex_unlock(&workers->lock);
    return count;
}

CASE(service__a_gradual_start)
{
    const struct workers_limits limits = {.max_active = 6, .gradual = true};
    struct seen seen[6];
    struct fixture fixture;

    set_up_with(&fixture, POOL_NONE, &limits);
    touch(&fixture, "endless");
    for (size_t i = 0; i < COUNT(seen); i++)
        submit(&fixture, &seen[i]);
    for (int i = 0; count_begun(&fixture.service.workers) < COUNT(seen); i++) {
        assert_in_range(i, 0, PATIENCE_MS / 10);
        poll(NULL, 0, 10);
    }
    check_log(&fixture);
    tear_down(&fixture);
}

static int set_up_group(void **state)
{
    (void)state;
    signal(SIGPIPE, SIG_IGN);
    return 0;
}
