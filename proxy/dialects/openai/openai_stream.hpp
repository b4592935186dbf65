// One OpenAI chat stream as a provider sends it -> the events a client can rely on. [pure]
// Clean chunks go on as the very bytes they came as.
#pragma once

#include "proxy/dialects/dialect.hpp"
#include "proxy/dialects/openai/chunk_inspector.hpp"
#include "proxy/dialects/openai/stream_state.hpp"

#include <array>
#include <string>
#include <vector>

namespace photofinish::proxy {

class openai_stream final : public dialect_stream {
 public:
  explicit openai_stream(stream_settings settings) : inspector_(settings.parser), state_(std::move(settings)) {}

  result<std::span<const stream_event>> on_event(const sse_event& event, instant read_at) override;
  result<std::span<const stream_event>> on_body_end(std::string_view unfinished_data,
                                                    instant read_at) override;

 private:
  using relayed = std::span<const stream_event>;

  result<relayed> on_chunk(std::string_view json, instant read_at);
  std::span<const std::string_view> mended(std::string_view json);
  result<relayed> complete(instant read_at);
  result<relayed> fail(failure why);
  std::span<const delta> deltas_of(const chunk_facts& facts);
  void relay_text(std::string_view& piece, const std::string& json, instant read_at);

  // What each event needs is first, and so in as few cache lines as can be.
  bool is_over_ = false;
  bool has_token_ = false;
  std::string_view whole_;            // here and below: what the last call gave
  std::vector<stream_event> events_;
  std::vector<delta> deltas_;
  chunk_inspector inspector_;
  stream_state state_;
  json_edits edits_;
  std::string one_line_;
  std::string finishes_, usage_;
  std::array<std::string_view, 2> last_pieces_;
};

}  // namespace photofinish::proxy
