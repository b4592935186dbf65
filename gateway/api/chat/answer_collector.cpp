#include "gateway/api/chat/answer_collector.hpp"

#include "proxy/json/json_text.hpp"

#include <utility>

namespace photofinish::gateway {
namespace {

// How a chat.completion.chunk folds into a chat.completion, from the leaves up.

constexpr member_rule function_members[] = {{"name", gather::first}, {"arguments", gather::text}};
constexpr gather_rules function_rules{function_members};

constexpr member_rule custom_members[] = {{"name", gather::first}, {"input", gather::text}};
constexpr gather_rules custom_rules{custom_members};

constexpr member_rule tool_call_members[] = {
    {"index", gather::fixed},  // a position in the stream; the answer's array needs none
    {"id", gather::first},
    {"type", gather::first, R"("function")"},
    {"function", gather::object, {}, &function_rules},
    {"custom", gather::object, {}, &custom_rules},
};
constexpr gather_rules tool_call_rules{tool_call_members};

constexpr member_rule audio_members[] = {
    {"id", gather::first}, {"data", gather::text}, {"transcript", gather::text}};
constexpr gather_rules audio_rules{audio_members};

constexpr member_rule message_members[] = {
    {"role", gather::first, R"("assistant")"},
    {"content", gather::text, "null"},
    {"refusal", gather::text},
    {"reasoning", gather::text},
    {"reasoning_content", gather::text},
    {"tool_calls", gather::list, {}, &tool_call_rules},
    {"function_call", gather::object, {}, &function_rules},
    {"audio", gather::object, {}, &audio_rules},
};
// annotations, reasoning_details, token ids: all arrays of deltas grow.
constexpr gather_rules message_rules{message_members, gather::grow};

constexpr gather_rules logprobs_rules{{}, gather::grow};

constexpr member_rule choice_members[] = {
    {"index", gather::last, "0"},
    {"message", gather::fixed},  // some repeat the whole message so far beside each delta
    {"delta", gather::object, R"({"role":"assistant","content":null})", &message_rules, "message"},
    {"logprobs", gather::object, {}, &logprobs_rules},
    {"finish_reason", gather::last, "null"},
};
constexpr gather_rules choice_rules{choice_members, gather::grow};

constexpr member_rule answer_members[] = {
    {"id"},    {"object", gather::fixed, R"("chat.completion")"}, {"created"},
    {"model"}, {"choices", gather::list, "[]", &choice_rules},
};
constexpr gather_rules answer_rules{answer_members, gather::last, "usage"};

// A stream opens with `content: ""` even where only tool calls follow; an answer says null then.
void silence_if_only_called(gathered_object& message) {
  const bool has_calls = !message.entries("tool_calls").empty() || message.has("function_call");
  if (has_calls && message.is_empty_text("content")) message.forget("content");
}

}  // namespace

answer_collector::answer_collector(std::size_t max_bytes)
    : max_bytes_(max_bytes), budget_(max_bytes), answer_(answer_rules) {}

proxy::result<void> answer_collector::add(std::string_view chunk_json) {
  const bool is_object = proxy::json_is_object(chunk_json);
  if (is_object) shortcut_.add(chunk_json, answer_, budget_);
  if (is_object && !budget_.is_exceeded()) return {};
  proxy::failure why;
  why.kind = proxy::failure_kind::bad_stream;
  if (!is_object) return why.detail = "a chunk of the answer is not a JSON object", why;
  why.origin = proxy::failure_origin::gateway;
  why.detail = "the answer is larger than " + std::to_string(max_bytes_) +
               " bytes, the most that is kept for a request without streaming: set stream to true";
  return why;
}

proxy::result<void> answer_collector::add(std::span<const std::string_view> pieces) {
  if (pieces.size() == 1) return add(pieces.front());
  joined_.clear();
  for (const std::string_view piece : pieces) joined_ += piece;
  return add(joined_);
}

proxy::long_text answer_collector::finish() && {
  for (gathered_object* choice : answer_.entries("choices"))
    if (gathered_object* message = choice->inside("delta")) silence_if_only_called(*message);
  proxy::long_text out;
  answer_.write(out);
  return out;
}

}  // namespace photofinish::gateway
