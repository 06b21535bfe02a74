/* Numbers and words of a forecast, the same in every form.
 */
#ifndef PREDICT_SHOW_NUMBER_H
#define PREDICT_SHOW_NUMBER_H

/* x with 12 significant digits: all that another compiler or C library gives
 * the same.  What is predicted is shown so, what was measured is not. */
double show_rounded(double x);

/* "doubling", "transfer", "from the link", "measured"; by enum forecast_how. */
extern const char *const forecast_how_words[];

#endif
