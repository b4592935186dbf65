#include "gateway/relay/continued_source.hpp"

#include "proxy/json/json_text.hpp"

#include <algorithm>
#include <utility>

namespace photofinish::gateway {

using proxy::delta;
using proxy::delta_kind;
using proxy::event_kind;

namespace {

// Returns a chunk with the given choices. All other members are copied from the chunks of the answer that is continued.
std::string chunk(const answer_prefix::chunk_members& like, const std::string& choices_and_more) {
  std::string text = "{";
  const auto put = [&text](std::string_view key, const std::string& value) {
    if (!value.empty()) text.append("\"").append(key).append("\":").append(value).append(",");
  };
  put("id", like.id);
  text += R"("object":"chat.completion.chunk",)";
  put("created", like.created);
  put("model", like.model);
  return text.append(choices_and_more) += "}";
}

std::string choice(const delta& said) {
  const bool is_finish = said.kind == delta_kind::finish;
  const std::string members = is_finish ? std::string() : R"("content":)" + proxy::json_quote(said.text);
  const std::string reason = is_finish ? proxy::json_quote(to_string(said.reason)) : "null";
  return R"("choices":[{"index":0,"delta":{)" + members + R"(},"finish_reason":)" + reason + "}]";
}

// Returns the usage for the client. The target that continues an answer counts the earlier text as input. The client
// regards this text as a part of the output, so its tokens are moved from the input to the output.
proxy::token_usage usage_of_both(proxy::token_usage usage, std::uint64_t given) {
  const std::uint64_t moved = std::min(given, usage.input_tokens);
  usage.input_tokens -= moved;
  usage.output_tokens += moved;
  usage.cached_input_tokens = std::min(usage.cached_input_tokens, usage.input_tokens);
  usage.written_input_tokens = std::min(usage.written_input_tokens, usage.input_tokens);
  usage.written_for_hour_tokens = std::min(usage.written_for_hour_tokens, usage.written_input_tokens);
  return usage;
}

// True for reasoning of the target that continues the answer. Its reasoning is not a part of the client's answer.
bool may_be_left_out(const delta& each) {
  switch (each.kind) {
    case delta_kind::reasoning:
    case delta_kind::signature:
    case delta_kind::opaque:
    case delta_kind::citation:
    case delta_kind::logprobs:
    case delta_kind::media_type: return true;
    default: return false;
  }
}

std::size_t common_length(std::string_view one, std::string_view other) {
  const auto [end, ignored] = std::mismatch(one.begin(), one.end(), other.begin(), other.end());
  return static_cast<std::size_t>(end - one.begin());
}

}  // namespace

continued_source::continued_source(answer_source& from, continued_text before, const continued_chunks* chunks)
    : from_(from), before_(std::move(before)) {
  if (chunks != nullptr) chunks_ = *chunks;
}

std::optional<proxy::result<proxy::stream_event>> continued_source::poll() {
  if (next_ < ready_.size()) return proxy::result<proxy::stream_event>(next());
  return taken(from_.poll());
}

std::optional<proxy::result<proxy::stream_event>> continued_source::read() { return taken(from_.read()); }

std::optional<proxy::result<proxy::stream_event>> continued_source::taken(
    std::optional<proxy::result<proxy::stream_event>> event) {
  while (event && *event) {
    ready_.clear();
    next_ = 0;
    if (auto took = take(**event); !took) return proxy::result<proxy::stream_event>(std::move(took).error());
    if (!ready_.empty()) return proxy::result<proxy::stream_event>(next());
    event = from_.poll();  // reads the next event if this one has no content for the client
  }
  return event;
}

proxy::result<void> continued_source::take(const proxy::stream_event& event) {
  read_at_ = event.read_at;
  if (event.usage != nullptr) usage_ = usage_of_both(*event.usage, before_.tokens), has_usage_ = true;
  for (delta each : event.deltas) {
    if (each.kind == delta_kind::text && each.choice == 0) {
      each.text = without_cut(without_repetition(each.text));
      if (!each.text.empty()) say(each, event_kind::token);
    } else if (each.kind == delta_kind::finish && each.choice == 0) {
      if (may_repeat_ && !held_.empty())
        return proxy::bad_stream("the target repeated the earlier text without continuing it");
      say(each, event_kind::progress);
    } else if (!may_be_left_out(each)) {
      return proxy::bad_stream("the target continued with an item that is not text");
    }
  }
  const bool is_end = event.kind == event_kind::end;
  if (event.usage != nullptr && !chunks_) ready_.push_back({.has_usage = true});
  if (is_end && chunks_ && chunks_->shows_usage && has_usage_)
    ready_.push_back({.chunk = chunk(chunks_->members, R"("choices":[],"usage":)" + chat_usage_json(usage_)),
                      .has_usage = true});
  if (is_end) ready_.push_back({.kind = event_kind::end});
  return {};
}

void continued_source::say(const delta& what, event_kind kind) {
  ready_event& made = ready_.emplace_back();
  made.kind = kind;
  made.said = what;
  if (chunks_) made.chunk = chunk(chunks_->members, choice(what));
}

proxy::stream_event continued_source::next() {
  ready_event& each = ready_[next_++];
  proxy::stream_event event{.kind = each.kind, .read_at = read_at_};
  if (each.said) event.deltas = {&*each.said, 1};
  if (each.has_usage) event.usage = &usage_;
  if (each.chunk.empty()) return event;
  each.piece = each.chunk;
  event.json = {&each.piece, 1};
  event.spoken = proxy::wire_format::openai_chat;
  return event;
}

// The target was given the beginning of an answer to continue. Some providers repeat this text at the start of the
// continuation, so the repetition is removed. Text that may be a repetition is held back until this is clear.
std::string_view continued_source::without_repetition(std::string_view text) {
  if (!may_repeat_) return text;
  const std::string_view expected = std::string_view(before_.given).substr(repeated_);
  const std::size_t same = common_length(text, expected);
  if (same == expected.size()) {  // the target has now repeated all of the text that it was asked to continue
    may_repeat_ = false;
    held_.clear();
    return text.substr(same);
  }
  held_ += text;
  repeated_ += same;
  if (same == text.size()) return {};
  may_repeat_ = false;
  return held_;
}

// Removes white space from the beginning if the client already has it. The target did not get this white space as
// input, and most targets begin their text with it.
std::string_view continued_source::without_cut(std::string_view text) {
  if (!may_say_cut_ || text.empty()) return text;
  const std::string_view expected = std::string_view(before_.cut).substr(cut_seen_);
  const std::size_t same = common_length(text, expected);
  cut_seen_ += same;
  may_say_cut_ = same == text.size() && cut_seen_ < before_.cut.size();
  return text.substr(same);
}

}  // namespace photofinish::gateway
