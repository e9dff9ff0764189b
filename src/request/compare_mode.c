#include "request/compare_mode.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"

static const char *const mode_names[] = {
    [COMPARE_TRIM] = "trim",
    [COMPARE_EXACT] = "exact",
    [COMPARE_TOKENS] = "tokens",
    [COMPARE_FLOAT] = "float",
};
enum { MODES = sizeof mode_names / sizeof *mode_names };

const char *comparison_mode_name(enum comparison_mode mode)
{
    return mode_names[mode];
}

int comparison_mode_parse(const char *name, enum comparison_mode *mode, struct error *error)
{
    for (int i = 0; i < MODES; i++) {
        if (strcmp(name, mode_names[i]) != 0)
            continue;
        *mode = (enum comparison_mode)i;
        return 0;
    }
    CLEANUP_FREE char *shown = text_escape_short(name, TEXT_SHOWN_MAX);

    return error_set(error, ERROR_USAGE, "'%s' is not a way to compare; use " COMPARISON_MODE_NAMES,
                     shown);
}
