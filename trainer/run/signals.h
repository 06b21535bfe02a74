/* Signals that ask a run to end: they are noted, and the training loop looks
 * for them between two steps.
 *
 *	signals_catch();
 *	...
 *	if (signals_caught() != 0)
 *		... save and leave ...
 */
#ifndef TRAINER_RUN_SIGNALS_H
#define TRAINER_RUN_SIGNALS_H

/* A file that outgrows the limit on its size is an error to report, not an
 * end without a word. */
void signals_init(void);

/* From now on note SIGTERM, SIGINT and SIGUSR1 (what a batch system sends
 * before the time is up), but not those that are ignored.  A second SIGINT,
 * more than a second after the first, ends the process at once. */
void signals_catch(void);

/* The number of the signal that came first; 0 if none came. */
int signals_caught(void);

/* "SIGTERM"; "a signal" for one that signals_catch() does not catch. */
const char *signals_name(int number);

#endif
