#include "gateway/bench/part_speeds.hpp"

#include "gateway/records/speed.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

namespace photofinish::gateway::bench {
namespace {

struct mark {
  proxy::instant at;
  double tokens = 0;  // the number of the answer's tokens that had arrived at the time `at`
};

// Returns the progress of an answer. There is one entry for each time that text was read from the connection. An entry
// contains the time and the number of tokens received so far.
std::vector<mark> marks_of(const request_record& record, std::uint64_t tokens) {
  std::vector<mark> marks;
  const std::size_t chunks = std::min(record.chunks_at.size(), record.chunk_bytes.size());
  double bytes = 0;
  for (std::size_t i = 0; i < chunks; ++i) bytes += record.chunk_bytes[i];
  if (bytes <= 0) return marks;
  const double per_byte = static_cast<double>(tokens) / bytes;
  double come = 0;
  for (std::size_t i = 0; i < chunks; ++i) {
    come += record.chunk_bytes[i] * per_byte;
    if (marks.empty() || marks.back().at != record.chunks_at[i]) marks.push_back({record.chunks_at[i], come});
    else marks.back().tokens = come;
  }
  return marks;
}

std::optional<double> speed_between(const mark& from, const mark& to) {
  const double tokens = to.tokens - from.tokens;
  const auto took = to.at - from.at;
  if (tokens < static_cast<double>(min_measured_tokens) || took < min_measured_time) return std::nullopt;
  return tokens / std::chrono::duration<double>(took).count();
}

}  // namespace

std::array<std::optional<double>, part_count> part_speeds(const request_record& record, std::uint64_t tokens) {
  std::array<std::optional<double>, part_count> speeds;
  const std::vector<mark> marks = marks_of(record, tokens);
  if (tokens <= part_ends.front() || marks.empty()) return speeds;
  std::size_t from = 0;
  for (std::size_t part = 0; part < part_count; ++part) {
    std::size_t to = marks.size() - 1;
    if (part < part_ends.size()) {
      // Adds a tolerance of half a token, because token counts are estimated from shares of bytes.
      const double end = static_cast<double>(part_ends[part]) + 0.5;
      while (to > from && marks[to].tokens > end) --to;
    }
    speeds[part] = speed_between(marks[from], marks[to]);
    from = to;
  }
  return speeds;
}

}  // namespace photofinish::gateway::bench
