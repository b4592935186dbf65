#include "racing/statistics/stats_codec.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

namespace photofinish::racing {
namespace {

constexpr std::string_view product = "photofinish stats ";
constexpr std::string_view magic = "photofinish stats 1\n";
constexpr std::size_t checksum_bytes = 8;
constexpr std::size_t longest_target = 1024;
constexpr std::int64_t most_slots = std::int64_t{1} << 40;  // of an hour: still a time in milliseconds

std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return hash;
}

class writer {
 public:
  void text(std::string_view bytes) { out_ += bytes; }
  void number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) out_.push_back(static_cast<char>(value | 0x80));
    out_.push_back(static_cast<char>(value));
  }
  void bins(const sketch& from) {
    number(from.bins().size());
    int before = sketch::bucket_of(sketch::least) - 1;
    for (const sketch::bin& each : from.bins()) {
      number(static_cast<std::uint64_t>(each.index - std::exchange(before, each.index)));
      number(each.count);
    }
  }
  void slots(const std::vector<stats_slot>& all) {
    number(all.size());
    for (const stats_slot& each : all) {
      number(static_cast<std::uint64_t>(each.number));
      bins(each.figures.ttft.seen);
      bins(each.figures.ttft.censored);
      bins(each.figures.speed);
    }
  }
  std::string finish() && {
    const std::uint64_t sum = checksum(out_);
    for (std::size_t byte = 0; byte < checksum_bytes; ++byte) out_.push_back(static_cast<char>(sum >> (8 * byte)));
    return std::move(out_);
  }

 private:
  std::string out_;
};

// Reads until something is wrong; from then on everything is 0 and empty, and is_fine() false.
class reader {
 public:
  explicit reader(std::string_view bytes) : rest_(bytes) {}

  bool is_fine() const { return is_fine_; }
  bool is_at_end() const { return rest_.empty(); }

  std::uint64_t number(std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (rest_.empty()) return fail();
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return value <= most ? value : fail();
    }
    return fail();
  }
  std::string text(std::size_t most) {
    const std::size_t length = number(most);
    if (length > rest_.size()) return fail(), std::string();
    std::string taken(rest_.substr(0, length));
    rest_.remove_prefix(length);
    return taken;
  }
  sketch bins() {
    sketch made;
    const std::uint64_t count = number(sketch::bucket_count());
    std::uint64_t index_above = 0;
    const int below = sketch::bucket_of(sketch::least) - 1;
    for (std::uint64_t i = 0; i < count && is_fine_; ++i) {
      index_above += number(sketch::bucket_count());
      const int index = below + static_cast<int>(index_above);
      const auto held = static_cast<std::uint32_t>(number(std::numeric_limits<std::uint32_t>::max()));
      if (!sketch::is_bucket(index) || held == 0) return fail(), sketch();
      made.add(static_cast<std::int16_t>(index), held);
    }
    return made;
  }
  stats_slot slot() {
    stats_slot made;
    made.number = static_cast<std::int64_t>(number());  // below 0 while a clock says 1970
    if (made.number < -most_slots || made.number > most_slots) fail();
    made.figures.ttft.seen = bins();
    made.figures.ttft.censored = bins();
    made.figures.speed = bins();
    return made;
  }

 private:
  std::uint64_t fail() {
    is_fine_ = false;
    rest_ = {};
    return 0;
  }

  std::string_view rest_;
  bool is_fine_ = true;
};

void read_series(reader& from, stats_window& into) {
  stats_key key;
  key.target = from.text(longest_target);
  key.input = static_cast<std::uint8_t>(from.number(input_classes - 1));
  key.concurrency = static_cast<std::uint8_t>(from.number(concurrency_classes - 1));
  for (const resolution where : {resolution::fine, resolution::coarse}) {
    const std::uint64_t slots = from.number();
    for (std::uint64_t i = 0; i < slots && from.is_fine(); ++i) into.restore(key, where, from.slot());
  }
}

std::optional<std::string> foreign(std::string_view bytes) {
  if (!bytes.starts_with(product)) return "is not a photofinish statistics file";
  if (!bytes.starts_with(magic)) return "is of another version";
  if (bytes.size() < magic.size() + checksum_bytes) return "is cut short";
  std::uint64_t sum = 0;
  for (std::size_t byte = 0; byte < checksum_bytes; ++byte)
    sum |= std::uint64_t{static_cast<unsigned char>(bytes[bytes.size() - checksum_bytes + byte])} << (8 * byte);
  if (sum != checksum(bytes.substr(0, bytes.size() - checksum_bytes))) return "is damaged: its checksum is wrong";
  return std::nullopt;
}

}  // namespace

std::string encode(const stats_window& window) {
  writer out;
  out.text(magic);
  out.number(static_cast<std::uint64_t>(window.shape().fine.count()));
  out.number(static_cast<std::uint64_t>(window.shape().coarse.count()));
  out.number(window.series().size());
  for (const auto& [key, series] : window.series()) {
    out.number(key.target.size());
    out.text(key.target);
    out.number(key.input);
    out.number(key.concurrency);
    out.slots(series.fine);
    out.slots(series.coarse);
  }
  return std::move(out).finish();
}

std::variant<stats_window, std::string> decode_stats(std::string_view bytes, const window_shape& shape,
                                                     const window_bounds& bounds) {
  if (const auto problem = foreign(bytes)) return *problem;
  bytes.remove_prefix(magic.size());
  bytes.remove_suffix(checksum_bytes);
  reader from(bytes);
  const auto fine = static_cast<std::int64_t>(from.number(std::numeric_limits<std::int64_t>::max()));
  const auto coarse = static_cast<std::int64_t>(from.number(std::numeric_limits<std::int64_t>::max()));
  if (fine != shape.fine.count() || coarse != shape.coarse.count()) return "has time slots of another length";
  stats_window window(shape, bounds);
  const std::uint64_t keys = from.number();
  for (std::uint64_t i = 0; i < keys && from.is_fine(); ++i) read_series(from, window);
  if (!from.is_fine() || !from.is_at_end()) return "contains values that are out of range";
  return window;
}

}  // namespace photofinish::racing
