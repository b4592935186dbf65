// The changes that one chunk needs, and the edits that apply these changes to the chunk's JSON. stream_state.hpp plans
// the changes. [pure] The edits do not touch any other part of the chunk.
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
  // the call's new index, which is added to the call or replaces its old index
  std::optional<std::int64_t> index;
  // the new member `"id":"..."` for a call without an id; empty if the chunk stays unchanged
  std::string id = {};
  // true if the id is removed, because an earlier chunk already contained it
  bool is_id_removed = false;
  bool is_name_removed = false;
  bool are_texts_quoted = false;           // true if the id, name or arguments must be converted to strings
  bool are_arguments_held = false;         // true if the arguments are a JSON object and this chunk contains "" instead
  // The index of an earlier entry in this chunk for the same tool call, to which the arguments are moved; nullopt if
  // there is none.
  std::optional<std::size_t> merged_into;
};

enum class role_change { keep, set, remove };

struct choice_plan {
  std::optional<std::int64_t> index;  // the index to add to the choice; nullopt if the choice already has an index
  role_change role = role_change::keep;
  bool is_message = false;            // true if the choice's member `message` is renamed to `delta`
  // True if the delta is absent or null. An empty object or text then replaces it.
  bool is_delta_missing = false;
  std::string_view finish;            // the new JSON for finish_reason; empty if the finish_reason stays unchanged
  std::size_t first_call = 0;         // the index of the choice's first tool call in chunk_plan::calls
  std::size_t calls = 0;
};

struct chunk_plan {
  const chunk_form* form = &chat_form;
  bool is_clean = true;      // true if the chunk is sent unchanged; all other members are then ignored
  std::string_view id;       // the new member `"id":"..."`; empty if the id stays unchanged
  std::string_view created;  // the new member `"created":...`; empty if the time stays unchanged
  std::string_view object;   // the new member `"object":...`; empty if the type stays unchanged
  bool is_usage_taken = false;
  std::vector<choice_plan> choices;
  std::vector<call_plan> calls;

  void clear();
};

// Adds the planned changes to `edits`. `json` is the chunk for which the changes were planned, and `edits` must belong
// to the same text.
void add_chunk_edits(const chunk_plan& plan, std::string_view json, json_edits& edits);

}  // namespace photofinish::proxy
