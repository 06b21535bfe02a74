/* Landlock by its system calls: rules for the folders of the outputs, and none
 * for all the rest.  extract_logs calls it; it knows no logs.  What is open
 * already, as the standard streams are, stays as it is. */
#include <config.h>

#include "common/program/confine.h"

#ifdef __has_include
#if __has_include(<linux/landlock.h>)
#include <linux/landlock.h>
#include <sys/syscall.h>
#endif
#endif

#ifdef SYS_landlock_restrict_self

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/files/outfile.h"

/* Of Linux 6.2, version 3; older headers lack it. */
#define FS_TRUNCATE ((uint64_t)1 << 14)

enum { TRUNCATE_SINCE = 3 };

/* Rights to a file, and those that only folders have. */
static const uint64_t of_files = LANDLOCK_ACCESS_FS_WRITE_FILE;
static const uint64_t of_folders = LANDLOCK_ACCESS_FS_REMOVE_DIR |
    LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
    LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
    LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
    LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;
/* What an output needs: no devices, sockets, links. */
static const uint64_t of_outputs = LANDLOCK_ACCESS_FS_REMOVE_FILE |
    LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG;

/* Rules while they are made. */
struct confinement {
	int fd;
	uint64_t files; /* rights to a file */
};

static int
confinement_open(struct confinement *c)
{
	struct landlock_ruleset_attr attr;
	const long version = syscall(SYS_landlock_create_ruleset, NULL, 0,
	    LANDLOCK_CREATE_RULESET_VERSION);

	if (version < 1)
		return -1;
	c->files = of_files | (version >= TRUNCATE_SINCE ? FS_TRUNCATE : 0);
	memset(&attr, 0, sizeof attr);
	attr.handled_access_fs =
	    c->files | of_folders | LANDLOCK_ACCESS_FS_EXECUTE;
	c->fd =
	    (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof attr, 0);
	return c->fd >= 0 ? 0 : -1;
}

/* Let a folder, or a file that is a device or a pipe, be written. */
static int
confinement_allow(const struct confinement *c, const char *path)
{
	struct landlock_path_beneath_attr rule = { .parent_fd = open(path,
						       O_PATH | O_CLOEXEC) };
	struct stat st;
	long rc = -1;

	if (rule.parent_fd < 0)
		return -1;
	if (fstat(rule.parent_fd, &st) == 0) {
		rule.allowed_access =
		    c->files | (S_ISDIR(st.st_mode) ? of_outputs : 0);
		rc = syscall(SYS_landlock_add_rule, c->fd,
		    LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
	}
	close(rule.parent_fd);
	return rc == 0 ? 0 : -1;
}

/* Let an output be written: a device as it is, else what is in its folder, or
 * in the nearest above it that is there. */
static int
confinement_allow_output(const struct confinement *c, const char *path)
{
	char *at = realpath(path, NULL);
	struct stat st;
	int rc;

	if (at == NULL)
		at = xstrdup(path);
	if (outfile_is_special(path) && stat(path, &st) == 0 &&
	    !S_ISDIR(st.st_mode)) {
		rc = confinement_allow(c, path);
		free(at);
		return rc;
	}
	for (;;) {
		char *slash = strrchr(at, '/');

		if (slash == NULL || slash == at) {
			rc = confinement_allow(c, slash == NULL ? "." : "/");
			break;
		}
		*slash = '\0';
		if (stat(at, &st) == 0) {
			rc = confinement_allow(c, at);
			break;
		}
	}
	free(at);
	return rc;
}

int
confine_writing(const char *const *outputs, size_t n, int temporary)
{
	const char *wish = getenv("DLSCALE_CONFINE");
	struct confinement c;
	int rc = 0;

	if ((wish != NULL && strcmp(wish, "off") == 0) ||
	    confinement_open(&c) != 0)
		return 0;
	for (size_t i = 0; i < n && rc == 0; i++)
		if (outputs[i] != NULL && strcmp(outputs[i], "-") != 0)
			rc = confinement_allow_output(&c, outputs[i]);
	if (rc == 0 && temporary)
		rc = confinement_allow(&c, P_tmpdir);
	if (rc == 0)
		rc = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (rc == 0)
		rc = (int)syscall(SYS_landlock_restrict_self, c.fd, 0);
	close(c.fd);
	return rc == 0;
}

#else

int
confine_writing(const char *const *outputs, size_t n, int temporary)
{
	(void)outputs, (void)n, (void)temporary;
	return 0;
}

#endif
