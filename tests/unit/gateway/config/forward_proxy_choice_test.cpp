#include "gateway/config/forward_proxy_choice.hpp"

#include "gateway/config/config_secrets.hpp"
#include "gateway/config/sources/config_parser.hpp"
#include "gateway/config/sources/zero_config.hpp"
#include "proxy/providers/url.hpp"
#include "tests/support/gateway/table_environment.hpp"

#include <gtest/gtest.h>

#include <string>

namespace photofinish::gateway {
namespace {

using tests::table_environment;

proxy::base_url url(const std::string& text) { return proxy::parse_base_url(text).url.value(); }

bool exempt(std::string_view list, const std::string& at) { return is_exempt(list, url(at)); }

// Returns "host:port credentials" of the proxy, or "direct" if no proxy is used. If there is a problem, returns its text.
std::string way_to(const std::string& at, const table_environment& table, const std::string& configured = "") {
  const forward_proxy_result found = forward_proxy_for(url(at), configured, table.machine());
  if (!found.problem.empty()) return found.problem;
  return found.via ? proxy::route_of(found.via) : "direct";
}

TEST(ForwardProxy, IsReadFromAUrl) {
  const auto read = parse_forward_proxy("http://me:p%40ss%2Fword@Proxy.Corp:3128/");
  ASSERT_TRUE(read.via) << read.problem;
  EXPECT_EQ(read.via->host, "proxy.corp");
  EXPECT_EQ(read.via->port, 3128);
  EXPECT_EQ(read.via->credentials.reveal(), "bWU6cEBzcy93b3Jk");  // "me:p@ss/word" in base64
  EXPECT_EQ(parse_forward_proxy("proxy.corp").via->port, 80);
  EXPECT_EQ(parse_forward_proxy("[::1]:8080").via->host, "::1");
}

TEST(ForwardProxy, OfAnotherKindIsRefusedWithoutItsPassword) {
  for (const char* text : {"https://me:hunter22@p:1", "socks5://me:hunter22@p:1", "http://me:hunter22@p:1/path",
                           "http://me:hunter22@", "http://me:hunter22@p:99999"}) {
    const auto read = parse_forward_proxy(text);
    EXPECT_FALSE(read.via) << text;
    EXPECT_FALSE(read.problem.empty()) << text;
    EXPECT_EQ(read.problem.find("hunter22"), std::string::npos) << read.problem;
  }
}

TEST(ForwardProxy, NoProxyNamesHostsAsCurlAndGoTakeIt) {
  EXPECT_TRUE(exempt("*", "https://api.groq.com"));
  EXPECT_TRUE(exempt("x.org, groq.com", "https://api.groq.com"));
  EXPECT_TRUE(exempt(".GROQ.com", "https://api.groq.com"));
  EXPECT_TRUE(exempt("groq.com:443", "https://groq.com"));
  EXPECT_FALSE(exempt("groq.com:8443", "https://groq.com"));
  EXPECT_FALSE(exempt("roq.com", "https://api.groq.com"));
  EXPECT_FALSE(exempt("api.groq.com.evil", "https://api.groq.com"));
  EXPECT_FALSE(exempt("", "https://api.groq.com"));
  EXPECT_FALSE(exempt(" ,. ", "https://api.groq.com"));
  EXPECT_TRUE(exempt("10.0.0.0/8", "http://10.1.2.3:8000"));
  EXPECT_FALSE(exempt("10.0.0.0/8", "http://11.1.2.3:8000"));
  EXPECT_TRUE(exempt("10.1.2.3:8000", "http://10.1.2.3:8000"));
  EXPECT_TRUE(exempt("2001:db8::/32", "http://[2001:db8::7]:8000"));
  EXPECT_TRUE(exempt("[2001:db8::7]", "http://[2001:db8::7]:8000"));
  EXPECT_FALSE(exempt("10.0.0.0/99", "http://10.1.2.3:8000"));
  EXPECT_FALSE(exempt("10.0.0.0/x", "http://10.1.2.3:8000"));
}

TEST(ForwardProxy, ComesFromTheEnvironment) {
  const table_environment table{
      .variables = {{"HTTPS_PROXY", "http://p:3128"}, {"http_proxy", "q:8080"}, {"NO_PROXY", "internal.corp"}}};
  EXPECT_EQ(way_to("https://api.groq.com", table), "p:3128 ");
  EXPECT_EQ(way_to("http://vllm.lab:8000", table), "q:8080 ");
  EXPECT_EQ(way_to("https://llm.internal.corp", table), "direct");
  EXPECT_EQ(way_to("http://localhost:11434", table), "direct");
  EXPECT_EQ(way_to("https://api.groq.com", {}), "direct");
}

TEST(ForwardProxy, OfTheConfigurationCountsFirst) {
  const table_environment table{.variables = {{"HTTPS_PROXY", "http://p:3128"}, {"no_proxy", "internal.corp"}}};
  EXPECT_EQ(way_to("https://api.groq.com", table, "http://c:1"), "c:1 ");
  EXPECT_EQ(way_to("https://api.groq.com", table, "none"), "direct");
  EXPECT_EQ(way_to("https://llm.internal.corp", table, "http://c:1"), "direct");
}

// Many programs read HTTPS_PROXY and similar variables. The gateway must start even if it cannot use the value of one of these variables.
TEST(ForwardProxy, OfTheEnvironmentThatIsNotUsableIsAWarningAndDirect) {
  const std::string config = "providers: {groq: {api_key: k, models: ['*']}}\n";
  for (const std::string name : {"HTTPS_PROXY", "https_proxy"})
    for (const char* value : {"https://me:hunter22@p:1", "socks5://p:1080", "http://p:3128/path", "http://p:99999"}) {
      SCOPED_TRACE(name + "=" + value);
      const table_environment table{.variables = {{name, value}, {"GROQ_API_KEY", "k"}}};
      for (const config_result& result : {parse_config(config, "test.yaml", table.machine()), zero_config(table.machine())}) {
        ASSERT_EQ(result.problems.size(), 1u);
        const std::string said = to_string(result.problems.front());
        EXPECT_TRUE(result.is_usable()) << said;
        EXPECT_NE(said.find("warning: provider 'groq' is reached without a proxy, because " + name + " "), std::string::npos) << said;
        EXPECT_EQ(said.find("hunter22"), std::string::npos) << said;
        ASSERT_TRUE(result.settings.providers.contains("groq"));
        EXPECT_FALSE(result.settings.providers.at("groq").via);
      }
    }
  const table_environment exempt{.variables = {{"HTTPS_PROXY", "socks5://p"}, {"NO_PROXY", "groq.com"}}};
  EXPECT_TRUE(parse_config(config, "test.yaml", exempt.machine()).problems.empty());
}

TEST(ForwardProxy, OfTheConfigurationThatIsNotUsableIsAnError) {
  for (const char* config : {"proxy: socks5://p\nproviders: {groq: {api_key: k, models: ['*']}}\n",
                             "providers: {groq: {api_key: k, models: ['*'], proxy: 'socks5://p'}}\n"}) {
    const config_result result = parse_config(config, "test.yaml", table_environment{}.machine());
    EXPECT_FALSE(result.is_usable()) << config;
  }
}

TEST(ForwardProxy, IsGivenToProvidersAndItsPasswordIsASecret) {
  const table_environment table{.variables = {{"HTTPS_PROXY", "http://p:3128"}}};
  const config_result result = parse_config(R"(
proxy: http://me:hunter22@c:1
providers:
  groq: {api_key: k, models: ['*']}
  vllm: {proxy: "http://own:2", models: ['*']}
  ollama: {models: ['*']}
  xai: {api_key: k, models: ['*'], proxy: none}
)",
                                            "test.yaml", table.machine());
  ASSERT_TRUE(result.problems.empty()) << to_string(result.problems.front());
  const auto& providers = result.settings.providers;
  EXPECT_EQ(providers.at("groq").via->host, "c");
  // The settings of the provider vllm name the proxy "own". Unlike other proxies, a provider's own proxy also applies to loopback
  // addresses.
  EXPECT_EQ(providers.at("vllm").via->host, "own");
  EXPECT_FALSE(providers.at("ollama").via);
  EXPECT_FALSE(providers.at("xai").via);
  EXPECT_EQ(proxy::redact("hunter22 bWU6aHVudGVyMjI=", secrets_of(result.settings)), "[redacted] [redacted]");
}

}  // namespace
}  // namespace photofinish::gateway
