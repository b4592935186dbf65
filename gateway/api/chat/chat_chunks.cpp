#include "gateway/api/chat/chat_chunks.hpp"

#include "proxy/json/json_text.hpp"

#include <algorithm>
#include <utility>

namespace photofinish::gateway {
namespace {

using proxy::delta;
using proxy::delta_kind;

std::string json_text(std::string_view text) { return proxy::json_quote(text); }

std::string text_member(std::string_view name, const delta& each) {
  return "\"" + std::string(name) + "\":" + json_text(each.text);
}

// A call's beginning has its id, type and name; what follows goes on with its arguments.
std::string call_member(const delta& each) {
  std::string call = "{\"index\":" + std::to_string(each.part);
  if (each.kind == delta_kind::call) {
    if (!each.id.empty()) call += ",\"id\":" + json_text(each.id);
    if (!each.text.empty())
      call += R"(,"type":"function","function":{"name":)" + json_text(each.text) + R"(,"arguments":""})";
  } else {
    call += R"(,"function":{"arguments":)" + json_text(each.text) + "}";
  }
  return R"("tool_calls":[)" + call + "}]";
}

// Members of a chunk's delta; none: this one has no place there.
std::optional<std::string> members_of(const delta& each) {
  switch (each.kind) {
    case delta_kind::text: return text_member("content", each);
    case delta_kind::refusal: return text_member("refusal", each);
    case delta_kind::reasoning: return text_member("reasoning_content", each);
    case delta_kind::call:
    case delta_kind::call_arguments: return call_member(each);
    case delta_kind::transcript: return R"("audio":{)" + text_member("transcript", each) + "}";
    case delta_kind::citation: return R"("annotations":[)" + std::string(each.text) + "]";
    case delta_kind::finish: return std::string();
    case delta_kind::signature:
    case delta_kind::opaque:
    case delta_kind::media_type: return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> chat_chunks::of(const proxy::stream_event& event) {
  if (event.usage != nullptr) usage_ = *event.usage;
  std::vector<std::string> chunks;
  for (const delta& each : event.deltas)
    if (std::string text = choice(each); !text.empty()) chunks.push_back(chunk("\"choices\":[" + text + "]"));
  return chunks;
}

std::optional<std::string> chat_chunks::usage() const {
  if (!usage_) return std::nullopt;
  return chunk(R"("choices":[],"usage":{"prompt_tokens":)" + std::to_string(usage_->input_tokens) +
               R"(,"completion_tokens":)" + std::to_string(usage_->output_tokens) + R"(,"total_tokens":)" +
               std::to_string(usage_->input_tokens + usage_->output_tokens) +
               R"(,"prompt_tokens_details":{"cached_tokens":)" + std::to_string(usage_->cached_input_tokens) +
               R"(},"completion_tokens_details":{"reasoning_tokens":)" + std::to_string(usage_->reasoning_tokens) +
               "}}");
}

std::string chat_chunks::chunk(std::string_view rest) const {
  return R"({"id":)" + json_text("chatcmpl-" + identity_.id) + R"(,"object":"chat.completion.chunk","created":)" +
         std::to_string(identity_.created) + R"(,"model":)" + json_text(identity_.model) + "," +
         std::string(rest) + "}";
}

std::string chat_chunks::choice(const delta& each) {
  const auto members = members_of(each);
  if (!members) return {};
  std::string all = is_first_of(each.choice) ? R"("role":"assistant")" : "";
  if (!all.empty() && !members->empty()) all += ",";
  all += *members;
  const bool is_finish = each.kind == delta_kind::finish;
  return "{\"index\":" + std::to_string(each.choice) + ",\"delta\":{" + all + "},\"finish_reason\":" +
         (is_finish ? json_text(to_string(each.reason)) : "null") + "}";
}

bool chat_chunks::is_first_of(std::int64_t choice) {
  if (std::find(begun_.begin(), begun_.end(), choice) != begun_.end()) return false;
  begun_.push_back(choice);
  return true;
}

}  // namespace photofinish::gateway
