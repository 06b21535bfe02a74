/* Tests of sweep files, their commands and their logs. */
#include <config.h>

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/alloc.h"
#include "tests/tap.h"
#include "trainer/launch/job.h"
#include "trainer/launch/nodes.h"
#include "trainer/launch/plan.h"
#include "trainer/launch/sweep.h"

static char own_dir[] = "/nonexistent";
static const struct site site = { .mpirun = "mpirun",
	.flavour = MPI_OPEN,
	.dry = 1,
	.own_dir = own_dir,
	.cores = 2 };

/* Write the commands of a sweep, one per line, or the error message to sb.
 *
 * conditions  bits of enum sweep_condition that hold */
static void
commands_under(
    const char *text, const char *set, unsigned conditions, struct strbuf *sb)
{
	struct error e = ERROR_INIT;
	struct sweep s;
	struct plan p;

	strbuf_reset(sb);
	if (sweep_parse("s", text, strlen(text), &set, set != NULL, conditions,
		&s, &e) != 0) {
		strbuf_addstr(sb, e.message);
		return;
	}
	if (plan_make(&s, &site, NULL, 0, &p, &e) == 0) {
		for (size_t i = 0; i < p.n; i++) {
			command_show(&p.runs[i], sb);
			strbuf_printf(sb, " >%s\n", p.runs[i].log);
		}
		plan_release(&p);
	} else {
		strbuf_addstr(sb, e.message);
	}
	sweep_release(&s);
}

static void
commands(const char *text, const char *set, struct strbuf *sb)
{
	commands_under(text, set, 0, sb);
}

static void
test_topologies(void)
{
	static const char *const bad[] = { "", "n", "1n", "1g", "n1g", "1ng",
		"0n1g", "1n0g", "1n1", "1n1gg", "1n1g ", " 1n1g", "-1n1g",
		"1n+-1g", "1N1G", "1n1n1g", "99999999999999999999n1g",
		"1048577n1g", "111111111111111111111111111111111111n1g" };
	long nodes = 7, devices = 7;

	CHECK(topology_parse("12n16g", &nodes, &devices) == 0 && nodes == 12 &&
	    devices == 16);
	CHECK(topology_parse("1048576n1g", &nodes, &devices) == 0);
	nodes = devices = 7;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		CHECK(topology_parse(bad[i], &nodes, &devices) == -1 &&
		    nodes == 7 && devices == 7);
}

static void
test_words(void)
{
	struct strbuf sb;

	strbuf_init(&sb, 1 << 16);
	commands("name x\nmodel m\nbatch 2\nruns 1\ncommand c\n"
		 "options 'a b'\"c'd\"e  f''g\t''\r\n  \"\" h\n",
	    NULL, &sb);
	CHECK_STR(
	    sb.buf, "c 'a bc'\\''de' fg '' '' h >x/1n1g/m_b2_fp32_1.log\n");
	commands("name x\nmodel m\nbatch 2\nruns 1\ncommand c\n"
		 "options {model}{batch}-{total_batch}/{lr} }{run}\n"
		 "topology 3n5g\nlauncher l {ranks}\nenv N={nodes}{devices}\n",
	    NULL, &sb);
	CHECK_STR(sb.buf,
	    "env N=35 l 15 c m2-30/0.03 '}1' >x/3n5g/m_b2_fp32_1.log\n");
	strbuf_release(&sb);
}

static void
test_groups(void)
{
	static const char text[] = "model m\nbatch 2\ncommand c\nruns 2\n"
				   "topology 1n1g\noptions all\n"
				   "name x\n# comment\nmore-options x\n"
				   "name y\ndevices 1\nruns 1\nbatch 3 4\n"
				   "options y";
	struct strbuf sb;

	strbuf_init(&sb, 1 << 16);
	commands(text, NULL, &sb);
	CHECK_STR(sb.buf,
	    "c all x >x/1n1g/m_b2_fp32_1.log\n"
	    "c y >y/1n1g/m_b3_fp32_1.log\n"
	    "c y >y/1n1g/m_b4_fp32_1.log\n"
	    "c all x >x/1n1g/m_b2_fp32_2.log\n");
	commands(text, "batch 7", &sb);
	CHECK_STR(sb.buf,
	    "c all x >x/1n1g/m_b7_fp32_1.log\n"
	    "c y >y/1n1g/m_b7_fp32_1.log\n"
	    "c all x >x/1n1g/m_b7_fp32_2.log\n");
	commands("name x\nmodel m\nbatch 2\ncommand c\nruns 1\ntopology 2n2g\n"
		 "launcher l\n",
	    "devices 3 4", &sb);
	CHECK_STR(sb.buf,
	    "l c >x/1n3g/m_b2_fp32_1.log\n"
	    "l c >x/1n4g/m_b2_fp32_1.log\n");
	commands("name x\nmodel\tm\nbatch 2 x\n", NULL, &sb);
	CHECK_STR(sb.buf,
	    "s:3:9: batch: 'x' is not a whole number from 1 to 1048576\n"
	    "batch 2 x\n        ^");
	strbuf_release(&sb);
}

/* Which settings under conditions take effect, in the head and in groups. */
static void
test_conditions(void)
{
	static const char text[] = "model m\ncommand c\nruns 1\n"
				   "quick:batch 1\nbatch 4\ncpu:batch 2\n"
				   "topology 4n8g\nlauncher l\n"
				   "cpu:devices 1 2\n"
				   "name x\noptions a\ncpu:options b\n"
				   "name y\nbatch 8\n";
	static const char *const want[] = {
		"l c a >x/4n8g/m_b4_fp32_1.log\n"
		"l c >y/4n8g/m_b8_fp32_1.log\n",
		/* A group's own value overrides the head's, even one under a
		 * condition. */
		"l c b >x/1n1g/m_b2_fp32_1.log\n"
		"l c b >x/1n2g/m_b2_fp32_1.log\n"
		"l c >y/1n1g/m_b8_fp32_1.log\n"
		"l c >y/1n2g/m_b8_fp32_1.log\n",
		"l c a >x/4n8g/m_b1_fp32_1.log\n"
		"l c >y/4n8g/m_b8_fp32_1.log\n",
		"l c b >x/1n1g/m_b1_fp32_1.log\n"
		"l c b >x/1n2g/m_b1_fp32_1.log\n"
		"l c >y/1n1g/m_b8_fp32_1.log\n"
		"l c >y/1n2g/m_b8_fp32_1.log\n",
	};
	struct strbuf sb;

	strbuf_init(&sb, 1 << 16);
	for (unsigned bits = 0; bits < 4; bits++) {
		commands_under(text, NULL, bits, &sb);
		CHECK_STR(sb.buf, want[bits]);
	}
	commands_under("name x\nquick:batch 0\n", NULL, 0, &sb);
	CHECK_STR(sb.buf,
	    "s:2:13: batch: '0' is not a whole number from 1 to 1048576\n"
	    "quick:batch 0\n            ^");
	commands_under("cpu:batch 1\nbatch 2\ncpu:batch 1\n", NULL, 0, &sb);
	CHECK(strstr(sb.buf,
		  "s:3:1: 'batch' is given twice, first in line 1") != NULL);
	commands_under("cpu:name x\n", NULL, SWEEP_ON_CPU, &sb);
	CHECK(strstr(sb.buf, "'name' cannot depend on a condition") != NULL);
	commands_under("gpu:name x\n", NULL, 0, &sb);
	CHECK(strstr(sb.buf, "'gpu:name' is no key") != NULL);
	commands_under("name x\ntable phases\n", NULL, 0, &sb);
	CHECK(strstr(sb.buf, "'table' applies to all groups") != NULL);
	strbuf_release(&sb);
}

/* The settings without conditions and --set are kept next to those in effect.
 */
static void
test_plain(void)
{
	static const char text[] = "batch 4\ncpu:batch 2\nmodel resnet18\n"
				   "name x\ntopology 2n1g\ncpu:devices 3\n";
	const char *const sets[] = { "runs 7" };
	struct error e = ERROR_INIT;
	struct sweep s;

	if (sweep_parse(
		"s", text, strlen(text), sets, 1, SWEEP_ON_CPU, &s, &e) != 0) {
		CHECK_STR(e.message, "");
		return;
	}
	CHECK_STR(s.groups[0].set[SWEEP_BATCH].words[0].text, "2");
	CHECK_STR(s.groups[0].plain[SWEEP_BATCH].words[0].text, "4");
	CHECK_STR(s.groups[0].set[SWEEP_RUNS].words[0].text, "7");
	CHECK_STR(s.groups[0].plain[SWEEP_RUNS].words[0].text, "5");
	CHECK(s.groups[0].set[SWEEP_TOPOLOGY].n == 0);
	CHECK_STR(s.groups[0].plain[SWEEP_TOPOLOGY].words[0].text, "2n1g");
	sweep_release(&s);
}

/* Nodes are emulated if a link or a share of a core is set. */
static void
test_nodes(void)
{
	static const char head[] =
	    "name x\nmodel m\nbatch 3\nruns 1\ncommand c\n";
	static const struct {
		const char *more, *want;
	} cases[] = {
		{ "topology 4n2g\nlink 2.5G\n",
		    "run_on_nodes --nodes=4 --devices=2 --link=2.5G -- c" },
		{ "link none\nlink-burst 64mb\nlink-delay 1ms\n",
		    "run_on_nodes --nodes=1 --devices=1 --link=none "
		    "--burst=64mb --delay=1ms -- c" },
		{ "core-share none\n", "c" },
		{ "core-share 0.25\n",
		    "run_on_nodes --nodes=1 --devices=1 --core-share=0.25 -- "
		    "c" },
		/* Two cores: one rank gets at most one core. If some run has
		 * eight ranks, each rank of all runs gets a quarter. */
		{ "core-share auto\n",
		    "run_on_nodes --nodes=1 --devices=1 --core-share=1 -- c" },
		{ "core-share auto\ntopology 1n1g 2n4g\nlink 1G\n",
		    "run_on_nodes --nodes=1 --devices=1 --link=1G "
		    "--core-share=0.25 -- c" },
		{ "images 10\ntopology 1n1g\noptions {steps} {data}\n",
		    "c 4 DATA" },
		{ "link 2.5G\nhostfile h\nhosts-link 2.5G\n",
		    "mpirun --bind-to none --hostfile h --map-by ppr:1:node -n "
		    "1 c" },
		{ "link 0\n", "s:6:6: link: '0' is not a rate" },
		{ "link-burst 1kb\n",
		    "s:6:12: link-burst: '1kb' is not a size" },
		{ "link-delay 1\n", "s:6:12: link-delay: '1' is not a delay" },
		{ "core-share 1.5\n", "s:6:12: core-share: '1.5' is not auto" },
		{ "core-share 0\n", "s:6:12: core-share: '0' is not auto" },
		{ "needs tpu\n", "s:6:7: needs: 'tpu' is not gpu" },
	};
	struct strbuf sb, text;

	strbuf_init(&sb, 1 << 16);
	strbuf_init(&text, 1 << 16);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		strbuf_reset(&text);
		strbuf_printf(&text, "%s%s", head, cases[i].more);
		commands(text.buf, NULL, &sb);
		if (strncmp(sb.buf, cases[i].want, strlen(cases[i].want)) != 0)
			CHECK_STR(sb.buf, cases[i].want);
	}
	CHECK(strstr(sb.buf, "needs") != NULL);
	strbuf_release(&sb);
	strbuf_release(&text);
}

/* The plan omits runs that the site cannot make. */
static void
test_left_out(void)
{
	static const char text[] =
	    "model m\nbatch 1\nruns 2\ncommand c\n"
	    "name a\nname b\nneeds gpu\nname c\ntopology 1n1g 2n1g 1n4g\n"
	    "name d\ntopology 2n1g\nlink 1G\n";
	static const struct {
		long gpus;
		int in_slurm;
		const char *want; /* names of those left out */
	} cases[] = {
		{ 0, 0, "b/1n1g c/2n1g " },
		{ 2, 0, "c/2n1g c/1n4g d/2n1g " },
		{ 4, 0, "c/2n1g d/2n1g " },
		{ 0, 1, "d/2n1g " },
	};
	struct strbuf sb;

	unsetenv("SLURM_JOB_NUM_NODES");
	strbuf_init(&sb, 1 << 16);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct site here = site;
		struct error e = ERROR_INIT;
		struct sweep s;
		struct plan p;

		here.leaves_out = 1;
		here.gpus = cases[i].gpus;
		here.in_slurm = cases[i].in_slurm;
		strbuf_reset(&sb);
		CHECK(sweep_parse(
			  "s", text, strlen(text), NULL, 0, 0, &s, &e) == 0);
		CHECK(plan_make(&s, &here, NULL, 0, &p, &e) == 0);
		for (size_t k = 0; k < p.n_left_out; k++)
			strbuf_printf(&sb, "%s/%ldn%ldg ",
			    p.left_out[k].run.name, p.left_out[k].run.nodes,
			    p.left_out[k].run.devices);
		CHECK_STR(sb.buf, cases[i].want);
		/* Six combinations, two runs each. */
		CHECK(p.n == 2 * (6 - p.n_left_out));
		plan_release(&p);
		sweep_release(&s);
	}
	strbuf_release(&sb);
}

static void
test_link(void)
{
	static const char *const bad[] = { "", "G", "2.5", "2.5X", "-1G", "0G",
		"1e3G", "2..5G", "NANG", "99999999999999G", "2.5G " };
	struct link l = { 7, 7, 7 };

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		CHECK(link_parse(bad[i], NULL, NULL, &l, NULL) == -1 &&
		    l.bits_per_s == 7);
	CHECK(link_parse("1G", "5gb", NULL, &l, NULL) == -1);
	CHECK(link_parse("1G", NULL, "11s", &l, NULL) == -1);
	CHECK(link_parse("2.5G", NULL, NULL, &l, NULL) == 0);
	CHECK_NEAR(l.bits_per_s, 2.5e9, 0);
	CHECK_NEAR(l.burst_bytes, 262144, 0);
	CHECK_NEAR(l.delay_s, 0, 0);
	CHECK(link_parse("100Mbit/s", "64MB", "0.5ms", &l, NULL) == 0);
	CHECK_NEAR(l.bits_per_s, 1e8, 0);
	CHECK_NEAR(l.burst_bytes, 67108864, 0);
	CHECK_NEAR(l.delay_s, 0.0005, 1e-18);
	CHECK(link_parse("none", NULL, NULL, &l, NULL) == 0);
	CHECK_NEAR(l.bits_per_s, 0, 0);
}

/* Run "sh -c script" into a file; returns its contents in out. */
static int
run_script(const char *script, double limit_s, struct job_result *r,
    struct strbuf *out)
{
	const char *const argv[] = { "sh", "-c", script, NULL };
	const char *const env[] = { "SWEEP_A=b=c", "SWEEP_D=", NULL };
	struct job job = { .argv = argv, .env = env, .limit_s = limit_s };
	struct error e = ERROR_INIT;
	FILE *f = tmpfile();
	char buf[256];
	size_t n;
	int rc;

	strbuf_reset(out);
	if (f == NULL)
		return -1;
	job.fd = fileno(f);
	rc = job_run(&job, r, &e);
	rewind(f);
	while ((n = fread(buf, 1, sizeof buf, f)) > 0)
		strbuf_add(out, buf, n);
	fclose(f);
	return rc;
}

static void
test_jobs(void)
{
	char folder[] = "/tmp/test_sweep.XXXXXX", script[80];
	struct job_result r;
	struct strbuf out;

	/* A shell starts background jobs with these signals ignored. */
	signal(SIGINT, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	job_signals_init();
	strbuf_init(&out, 1 << 16);
	CHECK(run_script("echo $SWEEP_A-$SWEEP_D; echo e >&2; cat; exit 7", 0,
		  &r, &out) == 0 &&
	    r.status == 7 && r.signal == 0 && !r.timed_out);
	CHECK_STR(out.buf, "b=c-\ne\n");
	CHECK(run_script("kill -9 $$", 0, &r, &out) == 0 &&
	    r.status == 128 + SIGKILL);
	CHECK(run_script("sleep 20", 0.2, &r, &out) == 0 && r.timed_out &&
	    r.status == 128 + SIGTERM && r.real_s >= 0.2 && r.real_s < 10);
	CHECK(run_script("i=0; while test $i -lt 100000; do i=$((i+1)); done",
		  0, &r, &out) == 0 &&
	    r.user_s > 0.001 && r.user_s + r.sys_s <= r.real_s + 0.1);
	/* A child left behind is killed: it would disturb the next run. */
	CHECK(mkdtemp(folder) != NULL);
	snprintf(script, sizeof script, "(sleep 2; rmdir %s) &", folder);
	CHECK(run_script(script, 0, &r, &out) == 0);
	if (r.real_s < 1.5) /* else the child may have ended */
		sleep(3);
	CHECK(r.real_s >= 1.5 || rmdir(folder) == 0);
	raise(SIGTERM);
	CHECK(run_script("sleep 20", 0, &r, &out) == 0 && r.signal == SIGTERM &&
	    r.real_s < 10);
	CHECK(job_interrupt() == 0);
	raise(SIGINT);
	CHECK(job_interrupt() == SIGINT && job_interrupt() == 0);
	signal(SIGHUP, SIG_IGN);
	raise(SIGHUP);
	CHECK(job_interrupt() == 0);
	CHECK(run_script("kill -HUP $$; exit 4", 0, &r, &out) == 0);
	CHECK_INT(r.status, 4);
	signal(SIGHUP, SIG_IGN); /* discards the pending signal */
	signal(SIGHUP, SIG_DFL);
	strbuf_release(&out);
}

/* --- Logs ----------------------------------------------------------------- */

static const char *const no_words[] = { NULL };
static const struct group no_settings;
static const struct run a_run = { .group = &no_settings,
	.name = "x",
	.model = "m",
	.precision = "fp32",
	.batch = 4,
	.nodes = 1,
	.devices = 2,
	.run = 3,
	.argv = no_words,
	.env = no_words };

/* Log a program that printed text. Returns runlog_end()'s value, or -2. */
static int
make_log(const char *path, const char *text, int status, double *rate,
    struct error *e)
{
	const struct job_result r = { .status = status, .real_s = 12.345 };
	const int fd = runlog_begin(path, &a_run, "c 'a b'", e);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		return -2;
	return runlog_end(fd, path, &r, "dlscale: summary ", rate, e);
}

/* A log is recognised as finished whatever its program prints. */
static void
check_odd_logs(const char *folder)
{
	static const char text[] = "dlscale: command c\n\0 a NUL, \0\n"
				   "dlscale: run ended=x status=0\n"
				   "real -0.5\n";
	struct runlog_metadata metadata = { 0, 0 };
	char path[64];
	FILE *f;

	snprintf(path, sizeof path, "%s/odd.log", folder);
	f = fopen(path, "w");
	CHECK(f != NULL);
	fwrite(text, 1, sizeof text - 1, f);
	CHECK_INT(fclose(f), 0);
	CHECK(runlog_look(path, "c", &metadata) == RUNLOG_FINISHED);
	CHECK(metadata.same_command);
	CHECK_NEAR(metadata.real_s, -1, 0);
	unlink(path);
}

static void
test_logs(void)
{
	char folder[] = "/tmp/test_sweep.XXXXXX", path[64], other[64];
	struct runlog_metadata metadata = { -1, 0 };
	struct error e = ERROR_INIT;
	double rate;

	if (mkdtemp(folder) == NULL) {
		SKIP("no folder in /tmp");
	}
	snprintf(path, sizeof path, "%s/a/x.log", folder);
	CHECK(runlog_look(path, "c", &metadata) == RUNLOG_ABSENT);
	CHECK(make_log(path, "dlscale: summary a=1\nlast", 9, &rate, &e) == -1);
	snprintf(other, sizeof other, "%s.1~", path);
	CHECK(strstr(e.message, ".1~: exit status 9: last") != NULL);
	CHECK(access(other, F_OK) == 0 &&
	    runlog_look(path, "c", &metadata) == RUNLOG_ABSENT);
	CHECK(make_log(path,
		  "x\ndlscale: summary images_per_s=1 images_per_s="
		  "2\n ends here\n",
		  0, &rate, &e) == 0 &&
	    rate == 1);
	CHECK(runlog_look(path, "c 'a b'", &metadata) == RUNLOG_FINISHED &&
	    metadata.same_command && fabs(metadata.real_s - 12.35) < 0.011);
	CHECK(runlog_look(path, "c 'a", &metadata) == RUNLOG_FINISHED &&
	    !metadata.same_command);
	CHECK(runlog_look(path, "c 'a b' d", &metadata) == RUNLOG_FINISHED &&
	    !metadata.same_command);
	check_odd_logs(folder);
	CHECK(make_log(path, "dlscale: summary a\n", 0, &rate, &e) == -1 &&
	    strstr(e.message, "another process made it") != NULL);
	CHECK(runlog_look(folder, "c", &metadata) == RUNLOG_OTHER);
	unlink(other);
	snprintf(other, sizeof other, "%s~", path);
	unlink(other);
	unlink(path);
	*strrchr(path, '/') = '\0';
	CHECK(rmdir(path) == 0 && rmdir(folder) == 0);
}

int
main(void)
{
	static const struct tap_test tests[] = { TEST(test_topologies),
		TEST(test_words), TEST(test_groups), TEST(test_conditions),
		TEST(test_plain), TEST(test_nodes), TEST(test_left_out),
		TEST(test_link), TEST(test_jobs), TEST(test_logs) };

	return tap_main(tests, N_TESTS(tests));
}
