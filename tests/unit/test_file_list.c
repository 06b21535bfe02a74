#include <config.h>

#include "common/alloc.h"
#include "extract/input/file_list.h"
#include "tests/files.h"
#include "tests/tap.h"

#include <ftw.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static char top[] = "/tmp/dlscale-walk-XXXXXX";
static struct strbuf text;

static void
put(const char *name)
{
	file_put(name, "x\n");
}

/* Return the files of an operand as "label:shown ", then the problems in
 * brackets and the number of skipped files. */
static const char *
walk(const char *operand)
{
	struct file_list list;
	struct error e = ERROR_INIT;

	file_list_init(&list);
	strbuf_reset(&text);
	if (file_list_add(&list, operand, &e) != 0)
		strbuf_printf(&text, "%d: %s", (int)e.code, e.message);
	for (size_t i = 0; i < list.n_files; i++)
		strbuf_printf(&text, "%s%s%s ",
		    list.files[i].label != NULL ? list.files[i].label : "",
		    list.files[i].label != NULL ? ":" : "",
		    list.files[i].shown);
	for (size_t i = 0; i < list.n_problems; i++)
		strbuf_printf(&text, "[%s: %s] ", list.problems[i].path,
		    list.problems[i].message);
	if (list.n_skipped > 0)
		strbuf_printf(&text, "skipped %d", (int)list.n_skipped);
	file_list_release(&list);
	return text.buf;
}

static int
remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st, (void)kind, (void)ftw;
	return remove(path);
}

static void
leave(void)
{
	CHECK_INT(chdir("/tmp"), 0);
	if (strcmp(top + strlen(top) - 6, "XXXXXX") != 0)
		nftw(top, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Enter a new scratch folder; the previous one is removed. */
static void
enter(void)
{
	leave();
	memcpy(top + strlen(top) - 6, "XXXXXX", 6);
	CHECK(mkdtemp(top) != NULL);
	CHECK_INT(chdir(top), 0);
}

static void
test_order(void)
{
	enter();
	CHECK_INT(mkdir("4n8g", 0700), 0);
	CHECK_INT(mkdir("1n1g", 0700), 0);
	CHECK_INT(mkdir("1n1g/deep", 0700), 0);
	put("1n1g/b_10.log");
	put("1n1g/b_2.log");
	put("1n1g/deep/x");
	put("4n8g/a.log");
	put("z");
	put("A");
	CHECK_STR(walk("."),
	    "1n1g/b_10.log 1n1g/b_2.log 1n1g/deep/x 4n8g/a.log A z ");
	CHECK_STR(walk("1n1g/"), "b_10.log b_2.log deep/x ");
	CHECK_STR(walk("1n1g/b_2.log"), "b_2.log ");
	CHECK_STR(walk("-"), "- ");
}

static void
test_labels(void)
{
	enter();
	CHECK_INT(mkdir("runs", 0700), 0);
	put("runs/x");
	put("a=b");
	CHECK_STR(walk("fast=runs"), "fast:x ");
	CHECK_STR(walk("a=b"), "a=b ");
	CHECK_STR(walk("a=a=b"), "a:a=b ");
	CHECK_STR(
	    walk("=runs"), "3: cannot open '=runs': No such file or directory");
	CHECK_STR(walk("x/y=runs"),
	    "3: cannot open 'x/y=runs': No such file or directory");
}

/* Files whose names show that they are not logs are skipped. */
static void
test_other_files(void)
{
	static const char *const others[] = { "a.json", "b.png", "c.py",
		"1.log.checkpoint", "1.log.1~", "README", "README.md",
		"chart.SVG", "x.gp", "Makefile", ".hidden", "r.json.gz",
		"notes.txt~", "sub.yaml" };
	static const char *const logs[] = { "READMEs", "json", "log.1",
		"out.txt", "rank_0", "train.log.gz", "x.out" };

	enter();
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		put(others[i]);
	for (size_t i = 0; i < sizeof logs / sizeof logs[0]; i++)
		put(logs[i]);
	CHECK_STR(walk("."),
	    "READMEs json log.1 out.txt rank_0 train.log.gz "
	    "x.out skipped 14");
	/* A file named as an operand is accepted. */
	CHECK_STR(walk("a.json"), "a.json ");
}

static void
test_links(void)
{
	enter();
	CHECK_INT(mkdir("in", 0700), 0);
	CHECK_INT(mkdir("in/sub", 0700), 0);
	CHECK_INT(mkdir("out", 0700), 0);
	put("in/sub/x");
	put("out/y");
	put("z");
	CHECK_INT(symlink("nowhere", "in/dangling"), 0);
	CHECK_INT(symlink("self", "in/self"), 0);
	CHECK_INT(symlink("..", "in/sub/up"), 0);
	CHECK_INT(symlink("sub", "in/again"), 0);
	CHECK_INT(symlink("../out", "in/other"), 0);
	CHECK_INT(symlink("../out", "in/other2"), 0);
	CHECK_INT(symlink("../in", "out/back"), 0);
	CHECK_INT(symlink("../z", "in/z"), 0);
	CHECK_INT(symlink("sub/x", "in/x"), 0);
	CHECK_STR(walk("in"),
	    "other/y sub/x z "
	    "[in/dangling: a dangling link] "
	    "[in/self: a link that leads to itself] "
	    "[in/sub/up: a link to a folder above it, not followed] "
	    "skipped 4");
	CHECK_STR(walk("in/dangling"),
	    "3: cannot open 'in/dangling': No such file or directory");
	CHECK_STR(walk("in/z"), "z ");
}

static void
test_odd_files(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int s;

	enter();
	CHECK_INT(mkdir("d", 0700), 0);
	CHECK_INT(mkfifo("d/fifo", 0600), 0);
	s = socket(AF_UNIX, SOCK_STREAM, 0);
	CHECK(s >= 0);
	snprintf(a.sun_path, sizeof a.sun_path, "d/socket");
	CHECK_INT(bind(s, (struct sockaddr *)&a, sizeof a), 0);
	close(s);
	CHECK_STR(walk("d"),
	    "[d/fifo: a FIFO, not a file] "
	    "[d/socket: a socket, not a file] ");
	CHECK_STR(walk("d/fifo"), "2: 'd/fifo' is a FIFO, not a file");
	CHECK_STR(walk("/dev/null"), "2: '/dev/null' is a device, not a file");
	CHECK_STR(walk("missing"),
	    "3: cannot open 'missing': No such file or directory");
	if (geteuid() != 0) {
		CHECK_INT(mkdir("d/locked", 0), 0);
		CHECK(
		    strstr(walk("d"), "[d/locked: Permission denied]") != NULL);
	}
}

static void
test_depth(void)
{
	char at[1024] = ".";

	enter();
	for (int i = 0; i <= FILE_LIST_MAX_DEPTH; i++) {
		strncat(at, "/d", sizeof at - strlen(at) - 1);
		CHECK_INT(mkdir(at, 0700), 0);
		if (i == FILE_LIST_MAX_DEPTH - 1) {
			char file[1100];

			snprintf(file, sizeof file, "%s/log", at);
			put(file);
		}
	}
	CHECK(strstr(walk("."), "/log ") != NULL);
	CHECK(strstr(text.buf, ": too deep, not entered] ") != NULL);
}

static const char *
where(const char *operand)
{
	struct file_list list;

	file_list_init(&list);
	strbuf_reset(&text);
	CHECK_INT(file_list_add(&list, operand, NULL), 0);
	CHECK_INT(list.n_files, 1);
	CHECK_INT(list.n_operands, 1);
	CHECK_INT(list.files[0].operand, 0);
	CHECK_INT(list.files[0].bytes, 2);
	strbuf_addstr(&text, list.files[0].where);
	file_list_release(&list);
	return text.buf;
}

/* Layouts also match parts of the operand's own path. */
static void
test_where(void)
{
	char want[64];

	enter();
	CHECK_INT(mkdir("logs", 0700), 0);
	CHECK_INT(mkdir("logs/4n8g", 0700), 0);
	put("logs/4n8g/x.log");
	CHECK_STR(where("logs/4n8g"), "logs/4n8g/x.log");
	CHECK_STR(where("logs/4n8g/"), "logs/4n8g/x.log");
	CHECK_STR(where("logs/4n8g/x.log"), "logs/4n8g/x.log");
	snprintf(
	    want, sizeof want, "%s/logs/4n8g/x.log", strrchr(top, '/') + 1);
	CHECK_STR(where("logs"), want);
	CHECK_INT(chdir("logs/4n8g"), 0);
	CHECK_STR(where("."), "logs/4n8g/x.log");
	CHECK_STR(where("x.log"), "4n8g/x.log");
	CHECK_STR(where("../4n8g"), "logs/4n8g/x.log");
}

/* Formats may admit files whose names do not look like logs. */
static void
test_admitted(void)
{
	struct file_list list;

	enter();
	CHECK_INT(mkdir("vis_data", 0700), 0);
	put("metrics.json");
	put("r_result.json");
	put("1.log.json.gz");
	put("other.json");
	put("vis_data/other.json");
	file_list_init(&list);
	file_list_admit(&list, "metrics.json");
	file_list_admit(&list, "*.log.json");
	file_list_admit(&list, "vis_data/*.json");
	CHECK_INT(file_list_add(&list, ".", NULL), 0);
	CHECK_INT(list.n_files, 3);
	CHECK_STR(list.files[0].shown, "1.log.json.gz");
	CHECK_STR(list.files[1].shown, "metrics.json");
	CHECK_STR(list.files[2].shown, "vis_data/other.json");
	CHECK_INT(list.n_skipped, 2);
	file_list_release(&list);
}

static const struct tap_test tests[] = {
	TEST(test_order),
	TEST(test_labels),
	TEST(test_other_files),
	TEST(test_links),
	TEST(test_odd_files),
	TEST(test_depth),
	TEST(test_where),
	TEST(test_admitted),
};

int
main(void)
{
	strbuf_init(&text, 1 << 16);
	tap_main(tests, N_TESTS(tests));
	strbuf_release(&text);
	leave();
	return 0;
}
