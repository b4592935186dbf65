// The two writers of a chat answer: one writes a stream of chunks, the other a single chat.completion merged from
// the chunks. [pure]
#pragma once

#include "gateway/api/answer_writer.hpp"
#include "gateway/api/chat/answer_collector.hpp"
#include "gateway/api/chat/chat_chunks.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

namespace photofinish::gateway {

class chat_stream_writer final : public answer_writer {
 public:
  chat_stream_writer(answer_identity identity, expected_calls calls, bool wants_usage)
      : identity_(std::move(identity)), calls_(std::move(calls)), wants_usage_(wants_usage) {}

  proxy::result<void> add(const proxy::stream_event& event, outgoing& to) override;
  void end(outgoing& to) override;
  void fail(const api_error& error, outgoing& to) override;
  std::size_t held_bytes() const override { return chunks_ ? chunks_->held_bytes() : 0; }

 private:
  answer_identity identity_;  // when chunks_ is created, identity_ and calls_ are moved into it
  expected_calls calls_;
  std::unique_ptr<chat_chunks> chunks_;  // null until a provider whose API is not chat sends an event
  bool wants_usage_;
  std::string text_;  // the text of the last event that the gateway wrote itself
};

class chat_whole_writer final : public answer_writer {
 public:
  explicit chat_whole_writer(chat_chunks chunks) : chunks_(std::move(chunks)) {}

  proxy::result<void> add(const proxy::stream_event& event, outgoing& to) override;
  proxy::result<void> make_ready() override;
  void end(outgoing& to) override;
  void fail(const api_error& error, outgoing& to) override;
  std::size_t held_bytes() const override;

 private:
  chat_chunks chunks_;
  answer_collector collector_;
  std::string passed_;  // a non-streamed answer, as the provider sent it
};

}  // namespace photofinish::gateway
