/* One folder of format files: listed once, whatever kinds of file are looked
 * for, and its files opened relative to it.  Inside of extract/format.
 */
#ifndef EXTRACT_FORMAT_FORMAT_FOLDER_H
#define EXTRACT_FORMAT_FORMAT_FOLDER_H

#include <stddef.h>

#include "common/error.h"
#include "common/strbuf.h"

/* A file of a folder. */
struct folder_file {
	const char *name; /* without its suffix */
	const char *file; /* with it */
	int regular;      /* 1: as the folder says; 0: not known */
};

struct format_folder;

/* List a folder.
 *
 * must  1: an error if it is not there; else it is as if empty
 * user  1: it is also as if empty where we may not look into it
 *
 * Returns it, to be freed; NULL with e filled. */
struct format_folder *format_folder_open(
    const char *path, int must, int user, struct error *e);
void format_folder_free(struct format_folder *f);

/* The files of one kind, sorted by name; those that begin with a dot are passed
 * over.
 *
 * suffix  of their names
 * files   [the number returned] out, to be freed; the names are f's */
size_t format_folder_find(
    struct format_folder *f, const char *suffix, struct folder_file **files);

/* Read a file of it, at most as much as sb may hold.
 *
 * path  of the file, for messages
 * sb    initialized; its text is replaced
 *
 * Returns 0 or -1. */
int format_folder_read(const struct format_folder *f,
    const struct folder_file *file, const char *path, struct strbuf *sb,
    struct error *e);

#endif
