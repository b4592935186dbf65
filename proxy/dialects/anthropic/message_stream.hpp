// One answer of Anthropic's Messages API, whose events are sent to the client unchanged. [pure] If a provider sends a
// complete message instead of a stream, this class creates the events of a stream.
#pragma once

#include "proxy/dialects/anthropic/message_event.hpp"
#include "proxy/dialects/dialect.hpp"
#include "proxy/dialects/repairs/split_pairs.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

class message_stream final : public dialect_stream {
 public:
  explicit message_stream(tolerant_parser* lent, json_use use = json_use::passes) : inspector_(lent, use) {}

  result<relayed> on_event(const sse_event& event, instant read_at) override;
  result<relayed> on_body_end(std::string_view unfinished_data, instant read_at) override;
  result<void> on_whole(std::string body) override;
  result<relayed> next_of_whole(instant read_at) override;
  std::size_t held_bytes() const override { return whole_.size() + text_.size() + inspector_.held_bytes(); }
  bool is_over() const { return is_over_; }  // true after the end of the answer was returned

 private:
  enum class whole_step { start, block_start, block_delta, block_citation, block_signature, block_stop, stop, end };

  result<relayed> take(std::string_view json, std::string_view name, instant read_at);
  relayed relay(std::string_view json, instant read_at);
  bool write_next_of_whole();
  void write_block_start();
  void begin_delta(std::string_view type);
  bool write_block_delta(std::string_view key, std::string_view type);
  bool write_input_delta();
  bool write_compaction_delta();
  void write_message_delta();

  message_inspector inspector_;
  split_pairs pairs_;
  std::string text_;  // the current event, if this gateway created it
  // A message that arrived without streaming. The members below store which of its events were already written.
  std::string whole_;
  whole_step step_ = whole_step::start;
  std::optional<json_walk> blocks_;
  std::string_view block_;
  std::optional<json_walk> citations_;  // the citations of the current block that are not written yet
  std::int64_t index_ = 0;
  std::string_view piece_;
  std::array<stream_event, 3> events_;
};

}  // namespace photofinish::proxy
