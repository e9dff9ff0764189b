/*
 * What `isolator prepare` has recorded on this host: prepared.json, next to the user's config.json.
 *
 *   {"languages": {"python": {"image": "isolator-prepared:python-0123456789abcdef",
 *                             "exact": "isolator-prepared:python-fedcba9876543210",
 *                             "run": ["pip install numpy *.whl"], "files": ["/src/a.whl"],
 *                             "network": "bridge",
 *                             "listed": ["pip", "freeze"], "packages": ["numpy==1.26.4"]}},
 *    "configurations": {"/project/isolator.json": {"languages": {"python": {...}}}}}
 *
 * `image` is the tag of the last preparation, and `exact` the tag that identifies the content of
 * the image (config/prepare_rules.h). `run`, `files` and `network` are steps that were given on a
 * command line; a `network` of hosts is an object, as in the configuration. `packages` is what the
 * command `listed` printed.
 *
 * A preparation with a configuration file that was named (config->prepared_for) is recorded below
 * the path of that file, so that each project has its own. All others are recorded at the top;
 * their steps apply to every configuration that has none for the language, and no note of its own.
 *
 * The file is read as strictly as the configuration, since it determines which image programs run
 * in and what models read. Languages that the configuration does not have are ignored: another
 * configuration may have them.
 */
#ifndef CONFIG_PREPARE_NOTES_H
#define CONFIG_PREPARE_NOTES_H

#include <jansson.h>

#include "base/error.h"
#include "base/strvec.h"
#include "config/config.h"

struct prepare_note {
    char *image; /* all owned; NULL or empty: none */
    char *exact;
    struct strvec steps;
    struct strvec files;
    struct prepare_network network;
    struct strvec listed;
    struct strvec packages;
};

#define PREPARE_NOTE_INIT                                                                          \
    {                                                                                              \
        .image = NULL                                                                              \
    }

void prepare_note_release(struct prepare_note *note);

/*
 * Adds the notes to the configuration: a language without steps gets the recorded ones, and a
 * language that was prepared with its present steps gets the packages. Does nothing without a file.
 * ERROR_CONFIG.
 */
int prepare_notes_apply(struct config *config, struct error *error);

/*
 * Gets the note of the language without its packages; empty if there is none. `configuration` is
 * the path of a configuration file, or NULL for the notes at the top. ERROR_CONFIG.
 */
int prepare_notes_get(const char *configuration, const char *language, struct prepare_note *note,
                      struct error *error);

/*
 * Replaces the note of the language, or removes it if `note` is NULL. All other notes stay, also
 * those that other processes write at the same time. ERROR_CONFIG, ERROR_SYSTEM.
 */
int prepare_notes_put(const char *configuration, const char *language,
                      const struct prepare_note *note, struct error *error);

/*
 * Called for each note, first for those at the top, whose `configuration` is NULL. All arguments
 * are borrowed.
 */
typedef void prepare_notes_visit(void *context, const char *configuration, const char *language,
                                 const struct prepare_note *note);
int prepare_notes_each(prepare_notes_visit *visit, void *context, struct error *error);

#endif
