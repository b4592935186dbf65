#include "racing/statistics/byte_codec.hpp"

#include <bit>
#include <utility>

namespace photofinish::racing {
namespace {

constexpr std::size_t checksum_bytes = 8;

std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return hash;
}

}  // namespace

void byte_writer::number(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out_.push_back(static_cast<char>(value | 0x80));
  out_.push_back(static_cast<char>(value));
}

void byte_writer::real(float value) { number(std::bit_cast<std::uint32_t>(value)); }

void byte_writer::bins(const sketch& from) {
  number(from.bins().size());
  int before = sketch::bucket_of(sketch::least) - 1;
  for (const sketch::bin& each : from.bins()) {
    number(static_cast<std::uint64_t>(each.index - std::exchange(before, each.index)));
    number(each.count);
  }
}

std::string byte_writer::finish() && {
  const std::uint64_t sum = checksum(out_);
  for (std::size_t byte = 0; byte < checksum_bytes; ++byte) out_.push_back(static_cast<char>(sum >> (8 * byte)));
  return std::move(out_);
}

std::uint64_t byte_reader::number(std::uint64_t most) {
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

// NaN is also rejected, because it is not in any range.
float byte_reader::real(float least, float most) {
  const std::uint64_t bits = number(std::numeric_limits<std::uint32_t>::max());
  const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  if (value >= least && value <= most) return value;
  fail();
  return 0;
}

std::string byte_reader::text(std::size_t most) {
  const std::size_t length = number(most);
  if (length > rest_.size()) return fail(), std::string();
  std::string taken(rest_.substr(0, length));
  rest_.remove_prefix(length);
  return taken;
}

sketch byte_reader::bins() {
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

std::uint64_t byte_reader::fail() {
  is_fine_ = false;
  rest_ = {};
  return 0;
}

file_body open_file(std::string_view bytes, const file_kind& kind) {
  const std::string_view magic = kind.magic;
  if (!bytes.starts_with(kind.product)) return {{}, "is not a photofinish " + std::string(kind.words) + " file"};
  if (!bytes.starts_with(magic)) return {{}, "is from another version"};
  if (bytes.size() < magic.size() + checksum_bytes) return {{}, "is cut short"};
  std::uint64_t sum = 0;
  for (std::size_t byte = 0; byte < checksum_bytes; ++byte)
    sum |= std::uint64_t{static_cast<unsigned char>(bytes[bytes.size() - checksum_bytes + byte])} << (8 * byte);
  if (sum != checksum(bytes.substr(0, bytes.size() - checksum_bytes))) return {{}, "is damaged: its checksum is wrong"};
  bytes.remove_prefix(magic.size());
  bytes.remove_suffix(checksum_bytes);
  return {bytes, std::nullopt};
}

}  // namespace photofinish::racing
