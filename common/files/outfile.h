/* A file that is written whole or not at all: the text goes to a temporary
 * name in the same folder, is fsynced, and then takes the place of the old
 * file.  A full disk or a kill leaves the old file as it was.
 *
 *	struct outfile o;
 *	if (outfile_open(&o, path, &e) != 0)
 *		return -1;
 *	fprintf(o.f, ...);
 *	return outfile_commit(&o, &e);
 *
 * or, with the fprintf in a function: outfile_write(path, writer, context, &e).
 *
 * The path "-" stands for stdout.  A link stays a link, what it points to is
 * replaced.  Devices, pipes and everything under /dev and /proc (but /dev/shm)
 * are written as they are.
 */
#ifndef COMMON_FILES_OUTFILE_H
#define COMMON_FILES_OUTFILE_H

#include <stdio.h>

#include "common/error.h"

struct temp_slot;

struct outfile {
	FILE *f;      /* write here; never close it */
	char *path;   /* as it was asked for; stands in messages */
	char *target; /* the name it will have: path, links followed */
	char *temp;   /* the name it has; NULL for stdout, devices, pipes */
	struct temp_slot *slot; /* of temp; NULL: none was free */
	int folder; /* that of target, open to be fsynced; -1: none */
};

/* Open path for writing.  Missing folders are made.  Returns 0, or -1 with
 * ERROR_SYSTEM. */
int outfile_open(struct outfile *o, const char *path, struct error *e);

/* Flush, fsync, rename, fsync the folder.  On any failure the temporary file is
 * removed, the old file stays and -1 is returned; only where the folder's fsync
 * fails the new file is there already.  o is released either way. */
int outfile_commit(struct outfile *o, struct error *e);

/* Give it up: remove the temporary file, leave the old file.  Harmless on an
 * outfile that was committed. */
void outfile_abort(struct outfile *o);

/* What outfile_write calls to fill a file.  Errors of f itself are left to
 * outfile_write.  Returns 0, or -1 with e filled: the old file stays. */
typedef int (*outfile_writer)(FILE *f, void *context, struct error *e);

/* Open, write, commit: all of the above for a file that is written at once.
 *
 * path     as for outfile_open; NULL is stdout
 * writer   fills the file; called once
 * context  handed to it
 *
 * Returns 0; -1 with the error of writer, or with ERROR_SYSTEM. */
int outfile_write(
    const char *path, outfile_writer writer, void *context, struct error *e);

/* Devices and pipes cannot be replaced: outfile_open writes them as they are.
 * So is what /dev/stdout and its like lead to, even if it is a regular file;
 * what is below /dev/shm is a file as others. */
int outfile_is_special(const char *path);

/* Reject an output path that is one of the files to read.
 *
 * path    as for outfile_open; NULL is fine
 * inputs  [n] their paths; "-" is no file
 *
 * Returns 0; -1 with ERROR_USAGE: "cannot write 'a.log': it is to be read". */
int outfile_spare(
    const char *path, const char *const *inputs, size_t n, struct error *e);

/* Reject an output whose suffix promises a kind of file that the program does
 * not write, such as "a.xlsx".  No suffix, or one without a meaning (".out",
 * ".1"), is fine.
 *
 * option  its name in messages, "--output"
 * path    as for outfile_open; NULL is fine
 * own     suffixes of what the program writes, separated by spaces: "json"
 *
 * Returns 0; -1 with ERROR_USAGE. */
int outfile_check_suffix(
    const char *option, const char *path, const char *own, struct error *e);

/* Make a folder and those above it; one that exists is fine. */
int make_folders(const char *path, struct error *e);

/* Flush stdout and report whether everything got there ("/dev/full"): 0, or -1
 * with ERROR_SYSTEM. */
int stdout_finish(struct error *e);

#endif
