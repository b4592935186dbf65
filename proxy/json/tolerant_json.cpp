#include "proxy/json/tolerant_json.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <system_error>

namespace photofinish::proxy {
namespace {

constexpr std::string_view digits = "0123456789";
constexpr std::string_view number_bytes = "0123456789+-.eE";

std::size_t count_digits(std::string_view text) { return std::min(text.find_first_not_of(digits), text.size()); }

// RFC 8259, section 6.
bool is_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const std::size_t whole = count_digits(text);
  if (whole == 0 || (whole > 1 && text[0] == '0')) return false;
  text.remove_prefix(whole);
  if (text.starts_with('.')) {
    const std::size_t fraction = count_digits(text.substr(1));
    if (fraction == 0) return false;
    text.remove_prefix(1 + fraction);
  }
  if (text.empty()) return true;
  if (text[0] != 'e' && text[0] != 'E') return false;
  text.remove_prefix(1);
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && count_digits(text) == text.size();
}

template <class Number>
bool fits(std::string_view text) {
  Number number{};
  return std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc{};
}

bool is_too_large(std::string_view number) {
  const bool is_whole = number.find_first_of(".eE") == std::string_view::npos;
  if (!is_whole) return !fits<double>(number);
  return number.starts_with('-') ? !fits<std::int64_t>(number) : !fits<std::uint64_t>(number);
}

// The code unit of the escape \uXXXX that `text` begins with.
std::optional<unsigned> code_unit(std::string_view text) {
  unsigned unit = 0;
  if (text.size() < 6 || text[0] != '\\' || text[1] != 'u') return std::nullopt;
  const auto read = std::from_chars(text.data() + 2, text.data() + 6, unit, 16);
  if (read.ec != std::errc{} || read.ptr != text.data() + 6) return std::nullopt;
  return unit;
}

bool is_high_half(unsigned unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
bool is_low_half(unsigned unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

class strict_writer {
 public:
  explicit strict_writer(std::string_view json) : text_(json) {}

  std::string run() && {
    while (at_ < text_.size()) {
      if (text_[at_] == '"') write_string();
      else if (text_[at_] == '-' || digits.find(text_[at_]) != std::string_view::npos) write_number();
      else ++at_;
    }
    return std::move(text_);
  }

 private:
  void write_number() {
    const std::size_t end = std::min(text_.find_first_not_of(number_bytes, at_), text_.size());
    const std::string_view number = std::string_view(text_).substr(at_, end - at_);
    if (is_number(number) && is_too_large(number)) {
      std::fill_n(text_.begin() + static_cast<std::ptrdiff_t>(at_), number.size(), ' ');
      text_[at_] = '0';
    }
    at_ = end;
  }

  void write_string() {
    for (++at_; at_ < text_.size() && text_[at_] != '"';) {
      if (text_[at_] == '\\') write_escape();
      else ++at_;
    }
    ++at_;
  }

  void write_escape() {
    const std::string_view rest = std::string_view(text_).substr(at_);
    const auto unit = code_unit(rest);
    if (!unit) {
      at_ += 2;
      return;
    }
    const auto next = is_high_half(*unit) ? code_unit(rest.substr(6)) : std::nullopt;
    if (next && is_low_half(*next)) {
      at_ += 12;
      return;
    }
    if (is_high_half(*unit) || is_low_half(*unit)) text_.replace(at_ + 2, 4, "FFFD");
    at_ += 6;
  }

  std::string text_;
  std::size_t at_ = 0;
};

}  // namespace

std::string strict_json(std::string_view json) { return strict_writer(json).run(); }

simdjson::simdjson_result<simdjson::dom::element> tolerant_parser::parse(std::string_view json) {
  if (parser_.capacity() > usual_bytes && json.size() <= usual_bytes) {
    parser_ = simdjson::dom::parser();
    strict_.clear(), strict_.shrink_to_fit();
  }
  auto parsed = parser_.parse(json.data(), json.size(), false);
  if (parsed.error() != simdjson::NUMBER_ERROR && parsed.error() != simdjson::STRING_ERROR) return parsed;
  strict_ = strict_json(json);
  strict_.reserve(strict_.size() + simdjson::SIMDJSON_PADDING);
  return parser_.parse(strict_.data(), strict_.size(), false);
}

}  // namespace photofinish::proxy
