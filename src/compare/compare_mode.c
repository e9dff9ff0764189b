#include "compare/compare_mode.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"

static const char *const mode_names[] = {
    [COMPARE_TRIM] = "trim",   [COMPARE_EXACT] = "exact", [COMPARE_TOKENS] = "tokens",
    [COMPARE_FLOAT] = "float", [COMPARE_LINES] = "lines",
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

int comparison_rule_complete(struct comparison_rule *rule, const struct comparison_names *names,
                             struct error *error)
{
    const char *tolerance = rule->tolerance >= 0  ? names->tolerance
                            : rule->absolute >= 0 ? names->absolute
                            : rule->relative >= 0 ? names->relative
                                                  : NULL;
    const char *part = rule->absolute >= 0   ? names->absolute
                       : rule->relative >= 0 ? names->relative
                                             : NULL;

    if (tolerance && rule->mode != COMPARE_FLOAT)
        return error_set(error, ERROR_USAGE, "%s needs %s float", tolerance, names->mode);
    if (rule->exact_space && rule->mode != COMPARE_TOKENS && rule->mode != COMPARE_FLOAT)
        return error_set(error, ERROR_USAGE, "%s needs %s tokens or float", names->exact_space,
                         names->mode);
    if (rule->tolerance >= 0 && part)
        return error_set(error, ERROR_USAGE, "%s and %s cannot be used together; the first is both",
                         names->tolerance, part);
    if (!tolerance)
        rule->tolerance = COMPARISON_TOLERANCE_DEFAULT;
    if (!part)
        rule->absolute = rule->relative = rule->tolerance;
    rule->absolute = rule->absolute < 0 ? 0 : rule->absolute;
    rule->relative = rule->relative < 0 ? 0 : rule->relative;
    return 0;
}
