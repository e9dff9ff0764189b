/*
 * The command line of `isolator run`: one table of options drives parsing and --help.
 */
#ifndef CLI_RUN_OPTIONS_H
#define CLI_RUN_OPTIONS_H

#include <stdbool.h>

#include "base/error.h"
#include "config/request.h"

struct run_options {
    struct request request;  /* complete but for the open files */
    char *file;              /* FILE, "-" for stdin; NULL with --dir */
    char *stdin_path;        /* --stdin; "-" for stdin; NULL */
    char *config_path;       /* --config or NULL */
    char *artifacts;         /* --artifacts, the directory; NULL */
    int artifacts_directory; /* that, open, owned; -1 before run_command opens it */
    bool force;              /* what it holds may be replaced */
    bool pull;               /* fetch the image where it is missing */
    bool stream;
    bool verbose;
    bool help;
};

/*
 * Reads the arguments behind "run" (argv[0] is "run"). ERROR_USAGE. With --help nothing else is
 * checked. Release the options in any case.
 */
int run_options_parse(struct run_options *options, int argc, char **argv, struct error *error);

/* The option for the subject of an error, like "--memory"; an error_namer (base/error.h). */
const char *run_options_namer(const char *subject);

/* What --help prints; owned by the caller. */
char *run_options_help(void);

void run_options_release(struct run_options *options);

#endif
