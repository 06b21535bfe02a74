/* Finding log files below the operands of the command line, in an order that
 * depends on names only.
 *
 *	struct file_list list;
 *	file_list_init(&list);
 *	if (file_list_add(&list, "runs/=a", &e) != 0) ...
 *	for (i = 0; i < list.n_files; i++) ...
 *	file_list_release(&list);
 */
#ifndef EXTRACT_INPUT_FILE_LIST_H
#define EXTRACT_INPUT_FILE_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/error.h"

enum {
	FILE_LIST_MAX_DEPTH = 64,      /* folders below an operand */
	FILE_LIST_MAX_FILES = 10000000 /* in one list */
};

struct log_file {
	const char *path;  /* to open */
	const char *shown; /* relative to the operand; the operand's last part
	                      where the operand is a file */
	const char *where; /* for layouts: shown with the operand's parts in
	                      front */
	const char *below; /* what distinguishes it in its label: the part
	                      of its path that no label stands for; "" if
	                      that is nothing */
	const char *label; /* of "label=path", or NULL */
	size_t operand;    /* from 0, in the order of file_list_add */
	int64_t bytes;     /* as found; -1 for stdin */
	enum file_power {
		FILE_POWER_NONE,    /* no record of power lies in its folder */
		FILE_POWER_UNKNOWN, /* the folder was not listed */
		FILE_POWER_FOLDER   /* one does (power_name_is) */
	} power;
};

/* Something on the way that could not be used. */
struct file_list_problem {
	const char *path;
	const char *message; /* without the path */
};

struct file_list {
	struct arena arena;
	struct log_file *files; /* operands in order, sorted inside each */
	size_t n_files, alloc_files;
	struct file_list_problem *problems;
	size_t n_problems, alloc_problems;
	size_t n_operands;
	/* Globs of names that are logs in spite of their suffix, borrowed; one
	 * with a '/' is for the end of a path. */
	const char **globs;
	size_t n_globs, alloc_globs;
	int full;          /* 1: FILE_LIST_MAX_FILES was reached */
	int64_t n_skipped; /* files that are no logs by their names */
};

/* An empty list; and free it. */
void file_list_init(struct file_list *list);
void file_list_release(struct file_list *list);

/* Let files that fit glob be logs, whatever their suffix is.  The text is
 * borrowed. */
void file_list_admit(struct file_list *list, const char *glob);

/* True if the end of path, as many parts as glob has, matches it or is equal.
 */
int file_list_fits(const char *path, const char *glob);

/* Add an operand: a folder, a file, "-", or "label=path" of those.
 *
 * Below a folder hidden entries and files whose names show that they are no
 * logs are skipped (n_skipped), and so are links to something that is below
 * the same operand anyway.  Other links are followed, each folder once.
 * Dangling links, loops, unreadable folders, FIFOs, sockets, devices and
 * folders that are too deep become problems.  A file named as an operand is
 * always taken.  A folder that is one run (run_folder.h) is listed as a file,
 * and not entered.  An operand "a=b" that is no path is the path b with the
 * label a.
 *
 * Returns 0; or -1 if the operand itself does not exist or cannot be read:
 * code ERROR_INPUT or ERROR_SYSTEM. */
int file_list_add(struct file_list *list, const char *operand, struct error *e);

/* The path in an operand: that of "LABEL=PATH", unless it is a path itself.
 *
 * label_len  set to the bytes of the label; 0: there is none */
const char *operand_path(const char *operand, size_t *label_len);

/* After the last operand: a file that was reached twice under the same label,
 * as "runs runs/1n1g" does, is kept once, and becomes a problem too.  Hard
 * links are files of their own. */
void file_list_once(struct file_list *list);

/* The last part of the operand below which a file lies, in a; NULL: the file is
 * the operand. */
const char *log_file_operand(const struct log_file *file, struct arena *a);

/* True for the name of a file in which a monitor records the power of devices
 * next to a log: power.csv, nvidia-smi.csv, dcgm.txt, emissions.csv ..., alone
 * or after that of a log ("run1.power.csv").
 *
 * name  without a folder */
int power_name_is(const char *name);

/* The i-th of the names without a log's in front, or NULL after the last. */
const char *power_name_at(int i);

#endif
