/*
 * Shared by the unit tests of what a configuration has: merges texts into one, and refuses wrong
 * ones.
 */
#ifndef CONFIGURATION_H
#define CONFIGURATION_H

#include "test.h"

#include "base/strvec.h"
#include "config/config.h"
#include "config/config_read.h"

static inline void overlay(struct config *config, const char *json)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    const int result = config_overlay(config, json, strlen(json), "test.json", &error);

    assert_no_error(&error);
    assert_int_equal(result, 0);
}

/* Merges the text into an empty configuration, which must fail with this message. */
static inline void check_refused(const char *json, const char *message)
{
    struct error error = ERROR_INIT;
    struct config config;

    config_init(&config);
    assert_int_equal(config_overlay(&config, json, strlen(json), "test.json", &error), -1);
    assert_error(&error, ERROR_CONFIG, message);
    config_release(&config);
}

/* Checks the strings, with "|" between them. */
static inline void check_joined(const struct strvec *strings, const char *expected)
{
    CLEANUP_FREE char *joined = strvec_join(strings, "|");

    assert_string_equal(joined, expected);
}

#endif
