// Tests that the webhook gets an alert if a provider slows down. In this test a minute lasts 100 ms. The provider's measured speed depends
// on the number of words in a chunk and not on real time, so a busy machine does not change it.
#include "tests/support/canary.hpp"
#include "tests/support/gateway/gateway_fixture.hpp"

#include <nlohmann/json.hpp>

#include <atomic>
#include <set>
#include <thread>

namespace photofinish::testing {
namespace {

using nlohmann::json;
using std::chrono::operator""ms;

// A receiver of alerts. It answers the requests with the given statuses, one after another, and repeats the last status.
class receiver {
 public:
  explicit receiver(std::vector<int> statuses, std::string fields = "")
      : server_(script(std::move(statuses), std::move(fields))) {}

  std::uint16_t port() const { return server_.port(); }
  std::vector<json> messages() const {
    std::vector<json> all;
    for (const received_request& each : server_.requests()) all.push_back(json::parse(each.body));
    return all;
  }
  std::vector<received_request> requests() const { return server_.requests(); }
  // Returns the JSON of the first alert about slow answers that has this status, or null if there is none.
  json alert(std::string_view status) const {
    for (const json& message : messages())
      for (const json& each : message.at("alerts"))
        if (each.at("status") == status && each.at("labels").at("alertname") == "PhotofinishThroughputRegression") return each;
    return {};
  }
  bool hears(std::string_view status) const {
    return comes_true([&] { return !alert(status).is_null(); });
  }

 private:
  static scripted_provider::script script(std::vector<int> statuses, std::string fields) {
    auto turn = std::make_shared<std::atomic<std::size_t>>(0);
    return [turn, statuses, fields](provider_call& call) {
      call.answer(statuses[std::min(turn->fetch_add(1), statuses.size() - 1)], "{}", fields);
    };
  }
  scripted_provider server_;
};

class alerts_test : public gateway_fixture {
 protected:
  alerts_test() : provider_([this](provider_call& call) { answer(call); }) {
    add("p", provider_);
    add_route("r", {"p/m"});
    keeping.window = {.fine = 100ms, .fine_count = 30, .coarse = 1'000ms, .coarse_count = 72};
    keeping.regressions = {.recent = 1'000ms, .allowed_ratio = 0.1, .min_samples = 1, .hold = 0ms, .keep_firing = 200ms};
    keeping.tick = 20ms, keeping.review_every = 100ms;
  }
  ~alerts_test() override { stop_load(); }

  void start_with(const receiver& at) {
    settings.alerts.webhook = proxy::secret("http://127.0.0.1:" + std::to_string(at.port()) + "/hook/s3cret?k=t0ken");
    settings.alerts.labels = {{"team", "search"}};
    start();
    for (int client = 0; client < 4; ++client)
      load_.emplace_back([this](const std::stop_token& stop) {
        while (!stop.stop_requested()) post(streamed("r")), ++answers_;
      });
    // Waits until the gateway has many samples of the usual speed. The test will later produce fewer samples of the slower speed.
    EXPECT_TRUE(comes_true([this] { return answers_ >= 60; }));
  }
  void stop_load() { load_.clear(); }

  std::atomic<bool> is_slow{false};

 private:
  // Sends 8 chunks in at least 70 ms. The number of words in each chunk determines the measured speed.
  void answer(provider_call& call) {
    std::string words;
    for (int count = is_slow ? 3 : 300; count > 0; --count) words += " word";
    call.stream_head();
    for (int chunk = 0; chunk < 8; ++chunk)
      if (!call.event(token_chunk(words)) || !call.wait(10ms)) return;
    call.event(finish_chunk());
    call.end();
  }

  std::atomic<int> answers_{0};
  scripted_provider provider_;
  std::vector<std::jthread> load_;
};

TEST_F(alerts_test, AProviderThatHalvesItsSpeedFiresAndIsResolvedWhenItRecovers) {
  const receiver hook({200});
  start_with(hook);
  EXPECT_TRUE(hook.alert("firing").is_null());
  is_slow = true;
  ASSERT_TRUE(hook.hears("firing"));
  const json alert = hook.alert("firing");
  EXPECT_EQ(hook.messages().front().at("version"), "4");
  EXPECT_EQ(alert.at("labels").at("provider"), "p");
  EXPECT_EQ(alert.at("labels").at("model"), "m");
  EXPECT_EQ(alert.at("labels").at("team"), "search");
  is_slow = false;
  ASSERT_TRUE(hook.hears("resolved"));
  const json resolved = hook.alert("resolved");
  EXPECT_EQ(resolved.at("fingerprint"), alert.at("fingerprint"));
  EXPECT_EQ(resolved.at("startsAt"), alert.at("startsAt"));
  const received_request request = hook.requests().front();
  EXPECT_EQ(request.head.find("POST /hook/s3cret?k=t0ken HTTP/1.1"), 0u) << request.head;
  EXPECT_EQ(request.field("content-type"), "application/json");
}

TEST_F(alerts_test, AReceiverThatFailsIsAskedAgain) {
  const receiver hook({503, 500, 200});
  start_with(hook);
  is_slow = true;
  EXPECT_TRUE(comes_true([&] { return hook.requests().size() >= 3; }));
  const std::string reported = hook.messages()[0].at("alerts").at(0).at("fingerprint");
  EXPECT_NE(hook.messages()[1].dump().find(reported), std::string::npos);
}

TEST_F(alerts_test, ARedirectIsNotFollowedAndEndsTheDelivery) {
  const receiver elsewhere({200});
  const receiver hook({302}, "location: http://127.0.0.1:" + std::to_string(elsewhere.port()) + "/\r\n");
  start_with(hook);
  is_slow = true;
  ASSERT_TRUE(hook.hears("firing"));
  is_slow = false;
  ASSERT_TRUE(hook.hears("resolved"));  // waits until the webhook gets the next alert
  std::set<std::string> bodies;
  for (const received_request& each : hook.requests()) EXPECT_TRUE(bodies.insert(each.body).second) << "posted again";
  EXPECT_TRUE(elsewhere.requests().empty());
}

TEST_F(alerts_test, AReceiverThatNeverAnswersHoldsNothingUp) {
  scripted_provider silent(stays_silent());
  settings.alerts.webhook = proxy::secret("http://127.0.0.1:" + std::to_string(silent.port()) + "/");
  keeping.regressions.allowed_ratio = 10;  // this ratio makes every answer count as slower than usual
  keeping.regressions.hold = 0ms;
  start();
  for (int i = 0; i < 8; ++i) post(streamed("r"));
  ASSERT_TRUE(comes_true([&] { return silent.open_connections() == 1; }));
  EXPECT_EQ(get("/metrics").status, 200);
  EXPECT_EQ(post(streamed("r")).status, 200);
  canary machine;
  const auto before = test_clock::now();
  gateway.reset();
  const double took_ms = milliseconds_between(before, test_clock::now());
  EXPECT_LT(took_ms, 2'000 + machine.allowance_ms());
}

}  // namespace
}  // namespace photofinish::testing
