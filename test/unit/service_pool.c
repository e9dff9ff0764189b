#include "test.h"

#include <poll.h>
#include <signal.h>

#include "base/clock.h"
#include "base/linux.h"
#include "config/config_load.h"
#include "config/config_read.h"
#include "fake_supervisor.h"
#include "run/submission.h"
#include "service/pool_state.h"

/*
 * A pool whose docker command is a script. Its containers report at once that they are ready, and
 * end with their stdin. A container NAME is a file; NAME.ready exists when it waits
 * and has its process id; NAME.ended exists when it has ended. While the file "broken" exists, no
 * container can be created, and each attempt adds a line to it; while "missing" exists, there is
 * no image either. A file "ready" is what a container answers when it is to be made ready.
 */
static const char docker_script[] =
    "cd \"${0%/*}\"\n" FAKE_SUPERVISOR_FUNCTIONS "case $1 in\n"
    "run)\n"
    "  ! [ -e broken ] || { echo again >>broken; exit 125; }\n"
    "  ! [ -e missing ] || exit 125\n"
    "  until [ \"$1\" = --name ]; do shift; done\n"
    "  echo >\"$2\"\n"
    "  greet\n"
    "  echo $$ >\"$2.ready\"\n"
    "  while [ -e ready ] && take_frame; do\n"
    "    [ $type != 34 ] || { echo try >>tried; cat ready; }\n" /* MAKE_READY */
    "  done\n"
    "  cat >/dev/null\n"
    "  echo >\"$2.ended\";;\n"
    "image) [ $2 = ls ] || ! [ -e missing ];;\n"
    "rm)\n"
    "  until [ $# = 1 ]; do shift; done\n"
    "  ! [ -e \"$1\" ] || echo >\"$1.ended\";;\n"
    "esac\n";

enum { PATIENCE_MS = 60000 };

struct fixture {
    char *directory, *command;
    struct docker docker;
    struct config config;
    struct plan plan; /* for python, which has one waiting */
    struct notifier ended;
    struct pool *pool;
};

static void make_plan(struct plan *plan, const struct config *config)
{
    CLEANUP(request_release) struct request request;
    struct error error = ERROR_INIT;

    request_init(&request);
    request.language = string_copy("python");
    request.input.code = string_copy("print()");
    assert_int_equal(plan_resolve(plan, config, &request, &error), 0);
}

static void set_up(struct fixture *fixture, enum pool_policy policy, const char *more)
{
    struct error error = ERROR_INIT;
    static const char config[] = "{\"warm\": {\"python\": 1, \"go\": 0, \"javascript\": 0},"
                                 " \"warmMemoryMB\": 0}";
    CLEANUP_FREE char *members = string_format("{%s}", more);

    *fixture = (struct fixture){.directory = temp_create(), .plan = PLAN_INIT};
    fixture->command = script_in(fixture->directory, "docker", docker_script);
    write_fake_supervisor(fixture->directory, &(struct frame_end){0});
    fixture->docker = (struct docker){
        .command = fixture->command, .engine_timeout = 600, .users = {1900000, 1900999}};
    config_init(&fixture->config);
    assert_int_equal(config_load(&fixture->config, "isolator_config.json", NULL, &error), 0);
    assert_int_equal(config_overlay(&fixture->config, config, strlen(config), "test", &error), 0);
    assert_int_equal(config_overlay(&fixture->config, members, strlen(members), "test", &error), 0);
    make_plan(&fixture->plan, &fixture->config);
    assert_int_equal(notifier_open(&fixture->ended, &error), 0);
    fixture->pool =
        pool_open(&fixture->docker, &fixture->config, policy, NULL, &fixture->ended, &error);
    assert_non_null(fixture->pool);
    assert_no_error(&error);
}

/* How many containers were created, or have ended (by the suffix of their files). */
static int count(const struct fixture *fixture, const char *suffix)
{
    DIR *dir = opendir(fixture->directory);
    struct dirent *entry;
    int found = 0;

    assert_non_null(dir);
    while ((entry = readdir(dir))) {
        const char *dot = strchr(entry->d_name, '.');

        found += strncmp(entry->d_name, "isolator-", 9) == 0 && strcmp(dot ? dot : "", suffix) == 0;
    }
    closedir(dir);
    return found;
}

static void wait_for(const struct fixture *fixture, const char *suffix, int wanted)
{
    const long long end = clock_now_ms() + PATIENCE_MS;

    while (count(fixture, suffix) < wanted) {
        if (clock_now_ms() > end)
            fail_msg("%d containers%s, not %d", count(fixture, suffix), suffix, wanted);
        poll(NULL, 0, 20);
    }
}

/* Waits until the pool has so many instances that can be taken. */
static void wait_for_waiting(const struct fixture *fixture, int wanted)
{
    const long long end = clock_now_ms() + PATIENCE_MS;
    int found;

    do {
        found = 0;
        poll(NULL, 0, 20);
        pthread_mutex_lock(&fixture->pool->lock);
        for (const struct pool_entry *entry = fixture->pool->waiting; entry; entry = entry->next)
            found++;
        pthread_mutex_unlock(&fixture->pool->lock);
        if (clock_now_ms() > end)
            fail_msg("%d instances wait, not %d", found, wanted);
    } while (found < wanted);
}

static struct instance *take_now(struct pool *pool, const struct plan *plan)
{
    const struct container_limits limits = submission_plan_limits(plan, &pool->docker);

    return pool_take(pool, plan, &limits);
}

/* Waits for a warm container for the plan, and takes it. */
static struct instance *take(const struct fixture *fixture, const struct plan *plan)
{
    const long long end = clock_now_ms() + PATIENCE_MS;
    struct instance *instance;

    while (!(instance = take_now(fixture->pool, plan))) {
        if (clock_now_ms() > end)
            fail_msg("no instance waits");
        poll(NULL, 0, 20);
    }
    return instance;
}

static void put_away(struct instance *instance)
{
    struct error error = ERROR_INIT;

    assert_int_equal(instance_remove(instance, 0, &error), 0);
    instance_free(instance);
}

/* Ends the pool. Then all its containers have ended. */
static void tear_down(struct fixture *fixture)
{
    struct pollfd polled = {notifier_fd(&fixture->ended), POLLIN, 0};

    pool_end(fixture->pool);
    assert_null(take_now(fixture->pool, &fixture->plan));
    if (!pool_has_ended(fixture->pool) && poll(&polled, 1, PATIENCE_MS) != 1)
        fail_msg("the end was not notified");
    assert_true(pool_has_ended(fixture->pool));
    pool_close(fixture->pool);
    assert_int_equal(count(fixture, ".ended"), count(fixture, ""));
    notifier_release(&fixture->ended);
    plan_release(&fixture->plan);
    config_release(&fixture->config);
    free(fixture->command);
    temp_remove(fixture->directory);
}

CASE(pool__null_is_a_pool_without_anything)
{
    pool_start(NULL);
    pool_pause(NULL, true);
    assert_null(pool_take(NULL, NULL, NULL));
    pool_end(NULL);
    assert_true(pool_has_ended(NULL));
    pool_close(NULL);
}

CASE_WITH(pool__needs_no_notifier, set_up(fixture, POOL_AHEAD, ""))
{
    struct error error = ERROR_INIT;
    struct pool *pool;

    pool = pool_open(&fixture->docker, &fixture->config, POOL_ON_DEMAND, NULL, NULL, &error);
    assert_non_null(pool);
    pool_start(pool);
    assert_null(take_now(pool, &fixture->plan));
    wait_for(fixture, ".ready", 1);
    pool_end(pool);
    pool_close(pool);
}

CASE_WITH(pool__begins_when_it_is_started, set_up(fixture, POOL_ON_DEMAND, ""))
{
    assert_null(take_now(fixture->pool, &fixture->plan));
    poll(NULL, 0, 200);
    assert_int_equal(count(fixture, ""), 0);
    pool_start(fixture->pool);
    wait_for(fixture, "", 1);
}

CASE_WITH(pool__what_was_stopped_does_not_begin_again, set_up(fixture, POOL_ON_DEMAND, ""))
{
    pool_stop(fixture->pool);
    pool_start(fixture->pool);
    assert_null(take_now(fixture->pool, &fixture->plan));
    poll(NULL, 0, 200);
    assert_int_equal(count(fixture, ""), 0);
}

CASE_WITH(pool__what_is_stopped_makes_no_more, set_up(fixture, POOL_ON_DEMAND, ""))
{
    pool_start(fixture->pool);
    put_away(take(fixture, &fixture->plan));
    put_away(take(fixture, &fixture->plan)); /* it is refilled until it is stopped */
    wait_for(fixture, ".ready", 3);
    pool_stop(fixture->pool);
    put_away(take(fixture, &fixture->plan));
    poll(NULL, 0, 500);
    assert_int_equal(count(fixture, ""), 3);
}

CASE_WITH(pool__each_serves_once_and_is_replaced, set_up(fixture, POOL_AHEAD, ""))
{
    char names[3][OWNED_CONTAINER_NAME_SIZE];

    pool_start(fixture->pool);
    for (int i = 0; i < 3; i++) {
        struct instance *instance = take(fixture, &fixture->plan);

        assert_true(instance_waits(instance));
        memcpy(names[i], instance->container.name, sizeof names[i]);
        put_away(instance);
    }
    assert_string_not_equal(names[0], names[1]);
    assert_string_not_equal(names[1], names[2]);
    assert_string_not_equal(names[0], names[2]);
}

CASE_WITH(pool__only_what_is_alike_but_for_its_limits, set_up(fixture, POOL_AHEAD, ""))
{
    static const char *const members[] = {
        "{\"defaults\": {\"workdirMB\": 3}}",
        "{\"defaults\": {\"tmpMB\": 3}}",
        "{\"defaults\": {\"network\": \"bridge\"}}",
        "{\"defaults\": {\"readOnly\": false}}",
        "{\"defaults\": {\"capDrop\": [\"CHOWN\"]}}",
        "{\"defaults\": {\"user\": \"1000\"}}",
        "{\"defaults\": {\"timeoutSeconds\": 3601}}",
        "{\"languages\": {\"python\": {\"image\": \"python:2\"}}}",
        "{\"containerWorkdir\": \"/elsewhere\"}",
    };

    pool_start(fixture->pool);
    wait_for(fixture, ".ready", 1);
    for (size_t i = 0; i < COUNT(members); i++) {
        CLEANUP(config_release) struct config config;
        CLEANUP(plan_release) struct plan other = PLAN_INIT;
        struct error error = ERROR_INIT;

        config_init(&config);
        assert_int_equal(config_load(&config, "isolator_config.json", NULL, &error), 0);
        config_overlay(&config, members[i], strlen(members[i]), "test", &error);
        assert_no_error(&error);
        make_plan(&other, &config);
        if (take_now(fixture->pool, &other))
            fail_msg("an instance for another request: %s", members[i]);
    }
    put_away(take(fixture, &fixture->plan));
}

/* Its limits can be changed. The class is then refilled in its own size. */
CASE_WITH(pool__one_of_another_size, set_up(fixture, POOL_ON_DEMAND, ""))
{
    pool_start(fixture->pool);
    for (int i = 0; i < 2; i++) {
        CLEANUP(plan_release) struct plan other = PLAN_INIT;
        struct instance *instance;

        make_plan(&other, &fixture->config);
        other.policy.limits.number[LIMIT_MEMORY] = 100;
        other.policy.limits.number[LIMIT_CPUS] = 0.25;
        other.policy.limits.number[LIMIT_PIDS] = 10;
        instance = take(fixture, &other);
        assert_int_equal(instance->limits.memory_mb, 256);
        assert_true(instance->limits.cpus == 0.5);
        assert_int_equal(instance->limits.pids, 64);
        put_away(instance);
    }
}

/* Starts a pool that keeps one of the last language, too. */
static void start_with_another(struct fixture *fixture)
{
    fixture->config.languages[fixture->config.language_count - 1].warm = 1;
    pool_end(fixture->pool);
    pool_close(fixture->pool);
    fixture->pool = pool_open(&fixture->docker, &fixture->config, POOL_AHEAD, NULL, &fixture->ended,
                              &(struct error)ERROR_INIT);
    pool_start(fixture->pool);
}

/* Two languages with one image. */
CASE(pool__one_of_the_right_size_first)
{
    CLEANUP(plan_release) struct plan large = PLAN_INIT;
    struct fixture fixture;
    struct instance *one, *other;

    set_up(&fixture, POOL_AHEAD,
           "\"languages\": {\"large\": {\"image\": \"python:3.11-alpine\", \"memoryMB\": 512,"
           " \"command\": [\"python3\", \"{entrypoint}\"], \"extensions\": [\".large\"],"
           " \"defaultFilename\": \"main.large\"}}");
    make_plan(&large, &fixture.config);
    large.policy.limits.number[LIMIT_MEMORY] = 512;
    start_with_another(&fixture);
    wait_for_waiting(&fixture, 2); /* one of each size */
    one = take(&fixture, &large);
    assert_int_equal(one->limits.memory_mb, 512);
    other = take(&fixture, &fixture.plan);
    assert_int_equal(other->limits.memory_mb, 256);
    put_away(one);
    put_away(other);
    tear_down(&fixture);
}

/* Two languages with one image, whose interpreters use 100 MB each. */
static void check_ready(const char *memory, int ready)
{
    const struct frame_ready answer = {100 << 20};
    CLEANUP_FREE char *more =
        string_format("\"warmMemoryMB\": %s, \"languages\": {\"other\": {\"image\": \"other\","
                      " \"command\": [\"python3\", \"{entrypoint}\"], \"extensions\": [\".py\"],"
                      " \"defaultFilename\": \"main.py\"}}",
                      memory);
    struct fixture fixture;
    int found = 0;

    set_up(&fixture, POOL_AHEAD, more);
    write_frame(fixture.directory, "ready", FRAME_READY, &answer, sizeof answer);
    start_with_another(&fixture);
    wait_for_waiting(&fixture, 2);
    pthread_mutex_lock(&fixture.pool->lock);
    for (const struct pool_entry *entry = fixture.pool->waiting; entry; entry = entry->next) {
        assert_true(instance_is_idle(entry->instance));
        found += entry->instance->link.ready_bytes == 100 << 20;
    }
    pthread_mutex_unlock(&fixture.pool->lock);
    assert_int_equal(found, ready);
    tear_down(&fixture);
}

/* Waits until so many wait, and checks how many of them are ready for a cell. */
static void check_for_cells(const struct fixture *fixture, int waiting, int for_cells)
{
    int found = 0;

    wait_for_waiting(fixture, waiting);
    pthread_mutex_lock(&fixture->pool->lock);
    for (const struct pool_entry *entry = fixture->pool->waiting; entry; entry = entry->next)
        found += entry->use == READY_FOR_CELL;
    pthread_mutex_unlock(&fixture->pool->lock);
    assert_int_equal(found, for_cells);
}

/* One of several is ready for a session, and the only one if the last request was a cell. */
static void check_cells(enum pool_policy policy, int warm, int before, int after_program,
                        int after_cell)
{
    static const struct frame_ready answer = {1 << 20};
    CLEANUP_FREE char *more =
        string_format("\"warmMemoryMB\": 64, \"warm\": {\"python\": %d}", warm);
    CLEANUP(plan_release) struct plan cell = PLAN_INIT;
    struct fixture fixture;

    set_up(&fixture, policy, more);
    write_frame(fixture.directory, "ready", FRAME_READY, &answer, sizeof answer);
    make_plan(&cell, &fixture.config);
    strcpy(cell.session.id, "session");
    pool_start(fixture.pool);
    if (policy == POOL_AHEAD)
        check_for_cells(&fixture, warm, before);
    put_away(take(&fixture, &fixture.plan));
    check_for_cells(&fixture, warm, after_program);
    put_away(take(&fixture, &cell));
    check_for_cells(&fixture, warm, after_cell);
    tear_down(&fixture);
}

CASE(pool__interpreters_for_sessions)
{
    check_cells(POOL_AHEAD, 1, 0, 0, 1);
    check_cells(POOL_AHEAD, 3, 1, 1, 1);
    check_cells(POOL_ON_DEMAND, 2, 0, 0, 1);
}

/* Each request gets the one that is ready for it, if there is one. */
CASE(pool__what_is_ready_for_the_request_first)
{
    static const struct frame_ready answer = {1 << 20};
    CLEANUP(plan_release) struct plan cell = PLAN_INIT;
    struct fixture fixture;
    const struct instance *for_cell = NULL;
    struct instance *one, *other;

    set_up(&fixture, POOL_AHEAD, "\"warmMemoryMB\": 64, \"warm\": {\"python\": 3}");
    write_frame(fixture.directory, "ready", FRAME_READY, &answer, sizeof answer);
    make_plan(&cell, &fixture.config);
    strcpy(cell.session.id, "session");
    pool_start(fixture.pool);
    check_for_cells(&fixture, 3, 1);
    pool_stop(fixture.pool);
    pthread_mutex_lock(&fixture.pool->lock);
    for (const struct pool_entry *entry = fixture.pool->waiting; entry; entry = entry->next)
        for_cell = entry->use == READY_FOR_CELL ? entry->instance : for_cell;
    pthread_mutex_unlock(&fixture.pool->lock);
    one = take_now(fixture.pool, &cell);
    assert_ptr_equal(one, for_cell);
    other = take_now(fixture.pool, &cell); /* it starts an interpreter */
    assert_non_null(other);
    put_away(one);
    put_away(other);
    tear_down(&fixture);
}

CASE(pool__ready_interpreters_have_a_limit)
{
    check_ready("200", 2);
    check_ready("199", 1);
    check_ready("0", 0);
}

/* The container is replaced by one that is not made ready, and there is no other try. */
CASE_WITH(pool__an_interpreter_that_does_not_become_ready,
          set_up(fixture, POOL_ON_DEMAND, "\"warmMemoryMB\": 1024"))
{
    static const struct frame_failed failed = {FRAME_STEP_START, ECHILD};
    CLEANUP_FREE char *tried = NULL;

    write_frame(fixture->directory, "ready", FRAME_FAILED, &failed, sizeof failed);
    pool_start(fixture->pool);
    for (int i = 0; i < 2; i++) {
        struct instance *instance = take(fixture, &fixture->plan);

        assert_int_equal(instance->link.state, LINK_READY);
        put_away(instance);
    }
    tried = read_in(fixture->directory, "tried");
    assert_string_equal(tried, "try\n");
}

CASE(pool__what_only_the_program_sees_makes_no_difference)
{
    CLEANUP(plan_release) struct plan other = PLAN_INIT;
    struct error error = ERROR_INIT;
    struct fixture fixture;
    struct request request;

    set_up(&fixture, POOL_AHEAD, "");
    request_init(&request);
    request.language = string_copy("python");
    request.input.code = string_copy("other");
    strvec_push(&request.environment, "A=b");
    strvec_push(&request.arguments, "argument");
    request.policy.limits.number[LIMIT_TIMEOUT] = 3600;
    assert_int_equal(plan_resolve(&other, &fixture.config, &request, &error), 0);
    pool_start(fixture.pool);
    put_away(take(&fixture, &other));
    tear_down(&fixture);
    request_release(&request);
}

CASE_WITH(pool__on_demand_when_it_was_asked_for, set_up(fixture, POOL_ON_DEMAND, ""))
{
    pool_start(fixture->pool);
    poll(NULL, 0, 100);
    assert_int_equal(count(fixture, ""), 0);
    put_away(take(fixture, &fixture->plan));
}

CASE_WITH(pool__one_shot_makes_one_for_each_request, set_up(fixture, POOL_ONE_SHOT, ""))
{
    pool_start(fixture->pool);
    assert_null(take_now(fixture->pool, &fixture->plan)); /* which requests nothing */
    poll(NULL, 0, 100);
    assert_int_equal(count(fixture, ""), 0);
    assert_false(pool_request(fixture->pool, &fixture->plan));
    wait_for(fixture, ".ready", 1);
    put_away(take(fixture, &fixture->plan));
    poll(NULL, 0, 100);
    assert_int_equal(count(fixture, ""), 1);
}

CASE_WITH(pool__pauses_while_the_cores_are_needed, set_up(fixture, POOL_ON_DEMAND, ""))
{
    pool_pause(fixture->pool, true);
    pool_start(fixture->pool);
    assert_null(take_now(fixture->pool, &fixture->plan));
    poll(NULL, 0, 100);
    assert_int_equal(count(fixture, ""), 0);
    pool_pause(fixture->pool, false);
    wait_for(fixture, "", 1);
}

/* The process of the first container that waits. */
static pid_t waiting_process(const struct fixture *fixture)
{
    DIR *dir = opendir(fixture->directory);
    struct dirent *entry;
    long pid = 0;

    assert_non_null(dir);
    while (pid == 0 && (entry = readdir(dir))) {
        CLEANUP_FREE char *path = path_in(fixture->directory, entry->d_name);
        FILE *file = strstr(entry->d_name, ".ready") ? fopen(path, "r") : NULL;

        if (file && fscanf(file, "%ld", &pid) != 1)
            pid = 0; /* not written yet */
        if (file)
            fclose(file);
    }
    closedir(dir);
    return (pid_t)pid;
}

CASE_WITH(pool__one_that_has_ended_is_replaced, set_up(fixture, POOL_AHEAD, ""))
{
    pid_t pid;

    pool_start(fixture->pool);
    wait_for(fixture, ".ready", 1);
    while ((pid = waiting_process(fixture)) == 0)
        poll(NULL, 0, 10);
    kill(pid, SIGKILL);
    wait_for(fixture, ".ready", 2);
    put_away(take(fixture, &fixture->plan));
}

CASE_WITH(pool__one_that_is_old_is_replaced,
          set_up(fixture, POOL_AHEAD, "\"warmMaxAgeSeconds\": 1"))
{
    pool_start(fixture->pool);
    wait_for(fixture, ".ended", 1);
    wait_for(fixture, "", 2);
}

CASE_WITH(pool__an_engine_that_fails_is_tried_again, set_up(fixture, POOL_ON_DEMAND, ""))
{
    CLEANUP_FREE char *broken = NULL;
    struct stat status = {.st_size = 0};
    long long begin;

    broken = path_in(fixture->directory, "broken");
    write_in(fixture->directory, "broken", "");
    assert_null(take_now(fixture->pool, &fixture->plan));
    begin = clock_now_ms();
    pool_start(fixture->pool);
    while (stat(broken, &status) == 0 && status.st_size < 3 * 6) { /* "again", three times */
        if (clock_now_ms() > begin + PATIENCE_MS)
            fail_msg("it is not tried again");
        poll(NULL, 0, 20);
    }
    assert_true(clock_now_ms() - begin >= 1000 + 2000); /* the shortest pauses between attempts */
    unlink(broken);
    put_away(take(fixture, &fixture->plan));
}

static bool is_requested(const struct fixture *fixture)
{
    bool requested;

    pthread_mutex_lock(&fixture->pool->lock);
    requested = fixture->pool->classes[0].requested;
    pthread_mutex_unlock(&fixture->pool->lock);
    return requested;
}

CASE_WITH(pool__a_missing_image_is_not_tried_again_before_a_run,
          set_up(fixture, POOL_ON_DEMAND, ""))
{
    CLEANUP_FREE char *missing = NULL;
    const long long end = clock_now_ms() + PATIENCE_MS;

    missing = path_in(fixture->directory, "missing");
    write_in(fixture->directory, "missing", "");
    assert_null(take_now(fixture->pool, &fixture->plan));
    assert_true(is_requested(fixture));
    pool_start(fixture->pool);
    while (is_requested(fixture)) {
        if (clock_now_ms() > end)
            fail_msg("it is still tried");
        poll(NULL, 0, 20);
    }
    unlink(missing);
    put_away(take(fixture, &fixture->plan)); /* which asks for it */
}

static int set_up_group(void **state)
{
    (void)state;
    signal(SIGPIPE, SIG_IGN); /* as the mains do */
    return 0;
}

/* ---- instances that the lines of a batch share */

/* An instance of the plan that has served `served` lines. */
static struct instance *make_shared(struct fixture *fixture, int served)
{
    const struct container_limits limits =
        submission_plan_limits(&fixture->plan, &fixture->pool->docker);
    struct error error = ERROR_INIT;
    struct instance *instance =
        instance_new(&fixture->pool->docker, &fixture->plan, &limits, 3600000);

    assert_int_equal(
        instance_make(instance, &fixture->plan, clock_now_ms() + PATIENCE_MS, 0, NULL, &error), 0);
    instance->share.served = served;
    return instance;
}

CASE_WITH(pool__what_lines_share, set_up(fixture, POOL_SHARED, ""))
{
    struct plan *plan = &fixture->plan;
    struct instance *one = make_shared(fixture, 1), *other;

    assert_false(pool_give(fixture->pool, one, 2));
    pool_start(fixture->pool);
    assert_true(pool_give(fixture->pool, one, 2));
    assert_null(take_now(fixture->pool, plan)); /* it shares nothing */
    plan->share_max = 1;
    assert_null(take_now(fixture->pool, plan));
    plan->share_max = 2;
    plan->policy.limits.number[LIMIT_MEMORY] = 100;
    assert_null(take_now(fixture->pool, plan));
    plan->policy.limits.number[LIMIT_MEMORY] = 256;
    plan->ready = true; /* it would be a fork */
    assert_null(take_now(fixture->pool, plan));
    plan->ready = false;
    assert_ptr_equal(take_now(fixture->pool, plan), one);
    other = make_shared(fixture, 1);
    assert_true(pool_give(fixture->pool, one, 1));
    assert_true(pool_give(fixture->pool, other, 1)); /* and the first one goes */
    wait_for(fixture, ".ended", 1);
    assert_ptr_equal(take_now(fixture->pool, plan), other);
    assert_int_equal(count(fixture, ""), 2); /* none is made in advance */
    pool_end(fixture->pool);
    assert_false(pool_give(fixture->pool, other, 2));
    put_away(other);
}
