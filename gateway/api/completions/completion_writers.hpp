// The two forms of a completion: a stream of chunks, and the one text_completion that they add up to. [pure]
// Only targets that serve this API are asked: all events are in its own JSON.
#pragma once

#include "gateway/api/answer_writer.hpp"
#include "gateway/api/chat/answer_collector.hpp"

#include <cstddef>
#include <string>

namespace photofinish::gateway {

class completion_stream_writer final : public answer_writer {
 public:
  proxy::result<void> add(const proxy::stream_event& event, outgoing& to) override;
  void end(outgoing& to) override;
  void fail(const api_error& error, outgoing& to) override;

 private:
  std::string text_;  // what we have written last
};

class completion_whole_writer final : public answer_writer {
 public:
  completion_whole_writer();

  proxy::result<void> add(const proxy::stream_event& event, outgoing& to) override;
  void end(outgoing& to) override;
  void fail(const api_error& error, outgoing& to) override;
  std::size_t held_bytes() const override { return collector_.held_bytes() + passed_.size(); }

 private:
  answer_collector collector_;
  std::string passed_;  // instead: an answer that came in one piece
};

}  // namespace photofinish::gateway
