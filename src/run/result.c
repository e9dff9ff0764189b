#include "run/result.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"

static const char *const reason_names[] = {
    [REASON_EXIT] = "exit",
    [REASON_SIGNAL] = "signal",
    [REASON_TIMEOUT] = "timeout",
    [REASON_CPU_TIME] = "cpu-time",
    [REASON_OOM] = "oom",
    [REASON_OUTPUT_LIMIT] = "output-limit",
    [REASON_CANCELLED] = "cancelled",
    [REASON_ENGINE] = "engine",
    [REASON_IMAGE_MISSING] = "image-missing",
    [REASON_COMMAND] = "command",
    [REASON_INPUT] = "input",
};

/* Linux, signal(7); the container's kernel is always Linux, whatever runs this program. */
static const char *const signal_names[] = {
    NULL,          "SIGHUP",      "SIGINT",      "SIGQUIT",     "SIGILL",      "SIGTRAP",
    "SIGABRT",     "SIGBUS",      "SIGFPE",      "SIGKILL",     "SIGUSR1",     "SIGSEGV",
    "SIGUSR2",     "SIGPIPE",     "SIGALRM",     "SIGTERM",     "SIGSTKFLT",   "SIGCHLD",
    "SIGCONT",     "SIGSTOP",     "SIGTSTP",     "SIGTTIN",     "SIGTTOU",     "SIGURG",
    "SIGXCPU",     "SIGXFSZ",     "SIGVTALRM",   "SIGPROF",     "SIGWINCH",    "SIGIO",
    "SIGPWR",      "SIGSYS",      NULL,          NULL, /* kept by the C library */
    "SIGRTMIN",    "SIGRTMIN+1",  "SIGRTMIN+2",  "SIGRTMIN+3",  "SIGRTMIN+4",  "SIGRTMIN+5",
    "SIGRTMIN+6",  "SIGRTMIN+7",  "SIGRTMIN+8",  "SIGRTMIN+9",  "SIGRTMIN+10", "SIGRTMIN+11",
    "SIGRTMIN+12", "SIGRTMIN+13", "SIGRTMIN+14", "SIGRTMIN+15", "SIGRTMAX-14", "SIGRTMAX-13",
    "SIGRTMAX-12", "SIGRTMAX-11", "SIGRTMAX-10", "SIGRTMAX-9",  "SIGRTMAX-8",  "SIGRTMAX-7",
    "SIGRTMAX-6",  "SIGRTMAX-5",  "SIGRTMAX-4",  "SIGRTMAX-3",  "SIGRTMAX-2",  "SIGRTMAX-1",
    "SIGRTMAX",
};

const char *result_signal(int number)
{
    if (number < 1 || number >= (int)(sizeof signal_names / sizeof *signal_names))
        return NULL;
    return signal_names[number];
}

const char *result_reason(const struct result *result)
{
    return reason_names[result->reason];
}

bool result_success(const struct result *result)
{
    return result->reason == REASON_EXIT && result->exit_code == 0 && !result->error;
}

const char *result_status(const struct result *result)
{
    if (result->reason == REASON_TIMEOUT || result->reason == REASON_CPU_TIME)
        return "timeout";
    return result_success(result) ? "success" : "error";
}

static enum reason reason_of(enum error_kind kind)
{
    switch (kind) {
    case ERROR_IMAGE:
        return REASON_IMAGE_MISSING;
    case ERROR_COMMAND:
        return REASON_COMMAND;
    case ERROR_CANCELLED:
        return REASON_CANCELLED;
    case ERROR_INPUT:
    case ERROR_USAGE:
    case ERROR_CONFIG:
        return REASON_INPUT;
    case ERROR_NONE:
    case ERROR_ENGINE:
    case ERROR_SYSTEM:
        break;
    }
    return REASON_ENGINE;
}

void result_fail(struct result *result, const struct error *error)
{
    free(result->error);
    result->error = text_escape(error->message);
    result->error_subject = error->subject;
    if (error->subject) {
        CLEANUP_FREE char *before = string_format("%.*s", (int)error->subject_at, error->message);
        CLEANUP_FREE char *escaped = text_escape(before);

        result->error_subject_at = strlen(escaped);
    }
    result->reason = reason_of(error->kind);
}

void result_name_subject(struct result *result, error_namer *namer)
{
    const char *name = result->error_subject ? namer(result->error_subject) : NULL;
    char *message;

    if (!name)
        return;
    message = error_rename(result->error, result->error_subject, result->error_subject_at, name);
    free(result->error);
    result->error = message;
    result->error_subject = NULL;
}

/* A string of the text, which is emptied. */
static json_t *take_text(struct strbuf *text)
{
    json_t *string = json_stringn_nocheck(strbuf_string(text), text->length);

    strbuf_release(text);
    return string;
}

static json_t *text_or_null(const char *text)
{
    return text ? json_string(text) : json_null();
}

static json_t *count_or_null(long long count)
{
    return count < 0 ? json_null() : json_integer(count);
}

json_t *result_to_json(struct result *result)
{
    json_t *object = json_object();
    json_t *warnings = json_array();

    for (size_t i = 0; i < result->warnings.count; i++)
        json_array_append_new(warnings, json_string(result->warnings.items[i]));
    for (size_t i = 0; i < result->artifacts.missing.count; i++)
        json_array_append_new(warnings, json_string(result->artifacts.missing.items[i]));
    json_object_set_new(object, "status", json_string(result_status(result)));
    json_object_set_new(object, "exitCode", json_integer(result->exit_code));
    json_object_set_new(object, "stdout", take_text(&result->text[0]));
    json_object_set_new(object, "stderr", take_text(&result->text[1]));
    json_object_set_new(object, "durationMs", json_integer(result->duration_ms));
    json_object_set_new(object, "error", text_or_null(result->error));
    json_object_set_new(object, "imageTag", text_or_null(result->image_tag));
    json_object_set_new(object, "reason", json_string(result_reason(result)));
    json_object_set_new(object, "signal", text_or_null(result_signal(result->signal)));
    json_object_set_new(object, "stdoutBytes", json_integer((json_int_t)result->bytes[0]));
    json_object_set_new(object, "stderrBytes", json_integer((json_int_t)result->bytes[1]));
    json_object_set_new(object, "stdoutTruncated", json_boolean(result->truncated[0]));
    json_object_set_new(object, "stderrTruncated", json_boolean(result->truncated[1]));
    json_object_set_new(object, "peakMemoryBytes", count_or_null(result->peak_bytes));
    json_object_set_new(object, "cpuMs",
                        count_or_null(result->cpu_us < 0 ? -1 : result->cpu_us / 1000));
    json_object_set_new(object, "image", text_or_null(result->image));
    json_object_set_new(object, "container", text_or_null(result->container));
    json_object_set_new(object, "warm", json_boolean(result->warm));
    json_object_set_new(object, "artifacts", artifacts_to_json(&result->artifacts));
    json_object_set_new(object, "warnings", warnings);
    return object;
}

void result_release(struct result *result)
{
    strbuf_release(&result->text[0]);
    strbuf_release(&result->text[1]);
    free(result->error);
    free(result->image_tag);
    free(result->image);
    free(result->container);
    artifacts_release(&result->artifacts);
    strvec_release(&result->warnings);
}
