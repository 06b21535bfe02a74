#include <config.h>

#include "extract/dlperf/python_text.h"
#include "tests/tap.h"

/* What Python 3.11 prints for repr(x). */
static void
test_repr(void)
{
	static const struct {
		double x;
		const char *text;
	} cases[] = {
		{ 0.0, "0.0" },
		{ 1.0, "1.0" },
		{ 100.0, "100.0" },
		{ 0.1, "0.1" },
		{ 354.44, "354.44" },
		{ 8816.7, "8816.7" },
		{ 24.88, "24.88" },
		{ 1 / 3.0, "0.3333333333333333" },
		{ 0.1 + 0.2, "0.30000000000000004" },
		{ 1e-4, "0.0001" },
		{ 1e-5, "1e-05" },
		{ 1.5e-7, "1.5e-07" },
		{ 1e15, "1000000000000000.0" },
		{ 1e16, "1e+16" },
		{ 123456789012345678.0, "1.2345678901234568e+17" },
		{ -2.5, "-2.5" },
		{ 1.7976931348623157e308, "1.7976931348623157e+308" },
		{ 5e-324, "5e-324" },
	};
	char buf[PY_DOUBLE_SIZE];
	size_t i;

	for (i = 0; i < sizeof cases / sizeof *cases; i++)
		CHECK_STR(py_double(buf, cases[i].x), cases[i].text);
}

/* round(x, 2) of Python 3.11: the nearest two decimals of the binary value. */
static void
test_round(void)
{
	CHECK_NEAR(py_round(2.675, 2), 2.67, 0); /* 2.67499999... */
	CHECK_NEAR(py_round(0.125, 2), 0.12, 0); /* a tie: to even */
	CHECK_NEAR(py_round(0.375, 2), 0.38, 0);
	CHECK_NEAR(py_round(8940.2995, 2), 8940.3, 0);
	CHECK_NEAR(py_round(1e300, 2), 1e300, 0);
	CHECK_NEAR(py_round(441.745, 4), 441.745, 0);
	CHECK_NEAR(py_round(217.515, 2), 217.51, 0);
	/* numpy 2.4.6: round(np.float64(x), 2).  The first, third and fourth
	 * are medians that DLPerf published so rounded. */
	CHECK_NEAR(np_round(5099.425, 2), 5099.42, 0);
	CHECK_NEAR(np_round(217.515, 2), 217.52, 0);
	CHECK_NEAR(np_round(441.745, 2), 441.74, 0);
	CHECK_NEAR(np_round(1358.635, 2), 1358.64, 0);
	CHECK_NEAR(np_round(2.675, 2), 2.68, 0);
}

static void
set_int(struct json_object *d, const char *key, int x)
{
	json_object_object_add(d, key, json_object_new_int(x));
}

static void
test_dictionaries(void)
{
	struct json_object *d = json_object_new_object();
	struct json_object *b = json_object_new_object();
	struct json_object *c = json_object_new_object();
	struct strbuf sb;

	strbuf_init(&sb, 4096);
	py_write(d, PY_PPRINT, &sb);
	CHECK_STR(sb.buf, "{}");
	set_int(b, "z", 1);
	json_object_object_add(b, "a", json_object_new_double(2));
	json_object_object_add(d, "b", b);
	json_object_object_add(c, "none", json_object_new_object());
	json_object_object_add(d, "a\"'\\", c);
	set_int(b, "z", 3); /* keeps its place */
	strbuf_reset(&sb);
	py_write(d, PY_PPRINT, &sb);
	CHECK_STR(sb.buf,
	    "{'a\"\\'\\\\': {'none': {}}, 'b': {'a': 2.0, 'z': "
	    "3}}");
	strbuf_reset(&sb);
	py_write(d, PY_JSON, &sb);
	CHECK_STR(sb.buf,
	    "{\"b\": {\"z\": 3, \"a\": 2.0}, \"a\\\"'\\\\\": "
	    "{\"none\": {}}}");
	strbuf_release(&sb);
	json_object_put(d);
}

/* 80 columns fit, 81 do not (Python's rule, tried with pprint). */
static void
test_width(void)
{
	struct json_object *d = json_object_new_object();
	struct strbuf sb;
	char key[80];

	memset(key, 'k', sizeof key);
	key[65] = '\0'; /* {'k...': 1, 'l': 2} is 65 + 15 = 80 wide */
	set_int(d, key, 1);
	set_int(d, "l", 2);
	strbuf_init(&sb, 4096);
	py_write(d, PY_PPRINT, &sb);
	CHECK_INT(sb.len, 80);
	CHECK(strstr(sb.buf, "1, 'l': 2}") != NULL);
	json_object_put(d);
	key[65] = 'k';
	key[66] = '\0';
	d = json_object_new_object();
	set_int(d, key, 1);
	set_int(d, "l", 2);
	strbuf_reset(&sb);
	py_write(d, PY_PPRINT, &sb);
	CHECK(strstr(sb.buf, "1,\n 'l': 2}") != NULL);
	strbuf_release(&sb);
	json_object_put(d);
}

/* Beyond ASCII: characters count as one, JSON spells them out. */
static void
test_unicode(void)
{
	struct json_object *d = json_object_new_object();
	struct strbuf sb;

	strbuf_init(&sb, 4096);
	set_int(d, "\xe8\x8a\x82\xf0\x9f\x98\x80", 1);
	py_write(d, PY_JSON, &sb);
	CHECK_STR(sb.buf, "{\"\\u8282\\ud83d\\ude00\": 1}");
	strbuf_release(&sb);
	json_object_put(d);
}

/* Terms whose sums differ by the order in which they are added: k * k * 7919
 * modulo 10007, over 37.  Expected: numpy.mean of numpy 2.4.6; a plain sum has
 * another last digit for 128 and 300. */
static void
test_np_mean(void)
{
	static const struct {
		size_t n;
		double mean;
	} cases[] = { { 3, 97.26126126126127 }, { 8, 149.9222972972973 },
		{ 100, 135.06378378378378 }, { 128, 132.22550675675674 },
		{ 129, 132.8562748795307 }, { 300, 127.71072072072073 } };
	double x[300];
	size_t i;

	for (i = 0; i < 300; i++)
		x[i] = (double)((i + 1) * (i + 1) * 7919 % 10007) / 37.0;
	for (i = 0; i < sizeof cases / sizeof *cases; i++)
		CHECK_NEAR(np_mean(x, cases[i].n), cases[i].mean, 0);
}

static const struct tap_test tests[] = {
	TEST(test_repr),
	TEST(test_round),
	TEST(test_np_mean),
	TEST(test_dictionaries),
	TEST(test_width),
	TEST(test_unicode),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
