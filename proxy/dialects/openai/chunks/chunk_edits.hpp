// The changes that one chunk needs, and the edits that make these changes in its JSON. [pure] stream_state.hpp plans
// the changes. The edits touch no other part of the chunk.
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
  std::optional<std::int64_t> index;       // the new index; it replaces the old index or is added
  std::string id = {};                     // a member `"id":"..."` for a call without an id; empty if nothing changes
  bool is_id_removed = false;              // true if the id was sent before, because clients would join repeated ids
  bool is_name_removed = false;
  bool are_texts_quoted = false;           // true if an id, a name or arguments must be turned into strings
  bool are_arguments_held = false;         // true if the arguments are an object that "" replaces in this chunk
  // Index of the earlier entry that belongs to the same call. The arguments of this entry move to the earlier entry.
  std::optional<std::size_t> merged_into;
};

enum class role_change { keep, set, remove };

struct choice_plan {
  std::optional<std::int64_t> index;  // the index to add; none if the choice has one
  role_change role = role_change::keep;
  bool is_message = false;            // true if the member `message` is renamed to `delta`
  // True if the delta is absent or null, so that an empty object or text replaces it.
  bool is_delta_missing = false;
  std::string_view finish;            // the new JSON for finish_reason; empty if it does not change
  std::size_t first_call = 0;         // index of the choice's first tool call in chunk_plan::calls
  std::size_t calls = 0;
};

struct chunk_plan {
  const chunk_form* form = &chat_form;
  bool is_clean = true;      // true if the chunk is sent unchanged; the members below are then unused
  std::string_view id;       // the new member `"id":"..."`; empty if it does not change
  std::string_view created;  // the new member `"created":...`; empty if it does not change
  std::string_view object;   // the new member `"object":...`; empty if it does not change
  bool is_usage_taken = false;
  std::vector<choice_plan> choices;
  std::vector<call_plan> calls;

  void clear();
};

// Adds the planned changes to `edits`. `json` is the chunk for which they were planned, and `edits` must
// be edits of the same text.
void add_chunk_edits(const chunk_plan& plan, std::string_view json, json_edits& edits);

}  // namespace photofinish::proxy
