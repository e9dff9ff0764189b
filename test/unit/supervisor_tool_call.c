#define _GNU_SOURCE
#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mux.h"
#include "supervisor/relay/tool_call.h"

static void enter_directory(void)
{
    char path[] = "/tmp/isolator-tool-call-XXXXXX";

    assert_non_null(mkdtemp(path));
    assert_int_equal(chdir(path), 0);
}

static void leave_directory(void)
{
    CLEANUP_FREE char *path = get_current_dir_name();

    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(path), 0);
}

/* ---- answers: the test is isolator at the socket */

static int listen_here(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "socket"};
    const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listener, 1), 0);
    return listener;
}

/* The command, in a child whose output goes to the files "out" and "err". */
static pid_t start(char **words)
{
    const pid_t child = fork();
    int count = 0;

    if (child != 0)
        return child;
    while (words[count])
        count++;
    if (setenv("ISOLATOR_TOOLS", "socket", 1) != 0 || !freopen("out", "w", stdout) ||
        !freopen("err", "w", stderr))
        _exit(9);
    count = tool_call_main(count, words);
    fflush(NULL);
    _exit(count);
}

/* Reads the two lines of a request. */
static void check_request(int connection, const char *expected)
{
    CLEANUP(strbuf_release) struct strbuf request = STRBUF_INIT;
    char byte;
    int lines = 0;

    while (lines < 2 && read(connection, &byte, 1) == 1) {
        strbuf_addch(&request, byte);
        lines += byte == '\n';
    }
    assert_string_equal(strbuf_string(&request), expected);
}

static void add_part(struct strbuf *to, enum mux_part type, const char *bytes, size_t length)
{
    unsigned char header[MUX_PART_HEADER] = {(unsigned char)type};

    mux_write_number(header + 1, (uint32_t)length);
    strbuf_add(to, header, sizeof header);
    strbuf_add(to, bytes, length);
}

static void add_text(struct strbuf *to, enum mux_part type, const char *text)
{
    add_part(to, type, text, strlen(text));
}

/* Answers a request, and drops the parts. */
static void answer(int listener, const char *request, struct strbuf *parts)
{
    const int connection = accept(listener, NULL, NULL);

    assert_true(connection >= 0);
    check_request(connection, request);
    assert_int_equal(write(connection, strbuf_string(parts), parts->length), parts->length);
    close(connection);
    strbuf_drop(parts, parts->length);
}

static void check_file(const char *name, const char *expected)
{
    char bytes[1000];
    const int fd = open(name, O_RDONLY | O_CLOEXEC);
    const ssize_t length = read(fd, bytes, sizeof bytes - 1);

    assert_true(length >= 0);
    bytes[length] = '\0';
    close(fd);
    assert_string_equal(bytes, expected);
    assert_int_equal(unlink(name), 0);
}

/* The end of the command; the listener is closed. */
static void check_end(int listener, pid_t child, int expected, const char *out, const char *err)
{
    int status;

    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), expected);
    check_file("out", out);
    check_file("err", err);
    close(listener);
    assert_int_equal(unlink("socket"), 0);
}

#define REQUEST(method, params)                                                                    \
    "isolator-call\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" method "\",\"params\":" params    \
    "}\n"

/* A call of a.b, which gets these parts. */
static void check_call(struct strbuf *parts, int status, const char *out, const char *err)
{
    char *words[] = {(char[]){"isolator-call"}, (char[]){"a.b"}, (char[]){"{\"x\":\n1}"}, NULL};
    const int listener = listen_here();
    const pid_t child = start(words);

    answer(listener, REQUEST("tools/call", "{\"name\":\"a.b\",\"arguments\":{\"x\": 1}}"), parts);
    check_end(listener, child, status, out, err);
}

CASE(tool_call__answers)
{
    CLEANUP(strbuf_release) struct strbuf parts = STRBUF_INIT;

    enter_directory();
    add_text(&parts, MUX_PART_TEXT, "one\n");
    add_text(&parts, MUX_PART_TEXT, "two\n");
    add_text(&parts, MUX_PART_END, "");
    add_text(&parts, MUX_PART_TEXT, "beyond the end\n");
    check_call(&parts, 0, "one\ntwo\n", "");
    add_text(&parts, MUX_PART_FAILED, "");
    add_text(&parts, MUX_PART_TEXT, "no such thing\n");
    add_text(&parts, MUX_PART_END, "");
    check_call(&parts, 1, "", "isolator-call: no such thing\n");
    leave_directory();
}

CASE(tool_call__answers_that_are_cut_off)
{
    static const char *const text = "isolator-call: cannot reach the tools: Connection reset by "
                                    "peer\n";
    CLEANUP(strbuf_release) struct strbuf parts = STRBUF_INIT;

    enter_directory();
    check_call(&parts, 1, "", text);
    add_text(&parts, MUX_PART_TEXT, "one\n");
    check_call(&parts, 1, "one\n", text);
    add_text(&parts, MUX_PART_TEXT, "one\n");
    parts.length -= 2;
    check_call(&parts, 1, "", text);
    add_text(&parts, MUX_PART_END, "");
    parts.length--;
    check_call(&parts, 1, "", text);
    leave_directory();
}

CASE(tool_call__files)
{
    CLEANUP(strbuf_release) struct strbuf parts = STRBUF_INIT;

    enter_directory();
    add_part(&parts, MUX_PART_FILE, "png\0ab", 6);
    add_part(&parts, MUX_PART_FILE, "png\0", 4);
    add_part(&parts, MUX_PART_FILE, "bin\0c", 5);
    add_text(&parts, MUX_PART_FAILED, "");
    add_part(&parts, MUX_PART_FILE, "bin\0d", 5);
    add_text(&parts, MUX_PART_END, "");
    check_call(&parts, 1, "tool-1.png\ntool-2.png\ntool-1.bin\n", "isolator-call: tool-2.bin\n");
    check_file("tool-1.png", "ab");
    check_file("tool-2.png", "");
    check_file("tool-1.bin", "c");
    check_file("tool-2.bin", "d");
    for (int i = 0; i < 2; i++) {
        add_text(&parts, MUX_PART_TEXT, "before\n");
        if (i == 0)
            add_text(&parts, MUX_PART_FILE, "png"); /* what was no base64 */
        else
            add_part(&parts, MUX_PART_FILE, "no/such\0x", 9);
        add_text(&parts, MUX_PART_TEXT, "after\n");
        add_text(&parts, MUX_PART_END, "");
        check_call(&parts, 1, "before\n",
                   "isolator-call: a part of the value is not base64, or cannot be written\n");
    }
    leave_directory();
}

/* A list of two pages. */
static void check_list(char *one, char *other, const char *expected)
{
    CLEANUP(strbuf_release) struct strbuf parts = STRBUF_INIT;
    char *words[] = {(char[]){"isolator-call"}, (char[]){"--list"}, one, other, NULL};
    const int listener = listen_here();
    const pid_t child = start(words);

    add_text(&parts, MUX_PART_TOOL, "a.one: The one.\nMore.");
    add_text(&parts, MUX_PART_CURSOR, "\"0.2\"");
    add_text(&parts, MUX_PART_END, "");
    answer(listener, REQUEST("tools/list", "{}"), &parts);
    add_text(&parts, MUX_PART_TOOL, "a.two");
    add_text(&parts, MUX_PART_END, "");
    answer(listener, REQUEST("tools/list", "{\"cursor\":\"0.2\"}"), &parts);
    check_end(listener, child, 0, expected, "");
}

CASE(tool_call__lists)
{
    char one[] = "ONE", more[] = "more", two[] = "two";

    enter_directory();
    check_list(NULL, NULL, "a.one: The one.\na.two\n");
    check_list(one, more, "a.one: The one.\n");
    check_list(two, NULL, "a.two\n");
    check_list(one, two, "");
    leave_directory();
}

CASE(tool_call__name)
{
    assert_true(tool_call_is_meant("isolator-call"));
    assert_true(tool_call_is_meant("/tmp/x/isolator-call"));
    assert_false(tool_call_is_meant("/.isolator/supervisor"));
    assert_false(tool_call_is_meant("isolator-call/x"));
}

/* The child: a call with more bytes than a socket holds. */
static _Noreturn void call_much(const char *path)
{
    enum { LENGTH = 4000000 };
    char *words[] = {(char[]){"isolator-call"}, (char[]){"a.b"}, malloc(LENGTH + 1), NULL};

    if (!words[2] || setenv("ISOLATOR_TOOLS", path, 1) != 0)
        _exit(9);
    memset(words[2], ' ', LENGTH);
    words[2][LENGTH] = '\0';
    signal(SIGPIPE, SIG_DFL);
    close(STDERR_FILENO);
    _exit(tool_call_main(3, words));
}

/* isolator closes the connection while the command writes. */
CASE(tool_call__connection_that_is_closed)
{
    int listener, connection, status;
    pid_t child;

    enter_directory();
    listener = listen_here();
    child = fork();
    if (child == 0)
        call_much("socket");
    connection = accept(listener, NULL, NULL);
    assert_true(connection >= 0);
    close(connection);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 1);
    close(listener);
    assert_int_equal(unlink("socket"), 0);
    leave_directory();
}
