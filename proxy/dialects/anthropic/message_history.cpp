#include "proxy/dialects/anthropic/message_history.hpp"

#include "proxy/conversation/carried_signature.hpp"
#include "proxy/conversation/object_members.hpp"
#include "proxy/json/element_removal.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/json/key_search.hpp"

#include <array>

namespace photofinish::proxy {
namespace {

constexpr std::string_view stand_in = R"({"type":"text","text":"No answer."})";

std::string_view type_of(std::string_view block) { return json_raw_string(json_find(block, "type").value_or("")); }

bool is_thinking(std::string_view type) { return type == "thinking" || type == "redacted_thinking"; }

std::string_view opaque_of(const object_members& block, std::string_view type) {
  return block[type == "thinking" ? "signature" : "data"];
}

// True if Anthropic did not sign the thinking block. In that case, the signature is missing, or it comes from another
// API and was packed by this gateway. Anthropic refuses thinking blocks with missing or wrong signatures.
bool is_foreign(const object_members& block, std::string_view type) {
  const std::string_view signature = json_raw_string(opaque_of(block, type));
  return signature.empty() || unpack_signature(signature).has_value();
}

class history_cleaner {
 public:
  history_cleaner(removed_thinking which, json_edits& edits, foreign_reasoning* known)
      : which_(which), edits_(edits), known_(known) {}

  history_facts clean(std::string_view messages) {
    for (const std::string_view message : json_elements(messages)) {
      if (!json_is_object(message)) continue;
      const object_members members(message);
      const std::string_view role = members.word("role"), content = members["content"];
      if (role == "assistant") begins_with_thinking_ = json_is_array(content) && clean_blocks(content);
      facts_.lacks_thinking_of_calls = role == "user" && !begins_with_thinking_ && has_result(content);
    }
    return facts_;
  }

 private:
  // Removes thinking blocks from a message's content. Returns true if the first block that remains is a thinking block.
  bool clean_blocks(std::string_view content) {
    bool has_first = false, is_first_thinking = false;
    element_removal list(edits_);
    for (const std::string_view each : json_elements(content)) {
      const std::string_view type = type_of(each);
      if (goes(each, type)) {
        list.remove(each);
        continue;
      }
      if (!has_first) is_first_thinking = is_thinking(type);
      has_first = true;
      list.keep(each);
    }
    list.finish(stand_in);
    facts_.removed += list.removed();
    return is_first_thinking;
  }

  bool goes(std::string_view block, std::string_view type) const {
    if (!is_thinking(type)) return false;
    if (which_ == removed_thinking::all) return true;
    const object_members members(block);
    return is_foreign(members, type) || is_known_foreign(known_, opaque_of(members, type));
  }

  static bool has_result(std::string_view content) {
    for (const std::string_view each : json_elements(content))
      if (json_find(each, "type") == R"("tool_result")") return true;
    return false;
  }

  const removed_thinking which_;
  json_edits& edits_;
  foreign_reasoning* const known_;
  history_facts facts_;
  bool begins_with_thinking_ = false;
};

}  // namespace

bool brings_thinking(const client_body& body) {
  constexpr std::array<std::string_view, 2> types{"thinking", "redacted_thinking"};
  const std::string_view messages = body.value_of("messages");
  const bool may = body.is_long() ? body.may_hold_key("signature") || body.may_hold_key("data")
                                  : holds_quoted(messages, types);
  if (!may) return false;
  for (const std::string_view message : json_elements(messages))
    for (const std::string_view each : json_elements(json_find(message, "content").value_or(""))) {
      const std::string_view type = type_of(each);
      if (is_thinking(type) && !is_foreign(object_members(each), type)) return true;
    }
  return false;
}

history_facts clean_history(std::string_view messages, removed_thinking which, json_edits& edits,
                            foreign_reasoning* known) {
  return json_is_array(messages) ? history_cleaner(which, edits, known).clean(messages) : history_facts{};
}

}  // namespace photofinish::proxy
