/* Builds the command line of a run: program, launcher, hosts, environment. */
#include <config.h>

#include "trainer/launch/command.h"

#include <stdio.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/files/infile.h"
#include "common/text.h"
#include "trainer/launch/job.h"

/* A command under construction. */
struct command_maker {
	struct arena *a;
	const struct sweep *s;
	const struct site *site;
	const struct run *r;
	const char **words; /* so far; take_words() moves them to the arena */
	size_t n, alloc;
	struct error *e;
};

/* --- Site ----------------------------------------------------------------- */

/* Run a short command. Returns its output, which the caller frees; "" if it
 * fails. */
static char *
ask(const char *program, const char *option)
{
	const char *const argv[] = { program, option, NULL };
	struct strbuf out;

	strbuf_init(&out, 1 << 20);
	if (job_capture(argv, &out) != 0)
		strbuf_reset(&out);
	return strbuf_detach(&out);
}

static enum mpi_flavour
ask_flavour(const char *mpirun)
{
	static const struct {
		const char *text;
		enum mpi_flavour flavour;
	} signs[] = { { "Open MPI", MPI_OPEN }, { "OpenRTE", MPI_OPEN },
		{ "PRRTE", MPI_OPEN }, { "HYDRA", MPI_HYDRA },
		{ "Intel(R) MPI", MPI_HYDRA } };
	char *out = ask(mpirun, "--version");
	enum mpi_flavour flavour = MPI_UNKNOWN;

	for (size_t i = sizeof signs / sizeof signs[0]; i-- > 0;)
		if (strstr(out, signs[i].text) != NULL)
			flavour = signs[i].flavour;
	free(out);
	return flavour;
}

/* Number of GPUs of this machine, from nvidia-smi. */
static long
count_gpus(void)
{
	char *out = ask("nvidia-smi", "-L");
	long n = strncmp(out, "GPU ", 4) == 0;

	for (const char *p = out; (p = strstr(p, "\nGPU ")) != NULL; p++)
		n++;
	free(out);
	return n;
}

void
site_init(struct site *site, int dry)
{
	const char *mpirun = getenv("MPIRUN");
	const long cores = sysconf(_SC_NPROCESSORS_ONLN);

	*site = (struct site){
		.mpirun = mpirun != NULL && *mpirun != '\0' ? mpirun : "mpirun",
		.in_slurm = getenv("SLURM_JOB_ID") != NULL,
		.is_root = geteuid() == 0,
		.dry = dry,
		.own_dir = install_path_own_folder(),
		.cores = cores > 0 ? cores : 1,
		.gpus = count_gpus(),
	};
	site->flavour = ask_flavour(site->mpirun);
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

/* Add words up to NULL. */
static void push(struct command_maker *m, const char *word, ...)
    __attribute__((sentinel));

static void
push(struct command_maker *m, const char *word, ...)
{
	va_list ap;

	va_start(ap, word);
	for (; word != NULL; word = va_arg(ap, const char *)) {
		m->words =
		    vec_grow(m->words, m->n, &m->alloc, sizeof *m->words);
		m->words[m->n++] = word;
	}
	va_end(ap);
}

static const char *
number(struct command_maker *m, long x)
{
	return arena_printf(m->a, "%ld", x);
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

static long
ranks_of_run(const struct run *r)
{
	return r->nodes * r->devices;
}

/* Commands and Python modules that start the processes of a whole job, or only
 * those of their own node (is_per_node). */
static const struct own_launcher {
	const char *name;
	int is_per_node;
} own_launchers[] = {
	{ "mpirun", 0 },
	{ "mpiexec", 0 },
	{ "mpiexec.hydra", 0 },
	{ "orterun", 0 },
	{ "prterun", 0 },
	{ "srun", 0 },
	{ "horovodrun", 0 },
	{ "deepspeed", 0 },
	{ "torchrun", 1 },
	{ "torch.distributed.run", 1 },
	{ "torch.distributed.launch", 1 },
	{ "paddle.distributed.launch", 1 },
	{ "accelerate", 1 },
	{ "accelerate.commands.launch", 1 },
};

/* The launcher with which the run's own command begins, or NULL. */
static const struct own_launcher *
find_own_launcher(const struct run *r)
{
	const struct setting *v = &r->group->set[SWEEP_COMMAND];
	const char *program = v->n > 0 ? v->words[0].text : "";
	const char *slash = strrchr(program, '/');
	const char *name = slash != NULL ? slash + 1 : program;

	/* Ignore a "-m" after the script's name. */
	for (size_t i = 1; strncmp(name, "python", 6) == 0 && i + 1 < v->n &&
	     v->words[i].text[0] == '-';
	     i++)
		if (strcmp(v->words[i].text, "-m") == 0)
			name = v->words[i + 1].text;
	for (size_t i = 0; i < sizeof own_launchers / sizeof own_launchers[0];
	     i++)
		if (strcmp(own_launchers[i].name, name) == 0)
			return &own_launchers[i];
	return NULL;
}

/* Number of processes that run_sweep's launcher starts on each node. */
static long
ranks_per_node(const struct run *r)
{
	const struct own_launcher *l = find_own_launcher(r);

	return l != NULL && l->is_per_node ? 1 : r->devices;
}

/* Number of processes that run_sweep's launcher starts on all nodes. */
static long
ranks_started(const struct run *r)
{
	return r->nodes * ranks_per_node(r);
}

/* Number of steps in which all devices together process the run's images
 * once. */
static long
steps_of(const struct run *r)
{
	const struct setting *v = &r->group->set[SWEEP_IMAGES];
	const long total = ranks_of_run(r) * r->batch;
	long images;

	if (v->n == 0 ||
	    parse_long(v->words[0].text, 1, SWEEP_MAX_COUNT, &images) != 0)
		return 0;
	return (images + total - 1) / total;
}

static void
show_field(const struct site *site, const struct run *r, enum sweep_field field,
    struct strbuf *sb)
{
	const long numbers[SWEEP_FIELDS] = {
		[FIELD_BATCH] = r->batch,
		[FIELD_NODES] = r->nodes,
		[FIELD_DEVICES] = r->devices,
		[FIELD_RANKS] = ranks_of_run(r),
		[FIELD_TOTAL_BATCH] = ranks_of_run(r) * r->batch,
		[FIELD_RUN] = r->run,
		[FIELD_STEPS] = steps_of(r),
	};

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
	else if (field == FIELD_LR)
		strbuf_printf(
		    sb, "%.10g", 1e-3 * (double)numbers[FIELD_TOTAL_BATCH]);
	else
		strbuf_printf(sb, "%ld", numbers[field]);
}

/* Return text with its {fields} filled in. */
static const char *
fill_fields(struct arena *a, const struct site *site, const struct run *r,
    const char *text)
{
	struct strbuf sb;
	const char *filled;

	strbuf_init(&sb, SWEEP_MAX_BYTES);
	while (*text != '\0') {
		const size_t plain = strcspn(text, "{");
		size_t len;
		int field;

		strbuf_add(&sb, text, plain);
		text += plain;
		if (*text == '\0')
			break;
		field = sweep_field_find(text, &len);
		show_field(site, r, (enum sweep_field)field, &sb);
		text += len;
	}
	filled = arena_strdup(a, sb.buf);
	strbuf_release(&sb);
	return filled;
}

static void
push_setting(struct command_maker *m, enum sweep_key key)
{
	const struct setting *v = &m->r->group->set[key];

	for (size_t i = 0; i < v->n; i++)
		push(m, fill_fields(m->a, m->site, m->r, v->words[i].text),
		    NULL);
}

/* The single value of a key; NULL if it has none. */
static const char *
value_of(const struct run *r, enum sweep_key key)
{
	const struct setting *v = &r->group->set[key];

	return v->n == 1 ? v->words[0].text : NULL;
}

/* --- The program ---------------------------------------------------------- */

/* DIR/NAME if it is executable, else NULL. */
static const char *
executable_in(struct arena *a, const char *dir, size_t len, const char *name)
{
	const char *path = arena_printf(a, "%.*s/%s", (int)len, dir, name);

	return access(path, X_OK) == 0 ? path : NULL;
}

static const char *
find_in_path(struct arena *a, const char *name)
{
	const char *dir = getenv("PATH");
	const char *found = NULL;

	while (dir != NULL && found == NULL) {
		const size_t len = strcspn(dir, ":");

		found = executable_in(
		    a, len > 0 ? dir : ".", len > 0 ? len : 1, name);
		dir = dir[len] == ':' ? dir + len + 1 : NULL;
	}
	return found;
}

/* A program in this program's folder, or NULL. */
static const char *
find_in_own_folder(struct command_maker *m, const char *name)
{
	const char *dir = m->site->own_dir;

	return dir != NULL ? executable_in(m->a, dir, strlen(dir), name) : NULL;
}

/* The path of train_imagenet, or NULL if it is not found. It is absolute if the
 * command runs on other nodes, whose $PATH and working directory differ. */
static const char *
find_program(struct command_maker *m)
{
	static const char usual[] = "train_imagenet";
	const char *asked = value_of(m->r, SWEEP_PROGRAM), *name, *found;
	char *whole = NULL;

	if (asked == NULL)
		asked = getenv("TRAIN_IMAGENET");
	name = asked != NULL && *asked != '\0' ? asked : usual;
	if (strchr(name, '/') != NULL)
		found = access(name, X_OK) == 0 ? name : NULL;
	else
		found = find_in_path(m->a, name);
	if (found != NULL &&
	    (m->r->nodes > 1 || value_of(m->r, SWEEP_HOSTFILE) != NULL))
		whole = realpath(found, NULL);
	if (whole != NULL) {
		name = arena_strdup(m->a, whole);
		free(whole);
	}
	if (found != NULL)
		return name;
	if (name == usual)
		found = find_in_own_folder(m, usual);
	if (found != NULL || m->site->dry)
		return found != NULL ? found : name;
	error_set(m->e, ERROR_SYSTEM,
	    "cannot find '%s'; $TRAIN_IMAGENET or 'program' may name it", name);
	return NULL;
}

static int
push_command(struct command_maker *m)
{
	if (m->r->group->set[SWEEP_COMMAND].n > 0) {
		push_setting(m, SWEEP_COMMAND);
	} else {
		const char *program = find_program(m);

		if (program == NULL)
			return -1;
		push(m, program, "-a", m->r->model, "-b",
		    number(m, m->r->batch),
		    arena_printf(m->a, "--precision=%s", m->r->precision),
		    NULL);
	}
	push_setting(m, SWEEP_OPTIONS);
	push_setting(m, SWEEP_MORE_OPTIONS);
	return 0;
}

/* --- Launchers ------------------------------------------------------------ */

static int
command_mistake(struct command_maker *m, const char *what)
{
	return sweep_error(m->s, &m->r->group->set[SWEEP_NAME].words[0], m->e,
	    "%ldn%ldg: %s", m->r->nodes, m->r->devices, what);
}

static int
launch_none(struct command_maker *m)
{
	if (ranks_of_run(m->r) > 1 && find_own_launcher(m->r) == NULL)
		return command_mistake(
		    m, "more than one device needs a launcher");
	return 0;
}

static void
push_open_mpi(struct command_maker *m, const char *hostfile)
{
	const struct setting *env = &m->r->group->set[SWEEP_ENV];
	const long ranks = ranks_per_node(m->r);

	if (m->site->is_root)
		push(m, "--allow-run-as-root", NULL);
	push(m, "--bind-to", "none", NULL);
	if (hostfile != NULL)
		push(m, "--hostfile", hostfile, "--map-by",
		    arena_printf(m->a, "ppr:%ld:node", ranks), NULL);
	else
		push(m, "--host", arena_printf(m->a, "localhost:%ld", ranks),
		    NULL);
	for (size_t i = 0; i < env->n && m->r->nodes > 1; i++) {
		const char *text = env->words[i].text;

		push(m, "-x", arena_strndup(m->a, text, strcspn(text, "=")),
		    NULL);
	}
}

static int
sets_variable(const struct run *r, const char *name)
{
	const struct setting *v = &r->group->set[SWEEP_ENV];
	const size_t n = strlen(name);

	for (size_t i = 0; i < v->n; i++)
		if (strncmp(v->words[i].text, name, n) == 0 &&
		    v->words[i].text[n] == '=')
			return 1;
	return 0;
}

/* Pass an environment variable to the ranks on other hosts. Hydra passes all;
 * Open MPI needs an option. */
static void
pass_variable(struct command_maker *m, const char *name)
{
	if (m->site->flavour == MPI_HYDRA || getenv(name) == NULL ||
	    sets_variable(m->r, name))
		return;
	push(m, "-x", name, NULL);
}

/* Length of a host name without its port or number of slots. An IPv6 address
 * has more than one colon. */
static size_t
name_length(const char *word)
{
	const size_t n = strcspn(word, " \t\r\n#");
	const char *first = memchr(word, ':', n), *last = memrchr(word, ':', n);

	return first != NULL && first == last ? (size_t)(first - word) : n;
}

static int
is_loopback(const char *host)
{
	return strcmp(host, "localhost") == 0 || strcmp(host, "::1") == 0 ||
	    strncmp(host, "127.", 4) == 0;
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
		const char *word = line + strspn(line, " \t\r\n"), *user;

		user = memchr(word, '@', strcspn(word, " \t\r\n#"));
		word = user != NULL ? user + 1 : word;
		/* Skip the rest of an overlong line. */
		for (int c = strchr(line, '\n') != NULL ? '\n' : 0;
		     c != '\n' && c != EOF;)
			c = getc(f);
		n = name_length(word);
		if (n > 0 && n < size) {
			memcpy(host, word, n);
			host[n] = '\0';
		}
	}
	fclose(f);
	if (n == 0 || n >= size)
		return -1;
	return is_loopback(host) ? gethostname(host, size) : 0;
}

/* Ranks without MPI meet at $MASTER_ADDR. mpirun sets none, so the default is
 * the first host of the hostfile. */
static void
push_meeting_place(struct command_maker *m, const char *hostfile)
{
	static const char name[] = "MASTER_ADDR";
	char host[256];

	if (m->r->nodes == 1 || m->r->group->set[SWEEP_COMMAND].n > 0)
		return;
	pass_variable(m, name);
	pass_variable(m, "MASTER_PORT");
	if (getenv(name) != NULL || sets_variable(m->r, name) ||
	    hostfile_first(hostfile, host, sizeof host) != 0)
		return;
	if (m->site->flavour == MPI_HYDRA)
		push(m, "-genv", name, arena_strdup(m->a, host), NULL);
	else
		push(m, "-x", arena_printf(m->a, "%s=%s", name, host), NULL);
}

static int
launch_mpirun(struct command_maker *m)
{
	const char *hostfile = value_of(m->r, SWEEP_HOSTFILE);

	if (m->r->nodes > 1 && hostfile == NULL)
		return command_mistake(
		    m, "more than one node needs a hostfile");
	if (!m->site->dry && m->site->flavour == MPI_UNKNOWN)
		return error_set(m->e, ERROR_SYSTEM,
		    "'%s --version' names neither Open MPI nor MPICH; is it "
		    "there? ($MPIRUN may name another)",
		    m->site->mpirun);
	push(m, m->site->mpirun, NULL);
	if (m->site->flavour != MPI_HYDRA) {
		push_open_mpi(m, hostfile);
	} else {
		if (hostfile != NULL)
			push(m, "-f", hostfile, NULL);
		push(m, "-ppn", number(m, ranks_per_node(m->r)), NULL);
	}
	if (hostfile != NULL)
		push_meeting_place(m, hostfile);
	push(m, "-n", number(m, ranks_started(m->r)), NULL);
	push_setting(m, SWEEP_LAUNCHER_OPTIONS);
	return 0;
}

static int
launch_srun(struct command_maker *m)
{
	push(m, "srun", "--mpi=pmix", "--kill-on-bad-exit=1",
	    arena_printf(m->a, "--nodes=%ld", m->r->nodes),
	    arena_printf(m->a, "--ntasks=%ld", ranks_started(m->r)),
	    arena_printf(m->a, "--ntasks-per-node=%ld", ranks_per_node(m->r)),
	    NULL);
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
	const char *program = name;

	if (find_in_path(m->a, name) == NULL)
		program = find_in_own_folder(m, name);
	if (program == NULL && !m->site->dry)
		return error_set(m->e, ERROR_SYSTEM,
		    "cannot find '%s', which emulates nodes and links", name);
	push(m, program != NULL ? program : name,
	    arena_printf(m->a, "--nodes=%ld", m->r->nodes),
	    arena_printf(m->a, "--devices=%ld", ranks_per_node(m->r)), NULL);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const char *value = value_of(m->r, rows[i].key);

		if (value != NULL)
			push(m,
			    arena_printf(
				m->a, "--%s=%s", rows[i].option, value),
			    NULL);
	}
	if (share > 0)
		push(m, arena_printf(m->a, "--core-share=%.4g", share), NULL);
	push(m, "--", NULL);
	return 0;
}

/* True if a hostfile or Slurm provides other machines. */
static int
has_hosts(const struct site *site, const struct run *r)
{
	return site->in_slurm || value_of(r, SWEEP_HOSTFILE) != NULL;
}

static int
launch_auto(struct command_maker *m)
{
	const struct own_launcher *own = find_own_launcher(m->r);

	if (own != NULL && (!own->is_per_node || m->r->nodes == 1))
		return 0;
	/* Links and core shares are only emulated on this machine. */
	if (!has_hosts(m->site, m->r) &&
	    (value_of(m->r, SWEEP_LINK) != NULL || core_share_of(m) > 0))
		return launch_nodes(m);
	if (m->site->in_slurm)
		return launch_srun(m);
	if (ranks_started(m->r) == 1 && value_of(m->r, SWEEP_HOSTFILE) == NULL)
		return launch_none(m);
	return launch_mpirun(m);
}

/* Reject {data} if no folder of images is given. */
static int
check_data(struct command_maker *m)
{
	if (m->site->data != NULL || m->site->dry)
		return 0;
	for (int key = 0; key < SWEEP_KEYS; key++) {
		const struct setting *v = &m->r->group->set[key];

		for (size_t i = 0; i < v->n && key != SWEEP_PREPARE; i++)
			if (strstr(v->words[i].text, "{data}") != NULL)
				return sweep_error(m->s, &v->words[i], m->e,
				    "run_experiment alone knows {data}");
	}
	return 0;
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

/* --- What a run needs ----------------------------------------------------- */

const char *
run_lacks(struct arena *a, const struct site *site, const struct run *r)
{
	const char *link = value_of(r, SWEEP_LINK);
	const char *set_to = value_of(r, SWEEP_HOSTS_LINK);
	const int hosts = has_hosts(site, r);
	const char *job_nodes = getenv("SLURM_JOB_NUM_NODES");
	long nodes = 0; /* of Slurm's job; 0: not known */

	if (!site->in_slurm || job_nodes == NULL ||
	    parse_long(job_nodes, 1, SWEEP_MAX_COUNT, &nodes) != 0)
		nodes = 0;

	if (hosts && link != NULL && strcmp(link, "none") != 0 &&
	    (set_to == NULL || strcmp(link, set_to) != 0))
		return arena_printf(a,
		    "the link between hosts is not shaped by us: set it to "
		    "%s, and give hosts-link %s",
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

int
command_make(struct arena *a, const struct sweep *s, const struct site *site,
    struct run *r, struct error *e)
{
	struct command_maker m = {
		.a = a, .s = s, .site = site, .r = r, .e = e
	};
	int rc = check_data(&m);

	if (rc == 0)
		rc = push_launcher(&m);
	if (rc == 0)
		rc = push_command(&m);
	r->argv = take_words(&m);
	push_setting(&m, SWEEP_ENV);
	r->env = take_words(&m);
	return rc;
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
		if (i > 0)
			strbuf_addch(sb, ' ');
		shell_word_add(sb, r->argv[i]);
	}
}

char *
command_line_text(const char *name, int argc, char *const *argv)
{
	struct strbuf sb;

	strbuf_init(&sb, 1 << 16);
	strbuf_addstr(&sb, name);
	for (int i = 1; i < argc; i++) {
		strbuf_addch(&sb, ' ');
		shell_word_add(&sb, argv[i]);
	}
	return strbuf_detach(&sb);
}
