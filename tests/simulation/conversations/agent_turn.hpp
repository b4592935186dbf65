// A simulated request: its prompt as a chain of boundaries, and the answer that the request will get.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace photofinish::racing {

// A position up to which two prompts can be equal: the end of the system prompt and tools, or of an earlier request.
struct prompt_boundary {
  std::uint64_t hash = 0;
  double tokens = 0;  // number of tokens from the beginning of the prompt
};

struct agent_turn {
  std::uint64_t conversation = 0;
  std::uint64_t number = 0;  // number of the turn in its conversation
  std::vector<prompt_boundary> boundaries;  // boundaries from the root to the request's end
  std::size_t assistant_turns = 0;          // number of the assistant's turns in the request
  double output_tokens = 0;
  std::uint64_t caller = 0;

  double input_tokens() const { return boundaries.back().tokens; }
  // True if the turn follows an earlier turn of its conversation, which a cache may contain.
  bool is_continued() const { return boundaries.size() > 2; }
};

}  // namespace photofinish::racing
