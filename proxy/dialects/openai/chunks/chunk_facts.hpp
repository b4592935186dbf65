// Facts about the JSON of a stream event, as plain values and as views of its strings. [pure]
#pragma once

#include "proxy/dialects/stream_event.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

enum class member_state { absent, null, present };

// One entry of a delta's tool_calls. Strings are decoded, and empty if the member is missing.
struct tool_call_facts {
  std::optional<std::int64_t> index;
  std::string_view id;
  std::string_view name;
  std::string_view arguments;
  bool has_other_types = false;  // true if id, name or arguments is not a string; the string above is then its JSON
  bool are_arguments_object = false;  // true if the arguments are an object, which is complete and not a fragment
  bool is_custom = false;  // true for a call of a custom tool, whose arguments are free text
  std::size_t first_delta = 0;  // index in chunk_facts::deltas of the name, if any, and then of the arguments, if any
};

struct choice_facts {
  std::optional<std::int64_t> index;
  member_state delta = member_state::absent;  // state of the delta, or of the text in the older completions
  bool is_message = false;  // true if the stream has `message` instead of `delta`
  member_state role = member_state::absent;
  std::string_view role_text;
  member_state finish = member_state::absent;
  std::string_view finish_text;  // the finish reason in the provider's spelling
  std::size_t first_call = 0;    // index of the choice's first tool call in chunk_facts::calls
  std::size_t calls = 0;
};

// Facts about one chunk. Members that each chunk needs come first, so that they share few cache lines.
struct chunk_facts {
  event_kind kind = event_kind::progress;
  bool is_error = false;             // true if the provider reports an error; the other facts are then not used
  bool has_choices = false;          // true if there is a list `choices`, possibly empty; otherwise this is not a chunk
  bool has_usage = false;            // true if there is a member `usage` that is not null
  bool has_text_counts = false;      // true if a count of the usage is a string
  // True if `object` names another type than a chunk (Azure's empty text does not count).
  bool is_object_foreign = false;
  std::optional<price_tier> tier;    // `service_tier`; nullopt if it is missing or its word is unknown
  std::uint64_t text_bytes = 0;      // decoded bytes of content, reasoning, refusal, arguments and transcript
  std::uint64_t reasoning_bytes = 0;
  std::vector<delta> deltas;         // deltas of all choices, without finishes, in the order of the JSON
  // The counts that this chunk reports, in `usage`, `x_groq.usage` or a choice's usage.
  std::optional<token_usage> usage;
  std::vector<choice_facts> choices;
  std::vector<tool_call_facts> calls;   // tool calls of all choices
  std::string_view id;                  // id of the answer; empty if it is missing or not a string
  std::string_view model;               // name of the model; empty if it is missing or not a string
  std::optional<std::int64_t> created;  // time of creation; nullopt if it is missing, 0, or not a whole number
};

}  // namespace photofinish::proxy
