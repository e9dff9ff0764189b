#include "request/request.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/glob.h"
#include "base/memory.h"
#include "base/text.h"

void input_release(struct input *input)
{
    free(input->dir);
    cleanup_fd(&input->file);
    free(input->code);
    input_files_release(&input->files);
    cleanup_fd(&input->stdin_file);
    *input = (struct input)INPUT_INIT;
}

static int copy_descriptor(int fd, int *copy, struct error *error)
{
    *copy = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    return fd >= 0 && *copy < 0
               ? error_set_errno(error, ERROR_SYSTEM, "cannot duplicate a file of the request")
               : 0;
}

int input_copy(struct input *input, const struct input *from, struct error *error)
{
    input->dir = from->dir ? string_copy(from->dir) : NULL;
    if (from->code) {
        input->code = memory_allocate(from->code_length);
        memcpy(input->code, from->code, from->code_length);
        input->code_length = from->code_length;
    }
    for (size_t i = 0; i < from->files.count; i++) {
        const struct input_file *file = &from->files.items[i];
        char *data = file->range.file ? NULL : memory_allocate(file->length);

        if (data)
            memcpy(data, file->data, file->length);
        if (file->range.file)
            input_files_add_range(&input->files, file->path,
                                  (struct file_range){shared_file_share(file->range.file),
                                                      file->range.offset, file->range.length});
        else
            input_files_add(&input->files, file->path, data, file->length);
    }
    input->stdin_is_live = from->stdin_is_live;
    return copy_descriptor(from->file, &input->file, error) == 0 &&
                   copy_descriptor(from->stdin_file, &input->stdin_file, error) == 0
               ? 0
               : -1;
}

size_t input_bytes(const struct input *input)
{
    size_t bytes = input->code_length;
    struct stat status;

    for (size_t i = 0; i < input->files.count; i++)
        bytes += input->files.items[i].length;
    if (input->stdin_file >= 0 && !input->stdin_is_live && fstat(input->stdin_file, &status) == 0)
        bytes += (size_t)status.st_size;
    return bytes;
}

void request_init(struct request *request)
{
    *request = (struct request){.language = NULL};
    request->input = (struct input)INPUT_INIT;
    sandbox_policy_init(&request->policy);
}

void request_release(struct request *request)
{
    free(request->language);
    free(request->image);
    free(request->workdir);
    free(request->directory);
    input_release(&request->input);
    strvec_release(&request->paths);
    strvec_release(&request->constants);
    free(request->links_below);
    free(request->entrypoint);
    strvec_release(&request->arguments);
    strvec_release(&request->environment);
    sandbox_policy_release(&request->policy);
    network_selection_release(&request->hosts);
    strvec_release(&request->tools);
    strvec_release(&request->artifacts);
    case_requests_release(&request->tests);
    function_call_release(&request->call);
    if (request->checker)
        request_release(request->checker);
    free(request->checker);
    if (request->grader)
        request_release(request->grader);
    free(request->grader);
    free(request->session_name);
    free(request->workspace_name);
    free(request->shell);
    session_terms_free(request->terms);
    strvec_release(&request->warnings);
    free(request->save_image);
    free(request->save_dockerfile);
    request_init(request);
}

int request_add_path(struct request *request, const char *path, struct error *error)
{
    CLEANUP_FREE char *trimmed = string_copy(path);
    CLEANUP_FREE char *shown = text_escape_short(path, TEXT_SHOWN_MAX);
    const char *name;

    if (strcmp(path, "-") == 0)
        return error_set(error, ERROR_USAGE, "standard input can only be the program or --stdin");
    for (size_t length = strlen(trimmed); length > 1 && trimmed[length - 1] == '/'; length--)
        trimmed[length - 1] = '\0';
    name = text_file_name(trimmed);
    if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return error_set(error, ERROR_USAGE, "'%s' does not end in a name", shown);
    for (size_t i = 0; i < request->paths.count; i++)
        if (strcmp(text_file_name(request->paths.items[i]), name) == 0)
            return error_set(error, ERROR_USAGE, "'%s' has the same name as another file", shown);
    strvec_push(&request->paths, trimmed);
    return 0;
}

int request_add_artifact(struct request *request, const char *pattern, struct error *error)
{
    CLEANUP_FREE char *shown = text_escape_short(pattern, TEXT_SHOWN_MAX);
    CLEANUP(glob_release) struct glob compiled = GLOB_INIT;

    if (*pattern == '\0' || strlen(pattern) > REQUEST_PATTERN_MAX)
        return error_set(error, ERROR_USAGE,
                         "'%s' must be a pattern for paths in the working directory, like *.png",
                         shown);
    if (request->artifacts.count == REQUEST_PATTERNS_MAX)
        return error_set(error, ERROR_USAGE, "more than %d patterns", REQUEST_PATTERNS_MAX);
    if (glob_compile(&compiled, pattern, error) != 0)
        return -1;
    strvec_push(&request->artifacts, pattern);
    return 0;
}
