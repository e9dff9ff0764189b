#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/clock.h"
#include "base/linux.h"
#include "docker/docker.h"
#include "docker/engine_memory.h"
#include "docker/explain.h"
#include "docker/install_advice.h"
#include "docker/unreachable.h"

/* Long enough for the slowest machine; no test waits that long. */
enum { LATE_MS = 60000, ENGINE_TIMEOUT = 600 };

/* A docker command that is a script, and one call of it. */
struct fixture {
    struct notifier cancel;
    char *directory;
    char *command;
    struct docker docker;
    struct docker_call call;
    struct docker_output output;
    struct error error;
};

static void set_up(struct fixture *fixture, const char *script)
{
    *fixture = (struct fixture){
        .directory = temp_create(), .output = DOCKER_OUTPUT_INIT, .cancel = NOTIFIER_INIT};
    fixture->command = script_in(fixture->directory, "docker", script);
    fixture->docker.command = fixture->command;
    fixture->docker.engine_timeout = ENGINE_TIMEOUT;
    fixture->call = (struct docker_call){.deadline = clock_now_ms() + LATE_MS};
    strvec_push_each(&fixture->call.arguments, "ps", "--all", NULL);
}

/* The same, cancelled before it starts. */
static void set_up_cancelled(struct fixture *fixture, const char *script)
{
    set_up(fixture, script);
    assert_int_equal(notifier_open(&fixture->cancel, &fixture->error), 0);
    notifier_raise(&fixture->cancel);
    fixture->call.cancel = &fixture->cancel;
}

static int run(struct fixture *fixture)
{
    return docker_run(&fixture->docker, &fixture->call, &fixture->output, &fixture->error);
}

static void tear_down(struct fixture *fixture)
{
    notifier_release(&fixture->cancel);
    docker_output_release(&fixture->output);
    strvec_release(&fixture->call.arguments);
    error_release(&fixture->error);
    free(fixture->command);
    temp_remove(fixture->directory);
}

static void check_message(const char *text, size_t length, const char *expected)
{
    struct strbuf buffer = STRBUF_INIT;
    CLEANUP_FREE char *message = NULL;

    strbuf_add(&buffer, text, length);
    message = docker_message(&buffer);
    assert_string_equal(message, expected);
    strbuf_release(&buffer);
}

CASE(docker__message_is_one_line)
{
    struct strbuf nothing = STRBUF_INIT;
    CLEANUP_FREE char *message = docker_message(&nothing);

    assert_string_equal(message, "");
    check_message("", 0, "");
    check_message("one", 3, "one");
    check_message("one\n", 4, "one");
    check_message("one\ntwo\n", 8, "one; two");
    check_message("one\ntwo\nthree", 13, "one; two; three");
    check_message("end \t\r\n \n", 9, "end");
    check_message("\n \n", 3, "");
    check_message("  indented", 10, "  indented");
}

CASE(docker__message_after_many_blank_lines)
{
    char text[600];

    memset(text, '\n', sizeof text);
    memcpy(text + 590, "one", 3);
    check_message(text, sizeof text, "one");
}

CASE(docker__message_is_safe_to_print)
{
    check_message("\x1b[31mred\x1b[0m\n", 13, "\\x1b[31mred\\x1b[0m");
    check_message("a\0b", 3, "a\\x00b");
    check_message("a\0\n", 3, "a\\x00");
    check_message("a\tb\a", 4, "a\\tb\\x07");
    check_message("\xff\xc3\xa9", 3, "\\xff\xc3\xa9");
}

CASE(docker__message_is_cut_at_500_bytes)
{
    char text[600], expected[501];

    memset(text, 'x', sizeof text);
    memset(expected, 'x', sizeof expected);
    expected[500] = '\0';
    check_message(text, 600, expected);
    check_message(text, 500, expected);
    memcpy(text + 499, "\xc3\xa9", 2); /* is not cut in two */
    expected[499] = '\0';
    check_message(text, 600, expected);
    memcpy(text + 498, "\xc3\xa9", 2);
    memcpy(expected + 498, "\xc3\xa9", 3);
    check_message(text, 600, expected);
}

CASE(docker__escaped_message_has_500_bytes_too)
{
    struct strbuf buffer = STRBUF_INIT;
    CLEANUP_FREE char *message = NULL;

    for (int i = 0; i < 500; i++)
        strbuf_addstr(&buffer, "\x1b");
    message = docker_message(&buffer);
    assert_in_range(strlen(message), 480, 500);
    strbuf_release(&buffer);
}

/* As docker 20.10 and 28 print it after each message of the engine. */
CASE(docker__message_without_the_hint_at_help)
{
    static const char hint[] = "docker: no space.\nSee 'docker run --help'.\n";
    static const char newer[] =
        "docker: no space\n\nRun 'docker run --help' for more information\n";
    static const char inside[] = "See 'docker run --help'.\nno space";
    static const char alone[] = "; See 'docker run --help'";
    static const char other[] = "no space\nRun 'true'";

    check_message(hint, strlen(hint), "docker: no space.");
    check_message(newer, strlen(newer), "docker: no space");
    check_message(inside, strlen(inside), "See 'docker run --help'.; no space");
    check_message(alone, strlen(alone), alone);
    check_message(other, strlen(other), "no space; Run 'true'");
}

CASE_WITH(docker__run_gives_status_and_output,
          set_up(fixture, "echo \"out $*\"; echo err >&2; cat; exit 7"))
{
    assert_int_equal(run(fixture), 0);
    assert_no_error(&fixture->error);
    assert_int_equal(fixture->output.status, 7);
    assert_string_equal(strbuf_string(&fixture->output.out), "out ps --all\n");
    assert_string_equal(strbuf_string(&fixture->output.err), "err\n");
}

CASE_WITH(docker__run_ended_by_a_signal, set_up(fixture, "kill -KILL $$"))
{
    assert_int_equal(run(fixture), 0);
    assert_int_equal(fixture->output.status, 137);
}

CASE(docker__run_reads_the_file_from_its_start)
{
    CLEANUP_FD int file = linux_unnamed_file();
    struct fixture fixture;

    assert_int_equal(write(file, "A=1\n", 4), 4);
    set_up(&fixture, "cat");
    fixture.call.stdin_file = file;
    fixture.call.has_stdin = true;
    assert_int_equal(run(&fixture), 0);
    assert_string_equal(strbuf_string(&fixture.output.out), "A=1\n");
    tear_down(&fixture);
}

CASE_WITH(docker__run_without_a_docker_command, set_up(fixture, ""))
{
    CLEANUP_FREE char *message = NULL;

    unlink(fixture->command);
    message =
        string_format("cannot run '%s': No such file or directory; is it installed, and on PATH?",
                      fixture->command);
    assert_int_equal(run(fixture), -1);
    assert_int_equal(fixture->output.status, -1);
    assert_error(&fixture->error, ERROR_ENGINE, message);
}

CASE_WITH(docker__run_without_the_default_command, set_up(fixture, ""))
{
    static const char failed[] = "cannot run 'docker': No such file or directory";
    const char *install = install_advice(ENGINE_DOCKER); /* of the system that the tests run on */
    CLEANUP_FREE char *path = string_copy(getenv("PATH"));
    CLEANUP_FREE char *message = install
                                     ? string_format("%s; to install it: %s", failed, install)
                                     : string_format("%s; is it installed, and on PATH?", failed);

    fixture->docker.command = "docker";
    setenv("PATH", fixture->directory, 1);
    unlink(fixture->command);
    assert_int_equal(run(fixture), -1);
    setenv("PATH", path, 1);
    assert_error(&fixture->error, ERROR_ENGINE, message);
}

/* People who have podman alone learn how to use it. */
CASE_WITH(docker__run_without_docker_but_with_podman, set_up(fixture, ""))
{
    CLEANUP_FREE char *path = string_copy(getenv("PATH"));
    CLEANUP_FREE char *podman = NULL;

    podman = script_in(fixture->directory, "podman", "");
    fixture->docker.command = "docker";
    setenv("PATH", fixture->directory, 1);
    unlink(fixture->command);
    assert_int_equal(run(fixture), -1);
    setenv("PATH", path, 1);
    assert_error(&fixture->error, ERROR_ENGINE,
                 "cannot run 'docker': No such file or directory; podman is installed: use "
                 "--runtime podman, or set \"containerCommand\": \"podman\" in the configuration");
}

/* podman's commands work in /proc, where conmon can create no file; they are found from here. */
CASE_WITH(docker__run_podman_in_a_directory_without_files, set_up(fixture, ""))
{
    static const char *const commands[] = {"./podman", "podman"};
    const int here = open(".", O_RDONLY | O_CLOEXEC);
    CLEANUP_FREE char *path = string_copy(getenv("PATH"));
    CLEANUP_FREE char *podman = NULL;

    podman = script_in(fixture->directory, "podman", "echo \"$OLDPWD $*\"");
    assert_int_equal(chdir(fixture->directory), 0);
    setenv("PATH", "/nothing::/bin:/usr/bin", 1);
    fixture->docker.kind = ENGINE_PODMAN;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        docker_output_release(&fixture->output);
        fixture->docker.command = commands[i];
        assert_int_equal(run(fixture), 0);
        assert_no_error(&fixture->error);
        assert_string_equal(strbuf_string(&fixture->output.out), "/proc ps --all\n");
    }
    setenv("PATH", path, 1);
    assert_int_equal(fchdir(here), 0);
    close(here);
}

CASE_WITH(docker__run_keeps_256_kib_of_each_stream,
          set_up(fixture, "head -c 800000 /dev/zero | tr '\\0' a\n"
                          "head -c 262145 /dev/zero | tr '\\0' b >&2\n"
                          "exit 3"))
{
    assert_int_equal(run(fixture), 0);
    assert_int_equal(fixture->output.status, 3);
    assert_int_equal(fixture->output.out.length, 262144);
    assert_int_equal(fixture->output.err.length, 262144);
    assert_int_equal(strspn(fixture->output.out.data, "a"), 262144);
    assert_int_equal(strspn(fixture->output.err.data, "b"), 262144);
}

/* The milliseconds in the message; -1 if the message has another form. */
static long long late_ms(const struct fixture *fixture)
{
    CLEANUP_FREE char *start = string_format("'%s ps' did not end within ", fixture->command);
    const char *message = fixture->error.message;
    char *end;
    long long number;

    if (!message || strncmp(message, start, strlen(start)) != 0)
        return -1;
    number = strtoll(message + strlen(start), &end, 10);
    return strcmp(end, " ms; does the container engine answer?") == 0 ? number : -1;
}

/* The command is killed after `ms`. False if it has written nothing by then. */
static bool check_killed_after(long long milliseconds)
{
    const long long begin = clock_now_ms();
    struct fixture fixture;
    bool wrote;

    set_up(&fixture, "echo $$ >pid; echo early; exec sleep 300");
    fixture.call.deadline = begin + milliseconds;
    assert_int_equal(run(&fixture), -1);
    assert_true(clock_now_ms() >= fixture.call.deadline);
    assert_int_equal(fixture.error.kind, ERROR_ENGINE);
    assert_in_range(late_ms(&fixture), 0, clock_now_ms() - begin);
    assert_true(fixture.output.status >= 0); /* it did start */
    wrote = fixture.output.out.length > 0;
    if (wrote) {
        CLEANUP_FREE char *pid = read_in(fixture.directory, "pid");

        assert_string_equal(strbuf_string(&fixture.output.out), "early\n");
        assert_true(late_ms(&fixture) > 0);
        assert_int_equal(kill((pid_t)atoi(pid), 0), -1);
    }
    tear_down(&fixture);
    return wrote;
}

CASE(docker__run_is_killed_at_its_deadline)
{
    long long milliseconds = 300;

    while (!check_killed_after(milliseconds) && milliseconds < LATE_MS)
        milliseconds *= 2;
    assert_true(milliseconds < LATE_MS);
}

CASE_WITH(docker__run_is_cancelled, set_up_cancelled(fixture, "exec sleep 300"))
{
    const long long begin = clock_now_ms();

    assert_int_equal(run(fixture), -1);
    assert_in_range(clock_now_ms() - begin, 0, LATE_MS / 2);
    assert_error(&fixture->error, ERROR_CANCELLED, "cancelled");
}

CASE_WITH(docker__run_with_a_notifier_that_is_not_raised, set_up(fixture, "exit 2"))
{
    assert_int_equal(notifier_open(&fixture->cancel, &fixture->error), 0);
    fixture->call.cancel = &fixture->cancel;
    assert_int_equal(run(fixture), 0);
    assert_int_equal(fixture->output.status, 2);
}

/* It ended by itself, so its work is done. */
CASE_WITH(docker__cancelled_run_ends_within_its_grace_time,
          set_up_cancelled(fixture, "sleep 0.1; echo created"))
{
    fixture->call.grace_ms = LATE_MS;
    assert_int_equal(run(fixture), 0);
    assert_no_error(&fixture->error);
    assert_int_equal(fixture->output.status, 0);
    assert_string_equal(strbuf_string(&fixture->output.out), "created\n");
    assert_true(notifier_raised(&fixture->cancel));
}

/* At the end of the grace time or at the deadline of the call. */
CASE(docker__cancelled_run_ends_at_the_earlier_deadline)
{
    for (int i = 0; i < 2; i++) {
        const long long begin = clock_now_ms();
        struct fixture fixture;

        set_up_cancelled(&fixture, "exec sleep 300");
        fixture.call.grace_ms = i == 0 ? 150 : LATE_MS;
        fixture.call.deadline = begin + (i == 0 ? LATE_MS : 150);
        assert_int_equal(run(&fixture), -1);
        assert_in_range(clock_now_ms() - begin, 150, LATE_MS / 2);
        assert_true(fixture.output.status >= 0);
        tear_down(&fixture);
    }
}

CASE_WITH(docker__cancelled_run_is_no_engine_failure, set_up_cancelled(fixture, "exec sleep 30"))
{
    fixture->call.grace_ms = 50;
    assert_int_equal(run(fixture), -1);
    assert_int_equal(fixture->error.kind, ERROR_CANCELLED);
}

static void note_step(void *context, const char *step, long long milliseconds)
{
    strvec_pushf(context, "%s %s", step,
                 milliseconds >= 0 && milliseconds < LATE_MS ? "soon" : "late");
}

CASE_WITH(docker__run_is_traced, set_up(fixture, "exit 1"))
{
    CLEANUP(strvec_release) struct strvec steps = STRVEC_INIT;
    CLEANUP_FREE char *joined = NULL;

    fixture->docker.trace = note_step;
    fixture->docker.trace_context = &steps;
    assert_int_equal(run(fixture), 0);
    docker_traced(&fixture->docker, "program", clock_now_ms());
    docker_traced(&fixture->docker, "long", clock_now_ms() - LATE_MS);
    joined = strvec_join(&steps, ", ");
    assert_string_equal(joined, "ps soon, program soon, long late");
    fixture->docker.trace = NULL;
    docker_traced(&fixture->docker, "untraced", 0);
}

/* Each call is a line of the file "calls". */
static const char EXPLAIN[] = "echo \"$*\" >>calls\n"
                              "case \"$1 $2\" in\n"
                              "'version --format') exit ${VERSION_STATUS:-0};;\n"
                              "'image inspect') exit ${IMAGE_STATUS:-0};;\n"
                              "'image ls') printf 'sha256:%064d go:1 go@none\\n' 0; exit 0;;\n"
                              "esac; exit 9";

static void check_explained(const char *version, const char *image, enum error_kind kind,
                            const char *message, const char *calls)
{
    CLEANUP_FREE char *path = string_copy(getenv("PATH"));
    CLEANUP_FREE char *path_with_fake = NULL;
    CLEANUP_FREE char *called = NULL;
    struct fixture fixture;

    set_up(&fixture, EXPLAIN);
    fixture.docker.command = "docker";
    path_with_fake = string_format("%s:%s", fixture.directory, path);
    setenv("PATH", path_with_fake, 1);
    setenv("VERSION_STATUS", version, 1);
    setenv("IMAGE_STATUS", image, 1);
    assert_int_equal(docker_explain(&fixture.docker, "py:3", "cannot create a container",
                                    "docker: it said so", NULL, &fixture.error),
                     -1);
    assert_error(&fixture.error, kind, message);
    called = read_in(fixture.directory, "calls");
    assert_string_equal(called, calls);
    setenv("PATH", path, 1);
    tear_down(&fixture);
}

#define ASKS_VERSION  "version --format {{.Server.Version}}\n"
#define ASKS_ENDPOINT "context inspect --format {{.Endpoints.docker.Host}}\n"
#define ASKS_IMAGE    "image inspect --format {{.ID}} -- py:3\n"
#define ASKS_LIST                                                                                  \
    "image ls --all --no-trunc --digests --format {{.ID}} {{.Repository}}:{{.Tag}} "               \
    "{{.Repository}}@{{.Digest}}\n"
#define ASKS_KIND "version --format {{json .}}\n"

CASE(docker__explain_asks_the_engine)
{
    unsetenv("DOCKER_HOST");
    unsetenv("DOCKER_CONTEXT");
    check_explained("1", "0", ERROR_ENGINE,
                    "cannot create a container: the current docker context cannot be used; docker "
                    "context use default: docker: it said so",
                    ASKS_VERSION ASKS_ENDPOINT);
    setenv("DOCKER_CONTEXT", "nope\a", 1);
    check_explained(
        "1", "0", ERROR_ENGINE,
        "cannot create a container: the docker context 'nope\\x07' cannot be used; unset "
        "DOCKER_CONTEXT, or set it to a name that docker context ls shows: docker: it "
        "said so",
        ASKS_VERSION ASKS_ENDPOINT);
    setenv("DOCKER_HOST", "x", 1); /* goes before the context */
    check_explained("1", "0", ERROR_ENGINE,
                    "cannot create a container: DOCKER_HOST 'x' names no engine; unset "
                    "DOCKER_HOST: docker: it said so",
                    ASKS_VERSION ASKS_ENDPOINT);
    unsetenv("DOCKER_HOST");
    unsetenv("DOCKER_CONTEXT");
    check_explained("0", "1", ERROR_IMAGE,
                    "image 'py:3' is not on the engine; run: docker pull py:3",
                    ASKS_VERSION ASKS_IMAGE ASKS_LIST);
    check_explained("0", "2", ERROR_ENGINE, "cannot create a container: docker: it said so",
                    ASKS_VERSION ASKS_IMAGE ASKS_KIND); /* it crashed */
    check_explained("0", "0", ERROR_ENGINE, "cannot create a container: docker: it said so",
                    ASKS_VERSION ASKS_IMAGE ASKS_KIND);
}

CASE(docker__explain_without_a_docker_command)
{
    const struct docker docker = {.command = "isolator-no-such-docker"};
    struct error error = ERROR_INIT;

    assert_int_equal(docker_explain(&docker, "py:3", "cannot start", "message", NULL, &error), -1);
    assert_error(&error, ERROR_ENGINE,
                 "cannot start: the container engine does not answer; sudo systemctl start docker: "
                 "message");
}

/* Another command than docker, such as one that the configuration names by mistake. */
CASE(docker__explain_another_command)
{
    static const char *const commands[] = {"/bin/false", "/none/docker"};
    static const char *const problems[] = {
        "cannot start: '/bin/false' does not work as a docker command; see containerCommand in the "
        "configuration: message",
        "cannot start: the container engine does not answer; sudo systemctl start docker: message"};

    for (int i = 0; i < 2; i++) {
        const struct docker docker = {.command = commands[i], .engine_timeout = 100};
        struct error error = ERROR_INIT;

        docker_explain(&docker, "py:3", "cannot start", "message", NULL, &error);
        assert_error(&error, ERROR_ENGINE, problems[i]);
    }
}

/* An engine whose endpoint is this, and which does not answer. */
static void check_unreachable(const char *version, const char *endpoint, const char *message)
{
    CLEANUP_FREE char *script =
        string_format("case $1 in version) %s;; context) echo '%s';; esac", version, endpoint);
    struct fixture fixture;

    set_up(&fixture, script);
    docker_explain(&fixture.docker, "py:3", "cannot start", "message", NULL, &fixture.error);
    assert_error(&fixture.error, ERROR_ENGINE, message);
    tear_down(&fixture);
}

static void check_mismatch(const char *said, const char *expected)
{
    CLEANUP_FREE char *message = string_format("cannot start: %s: %s", expected, said);
    struct fixture fixture;

    set_up(&fixture, "case $1 in version) exit 1;; context) echo ssh://box;; esac");
    docker_explain(&fixture.docker, "py:3", "cannot start", said, NULL, &fixture.error);
    assert_error(&fixture.error, ERROR_ENGINE, message);
    tear_down(&fixture);
}

/* Messages of Docker 29.0 (client/client.go), and of engines since 1.12. */
CASE(docker__explain_versions)
{
    unsetenv("DOCKER_API_VERSION");
    check_mismatch("API version 1.41 is not supported by this client: the minimum supported API "
                   "version is 1.44",
                   "the docker command is too new for the container engine; update the engine, or "
                   "use another docker command: this one needs version 1.44 of its API or newer");
    check_mismatch("Error response from daemon: client version 1.41 is too old. Minimum supported "
                   "API version is 1.44, please upgrade your client to a newer version",
                   "the docker command is too old for the container engine; use a newer docker "
                   "command: the engine needs version 1.44 of its API or newer");
    check_mismatch(
        "Error response from daemon: client version 1.50 is too new. Maximum supported "
        "API version is 1.41",
        "the docker command is too new for the container engine; try again, since it "
        "says so too if its first request was lost; or update the engine, which knows the "
        "versions of its API up to 1.41");
    setenv("DOCKER_API_VERSION", "1.50", 1);
    check_mismatch("Error response from daemon: client version 1.50 is too new. Maximum supported "
                   "API version is 1.41",
                   "the docker command is too new for the container engine; unset "
                   "DOCKER_API_VERSION, which is 1.50");
    unsetenv("DOCKER_API_VERSION");
    check_mismatch("client version 1.41 is too old. Minimum supported API version is none of them",
                   "the docker command is too old for the container engine; use a newer docker "
                   "command: the engine needs version ? of its API or newer");
    check_mismatch(
        "Error: Cgroups v1 not supported",
        "podman 6 needs control groups of version 2, and this machine has version 1; use "
        "podman 5 or Docker, or boot with systemd.unified_cgroup_hierarchy=1");
    check_mismatch("client version 1.50 is too good",
                   "the container engine does not answer at ssh://box; see docker context ls and "
                   "choose another context than ssh://box");
}

CASE(docker__explain_what_to_do)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char *directory = temp_create();
    CLEANUP_FREE char *path = path_in(directory, "s");
    CLEANUP_FREE char *endpoint = string_format("unix://%s", path);
    CLEANUP_FREE char *refuses =
        string_format("cannot start: the container engine at %s refuses the docker command; use "
                      "versions of both that fit each other, or see its log: message",
                      endpoint);
    CLEANUP_FREE char *hangs =
        string_format("cannot start: the container engine does not answer at %s; it may be busy: "
                      "try again, or raise engineTimeoutSeconds: message",
                      endpoint);
    CLEANUP_FREE char *stopped =
        string_format("cannot start: the container engine does not answer at %s; sudo systemctl "
                      "start docker: message",
                      endpoint);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    unsetenv("DOCKER_HOST");
    check_unreachable("exit 1", "unix:///nonexistent/x",
                      "cannot start: /nonexistent/x does not exist; sudo systemctl start docker");
    check_unreachable("exit 1", "unix:///run/user/x/none",
                      "cannot start: /run/user/x/none does not exist; systemctl --user start "
                      "docker");
    check_unreachable("exit 1", "tcp://box:1",
                      "cannot start: the container engine does not answer at tcp://box:1; see "
                      "docker context ls and choose another context than tcp://box:1: message");
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    check_unreachable("exit 1", endpoint, stopped); /* nobody listens */
    assert_int_equal(listen(fd, 10), 0);
    check_unreachable("exit 1", endpoint, refuses);
    check_unreachable("kill -KILL $$", endpoint, hangs);
    close(fd);
    temp_remove(directory);
}

/* An engine that was silent so often in a row. */
static void check_silent(int silences, const char *endpoint, const char *expected)
{
    const struct docker docker = {.command = "docker"};
    struct engine_info engine;
    struct unreachable found;

    engine_info_init(&engine);
    engine.endpoint = string_copy(endpoint);
    engine.silences = silences;
    found = unreachable_find(&docker, &engine, "message");
    assert_string_equal(found.advice, expected);
    unreachable_release(&found);
    engine_info_release(&engine);
}

/* To restart it ends the work of others, so that comes last. */
CASE(docker__explain_a_restart)
{
    static const char busy[] = "it may be busy: try again, or raise engineTimeoutSeconds";
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char *directory = temp_create();
    CLEANUP_FREE char *path = path_in(directory, "s");
    CLEANUP_FREE char *endpoint = string_format("unix://%s", path);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    check_silent(2, endpoint, "sudo systemctl start docker"); /* nobody listens */
    assert_int_equal(listen(fd, 10), 0);
    check_silent(1, endpoint, busy);
    check_silent(2, endpoint, busy);
    check_silent(3, endpoint,
                 "that is 3 times in a row: if it stays so, sudo systemctl restart docker, which "
                 "ends all its containers");
    check_silent(2, "ssh://box", busy);
    check_silent(3, "ssh://box", "see docker context ls and choose another context than ssh://box");
    close(fd);
    temp_remove(directory);
}

/* What the message says what to do after another silence. */
static void check_next_silence(struct fixture *fixture, const char *advice)
{
    docker_explain(&fixture->docker, "py:3", "cannot start", "message", NULL, &fixture->error);
    if (!strstr(fixture->error.message, advice))
        fail_msg("'%s' has no '%s'", fixture->error.message, advice);
    error_release(&fixture->error);
    fixture->error = (struct error)ERROR_INIT;
}

/* An answer ends the row. */
CASE(docker__explain_counts_silences)
{
    static const char busy[] = "; it may be busy: try again, or raise engineTimeoutSeconds: ";
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char *directory = temp_create();
    CLEANUP_FREE char *path = path_in(directory, "s");
    CLEANUP_FREE char *script =
        string_format("case $1 in version) kill -KILL $$;; context) echo 'unix://%s';; esac", path);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct fixture silent, answering;
    struct engine_memory memory;

    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(fd, 10), 0);
    engine_memory_init(&memory);
    set_up(&silent, script);
    set_up(&answering, "echo 29.0");
    silent.docker.memory = answering.docker.memory = &memory;
    check_next_silence(&silent, busy);
    check_next_silence(&silent, busy);
    check_next_silence(&silent, "; that is 3 times in a row: ");
    assert_int_equal(docker_engine_answers(&answering.docker, answering.call.deadline, NULL),
                     DOCKER_YES);
    check_next_silence(&silent, busy);
    tear_down(&silent);
    tear_down(&answering);
    engine_memory_release(&memory);
    close(fd);
    temp_remove(directory);
}

/* A failure proves that the engine was not reached; a success, a signal or a crash do not. */
static void check_reached(const char *command, const char *script, long long milliseconds,
                          bool reached)
{
    struct engine_memory memory;
    struct fixture fixture;

    engine_memory_init(&memory);
    set_up(&fixture, script);
    fixture.docker.memory = &memory;
    fixture.call.deadline = clock_now_ms() + milliseconds;
    strvec_release(&fixture.call.arguments);
    strvec_push(&fixture.call.arguments, command);
    assert_true(docker_never_reached(&fixture.docker));
    run(&fixture);
    assert_int_equal(docker_never_reached(&fixture.docker), !reached);
    tear_down(&fixture);
    engine_memory_release(&memory);
}

CASE(docker__never_reached)
{
    const struct docker forgetful = {.command = "docker"};

    check_reached("ps", "exit 0", LATE_MS, true);
    check_reached("ps", "exit 1", LATE_MS, false);
    check_reached("run", "exit 125", LATE_MS, false);
    check_reached("ps", "exit 2", LATE_MS, true); /* it crashed */
    check_reached("ps", "kill -KILL $$", LATE_MS, true);
    check_reached("ps", "exec sleep 300", 300, true);
    check_reached("context", "exit 0", LATE_MS, false);
    check_reached("info", "exit 0", LATE_MS, false);
    assert_false(docker_never_reached(&forgetful));
}

CASE_WITH(docker__explain_is_cancelled, set_up_cancelled(fixture, "exec sleep 300"))
{
    assert_int_equal(docker_explain(&fixture->docker, "py:3", "cannot start", "message",
                                    &fixture->cancel, &fixture->error),
                     -1);
    assert_error(&fixture->error, ERROR_CANCELLED, "cancelled");
}

static int set_up_group(void **state)
{
    (void)state;
    signal(SIGPIPE, SIG_IGN);
    return 0;
}
