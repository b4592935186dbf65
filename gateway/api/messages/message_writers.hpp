// The two writers of an answer in the Messages API. One writer writes a stream of named events. The other writes a
// single message with the same content. [pure]
#pragma once

#include "gateway/api/conversation/answer_blocks.hpp"
#include "gateway/api/conversation/lost_names.hpp"
#include "gateway/api/answer_writer.hpp"
#include "gateway/api/messages/call_input.hpp"
#include "proxy/conversation/tool_names.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace photofinish::gateway {

// Writes message_start, then every block from start to stop, then message_delta and message_stop.
class message_stream_writer final : public answer_writer, private block_listener {
 public:
  message_stream_writer(answer_identity identity, proxy::restored_calls tools)
      : identity_(std::move(identity)), tools_(std::move(tools)), blocks_(block_texts::passed, identity_.id) {}

  proxy::result<void> add(const proxy::stream_event& event, outgoing& to) override;
  void end(outgoing& to) override;
  void fail(const api_error& error, outgoing& to) override;
  std::size_t held_bytes() const override { return blocks_.held_bytes() + input_.held_bytes(); }

 private:
  void begin();
  void begin_delta(std::size_t index, std::string_view kind_and_key);
  void say(const answer_block& block, std::string_view more);
  void on_open(const answer_block& block) override;
  void on_text(const answer_block& block, std::string_view more) override;
  void on_citation(const answer_block&, std::string_view) override {}
  void on_close(const answer_block& block) override;

  answer_identity identity_;
  proxy::restored_calls tools_;
  answer_blocks blocks_;
  call_input input_;  // converts the arguments of the unfinished tool call
  lost_names lost_;
  proxy::token_usage usage_;
  proxy::finish_reason reason_ = proxy::finish_reason::stop;
  bool has_begun_ = false;
  std::string text_;  // the text of the event that was added last
};

class message_whole_writer final : public answer_writer, private block_listener {
 public:
  message_whole_writer(answer_identity identity, proxy::restored_calls tools)
      : identity_(std::move(identity)), tools_(std::move(tools)), blocks_(block_texts::kept, identity_.id) {}

  proxy::result<void> add(const proxy::stream_event& event, outgoing& to) override;
  void end(outgoing& to) override;
  void fail(const api_error& error, outgoing& to) override;
  std::size_t held_bytes() const override { return blocks_.held_bytes() + content_.size(); }

 private:
  void on_open(const answer_block&) override {}
  void on_text(const answer_block&, std::string_view) override {}
  void on_citation(const answer_block&, std::string_view) override {}
  void on_close(const answer_block& block) override;

  answer_identity identity_;
  proxy::restored_calls tools_;
  answer_blocks blocks_;
  lost_names lost_;
  proxy::token_usage usage_;
  proxy::finish_reason reason_ = proxy::finish_reason::stop;
  bool has_broken_call_ = false;  // true if the arguments of a tool call were invalid (see call_input)
  std::string content_;  // the JSON of the finished blocks, separated by commas
};

}  // namespace photofinish::gateway
