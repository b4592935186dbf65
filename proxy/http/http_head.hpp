// Parses the raw head of an HTTP/1.x request or response, and determines what kind of body follows it. The parser is
// strict: it rejects every head that two parsers could read in two ways (RFC 9112, sections 2.2, 5 and 6). Attackers
// smuggle requests and answers through such heads. [pure]
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::proxy {

using header_field = std::pair<std::string_view, std::string_view>;  // the name as received, and the value without
                                                                     // surrounding white space

struct head_limits {
  std::size_t max_bytes = 64u << 10;  // the maximum size of a head
  std::size_t max_fields = 128;
};

enum class head_fault {
  none,
  too_large,
  too_many_fields,
  unterminated,  // the head does not end in an empty line
  bytes_behind,  // further bytes follow the empty line at the end of the head
  bare_line_feed,
  bare_carriage_return,
  bad_start_line,  // the start line is empty or contains a control character
  folded_line,     // a line begins with white space (obs-fold)
  bad_field_name,  // the name is empty, not a token, or followed by white space
  missing_colon,
  bad_field_value,  // the value contains a control character other than a tab
};
std::string_view to_string(head_fault fault);  // returns a text such as "a bare line feed"

// The parts of a head. The views are valid as long as the scanned bytes.
struct head_view {
  head_fault fault = head_fault::none;  // first fault found; if there is any, the other members are meaningless
  std::string_view start_line;
  std::vector<header_field> fields;

  explicit operator bool() const { return fault == head_fault::none; }
};

// Scans a head. `block` contains the start line, the fields, and the empty line after them.
head_view scan_head(std::string_view block, const head_limits& limits = {});

// The three parts of a request line or a status line. The parts are separated by single spaces, but a reason phrase may
// itself contain spaces. A missing part is empty. The caller checks whether the parts are valid.
struct start_line_parts {
  std::string_view first;
  std::string_view second;
  std::string_view third;
};
start_line_parts split_start_line(std::string_view line);

enum class http_version { v1_0, v1_1 };

// The parts of a status line such as "HTTP/1.1 200 OK". The status is 0 if the line is invalid or if the version is
// neither 1.0 nor 1.1.
struct status_line {
  http_version version = http_version::v1_1;
  int status = 0;
};
status_line read_status_line(std::string_view line);

enum class body_kind { none, length, chunked, until_close };

enum class framing_fault {
  none,
  bad_content_length,       // Content-Length is not a plain decimal number, or is too large
  several_content_lengths,  // several Content-Length values, even if they are equal
  bad_transfer_encoding,    // the Transfer-Encoding is not a single field with the value "chunked"
  length_and_encoding,      // both Content-Length and Transfer-Encoding are present
  encoding_on_http_1_0,
};
std::string_view to_string(framing_fault fault);  // returns a text such as "both Content-Length and Transfer-Encoding"

struct body_framing {
  // The first fault found. If there is any fault, the connection can no longer be trusted.
  framing_fault fault = framing_fault::none;
  body_kind kind = body_kind::none;
  std::uint64_t length = 0;  // the length is set if the kind is body_kind::length

  explicit operator bool() const { return fault == framing_fault::none; }
};

body_framing request_framing(std::span<const header_field> fields, http_version version);

enum class answers_head { no, yes };  // `yes` means that the response answers a HEAD request
body_framing response_framing(std::span<const header_field> fields, const status_line& line,
                              answers_head to_head = answers_head::no);

bool is_token(std::string_view text);                                 // RFC 9110, section 5.6.2
// True if the texts are equal except for upper and lower case in ASCII. The texts must have the same size.
bool has_same_letters(std::string_view one, std::string_view other);
// Compares two names and ignores upper and lower case in ASCII. Most names that are compared differ in size. Therefore
// this inline function compares the sizes first.
inline bool equals_ignoring_case(std::string_view one, std::string_view other) {
  return one.size() == other.size() && has_same_letters(one, other);
}
std::string_view trim_space(std::string_view text);  // removes spaces and tabs at both ends
std::size_t count_fields(std::span<const header_field> fields, std::string_view name);
std::string_view find_field(std::span<const header_field> fields,
                            std::string_view name);  // returns the first field's value, or an empty view

// True if a Connection header contains the option.
bool has_connection_option(std::span<const header_field> fields, std::string_view option);

// True if the sender keeps the connection open. HTTP/1.1 keeps connections open by default, and HTTP/1.0 closes them.
bool keeps_alive(std::span<const header_field> fields, http_version version);

// Converts ASCII letters to lower case and leaves other bytes unchanged.
std::string lower_case(std::string_view name);
void make_lower_case(std::span<char> name);

// Removes the next element from the front of a comma-separated list and trims it. Returns false at the end of the list.
// Empty elements are also returned.
bool next_list_member(std::string_view& list, std::string_view& member);

}  // namespace photofinish::proxy
