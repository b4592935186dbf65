// Converts one answer of Gemini to events for the client's API. [pure] The answer is a stream or a single JSON object.
#pragma once

#include "proxy/dialects/dialect.hpp"
#include "proxy/dialects/event_json.hpp"
#include "proxy/dialects/gemini/gemini_reader.hpp"
#include "proxy/dialects/repairs/split_pairs.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

class gemini_stream final : public dialect_stream {
 public:
  explicit gemini_stream(stream_settings settings)
      : parser_(settings.parser),
        reader_(settings.id, settings.takes_images() ? answer_images::taken : answer_images::lost) {}

  answer_kind on_head(const response_head& head) override;
  result<relayed> on_event(const sse_event& event, instant read_at) override;
  // Ends the answer. The answer is complete if Gemini sent a finish reason before the body ended.
  result<relayed> on_body_end(std::string_view unfinished_data, instant read_at) override;
  result<void> on_whole(std::string body) override;
  result<relayed> next_of_whole(instant read_at) override;
  std::size_t held_bytes() const override { return whole_.size() + reader_.held_bytes(); }

 private:
  bool is_json(std::string_view text) { return parser_.parse_any(text).error() == simdjson::SUCCESS; }
  result<relayed> read(std::string_view json, instant read_at);
  result<relayed> complete(instant read_at);

  event_parser parser_;
  gemini_reader reader_;
  split_pairs pairs_;
  std::string whole_;    // the body of a non-streamed answer
  std::string_view now_;  // the unread rest of a JSON list of chunks
  std::optional<json_walk> chunks_;
  std::array<stream_event, 2> events_;  // the events that the last call returned
};

}  // namespace photofinish::proxy
