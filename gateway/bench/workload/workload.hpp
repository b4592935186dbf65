// Holds a user's workload: the lines of a JSONL file, and all errors in these lines. [pure] docs/bench.md lists the
// members that a line may have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace photofinish::gateway::bench {

inline constexpr std::size_t max_workload_bytes = 256u << 20;  // the largest allowed size of a workload file
inline constexpr std::size_t max_workload_line = 16u << 20;
inline constexpr std::size_t max_workload_prompts = 1'000'000;

struct workload_prompt {
  std::string messages;  // the messages as a JSON array; if empty, the bench generates a prompt of `input_tokens`
                         // tokens
  std::size_t input_tokens = 0;
  // The token limit of the answer. If none is given, the max_tokens of the run applies.
  std::optional<std::size_t> max_tokens;
  // Other members of the request's body: pairs of a name and a JSON value.
  std::vector<std::pair<std::string, std::string>> members;
  std::optional<double> at_ms;  // the due time of the request in milliseconds, on the clock of the workload file
};

struct workload {
  std::vector<workload_prompt> prompts;  // the prompts, at least one

  bool has_times() const { return !prompts.empty() && prompts.front().at_ms.has_value(); }
};

enum class prompt_order { file, shuffled };

// A workload, or a list of errors with one sentence for each invalid line of the file.
using workload_result = std::variant<workload, std::vector<std::string>>;
workload_result read_workload(std::string_view text);

// Selects the prompt for each request by its number. After the last prompt, the selection starts again with the first
// prompt.
class prompt_deck {
 public:
  prompt_deck(std::size_t prompts, prompt_order order, std::uint64_t seed);

  std::size_t at(std::size_t number) const { return order_[number % order_.size()]; }

 private:
  std::vector<std::uint32_t> order_;
};

}  // namespace photofinish::gateway::bench
