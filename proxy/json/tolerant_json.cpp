#include "proxy/json/tolerant_json.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <system_error>
#include <vector>

namespace photofinish::proxy {
namespace {

constexpr std::string_view digits = "0123456789";
constexpr std::string_view number_bytes = "0123456789+-.eE";

std::size_t count_digits(std::string_view text) { return std::min(text.find_first_not_of(digits), text.size()); }

// True if the text is a JSON number (RFC 8259, section 6).
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

// Returns the code unit of the escape \uXXXX at the beginning of `text`.
std::optional<unsigned> code_unit(std::string_view text) {
  unsigned unit = 0;
  if (text.size() < 6 || text[0] != '\\' || text[1] != 'u') return std::nullopt;
  const auto read = std::from_chars(text.data() + 2, text.data() + 6, unit, 16);
  if (read.ec != std::errc{} || read.ptr != text.data() + 6) return std::nullopt;
  return unit;
}

bool is_high_half(unsigned unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
bool is_low_half(unsigned unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

// A string that begins or ends with half a surrogate pair. `ordinal` is the string's index among all strings of the
// text, including keys.
struct cut_string {
  std::size_t ordinal;
  text_halves halves;
};

class strict_writer {
 public:
  explicit strict_writer(std::string_view json) : text_(json) {}

  const std::vector<cut_string>& cut_strings() const { return cut_strings_; }

  std::string run() {
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
    string_from_ = ++at_;
    halves_ = {};
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] == '\\') write_escape();
      else ++at_;
    }
    ++at_;
    if (!halves_.empty()) cut_strings_.push_back({strings_, halves_});
    ++strings_;
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
    if (is_low_half(*unit) && at_ == string_from_) halves_.low_first = *unit;
    at_ += 6;
    if (is_high_half(*unit) && at_ < text_.size() && text_[at_] == '"') halves_.high_last = *unit;
  }

  std::string text_;
  std::size_t at_ = 0;
  std::size_t strings_ = 0;  // the number of strings read so far
  std::size_t string_from_ = 0;
  text_halves halves_;  // the incomplete surrogate pairs at the beginning and end of the current string
  std::vector<cut_string> cut_strings_;
};

// Finds the strings that `wanted` lists among the strings that simdjson decoded. `wanted` lists strings with half a
// surrogate pair, in the order of the JSON text.
class cut_string_finder {
 public:
  cut_string_finder(const std::vector<cut_string>& wanted, edge_halves& found) : wanted_(wanted), found_(found) {}

  void look_at(simdjson::dom::element value) {
    std::string_view text;
    simdjson::dom::object object;
    simdjson::dom::array array;
    if (next_ == wanted_.size()) return;
    if (value.get(text) == simdjson::SUCCESS) return take(text);
    if (value.get(array) == simdjson::SUCCESS)
      for (const simdjson::dom::element each : array) look_at(each);
    else if (value.get(object) == simdjson::SUCCESS)
      for (const auto [key, member] : object) take(key), look_at(member);
  }

 private:
  void take(std::string_view text) {
    if (next_ < wanted_.size() && wanted_[next_].ordinal == strings_) found_.add(text, wanted_[next_++].halves);
    ++strings_;
  }

  const std::vector<cut_string>& wanted_;
  edge_halves& found_;
  std::size_t next_ = 0;
  std::size_t strings_ = 0;
};

// True if the text ends with an odd number of backslashes. In that case, the last backslash begins an escape.
bool ends_in_escape(std::string_view text) {
  const std::size_t letter = text.find_last_not_of('\\');
  return (text.size() - (letter == std::string_view::npos ? 0 : letter + 1)) % 2 == 1;
}

}  // namespace

std::string strict_json(std::string_view json) { return strict_writer(json).run(); }

text_halves halves_of(std::string_view raw) {
  text_halves found;
  constexpr std::size_t escape_bytes = 6;
  if (raw.size() < escape_bytes) return found;
  if (const auto first = code_unit(raw); first && is_low_half(*first)) found.low_first = *first;
  const std::size_t at = raw.size() - escape_bytes;
  const auto last = code_unit(raw.substr(at));
  if (last && is_high_half(*last) && ends_in_escape(raw.substr(0, at + 1))) found.high_last = *last;
  return found;
}

void edge_halves::add(std::string_view decoded, text_halves its) {
  if (!its.empty()) texts_.insert_or_assign(decoded.data(), its);
}

text_halves edge_halves::of(std::string_view decoded) const {
  const auto found = texts_.find(decoded.data());
  return found == texts_.end() ? text_halves{} : found->second;
}

simdjson::simdjson_result<simdjson::dom::element> tolerant_parser::parse(std::string_view json) {
  if (parser_.capacity() > usual_bytes && json.size() <= usual_bytes) {
    parser_ = simdjson::dom::parser();
    strict_.clear(), strict_.shrink_to_fit();
  }
  if (!halves_.empty()) halves_.clear();
  auto parsed = parser_.parse(json.data(), json.size(), false);
  if (parsed.error() != simdjson::NUMBER_ERROR && parsed.error() != simdjson::STRING_ERROR) return parsed;
  return parse_strict(json);
}

simdjson::simdjson_result<simdjson::dom::element> tolerant_parser::parse_strict(std::string_view json) {
  strict_writer writer(json);
  strict_ = writer.run();
  strict_.reserve(strict_.size() + simdjson::SIMDJSON_PADDING);
  const auto parsed = parser_.parse(strict_.data(), strict_.size(), false);
  simdjson::dom::element root;
  if (!writer.cut_strings().empty() && parsed.get(root) == simdjson::SUCCESS)
    cut_string_finder(writer.cut_strings(), halves_).look_at(root);
  return parsed;
}

}  // namespace photofinish::proxy
