#include "gateway/commands/line/command_line.hpp"

#include "gateway/commands/commands.hpp"
#include "gateway/commands/line/command_tree.hpp"
#include "gateway/commands/line/examples.hpp"
#include "gateway/commands/version.hpp"
#include "gateway/config/yaml/near_name.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <exception>
#include <iostream>
#include <string>
#include <vector>

namespace photofinish::gateway::commands {
namespace {

constexpr int wrong_usage = 2;

void add_examples(CLI::App& app) {
  for (CLI::App* each : app.get_subcommands({})) {
    const std::string examples(examples_of(each->get_name()));
    if (examples.empty()) continue;
    const std::string notes = each->get_footer();
    each->footer((notes.empty() ? "" : notes + "\n\n") + "Examples:\n" + examples);
  }
}

std::string suggestion(const std::string& word, const std::vector<std::string>& candidates) {
  const auto near = nearest(word, candidates);
  return near ? "; did you mean '" + *near + "'?" : "";
}

int complain(const std::string& what, const std::string& help) {
  std::cerr << "error: " << what << "\n" << help << " --help lists the commands and options\n";
  return wrong_usage;
}

// Reports an unknown word that stands before a command or instead of a command.
int explain_stray_word(const std::string& word, const command_tree& tree) {
  if (!word.starts_with('-'))
    return complain("unknown command '" + word + "'" + suggestion(word, names_of(tree.commands)), "photofinish");
  return complain("unknown option '" + word + "' before a command", "photofinish");
}

int explain_stray_argument(const std::string& word, const std::string& name, const command_tree& tree) {
  std::vector<std::string> options;
  for (const command& each : tree.commands)
    if (each.name == name)
      for (const argument& option : each.arguments)
        if (!option.is_positional) options.insert(options.end(), option.names.begin(), option.names.end());
  const std::string whole = "photofinish " + name;
  if (word.starts_with('-'))
    return complain("'" + whole + "' has no option '" + word + "'" + suggestion(word, options), whole);
  return complain("'" + whole + "' does not take the argument '" + word + "'", whole);
}

int explain_extras(const CLI::App& app) {
  const command_tree tree = read_commands(app);
  const std::vector<std::string> strays = app.remaining();
  if (!strays.empty()) return explain_stray_word(strays.front(), tree);
  for (const CLI::App* each : app.get_subcommands())
    if (const std::vector<std::string> words = each->remaining(); !words.empty())
      return explain_stray_argument(words.front(), each->get_name(), tree);
  return wrong_usage;
}

}  // namespace

std::unique_ptr<CLI::App> make_command_line(int& exit_code) {
  auto made = std::make_unique<CLI::App>(
      "photofinish: races LLM providers and streams the answer whose first token arrives first", "photofinish");
  CLI::App& app = *made;
  app.require_subcommand(0, 1);
  app.set_version_flag("-V,--version", version_text(), "Print version, commit, compiler and libraries");
  add_serve_command(app, exit_code);
  add_check_command(app, exit_code);
  add_doctor_command(app, exit_code);
  add_schema_command(app, exit_code);
  add_providers_command(app, exit_code);
  add_models_command(app, exit_code);
  add_sim_command(app, exit_code);
  add_race_command(app, exit_code);
  add_bench_command(app, exit_code);
  add_stats_command(app, exit_code);
  add_advise_command(app, exit_code);
  add_top_command(app, exit_code);
  add_explain_command(app, exit_code);
  add_catalogue_command(app, exit_code);
  add_keys_command(app, exit_code);
  add_health_command(app, exit_code);
  add_version_command(app);
  add_help_command(app, exit_code);
  add_completion_command(app);
  add_man_command(app);
  add_examples(app);
  return made;
}

int run_command_line(int argc, const char* const* argv) {
  int exit_code = 0;
  const auto app = make_command_line(exit_code);
  try {
    app->parse(argc, argv);  // if the line has an unknown word, no command runs
    if (!app->get_subcommands().empty()) return exit_code;
    std::cerr << app->help();
    return wrong_usage;
  } catch (const CLI::ExtrasError&) {
    return explain_extras(*app);
  } catch (const CLI::ParseError& wrong) {
    return app->exit(wrong) == 0 ? 0 : wrong_usage;
  } catch (const std::exception& failure) {
    std::cerr << "error: " << failure.what() << "\n";
    return 1;
  }
}

}  // namespace photofinish::gateway::commands
