#include "config/config_schema.h"

#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "config/config_keys.h"

/* The definition of a network that is an object. */
#define HOSTS "reachableHosts"

static json_t *number(double value)
{
    return value == floor(value) ? json_integer((json_int_t)value) : json_real(value);
}

static json_t *reference(const char *name)
{
    CLEANUP_FREE char *path = string_format("#/$defs/%s", name);

    return json_pack("{s:s}", "$ref", path);
}

/* Adds the pattern of the key, if it has one, to the schema of its string, item or name. */
static json_t *with_pattern(json_t *schema, const struct config_key *key)
{
    if (key->rule->pattern)
        json_object_set_new(schema, "pattern", json_string(key->rule->pattern));
    return schema;
}

/* Adds the ends of the key's range, unless it has none: {"minItems": 1, "maxItems": 64}. */
static void add_range(json_t *schema, const char *minimum, const char *maximum,
                      const struct key_rule *rule)
{
    if (rule->minimum > 0)
        json_object_set_new(schema, minimum, number(rule->minimum));
    if (rule->maximum > 0)
        json_object_set_new(schema, maximum, number(rule->maximum));
}

static void add_string(json_t *schema, const struct config_key *key)
{
    json_object_set_new(schema, "type", json_string("string"));
    json_object_set_new(schema, "minLength", json_integer(1));
    if (key->rule->maximum > 0)
        json_object_set_new(schema, "maxLength", number(key->rule->maximum));
    with_pattern(schema, key);
}

static void add_number(json_t *schema, const struct config_key *key)
{
    json_object_set_new(schema, "type",
                        json_string(key->rule->type == KEY_NUMBER ? "number" : "integer"));
    json_object_set_new(schema, "minimum", number(key->rule->minimum));
    json_object_set_new(schema, "maximum", number(key->rule->maximum));
}

static void add_array(json_t *schema, const struct config_key *key)
{
    json_t *item = json_pack("{s:s, s:i}", "type", "string", "minLength", 1);

    json_object_set_new(schema, "type", json_string("array"));
    add_range(schema, "minItems", "maxItems", key->rule);
    json_object_set_new(schema, "items", with_pattern(item, key));
}

/* An object of languages; `language` is the schema of each. Takes it over. */
static void add_languages(json_t *schema, json_t *language)
{
    json_object_set_new(schema, "type", json_string("object"));
    json_object_set_new(schema, "propertyNames", reference("languageName"));
    json_object_set_new(schema, "additionalProperties", language);
}

/* The schema of a language that is not built in. */
static json_t *new_language(void)
{
    json_t *language = reference("language");

    json_object_set_new(
        language, "required",
        json_pack("[s, s, s, s]", "image", "command", "extensions", "defaultFilename"));
    return language;
}

/* The languages that are built in need no key. */
static json_t *built_in_languages(const struct config *built_in)
{
    json_t *properties = json_object();

    for (size_t i = 0; i < built_in->language_count; i++)
        json_object_set_new(properties, built_in->languages[i].name, reference("language"));
    return properties;
}

static json_t *object_of(enum config_level level);

static void add_ports(json_t *schema, const struct config_key *key)
{
    json_object_set_new(schema, "type", json_string("array"));
    add_range(schema, "minItems", "maxItems", key->rule);
    json_object_set_new(
        schema, "items",
        json_pack("{s:s, s:i, s:i}", "type", "integer", "minimum", 1, "maximum", 65535));
}

/* Each is a string or an object with a "host". */
static void add_hosts(json_t *schema, const struct config_key *key)
{
    json_t *string = json_pack("{s:s, s:i}", "type", "string", "minLength", 1);
    json_t *object = object_of(key->members);

    json_object_set_new(object, "required", json_pack("[s]", "host"));
    json_object_set_new(schema, "type", json_string("array"));
    add_range(schema, "minItems", "maxItems", key->rule);
    json_object_set_new(schema, "items",
                        json_pack("{s:[o, o]}", "anyOf", with_pattern(string, key), object));
}

static void add_credentials(json_t *schema, const struct config_key *key)
{
    json_t *object = object_of(key->members);

    json_object_set_new(object, "required", json_pack("[s, s]", "host", "from"));
    json_object_set_new(schema, "type", json_string("array"));
    add_range(schema, "minItems", "maxItems", key->rule);
    json_object_set_new(schema, "items", object);
}

/* An object of servers. An entry of a .mcp.json may have members of its own, and has no rules. */
static void add_servers(json_t *schema, const struct config_key *key)
{
    json_t *server = object_of(key->members), *members = json_object_get(server, "properties");

    if (key->rule->type == KEY_MCP_SERVERS) {
        json_object_del(members, "allow");
        json_object_del(members, "ask");
        json_object_set_new(members, "type", json_pack("{s:[s]}", "enum", "stdio"));
        json_object_set_new(members, "url", json_false());
        json_object_del(server, "additionalProperties");
    }
    json_object_set_new(server, "required", json_pack("[s]", "command"));
    json_object_set_new(schema, "type", json_string("object"));
    json_object_set_new(schema, "propertyNames", with_pattern(json_object(), key));
    add_range(schema, "minProperties", "maxProperties", key->rule);
    json_object_set_new(schema, "additionalProperties", server);
}

static void add_object(json_t *schema, enum config_level level)
{
    json_object_update_missing_new(schema, level == CONFIG_LEVEL_LIMITS    ? reference("limits")
                                           : level == CONFIG_LEVEL_NETWORK ? reference(HOSTS)
                                                                           : object_of(level));
}

static void add_string_or_object(json_t *schema, const struct config_key *key)
{
    json_t *string = json_object(), *object = json_object();

    add_string(string, key);
    add_object(object, key->members);
    json_object_set_new(schema, "anyOf", json_pack("[o, o]", string, object));
}

static void add_value(json_t *schema, const struct config_key *key)
{
    switch (key->rule->type) {
    case KEY_STRING:
    case KEY_PATH:
        add_string(schema, key);
        break;
    case KEY_BOOLEAN:
        json_object_set_new(schema, "type", json_string("boolean"));
        break;
    case KEY_WHOLE:
    case KEY_NUMBER:
        add_number(schema, key);
        break;
    case KEY_STRINGS:
        add_array(schema, key);
        break;
    case KEY_STRINGS_BY_NAME:
        json_object_set_new(schema, "type", json_string("object"));
        json_object_set_new(schema, "propertyNames", with_pattern(json_object(), key));
        json_object_set_new(schema, "additionalProperties", json_pack("{s:s}", "type", "string"));
        break;
    case KEY_WHOLE_BY_LANGUAGE:
        add_languages(schema, json_object());
        add_number(json_object_get(schema, "additionalProperties"), key);
        break;
    case KEY_LANGUAGES:
        add_languages(schema, new_language());
        break;
    case KEY_OBJECT:
        add_object(schema, key->members);
        break;
    case KEY_STRING_OR_OBJECT:
        add_string_or_object(schema, key);
        break;
    case KEY_PORTS:
        add_ports(schema, key);
        break;
    case KEY_HOSTS:
        add_hosts(schema, key);
        break;
    case KEY_CREDENTIALS:
        add_credentials(schema, key);
        break;
    case KEY_TOOL_SERVERS:
    case KEY_MCP_SERVERS:
        add_servers(schema, key);
        break;
    }
}

/* Returns the schema of a key. */
static json_t *value_of(const struct config_key *key)
{
    json_t *schema =
        json_pack("{s:s, s:s}", "title", key->rule->title, "description", key->rule->description);

    add_value(schema, key);
    if (key->schema) {
        json_t *more = json_loads(key->schema, 0, NULL);

        if (json_object_update_new(schema, more) != 0)
            abort(); /* the table is wrong */
    }
    return schema;
}

/* Adds the keys of a level to the properties of an object. */
static void add_properties(json_t *properties, enum config_level level)
{
    const struct config_key *key = NULL;

    while ((key = config_keys_next(level, key)))
        json_object_set_new(properties, key->rule->name,
                            level == CONFIG_LEVEL_LIMITS ? reference(key->rule->name)
                                                         : value_of(key));
}

static json_t *object_of(enum config_level level)
{
    json_t *properties = json_object();

    add_properties(properties, level);
    if (level == CONFIG_LEVEL_LANGUAGE)
        add_properties(properties, CONFIG_LEVEL_LIMITS);
    return json_pack("{s:s, s:b, s:o}", "type", "object", "additionalProperties", 0, "properties",
                     properties);
}

/*
 * Returns the definitions that several places refer to: languageName, each limit, limits, language,
 * reachableHosts.
 */
static json_t *definitions(void)
{
    json_t *all = json_pack("{s:{s:s, s:s}}", "languageName", "type", "string", "pattern",
                            "^[A-Za-z0-9+#._-]+$");
    const struct config_key *key = NULL;

    while ((key = config_keys_next(CONFIG_LEVEL_LIMITS, key)))
        json_object_set_new(all, key->rule->name, value_of(key));
    json_object_set_new(all, "limits", object_of(CONFIG_LEVEL_LIMITS));
    json_object_set_new(all, "language", object_of(CONFIG_LEVEL_LANGUAGE));
    json_object_set_new(all, HOSTS, object_of(CONFIG_LEVEL_NETWORK));
    json_object_set_new(json_object_get(all, HOSTS), "dependentRequired",
                        json_pack("{s:[s]}", "credentials", "allow"));
    return all;
}

/* Whether the built-in value is the default wherever the file is. */
static bool has_default(const struct config_key *key, const json_t *value)
{
    return value && key->rule->type != KEY_PATH && !json_is_object(value);
}

json_t *config_schema(const struct config *built_in)
{
    const struct config_key *key = NULL;
    json_t *properties = json_object();

    while ((key = config_keys_next(CONFIG_LEVEL_TOP, key))) {
        json_t *schema = value_of(key);
        json_t *value = json_object_get(built_in->layers[0].root, key->rule->name);

        if (has_default(key, value))
            json_object_set(schema, "default", value);
        if (key->rule->type == KEY_LANGUAGES)
            json_object_set_new(schema, "properties", built_in_languages(built_in));
        json_object_set_new(properties, key->rule->name, schema);
    }
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:b, s:o, s:o}", "$schema",
        "https://json-schema.org/draft/2020-12/schema", "title", "isolator_config.json",
        "description",
        "Configuration of isolator. A file is laid over the built-in configuration and "
        "holds only what differs; see isolator_config.json(5).",
        "type", "object", "additionalProperties", 0, "properties", properties, "$defs",
        definitions());
}
