// An answer in one piece that is not JSON: a transcript as text, SRT or VTT, which passes as it is. [pure]
#pragma once

#include "proxy/dialects/dialect.hpp"

#include <array>
#include <optional>
#include <string>

namespace photofinish::proxy {

class text_answer final : public dialect_stream {
 public:
  explicit text_answer(wire_format format) : format_(format) {}

  answer_kind on_head(const response_head& head) override;
  result<void> on_whole(std::string body) override;
  // An empty text is an empty answer: it has no token. A silence is one.
  result<relayed> next_of_whole(instant read_at) override;
  bool is_streamable() const override { return false; }
  std::size_t held_bytes() const override { return body_.size() + (kept_ ? kept_->heap_bytes() : 0); }

  result<relayed> on_event(const sse_event& event, instant read_at) override;
  result<relayed> on_body_end(std::string_view unfinished_data, instant read_at) override;

 private:
  wire_format format_;
  std::string media_type_;
  std::string body_;
  std::optional<kept_event> kept_;
  std::array<stream_event, 2> events_;
};

}  // namespace photofinish::proxy
