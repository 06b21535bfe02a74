/* Signals that ask a run to end: a handler records them, and the training loop
 * checks for them between steps.
 *
 *	signals_catch();
 *	...
 *	if (signals_caught() != 0)
 *		... save and leave ...
 */
#ifndef TRAINER_RUN_SIGNALS_H
#define TRAINER_RUN_SIGNALS_H

/* Catch SIGTERM, SIGINT and SIGUSR1 (sent by batch systems before the time
 * limit), except ignored ones. A second SIGINT, more than a second after the
 * first, ends the process at once. */
void signals_catch(void);

/* The first signal that was caught, or 0. */
int signals_caught(void);

/* Name of a signal: "SIGTERM"; "a signal" if signals_catch() does not catch
 * it. */
const char *signals_name(int number);

#endif
