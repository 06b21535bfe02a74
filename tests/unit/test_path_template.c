#include <config.h>

#include "common/alloc.h"
#include "extract/format/format.h"
#include "tests/tap.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* What a template reads from a path: "key=value ", labels in brackets. */
static const char *
ask(const char *template, const char *path)
{
	static struct strbuf sb;
	struct format_set set;
	struct path_layout_match m;
	struct error e = ERROR_INIT;

	memset(&set, 0, sizeof set);
	strbuf_release(&sb);
	strbuf_init(&sb, 4096);
	if (path_template_add(&set, template, &e) != 0) {
		strbuf_addstr(&sb, e.message);
		CHECK_INT(error_exit_status(&e), EXIT_STATUS_USAGE);
	} else {
		path_layout_match(&set, path, &m);
		CHECK_INT(path_template_fits(&m), m.n_metadata > 0);
		for (size_t i = 0; i < m.n_metadata; i++)
			strbuf_printf(&sb,
			    m.metadata[i].is_label ? "[%s=%s] " : "%s=%s ",
			    m.metadata[i].key, m.metadata[i].value);
		path_layout_match_release(&m);
	}
	format_set_release(&set);
	return sb.buf;
}

static void
test_fits(void)
{
	static const char issue[] = "{model}-n{nodes}-g{gpus}-bs{batch}-"
				    "{precision}-r{run}.log";

	CHECK_STR(ask(issue, "a/resnet-50-n2-g16-bs256-AMP-r3.log.gz"),
	    "model=resnet-50 nodes=2 gpus=16 batch_size_per_device=256 "
	    "precision=amp run=3 ");
	CHECK_STR(ask(issue, "resnet50-n2-g16-bs256-r3.log"), "");
	CHECK_STR(ask(issue, "resnet50-nx-g16-bs256-amp-r3.log"), "");
	/* from the start of a path component, across several components */
	CHECK_STR(ask("{nodes}x{gpus_per_node}/*.out", "runs/4x8/j17.out"),
	    "nodes=4 gpus_per_node=8 ");
	CHECK_STR(ask("{nodes}x{gpus_per_node}/*.out", "runs14x8/j17.out"), "");
	CHECK_STR(ask("{nodes}x*/*.out", "4x8/a/j17.out"), "");
	/* special characters of patterns are literal */
	CHECK_STR(ask("a.b+(c)[{run}]$^.log", "a.b+(c)[x1]$^.log"), "run=x1 ");
	CHECK_STR(ask("a.b{run}", "aXb1"), "");
	CHECK_STR(
	    ask("{label_link}_{rank}.log", "ib_3.log"), "[link=ib] rank=3 ");
}

static void
test_refused(void)
{
	static const char *const cases[][2] = {
		{ "{node}.log",
		    "*'{node}' is not a known field (did you mean "
		    "'{nodes}'?)*gpus_per_node*label_NAME" },
		{ "{loss}.log", "*'{loss}' is not a known field*" },
		{ "{label_}.log", "*'{label_}' is not a known field*" },
		{ "{a b}.log", "*'{a b}' is not a known field*" },
		{ "{}.log", "*'{}' is not a field*" },
		{ "{nodes}_{nodes}", "*'{nodes}' is used twice" },
		{ "{bs}_{batch}", "*'{batch}' is used twice" },
		{ "{nodes", "*a '{' has no '}' after it" },
		{ "train.log", "*it has no field in braces*" },
		{ "a\n{nodes}", "*control character*" },
	};
	struct strbuf many;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		if (fnmatch(cases[i][1], ask(cases[i][0], "x"), 0) != 0)
			CHECK_STR(ask(cases[i][0], "x"), cases[i][1]);
	strbuf_init(&many, 4096);
	for (int i = 0; i < 33; i++)
		strbuf_printf(&many, "{label_%d}", i);
	CHECK(strstr(ask(many.buf, "x"), "too many fields") != NULL);
	strbuf_release(&many);
}

static const struct tap_test tests[] = {
	TEST(test_fits),
	TEST(test_refused),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
