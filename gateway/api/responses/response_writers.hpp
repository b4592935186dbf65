// Two writers for an answer of OpenAI's Responses API: one writes a stream of named and numbered events, the other
// writes only the final response. [pure]
#pragma once

#include "gateway/api/conversation/answer_blocks.hpp"
#include "gateway/api/answer_writer.hpp"
#include "gateway/api/conversation/lost_names.hpp"
#include "gateway/api/responses/response_items.hpp"
#include "gateway/api/responses/response_object.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::gateway {

class response_writer final : public answer_writer {
 public:
  // Only the constructor reads `asked`, the body of the client's request. It is null if the request is unknown.
  response_writer(item_events form, const answer_identity& identity, const proxy::client_body* asked,
                  proxy::restored_calls tools);

  proxy::result<void> add(const proxy::stream_event& event, outgoing& to) override;
  void end(outgoing& to) override;
  void fail(const api_error& error, outgoing& to) override;
  std::size_t held_bytes() const override;

 private:
  void begin();
  void note(const proxy::stream_event& event);
  response_state last_state();
  void say_response(std::string_view type, const response_state& state);

  item_events form_;
  std::function<void(std::string_view)> keep_items_;
  std::int64_t created_;
  response_object response_;
  response_items items_;
  answer_blocks blocks_;
  lost_names lost_;
  std::string more_;  // further members that are added to the response at its end
  std::optional<proxy::token_usage> usage_;
  proxy::finish_reason reason_ = proxy::finish_reason::stop;
  std::optional<proxy::instant> first_read_at_;
  std::int64_t seconds_ = 0;  // the duration of the answer in seconds
  bool has_begun_ = false;
};

}  // namespace photofinish::gateway
