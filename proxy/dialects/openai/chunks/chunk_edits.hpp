// The plan of changes for one chunk, and the edits that carry it out. [pure]
// stream_state.hpp makes the plan. The edits touch no other part of the chunk.
#pragma once

#include "proxy/dialects/openai/chunks/chunk_form.hpp"
#include "proxy/json/json_edits.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

struct call_plan {
  std::optional<std::int64_t> index;       // index that replaces the given index, or is added
  std::string id = {};                     // a member `"id":"..."` for a call without an id; empty if nothing changes
  bool is_id_removed = false;              // the id was sent before; clients would join repeated ids like arguments
  bool is_name_removed = false;
  bool are_texts_quoted = false;           // an id, name or arguments that are not strings become strings
  bool are_arguments_held = false;         // the object is sent later or never, and an empty text replaces it
  // The earlier entry of the list that this entry continues, and to which its arguments move.
  std::optional<std::size_t> merged_into;
};

enum class role_change { keep, set, remove };

struct choice_plan {
  std::optional<std::int64_t> index;  // index that is added if the choice has none
  role_change role = role_change::keep;
  bool is_message = false;            // the member `message` is renamed to `delta`
  bool is_delta_missing = false;      // the delta is absent or null, and an object or an empty text replaces it
  std::string_view finish;            // JSON for finish_reason; empty if nothing changes
  std::size_t first_call = 0;         // index of the choice's first tool call in chunk_plan::calls
  std::size_t calls = 0;
};

struct chunk_plan {
  const chunk_form* form = &chat_form;
  bool is_clean = true;      // the chunk passes unchanged, and the members below are unused
  std::string_view id;       // a member `"id":"..."` that replaces the given id; empty if nothing changes
  std::string_view created;  // a member `"created":...` that replaces the given time; empty if nothing changes
  std::string_view object;   // a member `"object":...` that replaces the given type; empty if nothing changes
  bool is_usage_taken = false;
  std::vector<choice_plan> choices;
  std::vector<call_plan> calls;

  void clear();
};

// Adds the edits of the plan. `json` is the chunk of the plan, and `edits` must be edits of the same text.
void add_chunk_edits(const chunk_plan& plan, std::string_view json, json_edits& edits);

}  // namespace photofinish::proxy
