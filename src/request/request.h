/*
 * What a caller asks for: one program, its files, and the limits that it is to run under. A front
 * end fills a request in; plan_resolve() (request/plan.h) checks it against the configuration.
 */
#ifndef REQUEST_REQUEST_H
#define REQUEST_REQUEST_H

#include <stdbool.h>

#include "base/error.h"
#include "base/strvec.h"
#include "config/input_files.h"
#include "config/network_selection.h"
#include "config/sandbox_policy.h"
#include "request/built_files.h"
#include "request/case_request.h"
#include "request/checker_request.h"
#include "request/function_call.h"
#include "request/session_terms.h"

/*
 * Everything that goes into the container. The program is a directory, an open file or bytes in
 * memory; one of the three is given, or none if the request has no program.
 */
struct input {
    char *dir;                /* owned; NULL: none */
    int file;                 /* open descriptor, owned; -1: none */
    char *code;               /* owned, bytes in memory; NULL: none */
    size_t code_length;       /* bytes */
    struct input_files files; /* more files, in addition to an open file or code in memory */
    int stdin_file;           /* standard input: an open regular file, owned; -1: empty */
    /*
     * stdin_file is any open descriptor, and its bytes are passed on as they come, while the
     * program runs. Neither for tests nor in a session.
     */
    bool stdin_is_live;
};

#define INPUT_INIT                                                                                 \
    {                                                                                              \
        .file = -1, .stdin_file = -1                                                               \
    }

void input_release(struct input *input);

/* Makes an empty input another owner of the same. ERROR_SYSTEM if the host has no descriptors. */
int input_copy(struct input *input, const struct input *from, struct error *error);

/* Bytes of the code, its files and standard input; not of a directory or open files. */
size_t input_bytes(const struct input *input);

/* The id of a job (service/jobs.h): 16 hexadecimal digits, and a NUL. */
enum { JOB_ID_SIZE = 17 };

/*
 * How a request uses a session (service/sessions.h): a container that several requests share.
 * service_find_session() completes it before the request is resolved.
 */
enum { SESSION_ID_SIZE = 33 }; /* 128 bits in hexadecimal digits, and a NUL */

struct session_request {
    char id[SESSION_ID_SIZE]; /* "": the request gets a container of its own */
    bool open;                /* the request opens the session */
    bool keep_processes;      /* of that session: processes run on after their request */
    bool close;               /* the session ends after the request */
    bool names;               /* the caller wants names for completion */
    long long
        line; /* the code begins there in a file of the entrypoint's name, for tracebacks; 0 */
    bool all_files; /* artifacts may also be files that earlier requests sent or returned */
};

struct request {
    char *language;        /* NULL: the session's, or by the extension of the entrypoint */
    bool language_of_file; /* it is that of the program's file: the session's comes first */
    char *image;           /* NULL: the session's, or the language's */
    char *workdir;         /* path for workdir_parse(); NULL: the session's or configuration's */
    /* Where the program starts: a path in the container, from the working directory on; NULL: there.
     * For programs that no request sends: others are named by a path below that. */
    char *directory;
    struct input input;
    /*
     * Files and directories of this host that are sent with the program, each under the last name
     * of its path; "DIR/." is what is in a directory. Only for people, who may read them.
     */
    struct strvec paths;
    struct strvec constants; /* base/constants.h; replaced in all of its files */
    char *links_below; /* a directory of this host that links in its directories may lead to files
                          below; NULL: they may not leave them */
    /* The program's path: in the directory, or the name that a file or code is sent under. */
    char *entrypoint;          /* NULL: by its source, or the language's default file name */
    bool entrypoint_of_file;   /* it is what a file is called here: the source comes first */
    bool no_program;           /* none is sent: for a workspace (service/workspaces.h) */
    struct strvec arguments;   /* appended to the language's command; without a program, and if
                                  there are some, in place of it */
    char *shell;               /* code for the shell of the workspace, as its command; NULL: none */
    struct strvec environment; /* "NAME=VALUE"; values may be secrets and appear in no argv */
    struct sandbox_policy policy; /* partial */
    /* Narrows the hosts of the configuration and of `policy`; not given: the session's. */
    struct network_selection hosts;
    struct strvec tools;     /* servers whose tools it may call, of those of the configuration */
    struct strvec artifacts; /* patterns (base/glob.h) of the files to return; empty: no files */
    bool of_package;         /* it is one of a problem package, which can have another standard */
    bool background;         /* the caller wants a job, and not to wait for the result */
    int share_max;           /* programs that may share its container, one after the other; 0 */
    bool artifacts_optional; /* the patterns are not the caller's: no file need fit */
    bool unrequested;        /* return pictures, and name the other files that the program writes */
    struct case_requests tests;
    struct function_call call; /* what the tests call; without a function: they run the program */
    struct request
        *checker; /* owned; decides about the outputs of tests; NULL: they are compared */
    struct built_files *built; /* shared by runs of this program; borrowed; NULL: each builds it */
    struct request *grader;    /* owned; a program that grades groups of tests; NULL: none does */
    enum checker_convention checker_convention;
    bool interactive;      /* the checker is an interactor: it talks to the program */
    bool transcript;       /* what they say is kept, which makes that slower */
    int test_output_bytes; /* kept of each stream of a test; 0: TEST_OUTPUT_BYTES */
    struct session_request session;
    char *workspace_name; /* as the caller names it; the next is its id, of an open note; NULL */
    char workspace[JOB_ID_SIZE]; /* that the command runs in; "": none */
    char *session_name;          /* what the caller calls its session; NULL: nothing */
    struct session_terms *terms; /* of a session that is open; owned; NULL: it is not */
    struct strvec warnings;      /* what was read in another way than the caller wrote it */
    int max_artifact_bytes; /* that the caller can keep, of all together; 0: no limit of its own */
    char *save_image;       /* tag for an image of the run; NULL: save none */
    char *save_dockerfile;  /* path of a Dockerfile of the run; NULL: write none */
};

/*
 * The subject of an error about a request (base/error.h) is the key of the configuration that sets
 * the same thing, like "memoryMB". These are the subjects that the configuration has no key for.
 */
#define REQUEST_LANGUAGE   "language"
#define REQUEST_DIRECTORY  "directory"
#define REQUEST_ENTRYPOINT "entrypoint"
#define REQUEST_ARTIFACTS  "artifacts"
#define REQUEST_HOSTS      POLICY_HOSTS
#define REQUEST_TOOLS      "tools"

/*
 * Adds a file or directory of this host to request->paths, without slashes at its end. ERROR_USAGE
 * if it does not end in a name, or in the same name as another.
 */
int request_add_path(struct request *request, const char *path, struct error *error);

/* The pattern of a person who asks for all files. Files and directories with a dot are none. */
#define REQUEST_ALL_FILES "**"

void request_init(struct request *request);
void request_release(struct request *request);

/*
 * Adds a pattern (base/glob.h) to request->artifacts: relative to the working directory, at most
 * REQUEST_PATTERN_MAX bytes, at most REQUEST_PATTERNS_MAX patterns. ERROR_USAGE.
 */
int request_add_artifact(struct request *request, const char *pattern, struct error *error);

/* Matching a path of 4000 bytes with that many patterns takes at most 2 ms. */
enum { REQUEST_PATTERNS_MAX = 20, REQUEST_PATTERN_MAX = 200 };

/*
 * Bytes that are kept of each output stream of a test: normally, at least, at most; and at most of
 * that stream of all tests of a request, since they are in memory until its end.
 */
enum {
    TEST_OUTPUT_BYTES = 4096,
    TEST_OUTPUT_BYTES_MIN = 64,
    TEST_OUTPUT_BYTES_MAX = 1 << 20,
    TESTS_OUTPUT_BYTES_MAX = 64 << 20
};

#endif
