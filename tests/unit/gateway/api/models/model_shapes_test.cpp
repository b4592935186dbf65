// Tests the list of models in the format of each client's API.
#include "gateway/api/models/model_shapes.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {
namespace {

using nlohmann::json;

class model_shapes : public ::testing::Test {
 protected:
  model_shapes() {
    settings_.providers["p"].models = {"a", "b", "c"};
    settings_.routes["fast"].targets = {{"p", "a"}};
  }

  std::variant<std::string, api_error> list(std::string_view query, std::string_view version = "2023-06-01") {
    return list_models(settings_, {}, asked(query, version), std::chrono::sys_seconds(std::chrono::seconds(951827696)));
  }
  json page(std::string_view query) { return json::parse(std::get<std::string>(list(query))); }
  static std::vector<std::string> ids(const json& page) {
    std::vector<std::string> found;
    for (const json& each : page.at("data")) found.push_back(each.at("id"));
    return found;
  }
  static client_request asked(std::string_view query, std::string_view version) {
    client_request request;
    request.query = query;
    if (!version.empty()) request.fields.push_back({"anthropic-version", version});
    return request;
  }

  config settings_;
};

TEST_F(model_shapes, WithoutASignOfAnotherApiItIsOpenAIs) {
  const json whole = json::parse(std::get<std::string>(list("limit=1", "")));
  EXPECT_EQ(whole.at("object"), "list");
  EXPECT_EQ(ids(whole), (std::vector<std::string>{"fast", "p/a", "p/b", "p/c"}));
  EXPECT_EQ(whole.at("data")[0], json::parse(R"({"id":"fast","object":"model","created":951827696,"owned_by":"photofinish"})"));
}

// A route shows the smallest context length of its targets.
TEST_F(model_shapes, SayHowLongAContextIsIfThatIsKnown) {
  settings_.providers["p"].facts["a"].context = 128'000;
  settings_.providers["p"].facts["b"].context = 64'000;
  settings_.routes["both"].targets = {{"p", "a"}, {"p", "b"}};
  settings_.routes["unsure"].targets = {{"p", "a"}, {"p", "c"}};
  settings_.names.aliases.add("gpt-4o", "both");
  const auto shown = [this](const char* id, std::string_view version, const char* member, std::string_view query = "") {
    const auto model = describe_model(settings_, {}, id, asked(query, version), {});
    return json::parse(std::get<std::string>(model)).value(member, 0);
  };
  EXPECT_EQ(shown("p/a", "", "context_length"), 128'000);
  EXPECT_EQ(shown("both", "", "context_length"), 64'000);
  EXPECT_EQ(shown("gpt-4o", "", "context_length"), 64'000);
  EXPECT_EQ(shown("unsure", "", "context_length"), 0);
  EXPECT_EQ(shown("both", "2023-06-01", "max_input_tokens"), 64'000);
  EXPECT_EQ(shown("both", "", "context_window", "client_version=1"), 64'000);
}

TEST_F(model_shapes, AnthropicsAreDatedAndNamed) {
  const json whole = page("");
  EXPECT_EQ(whole.at("data")[1],
            json::parse(R"({"type":"model","id":"p/a","display_name":"p/a","created_at":"2000-02-29T12:34:56Z"})"));
  EXPECT_EQ(whole.at("has_more"), false);
  EXPECT_EQ(whole.at("first_id"), "fast");
  EXPECT_EQ(whole.at("last_id"), "p/c");
}

TEST_F(model_shapes, AnthropicsComePageByPage) {
  const json first = page("limit=3");
  EXPECT_EQ(ids(first), (std::vector<std::string>{"fast", "p/a", "p/b"}));
  EXPECT_EQ(first.at("has_more"), true);
  const json second = page("limit=3&after_id=p%2Fb");
  EXPECT_EQ(ids(second), (std::vector<std::string>{"p/c"}));
  EXPECT_EQ(second.at("has_more"), false);
  const json before = page("limit=2&before_id=p/c");
  EXPECT_EQ(ids(before), (std::vector<std::string>{"p/a", "p/b"}));
  EXPECT_EQ(before.at("has_more"), true);
  const json none = page("after_id=p/c");
  EXPECT_EQ(none.at("data"), json::array());
  EXPECT_EQ(none.at("first_id"), nullptr);
  EXPECT_EQ(none.at("last_id"), nullptr);
}

TEST_F(model_shapes, APageThatThereIsNotIsRefused) {
  for (const char* query : {"limit=0", "limit=1001", "limit=-1", "limit=x", "limit=", "after_id=no", "before_id=no"})
    EXPECT_EQ(std::get<api_error>(list(query)).status, 400) << query;
  EXPECT_EQ(std::get<api_error>(list("limit=2x")).param, "limit");
  EXPECT_EQ(std::get<api_error>(list("after_id=no")).param, "after_id");
}

// If a list of models lacks one of the members tested here, Codex's parser rejects the list. Codex shows models in the order of `priority`.
TEST_F(model_shapes, CodexGetsAllThatItsParserWants) {
  for (const char* version : {"", "2023-06-01"}) {
    const json models = json::parse(std::get<std::string>(list("client_version=0.169.0", version))).at("models");
    ASSERT_EQ(models.size(), 4u);
    EXPECT_EQ(models[0].at("slug"), "fast");
    EXPECT_EQ(models[3].at("slug"), "p/c");
    EXPECT_EQ(models[3].at("priority"), 3);
    for (const char* member : {"display_name", "supported_reasoning_levels", "shell_type", "visibility", "supported_in_api",
                               "support_verbosity", "truncation_policy", "experimental_supported_tools"})
      EXPECT_TRUE(models[0].contains(member)) << member;
    EXPECT_FALSE(models[0].at("base_instructions").get<std::string>().empty());
  }
}

TEST_F(model_shapes, OneModelIsDescribedInTheSameShapes) {
  const auto one = [this](std::string_view query, std::string_view version) {
    return json::parse(std::get<std::string>(describe_model(settings_, {}, "p/b", asked(query, version), {})));
  };
  EXPECT_EQ(one("", "").at("object"), "model");
  EXPECT_EQ(one("", "2023-06-01").at("type"), "model");
  EXPECT_EQ(one("client_version=1", "").at("slug"), "p/b");
  EXPECT_EQ(std::get<api_error>(describe_model(settings_, {}, "no", asked("", ""), {})).status, 404);
}

}  // namespace
}  // namespace photofinish::gateway
