#include "cli/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strvec.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "cli/exit_status.h"
#include "cli/print.h"
#include "cli/safe_json.h"
#include "config/config.h"
#include "config/config_layers.h"
#include "config/config_load.h"
#include "config/config_schema.h"
#include "results_schema.h" /* generated: static const char results_schema[] */

/* The maximum width of the first column. Longer lines push their origin to the right. */
enum { COLUMN_WIDTH_MAX = 60 };

struct config_options {
    struct common_options common;
    bool json, schema;
};

/* The lines "KEY = VALUE" and the origin of each. */
struct value_table {
    const struct config *config;
    struct strvec lines, origins;
};

static const struct option_rule config_rules[] = {
    {{0, "--json", NULL, "print it as one configuration file instead", NULL,
      "Print the configuration as one JSON object instead. It is a complete configuration file, "
      "and reading it gives the same configuration."},
     OPTION_FLAG(struct config_options, json)},
    {{0, "--schema", NULL, "print the JSON Schema of files, or of results, instead", NULL,
      "Print the JSON Schema (draft 2020-12) of configuration files instead, whatever the "
      "configuration is. An editor that reads it completes keys and marks mistakes; see "
      "*$schema* in isolator_config.json(5). With the argument *results* print that of what "
      "'isolator run', test, session and batch print as JSON."},
     OPTION_FLAG(struct config_options, schema)},
    COMMAND_OPTION_CONFIG,
    COMMAND_OPTION_HELP,
};

static const struct option_table config_table = {
    .command = "isolator config",
    .usage = "usage: isolator config [--json] [--config FILE]\n"
             "       isolator config --schema [config | results]\n"
             "\n"
             "Prints the configuration after all files are merged: one line per value, with\n"
             "the file that it comes from.\n",
    .example = "isolator config --schema >isolator.schema.json",
    .after = "Exit status: 0 success, 2 wrong command line or configuration, 3 output error.\n"
             "See isolator-config(1).\n",
    OPTION_RULES(config_rules)};

/* --schema works without a valid configuration, because it helps to fix it. */
static int config_without_config(void *context, struct error *error)
{
    const struct config_options *options = context;

    if (!options->schema)
        return -1;
    error_release(error);
    return 0;
}

static void add_value(void *context, const char *path, const json_t *value,
                      const struct config_layer *origin)
{
    struct value_table *table = context;
    const struct config *config = table->config;
    CLEANUP_FREE char *key = text_escape(path);
    CLEANUP_FREE char *file = text_escape(origin->name);
    struct strbuf line = STRBUF_INIT;

    strbuf_addf(&line, "%s = ", key);
    safe_json_dump(value, JSON_ENCODE_ANY | SAFE_JSON_FLAGS, safe_json_add, &line);
    strvec_push_owned(&table->lines, strbuf_steal(&line));
    strvec_push(&table->origins, origin == config->layers             ? "built in"
                                 : config->origin == CONFIG_INSTALLED ? "installed default"
                                                                      : file);
}

static void print_values(const struct config *config, const json_t *resolved)
{
    struct value_table table = {.config = config, .lines = STRVEC_INIT, .origins = STRVEC_INIT};
    int width = 0;

    config_walk(config, resolved, add_value, &table);
    for (size_t i = 0; i < table.lines.count; i++) {
        const size_t length = strlen(table.lines.items[i]);

        if (length <= COLUMN_WIDTH_MAX && (int)length > width)
            width = (int)length;
    }
    for (size_t i = 0; i < table.lines.count; i++)
        print_format("%-*s  # %s\n", width, table.lines.items[i], table.origins.items[i]);
    strvec_release(&table.lines);
    strvec_release(&table.origins);
}

/* Prints the JSON Schema. It does not depend on the file that was read. */
static int print_schema(struct error *error)
{
    CLEANUP(config_release) struct config built_in;
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
    json_t *schema;

    config_init(&built_in);
    if (config_load_built_in(&built_in, error) != 0)
        return -1;
    schema = config_schema(&built_in);
    safe_json_dump(schema, JSON_INDENT(2) | JSON_REAL_PRECISION(10), safe_json_add, &text);
    print_format("%s\n", text.data);
    json_decref(schema);
    return EXIT_STATUS_SUCCESS;
}

static int print_schema_of(const char *what, struct error *error)
{
    CLEANUP_FREE char *escaped = text_escape(what);

    if (strcmp(what, "config") == 0)
        return print_schema(error);
    if (strcmp(what, "results") != 0)
        return error_set(error, ERROR_USAGE, "--schema: '%s' is not config or results", escaped);
    print_text(results_schema);
    return EXIT_STATUS_SUCCESS;
}

static int run_config_command(void *context, char **operands, const struct config *config,
                              struct error *error)
{
    const struct config_options *options = context;
    json_t *resolved;

    if (options->json && options->schema)
        return error_set(error, ERROR_USAGE, "--json and --schema cannot be used together");
    if (options->schema)
        return print_schema_of(operands[0] ? operands[0] : "config", error);
    if (operands[0])
        return options_refuse_operand(&config_table, operands[0], error);
    resolved = config_resolved(config, error);
    if (!resolved)
        return -1;
    if (options->json)
        safe_json_print(resolved, true);
    else
        print_values(config, resolved);
    json_decref(resolved);
    return EXIT_STATUS_SUCCESS;
}

const struct command_line config_command = {.options_size = sizeof(struct config_options),
                                            .options = &config_table,
                                            .operands_max = 1,
                                            .without_config = config_without_config,
                                            .run = run_config_command,
                                            .output = "configuration"};
