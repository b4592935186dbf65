// The verbs of the command line. Parsing a line that names one runs it, and sets `exit_code`: 0, 1 if it failed while
// it ran, 2 for a wrong use. Both arguments outlive the parsing.
#pragma once

#include <CLI/App.hpp>

namespace photofinish::gateway {

void add_serve_command(CLI::App& app, int& exit_code);      // runs the gateway until a signal stops it
void add_check_command(CLI::App& app, int& exit_code);      // is this configuration right?
void add_doctor_command(CLI::App& app, int& exit_code);     // what works, and what to do about the rest
void add_schema_command(CLI::App& app, int& exit_code);     // the configuration's JSON Schema
void add_providers_command(CLI::App& app, int& exit_code);  // every preset, and whether its key is set
void add_models_command(CLI::App& app, int& exit_code);     // the routes of a configuration with their targets
void add_race_command(CLI::App& app, int& exit_code);       // one race in the terminal, attempt by attempt
void add_bench_command(CLI::App& app, int& exit_code);      // how fast an endpoint is, and how load changes that
void add_stats_command(CLI::App& app, int& exit_code);      // what a running gateway knows of its targets
void add_advise_command(CLI::App& app, int& exit_code);     // what each policy would have given a gateway's routes
void add_top_command(CLI::App& app, int& exit_code);        // what a running gateway does now, refreshed in place
void add_explain_command(CLI::App& app, int& exit_code);    // what a race decided and why
void add_catalogue_command(CLI::App& app, int& exit_code);  // lists of prices and limits of models
void add_keys_command(CLI::App& app, int& exit_code);       // makes, shows and blocks access keys
void add_health_command(CLI::App& app, int& exit_code);     // is the gateway on this machine ready?
void add_version_command(CLI::App& app);

namespace commands {

void add_sim_command(CLI::App& app, int& exit_code);   // a simulated provider on a port
void add_help_command(CLI::App& app, int& exit_code);  // what --help says
void add_completion_command(CLI::App& app);
void add_man_command(CLI::App& app);

}  // namespace commands
}  // namespace photofinish::gateway
