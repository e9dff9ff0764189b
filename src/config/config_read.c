#include "config/config_read.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json_text.h"
#include "base/memory.h"
#include "base/process.h"
#include "base/text.h"
#include "config/command_template.h"
#include "config/config_keys.h"
#include "config/json_reader.h"
#include "config/language_names.h"

/* A struct that an object of the file fills in. */
struct target {
    enum config_level level;
    void *object;
};

static int read_member(struct json_reader *reader, const char *name, const json_t *value,
                       void *context);

static struct language *add_language(struct config *config, const char *name)
{
    struct language *language;

    config->languages =
        memory_resize(config->languages, (config->language_count + 1) * sizeof *config->languages);
    language = &config->languages[config->language_count++];
    *language =
        (struct language){.name = string_copy(name), .layer = config->layer_count, .ready = true};
    sandbox_policy_init(&language->policy);
    limits_init(&language->build_limits);
    return language;
}

static int read_language(struct json_reader *reader, const char *name, const json_t *value,
                         void *context)
{
    struct config *config = context;
    struct language *language = (struct language *)config_language(config, name);

    if (!language_name_is_valid(name))
        return json_reader_wrong_type(reader, "named with " LANGUAGE_NAME_RULE);
    if (!language)
        language = add_language(config, name);
    if (json_reader_members(reader, value, read_member,
                            &(struct target){CONFIG_LEVEL_LANGUAGE, language}) != 0)
        return -1;
    if (language->command.count > 0 && language->build.count == 0 &&
        !command_has(&language->command, COMMAND_ENTRYPOINT)) {
        strbuf_addstr(&reader->path, ".command");
        return json_reader_wrong_type(reader, "a command with \"" COMMAND_ENTRYPOINT
                                              "\" in it, since there is no build");
    }
    if (language->preload.count > 0 && !strvec_contains(&language->extensions, ".py")) {
        strbuf_addstr(&reader->path, ".preload");
        return json_reader_wrong_type(reader, "left out: only Python has modules to preload");
    }
    if (!language->image || language->command.count == 0 || language->extensions.count == 0 ||
        !language->default_filename)
        return json_reader_wrong_type(
            reader, "complete: a new language needs image, command, extensions and "
                    "defaultFilename");
    config_prepare(language);
    return 0;
}

/* Reads an entry of a list of hosts: "HOST[:PORT]" or an object. */
static int read_host(struct json_reader *reader, const struct config_key *key, const json_t *value,
                     struct network_rules *rules)
{
    CLEANUP(network_host_release) struct network_host host = NETWORK_HOST_INIT;

    if (json_is_string(value)) {
        CLEANUP_FREE char *text = NULL;

        if (json_reader_string(reader, value, &text) != 0)
            return -1;
        if (network_host_parse(&host, text, reader->error) != 0)
            return json_reader_wrong_value(reader);
    } else if (!json_is_object(value)) {
        return json_reader_wrong_type(reader, "a string like \"example.com:443\" or an object");
    } else if (json_reader_members(reader, value, read_member,
                                   &(struct target){key->members, &host}) != 0) {
        return -1;
    }
    if (!host.name)
        return json_reader_wrong_type(reader, "complete: an entry needs host");
    return json_reader_checked(reader, network_rules_put(rules, &host, reader->error));
}

/* Reads an entry of a list of credentials. No command that isolator starts gets its variable. */
static int read_credential(struct json_reader *reader, const struct config_key *key,
                           const json_t *value, struct network_rules *rules)
{
    struct config_credential entry = {.host = NULL};
    int result;

    network_credential_init(&entry.credential);
    result =
        json_reader_members(reader, value, read_member, &(struct target){key->members, &entry});
    if (result == 0 && (!entry.host || !entry.credential.from))
        result = json_reader_wrong_type(reader, "complete: a credential needs host and from");
    if (result == 0 && network_credential_variable(&entry.credential))
        process_withhold(network_credential_variable(&entry.credential));
    if (result == 0)
        result = json_reader_checked(
            reader,
            network_rules_put_credential(rules, entry.host, &entry.credential, reader->error));
    network_credential_release(&entry.credential);
    free(entry.host);
    return result;
}

typedef int read_item(struct json_reader *reader, const struct config_key *key, const json_t *value,
                      struct network_rules *rules);

/* Reads each item of an array, which `type` describes: "an array of hosts". */
static int read_items(struct json_reader *reader, const struct config_key *key, const json_t *value,
                      struct network_rules *rules, read_item *read, const char *type)
{
    const size_t length = reader->path.length;
    json_t *item;
    size_t i;

    if (!json_is_array(value))
        return json_reader_wrong_type(reader, type);
    json_array_foreach(value, i, item) {
        strbuf_addf(&reader->path, "[%zu]", i);
        if (read(reader, key, item, rules) != 0)
            return -1;
        reader->path.length = length;
        reader->path.data[length] = '\0';
    }
    return 0;
}

static int read_hosts(struct json_reader *reader, const struct config_key *key, const json_t *value,
                      struct network_rules *rules)
{
    struct network_rules read = *rules; /* the list replaces the older one */

    read.hosts = NULL;
    read.count = 0;
    if (read_items(reader, key, value, &read, read_host, "an array of hosts") != 0) {
        network_rules_release(&read);
        return -1;
    }
    network_rules_release(rules);
    *rules = read;
    return 0;
}

/*
 * Reads an object of hosts. Its credentials come last, since they name hosts of its list: a list
 * that replaces another one takes the credentials of that one away.
 */
static int read_network(struct json_reader *reader, const json_t *value,
                        struct network_rules *rules)
{
    const struct config_key *key = config_keys_find(CONFIG_LEVEL_NETWORK, "credentials");
    const json_t *credentials = json_object_get(value, key->rule->name);
    const size_t length = reader->path.length;

    if (json_reader_members(reader, value, read_member,
                            &(struct target){CONFIG_LEVEL_NETWORK, rules}) != 0)
        return -1;
    if (!credentials)
        return 0;
    strbuf_addf(&reader->path, ".%s", key->rule->name);
    if (!json_object_get(value, "allow"))
        return json_reader_wrong_type(reader, "in the object that has allow, whose hosts it names");
    if (read_items(reader, key, credentials, rules, read_credential, "an array of credentials") !=
        0)
        return -1;
    reader->path.length = length;
    reader->path.data[length] = '\0';
    return 0;
}

int config_read_steps_hosts(struct json_reader *reader, const json_t *value,
                            struct prepare_network *network)
{
    free(network->name);
    network->name = NULL;
    if (read_network(reader, value, &network->hosts) != 0)
        return -1;
    prepare_network_complete(network);
    return 0;
}

static int read_object(struct json_reader *reader, const struct config_key *key,
                       const json_t *value, void *member)
{
    if (key->level == CONFIG_LEVEL_PREPARE) /* it has no other object */
        return config_read_steps_hosts(reader, value, member);
    if (key->members == CONFIG_LEVEL_NETWORK) { /* the member is the policy that it belongs to */
        struct sandbox_policy *policy = member;

        if (sandbox_policy_set_network(policy, "none", reader->error) != 0)
            return -1;
        return read_network(reader, value, &policy->network_rules);
    }
    return json_reader_members(reader, value, read_member, &(struct target){key->members, member});
}

static int read_value(struct json_reader *reader, const struct config_key *key, const json_t *value,
                      void *object)
{
    const struct key_rule *rule = key->rule;
    void *member = (char *)object + key->offset;

    if (rule->type == KEY_STRING_OR_OBJECT && json_is_object(value))
        return read_object(reader, key, value, member);
    if (rule->type == KEY_STRING_OR_OBJECT && !json_is_string(value))
        return json_reader_wrong_type(reader, "a string or an object");
    reader->rule = rule;
    if (key->set)
        return key->set(reader, value, member);
    switch (rule->type) {
    case KEY_STRING:
        return json_reader_string(reader, value, member);
    case KEY_PATH:
        return config_value_path(reader, value, member);
    case KEY_BOOLEAN:
        return json_reader_boolean(reader, value, member);
    case KEY_WHOLE:
        return json_reader_whole(reader, value, (int)rule->minimum, (int)rule->maximum, member);
    case KEY_STRINGS:
        return json_reader_strings(reader, value, member);
    case KEY_OBJECT:
        return read_object(reader, key, value, member);
    case KEY_HOSTS:
        return read_hosts(reader, key, value, member);
    case KEY_LANGUAGES:
        return json_reader_members(reader, value, read_language, object);
    case KEY_WHOLE_BY_LANGUAGE: /* read_warm() reads it, after the languages */
    case KEY_CREDENTIALS:       /* read_network() reads them, after the hosts */
        return 0;
    case KEY_NUMBER:
    case KEY_STRINGS_BY_NAME:
    case KEY_STRING_OR_OBJECT:
    case KEY_PORTS:
    case KEY_TOOL_SERVERS:
    case KEY_MCP_SERVERS: /* have a setter */
        break;
    }
    abort();
}

/* Refuses a key that the level does not have. */
static int refuse_key(struct json_reader *reader, enum config_level level)
{
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;
    const struct config_key *key = NULL;

    while ((key = config_keys_next(level, key)))
        strvec_push(&names, key->rule->name);
    while (level == CONFIG_LEVEL_LANGUAGE && (key = config_keys_next(CONFIG_LEVEL_LIMITS, key)))
        strvec_push(&names, key->rule->name);
    return json_reader_unknown_key(reader, (const char *const *)names.items, names.count);
}

static int read_member(struct json_reader *reader, const char *name, const json_t *value,
                       void *context)
{
    const struct target *target = context;
    const struct config_key *key = config_keys_find(target->level, name);
    void *object = target->object;

    if (!key && target->level == CONFIG_LEVEL_LANGUAGE) { /* it has limits of its own */
        key = config_keys_find(CONFIG_LEVEL_LIMITS, name);
        object = &((struct language *)object)->policy;
    }
    return key ? read_value(reader, key, value, object) : refuse_key(reader, target->level);
}

static int read_warm_count(struct json_reader *reader, const char *name, const json_t *value,
                           void *context)
{
    const struct key_rule *rule = config_keys_find(CONFIG_LEVEL_TOP, "warm")->rule;
    struct config *config = context;
    struct language *language = (struct language *)config_language(config, name);
    CLEANUP_FREE char *known = config_language_names(config, NULL);

    if (!language)
        return error_set(reader->error, ERROR_CONFIG, "%s: %s: is no language; known are: %s",
                         JSON_READER_WHERE(reader), known);
    return json_reader_whole(reader, value, (int)rule->minimum, (int)rule->maximum,
                             &language->warm);
}

/* Reads "warm" last, since it may name languages that the file adds. */
static int read_warm(struct json_reader *reader, const json_t *root, struct config *config)
{
    const json_t *warm = json_object_get(root, "warm");

    if (!warm)
        return 0;
    strbuf_addstr(&reader->path, "warm");
    return json_reader_members(reader, warm, read_warm_count, config);
}

/* "network" is another name for that of "defaults": layers have the latter alone. */
static int move_network(struct json_reader *reader, json_t *root)
{
    json_t *network = json_object_get(root, "network");
    json_t *defaults = json_object_get(root, "defaults");

    if (!network)
        return 0;
    if (json_object_get(defaults, "network")) {
        strbuf_addstr(&reader->path, "network");
        return json_reader_wrong_type(reader, "given here or in defaults, not in both");
    }
    if (!defaults) {
        defaults = json_object();
        json_object_set_new(root, "defaults", defaults);
    }
    json_object_set(defaults, "network", network);
    json_object_del(root, "network");
    return 0;
}

static int refuse_credentials_of_maximums(struct json_reader *reader, const json_t *root)
{
    const json_t *maximums = json_object_get(root, "maximums");

    if (!json_object_get(json_object_get(maximums, "network"), "credentials"))
        return 0;
    return error_set(reader->error, ERROR_CONFIG,
                     "%s: maximums.network.credentials: remove it: maximums bound hosts and "
                     "have no credentials",
                     reader->file);
}

/* Takes the root over. */
static void keep_layer(struct config *config, const char *name, json_t *root)
{
    config->layers =
        memory_resize(config->layers, (config->layer_count + 1) * sizeof *config->layers);
    config->layers[config->layer_count++] =
        (struct config_layer){.name = string_copy(name), .root = root};
}

int config_overlay(struct config *config, const char *json, size_t length, const char *name,
                   struct error *error)
{
    struct json_reader reader = {.file = name, .error = error};
    json_error_t where;
    json_t *root = json_loadb(json, length, JSON_REJECT_DUPLICATES, &where);
    int result;

    if (!root) { /* jansson shows where it stopped, which may be within a character */
        const bool has_nul = json_error_code(&where) == json_error_null_character;
        CLEANUP_FREE char *shown =
            text_escape(has_nul ? "a string must not contain \\u0000" : where.text);
        const char *hint = json_text_hint(json, length);

        error_set(error, ERROR_CONFIG, "%s:%d:%d: %s", name, where.line, where.column, shown);
        return hint ? error_hint(error, hint) : -1;
    }
    if (json_is_object(root)) {
        result = refuse_credentials_of_maximums(&reader, root);
        if (result == 0)
            result = json_reader_members(&reader, root, read_member,
                                         &(struct target){CONFIG_LEVEL_TOP, config});
        if (result == 0)
            result = read_warm(&reader, root, config);
        if (result == 0)
            result = language_names_resolve(config, root, &reader);
        if (result == 0)
            result = move_network(&reader, root);
        network_rules_complete(&config->defaults.network_rules);
    } else {
        result = error_set(error, ERROR_CONFIG, "%s: must be an object", name);
    }
    strbuf_release(&reader.path);
    if (result == 0)
        keep_layer(config, name, root);
    else
        json_decref(root);
    return result;
}
