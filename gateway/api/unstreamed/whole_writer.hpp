// A writer for an answer in one piece, which passes to the client unchanged. [pure]
#pragma once

#include "gateway/api/answer_writer.hpp"

#include <cstddef>
#include <string>

namespace photofinish::gateway {

class whole_writer : public answer_writer {
 public:
  explicit whole_writer(proxy::wire_format format) : format_(format) {}

  proxy::result<void> add(const proxy::stream_event& event, outgoing& to) override;
  void end(outgoing& to) override;
  void fail(const api_error& error, outgoing& to) override;
  std::size_t held_bytes() const override { return json_.size(); }

 protected:
  std::string json_;  // the answer's JSON

 private:
  proxy::wire_format format_;
};

}  // namespace photofinish::gateway
