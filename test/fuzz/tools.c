/*
 * Fuzz target: what a program says at the socket for tools (tools/tool_socket.h). The input is its
 * bytes, given at once and in three pieces, and then its end. It may use no server, so no process
 * starts. These properties are checked:
 *
 * - Each answer is a line with a JSON object of JSON-RPC that has a result or an error, or parts up
 * to an end after a line "isolator-call", and there are no more answers than lines.
 * - Every call is refused, and noted as one that failed.
 * - The connection is closed after the last answer.
 */
#include "fuzz.h"

#include "base/mux_link.h"
#include "tools/tool_socket.h"

static struct config config;
static struct tool_set *set;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    struct error error = ERROR_INIT;

    (void)argc, (void)argv;
    json_object_seed(1);
    fuzz_configure(&config, "{\"tools\": {\"one\": {\"command\": \"no-such-command\"}}}");
    set = tool_set_new(&config, &error);
    fuzz_require(set, "%s", error.message);
    return 0;
}

static void say(struct mux_link *link, enum mux_type type, const void *payload, size_t length)
{
    unsigned char header[MUX_HEADER];

    mux_write(header, 0, type, length);
    mux_link_take(link, (const char *)header, sizeof header);
    mux_link_take(link, payload, length);
}

/* Adds the data of the messages to the text. Returns whether the last one is CLOSE. */
static bool take_given(struct mux_link *link, struct strbuf *text)
{
    CLEANUP(strbuf_release) struct strbuf all = STRBUF_INIT;
    struct mux_message message = {.length = 0};
    char bytes[4096];
    size_t length, at = 0;
    bool closed = false;

    while ((length = mux_link_give(link, bytes, sizeof bytes)) > 0)
        strbuf_add(&all, bytes, length);
    for (; at < all.length; at += MUX_HEADER + message.length) {
        fuzz_require(mux_read((const unsigned char *)all.data + at, &message) && !closed, "at %zu",
                     at);
        closed = message.type == MUX_CLOSE;
        if (message.type == MUX_DATA)
            strbuf_add(text, all.data + at + MUX_HEADER, message.length);
    }
    return closed;
}

/* The answers to the bytes in pieces of this size. */
static struct strbuf converse(const uint8_t *data, size_t size, size_t piece, struct tool_log *log)
{
    static const struct strvec none = STRVEC_INIT;
    struct error error = ERROR_INIT;
    struct strbuf text = STRBUF_INIT;
    struct mux_link *link = mux_link_new(&error);
    struct tool_consent consent = TOOL_CONSENT_INIT;
    struct tool_socket *socket = tool_socket_new(set, &none, log, &consent, link, 0, &error);
    unsigned char number[4];
    bool closed = false;
    size_t before = 0;

    fuzz_require(socket, "%s", error.message);
    say(link, MUX_OPEN, NULL, 0);
    for (size_t at = 0; at < size; at += piece)
        say(link, MUX_DATA, data + at, size - at < piece ? size - at : piece);
    say(link, MUX_END, NULL, 0);
    for (size_t turn = 0; !(closed = take_given(link, &text)) && turn <= size; turn++) {
        mux_write_number(number, (uint32_t)(text.length - before));
        if (text.length > before)
            say(link, MUX_CREDIT, number, sizeof number);
        before = text.length;
        mux_link_serve(link);
    }
    fuzz_require(closed, "not closed after %zu bytes", text.length);
    tool_socket_free(socket);
    mux_link_free(link);
    return text;
}

/* Returns what follows the line. */
static const char *check_line(const char *line)
{
    const char *end = strchr(line, '\n');
    json_t *answer;

    fuzz_require(end, "%s", line);
    answer = json_loadb(line, (size_t)(end - line), 0, NULL);
    fuzz_require(json_is_object(json_object_get(answer, "result")) !=
                     json_is_object(json_object_get(answer, "error")),
                 "%.*s", (int)(end - line), line);
    json_decref(answer);
    return end + 1;
}

/* Lines, and after these ends of parts. */
static size_t check_answers(const struct strbuf *text)
{
    const char *at = strbuf_string(text), *end = at + text->length;
    size_t count = 0;

    for (; at < end && *at == '{'; count++)
        at = check_line(at);
    while (at < end) {
        fuzz_require(end - at >= MUX_PART_HEADER && *at >= 1 && *at <= MUX_PART_END, "%d", *at);
        count += *at == MUX_PART_END;
        at += MUX_PART_HEADER + mux_read_number((const unsigned char *)at + 1);
        fuzz_require(at <= end && (at < end || end[-MUX_PART_HEADER] == MUX_PART_END), "%zd",
                     end - at);
    }
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tool_log log = TOOL_LOG_INIT, again = TOOL_LOG_INIT;
    CLEANUP(strbuf_release) struct strbuf at_once = STRBUF_INIT, in_pieces = STRBUF_INIT;
    size_t lines = 1, piece = size / 3 + 1;

    if (size > MUX_DATA_MAX)
        return 0;
    for (size_t i = 0; i < size; i++)
        lines += data[i] == '\n';
    at_once = converse(data, size, size + 1, &log);
    in_pieces = converse(data, size, piece, &again);
    fuzz_require(check_answers(&at_once) <= lines, "%zu lines", lines);
    fuzz_require(check_answers(&in_pieces) <= lines, "%zu lines", lines);
    fuzz_require(log.succeeded == 0 && again.succeeded == 0, "%llu calls", log.succeeded);
    for (size_t i = 0; i < log.count; i++)
        fuzz_require(fuzz_is_line(log.entries[i].name), "%s", log.entries[i].name);
    tool_log_release(&log);
    tool_log_release(&again);
    return 0;
}
