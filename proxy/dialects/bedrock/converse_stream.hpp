// Converts one answer of Converse to events for the client's API. [pure] The answer is a stream of frames or a single
// JSON object.
#pragma once

#include "proxy/dialects/bedrock/converse_reader.hpp"
#include "proxy/dialects/dialect.hpp"
#include "proxy/dialects/repairs/split_pairs.hpp"
#include "proxy/json/json_text.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

class converse_stream final : public dialect_stream {
 public:
  explicit converse_stream(stream_settings settings) : reader_(settings.parser, settings.takes_images()) {}

  answer_kind on_head(const response_head& head) override;
  result<relayed> on_event(const sse_event& event, instant read_at) override;
  // Reads one frame. The last frame is `metadata`, which follows the stop reason.
  result<relayed> on_frame(const event_frame& frame, instant read_at) override;
  result<relayed> on_body_end(std::string_view unfinished, instant read_at) override;
  result<void> on_whole(std::string body) override;
  result<relayed> next_of_whole(instant read_at) override;
  std::size_t held_bytes() const override { return whole_.size() + reader_.held_bytes(); }

 private:
  relayed relay(instant read_at);

  converse_reader reader_;
  split_pairs pairs_;
  std::string whole_;  // the body of a non-streamed answer
  std::optional<json_walk> blocks_;
  std::array<stream_event, 2> events_;  // the events that the last call returned
};

}  // namespace photofinish::proxy
