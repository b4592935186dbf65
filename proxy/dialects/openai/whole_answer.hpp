// Converts a non-streamed completion to chunks if a stream was requested. [pure] Some servers, or proxies in front of
// them, ignore `stream: true` but send a valid answer.
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
  // `body` must be a non-streamed answer with status 200 and type application/json.
  explicit whole_answer(std::string body, const chunk_form& form = chat_form);
  whole_answer(const whole_answer&) = delete;  // copying is forbidden, because some members are views of the body
  whole_answer& operator=(const whole_answer&) = delete;

  // Returns false if the answer is an error or an unknown object. In that case, only body() may be called.
  bool is_completion() const { return is_completion_; }
  std::string_view body() const { return body_; }

  // Returns a finish_reason that reports a failure of the provider. Returns an empty string if there is none.
  std::string failed_finish() const;

  // Returns the next chunk, or an empty view after the last chunk. For each choice, there is a chunk with its content
  // and then a chunk with its finish_reason. The last chunk contains the usage. Unknown members of a choice stay in
  // this choice, and all other unknown members are added to the first chunk. A chunk is valid until the next call. The
  // buffer has 64 readable bytes after the chunk.
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
  std::string extras_;  // the unknown members for the first chunk, each preceded by a comma
  chunk_writer writer_;
  std::size_t next_ = 0;         // the index of the next choice
  bool is_finish_next_ = false;  // true if the next chunk contains the finish_reason of the choice with the index next_
};

}  // namespace photofinish::proxy
