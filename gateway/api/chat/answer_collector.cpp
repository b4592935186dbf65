#include "gateway/api/chat/answer_collector.hpp"

#include "proxy/json/json_text.hpp"

namespace photofinish::gateway {
namespace {

// The rules for merging the chunks of a chat answer into a chat.completion. Rules for inner objects are defined before
// the rules that use them.

constexpr member_rule function_members[] = {{"name", merge::first}, {"arguments", merge::text}};
constexpr merge_rules function_rules{function_members};

constexpr member_rule custom_members[] = {{"name", merge::first}, {"input", merge::text}};
constexpr merge_rules custom_rules{custom_members};

constexpr member_rule tool_call_members[] = {
    {"index", merge::fixed},  // not copied, because this index only identifies a list entry
    {"id", merge::first},
    {"type", merge::first, R"("function")"},
    {"function", merge::object, {}, &function_rules},
    {"custom", merge::object, {}, &custom_rules},
};
constexpr merge_rules tool_call_rules{tool_call_members};

constexpr member_rule audio_members[] = {
    {"id", merge::first}, {"data", merge::text}, {"transcript", merge::text}};
constexpr merge_rules audio_rules{audio_members};

constexpr member_rule message_members[] = {
    {"role", merge::first, R"("assistant")"},
    {"content", merge::text, "null"},
    {"refusal", merge::text},
    {"reasoning", merge::text},
    {"reasoning_content", merge::text},
    {"tool_calls", merge::list, {}, &tool_call_rules},
    {"function_call", merge::object, {}, &function_rules},
    {"audio", merge::object, {}, &audio_rules},
};
// Joins arrays from all chunks, for members that have no rule, such as annotations, reasoning_details and token ids.
constexpr merge_rules message_rules{message_members, merge::grow};

constexpr merge_rules logprobs_rules{{}, merge::grow};

constexpr member_rule choice_members[] = {
    {"index", merge::last, "0"},
    {"message", merge::fixed},  // not copied, because some providers repeat the whole message next to each delta
    {"delta", merge::object, R"({"role":"assistant","content":null})", &message_rules, "message"},
    {"logprobs", merge::object, {}, &logprobs_rules},
    {"finish_reason", merge::last, "null"},
};
constexpr merge_rules choice_rules{choice_members, merge::grow};

constexpr member_rule answer_members[] = {
    {"id"},    {"object", merge::fixed, R"("chat.completion")"}, {"created"},
    {"model"}, {"choices", merge::list, "[]", &choice_rules},
};
constexpr merge_rules answer_rules{answer_members, merge::last, "usage"};

// Sets the content to null if the message contains only tool calls. A stream of such a message starts with `content:
// ""`, but a non-streamed message has null.
void silence_if_only_called(merged_object& message) {
  const bool has_calls = !message.entries("tool_calls").empty() || message.has("function_call");
  if (has_calls && message.is_empty_text("content")) message.forget("content");
}

}  // namespace

answer_collector::answer_collector(std::size_t max_bytes) : answer_collector(answer_rules, max_bytes) {}

answer_collector::answer_collector(const merge_rules& rules, std::size_t max_bytes)
    : max_bytes_(max_bytes), budget_(max_bytes), answer_(rules) {}

proxy::result<void> answer_collector::add(std::string_view chunk_json) {
  const bool is_object = proxy::json_is_object(chunk_json);
  if (is_object) shortcut_.add(chunk_json, answer_, budget_);
  if (is_object && !budget_.is_exceeded()) return {};
  if (!is_object) return proxy::bad_stream("a chunk of the answer is not a JSON object");
  proxy::failure why = proxy::bad_stream("the answer is larger than " + std::to_string(max_bytes_) +
                                         " bytes, the limit for a request without streaming: set stream to true");
  why.origin = proxy::failure_origin::gateway;
  return why;
}

proxy::result<void> answer_collector::add(std::span<const std::string_view> pieces) {
  if (pieces.size() == 1) return add(pieces.front());
  joined_.clear();
  for (const std::string_view piece : pieces) joined_ += piece;
  return add(joined_);
}

void answer_collector::finish(outgoing& to) && {
  for (merged_object* choice : answer_.entries("choices"))
    if (merged_object* message = choice->inside("delta")) silence_if_only_called(*message);
  answer_.write(to);
}

}  // namespace photofinish::gateway
