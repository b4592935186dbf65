// Bounds on classes: the number of methods, the number of data members, and one .cpp file for each class. Lists name the classes that
// exceed a bound today. Entries may only be removed from these lists.
#pragma once

#include "tests/style/source_tree.hpp"

#include <cstddef>
#include <span>
#include <string_view>

namespace photofinish::style {

inline constexpr std::size_t most_methods = 40;
inline constexpr std::size_t most_members = 20;

// A class that may exceed the usual bounds, with its own bounds.
struct large_class {
  std::string_view name;
  std::size_t methods = 0;
  std::size_t members = 0;
};

// Reports each unlisted class that exceeds the usual bounds, and each listed class that exceeds its own bounds. Also reports each listed
// class that meets the usual bounds or no longer exists, because its list entry must be removed.
violations large_classes(const source_tree& tree, std::span<const large_class> listed);

// Reports each unlisted class whose methods are defined in several .cpp files, once per extra file. Also reports each listed class whose
// methods are defined in one file.
violations scattered_classes(const source_tree& tree, std::span<const std::string_view> listed);

// Reports each file that is not in `listed` although its first comment states that it continues another file. Also reports each file in
// `listed` whose first comment no longer states this.
violations continued_files(const source_tree& tree, std::span<const std::string_view> listed);

// The classes and files of the product that may break the rules for classes.
std::span<const large_class> classes_too_large();
std::span<const std::string_view> classes_in_several_files();
std::span<const std::string_view> files_that_continue();

}  // namespace photofinish::style
