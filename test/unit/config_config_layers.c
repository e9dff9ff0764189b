#include "test.h"

#include "config/config_layers.h"
#include "config/config_read.h"

static void overlay(struct config *config, const char *name, const char *json)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;

    config_overlay(config, json, strlen(json), name, &error);
    assert_no_error(&error);
}

static void note(void *context, const char *path, const json_t *value,
                 const struct config_layer *origin)
{
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);

    strbuf_addf(context, "%s=%s (%s) ", path, text, origin->name);
    free(text);
}

/* The values of these three layers, in one line, and the whole as JSON. */
static void check(const char *first, const char *second, const char *third, const char *values,
                  const char *whole)
{
    CLEANUP(strbuf_release) struct strbuf seen = STRBUF_INIT;
    struct error error = ERROR_INIT;
    struct config config;
    json_t *resolved;
    char *text;

    config_init(&config);
    overlay(&config, "a", first);
    overlay(&config, "b", second);
    overlay(&config, "c", third);
    resolved = config_resolved(&config, &error);
    assert_no_error(&error);
    config_walk(&config, resolved, note, &seen);
    assert_string_equal(strbuf_string(&seen), values);
    text = json_dumps(resolved, JSON_COMPACT);
    assert_string_equal(text, whole);
    free(text);
    json_decref(resolved);
    config_release(&config);
}

CASE(config_layers__last_one_decides)
{
    check("{\"maxQueued\":1,\"maxTextBytes\":1000}", "{\"maxTextBytes\":2000}", "{\"maxQueued\":1}",
          "maxQueued=1 (c) maxTextBytes=2000 (b) ", "{\"maxQueued\":1,\"maxTextBytes\":2000}");
    check("{}", "{}", "{}", "", "{}");
}

CASE(config_layers__objects_are_merged_and_arrays_replaced)
{
    check("{\"defaults\":{\"memoryMB\":10,\"capDrop\":[\"A\",\"B\"]}}",
          "{\"defaults\":{\"capDrop\":[\"C\"]},\"maximums\":{}}", "{\"defaults\":{\"cpus\":2}}",
          "defaults.memoryMB=10 (a) defaults.capDrop=[\"C\"] (b) defaults.cpus=2 (c) maximums={} "
          "(b) ",
          "{\"defaults\":{\"memoryMB\":10,\"capDrop\":[\"C\"],\"cpus\":2},\"maximums\":{}}");
    check("{\"maximums\":{}}", "{\"maximums\":{\"cpus\":1}}", "{\"maximums\":{}}",
          "maximums.cpus=1 (b) ", "{\"maximums\":{\"cpus\":1}}");
}

/* A later layer does not change an earlier one, whose values are the origins. */
CASE(config_layers__can_be_resolved_twice)
{
    struct error error = ERROR_INIT;
    struct config config;
    json_t *once, *twice;

    config_init(&config);
    overlay(&config, "a", "{\"defaults\":{\"memoryMB\":10}}");
    overlay(&config, "b", "{\"defaults\":{\"memoryMB\":20}}");
    once = config_resolved(&config, &error);
    twice = config_resolved(&config, &error);
    assert_true(json_equal(once, twice));
    assert_int_equal(json_integer_value(json_object_get(
                         json_object_get(config.layers[0].root, "defaults"), "memoryMB")),
                     10);
    json_decref(once);
    json_decref(twice);
    config_release(&config);
}

CASE(config_layers__refused_texts_are_none)
{
    const char wrong[] = "{\"maxQueued\": 5, \"bogus\": 1}";
    struct error error = ERROR_INIT;
    struct config config;

    config_init(&config);
    assert_int_equal(config_overlay(&config, wrong, strlen(wrong), "a", &error), -1);
    assert_error(&error, ERROR_CONFIG, "a: bogus: unknown key");
    assert_int_equal(config.layer_count, 0);
    config_release(&config);
}

CASE(config_layers__path_that_json_cannot_hold)
{
    struct error error = ERROR_INIT;
    struct config config;

    config_init(&config);
    overlay(&config, "a", "{\"promptsDir\": \"/p\"}");
    free(config.prompts_dir);
    config.prompts_dir = string_copy("/\xff");
    assert_null(config_resolved(&config, &error));
    assert_error(&error, ERROR_CONFIG, "promptsDir: the path '/\xff' is not UTF-8");
    config.inputs_dir = config.prompts_dir;
    config.prompts_dir = NULL;
    assert_null(config_resolved(&config, &error));
    assert_error(&error, ERROR_CONFIG, "inputsDir: the path '/\xff' is not UTF-8");
    config.audit_file = config.inputs_dir;
    config.inputs_dir = NULL;
    assert_null(config_resolved(&config, &error));
    assert_error(&error, ERROR_CONFIG, "auditFile: the path '/\xff' is not UTF-8");
    config_release(&config);
}

/* A list of hosts replaces the older one with its credentials, wherever it is. */
CASE(config_layers__hosts_take_credentials_away)
{
#define HOSTS "\"allow\":[{\"host\":\"a\",\"tls\":\"terminate\"}]"
#define WITH  HOSTS ",\"credentials\":[{\"host\":\"a\",\"from\":\"env:A\"}]"

    check("{\"defaults\":{\"network\":{" WITH "}}}", "{\"network\":{\"allow\":[]}}", "{}",
          "defaults.network.allow=[] (b) ", "{\"defaults\":{\"network\":{\"allow\":[]}}}");
    check("{\"defaults\":{\"network\":{" WITH "}}}", "{\"network\":{\"maxBytes\":1}}", "{}",
          "defaults.network.allow=[{\"host\":\"a\",\"tls\":\"terminate\"}] (a) "
          "defaults.network.credentials=[{\"host\":\"a\",\"from\":\"env:A\"}] (a) "
          "defaults.network.maxBytes=1 (b) ",
          "{\"defaults\":{\"network\":{" WITH ",\"maxBytes\":1}}}");
    check("{\"defaults\":{\"network\":{\"allow\":[]}}}", "{\"network\":{" WITH "}}",
          "{\"network\":{" HOSTS "}}",
          "defaults.network.allow=[{\"host\":\"a\",\"tls\":\"terminate\"}] (c) ",
          "{\"defaults\":{\"network\":{" HOSTS "}}}");
#undef HOSTS
#undef WITH
}
