#define _GNU_SOURCE
#include "supervisor/relay/tool_call.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/mux.h"
#include "base/strbuf.h"
#include "supervisor/descriptors.h"

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

struct answer {
    struct strbuf out, err;
    int status;
    char *const *words; /* of a list: what a tool has, up to a NULL */
    char *cursor;       /* owned; NULL: a list does not go on */
};

/* Opens a new file, tool-N.EXTENSION. -1: there is none. */
static int open_file(const char *extension, char name[64])
{
    int fd = -1;

    for (int i = 1; i <= FILES_MAX && fd < 0; i++) {
        snprintf(name, 64, "tool-%d.%s", i, extension);
        fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    return fd;
}

/* Writes the file of a part, and adds its name. */
static bool save(const struct strbuf *part, struct strbuf *names)
{
    const char *extension = strbuf_string(part);
    const size_t start = strlen(extension) + 1;
    char name[64];
    bool good = false;
    int fd;

    if (start > part->length || (fd = open_file(extension, name)) < 0)
        return false;
    good = write(fd, extension + start, part->length - start) == (ssize_t)(part->length - start);
    close(fd);
    if (good)
        strbuf_addf(names, "%s\n", name);
    else
        unlink(name);
    return good;
}

/* The first line of a tool, if it is looked for. */
static void add_tool(const char *tool, char *const *words, struct strbuf *out)
{
    for (; *words; words++)
        if (!strcasestr(tool, *words))
            return;
    strbuf_addf(out, "%.*s\n", (int)strcspn(tool, "\n"), tool);
}

/* False: nothing of what follows is printed. */
static bool take_part(struct answer *answer, enum mux_part type, const struct strbuf *part)
{
    struct strbuf *to = answer->status == 0 ? &answer->out : &answer->err;

    switch (type) {
    case MUX_PART_TEXT:
        strbuf_add(to, part->data, part->length);
        return true;
    case MUX_PART_FILE:
        if (save(part, to))
            return true;
        strbuf_addstr(&answer->err, "a part of the value is not base64, or cannot be written\n");
        answer->status = 1;
        return false;
    case MUX_PART_FAILED:
        answer->status = 1;
        return true;
    case MUX_PART_TOOL:
        add_tool(strbuf_string(part), answer->words, to);
        return true;
    case MUX_PART_CURSOR:
        free(answer->cursor);
        answer->cursor = string_copy(strbuf_string(part));
        return true;
    default:
        return false;
    }
}

/* ---- the socket */

static int complain(const char *what)
{
    fprintf(stderr, MUX_CALL_NAME ": %s: %s\n", what, strerror(errno));
    return 1;
}

/* Adds what comes until the text has so many bytes, or up to the end. False: it cannot be read. */
static bool read_text(int fd, size_t max, struct strbuf *text)
{
    char chunk[CHUNK];
    ssize_t length;

    while (text->length < max) {
        length = read(fd, chunk, max - text->length < CHUNK ? max - text->length : CHUNK);
        if (length == 0)
            break;
        if (length < 0 && errno != EINTR)
            return false;
        if (length > 0)
            strbuf_add(text, chunk, (size_t)length);
    }
    return true;
}

/* Reads so many bytes. */
static bool read_whole(int fd, size_t length, struct strbuf *text)
{
    strbuf_drop(text, text->length);
    if (!read_text(fd, length, text))
        return false;
    errno = ECONNRESET;
    return text->length == length;
}

/* Reads the parts of an answer. False, with errno: there are not all. */
static bool read_answer(int fd, struct answer *answer)
{
    struct strbuf part = STRBUF_INIT;
    enum mux_part type = MUX_PART_END;
    bool good, goes_on;

    do {
        good = read_whole(fd, MUX_PART_HEADER, &part);
        if (good) {
            type = (enum mux_part)part.data[0];
            good = read_whole(fd, mux_read_number((unsigned char *)part.data + 1), &part);
        }
        goes_on = good && take_part(answer, type, &part);
    } while (goes_on);
    strbuf_release(&part);
    return good;
}

/* Sends a request, and takes what answers it. */
static void exchange(const char *method, const char *params, struct answer *answer)
{
    const char *path = getenv("ISOLATOR_TOOLS");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char *request = string_format(
        MUX_CALL_NAME "\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":%s}\n", method,
        params);
    bool good;

    snprintf(address.sun_path, sizeof address.sun_path, "%s", path ? path : MUX_TOOLS_SOCKET);
    good = fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0 &&
           descriptor_write_all(fd, request, strlen(request)) && read_answer(fd, answer);
    free(request);
    if (fd >= 0)
        close(fd); /* it is standard error if the caller has none */
    if (!good)
        answer->status = complain("cannot reach the tools");
}

/* Prints the answer and returns the status. */
static int print(struct answer *answer)
{
    if (!descriptor_write_all(STDOUT_FILENO, strbuf_string(&answer->out), answer->out.length) &&
        answer->status == 0)
        answer->status = complain("cannot write");
    if (answer->err.length > 0)
        fprintf(stderr, MUX_CALL_NAME ": %s", strbuf_string(&answer->err));
    strbuf_release(&answer->out);
    strbuf_release(&answer->err);
    return answer->status;
}

static int list(char *const *words)
{
    struct answer answer = {.words = words};

    do {
        char *params =
            answer.cursor ? string_format("{\"cursor\":%s}", answer.cursor) : string_copy("{}");

        free(answer.cursor);
        answer.cursor = NULL;
        exchange("tools/list", params, &answer);
        free(params);
    } while (answer.cursor);
    return print(&answer);
}

/* The arguments, owned. JSON may have line breaks between its values; a message has none. */
static char *read_arguments(const char *given)
{
    struct strbuf text = STRBUF_INIT;

    if (strcmp(given, "-") != 0)
        strbuf_addstr(&text, given);
    else if (!read_text(STDIN_FILENO, SIZE_MAX, &text)) {
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
    struct answer answer = {.words = (char *[]){NULL}};
    char *arguments = read_arguments(given), *params;

    if (!arguments)
        return 1;
    params = string_format("{\"name\":\"%s\",\"arguments\":%s}", name, arguments);
    exchange("tools/call", params, &answer);
    free(arguments);
    free(params);
    return print(&answer);
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
