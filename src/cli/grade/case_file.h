/*
 * Opens and reads the files of tests, which are below one directory. A file has to be a regular
 * one, or a link to one, and everything is bounded. Errors are ERROR_INPUT and name the file.
 */
#ifndef CLI_CASE_FILE_H
#define CLI_CASE_FILE_H

#include "base/error.h"
#include "base/strbuf.h"
#include "config/input_files.h"

/* The directory of the tests. */
struct test_root {
    const char *shown; /* its path, escaped; borrowed */
    int fd;            /* borrowed */
    int package;       /* borrowed; the directory out of which no link may lead; -1: links may lead
                          anywhere */
};

/* The path of a file below it, for messages; owned by the caller. */
char *case_file_shown(const struct test_root *root, const char *path);

/* Fails if a link of the path leads out of the package, or there is no such file in a package. */
int case_file_check(const struct test_root *root, const char *path, struct error *error);

/* Opens a file of at most `max` bytes. Returns its descriptor, owned, or -1. */
int case_file_open(const struct test_root *root, const char *path, long long max,
                   struct error *error);

/* Adds the content of a file of at most `max` bytes, whatever its size was when it was opened. */
int case_file_read(const struct test_root *root, const char *path, long long max,
                   struct strbuf *content, struct error *error);

/* Files of a directory that are opened, and directories in each other. */
enum { TEST_FILES_OPENED_MAX = 1000, TEST_FILES_LEVELS_MAX = 16 };

/*
 * Opens all files in a directory and below, and adds them under their paths in it. They stay open.
 */
int case_file_add_directory(const struct test_root *root, const char *path,
                            struct input_files *files, struct error *error);

#endif
