#include "config/options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "base/strbuf.h"
#include "base/text.h"

/* The code of an option for getopt_long() is OPTION_CODE + its index; 1 is an operand. */
enum { OPTION_CODE = 256, OPERAND = 1 };

/* What getopt_long() needs. */
struct getopt_tables {
    struct option longs[OPTIONS_MAX + 1];
    char shorts[2 * OPTIONS_MAX + 3];
};

bool options_has(const struct option_table *table, const struct option_rule *rule)
{
    return rule->commands == 0 || (rule->commands & table->commands);
}

const struct option_text *option_text(const struct option_rule *rule)
{
    return rule->text.name ? &rule->text : rule->shared;
}

bool option_value_is_optional(const struct option_rule *rule)
{
    return option_text(rule)->argument && option_text(rule)->argument[0] == '[';
}

static void make_getopt_tables(const struct option_table *table, struct getopt_tables *tables)
{
    struct option *longs = tables->longs;
    char *shorts = tables->shorts;

    /* "-" returns operands in order; ":" returns errors instead of printing them */
    *shorts++ = '-';
    *shorts++ = ':';
    for (size_t i = 0; i < table->count && i < OPTIONS_MAX; i++) {
        const struct option_rule *rule = &table->rules[i];
        const struct option_text *text = option_text(rule);

        if (!options_has(table, rule))
            continue;
        *longs++ = (struct option){text->name + 2,
                                   !text->argument                  ? no_argument
                                   : option_value_is_optional(rule) ? optional_argument
                                                                    : required_argument,
                                   NULL, OPTION_CODE + (int)i};
        if (!text->letter)
            continue;
        *shorts++ = (char)text->letter;
        if (text->argument)
            *shorts++ = ':';
    }
    *longs = (struct option){NULL, 0, NULL, 0};
    *shorts = '\0';
}

const struct option_rule *options_with_letter(const struct option_table *table, int letter)
{
    for (size_t i = 0; i < table->count; i++)
        if (options_has(table, &table->rules[i]) && option_text(&table->rules[i])->letter == letter)
            return &table->rules[i];
    return NULL;
}

static const struct option_rule *find_rule(const struct option_table *table, int code)
{
    return code >= OPTION_CODE ? &table->rules[code - OPTION_CODE]
                               : options_with_letter(table, code);
}

/* ---- what is wrong */

/* Whether the argument is only the start of the long option as which getopt_long() has read it. */
static bool is_abbreviated(const struct option_rule *rule, const char *argument)
{
    const char *name = option_text(rule)->name;
    const size_t length = strcspn(argument, "=");

    return strncmp(argument, "--", 2) == 0 &&
           (strlen(name) != length || memcmp(name, argument, length) != 0);
}

/* The advice about an option of another program; NULL: none. */
static const char *advice_on_other(const struct option_table *table, const char *argument)
{
    const size_t length = strcspn(argument, "=");

    for (const struct option_other *other = table->others; other && other->name; other++)
        if (strlen(other->name) == length && strncmp(other->name, argument, length) == 0)
            return other->advice;
    return NULL;
}

static int refuse_unknown(const struct option_table *table, const char *argument, bool has_operand,
                          struct error *error)
{
    const char *const advice = advice_on_other(table, argument);
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;
    CLEANUP_FREE char *escaped = text_escape(argument);
    CLEANUP_FREE char *name = string_copy(argument + strspn(argument, "-"));
    const char *nearest = NULL;

    if (advice)
        return error_set(error, ERROR_USAGE, "unknown option '%s'; %s", escaped, advice);
    name[strcspn(name, "=")] = '\0';
    for (size_t i = 0; i < table->count; i++)
        if (options_has(table, &table->rules[i]))
            strvec_push(&names, option_text(&table->rules[i])->name + 2);
    if (strncmp(argument, "--", 2) == 0)
        nearest = text_nearest(name, (const char *const *)names.items, names.count);
    if (nearest)
        return error_set(error, ERROR_USAGE, "unknown option '%s'; did you mean --%s?", escaped,
                         nearest);
    if (table->has_rest && has_operand)
        return error_set(error, ERROR_USAGE,
                         "unknown option '%s'; put the program's arguments after --", escaped);
    return error_set(error, ERROR_USAGE, "unknown option '%s'; see %s --help", escaped,
                     table->command);
}

/* `code` is what getopt_long() has returned about the argument: ':', '?' or an abbreviation. */
static int refuse_option(const struct option_table *table, int code, const char *argument,
                         bool has_operand, struct error *error)
{
    const bool is_long = strncmp(argument, "--", 2) == 0;
    const char letter[] = {'-', (char)optopt, '\0'};

    if (code == ':' && !is_long)
        return error_set(error, ERROR_USAGE, "option '%s' needs a value", letter);
    if ((code == ':' || code == '?') && optopt >= OPTION_CODE)
        return error_set(error, ERROR_USAGE, "option '%s' %s",
                         option_text(find_rule(table, optopt))->name,
                         code == ':' ? "needs a value" : "takes no value");
    /* the whole argument if optopt is only one byte of a character of several */
    return refuse_unknown(table, is_long || optopt <= 0 || optopt >= 0x80 ? argument : letter,
                          has_operand, error);
}

int options_refuse_operand(const struct option_table *table, const char *operand,
                           struct error *error)
{
    CLEANUP_FREE char *escaped = text_escape(operand);

    return error_set(error, ERROR_USAGE, "unexpected argument '%s'; see %s --help", escaped,
                     table->command);
}

/* ---- reading */

static int set_whole(const struct option_rule *rule, const char *value, int *place,
                     struct error *error)
{
    double number;

    if (number_parse(value, "", &number, error) != 0)
        return -1;
    if (!(number >= rule->least && number <= rule->most) || number != (int)number)
        return error_set(error, ERROR_USAGE, "must be a whole number from %d to %d", rule->least,
                         rule->most);
    *place = (int)number;
    return 0;
}

static int apply_option(const struct option_rule *rule, const char *value, void *values,
                        struct error *error)
{
    void *place = (char *)values + rule->place;

    switch (rule->kind) {
    case OPTION_RAISES:
        *(bool *)place = true;
        return 0;
    case OPTION_COUNTS:
        if (!value) {
            *(int *)place = rule->without_value;
            return 0;
        }
        return set_whole(rule, value, place, error);
    case OPTION_SETS:
        *(const char **)place = value;
        return 0;
    case OPTION_COPIES:
        free(*(char **)place);
        *(char **)place = string_copy(value);
        return 0;
    case OPTION_LIMITS:
        return limits_parse_number(place, rule->limit, value, error);
    case OPTION_CALLS:
        break;
    }
    return rule->apply(place, value, error);
}

/* Completes an error about a value of the option. */
static int name_error(const struct option_rule *rule, const char *value, struct error *error)
{
    if (rule->mistaken && !strchr("-.0123456789", *value))
        error_hint(error, rule->mistaken);
    if (!error->subject)
        return error_prefix(error, "%s", option_text(rule)->name);
    error_rename_subject(error, option_text(rule)->name);
    return -1;
}

/* As getopt_long() of glibc, which returns "-" as an operand; that of musl ends there. */
static int next_option(int argc, char **argv, const struct getopt_tables *tables, int at)
{
    const int code = getopt_long(argc, argv, tables->shorts, tables->longs, NULL);

    if (code != -1 || !argv[at] || strcmp(argv[at], "-") != 0)
        return code;
    optarg = argv[optind++];
    return OPERAND;
}

int options_parse(const struct option_table *table, int argc, char **argv, void *values,
                  struct strvec *operands, struct strvec *rest, struct error *error)
{
    const size_t before = operands->count;
    struct getopt_tables tables = {.shorts = ""};
    const struct option_rule *rule;

    make_getopt_tables(table, &tables);
    opterr = 0;
    optind = 0; /* restart: works with glibc and musl */
    for (;;) {
        const int at = optind > 0 ? optind : 1; /* the current argument, for messages */
        const int code = next_option(argc, argv, &tables, at);

        if (code == -1)
            break;
        if (code == OPERAND) {
            strvec_push(operands, optarg);
            continue;
        }
        rule = code == ':' || code == '?' ? NULL : find_rule(table, code);
        if (!rule || is_abbreviated(rule, argv[at]))
            return refuse_option(table, code, argv[at], operands->count > before, error);
        if (apply_option(rule, optarg, values, error) != 0)
            return name_error(rule, optarg, error);
        if (option_text(rule)->letter == 'h')
            return 0;
    }
    for (int i = optind; i < argc; i++)
        strvec_push(table->has_rest ? rest : operands, argv[i]);
    return 0;
}

static const char *subject_of(const struct option_rule *rule)
{
    return rule->key ? rule->key->name : rule->subject;
}

const char *options_name(const struct option_table *table, const char *subject)
{
    for (size_t i = 0; i < table->count; i++) {
        const char *own = subject_of(&table->rules[i]);

        if (own && strcmp(own, subject) == 0)
            return option_text(&table->rules[i])->name;
    }
    return NULL;
}

/* ---- --help and the manual */

/* "--memory MB", "--read-only[=BOOL]". */
static char *form_of(const struct option_rule *rule)
{
    const struct option_text *text = option_text(rule);

    if (!text->argument)
        return string_copy(text->name);
    if (option_value_is_optional(rule))
        return string_format("%s[=%s", text->name, text->argument + 1);
    return string_format("%s %s", text->name, text->argument);
}

static void add_help(struct strbuf *help, const struct option_rule *rule, int width)
{
    const struct option_text *text = option_text(rule);
    const char letter[] = {'-', (char)text->letter, ',', '\0'};
    CLEANUP_FREE char *form = form_of(rule);

    strbuf_addf(help, "  %-3s %-*s  %s", text->letter ? letter : "", width, form, text->help);
    if (text->by_default)
        strbuf_addf(help, " (%s)", text->by_default);
    strbuf_addch(help, '\n');
}

char *options_help(const struct option_table *table)
{
    struct strbuf help = STRBUF_INIT;
    int width = 0;

    for (size_t i = 0; i < table->count; i++) {
        CLEANUP_FREE char *form = form_of(&table->rules[i]);

        if (options_has(table, &table->rules[i]) && (int)strlen(form) > width)
            width = (int)strlen(form);
    }
    strbuf_addf(&help, "%s\n", table->usage);
    for (size_t i = 0; i < table->count; i++)
        if (options_has(table, &table->rules[i]))
            add_help(&help, &table->rules[i], width);
    strbuf_addch(&help, '\n');
    if (table->example)
        strbuf_addf(&help, "Example: %s\n", table->example);
    strbuf_addstr(&help, table->after);
    return strbuf_steal(&help);
}

char *options_manual(const struct option_table *table)
{
    struct strbuf manual = STRBUF_INIT;

    for (size_t i = 0; i < table->count; i++) {
        const struct option_rule *rule = &table->rules[i];
        const struct option_text *text = option_text(rule);
        CLEANUP_FREE char *form = form_of(rule);

        if (!options_has(table, rule))
            continue;
        strbuf_addf(&manual, "= %c %s\n%s\n", text->letter ? text->letter : '-', form,
                    text->manual || !rule->key ? text->manual : rule->key->description);
        if (text->by_default)
            strbuf_addf(&manual, "The default is %s.\n", text->by_default);
    }
    return strbuf_steal(&manual);
}
