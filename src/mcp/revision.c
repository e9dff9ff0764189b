#include "mcp/revision.h"

#include <stddef.h>
#include <string.h>

/* Oldest first, legacy before modern. */
static const struct revision revisions[] = {
    {.name = "2024-11-05"},
    {.name = "2025-03-26", .batches = true, .annotations = true},
    {.name = "2025-06-18", .annotations = true, .structured = true, .elicitation = true},
    {.name = "2025-11-25",
     .annotations = true,
     .structured = true,
     .elicitation = true,
     .argument_results = true},
    {.name = "2026-07-28",
     .modern = true,
     .annotations = true,
     .structured = true,
     .elicitation = true,
     .argument_results = true},
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
