#include "proxy/dialects/sse_parser.hpp"

#include "proxy/json/json_text.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

namespace photofinish::proxy {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

// The amount of memory that is kept for the next event, in bytes. If an event needs more memory, all of its memory is
// freed afterwards.
constexpr std::size_t kept_room = 64u << 10;

// The maximum size of an error that a server sends outside any field, in bytes. A longer error is truncated, which
// makes its JSON invalid.
constexpr std::size_t most_bare_json = 8u << 10;

bool begins_json(std::string_view line) { return line.starts_with('{') || line.starts_with('['); }

void give_room_back(std::string& text) {
  if (text.capacity() <= kept_room) return;
  text.clear();
  text.shrink_to_fit();
}

const char* find_byte(const char* from, const char* end, char byte) {
  if (from == end) return end;
  const void* found = std::memchr(from, byte, static_cast<std::size_t>(end - from));
  return found == nullptr ? end : static_cast<const char*>(found);
}

// Appends bytes to a string. The string's capacity grows quickly, so that a long event is rarely copied. Unused
// capacity does not take physical memory.
void append_padded(std::string& to, std::string_view bytes) {
  const std::size_t wanted = to.size() + bytes.size() + readable_behind;
  const std::size_t growth = to.capacity() < kept_room ? 2 : 8;
  if (to.capacity() < wanted) to.reserve(std::max(wanted, growth * to.capacity()));
  to.append(bytes);
}

struct sse_field {
  std::string_view name;
  std::string_view value;
};

sse_field split_field(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return {line, {}};
  std::string_view value = line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  return {line.substr(0, colon), value};
}

}  // namespace

void sse_parser::feed(std::string_view bytes) {
  assert(at_ == end_ || is_oversized_);
  if (unread_) unread_.reset();
  borrow(bytes);
}

void sse_parser::borrow(std::string_view bytes) {
  at_ = bytes.data();
  end_ = at_ + bytes.size();
  next_lf_ = find_byte(at_, end_, '\n');
  next_cr_ = find_byte(at_, end_, '\r');
}

std::size_t sse_parser::keep_unread() {
  if (is_given_) begin_event();
  if (has_data_) own_data();
  if (!has_unread() || unread_) return static_cast<std::size_t>(end_ - at_);
  unread_ = std::make_unique<std::string>();
  unread_->reserve(static_cast<std::size_t>(end_ - at_) + readable_behind);
  unread_->assign(at_, end_);
  borrow(*unread_);
  return unread_->size();
}

std::optional<sse_event> sse_parser::next() {
  if (is_given_) begin_event();
  while (auto line = take_line()) {
    if (!line->empty()) {
      take_field(*line);
    } else if (has_data_) {
      is_given_ = true;
      return sse_event{type_, data_, !is_joined_};
    } else {
      begin_event();
    }
  }
  keep_unfinished();
  return std::nullopt;
}

std::string_view sse_parser::unfinished_data() const {
  if (is_given_) return {};
  if (has_data_ || !has_partial_line_) return data_;
  const sse_field field = split_field(partial_line_);
  return field.name == "data" ? field.value : std::string_view{};
}

void sse_parser::begin_event() {
  is_given_ = has_data_ = is_joined_ = owns_data_ = false;
  type_.clear();
  data_ = {};
  give_room_back(joined_);
  if (!has_partial_line_) give_room_back(partial_line_);
}

std::optional<std::string_view> sse_parser::take_line() {
  if (is_oversized_ || at_ == end_) return std::nullopt;
  if (is_after_cr_ && *at_ == '\n') ++at_;
  is_after_cr_ = false;
  if (next_lf_ < at_) next_lf_ = find_byte(at_, end_, '\n');
  if (next_cr_ < at_) next_cr_ = find_byte(at_, end_, '\r');
  const char* line_end = std::min(next_lf_, next_cr_);
  if (line_end == end_) return std::nullopt;

  std::string_view line = whole_line({at_, static_cast<std::size_t>(line_end - at_)});
  is_after_cr_ = *line_end == '\r';
  at_ = line_end + 1;
  is_oversized_ = data_.size() + line.size() > max_event_bytes_;
  if (is_oversized_) return std::nullopt;
  if (std::exchange(is_first_line_, false) && line.starts_with(byte_order_mark))
    line.remove_prefix(byte_order_mark.size());
  return line;
}

// Returns the complete line that ends with `end_of_line`. If an earlier call of feed() contained the beginning of the
// line, joins both pieces.
std::string_view sse_parser::whole_line(std::string_view end_of_line) {
  if (!has_partial_line_) return end_of_line;
  append_padded(partial_line_, end_of_line);
  has_partial_line_ = false;
  return partial_line_;
}

void sse_parser::take_field(std::string_view line) {
  const sse_field field = split_field(line);  // a line with an empty field name is a comment
  if (field.name == "data") {
    add_data(field.value);
  } else if (field.name == "event") {
    type_ = field.value;
  } else if (field.name == "error") {
    type_ = field.name;
    add_data(field.value);
  } else if (!field.name.empty()) {
    note_bare(line);
  }
}

void sse_parser::note_bare(std::string_view line) {
  if (bare_json_.empty() && !begins_json(line)) return;
  bare_json_.append(line.substr(0, most_bare_json - bare_json_.size()));
}

std::string sse_parser::bare_json() const {
  const bool goes_on = has_partial_line_ && (!bare_json_.empty() || begins_json(partial_line_));
  return goes_on ? bare_json_ + partial_line_.substr(0, most_bare_json - bare_json_.size()) : bare_json_;
}

void sse_parser::add_data(std::string_view value) {
  if (!has_data_) {
    has_data_ = true;
    data_ = value;
    return;
  }
  is_joined_ = true;
  own_data();
  append_padded(joined_, "\n");
  append_padded(joined_, value);
  data_ = joined_;
}

void sse_parser::own_data() {
  if (owns_data_) return;
  joined_.clear();
  append_padded(joined_, data_);
  data_ = joined_;
  owns_data_ = true;
}

// Copies the unfinished line and data, because the caller is about to overwrite the bytes that it passed to feed().
void sse_parser::keep_unfinished() {
  if (has_data_) own_data();
  if (at_ == end_ || is_oversized_) return;
  if (!has_partial_line_) partial_line_.clear();
  append_padded(partial_line_, {at_, static_cast<std::size_t>(end_ - at_)});
  has_partial_line_ = true;
  at_ = end_;
  is_oversized_ = data_.size() + partial_line_.size() > max_event_bytes_;
}

}  // namespace photofinish::proxy
