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

#include "supervisor/json_scan.h"
#include "supervisor/tool_call.h"

/* ---- json_scan */

static void check_value(const char *value, const char *expected)
{
    CLEANUP_FREE char *seen = value ? strndup(value, json_scan_length(value)) : string_copy("-");

    assert_string_equal(seen, expected);
}

CASE(json_scan__members)
{
    static const char object[] =
        "{\"a\":1,\"b\":{\"a\":\"}\\\"]\",\"c\":[1,[2]]},\"d\":\"x\",\"e\":null}";
    const char *inner = json_scan_member(object, "b");

    check_value(json_scan_member(object, "a"), "1");
    check_value(inner, "{\"a\":\"}\\\"]\",\"c\":[1,[2]]}");
    check_value(json_scan_member(inner, "a"), "\"}\\\"]\"");
    check_value(json_scan_member(inner, "c"), "[1,[2]]");
    check_value(json_scan_member(object, "c"), "-");
    check_value(json_scan_member(object, "e"), "null");
    check_value(json_scan_member("{}", "a"), "-");
    check_value(json_scan_member("[1]", "a"), "-");
    check_value(json_scan_member(NULL, "a"), "-");
}

CASE(json_scan__items)
{
    const char *item = json_scan_first("[1,{\"a\":[]},\"]\"]");

    check_value(item, "1");
    item = json_scan_next(item);
    check_value(item, "{\"a\":[]}");
    item = json_scan_next(item);
    check_value(item, "\"]\"");
    check_value(json_scan_next(item), "-");
    check_value(json_scan_first("[]"), "-");
    check_value(json_scan_first("{}"), "-");
    check_value(json_scan_first(NULL), "-");
}

static void check_text(const char *value, const char *expected)
{
    struct strbuf text = STRBUF_INIT;

    assert_true(json_scan_text(value, &text));
    assert_string_equal(strbuf_string(&text), expected);
    strbuf_release(&text);
}

CASE(json_scan__texts)
{
    struct strbuf text = STRBUF_INIT;

    check_text("\"\"", "");
    check_text("\"a\\n\\t\\\"\\\\\\/\\b\\f\\r\",1", "a\n\t\"\\/\b\f\r");
    check_text("\"\\u0041\\u00E9\\u20ac\\ud83d\\ude00\"", "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
    check_text("\"\\ud83dx\\udc00\"", "\xef\xbf\xbdx\xef\xbf\xbd");
    assert_false(json_scan_text("1", &text));
    assert_false(json_scan_text(NULL, &text));
    assert_true(json_scan_is("\"ab\",", "ab"));
    assert_false(json_scan_is("\"abc\"", "ab"));
    assert_true(json_scan_is("true}", "true"));
    assert_false(json_scan_is("trues}", "true"));
    assert_false(json_scan_is(NULL, "true"));
}

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

/* Each beginning of a text: nothing beyond its end is read, which sanitizers and valgrind see. */
CASE(json_scan__texts_that_are_cut_off)
{
    static const char whole[] =
        "{\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"a\\u00e9\\\\\"},"
        "{\"data\":\"?\",\"mimeType\":\"x/y\"}],\"isError\":true}}";

    enter_directory();
    for (size_t length = 0; length < sizeof whole - 1; length++) {
        CLEANUP_FREE char *text = strndup(whole, length);
        struct strbuf out = STRBUF_INIT, err = STRBUF_INIT;
        char *cursor = NULL;

        assert_int_equal(tool_call_print(text, &out, &err) | 1, 1);
        tool_call_print_list(text, (char *[]){NULL}, &cursor, &out, &err);
        free(cursor);
        strbuf_release(&out);
        strbuf_release(&err);
        unlink("tool-1.bin"); /* of data that is cut off */
    }
    leave_directory();
}

/* ---- values */

static void check_printed(const char *message, int status, const char *out, const char *err)
{
    struct strbuf seen_out = STRBUF_INIT, seen_err = STRBUF_INIT;

    assert_int_equal(tool_call_print(message, &seen_out, &seen_err), status);
    assert_string_equal(strbuf_string(&seen_out), out);
    assert_string_equal(strbuf_string(&seen_err), err);
    strbuf_release(&seen_out);
    strbuf_release(&seen_err);
}

#define RESULT(members) "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{" members "}}\n"
#define TEXT(text)      "{\"type\":\"text\",\"text\":\"" text "\"}"

CASE(tool_call__values)
{
    check_printed(RESULT("\"content\":[" TEXT("no") "],\"structuredContent\":{\"a\":[1]}"), 0,
                  "{\"a\":[1]}\n", "");
    check_printed(RESULT("\"content\":[" TEXT("one") "," TEXT("two\\n") "],\"isError\":false"), 0,
                  "one\ntwo\n", "");
    check_printed(RESULT("\"content\":[]"), 0, "", "");
    check_printed(RESULT("\"content\":[{\"type\":\"resource_link\",\"uri\":\"x\"},"
                         "{\"type\":\"resource\",\"resource\":{\"text\":\"t\"}}]"),
                  0, "{\"type\":\"resource_link\",\"uri\":\"x\"}\nt\n", "");
}

CASE(tool_call__errors)
{
    check_printed(RESULT("\"content\":[" TEXT("no such\\nthing") "],\"isError\":true,"
                                                                 "\"structuredContent\":{}"),
                  1, "", "no such\nthing\n");
    check_printed("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-1,\"message\":\"why\"}}\n", 1,
                  "", "why\n");
    check_printed(RESULT("\"content\":[],\"isError\":true"), 1, "", "the tool has failed\n");
    check_printed("{\"id\":1,\"error\":{\"code\":-32700,\"message\":\"why\"}}\n", 1, "",
                  "the arguments are no JSON object, or have too many values\n");
    check_printed("[]", 1, "", "the answer cannot be read\n");
}

CASE(tool_call__files)
{
    char bytes[8];
    int fd;

    enter_directory();
    check_printed(
        RESULT("\"content\":[{\"type\":\"image\",\"data\":\"YWI=\",\"mimeType\":\"image/png\"},"
               "{\"type\":\"image\",\"data\":\"YQ==\",\"mimeType\":\"image/png\"},"
               "{\"type\":\"resource\",\"resource\":{\"blob\":\"\",\"mimeType\":\"x/../y\"}}]"),
        0, "tool-1.png\ntool-2.png\ntool-1.bin\n", "");
    fd = open("tool-1.png", O_RDONLY | O_CLOEXEC);
    assert_int_equal(read(fd, bytes, sizeof bytes), 2);
    assert_memory_equal(bytes, "ab", 2);
    close(fd);
    check_printed(RESULT("\"content\":[{\"type\":\"image\",\"data\":\"?\",\"mimeType\":\"a/b\"}]"),
                  1, "", "a part of the value is not base64, or cannot be written\n");
    assert_int_equal(unlink("tool-1.png") | unlink("tool-2.png") | unlink("tool-1.bin"), 0);
    leave_directory();
}

static void check_list(const char *message, char *const *words, const char *out, const char *next)
{
    struct strbuf seen = STRBUF_INIT, err = STRBUF_INIT;
    char *cursor = NULL;

    assert_int_equal(tool_call_print_list(message, words, &cursor, &seen, &err), 0);
    assert_string_equal(strbuf_string(&seen), out);
    assert_string_equal(cursor ? cursor : "-", next);
    free(cursor);
    strbuf_release(&seen);
    strbuf_release(&err);
}

CASE(tool_call__lists)
{
    static const char message[] = RESULT(
        "\"tools\":[{\"name\":\"a.one\",\"description\":\"The one.\\nMore.\",\"inputSchema\":{}},"
        "{\"name\":\"a.two\",\"inputSchema\":{\"x\":\"]\"}}],\"nextCursor\":\"0.2\"");
    char one[] = "ONE", more[] = "more", two[] = "two";

    check_list(message, (char *[]){NULL}, "a.one: The one.\na.two\n", "\"0.2\"");
    check_list(message, (char *[]){one, more, NULL}, "a.one: The one.\n", "\"0.2\"");
    check_list(message, (char *[]){one, two, NULL}, "", "\"0.2\"");
    check_list(RESULT("\"tools\":[]"), (char *[]){NULL}, "", "-");
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
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "socket"};
    const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int connection, status;
    pid_t child;

    enter_directory();
    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listener, 1), 0);
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
