#include <config.h>

#include "common/texts/remark.h"

#include <assert.h>
#include <stdarg.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "common/units/units.h"

enum { MAX_TEXT = 1 << 16, NUMBER_SIZE = 400 };

const struct remark_row remark_rows[N_REMARKS] = {
#define ROW(code, name, reason, parameters, en, zh) \
	[code] = { name, reason, parameters, { en, zh } },
#include "common/texts/remark_template.h"
#undef ROW
};

/* Words used as arguments: counted things, directions, reasons. */
static const struct {
	const char *word, *chinese;
} words[] = { { "nodes", "节点" }, { "ranks", "rank" }, { "node", "节点" },
	{ "device", "设备" }, { "rate", "速率" }, { "time", "时间" },
	{ "time stamp", "时间戳" }, { "mean", "平均值" },
	{ "median", "中位数" }, { "at least", "至少" }, { "speedup", "加速比" },
	{ "efficiency", "效率" }, { "higher", "高" }, { "lower", "低" },
	{ "faster", "快" }, { "slower", "慢" }, { "a device", "每卡" },
	{ "all", "全部" }, { "batch size per device", "每设备批大小" },
	{ "batch size per device and the number of GPUs",
	    "每设备批大小和 GPU 数" },
	{ "tokens of an iteration", "每次迭代的 token 数" },
	{ "tokens of a sample", "每个样本的 token 数" },
	{ "figure of the whole run", "整个运行的数值" },
	{ EXCLUDED_BAD_VALUE, "数值无效" }, { EXCLUDED_COPY, "重复的日志" },
	{ EXCLUDED_DOUBLE_RUN, "重复的运行" }, { EXCLUDED_EMPTY, "空文件" },
	{ EXCLUDED_NO_BATCH, "批大小未知" }, { EXCLUDED_NO_EPOCH, "没有该轮" },
	{ EXCLUDED_NO_FORMAT, "格式未知" }, { EXCLUDED_NO_GPUS, "GPU 数未知" },
	{ EXCLUDED_NO_METRIC, "没有该指标" },
	{ EXCLUDED_NO_STEPS, "没有可计的迭代" },
	{ EXCLUDED_NO_SUMMARY, "没有总结数值" },
	{ EXCLUDED_NOT_TRAINING, "不是训练" }, { EXCLUDED_FAILED, "失败" },
	{ EXCLUDED_OUT_OF_MEMORY, "内存不足" }, { EXCLUDED_CRASHED, "崩溃" },
	{ EXCLUDED_RESTART, "重启" }, { EXCLUDED_SHORT, "太短" },
	{ EXCLUDED_UNREADABLE, "无法读取" } };

const char *
remark_word(const char *word, enum language lang)
{
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (strcmp(words[i].word, word) == 0)
			return lang == LANGUAGE_ZH ? words[i].chinese : word;
	return word;
}

enum remark_code
remark_find(const char *name)
{
	for (int i = REMARK_OTHER; i < N_REMARKS; i++)
		if (strcmp(remark_rows[i].name, name) == 0)
			return (enum remark_code)i;
	return REMARK_NONE;
}

int
remark_is_doubt(const struct remark *r)
{
	return remark_stops_gate(r) ||
	    text_same(remark_rows[r->code].reason, FLAG_COARSE);
}

int
remark_stops_gate(const struct remark *r)
{
	const struct remark_arg *flag = &r->args[3], *more = &r->args[4];

	if (r->code == REMARK_BASELINE_DOUBT && flag->inner != NULL &&
	    isnan(more->number))
		return remark_stops_gate(flag->inner);
	return text_same(remark_rows[r->code].reason, FLAG_DOUBT);
}

struct remark_parameter
remark_parameter(enum remark_code code, size_t i)
{
	static const char letters[] = "gfcswprk"; /* from REMARK_NUMBER on */
	struct remark_parameter p = { .type = REMARK_END };
	const char *s = remark_rows[code].parameters;
	size_t len;

	for (; i > 0 && *s != '\0'; i--) {
		s += strcspn(s, " ");
		s += *s == ' ';
	}
	if (*s == '\0')
		return p;
	len = strcspn(s, " %");
	assert(len < sizeof p.name);
	memcpy(p.name, s, len);
	p.type = REMARK_COUNT;
	if (s[len] == '%') {
		char *letter;

		p.digits = (int)strtol(s + len + 1, &letter, 10);
		p.type = (enum remark_type)(
		    REMARK_NUMBER + (strchr(letters, *letter) - letters));
	}
	return p;
}

int
remark_is_number(enum remark_type type)
{
	return type >= REMARK_COUNT && type <= REMARK_CHANGE;
}

int
remark_has(const struct remark *r, size_t i)
{
	const enum remark_type type = remark_parameter(r->code, i).type;

	if (remark_is_number(type))
		return !isnan(r->args[i].number);
	return type == REMARK_INNER ? r->args[i].inner != NULL
				    : r->args[i].text != NULL;
}

/* Sentence under construction. */
struct rendering {
	struct strbuf *sb;
	const struct remark *r, *to; /* the smallest and the largest numbers */
	enum language lang;
};

/* Find an argument by its name of len bytes; REMARK_MAX_ARGS if there is
 * none. */
static size_t
find_argument(const struct remark *r, const char *name, size_t len)
{
	size_t i = 0;

	for (; i < REMARK_MAX_ARGS; i++) {
		const struct remark_parameter p = remark_parameter(r->code, i);

		if (strncmp(p.name, name, len) == 0 && p.name[len] == '\0')
			break;
	}
	return i;
}

/* Format the number of argument i, with enough digits to be on the correct side
 * of the argument "limit", if there is one. */
static const char *
number_text(char buf[NUMBER_SIZE], const struct remark *r, size_t i)
{
	const struct remark_parameter p = remark_parameter(r->code, i);
	const double x = r->args[i].number;
	const size_t limit = find_argument(r, "limit", 5);
	int decimals = p.digits;

	if (limit < REMARK_MAX_ARGS && !isnan(r->args[limit].number))
		decimals =
		    decimals_apart(fabs(x), r->args[limit].number, p.digits);
	if (isnan(x))
		snprintf(buf, NUMBER_SIZE, "?");
	else if (p.type == REMARK_NUMBER && fabs(x) < pow(10, p.digits))
		snprintf(buf, NUMBER_SIZE, "%.*g", p.digits, x);
	else if (p.type == REMARK_COUNT || p.type == REMARK_NUMBER)
		snprintf(buf, NUMBER_SIZE, "%.0f", x);
	else
		snprintf(buf, NUMBER_SIZE,
		    p.type == REMARK_CHANGE ? "%+.*f" : "%.*f", decimals, x);
	return buf;
}

/* Add argument i.
 *
 * percent  1: the argument is a difference, printed with its unit; from 100 %
 *          as a ratio, since "125 % slower" is hard to understand */
static void
add_argument(const struct rendering *x, size_t i, int percent)
{
	const struct remark_arg *arg = &x->r->args[i];
	const enum remark_type type = remark_parameter(x->r->code, i).type;
	const double times = 1 + arg->number / 100,
		     most = 1 + x->to->args[i].number / 100;
	const int is_chinese = x->lang == LANGUAGE_ZH;
	char from[NUMBER_SIZE], to[NUMBER_SIZE];
	long nodes, gpus;
	int end = 0;

	if (percent && most >= 2) {
		strbuf_printf(x->sb, "%s%.3g", is_chinese ? "至 " : "", times);
		if (times < most)
			strbuf_printf(x->sb, "–%.3g", most);
		strbuf_addstr(x->sb, is_chinese ? " 倍" : " times");
		return;
	}
	if (remark_is_number(type)) {
		strbuf_addstr(x->sb, number_text(from, x->r, i));
		if (strcmp(from, number_text(to, x->to, i)) != 0)
			strbuf_printf(x->sb, "%s%s",
			    type != REMARK_CHANGE ? "–"
				: is_chinese      ? " 至 "
						  : " to ",
			    to);
	} else if (!remark_has(x->r, i))
		strbuf_addstr(x->sb, "?");
	else if (type == REMARK_INNER)
		remark_add(x->sb, arg->inner, NULL, x->lang);
	else if (type == REMARK_PLACE)
		strbuf_printf(x->sb, "%s:%.0f", arg->text, arg->number);
	else if (type == REMARK_WORD)
		strbuf_addstr(x->sb, remark_word(arg->text, x->lang));
	else if (type == REMARK_CASE && is_chinese &&
	    sscanf(arg->text, "%9ldn%9ldg%n", &nodes, &gpus, &end) == 2 &&
	    arg->text[end] == '\0')
		strbuf_printf(x->sb, "%ld机%ld卡", nodes, nodes * gpus);
	else
		strbuf_addstr(x->sb, arg->text);
	strbuf_addstr(x->sb, percent ? " %" : "");
}

static void
cut_back(struct strbuf *sb, size_t len)
{
	if (sb->len > len) {
		sb->len = len;
		sb->buf[len] = '\0';
	}
}

/* Add the argument whose name is at p, after "{". Returns the end. */
static const char *
add_braces(const struct rendering *x, const char *p, int *lacks)
{
	const char *end = strchr(p, '}'), *after = p + strcspn(p, "?%}"), *many;
	const size_t i = find_argument(x->r, p, (size_t)(after - p));

	assert(i < REMARK_MAX_ARGS);
	*lacks |= !remark_has(x->r, i);
	if (*after != '?') {
		add_argument(x, i, *after == '%');
		return end + 1;
	}
	many = strchr(after, '|') + 1;
	if (x->to->args[i].number > 1 || x->to->args[i].number < 1)
		strbuf_add(x->sb, many, (size_t)(end - many));
	else
		strbuf_add(x->sb, after + 1, (size_t)(many - after - 2));
	return end + 1;
}

/* Add the text up to its end, or to the end of the enclosing part, with its
 * arguments "{name}", "{name%}" and "{name?one|many}".  A part in "[...]" or
 * "[...|...]" that lacks an argument is dropped.  Returns the end.
 *
 * lacks  set to 1 if an argument outside of nested parts is unknown */
static const char *
add_template(const struct rendering *x, const char *p, int *lacks)
{
	while (*p != '\0' && *p != ']' && *p != '|') {
		const size_t plain = strcspn(p, "{[]|");
		int part_lacks = 0, ignored = 0;
		size_t len;

		strbuf_add(x->sb, p, plain);
		p += plain;
		if (*p == '{')
			p = add_braces(x, p + 1, lacks);
		else if (*p == '[') {
			len = x->sb->len;
			p = add_template(x, p + 1, &part_lacks);
			len = part_lacks ? len : x->sb->len;
			cut_back(x->sb, len);
			if (*p == '|')
				p = add_template(x, p + 1, &ignored);
			if (!part_lacks)
				cut_back(x->sb, len);
			p++;
		}
	}
	return p;
}

void
remark_add(struct strbuf *sb, const struct remark *r, const struct remark *to,
    enum language lang)
{
	const struct rendering x = { sb, r, to != NULL ? to : r, lang };
	int ignored = 0;

	(void)add_template(&x, remark_rows[r->code].texts[lang], &ignored);
}

int
remark_is_whole(const struct remark *r)
{
	struct strbuf sb = STRBUF_INIT(MAX_TEXT);
	const struct rendering x = { &sb, r, r, LANGUAGE_EN };
	int lacks = 0;

	(void)add_template(&x, remark_rows[r->code].texts[x.lang], &lacks);
	strbuf_release(&sb);
	return !lacks;
}

const char *
remark_text(const struct remark *r, enum language lang, struct arena *a)
{
	struct strbuf sb = STRBUF_INIT(MAX_TEXT);

	remark_add(&sb, r, NULL, lang);
	return strbuf_finish(&sb, a);
}

const char *
remark_take_place(struct remark *r, struct arena *a)
{
	for (size_t i = 0; i < REMARK_MAX_ARGS; i++) {
		struct remark_arg *arg = &r->args[i];
		const char *file = arg->text;

		if (remark_parameter(r->code, i).type != REMARK_PLACE ||
		    file == NULL)
			continue;
		arg->text = NULL;
		return arena_printf(a, "%s:%.0f", file, arg->number);
	}
	return NULL;
}

const char *
remark_key(const struct remark *r, struct arena *a)
{
	struct strbuf sb = STRBUF_INIT(MAX_TEXT);

	strbuf_printf(&sb, "%d", (int)r->code);
	for (size_t i = 0; i < REMARK_MAX_ARGS; i++) {
		const struct remark_arg *arg = &r->args[i];
		const enum remark_type type = remark_parameter(r->code, i).type;

		strbuf_addch(&sb, '\n');
		if (remark_is_number(type))
			strbuf_addstr(&sb,
			    type == REMARK_CHANGE && arg->number < 0 ? "-"
								     : "");
		else if (arg->inner != NULL)
			strbuf_addstr(&sb, remark_key(arg->inner, a));
		else if (arg->text != NULL)
			strbuf_printf(&sb, "%g %s", arg->number, arg->text);
	}
	return strbuf_finish(&sb, a);
}

struct remark
remark_copy(const struct remark *r, struct arena *a)
{
	struct remark copy = *r;

	for (int i = 0; i < REMARK_MAX_ARGS; i++) {
		struct remark_arg *arg = &copy.args[i];

		if (arg->text != NULL)
			arg->text = arena_strdup(a, arg->text);
		if (arg->inner != NULL) {
			struct remark *inner =
			    arena_calloc(a, 1, sizeof *inner);

			*inner = remark_copy(arg->inner, a);
			arg->inner = inner;
		}
	}
	return copy;
}

/* --- messages ------------------------------------------------------------- */

const char *const language_names[] = { "en", "zh", NULL };

static const char *const messages[N_MESSAGES][N_LANGUAGES] = {
#define ROW(code, en, zh) [code] = { en, zh },
#include "common/texts/message_template.h"
#undef ROW
};

enum language
language_find(const char *name)
{
	static const char *const variables[] = { "DLSCALE_LANG", "LC_ALL",
		"LC_MESSAGES", "LANG" };

	for (int i = 0; i < 4 && (name == NULL || name[0] == '\0'); i++)
		name = getenv(variables[i]);
	for (int i = 0; i < N_LANGUAGES; i++)
		if (name != NULL && strncmp(language_names[i], name, 2) == 0)
			return (enum language)i;
	return LANGUAGE_EN;
}

const char *
message_label(const char *key, enum language lang)
{
	static const struct {
		const char *key;
		enum message m;
	} known[] = { { "backend", MESSAGE_BACKEND },
		{ "device", MESSAGE_DEVICE }, { "link", MESSAGE_LINK },
		{ "fusion", MESSAGE_FUSION },
		{ "compression", MESSAGE_COMPRESSION } };

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (strcmp(known[i].key, key) == 0)
			return message(known[i].m, lang);
	return key;
}

const char *
message(enum message w, enum language lang)
{
	assert((int)w >= 0 && w < N_MESSAGES && (int)lang >= 0 &&
	    lang < N_LANGUAGES);
	assert(messages[w][lang] != NULL);
	return messages[w][lang];
}

const char *
in_language(enum language lang, const char *en, const char *zh)
{
	return lang == LANGUAGE_ZH ? zh : en;
}

const char *
text_fill_list(struct arena *a, const char *text, va_list list)
{
	struct strbuf sb = STRBUF_INIT(MAX_TEXT);

	for (; *text != '\0'; text++)
		if (*text == '@')
			strbuf_addstr(&sb, va_arg(list, const char *));
		else
			strbuf_addch(&sb, *text);
	return strbuf_finish(&sb, a);
}

const char *
text_fill(struct arena *a, const char *text, ...)
{
	const char *out;
	va_list list;

	va_start(list, text);
	out = text_fill_list(a, text, list);
	va_end(list);
	return out;
}
