/*
 * The tools that a server lists (MCP 2025-11-25, server/tools), as they were at one moment. A
 * server is not trusted: names and counts are bounded, what does not fit is left out and counted.
 */
#ifndef TOOLS_UPSTREAM_TOOLS_H
#define TOOLS_UPSTREAM_TOOLS_H

#include <jansson.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* Tools of a list, bytes of a name. */
enum { UPSTREAM_TOOLS_MAX = 1000, TOOL_NAME_MAX = 128 };

struct tool_entry {
    char *name;              /* [A-Za-z0-9_.-]{1,128}; unique */
    char *title;             /* any text; NULL: none */
    char *description;       /* any text; NULL: none */
    json_t *input_schema;    /* an object, {} if the server sends none; not to be changed */
    json_t *output_schema;   /* an object, not to be changed; NULL: none */
    bool has_read_only_hint; /* its annotations say readOnlyHint: true, which may be a lie */
};

struct upstream_tools {
    atomic_int references;
    struct tool_entry *items; /* in the order of the server */
    size_t count;
    size_t dropped; /* with bad names, twice, or too many */
};

/* Returns an empty list, with one reference. */
struct upstream_tools *upstream_tools_new(void);

/* Adds the tools of a page, an array. Before the list is shared. */
void upstream_tools_add(struct upstream_tools *list, const json_t *tools);

/*
 * Returns the same list, with one more reference. A shared list does not change, and each thread
 * may read it while it has a reference; but it does not take references of the values in it.
 */
struct upstream_tools *upstream_tools_share(struct upstream_tools *list);

/* Gives a reference back, and leaves NULL, which is allowed too. For CLEANUP(). */
void upstream_tools_release(struct upstream_tools **list);

/* Returns the tool of this name, borrowed; NULL if there is none. */
const struct tool_entry *upstream_tools_find(const struct upstream_tools *list, const char *name);

bool tool_name_is_valid(const char *name);

#endif
