/* The table of remarks, and sentences made from its rows. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/texts/remark.h"
#include "tests/tap.h"

static struct arena arena;

/* True if the text names the parameter. */
static int
names(const char *text, const char *name)
{
	const size_t len = strlen(name);

	for (const char *p = strchr(text, '{'); p != NULL;
	     p = strchr(p + 1, '{'))
		if (strncmp(p + 1, name, len) == 0 &&
		    strchr("}?%", p[1 + len]) != NULL)
			return 1;
	return 0;
}

/* Every code has its own name and sentences in all languages, which use all
 * arguments of the row. */
static void
test_rows(void)
{
	for (int i = REMARK_OTHER; i < N_REMARKS; i++) {
		const struct remark_row *row = &remark_rows[i];

		printf("# %d %s\n", i, row->name != NULL ? row->name : "-");
		CHECK(row->name != NULL && row->name[0] != '\0');
		CHECK_INT(remark_find(row->name), i);
		CHECK_INT(
		    row->name[strspn(row->name, "abcdefghijklmnopqrstuvwxyz-")],
		    '\0');
		for (int lang = 0; lang < N_LANGUAGES; lang++)
			CHECK(row->texts[lang] != NULL &&
			    row->texts[lang][0] != '\0');
		for (size_t k = 0; k < REMARK_MAX_ARGS; k++) {
			const struct remark_parameter p =
			    remark_parameter((enum remark_code)i, k);

			for (int lang = 0; lang < N_LANGUAGES; lang++)
				CHECK(p.type == REMARK_END ||
				    strcmp(p.name, "limit") == 0 ||
				    names(row->texts[lang], p.name));
		}
	}
	CHECK_INT(remark_find("no such code"), REMARK_NONE);
}

/* A remark whose arguments are all known, or all unknown. */
static struct remark
filled(enum remark_code code, int known)
{
	static const struct remark inner = { .code = REMARK_NO_STEPS };
	struct remark r = { .code = code };

	for (size_t i = 0; i < REMARK_MAX_ARGS; i++)
		r.args[i] = (struct remark_arg){ known ? 12 : NAN,
			known ? "node" : NULL, known ? &inner : NULL };
	return r;
}

/* No sentence has a brace or bracket left, and none with known arguments has a
 * question mark. */
static void
test_sentences(void)
{
	for (int i = REMARK_OTHER; i < N_REMARKS; i++)
		for (int lang = 0; lang < N_LANGUAGES; lang++)
			for (int known = 0; known <= 1; known++) {
				const struct remark r =
				    filled((enum remark_code)i, known);
				const char *text = remark_text(
				    &r, (enum language)lang, &arena);

				printf("# %s\n", text);
				CHECK(text[0] != '\0');
				CHECK(strpbrk(text, "{}[]|") == NULL);
				CHECK(!known || strchr(text, '?') == NULL);
			}
	arena_release(&arena);
}

/* Folders that are named like words of sentences are not translated. */
static void
test_names(void)
{
	static const char *const folders[] = { "node", "time", "run", "log",
		"step", "nodes", "median", "device" };
	char want[80];

	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		const struct remark r =
		    REMARK(REMARK_SAME_BYTES, remark_name(folders[i]));

		snprintf(want, sizeof want, "与 %s 逐字节相同，只计后者",
		    folders[i]);
		CHECK_STR(remark_text(&r, LANGUAGE_ZH, &arena), want);
	}
	arena_release(&arena);
}

static int
same_key(const struct remark *a, const struct remark *b)
{
	return strcmp(remark_key(a, &arena), remark_key(b, &arena)) == 0;
}

static void
test_forms(void)
{
	struct remark r = REMARK(REMARK_WARM_UP, remark_number(1));
	struct remark other = REMARK(REMARK_WARM_UP, remark_number(2));
	struct strbuf sb;

	CHECK_STR(remark_text(&r, LANGUAGE_EN, &arena),
	    "counts 1 step of warm-up: raise --warmup-batches");
	CHECK(same_key(&r, &other));
	strbuf_init(&sb, 1000);
	remark_add(&sb, &r, &other, LANGUAGE_EN);
	CHECK_STR(
	    sb.buf, "counts 1–2 steps of warm-up: raise --warmup-batches");
	strbuf_release(&sb);
	/* Printed on its side of the limit. */
	r = REMARK(REMARK_STALLS, remark_number(5.03), remark_number(5));
	CHECK_STR(remark_text(&r, LANGUAGE_EN, &arena),
	    "stalls take 5.03 % of the time: --aggregate=median omits them");
	r = REMARK(REMARK_DRIFT, remark_number(0.317));
	CHECK_STR(remark_text(&r, LANGUAGE_EN, &arena),
	    "steps take 0.317 times as long at the end of the window as at its "
	    "start: try a larger --skip-iterations");
	r = REMARK(REMARK_OUTLIER, remark_number(-7));
	other = REMARK(REMARK_OUTLIER, remark_number(7));
	CHECK(!same_key(&r, &other));
	r.args[0].number = 0;
	CHECK(same_key(&r, &other));
	r = REMARK(REMARK_BAD_STEP, remark_at("a.log", 7),
	    remark_name("time stamp"), remark_number(3));
	CHECK_STR(remark_text(&r, LANGUAGE_ZH, &arena),
	    "a.log:7：第 3 次迭代的时间戳不是合理的正数");
	CHECK_STR(remark_take_place(&r, &arena), "a.log:7");
	CHECK_STR(remark_text(&r, LANGUAGE_EN, &arena),
	    "the time stamp of iteration 3 is not a plausible number above "
	    "0");
	arena_release(&arena);
}

/* At 100 % and above, the ratio is printed. */
static void
test_percent(void)
{
	struct remark r = REMARK(REMARK_WINDOW_OFF, remark_number(99.9),
	    remark_name("slower"), remark_number(1));

	CHECK(strstr(remark_text(&r, LANGUAGE_EN, &arena),
		  "the window is 99.9 % slower than all") != NULL);
	r.args[0].number = 125;
	CHECK(strstr(remark_text(&r, LANGUAGE_EN, &arena),
		  "the window is 2.25 times slower than all") != NULL);
	CHECK(strstr(remark_text(&r, LANGUAGE_ZH, &arena), "慢 至 2.25 倍") !=
	    NULL);
}

static void
test_words(void)
{
	CHECK_STR(remark_word("failed", LANGUAGE_ZH), "失败");
	CHECK_STR(remark_word("failed", LANGUAGE_EN), "failed");
	CHECK_STR(remark_word("no such word", LANGUAGE_ZH), "no such word");
	CHECK_STR(message_label("no such label", LANGUAGE_ZH), "no such label");
	CHECK(strcmp(message_label("device", LANGUAGE_ZH), "device") != 0);
}

/* A doubt about the baseline stops a gate if the baseline's flag would stop
 * one, or if the baseline has several flags. */
static void
test_gates(void)
{
	const struct remark stalls = REMARK(REMARK_STALLS, remark_number(9),
				remark_number(5)),
			    sampled = REMARK(REMARK_SAMPLED, remark_number(10));
	struct remark r =
	    REMARK(REMARK_BASELINE_DOUBT, remark_name("1n1g"), remark_count(1),
		remark_count(5), remark_inner(&stalls), remark_number(NAN));

	CHECK(remark_stops_gate(&stalls) && !remark_stops_gate(&sampled));
	CHECK(remark_is_doubt(&stalls) && remark_is_doubt(&sampled));
	CHECK(remark_stops_gate(&r));
	r.args[3].inner = &sampled;
	CHECK(!remark_stops_gate(&r));
	r.args[4].number = 1;
	CHECK(remark_stops_gate(&r));
}

static const struct tap_test tests[] = {
	TEST(test_rows),
	TEST(test_sentences),
	TEST(test_names),
	TEST(test_forms),
	TEST(test_percent),
	TEST(test_words),
	TEST(test_gates),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
