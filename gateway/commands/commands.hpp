// The commands of the command line. Parsing a line that names a command runs it and sets `exit_code`: 0; 1 if it failed
// during the run; 2 for wrong usage. Both arguments must outlive the parsing.
#pragma once

#include <CLI/App.hpp>

namespace photofinish::gateway {

void add_serve_command(CLI::App& app, int& exit_code);      // runs the gateway until a signal stops it
void add_check_command(CLI::App& app, int& exit_code);      // checks a configuration
void add_doctor_command(CLI::App& app, int& exit_code);     // tries each target, and advises about those that fail
void add_schema_command(CLI::App& app, int& exit_code);     // prints the configuration's JSON Schema
void add_providers_command(CLI::App& app, int& exit_code);  // lists all presets, and whether their keys are set
void add_models_command(CLI::App& app, int& exit_code);     // lists the routes of a configuration with their targets
void add_race_command(CLI::App& app, int& exit_code);       // runs one race in the terminal, attempt by attempt
void add_bench_command(CLI::App& app, int& exit_code);      // measures an endpoint's speed, and how load changes it
void add_stats_command(CLI::App& app, int& exit_code);      // prints a running gateway's statistics of its targets
void add_advise_command(CLI::App& app, int& exit_code);     // prints how each policy would have served the routes
void add_top_command(CLI::App& app, int& exit_code);        // shows a running gateway's work, refreshed in place
void add_explain_command(CLI::App& app, int& exit_code);    // prints a race's decisions and their reasons
void add_catalogue_command(CLI::App& app, int& exit_code);  // works with lists of prices and limits of models
void add_keys_command(CLI::App& app, int& exit_code);       // makes, shows and blocks access keys
void add_health_command(CLI::App& app, int& exit_code);     // checks whether the gateway on this machine is ready
void add_version_command(CLI::App& app);

namespace commands {

void add_sim_command(CLI::App& app, int& exit_code);   // runs a simulated provider on a port
void add_help_command(CLI::App& app, int& exit_code);  // prints the text of --help
void add_completion_command(CLI::App& app);
void add_man_command(CLI::App& app);

}  // namespace commands
}  // namespace photofinish::gateway
