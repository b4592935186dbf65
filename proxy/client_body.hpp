// A client's request body: its text and where its members are. [pure]
// Made once per request and never changed; every attempt of a race edits it for itself (json_edits.hpp).
#pragma once

#include "proxy/member_index.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace photofinish::proxy {

class client_body {
 public:
  // `text` is a valid JSON object.
  explicit client_body(std::string text) : text_(padded(std::move(text))), members_(text_) {}
  client_body(const client_body&) = delete;  // the index points into the text
  client_body& operator=(const client_body&) = delete;

  std::string_view json() const { return text_; }  // 64 bytes behind it may be read
  const member_index& members() const { return members_; }

  // The first member of that name; none when there is none.
  std::string_view value_of(std::string_view key) const {
    const json_member* member = members_.find(key);
    return member == nullptr ? std::string_view{} : member->value;
  }

 private:
  static std::string padded(std::string text) {
    text.reserve(text.size() + 64);
    return text;
  }

  std::string text_;
  member_index members_;
};

}  // namespace photofinish::proxy
