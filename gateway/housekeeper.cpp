#include "gateway/housekeeper.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <utility>

namespace photofinish::gateway {

namespace asio = boost::asio;

namespace {
constexpr std::chrono::seconds tick_interval{1};
}

housekeeper::housekeeper(metrics::build_facts build, std::vector<const metrics::shard*> shards,
                         std::size_t workers, publish on_scoreboard)
    : exposition_(std::move(build), std::move(shards)), on_scoreboard_(std::move(on_scoreboard)), tick_(loop_) {
  for (std::size_t index = 0; index < workers; ++index) rings_.push_back(std::make_unique<sample_ring>());
  asio::co_spawn(loop_, tend(), [](std::exception_ptr error) {
    if (error) std::rethrow_exception(error);
  });
  thread_ = std::thread([this] { loop_.run(); });
}

housekeeper::~housekeeper() {
  asio::post(loop_, [this] {
    is_stopping_ = true;
    tick_.cancel();
  });
  thread_.join();
}

asio::awaitable<std::string> housekeeper::metrics_text() {
  return asio::co_spawn(loop_, render(), asio::use_awaitable);
}

asio::awaitable<std::string> housekeeper::render() { co_return exposition_.text(); }

void housekeeper::note(std::size_t worker, racing::attempt_sample sample) {
  const bool is_urgent = sample.failed.has_value();
  rings_[worker]->push(std::move(sample));  // full: the housekeeper is behind, and one sample more says little
  if (!is_urgent || is_judging_posted_.exchange(true, std::memory_order_acq_rel)) return;
  asio::post(loop_, [this] { judge(); });
}

asio::awaitable<void> housekeeper::tend() {
  boost::system::error_code ec;
  while (!is_stopping_) {
    tick_.expires_after(tick_interval);
    co_await tick_.async_wait(asio::redirect_error(asio::use_awaitable, ec));
    judge();
  }
}

void housekeeper::judge() {
  // An exchange, not a store: a store may be seen after the pops below, and then a worker that finds `true` counts
  // on a judgement that has already looked into its ring.
  is_judging_posted_.exchange(false, std::memory_order_acq_rel);
  const racing::instant now = std::chrono::steady_clock::now();
  bool has_changed = false;
  for (auto& each : rings_)
    while (auto sample = each->pop()) has_changed |= cooldowns_.note(*sample, now);
  if (has_changed) on_scoreboard_(std::make_shared<const racing::scoreboard>(cooldowns_.snapshot(now)));
}

}  // namespace photofinish::gateway
