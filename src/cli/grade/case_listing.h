/*
 * Which tests there are in a directory and those below it, by the names of files: the layout of
 * judges, see cli/grade/case_directory.h. Nothing is opened but directories.
 */
#ifndef CLI_CASE_LISTING_H
#define CLI_CASE_LISTING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/strvec.h"

/* What a test can have. The first four make one. */
enum case_file {
    TEST_INPUT,
    TEST_OUTPUT,
    TEST_ANSWER,
    TEST_ARGUMENTS,
    TEST_SETTINGS, /* NAME.yaml */
    TEST_DIRECTORY /* NAME.files, a directory */
};
enum { TEST_FILES = TEST_DIRECTORY + 1, TEST_FILES_MAKING_ONE = TEST_ARGUMENTS + 1 };

/* The ending of its name, ".in". */
const char *case_file_ending(enum case_file which);

/* Directories that are looked into, one in the other; bytes of the name of a test. */
enum { TEST_LISTING_LEVELS_MAX = 16, TEST_LISTING_NAME_MAX = 1000 };

struct listed_test {
    char *name; /* owned; its path below the directory, without the ending */
    bool has[TEST_FILES];
};

struct case_listing {
    struct listed_test
        *tests; /* owned; in natural order, those of a package by bytes, as its format says */
    size_t count;
    struct strvec groups; /* paths of test_group.yaml and testdata.yaml, in natural order */
    struct strvec others; /* the first paths that belong to no test, in natural order */
    size_t other_count;   /* all of them */
};

#define CASE_LISTING_INIT                                                                          \
    {                                                                                              \
        NULL, 0, STRVEC_INIT, STRVEC_INIT, 0                                                       \
    }

/*
 * Lists what is in an open directory; `shown` is its path, escaped. In that of a package, only the
 * directories sample and secret have tests. Symbolic links to directories
 * are not followed. ERROR_INPUT if a directory cannot be read or is too deep, if the name of a test
 * is no UTF-8 or too long, or if there are no tests or more than TESTS_MAX.
 */
int case_listing_read(struct case_listing *listing, int directory, bool is_package,
                      const char *shown, struct error *error);

void case_listing_release(struct case_listing *listing);

#endif
