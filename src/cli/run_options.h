/*
 * The command line of `isolator run`: one table of options drives parsing and --help.
 */
#ifndef CLI_RUN_OPTIONS_H
#define CLI_RUN_OPTIONS_H

#include <stdbool.h>

#include "base/error.h"
#include "config/request.h"

struct run_options {
    struct request request;  /* complete except for the open files */
    char *file;              /* FILE, "-" for stdin; NULL with --dir */
    char *stdin_path;        /* --stdin; "-" for isolator's own stdin; NULL */
    char *config_path;       /* --config or NULL */
    char *artifacts;         /* --artifacts, the directory; NULL */
    int artifacts_directory; /* its descriptor, owned; -1 until run_command opens it */
    bool force;              /* replace existing files in it */
    bool pull;               /* fetch the image if it is missing */
    bool stream;
    bool verbose;
    bool help;
};

/*
 * Reads the arguments after "run", which is argv[0]. -1 with ERROR_USAGE if they are wrong. With
 * --help nothing else is checked. The caller releases the options in any case.
 */
int run_options_parse(struct run_options *options, int argc, char **argv, struct error *error);

/*
 * Checks which options need or exclude each other. -1 with ERROR_USAGE. run_options_parse() calls
 * it after it has read all options.
 */
int run_options_check(const struct run_options *options, struct error *error);

/* An error_namer (base/error.h): the option for the subject of an error, like "--memory". */
const char *run_options_namer(const char *subject);

/* What --help prints; owned by the caller. */
char *run_options_help(void);

void run_options_release(struct run_options *options);

#endif
