#include "tools/tool_revision.h"

#include <stddef.h>
#include <string.h>

bool tool_revision_is_known(const char *name)
{
    static const char *const revisions[] = {TOOL_REVISION_NEWEST, "2025-06-18", "2025-03-26",
                                            TOOL_REVISION_OLDEST};

    for (size_t i = 0; name && i < sizeof revisions / sizeof *revisions; i++)
        if (strcmp(name, revisions[i]) == 0)
            return true;
    return false;
}
