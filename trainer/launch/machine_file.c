/* machine.txt: written once, then compared, so that logs of two machines are
 * not taken for those of one.  runner.c calls it; what stands in it is
 * common/machine_info.c's. */
#include <config.h>

#include "trainer/launch/machine_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/alloc.h"
#include "common/files/outfile.h"

enum { MAX_MACHINES = 99 };

/* Does the file begin with text?  Returns 1, 0, or -1 if it is not there. */
static int
file_begins(const char *path, const char *text)
{
	const size_t len = strlen(text);
	FILE *f = fopen(path, "r");
	char *buf;
	size_t n;

	if (f == NULL)
		return -1;
	buf = xmalloc(len + 1);
	n = fread(buf, 1, len, f);
	fclose(f);
	n = n == len && memcmp(buf, text, len) == 0;
	free(buf);
	return (int)n;
}

static int
write_file(const char *path, const char *machine, const char *state,
    const char *command, struct error *e)
{
	const time_t t = time(NULL);
	char stamp[32] = "";
	struct outfile o;
	struct tm tm;

	if (gmtime_r(&t, &tm) != NULL)
		strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ", &tm);
	if (outfile_open(&o, path, e) != 0)
		return -1;
	fprintf(o.f, "%s%sstarted: %s\ncommand: %s\n", machine, state, stamp,
	    command);
	return outfile_commit(&o, e);
}

int
machine_file_record(const char *folder, const char *machine, const char *state,
    const char *command, char **note, struct error *e)
{
	char *path = xasprintf("%s/machine.txt", folder);
	int i = 1, same = file_begins(path, machine), rc = 0;

	while (same == 0 && i < MAX_MACHINES) {
		free(path);
		path = xasprintf("%s/machine.%d.txt", folder, ++i);
		same = file_begins(path, machine);
	}
	*note = NULL;
	if (same < 0)
		rc = write_file(path, machine, state, command, e);
	if (rc == 0 && i > 1)
		*note = xasprintf("not the machine of %s/machine.txt, but that "
				  "of %s",
		    folder, path);
	free(path);
	return rc;
}
