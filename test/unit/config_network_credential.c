#include "test.h"

#include "config/network_credential.h"

static void set_up(struct network_credential *credential, const char *from, const char *prefix)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;

    network_credential_init(credential);
    assert_int_equal(network_credential_set_from(credential, from, &error), 0);
    assert_int_equal(network_credential_set_prefix(credential, prefix, &error), 0);
}

/* Checks "HEADER|FROM|PREFIX". */
static void check(const struct network_credential *credential, const char *expected)
{
    CLEANUP_FREE char *text =
        string_format("%s|%s|%s", credential->header, credential->from ? credential->from : "-",
                      credential->prefix);

    assert_string_equal(text, expected);
}

CASE(network_credential__defaults)
{
    struct network_credential credential;

    network_credential_init(&credential);
    check(&credential, "Authorization|-|");
    network_credential_release(&credential);
    assert_null(credential.header);
    network_credential_release(&credential);
}

CASE(network_credential__copies_share_nothing)
{
    struct network_credential credential, copy;
    struct error error = ERROR_INIT;

    set_up(&credential, "env:KEY", "Bearer ");
    network_credential_copy(&copy, &credential);
    assert_int_equal(network_credential_set_header(&credential, "X", &error), 0);
    network_credential_release(&credential);
    check(&copy, "Authorization|env:KEY|Bearer ");
    network_credential_release(&copy);
    network_credential_init(&credential);
    network_credential_copy(&copy, &credential);
    check(&copy, "Authorization|-|");
    network_credential_release(&credential);
    network_credential_release(&copy);
}

CASE(network_credential__headers)
{
    static const char *const good[] = {"x",     "X-Api-Key", "PRIVATE-TOKEN", "!#$%&'*+-.^_`|~09",
                                       "Hosts", "Cookie",    "Proxy"};
    struct network_credential credential;
    struct error error = ERROR_INIT;

    network_credential_init(&credential);
    for (size_t i = 0; i < COUNT(good); i++) {
        assert_int_equal(network_credential_set_header(&credential, good[i], &error), 0);
        assert_string_equal(credential.header, good[i]);
    }
    network_credential_release(&credential);
}

static void check_header_refused(const char *text, const char *rest)
{
    CLEANUP_FREE char *message = string_format("'%s' %s", text, rest);
    struct network_credential credential;
    struct error error = ERROR_INIT;

    network_credential_init(&credential);
    assert_int_equal(network_credential_set_header(&credential, text, &error), -1);
    assert_error(&error, ERROR_USAGE, message);
    assert_string_equal(credential.header, "Authorization");
    network_credential_release(&credential);
}

CASE(network_credential__no_headers)
{
    static const char *const bad[] = {"", "a b", "a:", "a\"", "(a)", "a/b", "a@b", "{a}", "a,b"};
    static const char *const of_requests[] = {
        "Host",       "host",    "Content-Length", "Transfer-Encoding", "TE",
        "Connection", "Expect",  "Keep-Alive",     "proxy-anything",    "Proxy-Authorization",
        "Trailer",    "UPGRADE", "HTTP2-Settings", "transfer-encodinG"};
    CLEANUP_FREE char *longest = string_format("%064d", 0);
    struct network_credential credential;
    struct error error = ERROR_INIT;

    for (size_t i = 0; i < COUNT(bad); i++)
        check_header_refused(bad[i], "is not the name of a header, like X-Api-Key");
    for (size_t i = 0; i < COUNT(of_requests); i++)
        check_header_refused(of_requests[i],
                             "cannot have a credential: it says where a request ends or goes");
    network_credential_init(&credential);
    assert_int_equal(network_credential_set_header(&credential, longest, &error), 0);
    free(longest);
    longest = string_format("%065d", 0);
    assert_int_equal(network_credential_set_header(&credential, longest, &error), -1);
    error_release(&error);
    assert_int_equal(network_credential_set_header(&credential, "a\r\nb", &error), -1);
    assert_error(&error, ERROR_USAGE, "'a\\x0d\\nb' is not the name of a header, like X-Api-Key");
    network_credential_release(&credential);
}

CASE(network_credential__places)
{
    static const char *const good[] = {"env:A", "env:_a1", "file:/a", "file:/run/secrets/x y"};
    static const char *const bad[] = {"",      "env:",   "env:1A",   "env:A B", "env:A=b", "ENV:A",
                                      "file:", "file:a", "file:~/a", "/a",      "sk-1234"};
    struct network_credential credential;
    struct error error = ERROR_INIT;

    network_credential_init(&credential);
    for (size_t i = 0; i < COUNT(good); i++) {
        assert_int_equal(network_credential_set_from(&credential, good[i], &error), 0);
        assert_string_equal(credential.from, good[i]);
    }
    for (size_t i = 0; i < COUNT(bad); i++) {
        if (network_credential_set_from(&credential, bad[i], &error) == 0)
            fail_msg("'%s' is taken", bad[i]);
        assert_error(&error, ERROR_USAGE,
                     "a value is in a variable, env:NAME, or a file, file:/ABSOLUTE/PATH; it "
                     "cannot be in the configuration itself");
    }
    assert_string_equal(credential.from, "file:/run/secrets/x y");
    network_credential_release(&credential);
}

CASE(network_credential__prefixes)
{
    static const char *const bad[] = {"a\n", "\t", "\x7f", "\xc3\xa9"};
    CLEANUP_FREE char *longest = string_format("%64s", "~");
    CLEANUP_FREE char *longer = string_format("%65s", "~");
    struct network_credential credential;
    struct error error = ERROR_INIT;

    network_credential_init(&credential);
    assert_int_equal(network_credential_set_prefix(&credential, "", &error), 0);
    assert_int_equal(network_credential_set_prefix(&credential, longest, &error), 0);
    assert_string_equal(credential.prefix, longest);
    for (size_t i = 0; i <= COUNT(bad); i++) {
        const char *text = i < COUNT(bad) ? bad[i] : longer;

        assert_int_equal(network_credential_set_prefix(&credential, text, &error), -1);
        assert_error(&error, ERROR_USAGE,
                     "a prefix is printable ASCII, at most 64 bytes, like \"Bearer \"");
    }
    network_credential_release(&credential);
}

/* Each member counts; the case of a header does not. */
CASE(network_credential__equal)
{
    struct network_credential one, other;
    struct error error = ERROR_INIT;

    set_up(&one, "env:A", "Bearer ");
    set_up(&other, "env:A", "Bearer ");
    assert_true(network_credential_equal(&one, &other));
    network_credential_set_header(&other, "AUTHORIZATION", &error);
    assert_true(network_credential_equal(&one, &other));
    network_credential_set_header(&other, "X", &error);
    assert_false(network_credential_equal(&one, &other));
    network_credential_release(&other);
    set_up(&other, "env:B", "Bearer ");
    assert_false(network_credential_equal(&one, &other));
    network_credential_release(&other);
    set_up(&other, "env:A", "bearer ");
    assert_false(network_credential_equal(&one, &other));
    network_credential_release(&other);
    network_credential_release(&one);
}

/* ---- values */

static void check_value(const char *from, const char *prefix, const char *expected)
{
    struct network_credential credential;
    CLEANUP(error_release) struct error error = ERROR_INIT;
    char *value = NULL;

    set_up(&credential, from, prefix);
    network_credential_read(&credential, &value, &error);
    assert_no_error(&error);
    assert_string_equal(value, expected);
    network_credential_wipe(&value);
    assert_null(value);
    network_credential_wipe(&value);
    network_credential_release(&credential);
}

static void check_no_value(const char *from, const char *message)
{
    struct network_credential credential;
    struct error error = ERROR_INIT;
    char *value = NULL;

    set_up(&credential, from, "");
    assert_int_equal(network_credential_read(&credential, &value, &error), -1);
    assert_error(&error, ERROR_CONFIG, message);
    assert_null(value);
    network_credential_release(&credential);
}

CASE(network_credential__variables)
{
    CLEANUP_FREE char *longest = string_format("%04096d", 0);
    CLEANUP_FREE char *with_prefix = string_format("a%s", longest);

    setenv("KEY", "s3cret", 1);
    check_value("env:KEY", "", "s3cret");
    check_value("env:KEY", "Bearer ", "Bearer s3cret");
    setenv("KEY", "a b~!", 1);
    check_value("env:KEY", "", "a b~!");
    setenv("KEY", longest, 1);
    check_value("env:KEY", "a", with_prefix);
    setenv("KEY", with_prefix, 1);
    check_no_value("env:KEY", "environment variable 'KEY' has more than 4096 bytes");
    setenv("KEY", "", 1);
    check_no_value("env:KEY", "environment variable 'KEY' is empty; it must have the value");
    unsetenv("KEY");
    check_no_value("env:KEY", "environment variable 'KEY' is not set; set it where isolator is "
                              "started, or use file:/PATH");
}

/* They would end the field, or the host might not see what isolator sends. */
CASE(network_credential__wrong_bytes)
{
    static const char *const bad[] = {"a\nb", "a\r\nHost: b", "a\n",  " a",   "a ",
                                      " ",    "a\tb",         "\x7f", "\x01", "caf\xc3\xa9"};

    for (size_t i = 0; i < COUNT(bad); i++) {
        setenv("KEY", bad[i], 1);
        check_no_value("env:KEY",
                       "environment variable 'KEY' has bytes that a credential cannot have; it is "
                       "one line of visible ASCII, with spaces only inside");
    }
    unsetenv("KEY");
}

/* A file with these bytes; the value is NULL if its bytes are wrong. */
static void check_file(const char *path, const char *bytes, size_t length, const char *value)
{
    CLEANUP_FREE char *from = string_format("file:%s", path);
    CLEANUP_FREE char *message =
        string_format("file '%s' has bytes that a credential cannot have; it is one line of "
                      "visible ASCII, with spaces only inside",
                      path);

    write_bytes(path, bytes, length, 0600);
    if (value)
        check_value(from, "", value);
    else
        check_no_value(from, message);
}

CASE(network_credential__files)
{
    char *directory = temp_create();
    CLEANUP_FREE char *path = path_in(directory, "key");

    check_file(path, "s3cret", 6, "s3cret");
    check_file(path, "s3cret\n", 7, "s3cret");
    check_file(path, "s3cret\r\n", 8, "s3cret");
    check_file(path, "s3cret\n\n", 8, NULL);
    check_file(path, "s3cret\r", 7, NULL);
    check_file(path, "s3cret\r\r\n", 9, NULL);
    check_file(path, "a\nb\n", 4, NULL);
    check_file(path, "a\0b", 3, NULL);
    temp_remove(directory);
}

CASE(network_credential__size_of_a_file)
{
    char *directory = temp_create();
    CLEANUP_FREE char *path = path_in(directory, "key");
    CLEANUP_FREE char *from = string_format("file:%s", path);
    CLEANUP_FREE char *is_long = string_format("file '%s' has more than 4096 bytes", path);
    CLEANUP_FREE char *is_empty = string_format("file '%s' is empty; it must have the value", path);
    CLEANUP_FREE char *longest = string_format("%04096d\r\n", 0);
    CLEANUP_FREE char *value = string_format("%04096d", 0);
    static const char *const ends[] = {"", "\n", "\r\n", "1234567890"};

    check_file(path, longest, 4098, value);
    for (size_t i = 0; i < COUNT(ends); i++) {
        CLEANUP_FREE char *text = string_format("%04097d%s", 0, ends[i]);

        write_bytes(path, text, strlen(text), 0600);
        check_no_value(from, is_long);
    }
    write_bytes(path, "", 0, 0600);
    check_no_value(from, is_empty);
    write_bytes(path, "\r\n", 2, 0600);
    check_no_value(from, is_empty);
    write_bytes(path, "\n", 1, 0600);
    check_no_value(from, is_empty);
    temp_remove(directory);
}

/* None of them is waited for. */
CASE(network_credential__no_regular_file)
{
    char *directory = temp_create();
    CLEANUP_FREE char *pipe = path_in(directory, "pipe");
    CLEANUP_FREE char *from = string_format("file:%s", pipe);
    CLEANUP_FREE char *no_file = string_format("'%s' is not a regular file", pipe);
    CLEANUP_FREE char *missing = string_format("cannot read '%s': No such file or directory", pipe);

    check_no_value(from, missing);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    check_no_value(from, no_file);
    check_no_value("file:/", "'/' is not a regular file");
    check_no_value("file:/dev/zero", "'/dev/zero' is not a regular file");
    temp_remove(directory);
}
