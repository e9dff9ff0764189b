#include "cli/print.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/output.h"
#include "base/signals.h"
#include "base/strbuf.h"

/* The stdout of the process. */
static struct {
    bool open;
    struct output output;
    int error; /* errno; 0: none */
} standard_output;

static void open_output(void)
{
    if (!standard_output.open)
        output_open(&standard_output.output, STDOUT_FILENO);
    standard_output.open = true;
}

size_t print_available(const char *data, size_t length)
{
    enum { LONG_AGO = 1 }; /* a deadline; 0 is none */
    size_t written;

    open_output();
    if (standard_output.error != 0)
        return length;
    written = output_write(&standard_output.output, data, length, LONG_AGO, NULL);
    if (written < length && errno != ETIMEDOUT)
        standard_output.error = errno;
    return written;
}

void print_bytes(const char *data, size_t length)
{
    open_output();
    if (standard_output.error != 0)
        return;
    if (output_write(&standard_output.output, data, length, 0,
                     signals_are_caught() ? signals_cancel() : NULL) < length)
        standard_output.error = errno;
}

void print_text(const char *text)
{
    print_bytes(text, strlen(text));
}

void print_format(const char *format, ...)
{
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
    va_list arguments;

    va_start(arguments, format);
    strbuf_vaddf(&text, format, arguments);
    va_end(arguments);
    print_bytes(text.data, text.length);
}

int print_failure(void)
{
    return standard_output.error == ECANCELED ? 0 : standard_output.error;
}
