/* The header's fields, a row each. checkpoint.c writes and reads by it,
 * resume.c compares. */
#include <config.h>

#include "trainer/run/checkpoint_fields.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"

enum checkpoint_field_kind { FIELD_TEXT, FIELD_LONG, FIELD_REAL, FIELD_HASH };

struct checkpoint_field {
	const char *name;
	enum checkpoint_field_kind kind;
	enum checkpoint_rule rule;
	size_t offset;
	double min, max; /* of numbers */
};

#define FIELD(name, kind, rule, min, max) \
	{ \
#name, FIELD_##kind, CHECKPOINT_##rule, \
		    offsetof(struct checkpoint, name), min, max \
	}

static const struct checkpoint_field fields[] = {
	FIELD(model, TEXT, NETWORK, 0, 0),
	FIELD(classes, LONG, NETWORK, 1, 1 << 20),
	FIELD(image, LONG, COURSE, 1, 1 << 20),
	FIELD(device, TEXT, COURSE, 0, 0),
	FIELD(precision, TEXT, COURSE, 0, 0),
	FIELD(lr, REAL, COURSE, 0, 1e308),
	FIELD(lr_step, LONG, COURSE, 1, 1e6),
	FIELD(momentum, REAL, COURSE, 0, 1),
	FIELD(weight_decay, REAL, COURSE, 0, 1),
	FIELD(seed, LONG, ORDER, 0, 9e15),
	FIELD(devices, LONG, ORDER, 1, CHECKPOINT_RANKS),
	FIELD(batch_per_device, LONG, ORDER, 1, 1 << 20),
	FIELD(batches_per_epoch, LONG, ORDER, 1, 9e15),
	FIELD(train_images, LONG, ORDER, 1, 9e15),
	FIELD(image_list, HASH, ORDER, 0, 0),
	FIELD(epoch, LONG, STATE, 0, 1 << 30),
	FIELD(batch, LONG, STATE, 0, 9e15),
	FIELD(step, LONG, STATE, 0, 9e15),
	FIELD(best_top1, REAL, STATE, -1, 100),
	FIELD(loss_scale, REAL, STATE, 0, 1e30),
	FIELD(loss_scale_good, LONG, STATE, 0, 1 << 30),
};

enum { N_FIELDS = sizeof fields / sizeof fields[0], VALUE_SIZE = 64 };

/* The fewest digits that give the same number back. */
static void
show_real(double x, char buf[VALUE_SIZE])
{
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(buf, VALUE_SIZE, "%.*g", digits, x);
		if (strtod(buf, NULL) == x)
			return;
	}
}

/* The value as text, exact. */
static char *
print_field(const struct checkpoint_field *f, const struct checkpoint *c,
    char buf[VALUE_SIZE])
{
	const void *at = (const char *)c + f->offset;
	uint64_t hash;
	double real;
	long whole;

	switch (f->kind) {
	case FIELD_TEXT:
		snprintf(buf, VALUE_SIZE, "%s", (const char *)at);
		break;
	case FIELD_LONG:
		memcpy(&whole, at, sizeof whole);
		snprintf(buf, VALUE_SIZE, "%ld", whole);
		break;
	case FIELD_REAL:
		memcpy(&real, at, sizeof real);
		show_real(real, buf);
		break;
	case FIELD_HASH:
		memcpy(&hash, at, sizeof hash);
		snprintf(buf, VALUE_SIZE, "%016llx", (unsigned long long)hash);
		break;
	}
	return buf;
}

/* The text as value.  Returns 0, or -1 if it is none. */
static int
parse_field(
    const struct checkpoint_field *f, const char *text, struct checkpoint *c)
{
	void *at = (char *)c + f->offset;
	unsigned long long hash;
	uint64_t bits;
	double real;
	long whole;
	int used = 0;

	switch (f->kind) {
	case FIELD_TEXT:
		if (strlen(text) >= CHECKPOINT_WORD)
			return -1;
		snprintf(at, CHECKPOINT_WORD, "%s", text);
		return 0;
	case FIELD_LONG:
		if (parse_long(text, (long)f->min, (long)f->max, &whole) != 0)
			return -1;
		memcpy(at, &whole, sizeof whole);
		return 0;
	case FIELD_REAL:
		if (parse_double(text, f->min, f->max, &real) != 0)
			return -1;
		memcpy(at, &real, sizeof real);
		return 0;
	case FIELD_HASH:
		if (sscanf(text, "%16llx%n", &hash, &used) != 1 ||
		    text[used] != '\0')
			return -1;
		bits = hash;
		memcpy(at, &bits, sizeof bits);
		return 0;
	}
	return -1;
}

void
checkpoint_fields_write(const struct checkpoint *c, struct strbuf *out)
{
	char value[VALUE_SIZE];

	for (int i = 0; i < N_FIELDS; i++)
		strbuf_printf(out, "%s=%s\n", fields[i].name,
		    print_field(&fields[i], c, value));
}

int
checkpoint_fields_read(char *text, struct checkpoint *c, struct error *e)
{
	memset(c, 0, sizeof *c);
	for (int i = 0; i < N_FIELDS; i++) {
		const struct checkpoint_field *f = &fields[i];
		const size_t n = strlen(f->name);
		char *end = strchr(text, '\n');

		if (end == NULL || strncmp(text, f->name, n) != 0 ||
		    text[n] != '=')
			return error_set(
			    e, ERROR_INPUT, "no '%s' in the header", f->name);
		*end = '\0';
		if (parse_field(f, text + n + 1, c) != 0)
			return error_set(e, ERROR_INPUT, "'%.40s' is no '%s'",
			    text + n + 1, f->name);
		text = end + 1;
	}
	if (*text != '\0')
		return error_set(
		    e, ERROR_INPUT, "more in the header than is known");
	return 0;
}

int
checkpoint_differ(const struct checkpoint *a, const struct checkpoint *b,
    unsigned rules, enum checkpoint_detail detail, struct strbuf *out)
{
	char left[VALUE_SIZE], right[VALUE_SIZE];
	int n = 0;

	for (int i = 0; i < N_FIELDS; i++) {
		const struct checkpoint_field *f = &fields[i];

		if ((f->rule & rules) == 0 ||
		    strcmp(print_field(f, a, left), print_field(f, b, right)) ==
			0)
			continue;
		if (detail == CHECKPOINT_NAMES)
			strbuf_printf(out, "%s%s", n > 0 ? "," : "", f->name);
		else
			strbuf_printf(out, "%s%s is %s, not %s",
			    n > 0 ? "; " : "", f->name, left, right);
		n++;
	}
	return n;
}
