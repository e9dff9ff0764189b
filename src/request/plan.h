/*
 * A plan: a request with every open point settled by the configuration, and everything that a run
 * needs. What is wrong with a request is found when the plan is resolved, before any file is read
 * and before the engine is asked for anything. After that it is not changed; only a front end opens
 * the files of `input` before it submits the plan, the program with plan_set_file(). Knows nothing
 * of containers or of how a run goes.
 */
#ifndef REQUEST_PLAN_H
#define REQUEST_PLAN_H

#include "base/error.h"
#include "base/strvec.h"
#include "config/config.h"
#include "config/sandbox_policy.h"
#include "request/request.h"

/* How long a program may run whose container is shared, in ms. */
enum { SHARE_PROGRAM_MAX_MS = 3600000 };

/* Owns everything in it. */
struct plan {
    char *language; /* its name */
    char *image;
    char *base;            /* the image to use if `image`, a prepared one, is missing; NULL: none */
    char *workdir;         /* absolute path in the container */
    char *directory;       /* where the program starts, see struct request; NULL: there */
    char *entrypoint;      /* path of the program below the workdir */
    char *included_main;   /* of the files in `paths`, the one that is run; NULL: the entrypoint */
    bool no_program;       /* none is sent, see struct request */
    bool of_package;       /* a program of a problem package */
    char *source_name;     /* the name that the caller gave the program; NULL: none */
    struct strvec build;   /* argv, with {sources} in it (config/command_template.h), or empty */
    struct strvec command; /* argv of the program */
    struct strvec source_extensions;  /* of the language; for {sources} */
    struct strvec relay_environment;  /* of all programs, before the others: of proxy and tools */
    struct strvec environment;        /* the language's and the request's */
    struct strvec public_environment; /* the language's alone: what an image may be saved with */
    struct sandbox_policy policy;     /* complete */
    struct limits build_limits;       /* complete, if there is a build */
    struct program_traits traits;     /* of program and build */
    bool ready;                       /* with a started interpreter */
    struct strvec preload;            /* modules that it imports in advance */
    double requested_cpus;            /* the CPUs of `policy`, if the request names them; NAN */
    bool image_requested;             /* the request names the image */
    struct strvec tools;              /* servers whose tools it may call; each once */
    struct input input;
    struct strvec paths;        /* files and directories of this host to be sent */
    struct strvec constants;    /* base/constants.h; replaced in these files */
    char *links_below;          /* where links in them may lead; NULL: not out of them */
    struct case_requests tests; /* none: the program runs once */
    struct function_call call;  /* that the tests call; without a function: they run the program */
    int test_output_bytes;      /* kept of each stream of a test */
    struct built_files *built;  /* of the request; borrowed; NULL: its build is for one run */
    struct plan *checker;       /* owned; that of the checker of the tests; NULL: none */
    struct plan *grader;        /* owned; that of what grades groups of tests; NULL: nothing */
    enum checker_convention checker_convention;
    bool interactive, transcript; /* the checker talks to the program; what they say is kept */
    int share_max;    /* programs that may share its container, see run/sharing.h; 0: none */
    bool is_repeated; /* the program runs many times, each time with its files as they were */
    struct session_request session;
    bool is_shell; /* the command is code for the shell of a workspace (request/shell_command.h) */
    char workspace[JOB_ID_SIZE]; /* that the command runs in (service/visits.h); "": none */
    /*
     * argv of the interpreter that stays if the request is one of a session, in place of `command`;
     * its code is that of `input`, and not a file. Empty: each request of a session is a process of
     * its own, as it is if the program is a directory.
     */
    struct strvec session_command;
    struct strvec arguments; /* the request's, which `command` has too */
    struct strvec artifacts; /* patterns of the files to return */
    bool artifacts_optional; /* no file need fit */
    bool unrequested;        /* return pictures, and name other files */
    int max_artifacts;       /* number of files that are returned */
    int max_artifact_bytes;  /* bytes of all of them together */
    bool probes_limits;      /* the program finds out whether the engine enforces limits */
    char *save_image;        /* tag for an image of the run; NULL: save none */
    char *save_dockerfile;   /* path of a Dockerfile of the run; NULL: write none */
};

#define PLAN_INIT                                                                                  \
    {                                                                                              \
        .input = INPUT_INIT                                                                        \
    }

void plan_release(struct plan *plan);

/*
 * Bytes that the plan holds: the program, its files, standard input, arguments and environment, and
 * its tests.
 */
size_t plan_bytes(const struct plan *plan);

/* Whether the request uses a session. */
bool plan_has_session(const struct plan *plan);

/* What runs in the container of a plan. */
enum plan_kind {
    PLAN_PROGRAM,    /* one program */
    PLAN_SUBMISSION, /* a build, tests, or both (run/submission.h) */
    PLAN_CELL        /* a cell for the interpreter of a session (run/cell_run.h) */
};

enum plan_kind plan_kind(const struct plan *plan);

/* The limits of a test. */
struct limits plan_test_limits(const struct plan *plan, const struct case_request *test);

/* How long the programs of the plan, the build and each test, may run together, in ms. */
long long plan_programs_ms(const struct plan *plan);

/*
 * Fills in an empty plan, with the terms of its session if that is open. On success the plan takes
 * over the request's input, artifacts, tests, save_image and save_dockerfile, and the request can
 * be released. On failure the request is unchanged and the plan holds what was settled so far,
 * which plan_release() frees. ERROR_USAGE, or ERROR_INPUT if the paths of files cannot be paths in
 * the working directory.
 */
int plan_resolve(struct plan *plan, const struct config *config, struct request *request,
                 struct error *error);

/*
 * Gives a plan that was resolved the open file of its program, which it then owns, also on failure.
 * If the language has a pattern for that (config/filename_pattern.h), the program gets the name
 * that its source asks for, and not that of the file. ERROR_INPUT if another file has this name.
 */
int plan_set_file(struct plan *plan, const struct config *config, int file, struct error *error);

/*
 * An error that the engine lacks the image of the plan's language then names the command that
 * pulls it. Other errors stay as they are, and this one if the request names the image.
 */
void plan_name_pull(const struct plan *plan, struct error *error);

/*
 * Runs a file of `paths` in place of the entrypoint, which is sent with it; call it last. The name
 * is copied.
 */
void plan_use_included(struct plan *plan, const struct language *language, const char *name);

/* The standard of the language that the build names, borrowed; NULL or "": none. */
const char *plan_standard(const struct plan *plan, const struct language *language);

/* The path of what is run: the entrypoint, or what plan_use_included() has named. Borrowed. */
const char *plan_main(const struct plan *plan);

#endif
