// A stream of JSON events that pass as they are: transcripts, and speech as events. The first is its first token.
// [pure]
#pragma once

#include "proxy/dialects/dialect.hpp"

#include <array>
#include <optional>
#include <string>

namespace photofinish::proxy {

class event_answer final : public dialect_stream {
 public:
  explicit event_answer(wire_format format) : format_(format) {}

  answer_kind on_head(const response_head& head) override;
  result<relayed> on_event(const sse_event& event, instant read_at) override;
  void name_unfinished(std::string_view name) override { unfinished_name_ = name; }
  result<relayed> on_body_end(std::string_view unfinished_data, instant read_at) override;

  // A transcript of a model that does not stream, as the two events that say it.
  result<void> on_whole(std::string body) override;
  result<relayed> next_of_whole(instant read_at) override;
  std::size_t held_bytes() const override { return written_.size(); }

 private:
  maybe_failure look_at(const sse_event& event);
  void frame(const sse_event& event);
  result<relayed> end(instant read_at);
  std::span<const stream_event> give(event_kind kind, instant read_at);

  wire_format format_;
  bool has_begun_ = false;
  bool has_last_event_ = false;
  std::optional<token_usage> usage_;
  std::string_view unfinished_name_;  // for on_body_end() alone
  std::string written_;  // what does not pass as it came
  std::array<std::string_view, 5> pieces_;
  std::size_t piece_count_ = 0;
  std::array<stream_event, 2> events_;
};

}  // namespace photofinish::proxy
