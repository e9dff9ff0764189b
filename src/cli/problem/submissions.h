/*
 * The submissions of a problem package, each with what is expected of it: the files and directories
 * in the directories of submissions/. Symbolic links are not followed.
 */
#ifndef CLI_SUBMISSIONS_H
#define CLI_SUBMISSIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/strvec.h"
#include "cli/problem/expectation.h"
#include "config/config.h"

/* More in a package, or entries of one of its directories, are an error. */
enum { SUBMISSIONS_MAX = 1000 };

struct submission {
    char *path; /* owned */
    char *name; /* owned; "accepted/x.cpp", or the path if it is not one of the package */
    struct expectation expectation;
    bool has_language; /* the configuration has a language for it */
};

struct submissions {
    struct submission *items; /* owned */
    size_t count;
};

/*
 * Fills in empty submissions: those of the package in a directory, ordered by what is expected of
 * them and then by their names, or the files of the caller if there are some. Adds to `warnings`
 * what is ignored. ERROR_INPUT that names the file.
 */
int submissions_read(struct submissions *submissions, const char *package, bool is_legacy,
                     const struct strvec *files, const struct config *config,
                     struct strvec *warnings, struct error *error);

void submissions_release(struct submissions *submissions);

#endif
