// A simulated provider on its own thread, for tests. By default the provider answers immediately and uses no randomness.
#pragma once

#include "gateway/simulator/simulator.hpp"
#include "tests/support/patience.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <utility>

namespace photofinish::tests {

namespace simulator = gateway::simulator;

class running_simulator {
 public:
  explicit running_simulator(simulator::sim_options options = instant_answers())
      : simulator_(io_, std::move(options)) {
    port_ = simulator_.listen("127.0.0.1", 0);
    thread_ = std::thread([this] { io_.run(); });
  }
  ~running_simulator() { stop(); }

  static simulator::sim_options instant_answers() {
    simulator::sim_options options;
    options.behaviour.ttft = std::chrono::microseconds{0};
    options.behaviour.ttft_sigma = 0;
    options.behaviour.stall_share = 0;
    options.behaviour.tokens_per_second = 0;
    options.behaviour.output_tokens = 8;
    return options;
  }

  void stop() {
    if (!thread_.joinable()) return;
    boost::asio::post(io_, [this] { simulator_.stop(); });
    thread_.join();
  }

  // Waits until the simulated provider has recorded `count` requests, and returns the last of these records. Throws
  // if the records do not arrive.
  simulator::sim_record record(std::size_t count = 1) const {
    const auto deadline = std::chrono::steady_clock::now() + testing::patience;
    while (ledger().records().size() < count && std::chrono::steady_clock::now() < deadline)
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    const auto all = ledger().records();
    if (all.size() < count) throw std::runtime_error("no such record");
    return all[count - 1];
  }

  const simulator::sim_ledger& ledger() const { return simulator_.ledger(); }
  std::uint16_t port() const { return port_; }

 private:
  boost::asio::io_context io_{1};
  simulator::simulator simulator_;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

}  // namespace photofinish::tests
