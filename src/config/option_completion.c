#include "config/option_completion.h"

#include <string.h>

#include "base/cleanup.h"

/* What an argument's name says about its values. */
static const struct {
    const char *argument;
    enum option_values values;
} arguments[] = {
    {"FILE", VALUES_FILES},
    {"PATH", VALUES_FILES},
    {"DIR", VALUES_DIRECTORIES},
    {"IMAGE", VALUES_IMAGES},
};

/* A line that begins with a colon stands for paths. */
static bool is_safe(const char *candidate)
{
    static const char safe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                               "@%+,._:/-";

    return *candidate && *candidate != ':' && candidate[strspn(candidate, safe)] == '\0';
}

void option_completion_add(struct option_completion *completion, const char *candidate,
                           const char *description)
{
    const char *typed = completion->word + completion->value_at;

    if (!is_safe(candidate) || strncmp(candidate, typed, strlen(typed)) != 0)
        return;
    strbuf_add(&completion->lines, completion->word, completion->value_at);
    strbuf_addstr(&completion->lines, candidate);
    if (description)
        strbuf_addf(&completion->lines, "\t%s", description);
    strbuf_addch(&completion->lines, '\n');
}

void option_completion_add_list(struct option_completion *completion, const char *list)
{
    static const char separators[] = ", ";

    while (*(list += strspn(list, separators))) {
        const size_t length = strcspn(list, separators);
        CLEANUP_FREE char *candidate = string_format("%.*s", (int)length, list);

        option_completion_add(completion, candidate, NULL);
        list += length;
    }
}

static void add_values(struct option_completion *completion, enum option_values values)
{
    if (values == VALUES_FILES)
        strbuf_addstr(&completion->lines, ":files\n");
    else if (values == VALUES_DIRECTORIES)
        strbuf_addstr(&completion->lines, ":directories\n");
    else
        completion->values = values;
}

static void add_values_of(struct option_completion *completion, const struct option_rule *rule)
{
    enum option_values values = rule->values;

    if (rule->choices) {
        option_completion_add_list(completion, rule->choices);
        return;
    }
    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++)
        if (values == VALUES_UNKNOWN &&
            strcmp(option_text(rule)->argument, arguments[i].argument) == 0)
            values = arguments[i].values;
    add_values(completion, values);
}

static const struct option_rule *find_name(const struct option_table *table, const char *name,
                                           size_t length)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct option_rule *rule = &table->rules[i];

        if (options_has(table, rule) && strlen(option_text(rule)->name) == length &&
            memcmp(option_text(rule)->name, name, length) == 0)
            return rule;
    }
    return NULL;
}

/* The option whose value is the word after this one: "--name", "-x", or "-vx" after a flag. */
static const struct option_rule *option_before_value(const struct option_table *table,
                                                     const char *word)
{
    const struct option_rule *rule;

    if (strncmp(word, "--", 2) == 0) {
        rule = find_name(table, word, strlen(word));
        return rule && option_text(rule)->argument && !option_value_is_optional(rule) ? rule : NULL;
    }
    if (word[0] != '-')
        return NULL;
    for (const char *letter = word + 1; *letter; letter++) {
        rule = options_with_letter(table, *letter);
        if (!rule)
            return NULL;
        if (option_text(rule)->argument)
            return letter[1] ? NULL : rule;
    }
    return NULL;
}

/* The word begins with "-". */
static void add_options(struct option_completion *completion, const struct option_table *table)
{
    const size_t length = strcspn(completion->word, "=");
    const struct option_rule *rule;

    if (completion->word[length] == '=') {
        rule = find_name(table, completion->word, length);
        completion->value_at = length + 1;
        if (rule && option_text(rule)->argument)
            add_values_of(completion, rule);
        return;
    }
    for (size_t i = 0; i < table->count; i++) {
        rule = &table->rules[i];
        if (options_has(table, rule))
            option_completion_add(completion, option_text(rule)->name, option_text(rule)->help);
    }
}

void option_completion_find(struct option_completion *completion, const struct option_table *table,
                            char *const *words)
{
    static const char config[] = "--config";
    const struct option_rule *before = NULL; /* the option whose value is the next word */

    for (; words[1]; words++) {
        if (before && strcmp(option_text(before)->name, config) == 0)
            completion->config = *words;
        else if (!before && strncmp(*words, config, strlen(config)) == 0 &&
                 (*words)[strlen(config)] == '=')
            completion->config = *words + strlen(config) + 1;
        if (!before && strcmp(*words, "--") == 0) {
            while (words[1])
                words++;
            completion->word = *words;
            add_values(completion, table->has_rest ? VALUES_FILES : table->operands);
            return;
        }
        before = before ? NULL : option_before_value(table, *words);
    }
    completion->word = *words;
    if (before)
        add_values_of(completion, before);
    else if (completion->word[0] == '-')
        add_options(completion, table);
    else
        add_values(completion, table->operands);
}

char **option_completion_words(char **argv)
{
    for (int i = 0; i < 4; i++)
        if (!argv[i])
            return NULL;
    return strcmp(argv[1], "complete") == 0 && strcmp(argv[2], "--") == 0 ? argv + 3 : NULL;
}

void option_completion_release(struct option_completion *completion)
{
    strbuf_release(&completion->lines);
}
