/* Files of /proc and /sys, which are short and whole once they are opened.  Who
 * asks how much a process may use calls this; what a number means stands
 * there. */
#include <config.h>

#include "trainer/base/kernel_file.h"

#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "common/files/infile.h"

/* Numbers separated by spaces. */
static int
read_numbers(const char *at, double *x, int n)
{
	for (int i = 0; i < n; i++) {
		char *end;
		const double number = strtod(at, &end);

		if (end == at)
			return -1;
		x[i] = number;
		at = end;
	}
	return 0;
}

/* After the key, where a line begins with it; NULL: none does. */
static const char *
find_key(const char *text, const char *key)
{
	const size_t n = strlen(key);

	while (text != NULL && strncmp(text, key, n) != 0) {
		text = strchr(text, '\n');
		text = text != NULL ? text + 1 : NULL;
	}
	return text != NULL ? text + n : NULL;
}

int
kernel_file_numbers(const char *path, const char *key, double *x, int n)
{
	struct error ignored = ERROR_INIT;
	const char *at;
	struct strbuf sb;
	int rc = -1;

	strbuf_init(&sb, 1 << 20);
	if (text_file_read(path, &sb, &ignored) == 0) {
		at = find_key(sb.buf, key);
		rc = at != NULL ? read_numbers(at, x, n) : -1;
	}
	strbuf_release(&sb);
	return rc;
}

void
kernel_file_boot_id(struct strbuf *sb)
{
	struct error ignored = ERROR_INIT;

	(void)text_file_read("/proc/sys/kernel/random/boot_id", sb, &ignored);
}
