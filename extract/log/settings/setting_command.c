/* Settings on command lines: options of a launcher and of its program. */
#include <config.h>

#include "extract/log/settings/settings_reader.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "extract/log/command_line.h"

/* True for programs that run a training program. */
static int
is_launcher(const char *word)
{
	static const char *const names[] = { "torchrun", "accelerate",
		"deepspeed", "horovodrun", "mpirun", "mpirun.real", "mpiexec",
		"mpiexec.hydra", "srun", "jsrun", "aprun", "colossalai",
		"composer", "bindpcie", "orterun", "prterun", "lightning",
		"fairseq-train", "fairseq-hydra-train", "tune", "axolotl",
		"llamafactory-cli", "swift", NULL };
	const char *name = command_base_name(word);

	/* Strip the prefix of "<stdout>:python". */
	if (strrchr(name, ':') != NULL)
		name = strrchr(name, ':') + 1;
	if (command_is_python(name))
		return 1;
	for (size_t i = 0; names[i] != NULL; i++)
		if (strcmp(names[i], name) == 0)
			return 1;
	return 0;
}

static int
is_script(const char *word)
{
	return settings_ends_with(word, ".py") && word[0] != '-';
}

/* Add an option; mpirun's "-x NAME=VALUE" sets a variable. */
static void
add_option(struct settings_reader *r, const struct command_option *o)
{
	const char *value = o->value != NULL ? o->value : "true";
	const char *key = o->key;
	size_t len = strlen(key);

	if (strcmp(key, "u") == 0)
		return; /* Python's unbuffered output */
	if (strcmp(key, "m") == 0) {
		key = "program";
		len = strlen(key);
	} else if (strcmp(key, "x") == 0 && strchr(value, '=') != NULL) {
		key = value;
		len = strcspn(value, "=");
		value += len + 1;
	} else if (o->separate && strchr("/.~$", value[0]) != NULL &&
	    setting_counts(key, "x")) {
		value = "true"; /* a flag before another argument */
	}
	settings_reader_add(
	    r, SETTING_COMMAND, "", key, len, value, strlen(value));
}

/* The first word that runs a training program, or end. */
static size_t
find_launcher(const struct command_line *c, size_t from, size_t end)
{
	for (size_t i = from; i < end; i++) {
		const char *word = c->words[i].text;

		if (command_is_example(word))
			return end;
		if (is_launcher(word) ||
		    (is_script(word) && i <= from + 1 && i + 1 < end &&
			c->words[i + 1].text[0] == '-'))
			return i;
	}
	return end;
}

/* Read one command, words [from, end). Returns 1 if it runs a program. */
static int
read_command_words(struct settings_reader *r, const struct command_line *c,
    size_t from, size_t end)
{
	const size_t launcher = find_launcher(c, from, end);
	struct command_option o;
	int named = 0;
	size_t first;

	if (end - launcher < 2)
		return 0;
	settings_reader_end_block(r);
	first = r->n;
	for (size_t i = from; i < end; i += o.n) {
		const char *word = c->words[i].text;

		if (strcmp(word, "-c") == 0 && i > from && i + 1 < end &&
		    !is_script(c->words[i - 1].text)) {
			const char *shell =
			    command_base_name(c->words[i - 1].text);
			const char *code = c->words[i + 1].text;

			o.n = 2;
			if (settings_ends_with(shell, "sh")) {
				settings_read_command(r, code, strlen(code));
				continue;
			}
			if (is_launcher(shell)) {
				r->n = first; /* code of a helper */
				return 1;
			}
		}
		if (command_line_option(c, i, r->a, &o)) {
			if (o.separate && is_script(o.value)) {
				o.value = NULL; /* the option is a flag */
				o.n = 1;
			}
			add_option(r, &o);
		} else if (is_script(word) && i >= launcher && !named) {
			named = 1;
			settings_reader_add(r, SETTING_COMMAND, "", "program",
			    7, command_base_name(word),
			    strlen(command_base_name(word)));
		}
	}
	r->block = r->n;
	return 1;
}

/* Quick test that excludes most lines. */
static int
may_be_command(const char *line, size_t len)
{
	static const char *const clues[] = { ".py", "python", "run ", "mpiexec",
		"accelerate", "deepspeed", "colossalai", "composer", "train ",
		"run\t" };

	for (size_t i = 0; i < sizeof clues / sizeof clues[0]; i++)
		if (memmem(line, len, clues[i], strlen(clues[i])) != NULL)
			return 1;
	return 0;
}

int
settings_read_command(struct settings_reader *r, const char *line, size_t len)
{
	struct command_line c;
	size_t from = 0;
	int found = 0;

	if (!may_be_command(line, len))
		return 0;
	command_line_split(&c, line, len, r->a);
	for (size_t i = 0; i <= c.n; i++)
		if (i == c.n || c.words[i].is_operator) {
			found |= read_command_words(r, &c, from, i);
			/* Words after ">" do not run a program. */
			from = i + 1;
		}
	return found;
}
