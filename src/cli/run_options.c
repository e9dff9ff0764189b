#include "cli/run_options.h"

#include <getopt.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "config/environment.h"
#include "config/workdir.h"

static void set_string(char **target, const char *value)
{
    free(*target);
    *target = string_copy(value);
}

const char *run_options_namer(const char *subject)
{
    static const struct {
        const char *subject, *option;
    } names[] = {{"timeoutSeconds", "--timeout"},
                 {"memoryMB", "--memory"},
                 {"cpus", "--cpus"},
                 {"pidsLimit", "--pids-limit"},
                 {"workdirMB", "--workdir-size"},
                 {"tmpMB", "--tmp-size"},
                 {"outputBytes", "--output-limit"},
                 {"cpuSeconds", "--cpu-seconds"},
                 {"network", "--network"},
                 {"readOnly", "--read-only"},
                 {"capDrop", "--cap-drop"},
                 {"user", "--user"},
                 {REQUEST_LANGUAGE, "--language"},
                 {REQUEST_ENTRYPOINT, "--entrypoint"}};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(subject, names[i].subject) == 0)
            return names[i].option;
    return NULL;
}

static int set_number(struct run_options *options, enum limit_number which, const char *value,
                      struct error *error)
{
    const struct key_rule *rule = &limit_rules[which];
    double number;

    if (number_parse(value, rule->unit + strspn(rule->unit, " "), &number, error) != 0)
        return error_prefix(error, "%s", run_options_namer(rule->name));
    return limits_set_number(&options->request.policy.limits, which, number, error);
}

static int apply_timeout(struct run_options *options, const char *value, struct error *error)
{
    long long milliseconds;

    if (duration_parse(value, &milliseconds, error) != 0)
        return error_prefix(error, "--timeout");
    return limits_set_number(&options->request.policy.limits, LIMIT_TIMEOUT,
                             (double)milliseconds / 1000, error);
}

static int apply_network(struct run_options *options, const char *value, struct error *error)
{
    return sandbox_policy_set_network(&options->request.policy, value, error) == 0
               ? 0
               : error_prefix(error, "--network");
}

static int apply_read_only(struct run_options *options, const char *value, struct error *error)
{
    if (!value || strcmp(value, "true") == 0)
        options->request.policy.read_only = 1;
    else if (strcmp(value, "false") == 0)
        options->request.policy.read_only = 0;
    else
        return error_set(error, ERROR_USAGE, "--read-only: '%s' is not true or false", value);
    return 0;
}

static int apply_cap_drop(struct run_options *options, const char *value, struct error *error)
{
    return sandbox_policy_add_cap_drop(&options->request.policy, value, error) == 0
               ? 0
               : error_prefix(error, "--cap-drop");
}

static int apply_runtime(struct run_options *options, const char *value, struct error *error)
{
    (void)options;
    if (strcmp(value, "docker") == 0)
        return 0;
    return error_set(error, ERROR_USAGE, "--runtime: '%s' is not supported; use docker", value);
}

/* Overwrites a value in our own arguments, which every user of the host can see. */
static void hide_value(const char *value)
{
    memset((char *)value, 'x', strlen(value));
}

static int apply_env(struct run_options *options, const char *value, struct error *error)
{
    const char *sign = strchr(value, '=');
    const char *inherited;

    if (sign) {
        environment_set(&options->request.environment, value);
        hide_value(sign + 1);
        return 0;
    }
    inherited = getenv(value);
    if (!inherited)
        return error_set(error, ERROR_USAGE, "--env: '%s' is not set in the environment", value);
    CLEANUP_FREE char *assignment = string_format("%s=%s", value, inherited);
    environment_set(&options->request.environment, assignment);
    return 0;
}

static int apply_user(struct run_options *options, const char *value, struct error *error)
{
    return sandbox_policy_set_user(&options->request.policy, value, error) == 0
               ? 0
               : error_prefix(error, "--user");
}

static int apply_workdir(struct run_options *options, const char *value, struct error *error)
{
    free(options->request.workdir);
    options->request.workdir = workdir_parse(value, error);
    return options->request.workdir ? 0 : -1;
}

static int apply_artifact(struct run_options *options, const char *value, struct error *error)
{
    return request_add_artifact(&options->request, value, error) == 0
               ? 0
               : error_prefix(error, "--artifact");
}

typedef int apply_function(struct run_options *, const char *, struct error *);

/* What an option does with its value. */
struct target {
    enum { SETS_STRING, RAISES_FLAG, SETS_NUMBER, CALLS } kind;
    size_t place;          /* the offset in struct run_options, or an enum limit_number */
    apply_function *apply; /* for CALLS */
};

#define STRING(member)                                                                             \
    {                                                                                              \
        SETS_STRING, offsetof(struct run_options, member), NULL                                    \
    }
#define FLAG(member)                                                                               \
    {                                                                                              \
        RAISES_FLAG, offsetof(struct run_options, member), NULL                                    \
    }
#define NUMBER(which)                                                                              \
    {                                                                                              \
        SETS_NUMBER, (which), NULL                                                                 \
    }
#define CALL(function)                                                                             \
    {                                                                                              \
        CALLS, 0, (function)                                                                       \
    }

static const struct run_option {
    int letter; /* 0: none */
    const char *name;
    const char *argument; /* NULL: none; in brackets: optional */
    const char *help;
    struct target target;
} run_option_table[] = {
    {'l', "language", "NAME", "language (default: from the file's extension)",
     STRING(request.language)},
    {'d', "dir", "DIR", "send the contents of this directory", STRING(request.input.dir)},
    {'e', "entrypoint", "PATH", "program file inside --dir", STRING(request.entrypoint)},
    {0, "stdin", "FILE", "the program's stdin; - is isolator's own", STRING(stdin_path)},
    {0, "env", "KEY[=VALUE]", "set or pass on a variable; repeatable", CALL(apply_env)},
    {'t', "timeout", "DURATION", "timeout, like 500ms or 1m30s (60s)", CALL(apply_timeout)},
    {'m', "memory", "MB", "memory, without swap (256)", NUMBER(LIMIT_MEMORY)},
    {'c', "cpus", "N", "CPU cores, fractions allowed (0.5)", NUMBER(LIMIT_CPUS)},
    {0, "cpu-seconds", "N", "CPU time of all processes; 0: no limit (0)", NUMBER(LIMIT_CPU_TIME)},
    {0, "pids-limit", "N", "processes and threads (64)", NUMBER(LIMIT_PIDS)},
    {0, "workdir-size", "MB", "size of the working directory (64)", NUMBER(LIMIT_WORKDIR)},
    {0, "tmp-size", "MB", "size of /tmp (64)", NUMBER(LIMIT_TMP)},
    {0, "output-limit", "BYTES", "bytes kept of each output stream (1048576)",
     NUMBER(LIMIT_OUTPUT)},
    {0, "network", "NAME", "none, bridge or an engine's network (none)", CALL(apply_network)},
    {0, "read-only", "[BOOL]", "read-only root file system (true)", CALL(apply_read_only)},
    {0, "cap-drop", "LIST", "capabilities to drop; repeatable (ALL)", CALL(apply_cap_drop)},
    {0, "user", "UID[:GID]", "user of the program (one of its own)", CALL(apply_user)},
    {0, "image", "IMAGE", "use this image, not the language's", STRING(request.image)},
    {0, "pull", NULL, "fetch the image first if it is missing", FLAG(pull)},
    {0, "container-workdir", "PATH", "working directory (/workspace)", CALL(apply_workdir)},
    {0, "artifacts", "DIR", "write the files that the program makes to DIR", STRING(artifacts)},
    {0, "artifact", "GLOB", "only files that match, like *.png; repeatable", CALL(apply_artifact)},
    {0, "force", NULL, "replace existing files in DIR", FLAG(force)},
    {0, "save-image", "TAG", "on success: save files and command as image",
     STRING(request.save_image)},
    {0, "save-dockerfile", "PATH", "on success: write a Dockerfile",
     STRING(request.save_dockerfile)},
    {0, "runtime", "NAME", "family of container commands (docker)", CALL(apply_runtime)},
    {0, "config", "FILE", "configuration file", STRING(config_path)},
    {0, "stream", NULL, "pass on output as it comes, print no JSON", FLAG(stream)},
    {'v', "verbose", NULL, "trace each step with its time on stderr", FLAG(verbose)},
    {'h', "help", NULL, "print this summary", FLAG(help)},
};
enum { OPTIONS = sizeof run_option_table / sizeof *run_option_table, LONG_CODE = 256 };

/*
 * Fills in the tables of getopt_long(). The code of an option is LONG_CODE + its index in the
 * table.
 */
static void make_getopt_tables(struct option *longs, char *shorts)
{
    /* "-" returns operands in order as code 1; ":" returns errors instead of printing them. */
    *shorts++ = '-';
    *shorts++ = ':';
    for (int i = 0; i < OPTIONS; i++) {
        const struct run_option *option = &run_option_table[i];

        longs[i] = (struct option){option->name,
                                   !option->argument            ? no_argument
                                   : option->argument[0] == '[' ? optional_argument
                                                                : required_argument,
                                   NULL, LONG_CODE + i};
        if (!option->letter)
            continue;
        *shorts++ = (char)option->letter;
        if (option->argument)
            *shorts++ = ':';
    }
    longs[OPTIONS] = (struct option){NULL, 0, NULL, 0};
    *shorts = '\0';
}

static const struct run_option *find_option(int code)
{
    if (code >= LONG_CODE)
        return &run_option_table[code - LONG_CODE];
    for (int i = 0; i < OPTIONS; i++)
        if (run_option_table[i].letter == code)
            return &run_option_table[i];
    return NULL;
}

static int apply_option(struct run_options *options, const struct run_option *option,
                        const char *value, struct error *error)
{
    char *place = (char *)options + option->target.place;

    switch (option->target.kind) {
    case SETS_STRING:
        set_string((char **)place, value);
        return 0;
    case RAISES_FLAG:
        *(bool *)place = true;
        return 0;
    case SETS_NUMBER:
        return set_number(options, (enum limit_number)option->target.place, value, error);
    case CALLS:
        break;
    }
    return option->target.apply(options, value, error);
}

static int take_file(struct run_options *options, const char *file, struct error *error)
{
    if (options->file) {
        CLEANUP_FREE char *escaped = text_escape(file);
        return error_set(error, ERROR_USAGE,
                         "unexpected argument '%s': only one FILE is allowed; put the program's "
                         "arguments after --",
                         escaped);
    }
    options->file = string_copy(file);
    return 0;
}

static int read_arguments(struct run_options *options, int argc, char **argv, struct error *error)
{
    struct option longs[OPTIONS + 1];
    char shorts[2 * OPTIONS + 3];
    int code;

    make_getopt_tables(longs, shorts);
    opterr = 0;
    optind = 0; /* restart: works with glibc and musl */
    while (!options->help) {
        const int at = optind > 0 ? optind : 1; /* the current argument, for messages */

        code = getopt_long(argc, argv, shorts, longs, NULL);
        if (code == -1 && argv[at] && strcmp(argv[at], "-") == 0) { /* musl stops at "-" */
            optarg = argv[optind++];
            code = 1;
        }
        if (code == -1)
            break;
        if (code == ':' || code == '?' || (code != 1 && command_line_abbreviates(longs, argv[at])))
            return command_line_refuse(code,
                                       options->file ? "put the program's arguments after --"
                                                     : "see isolator run --help",
                                       longs, argv[at], error);
        if ((code == 1 ? take_file(options, optarg, error)
                       : apply_option(options, find_option(code), optarg, error)) != 0)
            return -1;
    }
    for (int i = optind; i < argc; i++)
        strvec_push(&options->request.arguments, argv[i]);
    return 0;
}

int run_options_parse(struct run_options *options, int argc, char **argv, struct error *error)
{
    *options = (struct run_options){.artifacts_directory = -1};
    request_init(&options->request);
    if (read_arguments(options, argc, argv, error) != 0) {
        error_name_subject(error, run_options_namer);
        return -1;
    }
    if (options->help)
        return 0;
    if (run_options_check(options, error) != 0)
        return -1;
    if (options->file && strcmp(options->file, "-") != 0) {
        const char *slash = strrchr(options->file, '/');
        set_string(&options->request.entrypoint, slash ? slash + 1 : options->file);
    }
    while (options->request.entrypoint && strncmp(options->request.entrypoint, "./", 2) == 0)
        memmove(options->request.entrypoint, options->request.entrypoint + 2,
                strlen(options->request.entrypoint) - 1);
    if (options->artifacts && options->request.artifacts.count == 0)
        strvec_push(&options->request.artifacts, "**");
    return 0;
}

char *run_options_help(void)
{
    struct strbuf text = STRBUF_INIT;

    strbuf_addstr(&text,
                  "usage: isolator run [OPTIONS] [FILE] [-- ARG...]\n"
                  "\n"
                  "Runs FILE (- for stdin), or the --entrypoint of --dir, in a fresh, locked-down\n"
                  "container and prints one JSON result. Arguments after -- go to the program.\n"
                  "\n");
    for (int i = 0; i < OPTIONS; i++) {
        const struct run_option *option = &run_option_table[i];
        const bool optional = option->argument && option->argument[0] == '[';
        CLEANUP_FREE char *form =
            string_format("--%s%s%s", option->name,
                          !option->argument ? ""
                          : optional        ? "[=BOOL]"
                                            : " ",
                          option->argument && !optional ? option->argument : "");

        if (option->letter)
            strbuf_addf(&text, "  -%c, %-28s %s\n", option->letter, form, option->help);
        else
            strbuf_addf(&text, "      %-28s %s\n", form, option->help);
    }
    strbuf_addstr(&text,
                  "\n"
                  "Defaults are in parentheses; configuration and language may change them.\n"
                  "Exit status: 0 success, 1 program failed, 2 usage or input, 3 engine or image,\n"
                  "124 timeout, 130 or 143 interrupted. See isolator(1).\n");
    return strbuf_steal(&text);
}

void run_options_release(struct run_options *options)
{
    request_release(&options->request);
    free(options->file);
    free(options->stdin_path);
    free(options->config_path);
    free(options->artifacts);
    cleanup_fd(&options->artifacts_directory);
}
