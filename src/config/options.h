/*
 * The options of a command line. One table for a command says what it takes: from it come the
 * tables of getopt_long(3), --help, the messages about what is wrong, and the completion in shells
 * (config/option_completion.h). The messages of getopt_long() are not used, since they name neither
 * the command nor --help.
 *
 * Long options cannot be abbreviated, since an abbreviation may become ambiguous, or mean something
 * else in another command.
 */
#ifndef CONFIG_OPTIONS_H
#define CONFIG_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/strvec.h"
#include "config/limits.h"
#include "config/option_text.h"

/*
 * Takes the value, NULL if there is none. 0, or -1 with ERROR_USAGE, whose message gets the name of
 * the option as a prefix, or in the place of its subject.
 */
typedef int option_apply(void *place, const char *value, struct error *error);

/* What the values of an option or the operands are, for completion. */
enum option_values {
    VALUES_UNKNOWN, /* of an option: as the name of its argument says: FILE, PATH, DIR or IMAGE */
    VALUES_FILES,
    VALUES_DIRECTORIES,
    VALUES_LANGUAGES,
    VALUES_IMAGES,
    VALUES_NETWORKS,
    VALUES_COMMANDS, /* of isolator */
    VALUES_ATTACKS,  /* of isolator selftest */
    VALUES_HOSTS,    /* that isolator-mcp knows */
    VALUES_JOBS,     /* of the user */
};

/* One option. Rows are written with the macros below. */
struct option_rule {
    struct option_text text; /* without a name: `shared` */
    /* What the option has in common with a key of the configuration, which errors name; or NULL. */
    const struct key_rule *key;
    const struct option_text *shared;
    enum {
        OPTION_RAISES, /* a bool */
        OPTION_COUNTS, /* an int from `least` to `most` */
        OPTION_SETS,   /* a const char *, which is borrowed from argv */
        OPTION_COPIES, /* a char *, which is owned */
        OPTION_LIMITS, /* a number of a struct limits */
        OPTION_CALLS   /* apply() */
    } kind;
    size_t place; /* the offset of what it changes in the command's struct of values */
    int least, most;
    int without_value; /* of OPTION_COUNTS whose value may be missing: what it stands for then */
    enum limit_number limit;
    option_apply *apply;
    const char *subject; /* what errors call it, if there is no `key`; NULL: none */
    unsigned commands;   /* bits of those that have it, where several share a table; 0: all */
    enum option_values values;
    const char *choices; /* all values, with a space between them; "": none is offered; NULL */
    /* Of an option that takes a number: a hint if the value does not begin as one; or NULL. */
    const char *mistaken;
};

#define OPTION_FLAG(type, member)   .kind = OPTION_RAISES, .place = offsetof(type, member)
#define OPTION_STRING(type, member) .kind = OPTION_SETS, .place = offsetof(type, member)
#define OPTION_COPY(type, member)   .kind = OPTION_COPIES, .place = offsetof(type, member)
#define OPTION_WHOLE(type, member, min, max)                                                       \
    .kind = OPTION_COUNTS, .place = offsetof(type, member), .least = (min), .most = (max)
#define OPTION_LIMIT(type, member, which)                                                          \
    .kind = OPTION_LIMITS, .place = offsetof(type, member), .limit = (which),                      \
    OPTION_SHARED(&limit_rules[which].key, &limit_rules[which].option)
#define OPTION_SHARED(rule, option_text) .key = (rule), .shared = (option_text)
#define OPTION_CALL(type, member, function)                                                        \
    .kind = OPTION_CALLS, .place = offsetof(type, member), .apply = (function)

/* The texts of options that all commands have. */
#define OPTION_TEXT_CONFIG                                                                         \
    {                                                                                              \
        0, "--config", "FILE", "configuration file", NULL,                                         \
            "Read this configuration file instead of the one in the usual places; see "            \
            "isolator_config.json(5)."                                                             \
    }
#define OPTION_TEXT_AUDIT                                                                          \
    {                                                                                              \
        0, "--audit", "FILE", "add a line about each run to this file", NULL,                      \
            "When a run has ended, add a line about it to this file, in place of *auditFile* of "  \
            "the configuration; see AUDIT in isolator(1)."                                         \
    }
#define OPTION_TEXT_RUNTIME                                                                        \
    {                                                                                              \
        0, "--runtime", "NAME", "docker or podman (default: as configured)", NULL,                 \
            "The container command: *docker* or *podman*. The default, and the path of the "       \
            "command, is *containerCommand* in the configuration."                                 \
    }
#define OPTION_CHOICES_RUNTIME     "docker podman"
#define OPTION_CHOICES_OCI_RUNTIME "crun runc runsc"
#define OPTION_TEXT_HELP                                                                           \
    {                                                                                              \
        'h', "--help", NULL, "print this summary", NULL, "Print a summary of the options."         \
    }

/* An option of other programs, and what to do here instead. */
struct option_other {
    const char *name; /* "--volume" or "-p" */
    const char *advice;
};

struct option_table {
    const char *command;       /* as people write it: "isolator gc" */
    const char *usage, *after; /* what --help prints before and after the options */
    const char *example;       /* a command line that works, of one line; NULL: none */
    const struct option_rule *rules;
    size_t count;
    unsigned commands; /* the bit of this one; 0: the table is not shared */
    bool has_rest;     /* what follows "--" is not the command's own */
    enum option_values operands;
    const struct option_other *others; /* up to one without a name; NULL: none */
};

#define OPTION_RULES(array) .rules = (array), .count = sizeof(array) / sizeof *(array)

enum { OPTIONS_MAX = 80 }; /* rules of a table */

/*
 * Reads the arguments after argv[0] into `values`, and the operands into `operands`, where they
 * follow those that it has. `rest` gets what follows "--" if the table has that, else it may be
 * NULL. -1: ERROR_USAGE. Nothing after --help is read.
 */
int options_parse(const struct option_table *table, int argc, char **argv, void *values,
                  struct strvec *operands, struct strvec *rest, struct error *error);

/* What people write and read of the option. */
const struct option_text *option_text(const struct option_rule *rule);

/* Whether the command of the table has this rule, and whether its value may be missing. */
bool options_has(const struct option_table *table, const struct option_rule *rule);
bool option_value_is_optional(const struct option_rule *rule);

/* The option with this letter; NULL: none. */
const struct option_rule *options_with_letter(const struct option_table *table, int letter);

/* The option with this subject, for an error_namer (base/error.h); NULL: none. */
const char *options_name(const struct option_table *table, const char *subject);

/* What --help prints; owned by the caller. */
char *options_help(const struct option_table *table);

/* The options for the manual page, in the form that man/options.awk reads; owned by the caller. */
char *options_manual(const struct option_table *table);

/* Sets the ERROR_USAGE about an operand too many. Returns -1. */
int options_refuse_operand(const struct option_table *table, const char *operand,
                           struct error *error);

#endif
