/*
 * What `isolator prepare` has noted on this host: prepared.json, beside the user's config.json.
 *
 *   {"languages": {"python": {"image": "isolator-prepared:python-0123456789abcdef",
 *                             "exact": "isolator-prepared:python-fedcba9876543210",
 *                             "run": ["pip install numpy"], "network": "bridge",
 *                             "listed": ["pip", "freeze"], "packages": ["numpy==1.26.4"]}}}
 *
 * `image` is the tag that the language was prepared under last, `exact` the one that says what is in the image
 * (config/prepare_rules.h); `run` and `network` are the steps where they were given on a command line; `packages` is
 * what `listed`, the command, has said of the image. It is read as strictly as the configuration, since
 * who can write it decides what programs run in and what models read. Languages that the configuration does not
 * have are passed over: another configuration may have them.
 */
#ifndef CONFIG_PREPARE_NOTES_H
#define CONFIG_PREPARE_NOTES_H

#include <jansson.h>

#include "base/error.h"
#include "base/strvec.h"
#include "config/config.h"
#include "config/json_reader.h"

struct prepare_note {
    char *image; /* all owned; NULL or empty where there is none */
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
 * Completes the configuration by the notes: a language without steps of its own gets those that were noted; one
 * that was prepared as it now stands gets the packages. Without a file it does nothing. ERROR_CONFIG.
 */
int prepare_notes_apply(struct config *config, struct error *error);

/* The note of the language, but its packages; it stays empty where there is none. ERROR_CONFIG. */
int prepare_notes_get(const char *language, struct prepare_note *note, struct error *error);

/*
 * Writes the note in the place of an older one, or with NULL removes that; the other languages stay as they
 * are, also those that others write at the same time. The file is replaced as a whole, so that nobody reads half of
 * it. ERROR_CONFIG, ERROR_SYSTEM.
 */
int prepare_notes_put(const char *language, const struct prepare_note *note, struct error *error);

/* Values of the configuration, too: in the place of older ones. */
int prepare_read_steps(struct json_reader *reader, const json_t *value, struct strvec *steps);
int prepare_read_network(struct json_reader *reader, const json_t *value, char **network);
int prepare_read_packages(struct json_reader *reader, const json_t *value, struct strvec *packages);

#endif
