/*
 * The rules for prepared images: what they are called, which steps can make one, and which names of packages a
 * model may be told. The work itself is in service/prepare.h.
 *
 * An image that `isolator prepare` has made is called by what went into it, in the repository PREPARE_REPOSITORY.
 * It has two tags, "LANGUAGE-" and 16 digits of a hash each. One is of the id of the base image and the steps, so
 * it says what is in the image and never moves. The other is of the name of the base image and the steps,
 * so that a run finds it by the configuration alone; it stays where it is when the base image is pulled anew, until
 * the language is prepared again.
 */
#ifndef CONFIG_PREPARE_RULES_H
#define CONFIG_PREPARE_RULES_H

#include <stdbool.h>

#include "base/error.h"
#include "base/strvec.h"

#define PREPARE_REPOSITORY "isolator-prepared"

/* Bytes of all steps together, and their number; bytes of a package's name, and how many a language may have. */
enum {
    PREPARE_STEPS_MAX = 64,
    PREPARE_STEPS_BYTES_MAX = 32768,
    PREPARE_PACKAGE_MAX = 64,
    PREPARE_PACKAGES_MAX = 500
};

/*
 * The tag for the language, with PREPARE_REPOSITORY in front; `base` is the name of the base image or its id.
 * What a tag cannot hold of the language's name is replaced in it; the hash is of the name as it is. Owned.
 */
char *prepare_tag(const char *language, const char *base, const struct strvec *steps);

/* Whether the steps are not too many, and text that a shell can be given. ERROR_USAGE. */
int prepare_check_steps(const struct strvec *steps, struct error *error);

/* Whether a network can be one for steps. ERROR_USAGE. */
int prepare_check_network(const char *network, struct error *error);

/*
 * Whether models may be told of a package of this name ("numpy", "@scope/name", "numpy==1.26.4"): it has no
 * blanks and is short, so that it cannot give them instructions.
 */
bool prepare_is_package(const char *name);

#endif
