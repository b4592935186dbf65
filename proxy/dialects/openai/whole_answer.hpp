// Converts a whole completion to chunks if a stream was requested. [pure] Some servers, or adapters in front of them,
// ignore `stream: true`, but their answers are good.
#pragma once

#include "proxy/dialects/openai/chunks/chunk_writer.hpp"
#include "proxy/json/json_text.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

class whole_answer {
 public:
  // `body` must be the whole 200 answer of type application/json.
  explicit whole_answer(std::string body, const chunk_form& form = chat_form);
  whole_answer(const whole_answer&) = delete;  // not copied, because members are views of the body
  whole_answer& operator=(const whole_answer&) = delete;

  // Returns false for an error or another object. Only body() is valid then.
  bool is_completion() const { return is_completion_; }
  std::string_view body() const { return body_; }

  // Returns the finish_reason of a choice that the provider gave up. Empty if there is none.
  std::string failed_finish() const;

  // Returns the next chunk. For each choice the chunks are its content and then its finish_reason. The usage follows,
  // then an empty text. Unknown members are kept: a choice's own next to its delta, others in the first chunk. A chunk
  // lives until the next call, and 64 bytes after it are readable.
  std::string_view next_chunk();

  std::size_t held_bytes() const { return body_.size() + extras_.size() + writer_.held_bytes(); }

 private:
  bool read();
  void read_member(const json_member& member, std::string& identity);
  std::string_view said_by(std::string_view choice) const;
  std::string_view words_chunk(std::size_t position);
  std::string index_of(std::size_t position) const;

  const chunk_form& form_;
  std::string body_;
  bool is_completion_ = false;
  std::vector<std::string_view> choices_;
  std::string_view usage_;
  std::string extras_;  // unknown members for the first chunk, each after a comma
  chunk_writer writer_;
  std::size_t next_ = 0;         // position of the next choice
  bool is_finish_next_ = false;  // true if the next chunk is the finish of that choice
};

}  // namespace photofinish::proxy
