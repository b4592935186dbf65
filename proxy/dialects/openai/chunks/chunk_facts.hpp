// The content of the JSON in one stream event, as plain values and as views of its strings. [pure]
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
  // True if the id, the name or the arguments are not a string. In that case, their JSON is stored.
  bool has_other_types = false;
  bool are_arguments_object = false;  // true if the arguments are a JSON object, which is always complete
  bool is_custom = false;  // true for a call of a custom tool, whose arguments are free text
  // the index of the call's first delta in chunk_facts::deltas
  std::size_t first_delta = 0;
};

struct choice_facts {
  std::optional<std::int64_t> index;
  // whether the member with the choice's content is absent, null or present
  member_state delta = member_state::absent;
  bool is_message = false;  // true if the choice has `message` instead of `delta`
  member_state role = member_state::absent;
  std::string_view role_text;
  member_state finish = member_state::absent;
  std::string_view finish_text;  // the finish reason as the provider spells it
  std::size_t first_call = 0;    // the index of the choice's first tool call in chunk_facts::calls
  std::size_t calls = 0;
};

// The content of one chunk. The members that are used most often come first, so that they share few cache lines.
struct chunk_facts {
  event_kind kind = event_kind::progress;
  bool is_error = false;             // true if the provider reports an error; all other members are then ignored
  // True if the JSON has a list `choices`. The list may be empty, but JSON without the list is not a chunk.
  bool has_choices = false;
  bool has_usage = false;            // true if the JSON has a `usage` that is not null
  bool has_text_counts = false;      // true if the usage contains a count that is a string
  // True if the member `object` names a type other than that of a chunk. Azure sends an empty text, which is ignored.
  bool is_object_foreign = false;
  std::optional<price_tier> tier;    // the `service_tier`; nullopt if it is missing or unknown
  // The number of decoded bytes of content, reasoning, refusal, arguments and transcript.
  std::uint64_t text_bytes = 0;
  std::uint64_t reasoning_bytes = 0;
  std::vector<delta> deltas;         // the deltas of all choices in the order of the JSON, without finish reasons
  // The token counts in `usage`, in `x_groq.usage` or in the usage of a choice.
  std::optional<token_usage> usage;
  std::vector<choice_facts> choices;
  std::vector<tool_call_facts> calls;   // the tool calls of all choices
  std::string_view id;                  // the answer's id; empty if it is missing or not a string
  std::string_view model;               // the model's name; empty if it is missing or not a string
  std::optional<std::int64_t> created;  // the time of creation; nullopt if it is missing, 0, or not a whole number
};

}  // namespace photofinish::proxy
