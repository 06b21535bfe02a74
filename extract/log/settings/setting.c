/* Distinguishes settings of the training from identities of a run. Keys are
 * classified word by word, so that "master_port", "rdzv.port" and "masterPort"
 * are treated alike. */
#include <config.h>

#include "extract/log/settings/setting.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
	MAX_WORD = 16,
	HASH_DIGITS = 7, /* minimum length of a hash with letters */
	LONG_NUMBER = 9,
	/* Meaning of a word of a key. */
	RUN = 1,   /* identifies the run, its place or time */
	RANK = 2,  /* unless LOW */
	LOW = 4,   /* rank of a matrix */
	TIME = 8,  /* unless SPAN */
	SPAN = 16, /* a configured time */
	NAME = 32, /* with NAMED: identifies the run */
	NAMED = 64,
	ALONE = 128, /* identifies the run if the only word */
	PLACE = 256, /* a path, unless CONFIG */
	CONFIG = 512,
	MEASURED = 1024,
	UNIT = 2048 /* measured if the value has a fraction */
};

/* Sorted. */
static const struct key_word {
	const char *text;
	unsigned says;
} key_words[] = {
	{ "acc", UNIT },
	{ "addr", RUN },
	{ "address", RUN },
	{ "allocated", MEASURED },
	{ "approximation", LOW },
	{ "attempt", RUN },
	{ "author", RUN },
	{ "avail", MEASURED },
	{ "available", MEASURED },
	{ "cache", PLACE },
	{ "cfg", CONFIG },
	{ "checkpoint", PLACE },
	{ "checkpoints", PLACE },
	{ "ckpt", PLACE },
	{ "clearml", RUN },
	{ "cluster", NAMED },
	{ "comet", RUN },
	{ "comment", RUN },
	{ "commit", RUN },
	{ "config", CONFIG },
	{ "container", NAMED },
	{ "created", RUN },
	{ "cwd", PLACE },
	{ "cycle", SPAN },
	{ "date", RUN },
	{ "datetime", RUN },
	{ "delay", SPAN },
	{ "description", RUN },
	{ "deviceid", RUN },
	{ "digest", RUN },
	{ "dir", PLACE },
	{ "directory", PLACE },
	{ "dirs", PLACE },
	{ "display", NAMED },
	{ "dora", LOW },
	{ "duration", RUN },
	{ "elapsed", RUN },
	{ "elapsedtime", RUN },
	{ "email", RUN },
	{ "endpoint", RUN },
	{ "endpoints", RUN },
	{ "entity", RUN },
	{ "epoch", ALONE },
	{ "exp", NAMED | ALONE },
	{ "experiment", NAMED | ALONE },
	{ "expid", RUN },
	{ "expname", RUN },
	{ "export", PLACE },
	{ "file", NAMED | PLACE },
	{ "filename", PLACE },
	{ "files", PLACE },
	{ "fingerprint", RUN },
	{ "fname", PLACE },
	{ "folder", PLACE },
	{ "free", MEASURED },
	{ "galore", LOW },
	{ "gid", RUN },
	{ "globalrank", RANK },
	{ "gpu", ALONE },
	{ "gpuid", RUN },
	{ "group", NAMED },
	{ "guid", RUN },
	{ "h", ALONE },
	{ "hash", RUN },
	{ "home", PLACE },
	{ "host", RUN },
	{ "hostfile", RUN },
	{ "hostid", RUN },
	{ "hostlist", RUN },
	{ "hostname", RUN },
	{ "hosts", RUN },
	{ "id", RUN },
	{ "ids", RUN },
	{ "image", NAMED },
	{ "interval", SPAN },
	{ "ip", RUN },
	{ "iter", ALONE },
	{ "iteration", ALONE },
	{ "job", NAMED | ALONE },
	{ "jobid", RUN },
	{ "jobname", RUN },
	{ "limit", SPAN },
	{ "lineno", RUN },
	{ "localrank", RANK },
	{ "log", NAMED | PLACE },
	{ "logdir", PLACE },
	{ "logger", PLACE },
	{ "logging", PLACE },
	{ "logs", PLACE },
	{ "lora", LOW },
	{ "loss", UNIT },
	{ "low", LOW },
	{ "machine", ALONE },
	{ "masteraddr", RUN },
	{ "masterport", RUN },
	{ "matrix", LOW },
	{ "max", SPAN },
	{ "md5", RUN },
	{ "min", SPAN },
	{ "mlflow", RUN },
	{ "model", CONFIG },
	{ "ms", UNIT },
	{ "name", NAME | ALONE },
	{ "names", NAME },
	{ "neptune", RUN },
	{ "node", NAMED | ALONE },
	{ "nodeid", RUN },
	{ "nodeip", RUN },
	{ "nodelist", RUN },
	{ "nodename", RUN },
	{ "noderank", RANK },
	{ "nonce", RUN },
	{ "note", RUN },
	{ "notes", RUN },
	{ "now", ALONE },
	{ "out", PLACE },
	{ "outdir", PLACE },
	{ "output", PLACE },
	{ "path", PLACE },
	{ "paths", PLACE },
	{ "peak", MEASURED },
	{ "pid", RUN },
	{ "poc", RUN },
	{ "pod", ALONE },
	{ "port", RUN },
	{ "ports", RUN },
	{ "powersgd", LOW },
	{ "ppid", RUN },
	{ "project", RUN },
	{ "pwd", PLACE },
	{ "randomseed", RUN },
	{ "rank", RANK },
	{ "ranks", RANK },
	{ "report", PLACE },
	{ "reserved", MEASURED },
	{ "restart", RUN },
	{ "restarts", RUN },
	{ "result", PLACE },
	{ "results", PLACE },
	{ "resume", PLACE },
	{ "root", PLACE },
	{ "run", NAMED | ALONE },
	{ "runid", RUN },
	{ "runname", RUN },
	{ "s", UNIT },
	{ "save", PLACE },
	{ "sec", UNIT },
	{ "seconds", MEASURED },
	{ "secs", MEASURED },
	{ "seed", RUN },
	{ "seeds", RUN },
	{ "server", ALONE },
	{ "session", RUN },
	{ "sha", RUN },
	{ "sha1", RUN },
	{ "shlvl", RUN },
	{ "ssd", PLACE },
	{ "started", RUN },
	{ "step", ALONE },
	{ "study", NAMED },
	{ "submission", RUN },
	{ "tag", RUN },
	{ "tags", RUN },
	{ "taskid", RUN },
	{ "tensorboard", RUN },
	{ "throughput", MEASURED },
	{ "time", TIME },
	{ "timeout", SPAN },
	{ "timestamp", RUN },
	{ "title", RUN },
	{ "tmp", PLACE },
	{ "tmpdir", PLACE },
	{ "to", PLACE },
	{ "took", MEASURED },
	{ "trial", RUN },
	{ "uid", RUN },
	{ "uri", PLACE },
	{ "url", PLACE },
	{ "us", UNIT },
	{ "usage", MEASURED },
	{ "used", MEASURED },
	{ "user", RUN },
	{ "username", RUN },
	{ "utilization", MEASURED },
	{ "uuid", RUN },
	{ "visible", RUN },
	{ "wandb", RUN },
	{ "workdir", PLACE },
	{ "worker", ALONE },
};

static int
by_text(const void *a, const void *b)
{
	const struct key_word *x = a, *y = b;

	return strcmp(x->text, y->text);
}

/* True for a path in one word: "logfile", "datadir". */
static int
ends_in_place(const char *word, size_t len)
{
	static const char *const ends[] = { "dir", "path", "file", "folder" };

	for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
		const size_t n = strlen(ends[i]);

		if (len > n && strcmp(word + len - n, ends[i]) == 0)
			return strcmp(word, "profile") != 0;
	}
	return 0;
}

/* The meanings of all words of a key, or-ed.
 *
 * n  out: number of words */
static unsigned
key_says(const char *key, int *n)
{
	unsigned says = 0;
	size_t i = 0;

	for (*n = 0; key[i] != '\0';) {
		char word[MAX_WORD + 1];
		const struct key_word wanted = { word, 0 }, *found;
		size_t len = 0;

		while (key[i] != '\0' && !isalnum((unsigned char)key[i]))
			i++;
		/* "outputDir" and "FSDPConfig" are two words each. */
		for (; isalnum((unsigned char)key[i]) &&
		     !(len > 0 && isupper((unsigned char)key[i]) &&
			 (islower((unsigned char)key[i - 1]) ||
			     islower((unsigned char)key[i + 1])));
		     i++, len++)
			if (len < MAX_WORD)
				word[len] =
				    (char)tolower((unsigned char)key[i]);
		word[len < MAX_WORD ? len : MAX_WORD] = '\0';
		*n += len > 0;
		found = bsearch(&wanted, key_words,
		    sizeof key_words / sizeof key_words[0], sizeof wanted,
		    by_text);
		if (found != NULL)
			says |= found->says;
		else if (len <= MAX_WORD && ends_in_place(word, len))
			says |= PLACE;
	}
	return says;
}

static int
is_boolean(const char *value)
{
	static const char *const words[] = { "true", "false", "yes", "no", "on",
		"off", "none", "null", NULL };

	for (size_t i = 0; words[i] != NULL; i++)
		if (strcasecmp(words[i], value) == 0)
			return 1;
	return 0;
}

static int
is_number(const char *value)
{
	return strpbrk(value, "0123456789") != NULL &&
	    value[strspn(value, "+-.0123456789eE")] == '\0';
}

/* True if the key identifies a run, its place or its time.
 *
 * n  number of words of the key */
static int
names_run(unsigned says, int n)
{
	return (says & RUN) || ((says & RANK) && !(says & LOW)) ||
	    ((says & TIME) && !(says & SPAN)) ||
	    ((says & NAME) && (says & NAMED)) || ((says & ALONE) && n == 1);
}

/* True for variables of the scheduler, the launcher and the shell. */
static int
is_of_system(const char *key)
{
	static const char *const prefixes[] = { "SLURM", "SBATCH", "SRUN",
		"PMI", "OMPI_COMM", "OMPI_FILE", "OMPI_APP", "OMPI_UNIVERSE",
		"OMPI_MCA_orte", "OMPI_MCA_ess", "PRTE", "PBS_", "LSB_", "LSF_",
		"SGE_", "FLUX_", "PALS_", "KUBERNETES", "XDG_", "SSH_", "CONDA",
		"_CE_", "LESS", "LS_", "TERM", "BASH", "DBUS", "GPG", "MAIL",
		"DISPLAY", "LINES", "COLUMNS", "TMUX", "STY", "JOB_",
		"TORCHELASTIC", "HYDRA_", "LMOD", "MODULE", "__LMOD", "WINDOW",
		"PROMPT", "PS1", "LANG", "LC_", "SHELL", "EDITOR", "OLDPWD",
		"LOGNAME", "NODE_RANK", NULL };

	if (!isupper((unsigned char)key[0]) && key[0] != '_')
		return 0;
	for (size_t i = 0; prefixes[i] != NULL; i++)
		if (strncmp(key, prefixes[i], strlen(prefixes[i])) == 0)
			return 1;
	return 0;
}

/* True for a path, which is not a number. */
static int
names_place(unsigned says, const char *value)
{
	return (says & PLACE) && !(says & CONFIG) && !is_number(value);
}

/* True for values measured before the first step. */
static int
is_measured(unsigned says, const char *value)
{
	return ((says & MEASURED) ||
		   ((says & UNIT) && !(says & SPAN) &&
		       strchr(value, '.') != NULL)) &&
	    is_number(value);
}

/* --- Values ----------------------------------------------------------------*/

/* True for a path or URL: "/data/x", "./x", "~/x", "s3://x", "out/x.log". */
static int
is_place(const char *value)
{
	static const char *const suffixes[] = { ".log", ".out", ".err", ".txt",
		".pt", ".pth", ".ckpt", ".npz", ".bin", ".tar", NULL };
	const size_t len = strlen(value);
	const char *first = value + strspn(value, "['\"(");

	if (first[0] == '/' || first[0] == '~' ||
	    strncmp(first, "./", 2) == 0 || strncmp(first, "../", 3) == 0 ||
	    strncmp(first, "$", 1) == 0 || strstr(value, "://") != NULL)
		return 1;
	for (size_t i = 0; suffixes[i] != NULL; i++) {
		const size_t n = strlen(suffixes[i]);

		if (len > n && strcmp(value + len - n, suffixes[i]) == 0)
			return 1;
	}
	return 0;
}

/* True for addresses and times, groups of digits with separators: "10.0.0.1",
 * "2024-01-31", "12:30:00", "20240131_123000". */
static int
is_stamp(const char *value)
{
	int groups = 0, digits = 0, year = 0;

	/* "Fri Nov 27 00:26:09 UTC 2026" */
	for (const char *p = value; (p = strchr(p, ':')) != NULL; p++)
		if (p - value >= 2 && isdigit((unsigned char)p[-1]) &&
		    isdigit((unsigned char)p[1]) &&
		    isdigit((unsigned char)p[2]) && p[3] == ':')
			return 1;
	for (const char *p = value; *p != '\0';) {
		const size_t n = strspn(p, "0123456789");

		if (n == 0 && strchr("-:_/ .TZ+", *p) == NULL)
			return 0;
		year |= (n >= 4 &&
		    (strncmp(p, "19", 2) == 0 || strncmp(p, "20", 2) == 0));
		groups += n > 0;
		digits += (int)n;
		p += n > 0 ? n : 1;
	}
	return (groups >= 3 && digits >= 6 &&
		   (year || strchr(value, ':') != NULL)) ||
	    (groups == 2 && digits >= 12) ||
	    (groups == 4 && strspn(value, "0123456789.") == strlen(value));
}

/* True for random letters and digits: "3dea820b", "9f8e7d6", a UUID,
 * "x7k2p9qa". */
static int
is_random(const char *value)
{
	size_t n = 0, letters = 0, digits = 0, changes = 0, hex = 0, groups = 1;

	for (; value[n] != '\0'; n++) {
		const unsigned char c = (unsigned char)value[n];

		if (c == '-') {
			groups++;
			continue;
		}
		if (!isalnum(c))
			return 0;
		letters += isalpha(c) != 0;
		digits += isdigit(c) != 0;
		hex += isxdigit(c) != 0;
		changes += n > 0 && isalnum((unsigned char)value[n - 1]) &&
		    (isdigit(c) != 0) !=
			(isdigit((unsigned char)value[n - 1]) != 0);
	}
	if (digits == n)
		return n >= LONG_NUMBER;
	if (groups == 5 && hex == n - 4 && n == 36)
		return 1;
	if (groups > 1 || letters == 0 || digits == 0)
		return 0;
	return (hex == n && n >= HASH_DIGITS && changes > 1) ||
	    (n == 8 && changes >= 3) || (n > 8 && n < 40 && changes >= 6);
}

int
setting_counts(const char *key, const char *value)
{
	unsigned says;
	int n;

	if (is_of_system(key))
		return 0;
	says = key_says(key, &n);
	if (n == 0)
		return 0;
	if (is_boolean(value))
		return 1;
	return !names_run(says, n) && !names_place(says, value) &&
	    !is_measured(says, value) && !is_place(value) && !is_stamp(value) &&
	    !is_random(value);
}
