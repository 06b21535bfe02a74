#include <config.h>

#include "common/texts/remark.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "common/units/units.h"

enum { MAX_TEXT = 1 << 16 };

enum remark_code
remark_find(const char *name)
{
	for (int i = REMARK_OTHER; i < N_REMARKS; i++)
		if (strcmp(remark_rows[i].name, name) == 0)
			return (enum remark_code)i;
	return REMARK_NONE;
}

/* While a sentence is made. */
struct rendering {
	struct strbuf *sb;
	const struct remark *r;
	const struct remark_row *row;
	unsigned varied;
	enum language lang;
};

/* The number of the argument with the name that begins at p, and its end. */
static size_t
find_argument(const struct rendering *x, const char *p, size_t *len)
{
	const struct remark_parameter *all = x->row->parameters;
	size_t i = 0;

	*len = strcspn(p, "?}");
	while (all[i].type != REMARK_END &&
	    (strncmp(all[i].name, p, *len) != 0 || all[i].name[*len] != '\0'))
		i++;
	assert(all[i].type != REMARK_END);
	return i;
}

static int
is_number(enum remark_type type)
{
	return type == REMARK_COUNT || type == REMARK_NUMBER ||
	    type == REMARK_FIXED || type == REMARK_CHANGE;
}

static int
is_known(const struct rendering *x, size_t i)
{
	const struct remark_arg *arg = &x->r->args[i];
	const enum remark_type type = x->row->parameters[i].type;

	if (is_number(type))
		return !isnan(arg->number);
	return type == REMARK_INNER ? arg->inner != NULL : arg->text != NULL;
}

/* The bound on whose side a number must be printed; NAN: none. */
static double
limit_of(const struct rendering *x)
{
	const struct remark_parameter *all = x->row->parameters;

	for (size_t i = 0; all[i].type != REMARK_END; i++)
		if (strcmp(all[i].name, "limit") == 0)
			return x->r->args[i].number;
	return NAN;
}

/* Argument i, a number, as it is printed. */
static void
add_number(const struct rendering *x, size_t i)
{
	const struct remark_parameter *p = &x->row->parameters[i];
	const double number = x->r->args[i].number, limit = limit_of(x);
	const int decimals = isnan(limit)
	    ? p->digits
	    : decimals_apart(fabs(number), limit, p->digits);

	if (isnan(number))
		strbuf_addstr(x->sb, "?");
	else if (p->type == REMARK_COUNT)
		strbuf_printf(x->sb, "%.0f", number);
	else if (p->type == REMARK_NUMBER && fabs(number) < pow(10, p->digits))
		strbuf_printf(x->sb, "%.*g", p->digits, number);
	else if (p->type == REMARK_NUMBER)
		strbuf_printf(x->sb, "%.0f", number);
	else
		strbuf_printf(x->sb,
		    p->type == REMARK_CHANGE ? "%+.*f" : "%.*f", decimals,
		    number);
}

static void
add_argument(struct rendering *x, size_t i)
{
	const struct remark_arg *arg = &x->r->args[i];
	const enum remark_type type = x->row->parameters[i].type;

	if (is_number(type) && (x->varied & 1U << i))
		strbuf_printf(x->sb, "%s...",
		    type != REMARK_CHANGE ? ""
			: arg->number < 0 ? "-"
					  : "+");
	else if (is_number(type))
		add_number(x, i);
	else if (!is_known(x, i))
		strbuf_addstr(x->sb, "?");
	else if (type == REMARK_INNER)
		remark_add(x->sb, arg->inner, 0, x->lang);
	else if (type == REMARK_WORD)
		strbuf_addstr(x->sb, remark_word(arg->text, x->lang));
	else
		strbuf_addstr(x->sb, arg->text);
}

/* Add "{name}" or "{name?one|many}" from after its brace on.  Returns its
 * end. */
static const char *
add_braces(struct rendering *x, const char *p)
{
	size_t len;
	const size_t i = find_argument(x, p, &len);
	const double number = x->r->args[i].number;
	const char *end = strchr(p, '}');

	p += len;
	if (*p == '?') {
		const char *many = strchr(p, '|') + 1;

		if (number > 1 || number < 1 || (x->varied & 1U << i))
			strbuf_add(x->sb, many, (size_t)(end - many));
		else
			strbuf_add(x->sb, p + 1, (size_t)(many - p - 2));
	} else
		add_argument(x, i);
	return end + 1;
}

/* Is an argument of the part unknown that begins at p, those of parts in it
 * aside? */
static int
lacks_argument(const struct rendering *x, const char *p)
{
	for (int depth = 0; depth > 0 || (*p != ']' && *p != '|'); p++) {
		size_t len;

		depth += (*p == '[') - (*p == ']');
		if (*p != '{')
			continue;
		if (depth == 0 && !is_known(x, find_argument(x, p + 1, &len)))
			return 1;
		p = strchr(p, '}');
	}
	return 0;
}

/* The end of the part that begins at p: its ']' or '|'. */
static const char *
part_end(const char *p)
{
	for (int depth = 0; depth > 0 || (*p != ']' && *p != '|'); p++) {
		depth += (*p == '[') - (*p == ']');
		if (*p == '{')
			p = strchr(p, '}');
	}
	return p;
}

/* Add the text from p to end. */
static void
add_template(struct rendering *x, const char *p, const char *end)
{
	while (p < end) {
		const char *first = p + 1, *middle, *last;

		if (*p == '{') {
			p = add_braces(x, p + 1);
			continue;
		}
		if (*p != '[') {
			strbuf_addch(x->sb, *p++);
			continue;
		}
		middle = part_end(first);
		last = *middle == '|' ? part_end(middle + 1) : middle;
		if (!lacks_argument(x, first))
			add_template(x, first, middle);
		else if (last > middle)
			add_template(x, middle + 1, last);
		p = last + 1;
	}
}

static void
add_sentence(struct strbuf *sb, const struct remark *r, unsigned varied,
    enum language lang)
{
	const struct remark_row *row = &remark_rows[r->code];
	const char *text = row->texts[lang];
	struct rendering x = { sb, r, row, varied, lang };

	add_template(&x, text, text + strlen(text));
}

/* The argument that is a place; NULL: none. */
static const struct remark_arg *
place_of(const struct remark *r)
{
	const struct remark_parameter *all = remark_rows[r->code].parameters;

	for (size_t i = 0; all[i].type != REMARK_END; i++)
		if (all[i].type == REMARK_PLACE && r->args[i].text != NULL)
			return &r->args[i];
	return NULL;
}

void
remark_add(struct strbuf *sb, const struct remark *r, unsigned varied,
    enum language lang)
{
	const struct remark_arg *place = place_of(r);

	if (r->code == REMARK_NONE)
		return;
	if (place != NULL)
		strbuf_printf(sb, "%s:%.0f%s", place->text, place->number,
		    message(MESSAGE_COLON, lang));
	add_sentence(sb, r, varied, lang);
}

const char *
remark_text(const struct remark *r, enum language lang, struct arena *a)
{
	struct strbuf sb;
	const char *text;

	strbuf_init(&sb, MAX_TEXT);
	remark_add(&sb, r, 0, lang);
	text = arena_strdup(a, sb.buf);
	strbuf_release(&sb);
	return text;
}

const char *
remark_place(const struct remark *r, struct arena *a)
{
	const struct remark_arg *place = place_of(r);

	return place == NULL
	    ? NULL
	    : arena_printf(a, "%s:%.0f", place->text, place->number);
}

const char *
remark_rest(const struct remark *r, enum language lang, struct arena *a)
{
	struct strbuf sb;
	const char *text;

	strbuf_init(&sb, MAX_TEXT);
	if (r->code != REMARK_NONE)
		add_sentence(&sb, r, 0, lang);
	text = arena_strdup(a, sb.buf);
	strbuf_release(&sb);
	return text;
}

static int
same_texts(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

int
remark_is_alike(const struct remark *a, const struct remark *b)
{
	const struct remark_parameter *all = remark_rows[a->code].parameters;

	if (a->code != b->code)
		return 0;
	for (size_t i = 0; all[i].type != REMARK_END; i++) {
		const struct remark_arg *x = &a->args[i], *y = &b->args[i];

		if (is_number(all[i].type) &&
		    isnan(x->number) == isnan(y->number) &&
		    (all[i].type != REMARK_CHANGE ||
			(x->number < 0) == (y->number < 0)))
			continue;
		if (!same_texts(x->text, y->text) || x->number < y->number ||
		    x->number > y->number ||
		    (x->inner == NULL) != (y->inner == NULL) ||
		    (x->inner != NULL && !remark_is_alike(x->inner, y->inner)))
			return 0;
	}
	return 1;
}

unsigned
remark_varied(const struct remark *a, const struct remark *b)
{
	const struct remark_row *row = &remark_rows[a->code];
	struct strbuf text;
	unsigned varied = 0;

	strbuf_init(&text, MAX_TEXT);
	for (unsigned i = 0; row->parameters[i].type != REMARK_END; i++) {
		const struct rendering x = { &text, a, row, 0, LANGUAGE_EN };
		const struct rendering y = { &text, b, row, 0, LANGUAGE_EN };
		size_t len;

		if (!is_number(row->parameters[i].type))
			continue;
		strbuf_reset(&text);
		add_number(&x, i);
		len = text.len;
		add_number(&y, i);
		if (text.len != 2 * len ||
		    memcmp(text.buf, text.buf + len, len) != 0)
			varied |= 1U << i;
	}
	strbuf_release(&text);
	return varied;
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
			struct remark *inner = arena_alloc(a, sizeof *inner);

			*inner = remark_copy(arg->inner, a);
			arg->inner = inner;
		}
	}
	return copy;
}
