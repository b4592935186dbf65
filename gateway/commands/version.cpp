#include "gateway/commands/version.hpp"

#include "gateway/commands/commands.hpp"
#include "gateway/process/version.hpp"

#include <ares.h>
#include <boost/version.hpp>
#include <nlohmann/json.hpp>
#include <openssl/crypto.h>
#include <simdjson.h>
#include <spdlog/version.h>

#include <iostream>

namespace photofinish::gateway {
namespace {

std::string dotted(int major, int minor, int patch) {
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

}  // namespace

metrics::build_facts this_build() { return {version, commit, compiler}; }

std::string version_text() {
  std::string text = "photofinish " + std::string(version) + " (" + commit + ")\n";
  text += "compiler  " + std::string(compiler) + "\n";
  text += "boost     " + dotted(BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000, BOOST_VERSION % 100) + "\n";
  text += "openssl   " + std::string(OpenSSL_version(OPENSSL_VERSION_STRING)) + "\n";
  text += "simdjson  " + dotted(simdjson::SIMDJSON_VERSION_MAJOR, simdjson::SIMDJSON_VERSION_MINOR,
                                simdjson::SIMDJSON_VERSION_REVISION) + "\n";
  text += "c-ares    " + std::string(ares_version(nullptr)) + "\n";
  text += "nlohmann  " +
          dotted(NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH) +
          "\n";
  text += "spdlog    " + dotted(SPDLOG_VER_MAJOR, SPDLOG_VER_MINOR, SPDLOG_VER_PATCH) + "\n";
  return text;
}

void add_version_command(CLI::App& app) {
  app.add_subcommand("version", "Print version, commit, compiler and libraries")->callback([] {
    std::cout << version_text();
  });
}

}  // namespace photofinish::gateway
