#include "base/error.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"

static void set_message(struct error *error, enum error_kind kind, struct strbuf *message)
{
    assert(error->kind == ERROR_NONE);
    error->kind = kind;
    error->message = strbuf_steal(message);
}

int error_set(struct error *error, enum error_kind kind, const char *format, ...)
{
    struct strbuf message = STRBUF_INIT;
    va_list arguments;

    va_start(arguments, format);
    strbuf_vaddf(&message, format, arguments);
    va_end(arguments);
    set_message(error, kind, &message);
    return -1;
}

/* True if this host has run out of something, which is not the fault of the request. */
static bool is_exhaustion(int number)
{
    return number == EMFILE || number == ENFILE || number == ENOMEM;
}

int error_set_errno(struct error *error, enum error_kind kind, const char *format, ...)
{
    const int number = errno;
    struct strbuf message = STRBUF_INIT;
    char text[128];
    va_list arguments;

    va_start(arguments, format);
    strbuf_vaddf(&message, format, arguments);
    va_end(arguments);
    if (strerror_r(number, text, sizeof text) != 0) /* POSIX form: the text is in the buffer */
        strbuf_addf(&message, ": error %d", number);
    else
        strbuf_addf(&message, ": %s", text);
    set_message(error, is_exhaustion(number) ? ERROR_SYSTEM : kind, &message);
    return -1;
}

int error_prefix(struct error *error, const char *format, ...)
{
    struct strbuf message = STRBUF_INIT;
    va_list arguments;

    assert(error->kind != ERROR_NONE);
    va_start(arguments, format);
    strbuf_vaddf(&message, format, arguments);
    va_end(arguments);
    strbuf_addstr(&message, ": ");
    error->subject_at += message.length;
    strbuf_addstr(&message, error->message);
    free(error->message);
    error->message = strbuf_steal(&message);
    return -1;
}

int error_hint(struct error *error, const char *text)
{
    char *message = string_format("%s; %s", error->message, text);

    free(error->message);
    error->message = message;
    return -1;
}

char *error_rename(const char *message, const char *subject, size_t at, const char *name)
{
    return string_format("%.*s%s%s", (int)at, message, name, message + at + strlen(subject));
}

int error_about(struct error *error, const char *subject)
{
    char *place = strstr(error->message, ERROR_SUBJECT);

    assert(place && !error->subject);
    error->subject = subject;
    error->subject_at = (size_t)(place - error->message);
    place = error_rename(error->message, ERROR_SUBJECT, error->subject_at, subject);
    free(error->message);
    error->message = place;
    return -1;
}

void error_rename_subject(struct error *error, const char *name)
{
    char *message = error_rename(error->message, error->subject, error->subject_at, name);

    free(error->message);
    error->message = message;
    error->subject = NULL; /* it has its final name */
}

void error_name_subject(struct error *error, error_namer *namer)
{
    const char *name = error->subject ? namer(error->subject) : NULL;

    if (name)
        error_rename_subject(error, name);
}

void error_release(struct error *error)
{
    free(error->message);
    *error = (struct error)ERROR_INIT;
}
