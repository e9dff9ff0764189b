#include "prepare/prepare_maker.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "config/prepare_notes_file.h"
#include "container/owner.h"

/* A label is text for docker's JSON; bytes that are none are escaped. */
static void add_label(struct strvec *labels, const char *key, const char *value)
{
    CLEANUP_FREE char *escaped = text_is_utf8(value) ? string_copy(value) : text_escape(value);

    strvec_pushf(labels, "%s=%s", key, escaped);
}

/* The labels of host, user and notes. */
static void own_labels(struct strvec *labels)
{
    CLEANUP_FREE char *notes = prepare_notes_path();
    char host[256] = "";

    gethostname(host, sizeof host - 1);
    add_label(labels, MAKER_LABEL_HOST, host);
    strvec_pushf(labels, MAKER_LABEL_USER "=%u", (unsigned)getuid());
    add_label(labels, MAKER_LABEL_NOTES, notes);
}

void prepare_maker_labels(struct strvec *labels, const char *config_file)
{
    CLEANUP_FREE char *real = config_file ? realpath(config_file, NULL) : NULL;

    own_labels(labels);
    add_label(labels, MAKER_LABEL_CONFIG, real ? real : "");
}

bool prepare_maker_is_self(const struct image_details *image)
{
    CLEANUP(strvec_release) struct strvec own = STRVEC_INIT;

    own_labels(&own);
    for (size_t i = 0; i < own.count; i++)
        if (!strvec_contains(&image->labels, own.items[i]))
            return false;
    return true;
}
