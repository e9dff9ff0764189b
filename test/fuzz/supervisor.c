/*
 * Fuzz target: splitting the streams of a container into frames and the program's bytes. The input
 * is such a stream. Its author knows the nonce. These properties are checked:
 *
 * - The result is that of a simple reading of the whole, whether the bytes arrive all at once, one
 * by one or in pieces: the program's bytes without the frames, and the words of the frames.
 * - Only bytes that may still become a frame are held back. Of the bytes before "begin" only the
 * start is kept.
 * - The state only advances, from waiting to running to ended, and to the files if they were
 * requested. Numbers are within their ranges or unknown.
 */
#include "fuzz.h"

#include "run/supervisor.h"

#define NONCE "0123456789abcdef0123456789abcdef"

/* A frame with its NUL and its newline is no longer than this. */
enum { FRAME_MAX = 160, HEAD = sizeof NONCE + 1 };

/* The result of reading all bytes. */
struct expected {
    enum supervisor_state state;
    bool ready;
    struct strbuf preamble; /* all of it */
    struct strbuf program;
    struct strbuf files; /* of the tar */
    size_t pending;      /* bytes at the end that may be the start of a frame */
    char failure[16];
    long long numbers[4]; /* of "end" */
};

/* ---- the simple reading */

/* Whether the text is the start of a frame. */
static bool looks_like_frame(const char *text, size_t length)
{
    static const char head[] = "\0" NONCE " ";

    return memcmp(text, head, length < HEAD ? length : HEAD) == 0;
}

static long long plain_number(const char *word)
{
    if (*word == '\0' || strlen(word) > 18 || strspn(word, "0123456789") != strlen(word))
        return -1;
    return atoll(word);
}

/* "end STATUS OOM PEAK CPU" and whatever follows. */
static bool read_numbers(struct expected *expected, const char *words)
{
    CLEANUP_FREE char *copy = string_copy(words);
    char *rest = NULL;
    const char *word[5] = {NULL};

    for (int i = 0; i < 5; i++)
        word[i] = strtok_r(i == 0 ? copy : NULL, " \t\n\v\f\r", &rest);
    if (strncmp(words, "end ", 4) != 0 || !word[4] || plain_number(word[1]) < 0 ||
        plain_number(word[1]) > 255)
        return false;
    for (int i = 0; i < 4; i++)
        expected->numbers[i] = plain_number(word[i + 1]);
    return true;
}

/* Reads the words of a frame. False if they are the program's own bytes. */
static bool read_words(struct expected *expected, const char *words)
{
    if (expected->state == SUPERVISOR_RUNNING) {
        if (expected->ready ? !read_numbers(expected, words) : strcmp(words, "end") != 0)
            return false;
        expected->state = SUPERVISOR_ENDED;
    } else if (expected->state == SUPERVISOR_ENDED) {
        if (strcmp(words, "files") != 0)
            return false;
        expected->state = SUPERVISOR_FILES;
    } else if (strcmp(words, "begin") == 0) {
        expected->state = SUPERVISOR_RUNNING;
    } else if (strcmp(words, "ready") == 0) {
        expected->ready = true;
    } else if (strncmp(words, "fail ", 5) == 0) {
        snprintf(expected->failure, sizeof expected->failure, "%s", words + 5);
    }
    return true;
}

static void add_byte(struct expected *expected, char byte)
{
    if (expected->state == SUPERVISOR_WAITING)
        strbuf_addch(&expected->preamble, byte);
    else if (expected->state == SUPERVISOR_RUNNING)
        strbuf_addch(&expected->program, byte);
    else if (expected->state == SUPERVISOR_FILES)
        strbuf_addch(&expected->files, byte);
}

static struct expected read_plainly(const char *text, size_t size, bool wants_files)
{
    struct expected expected = {.numbers = {-1, -1, -1, -1}};

    for (size_t at = 0; at < size && (expected.state != SUPERVISOR_ENDED || wants_files);) {
        const size_t left = size - at;
        const char *newline = memchr(text + at, '\n', left < FRAME_MAX ? left : FRAME_MAX);
        const bool frame = expected.state != SUPERVISOR_FILES && looks_like_frame(text + at, left);

        if (frame && !newline && left < FRAME_MAX) {
            expected.pending = left;
            break;
        }
        if (frame && newline && (size_t)(newline - text) - at >= HEAD) {
            CLEANUP_FREE char *words = fuzz_string((const uint8_t *)text + at + HEAD,
                                                   (size_t)(newline - text) - at - HEAD);

            if (read_words(&expected, words)) {
                at = (size_t)(newline - text) + 1;
                continue;
            }
        }
        add_byte(&expected, text[at++]);
    }
    return expected;
}

/* ---- comparing with the stream */

/* The program's bytes, and those of the archive. */
struct bytes {
    struct strbuf program, files;
};

static void collect(void *context, enum supervisor_state state, const char *data, size_t length)
{
    struct bytes *bytes = context;

    fuzz_require(state == SUPERVISOR_RUNNING || state == SUPERVISOR_FILES, "%d", state);
    fuzz_require(length > 0, "the program is given nothing");
    strbuf_add(state == SUPERVISOR_RUNNING ? &bytes->program : &bytes->files, data, length);
}

static void check_bytes(const char *what, const struct strbuf *got, const struct strbuf *expected,
                        size_t most)
{
    const size_t length = expected->length < most ? expected->length : most;

    fuzz_require(got->length == length, "%s: %zu bytes, not %zu", what, got->length, length);
    fuzz_require(memcmp(strbuf_string(got), strbuf_string(expected), length) == 0,
                 "%s: other bytes", what);
}

static void check_end(const struct supervisor_stream *stream, const struct bytes *bytes,
                      const struct expected *expected)
{
    const long long *numbers = expected->numbers;

    fuzz_require(stream->state == expected->state, "%d, not %d", stream->state, expected->state);
    fuzz_require(stream->ready == expected->ready, "ready: %d", stream->ready);
    fuzz_require(strcmp(stream->failure, expected->failure) == 0, "'%s', not '%s'", stream->failure,
                 expected->failure);
    fuzz_require(stream->status == numbers[0] && stream->oom_kills == numbers[1] &&
                     stream->peak_bytes == numbers[2] && stream->cpu_us == numbers[3],
                 "%d %lld %lld %lld, not %lld %lld %lld %lld", stream->status, stream->oom_kills,
                 stream->peak_bytes, stream->cpu_us, numbers[0], numbers[1], numbers[2],
                 numbers[3]);
    fuzz_require(stream->status >= -1 && stream->status <= 255, "%d", stream->status);
    check_bytes("preamble", &stream->preamble, &expected->preamble, SUPERVISOR_PREAMBLE_MAX);
    check_bytes("program", &bytes->program, &expected->program, (size_t)-1);
    check_bytes("files", &bytes->files, &expected->files, (size_t)-1);
    fuzz_require(stream->pending.length == expected->pending, "%zu bytes held back, not %zu",
                 stream->pending.length, expected->pending);
}

/* Feeds the bytes in pieces of `step` bytes; 0: the first byte of each piece gives its size. */
static void check_feeding(const uint8_t *data, size_t size, size_t step, bool wants_files,
                          const struct expected *expected)
{
    CLEANUP(supervisor_stream_release) struct supervisor_stream stream;
    struct bytes bytes = {STRBUF_INIT, STRBUF_INIT};
    enum supervisor_state before = SUPERVISOR_WAITING;
    size_t piece;

    supervisor_stream_init(&stream, NONCE);
    stream.wants_files = wants_files;
    for (size_t fed = 0; fed < size; fed += piece) {
        piece = step > 0 ? step : 1 + data[fed] % 64;
        piece = piece < size - fed ? piece : size - fed;
        supervisor_stream_feed(&stream, (const char *)data + fed, piece, collect, &bytes);
        fuzz_require(stream.state >= before, "from %d to %d", before, stream.state);
        fuzz_require(stream.pending.length < FRAME_MAX, "%zu bytes held back",
                     stream.pending.length);
        before = stream.state;
    }
    check_end(&stream, &bytes, expected);
    strbuf_release(&bytes.program);
    strbuf_release(&bytes.files);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    return 0;
}

static void check(const uint8_t *data, size_t size, bool wants_files)
{
    struct expected expected = read_plainly((const char *)data, size, wants_files);

    check_feeding(data, size, size + 1, wants_files, &expected);
    check_feeding(data, size, 1, wants_files, &expected);
    check_feeding(data, size, 0, wants_files, &expected);
    strbuf_release(&expected.preamble);
    strbuf_release(&expected.program);
    strbuf_release(&expected.files);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check(data, size, false);
    check(data, size, true);
    return 0;
}
