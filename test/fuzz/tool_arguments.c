/*
 * Fuzz target: the arguments of execute_code. The input is their JSON. These properties are
 * checked:
 *
 * - No name of an accepted argument is like one that narrows what a program can do.
 * - Accepted arguments make a complete request: a language of the configuration, code, files with
 * their content and with different paths inside the working directory, variables that shells
 * accept, limits within the maximums, an image that is allowed, which no model can name, and an id
 * of a session only if it has the form of one.
 * - Refused arguments have one error, whose message for the model is one line of valid UTF-8, short
 * enough for a response.
 * - Only memory and the snippets are used.
 */
#include "fuzz.h"

#include "base/json_text.h"
#include "config/environment.h"
#include "mcp/jsonrpc.h"
#include "mcp/tool_result.h"
#include "request/plan.h"
#include "request/session_arguments.h"
#include "request/tool_arguments.h"

/* The longest messages have a path of 4000 bytes, each of them escaped. */
enum { ERROR_MAX = 20000 };

static struct config config;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    json_object_seed(1); /* otherwise the order of members differs from run to run */
    fuzz_configure(&config, "{\"maximums\": {\"timeoutSeconds\": 100, \"memoryMB\": 1000,"
                            " \"cpuSeconds\": 50},"
                            " \"images\": [\"team/*\", \"a*b*/x:*\", \"host:1/*/c\"]}");
    return 0;
}

static void check_path(const char *path)
{
    struct error error = ERROR_INIT;

    fuzz_require(input_files_check_path(path, &error) == 0, "%s", error.message);
}

/* The only URI that names a file. */
static const char KNOWN_URI[] = "isolator://inputs/a";

static int open_known(void *context, const char *uri, struct file_range *range, struct error *error)
{
    (void)context;
    if (strcmp(uri, KNOWN_URI) != 0)
        return error_set(error, ERROR_INPUT, "unknown");
    *range = (struct file_range){.file = shared_file_create(error)};
    return 0;
}

static const struct tool_client client = {.opener = {.open = open_known}};

/* Compares the bytes of a file of a batch with its member of additional_files. */
static void check_file(const struct input_file *file, const json_t *given)
{
    const json_t *content = json_object_get(given, "content");
    const char *encoding = json_string_value(json_object_get(given, "encoding"));
    const size_t length = json_string_length(content);

    check_path(file->path);
    if (file->range.file)
        fuzz_require(strcmp(json_string_value(json_object_get(given, "uri")), KNOWN_URI) == 0,
                     "a file without its uri");
    else if (encoding && strcmp(encoding, "base64") == 0)
        fuzz_require(file->length <= length / 4 * 3 + 2, "%zu bytes of %zu", file->length, length);
    else
        fuzz_require(file->length == length &&
                         memcmp(file->data, json_string_value(content), length) == 0,
                     "%s has other bytes", file->path);
}

static void check_files(const struct plan *plan, const json_t *given, enum tool_caller caller)
{
    struct error error = ERROR_INIT;

    check_path(plan->entrypoint);
    for (size_t i = 0; i < plan->input.files.count; i++)
        check_path(plan->input.files.items[i].path);
    if (caller == TOOL_CALLER_BATCH && json_is_array(given)) {
        fuzz_require(plan->input.files.count == json_array_size(given), "%zu of %zu files",
                     plan->input.files.count, json_array_size(given));
        for (size_t i = 0; i < plan->input.files.count; i++)
            check_file(&plan->input.files.items[i], json_array_get(given, i));
    }
    fuzz_require(input_files_check(&plan->input.files, plan->entrypoint, &error) == 0, "%s",
                 error.message);
}

static void check_session(const struct session_request *session)
{
    const size_t length = strlen(session->id);

    fuzz_require(length == 0 || (length == 32 && !session->open), "%s", session->id);
    fuzz_require(strspn(session->id, "0123456789abcdef") == length, "%s", session->id);
    fuzz_require(session->open || !session->keep_processes, "keeps processes of no new session");
    fuzz_require(!session->close, "a model closes a session with another tool");
}

static void check_session_of_line(const struct request *request)
{
    const struct session_request *session = &request->session;
    const size_t length = request->session_name ? strlen(request->session_name) : 0;

    fuzz_require(!session->open && session->id[0] == '\0', "%s", session->id);
    fuzz_require(!request->session_name || (length > 0 && length <= SESSION_NAME_MAX), "%zu bytes",
                 length);
    fuzz_require(request->session_name || (!session->keep_processes && !session->close),
                 "no session");
}

static void check_plan(const struct plan *plan, const json_t *arguments, enum tool_caller caller)
{
    const double timeout = plan->policy.limits.number[LIMIT_TIMEOUT];
    struct error error = ERROR_INIT;

    fuzz_require(plan->language && config_language(&config, plan->language), "%s", plan->language);
    fuzz_require(plan->input.code && plan->input.code[plan->input.code_length] == '\0', "no code");
    check_files(plan, json_object_get(arguments, "additional_files"), caller);
    fuzz_require(json_is_string(json_object_get(arguments, "stdin")) ==
                     (plan->input.stdin_file >= 0),
                 "stdin is %d", plan->input.stdin_file);
    fuzz_require(timeout > 0 && timeout <= config.maximums.limits.number[LIMIT_TIMEOUT], "%g",
                 timeout);
    fuzz_require(sandbox_policy_check(&plan->policy, &config.maximums, &error) == 0, "%s",
                 error.message);
    fuzz_require(plan->command.count > 0 && *plan->command.items[0], "no command");
    for (size_t i = 0; i < plan->environment.count; i++) {
        const char *variable = plan->environment.items[i];

        fuzz_require(environment_is_name(variable, strcspn(variable, "=")) && strchr(variable, '='),
                     "%s", variable);
    }
}

static void check_refusal(const struct error *error)
{
    const size_t length = error->message ? strlen(error->message) : 0;
    json_t *answer;

    fuzz_require(error->kind == ERROR_USAGE || error->kind == ERROR_INPUT, "kind %d: %s",
                 error->kind, error->message);
    fuzz_require(length > 0 && length <= ERROR_MAX, "a message of %zu bytes", length);
    fuzz_require(fuzz_is_utf8(error->message, length), "not UTF-8: %s", error->message);
    for (size_t i = 0; i < length; i++)
        fuzz_require((unsigned char)error->message[i] >= ' ', "control characters: %s",
                     error->message);
    answer = tool_result_of_failure(error->message);
    fuzz_require(jsonrpc_size(answer) > length, "no answer: %s", error->message);
    json_decref(answer);
}

/* An image that was named is one of the three patterns, in full. */
static void check_image(const struct plan *plan)
{
    const char *image = plan->image;
    const char *version = strrchr(image, '/');

    fuzz_require(strncmp(image, "docker.io/team/", 15) == 0 ||
                     strncmp(image, "docker.io/a", 11) == 0 || strncmp(image, "host:1/", 7) == 0,
                 "%s", image);
    fuzz_require(version && strpbrk(version, ":@"), "%s", image);
}

/* No name is left out that may narrow what the program can do. */
static void check_names(const json_t *arguments)
{
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)arguments, key, value) {
        fuzz_require(!strstr(key, "host") || strcmp(key, "hosts") == 0, "%s", key);
        fuzz_require(!strstr(key, "limit") || strcmp(key, "pids_limit") == 0, "%s", key);
        fuzz_require(!strstr(key, "memory") || strcmp(key, "memory_mb") == 0, "%s", key);
    }
}

static void check_arguments(const json_t *arguments, enum tool_caller caller)
{
    const json_t *image = json_object_get(arguments, "image");
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(request_release) struct request request;
    CLEANUP(plan_release) struct plan plan = PLAN_INIT;

    request_init(&request);
    if (tool_arguments_read(arguments, caller, &config,
                            caller == TOOL_CALLER_MODEL ? &client : NULL, &request, &error) != 0 ||
        plan_resolve(&plan, &config, &request, &error) != 0) {
        check_refusal(&error);
        return;
    }
    check_plan(&plan, arguments, caller);
    check_names(arguments);
    if (caller == TOOL_CALLER_MODEL)
        check_session(&plan.session);
    else
        check_session_of_line(&request);
    fuzz_require(!image || caller == TOOL_CALLER_BATCH, "a model has named an image");
    if (json_string_length(image) > 0) /* null and "" are not given */
        check_image(&plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    json_t *arguments = json_text_parse((const char *)data, size, NULL);

    if (json_is_object(arguments))
        for (int caller = TOOL_CALLER_MODEL; caller <= TOOL_CALLER_BATCH; caller++)
            check_arguments(arguments, (enum tool_caller)caller);
    json_decref(arguments);
    return 0;
}
