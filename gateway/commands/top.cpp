#include "gateway/commands/commands.hpp"

#include "gateway/commands/gateway_page.hpp"
#include "gateway/commands/top_page.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <thread>

namespace photofinish::gateway {
namespace {

struct top_options : page_options {
  std::optional<std::uint64_t> count;
};

constexpr std::chrono::seconds pause{1};
// The pause before the first screen. It must be longer than two of the intervals at which the gateway records races.
constexpr std::chrono::milliseconds first_pause{2'200};
constexpr const char* home_and_clear = "\x1b[H\x1b[J";

std::optional<winsize> terminal_size() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) return std::nullopt;
  return size;
}

gateway_page read_screen(const top_options& options) {
  gateway_page feed = fetch_page(options, "/v1/feed");
  if (!feed.problem.empty()) return feed;
  gateway_page stats = fetch_page(options, "/v1/providers/stats?window=15m");
  if (!stats.problem.empty()) return stats;
  try {
    const auto size = terminal_size();
    return {top_screen(feed.text, stats.text, size ? std::optional<std::size_t>(size->ws_col) : std::nullopt)};
  } catch (const nlohmann::json::exception&) {  // the answer is not from a photofinish gateway
    return {{}, options.url + ": the answer is not a live feed of a photofinish gateway"};
  }
}

std::string fitted(const std::string& screen) {
  const auto size = terminal_size();
  return size ? cut_to_terminal(screen, size->ws_row, size->ws_col) : screen;
}

// Returns the first screen. The gateway records races only after a client has requested the live feed. Therefore the
// function waits until the gateway has recorded some races.
gateway_page first_screen(const top_options& options) {
  gateway_page feed = fetch_page(options, "/v1/feed");
  if (!feed.problem.empty()) return feed;
  std::this_thread::sleep_for(first_pause);
  return read_screen(options);
}

// On a terminal, shows screens until the user interrupts the command. Otherwise prints as many screens as --count
// requests; the default is one screen.
int top(const top_options& options) {
  const bool is_terminal = ::isatty(STDOUT_FILENO) != 0;
  const std::uint64_t count = options.count.value_or(is_terminal ? UINT64_MAX : 1);
  for (std::uint64_t shown = 0; shown < count; ++shown) {
    if (shown > 0) std::this_thread::sleep_for(pause);
    const gateway_page got = shown == 0 ? first_screen(options) : read_screen(options);
    if (!got.problem.empty()) {
      std::cerr << "error: " << got.problem << "\n";
      return got.exit_code;
    }
    if (is_terminal) std::cout << home_and_clear << fitted(got.text) << std::flush;
    else std::cout << (shown > 0 ? "\n" : "") << got.text << std::flush;
  }
  if (is_terminal) std::cout << "\n";
  return 0;
}

}  // namespace

void add_top_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("top", "Show what a running gateway does now, refreshed every second");
  // CLI11 runs the command after this function has returned. Therefore the options are in a shared pointer.
  const auto options = std::make_shared<top_options>();
  add_page_options(*command, *options);
  command->add_option("--count", options->count,
                      "The number of screens to print (default: one; on a terminal: until Ctrl-C)");
  command->callback([options, &exit_code] { exit_code = top(*options); });
}

}  // namespace photofinish::gateway
