// The texts of a request that guardrails judge, in their order. Each text is a separate message, so that a mask can be
// assigned to its place. [pure] The texts of the conversation come first, then every text that no reader has taken.
// api_words.hpp defines which words are left out. Texts are not copied: they are spans of the client's body, and the
// service receives them unchanged.
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

// The texts that a masking guardrail saw: the client's own texts, or the texts with the earlier masks.
enum class masks_of : std::uint8_t { original, current };

enum class mask_result : std::uint8_t {
  unchanged,  // the mask equals the text that it replaces
  taken,
  conflict,  // another guardrail has changed one of these texts; ask again with the current texts
  // The mask changes a text that cannot be replaced, or it has another number of messages. No part of it is applied.
  impossible,
};

class judged_text {
 public:
  // Reads a valid request. It takes time in proportion to the body.
  explicit judged_text(const parsed_request& asked);
  judged_text(judged_text&&) = default;

  // Returns {"body":{"messages":[{"role":…,"content":…}]}}, with the masks that were applied.
  std::string request_json() const;

  std::size_t messages() const { return pieces_.size(); }
  std::size_t held_bytes() const { return pieces_.capacity() * sizeof(piece) + made_bytes_; }

  // Applies a mask. `contents` are the contents of all messages, in their order.
  mask_result take(const std::vector<std::string>& contents, masks_of seen);
  bool is_masked() const { return !replaced_.empty(); }
  // Returns the client's body with the masks in it. Requires is_masked().
  std::string masked_body() const;

 private:
  enum class piece_kind : std::uint8_t {
    text,    // a JSON string in the client's body
    json,    // another JSON value, shown as JSON with the fewest escapes
    plain,   // a form's field, or a text that the body does not contain literally
    notice,  // this gateway's words in place of something that is not a text
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
  std::unique_ptr<const proxy::conversation> said_;  // the conversation, which owns some of the texts in `pieces_`
  std::vector<piece> pieces_;
  std::vector<std::string_view> taken_;  // values of the body that pieces or notices represent
  std::deque<std::string> made_;         // the texts that are not in the body; a deque keeps their addresses
  std::size_t made_bytes_ = 0;
  std::map<std::size_t, std::string> replaced_;  // the replacements, by the index of their piece
};

}  // namespace photofinish::gateway
