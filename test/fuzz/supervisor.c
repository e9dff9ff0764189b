/*
 * Fuzz target: isolator's end of the connection to a supervisor, which may be played by a hostile
 * image. The first byte of the input chooses what is requested, a program with or without a relay,
 * a cell or KEEP, and how far the conversation has come; the rest arrives after that. These
 * properties are checked:
 *
 * - The result is that of a simple reading of the whole, whether the bytes arrive all at once, one
 * by one or in pieces: the program's streams, the report, the archive, the paths, and the fields of
 * END, FAILED and KEPT. So it is if they are sealed.
 * - The state only advances. After bytes that are no frame, and after the HELLO of gVisor, which
 * has to be followed by sealed ones, nothing more is taken.
 * - Never is more stdin or network sent than was granted, nor credit for more than the window
 * taken.
 */
#include "fuzz.h"

#include "base/linux.h"
#include "container/supervisor_link.h"

enum { STDIN_BYTES = 3 * FRAME_STDIN_WINDOW / 2, TEXT_MAX = 4096, KEEP_MAX = 5000 };
enum { HELLO_BYTES = FRAME_HEADER + FRAME_HELLO_SIZE };

/* The result of reading all bytes. */
struct conversation {
    enum supervisor_link_state state;
    bool requested, keeps, cell, relay, broken, seals, stdin_closed;
    struct strbuf out[2], report, files, network, paths, failed;
    struct frame_failed failure;
    struct frame_end end;
    struct frame_wait_state wait_state; /* the last one, also if it breaks off */
    struct frame_kept kept;
    size_t credit; /* for stdin that is left, of which nothing is sent meanwhile */
    size_t network_credit;
    size_t pending;
};

static int stdin_file; /* of STDIN_BYTES */

static void release(struct conversation *conversation)
{
    strbuf_release(&conversation->out[0]);
    strbuf_release(&conversation->out[1]);
    strbuf_release(&conversation->report);
    strbuf_release(&conversation->files);
    strbuf_release(&conversation->network);
    strbuf_release(&conversation->paths);
    strbuf_release(&conversation->failed);
}

/* ---- what came before */

static void add_frame(struct strbuf *bytes, int type, const void *payload, size_t length)
{
    const char header[FRAME_HEADER] = {(char)length, (char)(length >> 8), (char)(length >> 16), 0,
                                       (char)type};

    strbuf_add(bytes, header, sizeof header);
    strbuf_add(bytes, payload, length);
}

/* The frames that lead to a state, after a program or after KEEP, which never runs. */
static struct strbuf opening(enum supervisor_link_state state, bool keeps)
{
    static char hello[FRAME_HELLO_SIZE];
    const struct frame_hello head = {FRAME_HELLO_MAGIC, FRAME_VERSION, 0};
    const struct frame_end end = {.status = 1};
    const struct frame_kept kept = {5};
    struct strbuf bytes = STRBUF_INIT;

    memcpy(hello, &head, sizeof head);
    if (state >= LINK_READY)
        add_frame(&bytes, FRAME_HELLO, hello, sizeof hello);
    if (state >= LINK_RUNNING && !keeps)
        add_frame(&bytes, FRAME_BEGUN, NULL, 0);
    if (state >= LINK_ENDED && !keeps)
        add_frame(&bytes, FRAME_END, &end, sizeof end);
    if (state >= LINK_ENDED && keeps)
        add_frame(&bytes, FRAME_KEPT, &kept, sizeof kept);
    if (state >= LINK_COLLECTED)
        add_frame(&bytes, FRAME_FILES_END, NULL, 0);
    return bytes;
}

/* ---- the simple reading */

/* A number of four bytes. */
static uint32_t number(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static bool read_hello(struct conversation *to, const uint8_t *payload, size_t length)
{
    if (to->state != LINK_STARTING || length != FRAME_HELLO_SIZE ||
        memcmp(payload, "isolator supervisor\0\24\0\0\0", 24) != 0)
        return false;
    to->state = LINK_READY;
    to->seals = number(payload + 24) != 0;
    return true;
}

static bool read_failed(struct conversation *to, const uint8_t *payload, size_t length)
{
    if (to->state > LINK_RUNNING || length < 8)
        return false;
    to->failure = (struct frame_failed){number(payload), number(payload + 4)};
    strbuf_add(&to->failed, payload + 8, length - 8 < TEXT_MAX ? length - 8 : TEXT_MAX);
    to->state = LINK_ENDED;
    return to->failure.step != 0;
}

/* A larger figure is not believed (container/supervisor_link.c). */
static void bound_figure(uint64_t *figure)
{
    if (*figure > UINT64_C(1) << 48)
        *figure = FRAME_UNKNOWN;
}

static bool read_end(struct conversation *to, const uint8_t *payload, size_t length)
{
    if (to->state != LINK_RUNNING || length != sizeof to->end)
        return false;
    memcpy(&to->end, payload, sizeof to->end);
    bound_figure(&to->end.wall_us);
    bound_figure(&to->end.cpu_us);
    bound_figure(&to->end.peak_bytes);
    bound_figure(&to->end.used_bytes);
    to->state = LINK_ENDED;
    return to->end.signal < 128 && to->end.status < 256 && to->end.stays <= to->cell &&
           to->end.was_ready <= 1;
}

static bool read_kept(struct conversation *to, const uint8_t *payload, size_t length)
{
    struct frame_kept kept;

    if (to->state != LINK_READY || !to->keeps || length != sizeof kept)
        return false;
    memcpy(&kept, payload, sizeof kept);
    if (kept.bytes > KEEP_MAX)
        return false;
    to->kept = kept;
    to->state = LINK_ENDED;
    return true;
}

/* Whether the relay may be there. */
static bool relay_is_there(const struct conversation *to)
{
    return to->relay && (to->state == LINK_READY || to->state == LINK_RUNNING);
}

static bool read_credit(struct conversation *to, const uint8_t *payload, size_t length)
{
    const bool now = to->state == LINK_RUNNING || (to->state == LINK_READY && to->cell);
    size_t *credit;

    if (length != 8)
        return false;
    if (now && number(payload) == FRAME_STDIN)
        credit = &to->credit;
    else if (relay_is_there(to) && number(payload) == FRAME_NETWORK)
        credit = &to->network_credit;
    else
        return false;
    if (*credit + number(payload + 4) > FRAME_STDIN_WINDOW)
        return false;
    *credit += number(payload + 4);
    return true;
}

static bool read_bytes(struct strbuf *to, bool now, const uint8_t *payload, size_t length)
{
    if (now)
        strbuf_add(to, payload, length);
    return now && length > 0;
}

/* Moves from a state to another one, at a frame without payload. */
static bool advance(struct conversation *to, enum supervisor_link_state from,
                    enum supervisor_link_state state, size_t length)
{
    if (to->state != from || length > 0)
        return false;
    to->state = state;
    return true;
}

static bool read_path(struct conversation *to, const uint8_t *payload, size_t length)
{
    CLEANUP_FREE char *path = fuzz_string(payload, length);

    if (to->state != LINK_ENDED || length > TEXT_MAX)
        return false;
    strbuf_addf(&to->paths, "%s\n", path);
    return true;
}

static bool read_frame(struct conversation *to, int type, const uint8_t *payload, size_t length)
{
    const bool running = to->state == LINK_RUNNING;

    switch (type) {
    case FRAME_HELLO:
        return read_hello(to, payload, length);
    case FRAME_FAILED:
        return read_failed(to, payload, length);
    case FRAME_BEGUN:
        return to->requested && !to->keeps && advance(to, LINK_READY, LINK_RUNNING, length);
    case FRAME_STDOUT:
    case FRAME_STDERR:
        return read_bytes(&to->out[type == FRAME_STDERR], running, payload, length);
    case FRAME_REPORT:
        return read_bytes(&to->report, running && to->cell, payload, length);
    case FRAME_NETWORK:
        return read_bytes(&to->network, relay_is_there(to), payload, length);
    case FRAME_CREDIT:
        return read_credit(to, payload, length);
    case FRAME_STDIN_CLOSED:
        to->stdin_closed = to->stdin_closed || (running && length == 0);
        return running && length == 0;
    case FRAME_WAIT_STATE:
        return running && length == sizeof to->wait_state &&
               memcpy(&to->wait_state, payload, length) && to->wait_state.wait <= FRAME_WAIT_OUTPUT;
    case FRAME_END:
        return read_end(to, payload, length);
    case FRAME_FILES:
        return read_bytes(&to->files, to->state == LINK_ENDED, payload, length);
    case FRAME_TOO_LARGE:
        return read_path(to, payload, length);
    case FRAME_KEPT:
        return read_kept(to, payload, length);
    case FRAME_FILES_END:
        return advance(to, LINK_ENDED, LINK_COLLECTED, length);
    default:
        return false;
    }
}

/* `to` says what is requested. */
static struct conversation read_plainly(const struct strbuf *bytes, struct conversation to)
{
    const uint8_t *at = (const uint8_t *)bytes->data;
    size_t left = bytes->length;

    while (left >= FRAME_HEADER && !to.broken && !to.seals) {
        const size_t length = number(at);

        if (length > 131071 || at[5] || at[6] || at[7]) {
            to.broken = true;
        } else if (left - FRAME_HEADER < length) {
            break;
        } else {
            to.broken = !read_frame(&to, at[4], at + FRAME_HEADER, length);
            at += FRAME_HEADER + length;
            left -= FRAME_HEADER + length;
        }
    }
    to.pending = to.broken ? 0 : left;
    return to;
}

/* ---- comparing with the link */

static void take_bytes(void *context, enum frame_channel channel, const char *data, size_t length)
{
    struct conversation *conversation = context;
    struct strbuf *const taken[CHANNELS] = {[CHANNEL_STDOUT] = &conversation->out[0],
                                            [CHANNEL_STDERR] = &conversation->out[1],
                                            [CHANNEL_FILES] = &conversation->files,
                                            [CHANNEL_REPORT] = &conversation->report,
                                            [CHANNEL_NETWORK] = &conversation->network};

    fuzz_require(length > 0, "nothing in channel %d", channel);
    strbuf_add(taken[channel], data, length);
}

/* Nothing is left out but in a script. */
static void take_omitted(void *context, enum frame_channel channel, unsigned long long bytes)
{
    (void)context;
    fuzz_require(false, "%llu bytes of channel %d are left out", bytes, (int)channel);
}

static void take_path(void *context, const char *path)
{
    strbuf_addf(&((struct conversation *)context)->paths, "%s\n", path);
}

static void check_bytes(const char *what, const struct strbuf *got, const struct strbuf *expected)
{
    fuzz_require(got->length == expected->length, "%s: %zu bytes, not %zu", what, got->length,
                 expected->length);
    fuzz_require(memcmp(strbuf_string(got), strbuf_string(expected), got->length) == 0,
                 "%s: other bytes", what);
}

static void check_end(const struct supervisor_link *link, const struct conversation *got,
                      const struct conversation *expected)
{
    fuzz_require(link->state == expected->state, "%d, not %d", link->state, expected->state);
    fuzz_require(link->broken == expected->broken || expected->seals, "broken: %d", link->broken);
    fuzz_require(memcmp(&link->failure, &expected->failure, sizeof link->failure) == 0,
                 "step %u, error %u", link->failure.step, link->failure.error);
    fuzz_require(memcmp(&link->end, &expected->end, sizeof link->end) == 0, "status %u",
                 link->end.status);
    fuzz_require(link->kept_bytes == expected->kept.bytes, "a copy of %llu bytes",
                 (unsigned long long)link->kept_bytes);
    check_bytes("stdout", &got->out[0], &expected->out[0]);
    check_bytes("stderr", &got->out[1], &expected->out[1]);
    check_bytes("report", &got->report, &expected->report);
    check_bytes("files", &got->files, &expected->files);
    check_bytes("network", &got->network, &expected->network);
    check_bytes("paths", &got->paths, &expected->paths);
    check_bytes("path", &link->failed, &expected->failed);
    fuzz_require(link->broken || expected->seals || link->pending.length == expected->pending,
                 "%zu bytes held back, not %zu", link->pending.length, expected->pending);
    fuzz_require(!expected->requested || link->input_credit == expected->credit,
                 "credit for %zu bytes, not %zu", link->input_credit, expected->credit);
}

/* What the relay may still get is what there is credit for. */
static void check_network(const struct supervisor_link *link, const struct conversation *expected)
{
    const size_t credit = expected->network_credit;
    const bool none = !expected->relay || link->broken || link->state > LINK_RUNNING;

    fuzz_require(!expected->relay || link->network_credit == credit, "%zu bytes, not %zu",
                 link->network_credit, credit);
    fuzz_require(supervisor_link_network_room(link) == (none                   ? 0
                                                        : credit < FRAME_CHUNK ? credit
                                                                               : FRAME_CHUNK),
                 "room for %zu bytes with credit for %zu", supervisor_link_network_room(link),
                 credit);
}

/* Sends as much to the relay as may be sent at first. */
static void send_network(struct supervisor_link *link)
{
    static const char zeros[FRAME_CHUNK];
    CLEANUP(strbuf_release) struct strbuf queue = STRBUF_INIT;
    size_t room, total = 0;

    while ((room = supervisor_link_network_room(link)) > 0) {
        supervisor_link_send_network(link, zeros, room, &queue);
        total += room;
    }
    fuzz_require(total == (link->has_relay ? FRAME_STDIN_WINDOW : 0), "%zu bytes", total);
}

/* Sends what may be sent; how many bytes of stdin that is, with the headers of their frames. */
static size_t send_all(struct supervisor_link *link)
{
    size_t total = 0, before;

    do {
        struct strbuf queue = STRBUF_INIT;

        before = total;
        supervisor_link_send(link, &queue);
        total += queue.length;
        strbuf_release(&queue);
    } while (total > before);
    return total;
}

/* The stdin that follows is what there is credit for; none for KEEP, or to a closed stdin. */
static void check_stdin(struct supervisor_link *link, const struct conversation *expected)
{
    const size_t left = STDIN_BYTES - FRAME_STDIN_WINDOW;
    const bool none = expected->keeps || expected->stdin_closed;
    const size_t allowed = expected->credit < left ? expected->credit : left;
    const off_t before = link->input_at;

    send_all(link);
    fuzz_require(link->input_at - before == (off_t)(none ? 0 : allowed),
                 "%lld bytes of stdin, not %zu", (long long)(link->input_at - before), allowed);
}

static const struct supervisor_handler handler = {
    .take = take_bytes, .omitted = take_omitted, .too_large = take_path};

/*
 * Feeds the bytes: first those of the opening, then pieces of `step` bytes; 0: the first byte of
 * each piece gives its size.
 */
static void feed(struct supervisor_link *link, const struct strbuf *bytes, size_t opened,
                 size_t step, struct conversation *got)
{
    enum supervisor_link_state before = LINK_STARTING;
    size_t piece;

    for (size_t fed = 0; fed < bytes->length; fed += piece) {
        piece = fed < opened ? opened : step > 0 ? step : 1 + (uint8_t)bytes->data[fed] % 64U;
        piece = piece < bytes->length - fed ? piece : bytes->length - fed;
        supervisor_link_feed(link, bytes->data + fed, piece, &handler, got);
        fuzz_require(link->state >= before, "from %d to %d", before, link->state);
        fuzz_require(link->pending.length < FRAME_HEADER + FRAME_PAYLOAD_MAX, "%zu bytes held back",
                     link->pending.length);
        before = link->state;
    }
}

/* Feeds HELLO as that of gVisor, and what follows it in lines. */
static void feed_sealed(struct supervisor_link *link, const struct strbuf *bytes,
                        struct conversation *got)
{
    static char hello[HELLO_BYTES];
    struct sealed_lines lines;
    char line[SEALED_LINE_MAX];

    memcpy(hello, bytes->data, sizeof hello);
    hello[FRAME_HEADER + offsetof(struct frame_hello, is_gvisor)] = 1;
    supervisor_link_feed(link, hello, sizeof hello, &handler, got);
    send_all(link);
    sealed_lines_init(&lines, link->keys.from);
    for (size_t at = sizeof hello; at < bytes->length; at += SEALED_DATA_MAX) {
        const size_t left = bytes->length - at;
        const size_t length = left < SEALED_DATA_MAX ? left : SEALED_DATA_MAX;

        supervisor_link_feed(link, line, sealed_lines_write(&lines, bytes->data + at, length, line),
                             &handler, got);
    }
}

enum feeding { ALL_AT_ONCE, BYTE_BY_BYTE, IN_PIECES, SEALED };

static void check_feeding(const struct strbuf *bytes, size_t opened, enum feeding way,
                          const struct conversation *expected)
{
    static const size_t steps[] = {[ALL_AT_ONCE] = SIZE_MAX, [BYTE_BY_BYTE] = 1, [IN_PIECES] = 0};
    static const struct strvec none = STRVEC_INIT;
    static const struct limits limits;
    static char text[] = "{}";
    static const struct strbuf cell = {
        .data = text, .length = sizeof text - 1, .capacity = sizeof text};
    const struct program_request request = {.spec.command = &none,
                                            .spec.environment = &none,
                                            .spec.without_proxies = true,
                                            .spec.limits = &limits,
                                            .archive = -1,
                                            .spec.input = stdin_file,
                                            .spec.connections = expected->relay ? 1 : 0,
                                            .cell = expected->cell ? &cell : NULL};
    CLEANUP(supervisor_link_release) struct supervisor_link link;
    CLEANUP(release) struct conversation got = {.state = LINK_STARTING};

    supervisor_link_init(&link);
    if (expected->keeps)
        supervisor_link_keep(&link, -1, &(struct frame_keep){KEEP_MAX, 1000}, NULL);
    else if (expected->requested)
        supervisor_link_request(&link, &request);
    send_all(&link);
    send_network(&link);
    if (way == SEALED)
        feed_sealed(&link, bytes, &got);
    else
        feed(&link, bytes, opened, steps[way], &got);
    check_end(&link, &got, expected);
    check_network(&link, expected);
    if (expected->requested)
        check_stdin(&link, expected);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static const char zeros[STDIN_BYTES];

    (void)argc, (void)argv;
    stdin_file = linux_unnamed_file_of(zeros, sizeof zeros);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP(strbuf_release) struct strbuf bytes = STRBUF_INIT;
    CLEANUP(release) struct conversation expected = {.state = LINK_STARTING};
    size_t opened;
    bool requested, keeps, cell, relay;

    if (size == 0)
        return 0;
    /* A request is sent once the supervisor is ready: it may be, or is not yet. */
    requested = data[0] % 5 >= LINK_RUNNING || (data[0] & 0x80) != 0;
    keeps = requested && (data[0] & 0x40) != 0;
    cell = requested && !keeps && (data[0] & 0x20) != 0;
    relay = requested && !keeps && (data[0] & 0x10) != 0;
    bytes = opening((enum supervisor_link_state)(data[0] % 5), keeps);
    opened = bytes.length;
    strbuf_add(&bytes, data + 1, size - 1);
    expected =
        read_plainly(&bytes, (struct conversation){.requested = requested,
                                                   .keeps = keeps,
                                                   .cell = cell,
                                                   .relay = relay,
                                                   .credit = keeps ? FRAME_STDIN_WINDOW : 0});
    check_feeding(&bytes, opened, ALL_AT_ONCE, &expected);
    check_feeding(&bytes, opened, BYTE_BY_BYTE, &expected);
    check_feeding(&bytes, opened, IN_PIECES, &expected);
    if (opened >= HELLO_BYTES)
        check_feeding(&bytes, opened, SEALED, &expected);
    return 0;
}
