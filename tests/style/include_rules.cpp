#include "tests/style/rules.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::style {
namespace {

// Maps each top folder to the folders whose headers it may include.
const std::map<std::string, std::set<std::string>>& arrows() {
  static const std::map<std::string, std::set<std::string>> allowed{
      {"metrics", {"metrics"}},
      {"proxy", {"proxy"}},
      {"racing", {"racing", "proxy"}},
      {"gateway", {"gateway", "racing", "proxy", "metrics"}},
  };
  return allowed;
}

struct arrow {
  std::string path;  // path of the file that contains the #include
  include_line by;
};

// Maps each unit to the units that it includes. A header and its .cpp are one unit, for example "racing/race".
using arrows_of = std::map<std::string, std::map<std::string, arrow>>;

std::string unit_of(const std::string& path) { return path.substr(0, path.rfind('.')); }

arrows_of units_in(const source_tree& tree) {
  arrows_of all;
  for (const auto& [path, file] : tree.files) {
    for (const include_line& each : file.includes) {
      if (!each.is_quoted || !tree.find(each.name)) continue;
      const bool is_own = file.is_cpp() && unit_of(each.name) == unit_of(path);
      if (!is_own) all[unit_of(path)].try_emplace(unit_of(each.name), arrow{path, each});
    }
  }
  return all;
}

// Finds loops of includes. The search is depth first, and keeps the path from its start to the current unit.
class loop_finder {
 public:
  explicit loop_finder(const source_tree& tree) : units_(units_in(tree)) {}

  violations run() {
    for (const auto& [unit, arrows] : units_) visit(unit);
    return std::move(found_);
  }

 private:
  void visit(const std::string& unit) {
    if (!done_.insert(unit).second) return;
    const auto from = units_.find(unit);
    if (from == units_.end()) return;
    way_.push_back(unit);
    for (const auto& [next, by] : from->second) {
      const auto met = std::find(way_.begin(), way_.end(), next);
      if (met == way_.end()) visit(next);
      else report(by, {met, way_.end()});
    }
    way_.pop_back();
  }

  void report(const arrow& last, const std::vector<std::string>& loop) {
    std::string text = "closes a loop of includes: ";
    for (const std::string& unit : loop) text += unit + " -> ";
    found_.push_back({last.path, last.by.line, text + last.by.name});
  }

  const arrows_of units_;
  std::set<std::string> done_;
  std::vector<std::string> way_;
  violations found_;
};

}  // namespace

violations folder_arrows(const source_tree& tree) {
  violations found;
  for (const auto& [path, file] : tree.files) {
    if (!file.is_product()) continue;
    for (const include_line& each : file.includes) {
      if (!each.is_quoted) continue;
      const std::string to = each.name.substr(0, each.name.find('/'));
      if (!arrows().at(file.folder()).contains(to))
        found.push_back({path, each.line, file.folder() + " may not include \"" + each.name + "\""});
    }
  }
  return found;
}

violations include_loops(const source_tree& tree) { return loop_finder(tree).run(); }

violations headers_without_a_reader(const source_tree& tree) {
  std::set<std::string> included;
  for (const auto& [path, file] : tree.files)
    for (const include_line& each : file.includes)
      if (each.is_quoted && unit_of(each.name) != unit_of(path)) included.insert(each.name);
  violations found;
  for (const auto& [path, file] : tree.files)
    if (file.is_header() && !included.contains(path)) found.push_back({path, 1, "a header that no other file includes"});
  return found;
}

}  // namespace photofinish::style
