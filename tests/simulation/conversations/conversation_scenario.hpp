// The simulated worlds for tests of races with prompt caches. Each world consists of traffic of coding agents, and of providers with
// caches.
#pragma once

#include "tests/simulation/conversations/caching_provider.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::racing {

struct conversation_scenario {
  std::string name;
  std::vector<caching_provider> providers;
  double seconds = 2'000;
  std::size_t sessions = 50;      // number of sessions that run at the same time
  double short_rate = 0;          // number of short prompts per second
  double sub_agent_share = 0.02;  // share of turns that start sub-agents
  double long_pause_share = 0;    // share of turns that are followed by a long pause
  double max_extra_cost = 0.1;

  const std::vector<spell>& window() const { return providers[0].speed.spells; }  // returns the periods in which the first provider behaves
                                                                                  // differently
};

const std::vector<conversation_scenario>& conversation_scenarios();
const conversation_scenario& find_conversation_scenario(std::string_view name);

}  // namespace photofinish::racing
