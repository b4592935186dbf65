// A writer that also stores the signed reasoning before each tool call. If the client drops this reasoning, a later
// request can restore it. [pure]
#pragma once

#include "gateway/api/answer_writer.hpp"
#include "gateway/api/conversation/answer_blocks.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

class reasoning_keeper final : public answer_writer, private block_listener {
 public:
  // Stores reasoning. `reasoning` is a list of reasoning_details, and `key` is the result of reasoning_key().
  using keep = std::function<void(std::string_view key, std::string_view reasoning)>;

  // The parameter `answer_id` is used for tool calls that have no id: they get the same ids here as in the answer's
  // other writers (see answer_blocks). At most `longest` bytes of reasoning are kept for one call. If the reasoning is
  // longer, it is dropped, and the answer continues without it.
  reasoning_keeper(std::unique_ptr<answer_writer> writer, std::string answer_id, keep kept, std::size_t longest)
      : writer_(std::move(writer)),
        blocks_(block_texts::passed, std::move(answer_id)),
        keep_(std::move(kept)),
        longest_(longest) {}

  proxy::result<void> add(const proxy::stream_event& event, outgoing& to) override;
  bool is_long() const override { return writer_->is_long(); }
  proxy::result<void> make_ready() override { return writer_->make_ready(); }
  void end(outgoing& to) override;
  void fail(const api_error& error, outgoing& to) override { writer_->fail(error, to); }
  std::size_t held_bytes() const override { return writer_->held_bytes() + blocks_.held_bytes() + held_; }
  void keep_less() override {
    writer_->keep_less();
    give_up();
  }

 private:
  struct part {
    answer_block_kind kind;
    std::string text, signature, readable_by, item;
    bool is_apart;  // true if there is other text between the reasoning and the tool call
  };

  void on_open(const answer_block& block) override;
  void on_text(const answer_block& block, std::string_view more) override;
  void on_citation(const answer_block&, std::string_view) override {}
  void on_close(const answer_block& block) override;
  void note(const proxy::delta& each);
  void keep_before(const answer_block& block);
  // Returns the number of bytes of reasoning that were kept since the last tool call.
  std::size_t kept_bytes() const { return blocks_.waiting_bytes() + held_; }
  void forget();
  void give_up();  // drops all reasoning that arrives before the next tool call

  std::unique_ptr<answer_writer> writer_;
  answer_blocks blocks_;
  keep keep_;
  std::vector<part> parts_;  // the parts of the reasoning since the last tool call
  std::string text_;         // the text of the unfinished reasoning part
  std::size_t held_ = 0;
  const std::size_t longest_;
  std::size_t calls_ = 0;
  bool is_too_long_ = false;  // true if the reasoning since the last tool call is too long
  bool has_given_up_ = false;
};

}  // namespace photofinish::gateway
