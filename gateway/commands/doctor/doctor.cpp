#include "gateway/commands/doctor/doctor.hpp"

#include "gateway/commands/catalogue_notes.hpp"
#include "gateway/commands/commands.hpp"
#include "gateway/commands/config_option.hpp"
#include "gateway/commands/doctor/doctor_report.hpp"
#include "gateway/commands/doctor/doctor_targets.hpp"
#include "gateway/commands/doctor/examination.hpp"
#include "gateway/config/sources/config_source.hpp"
#include "gateway/config/yaml/units.hpp"
#include "gateway/process/process_environment.hpp"

#include <CLI/CLI.hpp>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <csignal>
#include <iostream>
#include <memory>

namespace photofinish::gateway {
namespace {

constexpr int some_fail = 1, nothing_tried = 2;

int refuse(std::ostream& err, const std::string& what) {
  err << "error: " << what << '\n';
  return nothing_tried;
}

struct doctor_flags {
  doctor_options options;
  std::string timeout = "30s";
};

// Sends log lines to standard error, because a program may read the report on standard output.
void log_to_stderr() {
  const auto log = spdlog::stderr_logger_mt("doctor");
  log->set_pattern("%l: %v");
  log->set_level(spdlog::level::warn);
  spdlog::set_default_logger(log);
}

int doctor(doctor_flags& flags) {
  std::signal(SIGPIPE, SIG_IGN);
  log_to_stderr();
  const auto patience = parse_duration(flags.timeout);
  if (!patience || patience->count() <= 0)
    return refuse(std::cerr, "--timeout: '" + flags.timeout + "' is not a duration such as 30s");
  flags.options.patience = std::chrono::ceil<std::chrono::milliseconds>(*patience);
  return run_doctor(flags.options, process_environment(), std::cout, std::cerr);
}

}  // namespace

int run_doctor(const doctor_options& options, const environment& machine, std::ostream& out, std::ostream& err) {
  const config_source source = find_config(options.config_file, machine);
  const config_result loaded = load_config(source, machine);
  print_problems(loaded.problems, err);
  if (!loaded.is_usable()) return nothing_tried;
  const doctor_targets targets = targets_to_try(loaded.settings, options.targets);
  if (!targets.problem.empty()) return refuse(err, targets.problem);
  if (targets.chosen.empty())
    return refuse(err, "there is no target to try: use a configuration with routes, set the key of a known provider "
                       "(photofinish providers lists them), or name provider/model");
  const examination_limits limits{options.max_tokens, options.patience};
  doctor_report report{examine(loaded.settings, targets.chosen, limits), targets.notes};
  const auto today = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  for (const std::string& note : catalogue_notes(loaded.settings, today)) report.notes.push_back("catalogue: " + note);
  if (options.wants_json) out << report_json(report) << '\n';
  else print_report(report, out);
  return report.all_work() ? 0 : some_fail;
}

void add_doctor_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("doctor", "Try each target once and report failures, limits and advice");
  // CLI11 runs the command after this function has returned. Therefore the options are in a shared pointer.
  const auto flags = std::make_shared<doctor_flags>();
  doctor_options& options = flags->options;
  add_config_option(*command, options.config_file);
  command->add_option("TARGET", options.targets, "Routes, providers or provider/model (default: all)");
  command->add_option("--max-tokens", options.max_tokens, "The maximum number of tokens in each answer")
      ->capture_default_str()->check(CLI::Range(1, 10'000))->type_name("N");
  command->add_option("--timeout", flags->timeout, "The time limit for each target")
      ->capture_default_str()->type_name("TIME");
  command->add_flag("--json", options.wants_json, "Print JSON");
  command->footer("Sends one small chat request to each target, which costs at most a fraction of a cent. Exit code "
                  "0: all targets work; 1: some do not; 2: nothing was tried.");
  command->callback([flags, &exit_code] { exit_code = doctor(*flags); });
}

}  // namespace photofinish::gateway
