#define _GNU_SOURCE
#include "supervisor/tool_call.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/mux.h"
#include "supervisor/json_scan.h"

#define FILE_PATH MUX_TOOLS_DIRECTORY "/" MUX_CALL_NAME

enum { CHUNK = 65536, FILES_MAX = 1000 };

static const char usage[] =
    "usage: " MUX_CALL_NAME
    " SERVER.TOOL [JSON]   calls a tool with these arguments, by default {};\n"
    "                                       with -, standard input has them\n"
    "       " MUX_CALL_NAME " --list [WORD...]     lists tools in whose name or description all\n"
    "                                       words occur\n";

bool tool_call_is_meant(const char *name)
{
    const char *slash = strrchr(name, '/');

    return strcmp(slash ? slash + 1 : name, MUX_CALL_NAME) == 0;
}

/* ---- the file */

static bool copy_bytes(int from, int to)
{
    char bytes[4096];
    ssize_t length;

    while ((length = read(from, bytes, sizeof bytes)) > 0)
        if (write(to, bytes, (size_t)length) != length)
            return false;
    return length == 0;
}

void tool_call_lay_out(void)
{
    const int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    int to = -1;

    if (from >= 0 && (mkdir(MUX_TOOLS_DIRECTORY, 0755) == 0 || errno == EEXIST)) {
        unlink(FILE_PATH); /* of the relay before */
        to = open(FILE_PATH, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0500);
    }
    if (to >= 0 && !copy_bytes(from, to))
        unlink(FILE_PATH);
    if (to >= 0)
        close(to);
    if (from >= 0)
        close(from);
}

/* ---- what is printed */

static void add_line(struct strbuf *text, const char *line, size_t length)
{
    strbuf_add(text, line, length);
    if (length == 0 || line[length - 1] != '\n')
        strbuf_addch(text, '\n');
}

static void add_text_line(struct strbuf *to, const char *value)
{
    struct strbuf text = STRBUF_INIT;

    json_scan_text(value, &text);
    add_line(to, strbuf_string(&text), text.length);
    strbuf_release(&text);
}

/* Opens a new file for data of this type: tool-N.SUBTYPE. -1: there is none. */
static int open_file(const char *type, char name[64])
{
    const char *slash = strchr(type, '/');
    char extension[16];
    int fd = -1;

    snprintf(extension, sizeof extension, "%s", slash ? slash + 1 : "");
    if (extension[0] == '\0' ||
        extension[strspn(extension, "abcdefghijklmnopqrstuvwxyz0123456789")] != '\0')
        strcpy(extension, "bin");
    for (int i = 1; i <= FILES_MAX && fd < 0; i++) {
        snprintf(name, 64, "tool-%d.%s", i, extension);
        fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    return fd;
}

/* Writes a file of the data, and adds its name. */
static bool save(const char *data, const char *type, struct strbuf *out)
{
    struct strbuf text = STRBUF_INIT, kind = STRBUF_INIT;
    char name[64], *bytes;
    bool good = false;
    size_t length;
    int fd;

    json_scan_text(data, &text);
    json_scan_text(type, &kind);
    bytes = base64_decode(strbuf_string(&text), text.length, &length);
    fd = bytes ? open_file(strbuf_string(&kind), name) : -1;
    if (fd >= 0) {
        good = write(fd, bytes, length) == (ssize_t)length;
        close(fd);
    }
    if (good)
        add_line(out, name, strlen(name));
    else if (fd >= 0)
        unlink(name);
    free(bytes);
    strbuf_release(&text);
    strbuf_release(&kind);
    return good;
}

/* Adds a part of the content: its text, the name of a file, or else the part itself. */
static bool add_part(const char *part, struct strbuf *out)
{
    const char *resource = json_scan_member(part, "resource");
    const char *content = resource ? resource : part;
    const char *text = json_scan_member(content, "text");
    const char *data = json_scan_member(content, resource ? "blob" : "data");

    if (text)
        add_text_line(out, text);
    else if (data)
        return save(data, json_scan_member(content, "mimeType"), out);
    else
        add_line(out, part, json_scan_length(part));
    return true;
}

/* An error of isolator. Returns the exit status; 0: the message is none. */
static int add_error(const char *message, struct strbuf *err)
{
    const char *error = json_scan_member(message, "error");

    if (!error && json_scan_member(message, "result"))
        return 0;
    if (error && json_scan_is(json_scan_member(error, "code"), "-32700"))
        strbuf_addstr(err, "the arguments are no JSON object, or have too many values\n");
    else if (error)
        add_text_line(err, json_scan_member(error, "message"));
    else
        strbuf_addstr(err, "the answer cannot be read\n");
    return 1;
}

int tool_call_print(const char *message, struct strbuf *out, struct strbuf *err)
{
    const char *result = json_scan_member(message, "result");
    const char *structured = json_scan_member(result, "structuredContent");
    const char *part = json_scan_first(json_scan_member(result, "content"));
    const bool failed = json_scan_is(json_scan_member(result, "isError"), "true");

    if (add_error(message, err) != 0)
        return 1;
    if (structured && !failed) {
        add_line(out, structured, json_scan_length(structured));
        return 0;
    }
    for (; part; part = json_scan_next(part))
        if (!add_part(part, failed ? err : out)) {
            strbuf_addstr(err, "a part of the value is not base64, or cannot be written\n");
            return 1;
        }
    if (failed && err->length == 0)
        strbuf_addstr(err, "the tool has failed\n");
    return failed ? 1 : 0;
}

/* ---- lists */

static bool has_all(const char *text, char *const *words)
{
    for (; *words; words++)
        if (!strcasestr(text, *words))
            return false;
    return true;
}

/* The name of the tool and the first line of its description, if they are looked for. */
static void add_tool(const char *tool, char *const *words, struct strbuf *out)
{
    struct strbuf line = STRBUF_INIT;
    size_t name_length;

    json_scan_text(json_scan_member(tool, "name"), &line);
    name_length = line.length;
    strbuf_addstr(&line, ": ");
    json_scan_text(json_scan_member(tool, "description"), &line);
    if (has_all(strbuf_string(&line), words)) {
        const size_t length = strcspn(strbuf_string(&line), "\n");

        add_line(out, strbuf_string(&line), length > name_length + 2 ? length : name_length);
    }
    strbuf_release(&line);
}

int tool_call_print_list(const char *message, char *const *words, char **cursor, struct strbuf *out,
                         struct strbuf *err)
{
    const char *result = json_scan_member(message, "result");
    const char *next = json_scan_member(result, "nextCursor");
    const char *tool = json_scan_first(json_scan_member(result, "tools"));

    *cursor = NULL;
    if (add_error(message, err) != 0)
        return 1;
    for (; tool; tool = json_scan_next(tool))
        add_tool(tool, words, out);
    if (next)
        *cursor = string_format("%.*s", (int)json_scan_length(next), next);
    return 0;
}

/* ---- the socket */

static int complain(const char *what)
{
    fprintf(stderr, MUX_CALL_NAME ": %s: %s\n", what, strerror(errno));
    return 1;
}

static bool write_all(int fd, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t written = send(fd, bytes, length, MSG_NOSIGNAL);

        if (written < 0 && errno == ENOTSOCK)
            written = write(fd, bytes, length);

        if (written < 0 && errno != EINTR)
            return false;
        if (written > 0) {
            bytes += written;
            length -= (size_t)written;
        }
    }
    return true;
}

/* Reads up to the end, or up to a newline, which is dropped. False: it cannot, or there is none. */
static bool read_text(int fd, bool a_line, struct strbuf *text)
{
    char chunk[CHUNK];
    ssize_t length;

    while ((length = read(fd, chunk, sizeof chunk)) != 0) {
        if (length < 0 && errno != EINTR)
            return false;
        if (length > 0)
            strbuf_add(text, chunk, (size_t)length);
        if (a_line && text->length > 0 && text->data[text->length - 1] == '\n')
            return true;
    }
    errno = ECONNRESET;
    return !a_line;
}

/* Sends a request, and returns the line that answers it, owned; NULL, with errno. */
static char *exchange(const char *method, const char *params)
{
    const char *path = getenv("ISOLATOR_TOOLS");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char *request = string_format(
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":%s}\n", method, params);
    struct strbuf answer = STRBUF_INIT;
    bool good;

    snprintf(address.sun_path, sizeof address.sun_path, "%s", path ? path : MUX_TOOLS_SOCKET);
    good = fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0 &&
           write_all(fd, request, strlen(request)) && read_text(fd, true, &answer);
    free(request);
    if (fd >= 0)
        close(fd);
    if (good)
        return strbuf_steal(&answer);
    strbuf_release(&answer);
    return NULL;
}

/* Prints both and returns the status. */
static int print(struct strbuf *out, struct strbuf *err, int status)
{
    if (!write_all(STDOUT_FILENO, strbuf_string(out), out->length) && status == 0)
        status = complain("cannot write");
    if (err->length > 0)
        fprintf(stderr, MUX_CALL_NAME ": %s", strbuf_string(err));
    strbuf_release(out);
    strbuf_release(err);
    return status;
}

static int list(char *const *words)
{
    struct strbuf out = STRBUF_INIT, err = STRBUF_INIT;
    char *cursor = NULL;
    int status = 0;

    do {
        char *params = cursor ? string_format("{\"cursor\":%s}", cursor) : string_copy("{}");
        char *message = exchange("tools/list", params);

        free(params);
        free(cursor);
        cursor = NULL;
        if (message)
            status = tool_call_print_list(message, words, &cursor, &out, &err);
        else
            status = complain("cannot reach the tools");
        free(message);
    } while (cursor);
    return print(&out, &err, status);
}

/* The arguments, owned. JSON may have line breaks between its values; a message has none. */
static char *read_arguments(const char *given)
{
    struct strbuf text = STRBUF_INIT;

    if (strcmp(given, "-") != 0)
        strbuf_addstr(&text, given);
    else if (!read_text(STDIN_FILENO, false, &text)) {
        complain("cannot read standard input");
        return NULL;
    }
    for (size_t i = 0; i < text.length; i++)
        if (text.data[i] == '\n' || text.data[i] == '\r')
            text.data[i] = ' ';
    return strbuf_steal(&text);
}

static int call(const char *name, const char *given)
{
    struct strbuf out = STRBUF_INIT, err = STRBUF_INIT;
    char *arguments = read_arguments(given), *params, *message;
    int status;

    if (!arguments)
        return 1;
    params = string_format("{\"name\":\"%s\",\"arguments\":%s}", name, arguments);
    message = exchange("tools/call", params);
    status = message ? tool_call_print(message, &out, &err) : complain("cannot reach the tools");
    free(arguments);
    free(params);
    free(message);
    return print(&out, &err, status);
}

int tool_call_main(int argc, char **argv)
{
    static const char characters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";

    if (argc >= 2 && strcmp(argv[1], "--list") == 0)
        return list(argv + 2);
    if (argc < 2 || argc > 3 || argv[1][0] == '-') {
        fputs(usage, argc == 2 && strcmp(argv[1], "--help") == 0 ? stdout : stderr);
        return argc == 2 && strcmp(argv[1], "--help") == 0 ? 0 : 2;
    }
    if (argv[1][strspn(argv[1], characters)] != '\0') {
        fprintf(stderr, MUX_CALL_NAME ": a tool has a name as in SERVER.TOOL\n");
        return 2;
    }
    return call(argv[1], argc == 3 ? argv[2] : "{}");
}
