/*
 * The error object that every function which can fail for an outside reason fills in.
 *
 * A function returns 0, or -1 with the error set exactly once; on success it leaves the error
 * alone. On the way up callers put context in front ("cannot create container: ..."). Nobody below
 * src/cli and src/mcp prints. Running out of memory is not an error in this sense: it aborts.
 *
 * Messages: lower case, no full stop, what failed first, the subject in quotes, then the way out.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

/* Closed set: src/cli maps each to an exit status, src/sandbox to the `reason` of a result. */
enum error_kind {
    ERROR_NONE,
    ERROR_USAGE,     /* the request or the command line is wrong */
    ERROR_CONFIG,    /* a configuration file is wrong */
    ERROR_INPUT,     /* the files to be sent cannot be sent */
    ERROR_ENGINE,    /* the docker command or its engine failed */
    ERROR_IMAGE,     /* the image is not on the engine */
    ERROR_CANCELLED, /* the caller's cancel notifier was raised */
    ERROR_SYSTEM,    /* this host refused something: descriptors, processes, disk */
};

struct error {
    enum error_kind kind;
    char *message; /* owned; NULL while kind is ERROR_NONE */
};

#define ERROR_INIT                                                                                 \
    {                                                                                              \
        ERROR_NONE, NULL                                                                           \
    }

/* Sets an error that is not set yet. Returns -1, so that `return error_set(...)` reads well. */
int error_set(struct error *error, enum error_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Like error_set(), with ": " and the text of errno behind the message. Where that says that the host has run
 * out of descriptors or memory the kind is ERROR_SYSTEM, whatever was being done.
 */
int error_set_errno(struct error *error, enum error_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts "TEXT: " in front of an error that is set. Returns -1. */
int error_prefix(struct error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Puts "; TEXT" behind an error that is set: what to do about it. Returns -1. */
int error_hint(struct error *error, const char *text);

void error_release(struct error *error);

#endif
