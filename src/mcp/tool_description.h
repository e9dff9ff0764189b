/*
 * The description of execute_code, which a model reads before it calls: the rules, then the
 * languages with their limits and packages.
 */
#ifndef MCP_TOOL_DESCRIPTION_H
#define MCP_TOOL_DESCRIPTION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"
#include "base/strvec.h"
#include "config/config.h"

/* What the engine has for the languages, by their indexes. Both arrays or none. */
struct tool_languages {
    bool *offered;    /* they can run; NULL: all are offered, since it is not known */
    bool *unprepared; /* they can run, but their prepared image is missing */
};

/* The description; owned by the caller. */
char *tool_description(const struct config *config, const struct tool_languages *languages);

/* Whether a program in some offered language reaches a network, hosts or tools; `offered` as above.
 */
bool tool_reaches_network(const struct config *config, const bool *offered);

/*
 * Adds the names of the packages in an image, `start` and as many as fit into `max` bytes, as in
 * "; packages: numpy, pandas and 7 more". Without packages it adds nothing.
 */
void tool_add_packages(struct strbuf *text, const char *start, const struct strvec *packages,
                       size_t max);

#endif
