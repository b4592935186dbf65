// One log event with its name and its fields, in the form that log_format sets. [pure] The same event in each form:
//   text    request id=req_1 status=200 attempts="groq/m won ms=9.1; lab/m lost ms=9.2"
//   logfmt  event=request id=req_1 status=200 attempts="groq/m won ms=9.1; lab/m lost ms=9.2"
//   json    "event":"request","id":"req_1","status":200,"attempts":[{"target":"groq/m","outcome":"won","ms":9.1},…]
// The formatter (log.cpp) adds the time, the level, and the outer braces of JSON.
#pragma once

#include "gateway/log/log_fields.hpp"
#include "gateway/log/log_form.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace photofinish::gateway {

class log_line {
 public:
  log_line(log_form form, std::string_view event);

  // Adds a word that this gateway's source code defines. The word contains no quotes and no spaces.
  void word(log_field field, std::string_view value);
  void number(log_field field, std::string_view digits);  // written unchanged
  // Adds a text from a client or a provider. It is cut to 200 bytes and escaped.
  void text(log_field field, std::string_view value);

  // Begins the entry of one attempt in a race. Words and numbers that are added after this belong to the attempt.
  // `reason` may be empty.
  void begin_attempt(std::string_view target, std::string_view outcome, std::string_view reason);
  void end_attempts();

  std::string_view so_far() const { return line_; }
  std::string take() && { return std::move(line_); }

 private:
  void begin(log_field field);
  void end_attempt();

  std::string line_;
  log_form form_;
  bool has_fields_ = false;  // true if the JSON object that is currently written already has fields
  bool has_attempts_ = false;
};

// Returns the text as a JSON string. Bytes that are not valid UTF-8 become '?'.
std::string quoted_for_log(std::string_view text);

}  // namespace photofinish::gateway
