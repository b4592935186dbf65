// Passes a stream of audio bytes or of named events to the client unchanged. [pure]
#pragma once

#include "gateway/api/answer_writer.hpp"
#include "gateway/api/parsed_request.hpp"

namespace photofinish::gateway {

class passing_writer final : public answer_writer {
 public:
  passing_writer(proxy::wire_format format, answer_form form) : format_(format), form_(form) {}

  proxy::result<void> add(const proxy::stream_event& event, outgoing& to) override;
  void end(outgoing&) override {}
  // Writes no error, because a stream of audio bytes cannot contain an error.
  void fail(const api_error& error, outgoing& to) override;

 private:
  proxy::wire_format format_;
  answer_form form_;
};

}  // namespace photofinish::gateway
