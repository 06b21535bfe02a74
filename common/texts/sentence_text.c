/* Sentences of checks and of laws that do not fit, '@' for what varies, and
 * their other languages, where "@1" is the first of these. */
#include <config.h>

#include "common/texts/sentence_text.h"

#include <string.h>

#include "common/strbuf.h"

enum { MAX_PARTS = 6, MAX_TEXT = 1 << 16 };

static const struct sentence {
	const char *texts[N_LANGUAGES];
} sentences[] = {
	/* Why a law is not fitted: common/stats/scaling_fit.c. */
	{ { "@ takes @ sizes, there are @", "@1 需 @2 种规模，只有 @3 种" } },
	{ { "@ takes @ sizes, there is @", "@1 需 @2 种规模，只有 @3 种" } },
	{ { "a speed of @ on @ is no point of a law",
	    "@2 卡上的速度 @1 不能用于拟合" } },
	{ { "@ does not fit: the speeds follow no such law",
	    "@1 不适合：速度不符合该规律" } },
	/* How a published table was read: common/published/. */
	{ { "'@' counts the GPUs of each node: rows of several nodes have as "
	    "many as those of one",
	    "“@1”是每个节点的 GPU 数：多节点各行与单节点行的数相同" } },
	{ { "'@' may count the GPUs of each node or of all; it is read as "
	    "those of all",
	    "“@1”可能是每个节点或全部的 GPU 数；按全部理解" } },
	{ { "the global batch may grow with the GPUs or not; rows of one batch "
	    "of each device are read as alike",
	    "总批大小可能随 GPU 数增长，也可能不变；每卡批大小相同的各行视为同类" } },
	{ { "'@' is read as nodes times GPUs of each",
	    "“@1”按“节点数乘每节点 GPU 数”理解" } },
	{ { "empty cells of '@' are read as the cell above",
	    "“@1”的空格按上一格理解" } },
	{ { "read as speeds of frameworks: @", "按各框架的速度理解：@1" } },
	{ { "the comma is read as the decimal mark, as in '@'",
	    "逗号按小数点理解，如“@1”" } },
	{ { "read from text without borders between its cells",
	    "读自单元格之间没有边框的文本" } },
	{ { "contradicts another cell of its row", "与同行另一格矛盾" } },
	{ { "contradicts the case of its row", "与该行的规模矛盾" } },
	{ { "is not a count", "不是个数" } },
	{ { "is not nodes times GPUs of each",
	    "不等于节点数乘每节点 GPU 数" } },
	{ { "the GPUs do not spread evenly over the nodes ('GPUs' counts those "
	    "of all nodes)",
	    "GPU 不能均分到各节点（“GPUs”是全部节点的数目）" } },
	{ { "is followed by more than a unit", "单位之后还有其他内容" } },
	{ { "its unit is none of its column's", "其单位与该列不符" } },
	{ { "is no number", "不是数" } },
	{ { "holds several numbers", "含有多个数" } },
	{ { "is neither a number nor a word", "既不是数，也不是词" } },
	{ { "begins a row with more cells than the header has",
	    "此行的单元格多于表头" } },
	/* What a check found, and from what: report/check/. */
	{ { "'@' is taken to be over the row that prints 1, for each '@'",
	    "视“@1”以打印 1 的行为基准，每个“@2”各有其一" } },
	{ { "'@' is taken to be over the row that prints 1, for each number of "
	    "GPUs",
	    "视“@1”以打印 1 的行为基准，每种 GPU 数各有其一" } },
	{ { "'@' is taken to be over the row that prints 1",
	    "视“@1”以打印 1 的行为基准" } },
	{ { "not stated, and taken to be as in the results: @; --select "
	    "chooses among these",
	    "未说明，视为与结果相同：@1；可用 --select 从中选择" } },
	{ { "over @ GPU@ here, over @ in the results",
	    "此处以 @1 卡为基准，结果中以 @3 卡为基准" } },
	{ { "no case of the results is of it", "结果中没有相应的规模" } },
	{ { "@ cases of the results may be meant",
	    "可能指结果中的 @1 个规模" } },
	{ { "speedup of @ in @", "@2 中 @1 的加速比" } },
	{ { "efficiency of @ in @", "@2 中 @1 的效率" } },
	{ { "median of @ in @", "@2 中 @1 的中位数" } },
	{ { "@ cells that are computed with it do not follow; with this value "
	    "they do",
	    "由它算出的 @1 格都不一致；换成此值则一致" } },
	{ { "@; @ of @ speedups imply this baseline, which is not in the table",
	    "@1；@3 个加速比中有 @2 个指向此基准，而表中没有它" } },
	{ { "its baseline, or what it is a quotient of, is not in the table",
	    "表中没有它的基准，也没有可相除得出它的数" } },
	{ { "its baseline is not in the table", "表中没有它的基准" } },
	{ { "neither a speed nor a speedup is next to it",
	    "同行既没有速度，也没有加速比" } },
	{ { "no time of it and of its baseline is in the table",
	    "表中没有它与其基准的时间" } },
	{ { "no two numbers of one kind come before it",
	    "它之前没有两个同类的数" } },
	{ { "the times that it is a share of are not all there",
	    "它所占份额的各项时间不全" } },
	{ { "@; printed is @ / @ s, the time cut",
	    "@1；表中是 @2 / @3 s，即时间被截断" } },
	{ { "@ samples / @ s", "@1 个样本 / @2 s" } },
	{ { "@ of @ in all", "总计 @2 中的 @1" } },
	{ { "@ (for @)@", "@1（原为 @2）@3" } },
};

struct sentence_part {
	const char *text;
	size_t len;
};

/* The first place of a text of n bytes in one of len; NULL: none. */
static const char *
find_text(const char *in, size_t len, const char *text, size_t n)
{
	for (size_t i = 0; i + n <= len; i++)
		if (memcmp(in + i, text, n) == 0)
			return in + i;
	return NULL;
}

/* Does text fit the pattern?  Each '@' ends where what follows it in the
 * pattern comes first, the last one where the text's end fits; it may be
 * nothing.
 *
 * parts  [MAX_PARTS] set to what stands for each '@' */
static int
is_like(const char *pattern, const char *text, size_t len,
    struct sentence_part *parts)
{
	size_t plain = strcspn(pattern, "@");

	if (len < plain || memcmp(text, pattern, plain) != 0)
		return 0;
	pattern += plain, text += plain, len -= plain;
	while (*pattern == '@') {
		const char *next = ++pattern, *at;

		plain = strcspn(next, "@");
		if (next[plain] != '\0')
			at = find_text(text, len, next, plain);
		else
			at = len < plain ? NULL : text + len - plain;
		if (at == NULL || memcmp(at, next, plain) != 0)
			return 0;
		*parts++ = (struct sentence_part){ text, (size_t)(at - text) };
		len -= (size_t)(at - text) + plain;
		text = at + plain;
		pattern += plain;
	}
	return len == 0;
}

static void add_known(
    struct strbuf *sb, const char *text, size_t len, enum language lang);

/* A sentence with its parts, which may be sentences themselves, but for names,
 * which stand in quotes. */
static void
add_filled(struct strbuf *sb, const char *text,
    const struct sentence_part *parts, enum language lang)
{
	static const char quote[] = "“";
	const size_t len = sizeof quote - 1;

	for (const char *from = text; *text != '\0'; text++) {
		const struct sentence_part *part;
		const char *before = text;

		if (*text != '@') {
			strbuf_addch(sb, *text);
			continue;
		}
		part = &parts[*++text - '1'];
		if ((size_t)(before - from) >= len &&
		    memcmp(before - len, quote, len) == 0)
			strbuf_add(sb, part->text, part->len);
		else
			add_known(sb, part->text, part->len, lang);
	}
}

static void
add_known(struct strbuf *sb, const char *text, size_t len, enum language lang)
{
	struct sentence_part parts[MAX_PARTS];

	for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++)
		if (is_like(
			sentences[i].texts[LANGUAGE_EN], text, len, parts)) {
			add_filled(sb, sentences[i].texts[lang], parts, lang);
			return;
		}
	strbuf_add(sb, text, len);
}

const char *
sentence_text(struct arena *a, const char *english, enum language lang)
{
	struct strbuf sb;
	const char *text;

	if (lang == LANGUAGE_EN || strlen(english) > MAX_TEXT / 8)
		return english;
	strbuf_init(&sb, MAX_TEXT);
	add_known(&sb, english, strlen(english), lang);
	text = arena_strdup(a, sb.buf);
	strbuf_release(&sb);
	return text;
}
