#include "test.h"

#include <math.h>

#include "base/linux.h"
#include "container/job_instance.h"
#include "supervisor/frame_header.h"

struct fixture {
    struct docker docker;
    struct job_script script;
    struct instance *instance;
    struct limits limits;
    struct strvec command, environment;
    struct program_request request;
};

static void set_up(struct fixture *fixture)
{
    struct error error = ERROR_INIT;

    *fixture = (struct fixture){.docker = {.engine_timeout = 10}};
    assert_int_equal(job_script_open(&fixture->script, &error), 0);
    fixture->instance = job_instance_of_script(&fixture->docker, 2, &fixture->script);
    limits_init(&fixture->limits);
    fixture->limits.number[LIMIT_MEMORY] = 0;
    fixture->limits.number[LIMIT_TIMEOUT] = 7;
    fixture->limits.number[LIMIT_CPU_TIME] = INFINITY;
    strvec_push(&fixture->command, "cat");
    fixture->request = (struct program_request){.spec.command = &fixture->command,
                                                .spec.environment = &fixture->environment,
                                                .spec.limits = &fixture->limits,
                                                .spec.output_kept = 1001,
                                                .archive = -1,
                                                .spec.input = -1};
}

static void tear_down(struct fixture *fixture)
{
    instance_free(fixture->instance);
    job_script_release(&fixture->script);
    strvec_release(&fixture->command);
    strvec_release(&fixture->environment);
}

/* Reads the script: "TYPE*COUNT BYTES;", and the last RUN and DETACH. */
static void check_frames(struct fixture *fixture, const char *expected, struct frame_run *run,
                         struct frame_detach *detach)
{
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT, seen = STRBUF_INIT;
    size_t at = 0, bytes = 0;
    int count = 0, last = 0;

    assert_int_equal(fixture->script.error, 0);
    lseek(fixture->script.file, 0, SEEK_SET);
    text = read_all(fixture->script.file);
    while (at < text.length) {
        enum frame_type type;
        const long length = frame_header_read((unsigned char *)text.data + at, &type);

        assert_true(length >= 0);
        if ((int)type != last && count > 0)
            strbuf_addf(&seen, "%d*%d %zu;", last, count, bytes);
        if ((int)type != last)
            bytes = 0, count = 0;
        last = (int)type;
        count++;
        bytes += (size_t)length;
        if (type == FRAME_RUN)
            memcpy(run, text.data + at + FRAME_HEADER, sizeof *run);
        if (type == FRAME_DETACH)
            memcpy(detach, text.data + at + FRAME_HEADER, sizeof *detach);
        at += FRAME_HEADER + (size_t)length;
    }
    strbuf_addf(&seen, "%d*%d %zu;", last, count, bytes);
    assert_string_equal(strbuf_string(&seen), expected);
}

static void send(struct fixture *fixture)
{
    struct instance *instance = fixture->instance;

    instance_send(instance, &fixture->request);
    assert_int_equal(instance_pump(instance, INSTANCE_BEGUN, 0, NULL), PROCESS_PAUSED);
    assert_int_equal(instance_pump(instance, INSTANCE_ENDED, 0, NULL), PROCESS_PAUSED);
    assert_true(instance->link.has_end);
    assert_int_equal(instance->link.end.status, 0);
}

/* Its standard input is longer than what may be on its way to a program. */
CASE_WITH(job_script__a_program_with_files, set_up(fixture))
{
    const struct container_limits lower = {.memory_mb = 100, .cpus = 0.5, .pids = 64};
    static char input[3 * FRAME_STDIN_WINDOW];
    struct frame_run run = {.flags = 99};
    struct frame_detach detach;

    memset(input, 'i', sizeof input);
    fixture->request.archive = linux_unnamed_file_of("archive", 7);
    fixture->request.spec.input = linux_unnamed_file_of(input, sizeof input);
    assert_int_equal(instance_set_limits(fixture->instance, &lower, 0, NULL, NULL), 0);
    send(fixture);
    instance_collect(fixture->instance, 10, 20);
    assert_int_equal(instance_pump(fixture->instance, INSTANCE_FILES, 0, NULL), PROCESS_PAUSED);
    check_frames(fixture, "26*1 32;1*1 3;3*1 7;4*1 88;5*6 196608;6*1 0;9*1 16;", &run, &detach);
    assert_int_equal(run.late_ms, 7000);
    assert_int_equal(run.timer_ms, 307000);
    assert_int_equal(run.head_max, 500);
    assert_int_equal(run.tail_max, 501);
    assert_int_equal(run.flags, 0);
    assert_int_equal(detach.memory_max, 102 << 20); /* with the extra memory */
    assert_int_equal(detach.cpu_max_us, 500000);
    assert_int_equal(detach.pids_max, 64);
    assert_int_equal(detach.max_ms, 12000);
    close(fixture->request.archive);
    close(fixture->request.spec.input);
}

/* More of stdout is needed if it is compared, and the rest depends on success. */
CASE_WITH(job_script__what_a_program_writes, set_up(fixture))
{
    struct frame_run run;
    struct frame_detach detach;
    unsigned long long before;

    before = job_script_log_max(&fixture->script);
    fixture->request.spec.output_compared = 1000000;
    fixture->request.spec.must_succeed = true;
    send(fixture);
    check_frames(fixture, "1*1 3;4*1 88;6*1 0;", &run, &detach);
    assert_int_equal(run.head_max, 2065536);
    assert_int_equal(run.tail_max, 501);
    assert_int_equal(run.flags, FRAME_RUN_MUST_SUCCEED | FRAME_RUN_STDIN_FILE);
    assert_true(job_script_log_max(&fixture->script) > before + 4 * 2065536 / 3);
    before = job_script_log_max(&fixture->script);
    instance_collect(fixture->instance, 10, 1 << 20);
    assert_true(job_script_log_max(&fixture->script) > before + (4 << 20) / 3);
}
