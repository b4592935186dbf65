// What the documents and the examples show must work.
#include "gateway/config_parser.hpp"
#include "gateway/schema.hpp"
#include "gateway/yaml_tree.hpp"
#include "proxy/presets.hpp"
#include "tests/support/json_schema.hpp"
#include "tests/support/source_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace photofinish::gateway {
namespace {

using nlohmann::json;

// Every variable is set and every file is there.
environment generous() {
  return {[](const std::string& name) { return std::optional(name == "WORKERS" ? "2" : "value-of-" + name); },
          [](const std::string&) { return std::optional<std::string>("content"); },
          [](const std::string&) { return true; }};
}

json to_json(const yaml_node& node) {
  if (node.kind == yaml_kind::sequence) {
    json list = json::array();
    for (const yaml_node& item : node.items) list.push_back(to_json(item));
    return list;
  }
  if (node.kind == yaml_kind::map) {
    json map = json::object();
    for (const yaml_member& member : node.members) map[member.key] = to_json(member.value);
    return map;
  }
  if (node.kind == yaml_kind::null) return nullptr;
  const bool is_bare = node.is_plain && (json::accept(node.text));
  return is_bare ? json::parse(node.text) : json(node.text);
}

void expect_flawless(const std::string& yaml, const std::string& name) {
  for (const config_problem& problem : parse_config(yaml, name, generous()).problems)
    ADD_FAILURE() << to_string(problem);
  const tests::json_schema schema(json::parse(config_schema()));
  EXPECT_EQ(schema.complaint(to_json(parse_yaml(yaml).root)), "") << name;
}

// The blocks between ```yaml and ```: each is a whole configuration.
std::vector<std::string> yaml_blocks(const std::string& text) {
  constexpr std::string_view open = "\n```yaml\n";
  std::vector<std::string> blocks;
  for (std::size_t at = text.find(open); at != std::string::npos; at = text.find(open, at + 1)) {
    const std::size_t begin = at + open.size();
    blocks.push_back(text.substr(begin, text.find("```", begin) - begin));
  }
  return blocks;
}

TEST(Documents, EveryYamlBlockIsAFlawlessConfiguration) {
  for (const std::string path : {"docs/configuration.md", "docs/providers.md"}) {
    const std::vector<std::string> blocks = yaml_blocks(tests::source_file(path));
    EXPECT_FALSE(blocks.empty()) << path;
    for (const std::string& block : blocks) expect_flawless(block, path);
  }
}

TEST(Documents, TheProvidersPageNamesEveryPresetWithItsUrlVariablesAndDate) {
  const std::string page = tests::source_file("docs/providers.md");
  for (const auto& [name, known] : proxy::presets()) {
    const std::size_t at = page.find("\n| `" + name + "` | ");
    ASSERT_NE(at, std::string::npos) << name;
    const std::string row = page.substr(at + 1, page.find('\n', at + 1) - at);
    EXPECT_NE(row.find("`" + known.base_url + "`"), std::string::npos) << row;
    EXPECT_NE(row.find(known.as_of), std::string::npos) << row;
    for (const std::string& variable : known.key_variables)
      EXPECT_NE(row.find(variable), std::string::npos) << row;
    for (const auto& [placeholder, variable] : known.needs)
      EXPECT_NE(row.find(variable), std::string::npos) << row;
  }
}

TEST(Examples, EveryOneIsAFlawlessConfiguration) {
  int count = 0;
  const std::filesystem::path folder = tests::source_root() / "deploy" / "examples";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".yaml") continue;
    const std::string path = "deploy/examples/" + entry.path().filename().string();
    expect_flawless(tests::source_file(path), path);
    ++count;
  }
  EXPECT_GE(count, 4);
}

}  // namespace
}  // namespace photofinish::gateway
