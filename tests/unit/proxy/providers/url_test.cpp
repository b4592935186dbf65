#include "proxy/providers/url.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace photofinish::proxy {
namespace {

TEST(Url, BaseUrlsAreSplit) {
  struct example {
    std::string text;
    base_url url;
  };
  const std::vector<example> examples{
      {"https://api.groq.com/openai/v1", {true, "api.groq.com", 443, "/openai/v1"}},
      {"HTTPS://API.Groq.com/v1/", {true, "api.groq.com", 443, "/v1"}},
      {"http://localhost:8000/v1", {false, "localhost", 8000, "/v1"}},
      {"http://10.0.0.5", {false, "10.0.0.5", 80, ""}},
      {"http://[::1]:8080/", {false, "::1", 8080, ""}},
      {"https://[2001:DB8::1]/v1", {true, "2001:db8::1", 443, "/v1"}},
      {"https://my_host.example/a%20b/c:d", {true, "my_host.example", 443, "/a%20b/c:d"}},
  };
  for (const example& each : examples) {
    const base_url_result parsed = parse_base_url(each.text);
    ASSERT_TRUE(parsed.url) << each.text << ": " << parsed.problem;
    EXPECT_EQ(*parsed.url, each.url) << each.text;
  }
}

TEST(Url, WhatIsNoPlainBaseUrlIsRefusedWithAReason) {
  for (const std::string text : {"",
                                 "api.groq.com/v1",
                                 "ftp://host/v1",
                                 "https://",
                                 "https:///v1",
                                 "https://:443/v1",
                                 "https://user:pw@host/v1",
                                 "https://host/v1?x=1",
                                 "https://host/v1#x",
                                 "https://host:0/",
                                 "https://host:65536/",
                                 "https://host:/v1",
                                 "https://host:80x/",
                                 "https://[::1/v1",
                                 "https://[1.2.3.4]/",
                                 "https://[fe80::1%eth0]/",
                                 "https://::1/",
                                 "https://ho st/v1",
                                 "https://host/v 1",
                                 "https://host/\r\nx",
                                 "https://{res}.example.com/v1",
                                 "https://host/{p}",
                                 "https://a..b/",
                                 "https://1.2.3/",
                                 "https://127.1/",
                                 "https://256.1.1.1/",
                                 "https://-a.b/"}) {
    const base_url_result parsed = parse_base_url(text);
    EXPECT_FALSE(parsed.url) << text;
    EXPECT_FALSE(parsed.problem.empty()) << text;
  }
}

TEST(Url, APasswordIsNotRepeatedInTheReason) {
  EXPECT_EQ(parse_base_url("https://me:hunter2@host/v1").problem.find("hunter2"), std::string::npos);
}

TEST(Url, TextLeavesOutThePortThatGoesWithoutSaying) {
  for (const std::string text : {"https://api.groq.com/openai/v1", "http://localhost:8000/v1",
                                 "http://[::1]:8080", "https://host:80/v1"})
    EXPECT_EQ(to_string(*parse_base_url(text).url), text);
  EXPECT_EQ(to_string(*parse_base_url("https://host:443/").url), "https://host");
}

TEST(Url, LoopbackIsTheMachineItself) {
  for (const std::string_view host : {"localhost", "LOCALHOST", "api.localhost", "127.0.0.1", "127.8.9.1",
                                      "::1", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1"})
    EXPECT_TRUE(is_loopback(host)) << host;
  for (const std::string_view host : {"", "0.0.0.0", "::", "10.0.0.1", "128.0.0.1", "127.0.0.1.example.com",
                                      "notlocalhost", "::ffff:10.0.0.1", "2001:db8::1"})
    EXPECT_FALSE(is_loopback(host)) << host;
}

}  // namespace
}  // namespace photofinish::proxy
