// One stream of OpenAI's Responses: its events go on as the very bytes they came as, but for counted call ids. [pure]
// Where a provider answers with the response alone, it is given as the events that it stands for.
#pragma once

#include "proxy/dialects/dialect.hpp"
#include "proxy/dialects/repairs/split_pairs.hpp"
#include "proxy/dialects/responses/response_event.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace photofinish::proxy {

class response_stream final : public dialect_stream {
 public:
  // `answer_id` makes the ids of calls unique that a server counts from zero; empty: they stay.
  explicit response_stream(tolerant_parser* lent, json_use use = json_use::passes, bool takes_images = true,
                           std::string answer_id = {})
      : inspector_(lent, use, takes_images), answer_id_(std::move(answer_id)) {}

  result<relayed> on_event(const sse_event& event, instant read_at) override;
  result<relayed> on_body_end(std::string_view unfinished_data, instant read_at) override;
  result<void> on_whole(std::string body) override;
  result<relayed> next_of_whole(instant read_at) override;
  std::size_t held_bytes() const override { return whole_.size() + opening_.size(); }

 private:
  relayed relay(std::span<const std::string_view> json, std::string_view name, instant read_at);

  response_inspector inspector_;
  std::string answer_id_;
  std::string with_ids_;  // an event whose calls have got other ids
  split_pairs pairs_;
  std::string one_line_;
  std::string whole_;    // a response that came alone
  std::string opening_;  // the same as it was at its beginning
  std::string ending_;   // what stands before it in its last event
  std::string_view opening_view_;
  std::array<std::string_view, 3> pieces_;  // here and below: what the last call gave
  std::array<stream_event, 3> events_;
};

}  // namespace photofinish::proxy
