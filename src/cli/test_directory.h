/*
 * The tests in a directory, in the layout of judges: each file name is the name of a test and what
 * the file holds.
 *
 *     NAME.in    standard input; without this file it is empty
 *     NAME.out   the expected standard output, or NAME.ans, as ICPC and Kattis call it; without
 *                this file every output passes if the exit status is 0
 *     NAME.args  arguments of the program, one on each line; a line may end in "\r\n"
 *
 * There is a test for each NAME with at least one of these files. All other files, those whose name
 * begins with a dot, and directories below are ignored. Tests are in natural order: numbers in
 * their names are compared as numbers, so that "sample-2" comes before "sample-10".
 *
 * The directory is the caller's own. Still, nothing in it can stop the program: a file has to be a
 * regular one, or a link to one, and everything is bounded.
 */
#ifndef CLI_TEST_DIRECTORY_H
#define CLI_TEST_DIRECTORY_H

#include "base/error.h"
#include "config/test_request.h"

/*
 * Adds the tests, with a comparison by the values of TEST_REQUEST_INIT. Standard inputs stay open,
 * one descriptor each; arguments and expected outputs are read. ERROR_INPUT, which names the file,
 * if one cannot be read or is too large, if a name is not valid UTF-8, or if there are no tests or
 * more than TESTS_MAX.
 */
int test_directory_read(const char *path, struct test_requests *tests, struct error *error);

/* Compares two names in the order of the tests, as strcmp(3) does. */
int test_directory_order(const char *one, const char *other);

#endif
