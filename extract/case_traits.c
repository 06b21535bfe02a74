/* Columns that set cases apart; show.c and show_collectives.c ask. */
#include <config.h>

#include "extract/case_traits.h"

#include <string.h>

#include "extract/log/natural.h"

enum { MAX_TEXT = 1 << 16 };

const char *const case_trait_heads[N_CASE_TRAITS] = { "framework", "model",
	"precision", "batch", "labels", "rule", "unit" };

static const char *
labels_text(const struct result_case *c, struct strbuf *sb)
{
	strbuf_reset(sb);
	for (size_t i = 0; i < c->n_labels; i++) {
		const struct result_pair *l = &c->labels[i];
		const int is_switch = strcmp(l->value, "true") == 0;

		strbuf_printf(sb, "%s%s%s%s", i > 0 ? " " : "", l->key,
		    is_switch ? "" : "=", is_switch ? "" : l->value);
	}
	return sb->len > 0 ? sb->buf : NULL;
}

const char *
case_trait_of(
    const struct result_case *c, enum case_trait trait, struct strbuf *sb)
{
	switch (trait) {
	case CASE_TRAIT_FRAMEWORK:
		return c->framework;
	case CASE_TRAIT_MODEL:
		return c->model;
	case CASE_TRAIT_PRECISION:
		return c->precision;
	case CASE_TRAIT_RULE:
		return c->rule;
	case CASE_TRAIT_UNIT:
		if (c->work_unit == NULL)
			return c->unit;
		strbuf_reset(sb);
		strbuf_printf(sb, "%s of %s", c->unit, c->work_unit);
		return sb->buf;
	case CASE_TRAIT_LABELS:
		return labels_text(c, sb);
	default:
		break;
	}
	if (c->batch_size_per_device == RESULT_UNKNOWN)
		return NULL;
	strbuf_reset(sb);
	strbuf_printf(sb, "%ld", c->batch_size_per_device);
	return sb->buf;
}

int
case_traits_differ(const struct result *r, enum case_trait trait)
{
	struct strbuf a, b;
	int same = 1;

	strbuf_init(&a, MAX_TEXT);
	strbuf_init(&b, MAX_TEXT);
	for (size_t i = 1; i < r->n_cases && same; i++)
		same = natural_compare(case_trait_of(&r->cases[0], trait, &a),
			   case_trait_of(&r->cases[i], trait, &b)) == 0;
	strbuf_release(&a);
	strbuf_release(&b);
	return !same;
}
