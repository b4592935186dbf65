// Tests GET /v1/usage: which callers may see the usage of other callers, and whether the figures survive a restart.
#include "tests/support/gateway/gateway_fixture.hpp"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace photofinish::testing {
namespace {

using nlohmann::json;
using std::chrono::operator""ms;

class usage_test : public gateway_fixture {
 protected:
  usage_test() {
    add("a", provider).prices = {{"m", *proxy::parse_prices("0/1000000")}};
    add_route("fast", {"a/m"});
    settings.access.keys = {{"alice", proxy::secret("key-a"), {}}, {"bob", proxy::secret("key-b"), {}},
                            {"boss", proxy::secret("key-c"), {}}};
    settings.access.teams["search"] = {};
    settings.access.keys[0].team = "search";
    settings.access.keys[2].is_admin = true;
    keeping.tick = 10ms;
  }

  void ask(const std::string& key) {
    EXPECT_EQ(post(streamed("fast"), "Authorization: Bearer " + key + "\r\n").status, 200);
  }
  http_response usage(const std::string& query, const std::string& key, const std::string& fields = "") {
    return get("/v1/usage" + query, (key.empty() ? "" : "Authorization: Bearer " + key + "\r\n") + fields);
  }
  // Returns the usage rows of all time buckets. A test that runs at midnight may use two buckets.
  json rows(const std::string& query, const std::string& key) {
    json all = json::array();
    const http_response got = usage(query, key);
    EXPECT_EQ(got.status, 200) << got.body;
    const json page = json::parse(got.body);
    for (const json& bucket : page.at("data"))
      for (const json& row : bucket.at("results")) all.push_back(row);
    return all;
  }
  bool becomes(std::size_t requests, const std::string& key) {
    return comes_true([&] {
      std::size_t sum = 0;
      for (const json& row : rows("", key)) sum += row.at("num_model_requests").get<std::size_t>();
      return sum == requests;
    });
  }

  scripted_provider provider{[](provider_call& call) {
    call.stream_head();
    call.event(token_chunk("hi"));
    call.event(finish_chunk());
    call.event(usage_chunk(3, 2));
    call.event("[DONE]");
  }};
};

TEST_F(usage_test, AKeySeesItselfAndAnAdminAll) {
  start();
  for (const char* key : {"key-a", "key-a", "key-b"}) ask(key);
  EXPECT_TRUE(becomes(2, "key-a"));
  EXPECT_TRUE(becomes(3, "key-c"));
  const json own = rows("?group_by=client,team,model", "key-a");
  ASSERT_EQ(own.size(), 1u) << own;
  EXPECT_EQ(own[0].at("client"), "alice");
  EXPECT_EQ(own[0].at("team"), "search");
  EXPECT_EQ(own[0].at("model"), "a/m");
  EXPECT_EQ(own[0].at("input_tokens"), 6);
  EXPECT_EQ(own[0].at("output_tokens"), 4);
  EXPECT_DOUBLE_EQ(own[0].at("cost_usd"), 4.0);
  EXPECT_EQ(rows("?group_by=client", "key-c").size(), 2u);
  EXPECT_EQ(rows("?group_by=client&client=bob", "key-a").size(), 1u);
  EXPECT_EQ(usage("", "").status, 401);
}

TEST_F(usage_test, IsCsvWhereThatIsAccepted) {
  start();
  ask("key-a");
  EXPECT_TRUE(becomes(1, "key-a"));
  const http_response got = usage("?group_by=client&bucket_width=1h", "key-c", "Accept: text/csv\r\n");
  EXPECT_EQ(got.field_or("content-type", ""), "text/csv; charset=utf-8");
  EXPECT_NE(got.body.find(",\"alice\",\"\",\"\",1,3,2,0,0,2.000000000,0.000000000,\"\"\r\n"), std::string::npos) << got.body;
}

TEST_F(usage_test, ProjectsHaveTheirSums) {
  settings.names.projects = {"web", "quiet"};
  start();
  ask("key-a");
  const auto of_project = [this](const std::string& key) {
    EXPECT_EQ(post(streamed("fast"), "X-Race-Project: web\r\nAuthorization: Bearer " + key + "\r\n").status, 200);
  };
  of_project("key-a");
  of_project("key-b");
  EXPECT_TRUE(becomes(3, "key-c"));
  const json all = rows("?group_by=project", "key-c");
  ASSERT_EQ(all.size(), 2u) << all;
  EXPECT_EQ(all[0].at("project"), "_none");
  EXPECT_EQ(all[1].at("project"), "web");
  EXPECT_EQ(all[1].at("num_model_requests"), 2);
  const json own = rows("?group_by=project", "key-b");
  ASSERT_EQ(own.size(), 1u) << own;
  EXPECT_DOUBLE_EQ(own[0].at("cost_usd"), 2.0);
  expect_metric(4, "photofinish_project_cost_usd_total", {R"(project="web")", R"(kind="winner")"});
  expect_metric(6, "photofinish_project_tokens_total", {R"(project="web")", R"(direction="input")"});
  expect_metric(0, "photofinish_project_tokens_total", {R"(project="quiet")", R"(direction="input")"});
}

TEST_F(usage_test, AReceiptSaysWhatItsSessionHasUsed) {
  settings.names.projects = {"web"};
  start();
  const auto in_session = [this](const std::string& session, const std::string& key) {
    const http_response got = post(streamed("fast"), "X-Claude-Code-Session-Id: " + session +
                                                         "\r\nX-Race-Project: web\r\nAuthorization: Bearer " + key + "\r\n");
    EXPECT_EQ(got.status, 200);
    return got.field_or("x-race-id", "");
  };
  const auto receipt = [this](const std::string& id, const std::string& key) {
    json page;
    EXPECT_TRUE(comes_true([&] {
      const http_response got = get("/v1/races/" + id, "Authorization: Bearer " + key + "\r\n");
      return got.status == 200 && !(page = json::parse(got.body)).empty();
    }));
    return page;
  };
  const std::string first = in_session("s1", "key-a");
  ASSERT_NE(first, "");
  EXPECT_EQ(receipt(first, "key-a").at("session_total").at("requests"), 1);
  in_session("s1", "key-b");  // another caller uses a session with the same name
  receipt(in_session("s2", "key-a"), "key-a");
  const json last = receipt(in_session("s1", "key-a"), "key-a");
  EXPECT_EQ(last.at("policy"), "all");
  EXPECT_EQ(last.at("request").at("session"), "s1");
  const json& session = last.at("session_total");
  EXPECT_EQ(session.at("requests"), 2);
  EXPECT_EQ(session.at("input_tokens"), 6);
  EXPECT_DOUBLE_EQ(session.at("cost_usd"), 4.0);
  EXPECT_EQ(last.at("project_total").at("requests"), 3);
  EXPECT_EQ(post(streamed("fast"), "Authorization: Bearer key-a\r\n").field_or("x-race-id", ""), "") << "as before";
}

TEST_F(usage_test, SaysWhatIsWrongWithAQuestion) {
  start();
  const http_response refused = usage("?bucket_width=1m", "key-a");
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.error("message"), "'bucket_width' must be 1h or 1d");
}

TEST_F(usage_test, WithoutKeysAnyCallerSeesAll) {
  settings.access.keys = {};
  start();
  EXPECT_EQ(post(streamed("fast")).status, 200);
  EXPECT_TRUE(becomes(1, ""));
}

TEST_F(usage_test, OutlivesTheGateway) {
  std::string pattern = "/tmp/photofinish-usage-XXXXXX";
  keeping.state_dir = ::mkdtemp(pattern.data());
  start();
  ask("key-a");
  EXPECT_TRUE(becomes(1, "key-a"));
  gateway.reset();
  start();
  EXPECT_TRUE(becomes(1, "key-a"));
  gateway.reset();
  const std::string file = keeping.state_dir + "/usage";
  std::ofstream(file) << "no such thing";
  start();
  EXPECT_TRUE(rows("", "key-a").empty());
  EXPECT_TRUE(std::filesystem::exists(file + ".broken"));
  gateway.reset();
  std::filesystem::remove_all(keeping.state_dir);
}

}  // namespace
}  // namespace photofinish::testing
