#include "test.h"

#include <sys/wait.h>

#include "config/config_read.h"
#include "config/prepare_notes.h"

/* A home directory; the file is isolator/prepared.json in it. */
static char *set_up_home(const char *text)
{
    char *home = temp_create();
    CLEANUP_FREE char *directory = path_in(home, "isolator");

    setenv("XDG_CONFIG_HOME", home, 1);
    if (text) {
        assert_int_equal(mkdir(directory, 0755), 0);
        write_in(directory, "prepared.json", text);
    }
    return home;
}

static void set_up_config(struct config *config, const char *prepare)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP_FREE char *json = string_format(
        "{\"languages\": {\"sh\": {\"image\": \"i\", \"command\": [\"sh\", "
        "\"{entrypoint}\"], \"extensions\": [\".sh\"], \"defaultFilename\": \"m.sh\", "
        "\"packages\": [\"own\", \"both\"]%s%s}}}",
        prepare ? ", \"prepare\": " : "", prepare ? prepare : "");

    config_init(config);
    assert_int_equal(config_overlay(config, json, strlen(json), "test.json", &error), 0);
}

static void check_joined(const struct strvec *strings, const char *expected)
{
    CLEANUP_FREE char *joined = strvec_join(strings, "|");

    assert_string_equal(joined, expected);
}

/* The language after reading the notes: its steps, network and packages. */
static void check_applied(const char *prepare, const char *notes, const char *steps,
                          const char *network, const char *packages)
{
    char *home = set_up_home(notes);
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(config_release) struct config config;
    const struct language *sh;

    set_up_config(&config, prepare);
    assert_int_equal(prepare_notes_apply(&config, &error), 0);
    sh = config_language(&config, "sh");
    check_joined(&sh->preparation.steps, steps);
    assert_text_or_null(sh->preparation.network.name, network);
    check_joined(&sh->packages, packages);
    assert_int_equal(sh->preparation.tag != NULL, *steps != '\0');
    temp_remove(home);
}

/* By: printf 'sh\0i\0x\0' | sha256sum | cut -c 1-16 */
#define NOTED                                                                                      \
    "\"image\": \"isolator-prepared:sh-86b404d93ebf0812\", \"packages\": [\"both\", \"more\"]"

CASE(prepare_notes__applied)
{
    check_applied(NULL, NULL, "", NULL, "own|both");
    check_applied(NULL, "{}", "", NULL, "own|both");
    check_applied(NULL, "{\"languages\": {\"other\": {\"run\": [\"x\"]}}}", "", NULL, "own|both");
    check_applied(NULL, "{\"languages\": {\"sh\": {\"run\": [\"x\"], \"network\": \"bridge\"}}}",
                  "x", "bridge", "own|both");
    check_applied(NULL, "{\"languages\": {\"sh\": {\"run\": [\"x\"], " NOTED "}}}", "x", NULL,
                  "own|both|more");
    check_applied("{\"run\": [\"x\"]}", "{\"languages\": {\"sh\": {" NOTED "}}}", "x", NULL,
                  "own|both|more");
}

/* Notes of the configuration that is read go before those at the top, others are ignored. */
CASE(prepare_notes__of_the_named_configuration)
{
    char *home = set_up_home(
        "{\"configurations\": {"
        "\"/a.json\": {\"languages\": {\"sh\": {\"run\": [\"a\"], \"files\": [\"/f\"]}}}, "
        "\"/b.json\": {\"languages\": {\"sh\": {\"run\": [\"b\"]}}}}, "
        "\"languages\": {\"sh\": {\"run\": [\"top\"], \"network\": \"bridge\"}}}");
    static const char *const names[] = {"/a.json", "/c.json", NULL};
    static const char *const steps[] = {"a", "top", "top"}, *const files[] = {"/f", "", ""};

    for (int i = 0; i < 3; i++) {
        CLEANUP(error_release) struct error error = ERROR_INIT;
        CLEANUP(config_release) struct config config;
        const struct language *sh;

        set_up_config(&config, NULL);
        config.prepared_for = names[i] ? string_copy(names[i]) : NULL;
        assert_int_equal(prepare_notes_apply(&config, &error), 0);
        sh = config_language(&config, "sh");
        check_joined(&sh->preparation.steps, steps[i]);
        check_joined(&sh->preparation.files, files[i]);
        assert_text_or_null(sh->preparation.network.name, i == 0 ? NULL : "bridge");
        assert_text_or_null(config_prepared_for(&config, sh), i == 0 ? "/a.json" : NULL);
    }
    temp_remove(home);
}

/* Steps of the configuration have precedence. Packages belong to one image only. */
CASE(prepare_notes__the_configuration_goes_first)
{
    check_applied("{\"run\": [\"y\"], \"network\": \"none\"}",
                  "{\"languages\": {\"sh\": {\"run\": [\"x\"], \"network\": \"bridge\", " NOTED
                  "}}}",
                  "y", "none", "own|both");
    check_applied("{\"run\": []}", "{\"languages\": {\"sh\": {" NOTED "}}}", "", NULL, "own|both");
}

/* A network of hosts is an object. Notes with one that are written can be read. */
CASE(prepare_notes__hosts)
{
    char *home = set_up_home(
        "{\"languages\": {\"sh\": {\"run\": [\"x\"], \"network\": {\"allow\": [\"a.example\", "
        "{\"host\": \"*.b.example\", \"ports\": [81], \"addresses\": [\"10.0.0.0/8\"], "
        "\"tls\": \"terminate\"}], \"credentials\": [{\"host\": \"*.b.example\", \"from\": "
        "\"env:A\"}]}}}}");
    CLEANUP(prepare_note_release) struct prepare_note note = PREPARE_NOTE_INIT;
    CLEANUP(prepare_note_release) struct prepare_note again = PREPARE_NOTE_INIT;
    CLEANUP(config_release) struct config config;
    CLEANUP(error_release) struct error error = ERROR_INIT;
    const struct prepare_network *network;

    set_up_config(&config, NULL);
    assert_int_equal(prepare_notes_apply(&config, &error), 0);
    network = &config_language(&config, "sh")->preparation.network;
    assert_null(network->name);
    assert_int_equal(network->hosts.count, 2);
    assert_string_equal(network->hosts.hosts[0].name, "a.example");
    assert_int_equal(network->hosts.hosts[1].ports[0], 81);
    assert_string_equal(network->hosts.hosts[1].credentials[0].from, "env:A");
    assert_true(network->hosts.max_bytes == NETWORK_BYTES_MAX);
    assert_int_equal(prepare_notes_get(NULL, "sh", &note, &error), 0);
    assert_true(prepare_network_equal(&note.network, network));
    assert_int_equal(prepare_notes_put(NULL, "sh", &note, &error), 0);
    assert_int_equal(prepare_notes_get(NULL, "sh", &again, &error), 0);
    assert_true(prepare_network_equal(&again.network, network));
    temp_remove(home);
}

/* `rest` is the message after the name of the file. */
static void check_refused(const char *notes, const char *rest)
{
    char *home = set_up_home(notes);
    CLEANUP_FREE char *message = string_format("%s/isolator/prepared.json%s; isolator prepare has "
                                               "written it: delete it and prepare again",
                                               home, rest);
    CLEANUP(config_release) struct config config;
    struct error error = ERROR_INIT;

    set_up_config(&config, NULL);
    assert_int_equal(prepare_notes_apply(&config, &error), -1);
    assert_error(&error, ERROR_CONFIG, message);
    temp_remove(home);
}

CASE(prepare_notes__wrong)
{
    check_refused("[]", ": must be an object");
    check_refused("{\"langages\": {}}", ": langages: unknown key; did you mean 'languages'?");
    check_refused("{\"languages\": []}", ": languages: must be an object");
    check_refused("{\"languages\": {\"x\": 1}}", ": languages.x: must be an object");
    check_refused("{\"languages\": {\"x\": {\"steps\": []}}}", ": languages.x.steps: unknown key");
    check_refused(
        "{\"languages\": {\"x\": {\"image\": \"a b\"}}}",
        ": languages.x.image: 'a b' is not a tag for an image; write it like name:tag, the "
        "name in lower case");
    check_refused("{\"languages\": {\"x\": {\"run\": [\" \"]}}}",
                  ": languages.x.run: a step is empty");
    check_refused("{\"languages\": {\"x\": {\"run\": \"a\"}}}",
                  ": languages.x.run: must be an array of strings that is not empty");
    check_refused("{\"languages\": {\"x\": {\"packages\": [\"do this\"]}}}",
                  ": languages.x.packages: must be names of packages: up to 64 letters, digits and "
                  "any of @ . _ / + = -");
    check_refused("{\"languages\": {\"x\": {\"files\": [\"a\"]}}}",
                  ": languages.x.files: the path 'a' is not absolute");
    check_refused("{\"languages\": {\"x\": {\"network\": {\"allow\": [\"a/b\"]}}}}",
                  ": languages.x.network.allow[0]: 'a/b' is a URL or a path; write the host alone, "
                  "like example.com");
    check_refused("{\"languages\": {\"x\": {\"network\": 1}}}",
                  ": languages.x.network: must be a string that is not empty");
    check_refused("{\"configurations\": {\"/a\": {\"language\": {}}}}",
                  ": configurations./a.language: unknown key; did you mean 'languages'?");
    check_refused("{\"configurations\": {\"/a\": {\"languages\": {\"x\": {\"run\": [\" \"]}}}}}",
                  ": configurations./a.languages.x.run: a step is empty");
    check_refused("{\"languages\": {}, \"languages\": {}}",
                  ":1:29: duplicate object key near '\"languages\"'");
}

/* The note for a configuration, or at the top if that is NULL. */
static void check_note_of(const char *configuration, const char *language, const char *steps,
                          const char *image)
{
    CLEANUP(prepare_note_release) struct prepare_note note = PREPARE_NOTE_INIT;
    CLEANUP(error_release) struct error error = ERROR_INIT;

    assert_int_equal(prepare_notes_get(configuration, language, &note, &error), 0);
    check_joined(&note.steps, steps);
    assert_text_or_null(note.image, image);
}

static void check_note(const char *language, const char *steps, const char *image)
{
    check_note_of(NULL, language, steps, image);
}

static void put_for(const char *configuration, const char *language, const char *image,
                    const char *step)
{
    CLEANUP(prepare_note_release) struct prepare_note note = PREPARE_NOTE_INIT;
    CLEANUP(error_release) struct error error = ERROR_INIT;

    note.image = string_copy(image);
    strvec_push(&note.steps, step);
    assert_int_equal(prepare_notes_put(configuration, language, &note, &error), 0);
}

static void put(const char *language, const char *image, const char *step)
{
    put_for(NULL, language, image, step);
}

/* Missing directories are created, and other notes are kept. */
CASE(prepare_notes__written_and_read)
{
    char *home = set_up_home(NULL);
    CLEANUP_FREE char *below = path_in(home, "a/b");
    CLEANUP(error_release) struct error error = ERROR_INIT;

    setenv("XDG_CONFIG_HOME", below, 1);
    check_note("a", "", NULL);
    put("a", "i:1", "echo \"\xc3\xa9\n\"");
    put("b", "i:2", "two");
    put("a", "i:3", "three");
    check_note("a", "three", "i:3");
    check_note("b", "two", "i:2");
    check_note("c", "", NULL);
    assert_int_equal(prepare_notes_put(NULL, "a", NULL, &error), 0);
    assert_int_equal(prepare_notes_put(NULL, "c", NULL, &error), 0);
    check_note("a", "", NULL);
    check_note("b", "two", "i:2");
    temp_remove(home);
}

/* Each configuration has notes of its own, and so have those without one. */
CASE(prepare_notes__of_configurations)
{
    char *home = set_up_home(NULL);
    CLEANUP(error_release) struct error error = ERROR_INIT;

    put_for("/a.json", "l", "i:1", "one");
    put_for("/b.json", "l", "i:2", "two");
    put("l", "i:3", "three");
    check_note_of("/a.json", "l", "one", "i:1");
    check_note_of("/b.json", "l", "two", "i:2");
    check_note_of("/c.json", "l", "", NULL);
    check_note("l", "three", "i:3");
    assert_int_equal(prepare_notes_put("/a.json", "l", NULL, &error), 0);
    assert_int_equal(prepare_notes_put("/c.json", "l", NULL, &error), 0);
    check_note_of("/a.json", "l", "", NULL);
    check_note_of("/b.json", "l", "two", "i:2");
    check_note("l", "three", "i:3");
    temp_remove(home);
}

static void add_to_text(void *context, const char *configuration, const char *language,
                        const struct prepare_note *note)
{
    CLEANUP_FREE char *files = strvec_join(&note->files, "|");

    strbuf_addf(context, "%s %s %s %s\n", configuration ? configuration : "-", language,
                note->image, files);
}

/* Those at the top come first, in whatever order the file has them. */
CASE(prepare_notes__each)
{
    char *home = set_up_home(
        "{\"configurations\": {\"/a.json\": {\"languages\": {\"l\": {\"image\": \"i:1\", "
        "\"files\": [\"/x\", \"/y z\"]}}}}, \"languages\": {\"m\": {\"image\": \"i:2\"}}}");
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

    assert_int_equal(prepare_notes_each(add_to_text, &text, &error), 0);
    assert_string_equal(strbuf_string(&text), "- m i:2 \n/a.json l i:1 /x|/y z\n");
    temp_remove(home);
}

/* A file that would be too large to be read again is not written. */
CASE(prepare_notes__too_large)
{
    char *home = set_up_home(NULL);
    CLEANUP_FREE char *message = string_format("'%s/isolator/prepared.json' would be larger than 1 "
                                               "MiB; run: isolator prepare --remove --unused",
                                               home);
    CLEANUP(prepare_note_release) struct prepare_note note = PREPARE_NOTE_INIT;
    struct error error = ERROR_INIT;
    int written = 0;

    strvec_pushf(&note.steps, "%032000d", 0);
    for (int result = 0; result == 0 && written < 100; written++) {
        CLEANUP_FREE char *language = string_format("l%d", written);

        result = prepare_notes_put(NULL, language, &note, &error);
    }
    assert_int_equal(written, 33);
    assert_error(&error, ERROR_SYSTEM, message);
    check_note("l33", "", NULL);
    temp_remove(home);
}

/* For a child process, which cannot assert: writes notes. Returns whether one was not written. */
static int put_some(int writer, int times)
{
    for (int i = 0; i < times; i++) {
        struct prepare_note note = {.image = string_format("i:%d", i)};
        CLEANUP_FREE char *language = string_format("l%d-%d", writer, i);
        struct error error = ERROR_INIT;

        strvec_push(&note.steps, language);
        if (prepare_notes_put(NULL, language, &note, &error) != 0)
            return 1;
        prepare_note_release(&note);
    }
    return 0;
}

CASE(prepare_notes__written_by_many_at_once)
{
    enum { WRITERS = 8, TIMES = 10 };
    char *home = set_up_home(NULL);
    int status;

    for (int writer = 0; writer < WRITERS; writer++) {
        const pid_t child = fork();

        assert_true(child >= 0);
        if (child == 0)
            _exit(put_some(writer, TIMES));
    }
    for (int writer = 0; writer < WRITERS; writer++)
        assert_true(wait(&status) > 0 && status == 0);
    for (int i = 0; i < WRITERS * TIMES; i++) {
        CLEANUP_FREE char *language = string_format("l%d-%d", i / TIMES, i % TIMES);
        CLEANUP_FREE char *image = string_format("i:%d", i % TIMES);
        check_note(language, language, image);
    }
    temp_remove(home);
}

CASE(prepare_notes__not_written)
{
    struct prepare_note note = PREPARE_NOTE_INIT;
    struct error error = ERROR_INIT;

    setenv("XDG_CONFIG_HOME", "/dev/null", 1);
    assert_int_equal(prepare_notes_put(NULL, "a", &note, &error), -1);
    assert_error(&error, ERROR_SYSTEM,
                 "cannot write '/dev/null/isolator/prepared.json': Not a directory");
}
