#include <string.h>

#include "base/text.h"
#include "network/http_request.h"
#include "network/http_text.h"

/*
 * How this works: chunks (RFC 9112, 7.1) pass as they are. Their lines are read byte by byte, by a
 * state machine whose state is a step and how many bytes it has had: of a line with a size, or of
 * the trailer. Extensions and the trailer have the bytes that fields may have, and each line ends
 * with CR LF, so that every reader sees the same lines.
 */

enum {
    DIGITS_MAX = 16, /* of the size of a chunk, with zeros in front */
    SIZE_LINE_MAX = 1024,
    TRAILER_MAX = 8192
};

/* The largest chunk, as the largest body. */
static const unsigned long long CHUNK_MAX = 1ULL << 53;

enum step {
    CHUNK_SIZE,
    CHUNK_EXTENSION,
    CHUNK_SIZE_LF, /* after the CR of the line */
    CHUNK_DATA,
    CHUNK_DATA_CR,
    CHUNK_DATA_LF,
    TRAILER_LINE, /* at its start */
    TRAILER_NAME,
    TRAILER_VALUE,
    TRAILER_LF,
    TRAILER_LAST_LF, /* of the empty line */
    CHUNKS_WRONG,
    STEPS
};

void http_body_begin(struct http_body_reader *reader, const struct http_request *request)
{
    *reader = (struct http_body_reader){
        .kind = request->body, .state = CHUNK_SIZE, .no_trailer = request->no_trailer};
    if (reader->kind == HTTP_BODY_LENGTH)
        reader->left = request->content;
    reader->ended = reader->kind != HTTP_BODY_CHUNKED && reader->left == 0;
}

/* Reads a byte of a size, which is in reader->left so far and has `count` digits. */
static enum step take_size(struct http_body_reader *reader, int count, char byte)
{
    const int digit = text_hex_digit(byte);

    if (digit < 0 && count > 0)
        return byte == '\r' ? CHUNK_SIZE_LF : byte == ';' ? CHUNK_EXTENSION : CHUNKS_WRONG;
    if (digit < 0 || count == DIGITS_MAX)
        return CHUNKS_WRONG;
    reader->left = reader->left * 16 + (unsigned)digit;
    return reader->left <= CHUNK_MAX ? CHUNK_SIZE : CHUNKS_WRONG;
}

/* Returns the step after this byte. */
static enum step take_byte(struct http_body_reader *reader, enum step step, int count, char byte)
{
    const bool is_cr = byte == '\r', is_lf = byte == '\n';

    switch (step) {
    case CHUNK_SIZE:
        return take_size(reader, count, byte);
    case CHUNK_EXTENSION:
        return is_cr ? CHUNK_SIZE_LF : http_is_value_byte(byte) ? CHUNK_EXTENSION : CHUNKS_WRONG;
    case CHUNK_SIZE_LF:
        return !is_lf ? CHUNKS_WRONG : reader->left > 0 ? CHUNK_DATA : TRAILER_LINE;
    case CHUNK_DATA_CR:
        return is_cr ? CHUNK_DATA_LF : CHUNKS_WRONG;
    case CHUNK_DATA_LF:
        return is_lf ? CHUNK_SIZE : CHUNKS_WRONG;
    case TRAILER_LINE:
        if (is_cr)
            return TRAILER_LAST_LF;
        return http_is_token_byte(byte) && !reader->no_trailer ? TRAILER_NAME : CHUNKS_WRONG;
    case TRAILER_NAME:
        return byte == ':' ? TRAILER_VALUE : http_is_token_byte(byte) ? TRAILER_NAME : CHUNKS_WRONG;
    case TRAILER_VALUE:
        return is_cr ? TRAILER_LF : http_is_value_byte(byte) ? TRAILER_VALUE : CHUNKS_WRONG;
    case TRAILER_LF:
        return is_lf ? TRAILER_LINE : CHUNKS_WRONG;
    case TRAILER_LAST_LF:
        reader->ended = is_lf;
        return is_lf ? TRAILER_LAST_LF : CHUNKS_WRONG;
    default:
        return CHUNKS_WRONG;
    }
}

/* Counts the byte that has led from one step to the next, from 0 on where a new count begins. */
static int count_byte(enum step step, int count)
{
    return step == CHUNK_SIZE_LF || step == CHUNK_DATA_LF ? 0 : count + 1;
}

static long take_chunks(struct http_body_reader *reader, const char *bytes, size_t length)
{
    enum step step = (enum step)(reader->state % STEPS), next;
    int count = reader->state / STEPS;
    size_t used = 0;

    while (used < length && !reader->ended) {
        if (step == CHUNK_DATA) {
            const size_t rest = length - used;
            const size_t taken = rest < reader->left ? rest : (size_t)reader->left;

            used += taken;
            reader->left -= taken;
            step = reader->left > 0 ? CHUNK_DATA : CHUNK_DATA_CR;
            continue;
        }
        next = take_byte(reader, step, count, bytes[used++]);
        count = count_byte(step, count);
        step = count > (next < TRAILER_LINE ? SIZE_LINE_MAX : TRAILER_MAX) ? CHUNKS_WRONG : next;
    }
    reader->state = count * STEPS + (int)step;
    return step == CHUNKS_WRONG ? -1 : (long)used;
}

long http_body_take(struct http_body_reader *reader, const char *bytes, size_t length)
{
    size_t taken;

    if (reader->kind == HTTP_BODY_CHUNKED)
        return take_chunks(reader, bytes, length);
    taken = length < reader->left ? length : (size_t)reader->left;
    reader->left -= taken;
    reader->ended = reader->left == 0;
    return (long)taken;
}
