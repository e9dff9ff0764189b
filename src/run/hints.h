/*
 * Warnings that name the cure of what a program ran into: a package that is not in the image, no
 * network, a full disk, too little memory. Each reader gets the names and the means that it has.
 * What a program prints is untrusted: of it, only the name of a package gets into a warning, and
 * only if it is short and harmless.
 */
#ifndef RUN_HINTS_H
#define RUN_HINTS_H

#include <stdbool.h>

#include "config/config.h"
#include "run/result.h"

/* Bytes of the name of a package. */
enum { HINT_PACKAGE_MAX = 60 };

/* What a reader can do. */
struct hint_reader {
    const char *package; /* between "... is not in the image" and the command that adds it */
    const char *network;
    const char *disk;
    const char *memory;
};

extern const struct hint_reader hint_person; /* of `run`, `test` and `session` */
extern const struct hint_reader hint_model;  /* that cannot ask for more memory */

/* Whether the name is short, and nothing in it can be misread. */
bool hints_is_harmless(const char *name, size_t length);

/*
 * Adds warnings to the result of a program in this language; NULL: it is not known. `has_network`:
 * it reaches a network or hosts. Call it while the result still has its output. Returns
 * whether a package is missing.
 */
bool hints_add(struct result *result, const struct language *language, bool has_network,
               const struct hint_reader *reader);

#endif
