// A sorted list of edits to one JSON text, which returns the edited text in pieces. [pure] Unedited pieces are spans of
// the original text, so nothing is serialized again. Commas are added and removed automatically.
#pragma once

#include "proxy/json/json_text.hpp"

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

// The edited text must be valid JSON and outlive this object. Inserted text is copied. Each edited member or value must
// be a span of the edited text. Edits may come in any order but must not overlap.
class json_edits {
 public:
  json_edits() = default;
  explicit json_edits(std::string_view text) : text_(text) {}
  json_edits(json_edits&&) = default;
  json_edits& operator=(json_edits&&) = default;
  json_edits(const json_edits&) = delete;
  json_edits& operator=(const json_edits&) = delete;

  void reset(std::string_view text);  // removes all edits, but does not free their memory

  void replace(std::string_view part, std::string_view with);
  void remove(std::string_view part) { replace(part, {}); }
  void insert(std::size_t offset, std::string_view what);

  // Inserts `member`, a text such as `"key":value`, as the object's first member.
  void insert_member(std::string_view object, std::string_view member);
  void remove_member(const json_member& member);

  bool empty() const { return edits_.empty(); }
  std::size_t offset_of(const char* place) const { return static_cast<std::size_t>(place - text_.data()); }

  // Returns the edited text in pieces. The pieces stay valid until the next edit or the next call of this function,
  // even if this object is moved.
  std::span<const std::string_view> pieces();
  std::string text();  // returns all pieces, joined into one text

 private:
  enum class edit_kind { replace, insert_member, remove_member };
  struct edit {
    edit_kind kind;
    std::size_t from, to;             // the offsets of the replaced span in the text
    std::size_t put_from, put_bytes;  // the offset and size of the inserted text in the buffer of all inserted texts
  };

  void add(edit_kind kind, std::size_t from, std::size_t to, std::string_view put);
  void take_commas_of_last_members();
  bool is_last_member_inserted(std::size_t position) const;
  void add_piece(std::string_view piece);

  std::string_view text_;
  std::vector<edit> edits_;  // the edits, sorted by their offsets in the text
  // The inserted texts; not a std::string, because moving a short string would change the address of its bytes.
  std::vector<char> put_;
  std::vector<std::string_view> pieces_;
};

}  // namespace photofinish::proxy
