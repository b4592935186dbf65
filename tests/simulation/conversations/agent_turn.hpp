// A simulated request. It contains the answer that it will get, and the positions in its prompt at which a cached prefix may end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace photofinish::racing {

// A position in a prompt up to which another prompt may be equal. It is the end of the system prompt and tools, or the end of an earlier
// request.
struct prompt_boundary {
  std::uint64_t hash = 0;
  double tokens = 0;  // tokens from the beginning of the prompt to this position
};

struct agent_turn {
  std::uint64_t conversation = 0;
  std::uint64_t number = 0;  // number of the turn in its conversation
  // The positions at which a cached prefix of the prompt may end. The first is the end of the system prompt and tools, and the last is the
  // end of the request.
  std::vector<prompt_boundary> boundaries;
  std::size_t assistant_turns = 0;          // number of the assistant's messages in the request
  double output_tokens = 0;
  std::uint64_t caller = 0;

  double input_tokens() const { return boundaries.back().tokens; }
  // True if the conversation has an earlier turn. A cache may then contain a prefix of this turn.
  bool is_continued() const { return boundaries.size() > 2; }
};

}  // namespace photofinish::racing
