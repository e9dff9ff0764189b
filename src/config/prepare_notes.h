/*
 * What `isolator prepare` has recorded on this host: prepared.json, beside the user's config.json.
 *
 *   {"languages": {"python": {"image": "isolator-prepared:python-0123456789abcdef",
 *                             "exact": "isolator-prepared:python-fedcba9876543210",
 *                             "run": ["pip install numpy"], "network": "bridge",
 *                             "listed": ["pip", "freeze"], "packages": ["numpy==1.26.4"]}}}
 *
 * `image` is the tag of the last preparation, and `exact` the tag that identifies the content of
 * the image (config/prepare_rules.h). `run` and `network` are steps that were given on a command
 * line. `packages` is what the command `listed` printed.
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
#include "config/json_reader.h"

struct prepare_note {
    char *image; /* all owned; NULL or empty: none */
    char *exact;
    struct strvec steps;
    char *network;
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

/* Gets the note of the language without its packages; empty if there is none. ERROR_CONFIG. */
int prepare_notes_get(const char *language, struct prepare_note *note, struct error *error);

/*
 * Replaces the note of the language, or removes it if `note` is NULL. The notes of other languages
 * stay, also those that other processes write at the same time. The file is replaced as a whole, so
 * that readers never see half of it. ERROR_CONFIG, ERROR_SYSTEM.
 */
int prepare_notes_put(const char *language, const struct prepare_note *note, struct error *error);

/* Read values that the configuration has too; they replace older ones. */
int prepare_read_steps(struct json_reader *reader, const json_t *value, struct strvec *steps);
int prepare_read_network(struct json_reader *reader, const json_t *value, char **network);
int prepare_read_packages(struct json_reader *reader, const json_t *value, struct strvec *packages);

#endif
