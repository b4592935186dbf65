// Reads one section of a configuration, setting by setting, and collects its problems. [pure] If a value has a problem,
// the reader reports it and leaves the struct member unchanged. Therefore one run finds all problems of a file.
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

// The state that the readers of all sections of a file share.
struct reading {
  std::string file;
  const environment& machine;
  std::vector<config_problem> problems;
  std::vector<std::string> watched_files;
  // The variables that the file uses, without duplicates and with the longest values first.
  std::vector<used_variable> variables{};
  std::size_t errors = 0;
  const budget_zone* budgets_in = nullptr;  // the time zone in which budget periods begin and end; null means UTC
  std::shared_ptr<const proxy::catalogue> models{};  // the list of models from a file; null means the built-in list
  // If true, the default race has errors. A missing setting of a route may then be a consequence of these errors.
  bool is_race_doubtful = false;
  // Unknown provider names for which a message already suggested the right name.
  std::set<std::string> suggested_providers{};
  // The text that comparable_list() makes from the file of access keys. Empty if there is no such file.
  std::string key_file_form{};
  // A set to which the names of missing variables and files are added. If this pointer is null, all variables and files
  // must exist.
  std::set<std::string>* missing = nullptr;

  // Reports an error. The message contains ${NAME} instead of the value of a variable, because the user may have
  // written a secret in the wrong place.
  void error(text_position at, std::string message);
  void warn(text_position at, std::string message);

  // Warns if every user of this machine can read a file that contains a secret.
  void warn_of_open_file(text_position at, std::string_view name, const std::string& path);

  void note_variable(used_variable variable);

  // Returns true if the named variable or file may be missing. In this case its value is not checked.
  bool may_miss(std::string what) {
    if (missing) missing->insert(std::move(what));
    return missing != nullptr;
  }
};

enum class empty_text { allowed, refused };

class section_reader {
 public:
  // Reports names of settings that the section does not have. If the section is not a YAML map, the constructor reports
  // this. `map` may be null.
  section_reader(reading& shared, const yaml_node& map, section where);

  reading& shared() const { return shared_; }
  // True if the section contains an unknown setting, which was already reported. In this case a missing setting is not
  // reported, because its name may only be misspelled.
  bool has_unknown() const { return has_unknown_; }
  text_position at() const { return map_.at; }
  // Returns the position of the setting's value. If the setting is absent, returns the position of the section.
  text_position at(std::string_view name) const;
  const yaml_node* find(
      // Returns null if the setting is absent; the table of settings must contain the name.
      std::string_view name) const;
  // Returns the value of a setting that is a map or a list of sections. Returns null if the setting is absent or has no
  // value. Also returns null if the value is not of `kind`, and reports this. `form` describes the expected value to
  // the user, such as "a map, as in {groq: {}}".
  const yaml_node* find_sections(std::string_view name, yaml_kind kind, std::string_view form) const;
  void error(std::string_view name, const std::string& message) const;
  void warn(std::string_view name, const std::string& message) const;

  // Reads all settings of this section that fill a member of Owner, according to the table of settings.
  template <class Owner>
  void read_members(Owner& into) const {
    for (const setting& row : settings(where_))
      if (row.member.owner == &owner_tag<Owner> && row.member.read && row.member.read(*this, row.name, &into))
        read_names_.push_back(row.name);
  }
  // True if read_members() found the setting without a problem.
  bool has_read(std::string_view name) const;

  // Each read function returns true if the setting is present and has no problem.
  bool read(std::string_view name, std::string& into) const;  // reads a text; if the setting is a choice, the text must
                                                              // be one of the allowed words
  bool read(std::string_view name, bool& into) const;         // reads a boolean, or a choice between two words of which
                                                              // the second means true
  bool read(std::string_view name, double& into) const;       // reads a share
  // Reads a number or a size, as the table of settings defines.
  bool read(std::string_view name, std::size_t& into) const;
  bool read(std::string_view name, std::chrono::milliseconds& into) const;
  // Reads a duration above zero, or the word auto. If the value is auto, `into` stays unchanged.
  bool read_or_auto(std::string_view name, std::chrono::milliseconds& into, bool& is_auto) const;
  // Reads a list of texts, or the chosen words of a setting that is a list of choices.
  bool read(std::string_view name, std::vector<std::string>& into) const;
  bool read(std::string_view name, std::vector<std::size_t>& into) const;
  bool read(std::string_view name, std::int64_t& nano_usd) const;  // reads money
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

  // Returns the chosen word, or nothing if the setting is absent or wrong.
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

// Returns "; did you mean 'x'?" for the end of a message, or an empty text if no candidate is similar.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

// Describes the kind of a value for messages: "a map", "the number 12", "text".
std::string describe(const yaml_node& node);

}  // namespace photofinish::gateway
