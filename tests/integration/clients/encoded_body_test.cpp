// Tests requests with compressed bodies.
#include "tests/support/gateway/gateway_fixture.hpp"

#include <nlohmann/json.hpp>
#include <zlib.h>

#include <string>

namespace photofinish::testing {
namespace {

std::string gzip(std::string_view text) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

class encoded_body_test : public gateway_fixture {
 protected:
  encoded_body_test() {
    add("p", provider);
    add_route("r", {"p/m"});
    settings.limits.max_body = 2u << 20;
    start();
  }

  http_response send(std::string_view body, const std::string& coding) {
    return post(body, "Content-Encoding: " + coding + "\r\n");
  }

  scripted_provider provider{streams({"hi"})};
};

TEST_F(encoded_body_test, AGzippedRequestRunsAndItsProviderGetsItDecoded) {
  const std::string body = whole("r", R"(,"user":")" + std::string(1u << 20, 'x') + "\"");
  const std::string encoded = gzip(body);
  ASSERT_LT(encoded.size(), body.size() / 100);
  EXPECT_EQ(send(encoded, "gzip").status, 200);
  EXPECT_EQ(provider.request().field("content-encoding"), "");
  EXPECT_EQ(nlohmann::json::parse(provider.request().body).at("user").get<std::string>().size(), 1u << 20);
}

TEST_F(encoded_body_test, AnotherCodingIs415AndNamesTheOnesThatAreServed) {
  const http_response got = send(whole("r"), "br");
  EXPECT_EQ(got.status, 415);
  EXPECT_EQ(got.error("code"), "unsupported_content_encoding");
  EXPECT_EQ(got.field_or("accept-encoding", ""), "gzip, deflate");
  EXPECT_EQ(send(gzip(gzip(whole("r"))), "gzip, gzip").status, 415);
}

TEST_F(encoded_body_test, APlainBodyThatIsCalledGzipIs400) {
  const http_response got = send(whole("r"), "gzip");
  EXPECT_EQ(got.status, 400);
  EXPECT_EQ(got.error("code"), "invalid_content_encoding");
  EXPECT_EQ(provider.requests().size(), 0u);
}

TEST_F(encoded_body_test, ABombIs413) {
  const std::string bomb = gzip(std::string(64u << 20, ' '));
  ASSERT_LT(bomb.size(), 128u << 10);
  EXPECT_EQ(send(bomb, "gzip").status, 413);
}

TEST_F(encoded_body_test, TheConnectionGoesOnBehindWhateverWasAnswered) {
  test_client client = connect();
  client.post(whole("r"), "Content-Encoding: gzip\r\n");
  EXPECT_EQ(client.read().status, 400);
  client.post(whole("r"), "Content-Encoding: zstd\r\n");
  EXPECT_EQ(client.read().status, 415);
  client.post(gzip(std::string(8u << 20, ' ')), "Content-Encoding: gzip\r\n");
  EXPECT_EQ(client.read().status, 413);
  client.post(gzip(whole("r")), "Content-Encoding: gzip\r\n");
  EXPECT_EQ(client.read().status, 200);
}

class encoded_memory_test : public gateway_fixture {
 protected:
  encoded_memory_test() {
    add("p", provider);
    add_route("r", {"p/m"});
    settings.limits.max_body = 64u << 20;
    settings.limits.max_memory = 16u << 20;
    start();
  }

  scripted_provider provider{streams({"hi"})};
};

// A body that can never fit into the memory limit gets a 413, because after a 503 a client would repeat the request forever.
TEST_F(encoded_memory_test, WhatMayNeverComeInIsA413ThatNamesTheLimit) {
  const http_response got = post(gzip(std::string(20u << 20, ' ')), "Content-Encoding: gzip\r\n");
  EXPECT_EQ(got.status, 413);
  EXPECT_NE(got.error("message").find("decoded, is larger than what max_memory allows"), std::string::npos)
      << got.error("message");
  expect_metric(0, "photofinish_memory_used_bytes");
}

TEST_F(encoded_memory_test, WhatJustFitsIsServed) {
  const std::string body = whole("r", R"(,"user":")" + std::string(9u << 20, 'x') + "\"");
  EXPECT_EQ(post(gzip(body), "Content-Encoding: gzip\r\n").status, 200);
}

}  // namespace
}  // namespace photofinish::testing
