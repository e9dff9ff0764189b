#include "supervisor_client.h"

#include <sys/un.h>

#include "supervisor/attach.h"
#include "supervisor/gate.h"
#include "supervisor/workspace.h"

/*
 * A workspace on the host: the supervisor is a child that is not process 1, and each client a child
 * that copies between it and the test, as in a container. Programs of another user cannot be had
 * here without root, so a supervisor that trusts another user stands in for that.
 */

struct workspace_test {
    struct fixture fixture; /* of the client */
    char name[WORKSPACE_NAME_LENGTH + 1];
    char *stop;
    pid_t client, server; /* whom the client wants to reach; 0: anyone, until someone listens */
    struct workspace_options options;
};

static void open_workspace(struct workspace_test *test)
{
    struct fixture *fixture = &test->fixture;
    static unsigned count;

    prepare(fixture);
    snprintf(test->name, sizeof test->name, "%016x%016x", (unsigned)getpid(), ++count);
    test->options.name = test->name;
    if (test->options.ends_s == 0)
        test->options.ends_s = (uint64_t)time(NULL) + 1000;
    if (test->options.idle_s == 0)
        test->options.idle_s = 1000;
    if (test->options.attach_ms == 0)
        test->options.attach_ms = LATE_MS;
    test->stop = path_in(fixture->tables, "stop");
    fixture->supervisor = fork();
    if (fixture->supervisor == 0) {
        const struct supervise_options options = {.in = -1,
                                                  .out = -1,
                                                  .workspace = &test->options,
                                                  .stop = test->stop,
                                                  .workdir = fixture->directory,
                                                  .cgroup_dir = fixture->directory,
                                                  .sysvipc = fixture->tables,
                                                  .sockets = fixture->tables,
                                                  .fifos = fixture->tables};

        _exit(supervise(&options));
    }
    fixture->fd = -1;
}

/* Starts a client, which sends nothing of its own. */
static void connect_client(struct workspace_test *test)
{
    struct fixture *fixture = &test->fixture;
    int ends[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    test->client = fork();
    if (test->client == 0) {
        const int tries = test->server == 0 ? 1000 : 1;
        int status = 1;

        dup2(ends[1], 0);
        dup2(ends[1], 1);
        close(ends[0]);
        close(ends[1]);
        /* the workspace may not listen yet */
        for (int i = 0; i < tries && status != 0; i++) {
            status = attach(test->name, test->server);
            if (status != 0)
                poll(NULL, 0, 2);
        }
        _exit(status);
    }
    close(ends[1]);
    fixture->fd = ends[0];
    fcntl(fixture->fd, F_SETFL, O_NONBLOCK);
}

static void attach_client(struct workspace_test *test)
{
    connect_client(test);
    add(&test->fixture, FRAME_ATTACH, NULL, 0);
    expect(&test->fixture, FRAME_HELLO);
    assert_string_equal(strbuf_string(&test->fixture.trace), "HELLO ");
    assert_int_equal(test->fixture.payload.length, FRAME_HELLO_SIZE);
}

/* Forgets what has arrived. */
static void forget_frames(struct fixture *fixture)
{
    fixture->sent.length = fixture->pending.length = 0;
    fixture->out[0].length = fixture->out[1].length = fixture->files.length = 0;
    strbuf_release(&fixture->trace);
    strbuf_release(&fixture->failed_path);
}

/* Ends the client: its stdin ends, or it is killed. */
static void end_client(struct workspace_test *test, bool kills)
{
    int status;

    if (kills)
        kill(test->client, SIGKILL);
    close(test->fixture.fd);
    assert_int_equal(waitpid(test->client, &status, 0), test->client);
    forget_frames(&test->fixture);
}

static void run(struct workspace_test *test, const char *script)
{
    add_script(&test->fixture, script);
    add_run(&test->fixture, 100 * (uint64_t)MEGABYTE);
    add(&test->fixture, FRAME_STDIN_END, NULL, 0);
}

/* The next client is served as the first one was, and nothing else has arrived before. */
static void check_next(struct workspace_test *test)
{
    attach_client(test);
    run(test, "echo next");
    expect(&test->fixture, FRAME_END);
    assert_string_equal(strbuf_string(&test->fixture.trace), "HELLO BEGUN END ");
    assert_string_equal(strbuf_string(&test->fixture.out[0]), "next\n");
    check_end(&test->fixture, FRAME_CAUSE_ITSELF, 0, 0);
    end_client(test, false);
}

static void close_workspace(struct workspace_test *test)
{
    write_in(test->fixture.tables, "stop", "");
    assert_int_equal(exit_status(&test->fixture), WORKSPACE_STOPPED);
    free(test->stop);
    test->fixture.fd = -1;
    release(&test->fixture);
}

static struct workspace_test opened(void)
{
    return (struct workspace_test){.options = {.user = geteuid()}};
}

CASE(supervisor_workspace__files_stay_for_the_next_client)
{
    struct workspace_test test = opened();

    open_workspace(&test);
    attach_client(&test);
    run(&test, "echo first >file");
    expect(&test.fixture, FRAME_END);
    add(&test.fixture, FRAME_RESET, NULL, 0);
    run(&test, "echo second >>file");
    expect(&test.fixture, FRAME_END);
    end_client(&test, false);
    attach_client(&test);
    run(&test, "cat file");
    expect(&test.fixture, FRAME_END);
    assert_string_equal(strbuf_string(&test.fixture.out[0]), "first\nsecond\n");
    end_client(&test, false);
    close_workspace(&test);
}

/* What was sent does not count for the next client: a half frame, words, files, a directory. */
CASE(supervisor_workspace__what_is_half_sent_is_dropped)
{
    struct workspace_test test = opened();

    open_workspace(&test);
    for (int i = 0; i < 5; i++) {
        attach_client(&test);
        if (i == 0)
            strbuf_add(&test.fixture.sent, "\5\0\0\0\1\0\0\0ec", 10);
        else if (i == 1)
            add_archive(&test.fixture, "half", 1500);
        else if (i == 2)
            add_script(&test.fixture, "echo of another");
        else if (i == 3)
            add_text(&test.fixture, FRAME_DIRECTORY, "/none");
        else
            add_text(&test.fixture, FRAME_CODE, "code");
        flush(&test.fixture);
        end_client(&test, true);
        check_next(&test);
    }
    close_workspace(&test);
}

/* A request that waits for the rest of its stdin never runs. */
CASE(supervisor_workspace__what_waits_for_stdin_never_runs)
{
    const struct frame_run order = {
        .timer_ms = LATE_MS, .output_max = MEGABYTE, .flags = FRAME_RUN_STDIN_FILE};
    struct workspace_test test = opened();
    CLEANUP_FREE char *path = NULL;

    open_workspace(&test);
    path = path_in(test.fixture.directory, "ran");
    attach_client(&test);
    add_script(&test.fixture, "touch ran");
    add(&test.fixture, FRAME_RUN, &order, sizeof order);
    add_text(&test.fixture, FRAME_STDIN, "bytes");
    flush(&test.fixture);
    end_client(&test, true);
    check_next(&test);
    assert_int_not_equal(access(path, F_OK), 0);
    close_workspace(&test);
}

/* A program, and one whose output no one takes, end with their client. */
CASE(supervisor_workspace__what_runs_ends_with_its_client)
{
    static const char *const scripts[] = {"exec 3>alive; echo; exec sleep 1000",
                                          "exec 3>alive; exec cat /dev/zero"};
    struct workspace_test test = opened();
    int alive;

    open_workspace(&test);
    test.fixture.grants = false;
    for (int i = 0; i < 2; i++) {
        CLEANUP_FREE char *path = path_in(test.fixture.directory, "alive");

        attach_client(&test);
        alive = open_alive(&test.fixture);
        run(&test, scripts[i]);
        expect_output(&test.fixture, 0, 1);
        end_client(&test, i == 1);
        check_dead(alive);
        unlink(path);
        check_next(&test);
    }
    close_workspace(&test);
}

/* Also if the client wanted them to stay for its next request. */
CASE(supervisor_workspace__what_stays_ends_with_its_client)
{
    const struct frame_run order = {
        .timer_ms = LATE_MS, .output_max = MEGABYTE, .flags = FRAME_RUN_KEEP_PROCESSES};
    struct workspace_test test = opened();
    int alive;

    open_workspace(&test);
    attach_client(&test);
    alive = open_alive(&test.fixture);
    add_script(&test.fixture, "exec 3>alive; sleep 1000 >/dev/null 2>&1 &");
    add(&test.fixture, FRAME_RUN, &order, sizeof order);
    add(&test.fixture, FRAME_STDIN_END, NULL, 0);
    expect(&test.fixture, FRAME_END);
    end_client(&test, false);
    check_dead(alive);
    check_next(&test);
    close_workspace(&test);
}

CASE(supervisor_workspace__files_without_credit_end_with_their_client)
{
    struct workspace_test test = opened();

    open_workspace(&test);
    test.fixture.grants = false;
    attach_client(&test);
    run(&test, "head -c 3000000 /dev/zero >large");
    expect(&test.fixture, FRAME_END);
    add_collect(&test.fixture, 10 * (uint64_t)MEGABYTE);
    while (test.fixture.files.length < FRAME_WINDOW)
        if (next_frame(&test.fixture) == 0)
            assert_true(exchange(&test.fixture, clock_now_ms() + LATE_MS));
    end_client(&test, true);
    check_next(&test);
    close_workspace(&test);
}

/* Frames that must not come, and the timer of RUN, end the connection alone. */
CASE(supervisor_workspace__a_connection_ends_alone)
{
    static const struct frame_keep keep = {0, 1000};
    const struct frame_run order = {.timer_ms = 50, .output_max = MEGABYTE};
    struct workspace_test test = opened();
    int status;

    open_workspace(&test);
    for (int i = 0; i < 6; i++) {
        if (i == 0)
            connect_client(&test);
        else
            attach_client(&test);
        if (i == 0)
            run(&test, "echo without ATTACH");
        else if (i == 1)
            add(&test.fixture, FRAME_ATTACH, NULL, 0);
        else if (i == 2)
            add(&test.fixture, FRAME_KEEP, &keep, sizeof keep);
        else if (i == 3)
            add(&test.fixture, FRAME_MAKE_READY, &order, sizeof order);
        else if (i == 4)
            strbuf_add(&test.fixture.sent, "\0\0\0\0\1\1\0\0", 8);
        else
            add_script(&test.fixture, "sleep 1000");
        if (i == 5)
            add(&test.fixture, FRAME_RUN, &order, sizeof order);
        flush(&test.fixture);
        while (exchange(&test.fixture, clock_now_ms() + LATE_MS))
            continue;
        assert_int_equal(waitpid(test.client, &status, 0), test.client);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        close(test.fixture.fd);
        forget_frames(&test.fixture);
        check_next(&test);
    }
    close_workspace(&test);
}

/* ---- who is let in */

/* Waits until the client is cut off, which gets nothing; its exit status. */
static int cut_off(struct workspace_test *test)
{
    struct fixture *fixture = &test->fixture;
    char byte;
    int status;

    while (fixture->pending.length == 0 && exchange(fixture, clock_now_ms() + LATE_MS))
        continue;
    assert_int_equal(fixture->pending.length, 0);
    assert_int_equal(recv(fixture->fd, &byte, 1, MSG_DONTWAIT), 0);
    assert_int_equal(waitpid(test->client, &status, 0), test->client);
    assert_true(WIFEXITED(status));
    close(fixture->fd);
    forget_frames(fixture);
    return WEXITSTATUS(status);
}

/* Another process may listen when process 1 has ended: a client sends it nothing. */
CASE(supervisor_workspace__clients_want_process_1)
{
    struct workspace_test test = opened();

    open_workspace(&test);
    check_next(&test);
    test.server = test.fixture.supervisor;
    check_next(&test);
    test.server = 1;
    connect_client(&test);
    add(&test.fixture, FRAME_ATTACH, NULL, 0);
    assert_int_equal(cut_off(&test), 1);
    test.server = 0;
    check_next(&test);
    close_workspace(&test);
}

/* One that says nothing keeps no other one out. */
CASE(supervisor_workspace__clients_attach_in_time)
{
    struct workspace_test test = opened();

    test.options.attach_ms = 1000;
    open_workspace(&test);
    connect_client(&test);
    assert_int_equal(cut_off(&test), 0);
    attach_client(&test);
    run(&test, "sleep 2");
    expect(&test.fixture, FRAME_END);
    check_end(&test.fixture, FRAME_CAUSE_ITSELF, 0, 0);
    end_client(&test, false);
    close_workspace(&test);
}

static int connect_peer(const struct workspace_test *test)
{
    struct sockaddr_un address;
    const socklen_t length = gate_address(&address, test->name);
    const long long deadline = clock_now_ms() + LATE_MS;
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    while (connect(fd, (const struct sockaddr *)&address, length) != 0)
        assert_true(clock_now_ms() < deadline);
    return fd;
}

/* Peers of another user get nothing, also those that send descriptors. */
CASE(supervisor_workspace__other_users_are_turned_away)
{
    struct workspace_test test = {.options = {.user = geteuid() + 1}};

    open_workspace(&test);
    for (int i = 0; i < 3; i++) {
        const int fd = connect_peer(&test);
        char control[256];
        char byte = 0;
        struct iovec bytes = {&byte, 1};
        struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1};
        ssize_t received;

        if (i > 0) {
            _Alignas(struct cmsghdr) char sent[CMSG_SPACE(sizeof fd)] = {0};
            struct cmsghdr *header;

            message.msg_control = sent;
            message.msg_controllen = sizeof sent;
            header = CMSG_FIRSTHDR(&message);
            header->cmsg_level = SOL_SOCKET;
            header->cmsg_type = SCM_RIGHTS;
            header->cmsg_len = CMSG_LEN(sizeof fd);
            memcpy(CMSG_DATA(header), &fd, sizeof fd);
            sendmsg(fd, &message, MSG_NOSIGNAL);
        }
        message.msg_control = control;
        message.msg_controllen = sizeof control;
        received = recvmsg(fd, &message, 0);
        assert_true(received <= 0);
        if (received == 0) /* after an error the struct is as it was */
            assert_int_equal(message.msg_controllen, 0);
        close(fd);
    }
    close_workspace(&test);
}

/* The child of the supervisor that is not a program: there is one while no client is connected. */
static pid_t find_gate(const struct workspace_test *test)
{
    const long long deadline = clock_now_ms() + LATE_MS;
    char path[64];
    long pid = 0;

    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)test->fixture.supervisor,
             (int)test->fixture.supervisor);
    while (pid == 0) {
        FILE *file = fopen(path, "re");

        assert_non_null(file);
        if (fscanf(file, "%ld", &pid) != 1)
            pid = 0;
        fclose(file);
        assert_true(clock_now_ms() < deadline);
    }
    return (pid_t)pid;
}

CASE(supervisor_workspace__a_gate_that_is_stopped_or_killed)
{
    struct workspace_test test = opened();

    open_workspace(&test);
    kill(find_gate(&test), SIGSTOP);
    check_next(&test);
    kill(find_gate(&test), SIGKILL);
    check_next(&test);
    close_workspace(&test);
}

/* ---- how it ends */

static int last_status(struct workspace_test *test)
{
    const int status = exit_status(&test->fixture);

    free(test->stop);
    release(&test->fixture);
    return status;
}

CASE(supervisor_workspace__ends_without_a_client)
{
    struct workspace_test test = opened();

    test.options.idle_s = 1;
    open_workspace(&test);
    assert_int_equal(last_status(&test), WORKSPACE_IDLE);
}

CASE(supervisor_workspace__ends_at_its_time)
{
    struct workspace_test test = opened();

    test.options.ends_s = 1;
    open_workspace(&test);
    assert_int_equal(last_status(&test), WORKSPACE_ENDED);
}

/* It does not end for want of a client while there is one. */
CASE(supervisor_workspace__stays_with_a_client)
{
    struct workspace_test test = opened();

    test.options.idle_s = 2;
    open_workspace(&test);
    attach_client(&test);
    run(&test, "sleep 3");
    expect(&test.fixture, FRAME_END);
    check_end(&test.fixture, FRAME_CAUSE_ITSELF, 0, 0);
    end_client(&test, false);
    test.fixture.fd = -1;
    assert_int_equal(last_status(&test), WORKSPACE_IDLE);
}

/* ---- STORE */

CASE(supervisor_workspace__stores_files)
{
    struct workspace_test test = opened();

    open_workspace(&test);
    attach_client(&test);
    add_archive(&test.fixture, "kept", 0);
    add(&test.fixture, FRAME_STORE, NULL, 0);
    expect(&test.fixture, FRAME_STORED);
    add(&test.fixture, FRAME_RESET, NULL, 0);
    add(&test.fixture, FRAME_STORE, NULL, 0);
    expect(&test.fixture, FRAME_STORED);
    add(&test.fixture, FRAME_RESET, NULL, 0);
    add_archive(&test.fixture, "cut", 1500);
    add(&test.fixture, FRAME_STORE, NULL, 0);
    expect(&test.fixture, FRAME_FAILED);
    assert_int_equal(test.fixture.failed.step, FRAME_STEP_UNPACK);
    add(&test.fixture, FRAME_RESET, NULL, 0);
    add_text(&test.fixture, FRAME_FILES, "no archive at all");
    add(&test.fixture, FRAME_STORE, NULL, 0);
    expect(&test.fixture, FRAME_FAILED);
    end_client(&test, false);
    attach_client(&test);
    run(&test, "cat kept");
    expect(&test.fixture, FRAME_END);
    assert_string_equal(strbuf_string(&test.fixture.out[0]), "content");
    end_client(&test, false);
    close_workspace(&test);
}
