/* A part's file is believed only where it holds what merging reads. */
#include <config.h>

#include "extract/job/shard_file.h"

#include <stdlib.h>

#include "common/alloc.h"
#include "tests/tap.h"

/* As little as a part with a run can hold. */
static const char least[] =
    "{\"schema\": \"dlscale-part/1\", \"version\": \"0\", \"part\": 1,\n"
    "\"parts\": 1, \"tree\": \"t\", \"formats\": \"f\", \"name\": \"n\",\n"
    "\"first_run\": 0, \"runs_in_tree\": 1, \"files_skipped\": 0,\n"
    "\"jobs\": [{\"inputs\": [{\"path\": \"a\", \"bytes\": 1,\n"
    "\"used\": true}],\n"
    "\"runs\": [{\"run\": {\"path\": \"a\", \"value\": 2},\n"
    "\"unit\": \"samples/s\", \"rule\": \"window\", \"where\": \"a\"}],\n"
    "\"warnings\": [{\"path\": \"a\", \"text\": \"w\"}]}]}";

/* The part with its k-th `from`, k from 0, in place of `to`; NULL: there are
 * not so many. */
static char *
with(const char *from, int k, const char *to)
{
	const char *at = strstr(least, from);

	while (at != NULL && k-- > 0)
		at = strstr(at + 1, from);
	return at == NULL ? NULL
			  : xasprintf("%.*s%s%s", (int)(at - least), least, to,
				at + strlen(from));
}

/* What the reader finds wrong with it, "" if nothing; static. */
static const char *
problem(const char *text)
{
	static struct error e;
	struct arena arena = ARENA_INIT;
	struct shard_file part;

	e = (struct error)ERROR_INIT;
	if (shard_file_parse("p.json", text, strlen(text), &part, &arena, &e) !=
	    0) {
		CHECK_INT(e.code, ERROR_INPUT);
		CHECK(e.message[0] != '\0');
	}
	arena_release(&arena);
	return e.message;
}

/* Each key that has to be there, left out wherever it stands: a message that
 * names it and its place, never a part without it. */
static void
test_missing_keys(void)
{
	static const char *const keys[] = { "schema", "version", "part",
		"parts", "tree", "formats", "name", "first_run", "runs_in_tree",
		"files_skipped", "path", "run", "value", "unit", "rule",
		"where", "text" };
	int n = 0;

	CHECK_STR(problem(least), "");
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		char *key = xasprintf("\"%s\": ", keys[i]), *text;
		char *other = xasprintf("\"_%s\": ", keys[i]);

		for (int k = 0; (text = with(key, k, other)) != NULL; k++) {
			const char *said = problem(text);

			if (strncmp(said, "p.json:", 7) != 0 ||
			    strstr(said, keys[i]) == NULL)
				printf("# %s: %s\n", text, said);
			CHECK(strncmp(said, "p.json:", 7) == 0);
			CHECK(strstr(said, keys[i]) != NULL);
			free(text);
			n++;
		}
		free(key);
		free(other);
	}
	CHECK_INT(n, 19);
}

/* A run that is there and holds nothing, or is no record. */
static void
test_odd_run(void)
{
	static const char *const runs[] = { "null", "7", "[]", "\"a\"", "{}" };

	for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
		char *text =
		    with("{\"path\": \"a\", \"value\": 2}", 0, runs[i]);

		CHECK(text != NULL);
		CHECK(problem(text)[0] != '\0');
		free(text);
	}
}

static void
test_bounds(void)
{
	static const struct {
		const char *from, *to, *message;
	} cases[] = {
		{ "\"part\": 1", "\"part\": 2", "2 of 1" },
		{ "\"part\": 1", "\"part\": 0", "part" },
		{ "\"parts\": 1", "\"parts\": 2", "" },
		{ "\"name\": \"n\"", "\"name\": \"\"",
		    "cannot be a file name" },
		{ "\"name\": \"n\"", "\"name\": \"a/n\"",
		    "cannot be a file name" },
		{ "\"first_run\": 0", "\"first_run\": 1",
		    "1 and 1 runs are more than 1" },
		{ "\"runs_in_tree\": 1", "\"runs_in_tree\": 0",
		    "0 and 1 runs are more than 0" },
		{ "\"runs_in_tree\": 1", "\"runs_in_tree\": 2", "" },
		{ "\"window\"", "\"wind\"", "'wind' is no rule" },
		{ "\"where\": \"a\"",
		    "\"where\": \"a\", \"nodes\": 2, "
		    "\"gpus_per_node\": 3, \"gpus\": 6",
		    "" },
		{ "\"where\": \"a\"",
		    "\"where\": \"a\", \"nodes\": 2, "
		    "\"gpus_per_node\": 3, \"gpus\": 5",
		    "5 GPUs are not 2 nodes times 3" },
		{ "\"where\": \"a\"}", "\"where\": \"a\"}, {}", "runs" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *text = with(cases[i].from, 0, cases[i].to);
		const char *said;

		CHECK(text != NULL);
		said = problem(text);
		if ((cases[i].message[0] == '\0') != (said[0] == '\0') ||
		    strstr(said, cases[i].message) == NULL)
			printf("# %s: %s\n", cases[i].to, said);
		CHECK_INT(cases[i].message[0] == '\0', said[0] == '\0');
		CHECK(strstr(said, cases[i].message) != NULL);
		free(text);
	}
}

static const struct tap_test tests[] = {
	TEST(test_missing_keys),
	TEST(test_odd_run),
	TEST(test_bounds),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
