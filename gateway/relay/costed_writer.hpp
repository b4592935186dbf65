// An answer_writer that adds the cost to the usage in an answer, and to the head of an answer that is not streamed.
// [pure]
#pragma once

#include "gateway/api/answer_writer.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// Adds `cost` to the usage in the JSON of an answer or an event. Replaces the provider's own cost. JSON without a usage
// stays unchanged.
std::string with_cost(std::string_view json, std::string_view cost);

class costed_writer final : public answer_writer {
 public:
  enum class usage_cost : bool { hidden, shown };
  // Returns an amount in US dollars as JSON. Returns an empty text if the cost is unknown.
  using cost_text = std::function<std::string()>;

  // The writer calls `on_end` with the cost before it writes an answer that is not streamed. If `on_end` is null, the
  // answer is a stream.
  costed_writer(std::unique_ptr<answer_writer> inner, cost_text cost, usage_cost in_usage,
                std::function<void(std::string_view)> on_end)
      : inner_(std::move(inner)), cost_(std::move(cost)), in_usage_(in_usage), on_end_(std::move(on_end)) {}

  proxy::result<void> add(const proxy::stream_event& event, outgoing& to) override;
  bool is_long() const override { return inner_->is_long(); }
  proxy::result<void> make_ready() override { return inner_->make_ready(); }
  void end(outgoing& to) override;
  void fail(const api_error& error, outgoing& to) override { inner_->fail(error, to); }
  std::size_t held_bytes() const override { return inner_->held_bytes(); }
  void keep_less() override { inner_->keep_less(); }

 private:
  std::string written_with(std::string_view cost);

  std::unique_ptr<answer_writer> inner_;
  cost_text cost_;
  usage_cost in_usage_;
  std::function<void(std::string_view)> on_end_;
  std::string batch_;
  outgoing written_{batch_};  // the bytes that the wrapped writer has written
  std::string text_;          // the bytes to send, which are valid until the next call
};

}  // namespace photofinish::gateway
