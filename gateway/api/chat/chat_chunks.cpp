#include "gateway/api/chat/chat_chunks.hpp"

#include "proxy/dialects/citations/citations.hpp"
#include "proxy/json/json_text.hpp"

namespace photofinish::gateway {
namespace {

using proxy::delta;
using proxy::delta_kind;

std::string json_text(std::string_view text) { return proxy::json_quote(text); }

std::string text_member(std::string_view name, const delta& each) {
  return "\"" + std::string(name) + "\":" + json_text(each.text);
}

}  // namespace

std::string chat_usage_json(const proxy::token_usage& usage) {
  return R"({"prompt_tokens":)" + std::to_string(usage.input_tokens) + R"(,"completion_tokens":)" +
         std::to_string(usage.output_tokens) + R"(,"total_tokens":)" +
         std::to_string(usage.input_tokens + usage.output_tokens) + R"(,"prompt_tokens_details":{"cached_tokens":)" +
         std::to_string(usage.cached_input_tokens) +
         (usage.written_input_tokens == 0
              ? std::string()
              : R"(,"cache_write_tokens":)" + std::to_string(usage.written_input_tokens)) +
         R"(},"completion_tokens_details":{"reasoning_tokens":)" + std::to_string(usage.reasoning_tokens) + "}}";
}

// Returns the members of a chunk's delta, or nothing if the chat API cannot represent this delta.
std::optional<std::string> chat_chunks::members_of(const delta& each) {
  switch (each.kind) {
    case delta_kind::text: return text_member("content", each);
    case delta_kind::refusal: return text_member("refusal", each);
    case delta_kind::reasoning: return text_member("reasoning_content", each);
    case delta_kind::transcript: return R"("audio":{)" + text_member("transcript", each) + "}";
    case delta_kind::citation: return annotation_member(each);
    case delta_kind::image: return image_member(each);
    case delta_kind::finish: return std::string();
    case delta_kind::call:
    case delta_kind::call_arguments:  // chat_calls writes the arguments of tool calls
    case delta_kind::signature:
    case delta_kind::opaque:
    case delta_kind::logprobs:   // take_logprobs() writes the log probabilities of texts
    case delta_kind::lost_part:  // lost_names reports the parts that the client's API cannot represent
    case delta_kind::media_type: return std::nullopt;
  }
  return std::nullopt;
}

// Returns a citation as a chat annotation. Citations in chat answers can refer only to URLs.
std::optional<std::string> chat_chunks::annotation_member(const delta& each) {
  const auto annotation = proxy::chat_annotation(each.text);
  if (!annotation) lost_.note("citations");
  return annotation ? std::optional(R"("annotations":[)" + *annotation + "]") : std::nullopt;
}

// Returns the log probabilities as a JSON member of the choice, with a comma before it.
std::string chat_chunks::take_logprobs(std::int64_t choice) {
  const auto found = logprobs_.find(choice);
  if (found == logprobs_.end()) return {};
  std::string member = R"(,"logprobs":{"content":[)" + found->second + R"(],"refusal":null})";
  logprobs_.erase(found);
  return member;
}

// Writes an image in OpenRouter's format, which several clients read.
std::string chat_chunks::image_member(const delta& each) {
  std::string url = "data:";
  url.append(each.id).append(";base64,").append(each.text);
  return R"("images":[{"index":)" + std::to_string(images_[each.choice]++) +
         R"(,"type":"image_url","image_url":{"url":)" + json_text(url) + "}}]";
}

std::vector<std::string> chat_chunks::of(const proxy::stream_event& event) {
  if (event.usage != nullptr) usage_ = *event.usage;
  std::vector<std::string> chunks;
  for (const delta& each : event.deltas) {
    if (const std::string thought = thoughts_.before(each); !thought.empty())
      chunks.push_back(choice_chunk(each.choice, thought));
    thoughts_.note(each);
    lost_.note(each);
    if (each.kind == delta_kind::logprobs)
      logprobs_[each.choice].append(logprobs_[each.choice].empty() ? "" : ",").append(each.text);
    if (each.kind == delta_kind::finish)
      for (const std::string& text : calls_.rest_of(each.choice)) chunks.push_back(choice_chunk(each.choice, text));
    const bool is_call = each.kind == delta_kind::call || each.kind == delta_kind::call_arguments;
    if (const auto members = is_call ? calls_.member_for(each, thoughts_.google_signature()) : members_of(each))
      chunks.push_back(choice_chunk(each.choice, *members, &each));
  }
  return chunks;
}

std::vector<std::string> chat_chunks::rest() {
  std::vector<std::string> chunks;
  for (const std::int64_t choice : calls_.waiting())
    for (const std::string& text : calls_.rest_of(choice)) chunks.push_back(choice_chunk(choice, text));
  while (const auto waiting = thoughts_.rest()) chunks.push_back(choice_chunk(waiting->choice, waiting->member));
  return chunks;
}

std::optional<std::string> chat_chunks::usage() const {
  if (!usage_) return std::nullopt;
  return chunk(R"("choices":[],"usage":)" + chat_usage_json(*usage_));
}

std::string chat_chunks::chunk(std::string_view rest) const {
  return R"({"id":)" + json_text("chatcmpl-" + identity_.id) + R"(,"object":"chat.completion.chunk","created":)" +
         std::to_string(identity_.created) + R"(,"model":)" + json_text(identity_.model) + "," +
         std::string(rest) + "}";
}

std::string chat_chunks::choice_chunk(std::int64_t choice, const std::string& members, const delta* said) {
  std::string all = begun_.insert(choice).second ? R"("role":"assistant")" : "";
  if (!all.empty() && !members.empty()) all += ",";
  all += members;
  const bool is_finish = said != nullptr && said->kind == delta_kind::finish;
  const bool is_text = said != nullptr && said->kind == delta_kind::text;
  const std::string logprobs = is_text || is_finish ? take_logprobs(choice) : std::string();
  return chunk(R"("choices":[{"index":)" + std::to_string(choice) + ",\"delta\":{" + all + "}" + logprobs +
               ",\"finish_reason\":" + (is_finish ? json_text(calls_.finish_word(*said)) : "null") + "}]" +
               (is_finish ? lost_.take_member() : std::string()));
}

}  // namespace photofinish::gateway
