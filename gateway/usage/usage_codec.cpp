#include "gateway/usage/usage_codec.hpp"

#include "metrics/names.hpp"
#include "proxy/words/ascii.hpp"
#include "proxy/words/parse_number.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace photofinish::gateway {
namespace {

using std::chrono::sys_seconds;

constexpr std::string_view title = "photofinish usage 2";
// The first line of files in the older format, which does not contain projects.
constexpr std::string_view older_title = "photofinish usage 1";
constexpr std::size_t longest_name = 4096;

void append(std::string& text, std::int64_t number) {
  std::array<char, 24> room;
  text.append(room.data(), std::to_chars(room.data(), room.data() + room.size(), number).ptr);
}

// Appends a name. A name may contain any characters, so characters that would end a field or a line are escaped.
void append_name(std::string& text, std::string_view name) {
  constexpr std::string_view hex = "0123456789ABCDEF";
  for (const char each : name) {
    const auto byte = static_cast<unsigned char>(each);
    if (byte > 0x20 && each != '%') text += each;
    else text.append({'%', hex[byte >> 4], hex[byte & 15]});
  }
}

void append_names(std::string& text, const used_by& by) {
  for (const std::string* name : {&by.client, &by.team, &by.model, &by.project}) {
    text += ' ';
    append_name(text, *name);
  }
}

void append_amounts(std::string& text, const used_amounts& amounts) {
  for (const auto amount : amounts_in_order) {
    text += ' ';
    append(text, static_cast<std::int64_t>(amounts.*amount));
  }
}

void append_tier(std::string& text, char letter, const usage_tier& tier) {
  text += letter;
  text += " since ";
  append(text, tier.complete_since().time_since_epoch().count());
  text += '\n';
  for (const auto& [begin, rows] : tier.buckets())
    for (const auto& [by, amounts] : rows) {
      text += letter;
      text += ' ';
      append(text, begin.time_since_epoch().count());
      append_names(text, by);
      append_amounts(text, amounts);
      text += '\n';
    }
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = std::min(line.find(' ', at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

std::optional<std::int64_t> number_in(std::string_view word) {
  constexpr std::int64_t most = std::int64_t{1} << 60;
  const auto number = proxy::parse_number<std::int64_t>(word);
  return number && *number >= 0 && *number <= most ? number : std::nullopt;
}

// Reads a row of usage from a list of words. The word at index `at` is the first name, and the amounts follow the
// names. Returns false if the words are not valid names and amounts.
bool read_share(const std::vector<std::string_view>& words, std::size_t at, std::size_t name_count, used_share& row) {
  const std::array names{&row.by.client, &row.by.team, &row.by.model, &row.by.project};
  if (words.size() != at + name_count + amounts_in_order.size()) return false;
  for (std::string* name : std::span(names).first(name_count)) {
    if (words[at].empty() || words[at].size() > longest_name) return false;
    *name = proxy::percent_decoded(words[at++]);
  }
  for (const auto amount : amounts_in_order) {
    const auto number = number_in(words[at++]);
    if (!number) return false;
    row.amounts.*amount = static_cast<std::uint64_t>(*number);
  }
  return true;
}

bool read_row(const std::vector<std::string_view>& words, bool has_projects, usage_tier& into) {
  used_share row;
  row.by.project = metrics::none_label;
  const auto begin = number_in(words[1]);
  if (!begin || !read_share(words, 2, has_projects ? 4 : 3, row)) return false;
  return into.restore(sys_seconds(std::chrono::seconds(*begin)), std::move(row));
}

bool read_line(std::string_view line, bool has_projects, usage_book& into) {
  const std::vector<std::string_view> words = words_of(line);
  if (words.size() < 3 || (words[0] != "h" && words[0] != "d")) return false;
  usage_tier& tier = words[0] == "h" ? into.hours : into.days;
  if (words[1] != "since") return read_row(words, has_projects, tier);
  const auto since = number_in(words[2]);
  if (since) tier.restore_complete_since(sys_seconds(std::chrono::seconds(*since)));
  return since.has_value();
}

}  // namespace

std::string encode(const usage_book& book) {
  std::string text(title);
  text += '\n';
  append_tier(text, 'h', book.hours);
  append_tier(text, 'd', book.days);
  return text;
}

std::string encode_names(const used_by& by) {
  std::string text;
  append_names(text, by);
  return text.substr(1);
}

std::string encode_amounts(const used_amounts& amounts) {
  std::string text;
  append_amounts(text, amounts);
  return text.substr(1);
}

std::optional<used_share> decode_share(std::string_view names, std::string_view amounts) {
  used_share row;
  const std::string line = std::string(names) + ' ' + std::string(amounts);
  if (!read_share(words_of(line), 0, 4, row)) return std::nullopt;
  return row;
}

std::string decode_usage(std::string_view text, usage_book& into) {
  std::size_t line = 0;
  bool has_projects = true;
  for (std::size_t at = 0; at < text.size(); ++line) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string_view::npos) return "ends in the middle of a line";
    const std::string_view each = text.substr(at, end - at);
    if (line == 0 && each != title && each != older_title) return "has the format of another version";
    if (line == 0) has_projects = each == title;
    if (line > 0 && !read_line(each, has_projects, into)) return "is damaged in line " + std::to_string(line + 1);
    at = end + 1;
  }
  return line == 0 ? "is empty" : "";
}

}  // namespace photofinish::gateway
