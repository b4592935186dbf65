// What an assistant's message of OpenAI's chat says of its reasoning, in whichever of the spellings that clients send
// back. [pure]
#pragma once

#include "proxy/conversation/object_members.hpp"
#include "proxy/conversation/reasoning_details.hpp"

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

class chat_reasoning {
 public:
  // Texts that had to be made are put into `made`.
  chat_reasoning(const object_members& message, std::deque<std::string>& made);

  // The member that has more than most_reasoning_parts; empty: none. With one, nothing else is read.
  std::string_view too_long() const { return too_long_; }

  // In front of what the message says.
  const std::vector<block>& in_front() const { return in_front_; }

  // Directly before one of its calls: what was said to stand there, and the signature that the call itself has.
  std::vector<block> before(const object_members& call) const;

 private:
  std::vector<placed_reasoning> read_parts(const object_members& message, std::deque<std::string>& made);
  void place(std::vector<placed_reasoning> all, std::string_view calls);

  std::string_view too_long_;
  std::vector<block> in_front_;
  std::map<std::string_view, std::vector<block>> before_;  // by the call's id, as JSON
};

}  // namespace photofinish::proxy
