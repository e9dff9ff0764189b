/*
 * The submissions of a problem package, each with what is expected of it: the files and directories
 * in the directories of submissions/. Symbolic links are not followed.
 */
#ifndef CLI_SUBMISSIONS_H
#define CLI_SUBMISSIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "cli/grade/case_file.h"
#include "cli/problem/expectation.h"
#include "cli/problem/time_limit.h"
#include "cli/run_options.h"
#include "config/config.h"

/* More in a package, or entries of one of its directories, are an error. */
enum { SUBMISSIONS_MAX = 1000 };

struct submission {
    char *path; /* owned */
    char *name; /* owned; "accepted/x.cpp", or the path if it is not one of the package */
    struct expectation expectation;
    enum time_limit_role role; /* for the time limit of the package */
    bool has_language; /* it can be tested; false: the configuration has no language for it */
    const struct language *language; /* borrowed; NULL: by its file, or by that of a directory */
    char *lacking;    /* owned; the language that it needs and the configuration has not; or NULL */
    char *entrypoint; /* owned; of a directory; NULL: see program_directory_find() */
    char *included_main; /* owned; the included file that is the program; NULL: its own file is */
};

struct submissions {
    struct submission *items; /* owned */
    size_t count;
};

/*
 * Fills in empty submissions: those of the package in options->problem, ordered by what is expected
 * of them and then by their names, or options->files if there are some. Adds to
 * options->test_warnings what is ignored. ERROR_INPUT that names the file; also if no submission
 * has a language.
 */
int submissions_read(struct submissions *submissions, const struct test_root *package,
                     bool is_legacy, struct run_options *options, const struct config *config,
                     struct error *error);

void submissions_release(struct submissions *submissions);

#endif
