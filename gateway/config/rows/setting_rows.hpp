// Makes the rows of the table of settings. If a setting fills a struct member, the member's type defines how the
// setting is read and compared, and the member's value is the default. [pure]
#pragma once

#include "gateway/config/config_reader.hpp"
#include "gateway/config/rows/choice_words.hpp"
#include "gateway/config/settings.hpp"
#include "gateway/config/yaml/units.hpp"
#include "proxy/providers/behaviour_words.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace photofinish::gateway {

// The default setting type for struct members of the type Value. A table row may specify another setting type.
template <class Value>
struct plain_type;
template <> struct plain_type<bool> { static constexpr auto type = setting_type::boolean; };
template <> struct plain_type<double> { static constexpr auto type = setting_type::share; };
template <> struct plain_type<std::size_t> { static constexpr auto type = setting_type::number; };
template <> struct plain_type<std::int64_t> { static constexpr auto type = setting_type::money; };
template <> struct plain_type<std::chrono::milliseconds> { static constexpr auto type = setting_type::duration; };
template <> struct plain_type<std::string> { static constexpr auto type = setting_type::text; };
template <> struct plain_type<proxy::secret> { static constexpr auto type = setting_type::secret; };
template <> struct plain_type<std::vector<std::string>> { static constexpr auto type = setting_type::texts; };
template <> struct plain_type<std::vector<std::size_t>> { static constexpr auto type = setting_type::numbers; };
using text_pairs = std::map<std::string, std::string>;
template <> struct plain_type<text_pairs> { static constexpr auto type = setting_type::text_map; };
template <proxy::has_words Enum> struct plain_type<Enum> { static constexpr auto type = setting_type::choice; };
template <class Value> struct plain_type<std::optional<Value>> : plain_type<Value> {};

// The allowed words for struct members of the type Value. If this list is empty, the table row must contain the words.
template <class Value>
inline constexpr std::span<const std::string_view> plain_words{};
template <proxy::has_words Enum>
inline constexpr std::span<const std::string_view> plain_words<Enum>{proxy::word_list<Enum>};
template <proxy::has_words Enum>
inline constexpr std::span<const std::string_view> plain_words<std::optional<Enum>>{proxy::word_list<Enum>};

// Each overload of value_text() returns the default value of a setting as YAML text. The text is empty if there is no
// default.
std::string value_text(const setting& row, bool value);
std::string value_text(const setting& row, double value);
// If the value is below the setting's minimum `least`, the setting has no default, and the function returns an empty
// text.
std::string value_text(const setting& row, std::size_t value);
std::string value_text(const setting& row, std::int64_t nano_usd);
std::string value_text(const setting& row, std::chrono::milliseconds value);
std::string value_text(const setting& row, const std::string& value);
std::string value_text(const setting& row, const proxy::secret& value);
std::string value_text(const setting& row, const std::vector<std::string>& values);
std::string value_text(const setting& row, const std::vector<std::size_t>& values);
std::string value_text(const setting& row, const std::map<std::string, std::string>& values);
template <proxy::has_words Enum>
std::string value_text(const setting&, Enum value) { return std::string(proxy::word_of(value)); }
template <class Value>
std::string value_text(const setting& row, const std::optional<Value>& value) {
  return value ? value_text(row, *value) : std::string();
}

template <class Value>
concept map_of_entries = requires(const Value& value) { value.begin()->second; };

// The path from a struct (the owner) to one of its members, or to a member of this member.
template <auto first, auto... rest>
struct member_path {
  template <class Owner, class Value>
  static Owner owner_of(Value Owner::*);
  using owner = decltype(owner_of(first));

  static auto& get(owner& whole) { return ((whole.*first).*....*rest); }
  static const auto& get(const owner& whole) { return ((whole.*first).*....*rest); }
  static const auto& get(const void* whole) { return get(*static_cast<const owner*>(whole)); }
  using value = std::remove_cvref_t<decltype(get(std::declval<owner&>()))>;

  static bool read(const section_reader& reader, std::string_view name, void* whole) {
    return reader.read(name, get(*static_cast<owner*>(whole)));
  }

  static void note_change(std::string_view name, const void* before, const void* after,
                          std::vector<std::string>& changed) {
    const auto& was = get(before);
    const auto& is = get(after);
    if constexpr (map_of_entries<value>) {
      std::set<std::string> names;
      for (const auto& [entry, settings] : was) names.insert(entry);
      for (const auto& [entry, settings] : is) names.insert(entry);
      for (const std::string& each : names) {
        const auto old = was.find(each), now = is.find(each);
        if (old == was.end() || now == is.end() || !(old->second == now->second))
          changed.push_back(std::string(name) + "." + each);
      }
    } else if (!(was == is)) {
      changed.emplace_back(name);
    }
  }

  static std::string fallback(const setting& row) { return value_text(row, get(owner{})); }
};

// Makes the table row of a setting that fills one struct member. The function section_reader::read_members() reads such
// settings. `row` contains the facts that cannot be derived from the member.
template <auto... path>
constexpr setting plain(std::string_view name, std::string_view description, setting row = {}) {
  using member = member_path<path...>;
  using value = typename member::value;
  row.name = name;
  row.description = description;
  if (row.type == setting_type::text) row.type = plain_type<value>::type;
  if (row.words.empty()) row.words = plain_words<value>;
  row.member = {&owner_tag<typename member::owner>, &member::read, &member::note_change,
                row.is_required ? nullptr : &member::fallback};
  return row;
}

// Makes the table row of a setting that a special function reads. The row's struct member is used only to compare two
// configurations.
template <auto... path>
constexpr setting compared(setting row) {
  using member = member_path<path...>;
  row.member = {&owner_tag<typename member::owner>, nullptr, &member::note_change, nullptr};
  return row;
}

constexpr setting required_row(setting row) {
  row.is_required = true;
  return row;
}

constexpr setting machine_row(setting row) {
  row.is_of_one_machine = true;
  return row;
}

}  // namespace photofinish::gateway
