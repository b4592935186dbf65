// Tests `photofinish doctor` with providers that work, refuse, hang, do not stream, or do not exist.
#include "gateway/commands/doctor/doctor.hpp"
#include "tests/support/gateway/scripted_provider.hpp"
#include "tests/support/gateway/table_environment.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <csignal>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>

namespace photofinish::testing {
namespace {

using nlohmann::json;
using tests::table_environment;
using namespace std::chrono_literals;

constexpr std::string_view key = "sk-doctor-0123456789";

std::string provider_text(const std::string& name, std::uint16_t port, std::string_view more = "") {
  return "  " + name + ": {base_url: 'http://127.0.0.1:" + std::to_string(port) + "/v1', api_key: '${KEY}'" +
         ", models: [m]" + std::string(more) + "}\n";
}

class Doctor : public ::testing::Test {
 protected:
  Doctor() { std::signal(SIGPIPE, SIG_IGN); }

  struct verdict {
    int code = 0;
    std::string out, err;
  };
  verdict run(const std::string& providers, gateway::doctor_options options = {}) {
    table_environment machine{{{"KEY", std::string(key)}}, {{"p.yaml", "providers:\n" + providers}}};
    options.config_file = "p.yaml";
    std::ostringstream out, err;
    const int code = run_doctor(options, machine.machine(), out, err);
    EXPECT_EQ((out.str() + err.str()).find(key), std::string::npos) << out.str() << err.str();
    return {code, out.str(), err.str()};
  }
  json ask(const std::string& providers, std::chrono::milliseconds patience = 30s) {
    const verdict got = run(providers, {.config_file = {}, .targets = {}, .wants_json = true, .patience = patience});
    const json report = json::parse(got.out, nullptr, false);
    EXPECT_FALSE(report.is_discarded()) << got.out << got.err;
    if (!report.is_object()) return {};
    EXPECT_EQ(got.code, report["works"] == true ? 0 : 1);
    return report;
  }
  // Runs `photofinish doctor` with one provider, and returns its report.
  json ask_one(scripted_provider::script script, std::string_view more = "", std::chrono::milliseconds patience = 30s) {
    const scripted_provider at(std::move(script));
    return ask(provider_text("p", at.port(), more), patience)["targets"][0];
  }
};

std::vector<std::string> thirty_words() {
  return std::vector<std::string>(30, " one");
}

TEST_F(Doctor, ATargetThatWorksHasItsFiguresLimitsCostAndKeysName) {
  const scripted_provider good([](provider_call& call) {
    call.send("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n"
              "x-ratelimit-limit-requests: 60\r\nx-ratelimit-remaining-requests: 59\r\n"
              "x-ratelimit-reset-requests: 1s\r\n\r\n");
    call.event(role_chunk());
    for (const std::string& word : thirty_words()) {
      call.event(token_chunk(word));
      call.wait(5ms);
    }
    call.event(finish_chunk());
    call.event(usage_chunk(20, 30));
    call.end();
  });
  const json report = ask(provider_text("p", good.port(), ", prices: {m: 1/2}"));
  EXPECT_EQ(report["works"], true);
  const json& found = report["targets"][0];
  EXPECT_EQ(found["target"], "p/m");
  EXPECT_EQ(found["key"], "KEY");
  EXPECT_GT(found["ttft_ms"].get<double>(), 0);
  EXPECT_GT(found["tokens_per_second"].get<double>(), 0);
  EXPECT_EQ(found["input_tokens"], 20);
  EXPECT_EQ(found["output_tokens"], 30);
  EXPECT_NEAR(found["cost_usd"].get<double>(), 80e-6, 1e-12);
  EXPECT_EQ(found["limits"]["requests"], (json{{"remaining", 59}, {"limit", 60}, {"reset_ms", 1000}}));
  const received_request asked = good.request();
  EXPECT_EQ(asked.field("authorization"), "Bearer " + std::string(key));
  EXPECT_EQ(json::parse(asked.body)["max_completion_tokens"], 64);
}

TEST_F(Doctor, EachPromptIsUnlikeTheOthers) {
  const scripted_provider good(streams(thirty_words()));
  ask(provider_text("p", good.port()));
  ask(provider_text("p", good.port()));
  EXPECT_NE(json::parse(good.request(0).body)["messages"], json::parse(good.request(1).body)["messages"]);
}

TEST_F(Doctor, ARefusedKeyIsNotTheModelsFault) {
  const json found =
      ask_one(refuses(401, R"({"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}})"));
  EXPECT_EQ(found["works"], false);
  EXPECT_EQ(found["error"]["reason"], "auth");
  EXPECT_EQ(found["error"]["status"], 401);
  EXPECT_EQ(found["error"]["cause"], "the key is refused (401): Incorrect API key provided");
  EXPECT_NE(found["error"]["advice"].get<std::string>().find("compare KEY"), std::string::npos);
}

TEST_F(Doctor, AnUnknownModelIsNamed) {
  const json found = ask_one(refuses(404, R"({"error":{"message":"The model `m` does not exist"}})"));
  EXPECT_EQ(found["error"]["status"], 404);
  EXPECT_NE(found["error"]["advice"].get<std::string>().find("'m'"), std::string::npos);
}

TEST_F(Doctor, AUsedUpRateLimitSaysWhatItIsAndWhenItIsFullAgain) {
  const json found = ask_one(refuses(429, R"({"error":{"message":"Rate limit reached","code":"rate_limit_exceeded"}})",
                                     "retry-after: 7\r\nx-ratelimit-remaining-requests: 0\r\n"
                                     "x-ratelimit-limit-requests: 30\r\n"));
  EXPECT_EQ(found["error"]["reason"], "rate_limited");
  EXPECT_NE(found["error"]["advice"].get<std::string>().find("in 7 s"), std::string::npos);
  EXPECT_EQ(found["limits"]["requests"]["limit"], 30);
  EXPECT_EQ(found["limits"]["requests"]["remaining"], 0);
}

TEST_F(Doctor, AProviderThatHangsIsLeftAfterItsTimeout) {
  const json found = ask_one(stays_silent(), "", 300ms);
  EXPECT_EQ(found["error"]["reason"], "timeout");
  EXPECT_NE(found["error"]["cause"].get<std::string>().find("no first token"), std::string::npos);
}

TEST_F(Doctor, AnAnswerThatNeverEndsDoesNotWork) {
  const json found = ask_one(never_ends(), "", 300ms);
  EXPECT_EQ(found["works"], false);
  const std::string reason = found["error"]["reason"];  // the reason shows that a time limit or a size limit ended the answer
  EXPECT_TRUE(reason == "timeout" || reason == "bad_stream") << reason;
}

TEST_F(Doctor, WhoDoesNotStreamIsAskedOnceMoreForAWholeAnswer) {
  const json found = ask_one(in_turn(
      {refuses(400, R"({"error":{"message":"must be verified","param":"stream","code":"unsupported_value"}})"),
       [](provider_call& call) {
         call.answer(200, R"({"id":"x","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant",)"
                          R"("content":"one, two"},"finish_reason":"stop"}]})");
       }}));
  EXPECT_EQ(found["works"], true) << found;
  EXPECT_TRUE(found["ttft_ms"].is_null());
  EXPECT_NE(found["notes"][0].get<std::string>().find("refuses to stream"), std::string::npos);
}

TEST_F(Doctor, AStreamThatMayNotBeRefusedIsSaidToBe) {
  const json found = ask_one(
      refuses(400, R"({"error":{"message":"must be verified","param":"stream","code":"unsupported_value"}})"),
      ", stream: always");
  EXPECT_NE(found["error"]["cause"].get<std::string>().find("refuses to stream"), std::string::npos);
}

TEST_F(Doctor, AWebPageIsAWrongAddressOrDialect) {
  const json found = ask_one(refuses(200, "<html>hello</html>", "", {}, "text/html"));
  EXPECT_EQ(found["error"]["reason"], "bad_stream");
  EXPECT_NE(found["error"]["advice"].get<std::string>().find("with its /v1"), std::string::npos);
}

TEST_F(Doctor, AHostThatIsNotThereAndOneThatWorksAreToldApart) {
  const scripted_provider good(streams(thirty_words()));
  const std::string wrong = "  q: {base_url: 'http://127.0.0.1:1/v1', api_key: none, models: [n]}\n";
  const json report = ask(provider_text("p", good.port()) + wrong);
  EXPECT_EQ(report["works"], false);
  EXPECT_EQ(report["targets"][0]["works"], true);
  EXPECT_EQ(report["targets"][1]["error"]["reason"], "connect");
  EXPECT_EQ(report["targets"][1]["key"], "none needed");
}

TEST_F(Doctor, ATableForPeople) {
  const scripted_provider good(streams(thirty_words()));
  const verdict got = run(provider_text("p", good.port()));
  EXPECT_EQ(got.code, 0) << got.err;
  EXPECT_EQ(got.out.find("TARGET  WORKS"), 0u) << got.out;
  EXPECT_NE(got.out.find("1 of 1 targets work"), std::string::npos);
}

TEST_F(Doctor, WithoutAKeyNothingIsSent) {
  const scripted_provider good(streams(thirty_words()));
  const json report = ask("  p: {base_url: 'http://127.0.0.1:" + std::to_string(good.port()) + "/v1', models: [m]}\n");
  EXPECT_EQ(report["targets"][0]["error"]["reason"], "no_key");
  EXPECT_TRUE(good.requests().empty());
}

TEST_F(Doctor, TheEndOfAModelIsToldFromTheProvidersList) {
  const std::string list = R"({"object":"list","data":[{"id":"old","shutdown_date":"2026-12-11"},{"id":"m","shutdown_date":null}]})";
  const scripted_provider openai(in_turn({streams(thirty_words()), streams(thirty_words()), refuses(200, list)}));
  const json report = ask("  openai: {base_url: 'http://127.0.0.1:" + std::to_string(openai.port()) + "/v1', api_key: '${KEY}', models: [m, old]}\n");
  const received_request asked = openai.request(2);
  EXPECT_TRUE(asked.head.starts_with("GET /v1/models HTTP/1.1")) << asked.head;
  EXPECT_EQ(asked.field("authorization"), "Bearer " + std::string(key));
  for (const json& each : report["targets"]) {
    const bool has_ended = each["target"] == "openai/old";
    EXPECT_EQ(each["ends"], has_ended ? json("2026-12-11") : json()) << each;
    EXPECT_EQ(each["notes"].size(), has_ended ? 1u : 0u) << each;
  }
}

TEST_F(Doctor, AListThatIsRefusedIsNoTrouble) {
  const scripted_provider openai(in_turn({streams(thirty_words()), refuses(403, R"({"error":{"message":"no"}})")}));
  const json report = ask("  openai: {base_url: 'http://127.0.0.1:" + std::to_string(openai.port()) + "/v1', api_key: '${KEY}', models: [m]}\n");
  EXPECT_EQ(report["works"], true);
  EXPECT_EQ(report["targets"][0]["ends"], json());
}

TEST_F(Doctor, ATargetThatIsNotKnownIsWrongUsage) {
  const verdict got = run(provider_text("p", 1), {.config_file = {}, .targets = {"q"}});
  EXPECT_EQ(got.code, 2);
  EXPECT_NE(got.err.find("'q' is neither"), std::string::npos);
}

}  // namespace
}  // namespace photofinish::testing
