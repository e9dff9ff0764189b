#include "config/language_names.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/strbuf.h"

bool language_name_is_valid(const char *name)
{
    static const char characters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+#._-";

    return *name != '\0' && name[strspn(name, characters)] == '\0';
}

/* Whether the file with this root gives the aliases of the language. */
static bool gives_aliases(const json_t *root, const struct language *language)
{
    const json_t *object = json_object_get(json_object_get(root, "languages"), language->name);

    return json_object_get(object, "aliases") != NULL;
}

static int refuse(struct json_reader *reader, const struct language *language, const char *alias,
                  const char *what)
{
    return error_set(reader->error, ERROR_CONFIG, "%s: languages.%s.aliases: '%s' is %s",
                     reader->file, language->name, alias, what);
}

/* Removes the aliases that are names of languages, which the file itself must not give. */
static int drop_replaced(const struct config *config, struct language *language, bool given,
                         struct json_reader *reader)
{
    CLEANUP(strvec_release) struct strvec all = language->aliases;

    language->aliases = (struct strvec)STRVEC_INIT;
    for (size_t i = 0; i < all.count; i++) {
        if (!config_language(config, all.items[i]))
            strvec_push(&language->aliases, all.items[i]);
        else if (given)
            return refuse(reader, language, all.items[i], "the name of a language");
    }
    return 0;
}

/* Refuses an alias that the file gives and another language has too. */
static int check_unique(const struct config *config, const struct language *language,
                        struct json_reader *reader)
{
    for (size_t i = 0; i < config->language_count; i++) {
        const struct language *other = &config->languages[i];

        for (size_t k = 0; other != language && k < language->aliases.count; k++) {
            const char *alias = language->aliases.items[k];
            CLEANUP_FREE char *what = string_format("an alias of %s too", other->name);

            if (strvec_contains(&other->aliases, alias))
                return refuse(reader, language, alias, what);
        }
    }
    return 0;
}

int language_names_resolve(struct config *config, const json_t *root, struct json_reader *reader)
{
    for (size_t i = 0; i < config->language_count; i++) {
        struct language *language = &config->languages[i];

        if (drop_replaced(config, language, gives_aliases(root, language), reader) != 0)
            return -1;
    }
    for (size_t i = 0; i < config->language_count; i++) {
        const struct language *language = &config->languages[i];

        if (gives_aliases(root, language) && check_unique(config, language, reader) != 0)
            return -1;
    }
    return 0;
}
