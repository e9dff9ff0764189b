#include "network/client_hello.h"

#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strbuf.h"

/* RFC 8446, 5.1 and 4; RFC 6066, 3 */
enum {
    RECORD_HANDSHAKE = 22,
    RECORD_HEADER = 5,
    RECORD_MAX = 16384,
    MESSAGE_CLIENT_HELLO = 1,
    MESSAGE_HEADER = 4,
    VERSION_MAJOR = 3, /* of TLS 1.0 to 1.3 */
    RANDOM_SIZE = 32,
    EXTENSION_SERVER_NAME = 0,
    NAME_TYPE_HOST = 0
};

/* Bytes that are left to read. */
struct cursor {
    const unsigned char *at;
    size_t left;
};

static size_t number(const unsigned char *bytes, size_t width)
{
    size_t value = 0;

    for (size_t i = 0; i < width; i++)
        value = value << 8 | bytes[i];
    return value;
}

/* Moves the next bytes into `part`. False: there are fewer. */
static bool take(struct cursor *cursor, size_t length, struct cursor *part)
{
    if (length > cursor->left)
        return false;
    *part = (struct cursor){cursor->at, length};
    *cursor = (struct cursor){cursor->at + length, cursor->left - length};
    return true;
}

static bool take_number(struct cursor *cursor, size_t width, size_t *value)
{
    struct cursor bytes;

    if (!take(cursor, width, &bytes))
        return false;
    *value = number(bytes.at, width);
    return true;
}

/* The same for bytes that have their length in front of them, a number of `width` bytes. */
static bool take_vector(struct cursor *cursor, size_t width, struct cursor *part)
{
    size_t length;

    return take_number(cursor, width, &length) && take(cursor, length, part);
}

/* Reads the data of the extension server_name: a list that has one name of a host. */
static bool read_server_name(struct cursor data, char name[HOST_NAME_SIZE])
{
    struct cursor list, host;
    size_t type;

    return take_vector(&data, 2, &list) && data.left == 0 && take_number(&list, 1, &type) &&
           type == NAME_TYPE_HOST && take_vector(&list, 2, &host) && list.left == 0 &&
           host_name_read((const char *)host.at, host.left, name);
}

static enum client_hello read_extensions(struct cursor extensions, char name[HOST_NAME_SIZE])
{
    enum client_hello result = CLIENT_HELLO_NAMELESS;
    struct cursor data;
    size_t type;

    while (extensions.left > 0) {
        if (!take_number(&extensions, 2, &type) || !take_vector(&extensions, 2, &data))
            return CLIENT_HELLO_WRONG;
        if (type != EXTENSION_SERVER_NAME)
            continue;
        if (result == CLIENT_HELLO_NAMED || !read_server_name(data, name))
            return CLIENT_HELLO_WRONG;
        result = CLIENT_HELLO_NAMED;
    }
    return result;
}

/* Reads the message after its header. TLS 1.2 may have no extensions at all. */
static enum client_hello read_message(struct cursor message, char name[HOST_NAME_SIZE])
{
    struct cursor random, session, ciphers, compressions, extensions;
    size_t major, minor;

    if (!take_number(&message, 1, &major) || major != VERSION_MAJOR ||
        !take_number(&message, 1, &minor) || !take(&message, RANDOM_SIZE, &random) ||
        !take_vector(&message, 1, &session) || !take_vector(&message, 2, &ciphers) ||
        !take_vector(&message, 1, &compressions))
        return CLIENT_HELLO_WRONG;
    if (session.left > 32 || ciphers.left == 0 || ciphers.left % 2 != 0 || compressions.left == 0)
        return CLIENT_HELLO_WRONG;
    if (message.left == 0)
        return CLIENT_HELLO_NAMELESS;
    if (!take_vector(&message, 2, &extensions) || message.left > 0)
        return CLIENT_HELLO_WRONG;
    return read_extensions(extensions, name);
}

/* Whether these bytes, of which there are one or more, can start a record of a handshake. */
static bool can_start_record(const unsigned char *bytes, size_t length)
{
    return bytes[0] == RECORD_HANDSHAKE && (length < 2 || bytes[1] == VERSION_MAJOR) &&
           (length < RECORD_HEADER ||
            (number(bytes + 3, 2) >= 1 && number(bytes + 3, 2) <= RECORD_MAX));
}

/* Adds what is in the records, which are whole, to `message`. */
static void join_records(const unsigned char *bytes, size_t length, struct strbuf *message)
{
    for (size_t at = 0; at < length;) {
        const size_t size = number(bytes + at + 3, 2);

        strbuf_add(message, bytes + at + RECORD_HEADER, size);
        at += RECORD_HEADER + size;
    }
}

/*
 * Walks over the records without copying them, since it does so each time that more bytes have
 * come. The message is complete if *end is set, to where its last record ends.
 */
static enum client_hello find_end(const unsigned char *bytes, size_t length, size_t *end)
{
    unsigned char header[MESSAGE_HEADER] = {0};
    size_t before = 0; /* bytes of the message in the records before this one */

    for (size_t at = 0; at < length;) {
        const size_t left = length - at;

        if (!can_start_record(bytes + at, left))
            return CLIENT_HELLO_WRONG;
        if (left < RECORD_HEADER)
            break;
        const size_t size = number(bytes + at + 3, 2);
        const size_t here = size < left - RECORD_HEADER ? size : left - RECORD_HEADER;

        for (size_t i = 0; i < here && before + i < MESSAGE_HEADER; i++)
            header[before + i] = bytes[at + RECORD_HEADER + i];
        if (before + here > 0 && header[0] != MESSAGE_CLIENT_HELLO)
            return CLIENT_HELLO_WRONG;
        if (before + here >= MESSAGE_HEADER) {
            const size_t total = MESSAGE_HEADER + number(header + 1, 3);

            /* What follows a ClientHello in its record would be another message. */
            if (total > CLIENT_HELLO_MAX - RECORD_HEADER || before + size > total)
                return CLIENT_HELLO_WRONG;
            if (before + here == total) {
                *end = at + RECORD_HEADER + size;
                return CLIENT_HELLO_INCOMPLETE;
            }
        }
        before += here;
        at += RECORD_HEADER + here;
    }
    return length == CLIENT_HELLO_MAX ? CLIENT_HELLO_WRONG : CLIENT_HELLO_INCOMPLETE;
}

enum client_hello client_hello_read(const unsigned char *bytes, size_t length,
                                    char name[HOST_NAME_SIZE])
{
    CLEANUP(strbuf_release) struct strbuf message = STRBUF_INIT;
    size_t end = 0;
    const enum client_hello found =
        find_end(bytes, length < CLIENT_HELLO_MAX ? length : CLIENT_HELLO_MAX, &end);

    if (end == 0)
        return found;
    join_records(bytes, end, &message);
    return read_message((struct cursor){(const unsigned char *)message.data + MESSAGE_HEADER,
                                        message.length - MESSAGE_HEADER},
                        name);
}
