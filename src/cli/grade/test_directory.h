/*
 * The tests in a directory, in the layout of judges: each file name is the name of a test and what
 * the file holds.
 *
 *     NAME.in    standard input; without this file it is empty
 *     NAME.out   the expected standard output, or NAME.ans, as ICPC and Kattis call it
 *     NAME.args  arguments of the program, one on each line; a line may end in "\r\n"
 *
 * There is a test for each NAME with at least one of these files. Files whose name begins with a
 * dot are ignored, and a warning names all others and the directories. Tests are in natural order:
 * numbers in their names are compared as numbers, so that "sample-2" comes before "sample-10".
 *
 * A test without an expected output passes whatever the program prints, so it is an error unless
 * the caller asks for that. The message names the file that is probably meant, like NAME.expected.
 *
 * The directory is the caller's own. Still, nothing in it can stop the program: a file has to be a
 * regular one, or a link to one, and everything is bounded.
 */
#ifndef CLI_TEST_DIRECTORY_H
#define CLI_TEST_DIRECTORY_H

#include <stdbool.h>

#include "base/error.h"
#include "base/strvec.h"
#include "request/test_request.h"

/*
 * Adds the tests, with a comparison by the values of TEST_REQUEST_INIT. Standard inputs stay open,
 * one descriptor each; arguments and expected outputs are read. `no_expected` allows tests without
 * an expected output. A warning about files that belong to no test is added to `warnings`.
 *
 * ERROR_INPUT, which names the file, if a test has no expected output, if a file cannot be read or
 * is too large, if the ending of its name is not in lower case, if a name is not valid UTF-8, or if
 * there are no tests or more than TESTS_MAX.
 */
int test_directory_read(const char *path, bool no_expected, struct test_requests *tests,
                        struct strvec *warnings, struct error *error);

#endif
