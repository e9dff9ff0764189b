#include "config/config_keys.h"

#include <string.h>

#include "config/config.h"
#include "config/filename_pattern.h"
#include "config/key_macros.h"
#include "config/limits.h"
#include "config/network_keys.h"
#include "config/prepare_rules.h"
#include "config/prepare_values.h"
#include "config/settings.h"
#include "config/tool_keys.h"

/*
 * Rules as the schema has them, for editors. Setters check the same in code; end-to-end tests
 * compare the two with samples.
 */
#define RESERVED_VARIABLES "IFS|OPTIND|PPID|UID|EUID|BASHOPTS|SHELLOPTS|BASH_VERSINFO"

/* The rules of what options can set too are in tables of their own. */
#define SETTING(which) .rule = (&setting_rules[SETTING_##which].key)
#define LIMIT(which)                                                                               \
    {                                                                                              \
        CONFIG_LEVEL_LIMITS, .rule = &limit_rules[LIMIT_##which].key,                              \
                             .offset = offsetof(struct sandbox_policy, limits),                    \
                             .set = config_value_limit                                             \
    }
#define BUILD_LIMIT(which)                                                                         \
    {                                                                                              \
        CONFIG_LEVEL_BUILD, .rule = &limit_rules[LIMIT_##which].key, .set = config_value_limit     \
    }
#define TOP_MEMBER(member)      .offset = offsetof(struct config, member)
#define LANGUAGE_MEMBER(member) .offset = offsetof(struct language, member)
#define PREPARE_MEMBER(member)  .offset = offsetof(struct preparation, member)
#define SESSION_MEMBER(member)  .offset = offsetof(struct session_settings, member)

static const struct config_key keys[] = {
    {CONFIG_LEVEL_TOP,
     RULE("$schema", KEY_STRING, "Schema of this file", "For editors; isolator does not use it."),
     .set = config_value_ignored},
    {CONFIG_LEVEL_TOP,
     RULE("containerCommand", KEY_STRING, "Container command",
          "Name or path of the docker or podman command."),
     TOP_MEMBER(container_command)},
    {CONFIG_LEVEL_TOP, SETTING(WORKDIR), TOP_MEMBER(workdir), .set = config_value_workdir},
    {CONFIG_LEVEL_TOP,
     RANGE("engineTimeoutSeconds", KEY_WHOLE, 1, 600, "Engine timeout",
           "Seconds that the container engine may take for one run, in addition to the program."),
     TOP_MEMBER(engine_timeout)},
    {CONFIG_LEVEL_TOP,
     RULE(CONFIG_KEY_ALLOW_UNENFORCED, KEY_BOOLEAN, "Run without limits that the engine lacks",
          "If true, programs run even if the engine does not enforce a limit of memory, swap, "
          "processes or CPU time."),
     TOP_MEMBER(allow_unenforced)},
    {CONFIG_LEVEL_TOP,
     RULE("allowNetlink", KEY_BOOLEAN, "Allow netlink",
          "If true, programs may open netlink sockets for routes, which list network interfaces. "
          "The memory of these sockets counts for no container."),
     TOP_MEMBER(allow_netlink)},
    {CONFIG_LEVEL_TOP,
     RULE("userRange", KEY_STRING, "Users",
          "First and last uid of those that containers get, each another one at random, unless "
          "user is set: at least 256 numbers from 1 to 2097151.",
          .pattern = "^(?!0+-)" SETTING_ID_PATTERN "-" SETTING_ID_PATTERN "$"),
     TOP_MEMBER(users), .set = config_value_users},
    {CONFIG_LEVEL_TOP,
     RULE("promptsDir", KEY_PATH, "Directory of snippets",
          "Directory of programs of one file each, which isolator-mcp and isolator batch run by "
          "name, in place of those that are built in. A relative path starts at the configuration "
          "file."),
     TOP_MEMBER(prompts_dir)},
    {CONFIG_LEVEL_TOP,
     RULE("inputsDir", KEY_PATH, "Directory of input files",
          "Directory of files that calls of isolator-mcp may name instead of sending them. A "
          "relative path starts at the configuration file. Without it there are none."),
     TOP_MEMBER(inputs_dir)},
    {CONFIG_LEVEL_TOP,
     RULE("auditFile", KEY_PATH, "Audit file",
          "File to which each run adds a line with its time, caller, SHA-256 of the code, image, "
          "limits and outcome. A relative path starts at the configuration file. Without it no "
          "run is recorded."),
     TOP_MEMBER(audit_file)},
    {CONFIG_LEVEL_TOP,
     RANGE("maxConcurrent", KEY_WHOLE, 1, 1024, "Concurrent calls",
           "How many calls isolator-mcp runs at once; by default as many as there are processor "
           "cores."),
     TOP_MEMBER(max_concurrent)},
    {CONFIG_LEVEL_TOP,
     RANGE("maxQueued", KEY_WHOLE, 0, 100000, "Queued calls",
           "How many more calls may wait in isolator-mcp; the next one is refused as busy."),
     TOP_MEMBER(max_queued)},
    {CONFIG_LEVEL_TOP,
     RANGE("maxTextBytes", KEY_WHOLE, 1000, 450000, "Text for a model",
           "Bytes of a program's output that isolator-mcp puts into a result."),
     TOP_MEMBER(max_text_bytes)},
    {CONFIG_LEVEL_TOP,
     RANGE(CONFIG_KEY_MAX_ARTIFACTS, KEY_WHOLE, 0, 10000, "Number of artifacts",
           "How many files a run returns at most."),
     TOP_MEMBER(max_artifacts)},
    {CONFIG_LEVEL_TOP,
     RANGE(CONFIG_KEY_MAX_ARTIFACT_BYTES, KEY_WHOLE, 0, 1 << 30, "Size of artifacts",
           "How large the files that a run returns may be, in total."),
     TOP_MEMBER(max_artifact_bytes)},
    {CONFIG_LEVEL_TOP,
     RANGE("maxStoredBytes", KEY_WHOLE, 1 << 20, 1 << 30, "Size of stored files",
           "How many bytes of files and output of earlier calls isolator-mcp keeps on the disk."),
     TOP_MEMBER(max_stored_bytes)},
    {CONFIG_LEVEL_TOP,
     RANGE("warm", KEY_WHOLE_BY_LANGUAGE, 0, 100, "Warm containers",
           "How many containers of a language are started in advance, by its name; 0: none.")},
    {CONFIG_LEVEL_TOP,
     RANGE("warmMaxAgeSeconds", KEY_WHOLE, 1, 86400, "Maximum age of warm containers",
           "Seconds after which an unused warm container is replaced."),
     TOP_MEMBER(warm_max_age)},
    {CONFIG_LEVEL_TOP,
     RANGE("warmMemoryMB", KEY_WHOLE, 0, 1 << 24, "Memory of warm containers",
           "How many MB the warm containers whose interpreter is ready may use together; more "
           "containers wait without one."),
     TOP_MEMBER(warm_memory_mb)},
    {CONFIG_LEVEL_TOP,
     RANGE("maxShare", KEY_WHOLE, 0, CONFIG_SHARE_MAX, "Lines that share a container",
           "How many lines of isolator batch --share may run in one container, one after the "
           "other; 0: none is shared."),
     TOP_MEMBER(max_share)},
    {CONFIG_LEVEL_TOP,
     RULE("sessions", KEY_OBJECT, "Sessions",
          "Limits of sessions, each of which is a container that several requests share."),
     TOP_MEMBER(sessions), .members = CONFIG_LEVEL_SESSIONS},
    {CONFIG_LEVEL_TOP,
     RULE("jobs", KEY_OBJECT, "Jobs", "What holds for jobs, which outlive isolator."),
     TOP_MEMBER(jobs), .members = CONFIG_LEVEL_JOBS},
    {CONFIG_LEVEL_TOP,
     RULE("workspaces", KEY_OBJECT, "Workspaces",
          "Limits of workspaces, in which many commands run, and which outlive isolator."),
     TOP_MEMBER(workspaces), .members = CONFIG_LEVEL_WORKSPACES},
    {CONFIG_LEVEL_TOP,
     RANGE("tools", KEY_TOOL_SERVERS, 0, TOOL_SERVERS_MAX, "Servers of tools",
           "MCP servers over stdio whose tools programs may call, by name.",
           .pattern = TOOL_SERVER_NAME_PATTERN),
     .set = config_value_tools, .members = CONFIG_LEVEL_TOOL_SERVER},
    {CONFIG_LEVEL_TOP,
     RANGE(
         "mcpServers", KEY_MCP_SERVERS, 0, TOOL_SERVERS_MAX, "Servers of a .mcp.json",
         "The object of that name of a .mcp.json: servers over stdio, of which no tool is allowed.",
         .pattern = TOOL_SERVER_NAME_PATTERN),
     .set = config_value_mcp_servers, .members = CONFIG_LEVEL_TOOL_SERVER},
    {CONFIG_LEVEL_TOP,
     RULE("toolLimits", KEY_OBJECT, "Limits of tools", "What one run may do with tools."),
     TOP_MEMBER(tool_limits), .members = CONFIG_LEVEL_TOOL_LIMITS},
    {CONFIG_LEVEL_TOP,
     RULE("images", KEY_STRINGS, "Allowed images",
          "Patterns of the images that a line of isolator batch may name, like team/* or "
          "python:3.*; * does not match a '/'. Without any, none.",
          .pattern = "^(?!.*[*]{2})[A-Za-z0-9*][A-Za-z0-9._/:@*-]*$"),
     TOP_MEMBER(images), .set = config_value_images},
    {CONFIG_LEVEL_TOP,
     RULE("isolatorPath", KEY_STRING, "Not used", "Accepted for compatibility with old files."),
     .set = config_value_ignored, .schema = "{\"deprecated\": true}"},
    {CONFIG_LEVEL_TOP,
     RULE("network", KEY_OBJECT, "Reachable hosts",
          "The hosts that programs reach over a proxy; the same as network in defaults."),
     TOP_MEMBER(defaults), .members = CONFIG_LEVEL_NETWORK},
    {CONFIG_LEVEL_TOP,
     RULE("defaults", KEY_OBJECT, "Defaults",
          "Limits of a program, unless its language or the request sets others."),
     TOP_MEMBER(defaults), .members = CONFIG_LEVEL_LIMITS},
    {CONFIG_LEVEL_TOP, RULE("maximums", KEY_OBJECT, "Maximums", "The most that a program may get."),
     TOP_MEMBER(maximums), .members = CONFIG_LEVEL_LIMITS},
    {CONFIG_LEVEL_TOP, RULE("languages", KEY_LANGUAGES, "Languages",
                            "Languages by name. A language that is not built in needs image, "
                            "command, extensions and defaultFilename.")},

    LIMITS(LIMIT),
    {CONFIG_LEVEL_LIMITS, SETTING(NETWORK), .set = config_value_network,
     .members = CONFIG_LEVEL_NETWORK},
    {CONFIG_LEVEL_LIMITS, SETTING(READ_ONLY), .set = config_value_read_only},
    {CONFIG_LEVEL_LIMITS, SETTING(CAP_DROP), .set = config_value_cap_drop},
    {CONFIG_LEVEL_LIMITS, SETTING(USER), .set = config_value_user},
    {CONFIG_LEVEL_LIMITS, SETTING(OCI_RUNTIME), .set = config_value_oci_runtime},

    {CONFIG_LEVEL_LANGUAGE,
     RANGE("image", KEY_STRING, 1, 512, "Image",
           "Image that programs in the language run in; it must be on the engine.",
           .pattern = "^[A-Za-z0-9][A-Za-z0-9._/:@-]*$"),
     LANGUAGE_MEMBER(image), .set = config_value_image},
    {CONFIG_LEVEL_LANGUAGE,
     RULE("imageVersions", KEY_STRINGS_BY_NAME, "Versions in the image",
          "The minimum versions of what the image has, by the environment variables in which it "
          "states them.",
          .pattern = "^[A-Za-z_][A-Za-z0-9_]*$"),
     LANGUAGE_MEMBER(image_versions), .set = config_value_image_versions,
     .schema = "{\"additionalProperties\": {\"type\": \"string\", \"pattern\": \"^[0-9.]+$\"}}"},
    {CONFIG_LEVEL_LANGUAGE,
     RANGE("command", KEY_STRINGS, 1, 0, "Command",
           "Command that runs a program, one word per string; {entrypoint} stands for the path of "
           "the program, {stem} for the same without its extension, {workdir} for the working "
           "directory."),
     LANGUAGE_MEMBER(command)},
    {CONFIG_LEVEL_LANGUAGE,
     RANGE("build", KEY_STRINGS, 0, 0, "Build",
           "Command that builds a program before it runs, one word per string; empty: nothing is "
           "built. {sources} stands for its files in the language, one word each, and the marks of "
           "command can be used too."),
     LANGUAGE_MEMBER(build), .set = config_value_build},
    {CONFIG_LEVEL_LANGUAGE,
     RANGE("standard", KEY_STRING, 0, 40, "Standard of the language",
           "What {standard} in build stands for, such as gnu++20; empty: words with it are left "
           "out."),
     LANGUAGE_MEMBER(standard), .set = config_value_standard},
    {CONFIG_LEVEL_LANGUAGE,
     RANGE("packageStandard", KEY_STRING, 0, 40, "Standard in problem packages",
           "The same for the programs of problem packages; by default that of standard."),
     LANGUAGE_MEMBER(package_standard), .set = config_value_standard},
    {CONFIG_LEVEL_LANGUAGE,
     RANGE("sessionCommand", KEY_STRINGS, 0, 0, "Command of a session",
           "Command of an interpreter that stays in a session and keeps variables, one word per "
           "string; {python_driver} and {javascript_driver} stand for programs that isolator has, "
           "{workdir} for the working directory. Empty: each request of a session is a process of "
           "its own."),
     LANGUAGE_MEMBER(session_command), .set = config_value_session_command},
    {CONFIG_LEVEL_LANGUAGE,
     RULE("buildLimits", KEY_OBJECT, "Limits of the build",
          "How the limits of the build differ from those of the programs in the language."),
     LANGUAGE_MEMBER(build_limits), .members = CONFIG_LEVEL_BUILD},
    {CONFIG_LEVEL_LANGUAGE,
     RANGE(
         "stackMB", KEY_WHOLE, 1, 1 << 24, "Stack",
         "Maximum size of the stack of a program or build, in MB; by default that of its memory."),
     LANGUAGE_MEMBER(traits.stack_mb)},
    {CONFIG_LEVEL_LANGUAGE,
     RULE("ready", KEY_BOOLEAN, "Ready interpreter",
          "If false, the interpreter of a warm container is started with the program, and not in "
          "advance."),
     LANGUAGE_MEMBER(ready)},
    {CONFIG_LEVEL_LANGUAGE,
     RANGE("preload", KEY_STRINGS, 0, 64, "Modules imported in advance",
           "Python modules that the interpreter of a warm container imports before a request "
           "comes.",
           .pattern = "^[A-Za-z_][A-Za-z0-9_]*([.][A-Za-z_][A-Za-z0-9_]*)*$"),
     LANGUAGE_MEMBER(preload), .set = config_value_preload},
    {CONFIG_LEVEL_LANGUAGE,
     RANGE("aliases", KEY_STRINGS, 0, 16, "Aliases",
           "Other names of the language, which requests may use.",
           .pattern = "^[A-Za-z0-9+#._-]+$"),
     LANGUAGE_MEMBER(aliases), .set = config_value_aliases},
    {CONFIG_LEVEL_LANGUAGE,
     RANGE("extensions", KEY_STRINGS, 1, 0, "Extensions",
           "File name extensions of the language, each with its dot.", .pattern = "^[.][^/]*$"),
     LANGUAGE_MEMBER(extensions), .set = config_value_extensions},
    {CONFIG_LEVEL_LANGUAGE,
     RANGE("defaultFilename", KEY_STRING, 1, 255, "Default file name",
           "File name of a program that has none of its own, and entrypoint of a directory if none "
           "is named.",
           .pattern = "^(?![.]+$)[^/]+$"),
     LANGUAGE_MEMBER(default_filename), .set = config_value_default_filename},
    {CONFIG_LEVEL_LANGUAGE,
     RANGE("filenamePattern", KEY_STRING, 1, FILENAME_PATTERN_MAX, "File name in the source",
           "Extended regular expression, whose last group in the first line of a program that it "
           "matches is the name of its file, without the extension."),
     LANGUAGE_MEMBER(filename_pattern), .set = config_value_filename_pattern},
    {CONFIG_LEVEL_LANGUAGE,
     RULE("hello", KEY_STRING, "Test program",
          "Program that isolator doctor runs to see whether the language works, unless promptsDir "
          "has a hello_world in it."),
     LANGUAGE_MEMBER(hello)},
    {CONFIG_LEVEL_LANGUAGE,
     RULE("env", KEY_STRINGS_BY_NAME, "Environment",
          "Environment variables by name; they are added to those that are built in.",
          .pattern = "^(?!(" RESERVED_VARIABLES ")$)[A-Za-z_][A-Za-z0-9_]*$"),
     LANGUAGE_MEMBER(environment), .set = config_value_environment},
    {CONFIG_LEVEL_LANGUAGE,
     RULE("prepare", KEY_OBJECT, "Preparation",
          "How isolator prepare builds an image for programs in the language."),
     LANGUAGE_MEMBER(preparation), .members = CONFIG_LEVEL_PREPARE},
    {CONFIG_LEVEL_LANGUAGE,
     RANGE("listPackages", KEY_STRINGS, 1, 0, "List of packages",
           "Command, one word per string, that prints the packages of the prepared image, one name "
           "per line."),
     LANGUAGE_MEMBER(list_packages)},
    {CONFIG_LEVEL_LANGUAGE,
     RANGE("packages", KEY_STRINGS, 0, PREPARE_PACKAGES_MAX, "Packages",
           "Names of packages in the image; models read them.",
           .pattern = "^[A-Za-z0-9@_][A-Za-z0-9@._/+=-]{0,63}$"),
     LANGUAGE_MEMBER(packages), .set = prepare_read_packages},

    BUILD_LIMIT(TIMEOUT),
    BUILD_LIMIT(MEMORY),
    BUILD_LIMIT(CPUS),
    BUILD_LIMIT(PIDS),

    {CONFIG_LEVEL_PREPARE,
     RANGE("run", KEY_STRINGS, 0, PREPARE_STEPS_MAX, "Steps",
           "Shell commands, which run once and in this order; without any there is no preparation.",
           .pattern = "[^ \\t\\r]"),
     PREPARE_MEMBER(steps), .set = prepare_read_steps},
    {CONFIG_LEVEL_PREPARE,
     RANGE("files", KEY_STRINGS, 0, PREPARE_FILES_MAX, "Files",
           "Files and directories that the steps find in their working directory, each under its "
           "last name; paths relative to the configuration file."),
     PREPARE_MEMBER(files), .set = config_value_steps_files},
    {CONFIG_LEVEL_PREPARE,
     RULE("network", KEY_STRING_OR_OBJECT, "Network",
          "Network of the steps: none, bridge or the name of a network of the engine, never host; "
          "or an object with the hosts that they reach over a proxy, without a limit of traffic "
          "by default.",
          .pattern = SETTING_NETWORK_PATTERN),
     PREPARE_MEMBER(network), .set = prepare_read_network, .members = CONFIG_LEVEL_NETWORK},

    {CONFIG_LEVEL_SESSIONS,
     RANGE("max", KEY_WHOLE, 0, 256, "Open sessions",
           "How many sessions may be open at once; 0: there are no sessions."),
     SESSION_MEMBER(max)},
    {CONFIG_LEVEL_SESSIONS,
     RANGE("idleSeconds", KEY_WHOLE, 1, 86400, "Idle time",
           "Seconds without a request after which a session ends."),
     SESSION_MEMBER(idle_seconds)},
    {CONFIG_LEVEL_SESSIONS,
     RANGE("lifetimeSeconds", KEY_WHOLE, 1, 86400, "Lifetime",
           "Seconds after which a session ends."),
     SESSION_MEMBER(lifetime_seconds)},
    {CONFIG_LEVEL_SESSIONS,
     RANGE("cpuSeconds", KEY_WHOLE, 1, 864000, "CPU time",
           "Seconds of CPU time that a session may use in all."),
     SESSION_MEMBER(cpu_seconds)},
    {CONFIG_LEVEL_SESSIONS,
     RANGE("outputBytes", KEY_WHOLE, 1024, 1 << 30, "Output",
           "Bytes that the programs of a session may write in all."),
     SESSION_MEMBER(output_bytes)},

    {CONFIG_LEVEL_JOBS,
     RANGE("keepHours", KEY_WHOLE, 1, 8760, "Unfetched results",
           "Hours after its timeout after which a job is removed that was not waited for."),
     .offset = offsetof(struct job_settings, keep_hours)},
    {CONFIG_LEVEL_JOBS,
     RANGE("maxRunning", KEY_WHOLE, 0, 256, "Jobs of models",
           "How many jobs of the user may run at once when a model starts one; 0: models cannot "
           "start jobs."),
     .offset = offsetof(struct job_settings, max_running)},

    {CONFIG_LEVEL_WORKSPACES,
     RANGE("idleSeconds", KEY_WHOLE, 1, 604800, "Idle time",
           "Seconds after which a workspace ends in which no command runs."),
     .offset = offsetof(struct workspace_settings, idle_seconds)},
    {CONFIG_LEVEL_WORKSPACES,
     RANGE("lifetimeSeconds", KEY_WHOLE, 1, 2592000, "Lifetime",
           "Seconds after which a workspace ends."),
     .offset = offsetof(struct workspace_settings, lifetime_seconds)},
    {CONFIG_LEVEL_WORKSPACES,
     RANGE("maxRunning", KEY_WHOLE, 0, 4096, "Workspaces at once",
           "How many workspaces of the user may run at once; 0: any number."),
     .offset = offsetof(struct workspace_settings, max_running)},
};
enum { KEYS = sizeof keys / sizeof *keys };

const struct config_key *config_keys_next(enum config_level level, const struct config_key *key)
{
    if (level == CONFIG_LEVEL_TOOL_SERVER || level == CONFIG_LEVEL_TOOL_LIMITS)
        return tool_keys_next(level, key);
    if (level == CONFIG_LEVEL_NETWORK || level == CONFIG_LEVEL_HOST ||
        level == CONFIG_LEVEL_CREDENTIAL)
        return network_keys_next(level, key);
    return config_keys_in(keys, KEYS, level, key);
}

const struct config_key *config_keys_find(enum config_level level, const char *name)
{
    const struct config_key *key = NULL;

    while ((key = config_keys_next(level, key)) && strcmp(key->rule->name, name) != 0)
        ;
    return key;
}
