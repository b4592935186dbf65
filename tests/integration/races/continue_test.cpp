// Tests the setting `on_break: continue`: if a winner breaks off a plain text answer, another target continues this answer. The tests check
// the client, the metrics, the log and the request to the other target.
#include "tests/support/gateway/captured_log.hpp"
#include "tests/support/gateway/gateway_fixture.hpp"

#include <nlohmann/json.hpp>

#include <atomic>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace photofinish::testing {
namespace {

using nlohmann::json;
using std::chrono::operator""ms;

class continue_test : public gateway_fixture {
 protected:
  continue_test() { keeping.tick = 20ms; }

  std::vector<std::string> first_words{"Once upon ", "a time, ", "there "};
  std::function<void(provider_call&)> breaks = [](provider_call& call) { call.reset(); };
  scripted_provider breaking{[this](provider_call& call) {
    call.stream_head();
    call.event(role_chunk());
    for (const std::string& word : first_words) call.event(token_chunk(word));
    call.wait(30ms);  // waits before the reset, because a reset may discard earlier bytes that were not read yet
    breaks(call);
  }};
  std::vector<std::string> rest{"was ", "a fox."};
  std::function<void(provider_call&)> goes_on = [this](provider_call& call) {
    call.stream_head();
    call.event(role_chunk());
    for (const std::string& word : rest) call.event(token_chunk(word));
    call.event(finish_chunk());
    call.event(usage_chunk(20, 3));
    call.end();
  };
  // A provider that stays silent in the race, and answers only the request to continue the answer.
  scripted_provider second{[this](provider_call& call) {
    const bool is_asked_to_go_on = call.request().body.find("Once upon") != std::string::npos;
    if (is_asked_to_go_on) goes_on(call);
    else call.hang();
  }};

  racing::race_settings& serve() {
    add("p", breaking);
    add("q", second).behaves.prefill = proxy::prefill_form::last_message;
    racing::race_settings& race = add_route("r", {"p/m", "q/m"}).race;
    race.crawl.breaking = racing::on_break::continue_text;
    return race;
  }
  json asked_to_go_on() const {
    for (const received_request& each : second.requests())
      if (each.body.find("Once upon") != std::string::npos) return json::parse(each.body);
    return {};
  }
  void expect_nothing_left() {
    expect_metric(0, "photofinish_inflight_attempts");
    expect_metric(0, "photofinish_inflight_requests");
    expect_metric(0, "photofinish_memory_used_bytes");
  }
};

constexpr std::string_view with_usage = R"(,"stream_options":{"include_usage":true})";

TEST_F(continue_test, TheStreamGoesOnWithAnothersWords) {
  serve();
  start();
  const http_response got = post(streamed("r", with_usage));
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.text(), "Once upon a time, there was a fox.");
  EXPECT_EQ(got.field_or("x-race-winner", ""), "p/m");
  EXPECT_NE(got.body.find(": race continued-by=q/m\n\n"), std::string::npos) << got.body;
  EXPECT_EQ(got.body.find("error"), std::string::npos) << got.body;
  const auto events = got.events();
  EXPECT_EQ(events.back(), "[DONE]");
  std::set<std::string> ids;
  int roles = 0, finishes = 0;
  json usage;
  for (const std::string& each : events) {
    if (each == "[DONE]") continue;
    const json chunk = json::parse(each);
    ids.insert(chunk["id"].get<std::string>());
    if (chunk.contains("usage") && !chunk["usage"].is_null()) usage = chunk["usage"];
    if (chunk["choices"].empty()) continue;
    roles += chunk["choices"][0]["delta"].contains("role");
    finishes += !chunk["choices"][0]["finish_reason"].is_null();
  }
  EXPECT_EQ(ids.size(), 1u) << "one answer has one id";
  EXPECT_EQ(roles, 1);
  EXPECT_EQ(finishes, 1);
  ASSERT_TRUE(usage.is_object());
  EXPECT_EQ(usage["total_tokens"], 23);
  EXPECT_GT(usage["completion_tokens"], 3) << "what was said before is output";

  expect_metric(1, "photofinish_attempts_total", {R"(provider="p")", R"(outcome="broken")"});
  expect_metric(1, "photofinish_attempts_total", {R"(provider="q")", R"(outcome="continued")"});
  expect_metric(0, "photofinish_attempts_total", {R"(provider="q")", R"(outcome="won")"});
  expect_metric(1, "photofinish_requests_total", {R"(outcome="ok")"});
  expect_nothing_left();
}

TEST_F(continue_test, TheTargetGetsTheAnswerSoFarAndWhatIsLeftOfItsLength) {
  serve();
  start();
  post(streamed("r", R"(,"max_tokens":100)"));
  const json asked = asked_to_go_on();
  ASSERT_TRUE(asked.is_object());
  const json& last = asked["messages"].back();
  EXPECT_EQ(last["role"], "assistant");
  EXPECT_EQ(last["content"], "Once upon a time, there") << "without the white space at its end";
  EXPECT_LT(asked["max_tokens"], 100);
  EXPECT_GT(asked["max_tokens"], 90);
  EXPECT_FALSE(asked.contains("continue_final_message"));
}

TEST_F(continue_test, ANameThatAClientChoseIsShownInOneLine) {
  serve();
  settings.race.crawl.breaking = racing::on_break::continue_text;
  for (auto& [name, provider] : settings.providers) provider.models = {"*"};
  start();
  const std::string model = R"(p/m,q/m\n\ndata: {}\n\n)";
  EXPECT_NE(post(streamed(model)).body.find(": race continued-by=q/m??data: {}"), std::string::npos);
  EXPECT_EQ(post(whole(model)).field_or("x-race-continued-by", "").substr(0, 12), "q/m??data: {");
}

TEST_F(continue_test, AsItsProviderWantsToBeAsked) {
  serve();
  settings.providers.at("q").behaves.prefill = proxy::prefill_form::continue_final_message;
  start();
  post(streamed("r"));
  const json asked = asked_to_go_on();
  EXPECT_EQ(asked["continue_final_message"], true);
  EXPECT_EQ(asked["add_generation_prompt"], false);
}

TEST_F(continue_test, OrByAMarkOfTheMessage) {
  serve();
  settings.providers.at("q").behaves.prefill = proxy::prefill_form::prefix;
  start();
  post(streamed("r"));
  EXPECT_EQ(asked_to_go_on()["messages"].back()["prefix"], true);
}

TEST_F(continue_test, AWholeAnswerIsOneToo) {
  serve();
  start();
  const http_response got = post(whole("r"));
  EXPECT_EQ(got.status, 200);
  const json answer = json::parse(got.body);
  EXPECT_EQ(answer["choices"][0]["message"]["content"], "Once upon a time, there was a fox.");
  EXPECT_EQ(answer["choices"][0]["finish_reason"], "stop");
  EXPECT_EQ(answer["usage"]["total_tokens"], 23);
  EXPECT_EQ(got.field_or("x-race-continued-by", ""), "q/m");
  expect_nothing_left();
}

TEST_F(continue_test, AClientOfMessagesSeesOneMessage) {
  serve();
  start();
  test_client client = connect();
  client.post(R"({"model":"r","max_tokens":100,"stream":true,"messages":[{"role":"user","content":"a tale"}]})", "",
              "/v1/messages");
  const http_response got = client.read();
  std::string text;
  int starts = 0, blocks = 0, stops = 0;
  for (std::size_t at = 0; (at = got.body.find("data: ", at)) != std::string::npos; at += 6) {
    const json event = json::parse(got.body.substr(at + 6, got.body.find('\n', at) - at - 6));
    starts += event["type"] == "message_start";
    blocks += event["type"] == "content_block_start";
    stops += event["type"] == "message_stop";
    if (event["type"] == "content_block_delta") text += event["delta"]["text"].get<std::string>();
  }
  EXPECT_EQ(text, "Once upon a time, there was a fox.");
  EXPECT_EQ(starts, 1);
  EXPECT_EQ(blocks, 1);
  EXPECT_EQ(stops, 1);
}

TEST_F(continue_test, NotUnasked) {
  serve().crawl.breaking = racing::on_break::error;
  start();
  const http_response got = post(streamed("r"));
  EXPECT_NE(got.body.find("upstream_broken"), std::string::npos) << got.body;
  EXPECT_TRUE(asked_to_go_on().is_null());
}

TEST_F(continue_test, NotByATargetThatTakesNoPrefill) {
  serve();
  settings.providers.at("q").behaves.prefill = proxy::prefill_form::none;
  start();
  EXPECT_NE(post(streamed("r")).body.find("upstream_broken"), std::string::npos);
  EXPECT_TRUE(asked_to_go_on().is_null());
  expect_nothing_left();
}

TEST_F(continue_test, NotWithTools) {
  serve();
  start();
  const http_response got = post(streamed("r", R"(,"tools":[{"type":"function","function":{"name":"f"}}])"));
  EXPECT_NE(got.body.find("upstream_broken"), std::string::npos);
  EXPECT_TRUE(asked_to_go_on().is_null());
}

TEST_F(continue_test, NotAboveWhatARequestMayStart) {
  serve();
  start();
  const http_response got = post(streamed("r"), "x-race-max-attempts: 2\r\n");
  EXPECT_NE(got.body.find("upstream_broken"), std::string::npos);
  EXPECT_TRUE(asked_to_go_on().is_null());
}

TEST_F(continue_test, WhereNoTargetGoesOnTheErrorIsTheFirstOnes) {
  serve();
  goes_on = [](provider_call& call) { call.answer(503, R"({"error":{"message":"no room"}})"); };
  start();
  const http_response got = post(streamed("r"));
  EXPECT_NE(got.body.find("upstream_broken"), std::string::npos) << got.body;
  EXPECT_NE(got.body.find("p/m"), std::string::npos) << got.body;
  EXPECT_FALSE(got.is_complete) << "cut, so that it cannot be taken for all";
  expect_metric(1, "photofinish_attempts_total", {R"(provider="q")", R"(outcome="failed")"});
  expect_metric(1, "photofinish_requests_total", {R"(outcome="truncated")"});
  expect_nothing_left();
}

TEST_F(continue_test, WhereThatBreaksTooAThirdGoesOn) {
  scripted_provider third([](provider_call& call) {
    if (call.request().body.find("there was") == std::string::npos) return call.hang();
    streams({" no end."})(call);
  });
  serve();
  add("s", third).behaves.prefill = proxy::prefill_form::last_message;
  settings.routes.at("r").targets.push_back({"s", "m"});
  goes_on = [](provider_call& call) {
    call.stream_head();
    call.event(token_chunk("was"));
    call.wait(30ms);
    call.reset();
  };
  start();
  const http_response got = post(streamed("r"));
  EXPECT_EQ(got.text(), "Once upon a time, there was no end.");
  EXPECT_EQ(got.events().back(), "[DONE]");
  expect_metric(1, "photofinish_attempts_total", {R"(provider="q")", R"(outcome="broken")"});
  expect_metric(1, "photofinish_attempts_total", {R"(provider="s")", R"(outcome="continued")"});
  expect_nothing_left();
}

TEST_F(continue_test, WhereTheLastBreaksTheErrorIsItsOwn) {
  serve();
  goes_on = [](provider_call& call) {
    call.stream_head();
    call.event(token_chunk("was"));
    call.wait(30ms);
    call.reset();
  };
  start();
  const http_response got = post(streamed("r"));
  EXPECT_EQ(got.text(), "Once upon a time, there was");
  const std::string error = got.events().back();
  EXPECT_NE(error.find("q/m"), std::string::npos) << error;
  EXPECT_FALSE(got.is_complete);
  expect_metric(1, "photofinish_attempts_total", {R"(provider="q")", R"(outcome="broken")"});
  expect_metric(1, "photofinish_requests_total", {R"(outcome="truncated")"});
}

TEST_F(continue_test, AStallIsABreak) {
  serve().stall_timeout = 300ms;
  breaks = [](provider_call& call) { call.hang(); };
  start();
  EXPECT_EQ(post(streamed("r")).text(), "Once upon a time, there was a fox.");
  expect_metric(1, "photofinish_attempts_total", {R"(provider="p")", R"(outcome="broken")", R"(reason="stall")"});
}

TEST_F(continue_test, AWinnerThatIsCutBecauseItCrawlsIsContinued) {
  racing::race_settings& race = serve();
  race.crawl.min_tokens_per_second = 1'000;
  race.crawl.window = 200ms;
  race.crawl.action = racing::on_crawl::cut;
  breaks = [](provider_call& call) {
    while (call.wait(20ms)) call.event(token_chunk("once "));
  };
  start();
  const std::string text = post(streamed("r")).text();
  EXPECT_TRUE(text.starts_with("Once upon a time, there once ")) << text;
  EXPECT_TRUE(text.ends_with(" was a fox.")) << text;
  expect_metric(1, "photofinish_attempts_total", {R"(provider="p")", R"(outcome="broken")", R"(reason="crawl")"});
  expect_nothing_left();
}

// The partial answer makes the request longer, so the request to continue might match another routing rule. The gateway does not evaluate
// the rules again.
TEST_F(continue_test, ItStaysWithTheRuleOfTheRequest) {
  serve();
  scripted_provider other(streams({"of another rule"}));
  add("other", other).behaves.prefill = proxy::prefill_form::last_message;
  gateway::route& route = settings.routes.at("r");
  gateway::route_rule longer;
  longer.name = "longer", longer.min_input_tokens = 15, longer.targets = {{"other", "m"}}, longer.race = route.race;
  route.rules.push_back(longer);
  start();
  EXPECT_EQ(post(streamed("r")).text(), "Once upon a time, there was a fox.");
  EXPECT_TRUE(other.requests().empty());
}

TEST_F(continue_test, AClientThatLeavesEndsIt) {
  std::atomic<bool> is_asked = false;
  serve();
  goes_on = [&is_asked](provider_call& call) {
    call.stream_head();
    call.event(token_chunk("was "));
    is_asked = true;
    call.hang();
  };
  start();
  {
    test_client client = connect();
    client.post(streamed("r"));
    EXPECT_TRUE(comes_true([&] { return is_asked.load(); }));
    client.read_until("was ");
  }
  expect_metric(1, "photofinish_attempts_total", {R"(provider="q")", R"(outcome="cancelled")"});
  expect_metric(1, "photofinish_requests_total", {R"(outcome="client_cancelled")"});
  expect_nothing_left();
}

TEST_F(continue_test, OneThatLeavesBeforeTheOtherSpeaksToo) {
  std::atomic<bool> is_asked = false;
  serve();
  goes_on = [&is_asked](provider_call& call) {
    is_asked = true;
    call.hang();
  };
  start();
  {
    test_client client = connect();
    client.post(streamed("r"));
    EXPECT_TRUE(comes_true([&] { return is_asked.load(); }));
  }
  expect_metric(1, "photofinish_requests_total", {R"(outcome="client_cancelled")"});
  expect_nothing_left();
}

TEST_F(continue_test, ItIsNotKeptInACache) {
  serve();
  settings.routes.at("r").cache.emplace();
  start();
  const std::string question = streamed("r", R"(,"temperature":0)");
  EXPECT_EQ(post(question).text(), "Once upon a time, there was a fox.");
  EXPECT_EQ(post(question).text(), "Once upon a time, there was a fox.");
  expect_metric(0, "photofinish_cache_requests_total", {R"(result="hit")"});
  expect_metric(2, "photofinish_attempts_total", {R"(outcome="continued")"});
}

TEST_F(continue_test, TheReceiptSaysWhoWentOnAndWhy) {
  serve();
  start();
  const http_response got = post(streamed("r"), "x-race-session: tale\r\n");
  const std::string id = got.field_or("x-race-id", "");
  json receipt;
  ASSERT_TRUE(comes_true([&] {
    receipt = json::parse(get("/v1/races/" + id).body);
    return receipt.contains("answer");
  }));
  ASSERT_EQ(receipt["continued"].size(), 1u) << receipt;
  EXPECT_EQ(receipt["continued"][0]["target"], "q/m");
  EXPECT_EQ(receipt["continued"][0]["because"], "bad_stream");
  EXPECT_EQ(receipt["continued"][0]["outcome"], "continued");
  EXPECT_GT(receipt["continued"][0]["began_seconds"], 0);
  const std::string summary = receipt["summary"];
  EXPECT_NE(summary.find("the answer broke off (bad_stream), and q/m continued the answer to the end"), std::string::npos) << summary;
  EXPECT_EQ(receipt["winner"], "p/m");
  EXPECT_GE(receipt["session_total"]["output_tokens"], 3 + 6) << "of both";
}

TEST_F(continue_test, TheLogNamesBoth) {
  captured_log log;
  serve();
  start();
  post(streamed("r"));
  EXPECT_TRUE(comes_true([&] { return !log.lines_with({"outcome=ok", "p/m broken", "q/m continued"}).empty(); }));
}

}  // namespace
}  // namespace photofinish::testing
