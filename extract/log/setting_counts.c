/* Which settings tell runs apart without saying what they do.  A key is looked
 * at word by word, so that "master_port", "rdzv.port" and "masterPort" are one
 * kind. */
#include <config.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "extract/log/stated_settings.h"

enum { MAX_KEY = 256, MAX_WORDS = 24, HASH_DIGITS = 7, LONG_NUMBER = 9 };

/* A key in small letters with a space before and after each word. */
struct key_words {
	char text[2 * MAX_KEY + 3];
	int n;
};

static void
split_key(struct key_words *w, const char *key)
{
	size_t n = 0;

	w->n = 0;
	w->text[n++] = ' ';
	for (size_t i = 0; key[i] != '\0' && i < MAX_KEY; i++) {
		const unsigned char c = (unsigned char)key[i];

		/* "outputDir" is two words, "FSDPConfig" too. */
		if (i > 0 && isupper(c) &&
		    (islower((unsigned char)key[i - 1]) ||
			(isupper((unsigned char)key[i - 1]) &&
			    islower((unsigned char)key[i + 1]))) &&
		    w->text[n - 1] != ' ')
			w->text[n++] = ' ';
		if (isalnum(c))
			w->text[n++] = (char)tolower(c);
		else if (w->text[n - 1] != ' ')
			w->text[n++] = ' ';
	}
	if (w->text[n - 1] != ' ')
		w->text[n++] = ' ';
	w->text[n] = '\0';
	for (size_t i = 1; i < n; i++)
		w->n += w->text[i] == ' ';
}

/* Is one of the words [NULL ends] in the key? */
static int
has_word(const struct key_words *w, const char *const *words)
{
	for (; *words != NULL; words++) {
		const size_t n = strlen(*words);

		for (const char *p = w->text; (p = strstr(p, *words)) != NULL;
		     p++)
			if (p[-1] == ' ' && p[n] == ' ')
				return 1;
	}
	return 0;
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
	char *end;

	strtod(value, &end);
	return end != value && *end == '\0';
}

/* Key words of what numbers or names a run, its place or its time. */
static int
names_run(const struct key_words *w)
{
	static const char *const always[] = { "seed", "seeds", "host", "hosts",
		"hostname", "hostfile", "hostlist", "nodelist", "nodename",
		"port", "ports", "pid", "ppid", "uuid", "guid", "id", "ids",
		"jobid", "runid", "date", "datetime", "timestamp", "ip", "addr",
		"address", "endpoint", "endpoints", "hash", "sha", "sha1",
		"md5", "commit", "digest", "fingerprint", "user", "username",
		"uid", "gid", "email", "author", "started", "created",
		"elapsed", "elapsedtime", "duration", "nonce", "tag", "tags",
		"note", "notes", "comment", "description", "title", "visible",
		"shlvl", "lineno", "session", "attempt", "trial", "restart",
		"restarts", "wandb", "tensorboard", "comet", "neptune",
		"clearml", "mlflow", "submission", "poc", "entity", "project",
		NULL };
	static const char *const rank[] = { "rank", "ranks", NULL };
	static const char *const low_rank[] = { "lora", "matrix", "low",
		"powersgd", "approximation", "galore", "dora", NULL };
	static const char *const time[] = { "time", NULL };
	static const char *const span[] = { "cycle", "limit", "max", "min",
		NULL };
	static const char *const name[] = { "name", "names", NULL };
	static const char *const named[] = { "run", "exp", "experiment", "job",
		"display", "node", "study", "file", "log", "cluster",
		"container", "image", "group", NULL };
	static const char *const whole[] = { " name ", " exp ", " experiment ",
		" gpu ", " device id ", " epoch ", " step ", " iter ",
		" iteration ", " global step ", " run ", " job ", " now ",
		" node ", " machine ", " worker ", " server ", " pod ", " h ",
		NULL };

	for (size_t i = 0; whole[i] != NULL; i++)
		if (strcmp(whole[i], w->text) == 0)
			return 1;
	return has_word(w, always) ||
	    (has_word(w, rank) && !has_word(w, low_rank)) ||
	    (has_word(w, time) && !has_word(w, span)) ||
	    (has_word(w, name) && has_word(w, named));
}

/* Variables of the scheduler, the launcher and the shell. */
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

	for (size_t i = 0; prefixes[i] != NULL; i++)
		if (strncmp(key, prefixes[i], strlen(prefixes[i])) == 0)
			return 1;
	return 0;
}

/* Key words of a place on a disk; a number or a boolean is none. */
static int
names_place(const struct key_words *w, const char *value)
{
	static const char *const places[] = { "dir", "dirs", "directory",
		"path", "paths", "folder", "root", "file", "files", "filename",
		"fname", "output", "out", "log", "logs", "logdir", "logger",
		"logging", "outdir", "workdir", "save", "ckpt", "checkpoint",
		"checkpoints", "resume", "url", "uri", "cache", "tmp", "tmpdir",
		"cwd", "pwd", "home", "ssd", "results", "result", "report",
		"export", "to", NULL };
	static const char *const config[] = { "config", "cfg", "recipe",
		"model", NULL };

	return !is_number(value) && has_word(w, places) && !has_word(w, config);
}

/* What a program measured before its first step. */
static int
is_measured(const struct key_words *w, const char *value)
{
	static const char *const words[] = { "free", "used", "allocated",
		"reserved", "peak", "available", "usage", "utilization",
		"throughput", "seconds", "secs", "took", "avail", NULL };

	static const char *const units[] = { "s", "ms", "us", "sec", NULL };
	static const char *const spans[] = { "cycle", "timeout", "delay",
		"interval", NULL };

	return is_number(value) &&
	    (has_word(w, words) ||
		(strchr(value, '.') != NULL && has_word(w, units) &&
		    !has_word(w, spans)) ||
		(w->n == 1 && strchr(value, '.') != NULL &&
		    (strcmp(w->text, " loss ") == 0 ||
			strcmp(w->text, " acc ") == 0 ||
			strcmp(w->text, " sec ") == 0)));
}

/* --- Values ----------------------------------------------------------------*/

/* A file's place: "/data/x", "./x", "~/x", "s3://x", "out/x.log". */
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

/* Digits in groups, with only such marks between: "10.0.0.1", "2024-01-31",
 * "12:30:00", "20240131_123000". */
static int
is_stamp(const char *value)
{
	int groups = 0, digits = 0, year = 0;

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

/* Letters and digits by chance: "3dea820b", "9f8e7d6", a UUID, "x7k2p9qa". */
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
	struct key_words w;

	if (is_of_system(key))
		return 0;
	split_key(&w, key);
	if (w.n == 0 || w.n > MAX_WORDS)
		return 0;
	if (is_boolean(value))
		return 1;
	return !names_run(&w) && !names_place(&w, value) &&
	    !is_measured(&w, value) && !is_place(value) && !is_stamp(value) &&
	    !is_random(value);
}
