// Tests the Helm chart in deploy/chart without Helm. It reads the chart's files and compares them. tests/shipping/chart_test.py tests the
// rendered chart.
#include "tests/support/json_schema.hpp"
#include "tests/support/source_file.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

namespace photofinish {
namespace {

namespace fs = std::filesystem;

const fs::path chart = tests::source_root() / "deploy/chart";

YAML::Node load(const fs::path& file) { return YAML::LoadFile((chart / file).string()); }

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

nlohmann::json as_json(const YAML::Node& node) {
  if (node.IsMap()) {
    nlohmann::json members = nlohmann::json::object();
    for (const auto& each : node) members[each.first.as<std::string>()] = as_json(each.second);
    return members;
  }
  if (node.IsSequence()) {
    nlohmann::json items = nlohmann::json::array();
    for (const auto& each : node) items.push_back(as_json(each));
    return items;
  }
  const auto text = node.as<std::string>();
  if (node.Tag() == "!") return text;  // quoted
  const nlohmann::json value = nlohmann::json::parse(text, nullptr, false);
  return value.is_number() || value.is_boolean() ? value : nlohmann::json(text);
}

tests::json_schema schema() { return tests::json_schema(nlohmann::json::parse(text_of(chart / "values.schema.json"))); }

// Checks that every object in the schema forbids unknown members. Objects that Kubernetes or photofinish itself parses are exempt, because
// the schema does not describe their members.
void expect_closed(const nlohmann::json& schema, const std::string& at) {
  if (schema.contains("properties")) {
    EXPECT_EQ(schema.value("additionalProperties", nlohmann::json(true)), false) << at;
    for (const auto& [name, member] : schema["properties"].items()) expect_closed(member, at + "." + name);
  }
  if (schema.contains("items")) expect_closed(schema["items"], at + "[]");
}

TEST(Chart, ItsOwnValuesFitItsSchemaWhichIsClosed) {
  const auto text = nlohmann::json::parse(text_of(chart / "values.schema.json"));
  expect_closed(text, "$");
  EXPECT_EQ(schema().complaint(as_json(load("values.yaml"))), "");
  EXPECT_EQ(schema().complaint(as_json(load("examples/company.yaml"))), "");
  EXPECT_EQ(schema().complaint(nlohmann::json::parse(R"({"image": {"repo": "x"}})")), "$.image.repo: unknown");
}

TEST(Chart, EachValueOfTheSchemaHasItsDefault) {
  const auto described = nlohmann::json::parse(text_of(chart / "values.schema.json"))["properties"];
  const YAML::Node values = load("values.yaml");
  for (const auto& [name, member] : described.items()) {
    if (name == "global") continue;  // Helm's own
    ASSERT_TRUE(values[name]) << name;
    const nlohmann::json properties = member.value("properties", nlohmann::json::object());
    for (const auto& [inner, ignored] : properties.items())
      EXPECT_TRUE(values[name][inner] || name == "resources") << name << "." << inner;
  }
}

TEST(Chart, IsOfTheProductsVersion) {
  std::smatch version;
  const std::string project = text_of(tests::source_root() / "CMakeLists.txt");
  ASSERT_TRUE(std::regex_search(project, version, std::regex(R"(project\(photofinish VERSION (\S+))")));
  EXPECT_EQ(load("Chart.yaml")["version"].as<std::string>(), version[1].str());
  EXPECT_EQ(load("Chart.yaml")["appVersion"].as<std::string>(), version[1].str());
}

TEST(Chart, BringsTheRulesAndDashboardsOfThisRepositoryNotCopies) {
  EXPECT_TRUE(fs::equivalent(chart / "files/dashboards", tests::source_root() / "deploy/grafana/dashboards"));
  EXPECT_TRUE(fs::equivalent(chart / "files/rules", tests::source_root() / "deploy/prometheus/rules"));
}

}  // namespace
}  // namespace photofinish
