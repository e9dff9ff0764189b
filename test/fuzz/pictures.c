/*
 * Fuzz target: pictures. The input is the file. These properties are checked:
 *
 * - What is read stays within the file: it is copied to memory of its size.
 * - A picture is whole from some length on, and not if it is shorter than that.
 */
#include "fuzz.h"

#include "base/memory.h"
#include "base/mime.h"
#include "base/picture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *type = mime_type("a", (const char *)data, size);
    CLEANUP_FREE char *copy = memory_allocate(size + 1);
    size_t end = size;

    memcpy(copy, data, size);
    if (!mime_is_picture(type) || picture_problem(type, copy, size))
        return 0;
    while (end > 0 && !picture_problem(type, copy, end))
        end--;
    fuzz_require(end > 12, "%s of %zu bytes", type, end);
    for (size_t part = 2; part < 10; part++)
        fuzz_require(picture_problem(type, copy, end / part), "%zu bytes of a %s", end / part,
                     type);
    return 0;
}
