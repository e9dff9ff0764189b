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
    assert_text_or_null(sh->preparation.network, network);
    check_joined(&sh->packages, packages);
    assert_int_equal(sh->preparation.tag != NULL, *steps != '\0');
    temp_remove(home);
}

/* By: printf 'sh\0i\0x\0' | sha256sum | cut -c 1-16 */
#define NOTED                                                                                      \
    "\"image\": \"isolator-prepared:sh-86b404d93ebf0812\", \"packages\": [\"both\", \"more\"]"

static void prepare_notes__applied(void **state)
{
    (void)state;
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

/* Steps of the configuration have precedence. Packages belong to one image only. */
static void prepare_notes__the_configuration_goes_first(void **state)
{
    (void)state;
    check_applied("{\"run\": [\"y\"], \"network\": \"none\"}",
                  "{\"languages\": {\"sh\": {\"run\": [\"x\"], \"network\": \"bridge\", " NOTED
                  "}}}",
                  "y", "none", "own|both");
    check_applied("{\"run\": []}", "{\"languages\": {\"sh\": {" NOTED "}}}", "", NULL, "own|both");
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

static void prepare_notes__wrong(void **state)
{
    (void)state;
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
    check_refused("{\"languages\": {}, \"languages\": {}}",
                  ":1:29: duplicate object key near '\"languages\"'");
}

static void check_note(const char *language, const char *steps, const char *image)
{
    CLEANUP(prepare_note_release) struct prepare_note note = PREPARE_NOTE_INIT;
    CLEANUP(error_release) struct error error = ERROR_INIT;

    assert_int_equal(prepare_notes_get(language, &note, &error), 0);
    check_joined(&note.steps, steps);
    assert_text_or_null(note.image, image);
}

static void put(const char *language, const char *image, const char *step)
{
    CLEANUP(prepare_note_release) struct prepare_note note = PREPARE_NOTE_INIT;
    CLEANUP(error_release) struct error error = ERROR_INIT;

    note.image = string_copy(image);
    strvec_push(&note.steps, step);
    assert_int_equal(prepare_notes_put(language, &note, &error), 0);
}

/* Missing directories are created, and other notes are kept. */
static void prepare_notes__written_and_read(void **state)
{
    char *home = set_up_home(NULL);
    CLEANUP_FREE char *below = path_in(home, "a/b");
    CLEANUP(error_release) struct error error = ERROR_INIT;

    (void)state;
    setenv("XDG_CONFIG_HOME", below, 1);
    check_note("a", "", NULL);
    put("a", "i:1", "echo \"\xc3\xa9\n\"");
    put("b", "i:2", "two");
    put("a", "i:3", "three");
    check_note("a", "three", "i:3");
    check_note("b", "two", "i:2");
    check_note("c", "", NULL);
    assert_int_equal(prepare_notes_put("a", NULL, &error), 0);
    assert_int_equal(prepare_notes_put("c", NULL, &error), 0);
    check_note("a", "", NULL);
    check_note("b", "two", "i:2");
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
        if (prepare_notes_put(language, &note, &error) != 0)
            return 1;
        prepare_note_release(&note);
    }
    return 0;
}

static void prepare_notes__written_by_many_at_once(void **state)
{
    enum { WRITERS = 8, TIMES = 10 };
    char *home = set_up_home(NULL);
    int status;

    (void)state;
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

static void prepare_notes__not_written(void **state)
{
    struct prepare_note note = PREPARE_NOTE_INIT;
    struct error error = ERROR_INIT;

    (void)state;
    setenv("XDG_CONFIG_HOME", "/dev/null", 1);
    assert_int_equal(prepare_notes_put("a", &note, &error), -1);
    assert_error(&error, ERROR_SYSTEM,
                 "cannot write '/dev/null/isolator/prepared.json': Not a directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prepare_notes__applied),
        cmocka_unit_test(prepare_notes__the_configuration_goes_first),
        cmocka_unit_test(prepare_notes__wrong),
        cmocka_unit_test(prepare_notes__written_and_read),
        cmocka_unit_test(prepare_notes__written_by_many_at_once),
        cmocka_unit_test(prepare_notes__not_written),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
