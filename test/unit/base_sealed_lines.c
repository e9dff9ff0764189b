#include "test.h"

#include "base/base64.h"
#include "base/sealed_lines.h"
#include "base/sha256.h"

/* Written with Python's hashlib and base64: "hello", and the bytes 0, 255 and 10. */
#define FIRST  "AAAAAC49lxgmQrLBjGvhOdhaRv1oZWxsbw=="
#define SECOND "AQAAAPAXbCyLbm+xVpEd/72Pw6sA/wo="

static bool read_text(struct sealed_lines *lines, const char *text, struct strbuf *out)
{
    return sealed_lines_read(lines, text, strlen(text), out);
}

/* Nothing is read from the line, and the reader is where it was. */
static void check_refused(const char *line, size_t length)
{
    CLEANUP(strbuf_release) struct strbuf out = STRBUF_INIT;
    struct sealed_lines lines;

    sealed_lines_init(&lines, "key");
    if (sealed_lines_read(&lines, line, length, &out))
        fail_msg("'%.*s' is taken", (int)length, line);
    assert_int_equal(out.length, 0);
    assert_true(read_text(&lines, FIRST, &out));
}

CASE(sealed_lines__known_lines)
{
    CLEANUP(strbuf_release) struct strbuf out = STRBUF_INIT;
    struct sealed_lines writer, reader;
    char line[SEALED_LINE_MAX];
    size_t length;

    sealed_lines_init(&writer, "key");
    length = sealed_lines_write(&writer, "hello", 5, line);
    assert_int_equal(length, sizeof FIRST);
    assert_memory_equal(line, FIRST "\n", length);
    length = sealed_lines_write(&writer, "\0\xff\n", 3, line);
    assert_int_equal(length, sizeof SECOND);
    assert_memory_equal(line, SECOND "\n", length);

    sealed_lines_init(&reader, "key");
    assert_true(read_text(&reader, FIRST, &out));
    assert_true(read_text(&reader, SECOND, &out));
    assert_int_equal(out.length, 8);
    assert_memory_equal(out.data, "hello\0\xff\n", 8);
}

CASE(sealed_lines__all_bytes_and_lengths)
{
    CLEANUP(strbuf_release) struct strbuf out = STRBUF_INIT;
    struct sealed_lines writer, reader;
    char bytes[256], line[SEALED_LINE_MAX];

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)i;
    sealed_lines_init(&writer, "key");
    sealed_lines_init(&reader, "key");
    for (size_t length = 1; length <= sizeof bytes; length++) {
        const size_t text_length = sealed_lines_write(&writer, bytes, length, line);

        assert_null(memchr(line, '\n', text_length - 1));
        out.length = 0;
        assert_true(sealed_lines_read(&reader, line, text_length - 1, &out));
        assert_int_equal(out.length, length);
        assert_memory_equal(out.data, bytes, length);
    }
}

CASE(sealed_lines__longest)
{
    CLEANUP(strbuf_release) struct strbuf out = STRBUF_INIT;
    struct sealed_lines writer, reader;
    char bytes[SEALED_DATA_MAX], line[SEALED_LINE_MAX];
    size_t length;

    memset(bytes, 0xfb, sizeof bytes);
    sealed_lines_init(&writer, "");
    sealed_lines_init(&reader, "");
    for (size_t i = 0; i < 2; i++) {
        length = sealed_lines_write(&writer, bytes, sizeof bytes - i, line);
        assert_in_range(length, SEALED_LINE_MAX - 1, SEALED_LINE_MAX);
        assert_int_equal(line[length - 1], '\n');
        assert_true(sealed_lines_read(&reader, line, length - 1, &out));
    }
    assert_int_equal(out.length, 2 * sizeof bytes - 1);
}

/* A first line with so many bytes and the right digest. Its length. */
static size_t seal(const char *bytes, size_t length, char *line)
{
    unsigned char digest[SHA256_SIZE];
    struct strbuf data = STRBUF_INIT;
    struct sha256 hash;
    size_t text_length;

    sha256_init(&hash);
    sha256_update(&hash, "key", 3);
    sha256_bytes(&hash, digest);
    sha256_init(&hash);
    sha256_update(&hash, digest, sizeof digest);
    sha256_update(&hash, bytes, length);
    sha256_bytes(&hash, digest);
    strbuf_add(&data, "\0\0\0\0", 4);
    strbuf_add(&data, digest, 16);
    strbuf_add(&data, bytes, length);
    base64_write(data.data, data.length, line);
    text_length = BASE64_LENGTH(data.length);
    strbuf_release(&data);
    return text_length;
}

/* Lines that are well-formed and sealed, but longer or shorter than a line can be. */
CASE(sealed_lines__too_long_or_empty)
{
    CLEANUP(strbuf_release) struct strbuf out = STRBUF_INIT;
    static char bytes[SEALED_DATA_MAX + 4], line[SEALED_LINE_MAX + 4];
    struct sealed_lines lines;
    size_t length;

    for (size_t more = 0; more <= 4; more++) {
        length = seal(bytes, SEALED_DATA_MAX + more, line);
        sealed_lines_init(&lines, "key");
        assert_int_equal(sealed_lines_read(&lines, line, length, &out), more == 0);
    }
    out.length = 0;
    check_refused("", 0);
    /* The header of a first line without bytes; the same Python. */
    check_refused("AAAAANd1gKscGiqYl7gOOoJBALE=", 28);
    sealed_lines_init(&lines, "key");
    memset(line, 'A', sizeof line);
    assert_false(sealed_lines_read(&lines, line, SEALED_LINE_MAX, &out));
    assert_false(sealed_lines_read(&lines, line, sizeof line, &out));
    assert_false(sealed_lines_read(&lines, line, 1 << 30, &out)); /* does not look at it */
}

CASE(sealed_lines__changed)
{
    char line[] = FIRST;

    for (size_t i = 0; i < sizeof line - 1; i++)
        for (int bit = 0; bit < 8; bit++) {
            line[i] = (char)(line[i] ^ 1 << bit);
            check_refused(line, sizeof line - 1);
            line[i] = FIRST[i];
        }
}

/* The decoder would take these for the same bytes. */
CASE(sealed_lines__another_form_of_the_same_bytes)
{
    check_refused(FIRST "\n", sizeof FIRST);
    check_refused(" " FIRST, sizeof FIRST);
    check_refused(FIRST, sizeof FIRST - 2); /* without its padding */
    check_refused(FIRST, sizeof FIRST - 3);
    check_refused("AAAAAC49lxgmQrLBjGvhOdhaRv1oZWxsbx==",
                  sizeof FIRST - 1); /* bits that are over */
}

CASE(sealed_lines__cut)
{
    for (size_t length = 0; length < sizeof FIRST - 1; length++)
        check_refused(FIRST, length);
}

CASE(sealed_lines__missing_or_repeated)
{
    CLEANUP(strbuf_release) struct strbuf out = STRBUF_INIT;
    struct sealed_lines lines;

    check_refused(SECOND, strlen(SECOND));
    sealed_lines_init(&lines, "key");
    assert_true(read_text(&lines, FIRST, &out));
    assert_false(read_text(&lines, FIRST, &out));
    assert_true(read_text(&lines, SECOND, &out));
    assert_false(read_text(&lines, SECOND, &out));
    assert_false(read_text(&lines, FIRST, &out));
    assert_int_equal(out.length, 8);
}

CASE(sealed_lines__of_another_key)
{
    static const char *const keys[] = {"", "ke", "keyy", "Key"};

    for (size_t i = 0; i < COUNT(keys); i++) {
        struct sealed_lines writer;
        char line[SEALED_LINE_MAX];

        sealed_lines_init(&writer, keys[i]);
        check_refused(line, sealed_lines_write(&writer, "hello", 5, line) - 1);
    }
}
