/*
 * The MCP hosts that isolator-mcp knows: how each one's configuration lists a server. One row of a
 * table says all about a host; what is printed for it is made in mcp/host_config.h.
 */
#ifndef MCP_HOSTS_H
#define MCP_HOSTS_H

#include "base/error.h"

/*
 * `entry` and `command` are JSON with these placeholders:
 *
 * "{command}"       the program that the host starts
 * "{args}"          its arguments, an array; in `command` several words
 * "{command line}"  both, an array; in `command` several words
 * "{env}"           the variables that it needs, an object; a member without any is left out
 * "{env options}"   in `command`: --env NAME=VALUE for each variable
 * "{dashed args}"   in `command`: "--" and the arguments, if there are any
 * "{server}"        in `command`: the entry of the server, with its name, as JSON
 * "{s}", "{ms}"     how long a call may take, in seconds or milliseconds
 */
struct host {
    const char *name;
    /*
     * The user's file: its directory, "~/..." or a variable's value if that is an absolute path,
     * and its name in there. NULL: the entry goes into a dialog.
     */
    const char *directory, *variable, *file;
    const char *also; /* where the entry can go as well, or instead; NULL: nowhere */
    enum host_format { HOST_JSON, HOST_TOML, HOST_YAML } format;
    const char *entry;   /* all of the file that concerns the server, as an object */
    const char *command; /* the command that adds it, as an array of words; NULL: none */
    const char *note;    /* what else a person has to know, without the name; NULL: nothing */
    int ends;    /* seconds after which it ends a call if the entry does not say; 0: never */
    int longest; /* seconds that the entry may say; 0: it has no timeout */
};

/*
 * Returns the row. NULL with ERROR_USAGE, which names the option, the nearest host and all hosts,
 * if there is none.
 */
const struct host *hosts_find(const char *name, const char *option, struct error *error);

/* "claude-desktop, vscode, ..."; owned by the caller. */
char *hosts_names(void);

/* Where the entry belongs, for people: "~/.cursor/mcp.json, or ..."; owned by the caller. */
char *host_place(const struct host *host);

/*
 * The path of the user's file, of a host that has one; owned by the caller. NULL: it is in the home
 * directory, and HOME does not name that by an absolute path.
 */
char *host_path(const struct host *host);

#endif
