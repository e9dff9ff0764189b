/* How a program ended, by what is known of its end alone. */
#include "test.h"

#include <errno.h>
#include <math.h>

#include "run/verdict.h"

struct fixture {
    struct limits limits;
    struct strbuf cell;
    struct program_request request;
    struct frame_end end;
    struct verdict verdict;
};

/* A program that has ended by itself with status 0. */
static void set_up(struct fixture *fixture)
{
    *fixture = (struct fixture){.request = {.spec.limits = &fixture->limits},
                                .end = {.wall_us = 1500, .cpu_us = 700, .peak_bytes = 4096},
                                .verdict = {.request = &fixture->request,
                                            .name = "program",
                                            .end = &fixture->end,
                                            .measured_ms = 12}};
    limits_init(&fixture->limits);
    fixture->limits.number[LIMIT_TIMEOUT] = 5;
    fixture->limits.number[LIMIT_CPU_TIME] = 2;
    fixture->limits.number[LIMIT_MEMORY] = 100;
    fixture->limits.number[LIMIT_PIDS] = 64;
}

/* Checks "REASON EXIT-CODE SIGNAL: ERROR" and the only warning; NULL: there is none. */
static void check(struct fixture *fixture, const char *expected, const char *warning)
{
    CLEANUP(result_release) struct result result = RESULT_INIT;
    CLEANUP_FREE char *got = NULL;

    assert_true(verdict_reach(&fixture->verdict, &result));
    got = string_format("%s %d %d: %s", result_reason(&result), result.exit_code, result.signal,
                        result.error ? result.error : "-");
    assert_string_equal(got, expected);
    assert_int_equal(result.warnings.count, warning != NULL);
    if (warning)
        assert_string_equal(result.warnings.items[0], warning);
}

CASE(verdict__it_ended_by_itself)
{
    struct fixture fixture;

    set_up(&fixture);
    check(&fixture, "exit 0 0: -", NULL);
    fixture.end.status = 3;
    check(&fixture, "exit 3 0: program exited with status 3", NULL);
    fixture.end.signal = 11;
    check(&fixture, "signal 139 11: program was ended by signal SIGSEGV", NULL);
    fixture.end.signal = 200;
    check(&fixture, "signal 328 200: program was ended by signal 200", NULL);
}

CASE(verdict__memory)
{
    struct fixture fixture;

    set_up(&fixture);
    fixture.end.oom_kills = 1;
    check(&fixture, "exit 0 0: -",
          "memory ran out and the kernel killed a process, but the program ended with status 0");
    fixture.end.status = 1;
    check(&fixture, "oom 1 0: program ran out of memory (limit 100 MB)", NULL);
    fixture.end.signal = 9;
    check(&fixture, "oom 137 9: program ran out of memory (limit 100 MB)", NULL);
    fixture.end.oom_kills = FRAME_UNKNOWN;
    check(&fixture, "signal 137 9: program was ended by signal SIGKILL", NULL);
}

CASE(verdict__cpu_time)
{
    struct fixture fixture;

    set_up(&fixture);
    fixture.end.cause = FRAME_CAUSE_CPU;
    fixture.end.signal = 9;
    check(&fixture, "cpu-time 137 9: program used more than 2 s of CPU time", NULL);
    fixture.request.cpu_left_us = 1000;
    check(&fixture, "cpu-time 137 9: program used up the CPU time of its session", NULL);
}

/* A timeout is one of CPU time if the supervisor came too late to see that. */
CASE(verdict__timeout)
{
    struct fixture fixture;

    set_up(&fixture);
    fixture.verdict.stop = STOP_TIMEOUT;
    check(&fixture, "timeout 137 9: program did not end within 5 s", NULL);
    fixture.end.cpu_us = 2000001;
    check(&fixture, "cpu-time 137 9: program used more than 2 s of CPU time", NULL);
    fixture.end.cpu_us = FRAME_UNKNOWN;
    check(&fixture, "timeout 137 9: program did not end within 5 s", NULL);
    fixture.request.seconds_left = 0.5;
    check(&fixture, "timeout 137 9: program did not end within 0.5 s", NULL);
    fixture.verdict.stop = STOP_NONE;
    fixture.end.cause = FRAME_CAUSE_LATE;
    check(&fixture, "timeout 137 9: program did not end within 0.5 s", NULL);
    fixture.verdict.stop = STOP_CANCELLED;
    check(&fixture, "timeout 137 9: program did not end within 0.5 s", NULL);
}

CASE(verdict__output)
{
    struct fixture fixture;

    set_up(&fixture);
    fixture.verdict.stop = STOP_OUTPUT;
    check(&fixture, "output-limit 137 9: program wrote more than 64 MiB to one stream", NULL);
    fixture.verdict.stop = STOP_NONE;
    fixture.end.cause = FRAME_CAUSE_OUTPUT;
    check(&fixture, "output-limit 137 9: program wrote more than 64 MiB to one stream", NULL);
    fixture.request.output_left = 10;
    check(&fixture, "output-limit 137 9: program used up the output of its session", NULL);
}

CASE(verdict__cancelled)
{
    struct fixture fixture;

    set_up(&fixture);
    fixture.verdict.stop = STOP_CANCELLED;
    check(&fixture, "cancelled 137 9: cancelled while the program ran", NULL);
    fixture.verdict.live_error = EPIPE;
    check(&fixture, "cancelled 137 9: cancelled while the program ran", NULL);
    fixture.verdict.live_error = ENOSPC;
    check(&fixture, "engine 137 9: cannot write the output: No space left on device", NULL);
    fixture.verdict.live_error = 0;
    fixture.request.cell = &fixture.cell;
    check(&fixture, "cancelled 137 9: cancelled while the cell ran", NULL);
    fixture.end.stays = 1;
    check(&fixture, "cancelled 130 2: cancelled while the cell ran", NULL);
}

/* How a cell ended is in its report, if its interpreter stays. */
CASE(verdict__cell)
{
    struct fixture fixture;

    set_up(&fixture);
    fixture.verdict.name = "the cell";
    fixture.request.cell = &fixture.cell;
    fixture.end.stays = 1;
    check(&fixture, "exit 0 0: -", NULL);
    fixture.end.oom_kills = 1;
    check(&fixture, "exit 0 0: -", "memory ran out and the kernel killed a process of the cell");
    fixture.end.stays = 0;
    check(&fixture, "exit 0 0: -",
          "memory ran out and the kernel killed a process, but the interpreter ended with "
          "status 0");
}

CASE(verdict__warnings)
{
    struct fixture fixture;

    set_up(&fixture);
    fixture.end.refused = 2;
    check(&fixture, "exit 0 0: -",
          "the limit of 64 processes and threads (pidsLimit, --pids-limit) kept 2 from starting");
    fixture.end.refused = FRAME_UNKNOWN;
    fixture.end.memory_full = 1;
    check(&fixture, "exit 0 0: -", NULL);
    fixture.verdict.stop = STOP_TIMEOUT;
    check(&fixture, "timeout 137 9: program did not end within 5 s",
          "the memory was full at its limit of 100 MB (memoryMB, --memory): the kernel drops pages "
          "of the program then and reads them again, which is slow");
    set_up(&fixture);
    fixture.verdict.input_error = EIO;
    check(&fixture, "exit 0 0: -",
          "cannot read standard input, which ended there for the program: Input/output error");
}

CASE(verdict__figures)
{
    CLEANUP(result_release) struct result result = RESULT_INIT;
    struct fixture fixture;

    set_up(&fixture);
    assert_true(verdict_reach(&fixture.verdict, &result));
    assert_int_equal(result.duration_ms, 2);
    assert_int_equal(result.cpu_us, 700);
    assert_int_equal(result.peak_bytes, 4096);
    fixture.end =
        (struct frame_end){.wall_us = 0, .cpu_us = FRAME_UNKNOWN, .peak_bytes = FRAME_UNKNOWN};
    assert_true(verdict_reach(&fixture.verdict, &result));
    assert_int_equal(result.duration_ms, 1); /* 0 means that it never ran */
    assert_int_equal(result.cpu_us, -1);
    assert_int_equal(result.peak_bytes, -1);
}

/* The timeout begins a little before the program, whose time the supervisor measures. */
CASE(verdict__duration_of_a_timeout)
{
    CLEANUP(result_release) struct result result = RESULT_INIT;
    struct fixture fixture;

    set_up(&fixture);
    fixture.end.wall_us = 4993000;
    assert_true(verdict_reach(&fixture.verdict, &result));
    assert_int_equal(result.duration_ms, 4993);
    fixture.end.cause = FRAME_CAUSE_LATE;
    assert_true(verdict_reach(&fixture.verdict, &result));
    assert_int_equal(result.duration_ms, 5000);
    result_release(&result);
    fixture.end.wall_us = 5000001;
    assert_true(verdict_reach(&fixture.verdict, &result));
    assert_int_equal(result.duration_ms, 5001);
}

/* The container ended without a report: there is no verdict unless isolator has ended it. */
CASE(verdict__no_report)
{
    CLEANUP(result_release) struct result result = RESULT_INIT;
    struct fixture fixture;

    set_up(&fixture);
    fixture.verdict.end = NULL;
    assert_false(verdict_reach(&fixture.verdict, &result));
    assert_int_equal(result.duration_ms, 12);
    verdict_out_of_memory(&fixture.verdict, &result);
    assert_int_equal(result.reason, REASON_OOM);
    assert_int_equal(result.exit_code, 137);
    assert_string_equal(result.error, "program ran out of memory (limit 100 MB)");
    assert_int_equal(result.warnings.count, 1);
    fixture.verdict.stop = STOP_TIMEOUT;
    check(&fixture, "timeout 137 9: program did not end within 5 s", NULL);
}

/* The supervisor of a job alone keeps the timeout: FRAME_CAUSE_LATE is all that is known. */
CASE(verdict__of_a_log)
{
    struct fixture fixture;

    set_up(&fixture);
    fixture.end.cause = FRAME_CAUSE_LATE;
    fixture.end.signal = 9;
    check(&fixture, "timeout 137 9: program did not end within 5 s", NULL);
    fixture.end.cpu_us = 2000001;
    check(&fixture, "cpu-time 137 9: program used more than 2 s of CPU time", NULL);
    set_up(&fixture);
    fixture.end.cause = FRAME_CAUSE_OUTPUT;
    fixture.end.signal = 9;
    check(&fixture, "output-limit 137 9: program wrote more than 64 MiB to one stream", NULL);
}
