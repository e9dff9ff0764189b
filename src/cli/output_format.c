#include "cli/output_format.h"

#include <string.h>
#include <unistd.h>

int output_format_take(void *place, const char *value, struct error *error)
{
    enum output_format *format = place;

    *format = strcmp(value, "text") == 0 ? OUTPUT_FORMAT_TEXT : OUTPUT_FORMAT_JSON;
    if (*format == OUTPUT_FORMAT_TEXT || strcmp(value, "json") == 0)
        return 0;
    return error_set(error, ERROR_USAGE, "'%s' is not json or text", value);
}

int output_format_check(enum output_format format, bool json, struct error *error)
{
    if (json && format == OUTPUT_FORMAT_TEXT)
        return error_set(error, ERROR_USAGE, "--json and --format text cannot be used together");
    return 0;
}

bool output_format_is_text(enum output_format format, bool json)
{
    if (json)
        return false;
    return format == OUTPUT_FORMAT_TEXT ||
           (format == OUTPUT_FORMAT_AUTO && isatty(STDOUT_FILENO) == 1);
}
