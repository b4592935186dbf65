// Notes what an answer brings, as its bytes come in: times, tokens, usage, faults. [pure]
// The events are understood by the gateway's own dialect, so that both mean the same by a first token.
#pragma once

#include "gateway/bench/options.hpp"
#include "gateway/bench/request_record.hpp"
#include "proxy/dialects/dialect.hpp"
#include "proxy/dialects/sse_parser.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace photofinish::gateway::bench {

// How many tokens a text has, where the endpoint tells no usage. Empty: not known.
using token_counter = std::function<std::uint64_t(std::string_view text)>;

class answer_reader {
 public:
  // `record` outlives the reader. Its `error` is set when the answer is none.
  answer_reader(answer_mode mode, const proxy::provider& from, const token_counter& count, request_record& record);

  // What was read at once, in one or more pieces with the same `read_at`; 64 bytes behind them may be read.
  void feed(std::string_view bytes, proxy::instant read_at);
  void end(proxy::instant read_at);  // of the body

  // The answer has said its last word, or failed: nothing more needs to be read.
  bool is_over() const { return is_over_; }

 private:
  void take_events(proxy::instant read_at);
  void take(std::span<const proxy::stream_event> said);
  void note_token(const proxy::stream_event& event, std::uint64_t text_bytes);
  void read_whole(proxy::instant read_at);
  void fail(proxy::failure why, proxy::instant at);
  void close(proxy::instant at);

  answer_mode mode_;
  const token_counter& count_;
  request_record& record_;
  proxy::sse_parser parser_;
  std::unique_ptr<proxy::dialect_stream> stream_;
  std::string whole_;  // a whole answer's body
  std::string text_;   // of the answer, for the counter only
  bool is_over_ = false;
};

}  // namespace photofinish::gateway::bench
