/* Options of PyTorch's ImageNet example (main.py) that state which processes
 * take part.  There the program starts them; here a launcher does.  A line that
 * was copied works, or is refused with the line to use instead.
 */
#ifndef TRAINER_RUN_OPTIONS_EXAMPLE_OPTIONS_H
#define TRAINER_RUN_OPTIONS_EXAMPLE_OPTIONS_H

#include "common/error.h"
#include "common/strbuf.h"
#include "trainer/run/options/options_table.h"

/* Before the back end is opened: --world-size, --rank and --dist-url become the
 * variables WORLD_SIZE, RANK, MASTER_ADDR and MASTER_PORT.
 *
 * argv  as the program was called, ends with NULL
 *
 * ERROR_USAGE: --pretrained; --multiprocessing-distributed where no launcher
 * has started processes, or with -b; a --dist-url or a rank that cannot be
 * used. */
int example_options_settle(
    const struct train_options *o, char *const *argv, struct error *e);

/* Add the line to use instead of argv to sb: "mpirun -n N train_imagenet ...",
 * with --total-batch in the place of -b, which counts all images of a node in
 * the example, and with --device=cuda where there are GPUs, which the example
 * takes by itself; quoted for a shell.
 *
 * argv     ends with NULL
 * nodes    --world-size, or 1
 * devices  GPUs of a node; 0: none, or not known */
void example_options_line(
    char *const *argv, long nodes, long devices, struct strbuf *sb);

#endif
