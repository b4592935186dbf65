// The body of a request as one provider gets it, with whatever it lies in. [pure]
// Either the client's own, edited by spans and shared by every attempt, or a text that a dialect has written.
#pragma once

#include "proxy/json/client_body.hpp"
#include "proxy/json/json_edits.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace photofinish::proxy {

class request_body {
 public:
  request_body() = default;  // no body
  explicit request_body(std::shared_ptr<const client_body> original)
      : original_(std::move(original)) {
    edits_.reset(original_->json());
  }
  explicit request_body(std::string text) : text_(std::move(text)) {}

  json_edits& edits() { return edits_; }  // of the client's

  // What to send, one piece after the other. They live until this is asked again, edited or moved.
  std::span<const std::string_view> pieces() {
    if (original_) return edits_.pieces();
    whole_ = text_;
    return {&whole_, whole_.empty() ? std::size_t{0} : std::size_t{1}};
  }

  // Of its own text: who shares the client's body counts that.
  std::size_t held_bytes() const { return text_.size(); }

 private:
  std::shared_ptr<const client_body> original_;
  json_edits edits_;
  std::string text_;
  std::string_view whole_;
};

}  // namespace photofinish::proxy
