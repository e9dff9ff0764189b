#include "test.h"

#include "base/archive.h"
#include "base/memory.h"
#include "run/unrequested_files.h"

#define PNG "\x89PNG\r\n\x1a\n\0\0\0\rIHDR"

/* Files that were known, in three lists, and the archive that comes back. */
struct fixture {
    struct plan plan;
    struct manifest known[3];
    struct archive back;
    struct result result;
    struct unrequested_files unrequested;
};

static void set_up(struct fixture *fixture)
{
    struct error error = ERROR_INIT;

    *fixture = (struct fixture){.plan = PLAN_INIT, .result = RESULT_INIT, .back = ARCHIVE_INIT};
    fixture->plan.max_artifacts = 100;
    fixture->plan.max_artifact_bytes = 10 << 20;
    assert_int_equal(archive_open(&fixture->back, 1, 1, NULL, &error), 0);
}

static void add(struct fixture *fixture, const char *name, const char *data, size_t length)
{
    struct error error = ERROR_INIT;

    assert_int_equal(archive_add_bytes(&fixture->back, name, data, length, &error), 0);
}

/* A picture of so many bytes. */
static void add_picture(struct fixture *fixture, const char *name, size_t length)
{
    CLEANUP_FREE char *data = memory_allocate(length);

    memset(data, 0, length);
    memcpy(data, PNG, sizeof PNG - 1);
    add(fixture, name, data, length);
}

static void know(struct fixture *fixture, int list, const char *name, const char *data)
{
    char digest[SHA256_HEX_SIZE] = "";

    if (data)
        sha256_of(data, strlen(data), digest);
    manifest_add(&fixture->known[list], name, data ? (long long)strlen(data) : UNREQUESTED_ANY,
                 digest);
}

/* Feeds the archive in pieces, and then the name of a file that is not in it, or NULL. */
static void find(struct fixture *fixture, const char *too_large)
{
    const struct manifest *const known[] = {&fixture->known[0], &fixture->known[1],
                                            &fixture->known[2]};
    struct error error = ERROR_INIT;
    struct strbuf tar;

    for (int i = 0; i < 3; i++)
        manifest_sort(&fixture->known[i]);
    assert_int_equal(archive_finish(&fixture->back, &error), 0);
    lseek(archive_file(&fixture->back), 0, SEEK_SET);
    tar = read_all(archive_file(&fixture->back));
    unrequested_init(&fixture->unrequested, &fixture->plan, known, &fixture->result);
    for (size_t at = 0; at < tar.length; at += 100)
        unrequested_feed(&fixture->unrequested, tar.data + at,
                         tar.length - at < 100 ? tar.length - at : 100);
    if (too_large)
        unrequested_note_name(&fixture->unrequested, too_large);
    unrequested_finish(&fixture->unrequested);
    strbuf_release(&tar);
}

/* Checks the names of the artifacts and of the other files, and how many these are. */
static void check(struct fixture *fixture, const char *taken, const char *named, size_t count)
{
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;
    CLEANUP_FREE char *artifacts = NULL;
    CLEANUP_FREE char *joined = strvec_join(&fixture->result.unreturned, " ");

    for (size_t i = 0; i < fixture->result.artifacts.count; i++)
        strvec_push(&names, fixture->result.artifacts.items[i].name);
    artifacts = strvec_join(&names, " ");
    assert_string_equal(artifacts, taken);
    assert_string_equal(joined, named);
    assert_int_equal(fixture->result.unreturned_count, count);
    unrequested_release(&fixture->unrequested);
    result_release(&fixture->result);
    archive_release(&fixture->back);
    for (int i = 0; i < 3; i++)
        manifest_release(&fixture->known[i]);
}

CASE(unrequested__takes_pictures_and_names_others)
{
    struct fixture fixture;

    set_up(&fixture);
    add(&fixture, "./out/b.csv", "1", 1);
    add_picture(&fixture, "./out/a.png", 100);
    add(&fixture, "./c.svg", "<svg/>", 6);
    add(&fixture, "./text.png", "text", 4);
    find(&fixture, "./large");
    check(&fixture, "c.svg out/a.png", "large out/b.csv text.png", 3);
}

/* Nothing is said of a file that is as it was sent, built, or named before. */
CASE(unrequested__leaves_out_what_is_known)
{
    struct fixture fixture;

    set_up(&fixture);
    know(&fixture, 0, "same", "1");
    know(&fixture, 0, "changed", "1");
    know(&fixture, 1, "built", NULL);
    know(&fixture, 2, "named", "2");
    know(&fixture, 2, "named-large", NULL);
    add(&fixture, "./same", "1", 1);
    add(&fixture, "./changed", "2", 1);
    add(&fixture, "./built", "3", 1);
    add(&fixture, "./named", "2", 1);
    find(&fixture, "./named-large");
    check(&fixture, "", "changed", 1);
}

CASE(unrequested__leaves_out_hidden_and_harmful_names)
{
    struct fixture fixture;
    struct error error = ERROR_INIT;

    set_up(&fixture);
    add_picture(&fixture, "./.hidden.png", 100);
    add_picture(&fixture, "./.d/a.png", 100);
    add_picture(&fixture, "./d/.a.png", 100);
    add(&fixture, "./__pycache__/m.pyc", "1", 1);
    add(&fixture, "./d/__pycache__/m.pyc", "1", 1);
    add(&fixture, "./line\nbreak", "1", 1);
    add(&fixture, "./\xff", "1", 1);
    assert_int_equal(archive_add_directory(&fixture.back, "./dir", 0, &error), 0);
    find(&fixture, "./d/.large");
    check(&fixture, "", "", 0);
}

CASE(unrequested__takes_four_pictures)
{
    struct fixture fixture;
    char name[] = "./0.png";

    set_up(&fixture);
    for (; name[2] < '6'; name[2]++)
        add_picture(&fixture, name, 100);
    find(&fixture, NULL);
    check(&fixture, "0.png 1.png 2.png 3.png", "4.png 5.png", 2);
}

CASE(unrequested__takes_a_mebibyte)
{
    struct fixture fixture;

    set_up(&fixture);
    add_picture(&fixture, "./a.png", 1 << 19);
    add_picture(&fixture, "./b.png", (1 << 19) + 1);
    add_picture(&fixture, "./c.png", 1 << 19);
    add_picture(&fixture, "./d.png", 100);
    add_picture(&fixture, "./e.png", (1 << 20) + 1); /* more than was asked for */
    find(&fixture, NULL);
    check(&fixture, "a.png c.png", "b.png d.png e.png", 3);
}

CASE(unrequested__keeps_the_limits_of_artifacts)
{
    struct fixture fixture;

    set_up(&fixture);
    fixture.plan.max_artifacts = 1;
    fixture.plan.max_artifact_bytes = 150;
    add_picture(&fixture, "./a.png", 151);
    add_picture(&fixture, "./b.png", 100);
    add_picture(&fixture, "./c.png", 20);
    find(&fixture, NULL);
    check(&fixture, "b.png", "a.png c.png", 2);
}

CASE(unrequested__names_and_remembers_few)
{
    struct fixture fixture;
    char name[20];

    set_up(&fixture);
    for (int i = 1000; i < 2500; i++) {
        snprintf(name, sizeof name, "./%d", i);
        add(&fixture, name, "", 0);
    }
    find(&fixture, "./large");
    assert_int_equal(fixture.unrequested.found.count, 1000);
    check(&fixture, "", "1000 1001 1002 1003 1004 1005 1006 1007 1008 1009", 1501);
}

CASE(unrequested__of_garbage)
{
    const struct manifest none = MANIFEST_INIT;
    const struct manifest *const known[] = {&none, &none, &none};
    struct fixture fixture;
    CLEANUP_FREE char *garbage = memory_allocate(2000);

    set_up(&fixture);
    memset(garbage, 'x', 2000);
    unrequested_init(&fixture.unrequested, &fixture.plan, known, &fixture.result);
    unrequested_feed(&fixture.unrequested, garbage, 2000);
    unrequested_feed(&fixture.unrequested, garbage, 2000);
    unrequested_finish(&fixture.unrequested);
    check(&fixture, "", "", 0);
}

/* No size in the tar is trusted: nothing is allocated for more than was asked for. */
CASE(unrequested__reserves_no_more_than_asked)
{
    const struct manifest none = MANIFEST_INIT;
    const struct manifest *const known[] = {&none, &none, &none};
    struct fixture fixture;
    struct error error = ERROR_INIT;
    struct strbuf tar;

    set_up(&fixture);
    add_picture(&fixture, "./a.png", (1 << 20) + 1);
    assert_int_equal(archive_finish(&fixture.back, &error), 0);
    lseek(archive_file(&fixture.back), 0, SEEK_SET);
    tar = read_all(archive_file(&fixture.back));
    unrequested_init(&fixture.unrequested, &fixture.plan, known, &fixture.result);
    unrequested_feed(&fixture.unrequested, tar.data, 600);
    assert_null(fixture.unrequested.data);
    strbuf_release(&tar);
    check(&fixture, "", "a.png", 1);
}

/* The program itself and large files may have changed: nobody is told. */
CASE(unrequested__what_was_sent)
{
    struct manifest manifest = MANIFEST_INIT;
    struct plan plan = PLAN_INIT;
    struct input_file files[] = {{.path = (char *)"small", .data = (char *)"1", .length = 1},
                                 {.path = (char *)"large", .length = (1 << 20) + 1}};

    plan.entrypoint = (char *)"main.py";
    plan.input.files.items = files;
    plan.input.files.count = COUNT(files);
    unrequested_add_sent(&manifest, &plan);
    assert_int_equal(manifest.count, 3);
    assert_int_equal(manifest_find(&manifest, "main.py")->length, UNREQUESTED_ANY);
    assert_int_equal(manifest_find(&manifest, "large")->length, UNREQUESTED_ANY);
    assert_int_equal(manifest_find(&manifest, "small")->length, 1);
    assert_string_equal(manifest_find(&manifest, "small")->sha256,
                        "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b");
    manifest_release(&manifest);
}
