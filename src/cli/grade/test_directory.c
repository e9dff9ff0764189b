#include "cli/grade/test_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/archive.h"
#include "base/cleanup.h"
#include "base/linux.h"
#include "base/memory.h"
#include "base/natural_order.h"
#include "base/text.h"
#include "container/supervisor_link.h"
#include "run/result.h"

enum test_file { TEST_INPUT, TEST_OUTPUT, TEST_ANSWER, TEST_ARGUMENTS, TEST_FILES };

static const char *const endings[TEST_FILES] = {".in", ".out", ".ans", ".args"};

/* Maximum bytes of one argument, and of all of a test: the kernel's limits (execve(2)). */
enum { ARGUMENT_MAX = 131071, ARGUMENTS_MAX = 2000000 };

/* Maximum arguments of a test, as in a line of isolator batch. */
enum { ARGUMENT_COUNT_MAX = 10000 };

/* Maximum bytes of all expected outputs, which are kept in memory. */
#define EXPECTED_MAX (1LL << 30)

/* Maximum number of files of no test that are kept in memory, and that a warning names. */
enum { OTHERS_MAX = 10000, OTHERS_NAMED = 5 };

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
    struct strvec others; /* the first OTHERS_MAX names that belong to no test */
    size_t other_count;   /* all of them */
    long long expected;   /* bytes of the expected outputs so far */
    struct error *error;
};

static void reading_release(struct reading *reading)
{
    for (size_t i = 0; i < reading->count; i++)
        free(reading->tests[i].name);
    free(reading->tests);
    strvec_release(&reading->others);
}

/* The path of a file of the test for messages, escaped; owned. */
static char *shown_path(const struct reading *reading, const char *name, enum test_file which)
{
    CLEANUP_FREE char *escaped = text_escape(name);

    return string_format("%s/%s%s", reading->path, escaped, endings[which]);
}

static int compare_listed(const void *one, const void *other)
{
    return natural_order(((const struct listed *)one)->name, ((const struct listed *)other)->name);
}

/* Notes a file if it belongs to a test. A test with several files is listed several times. */
static int list_file(struct reading *reading, const char *file)
{
    const char *dot = strrchr(file, '.');
    enum test_file which = TEST_INPUT;

    if (file[0] == '.')
        return 0;
    while (which < TEST_FILES && (!dot || strcmp(dot, endings[which]) != 0))
        which++;
    if (which == TEST_FILES) {
        if (reading->other_count++ < OTHERS_MAX)
            strvec_push(&reading->others, file);
        return 0;
    }
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

/* ---- files that belong to no test, and tests without an expected output */

static int compare_names(const void *one, const void *other)
{
    return natural_order(*(char *const *)one, *(char *const *)other);
}

/* Whether a file may hold the expected output of the test: "1.expected", "1.OUT", "1.out.txt". */
static bool may_be_expected(const char *file, const char *test)
{
    static const char *const words[] = {"out", "ans", "exp", "sol", "res"};
    const size_t length = strlen(test);

    if (strncasecmp(file, test, length) != 0)
        return false;
    for (const char *dot = file + length; dot && *dot == '.'; dot = strchr(dot + 1, '.'))
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (strncasecmp(dot + 1, words[i], strlen(words[i])) == 0)
                return true;
    return false;
}

/* The file that probably holds the expected output of the test; owned; NULL: there is none. */
static char *find_similar(const struct reading *reading, const char *test)
{
    for (size_t i = 0; i < reading->others.count; i++)
        if (may_be_expected(reading->others.items[i], test))
            return string_copy(reading->others.items[i]);
    for (size_t i = 0; i < reading->count; i++) {
        const struct listed *listed = &reading->tests[i];

        if (strcasecmp(listed->name, test) == 0 && listed->has[TEST_OUTPUT])
            return string_format("%s%s", listed->name, endings[TEST_OUTPUT]);
    }
    return NULL;
}

static bool lacks_expected(const struct listed *listed)
{
    return !listed->has[TEST_OUTPUT] && !listed->has[TEST_ANSWER];
}

/* The error about the first test without an expected output. */
static int refuse_test(const struct reading *reading, const struct listed *listed, size_t lacking)
{
    CLEANUP_FREE char *file =
        shown_path(reading, listed->name, listed->has[TEST_INPUT] ? TEST_INPUT : TEST_ARGUMENTS);
    CLEANUP_FREE char *output = shown_path(reading, listed->name, TEST_OUTPUT);
    CLEANUP_FREE char *similar = find_similar(reading, listed->name);
    CLEANUP_FREE char *shown = similar ? text_escape(similar) : NULL;
    CLEANUP_FREE char *advice =
        shown ? string_format("rename '%s/%s' to '%s'", reading->path, shown, output)
              : string_format("add '%s'", output);
    CLEANUP_FREE char *others =
        lacking > 1 ? string_format(" and %zu more", lacking - 1) : string_copy("");

    return error_set(reading->error, ERROR_INPUT,
                     "'%s'%s: there is no expected output; %s, or check only the exit status with "
                     "--no-expected",
                     file, others, advice);
}

static int check_expected(const struct reading *reading)
{
    const struct listed *first = NULL;
    size_t lacking = 0;

    for (size_t i = 0; i < reading->count; i++) {
        if (!lacks_expected(&reading->tests[i]))
            continue;
        lacking++;
        if (!first)
            first = &reading->tests[i];
    }
    return first ? refuse_test(reading, first, lacking) : 0;
}

/* A test whose input was "1.IN" would run without it. */
static int check_other(const struct reading *reading, const char *file)
{
    const char *dot = strrchr(file, '.');

    for (int which = 0; dot && which < TEST_FILES; which++)
        if (strcasecmp(dot, endings[which]) == 0) {
            CLEANUP_FREE char *name = string_format("%.*s", (int)(dot - file), file);
            CLEANUP_FREE char *escaped = text_escape(file);
            CLEANUP_FREE char *path = shown_path(reading, name, (enum test_file)which);

            return error_set(reading->error, ERROR_INPUT,
                             "'%s/%s' belongs to no test, since its ending is not in lower case; "
                             "rename it to '%s'",
                             reading->path, escaped, path);
        }
    return 0;
}

/* Checks the files that belong to no test, and adds the warning about them. */
static int check_others(struct reading *reading, struct strvec *warnings)
{
    const struct strvec *others = &reading->others;
    const size_t named = others->count < OTHERS_NAMED ? others->count : OTHERS_NAMED;
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;
    CLEANUP_FREE char *list = NULL;

    if (others->count == 0)
        return 0;
    for (size_t i = 0; i < others->count; i++)
        if (check_other(reading, others->items[i]) != 0)
            return -1;
    for (size_t i = 0; i < named; i++)
        strvec_push_owned(&names, text_escape_short(others->items[i], TEXT_SHOWN_MAX));
    if (reading->other_count > named)
        strvec_pushf(&names, "and %zu more", reading->other_count - named);
    list = strvec_join(&names, ", ");
    strvec_pushf(warnings, "'%s': ignored what belongs to no test: %s", reading->path, list);
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
    if (status != 0 || merge_files(reading) != 0)
        return -1;
    if (reading->others.count > 0)
        qsort(reading->others.items, reading->others.count, sizeof *reading->others.items,
              compare_names);
    return 0;
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
                         "'%s' is next to a file that ends in .ans; both are the expected "
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
    test->no_expected = lacks_expected(listed);
    if (!test->no_expected && read_expected(reading, listed, test) != 0)
        return -1;
    return listed->has[TEST_ARGUMENTS] ? read_arguments(reading, test) : 0;
}

int test_directory_read(const char *path, bool no_expected, struct test_requests *tests,
                        struct strvec *warnings, struct error *error)
{
    CLEANUP_FREE char *escaped = text_escape(path);
    CLEANUP_FD const int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    CLEANUP(reading_release)
    struct reading reading = {.path = escaped, .directory = directory, .error = error};

    if (directory < 0)
        return error_set_errno(error, ERROR_INPUT, "cannot open the directory '%s'", escaped);
    linux_raise_descriptors(); /* a test has one for its standard input */
    if (list_files(&reading) != 0 || (!no_expected && check_expected(&reading) != 0) ||
        check_others(&reading, warnings) != 0)
        return -1;
    for (size_t i = 0; i < reading.count; i++)
        if (read_test(&reading, &reading.tests[i], test_requests_add(tests)) != 0)
            return -1;
    return 0;
}
