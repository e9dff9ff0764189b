#include "test.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "base/clock.h"
#include "base/linux.h"
#include "base/notifier.h"
#include "config/config_load.h"
#include "config/config_read.h"
#include "fake_supervisor.h"
#include "run/run.h"
#include "run/run_session.h"
#include "run/run_steps.h"

/*
 * Requests of one session, in a container whose docker command is a script. Its supervisor answers
 * the N-th request with the frames of the file "answer.N", and the orders to interrupt, to stop and
 * to collect with those of "interrupted", "stopped" and "collected". If there is a file "dead", no
 * container starts, and while there is "wait" or "files", there is no answer to a cell or to
 * COLLECT; if there is "last-answer", the container ends after the last answer. The file "log" gets
 * a word for each docker command that changes something and for each frame.
 */
static const char docker_script[] =
    "cd \"${0%/*}\"\n" FAKE_SUPERVISOR_FUNCTIONS
    "pause() { while [ -e \"$1\" ]; do sleep 0.05; done; }\n"
    "case $1 in\n"
    "run)\n"
    "  printf 'docker-run ' >>log\n"
    "  [ ! -e dead ] || exit 1\n"
    "  greet\n"
    "  n=0\n"
    "  while take_frame; do\n"
    "    case $type in\n"
    "    1) printf 'argument ';; 3) printf 'files ';; 4) printf 'run ';; 8) printf 'stop ';;\n"
    "    7) printf 'credit ';; 9) printf 'collect ';; 10) printf 'reset ';; 23) printf 'code ';;\n"
    "    24) printf 'interrupt ';;\n"
    "    esac >>log\n"
    "    case $type in\n"
    "    8) cat stopped;;\n"
    "    9) pause files; cat collected;;\n"
    "    24) cat interrupted;;\n"
    "    6)\n"
    "      n=$((n + 1))\n"
    "      pause wait\n"
    "      cat answer.$n\n"
    "      [ ! -e last-answer ] || [ -e answer.$((n + 1)) ] || exit 137;;\n"
    "    esac\n"
    "  done;;\n"
    "update) printf 'update ' >>log;;\n"
    "inspect) cat limits;;\n"
    "events) cat events;;\n"
    "rm) printf 'rm ' >>log;;\n"
    "*) exit 1;;\n"
    "esac\n";
_Static_assert(FRAME_ARGUMENT == 1 && FRAME_FILES == 3 && FRAME_RUN == 4 && FRAME_CREDIT == 7 &&
                   FRAME_STOP == 8 && FRAME_COLLECT == 9 && FRAME_RESET == 10 && FRAME_CODE == 23 &&
                   FRAME_INTERRUPT == 24 && FRAME_STDIN_END == 6,
               "the numbers in the script");

#define SESSION "00112233445566778899aabbccddeeff"

struct fixture {
    char *directory, *command;
    struct config config;
    struct docker docker;
    struct run_session session;
    struct strbuf answer; /* the frames of the next answer */
    int answers;
    struct result result;          /* of the last request */
    const struct notifier *cancel; /* of the next one; or NULL */
    int live;                      /* where its stdout goes, too; -1: nowhere */
    const char *awaited;           /* cancel_later() waits for it in the log */
};

static void set_up(struct fixture *fixture)
{
    static const char more[] =
        "{\"engineTimeoutSeconds\": 600, \"maximums\": {},"
        " \"defaults\": {\"memoryMB\": 100, \"cpus\": 1, \"pidsLimit\": 64},"
        " \"languages\": {\"cells\": {\"image\": \"c:1\", \"command\": [\"p\", \"{entrypoint}\"],"
        " \"sessionCommand\": [\"p\"], \"extensions\": [\".cell\"],"
        " \"defaultFilename\": \"main.cell\"},"
        " \"built\": {\"image\": \"c:1\", \"command\": [\"./{stem}\"],"
        " \"build\": [\"cc\", \"{sources}\"], \"buildLimits\": {\"memoryMB\": 300},"
        " \"extensions\": [\".c\"], \"defaultFilename\": \"main.c\"}}}";
    const struct session_limits limits = {clock_now_ms() + 3600000, 600, 1000};
    struct error error = ERROR_INIT;

    *fixture = (struct fixture){.directory = temp_create(), .result = RESULT_INIT, .live = -1};
    fixture->command = script_in(fixture->directory, "docker", docker_script);
    write_fake_supervisor(fixture->directory, &(struct frame_end){.status = 0});
    write_in(fixture->directory, "events", "");
    write_in(fixture->directory, "limits", "104857600/104857600/64/1000000000\n");
    config_init(&fixture->config);
    assert_int_equal(config_load(&fixture->config, "isolator_config.json", NULL, &error), 0);
    config_overlay(&fixture->config, more, sizeof more - 1, "test", &error);
    assert_no_error(&error);
    free(fixture->config.container_command);
    fixture->config.container_command = string_copy(fixture->command);
    fixture->docker = config_docker(&fixture->config);
    run_session_init(&fixture->session, &limits, false);
}

static void tear_down(struct fixture *fixture)
{
    struct error error = ERROR_INIT;

    assert_int_equal(run_session_remove(&fixture->session, 0, &error), 0);
    assert_no_error(&error);
    run_session_release(&fixture->session);
    config_release(&fixture->config);
    result_release(&fixture->result);
    strbuf_release(&fixture->answer);
    free(fixture->command);
    temp_remove(fixture->directory);
}

/* ---- answers */

static void add_frame(struct fixture *fixture, int type, const void *payload, size_t length)
{
    const char header[FRAME_HEADER] = {(char)length, (char)(length >> 8), 0, 0, (char)type};

    strbuf_add(&fixture->answer, header, sizeof header);
    strbuf_add(&fixture->answer, payload, length);
}

static void write_answer(struct fixture *fixture, const char *name)
{
    CLEANUP_FREE char *path = path_in(fixture->directory, name);

    write_bytes(path, strbuf_string(&fixture->answer), fixture->answer.length, 0600);
    strbuf_release(&fixture->answer);
}

static void finish_answer(struct fixture *fixture)
{
    CLEANUP_FREE char *name = string_format("answer.%d", ++fixture->answers);

    write_answer(fixture, name);
}

static void add_end(struct fixture *fixture, const char *text, const char *report,
                    const struct frame_end *end)
{
    if (*text)
        add_frame(fixture, FRAME_STDOUT, text, strlen(text));
    if (*report)
        add_frame(fixture, FRAME_REPORT, report, strlen(report));
    add_frame(fixture, FRAME_END, end, sizeof *end);
}

/* The program or cell begins, writes the text to stdout, reports, and ends so. */
static void answer(struct fixture *fixture, const char *text, const char *report,
                   const struct frame_end *end)
{
    add_frame(fixture, FRAME_BEGUN, NULL, 0);
    add_end(fixture, text, report, end);
    finish_answer(fixture);
}

/* A cell that ends with this value, and whose interpreter stays. */
static void answer_value(struct fixture *fixture, const char *value)
{
    CLEANUP_FREE char *report = string_format("{\"value\": \"%s\"}", value);

    answer(fixture, "", report, &(struct frame_end){.stays = 1, .wall_us = 1000, .cpu_us = 2000});
}

/* A cell that begins and does not end. */
static void answer_begun(struct fixture *fixture)
{
    add_frame(fixture, FRAME_BEGUN, NULL, 0);
    finish_answer(fixture);
}

/* ---- requests */

/* Runs a request in a language with this code, and with a file beside it, if it is not NULL. */
static void request(struct fixture *fixture, const char *language, const char *code,
                    const char *file)
{
    const struct run_observer observer = {.live = {fixture->live, -1}};
    CLEANUP(request_release) struct request request;
    CLEANUP(plan_release) struct plan plan = PLAN_INIT;
    struct error error = ERROR_INIT;
    struct run run;

    request_init(&request);
    request.language = string_copy(language);
    request.input.code = string_copy(code);
    request.input.code_length = strlen(code);
    memcpy(request.session.id, SESSION, sizeof SESSION);
    request.policy.limits.number[LIMIT_TIMEOUT] = 0.2;
    if (file) {
        input_files_add(&request.input.files, file, string_copy("f"), 1);
        assert_int_equal(request_add_artifact(&request, "*.txt", &error), 0);
    }
    assert_int_equal(plan_resolve(&plan, &fixture->config, &request, &error), 0);
    result_release(&fixture->result);
    fixture->result = (struct result)RESULT_INIT;
    if (run_begin(&run, &fixture->docker, &plan, &observer, fixture->cancel, NULL,
                  &fixture->result))
        run_execute(&run, &fixture->session, NULL);
    assert_int_equal(run_clean_up(&run, &error), 0);
    assert_no_error(&error);
}

static void cell(struct fixture *fixture, const char *code)
{
    request(fixture, "cells", code, NULL);
}

/* Checks "REASON EXIT-CODE VALUE kept|lost: ERROR" of the last request. */
static void check(const struct fixture *fixture, const char *expected)
{
    const struct result *result = &fixture->result;
    const struct session_result *session = result->session;
    CLEANUP_FREE char *got = NULL;

    assert_non_null(session);
    assert_string_equal(session->id, SESSION);
    got = string_format("%s %d %s %s: %s", result_reason(result), result->exit_code,
                        session->has_value ? strbuf_string(&session->value) : "-",
                        session->state_kept ? "kept" : "lost", result->error ? result->error : "-");
    assert_string_equal(got, expected);
}

/* Checks why the session is over; NULL: it is not. And that the container is gone, if it is. */
static void check_ended(const struct fixture *fixture, const char *why)
{
    assert_text_or_null(fixture->session.ended, why);
    assert_text_or_null(fixture->result.session->ended, why);
    assert_int_equal(fixture->session.instance == NULL, why != NULL);
}

static void check_log(const struct fixture *fixture, const char *expected)
{
    CLEANUP_FREE char *logged = read_in(fixture->directory, "log");

    assert_string_equal(logged, expected);
}

/* ---- cells */

/* One container and one interpreter for all cells. */
CASE_WITH(run_session__cells, set_up(fixture))
{
    answer_value(fixture, "1");
    answer(fixture, "out", "{\"exception\": {\"name\": \"E\", \"message\": \"m\"}}",
           &(struct frame_end){.stays = 1, .cpu_us = 3000});
    answer(fixture, "", "{}", &(struct frame_end){.stays = 1});
    assert_false(run_session_lives(&fixture->session));
    cell(fixture, "a");
    check(fixture, "exit 0 1 kept: -");
    assert_true(run_session_lives(&fixture->session));
    assert_false(fixture->result.warm);
    assert_true(fixture->result.session->cell);
    cell(fixture, "b");
    check(fixture, "exception 1 - kept: the cell ended with E: m");
    assert_true(fixture->result.warm);
    assert_string_equal(fixture->result.image, "c:1");
    assert_string_equal(strbuf_string(&fixture->result.text[0]), "out");
    cell(fixture, "c");
    check(fixture, "exit 0 - kept: -");
    check_ended(fixture, NULL);
    check_log(fixture, "docker-run argument code run reset code run reset code run ");
    assert_int_equal(fixture->session.requests, 3);
    assert_int_equal(fixture->session.cpu_us, 5000);
    assert_int_equal(fixture->session.output_bytes, 3);
}

/* The interpreter ends by the cell. The next cell starts another one, in the same container. */
CASE_WITH(run_session__the_interpreter_ends, set_up(fixture))
{
    answer(fixture, "", "{\"value\": \"forged\"}", &(struct frame_end){.status = 3});
    answer(fixture, "", "", &(struct frame_end){.status = 0});
    answer(fixture, "", "", &(struct frame_end){.signal = SIGSEGV});
    answer(fixture, "", "", &(struct frame_end){.signal = SIGKILL, .oom_kills = 1});
    answer(fixture, "", "", &(struct frame_end){.cause = FRAME_CAUSE_CPU, .signal = SIGKILL});
    answer_value(fixture, "1");
    cell(fixture, "a");
    check(fixture, "exit 3 - lost: the cell exited with status 3; variables are lost, files are "
                   "kept");
    cell(fixture, "b");
    check(fixture, "exit 0 - lost: -");
    assert_true(
        strvec_contains(&fixture->result.warnings,
                        "the cell ended its interpreter: variables are lost, files are kept"));
    cell(fixture, "c");
    check(fixture, "signal 139 - lost: the cell was ended by signal SIGSEGV; variables are lost, "
                   "files are kept");
    cell(fixture, "d");
    check(fixture, "oom 137 - lost: the cell ran out of memory (limit 100 MB); variables are "
                   "lost, files are kept");
    cell(fixture, "e");
    check(fixture, "cpu-time 137 - lost: the cell used up the CPU time of its session; variables "
                   "are lost, files are kept");
    check_ended(fixture, NULL);
    cell(fixture, "f");
    check(fixture, "exit 0 1 kept: -");
    check_log(fixture, "docker-run argument code run reset argument code run "
                       "reset argument code run reset argument code run "
                       "reset argument code run reset argument code run ");
}

CASE_WITH(run_session__out_of_memory_in_a_child, set_up(fixture))
{
    answer(fixture, "", "{\"value\": \"1\"}", &(struct frame_end){.stays = 1, .oom_kills = 2});
    cell(fixture, "a");
    check(fixture, "exit 0 1 kept: -");
    assert_true(strvec_contains(&fixture->result.warnings,
                                "memory ran out and the kernel killed a process of the cell"));
}

CASE_WITH(run_session__limits_that_are_reached, set_up(fixture))
{
    answer(fixture, "", "{\"value\": \"1\"}",
           &(struct frame_end){.stays = 1, .refused = 3, .memory_full = 7});
    cell(fixture, "a");
    check(fixture, "exit 0 1 kept: -");
    assert_int_equal(fixture->result.warnings.count, 1);
    assert_string_equal(fixture->result.warnings.items[0],
                        "the limit of 64 processes and threads (pidsLimit, --pids-limit) kept 3 "
                        "from starting");
}

/* ---- ended by isolator */

/* A cell that ends by SIGINT keeps the interpreter. */
CASE_WITH(run_session__a_timeout, set_up(fixture))
{
    answer_begun(fixture);
    answer_value(fixture, "1");
    add_end(fixture, "bye", "{\"interrupted\": true}",
            &(struct frame_end){.stays = 1, .cpu_us = 5000, .memory_full = 7});
    write_answer(fixture, "interrupted");
    cell(fixture, "a");
    check(fixture, "timeout 130 - kept: the cell did not end within 0.2 s; variables are kept");
    assert_true(strvec_contains(
        &fixture->result.warnings,
        "the memory was full at its limit of 100 MB (memoryMB, --memory): the kernel drops pages "
        "of the program then and reads them again, which is slow"));
    assert_int_equal(fixture->result.signal, SIGINT);
    assert_string_equal(strbuf_string(&fixture->result.text[0]), "bye");
    cell(fixture, "b");
    check(fixture, "exit 0 1 kept: -");
    check_log(fixture, "docker-run argument code run interrupt reset code run ");
    assert_int_equal(fixture->session.cpu_us, 7000);
}

/* One that does not is ended with its interpreter; the files stay. */
CASE_WITH(run_session__a_timeout_of_the_deaf, set_up(fixture))
{
    answer_begun(fixture);
    answer_value(fixture, "1");
    write_answer(fixture, "interrupted");
    add_end(fixture, "", "", &(struct frame_end){.cause = FRAME_CAUSE_STOP, .signal = SIGKILL});
    write_answer(fixture, "stopped");
    cell(fixture, "a");
    check(fixture, "timeout 137 - lost: the cell did not end within 0.2 s; variables are lost, "
                   "files are kept");
    check_ended(fixture, NULL);
    cell(fixture, "b");
    check(fixture, "exit 0 1 kept: -");
    check_log(fixture, "docker-run argument code run interrupt stop reset argument code run ");
}

/* The order to stop does not help either: nothing more can run there. */
CASE_WITH(run_session__a_container_that_does_not_answer, set_up(fixture))
{
    fixture->docker.engine_timeout = 3;
    answer_begun(fixture);
    write_answer(fixture, "interrupted");
    write_answer(fixture, "stopped");
    cell(fixture, "a");
    check(fixture, "timeout 137 - lost: the cell did not end within 0.2 s; variables and files "
                   "are lost");
    check_ended(fixture, "its container ended");
    check_log(fixture, "docker-run argument code run interrupt stop rm ");
}

/* A cell that is cancelled, but not before it has begun: the session needs its interpreter. */
CASE_WITH(run_session__cancelled, set_up(fixture))
{
    CLEANUP(notifier_release) struct notifier cancel;
    struct error error = ERROR_INIT;

    assert_int_equal(notifier_open(&cancel, &error), 0);
    answer_value(fixture, "1");
    cell(fixture, "a");
    notifier_raise(&cancel);
    fixture->cancel = &cancel;
    cell(fixture, "b");
    check(fixture, "cancelled -1 - kept: cancelled before the program ran");
    fixture->cancel = NULL;
    answer_value(fixture, "2");
    cell(fixture, "c");
    check(fixture, "exit 0 2 kept: -");
    check_log(fixture, "docker-run argument code run reset code run ");
}

/* Cancels the call once all was sent that the container is to answer, and only then lets it. */
static void *cancel_later(void *context)
{
    const struct fixture *fixture = context;
    CLEANUP_FREE char *wait = path_in(fixture->directory, "wait");
    CLEANUP_FREE char *files = path_in(fixture->directory, "files");

    for (;;) {
        CLEANUP_FREE char *logged = read_in(fixture->directory, "log");

        if (strstr(logged, fixture->awaited))
            break;
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    }
    notifier_raise(fixture->cancel);
    nanosleep(&(struct timespec){0, 100000000}, NULL);
    unlink(wait);
    unlink(files);
    return NULL;
}

/* A cell that is cancelled before it has begun is interrupted once it has. */
CASE_WITH(run_session__cancelled_before_it_begins, set_up(fixture))
{
    CLEANUP(notifier_release) struct notifier cancel;
    struct error error = ERROR_INIT;
    pthread_t thread;

    assert_int_equal(notifier_open(&cancel, &error), 0);
    answer_value(fixture, "1");
    answer_begun(fixture);
    add_end(fixture, "", "{\"interrupted\": true}", &(struct frame_end){.stays = 1});
    write_answer(fixture, "interrupted");
    cell(fixture, "a");
    write_in(fixture->directory, "wait", "");
    fixture->cancel = &cancel;
    fixture->awaited = "reset code run";
    assert_int_equal(pthread_create(&thread, NULL, cancel_later, fixture), 0);
    cell(fixture, "b");
    pthread_join(thread, NULL);
    check(fixture, "cancelled 130 - kept: cancelled while the cell ran; variables are kept");
    check_ended(fixture, NULL);
    check_log(fixture, "docker-run argument code run reset code run interrupt ");
}

/* The next cell may write as much as if all output had been taken. */
CASE_WITH(run_session__output_that_nobody_took, set_up(fixture))
{
    static const char text[FRAME_CHUNK];
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    assert_int_equal(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
    while (write(ends[1], text, sizeof text) > 0)
        ;
    fixture->session.limits.output_bytes = 1 << 30;
    fixture->live = ends[1];
    add_frame(fixture, FRAME_BEGUN, NULL, 0);
    for (int i = 0; i < 4; i++)
        add_frame(fixture, FRAME_STDOUT, text, sizeof text);
    finish_answer(fixture);
    add_end(fixture, "", "{}", &(struct frame_end){.stays = 1});
    write_answer(fixture, "interrupted");
    answer_value(fixture, "1");
    cell(fixture, "a");
    check(fixture, "timeout 130 - kept: the cell did not end within 0.2 s; variables are kept");
    fixture->live = -1;
    cell(fixture, "b");
    check(fixture, "exit 0 1 kept: -");
    check_log(fixture, "docker-run argument code run interrupt stop credit reset code run ");
    close(ends[0]);
    close(ends[1]);
}

/* ---- the end of a session */

CASE_WITH(run_session__cpu_time_is_used_up, set_up(fixture))
{
    answer(fixture, "", "{}", &(struct frame_end){.stays = 1, .cpu_us = 599999999});
    answer(fixture, "", "",
           &(struct frame_end){.cause = FRAME_CAUSE_CPU, .signal = SIGKILL, .cpu_us = 1});
    cell(fixture, "a");
    check_ended(fixture, NULL);
    cell(fixture, "b");
    check(fixture, "cpu-time 137 - lost: the cell used up the CPU time of its session; variables "
                   "and files are lost");
    check_ended(fixture, "its CPU time (600 s) is used up");
}

CASE_WITH(run_session__output_is_used_up, set_up(fixture))
{
    char text[1000] = "";

    fixture->session.limits.output_bytes = 1572864;
    fixture->session.output_bytes = 1572864 - 999;
    memset(text, 'x', 998);
    answer(fixture, text, "{}", &(struct frame_end){.stays = 1});
    answer(fixture, "x", "", &(struct frame_end){.cause = FRAME_CAUSE_OUTPUT, .signal = SIGKILL});
    cell(fixture, "a");
    check_ended(fixture, NULL);
    cell(fixture, "b");
    check(fixture, "output-limit 137 - lost: the cell used up the output of its session; "
                   "variables and files are lost");
    check_ended(fixture, "its output (1572864 bytes) is used up");
}

CASE_WITH(run_session__the_container_ends_in_a_cell, set_up(fixture))
{
    answer_value(fixture, "1");
    answer_begun(fixture);
    write_in(fixture->directory, "last-answer", "");
    write_in(fixture->directory, "events", "die 137\n");
    cell(fixture, "a");
    cell(fixture, "b");
    check(fixture, "oom 137 - lost: the cell ran out of memory (limit 100 MB); variables and files "
                   "are lost");
    check_ended(fixture, "its container ended");
    assert_false(run_session_lives(&fixture->session));
}

CASE_WITH(run_session__the_container_ends_between_cells, set_up(fixture))
{
    answer_value(fixture, "1");
    write_in(fixture->directory, "last-answer", "");
    cell(fixture, "a");
    check(fixture, "exit 0 1 kept: -");
    instance_wait_for_end(fixture->session.instance, clock_now_ms() + 20000);
    assert_false(run_session_lives(&fixture->session));
    cell(fixture, "b");
    assert_int_equal(fixture->result.reason, REASON_ENGINE);
    check_ended(fixture, "its container ended");
}

/* A first request that does not begin leaves a session whose next request is the first. */
CASE_WITH(run_session__the_first_does_not_begin, set_up(fixture))
{
    CLEANUP_FREE char *dead = NULL;

    dead = path_in(fixture->directory, "dead");
    write_in(fixture->directory, "dead", "");
    cell(fixture, "a");
    assert_int_equal(fixture->result.reason, REASON_ENGINE);
    assert_null(fixture->session.ended);
    assert_null(fixture->session.instance);
    assert_int_equal(unlink(dead), 0);
    cell(fixture, "\xff"); /* refused before it is sent */
    check(fixture, "input -1 - lost: the code is not valid UTF-8, which a session needs");
    assert_non_null(fixture->session.instance);
    answer_value(fixture, "1");
    cell(fixture, "b");
    check(fixture, "exit 0 1 kept: -");
    assert_int_equal(fixture->session.requests, 1);
}

/* ---- programs and files */

/* What the session has left bounds a program; a build of the same request counts already. */
CASE(run_session__limits_of_a_program)
{
    struct build_result build = {.cpu_us = 300};
    struct result result = {.cpu_us = -1, .build = &build};
    struct instance instance = {.link = {.state = LINK_READY}};
    struct program_request request = {.reset = false};
    struct fixture fixture;
    struct run run = {.session = &fixture.session, .result = &result, .instance = &instance};

    set_up(&fixture);
    fixture.session.cpu_us = 200;
    fixture.session.output_bytes = 400;
    run_session_set_program(&run, &request);
    assert_false(request.reset);
    assert_false(request.keep_processes);
    assert_int_equal(request.cpu_left_us, 600000000 - 500);
    assert_int_equal(request.output_left, 600);
    assert_true(request.seconds_left > 3000 && request.seconds_left <= 3600);
    /* the hour of the session, and a minute */
    assert_in_range(request.linger_ms, 3600000, 3660000);

    fixture.session.keep_processes = true;
    fixture.session.cpu_us = 700000000;
    fixture.session.output_bytes = 1001;
    instance.link.state = LINK_COLLECTED;
    run_session_set_program(&run, &request);
    assert_true(request.reset);
    assert_true(request.keep_processes);
    assert_int_equal(request.cpu_left_us, 1); /* 0 would be no limit */
    assert_int_equal(request.output_left, 1);
    tear_down(&fixture);
}

/* The container is needed for as long as the session. */
CASE(run_session__time_of_the_container)
{
    struct plan plan = PLAN_INIT;
    struct fixture fixture;
    struct run run = {.docker = &fixture.docker, .plan = &plan, .session = &fixture.session};

    set_up(&fixture);
    plan.policy.limits.number[LIMIT_TIMEOUT] = 10;
    assert_in_range(run_keep_ms(&run), 3600000, 3600000 + 11000 + 360000);
    fixture.session.limits.end = 1;
    assert_int_equal(run_keep_ms(&run), 1 + 1000 + 360000 + 1); /* it is over */
    tear_down(&fixture);
}

/* A language without an interpreter that stays: each request is a program. */
CASE_WITH(run_session__programs, set_up(fixture))
{
    answer(fixture, "a", "", &(struct frame_end){.status = 0});
    answer(fixture, "b", "", &(struct frame_end){.status = 4});
    request(fixture, "bash", "a", NULL);
    check(fixture, "exit 0 - lost: -");
    assert_false(fixture->result.session->cell);
    request(fixture, "bash", "b", NULL);
    check(fixture, "exit 4 - lost: program exited with status 4");
    check_ended(fixture, NULL);
    check_log(fixture, "docker-run argument argument files run reset argument argument files run "
                       "");
}

/* The supervisor could not tell the program from the interpreter. */
CASE_WITH(run_session__a_program_beside_an_interpreter, set_up(fixture))
{
    answer_value(fixture, "1");
    answer_value(fixture, "2");
    cell(fixture, "a");
    request(fixture, "bash", "b", NULL);
    check(fixture, "input -1 - kept: a directory cannot run in this session, since its interpreter "
                   "waits for the next cell");
    cell(fixture, "c");
    check(fixture, "exit 0 2 kept: -");
}

/* What is needed before a cell can begin does not fit. The interpreter is not concerned. */
CASE_WITH(run_session__a_cell_that_does_not_fit, set_up(fixture))
{
    const struct frame_failed failed[] = {
        {FRAME_STEP_START, ENOMEM}, {FRAME_STEP_UNPACK, ENOSPC}, {FRAME_STEP_UNPACK, EISDIR}};

    answer_value(fixture, "1");
    for (size_t i = 0; i < COUNT(failed); i++) {
        add_frame(fixture, FRAME_FAILED, &failed[i], sizeof failed[i]);
        finish_answer(fixture);
    }
    answer_value(fixture, "2");
    cell(fixture, "a");
    cell(fixture, "b");
    check(fixture,
          "input -1 - kept: cannot begin the cell: Cannot allocate memory; shorten its code and "
          "its standard input, or raise memoryMB");
    cell(fixture, "c");
    check(fixture, "input -1 - kept: cannot unpack the files in the container: No space left on "
                   "device; send fewer or smaller files, or raise workdirMB");
    cell(fixture, "d");
    check(fixture, "input -1 - kept: cannot unpack the files in the container: Is a directory; "
                   "remove what is in its place, such as a file of an earlier request, "
                   "or send another name");
    cell(fixture, "e");
    check(fixture, "exit 0 2 kept: -");
    check_log(fixture, "docker-run argument code run reset code run reset code run reset code run "
                       "reset code run ");
}

/* A build raises the limits of the container, and the program has its own again. */
CASE_WITH(run_session__builds, set_up(fixture))
{
    for (int i = 0; i < 4; i++)
        answer(fixture, "x", "", &(struct frame_end){.cpu_us = 1000});
    request(fixture, "built", "a", NULL);
    check(fixture, "exit 0 - lost: -");
    assert_non_null(fixture->result.build);
    assert_int_equal(fixture->session.cpu_us, 2000);
    check_log(fixture, "docker-run argument argument files run update reset argument run ");
    write_in(fixture->directory, "limits", "314572800/314572800/64/1000000000\n");
    request(fixture, "built", "b", NULL);
    assert_int_equal(fixture->result.reason, REASON_ENGINE); /* the fake has one answer */
}

/* Adds the frames of a directory with a file, an answer to COLLECT. */
static void write_collected(struct fixture *fixture, const char *name, const char *content)
{
    CLEANUP(archive_release) struct archive archive = ARCHIVE_INIT;
    struct error error = ERROR_INIT;
    char bytes[10240];
    ssize_t length;

    assert_int_equal(archive_open(&archive, 1, 1, NULL, &error), 0);
    assert_int_equal(archive_add_bytes(&archive, name, content, strlen(content), &error), 0);
    assert_int_equal(archive_finish(&archive, &error), 0);
    length = pread(archive_file(&archive), bytes, sizeof bytes, 0);
    assert_true(length > 0);
    add_frame(fixture, FRAME_FILES, bytes, (size_t)length);
    add_frame(fixture, FRAME_FILES_END, NULL, 0);
    write_answer(fixture, "collected");
}

/* A file is returned when it is new or has changed since an earlier request. */
CASE_WITH(run_session__artifacts, set_up(fixture))
{
    for (int i = 0; i < 4; i++)
        answer_value(fixture, "1");
    write_collected(fixture, "sent.txt", "f");
    request(fixture, "cells", "a", "sent.txt");
    assert_int_equal(fixture->result.artifacts.count, 0);
    request(fixture, "cells", "b", "other.txt"); /* not sent by this one */
    assert_int_equal(fixture->result.artifacts.count, 0);
    write_collected(fixture, "sent.txt", "changed");
    request(fixture, "cells", "c", "other.txt");
    assert_int_equal(fixture->result.artifacts.count, 1);
    request(fixture, "cells", "d", "other.txt"); /* the same as before */
    assert_int_equal(fixture->result.artifacts.count, 0);
    check_log(fixture, "docker-run argument code files run collect reset code files run collect "
                       "reset code files run collect reset code files run collect ");
}

/* The connection has no place where the session could go on if the files were not read to the end.
 */
CASE_WITH(run_session__cancelled_while_files_arrive, set_up(fixture))
{
    CLEANUP(notifier_release) struct notifier cancel;
    struct error error = ERROR_INIT;
    pthread_t thread;

    assert_int_equal(notifier_open(&cancel, &error), 0);
    answer_value(fixture, "1");
    answer_value(fixture, "2");
    write_collected(fixture, "new.txt", "f");
    cell(fixture, "a");
    fixture->cancel = &cancel;
    write_in(fixture->directory, "files", "");
    fixture->awaited = "collect";
    assert_int_equal(pthread_create(&thread, NULL, cancel_later, fixture), 0);
    request(fixture, "cells", "b", "sent.txt");
    pthread_join(thread, NULL);
    check(fixture, "exit 0 2 kept: -");
    assert_int_equal(fixture->result.artifacts.count, 1);
    check_ended(fixture, NULL);
}

/* Files that do not arrive in time: what comes next on the connection is not known. */
CASE_WITH(run_session__files_that_do_not_arrive, set_up(fixture))
{
    fixture->docker.engine_timeout = 3;
    answer_value(fixture, "1");
    write_answer(fixture, "collected");
    request(fixture, "cells", "a", "sent.txt");
    check(fixture, "exit 0 1 lost: -");
    check_ended(fixture, "its container ended");
}

static int set_up_group(void **state)
{
    (void)state;
    signal(SIGPIPE, SIG_IGN); /* as the programs do */
    return 0;
}
