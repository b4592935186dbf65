#include "proxy/json/json_edits.hpp"

#include <algorithm>
#include <tuple>

namespace photofinish::proxy {
namespace {

// The usual number of edits to a client's body for one provider. Memory for this number of edits is reserved before the
// first edit.
constexpr std::size_t usual_edits = 8;
constexpr std::size_t usual_put_bytes = 256;

std::size_t skip_space(std::string_view text, std::size_t at) {
  while (at < text.size() && is_json_space(text[at])) ++at;
  return at;
}

std::size_t skip_space_back(std::string_view text, std::size_t at) {
  while (at > 0 && is_json_space(text[at - 1])) --at;
  return at;
}

}  // namespace

void json_edits::reset(std::string_view text) {
  text_ = text;
  edits_.clear();
  edits_.reserve(usual_edits);
  put_.clear();
  put_.reserve(usual_put_bytes);
}

void json_edits::replace(std::string_view part, std::string_view with) {
  const std::size_t from = offset_of(part.data());
  add(edit_kind::replace, from, from + part.size(), with);
}

void json_edits::insert(std::size_t offset, std::string_view what) {
  add(edit_kind::replace, offset, offset, what);
}

void json_edits::insert_member(std::string_view object, std::string_view member) {
  const std::size_t offset = skip_space(text_, offset_of(object.data())) + 1;
  add(edit_kind::insert_member, offset, offset, member);
}

// Removes a member and the comma after it. If the member is the last member of its object, there is no comma after it.
// In that case, take_commas_of_last_members() later removes the comma before the member.
void json_edits::remove_member(const json_member& member) {
  const std::size_t from = offset_of(member.whole.data());
  std::size_t to = skip_space(text_, from + member.whole.size());
  if (to < text_.size() && text_[to] == ',') to = skip_space(text_, to + 1);
  add(edit_kind::remove_member, from, to, {});
}

void json_edits::add(edit_kind kind, std::size_t from, std::size_t to, std::string_view put) {
  const edit added{kind, from, to, put_.size(), put.size()};
  put_.insert(put_.end(), put.begin(), put.end());
  // Edits at the same offset keep the order in which they were added, but insertions come before removals.
  const auto later = std::upper_bound(edits_.begin(), edits_.end(), added, [](const edit& a, const edit& b) {
    return std::tie(a.from, a.to) < std::tie(b.from, b.to);
  });
  edits_.insert(later, added);
}

// If the last members of an object are removed, the comma before the first of them is also removed.
void json_edits::take_commas_of_last_members() {
  for (std::size_t last = 0; last < edits_.size(); ++last) {
    if (edits_[last].kind != edit_kind::remove_member) continue;
    if (edits_[last].to < text_.size() && text_[edits_[last].to] != '}') continue;
    std::size_t first = last;
    while (first > 0 && edits_[first - 1].kind == edit_kind::remove_member &&
           edits_[first - 1].to == edits_[first].from)
      --first;
    const std::size_t before = skip_space_back(text_, edits_[first].from);
    if (before > 0 && text_[before - 1] == ',') edits_[first].from = before - 1;
  }
}

// True if an inserted member is the last member of its object, or if only removed members follow it.
bool json_edits::is_last_member_inserted(std::size_t position) const {
  std::size_t at = skip_space(text_, edits_[position].from);
  for (++position; position < edits_.size(); ++position) {
    if (edits_[position].kind != edit_kind::remove_member || edits_[position].from > at) break;
    at = skip_space(text_, edits_[position].to);
  }
  return at < text_.size() && text_[at] == '}';
}

void json_edits::add_piece(std::string_view piece) {
  if (!piece.empty()) pieces_.push_back(piece);
}

std::span<const std::string_view> json_edits::pieces() {
  pieces_.clear();
  pieces_.reserve(2 * edits_.size() + 2);
  take_commas_of_last_members();
  std::size_t at = 0;
  for (std::size_t position = 0; position < edits_.size(); ++position) {
    const edit& change = edits_[position];
    if (change.from > at) add_piece(text_.substr(at, change.from - at));
    add_piece({put_.data() + change.put_from, change.put_bytes});
    if (change.kind == edit_kind::insert_member) {
      const bool is_next_inserted = position + 1 < edits_.size() &&
                                    edits_[position + 1].kind == edit_kind::insert_member &&
                                    edits_[position + 1].from == change.from;
      if (is_next_inserted || !is_last_member_inserted(position)) add_piece(",");
    }
    at = std::max(at, change.to);
  }
  add_piece(text_.substr(at));
  return pieces_;
}

std::string json_edits::text() {
  std::string text;
  for (const std::string_view piece : pieces()) text += piece;
  return text;
}

}  // namespace photofinish::proxy
