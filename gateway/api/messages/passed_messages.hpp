// Passes an answer to a client of Anthropic's Messages API from a provider with the same API. Streamed events pass
// unchanged. A non-streamed answer is the message that results from merging all events, including their unknown
// members. [pure]
#pragma once

#include "gateway/api/answer_writer.hpp"
#include "gateway/api/passed_event.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::gateway {

class passed_message_stream final : public answer_writer {
 public:
  explicit passed_message_stream(answer_identity identity = {}) : identity_(std::move(identity)) {}

  proxy::result<void> add(const proxy::stream_event& event, outgoing& to) override;
  void end(outgoing&) override {}
  void fail(const api_error& error, outgoing& to) override;

 private:
  answer_identity identity_;
  named_beginning beginning_;
  std::string text_;
};

class passed_whole_message final : public answer_writer {
 public:
  explicit passed_whole_message(answer_identity identity = {}) : identity_(std::move(identity)) {}

  proxy::result<void> add(const proxy::stream_event& event, outgoing& to) override;
  void end(outgoing& to) override;
  void fail(const api_error& error, outgoing& to) override;
  std::size_t held_bytes() const override { return held_; }

 private:
  // Pairs of a member's key, in its original spelling, and the member's value.
  using members = std::vector<std::pair<std::string, std::string>>;

  // A block's JSON at its start, and the data of its later deltas. Texts are the contents of JSON strings, without
  // quotes.
  struct growing_block {
    std::int64_t index = 0;
    std::string start;
    std::string text, thinking, signature;
    std::string input;      // the content of a JSON string that contains the tool call's JSON input
    std::string citations;  // the block's citations as JSON values, separated by commas
    members others;         // unknown members of deltas, which replace or extend the members of the block
  };

  void begin(std::string_view message);
  void begin_block(std::string_view event);
  void add_to_block(std::string_view event);
  void end_message(std::string_view event);
  void end_usage(std::string_view usage);
  // Returns the value of a usage member, or an empty text if the usage does not have this member.
  std::string_view known_usage(std::string_view key) const;
  void keep(std::string& in, std::string_view text);
  void note(members& in, std::string_view raw_key, std::string_view value);
  static std::string block_json(growing_block& block);

  answer_identity identity_;
  std::string message_;  // the JSON of the message in the first event
  std::deque<growing_block> blocks_;
  members changed_;  // members of the message that later events changed
  members usage_;    // the final usage: each member has its last value, except that counts never decrease
  std::string joined_;
  std::size_t held_ = 0;
};

}  // namespace photofinish::gateway
