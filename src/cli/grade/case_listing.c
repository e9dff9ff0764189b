#include "cli/grade/case_listing.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/natural_order.h"
#include "base/text.h"
#include "request/case_request.h"

static const char *const endings[TEST_FILES] = {".in", ".out", ".ans", ".args", ".yaml", ".files"};

/* Files of a package that are for people: pictures, and what a statement shows. */
static const char *const ignored[] = {".png",  ".jpg",  ".jpeg",       ".svg",
                                      ".hint", ".desc", ".interaction"};

/*
 * Directories whose tests are for the validators of a package (format 2025-09, "Invalid input" and
 * following; BAPCtools of 2026-08, upgrade.py, has the older names, such as bad).
 */
static const char *const not_for_programs[] = {
    "invalid_input",   "invalid_inputs", "invalid_answer",
    "invalid_answers", "invalid_output", "invalid_outputs",
    "valid_output",    "valid_outputs",  "bad"};

/* In a package all others are no tests either (legacy format, "Test data groups"). */
static const char *const for_programs[] = {"sample", "secret"};

/* Entries of all directories, and paths of others that are kept in memory. */
enum { ENTRIES_MAX = 1000000, OTHERS_MAX = 10000 };

struct walk {
    struct case_listing *listing;
    bool is_package;
    const char *shown;
    long long entries;
    struct error *error;
};

const char *case_file_ending(enum case_file which)
{
    return endings[which];
}

static bool contains(const char *const *texts, size_t count, const char *text)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(texts[i], text) == 0)
            return true;
    return false;
}

#define CONTAINS(array, text) contains(array, sizeof(array) / sizeof *(array), text)

static int refuse(const struct walk *walk, const char *path, const char *why)
{
    CLEANUP_FREE char *escaped = text_escape_short(path, TEXT_SHOWN_MAX);

    return error_set(walk->error, ERROR_INPUT, "'%s/%s' %s", walk->shown, escaped, why);
}

static void add_other(struct case_listing *listing, const char *path)
{
    if (listing->other_count++ < OTHERS_MAX)
        strvec_push(&listing->others, path);
}

/* Notes what a test has. A test with several files is listed several times. */
static int add_file(const struct walk *walk, const char *path, enum case_file which)
{
    struct case_listing *listing = walk->listing;
    const size_t length = strlen(path) - strlen(endings[which]);

    if (!text_is_utf8(path))
        return refuse(walk, path, "has a name that is not valid UTF-8");
    if (length > TEST_LISTING_NAME_MAX)
        return refuse(walk, path, "is too long for the name of a test");
    if (listing->count == (size_t)TEST_FILES * TESTS_MAX)
        return error_set(walk->error, ERROR_INPUT, "'%s' has more than %d tests", walk->shown,
                         TESTS_MAX);
    if ((listing->count & (listing->count - 1)) == 0)
        listing->tests =
            memory_resize(listing->tests, (2 * listing->count + 1) * sizeof *listing->tests);
    listing->tests[listing->count] =
        (struct listed_test){.name = string_format("%.*s", (int)length, path)};
    listing->tests[listing->count++].has[which] = true;
    return 0;
}

static int list_file(struct walk *walk, const char *path)
{
    const char *name = text_file_name(path), *dot = strrchr(name, '.');

    if (strcmp(name, "test_group.yaml") == 0 || strcmp(name, "testdata.yaml") == 0) {
        strvec_push(&walk->listing->groups, path);
        return 0;
    }
    for (int which = 0; dot && which < TEST_DIRECTORY; which++)
        if (strcmp(dot, endings[which]) == 0)
            return add_file(walk, path, (enum case_file)which);
    if (!dot || !CONTAINS(ignored, dot))
        add_other(walk->listing, path);
    return 0;
}

static int list_directory(struct walk *walk, int directory, const char *path, int level);

static int list_directory_below(struct walk *walk, int directory, const char *path, int level)
{
    const char *name = text_file_name(path), *dot = strrchr(name, '.');
    CLEANUP_FD int fd = -1;

    if (dot && strcmp(dot, endings[TEST_DIRECTORY]) == 0)
        return add_file(walk, path, TEST_DIRECTORY);
    if (dot && CONTAINS(endings, dot))
        return refuse(walk, path, "is not a regular file");
    if (level == 0 &&
        (walk->is_package ? !CONTAINS(for_programs, name) : CONTAINS(not_for_programs, name))) {
        add_other(walk->listing, path);
        return 0;
    }
    if (level + 1 == TEST_LISTING_LEVELS_MAX)
        return refuse(walk, path, "is too deep");
    fd = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return refuse(walk, path, "cannot be opened");
    return list_directory(walk, steal_fd(&fd), path, level + 1);
}

static int list_entry(struct walk *walk, int directory, const char *parent, const char *name,
                      int level)
{
    CLEANUP_FREE char *path = string_format("%s%s%s", parent, *parent ? "/" : "", name);
    struct stat status;

    if (name[0] == '.')
        return 0;
    if (++walk->entries > ENTRIES_MAX)
        return error_set(walk->error, ERROR_INPUT, "'%s' has more than %d files", walk->shown,
                         ENTRIES_MAX);
    if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode))
        return list_directory_below(walk, directory, path, level);
    return list_file(walk, path);
}

/* Takes ownership of the descriptor. `path` is "" for the first directory. */
static int list_directory(struct walk *walk, int directory, const char *path, int level)
{
    CLEANUP_FD int fd = directory;
    DIR *dir = fdopendir(fd);
    struct dirent *entry;
    int status = 0, failure;

    if (!dir)
        return refuse(walk, path, "cannot be read");
    steal_fd(&fd); /* dir has it */
    do {
        errno = 0;
        entry = readdir(dir);
        failure = errno;
        if (entry)
            status = list_entry(walk, dirfd(dir), path, entry->d_name, level);
    } while (entry && status == 0);
    closedir(dir);
    if (status == 0 && failure != 0)
        return refuse(walk, path, "cannot be read");
    return status;
}

/* ---- tests of files */

static int compare_tests(const void *one, const void *other)
{
    return natural_order(((const struct listed_test *)one)->name,
                         ((const struct listed_test *)other)->name);
}

static int rank_of(char byte)
{
    return byte == '/' ? 1 : (unsigned char)byte;
}

/* By the bytes of the names of directories, and then of the file. */
static int compare_by_bytes(const void *one, const void *other)
{
    const char *a = ((const struct listed_test *)one)->name;
    const char *b = ((const struct listed_test *)other)->name;

    while (*a && *a == *b)
        a++, b++;
    return rank_of(*a) - rank_of(*b);
}

static int compare_names(const void *one, const void *other)
{
    return natural_order(*(char *const *)one, *(char *const *)other);
}

static void sort(struct strvec *names)
{
    if (names->count > 0)
        qsort(names->items, names->count, sizeof *names->items, compare_names);
}

static bool is_test(const struct listed_test *listed)
{
    for (int which = 0; which < TEST_FILES_MAKING_ONE; which++)
        if (listed->has[which])
            return true;
    return false;
}

/* Drops a NAME.yaml and a NAME.files without a test. */
static void drop(struct case_listing *listing, struct listed_test *listed)
{
    for (int which = TEST_FILES_MAKING_ONE; which < TEST_FILES; which++) {
        CLEANUP_FREE char *path = string_format("%s%s", listed->name, endings[which]);

        if (listed->has[which])
            add_other(listing, path);
    }
    free(listed->name);
}

/* Sorts the tests and makes one of those with the same name. */
static void merge_files(struct case_listing *listing, bool is_package)
{
    size_t count = 0, next;

    if (listing->count > 0)
        qsort(listing->tests, listing->count, sizeof *listing->tests,
              is_package ? compare_by_bytes : compare_tests);
    for (size_t i = 0; i < listing->count; i = next) {
        struct listed_test test = listing->tests[i];

        for (next = i + 1;
             next < listing->count && strcmp(listing->tests[next].name, test.name) == 0; next++) {
            for (int which = 0; which < TEST_FILES; which++)
                test.has[which] = test.has[which] || listing->tests[next].has[which];
            free(listing->tests[next].name);
        }
        if (is_test(&test))
            listing->tests[count++] = test;
        else
            drop(listing, &test);
    }
    listing->count = count;
}

int case_listing_read(struct case_listing *listing, int directory, bool is_package,
                      const char *shown, struct error *error)
{
    struct walk walk = {
        .listing = listing, .is_package = is_package, .shown = shown, .error = error};
    const int copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (copy < 0)
        return error_set_errno(error, ERROR_INPUT, "cannot read '%s'", shown);
    if (list_directory(&walk, copy, "", 0) != 0)
        return -1;
    merge_files(listing, is_package);
    if (listing->count == 0)
        return error_set(error, ERROR_INPUT,
                         "'%s' has no tests; a test is a file NAME.in and a file NAME.out", shown);
    if (listing->count > TESTS_MAX)
        return error_set(error, ERROR_INPUT, "'%s' has more than %d tests", shown, TESTS_MAX);
    sort(&listing->groups);
    sort(&listing->others);
    return 0;
}

void case_listing_release(struct case_listing *listing)
{
    for (size_t i = 0; i < listing->count; i++)
        free(listing->tests[i].name);
    free(listing->tests);
    strvec_release(&listing->groups);
    strvec_release(&listing->others);
    *listing = (struct case_listing)CASE_LISTING_INIT;
}
