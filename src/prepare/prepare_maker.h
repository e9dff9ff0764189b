/*
 * The labels of a prepared image that say who made it: the host, the user, the file with that
 * user's notes (config/prepare_notes.h), and the configuration it was made for. Several users and
 * hosts may share an engine, and what one of them made is no other's to remove. Their keys are in
 * container/owner.h.
 */
#ifndef PREPARE_PREPARE_MAKER_H
#define PREPARE_PREPARE_MAKER_H

#include <stdbool.h>

#include "base/strvec.h"
#include "docker/image_details.h"

/* Adds all of these labels. `config_file` is the path of the configuration file, or NULL. */
void prepare_maker_labels(struct strvec *labels, const char *config_file);

/* Whether this user made the image on this host. */
bool prepare_maker_is_self(const struct image_details *image);

#endif
