// The text of a client's request body (JSON or a form), with an index of its top-level members. [pure] The body is
// built once per request and never changes. Every attempt of a race makes its own edits (json_edits.hpp).
#pragma once

#include "proxy/json/form_fields.hpp"
#include "proxy/json/member_index.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::proxy {

class client_body {
 public:
  // `text` must be a valid JSON object.
  explicit client_body(std::string text) : text_(padded(std::move(text))), members_(text_), keys_(keys_of(text_)) {}
  // Builds the body of a form. The fields are spans of `text`, and stay valid when `text` is moved into the body. This
  // is safe because moving a std::string does not move its bytes, except for short texts, and a form is never that
  // short.
  client_body(std::string text, form_fields fields)
      : text_(std::move(text)), boundary_(std::move(fields.boundary)), members_(std::move(fields.all)) {
    assert(members_.members().empty() || is_inside(members_.members().front().whole));
  }
  client_body(const client_body&) = delete;  // copying is forbidden, because the index refers to the text
  client_body& operator=(const client_body&) = delete;

  // Returns the text of the body, which may be a form. If the text is JSON, the buffer has 64 readable bytes after the
  // text.
  std::string_view json() const { return text_; }
  bool is_form() const { return !boundary_.empty(); }
  std::string_view boundary() const { return boundary_; }
  const member_index& members() const { return members_; }

  bool is_long() const { return text_.size() > long_text; }
  // Returns false only if no object in the body has this key. A short body has no index of its keys, so the function
  // then returns true for any key.
  bool may_hold_key(std::string_view key) const {
    return !keys_ || std::binary_search(keys_->begin(), keys_->end(), key);
  }

  // Returns the value of the first top-level member with this name, or an empty view if there is no such member.
  std::string_view value_of(std::string_view key) const {
    const json_member* member = members_.find(key);
    return member == nullptr ? std::string_view{} : member->value;
  }

 private:
  static constexpr std::size_t long_text = 1u << 20;
  // The maximum number of distinct keys that are indexed. A body with more keys gets no index of its keys. A request
  // usually has about sixty distinct keys, and more if its tools have schemas.
  static constexpr std::size_t most_keys = 256;

  static std::optional<std::vector<std::string_view>> keys_of(std::string_view text) {
    return text.size() > long_text ? json_keys(text, most_keys) : std::nullopt;
  }
  static std::string padded(std::string text) {
    text.reserve(text.size() + 64);
    return text;
  }

  bool is_inside(std::string_view part) const {
    return part.data() >= text_.data() && part.data() + part.size() <= text_.data() + text_.size();
  }

  std::string text_;
  std::string boundary_;
  member_index members_;
  std::optional<std::vector<std::string_view>> keys_;
};

}  // namespace photofinish::proxy
