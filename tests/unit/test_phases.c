/* Phases, clocks and interface counters. */
#include <config.h>

#include <string.h>

#include "tests/tap.h"
#include "trainer/run/meters/meter.h"

static void
test_clock(void)
{
	struct clock c;
	double t;

	clock_init(&c, 1);
	CHECK_NEAR(clock_now(&c), 0, 0);
	CHECK_NEAR(clock_now(&c), 0.001, 0);
	clock_init(&c, 0);
	t = clock_now(&c);
	CHECK(t > 0);
	CHECK(clock_now(&c) >= t);
}

/* Each phase of two steps lasts one tick of the fake clock; they add up. */
static void
test_sum(void)
{
	struct clock c;
	struct phases p;
	struct strbuf sb;

	clock_init(&c, 1);
	phases_start(&p, &c);
	for (int step = 0; step < 2; step++)
		for (int k = 0; k < N_PHASES; k++)
			CHECK_NEAR(phases_end(&p, (enum phase)k), 0.001, 1e-12);
	phases_end(&p, PHASE_DATA);
	CHECK_NEAR(phases_total(&p), 0.017, 1e-12);
	strbuf_init(&sb, 1000);
	phases_show(&p, 2, &sb);
	CHECK_STR(sb.buf,
	    " step_ms=8.500 data_ms=1.500 to_device_ms=1.000 forward_ms=1.000"
	    " loss_ms=1.000 backward_ms=1.000 update_ms=2.000 other_ms=1.000"
	    " update_allreduce_ms=1.000 update_step_ms=1.000");
	strbuf_release(&sb);
}

static const char dev[] =
    "Inter-|   Receive                            |  Transmit\n"
    " face |bytes    packets errs drop fifo frame compressed multicast|bytes"
    "    packets errs drop fifo colls carrier compressed\n"
    "    lo:    3267      29    0    0    0     0          0         0     "
    "3267      29    0    0    0     0       0          0\n"
    "  ifb0:       0       0    0    0    0     0          0         0        "
    "0       0    0    0    0     0       0          0\n"
    "  eth0: 236869850    6185    0    0    0     0          0         0   "
    "355331    4772    0    0    0     0       0          0\n"
    "veth9a1b2c3:1000 6 0 0 0 0 0 0 500 4 0 0 0 0 0 0\n"
    "  eth1: 1000 6 0 0 0 0 0 0 2000 4 0 0 0 0 0 0\n";

static int
is_veth(const char *name)
{
	return strcmp(name, "veth9a1b2c3") == 0;
}

static void
test_traffic(void)
{
	struct net_counters none, t;
	struct strbuf sb;

	net_counters_parse("", NULL, &none);
	CHECK_NEAR(none.received, 0, 0);
	net_counters_parse(dev, is_veth, &t);
	CHECK_NEAR(t.received, 236869850 + 1000, 0);
	CHECK_NEAR(t.sent, 355331 + 2000, 0);
	CHECK_NEAR(t.loopback, 3267, 0);
	CHECK_STR(t.names, "eth0,eth1");
	strbuf_init(&sb, 1000);
	net_counters_show(&none, &t, 2, &sb); /* 236870850 * 8 / 2 / 1e6 */
	CHECK_STR(sb.buf,
	    " receive_mbit_per_s=947.483 send_mbit_per_s=1.429"
	    " loopback_mbit_per_s=0.013 interfaces=eth0,eth1");
	strbuf_reset(&sb);
	net_counters_show(&none, &none, 0, &sb);
	CHECK_STR(sb.buf,
	    " receive_mbit_per_s=0.000 send_mbit_per_s=0.000"
	    " loopback_mbit_per_s=0.000 interfaces=none");
	strbuf_release(&sb);
}

/* More interfaces than `names` can hold: the list is cut at a comma. */
static void
test_many(void)
{
	char text[20000] = "";
	struct net_counters t;
	size_t len = 0;

	for (int i = 0; i < 100; i++)
		len += (size_t)snprintf(text + len, sizeof text - len,
		    " interface%04d: 1 0 0 0 0 0 0 0 2 0 0 0 0 0 0 0\n", i);
	net_counters_parse(text, NULL, &t);
	CHECK_NEAR(t.received, 100, 0);
	CHECK_NEAR(t.sent, 200, 0);
	CHECK(strlen(t.names) < sizeof t.names);
	CHECK_STR(t.names + strlen(t.names) - 14, ",interface0017");
	net_counters_parse(" a: 1 0 0 0 0 0 0 0 2 0 0 0 0 0 0 0\n"
			   " b: 1 0 0 0 0 0 0 0 2 0 0 0 0 0 0 0\n",
	    NULL, &t);
	CHECK_STR(t.names, "a,b");
}

static const struct tap_test tests[] = {
	TEST(test_clock),
	TEST(test_sum),
	TEST(test_traffic),
	TEST(test_many),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
