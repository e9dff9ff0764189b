/*
 * Reads the values of arguments that are JSON of a model or of a batch: strings, words, variables.
 * request/argument_files.h reads files. All are bounded. The errors are ERROR_USAGE that name the
 * argument and what would be right, unless a comment says otherwise.
 */
#ifndef REQUEST_ARGUMENT_VALUES_H
#define REQUEST_ARGUMENT_VALUES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/shared_file.h"
#include "base/strvec.h"

/* Opens the files that arguments name by a URI. */
struct file_opener {
    /* 0, with a range that the caller owns, or -1 with the error. */
    int (*open)(void *context, const char *uri, struct file_range *range, struct error *error);
    void *context;
};

/* What the schema says of an argument. */
enum argument_type {
    ARGUMENT_TEXT, /* a string, of which "" is one like others */
    ARGUMENT_NAME, /* a string, of which "" stands for an argument that is not given */
    ARGUMENT_ARRAY,
    ARGUMENT_WORDS, /* an array of strings that are words of a command */
    ARGUMENT_FILES, /* an array of files (request/argument_files.h) */
    ARGUMENT_OBJECT,
    ARGUMENT_NUMBER,
    ARGUMENT_WHOLE,   /* a number without a fraction */
    ARGUMENT_SECONDS, /* a number greater than 0 */
    ARGUMENT_BOOLEAN,
    ARGUMENT_VALUE /* any value, as it is: null and "" are like others */
};

/* The state of reading the arguments of one request. */
struct argument_reader {
    struct error *error;
    const char *workdir; /* in the container: what paths may begin with */
    size_t values;       /* parsed from text so far */
    size_t words;        /* bytes of the arguments and variables so far, of each program */
    const struct file_opener *opener; /* NULL: no file can be named */
    int opened;                       /* files so far */
    /*
     * Borrowed; where it says how it has read what a model wrote in another way than the schema
     * says. NULL: a program has written it, as for a batch, and gets an error.
     */
    struct strvec *warnings;
};

/*
 * Returns the member of an object as a new reference, NULL if it is not given: if it is missing,
 * null, or "" unless that is a value. Hosts fill in each optional argument with "", and clients
 * send arrays, objects, numbers and booleans as text, which a model cannot correct: text that is
 * clean JSON of the type becomes this. Other text comes back as it is, but a model's text where a
 * list is wanted is a list of it alone, or of its words.
 */
json_t *argument_given(struct argument_reader *reader, const json_t *object, const char *name,
                       enum argument_type type);

/* The same for a value. */
json_t *argument_meant(struct argument_reader *reader, json_t *value, enum argument_type type);

/* Adds to an error about a value that is text, and should not be, that text came. Returns -1. */
int argument_hint(struct argument_reader *reader, const json_t *value, enum argument_type type);

/* Sets the error "NAME must be EXPECTED". Returns -1. */
int argument_wrong(struct argument_reader *reader, const char *name, const char *expected);

/*
 * Sets the error that an object has no member of this name; `known` are those that it can have.
 * Returns -1.
 */
int argument_unknown(struct argument_reader *reader, const char *object, const char *member,
                     const struct strvec *known);

/* Returns the string, borrowed; NULL with the error if it is none or has a NUL in it. */
const char *argument_text(struct argument_reader *reader, const char *name, const json_t *value);

/* Returns the bytes of a string, owned, with a NUL after them. */
char *argument_bytes(const json_t *string, size_t *length);

/*
 * Returns a path as a model may mean it, owned: it writes backslashes as on Windows. The caller's
 * own path otherwise.
 */
char *argument_path(struct argument_reader *reader, const char *name, const char *path);

/* Appends an array of strings, for argv; of a model also numbers. */
int argument_words(struct argument_reader *reader, const char *name, const json_t *value,
                   struct strvec *words);

/* Appends an object of strings by name as "NAME=VALUE"; of a model also numbers and booleans. */
int argument_variables(struct argument_reader *reader, const char *name, const json_t *value,
                       struct strvec *variables);

/*
 * Puts a string into an unnamed file, for stdin: an int, a descriptor that the caller owns.
 * ERROR_SYSTEM if the host refuses that.
 */
int argument_stdin(struct argument_reader *reader, const char *name, const json_t *value,
                   void *target);

/* Reads true or false. */
int argument_flag(struct argument_reader *reader, const char *name, const json_t *value,
                  bool *flag);

/* Reads a number of seconds greater than 0. */
int argument_seconds(struct argument_reader *reader, const char *name, const json_t *value,
                     double *seconds);

#endif
