/* Find log files below the operands of the command line, in an order that
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

#include "common/alloc.h"
#include "common/error.h"

enum {
	FILE_LIST_MAX_DEPTH = 64,      /* levels of folders below an operand */
	FILE_LIST_MAX_FILES = 10000000 /* files in one list */
};

struct log_file {
	const char *path;  /* to open */
	const char *shown; /* path relative to the operand, or the operand's
			      last component if it is a file; has more in front
			      if files of several operands would look equal */
	const char *where; /* for layouts: shown, preceded by the operand's
	                      components */
	size_t front;      /* length of the operand's components in where */
	const char *below; /* part of its path that no label represents, to tell
	                      runs apart; may be "" */
	const char *label; /* of "label=path", or NULL */
	size_t operand;    /* from 0, in the order of file_list_add */
	int64_t bytes;     /* size at listing; -1 for stdin */
	enum file_power {
		FILE_POWER_NONE,    /* no power record in its folder */
		FILE_POWER_UNKNOWN, /* the folder was not listed */
		FILE_POWER_FOLDER   /* one is there (power_name_is) */
	} power;
};

/* A path that could not be used. */
struct file_list_problem {
	const char *path;
	const char *message; /* without the path */
};

struct file_list {
	struct arena arena;
	struct log_file *files; /* operands in order, sorted within each */
	size_t n_files, alloc_files;
	struct file_list_problem *problems;
	size_t n_problems, alloc_problems;
	size_t n_operands;
	/* Globs of logs whose suffix would exclude them, borrowed. A glob with
	 * a '/' matches the end of the path. */
	const char **globs;
	size_t n_globs, alloc_globs;
	int full;          /* 1: FILE_LIST_MAX_FILES was reached */
	int64_t n_skipped; /* files whose names show that they are not logs */
};

/* Make an empty list; free a list. */
void file_list_init(struct file_list *list);
void file_list_release(struct file_list *list);

/* Treat files that match glob as logs, whatever their suffix. The text is
 * borrowed. */
void file_list_admit(struct file_list *list, const char *glob);

/* True if glob matches or equals the end of path with as many components.
 */
int file_list_fits(const char *path, const char *glob);

/* Add an operand: a folder, a file, "-", or "label=path" of one of these.
 *
 * Below a folder, skip hidden entries, files whose names show that they are not
 * logs (n_skipped), and links to entries below the same operand. Other links
 * are followed, each folder once. Dangling links, loops, unreadable folders,
 * FIFOs, sockets, devices and folders that are too deep become problems. A file
 * named as an operand is always listed. A folder that is one run (run_folder.h)
 * is listed as a file and not entered. An operand "a=b" that is not an existing
 * path is the path b with the label a.
 *
 * Returns 0; or -1 if the operand itself does not exist or cannot be read: code
 * ERROR_INPUT or ERROR_SYSTEM. */
int file_list_add(struct file_list *list, const char *operand, struct error *e);

/* Call after the last operand: keep a file that was found twice under the same
 * label, e.g. by "runs runs/1n1g", once, and report it as a problem. Hard links
 * count as different files. Then, if files of several operands are shown by the
 * same name, put the names of their folders before it: "a/1n1g/1.log". */
void file_list_once(struct file_list *list);

/* Last component of the operand that contains a file, allocated in a; NULL: the
 * file is the operand. */
const char *log_file_operand(const struct log_file *file, struct arena *a);

/* True for the name of a file in which a monitor records the power of devices
 * next to a log: power.csv, nvidia-smi.csv, dcgm.txt, emissions.csv ..., alone
 * or after the name of a log ("run1.power.csv").
 *
 * name  name without folder */
int power_name_is(const char *name);

/* The i-th of these names without a log's name, or NULL after the last. */
const char *power_name_at(int i);

#endif
