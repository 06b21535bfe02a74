/* Tables of launchers and their options; other options are skipped. */
#include <config.h>

#include "extract/log/launch_command.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/arena.h"
#include "extract/log/command_line.h"

enum { TASK_WORDS = 6 /* words of a command examined for its task */ };

enum launcher {
	SRUN,
	MPIRUN,
	APRUN,
	HOROVODRUN,
	TORCHRUN,
	ACCELERATE,
	DEEPSPEED,
	JSRUN,
	MSRUN,
	PADDLE,
	COMPOSER,
	N_LAUNCHERS
};

static const struct {
	const char *name;
	enum launcher launcher;
	const char *next; /* the word that must follow, or NULL */
} names[] = {
	{ "srun", SRUN, NULL },
	{ "mpirun", MPIRUN, NULL },
	{ "mpiexec", MPIRUN, NULL },
	{ "orterun", MPIRUN, NULL },
	{ "prun", MPIRUN, NULL },
	{ "aprun", APRUN, NULL },
	{ "horovodrun", HOROVODRUN, NULL },
	{ "torchrun", TORCHRUN, NULL },
	{ "torch.distributed.launch", TORCHRUN, NULL },
	{ "torch.distributed.run", TORCHRUN, NULL },
	{ "oneflow.distributed.launch", TORCHRUN, NULL },
	{ "bind_launch", TORCHRUN, NULL },
	{ "bind_pyt", TORCHRUN, NULL },
	{ "colossalai", TORCHRUN, "run" },
	{ "accelerate", ACCELERATE, "launch" },
	{ "deepspeed", DEEPSPEED, NULL },
	{ "jsrun", JSRUN, NULL },
	{ "msrun", MSRUN, NULL },
	{ "paddle.distributed.launch", PADDLE, NULL },
	{ "composer", COMPOSER, NULL },
};

/* Meaning of an option's value. */
enum meaning {
	NODES,
	TASKS,
	TASKS_PER_NODE,
	GPUS,
	GPUS_PER_NODE,
	GPUS_PER_TASK,
	RESOURCES,   /* "gpu:8", "gpu:a100:8" */
	MAPPING,     /* "ppr:8:node" */
	HOSTS,       /* "a:4,b:4" */
	DEVICE_LIST, /* "0,1,2,3" */
	INCLUDED,    /* "host:0,1,2,3" */
	SETS,
	GPUS_PER_SET,
	SETS_PER_NODE,
	N_NUMBERS,
	PAIR = N_NUMBERS, /* two separate words, skipped */
	NOTHING
};

static const struct {
	enum launcher launcher;
	const char *key;
	enum meaning meaning;
} option_rows[] = {
	{ SRUN, "N", NODES },
	{ SRUN, "nodes", NODES },
	{ SRUN, "n", TASKS },
	{ SRUN, "ntasks", TASKS },
	{ SRUN, "ntasks-per-node", TASKS_PER_NODE },
	{ SRUN, "tasks-per-node", TASKS_PER_NODE },
	{ SRUN, "G", GPUS },
	{ SRUN, "gpus", GPUS },
	{ SRUN, "gpus-per-node", GPUS_PER_NODE },
	{ SRUN, "gpus-per-task", GPUS_PER_TASK },
	{ SRUN, "gres", RESOURCES },
	{ MPIRUN, "np", TASKS },
	{ MPIRUN, "n", TASKS },
	{ MPIRUN, "ppn", TASKS_PER_NODE },
	{ MPIRUN, "perhost", TASKS_PER_NODE },
	{ MPIRUN, "npernode", TASKS_PER_NODE },
	{ MPIRUN, "N", TASKS_PER_NODE },
	{ MPIRUN, "map-by", MAPPING },
	{ MPIRUN, "H", HOSTS },
	{ MPIRUN, "host", HOSTS },
	{ MPIRUN, "hosts", HOSTS },
	{ MPIRUN, "mca", PAIR },
	{ MPIRUN, "gmca", PAIR },
	{ MPIRUN, "env", PAIR },
	{ MPIRUN, "genv", PAIR },
	{ APRUN, "n", TASKS },
	{ APRUN, "N", TASKS_PER_NODE },
	{ HOROVODRUN, "np", TASKS },
	{ HOROVODRUN, "num-proc", TASKS },
	{ HOROVODRUN, "H", HOSTS },
	{ HOROVODRUN, "hosts", HOSTS },
	{ TORCHRUN, "nnodes", NODES },
	{ TORCHRUN, "nproc-per-node", TASKS_PER_NODE },
	{ ACCELERATE, "num-processes", TASKS },
	{ ACCELERATE, "num-machines", NODES },
	{ DEEPSPEED, "num-nodes", NODES },
	{ DEEPSPEED, "num-gpus", GPUS_PER_NODE },
	{ DEEPSPEED, "include", INCLUDED },
	{ JSRUN, "n", SETS },
	{ JSRUN, "nrs", SETS },
	{ JSRUN, "g", GPUS_PER_SET },
	{ JSRUN, "gpu-per-rs", GPUS_PER_SET },
	{ JSRUN, "r", SETS_PER_NODE },
	{ JSRUN, "rs-per-host", SETS_PER_NODE },
	{ MSRUN, "worker-num", TASKS },
	{ MSRUN, "local-worker-num", TASKS_PER_NODE },
	{ PADDLE, "nnodes", NODES },
	{ PADDLE, "gpus", DEVICE_LIST },
	{ PADDLE, "devices", DEVICE_LIST },
	{ PADDLE, "selected-gpus", DEVICE_LIST },
	{ PADDLE, "nproc-per-node", TASKS_PER_NODE },
	{ COMPOSER, "n", TASKS_PER_NODE },
	{ COMPOSER, "nproc", TASKS_PER_NODE },
	{ COMPOSER, "world-size", TASKS },
};

/* Options of launchers without a value, after which the program may follow. */
static const char *const flags[] = { "l", "label", "u", "unbuffered", "K",
	"exclusive", "overlap", "verbose", "v", "container-writable",
	"container-remap-root", "no-container-mount-home",
	"container-mount-home", "no-container-entrypoint",
	"no-container-remap-root", "container-readonly", "allow-run-as-root",
	"oversubscribe", "tag-output", "merge-stderr-to-stdout",
	"report-bindings", "display-map", "standalone", "no-python", "m",
	"module", "use-env", "multi-gpu", "no-local", NULL };

/* Options of training programs. */
static const struct {
	const char *key;
	enum launch_number number;
} program_rows[] = {
	{ "batch-size", LAUNCH_BATCH },
	{ "train-batch-size", LAUNCH_BATCH },
	{ "b", LAUNCH_BATCH },
	{ "bs", LAUNCH_BATCH },
	{ "batch", LAUNCH_BATCH },
	{ "local-batch-size", LAUNCH_DEVICE_BATCH },
	{ "batch-size-per-gpu", LAUNCH_DEVICE_BATCH },
	{ "batch-size-per-device", LAUNCH_DEVICE_BATCH },
	{ "per-gpu-batch-size", LAUNCH_DEVICE_BATCH },
	{ "per-device-batch-size", LAUNCH_DEVICE_BATCH },
	{ "global-batch-size", LAUNCH_GLOBAL_BATCH },
	{ "train-global-batch-size", LAUNCH_GLOBAL_BATCH },
	{ "global-train-batch-size", LAUNCH_GLOBAL_BATCH },
	{ "total-batch-size", LAUNCH_GLOBAL_BATCH },
	{ "micro-batch-size", LAUNCH_MICRO_BATCH },
	{ "per-device-train-batch-size", LAUNCH_MICRO_BATCH },
	{ "per-gpu-train-batch-size", LAUNCH_MICRO_BATCH },
	{ "gradient-accumulation-steps", LAUNCH_ACCUMULATION },
	{ "tensor-model-parallel-size", LAUNCH_MODEL_PARALLEL },
	{ "pipeline-model-parallel-size", LAUNCH_MODEL_PARALLEL },
	{ "context-parallel-size", LAUNCH_MODEL_PARALLEL },
	{ "gpus", LAUNCH_GPUS_PER_NODE },
};

/* Parts of names of programs that do not train, and that do. */
static const char *const helpers[] = { "sysjson", "sysinfo", "hostname", "echo",
	"sleep", "mkdir", "true", "date", "nvidia-smi", "rocm-smi", "ibv_",
	"ibstat", "ibdev", "cache", "clean", "health", "check", "topo", "mount",
	"enroot", "prepare", "preprocess", "download", "convert", "compliance",
	"printenv", "cat", "cp", "rm", "ls", "id", "uname", "lscpu", "stat",
	"sync", "test", "ping", "pip", "touch", "chmod", "find", "tar", "rsync",
	NULL };
static const char *const trainings[] = { "train", "run_and_time", "finetune",
	"slurm2pytorch", "imagenet", "main.py", "benchmark", NULL };

/* --- Words -----------------------------------------------------------------*/

static int
ends_with(const char *word, const char *end)
{
	const size_t n = strlen(word), m = strlen(end);

	return n > m && strcmp(word + n - m, end) == 0;
}

static int
is_any(const char *word, const char *const *list)
{
	for (size_t i = 0; list[i] != NULL; i++)
		if (strcmp(word, list[i]) == 0)
			return 1;
	return 0;
}

static int
holds_any(const char *word, const char *const *list)
{
	for (size_t i = 0; list[i] != NULL; i++)
		if (strstr(word, list[i]) != NULL)
			return 1;
	return 0;
}

static int
is_shell(const char *name)
{
	static const char *const shells[] = { "bash", "sh", "zsh", NULL };

	return is_any(name, shells);
}

/* The launcher named by word i, or N_LAUNCHERS. */
static enum launcher
launcher_at(const struct command_line *c, size_t i)
{
	const char *name = command_base_name(c->words[i].text);
	const char *next = i + 1 < c->n ? c->words[i + 1].text : "";

	for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
		const size_t n = strlen(names[k].name);
		const char *rest = name + n;

		if (strncmp(name, names[k].name, n) != 0 ||
		    (*rest != '\0' && strcmp(rest, ".py") != 0 &&
			!(names[k].launcher == MPIRUN && *rest == '.')))
			continue;
		if (names[k].next == NULL || strcmp(names[k].next, next) == 0)
			return names[k].launcher;
	}
	return N_LAUNCHERS;
}

/* True for a program by its suffix or "./". */
static int
is_script(const char *word)
{
	return ends_with(word, ".py") || ends_with(word, ".sh") ||
	    strncmp(word, "./", 2) == 0;
}

/* True if a word that follows an option is the program, not the option's
 * value. */
static int
is_program(const struct command_line *c, size_t i, const char *key)
{
	static const char *const wrappers[] = { "env", "numactl", "bindpcie",
		"nsys", "singularity", "apptainer", "shifter", "slurm2pytorch",
		"exec", "time", "stdbuf", NULL };
	static const char *const paths[] = { "file", "dir", "path", "output",
		"error", "mount", "image", "config", NULL };
	const char *word = c->words[i].text, *name = command_base_name(word);

	if (holds_any(key, paths))
		return 0;
	return command_is_python(name) || is_shell(name) ||
	    is_any(name, wrappers) || is_any(name, helpers) ||
	    launcher_at(c, i) != N_LAUNCHERS || is_script(word) ||
	    strstr(word, "/bin/") != NULL;
}

/* True if the keys are equal; '_' in key matches '-' in name. */
static int
is_key(const char *key, const char *name)
{
	for (; *key != '\0' && *name != '\0'; key++, name++)
		if (*key != *name && !(*key == '_' && *name == '-'))
			return 0;
	return *key == *name;
}

/* --- Values ----------------------------------------------------------------*/

/* A count: "4", or a range with equal ends: "2:2", "4-4"; 0 for other texts. */
static long
count_of(const char *text)
{
	char *rest;
	const long n = strtol(text, &rest, 10);

	if (!isdigit((unsigned char)text[0]) || n < 1 || n > INT_MAX)
		return 0;
	if ((*rest == ':' || *rest == '-') && isdigit((unsigned char)rest[1]) &&
	    strtol(rest + 1, NULL, 10) == n)
		rest += 1 + strspn(rest + 1, "0123456789");
	return *rest == '\0' ? n : 0;
}

/* The last number of the first item of "gpu:a100:8", "gpu:8,nvme:1", "a100:16";
 * 0 if none. */
static long
resource_count(const char *text)
{
	const size_t n = strcspn(text, ",(");
	size_t at = n;

	while (at > 0 && isdigit((unsigned char)text[at - 1]))
		at--;
	return at < n && (at == 0 || text[at - 1] == ':')
	    ? strtol(text + at, NULL, 10)
	    : 0;
}

/* The slots per host of "a:4,b:4" if there are several hosts with equal slots,
 * else 0. */
static long
slots_of_each(const char *text)
{
	long each = 0;
	size_t n = 0;

	for (; *text != '\0'; n++) {
		const size_t len = strcspn(text, ",");
		const char *colon = memchr(text, ':', len);
		const long slots =
		    colon != NULL ? strtol(colon + 1, NULL, 10) : 0;

		if (slots < 1 || (n > 0 && slots != each))
			return 0;
		each = slots;
		text += len + (text[len] == ',');
	}
	return n > 1 ? each : 0;
}

/* Number of items of "0,1,2,3"; 0 for other texts. */
static long
list_count(const char *text)
{
	long n = 1;

	if (text[strspn(text, "0123456789,")] != '\0')
		return 0;
	for (; *text != '\0'; text++)
		n += *text == ',';
	return n;
}

/* --- A launcher ------------------------------------------------------------*/

static enum meaning
meaning_of(enum launcher launcher, const char *key)
{
	for (size_t i = 0; i < sizeof option_rows / sizeof option_rows[0]; i++)
		if (option_rows[i].launcher == launcher &&
		    is_key(key, option_rows[i].key))
			return option_rows[i].meaning;
	return NOTHING;
}

static void
take_value(enum meaning m, const char *value, long *numbers)
{
	const char *colon = strchr(value, ':');

	switch (m) {
	case RESOURCES:
		if (strncmp(value, "gpu:", 4) == 0)
			numbers[GPUS_PER_NODE] = resource_count(value);
		break;
	case GPUS:
	case GPUS_PER_NODE:
	case GPUS_PER_TASK:
		numbers[m] = resource_count(value);
		break;
	case MAPPING:
		if (strncmp(value, "ppr:", 4) == 0 &&
		    strstr(value, ":node") != NULL)
			numbers[TASKS_PER_NODE] = strtol(value + 4, NULL, 10);
		break;
	case HOSTS:
		if (numbers[TASKS_PER_NODE] == 0)
			numbers[TASKS_PER_NODE] = slots_of_each(value);
		break;
	case DEVICE_LIST:
		numbers[TASKS_PER_NODE] = list_count(value);
		break;
	case INCLUDED:
		if (colon != NULL && list_count(colon + 1) > 0) {
			numbers[NODES] = 1;
			numbers[GPUS_PER_NODE] = list_count(colon + 1);
		}
		break;
	default:
		if (m < N_NUMBERS)
			numbers[m] = count_of(value);
	}
}

static long
product_of(long a, long b)
{
	return a > 0 && b > 0 && a <= LONG_MAX / b ? a * b : 0;
}

/* Count GPUs and nodes of a job's tasks. One task per node starts the processes
 * of its GPUs itself, so the number of tasks is not that of GPUs. Tasks of
 * mpirun have one GPU each, as in Horovod. An odd number of more than eight
 * tasks includes a coordinator, and GPUs may have several tasks. */
static void
count_tasks(enum launcher launcher, const long *numbers, long *out)
{
	const long each = numbers[TASKS_PER_NODE], tasks = numbers[TASKS];
	const int is_srun = launcher == SRUN;
	const long per_task =
	    numbers[GPUS_PER_TASK] > 0 ? numbers[GPUS_PER_TASK] : 1;
	const long together = each > 0 ? each : tasks;
	const int coordinates = together > 8 && together % 2 == 1;
	const int starts_others = is_srun && numbers[GPUS_PER_TASK] == 0 &&
	    (each == 1 || tasks == 1 || (tasks > 0 && tasks == numbers[NODES]));

	out[LAUNCH_NODES] = numbers[NODES];
	if (each > 0 && tasks % each == 0 && numbers[NODES] == 0)
		out[LAUNCH_NODES] = tasks / each;
	out[LAUNCH_GPUS] = numbers[GPUS];
	out[LAUNCH_GPUS_PER_NODE] = numbers[GPUS_PER_NODE];
	if (starts_others || coordinates)
		return;
	if (each > 0)
		out[LAUNCH_GPUS_PER_NODE] = product_of(each, per_task);
	if (tasks > 0)
		out[LAUNCH_GPUS] = product_of(tasks, per_task);
}

/* Read the options of a launcher from word i on.  Returns the first word of
 * the program, or end. */
static size_t
read_launcher(const struct command_line *c, size_t i, size_t end,
    enum launcher launcher, struct arena *a, struct launch_command *command)
{
	long numbers[N_NUMBERS] = { 0 }, *out = command->numbers;
	struct command_option o;

	command->alone = launcher == TORCHRUN;
	i += i < end &&
	    (launcher == ACCELERATE || strcmp(c->words[i].text, "run") == 0);
	for (; i < end && command_line_option(c, i, a, &o); i += o.n) {
		const enum meaning m = meaning_of(launcher, o.key);

		if (m == NOTHING && o.separate &&
		    (is_any(o.key, flags) || is_program(c, i + 1, o.key)))
			o.n = 1;
		else if (m == PAIR && o.separate)
			o.n = 3;
		else if (m < N_NUMBERS && o.value != NULL)
			take_value(m, o.value, numbers);
		if (m == NODES)
			command->alone = 0;
	}
	count_tasks(launcher, numbers, out);
	if (launcher == JSRUN) {
		out[LAUNCH_GPUS] =
		    product_of(numbers[SETS], numbers[GPUS_PER_SET]);
		out[LAUNCH_GPUS_PER_NODE] =
		    product_of(numbers[SETS_PER_NODE], numbers[GPUS_PER_SET]);
	}
	return i < end ? i : end;
}

/* --- What is started -------------------------------------------------------*/

/* The first operator from word i on, which ends a command, or c->n. */
static size_t
command_end(const struct command_line *c, size_t i)
{
	while (i < c->n && !c->words[i].is_operator)
		i++;
	return i;
}

/* True for helpers ("rm") and names that contain a helper of more than four
 * letters. */
static int
is_helper(const char *name)
{
	for (size_t i = 0; helpers[i] != NULL; i++)
		if (strcmp(name, helpers[i]) == 0 ||
		    (strlen(helpers[i]) > 4 &&
			strstr(name, helpers[i]) != NULL))
			return 1;
	return 0;
}

/* The text of "bash -c TEXT" among words [i, end), or NULL. */
static const char *
shell_text(const struct command_line *c, size_t i, size_t end)
{
	for (; i + 2 < end; i++)
		if (is_shell(command_base_name(c->words[i].text)) &&
		    c->words[i + 1].text[0] == '-' &&
		    ends_with(c->words[i + 1].text, "c"))
			return c->words[i + 2].text;
	return NULL;
}

/* Classify the program started by words [i, end), by the first known name up to
 * the first script. */
static enum launch_task
task_of(const struct command_line *c, size_t i, size_t end)
{
	const char *text = shell_text(c, i, end);

	for (size_t n = 0; i < end && n < TASK_WORDS; i++) {
		const char *word = c->words[i].text,
			   *name = command_base_name(word);

		if (launcher_at(c, i) != N_LAUNCHERS)
			return LAUNCH_TRAINING;
		if (command_is_python(name) && i + 2 < end &&
		    strcmp(c->words[i + 1].text, "-c") == 0)
			return LAUNCH_HELPER;
		if (word[0] == '-')
			continue;
		if (strchr(word, ' ') != NULL)
			break;
		if (text == NULL && holds_any(name, trainings))
			return LAUNCH_TRAINING;
		if (is_helper(name))
			return LAUNCH_HELPER;
		if (is_script(word))
			return LAUNCH_OTHER;
		n++;
	}
	if (text == NULL)
		return LAUNCH_OTHER;
	if (holds_any(text, trainings))
		return LAUNCH_TRAINING;
	/* The task of a script with an unknown name is unknown. */
	return (strstr(text, ".py") != NULL || strstr(text, ".sh") != NULL) &&
		!is_helper(text)
	    ? LAUNCH_OTHER
	    : LAUNCH_HELPER;
}

/* Read batches and devices from the options among words [i, end). */
static void
read_program(const struct command_line *c, size_t i, size_t end,
    struct arena *a, long *out)
{
	struct command_option o;

	for (; i < end; i += o.n) {
		if (!command_line_option(c, i, a, &o) || o.value == NULL)
			continue;
		for (size_t k = 0;
		     k < sizeof program_rows / sizeof program_rows[0]; k++) {
			const enum launch_number m = program_rows[k].number;
			const long value = m == LAUNCH_GPUS_PER_NODE
			    ? list_count(o.value)
			    : count_of(o.value);

			/* A list with one GPU belongs to one process. */
			if (is_key(o.key, program_rows[k].key) &&
			    value > (m == LAUNCH_GPUS_PER_NODE) &&
			    value > out[m])
				out[m] = value;
		}
	}
}

/* --- A line ----------------------------------------------------------------*/

/* Quick test that excludes most lines. */
static int
may_launch(const char *text, size_t len)
{
	static const char *const marks[] = { "run ", "run'", "run\"", "run.",
		"launch", "mpiexec", "python", "deepspeed", "composer",
		"bind_pyt" };

	for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
		if (memmem(text, len, marks[i], strlen(marks[i])) != NULL)
			return 1;
	return 0;
}

/* Index of the program of a "python" command; 0 if there is none, as in "python
 * -c". */
static size_t
python_program(const struct command_line *c, size_t i)
{
	if (!command_is_python(command_base_name(c->words[i].text)))
		return 0;
	for (i++; i < c->n && c->words[i].text[0] == '-'; i++)
		if (strcmp(c->words[i].text, "-m") == 0)
			return i + 1 < c->n ? i + 1 : 0;
	return i < c->n && ends_with(c->words[i].text, ".py") ? i : 0;
}

/* Read the commands of a text and of texts nested in its words, as after "bash
 * -c".
 *
 * depth  number of enclosing texts */
static size_t
read_commands(const char *text, size_t len, int depth,
    struct launch_command *all, size_t n, struct arena *a)
{
	static const char devices[] = "CUDA_VISIBLE_DEVICES=";
	struct command_line c;
	size_t i = 0;
	long visible = 0; /* devices in CUDA_VISIBLE_DEVICES */

	if (depth > LAUNCH_COMMAND_NESTED || !may_launch(text, len))
		return n;
	command_line_split(&c, text, len, a);
	while (i < c.n && n < LAUNCH_COMMAND_NESTED) {
		const char *word = c.words[i].text;
		const enum launcher launcher = launcher_at(&c, i);
		const size_t program = python_program(&c, i);
		struct launch_command *out = &all[n];
		size_t end;

		if (command_is_example(word))
			break;
		if (strncmp(word, devices, sizeof devices - 1) == 0)
			visible = list_count(word + sizeof devices - 1);
		if (strchr(word, ' ') != NULL)
			n = read_commands(
			    word, strlen(word), depth + 1, all, n, a);
		i++;
		if (launcher == N_LAUNCHERS &&
		    (program == 0 || launcher_at(&c, program) != N_LAUNCHERS))
			continue;
		end = command_end(&c, i);
		*out = (struct launch_command){ .kind = LAUNCH_PROGRAM };
		if (launcher != N_LAUNCHERS) {
			out->kind =
			    launcher <= APRUN ? LAUNCH_JOB : LAUNCH_DEVICES;
			i = read_launcher(&c, i, end, launcher, a, out);
		}
		out->task = task_of(&c, i, end);
		read_program(&c, i, end, a, out->numbers);
		if (out->kind == LAUNCH_PROGRAM && visible > 1 &&
		    out->numbers[LAUNCH_GPUS_PER_NODE] == 0)
			out->numbers[LAUNCH_GPUS_PER_NODE] = visible;
		if (out->kind == LAUNCH_PROGRAM)
			out->alone = out->numbers[LAUNCH_GPUS_PER_NODE] > 0;
		n++;
	}
	return n;
}

size_t
launch_command_read(const char *text, size_t len, struct launch_command *all)
{
	struct arena a = ARENA_INIT;
	size_t n = 0;

	if (len <= LAUNCH_COMMAND_MAX_BYTES)
		n = read_commands(text, len, 0, all, 0, &a);
	arena_release(&a);
	return n;
}
