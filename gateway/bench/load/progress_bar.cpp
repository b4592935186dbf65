#include "gateway/bench/load/progress_bar.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace photofinish::gateway::bench {
namespace {

constexpr std::chrono::milliseconds frame{100};
constexpr std::size_t width = 24;

std::string bar(double share) {
  const auto full = static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * static_cast<double>(width));
  return "[" + std::string(full, '#') + std::string(width - full, '-') + "]";
}

std::string counted(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace

std::string progress_line(const run_progress& progress, proxy::instant now) {
  if (!progress.level) return {};
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - progress.begun_at).count();
  std::string line = progress.level->name();
  if (progress.phase == run_phase::warmup) line += ", warm-up";
  line += "  ";
  if (progress.wanted && *progress.wanted > 0)
    line += bar(static_cast<double>(progress.ended) / static_cast<double>(*progress.wanted)) + "  ";
  line += std::to_string(progress.ended);
  if (progress.wanted) line += "/" + std::to_string(*progress.wanted);
  line += "  " + std::to_string(progress.running) + " running";
  if (progress.failed > 0) line += "  " + std::to_string(progress.failed) + " failed";
  return line + "  " + std::to_string(seconds) + " s";
}

std::string began_line(const load_level& level) {
  std::string line = level.name() + ": ";
  if (level.warmup > 0) line += counted(level.warmup, "warm-up request") + ", then ";
  return line + (level.requests ? counted(*level.requests, "request") : "as many requests as fit into the duration");
}

std::string ended_line(const level_report& level) {
  std::string line = level.level.name() + ": " + std::to_string(level.succeeded) + " answered";
  if (level.failed > 0) line += ", " + std::to_string(level.failed) + " failed";
  if (level.cancelled > 0) line += ", " + std::to_string(level.cancelled) + " cancelled";
  return line;
}

progress_bar::progress_bar(const load_driver& of, proxy::alarms& clock)
    : of_(of), clock_(clock), next_(clock, [this] { draw(); }), is_terminal_(::isatty(STDERR_FILENO) == 1) {
  if (is_terminal_) draw();
}

void progress_bar::began(const load_level& level) {
  if (!is_terminal_) std::fprintf(stderr, "%s\n", began_line(level).c_str());
}

void progress_bar::ended(const level_report& level) {
  clear();
  if (!is_terminal_) std::fprintf(stderr, "%s\n", ended_line(level).c_str());
}

void progress_bar::draw() {
  clear();
  const std::string line = progress_line(of_.progress(), clock_.now());
  if (!line.empty()) {
    std::fprintf(stderr, "%s", line.c_str());
    std::fflush(stderr);
    is_drawn_ = true;
  }
  next_.arm(clock_.now() + frame);
}

void progress_bar::clear() {
  if (!is_drawn_) return;
  std::fprintf(stderr, "\r\x1b[2K");
  std::fflush(stderr);
  is_drawn_ = false;
}

}  // namespace photofinish::gateway::bench
