// Encodes and decodes numbers, texts and sketches for files that store measurements. Numbers are LEB128. A sketch is
// stored as its bins. Each bin consists of its distance from the previous bin, and its count. A file begins with a line
// that names its content. It ends with a checksum: FNV-1a over all bytes before it, 8 bytes, little-endian. The
// checksum detects incomplete files and flipped bits, but not forgery. [pure]
#pragma once

#include "racing/statistics/sketch.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::racing {

class byte_writer {
 public:
  void text(std::string_view bytes) { out_ += bytes; }
  void sized_text(std::string_view bytes) { number(bytes.size()), text(bytes); }
  void number(std::uint64_t value);
  void real(float value);
  void bins(const sketch& from);
  std::string finish() &&;  // appends the checksum and returns the bytes

 private:
  std::string out_;
};

// Reads values until the first error. After an error, all values are 0 or empty, and is_fine() returns false.
class byte_reader {
 public:
  explicit byte_reader(std::string_view bytes) : rest_(bytes) {}

  bool is_fine() const { return is_fine_; }
  bool is_at_end() const { return rest_.empty(); }

  std::uint64_t number(std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
  float real(float least, float most);
  std::string text(std::size_t most);
  sketch bins();
  std::uint64_t fail();

 private:
  std::string_view rest_;
  bool is_fine_ = true;
};

// The first line of a kind of file. `product` is the beginning of this line in all versions. `magic` is the whole line
// in the current version. `words` describes the content of the file.
struct file_kind {
  std::string_view product, magic, words;
};

// The bytes between a file's first line and its checksum, or an error text.
struct file_body {
  std::string_view bytes;
  std::optional<std::string> problem;
};
file_body open_file(std::string_view bytes, const file_kind& kind);

}  // namespace photofinish::racing
