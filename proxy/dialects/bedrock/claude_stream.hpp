// One answer of a Claude model by Bedrock's InvokeModel. [pure] Each frame contains an event of Anthropic's Messages
// API. Bedrock's mantle sends the same events without frames, as server-sent events.
#pragma once

#include "proxy/dialects/anthropic/message_stream.hpp"
#include "proxy/dialects/dialect.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace photofinish::proxy {

class claude_stream final : public dialect_stream {
 public:
  explicit claude_stream(stream_settings settings)
      : messages_(settings.parser, settings.is_passed() ? json_use::passes : json_use::translated) {}

  answer_kind on_head(const response_head& head) override;
  result<relayed> on_event(const sse_event& event, instant read_at) override;
  result<relayed> on_frame(const event_frame& frame, instant read_at) override;
  result<relayed> on_body_end(std::string_view unfinished, instant read_at) override;
  result<void> on_whole(std::string body) override { return messages_.on_whole(std::move(body)); }
  result<relayed> next_of_whole(instant read_at) override { return messages_.next_of_whole(read_at); }
  std::size_t held_bytes() const override { return messages_.held_bytes() + json_.size(); }

 private:
  message_stream messages_;
  std::string json_;  // JSON of the current event
  // true if the answer is a stream of server-sent events (from mantle), false if it is a stream of frames
  bool is_text_ = false;
};

}  // namespace photofinish::proxy
