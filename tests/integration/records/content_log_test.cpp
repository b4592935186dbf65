// Tests the content log, in which the gateway writes prompts and answers to files.
#include "tests/support/full_disk.hpp"
#include "tests/support/gateway/gateway_fixture.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

namespace photofinish::testing {
namespace {

using nlohmann::json;
using std::chrono::operator""ms;

class content_log_test : public gateway_fixture {
 protected:
  content_log_test() : folder_(std::filesystem::temp_directory_path() / ("kept-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
    add("a", provider);
    add_route("fast", {"a/m"});
    add_route("quiet", {"a/m"});
    settings.log.content.file = folder_ / "content.jsonl";
    settings.log.content.routes = {"fast"};
    settings.access.keys = {{"alice", proxy::secret("key-of-alice-0123456789"), {}}};
    settings.access.keys[0].team = "search";
    keeping.tick = 10ms;
  }
  ~content_log_test() override {
    gateway.reset();
    std::filesystem::remove_all(folder_);
  }

  http_response ask(std::string_view body) { return post(body, "Authorization: Bearer key-of-alice-0123456789\r\n"); }

  std::string text_of(const std::string& stem = "content") const {
    std::string all;
    for (const auto& each : std::filesystem::directory_iterator(folder_))
      if (each.path().filename().string().starts_with(stem + "-20") && std::filesystem::is_regular_file(each)) {
        std::ifstream from(each.path());
        all.append(std::istreambuf_iterator<char>(from), {});
      }
    return all;
  }
  std::vector<json> lines(std::size_t count, const std::string& stem = "content") const {
    std::string text;
    EXPECT_TRUE(comes_true([&] {
      text = text_of(stem);
      return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) >= count;
    })) << text;
    std::vector<json> all;
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
      all.push_back(json::parse(text.substr(at, text.find('\n', at) - at)));
    EXPECT_EQ(all.size(), count);
    return all;
  }
  void expect_counts(double written, double dropped) {
    const std::string key = "Authorization: Bearer key-of-alice-0123456789\r\n";
    EXPECT_TRUE(comes_true([&] {
      const std::string page = get("/metrics", key).body;
      const auto has = [&](const char* result, double value) {
        return page.find("photofinish_content_log_lines_total{result=\"" + std::string(result) + "\"} " +
                         std::to_string(static_cast<long>(value)) + "\n") != std::string::npos;
      };
      return has("written", written) && has("dropped", dropped);
    }));
  }

  const std::filesystem::path folder_;
  std::vector<std::string> words{"Hel", "lo, key-of-al", "ice-0123456789"};
  scripted_provider provider{[this](provider_call& call) {
    call.stream_head();
    for (const std::string& word : words) call.event(token_chunk(word));
    call.event(finish_chunk());
    call.event(usage_chunk(3, 3));
    call.event("[DONE]");
  }};
};

TEST_F(content_log_test, KeepsARequestAndItsAnswerWithoutKeys) {
  start();
  const std::string body = streamed("fast", R"(,"user":"key-of-alice-0123456789")");
  ASSERT_EQ(ask(body).text(), "Hello, key-of-alice-0123456789");
  ASSERT_EQ(ask(whole("fast")).status, 200);
  ASSERT_EQ(ask(streamed("quiet")).status, 200);
  ASSERT_EQ(ask(streamed("a/m")).status, 200);
  const std::vector<json> kept = lines(2);
  const json& first = kept[0];
  EXPECT_EQ(first.at("client"), "alice");
  EXPECT_EQ(first.at("team"), "search");
  EXPECT_EQ(first.at("route"), "fast");
  EXPECT_EQ(first.at("model"), "fast");
  EXPECT_EQ(first.at("winner"), "a/m");
  EXPECT_EQ(first.at("outcome"), "ok");
  EXPECT_EQ(first.at("status"), 200);
  EXPECT_EQ(first.at("stream"), true);
  EXPECT_EQ(first.at("request_bytes"), body.size());
  EXPECT_EQ(json::parse(first.at("request").get<std::string>()).at("user"), "[redacted]");
  EXPECT_EQ(first.at("answer"), json::parse(R"([{"kind":"text","text":"Hello, [redacted]"},{"kind":"finish","text":"stop"}])"));
  EXPECT_FALSE(kept[1].contains("stream"));
  EXPECT_EQ(kept[1].at("answer"), first.at("answer")) << "a whole answer reads as a stream does";
  EXPECT_EQ(text_of().find("key-of-alice"), std::string::npos);
  expect_counts(2, 0);
}

TEST_F(content_log_test, KeepsRefusalsOfItsRoutesAndWhatProvidersFail) {
  settings.access.keys[0].limits.requests_per_minute = 1;
  scripted_provider broken([](provider_call& call) { call.answer(500, "{}"); });
  settings.providers["a"] = local_provider("a", broken.port());
  start();
  ASSERT_NE(ask(streamed("fast")).status, 200);
  ASSERT_EQ(ask(streamed("fast")).status, 429);
  const std::vector<json> kept = lines(2);
  EXPECT_EQ(kept[0].at("outcome"), "upstream_error");
  EXPECT_EQ(kept[1].at("code"), "rate_limit_exceeded");
  EXPECT_EQ(kept[1].at("answer"), json::array());
}

TEST_F(content_log_test, KeepsWhatIsAnsweredFromACacheOrShared) {
  settings.routes.at("fast").cache.emplace();
  start();
  const std::string equal = streamed("fast", R"(,"temperature":0)");
  ASSERT_EQ(ask(equal).status, 200);
  ASSERT_EQ(ask(equal).status, 200);
  const std::vector<json> kept = lines(2);
  EXPECT_EQ(kept[0].at("cache"), "miss");
  EXPECT_EQ(kept[1].at("cache"), "hit");
  EXPECT_EQ(kept[1].at("answer"), kept[0].at("answer"));
  EXPECT_FALSE(kept[1].contains("winner"));
}

TEST_F(content_log_test, AReloadMovesEndsAndBeginsIt) {
  start();
  ask(streamed("fast"));
  lines(1);
  const auto before = settings.log.content;
  settings.log.content = {};
  gateway->reload(settings);
  ASSERT_TRUE(comes_true([&] {
    const std::string was = text_of();
    ask(streamed("fast"));
    return text_of() == was;
  }));
  settings.log.content = before;
  settings.log.content.file = folder_ / "moved.jsonl";
  gateway->reload(settings);
  EXPECT_TRUE(comes_true([&] {
    ask(streamed("fast"));
    return !text_of("moved").empty();
  }));
}

TEST_F(content_log_test, AFullDiskHoldsUpNoRequestAndIsCounted) {
  start();
  {
    full_disk full(20);
    ASSERT_EQ(ask(streamed("fast")).status, 200);
    expect_counts(0, 1);
    ASSERT_EQ(ask(streamed("fast")).status, 200);
    expect_counts(0, 2);
  }
  ASSERT_EQ(ask(streamed("fast")).status, 200);
  expect_counts(1, 2);
}

TEST_F(content_log_test, AFloodOfGiantAnswersIsCutAndGivesItsMemoryBack) {
  settings.log.content.max_line = 64u << 10;
  settings.limits.max_memory = 64u << 20;
  std::string giant;
  while (giant.size() < 8u << 10) giant += "many words ";
  words.assign(64, giant);
  start();
  std::vector<test_client> clients;
  for (int each = 0; each < 16; ++each) {
    clients.push_back(connect());
    clients.back().post(streamed("fast", ""), "Authorization: Bearer key-of-alice-0123456789\r\n");
  }
  for (test_client& each : clients) EXPECT_EQ(each.read().status, 200);
  const std::vector<json> kept = lines(16);
  for (const json& each : kept) {
    EXPECT_EQ(each.at("answer_truncated"), true);
    EXPECT_EQ(each.at("answer_bytes"), 64 * giant.size() + std::string_view("stop").size());
    EXPECT_LE(each.dump().size(), 64u << 10);
  }
  const std::string key = "Authorization: Bearer key-of-alice-0123456789\r\n";
  clients.clear();
  EXPECT_TRUE(comes_true([&] {
    return get("/metrics", key).body.find("\nphotofinish_memory_used_bytes 0\n") != std::string::npos;
  }));
}

}  // namespace
}  // namespace photofinish::testing
