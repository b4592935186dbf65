// The commands of the command line. When the parser finds a command in a line, the command runs and sets `exit_code`.
// The exit code is 0 for success, 1 for a failure during the run, and 2 for wrong usage. `app` and `exit_code` must
// outlive the parsing.
#pragma once

#include <CLI/App.hpp>

namespace photofinish::gateway {

void add_serve_command(CLI::App& app, int& exit_code);      // runs the gateway until a signal stops it
void add_check_command(CLI::App& app, int& exit_code);      // checks a configuration
void add_doctor_command(CLI::App& app, int& exit_code);     // tries each target, and gives advice about failures
void add_schema_command(CLI::App& app, int& exit_code);     // prints the configuration's JSON Schema
void add_providers_command(CLI::App& app, int& exit_code);  // lists all presets, and whether their keys are set
void add_models_command(CLI::App& app, int& exit_code);     // lists the routes of a configuration with their targets
void add_race_command(CLI::App& app, int& exit_code);       // runs one race in the terminal, attempt by attempt
void add_bench_command(CLI::App& app, int& exit_code);      // measures an endpoint's speed under rising load
void add_stats_command(CLI::App& app, int& exit_code);      // prints a running gateway's statistics about its targets
// Prints how well each race policy would have served a running gateway's requests.
void add_advise_command(CLI::App& app, int& exit_code);
void add_top_command(CLI::App& app, int& exit_code);        // shows a running gateway's work, and refreshes the screen
void add_explain_command(CLI::App& app, int& exit_code);    // prints the decisions of a race with their reasons
// Shows, compares, verifies and makes lists of models and prices.
void add_catalogue_command(CLI::App& app, int& exit_code);
void add_keys_command(CLI::App& app, int& exit_code);       // makes, shows and blocks access keys
void add_health_command(CLI::App& app, int& exit_code);     // checks whether the gateway on this machine is ready
void add_version_command(CLI::App& app);

namespace commands {

void add_sim_command(CLI::App& app, int& exit_code);   // runs a simulated provider on a port
void add_help_command(CLI::App& app, int& exit_code);  // prints the same text as --help
void add_completion_command(CLI::App& app);
void add_man_command(CLI::App& app);

}  // namespace commands
}  // namespace photofinish::gateway
