#include "proxy/http/http_head.hpp"
#include "proxy/json/character_set.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

namespace photofinish::proxy {
namespace {

using std::string_literals::operator""s;
const auto name_of = [](const auto& info) { return info.param.name; };

TEST(ScanHead, GivesTheStartLineAndTheFieldsInOrder) {
  const head_view head = scan_head("GET / HTTP/1.1\r\nHost: a\r\nX-Empty:\r\nx-tab:\t b\tc \t\r\n\r\n");
  ASSERT_TRUE(head) << to_string(head.fault);
  EXPECT_EQ(head.start_line, "GET / HTTP/1.1");
  const std::vector<header_field> expected{{"Host", "a"}, {"X-Empty", ""}, {"x-tab", "b\tc"}};
  EXPECT_EQ(head.fields, expected);
}

TEST(ScanHead, TakesAHeadWithoutFields) {
  const head_view head = scan_head("HTTP/1.1 200 \r\n\r\n");
  ASSERT_TRUE(head);
  EXPECT_TRUE(head.fields.empty());
}

TEST(ScanHead, LetsBytesAboveAsciiPassInValues) {
  EXPECT_TRUE(scan_head("X\r\na: caf\xc3\xa9 \xff\r\n\r\n"));
}

struct fault_case {
  std::string name;
  std::string block;
  head_fault fault;
};
void PrintTo(const fault_case& one, std::ostream* out) { *out << one.name; }

class ScanHeadRefuses : public testing::TestWithParam<fault_case> {};

TEST_P(ScanHeadRefuses, Hostile) {
  EXPECT_EQ(to_string(scan_head(GetParam().block).fault), to_string(GetParam().fault));
}

using enum head_fault;

INSTANTIATE_TEST_SUITE_P(
    Corpus, ScanHeadRefuses,
    testing::Values(
        fault_case{"nothing", "", unterminated}, fault_case{"empty_line_alone", "\r\n", unterminated},
        fault_case{"empty_start_line", "\r\n\r\n", bad_start_line},
        fault_case{"leading_empty_line", "\r\nGET / HTTP/1.1\r\n\r\n", bad_start_line},
        fault_case{"no_empty_line", "GET / HTTP/1.1\r\nHost: a\r\n", unterminated},
        fault_case{"bytes_behind", "GET / HTTP/1.1\r\n\r\nx", bytes_behind},
        fault_case{"second_head_behind", "GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n", bytes_behind},
        fault_case{"bare_lf_everywhere", "GET / HTTP/1.1\nHost: a\n\n", bare_line_feed},
        fault_case{"bare_lf_in_value", "GET / HTTP/1.1\r\na: b\nEvil: c\r\n\r\n", bare_line_feed},
        fault_case{"bare_lf_at_the_end", "GET / HTTP/1.1\r\na: b\r\n\n", bare_line_feed},
        fault_case{"lf_cr", "GET / HTTP/1.1\n\r\n\r", bare_line_feed},
        fault_case{"bare_cr_in_value", "GET / HTTP/1.1\r\na: b\rEvil: c\r\n\r\n", bare_carriage_return},
        fault_case{"two_cr", "GET / HTTP/1.1\r\r\n\r\n", bare_carriage_return},
        fault_case{"cr_at_the_end", "GET / HTTP/1.1\r\n\r\n\r", bare_carriage_return},
        fault_case{"bare_cr_in_start_line", "GET /\rx HTTP/1.1\r\n\r\n", bare_carriage_return},
        fault_case{"nul_in_start_line", "GET /\0 HTTP/1.1\r\n\r\n"s, bad_start_line},
        fault_case{"tab_in_start_line", "GET\t/ HTTP/1.1\r\n\r\n", bad_start_line},
        fault_case{"nul_in_value", "GET / HTTP/1.1\r\na: b\0c\r\n\r\n"s, bad_field_value},
        fault_case{"escape_in_value", "GET / HTTP/1.1\r\na: \x1b[0m\r\n\r\n", bad_field_value},
        fault_case{"vertical_tab_before_value",
                   "GET / HTTP/1.1\r\nTransfer-Encoding:\x0b"
                   "chunked\r\n\r\n",
                   bad_field_value},
        fault_case{"delete_in_value", "GET / HTTP/1.1\r\na: \x7f\r\n\r\n", bad_field_value},
        fault_case{"fold_with_space", "GET / HTTP/1.1\r\na: b\r\n c\r\n\r\n", folded_line},
        fault_case{"fold_with_tab", "GET / HTTP/1.1\r\na: b\r\n\tc\r\n\r\n", folded_line},
        fault_case{"space_before_first_field", "GET / HTTP/1.1\r\n Host: a\r\n\r\n", folded_line},
        fault_case{"line_of_white_space", "GET / HTTP/1.1\r\n \r\n\r\n", folded_line},
        fault_case{"space_before_colon", "GET / HTTP/1.1\r\nTransfer-Encoding : chunked\r\n\r\n",
                   bad_field_name},
        fault_case{"tab_before_colon", "GET / HTTP/1.1\r\nContent-Length\t: 5\r\n\r\n", bad_field_name},
        fault_case{"empty_name", "GET / HTTP/1.1\r\n: b\r\n\r\n", bad_field_name},
        fault_case{"space_in_name", "GET / HTTP/1.1\r\na b: c\r\n\r\n", bad_field_name},
        fault_case{"bracket_in_name", "GET / HTTP/1.1\r\na[]: c\r\n\r\n", bad_field_name},
        fault_case{"nul_in_name", "GET / HTTP/1.1\r\nHo\0st: c\r\n\r\n"s, bad_field_name},
        fault_case{"high_byte_in_name", "GET / HTTP/1.1\r\nH\xc3\xb6st: c\r\n\r\n", bad_field_name},
        fault_case{"no_colon", "GET / HTTP/1.1\r\nHost\r\n\r\n", missing_colon}),
    name_of);

TEST(ScanHead, RefusesMoreFieldsThanAllowed) {
  std::string block = "GET / HTTP/1.1\r\n";
  for (int count = 0; count < 128; ++count) block += "a: b\r\n";
  EXPECT_TRUE(scan_head(block + "\r\n"));
  EXPECT_EQ(scan_head(block + "a: b\r\n\r\n").fault, too_many_fields);
  const head_limits two{.max_bytes = 1000, .max_fields = 2};
  EXPECT_EQ(scan_head("X\r\na:\r\nb:\r\nc:\r\n\r\n", two).fault, too_many_fields);
}

TEST(ScanHead, RefusesMoreBytesThanAllowed) {
  const std::string block = "GET / HTTP/1.1\r\n\r\n";
  const head_limits exact{.max_bytes = block.size(), .max_fields = 1};
  const head_limits tight{.max_bytes = block.size() - 1, .max_fields = 1};
  EXPECT_TRUE(scan_head(block, exact));
  EXPECT_EQ(scan_head(block, tight).fault, too_large);
}

TEST(ScanHead, NeverReadsBeyondAnyPrefix) {
  const std::string whole = "GET / HTTP/1.1\r\nHost: a\r\nAccept: */*\r\n\r\n";
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::vector<char> exact(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_FALSE(scan_head({exact.data(), exact.size()})) << length;
  }
}

struct framing_case {
  std::string name;
  std::vector<header_field> fields;
  framing_fault fault;
  body_kind kind = body_kind::none;
  std::uint64_t length = 0;
  http_version version = http_version::v1_1;
};
void PrintTo(const framing_case& one, std::ostream* out) { *out << one.name; }

class RequestFraming : public testing::TestWithParam<framing_case> {};

TEST_P(RequestFraming, LeavesNoTwoReadings) {
  const framing_case& given = GetParam();
  const body_framing framing = request_framing(given.fields, given.version);
  EXPECT_EQ(to_string(framing.fault), to_string(given.fault));
  if (!framing) return;
  EXPECT_EQ(framing.kind, given.kind);
  EXPECT_EQ(framing.length, given.length);
}

constexpr auto fine = framing_fault::none;
constexpr auto bad_content_length = framing_fault::bad_content_length;
constexpr auto several_content_lengths = framing_fault::several_content_lengths;
constexpr auto bad_transfer_encoding = framing_fault::bad_transfer_encoding;
constexpr auto length_and_encoding = framing_fault::length_and_encoding;
constexpr auto encoding_on_http_1_0 = framing_fault::encoding_on_http_1_0;

INSTANTIATE_TEST_SUITE_P(
    Good, RequestFraming,
    testing::Values(
        framing_case{"nothing", {}, fine, body_kind::none},
        framing_case{"length", {{"content-length", "5"}}, fine, body_kind::length, 5},
        framing_case{"zero", {{"Content-Length", "0"}}, fine, body_kind::length, 0},
        framing_case{"leading_zeros", {{"CONTENT-LENGTH", "0005"}}, fine, body_kind::length, 5},
        framing_case{"largest",
                     {{"content-length", "9223372036854775807"}},
                     fine,
                     body_kind::length,
                     9223372036854775807u},
        framing_case{"chunked", {{"transfer-encoding", "chunked"}}, fine, body_kind::chunked},
        framing_case{"chunked_in_capitals", {{"Transfer-Encoding", "CHUNKED"}}, fine, body_kind::chunked},
        framing_case{
            "length_on_1_0", {{"content-length", "5"}}, fine, body_kind::length, 5, http_version::v1_0}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Smuggling, RequestFraming,
    testing::Values(
        framing_case{
            "cl_cl_equal", {{"Content-Length", "5"}, {"content-length", "5"}}, several_content_lengths},
        framing_case{
            "cl_cl_different", {{"Content-Length", "5"}, {"Content-Length", "6"}}, several_content_lengths},
        framing_case{"cl_list", {{"Content-Length", "5, 5"}}, bad_content_length},
        framing_case{"cl_plus", {{"Content-Length", "+5"}}, bad_content_length},
        framing_case{"cl_minus", {{"Content-Length", "-5"}}, bad_content_length},
        framing_case{"cl_minus_zero", {{"Content-Length", "-0"}}, bad_content_length},
        framing_case{"cl_hex", {{"Content-Length", "0x5"}}, bad_content_length},
        framing_case{"cl_space_inside", {{"Content-Length", "5 0"}}, bad_content_length},
        framing_case{"cl_underscore", {{"Content-Length", "1_0"}}, bad_content_length},
        framing_case{"cl_dot", {{"Content-Length", "5.0"}}, bad_content_length},
        framing_case{"cl_exponent", {{"Content-Length", "1e3"}}, bad_content_length},
        framing_case{"cl_empty", {{"Content-Length", ""}}, bad_content_length},
        framing_case{"cl_above_63_bits", {{"Content-Length", "9223372036854775808"}}, bad_content_length},
        framing_case{"cl_wraps_64_bits", {{"Content-Length", "18446744073709551621"}}, bad_content_length},
        framing_case{
            "cl_endless", {{"Content-Length", "99999999999999999999999999999999999999"}}, bad_content_length},
        framing_case{"cl_arabic_digit", {{"Content-Length", "\xd9\xa5"}}, bad_content_length},
        framing_case{
            "cl_te", {{"Content-Length", "5"}, {"Transfer-Encoding", "chunked"}}, length_and_encoding},
        framing_case{
            "te_cl", {{"Transfer-Encoding", "chunked"}, {"Content-Length", "5"}}, length_and_encoding},
        framing_case{
            "te_cl_zero", {{"Transfer-Encoding", "chunked"}, {"Content-Length", "0"}}, length_and_encoding},
        framing_case{
            "te_unknown_cl", {{"Transfer-Encoding", "x"}, {"Content-Length", "5"}}, length_and_encoding},
        framing_case{"te_te",
                     {{"Transfer-Encoding", "chunked"}, {"Transfer-Encoding", "chunked"}},
                     bad_transfer_encoding},
        framing_case{"te_te_identity",
                     {{"Transfer-Encoding", "chunked"}, {"transfer-encoding", "identity"}},
                     bad_transfer_encoding},
        framing_case{"te_x", {{"Transfer-Encoding", "xchunked"}}, bad_transfer_encoding},
        framing_case{"te_suffix", {{"Transfer-Encoding", "chunkedx"}}, bad_transfer_encoding},
        framing_case{"te_chunked_gzip", {{"Transfer-Encoding", "chunked, gzip"}}, bad_transfer_encoding},
        framing_case{"te_gzip_chunked", {{"Transfer-Encoding", "gzip, chunked"}}, bad_transfer_encoding},
        framing_case{"te_chunked_twice", {{"Transfer-Encoding", "chunked, chunked"}}, bad_transfer_encoding},
        framing_case{"te_comma_first", {{"Transfer-Encoding", ", chunked"}}, bad_transfer_encoding},
        framing_case{"te_comma_last", {{"Transfer-Encoding", "chunked,"}}, bad_transfer_encoding},
        framing_case{"te_parameter", {{"Transfer-Encoding", "chunked;q=1"}}, bad_transfer_encoding},
        framing_case{"te_quoted", {{"Transfer-Encoding", "\"chunked\""}}, bad_transfer_encoding},
        framing_case{"te_identity", {{"Transfer-Encoding", "identity"}}, bad_transfer_encoding},
        framing_case{"te_empty", {{"Transfer-Encoding", ""}}, bad_transfer_encoding},
        framing_case{"te_long_s",
                     {{"Transfer-Encoding",
                       "chun\xe2\x84\xaa"
                       "ed"}},
                     bad_transfer_encoding},
        framing_case{"te_on_1_0",
                     {{"Transfer-Encoding", "chunked"}},
                     encoding_on_http_1_0,
                     body_kind::none,
                     0,
                     http_version::v1_0}),
    name_of);

struct response_case {
  std::string name;
  std::string line;
  std::vector<header_field> fields;
  body_kind kind;
  answers_head to_head = answers_head::no;
};
void PrintTo(const response_case& one, std::ostream* out) { *out << one.name; }

class ResponseFraming : public testing::TestWithParam<response_case> {};

TEST_P(ResponseFraming, FollowsTheStatus) {
  const response_case& given = GetParam();
  const body_framing framing = response_framing(given.fields, read_status_line(given.line), given.to_head);
  ASSERT_TRUE(framing) << to_string(framing.fault);
  EXPECT_EQ(framing.kind, given.kind);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, ResponseFraming,
    testing::Values(
        response_case{"until_close", "HTTP/1.1 200 OK", {}, body_kind::until_close},
        response_case{"until_close_1_0", "HTTP/1.0 200 OK", {}, body_kind::until_close},
        response_case{"length", "HTTP/1.1 200 OK", {{"content-length", "3"}}, body_kind::length},
        response_case{"chunked", "HTTP/1.1 500 No", {{"transfer-encoding", "chunked"}}, body_kind::chunked},
        response_case{"continue_", "HTTP/1.1 100 Continue", {}, body_kind::none},
        response_case{"early_hints", "HTTP/1.1 103 Early Hints", {}, body_kind::none},
        response_case{"no_content", "HTTP/1.1 204 No Content", {{"content-length", "3"}}, body_kind::none},
        response_case{
            "not_modified", "HTTP/1.1 304 Not Modified", {{"content-length", "3"}}, body_kind::none},
        response_case{
            "head", "HTTP/1.1 200 OK", {{"content-length", "3"}}, body_kind::none, answers_head::yes}),
    name_of);

TEST(ResponseFraming, RefusesWhatRequestsMayNotDoEither) {
  const status_line ok{http_version::v1_1, 200};
  const std::vector<header_field> both{{"content-length", "3"}, {"transfer-encoding", "chunked"}};
  const std::vector<header_field> twice{{"content-length", "3"}, {"content-length", "3"}};
  const std::vector<header_field> chunked{{"transfer-encoding", "chunked"}};
  EXPECT_EQ(response_framing(both, ok).fault, length_and_encoding);
  EXPECT_EQ(response_framing(both, {http_version::v1_1, 204}).fault, length_and_encoding);
  EXPECT_EQ(response_framing(twice, ok).fault, several_content_lengths);
  EXPECT_EQ(response_framing(chunked, {http_version::v1_0, 200}).fault, encoding_on_http_1_0);
}

TEST(ReadStatusLine, KnowsVersionAndStatus) {
  EXPECT_EQ(read_status_line("HTTP/1.1 200 OK").status, 200);
  EXPECT_EQ(read_status_line("HTTP/1.1 529 ").status, 529);
  EXPECT_EQ(read_status_line("HTTP/1.1 404").status, 404);
  EXPECT_EQ(read_status_line("HTTP/1.0 200 All is well").version, http_version::v1_0);
}

TEST(ReadStatusLine, RefusesEverythingElse) {
  for (const char* line :
       {"", "HTTP/1.1", "HTTP/1.1  200 OK", "HTTP/1.1 20 OK", "HTTP/1.1 2000 OK", "HTTP/1.1 +20 OK",
        "HTTP/1.1 099 No", "HTTP/1.1 600 No", "HTTP/2 200", "HTTP/1.2 200 OK", "http/1.1 200 OK",
        "ICY 200 OK", " HTTP/1.1 200 OK", "HTTP/1.1 20a OK"})
    EXPECT_EQ(read_status_line(line).status, 0) << line;
}

TEST(SplitStartLine, CutsAtTheFirstTwoSpaces) {
  const start_line_parts parts = split_start_line("HTTP/1.1 500 Internal Server Error");
  EXPECT_EQ(parts.first, "HTTP/1.1");
  EXPECT_EQ(parts.second, "500");
  EXPECT_EQ(parts.third, "Internal Server Error");
  EXPECT_EQ(split_start_line("GET").second, "");
  EXPECT_EQ(split_start_line("GET  /").second, "");
}

TEST(NextListMember, GivesEachMemberTrimmed) {
  std::vector<std::string> members;
  std::string_view list = "close, \tkeep-alive ,,x";
  for (std::string_view member; next_list_member(list, member);) members.emplace_back(member);
  const std::vector<std::string> expected{"close", "keep-alive", "", "x"};
  EXPECT_EQ(members, expected);
}

TEST(EqualsIgnoringCase, FoldsLettersOnly) {
  EXPECT_TRUE(equals_ignoring_case("Content-Length", "cONTENT-lENGTH"));
  EXPECT_FALSE(equals_ignoring_case("a[", "a{"));
  EXPECT_FALSE(equals_ignoring_case("a", "ab"));
  EXPECT_FALSE(equals_ignoring_case("@", "`"));
}

// Two texts that differ in one byte must count as equal only if both bytes are the same letter in different case. This must be true for a
// byte at any position.
TEST(EqualsIgnoringCase, ComparesEveryByteAtEveryPlace) {
  for (const std::size_t at : {0u, 7u, 8u, 15u, 16u, 18u}) {
    std::string one(19, 'x'), other(19, 'X');
    for (int left = 0; left < 256; ++left)
      for (int right = 0; right < 256; ++right) {
        one[at] = static_cast<char>(left), other[at] = static_cast<char>(right);
        const bool is_letter = (left | 0x20) >= 'a' && (left | 0x20) <= 'z';
        const bool is_equal = left == right || (is_letter && (left ^ right) == 0x20);
        ASSERT_EQ(equals_ignoring_case(one, other), is_equal) << left << " and " << right << " at " << at;
      }
  }
}

TEST(FieldText, HoldsNoControlCharacterButATabAtEveryPlace) {
  for (const std::size_t size : {1u, 7u, 8u, 9u, 16u, 21u})
    for (std::size_t at = 0; at < size; ++at)
      for (int byte = 0; byte < 256; ++byte)
        for (const char beside : {'a', '\t', '\xff', ' '}) {
          std::string text(size, beside);
          text[at] = static_cast<char>(byte);
          ASSERT_EQ(is_field_text(text), (byte >= 0x20 || byte == '\t') && byte != 0x7f) << byte << " at " << at;
        }
}

// Converts eight bytes at a time to lower case. The result must be the same as for each byte alone, at every position and next to any other
// byte.
TEST(LowerCase, ChangesCapitalsAndNothingElse) {
  for (int byte = 0; byte < 256; ++byte) {
    const char letter = static_cast<char>(byte);
    const char expected = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + ('a' - 'A')) : letter;
    for (const char beside : {'\0', '\xff', 'Z'}) {
      for (std::size_t at = 0; at < 19; ++at) {
        std::string name(19, beside), lower(19, beside == 'Z' ? 'z' : beside);
        name[at] = letter;
        lower[at] = expected;
        ASSERT_EQ(lower_case(name), lower) << byte << " at " << at;
      }
    }
  }
  EXPECT_EQ(lower_case(""), "");
  EXPECT_EQ(lower_case("Content-Length"), "content-length");
}

}  // namespace
}  // namespace photofinish::proxy
