/*
 * Fuzz target: the report of a cell, which whatever code the cell runs may write. The first byte
 * chooses whether isolator has ended the cell. These properties are checked:
 *
 * - The result has a value of valid UTF-8 within its limit, or none.
 * - A cell that isolator has ended keeps its reason and its error. Otherwise the reason is that the
 *   cell has exited or failed, with an exit code that a program can have, and there is an error of
 *   printable text in one line unless it is 0.
 * - The artifacts are PNG images with names of their own within the limits of count and bytes.
 */
#include "fuzz.h"

#include "run/cell.h"

enum { MAX_ARTIFACTS = 4, MAX_BYTES = 300 };

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    json_object_seed(1); /* otherwise the order of members differs from run to run */
    return 0;
}

static void check_end(const struct result *result, bool ended)
{
    if (ended) {
        fuzz_require(result->reason == REASON_TIMEOUT, "%s", result_reason(result));
        fuzz_require(strcmp(result->error, "ended") == 0, "%s", result->error);
        return;
    }
    fuzz_require(result->reason == REASON_EXIT || result->reason == REASON_EXCEPTION, "%s",
                 result_reason(result));
    fuzz_require(result->exit_code >= 0 && result->exit_code <= 255, "%d", result->exit_code);
    fuzz_require((result->exit_code != 0) == (result->error != NULL), "%d", result->exit_code);
    if (result->error) {
        CLEANUP_FREE char *escaped = text_escape(result->error);

        fuzz_require(strcmp(escaped, result->error) == 0, "%s", result->error);
        fuzz_require(strlen(result->error) < 5000, "%zu bytes", strlen(result->error));
    }
}

static void check_value(const struct session_result *session)
{
    const struct strbuf *value = &session->value;

    fuzz_require(session->has_value || (value->length == 0 && !session->value_cut), "no value");
    fuzz_require(value->length <= CELL_VALUE_MAX, "%zu bytes", value->length);
    fuzz_require(fuzz_is_utf8(strbuf_string(value), value->length), "no UTF-8");
}

static void check_figures(const struct artifacts *artifacts)
{
    fuzz_require(artifacts->count <= MAX_ARTIFACTS, "%zu artifacts", artifacts->count);
    fuzz_require(artifacts_size(artifacts) <= MAX_BYTES, "%zu bytes", artifacts_size(artifacts));
    fuzz_require(artifacts->missing.count <= MAX_ARTIFACTS + 2, "%zu warnings",
                 artifacts->missing.count);
    for (size_t i = 0; i < artifacts->count; i++) {
        const struct artifact *artifact = &artifacts->items[i];

        fuzz_require(strncmp(artifact->name, "figure-", 7) == 0, "%s", artifact->name);
        fuzz_require(strcmp(artifact->mime_type, "image/png") == 0, "%s", artifact->mime_type);
        for (size_t j = 0; j < i; j++)
            fuzz_require(strcmp(artifact->name, artifacts->items[j].name) != 0, "twice: %s",
                         artifact->name);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct plan plan = {.max_artifacts = MAX_ARTIFACTS, .max_artifact_bytes = MAX_BYTES};
    CLEANUP(strbuf_release) struct strbuf report = STRBUF_INIT;
    CLEANUP(result_release) struct result result = RESULT_INIT;
    const bool ended = size > 0 && data[0] == 'T';
    size_t last_figure = 0;

    if (size == 0)
        return 0;
    strbuf_add(&report, data + 1, size - 1);
    result.reason = ended ? REASON_TIMEOUT : REASON_EXIT;
    result.exit_code = ended ? 130 : 0;
    result.error = ended ? string_copy("ended") : NULL;
    result_add_session(&result, "")->cell = true;
    cell_read_report(&report, &plan, &last_figure, &result);
    check_end(&result, ended);
    check_value(result.session);
    check_figures(&result.artifacts);
    return 0;
}
