// Converts the blocks of an answer into output items of OpenAI's Responses API, and into the events that report these
// items. [pure]
#pragma once

#include "gateway/api/conversation/answer_blocks.hpp"
#include "proxy/conversation/tool_names.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace photofinish::gateway {

enum class item_events : std::uint8_t { written, none };

class response_items final : public block_listener {
 public:
  response_items(item_events events, std::string answer_id, proxy::restored_calls tools)
      : has_events_(events == item_events::written), answer_id_(std::move(answer_id)), tools_(std::move(tools)) {}

  // The events that the writer has not fetched yet, joined into one text.
  std::string& events() { return events_; }
  // Begins an event with the next sequence number. The caller adds members, and then calls end_event().
  void begin(std::string_view type);

  // All finished output items as JSON, separated by commas.
  const std::string& output() const { return output_; }

  void on_open(const answer_block& block) override;
  void on_text(const answer_block& block, std::string_view more) override;
  void on_citation(const answer_block& block, std::string_view json) override;
  void on_close(const answer_block& block) override;

 private:
  void begin_for_part(std::string_view type, const answer_block& block);
  void say_part(std::string_view type, const answer_block& block, std::string_view text);
  void append_logprobs(const answer_block& block);
  void close_text(const answer_block& block);
  void close_call(const answer_block& block);
  void say_item(std::string_view type, const answer_block& block, std::string_view item);
  std::string item(const answer_block& block, std::string_view status) const;
  std::string call_item(const answer_block& block, std::string_view status) const;
  const proxy::restored_call* restored(const answer_block& block) const;
  proxy::call_kind kind_of(const answer_block& block) const;  // the tool's kind in the client's request
  std::string id_of(const answer_block& block) const;

  bool has_events_;
  std::string answer_id_;
  proxy::restored_calls tools_;
  std::string events_;
  std::string output_;
  // The part of each delta event between the sequence number and the delta's value. It is the same for all events of a
  // block.
  std::string delta_head_;
  std::string delta_type_;
  std::uint64_t number_ = 0;
  std::size_t citations_ = 0;  // the number of citations in the open block
  std::size_t logprobs_ = 0;   // the number of bytes of the open block's log probabilities that were already sent
};

}  // namespace photofinish::gateway
