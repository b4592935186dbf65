// A JSON answer that providers never stream and that the client gets unchanged. [pure] Its arrival counts as its first
// token. This class is used for embeddings, rerank, moderations, images and transcripts. The answer is checked while it
// arrives, but only its usage is read.
#pragma once

#include "proxy/dialects/dialect.hpp"
#include "proxy/dialects/openai/openai_formats.hpp"
#include "proxy/dialects/vector_encoding.hpp"
#include "proxy/json/json_scan.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

class json_answer final : public dialect_stream {
 public:
  // If `vectors` is set, embeddings are converted to this encoding. Very long answers are converted later, because
  // their conversion would block the event loop. An answer that cannot be converted is rejected before it can win the
  // race, so that another attempt can still win.
  json_answer(const openai_format& format, std::optional<vector_encoding> vectors)
      : format_(format), vectors_(vectors) {}

  answer_kind on_head(const response_head& head) override;
  result<relayed> on_event(const sse_event& event, instant read_at) override;
  result<relayed> on_body_end(std::string_view unfinished_data, instant read_at) override;
  bool is_streamable() const override { return false; }
  std::size_t max_whole_bytes(std::size_t max_event_bytes) const override;
  result<void> see_whole(std::string_view so_far) override;
  result<void> on_whole(std::string body) override;
  // Returns the answer as one event. The JSON is moved into the kept_event that stores the event.
  result<relayed> next_of_whole(instant read_at) override;
  std::size_t held_bytes() const override { return body_.size() + (kept_ ? kept_->heap_bytes() : 0); }

 private:
  result<void> convert(std::string& body) const;
  bool is_answer(const std::vector<json_member>& members) const;
  bool keeps_promise(const json_member& member) const;

  const openai_format& format_;
  const std::optional<vector_encoding> vectors_;
  json_scan scan_;
  std::string body_;
  std::optional<token_usage> usage_;
  std::optional<kept_event> kept_;
  std::array<stream_event, 2> events_;
};

}  // namespace photofinish::proxy
