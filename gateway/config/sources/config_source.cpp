#include "gateway/config/sources/config_source.hpp"

#include "gateway/config/access/gateway_key.hpp"
#include "gateway/config/config_checks.hpp"
#include "gateway/config/sources/zero_config.hpp"

#include <chrono>
#include <utility>

namespace photofinish::gateway {
namespace {

constexpr const char* default_file = "photofinish.yaml";

config_source read_source(config_origin origin, std::string file_name, const environment& machine) {
  config_source source{.origin = origin, .file_name = std::move(file_name), .text = {}, .problem = {}};
  file_content content = machine.read_file(source.file_name);
  source.text = std::move(content.text);
  source.problem = std::move(content.problem);
  return source;
}

config_result load_zero_config(const environment& machine,
                               const std::vector<listen_address>& listen_instead) {
  config_result result = zero_config(machine);
  if (listen_instead.empty()) return result;
  result.settings.server.listen = listen_instead;
  result.settings.server.is_listen_default = false;
  if (const auto exposed = exposure_problem(result.settings))
    result.problems.push_back({"environment", 0, 0, *exposed, severity::error});
  return result;
}

}  // namespace

config_source find_config(const std::optional<std::string>& flag, const environment& machine) {
  if (flag && !flag->empty()) return read_source(config_origin::flag, *flag, machine);
  if (const auto named = machine.variable("PHOTOFINISH_CONFIG"))
    return read_source(config_origin::variable, *named, machine);
  if (machine.file_exists(default_file)) return read_source(config_origin::working_folder, default_file, machine);
  return {};
}

config_source read_again(const config_source& before, const environment& machine) {
  if (before.origin == config_origin::zero_config) return find_config(std::nullopt, machine);
  return read_source(before.origin, before.file_name, machine);
}

config_result load_config(const config_source& source, const environment& machine,
                          const std::vector<listen_address>& listen_instead, std::set<std::string>* missing) {
  if (source.origin == config_origin::zero_config) return load_zero_config(machine, listen_instead);
  config_result result;
  if (source.problem.empty()) {
    result = parse_config(source.text, source.file_name, machine, listen_instead, missing);
    result.settings.source.text_hash = key_hash_of(source.text);
    const auto& tls = result.settings.server.ingress.tls;
    const char* late = "the certificate of tls.cert_file has expired: clients that check certificates refuse to "
                       "connect";
    if (tls && !tls->certificates.empty() && tls->expires < std::chrono::system_clock::now())
      result.problems.push_back({source.file_name, 0, 0, late, severity::warning});
    return result;
  }
  result.problems.push_back({source.file_name, 0, 0, source.problem, severity::error});
  return result;
}

std::string describe(const config_source& source) {
  switch (source.origin) {
    case config_origin::flag: return source.file_name;
    case config_origin::variable: return source.file_name + " (from PHOTOFINISH_CONFIG)";
    case config_origin::working_folder: return source.file_name + " (in the working folder)";
    case config_origin::zero_config: return "no configuration file; the providers are those with a key in the "
                                            "environment";
  }
  return {};
}

}  // namespace photofinish::gateway
