/* Files: operands, reading whole ones, finding data files, atomic output.
 *
 * An output is written to a temporary file in the same folder, synced, and
 * renamed over the old file. A full disk or a kill leaves the old file
 * unchanged; the next call for the same file removes what a killed process
 * left.
 *
 *	struct outfile o;
 *	if (outfile_open(&o, path, &e) != 0)
 *		return -1;
 *	fprintf(o.f, ...);
 *	return outfile_commit(&o, &e);
 *
 * or, for a whole text: outfile_write(path, &text, &e).
 *
 * The path "-" is stdout. A symbolic link is kept and its target replaced; a
 * link of another user in a sticky folder such as /tmp is an error.
 * Devices, pipes and everything under /dev and /proc (except /dev/shm) are
 * written directly.
 */
#ifndef COMMON_FILES_FILES_H
#define COMMON_FILES_FILES_H

#include <stddef.h>
#include <stdio.h>

#include "common/alloc.h"
#include "common/error.h"

struct outfile {
	FILE *f;      /* write here, do not close */
	char *path;   /* as given; for messages */
	char *target; /* final name: path with links resolved */
	char *temp;   /* temporary name; NULL for stdout, devices, pipes */
	int folder;   /* folder of target; -1: none */
};

/* Open path for writing. Its folder must exist. Returns 0, or -1 with
 * ERROR_SYSTEM. */
int outfile_open(struct outfile *o, const char *path, struct error *e);

/* Flush, fsync, rename and fsync the folder. On failure returns -1, removes the
 * temporary file and keeps the old file; only if the last fsync fails is the
 * new file already in place. Releases o in any case. */
int outfile_commit(struct outfile *o, struct error *e);

/* Remove the temporary file and keep the old file. Does nothing after a
 * commit. */
void outfile_abort(struct outfile *o);

/* Open a file, write a text and commit it. Returns 0, or -1 with
 * ERROR_SYSTEM. */
int outfile_write(const char *path, const struct strbuf *text, struct error *e);

/* True if outfile_open writes path directly because it cannot be replaced:
 * devices, pipes, and everything under /dev and /proc, even if /dev/stdout is a
 * regular file. Files under /dev/shm are ordinary. */
int outfile_is_special(const char *path);

/* Reject an output path that is one of the input files.
 *
 * path    as for outfile_open; NULL is fine
 * inputs  [n] paths; "-" is not a file
 *
 * Returns 0; -1 with ERROR_USAGE, "cannot write 'a.log': it is also an
 * input". */
int outfile_spare(
    const char *path, const char *const *inputs, size_t n, struct error *e);

/* Reject an output path whose suffix belongs to a known format that the program
 * does not write, such as "a.xlsx". Paths with an unknown suffix (".out", ".1")
 * or none are accepted.
 *
 * option  option name for messages, "--output"
 * path    as for outfile_open; NULL is fine
 * own     suffixes that the program writes, separated by spaces: "json"
 *
 * Returns 0; -1 with ERROR_USAGE. */
int outfile_check_suffix(
    const char *option, const char *path, const char *own, struct error *e);

/* Create a folder and its parents. Existing folders are fine. Returns 0, or -1
 * with ERROR_SYSTEM. */
int make_folders(const char *path, struct error *e);

/* Folder of a file; "." if path has no slash. The caller frees it. */
char *path_folder(const char *path);

/* Create the folder of a file, as make_folders. */
int make_folder_of(const char *path, struct error *e);

/* Flush stdout. Returns 0, or -1 with ERROR_SYSTEM if any write to it
 * failed. */
int stdout_finish(struct error *e);

/* --- input ---------------------------------------------------------------- */

/* The path of an operand: PATH of "LABEL=PATH", unless a file with the whole
 * name exists.
 *
 * label_len  set to the length of the label; 0: no label */
const char *operand_path(const char *operand, size_t *label_len);

/* The last part of a path without trailing slashes, "b" of "a/b/"; for "." and
 * ".." the folder's own name, "" if it is unknown. Free with free(). */
char *path_last_part(const char *path);

/* Append a whole file to a string.
 *
 * path  "-" is stdin
 * sb    sb->max, a multiple of 1 MiB, limits the file size
 *
 * Returns 0; -1 with ERROR_SYSTEM if it cannot be read, ERROR_LIMIT if it is
 * larger. */
int text_file_read(const char *path, struct strbuf *sb, struct error *e);

/* Read a whole regular file, up to 1 GiB, and add a NUL.
 *
 * len  set to the size without the NUL
 *
 * The caller frees the result. Returns NULL on failure, with the errors of
 * text_file_read, or ERROR_INPUT if it is not a regular file. */
char *read_whole_file(const char *path, size_t *len, struct error *e);

/* Folder of the running program, NULL if unknown. Free with free(). */
char *install_path_own_folder(void);

/* Path of a data file, or of its folder if name is NULL. The first of these
 * that exists: $DLSCALE_DATADIR/FOLDER; share/FOLDER next to the program (a
 * build tree: local.mk links it to the sources); ../share/dlscale/FOLDER next
 * to the program (an installation, wherever it was moved); the folder given to
 * configure.
 *
 *	char *path = install_path_find("plots", "speedup.gp", &e);
 *
 * Free the result with free(). NULL with ERROR_SYSTEM, whose message names the
 * last path. */
char *install_path_find(const char *folder, const char *name, struct error *e);

/* Path of a user's folder: $XDG_CONFIG_HOME/dlscale/FOLDER, or else
 * ~/.config/dlscale/FOLDER. Free with free(). NULL without a home. */
char *user_folder(const char *folder);

#endif
