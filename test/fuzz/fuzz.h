/*
 * Shared by the fuzz targets: a configuration that does not depend on the machine, and assertions.
 * A failed assertion prints what it saw and ends the process; libFuzzer reports that as a finding.
 *
 * Run the targets in the root of the repository, because they use its snippets.
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
#include "config/config_read.h"
#include "default_config.h" /* generated */

/* libFuzzer calls these (llvm.org/docs/LibFuzzer.html). */
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the process if the condition is false. The other arguments are those of printf(). */
#define fuzz_require(condition, ...)                                                               \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                \
            fprintf(stderr, __VA_ARGS__);                                                          \
            fputc('\n', stderr);                                                                   \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/*
 * The built-in configuration with `more` (JSON) and with the snippets of the repository, which are
 * the input files too.
 */
static inline void fuzz_configure(struct config *config, const char *more)
{
    CLEANUP_FREE char *prompts = realpath("prompts", NULL);
    CLEANUP_FREE char *own = NULL;
    struct error error = ERROR_INIT;

    fuzz_require(prompts, "there is no directory prompts: run this from the repository's root");
    own = string_format("{\"promptsDir\": \"%s\", \"inputsDir\": \"%s\"}", prompts, prompts);
    config_init(config);
    if (config_overlay(config, default_config, strlen(default_config), "built in", &error) == 0 &&
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

/* The bytes as a string, which ends at their first NUL; owned by the caller. */
static inline char *fuzz_string(const uint8_t *data, size_t size)
{
    return string_format("%.*s", (int)size, (const char *)data);
}

/*
 * Whether the text is valid UTF-8 without line breaks and without characters that control a
 * terminal.
 */
static inline bool fuzz_is_line(const char *text)
{
    const size_t length = strlen(text);

    for (size_t i = 0; i < length; i++) {
        const unsigned char byte = (unsigned char)text[i];
        const unsigned char next = (unsigned char)text[i + 1];

        if (byte < ' ' || byte == 0x7f || (byte == 0xc2 && next >= 0x80 && next < 0xa0))
            return false;
    }
    return fuzz_is_utf8(text, length);
}

/*
 * Checks the error of a refusal: its message has at most `most` bytes and becomes one clean line
 * when it is reported. If the input was UTF-8, no character of it is cut.
 */
static inline void fuzz_check_error(const struct error *error, bool utf8, size_t most)
{
    const size_t length = error->message ? strlen(error->message) : 0;
    CLEANUP_FREE char *line = text_escape(error->message ? error->message : "");

    fuzz_require(error->kind != ERROR_NONE && length > 0, "kind %d without a message", error->kind);
    fuzz_require(length <= most, "a message of %zu bytes: %s", length, error->message);
    fuzz_require(fuzz_is_line(line), "%s", line);
    fuzz_require(!utf8 || fuzz_is_utf8(error->message, length), "not UTF-8: %s", line);
}

#endif
