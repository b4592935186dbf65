// Tests that the configurations and commands in documents and examples work.
#include "gateway/config/schema.hpp"
#include "gateway/config/sources/config_parser.hpp"
#include "gateway/config/target_text.hpp"
#include "gateway/config/yaml/yaml_tree.hpp"
#include "proxy/providers/catalogue.hpp"
#include "proxy/providers/presets.hpp"
#include "tests/support/json_schema.hpp"
#include "tests/support/network/certificates.hpp"
#include "tests/support/signed_catalogue.hpp"
#include "tests/support/source_file.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <chrono>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace photofinish::gateway {
namespace {

using nlohmann::json;

// Returns the anchors of all headings in the form that links use: in lower case, with hyphens between the words, without punctuation.
std::set<std::string> anchors_of(const std::string& text) {
  std::set<std::string> anchors;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("#")) continue;
    std::string anchor;
    for (const char letter : line.substr(line.find_first_not_of("# "))) {
      if (letter == ' ') anchor += '-';
      else if (std::isalnum(static_cast<unsigned char>(letter)) || letter == '-' || letter == '_')
        anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    }
    anchors.insert(anchor);
  }
  return anchors;
}

// Returns the content of a file that a configuration names: a server's certificate, its key, or a secret.
std::string content_of(const std::string& path) {
  static const testing::identity server = testing::self_signed();
  if (path.ends_with(".crt")) return testing::certificate_pem(server);
  if (path.ends_with(".key")) return testing::key_pem(server);
  if (path.ends_with("/catalogue.json")) return tests::later_list(1);
  if (path.ends_with("/catalogue.json.sig")) return tests::list_signature(tests::later_list(1));
  return "content-of-" + path;
}

// Simulates a machine where every file exists, and where every environment variable is set except OpenTelemetry's own variables.
environment generous() {
  return {[](const std::string& name) -> std::optional<std::string> {
            if (name.starts_with("OTEL_")) return std::nullopt;
            return name == "WORKERS" ? "2" : "value-of-" + name;
          },
          [](const std::string& path) { return file_content{content_of(path), {}}; },
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

// Checks that no provider will soon retire one of the configured models. The check counts from the date of the list of models, so that the
// test does not begin to fail as time passes.
void expect_lasting_models(const config& settings, const std::string& name) {
  const proxy::catalogue& list = *proxy::built_in_catalogue();
  for (const target_name& target : configured_targets(settings)) {
    const auto provider = settings.providers.find(target.provider);
    if (provider == settings.providers.end()) continue;
    const auto* row = list.find(provider->second.listed.provider, target.sent_model());
    const bool ends_soon = row != nullptr && row->ends && *row->ends <= list.as_of() + std::chrono::days(60);
    EXPECT_FALSE(ends_soon) << name << ": choose another model than " << target.text();
  }
}

void expect_flawless(const std::string& yaml, const std::string& name) {
  const config_result read = parse_config(yaml, name, generous());
  for (const config_problem& problem : read.problems) ADD_FAILURE() << to_string(problem);
  expect_lasting_models(read.settings, name);
  const tests::json_schema schema(json::parse(config_schema()));
  EXPECT_EQ(schema.complaint(to_json(parse_yaml(yaml).root)), "") << name;
}

// Returns the text of each block between ```yaml and ```. Each block is a complete configuration.
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
  std::map<std::string, std::string> texts;
  for (const char* document : {"configuration", "providers"}) texts[document] = tests::text_of_pages(document);
  for (const char* path :
       {"README.md", "docs/agents-and-prompt-caches.md", "docs/migrating-from-helicone.md", "docs/migrating-from-litellm.md",
        "docs/migrating-from-portkey.md", "docs/migrating-from-tensorzero.md"})
    texts[path] = tests::source_file(path);
  for (const auto& [name, text] : texts) {
    const std::vector<std::string> blocks = yaml_blocks(text);
    EXPECT_FALSE(blocks.empty()) << name;
    for (const std::string& block : blocks) expect_flawless(block, name);
  }
}

TEST(Documents, ThePageOfPresetsNamesEachWithItsUrlVariablesAndDate) {
  const std::string page = tests::source_file("docs/providers/presets.md");
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

TEST(Documents, ThePageOfApisNamesThoseOfEachPreset) {
  using proxy::served_api;
  const std::string page = tests::source_file("docs/providers/apis.md");
  for (const auto& [name, known] : proxy::presets()) {
    std::string apis;
    for (std::size_t at = 1; at < proxy::served_api_words.size(); ++at)
      if (known.defaults.apis.contains(static_cast<served_api>(at)))
        apis += (apis.empty() ? "" : ", ") + std::string(proxy::served_api_words[at]);
    const std::string encoding = known.defaults.behaves.base64_embeddings ? "" : "floats only";
    const std::string row = "\n| `" + name + "` | " + apis + " | " + encoding + " |\n";
    EXPECT_EQ(page.find(row) != std::string::npos, !apis.empty()) << row;
  }
}

// Returns all source files as one string. Joins string literals that span several lines.
std::string source_text() {
  std::string text;
  for (const char* room : {"gateway", "proxy", "deploy/grafana"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(tests::source_root() / room))
      if (const auto kind = entry.path().extension(); kind == ".cpp" || kind == ".hpp" || kind == ".py")
        text += tests::source_file(std::filesystem::relative(entry.path(), tests::source_root()).string());
  return std::regex_replace(text, std::regex("\"\\s*\n\\s*\""), "");
}

// The messages in the first column of a table are in backticks, with … for variable parts.
TEST(Documents, TroubleshootingQuotesMessagesThatExist) {
  const std::string sources = source_text();
  const std::regex quoted("`([^`]*)`"), gap("…|\\.\\.\\.");
  std::istringstream lines(tests::source_file("docs/troubleshooting.md"));
  std::size_t found = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| ")) continue;
    const std::string cell = line.substr(2, line.find(" | ") - 2);
    for (std::sregex_iterator at(cell.begin(), cell.end(), quoted), end; at != end; ++at) {
      const std::string message = (*at)[1];
      if (message.find(' ') == std::string::npos) continue;  // a single word is an error code or the name of a setting, not a message
      ++found;
      for (std::sregex_token_iterator piece(message.begin(), message.end(), gap, -1), last; piece != last; ++piece)
        EXPECT_NE(sources.find(*piece), std::string::npos) << "nothing says '" << *piece << "' of: " << message;
    }
  }
  EXPECT_GT(found, 12u);
}

// Every link to a heading or a file in this repository must have an existing destination.
TEST(Documents, LinksLeadSomewhere) {
  std::vector<std::string> pages{"README.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md"};
  for (const auto& entry : std::filesystem::recursive_directory_iterator(tests::source_root() / "docs"))
    if (entry.path().extension() == ".md") pages.push_back(std::filesystem::relative(entry.path(), tests::source_root()).string());
  const std::regex link(R"(\]\(([^)#:]*)(?:#([^)]*))?\))");
  for (const std::string& page : pages) {
    const std::string text = tests::source_file(page);
    for (std::sregex_iterator at(text.begin(), text.end(), link), end; at != end; ++at) {
      const auto folder = std::filesystem::path(page).parent_path();
      const std::string target = (*at)[1].str().empty() ? page : (folder / (*at)[1].str()).lexically_normal().string();
      ASSERT_TRUE(std::filesystem::exists(tests::source_root() / target)) << page << " links to " << target;
      if (!(*at)[2].matched) continue;
      EXPECT_TRUE(anchors_of(tests::source_file(target)).contains((*at)[2])) << page << " links to " << target << "#" << (*at)[2];
    }
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

// The examples for Codex and Claude Code use the route `fast`. Both agents send long conversations, so a losing attempt in every race would
// be too expensive. Therefore the route must use the policy `adaptive`.
TEST(Examples, RoutesOfCodingAgentsAreAdaptive) {
  std::map<std::string, std::string> files;
  for (const char* page : {"README.md", "docs/configuration.md", "docs/migrating-from-litellm.md"})
    files[page] = yaml_blocks(tests::source_file(page)).at(0);
  for (const char* path : {"deploy/package/photofinish.yaml", "deploy/examples/minimal.yaml", "deploy/examples/team.yaml",
                           "deploy/examples/three-hosted.yaml", "deploy/examples/coding-agent.yaml"})
    files[path] = tests::source_file(path);
  for (const auto& [name, text] : files) {
    const config read = parse_config(text, name, generous()).settings;
    const auto found = read.routes.find(name.ends_with("coding-agent.yaml") ? "code" : "fast");
    ASSERT_NE(found, read.routes.end()) << name;
    EXPECT_EQ(found->second.race.policy, racing::race_policy::adaptive) << name;
  }
}

}  // namespace
}  // namespace photofinish::gateway
