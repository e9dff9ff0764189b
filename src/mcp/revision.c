#include "mcp/revision.h"

#include <stddef.h>
#include <string.h>

#define SINCE_2025_06_18                                                                           \
    .media = true, .titles = true, .structured = true, .links = true, .elicitation = true

/* Oldest first, legacy before modern. */
static const struct revision revisions[] = {
    {.name = "2024-11-05", .media = true, .blobs = true},
    {.name = "2025-03-26", .media = true, .blobs = true, .batches = true, .annotations = true},
    {.name = "2025-06-18", .annotations = true, SINCE_2025_06_18},
    {.name = "2025-11-25", .annotations = true, .argument_results = true, SINCE_2025_06_18},
    {.name = "2026-07-28",
     .modern = true,
     .annotations = true,
     .argument_results = true,
     SINCE_2025_06_18},
};
enum { REVISIONS = sizeof revisions / sizeof *revisions };

const struct revision *revision_legacy(const char *name)
{
    const struct revision *newest = NULL;

    for (int i = 0; i < REVISIONS; i++) {
        if (revisions[i].modern)
            continue;
        newest = &revisions[i];
        if (strcmp(newest->name, name) == 0)
            break;
    }
    return newest;
}

const struct revision *revision_modern(const char *name)
{
    for (int i = 0; i < REVISIONS; i++)
        if (revisions[i].modern && strcmp(revisions[i].name, name) == 0)
            return &revisions[i];
    return NULL;
}

const char *revision_modern_name(int number)
{
    for (int i = REVISIONS - 1; i >= 0; i--)
        if (revisions[i].modern && number-- == 0)
            return revisions[i].name;
    return NULL;
}
