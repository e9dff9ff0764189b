#include "test.h"

#include <signal.h>

#include "base/clock.h"
#include "base/linux.h"
#include "docker/container.h"
#include "docker/engine_memory.h"

/* Long enough for the slowest machine; no test waits that long. */
enum { LATE_MS = 60000, ENGINE_TIMEOUT = 600 };

/*
 * A docker command that is a script. It appends each call to the file "calls", as a line with a bar
 * before each argument, and then does what the test needs.
 */
struct fixture {
    char *directory;
    char *command;
    struct docker docker;
    struct error error;
};

static void set_up(struct fixture *fixture, const char *script)
{
    CLEANUP_FREE char *body = string_format("{ printf '|%%s' \"$@\"; echo; } >>calls\n%s", script);

    *fixture = (struct fixture){.directory = temp_create()};
    fixture->command = script_in(fixture->directory, "docker", body);
    fixture->docker.command = fixture->command;
    fixture->docker.engine_timeout = ENGINE_TIMEOUT;
}

static void check_calls(const struct fixture *fixture, const char *expected)
{
    CLEANUP_FREE char *calls = read_in(fixture->directory, "calls");

    assert_string_equal(calls, expected);
}

static void tear_down(struct fixture *fixture)
{
    error_release(&fixture->error);
    free(fixture->command);
    temp_remove(fixture->directory);
}

static long long soon(void)
{
    return clock_now_ms() + LATE_MS;
}

/* ---- create */

struct creation {
    struct container_spec spec;
    struct strvec cap_drop, labels, command, warnings;
    struct notifier cancel;
    long long deadline;
    enum creation_end end;
};

static void prepare(struct creation *creation)
{
    *creation =
        (struct creation){.cancel = NOTIFIER_INIT, .deadline = soon(), .end = CREATION_CUT_OFF};
    creation->spec = (struct container_spec){
        .name = "box",
        .image = "image:1",
        .network = "none",
        .uid = 65534,
        .gid = 65533,
        .limits = {256, 0.5, 64},
        .cap_drop = &creation->cap_drop,
        .labels = &creation->labels,
        .command = &creation->command,
    };
    strvec_push(&creation->command, "/bin/sh");
}

static int create(struct fixture *fixture, struct creation *creation)
{
    return container_create(&fixture->docker, &creation->spec, creation->deadline,
                            creation->cancel.fd < 0 ? NULL : &creation->cancel, &creation->warnings,
                            &creation->end, &fixture->error);
}

static void discard(struct creation *creation)
{
    strvec_release(&creation->cap_drop);
    strvec_release(&creation->labels);
    strvec_release(&creation->command);
    strvec_release(&creation->warnings);
    notifier_release(&creation->cancel);
}

/* docker would set them from its configuration. */
#define NO_PROXIES                                                                                 \
    "|--env=HTTP_PROXY=|--env=http_proxy=|--env=HTTPS_PROXY=|--env=https_proxy="                   \
    "|--env=FTP_PROXY=|--env=ftp_proxy=|--env=NO_PROXY=|--env=no_proxy="                           \
    "|--env=ALL_PROXY=|--env=all_proxy="

#define SHARED_MEMORY "|/dev/shm:rw,noexec,nosuid,nodev,size=64m,nr_inodes=32768,mode=1777"
#define NO_METRICS    "|--sysctl=net.ipv4.tcp_no_metrics_save=1"

CASE_WITH(container__create_from_a_minimal_spec, set_up(fixture, "echo id"))
{
    struct creation creation;

    prepare(&creation);
    assert_int_equal(create(fixture, &creation), 0);
    assert_no_error(&fixture->error);
    assert_int_equal(creation.end, CREATION_ENDED);
    assert_int_equal(creation.warnings.count, 0);
    check_calls(fixture,
                "|create|--name|box|--pull|never|--security-opt|no-new-privileges"
                "|--ulimit|core=0|--ulimit|nofile=1024:1024|--ipc|private|--cgroupns|private"
                "|--hostname|sandbox|--log-driver|none|--tmpfs" SHARED_MEMORY "|--no-healthcheck"
                "|--user=65534:65533|--memory=256m|--memory-swap=256m|--cpus=0.500"
                "|--pids-limit=64|--network=none|--sysctl=net.ipv4.tcp_max_tw_buckets=0" NO_METRICS
                "|--read-only=false" NO_PROXIES "|--entrypoint||--|image:1|/bin/sh\n");
    discard(&creation);
}

CASE_WITH(container__create_without_limits, set_up(fixture, "echo id"))
{
    struct creation creation;

    prepare(&creation);
    creation.spec.limits = (struct container_limits){.memory_mb = 0};
    assert_int_equal(create(fixture, &creation), 0);
    check_calls(fixture,
                "|create|--name|box|--pull|never|--security-opt|no-new-privileges"
                "|--ulimit|core=0|--ulimit|nofile=1024:1024|--ipc|private|--cgroupns|private"
                "|--hostname|sandbox|--log-driver|none|--tmpfs" SHARED_MEMORY "|--no-healthcheck"
                "|--user=65534:65533|--memory=0m|--cpus=0.000|--pids-limit=0|--network=none"
                "|--sysctl=net.ipv4.tcp_max_tw_buckets=0" NO_METRICS "|--read-only=false" NO_PROXIES
                "|--entrypoint||--|image:1|/bin/sh\n");
    discard(&creation);
}

CASE_WITH(container__create_from_a_full_spec, set_up(fixture, ""))
{
    struct creation creation;

    prepare(&creation);
    creation.spec.workdir = "/work dir";
    creation.spec.volume = "/volume";
    creation.spec.volumes_from = "other";
    creation.spec.limits.cpus = 1.2345;
    creation.spec.read_only = creation.spec.auto_remove = creation.spec.lifeline = true;
    creation.spec.tmpfs[0] = (struct container_tmpfs){"/tmp", 32};
    creation.spec.tmpfs[1] = (struct container_tmpfs){"/workspace", 64};
    strvec_push_each(&creation.cap_drop, "NET_RAW", "MKNOD", NULL);
    strvec_push_each(&creation.labels, "isolator.pid=1", "isolator.host=a b", NULL);
    strvec_push_each(&creation.command, "-c", "two\nlines; $x", "", "--rm", NULL);
    assert_int_equal(create(fixture, &creation), 0);
    check_calls(
        fixture,
        "|create|--name|box|--rm|--interactive|--pull|never"
        "|--security-opt|no-new-privileges"
        "|--ulimit|core=0|--ulimit|nofile=1024:1024|--ipc|private|--cgroupns|private"
        "|--hostname|sandbox|--log-driver|none|--tmpfs" SHARED_MEMORY "|--no-healthcheck"
        "|--user=65534:65533|--memory=256m|--memory-swap=256m|--cpus=1.234"
        "|--pids-limit=64|--network=none|--sysctl=net.ipv4.tcp_max_tw_buckets=0" NO_METRICS
        "|--read-only=true"
        "|--cap-drop=NET_RAW|--cap-drop=MKNOD"
        "|--tmpfs|/tmp:rw,exec,nosuid,nodev,size=32m,nr_inodes=16384,uid=65534,gid=65533,mode=0700"
        "|--tmpfs|/"
        "workspace:rw,exec,nosuid,nodev,size=64m,nr_inodes=32768,uid=65534,gid=65533,mode=0700"
        "|--mount|type=volume,destination=/volume|--volumes-from=other"
        "|--label|isolator.pid=1|--label|isolator.host=a b" NO_PROXIES "|--workdir|/work dir"
        "|--entrypoint||--|image:1|/bin/sh|-c|two\nlines; $x||--rm\n");
    discard(&creation);
}

/* What it has to be told that Docker need not. */
CASE_WITH(container__create_with_podman, set_up(fixture, ""))
{
    CLEANUP_FREE char *calls = NULL;
    struct creation creation;

    prepare(&creation);
    fixture->docker.kind = ENGINE_PODMAN;
    creation.spec.log_max = 10240;
    creation.spec.tmpfs[0] = (struct container_tmpfs){"/tmp", 32};
    assert_int_equal(create(fixture, &creation), 0);
    calls = read_in(fixture->directory, "calls");
    assert_non_null(strstr(calls, "|--log-driver|k8s-file|--log-opt|max-size=11k"
                                  "|--tmpfs"
                                  "|/dev/shm:rw,noexec,nosuid,nodev,size=64m,notmpcopyup,mode=1777"
                                  "|--read-only-tmpfs=false|--systemd=false"
                                  "|--unsetenv=container|--unsetenv=TERM|--ulimit|nproc="));
    assert_non_null(strstr(calls, "|--security-opt|seccomp=/dev/fd/3|"));
    assert_non_null(
        strstr(calls, "|--tmpfs|/tmp:rw,exec,nosuid,nodev,size=32m,U,notmpcopyup,mode=0700|"));
    discard(&creation);
}

/* Its profile is a file of this machine alone. */
CASE_WITH(container__create_with_a_podman_of_another_machine, set_up(fixture, ""))
{
    struct creation creation;

    prepare(&creation);
    fixture->docker.kind = ENGINE_PODMAN;
    write_in(fixture->directory, "calls", "");
    setenv("CONTAINER_HOST", "unix:///run/podman.sock", 1);
    assert_int_equal(create(fixture, &creation), -1);
    unsetenv("CONTAINER_HOST");
    assert_error(&fixture->error, ERROR_ENGINE,
                 "the podman of CONTAINER_HOST cannot be used, since it takes its seccomp profile "
                 "from a file that only this machine has; unset CONTAINER_HOST");
    check_calls(fixture, "");
    discard(&creation);
}

/* Docker has an option for it, and podman one that comes before the sub-command. */
CASE(container__create_with_an_oci_runtime)
{
    static const struct {
        enum engine_kind kind;
        const char *start;
    } cases[] = {{ENGINE_DOCKER, "|create|--runtime|runsc|--name|box|"},
                 {ENGINE_PODMAN, "|--runtime|runsc|create|--name|box|"}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fixture fixture;
        struct creation creation;
        CLEANUP_FREE char *calls = NULL;

        set_up(&fixture, "");
        prepare(&creation);
        fixture.docker.kind = cases[i].kind;
        creation.spec.oci_runtime = "runsc";
        assert_int_equal(create(&fixture, &creation), 0);
        calls = read_in(fixture.directory, "calls");
        if (strncmp(calls, cases[i].start, strlen(cases[i].start)) != 0)
            fail_msg("'%s' does not begin with '%s'", calls, cases[i].start);
        discard(&creation);
        tear_down(&fixture);
    }
}

/* The log of a job is on the engine's disk, bounded, in one file of lines as they were written. */
CASE(container__create_with_a_log)
{
    static const struct {
        unsigned long long max;
        const char *options;
    } cases[] = {
        {0, "|--log-driver|none|--tmpfs|"},
        {1, "|--log-driver|local|--log-opt|max-file=1|--log-opt|compress=false"
            "|--log-opt|max-size=1k|--tmpfs|"},
        {1024, "|--log-opt|max-size=2k|--tmpfs|"},
        {71458752, "|--log-opt|max-size=69784k|--tmpfs|"},
        {10000000000, "|--log-opt|max-size=9765626k|--tmpfs|"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fixture fixture;
        struct creation creation;
        CLEANUP_FREE char *calls = NULL;

        set_up(&fixture, "");
        prepare(&creation);
        creation.spec.log_max = cases[i].max;
        assert_int_equal(create(&fixture, &creation), 0);
        calls = read_in(fixture.directory, "calls");
        if (!strstr(calls, cases[i].options))
            fail_msg("'%s' is not in '%s'", cases[i].options, calls);
        discard(&creation);
        tear_down(&fixture);
    }
}

/* A container with a log, or of an OCI runtime, is no container without one. */
CASE(container__fingerprint_of_a_log_and_a_runtime)
{
    struct spec_fingerprint none, log, runtime;
    struct creation creation;

    prepare(&creation);
    none = container_fingerprint(&creation.spec);
    creation.spec.log_max = 1;
    log = container_fingerprint(&creation.spec);
    creation.spec.oci_runtime = "runsc";
    runtime = container_fingerprint(&creation.spec);
    assert_false(spec_fingerprint_equal(&none, &log));
    assert_false(spec_fingerprint_equal(&log, &runtime));
    discard(&creation);
}

/* A container with a network may need its proxies. */
CASE_WITH(container__create_with_a_network, set_up(fixture, ""))
{
    struct creation creation;
    CLEANUP_FREE char *calls = NULL;

    prepare(&creation);
    creation.spec.network = "bridge";
    assert_int_equal(create(fixture, &creation), 0);
    calls = read_in(fixture->directory, "calls");
    assert_non_null(strstr(calls, "|--network=bridge|"));
    assert_null(strstr(calls, "|--env"));
    discard(&creation);
}

CASE_WITH(container__create_with_a_network_without_proxies, set_up(fixture, ""))
{
    struct creation creation;
    CLEANUP_FREE char *calls = NULL;

    prepare(&creation);
    creation.spec.network = "bridge";
    creation.spec.without_proxies = true;
    assert_int_equal(create(fixture, &creation), 0);
    calls = read_in(fixture->directory, "calls");
    assert_non_null(strstr(calls, "|--network=bridge|"));
    assert_non_null(strstr(calls, NO_PROXIES));
    discard(&creation);
}

/* They come after the variables of proxies, and may be some. */
CASE_WITH(container__create_with_variables, set_up(fixture, ""))
{
    CLEANUP(strvec_release) struct strvec variables = STRVEC_INIT;
    struct creation creation;
    struct spec_fingerprint without, with;
    CLEANUP_FREE char *calls = NULL;

    prepare(&creation);
    without = container_fingerprint(&creation.spec);
    strvec_push_each(&variables, "A=x \"y\" $z ", "no_proxy=b", NULL);
    creation.spec.environment = &variables;
    with = container_fingerprint(&creation.spec);
    assert_false(spec_fingerprint_equal(&without, &with));
    assert_int_equal(create(fixture, &creation), 0);
    calls = read_in(fixture->directory, "calls");
    assert_non_null(strstr(calls, NO_PROXIES "|--env=A=x \"y\" $z |--env=no_proxy=b|"));
    discard(&creation);
}

CASE_WITH(container__create_collects_warnings,
          set_up(fixture, "printf 'WARNING: one\\r\\n\\n\\033[1mtwo\\nlast' >&2; echo id"))
{
    struct creation creation;
    CLEANUP_FREE char *joined = NULL;

    prepare(&creation);
    strvec_push(&creation.warnings, "earlier");
    assert_int_equal(create(fixture, &creation), 0);
    joined = strvec_join(&creation.warnings, "|");
    assert_string_equal(joined, "earlier|WARNING: one|\\x1b[1mtwo|last");
    discard(&creation);
}

CASE_WITH(container__create_fails_with_an_explanation,
          set_up(fixture, "case $1 in create) echo 'docker: no such network' >&2; exit 125;; esac"))
{
    struct creation creation;

    prepare(&creation);
    assert_int_equal(create(fixture, &creation), -1);
    assert_error(&fixture->error, ERROR_ENGINE,
                 "cannot create a container: docker: no such network");
    assert_int_equal(creation.end, CREATION_ENDED);
    assert_int_equal(creation.warnings.count, 0);
    discard(&creation);
}

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* A question about the image that fails is not the answer that it is missing. */
CASE(container__create_with_an_image_that_is_listed)
{
    static const char *const lists[] = {"echo " ID " image:1 image@none", "echo image:2", "exit 1"};

    for (size_t i = 0; i < COUNT(lists); i++) {
        CLEANUP_FREE char *script = string_format(
            "case \"$1 $2\" in 'image ls') %s;; create* | image*) exit 1;; esac", lists[i]);
        struct fixture fixture;
        struct creation creation;

        set_up(&fixture, script);
        prepare(&creation);
        assert_int_equal(create(&fixture, &creation), -1);
        assert_error(&fixture.error, ERROR_ENGINE,
                     "cannot create a container: 'docker create' ended with status 1");
        discard(&creation);
        tear_down(&fixture);
    }
}

CASE_WITH(container__create_without_the_image,
          set_up(fixture, "case \"$1 $2\" in 'image ls') echo " ID
                          " image:2 image@sha256:1;; create* | image*) "
                          "exit 1;; esac"))
{
    struct creation creation;
    CLEANUP_FREE char *message = NULL;

    prepare(&creation);
    message = string_format("image 'image:1' is not on the engine; run: %s pull image:1",
                            fixture->command);
    assert_int_equal(create(fixture, &creation), -1);
    assert_error(&fixture->error, ERROR_IMAGE, message);
    assert_int_equal(creation.end, CREATION_ENDED);
    discard(&creation);
}

CASE_WITH(container__create_without_docker_is_not_cut_off, set_up(fixture, ""))
{
    struct creation creation;

    unlink(fixture->command);
    prepare(&creation);
    assert_int_equal(create(fixture, &creation), -1);
    assert_int_equal(fixture->error.kind, ERROR_ENGINE);
    assert_int_equal(creation.end, CREATION_ENDED);
    discard(&creation);
}

CASE_WITH(container__create_is_cut_off_at_its_deadline, set_up(fixture, "exec sleep 30"))
{
    struct creation creation;

    prepare(&creation);
    creation.deadline = clock_now_ms() + 100;
    assert_int_equal(create(fixture, &creation), -1);
    assert_int_equal(fixture->error.kind, ERROR_ENGINE);
    assert_int_equal(creation.end, CREATION_CUT_OFF);
    discard(&creation);
}

/* It is not waited for until its deadline, which is a minute away. */
CASE(container__create_on_an_engine_that_does_not_answer)
{
    static const char *const scripts[] = {"case $1 in context) exit 1;; esac; exec sleep 30",
                                          "case $1 in create) exec sleep 30;; esac; exit 1"};

    for (size_t i = 0; i < 2; i++) {
        struct fixture fixture;
        struct creation creation;

        set_up(&fixture, scripts[i]);
        fixture.docker.engine_timeout = 1;
        prepare(&creation);
        assert_int_equal(create(&fixture, &creation), -1);
        assert_int_equal(fixture.error.kind, ERROR_ENGINE);
        assert_non_null(strstr(fixture.error.message, ": it did not answer in time"));
        assert_int_equal(creation.end, CREATION_UNANSWERED);
        assert_true(clock_now_ms() < creation.deadline);
        discard(&creation);
        tear_down(&fixture);
    }
}

/* It does not answer the question in time, and still ends the creation. */
CASE_WITH(container__create_on_an_engine_that_is_slow,
          set_up(fixture, "case $1 in create) sleep 1.5;; *) exec sleep 30;; esac"))
{
    struct creation creation;
    CLEANUP_FREE char *calls = NULL;

    fixture->docker.engine_timeout = 4;
    prepare(&creation);
    assert_int_equal(create(fixture, &creation), 0);
    assert_no_error(&fixture->error);
    assert_int_equal(creation.end, CREATION_ENDED);
    calls = read_in(fixture->directory, "calls");
    assert_non_null(strstr(calls, "|version|--format|{{.Server.Version}}\n"));
    discard(&creation);
}

CASE_WITH(container__create_is_cut_off_by_a_signal,
          set_up(fixture, "case $1 in create) kill -KILL $$;; esac"))
{
    struct creation creation;

    prepare(&creation);
    assert_int_equal(create(fixture, &creation), -1);
    assert_int_equal(fixture->error.kind, ERROR_ENGINE);
    assert_int_equal(creation.end, CREATION_CUT_OFF);
    discard(&creation);
}

CASE_WITH(container__cancelled_create_ends_by_itself, set_up(fixture, "sleep 0.1; echo done >done"))
{
    struct creation creation;

    prepare(&creation);
    assert_int_equal(notifier_open(&creation.cancel, &fixture->error), 0);
    notifier_raise(&creation.cancel);
    assert_int_equal(create(fixture, &creation), 0);
    assert_no_error(&fixture->error);
    assert_int_equal(creation.end, CREATION_ENDED);
    CLEANUP_FREE char *done = read_in(fixture->directory, "done");
    assert_string_equal(done, "done\n");
    discard(&creation);
}

/* ---- copy, start, commit */

CASE(container__copies_a_tar_file_in)
{
    CLEANUP_FD int file = linux_unnamed_file();
    struct fixture fixture;
    CLEANUP_FREE char *stdin_text = NULL;

    assert_int_equal(write(file, "tar", 3), 3);
    set_up(&fixture, "cat >stdin");
    assert_int_equal(container_copy_in(&fixture.docker, "box", "/work", "the files", file, soon(),
                                       NULL, &fixture.error),
                     0);
    check_calls(&fixture, "|cp|-|box:/work\n");
    stdin_text = read_in(fixture.directory, "stdin");
    assert_string_equal(stdin_text, "tar");
    tear_down(&fixture);
}

CASE_WITH(container__copy_that_fails, set_up(fixture, "echo 'no space' >&2; exit 1"))
{
    CLEANUP_FD int file = linux_unnamed_file();

    assert_int_equal(container_copy_in(&fixture->docker, "box", "/work", "the files", file, soon(),
                                       NULL, &fixture->error),
                     -1);
    assert_error(&fixture->error, ERROR_ENGINE,
                 "cannot copy the files into the container: no space");
}

CASE_WITH(container__starts_attached, set_up(fixture, "cat >stdin; exit 42"))
{
    const struct process_options streams = {.stdin_kind = PROCESS_STDIN_PIPE};
    struct process_pump pump = PROCESS_PUMP_INIT;
    struct process process = PROCESS_INIT;
    CLEANUP_FREE char *stdin_text = NULL;

    assert_int_equal(container_start(&fixture->docker, "box", &streams, &process, &fixture->error),
                     0);
    process_write(&process, "input", 5);
    do {
        pump.deadline = clock_now_ms() + 200;
        assert_int_equal(process_pump(&process, &pump), PROCESS_DEADLINE);
    } while (process.queue.length > 0);
    process_close_stdin(&process);
    pump.deadline = soon();
    assert_int_equal(process_pump(&process, &pump), PROCESS_EXITED);
    assert_int_equal(process.status, 42);
    process_release(&process);
    check_calls(fixture, "|start|--attach|--interactive|box\n");
    stdin_text = read_in(fixture->directory, "stdin");
    assert_string_equal(stdin_text, "input");
}

/* Without a pipe for stdin the container is not told to have one. */
CASE_WITH(container__starts_without_stdin, set_up(fixture, "cat >stdin; exit 42"))
{
    const struct process_options streams = {.stdin_kind = PROCESS_STDIN_NULL};
    struct process_pump pump = PROCESS_PUMP_INIT;
    struct process process = PROCESS_INIT;

    assert_int_equal(container_start(&fixture->docker, "box", &streams, &process, &fixture->error),
                     0);
    pump.deadline = soon();
    assert_int_equal(process_pump(&process, &pump), PROCESS_EXITED);
    assert_int_equal(process.status, 42);
    process_release(&process);
    check_calls(fixture, "|start|--attach|box\n");
}

/* ---- logs and wait */

static bool note_output(void *context, enum process_stream stream, const char *data, size_t length)
{
    strbuf_addf(context, "%d %.*s;", (int)stream, (int)length, data);
    return true;
}

CASE(container__logs)
{
    CLEANUP(strbuf_release) struct strbuf output = STRBUF_INIT;
    CLEANUP_FREE char *expected =
        string_format("%d line\n;%d warning\n;", (int)PROCESS_STDOUT, (int)PROCESS_STDERR);
    struct process_pump pump = PROCESS_PUMP_INIT;
    struct process process = PROCESS_INIT;
    struct fixture fixture;

    set_up(&fixture, "read -r nothing && exit 3; echo line; sleep 0.2; echo warning >&2; exit 1");
    assert_int_equal(container_logs(&fixture.docker, "box", true, &process, &fixture.error), 0);
    pump.sink = note_output;
    pump.context = &output;
    pump.deadline = soon();
    assert_int_equal(process_pump(&process, &pump), PROCESS_EXITED);
    assert_int_equal(process.status, 1);
    process_release(&process);
    assert_string_equal(strbuf_string(&output), expected);
    check_calls(&fixture, "|logs|--follow|box\n");
    tear_down(&fixture);

    set_up(&fixture, "");
    unlink(fixture.command);
    assert_int_equal(container_logs(&fixture.docker, "box", false, &process, &fixture.error), -1);
    assert_int_equal(fixture.error.kind, ERROR_ENGINE);
    process_release(&process);
    tear_down(&fixture);
}

/* The status that it prints is that of the supervisor, and says nothing. */
CASE(container__waits)
{
    struct fixture fixture;

    set_up(&fixture, "echo 137");
    assert_int_equal(container_wait(&fixture.docker, "box", soon(), NULL, &fixture.error), 0);
    assert_int_equal(container_wait(&fixture.docker, "box", 0, NULL, &fixture.error), 0);
    assert_no_error(&fixture.error);
    check_calls(&fixture, "|wait|box\n|wait|box\n");
    tear_down(&fixture);

    set_up(&fixture, "echo 'no such container: box' >&2; exit 1");
    assert_int_equal(container_wait(&fixture.docker, "box", 0, NULL, &fixture.error), -1);
    assert_error(&fixture.error, ERROR_ENGINE,
                 "cannot wait for the container: no such container: box");
    tear_down(&fixture);
}

CASE_WITH(container__wait_that_does_not_end, set_up(fixture, "exec sleep 30"))
{
    struct notifier cancel = NOTIFIER_INIT;

    assert_int_equal(
        container_wait(&fixture->docker, "box", clock_now_ms() + 100, NULL, &fixture->error), -1);
    assert_int_equal(fixture->error.kind, ERROR_ENGINE);
    error_release(&fixture->error);
    assert_int_equal(notifier_open(&cancel, &fixture->error), 0);
    notifier_raise(&cancel);
    assert_int_equal(container_wait(&fixture->docker, "box", 0, &cancel, &fixture->error), -1);
    assert_int_equal(fixture->error.kind, ERROR_CANCELLED);
    notifier_release(&cancel);
}

/* The options are those of create. */
CASE_WITH(container__runs_attached, set_up(fixture, "read -r line; exit \"$line\""))
{
    const struct process_options streams = {.stdin_kind = PROCESS_STDIN_PIPE};
    struct process_pump pump = PROCESS_PUMP_INIT;
    struct process process = PROCESS_INIT;
    struct creation creation;

    prepare(&creation);
    creation.spec.auto_remove = creation.spec.lifeline = true;
    assert_int_equal(
        container_run(&fixture->docker, &creation.spec, &streams, &process, &fixture->error), 0);
    process_write(&process, "42\n", 3);
    pump.deadline = soon();
    assert_int_equal(process_pump(&process, &pump), PROCESS_EXITED);
    assert_int_equal(process.status, 42);
    process_release(&process);
    check_calls(fixture,
                "|run|--name|box|--rm|--interactive|--pull|never"
                "|--security-opt|no-new-privileges"
                "|--ulimit|core=0|--ulimit|nofile=1024:1024|--ipc|private|--cgroupns|private"
                "|--hostname|sandbox|--log-driver|none|--tmpfs" SHARED_MEMORY "|--no-healthcheck"
                "|--user=65534:65533|--memory=256m|--memory-swap=256m|--cpus=0.500"
                "|--pids-limit=64|--network=none|--sysctl=net.ipv4.tcp_max_tw_buckets=0" NO_METRICS
                "|--read-only=false" NO_PROXIES "|--entrypoint||--|image:1|/bin/sh\n");
    discard(&creation);
}

CASE(container__commits_with_changes)
{
    CLEANUP(strvec_release) struct strvec changes = STRVEC_INIT;
    struct fixture fixture;

    set_up(&fixture, "");
    strvec_push_each(&changes, "WORKDIR /w", "CMD [\"a b\"]", NULL);
    assert_int_equal(container_commit(&fixture.docker, "box", "name:tag", &changes, soon(), NULL,
                                      &fixture.error),
                     0);
    check_calls(&fixture, "|commit|--change|WORKDIR /w|--change|CMD [\"a b\"]|--|box|name:tag\n");
    tear_down(&fixture);

    set_up(&fixture, "echo 'invalid reference' >&2; exit 1");
    assert_int_equal(container_commit(&fixture.docker, "box", "name:tag", &changes, soon(), NULL,
                                      &fixture.error),
                     -1);
    assert_error(&fixture.error, ERROR_ENGINE, "cannot save the image: invalid reference");
    tear_down(&fixture);
}

/* ---- inspect */

static int inspect(struct fixture *fixture, const char *output, struct container_state *seen)
{
    memset(seen, 0x55, sizeof *seen);
    set_up(fixture, "cat output");
    write_in(fixture->directory, "output", output);
    return container_inspect(&fixture->docker, "box", soon(), seen, &fixture->error);
}

static void check_state(const char *output, const struct container_state *expected)
{
    struct fixture fixture;
    struct container_state seen;
    const int result = inspect(&fixture, output, &seen);

    assert_no_error(&fixture.error);
    assert_int_equal(result, 0);
    assert_int_equal(seen.started, expected->started);
    assert_int_equal(seen.ended, expected->ended);
    assert_int_equal(seen.oom_killed, expected->oom_killed);
    assert_int_equal(seen.exit_code, expected->exit_code);
    assert_int_equal(seen.oom_killed, expected->oom_killed);
    assert_string_equal(seen.message, expected->message);
    tear_down(&fixture);
}

#define NEVER "\"0001-01-01T00:00:00Z\""

CASE(container__inspects)
{
    struct fixture fixture;
    struct container_state seen;

    check_state("0 false \"2026-11-21T07:02:12.836341566Z\" \"2026-11-21T07:02:13.1Z\" \n",
                &(struct container_state){.started = true, .ended = true});
    check_state("137 true \"2026-11-21T07:02:12Z\" \"2026-11-21T07:02:12Z\" \n",
                &(struct container_state){
                    .started = true, .ended = true, .oom_killed = true, .exit_code = 137});
    check_state(
        "127 false " NEVER " " NEVER " exec: \"x\": not found: unknown\n",
        &(struct container_state){.exit_code = 127, .message = "exec: \"x\": not found: unknown"});
    check_state("0 false \"2026-11-21T07:02:12.8Z\" " NEVER " \n",
                &(struct container_state){.started = true});

    assert_int_equal(inspect(&fixture, "0 false " NEVER " " NEVER " ", &seen), 0);
    check_calls(&fixture, "|inspect|--type|container|--format"
                          "|{{.State.ExitCode}} {{.State.OOMKilled}} {{json .State.StartedAt}} "
                          "{{json .State.FinishedAt}} {{.State.Error}}|box\n");
    tear_down(&fixture);
}

CASE(container__inspects_a_long_message)
{
    char message[1000];
    CLEANUP_FREE char *output = NULL;
    struct fixture fixture;
    struct container_state seen;

    memset(message, 'm', sizeof message);
    message[999] = '\0';
    output = string_format("1 false " NEVER " " NEVER " %s\nsecond line", message);
    assert_int_equal(inspect(&fixture, output, &seen), 0);
    assert_int_equal(strlen(seen.message), 511);
    assert_int_equal(strspn(seen.message, "m"), 511);
    tear_down(&fixture);
}

CASE(container__inspects_garbage)
{
    static const char *const garbage[] = {"",
                                          "\n",
                                          "garbage",
                                          "0",
                                          "0 false",
                                          "0 false 2026-11-21T07:02:12Z\n",
                                          "x false y z",
                                          " ",
                                          "- false " NEVER " " NEVER,
                                          "0 " NEVER " " NEVER,
                                          "\xff\xfe\n",
                                          "{\"State\": null}"};

    for (size_t i = 0; i < COUNT(garbage); i++) {
        struct fixture fixture;
        struct container_state seen;

        if (inspect(&fixture, garbage[i], &seen) == 0)
            fail_msg("'%s' is taken for a state", garbage[i]);
        assert_int_equal(fixture.error.kind, ERROR_ENGINE);
        assert_memory_equal(fixture.error.message, "cannot inspect the container: ", 30);
        tear_down(&fixture);
    }
}

CASE(container__inspects_garbage_for_times)
{
    static const char *const times[] = {"then now",
                                        "2026-13-01T00:00:00Z 2026-00-01T00:00:00Z",
                                        "1969-12-31T23:59:59Z -",
                                        "2026-11-21 07:02:12",
                                        "99999999999999999999 -1",
                                        "0-0-0T0:0:0Z T",
                                        "2026-11-21T07:02 2026-11-21T",
                                        "-2026-11-21T07:02:12Z x"};

    for (size_t i = 0; i < COUNT(times); i++) {
        CLEANUP_FREE char *output = string_format("0 false %s \n", times[i]);
        struct fixture fixture;
        struct container_state seen;

        if (inspect(&fixture, output, &seen) == 0)
            fail_msg("'%s' is taken for times", times[i]);
        tear_down(&fixture);
    }
}

/* scanf reads these as numbers, which do not fit into a long long. */
CASE(container__inspects_garbage_for_seconds)
{
    static const char *const seconds[] = {"nan", "inf", "1e300", "-1e300"};

    for (size_t i = 0; i < COUNT(seconds); i++) {
        CLEANUP_FREE char *output =
            string_format("0 false 2026-11-21T07:02:%s 2026-11-21T07:02:12Z \n", seconds[i]);
        struct fixture fixture;
        struct container_state seen;

        if (inspect(&fixture, output, &seen) == 0)
            fail_msg("'%s' are taken for seconds", seconds[i]);
        tear_down(&fixture);
    }
}

CASE(container__inspect_that_fails)
{
    struct fixture fixture;
    struct container_state seen;

    set_up(&fixture, "echo '0 false " NEVER " " NEVER "'; echo 'no such object: box' >&2; exit 1");
    assert_int_equal(container_inspect(&fixture.docker, "box", soon(), &seen, &fixture.error), -1);
    assert_error(&fixture.error, ERROR_ENGINE, "cannot inspect the container: no such object: box");
    tear_down(&fixture);

    set_up(&fixture, "exec sleep 30");
    assert_int_equal(
        container_inspect(&fixture.docker, "box", clock_now_ms() + 100, &seen, &fixture.error), -1);
    assert_int_equal(fixture.error.kind, ERROR_ENGINE);
    assert_memory_equal(fixture.error.message, "cannot inspect the container: '/", 32);
    tear_down(&fixture);
}

/* ---- events */

/* The attached docker command ended with 137, and the one for the events with `status`. */
static enum container_end end_of(const char *events, int status)
{
    struct fixture fixture;
    CLEANUP_FREE char *script = string_format(
        "[ $1 = events ] && [ $7 = container=box ] || exit 9\ncat output; exit %d", status);
    enum container_end end;

    set_up(&fixture, script);
    write_in(fixture.directory, "output", events);
    end = container_end_of(&fixture.docker, "box", 137, soon());
    tear_down(&fixture);
    return end;
}

#define BEGIN "create <no value>\nattach <no value>\nstart <no value>\n"

CASE(container__end)
{
    static const struct {
        const char *events;
        int status;
        enum container_end end;
    } cases[] = {
        {BEGIN "oom <no value>\ndie 137\ndestroy <no value>\n", 0, CONTAINER_KILLED_BY_KERNEL},
        {BEGIN "die 137\n", 0, CONTAINER_KILLED_BY_KERNEL},
        {BEGIN "kill <no value>\ndie 137\ndestroy <no value>\n", 0, CONTAINER_END_UNKNOWN},
        {BEGIN "oom <no value>\ndie 0\ndestroy <no value>\n", 0, CONTAINER_CONNECTION_LOST},
        {BEGIN, 0, CONTAINER_CONNECTION_LOST},
        {BEGIN "die <no value>\n", 0, CONTAINER_CONNECTION_LOST},
        {"", 0, CONTAINER_CONNECTION_LOST},
        {BEGIN "die 137\n", 1, CONTAINER_CONNECTION_LOST},
    };

    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(end_of(cases[i].events, cases[i].status), cases[i].end);
}

/* ---- limits */

#define READS_LIMITS                                                                               \
    "|inspect|--type|container|--format|{{.HostConfig.Memory}}/{{.HostConfig.MemorySwap}}/"        \
    "{{.HostConfig.PidsLimit}}/{{.HostConfig.NanoCpus}}|box\n"

/* The limits of a container with 64 MB, 1.5 cpus and 10 processes. */
static int check_limits(const char *script, struct error *error)
{
    const struct container_limits limits = {64, 1.5, 10};
    struct fixture fixture;
    int result;

    set_up(&fixture, script);
    result = container_check_limits(&fixture.docker, "box", &limits, soon(), NULL, error);
    check_calls(&fixture, READS_LIMITS);
    tear_down(&fixture);
    return result;
}

CASE(container__limits_that_are_enforced)
{
    struct error error = ERROR_INIT;

    assert_int_equal(check_limits("echo 67108864/67108864/10/1500000000", &error), 0);
    assert_no_error(&error);
}

CASE(container__limits_that_are_not_enforced)
{
    static const struct {
        const char *script, *missing;
    } cases[] = {
        {"echo 0/67108864/10/1500000000", "memory"},
        {"echo 67108864/-1/10/1500000000", "swap"},
        {"echo '67108864/67108864/<no value>/1500000000'", "processes"},
        {"echo 67108864/67108864/10/0", "cpus"},
        {"echo '0/-1/<nil>/0'", "memory, swap, processes, cpus"},
        {"echo", "memory, swap, processes, cpus"},
        {":", "memory, swap, processes, cpus"},
        {"echo 67108864/671088640/10/1500000000", "swap"},
        {"echo 67108864/67108864/10", "cpus"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct error error = ERROR_INIT;
        CLEANUP_FREE char *message = string_format(
            "the engine does not enforce the limit of %s, see the warnings", cases[i].missing);

        assert_int_equal(check_limits(cases[i].script, &error), 1);
        assert_error(&error, ERROR_ENGINE, message);
    }
}

CASE(container__limits_of_an_engine_that_fails)
{
    struct error error = ERROR_INIT;

    assert_int_equal(check_limits("echo no >&2; exit 1", &error), -1);
    assert_error(&error, ERROR_ENGINE, "cannot inspect the container: no");
}

CASE(container__limits_that_are_equal)
{
    const struct container_limits limits = {64, 0.3334, 10};

    assert_true(container_limits_equal(&limits, &limits));
    assert_true(container_limits_equal(&limits, &(struct container_limits){64, 0.333, 10}));
    assert_false(container_limits_equal(&limits, &(struct container_limits){64, 0.334, 10}));
    assert_false(container_limits_equal(&limits, &(struct container_limits){65, 0.333, 10}));
    assert_false(container_limits_equal(&limits, &(struct container_limits){64, 0.333, 11}));
}

#define UPDATES "|update|--memory=64m|--memory-swap=64m|--cpus=1.500|--pids-limit=10|box\n"

/* Changes limits to 64 MB, 1.5 cpus and 10 processes. */
static int update_limits(const char *script, long long deadline, const char *calls,
                         struct error *error)
{
    const struct container_limits limits = {64, 1.5, 10};
    struct fixture fixture;
    int result;

    set_up(&fixture, script);
    result = container_update_limits(&fixture.docker, "box", &limits, deadline, NULL, error);
    check_calls(&fixture, calls);
    tear_down(&fixture);
    return result;
}

CASE(container__changes_limits)
{
    struct error error = ERROR_INIT;

    assert_int_equal(update_limits("case $1 in update) echo box;;\n"
                                   "*) echo 67108864/67108864/10/1500000000;; esac",
                                   soon(), UPDATES READS_LIMITS, &error),
                     0);
    assert_no_error(&error);
}

/* Only a number of CPUs that can be is passed on, and a failure is nobody's. */
CASE(container__lifts_cpus)
{
    static const struct {
        const char *script, *calls;
    } cases[] = {
        {"echo 4", "|info|--format|{{.NCPU}}\n|update|--cpus=4|box\n"},
        {"[ $1 = info ] && echo 16 || exit 1", "|info|--format|{{.NCPU}}\n|update|--cpus=16|box\n"},
        {"exit 1", "|info|--format|{{.NCPU}}\n"},
        {"echo '<no value>'", "|info|--format|{{.NCPU}}\n"},
        {"echo -1", "|info|--format|{{.NCPU}}\n"},
        {"echo 99999999999999999999", "|info|--format|{{.NCPU}}\n"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fixture fixture;

        set_up(&fixture, cases[i].script);
        container_lift_cpus(&fixture.docker, "box", NULL, soon());
        check_calls(&fixture, cases[i].calls);
        tear_down(&fixture);
    }
}

/* When time is over, nothing is begun. */
CASE_WITH(container__lifts_cpus_in_time, set_up(fixture, "echo 4"))
{
    container_lift_cpus(&fixture->docker, "box", NULL, clock_now_ms());
    check_calls(fixture, "(none)");
}

CASE(container__change_of_limits_that_is_refused)
{
    struct error error = ERROR_INIT;

    assert_int_equal(
        update_limits("echo 'device or resource busy' >&2; exit 1", soon(), UPDATES, &error), -1);
    assert_error(&error, ERROR_ENGINE,
                 "cannot change the limits of the container: device or resource busy");
}

/* podman changes no limit of processes, does not show what it has changed, and kills at once. */
CASE_WITH(container__commands_of_podman, set_up(fixture, "echo 4"))
{
    const struct container_limits limits = {64, 1.5, 10};
    struct error error = ERROR_INIT;

    fixture->docker.kind = ENGINE_PODMAN;
    assert_int_equal(
        container_update_limits(&fixture->docker, "box", &limits, soon(), NULL, &error), 0);
    container_lift_cpus(&fixture->docker, "box", NULL, soon());
    assert_true(container_discard(&fixture->docker, "box", soon()));
    assert_int_equal(container_end_of(&fixture->docker, "box", 137, soon()), CONTAINER_END_UNKNOWN);
    check_calls(fixture, "|update|--memory=64m|--memory-swap=64m|--cpus=1.500|box\n"
                         "|info|--format|{{.Host.CPUs}}\n|update|--cpus=4|box\n"
                         "|rm|--force|--volumes|--time=0|box\n");
}

/* podman 5 wants to be told again that there is no health check. */
CASE(container__changes_limits_with_podman_5)
{
    const struct container_limits limits = {64, 1.5, 10};
    struct error error = ERROR_INIT;
    struct fixture fixture;

    set_up(&fixture, "[ $2 = --no-healthcheck ] || { echo too short >&2; exit 125; }\n"
                     "[ ! -e busy ] || { echo busy >&2; exit 125; }");
    fixture.docker.kind = ENGINE_PODMAN;
    assert_int_equal(container_update_limits(&fixture.docker, "box", &limits, soon(), NULL, &error),
                     0);
    check_calls(&fixture,
                "|update|--memory=64m|--memory-swap=64m|--cpus=1.500|box\n"
                "|update|--no-healthcheck|--memory=64m|--memory-swap=64m|--cpus=1.500|box\n");
    write_in(fixture.directory, "busy", "");
    assert_int_equal(container_update_limits(&fixture.docker, "box", &limits, soon(), NULL, &error),
                     -1);
    assert_error(&error, ERROR_ENGINE,
                 "cannot change the limits of the container: too short; "
                 "cannot change the limits of the container: busy");
    tear_down(&fixture);
}

/* gVisor changes no limit, nor does it have to if there are no more CPUs than the engine has. */
CASE(container__limits_with_gvisor)
{
    const struct container_limits program = {64, 0.5, 10}, other = {64, 0.5, 11},
                                  many_cpus = {64, 8, 10}, all_cpus = {64, 2, 10};
    struct engine_memory memory;
    const struct docker docker = {.kind = ENGINE_DOCKER, .memory = &memory};

    engine_memory_init(&memory);
    engine_memory_set_engine(&memory, ENGINE_USERS_ALL, 2);
    assert_true(container_limits_can_become(&docker, "runsc", &other, &program));
    engine_memory_set_runtime(&memory, "runsc", true);
    assert_false(container_limits_can_become(&docker, "runsc", &other, &program));
    assert_true(container_limits_can_become(&docker, "runsc", &program, &program));
    assert_true(container_limits_can_become(&docker, "runsc", &all_cpus, &many_cpus));
    assert_true(container_limits_can_become(&docker, NULL, &other, &program));
    engine_memory_release(&memory);
}

CASE(container__limits_that_can_be_changed)
{
    const struct container_limits program = {64, 0.5, 10}, build = {512, 2, 99},
                                  other = {128, 1, 10};
    const struct docker docker = {.kind = ENGINE_DOCKER}, podman = {.kind = ENGINE_PODMAN};

    assert_true(container_limits_can_become(&docker, NULL, &build, &program));
    assert_false(container_limits_can_become(&podman, NULL, &build, &program));
    assert_true(container_limits_can_become(&podman, NULL, &other, &program));
    assert_int_equal(container_limits_before(&docker, &build, &program).pids, 99);
    assert_int_equal(container_limits_before(&podman, &build, &program).pids, 10);
    assert_int_equal(container_limits_before(&podman, &build, &program).memory_mb, 512);
}

/* Its exit status does not tell: an engine may ignore a limit that its kernel does not have. */
CASE(container__change_of_limits_that_did_not_happen)
{
    struct error error = ERROR_INIT;

    assert_int_equal(update_limits("case $1 in inspect) echo 67108864/-1/64/1500000000;; esac",
                                   soon(), UPDATES READS_LIMITS, &error),
                     -1);
    assert_error(&error, ERROR_ENGINE, "the engine did not change the limit of swap, processes");
}

CASE(container__change_of_limits_that_cannot_be_checked)
{
    struct error error = ERROR_INIT;

    assert_int_equal(update_limits("case $1 in inspect) echo no >&2; exit 1;; esac", soon(),
                                   UPDATES READS_LIMITS, &error),
                     -1);
    assert_error(&error, ERROR_ENGINE, "cannot inspect the container: no");
}

CASE(container__change_of_limits_that_hangs)
{
    struct error error = ERROR_INIT;

    assert_int_equal(update_limits("exec sleep 30", clock_now_ms() + 500, UPDATES, &error), -1);
    assert_int_equal(error.kind, ERROR_ENGINE);
    assert_memory_equal(error.message, "cannot change the limits of the container: '/", 45);
    error_release(&error);
}

/* ---- remove */

static int remove_it(struct fixture *fixture, long long milliseconds)
{
    return container_remove(&fixture->docker, "box", NULL, clock_now_ms() + milliseconds, NULL,
                            &fixture->error);
}

#define REMOVES "|rm|--force|--volumes|box\n"
#define LISTS   "|ps|--all|--quiet|--filter|name=^/?box$\n"
#define KILLS   "|exec|box|/bin/sh|-c|kill -9 -1\n"

CASE_WITH(container__removes, set_up(fixture, ""))
{
    assert_int_equal(remove_it(fixture, LATE_MS), 0);
    check_calls(fixture, REMOVES);
}

/* The engine removes a container with --rm itself, and then refuses to remove it again. */
CASE_WITH(container__remove_of_one_that_is_gone,
          set_up(fixture, "case $1 in rm) echo 'no such container' >&2; exit 1;; esac"))
{
    assert_int_equal(remove_it(fixture, LATE_MS), 0);
    assert_no_error(&fixture->error);
    check_calls(fixture, REMOVES LISTS);
}

CASE(container__remove_waits_until_it_is_gone)
{
    struct fixture fixture;

    set_up(&fixture, "case $1 in rm) exit 1;; ps) [ -e seen ] || { >seen; echo 0123; };; esac");
    assert_int_equal(remove_it(&fixture, LATE_MS), 0);
    assert_no_error(&fixture.error);
    check_calls(&fixture, REMOVES LISTS KILLS REMOVES LISTS);
    tear_down(&fixture);
}

CASE(container__remove_tries_again)
{
    struct fixture fixture;

    set_up(&fixture, "case $1 in rm) [ -e tried ] || { >tried; exit 1; };; ps) echo 0123;; esac");
    assert_int_equal(remove_it(&fixture, LATE_MS), 0);
    check_calls(&fixture, REMOVES LISTS KILLS REMOVES);
    tear_down(&fixture);
}

/* A removal that fails until after `ms`. False if docker was too slow to print the reason. */
static bool check_not_removed_in(long long milliseconds, const char *script, const char *message)
{
    const long long begin = clock_now_ms();
    struct fixture fixture;
    bool said;

    set_up(&fixture, script);
    assert_int_equal(remove_it(&fixture, milliseconds), -1);
    assert_true(clock_now_ms() - begin >= milliseconds);
    said = !strstr(fixture.error.message, " did not end within ");
    if (said)
        assert_error(&fixture.error, ERROR_ENGINE, message);
    tear_down(&fixture);
    return said;
}

static void check_not_removed(const char *script, const char *message)
{
    long long milliseconds = 300;

    while (!check_not_removed_in(milliseconds, script, message) && milliseconds < LATE_MS)
        milliseconds *= 2;
    assert_true(milliseconds < LATE_MS);
}

CASE(container__remove_that_never_succeeds)
{
    check_not_removed("case $1 in rm) echo 'device is busy' >&2; exit 1;; ps) echo 0123;; esac",
                      "cannot remove the container: device is busy");
}

/* A container is gone only if the engine says so. */
CASE(container__remove_needs_an_answer)
{
    check_not_removed("echo 'no engine' >&2; exit 1", "cannot remove the container: no engine");
}

CASE_WITH(container__remove_with_a_docker_that_hangs, set_up(fixture, "exec sleep 300"))
{
    const long long begin = clock_now_ms();

    assert_int_equal(remove_it(fixture, 200), -1);
    assert_int_equal(fixture->error.kind, ERROR_ENGINE);
    assert_in_range(clock_now_ms() - begin, 200, LATE_MS);
}

/* The engine does not finish until the output of the attached client is read. */
CASE_WITH(container__remove_drains_the_attached_client,
          set_up(fixture, "case $1 in\n"
                          "start) head -c 1048576 /dev/zero; echo done >fifo;;\n"
                          "rm) read -r line <fifo; [ \"$line\" = done ];;\n"
                          "*) echo 0123;;\n"
                          "esac"))
{
    const struct process_options streams = {.stdin_kind = PROCESS_STDIN_NULL};
    struct process client = PROCESS_INIT;
    const struct process_drain drain = {.process = &client};
    CLEANUP_FREE char *fifo = NULL;

    fifo = path_in(fixture->directory, "fifo");
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_int_equal(container_start(&fixture->docker, "box", &streams, &client, &fixture->error),
                     0);
    assert_int_equal(
        container_remove(&fixture->docker, "box", &drain, soon(), NULL, &fixture->error), 0);
    process_release(&client);
}

static int set_up_group(void **state)
{
    (void)state;
    signal(SIGPIPE, SIG_IGN);
    return 0;
}
