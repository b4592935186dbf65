#include "proxy/conversation/readers/chat_reasoning.hpp"

#include "proxy/json/json_text.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace photofinish::proxy {
namespace {

bool says_something(std::string_view string) { return json_is_string(string) && !json_raw_string(string).empty(); }

// Gemini's, where Google's own layer for OpenAI's SDKs has it, and where clients of others do. Empty: none.
std::string_view google_signature(const object_members& of) {
  const object_members extra(of["extra_content"]);
  const object_members google(extra["google"]);
  const object_members own(of["provider_specific_fields"]);
  for (const std::string_view signature : {google["thought_signature"], own["thought_signature"],
                                           of["thought_signature"], of["thoughtSignature"]})
    if (says_something(signature)) return signature;
  return {};
}

block opaque_of(std::string_view signature, wire_format readable_by) {
  block made{.kind = block_kind::opaque, .readable_by = readable_by};
  made.signature = signature;
  return made;
}

// Of Anthropic's alone: what has no signature is a fragment of what has one, or of no use to its provider.
// None: there are too many.
std::optional<std::vector<placed_reasoning>> read_thinking_blocks(std::string_view list) {
  std::vector<placed_reasoning> all;
  for (const std::string_view each : json_elements(list)) {
    const object_members thought(each);
    if (thought.word("type") == "redacted_thinking" && says_something(thought["data"])) {
      all.push_back({opaque_of(thought["data"], wire_format::anthropic_messages)});
    } else if (thought.word("type") == "thinking" && says_something(thought["signature"])) {
      block made{.kind = block_kind::reasoning, .readable_by = wire_format::anthropic_messages};
      made.text = json_is_string(thought["thinking"]) ? thought["thinking"] : R"("")";
      made.signature = thought["signature"];
      all.push_back({made});
    }
    if (all.size() > most_reasoning_parts) return std::nullopt;
  }
  return all;
}

}  // namespace

chat_reasoning::chat_reasoning(const object_members& message, std::deque<std::string>& made) {
  std::vector<placed_reasoning> all = read_parts(message, made);
  if (!too_long_.empty()) return;
  const bool has_text = std::any_of(all.begin(), all.end(), [](const placed_reasoning& each) {
    return each.what.kind == block_kind::reasoning && says_something(each.what.text);
  });
  const std::string_view content = message["reasoning_content"];
  const std::string_view plain = json_is_string(content) ? content : message["reasoning"];
  if (!has_text && json_is_string(plain)) in_front_.push_back({.kind = block_kind::reasoning, .text = plain});
  place(std::move(all), message["tool_calls"]);
  if (const std::string_view signature = google_signature(message); !signature.empty())
    in_front_.push_back(opaque_of(signature, wire_format::gemini));
}

std::vector<placed_reasoning> chat_reasoning::read_parts(const object_members& message,
                                                         std::deque<std::string>& made) {
  auto all = read_reasoning_details(message["reasoning_details"], made);
  if (!all) return too_long_ = "reasoning_details", std::vector<placed_reasoning>();
  if (!all->empty()) return std::move(*all);
  auto blocks = read_thinking_blocks(message["thinking_blocks"]);
  if (!blocks) return too_long_ = "thinking_blocks", std::vector<placed_reasoning>();
  return std::move(*blocks);
}

// Kept are the calls that a part names: of those there are few, and of calls a message may have any number.
void chat_reasoning::place(std::vector<placed_reasoning> all, std::string_view calls) {
  std::set<std::string_view> named;
  for (const placed_reasoning& each : all)
    if (!each.call_id.empty()) named.insert(each.call_id);
  if (!named.empty())
    for (const std::string_view each : json_elements(calls))
      if (const auto id = json_find(each, "id"); id && named.contains(*id)) before_.try_emplace(*id);
  for (const placed_reasoning& each : all) {
    const auto found = before_.find(each.call_id);
    (found == before_.end() ? in_front_ : found->second).push_back(each.what);
  }
}

std::vector<block> chat_reasoning::before(const object_members& call) const {
  const auto found = before_.find(call["id"]);
  std::vector<block> all = found == before_.end() ? std::vector<block>() : found->second;
  const std::string_view signature = google_signature(call);
  const bool is_known = std::any_of(all.begin(), all.end(),
                                    [signature](const block& each) { return each.signature == signature; });
  if (!signature.empty() && !is_known) all.push_back(opaque_of(signature, wire_format::gemini));
  return all;
}

}  // namespace photofinish::proxy
