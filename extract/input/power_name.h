/* Names of files in which monitors record devices' power next to a log.
 * Internal to extract/.
 */
#ifndef EXTRACT_INPUT_POWER_NAME_H
#define EXTRACT_INPUT_POWER_NAME_H

/* Is it the name of such a file: power.csv, nvidia-smi.csv, dcgm.txt,
 * emissions.csv ..., alone or after that of a log ("run1.power.csv")?
 *
 * name  without a folder */
int power_name_is(const char *name);

/* The i-th of the names that stand alone, or NULL after the last. */
const char *power_name_at(int i);

#endif
