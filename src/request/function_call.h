/*
 * The function that the tests of a request call, in place of running the program: its names, and
 * what calls it, a driver of isolator's own that runs in the container in the language of the
 * program (src/drivers/call.py). Its file goes next to the program's files.
 */
#ifndef REQUEST_FUNCTION_CALL_H
#define REQUEST_FUNCTION_CALL_H

#include "base/strvec.h"

/* The file with the arguments of the call of a test, and the most bytes of a name. */
#define FUNCTION_CALL_ARGUMENTS "isolator_call.json"
enum { FUNCTION_CALL_NAME_MAX = 255 };

struct function_call {
    char *function;   /* owned; NULL: no function is called */
    char *class_name; /* owned; it is a method of that; NULL: a function, or else of "Solution" */
};

void function_call_release(struct function_call *call);

/* Makes an empty call one of the same function. */
void function_call_copy(struct function_call *call, const struct function_call *from);

struct call_driver {
    const char *extensions[4]; /* of the programs that it is for */
    const char *name;          /* of its file */
    const char *(*text)(void);
};

/*
 * The driver for programs of a language with these extensions; NULL: it has none, or no function is
 * called.
 */
const struct call_driver *function_call_driver(const struct function_call *call,
                                               const struct strvec *extensions);

/* Adds the words that the driver gets. */
void function_call_add_words(const struct function_call *call, const char *entrypoint,
                             struct strvec *command);

#endif
