/*
 * The names of arguments and of members. Those of a line of a batch are what its program has
 * written, so an unknown one is an error. A model's call can have others: hosts add some, and
 * models write what other tools call the same. These must not make a call impossible. But a name
 * that may narrow what the program can do or use is never left out.
 */
#ifndef REQUEST_ARGUMENT_NAMES_H
#define REQUEST_ARGUMENT_NAMES_H

#include <jansson.h>

#include "base/error.h"
#include "base/strvec.h"

/* Another name that is taken for one. */
struct argument_alias {
    const char *alias, *name;
};

struct argument_names {
    const char *object;         /* what has the members; NULL: they are arguments of a tool */
    const struct strvec *known; /* those that can be given */
    const struct strvec *other; /* those of other callers or configurations; NULL: none */
    const struct argument_alias *aliases; /* up to one without a name; NULL: none */
};

/*
 * Returns an object with the members of `given`, which may be NULL, by their known names; a new
 * reference. With `warnings`, aliases are taken, and of the unknown names those that hosts add and
 * those that are like nothing are left out with a warning. ERROR_USAGE names any other, and the
 * known name that it is like, and also a name that is given twice. Then it returns NULL.
 */
json_t *argument_names_resolve(const struct argument_names *names, const json_t *given,
                               struct strvec *warnings, struct error *error);

/* Adds a warning, unless there are many: a call can have thousands of files. */
void argument_warn(struct strvec *warnings, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
