// The texts of a request that guardrails judge, in the order of the request. Each text is a separate message, so that a
// mask can be assigned to it. [pure] The texts of the conversation come first, followed by all other texts.
// api_words.hpp defines which words are left out. Texts are not copied. They are views of the client's body, and the
// guardrail receives them unchanged.
#pragma once

#include "gateway/api/parsed_request.hpp"
#include "gateway/guardrails/text_walk.hpp"
#include "proxy/conversation/conversation.hpp"
#include "proxy/json/client_body.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

// The version of the texts that a masking guardrail received: the client's original texts, or the texts with earlier
// masks.
enum class masks_of : std::uint8_t { original, current };

enum class mask_result : std::uint8_t {
  unchanged,  // the mask is equal to the text, so nothing changes
  taken,
  conflict,  // another guardrail has already masked one of these texts; the guardrail must judge the masked text
  // The mask changes a text that cannot be replaced, or it has a different number of messages. No part of the mask is
  // applied.
  impossible,
};

class judged_text {
 public:
  // Reads a valid request. This takes time in proportion to the size of the body.
  explicit judged_text(const parsed_request& asked);
  judged_text(judged_text&&) = default;

  // Returns {"body":{"messages":[{"role":…,"content":…}]}} after the masks were applied.
  std::string request_json() const;

  std::size_t messages() const { return pieces_.size(); }
  std::size_t held_bytes() const { return pieces_.capacity() * sizeof(piece) + made_bytes_; }

  // Applies a mask. `contents` contains the masked contents of all messages, in the same order.
  mask_result take(const std::vector<std::string>& contents, masks_of seen);
  bool is_masked() const { return !replaced_.empty(); }
  // Returns the client's body after the masks were applied. Requires is_masked().
  std::string masked_body() const;

 private:
  enum class piece_kind : std::uint8_t {
    text,    // a JSON string in the client's body
    json,    // a JSON value other than a string, rewritten with as few escapes as possible
    plain,   // a form field, or a text that does not occur literally in the body
    notice,  // a notice that the gateway has inserted in place of data that is not text
  };
  struct piece {
    piece_kind kind = piece_kind::notice;
    std::string_view role;  // a string literal
    std::string_view what;
  };

  void read_conversation(proxy::read_conversation (*read)(const proxy::client_body&));
  void add_turn(const proxy::turn& each);
  void add_block(std::string_view role, const proxy::block& each);
  void add_text(std::string_view role, const proxy::block& each);
  void add_media(std::string_view role, const proxy::block& each);
  void add_base64(std::string_view role, const proxy::block& each);
  void take_if(std::string_view json_string, bool (*is_data)(std::string_view));
  void read_members();
  void read_member(const proxy::json_member& member, text_walk& walk);
  void add_texts(std::string_view role, std::string_view value, std::string_view name, text_walk& walk);
  void read_fields();
  void add(std::string_view role, piece_kind kind, std::string_view what);
  void add_json_in(std::string_view role, std::string_view json_string);
  void add_made(std::string_view role, std::string text);
  bool is_in_body(std::string_view what) const;

  static std::string content_of(const piece& each);
  std::string current(std::size_t index) const;
  bool may_replace(const piece& each, const std::string& with) const;

  std::shared_ptr<const proxy::client_body> body_;
  std::unique_ptr<const proxy::conversation> said_;  // the conversation; it owns some of the texts in `pieces_`
  std::vector<piece> pieces_;
  std::vector<std::string_view> taken_;  // the values in the body that `pieces_` already contains
  std::deque<std::string> made_;         // the texts that do not occur in the body; the deque keeps their addresses
                                         // valid
  std::size_t made_bytes_ = 0;
  std::map<std::size_t, std::string> replaced_;  // the masked texts; each key is the index of the original text in
                                                 // `pieces_`
};

}  // namespace photofinish::gateway
