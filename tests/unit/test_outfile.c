#include <config.h>

#include "common/files/files.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/alloc.h"
#include "tests/files.h"
#include "tests/tap.h"

static char *scratch; /* the current folder of all tests, removed at the end */

/* The content of a file, or "(none)"; valid until the next call. */
static const char *
content(const char *path)
{
	static char text[4096];
	FILE *f = fopen(path, "r");
	size_t len;

	if (f == NULL)
		return "(none)";
	len = fread(text, 1, sizeof text - 1, f);
	text[len] = '\0';
	fclose(f);
	return text;
}

/* The number of entries in a folder. */
static int
count_entries(const char *path)
{
	DIR *d = opendir(path);
	int n = 0;

	CHECK(d != NULL);
	while (readdir(d) != NULL)
		n++;
	closedir(d);
	return n - 2; /* "." and ".." */
}

static void
test_commit(void)
{
	struct error e = ERROR_INIT;
	struct outfile o;

	CHECK_INT(make_folders("commit", &e), 0);
	file_put("commit/f", "old");
	CHECK_INT(outfile_open(&o, "commit/f", &e), 0);
	fprintf(o.f, "new\n");
	fflush(o.f);
	CHECK_STR(content("commit/f"), "old"); /* until the commit */
	CHECK_INT(outfile_commit(&o, &e), 0);
	CHECK_STR(content("commit/f"), "new\n");
	CHECK_INT(count_entries("commit"), 1);
	outfile_abort(&o); /* harmless */
	CHECK_STR(content("commit/f"), "new\n");
}

static void
test_abort(void)
{
	struct error e = ERROR_INIT;
	struct outfile o;

	CHECK_INT(make_folders("abort", &e), 0);
	file_put("abort/f", "old");
	CHECK_INT(outfile_open(&o, "abort/f", &e), 0);
	fprintf(o.f, "new\n");
	outfile_abort(&o);
	CHECK_STR(content("abort/f"), "old");
	CHECK_INT(count_entries("abort"), 1);
	CHECK_INT(outfile_open(&o, "abort/g", &e), 0);
	outfile_abort(&o);
	CHECK_STR(content("abort/g"), "(none)");
}

static void
test_folders(void)
{
	struct error e = ERROR_INIT;
	struct outfile o;

	CHECK_INT(outfile_open(&o, "a//b/c.d/f", &e), -1);
	CHECK_STR(
	    e.message, "cannot write 'a//b/c.d/f': No such file or directory");
	CHECK_INT(make_folder_of("a//b/c.d/f", &e), 0);
	CHECK_INT(outfile_open(&o, "a//b/c.d/f", &e), 0);
	fputs("x", o.f);
	CHECK_INT(outfile_commit(&o, &e), 0);
	CHECK_STR(content("a/b/c.d/f"), "x");
	CHECK_INT(make_folders("a/b/", &e), 0);
	CHECK_INT(make_folders("a/new//", &e), 0);
	CHECK_INT(count_entries("a/new"), 0);
	CHECK_INT(make_folders("/", &e), 0);
	CHECK_INT(make_folders("", &e), -1);
	CHECK_STR(
	    e.message, "cannot make folder '': No such file or directory");
}

static void
test_in_the_way(void)
{
	struct error e = ERROR_INIT;
	struct outfile o;

	file_put("file", "old");
	CHECK_INT(outfile_open(&o, "file/f", &e), -1);
	CHECK_STR(e.message, "cannot write 'file/f': Not a directory");
	CHECK_INT(e.code, ERROR_SYSTEM);
	CHECK_INT(make_folders("file/x/y", &e), -1);
	CHECK_STR(
	    e.message, "cannot create folder 'file': a file has that name");
	CHECK_STR(content("file"), "old");
	CHECK_INT(make_folders("folder", &e), 0);
	CHECK_INT(outfile_open(&o, "folder", &e), -1);
	CHECK_STR(e.message, "cannot write 'folder': Is a directory");
}

/* Text that fits the buffer fails when it is flushed, longer text earlier. */
static void
test_full_device(void)
{
	struct error e = ERROR_INIT;
	struct outfile o;

	if (access("/dev/full", W_OK) != 0)
		SKIP("no /dev/full here");
	for (int n = 1; n <= 1 << 20; n <<= 10) {
		CHECK_INT(outfile_open(&o, "/dev/full", &e), 0);
		for (int i = 0; i < n; i++)
			fputc('x', o.f);
		e.message[0] = '\0';
		CHECK_INT(outfile_commit(&o, &e), -1);
		CHECK_STR(e.message,
		    "cannot write '/dev/full': No space left on device");
	}
	CHECK_INT(outfile_open(&o, "/dev/full", &e), 0);
	CHECK_INT(outfile_commit(&o, &e), 0); /* nothing to write */
	CHECK_INT(access("/dev/full", F_OK), 0);
}

/* Run f in a child that may redirect stdout. Returns its exit status. */
static int
in_child(int (*f)(void))
{
	int status;
	pid_t child = fork();

	CHECK(child >= 0);
	if (child == 0)
		_exit(f());
	CHECK(waitpid(child, &status, 0) == child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int
stdout_to_full(void)
{
	struct error e = ERROR_INIT;
	struct outfile o;

	if (freopen("/dev/full", "w", stdout) == NULL)
		return 1;
	printf("x");
	if (stdout_finish(&e) != -1 ||
	    strcmp(e.message,
		"cannot write to stdout: No space left on device") != 0)
		return 2;
	clearerr(stdout);
	e.message[0] = '\0';
	if (outfile_open(&o, "-", &e) != 0 || o.f != stdout)
		return 3;
	printf("x");
	if (outfile_commit(&o, &e) != -1 ||
	    strcmp(e.message,
		"cannot write to stdout: No space left on device") != 0)
		return 4;
	/* The error number is lost, the error flag is not. */
	fflush(stdout);
	if (!ferror(stdout) || stdout_finish(&e) != -1)
		return 5;
	return strstr(e.message, "Success") != NULL ? 6 : 0;
}

static int
stdout_is_fine(void)
{
	struct error e = ERROR_INIT;
	struct outfile o;

	if (freopen("stdout", "w", stdout) == NULL)
		return 1;
	printf("1");
	if (stdout_finish(&e) != 0 || outfile_open(&o, "-", &e) != 0)
		return 2;
	fprintf(o.f, "2");
	if (outfile_commit(&o, &e) != 0)
		return 3;
	printf("3"); /* it is still open */
	return stdout_finish(&e) != 0 ? 4 : 0;
}

static void
test_stdout(void)
{
	CHECK_INT(in_child(stdout_is_fine), 0);
	CHECK_STR(content("stdout"), "123");
	if (access("/dev/full", W_OK) != 0)
		SKIP("no /dev/full here");
	CHECK_INT(in_child(stdout_to_full), 0);
}

/* /dev/stdout redirected to a file: it is written directly, so that neither the
 * link in /dev nor the file is replaced. */
static int
write_dev_stdout(void)
{
	struct error e = ERROR_INIT;
	struct outfile o;

	if (freopen("stdout", "a", stdout) == NULL ||
	    outfile_open(&o, "/dev/stdout", &e) != 0)
		return 1;
	if (o.temp != NULL)
		return 2;
	fprintf(o.f, "there");
	return outfile_commit(&o, &e) != 0 ? 3 : 0;
}

static void
test_dev_stdout(void)
{
	struct stat st;

	if (lstat("/dev/stdout", &st) != 0)
		SKIP("no /dev/stdout here");
	CHECK_INT(in_child(write_dev_stdout), 0);
	CHECK_STR(content("stdout"), "there");
}

/* A limit on the size of files simulates a full disk. */
static int
write_too_much(void)
{
	const struct rlimit limit = { 100000, 100000 };
	struct error e = ERROR_INIT;
	struct outfile o;

	if (signal(SIGXFSZ, SIG_IGN) == SIG_ERR ||
	    setrlimit(RLIMIT_FSIZE, &limit) != 0)
		return 1;
	if (outfile_open(&o, "disk/f", &e) != 0)
		return 2;
	for (int i = 0; i < 200000; i++)
		fputc('x', o.f);
	if (outfile_commit(&o, &e) != -1)
		return 3;
	return strcmp(e.message, "cannot write 'disk/f': File too large") != 0;
}

static void
test_full_disk(void)
{
	CHECK_INT(make_folders("disk", NULL), 0);
	file_put("disk/f", "old");
	CHECK_INT(in_child(write_too_much), 0);
	CHECK_STR(content("disk/f"), "old");
	CHECK_INT(count_entries("disk"), 1);
}

/* A killed run's temporary file with the same process id (containers reuse ids)
 * does no harm; nor do two files open at once. */
static void
test_leftover(void)
{
	struct error e = ERROR_INIT;
	struct outfile o, p;
	char *left;

	CHECK_INT(make_folders("left", &e), 0);
	CHECK_INT(outfile_open(&o, "left/f", &e), 0);
	left = xstrdup(o.temp);
	outfile_abort(&o);
	file_put(left, "left");
	CHECK_INT(outfile_open(&o, "left/f", &e), 0);
	CHECK_INT(outfile_open(&p, "left/f", &e), 0);
	fputs("new", o.f);
	fputs("newer", p.f);
	CHECK_INT(outfile_commit(&o, &e), 0);
	CHECK_STR(content("left/f"), "new");
	CHECK_INT(outfile_commit(&p, &e), 0);
	CHECK_STR(content("left/f"), "newer");
	CHECK_STR(content(left), "left");
	CHECK_INT(count_entries("left"), 2);
	free(left);
}

static void
test_link(void)
{
	struct error e = ERROR_INIT;
	struct outfile o;
	struct stat st;

	CHECK_INT(make_folders("link", &e), 0);
	file_put("link/f", "old");
	CHECK_INT(symlink("f", "link/to"), 0);
	CHECK_INT(outfile_open(&o, "link/to", &e), 0);
	fputs("new", o.f);
	CHECK_INT(outfile_commit(&o, &e), 0);
	CHECK_INT(lstat("link/to", &st), 0);
	CHECK(S_ISLNK(st.st_mode));
	CHECK_STR(content("link/f"), "new");
	CHECK_INT(count_entries("link"), 2);
}

/* The new file keeps the permissions of the old one. */
static void
test_mode(void)
{
	struct error e = ERROR_INIT;
	struct outfile o;
	struct stat st;
	const mode_t before = umask(022);

	file_put("mode", "old");
	CHECK_INT(chmod("mode", 0600), 0);
	CHECK_INT(outfile_open(&o, "mode", &e), 0);
	CHECK_INT(outfile_commit(&o, &e), 0);
	CHECK_INT(stat("mode", &st), 0);
	CHECK_INT(st.st_mode & 0777, 0600);
	CHECK_INT(outfile_open(&o, "mode.new", &e), 0);
	CHECK_INT(outfile_commit(&o, &e), 0);
	CHECK_INT(stat("mode.new", &st), 0);
	CHECK_INT(st.st_mode & 0777, 0644);
	umask(before);
}

static int
write_fifo(void)
{
	struct outfile o;

	if (outfile_open(&o, "fifo", NULL) != 0)
		return 1;
	fputs("through", o.f);
	return outfile_commit(&o, NULL) != 0 ? 2 : 0;
}

static void
test_fifo(void)
{
	struct stat st;
	int status;
	pid_t child;

	CHECK_INT(mkfifo("fifo", 0600), 0);
	child = fork();
	CHECK(child >= 0);
	if (child == 0)
		_exit(write_fifo());
	CHECK_STR(content("fifo"), "through");
	CHECK(waitpid(child, &status, 0) == child);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	CHECK_INT(stat("fifo", &st), 0);
	CHECK(S_ISFIFO(st.st_mode));
}

static void
test_write(void)
{
	struct strbuf text = STRBUF_INIT(80);
	struct error e = ERROR_INIT;

	strbuf_addstr(&text, "one two");
	CHECK_INT(make_folders("write", &e), 0);
	CHECK_INT(outfile_write("write/f", &text, &e), 0);
	CHECK_STR(content("write/f"), "one two");
	CHECK_INT(count_entries("write"), 1);
	if (access("/dev/full", W_OK) == 0)
		CHECK_INT(outfile_write("/dev/full", &text, &e), -1);
	strbuf_release(&text);
}

/* A user who may write into a folder but not read it: it is not synced. */
static int
write_blindly(void)
{
	const struct strbuf text = { .buf = (char[]){ "new" }, .len = 3 };
	struct error e = ERROR_INIT;

	if (geteuid() == 0 && setuid(65534) != 0)
		return 1;
	return outfile_write("blind/f", &text, &e) != 0 ? 2 : 0;
}

static void
test_unreadable_folder(void)
{
	CHECK_INT(chmod(".", 0711), 0);
	CHECK_INT(mkdir("blind", 0), 0);
	CHECK_INT(chmod("blind", 0333), 0);
	CHECK_INT(in_child(write_blindly), 0);
	CHECK_INT(chmod("blind", 0700), 0);
	CHECK_STR(content("blind/f"), "new");
	CHECK_INT(count_entries("blind"), 1);
}

/* An output must not be one of the inputs, under any name. Devices may be
 * both. */
static void
test_spare(void)
{
	const char *const inputs[] = { "-", "spare.none", "/dev/null",
		"spare.b", "spare.a" };
	struct error e = ERROR_INIT;

	file_put("spare.a", "a");
	file_put("spare.b", "b");
	CHECK_INT(symlink("spare.a", "spare.link"), 0);
	CHECK_INT(outfile_spare(NULL, inputs, 5, &e), 0);
	CHECK_INT(outfile_spare("spare.none", inputs, 5, &e), 0);
	CHECK_INT(outfile_spare("/dev/null", inputs, 5, &e), 0);
	CHECK_INT(outfile_spare("spare.a", inputs, 4, &e), 0);
	CHECK_INT(outfile_spare("spare.a", inputs, 5, &e), -1);
	CHECK_STR(e.message, "cannot write 'spare.a': it is also an input");
	CHECK_INT(outfile_spare("./spare.link", inputs, 5, &e), -1);
}

static void
check_last_part(const char *path, const char *want)
{
	char *name = path_last_part(path);

	CHECK_STR(name, want);
	free(name);
}

static void
test_last_part(void)
{
	const char *own = strrchr(scratch, '/') + 1;

	check_last_part("b", "b");
	check_last_part("a/b//", "b");
	check_last_part("/", "");
	check_last_part("", "");
	CHECK_INT(mkdir("last", 0755), 0);
	check_last_part(".", own);
	check_last_part("./", own);
	check_last_part("last/.", "last");
	check_last_part("last/..", own);
	check_last_part("none/..", "");
}

static int
read_stdin(void)
{
	struct strbuf sb = STRBUF_INIT(1 << 20);
	struct error e = ERROR_INIT;

	if (freopen("stdin", "r", stdin) == NULL ||
	    text_file_read("-", &sb, &e) != 0)
		return 1;
	return strcmp(sb.buf, "piped") != 0;
}

static void
test_read(void)
{
	struct strbuf sb = STRBUF_INIT(1 << 20);
	struct error e = ERROR_INIT;

	file_put("stdin", "piped");
	file_put("-", "file");
	CHECK_INT(in_child(read_stdin), 0);
	CHECK_INT(text_file_read("./-", &sb, &e), 0);
	CHECK_STR(sb.buf, "file");
	CHECK_INT(text_file_read("none", &sb, &e), -1);
	strbuf_release(&sb);
}

static const struct tap_test tests[] = {
	TEST(test_commit),
	TEST(test_write),
	TEST(test_abort),
	TEST(test_folders),
	TEST(test_in_the_way),
	TEST(test_full_device),
	TEST(test_stdout),
	TEST(test_dev_stdout),
	TEST(test_full_disk),
	TEST(test_leftover),
	TEST(test_link),
	TEST(test_mode),
	TEST(test_fifo),
	TEST(test_unreadable_folder),
	TEST(test_spare),
	TEST(test_last_part),
	TEST(test_read),
};

/* Remove a folder and its contents. */
static void
remove_all(const char *path)
{
	DIR *d = opendir(path);
	const struct dirent *entry;

	while (d != NULL && (entry = readdir(d)) != NULL) {
		char *name;

		if (strcmp(entry->d_name, ".") == 0 ||
		    strcmp(entry->d_name, "..") == 0)
			continue;
		name = xasprintf("%s/%s", path, entry->d_name);
		if (unlink(name) != 0)
			remove_all(name);
		free(name);
	}
	if (d != NULL)
		closedir(d);
	rmdir(path);
}

int
main(void)
{
	const char *tmp = getenv("TMPDIR");

	scratch = xasprintf("%s/outfile.XXXXXX", tmp != NULL ? tmp : "/tmp");
	if (mkdtemp(scratch) == NULL || chdir(scratch) != 0) {
		printf("1..0 # SKIP cannot make '%s'\n", scratch);
		return 0;
	}
	tap_main(tests, N_TESTS(tests));
	remove_all(scratch);
	free(scratch);
	return 0;
}
