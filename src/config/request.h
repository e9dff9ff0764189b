/*
 * What a caller asks for, and the plan that it becomes.
 *
 * A request is filled in by a front end. plan_resolve() checks it against the configuration and
 * settles every open point; whatever is wrong with it is found there, before any file is read and
 * before the engine is touched. The plan then goes to execute().
 */
#ifndef CONFIG_REQUEST_H
#define CONFIG_REQUEST_H

#include "base/error.h"
#include "base/strvec.h"
#include "config/config.h"
#include "config/input_files.h"
#include "config/sandbox_policy.h"
struct run_stats;

struct request {
    char *language; /* NULL: by the extension of the entrypoint */
    char *image;    /* NULL: the language's */
    char *workdir;  /* as workdir_parse() returns it; NULL: the configuration's */
    /*
     * The program: either a directory and the entrypoint in it, or one file, open or in memory, which
     * is sent under the name `entrypoint` (NULL: the language's default name).
     */
    char *dir;
    int file;   /* open descriptor, owned; -1: none */
    char *code; /* bytes in memory; NULL: none */
    size_t code_length;
    char *entrypoint;
    struct input_files files;  /* more files beside an open one or one in memory */
    struct strvec arguments;   /* behind the command */
    struct strvec environment; /* "NAME=VALUE"; values are kept out of sight on the host */
    int stdin_file; /* what the program reads, an open regular file, owned; -1: nothing */
    struct sandbox_policy policy; /* partial */
    struct strvec artifacts; /* patterns (base/glob.h) of the files to take back; none: no files */
    char *save_image;        /* tag; NULL: do not save */
    char *save_dockerfile;   /* path; NULL: do not write */
    int live[2];             /* pass stdout and stderr on to these as they come; -1: do not */
    struct run_stats *stats; /* kept up to date while it runs; borrowed; NULL: nobody looks */
};

/*
 * What errors about a request have as their subject (base/error.h): the key of the configuration
 * that sets the same, like "memoryMB", or for what no configuration sets one of these.
 */
#define REQUEST_LANGUAGE   "language"
#define REQUEST_ENTRYPOINT "entrypoint"

void request_init(struct request *request);
void request_release(struct request *request);

/*
 * Adds a pattern to request->artifacts: relative to the working directory, of at most REQUEST_PATTERN_MAX bytes.
 * ERROR_USAGE.
 */
int request_add_artifact(struct request *request, const char *pattern, struct error *error);

/* So few that no name of a stranger takes long to compare. */
enum { REQUEST_PATTERNS_MAX = 20, REQUEST_PATTERN_MAX = 200 };

struct plan {
    const struct request *request; /* borrowed, with all that is not settled here */
    const char *image;             /* borrowed */
    const char *base;          /* borrowed; where the image is a prepared one: what to do without */
    const char *language;      /* borrowed; its name */
    const char *workdir;       /* borrowed */
    char *entrypoint;          /* path inside the workdir */
    struct strvec command;     /* argv of the program */
    struct strvec environment; /* the language's and the request's */
    struct strvec public_environment; /* the language's alone: what an image may be saved with */
    struct sandbox_policy policy;     /* complete */
    int artifacts_most;               /* files that are taken back */
    int artifact_bytes_most;          /* of all of them */
};

#define PLAN_INIT                                                                                  \
    {                                                                                              \
        .request = NULL                                                                            \
    }

/* Fails with ERROR_USAGE, or with ERROR_INPUT where the names of files cannot be those of files. */
int plan_resolve(struct plan *plan, const struct config *config, const struct request *request,
                 struct error *error);

void plan_release(struct plan *plan);

#endif
