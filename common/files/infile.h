/* Files that are read whole, and the places of data files. */
#ifndef COMMON_FILES_INFILE_H
#define COMMON_FILES_INFILE_H

#include <stddef.h>

#include "common/error.h"
#include "common/strbuf.h"

/* Add all of a file to a text.
 *
 * path  "-" is stdin
 * sb    its max, a number of MiB, limits the file
 *
 * Returns 0; -1 with ERROR_SYSTEM if it cannot be read, ERROR_LIMIT if it is
 * larger. */
int text_file_read(const char *path, struct strbuf *sb, struct error *e);

/* All of a regular file, up to 1 GiB, with a NUL after it.
 *
 * len  set to its bytes without that NUL
 *
 * Returns what the caller frees; NULL with e filled, without the path. */
char *read_whole_file(const char *path, size_t *len, struct error *e);

/* The folder of the running program; NULL if the system does not state it.
 * Free with free(). */
char *install_path_own_folder(void);

/* The path of a data file, or of a whole folder when name is NULL.  The first
 * of these that exists: $DLSCALE_DATADIR/FOLDER; share/FOLDER next to the
 * program (a build tree: local.mk links it to the sources);
 * ../share/dlscale/FOLDER next to the program (an installation, wherever it was
 * moved); the folder given to configure.
 *
 *	char *path = install_path_find("plots", "speedup.gp", &e);
 *
 * Returns it, free with free(); NULL with ERROR_SYSTEM and the places that were
 * tried. */
char *install_path_find(const char *folder, const char *name, struct error *e);

#endif
