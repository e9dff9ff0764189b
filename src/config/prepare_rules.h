/*
 * The rules for prepared images: their tags, the steps that can build one, and the names of
 * packages that a model may read. The work itself is done in prepare/prepare.h.
 *
 * A prepared image is in the repository PREPARE_REPOSITORY and has two tags, "LANGUAGE-" and 16
 * digits of a hash each. The exact tag hashes the id of the base image, the steps and the content
 * of their files, so it identifies the content and never moves. The other tag hashes the name of
 * the base image, the steps and the paths of their files, so that a run finds it from the
 * configuration alone. It keeps pointing to the same image after the base image was pulled again or
 * a file has changed, until the language is prepared again.
 */
#ifndef CONFIG_PREPARE_RULES_H
#define CONFIG_PREPARE_RULES_H

#include <stdbool.h>

#include "base/error.h"
#include "base/strvec.h"

#define PREPARE_REPOSITORY "isolator-prepared"

/*
 * Number of steps and bytes of all of them; number of files and directories that they get; bytes of
 * a package name and number of packages.
 */
enum {
    PREPARE_STEPS_MAX = 64,
    PREPARE_STEPS_BYTES_MAX = 32768,
    PREPARE_FILES_MAX = 64,
    PREPARE_PACKAGE_MAX = 64,
    PREPARE_PACKAGES_MAX = 500
};

/*
 * Returns the tag for the language with PREPARE_REPOSITORY in front, owned. `base` is the name of
 * the base image or its id; `files` has the paths of the files, or a digest of their content.
 * Characters of the language's name that a tag cannot have are replaced; the hash includes the
 * original name.
 */
char *prepare_tag(const char *language, const char *base, const struct strvec *steps,
                  const struct strvec *files);

/* Checks the number of steps and that each is text for a shell. ERROR_USAGE. */
int prepare_check_steps(const struct strvec *steps, struct error *error);

/*
 * Checks the absolute paths of the files that steps get: their number, and that the last name of
 * each, under which the steps find it, is no other's. ERROR_USAGE.
 */
int prepare_check_files(const struct strvec *files, struct error *error);

/* Checks the name of a network for steps. ERROR_USAGE. */
int prepare_check_network(const char *network, struct error *error);

/*
 * Whether models may read this name of a package ("numpy", "@scope/name", "numpy==1.26.4"). It has
 * no blanks and is short, so that it cannot contain instructions for them.
 */
bool prepare_is_package(const char *name);

#endif
