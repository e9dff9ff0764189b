/*
 * The command lines of `isolator run`, and of start, test, session, create and exec, which have
 * many of its options. These are in cli/run_option_table.c.
 */
#ifndef CLI_RUN_OPTIONS_H
#define CLI_RUN_OPTIONS_H

#include <stdbool.h>

#include "base/error.h"
#include "base/strvec.h"
#include "cli/output_format.h"
#include "config/config.h"
#include "request/request.h"

/* The timeout of each test in seconds if the configuration names none; see config_load(). */
enum { RUN_OPTIONS_TEST_TIMEOUT = 10 };

enum run_options_command {
    RUN_OPTIONS_RUN,
    RUN_OPTIONS_START,
    RUN_OPTIONS_TEST,
    RUN_OPTIONS_SESSION,
    RUN_OPTIONS_CREATE,
    RUN_OPTIONS_EXEC
};

struct run_options {
    enum run_options_command command;
    struct request request;  /* complete except for the open files and the tests */
    struct strvec files;     /* FILE..., "-" for stdin; none with --dir */
    const char *file;        /* the first of them, which is the program of run; NULL: none */
    int parallel;            /* how many of them are tested at the same time */
    int retries;             /* how often a program is tested again that the engine failed */
    char *stdin_path;        /* --stdin; "-" for isolator's own stdin; NULL */
    bool shell;              /* the word after -- is code for the shell of a workspace */
    bool interactive;        /* isolator's own stdin is passed on while the program runs */
    char *config_path;       /* --config or NULL */
    const char *runtime;     /* --runtime, "docker" or "podman", or NULL */
    char *audit;             /* --audit or NULL */
    char *artifacts;         /* --artifacts, the directory; NULL */
    int artifacts_directory; /* its descriptor, owned; -1 until run_command opens it */
    bool force;              /* replace existing files in it */
    bool pull;               /* fetch the image if it is missing */
    bool stream;
    bool detach;                              /* start the run as a job */
    char *name;                               /* of the job or workspace; NULL: none */
    long long lifetime_seconds, idle_seconds; /* of a workspace; 0: not given */
    char *tests;                              /* --tests, the directory; NULL for run */
    char *problem;                            /* --problem, the package; NULL */
    char *packages;                           /* --packages, a directory above the package; NULL */
    char *validator_flags; /* of all tests, words as in testdata.yaml; owned; NULL: not given */
    bool is_scoring, is_legacy;        /* of the problem: its tests give scores; its format */
    bool gives_no_score;               /* of a problem: its validator does not */
    struct limits judge_limits;        /* of the checker; partial */
    struct comparison_rule comparison; /* of all tests; not complete */
    int max_output_bytes;              /* of each stream of each test; 0: not given */
    double time_limit;                 /* of a problem, in seconds; 0: not given */
    /* Paths; NULL: not given, and at most one is. */
    char *checker, *validator, *interactor, *interactive_validator;
    /* Of a problem, the program that grades groups, or why there is none; both owned, or NULL. */
    char *grader, *no_grader;
    bool transcript;
    bool no_checker_trial;
    bool no_detail; /* results do not show the tests */
    bool stop_on_failure;
    bool all_tests;              /* of a problem */
    bool no_expected;            /* tests without an expected output are allowed */
    struct strvec test_warnings; /* about the directory of the tests */
    bool keep_processes;         /* of a session */
    enum output_format format;   /* of run; without --stream, which prints no result */
    bool json, table;            /* what the result is printed as, if not both are false */
    bool verbose;
    bool help;
};

/*
 * Reads the arguments after the name of the command, which is argv[0]. -1 with ERROR_USAGE if they
 * are wrong. With --help nothing else is checked. The caller releases the options in any case.
 */
int run_options_parse(struct run_options *options, enum run_options_command command, int argc,
                      char **argv, struct error *error);

/*
 * Checks which options need or exclude each other. -1 with ERROR_USAGE. run_options_parse() calls
 * it after it has read all options.
 */
int run_options_check(const struct run_options *options, struct error *error);

/* The options about the comparison of tests, for comparison_rule_complete(). */
extern const struct comparison_names run_options_comparison_names;

/*
 * Applies the options that are about the configuration, --audit and --runtime, to it. -1 with
 * ERROR_USAGE if a job would not be found later.
 */
int run_options_configure(const struct run_options *options, struct config *config,
                          struct error *error);

/* Whether the output of the program and the result are printed as text. */
bool run_options_want_text(const struct run_options *options);

/* Whether tests are printed as a table: at a terminal, unless the options say otherwise. */
bool run_options_want_table(const struct run_options *options);

/* Makes the file, which is not "-", the program of the request. */
void run_options_set_program(struct run_options *options, const char *file);

/* An error_namer (base/error.h): the option for the subject of an error, like "--memory". */
const char *run_options_namer(const char *subject);

void run_options_release(struct run_options *options);

#endif
