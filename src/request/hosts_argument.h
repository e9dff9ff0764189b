/*
 * The argument `hosts` of models and of lines of a batch: the hosts that a request asks for, of
 * those that the configuration allows. plan_resolve() narrows its list to them.
 */
#ifndef REQUEST_HOSTS_ARGUMENT_H
#define REQUEST_HOSTS_ARGUMENT_H

#include <jansson.h>
#include <stdbool.h>

#include "config/config.h"
#include "config/network_selection.h"
#include "request/argument_values.h"

/* Whether models have the argument: an offered language may reach hosts. NULL: all languages. */
bool hosts_argument_offered(const struct config *config, const bool *offered);

/* Reads an array of "HOST[:PORT]" into a struct network_selection. ERROR_USAGE, as in
 * request/argument_values.h. */
int hosts_argument_read(struct argument_reader *reader, const char *name, const json_t *value,
                        void *target);

#endif
