// Facts about the JSON of a stream event: plain values, and views of its strings. [pure]
#pragma once

#include "proxy/dialects/stream_event.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

enum class member_state { absent, null, present };

// One entry of a delta's tool_calls. Strings are decoded, and empty if missing.
struct tool_call_facts {
  std::optional<std::int64_t> index;
  std::string_view id;
  std::string_view name;
  std::string_view arguments;
  bool has_other_types = false;  // one of these three members is not a string and is kept here as JSON
  bool are_arguments_object = false;  // an object in the JSON: complete arguments, not a fragment
  bool is_custom = false;  // a call of a custom tool: its arguments are free text
  std::size_t first_delta = 0;  // in chunk_facts::deltas: the name, if any, then the arguments, if any
};

struct choice_facts {
  std::optional<std::int64_t> index;
  member_state delta = member_state::absent;  // state of the delta, or of the text in completions
  bool is_message = false;  // the stream has `message` instead of `delta`
  member_state role = member_state::absent;
  std::string_view role_text;
  member_state finish = member_state::absent;
  std::string_view finish_text;  // in the provider's spelling
  std::size_t first_call = 0;    // first of its tool calls in chunk_facts::calls
  std::size_t calls = 0;
};

// Members that each chunk needs come first, so that they share few cache lines.
struct chunk_facts {
  event_kind kind = event_kind::progress;
  bool is_error = false;             // the provider reports an error: the other members do not count
  bool has_choices = false;          // a list, possibly empty: without it this is not a chunk
  bool has_usage = false;            // a member `usage` that is not null
  bool has_text_counts = false;      // a count of the usage is a string
  bool is_object_foreign = false;    // `object` names another type than a chunk (Azure's empty text does not count)
  std::optional<price_tier> tier;    // `service_tier`; nothing: it is missing or its word is unknown
  std::uint64_t text_bytes = 0;      // content, reasoning, refusal, arguments, transcript; decoded
  std::uint64_t reasoning_bytes = 0;
  std::vector<delta> deltas;         // deltas of all choices, without finishes, in the order of the JSON
  std::optional<token_usage> usage;  // the counts reported here: in `usage`, `x_groq.usage` or a choice's
  std::vector<choice_facts> choices;
  std::vector<tool_call_facts> calls;   // calls of all choices
  std::string_view id;                  // empty if it is missing or not a string
  std::string_view model;               // empty if it is missing or not a string
  std::optional<std::int64_t> created;  // nothing if it is missing, 0, or not a whole number
};

}  // namespace photofinish::proxy
