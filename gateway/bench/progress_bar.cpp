#include "gateway/bench/progress_bar.hpp"

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

progress_bar::progress_bar(const load_driver& of, proxy::alarms& clock)
    : of_(of), clock_(clock), next_(clock, [this] { draw(); }) {
  if (::isatty(STDERR_FILENO)) draw();
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
