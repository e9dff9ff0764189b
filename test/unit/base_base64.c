#include "test.h"

#include "base/base64.h"
#include "base/memory.h"

static void check_bytes(const char *text, size_t text_length, const char *bytes, size_t length)
{
    size_t got_length = 99;
    CLEANUP_FREE char *got = base64_decode(text, text_length, &got_length);

    if (!got)
        fail_msg("'%s' is refused", text);
    if (got_length != length)
        fail_msg("'%s' gives %zu bytes instead of %zu", text, got_length, length);
    assert_memory_equal(got, bytes, length);
    assert_int_equal(got[length], '\0');
}

static void check(const char *text, const char *bytes)
{
    check_bytes(text, strlen(text), bytes, strlen(bytes));
}

static void check_encoded(const char *bytes, size_t length, const char *text)
{
    CLEANUP_FREE char *got = base64_encode(bytes, length);

    assert_string_equal(got, text);
}

static void check_refused(const char *text, size_t length)
{
    size_t got_length;
    CLEANUP_FREE char *got = base64_decode(text, length, &got_length);

    if (got)
        fail_msg("'%s' is taken for %zu bytes", text, got_length);
}

/* RFC 4648, section 10. */
CASE(base64__vectors_of_the_rfc)
{
    check("", "");
    check("Zg==", "f");
    check("Zm8=", "fo");
    check("Zm9v", "foo");
    check("Zm9vYg==", "foob");
    check("Zm9vYmE=", "fooba");
    check("Zm9vYmFy", "foobar");
}

/* The whole alphabet in its order. */
CASE(base64__all_digits)
{
    static const unsigned char bytes[48] = {
        0x00, 0x10, 0x83, 0x10, 0x51, 0x87, 0x20, 0x92, 0x8b, 0x30, 0xd3, 0x8f,
        0x41, 0x14, 0x93, 0x51, 0x55, 0x97, 0x61, 0x96, 0x9b, 0x71, 0xd7, 0x9f,
        0x82, 0x18, 0xa3, 0x92, 0x59, 0xa7, 0xa2, 0x9a, 0xab, 0xb2, 0xdb, 0xaf,
        0xc3, 0x1c, 0xb3, 0xd3, 0x5d, 0xb7, 0xe3, 0x9e, 0xbb, 0xf3, 0xdf, 0xbf,
    };

    check_bytes("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", 64,
                (const char *)bytes, 48);
}

CASE(base64__any_bytes)
{
    check_bytes("AA==", 4, "\0", 1);
    check_bytes("AGEA", 4, "\0a\0", 3);
    check_bytes("////", 4, "\xff\xff\xff", 3);
    check_bytes("/+8=", 4, "\xff\xef", 2);
}

CASE(base64__padding_may_be_missing)
{
    check("Zg", "f");
    check("Zm8", "fo");
    check("Zm9vYg", "foob");
}

CASE(base64__white_space_is_skipped)
{
    check(" Zm9v\r\n\tYmFy\n", "foobar");
    check("Z m 8 = ", "fo");
    check("Zg = =\n", "f");
    check(" \n", "");
}

CASE(base64__only_so_many_characters)
{
    check_bytes("Zm9vYmFy", 4, "foo", 3);
    check_bytes("Zm9v!", 4, "foo", 3);
    check_bytes("Zm9v", 0, "", 0);
}

CASE(base64__long_text)
{
    enum { GROUPS = 100000 };
    CLEANUP_FREE char *text = memory_allocate(4 * GROUPS);
    CLEANUP_FREE char *bytes = memory_allocate(3 * GROUPS);

    for (size_t i = 0; i < GROUPS; i++) {
        memcpy(text + 4 * i, "Zm9v", 4);
        memcpy(bytes + 3 * i, "foo", 3);
    }
    check_bytes(text, 4 * GROUPS, bytes, 3 * GROUPS);
}

CASE(base64__what_is_none)
{
    static const char *const bad[] = {
        "Z",        /* six bits are less than a byte */
        "Zm9vZ",    /* also after a group */
        "Z===",     /* also with padding */
        "=",        /* padding without digits */
        "==",       /* padding without digits */
        "====",     /* padding without digits */
        "Zg=",      /* too little padding */
        "Zg===",    /* too much padding */
        "Zm8==",    /* too much padding */
        "Zm9v=",    /* padding after a whole group */
        "Zm9v====", /* a group of padding */
        "Zg=g",     /* digits after the padding */
        "Zg==Zg==", /* two texts */
        "Zm9_",     /* the alphabet for URLs */
        "Zm9-",     /* likewise */
        "Zm9v!",    /* not a digit */
        "Zm\x0b"
        "9v",          /* not white space of base64 */
        "Zm9v\xc3\xa9" /* not ASCII */
    };

    for (size_t i = 0; i < COUNT(bad); i++)
        check_refused(bad[i], strlen(bad[i]));
    check_refused("Zm9v\0", 5);
    check_refused("Zm\0v", 4);
}

CASE(base64__encoded)
{
    check_encoded("", 0, "");
    check_encoded("f", 1, "Zg==");
    check_encoded("fo", 2, "Zm8=");
    check_encoded("foobar", 6, "Zm9vYmFy");
    check_encoded("\0\xff\xfe\x3f\xbf", 5, "AP/+P78=");
}
