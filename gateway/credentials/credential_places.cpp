#include "gateway/credentials/credential_places.hpp"

#include "gateway/credentials/aws_profile.hpp"
#include "gateway/credentials/google_file.hpp"

#include <cstddef>
#include <variant>

namespace photofinish::gateway {
namespace {

using proxy::credential_place;
using proxy::credential_step;

std::string seen_in_google_file(const credential_step& step, const environment& machine) {
  const file_content file = machine.read_file(step.file);
  if (!file.problem.empty()) return file.problem;
  const auto read = read_google_file(file.text);
  if (const auto* problem = std::get_if<std::string>(&read)) return *problem;
  const auto& credentials = std::get<google_credentials>(read);
  if (const auto* account = std::get_if<service_account>(&credentials)) return "the service account " + account->email;
  return std::holds_alternative<authorized_user>(credentials) ? "a user's" : "a federation's";
}

std::string seen_in_profile(const credential_step& step, const environment& machine) {
  const file_content keys = machine.read_file(step.file), settings = machine.read_file(step.second_file);
  const obtaining read = read_aws_profile(keys.text, settings.text, step.name);
  const auto* no = std::get_if<not_obtained>(&read);
  return no ? no->why : "has keys";
}

std::string seen(const credential_step& step, const environment& machine) {
  if (step.place == credential_place::google_file) return seen_in_google_file(step, machine);
  if (step.place == credential_place::aws_profile) return seen_in_profile(step, machine);
  const std::string problem = step.file.empty() ? "" : machine.read_file(step.file).problem;
  return problem.empty() ? "is asked when the gateway runs" : step.file + " " + problem;
}

}  // namespace

std::string credential_places(const config& settings, const environment& machine) {
  std::string text;
  for (const auto& [name, provider] : settings.providers) {
    if (!provider.key.credentials) continue;
    text += "credentials of '" + name + "', from the first of these places that is there:\n";
    std::size_t number = 0;
    for (const credential_step& step : provider.key.credentials->steps)
      text += "  " + std::to_string(++number) + ". " + describe(step) + ": " + seen(step, machine) + "\n";
  }
  return text;
}

}  // namespace photofinish::gateway
