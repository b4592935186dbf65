#include "gateway/commands/commands.hpp"

#include "gateway/simulator/simulator.hpp"

#include <CLI/CLI.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace photofinish::gateway::commands {
namespace {

using simulator_type = simulator::simulator;
using namespace simulator;

struct sim_flags {
  std::string listen = "127.0.0.1:7800";
  std::map<std::string, std::string, std::less<>> settings;  // the settings' values as the user typed them
  std::vector<std::string> phases;  // the phases of the simulation as the user typed them
  std::string schedule;             // the path of a file of phases; empty if there is none
  sim_options options;
};

struct address {
  std::string host;
  std::uint16_t port = 0;
};

// Parses HOST:PORT or [IPV6]:PORT. Returns nothing if the text has another form.
std::optional<address> parse_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  const std::string_view port = text.substr(colon + 1);
  address parsed{.host = std::string(text.substr(0, colon))};
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), parsed.port);
  if (error != std::errc{} || end != port.data() + port.size()) return std::nullopt;
  if (parsed.host.front() == '[' && parsed.host.back() == ']')
    parsed.host = parsed.host.substr(1, parsed.host.size() - 2);
  if (parsed.host == "localhost") parsed.host = "127.0.0.1";
  return parsed;
}

std::string flag_of(std::string_view setting) {
  std::string flag = "--" + std::string(setting);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

int complain(int exit_code, std::string_view what) {
  std::cerr << "photofinish sim: " << what << "\n";
  return exit_code;
}

int serve(const sim_options& options, const address& where) {
  boost::asio::io_context io(1);
  simulator_type provider(io, options);
  std::uint16_t port = 0;
  try {
    port = provider.listen(where.host, where.port);
  } catch (const boost::system::system_error& failed) {
    return complain(1, "cannot listen on " + where.host + ": " + failed.code().message());
  }
  const bool is_ipv6 = where.host.find(':') != std::string::npos;
  const std::string host = is_ipv6 ? "[" + where.host + "]" : where.host;
  std::cout << "http://" << host << ":" << port << "/v1" << std::endl;
  boost::asio::signal_set signals(io, SIGINT, SIGTERM);
  signals.async_wait([&provider](boost::system::error_code, int) { provider.stop(); });
  io.run();
  return 0;
}

// Reads phases from the file, then from the flags. Returns the text of an error, or an empty text.
std::string read_phases(sim_flags& flags) {
  if (!flags.schedule.empty()) {
    std::ifstream file(flags.schedule);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    if (!file) return "cannot read " + flags.schedule;
    auto phases = parse_phases(text);
    if (!phases) return flags.schedule + ": " + phases.error().detail;
    flags.options.phases = *std::move(phases);
  }
  for (const std::string& text : flags.phases) {
    auto phase = parse_phase(text);
    if (!phase) return phase.error().detail;
    flags.options.phases.push_back(*std::move(phase));
  }
  return {};
}

int run(sim_flags& flags) {
  // Applies the settings in the order of the table of settings, so that the order of the flags does not matter.
  for (const sim_setting& setting : sim_settings()) {
    const auto given = flags.settings.find(setting.name);
    if (given == flags.settings.end()) continue;
    const auto applied = apply_setting(flags.options.behaviour, setting.name, given->second);
    if (!applied) return complain(2, applied.error().detail);
  }
  if (const std::string problem = read_phases(flags); !problem.empty()) return complain(2, problem);
  const auto where = parse_address(flags.listen);
  if (!where) return complain(2, "--listen must be HOST:PORT, not `" + flags.listen + "`");
  return serve(flags.options, *where);
}

// Adds one flag for each setting except `seed`. The flag --seed is the seed of the simulator, not the
// seed of each request.
void add_setting_flags(CLI::App& sim, sim_flags& flags) {
  for (const sim_setting& setting : sim_settings()) {
    if (setting.name == "seed") continue;
    const std::string name(setting.name);
    const std::string help(setting.help);
    if (setting.value.empty()) {
      sim.add_flag_callback(flag_of(name), [&flags, name] { flags.settings[name] = ""; }, help);
      continue;
    }
    const auto keep = [&flags, name](const CLI::results_t& given) {
      return flags.settings[name] = given.empty() ? "" : given.front(), true;
    };
    CLI::Option* option = sim.add_option(flag_of(name), keep, help)->type_name(std::string(setting.value));
    const bool is_optional = setting.value.front() == '[';
    option->expected(is_optional ? 0 : 1, 1);
  }
}

}  // namespace

void add_sim_command(CLI::App& app, int& exit_code) {
  // The flags are in a shared pointer, because CLI11 keeps and copies the callbacks during the life of the App.
  auto flags = std::make_shared<sim_flags>();
  flags->options.kept_records = 0;  // keeps no request records, because this command has no way to read them
  CLI::App* sim = app.add_subcommand("sim", "Run a simulated provider");
  sim->add_option("--listen", flags->listen, "HOST:PORT; port 0 lets the system choose a port")
      ->capture_default_str();
  sim->add_option("--seed", flags->options.seed, "answers depend only on the seed and the requests")
      ->capture_default_str();
  sim->add_option("--model", flags->options.model, "the model that GET /v1/models lists")->capture_default_str();
  sim->add_option("--require-key", flags->options.required_key, "the bearer token that each request must carry");
  add_setting_flags(*sim, *flags);
  sim->add_option("--phase", flags->phases, "FROM-TO;setting;setting=value: other settings during this period; may be "
                                            "repeated")
      ->type_name("PHASE")
      ->allow_extra_args(false);
  sim->add_option("--schedule", flags->schedule, "a file with a phase in each line")->type_name("FILE");
  sim->callback([flags, &exit_code] { exit_code = run(*flags); });
}

}  // namespace photofinish::gateway::commands
