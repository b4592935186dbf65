// Passes an answer to a client of OpenAI's Responses API from a provider with the same API. Streamed events pass
// unchanged. A non-streamed answer is the response in the last event. Ids that only the provider can use are replaced
// by ids that this gateway can resolve. [pure]
#pragma once

#include "gateway/api/answer_writer.hpp"
#include "gateway/api/passed_event.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace photofinish::gateway {

class passed_response_stream final : public answer_writer {
 public:
  explicit passed_response_stream(answer_identity identity) : identity_(std::move(identity)) {}

  proxy::result<void> add(const proxy::stream_event& event, outgoing& to) override;
  void end(outgoing&) override {}
  void fail(const api_error& error, outgoing& to) override;

 private:
  void note(const proxy::stream_event& event);
  void put_renamed(const proxy::stream_event& event, outgoing& to);

  answer_identity identity_;
  named_beginning beginning_;
  std::string text_;     // the JSON of the last added event, if its ids were changed
  std::string id_;       // the response's id, as JSON; empty if the provider sent none
  std::int64_t next_number_ = 0;
  bool has_begun_ = false;
};

class passed_whole_response final : public answer_writer {
 public:
  explicit passed_whole_response(answer_identity identity) : identity_(std::move(identity)) {}

  proxy::result<void> add(const proxy::stream_event& event, outgoing& to) override;
  void end(outgoing& to) override;
  void fail(const api_error& error, outgoing& to) override;
  std::size_t held_bytes() const override { return response_.size(); }

 private:
  answer_identity identity_;
  std::string response_;
};

// Replaces ids that only the provider can use: the response's own id, if the provider keeps the response, and the
// previous response's id.
std::string with_shown_ids(std::string_view response, const answer_identity& shown);

// Returns {"code":…,"message":…}. The code is the provider's own code, or a code of the API that clients react to.
std::string response_error(const api_error& error);

}  // namespace photofinish::gateway
