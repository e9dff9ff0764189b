/*
 * What the fuzz targets share: a configuration that does not depend on the machine, and assertions that
 * say what they saw before they end the process, which is how libFuzzer learns of a finding.
 *
 * A target is run from the repository's root, where its snippets lie.
 */
#ifndef TEST_FUZZ_H
#define TEST_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "default_config.h" /* generated */
#include "sandbox/config.h"

/* libFuzzer calls these (llvm.org/docs/LibFuzzer.html). */
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the process where the condition does not hold; what follows it is printf's. */
#define fuzz_require(condition, ...)                                                               \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                \
            fprintf(stderr, __VA_ARGS__);                                                          \
            fputc('\n', stderr);                                                                   \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* The built-in configuration with `more` (JSON) and with the snippets of the repository. */
static inline void fuzz_configure(struct config *config, const char *more)
{
    CLEANUP_FREE char *prompts = realpath("prompts", NULL);
    CLEANUP_FREE char *own = NULL;
    struct error error = {ERROR_NONE, NULL};

    fuzz_require(prompts, "there is no directory prompts: run this from the repository's root");
    own = string_format("{\"promptsDir\": \"%s\"}", prompts);
    config_init(config);
    if (config_overlay(config, default_config, sizeof default_config, "built in", &error) == 0 &&
        config_overlay(config, own, strlen(own), "fuzz.h", &error) == 0)
        config_overlay(config, more, strlen(more), "target", &error);
    fuzz_require(error.kind == ERROR_NONE, "%s", error.message);
}

static inline bool fuzz_is_utf8(const char *text, size_t length)
{
    size_t at = 0, step = 1;

    for (; at < length && step > 0; at += step)
        step = utf8_sequence((const unsigned char *)text + at, length - at);
    return step > 0;
}

#endif
