#include "gateway/commands/check.hpp"

#include "gateway/commands/cache_notes.hpp"
#include "gateway/commands/catalogue_notes.hpp"
#include "gateway/commands/commands.hpp"
#include "gateway/commands/config_option.hpp"
#include "gateway/config/change/name_changes.hpp"
#include "gateway/config/sources/config_source.hpp"
#include "gateway/content/content_files.hpp"
#include "gateway/credentials/aws_profile.hpp"
#include "gateway/credentials/google_file.hpp"
#include "gateway/process/process_environment.hpp"

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <iostream>
#include <memory>
#include <set>
#include <system_error>
#include <variant>

namespace photofinish::gateway {
namespace {

// Prints where the gateway stores prompts and answers, because operators should know these places.
void print_content_log(const content_log_settings& log, std::ostream& out) {
  if (!log.is_on()) return;
  out << "content_log: prompts and answers of " << count_of_kind(log.routes.size(), "route")
      << " are stored in plain text: "
      << day_file(log.file, std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now())) << '\n';
  const std::string folder = log.file.substr(0, std::max<std::size_t>(log.file.rfind('/'), 1));
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    out << "content_log: this user has no write permission "
           "in " << folder << ": " << std::generic_category().message(errno)
        << '\n';
}

std::string seen_in_google_file(const proxy::credential_step& step, const environment& machine) {
  const file_content file = machine.read_file(step.file);
  if (!file.problem.empty()) return file.problem;
  const auto read = read_google_file(file.text);
  if (const auto* problem = std::get_if<std::string>(&read)) return *problem;
  const auto& credentials = std::get<google_credentials>(read);
  if (const auto* account = std::get_if<service_account>(&credentials)) return "the service account " + account->email;
  return std::holds_alternative<authorized_user>(credentials) ? "a user's" : "a federation's";
}

std::string seen_in_profile(const proxy::credential_step& step, const environment& machine) {
  const file_content keys = machine.read_file(step.file), settings = machine.read_file(step.second_file);
  const obtaining read = read_aws_profile(keys.text, settings.text, step.name);
  const auto* no = std::get_if<not_obtained>(&read);
  return no ? no->why : "has keys";
}

std::string seen(const proxy::credential_step& step, const environment& machine) {
  if (step.place == proxy::credential_place::google_file) return seen_in_google_file(step, machine);
  if (step.place == proxy::credential_place::aws_profile) return seen_in_profile(step, machine);
  const std::string problem = step.file.empty() ? "" : machine.read_file(step.file).problem;
  return problem.empty() ? "can be checked only by a running gateway" : step.file + " " + problem;
}

// Lists the places where the gateway looks for the expiring credentials of each provider, in the order in which it
// tries them. Each line contains only facts that are known without a network request, and no secrets.
void print_credential_places(const config& settings, const environment& machine, std::ostream& out) {
  for (const auto& [name, provider] : settings.providers) {
    if (!provider.key.credentials) continue;
    out << "credentials of '" << name << "' are taken from the first of these places that exists:\n";
    std::size_t number = 0;
    for (const proxy::credential_step& step : provider.key.credentials->steps)
      out << "  " << ++number << ". " << describe(step) << ": " << seen(step, machine) << '\n';
  }
}

void print_missing(const std::set<std::string>& missing, std::ostream& to) {
  if (missing.empty()) return;
  constexpr std::size_t most_named = 50;
  to << "--without-secrets: these values are missing here, so they were not checked: ";
  std::size_t count = 0;
  for (const std::string& each : missing)
    if (++count <= most_named) to << (count > 1 ? ", " : "") << proxy::shown_text(each);
  if (count > most_named) to << " and " << count - most_named << " more";
  to << '\n';
}

}  // namespace

int run_check(const std::optional<std::string>& config_flag, const environment& machine, std::ostream& out,
              std::ostream& err, needed_secrets needs) {
  const config_source source = find_config(config_flag, machine);
  std::set<std::string> missing;
  const config_result result = load_config(source, machine, {}, needs == needed_secrets::none ? &missing : nullptr);
  print_problems(result.problems, err);
  print_missing(missing, result.is_usable() ? out : err);
  if (!result.is_usable()) return 2;
  if (source.origin == config_origin::zero_config && result.settings.providers.empty()) {
    out << "ok, but there is nothing to check: this folder has no photofinish.yaml, and no variable holds the key of a "
           "known provider (photofinish providers lists them). `serve` would race three simulated providers.\n";
    return 0;
  }
  out << "ok: " << describe(source) << ": " << count_of_kind(result.settings.providers.size(), "provider") << ", "
      << count_of_kind(result.settings.routes.size(), "route") << '\n';
  if (!result.hash.empty()) out << "hash: " << result.hash << '\n';
  print_credential_places(result.settings, machine, out);
  print_content_log(result.settings.log.content, out);
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  for (const std::string& note : prompt_cache_notes(result.settings, now))
    out << "prompt caches: " << proxy::shown_text(note) << '\n';
  const auto today = std::chrono::floor<std::chrono::days>(now);
  for (const std::string& note : catalogue_notes(result.settings, today))
    out << "catalogue: " << proxy::shown_text(note) << '\n';
  return 0;
}

void add_check_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("check", "Validate a configuration: exit code 0 (valid) or 2");
  // CLI11 runs the command after this function has returned. Therefore the value is in a shared pointer.
  const auto config_flag = std::make_shared<std::string>();
  add_config_argument(*command, *config_flag);
  const auto needs = std::make_shared<needed_secrets>(needed_secrets::all);
  command->add_flag_callback("--without-secrets", [needs] { *needs = needed_secrets::none; },
                             "Report missing variables and files only as a note, not as errors");
  command->callback([config_flag, needs, &exit_code] {
    exit_code = run_check(*config_flag, process_environment(), std::cout, std::cerr, *needs);
  });
}

}  // namespace photofinish::gateway
