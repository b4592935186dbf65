// Holds a user's workload: the lines of a JSONL file, read once, and all errors in them. [pure] docs/bench.md lists the
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

inline constexpr std::size_t max_workload_bytes = 256u << 20;  // the largest size of the file
inline constexpr std::size_t max_workload_line = 16u << 20;
inline constexpr std::size_t max_workload_prompts = 1'000'000;

struct workload_prompt {
  std::string messages;  // the messages as a JSON array; if empty, a prompt of `input_tokens` is generated
  std::size_t input_tokens = 0;
  // The limit of the answer; if none, the run's max_tokens applies.
  std::optional<std::size_t> max_tokens;
  // Other members of the request's body: pairs of name and JSON value.
  std::vector<std::pair<std::string, std::string>> members;
  std::optional<double> at_ms;  // the due time in milliseconds, on the file's own clock
};

struct workload {
  std::vector<workload_prompt> prompts;  // the prompts, at least one

  bool has_times() const { return !prompts.empty() && prompts.front().at_ms.has_value(); }
};

enum class prompt_order { file, shuffled };

// The workload, or a list of errors with one sentence for each line.
using workload_result = std::variant<workload, std::vector<std::string>>;
workload_result read_workload(std::string_view text);

// Selects the prompt of request `number`. Each prompt is used once, and after the last prompt the first is used again.
class prompt_deck {
 public:
  prompt_deck(std::size_t prompts, prompt_order order, std::uint64_t seed);

  std::size_t at(std::size_t number) const { return order_[number % order_.size()]; }

 private:
  std::vector<std::uint32_t> order_;
};

}  // namespace photofinish::gateway::bench
