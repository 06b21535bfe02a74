/* Words and options of command lines; tables of launchers and of their options.
 * Options that are not in the tables are skipped. */
#include <config.h>

#include "extract/log/command_line.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <limits.h>

#include "common/alloc.h"
#include "extract/log/words.h"

/* State of splitting a line. */
struct splitter {
	const char *text;
	size_t len, at;
	int in_list; /* 1: inside a printed list */
	char *word;  /* [len + 1] the current word so far */
	size_t n;
};

static int
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static char
byte_at(const struct splitter *s, size_t at)
{
	return at < s->len ? s->text[at] : '\0';
}

/* Length of an operator at s->at, or 0. "<" and ">" within a word belong to it,
 * because launchers print "<stdout>:". */
static size_t
operator_length(const struct splitter *s, int begins)
{
	const char c = byte_at(s, s->at), next = byte_at(s, s->at + 1);
	const char *text = s->text + s->at, *end = s->text + s->len;
	size_t n = 0;

	if (s->in_list)
		return 0;
	if (c == ';' || c == '|')
		return 1 + (size_t)(next == c);
	if (c == '&' && (begins || next == '&'))
		return 1 + (size_t)(next == '&' || next == '>');
	if (!begins)
		return 0;
	while (isdigit((unsigned char)byte_at(s, s->at + n)))
		n++;
	if (byte_at(s, s->at + n) != '>' && byte_at(s, s->at + n) != '<')
		return 0;
	for (n++; text + n < end && (text[n] == '>' || text[n] == '&'); n++)
		;
	if (text[n - 1] == '&')
		while (isdigit((unsigned char)byte_at(s, s->at + n)))
			n++;
	return n;
}

static void
read_word(struct splitter *s)
{
	s->n = 0;
	while (s->at < s->len) {
		const char c = s->text[s->at];
		const int escapes = c == '"' || s->in_list;
		const size_t before = s->n;
		size_t i = s->at + 1;

		if (is_blank(c) || (s->in_list && (c == ',' || c == ']')) ||
		    operator_length(s, 0) > 0)
			return;
		if (c == '\'' || c == '"') {
			for (; i < s->len && s->text[i] != c; i++) {
				i += s->text[i] == '\\' && escapes &&
				    i + 1 < s->len;
				s->word[s->n++] = s->text[i];
			}
			if (i < s->len) {
				s->at = i + 1;
				continue;
			}
			s->n = before; /* unclosed: an ordinary character */
		}
		s->at += c == '\\' && s->at + 1 < s->len;
		s->word[s->n++] = s->text[s->at++];
	}
}

/* Skip to the next word; track the start and end of a list. */
static void
skip_between(struct splitter *s)
{
	for (; s->at < s->len; s->at++) {
		const char c = s->text[s->at], next = byte_at(s, s->at + 1);

		if (c == '[' && (next == '\'' || next == '"'))
			s->in_list = 1;
		else if (s->in_list && c == ']')
			s->in_list = 0;
		else if (!is_blank(c) && !(s->in_list && c == ','))
			return;
	}
}

void
command_line_split(
    struct command_line *c, const char *text, size_t len, struct arena *a)
{
	struct splitter s = { text, len, 0, 0, xcalloc(len + 1, 1), 0 };
	struct command_word *words = NULL;
	size_t alloc = 0;

	c->n = 0;
	for (skip_between(&s); s.at < len; skip_between(&s)) {
		const size_t sign = operator_length(&s, 1);

		words = vec_grow(words, c->n, &alloc, sizeof *words);
		if (sign == 0)
			read_word(&s);
		words[c->n++] = (struct command_word){ sign > 0
			    ? arena_strndup(a, text + s.at, sign)
			    : arena_strndup(a, s.word, s.n),
			sign > 0 };
		s.at += sign;
	}
	c->words = arena_longer(a, words, c->n, sizeof *words);
	free(words);
	free(s.word);
}

const char *
command_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

int
command_is_python(const char *name)
{
	return strncmp(name, "python", 6) == 0 &&
	    strspn(name + 6, "0123456789.") == strlen(name + 6);
}

int
command_is_example(const char *word)
{
	size_t n = 0;

	while (ispunct((unsigned char)*word))
		word++;
	while (isalnum((unsigned char)word[n]))
		n++;
	return words_match("usage|example|examples|previous|instead|compare|"
			   "hint",
		   WORDS_ALL | WORDS_FOLD, word, n) ||
	    (strncasecmp(word, "e.g", 3) == 0 &&
		!isalnum((unsigned char)word[3]));
}

/* --- Options ---------------------------------------------------------------*/

/* Length of a name before an '=' at s, or 0. */
static size_t
name_length(const char *s)
{
	size_t n = 0;

	if (!isalpha((unsigned char)s[0]) && s[0] != '_')
		return 0;
	while (isalnum((unsigned char)s[n]) ||
	    (s[n] != '\0' && strchr("_-./@:", s[n]) != NULL))
		n++;
	return n;
}

int
command_line_option(const struct command_line *c, size_t i, struct arena *a,
    struct command_option *o)
{
	const char *word = c->words[i].text, *next;
	const int dashed = word[0] == '-';
	const size_t marks = strspn(word, dashed ? "-" : "+~");
	size_t n = name_length(word + marks);
	char *key;

	*o = (struct command_option){ .n = 1 };
	if (c->words[i].is_operator || n == 0 || marks > 2 ||
	    (!dashed && word[marks + n] != '='))
		return 0;
	word += marks;
	if (word[n] == '=') {
		o->value = word + n + 1;
	} else if (marks == 1 && isdigit((unsigned char)word[1])) {
		o->value = word + 1;
		n = 1;
	} else {
		n = strlen(word);
	}
	o->key = key = arena_strndup(a, word, n);
	for (char *p = key; *p != '\0'; p++)
		if (*p == '_')
			*p = '-';
	if (o->value != NULL || i + 1 == c->n || c->words[i + 1].is_operator)
		return 1;
	next = c->words[i + 1].text;
	if (next[0] != '-' || name_length(next + strspn(next, "-")) == 0) {
		o->value = next;
		o->separate = 1;
		o->n = 2;
	}
	return 1;
}

/* --- Launchers ------------------------------------------------------------*/

enum { TASK_WORDS = 6 /* words of a command examined for its task */ };

enum launcher {
	NO_LAUNCHER,
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
	COMPOSER
};

static const struct {
	enum launcher launcher;
	const char *names;
	const char *next; /* the word that must follow, or NULL */
} launchers[] = {
	{ SRUN, "srun", NULL },
	{ MPIRUN, "mpirun|mpiexec|orterun|prun", NULL },
	{ APRUN, "aprun", NULL },
	{ HOROVODRUN, "horovodrun", NULL },
	{ TORCHRUN,
	    "torchrun|torch.distributed.launch|torch.distributed.run|"
	    "oneflow.distributed.launch|bind_launch|bind_pyt",
	    NULL },
	{ TORCHRUN, "colossalai", "run" },
	{ ACCELERATE, "accelerate", "launch" },
	{ DEEPSPEED, "deepspeed", NULL },
	{ JSRUN, "jsrun", NULL },
	{ MSRUN, "msrun", NULL },
	{ PADDLE, "paddle.distributed.launch", NULL },
	{ COMPOSER, "composer", NULL },
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
	enum meaning meaning;
	const char *keys;
} options[] = {
	{ SRUN, NODES, "N|nodes" },
	{ SRUN, TASKS, "n|ntasks" },
	{ SRUN, TASKS_PER_NODE, "ntasks-per-node|tasks-per-node" },
	{ SRUN, GPUS, "G|gpus" },
	{ SRUN, GPUS_PER_NODE, "gpus-per-node" },
	{ SRUN, GPUS_PER_TASK, "gpus-per-task" },
	{ SRUN, RESOURCES, "gres" },
	{ MPIRUN, TASKS, "np|n" },
	{ MPIRUN, TASKS_PER_NODE, "ppn|perhost|npernode|N" },
	{ MPIRUN, MAPPING, "map-by" },
	{ MPIRUN, HOSTS, "H|host|hosts" },
	{ MPIRUN, PAIR, "mca|gmca|env|genv" },
	{ APRUN, TASKS, "n" },
	{ APRUN, TASKS_PER_NODE, "N" },
	{ HOROVODRUN, TASKS, "np|num-proc" },
	{ HOROVODRUN, HOSTS, "H|hosts" },
	{ TORCHRUN, NODES, "nnodes" },
	{ TORCHRUN, TASKS_PER_NODE, "nproc-per-node" },
	{ ACCELERATE, TASKS, "num-processes" },
	{ ACCELERATE, NODES, "num-machines" },
	{ DEEPSPEED, NODES, "num-nodes" },
	{ DEEPSPEED, GPUS_PER_NODE, "num-gpus" },
	{ DEEPSPEED, INCLUDED, "include" },
	{ JSRUN, SETS, "n|nrs" },
	{ JSRUN, GPUS_PER_SET, "g|gpu-per-rs" },
	{ JSRUN, SETS_PER_NODE, "r|rs-per-host" },
	{ MSRUN, TASKS, "worker-num" },
	{ MSRUN, TASKS_PER_NODE, "local-worker-num" },
	{ PADDLE, NODES, "nnodes" },
	{ PADDLE, DEVICE_LIST, "gpus|devices|selected-gpus" },
	{ PADDLE, TASKS_PER_NODE, "nproc-per-node" },
	{ COMPOSER, TASKS_PER_NODE, "n|nproc" },
	{ COMPOSER, TASKS, "world-size" },
};

/* Options of launchers without a value, after which the program may follow. */
static const char flags[] =
    "l|label|u|unbuffered|K|exclusive|overlap|verbose|v|container-writable|"
    "container-remap-root|no-container-mount-home|container-mount-home|"
    "no-container-entrypoint|no-container-remap-root|container-readonly|"
    "allow-run-as-root|oversubscribe|tag-output|merge-stderr-to-stdout|"
    "report-bindings|display-map|standalone|no-python|m|module|use-env|"
    "multi-gpu|no-local";

/* Options of training programs. */
static const struct {
	enum launch_number number;
	const char *keys;
} program_options[] = {
	{ LAUNCH_BATCH, "batch-size|train-batch-size|b|bs|batch" },
	{ LAUNCH_DEVICE_BATCH,
	    "local-batch-size|batch-size-per-gpu|batch-size-per-device|"
	    "per-gpu-batch-size|per-device-batch-size" },
	{ LAUNCH_GLOBAL_BATCH,
	    "global-batch-size|train-global-batch-size|"
	    "global-train-batch-size|total-batch-size" },
	{ LAUNCH_MICRO_BATCH,
	    "micro-batch-size|per-device-train-batch-size|"
	    "per-gpu-train-batch-size" },
	{ LAUNCH_ACCUMULATION, "gradient-accumulation-steps" },
	{ LAUNCH_MODEL_PARALLEL,
	    "tensor-model-parallel-size|pipeline-model-parallel-size|"
	    "context-parallel-size" },
	{ LAUNCH_GPUS_PER_NODE, "gpus" },
};

/* Names of programs that do not train, parts of such names, and parts of the
 * names of programs that train. */
static const char helpers[] =
    "echo|true|date|topo|cat|cp|rm|ls|id|stat|sync|test|ping|pip|find|tar";
static const char helper_parts[] =
    "sysjson|sysinfo|hostname|sleep|mkdir|nvidia-smi|rocm-smi|ibstat|ibdev|"
    "cache|clean|health|check|mount|enroot|prepare|preprocess|download|"
    "convert|compliance|printenv|uname|lscpu|touch|chmod|rsync";
static const char trainings[] = "train|run_and_time|finetune|slurm2pytorch|"
				"imagenet|main.py|benchmark";
static const char shells[] = "bash|sh|zsh";

/* --- Words -----------------------------------------------------------------*/

/* The launcher named by word i. */
static enum launcher
launcher_at(const struct command_line *c, size_t i)
{
	const char *name = command_base_name(c->words[i].text);
	const char *next = i + 1 < c->n ? c->words[i + 1].text : "";
	const size_t n =
	    strlen(name) - 3 * (size_t)words_fit(".py", WORDS_END, name);

	for (size_t k = 0; k < sizeof launchers / sizeof launchers[0]; k++) {
		/* "mpirun.real" */
		const size_t stem =
		    launchers[k].launcher == MPIRUN ? strcspn(name, ".") : n;

		if (words_match(launchers[k].names, WORDS_ALL, name, stem) &&
		    (launchers[k].next == NULL ||
			strcmp(launchers[k].next, next) == 0))
			return launchers[k].launcher;
	}
	return NO_LAUNCHER;
}

/* True if a word has the suffix of a script or starts with "./". */
static int
is_script(const char *word)
{
	return words_fit(".py|.sh", WORDS_END, word) ||
	    strncmp(word, "./", 2) == 0;
}

/* True if a word that follows an option is the program, not the option's
 * value. */
static int
is_program(const struct command_line *c, size_t i, const char *key)
{
	const char *word = c->words[i].text, *name = command_base_name(word);

	if (words_fit("file|dir|path|output|error|mount|image|config",
		WORDS_WITHIN, key))
		return 0;
	return command_is_python(name) || words_fit(shells, WORDS_ALL, name) ||
	    words_fit("env|numactl|bindpcie|nsys|singularity|apptainer|"
		      "shifter|slurm2pytorch|exec|time|stdbuf",
		WORDS_ALL, name) ||
	    words_fit(helpers, WORDS_ALL, name) ||
	    words_fit(helper_parts, WORDS_ALL, name) ||
	    launcher_at(c, i) != NO_LAUNCHER || is_script(word) ||
	    strstr(word, "/bin/") != NULL;
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
		enum meaning m = NOTHING;

		for (size_t k = sizeof options / sizeof options[0]; k-- > 0;)
			if (options[k].launcher == launcher &&
			    words_fit(options[k].keys, WORDS_ALL, o.key))
				m = options[k].meaning;
		if (m == NOTHING && o.separate &&
		    (words_fit(flags, WORDS_ALL, o.key) ||
			is_program(c, i + 1, o.key)))
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

/* --- The program that is started -------------------------------------------*/

static int
is_helper(const char *name)
{
	return words_fit(helpers, WORDS_ALL, name) ||
	    words_fit(helper_parts, WORDS_WITHIN, name);
}

/* The text of "bash -c TEXT" among words [i, end), or NULL. */
static const char *
shell_text(const struct command_line *c, size_t i, size_t end)
{
	for (; i + 2 < end; i++) {
		const char *option = c->words[i + 1].text;

		if (words_fit(shells, WORDS_ALL,
			command_base_name(c->words[i].text)) &&
		    option[0] == '-' && words_fit("c", WORDS_END, option))
			return c->words[i + 2].text;
	}
	return NULL;
}

/* Classify the program that words [i, end) start by the first known name; the
 * search ends at the first script. */
static enum launch_task
task_of(const struct command_line *c, size_t i, size_t end)
{
	const char *text = shell_text(c, i, end);

	for (size_t n = 0; i < end && n < TASK_WORDS; i++) {
		const char *word = c->words[i].text,
			   *name = command_base_name(word);

		if (launcher_at(c, i) != NO_LAUNCHER)
			return LAUNCH_TRAINING;
		if (command_is_python(name) && i + 2 < end &&
		    strcmp(c->words[i + 1].text, "-c") == 0)
			return LAUNCH_HELPER;
		if (word[0] == '-')
			continue;
		if (strchr(word, ' ') != NULL)
			break;
		if (text == NULL && words_fit(trainings, WORDS_WITHIN, name))
			return LAUNCH_TRAINING;
		if (is_helper(name))
			return LAUNCH_HELPER;
		if (is_script(word))
			return LAUNCH_OTHER;
		n++;
	}
	if (text == NULL)
		return LAUNCH_OTHER;
	if (words_fit(trainings, WORDS_WITHIN, text))
		return LAUNCH_TRAINING;
	/* The task of a script with an unknown name is unknown. */
	return words_fit(".py|.sh", WORDS_WITHIN, text) && !is_helper(text)
	    ? LAUNCH_OTHER
	    : LAUNCH_HELPER;
}

/* --- A line ----------------------------------------------------------------*/

/* Read a command from word i on.  Returns the first word of the program.
 *
 * visible  devices in CUDA_VISIBLE_DEVICES before it */
static size_t
read_command(const struct command_line *c, size_t i, enum launcher launcher,
    long visible, struct arena *a, struct launch_command *out)
{
	const size_t n_options =
	    sizeof program_options / sizeof program_options[0];
	size_t end = i;
	long *devices = &out->numbers[LAUNCH_GPUS_PER_NODE];
	struct command_option o;

	while (end < c->n && !c->words[end].is_operator)
		end++;
	*out = (struct launch_command){ .kind = LAUNCH_PROGRAM };
	if (launcher != NO_LAUNCHER) {
		out->kind = launcher <= APRUN ? LAUNCH_JOB : LAUNCH_DEVICES;
		i = read_launcher(c, i, end, launcher, a, out);
	}
	out->task = task_of(c, i, end);
	/* Read batch sizes and devices from the program's options. */
	for (size_t at = i; at < end; at += o.n) {
		if (!command_line_option(c, at, a, &o) || o.value == NULL)
			continue;
		for (size_t k = 0; k < n_options; k++) {
			const enum launch_number m = program_options[k].number;
			const int is_list = m == LAUNCH_GPUS_PER_NODE;
			const long value =
			    is_list ? list_count(o.value) : count_of(o.value);

			/* A list with one GPU belongs to one process. */
			if (words_fit(
				program_options[k].keys, WORDS_ALL, o.key) &&
			    value > is_list && value > out->numbers[m])
				out->numbers[m] = value;
		}
	}
	if (out->kind == LAUNCH_PROGRAM) {
		if (visible > 1 && *devices == 0)
			*devices = visible;
		out->alone = *devices > 0;
	}
	return i;
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

	/* Most lines are not commands. */
	if (depth > LAUNCH_COMMAND_NESTED ||
	    !words_match("run |run'|run\"|run.|launch|mpiexec|python|deepspeed|"
			 "composer|bind_pyt",
		WORDS_WITHIN, text, len))
		return n;
	command_line_split(&c, text, len, a);
	while (i < c.n && n < LAUNCH_COMMAND_NESTED) {
		const char *word = c.words[i].text;
		const enum launcher launcher = launcher_at(&c, i);
		const size_t before = n;
		size_t program = c.n; /* of a "python" command */

		if (command_is_python(command_base_name(word)))
			for (program = i + 1; program < c.n &&
			     c.words[program].text[0] == '-' &&
			     strcmp(c.words[program].text, "-m") != 0;)
				program++;
		if (program < c.n && c.words[program].text[0] == '-')
			program++; /* after "-m" */
		else if (program < c.n &&
		    !words_fit(".py", WORDS_END, c.words[program].text))
			program = c.n; /* as in "python -c" */
		if (command_is_example(word))
			break;
		if (strncmp(word, devices, sizeof devices - 1) == 0)
			visible = list_count(word + sizeof devices - 1);
		i++;
		if (strchr(word, ' ') != NULL)
			n = read_commands(
			    word, strlen(word), depth + 1, all, n, a);
		if (n == before &&
		    (launcher != NO_LAUNCHER ||
			(program < c.n &&
			    launcher_at(&c, program) == NO_LAUNCHER)))
			i = read_command(
			    &c, i, launcher, visible, a, &all[n++]);
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
