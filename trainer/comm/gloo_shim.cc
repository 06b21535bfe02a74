#include <config.h>

#include "trainer/comm/gloo_shim.h"

#include <gloo/allgather.h>
#include <gloo/allreduce.h>
#include <gloo/broadcast.h>
#include <gloo/context.h>
#include <gloo/transport/context.h>
#include <gloo/transport/pair.h>
#include <gloo/transport/tcp/device.h>
#include <gloo/types.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

extern "C" {
#include "trainer/base/tensor.h"
}

struct gloo_shim {
	std::shared_ptr<gloo::transport::Device> device;
	std::shared_ptr<gloo::Context> context;
};

namespace
{

/* Remove the "[file:line] " with which Gloo's exceptions begin. */
const char *
text_of(const std::exception &x)
{
	const char *text = x.what();
	const char *end = *text == '[' ? strstr(text, "] ") : nullptr;

	return end != nullptr ? end + 2 : text;
}

/* Run f, and turn an exception into an error. */
template <typename F>
int
guard(struct error *e, F f)
{
	try {
		f();
	} catch (const std::exception &x) {
		return error_set(e, ERROR_SYSTEM, "gloo: %s", text_of(x));
	}
	return 0;
}

enum { GREET_MS = 60000 }; /* limit to connect, once all ranks are known */

/* Connections between all ranks. Gloo's own rendezvous is not used, because
 * ranks that are alone in their part must take part in the exchange, too. */
class Mesh : public gloo::Context
{
      public:
	Mesh(const struct gloo_place &p,
	    std::shared_ptr<gloo::transport::Device> device)
	    : gloo::Context(p.rank, p.size)
	{
		setTimeout(std::chrono::milliseconds(
		    static_cast<long>(p.timeout_s * 1e3)));
		device_ = device;
		transportContext_ = device->createContext(p.rank, p.size);
		transportContext_->setTimeout(getTimeout());
		own_ = make_ends();
		connect(p);
		greet();
	}

      private:
	/* A secret that identifies a rank of this run: only ranks can read the
	 * exchange that distributes it. */
	using Proof = uint64_t;
	/* [size] the proofs that this rank expects from each rank and gives to
	 * it. */
	std::vector<Proof> expected_, given_;
	std::vector<char> own_;

	/* Create this end of each connection. Returns addresses and proofs by
	 * rank, zeros for this rank. */
	std::vector<char>
	make_ends()
	{
		std::random_device random;
		std::vector<char> row;

		expected_.resize(static_cast<size_t>(size));
		given_.resize(static_cast<size_t>(size));
		for (int i = 0; i < size; i++) {
			if (i == rank)
				continue;
			std::vector<char> one =
			    transportContext_->createPair(i)->address().bytes();
			Proof &proof = expected_[static_cast<size_t>(i)];
			const char *bytes = reinterpret_cast<char *>(&proof);

			proof = static_cast<Proof>(random()) << 32 | random();
			one.insert(one.end(), bytes, bytes + sizeof proof);
			row.resize(one.size() * static_cast<size_t>(size));
			std::copy(one.begin(), one.end(),
			    row.begin() +
				static_cast<ptrdiff_t>(one.size()) * i);
		}
		return row;
	}

	/* Entry `rank` of rank i's row is the address to connect to. */
	void
	connect(const struct gloo_place &p)
	{
		const ptrdiff_t n = static_cast<ptrdiff_t>(own_.size()) / size;
		const ptrdiff_t bytes =
		    n - static_cast<ptrdiff_t>(sizeof(Proof));
		std::vector<char> all(own_.size() * static_cast<size_t>(size));
		struct error e = { ERROR_NONE, "" };

		if (p.exchange(
			p.ctx, own_.data(), own_.size(), all.data(), &e) != 0)
			throw std::runtime_error(e.message);
		for (int i = 0; i < size; i++) {
			const auto at = all.begin() + (i * size + rank) * n;

			if (i == rank)
				continue;
			std::copy(at + bytes, at + n,
			    reinterpret_cast<char *>(
				&given_[static_cast<size_t>(i)]));
			transportContext_->getPair(i)->connect(
			    std::vector<char>(at, at + bytes));
		}
	}

	/* A pair accepts the first connection to its port, which may come from
	 * another program. So each end proves its identity before data is
	 * used. */
	void
	greet()
	{
		const uint64_t slot = gloo::Slot::build(0x41, 0);
		const size_t n = sizeof(Proof);
		std::vector<Proof> got(static_cast<size_t>(size));
		auto in = createUnboundBuffer(got.data(), n * got.size());
		auto out = createUnboundBuffer(given_.data(), n * got.size());
		const auto wait =
		    std::min(getTimeout(), std::chrono::milliseconds(GREET_MS));

		for (int i = 0; i < size; i++) {
			const size_t at = static_cast<size_t>(i) * n;

			if (i == rank)
				continue;
			in->recv(i, slot, at, n);
			out->send(i, slot, at, n);
		}
		try {
			for (int i = 0; i + 1 < size; i++)
				in->waitRecv(wait);
			for (int i = 0; i + 1 < size; i++)
				out->waitSend(wait);
		} catch (const std::exception &x) {
			throw std::runtime_error(
			    std::string("a rank did not identify itself; "
					"another process may use the port: ") +
			    text_of(x));
		}
		for (int i = 0; i < size; i++)
			if (i != rank &&
			    got[static_cast<size_t>(i)] !=
				expected_[static_cast<size_t>(i)])
				throw std::runtime_error(
				    "another process answers instead of rank " +
				    std::to_string(i));
	}
};

/* Vector code for the reductions, even where the rest is built for
 * debugging. */
#ifdef __clang__
#define OPTIMIZED
#else
#define OPTIMIZED __attribute__((optimize("O3")))
#endif

using Reduce = void (*)(void *, const void *, const void *, size_t);

/* out may be a or b. */
template <typename T, enum comm_op op>
OPTIMIZED void
reduce(void *out, const void *a, const void *b, size_t n)
{
	T *o = static_cast<T *>(out);
	const T *x = static_cast<const T *>(a), *y = static_cast<const T *>(b);

	for (size_t i = 0; i < n; i++)
		o[i] = op == COMM_SUM ? x[i] + y[i]
		    : op == COMM_MIN  ? (y[i] < x[i] ? y[i] : x[i])
				      : (x[i] < y[i] ? y[i] : x[i]);
}

template <enum dtype type>
void
sum_half(void *out, const void *a, const void *b, size_t n)
{
	uint16_t *o = static_cast<uint16_t *>(out);

	if (out == b)
		std::swap(a, b);
	if (out != a)
		memcpy(out, a, n * sizeof *o);
	half_float_add(type, o, static_cast<const uint16_t *>(b), n);
}

const Reduce reductions[N_COMM_TYPES][N_COMM_OPS] = {
	{ reduce<float, COMM_SUM>, reduce<float, COMM_MIN>,
	    reduce<float, COMM_MAX> },
	{ reduce<double, COMM_SUM>, reduce<double, COMM_MIN>,
	    reduce<double, COMM_MAX> },
	{ reduce<int64_t, COMM_SUM>, reduce<int64_t, COMM_MIN>,
	    reduce<int64_t, COMM_MAX> },
	{ sum_half<DTYPE_FP16>, nullptr, nullptr },
	{ sum_half<DTYPE_BF16>, nullptr, nullptr },
};

void
set_output(gloo::AllreduceOptions &o, void *data, size_t n, size_t size)
{
	switch (size) {
	case 2:
		o.setOutput(static_cast<uint16_t *>(data), n);
		break;
	case 4:
		o.setOutput(static_cast<float *>(data), n);
		break;
	default:
		o.setOutput(static_cast<double *>(data), n);
	}
}

/* Send each rank its block, and add that rank's values to this rank's block;
 * after k steps it is a sum over k + 1 ranks. Gloo's own reduce-scatter is fast
 * only if the number of ranks is a power of two, and does not support fp16. */
void
scatter_sums(gloo::Context &c, char *data, size_t n, size_t bytes, Reduce sum)
{
	const uint64_t slot = gloo::Slot::build(0x40, 0);
	const size_t block = n * bytes;
	char *own = data + static_cast<size_t>(c.rank) * block;
	std::vector<char> from(block);
	auto out =
	    c.createUnboundBuffer(data, block * static_cast<size_t>(c.size));
	auto in = c.createUnboundBuffer(from.data(), block);

	for (int k = 1; k < c.size; k++) {
		const int to = (c.rank + k) % c.size;
		const int peer = (c.rank + c.size - k) % c.size;

		in->recv(peer, slot);
		out->send(to, slot, static_cast<size_t>(to) * block, block);
		in->waitRecv(c.getTimeout());
		sum(own, own, from.data(), n);
		out->waitSend(c.getTimeout());
	}
}

} // namespace

int
gloo_shim_open(const struct gloo_place *p, struct gloo_shim *parent,
    struct gloo_shim **out, struct error *e)
{
	std::unique_ptr<gloo_shim> s(new gloo_shim);

	/* Writing to a rank that has ended is an error, not a signal. */
	signal(SIGPIPE, SIG_IGN);
	const int rc = guard(e, [&] {
		gloo::transport::tcp::attr a;

		if (p->interface != nullptr)
			a.iface = p->interface;
		else if (p->address != nullptr)
			a.hostname = p->address;
		s->device = parent != nullptr
		    ? parent->device
		    : gloo::transport::tcp::CreateDevice(a);
		s->context = std::make_shared<Mesh>(*p, s->device);
	});

	if (rc == 0)
		*out = s.release();
	return rc;
}

void
gloo_shim_close(struct gloo_shim *s)
{
	delete s;
}

int
gloo_shim_allgather(
    struct gloo_shim *s, void *data, size_t bytes, struct error *e)
{
	return guard(e, [&] {
		gloo::AllgatherOptions o(s->context);

		o.setOutput(static_cast<char *>(data),
		    bytes * static_cast<size_t>(s->context->size));
		gloo::allgather(o);
	});
}

static const std::shared_ptr<gloo::Context> &
context_of(struct comm *base)
{
	return reinterpret_cast<struct comm_gloo *>(base)->shim->context;
}

int
gloo_allreduce(struct comm *base, void *data, size_t n, enum comm_type t,
    enum comm_op op, struct error *e)
{
	return guard(e, [&] {
		gloo::AllreduceOptions o(context_of(base));

		set_output(o, data, n, comm_type_size(t));
		o.setReduceFunction(reductions[t][op]);
		gloo::allreduce(o);
	});
}

int
gloo_reduce_scatter(
    struct comm *base, void *data, size_t n, enum comm_type t, struct error *e)
{
	return guard(e, [&] {
		scatter_sums(*context_of(base), static_cast<char *>(data), n,
		    comm_type_size(t), reductions[t][COMM_SUM]);
	});
}

int
gloo_broadcast(
    struct comm *base, void *data, size_t bytes, int root, struct error *e)
{
	return guard(e, [&] {
		gloo::BroadcastOptions o(context_of(base));

		o.setOutput(static_cast<char *>(data), bytes);
		o.setRoot(root);
		gloo::broadcast(o);
	});
}
