/* Formats the lines of PyTorch's example, byte for byte as main.py prints
 * them. */
#include <config.h>

#include "trainer/run/meters/meter.h"

#include <stdio.h>

void
meter_update(struct meter *m, double val, double n)
{
	m->val = val;
	m->sum += val * n;
	m->count += n;
}

double
meter_mean(const struct meter *m)
{
	return m->count > 0 ? m->sum / m->count : 0;
}

static int
count_digits(long n)
{
	return snprintf(NULL, 0, "%ld", n);
}

static void
show_seconds(const char *name, const struct meter *m, struct strbuf *sb)
{
	strbuf_printf(sb, "\t%s %6.3f (%6.3f)", name, m->val, meter_mean(m));
}

/* Add loss, accuracies and the line's end, for both types of line. */
static void
show_results(const struct meters *m, struct strbuf *sb)
{
	strbuf_printf(sb,
	    "\tLoss %.4e (%.4e)\tAcc@1 %6.2f (%6.2f)\tAcc@5 %6.2f (%6.2f)\n",
	    m->loss.val, meter_mean(&m->loss), m->top1.val,
	    meter_mean(&m->top1), m->top5.val, meter_mean(&m->top5));
}

void
meters_train_line(
    const struct meters *m, int epoch, long batch, long n, struct strbuf *sb)
{
	strbuf_printf(
	    sb, "Epoch: [%d][%*ld/%ld]", epoch, count_digits(n), batch, n);
	show_seconds("Time", &m->time, sb);
	show_seconds("Data", &m->data, sb);
	show_results(m, sb);
}

void
meters_test_line(const struct meters *m, long batch, long n, struct strbuf *sb)
{
	strbuf_printf(sb, "Test: [%*ld/%ld]", count_digits(n), batch, n);
	show_seconds("Time", &m->time, sb);
	show_results(m, sb);
}

void
meters_accuracy_line(double top1, double top5, struct strbuf *sb)
{
	strbuf_printf(sb, " *   Acc@1 %.3f Acc@5 %.3f\n", top1, top5);
}
