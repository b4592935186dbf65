// One stream of OpenAI's Responses API. [pure] Its events are sent to the client unchanged, except for repeated call
// ids. If a provider does not stream but sends a complete response, this class creates the events of a stream.
#pragma once

#include "proxy/dialects/dialect.hpp"
#include "proxy/dialects/repairs/split_pairs.hpp"
#include "proxy/dialects/responses/response_event.hpp"
#include "proxy/dialects/responses/whole_response.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace photofinish::proxy {

class response_stream final : public dialect_stream {
 public:
  // `answer_id` is added to the ids of calls, because some servers number the calls of each answer from zero. If
  // `answer_id` is empty, the ids stay unchanged. If the answer is not streamed, `given` selects the events that are
  // created from it.
  explicit response_stream(tolerant_parser* lent, json_use use = json_use::passes, bool takes_images = true,
                           std::string answer_id = {}, given_events given = given_events::all)
      : inspector_(lent, use, takes_images),
        answer_id_(std::move(answer_id)),
        given_(use == json_use::passes ? given : given_events::end) {}

  result<relayed> on_event(const sse_event& event, instant read_at) override;
  result<relayed> on_body_end(std::string_view unfinished_data, instant read_at) override;
  result<void> on_whole(std::string body) override;
  result<relayed> next_of_whole(instant read_at) override;
  std::size_t held_bytes() const override { return whole_ ? whole_->held_bytes() : 0; }

 private:
  relayed relay(instant read_at);

  response_inspector inspector_;
  std::string answer_id_;
  std::string with_ids_;  // JSON of an event with changed call ids
  split_pairs pairs_;
  std::string one_line_;
  given_events given_;
  bool has_token_ = false;  // true if any event of a non-streamed answer counted as a token
  std::unique_ptr<whole_response> whole_;
  std::string_view json_;  // the last event's JSON, to which an element of `events_` refers
  std::array<stream_event, 2> events_;
};

}  // namespace photofinish::proxy
