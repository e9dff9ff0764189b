#include "test.h"

#include <fcntl.h>
#include <math.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "service/job_batch.h"
#include "service/job_note.h"

#define ID      "0123456789abcdef"
#define OLD_KEY "00112233445566778899aabbccddeeff" /* of earlier versions */
#define KEY     OLD_KEY "0123456789abcdef"

struct fixture {
    char *directory;
    struct plan plan;
    struct error error;
};

static void set_up(struct fixture *fixture)
{
    *fixture = (struct fixture){.directory = temp_create(), .plan = PLAN_INIT};
    setenv("XDG_STATE_HOME", fixture->directory, 1);
    sandbox_policy_init(&fixture->plan.policy);
    for (int i = 0; i < LIMIT_NUMBERS; i++)
        fixture->plan.policy.limits.number[i] = 10;
    fixture->plan.policy.limits.number[LIMIT_OUTPUT] = 4096;
    fixture->plan.policy.limits.number[LIMIT_CPU_TIME] = INFINITY;
    fixture->plan.policy.network = string_copy("none");
    fixture->plan.language = string_copy("python");
    fixture->plan.image = string_copy("python:3");
    fixture->plan.workdir = string_copy("/workspace");
    fixture->plan.entrypoint = string_copy("main.py");
    fixture->plan.max_artifacts = 3;
    strvec_push_each(&fixture->plan.command, "python", "main.py", NULL);
}

static void tear_down(struct fixture *fixture)
{
    plan_release(&fixture->plan);
    error_release(&fixture->error);
    temp_remove(fixture->directory);
}

/* Writes the file of a job and unlocks it. */
static void write_note(struct fixture *fixture, const char *id, const char *name, long long expires)
{
    struct job_note note = JOB_NOTE_INIT;

    memcpy(note.id, id, sizeof note.id);
    memcpy(note.key, KEY, sizeof note.key);
    note.name = name ? string_copy(name) : NULL;
    note.artifacts = string_copy("/out");
    note.ends = 76;
    note.expires = expires;
    manifest_add(&note.sent, "a.txt", 5, OLD_KEY OLD_KEY);
    strvec_push(&note.warnings, "a warning");
    assert_int_equal(job_note_create(&note, &fixture->error), 0);
    assert_int_equal(job_note_write(&note, &fixture->plan, &fixture->error), 0);
    assert_int_equal(job_note_publish(&note, &fixture->error), 0);
    job_note_release(&note);
}

static void check_open(struct fixture *fixture, const char *word, const char *expected)
{
    struct job_note note = JOB_NOTE_INIT;

    assert_int_equal(job_note_lock(&note, word, &fixture->error), 0);
    assert_string_equal(note.id, expected);
    job_note_release(&note);
}

static void check_refused(struct fixture *fixture, const char *word, enum error_kind kind,
                          const char *message)
{
    struct job_note note = JOB_NOTE_INIT;

    assert_int_equal(job_note_lock(&note, word, &fixture->error), -1);
    assert_error(&fixture->error, kind, message);
    error_release(&fixture->error);
    fixture->error = (struct error)ERROR_INIT;
    job_note_release(&note);
}

CASE(job_note__names)
{
    static const char *const good[] = {"x", "training-1", "a.b_C", "0123456789abcdefg", "run"};
    static const char *const bad[] = {
        "",     "abc",
        "0",    "0123456789abcdef",
        "-x",   "a/b",
        "a b",  "\xc3\xa4",
        "..\n", "12345678901234567890123456789012345678901234567890123456789012345"};

    for (size_t i = 0; i < COUNT(good); i++) {
        CLEANUP(error_release) struct error error = ERROR_INIT;
        if (job_note_check_name(good[i], "job", &error) != 0)
            fail_msg("'%s' is refused", good[i]);
    }
    for (size_t i = 0; i < COUNT(bad); i++) {
        CLEANUP(error_release) struct error error = ERROR_INIT;
        if (job_note_check_name(bad[i], "job", &error) == 0)
            fail_msg("'%s' is taken", bad[i]);
        assert_int_equal(error.kind, ERROR_USAGE);
    }
}

CASE_WITH(job_note__round_trip, set_up(fixture))
{
    struct job_note note = JOB_NOTE_INIT;
    CLEANUP_FREE char *path = NULL;
    struct stat status;

    write_note(fixture, ID, "training", 77);
    path = path_in(fixture->directory, "isolator/jobs/" ID ".training");
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    assert_int_equal(job_note_lock(&note, "training", &fixture->error), 0);
    assert_string_equal(note.id, ID);
    assert_string_equal(note.name, "training");
    assert_string_equal(note.key, KEY);
    assert_string_equal(note.artifacts, "/out");
    assert_int_equal(note.ends, 76);
    assert_int_equal(note.expires, 77);
    assert_false(note.force);
    assert_int_equal(note.sent.count, 1);
    assert_string_equal(note.sent.items[0].name, "a.txt");
    assert_int_equal(note.sent.items[0].length, 5);
    assert_string_equal(note.warnings.items[0], "a warning");
    assert_string_equal(note.plan.image, "python:3");
    assert_string_equal(note.plan.command.items[1], "main.py");
    assert_int_equal(note.plan.max_artifacts, 3);
    assert_true(isinf(note.plan.policy.limits.number[LIMIT_CPU_TIME]));
    check_refused(fixture, "training", ERROR_SYSTEM,
                  "another isolator works on the job 'training'; its result is printed once");
    job_note_remove(&note);
    check_refused(fixture, "training", ERROR_USAGE, "no job 'training'; isolator ps lists them");
    job_note_release(&note);
}

CASE_WITH(job_note__is_found, set_up(fixture))
{
    CLEANUP(strvec_release) struct strvec words = STRVEC_INIT;

    job_notes_list(&words, true);
    assert_int_equal(words.count, 0);
    write_note(fixture, ID, NULL, 0);
    write_note(fixture, "0123456789abcde0", "x", 0);
    check_open(fixture, ID, ID);
    check_open(fixture, "0123456789abcde0", "0123456789abcde0");
    check_open(fixture, "x", "0123456789abcde0");
    check_refused(fixture, "0123", ERROR_USAGE,
                  "'0123' is the start of several ids: give more digits");
    check_refused(fixture, "", ERROR_USAGE, "no job ''; isolator ps lists them");
    check_refused(fixture, "../x", ERROR_USAGE, "no job '../x'; isolator ps lists them");
    check_refused(fixture, "\033[2J", ERROR_USAGE, "no job '\\x1b[2J'; isolator ps lists them");
    job_notes_list(&words, true);
    assert_int_equal(words.count, 3);
}

CASE_WITH(job_note__of_a_workspace, set_up(fixture))
{
    struct job_note note = {.is_workspace = true, .plan = PLAN_INIT, .lock = -1};

    memcpy(note.id, ID, sizeof note.id);
    memcpy(note.key, KEY, sizeof note.key);
    assert_int_equal(job_note_check_job(&note, &fixture->error), -1);
    assert_error(&fixture->error, ERROR_USAGE,
                 "'" ID "' is a workspace: each command prints its own result, see isolator exec");
    assert_int_equal(job_note_create(&note, &fixture->error), 0);
    assert_int_equal(job_note_write(&note, &fixture->plan, &fixture->error), 0);
    assert_int_equal(job_note_publish(&note, &fixture->error), 0);
    job_note_release(&note);
    assert_false(note.is_workspace);
    assert_int_equal(job_note_open(&note, ID, &fixture->error), 0);
    assert_true(note.is_workspace);
    job_note_release(&note);
}

CASE_WITH(job_note__of_a_batch, set_up(fixture))
{
    struct job_note note = JOB_NOTE_INIT, read = JOB_NOTE_INIT, other = JOB_NOTE_INIT;

    memcpy(note.id, ID, sizeof note.id);
    memcpy(note.key, KEY, sizeof note.key);
    note.batch_id = json_pack("{s:[n,f,s#]}", "deep", 0.1, "a\0b", 3);
    note.batch_line = 7;
    assert_int_equal(job_note_create(&note, &fixture->error), 0);
    assert_int_equal(job_note_write(&note, &fixture->plan, &fixture->error), 0);
    assert_int_equal(job_note_publish(&note, &fixture->error), 0);
    assert_int_equal(job_note_lock(&other, ID, &fixture->error), -1);
    assert_true(other.busy);
    error_release(&fixture->error);
    fixture->error = (struct error)ERROR_INIT;
    assert_int_equal(job_note_open(&read, ID, &fixture->error), 0);
    assert_true(json_equal(read.batch_id, note.batch_id));
    assert_int_equal(read.batch_line, 7);
    job_note_release(&read);
    job_note_release(&other);
    job_note_release(&note);
    write_note(fixture, ID, NULL, 0);
    assert_int_equal(job_note_lock(&read, ID, &fixture->error), 0);
    assert_false(read.busy);
    assert_null(read.batch_id);
    assert_int_equal(read.batch_line, 0);
    job_note_release(&read);
}

CASE_WITH(job_note__batches, set_up(fixture))
{
    int one, other;

    assert_false(job_batch_runs());
    one = job_batch_begin(&fixture->error);
    other = job_batch_begin(&fixture->error);
    assert_true(one >= 0 && other >= 0);
    assert_true(job_batch_runs());
    close(one);
    assert_true(job_batch_runs());
    close(other);
    assert_false(job_batch_runs());
}

/* Who can write to the directory of root, which runs with that HOME, chooses no other file for it.
 */
CASE_WITH(job_note__links_are_not_followed, set_up(fixture))
{
    static const char *const links[] = {"isolator/jobs/" ID, "isolator/jobs/.batch"};
    CLEANUP_FREE char *other = NULL, *cannot_open = NULL, *cannot_lock = NULL;

    write_note(fixture, "fedcba9876543210", NULL, 77);
    other = path_in(fixture->directory, "other");
    for (size_t i = 0; i < COUNT(links); i++) {
        CLEANUP_FREE char *link = path_in(fixture->directory, links[i]);

        assert_int_equal(symlink("../../other", link), 0);
    }
    cannot_open = string_format("cannot open '%s/%s': Too many levels of symbolic links",
                                fixture->directory, links[0]);
    cannot_lock = string_format("cannot lock '%s/%s': Too many levels of symbolic links",
                                fixture->directory, links[1]);
    check_refused(fixture, ID, ERROR_SYSTEM, cannot_open);
    assert_int_equal(job_batch_begin(&fixture->error), -1);
    assert_error(&fixture->error, ERROR_SYSTEM, cannot_lock);
    assert_false(job_batch_runs());
    assert_int_equal(access(other, F_OK), -1);
}

CASE_WITH(job_note__damaged_files, set_up(fixture))
{
    static const struct {
        const char *text, *message;
    } files[] = {
        {"", "it is not JSON"},
        {"[]", "it was written by another version of isolator"},
        {"{\"version\": 2}", "it was written by another version of isolator"},
        {"{\"version\": 1}", "key is missing"},
        {"{\"version\": 1, \"key\": 7}", "key is missing"},
        {"{\"version\": 1, \"key\": \"" KEY "\"}", "language is missing"},
        {"{\"version\": 1, \"key\": \"" OLD_KEY "\"}", "language is missing"},
        {"{\"version\": 1, \"key\": \"" KEY "0\"}", "key is missing"},
        {"{\"version\": 1, \"key\": \"0123456789abcdef\"}", "key is missing"},
        {"{\"version\": 1, \"key\": \"" KEY "\", \"plan\": {\"language\": [], \"image\": 1}}",
         "language is missing"},
    };

    write_note(fixture, ID, NULL, 0);
    for (size_t i = 0; i < COUNT(files); i++) {
        struct job_note note = JOB_NOTE_INIT;

        write_in(fixture->directory, "isolator/jobs/" ID, files[i].text);
        assert_int_equal(job_note_lock(&note, ID, &fixture->error), -1);
        if (!strstr(fixture->error.message, files[i].message))
            fail_msg("'%s' is told of '%s'", fixture->error.message, files[i].text);
        error_release(&fixture->error);
        fixture->error = (struct error)ERROR_INIT;
        job_note_release(&note);
    }
}

CASE_WITH(job_note__expires, set_up(fixture))
{
    struct job_note used = JOB_NOTE_INIT;

    write_note(fixture, ID, NULL, 100);
    write_note(fixture, "1123456789abcdef", NULL, 200);
    write_note(fixture, "2123456789abcdef", "used", 100);
    assert_int_equal(job_note_lock(&used, "used", &fixture->error), 0);
    job_notes_prune(101);
    check_refused(fixture, ID, ERROR_USAGE, "no job '" ID "'; isolator ps lists them");
    check_open(fixture, "1123456789abcdef", "1123456789abcdef");
    job_note_release(&used);
    check_open(fixture, "used", "2123456789abcdef"); /* it was locked */
}

/* Whether the job can be claimed now. */
static bool claims(const char *id, bool removes)
{
    struct job_note note = JOB_NOTE_INIT;
    const bool claimed = job_note_claim(&note, id);

    if (removes)
        job_note_remove(&note);
    job_note_release(&note);
    return claimed;
}

CASE_WITH(job_note__claim, set_up(fixture))
{
    struct job_note used = JOB_NOTE_INIT;

    assert_true(claims(ID, true)); /* there is no file of it */
    write_note(fixture, ID, "training", 0);
    assert_int_equal(job_note_lock(&used, ID, &fixture->error), 0);
    assert_false(claims(ID, false));
    job_note_release(&used);
    write_in(fixture->directory, "isolator/jobs/" ID ".training", "damaged");
    assert_true(claims(ID, true));
    check_refused(fixture, ID, ERROR_USAGE, "no job '" ID "'; isolator ps lists them");
}

static bool is_there(const struct fixture *fixture, const char *name)
{
    CLEANUP_FREE char *path = path_in(fixture->directory, name);
    struct stat status;

    return lstat(path, &status) == 0;
}

/* Until it is published, a job is not found; one whose isolator was killed then can be claimed. */
CASE_WITH(job_note__publish, set_up(fixture))
{
    CLEANUP(strvec_release) struct strvec starting = STRVEC_INIT;
    struct job_note note = JOB_NOTE_INIT, other = JOB_NOTE_INIT;

    memcpy(note.id, ID, sizeof note.id);
    memcpy(note.key, KEY, sizeof note.key);
    note.name = string_copy("training");
    assert_int_equal(job_note_stage(ID), JOB_STAGE_NONE);
    assert_int_equal(job_note_create(&note, &fixture->error), 0);
    assert_int_equal(job_note_write(&note, &fixture->plan, &fixture->error), 0);
    assert_int_equal(job_note_stage(ID), JOB_STAGE_STARTING);
    assert_false(claims(ID, false));
    check_refused(fixture, ID, ERROR_USAGE, "no job '" ID "'; isolator ps lists them");
    job_notes_starting(&starting);
    assert_int_equal(starting.count, 1);
    assert_string_equal(starting.items[0], ID ".training");
    assert_int_equal(job_note_publish(&note, &fixture->error), 0);
    assert_int_equal(job_note_stage(ID), JOB_STAGE_STARTED);
    assert_false(claims(ID, false));
    job_note_release(&note);
    check_open(fixture, "training", ID);

    memcpy(other.id, "2123456789abcdef", sizeof other.id);
    assert_int_equal(job_note_create(&other, &fixture->error), 0);
    assert_int_equal(job_note_write(&other, &fixture->plan, &fixture->error), 0);
    job_note_release(&other); /* as if it were killed */
    strvec_release(&starting);
    job_notes_starting(&starting);
    assert_int_equal(starting.count, 0);
    assert_true(claims("2123456789abcdef", true));
    assert_int_equal(job_note_stage("2123456789abcdef"), JOB_STAGE_NONE);
}

/* An isolator that was killed in writing the file of a job leaves one that begins with a dot. */
CASE_WITH(job_note__unfinished_files, set_up(fixture))
{
    static const struct {
        const char *name, *text;
        bool stays;
    } files[] = {
        {"isolator/jobs/." ID ".training", "", false},
        {"isolator/jobs/.1123456789abcdef", "{\"expires\": ", false},
        {"isolator/jobs/.2123456789abcdef", "{\"expires\": 99}", false},
        {"isolator/jobs/.3123456789abcdef", "{\"expires\": 100}", true},
        {"isolator/jobs/.4123456789abcdef", "", true}, /* locked */
        {"isolator/jobs/.other", "", true},
    };
    CLEANUP_FREE char *path = NULL;
    int lock;

    write_note(fixture, ID, NULL, 0);
    for (size_t i = 0; i < COUNT(files); i++)
        write_in(fixture->directory, files[i].name, files[i].text);
    path = path_in(fixture->directory, files[4].name);
    lock = open(path, O_RDONLY | O_CLOEXEC);
    assert_int_equal(flock(lock, LOCK_EX), 0);
    job_notes_prune(100);
    for (size_t i = 0; i < COUNT(files); i++)
        if (is_there(fixture, files[i].name) != files[i].stays)
            fail_msg("'%s' %s", files[i].name, files[i].stays ? "is gone" : "stays");
    check_open(fixture, ID, ID);
    close(lock);
}
