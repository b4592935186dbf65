// The command line. Every verb is a file in commands/.
#include "gateway/commands/bench.hpp"
#include "gateway/commands/check.hpp"
#include "gateway/commands/health.hpp"
#include "gateway/commands/models.hpp"
#include "gateway/commands/providers.hpp"
#include "gateway/commands/race.hpp"
#include "gateway/commands/schema.hpp"
#include "gateway/commands/serve.hpp"
#include "gateway/commands/sim.hpp"
#include "gateway/commands/stats.hpp"
#include "gateway/commands/version.hpp"
#include "gateway/near_name.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <exception>
#include <iostream>
#include <string>
#include <vector>

namespace {

using namespace photofinish::gateway;

constexpr int wrong_usage = 2;

int explain_missing_verb(const CLI::App& app) {
  std::vector<std::string> verbs;
  for (const CLI::App* verb : app.get_subcommands({})) verbs.push_back(verb->get_name());
  const std::vector<std::string> words = app.remaining();
  if (words.empty()) {
    std::cerr << app.help();
    return wrong_usage;
  }
  std::cerr << "error: there is no command '" << words.front() << "'";
  if (const auto near = nearest(words.front(), verbs)) std::cerr << "; did you mean '" << *near << "'?";
  std::cerr << "\nphotofinish --help lists them\n";
  return wrong_usage;
}

}  // namespace

int main(int argc, char** argv) {
  int exit_code = 0;
  CLI::App app("photofinish: races LLM providers, streams whichever first token comes first", "photofinish");
  app.require_subcommand(0, 1);
  add_serve_command(app, exit_code);
  add_check_command(app, exit_code);
  add_schema_command(app, exit_code);
  add_providers_command(app, exit_code);
  add_models_command(app, exit_code);
  commands::add_sim_command(app, exit_code);
  add_race_command(app, exit_code);
  add_bench_command(app, exit_code);
  add_stats_command(app, exit_code);
  add_health_command(app, exit_code);
  add_version_command(app);
  app.allow_extras();  // behind the verbs, which do not inherit it: an unknown verb is explained here
  try {
    app.parse(argc, argv);
    if (app.get_subcommands().empty()) return explain_missing_verb(app);
  } catch (const CLI::ParseError& wrong) {
    return app.exit(wrong) == 0 ? 0 : wrong_usage;
  } catch (const std::exception& failure) {
    std::cerr << "error: " << failure.what() << "\n";
    return 1;
  }
  return exit_code;
}
