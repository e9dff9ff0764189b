/*
 * The configuration: which languages there are, what a sandbox gets by default and at most.
 *
 * Built in is the repository's isolator_config.json. A configuration file is laid over it, so that
 * a file which gives only languages.python.image changes only that. Which file: the one asked for,
 * else $ISOLATOR_CONFIG, else $XDG_CONFIG_HOME/isolator/config.json (~/.config where that is not
 * set), else /etc/isolator/config.json, else the installed default; never one that merely lies in
 * the current directory. What `isolator prepare` has noted (config/prepare_notes.h) goes behind it. Reading is
 * strict: an unknown key or a wrong value is an ERROR_CONFIG that
 * names the file, the key and what would be right.
 *
 * What was read is kept as JSON beside what it means: see config/config_layers.h.
 */
#ifndef CONFIG_CONFIG_H
#define CONFIG_CONFIG_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/strvec.h"
#include "config/sandbox_policy.h"
#include "docker/docker.h"

/* The names of keys that messages of other folders tell people to change. */
#define CONFIG_KEY_ALLOW_UNENFORCED   "allowUnenforced"
#define CONFIG_KEY_MAX_ARTIFACTS      "maxArtifacts"
#define CONFIG_KEY_MAX_ARTIFACT_BYTES "maxArtifactBytes"

/* How an image is made of the language's; see config/prepare_rules.h. */
struct preparation {
    struct strvec steps; /* for /bin/sh, in this order; empty: there is no preparation */
    char *network;       /* while they run; NULL: none */
    bool noted; /* the steps were given to `isolator prepare`, and not to the configuration */
    char *tag;  /* what runs use, where it is there; NULL without steps */
};

struct language {
    char *name;
    char *image;
    struct strvec command;    /* argv with "{entrypoint}" in it */
    struct strvec extensions; /* with the dot */
    char *default_filename;
    struct strvec environment;    /* "KEY=VALUE"; a file adds to it and replaces by name */
    struct sandbox_policy policy; /* what differs from the defaults */
    int warm;                     /* sandboxes that shall wait; see service/pool.h */
    struct preparation preparation;
    struct strvec
        list_packages;      /* argv; run in the prepared image, prints its packages; empty: none */
    struct strvec packages; /* what a model is told to be in the image */
};

/* One text that was laid over those before it. */
struct config_layer {
    char *name;   /* as in messages: the file */
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
    char *file;                /* the file that was read; NULL: the built-in configuration alone */
    enum config_origin origin; /* why it was this file */
    char *container_command;   /* "docker" */
    char *workdir;             /* absolute path in the container */
    char *prompts_dir;         /* made absolute by the file's directory */
    int engine_timeout;        /* seconds; see struct docker */
    bool allow_unenforced;     /* likewise */
    int max_artifacts;         /* files that a run gives back */
    int max_artifact_bytes;    /* of all of them */
    struct sandbox_policy defaults; /* complete */
    struct sandbox_policy maximums;
    struct language *languages; /* owned; in the order of the files */
    size_t language_count;
    /* For the server, the last for `isolator batch` too; see isolator_config.json(5). */
    int max_concurrent;          /* calls that run at once; 0: as many as there are cores */
    int max_queued;              /* calls that wait behind them */
    int max_text_bytes;          /* of a result's text for a model */
    int warm_age_most;           /* seconds that a sandbox waits before another takes its place */
    struct config_layer *layers; /* owned; the built-in configuration first */
    size_t layer_count;
};

/*
 * Finds and reads the configuration; `file` is the one asked for or NULL. `own` are defaults of the
 * front end (or NULL) that take the place of the built-in and the installed ones; what any other file
 * says goes before them.
 */
int config_load(struct config *config, const char *file, const struct limits *own,
                struct error *error);

/* The same without any file: what there is where one cannot be read. */
int config_load_built_in(struct config *config, struct error *error);

/*
 * Lays one JSON text over the configuration; `name` stands for it in messages, and a relative directory is taken
 * from the place of config->file. For tests too.
 */
int config_overlay(struct config *config, const char *json, size_t length, const char *name,
                   struct error *error);

/* Where a file of the user's own lies, in ~/.config/isolator or what stands for it; owned by the caller. */
char *config_home(const char *name);

/* What a file holds, which may have 1 MiB. ERROR_CONFIG. */
int config_read_file(const char *path, struct strbuf *text, struct error *error);

/* Settles what the steps of the language's preparation make of it, after a change. */
void config_prepare(struct language *language);

/* The docker command as the configuration wants it, which it borrows from. */
struct docker config_docker(const struct config *config);

/* The language, borrowed; NULL where there is none of that name. */
const struct language *config_language(const struct config *config, const char *name);

/* Whether each name, up to a NULL, is that of a language. ERROR_USAGE that says which is not. */
int config_check_languages(const struct config *config, char *const *names, struct error *error);

/* The language that claims the file's extension, borrowed; NULL where none does. */
const struct language *config_language_of_file(const struct config *config, const char *path);

/*
 * Initialises the policy that a program in the language gets by default: the defaults, over them
 * what the language sets, lowered to the maximums. The caller releases it.
 */
void config_policy(const struct config *config, const struct language *language,
                   struct sandbox_policy *policy);

/* The names of all languages, "python, go, javascript"; owned by the caller. */
char *config_language_names(const struct config *config);

/* Sets everything empty; then config_load() or config_overlay(). */
void config_init(struct config *config);
void config_release(struct config *config);

/* The rules for an absolute directory in a container that a file system can be mounted on. */
int config_check_workdir(const char *path, struct error *error);

#endif
