#include <config.h>

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/json/json.h"
#include "common/result/case_text.h"
#include "common/result/work_rate.h"
#include "common/result/record_fields.h"
#include "common/result/result.h"
#include "common/text.h"
#include "tests/golden.h"
#include "tests/tap.h"
#include "tests/unit/said.h"

/* The JSON form of r; the caller frees it. */
static char *
written(const struct result *r, size_t *len)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, len);

	CHECK(f != NULL);
	CHECK_INT(result_write(r, f, NULL), 0);
	CHECK_INT(fclose(f), 0);
	return text;
}

static void
fill_run(struct arena *a, struct result_run *run, int i)
{
	const struct remark flags[] = { REMARK(
					    REMARK_SAMPLED, remark_number(10)),
		REMARK(REMARK_EPOCHS, remark_number(0), remark_number(1)) };

	result_run_init(run);
	run->run = arena_printf(a, "%d", i + 1);
	run->path = arena_printf(a, "4n8g/r50_b128_fp32_%d.log", i + 1);
	run->samples_per_s = 9876.5432100000001 + i;
	run->value = run->samples_per_s;
	run->step_s = 4096 / run->samples_per_s;
	run->iterations = 100;
	run->first_iteration = 25;
	run->last_iteration = 124;
	run->first_line = 30;
	run->last_line = 129;
	run->ranks_seen = 32;
	if (i > 0)
		return;
	run->n_flags = 2;
	run->flags = arena_calloc(a, 2, sizeof *run->flags);
	memcpy(run->flags, flags, sizeof flags);
	run->rounding = (struct result_rounding){ 9500.5, 9990.5 };
	run->audit = (struct result_audit){ 40, -0.001, 0.01, 0.02, 0.4, 0.41,
		0.45, 1.2, 0.03, 0.011, -0.02 };
	run->n_sources = 2;
	run->sources = arena_calloc(a, 2, sizeof *run->sources);
	run->sources[0] = (struct result_pair){ "nodes", "path" };
	run->sources[1] = (struct result_pair){ "model", "option" };
	run->framework_version = "2.1.0";
	run->device = "NVIDIA H100 80GB HBM3";
	run->n_settings = 1;
	run->settings = arena_calloc(a, 1, sizeof *run->settings);
	run->settings[0] = (struct result_pair){ "hidden_size", "4096" };
	run->n_collectives = 1;
	run->collectives = arena_calloc(a, 1, sizeof *run->collectives);
	run->collectives[0] = (struct result_collective){ "all_reduce_perf",
		"in-place", 1 << 20, 12, 4e-5, 26.21, 45.87, 7, 2,
		{ 3.5e-5, 6e-5, 7e-5, 3, 1.25 } };
	run->phases = (struct result_phases){ 0.4125, 0.0015, 0.125, 0.0625,
		102228128, 5, 0.001, 0.15, 0.002, 0.25, 0.0078125 };
	run->times = (struct result_times){ 173.341, 170.806, 3.649 };
	run->network = (struct result_network){ 0.32625, NAN };
	run->session = (struct result_session){ "2026-11-20T23:04:29Z", NULL,
		"gpu-03", "4711", 0, 0 };
	run->n_metrics = 2;
	run->metrics = arena_calloc(a, 2, sizeof *run->metrics);
	run->metrics[0] =
	    (struct result_metric){ "mfu", 41.25, "%", "log line 7" };
	run->metrics[1] = (struct result_metric){ "final_loss", 0, "", NULL };
	run->n_buckets = 2;
	run->buckets = arena_calloc(a, 2, sizeof *run->buckets);
	run->buckets[0] =
	    (struct result_bucket){ 26214400, 0.125, 0.126, 0.03125 };
	run->buckets[1] = (struct result_bucket){ 76013728, NAN, 0.25, 0.0625 };
}

static void
fill_case(struct arena *a, struct result_case *c)
{
	struct remark *stalls;
	size_t i;

	result_case_init(c);
	c->name = "4n8g";
	c->framework = "pytorch";
	c->model = "resnet50";
	c->precision = "fp32";
	c->batch_size_per_device = 128;
	c->nodes = 4;
	c->gpus_per_node = 8;
	c->gpus = 32;
	c->n_labels = 2;
	c->labels = arena_calloc(a, 2, sizeof *c->labels);
	c->labels[0] = (struct result_pair){ "fusion", "64 MiB" };
	c->labels[1] = (struct result_pair){ "note", NULL };
	c->rule = "window";
	c->unit = "samples/s";
	c->work_unit = "tokens";
	c->score = RESULT_OLYMPIC;
	c->n_runs = 3;
	c->runs = arena_calloc(a, 3, sizeof *c->runs);
	for (i = 0; i < 3; i++)
		fill_run(a, &c->runs[i], (int)i);
	case_summarise(c, 0.95);
	c->baseline = "1n1g";
	c->baseline_flag = 1;
	c->speedup = 1.0 / 3;
	c->speedup_low = 0.33;
	c->speedup_high = 0.34;
	c->speedup_level = 0.9683;
	c->efficiency = 1.0 / 96;
	stalls = arena_calloc(a, 1, sizeof *stalls);
	*stalls = REMARK(REMARK_STALLS, remark_number(40), remark_number(5));
	c->n_flags = 1;
	c->flags = arena_calloc(a, 1, sizeof *c->flags);
	c->flags[0] =
	    REMARK(REMARK_BASELINE_DOUBT, remark_name("1n1g"), remark_number(2),
		remark_number(5), remark_inner(stalls), remark_number(1));
}

/* A result with a value in every record. */
static void
fill_result(struct result *r)
{
	struct arena *a = &r->arena;
	struct remark *inner;

	result_init(r);
	r->tool_name = "extract_logs";
	r->tool_version = "0.1.0";
	r->rule = (struct result_rule){ "window", 5, 20, 120, 0, "auto", "time",
		"throughput", "dgxc", "weak", "1n1g", 0.95, NULL, 1 };
	r->rule.more = arena_calloc(a, 1, sizeof *r->rule.more);
	r->rule.more[0] = (struct result_pair){ "rate_scope", "node" };
	r->n_inputs = 2;
	r->inputs = arena_calloc(a, 2, sizeof *r->inputs);
	r->inputs[0] = (struct result_input){ "4n8g/r50_b128_fp32_1.log", 12345,
		"99aa06d3014798d86001c324468d497f", "pytorch-imagenet", 1 };
	r->inputs[1] =
	    (struct result_input){ "\xe5\x8a\xa0\"\\\n.log", 0, NULL, NULL, 0 };
	r->n_cases = 1;
	r->cases = arena_calloc(a, 1, sizeof *r->cases);
	fill_case(a, &r->cases[0]);
	r->n_excluded = 1;
	r->excluded = arena_calloc(a, 1, sizeof *r->excluded);
	inner = arena_calloc(a, 1, sizeof *inner);
	*inner = REMARK(REMARK_TOO_FEW, remark_number(20), remark_number(120));
	r->excluded[0] = (struct result_excluded){ "8n8g/r50_b128_fp32_1.log",
		EXCLUDED_OUT_OF_MEMORY,
		.why = REMARK(REMARK_OUT_OF_MEMORY,
		    remark_at("8n8g/r50_b128_fp32_1.log", 7),
		    remark_name("CUDA out of memory"),
		    remark_name(EXCLUDED_SHORT), remark_inner(inner)) };
	r->excluded[0].hint =
	    REMARK(REMARK_PASS, remark_name("--train-batches=20"));
	r->excluded[0].failed = (struct result_failed){ 7, "8n8g", "pytorch",
		"resnet50", "fp32", 128, 8, 8, 64, NULL, 1 };
	r->excluded[0].failed.labels = arena_calloc(a, 1, sizeof *r->rule.more);
	r->excluded[0].failed.labels[0] =
	    (struct result_pair){ "backend", "nccl" };
}

#define FULL "tests/fuzz/corpus/result/full.json"

static void
test_written(void)
{
	struct result r;
	size_t len;
	char *text;

	fill_result(&r);
	text = written(&r, &len);
	CHECK_INT(strlen(text), len);
	golden_check(text, FULL);
	free(text);
	result_release(&r);
	CHECK(r.n_cases == 0 && r.cases == NULL && isnan(r.rule.confidence));
}

static void
test_there_and_back(void)
{
	struct error e = ERROR_INIT;
	struct result r, again;
	const struct result_case *c;
	size_t len, n;
	char *text, *copy;

	fill_result(&r);
	text = written(&r, &len);
	if (result_parse("full.json", text, len, &again, &e) != 0)
		CHECK_STR(e.message, "");
	CHECK_STR(again.file, "full.json");
	CHECK_STR(again.inputs[1].path, "\xe5\x8a\xa0\"\\\n.log");
	CHECK(again.inputs[1].hash == NULL);
	c = &again.cases[0];
	CHECK_NEAR(c->speedup, 1.0 / 3, 0);
	CHECK_INT(c->baseline_flag, 1);
	CHECK_INT(c->labels[1].value == NULL, 1);
	CHECK_STR(said(&c->runs[0].flags[1]),
	    "epochs 0\xe2\x80\x93"
	    "1");
	CHECK_NEAR(c->runs[0].audit.p95, 0.45, 0);
	CHECK_INT(c->runs[0].n_collectives, 1);
	CHECK_STR(c->runs[0].collectives[0].kind, "in-place");
	CHECK_NEAR(c->runs[0].collectives[0].bus_gb_per_s, 45.87, 0);
	CHECK_INT(c->runs[0].collectives[0].line, 7);
	CHECK_INT(c->runs[0].collectives[0].test, 2);
	CHECK_INT(c->runs[1].n_collectives, 0);
	CHECK_NEAR(c->runs[0].phases.exposed_s, 0.0625, 0);
	CHECK_NEAR(c->runs[0].phases.bytes_per_step, 102228128, 0);
	CHECK_NEAR(c->runs[0].phases.allreduces, 5, 0);
	CHECK_NEAR(c->runs[0].phases.update_s, 0.0078125, 0);
	CHECK_NEAR(c->runs[0].times.user_s, 170.806, 0);
	CHECK_NEAR(c->runs[0].network.received_gb_per_s, 0.32625, 0);
	CHECK_STR(c->runs[0].session.started, "2026-11-20T23:04:29Z");
	CHECK(c->runs[0].session.ended == NULL);
	CHECK_STR(c->runs[0].session.host, "gpu-03");
	CHECK_STR(c->runs[0].session.job, "4711");
	CHECK(isnan(c->runs[0].network.sent_gb_per_s));
	CHECK(isnan(c->runs[1].times.real_s));
	CHECK_INT(c->runs[0].n_metrics, 2);
	CHECK_STR(c->runs[0].metrics[0].name, "mfu");
	CHECK_NEAR(c->runs[0].metrics[0].value, 41.25, 0);
	CHECK_STR(c->runs[0].metrics[0].source, "log line 7");
	CHECK(c->runs[0].metrics[1].source == NULL);
	CHECK_INT(c->runs[0].n_buckets, 2);
	CHECK_NEAR(c->runs[0].buckets[0].duration_s, 0.03125, 0);
	CHECK(isnan(c->runs[0].buckets[1].ready_s));
	CHECK(isnan(c->runs[1].phases.step_s));
	CHECK_INT(c->runs[1].n_buckets, 0);
	CHECK(isnan(c->runs[1].audit.p95));
	CHECK(c->runs[1].audit.settled_at == RESULT_UNKNOWN);
	CHECK_STR(c->runs[0].sources[0].key, "nodes");
	CHECK_STR(c->runs[0].framework_version, "2.1.0");
	CHECK_STR(c->runs[0].device, "NVIDIA H100 80GB HBM3");
	CHECK_STR(again.excluded[0].reason, EXCLUDED_OUT_OF_MEMORY);
	CHECK_INT(again.excluded[0].failed.line, 7);
	CHECK_STR(again.excluded[0].failed.labels[0].value, "nccl");
	CHECK_INT(again.rule.n_more, 0);
	again.rule.more = r.rule.more; /* the reader skips these keys */
	again.rule.n_more = r.rule.n_more;
	copy = written(&again, &n);
	CHECK_STR(copy, text);
	free(copy);
	free(text);
	result_release(&r);
	result_release(&again);
}

/* Unknown fields are still unknown after writing and parsing. */
static void
test_nothing_known(void)
{
	struct error e = ERROR_INIT;
	struct result r, again;
	size_t len, n;
	char *text, *copy;

	result_init(&r);
	text = written(&r, &len);
	CHECK_INT(result_parse("x", text, len, &again, &e), 0);
	CHECK(again.tool_name == NULL && again.n_cases == 0);
	CHECK(again.rule.skip_iterations == RESULT_UNKNOWN);
	CHECK(isnan(again.rule.confidence));
	copy = written(&again, &n);
	CHECK_STR(copy, text);
	free(copy);
	free(text);
	result_release(&again);
}

#define INTERVAL "its interval has one end, or does not hold it"
#define HEAD "{\"schema\": \"dlscale-result/1\", \"cases\": ["
#define CASE "\"case\": \"1n1g\", \"unit\": \"samples/s\", "
#define GOOD "{" CASE "\"n\": 1, \"median_speed\": 5}"

/* Unknown keys of a newer version and missing keys are accepted. */
static void
test_tolerant(void)
{
	static const char text[] =
	    HEAD "{" CASE "\"n\": 1, "
		 "\"median_speed\": 5, \"phases\": {\"a\": 1},"
		 "\"runs\": null, \"labels\": null}],"
		 "\"rule\": {\"rule\": \"window\","
		 "\"new_number\": 3, \"new_word\": \"x\"},"
		 "\"new\": []}";
	struct error e = ERROR_INIT;
	struct result r;

	if (result_parse("t.json", text, strlen(text), &r, &e) != 0)
		CHECK_STR(e.message, "");
	CHECK_NEAR(r.cases[0].median_speed, 5, 0);
	CHECK_INT(r.cases[0].n_runs, 0);
	CHECK(r.cases[0].gpus == RESULT_UNKNOWN);
	CHECK(r.rule.train_batches == RESULT_UNKNOWN);
	result_release(&r);
}

/* Remarks of other versions: an unknown code, and a known code without the
 * arguments that its sentence needs, keep the text of the file. */
static void
test_remarks_of_other_versions(void)
{
	static const char *const codes[] = { "a-new-code", "batch-of-device" };
	struct error e = ERROR_INIT;
	struct arena a = ARENA_INIT;

	for (size_t i = 0; i < 2; i++) {
		const char *text = arena_printf(&a,
		    HEAD "{" CASE "\"n\": 1, \"median_speed\": 5, \"runs\": "
			 "[{\"run\": \"1\", \"path\": \"a\", \"value\": 5, "
			 "\"flags\": [{\"code\": \"%s\", \"args\": "
			 "{\"batch\": 8}, \"text\": \"as it was\"}]}]}]}",
		    codes[i]);
		struct result r;

		if (result_parse("t.json", text, strlen(text), &r, &e) != 0)
			CHECK_STR(e.message, "");
		CHECK_INT(r.cases[0].runs[0].n_flags, 1);
		CHECK_STR(
		    remark_text(&r.cases[0].runs[0].flags[0], LANGUAGE_EN, &a),
		    "as it was");
		result_release(&r);
	}
	arena_release(&a);
}

static const struct {
	const char *json, *want;
} wrong[] = {
	{ "", "w.json:1:1: the text ends early" },
	{ "{\"schema\":", "w.json:1:11: the text ends early" },
	{ "[]", "w.json: an array is not an object" },
	{ "{}", "w.json: schema: missing" },
	{ "{\"r50\": {\"1n1g\": {\"speedup\": 1.0}}}",
	    "w.json: schema: missing" },
	{ "{\"schema\": 1}", "w.json: schema: 1 is not a string" },
	{ "{\"schema\": \"other/1\"}",
	    "w.json: schema: 'other/1' is not 'dlscale-result/2'" },
	{ "{\"schema\": \"dlscale-result/1\"}", "w.json: cases: missing" },
	{ "{\"schema\": \"dlscale-result/1\", \"cases\": {}}",
	    "w.json: cases: an object is not an array" },
	{ HEAD "7]}", "w.json: cases[0]: 7 is not an object" },
	{ HEAD "{}]}", "w.json: cases[0].case: missing" },
	{ HEAD "{\"case\": 8}]}", "w.json: cases[0].case: 8 is not a string" },
	{ HEAD "{\"case\": \"1n1g\"}]}", "w.json: cases[0].unit: missing" },
	{ HEAD "{" CASE "\"n\": -1}]}",
	    "w.json: cases[0].n: -1 is not a count" },
	{ HEAD "{" CASE "\"n\": 0}]}", "w.json: cases[0].n: 0 is not above 0" },
	{ HEAD "{" CASE "\"n\": 1}]}",
	    "w.json: cases[0].median_speed: missing" },
	{ HEAD "{" CASE "\"n\": 1, \"median_speed\": NaN}]}",
	    "w.json: cases[0].median_speed: NaN is not a finite number" },
	{ HEAD "{" CASE "\"n\": 1, \"median_speed\": \"5\"}]}",
	    "w.json: cases[0].median_speed: '5' is not a number" },
	{ HEAD "{" CASE "\"n\": 1, \"median_speed\": -0.5}]}",
	    "w.json: cases[0].median_speed: -0.5 is below 1e-100" },
	{ HEAD "{" CASE "\"n\": 1, \"median_speed\": 5, \"nodes\": 1.5}]}",
	    "w.json: cases[0].nodes: 1.5 is not a count" },
	{ HEAD "{" CASE "\"n\": 1, \"median_speed\": 5, \"nodes\": 2,"
	       "\"gpus_per_node\": 4, \"gpus\": 7}]}",
	    "w.json: cases[0].gpus: 7 is not 2 nodes times 4" },
	{ HEAD "{" CASE "\"n\": 1, \"median_speed\": 5, \"median_low\": 4}]}",
	    "w.json: cases[0].median_speed: " INTERVAL },
	{ HEAD "{" CASE "\"n\": 1, \"median_speed\": 5, \"median_high\": 4}]}",
	    "w.json: cases[0].median_speed: " INTERVAL },
	{ HEAD "{" CASE "\"n\": 1, \"median_speed\": 5, \"median_low\": 6,"
	       "\"median_high\": 7}]}",
	    "w.json: cases[0].median_speed: " INTERVAL },
	{ HEAD "{" CASE "\"n\": 1, \"median_speed\": 5, \"runs\": [{\"path\":"
	       " \"a\", \"value\": 5, \"rounding\": {\"low\": 4, \"high\":"
	       "4.5}}]}]}",
	    "w.json: cases[0].runs[0].rounding: " INTERVAL },
	{ HEAD "{" CASE "\"n\": 1, \"median_speed\": 5, \"speedup\": 3,"
	       "\"speedup_low\": 1, \"speedup_high\": 2}]}",
	    "w.json: cases[0].speedup: " INTERVAL },
	{ HEAD "{" CASE "\"n\": 1, \"median_speed\": 5,"
	       "\"median_level\": 1.5}]}",
	    "w.json: cases[0].median_level: 1.5 is above 1" },
	{ HEAD "{" CASE "\"n\": 1, \"median_speed\": 5,"
	       "\"baseline_flag\": 1}]}",
	    "w.json: cases[0].baseline_flag: 1 is neither true nor false" },
	{ HEAD "{" CASE "\"n\": 1, \"median_speed\": 5,"
	       "\"labels\": {\"odd key\": 3}}]}",
	    "w.json: cases[0].labels.odd key: 3 is not a string" },
	{ HEAD "{" CASE "\"n\": 1, \"median_speed\": 5, \"labels\": []}]}",
	    "w.json: cases[0].labels: an array is not an object" },
	{ HEAD "{" CASE "\"n\": 2, \"median_speed\": 5,"
	       "\"runs\": [{\"path\": \"a\", \"value\": 1}]}]}",
	    "w.json: cases[0].n: 2, but 'runs' has 1" },
	{ HEAD GOOD ", {" CASE "\"n\": 1, \"median_speed\": 5,"
		    "\"runs\": [{\"path\": \"a\"}]}]}",
	    "w.json: cases[1].runs[0].value: missing" },
	{ HEAD "{" CASE "\"n\": 1, \"median_speed\": 5,"
	       "\"runs\": [{\"path\": \"a\", \"value\": 1,"
	       "\"flags\": [\"x\", null]}]}]}",
	    "w.json: cases[0].runs[0].flags[1]: null is not an object" },
	{ HEAD "{" CASE "\"n\": 1, \"median_speed\": 5,"
	       "\"runs\": [{\"path\": \"a\", \"value\": 1,"
	       "\"audit\": {\"imbalance\": -1}}]}]}",
	    "w.json: cases[0].runs[0].audit.imbalance: -1 is below 0" },
	{ HEAD "], \"rule\": {\"confidence\": 95}}",
	    "w.json: rule.confidence: 95 is above 1" },
	{ HEAD "], \"rule\": 1}", "w.json: rule: 1 is not an object" },
	{ HEAD "], \"inputs\": [{}]}", "w.json: inputs[0].path: missing" },
	{ HEAD "], \"excluded\": [{\"path\": \"a\", \"reason\": \"short\"}]}",
	    "w.json: excluded[0].why: missing" },
};

static void
test_wrong(void)
{
	size_t i;

	for (i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		struct error e = ERROR_INIT;
		struct result r;

		CHECK_INT(result_parse("w.json", wrong[i].json,
			      strlen(wrong[i].json), &r, &e),
		    -1);
		CHECK_STR(e.message, wrong[i].want);
		CHECK_INT(e.code, ERROR_INPUT);
		CHECK(r.n_cases == 0 && r.arena.blocks == NULL);
	}
}

/* Reject a valid file truncated at every 7th byte, with a message. */
static void
test_truncated(void)
{
	size_t len, i;
	char *text = golden_read(FULL, &len);

	for (i = 0; i + 1 < len; i += 7) {
		struct error e = ERROR_INIT;
		struct result r;

		CHECK_INT(result_parse("c.json", text, i, &r, &e), -1);
		CHECK(strncmp(e.message, "c.json", 6) == 0);
	}
	free(text);
}

static void
test_too_many(void)
{
	const size_t n = RESULT_MAX_ITEMS + 1;
	char *text = xmalloc(2 * n + 100);
	struct error e = ERROR_INIT;
	struct result r;
	size_t i, len;

	len = (size_t)snprintf(text, 100, "%s", HEAD);
	for (i = 0; i < n; i++) {
		text[len++] = i > 0 ? ',' : ' ';
		text[len++] = '1';
	}
	text[len++] = ']';
	text[len++] = '}';
	CHECK_INT(result_parse("m.json", text, len, &r, &e), -1);
	CHECK_STR(e.message, "m.json: cases: more than 1000000 items");
	free(text);
}

/* Follow a "$ref" of the schema to the object that it names. */
static void
deref(const struct json_value *defs, struct json_value *v)
{
	struct arena a = ARENA_INIT;
	struct error e = ERROR_INIT;
	const char *ref;
	struct json_value to;

	CHECK_INT(json_read_string(v, "$ref", &a, &ref, &e), 0);
	if (ref == NULL)
		return;
	CHECK(strncmp(ref, "#/$defs/", 8) == 0);
	CHECK_INT(json_read_require(defs, ref + 8, &e), 0);
	CHECK_INT(json_read_object(defs, ref + 8, &to, &e), 0);
	to.key = NULL; /* ref is freed below; no message will need it */
	to.parent = NULL;
	*v = to;
	arena_release(&a);
}

static double
bound(const struct json_value *property, const char *key)
{
	struct error e = ERROR_INIT;
	double x;

	CHECK_INT(json_read_double(property, key, -1e9, 1e9, &x, &e), 0);
	return x;
}

/* The limits of the schema are those that the reader checks. */
static void
check_range(const struct json_value *property, enum field_range range)
{
	const int low = !isnan(bound(property, "minimum"));
	const int above = !isnan(bound(property, "exclusiveMinimum"));
	const int high = !isnan(bound(property, "maximum"));
	const int below = !isnan(bound(property, "exclusiveMaximum"));

	CHECK_INT(low, range == RANGE_NOT_NEGATIVE || range == RANGE_SHARE);
	CHECK_INT(above, range == RANGE_POSITIVE || range == RANGE_OPEN_SHARE);
	CHECK_INT(high, range == RANGE_SHARE);
	CHECK_INT(below, range == RANGE_OPEN_SHARE);
}

/* The property's type (a name, or a name and "null") matches the row. */
static void
check_type(const struct json_value *property, const struct field *field)
{
	static const char *const types[] = {
		[FIELD_STRING] = "string",
		[FIELD_LONG] = "integer",
		[FIELD_DOUBLE] = "number",
		[FIELD_BOOL] = "boolean",
		[FIELD_REMARK] = "object",
		[FIELD_PAIRS] = "object",
		[FIELD_RECORD] = "object",
	};
	struct arena a = ARENA_INIT;
	struct error e = ERROR_INIT;
	struct json_value array, item;
	const char *type, *want = types[field->kind];
	size_t n;

	if (field->count != 0 && field->kind != FIELD_PAIRS)
		want = "array";
	if (field->required) {
		CHECK_INT(json_read_string(property, "type", &a, &type, &e), 0);
		CHECK_STR(type, want);
	} else {
		CHECK_INT(json_read_array(property, "type", &array, &n, &e), 0);
		CHECK_INT(n, 2);
		json_read_item(&array, 0, &item);
		CHECK_INT(json_read_item_string(&item, &a, &type, &e), 0);
		CHECK_STR(type, want);
		json_read_item(&array, 1, &item);
		CHECK_INT(json_read_item_string(&item, &a, &type, &e), 0);
		CHECK_STR(type, "null");
	}
	arena_release(&a);
}

/* True if the schema requires key. */
static int
is_required(const struct json_value *schema, const char *key)
{
	struct arena a = ARENA_INIT;
	struct error e = ERROR_INIT;
	struct json_value list, one;
	const char *item;
	size_t n, i;
	int found = 0;

	CHECK_INT(json_read_array(schema, "required", &list, &n, &e), 0);
	for (i = 0; i < n; i++) {
		json_read_item(&list, i, &one);
		CHECK_INT(json_read_item_string(&one, &a, &item, &e), 0);
		found |= strcmp(item, key) == 0;
	}
	arena_release(&a);
	return found;
}

struct key_list {
	char text[4096];
	size_t len;
};

/* The keys of an object in file order, each followed by a space. */
static void
keys_of(const struct json_value *obj, struct key_list *list)
{
	struct json_cursor at = { 0, NULL };
	struct json_value member;
	const char *key;

	list->len = 0;
	list->text[0] = '\0';
	while (json_read_next(obj, &at, &key, &member))
		list->len += (size_t)snprintf(list->text + list->len,
		    sizeof list->text - list->len, "%s ", key);
	CHECK(list->len < sizeof list->text);
}

/* Compare the rows of a field table with the schema of its object. */
static void
check_fields(const struct json_value *defs, const struct json_value *schema,
    const struct field *fields)
{
	struct error e = ERROR_INIT;
	struct json_value properties, property, items;

	CHECK_INT(json_read_object(schema, "properties", &properties, &e), 0);
	for (; fields->kind != FIELD_END; fields++) {
		if (fields->kind == FIELD_REST)
			continue;
		printf("# %s\n", fields->key);
		CHECK_INT(json_read_require(&properties, fields->key, &e), 0);
		CHECK_INT(
		    json_read_object(&properties, fields->key, &property, &e),
		    0);
		deref(defs, &property);
		CHECK_INT(json_read_require(&property, "description", &e), 0);
		check_type(&property, fields);
		check_range(&property, fields->range);
		CHECK_INT(is_required(schema, fields->key), fields->required);
		if (fields->kind != FIELD_RECORD)
			continue;
		if (fields->count != 0) {
			CHECK_INT(
			    json_read_object(&property, "items", &items, &e),
			    0);
			deref(defs, &items);
			check_fields(defs, &items, fields->fields);
		} else {
			check_fields(defs, &property, fields->fields);
		}
	}
}

/* Compare the keys of a written object with the properties of its schema,
 * recursively. */
static void
check_keys(const struct json_value *defs, const struct json_value *schema,
    const struct json_value *obj, const struct field *fields)
{
	struct error e = ERROR_INIT;
	struct json_value properties, property, items, inner, item;
	struct key_list want, got;
	size_t n;

	CHECK_INT(json_read_object(schema, "properties", &properties, &e), 0);
	keys_of(&properties, &want);
	keys_of(obj, &got);
	/* Keys of a FIELD_REST come last and are not in the schema. */
	got.text[want.len] = '\0';
	CHECK_STR(got.text, want.text);
	for (; fields->kind != FIELD_END; fields++) {
		if (fields->kind != FIELD_RECORD)
			continue;
		json_read_object(&properties, fields->key, &property, &e);
		deref(defs, &property);
		if (fields->count == 0) {
			CHECK_INT(
			    json_read_object(obj, fields->key, &inner, &e), 0);
			check_keys(defs, &property, &inner, fields->fields);
			continue;
		}
		json_read_object(&property, "items", &items, &e);
		deref(defs, &items);
		CHECK_INT(json_read_array(obj, fields->key, &inner, &n, &e), 0);
		CHECK(n > 0);
		json_read_item(&inner, 0, &item);
		check_keys(defs, &items, &item, fields->fields);
	}
}

static void
test_schema(void)
{
	struct error e = ERROR_INIT;
	struct json_doc schema, full;
	struct json_value defs;
	size_t len, full_len;
	char *text = golden_read("doc/result-schema.json", &len);
	char *full_text = golden_read(FULL, &full_len);

	if (json_doc_parse("schema", text, len, &schema, &e) != 0 ||
	    json_doc_parse("full", full_text, full_len, &full, &e) != 0)
		CHECK_STR(e.message, "");
	CHECK_INT(json_read_object(&schema.top, "$defs", &defs, &e), 0);
	CHECK_INT(is_required(&schema.top, "schema"), 1);
	check_fields(&defs, &schema.top, result_fields);
	check_keys(&defs, &schema.top, &full.top, result_fields);
	json_doc_release(&schema);
	json_doc_release(&full);
	free(text);
	free(full_text);
}

/* Each distinct sentence gets its own mark, also with 20000 of them. */
static void
test_flag_marks(void)
{
	enum { N = 20000 };
	static const struct {
		size_t i;
		const char *mark;
	} known[] = { { 0, "a" }, { 25, "z" }, { 26, "aa" }, { 51, "az" },
		{ 52, "ba" }, { 701, "zz" }, { 702, "aaa" }, { 18277, "zzz" },
		{ 18278, "aaaa" } };
	struct case_flags flags = CASE_FLAGS_INIT(LANGUAGE_EN);
	const char **marks = xcalloc(N, sizeof *marks);
	struct arena a = ARENA_INIT;
	size_t n_wrong = 0;

	for (size_t i = 0; i < 2 * N; i++) {
		const char *flag = arena_printf(&a, "flag %zu", i % N);
		struct remark remark = REMARK(REMARK_OTHER, remark_name(flag));
		struct result_run run = { .flags = &remark, .n_flags = 1 };
		struct result_case c = { .runs = &run, .n_runs = 1 };
		const char *mark =
		    case_flags_marks(&flags, &c, ALL_FLAGS, NULL, &a);

		n_wrong +=
		    strcmp(case_flag_text(&flags.items[i % N], flags.lang, &a),
			flag) != 0 ||
		    strcmp(mark, flags.items[i % N].mark) != 0;
	}
	CHECK_INT(n_wrong, 0);
	CHECK_INT(flags.n, N);
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		CHECK_STR(flags.items[known[i].i].mark, known[i].mark);
	for (size_t i = 0; i < N; i++)
		marks[i] = flags.items[i].mark;
	qsort(marks, N, sizeof *marks, text_order_at);
	for (size_t i = 1; i < N; i++)
		n_wrong += strcmp(marks[i - 1], marks[i]) == 0;
	CHECK_INT(n_wrong, 0);
	free(marks);
	case_flags_release(&flags);
	arena_release(&a);
}

/* Equal flags of several cases share one entry, with the range of their numbers
 * and the number of runs. */
static void
test_flags_of_cases(void)
{
	struct remark flags[] = { REMARK(REMARK_STALLS, remark_number(40),
				      remark_number(5)),
		REMARK(REMARK_STALLS, remark_number(30), remark_number(5)),
		REMARK(REMARK_STALLS, remark_number(60), remark_number(5)) };
	struct result_run runs[][2] = { { { .flags = &flags[0], .n_flags = 1 },
					    { .n_flags = 0 } },
		{ { .flags = &flags[1], .n_flags = 1 },
		    { .flags = &flags[2], .n_flags = 1 } } };
	struct result_case cases[] = { { .runs = runs[0], .n_runs = 2 },
		{ .runs = runs[1], .n_runs = 2 } };
	struct case_flags marks = CASE_FLAGS_INIT(LANGUAGE_EN);
	struct arena a = ARENA_INIT;

	CHECK_STR(
	    case_flags_marks(&marks, &cases[0], ALL_FLAGS, NULL, &a), "a");
	CHECK_STR(
	    case_flags_marks(&marks, &cases[1], ALL_FLAGS, NULL, &a), "a");
	CHECK_STR(
	    case_flags_marks(&marks, &cases[1], ALL_FLAGS, NULL, &a), "a");
	CHECK_INT(marks.n, 1);
	CHECK_STR(case_flag_text(&marks.items[0], marks.lang, &a),
	    "stalls take 30–60 % of the time: --aggregate=median omits them "
	    "(3 of 4 runs)");
	case_flags_release(&marks);
	arena_release(&a);
}

/* Doubts are distinguished from information by code. Flags of runs that differ
 * only in numbers are merged; the case's own flags concern its speedup. */
static void
test_doubts(void)
{
	struct remark flags[][2] = {
		{ REMARK(REMARK_EPOCHS, remark_number(0), remark_number(2)),
		    REMARK(
			REMARK_STALLS, remark_number(40), remark_number(5)) },
		{ REMARK(REMARK_STALLS, remark_number(51), remark_number(5)) }
	};
	struct remark own =
	    REMARK(REMARK_EFFICIENCY_HIGH, remark_number(120.04));
	struct result_run runs[] = { { .flags = flags[0], .n_flags = 2 },
		{ .flags = flags[1], .n_flags = 1 }, { .n_flags = 0 } };
	struct result_case c = {
		.runs = runs, .n_runs = 3, .flags = &own, .n_flags = 1
	};
	struct case_flags marks = CASE_FLAGS_INIT(LANGUAGE_EN);
	struct arena a = ARENA_INIT;
	struct case_flag *list;
	size_t n;

	list = case_doubts(&c, 0, &a, &n);
	CHECK_INT(n, 1);
	CHECK_INT(list[0].from.code, REMARK_STALLS);
	CHECK_INT(list[0].n, 2);
	CHECK_STR(case_flag_text(&list[0], LANGUAGE_EN, &a),
	    "stalls take 40–51 % of the time: --aggregate=median omits them "
	    "(2 of 3 runs)");
	list = case_doubts(&c, 1, &a, &n);
	CHECK_INT(n, 2);
	CHECK_INT(list[1].from.code, REMARK_EFFICIENCY_HIGH);
	CHECK_INT(list[1].n, 0);
	CHECK_STR(case_flags_marks(&marks, &c, 0, NULL, &a), "a");
	CHECK_STR(case_doubts_text(&c, 0, "new", LANGUAGE_EN, &a),
	    "new: stalls take 40–51 % of the time: --aggregate=median omits "
	    "them (2 of 3 runs)");
	CHECK_STR(case_flags_marks(&marks, &c, ALL_FLAGS, NULL, &a), "a b c");
	CHECK(case_is_doubtful(&c, ALL_FLAGS));
	c.n_runs = c.n_flags = 0;
	CHECK(!case_is_doubtful(&c, ALL_FLAGS));
	case_flags_release(&marks);
	arena_release(&a);
}

/* The efficiency is flagged if its whole interval is above 100 %, or, without
 * an interval, if it is above 105 %. */
static void
test_efficiency_high(void)
{
	const struct result_case base = { .name = "1n1g" };
	struct arena a = ARENA_INIT;
	struct result_case c = { .name = "1n2g",
		.speedup = 2.5,
		.speedup_low = 2.1,
		.efficiency = 1.25 };

	case_flag_speedup(&c, &base, &a);
	CHECK_INT(c.n_flags, 1);
	CHECK_INT(c.flags[0].code, REMARK_EFFICIENCY_HIGH);
	CHECK_NEAR(c.flags[0].args[0].number, 125, 1e-9);
	CHECK_NEAR(c.flags[0].args[1].number, 105, 1e-9);
	c.speedup_low = 1.9;
	case_flag_speedup(&c, &base, &a);
	CHECK_INT(c.n_flags, 0);
	c.speedup_low = NAN;
	case_flag_speedup(&c, &base, &a);
	CHECK_INT(c.n_flags, 1);
	c.efficiency = 1.01;
	case_flag_speedup(&c, &base, &a);
	CHECK_INT(c.n_flags, 0);
	arena_release(&a);
}

static void
test_units_of_samples(void)
{
	CHECK(unit_counts_samples("samples/s") &&
	    unit_counts_samples("images/s"));
	CHECK(!unit_counts_samples("min") && !unit_counts_samples("GB/s") &&
	    !unit_counts_samples("s") && !unit_counts_samples("tokens/s") &&
	    !unit_counts_samples(NULL));
}

/* The flags of a run as one cell; NULL without flags. */
static void
test_flags_in_a_cell(void)
{
	struct remark flag =
	    REMARK(REMARK_STALLS, remark_number(40), remark_number(5));
	struct result_run run = { .flags = &flag, .n_flags = 1 };
	struct arena a = ARENA_INIT;
	const char *text = run_flags_json(&run, &a);

	CHECK(text != NULL && strstr(text, "\"stalls\"") != NULL);
	run.n_flags = 0;
	CHECK(run_flags_json(&run, &a) == NULL);
	arena_release(&a);
}

static void
test_bit_rate(void)
{
	char b[QUANTITY_TEXT_SIZE];

	CHECK_STR(quantity_bit_rate(b, 12.5), "100.00Gb/s");
	CHECK_STR(quantity_bit_rate(b, 0.125), "1.00Gb/s");
	CHECK_STR(quantity_bit_rate(b, 0.1), "800.0Mb/s");
	CHECK_STR(quantity_bit_rate(b, 0.000125), "1.0Mb/s");
	CHECK_STR(quantity_bit_rate(b, 0.000002), "16.0Kb/s");
}

/* The largest size of each bin, and its label. */
static void
test_size_bins(void)
{
	static const struct {
		double bytes;
		const char *label;
	} ends[] = { { 1024, "(0 1KB]" }, { 1048576, "(1KB 1MB]" },
		{ 10485760, "(1MB 10MB]" }, { 20971520, "(10MB 20MB]" },
		{ 104857600, "(90MB 100MB]" }, { 157286400, "(100MB 150MB]" },
		{ 209715200, "(150MB 200MB]" } };
	char label[SIZE_LABEL_SIZE];

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		const int bin = size_bin(ends[i].bytes);

		size_bin_label(bin, " ", label);
		CHECK_STR(label, ends[i].label);
		CHECK_INT(size_bin(ends[i].bytes + 1), bin + 1);
	}
	CHECK_INT(size_bin(1e300), SIZE_BINS - 1);
}

static const struct tap_test tests[] = {
	TEST(test_written),
	TEST(test_there_and_back),
	TEST(test_nothing_known),
	TEST(test_tolerant),
	TEST(test_remarks_of_other_versions),
	TEST(test_wrong),
	TEST(test_truncated),
	TEST(test_too_many),
	TEST(test_schema),
	TEST(test_flag_marks),
	TEST(test_flags_of_cases),
	TEST(test_doubts),
	TEST(test_efficiency_high),
	TEST(test_units_of_samples),
	TEST(test_flags_in_a_cell),
	TEST(test_bit_rate),
	TEST(test_size_bins),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
