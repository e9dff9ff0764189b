/*
 * Shared by the unit tests: cmocka with the headers that it needs, checks of errors, temporary
 * directories, files and shell commands. What runs the tests of a file is made by register.awk.
 */
#ifndef TEST_H
#define TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/strbuf.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* A case, whose body follows: CASE(module__what_it_shows) { ... }. */
#define CASE(name) static void name(void **state __attribute__((unused)))

/*
 * A case with a struct fixture of its own, which its body reaches as `fixture`: the call, such as
 * set_up(fixture, "text"), comes before the body, and tear_down(fixture) after it.
 */
#define CASE_WITH(name, call)                                                                      \
    static void name##_body(struct fixture *fixture);                                              \
    CASE(name)                                                                                     \
    {                                                                                              \
        struct fixture owned, *fixture = &owned;                                                   \
                                                                                                   \
        call;                                                                                      \
        name##_body(fixture);                                                                      \
        tear_down(fixture);                                                                        \
    }                                                                                              \
    static void name##_body(struct fixture *fixture)

/* Fails unless the error has this kind and message; releases it. */
#define assert_error(error, expected_kind, expected_message)                                       \
    do {                                                                                           \
        assert_non_null((error)->message);                                                         \
        assert_string_equal((error)->message, expected_message);                                   \
        assert_int_equal((error)->kind, expected_kind);                                            \
        error_release(error);                                                                      \
    } while (0)

#define assert_no_error(error) assert_string_equal((error)->message ? (error)->message : "", "")

/* Compares strings that may be NULL. */
#define assert_text_or_null(got, expected)                                                         \
    assert_string_equal((got) ? (got) : "(null)", (expected) ? (expected) : "(null)")

/* Uses paths relative to open directories, so that none is too long. */
static inline void remove_below(int parent, const char *name)
{
    const int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *entry;

    if (!dir) {
        unlinkat(parent, name, 0);
        return;
    }
    while ((entry = readdir(dir)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            remove_below(dirfd(dir), entry->d_name);
    closedir(dir);
    unlinkat(parent, name, AT_REMOVEDIR);
}

static char temp_root[200];

static inline void remove_temp_root(void)
{
    remove_below(AT_FDCWD, temp_root);
}

/*
 * Returns the path of a new directory, in TMPDIR or /tmp, owned by the caller. temp_remove()
 * removes the directory with its content and frees the path. Directories of failed tests are
 * removed when the program ends.
 */
static inline char *temp_create(void)
{
    const char *tmpdir = getenv("TMPDIR");
    char *path;

    if (temp_root[0] == '\0') {
        snprintf(temp_root, sizeof temp_root, "%s/isolator-unit-XXXXXX", tmpdir ? tmpdir : "/tmp");
        assert_non_null(mkdtemp(temp_root));
        atexit(remove_temp_root);
    }
    path = string_format("%s/XXXXXX", temp_root);
    assert_non_null(mkdtemp(path));
    return path;
}

static inline void temp_remove(char *path)
{
    remove_below(AT_FDCWD, path);
    free(path);
}

/* Returns DIRECTORY/NAME, owned by the caller. */
static inline char *path_in(const char *directory, const char *name)
{
    return string_format("%s/%s", directory, name);
}

static inline void write_bytes(const char *path, const char *data, size_t length, mode_t mode)
{
    CLEANUP_FD int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, data, length), length);
}

/* Writes a file in the directory. */
static inline void write_in(const char *directory, const char *name, const char *text)
{
    CLEANUP_FREE char *path = path_in(directory, name);

    write_bytes(path, text, strlen(text), 0644);
}

/* Reads the descriptor to its end. The caller releases the result. */
static inline struct strbuf read_all(int fd)
{
    struct strbuf text = STRBUF_INIT;
    char chunk[4096];
    ssize_t length;

    strbuf_addstr(&text, "");
    while ((length = read(fd, chunk, sizeof chunk)) > 0)
        strbuf_add(&text, chunk, (size_t)length);
    assert_int_equal(length, 0);
    return text;
}

/* Returns the content of a file in the directory, owned; "(none)" if there is no such file. */
static inline char *read_in(const char *directory, const char *name)
{
    CLEANUP_FREE char *path = path_in(directory, name);
    CLEANUP_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct strbuf text;

    if (fd < 0)
        return string_copy("(none)");
    text = read_all(fd);
    return strbuf_steal(&text);
}

/* Writes a shell script that runs in the directory. Returns its path, owned. */
static inline char *script_in(const char *directory, const char *name, const char *body)
{
    CLEANUP_FREE char *text = string_format("#!/bin/sh\ncd %s || exit 99\n%s\n", directory, body);
    char *path = path_in(directory, name);

    write_bytes(path, text, strlen(text), 0755);
    return path;
}

/* Returns the stdout of a shell command, which must succeed. The caller releases it. */
static inline struct strbuf shell_output(const char *command)
{
    FILE *pipe = popen(command, "r");
    struct strbuf text;

    assert_non_null(pipe);
    text = read_all(fileno(pipe));
    assert_int_equal(pclose(pipe), 0);
    return text;
}

#endif
