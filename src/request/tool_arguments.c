#include "request/tool_arguments.h"

#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "request/argument_members.h"
#include "request/argument_names.h"
#include "request/call_arguments.h"
#include "request/case_arguments.h"
#include "request/checker_arguments.h"
#include "request/group_arguments.h"
#include "request/hosts_argument.h"
#include "request/job_arguments.h"
#include "request/program_arguments.h"
#include "request/reading.h"
#include "request/session_arguments.h"
#include "request/tools_argument.h"

static int read_timeout(struct reading *reading, const char *name, const json_t *value)
{
    const double maximum = reading->config->maximums.limits.number[LIMIT_TIMEOUT];
    double seconds;

    if (argument_seconds(&reading->values, name, value, &seconds) != 0)
        return -1;
    if (seconds > maximum) /* false if there is no maximum */
        seconds = maximum;
    return limits_set_number(&reading->request->policy.limits, LIMIT_TIMEOUT, seconds,
                             reading->error);
}

static enum limit_number limit_of_argument(const char *name)
{
    int which = 0;

    while (!limit_rules[which].argument || strcmp(limit_rules[which].argument, name) != 0)
        which++;
    return (enum limit_number)which;
}

static int read_limit(struct reading *reading, const char *name, const json_t *value)
{
    if (!json_is_number(value))
        return argument_wrong(&reading->values, name, "a number");
    return limits_set_number(&reading->request->policy.limits, limit_of_argument(name),
                             json_number_value(value), reading->error);
}

static int read_tools(struct reading *reading, const char *name, const json_t *value)
{
    return tools_argument_read(&reading->values, name, value, reading->tools,
                               &reading->request->tools);
}

static int read_tests(struct reading *reading, const char *name, const json_t *value)
{
    return case_arguments_read(&reading->values, name, value, reading->has_checker,
                               &reading->request->tests);
}

/* Who has an argument. */
enum offer {
    OFFER_ALWAYS,
    OFFER_WITH_MAXIMUM, /* models only if the configuration has a maximum for its limit */
    OFFER_SESSION,      /* models only if the configuration allows sessions */
    OFFER_SESSION_ID,   /* no batch, and models likewise */
    OFFER_HOSTS,        /* models only if an offered language may reach hosts */
    OFFER_TOOLS,        /* models only if there are servers of tools */
    OFFER_JOB,          /* no batch, and models only if the configuration allows them jobs */
    OFFER_BATCH         /* no model */
};

struct argument {
    const char *name;
    enum argument_type type;
    enum offer offer;
    const char *subject; /* what errors (base/error.h) call it */
    int (*read)(struct reading *reading, const char *name, const json_t *value);
    /* Without `read`: where it goes in the request, and what struct argument_member has. */
    size_t offset;
    int minimum, maximum;
    int (*read_to)(struct argument_reader *reader, const char *name, const json_t *value,
                   void *target);
};

/* All but those of limits. */
#define TO(member) .offset = offsetof(struct request, member)
static const struct argument table[] = {
    {"language", ARGUMENT_NAME, OFFER_ALWAYS, .subject = REQUEST_LANGUAGE,
     .read = program_argument_language},
    {"image", ARGUMENT_NAME, OFFER_BATCH, .read = program_argument_image},
    {"entrypoint_code", ARGUMENT_TEXT, OFFER_ALWAYS, .read = program_argument_code},
    {"entrypoint_filename", ARGUMENT_NAME, OFFER_ALWAYS, .subject = REQUEST_ENTRYPOINT,
     .read = program_argument_filename},
    {"entrypoint_file", ARGUMENT_NAME, OFFER_BATCH, .read = program_argument_file},
    {"additional_files", ARGUMENT_FILES, OFFER_ALWAYS, TO(input.files)},
    {"snippet_name", ARGUMENT_NAME, OFFER_ALWAYS, .read = program_argument_snippet},
    {"stdin", ARGUMENT_TEXT, OFFER_ALWAYS, TO(input.stdin_file), .read_to = argument_stdin},
    {"arguments", ARGUMENT_WORDS, OFFER_ALWAYS, TO(arguments)},
    {"environment", ARGUMENT_OBJECT, OFFER_ALWAYS, TO(environment)},
    {"artifacts", ARGUMENT_ARRAY, OFFER_ALWAYS, .subject = REQUEST_ARTIFACTS,
     .read = program_argument_artifacts},
    {REQUEST_HOSTS, ARGUMENT_ARRAY, OFFER_HOSTS, .subject = REQUEST_HOSTS, TO(hosts),
     .read_to = hosts_argument_read},
    {REQUEST_TOOLS, ARGUMENT_ARRAY, OFFER_TOOLS, .subject = REQUEST_TOOLS, .read = read_tools},
    {"workspace", ARGUMENT_TEXT, OFFER_BATCH, TO(workspace_name),
     .read_to = session_argument_read_name},
    {"command", ARGUMENT_WORDS, OFFER_BATCH, TO(arguments)},
    {"shell", ARGUMENT_TEXT, OFFER_BATCH, .read = program_argument_shell},
    {"session", ARGUMENT_NAME, OFFER_SESSION_ID, TO(session), .read_to = session_argument_read},
    {"session", ARGUMENT_TEXT, OFFER_BATCH, TO(session_name),
     .read_to = session_argument_read_name},
    {"keep_processes", ARGUMENT_BOOLEAN, OFFER_SESSION, TO(session.keep_processes)},
    {"background", ARGUMENT_BOOLEAN, OFFER_JOB, TO(background)},
    {"close_session", ARGUMENT_BOOLEAN, OFFER_BATCH, TO(session.close)},
    {"tests", ARGUMENT_ARRAY, OFFER_BATCH, .read = read_tests},
    {"call", ARGUMENT_OBJECT, OFFER_BATCH, .read = call_argument_read},
    {"groups", ARGUMENT_ARRAY, OFFER_BATCH, TO(tests), .read_to = group_arguments_read},
    {"stop_on_failure", ARGUMENT_BOOLEAN, OFFER_BATCH, TO(tests.stop_on_failure)},
    {"test_output_bytes", ARGUMENT_WHOLE, OFFER_BATCH, .subject = "outputBytes",
     TO(test_output_bytes), .minimum = TEST_OUTPUT_BYTES_MIN, .maximum = TEST_OUTPUT_BYTES_MAX},
    {"detail", ARGUMENT_NAME, OFFER_BATCH, TO(tests), .read_to = case_arguments_detail},
    {"checker", ARGUMENT_OBJECT, OFFER_BATCH, .read_to = checker_arguments_read},
};
enum { ROWS = sizeof table / sizeof *table, ARGUMENTS = ROWS + LIMIT_NUMBERS };

/* Of the limits, some have no argument, and then no name. */
static struct argument argument_at(int i)
{
    const int which = i - ROWS;

    if (which < 0)
        return table[i];
    return (struct argument){.name = limit_rules[which].argument,
                             .type = ARGUMENT_NUMBER,
                             .read = which == LIMIT_TIMEOUT ? read_timeout : read_limit,
                             .offer = which == LIMIT_TIMEOUT ? OFFER_ALWAYS : OFFER_WITH_MAXIMUM,
                             .subject = limit_rules[which].key.name};
}

const char *tool_arguments_namer(const char *subject)
{
    for (int i = 0; i < ARGUMENTS; i++) {
        const struct argument argument = argument_at(i);

        if (argument.name && argument.subject && strcmp(argument.subject, subject) == 0)
            return argument.name;
    }
    /* no argument sets it */
    return strcmp(subject, limit_rules[LIMIT_WORKDIR].key.name) == 0
               ? "workdirMB in the configuration"
               : NULL;
}

bool tool_arguments_offers(const struct config *config, enum limit_number which)
{
    return limit_rules[which].argument &&
           (which == LIMIT_TIMEOUT || isfinite(config->maximums.limits.number[which]));
}

/* Whether this caller has the argument. */
static bool is_offered(const struct reading *reading, const struct argument *argument)
{
    const bool is_model = reading->caller == TOOL_CALLER_MODEL;
    const bool has_sessions = reading->config->sessions.max > 0;

    switch (argument->offer) {
    case OFFER_WITH_MAXIMUM:
        return argument->name &&
               (!is_model ||
                tool_arguments_offers(reading->config, limit_of_argument(argument->name)));
    case OFFER_SESSION:
        return !is_model || has_sessions;
    case OFFER_SESSION_ID:
        return is_model && has_sessions;
    case OFFER_HOSTS:
        return !is_model || reading->offers_hosts;
    case OFFER_TOOLS:
        return !is_model || reading->tools->count > 0;
    case OFFER_JOB:
        return is_model && job_arguments_offered(reading->config);
    case OFFER_BATCH:
        return !is_model;
    case OFFER_ALWAYS:
        break;
    }
    return argument->name != NULL;
}

/* What models call arguments whose meaning is plain. The schema does not list these names. */
static const struct argument_alias aliases[] = {
    {"code", "entrypoint_code"}, {"timeout", "timeout_seconds"}, {"args", "arguments"},
    {"env", "environment"},      {"files", "additional_files"},  {NULL, NULL}};

/* Returns the arguments by the names that this caller has for them, a new reference, or NULL. */
static json_t *resolve_names(const struct reading *reading, const json_t *arguments)
{
    CLEANUP(strvec_release) struct strvec known = STRVEC_INIT, other = STRVEC_INIT;
    const struct argument_names names = {.known = &known, .other = &other, .aliases = aliases};

    for (int i = 0; i < ARGUMENTS; i++) {
        const struct argument argument = argument_at(i);

        if (argument.name)
            strvec_push(is_offered(reading, &argument) ? &known : &other, argument.name);
    }
    return argument_names_resolve(&names, arguments, reading->values.warnings, reading->error);
}

/* Returns the arguments that are given, as they are meant; a new reference. */
static json_t *given_arguments(struct reading *reading, const json_t *arguments)
{
    json_t *all = json_object();
    const json_t *code;

    for (int i = 0; i < ARGUMENTS; i++) {
        const struct argument argument = argument_at(i);
        json_t *value =
            is_offered(reading, &argument)
                ? argument_given(&reading->values, arguments, argument.name, argument.type)
                : NULL;

        if (value)
            json_object_set_new(all, argument.name, value);
    }
    /* hosts that fill in each argument send no program with a snippet, or with nothing */
    code = json_object_get(all, "entrypoint_code");
    if (json_is_string(code) && json_string_length(code) == 0 &&
        (json_object_get(all, "snippet_name") ||
         (reading->caller == TOOL_CALLER_MODEL && !json_object_get(all, "language") &&
          !json_object_get(all, "session"))))
        json_object_del(all, "entrypoint_code");
    return all;
}

static int read_argument(struct reading *reading, const struct argument *argument,
                         const json_t *value)
{
    const struct argument_member member = {.type = argument->type,
                                           .offset = argument->offset,
                                           .minimum = argument->minimum,
                                           .maximum = argument->maximum,
                                           .read = argument->read_to};

    return argument->read ? argument->read(reading, argument->name, value)
                          : argument_member_read(&reading->values, &member, argument->name, value,
                                                 reading->request);
}

static int read_arguments_given(struct reading *reading, const json_t *arguments)
{
    for (int i = 0; i < ARGUMENTS; i++) {
        const struct argument argument = argument_at(i);
        const json_t *value =
            is_offered(reading, &argument) ? json_object_get(arguments, argument.name) : NULL;

        if (value && read_argument(reading, &argument, value) != 0) {
            argument_hint(&reading->values, value, argument.type);
            error_name_subject(reading->error, tool_arguments_namer);
            return -1;
        }
    }
    return reading->caller == TOOL_CALLER_MODEL
               ? session_arguments_check(&reading->request->session, reading->error)
               : session_arguments_check_line(reading->request, reading->error);
}

int tool_arguments_read(const json_t *arguments, enum tool_caller caller,
                        const struct config *config, const struct tool_client *client,
                        struct request *request, struct error *error)
{
    static const struct strvec no_tools = STRVEC_INIT;
    struct reading reading = {
        .config = config,
        .caller = caller,
        .request = request,
        .offered = client ? client->offered : NULL,
        .tools = client && client->tools ? client->tools : &no_tools,
        .programs = client ? client->programs : NULL,
        .values = {.error = error,
                   .workdir = config->workdir,
                   .opener = client && client->opener.open ? &client->opener : NULL,
                   .warnings = caller == TOOL_CALLER_MODEL ? &request->warnings : NULL},
        .error = error};
    json_t *resolved, *meant;
    int result;

    reading.offers_hosts =
        caller == TOOL_CALLER_MODEL && hosts_argument_offered(config, reading.offered);
    resolved = resolve_names(&reading, arguments);
    if (!resolved)
        return -1;
    meant = given_arguments(&reading, resolved);
    json_decref(resolved);
    reading.has_checker = json_object_get(meant, "checker");
    request->unrequested = caller == TOOL_CALLER_MODEL && !json_object_get(meant, "artifacts");
    result = program_arguments_check(&reading, meant);
    if (result == 0)
        result = read_arguments_given(&reading, meant);
    if (!json_object_get(meant, REQUEST_TOOLS) && !request->background)
        strvec_push_all(&request->tools, reading.tools);
    if (result == 0 && request->background)
        result = job_arguments_complete(request, config, error);
    if (result != 0 && request->warnings.count > 0)
        error_hint(error, request->warnings.items[0]);
    json_decref(meant);
    return result;
}
