#include <config.h>

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/published/published.h"
#include "tests/tap.h"

static struct published p;
static struct error e;

/* Read a text as the file `name`. */
static void
read_text(const char *name, const char *text)
{
	CHECK_INT(published_read(name, text, strlen(text), 0, &p, &e), 0);
}

/* --- cells ---------------------------------------------------------------- */

/* Read a table with one cell in a column of the given head. */
static const struct published_cell *
cell_of(const char *head, const char *text)
{
	static char table[4096];

	snprintf(table, sizeof table,
	    "| nodes | GPUs | %s |\n|---|---|---|\n| 1 | 1 | %s |\n", head,
	    text);
	read_text("a.md", table);
	CHECK_INT(p.n, 1);
	return &p.tables[0].rows[0].cells[2];
}

static const struct {
	const char *head, *text;
	enum published_kind kind;
	double value, half, share;
} cells[] = {
	{ "samples/s", "210.40", PUBLISHED_NUMBER, 210.4, 0.005, NAN },
	{ "samples/s", "**1,570.11**", PUBLISHED_NUMBER, 1570.11, 0.005, NAN },
	{ "samples/s", "[2014](./x(1))", PUBLISHED_NUMBER, 2014, 0.5, NAN },
	{ "samples/s", "1e3", PUBLISHED_NUMBER, 1000, 500, NAN },
	{ "throughput", "300.5 images/sec", PUBLISHED_NUMBER, 300.5, 0.05,
	    NAN },
	{ "samples/s", "41.5<br>img/s", PUBLISHED_NUMBER, 41.5, 0.05, NAN },
	{ "samples/s", "41.5<br>bsz=96", PUBLISHED_BAD, NAN, NAN, NAN },
	{ "latency(ms)", "2.50", PUBLISHED_NUMBER, 2.5e-3, 5e-6, NAN },
	{ "time", "1m40.5s", PUBLISHED_NUMBER, 100.5, 0.05, NAN },
	{ "time", "1:02:03", PUBLISHED_NUMBER, 3723, 0.5, NAN },
	{ "耗时", "real	2m3.25s<br/>user	1m0.1s<br/>sys	0m1.0s",
	    PUBLISHED_NUMBER, 123.25, 0.005, NAN },
	{ "time", "500.0s (125%)", PUBLISHED_NUMBER, 500, 0.05, 1.25 },
	{ "time", "390s（98％）", PUBLISHED_NUMBER, 390, 0.5, 0.98 },
	{ "receiving", "2.61Gb/s", PUBLISHED_NUMBER, 2.61e9, 5e6, NAN },
	{ "sending", "9.6Kb/s", PUBLISHED_NUMBER, 9600, 50, NAN },
	{ "speedup", "7.5x", PUBLISHED_NUMBER, 7.5, 0.05, NAN },
	{ "speedup", "7.5X", PUBLISHED_NUMBER, 7.5, 0.05, NAN },
	{ "speedup", "7.5×", PUBLISHED_NUMBER, 7.5, 0.05, NAN },
	{ "speedup", "7.5 倍", PUBLISHED_NUMBER, 7.5, 0.05, NAN },
	{ "efficiency", "87.5％", PUBLISHED_NUMBER, 0.875, 0.0005, NAN },
	{ "efficiency", "87.5%", PUBLISHED_NUMBER, 0.875, 0.0005, NAN },
	{ "memory", "1,115 MiB", PUBLISHED_NUMBER, 1115 * 1048576.0, 524288,
	    NAN },
	{ "samples/s", "OOM", PUBLISHED_WORD, NAN, NAN, NAN },
	{ "samples/s", "失败", PUBLISHED_WORD, NAN, NAN, NAN },
	{ "samples/s", "-", PUBLISHED_EMPTY, NAN, NAN, NAN },
	{ "samples/s", "", PUBLISHED_EMPTY, NAN, NAN, NAN },
	{ "samples/s", "390.1[^a]", PUBLISHED_NUMBER, 390.1, 0.05, NAN },
	{ "time", "10h 20m", PUBLISHED_NUMBER, 37200, 30, NAN },
	{ "time", "1 小时 5 分", PUBLISHED_NUMBER, 3900, 30, NAN },
	{ "time", "1d 2h 3.5s", PUBLISHED_NUMBER, 93603.5, 0.05, NAN },
	{ "samples/s", "OOM (batch 256)", PUBLISHED_WORD, NAN, NAN, NAN },
	/* Not numbers: no value is guessed. */
	{ "samples/s", "about 30", PUBLISHED_BAD, NAN, NAN, NAN },
	{ "samples/s", "~30", PUBLISHED_BAD, NAN, NAN, NAN },
	{ "samples/s", "10<sup>3</sup>", PUBLISHED_BAD, NAN, NAN, NAN },
	{ "time", "20m 1h", PUBLISHED_BAD, NAN, NAN, NAN },
	{ "time", "1359.3.9ms", PUBLISHED_BAD, NAN, NAN, NAN },
	{ "time", "1476.0,s", PUBLISHED_BAD, NAN, NAN, NAN },
	{ "samples/s", "12,34", PUBLISHED_BAD, NAN, NAN, NAN },
	{ "samples/s", "390.1 ± 2.3", PUBLISHED_BAD, NAN, NAN, NAN },
	{ "samples/s", "1.5k", PUBLISHED_BAD, NAN, NAN, NAN },
	{ "samples/s", "390<sup>a</sup>", PUBLISHED_BAD, NAN, NAN, NAN },
	{ "samples/s", "390.1²", PUBLISHED_BAD, NAN, NAN, NAN },
	{ "speedup", "$7.6\\times$", PUBLISHED_BAD, NAN, NAN, NAN },
	{ "latency", "464.1 (ms)", PUBLISHED_BAD, NAN, NAN, NAN },
	{ "samples/s", "10 13", PUBLISHED_BAD, NAN, NAN, NAN },
	{ "samples/s", "10.5 w/DALI", PUBLISHED_BAD, NAN, NAN, NAN },
	{ "samples/s", "-5", PUBLISHED_BAD, NAN, NAN, NAN },
	{ "samples/s", "31 ms", PUBLISHED_BAD, NAN, NAN, NAN },
};

static void
test_cells(void)
{
	for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
		const struct published_cell *c =
		    cell_of(cells[i].head, cells[i].text);

		CHECK_INT(c->kind, cells[i].kind);
		if (cells[i].kind == PUBLISHED_NUMBER) {
			CHECK_NEAR(c->number.value, cells[i].value,
			    cells[i].value * 1e-12);
			CHECK_NEAR(c->number.half, cells[i].half,
			    cells[i].half * 1e-9);
		}
		CHECK_INT(isnan(c->share.value), isnan(cells[i].share));
		if (!isnan(cells[i].share))
			CHECK_NEAR(c->share.value, cells[i].share, 1e-12);
		CHECK_INT(c->problem == REMARK_NONE, c->kind < PUBLISHED_BAD);
		published_release(&p);
	}
}

/* --- heads ---------------------------------------------------------------- */

static const struct {
	const char *head;
	enum published_role role;
	const char *framework, *precision;
	long batch;
	const char *unit;
} heads[] = {
	{ "samples/s", PUBLISHED_RATE, NULL, NULL, PUBLISHED_UNKNOWN,
	    "samples/s" },
	{ "samples/s(PyTorch)", PUBLISHED_RATE, "PyTorch", NULL,
	    PUBLISHED_UNKNOWN, "samples/s" },
	{ "OneFlow samples/s(max bsz=96)", PUBLISHED_RATE, "OneFlow", NULL, 96,
	    "samples/s" },
	{ "FP32 throughput<br>(img/s)  bsz=128", PUBLISHED_RATE, NULL, "fp32",
	    128, "img/s" },
	{ "AMP speedup bsz=256", PUBLISHED_SPEEDUP, NULL, "amp", 256, NULL },
	{ "speedup of B", PUBLISHED_SPEEDUP, "B", NULL, PUBLISHED_UNKNOWN,
	    NULL },
	{ "[NGC<br/>MXNet](../x)", PUBLISHED_RATE, "NGC MXNet", NULL,
	    PUBLISHED_UNKNOWN, NULL },
	{ "PaddlePaddle<br>w/DALI<br>bsz=196", PUBLISHED_RATE,
	    "PaddlePaddle w/DALI", NULL, 196, NULL },
	{ "A Latency per Iteration / ms", PUBLISHED_STEP_TIME, "A", NULL,
	    PUBLISHED_UNKNOWN, "ms" },
	{ "平均时间/ms", PUBLISHED_MEAN_TIME, NULL, NULL, PUBLISHED_UNKNOWN,
	    "ms" },
	{ "sequences/sec", PUBLISHED_RATE, NULL, NULL, PUBLISHED_UNKNOWN,
	    "sequences/sec" },
	{ "平均吞吐率", PUBLISHED_RATE, NULL, NULL, PUBLISHED_UNKNOWN, NULL },
	{ "加速比", PUBLISHED_SPEEDUP, NULL, NULL, PUBLISHED_UNKNOWN, NULL },
	{ "update gradients平均时长", PUBLISHED_MEAN_TIME, "update gradients",
	    NULL, PUBLISHED_UNKNOWN, NULL },
	{ "Mem Usage Ratio", PUBLISHED_RATIO, NULL, NULL, PUBLISHED_UNKNOWN,
	    NULL },
	{ "gpu_mem(mB)", PUBLISHED_MEMORY, NULL, NULL, PUBLISHED_UNKNOWN,
	    "mB" },
	{ "batch_size_per_device", PUBLISHED_BATCH, NULL, NULL,
	    PUBLISHED_UNKNOWN, NULL },
	{ "Throughput [Img/s]", PUBLISHED_RATE, NULL, NULL, PUBLISHED_UNKNOWN,
	    "img/s" },
	{ "Throughput, images/s", PUBLISHED_RATE, NULL, NULL, PUBLISHED_UNKNOWN,
	    "images/s" },
	{ "B throughput in images per second", PUBLISHED_RATE, "B", NULL,
	    PUBLISHED_UNKNOWN, "images per second" },
	{ "ms/step", PUBLISHED_STEP_TIME, NULL, NULL, PUBLISHED_UNKNOWN,
	    "ms/step" },
	{ "Speed-up[^1]", PUBLISHED_SPEEDUP, NULL, NULL, PUBLISHED_UNKNOWN,
	    NULL },
	{ "Scaling eff. (%)", PUBLISHED_EFFICIENCY, NULL, NULL,
	    PUBLISHED_UNKNOWN, "%" },
};

static void
test_heads(void)
{
	for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
		const struct published_column *c;

		cell_of(heads[i].head, "5");
		c = &p.tables[0].columns[2];
		CHECK_INT(c->role, heads[i].role);
		CHECK_STR(c->framework ? c->framework : "(none)",
		    heads[i].framework ? heads[i].framework : "(none)");
		CHECK_STR(c->precision ? c->precision : "(none)",
		    heads[i].precision ? heads[i].precision : "(none)");
		CHECK_INT(c->batch, heads[i].batch);
		CHECK_STR(c->unit ? c->unit->name : "(none)",
		    heads[i].unit ? heads[i].unit : "(none)");
		published_release(&p);
	}
}

/* Spellings of the same three rows. */
static const char *const spellings[] = {
	"| node_num | gpu_num_per_node | A |\n|--|--|--|\n"
	"| 1 | 1 | 5 |\n| 1 | 8 | 6 |\n| 2 | 8 | 7 |\n",
	"| Node num | GPU num | A |\n|--|--|--|\n"
	"| 1 | 1 | 5 |\n| 1 | 8 | 6 |\n| 2 | 16 | 7 |\n",
	/* If rows of 1 and 2 nodes have equal counts, they are per node. */
	"| node_num | gpu_num | A |\n|--|--|--|\n"
	"| 1 | 1 | 5 |\n| 1 | 8 | 6 |\n| 2 | 8 | 7 |\n",
	"| num-nodes | device num | A |\n|--|--|--|\n"
	"| 1 | 1 | 5 |\n| 1 | 8 | 6 |\n| 2 | 16 | 7 |\n",
	"| 节点-GPU | samples/s |\n|--|--|\n"
	"| 1机1卡 | 5 |\n| 1机8卡 | 6 |\n| 2机16卡 | 7 |\n",
	"节点-GPU | samples/s\n--|--\n"
	"单机单卡 | 5\n单机8卡 | 6\n2机16卡 | 7\n",
	"| gpu | latency(ms) |\n|--|--|\n"
	"| n1g1 | 5 |\n| n1g8 | 6 |\n| n2g8 | 7 |\n",
	"| case | samples/s |\n|--|--|\n"
	"| 1n1g | 5 |\n| 1n8g | 6 |\n| 2n8g | 7 |\n",
	"| 服务器数量 | 每台服务器显卡数量 | 吞吐率 |\n|--|--|--|\n"
	"| 1 | 1 | 5 |\n| 1 | 8 | 6 |\n| 2 | 8 | 7 |\n",
	/* Transposed. */
	"| net | 1机1卡 | 1机8卡 | 2机16卡 |\n|--|--|--|--|\n"
	"| 耗时 | 5s | 6s | 7s |\n",
	/* CSV and LaTeX. */
	"nodes,gpus,A\n1,1,5\n1,8,6\n2,16,7\n",
	"nodes;gpus;\"A\"\r\n1;1;5\r\n1;8;6\r\n2;16;\"7\"\r\n",
	"\\begin{tabular}{lrr} \\hline nodes & GPUs & A \\\\ \\hline\n"
	"1 & 1 & 5 \\\\ 1 & 8 & \\textbf{6} \\\\ 2 & 16 & 7 \\\\\n"
	"\\end{tabular}",
	"{\"A\": {\"1n1g\": {\"median_speed\": 5},"
	"\"1n8g\": {\"median_speed\": 6}, \"2n8g\": {\"median_speed\": 7}}}",
};

static void
test_spellings(void)
{
	static const long want[3][3] = { { 1, 1, 1 }, { 1, 8, 8 },
		{ 2, 8, 16 } };

	for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
		read_text("-", spellings[i]);
		CHECK_INT(p.n, 1);
		CHECK_INT(p.tables[0].n_rows, 3);
		CHECK(published_has_cases(&p.tables[0]));
		for (size_t k = 0; k < 3; k++) {
			const struct published_row *r = &p.tables[0].rows[k];

			CHECK_INT(r->nodes, want[k][0]);
			CHECK_INT(r->gpus, want[k][2]);
			CHECK(r->problem == REMARK_NONE);
		}
		CHECK_INT(p.tables[0].n_remarks > 0,
		    strstr(spellings[i], "| A |") != NULL ||
			strstr(spellings[i], ",A") != NULL ||
			strstr(spellings[i], ";\"A") != NULL ||
			strstr(spellings[i], "& A") != NULL);
		published_release(&p);
	}
}

/* --- counts --------------------------------------------------------------- */

/* Counts in a case's cell and in count columns agree, complete each other, or
 * the row is invalid because of the cell `blamed`. nodes 0: invalid. */
static const struct {
	const char *heads, *row;
	long nodes, gpus;
	size_t blamed;
	enum remark_code problem;
} counts[] = {
	{ "case|GPUs", "2n8g|16", 2, 16, 0, REMARK_NONE },
	{ "case|GPUs", "2n8g|15", 0, 0, 1, REMARK_CELL_CONTRADICTS },
	{ "case|GPUs", "2n8g|8", 0, 0, 1, REMARK_CELL_CONTRADICTS },
	{ "case|gpu_num", "2n8g|8", 0, 0, 1, REMARK_CELL_CONTRADICTS },
	{ "case|gpu_num", "2n8g|16", 2, 16, 0, REMARK_NONE },
	{ "case|gpu_num", "2n8g|4", 0, 0, 1, REMARK_CELL_CONTRADICTS },
	{ "case|gpu_num_per_node", "4n8g|8", 4, 32, 0, REMARK_NONE },
	{ "case|gpu_num_per_node", "4n8g|4", 0, 0, 0, REMARK_CELL_CONTRADICTS },
	{ "case|nodes", "4n8g|4", 4, 32, 0, REMARK_NONE },
	{ "case|nodes", "4n8g|2", 0, 0, 1, REMARK_CELL_CONTRADICTS },
	{ "nodes|GPUs", "2|15", 0, 0, 0, REMARK_CELL_UNEVEN },
	{ "nodes|GPUs|gpu_num_per_node", "2|16|8", 2, 16, 0, REMARK_NONE },
	{ "nodes|GPUs|gpu_num_per_node", "2|16|16", 0, 0, 1,
	    REMARK_CELL_CONTRADICTS },
	{ "nodes|nodes|GPUs", "2|1|16", 0, 0, 1, REMARK_CELL_CONTRADICTS },
	{ "nodes|GPUs|gpu_num", "2|16|8", 0, 0, 2, REMARK_CELL_CONTRADICTS },
	{ "nodes|GPUs|gpu_num", "2|16|15", 0, 0, 1, REMARK_CELL_CONTRADICTS },
	{ "case|case", "2n8g|2机16卡", 2, 16, 0, REMARK_NONE },
	{ "case|case", "2n8g|2n4g", 0, 0, 1, REMARK_CELL_CONTRADICTS },
};

static void
test_counts(void)
{
	for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
		char text[1000];
		const struct published_row *r;

		snprintf(text, sizeof text,
		    "|%s|samples/s|\n|-|-|-|-|\n|%s|50|\n", counts[i].heads,
		    counts[i].row);
		read_text("a.md", text);
		CHECK_INT(p.n, 1);
		r = &p.tables[0].rows[0];
		CHECK_INT(r->problem, counts[i].problem);
		if (counts[i].problem != REMARK_NONE) {
			CHECK_INT(r->problem_cell - r->cells, counts[i].blamed);
			CHECK_INT(r->nodes, PUBLISHED_UNKNOWN);
			CHECK_INT(r->gpus, PUBLISHED_UNKNOWN);
			CHECK_INT(r->node_gpus, PUBLISHED_UNKNOWN);
		} else {
			CHECK_INT(r->nodes, counts[i].nodes);
			CHECK_INT(r->gpus, counts[i].gpus);
			CHECK_INT(r->node_gpus, r->gpus / r->nodes);
		}
		published_release(&p);
	}
}

/* Check all counts that the columns of a row state; returns their number. */
static size_t
count_held(const struct published_table *t, const struct published_row *r)
{
	size_t held = 0;

	for (size_t i = 0; i < t->n_columns; i++) {
		const char *text = r->cells[i].text;
		const long n = strtol(text, NULL, 10);
		const int is_case = strstr(text, "n8g") != NULL;

		if (text[0] == '\0' || text[0] == '-')
			continue;
		switch (t->columns[i].role) {
		case PUBLISHED_NODES:
			CHECK_INT(r->nodes, n);
			break;
		case PUBLISHED_GPUS:
			CHECK_INT(r->gpus, n);
			break;
		case PUBLISHED_NODE_GPUS:
			CHECK_INT(r->node_gpus, n);
			break;
		case PUBLISHED_CASE:
			if (is_case)
				CHECK_INT(r->gpus, 8 * n);
			break;
		default:
			continue;
		}
		held++;
	}
	if (r->nodes != PUBLISHED_UNKNOWN && r->gpus != PUBLISHED_UNKNOWN &&
	    r->node_gpus != PUBLISHED_UNKNOWN)
		CHECK_INT(r->gpus, r->nodes * r->node_gpus);
	return held;
}

static const char *
one_of(const char *const *list, size_t n)
{
	static uint64_t seed = 15;

	seed = seed * 6364136223846793005u + 1;
	return list[(seed >> 33) % n];
}

/* With random count columns and values, a row is either invalid because of a
 * cell, or all its counts hold. */
static void
test_counts_hold(void)
{
	static const char *const head[] = { "nodes", "GPUs", "gpu_num",
		"gpu_num_per_node", "case" };
	static const char *const value[] = { "1", "2", "3", "8", "16", "-", "x",
		"1n8g", "2n8g", "" };
	size_t refused = 0, held = 0;

	for (int round = 0; round < 3000; round++) {
		struct strbuf sb;

		strbuf_init(&sb, 1000);
		for (int k = 0; k < 3; k++)
			strbuf_printf(&sb, "|%s", one_of(head, 5));
		strbuf_addstr(&sb, "|samples/s|\n|-|-|-|-|\n");
		for (int row = 0; row < 3; row++) {
			for (int k = 0; k < 3; k++)
				strbuf_printf(&sb, "|%s", one_of(value, 10));
			strbuf_addstr(&sb, "|5|\n");
		}
		read_text("a.md", sb.buf);
		for (size_t i = 0; i < p.tables[0].n_rows; i++) {
			const struct published_row *r = &p.tables[0].rows[i];

			CHECK((r->problem == REMARK_NONE) ==
			    (r->problem_cell == NULL));
			if (r->problem != REMARK_NONE)
				refused++;
			else
				held += count_held(&p.tables[0], r);
		}
		published_release(&p);
		strbuf_release(&sb);
	}
	CHECK(refused > 1000);
	CHECK(held > 1000);
}

/* --- batches -------------------------------------------------------------- */

static void
test_many_guesses(void)
{
	enum { COLUMNS = 40 };
	const char *remark;
	struct strbuf sb;

	strbuf_init(&sb, 1 << 14);
	strbuf_addstr(&sb, "| nodes | GPUs |");
	for (int i = 0; i < COLUMNS; i++)
		strbuf_printf(&sb, " Zqzqzqzqzqzqzqzqzqzqzqzqzqzq%02d |", i);
	strbuf_addstr(&sb, "\n|-|-|");
	for (int i = 0; i < COLUMNS; i++)
		strbuf_addstr(&sb, "-|");
	strbuf_addstr(&sb, "\n| 1 | 1 |");
	for (int i = 0; i < COLUMNS; i++)
		strbuf_addstr(&sb, " 5 |");
	strbuf_addstr(&sb, "\n");
	read_text("a.md", sb.buf);
	CHECK_INT(p.n, 1);
	CHECK_INT(p.tables[0].n_remarks, 1);
	CHECK_INT(p.tables[0].remarks[0].code, REMARK_READ_AS_SPEEDS);
	remark = p.tables[0].remarks[0].args[0].text;
	CHECK(strlen(remark) > 1000);
	CHECK_STR(remark + strlen(remark) - 4, "q39'");
	published_release(&p);
	strbuf_release(&sb);
}

#define BATCH_HEAD "|GPUs|global_batch_size|samples/s|\n|-|-|-|\n"

/* If the global batch grows with the GPUs, the batch per device is constant; if
 * it does not, scaling is strong. */
static void
test_global_batch(void)
{
	const struct published_table *t;

	read_text("a.md", BATCH_HEAD "|1|32|5|\n|8|256|9|\n|16|512|9|\n");
	t = &p.tables[0];
	CHECK_INT(t->columns[1].role, PUBLISHED_GLOBAL_BATCH);
	CHECK_INT(t->strong, 0);
	CHECK_INT(t->n_remarks, 0);
	CHECK_INT(t->rows[1].global_batch, 256);
	CHECK_INT(published_batch_of(t, &t->rows[1], 2), 32);
	CHECK_STR(published_row_key(&p.arena, t, &t->rows[0]),
	    published_row_key(&p.arena, t, &t->rows[2]));
	published_release(&p);
	read_text("a.md", BATCH_HEAD "|1|256|5|\n|8|256|9|\n|1|512|9|\n");
	t = &p.tables[0];
	CHECK_INT(t->strong, 1);
	CHECK_INT(published_batch_of(t, &t->rows[1], 2), 32);
	CHECK_STR(published_row_key(&p.arena, t, &t->rows[0]),
	    published_row_key(&p.arena, t, &t->rows[1]));
	CHECK(strcmp(published_row_key(&p.arena, t, &t->rows[0]),
		  published_row_key(&p.arena, t, &t->rows[2])) != 0);
	published_release(&p);
	/* Ambiguous: a remark states the reading. */
	read_text("a.md", BATCH_HEAD "|1|32|5|\n|1|256|9|\n|8|256|9|\n");
	CHECK_INT(p.tables[0].strong, 0);
	CHECK_INT(p.tables[0].n_remarks, 1);
	published_release(&p);
	/* One image per device is also a batch per device. */
	read_text("a.md", BATCH_HEAD "|1|8|5|\n|8|8|9|\n|16|16|9|\n");
	CHECK_INT(p.tables[0].strong, 0);
	CHECK_INT(p.tables[0].n_remarks, 1);
	published_release(&p);
	/* The GPUs share a single image. */
	read_text("a.md", BATCH_HEAD "|1|1|5|\n|2|1|9|\n");
	CHECK_INT(p.tables[0].strong, 1);
	published_release(&p);
	/* Not divisible, or not a number: the batch per device is unknown. */
	read_text("a.md", BATCH_HEAD "|3|256|5|\n|8|big|9|\n");
	t = &p.tables[0];
	CHECK_INT(published_batch_of(t, &t->rows[0], 2), PUBLISHED_UNKNOWN);
	CHECK_INT(published_batch_of(t, &t->rows[1], 2), PUBLISHED_UNKNOWN);
	CHECK(t->rows[1].problem == REMARK_NONE);
	published_release(&p);
}

/* The statement nearest to the number applies: row, head, then headings. */
static void
test_batch_of(void)
{
	const struct published_table *t;

	read_text("a.md",
	    "# batch size = 16\n"
	    "|GPUs|bsz|samples/s(A bsz=64)|samples/s(B)|samples/s(C bsz=max)|\n"
	    "|-|-|-|-|-|\n|1|32|5|5|5|\n|1|-|5|5|5|\n");
	t = &p.tables[0];
	CHECK_INT(published_batch_of(t, &t->rows[0], 2), 32);
	CHECK_INT(published_batch_of(t, &t->rows[0], 3), 32);
	CHECK_INT(published_batch_of(t, &t->rows[1], 2), 64);
	CHECK_INT(published_batch_of(t, &t->rows[1], 3), 16);
	CHECK_INT(published_batch_of(t, &t->rows[1], 4), PUBLISHED_UNKNOWN);
	published_release(&p);
}

/* --- markup --------------------------------------------------------------- */

/* Unterminated markup is read as the text of one cell. */
static void
test_hostile_markup(void)
{
	static const char *const pieces[] = { "![", "[", "[x](", "<", "<b",
		"<sup>1", "![a](", "](", "\\[", "**", "&nbsp;", "`", "[(" };
	enum { PIECES = 300000 };

	for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
		struct strbuf sb;

		strbuf_init(&sb, 1 << 24);
		strbuf_addstr(&sb, "|GPUs|samples/s|\n|-|-|\n|1|");
		for (size_t k = 0; k < PIECES; k++)
			strbuf_addstr(&sb, pieces[i]);
		strbuf_addstr(&sb, "|\n");
		read_text("a.md", sb.buf);
		CHECK_INT(p.n, 1);
		published_release(&p);
		strbuf_release(&sb);
	}
}

/* --- documents ------------------------------------------------------------ */

static void
test_document(void)
{
	const struct published_table *t;

	read_text("a.md",
	    "# net FP32, batch size = 64\n\ntext | with a stroke\n\n"
	    "```\n# no heading\n```\n"
	    "| nodes | GPUs | samples/s | speedup |\n"
	    "|-------|------|-----------|---------|\n"
	    "| 1     | 1    | 5         | 1       |\n\n"
	    "## AMP, bsz = max\n"
	    "- ### second\n"
	    "| a | b |\n|---|---|\n| 1 |\n| 1 | 2 | 3 |\n");
	CHECK_INT(p.n, 2);
	t = &p.tables[0];
	CHECK_INT(t->line, 8);
	CHECK_INT(t->batch, 64);
	CHECK_STR(t->precision, "fp32");
	CHECK_STR(t->heading, "net FP32, batch size = 64");
	CHECK_INT(t->rows[0].cells[2].line, 10);
	CHECK_INT(t->rows[0].cells[2].col, 18);
	CHECK_INT(t->columns[3].role, PUBLISHED_SPEEDUP);
	t = &p.tables[1];
	CHECK_INT(t->batch, PUBLISHED_UNKNOWN);
	CHECK_STR(t->precision, "amp");
	CHECK_STR(t->heading, "second");
	CHECK_INT(t->rows[0].cells[1].kind, PUBLISHED_EMPTY);
	CHECK(t->rows[1].problem != REMARK_NONE);
	CHECK(!published_has_cases(t));
	published_release(&p);
}

/* Files of Windows editors: a byte order mark and line ends of CR LF. */
static void
test_byte_order_mark(void)
{
	read_text("a.md",
	    "\xef\xbb\xbf|GPUs|samples/s|\r\n|-|-|\r\n|1|5|\r\n\r\nend\r\n");
	CHECK_INT(p.n, 1);
	CHECK_STR(p.tables[0].columns[0].head, "GPUs");
	CHECK_INT(p.tables[0].n_rows, 1);
	CHECK_INT(p.tables[0].rows[0].gpus, 1);
	CHECK_INT(p.tables[0].rows[0].cells[1].line, 3);
	CHECK_INT(p.tables[0].rows[0].cells[1].col, 4);
	published_release(&p);
	read_text("a.csv",
	    "\xef\xbb\xbf"
	    "GPUs,samples/s\r\n1,5\r\n");
	CHECK_INT(p.n, 1);
	CHECK_INT(p.tables[0].rows[0].gpus, 1);
	published_release(&p);
}

/* Words similar to cases: GPUs that are not divisible by the nodes, half of a
 * case, counts of 0. */
static void
test_no_cases(void)
{
	static const char *const words[] = { "3机8卡", "4机", "8卡4机", "0n8g",
		"4n0g", "n0g8", "4n", "4n8gx", "n1g8x" };

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		char text[500];

		/* One valid cell makes it a column of cases. */
		snprintf(text, sizeof text,
		    "|case|samples/s|\n|-|-|\n|1n1g|5|\n|%s|6|\n", words[i]);
		read_text("a.md", text);
		CHECK_INT(p.tables[0].rows[0].gpus, 1);
		CHECK_INT(p.tables[0].rows[1].gpus, PUBLISHED_UNKNOWN);
		published_release(&p);
	}
}

/* In a column without known words, a word among numbers is a missing value;
 * otherwise it is a label. */
static void
test_unknown_heads(void)
{
	read_text("a.md",
	    "| nodes | GPUs | A | FP16 | Mode |\n|--|--|--|--|--|\n"
	    "| 1 | 1 | TODO | True | fast |\n");
	CHECK_INT(p.tables[0].columns[2].role, PUBLISHED_RATE);
	CHECK_INT(p.tables[0].columns[3].role, PUBLISHED_LABEL);
	CHECK_INT(p.tables[0].columns[4].role, PUBLISHED_LABEL);
	published_release(&p);
	/* Next to a speed, an unknown column of numbers is not a speed. */
	read_text("a.md",
	    "| nodes | GPUs | width | samples/s | util |\n|--|--|--|--|--|\n"
	    "| 1 | 1 | 16 | 5 | 7.54 |\n");
	CHECK_INT(p.tables[0].columns[2].role, PUBLISHED_LABEL);
	CHECK_INT(p.tables[0].columns[4].role, PUBLISHED_OTHER);
	published_release(&p);
	/* A table without GPUs has no speeds. */
	read_text("a.md", "| a | b |\n|--|--|\n| 1.5 | 2.5 |\n");
	CHECK_INT(p.tables[0].columns[1].role, PUBLISHED_OTHER);
	published_release(&p);
}

/* 7.559 rounds to 7.56 and is cut to 7.55; 7.6 counts as 7.60 where other cells
 * have two decimals. */
static void
test_fits(void)
{
	const struct published_number two = { 7.55, 0.005, 2 };
	const struct published_number one = { 7.5, 0.05, 1 };
	const struct published_number up = { 7.56, 0.005, 2 };
	const struct published_number percent = { 0.99, 0.005, 0 };

	CHECK_INT(published_fits(&up, 2, 7.559, 7.559), PUBLISHED_ROUNDS);
	CHECK_INT(published_fits(&two, 2, 7.559, 7.559), PUBLISHED_CUT);
	CHECK_INT(published_fits(&two, 2, 7.5499, 7.5499), PUBLISHED_ROUNDS);
	CHECK_INT(published_fits(&two, 2, 7.5601, 7.5601), PUBLISHED_DIFFERS);
	/* Intervals include both ends: halves round either way. */
	CHECK_INT(published_fits(&up, 2, 7.565, 7.565), PUBLISHED_ROUNDS);
	CHECK_INT(published_fits(&up, 2, 7.555, 7.555), PUBLISHED_ROUNDS);
	CHECK_INT(published_fits(&up, 2, 7.5549, 7.5549), PUBLISHED_DIFFERS);
	CHECK_INT(published_fits(&one, 1, 7.577, 7.577), PUBLISHED_CUT);
	CHECK_INT(published_fits(&one, 2, 7.577, 7.577), PUBLISHED_DIFFERS);
	CHECK_INT(published_fits(&one, 2, 7.549, 7.549), PUBLISHED_ROUNDS);
	CHECK_INT(
	    published_fits(&percent, 0, 0.9872, 0.9872), PUBLISHED_ROUNDS);
	/* A range fits if any of its values does. */
	CHECK_INT(published_fits(&up, 2, 7.5, 7.556), PUBLISHED_ROUNDS);
	CHECK_INT(published_fits(&up, 2, 7.5, 7.554), PUBLISHED_DIFFERS);
}

static void
test_refused(void)
{
	CHECK_INT(published_read("a", "a|b\xff\n", 5, 0, &p, &e), -1);
	CHECK_STR(e.message, "a: not a text in UTF-8");
	CHECK_INT(published_read("a", "a|\0b\n", 5, 0, &p, &e), -1);
	CHECK_INT(published_read("a", "{\"x\": 1}", 8, 0, &p, &e), -1);
	CHECK_INT(e.code, ERROR_INPUT);
	CHECK_INT(published_read("a", "", 0, 0, &p, &e), 0);
	CHECK_INT(p.n, 0);
	published_release(&p);
}

/* The JSON of DLPerf's scripts: one table for each network. */
static void
test_dlperf(void)
{
	const struct published_table *t;

	read_text("a.json",
	    "{\"net\": {\n\"1n1g\": {\n\"average_speed\": 300.5,\n"
	    "\"batch_size_per_device\": 128,\n\"median_speed\": 300.0,\n"
	    "\"speedup\": 1.0\n},\n\"1n4g\": {\n"
	    "\"batch_size_per_device\": 128,\n\"median_speed\": 900.0,\n"
	    "\"speedup\": 3.0\n}\n}\n}\n");
	CHECK_INT(p.n, 1);
	t = &p.tables[0];
	CHECK_INT(t->n_columns, 4);
	CHECK_INT(t->n_rows, 2);
	CHECK_INT(t->rows[1].gpus, 4);
	CHECK_NEAR(t->rows[1].cells[2].number.value, 900, 0);
	CHECK_INT(t->rows[1].cells[0].col, 2);
	CHECK_INT(t->rows[1].cells[2].line, 10);
	published_release(&p);
}

/* Tables in one line, as in the text of a copied page. */
static void
test_flat(void)
{
	read_text("a.md",
	    "node_num gpu_num samples/s 1 1 306.35 1 4 1079.19 "
	    "node_num gpu_num samples/s 1 1 5 1 8 39\n");
	CHECK_INT(p.n, 2);
	CHECK_INT(p.tables[0].n_rows, 2);
	CHECK_NEAR(p.tables[0].rows[1].cells[2].number.value, 1079.19, 0);
	CHECK_INT(p.tables[1].rows[1].gpus, 8);
	published_release(&p);
}

static void
test_too_many_columns(void)
{
	char table[2 * (PUBLISHED_MAX_COLUMNS + 2) + 16];
	size_t n = 0;

	for (int i = 0; i <= PUBLISHED_MAX_COLUMNS; i++)
		n += (size_t)snprintf(table + n, sizeof table - n, "|a");
	(void)snprintf(table + n, sizeof table - n, "|\n|-|\n");
	CHECK_INT(published_read("a", table, strlen(table), 0, &p, &e), -1);
	CHECK_INT(e.code, ERROR_LIMIT);
	CHECK_STR(e.message, "a:1: a table of too many columns or cells");
}

static const struct tap_test tests[] = {
	TEST(test_cells),
	TEST(test_heads),
	TEST(test_spellings),
	TEST(test_counts),
	TEST(test_counts_hold),
	TEST(test_many_guesses),
	TEST(test_global_batch),
	TEST(test_batch_of),
	TEST(test_hostile_markup),
	TEST(test_document),
	TEST(test_byte_order_mark),
	TEST(test_no_cases),
	TEST(test_unknown_heads),
	TEST(test_fits),
	TEST(test_refused),
	TEST(test_dlperf),
	TEST(test_flat),
	TEST(test_too_many_columns),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
