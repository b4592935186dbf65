#include "gateway/simulator/demo.hpp"

#include <boost/asio/post.hpp>

#include <chrono>
#include <utility>

namespace photofinish::gateway::simulator {
namespace {

using std::chrono::milliseconds;

sim_behaviour profile(milliseconds ttft, double sigma, double stall_share, double tokens_per_second) {
  return {.ttft = ttft, .ttft_sigma = sigma, .stall_share = stall_share, .tokens_per_second = tokens_per_second};
}

// Returns the behaviour of a provider for the agent demo. Such a provider reads long conversations about as fast as
// large vendors do.
sim_behaviour agent_profile(milliseconds ttft, milliseconds ttft_uncached) {
  sim_behaviour behaviour = profile(ttft, 0.2, 0.02, 120);
  behaviour.prompt_times.uncached = ttft_uncached;
  behaviour.prompt_times.cached = milliseconds(2);
  behaviour.output_tokens = 60;
  behaviour.cache.is_on = true;
  return behaviour;
}

}  // namespace

demo_providers::demo_providers() {
  // The fastest provider also has the longest delays, although they are rare. They show why racing is useful.
  try {
    add("sim-fast", profile(milliseconds(120), 0.5, 0.03, 180));
    add("sim-steady", profile(milliseconds(180), 0.25, 0, 90));
    add("sim-slow", profile(milliseconds(350), 0.3, 0, 40));
    add("sim-agent-a", agent_profile(milliseconds(300), milliseconds(35)));
    add("sim-agent-b", agent_profile(milliseconds(350), milliseconds(40)));
    thread_ = std::thread([this] { io_.run(); });
  } catch (...) {
    stop_all();
    io_.run();
    throw;
  }
}

demo_providers::~demo_providers() {
  boost::asio::post(io_, [this] { stop_all(); });
  thread_.join();
}

void demo_providers::add(std::string name, const sim_behaviour& behaviour) {
  sim_options options{.behaviour = behaviour, .seed = simulators_.size() + 1, .model = name};
  simulator& added = simulators_.emplace_back(io_, std::move(options));
  const std::uint16_t port = added.listen("127.0.0.1", 0);
  providers_.push_back({.name = std::move(name),
                        .base_url = "http://127.0.0.1:" + std::to_string(port) + "/v1",
                        .ledger = added.ledger(),
                        .has_prompt_cache = behaviour.cache.is_on});
}

void demo_providers::stop_all() noexcept {
  for (simulator& each : simulators_) each.stop();
}

}  // namespace photofinish::gateway::simulator
