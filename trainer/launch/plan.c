/* Builds the command line of a run (program, launcher, hosts, environment), and
 * expands the groups of a sweep into an ordered list of runs. */
#include <config.h>

#include "trainer/launch/plan.h"

#include <assert.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/files/files.h"
#include "common/text.h"
#include "trainer/base/machine_info.h"

/* --- Site ----------------------------------------------------------------- */

/* Run a short command. Returns its output, which the caller frees; "" if it
 * fails. */
static char *
ask(const char *program, const char *option)
{
	const char *const argv[] = { program, option, NULL };
	struct strbuf out = STRBUF_INIT(1 << 20);

	if (machine_info_capture(argv, &out) != 0)
		strbuf_reset(&out);
	return strbuf_detach(&out);
}

void
site_init(struct site *site, int dry)
{
	static const struct {
		const char *text;
		enum mpi_flavour flavour;
	} signs[] = { { "Intel(R) MPI", MPI_HYDRA }, { "HYDRA", MPI_HYDRA },
		{ "PRRTE", MPI_OPEN }, { "OpenRTE", MPI_OPEN },
		{ "Open MPI", MPI_OPEN } };
	const char *mpirun = getenv("MPIRUN");
	const long cores = sysconf(_SC_NPROCESSORS_ONLN);
	char *gpus = ask("nvidia-smi", "-L"), *version;

	*site = (struct site){
		.mpirun = mpirun != NULL && *mpirun != '\0' ? mpirun : "mpirun",
		.in_slurm = getenv("SLURM_JOB_ID") != NULL,
		.is_root = geteuid() == 0,
		.dry = dry,
		.own_dir = install_path_own_folder(),
		.cores = cores > 0 ? cores : 1,
		.gpus = strncmp(gpus, "GPU ", 4) == 0,
	};
	for (const char *p = gpus; (p = strstr(p, "\nGPU ")) != NULL; p++)
		site->gpus++;
	version = ask(site->mpirun, "--version");
	for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
		if (strstr(version, signs[i].text) != NULL)
			site->flavour = signs[i].flavour;
	free(gpus);
	free(version);
}

unsigned
site_conditions(const struct site *site)
{
	return site->gpus == 0 ? SWEEP_ON_CPU : 0;
}

void
site_release(struct site *site)
{
	free(site->own_dir);
	site->own_dir = NULL;
}

/* --- Words ---------------------------------------------------------------- */

/* Processes that the run's own command starts. */
enum own_launcher {
	OWN_NONE, /* this one */
	OWN_NODE, /* those of its node, as torchrun does */
	OWN_JOB   /* those of the whole job, as mpirun does */
};

/* A command under construction. */
struct command_maker {
	struct arena *a;
	const struct sweep *s;
	const struct site *site;
	const struct run *r;
	const struct setting *set; /* r->group->set */
	enum own_launcher own;
	long per_node;        /* processes to start on each node */
	const char *hostfile; /* NULL: none */
	const char **words;   /* so far; take_words() moves them to the arena */
	size_t n, alloc;
	struct error *e;
};

static void
push(struct command_maker *m, const char *word)
{
	m->words = vec_grow(m->words, m->n, &m->alloc, sizeof *m->words);
	m->words[m->n++] = word;
}

/* Add the words of a formatted text, separated by spaces. */
static void push_words(struct command_maker *m, const char *fmt, ...)
    PRINTF_LIKE(2, 3);

static void
push_words(struct command_maker *m, const char *fmt, ...)
{
	char *text, *word;
	va_list ap;

	va_start(ap, fmt);
	text = arena_vprintf(m->a, fmt, ap);
	va_end(ap);
	while ((word = strsep(&text, " ")) != NULL)
		push(m, word);
}

static const char *const *
take_words(struct command_maker *m)
{
	const char **words = arena_calloc(m->a, m->n + 1, sizeof *words);

	if (m->n > 0)
		memcpy(words, m->words, m->n * sizeof *words);
	free(m->words);
	m->words = NULL;
	m->n = m->alloc = 0;
	return words;
}

/* The single value of a key; NULL if it has none. */
static const char *
value_of(const struct run *r, enum sweep_key key)
{
	const struct setting *v = &r->group->set[key];

	return v->n == 1 ? v->words[0].text : NULL;
}

/* Add the value of a field. {steps}: number of steps in which all devices
 * together process the run's images once. */
static void
add_field(
    const struct command_maker *m, enum sweep_field field, struct strbuf *sb)
{
	const struct site *site = m->site;
	const struct run *r = m->r;
	const char *images = value_of(r, SWEEP_IMAGES);
	const long ranks = r->nodes * r->devices, total = ranks * r->batch;
	const long numbers[SWEEP_FIELDS] = {
		[FIELD_BATCH] = r->batch,
		[FIELD_NODES] = r->nodes,
		[FIELD_DEVICES] = r->devices,
		[FIELD_RANKS] = ranks,
		[FIELD_TOTAL_BATCH] = total,
		[FIELD_RUN] = r->run,
	};
	long n;

	if (field == FIELD_MODEL)
		strbuf_addstr(sb, r->model);
	else if (field == FIELD_PRECISION)
		strbuf_addstr(sb, r->precision);
	else if (field == FIELD_CHECKPOINT)
		strbuf_printf(sb, "%s/%s%s",
		    site->log_dir != NULL ? site->log_dir : "logs", r->log,
		    RUN_CHECKPOINT);
	else if (field == FIELD_DATA)
		strbuf_addstr(sb, site->data != NULL ? site->data : "DATA");
	else if (field == FIELD_STEPS)
		strbuf_printf(sb, "%ld",
		    images != NULL &&
			    parse_long(images, 1, SWEEP_MAX_COUNT, &n) == 0
			? (n + total - 1) / total
			: 0);
	else if (field == FIELD_LR)
		strbuf_printf(sb, "%.10g", 1e-3 * (double)total);
	else
		strbuf_printf(sb, "%ld", numbers[field]);
}

/* Add the words of a key with their {fields} filled in. */
static void
push_setting(struct command_maker *m, enum sweep_key key)
{
	struct strbuf sb = STRBUF_INIT(SWEEP_MAX_BYTES);

	for (size_t i = 0; i < m->set[key].n; i++) {
		const char *text = m->set[key].words[i].text, *field;

		strbuf_reset(&sb);
		while ((field = strchr(text, '{')) != NULL) {
			size_t len;
			const int number = sweep_field_find(field, &len);

			strbuf_add(&sb, text, (size_t)(field - text));
			add_field(m, (enum sweep_field)number, &sb);
			text = field + len;
		}
		strbuf_addstr(&sb, text);
		push(m, arena_strdup(m->a, sb.buf));
	}
	strbuf_release(&sb);
}

/* Find the launcher with which the run's own command begins. */
static enum own_launcher
find_own_launcher(const struct setting *command)
{
	static const struct {
		const char *name;
		enum own_launcher own;
	} rows[] = { { "mpirun", OWN_JOB }, { "mpiexec", OWN_JOB },
		{ "mpiexec.hydra", OWN_JOB }, { "orterun", OWN_JOB },
		{ "prterun", OWN_JOB }, { "srun", OWN_JOB },
		{ "horovodrun", OWN_JOB }, { "deepspeed", OWN_JOB },
		{ "torchrun", OWN_NODE }, { "accelerate", OWN_NODE },
		/* Python modules. */
		{ "torch.distributed.run", OWN_NODE },
		{ "torch.distributed.launch", OWN_NODE },
		{ "paddle.distributed.launch", OWN_NODE },
		{ "accelerate.commands.launch", OWN_NODE } };
	const struct word *w = command->words;
	const char *program = command->n > 0 ? w[0].text : "";
	const char *slash = strrchr(program, '/');
	const char *name = slash != NULL ? slash + 1 : program;

	/* Ignore a "-m" after the script's name. */
	if (strncmp(name, "python", 6) == 0)
		for (size_t i = 1; i + 1 < command->n && w[i].text[0] == '-';
		     i++)
			if (strcmp(w[i].text, "-m") == 0)
				name = w[i + 1].text;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (strcmp(rows[i].name, name) == 0)
			return rows[i].own;
	return OWN_NONE;
}

/* --- The program ---------------------------------------------------------- */

/* The path of an executable, which is searched for in $PATH if its name has no
 * slash; NULL if there is none. */
static const char *
find_executable(struct arena *a, const char *name)
{
	const char *dir = getenv("PATH");
	char *dirs = arena_strdup(a, dir != NULL ? dir : ""), *one;

	if (strchr(name, '/') != NULL)
		return access(name, X_OK) == 0 ? name : NULL;
	while (dir != NULL && (one = strsep(&dirs, ":")) != NULL) {
		const char *path =
		    arena_printf(a, "%s/%s", *one != '\0' ? one : ".", name);

		if (access(path, X_OK) == 0)
			return path;
	}
	return NULL;
}

/* A program next to this one; NULL if there is none. */
static const char *
find_neighbour(struct command_maker *m, const char *name)
{
	const char *dir = m->site->own_dir;

	return dir == NULL
	    ? NULL
	    : find_executable(m->a, arena_printf(m->a, "%s/%s", dir, name));
}

/* The path of train_imagenet, or NULL if it is not found. It is absolute if the
 * command runs on other nodes, whose $PATH and working directory differ. */
static const char *
find_program(struct command_maker *m)
{
	const char *asked = value_of(m->r, SWEEP_PROGRAM), *found, *name;
	char *whole = NULL;
	int is_asked;

	if (asked == NULL)
		asked = getenv("TRAIN_IMAGENET");
	is_asked = asked != NULL && *asked != '\0';
	name = is_asked ? asked : "train_imagenet";
	found = find_executable(m->a, name);
	if (found != NULL && (m->r->nodes > 1 || m->hostfile != NULL))
		whole = realpath(found, NULL);
	if (whole != NULL) {
		name = arena_strdup(m->a, whole);
		free(whole);
	} else if (found == NULL) {
		found = is_asked ? NULL : find_neighbour(m, name);
		name = found != NULL ? found : name;
	}
	if (found != NULL || m->site->dry)
		return name;
	error_set(m->e, ERROR_SYSTEM,
	    "cannot find '%s'; set $TRAIN_IMAGENET or 'program'", name);
	return NULL;
}

/* --- Launchers ------------------------------------------------------------ */

static int
command_mistake(struct command_maker *m, const char *what)
{
	return sweep_error(m->s, &m->set[SWEEP_NAME].words[0], m->e,
	    "%ldn%ldg: %s", m->r->nodes, m->r->devices, what);
}

static int
launch_none(struct command_maker *m)
{
	if (m->r->nodes * m->r->devices > 1 && m->own == OWN_NONE)
		return command_mistake(
		    m, "more than one device needs a launcher");
	return 0;
}

static int
sets_variable(const struct command_maker *m, const char *name)
{
	const struct setting *v = &m->set[SWEEP_ENV];
	const size_t n = strlen(name);

	for (size_t i = 0; i < v->n; i++)
		if (strncmp(v->words[i].text, name, n) == 0 &&
		    v->words[i].text[n] == '=')
			return 1;
	return 0;
}

int
hostfile_first(const char *path, char *host, size_t size)
{
	FILE *f = fopen(path, "re");
	char line[512];
	size_t n = 0;

	if (f == NULL)
		return -1;
	while (n == 0 && fgets(line, sizeof line, f) != NULL) {
		const char *word = line + strspn(line, " \t\r\n"), *at;

		at = memchr(word, '@', strcspn(word, " \t\r\n#"));
		word = at != NULL ? at + 1 : word;
		/* Skip the rest of an overlong line. */
		for (int c = strchr(line, '\n') != NULL ? '\n' : 0;
		     c != '\n' && c != EOF;)
			c = getc(f);
		n = strcspn(word, " \t\r\n#");
		/* Remove a port or number of slots. An IPv6 address has more
		 * than one colon. */
		at = memchr(word, ':', n);
		if (at != NULL && at == memrchr(word, ':', n))
			n = (size_t)(at - word);
		if (n > 0 && n < size) {
			memcpy(host, word, n);
			host[n] = '\0';
		}
	}
	fclose(f);
	if (n == 0 || n >= size)
		return -1;
	return strcmp(host, "localhost") == 0 || strcmp(host, "::1") == 0 ||
		strncmp(host, "127.", 4) == 0
	    ? gethostname(host, size)
	    : 0;
}

/* Ranks without MPI meet at $MASTER_ADDR, by default on the first host of the
 * hostfile. Hydra passes the environment to other hosts; Open MPI needs an
 * option for each variable, also for the token that the runner sets. */
static void
push_meeting_place(struct command_maker *m)
{
	static const char *const names[] = { "MASTER_ADDR", "MASTER_PORT" };
	const int is_hydra = m->site->flavour == MPI_HYDRA;
	char host[256];

	if (m->r->nodes == 1 || m->set[SWEEP_COMMAND].n > 0)
		return;
	if (!is_hydra && !sets_variable(m, "DLSCALE_JOB_TOKEN"))
		push_words(m, "-x DLSCALE_JOB_TOKEN");
	for (int i = 0; i < 2 && !is_hydra; i++)
		if (getenv(names[i]) != NULL && !sets_variable(m, names[i]))
			push_words(m, "-x %s", names[i]);
	if (getenv(names[0]) == NULL && !sets_variable(m, names[0]) &&
	    hostfile_first(m->hostfile, host, sizeof host) == 0)
		push_words(
		    m, is_hydra ? "-genv %s %s" : "-x %s=%s", names[0], host);
}

static int
launch_mpirun(struct command_maker *m)
{
	const struct setting *env = &m->set[SWEEP_ENV];

	if (m->r->nodes > 1 && m->hostfile == NULL)
		return command_mistake(
		    m, "more than one node needs a hostfile");
	if (!m->site->dry && m->site->flavour == MPI_UNKNOWN)
		return error_set(m->e, ERROR_SYSTEM,
		    "'%s --version' names neither Open MPI nor MPICH; is it "
		    "installed? (set $MPIRUN to use another)",
		    m->site->mpirun);
	push(m, m->site->mpirun);
	if (m->site->flavour != MPI_HYDRA) {
		if (m->site->is_root)
			push(m, "--allow-run-as-root");
		push_words(m, "--bind-to none");
	}
	if (m->hostfile != NULL) {
		push(m, m->site->flavour == MPI_HYDRA ? "-f" : "--hostfile");
		push(m, m->hostfile);
	}
	if (m->site->flavour == MPI_HYDRA)
		push_words(m, "-ppn %ld", m->per_node);
	else if (m->hostfile != NULL)
		push_words(m, "--map-by ppr:%ld:node", m->per_node);
	else
		push_words(m, "--host localhost:%ld", m->per_node);
	for (size_t i = 0;
	     i < env->n && m->r->nodes > 1 && m->site->flavour != MPI_HYDRA;
	     i++) {
		const char *text = env->words[i].text;

		push_words(m, "-x %.*s", (int)strcspn(text, "="), text);
	}
	if (m->hostfile != NULL)
		push_meeting_place(m);
	push_words(m, "-n %ld", m->r->nodes * m->per_node);
	push_setting(m, SWEEP_LAUNCHER_OPTIONS);
	return 0;
}

static int
launch_srun(struct command_maker *m)
{
	push_words(m,
	    "srun --mpi=pmix --kill-on-bad-exit=1 --nodes=%ld --ntasks=%ld "
	    "--ntasks-per-node=%ld",
	    m->r->nodes, m->r->nodes * m->per_node, m->per_node);
	push_setting(m, SWEEP_LAUNCHER_OPTIONS);
	return 0;
}

/* The share of a core for each rank; 0: no limit. */
static double
core_share_of(const struct command_maker *m)
{
	const char *text = value_of(m->r, SWEEP_CORE_SHARE);
	double x = 0;

	if (text == NULL || strcmp(text, "none") == 0)
		return 0;
	if (strcmp(text, "auto") != 0)
		return parse_double(text, 0, 1, &x) == 0 ? x : 0;
	x = (double)m->site->cores / (double)m->r->most_ranks;
	return x < 1 ? x : 1;
}

static int
launch_nodes(struct command_maker *m)
{
	static const struct {
		enum sweep_key key;
		const char *option;
	} rows[] = { { SWEEP_LINK, "link" }, { SWEEP_LINK_BURST, "burst" },
		{ SWEEP_LINK_DELAY, "delay" } };
	static const char name[] = "run_on_nodes";
	const double share = core_share_of(m);
	const char *program = find_executable(m->a, name) != NULL
	    ? name
	    : find_neighbour(m, name);

	if (program == NULL && !m->site->dry)
		return error_set(m->e, ERROR_SYSTEM,
		    "cannot find '%s', which emulates nodes and links", name);
	push(m, program != NULL ? program : name);
	push_words(m, "--nodes=%ld --devices=%ld", m->r->nodes, m->per_node);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (value_of(m->r, rows[i].key) != NULL)
			push_words(m, "--%s=%s", rows[i].option,
			    value_of(m->r, rows[i].key));
	if (share > 0)
		push_words(m, "--core-share=%.4g", share);
	push(m, "--");
	return 0;
}

static int
launch_auto(struct command_maker *m)
{
	if (m->own == OWN_JOB || (m->own == OWN_NODE && m->r->nodes == 1))
		return 0;
	/* Links and core shares are only emulated on this machine. */
	if (!m->site->in_slurm && m->hostfile == NULL &&
	    (value_of(m->r, SWEEP_LINK) != NULL || core_share_of(m) > 0))
		return launch_nodes(m);
	if (m->site->in_slurm)
		return launch_srun(m);
	if (m->r->nodes * m->per_node == 1 && m->hostfile == NULL)
		return launch_none(m);
	return launch_mpirun(m);
}

static int
push_launcher(struct command_maker *m)
{
	static const struct {
		const char *name;
		int (*push)(struct command_maker *m);
	} launchers[] = {
		{ "auto", launch_auto },
		{ "none", launch_none },
		{ "mpirun", launch_mpirun },
		{ "nodes", launch_nodes },
		{ "srun", launch_srun },
	};
	const char *name = value_of(m->r, SWEEP_LAUNCHER);

	for (size_t i = 0;
	     name != NULL && i < sizeof launchers / sizeof *launchers; i++)
		if (strcmp(name, launchers[i].name) == 0)
			return launchers[i].push(m);
	push_setting(m, SWEEP_LAUNCHER);
	return 0;
}

/* Set r->argv and r->env. ERROR_INPUT if the launcher cannot start it,
 * ERROR_SYSTEM if the program is missing. */
static int
command_make(struct arena *a, const struct sweep *s, const struct site *site,
    struct run *r, struct error *e)
{
	struct command_maker m = { .a = a,
		.s = s,
		.site = site,
		.r = r,
		.set = r->group->set,
		.own = find_own_launcher(&r->group->set[SWEEP_COMMAND]),
		.hostfile = value_of(r, SWEEP_HOSTFILE),
		.e = e };
	const char *program;
	int rc;

	/* Reject {data} if no folder of images is given. */
	for (int key = 0; key < SWEEP_KEYS && site->data == NULL && !site->dry;
	     key++)
		for (size_t i = 0; i < m.set[key].n && key != SWEEP_PREPARE;
		     i++) {
			const struct word *w = &m.set[key].words[i];

			if (strstr(w->text, "{data}") != NULL)
				return sweep_error(s, w, e,
				    "run_experiment alone knows {data}");
		}
	m.per_node = m.own == OWN_NODE ? 1 : r->devices;
	rc = push_launcher(&m);
	if (rc == 0 && m.set[SWEEP_COMMAND].n > 0) {
		push_setting(&m, SWEEP_COMMAND);
	} else if (rc == 0 && (program = find_program(&m)) != NULL) {
		push(&m, program);
		push_words(&m, "-a %s -b %ld --precision=%s", r->model,
		    r->batch, r->precision);
	} else {
		rc = -1;
	}
	push_setting(&m, SWEEP_OPTIONS);
	push_setting(&m, SWEEP_MORE_OPTIONS);
	r->argv = take_words(&m);
	push_setting(&m, SWEEP_ENV);
	r->env = take_words(&m);
	return rc;
}

/* --- What a run needs ----------------------------------------------------- */

/* The reason why a run cannot be made here (missing GPUs, hosts or link); NULL
 * if it can. */
static const char *
run_lacks(struct arena *a, const struct site *site, const struct run *r)
{
	const char *link = value_of(r, SWEEP_LINK);
	const char *set_to = value_of(r, SWEEP_HOSTS_LINK);
	const int hosts = site->in_slurm || value_of(r, SWEEP_HOSTFILE) != NULL;
	const char *job_nodes = getenv("SLURM_JOB_NUM_NODES");
	long nodes = 0; /* of Slurm's job; 0: not known */

	if (!site->in_slurm || job_nodes == NULL ||
	    parse_long(job_nodes, 1, SWEEP_MAX_COUNT, &nodes) != 0)
		nodes = 0;

	if (hosts && link != NULL && strcmp(link, "none") != 0 &&
	    (set_to == NULL || strcmp(link, set_to) != 0))
		return arena_printf(a,
		    "links between hosts are not shaped: set them to %s and "
		    "pass hosts-link %s",
		    link, link);
	if (nodes > 0 && r->nodes > nodes)
		return arena_printf(
		    a, "%ld nodes; Slurm's job has %ld", r->nodes, nodes);
	if (hosts)
		return NULL;
	if (r->group->set[SWEEP_NEEDS].n > 0 && site->gpus == 0)
		return "needs GPUs, and this machine has none";
	if (site->gpus > 0 && r->devices > site->gpus)
		return arena_printf(a, "%ld devices; this machine has %ld GPUs",
		    r->devices, site->gpus);
	if (r->nodes > 1 && (link == NULL || site->gpus > 0))
		return "more than one node: needs a hostfile or a job of Slurm";
	return NULL;
}

/* --- Showing -------------------------------------------------------------- */

void
command_show(const struct run *r, struct strbuf *sb)
{
	if (r->env[0] != NULL)
		strbuf_addstr(sb, "env ");
	for (size_t i = 0; r->env[i] != NULL; i++) {
		shell_word_add(sb, r->env[i]);
		strbuf_addch(sb, ' ');
	}
	for (size_t i = 0; r->argv[i] != NULL; i++) {
		strbuf_addstr(sb, i > 0 ? " " : "");
		shell_word_add(sb, r->argv[i]);
	}
}

char *
command_line_text(const char *name, int argc, char *const *argv)
{
	struct strbuf sb = STRBUF_INIT(1 << 16);

	strbuf_addstr(&sb, name);
	for (int i = 1; i < argc; i++) {
		strbuf_addch(&sb, ' ');
		shell_word_add(&sb, argv[i]);
	}
	return strbuf_detach(&sb);
}

/* --- The plan ------------------------------------------------------------- */

/* Combinations of all groups, each a run without a number. */
struct combinations {
	struct run *items;
	size_t n, alloc;
};

/* Parse a number that sweep_read() has checked. */
static long
word_number(const struct word *w)
{
	long x = 0;
	const int rc = parse_long(w->text, 1, SWEEP_MAX_COUNT, &x);

	assert(rc == 0);
	return rc == 0 ? x : 1;
}

static long
runs_of(const struct group *g)
{
	return word_number(&g->set[SWEEP_RUNS].words[0]);
}

static int
add_run(struct plan *p, const struct sweep *s, const struct site *site,
    struct run r, const char *only, struct error *e)
{
	const char *why;
	char *parts, *part;
	int wanted;

	r.log = arena_printf(&p->arena, "%s/%ldn%ldg/%s_b%ld_%s_%ld.log",
	    r.name, r.nodes, r.devices, r.model, r.batch, r.precision, r.run);
	/* --only selects a log by its path or a part of it. */
	wanted = only == NULL || fnmatch(only, r.log, 0) == 0;
	parts = arena_strdup(&p->arena, r.log);
	while (!wanted && (part = strsep(&parts, "/")) != NULL)
		wanted = fnmatch(only, part, 0) == 0;
	if (!wanted)
		return 0;
	if (r.nodes * r.devices > SWEEP_MAX_COUNT)
		return sweep_error(s, &r.group->set[SWEEP_NAME].words[0], e,
		    "%ldn%ldg: more than %d devices", r.nodes, r.devices,
		    SWEEP_MAX_COUNT);
	why = run_lacks(&p->arena, site, &r);
	if (why != NULL && site->leaves_out) {
		if (r.run > 1)
			return 0;
		p->left_out = vec_grow(p->left_out, p->n_left_out,
		    &p->alloc_left_out, sizeof *p->left_out);
		p->left_out[p->n_left_out++] = (struct left_out){ r, why };
		return 0;
	}
	if (command_make(&p->arena, s, site, &r, e) != 0)
		return -1;
	p->runs = vec_grow(p->runs, p->n, &p->alloc, sizeof *p->runs);
	p->runs[p->n++] = r;
	return 0;
}

/* Add all combinations of a group; topologies vary fastest. */
static void
add_group(struct combinations *c, const struct group *g)
{
	const struct setting *set = g->set;
	const struct setting *model = &set[SWEEP_MODEL];
	const struct setting *batch = &set[SWEEP_BATCH];
	const struct setting *topologies = &set[SWEEP_TOPOLOGY];
	const size_t n = set[SWEEP_PRECISION].n;
	const size_t n_devices = set[SWEEP_DEVICES].n;
	const size_t n_topologies =
	    topologies->n > 0 ? topologies->n : set[SWEEP_NODES].n * n_devices;
	struct run r = { .group = g, .name = set[SWEEP_NAME].words[0].text };

	for (size_t i = 0; i < model->n * batch->n * n; i++) {
		r.model = model->words[i / n / batch->n].text;
		r.batch = word_number(&batch->words[i / n % batch->n]);
		r.precision = set[SWEEP_PRECISION].words[i % n].text;
		for (size_t k = 0; k < n_topologies; k++) {
			if (topologies->n > 0) {
				topology_parse(topologies->words[k].text,
				    &r.nodes, &r.devices);
			} else {
				r.nodes = word_number(
				    &set[SWEEP_NODES].words[k / n_devices]);
				r.devices = word_number(
				    &set[SWEEP_DEVICES].words[k % n_devices]);
			}
			c->items =
			    vec_grow(c->items, c->n, &c->alloc, sizeof r);
			r.combination = c->n;
			c->items[c->n++] = r;
		}
	}
}

/* Reject an absurd number of runs before planning them. */
static int
check_number(const struct sweep *s, struct error *e)
{
	double all = 0; /* exact below the limit */

	for (size_t i = 0; i < s->n_groups; i++) {
		const struct setting *set = s->groups[i].set;
		const size_t n = set[SWEEP_TOPOLOGY].n;

		all += (double)set[SWEEP_MODEL].n * (double)set[SWEEP_BATCH].n *
		    (double)set[SWEEP_PRECISION].n *
		    (n > 0 ? (double)n
			   : (double)set[SWEEP_NODES].n *
				(double)set[SWEEP_DEVICES].n) *
		    (double)runs_of(&s->groups[i]);
	}
	if (all > PLAN_MAX_RUNS)
		return error_set(e, ERROR_LIMIT, "%s: more than %d runs",
		    s->path, PLAN_MAX_RUNS);
	return 0;
}

/* Order by the place in the group, then by group. */
static int
compare_places(const void *a, const void *b)
{
	const struct run *x = a, *y = b;

	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	return x->combination < y->combination ? -1 : 1;
}

static int
compare_logs(const void *a, const void *b)
{
	const struct run *x = *(const struct run *const *)a;
	const struct run *y = *(const struct run *const *)b;

	return strcmp(x->log, y->log);
}

/* Reject two runs with the same log. */
static int
check_logs(struct plan *p, const struct sweep *s, struct error *e)
{
	const struct run **order =
	    arena_calloc(&p->arena, p->n + 1, sizeof *order);

	for (size_t i = 0; i < p->n; i++)
		order[i] = &p->runs[i];
	qsort(order, p->n, sizeof *order, compare_logs);
	for (size_t i = 1; i < p->n; i++)
		if (strcmp(order[i - 1]->log, order[i]->log) == 0)
			return sweep_error(s,
			    &order[i]->group->set[SWEEP_NAME].words[0], e,
			    "two runs would write '%s'", order[i]->log);
	return 0;
}

int
plan_make(const struct sweep *s, const struct site *site, const char *only,
    int take_turns, struct plan *p, struct error *e)
{
	struct combinations c = { NULL, 0, 0 };
	long runs = 0, most_ranks = 1;
	int rc = check_number(s, e);

	*p = (struct plan){ .arena = ARENA_INIT };
	for (size_t i = 0; i < s->n_groups && rc == 0; i++) {
		const size_t first = c.n;

		add_group(&c, &s->groups[i]);
		for (size_t k = first; k < c.n; k++) {
			const long ranks =
			    c.items[k].nodes * c.items[k].devices;

			c.items[k].place = k - first;
			most_ranks = ranks > most_ranks ? ranks : most_ranks;
		}
		if (runs_of(&s->groups[i]) > runs)
			runs = runs_of(&s->groups[i]);
	}
	p->n_combinations = c.n;
	if (take_turns && c.n > 1)
		qsort(c.items, c.n, sizeof *c.items, compare_places);
	for (long run = 1; run <= runs && rc == 0; run++)
		for (size_t i = 0; i < c.n && rc == 0; i++) {
			struct run r = c.items[i];

			r.run = run;
			r.most_ranks = most_ranks;
			if (run <= runs_of(r.group))
				rc = add_run(p, s, site, r, only, e);
		}
	free(c.items);
	if (rc == 0)
		rc = check_logs(p, s, e);
	if (rc == 0 && p->n == 0 && p->n_left_out > 0)
		rc = error_set(e, ERROR_EMPTY,
		    "%s: nothing can be run here: %s: %s", s->path,
		    p->left_out[0].run.log, p->left_out[0].why);
	else if (rc == 0 && p->n == 0)
		rc = error_set(e, ERROR_EMPTY,
		    "--only: no run of '%s' is called '%s'", s->path, only);
	if (rc != 0)
		plan_release(p);
	return rc;
}

void
plan_release(struct plan *p)
{
	free(p->runs);
	free(p->left_out);
	arena_release(&p->arena);
	*p = (struct plan){ .arena = ARENA_INIT };
}
