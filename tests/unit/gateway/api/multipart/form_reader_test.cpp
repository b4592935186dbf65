// Tests multipart forms as clients send them, and forms that two readers would interpret differently.
#include "gateway/api/multipart/form_reader.hpp"

#include "gateway/api/multipart/part_head.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace photofinish::gateway {
namespace {

constexpr std::array<std::string_view, 2> single{"model", "stream"};
const std::string type = "multipart/form-data; boundary=b0";

std::string part(const std::string& disposition, const std::string& content, const std::string& more = "") {
  return "--b0\r\nContent-Disposition: form-data; " + disposition + "\r\n" + more + "\r\n" + content + "\r\n";
}
const std::string model = part("name=\"model\"", "fast");
const std::string end = "--b0--\r\n";

using fields = std::vector<std::pair<std::string, std::string>>;

fields read(const std::string& text, const std::string& content_type = type) {
  auto got = read_form_fields(text, content_type, single);
  if (const auto* error = std::get_if<api_error>(&got)) return {{"error", error->message}};
  fields all;
  std::string wholes;
  for (const proxy::json_member& each : std::get<proxy::form_fields>(got).all) {
    all.emplace_back(each.raw_key, each.value);
    wholes += each.whole;
  }
  EXPECT_TRUE(text.starts_with(wholes)) << "the parts are the form but for its last delimiter";
  return all;
}

// Returns the error text, or an empty string if the form is accepted.
std::string complaint(const std::string& text, const std::string& content_type = type) {
  const auto got = read_form_fields(text, content_type, single);
  const auto* error = std::get_if<api_error>(&got);
  if (error == nullptr) return {};
  EXPECT_EQ(error->status, 400);
  EXPECT_EQ(error->type, "invalid_request_error");
  return error->message;
}

TEST(FormReader, GivesNamesAndContents) {
  const std::string sound("ID3\0\r\n--b\r\n\r\n\xff\n-b0 --b0", 22);
  const std::string file = part(R"(name="file"; filename="a \"b\".mp3")", sound, "Content-Type: audio/mpeg\r\n");
  EXPECT_EQ(read(model + file + part("name=\"prompt\"", "") + end),
            (fields{{"model", "fast"}, {"file", sound}, {"prompt", ""}}));
}

TEST(FormReader, KnowsTheFormsOfRealClients) {
  // Clients write multipart forms differently. .NET omits the quotes around names and adds an encoded filename, and aiohttp adds the header
  // Content-Transfer-Encoding. Some clients omit the last line end.
  EXPECT_EQ(read(part("name=model", "fast") + part("name=file; filename=a.wav; filename*=utf-8''a.wav", "x",
                                                   "Content-Transfer-Encoding: binary\r\n") + "--b0--"),
            (fields{{"model", "fast"}, {"file", "x"}}));
  EXPECT_EQ(read("--b0\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-disposition:form-data;name=\"model\"\r\n"
                 "\r\nfast\r\n" + end),
            (fields{{"model", "fast"}}));
  EXPECT_EQ(read(part(R"(name="timestamp_granularities[]")", "word") + part(R"(name="timestamp_granularities[]")", "segment") + end).size(), 2u);
}

TEST(FormReader, TakesEveryBoundaryThatIsOne) {
  for (const std::string written : {R"(multipart/form-data; boundary="b0")", "Multipart/Form-Data;boundary=b0",
                                    "multipart/form-data; charset=utf-8; Boundary=b0 ; x=\"y;z\""})
    EXPECT_EQ(complaint(model + end, written), "") << written;
  const std::string longest(70, '-');
  EXPECT_EQ(complaint("--" + longest + "\r\nContent-Disposition: form-data; name=x\r\n\r\n--\r\n--" + longest + "--",
                      "multipart/form-data; boundary=" + longest), "");
}

TEST(FormReader, AWrongContentTypeIsRefused) {
  for (const std::string wrong : {"", "application/json", "multipart/mixed; boundary=b0", "multipart/form-datax; boundary=b0"})
    EXPECT_NE(complaint(model + end, wrong).find("must be multipart/form-data"), std::string::npos) << wrong;
  for (const std::string wrong : {"multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=\"\"",
                                  "multipart/form-data; boundary=\"b\\0\"", "multipart/form-data; boundary=\"b0 \"",
                                  "multipart/form-data; boundary=b0; boundary=b1", "multipart/form-data; boundary=\"b0",
                                  "multipart/form-data; boundary=b0 x", "multipart/form-data;; boundary=b0",
                                  "multipart/form-data; =b0"})
    EXPECT_NE(complaint(model + end, wrong), "") << wrong;
  EXPECT_NE(complaint(model + end, "multipart/form-data; boundary=" + std::string(71, 'b')), "");
}

struct hostile {
  const char* name;
  std::string text;
  std::string says;
};

class HostileForm : public ::testing::TestWithParam<hostile> {};
INSTANTIATE_TEST_SUITE_P(
    FormReader, HostileForm,
    ::testing::Values(
        hostile{"empty", "", "does not begin"}, hostile{"preamble", "hello\r\n" + model + end, "does not begin"},
        hostile{"line_end_in_front", "\r\n" + model + end, "does not begin"},
        hostile{"epilogue", model + end + "x", "after its last boundary"},
        hostile{"two_line_ends", model + end + "\r\n", "after its last boundary"},
        hostile{"no_last_boundary", model, "the form was cut off"}, hostile{"cut_in_the_last", model + "--b0-", "has more text"},
        hostile{"cut_in_content", model.substr(0, model.size() - 4), "the form was cut off"},
        hostile{"cut_in_head", "--b0\r\nContent-Dispo", "the form was cut off"}, hostile{"no_parts", end, "no parts"},
        hostile{"boundary_with_more", model + part("name=y", "1\r\n--b0x\r\n2") + end, "has more text"},
        hostile{"boundary_with_spaces", "--b0 \r\nContent-Disposition: form-data; name=x\r\n\r\n1\r\n" + end, "has more text"},
        hostile{"line_feeds_alone", "--b0\nContent-Disposition: form-data; name=x\n\n1\n--b0--\n", "CR LF"},
        hostile{"boundary_behind_a_line_feed", part("name=x", "1\n--b0\r\nContent-Disposition: form-data; name=model\r\n\r\nm") + end, "CR LF"},
        hostile{"no_head", "--b0\r\n\r\n1\r\n" + end, "no head"},
        hostile{"two_delimiters", "--b0\r\n--b0\r\n" + end, "no empty line"},
        hostile{"no_empty_line", "--b0\r\nContent-Disposition: form-data; name=x\r\n" + end, "no empty line"},
        hostile{"no_disposition", "--b0\r\nContent-Type: text/plain\r\n\r\n1\r\n" + end, "no Content-Disposition"},
        hostile{"two_dispositions", part("name=x", "1", "Content-Disposition: form-data; name=model\r\n") + end, "than one Content-Disposition"},
        hostile{"attachment", "--b0\r\nContent-Disposition: attachment; name=x\r\n\r\n1\r\n" + end, "not form-data"},
        hostile{"no_name", part("filename=x", "1") + end, "no name"}, hostile{"empty_name", part("name=\"\"", "1") + end, "empty name"},
        hostile{"two_names", part("name=x; name=model", "1") + end, "two names"},
        hostile{"encoded_name", part("name*=utf-8''model", "1") + end, "RFC 2231"},
        hostile{"escaped_name", part(R"(name="mo\del")", "1") + end, "backslash"},
        hostile{"open_quote", part(R"(name="model)", "1") + end, "cannot be parsed"},
        hostile{"words_behind_a_quote", part(R"(name="model"x)", "1") + end, "cannot be parsed"},
        hostile{"no_equals", part("name", "1") + end, "cannot be parsed"},
        hostile{"folded", "--b0\r\nContent-Disposition: form-data;\r\n name=model\r\n\r\n1\r\n" + end, "cannot be parsed"},
        hostile{"control", part("name=\"mo\x01"
                                "del\"", "1") + end, "control character"},
        hostile{"bare_return", part("name=\"x\rname=model\"", "1") + end, "control character"},
        hostile{"model_twice", model + model + end, "given twice"},
        hostile{"model_as_file", part("name=model; filename=m.txt", "1") + end, "is a file"},
        hostile{"model_as_encoded_file", part("name=model; filename*=utf-8''m.txt", "1") + end, "is a file"},
        hostile{"model_in_base64", part("name=model", "ZmFzdA==", "Content-Transfer-Encoding: base64\r\n") + end, "Transfer-Encoding"}),
    [](const auto& tested) { return tested.param.name; });
TEST_P(HostileForm, IsRefused) {
  EXPECT_NE(complaint(GetParam().text).find(GetParam().says), std::string::npos)
      << GetParam().text << "\n" << complaint(GetParam().text);
}

TEST(FormReader, EveryBeginningOfAFormIsRefused) {
  const std::string whole = model + part("name=file; filename=a", "sound") + "--b0--";
  for (std::size_t size = 0; size < whole.size(); ++size) EXPECT_NE(complaint(whole.substr(0, size)), "") << size;
  EXPECT_EQ(complaint(whole), "");
}

TEST(FormReader, PartsAndHeadsAreBounded) {
  std::string parts;
  for (std::size_t count = 0; count < max_form_parts; ++count) parts += part("name=x", "1");
  EXPECT_EQ(complaint(parts + end), "");
  EXPECT_NE(complaint(parts + part("name=x", "1") + end).find("more than 1000 parts"), std::string::npos);

  const auto with_head = [](std::size_t bytes) {
    const std::string head = "Content-Disposition: form-data; name=x; filename=";
    return "--b0\r\n" + head + std::string(bytes - head.size(), 'f') + "\r\n\r\n1\r\n" + end;
  };
  EXPECT_EQ(complaint(with_head(max_part_head)), "");
  EXPECT_NE(complaint(with_head(max_part_head + 1)).find("longer than 8192 bytes"), std::string::npos);

  std::string lines;
  for (std::size_t count = 1; count < max_part_fields; ++count) lines += "x: y\r\n";
  EXPECT_EQ(complaint(part("name=x", "1", lines) + end), "");
  EXPECT_NE(complaint(part("name=x", "1", lines + "x: y\r\n") + end).find("header fields"), std::string::npos);
}

// The form has 32 MB of text that almost matches the delimiter, or many parts. The test permits one second, but reading the form usually
// takes a hundredth of it.
TEST(FormReader, HostileTextIsReadInLinearTime) {
  std::string near;
  while (near.size() < (32u << 20)) near += "\r\n--b\r\r\n--b";
  EXPECT_EQ(read(part("name=x", near) + end), (fields{{"x", near}}));
  std::string parts;
  for (int count = 0; count < 100'000; ++count) parts += part("name=x", "1");
  EXPECT_NE(complaint(parts + end).find("more than 1000 parts"), std::string::npos);
}

}  // namespace
}  // namespace photofinish::gateway
