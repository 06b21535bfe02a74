#include <config.h>

#include "tests/unit/scanning.h"

#include <stdlib.h>
#include <unistd.h>

char scratch_folder[] = "/tmp/dlscale-scan-XXXXXX";
char scratch_path[512];
struct format_set built_in;

void
put_file(const char *name, const void *data, size_t len)
{
	FILE *f;

	snprintf(
	    scratch_path, sizeof scratch_path, "%s/%s", scratch_folder, name);
	f = fopen(scratch_path, "wb");
	CHECK(f != NULL);
	CHECK(fwrite(data, 1, len, f) == len);
	CHECK_INT(fclose(f), 0);
}

void
scan_with(const struct format_set *set, const struct scan_options *options,
    const struct format *hint, struct log *log)
{
	struct scanner *s = scanner_new(set, options);

	scanner_scan(s, scratch_path, "shown", hint, log);
	scanner_free(s);
}

void
scan_bytes(const char *data, size_t len, struct log *log)
{
	struct scan_options options = { NULL, 0, 0, 0 };

	put_file("log", data, len);
	scan_with(&built_in, &options, NULL, log);
}

void
scan_string(const char *text, struct log *log)
{
	scan_bytes(text, strlen(text), log);
}

static void
remove_scratch(void)
{
	static const char *const names[] = { "log", "own", "hint", "empty",
		"shrinks", "damaged", "good" };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		snprintf(scratch_path, sizeof scratch_path, "%s/%s",
		    scratch_folder, names[i]);
		unlink(scratch_path);
	}
	rmdir(scratch_folder);
}

int
scanning_main(const char *name, const struct tap_test *tests, int n)
{
	struct search_path dirs;
	struct error e = ERROR_INIT;

	if (mkdtemp(scratch_folder) == NULL) {
		perror(scratch_folder);
		return 1;
	}
	search_path_init(&dirs, NULL, 0);
	if (format_set_load(&built_in, &dirs, &e) != 0)
		return error_report(name, &e);
	tap_main(tests, n);
	format_set_release(&built_in);
	search_path_release(&dirs);
	remove_scratch();
	return 0;
}
