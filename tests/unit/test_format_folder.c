#include <config.h>

#include "common/alloc.h"
#include "common/strbuf.h"
#include "extract/format/format_folder.h"
#include "tests/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST = 100000 }; /* bytes of a file */

static char folder[] = "/tmp/dlscale-test-XXXXXX";

/* A file of the folder with len times the byte c. */
static void
put(const char *name, char c, size_t len)
{
	char *path = xasprintf("%s/%s", folder, name);
	FILE *f = fopen(path, "w");

	CHECK(f != NULL);
	for (size_t i = 0; f != NULL && i < len; i++)
		putc(c, f);
	CHECK(f != NULL && fclose(f) == 0);
	free(path);
}

/* The names without suffix that are found, one after the other. */
static const char *
found(struct format_folder *f, const char *suffix, struct strbuf *sb)
{
	struct folder_file *files;
	const size_t n = format_folder_find(f, suffix, &files);

	strbuf_reset(sb);
	for (size_t i = 0; i < n; i++)
		strbuf_printf(sb, "%s ", files[i].name);
	free(files);
	return sb->buf;
}

/* Each kind of file by itself, in order; what is put there later is not found.
 */
static void
check_find(struct format_folder *f)
{
	struct strbuf sb;

	strbuf_init(&sb, 1000);
	CHECK_STR(found(f, ".format", &sb), "a b full link long x-y ");
	CHECK_STR(found(f, ".layout", &sb), "a folder ");
	put("late.format", 'l', 1);
	CHECK_STR(found(f, ".format", &sb), "a b full link long x-y ");
	CHECK_STR(found(f, ".prefix", &sb), "");
	strbuf_release(&sb);
}

/* len times the byte c, or a message. */
static void
check_read(struct format_folder *f, const char *name, const char *suffix,
    char c, size_t len, const char *message)
{
	struct folder_file *files;
	const size_t n = format_folder_find(f, suffix, &files);
	struct error e = ERROR_INIT;
	struct strbuf sb;
	size_t i = 0;

	strbuf_init(&sb, MOST);
	while (i < n && strcmp(files[i].name, name) != 0)
		i++;
	CHECK(i < n);
	strbuf_addstr(&sb, "what was there before");
	CHECK_INT(format_folder_read(f, &files[i], "PATH", &sb, &e),
	    message == NULL ? 0 : -1);
	CHECK_STR(e.message, message == NULL ? "" : message);
	if (message == NULL) {
		CHECK_INT(sb.len, len);
		for (i = 0; i < sb.len && sb.buf[i] == c; i++)
			;
		CHECK_INT(i, len);
	}
	strbuf_release(&sb);
	free(files);
}

static void
check_reads(struct format_folder *f)
{
	char *path = xasprintf("%s/b.format", folder);

	check_read(f, "a", ".format", 'a', 3, NULL);
	check_read(f, "x-y", ".format", 'x', 0, NULL);
	/* One read, and one byte more. */
	check_read(f, "full", ".format", 'f', 65536, NULL);
	check_read(f, "long", ".format", 'l', 65537, NULL);
	check_read(f, "link", ".format", 'l', 65537, NULL);
	check_read(f, "a", ".layout", 'g', MOST + 1,
	    "PATH: the file has more than 100000 bytes");
	check_read(f, "folder", ".layout", 0, 0, "PATH: not a file");
	unlink(path);
	check_read(f, "b", ".format", 0, 0,
	    "cannot open 'PATH': No such file or directory");
	free(path);
}

/* A folder that is not there. */
static void
check_absent(void)
{
	char *path = xasprintf("%s/none", folder);
	struct error e = ERROR_INIT;
	struct format_folder *f = format_folder_open(path, 0, 0, &e);
	struct strbuf sb;

	strbuf_init(&sb, 10);
	CHECK(f != NULL);
	CHECK_STR(found(f, ".format", &sb), "");
	format_folder_free(f);
	CHECK(format_folder_open(path, 1, 0, &e) == NULL);
	CHECK(strstr(e.message, "cannot open the folder '/tmp/") != NULL);
	free(path);
	strbuf_release(&sb);
}

static void
test_folder(void)
{
	static const char *const names[] = { "b.format", "a.format",
		"x-y.format", "full.format", "long.format", "link.format",
		".hidden.format", "a.layout", ".layout", "late.format" };
	struct error e = ERROR_INIT;
	struct format_folder *f;
	char *path;

	CHECK(mkdtemp(folder) != NULL);
	put("b.format", 'b', 1);
	put("a.format", 'a', 3);
	put("x-y.format", 'x', 0);
	put("full.format", 'f', 65536);
	put("long.format", 'l', 65537);
	put(".hidden.format", 'h', 1);
	put("a.layout", 'g', MOST + 1);
	put(".layout", 'n', 1);
	path = xasprintf("%s/link.format", folder);
	CHECK_INT(symlink("long.format", path), 0);
	free(path);
	path = xasprintf("%s/folder.layout", folder);
	CHECK_INT(mkdir(path, 0700), 0);
	f = format_folder_open(folder, 1, 0, &e);
	CHECK(f != NULL);
	check_find(f);
	check_reads(f);
	check_absent();
	format_folder_free(f);
	rmdir(path);
	free(path);
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		path = xasprintf("%s/%s", folder, names[i]);
		unlink(path);
		free(path);
	}
	CHECK_INT(rmdir(folder), 0);
}

static const struct tap_test tests[] = {
	TEST(test_folder),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
