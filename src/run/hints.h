/*
 * Warnings that name the cure of what a program ran into: a package that is not in the image, no
 * network, a full disk, too little memory. They come before the other warnings of a result. Each
 * reader gets the names and the means that it has.
 * What a program prints is untrusted: of it, only the name of a package gets into a warning, and
 * only if it is short and harmless.
 */
#ifndef RUN_HINTS_H
#define RUN_HINTS_H

#include <stdbool.h>

#include "config/config.h"
#include "request/plan.h"
#include "run/result.h"

/* Bytes of the name of a package. */
enum { HINT_PACKAGE_MAX = 60 };

enum { HINTS_PRINTED_MAX = 100 };

/* What a reader can do. */
struct hint_reader {
    const char *package; /* between "... is not in the image" and the command that adds it */
    const char *network;
    const char *disk;
    const char *memory;
};

extern const struct hint_reader hint_person; /* who gives options */
extern const struct hint_reader hint_line;   /* who writes the lines of a batch */
extern const struct hint_reader hint_model;  /* that cannot ask for more memory */

/* What hints need to know of a program. */
struct hint_program {
    const struct language *language; /* borrowed; NULL: it is not known */
    bool has_network;                /* it reaches a network or hosts */
};

struct hint_program hint_program_of(const struct config *config, const struct plan *plan);

/* Whether the name is short, and nothing in it can be misread. */
bool hints_is_harmless(const char *name, size_t length);

/*
 * Adds warnings to the result of the program. Call it while the result still has its output.
 * Returns whether a package is missing.
 */
bool hints_add(struct result *result, const struct hint_program *program,
               const struct hint_reader *reader);

/*
 * Whether a reader does not have the hint yet. Adds it to those that the reader has, of which at
 * most HINTS_PRINTED_MAX are remembered.
 */
bool hints_is_new(struct strvec *printed, const char *hint);

#endif
