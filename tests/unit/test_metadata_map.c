#include <config.h>

#include "common/alloc.h"
#include "extract/input/file_list.h"
#include "extract/job/extraction.h"
#include "tests/files.h"
#include "tests/tap.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char file[] = "test_metadata_map.csv";

/* Write a table and read it. */
static int
read_text(struct metadata_map *map, const char *text, struct error *e)
{
	int rc;

	file_put(file, text);
	rc = metadata_map_read(map, file, e);
	unlink(file);
	return rc;
}

static void
test_table(void)
{
	struct metadata_map map;
	struct error e = ERROR_INIT;

	CHECK_INT(read_text(&map,
		      "\xef\xbb\xbf# a comment\n\n"
		      " file , nodes,framework,label_link\r\n"
		      "\"a, b.log\", 4 ,PyTorch,\"say \"\"ib\"\"\"\r\n"
		      "runs/*.log,,,\n"
		      "last.log,1,jax,x",
		      &e),
	    0);
	CHECK_STR(e.message, "");
	CHECK_INT(map.n_columns, 3);
	CHECK_STR(map.columns[0].key, "nodes");
	CHECK_INT(map.columns[1].is_label, 0);
	CHECK_STR(map.columns[2].key, "link");
	CHECK_INT(map.columns[2].is_label, 1);
	CHECK_INT(map.n_rows, 3);
	CHECK_STR(map.rows[0].glob, "a, b.log");
	CHECK_INT(map.rows[0].line, 4);
	CHECK_STR(map.rows[0].values[0], "4");
	CHECK_STR(map.rows[0].values[1], "pytorch");
	CHECK_STR(map.rows[0].values[2], "say \"ib\"");
	CHECK_STR(map.rows[1].values[1], "");
	CHECK_INT(map.rows[2].line, 6);
	CHECK_STR(map.rows[2].values[2], "x");
	metadata_map_release(&map);
}

/* metadata_map_next() finds the same rows as a match of each row alone. */
static void
test_next(void)
{
	static const char *const paths[] = { "a.log", "b/a.log", "c/b/a.log",
		"/b/a.log", "b", "a.logs", "ba.log", "x*.log", "c/b/", "" };
	struct metadata_map map;
	struct error e = ERROR_INIT;

	CHECK_INT(read_text(&map,
		      "file,label_x\na.log,1\nb/a.log,2\n*.log,3\n"
		      "a.log,4\nc/b/a.log,5\n/b/a.log,6\nb/*,7\n"
		      "x*.log,8\nb/a.log,9\nb,10\na\\.log,11\n?,12\n",
		      &e),
	    0);
	CHECK_INT(map.n_rows, 12);
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		size_t next = metadata_map_next(&map, paths[i], 0);

		printf("# %s\n", paths[i]);
		for (size_t k = 0; k < map.n_rows; k++) {
			const int fits =
			    file_list_fits(paths[i], map.rows[k].glob);

			CHECK_INT(next == k, fits);
			if (next == k)
				next = metadata_map_next(&map, paths[i], k + 1);
		}
		CHECK_INT(next, map.n_rows);
	}
	metadata_map_release(&map);
}

/* A table with one row for each of N files. */
static void
check_many_rows(const char *before, const char *after)
{
	enum { N = 20000 };
	struct metadata_map map;
	struct error e = ERROR_INIT;
	struct strbuf sb;
	size_t wrong = 0;

	strbuf_init(&sb, 1 << 22);
	strbuf_addstr(&sb, "file,label_x\n");
	for (int i = 0; i < N; i++)
		strbuf_printf(&sb, "%s%d%s,%d\n", before, i, after, i);
	CHECK_INT(read_text(&map, sb.buf, &e), 0);
	for (int i = 0; i < N; i++) {
		char path[64];

		snprintf(path, sizeof path, "a/b/run%d.log", i);
		wrong += metadata_map_next(&map, path, 0) != (size_t)i ||
		    metadata_map_next(&map, path, (size_t)i + 1) != map.n_rows;
	}
	CHECK_INT(wrong, 0);
	strbuf_release(&sb);
	metadata_map_release(&map);
}

static void
test_many_rows(void)
{
	check_many_rows("b/run", ".log");
}

static void
test_refused(void)
{
	static const char *const cases[][2] = {
		{ "", "test_metadata_map.csv:1: the table is empty" },
		{ "# x\n\n", "test_metadata_map.csv:3: the table is empty" },
		{ "path,nodes\n",
		    "*:1: the first column must be 'file', not "
		    "'path'" },
		{ "file\na\n", "*:1: there is no column after 'file'" },
		{ "file,node\n", "*:1: *label_NAME, not 'node'" },
		{ "file,loss\n", "*:1: *label_NAME, not 'loss'" },
		{ "file,rank\n", "*:1: *label_NAME, not 'rank'" },
		{ "file,label_\n", "*:1: *label_NAME, not 'label_'" },
		{ "file,nodes,nodes\n", "*:1: there are two columns 'nodes'" },
		{ "file,nodes\na,1\nb\n",
		    "*:3: the row has 1 cells, the header 2" },
		{ "file,nodes\na,1,2\n",
		    "*:2: the row has 3 cells, the header 2" },
		{ "file,nodes\n,1\n", "*:2: the row names no file" },
		{ "file,nodes\n\"a.log,2\nb,1\n",
		    "*:2: a quote is not closed" },
		{ "file,label_x\na,\"b", "*:2: a quote is not closed" },
		{ "file,label_x\na,\"b\"c\n",
		    "*:2: there is text after a quoted cell" },
		{ "file,nodes\na,0\n",
		    "*:2: nodes: '0' is not a whole number above 0" },
		{ "file,nodes\na,8x\n",
		    "*:2: nodes: '8x' is not a whole number above 0" },
	};
	struct metadata_map map;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct error e = ERROR_INIT;

		CHECK_INT(read_text(&map, cases[i][0], &e), -1);
		CHECK_INT(error_exit_status(&e), EXIT_STATUS_INPUT);
		if (fnmatch(cases[i][1], e.message, 0) != 0)
			CHECK_STR(e.message, cases[i][1]);
	}
}

static const struct tap_test tests[] = {
	TEST(test_table),
	TEST(test_next),
	TEST(test_many_rows),
	TEST(test_refused),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
