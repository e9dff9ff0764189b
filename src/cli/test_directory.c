#include "cli/test_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/archive.h"
#include "base/cleanup.h"
#include "base/linux.h"
#include "base/memory.h"
#include "base/text.h"
#include "run/result.h"

enum test_file { TEST_INPUT, TEST_OUTPUT, TEST_ANSWER, TEST_ARGUMENTS, TEST_FILES };

static const char *const endings[TEST_FILES] = {".in", ".out", ".ans", ".args"};

/* Maximum bytes of one argument, and of all of a test: the kernel's limits (execve(2)). */
enum { ARGUMENT_MAX = 131071, ARGUMENTS_MAX = 2000000 };

/* Maximum arguments of a test, as in a line of isolator batch. */
enum { ARGUMENT_COUNT_MAX = 10000 };

/* Maximum bytes of all expected outputs, which are kept in memory. */
#define EXPECTED_MAX (1LL << 30)

/* A test in the directory and which of its files there are. */
struct listed {
    char *name; /* owned */
    bool has[TEST_FILES];
};

struct reading {
    const char *path; /* of the directory, escaped */
    int directory;
    struct listed *tests; /* owned */
    size_t count;
    long long expected; /* bytes of the expected outputs so far */
    struct error *error;
};

static void reading_release(struct reading *reading)
{
    for (size_t i = 0; i < reading->count; i++)
        free(reading->tests[i].name);
    free(reading->tests);
}

/* The path of a file of the test for messages, escaped; owned. */
static char *shown_path(const struct reading *reading, const char *name, enum test_file which)
{
    CLEANUP_FREE char *escaped = text_escape(name);

    return string_format("%s/%s%s", reading->path, escaped, endings[which]);
}

static bool is_digit(char character)
{
    return character >= '0' && character <= '9';
}

/* Compares the numbers at the start of both strings, and moves the strings to the end of them. */
static int compare_numbers(const char **one, const char **other)
{
    size_t length[2];
    int order;

    *one += strspn(*one, "0");
    *other += strspn(*other, "0");
    length[0] = strspn(*one, "0123456789");
    length[1] = strspn(*other, "0123456789");
    order =
        length[0] == length[1] ? memcmp(*one, *other, length[0]) : (length[0] > length[1] ? 1 : -1);
    *one += length[0];
    *other += length[1];
    return order;
}

int test_directory_order(const char *one, const char *other)
{
    const char *a = one, *b = other;

    while (*a && *b) {
        if (is_digit(*a) && is_digit(*b)) {
            const int order = compare_numbers(&a, &b);

            if (order != 0)
                return order;
        } else if (*a != *b) {
            break;
        } else {
            a++;
            b++;
        }
    }
    if (*a != *b)
        return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
    return strcmp(one, other); /* they differ at most by zeros in front of numbers */
}

static int compare_listed(const void *one, const void *other)
{
    return test_directory_order(((const struct listed *)one)->name,
                                ((const struct listed *)other)->name);
}

/* Notes a file if it belongs to a test. A test with several files is listed several times. */
static int list_file(struct reading *reading, const char *file)
{
    const char *dot = strrchr(file, '.');
    enum test_file which = TEST_INPUT;

    if (file[0] == '.' || !dot)
        return 0;
    while (which < TEST_FILES && strcmp(dot, endings[which]) != 0)
        which++;
    if (which == TEST_FILES)
        return 0;
    if (!text_is_utf8(file)) {
        CLEANUP_FREE char *escaped = text_escape(file);

        return error_set(reading->error, ERROR_INPUT, "the name of '%s/%s' is not valid UTF-8",
                         reading->path, escaped);
    }
    if (reading->count == (size_t)TEST_FILES * TESTS_MAX)
        return error_set(reading->error, ERROR_INPUT, "'%s' has more than %d tests", reading->path,
                         TESTS_MAX);
    if ((reading->count & (reading->count - 1)) == 0)
        reading->tests =
            memory_resize(reading->tests, (2 * reading->count + 1) * sizeof *reading->tests);
    reading->tests[reading->count] =
        (struct listed){.name = string_format("%.*s", (int)(dot - file), file)};
    reading->tests[reading->count++].has[which] = true;
    return 0;
}

/* Sorts the tests and makes one of those with the same name. */
static int merge_files(struct reading *reading)
{
    size_t count = 0;

    if (reading->count == 0)
        return error_set(reading->error, ERROR_INPUT,
                         "'%s' has no tests; a test is a file NAME.in and a file NAME.out",
                         reading->path);
    qsort(reading->tests, reading->count, sizeof *reading->tests, compare_listed);
    for (size_t i = 0; i < reading->count; i++) {
        struct listed *last = count > 0 ? &reading->tests[count - 1] : NULL;

        if (!last || strcmp(last->name, reading->tests[i].name) != 0) {
            reading->tests[count++] = reading->tests[i];
            continue;
        }
        for (int which = 0; which < TEST_FILES; which++)
            last->has[which] = last->has[which] || reading->tests[i].has[which];
        free(reading->tests[i].name);
    }
    reading->count = count;
    if (count > TESTS_MAX)
        return error_set(reading->error, ERROR_INPUT, "'%s' has more than %d tests", reading->path,
                         TESTS_MAX);
    return 0;
}

static int list_files(struct reading *reading)
{
    CLEANUP_FD int copy = fcntl(reading->directory, F_DUPFD_CLOEXEC, 0);
    DIR *dir = copy < 0 ? NULL : fdopendir(copy);
    struct dirent *entry;
    int status = 0, failure;

    if (!dir)
        return error_set_errno(reading->error, ERROR_INPUT, "cannot read '%s'", reading->path);
    steal_fd(&copy); /* dir has it */
    do {
        errno = 0;
        entry = readdir(dir);
        failure = errno;
        if (entry)
            status = list_file(reading, entry->d_name);
    } while (entry && status == 0);
    closedir(dir);
    errno = failure;
    if (status == 0 && failure != 0)
        return error_set_errno(reading->error, ERROR_INPUT, "cannot read '%s'", reading->path);
    return status == 0 ? merge_files(reading) : -1;
}

/* Opens a file of a test that has at most `max` bytes. Returns its descriptor, owned, or -1. */
static int open_file(const struct reading *reading, const char *name, enum test_file which,
                     long long max)
{
    CLEANUP_FREE char *file = string_format("%s%s", name, endings[which]);
    CLEANUP_FREE char *shown = shown_path(reading, name, which);
    CLEANUP_FD int fd =
        openat(reading->directory, file, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat status;

    if (fd < 0 || fstat(fd, &status) != 0)
        return error_set_errno(reading->error, ERROR_INPUT, "cannot open '%s'", shown);
    if (!S_ISREG(status.st_mode))
        return error_set(reading->error, ERROR_INPUT, "'%s' is not a regular file", shown);
    if (status.st_size > max)
        return error_set(reading->error, ERROR_INPUT, "'%s' is larger than %lld bytes", shown, max);
    return steal_fd(&fd);
}

/* Reads a file of at most `max` bytes, whatever its size was when it was opened. */
static int read_file(const struct reading *reading, const char *name, enum test_file which,
                     long long max, struct strbuf *content)
{
    enum { CHUNK = 65536 };
    CLEANUP_FREE char *shown = shown_path(reading, name, which);
    CLEANUP_FREE char *chunk = memory_allocate(CHUNK);
    CLEANUP_FD const int fd = open_file(reading, name, which, max);
    ssize_t length;

    if (fd < 0)
        return -1;
    while ((length = read(fd, chunk, CHUNK)) != 0) {
        if (length < 0 && errno == EINTR)
            continue;
        if (length < 0)
            return error_set_errno(reading->error, ERROR_INPUT, "cannot read '%s'", shown);
        if ((long long)content->length + length > max)
            return error_set(reading->error, ERROR_INPUT, "'%s' is larger than %lld bytes", shown,
                             max);
        strbuf_add(content, chunk, (size_t)length);
    }
    return 0;
}

static int read_arguments(const struct reading *reading, struct test_request *test)
{
    CLEANUP_FREE char *shown = shown_path(reading, test->name, TEST_ARGUMENTS);
    CLEANUP(strbuf_release) struct strbuf content = STRBUF_INIT;
    size_t at = 0;

    if (read_file(reading, test->name, TEST_ARGUMENTS, ARGUMENTS_MAX, &content) != 0)
        return -1;
    if (content.length > 0 && memchr(content.data, '\0', content.length))
        return error_set(reading->error, ERROR_INPUT, "'%s' has a NUL byte", shown);
    while (at < content.length) {
        const char *line = content.data + at;
        size_t length = strcspn(line, "\n");

        at += length + 1;
        if (length > 0 && line[length - 1] == '\r')
            length--;
        if (length > ARGUMENT_MAX)
            return error_set(reading->error, ERROR_INPUT,
                             "'%s' has an argument of more than %d bytes", shown, ARGUMENT_MAX);
        if (test->arguments.count == ARGUMENT_COUNT_MAX)
            return error_set(reading->error, ERROR_INPUT, "'%s' has more than %d arguments", shown,
                             ARGUMENT_COUNT_MAX);
        strvec_pushf(&test->arguments, "%.*s", (int)length, line);
    }
    return 0;
}

static int read_expected(struct reading *reading, const struct listed *listed,
                         struct test_request *test)
{
    const enum test_file which = listed->has[TEST_OUTPUT] ? TEST_OUTPUT : TEST_ANSWER;
    CLEANUP(strbuf_release) struct strbuf content = STRBUF_INIT;

    if (listed->has[TEST_OUTPUT] && listed->has[TEST_ANSWER]) {
        CLEANUP_FREE char *shown = shown_path(reading, test->name, TEST_OUTPUT);

        return error_set(reading->error, ERROR_INPUT,
                         "'%s' stands beside a file that ends in .ans; both are the expected "
                         "output of one test",
                         shown);
    }
    if (read_file(reading, test->name, which, OUTPUT_HARD_MAX, &content) != 0)
        return -1;
    reading->expected += (long long)content.length;
    if (reading->expected > EXPECTED_MAX)
        return error_set(reading->error, ERROR_INPUT,
                         "the expected outputs in '%s' are larger than %lld bytes in all",
                         reading->path, EXPECTED_MAX);
    test->expected_length = content.length;
    test->expected = strbuf_steal(&content);
    test->has_expected = true;
    return 0;
}

static int read_test(struct reading *reading, const struct listed *listed,
                     struct test_request *test)
{
    test->name = string_copy(listed->name);
    if (listed->has[TEST_INPUT]) {
        test->stdin_file = open_file(reading, test->name, TEST_INPUT, ARCHIVE_FILE_MAX);
        if (test->stdin_file < 0)
            return -1;
    }
    if ((listed->has[TEST_OUTPUT] || listed->has[TEST_ANSWER]) &&
        read_expected(reading, listed, test) != 0)
        return -1;
    return listed->has[TEST_ARGUMENTS] ? read_arguments(reading, test) : 0;
}

int test_directory_read(const char *path, struct test_requests *tests, struct error *error)
{
    CLEANUP_FREE char *escaped = text_escape(path);
    CLEANUP_FD const int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    CLEANUP(reading_release)
    struct reading reading = {.path = escaped, .directory = directory, .error = error};

    if (directory < 0)
        return error_set_errno(error, ERROR_INPUT, "cannot open the directory '%s'", escaped);
    linux_raise_descriptors(); /* a test has one for its standard input */
    if (list_files(&reading) != 0)
        return -1;
    for (size_t i = 0; i < reading.count; i++)
        if (read_test(&reading, &reading.tests[i], test_requests_add(tests)) != 0)
            return -1;
    return 0;
}
