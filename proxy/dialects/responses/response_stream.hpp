// One stream of OpenAI's Responses: its events go on as the very bytes they came as. [pure]
// Where a provider answers with the response alone, it is given as the events that it stands for.
#pragma once

#include "proxy/dialects/dialect.hpp"
#include "proxy/dialects/repairs/split_pairs.hpp"
#include "proxy/dialects/responses/response_event.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace photofinish::proxy {

class response_stream final : public dialect_stream {
 public:
  explicit response_stream(tolerant_parser* lent, json_use use = json_use::passes, bool takes_images = true)
      : inspector_(lent, use, takes_images) {}

  answer_kind on_head(const response_head& head) override { return kind_by_type(head); }
  result<std::span<const stream_event>> on_event(const sse_event& event, instant read_at) override;
  result<std::span<const stream_event>> on_body_end(std::string_view unfinished_data, instant read_at) override;
  result<void> on_whole(std::string body) override;
  result<std::span<const stream_event>> next_of_whole(instant read_at) override;
  std::size_t held_bytes() const override { return whole_.size() + opening_.size(); }

 private:
  using relayed = std::span<const stream_event>;

  relayed relay(std::span<const std::string_view> json, std::string_view name, instant read_at);
  result<relayed> fail(failure why);

  response_inspector inspector_;
  split_pairs pairs_;
  bool is_over_ = false;
  std::string one_line_;
  std::string whole_;    // a response that came alone
  std::string opening_;  // the same as it was at its beginning
  std::string ending_;   // what stands before it in its last event
  std::string_view opening_view_;
  std::array<std::string_view, 3> pieces_;  // here and below: what the last call gave
  std::array<stream_event, 3> events_;
};

}  // namespace photofinish::proxy
