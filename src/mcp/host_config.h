/*
 * The entry for this server in the configuration of an MCP host, and what else helps to add it.
 */
#ifndef MCP_HOST_CONFIG_H
#define MCP_HOST_CONFIG_H

#include <jansson.h>

#include "base/error.h"
#include "mcp/hosts.h"

/* How the host is to start the server. Everything is borrowed. */
struct host_config_options {
    /*
     * The destination of ssh(1), for a server on another machine, where it is the isolator-mcp of
     * the PATH and gets no variables; NULL: this program with the variables that select the engine.
     */
    const char *ssh;
    const char *config; /* value of --config; NULL: none */
    const char *inputs; /* value of --inputs; NULL: none */
    const char *audit;  /* value of --audit; NULL: none */
    double max_timeout; /* seconds that a call may ask for at most; NAN: any, or not known */
};

struct host_config {
    json_t *document; /* all of the file that concerns the server, as an object */
    char *entry;      /* `document` as text in the format of the file; ends with a line feed */
    char *command;    /* the host's own command that adds the entry; NULL: it has none */
    int ends; /* seconds after which the host ends a call that may take longer; 0: none may */
    int fits; /* the max_timeout that it would not end */
};
#define HOST_CONFIG_INIT                                                                           \
    {                                                                                              \
        NULL, NULL, NULL, 0, 0                                                                     \
    }

/*
 * Fills in an empty `made`. A call may take some seconds more than its program, and an hour if
 * there is no maximum. -1 with ERROR_USAGE if ssh would take the destination for an option, with
 * ERROR_CONFIG if a path is not UTF-8, which the formats require, and with ERROR_SYSTEM if the path
 * of this program is unknown.
 */
int host_config_make(const struct host *host, const struct host_config_options *options,
                     struct host_config *made, struct error *error);
void host_config_release(struct host_config *made);

/* The entry of the server in the document, and the key of the object that it is in; borrowed. */
json_t *host_config_server(const struct host_config *made);
const char *host_config_servers_key(const struct host_config *made);

/*
 * Returns the entry that replaces a former one, a new reference. What says how the server is
 * started and how long a call may take is that of `made`; variables are added to the former ones.
 * All else of a former object stays: what a person has added, and what the host lets a person
 * choose, which are the booleans and lists of the row. What is no object is replaced.
 */
json_t *host_config_merge(const struct host *host, const struct host_config *made, json_t *former);

#endif
