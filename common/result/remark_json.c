#include <config.h>

#include "common/result/remark_json.h"

#include "common/result/result.h"

static void
write_argument(struct json_writer *j, const struct remark_parameter *p,
    const struct remark_arg *arg)
{
	if (p->type == REMARK_PLACE) {
		json_write_begin_object(j, p->name);
		json_write_string(j, "file", arg->text);
		json_write_double(j, "line", arg->number);
		json_write_end(j);
	} else if (p->type == REMARK_INNER) {
		remark_json_write(j, p->name, arg->inner);
	} else if (remark_is_number(p->type)) {
		json_write_double(j, p->name, arg->number);
	} else {
		json_write_string(j, p->name, arg->text);
	}
}

void
remark_json_write(
    struct json_writer *j, const char *key, const struct remark *r)
{
	const struct remark_row *row = &remark_rows[r->code];
	struct arena a = ARENA_INIT;

	json_write_begin_object(j, key);
	json_write_string(j, "code", row->name);
	json_write_begin_object(j, "args");
	for (size_t i = 0; i < REMARK_MAX_ARGS; i++) {
		const struct remark_parameter p = remark_parameter(r->code, i);

		if (p.type != REMARK_END && remark_has(r, i))
			write_argument(j, &p, &r->args[i]);
	}
	json_write_end(j);
	json_write_string(j, "text", remark_text(r, LANGUAGE_EN, &a));
	json_write_end(j);
	arena_release(&a);
}

static int
read_inner(const struct json_value *args, const char *key,
    struct remark_arg *arg, struct arena *a, struct error *e)
{
	struct json_value v;
	struct remark *inner;

	if (json_read_object(args, key, &v, e) != 0)
		return -1;
	if (v.json == NULL)
		return 0;
	inner = arena_calloc(a, 1, sizeof *inner);
	arg->inner = inner;
	return remark_json_read(&v, inner, a, e);
}

static int
read_place(const struct json_value *args, const char *key,
    struct remark_arg *arg, struct arena *a, struct error *e)
{
	struct json_value v;

	if (json_read_require(args, key, e) != 0 ||
	    json_read_object(args, key, &v, e) != 0 ||
	    json_read_require(&v, "file", e) != 0 ||
	    json_read_string(&v, "file", a, &arg->text, e) != 0)
		return -1;
	return json_read_double(
	    &v, "line", 0, RESULT_NUMBER_MAX, &arg->number, e);
}

static int
read_argument(const struct json_value *args, const struct remark_parameter *p,
    struct remark_arg *arg, struct arena *a, struct error *e)
{
	if (p->type == REMARK_PLACE)
		return read_place(args, p->name, arg, a, e);
	if (p->type == REMARK_INNER)
		return read_inner(args, p->name, arg, a, e);
	if (remark_is_number(p->type))
		return json_read_double(args, p->name, -RESULT_NUMBER_MAX,
		    RESULT_NUMBER_MAX, &arg->number, e);
	return json_read_string(args, p->name, a, &arg->text, e);
}

struct remark
remark_of_sentence(const char *sentence)
{
	return REMARK(REMARK_OTHER, remark_name(sentence));
}

int
remark_json_read(const struct json_value *v, struct remark *out,
    struct arena *a, struct error *e)
{
	struct json_value args;
	const char *code, *text;

	if (json_read_is_object(v, e) != 0 ||
	    json_read_require(v, "code", e) != 0 ||
	    json_read_string(v, "code", a, &code, e) != 0)
		return -1;
	*out = remark_plain(remark_find(code));
	if (out->code == REMARK_NONE) {
		if (json_read_require(v, "text", e) != 0 ||
		    json_read_string(v, "text", a, &text, e) != 0)
			return -1;
		*out = remark_of_sentence(text);
		return 0;
	}
	if (json_read_object(v, "args", &args, e) != 0)
		return -1;
	for (size_t i = 0; i < REMARK_MAX_ARGS; i++) {
		const struct remark_parameter p =
		    remark_parameter(out->code, i);

		if (p.type != REMARK_END &&
		    read_argument(&args, &p, &out->args[i], a, e) != 0)
			return -1;
	}
	return 0;
}
