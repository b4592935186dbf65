#include "gateway/commands/doctor/findings.hpp"

#include "gateway/commands/doctor/doctor_report.hpp"
#include "gateway/commands/doctor/doctor_targets.hpp"
#include "proxy/failures/network_failures.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <sstream>
#include <string>

namespace photofinish::gateway {
namespace {

using proxy::failure;
using proxy::failure_kind;
using namespace std::chrono_literals;

proxy::provider groq() {
  proxy::provider made;
  made.name = "groq";
  made.preset = "groq";
  made.url = {.is_tls = true, .host = "api.groq.com", .port = 443, .path = "/openai/v1"};
  made.key.value = proxy::secret("gsk-secret");
  made.key.variable = "GROQ_API_KEY";
  return made;
}

race_candidate tried(const proxy::provider& at) {
  return {&at, {at.name, "some-model"}, {key_source::configured, at.key.value}, at.name + "/some-model"};
}

failure answered(int status, failure_kind kind, std::string detail = "its own words") {
  failure why = proxy::network_failure(kind, std::move(detail));
  why.status = status;
  return why;
}

struct wording {
  const char* name;
  failure why;
  const char* cause;   // a text that the reported cause must contain
  const char* advice;  // a text that the shown advice must contain
};

std::vector<wording> wordings() {
  failure limited = answered(429, failure_kind::rate_limited);
  limited.retry_after = 1'500ms;
  failure streams = answered(400, failure_kind::bad_request);
  streams.param = "stream";
  streams.code = "unsupported_value";
  failure parameter = answered(400, failure_kind::bad_request);
  parameter.param = "max_completion_tokens";
  return {
      {"dns", proxy::network_failure(failure_kind::dns, "cannot resolve api.groq.com: no such name"),
       "the host name has no address: cannot resolve", "a mistake in base_url of provider 'groq'"},
      {"connect", proxy::network_failure(failure_kind::connect, "connection refused"),
       "no connection to api.groq.com:443: connection refused", "firewall"},
      {"tls", proxy::network_failure(failure_kind::tls, "self-signed certificate"), "no TLS connection to api.groq.com",
       "ca_file"},
      {"silent", proxy::network_failure(failure_kind::timeout, "no first token within 30 s"),
       "the target sends nothing: no first token", "--timeout"},
      {"401", answered(401, failure_kind::auth), "the key is refused (401): its own words", "compare GROQ_API_KEY"},
      {"403", answered(403, failure_kind::auth), "not allowed to use this model (403)", "account, project or region"},
      {"404", answered(404, failure_kind::bad_request), "no such model or path (404)",
       "https://api.groq.com:443/openai/v1"},
      {"429", limited, "too many requests or tokens (429)", "try again in 2 s"},
      {"quota", answered(429, failure_kind::quota), "credit or quota is used up", "add credit"},
      {"stream", streams, "the target refuses to stream (400)", "stream: never"},
      {"parameter", parameter, "the request is refused (400)", "'max_completion_tokens', name it in drop_params"},
      {"dialect", proxy::bad_stream("expected an event stream, got text/html"), "incomplete in dialect openai",
       "if this continues, check dialect"},
      {"their fault", answered(503, failure_kind::server_error), "the provider has failed (503)", "status page"},
      {"our limit", proxy::busy_failure("max_connections are in use"), "max_connections are in use", ""},
  };
}

TEST(DoctorFindings, WithoutAKeyNoneIsNamed) {
  const proxy::provider local = groq();
  race_candidate keyless{&local, {"groq", "m"}, {key_source::not_needed, {}}, "groq/m"};
  const std::string advice = explain(answered(429, failure_kind::rate_limited), keyless).advice;
  EXPECT_TRUE(advice.ends_with("ask the provider for a higher limit")) << advice;
}

TEST(DoctorFindings, EachFailureSaysItsCauseAndWhatToDo) {
  const proxy::provider at = groq();
  for (const wording& each : wordings()) {
    const diagnosis got = explain(each.why, tried(at));
    EXPECT_NE(got.cause.find(each.cause), std::string::npos) << each.name << ": " << got.cause;
    EXPECT_NE(got.advice.find(each.advice), std::string::npos) << each.name << ": " << got.advice;
    EXPECT_EQ((got.cause + got.advice).find("gsk-secret"), std::string::npos) << each.name;
  }
}

TEST(DoctorFindings, WithoutAKeyTheVariableIsNamed) {
  EXPECT_EQ(explain_no_key(groq()).advice, "set GROQ_API_KEY, or set api_key for provider 'groq'");
  proxy::provider own = groq();
  own.preset.clear();
  EXPECT_EQ(explain_no_key(own).advice, "set api_key for provider 'groq'");
}

TEST(DoctorFindings, TheKeyIsNamedByWhereItCameFrom) {
  proxy::provider at = groq();
  EXPECT_EQ(key_label(tried(at)), "GROQ_API_KEY");
  at.key.origin = "file:/run/secrets/groq";
  EXPECT_EQ(key_label(tried(at)), "file:/run/secrets/groq");
  at.key.origin.clear();
  at.key.variable.clear();
  EXPECT_EQ(key_label(tried(at)), "api_key");
  at.key.value = {};
  EXPECT_EQ(key_label(tried(at)), "temporary credentials");
  EXPECT_EQ(key_label({&at, {"groq", "m"}, {key_source::not_needed, {}}, ""}), "none needed");
}

config with_routes() {
  config made;
  for (const char* name : {"a", "b", "c"}) made.providers[name].name = name;
  made.providers["b"].models = {"*", "extra"};
  made.routes["fast"] = {"fast", {{"a", "one"}, {"b", "two"}}, {}};
  route_rule rule;
  rule.targets = {{"a", "three"}};
  made.routes["fast"].rules = {rule};
  made.routes["other"] = {"other", {{"a", "one"}}, {}};
  return made;
}

std::string names(const doctor_targets& of) {
  std::string text;
  for (const target_name& each : of.chosen) text += each.text() + " ";
  return text;
}

TEST(DoctorTargets, WithoutAWordEachTargetIsTriedOnce) {
  const doctor_targets all = targets_to_try(with_routes(), {});
  EXPECT_EQ(names(all), "a/one b/two a/three b/extra ");
  ASSERT_EQ(all.notes.size(), 1u);
  EXPECT_NE(all.notes[0].find("'c' was not tried"), std::string::npos);
}

TEST(DoctorTargets, AWordIsARouteAProviderOrATarget) {
  EXPECT_EQ(names(targets_to_try(with_routes(), {"other", "b"})), "a/one b/two b/extra ");
  EXPECT_EQ(names(targets_to_try(with_routes(), {"c/any/model"})), "c/any/model ");
  EXPECT_EQ(targets_to_try(with_routes(), {"fas"}).problem,
            "'fas' is neither a route, nor a provider, nor provider/model; did you mean 'fast'?");
  EXPECT_NE(targets_to_try(with_routes(), {"c"}).problem, "");
  EXPECT_NE(targets_to_try(with_routes(), {"x/y"}).problem, "");
  EXPECT_NE(targets_to_try(with_routes(), {"c/"}).problem, "");
}

doctor_report two_targets() {
  examined_target good{.target = "a/one", .key = "A_KEY", .works = true};
  good.ttft_ms = 81.4;
  good.tokens_per_second = 512.25;
  good.cost_usd = 0.000125;
  good.limits = {59, 9'000, 12'000, 0, 60, proxy::rate_headroom::unknown};
  examined_target bad{.target = "b/two", .key = "B_KEY", .works = false, .trouble = {"why", "do this"},
                      .reason = "auth", .status = 401};
  return {{good, bad}, {"c was not tried"}};
}

TEST(DoctorReport, TheTableSaysWhatWorksAndBelowItWhatToDo) {
  std::ostringstream out;
  print_report(two_targets(), out);
  EXPECT_EQ(out.str(),
            "TARGET  WORKS     TTFT ms  tok/s  REQUESTS LEFT   TOKENS LEFT  COST USD  KEY\n"
            "a/one   yes       81       512.2  59 of 60, 12 s  9000 left    0.000125  A_KEY\n"
            "b/two   NO: auth  -        -      -               -            -         B_KEY\n"
            "\nb/two: why\n  what to do: do this\n\nnote: c was not tried\n"
            "\n1 of 2 targets work; this cost 0.000125 USD, not counting targets without a known price\n");
  EXPECT_FALSE(two_targets().all_work());
}

TEST(DoctorReport, TheSameAsJson) {
  const auto read = nlohmann::json::parse(report_json(two_targets()));
  EXPECT_EQ(read["works"], false);
  const auto& good = read["targets"][0];
  EXPECT_EQ(good["limits"]["requests"]["limit"], 60);
  EXPECT_TRUE(good["limits"]["tokens"]["limit"].is_null());
  EXPECT_EQ(good["limits"]["tokens"]["remaining"], 9'000);
  EXPECT_TRUE(good["error"].is_null());
  EXPECT_EQ(read["targets"][1]["error"]["status"], 401);
  EXPECT_EQ(read["targets"][1]["error"]["advice"], "do this");
}

}  // namespace
}  // namespace photofinish::gateway
