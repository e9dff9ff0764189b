/*
 * Fuzz target: the archive that comes out of a container, which is the input. Where a block looks
 * like a header, its checksum is corrected, because the fuzzer would not find it. These properties
 * are checked:
 *
 * - The names of artifacts are clean, unique, and paths below a directory. Their number and size
 * are within the limits of the plan. Warnings are clean lines.
 * - The result is the same if the bytes arrive all at once, one by one or in pieces.
 */
#include "fuzz.h"

#include "base/archive.h"
#include "base/memory.h"
#include "run/collector.h"
#include "run/unrequested_files.h"

enum { FILES_MAX = 5, BYTES_MAX = 3000, BLOCK = 512, MAGIC = 257, CHECKSUM = 148 };

static struct archive archive;
static struct manifest sent; /* its content */

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    struct error error = ERROR_INIT;

    (void)argc, (void)argv;
    fuzz_require(archive_open(&archive, 1, 1, &sent, &error) == 0 &&
                     archive_add_bytes(&archive, "main.py", "print(1)\n", 9, &error) == 0 &&
                     archive_add_bytes(&archive, "data/in", "", 0, &error) == 0 &&
                     archive_finish(&archive, &error) == 0,
                 "%s", error.message);
    return 0;
}

static void mend(char *tar, size_t size)
{
    for (size_t at = 0; at + BLOCK <= size; at += BLOCK) {
        char *block = tar + at;
        unsigned sum = 0;

        if (memcmp(block + MAGIC, "ustar", 5) != 0)
            continue;
        memset(block + CHECKSUM, ' ', 8);
        for (size_t i = 0; i < BLOCK; i++)
            sum += (unsigned char)block[i];
        snprintf(block + CHECKSUM, 8, "%06o", sum);
    }
}

static void check_artifacts(const struct artifacts *artifacts)
{
    size_t bytes = 0;

    fuzz_require(artifacts->count <= FILES_MAX, "%zu files", artifacts->count);
    for (size_t i = 0; i < artifacts->count; i++) {
        const struct artifact *artifact = &artifacts->items[i];
        struct error error = ERROR_INIT;

        fuzz_require(input_files_check_path(artifact->name, &error) == 0, "%s", error.message);
        fuzz_require(fuzz_is_line(artifact->name) && *artifact->name, "'%s'", artifact->name);
        fuzz_require(i == 0 || strcmp(artifacts->items[i - 1].name, artifact->name) < 0, "'%s'",
                     artifact->name);
        bytes += artifact->length;
    }
    fuzz_require(bytes <= BYTES_MAX, "%zu bytes", bytes);
    fuzz_require(artifacts->missing.count <= 12, "%zu warnings", artifacts->missing.count);
    for (size_t i = 0; i < artifacts->missing.count; i++)
        fuzz_require(fuzz_is_line(artifacts->missing.items[i]), "'%s'",
                     artifacts->missing.items[i]);
}

/* All artifacts and warnings as text; owned. */
static char *collect(const struct plan *plan, const char *tar, size_t size, size_t step)
{
    CLEANUP(result_release) struct result result = RESULT_INIT;
    CLEANUP(collector_release) struct collector collector;
    struct strbuf text = STRBUF_INIT;
    bool more = true;
    size_t piece;

    collector_init(&collector, plan, &sent, &result);
    for (size_t at = 0; at < size && more; at += piece) {
        piece = step > 0 ? step : 1 + (unsigned char)tar[at];
        piece = piece < size - at ? piece : size - at;
        more = collector_feed(&collector, tar + at, piece);
    }
    collector_finish(&collector, "cut");
    check_artifacts(&result.artifacts);
    for (size_t i = 0; i < result.artifacts.count; i++)
        strbuf_addf(&text, "%s %zu %s %s\n", result.artifacts.items[i].name,
                    result.artifacts.items[i].length, result.artifacts.items[i].sha256,
                    result.artifacts.items[i].mime_type);
    for (size_t i = 0; i < result.artifacts.missing.count; i++)
        strbuf_addf(&text, "%s\n", result.artifacts.missing.items[i]);
    return strbuf_steal(&text);
}

/* The same tar, of which nothing was asked for. */
static void inspect(const struct plan *plan, const char *tar, size_t size)
{
    const struct manifest *const known[] = {&sent, &sent, &sent};
    CLEANUP(result_release) struct result result = RESULT_INIT;
    CLEANUP(unrequested_release) struct unrequested_files unrequested;

    unrequested_init(&unrequested, plan, known, &result);
    for (size_t at = 0; at < size; at += 100)
        unrequested_feed(&unrequested, tar + at, size - at < 100 ? size - at : 100);
    unrequested_finish(&unrequested);
    check_artifacts(&result.artifacts);
    fuzz_require(result.artifacts.count <= UNREQUESTED_PICTURES_MAX, "%zu", result.artifacts.count);
    fuzz_require(result.unreturned.count <= RESULT_UNRETURNED_MAX, "%zu", result.unreturned.count);
    for (size_t i = 0; i < result.unreturned.count; i++)
        fuzz_require(fuzz_is_line(result.unreturned.items[i]), "'%s'", result.unreturned.items[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP_FREE char *tar = memory_allocate(size);
    struct plan plan = {.max_artifacts = FILES_MAX,
                        .max_artifact_bytes = BYTES_MAX,
                        .policy.limits.number[LIMIT_WORKDIR] = 1};

    if (size > 0)
        memcpy(tar, data, size);
    mend(tar, size);
    strvec_push(&plan.artifacts, "**");
    CLEANUP_FREE char *whole = collect(&plan, tar, size, size + 1);
    CLEANUP_FREE char *single = collect(&plan, tar, size, 1);
    CLEANUP_FREE char *pieces = collect(&plan, tar, size, 0);
    fuzz_require(strcmp(whole, single) == 0, "%s--- not\n%s", single, whole);
    fuzz_require(strcmp(whole, pieces) == 0, "%s--- not\n%s", pieces, whole);
    inspect(&plan, tar, size);
    strvec_release(&plan.artifacts);
    return 0;
}
