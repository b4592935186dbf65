// One raw HTTP/1.x head, scanned strictly, and the body that it announces: for requests and responses. [pure]
// Refuses whatever two parsers could read in two ways (RFC 9112, sections 2.2, 5 and 6): that is how requests
// and answers are smuggled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::proxy {

using header_field = std::pair<std::string_view, std::string_view>;  // name as it came, value without OWS

struct head_limits {
  std::size_t max_bytes = 64u << 10;  // of the whole block
  std::size_t max_fields = 128;
};

enum class head_fault {
  none,
  too_large,
  too_many_fields,
  unterminated,  // does not end in an empty line
  bytes_behind,  // goes on behind the empty line
  bare_line_feed,
  bare_carriage_return,
  bad_start_line,  // empty, or holds a control character
  folded_line,     // a line that starts with white space: obs-fold
  bad_field_name,  // empty, no token, or followed by white space
  missing_colon,
  bad_field_value,  // holds a control character other than a tab
};
std::string_view to_string(head_fault fault);  // "a bare line feed"

// The views live as long as the scanned bytes.
struct head_view {
  head_fault fault = head_fault::none;  // otherwise nothing else counts
  std::string_view start_line;
  std::vector<header_field> fields;

  explicit operator bool() const { return fault == head_fault::none; }
};

// `block` is everything from the start line up to and including the empty line.
head_view scan_head(std::string_view block, const head_limits& limits = {});

// The three parts of a request line, or of a status line, as they stand between single spaces; a missing part
// is empty, and a reason phrase may hold spaces. Whether they make sense is the caller's to ask.
struct start_line_parts {
  std::string_view first;
  std::string_view second;
  std::string_view third;
};
start_line_parts split_start_line(std::string_view line);

enum class http_version { v1_0, v1_1 };

// "HTTP/1.1 200 OK"; the status is 0 when the line is none, or of another version than 1.0 and 1.1.
struct status_line {
  http_version version = http_version::v1_1;
  int status = 0;
};
status_line read_status_line(std::string_view line);

enum class body_kind { none, length, chunked, until_close };

enum class framing_fault {
  none,
  bad_content_length,       // no plain decimal number, or too large a one
  several_content_lengths,  // even when they agree
  bad_transfer_encoding,    // anything but one field that says "chunked"
  length_and_encoding,      // both fields
  encoding_on_http_1_0,
};
std::string_view to_string(framing_fault fault);  // "both Content-Length and Transfer-Encoding"

struct body_framing {
  framing_fault fault = framing_fault::none;  // otherwise the connection cannot be trusted any further
  body_kind kind = body_kind::none;
  std::uint64_t length = 0;  // with body_kind::length

  explicit operator bool() const { return fault == framing_fault::none; }
};

body_framing request_framing(std::span<const header_field> fields, http_version version);

enum class answers_head { no, yes };  // whether the response is one to a HEAD request
body_framing response_framing(std::span<const header_field> fields, const status_line& line,
                              answers_head to_head = answers_head::no);

bool is_token(std::string_view text);                                 // RFC 9110, section 5.6.2
bool has_same_letters(std::string_view one, std::string_view other);  // of the same size; ASCII letters of either case
// Most names that are compared differ in their sizes, which is seen without a call.
inline bool equals_ignoring_case(std::string_view one, std::string_view other) {
  return one.size() == other.size() && has_same_letters(one, other);
}
std::string_view trim_space(std::string_view text);  // spaces and tabs at both ends
std::size_t count_fields(std::span<const header_field> fields, std::string_view name);
std::string_view find_field(std::span<const header_field> fields,
                            std::string_view name);  // the first, or empty

// Whether the `connection` fields name that option.
bool has_connection_option(std::span<const header_field> fields, std::string_view option);

// How the sender means the connection to go on: HTTP/1.1 keeps it by default, HTTP/1.0 closes it.
bool keeps_alive(std::span<const header_field> fields, http_version version);

// ASCII letters.
std::string lower_case(std::string_view name);
void make_lower_case(std::span<char> name);

// Takes the next member off the front of a comma-separated list, trimmed; false at the list's end. Empty
// members are given too.
bool next_list_member(std::string_view& list, std::string_view& member);

}  // namespace photofinish::proxy
