/* Where the data files of the programs are: chart templates, log formats.
 *
 * Looked for, in this order: $DLSCALE_DATADIR/FOLDER; share/FOLDER next to the
 * program (a build tree: local.mk links it to the sources);
 * ../share/dlscale/FOLDER next to the program (an installation, wherever it was
 * moved to); the folder given to configure.
 *
 *	char *path = install_path_find("plots", "speedup.gp", &e);
 */
#ifndef COMMON_FILES_INSTALL_PATH_H
#define COMMON_FILES_INSTALL_PATH_H

#include "common/error.h"

/* The folder that the running program lies in; NULL where the system does not
 * state.  Free with free(). */
char *install_path_own_folder(void);

/* The path of a data file, or of a whole folder when name is NULL.
 *
 * Returns it, free with free(); NULL with ERROR_SYSTEM and the places where it
 * was looked for. */
char *install_path_find(const char *folder, const char *name, struct error *e);

#endif
