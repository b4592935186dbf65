// A whole completion where a stream was asked for -> the chunks that would have said the same. [pure]
// Some servers ignore `stream: true`, or an adapter before them does. What they answer is worth as much.
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
  // `body` is all of a 200 answer of type application/json.
  explicit whole_answer(std::string body, const chunk_form& form = chat_form);
  whole_answer(const whole_answer&) = delete;  // what is read of the body are views of it
  whole_answer& operator=(const whole_answer&) = delete;

  // False: an error, or something else; only body() counts then.
  bool is_completion() const { return is_completion_; }
  std::string_view body() const { return body_; }

  // The word of a choice whose provider gave up; empty: none.
  std::string failed_finish() const;

  // One after the other: for each choice all that it says and then its finish_reason, at last the usage; then empty.
  // Members that we do not know are kept: a choice's own beside its delta, the others in the first chunk. A chunk lives
  // until the next is asked for, and 64 bytes behind it may be read.
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
  std::string extras_;  // further members, each behind a comma
  chunk_writer writer_;
  std::size_t next_ = 0;         // choice
  bool is_finish_next_ = false;  // of that choice
};

}  // namespace photofinish::proxy
