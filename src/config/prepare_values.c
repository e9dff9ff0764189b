#include "config/prepare_values.h"

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "config/prepare_rules.h"

int prepare_read_steps(struct json_reader *reader, const json_t *value, void *object)
{
    struct strvec *steps = object;

    if (json_reader_list(reader, value, steps) != 0)
        return -1;
    return json_reader_checked(reader, prepare_check_steps(steps, reader->error));
}

int prepare_read_network(struct json_reader *reader, const json_t *value, void *object)
{
    struct prepare_network *network = object;
    CLEANUP_FREE char *name = NULL;

    if (json_reader_string(reader, value, &name) != 0)
        return -1;
    prepare_network_release(network);
    return json_reader_checked(reader, prepare_network_set_name(network, name, reader->error));
}

int prepare_read_packages(struct json_reader *reader, const json_t *value, void *object)
{
    struct strvec *packages = object;

    if (json_reader_list(reader, value, packages) != 0)
        return -1;
    if (packages->count > PREPARE_PACKAGES_MAX) {
        CLEANUP_FREE char *expected = string_format("%d names at most", PREPARE_PACKAGES_MAX);

        return json_reader_wrong_type(reader, expected);
    }
    for (size_t i = 0; i < packages->count; i++) {
        if (!prepare_is_package(packages->items[i])) {
            CLEANUP_FREE char *names = string_format(
                "names of packages: up to %d letters, digits and any of @ . _ / + = -",
                PREPARE_PACKAGE_MAX);

            return json_reader_wrong_type(reader, names);
        }
    }
    return 0;
}
