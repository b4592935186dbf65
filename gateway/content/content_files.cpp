#include "gateway/content/content_files.hpp"

#include <cstddef>
#include <optional>

namespace photofinish::gateway {
namespace {

constexpr std::size_t day_letters = std::string_view("2026-11-25").size();

struct name_parts {
  // The two fixed parts of a file name such as "content-2026-11-25.jsonl": "content-" and ".jsonl".
  std::string_view stem, ending;
};

name_parts parts_of(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return {name, {}};
  return {name.substr(0, dot), name.substr(dot)};
}

std::string_view name_in(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::optional<std::chrono::sys_days> day_of(std::string_view text) {
  const auto number = [&text](std::size_t at, std::size_t count) {
    int value = 0;
    for (const char each : text.substr(at, count)) {
      if (each < '0' || each > '9') return -1;
      value = value * 10 + (each - '0');
    }
    return value;
  };
  if (text.size() != day_letters || text[4] != '-' || text[7] != '-') return std::nullopt;
  const int year = number(0, 4), month = number(5, 2), day = number(8, 2);
  if (year < 0 || month < 0 || day < 0) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day)));
  return date.ok() ? std::optional(std::chrono::sys_days(date)) : std::nullopt;
}

}  // namespace

std::string day_file(const std::string& file, std::chrono::sys_days day) {
  const std::string_view name = name_in(file);
  const name_parts parts = parts_of(name);
  const std::string folder = file.substr(0, file.size() - name.size());
  return folder + std::string(parts.stem) + "-" + day_text(day) + std::string(parts.ending);
}

std::vector<std::string> expired_files(const std::string& file, const std::vector<std::string>& names,
                                       std::chrono::milliseconds retention, log_time now) {
  const name_parts parts = parts_of(name_in(file));
  std::vector<std::string> expired;
  for (const std::string& each : names) {
    std::string_view rest = each;
    if (rest.size() != parts.stem.size() + 1 + day_letters + parts.ending.size()) continue;
    if (!rest.starts_with(parts.stem) || !rest.ends_with(parts.ending) || rest[parts.stem.size()] != '-') continue;
    const auto day = day_of(rest.substr(parts.stem.size() + 1, day_letters));
    if (day && *day + std::chrono::days(1) + retention <= now) expired.push_back(each);
  }
  return expired;
}

}  // namespace photofinish::gateway
