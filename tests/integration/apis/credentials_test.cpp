// Tests temporary credentials end to end. Strict local servers replace the token servers and the providers.
#include "tests/support/gateway/captured_log.hpp"
#include "tests/support/gateway/gateway_fixture.hpp"
#include "tests/support/gateway/strict_tokens.hpp"
#include "tests/support/patience.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <mutex>
#include <string>

namespace photofinish::gateway {
namespace {

using nlohmann::json;
using proxy::credential_place;
using testing::http_response;
using testing::provider_call;
using testing::scripted_provider;
using testing::token_question;
using testing::token_reply;

// Converts a received request into the type that strict_tokens reads.
token_question question_of(const testing::received_request& request) {
  token_question asked;
  const std::size_t method = request.head.find(' '), path = request.head.find(' ', method + 1);
  asked.method = request.head.substr(0, method);
  asked.path = request.head.substr(method + 1, path - method - 1);
  for (const char* name : {"content-type", "authorization", "metadata-flavor", "metadata", "x-aws-ec2-metadata-token",
                           "x-aws-ec2-metadata-token-ttl-seconds"})
    if (const std::string value = request.field(name); !value.empty()) asked.fields[name] = value;
  asked.body = request.body;
  return asked;
}

class credentials_test : public testing::gateway_fixture {
 protected:
  credentials_test() {
    tokens_.now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()).time_since_epoch().count();
    tokens_.tolerance = 60;
    proxy::provider& target = add("cloud", cloud_);
    target.key.is_optional = false;
    target.key.auth = proxy::auth_style::google;
    target.key.credentials = metadata();
    add("other", other_);
    add_route("cloud", {"cloud/m"});
    add_route("failover", {"cloud/m", "other/m"}, racing::race_policy::fallback);
  }

  proxy::base_url server() const { return {.is_tls = false, .host = "127.0.0.1", .port = server_.port(), .path = ""}; }
  proxy::credential_source metadata() const {
    return {"https://www.googleapis.com/auth/cloud-platform", {{.place = credential_place::google_metadata, .url = server()}}, {}};
  }

  http_response ask(const std::string& route) {
    if (!gateway) start();
    return post(testing::whole(route));
  }

  void give(provider_call& call) {
    std::unique_lock guard(guard_);
    const token_question asked = question_of(call.request());
    ++asked_;
    if (is_down_) return call.answer(503, R"({"error":"busy"})");
    const bool is_aws = asked.path.starts_with("/latest/");
    const bool is_entra = asked.path.starts_with("/tenant-1/");
    const token_reply said = is_aws     ? tokens_.instance(asked)
                             : is_entra ? tokens_.entra(asked)
                             : asked.path == "/token" ? tokens_.google(asked)
                                                      : tokens_.google_metadata(asked);
    guard.unlock();
    call.answer(said.status, said.body);
  }

  // Accepts requests with the current token, and refuses all other tokens as Google does.
  void serve(provider_call& call) {
    const std::string shown = call.request().field("authorization");
    {
      const std::lock_guard guard(guard_);
      shown_.push_back(shown);
      if (!accepted_.empty() && shown != accepted_)
        return call.answer(401, R"([{"error":{"code":401,"message":"Request had invalid authentication credentials: )" + shown + R"(","status":"UNAUTHENTICATED"}}])");
    }
    call.answer(200, R"({"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}]})");
  }

  int asked() { const std::lock_guard guard(guard_); return asked_; }
  std::vector<std::string> shown() { const std::lock_guard guard(guard_); return shown_; }
  void accept(const std::string& token) { const std::lock_guard guard(guard_); accepted_ = "Bearer " + token; }
  void go_down() { const std::lock_guard guard(guard_); is_down_ = true; }

  std::mutex guard_;
  testing::strict_tokens tokens_;
  int asked_ = 0;
  bool is_down_ = false;
  std::string accepted_;
  std::vector<std::string> shown_;
  scripted_provider server_{[this](provider_call& call) { give(call); }};
  scripted_provider cloud_{[this](provider_call& call) { serve(call); }};
  scripted_provider other_{testing::streams({"other"})};
};

TEST_F(credentials_test, OneTokenServesAllWorkersAndRequests) {
  settings.server.workers = 3;
  accept("token-1");
  for (int i = 0; i < 12; ++i) {
    const http_response got = ask("cloud");
    ASSERT_EQ(got.status, 200) << got.body;
  }
  EXPECT_EQ(asked(), 1);
}

TEST_F(credentials_test, ARefusedTokenIsRenewedAndTheSameTargetAskedOnceMore) {
  accept("token-1");
  EXPECT_EQ(ask("cloud").status, 200);
  accept("token-2");
  const http_response got = ask("failover");
  EXPECT_EQ(got.status, 200) << got.body;
  EXPECT_EQ(got.field_or("x-race-winner", ""), "cloud/m");
  EXPECT_EQ(shown(), (std::vector<std::string>{"Bearer token-1", "Bearer token-1", "Bearer token-2"}));
  expect_metric(1, "photofinish_repeated_attempts_total", {R"(reason="credentials")"});
}

TEST_F(credentials_test, AProviderThatRefusesEveryTokenIsNotAskedForAnother) {
  accept("never");
  EXPECT_EQ(ask("failover").field_or("x-race-winner", ""), "other/m");
  const http_response got = ask("cloud");
  EXPECT_EQ(got.status, 502);
  EXPECT_EQ(got.error("code"), "provider_auth");
  EXPECT_EQ(got.body.find("token-"), std::string::npos) << got.body;
  EXPECT_EQ(asked(), 2) << "at first, and once when it was refused";
}

TEST_F(credentials_test, WithoutATokenRequestsGoOnElsewhereAndTheErrorSaysWhatWasTried) {
  testing::captured_log log;
  go_down();
  EXPECT_EQ(ask("failover").field_or("x-race-winner", ""), "other/m");
  const http_response got = ask("cloud");
  EXPECT_EQ(got.status, 502);
  EXPECT_EQ(got.error("code"), "provider_auth");
  EXPECT_EQ(got.field_or("x-should-retry", ""), "false");
  for (const char* part : {"the gateway has no credentials for 'cloud'", "1. Google's metadata server at http://127.0.0.1",
                           "status 503: busy", "set google_credentials or GOOGLE_APPLICATION_CREDENTIALS"})
    EXPECT_NE(got.error("message").find(part), std::string::npos) << got.body;
  EXPECT_TRUE(shown().empty());
  EXPECT_TRUE(log.logs_once({"no credentials for 'cloud': tried 1."}));
}

TEST_F(credentials_test, ACallersOwnKeyGoesInItsPlace) {
  accept("callers-token");
  start();
  EXPECT_EQ(post(testing::whole("cloud"), "x-provider-key-cloud: callers-token\r\n").status, 200);
  accept("never");
  EXPECT_EQ(post(testing::whole("cloud"), "x-provider-key-cloud: callers-token\r\n").status, 401);
  EXPECT_LE(asked(), 1) << "no token of ours was refused";
}

TEST_F(credentials_test, AServiceAccountsFileIsReadAndSecretsAreInNoLine) {
  testing::captured_log log;
  tokens_.google_token_url = "http://127.0.0.1:" + std::to_string(server_.port()) + "/token";
  const std::string path = std::filesystem::temp_directory_path() / ("photofinish_sa_" + std::to_string(server_.port()) + ".json");
  std::ofstream(path) << tokens_.service_account().dump();
  settings.providers["cloud"].key.credentials->steps = {{.place = credential_place::google_file, .file = path}};
  accept("token-1");
  EXPECT_EQ(ask("cloud").status, 200);
  std::filesystem::remove(path);
  EXPECT_TRUE(log.logs_once({"credentials of 'cloud' obtained from the file " + path}));
  EXPECT_TRUE(log.lines_with({"token-1"}).empty());
}

TEST_F(credentials_test, EntrasTokenIsABearerToken) {
  proxy::provider& target = settings.providers["cloud"];
  target.key.auth = proxy::auth_style::entra;
  target.key.header = "api-key";
  target.key.credentials = {"https://cognitiveservices.azure.com/.default",
                        {{.place = credential_place::entra_secret,
                          .url = server(),
                          .tenant = "tenant-1",
                          .name = "client-1",
                          .own = proxy::secret("s3cret+/=value")}},
                        {}};
  accept("token-1");
  EXPECT_EQ(ask("cloud").status, 200);
}

TEST_F(credentials_test, AnInstancesRoleSignsAndItsExpiredTokenIsRenewed) {
  std::atomic<int> refusals{0};
  const scripted_provider bedrock([&refusals](provider_call& call) {
    const std::string by = call.request().field("authorization");
    const bool is_signed = by.starts_with("AWS4-HMAC-SHA256 Credential=ASIAEXAMPLE") && call.request().field("x-amz-security-token") == "session/token==";
    if (!is_signed || by.find("ASIAEXAMPLE1/") != std::string::npos) {
      ++refusals;
      return call.answer(403, R"({"message":"The security token included in the request is expired"})", "x-amzn-errortype: ExpiredTokenException\r\n");
    }
    call.answer(200, R"({"output":{"message":{"role":"assistant","content":[{"text":"Hi"}]}},"stopReason":"end_turn","usage":{"inputTokens":2,"outputTokens":3,"totalTokens":5}})");
  });
  proxy::provider& target = add("cloud", bedrock);
  target.key.is_optional = false;
  target.dialect = "bedrock";
  target.key.auth = proxy::auth_style::aws;
  target.key.aws_region = "us-east-1";
  target.url.path.clear();
  target.behaves.stream = proxy::upstream_stream::never;
  target.key.credentials = proxy::credential_source{"", {{.place = credential_place::aws_instance, .url = server()}}, {}};
  const http_response got = ask("cloud");
  EXPECT_EQ(got.status, 200) << got.body;
  EXPECT_EQ(refusals, 1);
  EXPECT_EQ(asked(), 6);
}

TEST_F(credentials_test, AReloadAsksForWhatIsNewAndKeepsWhatIsNot) {
  accept("token-1");
  EXPECT_EQ(ask("cloud").status, 200);
  proxy::provider& second = settings.providers["second"] = settings.providers["cloud"];
  second.name = "second";
  add_route("second", {"second/m"});
  gateway->reload(settings);
  EXPECT_TRUE(testing::comes_true([&] { return ask("second").status == 200; }));
  EXPECT_EQ(asked(), 1);
}

}  // namespace
}  // namespace photofinish::gateway
