// Reads arbitrary text as a file of access keys, together with a configuration. Changes the file as `photofinish keys` does. Every error
// names a position in the file, no message reveals a secret, and a change affects only the entry of the changed key.
#include "gateway/commands/keys/key_file.hpp"
#include "gateway/config/sources/config_parser.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/support/gateway/table_environment.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace photofinish::fuzz {
namespace {

constexpr const char* planted_key = "sk-planted-0123456789";
constexpr std::string_view around =
    "providers: {groq: {api_key: k, models: ['*']}}\n"
    "routes: {fast: {targets: [groq/m]}, deep: {targets: [groq/n]}}\n"
    "teams: {search: {rpm_limit: 600}}\n"
    "key_defaults: {rpm_limit: 120}\n"
    "access_keys: file:/keys.yaml\n";

gateway::config_result read_with(std::string_view keys) {
  const gateway::environment machine = tests::table_environment{
      .variables = {{"KEY", planted_key}},
      .files = {{"/keys.yaml", std::string(keys)}, {"/run/secrets/x", planted_key}}}.machine();
  return gateway::parse_config(around, "f.yaml", machine);
}

void check_problems(const gateway::config_result& read, std::string_view keys) {
  const auto lines = 1 + std::count(keys.begin(), keys.end(), '\n');
  const bool tells_itself = keys.find(planted_key) != std::string_view::npos;
  for (const gateway::config_problem& problem : read.problems) {
    require(!problem.message.empty(), "a problem says what is wrong");
    require(tells_itself || problem.message.find(planted_key) == std::string::npos, "a problem tells no secret");
    if (problem.file != "/keys.yaml") continue;
    require(problem.line >= 1 && problem.line <= lines, "a problem names a line of the file of keys");
    require(problem.column >= 1 && problem.column <= static_cast<int>(keys.size()) + 1, "a problem names a column");
  }
}

const gateway::access_key* find(const gateway::config& settings, std::string_view name) {
  const auto& all = settings.access.keys;
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.name == name; });
  return found == all.end() ? nullptr : &*found;
}

// Checks that every key of `before` is unchanged in `after`, except that one key may have become blocked.
void check_others(const gateway::config& before, const gateway::config& after, std::string_view blocked) {
  for (const gateway::access_key& was : before.access.keys) {
    const gateway::access_key* is = find(after, was.name);
    require(is != nullptr, "no key is lost");
    gateway::access_key expected = was;
    if (was.name == blocked) expected.is_blocked = true;
    require(*is == expected, "no other key is changed");
  }
}

void check_adding(std::string_view keys, const gateway::config_result& before) {
  const gateway::new_key_entry entry{.name = "new \"one\" \\ of us", .key_hash = "sha256:" + std::string(64, 'a'),
                                     .team = "search", .expires = "2027-03-31", .routes = {"fast", "deep"}};
  const gateway::edited_keys made = gateway::with_entry(keys, entry);
  if (!made.problem.empty()) return require(made.text.empty(), "what is refused changes nothing");
  if (!before.is_usable()) return;
  const gateway::config_result after = read_with(made.text);
  require(after.is_usable(), "a file that was right stays right with a new key");
  require(after.settings.access.keys.size() == before.settings.access.keys.size() + 1, "there is one key more");
  require(find(after.settings, entry.name) != nullptr, "the new key has its name");
  check_others(before.settings, after.settings, {});
}

void check_blocking(std::string_view keys, const gateway::config_result& before) {
  if (!before.is_usable() || before.settings.access.keys.empty()) {
    gateway::with_blocked(keys, "alice");
    return;
  }
  const std::string name = before.settings.access.keys[before.settings.access.keys.size() / 2].name;
  if (name.starts_with("sha256:")) return;  // a name that begins with "sha256:" may be the hash of another key
  const gateway::edited_keys made = gateway::with_blocked(keys, name);
  if (!made.problem.empty()) return require(made.text.empty(), "what is refused changes nothing");
  const gateway::config_result after = read_with(made.text);
  require(after.is_usable(), "a file that was right stays right with a blocked key");
  require(after.settings.access.keys.size() == before.settings.access.keys.size(), "there are as many keys");
  require(find(after.settings, name) != nullptr && find(after.settings, name)->is_blocked, "the key is blocked");
  check_others(before.settings, after.settings, name);
  require(gateway::with_blocked(made.text, name).text == made.text, "who is blocked stays so");
}

}  // namespace
}  // namespace photofinish::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace photofinish;
  const fuzz::exact_bytes bytes(fuzz::as_text(data, size));
  const gateway::config_result read = fuzz::read_with(bytes.view());
  fuzz::check_problems(read, bytes.view());
  fuzz::require(fuzz::read_with(bytes.view()).problems == read.problems, "the same file has the same problems");
  fuzz::check_adding(bytes.view(), read);
  fuzz::check_blocking(bytes.view(), read);
  return 0;
}
