#include "run/cell.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/json_text.h"
#include "base/memory.h"
#include "base/mime.h"
#include "base/text.h"

/* Values in a report: four for each figure, and a few more. */
enum { REPORT_VALUES_MAX = 10000 };

/* Bytes that a message shows of the name and of the message of an exception. */
enum { NAME_SHOWN_MAX = 100, MESSAGE_SHOWN_MAX = 1000 };

/* A report that names more omitted figures than this is taken to mean so many. */
enum { FIGURES_OMITTED_MAX = 1000000 };

/* ---- the cell */

/* A string, as a new reference; NULL with the error if it is not UTF-8. `what` it is. */
static json_t *make_string(const char *text, size_t length, const char *what, struct error *error)
{
    json_t *string = json_stringn(text, length);

    if (!string)
        error_set(error, ERROR_INPUT, "%s is not valid UTF-8, which a session needs", what);
    return string;
}

/* The code of the plan; *owned is set if it was read from a file. */
static const char *read_code(const struct input *input, char **owned, size_t *length,
                             struct error *error)
{
    struct stat status;
    ssize_t got;

    *length = input->code_length;
    if (input->code)
        return input->code;
    if (fstat(input->file, &status) != 0 || status.st_size > JSON_TEXT_MAX) {
        error_set(error, ERROR_INPUT, "the code of a session has at most %d MiB",
                  JSON_TEXT_MAX >> 20);
        return NULL;
    }
    *owned = memory_allocate((size_t)status.st_size + 1);
    for (*length = 0; *length < (size_t)status.st_size; *length += (size_t)got) {
        got =
            pread(input->file, *owned + *length, (size_t)status.st_size - *length, (off_t)*length);
        if (got < 0) {
            error_set_errno(error, ERROR_INPUT, "cannot read the code");
            return NULL;
        }
        if (got == 0)
            break;
    }
    return *owned;
}

static int add_code(json_t *cell, const struct input *input, struct error *error)
{
    CLEANUP_FREE char *owned = NULL;
    size_t length;
    const char *code = read_code(input, &owned, &length, error);
    json_t *string = code ? make_string(code, length, "the code", error) : NULL;

    return string ? json_object_set_new(cell, "code", string) : -1;
}

static int add_arguments(json_t *cell, const struct strvec *arguments, struct error *error)
{
    json_t *array = json_array();

    json_object_set_new(cell, "arguments", array);
    for (size_t i = 0; i < arguments->count; i++) {
        const char *argument = arguments->items[i];
        json_t *string = make_string(argument, strlen(argument), "an argument", error);

        if (!string)
            return -1;
        json_array_append_new(array, string);
    }
    return 0;
}

/* The interpreter has the variables of the language; the others are the request's own. */
static int add_environment(json_t *cell, const struct plan *plan, struct error *error)
{
    json_t *object = json_object();

    json_object_set_new(cell, "environment", object);
    for (size_t i = 0; i < plan->environment.count; i++) {
        const char *variable = plan->environment.items[i];
        const char *value = strchr(variable, '=');
        CLEANUP_FREE char *name = NULL;
        json_t *string;

        if (!value || strvec_contains(&plan->public_environment, variable))
            continue;
        name = string_format("%.*s", (int)(value - variable), variable);
        string = make_string(value + 1, strlen(value + 1), "an environment variable", error);
        if (!string)
            return -1;
        json_object_set_new(object, name, string);
    }
    return 0;
}

/* Where the code begins in a file of the caller. A name that is not UTF-8 is left out. */
static void add_place(json_t *cell, const struct plan *plan)
{
    json_t *file =
        plan->session.line > 0 && plan->source_name ? json_string(plan->source_name) : NULL;

    if (!file)
        return;
    json_object_set_new(cell, "file", file);
    json_object_set_new(cell, "line", json_integer(plan->session.line));
}

static int dump(const char *data, size_t length, void *context)
{
    strbuf_add(context, data, length);
    return 0;
}

int cell_write(const struct plan *plan, unsigned long long number, bool keeps_processes,
               struct strbuf *cell, struct error *error)
{
    const int figures_max =
        plan->max_artifact_bytes < CELL_FIGURES_MAX ? plan->max_artifact_bytes : CELL_FIGURES_MAX;
    json_t *object = json_object();
    int result = -1;

    json_object_set_new(object, "number", json_integer((json_int_t)number));
    if (add_code(object, &plan->input, error) == 0 &&
        add_arguments(object, &plan->arguments, error) == 0 &&
        add_environment(object, plan, error) == 0) {
        json_object_set_new(object, "value_max", json_integer(CELL_VALUE_MAX));
        json_object_set_new(object, "figures_max", json_integer(figures_max));
        add_place(object, plan);
        if (plan->session.names)
            json_object_set_new(object, "names_max", json_integer(CELL_NAMES_MAX));
        if (keeps_processes)
            json_object_set_new(object, "keeps_processes", json_true());
        result = json_dump_callback(object, dump, cell, json_text_flags(object));
    }
    json_decref(object);
    return result;
}

/* ---- the report */

static void set_exception(struct result *result, char *error)
{
    free(result->error);
    result->reason = REASON_EXCEPTION;
    result->exit_code = 1;
    result->error = error;
}

/* A member that is a string, escaped and cut; "" if there is none. Owned by the caller. */
static char *show_member(const json_t *object, const char *name, size_t max)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text_escape_short(text ? text : "", max);
}

static void take_exception(const json_t *exception, struct result *result)
{
    CLEANUP_FREE char *name = show_member(exception, "name", NAME_SHOWN_MAX);
    CLEANUP_FREE char *message = show_member(exception, "message", MESSAGE_SHOWN_MAX);

    set_exception(result, string_format("the cell ended with %s%s%s", *name ? name : "an exception",
                                        *message ? ": " : "", message));
}

static void take_exit(const json_t *status, struct result *result)
{
    result->exit_code = (int)((unsigned long long)json_integer_value(status) & 0xff);
    if (result->exit_code != 0)
        result->error = string_format("the cell exited with status %d", result->exit_code);
}

/* How the cell ended. */
static void take_end(const json_t *report, struct result *result)
{
    const json_t *exception = json_object_get(report, "exception");
    const json_t *status = json_object_get(report, "exit");

    if (result->reason != REASON_EXIT)
        return;
    if (json_is_object(exception))
        take_exception(exception, result);
    else if (json_is_true(json_object_get(report, "interrupted")))
        set_exception(result, string_copy("the cell was interrupted"));
    else if (json_is_integer(status))
        take_exit(status, result);
}

static void take_value(const json_t *report, struct session_result *session)
{
    const json_t *value = json_object_get(report, "value");
    const char *text = json_string_value(value);
    size_t length = json_string_length(value);

    if (!text)
        return;
    session->has_value = true;
    session->value_cut = json_is_true(json_object_get(report, "value_cut"));
    if (length > CELL_VALUE_MAX) {
        length = CELL_VALUE_MAX - utf8_cut_tail(text, CELL_VALUE_MAX);
        session->value_cut = true;
    }
    strbuf_add(&session->value, text, length);
}

/* Names that can be shown and typed, of at most the size that was asked for. */
static void take_names(const json_t *names, struct strvec *list)
{
    size_t i, bytes = 0;
    const json_t *name;

    json_array_foreach(names, i, name) {
        const char *text = json_string_value(name);
        CLEANUP_FREE char *escaped = text ? text_escape(text) : NULL;

        bytes += json_string_length(name);
        if (bytes > CELL_NAMES_MAX)
            return;
        if (text && *text && strcmp(text, escaped) == 0)
            strvec_push(list, text);
    }
}

/* The first name "figure-N.png" after the last one that no artifact has. */
static char *choose_name(const struct artifacts *artifacts, size_t *last)
{
    char *name = string_format("figure-%zu.png", ++*last);

    while (artifacts_have(artifacts, name)) {
        free(name);
        name = string_format("figure-%zu.png", ++*last);
    }
    return name;
}

/* The bytes of a figure, owned by the caller; NULL: it is not a PNG image. */
static char *decode_figure(const json_t *figure, size_t *length)
{
    const json_t *data = json_object_get(figure, "data");
    char *bytes = json_is_string(data)
                      ? base64_decode(json_string_value(data), json_string_length(data), length)
                      : NULL;

    if (bytes && strcmp(mime_type("", bytes, *length), "image/png") == 0)
        return bytes;
    free(bytes);
    return NULL;
}

static void take_figure(const json_t *figure, const struct plan *plan, size_t *last,
                        struct artifacts *artifacts)
{
    size_t length = 0;
    CLEANUP_FREE char *bytes = decode_figure(figure, &length);
    CLEANUP_FREE char *name = choose_name(artifacts, last);
    const char *problem = NULL;

    if (!bytes)
        problem = "it is not a PNG image";
    else if (artifacts->count >= (size_t)plan->max_artifacts)
        problem = "there are more than the limit " CONFIG_KEY_MAX_ARTIFACTS;
    else if (length + artifacts_size(artifacts) > (size_t)plan->max_artifact_bytes)
        problem = "it exceeds the limit " CONFIG_KEY_MAX_ARTIFACT_BYTES;
    if (problem)
        strvec_pushf(&artifacts->missing, "the artifact '%s' is omitted: %s", name, problem);
    else
        artifacts_add(artifacts, steal_pointer(&name), steal_pointer(&bytes), length, false);
}

static void take_figures(const json_t *report, const struct plan *plan, size_t *last,
                         struct artifacts *artifacts)
{
    const json_t *figures = json_object_get(report, "figures");
    const json_int_t named = json_integer_value(json_object_get(report, "figures_omitted"));
    const size_t omitted = named < 0                     ? 0
                           : named < FIGURES_OMITTED_MAX ? (size_t)named
                                                         : FIGURES_OMITTED_MAX;
    const size_t count = json_array_size(figures);
    /* of those that cannot be taken only the first is named */
    const size_t max = (size_t)plan->max_artifacts + 1;

    for (size_t i = 0; i < count && i < max; i++)
        take_figure(json_array_get(figures, i), plan, last, artifacts);
    if (omitted > 0 || count > max)
        strvec_pushf(&artifacts->missing,
                     "%zu more figures are omitted: they exceed the limit " CONFIG_KEY_MAX_ARTIFACTS
                     " or " CONFIG_KEY_MAX_ARTIFACT_BYTES,
                     omitted + (count > max ? count - max : 0));
    artifacts_sort(artifacts);
}

void cell_read_report(const struct strbuf *report, const struct plan *plan, size_t *last_figure,
                      struct result *result)
{
    const char *text = strbuf_string(report);
    json_t *object = json_text_count(text, report->length) <= REPORT_VALUES_MAX
                         ? json_text_parse(text, report->length, NULL)
                         : NULL;

    if (json_is_object(object)) {
        take_end(object, result);
        take_value(object, result->session);
        take_figures(object, plan, last_figure, &result->artifacts);
        take_names(json_object_get(object, "names"), &result->session->names);
        take_names(json_object_get(object, "files"), &result->session->files);
    } else if (result->reason == REASON_EXIT) {
        set_exception(result, string_copy("the interpreter did not report how the cell ended; did "
                                          "the code change the interpreter itself?"));
    }
    json_decref(object);
}
