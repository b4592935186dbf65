// Tests rules of routes, which send requests to other targets depending on the headers and the content of the request.
#include "tests/support/gateway/gateway_fixture.hpp"

#include <string>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;

class rules_test : public gateway_fixture {
 protected:
  scripted_provider general{streams({"general"})}, applier{streams({"applied"})}, batcher{streams({"batched"})};

  gateway::route& serve() {
    add("general", general), add("apply", applier), add("batch", batcher);
    settings.names.tasks = {"apply", "reason"};
    settings.names.projects = {"search"};
    return add_route("code", {"general/m"});
  }
  static gateway::route_rule rule(const std::string& name, const std::string& provider) {
    gateway::route_rule made;
    made.name = name;
    made.targets = {{provider, "m"}};
    made.race.policy = racing::race_policy::fallback;
    return made;
  }
};

TEST_F(rules_test, TheFirstRuleWhoseConditionsHoldDecides) {
  gateway::route& code = serve();
  code.rules.push_back(rule("apply", "apply"));
  code.rules.back().task = "apply";
  code.rules.push_back(rule("later", "batch"));
  code.rules.back().work = gateway::request_class::batch;
  start();
  EXPECT_EQ(post(streamed("code")).text(), "general");
  EXPECT_EQ(post(streamed("code"), "x-race-task: apply\r\n").text(), "applied");
  EXPECT_EQ(post(streamed("code"), "x-race-task: reason\r\n").text(), "general");
  EXPECT_EQ(post(streamed("code"), "x-race-class: batch\r\n").text(), "batched");
  EXPECT_EQ(post(streamed("code"), "x-race-class: interactive\r\n").text(), "general");
  EXPECT_EQ(post(streamed("code"), "x-race-task: apply\r\nx-race-class: batch\r\n").text(), "applied") << "the first";
  EXPECT_EQ(post(streamed("code", R"(,"metadata":{"task":"apply"})")).text(), "applied");
  EXPECT_EQ(post(streamed("code", R"(,"metadata":{"task":"something of theirs"})")).text(), "general");
}

TEST_F(rules_test, NamesThatTheConfigurationDoesNotHaveAreRefused) {
  serve();
  start();
  for (const char* field : {"x-race-task: unheard-of\r\n", "x-race-project: unheard-of\r\n", "x-race-class: urgent\r\n"}) {
    const http_response got = post(streamed("code"), field);
    EXPECT_EQ(got.status, 400) << field;
    EXPECT_NE(got.body.find("x-race-"), std::string::npos) << got.body;
  }
  EXPECT_EQ(post(streamed("code"), "x-race-project: search\r\n").status, 200);
}

TEST_F(rules_test, AReceiptSaysWhichRule) {
  keeping.tick = 20ms;
  gateway::route& code = serve();
  gateway::route_rule apply = rule("apply", "apply");
  apply.task = "apply";
  apply.targets.push_back({"general", "m"});
  apply.race.policy = racing::race_policy::adaptive;
  code.rules.push_back(apply);
  start();
  const std::string fields = "x-race-task: apply\r\nx-race-project: search\r\nx-race-class: batch\r\n";
  http_response got;
  EXPECT_TRUE(comes_true([&] {
    got = post(streamed("code"), fields);
    return !got.field_or("x-race-id", "").empty();
  }));
  http_response shown;
  EXPECT_TRUE(comes_true([&] {
    shown = get("/v1/races/" + got.field_or("x-race-id", "none"));
    return shown.status == 200;
  }));
  for (const char* part : {R"("route":"code")", R"("rule":"apply")", R"("task":"apply")", R"("project":"search")",
                           R"("class":"batch")", R"("policy":"adaptive")"})
    EXPECT_NE(shown.body.find(part), std::string::npos) << part << " in " << shown.body;
}

TEST_F(rules_test, ATargetWhoseFactsAreNotAsRequiredSitsOutAndIsNamed) {
  add("general", general).facts["m"].quantization = "fp4";
  add("batch", batcher).facts["m"].quantization = "bf16";
  add_route("code", {"general/m", "batch/m"}).require.quantization = {"fp8", "bf16"};
  start();
  const http_response got = post(streamed("code"));
  EXPECT_EQ(got.text(), "batched");
  EXPECT_EQ(got.field_or("x-race-skipped", ""), "general/m;reason=required:quantization");
}

TEST_F(rules_test, ARequestThatIsTooLongForATargetRunsWithoutItWhereAnotherCanTakeIt) {
  add("general", general).facts["m"].context = 1'000;
  add("batch", batcher);
  add_route("code", {"general/m", "batch/m"});
  add_route("alone", {"general/m"});
  start();
  const http_response got = post(streamed("code", R"(,"max_tokens":1001)"));
  EXPECT_EQ(got.text(), "batched");
  EXPECT_EQ(got.field_or("x-race-skipped", ""), "general/m;reason=too_long:context");
  EXPECT_EQ(post(streamed("alone", R"(,"max_tokens":1001)")).text(), "general") << "it says better itself what it cannot take";
}

}  // namespace
}  // namespace photofinish::testing
