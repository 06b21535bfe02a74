/* The header of a checkpoint as text: a row for each field of struct
 * checkpoint, which writing, reading and comparing go by.
 */
#ifndef TRAINER_RUN_CHECKPOINT_FIELDS_H
#define TRAINER_RUN_CHECKPOINT_FIELDS_H

#include "trainer/run/checkpoint.h"

/* Add a line for each field to out. */
void checkpoint_fields_write(const struct checkpoint *c, struct strbuf *out);

/* Read what checkpoint_fields_write wrote.
 *
 * text  NUL-terminated; is changed
 *
 * ERROR_INPUT: a line that is not the expected field, or a value outside of its
 * range. */
int checkpoint_fields_read(char *text, struct checkpoint *c, struct error *e);

#endif
