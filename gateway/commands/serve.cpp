#include "gateway/commands/commands.hpp"

#include "gateway/commands/config_option.hpp"
#include "gateway/commands/version.hpp"
#include "gateway/config/sources/config_source.hpp"
#include "gateway/config/sources/demo_config.hpp"
#include "gateway/config/state_dir.hpp"
#include "gateway/http/listen_address.hpp"
#include "gateway/log/last_line.hpp"
#include "gateway/log/log.hpp"
#include "gateway/process/process_environment.hpp"
#include "gateway/server/app.hpp"
#include "gateway/server/banner.hpp"
#include "gateway/server/blocked_signals.hpp"
#include "gateway/server/server.hpp"
#include "gateway/server/socket_activation.hpp"
#include "gateway/simulator/demo.hpp"
#include "gateway/threads/leavable_thread.hpp"

#include <spdlog/spdlog.h>

#include <sys/resource.h>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {
namespace {

struct serve_options {
  std::string config_file;
  std::vector<std::string> listen;
  bool is_demo = false;
};

constexpr int failed_running = 1;
constexpr int wrong_usage = 2;

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    if (comma > at) parts.push_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return parts;
}

// Returns the addresses that replace the file's `listen`. The flag has priority over the environment variable.
std::optional<std::vector<listen_address>> listen_instead(const serve_options& options, const environment& machine) {
  std::vector<std::string> texts = options.listen;
  if (texts.empty()) texts = split(machine.variable("PHOTOFINISH_LISTEN").value_or(""));
  std::vector<listen_address> addresses;
  for (const std::string& text : texts) {
    const auto address = parse_listen_address(text);
    if (!address) {
      std::cerr << "error: --listen '" << text << "' " << listen_address_problem(text) << "\n";
      return std::nullopt;
    }
    addresses.push_back(*address);
  }
  return addresses;
}

bool wants_demo(const serve_options& options, const environment& machine) {
  if (options.is_demo) return true;
  const std::string value = machine.variable("PHOTOFINISH_DEMO").value_or("0");
  return value != "0" && value != "false" && value != "no";
}

config_result demo_result(const simulator::demo_providers& demo, const std::vector<listen_address>& addresses) {
  config_result result;
  result.settings = demo_config(demo.providers());
  if (!addresses.empty()) {
    result.settings.server.listen = addresses;
    result.settings.server.is_listen_default = false;
  }
  return result;
}

// Logs the warnings, so that a log collector that reads JSON gets them as JSON.
void log_problems(const std::vector<config_problem>& problems) {
  for (const config_problem& problem : problems) spdlog::warn("{}", to_string(problem));
}

// Prints the start messages and runs the server. The banner is for people; with JSON or logfmt, a log collector gets
// only the log line. The object `operated` uses timers of the server's event loop and must be destroyed before the
// server. Therefore this is a separate function.
void announce_and_run(server& running, const std::shared_ptr<const config>& settings, const std::string& from,
                      const std::string& hash, const std::function<config_result()>& load) {
  // The constructor of `operated` reads the modification times of the configuration files. The object is created before
  // the gateway reports its start. Therefore it notices all changes that are made after the report.
  app operated(running, settings, load, hash);
  spdlog::info("{}", started_text(*settings, this_build().version, from, hash, running.addresses(),
                                  running.admin_address()));
  if (settings->log.format == log_form::text)
    std::cout << banner(*settings, this_build().version, from, running.addresses(), running.admin_address())
              << std::flush;
  operated.run();
}

// Runs the server until it has drained. `loaded` is passed by value and moved, so that no second copy of the settings
// stays in memory. The settings of ten thousand keys take several megabytes.
int run_until_drained(config_result loaded, const std::string& from, const std::function<config_result()>& load,
                      housekeeping keeping, std::vector<inherited_socket> inherited) {
  const log_session log(loaded.settings.log.level, loaded.settings.log.format);
  report_failures();
  if (loaded.settings.log.format != log_form::text) log_problems(loaded.problems);
  const auto settings = std::make_shared<const config>(std::move(loaded.settings));
  const std::string hash = std::move(loaded.hash);
  auto started = server::start(settings, this_build(), std::move(keeping), {}, std::move(inherited));
  if (const auto* why_not = std::get_if<std::string>(&started)) {
    std::cerr << "error: " << *why_not << "\n";
    return failed_running;
  }
  auto& running = std::get<std::unique_ptr<server>>(started);
  announce_and_run(*running, settings, from, hash, load);
  running.reset();  // the server's destructor saves the statistics
  spdlog::info("stopped");
  return 0;
}

int run(config_result loaded, const std::string& from, const std::function<config_result()>& load,
        housekeeping keeping, std::vector<inherited_socket> inherited) {
  const int exit_code = run_until_drained(std::move(loaded), from, load, std::move(keeping), std::move(inherited));
  std::cout << std::flush;
  // If a thread is still running, exits without destroying static objects, because the thread might still use them.
  if (leavable_thread::is_any_left_behind()) std::_Exit(exit_code);
  return exit_code;
}

// Raises the soft limit of file descriptors to the hard limit. The soft limit is usually low, because programs with
// select() cannot use large descriptors. This program does not use select().
void use_every_descriptor() {
  rlimit descriptors{};
  if (::getrlimit(RLIMIT_NOFILE, &descriptors) != 0) return;
  descriptors.rlim_cur = descriptors.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &descriptors);
}

// Returns the listening sockets that the process has inherited. If there are any, neither the configuration file nor a
// flag may set other addresses.
std::optional<std::vector<inherited_socket>> inherited_sockets(const environment& machine,
                                                               std::optional<std::vector<listen_address>>& addresses) {
  auto taken = take_inherited_sockets(machine);
  std::string problem;
  if (const auto* why_not = std::get_if<std::string>(&taken)) problem = *why_not;
  auto* inherited = std::get_if<std::vector<inherited_socket>>(&taken);
  if (inherited && !inherited->empty() && addresses && !addresses->empty())
    problem = "LISTEN_FDS passes sockets to listen on: omit --listen and PHOTOFINISH_LISTEN";
  if (!problem.empty()) {
    std::cerr << "error: " << problem << "\n";
    return std::nullopt;
  }
  if (!inherited->empty()) addresses = addresses_of(*inherited);
  return std::move(*inherited);
}

int serve(const serve_options& options) {
  std::signal(SIGPIPE, SIG_IGN);  // ignores SIGPIPE, because OpenSSL may write to a closed socket
  use_every_descriptor();
  const environment machine = process_environment();
  auto addresses = listen_instead(options, machine);
  if (!addresses) return wrong_usage;
  auto inherited = inherited_sockets(machine, addresses);
  if (!inherited) return wrong_usage;

  std::optional<simulator::demo_providers> demo;
  config_source source;
  config_result loaded;
  if (!wants_demo(options, machine)) {
    source = find_config(options.config_file, machine);
    loaded = load_config(source, machine, *addresses);
    const bool is_for_people = !loaded.is_usable() || loaded.settings.log.format == log_form::text;
    if (is_for_people) print_problems(loaded.problems, std::cerr);
    if (!loaded.is_usable()) return wrong_usage;
  }
  block_signals();
  const bool is_demo = wants_demo(options, machine) ||
                       (source.origin == config_origin::zero_config && loaded.settings.providers.empty());
  if (!is_demo) {
    source.text = {};  // frees the memory of the file's text; a reload reads the file again
    const auto load = [=] { return load_config(read_again(source, machine), machine, *addresses); };
    housekeeping keeping{.state_dir = state_dir_of(loaded.settings, machine)};
    return run(std::move(loaded), describe(source), load, std::move(keeping), *std::move(inherited));
  }
  demo.emplace();
  const auto load = [&] { return demo_result(*demo, *addresses); };
  // The statistics of simulated providers are not saved to a file.
  return run(load(), "none: simulated providers (--demo)", load, {},
             *std::move(inherited));
}

}  // namespace

void add_serve_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("serve", "Run the gateway");
  // CLI11 runs the command after this function has returned. Therefore the options are in a shared pointer.
  const auto options = std::make_shared<serve_options>();
  add_config_option(*command, options->config_file);
  command
      ->add_option("--listen", options->listen,
                   "An address to listen on, repeatable (default: PHOTOFINISH_LISTEN, otherwise the configured "
                   "addresses)")
      ->type_name("HOST:PORT");
  command->add_flag("--demo", options->is_demo,
                    "Race three simulated providers: no key, no cost (or PHOTOFINISH_DEMO=1)");
  command->callback([options, &exit_code] { exit_code = serve(*options); });
}

}  // namespace photofinish::gateway
