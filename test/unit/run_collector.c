#include "test.h"

#include "base/archive.h"
#include "base/memory.h"
#include "run/collector.h"

/* A plan with artifacts, the archive that was sent, and the archive that comes back. */
struct fixture {
    struct plan plan;
    struct manifest manifest; /* of `sent` */
    struct archive sent, back;
    struct result result;
    struct collector collector;
};

static struct archive new_archive(struct manifest *manifest)
{
    struct archive archive = ARCHIVE_INIT;
    struct error error = ERROR_INIT;

    assert_int_equal(archive_open(&archive, 1, 1, manifest, &error), 0);
    return archive;
}

static void add(struct archive *archive, const char *name, const char *data, size_t length)
{
    struct error error = ERROR_INIT;

    assert_int_equal(archive_add_bytes(archive, name, data, length, &error), 0);
}

static void set_up(struct fixture *fixture, const char *pattern)
{
    *fixture = (struct fixture){.plan = PLAN_INIT, .result = RESULT_INIT};
    strvec_push(&fixture->plan.artifacts, pattern);
    fixture->plan.max_artifacts = 3;
    fixture->plan.max_artifact_bytes = 1000;
    fixture->plan.policy.limits.number[LIMIT_WORKDIR] = 1;
    fixture->sent = new_archive(&fixture->manifest);
    fixture->back = new_archive(NULL);
}

/* Feeds the archive that comes back, without its last `cut` bytes, in pieces. */
static void collect_back(struct fixture *fixture, size_t cut)
{
    struct error error = ERROR_INIT;
    struct strbuf tar;
    bool more = true;

    assert_int_equal(archive_finish(&fixture->back, &error), 0);
    lseek(archive_file(&fixture->back), 0, SEEK_SET);
    tar = read_all(archive_file(&fixture->back));
    for (size_t at = 0; at < tar.length - cut; at += 100) {
        const size_t left = tar.length - cut - at;
        more = collector_feed(&fixture->collector, tar.data + at, left < 100 ? left : 100);
    }
    assert_int_equal(more, cut > 0 && fixture->collector.error.kind == ERROR_NONE);
    collector_finish(&fixture->collector, "it was cut");
    collector_release(&fixture->collector);
    strbuf_release(&tar);
}

/* The same with a new collector. */
static void collect(struct fixture *fixture, size_t cut)
{
    struct error error = ERROR_INIT;

    assert_int_equal(archive_finish(&fixture->sent, &error), 0);
    collector_init(&fixture->collector, &fixture->plan, &fixture->manifest, &fixture->result);
    collect_back(fixture, cut);
}

/* Checks the artifacts, "NAME:CONTENT " for each, and a line for each that is missing. */
static void check(struct fixture *fixture, const char *taken, const char *missing)
{
    const struct artifacts *artifacts = &fixture->result.artifacts;
    CLEANUP_FREE char *joined = strvec_join(&artifacts->missing, "\n");
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

    for (size_t i = 0; i < artifacts->count; i++) {
        strbuf_addf(&text, "%s:", artifacts->items[i].name);
        strbuf_add(&text, artifacts->items[i].data, artifacts->items[i].length);
        strbuf_addch(&text, ' ');
    }
    assert_string_equal(strbuf_string(&text), taken);
    assert_string_equal(joined, missing);
    result_release(&fixture->result);
    archive_release(&fixture->sent);
    archive_release(&fixture->back);
    manifest_release(&fixture->manifest);
    plan_release(&fixture->plan);
}

CASE(collector__new_and_changed_files)
{
    struct fixture fixture;
    struct error error = ERROR_INIT;

    set_up(&fixture, "**");
    add(&fixture.sent, "main.py", "code", 4);
    add(&fixture.sent, "data/in", "in", 2);
    add(&fixture.sent, "gone", "", 0);
    add(&fixture.back, "./main.py", "code", 4);
    assert_int_equal(archive_add_directory(&fixture.back, "./data", 0, &error), 0);
    add(&fixture.back, "./data/in", "IN", 2);
    add(&fixture.back, "./data/out", "out", 3);
    collect(&fixture, 0);
    check(&fixture, "data/in:IN data/out:out ", "");
}

/* A file that is asked for by its name is returned, also if it was sent and written again as it
 * was. */
CASE(collector__a_known_file_by_name)
{
    struct fixture fixture;

    set_up(&fixture, "d/in");
    add(&fixture.sent, "d/in", "in", 2);
    add(&fixture.back, "./d/in", "in", 2);
    collect(&fixture, 0);
    check(&fixture, "d/in:in ", "");
    set_up(&fixture, "in");
    add(&fixture.sent, "d/in", "in", 2);
    add(&fixture.back, "./d/in", "in", 2);
    collect(&fixture, 0);
    check(&fixture, "",
          "no artifact was found: the program created or changed no file in its working directory");
}

/* Code that nobody trusts places no .envrc; but what is left out is told. */
CASE(collector__names_with_a_dot)
{
    struct fixture fixture;

    set_up(&fixture, REQUEST_ALL_FILES);
    add(&fixture.back, ".coverage", "1", 1);
    add(&fixture.back, "d/.hidden", "2", 1);
    add(&fixture.back, ".d/x", "2", 1);
    add(&fixture.back, "e", "3", 1);
    collect(&fixture, 0);
    check(&fixture, "e:3 ",
          "files with a dot at the start of a name are no artifacts unless a pattern has that dot: "
          ".coverage, d/.hidden, .d/x");
    set_up(&fixture, "*");
    add(&fixture.back, ".coverage", "1", 1);
    add(&fixture.back, "e", "3", 1);
    collect(&fixture, 0);
    check(&fixture, "e:3 ", "");
}

CASE(collector__numbers_in_names)
{
    struct fixture fixture;

    set_up(&fixture, "**");
    add(&fixture.back, "figure-10.png", "1", 1);
    add(&fixture.back, "figure-9.png", "2", 1);
    collect(&fixture, 0);
    check(&fixture, "figure-9.png:2 figure-10.png:1 ", "");
}

CASE(collector__only_what_is_wanted)
{
    struct fixture fixture;

    set_up(&fixture, "*.csv");
    strvec_push(&fixture.plan.artifacts, "x/*");
    add(&fixture.back, "b.csv", "1", 1);
    add(&fixture.back, "b.txt", "2", 1);
    add(&fixture.back, "x/y", "3", 1);
    add(&fixture.back, "x/y/z", "4", 1);
    collect(&fixture, 0);
    check(&fixture, "b.csv:1 x/y:3 ", "");
}

CASE(collector__nothing_found)
{
    struct fixture fixture;

    set_up(&fixture, "*.png");
    add(&fixture.back, "b.csv", "1", 1);
    collect(&fixture, 0);
    check(&fixture, "", "no artifact was found: the pattern matches none of the new files: b.csv");
}

CASE(collector__names_that_lead_elsewhere)
{
    static const char path[] = "its path leads out of the working directory or is too long";
    struct fixture fixture;
    CLEANUP_FREE char *missing = string_format(
        "the artifact '../a' is omitted: %s\nthe artifact '/etc/passwd' is omitted: %s\n"
        "the artifact 'x/../../a' is omitted: %s\nthe artifact 'a//b' is omitted: %s\n"
        "the artifact 'a\\nb' is omitted: its name has control characters or is not valid UTF-8\n"
        "the artifact 'a\\xff' is omitted: its name has control characters or is not valid UTF-8",
        path, path, path, path);

    set_up(&fixture, "**");
    strvec_push(&fixture.plan.artifacts, "/**");
    add(&fixture.back, "../a", "1", 1);
    add(&fixture.back, "/etc/passwd", "1", 1);
    add(&fixture.back, "x/../../a", "1", 1);
    add(&fixture.back, "a//b", "1", 1);
    add(&fixture.back, "a\nb", "1", 1);
    add(&fixture.back, "a\xff", "1", 1);
    collect(&fixture, 0);
    check(&fixture, "", missing);
}

/* The limit is 4000 bytes, as for files that are sent. A warning has a shortened name. */
CASE(collector__a_name_that_is_too_long)
{
    static const char start[] = "the artifact 'directory/directory/";
    static const char end[] =
        "' is omitted: its path leads out of the working directory or is too long";
    static const char no_artifact[] =
        "no artifact was found: the pattern matches none of the new files: ";
    CLEANUP(strbuf_release) struct strbuf name = STRBUF_INIT;
    CLEANUP_FREE char *taken = NULL;
    CLEANUP_FREE char *missing = NULL;
    CLEANUP_FREE char *none = NULL;
    struct fixture fixture;

    while (name.length < 3990)
        strbuf_add(&name, "directory/", 10);
    strbuf_add(&name, "ten bytes.", 10);
    taken = string_format("%s:1 ", strbuf_string(&name));
    set_up(&fixture, "**");
    add(&fixture.back, strbuf_string(&name), "1", 1);
    strbuf_addch(&name, '.');
    add(&fixture.back, strbuf_string(&name), "2", 1);
    collect(&fixture, 0);
    missing = strvec_join(&fixture.result.artifacts.missing, "\n");
    assert_memory_equal(missing, start, strlen(start));
    assert_in_range(strlen(missing), strlen(start) + strlen(end), 350);
    assert_string_equal(missing + strlen(missing) - strlen(end), end);
    check(&fixture, taken, missing);
    set_up(&fixture, "*.png"); /* no pattern matches it */
    add(&fixture.back, strbuf_string(&name), "2", 1);
    collect(&fixture, 0);
    none = strvec_join(&fixture.result.artifacts.missing, "\n");
    assert_memory_equal(none, no_artifact, strlen(no_artifact));
    check(&fixture, "", none);
}

CASE(collector__nothing_of_a_repository)
{
    static const char in_git[] =
        "it would be written into the .git or .hg directory of a repository";
    struct fixture fixture;
    CLEANUP_FREE char *missing =
        string_format("the artifact '.git/hooks/post-commit' is omitted: %s\n"
                      "the artifact 'a/.GIT/config' is omitted: %s\n"
                      "the artifact '.git' is omitted: %s",
                      in_git, in_git, in_git);

    set_up(&fixture, "**");
    for (int i = 0; i < 3; i++)
        strvec_push(&fixture.plan.artifacts, ((const char *[]){".git/**", "a/.GIT/*", ".git"})[i]);
    add(&fixture.back, ".git/hooks/post-commit", "1", 1);
    add(&fixture.back, "a/.GIT/config", "1", 1);
    add(&fixture.back, ".git", "1", 1);
    add(&fixture.back, "a/x.git", "1", 1);
    collect(&fixture, 0);
    check(&fixture, "a/x.git:1 ", missing);
}

CASE(collector__links_and_doubles)
{
    struct fixture fixture;
    struct error error = ERROR_INIT;

    set_up(&fixture, "**");
    assert_int_equal(archive_add_symlink(&fixture.back, "link", "/etc/passwd", &error), 0);
    add(&fixture.back, "link/a", "1", 1);
    add(&fixture.back, "a", "first", 5);
    add(&fixture.back, "a", "second", 6);
    collect(&fixture, 0);
    check(&fixture, "a:first link/a:1 ",
          "the artifact 'link' is omitted: it is a symbolic link\n"
          "the artifact 'a' is omitted: another artifact has the same name");
}

CASE(collector__only_so_many_and_so_much)
{
    static const char text[1001];
    struct fixture fixture;

    set_up(&fixture, "**");
    fixture.plan.max_artifacts = 2;
    add(&fixture.sent, "given", text, 1001);
    add(&fixture.back, "given", text, 1001); /* as it was: not counted */
    add(&fixture.back, "large", text, 1001);
    add(&fixture.back, "a", "1", 1);
    add(&fixture.back, "full", text, 1000);
    add(&fixture.back, "b", "2", 1);
    add(&fixture.back, "c", "3", 1);
    collect(&fixture, 0);
    check(&fixture, "a:1 b:2 ",
          "the artifact 'large' is omitted: it exceeds the limit maxArtifactBytes\n"
          "the artifact 'full' is omitted: it exceeds the limit maxArtifactBytes\n"
          "the artifact 'c' is omitted: there are more than the limit maxArtifacts");
    set_up(&fixture, "**");
    fixture.plan.max_artifact_bytes = 3;
    add(&fixture.sent, "changed", "1234", 4);
    add(&fixture.back, "changed", "5678", 4);
    collect(&fixture, 0);
    check(&fixture, "", "the artifact 'changed' is omitted: it exceeds the limit maxArtifactBytes");
}

/* To find out whether such a file was changed takes its digest, not its bytes. */
CASE(collector__no_memory_for_a_file_that_is_too_large)
{
    static const char text[1001];
    struct error error = ERROR_INIT;
    struct fixture fixture;
    struct strbuf tar;

    set_up(&fixture, "**");
    add(&fixture.sent, "given", text, 1001);
    add(&fixture.back, "given", text, 1001);
    assert_int_equal(archive_finish(&fixture.sent, &error), 0);
    assert_int_equal(archive_finish(&fixture.back, &error), 0);
    lseek(archive_file(&fixture.back), 0, SEEK_SET);
    tar = read_all(archive_file(&fixture.back));
    collector_init(&fixture.collector, &fixture.plan, &fixture.manifest, &fixture.result);
    assert_true(collector_feed(&fixture.collector, tar.data, 600));
    assert_string_equal(fixture.collector.name, "given");
    assert_null(fixture.collector.data);
    assert_false(collector_feed(&fixture.collector, tar.data + 600, tar.length - 600));
    collector_finish(&fixture.collector, "it was cut");
    collector_release(&fixture.collector);
    strbuf_release(&tar);
    check(&fixture, "",
          "no artifact was found: the program created or changed no file in its working directory");
}

/* Returns bytes that are not the same everywhere; owned by the caller. */
static char *make_bytes(size_t length)
{
    char *bytes = memory_allocate(length);

    for (size_t i = 0; i < length; i++)
        bytes[i] = (char)('a' + i % 23);
    return bytes;
}

static void check_artifact(const struct artifact *artifact, const char *name, const char *data,
                           size_t length, bool in_memory)
{
    CLEANUP_FREE char *got = memory_allocate(length);
    char digest[SHA256_HEX_SIZE];

    sha256_of(data, length, digest);
    assert_string_equal(artifact->name, name);
    assert_int_equal(artifact->length, length);
    assert_string_equal(artifact->sha256, digest);
    assert_string_equal(artifact->mime_type, "text/plain");
    assert_int_equal(artifact->data != NULL, in_memory);
    assert_int_equal(artifact_read(artifact, 0, got, length), 0);
    assert_memory_equal(got, data, length);
}

/* The first MiB is kept in memory. What is as it was sent leaves nothing in the file. */
CASE(collector__many_bytes_are_written_to_a_file)
{
    enum { LARGE = COLLECTOR_MEMORY_MAX + 1, HALF = COLLECTOR_MEMORY_MAX / 2 + 1 };
    CLEANUP_FREE char *bytes = make_bytes(LARGE);
    struct fixture fixture;
    const struct artifacts *artifacts = &fixture.result.artifacts;
    struct stat status;

    set_up(&fixture, "**");
    fixture.plan.max_artifacts = 10;
    fixture.plan.max_artifact_bytes = 64 << 20;
    fixture.plan.policy.limits.number[LIMIT_WORKDIR] = 64;
    add(&fixture.sent, "sent", bytes, LARGE);
    add(&fixture.back, "1", bytes, LARGE);
    add(&fixture.back, "2", bytes, HALF);
    add(&fixture.back, "sent", bytes, LARGE);
    add(&fixture.back, "3", bytes + 1, HALF);
    add(&fixture.back, "4", "small", 5);
    collect(&fixture, 0);
    assert_int_equal(artifacts->count, 4);
    check_artifact(&artifacts->items[0], "1", bytes, LARGE, false);
    check_artifact(&artifacts->items[1], "2", bytes, HALF, true);
    check_artifact(&artifacts->items[2], "3", bytes + 1, HALF, false);
    check_artifact(&artifacts->items[3], "4", "small", 5, true);
    assert_int_equal(artifacts->file_length, LARGE + HALF);
    assert_int_equal(fstat(shared_file_fd(artifacts->file), &status), 0);
    assert_int_equal(status.st_size, LARGE + HALF);
    artifacts_release(&fixture.result.artifacts);
    check(&fixture, "", "");
}

/* The tar is cut off within a file that is being written. */
CASE(collector__a_file_that_is_not_complete)
{
    CLEANUP_FREE char *bytes = make_bytes(COLLECTOR_MEMORY_MAX + 1);
    struct fixture fixture;
    struct stat status;

    set_up(&fixture, "**");
    fixture.plan.max_artifact_bytes = 64 << 20;
    add(&fixture.back, "1", bytes, COLLECTOR_MEMORY_MAX + 1);
    collect(&fixture, 4096);
    assert_int_equal(fstat(shared_file_fd(fixture.result.artifacts.file), &status), 0);
    assert_int_equal(status.st_size, 0);
    check(&fixture, "", "artifacts may be missing: it was cut");
}

/* The host has no room for the file: the others come back. */
CASE(collector__a_file_that_cannot_be_written)
{
    CLEANUP_FREE char *bytes = make_bytes(COLLECTOR_MEMORY_MAX + 1);
    struct fixture fixture;

    set_up(&fixture, "**");
    fixture.plan.max_artifact_bytes = 64 << 20;
    fixture.result.artifacts.file = shared_file_new(open("/dev/full", O_WRONLY | O_CLOEXEC));
    add(&fixture.back, "1", bytes, COLLECTOR_MEMORY_MAX + 1);
    add(&fixture.back, "2", "2", 1);
    collect(&fixture, 0);
    check(&fixture, "2:2 ",
          "the artifact '1' is omitted: it cannot be kept: cannot write an unnamed file: No space "
          "left on device");
}

/* Only their names arrive, beside the tar. */
CASE(collector__files_that_are_not_in_the_tar)
{
    struct error error = ERROR_INIT;
    struct fixture fixture;

    set_up(&fixture, "*.bin");
    assert_int_equal(archive_finish(&fixture.sent, &error), 0);
    collector_init(&fixture.collector, &fixture.plan, &fixture.manifest, &fixture.result);
    collector_note_too_large(&fixture.collector, "./large.bin");
    collector_note_too_large(&fixture.collector, "./other.txt");
    collector_note_too_large(&fixture.collector, "./\033.bin");
    collector_finish(&fixture.collector, "it was cut");
    collector_release(&fixture.collector);
    check(&fixture, "",
          "the artifact 'large.bin' is omitted: it exceeds the limit maxArtifactBytes\n"
          "the artifact '\\x1b.bin' is omitted: it exceeds the limit maxArtifactBytes\n"
          "artifacts may be missing: it was cut");
}

CASE(collector__a_file_that_is_not_in_the_tar_and_not_wanted)
{
    struct error error = ERROR_INIT;
    struct fixture fixture;

    set_up(&fixture, "*.png");
    assert_int_equal(archive_finish(&fixture.sent, &error), 0);
    collector_init(&fixture.collector, &fixture.plan, &fixture.manifest, &fixture.result);
    collector_note_too_large(&fixture.collector, "./large.bin");
    collect_back(&fixture, 0);
    check(&fixture, "",
          "no artifact was found: the pattern matches none of the new files: large.bin");
}

CASE(collector__only_ten_are_named)
{
    struct fixture fixture;
    struct error error = ERROR_INIT;

    set_up(&fixture, "**");
    for (int i = 0; i < 13; i++)
        assert_int_equal(archive_add_symlink(&fixture.back, "x", "y", &error), 0);
    collect(&fixture, 0);
    assert_int_equal(fixture.result.artifacts.missing.count, 11);
    assert_string_equal(fixture.result.artifacts.missing.items[10], "3 more artifacts are omitted");
    strvec_release(&fixture.result.artifacts.missing);
    check(&fixture, "", "");
}

/* A truncated file is not returned. */
CASE(collector__cut_off)
{
    struct fixture fixture;

    set_up(&fixture, "**");
    add(&fixture.back, "a", "1", 1);
    add(&fixture.back, "b", "22", 2);
    collect(&fixture, 1024 + 511);
    check(&fixture, "a:1 ", "artifacts may be missing: it was cut");
}

CASE(collector__longer_than_it_can_be)
{
    struct fixture fixture;
    CLEANUP_FREE char *zeros = memory_allocate(19 << 20);

    set_up(&fixture, "a");
    memset(zeros, 0, 19 << 20);
    add(&fixture.back, "hole", zeros, 19 << 20);
    add(&fixture.back, "a", "1", 1);
    collect(&fixture, 512);
    check(
        &fixture, "",
        "artifacts may be missing: the archive of the files is larger than the working directory");
}
