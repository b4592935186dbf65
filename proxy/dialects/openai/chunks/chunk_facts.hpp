// What one look at the JSON of a stream event found: plain values, and views of its strings. [pure]
#pragma once

#include "proxy/dialects/stream_event.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

enum class member_state { absent, null, present };

// One entry of a delta's tool_calls. Strings are decoded; empty when missing.
struct tool_call_facts {
  std::optional<std::int64_t> index;
  std::string_view id;
  std::string_view name;
  std::string_view arguments;
  bool has_other_types = false;  // one of these three is not a string in the JSON, and is its JSON here
  bool are_arguments_object = false;  // they are an object in the JSON: all of the arguments, and no fragment
  bool is_custom = false;  // a call of a custom tool: its arguments are free text
  std::size_t first_delta = 0;  // chunk_facts::deltas: its name, where it has one, then its arguments, likewise
};

struct choice_facts {
  std::optional<std::int64_t> index;
  member_state delta = member_state::absent;  // of a completion: its text
  bool is_message = false;  // a stream says `message` in place of `delta`
  member_state role = member_state::absent;
  std::string_view role_text;
  member_state finish = member_state::absent;
  std::string_view finish_text;  // as the provider spells it
  std::size_t first_call = 0;    // its tool calls: chunk_facts::calls from here on
  std::size_t calls = 0;
};

// What each chunk needs is first, and so in as few cache lines as can be.
struct chunk_facts {
  event_kind kind = event_kind::progress;
  bool is_error = false;             // the provider reports trouble: what else it says does not count
  bool has_choices = false;          // a list, maybe an empty one: without it this is not a chunk
  bool has_usage = false;            // a member `usage` that is not null
  bool has_text_counts = false;      // a count of the usage is a string
  bool is_object_foreign = false;    // `object` names something else than a chunk (empty: Azure's, names nothing)
  std::optional<price_tier> tier;    // `service_tier`; nothing: it is missing or its word is unknown
  std::uint64_t text_bytes = 0;      // content, reasoning, refusal, arguments, transcript; decoded
  std::uint64_t reasoning_bytes = 0;
  std::vector<delta> deltas;         // of all choices, but no finish, in the order of the JSON
  std::optional<token_usage> usage;  // the counts reported here: in `usage`, `x_groq.usage` or a choice's
  std::vector<choice_facts> choices;
  std::vector<tool_call_facts> calls;   // of all choices
  std::string_view id;                  // empty when it is missing or no string
  std::string_view model;               // likewise
  std::optional<std::int64_t> created;  // none when it is missing, 0, or no whole number
};

}  // namespace photofinish::proxy
