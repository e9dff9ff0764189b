#include "mcp/console.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/diagnostics.h"
#include "base/output.h"
#include "base/text.h"

int console_print(const char *text)
{
    const size_t length = strlen(text);
    struct output output;
    int failure = 0;

    output_open(&output, STDOUT_FILENO);
    if (output_write(&output, text, length, 0, NULL) < length)
        failure = errno;
    output_release(&output);
    if (failure == 0)
        return EXIT_SUCCESS;
    diagnostics_line("cannot write to stdout: %s", strerror(failure));
    return EXIT_SYSTEM;
}

int console_report(const struct error *error)
{
    CLEANUP_FREE char *line = text_escape(error->message);

    diagnostics_line("%s", line);
    return error->kind == ERROR_USAGE || error->kind == ERROR_CONFIG ? EXIT_USAGE : EXIT_SYSTEM;
}
