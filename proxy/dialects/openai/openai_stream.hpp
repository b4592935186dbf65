// Converts one stream of OpenAI's chat API or older completions API to events that clients can rely on. [pure] Chunks
// that need no repair are sent unchanged.
#pragma once

#include "proxy/dialects/dialect.hpp"
#include "proxy/dialects/openai/chunks/chunk_inspector.hpp"
#include "proxy/dialects/openai/passed_answer.hpp"
#include "proxy/dialects/openai/stream_state.hpp"
#include "proxy/dialects/openai/whole_answer.hpp"
#include "proxy/dialects/repairs/split_pairs.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace photofinish::proxy {

class openai_stream final : public dialect_stream {
 public:
  explicit openai_stream(stream_settings settings)
      : passes_whole_(settings.passes_whole),
        form_(chunk_form_of(settings.format)),
        inspector_(settings.parser, form_, settings.is_passed() ? json_use::passes : json_use::translated,
                   settings.takes_images(), settings.shapes.get()),
        state_(std::move(settings)) {}

  result<relayed> on_event(const sse_event& event, instant read_at) override;
  result<relayed> on_body_end(std::string_view unfinished_data, instant read_at) override;
  // Reads a non-streamed answer, which may arrive even if a stream was requested. The answer stays unchanged if the
  // client wants a non-streamed answer and can read it. Otherwise the answer is converted to chunks.
  result<void> on_whole(std::string body) override;
  result<relayed> next_of_whole(instant read_at) override;
  std::size_t held_bytes() const override {
    return (answer_ ? answer_->held_bytes() : 0) + (passed_ ? passed_->held_bytes() : 0) + state_.held_bytes();
  }

 private:
  result<relayed> on_chunk(std::string_view json, instant read_at);
  std::span<const std::string_view> mended(std::string_view json);
  result<relayed> complete(instant read_at);
  std::span<const delta> deltas_of(const chunk_facts& facts);
  // Texts that only some streams need, or that are needed only at the end of a stream.
  struct own_texts {
    json_edits edits;
    std::string one_line;
    std::string finishes, usage;
    std::string_view usage_piece;
  };

  own_texts& own();
  void relay_text(std::string_view& piece, const std::string& json, instant read_at);

  // The members that are used most often come first, so that they share few cache lines.
  bool has_token_ = false;
  bool passes_whole_;
  const chunk_form& form_;
  std::string_view whole_;            // the last event's JSON, to which an element of `events_` refers
  std::vector<stream_event> events_;
  std::vector<delta> deltas_;
  chunk_inspector inspector_;
  stream_state state_;
  split_pairs pairs_;
  std::unique_ptr<own_texts> own_;
  std::string_view own_piece_;
  std::unique_ptr<whole_answer> answer_;
  std::unique_ptr<passed_answer> passed_;
};

}  // namespace photofinish::proxy
