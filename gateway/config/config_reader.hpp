// Reads one section of a configuration, setting by setting, and collects what is wrong with it. [pure]
// A value with a problem leaves its target as it was: all problems of a file are found in one go.
#pragma once

#include "gateway/config/config_values.hpp"
#include "gateway/config/settings.hpp"
#include "gateway/config/yaml/config_problem.hpp"
#include "gateway/config/yaml/yaml_tree.hpp"
#include "gateway/process/environment.hpp"
#include "proxy/failures/secret.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::proxy {
class catalogue;
}

namespace photofinish::gateway {

class budget_zone;

// What the sections of one file share.
struct reading {
  std::string file;
  const environment& machine;
  std::vector<config_problem> problems;
  std::vector<std::string> watched_files;
  std::vector<used_variable> variables{};  // the longest values first, each once
  std::size_t errors = 0;
  const budget_zone* budgets_in = nullptr;         // whose calendar budgets follow; null: UTC's
  std::shared_ptr<const proxy::catalogue> models{};  // the list of the file; null: the built-in one
  bool is_race_doubtful = false;                   // the default race has errors; what it lacks may be one of them
  std::set<std::string> suggested_providers{};     // what unknown providers were probably meant to be
  std::string key_file_form{};                     // of the file of access keys: comparable_list(); empty: none
  std::set<std::string>* missing = nullptr;        // variables and files that need not be there; null: all must be

  // What a variable held may be a secret, put in the wrong place: messages say ${NAME} where it would stand.
  void error(text_position at, std::string message);
  void warn(text_position at, std::string message);

  // Warns of a file with a secret in it that every user of this machine can read.
  void warn_of_open_file(text_position at, std::string_view name, const std::string& path);

  void note_variable(used_variable variable);

  // True: that variable or file need not be there, and what it would say is not checked.
  bool may_miss(std::string what) {
    if (missing) missing->insert(std::move(what));
    return missing != nullptr;
  }
};

enum class empty_text { allowed, refused };

class section_reader {
 public:
  // Reports keys that the section does not have. `map` may be null or of a wrong kind, which is reported.
  section_reader(reading& shared, const yaml_node& map, section where);

  reading& shared() const { return shared_; }
  // Whether it has a key that was reported as unknown. What seems to be missing may be that one, and is not reported.
  bool has_unknown() const { return has_unknown_; }
  text_position at() const { return map_.at; }
  text_position at(std::string_view name) const;  // of the setting's value, or of the section
  const yaml_node* find(
      std::string_view name) const;  // none when absent. Asserts that the table knows the name
  // A map or a list of sections. Null if it is absent or null, or of another kind, which is reported: `form` is for
  // people, "a map, as in {groq: {}}".
  const yaml_node* find_sections(std::string_view name, yaml_kind kind, std::string_view form) const;
  void error(std::string_view name, const std::string& message) const;
  void warn(std::string_view name, const std::string& message) const;

  // Reads the settings of this section that bind a member of Owner.
  template <class Owner>
  void read_members(Owner& into) const {
    for (const setting& row : settings(where_))
      if (row.member.owner == &owner_tag<Owner> && row.member.read && row.member.read(*this, row.name, &into))
        read_names_.push_back(row.name);
  }
  // Whether read_members() found the setting, and it was right.
  bool has_read(std::string_view name) const;

  // Each returns whether the setting is there and right.
  bool read(std::string_view name, std::string& into) const;  // also the word of a choice
  bool read(std::string_view name, bool& into) const;         // also a choice: its second word is true
  bool read(std::string_view name, double& into) const;       // a share
  bool read(std::string_view name, std::size_t& into) const;  // a number or a size, as the table says
  bool read(std::string_view name, std::chrono::milliseconds& into) const;
  // A duration above zero, or the word auto, which leaves `into` alone.
  bool read_or_auto(std::string_view name, std::chrono::milliseconds& into, bool& is_auto) const;
  bool read(std::string_view name, std::vector<std::string>& into) const;  // also the words of choices
  bool read(std::string_view name, std::vector<std::size_t>& into) const;
  bool read(std::string_view name, std::int64_t& nano_usd) const;  // money
  bool read(std::string_view name, std::map<std::string, std::string>& into) const;
  bool read(std::string_view name, proxy::secret& into, empty_text may_be = empty_text::refused) const;
  template <proxy::has_words Enum>
  bool read(std::string_view name, Enum& into) const {
    const auto word = choice(name);
    if (word) into = *proxy::parse_word<Enum>(*word);
    return word.has_value();
  }
  template <class T>
  bool read(std::string_view name, std::optional<T>& into) const {
    T value{};
    if (!read(name, value)) return false;
    into = value;
    return true;
  }

  // The chosen word; none when absent or wrong.
  std::optional<std::string_view> choice(std::string_view name) const;

 private:
  bool read_duration(std::string_view name, const std::string& text, std::string_view form,
                     std::chrono::milliseconds& into) const;
  std::optional<std::string> scalar(std::string_view name, const yaml_node& node) const;
  std::optional<std::size_t> number(std::string_view name, const yaml_node& node) const;
  std::optional<double> decimal(std::string_view name, std::string_view form) const;
  std::optional<std::string_view> choice(std::string_view name, const yaml_node& node) const;
  bool read_choices(std::string_view name, const yaml_node& node, std::vector<std::string>& into) const;
  std::optional<std::string> words(std::string_view name, const yaml_node& node) const;
  std::optional<std::string> secret_text(std::string_view name, const yaml_node& node, std::string expanded,
                                         empty_text may_be = empty_text::refused) const;
  bool wrong_type(const yaml_node& node, std::string_view name, std::string_view wanted) const;

  reading& shared_;
  const yaml_node& map_;
  section where_;
  bool has_unknown_ = false;
  mutable std::vector<std::string_view> read_names_;
};

// "; did you mean 'x'?" or nothing, to put behind a message.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

// What a value is, for messages: "a map", "the number 12", "text".
std::string describe(const yaml_node& node);

}  // namespace photofinish::gateway
