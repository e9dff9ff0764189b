#include "cli/problem/problem_package.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/linux.h"
#include "base/text.h"
#include "base/yaml_text.h"
#include "cli/grade/case_file.h"
#include "cli/problem/time_limit_file.h"

/* Whether there is such a file or directory in the package, or a link to one. */
static bool exists(const struct test_root *root, const char *path, mode_t kind)
{
    struct stat status;

    return fstatat(root->fd, path, &status, 0) == 0 && (status.st_mode & S_IFMT) == kind;
}

/* Checks the directories of the package, which may be links in it. */
static int check_directories(const struct test_root *root, struct error *error)
{
    static const char *const names[] = {"data", "include", "submissions", "output_validator",
                                        "output_validators"};
    struct stat status;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (fstatat(root->fd, names[i], &status, AT_SYMLINK_NOFOLLOW) == 0 &&
            case_file_check(root, names[i], error) != 0)
            return -1;
    return 0;
}

static int read_settings(struct problem_package *package, const struct test_root *root,
                         struct error *error)
{
    CLEANUP_FREE char *shown = case_file_shown(root, "problem.yaml");
    CLEANUP(strbuf_release) struct strbuf content = STRBUF_INIT;
    json_t *document;
    int result;

    if (case_file_read(root, "problem.yaml", YAML_TEXT_MAX, &content, error) != 0)
        return -1;
    document = yaml_text_parse(strbuf_string(&content), content.length, error);
    if (!document)
        return error_prefix(error, "'%s'", shown);
    result = problem_settings_read(&package->settings, document, error);
    json_decref(document);
    return result == 0 ? 0 : error_prefix(error, "'%s'", shown);
}

/* ---- limits */

/* What setting a limit needs. */
struct limiting {
    const struct test_root *root;
    const struct config *config;
    struct strvec *warnings;
    struct error *error;
};

/* Sets a limit unless the caller has; the maximums of the configuration win. */
static int set_limit(const struct limiting *limiting, struct limits *limits,
                     enum limit_number which, double value, const char *name)
{
    const double max = limiting->config->maximums.limits.number[which];

    if (isnan(value) || !isnan(limits->number[which]))
        return 0;
    if (value > max) {
        strvec_pushf(limiting->warnings, "'%s': %s: the configuration allows %g, not %g",
                     limiting->root->shown, name, max, value);
        value = max;
    }
    if (limits_set_number(limits, which, value, limiting->error) == 0)
        return 0;
    error_rename_subject(limiting->error, name);
    limiting->error->kind = ERROR_INPUT;
    return error_prefix(limiting->error, "'%s'", limiting->root->shown);
}

/* Finds what the caller or the package says; NAN: nothing. */
static int find_time_limit(const struct limiting *limiting, const struct run_options *options,
                           double of_settings, double *seconds, const char **source)
{
    *seconds = options->time_limit > 0 ? options->time_limit : of_settings;
    *source = options->time_limit > 0 ? "--time-limit" : "limits.time_limit of problem.yaml";
    if (!isnan(*seconds))
        return 0;
    return time_limit_file_read(limiting->root, seconds, source, limiting->error);
}

/* Sets the time limit of the package, unless the caller has set a timeout or CPU time. */
static int set_time_limit(const struct limiting *limiting, const struct run_options *options,
                          struct problem_package *package)
{
    const struct problem_settings *settings = &package->settings;
    const double *given = options->request.policy.limits.number;
    struct time_limit *limit = &package->time_limit;
    struct limits limits;
    const char *source;
    double seconds;

    *limit = (struct time_limit){.multiplier = settings->time_multiplier,
                                 .resolution = settings->time_resolution,
                                 .margin = settings->time_safety_margin,
                                 .seconds = NAN};
    limits_init(&limits);
    if (!isnan(given[LIMIT_TIMEOUT]) || !isnan(given[LIMIT_CPU_TIME]))
        return 0;
    if (find_time_limit(limiting, options, settings->time_limit, &seconds, &source) != 0 ||
        set_limit(limiting, &limits, LIMIT_CPU_TIME, seconds, "time limit") != 0 ||
        set_limit(limiting, &limits, LIMIT_TIMEOUT, TIMEOUT_FACTOR * seconds + TIMEOUT_MORE,
                  "timeout by the time limit") != 0)
        return -1;
    limit->is_measured = isnan(seconds);
    limit->seconds = limits.number[LIMIT_CPU_TIME];
    limit->source = limit->is_measured ? NULL : string_copy(source);
    return 0;
}

static void set_max_output(const struct limiting *limiting, double megabytes, int *bytes)
{
    const int most = TEST_MAX_OUTPUT_BYTES >> 20;

    if (isnan(megabytes) || *bytes != 0)
        return;
    if (megabytes > most)
        strvec_pushf(limiting->warnings, "'%s': limits: output: isolator allows %d MB, not %g",
                     limiting->root->shown, most, megabytes);
    *bytes = (int)fmin(megabytes, most) << 20;
}

/* A judge gives a program a core: one unless the caller or the configuration says otherwise. */
static void set_cpus(const struct config *config, struct limits *limits)
{
    if (isnan(limits->number[LIMIT_CPUS]) && config->defaults.limits.number[LIMIT_CPUS] < 1 &&
        !(config->maximums.limits.number[LIMIT_CPUS] < 1))
        limits->number[LIMIT_CPUS] = 1;
}

static int set_limits(const struct limiting *limiting, struct problem_package *package,
                      struct run_options *options)
{
    const struct problem_settings *settings = &package->settings;
    struct limits *limits = &options->request.policy.limits, *judge = &options->judge_limits;
    const double validation_time =
        settings->validation_time > CHECKER_TIMEOUT ? settings->validation_time : NAN;

    set_cpus(limiting->config, limits);
    set_cpus(limiting->config, judge);
    set_max_output(limiting, settings->output, &options->max_output_bytes);
    return set_time_limit(limiting, options, package) == 0 &&
                   set_limit(limiting, limits, LIMIT_MEMORY, settings->memory, "limits: memory") ==
                       0 &&
                   set_limit(limiting, judge, LIMIT_TIMEOUT, validation_time,
                             "limits: validation_time") == 0 &&
                   set_limit(limiting, judge, LIMIT_MEMORY, settings->validation_memory,
                             "limits: validation_memory") == 0
               ? 0
               : -1;
}

/* ---- the validator and the grader */

/* The only entry of a directory, owned; NULL: there is none, or there are several. */
static char *only_entry(const struct test_root *root, const char *directory, size_t *count)
{
    CLEANUP_FD int fd = openat(root->fd, directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *entry;
    char *name = NULL;

    *count = 0;
    if (!dir)
        return NULL;
    steal_fd(&fd); /* dir has it */
    while (*count < 2 && (entry = readdir(dir)))
        if (entry->d_name[0] != '.' && (*count)++ == 0)
            name = string_copy(entry->d_name);
    closedir(dir);
    if (*count != 1)
        free(steal_pointer(&name));
    return name;
}

/* Scripts of a package never run. */
static const char *const scripts[] = {"build", "run"};

/*
 * The path in the package of the program in a directory of validators or graders, owned: its only
 * file or directory, or the directory itself if that has sources of one program, or a script.
 */
static char *find_judge(const struct test_root *root, const char *directory, bool is_plural,
                        const char *role, struct error *error)
{
    CLEANUP_FREE char *shown = case_file_shown(root, directory);
    size_t count;
    CLEANUP_FREE char *name = only_entry(root, directory, &count);
    const bool is_script =
        name && !is_plural && (strcmp(name, scripts[0]) == 0 || strcmp(name, scripts[1]) == 0);

    if (name && !is_script)
        return string_format("%s/%s", directory, name);
    if (count > 0 && !is_plural)
        return string_copy(directory);
    error_set(error, ERROR_INPUT, "'%s' must have one %s, a file or a directory, %s", shown, role,
              count == 0 ? "and has none" : "and has several");
    return NULL;
}

static int check_judge(const struct test_root *root, const char *path, struct error *error)
{
    CLEANUP_FREE char *shown = case_file_shown(root, path);

    if (case_file_check(root, path, error) != 0)
        return -1;
    if (!exists(root, path, S_IFREG) && !exists(root, path, S_IFDIR))
        return error_set(error, ERROR_INPUT, "'%s' is neither a regular file nor a directory",
                         shown);
    for (size_t i = 0; i < 2; i++) {
        CLEANUP_FREE char *script = string_format("%s/%s", path, scripts[i]);

        if (exists(root, script, S_IFREG))
            return error_set(error, ERROR_INPUT,
                             "'%s' has the script %s, which isolator does not run; it runs "
                             "sources of a language of the configuration",
                             shown, scripts[i]);
    }
    return 0;
}

static int set_validator(struct problem_package *package, struct run_options *options,
                         struct error *error)
{
    const struct test_root *root = &package->root;
    struct problem_settings *settings = &package->settings;
    const bool has_singular = exists(root, "output_validator", S_IFDIR);
    const bool has_plural = exists(root, "output_validators", S_IFDIR);
    const bool is_plural = has_plural || (settings->is_legacy && !has_singular);
    CLEANUP_FREE char *validator = NULL;

    if (!settings->is_legacy)
        settings->has_validator = has_plural || has_singular;
    if (!settings->has_validator)
        return settings->is_interactive
                   ? error_set(error, ERROR_INPUT,
                               "'%s/output_validator': there is no validator, which an "
                               "interactive problem needs",
                               root->shown)
                   : 0;
    validator = find_judge(root, is_plural ? "output_validators" : "output_validator", is_plural,
                           "validator", error);
    if (!validator || check_judge(root, validator, error) != 0)
        return -1;
    *(settings->is_interactive ? &options->interactive_validator : &options->validator) =
        string_format("%s/%s", package->path, validator);
    return 0;
}

/*
 * A grader is needed only if a file of the tests asks for one; else it does not matter what is
 * wrong with it. "There may exist at most one grader program" (legacy.md, "Graders").
 */
static void set_grader(const struct problem_package *package, struct run_options *options)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    const struct test_root *root = &package->root;
    CLEANUP_FREE char *grader = NULL;

    if (!package->settings.is_legacy)
        return;
    if (!exists(root, "graders", S_IFDIR) || case_file_check(root, "graders", &error) == 0)
        grader = find_judge(root, "graders", true, "grader", &error);
    if (grader && check_judge(root, grader, &error) == 0)
        options->grader = string_format("%s/%s", package->path, grader);
    else
        options->no_grader = string_format("grading: %s", error.message);
}

/* ---- the package */

static void set_files(const struct problem_package *package, struct run_options *options)
{
    strvec_release(&options->files);
    for (size_t i = 0; i < package->submissions.count; i++)
        strvec_push(&options->files, package->submissions.items[i].path);
}

/* Makes --packages the directory out of which no link may lead. */
static int set_packages(struct problem_package *package, struct run_options *options,
                        struct error *error)
{
    const char *packages = options->packages;
    CLEANUP_FREE char *shown = packages ? text_escape(packages) : NULL;

    if (!packages)
        return 0;
    package->root.package = open(packages, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (package->root.package < 0)
        return error_set_errno(error, ERROR_INPUT, "cannot open the directory '%s'", shown);
    if (linux_leads_below(AT_FDCWD, options->problem, package->root.package) != 1)
        return error_set(error, ERROR_INPUT, "--packages: '%s' is not above '%s'", shown,
                         package->shown);
    options->request.links_below = string_copy(packages);
    return 0;
}

/* Reads all submissions, for the time limit alone; if that fails, there are none. */
static void read_all(struct problem_package *package, const struct run_options *options,
                     const struct config *config)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct run_options all = *options;

    all.files = (struct strvec)STRVEC_INIT;
    all.test_warnings = (struct strvec)STRVEC_INIT; /* they are given for what is tested */
    if (submissions_read(&package->all, &package->root, package->settings.is_legacy, &all, config,
                         &error) != 0)
        submissions_release(&package->all);
    strvec_release(&all.test_warnings);
}

int problem_package_read(struct problem_package *package, struct run_options *options,
                         const struct config *config, struct error *error)
{
    const int fd = open(options->problem, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const struct test_root *root = &package->root;
    const struct limiting limiting = {root, config, &options->test_warnings, error};

    *package =
        (struct problem_package){.path = options->problem, .shown = text_escape(options->problem)};
    package->root = (struct test_root){package->shown, fd, fd};
    if (fd < 0)
        return error_set_errno(error, ERROR_INPUT, "cannot open the directory '%s'",
                               package->shown);
    if (set_packages(package, options, error) != 0 || read_settings(package, root, error) != 0 ||
        check_directories(root, error) != 0 || set_limits(&limiting, package, options) != 0 ||
        set_validator(package, options, error) != 0 ||
        submissions_read(&package->submissions, root, package->settings.is_legacy, options, config,
                         error) != 0)
        return -1;
    if (package->time_limit.is_measured && options->files.count > 0)
        read_all(package, options, config);
    set_grader(package, options);
    options->request.of_package = true;
    strvec_push_all(&options->request.constants, &package->settings.constants);
    options->tests = string_format("%s/data", options->problem);
    options->validator_flags = string_copy(package->settings.validator_flags);
    options->is_scoring = package->settings.is_scoring;
    options->is_legacy = package->settings.is_legacy;
    options->gives_no_score = package->settings.gives_no_score;
    set_files(package, options);
    return 0;
}

void problem_package_release(struct problem_package *package)
{
    problem_settings_release(&package->settings);
    time_limit_release(&package->time_limit);
    submissions_release(&package->submissions);
    submissions_release(&package->all);
    free(package->shown);
    if (package->root.package >= 0 && package->root.package != package->root.fd)
        close(package->root.package);
    if (package->root.fd >= 0)
        close(package->root.fd);
}
