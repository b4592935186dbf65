// The content of a stream event's JSON, as plain values and as views of its strings. [pure]
#pragma once

#include "proxy/dialects/stream_event.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

enum class member_state { absent, null, present };

// One entry of a delta's tool_calls. Strings are decoded. A string is empty if its member is missing.
struct tool_call_facts {
  std::optional<std::int64_t> index;
  std::string_view id;
  std::string_view name;
  std::string_view arguments;
  // True if the id, the name or the arguments are stored as JSON, because they are not a string.
  bool has_other_types = false;
  bool are_arguments_object = false;  // true if the arguments are an object, which is complete and not a fragment
  bool is_custom = false;  // true for a call of a custom tool, whose arguments are free text
  // Index in chunk_facts::deltas of the call's first delta: its name, otherwise its arguments.
  std::size_t first_delta = 0;
};

struct choice_facts {
  std::optional<std::int64_t> index;
  member_state delta = member_state::absent;  // state of the member with the choice's content
  bool is_message = false;  // true if the choice has `message` instead of `delta`
  member_state role = member_state::absent;
  std::string_view role_text;
  member_state finish = member_state::absent;
  std::string_view finish_text;  // the finish reason in the provider's spelling
  std::size_t first_call = 0;    // index of the choice's first tool call in chunk_facts::calls
  std::size_t calls = 0;
};

// The content of one chunk. Members that are used for each chunk come first, so that they share few cache lines.
struct chunk_facts {
  event_kind kind = event_kind::progress;
  bool is_error = false;             // true if the provider reports an error; the other members are then unused
  // True if the JSON has a list `choices`, which may be empty. JSON without this list is not a chunk.
  bool has_choices = false;
  bool has_usage = false;            // true if the JSON has a `usage` that is not null
  bool has_text_counts = false;      // true if the usage contains a count as a string
  // True if `object` contains another type than that of a chunk. Azure's empty text does not count as another type.
  bool is_object_foreign = false;
  std::optional<price_tier> tier;    // the `service_tier`; nullopt if it is missing or unknown
  std::uint64_t text_bytes = 0;      // decoded bytes of content, reasoning, refusal, arguments and transcript
  std::uint64_t reasoning_bytes = 0;
  std::vector<delta> deltas;         // the deltas of all choices without finishes, in the order of the JSON
  // The token counts in `usage`, in `x_groq.usage` or in the usage of a choice.
  std::optional<token_usage> usage;
  std::vector<choice_facts> choices;
  std::vector<tool_call_facts> calls;   // the tool calls of all choices
  std::string_view id;                  // the answer's id; empty if it is missing or not a string
  std::string_view model;               // the model's name; empty if it is missing or not a string
  std::optional<std::int64_t> created;  // the time of creation; nullopt if it is missing, 0, or not a whole number
};

}  // namespace photofinish::proxy
