/*
 * The error object. Every function that can fail for an outside reason sets one.
 *
 * A function returns 0, or -1 with the error set exactly once; on success it does not touch the
 * error. Callers prepend context ("cannot create container: ..."). Only src/cli and src/mcp print
 * errors. Running out of memory is not such an error: it aborts the process.
 *
 * Messages are in lower case without a full stop: what failed, the subject in quotes, why, and what
 * to do about it.
 *
 * A message that names a limit or another part of the request has it as its subject, since each
 * front end has its own name for it: "memoryMB" in a configuration is "--memory" on a command line.
 * The layers below use one name; the front end replaces it by the name that its caller wrote.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stddef.h>

/* Closed set: src/cli maps each to an exit status, src/run to the `reason` of a result. */
enum error_kind {
    ERROR_NONE,
    ERROR_USAGE,     /* the request or the command line is wrong */
    ERROR_CONFIG,    /* a configuration file is wrong */
    ERROR_INPUT,     /* the files of the request cannot be read or sent */
    ERROR_ENGINE,    /* the docker command or its engine failed */
    ERROR_IMAGE,     /* the image is not on the engine */
    ERROR_COMMAND,   /* the image cannot execute the program */
    ERROR_CANCELLED, /* the caller's cancel notifier was raised */
    ERROR_SYSTEM,    /* this host refused something: descriptors, processes, disk */
    ERROR_JUDGE,     /* the checker of tests failed, which says nothing about the program */
};

struct error {
    enum error_kind kind;
    char *message;       /* owned; NULL while kind is ERROR_NONE */
    const char *subject; /* borrowed; the name in the message; NULL: none */
    size_t subject_at;   /* its offset in the message */
};

#define ERROR_INIT                                                                                 \
    {                                                                                              \
        .kind = ERROR_NONE                                                                         \
    }

/* The placeholder in a message that error_about() replaces by the name of the subject. */
#define ERROR_SUBJECT "\x1a"

/* Returns what a front end calls a subject, borrowed; NULL if it has no name of its own for it. */
typedef const char *error_namer(const char *subject);

/* Sets an error that is not set yet. Returns -1, so that `return error_set(...)` reads well. */
int error_set(struct error *error, enum error_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Like error_set(), with ": " and the text of errno after the message. If errno says that the host
 * has run out of descriptors or memory, the kind is ERROR_SYSTEM.
 */
int error_set_errno(struct error *error, enum error_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts "TEXT: " in front of an error that is set. Returns -1. */
int error_prefix(struct error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds "; TEXT" to an error that is set: what to do about it. Returns -1. */
int error_hint(struct error *error, const char *text);

/*
 * Makes `subject` the subject of an error that is set: its name takes the place of the first
 * ERROR_SUBJECT in the message. It is borrowed and has to outlive the error. Values in front of
 * that place have to be free of control characters (text_escape()). Returns -1.
 */
int error_about(struct error *error, const char *subject);

/* Gives the subject of an error that is set this name. */
void error_rename_subject(struct error *error, const char *name);

/* Gives the subject the name that `namer` has for it. Does nothing without a subject or a name. */
void error_name_subject(struct error *error, error_namer *namer);

/* Returns a message with another name for the subject at an offset; owned. */
char *error_rename(const char *message, const char *subject, size_t at, const char *name);

void error_release(struct error *error);

#endif
