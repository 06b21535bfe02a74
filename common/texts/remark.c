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

int
remark_is_number(enum remark_type type)
{
	return type >= REMARK_COUNT && type <= REMARK_CHANGE;
}

int
remark_has(const struct remark *r, size_t i)
{
	const enum remark_type type = remark_rows[r->code].parameters[i].type;

	if (remark_is_number(type))
		return !isnan(r->args[i].number);
	return type == REMARK_INNER ? r->args[i].inner != NULL
				    : r->args[i].text != NULL;
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
add_argument(const struct rendering *x, size_t i)
{
	const struct remark_arg *arg = &x->r->args[i];
	const enum remark_type type = x->row->parameters[i].type;

	if (remark_is_number(type) && (x->varied & 1U << i))
		strbuf_printf(x->sb, "%s...",
		    type != REMARK_CHANGE ? ""
			: arg->number < 0 ? "-"
					  : "+");
	else if (remark_is_number(type))
		add_number(x, i);
	else if (!remark_has(x->r, i))
		strbuf_addstr(x->sb, "?");
	else if (type == REMARK_INNER)
		remark_add(x->sb, arg->inner, 0, x->lang);
	else if (type == REMARK_WORD)
		strbuf_addstr(x->sb, remark_word(arg->text, x->lang));
	else
		strbuf_addstr(x->sb, arg->text);
}

/* Add "{name}" or "{name?one|many}" from after its brace on.  Returns its
 * end.
 *
 * lacks  set to 1 if the argument is unknown */
static const char *
add_braces(const struct rendering *x, const char *p, int *lacks)
{
	size_t len;
	const size_t i = find_argument(x, p, &len);
	const double number = x->r->args[i].number;
	const char *end = strchr(p, '}');

	*lacks |= !remark_has(x->r, i);
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

static void
cut_back(struct strbuf *sb, size_t len)
{
	if (sb->len > len) {
		sb->len = len;
		sb->buf[len] = '\0';
	}
}

static const char *add_template(
    const struct rendering *x, const char *p, int *lacks);

/* Add the part whose '[' is before p, or what it has for the case that an
 * argument is unknown.  Returns its end. */
static const char *
add_part(const struct rendering *x, const char *p)
{
	size_t len = x->sb->len;
	int lacks = 0, ignored = 0;

	p = add_template(x, p, &lacks);
	if (lacks)
		cut_back(x->sb, len);
	if (*p == '|') {
		len = x->sb->len;
		p = add_template(x, p + 1, &ignored);
		if (!lacks)
			cut_back(x->sb, len);
	}
	return p + 1;
}

/* Add the text up to its end, or to the end of the part that it is in.
 * Returns that place.
 *
 * lacks  set to 1 if an argument is unknown, but for those of parts in it */
static const char *
add_template(const struct rendering *x, const char *p, int *lacks)
{
	while (*p != '\0' && *p != ']' && *p != '|') {
		if (*p == '{')
			p = add_braces(x, p + 1, lacks);
		else if (*p == '[')
			p = add_part(x, p + 1);
		else
			strbuf_addch(x->sb, *p++);
	}
	return p;
}

static void
add_sentence(struct strbuf *sb, const struct remark *r, unsigned varied,
    enum language lang)
{
	const struct remark_row *row = &remark_rows[r->code];
	const struct rendering x = { sb, r, row, varied, lang };
	int ignored = 0;

	(void)add_template(&x, row->texts[lang], &ignored);
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

	if (place != NULL)
		strbuf_printf(sb, "%s:%.0f%s", place->text, place->number,
		    message(MESSAGE_COLON, lang));
	add_sentence(sb, r, varied, lang);
}

/* The sentence in a, with or without its place. */
static const char *
sentence_of(const struct remark *r, enum language lang, struct arena *a,
    void (*add)(struct strbuf *sb, const struct remark *r, unsigned varied,
	enum language lang))
{
	struct strbuf sb;
	const char *text;

	strbuf_init(&sb, MAX_TEXT);
	add(&sb, r, 0, lang);
	text = arena_strdup(a, sb.buf);
	strbuf_release(&sb);
	return text;
}

const char *
remark_text(const struct remark *r, enum language lang, struct arena *a)
{
	return sentence_of(r, lang, a, remark_add);
}

const char *
remark_rest(const struct remark *r, enum language lang, struct arena *a)
{
	return sentence_of(r, lang, a, add_sentence);
}

const char *
remark_place(const struct remark *r, struct arena *a)
{
	const struct remark_arg *place = place_of(r);

	return place == NULL
	    ? NULL
	    : arena_printf(a, "%s:%.0f", place->text, place->number);
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

		if (remark_is_number(all[i].type) &&
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

		if (!remark_is_number(row->parameters[i].type))
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
