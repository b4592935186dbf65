// An answer that is sound: its bytes pass as they come, and the first is its first token. [pure]
#pragma once

#include "proxy/dialects/dialect.hpp"

#include <array>
#include <string>

namespace photofinish::proxy {

class byte_answer final : public dialect_stream {
 public:
  explicit byte_answer(wire_format format) : format_(format) {}

  answer_kind on_head(const response_head& head) override;
  result<relayed> on_bytes(std::string_view bytes, instant read_at) override;
  result<relayed> on_body_end(std::string_view unfinished_data, instant read_at) override;

  result<relayed> on_event(const sse_event& event, instant read_at) override;
  result<void> on_whole(std::string body) override;
  result<relayed> next_of_whole(instant read_at) override;
  std::size_t held_bytes() const override { return 0; }

 private:
  wire_format format_;
  std::string media_type_;
  bool has_begun_ = false;
  std::string_view piece_;
  std::array<delta, 1> type_;  // said once, with the first bytes
  std::array<stream_event, 1> event_;
};

}  // namespace photofinish::proxy
