// Runs the simulated providers of `--demo` on a separate thread. Three providers have clearly different speeds. Two
// more providers have prompt caches.
#pragma once

#include "gateway/simulator/simulator.hpp"

#include <boost/asio/io_context.hpp>

#include <list>
#include <string>
#include <thread>
#include <vector>

namespace photofinish::gateway::simulator {

struct demo_provider {
  std::string name;
  std::string base_url;  // http://127.0.0.1:PORT/v1
  const sim_ledger& ledger;
  bool has_prompt_cache = false;
};

class demo_providers {
 public:
  // Starts the providers on free ports of the loopback address. Throws boost::system::system_error if no port is free.
  demo_providers();
  demo_providers(const demo_providers&) = delete;
  demo_providers& operator=(const demo_providers&) = delete;
  ~demo_providers();  // stops the providers and joins their thread

  // Returns the providers sim-fast, sim-steady and sim-slow, followed by sim-agent-a and sim-agent-b, which have prompt
  // caches.
  const std::vector<demo_provider>& providers() const { return providers_; }

 private:
  void add(std::string name, const sim_behaviour& behaviour);
  void stop_all() noexcept;

  boost::asio::io_context io_{1};
  std::list<simulator> simulators_;
  std::vector<demo_provider> providers_;
  std::thread thread_;
};

}  // namespace photofinish::gateway::simulator
