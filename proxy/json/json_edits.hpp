// A sorted list of edits on one JSON text, which returns the edited text in pieces. [pure]
// Nothing is serialized again: unedited text is sent from its original place. Commas are added and removed
// automatically.
#pragma once

#include "proxy/json/json_text.hpp"

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

// The text is valid JSON and outlives the edits, and inserted text is copied. Spans that are passed to an edit are
// spans of the text. Edits may come in any order but must not overlap.
class json_edits {
 public:
  json_edits() = default;
  explicit json_edits(std::string_view text) : text_(text) {}
  json_edits(json_edits&&) = default;
  json_edits& operator=(json_edits&&) = default;
  json_edits(const json_edits&) = delete;
  json_edits& operator=(const json_edits&) = delete;

  void reset(std::string_view text);  // drops every edit and keeps the storage

  void replace(std::string_view part, std::string_view with);
  void remove(std::string_view part) { replace(part, {}); }
  void insert(std::size_t offset, std::string_view what);

  // `member` is `"key":value`. It becomes the object's first member.
  void insert_member(std::string_view object, std::string_view member);
  void remove_member(const json_member& member);

  bool empty() const { return edits_.empty(); }
  std::size_t offset_of(const char* place) const { return static_cast<std::size_t>(place - text_.data()); }

  // Returns the edited text. The pieces live until this object is changed or asked again. It may be moved.
  std::span<const std::string_view> pieces();
  std::string text();  // all pieces joined

 private:
  enum class edit_kind { replace, insert_member, remove_member };
  struct edit {
    edit_kind kind;
    std::size_t from, to;             // offsets in the text
    std::size_t put_from, put_bytes;  // offsets in put_
  };

  void add(edit_kind kind, std::size_t from, std::size_t to, std::string_view put);
  void take_commas_of_last_members();
  bool is_last_member_inserted(std::size_t position) const;
  void add_piece(std::string_view piece);

  std::string_view text_;
  std::vector<edit> edits_;  // in the order of the text
  std::vector<char> put_;    // not a std::string, because moving a short string moves its bytes
  std::vector<std::string_view> pieces_;
};

}  // namespace photofinish::proxy
