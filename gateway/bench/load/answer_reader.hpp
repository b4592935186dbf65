// Records the times, tokens, usage and errors of an answer as its bytes arrive. [pure] The reader parses events with
// the gateway's own dialect. Therefore the bench and the gateway define the first token in the same way.
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

// Counts the tokens of a text if the endpoint reports no usage. If this function is empty, the number of tokens stays
// unknown.
using token_counter = std::function<std::uint64_t(std::string_view text)>;

class answer_reader {
 public:
  // `record` must outlive the reader. The reader sets the record's `error` if the answer is not valid.
  answer_reader(answer_mode mode, const proxy::provider& from, const token_counter& count, request_record& record);

  // Parses the bytes of one read of the connection. The bytes may be passed in several pieces with the same `read_at`.
  // The 64 bytes after each piece must be readable memory, because the parser may read them, although it ignores their
  // values.
  void feed(std::string_view bytes, proxy::instant read_at);
  void end(proxy::instant read_at);  // call end() at the end of the answer's body

  // Returns true if the answer is complete or has failed, so that no more bytes need to be read.
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
  std::string whole_;  // the body of an answer that is not streamed
  std::string text_;   // the answer's text, kept only for the token counter
  bool is_over_ = false;
};

}  // namespace photofinish::gateway::bench
