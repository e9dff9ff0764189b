#define _GNU_SOURCE
#include "supervisor_client.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "base/mux.h"
#include "supervisor/figures.h"
#include "supervisor/relay/relay.h"
#include "supervisor/relay/relay_server.h"

/*
 * The test is a program that connects to the relay, and isolator, which gets its messages. All of
 * that is in a network namespace of its own, where the port is free, with a /tmp of its own, where
 * the name of the socket is.
 */

static void enter_network(void)
{
    static bool entered;
    struct ifreq request = {.ifr_name = "lo"};
    CLEANUP_FD int fd = -1;

    if (entered)
        return;
    if (unshare(CLONE_NEWNET | CLONE_NEWNS) != 0) {
        CLEANUP_FREE char *user = string_format("%u %u 1", geteuid(), geteuid());
        CLEANUP_FREE char *group = string_format("%u %u 1", getegid(), getegid());

        assert_int_equal(unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWNS), 0);
        write_in("/proc/self", "uid_map", user); /* a user without a number there makes no file */
        write_in("/proc/self", "setgroups", "deny");
        write_in("/proc/self", "gid_map", group);
    }
    assert_int_equal(mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
    assert_int_equal(mount("none", "/tmp", "tmpfs", 0, NULL), 0);
    fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    assert_int_equal(ioctl(fd, SIOCGIFFLAGS, &request), 0);
    request.ifr_flags |= IFF_UP;
    assert_int_equal(ioctl(fd, SIOCSIFFLAGS, &request), 0);
    entered = true;
}

static void order(struct fixture *fixture, const char *script, uint32_t connections, uint32_t tools)
{
    const struct frame_run run = {.timer_ms = 2 * LATE_MS,
                                  .linger_ms = 2 * LATE_MS,
                                  .output_max = MEGABYTE,
                                  .connections = connections,
                                  .tools = tools};

    add_script(fixture, script);
    add(fixture, FRAME_RUN, &run, sizeof run);
}

static void order_run(struct fixture *fixture, const char *script, uint32_t connections)
{
    order(fixture, script, connections, 0);
}

/* A program that ends at the end of its stdin, with a relay. */
static void begin(struct fixture *fixture, uint32_t connections)
{
    enter_network();
    set_up(fixture);
    order_run(fixture, "cat", connections);
    expect(fixture, FRAME_BEGUN);
}

static int connect_to(int port)
{
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_port = htons((uint16_t)port),
                                        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (connect(fd, (const struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    close(fd);
    return -1;
}

/* Waits until nothing listens. */
static void expect_no_relay(void)
{
    static const struct timespec pause = {0, 10000000};
    const long long deadline = clock_now_ms() + LATE_MS;
    int fd;

    while ((fd = connect_to(MUX_PORT)) >= 0) {
        close(fd);
        assert_true(clock_now_ms() < deadline);
        nanosleep(&pause, NULL);
    }
}

/* The program connects; the relay says so. */
static int connect_program(void)
{
    const int fd = connect_to(MUX_PORT);

    assert_true(fd >= 0);
    return fd;
}

/* Waits for the next message of the relay: "TYPE SLOT PAYLOAD". */
static char *next_message(struct fixture *fixture)
{
    static const char *const names[] = {
        [MUX_LISTENS] = "LISTENS", [MUX_FAILED] = "FAILED", [MUX_OPEN] = "OPEN",
        [MUX_DATA] = "DATA",       [MUX_CREDIT] = "CREDIT", [MUX_END] = "END",
        [MUX_CLOSE] = "CLOSE"};
    const long long deadline = clock_now_ms() + LATE_MS;
    struct mux_message message = {.length = 0};
    char *text;

    while (fixture->network.length < MUX_HEADER ||
           !mux_read((const unsigned char *)fixture->network.data, &message) ||
           fixture->network.length < MUX_HEADER + message.length)
        if (next_frame(fixture) == 0 && !exchange(fixture, deadline))
            fail_msg("no message of the relay");
    if (message.type == MUX_CREDIT || message.type == MUX_FAILED)
        text = string_format(
            "%s %u %u", names[message.type], message.slot,
            mux_read_number((const unsigned char *)fixture->network.data + MUX_HEADER));
    else
        text = string_format("%s %u %.*s", names[message.type], message.slot, (int)message.length,
                             fixture->network.data + MUX_HEADER);
    strbuf_drop(&fixture->network, MUX_HEADER + message.length);
    return text;
}

static void expect_message(struct fixture *fixture, const char *expected)
{
    CLEANUP_FREE char *message = next_message(fixture);

    assert_string_equal(message, expected);
}

static void say(struct fixture *fixture, unsigned slot, enum mux_type type, const void *payload,
                size_t length)
{
    CLEANUP(strbuf_release) struct strbuf message = STRBUF_INIT;
    unsigned char header[MUX_HEADER];

    mux_write(header, slot, type, length);
    strbuf_add(&message, header, sizeof header);
    strbuf_add(&message, payload, length);
    add(fixture, FRAME_NETWORK, message.data, message.length);
    flush(fixture);
}

/* What the program reads next: up to 100 bytes. */
static char *read_some(int fd)
{
    struct pollfd polled = {fd, POLLIN, 0};
    char bytes[100];
    ssize_t length;

    assert_int_equal(poll(&polled, 1, LATE_MS), 1);
    length = read(fd, bytes, sizeof bytes);
    return string_format("%.*s", length > 0 ? (int)length : 0, bytes);
}

static void expect_bytes(int fd, const char *expected)
{
    CLEANUP_FREE char *bytes = read_some(fd);

    assert_string_equal(bytes, expected);
}

static void finish(struct fixture *fixture)
{
    add(fixture, FRAME_STDIN_END, NULL, 0);
    expect(fixture, FRAME_END);
    check_end(fixture, FRAME_CAUSE_ITSELF, 0, 0);
    tear_down(fixture);
}

CASE(relay__carries_bytes)
{
    struct fixture fixture;
    int one, two;

    begin(&fixture, 2);
    assert_string_equal(strbuf_string(&fixture.trace), "HELLO BEGUN ");
    expect_message(&fixture, "LISTENS 0 "); /* before BEGUN */
    one = connect_program();
    expect_message(&fixture, "OPEN 0 ");
    two = connect_program();
    expect_message(&fixture, "OPEN 1 ");
    assert_int_equal(write(two, "two", 3), 3);
    expect_message(&fixture, "DATA 1 two");
    say(&fixture, 1, MUX_DATA, "for two", 7);
    say(&fixture, 0, MUX_DATA, "for one", 7);
    expect_bytes(two, "for two");
    expect_bytes(one, "for one");
    /* one ends by itself, and then isolator */
    shutdown(one, SHUT_WR);
    expect_message(&fixture, "END 0 ");
    say(&fixture, 0, MUX_DATA, "more", 4);
    say(&fixture, 0, MUX_END, NULL, 0);
    expect_bytes(one, "more");
    expect_bytes(one, "");
    expect_message(&fixture, "CLOSE 0 ");
    say(&fixture, 0, MUX_CLOSE, NULL, 0);
    /* isolator closes two, which still gets what came before */
    say(&fixture, 1, MUX_DATA, "last", 4);
    say(&fixture, 1, MUX_CLOSE, NULL, 0);
    expect_bytes(two, "last");
    expect_bytes(two, "");
    close(two);
    expect_message(&fixture, "CLOSE 1 ");
    close(one);
    one = connect_program();
    expect_message(&fixture, "OPEN 0 "); /* the slots are free again */
    close(one);
    finish(&fixture);
}

/* A program that has closed its connection for good. */
CASE(relay__a_program_that_is_gone)
{
    const struct linger reset = {1, 0};
    struct fixture fixture;
    int fd;

    begin(&fixture, 1);
    expect_message(&fixture, "LISTENS 0 ");
    fd = connect_program();
    expect_message(&fixture, "OPEN 0 ");
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    close(fd);
    expect_message(&fixture, "CLOSE 0 ");
    say(&fixture, 0, MUX_DATA, "for no one", 10); /* was on its way */
    say(&fixture, 0, MUX_CLOSE, NULL, 0);
    fd = connect_program();
    expect_message(&fixture, "OPEN 0 ");
    close(fd);
    finish(&fixture);
}

/* Others wait until one ends. */
CASE(relay__no_more_at_once)
{
    struct fixture fixture;
    int one, two;

    begin(&fixture, 1);
    expect_message(&fixture, "LISTENS 0 ");
    one = connect_program();
    expect_message(&fixture, "OPEN 0 ");
    two = connect_program();
    assert_int_equal(write(two, "waits", 5), 5);
    expect_none(&fixture, FRAME_NETWORK);
    say(&fixture, 0, MUX_CLOSE, NULL, 0);
    expect_bytes(one, "");
    close(one);
    expect_message(&fixture, "CLOSE 0 ");
    expect_message(&fixture, "OPEN 0 ");
    expect_message(&fixture, "DATA 0 waits");
    close(two);
    finish(&fixture);
}

/* A connection that takes nothing holds up no other one, and gets no more than its window. */
CASE(relay__a_program_that_does_not_read)
{
    static char bytes[MUX_DATA_MAX];
    struct fixture fixture;
    int one, two;

    begin(&fixture, 2);
    expect_message(&fixture, "LISTENS 0 ");
    one = connect_program();
    expect_message(&fixture, "OPEN 0 ");
    two = connect_program();
    expect_message(&fixture, "OPEN 1 ");
    for (int i = 0; i < MUX_WINDOW / MUX_DATA_MAX; i++) {
        say(&fixture, 0, MUX_DATA, bytes, sizeof bytes);
        if (i == 1)
            expect(&fixture, FRAME_CREDIT); /* for what process 1 has passed on */
    }
    say(&fixture, 1, MUX_DATA, "passes", 6);
    expect_bytes(two, "passes");
    close(one);
    close(two);
    finish(&fixture);
}

/* What a program sends waits for credit, of its connection and of all. */
CASE(relay__waits_for_credit)
{
    static char bytes[MUX_WINDOW + 1000];
    struct fixture fixture;
    unsigned char number[4];
    size_t got = 0;
    int fd;

    begin(&fixture, 1);
    expect_message(&fixture, "LISTENS 0 ");
    fd = connect_program();
    expect_message(&fixture, "OPEN 0 ");
    memset(bytes, 'x', sizeof bytes);
    assert_int_equal(write(fd, bytes, sizeof bytes), sizeof bytes);
    while (got < MUX_WINDOW) {
        CLEANUP_FREE char *message = next_message(&fixture);

        assert_int_equal(strncmp(message, "DATA 0 ", 7), 0);
        got += strlen(message) - 7;
    }
    assert_int_equal(got, MUX_WINDOW);
    expect_none(&fixture, FRAME_NETWORK);
    mux_write_number(number, 999);
    say(&fixture, 0, MUX_CREDIT, number, sizeof number);
    {
        CLEANUP_FREE char *message = next_message(&fixture);

        assert_int_equal(strlen(message), 7 + 999);
    }
    close(fd);
    finish(&fixture);
}

CASE(relay__grants_what_was_read)
{
    static char bytes[MUX_DATA_MAX];
    struct fixture fixture;
    size_t got = 0;
    int fd;

    begin(&fixture, 1);
    expect_message(&fixture, "LISTENS 0 ");
    fd = connect_program();
    expect_message(&fixture, "OPEN 0 ");
    memset(bytes, 'x', sizeof bytes);
    for (int i = 0; i < 2; i++)
        say(&fixture, 0, MUX_DATA, bytes, sizeof bytes);
    while (got < 2 * sizeof bytes) {
        CLEANUP_FREE char *some = read_some(fd);

        assert_true(strlen(some) > 0);
        got += strlen(some);
    }
    {
        CLEANUP_FREE char *message = next_message(&fixture);

        assert_int_equal(strncmp(message, "CREDIT 0 ", 9), 0);
        assert_in_range(strtoul(message + 9, NULL, 10), MUX_WINDOW / 2, MUX_WINDOW);
    }
    assert_in_range(fixture.network_credit, FRAME_STDIN_WINDOW / 2, FRAME_STDIN_WINDOW);
    close(fd);
    finish(&fixture);
}

CASE(relay__only_if_it_is_ordered)
{
    struct fixture fixture;

    begin(&fixture, 0);
    expect_no_relay();
    say(&fixture, 0, MUX_CLOSE, NULL, 0); /* is dropped */
    assert_int_equal(fixture.network.length, 0);
    finish(&fixture);
}

/* The program runs all the same. */
CASE(relay__a_port_that_is_busy)
{
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_port = htons(MUX_PORT),
                                        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    CLEANUP_FREE char *expected = string_format("FAILED 0 %d", EADDRINUSE);
    const int on = 1;
    struct fixture fixture;
    int fd;

    enter_network();
    fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on); /* connections of other tests */
    assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(fd, 1), 0);
    begin(&fixture, 1);
    expect_message(&fixture, expected);
    close(fd);
    finish(&fixture);
}

/* It ends with its program, with all connections, and the next program has another one. */
CASE(relay__ends_with_its_program)
{
    struct fixture fixture;
    int fd;

    begin(&fixture, 1);
    expect_message(&fixture, "LISTENS 0 ");
    fd = connect_program();
    expect_message(&fixture, "OPEN 0 ");
    add(&fixture, FRAME_STDIN_END, NULL, 0);
    expect(&fixture, FRAME_END);
    expect_bytes(fd, "");
    close(fd);
    say(&fixture, 0, MUX_DATA, "late", 4); /* was on its way */
    add(&fixture, FRAME_RESET, NULL, 0);
    order_run(&fixture, "cat", 1);
    expect(&fixture, FRAME_BEGUN);
    expect_message(&fixture, "LISTENS 0 ");
    fd = connect_program();
    expect_message(&fixture, "OPEN 0 ");
    close(fd);
    finish(&fixture);
}

/* After an order to stop, and after a program that cannot be executed. */
CASE(relay__ends_with_a_program_that_is_stopped)
{
    struct fixture fixture;

    begin(&fixture, 1);
    expect_message(&fixture, "LISTENS 0 ");
    add(&fixture, FRAME_STOP, NULL, 0);
    expect(&fixture, FRAME_END);
    expect_no_relay();
    add(&fixture, FRAME_RESET, NULL, 0);
    {
        const struct frame_run run = {.timer_ms = 2 * LATE_MS,
                                      .linger_ms = 2 * LATE_MS,
                                      .output_max = MEGABYTE,
                                      .connections = 1};

        add_text(&fixture, FRAME_ARGUMENT, "/no/such/program");
        add(&fixture, FRAME_RUN, &run, sizeof run);
    }
    expect(&fixture, FRAME_FAILED);
    assert_int_equal(fixture.failed.step, FRAME_STEP_EXEC);
    expect_no_relay();
    tear_down(&fixture);
}

/* The relay: the child of the supervisor that executes the same file. */
static pid_t relay_of(const struct fixture *fixture)
{
    CLEANUP_FREE char *path = string_format("/proc/%ld/task/%ld/children",
                                            (long)fixture->supervisor, (long)fixture->supervisor);
    CLEANUP_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
    CLEANUP(strbuf_release) struct strbuf children = read_all(fd);
    char *rest = NULL;

    for (char *word = strtok_r(children.data, " ", &rest); word;
         word = strtok_r(NULL, " ", &rest)) {
        CLEANUP_FREE char *comm = string_format("/proc/%s/comm", word);
        CLEANUP_FD int file = open(comm, O_RDONLY | O_CLOEXEC);
        CLEANUP(strbuf_release) struct strbuf name = read_all(file);

        if (strncmp(strbuf_string(&name), "supervisor_rel", 14) == 0)
            return (pid_t)strtol(word, NULL, 10);
    }
    fail_msg("there is no relay");
    return 0;
}

/* Who kills it ends its connections, and nothing else. */
CASE(relay__killed)
{
    struct fixture fixture;
    int fd;

    begin(&fixture, 1);
    expect_message(&fixture, "LISTENS 0 ");
    fd = connect_program();
    expect_message(&fixture, "OPEN 0 ");
    assert_int_equal(kill(relay_of(&fixture), SIGKILL), 0);
    expect_bytes(fd, "");
    close(fd);
    expect_no_relay();
    finish(&fixture);
}

/* ---- without process 1 */

/*
 * Runs a relay of its own for two pipes, whose other ends are set. Returns the exit status of the
 * process that has started it.
 */
static int run_detached(int *to, int *from)
{
    int in[2], out[2], status = -1;
    pid_t child;

    assert_int_equal(linux_pipe(in), 0);
    assert_int_equal(linux_pipe(out), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(in[0], STDIN_FILENO);
        dup2(out[1], STDOUT_FILENO);
        relay_server_detached(1);
    }
    close(in[0]);
    close(out[1]);
    *to = in[1];
    *from = out[0];
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

/* The next message of the relay: its type, slot and length. */
static void expect_header(int from, enum mux_type type, size_t length)
{
    unsigned char header[MUX_HEADER];
    struct pollfd polled = {from, POLLIN, 0};
    struct mux_message message;

    assert_int_equal(poll(&polled, 1, LATE_MS), 1);
    assert_int_equal(read(from, header, sizeof header), sizeof header);
    assert_true(mux_read(header, &message));
    assert_int_equal(message.type, type);
    assert_int_equal(message.slot, 0);
    assert_int_equal(message.length, length);
}

/* It outlives who has started it, and ends with its input. */
CASE(relay__of_its_own)
{
    CLEANUP_FD int to = -1;
    CLEANUP_FD int from = -1;
    int fd;

    enter_network();
    assert_int_equal(run_detached(&to, &from), 0);
    fd = connect_program(); /* at once */
    expect_header(from, MUX_LISTENS, 0);
    expect_header(from, MUX_OPEN, 0);
    assert_int_equal(write(fd, "bytes", 5), 5);
    expect_header(from, MUX_DATA, 5);
    close(fd);
    close(steal_fd(&to));
    expect_no_relay();
}

CASE(relay__of_its_own_without_a_port)
{
    CLEANUP_FD int to = -1;
    CLEANUP_FD int from = -1;
    CLEANUP_FD int other_to = -1;
    CLEANUP_FD int other_from = -1;

    enter_network();
    assert_int_equal(run_detached(&to, &from), 0);
    assert_int_equal(run_detached(&other_to, &other_from), 1 << 8);
    expect_header(other_from, MUX_FAILED, 4);
    close(steal_fd(&to));
    expect_no_relay();
}

/* ---- what isolator must not send */

CASE(relay__more_than_was_granted)
{
    static char bytes[FRAME_CHUNK];
    struct fixture fixture;

    begin(&fixture, 0);
    for (int i = 0; i < 3; i++)
        add(&fixture, FRAME_NETWORK, bytes, sizeof bytes);
    while (fixture.sent.length > 0 && exchange(&fixture, clock_now_ms() + LATE_MS))
        continue;
    assert_int_equal(exit_status(&fixture), 1);
    release(&fixture);
}

CASE(relay__too_many_connections)
{
    struct fixture fixture;

    set_up(&fixture);
    order_run(&fixture, "true", MUX_PROXY_MAX + 1);
    expect_refusal(&fixture);
}

/* A process that has stayed may have stopped the relay. */
CASE(relay__program_does_not_wait_for_it)
{
    static struct connection connection;
    static char own[1];
    struct relay relay = {.pid = 0};
    uint64_t before;

    enter_network();
    relay_init(&relay, &connection, own, sizeof own);
    assert_true(relay_is_ready(&relay));
    before = figures_clock_us();
    assert_true(relay_start(&relay, 1, 0));
    assert_in_range(relay.patience_us, before + 3000000, figures_clock_us() + 3000000);
    relay.patience_us = UINT64_MAX;
    assert_false(relay_is_ready(&relay));
    relay.patience_us = figures_clock_us();
    assert_true(relay_is_ready(&relay));
    relay_stop(&relay);
    assert_int_equal(waitpid(relay.pid, NULL, 0), relay.pid);
}

/* ---- tools */

static void begin_tools(struct fixture *fixture, uint32_t connections, uint32_t tools)
{
    enter_network();
    set_up(fixture);
    order(fixture, "cat", connections, tools);
    expect(fixture, FRAME_BEGUN);
}

static int connect_tools(void)
{
    static const struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = MUX_TOOLS_SOCKET};
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

/* The tools have the slots after those of the proxy, and neither takes those of the other. */
CASE(relay__tools_beside_the_proxy)
{
    struct fixture fixture;
    int tool, host, second;

    begin_tools(&fixture, 2, 1);
    expect_message(&fixture, "LISTENS 0 ");
    expect_message(&fixture, "LISTENS 2 ");
    tool = connect_tools();
    expect_message(&fixture, "OPEN 2 ");
    host = connect_program();
    expect_message(&fixture, "OPEN 0 ");
    assert_int_equal(write(tool, "call", 4), 4);
    expect_message(&fixture, "DATA 2 call");
    say(&fixture, 2, MUX_DATA, "result", 6);
    expect_bytes(tool, "result");
    second = connect_tools(); /* waits for a slot */
    assert_int_equal(write(host, "GET", 3), 3);
    expect_message(&fixture, "DATA 0 GET");
    close(tool);
    expect_message(&fixture, "END 2 ");
    say(&fixture, 2, MUX_CLOSE, NULL, 0);
    expect_message(&fixture, "CLOSE 2 ");
    expect_message(&fixture, "OPEN 2 ");
    close(second);
    close(host);
    finish(&fixture);
}

/* A program that sends the relay a descriptor keeps nothing alive with it. */
CASE(relay__sent_descriptors_are_closed)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {.bytes = {0}};
    struct iovec data = {"x", 1};
    struct msghdr message = {.msg_iov = &data,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    struct fixture fixture;
    int tool, ends[2];
    char byte;

    begin_tools(&fixture, 0, 1);
    expect_message(&fixture, "LISTENS 0 ");
    tool = connect_tools();
    expect_message(&fixture, "OPEN 0 ");
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &ends[1], sizeof(int));
    assert_int_equal(sendmsg(tool, &message, 0), 1);
    close(ends[1]);
    expect_message(&fixture, "DATA 0 x");
    assert_int_equal(read(ends[0], &byte, 1), 0);
    close(ends[0]);
    close(tool);
    finish(&fixture);
}

/* A file at the path is replaced; a directory is not, and the program runs without tools. */
CASE(relay__something_is_at_the_path)
{
    CLEANUP_FREE char *failure = string_format("FAILED 1 %d", EISDIR);
    struct fixture fixture;

    enter_network();
    close(open(MUX_TOOLS_SOCKET, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    begin_tools(&fixture, 0, 1);
    expect_message(&fixture, "LISTENS 0 ");
    finish(&fixture);
    unlink(MUX_TOOLS_SOCKET);
    assert_int_equal(mkdir(MUX_TOOLS_SOCKET, 0700), 0);
    begin_tools(&fixture, 1, 1);
    expect_message(&fixture, "LISTENS 0 ");
    expect_message(&fixture, failure);
    finish(&fixture);
    rmdir(MUX_TOOLS_SOCKET);
}

CASE(relay__too_many_tools)
{
    struct fixture fixture;

    set_up(&fixture);
    order(&fixture, "true", 0, MUX_TOOLS_MAX + 1);
    expect_refusal(&fixture);
}

/* No isolator is there. */
CASE(relay__not_in_a_script)
{
    struct fixture fixture;

    prepare(&fixture);
    order_run(&fixture, "true", 1);
    launch_script(&fixture);
    assert_int_equal(finish_script(&fixture), 1);
    assert_string_equal(strbuf_string(&fixture.trace), "HELLO ");
    release(&fixture);
}
