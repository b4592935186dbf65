// Converts a whole completion to chunks if a stream was requested. [pure] Some servers, or proxies in front of them,
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
  // `body` must be a whole answer with status 200 and type application/json.
  explicit whole_answer(std::string body, const chunk_form& form = chat_form);
  whole_answer(const whole_answer&) = delete;  // not copied, because members are views of the body
  whole_answer& operator=(const whole_answer&) = delete;

  // Returns false if the answer is an error or another object. In this case, only body() may be called.
  bool is_completion() const { return is_completion_; }
  std::string_view body() const { return body_; }

  // Returns the finish_reason of a choice in which the provider has failed. Returns an empty string if there is none.
  std::string failed_finish() const;

  // Returns the next chunk. For each choice, one chunk has the content and the next chunk has the finish_reason. After
  // the choices, one chunk has the usage. After all chunks, returns an empty view. Unknown members are kept: members of
  // a choice next to its delta, other members in the first chunk. A chunk is valid until the next call, and 64 bytes
  // after it are readable.
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
  std::string extras_;  // unknown members to add to the first chunk, each after a comma
  chunk_writer writer_;
  std::size_t next_ = 0;         // index of the next choice
  bool is_finish_next_ = false;  // true if the next chunk has the finish_reason of the choice at `next_`
};

}  // namespace photofinish::proxy
