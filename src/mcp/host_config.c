#include "mcp/host_config.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/shell_words.h"
#include "base/strvec.h"
#include "base/text.h"
#include "mcp/host_format.h"
#include "mcp/tool.h"

enum {
    BESIDES_PROGRAM = 60 - TOOL_TIMEOUT, /* seconds of a call */
    WITHOUT_MAXIMUM = 3600               /* seconds: models hardly ask for more */
};

/* Hosts pass on few variables. These select the engine. */
static const char *const engine_variables[] = {"DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG",
                                               "DOCKER_CERT_PATH", "DOCKER_TLS_VERIFY"};

/* What the placeholders of a host stand for. */
struct filling {
    struct strvec command;   /* the program and its arguments */
    struct strvec variables; /* "NAME=VALUE" */
    int seconds;
    json_t *server; /* borrowed: the entry of the server; NULL: not made yet */
};
#define FILLING_INIT                                                                               \
    {                                                                                              \
        STRVEC_INIT, STRVEC_INIT, 0, NULL                                                          \
    }

static void filling_release(struct filling *filling)
{
    strvec_release(&filling->command);
    strvec_release(&filling->variables);
}

/* ---- how the server is started */

static void push_arguments(struct strvec *command, const struct host_config_options *options)
{
    if (options->config)
        strvec_push_each(command, "--config", options->config, NULL);
    if (options->inputs)
        strvec_push_each(command, "--inputs", options->inputs, NULL);
    if (options->audit)
        strvec_push_each(command, "--audit", options->audit, NULL);
}

/* ssh joins its arguments to one line for the shell of the other machine. */
static int push_ssh(struct strvec *command, const struct host_config_options *options,
                    struct error *error)
{
    CLEANUP(strvec_release) struct strvec remote = STRVEC_INIT;
    CLEANUP(strbuf_release) struct strbuf line = STRBUF_INIT;
    CLEANUP_FREE char *shown = text_escape(options->ssh);

    if (*options->ssh == '\0' || *options->ssh == '-')
        return error_set(error, ERROR_USAGE,
                         "--ssh: '%s' is not a destination; name it like user@server", shown);
    strvec_push(&remote, "isolator-mcp");
    push_arguments(&remote, options);
    shell_words_add(&line, &remote);
    strvec_push_each(command, "ssh", "-T", "-o", "ServerAliveInterval=15", options->ssh,
                     strbuf_string(&line), NULL);
    return 0;
}

static int push_own(struct strvec *command, const struct host_config_options *options,
                    struct error *error)
{
    CLEANUP_FREE char *path = realpath("/proc/self/exe", NULL);

    if (!path)
        return error_set_errno(error, ERROR_SYSTEM, "cannot find the path of this program");
    strvec_push(command, path);
    push_arguments(command, options);
    return 0;
}

static void push_variables(struct strvec *variables)
{
    for (size_t i = 0; i < sizeof engine_variables / sizeof *engine_variables; i++) {
        const char *value = getenv(engine_variables[i]);

        if (value && *value)
            strvec_pushf(variables, "%s=%s", engine_variables[i], value);
    }
}

static int check_utf8(const struct strvec *texts, struct error *error)
{
    for (size_t i = 0; i < texts->count; i++) {
        CLEANUP_FREE char *escaped = text_escape(texts->items[i]);

        if (!text_is_utf8(texts->items[i]))
            return error_set(error, ERROR_CONFIG,
                             "cannot print '%s': it is not UTF-8, as configurations of hosts are",
                             escaped);
    }
    return 0;
}

static int find_command(struct filling *filling, const struct host_config_options *options,
                        struct error *error)
{
    if (options->ssh) {
        if (push_ssh(&filling->command, options, error) != 0)
            return -1;
    } else {
        if (push_own(&filling->command, options, error) != 0)
            return -1;
        push_variables(&filling->variables);
    }
    return check_utf8(&filling->command, error) == 0 ? check_utf8(&filling->variables, error) : -1;
}

/* ---- how long a call may take */

/* Sets what the entry says of time, and what to warn of. */
static void find_timeout(const struct host *host, double max_timeout, struct filling *filling,
                         struct host_config *made)
{
    const double needed =
        isfinite(max_timeout) ? ceil(max_timeout) + BESIDES_PROGRAM : WITHOUT_MAXIMUM;
    int ends = host->ends;

    if (host->longest > 0 && needed > ends)
        ends = needed < host->longest ? (int)needed : host->longest;
    filling->seconds = ends;
    if (ends > 0 && needed > ends) {
        made->ends = ends;
        made->fits = ends - BESIDES_PROGRAM;
    }
}

/* ---- the placeholders */

static json_t *words_from(const struct filling *filling, size_t first)
{
    json_t *words = json_array();

    for (size_t i = first; i < filling->command.count; i++)
        json_array_append_new(words, json_string(filling->command.items[i]));
    return words;
}

static json_t *environment_of(const struct filling *filling)
{
    json_t *environment = json_object();

    for (size_t i = 0; i < filling->variables.count; i++) {
        const char *equals = strchr(filling->variables.items[i], '=');
        CLEANUP_FREE char *name = string_format("%.*s", (int)(equals - filling->variables.items[i]),
                                                filling->variables.items[i]);

        json_object_set_new(environment, name, json_string(equals + 1));
    }
    return environment;
}

static json_t *environment_options(const struct filling *filling)
{
    json_t *options = json_array();

    for (size_t i = 0; i < filling->variables.count; i++) {
        json_array_append_new(options, json_string("--env"));
        json_array_append_new(options, json_string(filling->variables.items[i]));
    }
    return options;
}

static json_t *dashed_arguments(const struct filling *filling)
{
    json_t *words = words_from(filling, 1);

    if (json_array_size(words) > 0)
        json_array_insert_new(words, 0, json_string("--"));
    return words;
}

/* As code --add-mcp takes it. */
static json_t *named_server(const struct filling *filling)
{
    json_t *server = json_pack("{s:s}", "name", "isolator");
    CLEANUP_FREE char *text = NULL;

    json_object_update(server, filling->server);
    text = json_dumps(server, 0);
    json_decref(server);
    return json_string(text);
}

/* What the text stands for, a new reference: itself, unless it is a placeholder. */
static json_t *fill_text(const char *text, const struct filling *filling)
{
    if (strcmp(text, "{command}") == 0)
        return json_string(filling->command.items[0]);
    if (strcmp(text, "{args}") == 0)
        return words_from(filling, 1);
    if (strcmp(text, "{command line}") == 0)
        return words_from(filling, 0);
    if (strcmp(text, "{env}") == 0)
        return environment_of(filling);
    if (strcmp(text, "{env options}") == 0)
        return environment_options(filling);
    if (strcmp(text, "{dashed args}") == 0)
        return dashed_arguments(filling);
    if (strcmp(text, "{server}") == 0)
        return named_server(filling);
    if (strcmp(text, "{s}") == 0)
        return json_integer(filling->seconds);
    if (strcmp(text, "{ms}") == 0)
        return json_integer(filling->seconds * 1000LL);
    return json_string(text);
}

/* Returns a new reference. */
static json_t *fill(json_t *value, const struct filling *filling)
{
    json_t *filled = json_is_object(value) ? json_object() : json_array();
    const char *key;
    json_t *item;
    size_t i;

    if (!json_is_object(value) && !json_is_array(value)) {
        json_decref(filled);
        return json_is_string(value) ? fill_text(json_string_value(value), filling)
                                     : json_incref(value);
    }
    json_array_foreach(value, i, item)
        json_array_append_new(filled, fill(item, filling));
    json_object_foreach(value, key, item) {
        json_t *member = fill(item, filling);

        if (!json_is_object(member) || json_object_size(member) > 0)
            json_object_set(filled, key, member);
        json_decref(member);
    }
    return filled;
}

static json_t *fill_template(const char *template, const struct filling *filling)
{
    json_t *parsed = json_loads(template, 0, NULL);
    json_t *filled = fill(parsed, filling);

    json_decref(parsed);
    return filled;
}

/* ---- the results */

/* The words for a shell, owned by the caller. */
static char *command_line(json_t *filled)
{
    CLEANUP(strvec_release) struct strvec words = STRVEC_INIT;
    struct strbuf line = STRBUF_INIT;
    json_t *value, *word;
    size_t i, j;

    json_array_foreach(filled, i, value) {
        if (json_is_integer(value))
            strvec_pushf(&words, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        else if (json_is_string(value))
            strvec_push(&words, json_string_value(value));
        json_array_foreach(value, j, word)
            strvec_push(&words, json_string_value(word));
    }
    shell_words_add(&line, &words);
    return strbuf_steal(&line);
}

/* The entry of the server in a document of objects, borrowed. */
static json_t *server_in(json_t *document)
{
    json_t *servers = json_object_iter_value(json_object_iter(document));

    return json_object_get(servers, "isolator");
}

int host_config_make(const struct host *host, const struct host_config_options *options,
                     struct host_config *made, struct error *error)
{
    CLEANUP(filling_release) struct filling filling = FILLING_INIT;
    json_t *command;

    if (find_command(&filling, options, error) != 0)
        return -1;
    find_timeout(host, options->max_timeout, &filling, made);
    made->document = fill_template(host->entry, &filling);
    made->entry = host_format(made->document, host->format);
    if (host->command) {
        filling.server = server_in(made->document);
        command = fill_template(host->command, &filling);
        made->command = command_line(command);
        json_decref(command);
    }
    return 0;
}

json_t *host_config_server(const struct host_config *made)
{
    return server_in(made->document);
}

const char *host_config_servers_key(const struct host_config *made)
{
    return json_object_iter_key(json_object_iter(made->document));
}

json_t *host_config_merge(const struct host *host, const struct host_config *made, json_t *former)
{
    json_t *template = json_loads(host->entry, 0, NULL);
    json_t *merged = json_is_object(former) ? json_deep_copy(former) : json_object();
    const char *key;
    json_t *value;

    json_object_foreach(host_config_server(made), key, value) {
        json_t *there = json_object_get(merged, key);

        if (json_is_object(there) && json_is_object(value))
            json_object_update(there, value);
        else if (!there || json_is_string(json_object_get(server_in(template), key)))
            json_object_set(merged, key, value);
    }
    json_decref(template);
    return merged;
}

void host_config_release(struct host_config *made)
{
    json_decref(made->document);
    free(made->entry);
    free(made->command);
    *made = (struct host_config)HOST_CONFIG_INIT;
}
