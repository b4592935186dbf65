#include "gateway/api/chat/chat_writers.hpp"

#include "gateway/api/answer_limit.hpp"
#include "gateway/api/passed_event.hpp"
#include "proxy/memory/long_text.hpp"

namespace photofinish::gateway {
namespace {

bool is_ours(const proxy::stream_event& event) { return event.spoken == proxy::wire_format::openai_chat; }

}  // namespace

proxy::result<void> chat_stream_writer::add(const proxy::stream_event& event, outgoing& to) {
  if (!is_ours(event)) {
    // Skips an event with neither deltas nor usage. Every stream ends with such an event.
    if (!chunks_ && event.deltas.empty() && event.usage == nullptr) return {};
    if (!chunks_) chunks_ = std::make_unique<chat_chunks>(std::move(identity_), std::move(calls_));
    text_.clear();
    for (const std::string& chunk : chunks_->of(event)) text_ += as_event(chunk);
    to.put(text_);
    return check_kept(chunks_->held_bytes());
  }
  put_passed(event, to);
  return {};
}

void chat_stream_writer::end(outgoing& to) {
  text_.clear();
  if (chunks_) {
    for (const std::string& chunk : chunks_->rest()) text_ += as_event(chunk);
    if (const auto usage = chunks_->usage(); usage && wants_usage_) text_ += as_event(*usage);
  }
  to.put(text_);
  to.put("data: [DONE]\n\n");
}

void chat_stream_writer::fail(const api_error& error, outgoing& to) {
  text_ = as_event(to_json(error));
  to.put(text_);
}

proxy::result<void> chat_whole_writer::add(const proxy::stream_event& event, outgoing&) {
  if (event.is_whole && is_ours(event)) {
    passed_ = take_answer(event);
    return {};
  }
  if (is_ours(event)) return event.json.empty() ? proxy::result<void>() : collector_.add(event.json);
  for (const std::string& chunk : chunks_.of(event))
    if (auto added = collector_.add(chunk); !added) return added;
  return check_kept(chunks_.held_bytes());
}

proxy::result<void> chat_whole_writer::make_ready() {
  if (!passed_.empty()) return {};
  for (const std::string& chunk : chunks_.rest())
    if (auto added = collector_.add(chunk); !added) return added;
  return {};
}

void chat_whole_writer::end(outgoing& to) {
  if (!passed_.empty()) return to.put(proxy::long_text(std::move(passed_)));
  // Ignores a failure of add(), because the usage exceeds the answer's size limit by at most a hundred bytes.
  if (const auto usage = chunks_.usage()) (void)collector_.add(*usage);
  std::move(collector_).finish(to);
}

void chat_whole_writer::fail(const api_error& error, outgoing& to) { to.put(proxy::long_text(to_json(error))); }

std::size_t chat_whole_writer::held_bytes() const {
  return collector_.held_bytes() + passed_.size() + chunks_.held_bytes();
}

}  // namespace photofinish::gateway
