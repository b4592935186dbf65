// Blocks of an answer -> the output items of OpenAI's Responses, and the events by which they come. [pure]
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

  // Of the events of one step, after the other; taken by the writer.
  std::string& events() { return events_; }
  // Begins an event with the next number: its members follow, then end_event().
  void begin(std::string_view type);

  // The items that are complete, with commas between them.
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
  proxy::call_kind kind_of(const answer_block& block) const;  // as the client calls it
  std::string id_of(const answer_block& block) const;

  bool has_events_;
  std::string answer_id_;
  proxy::restored_calls tools_;
  std::string events_;
  std::string output_;
  std::string delta_head_;  // of the block that is open: what each of its deltas begins with, behind the number
  std::string delta_type_;
  std::uint64_t number_ = 0;
  std::size_t citations_ = 0;  // of the block that is open
  std::size_t logprobs_ = 0;   // of its log probabilities, the bytes that its deltas had
};

}  // namespace photofinish::gateway
