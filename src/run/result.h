/*
 * What came of a request, and its JSON form.
 */
#ifndef RUN_RESULT_H
#define RUN_RESULT_H

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "base/strvec.h"
#include "run/artifacts.h"

/* Why the run ended: a closed set. Its names in JSON stand in result.c. */
enum reason {
    REASON_EXIT,          /* the program ended by itself; its status tells the rest */
    REASON_SIGNAL,        /* a signal ended it */
    REASON_TIMEOUT,       /* we ended it at its deadline */
    REASON_OOM,           /* it failed and the kernel had killed in it for memory */
    REASON_OUTPUT_LIMIT,  /* we ended it for what it wrote */
    REASON_CANCELLED,     /* the caller asked for the end */
    REASON_ENGINE,        /* the engine or this host failed */
    REASON_IMAGE_MISSING, /* the image is not on the engine */
    REASON_INPUT,         /* the files cannot be sent */
};

enum { EXIT_CODE_NONE = -1, OUTPUT_HARD_MAX = 64 << 20 };

struct result {
    enum reason reason;
    int exit_code; /* the program's; 128 + n for signal n; EXIT_CODE_NONE where it never ran */
    struct strbuf text[2]; /* stdout and stderr as valid UTF-8, head and tail kept */
    unsigned long long bytes[2];
    bool truncated[2];
    long long duration_ms;     /* the program's run; 0 where it never ran */
    long long total_ms;        /* of the whole run until this result; not part of the JSON */
    char *error;               /* owned; NULL on success */
    const char *error_subject; /* see base/error.h; NULL: none */
    size_t error_subject_at;
    char *image_tag;            /* owned; the tag it was saved under, or NULL */
    long long peak_bytes;       /* -1: not known */
    long long cpu_us;           /* -1: not known */
    char *image;                /* owned; NULL where none was settled */
    char *container;            /* owned; the name; NULL where none was created */
    bool warm;                  /* it had been made before the request came */
    struct artifacts artifacts; /* what was asked for of the files that the program left */
    struct strvec warnings;     /* in JSON those of the artifacts stand behind them */
};

#define RESULT_INIT                                                                                \
    {                                                                                              \
        .reason = REASON_ENGINE, .exit_code = EXIT_CODE_NONE, .peak_bytes = -1, .cpu_us = -1       \
    }

/* "success", "timeout" or "error". */
const char *result_status(const struct result *result);

/* The name of the reason in JSON. */
const char *result_reason(const struct result *result);

/* Whether the program ended with status 0 and nothing behind it failed. */
bool result_success(const struct result *result);

/* The name of the signal behind an exit code of 128 + n ("SIGKILL"), or NULL. */
const char *result_signal(int exit_code);

/* Makes the result one of a failure: reason by the kind of the error, its message. */
void result_fail(struct result *result, const struct error *error);

/* Gives the subject of the error the name that `namer` has for it, as error_name_subject() does. */
void result_name_subject(struct result *result, error_namer *namer);

/*
 * The JSON object, a new reference. Members and their order are described in isolator(1). Takes the
 * texts out of the result, so that they are not in memory twice.
 */
json_t *result_to_json(struct result *result);

void result_release(struct result *result);

#endif
