#include "proxy/http_head.hpp"

#include "proxy/character_set.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

namespace photofinish::proxy {
namespace {

constexpr std::string_view line_end = "\r\n";

constexpr character_set token_characters(
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&'*+-.^_`|~");

// Letters, bytes above ASCII (obs-text) and space; a tab only where the grammar has one.
bool is_clean(std::string_view text) { return is_field_text(text) && text.find('\t') == std::string_view::npos; }

// Every line feed has its carriage return, and there are no more of these: the usual case, found out quickly.
bool has_good_line_ends(std::string_view block) {
  std::ptrdiff_t pairs = 0;
  for (std::size_t at = block.find('\n'); at != std::string_view::npos; at = block.find('\n', at + 1), ++pairs)
    if (at == 0 || block[at - 1] != '\r') return false;
  return std::count(block.begin(), block.end(), '\r') == pairs;
}

head_fault find_bad_line_end(std::string_view block) {
  for (std::size_t at = 0; at < block.size(); ++at) {
    if (block[at] == '\n') return head_fault::bare_line_feed;
    if (block[at] != '\r') continue;
    if (at + 1 == block.size() || block[at + 1] != '\n') return head_fault::bare_carriage_return;
    ++at;
  }
  return head_fault::none;
}

head_fault check_block(std::string_view block, const head_limits& limits) {
  if (block.size() > limits.max_bytes) return head_fault::too_large;
  if (!has_good_line_ends(block)) return find_bad_line_end(block);
  const std::size_t end = block.find("\r\n\r\n");
  if (end == std::string_view::npos) return head_fault::unterminated;
  return end + 4 == block.size() ? head_fault::none : head_fault::bytes_behind;
}

// Takes the next line off the front; the block is known to have only whole ones.
std::string_view take_line(std::string_view& block) {
  const std::size_t end = block.find(line_end);
  const std::string_view line = block.substr(0, end);
  block.remove_prefix(end + line_end.size());
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

body_framing read_length(std::string_view text) {
  std::int64_t length = 0;
  const char* end = text.data() + text.size();
  // from_chars would take a minus.
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos)
    return refused(framing_fault::bad_content_length);
  if (std::from_chars(text.data(), end, length).ec != std::errc{})
    return refused(framing_fault::bad_content_length);
  return {framing_fault::none, body_kind::length, static_cast<std::uint64_t>(length)};
}

// What the fields say, before the rules of requests and responses part.
body_framing announced(std::span<const header_field> fields, http_version version, body_kind without_any) {
  const std::size_t lengths = count_fields(fields, "content-length");
  const std::size_t encodings = count_fields(fields, "transfer-encoding");
  if (lengths > 0 && encodings > 0) return refused(framing_fault::length_and_encoding);
  if (encodings > 0 && version == http_version::v1_0) return refused(framing_fault::encoding_on_http_1_0);
  if (encodings > 1) return refused(framing_fault::bad_transfer_encoding);
  if (lengths > 1) return refused(framing_fault::several_content_lengths);
  if (lengths == 1) return read_length(find_field(fields, "content-length"));
  if (encodings == 0) return {framing_fault::none, without_any, 0};
  if (!equals_ignoring_case(find_field(fields, "transfer-encoding"), "chunked"))
    return refused(framing_fault::bad_transfer_encoding);
  return {framing_fault::none, body_kind::chunked, 0};
}

}  // namespace

head_view scan_head(std::string_view block, const head_limits& limits) {
  if (const head_fault fault = check_block(block, limits); fault != head_fault::none) return refused(fault);
  head_view head;
  head.fields.reserve(16);
  head.start_line = take_line(block);
  if (head.start_line.empty() || !is_clean(head.start_line)) return refused(head_fault::bad_start_line);
  for (std::string_view line = take_line(block); !line.empty(); line = take_line(block)) {
    if (head.fields.size() == limits.max_fields) return refused(head_fault::too_many_fields);
    if (const head_fault fault = read_field(line, head.fields); fault != head_fault::none)
      return refused(fault);
  }
  return head;
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
  const std::string_view digits = parts.second;
  const bool is_number =
      digits.size() == 3 && digits.find_first_not_of("0123456789") == std::string_view::npos;
  if (is_number && digits[0] >= '1' && digits[0] <= '5')
    std::from_chars(digits.data(), digits.data() + 3, read.status);
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
    case head_fault::bytes_behind: return "bytes behind the end of the header";
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

bool equals_ignoring_case(std::string_view one, std::string_view other) {
  const auto lower = [](char letter) { return letter >= 'A' && letter <= 'Z' ? letter | 0x20 : letter; };
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
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
  for (char& letter : out)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter | 0x20);
  return out;
}

bool next_list_member(std::string_view& list, std::string_view& member) {
  if (list.data() == nullptr) return false;
  const std::size_t comma = list.find(',');
  member = trim_space(list.substr(0, comma));
  list = comma == std::string_view::npos ? std::string_view{} : list.substr(comma + 1);
  return true;
}

}  // namespace photofinish::proxy
