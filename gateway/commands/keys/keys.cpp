#include "gateway/commands/keys/keys.hpp"

#include "gateway/access/jwt/signed_token.hpp"
#include "gateway/access/sealed_key.hpp"
#include "gateway/commands/commands.hpp"
#include "gateway/commands/config_option.hpp"
#include "gateway/commands/gateway_page.hpp"
#include "gateway/commands/keys/entry_check.hpp"
#include "gateway/commands/keys/inspect_token.hpp"
#include "gateway/commands/keys/key_file.hpp"
#include "gateway/commands/keys/key_store.hpp"
#include "gateway/commands/keys/make_key.hpp"
#include "gateway/commands/keys/reopen_budget.hpp"
#include "gateway/commands/keys/seal.hpp"
#include "gateway/config/access/gateway_key.hpp"
#include "gateway/config/settings.hpp"
#include "gateway/config/sources/config_source.hpp"
#include "gateway/config/yaml/units.hpp"
#include "gateway/config/yaml/yaml_tree.hpp"
#include "gateway/process/file_replacement.hpp"
#include "gateway/process/process_environment.hpp"
#include "proxy/failures/sanitized_text.hpp"
#include "proxy/providers/url.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace photofinish::gateway {
namespace {

struct keys_options : page_options {
  std::string action, name, file, config_file;
  std::string team, expires, start, end, width = "1d", group_by = "client";
  std::vector<std::string> routes, provider_keys, others, more;
  bool wants_csv = false, is_in_store = false;
};

int complain(const std::string& what, int exit_code = 1) {
  std::cerr << "error: " << what << "\n";
  return exit_code;
}

// Reads the key from standard input or from an environment variable. Keys are never arguments, because other users of
// the machine can see arguments.
std::optional<std::string> key_to_read(const keys_options& options) {
  if (!options.key.empty()) return options.key;
  if (!options.key_variable.empty()) return process_environment().variable(options.key_variable);
  std::string line;
  if (!std::getline(std::cin, line) || line.empty()) return std::nullopt;
  if (line.back() == '\r') line.pop_back();
  return line;
}

int no_key() { return complain("no key was given: pipe the key in, or use --key-env to name the variable that contains "
                               "the key", keys_wrong_usage); }

// Edits the file. If the edit fails, prints the reason.
template <class Edit>
int edit_file(const std::string& file, bool may_be_new, const Edit& edit) {
  const environment machine = process_environment();
  file_content content;
  if (!may_be_new || machine.file_exists(file)) content = machine.read_file(file);
  if (!content.problem.empty()) return complain(file + " " + content.problem);
  const edited_keys edited = edit(content.text);
  if (!edited.problem.empty()) return complain(file + " " + edited.problem);
  const std::string problem = edited.text == content.text ? "" : rewrite_file(file, edited.text);
  return problem.empty() ? 0 : complain(file + ": " + problem);
}

// Returns the configuration. If the configuration cannot be used, prints the problems and returns nothing.
std::optional<config> load_settings(const keys_options& options) {
  const environment machine = process_environment();
  config_result loaded = load_config(find_config(options.config_file, machine), machine);
  if (loaded.is_usable()) return std::move(loaded.settings);
  print_problems(loaded.problems, std::cerr);
  return std::nullopt;
}

// Reads the values of --set. If one of them is wrong, prints the problem and returns nothing.
std::optional<entry_changes> other_settings(const keys_options& options) {
  constexpr std::array<std::string_view, 3> fixed{"name", "key", "key_hash"};
  entry_changes all;
  for (const std::string& each : options.others) {
    const std::size_t equals = each.find('=');
    const std::string name = each.substr(0, equals);
    const bool is_fixed = std::find(fixed.begin(), fixed.end(), name) != fixed.end();
    if (equals == std::string::npos || is_fixed || find_setting(section::access_key, name) == nullptr) {
      complain("--set '" + each + "' must be NAME=VALUE with a setting of access_keys, for example rpm_limit=60");
      return std::nullopt;
    }
    const auto value = as_one_value(each.substr(equals + 1));
    if (!value) {
      complain("--set '" + each + "' must have exactly one YAML value");
      return std::nullopt;
    }
    all.emplace_back(name, *value);
  }
  return all;
}

// Checks an entry before it is written. If the file contained one wrong entry, a gateway would reject the whole file.
// If the user gives a configuration, the configuration must contain the entry's teams and routes.
int check_new_entry(const new_key_entry& entry, const keys_options& options) {
  std::optional<config> settings;
  if (!options.config_file.empty()) {
    settings = load_settings(options);
    if (!settings) return keys_wrong_usage;
  }
  const yaml_result made = parse_yaml(entry_text(entry));
  const std::string text = made.root.items.empty() ? std::string() : changed_entry(made.root.items.front(), {});
  if (text.find("${") != std::string::npos) return 0;  // only the gateway's machine knows the value of a variable
  const std::string problem = entry_problem(text, settings ? &*settings : nullptr);
  return problem.empty() ? 0 : complain(problem, keys_wrong_usage);
}

edited_keys with_new_entry(const std::string& file, const new_key_entry& entry) {
  std::string problem = entries_problem(file);
  return problem.empty() ? with_entry(file, entry) : edited_keys{{}, std::move(problem)};
}

int make_key(const keys_options& options) {
  const auto end = parse_time(options.expires);
  if (!options.expires.empty() && !end)
    return complain("--expires must be a day or a time in UTC, for example 2027-03-31 or 2027-03-31T18:00:00Z",
                    keys_wrong_usage);
  if (end && *end <= std::chrono::system_clock::now()) return complain("--expires is in the past", keys_wrong_usage);
  if (options.name.starts_with('_')) return complain("a name must not begin with '_'", keys_wrong_usage);
  const proxy::secret made = make_gateway_key();
  const std::string& key = made.reveal();
  auto others = other_settings(options);
  if (!others) return keys_wrong_usage;
  const new_key_entry entry{options.name.empty() ? std::string(*public_part(key)) : options.name, key_hash_of(key),
                            options.team, options.expires, options.routes, *std::move(others)};
  if (options.is_in_store) {
    const auto settings = load_settings(options);
    return settings ? put_new_key(entry, key, *settings, std::cout, std::cerr) : keys_wrong_usage;
  }
  if (const int wrong = check_new_entry(entry, options); wrong != 0) return wrong;
  if (options.file.empty()) {
    std::cout << key << "\n";
    std::cerr << "the key above is shown only once; add this entry to access_keys:\n" << entry_text(entry);
    return 0;
  }
  const auto add = [&](const std::string& text) { return with_new_entry(text, entry); };
  const int failed = edit_file(options.file, true, add);
  if (failed != 0) return failed;
  std::cout << key << "\n";
  std::cerr << options.file << " now has the key's hash under the name '" << entry.name << "'; the key is shown only "
                                                                                        "once\n";
  return 0;
}

int hash_key(const keys_options& options) {
  const auto key = key_to_read(options);
  if (!key) return no_key();
  std::cout << key_hash_of(*key) << "\n";
  return 0;
}

// Prints the file's entry for the given access key, without the key itself.
int show_entry(const std::string& file, const std::string& key) {
  const file_content content = process_environment().read_file(file);
  if (!content.problem.empty()) return complain(file + " " + content.problem);
  const yaml_result tree = parse_yaml(content.text);
  for (const yaml_node& entry : tree.root.items) {
    if (!is_opened_by(entry, key)) continue;
    std::cout << proxy::shown_lines(shown_entry(entry));
    return 0;
  }
  return complain(file + " has no entry for this key");
}

int make_sealed_key(const keys_options& options) {
  const auto settings = load_settings(options);
  if (!settings) return keys_wrong_usage;
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  return seal_key({options.name, options.team, options.expires, options.routes, options.provider_keys}, *settings,
                  process_environment(), now, std::cout, std::cerr);
}

int change_key(const keys_options& options) {
  if (!options.is_in_store)
    return complain("`set` works only in the store, with --redis; to change a key in a file, edit its "
                    "entry", keys_wrong_usage);
  if (options.name.empty()) return complain("no key is named: give the key's name or public part", keys_wrong_usage);
  auto changes = other_settings(options);
  if (!changes) return keys_wrong_usage;
  if (!options.team.empty()) changes->emplace_back("team", in_yaml_quotes(options.team));
  if (!options.expires.empty()) changes->emplace_back("expires", in_yaml_quotes(options.expires));
  std::string routes;
  for (const std::string& each : options.routes) routes += (routes.empty() ? "" : ", ") + in_yaml_quotes(each);
  if (!routes.empty()) changes->emplace_back("routes", "[" + routes + "]");
  if (changes->empty())
    return complain("nothing to set: --set NAME=VALUE, --team, --routes or --expires", keys_wrong_usage);
  const auto settings = load_settings(options);
  return settings ? change_stored_key({options.name}, *changes, *settings, std::cerr) : keys_wrong_usage;
}

int inspect_key(const keys_options& options) {
  const auto key = key_to_read(options);
  if (!key) return no_key();
  if (is_sealed_key(*key)) {
    const auto settings = load_settings(options);
    return settings ? show_sealed_key(*key, *settings, std::cout, std::cerr) : keys_wrong_usage;
  }
  if (is_jwt(*key)) {
    const auto settings = load_settings(options);
    const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    return settings ? show_token(*key, *settings, now, std::cout, std::cerr) : keys_wrong_usage;
  }
  const auto its_public_part = public_part(*key);
  const std::string hash = key_hash_of(*key);
  std::cout << "key: " << (its_public_part ? std::string(*its_public_part) : "created by another program") << "\n"
            << "key_hash: " << hash << "\n";
  if (options.is_in_store) {
    const auto settings = load_settings(options);
    if (!settings) return keys_wrong_usage;
    if (!its_public_part) return complain("the store has only keys that `photofinish keys new` has created");
    return show_stored_key({std::string(*its_public_part), *key}, *settings, std::cout, std::cerr);
  }
  return options.file.empty() ? 0 : show_entry(options.file, *key);
}

// Blocks a key in the store. The key is found by its public part or by its name.
int revoke_in_store(const keys_options& options) {
  const auto settings = load_settings(options);
  if (!settings) return keys_wrong_usage;
  if (!options.name.empty()) return block_stored_key({options.name}, *settings, std::cerr);
  const auto key = key_to_read(options);
  const auto id = key ? public_part(*key) : std::nullopt;
  if (!id) return complain("no key is named: give the key's name or public part, or pipe the key in", keys_wrong_usage);
  return block_stored_key({std::string(*id), *key}, *settings, std::cerr);
}

int revoke_key(const keys_options& options) {
  if (options.is_in_store) return revoke_in_store(options);
  if (options.file.empty())
    return complain("give --file with the file of keys to change, or --redis to use the store", keys_wrong_usage);
  const auto key = options.name.empty() ? key_to_read(options) : std::nullopt;
  if (options.name.empty() && !key) return complain("no key is named: give the key's name, or pipe the key "
                                                    "in", keys_wrong_usage);
  std::string in_the_way;
  const int failed = edit_file(options.file, false, [&](const std::string& text) {
    edited_keys edited = key ? with_key_blocked(text, *key) : with_blocked(text, options.name);
    in_the_way = entries_problem(edited.text);
    return edited;
  });
  if (failed != 0) return failed;
  if (!in_the_way.empty())
    return complain("blocked in " + options.file + ", but gateways reject the file, and still accept the key, until "
                                                   "this is corrected: " + in_the_way);
  std::cerr << "blocked in " << options.file << "; gateways that watch this file refuse the key within 2 s\n";
  return 0;
}

// Resets a budget. The command has the arguments SCOPE and NAME. The store's URL comes from an option or from the
// configuration.
int reopen_one(const keys_options& options) {
  std::vector<std::string> words{options.name};
  words.insert(words.end(), options.more.begin(), options.more.end());
  const auto is_url = [](const std::string& word) { return word.find("://") != std::string::npos; };
  const auto url = std::find_if(words.begin(), words.end(), is_url);
  store_settings store;
  if (url != words.end()) {
    store.url = proxy::secret(*url);
    words.erase(url);
  }
  if (!options.is_in_store || words.size() != 2 || words[0].empty())
    return complain("usage: photofinish keys reopen-budget SCOPE NAME --redis URL, for example team search",
                    keys_wrong_usage);
  if (store.url.empty() || !options.config_file.empty()) {
    const auto settings = load_settings(options);
    if (!settings) return keys_wrong_usage;
    const proxy::secret its_url = store.url.empty() ? settings->store.url : store.url;
    store = settings->store;
    store.url = its_url;
    if (store.url.empty()) return complain("the configuration has no `redis`", keys_wrong_usage);
  }
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  return reopen_budget({words[0], words[1]}, store, now, std::cerr);
}

int print_csv(std::string_view page, std::ostream& out, std::ostream&) {
  out << proxy::shown_lines(page);
  return 0;
}

int show_usage(const keys_options& options) {
  std::string path = "/v1/usage?bucket_width=" + proxy::percent_encoded(options.width) +
                     "&group_by=" + proxy::percent_encoded(options.group_by);
  if (!options.start.empty()) path += "&start_time=" + proxy::percent_encoded(options.start);
  if (!options.end.empty()) path += "&end_time=" + proxy::percent_encoded(options.end);
  page_options from = options;
  if (!options.name.empty()) from.url = options.name;
  if (options.wants_csv) from.accept = "text/csv";
  return show_page(from, path, options.wants_csv ? print_csv : print_usage);
}

int run(const keys_options& options) {
  if (!options.others.empty() && options.action != "new" && options.action != "set")
    return complain("--set can be used only with `new` and `set`", keys_wrong_usage);
  if (options.action == "reopen-budget") return reopen_one(options);
  if (!options.more.empty()) return complain("unexpected '" + options.more.front() + "'", keys_wrong_usage);
  if (options.action == "new") return make_key(options);
  if (options.action == "hash") return hash_key(options);
  if (options.action == "seal") return make_sealed_key(options);
  if (options.action == "set") return change_key(options);
  if (options.action == "inspect") return inspect_key(options);
  if (options.action == "revoke") return revoke_key(options);
  return show_usage(options);
}

}  // namespace

void add_keys_command(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("keys", "Create, show and block access keys, reopen budgets, and report usage");
  // CLI11 runs the command after this function has returned. Therefore the options are in a shared pointer.
  const auto options = std::make_shared<keys_options>();
  command->add_option("ACTION", options->action, "The action")
      ->required()
      ->check(CLI::IsMember({"new", "hash", "seal", "set", "inspect", "revoke", "usage", "reopen-budget"}));
  command->add_option("NAME", options->name,
                      "The key's name; for usage: the gateway's URL; for reopen-budget: the scope (key, team, route or "
                      "key_on_route)");
  command->add_option("MORE", options->more, "For reopen-budget: the name in that scope; with --redis, also the "
                                             "store's URL if it is not the URL in the configuration");
  auto* in_file = command->add_option("--file", options->file, "The file of access keys, which new and revoke change");
  in_file->type_name("FILE");
  command->add_flag("--redis", options->is_in_store, "Use the store of the configuration's `redis` instead of a file")
      ->excludes(in_file);
  command->add_option("--set", options->others, "For new and set: a setting of access_keys, for example rpm_limit=60")
      ->type_name("NAME=VALUE");
  command->add_option("--team", options->team, "The new key's team")->type_name("NAME");
  command->add_option("--routes", options->routes, "The new key's routes, separated by commas")
      ->type_name("NAMES")->delimiter(',');
  command->add_option("--expires", options->expires, "The time when the new key expires: a day or a time in UTC")
      ->type_name("TIME");
  command->add_option("--provider-keys", options->provider_keys,
                      "The providers' keys to put into a sealed key: PROVIDER=VARIABLE, separated by commas")
      ->type_name("NAMES")->delimiter(',');
  add_config_option(*command, options->config_file);
  command->add_option("--start", options->start, "Show usage from this day or time in UTC")->type_name("TIME");
  command->add_option("--end", options->end, "Show usage until this day or time")->type_name("TIME");
  command->add_option("--width", options->width, "Show usage per day or per hour")
      ->check(CLI::IsMember({"1d", "1h"}))->capture_default_str();
  command->add_option("--group-by", options->group_by,
                      "Group usage by client, team, model or project; separate several with commas")
      ->type_name("NAMES")->capture_default_str();
  command->add_option("--gateway", options->gateway,
                      "Show only the usage of the gateway whose `instance` has this value")
      ->type_name("NAME");
  add_key_options(*command, *options);
  auto* as_json = command->add_flag("--json", options->wants_json,
                                    "Print the gateway's JSON answer for usage unchanged");
  command->add_flag("--csv", options->wants_csv, "Print usage as CSV")->excludes(as_json);
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace photofinish::gateway
