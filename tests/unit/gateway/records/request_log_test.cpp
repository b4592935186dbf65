// Tests the log line of each request. A string that a provider or a client invented must appear as one harmless word, or must be left out.
#include "gateway/records/request_log.hpp"

#include "metrics/shard.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {
namespace {

class RequestLine : public testing::Test {
 protected:
  // Returns the log line of a request whose race `groq/m` won. The answer had this finish_reason.
  std::string line_of(const std::string& finish) {
    request_record record;
    record.id = "req_1";
    planned_attempt planned;
    planned.target = {"groq", "m"};
    record.planned.push_back(planned);
    racing::attempt_report attempt;
    attempt.end = racing::attempt_end::won;
    attempt.summary.foreign_finish = finish;
    record.race.attempts.push_back(attempt);
    record.race.winner = 0;
    const metrics::attempt_observation seen{.target = shard_.target("groq", "m"), .outcome = metrics::attempt_outcome::won};
    return request_line(record, std::span(&seen, 1));
  }

 private:
  metrics::series_budget budget_;
  metrics::shard shard_{budget_};
};

TEST_F(RequestLine, KeepsTheRawValueOfAForeignFinish) {
  EXPECT_NE(line_of("eos_token").find("groq/m won finish=eos_token"), std::string::npos) << line_of("eos_token");
}

TEST_F(RequestLine, HasNoFinishWhereTheProviderUsedOneOfOpenAis) {
  EXPECT_EQ(line_of("").find("finish"), std::string::npos);
}

TEST_F(RequestLine, KeepsNothingOfAFinishThatMayBeMoreThanAWord) {
  for (const std::string& odd : {std::string("two words"), std::string("line\nbreak"), std::string("\"quote"), std::string(41, 'x')}) {
    const std::string line = line_of(odd);
    EXPECT_EQ(line.find(odd), std::string::npos) << line;
    EXPECT_NE(line.find("finish=unprintable"), std::string::npos) << line;
    EXPECT_EQ(line.find('\n'), std::string::npos);
  }
}

class WholeRequestLine : public testing::Test {
 protected:
  WholeRequestLine() {
    record.id = "req_1";
    record.peer = {boost::asio::ip::make_address("192.0.2.7"), 50123};
    record.endpoint = metrics::endpoint::chat_completions;
    record.model = "fast";
    record.status = 200;
    record.times.received_at = start;
    record.times.ended_at = start + std::chrono::milliseconds(900);
    record.planned.push_back({.target = {"groq", "m"}, .id = "groq/m"});
    racing::attempt_report attempt;
    attempt.end = racing::attempt_end::won;
    attempt.started_at = start;
    // The attempt won the race when its first token arrived.
    attempt.ended_at = start + std::chrono::milliseconds(200);
    record.race.attempts.push_back(attempt);
    record.race.winner = 0;
  }

  std::string line(log_form form = log_form::text) {
    metrics::attempt_observation seen{.target = shard.target("groq", "m"), .outcome = metrics::attempt_outcome::won};
    seen.reported = reported;
    return request_line(record, std::span(&seen, 1), form);
  }

  const proxy::instant start{std::chrono::hours(1)};
  request_record record;
  metrics::by<metrics::reported_stage, std::optional<metrics::seconds>> reported;
  metrics::series_budget budget;
  metrics::shard shard{budget};
};

// Each attempt has its own time in the log line. The time of the answer covers all attempts.
TEST_F(WholeRequestLine, HasTheTargetThatWentOnWithTheAnswer) {
  auto rest = std::make_unique<race_account>();
  rest->terms.is_continuation = true;
  rest->planned.push_back({.target = {"vllm", "m"}, .id = "vllm/m"});
  racing::attempt_report attempt;
  attempt.end = racing::attempt_end::won;
  attempt.started_at = rest->race.begun_at = start + std::chrono::milliseconds(500);
  rest->race.attempts.push_back(attempt);
  rest->race.winner = 0;
  rest->times.ended_at = record.times.ended_at;
  record.continuation.races.push_back(std::move(rest));
  const std::vector<metrics::attempt_observation> seen{
      {.target = shard.target("groq", "m"), .outcome = metrics::attempt_outcome::broken, .reason = metrics::attempt_reason::stall},
      {.target = shard.target("vllm", "m"), .outcome = metrics::attempt_outcome::continued}};
  const std::string text = request_line(record, seen);
  EXPECT_NE(text.find("groq/m broken/stall ms=500.0"), std::string::npos) << text;
  EXPECT_NE(text.find("vllm/m continued ms=400.0"), std::string::npos) << text;
}

TEST_F(WholeRequestLine, SaysWhoAskedForWhat) {
  EXPECT_NE(line().find(" peer=192.0.2.7:50123 endpoint=chat_completions model=fast "), std::string::npos) << line();
  record.peer = {boost::asio::ip::make_address("255.255.255.255"), 65535};
  EXPECT_NE(line().find(" peer=255.255.255.255:65535 "), std::string::npos) << line();
  record.peer = {boost::asio::ip::make_address("2001:db8::7"), 50123};
  EXPECT_NE(line().find(" peer=[2001:db8::7]:50123 "), std::string::npos) << line();
}

TEST_F(WholeRequestLine, SaysWhichErrorItWasAnsweredWith) {
  EXPECT_EQ(line().find("code="), std::string::npos);
  record.code = "rate_limit_exceeded";
  EXPECT_NE(line().find(" code=rate_limit_exceeded "), std::string::npos) << line();
}

TEST_F(WholeRequestLine, SaysWhoseLimitRefusedItAndWhyThereWasNoRoom) {
  EXPECT_EQ(line().find("limit="), std::string::npos);
  record.code = "rate_limit_exceeded";
  record.limit = "team search tpm";
  EXPECT_NE(line().find(R"( code=rate_limit_exceeded limit="team search tpm" form=)"), std::string::npos) << line();
  record.overload = metrics::overload_reason::max_inflight;
  EXPECT_NE(line().find(" reason=max_inflight form="), std::string::npos) << line();
  const auto read = nlohmann::json::parse("{" + line(log_form::json) + "}");
  EXPECT_EQ(read.at("limit"), "team search tpm");
  EXPECT_EQ(read.at("reason"), "max_inflight");
}

TEST_F(WholeRequestLine, SaysWhatItReadAndWhatItCostInAll) {
  EXPECT_EQ(line().find("usd="), std::string::npos) << "no price is known";
  record.race.attempts[0].summary.usage = proxy::token_usage{.input_tokens = 1200, .output_tokens = 9,
                                                             .cached_input_tokens = 1000};
  racing::attempt_report loser = record.race.attempts[0];
  loser.end = racing::attempt_end::lost;
  record.race.attempts.push_back(loser);
  const std::vector<metrics::attempt_observation> seen{
      {.target = shard.target("groq", "m"), .outcome = metrics::attempt_outcome::won,
       .price = metrics::cost{0.25, metrics::cost_kind::winner}},
      {.target = shard.target("groq", "m"), .outcome = metrics::attempt_outcome::lost,
       .price = metrics::cost{0.5, metrics::cost_kind::loser}}};
  const std::string text = request_line(record, seen);
  EXPECT_NE(text.find(" input_tokens=1200 cached_tokens=1000 usd=0.75 attempts="), std::string::npos) << text;
  const auto read = nlohmann::json::parse("{" + request_line(record, seen, log_form::json) + "}");
  EXPECT_EQ(read.at("input_tokens"), 1200);
  EXPECT_EQ(read.at("usd"), 0.75);
}

TEST_F(WholeRequestLine, TheWinnersMsIsTheWholeOfItsAnswer) {
  EXPECT_NE(line().find("groq/m won ms=900.0\""), std::string::npos) << line();
  record.race.attempts[0].end = racing::attempt_end::lost;
  EXPECT_NE(line().find(" ms=200.0\""), std::string::npos) << line();
}

TEST_F(WholeRequestLine, SaysWhatTheProviderSaysOfItsTime) {
  reported[metrics::reported_stage::queue] = std::chrono::milliseconds(170);
  EXPECT_NE(line().find("groq/m won queue_ms=170.0 ms=900.0\""), std::string::npos) << line();
  reported[metrics::reported_stage::prompt] = std::chrono::microseconds(800);
  EXPECT_NE(line().find(" queue_ms=170.0 prompt_ms=0.8 "), std::string::npos) << line();
}

TEST_F(WholeRequestLine, IsJsonWithNumbersAsNumbers) {
  record.model = "a\"b\xff";
  const auto read = nlohmann::json::parse("{" + line(log_form::json) + "}");
  EXPECT_EQ(read.at("status"), 200);
  EXPECT_EQ(read.at("duration_ms"), 900.0);
  EXPECT_EQ(read.at("model"), "a\"b?");
  EXPECT_EQ(read.at("attempts").at(0).at("target"), "groq/m");
}

TEST(PlainLine, HasTheFieldsThatAreKnown) {
  plain_request request{.id = "req_1", .peer = {boost::asio::ip::make_address("192.0.2.7"), 9}};
  request.endpoint = metrics::endpoint::models;
  request.method = "GET", request.path = "/v1/models";
  request.outcome = metrics::request_outcome::client_error;
  request.status = 401, request.code = "invalid_api_key";
  EXPECT_EQ(plain_line(request),
            "request id=req_1 peer=192.0.2.7:9 endpoint=models method=GET path=/v1/models client=_none "
            "outcome=client_error status=401 code=invalid_api_key");
  EXPECT_EQ(plain_line({.id = {}, .peer = {}, .outcome = metrics::request_outcome::gateway_error, .status = 503}),
            "request endpoint=_other client=_none outcome=gateway_error status=503");
}

TEST(PlainLine, HasTeamAndModelWhereTheyAreKnownAndAPeerWithoutAPort) {
  plain_request request{.id = "req_1", .peer = {boost::asio::ip::make_address("192.0.2.7"), 0}};
  request.client = "_jwt/sso/search/alice", request.team = "search", request.model = "fast";
  EXPECT_EQ(plain_line(request, log_form::logfmt),
            "event=request id=req_1 peer=192.0.2.7 endpoint=_other model=fast client=_jwt/sso/search/alice team=search "
            "outcome=ok status=200");
  EXPECT_NE(plain_line(request, log_form::json).find(R"("team":"search")"), std::string::npos);
}

TEST_F(WholeRequestLine, HasTheTeamOfItsCaller) {
  EXPECT_EQ(line().find(" team="), std::string::npos);
  record.caller.team = "search";
  EXPECT_NE(line().find(" team=search outcome="), std::string::npos) << line();
}

TEST(LastForwarded, IsWhatTheNearestProxyAdded) {
  const auto last = [](std::vector<proxy::header_field> fields) { return std::string(last_forwarded(fields)); };
  EXPECT_EQ(last({}), "");
  EXPECT_EQ(last({{"x-forwarded-for", "192.0.2.1"}}), "192.0.2.1");
  EXPECT_EQ(last({{"x-forwarded-for", "made up, 192.0.2.1 , 192.0.2.2 "}}), "192.0.2.2");
  EXPECT_EQ(last({{"x-forwarded-for", "a"}, {"x-forwarded-for", "b,c"}}), "c");
}

TEST(LoggablePath, IsKeptWhereItIsMadeOfWords) {
  for (const char* path : {"/", "/v1/embeddings", "/v1/chat/completions/", "/v1/models/llama-v3p1-405b-instruct",
                           "/v1/models/openai/gpt-oss-120b", "/v1/models/meta-llama%2FLlama-3.3-70B-Instruct", "/wp-login.php",
                           "/v1/organizations/authentication"})
    EXPECT_EQ(loggable_path(path, {}), path);
}

TEST(LoggablePath, LosesWhatMayBeAKey) {
  for (const char* key : {"sk-proj-aB3dE5fG7hI9kL1mN3oP5qR7", "gsk_0123456789abcdefABCDEF", "AIzaSyA1234567890abcdefghij",
                          "123e4567-e89b-12d3-a456-426614174000", "0123456789abcdef0123456789abcdef"}) {
    const std::string shown = loggable_path("/v1/" + std::string(key) + "/chat", {});
    EXPECT_EQ(shown, "/v1/***/chat");
  }
}

// The log must hide a key even if the configuration file stores only the key's hash.
TEST(LoggablePath, LosesAKeyOfThisGatewaysWhereverItStands) {
  access_key_list known{{"team", proxy::secret("door"), {}}};
  known.push_back({.name = "hashed", .key = {}, .routes = {}, .hashes = {digest_of_key("gate"), digest_of_key("a=b/c")}});
  EXPECT_EQ(loggable_path("/v1/door/chat/xdoory", known), "/v1/***/chat/xdoory");
  EXPECT_EQ(loggable_path("/gate/v1/chat", known), "/***/v1/chat");
  EXPECT_EQ(loggable_path("/v1/key=gate&x/chat", known), "/v1/key=***&x/chat");
  EXPECT_EQ(loggable_path("/v1/x:a=b/c/chat", known), "/v1/x:***/chat");
  EXPECT_EQ(loggable_path("/v1/%67ate/a%3Db%2Fc", known), "/v1/***/***");
  EXPECT_EQ(loggable_path("door", known), "***");
  EXPECT_EQ(loggable_path("/v1/models/meta-llama/llama-3:free", known), "/v1/models/meta-llama/llama-3:free");
}

// The time needed to hide keys in a path must not depend on the number of keys. It must grow at most linearly with the length of the path.
TEST(LoggablePath, OfEndlessPartsIsHiddenInPlaceOfLookedUp) {
  const access_key_list known{{"team", proxy::secret("door"), {}}};
  std::string path;
  for (int each = 0; each < 300; ++each) path += "/a";
  const std::string shown = loggable_path(path, known);
  EXPECT_TRUE(shown.starts_with("/a/a/a"));
  EXPECT_TRUE(shown.ends_with("/a/***")) << shown;
  EXPECT_LT(shown.size(), 200u);
}

}  // namespace
}  // namespace photofinish::gateway
