// Copies the text of an answer, so that another target may continue it. On routes with `on_break: continue` alone.
#pragma once

#include "gateway/attempts/race_observer.hpp"
#include "gateway/relay/answer_prefix.hpp"

#include <optional>
#include <utility>

namespace photofinish::gateway {

class text_observer final : public race_observer {
 public:
  // The race has a winner whose answer may be continued. `memory` is for its text.
  void begin(proxy::memory_share memory) { text_.emplace(std::move(memory)); }
  // Nothing, if the answer of this winner cannot be continued.
  const std::optional<answer_prefix>& text() const { return text_; }

  bool reads_answer() const override { return true; }
  void event(const proxy::stream_event& event) override {
    if (text_) text_->see(event);
  }
  void restart() override { text_.reset(); }

 private:
  std::optional<answer_prefix> text_;
};

}  // namespace photofinish::gateway
