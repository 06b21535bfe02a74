#include <config.h>

#include "common/alloc.h"
#include "extract/format/matcher.h"
#include "extract/format/patterns/pattern.h"
#include "extract/scan/scan_file.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>

static struct format *
parse(struct arena *a, const char *pattern, struct error *e)
{
	char text[1024];

	snprintf(text, sizeof text,
	    "name t\ndescription d\nkind step-time\n%s\n"
	    "step other never (?<step_s>\\d+)\nsample never 3\nexpect other\n",
	    pattern);
	return format_parse(
	    a, FORMAT_FILE, "t", "t.format", text, strlen(text), e);
}

/* Text of a capture in a line, or "-" if the pattern does not match. */
static const char *
captured(const char *pattern, const char *word, const char *line)
{
	static char out[256];
	struct arena a = ARENA_INIT;
	struct error e = ERROR_INIT;
	char text[1024];
	struct matcher *m = matcher_new(NULL);
	struct format *f;
	struct match match;

	/* The sample need not match: the self-test is not run here. */
	snprintf(text, sizeof text, "%s\nsample x\nexpect h", pattern);
	f = parse(&a, text, &e);
	snprintf(out, sizeof out, "%s", "-");
	if (f == NULL) {
		snprintf(out, sizeof out, "%s", e.message);
	} else if (matcher_one(m,
		       pattern_capture(&f->patterns[0], word) != NULL
			   ? &f->patterns[0]
			   : &f->patterns[1],
		       line, strlen(line), 0, &match)) {
		size_t len = 0;
		const char *s = match_text(
		    &match, pattern_capture(match.pattern, word), &len);

		snprintf(out, sizeof out, "%.*s", (int)len, s != NULL ? s : "");
	}
	if (f != NULL)
		format_release_code(f);
	matcher_free(m);
	arena_release(&a);
	return out;
}

#define PLAIN "json step h step_s=time iter?=step|iter"

static const struct {
	const char *pattern, *word, *line, *want;
} cases[] = {
	/* JSON, and the dictionaries that Python prints */
	{ PLAIN, "step_s", "{\"time\": 0.25, \"step\": 3}", "0.25" },
	{ PLAIN, "iter", "{\"time\": 0.25, \"step\": 3}", "3" },
	{ PLAIN, "step_s", "{'step': 3, 'time': '0.25'}", "0.25" },
	{ PLAIN, "step_s", "{\"time\":1e-3}", "1e-3" },
	{ PLAIN, "step_s", "{ \"time\" : 2 }", "2" },
	{ PLAIN, "step_s", "{'time': nan}", "nan" },
	{ PLAIN, "step_s", "{'time': None, 'step': 3}", "-" },
	{ PLAIN, "step_s", "{\"time\": null}", "-" },
	{ PLAIN, "iter", "{\"time\": 1, \"step\": null}", "" },
	/* alternatives: the first of the list that is present */
	{ PLAIN, "iter", "{\"iter\": 7, \"step\": 3, \"time\": 1}", "3" },
	{ PLAIN, "iter", "{\"iter\": 7, \"time\": 1}", "7" },
	/* a repeated key: the first one */
	{ PLAIN, "iter", "{\"step\": 7, \"time\": 1, \"step\": 8}", "7" },
	/* text and objects around it, nested objects */
	{ PLAIN, "step_s", "50%|##  | 1/2 [00:01]{'time': 4}  ", "4" },
	{ PLAIN, "step_s", "{oops} {\"x\": 1} {\"time\": 5}", "5" },
	{ PLAIN, "step_s", "{\"x\": {\"time\": 5}}", "-" },
	{ PLAIN, "step_s", "{\"x\": {\"time\": 5}, \"time\": 6}", "6" },
	/* quoted text has no structure */
	{ PLAIN, "step_s", "{\"a\": \"}, {\\\"time\\\": 1\", \"time\": 2}",
	    "2" },
	{ PLAIN, "step_s", "{'a': \"it's\", 'time': 2}", "2" },
	{ PLAIN, "step_s", "{'a': [1, 2, {'time': 9}], 'time': 2}", "2" },
	{ PLAIN, "step_s", "{'a': array([1, 2]), 'time': 2}", "2" },
	{ PLAIN, "step_s", "{'a\\\\': 1, 'time': 2}", "2" },
	/* truncated lines */
	{ PLAIN, "step_s", "{\"time\": 0.2", "-" },
	{ PLAIN, "step_s", "{\"time\": \"0.2", "-" },
	{ PLAIN, "step_s", "{\"time\"", "-" },
	{ PLAIN, "step_s", "{", "-" },
	{ PLAIN, "step_s", "{\"step\": 3, \"time\": 0.2, \"lo", "0.2" },
	/* paths */
	{ "json step h step_s=data/time", "step_s",
	    "{\"time\": 1, \"data\": {\"time\": 2}}", "2" },
	{ "json step h step_s=data/1/t", "step_s",
	    "{\"data\": [{\"t\": 1}, {\"t\": 2}]}", "2" },
	{ "json step h step_s=fast~1time~2in~2s", "step_s",
	    "{\"fast/time in s\": 3}", "3" },
	{ "json step h step_s=data/time", "step_s", "{\"data\": 4}", "-" },
	/* conditions */
	{ "json step h step_s=time mode==train|fit", "step_s",
	    "{\"mode\": \"fit\", \"time\": 2}", "2" },
	{ "json step h step_s=time mode==train|fit", "step_s",
	    "{\"mode\": \"val\", \"time\": 2}", "-" },
	{ "json step h step_s=time mode==train", "step_s", "{\"time\": 2}",
	    "-" },
	{ "json step h step_s=time !val", "step_s", "{\"time\": 2, \"val\": 1}",
	    "-" },
	{ "json step h step_s=time !val", "step_s",
	    "{\"time\": 2, \"val\": null}", "2" },
	{ "json step h step_s=time +val", "step_s", "{\"time\": 2, \"val\": 1}",
	    "2" },
	{ "json step h step_s=time +val", "step_s", "{\"time\": 2}", "-" },
	{ "json step h step_s=time after=:::MLLOG", "step_s",
	    "0: :::MLLOG {\"time\": 2}", "2" },
	{ "json step h step_s=time after=:::MLLOG", "step_s", "{\"time\": 2}",
	    "-" },
	{ "json step h step_s=time after=:::MLLOG", "step_s",
	    ":::MLLOG v1 {\"time\": 2}", "-" },
	/* a pattern over several lines of the format file */
	{ "json step h step_s=time\n\titer=n", "iter",
	    "{\"n\": 9, \"time\": 2}", "9" },
};

static void
test_matches(void)
{
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		CHECK_STR(
		    captured(cases[i].pattern, cases[i].word, cases[i].line),
		    cases[i].want);
}

static void
test_glued(void)
{
	struct arena a = ARENA_INIT;
	struct error e = ERROR_INIT;
	struct matcher *m = matcher_new(NULL);
	struct format *f =
	    parse(&a, PLAIN "\nsample {'time': 1}\nexpect h", &e);
	const char *line = "{'time': 1}{'time': 2, 'x': 3}";
	struct match match;

	CHECK(f != NULL);
	CHECK_INT(
	    matcher_one(m, &f->patterns[0], line, strlen(line), 0, &match), 1);
	CHECK_INT(match.ov[0], 0);
	CHECK_INT(matcher_one(m, &f->patterns[0], line, strlen(line),
		      match.ov[1], &match),
	    1);
	CHECK_INT(match.ov[0], 11);
	CHECK_INT(format_self_test(NULL, f, &e), 0);
	CHECK_STR(e.message, "");
	format_release_code(f);
	matcher_free(m);
	arena_release(&a);
}

static const struct {
	const char *pattern, *message;
} mistakes[] = {
	{ "json step h step_s=",
	    "t.format:4:20: a name is missing here\njson step h step_s=\n"
	    "                   ^" },
	{ "json step h time",
	    "t.format:4:13: not a selector: FIELD=NAME, FIELD?=NAME, "
	    "NAME==TEXT, +NAME or !NAME\njson step h time\n            ^" },
	{ "json step h seconds=time",
	    "t.format:4:13: group 'seconds' is not a known name (see "
	    "doc/formats.md)\njson step h seconds=time\n            ^" },
	{ "json step h model=m",
	    "t.format:4:13: group 'model' is not allowed in a step pattern\n"
	    "json step h model=m\n            ^" },
	{ "json step h !val step_s?=t",
	    "t.format:4:13: no key is required: every object would match\n"
	    "json step h !val step_s?=t\n            ^" },
	{ "json step h step_s=a/b/c/d/e/f/g/h/i",
	    "t.format:4:36: a path of more than 8 keys\n"
	    "json step h step_s=a/b/c/d/e/f/g/h/i\n"
	    "                                   ^" },
	{ "json prefix h rank=r",
	    "t.format:4:6: 'prefix' is none of: step, detail, result, "
	    "metadata, summary, ignore, section, signature, context, begin, "
	    "end, interval, collective\n"
	    "json prefix h rank=r\n     ^" },
	{ "files *.json",
	    "t.format:4:7: '*.json' would include too many files\n"
	    "files *.json\n      ^" },
};

static void
test_mistakes(void)
{
	for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
		struct arena a = ARENA_INIT;
		struct error e = ERROR_INIT;

		CHECK(parse(&a, mistakes[i].pattern, &e) == NULL);
		CHECK_STR(e.message, mistakes[i].message);
		arena_release(&a);
	}
}

static uint64_t state = 88172645463325252u;

static unsigned
next_random(unsigned below)
{
	state ^= state << 13; /* Marsaglia's xorshift */
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)(state % below);
}

/* Add an object, mostly with the keys and order of the previous one, sometimes
 * with other blanks, nested values, other quotes or no end. */
static void
add_object(struct strbuf *sb)
{
	static const char *const keys[] = { "time", "iter", "loss", "lr", "x",
		"a rather long key, which no one keeps", "step", "mode", "" };
	static unsigned order[6] = { 0, 1, 2, 3, 4, 5 };
	const char quote = next_random(20) ? '"' : '\'';
	unsigned n = next_random(8) ? 6 : next_random(6);

	if (next_random(4) == 0)
		order[next_random(6)] = next_random(9);
	strbuf_addstr(sb, "log {");
	for (unsigned i = 0; i < n; i++) {
		const char *blank = next_random(12) ? " " : "  ";

		strbuf_printf(sb, "%s%c%s%c%s:%s", i > 0 ? ", " : "", quote,
		    keys[order[i]], quote, next_random(15) ? "" : " ", blank);
		if (next_random(9) == 0)
			strbuf_printf(sb, "{\"time\": %u}", next_random(90));
		else if (next_random(9) == 0)
			strbuf_addstr(sb, next_random(2) ? "null" : "[1, 2]");
		else
			strbuf_printf(sb, "0.%u", next_random(100000));
	}
	if (next_random(12) > 0)
		strbuf_addch(sb, '}');
}

/* For broken objects, nothing outside the text is read (it ends where its
 * allocation does), and matches lie inside it without overlap. */
static void
test_broken_objects(void)
{
	static const char bytes[] = "{}[]()\"',:\\ \t01ae.";
	struct arena a = ARENA_INIT;
	struct error e = ERROR_INIT;
	struct format *f = parse(&a,
	    "json step h step_s=time|x/time iter?=step|iter loss?=loss !mode\n"
	    "sample x\nexpect h",
	    &e);
	const struct object_pattern *p;
	struct strbuf sb;
	int n_matched = 0;

	CHECK_STR(e.message, "");
	p = f->patterns[f->patterns[0].json == NULL].json;
	strbuf_init(&sb, 1 << 16);
	for (int i = 0; i < 50000; i++) {
		size_t ov[2 * 4], from = 0;
		int64_t work = 1 << 20;
		char *text;

		strbuf_reset(&sb);
		for (unsigned n = 1 + (next_random(5) == 0); n > 0; n--)
			add_object(&sb);
		for (unsigned n = next_random(4); n > 0; n--)
			sb.buf[next_random((unsigned)sb.len)] =
			    bytes[next_random(sizeof bytes - 1)];
		text = malloc(sb.len);
		memcpy(text, sb.buf, sb.len);
		while (
		    json_pattern_match(p, text, sb.len, from, ov, &work) > 0) {
			CHECK(
			    from <= ov[0] && ov[0] < ov[1] && ov[1] <= sb.len);
			CHECK(
			    ov[0] < ov[2] && ov[2] <= ov[3] && ov[3] <= ov[1]);
			from = ov[1];
			n_matched++;
		}
		free(text);
	}
	CHECK(n_matched > 10000);
	format_release_code(f);
	strbuf_release(&sb);
	arena_release(&a);
}

/* Nested objects that never end take no more than the allowed work. */
static void
test_work(void)
{
	struct arena a = ARENA_INIT;
	struct error e = ERROR_INIT;
	struct format *f =
	    parse(&a, "json step h step_s=time\nsample x\nexpect h", &e);
	const struct object_pattern *p =
	    f->patterns[f->patterns[0].json == NULL].json;
	struct strbuf sb;
	size_t ov[4];
	int64_t work = 20000;

	strbuf_init(&sb, 1 << 16);
	for (int i = 0; i < 1000; i++)
		strbuf_addstr(&sb, "{\"a\": ");
	CHECK_INT(json_pattern_match(p, sb.buf, sb.len, 0, ov, &work), 0);
	CHECK(work <= 0 && work > -10000);
	work = 1;
	CHECK_INT(json_pattern_match(p, "{\"time\": 1}", 11, 0, ov, &work), 2);
	work = 0;
	CHECK_INT(json_pattern_match(p, "{\"time\": 1}", 11, 0, ov, &work), 0);
	format_release_code(f);
	strbuf_release(&sb);
	arena_release(&a);
}

/* The self-test reports a selector that finds nothing in a sample. */
static void
test_missing(void)
{
	struct arena a = ARENA_INIT;
	struct error e = ERROR_INIT;
	struct format *f = parse(&a,
	    "json step h iter=step step_s=time\n"
	    "sample {\"step\": 3}\nexpect h",
	    &e);

	CHECK(f != NULL);
	CHECK_INT(format_self_test(NULL, f, &e), -1);
	CHECK(strstr(e.message, "step_s=time") != NULL);
	CHECK(strncmp(e.message, "t.format:5:8: ", 14) == 0);
	format_release_code(f);
	arena_release(&a);
}

/* Long texts are searched for keys before objects are parsed: a key is found at
 * any position, and parts of it do not suffice. */
static void
test_long_texts(void)
{
	char line[1200];

	for (int n = 480; n < 560; n++) {
		snprintf(line, sizeof line,
		    "{\"pad\": \"%*s\", \"time\": 0.25}", n, "");
		CHECK_STR(captured(PLAIN, "step_s", line), "0.25");
		snprintf(line, sizeof line,
		    "{\"time\": 0.25, \"pad\": \"%*s\"}", n, "");
		CHECK_STR(captured(PLAIN, "step_s", line), "0.25");
		snprintf(line, sizeof line,
		    "{\"tim\": 0.25, \"pad\": \"%*s\", \"ime\": 1}", n, "");
		CHECK_STR(captured(PLAIN, "step_s", line), "-");
		snprintf(line, sizeof line,
		    "{\"pad\": \"%*s\", \"b\": {\"t\": [7, 8]}}", n, "");
		CHECK_STR(
		    captured("json step h step_s=a/t/0|b/t/1", "step_s", line),
		    "8");
	}
}

/* A column is found by its full name of any length. */
static void
test_column_names(void)
{
	for (int n = 1; n < 80; n++) {
		struct arena a = ARENA_INIT;
		struct error e = ERROR_INIT;
		char pattern[200], line[200];
		struct csv_header header;
		const struct object_pattern *p;
		struct format *f;

		snprintf(pattern, sizeof pattern,
		    "csv step h step_s=%0*d\nsample x\nexpect h", n, 0);
		f = parse(&a, pattern, &e);
		CHECK_STR(e.message, "");
		p = f->patterns[f->patterns[0].csv == NULL].csv;
		snprintf(line, sizeof line, "step,%0*d", n, 0);
		CHECK(csv_read_header(p, line, strlen(line), &header));
		CHECK_INT((long)header.columns[0], 1);
		snprintf(line, sizeof line, "step,%0*d", n + 1, 0);
		CHECK(!csv_read_header(p, line, strlen(line), &header));
		format_release_code(f);
		arena_release(&a);
	}
}

/* A key repeated 300000 times before a brace near the end of the line that may
 * open an object. */
static void
test_repeated_key(void)
{
	struct strbuf sb;

	strbuf_init(&sb, 1 << 23);
	strbuf_addstr(&sb, "{\"time\": 4");
	for (int i = 0; i < 300000; i++)
		strbuf_addstr(&sb, ", \"time\": 5");
	strbuf_addstr(&sb, ", \"z\": \"{\"}");
	CHECK_STR(captured("json step h step_s=time", "step_s", sb.buf), "4");
	strbuf_release(&sb);
}

static int
names_digits(const char *selectors)
{
	struct arena a = ARENA_INIT;
	struct error e = ERROR_INIT;
	char text[256];
	struct format *f;
	int names;

	snprintf(
	    text, sizeof text, "json step h %s\nsample x\nexpect h", selectors);
	f = parse(&a, text, &e);
	CHECK(f != NULL);
	names = f->patterns[f->patterns[0].json == NULL].names_digits;
	CHECK_INT(
	    (f->digit_counting_roles & FIELD_NAME_IN(ROLE_STEP)) != 0, names);
	format_release_code(f);
	arena_release(&a);
	return names;
}

/* Lines that differ only in free digits match alike unless a selector names a
 * free digit. */
static void
test_names_digits(void)
{
	CHECK_INT(names_digits("step_s=t"), 0);
	CHECK_INT(names_digits("step_s=top1~1t5|a_1"), 0); /* held */
	CHECK_INT(names_digits("step_s=t a==b"), 0);
	CHECK_INT(names_digits("step_s=0"), 1); /* a key, or an index */
	CHECK_INT(names_digits("step_s=a/12/t"), 1);
	CHECK_INT(names_digits("step_s=t~0~21"), 1);
	CHECK_INT(names_digits("step_s=t a==b|c.5"), 1);
	CHECK_INT(names_digits("step_s=t after=-1"), 1);
}

static const struct tap_test tests[] = {
	TEST(test_matches),
	TEST(test_glued),
	TEST(test_mistakes),
	TEST(test_broken_objects),
	TEST(test_work),
	TEST(test_missing),
	TEST(test_long_texts),
	TEST(test_column_names),
	TEST(test_repeated_key),
	TEST(test_names_digits),
};

int
main(void)
{
	return tap_main(tests, sizeof tests / sizeof tests[0]);
}
