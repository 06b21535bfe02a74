#include <config.h>

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/json/json.h"
#include "common/text.h"
#include "tests/tap.h"

static struct strbuf text;
static struct json_writer out;

static void
start(enum json_write_style style)
{
	strbuf_release(&text);
	strbuf_init(&text, 1 << 20);
	out = JSON_TO_STRBUF(&text);
	out.style = style;
}

static void
test_out_pretty(void)
{
	start(JSON_WRITE_PRETTY);
	json_write_begin_object(&out, NULL);
	json_write_string(&out, "case", "4n8g");
	json_write_string(&out, "model", NULL);
	json_write_begin_array(&out, "runs");
	json_write_long(&out, NULL, 1);
	json_write_begin_object(&out, NULL);
	json_write_bool(&out, "used", 1);
	json_write_end(&out);
	json_write_end(&out);
	json_write_begin_array(&out, "flags");
	json_write_end(&out);
	json_write_begin_object(&out, "labels");
	json_write_end(&out);
	json_write_string(&out, "x", NULL);
	json_write_end(&out);
	json_write_finish(&out);
	CHECK_STR(text.buf,
	    "{\n"
	    "  \"case\": \"4n8g\",\n"
	    "  \"model\": null,\n"
	    "  \"runs\": [\n"
	    "    1,\n"
	    "    {\n"
	    "      \"used\": true\n"
	    "    }\n"
	    "  ],\n"
	    "  \"flags\": [],\n"
	    "  \"labels\": {},\n"
	    "  \"x\": null\n"
	    "}\n");
}

static void
test_out_lines(void)
{
	start(JSON_WRITE_LINES);
	json_write_begin_object(&out, NULL);
	json_write_long(&out, "k", 5);
	json_write_begin_array(&out, "v");
	json_write_double(&out, NULL, 0.25);
	json_write_bool(&out, NULL, 0);
	json_write_end(&out);
	json_write_end(&out);
	json_write_long(&out, NULL, 2);
	json_write_finish(&out);
	CHECK_STR(text.buf, "{\"k\": 5, \"v\": [0.25, false]}\n2\n");
}

static void
test_out_file(void)
{
	char buf[64];
	size_t n;
	FILE *f = tmpfile();

	CHECK(f != NULL);
	out = JSON_TO_FILE(f, JSON_WRITE_PRETTY);
	json_write_begin_array(&out, NULL);
	json_write_string(&out, NULL, "a");
	json_write_end(&out);
	json_write_finish(&out);
	rewind(f);
	n = fread(buf, 1, sizeof buf - 1, f);
	buf[n] = '\0';
	fclose(f);
	CHECK_STR(buf, "[\n  \"a\"\n]\n");
}

static void
test_out_strings(void)
{
	static const struct {
		const char *s, *want;
	} cases[] = {
		{ "plain", "\"plain\"\n" },
		{ "\"\\/", "\"\\\"\\\\/\"\n" },
		{ "\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\"\n" },
		{ "\x1f\x7f", "\"\\u001f\\u007f\"\n" },
		{ "\xe5\x8a\xa0", "\"\xe5\x8a\xa0\"\n" },
		{ "a\xff\xc3z", "\"a\xef\xbf\xbd\xef\xbf\xbdz\"\n" },
		{ "\xed\xa0\x80",
		    "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"\n" },
		{ "\xe5\x8a", "\"\xef\xbf\xbd\"\n" },
		{ "\xef\xbf\xbd", "\"\xef\xbf\xbd\"\n" },
		{ "\xf0\x9f\x98\x80", "\"\xf0\x9f\x98\x80\"\n" },
	};
	size_t i;

	for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		start(JSON_WRITE_PRETTY);
		json_write_string(&out, NULL, cases[i].s);
		json_write_finish(&out);
		CHECK_STR(text.buf, cases[i].want);
	}
}

static void
test_out_numbers(void)
{
	static const struct {
		double x;
		const char *want;
	} cases[] = { { 0.1, "0.1" }, { 1.0 / 3, "0.3333333333333333" },
		{ 0.1 + 0.2, "0.30000000000000004" }, { 100, "100" },
		{ 1e21, "1e+21" }, { -0.0, "-0.0" }, { 0, "0" },
		{ 5e-324, "4.94065645841247e-324" },
		{ 1.7976931348623157e308, "1.7976931348623157e+308" },
		{ 9007199254740993.0, "9007199254740992" } };
	char buf[JSON_DOUBLE_SIZE];
	size_t i;

	for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		CHECK_STR(json_double(buf, cases[i].x), cases[i].want);
		CHECK_NEAR(strtod(buf, NULL), cases[i].x, 0);
	}
	start(JSON_WRITE_LINES);
	json_write_double(&out, NULL, NAN);
	json_write_double(&out, NULL, -INFINITY);
	json_write_long(&out, NULL, LONG_MIN);
	json_write_long(&out, NULL, LONG_MAX);
	json_write_finish(&out);
	CHECK_STR(text.buf, "null\nnull\nnull\n9223372036854775807\n");
}

/* Definition of json_double(): the shortest exact of three printf forms. */
static const char *
printed(char buf[JSON_DOUBLE_SIZE], double x)
{
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(buf, JSON_DOUBLE_SIZE, "%.*g", digits, x);
		if (!(strtod(buf, NULL) < x) && !(strtod(buf, NULL) > x))
			break;
	}
	return buf;
}

/* Integers divided by powers of ten, their neighbours, and the limits. */
static void
test_out_decimals(void)
{
	char got[JSON_DOUBLE_SIZE], want[JSON_DOUBLE_SIZE];
	uint64_t state = 88172645463325252u;
	size_t bad = 0;

	for (int i = 0; i < 60000; i++) {
		const int d = i % 12;
		double x;

		state ^= state << 13; /* Marsaglia's xorshift */
		state ^= state >> 7;
		state ^= state << 17;
		x = (double)(state >> (i % 59) | 1) / pow(10, d);
		if (i % 5 == 0)
			x = nextafter(x, i % 2 == 0 ? INFINITY : 0);
		if (i % 7 == 0)
			x = -x;
		if (strcmp(json_double(got, x), printed(want, x)) != 0 &&
		    bad++ == 0)
			CHECK_STR(got, want);
	}
	CHECK_INT(bad, 0);
	for (int d = -6; d <= 18; d++) {
		const double x = pow(10, d);

		CHECK_STR(json_double(got, x), printed(want, x));
		CHECK_STR(json_double(got, nextafter(x, 0)),
		    printed(want, nextafter(x, 0)));
	}
	start(JSON_WRITE_LINES);
	json_write_long(&out, NULL, 0);
	json_write_long(&out, NULL, -1);
	json_write_long(&out, NULL, LONG_MIN + 1);
	json_write_finish(&out);
	CHECK_STR(text.buf, "0\n-1\n-9223372036854775807\n");
}

/* Quotients, most of which need all digits, and doubles from 2^-15 to 2^64,
 * including powers of two and halves of units. */
static void
test_out_digits(void)
{
	char got[JSON_DOUBLE_SIZE], want[JSON_DOUBLE_SIZE];
	uint64_t state = 88172645463325252u;
	size_t bad = 0, n_long = 0;

	for (int i = 0; i < 90000; i++) {
		double x;

		state ^= state << 13; /* Marsaglia's xorshift */
		state ^= state >> 7;
		state ^= state << 17;
		if (i % 3 == 0)
			x = (double)(state % 1000000) /
			    (double)(1 + (state >> 40) % 9999);
		else if (i % 3 == 1)
			x = ldexp(
			    1 + (double)(state >> 12) * 0x1p-52, i % 79 - 15);
		else
			x = ldexp((double)(1 + state % 4096), i % 69 - 20);
		if (i % 7 == 0)
			x = -x;
		n_long += strlen(printed(want, x)) > 16;
		if (strcmp(json_double(got, x), printed(want, x)) != 0 &&
		    bad++ == 0)
			CHECK_STR(got, want);
	}
	CHECK_INT(bad, 0);
	CHECK(n_long > 30000);
}

/* The reader accepts whatever the writer writes, for any bytes. */
static void
test_there_and_back(void)
{
	struct json_doc d;
	struct json_value array, item;
	struct error e = ERROR_INIT;
	struct arena a = ARENA_INIT;
	const char *got;
	char s[3];
	size_t n;
	int i, k;

	start(JSON_WRITE_PRETTY);
	json_write_begin_object(&out, NULL);
	json_write_begin_array(&out, "a");
	for (i = 1; i < 256; i++) {
		s[0] = (char)i;
		s[1] = (char)(i * 7 % 256);
		s[2] = '\0';
		json_write_string(&out, NULL, s);
	}
	json_write_end(&out);
	json_write_end(&out);
	json_write_finish(&out);
	CHECK_INT(json_doc_parse("x", text.buf, text.len, &d, &e), 0);
	CHECK_INT(json_read_array(&d.top, "a", &array, &n, &e), 0);
	CHECK_INT(n, 255);
	for (i = 1; i < 256; i++) {
		json_read_item(&array, (size_t)i - 1, &item);
		k = json_read_item_string(&item, &a, &got, &e);
		CHECK_INT(k, 0);
		CHECK(utf8_valid(got, strlen(got)));
		CHECK(i >= 128 || got[0] == i);
	}
	arena_release(&a);
	json_doc_release(&d);
}

static void
test_in_syntax(void)
{
	static const struct {
		const char *json, *want;
	} cases[] = {
		{ "", "f.json:1:1: the text ends early" },
		{ " \n\t", "f.json:2:2: the text ends early" },
		{ "{\n \"a\": 1,\n  \"b\" 2}",
		    "f.json:3:7: object property name separator ':' expected" },
		{ "{\"a\": 1 \"b\": 2}",
		    "f.json:1:9: object value separator ',' expected" },
		{ "[1 2]", "f.json:1:4: array value separator ',' expected" },
		{ "{1: 2}",
		    "f.json:1:2: quoted object property name expected" },
		{ "[1", "f.json:1:3: the text ends early" },
		{ "{\"a\": \"b", "f.json:1:9: the text ends early" },
		{ "tru", "f.json:1:4: the text ends early" },
		{ "[1,]", "f.json:1:4: unexpected character" },
		{ "{} {}", "f.json:1:4: unexpected character" },
		{ "{}\nx", "f.json:2:1: unexpected character" },
		{ "[nul]", "f.json:1:5: null expected" },
		{ "[fals]", "f.json:1:6: boolean expected" },
		{ "[01]", "f.json:1:4: number expected" },
		{ "[\"\\x\"]", "f.json:1:4: invalid string sequence" },
		{ "[\"\xff\"]", "f.json:1:3: invalid utf-8 string" },
		{ "// x\n1", "f.json:1:1: unexpected character" },
	};
	struct json_doc d;
	size_t i;

	for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct error e = ERROR_INIT;

		CHECK_INT(json_doc_parse("f.json", cases[i].json,
			      strlen(cases[i].json), &d, &e),
		    -1);
		CHECK_STR(e.message, cases[i].want);
		CHECK_INT(e.code, ERROR_INPUT);
	}
}

static void
test_in_limits(void)
{
	char deep[2 * JSON_READ_MAX_DEPTH + 3];
	struct json_doc d;
	struct error e = ERROR_INIT;
	const size_t n = JSON_READ_MAX_DEPTH;

	memset(deep, '[', n);
	deep[n] = '1';
	memset(deep + n + 1, ']', n);
	CHECK_INT(json_doc_parse("d.json", deep, 2 * n + 1, &d, &e), 0);
	json_doc_release(&d);
	memset(deep, '[', n + 1);
	deep[n + 1] = '1';
	memset(deep + n + 2, ']', n + 1);
	CHECK_INT(json_doc_parse("d.json", deep, 2 * n + 3, &d, &e), -1);
	CHECK_STR(e.message, "d.json:1:66: nested deeper than 64 levels");
	CHECK_INT(e.code, ERROR_LIMIT);
	/* The length is checked before the text. */
	CHECK_INT(json_doc_parse(
		      "b.json", deep, (size_t)JSON_READ_MAX_BYTES + 1, &d, &e),
	    -1);
	CHECK_STR(e.message, "b.json: larger than 536870912 bytes");
	CHECK_INT(e.code, ERROR_LIMIT);
}

static struct json_doc doc;

static void
doc_load(const char *json)
{
	struct error e = ERROR_INIT;

	if (json_doc_parse("a.json", json, strlen(json), &doc, &e) != 0)
		CHECK_STR(e.message, "");
}

static void
test_in_values(void)
{
	struct arena a = ARENA_INIT;
	struct error e = ERROR_INIT;
	struct json_value v;
	const char *s;
	double x;
	long l;
	int b;
	size_t n;

	doc_load("\xef\xbb\xbf{\"s\": \"\xe5\x8a\xa0\\n\", \"x\": 1.5,"
		 "\"i\": 7, \"w\": 5.0, \"t\": true, \"f\": false, \"z\": null,"
		 "\"o\": {\"k\": 1, \"l\": 2}, \"a\": [1, [\"q\"]]}");
	CHECK_INT(json_read_string(&doc.top, "s", &a, &s, &e), 0);
	CHECK_STR(s, "\xe5\x8a\xa0\n");
	CHECK_INT(json_read_double(&doc.top, "x", 0, 2, &x, &e), 0);
	CHECK_NEAR(x, 1.5, 0);
	CHECK_INT(json_read_double(&doc.top, "i", 7, 7, &x, &e), 0);
	CHECK_NEAR(x, 7, 0);
	CHECK_INT(json_read_count(&doc.top, "w", &l, &e), 0);
	CHECK_INT(l, 5);
	CHECK_INT(json_read_count(&doc.top, "i", &l, &e), 0);
	CHECK_INT(l, 7);
	CHECK_INT(json_read_bool(&doc.top, "t", &b, &e), 0);
	CHECK_INT(b, 1);
	CHECK_INT(json_read_bool(&doc.top, "f", &b, &e), 0);
	CHECK_INT(b, 0);
	CHECK_INT(json_read_object(&doc.top, "o", &v, &e), 0);
	CHECK_INT(json_read_n_members(&v), 2);
	CHECK_INT(json_read_array(&doc.top, "a", &v, &n, &e), 0);
	CHECK_INT(n, 2);
	CHECK_INT(json_read_require(&doc.top, "z", &e), -1);
	CHECK_INT(json_read_require(&doc.top, "f", &e), 0);
	arena_release(&a);
	json_doc_release(&doc);
}

/* Absent and null are the same: unknown. */
static void
test_in_unknown(void)
{
	static const char *const keys[] = { "absent", "null" };
	struct error e = ERROR_INIT;
	struct json_value v;
	size_t i, n;

	doc_load("{\"null\": null}");
	for (i = 0; i < 2; i++) {
		const char *s = "x";
		double x = 1;
		long c = 1;
		int b = 1;

		CHECK_INT(json_read_string(&doc.top, keys[i], NULL, &s, &e), 0);
		CHECK(s == NULL);
		CHECK_INT(json_read_double(&doc.top, keys[i], 0, 1, &x, &e), 0);
		CHECK(isnan(x));
		CHECK_INT(json_read_count(&doc.top, keys[i], &c, &e), 0);
		CHECK(c == LONG_MIN);
		CHECK_INT(json_read_bool(&doc.top, keys[i], &b, &e), 0);
		CHECK_INT(b, 0);
		CHECK_INT(json_read_array(&doc.top, keys[i], &v, &n, &e), 0);
		CHECK_INT(n, 0);
		CHECK_INT(json_read_object(&doc.top, keys[i], &v, &e), 0);
		CHECK_INT(json_read_n_members(&v), 0);
		CHECK_INT(json_read_require(&doc.top, keys[i], &e), -1);
	}
	CHECK_STR(e.message, "a.json: null: missing");
	json_doc_release(&doc);
}

static void
test_in_each(void)
{
	struct json_cursor at = { 0, NULL };
	struct error e = ERROR_INIT;
	struct json_value v;
	char keys[64] = "";
	const char *key;

	doc_load("{\"z\": 1, \"a\": 2}");
	while (json_read_next(&doc.top, &at, &key, &v))
		snprintf(keys + strlen(keys), 16, "%s ", key);
	CHECK_STR(keys, "z a ");
	json_doc_release(&doc);
	doc_load("3");
	at = (struct json_cursor){ 0, NULL };
	CHECK_INT(json_read_next(&doc.top, &at, &key, &v), 0);
	CHECK_INT(json_read_is_object(&doc.top, &e), -1);
	CHECK_STR(e.message, "a.json: 3 is not an object");
	json_doc_release(&doc);
}

/* Read "v" of {"v": JSON} as a string, a number in 0 .. 1, ... */
static int
ask(char as, const struct json_value *obj, struct arena *a, struct error *e)
{
	struct json_value v;
	const char *s;
	double x;
	size_t n;
	long l;
	int b;

	switch (as) {
	case 's':
		return json_read_string(obj, "v", a, &s, e);
	case 'd':
		return json_read_double(obj, "v", 0, 1, &x, e);
	case 'c':
		return json_read_count(obj, "v", &l, e);
	case 'b':
		return json_read_bool(obj, "v", &b, e);
	case 'o':
		return json_read_object(obj, "v", &v, e);
	default:
		return json_read_array(obj, "v", &v, &n, e);
	}
}

static void
test_in_wrong(void)
{
	static const struct {
		char as;
		const char *json, *want;
	} cases[] = {
		{ 's', "3", "3 is not a string" },
		{ 's', "[\"x\"]", "an array is not a string" },
		{ 's', "\"a\\u0000b\"", "a string with a NUL in it" },
		{ 'd', "\"1\"", "'1' is not a number" },
		{ 'd', "\"a\\nb\"", "'a?b' is not a number" },
		{ 'd', "true", "true is not a number" },
		{ 'd', "NaN", "NaN is not a finite number" },
		{ 'd', "-Infinity", "-Infinity is not a finite number" },
		{ 'd', "1e999", "1e999 is not a finite number" },
		{ 'd', "-0.5", "-0.5 is below 0" },
		{ 'd', "1.25", "1.25 is above 1" },
		{ 'c', "\"1\"", "'1' is not a count" },
		{ 'c', "1e300", "1e300 is not a count" },
		{ 'c', "99999999999999999999",
		    "18446744073709551615 is not a count" },
		{ 'c', "-1", "-1 is not a count" },
		{ 'c', "2.5", "2.5 is not a count" },
		{ 'c', "-99999999999999999999",
		    "-9223372036854775808 is not a count" },
		{ 'c', "{}", "an object is not a count" },
		{ 'b', "1", "1 is neither true nor false" },
		{ 'o', "[]", "an array is not an object" },
		{ 'a', "{}", "an object is not an array" },
		{ 'd',
		    "\"123456789012345678901234567890123456789012345678901234"
		    "5678901\"",
		    "'123456789012345678901234567890123456789012345678901234"
		    "567890...' is not a number" },
	};
	struct arena a = ARENA_INIT;
	size_t i;

	for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct error e = ERROR_INIT;
		char json[256], want[256];

		snprintf(json, sizeof json, "{\"v\": %s}", cases[i].json);
		snprintf(want, sizeof want, "a.json: v: %s", cases[i].want);
		doc_load(json);
		CHECK_INT(ask(cases[i].as, &doc.top, &a, &e), -1);
		CHECK_STR(e.message, want);
		CHECK_INT(e.code, ERROR_INPUT);
		json_doc_release(&doc);
	}
	arena_release(&a);
}

static void
test_in_path(void)
{
	struct error e = ERROR_INIT;
	struct json_value cases, c, labels;
	size_t n;
	long l;

	doc_load("{\"cases\": [{}, {}, {\"n\": -1, \"odd key\": {\"x\": 1}}]}");
	CHECK_INT(json_read_array(&doc.top, "cases", &cases, &n, &e), 0);
	json_read_item(&cases, 2, &c);
	CHECK_INT(json_read_is_object(&c, &e), 0);
	CHECK_INT(json_read_count(&c, "n", &l, &e), -1);
	CHECK_STR(e.message, "a.json: cases[2].n: -1 is not a count");
	CHECK_INT(json_read_object(&c, "odd key", &labels, &e), 0);
	CHECK_INT(json_read_error(&labels, "x", &e, "%s", "bad"), -1);
	CHECK_STR(e.message, "a.json: cases[2].odd key.x: bad");
	CHECK_INT(json_read_error(&labels, NULL, &e, "bad"), -1);
	CHECK_STR(e.message, "a.json: cases[2].odd key: bad");
	CHECK_INT(json_read_error(&doc.top, NULL, &e, "bad"), -1);
	CHECK_STR(e.message, "a.json: bad");
	json_doc_release(&doc);
}

static void
test_in_file(void)
{
	struct error e = ERROR_INIT;
	struct json_doc d;
	char path[] = "/tmp/test_json_XXXXXX";
	const int fd = mkstemp(path);
	long x;

	CHECK(fd >= 0);
	CHECK(write(fd, "{\"a\": 12}\n", 10) == 10);
	CHECK_INT(close(fd), 0);
	CHECK_INT(json_doc_read(path, &d, &e), 0);
	CHECK_INT(json_read_count(&d.top, "a", &x, &e), 0);
	CHECK_INT(x, 12);
	json_doc_release(&d);
	CHECK(freopen(path, "r", stdin) != NULL);
	CHECK_INT(json_doc_read("-", &d, &e), 0);
	CHECK_INT(json_read_count(&d.top, "b", &x, &e), 0);
	CHECK_INT(json_read_require(&d.top, "b", &e), -1);
	CHECK_STR(e.message, "stdin: b: missing");
	json_doc_release(&d);
	CHECK_INT(unlink(path), 0);
	CHECK_INT(json_doc_read("/nonexistent/a.json", &d, &e), -1);
	CHECK_STR(e.message,
	    "cannot open '/nonexistent/a.json': No such file "
	    "or directory");
	CHECK_INT(e.code, ERROR_SYSTEM);
	CHECK_INT(json_doc_read("/", &d, &e), -1);
	CHECK_STR(e.message, "cannot read '/': Is a directory");
}

static void
test_utf8_width(void)
{
	static const char *const none[] = { "\x01\x1f", "\x7f\xc2\x9f",
		"\u00ad\u00ad", "\u0300\u036f", "\u1160\u11ff", "\u1ab0\u1aff",
		"\u200b\u200f", "\u202a\u202e", "\u2060\u206f", "\u20d0\u20ff",
		"\u302a\u302d", "\u3099\u309a", "\ufe00\ufe0f", "\ufe20\ufe2f",
		"\ufeff\ufeff", "\U000e0001\U000e01ef" };
	static const char *const two[] = { "\u1100\u115f", "\u2e80\u3029",
		"\u302e\u303e", "\u3041\u3098", "\u309b\ua4cf", "\ua960\ua97f",
		"\uac00\ud7a3", "\uf900\ufaff", "\ufe10\ufe19", "\ufe30\ufe6f",
		"\uff01\uff60", "\uffe0\uffe6", "\U00016fe0\U0001b2ff",
		"\U0001f200\U0001f64f", "\U0001f680\U0001f6ff",
		"\U0001f90c\U0001faff", "\U00020000\U0003fffd" };

	CHECK_INT(utf8_width("speedup", 7), 7);
	/* U+52A0 U+901F U+6BD4 */
	CHECK_INT(utf8_width("\xe5\x8a\xa0\xe9\x80\x9f\xe6\xaf\x94", 9), 6);
	CHECK_INT(utf8_width("e\xcc\x81", 3), 1);        /* e, acute */
	CHECK_INT(utf8_width("\xc2\xb1", 2), 1);         /* plus-minus */
	CHECK_INT(utf8_width("\xef\xbc\xa1", 3), 2);     /* full-width A */
	CHECK_INT(utf8_width("\xf0\x9f\x98\x80", 4), 2); /* emoji */
	CHECK_INT(utf8_width("\xea\xb0\x80", 3), 2);     /* Hangul */
	CHECK_INT(utf8_width("\xff\xfe", 2), 2);         /* two replacements */
	/* The first and the last character of each block. */
	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		CHECK_INT(utf8_width(none[i], strlen(none[i])), 0);
	for (size_t i = 0; i < sizeof two / sizeof *two; i++)
		CHECK_INT(utf8_width(two[i], strlen(two[i])), 2 * 2);
	CHECK_INT(utf8_width("", 0), 0);
	CHECK_INT(utf8_columns(""), 0);
	CHECK_INT(utf8_columns("\xc2\xb1 2\n\ntwelve\nlast\n"), 6);
}

static void
test_utf8_valid(void)
{
	static const struct {
		const char *s;
		int want;
	} cases[] = { { "abc", 1 }, { "\xc2\x80", 1 }, { "\xc1\x80", 0 },
		{ "\xe0\xa0\x80", 1 }, { "\xe0\x9f\x80", 0 },
		{ "\xed\x9f\xbf", 1 }, { "\xed\xa0\x80", 0 },
		{ "\xef\xbf\xbd", 1 }, { "\xf0\x90\x80\x80", 1 },
		{ "\xf0\x8f\x80\x80", 0 }, { "\xf4\x8f\xbf\xbf", 1 },
		{ "\xf4\x90\x80\x80", 0 }, { "\xf5\x80\x80\x80", 0 },
		{ "\x80", 0 }, { "\xe5\x8a", 0 }, { "a\xff", 0 } };
	size_t i;

	for (i = 0; i < sizeof cases / sizeof cases[0]; i++)
		CHECK_INT(
		    utf8_valid(cases[i].s, strlen(cases[i].s)), cases[i].want);
}

/* White space is skipped. Only regular files are read. */
static void
test_file_begins(void)
{
	static const char begin[] = { '{', '\0', 'x', '\0' };
	static const struct {
		const char *bytes;
		size_t n;
		int want;
	} cases[] = { { "{", 1, 1 }, { " \r\n\t{}", 6, 1 }, { "", 0, 0 },
		{ " ", 1, 0 }, { "[{", 2, 0 }, { "\0{", 2, 0 },
		{ "{\0y", 3, 1 } };
	char name[] = "/tmp/test_json.XXXXXX";
	const int fd = mkstemp(name);

	CHECK(fd >= 0);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		CHECK_INT(ftruncate(fd, 0), 0);
		CHECK_INT(pwrite(fd, cases[i].bytes, cases[i].n, 0),
		    (long)cases[i].n);
		CHECK_INT(json_file_begins(name, begin), cases[i].want);
	}
	close(fd);
	CHECK_INT(unlink(name), 0);
	CHECK_INT(json_file_begins(name, begin), 0);
	CHECK_INT(json_file_begins("-", begin), 0);
	CHECK_INT(json_file_begins("/tmp", ""), 0);
}

static const struct tap_test tests[] = {
	TEST(test_out_pretty),
	TEST(test_out_lines),
	TEST(test_out_file),
	TEST(test_out_strings),
	TEST(test_out_numbers),
	TEST(test_out_decimals),
	TEST(test_out_digits),
	TEST(test_there_and_back),
	TEST(test_in_syntax),
	TEST(test_in_limits),
	TEST(test_in_values),
	TEST(test_in_unknown),
	TEST(test_in_each),
	TEST(test_in_wrong),
	TEST(test_in_path),
	TEST(test_in_file),
	TEST(test_file_begins),
	TEST(test_utf8_width),
	TEST(test_utf8_valid),
};

int
main(void)
{
	strbuf_init(&text, 1 << 20);
	return tap_main(tests, N_TESTS(tests));
}
