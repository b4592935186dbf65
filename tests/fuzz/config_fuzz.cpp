// Reads arbitrary text as a configuration. Every error names a position in the file, and no message reveals a secret.
#include "gateway/config/sources/config_parser.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/support/gateway/table_environment.hpp"

#include <algorithm>

namespace photofinish::fuzz {
namespace {

constexpr const char* planted_key = "sk-planted-0123456789";

const gateway::environment& machine() {
  static const gateway::environment made =
      tests::table_environment{.variables = {{"GROQ_API_KEY", planted_key}, {"KEY", planted_key}},
                               .files = {{"/run/secrets/x", planted_key}}}.machine();
  return made;
}

void check_place(const gateway::config_problem& problem, std::string_view text) {
  if (problem.line == 0 && problem.severity == gateway::severity::warning) return;  // a warning about the whole file has no position
  const auto lines = 1 + std::count(text.begin(), text.end(), '\n');
  require(problem.line >= 1 && problem.line <= lines, "a problem names a line of the file");
  require(problem.column >= 1 && problem.column <= static_cast<int>(text.size()) + 1, "a problem names a column");
}

}  // namespace
}  // namespace photofinish::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace photofinish;
  const fuzz::exact_bytes bytes(fuzz::as_text(data, size));
  const gateway::config_result read = gateway::parse_config(bytes.view(), "f.yaml", fuzz::machine());
  const bool tells_itself = bytes.view().find(fuzz::planted_key) != std::string_view::npos;
  for (const gateway::config_problem& problem : read.problems) {
    fuzz::check_place(problem, bytes.view());
    fuzz::require(!problem.message.empty(), "a problem says what is wrong");
    fuzz::require(tells_itself || problem.message.find(fuzz::planted_key) == std::string::npos, "a problem tells no secret");
  }
  const gateway::config_result again = gateway::parse_config(bytes.view(), "f.yaml", fuzz::machine());
  fuzz::require(again.problems == read.problems, "the same file has the same problems");
  return 0;
}
