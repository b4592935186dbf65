#include "racing/statistics/stats_codec.hpp"

#include "racing/statistics/byte_codec.hpp"

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace photofinish::racing {
namespace {

constexpr std::string_view product = "photofinish stats ";
constexpr std::string_view magic = "photofinish stats 1\n";
constexpr std::size_t longest_target = 1024;
// The highest number of a slot for which the slot's time in milliseconds is still valid.
constexpr std::int64_t most_slots = std::int64_t{1} << 40;

void put_slots(byte_writer& out, const std::vector<stats_slot>& all) {
  out.number(all.size());
  for (const stats_slot& each : all) {
    out.number(static_cast<std::uint64_t>(each.number));
    out.bins(each.figures.ttft.seen);
    out.bins(each.figures.ttft.censored);
    out.bins(each.figures.speed);
  }
}

stats_slot read_slot(byte_reader& from) {
  stats_slot made;
  // If a clock showed a time before 1970, the number of the slot is negative.
  made.number = static_cast<std::int64_t>(from.number());
  if (made.number < -most_slots || made.number > most_slots) from.fail();
  made.figures.ttft.seen = from.bins();
  made.figures.ttft.censored = from.bins();
  made.figures.speed = from.bins();
  return made;
}

void read_series(byte_reader& from, stats_window& into) {
  stats_key key;
  key.target = from.text(longest_target);
  key.input = static_cast<std::uint8_t>(from.number(input_classes - 1));
  key.concurrency = static_cast<std::uint8_t>(from.number(concurrency_classes - 1));
  for (const resolution where : {resolution::fine, resolution::coarse}) {
    const std::uint64_t slots = from.number();
    for (std::uint64_t i = 0; i < slots && from.is_fine(); ++i) into.restore(key, where, read_slot(from));
  }
}

}  // namespace

std::string encode(const stats_window& window) {
  byte_writer out;
  out.text(magic);
  out.number(static_cast<std::uint64_t>(window.shape().fine.count()));
  out.number(static_cast<std::uint64_t>(window.shape().coarse.count()));
  out.number(window.series().size());
  for (const auto& [key, series] : window.series()) {
    out.sized_text(key.target);
    out.number(key.input);
    out.number(key.concurrency);
    put_slots(out, series.fine);
    put_slots(out, series.coarse);
  }
  return std::move(out).finish();
}

std::variant<stats_window, std::string> decode_stats(std::string_view bytes, const window_shape& shape,
                                                     const window_bounds& bounds) {
  const file_body body = open_file(bytes, {product, magic, "statistics"});
  if (body.problem) return *body.problem;
  byte_reader from(body.bytes);
  const auto fine = static_cast<std::int64_t>(from.number(std::numeric_limits<std::int64_t>::max()));
  const auto coarse = static_cast<std::int64_t>(from.number(std::numeric_limits<std::int64_t>::max()));
  if (fine != shape.fine.count() || coarse != shape.coarse.count()) return "has time slots of a different length";
  stats_window window(shape, bounds);
  const std::uint64_t keys = from.number();
  for (std::uint64_t i = 0; i < keys && from.is_fine(); ++i) read_series(from, window);
  if (!from.is_fine() || !from.is_at_end()) return "contains values that are out of range";
  return window;
}

}  // namespace photofinish::racing
