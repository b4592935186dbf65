// GET /v1/usage: what was used, by whom, who sees it, and that it outlives the gateway.
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
    settings.access_keys = {{"alice", proxy::secret("key-a"), {}}, {"bob", proxy::secret("key-b"), {}},
                            {"boss", proxy::secret("key-c"), {}}};
    settings.teams["search"] = {};
    settings.access_keys[0].team = "search";
    settings.access_keys[2].is_admin = true;
    keeping.tick = 10ms;
  }

  void ask(const std::string& key) {
    EXPECT_EQ(post(streamed("fast"), "Authorization: Bearer " + key + "\r\n").status, 200);
  }
  http_response usage(const std::string& query, const std::string& key, const std::string& fields = "") {
    return get("/v1/usage" + query, (key.empty() ? "" : "Authorization: Bearer " + key + "\r\n") + fields);
  }
  // The rows of all buckets: a run at midnight has two.
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
  EXPECT_NE(got.body.find(",\"alice\",\"\",\"\",1,3,2,0,0,2.000000000,0.000000000\r\n"), std::string::npos) << got.body;
}

TEST_F(usage_test, SaysWhatIsWrongWithAQuestion) {
  start();
  const http_response refused = usage("?bucket_width=1m", "key-a");
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.error("message"), "'bucket_width' must be 1h or 1d");
}

TEST_F(usage_test, WithoutKeysAnyCallerSeesAll) {
  settings.access_keys = {};
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
