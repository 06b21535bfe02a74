/* Options of PyTorch's ImageNet example (main.py) that select the processes of
 * a run. main.py starts them itself; here a launcher does. A copied command
 * line works, or is rejected with the line to use instead.
 */
#ifndef TRAINER_RUN_OPTIONS_EXAMPLE_OPTIONS_H
#define TRAINER_RUN_OPTIONS_EXAMPLE_OPTIONS_H

#include "common/error.h"
#include "common/strbuf.h"
#include "trainer/run/options/options_table.h"

/* Set the variables WORLD_SIZE, RANK, MASTER_ADDR and MASTER_PORT from
 * --world-size, --rank and --dist-url. Call it before the back end is opened.
 *
 * argv  original command line, ends with NULL
 *
 * ERROR_USAGE: --pretrained; --multiprocessing-distributed without a launcher
 * or with -b; an invalid --dist-url or rank. */
int example_options_settle(
    const struct train_options *o, char *const *argv, struct error *e);

/* Add the shell line to use instead of argv to sb: "mpirun -n N train_imagenet
 * ...", with --total-batch instead of -b, which in the example counts all
 * images of a node, and with --device=cuda if there are GPUs, which the example
 * uses by default.
 *
 * argv     ends with NULL
 * nodes    --world-size, or 1
 * devices  GPUs of a node; 0: none, or not known */
void example_options_line(
    char *const *argv, long nodes, long devices, struct strbuf *sb);

#endif
