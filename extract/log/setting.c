/* Distinguishes settings of the training from identities of a run. Keys are
 * classified word by word, so that "master_port", "rdzv.port" and "masterPort"
 * are treated alike. */
#include <config.h>

#include "extract/log/stated_settings.h"

#include <ctype.h>
#include <string.h>

#include "extract/log/words.h"

enum {
	HASH_DIGITS = 7, /* minimum length of a hash with letters */
	LONG_NUMBER = 9
};

/* Meaning of a word of a key. */
enum {
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

static const struct {
	unsigned says;
	const char *words;
} key_words[] = {
	{ RUN,
	    "addr|address|attempt|author|clearml|comet|comment|commit|"
	    "created|date|datetime|description|deviceid|digest|duration|"
	    "elapsed|elapsedtime|email|endpoint|endpoints|entity|expid|"
	    "expname|fingerprint|gid|gpuid|guid|hash|host|hostfile|hostid|"
	    "hostlist|hostname|hosts|id|ids|ip|jobid|jobname|lineno|"
	    "masteraddr|masterport|md5|mlflow|neptune|nodeid|nodeip|nodelist|"
	    "nodename|nonce|note|notes|pid|poc|port|ports|ppid|project|"
	    "randomseed|restart|restarts|runid|runname|seed|seeds|session|sha|"
	    "sha1|shlvl|started|submission|tag|tags|taskid|tensorboard|"
	    "timestamp|title|trial|uid|user|username|uuid|visible|wandb" },
	{ RANK, "globalrank|localrank|noderank|rank|ranks" },
	{ LOW, "approximation|dora|galore|lora|low|matrix|powersgd" },
	{ TIME, "time" },
	{ SPAN, "cycle|delay|interval|limit|max|min|timeout" },
	{ NAME, "name|names" },
	{ NAMED,
	    "cluster|container|display|exp|experiment|file|group|image|job|"
	    "log|node|run|study" },
	{ ALONE,
	    "epoch|exp|experiment|gpu|h|iter|iteration|job|machine|name|node|"
	    "now|pod|run|server|step|worker" },
	{ PLACE,
	    "cache|checkpoint|checkpoints|ckpt|cwd|directory|dirs|export|"
	    "filename|files|fname|home|log|logger|logging|logs|out|output|"
	    "paths|pwd|report|result|results|resume|root|save|ssd|tmp|to|uri|"
	    "url" },
	{ CONFIG, "cfg|config|model" },
	{ MEASURED,
	    "allocated|avail|available|free|peak|reserved|seconds|secs|"
	    "throughput|took|usage|used|utilization" },
	{ UNIT, "acc|loss|ms|s|sec|us" },
};

/* The meanings of all words of a key, or-ed.
 *
 * n  out: number of words */
static unsigned
key_says(const char *key, int *n)
{
	const size_t n_words = sizeof key_words / sizeof key_words[0];
	const unsigned char *s = (const unsigned char *)key, *end;
	const char *word;
	unsigned says = 0;
	size_t len;

	for (*n = 0; *s != '\0'; s = end) {
		end = s + 1;
		if (!isalnum(*s))
			continue;
		/* "outputDir" and "FSDPConfig" are two words each. */
		while (isalnum(*end) &&
		    !(isupper(*end) && (islower(end[-1]) || islower(end[1]))))
			end++;
		word = (const char *)s;
		len = (size_t)(end - s);
		for (size_t i = 0; i < n_words; i++)
			if (words_match(key_words[i].words,
				WORDS_ALL | WORDS_FOLD, word, len))
				says |= key_words[i].says;
		if (words_match("dir|path|file|folder", WORDS_END | WORDS_FOLD,
			word, len) &&
		    !words_match("profile", WORDS_ALL | WORDS_FOLD, word, len))
			says |= PLACE;
		++*n;
	}
	return says;
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

/* Variables of the scheduler, the launcher and the shell. */
static const char system_variables[] =
    "SLURM|SBATCH|SRUN|PMI|OMPI_COMM|OMPI_FILE|OMPI_APP|OMPI_UNIVERSE|"
    "OMPI_MCA_orte|OMPI_MCA_ess|PRTE|PBS_|LSB_|LSF_|SGE_|FLUX_|PALS_|"
    "KUBERNETES|XDG_|SSH_|CONDA|_CE_|LESS|LS_|TERM|BASH|DBUS|GPG|MAIL|DISPLAY|"
    "LINES|COLUMNS|TMUX|STY|JOB_|TORCHELASTIC|HYDRA_|LMOD|MODULE|__LMOD|"
    "WINDOW|PROMPT|PS1|LANG|LC_|SHELL|EDITOR|OLDPWD|LOGNAME|NODE_RANK";

/* --- Values ----------------------------------------------------------------*/

/* True for a path or URL: "/data/x", "./x", "~/x", "s3://x", "out/x.log". */
static int
is_place(const char *value)
{
	return words_fit("/|~|./|../|$", WORDS_START,
		   value + strspn(value, "['\"(")) ||
	    strstr(value, "://") != NULL ||
	    words_fit(".log|.out|.err|.txt|.pt|.pth|.ckpt|.npz|.bin|.tar",
		WORDS_END, value);
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
	static const char hex[] = "0123456789abcdefABCDEF-";
	const size_t n = strlen(value);
	const int is_hex = value[strspn(value, hex)] == '\0';
	const int changes = words_changes(value, n);

	if (value[strspn(value, "0123456789")] == '\0')
		return n >= LONG_NUMBER;
	if (n == 36 && is_hex && value[8] == '-' && value[23] == '-')
		return 1;
	return (is_hex && n >= HASH_DIGITS && changes > 1) ||
	    (n == 8 && changes >= 3) || (n > 8 && n < 40 && changes >= 6);
}

int
setting_counts(const char *key, const char *value)
{
	const int is_figure = strpbrk(value, "0123456789") != NULL &&
	    value[strspn(value, "+-.0123456789eE")] == '\0';
	const int is_word = words_fit("true|false|yes|no|on|off|none|null",
	    WORDS_ALL | WORDS_FOLD, value);
	unsigned says;
	int n;

	if ((isupper((unsigned char)key[0]) || key[0] == '_') &&
	    words_fit(system_variables, WORDS_START, key))
		return 0;
	/* Looking up the key takes longest and comes last. */
	if (!is_word &&
	    (is_place(value) || is_stamp(value) || is_random(value)))
		return 0;
	says = key_says(key, &n);
	if (n == 0 || is_word)
		return n > 0;
	if (names_run(says, n) ||
	    ((says & PLACE) && !(says & CONFIG) && !is_figure))
		return 0;
	/* Exclude numbers that were measured before the first step. */
	return !is_figure ||
	    !((says & MEASURED) ||
		((says & UNIT) && !(says & SPAN) &&
		    strchr(value, '.') != NULL));
}
