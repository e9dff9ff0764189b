#include "test.h"

#include "network/client_hello.h"

/* ---- ClientHellos, as literal bytes where it is about them */

static void add_number(struct strbuf *out, size_t value, int width)
{
    while (width-- > 0)
        strbuf_addch(out, (char)(value >> (8 * width) & 0xff));
}

static void add_vector(struct strbuf *out, const char *bytes, size_t length, int width)
{
    add_number(out, length, width);
    strbuf_add(out, bytes, length);
}

/* The data of server_name for one name. */
static void add_list(struct strbuf *out, const char *name, size_t length)
{
    add_number(out, length + 3, 2);
    strbuf_addch(out, 0);
    add_vector(out, name, length, 2);
}

static void add_extension(struct strbuf *out, int type, const char *data, size_t length)
{
    add_number(out, (size_t)type, 2);
    add_vector(out, data, length, 2);
}

static void add_name(struct strbuf *out, const char *name, size_t length)
{
    CLEANUP(strbuf_release) struct strbuf list = STRBUF_INIT;

    add_list(&list, name, length);
    add_extension(out, 0, list.data, list.length);
}

static const char BEFORE[] = "\x03\x03"
                             "0123456789abcdef0123456789abcdef" /* random */
                             "\x04"
                             "sess"
                             "\x00\x04\x13\x01\x13\x02" /* ciphers */
                             "\x01\x00";                /* compressions */
enum { BEFORE_LENGTH = sizeof BEFORE - 1 };

/* The message: its header, and what is in it. */
static void add_message(struct strbuf *out, const char *before, size_t length,
                        const struct strbuf *extensions)
{
    strbuf_addch(out, 1);
    add_number(out, length + (extensions ? 2 + extensions->length : 0), 3);
    strbuf_add(out, before, length);
    if (extensions)
        add_vector(out, strbuf_string(extensions), extensions->length, 2);
}

/* Adds the message in records that have this many bytes of it. */
static void add_records(struct strbuf *out, const struct strbuf *message, size_t size)
{
    for (size_t at = 0; at < message->length; at += size) {
        const size_t left = message->length - at;

        strbuf_add(out, "\x16\x03\x01", 3);
        add_vector(out, message->data + at, left < size ? left : size, 2);
    }
}

/* ---- reading */

/* Reads at once, and byte by byte until there is a result; `decided` is how many that took. */
static enum client_hello read_hello(const char *bytes, size_t length, char name[HOST_NAME_SIZE],
                                    size_t *decided)
{
    char again[HOST_NAME_SIZE] = "";
    enum client_hello part = CLIENT_HELLO_INCOMPLETE;
    const enum client_hello result = client_hello_read((const unsigned char *)bytes, length, name);

    for (size_t have = 0; have <= length && part == CLIENT_HELLO_INCOMPLETE; have++) {
        CLEANUP_FREE unsigned char *copy = malloc(have + 1);

        memcpy(copy + 1, bytes, have);
        part = client_hello_read(copy + 1, have, again);
        *decided = have;
    }
    assert_int_equal(part, result);
    if (result == CLIENT_HELLO_NAMED)
        assert_string_equal(again, name);
    return result;
}

static void check_hello(const struct strbuf *hello, enum client_hello expected, const char *name)
{
    char got[HOST_NAME_SIZE] = "";
    size_t decided;
    const enum client_hello result = read_hello(hello->data, hello->length, got, &decided);

    if (result != expected)
        fail_msg("result %d, not %d", result, expected);
    if (name)
        assert_string_equal(got, name);
    if (result == CLIENT_HELLO_NAMED || result == CLIENT_HELLO_NAMELESS)
        assert_int_equal(decided, hello->length);
}

/* The same for these extensions, in one record. */
static void check_extensions(const struct strbuf *extensions, enum client_hello expected,
                             const char *name)
{
    CLEANUP(strbuf_release) struct strbuf message = STRBUF_INIT;
    CLEANUP(strbuf_release) struct strbuf hello = STRBUF_INIT;

    add_message(&message, BEFORE, BEFORE_LENGTH, extensions);
    add_records(&hello, &message, 16384);
    check_hello(&hello, expected, name);
}

/* The same for an extension server_name with this data. */
static void check_data(const char *data, size_t length, enum client_hello expected)
{
    CLEANUP(strbuf_release) struct strbuf extensions = STRBUF_INIT;

    add_extension(&extensions, 0, data, length);
    check_extensions(&extensions, expected, NULL);
}

static void check_name(const char *name, size_t length, enum client_hello expected,
                       const char *canonical)
{
    CLEANUP(strbuf_release) struct strbuf extensions = STRBUF_INIT;

    add_extension(&extensions, 10, "\0\x02\0\x1d", 4);
    add_name(&extensions, name, length);
    add_extension(&extensions, 0x2b, "\x02\x03\x04", 3);
    check_extensions(&extensions, expected, canonical);
}

CASE(client_hello__names)
{
    check_name("example.com", 11, CLIENT_HELLO_NAMED, "example.com");
    check_name("Example.COM.", 12, CLIENT_HELLO_NAMED, "example.com");
    check_name("", 0, CLIENT_HELLO_WRONG, NULL);
    check_name("a b", 3, CLIENT_HELLO_WRONG, NULL);
    check_name("a\0.b", 4, CLIENT_HELLO_WRONG, NULL);
    check_name("127.1", 5, CLIENT_HELLO_WRONG, NULL);
}

CASE(client_hello__nameless)
{
    CLEANUP(strbuf_release) struct strbuf extensions = STRBUF_INIT;
    CLEANUP(strbuf_release) struct strbuf message = STRBUF_INIT;
    CLEANUP(strbuf_release) struct strbuf hello = STRBUF_INIT;

    add_message(&message, BEFORE, BEFORE_LENGTH, NULL);
    add_records(&hello, &message, 16384);
    check_hello(&hello, CLIENT_HELLO_NAMELESS, NULL);
    check_extensions(&extensions, CLIENT_HELLO_NAMELESS, NULL); /* an empty list of them */
    add_extension(&extensions, 10, "\0\x02\0\x1d", 4);
    check_extensions(&extensions, CLIENT_HELLO_NAMELESS, NULL);
}

CASE(client_hello__lists)
{
    CLEANUP(strbuf_release) struct strbuf extensions = STRBUF_INIT;

    check_data("\0\x04\0\0\x01"
               "a",
               6, CLIENT_HELLO_NAMED);
    check_data("", 0, CLIENT_HELLO_WRONG);
    check_data("\0", 1, CLIENT_HELLO_WRONG);
    check_data("\0\0", 2, CLIENT_HELLO_WRONG);
    check_data("\0\x04\0\0\x01"
               "ab",
               7, CLIENT_HELLO_WRONG); /* after the list */
    check_data("\0\x05\0\0\x01"
               "ab",
               7, CLIENT_HELLO_WRONG); /* after the name */
    check_data("\0\x05\0\0\x01"
               "a",
               6, CLIENT_HELLO_WRONG); /* a list that is cut */
    check_data("\0\x04\0\0\x02"
               "a",
               6, CLIENT_HELLO_WRONG); /* a name that is cut */
    check_data("\0\x04\x01\0\x01"
               "a",
               6, CLIENT_HELLO_WRONG); /* another type of name */
    check_data("\0\x08\0\0\x01"
               "a\0\0\x01"
               "b",
               10, CLIENT_HELLO_WRONG); /* two names */
    add_name(&extensions, "a", 1);
    add_name(&extensions, "a", 1);
    check_extensions(&extensions, CLIENT_HELLO_WRONG, NULL);
}

CASE(client_hello__cut_extensions)
{
    CLEANUP(strbuf_release) struct strbuf extensions = STRBUF_INIT;

    add_name(&extensions, "a", 1);
    strbuf_addch(&extensions, 0);
    check_extensions(&extensions, CLIENT_HELLO_WRONG, NULL);
    strbuf_add(&extensions, "\x0a\0\x02x", 4);
    check_extensions(&extensions, CLIENT_HELLO_WRONG, NULL);
}

/* What is before the extensions; 32 bytes of random are after the version. */
CASE(client_hello__bad_messages)
{
#define RANDOM    "0123456789abcdef0123456789abcdef"
#define SESSION33 "\x21" RANDOM "x"
#define ROW(bytes)                                                                                 \
    {                                                                                              \
        bytes, sizeof(bytes) - 1                                                                   \
    }
    static const struct {
        const char *bytes;
        size_t length;
    } rows[] = {ROW(""),
                ROW("\x03"),
                ROW("\x03\x03"
                    "0123456789abcdef"),
                ROW("\x02\x03" RANDOM "\0"
                    "\0\x02\x13\x01"
                    "\x01\0"),
                ROW("\xfe\xff" RANDOM "\0"
                    "\0\x02\x13\x01"
                    "\x01\0"),
                ROW("\x03\x03" RANDOM),
                ROW("\x03\x03" RANDOM SESSION33 "\0\x02\x13\x01"
                    "\x01\0"),
                ROW("\x03\x03" RANDOM "\0"
                    "\0\0"
                    "\x01\0"),
                ROW("\x03\x03" RANDOM "\0"
                    "\0\x03\x13\x01\x13"
                    "\x01\0"),
                ROW("\x03\x03" RANDOM "\0"
                    "\0\x02\x13\x01"
                    "\0"),
                ROW("\x03\x03" RANDOM "\0"
                    "\0\x02\x13\x01"),
                ROW("\x03\x03" RANDOM "\0"
                    "\0\x02\x13\x01"
                    "\x01\0"
                    "\0"),
                ROW("\x03\x03" RANDOM "\0"
                    "\0\x02\x13\x01"
                    "\x01\0"
                    "\0\x01"),
                ROW("\x03\x03" RANDOM "\0"
                    "\0\x02\x13\x01"
                    "\x01\0"
                    "\0\0"
                    "x")};

    for (size_t i = 0; i < COUNT(rows); i++) {
        CLEANUP(strbuf_release) struct strbuf message = STRBUF_INIT;
        CLEANUP(strbuf_release) struct strbuf hello = STRBUF_INIT;
        char name[HOST_NAME_SIZE];
        size_t decided;

        add_message(&message, rows[i].bytes, rows[i].length, NULL);
        add_records(&hello, &message, 16384);
        if (read_hello(hello.data, hello.length, name, &decided) != CLIENT_HELLO_WRONG)
            fail_msg("row %zu is taken", i);
    }
}

/* Bytes that cannot become a ClientHello, and how many of them say so. */
CASE(client_hello__wrong_at_once)
{
    static const struct {
        const char *bytes;
        size_t length, decided;
    } rows[] = {{"SSH-2.0-x", 9, 1},
                {"GET / HTTP/1.1", 14, 1},
                {"\x15\x03\x01\0\x02\x01\0", 7, 1},         /* an alert */
                {"\x80\x2e\x01\x03\x01", 5, 1},             /* of SSL 2.0 */
                {"\x16\xfe\xff\0\0", 5, 2},                 /* of DTLS */
                {"\x16\x03\x01\0\0\x16", 6, 5},             /* an empty record */
                {"\x16\x03\x01\x40\x01\x01", 6, 5},         /* a record of 16385 bytes */
                {"\x16\x03\x01\0\x30\x02", 6, 6},           /* a ServerHello */
                {"\x16\x03\x01\x40\0\x01\0\xff\xf8", 9, 9}, /* longer than what is read */
                {"\x16\x03\x01\x40\0\x01\x01\0\0", 9, 9},
                {"\x16\x03\x01\0\x35\x01\0\0\x30", 9, 9}, /* more than it in its record */
                {"\x16\x03\x01\0\x02\x01\0\x17", 8, 8},   /* another record amid it */
                {"\x16\x03\x01\0\x02\x01\0\x16\x02", 9, 9},
                {"\x16\x03\x01\0\x04\x01\0\0\x02\x16\x03\x01\0\x03", 14, 14}};

    for (size_t i = 0; i < COUNT(rows); i++) {
        char name[HOST_NAME_SIZE];
        size_t decided = 0;

        if (read_hello(rows[i].bytes, rows[i].length, name, &decided) != CLIENT_HELLO_WRONG ||
            decided != rows[i].decided)
            fail_msg("row %zu: after %zu bytes", i, decided);
    }
}

/* As TLS 1.3 sends it, for middleboxes. */
CASE(client_hello__longest_session)
{
    static const char before[] = "\x03\x01" RANDOM "\x20" RANDOM "\0\x02\x13\x01"
                                 "\x01\0";
    CLEANUP(strbuf_release) struct strbuf message = STRBUF_INIT;
    CLEANUP(strbuf_release) struct strbuf hello = STRBUF_INIT;

    add_message(&message, before, sizeof before - 1, NULL);
    add_records(&hello, &message, 16384);
    check_hello(&hello, CLIENT_HELLO_NAMELESS, NULL);
}

CASE(client_hello__incomplete)
{
    char name[HOST_NAME_SIZE];
    size_t decided;

    assert_int_equal(read_hello("", 0, name, &decided), CLIENT_HELLO_INCOMPLETE);
    assert_int_equal(read_hello("\x16\x03\x01\x40\0\x01\0\xff\xf7", 9, name, &decided),
                     CLIENT_HELLO_INCOMPLETE);
    assert_int_equal(read_hello("\x16\x03\x01\0\x34\x01\0\0\x30", 9, name, &decided),
                     CLIENT_HELLO_INCOMPLETE);
}

/* The message may be cut anywhere, also in its header. */
CASE(client_hello__records)
{
    CLEANUP(strbuf_release) struct strbuf extensions = STRBUF_INIT;
    CLEANUP(strbuf_release) struct strbuf message = STRBUF_INIT;

    add_name(&extensions, "www.example.com", 15);
    add_message(&message, BEFORE, BEFORE_LENGTH, &extensions);
    for (size_t size = 1; size <= message.length; size++) {
        CLEANUP(strbuf_release) struct strbuf hello = STRBUF_INIT;

        add_records(&hello, &message, size);
        check_hello(&hello, CLIENT_HELLO_NAMED, "www.example.com");
    }
}

/* What comes after it, which the server reads, changes nothing. */
CASE(client_hello__more)
{
    CLEANUP(strbuf_release) struct strbuf extensions = STRBUF_INIT;
    CLEANUP(strbuf_release) struct strbuf message = STRBUF_INIT;
    CLEANUP(strbuf_release) struct strbuf hello = STRBUF_INIT;
    char name[HOST_NAME_SIZE];
    size_t decided, length;

    add_name(&extensions, "a", 1);
    add_message(&message, BEFORE, BEFORE_LENGTH, &extensions);
    add_records(&hello, &message, 16384);
    length = hello.length;
    strbuf_addstr(&hello, "more");
    assert_int_equal(read_hello(hello.data, hello.length, name, &decided), CLIENT_HELLO_NAMED);
    assert_int_equal(decided, length);
}

/* Returns how a ClientHello of this many bytes, with the headers of its records, is read. */
static enum client_hello read_long(size_t length)
{
    CLEANUP(strbuf_release) struct strbuf extensions = STRBUF_INIT;
    CLEANUP(strbuf_release) struct strbuf message = STRBUF_INIT;
    CLEANUP(strbuf_release) struct strbuf hello = STRBUF_INIT;
    CLEANUP(strbuf_release) struct strbuf padding = STRBUF_INIT;
    char name[HOST_NAME_SIZE];
    enum client_hello result;

    add_name(&extensions, "a", 1);
    while (padding.length < length - 4 - BEFORE_LENGTH - 2 - extensions.length - 4 - 20)
        strbuf_addch(&padding, 0);
    add_extension(&extensions, 21, padding.data, padding.length);
    add_message(&message, BEFORE, BEFORE_LENGTH, &extensions);
    add_records(&hello, &message, 16384); /* 4 records: 20 bytes of headers */
    assert_int_equal(hello.length, length);
    result = client_hello_read((const unsigned char *)hello.data, length, name);
    if (result == CLIENT_HELLO_WRONG)
        assert_int_equal(client_hello_read((const unsigned char *)hello.data, 65535, name),
                         CLIENT_HELLO_INCOMPLETE);
    return result;
}

CASE(client_hello__longest)
{
    assert_int_equal(read_long(65536), CLIENT_HELLO_NAMED);
    assert_int_equal(read_long(65537), CLIENT_HELLO_WRONG);
}
