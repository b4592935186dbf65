// Simulates sessions of coding agents. A session sends its next turn some time after it received the last answer (a closed loop).
#pragma once

#include "tests/simulation/conversations/conversation_scenario.hpp"
#include "tests/simulation/conversations/virtual_clock.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>

namespace photofinish::racing {

class dice;

class agent_traffic {
 public:
  using sender = std::function<void(const agent_turn& turn, instant now)>;

  agent_traffic(const conversation_scenario& world, std::uint64_t seed, virtual_clock& clock, sender send)
      : world_(world), seed_(seed), clock_(clock), send_(std::move(send)) {}

  void begin(instant now);
  // Call this function after the turn was answered or after it failed.
  void answered(const agent_turn& turn, instant now);

 private:
  struct session {
    agent_turn next;
    double root_tokens = 0;   // tokens of the system prompt and the tools
    double usual_result = 0;  // tokens of a usual tool result
    std::uint64_t turns_left = 0;
    std::size_t running_sub_agents = 0;
    std::uint64_t parent = 0;  // number of the conversation that started this sub-agent; 0 for a main session
  };

  dice chance(const agent_turn& turn, std::uint64_t purpose) const;
  void start_session(std::uint64_t id, std::uint64_t parent, instant now);
  void open_prompt(session& each);
  void extend_prompt(session& each);
  void go_on(session& each, instant now);
  void start_sub_agents(session& each, instant now);
  void end_session(std::uint64_t id, instant now);
  double gap_after(const agent_turn& turn) const;
  void send_short_prompt(std::uint64_t number, instant now);

  const conversation_scenario& world_;
  std::uint64_t seed_;
  virtual_clock& clock_;
  sender send_;
  std::unordered_map<std::uint64_t, std::unique_ptr<session>> sessions_;  // running sessions by conversation number
};

}  // namespace photofinish::racing
