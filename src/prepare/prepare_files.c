#include "prepare/prepare_files.h"

#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "base/text.h"
#include "config/prepare_rules.h"
#include "run/pack_tree.h"

/* They are packed in memory. */
#define BYTES_MAX (1LL << 30)

/* The year 2000: a wheel, which is a zip file, cannot hold times before 1980. */
static const time_t MODIFIED = 946684800;

enum { CHUNK = 65536 };

static int digest_archive(struct prepare_files *files, const struct notifier *cancel,
                          struct error *error)
{
    const int fd = archive_file(&files->archive);
    CLEANUP_FREE char *chunk = memory_allocate(CHUNK);
    char digits[SHA256_HEX_SIZE];
    struct sha256 hash;
    ssize_t length;

    sha256_init(&hash);
    for (off_t at = 0; (length = pread(fd, chunk, CHUNK, at)) > 0; at += length) {
        if (notifier_raised(cancel))
            return error_set(error, ERROR_CANCELLED, "cancelled");
        sha256_update(&hash, chunk, (size_t)length);
    }
    if (length < 0)
        return error_set_errno(error, ERROR_SYSTEM, "cannot read the archive");
    sha256_hex(&hash, digits);
    strvec_push(&files->digest, digits);
    return 0;
}

/* The names in the archive begin with the last part of PREPARE_FILES_DIRECTORY. */
static int pack(struct prepare_files *files, const struct strvec *paths, struct pack_tree *tree,
                struct error *error)
{
    const char *directory = text_file_name(PREPARE_FILES_DIRECTORY);

    if (archive_open(&files->archive, 0, 0, NULL, error) != 0 ||
        archive_add_directory(&files->archive, directory, MODIFIED, error) != 0)
        return -1;
    for (size_t i = 0; i < paths->count; i++) {
        CLEANUP_FREE char *name =
            string_format("%s/%s", directory, text_file_name(paths->items[i]));

        if (pack_tree_named(tree, paths->items[i], name, error) != 0)
            return -1;
    }
    pack_tree_count_omitted(tree);
    return pack_tree_check_size(tree, "1 GiB for files of the steps", error) == 0
               ? archive_finish(&files->archive, error)
               : -1;
}

int prepare_files_pack(struct prepare_files *files, const struct strvec *paths,
                       struct strvec *warnings, const struct notifier *cancel, struct error *error)
{
    CLEANUP(pack_tree_release)
    struct pack_tree tree = {
        .archive = &files->archive,
        .warnings = warnings,
        .cancel = cancel,
        .max_bytes = BYTES_MAX,
        .modified = &MODIFIED,
    };

    if (paths->count == 0)
        return 0;
    return pack(files, paths, &tree, error) == 0 ? digest_archive(files, cancel, error) : -1;
}

void prepare_files_release(struct prepare_files *files)
{
    archive_release(&files->archive);
    strvec_release(&files->digest);
}
