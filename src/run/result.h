/*
 * The result of a run, and its JSON form.
 */
#ifndef RUN_RESULT_H
#define RUN_RESULT_H

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "base/strvec.h"
#include "network/network_log.h"
#include "request/request.h"
#include "run/artifacts.h"
#include "run/case_result.h"
#include "tools/tool_log.h"

/* Why the run ended: a closed set. Its names in JSON are in result.c. */
enum reason {
    REASON_EXIT,         /* the program ended by itself, with exit_code */
    REASON_SIGNAL,       /* a signal ended it */
    REASON_TIMEOUT,      /* isolator ended it at its deadline */
    REASON_CPU_TIME,     /* it used more CPU time than its limit, and was ended if it still ran */
    REASON_OOM,          /* it failed after the kernel had killed one of its processes for memory */
    REASON_OUTPUT_LIMIT, /* isolator ended it for writing too much to a stream */
    REASON_CANCELLED,    /* the caller cancelled it */
    REASON_ENGINE,       /* the engine or this host failed */
    REASON_IMAGE_MISSING, /* the image is not on the engine */
    REASON_COMMAND,       /* the image cannot execute the program */
    REASON_INPUT,         /* the files cannot be sent */
    REASON_BUILD,         /* the program could not be built; it never ran */
    REASON_TESTS,         /* not all tests are passed */
    REASON_EXCEPTION,     /* an exception ended the cell; the session goes on */
    REASON_JUDGE,         /* the checker of the tests failed */
};

enum { EXIT_CODE_NONE = -1, RESULT_UNRETURNED_MAX = 10 };

/* The build of a program. */
struct build_result {
    int exit_code, signal; /* as in struct result */
    struct strbuf text[2]; /* stdout and stderr of the compiler, as in struct result */
    bool truncated[2];
    long long duration_ms;
    long long cpu_us; /* -1: not known */
};

/* What a result has in addition if its request used a session. */
struct session_result {
    char id[SESSION_ID_SIZE];
    bool cell;           /* it ran in an interpreter that stays */
    struct strbuf value; /* of the cell's last expression as text, valid UTF-8; see has_value */
    bool has_value, value_cut;
    struct strvec names, files; /* for completion, if they were asked for: printable, no JSON */
    bool state_kept; /* the interpreter waits for the next cell; false: its variables are lost */
    char *ended; /* owned; why the session is over, "its CPU time is used up"; NULL: it is not */
};

struct result {
    enum reason reason;
    int exit_code;         /* the program's; 128 + n for signal n; EXIT_CODE_NONE if it never ran */
    int signal;            /* that ended the program; 0: none did */
    struct strbuf text[2]; /* stdout and stderr as valid UTF-8, head and tail kept */
    unsigned long long bytes[2];
    bool truncated[2];
    long long duration_ms; /* of the program, at least a timeout that it met; 0 if it never ran */
    long long total_ms;    /* of the whole run, until the result was complete; not in the JSON */
    char *error;           /* owned; NULL on success */
    const char *error_subject; /* see base/error.h; NULL: none */
    size_t error_subject_at;
    char *image_tag;       /* owned; the tag it was saved under, or NULL */
    long long peak_bytes;  /* -1: not known */
    long long cpu_us;      /* -1: not known */
    char *image;           /* owned; NULL if none was chosen */
    char *container;       /* owned; its name; NULL if none was created */
    bool warm;             /* a warm container was used */
    bool ready;            /* its interpreter had been started before */
    bool shared;           /* the container is for several lines of a batch */
    int served;            /* lines that it had served before */
    long long ready_bytes; /* memory that the container used then; not in the JSON */
    char *checker_image, *checker_container; /* of the checker of tests; owned; not in the JSON */
    int retries;                    /* how often it was run again since the engine had failed */
    struct build_result *build;     /* owned; NULL: nothing was built */
    struct session_result *session; /* owned; NULL: it used none */
    struct network_log *network;    /* owned; NULL: its programs had no proxy */
    struct tool_log *tools;         /* owned; NULL: they had no tools */
    struct case_results tests;      /* none, if the request has none */
    struct artifacts artifacts;     /* the requested files that the program created or changed */
    /* Files that were written and, unrequested, not returned: some of their names, and how many. */
    struct strvec unreturned;
    size_t unreturned_count;
    struct strvec warnings; /* non-fatal problems; JSON adds those of the artifacts */
    size_t hints;           /* how many of them, the first ones, say what helps */
};

#define RESULT_INIT                                                                                \
    {                                                                                              \
        .reason = REASON_ENGINE, .exit_code = EXIT_CODE_NONE, .peak_bytes = -1, .cpu_us = -1       \
    }

/* "success", "timeout" or "error". */
const char *result_status(const struct result *result);

/* The name of the reason in JSON. */
const char *result_reason(const struct result *result);

/* Makes the part of a session, without which there is none. */
struct session_result *result_add_session(struct result *result, const char *id);

/* Removes it. */
void result_drop_session(struct result *result);

/* Makes the part of the network, without which there is none. */
void result_add_network(struct result *result);

/* Makes the part of the tools, without which there is none. */
void result_add_tools(struct result *result);

/* Whether the program ended with status 0 and nothing failed after it. */
bool result_success(const struct result *result);

/* Adds a warning that says what helps, before those that do not; takes ownership of the text. */
void result_add_hint(struct result *result, char *hint);

/* Sets the reason, by the kind of the error, and its message. */
void result_fail(struct result *result, const struct error *error);

/* Gives the subject of the error the name that `namer` has for it, as error_name_subject() does. */
void result_name_subject(struct result *result, error_namer *namer);

/*
 * The JSON object, a new reference. Members and their order are described in isolator(1). Takes the
 * texts out of the result, so that they are not in memory twice. The results of tests are not in
 * it: they follow as its last member, "tests" (case_result_to_json()).
 */
json_t *result_to_json(struct result *result);

void result_release(struct result *result);

/* Gives the artifacts and the names of other files to another result, in place of its own. */
void result_move_files(struct result *from, struct result *to);

#endif
