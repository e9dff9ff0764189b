#include "test.h"

#include <signal.h>

#include "config/config_load.h"
#include "config/config_read.h"
#include "fake_supervisor.h"
#include "judge/judgement.h"
#include "run/submission.h"

/*
 * Runs with several programs, in a container whose docker command is a script. Its supervisor
 * answers the N-th request, a program or KEEP, with the frames of the file "answer.N", and an order
 * to stop with those of "stopped". If there is a file "last-answer", the container ends after the
 * last one; if there is a file "late", the first one takes its time. The file "log" gets a line
 * with the arguments of each docker command that changes something, and one for each KEEP, RESTORE
 * and RUN. "refuse" makes an update fail; "events" is what the engine tells of the container.
 */
static const char docker_script[] =
    "cd \"${0%/*}\"\n" FAKE_SUPERVISOR_FUNCTIONS "case $1 in\n"
    "run)\n"
    "  greet\n"
    "  n=0\n"
    "  while take_frame; do\n"
    "    case $type in\n"
    "    4) echo run >>log;;\n"
    "    20) echo keep >>log;;\n"
    "    21) echo restore >>log;;\n"
    "    esac\n"
    "    case $type in\n"
    "    8) cat stopped;;\n"
    "    6 | 20)\n"
    "      n=$((n + 1))\n"
    "      [ ! -e late ] || { rm late; sleep 4.5; }\n"
    "      cat answer.$n\n"
    "      [ ! -e last-answer ] || [ -e answer.$((n + 1)) ] || exit 137;;\n"
    "    esac\n"
    "  done;;\n"
    "update) echo update \"$2\" >>log; [ ! -e refuse ];;\n"
    "inspect) cat limits;;\n"
    "events) cat events;;\n"
    "rm) ;;\n"
    "*) exit 1;;\n"
    "esac\n";
_Static_assert(FRAME_RUN == 4 && FRAME_KEEP == 20 && FRAME_RESTORE == 21 && FRAME_STOP == 8 &&
                   FRAME_STDIN_END == 6,
               "the numbers in the script");

struct fixture {
    char *directory, *command;
    struct config config;
    struct plan plan;
    struct strbuf answer; /* the frames of the next answer */
    int answers;
    struct result result;
};

/* A plan with tests "1" to `tests`, which expect "right", in a language that may have a build. */
static void set_up(struct fixture *fixture, bool build, int tests)
{
    static const char more[] =
        "{\"engineTimeoutSeconds\": 600, \"maximums\": {},"
        " \"defaults\": {\"memoryMB\": 100, \"cpus\": 1, \"pidsLimit\": 64},"
        " \"languages\": {\"built\": {\"image\": \"c:1\", \"command\": [\"./{stem}\"],"
        " \"build\": [\"cc\", \"{sources}\"], \"buildLimits\": {\"memoryMB\": 300},"
        " \"extensions\": [\".c\"], \"defaultFilename\": \"main.c\"}}}";
    CLEANUP(request_release) struct request request;
    struct error error = ERROR_INIT;

    *fixture = (struct fixture){.directory = temp_create(), .result = RESULT_INIT};
    fixture->command = script_in(fixture->directory, "docker", docker_script);
    write_fake_supervisor(fixture->directory, &(struct frame_end){.status = 0});
    write_in(fixture->directory, "events", "");
    write_in(fixture->directory, "limits", "105906176/105906176/64/1000000000\n");
    config_init(&fixture->config);
    assert_int_equal(config_load(&fixture->config, "isolator_config.json", NULL, &error), 0);
    assert_int_equal(config_overlay(&fixture->config, more, sizeof more - 1, "test", &error), 0);
    free(fixture->config.container_command);
    fixture->config.container_command = string_copy(fixture->command);
    request_init(&request);
    request.language = string_copy(build ? "built" : "bash");
    request.input.code = string_copy("text");
    request.input.code_length = 4;
    for (int i = 0; i < tests; i++) {
        struct case_request *test = case_requests_add(&request.tests);

        test->name = string_format("%d", i + 1);
        test->expected = string_copy("right");
        test->expected_length = 5;
    }
    assert_int_equal(plan_resolve(&fixture->plan, &fixture->config, &request, &error), 0);
    assert_no_error(&error);
}

static void tear_down(struct fixture *fixture)
{
    plan_release(&fixture->plan);
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

static void answer_kept(struct fixture *fixture, uint64_t bytes)
{
    const struct frame_kept kept = {bytes};

    add_frame(fixture, FRAME_KEPT, &kept, sizeof kept);
    finish_answer(fixture);
}

static void answer_failed(struct fixture *fixture, uint32_t step, uint32_t code)
{
    const struct frame_failed failed = {step, code};

    add_frame(fixture, FRAME_FAILED, &failed, sizeof failed);
    finish_answer(fixture);
}

/* The program begins, writes the text to stdout, and ends so. */
static void answer_end(struct fixture *fixture, const char *text, const struct frame_end *end)
{
    add_frame(fixture, FRAME_BEGUN, NULL, 0);
    add_frame(fixture, FRAME_STDOUT, text, strlen(text));
    add_frame(fixture, FRAME_END, end, sizeof *end);
    finish_answer(fixture);
}

static void answer_passed(struct fixture *fixture)
{
    answer_end(fixture, "right\n", &(struct frame_end){.wall_us = 1000, .cpu_us = 500});
}

/* The program begins, and then the container ends. */
static void answer_last_words(struct fixture *fixture)
{
    write_in(fixture->directory, "last-answer", "");
    add_frame(fixture, FRAME_BEGUN, NULL, 0);
    finish_answer(fixture);
}

/* ---- running */

static void run(struct fixture *fixture)
{
    const struct docker docker = config_docker(&fixture->config);
    const struct run_observer observer = RUN_OBSERVER_INIT;
    struct error error = ERROR_INIT;
    struct judgement judgement;

    if (judgement_begin(&judgement, &docker, &fixture->plan, &observer, NULL, NULL,
                        &fixture->result))
        judgement_execute(&judgement, NULL, NULL);
    assert_int_equal(judgement_clean_up(&judgement, &error), 0);
    assert_no_error(&error);
}

/* Checks "REASON STATUS STATUS ..." and what was done. */
static void check(struct fixture *fixture, const char *expected, const char *log)
{
    const struct case_results *tests = &fixture->result.tests;
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
    CLEANUP_FREE char *logged = read_in(fixture->directory, "log");

    strbuf_addstr(&text, result_reason(&fixture->result));
    for (size_t i = 0; i < tests->count; i++)
        strbuf_addf(&text, " %s", case_status_name(tests->items[i].status));
    assert_string_equal(strbuf_string(&text), expected);
    for (char *at = logged; *at; at++)
        *at = *at == '\n' ? ' ' : *at;
    assert_string_equal(logged, log);
}

#define EACH "restore run "

CASE_WITH(submission__each_end_of_a_program, set_up(fixture, false, 8))
{
    const struct case_result *items;

    answer_kept(fixture, 4096);
    answer_end(fixture, "right \n\n",
               &(struct frame_end){.wall_us = 1500000, .cpu_us = 2000, .used_bytes = 7000});
    answer_end(fixture, "left", &(struct frame_end){.status = 0});
    answer_end(fixture, "right", &(struct frame_end){.status = 3});
    answer_end(fixture, "right", &(struct frame_end){.signal = SIGSEGV});
    answer_end(fixture, "right", &(struct frame_end){.cause = FRAME_CAUSE_CPU});
    answer_end(fixture, "right", &(struct frame_end){.cause = FRAME_CAUSE_OUTPUT, .signal = 9});
    answer_end(fixture, "right", &(struct frame_end){.signal = 9, .oom_kills = 1});
    answer_passed(fixture);
    run(fixture);
    check(fixture,
          "tests passed wrong-answer runtime-error runtime-error cpu-time output-limit oom passed",
          "keep " EACH EACH EACH EACH EACH EACH EACH EACH);
    items = fixture->result.tests.items;
    assert_int_equal(items[0].duration_ms, 1500);
    assert_int_equal(items[0].cpu_us, 2000);
    assert_int_equal(items[0].peak_bytes, 7000);
    assert_string_equal(strbuf_string(&items[0].text[0]), "right \n\n");
    assert_null(items[0].message);
    assert_int_equal(items[2].exit_code, 3);
    assert_int_equal(items[3].exit_code, 128 + SIGSEGV);
    assert_int_equal(items[3].signal, SIGSEGV);
    assert_string_equal(fixture->result.error, "6 of 8 tests are not passed; the first is '2'");
    assert_int_equal(fixture->result.exit_code, EXIT_CODE_NONE);
}

CASE_WITH(submission__all_passed, set_up(fixture, false, 2))
{
    answer_kept(fixture, 4096);
    answer_passed(fixture);
    answer_passed(fixture);
    run(fixture);
    check(fixture, "exit passed passed", "keep " EACH EACH);
    assert_true(result_success(&fixture->result));
    assert_int_equal(fixture->result.duration_ms, 2);
    assert_int_equal(fixture->result.cpu_us, 1000);
    assert_int_equal(fixture->result.bytes[0], 12);
}

/* Without an expected output none is expected, unless the request asks for no comparison. */
CASE_WITH(submission__nothing_expected, set_up(fixture, false, 3))
{
    for (int i = 0; i < 3; i++) {
        struct case_request *test = &fixture->plan.tests.items[i];

        free(test->expected);
        test->expected = NULL;
        test->expected_length = 0;
    }
    fixture->plan.tests.items[2].no_expected = true;
    answer_kept(fixture, 4096);
    answer_end(fixture, "right", &(struct frame_end){.status = 0});
    answer_end(fixture, "\n", &(struct frame_end){.status = 0});
    answer_end(fixture, "right", &(struct frame_end){.status = 0});
    run(fixture);
    check(fixture, "tests wrong-answer passed passed", "keep " EACH EACH EACH);
    assert_string_equal(fixture->result.tests.items[0].message,
                        "line 1 differs: expected no more output, found 'right'");
}

/* The time for the copy is not that of the setup: 3.4 s here. */
CASE_WITH(submission__a_copy_that_takes_long, set_up(fixture, false, 1))
{
    fixture->config.engine_timeout = 4;
    fixture->plan.policy.limits.number[LIMIT_TIMEOUT] = 1;
    write_in(fixture->directory, "late", "");
    answer_kept(fixture, 4096);
    answer_passed(fixture);
    run(fixture);
    check(fixture, "exit passed", "keep " EACH);
}

/* A program that is stopped does not end the container, and the next one runs. */
CASE_WITH(submission__a_timeout, set_up(fixture, false, 2))
{
    const struct frame_end end = {.cause = FRAME_CAUSE_STOP, .signal = SIGKILL};

    fixture->plan.tests.items[0].timeout_seconds = 0.2;
    answer_kept(fixture, 4096);
    add_frame(fixture, FRAME_BEGUN, NULL, 0);
    finish_answer(fixture);
    answer_passed(fixture);
    add_frame(fixture, FRAME_END, &end, sizeof end);
    write_answer(fixture, "stopped");
    run(fixture);
    check(fixture, "tests timeout passed", "keep " EACH EACH);
    assert_string_equal(fixture->result.tests.items[0].message, "program did not end within 0.2 s");
}

/* Files that do not fit are those of one test. */
CASE_WITH(submission__files_that_do_not_fit, set_up(fixture, false, 3))
{
    answer_kept(fixture, 4096);
    answer_passed(fixture);
    answer_failed(fixture, FRAME_STEP_UNPACK, 28);
    answer_passed(fixture);
    run(fixture);
    check(fixture, "tests passed not-run passed", "keep " EACH EACH EACH);
}

/* Nothing runs where something may be left. */
CASE_WITH(submission__what_cannot_be_removed, set_up(fixture, false, 4))
{
    answer_kept(fixture, 4096);
    answer_passed(fixture);
    answer_failed(fixture, FRAME_STEP_CLEAN, 62);
    answer_passed(fixture);
    answer_passed(fixture);
    run(fixture);
    check(fixture, "tests passed not-run not-run not-run", "keep " EACH EACH);
    assert_string_equal(fixture->result.tests.items[3].message,
                        "what an earlier test has left in the container could not be removed");
}

/* The program has begun, and then the container ends. No verdict is made up. */
CASE_WITH(submission__the_container_ends, set_up(fixture, false, 3))
{
    answer_kept(fixture, 4096);
    answer_passed(fixture);
    answer_last_words(fixture);
    run(fixture);
    check(fixture, "engine passed engine not-run", "keep " EACH EACH);
}

/* A frame that no supervisor sends ends the run at once. */
CASE_WITH(submission__a_broken_connection, set_up(fixture, false, 3))
{
    answer_kept(fixture, 4096);
    answer_passed(fixture);
    add_frame(fixture, FRAME_BEGUN, NULL, 0);
    add_frame(fixture, FRAME_KEPT, "", 0);
    finish_answer(fixture);
    answer_passed(fixture);
    run(fixture);
    check(fixture, "engine passed engine not-run", "keep " EACH EACH);
}

/* A program can make the kernel kill process 1, and this is no failure of the engine. */
CASE_WITH(submission__the_kernel_ends_the_container, set_up(fixture, false, 3))
{
    write_in(fixture->directory, "events", "die 137\n");
    answer_kept(fixture, 4096);
    answer_passed(fixture);
    answer_last_words(fixture);
    run(fixture);
    check(fixture, "tests passed oom not-run", "keep " EACH EACH);
    assert_string_equal(fixture->result.tests.items[2].message,
                        "an earlier test ended the container");
    assert_int_equal(fixture->result.warnings.count, 1);
    assert_string_equal(fixture->result.warnings.items[0],
                        "test '2': memory ran out and the kernel ended the whole container, so "
                        "memory and CPU time are not known");
}

CASE(submission__keep_fails)
{
    struct fixture fixture;

    set_up(&fixture, false, 2);
    answer_failed(&fixture, FRAME_STEP_KEEP, 27);
    answer_passed(&fixture);
    run(&fixture);
    check(&fixture, "input not-run not-run", "keep ");
    tear_down(&fixture);

    set_up(&fixture, false, 2);
    answer_kept(&fixture, 1 << 30); /* more than was ordered */
    answer_passed(&fixture);
    run(&fixture);
    check(&fixture, "engine not-run not-run", "keep ");
    tear_down(&fixture);
}

/* ---- builds */

CASE_WITH(submission__build_and_tests, set_up(fixture, true, 2))
{
    answer_end(fixture, "compiled", &(struct frame_end){.wall_us = 2000});
    answer_kept(fixture, 500000);
    answer_passed(fixture);
    answer_passed(fixture);
    run(fixture);
    assert_text_or_null(fixture->result.error, NULL);
    check(fixture, "exit passed passed", "run keep update --memory=101m " EACH EACH);
    assert_int_equal(fixture->result.build->exit_code, 0);
    assert_int_equal(fixture->result.build->duration_ms, 2);
    assert_string_equal(strbuf_string(&fixture->result.build->text[0]), "compiled");
}

CASE_WITH(submission__build_and_program, set_up(fixture, true, 0))
{
    answer_end(fixture, "compiled", &(struct frame_end){.peak_bytes = 9000000});
    answer_kept(fixture, 0);
    write_in(fixture->directory, "limits", "104857600/104857600/64/1000000000\n"); /* no copy */
    answer_end(fixture, "out", &(struct frame_end){.status = 3, .peak_bytes = 9000000});
    run(fixture);
    check(fixture, "exit", "run keep update --memory=100m run ");
    assert_int_equal(fixture->result.exit_code, 3);
    assert_string_equal(strbuf_string(&fixture->result.text[0]), "out");
    assert_int_equal(fixture->result.peak_bytes, 9000000);
}

CASE_WITH(submission__build_fails, set_up(fixture, true, 2))
{
    answer_end(fixture, "wrong", &(struct frame_end){.status = 1});
    answer_passed(fixture);
    run(fixture);
    check(fixture, "build not-run not-run", "run ");
    assert_string_equal(fixture->result.error, "build exited with status 1");
    assert_int_equal(fixture->result.exit_code, EXIT_CODE_NONE);
    assert_int_equal(fixture->result.build->exit_code, 1);
    assert_string_equal(strbuf_string(&fixture->result.build->text[0]), "wrong");
}

CASE_WITH(submission__limits_that_cannot_be_lowered, set_up(fixture, true, 2))
{
    write_in(fixture->directory, "refuse", "");
    answer_end(fixture, "compiled", &(struct frame_end){.status = 0});
    answer_kept(fixture, 500000);
    answer_passed(fixture);
    run(fixture);
    check(fixture, "engine not-run not-run", "run keep update --memory=101m ");
}

static int set_up_group(void **state)
{
    (void)state;
    signal(SIGPIPE, SIG_IGN); /* as in isolator */
    return 0;
}
