#include "service/job_files.h"

#include <dirent.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "config/config_files.h"

enum { ID_DIGITS = JOB_ID_SIZE - 1 };

char *job_files_directory(void)
{
    return config_state("jobs");
}

bool job_file_split(const char *file, char id[JOB_ID_SIZE], const char **name)
{
    if (strspn(file, JOB_ID_DIGITS) != ID_DIGITS ||
        (file[ID_DIGITS] != '\0' && file[ID_DIGITS] != '.'))
        return false;
    memcpy(id, file, ID_DIGITS);
    id[ID_DIGITS] = '\0';
    *name = file[ID_DIGITS] == '.' ? file + JOB_ID_SIZE : NULL;
    return true;
}

void job_files_list(struct strvec *files, bool unfinished)
{
    CLEANUP_FREE char *path = job_files_directory();
    DIR *jobs = opendir(path);
    const struct dirent *entry;
    char id[JOB_ID_SIZE];
    const char *name = NULL;

    while (jobs && (entry = readdir(jobs)))
        if ((entry->d_name[0] == '.') == unfinished &&
            job_file_split(entry->d_name + unfinished, id, &name))
            strvec_push(files, entry->d_name);
    if (jobs)
        closedir(jobs);
}

void job_files_find(const char *word, bool unfinished, struct strvec *found)
{
    CLEANUP(strvec_release) struct strvec files = STRVEC_INIT;
    char id[JOB_ID_SIZE];
    const char *name = NULL;

    job_files_list(&files, unfinished);
    for (size_t i = 0; i < files.count; i++) {
        job_file_split(files.items[i] + unfinished, id, &name);
        if ((name && strcmp(name, word) == 0) || (*word && strncmp(id, word, strlen(word)) == 0))
            strvec_push(found, files.items[i]);
    }
}
