// What is to become of one chunk, and how that is done to its text. [pure]
// stream_state.hpp makes the plan; here it turns into edits, and nothing else of the chunk is touched.
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
  std::optional<std::int64_t> index;       // to be put in place of the given one, or where there is none
  std::string id = {};                     // a member `"id":"..."` for a call without one; empty: as it is
  bool is_id_removed = false;              // sent before, as below: clients join what comes twice, as they do arguments
  bool is_name_removed = false;
  bool are_texts_quoted = false;           // id, name and arguments that are not strings become strings
  bool are_arguments_held = false;         // an object that is sent later, or not: an empty text takes its place
  std::optional<std::size_t> merged_into;  // goes on with that entry of the list: its arguments move there
};

enum class role_change { keep, set, remove };

struct choice_plan {
  std::optional<std::int64_t> index;  // to be put where there is none
  role_change role = role_change::keep;
  bool is_message = false;            // `message` becomes `delta`
  bool is_delta_missing = false;      // absent or null: an object, or an empty text, takes its place
  std::string_view finish;            // JSON for finish_reason; empty: as it is
  std::size_t first_call = 0;         // its tool calls: chunk_plan::calls from here on
  std::size_t calls = 0;
};

struct chunk_plan {
  const chunk_form* form = &chat_form;
  bool is_clean = true;      // the text goes on as it is; what follows is then of no meaning
  std::string_view id;       // a member `"id":"..."` in place of the given one; empty: as it is
  std::string_view created;  // a member `"created":...`; likewise
  std::string_view object;   // a member `"object":...`; likewise
  bool is_usage_taken = false;
  std::vector<choice_plan> choices;
  std::vector<call_plan> calls;

  void clear();
};

// `json` is the chunk the plan was made for; `edits` are edits of that text.
void add_chunk_edits(const chunk_plan& plan, std::string_view json, json_edits& edits);

}  // namespace photofinish::proxy
