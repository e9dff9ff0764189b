#include "configuration.h"

#include <math.h>

#include "base/memory.h"
#include "base/text.h"
#include "config/config_load.h"

static const struct language *language(const struct config *config, const char *name)
{
    const struct language *found = config_language(config, name);

    assert_non_null(found);
    return found;
}

/* ---- what is read */

static const char SMALL[] =
    "{\"containerCommand\": \"podman\", \"containerWorkdir\": \"/w\", \"promptsDir\": \"/p\","
    " \"defaults\": {\"timeoutSeconds\": 1.5, \"memoryMB\": 64, \"capDrop\": [\"all\", \"X\"]},"
    " \"maximums\": {\"memoryMB\": 128, \"readOnly\": true, \"user\": \"1:2\"},"
    " \"languages\": {\"sh\": {\"image\": \"i\", \"command\": [\"sh\", \"{entrypoint}\"],"
    " \"extensions\": [\".sh\", \".bash\"], \"defaultFilename\": \"main.sh\","
    " \"env\": {\"A\": \"1\", \"B\": \"\"}, \"cpus\": 2, \"network\": \"bridge\"}}}";

CASE(config__reads_everything)
{
    struct config config;
    const struct language *sh;

    config_init(&config);
    overlay(&config, SMALL);
    assert_null(config.file);
    assert_string_equal(config.container_command, "podman");
    assert_string_equal(config.workdir, "/w");
    assert_string_equal(config.prompts_dir, "/p");
    assert_true(config.defaults.limits.number[LIMIT_TIMEOUT] == 1.5);
    assert_true(config.defaults.limits.number[LIMIT_MEMORY] == 64);
    assert_true(isnan(config.defaults.limits.number[LIMIT_CPUS]));
    check_joined(&config.defaults.cap_drop, "ALL|X");
    assert_true(config.maximums.limits.number[LIMIT_MEMORY] == 128);
    assert_int_equal(config.maximums.read_only, 1);
    assert_int_equal(config.maximums.uid, 1);
    assert_int_equal(config.maximums.gid, 2);
    assert_int_equal(config.language_count, 1);
    sh = language(&config, "sh");
    assert_string_equal(sh->name, "sh");
    assert_string_equal(sh->image, "i");
    check_joined(&sh->command, "sh|{entrypoint}");
    check_joined(&sh->extensions, ".sh|.bash");
    assert_string_equal(sh->default_filename, "main.sh");
    check_joined(&sh->environment, "A=1|B=");
    assert_true(sh->policy.limits.number[LIMIT_CPUS] == 2);
    assert_true(isnan(sh->policy.limits.number[LIMIT_MEMORY]));
    assert_string_equal(sh->policy.network, "bridge");
    config_release(&config);
}

CASE(config__empty_object_changes_nothing)
{
    struct config config;

    config_init(&config);
    overlay(&config, SMALL);
    overlay(&config, "{}");
    overlay(&config, "{\"defaults\": {}, \"maximums\": {}, \"languages\": {\"sh\": {}}}");
    assert_string_equal(config.container_command, "podman");
    assert_string_equal(language(&config, "sh")->image, "i");
    check_joined(&config.defaults.cap_drop, "ALL|X");
    config_release(&config);
}

CASE(config__overlay_changes_only_what_it_gives)
{
    struct config config;
    const struct language *sh;

    config_init(&config);
    overlay(&config, SMALL);
    overlay(&config, "{\"defaults\": {\"memoryMB\": 32}, \"languages\": {\"sh\": "
                     "{\"image\": \"other\"}}}");
    sh = language(&config, "sh");
    assert_string_equal(sh->image, "other");
    check_joined(&sh->command, "sh|{entrypoint}");
    check_joined(&sh->extensions, ".sh|.bash");
    check_joined(&sh->environment, "A=1|B=");
    assert_true(sh->policy.limits.number[LIMIT_CPUS] == 2);
    assert_true(config.defaults.limits.number[LIMIT_MEMORY] == 32);
    assert_true(config.defaults.limits.number[LIMIT_TIMEOUT] == 1.5);
    assert_string_equal(config.workdir, "/w");
    config_release(&config);
}

CASE(config__overlay_replaces_lists_and_merges_variables)
{
    struct config config;
    const struct language *sh;

    config_init(&config);
    overlay(&config, SMALL);
    overlay(&config, "{\"defaults\": {\"capDrop\": [\"MKNOD\"]}, \"languages\": {\"sh\": {"
                     "\"command\": [\"dash\", \"-e\", \"./{entrypoint}\"],"
                     "\"extensions\": [\".ksh\"], \"env\": {\"C\": \"3\", \"A\": \"one\"}}}}");
    sh = language(&config, "sh");
    check_joined(&sh->command, "dash|-e|./{entrypoint}");
    check_joined(&sh->extensions, ".ksh");
    check_joined(&sh->environment, "A=one|B=|C=3");
    check_joined(&config.defaults.cap_drop, "MKNOD");
    config_release(&config);
}

CASE(config__new_languages_come_last)
{
    struct config config;
    CLEANUP_FREE char *names = NULL;

    config_init(&config);
    overlay(&config, SMALL);
    for (int i = 0; i < 5; i++) {
        CLEANUP_FREE char *json = string_format(
            "{\"languages\": {\"l%d\": {\"image\": \"i\", \"command\": [\"{entrypoint}\"],"
            " \"extensions\": [\".l%d\"], \"defaultFilename\": \"m\"}}}",
            i, i);

        overlay(&config, json);
    }
    names = config_language_names(&config, NULL);
    assert_string_equal(names, "sh, l0, l1, l2, l3, l4");
    assert_null(config_language(&config, "l5"));
    assert_null(config_language(&config, ""));
    assert_null(config_language(&config, "SH"));
    config_release(&config);
}

#define CASED(name, aliases)                                                                       \
    "\"" name "\": {\"image\": \"i\", \"command\": [\"x\", \"{entrypoint}\"], \"extensions\": "    \
    "[\".x\"], \"defaultFilename\": \"x\", \"aliases\": [" aliases "]}"

static const char *name_of(const struct config *config, const char *called)
{
    const struct language *found = config_language_called(config, called);

    return found ? found->name : "-";
}

/* As it is spelt, or else in any case, unless that is two languages. */
CASE(config__languages_by_what_they_are_called)
{
    struct config config;

    config_init(&config);
    overlay(&config, "{\"languages\": {" CASED("python", "\"py\", \"C\"") ", " CASED(
                         "c", "\"Ansi\"") ", " CASED("R", "\"ansi\"") "}}");
    assert_string_equal(name_of(&config, "python"), "python");
    assert_string_equal(name_of(&config, "PyThon"), "python");
    assert_string_equal(name_of(&config, "PY"), "python");
    assert_string_equal(name_of(&config, "r"), "R");
    assert_string_equal(name_of(&config, "c"), "c");
    assert_string_equal(name_of(&config, "C"), "python");
    assert_string_equal(name_of(&config, "ansi"), "R");
    assert_string_equal(name_of(&config, "ANSI"), "-");
    assert_string_equal(name_of(&config, "pyt"), "-");
    config_release(&config);
}

CASE(config__language_of_a_file)
{
    struct config config;

    config_init(&config);
    overlay(&config, SMALL);
    assert_ptr_equal(config_language_of_file(&config, "a.sh"), &config.languages[0]);
    assert_ptr_equal(config_language_of_file(&config, "dir.x/a.b.bash"), &config.languages[0]);
    assert_ptr_equal(config_language_of_file(&config, ".sh"), &config.languages[0]);
    assert_ptr_equal(config_language_of_file(&config, "a.SH"), &config.languages[0]);
    assert_null(config_language_of_file(&config, "a.sh.txt"));
    assert_null(config_language_of_file(&config, "sh"));
    assert_null(config_language_of_file(&config, "dir.sh/file"));
    assert_null(config_language_of_file(&config, "a."));
    assert_null(config_language_of_file(&config, ""));
    config_release(&config);
}

/* If two languages have the same extension, the first in the file gets it. */
CASE(config__first_language_of_an_extension)
{
    struct config config;

    config_init(&config);
    overlay(&config, SMALL);
    overlay(&config, "{\"languages\": {\"other\": {\"image\": \"i\", \"command\": "
                     "[\"{entrypoint}\"], \"extensions\": [\".sh\", \".o\"], "
                     "\"defaultFilename\": \"m\"}, \"third\": {\"image\": \"i\", \"command\": "
                     "[\"{entrypoint}\"], \"extensions\": [\".o\"], \"defaultFilename\": \"m\"}}}");
    assert_string_equal(config_language_of_file(&config, "a.sh")->name, "other");
    assert_string_equal(config_language_of_file(&config, "a.o")->name, "other");
    assert_string_equal(config_language_of_file(&config, "a.bash")->name, "sh");
    config_release(&config);
}

CASE(config__names_of_languages)
{
    struct config config;

    config_init(&config);
    overlay(&config, "{\"languages\": {\"c++-1.0_#\": {\"image\": \"i\", \"command\": "
                     "[\"{entrypoint}\"], \"extensions\": [\".c\"], "
                     "\"defaultFilename\": \"m\"}}}");
    assert_string_equal(language(&config, "c++-1.0_#")->name, "c++-1.0_#");
    config_release(&config);
}

CASE(config__isolator_path_is_read_and_dropped)
{
    struct config config;

    config_init(&config);
    overlay(&config, "{\"isolatorPath\": \"/usr/bin/isolator\"}");
    config_release(&config);
    check_refused("{\"isolatorPath\": 1}",
                  "test.json: isolatorPath: must be a string that is not empty");
}

/* ---- what is refused */

static void check_refused_at(const char *json, const char *start)
{
    struct error error = ERROR_INIT;
    struct config config;

    config_init(&config);
    assert_int_equal(config_overlay(&config, json, strlen(json), "test.json", &error), -1);
    assert_int_equal(error.kind, ERROR_CONFIG);
    if (strncmp(error.message, start, strlen(start)) != 0)
        fail_msg("'%s' does not start with '%s'", error.message, start);
    error_release(&error);
    config_release(&config);
}

/* The words after the position are those of jansson. */
CASE(config__no_json)
{
    check_refused_at("", "test.json:1:0: ");
    check_refused_at("{", "test.json:1:1: ");
    check_refused_at("{\n  \"defaults\": {},,\n}", "test.json:2:");
    check_refused_at("{} trailing", "test.json:1:");
    check_refused_at("{\"defaults\": {}, \"defaults\": {}}", "test.json:1:");
    check_refused_at("{\"promptsDir\": \"\xff\"}", "test.json:1:");
    check_refused_at("{\"promptsDir\": \"a\\u0000b\"}", "test.json:1:");
    check_refused_at("{\"a\\u0000b\": 1}", "test.json:1:");
    check_refused_at("// comment\n{}", "test.json:1:");
    check_refused_at("{\"defaults\": {\"cpus\": 1e999}}", "test.json:1:");
    check_refused_at("{\"defaults\": {\"cpus\": NaN}}", "test.json:1:");
    check_refused("[]", "test.json: must be an object");
    check_refused("{\"a\\\xc7\x8a", "test.json:1:5: invalid escape near '\"a\\\\xc7'");
}

CASE(config__unknown_keys)
{
    check_refused("{\"zzz\": 1}", "test.json: zzz: unknown key");
    check_refused("{\"languges\": {}}",
                  "test.json: languges: unknown key; did you mean 'languages'?");
    check_refused("{\"Defaults\": {}}",
                  "test.json: Defaults: unknown key; did you mean 'defaults'?");
    check_refused("{\"defaults\": {\"memoryMb\": 1}}",
                  "test.json: defaults.memoryMb: unknown key; did you mean 'memoryMB'?");
    check_refused("{\"maximums\": {\"netwrok\": 1}}",
                  "test.json: maximums.netwrok: unknown key; did you mean 'network'?");
    check_refused("{\"defaults\": {\"image\": \"i\"}}", "test.json: defaults.image: unknown key");
    check_refused("{\"languages\": {\"sh\": {\"comand\": []}}}",
                  "test.json: languages.sh.comand: unknown key; did you mean 'command'?");
    check_refused("{\"languages\": {\"sh\": {\"timeoutSecond\": 1}}}",
                  "test.json: languages.sh.timeoutSecond: unknown key; did you mean "
                  "'timeoutSeconds'?");
    check_refused("{\"languages\": {\"sh\": {\"qqqqqq\": 1}}}",
                  "test.json: languages.sh.qqqqqq: unknown key");
    check_refused("{\"a\\u001b[2J\\n\": 1}", "test.json: a\\x1b[2J\\n: unknown key");
    check_refused("{\"\": 1}", "test.json: : unknown key");
}

CASE(config__wrong_types)
{
    check_refused("{\"containerCommand\": 1}",
                  "test.json: containerCommand: must be a string that is not empty");
    check_refused("{\"containerCommand\": \"\"}",
                  "test.json: containerCommand: must be a string that is not empty");
    check_refused("{\"containerWorkdir\": null}",
                  "test.json: containerWorkdir: must be a string that is not empty");
    check_refused("{\"images\": [\"x\", \"team/**\"]}",
                  "test.json: images: 'team/**' is not a pattern for images, like team/* or "
                  "python:3.*; * does not match a '/'");
    check_refused("{\"images\": \"x\"}",
                  "test.json: images: must be an array of strings that is not empty");
    check_refused("{\"promptsDir\": []}",
                  "test.json: promptsDir: must be a string that is not empty");
    check_refused("{\"defaults\": []}", "test.json: defaults: must be an object");
    check_refused("{\"maximums\": null}", "test.json: maximums: must be an object");
    check_refused("{\"languages\": \"python\"}", "test.json: languages: must be an object");
    check_refused("{\"languages\": {\"sh\": 1}}", "test.json: languages.sh: must be an object");
    check_refused("{\"defaults\": {\"memoryMB\": \"64\"}}",
                  "test.json: defaults.memoryMB: must be a number");
    check_refused("{\"defaults\": {\"readOnly\": 1}}",
                  "test.json: defaults.readOnly: must be true or false");
    check_refused("{\"defaults\": {\"network\": true}}",
                  "test.json: defaults.network: must be a string or an object");
    check_refused("{\"defaults\": {\"network\": \"\"}}",
                  "test.json: defaults.network: must be a string that is not empty");
    check_refused("{\"defaults\": {\"user\": 65534}}",
                  "test.json: defaults.user: must be a string that is not empty");
    check_refused("{\"defaults\": {\"capDrop\": \"ALL\"}}",
                  "test.json: defaults.capDrop: must be an array of strings that is not empty");
    check_refused("{\"defaults\": {\"capDrop\": []}}",
                  "test.json: defaults.capDrop: must be an array of strings that is not empty");
    check_refused("{\"defaults\": {\"capDrop\": [\"ALL\", 1]}}",
                  "test.json: defaults.capDrop: must be a string that is not empty");
}

CASE(config__wrong_limits)
{
    check_refused("{\"defaults\": {\"memoryMB\": 5}}",
                  "test.json: defaults.memoryMB: it must be from 6 to 16777216 MB");
    check_refused("{\"defaults\": {\"memoryMB\": 6.5}}",
                  "test.json: defaults.memoryMB: it must be a whole number");
    check_refused("{\"maximums\": {\"timeoutSeconds\": 0}}",
                  "test.json: maximums.timeoutSeconds: it must be from 0.001 to 31622400 s");
    check_refused("{\"maximums\": {\"cpus\": -1}}",
                  "test.json: maximums.cpus: it must be from 0.01 to 4096");
    check_refused("{\"languages\": {\"sh\": {\"pidsLimit\": 1}}}",
                  "test.json: languages.sh.pidsLimit: it must be from 8 to 4194304");
    check_refused("{\"defaults\": {\"network\": \"host\"}}",
                  "test.json: defaults.network: network 'host' would lift the isolation; use none, "
                  "bridge or a network of the engine");
    check_refused("{\"defaults\": {\"network\": \"a b\"}}",
                  "test.json: defaults.network: 'a b' is not the name of a network; use none, "
                  "bridge or a network of the engine");
    check_refused("{\"defaults\": {\"user\": \"root\"}}",
                  "test.json: defaults.user: 'root' is not a user; write numbers up to 2097151, "
                  "like 65534 or 1000:1000");
    check_refused("{\"userRange\": \"1000-1254\"}",
                  "test.json: userRange: '1000-1254' is not a range of users; write FIRST-LAST, at "
                  "least 256 numbers from 1 to 2097151");
    check_refused("{\"userRange\": [1000, 2000]}",
                  "test.json: userRange: must be a string that is not empty");
    check_refused("{\"defaults\": {\"capDrop\": [\"NET RAW\"]}}",
                  "test.json: defaults.capDrop: 'NET RAW' is not a list of capabilities, like ALL "
                  "or NET_RAW,MKNOD");
    check_refused("{\"containerWorkdir\": \"work\"}",
                  "test.json: containerWorkdir: 'work' is not a working directory; write an "
                  "absolute path like /workspace");
}

/* It does not fit into the working directory. */
CASE(config__filename_of_256_bytes)
{
    char name[257] = "";
    CLEANUP_FREE char *json = NULL;
    CLEANUP_FREE char *message = NULL;

    memset(name, 'a', 256);
    json = string_format("{\"languages\": {\"sh\": {\"defaultFilename\": \"%s\"}}}", name);
    message =
        string_format("test.json: languages.sh.defaultFilename: a part of '%.80s...' is longer "
                      "than 255 bytes",
                      name);
    check_refused(json, message);
}

#define BUILT                                                                                      \
    "\"image\": \"c\", \"extensions\": [\".c\"], \"defaultFilename\": \"a.c\", "                   \
    "\"command\": [\"./{stem}\"], \"build\": [\"cc\", \"{sources}\"], "                            \
    "\"buildLimits\": {\"memoryMB\": 900, \"cpus\": 2}"

/* A file changes single limits of a build, or takes the build away. */
CASE(config__builds)
{
    struct error error = ERROR_INIT;
    struct config config;
    static const char none[] = "{\"languages\": {\"c\": {\"build\": []}}}";

    config_init(&config);
    overlay(&config, "{\"languages\": {\"c\": {" BUILT "}}}");
    overlay(&config, "{\"languages\": {\"c\": {\"buildLimits\": {\"cpus\": 1}}}}");
    check_joined(&language(&config, "c")->build, "cc|{sources}");
    assert_true(language(&config, "c")->build_limits.number[LIMIT_MEMORY] == 900);
    assert_true(language(&config, "c")->build_limits.number[LIMIT_CPUS] == 1);
    assert_true(isnan(language(&config, "c")->build_limits.number[LIMIT_PIDS]));
    assert_true(isnan(language(&config, "c")->policy.limits.number[LIMIT_MEMORY]));
    overlay(&config, "{\"languages\": {\"c\": {\"build\": [], \"command\": [\"{entrypoint}\"]}}}");
    assert_int_equal(language(&config, "c")->build.count, 0);
    config_release(&config);

    config_init(&config);
    overlay(&config, "{\"languages\": {\"c\": {" BUILT "}}}");
    assert_int_equal(config_overlay(&config, none, sizeof none - 1, "test.json", &error), -1);
    assert_error(&error, ERROR_CONFIG,
                 "test.json: languages.c.command: must be a command with \"{entrypoint}\" in it, "
                 "since there is no build");
    config_release(&config);
}

/* An empty text takes a standard away. */
CASE(config__standards)
{
    struct config config;

    config_init(&config);
    overlay(&config, "{\"languages\": {\"c\": {" BUILT ", \"standard\": \"c11\"}}}");
    overlay(&config, "{\"languages\": {\"c\": {\"packageStandard\": \"c17\"}}}");
    assert_string_equal(language(&config, "c")->standard, "c11");
    assert_string_equal(language(&config, "c")->package_standard, "c17");
    overlay(&config, "{\"languages\": {\"c\": {\"standard\": \"\"}}}");
    assert_string_equal(language(&config, "c")->standard, "");
    assert_string_equal(language(&config, "c")->package_standard, "c17");
    config_release(&config);
}

CASE(config__wrong_builds)
{
    check_refused("{\"languages\": {\"c\": {\"build\": \"cc\"}}}",
                  "test.json: languages.c.build: must be an array of strings that is not empty");
    check_refused("{\"languages\": {\"c\": {\"build\": [\"cc\", \"-x{sources}\"]}}}",
                  "test.json: languages.c.build: must be a command with \"{sources}\" only as a "
                  "word of its own");
    check_refused("{\"languages\": {\"c\": {\"buildLimits\": {\"memoryMB\": 5}}}}",
                  "test.json: languages.c.buildLimits.memoryMB: it must be from 6 to 16777216 MB");
    check_refused_at("{\"languages\": {\"c\": {\"buildLimits\": {\"network\": \"none\"}}}}",
                     "test.json: languages.c.buildLimits.network: unknown key");
}

CASE(config__wrong_languages)
{
    check_refused("{\"languages\": {\"sh\": {}}}",
                  "test.json: languages.sh: must be complete: a new language needs image, command, "
                  "extensions and defaultFilename");
    check_refused("{\"languages\": {\"\": {}}}",
                  "test.json: languages.: must be named with letters, digits and any of + # . _ -");
    check_refused("{\"languages\": {\"a b\": {}}}",
                  "test.json: languages.a b: must be named with letters, digits and any of + # . _ "
                  "-");
    check_refused("{\"languages\": {\"sh\": {\"command\": []}}}",
                  "test.json: languages.sh.command: must be an array of strings that is not empty");
    check_refused("{\"languages\": {\"sh\": {\"command\": \"sh\"}}}",
                  "test.json: languages.sh.command: must be an array of strings that is not empty");
    check_refused("{\"languages\": {\"sh\": {\"command\": [\"sh\", \"{entry}\"]}}}",
                  "test.json: languages.sh.command: must be a command with \"{entrypoint}\" in it, "
                  "since there is no build");
    check_refused("{\"languages\": {\"sh\": {\"extensions\": [\"sh\"]}}}",
                  "test.json: languages.sh.extensions: must be extensions with their dot, like "
                  "\".py\"");
    check_refused("{\"languages\": {\"sh\": {\"extensions\": [\".sh\", \"./sh\"]}}}",
                  "test.json: languages.sh.extensions: must be extensions with their dot, like "
                  "\".py\"");
    check_refused("{\"languages\": {\"sh\": {\"defaultFilename\": \"a/b\"}}}",
                  "test.json: languages.sh.defaultFilename: must be the name of a file");
    check_refused("{\"languages\": {\"sh\": {\"defaultFilename\": \"..\"}}}",
                  "test.json: languages.sh.defaultFilename: must be the name of a file");
    check_refused("{\"languages\": {\"sh\": {\"image\": \"-x\"}}}",
                  "test.json: languages.sh.image: '-x' is not an image; write it like name:tag");
    check_refused(
        "{\"languages\": {\"sh\": {\"extensions\": {}}}}",
        "test.json: languages.sh.extensions: must be an array of strings that is not empty");
    check_refused("{\"languages\": {\"sh\": {\"defaultFilename\": 1}}}",
                  "test.json: languages.sh.defaultFilename: must be a string that is not empty");
    check_refused("{\"languages\": {\"sh\": {\"image\": \"\"}}}",
                  "test.json: languages.sh.image: must be a string that is not empty");
    check_refused("{\"languages\": {\"sh\": {\"env\": {\"A-B\": \"1\"}}}}",
                  "test.json: languages.sh.env.A-B: must be named like a variable: letters, "
                  "digits, _");
    check_refused("{\"languages\": {\"sh\": {\"env\": {\"A\": 1}}}}",
                  "test.json: languages.sh.env.A: must be a string");
    check_refused("{\"languages\": {\"sh\": {\"env\": [\"A=1\"]}}}",
                  "test.json: languages.sh.env: must be an object");
}

/* A message has the path of its own key, whatever was read before it. */
CASE(config__path_of_later_keys)
{
    check_refused("{\"defaults\": {\"cpus\": 1, \"memoryMB\": 64}, \"maximums\": {\"cpus\": 2, "
                  "\"tmpMB\": 0}}",
                  "test.json: maximums.tmpMB: it must be from 1 to 1048576 MB");
    check_refused("{\"languages\": {\"sh\": {\"env\": {\"A\": \"1\", \"B\": \"2\"}, \"image\": "
                  "1}}}",
                  "test.json: languages.sh.image: must be a string that is not empty");
}

/* ---- files */

/* A directory that the environment variables name. The user's own files are not read. */
static char *set_up_home(void)
{
    char *directory = temp_create();
    CLEANUP_FREE char *isolator = path_in(directory, "isolator");
    CLEANUP_FREE char *dot_config = path_in(directory, ".config");
    CLEANUP_FREE char *below = path_in(directory, ".config/isolator");

    mkdir(isolator, 0755);
    mkdir(dot_config, 0755);
    mkdir(below, 0755);
    unsetenv("ISOLATOR_CONFIG");
    unsetenv("XDG_CONFIG_HOME");
    setenv("HOME", directory, 1);
    return directory;
}

/* Loads the configuration, and checks which file below the directory was read. */
static void check_load(const char *asked_for, const char *directory, const char *file)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP_FREE char *path = path_in(directory, file);
    struct config config;
    int result;

    config_init(&config);
    result = config_load(&config, asked_for, NULL, &error);
    assert_no_error(&error);
    assert_int_equal(result, 0);
    assert_text_or_null(config.file, path);
    assert_string_equal(config.container_command, file);
    config_release(&config);
}

/* A configuration whose containerCommand is the name of its file. */
static void write_config(const char *directory, const char *file)
{
    CLEANUP_FREE char *json = string_format("{\"containerCommand\": \"%s\"}", file);

    write_in(directory, file, json);
}

CASE(config__order_of_files)
{
    char *directory = set_up_home();
    CLEANUP_FREE char *asked_for = path_in(directory, "asked.json");
    CLEANUP_FREE char *variable = path_in(directory, "variable.json");

    write_config(directory, ".config/isolator/config.json");
    check_load(NULL, directory, ".config/isolator/config.json");
    setenv("XDG_CONFIG_HOME", "", 1);
    check_load(NULL, directory, ".config/isolator/config.json");
    setenv("XDG_CONFIG_HOME", "relative/path", 1);
    check_load(NULL, directory, ".config/isolator/config.json");
    setenv("XDG_CONFIG_HOME", directory, 1);
    write_config(directory, "isolator/config.json");
    check_load(NULL, directory, "isolator/config.json");
    write_config(directory, "variable.json");
    setenv("ISOLATOR_CONFIG", variable, 1);
    check_load(NULL, directory, "variable.json");
    write_config(directory, "asked.json");
    check_load(asked_for, directory, "asked.json");
    setenv("ISOLATOR_CONFIG", "", 1);
    check_load(NULL, directory, "isolator/config.json");
    temp_remove(directory);
}

/* ---- preparation */

/* SMALL with these members of its language. */
static void overlay_member(struct config *config, const char *member)
{
    CLEANUP_FREE char *json = string_format("{\"languages\": {\"sh\": {%s}}}", member);

    overlay(config, json);
}

CASE(config__preparation)
{
    struct config config;
    const struct language *sh;
    CLEANUP_FREE char *tag = NULL;

    config_init(&config);
    overlay(&config, SMALL);
    sh = language(&config, "sh");
    assert_null(sh->preparation.tag);
    overlay_member(&config, "\"prepare\": {\"run\": [\"a\", \"b\"], \"network\": \"bridge\"}, "
                            "\"listPackages\": [\"ls\", \"-1\"], \"packages\": [\"p\", \"q\"]");
    check_joined(&sh->preparation.steps, "a|b");
    assert_string_equal(sh->preparation.network.name, "bridge");
    check_joined(&sh->list_packages, "ls|-1");
    check_joined(&sh->packages, "p|q");
    tag = string_copy(sh->preparation.tag);
    overlay_member(&config, "\"prepare\": {\"network\": \"none\"}, \"packages\": []");
    assert_string_equal(sh->preparation.tag, tag);
    check_joined(&sh->packages, "");
    overlay_member(&config, "\"prepare\": {\"files\": [\"/a/f\", \"/a/d//\"]}");
    check_joined(&sh->preparation.files, "/a/f|/a/d");
    assert_string_not_equal(sh->preparation.tag, tag);
    overlay_member(&config, "\"prepare\": {\"files\": []}");
    assert_string_equal(sh->preparation.tag, tag);
    overlay_member(&config, "\"image\": \"another\"");
    assert_string_not_equal(sh->preparation.tag, tag);
    overlay_member(&config, "\"prepare\": {\"run\": []}");
    assert_null(sh->preparation.tag);
    config_release(&config);
}

/* An object names hosts; without maxBytes they have no limit. It and a string replace each other.
 */
CASE(config__network_of_steps)
{
    struct config config;
    const struct prepare_network *network;

    config_init(&config);
    overlay(&config, SMALL);
    network = &language(&config, "sh")->preparation.network;
    overlay_member(&config, "\"prepare\": {\"network\": \"bridge\"}");
    overlay_member(&config, "\"prepare\": {\"network\": {\"allow\": [\"a.example:81\"]}}");
    assert_null(network->name);
    assert_int_equal(network->hosts.count, 1);
    assert_int_equal(network->hosts.hosts[0].ports[0], 81);
    assert_true(network->hosts.max_bytes == NETWORK_BYTES_MAX);
    assert_int_equal(network->hosts.max_connections, 64);
    overlay_member(&config, "\"prepare\": {\"network\": {\"maxBytes\": 5}}");
    assert_int_equal(network->hosts.count, 1);
    assert_true(network->hosts.max_bytes == 5);
    overlay_member(&config, "\"prepare\": {\"network\": \"none\"}");
    assert_string_equal(network->name, "none");
    assert_int_equal(network->hosts.count, 0);
    config_release(&config);
}

static void check_member_refused(const char *member, const char *message)
{
    CLEANUP_FREE char *json = string_format("{\"languages\": {\"sh\": {%s}}}", member);
    CLEANUP_FREE char *all = string_format("test.json: languages.sh.%s", message);

    check_refused(json, all);
}

CASE(config__wrong_preparations)
{
    check_member_refused("\"prepare\": []", "prepare: must be an object");
    check_member_refused("\"prepare\": {\"runs\": []}",
                         "prepare.runs: unknown key; did you mean 'run'?");
    check_member_refused("\"prepare\": {\"run\": \"x\"}",
                         "prepare.run: must be an array of strings that is not empty");
    check_member_refused("\"prepare\": {\"run\": [\" \"]}", "prepare.run: a step is empty");
    check_member_refused("\"prepare\": {\"files\": \"x\"}",
                         "prepare.files: must be an array of strings that is not empty");
    check_member_refused("\"prepare\": {\"files\": [\"/a/x\", \"/b/x\"]}",
                         "prepare.files: '/b/x' has the same name as another file");
    check_member_refused("\"prepare\": {\"network\": \"\"}",
                         "prepare.network: must be a string that is not empty");
    check_member_refused("\"prepare\": {\"network\": 1}",
                         "prepare.network: must be a string or an object");
    check_member_refused("\"prepare\": {\"network\": {\"hosts\": []}}",
                         "prepare.network.hosts: unknown key");
    check_member_refused("\"listPackages\": []",
                         "listPackages: must be an array of strings that is not empty");
    check_member_refused(
        "\"packages\": [\"a b\"]",
        "packages: must be names of packages: up to 64 letters, digits and any of @ "
        ". _ / + = -");
}

/* $XDG_CONFIG_HOME replaces ~/.config: the latter is not searched too. */
CASE(config__xdg_takes_the_place_of_home)
{
    char *directory = set_up_home();
    CLEANUP_FREE char *empty = path_in(directory, "empty");
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct config config;

    write_config(directory, ".config/isolator/config.json");
    setenv("XDG_CONFIG_HOME", empty, 1);
    config_init(&config);
    assert_int_equal(config_load(&config, NULL, NULL, &error), 0);
    if (config.file) /* the default that is installed on this machine */
        assert_int_not_equal(strncmp(config.file, directory, strlen(directory)), 0);
    config_release(&config);
    temp_remove(directory);
}

/* A file in the current directory is never read. */
CASE(config__nothing_of_the_current_directory)
{
    static const char *const homes[] = {"", ".", "home", NULL};
    char *directory = set_up_home();
    CLEANUP_FREE char *home = path_in(directory, "home");
    CLEANUP_FREE char *dot_config = path_in(home, ".config");
    CLEANUP_FREE char *below = path_in(dot_config, "isolator");
    char *before = getcwd(NULL, 0);

    mkdir(home, 0755);
    mkdir(dot_config, 0755);
    mkdir(below, 0755);
    write_config(directory, "config.json");
    write_config(directory, "isolator_config.json");
    write_config(directory, "isolator/config.json");
    write_config(directory, ".config/isolator/config.json");
    write_config(directory, "home/.config/isolator/config.json");
    assert_int_equal(chdir(directory), 0);
    for (size_t i = 0; i < COUNT(homes); i++) {
        CLEANUP(error_release) struct error error = ERROR_INIT;
        struct config config;

        if (homes[i])
            setenv("HOME", homes[i], 1);
        else
            unsetenv("HOME");
        config_init(&config);
        assert_int_equal(config_load(&config, NULL, NULL, &error), 0);
        if (config.file && config.file[0] != '/')
            fail_msg("HOME '%s' leads to '%s'", homes[i] ? homes[i] : "", config.file);
        config_release(&config);
    }
    assert_int_equal(chdir(before), 0);
    free(before);
    temp_remove(directory);
}

static void check_load_refused(const char *path, enum error_kind kind, const char *message)
{
    struct error error = ERROR_INIT;
    struct config config;

    config_init(&config);
    assert_int_equal(config_load(&config, path, NULL, &error), -1);
    assert_error(&error, kind, message);
    config_release(&config);
}

CASE(config__files_that_cannot_be_read)
{
    char *directory = set_up_home();
    CLEANUP_FREE char *path = path_in(directory, "file.json");
    CLEANUP_FREE char *absent =
        string_format("cannot open the configuration '%s': No such file or directory", path);
    CLEANUP_FREE char *is_directory =
        string_format("cannot read the configuration '%s': Is a directory", directory);
    CLEANUP_FREE char *too_large = string_format("%s: larger than 1 MiB", path);
    CLEANUP_FREE char *blanks = memory_allocate((1 << 20) + 1);

    check_load_refused(path, ERROR_CONFIG, absent);
    setenv("ISOLATOR_CONFIG", path, 1);
    check_load_refused(NULL, ERROR_CONFIG, absent); /* a file that was requested must exist */
    check_load_refused(directory, ERROR_CONFIG, is_directory);
    memset(blanks, ' ', (1 << 20) + 1);
    memcpy(blanks, "{}", 2);
    write_bytes(path, blanks, (1 << 20) + 1, 0644);
    check_load_refused(path, ERROR_CONFIG, too_large);
    temp_remove(directory);
}

CASE(config__file_of_one_mebibyte)
{
    char *directory = set_up_home();
    CLEANUP_FREE char *path = path_in(directory, "file.json");
    CLEANUP_FREE char *blanks = memory_allocate(1 << 20);
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct config config;

    memset(blanks, ' ', 1 << 20);
    memcpy(blanks, "{}", 2);
    write_bytes(path, blanks, 1 << 20, 0644);
    config_init(&config);
    assert_int_equal(config_load(&config, path, NULL, &error), 0);
    assert_string_equal(config.file, path);
    config_release(&config);
    temp_remove(directory);
}

/* Like <(...) in a shell. */
CASE(config__file_that_is_a_pipe)
{
    char *directory = set_up_home();
    CLEANUP_FREE char *path = path_in(directory, "fifo");
    CLEANUP_FREE char *command = string_format(
        "( exec >/dev/null; sleep 0.1; echo '{\"containerWorkdir\": \"/piped\"}' >%s ) &", path);
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct config config;
    struct strbuf output;

    assert_int_equal(mkfifo(path, 0600), 0);
    output = shell_output(command);
    strbuf_release(&output);
    config_init(&config);
    assert_int_equal(config_load(&config, path, NULL, &error), 0);
    assert_string_equal(config.workdir, "/piped");
    config_release(&config);
    temp_remove(directory);
}

CASE(config__errors_name_the_file)
{
    char *directory = set_up_home();
    CLEANUP_FREE char *path = path_in(directory, "file.json");
    CLEANUP_FREE char *message = string_format("%s: defaults.cpus: must be a number", path);

    write_in(directory, "file.json", "{\"defaults\": {\"cpus\": \"1\"}}");
    check_load_refused(path, ERROR_CONFIG, message);
    temp_remove(directory);
}

CASE(config__directories_lie_beside_the_file)
{
    char *directory = set_up_home();
    CLEANUP_FREE char *path = path_in(directory, "file.json");
    CLEANUP_FREE char *relative = path_in(directory, "my/prompts");
    CLEANUP_FREE char *inputs = path_in(directory, "data");
    CLEANUP_FREE char *audit = path_in(directory, "log/runs");
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct config config;

    config_init(&config);
    write_in(
        directory, "file.json",
        "{\"promptsDir\": \"my/prompts\", \"inputsDir\": \"data\", \"auditFile\": \"log/runs\"}");
    assert_int_equal(config_load(&config, path, NULL, &error), 0);
    assert_string_equal(config.prompts_dir, relative);
    assert_string_equal(config.inputs_dir, inputs);
    assert_string_equal(config.audit_file, audit);
    config_release(&config);

    config_init(&config);
    write_in(directory, "file.json", "{\"promptsDir\": \"/abs/prompts\"}");
    assert_int_equal(config_load(&config, path, NULL, &error), 0);
    assert_string_equal(config.prompts_dir, "/abs/prompts");
    config_release(&config);

    config_init(&config);
    write_in(directory, "file.json", "{}");
    assert_int_equal(config_load(&config, path, NULL, &error), 0);
    assert_null(config.prompts_dir);
    assert_null(config.inputs_dir);
    assert_int_equal(config.max_stored_bytes, 268435456);
    config_release(&config);
    temp_remove(directory);
}

/* It is absolute even if the path of the file is relative. */
CASE(config__prompts_are_absolute)
{
    char *directory = set_up_home();
    char *before = getcwd(NULL, 0);
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct config config;
    int result;

    write_in(directory, "file.json", "{\"promptsDir\": \"my/prompts\"}");
    assert_int_equal(chdir(directory), 0);
    config_init(&config);
    result = config_load(&config, "file.json", NULL, &error);
    assert_int_equal(chdir(before), 0);
    free(before);
    assert_int_equal(result, 0);
    if (config.prompts_dir[0] != '/')
        fail_msg("'%s' is not absolute", config.prompts_dir);
    config_release(&config);
    temp_remove(directory);
}

/* ---- defaults of a front end */

/*
 * Loads the text as the user's file (NULL: there is none), with 45 s as the front end's own
 * timeout, and checks timeout and memory.
 */
static void check_own(const char *json, double timeout, double memory)
{
    char *directory = set_up_home();
    struct limits own;
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct config config;

    limits_init(&own);
    own.number[LIMIT_TIMEOUT] = 45;
    if (json)
        write_in(directory, ".config/isolator/config.json", json);
    config_init(&config);
    assert_int_equal(config_load(&config, NULL, &own, &error), 0);
    assert_no_error(&error);
    assert_true(config.defaults.limits.number[LIMIT_TIMEOUT] == timeout);
    assert_true(config.defaults.limits.number[LIMIT_MEMORY] == memory);
    assert_string_equal(config.defaults.network, "none");
    config_release(&config);
    temp_remove(directory);
}

CASE(config__own_defaults_lie_over_the_built_in)
{
    check_own(NULL, 45, 256);
    check_own("{}", 45, 256);
    check_own("{\"defaults\": {\"memoryMB\": 300}}", 45, 300);
}

CASE(config__own_defaults_lie_below_the_users)
{
    check_own("{\"defaults\": {\"timeoutSeconds\": 10}}", 10, 256);
    check_own("{\"defaults\": {\"timeoutSeconds\": 60}}", 60, 256);
}

/* A language keeps its own timeout, whether it is built in or not. */
CASE(config__own_defaults_lie_below_a_language)
{
    char *directory = set_up_home();
    CLEANUP_FREE char *path = path_in(directory, "file.json");
    struct limits own;
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct config config;

    limits_init(&own);
    own.number[LIMIT_MEMORY] = 77;
    write_in(directory, "file.json", "{\"languages\": {\"python\": {\"memoryMB\": 88}}}");
    config_init(&config);
    assert_int_equal(config_load(&config, path, &own, &error), 0);
    assert_true(config.defaults.limits.number[LIMIT_MEMORY] == 77);
    assert_true(language(&config, "python")->policy.limits.number[LIMIT_MEMORY] == 88);
    assert_true(language(&config, "java")->policy.limits.number[LIMIT_MEMORY] == 512);
    config_release(&config);
    temp_remove(directory);
}

/* ---- for the server */

CASE(config__numbers_of_the_server)
{
    struct config config;

    config_init(&config);
    overlay(&config, "{\"maxConcurrent\": 1, \"maxQueued\": 0, \"maxTextBytes\": 1000}");
    assert_int_equal(config.max_concurrent, 1);
    assert_int_equal(config.max_queued, 0);
    assert_int_equal(config.max_text_bytes, 1000);
    overlay(&config, "{\"maxConcurrent\": 1024, \"maxQueued\": 100000,"
                     " \"maxTextBytes\": 450000}");
    assert_int_equal(config.max_concurrent, 1024);
    assert_int_equal(config.max_queued, 100000);
    assert_int_equal(config.max_text_bytes, 450000);
    overlay(&config, "{}");
    assert_int_equal(config.max_concurrent, 1024);
    config_release(&config);
}

static void check_number_refused(const char *key, const char *value, const char *expected)
{
    CLEANUP_FREE char *json = string_format("{\"%s\": %s}", key, value);
    CLEANUP_FREE char *message =
        string_format("test.json: %s: must be a whole number from %s", key, expected);

    check_refused(json, message);
}

CASE(config__wrong_numbers_of_the_server)
{
    static const char *const wrong[] = {"-1",  "450001", "1.5",  "\"5\"",     "null",
                                        "1.0", "true",   "[64]", "9999999999"};

    for (size_t i = 0; i < COUNT(wrong); i++) {
        check_number_refused("maxConcurrent", wrong[i], "1 to 1024");
        check_number_refused("maxQueued", wrong[i], "0 to 100000");
        check_number_refused("maxTextBytes", wrong[i], "1000 to 450000");
    }
    check_number_refused("maxConcurrent", "0", "1 to 1024");
    check_number_refused("maxConcurrent", "1025", "1 to 1024");
    check_number_refused("maxQueued", "100001", "0 to 100000");
    check_number_refused("maxTextBytes", "999", "1000 to 450000");
}

CASE(config__engine_timeout)
{
    struct config config;

    config_init(&config);
    overlay(&config, "{\"engineTimeoutSeconds\": 1}");
    assert_int_equal(config.engine_timeout, 1);
    overlay(&config, "{\"engineTimeoutSeconds\": 600}");
    assert_int_equal(config.engine_timeout, 600);
    config_release(&config);
    check_number_refused("engineTimeoutSeconds", "0", "1 to 600");
    check_number_refused("engineTimeoutSeconds", "601", "1 to 600");
    check_number_refused("engineTimeoutSeconds", "\"10\"", "1 to 600");
}

CASE(config__allow_unenforced)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct config config;

    config_init(&config);
    overlay(&config, "{\"containerCommand\": \"docker\"}");
    assert_false(config_docker(&config).allow_unenforced);
    overlay(&config, "{\"allowUnenforced\": true}");
    assert_true(config_docker(&config).allow_unenforced);
    overlay(&config, "{\"allowUnenforced\": false}");
    assert_false(config_docker(&config).allow_unenforced);
    assert_int_equal(config_overlay(&config, "{\"allowUnenforced\": 1}", 22, "file", &error), -1);
    assert_error(&error, ERROR_CONFIG, "file: allowUnenforced: must be true or false");
    config_release(&config);
}

CASE(config__kind_of_engine)
{
    struct config config;

    config_init(&config);
    overlay(&config, "{\"containerCommand\": \"docker\"}");
    assert_int_equal(config_docker(&config).kind, ENGINE_DOCKER);
    overlay(&config, "{\"containerCommand\": \"/opt/podman/bin/docker\"}");
    assert_int_equal(config_docker(&config).kind, ENGINE_DOCKER);
    overlay(&config, "{\"containerCommand\": \"podman\"}");
    assert_int_equal(config_docker(&config).kind, ENGINE_PODMAN);
    overlay(&config, "{\"containerCommand\": \"/usr/bin/podman-5\"}");
    assert_int_equal(config_docker(&config).kind, ENGINE_PODMAN);
    config_release(&config);
}

CASE(config__allow_netlink)
{
    struct config config;

    config_init(&config);
    assert_false(config.allow_netlink);
    overlay(&config, "{\"allowNetlink\": true}");
    assert_true(config.allow_netlink);
    overlay(&config, "{\"allowNetlink\": false}");
    assert_false(config.allow_netlink);
    config_release(&config);
}

CASE(config__warm)
{
    static const char one[] =
        "{\"warm\": {\"py\": 3}, \"warmMaxAgeSeconds\": 86400, \"languages\": "
        "{\"py\": {\"image\": \"py:3\", \"command\": [\"{entrypoint}\"], "
        "\"extensions\": [\".py\"], \"defaultFilename\": \"main.py\"}}}";
    struct config config;

    config_init(&config);
    overlay(&config, one); /* a language that follows it in the same file */
    assert_int_equal(config_language(&config, "py")->warm, 3);
    assert_int_equal(config.warm_max_age, 86400);
    overlay(&config, "{\"warm\": {\"py\": 0}}");
    assert_int_equal(config_language(&config, "py")->warm, 0);
    config_release(&config);
    check_refused("{\"warm\": {\"py\": 1}}", "test.json: warm.py: is no language; known are: ");
    check_refused("{\"warm\": 1}", "test.json: warm: must be an object");
    check_number_refused("warmMaxAgeSeconds", "0", "1 to 86400");
    check_number_refused("warmMaxAgeSeconds", "86401", "1 to 86400");
}

static void check_sessions(const struct config *config, const char *expected)
{
    const struct session_settings *sessions = &config->sessions;
    CLEANUP_FREE char *text =
        string_format("%d %d %d %d %d", sessions->max, sessions->idle_seconds,
                      sessions->lifetime_seconds, sessions->cpu_seconds, sessions->output_bytes);

    assert_string_equal(text, expected);
}

/* A file changes only what it names. */
CASE(config__sessions)
{
    struct config config;

    config_init(&config);
    overlay(&config, "{\"sessions\": {\"max\": 1, \"idleSeconds\": 2, \"lifetimeSeconds\": 3, "
                     "\"cpuSeconds\": 4, \"outputBytes\": 1024}}");
    check_sessions(&config, "1 2 3 4 1024");
    overlay(&config, "{\"sessions\": {\"max\": 0}}");
    check_sessions(&config, "0 2 3 4 1024");
    overlay(&config,
            "{\"sessions\": {\"max\": 256, \"idleSeconds\": 86400, \"lifetimeSeconds\": 86400, "
            "\"cpuSeconds\": 864000, \"outputBytes\": 1073741824}}");
    check_sessions(&config, "256 86400 86400 864000 1073741824");
    config_release(&config);
}

CASE(config__wrong_sessions)
{
    static const struct {
        const char *json, *message;
    } wrong[] = {
        {"1", "test.json: sessions: must be an object"},
        {"{\"max\": -1}", "test.json: sessions.max: must be a whole number from 0 to 256"},
        {"{\"max\": 257}", "test.json: sessions.max: must be a whole number from 0 to 256"},
        {"{\"idleSeconds\": 0}",
         "test.json: sessions.idleSeconds: must be a whole number from 1 to 86400"},
        {"{\"lifetimeSeconds\": 86401}",
         "test.json: sessions.lifetimeSeconds: must be a whole number from 1 to 86400"},
        {"{\"cpuSeconds\": 0}",
         "test.json: sessions.cpuSeconds: must be a whole number from 1 to 864000"},
        {"{\"outputBytes\": 1023}",
         "test.json: sessions.outputBytes: must be a whole number from 1024 to 1073741824"},
        {"{\"outputBytes\": \"1M\"}",
         "test.json: sessions.outputBytes: must be a whole number from 1024 to 1073741824"},
        {"{\"idle\": 1}", "test.json: sessions.idle: unknown key; did you mean 'idleSeconds'?"},
    };

    for (size_t i = 0; i < COUNT(wrong); i++) {
        CLEANUP_FREE char *json = string_format("{\"sessions\": %s}", wrong[i].json);

        check_refused(json, wrong[i].message);
    }
}

/* A file can turn the interpreter of a language off. */
CASE(config__session_command)
{
    struct config config;

    config_init(&config);
    overlay(&config, "{\"languages\": {\"py\": {\"image\": \"py:3\", \"command\": "
                     "[\"{entrypoint}\"], \"extensions\": [\".py\"], \"defaultFilename\": "
                     "\"main.py\", \"sessionCommand\": [\"python3\", \"{python_driver}\"]}}}");
    assert_int_equal(config_language(&config, "py")->session_command.count, 2);
    overlay(&config, "{\"languages\": {\"py\": {\"sessionCommand\": [\"other\"]}}}");
    assert_int_equal(config_language(&config, "py")->session_command.count, 1);
    assert_string_equal(config_language(&config, "py")->session_command.items[0], "other");
    overlay(&config, "{\"languages\": {\"py\": {\"sessionCommand\": []}}}");
    assert_int_equal(config_language(&config, "py")->session_command.count, 0);
    config_release(&config);
}

CASE(config__wrong_numbers_of_waiting_sandboxes)
{
    static const char *const wrong[] = {"-1", "101", "1.5", "true", "\"1\""};

    for (size_t i = 0; i < COUNT(wrong); i++) {
        CLEANUP_FREE char *json = string_format(
            "{\"warm\": {\"py\": %s}, \"languages\": {\"py\": {\"image\": \"py:3\", \"command\": "
            "[\"{entrypoint}\"], \"extensions\": [\".py\"], \"defaultFilename\": \"main.py\"}}}",
            wrong[i]);

        check_refused(json, "test.json: warm.py: must be a whole number from 0 to 100");
    }
}

CASE(config__numbers_of_the_server_that_are_built_in)
{
    char *directory = set_up_home();
    CLEANUP_FREE char *path = path_in(directory, "file.json");
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct config config;

    write_in(directory, "file.json", "{}");
    config_init(&config);
    assert_int_equal(config_load(&config, path, NULL, &error), 0);
    assert_int_equal(config.max_concurrent, 0);
    assert_int_equal(config.max_queued, 64);
    assert_int_equal(config.max_text_bytes, 50000);
    assert_int_equal(config.warm_max_age, 600);
    check_sessions(&config, "4 600 3600 600 67108864");
    assert_int_equal(config_language(&config, "python")->warm, 1);
    config_release(&config);
    temp_remove(directory);
}

CASE(config__built_in)
{
    static const double defaults[LIMIT_NUMBERS] = {60, 256, 0.5, INFINITY, 64, 64, 64, 1048576};
    char *directory = set_up_home();
    CLEANUP_FREE char *path = path_in(directory, "file.json");
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP_FREE char *names = NULL;
    struct config config;

    write_in(directory, "file.json", "{}");
    config_init(&config);
    assert_int_equal(config_load(&config, path, NULL, &error), 0);
    assert_string_equal(config.container_command, "docker");
    assert_string_equal(config.workdir, "/workspace");
    assert_int_equal(config.engine_timeout, 10);
    for (int i = 0; i < LIMIT_NUMBERS; i++) {
        assert_true(config.defaults.limits.number[i] == defaults[i]);
        assert_true(isnan(config.maximums.limits.number[i]));
    }
    assert_string_equal(config.defaults.network, "none");
    assert_int_equal(config.defaults.read_only, 1);
    check_joined(&config.defaults.cap_drop, "ALL");
    assert_false(config.defaults.has_user);
    assert_int_equal(config.users.first, 1900000);
    assert_int_equal(config.users.last, 1965535);
    assert_int_equal(config_docker(&config).users.last, 1965535);
    names = config_language_names(&config, NULL);
    assert_string_equal(names, "python, go, javascript, typescript, c, cpp, rust, java, "
                               "ruby, php, perl, bash, lua, r");
    assert_string_equal(language(&config, "python")->image, "python:3.11-alpine");
    check_joined(&language(&config, "go")->build, "go|build|-o|{workdir}/program|{sources}");
    check_joined(&language(&config, "go")->command, "{workdir}/program");
    check_joined(&language(&config, "javascript")->extensions, ".js|.mjs|.cjs");
    config_release(&config);
    temp_remove(directory);
}

/* ---- hosts that programs reach */

/* The network, each host with its ports, addresses, "raw" and credentials, and the numbers. */
static void check_network(const struct sandbox_policy *policy, const char *expected)
{
    const struct network_rules *rules = &policy->network_rules;
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

    strbuf_addstr(&text, policy->network ? policy->network : "-");
    for (size_t i = 0; i < rules->count; i++) {
        const struct network_host *host = &rules->hosts[i];

        strbuf_addf(&text, " %s", host->name);
        for (size_t k = 0; k < host->port_count; k++)
            strbuf_addf(&text, ":%d", host->ports[k]);
        for (size_t k = 0; k < host->range_count; k++) {
            char address[IP_ADDRESS_SIZE];

            ip_address_text(&host->ranges[k].first, address);
            strbuf_addf(&text, ",%s/%u", address, host->ranges[k].bits);
        }
        strbuf_addstr(&text, host->raw ? "!" : "");
        strbuf_addstr(&text, host->terminate ? "+tls" : "");
        for (size_t k = 0; k < host->credential_count; k++)
            strbuf_addf(&text, "(%s=%s%s)", host->credentials[k].header,
                        host->credentials[k].prefix, host->credentials[k].from);
    }
    strbuf_addf(&text, " %lld %d", rules->max_bytes, rules->max_connections);
    assert_string_equal(strbuf_string(&text), expected);
}

CASE(config__hosts)
{
    struct config config;

    config_init(&config);
    overlay(&config,
            "{\"defaults\": {\"network\": {\"allow\": [{\"host\": \"packages.example.com\","
            " \"ports\": [443, 8443, 443], \"addresses\": [\"10.1.2.0/24\", \"fd00::1\"],"
            " \"raw\": true}, {\"host\": \"*.files.example.com\"}, \"a.example:8080\"],"
            " \"maxBytes\": 1099511627776, \"maxConnections\": 256}},"
            " \"maximums\": {\"network\": {\"allow\": [\"b.example\"]}},"
            " \"languages\": {\"sh\": {\"image\": \"i\", \"command\": [\"{entrypoint}\"],"
            " \"extensions\": [\".x\"], \"defaultFilename\": \"x\","
            " \"network\": {\"allow\": [\"c.example\"], \"maxConnections\": 1}}}}");
    check_network(&config.defaults, "none packages.example.com:443:8443,10.1.2.0/24,fd00::1/128!"
                                    " *.files.example.com:80:443 a.example:8080"
                                    " 1099511627776 256");
    check_network(&config.maximums, "none b.example:80:443 0 0");
    check_network(&config.languages[0].policy, "none c.example:80:443 0 1");
    config_release(&config);
}

/* The string and the object are two values of one key. */
CASE(config__network_is_a_string_or_an_object)
{
    struct config config;

    config_init(&config);
    overlay(&config, "{}");
    check_network(&config.defaults, "- 104857600 64");
    overlay(&config, "{\"defaults\": {\"network\": \"bridge\"}}");
    check_network(&config.defaults, "bridge 104857600 64");
    overlay(&config, "{\"defaults\": {\"network\": {\"allow\": [\"a\"], \"maxBytes\": 5}}}");
    check_network(&config.defaults, "none a:80:443 5 64");
    overlay(&config, "{\"defaults\": {\"network\": {\"maxConnections\": 6}}}");
    check_network(&config.defaults, "none a:80:443 5 6");
    overlay(&config, "{\"defaults\": {\"network\": {\"allow\": [\"b:1\", \"c:2\"]}}}");
    check_network(&config.defaults, "none b:1 c:2 5 6");
    overlay(&config, "{\"defaults\": {\"network\": {\"allow\": []}}}");
    check_network(&config.defaults, "none 5 6");
    overlay(&config, "{\"defaults\": {\"network\": \"mine\"}}");
    check_network(&config.defaults, "mine 104857600 64");
    overlay(&config, "{\"defaults\": {\"network\": {}}}");
    check_network(&config.defaults, "none 104857600 64");
    config_release(&config);
}

/* The layers have only one of the two names, so that what lies over them replaces it. */
CASE(config__network_at_the_top)
{
    CLEANUP_FREE char *text = NULL;
    struct config config;

    config_init(&config);
    overlay(&config, "{\"network\": {\"allow\": [\"a\"]}}");
    check_network(&config.defaults, "none a:80:443 104857600 64");
    text = json_dumps(config.layers[0].root, JSON_COMPACT);
    assert_string_equal(text, "{\"defaults\":{\"network\":{\"allow\":[\"a\"]}}}");
    overlay(&config, "{\"defaults\": {\"cpus\": 2}, \"network\": {\"allow\": [\"b\"]}}");
    check_network(&config.defaults, "none b:80:443 104857600 64");
    free(text);
    text = json_dumps(config.layers[1].root, JSON_COMPACT);
    assert_string_equal(text, "{\"defaults\":{\"cpus\":2,\"network\":{\"allow\":[\"b\"]}}}");
    config_release(&config);
    check_refused("{\"network\": {}, \"defaults\": {\"network\": \"none\"}}",
                  "test.json: network: must be given here or in defaults, not in both");
    check_refused("{\"network\": \"none\"}", "test.json: network: must be an object");
    check_refused("{\"network\": {\"alow\": []}}",
                  "test.json: network.alow: unknown key; did you mean 'allow'?");
}

/* Refuses the value of "allow" in defaults. */
static void check_allow_refused(const char *allow, const char *message)
{
    CLEANUP_FREE char *json =
        string_format("{\"defaults\": {\"network\": {\"allow\": %s}}}", allow);
    CLEANUP_FREE char *whole = string_format("test.json: defaults.network.allow%s", message);

    check_refused(json, whole);
}

CASE(config__wrong_hosts)
{
    check_allow_refused("\"a\"", ": must be an array of hosts");
    check_allow_refused("[5]", "[0]: must be a string like \"example.com:443\" or an object");
    check_allow_refused("[\"\"]", "[0]: must be a string that is not empty");
    check_allow_refused("[\"a\", \"b:0\"]", "[1]: the port of 'b:0' is not a number from 1 to "
                                            "65535, as in example.com:8443");
    check_allow_refused("[\"a:1\", \"a:2\"]", "[1]: host 'a' is in the list already; give all its "
                                              "ports in one entry");
    check_allow_refused("[{}]", "[0]: must be complete: an entry needs host");
    check_allow_refused("[{\"ports\": [80]}]", "[0]: must be complete: an entry needs host");
    check_allow_refused("[\"a\", {\"host\": \"b\", \"port\": 80}]",
                        "[1].port: unknown key; did you mean 'ports'?");
    check_allow_refused("[{\"host\": \"https://b\"}]",
                        "[0].host: 'https://b' is a URL or a path; write the host alone, like "
                        "example.com");
    check_allow_refused("[{\"host\": \"\"}]", "[0].host: must be a string that is not empty");
    check_allow_refused("[{\"host\": \"b\", \"raw\": 1}]", "[0].raw: must be true or false");
    check_refused("{\"languages\": {\"sh\": {\"network\": {\"allow\": [\"a b\"]}}}}",
                  "test.json: languages.sh.network.allow[0]: 'a b' is not the name of a host; "
                  "write a name like example.com, *.example.com for all names below it, or an "
                  "address like 192.0.2.1 or [2001:db8::1]");
}

CASE(config__wrong_ports_and_addresses)
{
    static const char *const no_ports[] = {"[]", "80",
                                           "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]"};
    static const char *const no_port[] = {"[0]", "[80, 65536]", "[\"80\"]", "[80.5]"};

    for (size_t i = 0; i < COUNT(no_ports); i++) {
        CLEANUP_FREE char *allow = string_format("[{\"host\": \"b\", \"ports\": %s}]", no_ports[i]);

        check_allow_refused(allow, "[0].ports: must be an array of 1 to 16 ports");
    }
    for (size_t i = 0; i < COUNT(no_port); i++) {
        CLEANUP_FREE char *allow = string_format("[{\"host\": \"b\", \"ports\": %s}]", no_port[i]);

        check_allow_refused(allow, "[0].ports: must be a whole number from 1 to 65535");
    }
    check_allow_refused("[{\"host\": \"b\", \"addresses\": \"10.0.0.0/8\"}]",
                        "[0].addresses: must be an array of strings that is not empty");
    check_allow_refused("[{\"host\": \"b\", \"addresses\": [\"10.0.0.1/8\"]}]",
                        "[0].addresses: '10.0.0.1/8' is not a range of addresses, like "
                        "10.1.2.0/24 or 2001:db8::/32; the bits after the prefix must be "
                        "0");
    check_allow_refused("[{\"host\": \"b\", \"addresses\": [\"::1\", \"::1\", \"::1\", \"::1\","
                        " \"::1\", \"::1\", \"::1\", \"::1\", \"::1\", \"::1\", \"::1\", \"::1\","
                        " \"::1\", \"::1\", \"::1\", \"::1\", \"::1\"]}]",
                        "[0].addresses: must be an array of at most 16 ranges");
}

CASE(config__wrong_numbers_of_hosts)
{
    static const char *const values[] = {"0", "1099511627777", "\"1\"", "1.5"};

    for (size_t i = 0; i < COUNT(values); i++) {
        CLEANUP_FREE char *bytes = string_format("{\"network\": {\"maxBytes\": %s}}", values[i]);
        CLEANUP_FREE char *connections =
            string_format("{\"network\": {\"maxConnections\": %s}}", values[i]);

        check_refused(bytes, "test.json: network.maxBytes: must be a whole number from 1 to "
                             "1099511627776");
        check_refused(connections,
                      "test.json: network.maxConnections: must be a whole number from 1 to 256");
    }
    check_refused("{\"network\": {\"maxConnections\": 257}}",
                  "test.json: network.maxConnections: must be a whole number from 1 to 256");
}

/* What a language gets: its own hosts with the numbers of the defaults, lowered to the maximums. */
CASE(config__hosts_of_a_language)
{
    static const char text[] =
        "{\"network\": {\"allow\": [\"a.example\"], \"maxBytes\": 500},"
        " \"languages\": {\"sh\": {\"image\": \"i\", \"command\": [\"{entrypoint}\"],"
        " \"extensions\": [\".x\"], \"defaultFilename\": \"x\","
        " \"network\": {\"allow\": [\"b.example\", \"c.example\"]}}}}";
    struct config config;
    struct sandbox_policy policy;

    config_init(&config);
    overlay(&config, text);
    config_policy(&config, &config.languages[0], &policy);
    check_network(&policy, "none b.example:80:443 c.example:80:443 500 64");
    sandbox_policy_release(&policy);
    overlay(&config, "{\"maximums\": {\"network\": {\"allow\": [\"a.example\", \"c.example\"],"
                     " \"maxBytes\": 100, \"maxConnections\": 2}}}");
    config_policy(&config, &config.languages[0], &policy);
    check_network(&policy, "none c.example:80:443 100 2");
    sandbox_policy_release(&policy);
    overlay(&config, "{\"languages\": {\"sh\": {\"network\": \"none\"}}}");
    config_policy(&config, &config.languages[0], &policy);
    check_network(&policy, "none 100 2");
    sandbox_policy_release(&policy);
    config_release(&config);
}

#define TERMINATED(host) "{\"host\": \"" host "\", \"tls\": \"terminate\"}"

/* The order of the keys does not matter: the credentials are read after the hosts. */
CASE(config__credentials)
{
    struct config config;

    config_init(&config);
    overlay(&config,
            "{\"network\": {\"credentials\": [{\"host\": \"api.example\", \"from\": \"env:KEY\","
            " \"prefix\": \"Bearer \"}, {\"host\": \"*.Files.example\", \"header\": \"X-Key\","
            " \"from\": \"file:/run/key\"}], \"allow\": [" TERMINATED(
                "api.example") ", \"b.example\", " TERMINATED("*.files.example.") "]}}");
    check_network(&config.defaults,
                  "none api.example:443+tls(Authorization=Bearer env:KEY) b.example:80:443 "
                  "*.files.example:443+tls(X-Key=file:/run/key) 104857600 64");
    overlay(&config, "{\"network\": {\"maxBytes\": 5}}");
    check_network(&config.defaults,
                  "none api.example:443+tls(Authorization=Bearer env:KEY) b.example:80:443 "
                  "*.files.example:443+tls(X-Key=file:/run/key) 5 64");
    overlay(&config, "{\"network\": {\"allow\": [" TERMINATED("api.example") "]}}");
    check_network(&config.defaults, "none api.example:443+tls 5 64");
    config_release(&config);
}

CASE(config__credentials_of_languages_and_steps)
{
    static const char network[] = "\"network\": {\"allow\": [" TERMINATED(
        "a.example") "], \"credentials\": [{\"host\": \"a.example\", \"from\": \"env:KEY\"}]}";
    CLEANUP_FREE char *text =
        string_format("{\"languages\": {\"sh\": {\"image\": \"i\", \"command\":"
                      " [\"{entrypoint}\"], \"extensions\": [\".x\"], \"defaultFilename\": \"x\","
                      " %s, \"prepare\": {\"run\": [\"y\"], %s}}}}",
                      network, network);
    struct config config;
    struct sandbox_policy policy;

    config_init(&config);
    overlay(&config, text);
    config_policy(&config, &config.languages[0], &policy);
    check_network(&policy, "none a.example:443+tls(Authorization=env:KEY) 0 0");
    sandbox_policy_release(&policy);
    assert_int_equal(config.languages[0].preparation.network.hosts.hosts[0].credential_count, 1);
    overlay(&config, "{\"maximums\": {\"network\": {\"allow\": [" TERMINATED("*.example") "]}}}");
    config_policy(&config, &config.languages[0], &policy);
    check_network(&policy, "none a.example:443+tls(Authorization=env:KEY) 0 0");
    sandbox_policy_release(&policy);
    config_release(&config);
}

CASE(config__wrong_tls)
{
    static const char *const bad[] = {"\"\"", "\"Terminate\"", "\"pass\"", "true", "null"};

    for (size_t i = 0; i < COUNT(bad); i++) {
        CLEANUP_FREE char *allow = string_format("[{\"host\": \"b\", \"tls\": %s}]", bad[i]);

        check_allow_refused(
            allow, "[0].tls: must be \"terminate\"; leave the key out to pass TLS through");
    }
    check_allow_refused("[{\"host\": \"b\", \"tls\": \"terminate\", \"raw\": true}]",
                        "[0]: host 'b' cannot have both raw and tls: what is not TLS cannot be "
                        "terminated");
}

/* Refuses the value of "credentials" for these hosts. */
static void check_credentials_refused(const char *credentials, const char *message)
{
    CLEANUP_FREE char *json = string_format("{\"network\": {\"credentials\": %s, \"allow\":"
                                            " [\"a\", " TERMINATED("b") "]}}",
                                            credentials);
    CLEANUP_FREE char *whole = string_format("test.json: network.credentials%s", message);

    check_refused(json, whole);
}

CASE(config__wrong_credentials)
{
    check_credentials_refused("{}", ": must be an array of credentials");
    check_credentials_refused("[\"b\"]", "[0]: must be an object");
    check_credentials_refused("[{}]", "[0]: must be complete: a credential needs host and from");
    check_credentials_refused("[{\"host\": \"b\"}]",
                              "[0]: must be complete: a credential needs host and from");
    check_credentials_refused("[{\"from\": \"env:A\"}]",
                              "[0]: must be complete: a credential needs host and from");
    check_credentials_refused("[{\"host\": \"b\", \"form\": \"env:A\"}]",
                              "[0].form: unknown key; did you mean 'from'?");
    check_credentials_refused("[{\"host\": \"b\", \"from\": \"s3cret\"}]",
                              "[0].from: a value is in a variable, env:NAME, or a file, "
                              "file:/ABSOLUTE/PATH; it cannot be in the configuration itself");
    check_credentials_refused("[{\"host\": \"b\", \"header\": \"Host\"}]",
                              "[0].header: 'Host' cannot have a credential: it says where a "
                              "request ends or goes");
    check_credentials_refused("[{\"host\": \"b\", \"prefix\": \"\\t\"}]",
                              "[0].prefix: a prefix is printable ASCII, at most 64 bytes, like "
                              "\"Bearer \"");
    check_credentials_refused("[{\"host\": \"c\", \"from\": \"env:A\"}]",
                              "[0]: host 'c' is not in allow; name an entry as it is written "
                              "there");
    check_credentials_refused("[{\"host\": \"a\", \"from\": \"env:A\"}]",
                              "[0]: host 'a' needs \"tls\": \"terminate\" in allow, since isolator "
                              "cannot add a header inside TLS");
    check_credentials_refused(
        "[{\"host\": \"b\", \"from\": \"env:A\"},"
        " {\"host\": \"b\", \"from\": \"env:B\", \"header\":"
        " \"authorization\"}]",
        "[1]: host 'b' has a credential in header 'authorization' already; remove one of them");
}

CASE(config__credentials_need_their_hosts)
{
    struct error error = ERROR_INIT;
    struct config config;
    static const char alone[] = "{\"network\": {\"credentials\": []}}";

    config_init(&config);
    overlay(&config, "{\"network\": {\"allow\": [" TERMINATED("b") "]}}");
    assert_int_equal(config_overlay(&config, alone, strlen(alone), "test.json", &error), -1);
    assert_error(&error, ERROR_CONFIG,
                 "test.json: network.credentials: must be in the object that has allow, whose "
                 "hosts it names");
    config_release(&config);
    check_refused("{\"languages\": {\"sh\": {\"prepare\": {\"network\": {\"credentials\": []}}}}}",
                  "test.json: languages.sh.prepare.network.credentials: must be in the object "
                  "that has allow, whose hosts it names");
    check_refused("{\"maximums\": {\"network\": {\"allow\": [" TERMINATED(
                      "b") "], \"credentials\": [{\"host\": \"b\", \"from\": \"env:A\"}]}}}",
                  "test.json: maximums.network.credentials: remove it: maximums bound hosts and "
                  "have no credentials");
}
