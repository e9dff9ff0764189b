/*
 * Reads the values of arguments that are JSON of a model or of a batch: strings, words, variables,
 * files. All are bounded. The errors are ERROR_USAGE that name the argument and what would be
 * right, unless a comment says otherwise.
 */
#ifndef CONFIG_ARGUMENT_VALUES_H
#define CONFIG_ARGUMENT_VALUES_H

#include <jansson.h>
#include <stddef.h>

#include "base/error.h"
#include "base/strvec.h"
#include "config/input_files.h"

/* Opens the files that arguments name by a URI. */
struct file_opener {
    /* 0, with a range that the caller owns, or -1 with the error. */
    int (*open)(void *context, const char *uri, struct file_range *range, struct error *error);
    void *context;
};

/* The state of reading the arguments of one request. */
struct argument_reader {
    struct error *error;
    size_t words; /* bytes of the arguments and variables so far, of each program */
    const struct file_opener *opener; /* NULL: no file can be named */
    int opened;                       /* files so far */
};

/* Sets the error "NAME must be EXPECTED". Returns -1. */
int argument_wrong(struct argument_reader *reader, const char *name, const char *expected);

/* Returns the string, borrowed; NULL with the error if it is none or has a NUL in it. */
const char *argument_text(struct argument_reader *reader, const char *name, const json_t *value);

/* Returns the bytes of a string, owned, with a NUL after them. */
char *argument_bytes(const json_t *string, size_t *length);

/* Appends an array of strings, for argv. */
int argument_words(struct argument_reader *reader, const char *name, const json_t *value,
                   struct strvec *words);

/* Appends an object of strings by name as "NAME=VALUE". */
int argument_variables(struct argument_reader *reader, const char *name, const json_t *value,
                       struct strvec *variables);

/*
 * Adds an array of {filename, content, encoding} or {filename, uri}. ERROR_INPUT if a name is not
 * allowed or if a file cannot be opened.
 */
int argument_files(struct argument_reader *reader, const char *name, const json_t *value,
                   struct input_files *files);

/*
 * Puts a string into an unnamed file, for stdin; *file is a descriptor that the caller owns.
 * ERROR_SYSTEM if the host refuses that.
 */
int argument_stdin(struct argument_reader *reader, const char *name, const json_t *value,
                   int *file);

/* Reads a number of seconds greater than 0. */
int argument_seconds(struct argument_reader *reader, const char *name, const json_t *value,
                     double *seconds);

#endif
