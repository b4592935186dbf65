#include "proxy/aws/sigv4.hpp"

#include "tests/support/source_file.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>

namespace photofinish::proxy {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;

constexpr std::chrono::sys_seconds vectors_time = std::chrono::sys_days{2015y / 8 / 30} + 12h + 36min;
constexpr std::string_view empty_hash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

aws_credentials vectors_key() { return {"AKIDEXAMPLE", secret("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"), {}}; }

std::string field_of(const request_head& head, std::string_view name) {
  for (const auto& [each, value] : head.fields)
    if (each == name) return value;
  return {};
}

// A request from AWS's test suite for signatures. The code under test adds the date and, for some requests, a session token.
struct vector_request {
  request_head head;
  std::string method, body_hash, token;
};

std::string hash_of(std::string_view text) {
  sha256 sum;
  sum.add(text);
  return sum.hex();
}

vector_request parse(const std::string& text) {
  vector_request read;
  std::size_t at = text.find('\n');
  const std::string line = text.substr(0, at);
  read.method = line.substr(0, line.find(' '));
  read.head.path = line.substr(read.method.size() + 1, line.rfind(' ') - read.method.size() - 1);
  while (at < text.size() && text[at] == '\n') {
    const std::size_t end = std::min(text.find('\n', at + 1), text.size());
    const std::string field = text.substr(at + 1, end - at - 1);
    at = end;
    if (field.empty()) break;
    if (field[0] == ' ') {
      read.head.fields.back().second += field;
      continue;
    }
    const std::string name = field.substr(0, field.find(':')), value = field.substr(field.find(':') + 1);
    if (name == "Host") read.head.host = value;
    else if (name == "X-Amz-Security-Token") read.token = value;
    else if (name != "X-Amz-Date") read.head.fields.emplace_back(name, value);
  }
  read.body_hash = hash_of(at < text.size() ? text.substr(at + 1) : "");
  return read;
}

TEST(SigV4, SignsWhatAwsSuiteSigns) {
  const json suite = json::parse(tests::source_file("tests/unit/proxy/aws/sigv4_vectors.json"));
  ASSERT_EQ(suite.at("vectors").size(), 34u);
  for (const json& row : suite.at("vectors")) {
    const std::string name = row.at(0).get<std::string>(), canonical = row.at(2).get<std::string>();
    SCOPED_TRACE(name);
    vector_request asked = parse(row.at(1));
    asked.head.method = asked.method;
    aws_credentials by = vectors_key();
    if (name == "get-vanilla-with-session-token") {
      const std::size_t token = canonical.find("x-amz-security-token:") + 21;
      asked.token = canonical.substr(token, canonical.find('\n', token) - token);
    }
    by.session_token = secret(asked.token);
    sign_request(asked.head, asked.body_hash, by, {"us-east-1", "service"}, vectors_time);
    EXPECT_EQ(canonical_request(asked.head, asked.body_hash), canonical);
    EXPECT_EQ(field_of(asked.head, "authorization"), row.at(3).get<std::string>());
  }
}

// Compares the text to sign with the text that AWS's Python SDK signs. The model's id in the path is percent-encoded once in the sent
// request, and twice in the signed text.
TEST(SigV4, EncodesAPathOnceMoreThanItIsSent) {
  request_head head{.path = "/model/us.amazon.nova-lite-v1%3A0/converse", .host = "h", .fields = {}};
  EXPECT_EQ(canonical_request(head, "x"), "POST\n/model/us.amazon.nova-lite-v1%253A0/converse\n\nhost:h\n\nhost\nx");
}

TEST(SigV4, LeavesOutWhatIsAConnectionsOwn) {
  request_head head{.path = "/", .host = "h", .fields = {{"User-Agent", "u"}, {"Proxy-Authorization", "p"}, {"Accept", "a"}}};
  EXPECT_EQ(canonical_request(head, "x"), "POST\n/\n\naccept:a\nhost:h\n\naccept;host\nx");
}

TEST(SigV4, ReplacesAnOlderSignature) {
  request_head head{.path = "/", .host = "h", .fields = {{"Authorization", "old"}, {"X-Amz-Date", "old"}, {"x-amz-security-token", "old"}}};
  sign_request(head, empty_hash, vectors_key(), {"us-east-1", "bedrock"}, vectors_time);
  EXPECT_EQ(head.fields.size(), 2u);
  EXPECT_EQ(field_of(head, "x-amz-date"), "20150830T123600Z");
  EXPECT_TRUE(field_of(head, "authorization").starts_with("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/bedrock/aws4_request, "));
}

TEST(SigV4, HashesPiecesAsTheirWhole) {
  sha256 sum;
  for (const char* each : {"Action=ListUsers&", "", "Version=2010-05-08"}) sum.add(each);
  EXPECT_EQ(sum.hex(), hash_of("Action=ListUsers&Version=2010-05-08"));
}

}  // namespace
}  // namespace photofinish::proxy
