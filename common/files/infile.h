/* Operands, reading whole files, and finding data files. */
#ifndef COMMON_FILES_INFILE_H
#define COMMON_FILES_INFILE_H

#include <stddef.h>

#include "common/error.h"
#include "common/strbuf.h"

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
 * The caller frees the result. NULL on failure, with e filled but without the
 * path. */
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
 * Free the result with free(). NULL with ERROR_SYSTEM, whose message lists the
 * paths tried. */
char *install_path_find(const char *folder, const char *name, struct error *e);

/* Path of a user's folder: $XDG_CONFIG_HOME/dlscale/FOLDER, or else
 * ~/.config/dlscale/FOLDER. Free with free(). NULL without a home. */
char *user_folder(const char *folder);

#endif
