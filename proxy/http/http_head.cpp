#include "proxy/http/http_head.hpp"

#include "proxy/json/character_set.hpp"
#include "proxy/words/parse_number.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

namespace photofinish::proxy {
namespace {

constexpr character_set digits("0123456789");
constexpr character_set token_characters(
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&'*+-.^_`|~");

// True if the text consists of printable ASCII characters, spaces, and bytes above ASCII (obs-text). Tabs are not
// allowed.
bool is_clean(std::string_view text) { return is_field_text(text) && text.find('\t') == std::string_view::npos; }

head_fault find_bad_line_end(std::string_view block) {
  for (std::size_t at = 0; at < block.size(); ++at) {
    if (block[at] == '\n') return head_fault::bare_line_feed;
    if (block[at] != '\r') continue;
    if (at + 1 == block.size() || block[at + 1] != '\n') return head_fault::bare_carriage_return;
    ++at;
  }
  return head_fault::none;
}

// Checks the head as a whole. Single lines are checked later, so that a fault of the whole head is reported first.
head_fault check_block(std::string_view block) {
  if (const head_fault fault = find_bad_line_end(block); fault != head_fault::none) return fault;
  const std::size_t end = block.find("\r\n\r\n");
  if (end == std::string_view::npos) return head_fault::unterminated;
  return end + 4 == block.size() ? head_fault::none : head_fault::bytes_behind;
}

// Removes the next line from the front. Returns nullopt if the line does not end in CR LF. A carriage return within the
// line is found later, when the line's characters are checked.
std::optional<std::string_view> take_line(std::string_view& block) {
  const std::size_t end = block.find('\n');
  if (end == std::string_view::npos || end == 0 || block[end - 1] != '\r') return std::nullopt;
  const std::string_view line = block.substr(0, end - 1);
  block.remove_prefix(end + 1);
  return line;
}

head_fault read_field(std::string_view line, std::vector<header_field>& fields) {
  if (line[0] == ' ' || line[0] == '\t') return head_fault::folded_line;
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return head_fault::missing_colon;
  const std::string_view name = line.substr(0, colon);
  if (!is_token(name)) return head_fault::bad_field_name;
  const std::string_view value = line.substr(colon + 1);
  if (!is_field_text(value)) return head_fault::bad_field_value;
  fields.emplace_back(name, trim_space(value));
  return head_fault::none;
}

head_view refused(head_fault fault) {
  head_view head;
  head.fault = fault;
  return head;
}

body_framing refused(framing_fault fault) {
  body_framing framing;
  framing.fault = fault;
  return framing;
}

head_fault read_lines(std::string_view block, const head_limits& limits, head_view& head) {
  const auto start_line = take_line(block);
  if (!start_line || start_line->empty() || !is_clean(*start_line)) return head_fault::bad_start_line;
  head.start_line = *start_line;
  while (const auto line = take_line(block)) {
    if (line->empty()) return block.empty() ? head_fault::none : head_fault::bytes_behind;
    if (head.fields.size() == limits.max_fields) return head_fault::too_many_fields;
    if (const head_fault fault = read_field(*line, head.fields); fault != head_fault::none) return fault;
  }
  return head_fault::unterminated;
}

body_framing read_length(std::string_view text) {
  const auto length = parse_number<std::int64_t>(text);
  // Checks that there are only digits, because the parser of numbers also accepts a minus sign.
  if (!length || !digits.holds_all(text)) return refused(framing_fault::bad_content_length);
  return {framing_fault::none, body_kind::length, static_cast<std::uint64_t>(*length)};
}

// The number of fields with the same name, and the value of the first one.
struct fields_of_name {
  std::size_t count = 0;
  std::string_view first;
};

fields_of_name find_all(std::span<const header_field> fields, std::string_view name) {
  fields_of_name found;
  for (const auto& [field, value] : fields)
    if (equals_ignoring_case(field, name) && ++found.count == 1) found.first = value;
  return found;
}

// Reads the body's framing from the fields. The rules here are the same for requests and for responses.
body_framing announced(std::span<const header_field> fields, http_version version, body_kind without_any) {
  const fields_of_name lengths = find_all(fields, "content-length");
  const fields_of_name encodings = find_all(fields, "transfer-encoding");
  if (lengths.count > 0 && encodings.count > 0) return refused(framing_fault::length_and_encoding);
  if (encodings.count > 0 && version == http_version::v1_0) return refused(framing_fault::encoding_on_http_1_0);
  if (encodings.count > 1) return refused(framing_fault::bad_transfer_encoding);
  if (lengths.count > 1) return refused(framing_fault::several_content_lengths);
  if (lengths.count == 1) return read_length(lengths.first);
  if (encodings.count == 0) return {framing_fault::none, without_any, 0};
  if (!equals_ignoring_case(encodings.first, "chunked"))
    return refused(framing_fault::bad_transfer_encoding);
  return {framing_fault::none, body_kind::chunked, 0};
}

// Sets 0x80 in each byte that is a capital letter. The highest bits are cleared first, so that no sum carries into the
// next byte.
std::uint64_t capitals_of(std::uint64_t letters) {
  constexpr std::uint64_t each = 0x0101010101010101;
  const std::uint64_t low_bits = letters & each * 0x7f;
  const std::uint64_t from_a = low_bits + each * (0x80 - 'A');
  const std::uint64_t behind_z = low_bits + each * (0x7f - 'Z');
  return (from_a ^ behind_z) & ~letters & each * 0x80;
}

// Compares eight letters at a time. Header names are too short for longer vector operations.
constexpr std::size_t letters_at_once = sizeof(std::uint64_t);

std::uint64_t lower_letters(const char* text) {
  std::uint64_t letters;
  std::memcpy(&letters, text, sizeof letters);
  return letters | capitals_of(letters) >> 2;  // 0x80 -> 0x20
}

}  // namespace

head_view scan_head(std::string_view block, const head_limits& limits) {
  if (block.size() > limits.max_bytes) return refused(head_fault::too_large);
  head_view head;
  head.fields.reserve(16);
  const head_fault of_a_line = read_lines(block, limits, head);
  if (of_a_line == head_fault::none) return head;
  const head_fault of_the_block = check_block(block);
  return refused(of_the_block != head_fault::none ? of_the_block : of_a_line);
}

start_line_parts split_start_line(std::string_view line) {
  start_line_parts parts;
  const std::size_t first = line.find(' ');
  parts.first = line.substr(0, first);
  if (first == std::string_view::npos) return parts;
  line.remove_prefix(first + 1);
  const std::size_t second = line.find(' ');
  parts.second = line.substr(0, second);
  if (second != std::string_view::npos) parts.third = line.substr(second + 1);
  return parts;
}

status_line read_status_line(std::string_view line) {
  const start_line_parts parts = split_start_line(line);
  status_line read;
  if (parts.first == "HTTP/1.0")
    read.version = http_version::v1_0;
  else if (parts.first != "HTTP/1.1")
    return read;
  const std::string_view status = parts.second;
  const bool is_number = status.size() == 3 && digits.holds_all(status);
  if (is_number && status[0] >= '1' && status[0] <= '5')
    std::from_chars(status.data(), status.data() + 3, read.status);
  return read;
}

body_framing request_framing(std::span<const header_field> fields, http_version version) {
  return announced(fields, version, body_kind::none);
}

body_framing response_framing(std::span<const header_field> fields, const status_line& line,
                              answers_head to_head) {
  const body_framing framing = announced(fields, line.version, body_kind::until_close);
  const bool has_no_body =
      line.status / 100 == 1 || line.status == 204 || line.status == 304 || to_head == answers_head::yes;
  if (framing && has_no_body) return {};
  return framing;
}

std::string_view to_string(head_fault fault) {
  switch (fault) {
    case head_fault::none: return "nothing wrong";
    case head_fault::too_large: return "too many header bytes";
    case head_fault::too_many_fields: return "too many header fields";
    case head_fault::unterminated: return "no empty line at the end of the header";
    case head_fault::bytes_behind: return "bytes after the end of the header";
    case head_fault::bare_line_feed: return "a bare line feed";
    case head_fault::bare_carriage_return: return "a bare carriage return";
    case head_fault::bad_start_line: return "a bad start line";
    case head_fault::folded_line: return "a folded header line";
    case head_fault::bad_field_name: return "a bad header name";
    case head_fault::missing_colon: return "a header line without a colon";
    case head_fault::bad_field_value: return "a control character in a header value";
  }
  return "a bad header";
}

std::string_view to_string(framing_fault fault) {
  switch (fault) {
    case framing_fault::none: return "nothing wrong";
    case framing_fault::bad_content_length: return "a bad Content-Length";
    case framing_fault::several_content_lengths: return "more than one Content-Length";
    case framing_fault::bad_transfer_encoding: return "a Transfer-Encoding other than chunked";
    case framing_fault::length_and_encoding: return "both Content-Length and Transfer-Encoding";
    case framing_fault::encoding_on_http_1_0: return "Transfer-Encoding on HTTP/1.0";
  }
  return "bad framing";
}

bool is_token(std::string_view text) {
  return !text.empty() && token_characters.holds_all(text);
}

bool has_same_letters(std::string_view one, std::string_view other) {
  std::size_t at = 0;
  for (; one.size() - at >= letters_at_once; at += letters_at_once)
    if (lower_letters(one.data() + at) != lower_letters(other.data() + at)) return false;
  const auto lower = [](char letter) { return letter >= 'A' && letter <= 'Z' ? letter | 0x20 : letter; };
  return std::equal(one.begin() + static_cast<std::ptrdiff_t>(at), one.end(),
                    other.begin() + static_cast<std::ptrdiff_t>(at),
                    [&](char left, char right) { return lower(left) == lower(right); });
}

std::string_view trim_space(std::string_view text) {
  const auto is_space = [](char character) { return character == ' ' || character == '\t'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::size_t count_fields(std::span<const header_field> fields, std::string_view name) {
  return static_cast<std::size_t>(
      std::count_if(fields.begin(), fields.end(),
                    [name](const header_field& field) { return equals_ignoring_case(field.first, name); }));
}

std::string_view find_field(std::span<const header_field> fields, std::string_view name) {
  for (const auto& [field, value] : fields)
    if (equals_ignoring_case(field, name)) return value;
  return {};
}

bool has_connection_option(std::span<const header_field> fields, std::string_view option) {
  for (const auto& [name, value] : fields) {
    if (!equals_ignoring_case(name, "connection")) continue;
    std::string_view list = value;
    for (std::string_view member; next_list_member(list, member);)
      if (equals_ignoring_case(member, option)) return true;
  }
  return false;
}

bool keeps_alive(std::span<const header_field> fields, http_version version) {
  if (has_connection_option(fields, "close")) return false;
  return version == http_version::v1_1 || has_connection_option(fields, "keep-alive");
}

std::string lower_case(std::string_view name) {
  std::string out(name);
  make_lower_case(out);
  return out;
}

void make_lower_case(std::span<char> name) {
  std::size_t at = 0;
  for (; name.size() - at >= letters_at_once; at += letters_at_once) {
    const std::uint64_t letters = lower_letters(name.data() + at);
    std::memcpy(name.data() + at, &letters, sizeof letters);
  }
  for (; at < name.size(); ++at)
    if (name[at] >= 'A' && name[at] <= 'Z') name[at] = static_cast<char>(name[at] | 0x20);
}

bool next_list_member(std::string_view& list, std::string_view& member) {
  if (list.data() == nullptr) return false;
  const std::size_t comma = list.find(',');
  member = trim_space(list.substr(0, comma));
  list = comma == std::string_view::npos ? std::string_view{} : list.substr(comma + 1);
  return true;
}

}  // namespace photofinish::proxy
