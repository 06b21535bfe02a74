/* How long something takes, whatever is done to the time of day. */
#ifndef COMMON_SECONDS_H
#define COMMON_SECONDS_H

/* Seconds since some moment; never goes back.  For any thread. */
double seconds_now(void);

#endif
