/*
 * The tests in a directory and those below it, in the layout of judges: each file name is the name
 * of a test and what the file holds.
 *
 *     NAME.in     standard input; without this file it is empty
 *     NAME.out    the expected standard output, or NAME.ans, as ICPC and Kattis call it; in a
 *                 package with both, NAME.out is for the statement
 *     NAME.args   arguments of the program, one on each line; a line may end in "\r\n"
 *     NAME.files  a directory, whose files are put into the working directory
 *     NAME.yaml   what cli/grade/case_settings.h reads; test_group.yaml, or testdata.yaml in the
 *                 legacy format, says the same of all tests in its directory and below
 *
 * There is a test for each NAME with at least one of the files NAME.in, .out, .ans and .args. In a
 * directory below, NAME begins with its path: "secret/1". Files whose name begins with a dot are
 * ignored, and a warning names all others. Tests are in natural order: numbers in their names are
 * compared as numbers, so that "sample-2" comes before "sample-10". In a package the bytes of the
 * names give the order, of each directory and then of the file.
 *
 * Files test_group.yaml also make the groups that give scores, see cli/grade/case_scores.h.
 *
 * A test without an expected output passes whatever the program prints, so it is an error unless
 * the caller asks for that. The message names the file that is probably meant, like NAME.expected.
 *
 * The directory is the caller's own. Still, nothing in it can stop the program: a file has to be a
 * regular one, or a link to one, and everything is bounded. That of a package can be a stranger's.
 */
#ifndef CLI_CASE_DIRECTORY_H
#define CLI_CASE_DIRECTORY_H

#include <stdbool.h>

#include "base/error.h"
#include "base/strvec.h"
#include "request/case_request.h"

struct case_directory_options {
    bool no_expected;   /* tests may have no expected output */
    bool has_validator; /* output_validator_args are for a validator, and say nothing about how
                           outputs are compared */
    const char *validator_flags; /* of all tests, as in testdata.yaml; NULL: not given */
    bool is_scoring;             /* the tests give scores, also if no file says so */
    bool all_tests;              /* run also after one that is not accepted, in any format */
    bool is_legacy;              /* and the defaults for that are those of the legacy format */
    bool gives_no_score;   /* the validator does not, so a test has the default of its format */
    const char *no_grader; /* why groups cannot have a grader of their own; NULL: they can */
    const struct strvec *constants; /* in the files of groups (base/constants.h); NULL: none */
    const char *package;            /* a directory out of which no link may lead, the package or one
                                       above it; NULL: not one of a package */
};

/*
 * Adds the tests. Of what their files do not say, they have the comparison, which is complete, and
 * the limits of `defaults`. Standard inputs and NAME.files stay open, one descriptor for each file;
 * arguments and expected outputs are read. A warning about files that belong to no test is added to
 * `warnings`.
 *
 * ERROR_INPUT, which names the file, if a test has no expected output, if a file cannot be read, is
 * too large or is wrong, if the ending of its name is not in lower case, if a name is not valid
 * UTF-8, or if there are no tests or more than TESTS_MAX.
 */
int case_directory_read(const char *path, const struct case_directory_options *options,
                        const struct case_request *defaults, struct case_requests *tests,
                        struct strvec *warnings, struct error *error);

#endif
