// A gateway with a scripted guardrail service and a scripted provider.
#pragma once

#include "tests/support/gateway/gateway_fixture.hpp"

#include <nlohmann/json.hpp>

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace photofinish::testing {

inline const std::string passes = R"({"action":{"reason":"fine"}})";
inline const std::string rejects = R"({"action":{"body":"blocked","status_code":403,"reason":"a card number"}})";

// Returns a verdict that replaces the text `what` with ***.
inline std::string masks(const std::string& shown, const std::string& what) {
  nlohmann::json body = nlohmann::json::parse(shown).at("body");
  for (nlohmann::json& each : body.at("messages")) {
    std::string content = each.at("content");
    for (auto at = content.find(what); at != std::string::npos; at = content.find(what))
      content.replace(at, what.size(), "***");
    each["content"] = content;
  }
  return nlohmann::json{{"action", {{"body", body}, {"reason", "pii"}}}}.dump();
}

class guardrail_fixture : public gateway_fixture {
 protected:
  guardrail_fixture() {
    settings.server.workers = 1;  // one worker is used, so that requests are read in the order of their arrival
    add("a", provider);
    add("b", other);
    add_route("fast", {"a/m"});
    add_route("free", {"b/m"});
    guard("pii", service).routes = {"fast"};
  }

  gateway::guardrail_settings& guard(const std::string& name, const scripted_provider& at) {
    gateway::guardrail_settings& made = settings.guardrails.emplace_back();
    made.name = name;
    made.service = local_provider(name, at.port());
    made.timeout = std::chrono::seconds(50);  // this time is longer than the test's own wait, so that the test reports the error first
    return made;
  }
  gateway::guardrail_settings& pii() { return settings.guardrails.front(); }
  void judge_with(std::string answer) {
    judge_by([answer = std::move(answer)](provider_call& call) { call.answer(200, answer); });
  }
  void judge_by(scripted_provider::script play) {
    const std::lock_guard lock(guard_);
    judge_ = std::move(play);
  }

  // Lets the worker's event loop run for several turns, so that the worker has handled everything that it has read.
  void pass_time() {
    for (int each = 0; each < 5; ++each) EXPECT_EQ(post(streamed("free")).text(), "free");
  }
  void expect_verdicts(double count, std::string_view verdict) {
    expect_metric(count, "photofinish_guardrail_seconds_count", {"verdict=\"" + std::string(verdict) + "\""});
  }
  std::size_t asked() const { return service.requests().size(); }
  std::size_t raced() const { return provider.requests().size(); }

  std::atomic<bool> may_judge = false, may_speak = true;
  std::mutex guard_;
  scripted_provider::script judge_;
  scripted_provider service{[this](provider_call& call) {
    scripted_provider::script play;
    {
      const std::lock_guard lock(guard_);
      play = judge_;
    }
    play(call);
  }};
  std::atomic<int> spoken = 0;
  scripted_provider provider{[this](provider_call& call) {
    if (!call.wait_until([this] { return may_speak.load(); })) return;
    const std::string& head = call.request().head;
    const bool is_chat = head.find("/chat/completions ") != std::string::npos;
    if (!is_chat && head.find("/completions ") == std::string::npos)
      return call.answer(200, R"({"object":"list","data":[],"results":[]})");
    call.stream_head();
    if (!is_chat) {
      call.event(R"({"id":"c","object":"text_completion","choices":[{"text":"one","index":0,"finish_reason":"stop"}]})");
      call.event("[DONE]");
      return;
    }
    call.event(token_chunk("one"));
    call.event(token_chunk("two"));
    ++spoken;
    call.event(finish_chunk());
    call.event(usage_chunk(3, 2));
    call.event("[DONE]");
  }};
  scripted_provider other{streams({"free"})};
};

}  // namespace photofinish::testing
