#include "gateway/bench/workload/workload.hpp"

#include "gateway/probes/chance.hpp"
#include "gateway/probes/prompt.hpp"
#include "proxy/json/json_text.hpp"

#include <simdjson.h>

#include <algorithm>
#include <numeric>

namespace photofinish::gateway::bench {
namespace {

using simdjson::dom::element;
using simdjson::dom::object;

constexpr std::size_t most_named = 10;            // the largest number of invalid lines whose errors are listed
constexpr std::uint64_t most_tokens = 1'000'000;  // the largest number of tokens in a prompt, and in an answer
constexpr double latest_ms = 366.0 * 24 * 3600 * 1000;

// The members that a line of the workload may contain, but that are not copied into requests. The bench sets these
// members itself.
constexpr std::string_view own_members[] = {"model", "stream", "stream_options", "messages", "prompt", "text",
                                            "timestamp", "input_length", "output_length", "output_tokens", "max_tokens",
                                            "max_completion_tokens", "hash_ids", "session_id", "delay"};

bool is_own(std::string_view name) {
  return std::find(std::begin(own_members), std::end(own_members), name) != std::end(own_members);
}

class line_reader {
 public:
  // Reads a prompt from a line of the workload. Returns an error text, or an empty text after success.
  std::string read(std::string_view line, workload_prompt& into) {
    object all;
    const simdjson::padded_string padded(line);
    if (parser_.parse(padded).get(all) != simdjson::SUCCESS) return "is not a JSON object";
    std::string problem = read_text(all, into);
    if (problem.empty()) problem = read_lengths(all, into);
    if (problem.empty()) problem = read_time(all, into);
    return problem;
  }

 private:
  static std::string read_text(const object& all, workload_prompt& into) {
    element found;
    const bool has_messages = all["messages"].get(found) == simdjson::SUCCESS;
    if (has_messages) return read_messages(all, found, into);
    for (const char* name : {"prompt", "text"}) {
      if (all[name].get(found) != simdjson::SUCCESS) continue;
      std::string_view text;
      if (found.get(text) != simdjson::SUCCESS || text.empty()) return "'" + std::string(name) + "' is not a string";
      into.messages = R"([{"role":"user","content":)" + proxy::json_quote(text) + "}]";
      return {};
    }
    if (all["input_length"].get(found) == simdjson::SUCCESS) return {};
    return "has no 'messages', 'prompt', 'text' or 'input_length'";
  }

  static std::string read_messages(const object& all, const element& found, workload_prompt& into) {
    simdjson::dom::array messages;
    if (found.get(messages) != simdjson::SUCCESS || messages.size() == 0) return "'messages' is not a list of messages";
    for (const element each : messages)
      if (!each.is_object()) return "'messages' is not a list of messages";
    element choices;
    if (all["n"].get(choices) == simdjson::SUCCESS && !is_one(choices)) return "'n' is not 1";
    into.messages = simdjson::minify(found);
    for (const auto [name, value] : all)
      if (!is_own(name)) into.members.emplace_back(name, simdjson::minify(value));
    return {};
  }

  static bool is_one(const element& found) {
    std::uint64_t value = 0;
    return found.get(value) == simdjson::SUCCESS && value == 1;
  }

  // Returns the member's value as a number, or nothing if the member is missing.
  static std::optional<std::uint64_t> number(const object& all, const char* name, std::string& problem) {
    element found;
    if (all[name].get(found) != simdjson::SUCCESS) return std::nullopt;
    std::uint64_t value = 0;
    if (found.get(value) == simdjson::SUCCESS && value >= 1 && value <= most_tokens) return value;
    problem = "'" + std::string(name) + "' is not a number from 1 to 1000000";
    return std::nullopt;
  }

  static std::string read_lengths(const object& all, workload_prompt& into) {
    std::string problem;
    for (const char* name : {"max_tokens", "max_completion_tokens", "output_length", "output_tokens"})
      if (const auto value = number(all, name, problem); value && !into.max_tokens) into.max_tokens = *value;
    const auto input = number(all, "input_length", problem);
    if (into.messages.empty() && input) into.input_tokens = std::max<std::size_t>(*input, min_prompt_tokens);
    return problem;
  }

  static std::string read_time(const object& all, workload_prompt& into) {
    element found;
    if (all["timestamp"].get(found) != simdjson::SUCCESS) return {};
    double at = 0;
    if (found.get(at) != simdjson::SUCCESS || !(at >= 0)) return "'timestamp' is not a number of milliseconds";
    into.at_ms = at;
    return {};
  }

  simdjson::dom::parser parser_;
};

class workload_reader {
 public:
  workload_result read(std::string_view text) {
    std::size_t number = 0;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      take(++number, text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (problems_.empty() && read_.prompts.empty()) problems_.push_back("contains no prompt");
    if (wrong_ > most_named)
      problems_.push_back("and " + std::to_string(wrong_ - most_named) + " further lines have errors");
    if (!problems_.empty()) return std::move(problems_);
    return std::move(read_);
  }

 private:
  void complain(std::size_t number, const std::string& what) {
    if (++wrong_ <= most_named) problems_.push_back("line " + std::to_string(number) + " " + what);
  }

  void take(std::size_t number, std::string_view line) {
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
    if (line.size() > max_workload_line) return complain(number, "is longer than 16 MiB");
    if (read_.prompts.size() == max_workload_prompts) return complain(number, "is beyond the 1,000,000th prompt");
    workload_prompt prompt;
    const std::string problem = lines_.read(line, prompt);
    if (!problem.empty()) return complain(number, problem);
    if (!read_.prompts.empty() && !is_after(number, prompt)) return;
    read_.prompts.push_back(std::move(prompt));
  }

  // Returns true if the time of a line is valid. Either all lines have times, or no line has a time. Times must not
  // decrease, and must span at most a year.
  bool is_after(std::size_t number, const workload_prompt& prompt) {
    const auto& first = read_.prompts.front().at_ms;
    if (prompt.at_ms.has_value() != first.has_value())
      complain(number, first ? "has no 'timestamp', but the first line has a 'timestamp'"
                             : "has a 'timestamp', but the first line has no 'timestamp'");
    else if (prompt.at_ms && *prompt.at_ms < *read_.prompts.back().at_ms)
      complain(number, "has an earlier 'timestamp' than the previous line");
    else if (prompt.at_ms && *prompt.at_ms - *first > latest_ms)
      complain(number, "has a 'timestamp' more than a year later than the first line");
    else
      return true;
    return false;
  }

  line_reader lines_;
  workload read_;
  std::vector<std::string> problems_;
  std::size_t wrong_ = 0;
};

}  // namespace

workload_result read_workload(std::string_view text) {
  if (text.size() > max_workload_bytes) return std::vector<std::string>{"is larger than 256 MiB"};
  return workload_reader().read(text);
}

prompt_deck::prompt_deck(std::size_t prompts, prompt_order order, std::uint64_t seed) : order_(prompts) {
  std::iota(order_.begin(), order_.end(), 0u);
  if (order == prompt_order::file) return;
  chance draw(seed);
  for (std::size_t left = prompts; left > 1; --left) std::swap(order_[left - 1], order_[draw.below(left)]);
}

}  // namespace photofinish::gateway::bench
