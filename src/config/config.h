/*
 * The configuration in memory: which languages there are, what a sandbox gets by default and at
 * most. config/config_load.h fills it in from files.
 *
 * Files are laid over each other: one that gives only languages.python.image changes only that. The
 * JSON of each file is kept as a layer; see config/config_layers.h.
 */
#ifndef CONFIG_CONFIG_H
#define CONFIG_CONFIG_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/strvec.h"
#include "config/prepare_network.h"
#include "config/sandbox_policy.h"
#include "config/tool_servers.h"
#include "docker/docker.h"

/* Keys that messages of other folders tell people to change. */
#define CONFIG_KEY_ALLOW_UNENFORCED   "allowUnenforced"
#define CONFIG_KEY_MAX_ARTIFACTS      "maxArtifacts"
#define CONFIG_KEY_MAX_ARTIFACT_BYTES "maxArtifactBytes"

/* How an image for a language is built; see config/prepare_rules.h. */
struct preparation {
    struct strvec steps; /* shell commands, run in this order; empty: there is no preparation */
    struct strvec files; /* absolute paths of files and directories that the steps get */
    struct prepare_network network; /* of the steps */
    bool noted;  /* the steps were given to `isolator prepare` and are not in the configuration */
    bool shared; /* they are noted for all configurations, not for this one */
    char *tag;   /* of the prepared image, which runs use if it exists; NULL without steps */
};

/* What programs are and may do in addition to their limits; passed on as it is. */
struct program_traits {
    int stack_mb; /* of the stack of programs and of the build; 0: as much as their memory */
    bool netlink; /* they may open sockets of netlink; the same for all languages */
};

struct language {
    char *name;
    struct strvec aliases; /* other names, which a request may use; see config/language_names.h */
    size_t layer;          /* index of the layer that added the language; 0: it is built in */
    char *image;
    struct strvec image_versions; /* "VARIABLE=VERSION": the least that the image may state there */
    struct strvec command;        /* argv with marks; see config/command_template.h */
    struct strvec build;          /* argv with marks; empty: programs are not built */
    char *standard;               /* of {standard}; NULL or "": words with it are left out */
    char *package_standard;       /* of {standard} in problem packages; NULL: the one above */
    struct strvec session_command; /* argv with marks; empty: no interpreter stays in a session */
    struct limits build_limits;    /* partial: how they differ from those of the program */
    struct program_traits traits;
    struct strvec extensions; /* with the dot */
    char *default_filename;
    struct filename_pattern *filename_pattern; /* owned; NULL: none */
    char *hello;                               /* a program for `isolator doctor`; NULL: none */
    struct strvec environment;    /* "KEY=VALUE"; a file adds variables and replaces them by name */
    struct sandbox_policy policy; /* partial: what differs from the defaults */
    int warm;                     /* size of its pool of warm containers; see service/pool.h */
    bool ready;                   /* with a started interpreter; see run/ready_program.h */
    struct strvec preload;        /* modules that it imports before the request comes */
    struct preparation preparation;
    struct strvec list_packages; /* argv that prints the packages of the prepared image, or empty */
    struct strvec packages;      /* names of packages in the image, for models */
};

/* What the owner of the configuration allows to sessions (service/sessions.h). */
struct session_settings {
    int max;              /* that are open at once; 0: there are no sessions */
    int idle_seconds;     /* without a request, after which one ends */
    int lifetime_seconds; /* after which one ends */
    int cpu_seconds;      /* of all requests of a session, and of what runs between them */
    int output_bytes;     /* that all requests of a session may write to both streams */
};

/* What holds for jobs (service/jobs.h). */
struct job_settings {
    int keep_hours;  /* after its timeout, after which one that was not fetched is removed */
    int max_running; /* with which a model may not start one more; 0: models have no jobs */
};

/* What holds for workspaces (service/workspaces.h). */
struct workspace_settings {
    int idle_seconds;     /* without a visit, after which one ends */
    int lifetime_seconds; /* after which one ends */
    int max_running;      /* with which no more are made; 0: any number */
};

/* One text that was laid over those before it. */
struct config_layer {
    char *name;   /* the file, as in messages */
    json_t *root; /* an object */
};

/* Why a configuration file was read. */
enum config_origin {
    CONFIG_BUILT_IN,    /* there is no file */
    CONFIG_ASKED_FOR,   /* the caller named it */
    CONFIG_ENVIRONMENT, /* ISOLATOR_CONFIG names it */
    CONFIG_OF_USER,
    CONFIG_OF_SYSTEM,
    CONFIG_INSTALLED, /* the installed default */
};

struct config {
    char *file;                /* the file that was read; NULL: only the built-in configuration */
    enum config_origin origin; /* why it was this file */
    char *prepared_for;        /* real path of a file that was named, for which languages are
                                  prepared by themselves; NULL: one of those found by default */
    char *container_command;   /* "docker" */
    char *workdir;             /* absolute path in the container */
    char *prompts_dir;         /* absolute; NULL: the snippets that are built in */
    char *inputs_dir;          /* absolute; NULL: there are no input files */
    char *audit_file;          /* absolute, see service/audit.h; NULL: none */
    int engine_timeout;        /* seconds; docker/budget.h divides them */
    bool allow_unenforced;     /* a limit that the engine cannot enforce is no error */
    bool allow_netlink;        /* programs may open sockets of netlink */
    struct user_range users;   /* those that containers get */
    int max_artifacts;         /* files that a run returns */
    int max_artifact_bytes;    /* of all these files together */
    struct strvec images;      /* patterns of those that a request may name; see image_matches() */
    struct sandbox_policy defaults; /* complete */
    struct sandbox_policy maximums; /* partial */
    struct language *languages;     /* owned; in the order of the files */
    size_t language_count;
    /* For the server; warm_max_age for `isolator batch` too. See isolator_config.json(5). */
    int max_concurrent;   /* calls that run at once; 0: as many as there are cores */
    int max_queued;       /* calls that wait for one of these */
    int max_text_bytes;   /* of a result's text for a model */
    int max_stored_bytes; /* of the files and output of runs that it keeps */
    int warm_max_age;     /* seconds after which a warm container is replaced */
    int warm_memory_mb;   /* that ready interpreters may use together */
    int max_share;        /* lines of a batch that may share a container; 0: none */
    struct session_settings sessions;
    struct job_settings jobs;
    struct workspace_settings workspaces;
    struct tool_server *tools; /* owned; in the order of the files */
    size_t tool_count;
    struct tool_limits tool_limits;
    struct config_layer *layers; /* owned; the built-in configuration first */
    size_t layer_count;
};

/* Lines of a batch that share a container, at most. */
enum { CONFIG_SHARE_MAX = 100000 };

/* Makes an empty configuration; config_load() or config_overlay() fills it in. */
void config_init(struct config *config);
void config_release(struct config *config);

/*
 * Sets the container command to this name, "docker" or "podman", unless it already is a path or
 * name of that kind. NULL: does nothing.
 */
void config_set_runtime(struct config *config, const char *runtime);

/* Sets the OCI runtime of all languages, which must be valid; NULL: does nothing. */
void config_set_oci_runtime(struct config *config, const char *name);

/* Records runs in this file, in place of that of the configuration; NULL changes nothing. */
void config_set_audit_file(struct config *config, const char *file);

/* Sets the tag of the language's prepared image after a change of its steps, files or image. */
void config_prepare(struct language *language);

/*
 * The configuration file whose notes (config/prepare_notes.h) those of the language are, borrowed;
 * NULL: the notes at the top.
 */
const char *config_prepared_for(const struct config *config, const struct language *language);

/* Returns the docker command with its options; it borrows from the configuration. */
struct docker config_docker(const struct config *config);

/* Returns the language, borrowed; NULL if there is none of that name. */
const struct language *config_language(const struct config *config, const char *name);

/* The same, also by an alias, and in upper or lower case if only one is called so. */
const struct language *config_language_called(const struct config *config, const char *name);

/* Returns the server of tools, borrowed; NULL if there is none of that name. */
const struct tool_server *config_tool_server(const struct config *config, const char *name);

/* The names of all of them with commas, for messages: "none" if there are none; owned. */
char *config_tool_names(const struct config *config);

/*
 * Checks that each name, up to a NULL, is a language or an alias of one. ERROR_USAGE names the
 * first that is not, and the languages that are offered, by their index; NULL: all.
 */
int config_check_languages(const struct config *config, char *const *names, const bool *offered,
                           struct error *error);

/*
 * Returns the language that claims the file's extension, borrowed; NULL if none does. If several
 * do, it is the first of those that the last file added. ".PY" is ".py" unless a language has it.
 */
const struct language *config_language_of_file(const struct config *config, const char *path);

/*
 * Initialises the policy that a program in the language gets by default: the defaults, over them
 * what the language sets, lowered to the maximums. The caller releases it.
 */
void config_policy(const struct config *config, const struct language *language,
                   struct sandbox_policy *policy);

/* Returns the names of the languages that are offered, "python, go"; owned by the caller. */
char *config_language_names(const struct config *config, const bool *offered);

#endif
