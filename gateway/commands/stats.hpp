// `photofinish stats`: what a running gateway knows of its targets, as a table.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace photofinish::gateway {

void add_stats_command(CLI::App& app, int& exit_code);  // exit_code outlives the parsing of `app`

// The page of GET /v1/providers/stats as text; an exit code: 1 when it is none.
int print_stats(std::string_view page, std::ostream& out, std::ostream& err);

// Why a gateway refused, for people, and what to do. `body`: of its answer.
std::string stats_problem(int status, const std::string& body, bool has_key);

}  // namespace photofinish::gateway
